/* An OpenGL program with a planted memory fault, for teslapipe gl --check-memory.
 * usage: memory GL_RENDERER FAULT; FAULT: none, texture, array, fetch, derivative, feedback. */
#include "corpus_context.h"

#include <stdbool.h>

enum { SIZE = 16 };

static const char vertex[] =
    "#version 330 core\nlayout(location = 0) in vec4 a; flat out float one;"
    "void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1); one = a.x;"
    "gl_Position = vec4(p * 4.0 - 1.0, 0.5, 1.0); }";

static const char *fragment_of(const char *fault) {
    if (!strcmp(fault, "fetch"))
        return "#version 330 core\nuniform sampler2D t; flat in float one; out vec4 o;"
               "void main() { o = texelFetch(t, ivec2(gl_FragCoord.xy) + ivec2(4, 0), 0) + one; }";
    if (!strcmp(fault, "derivative"))
        return "#version 330 core\nuniform sampler2D t; flat in float one; out vec4 o;"
               "void main() { o = vec4(one); if ((int(gl_FragCoord.x) & 1) == 0) for (int i = 0; i < "
               "int(gl_FragCoord.x) + 1; i++) o += texture(t, gl_FragCoord.xy * o.x); }";
    return "#version 330 core\nuniform sampler2D t; flat in float one; out vec4 o;"
           "void main() { o = texture(t, gl_FragCoord.xy / 16.0) + one; }";
}

static void make_texture(const char *fault) {
    static const GLubyte texels[SIZE * SIZE * 4];
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 strcmp(fault, "texture") ? texels : NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

/* An array of three vertices; with the fault, the last one lies behind its end. */
static void make_array(const char *fault) {
    static const float ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_ARRAY_BUFFER, name);
    glBufferData(GL_ARRAY_BUFFER, strcmp(fault, "array") ? sizeof ones : 32, ones, GL_STATIC_DRAW);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 16, NULL);
    glEnableVertexAttribArray(0);
}

static void begin_feedback(void) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, name);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 8, NULL, GL_STATIC_DRAW);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, name);
    glBeginTransformFeedback(GL_TRIANGLES);
}

int main(int argc, char **argv) {
    char why[1000];
    if (argc != 3)
        return 2;
    const struct stage_text stages[] = {{GL_VERTEX_SHADER, vertex},
                                        {GL_FRAGMENT_SHADER, fragment_of(argv[2])}};
    const bool feedback = !strcmp(argv[2], "feedback");
    const char *names[] = {"one"};
    create_context(argv[1]);
    make_target(GL_RGBA8, SIZE);
    make_texture(argv[2]);
    make_array(argv[2]);
    glUseProgram(link_program(stages, 2, names, feedback, GL_INTERLEAVED_ATTRIBS, why, sizeof why));
    if (feedback)
        begin_feedback();
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (feedback)
        glEndTransformFeedback();
    glFinish();
    return glGetError() != GL_NO_ERROR;
}
