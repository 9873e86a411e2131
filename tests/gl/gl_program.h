/* Makes programs with any stages: shaders are attached, then the program is linked. The process
 * ends if that fails. The including file has included OpenGL's header. */
#ifndef TESTS_GL_PROGRAM_H
#define TESTS_GL_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>

static inline void attach(GLuint program, GLenum type, const char *text) {
    const GLuint s = glCreateShader(type);
    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    GLint ok = 0;
    char why[1000];
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    glGetShaderInfoLog(s, sizeof why, NULL, why);
    if (!ok) {
        printf("%s\n%s\n", why, text);
        exit(1);
    }
    glAttachShader(program, s);
    glDeleteShader(s);
}

/* Links and uses the program. captured: a varying for transform feedback, or NULL. */
static inline void link_program(GLuint p, const char *captured) {
    GLint ok = 0;
    if (captured)
        glTransformFeedbackVaryings(p, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        char why[1000];
        glGetProgramInfoLog(p, sizeof why, NULL, why);
        printf("%s\n", why);
        exit(1);
    }
    glUseProgram(p);
}

#endif
