/* An OpenGL 3.3 core context without a window system (EGL surfaceless), for the programs of this
 * folder; with COMPATIBILITY defined, an OpenGL 3.0 context with the features of earlier versions.
 * In: a word that GL_RENDERER must contain. Out: a current context, or an exit with the reason.
 * Knows no test. */
#ifndef TESTS_GL_CORPUS_CONTEXT_H
#define TESTS_GL_CORPUS_CONTEXT_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#ifdef COMPATIBILITY
#include <GL/gl.h>
#include <GL/glext.h>
#else
#include <GL/glcorearb.h>
#endif

#include "gl_target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 77 }; /* no EGL here: the script reports its checks as skipped */

__attribute__((format(printf, 2, 3), noreturn)) static void give_up(int code, const char *format,
                                                                    ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(code);
}

/* Faults of newer nouveau drivers, which a real board shows, too (docs/mesa-versions.md). In a
 * version of Mesa with the fault neither driver runs the test. */
static inline const char *driver_fault(const char *of) {
    static const struct {
        const char *of, *why;
        int since; /* major version of Mesa */
    } faults[] = {
        {"gl_PointCoord", "the driver leaves POINT_COORD_REPLACE_MAP at 0: gl_PointCoord is 0", 25},
        {"s_pointcoord", "the driver leaves POINT_COORD_REPLACE_MAP at 0: gl_PointCoord is 0", 25},
        {"v_clipdist capture", "the driver sets up no capture beside clip distances", 25},
        {"g_clip capture", "the driver sets up no capture beside clip distances", 25},
        {"negative blit", "the driver's scissor of a blit is wrong left of or below the target",
         26},
    };
    const char *version = strstr((const char *)glGetString(GL_VERSION), "Mesa ");
    const int major = version ? atoi(version + 5) : 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].of, of) == 0 && major >= faults[i].since)
            return faults[i].why;
    return NULL;
}

/* Each call makes a new context current, without any state of the context before. */
static void create_context(const char *renderer) {
    static const EGLint config_wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                           EGL_OPENGL_BIT, EGL_NONE};
#ifdef COMPATIBILITY
    static const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION,
                                            0, EGL_NONE};
#else
    static const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                                            3,
                                            EGL_CONTEXT_MINOR_VERSION,
                                            3,
                                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                            EGL_NONE};
#endif
    EGLDisplay display =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    EGLContext before = eglGetCurrentContext();
    EGLConfig config = NULL;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL))
        give_up(EXIT_SKIPPED, "no surfaceless EGL display");
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, config_wanted, &config, 1, &count))
        give_up(EXIT_FAILURE, "no EGL configuration with OpenGL");
    EGLContext context = eglCreateContext(display, count ? config : EGL_NO_CONFIG_KHR,
                                          EGL_NO_CONTEXT, context_wanted);
    if (context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        give_up(EXIT_FAILURE, "no OpenGL context (EGL error 0x%x)", eglGetError());
    const char *actual = (const char *)glGetString(GL_RENDERER);
    if (!strstr(actual, renderer))
        give_up(EXIT_FAILURE, "GL_RENDERER is \"%s\", not %s", actual, renderer);
    if (before != EGL_NO_CONTEXT)
        eglDestroyContext(display, before);
}

struct stage_text {
    GLenum type;
    const char *text; /* NULL: the program lacks this stage */
};

/* Compiles and links a program. Returns 0 on failure, with the driver's message in *why. */
__attribute__((unused)) static GLuint link_program(const struct stage_text *stages, int count,
                                                   const char *const *captured, int captured_count,
                                                   GLenum capture_mode, char *why,
                                                   size_t why_size) {
    const GLuint program = glCreateProgram();
    GLint fine = 0;
    for (int i = 0; i < count; i++) {
        if (!stages[i].text)
            continue;
        const GLuint shader = glCreateShader(stages[i].type);
        glShaderSource(shader, 1, &stages[i].text, NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &fine);
        if (!fine) {
            glGetShaderInfoLog(shader, (GLsizei)why_size, NULL, why);
            return 0;
        }
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    if (captured_count)
        glTransformFeedbackVaryings(program, captured_count, captured, capture_mode);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &fine);
    if (!fine)
        glGetProgramInfoLog(program, (GLsizei)why_size, NULL, why);
    return fine ? program : 0;
}

/* Makes a target of size x size pixels and an empty vertex array. */
__attribute__((unused)) static void make_target(GLenum format, GLsizei size) {
    GLuint name;
    glGenVertexArrays(1, &name);
    glBindVertexArray(name);
    new_target(format, 0, size, size);
}

#endif
