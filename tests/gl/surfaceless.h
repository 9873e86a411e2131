/* Makes a context without a window current, of OpenGL (the core profile from 3.2 on) or of OpenGL
 * ES. The including file may have defined GL_GLEXT_PROTOTYPES. */
#ifndef TESTS_SURFACELESS_H
#define TESTS_SURFACELESS_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdbool.h>
#include <stddef.h>

/* api: EGL_OPENGL_API or EGL_OPENGL_ES_API. Returns false if the driver has no such context. */
static bool make_context(EGLenum api, int major, int minor) {
    const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor,
                           EGL_NONE};
    const EGLDisplay d =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(api))
        return false;
    const EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, want);
    return c && eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c);
}

#endif
