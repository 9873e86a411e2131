/* GBM on the render node: buffer objects and a window surface are drawn to, exported as dma-bufs,
 * imported by a second device and compared pixel by pixel. usage: gbm GL_RENDERER */
#include "drm_context.h"

#include <sys/mman.h>

static void buffer_object(const char *name, EGLDisplay d, struct gbm_device *device,
                          struct gbm_device *other, uint32_t use, int blue) {
    char text[64];
    struct gbm_bo *bo =
        gbm_bo_create(device, WIDTH, HEIGHT, GBM_FORMAT_ARGB8888, use | GBM_BO_USE_RENDERING);
    snprintf(text, sizeof text, "%s buffer: drawn to", name);
    const bool ready = target_buffer_object(d, bo);
    verdict(text, ready);
    if (!ready)
        return;
    draw_picture(use_picture_program(), blue);
    glFinish();
    const int fd = gbm_bo_get_fd(bo);
    const unsigned stride = gbm_bo_get_stride(bo);
    snprintf(text, sizeof text, "%s buffer: imported by the same device", name);
    verdict(text, wrong_in_import(device, fd, stride, blue, false) == 0);
    snprintf(text, sizeof text, "%s buffer: imported by another device", name);
    verdict(text, wrong_in_import(other, fd, stride, blue, false) == 0);
    if (use & GBM_BO_USE_LINEAR) {
        const size_t size = (size_t)stride * HEIGHT;
        const unsigned char *data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        verdict("linear buffer: the dma-buf's bytes are the picture",
                data != MAP_FAILED && wrong_pixels(data, stride, blue, false) == 0);
        if (data != MAP_FAILED)
            munmap((void *)data, size);
    }
    /* the export is the buffer itself: later drawing is visible through the export */
    draw_picture(use_picture_program(), blue + 1);
    glFinish();
    snprintf(text, sizeof text, "%s buffer: drawn to after the export", name);
    verdict(text, wrong_in_import(device, fd, stride, blue + 1, false) == 0);
    close(fd);
    gbm_bo_destroy(bo);
}

static EGLConfig window_config(EGLDisplay d) {
    static const EGLint want[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig configs[256];
    EGLint count = 0, format = 0;
    eglChooseConfig(d, want, configs, 256, &count);
    for (int i = 0; i < count; i++)
        if (eglGetConfigAttrib(d, configs[i], EGL_NATIVE_VISUAL_ID, &format) &&
            format == GBM_FORMAT_ARGB8888)
            return configs[i];
    return NULL;
}

static void window_surface(EGLDisplay d, EGLContext c, struct gbm_device *device,
                           struct gbm_device *other) {
    struct gbm_surface *s =
        gbm_surface_create(device, WIDTH, HEIGHT, GBM_FORMAT_ARGB8888, GBM_BO_USE_RENDERING);
    EGLConfig config = window_config(d);
    EGLSurface window =
        s && config ? eglCreatePlatformWindowSurface(d, config, s, NULL) : EGL_NO_SURFACE;
    const bool ready = window != EGL_NO_SURFACE && eglMakeCurrent(d, window, window, c);
    verdict("surface: can be made current", ready);
    if (!ready)
        return;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDrawBuffer(GL_BACK);
    const GLint location = use_picture_program();
    for (int frame = 0; frame < 6; frame++) { /* more frames than the surface has buffers */
        draw_picture(location, 100 + frame);
        const bool swapped = eglSwapBuffers(d, window);
        struct gbm_bo *front = swapped ? gbm_surface_lock_front_buffer(s) : NULL;
        const int fd = front ? gbm_bo_get_fd(front) : -1;
        verdict("surface: each frame has its picture",
                fd >= 0 &&
                    wrong_in_import(other, fd, gbm_bo_get_stride(front), 100 + frame, true) == 0);
        if (fd >= 0)
            close(fd);
        if (front)
            gbm_surface_release_buffer(s, front);
    }
}

int main(int argc, char **argv) {
    struct gbm_device *device[2];
    EGLDisplay d = EGL_NO_DISPLAY;
    if (argc != 2)
        return 2;
    for (int i = 0; i < 2; i++)
        device[i] = gbm_create_device(open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC));
    verdict("two GBM devices can be made", device[0] && device[1]);
    const EGLContext c = failed ? EGL_NO_CONTEXT : make_gbm_context(device[0], &d);
    verdict("the renderer is the chip", c != EGL_NO_CONTEXT && renderer_is(argv[1]));
    if (!failed) {
        buffer_object("linear", d, device[0], device[1], GBM_BO_USE_LINEAR, 10);
        buffer_object("tiled", d, device[0], device[1], 0, 20);
        window_surface(d, c, device[0], device[1]);
    }
    return summary();
}
