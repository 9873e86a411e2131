/* Shared by tests/gl/gbm.c, drm.c and kms.c: contexts, a picture in which every pixel shows its own
 * place, and verdicts. In: a chip's GL_RENDERER. Out: counted passes and failures. */
#pragma once
#include "verdicts.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include "gl_program.h"
#include "gl_target.h"
#include <fcntl.h>
#include <gbm.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 100, HEIGHT = 60 }; /* no multiple of a tile */

/* Makes an OpenGL 3.3 context without a surface current; EGL_NO_CONTEXT on failure. config NULL:
 * any config. */
static EGLContext make_context(EGLDisplay d, EGLConfig config) {
    static const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
    EGLContext c = EGL_NO_CONTEXT;
    if (eglInitialize(d, NULL, NULL) && eglBindAPI(EGL_OPENGL_API))
        c = eglCreateContext(d, config, EGL_NO_CONTEXT, want);
    return c && eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c) ? c : EGL_NO_CONTEXT;
}

static bool renderer_is(const char *want) {
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name && strcmp(name, want) == 0;
}

/* Makes the program that draws x, y, blue and 255 into every pixel; returns the location of
 * `blue`. */
static GLint use_picture_program(void) {
    const GLuint p = glCreateProgram();
    GLuint vertex_array;
    attach(p, GL_VERTEX_SHADER,
           "#version 330\nvoid main() { gl_Position = vec4(vec2("
           "gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }");
    attach(p, GL_FRAGMENT_SHADER,
           "#version 330\nuniform float blue; out vec4 o; void main() {"
           "o = vec4(floor(gl_FragCoord.xy), blue, 255) / 255.0; }");
    link_program(p, NULL);
    glGenVertexArrays(1, &vertex_array);
    glBindVertexArray(vertex_array);
    glViewport(0, 0, WIDTH, HEIGHT);
    return glGetUniformLocation(p, "blue");
}

static void draw_picture(GLint location, int blue) {
    glUniform1f(location, (float)blue);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* The number of pixels that differ from the picture. The bytes are B, G, R, A. */
static int wrong_pixels(const unsigned char *data, unsigned stride, int blue, bool upside_down) {
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const unsigned char *p = data + (size_t)y * stride + 4 * (size_t)x;
            const int row = upside_down ? HEIGHT - 1 - y : y;
            wrong += p[0] != blue || p[1] != row || p[2] != x || p[3] != 255;
        }
    return wrong;
}

static inline bool picture_reads_back(GLint location, int blue) {
    static _Thread_local unsigned char data[HEIGHT * WIDTH * 4];
    draw_picture(location, blue);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_BGRA, GL_UNSIGNED_BYTE, data);
    return glGetError() == GL_NO_ERROR && wrong_pixels(data, WIDTH * 4, blue, false) == 0;
}

/* Makes a context on a GBM device current; EGL_NO_CONTEXT on failure. */
static inline EGLContext make_gbm_context(struct gbm_device *device, EGLDisplay *display) {
    *display = device ? eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL) : EGL_NO_DISPLAY;
    return make_context(*display, EGL_NO_CONFIG_KHR);
}

/* Makes a buffer object the current framebuffer. */
static inline bool target_buffer_object(EGLDisplay d, struct gbm_bo *bo) {
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    void (*storage)(GLenum, void *) =
        (void (*)(GLenum, void *))eglGetProcAddress("glEGLImageTargetRenderbufferStorageOES");
    EGLImageKHR image =
        bo ? create(d, EGL_NO_CONTEXT, EGL_NATIVE_PIXMAP_KHR, (EGLClientBuffer)bo, NULL)
           : EGL_NO_IMAGE_KHR;
    if (image == EGL_NO_IMAGE_KHR)
        return false;
    new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
    storage(GL_RENDERBUFFER, image);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

/* Imports a dma-buf into the device, maps it and compares the pixels. Returns -1 if the import or
 * the mapping fails. */
static inline int wrong_in_import(struct gbm_device *device, int fd, unsigned stride, int blue,
                                  bool upside_down) {
    struct gbm_import_fd_data from = {fd, WIDTH, HEIGHT, stride, GBM_FORMAT_ARGB8888};
    struct gbm_bo *bo = gbm_bo_import(device, GBM_BO_IMPORT_FD, &from, GBM_BO_USE_RENDERING);
    void *handle = NULL;
    uint32_t map_stride = 0;
    const unsigned char *data =
        bo ? gbm_bo_map(bo, 0, 0, WIDTH, HEIGHT, GBM_BO_TRANSFER_READ, &map_stride, &handle) : NULL;
    const int wrong = data ? wrong_pixels(data, map_stride, blue, upside_down) : -1;
    if (data)
        gbm_bo_unmap(bo, handle);
    if (bo)
        gbm_bo_destroy(bo);
    return wrong;
}
