/* libteslapipe-source.so, preloaded by `teslapipe gl --keep-source` beside the DRM library. It sees
 * the program objects that an OpenGL program links and uses, and hands their GLSL to the recording.
 * In: calls of glLinkProgram and glUseProgram, however the program got these functions: linked, by
 * eglGetProcAddress or glXGetProcAddress, by dlsym. Out: calls of teslapipe_keep_source
 * (drm/keep.c). Before another program object is used, glFlush submits the draws so far. So each
 * submission draws with one program object.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <GL/glcorearb.h>

#define EXPORT __attribute__((visibility("default")))

#if defined __has_attribute
#if __has_attribute(musttail)
#define TAIL_CALL __attribute__((musttail))
#endif
#endif
#ifndef TAIL_CALL
#define TAIL_CALL
#endif

typedef void *dlsym_fn(void *handle, const char *name);
typedef void *lookup_fn(const char *name);

/* glibc's dlsym. Its symbol version depends on the processor and on glibc's age. */
static dlsym_fn *real_dlsym(void) {
    static dlsym_fn *found;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0"};
    for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++)
        *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found;
}

/* ---- the functions of OpenGL ---- */

EXPORT void glLinkProgram(GLuint program);
EXPORT void glUseProgram(GLuint program);
EXPORT void *eglGetProcAddress(const char *name);
EXPORT void *glXGetProcAddress(const char *name);
EXPORT void *glXGetProcAddressARB(const char *name);

/* The functions that this library replaces. real: the replaced function that the last look-up
 * found. */
static struct hook {
    const char *name;
    void *own;
    void *real;
} hooks[] = {
    {"glLinkProgram", (void *)glLinkProgram, NULL},
    {"glUseProgram", (void *)glUseProgram, NULL},
    {"glLinkProgramARB", (void *)glLinkProgram, NULL},
    {"glUseProgramObjectARB", (void *)glUseProgram, NULL},
    {"eglGetProcAddress", (void *)eglGetProcAddress, NULL},
    {"glXGetProcAddress", (void *)glXGetProcAddress, NULL},
    {"glXGetProcAddressARB", (void *)glXGetProcAddressARB, NULL},
};
enum { LINK, USE, LINK_ARB, USE_ARB, EGL, GLX, GLX_ARB, HOOKS };

static struct hook *find_hook(const char *name) {
    for (int i = 0; name && i < HOOKS; i++)
        if (strcmp(hooks[i].name, name) == 0)
            return &hooks[i];
    return NULL;
}

/* Finds a function in a library, if the program has loaded the library; else NULL. */
static void *in_library(const char *library, const char *name) {
    void *const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    return handle ? real_dlsym()(handle, name) : NULL;
}

/* The real look-up function of EGL or GLX; NULL if the program has not loaded the library. */
static lookup_fn *real_lookup(int which) {
    static const char *const libraries[][2] = {{"libEGL.so.1", "libEGL.so.1"},
                                               {"libGLX.so.0", "libGL.so.1"}};
    lookup_fn *found = NULL;
    const struct hook *h = &hooks[which == EGL ? EGL : GLX_ARB];
    *(void **)&found = h->real;
    for (int i = 0; !found && i < 2; i++)
        *(void **)&found = in_library(libraries[which != EGL][i], h->name);
    return found;
}

/* Finds a function of OpenGL by its name; NULL if there is none. */
static void *find_function(const char *name) {
    void *found = real_dlsym()(RTLD_NEXT, name);
    for (int i = 0; !found && i < 2; i++) {
        lookup_fn *const lookup = real_lookup(i ? GLX_ARB : EGL);
        found = lookup ? lookup(name) : NULL;
    }
    return found;
}

static void *real_function(int which) {
    if (!hooks[which].real)
        hooks[which].real = find_function(hooks[which].name);
    return hooks[which].real;
}

/* ---- programs ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* the recording's number of a program object, by OpenGL's name; 0: no source known */
static uint64_t *number;
static size_t numbers;
static uint64_t last_number, current;

typedef void keep_fn(uint64_t program, int stage, const char *text, size_t length);

static void keep(uint64_t program, int stage, const char *text, size_t length) {
    static keep_fn *found;
    if (!found)
        *(void **)&found = real_dlsym()(RTLD_DEFAULT, "teslapipe_keep_source");
    if (found)
        found(program, stage, text, length);
}

/* The recording's number of a shader type; -1 for an unknown type. */
static int stage_of(GLint type) {
    static const GLenum types[] = {GL_VERTEX_SHADER,       GL_GEOMETRY_SHADER,
                                   GL_FRAGMENT_SHADER,     GL_COMPUTE_SHADER,
                                   GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER};
    for (int i = 0; i < 6; i++)
        if (types[i] == (GLenum)type)
            return i;
    return -1;
}

static void keep_shader(uint64_t program, GLuint shader) {
    static PFNGLGETSHADERIVPROC get;
    static PFNGLGETSHADERSOURCEPROC get_source;
    GLint type = 0, length = 0;
    *(void **)&get = find_function("glGetShaderiv");
    *(void **)&get_source = find_function("glGetShaderSource");
    if (!get || !get_source)
        return;
    get(shader, GL_SHADER_TYPE, &type);
    get(shader, GL_SHADER_SOURCE_LENGTH, &length);
    char *text = length > 0 ? calloc(1, (size_t)length) : NULL;
    if (!text || stage_of(type) < 0) {
        free(text);
        return;
    }
    get_source(shader, length, NULL, text);
    keep(program, stage_of(type), text, strlen(text));
    free(text);
}

/* Gives a program object a new number at each link, since it may be linked again with another
 * source. */
static uint64_t give_number(GLuint program) {
    uint64_t n = 0;
    pthread_mutex_lock(&lock);
    if (program >= numbers) {
        const size_t more = program + 64;
        uint64_t *grown = realloc(number, more * sizeof *number);
        if (grown) {
            memset(grown + numbers, 0, (more - numbers) * sizeof *number);
            number = grown;
            numbers = more;
        }
    }
    if (program < numbers)
        n = number[program] = ++last_number;
    pthread_mutex_unlock(&lock);
    return n;
}

static uint64_t number_of(GLuint program) {
    pthread_mutex_lock(&lock);
    const uint64_t n = program < numbers ? number[program] : 0;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Submits the draws made so far, and notes that later draws use program number `to`. */
static void change_program(uint64_t to) {
    static PFNGLFLUSHPROC flush;
    *(void **)&flush = find_function("glFlush");
    if (to == current || !flush)
        return;
    flush();
    keep(to, 0, NULL, 0);
    current = to;
}

EXPORT void glLinkProgram(GLuint program) {
    static PFNGLGETATTACHEDSHADERSPROC attached;
    PFNGLLINKPROGRAMPROC real = NULL;
    GLuint shader[16];
    GLsizei count = 0;
    *(void **)&real = real_function(LINK);
    if (!real)
        return;
    const uint64_t before = number_of(program);
    real(program);
    *(void **)&attached = find_function("glGetAttachedShaders");
    const uint64_t n = attached ? give_number(program) : 0;
    if (!n)
        return;
    attached(program, 16, &count, shader);
    for (GLsizei i = 0; i < count; i++)
        keep_shader(n, shader[i]);
    if (before && before == current)
        change_program(n);
}

EXPORT void glUseProgram(GLuint program) {
    PFNGLUSEPROGRAMPROC real = NULL;
    *(void **)&real = real_function(USE);
    if (!real)
        return;
    change_program(number_of(program));
    real(program);
}

/* ---- how programs find the functions ---- */

/* The function that the program gets for a name: this library's, if it replaces that function and
 * the real function exists; else the found function. */
static void *stand_before(const char *name, void *found) {
    struct hook *const h = found ? find_hook(name) : NULL;
    if (!h || found == h->own)
        return found;
    h->real = found;
    return h->own;
}

EXPORT void *eglGetProcAddress(const char *name) {
    lookup_fn *const real = real_lookup(EGL);
    return real ? stand_before(name, real(name)) : NULL;
}

EXPORT void *glXGetProcAddressARB(const char *name) {
    lookup_fn *const real = real_lookup(GLX_ARB);
    return real ? stand_before(name, real(name)) : NULL;
}

EXPORT void *glXGetProcAddress(const char *name) {
    return glXGetProcAddressARB(name);
}

/* With RTLD_NEXT, glibc's dlsym looks at the return address to find the calling library. So the
 * real function is entered by a tail call, which keeps the program's return address. */
EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
    dlsym_fn *const real = real_dlsym();
    if (handle != RTLD_NEXT && find_hook(name))
        return stand_before(name, real(handle, name));
    TAIL_CALL return real(handle, name);
}
