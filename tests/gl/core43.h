/* What programs for OpenGL 4.3 on a Fermi share: a context without a window, and programs of any
 * stages. The including file has defined GL_GLEXT_PROTOTYPES.
 */
#ifndef TESTS_CORE43_H
#define TESTS_CORE43_H

#include "surfaceless.h"

#include <GL/glcorearb.h>
#include <stdbool.h>
#include <stdio.h>

#define HEAD "#version 430\n"
/* A triangle over the whole target. */
#define WHOLE                                                                                      \
    HEAD "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, "  \
         "0, 1); }"

static void attach(GLuint program, GLenum type, const char *text) {
    const GLuint s = glCreateShader(type);
    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    GLint ok = 0;
    char why[1000];
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    glGetShaderInfoLog(s, sizeof why, NULL, why);
    if (!ok)
        printf("%s\n", why);
    glAttachShader(program, s);
    glDeleteShader(s);
}

/* Links and uses the program; says why if that fails. captured: a varying for transform feedback, or
 * NULL. */
static void link_program(GLuint p, const char *captured) {
    GLint ok = 0;
    if (captured)
        glTransformFeedbackVaryings(p, 1, &captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        char why[1000];
        glGetProgramInfoLog(p, sizeof why, NULL, why);
        printf("%s\n", why);
    }
    glUseProgram(p);
}

#endif
