/* Prints gl_FragCoord of a pixel where w is 2, and the major version of Mesa.
 * usage: quirks GL_RENDERER; prints "VERSION x y z w" */
#include "corpus_context.h"

enum { SIZE = 16, X = 5, Y = 7 };

int main(int argc, char **argv) {
    static const struct stage_text stages[] = {
        {GL_VERTEX_SHADER,
         "#version 330 core\nvoid main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
         "gl_Position = vec4(p * 8.0 - 2.0, 0.5, 2.0); }"},
        {GL_FRAGMENT_SHADER, "#version 330 core\nout vec4 o; void main() { o = gl_FragCoord; }"}};
    char why[1000];
    float pixel[4];
    if (argc != 2)
        return 2;
    create_context(argv[1]);
    make_target(GL_RGBA32F, SIZE);
    glUseProgram(link_program(stages, 2, NULL, 0, GL_INTERLEAVED_ATTRIBS, why, sizeof why));
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadPixels(X, Y, 1, 1, GL_RGBA, GL_FLOAT, pixel);
    const char *version = strstr((const char *)glGetString(GL_VERSION), "Mesa ");
    printf("%d %g %g %g %g\n", version ? atoi(version + 5) : 0, pixel[0], pixel[1], pixel[2],
           pixel[3]);
    return glGetError() != GL_NO_ERROR;
}
