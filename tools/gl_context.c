#include "tools/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <stddef.h>

static void *library;

#define EGL(name) __typeof__(&egl##name) name = (__typeof__(&egl##name))dlsym(library, "egl" #name)

void *gl_function(const char *name) {
    EGL(GetProcAddress);
    return (void *)GetProcAddress(name);
}

enum gl_made gl_make_context(int version[2]) {
    static const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
    if (!(library = dlopen("libEGL.so.1", RTLD_NOW)))
        return GL_NO_LIBRARY;
    EGL(Initialize);
    EGL(BindAPI);
    EGL(CreateContext);
    EGL(MakeCurrent);
    EGL(GetPlatformDisplay); /* the newest function that is used; EGL has it since 1.5 */
    if (!GetPlatformDisplay)
        return GL_NO_LIBRARY;
    EGLDisplay d = GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!d || !Initialize(d, &version[0], &version[1]) || !BindAPI(EGL_OPENGL_API))
        return GL_NO_DISPLAY;
    EGLContext c = CreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, want);
    return c && MakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c) ? GL_MADE : GL_NO_CONTEXT;
}
