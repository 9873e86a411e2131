/* Frames of many draws for teslapipe gl --timeline: 10000 quads, each with its own uniforms.
 * usage: timeline GL_RENDERER FRAMES */
#include "corpus_context.h"

enum { SIZE = 512, DRAWS = 10000 };

int main(int argc, char **argv) {
    static const struct stage_text stages[] = {
        {GL_VERTEX_SHADER,
         "#version 330 core\nuniform vec4 d; void main() { vec2 p = vec2(gl_VertexID & 1,"
         " gl_VertexID >> 1); gl_Position = vec4(p * 0.02 + d.xy, 0.5, 1.0); }"},
        {GL_FRAGMENT_SHADER,
         "#version 330 core\nuniform vec4 d; out vec4 o; void main() { o = d; }"}};
    char why[1000];
    if (argc != 3)
        return 2;
    create_context(argv[1]);
    make_target(GL_RGBA8, SIZE);
    const GLuint program =
        link_program(stages, 2, NULL, 0, GL_INTERLEAVED_ATTRIBS, why, sizeof why);
    const GLint place = glGetUniformLocation(program, "d");
    glUseProgram(program);
    for (int frame = 0; frame < atoi(argv[2]); frame++) {
        for (int i = 0; i < DRAWS; i++) {
            glUniform4f(place, (float)(i % 100) / 50 - 1, (float)(i / 100) / 50 - 1, 0.5f, 1);
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        }
        glFinish();
    }
    return glGetError() != GL_NO_ERROR;
}
