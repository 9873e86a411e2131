/* Shared by programs for OpenGL 4.3 on a Fermi. The including file has defined
 * GL_GLEXT_PROTOTYPES. */
#ifndef TESTS_CORE43_H
#define TESTS_CORE43_H

#include "surfaceless.h"

#include <GL/glcorearb.h>

#include "gl_program.h"

#define HEAD "#version 430\n"
/* The vertex program of a triangle over the whole target. */
#define WHOLE                                                                                      \
    HEAD "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, "  \
         "0, 1); }"

#endif
