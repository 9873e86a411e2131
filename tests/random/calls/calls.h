/* Random calls of OpenGL. A program of this folder has the function calls(), which makes the calls
 * of one seed and reports results; tests/random/compare-calls compares the results of two drivers.
 *
 *     PROGRAM FIRST COUNT FILE [text]
 *
 * text: prints the calls. Environment: GL43, if set, asks for OpenGL 4.3. */
#ifndef TESTS_RANDOM_CALLS_H
#define TESTS_RANDOM_CALLS_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../random.h"
#include "../../gl/gl_program.h"

#define SIZE(a) ((int)(sizeof(a) / sizeof(a)[0]))
#define PICK(a) (a)[below(SIZE(a))]

static void calls(uint32_t seed);

static FILE *results;
static bool texts, gl43 __attribute__((unused));

static int below(int n) {
    return (int)random_below((uint32_t)n);
}

/* True once in n calls, on average. */
static bool seldom(int n) {
    return below(n) == 0;
}

static int between(int low, int high) {
    return low + below(high - low + 1);
}

static inline float real(float low, float high) {
    return random_float(&random_numbers, low, high);
}

__attribute__((format(printf, 1, 2))) static void text(const char *format, ...) {
    if (!texts)
        return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
}

/* Reports words. tolerance: of floats; negative: the words must be equal. few: the percentage of
 * the words that may differ. */
static inline void report_most(const char *name, float tolerance, int few, const void *words,
                               int n) {
    char label[24] = "";
    memccpy(label, name, 0, sizeof label - 1);
    fwrite(label, 1, sizeof label, results);
    fwrite(&tolerance, 4, 1, results);
    fwrite(&few, 4, 1, results);
    fwrite(&n, 4, 1, results);
    fwrite(words, 4, (size_t)n, results);
}

static inline void report(const char *name, float tolerance, const void *words, int n) {
    report_most(name, tolerance, 0, words, n);
}

static void report_errors(void) {
    const GLenum e = glGetError();
    text("error %x", e);
    report("error", -1, &e, 1);
}

static GLuint name_of(void (*make)(GLsizei, GLuint *)) {
    GLuint name;
    make(1, &name);
    return name;
}

int main(int n, char **arguments) {
    if (n < 4)
        return 2;
    const int first = atoi(arguments[1]), count = atoi(arguments[2]);
    results = fopen(arguments[3], "wb");
    texts = n > 4;
    gl43 = getenv("GL43") != NULL;
    const EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
    if (!results || !eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        return 1;
    const EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, CONTEXT);
    if (!c || !eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        return 1;
    for (int seed = first; seed < first + count; seed++) {
        report("seed", -1, &seed, 1);
        random_start((uint32_t)seed);
        calls((uint32_t)seed);
    }
    return fclose(results) != 0;
}

#endif
