/* A display device as programs use it (libdrm, GBM, EGL), for tests/gl/kms.sh: dumb buffers, page
 * flips and their events, atomic commits of OpenGL's pictures, imported buffers, a cursor, masters,
 * and senseless requests. The window's picture is compared with the drawn one: on a signal
 * (SIGUSR1) the parent process writes the window's picture to a file.
 * usage: kms GL_RENDERER FOLDER-OF-PICTURES */
#include "drm_context.h"

#include <errno.h>
#include <png.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static int card, pictures;
static const char *folder;
static uint32_t crtc, connector, width, height;
static drmModeModeInfo mode;

struct dumb {
    uint32_t handle, pitch, fb;
    uint64_t size;
    uint32_t *pixels;
};

/* ---- the window's picture ---- */

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static long now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The window's picture as 0xAARRGGBB, or NULL. */
static uint32_t *shown(void) {
    char path[512];
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint32_t *pixels = NULL;
    snprintf(path, sizeof path, "%s/teslapipe-%03d.png", folder, pictures++);
    kill(getppid(), SIGUSR1);
    for (int i = 0; i < 300 && access(path, R_OK) != 0; i++)
        sleep_ms(10);
    for (int i = 0; i < 100 && !pixels; i++) { /* the file may not be complete yet */
        sleep_ms(10);
        if (!png_image_begin_read_from_file(&image, path))
            continue;
        image.format = PNG_FORMAT_BGRA;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        if (image.width != width || image.height != height ||
            !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            free(pixels);
            pixels = NULL;
            png_image_free(&image);
        }
    }
    return pixels;
}

typedef uint32_t picture(uint32_t x, uint32_t y, uint32_t n);

static uint32_t places(uint32_t x, uint32_t y, uint32_t n) {
    return 0xff000000 | (x * 255 / width) << 16 | (y * 255 / height) << 8 | (n * 37 & 255);
}

static uint32_t black(uint32_t x, uint32_t y, uint32_t n) {
    (void)x, (void)y, (void)n;
    return 0xff000000;
}

/* A pixel of the OpenGL picture of drm_context.h, which is drawn from the bottom up. */
static uint32_t drawn(uint32_t x, uint32_t y, uint32_t n) {
    return 0xff000000 | (x & 255) << 16 | ((height - 1 - y) & 255) << 8 | n;
}

static long wrong_in(const uint32_t *now, picture *p, uint32_t n) {
    long wrong = 0;
    for (uint32_t i = 0; now && i < width * height; i++)
        wrong += (now[i] | 0xff000000) != p(i % width, i / width, n);
    return now ? wrong : -1;
}

static bool shows(picture *p, uint32_t n) {
    uint32_t *now = shown();
    const long wrong = wrong_in(now, p, n);
    if (wrong)
        printf("%ld pixels differ\n", wrong);
    free(now);
    return wrong == 0;
}

/* ---- dumb buffers ---- */

static bool make_dumb(struct dumb *d, uint32_t w, uint32_t h) {
    uint64_t offset;
    if (drmModeCreateDumbBuffer(card, w, h, 32, 0, &d->handle, &d->pitch, &d->size) ||
        drmModeMapDumbBuffer(card, d->handle, &offset))
        return false;
    d->pixels = mmap(NULL, d->size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)offset);
    return d->pixels != MAP_FAILED;
}

static void fill(const struct dumb *d, picture *p, uint32_t n) {
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            d->pixels[y * d->pitch / 4 + x] = p(x, y, n);
}

/* ---- events ---- */

static unsigned events, sequence, seconds, microseconds;
static void *event_data;

static void flipped(int fd, unsigned count, unsigned s, unsigned us, unsigned id, void *data) {
    (void)fd;
    events += id == crtc;
    sequence = count;
    seconds = s;
    microseconds = us;
    event_data = data;
}

static void blanked(int fd, unsigned count, unsigned s, unsigned us, void *data) {
    flipped(fd, count, s, us, crtc, data);
}

static bool await_event(void) {
    drmEventContext context = {
        .version = 3, .page_flip_handler2 = flipped, .vblank_handler = blanked};
    struct epoll_event ready;
    static int waiter = -1;
    if (waiter < 0) {
        waiter = epoll_create1(0);
        epoll_ctl(waiter, EPOLL_CTL_ADD, card, &(struct epoll_event){.events = EPOLLIN});
    }
    const unsigned before = events;
    return epoll_wait(waiter, &ready, 1, 3000) == 1 && drmHandleEvent(card, &context) == 0 &&
           events == before + 1;
}

/* ---- the tests ---- */

static bool find_display(void) {
    drmModeRes *r = drmModeGetResources(card);
    drmModeConnector *c =
        r && r->count_connectors == 1 ? drmModeGetConnector(card, r->connectors[0]) : NULL;
    drmModeEncoder *e = c && c->count_encoders ? drmModeGetEncoder(card, c->encoders[0]) : NULL;
    if (!e || c->connection != DRM_MODE_CONNECTED || !c->count_modes || !(e->possible_crtcs & 1))
        return false;
    crtc = r->crtcs[0];
    connector = c->connector_id;
    mode = c->modes[0];
    width = mode.hdisplay;
    height = mode.vdisplay;
    return true;
}

static void legacy(struct dumb two[2]) {
    bool made = true;
    for (int i = 0; i < 2; i++)
        made =
            made && make_dumb(&two[i], width, height) &&
            drmModeAddFB(card, width, height, 24, 32, two[i].pitch, two[i].handle, &two[i].fb) == 0;
    verdict("make dumb buffers and framebuffers", made);
    if (!made)
        return;
    fill(&two[0], places, 1);
    fill(&two[1], places, 2);
    verdict("set a mode", drmModeSetCrtc(card, crtc, two[0].fb, 0, 0, &connector, 1, &mode) == 0);
    verdict("the dumb buffer is shown", shows(places, 1));
    fill(&two[0], places, 3);
    sleep_ms(400);
    verdict("drawing into the shown buffer appears", shows(places, 3));
    fill(&two[0], places, 4);
    verdict("report changes of the shown buffer", drmModeDirtyFB(card, two[0].fb, NULL, 0) == 0);
    sleep_ms(60);
    verdict("reported changes appear at once", shows(places, 4));

    verdict("ask for a page flip with an event",
            drmModePageFlip(card, crtc, two[1].fb, DRM_MODE_PAGE_FLIP_EVENT, two) == 0);
    verdict("the event of a page flip comes", await_event() && event_data == two);
    verdict("a second flip before the refresh is refused",
            drmModePageFlip(card, crtc, two[1].fb, DRM_MODE_PAGE_FLIP_EVENT, NULL) == 0 &&
                drmModePageFlip(card, crtc, two[0].fb, 0, NULL) == -EBUSY && await_event());
    verdict("the other buffer is shown", shows(places, 2));
    const unsigned first = sequence, start = seconds * 1000000u + microseconds;
    bool all = true;
    for (unsigned i = 0; i < 12; i++)
        all = all && !drmModePageFlip(card, crtc, two[i % 2].fb, DRM_MODE_PAGE_FLIP_EVENT, NULL) &&
              await_event();
    const unsigned took = seconds * 1000000u + microseconds - start;
    verdict("12 flips with events succeed", all);
    verdict("each flip takes a refresh at least", sequence - first >= 11 && took >= 11 * 16000);
    struct pollfd nothing = {card, POLLIN, 0};
    verdict("each flip has one event", poll(&nothing, 1, 0) == 0);

    drmVBlank v = {.request = {DRM_VBLANK_RELATIVE | DRM_VBLANK_EVENT, 1, 77}};
    verdict("ask for an event of a vertical blank",
            drmWaitVBlank(card, &v) == 0 && await_event() && event_data == (void *)77);
    const unsigned before = sequence;
    v = (drmVBlank){.request = {DRM_VBLANK_RELATIVE, 2, 0}};
    verdict("wait for the second vertical blank",
            drmWaitVBlank(card, &v) == 0 && v.reply.sequence >= before + 1);
}

/* A red cursor with three quarters opacity, in the picture's corner. */
static void cursor(struct dumb two[2]) {
    enum { X = 20, Y = 10, SIDE = 64, BEYOND = 8 };
    struct dumb c;
    verdict("make a buffer for a cursor", make_dumb(&c, SIDE, SIDE));
    for (int i = 0; i < SIDE * SIDE; i++)
        c.pixels[i / SIDE * (int)c.pitch / 4 + i % SIDE] =
            i / SIDE < SIDE - BEYOND ? 0xc0c00000 : 0;
    drmModeSetCrtc(card, crtc, two[0].fb, 0, 0, &connector, 1, &mode);
    fill(&two[0], places, 9);
    verdict("set a cursor and move it", drmModeSetCursor(card, crtc, c.handle, SIDE, SIDE) == 0 &&
                                            drmModeMoveCursor(card, crtc, X, Y) == 0);
    sleep_ms(400);
    uint32_t *now = shown();
    const uint32_t beside = places(X - 1, Y, 9), under = places(X, Y, 9);
    const uint32_t at = now ? now[Y * width + X] | 0xff000000 : 0;
    verdict("the picture is shown beside the cursor",
            now && (now[Y * width + X - 1] | 0xff000000) == beside);
    verdict("the picture is shown through the clear part of the cursor",
            now && (now[(Y + SIDE - 1) * width + X] | 0xff000000) == places(X, Y + SIDE - 1, 9));
    verdict("a quarter of the picture's colour is shown through the red part of the cursor",
            abs((int)(at >> 16 & 255) - (int)(0xc0 + (under >> 16 & 255) / 4)) <= 1 &&
                abs((int)(at & 255) - (int)((under & 255) / 4)) <= 1);
    free(now);
    drmModeSetCursor(card, crtc, 0, 0, 0);
    sleep_ms(100);
    verdict("the picture is shown after the cursor is removed", shows(places, 9));
    verdict("a cursor of 128x128 pixels is refused",
            drmModeSetCursor(card, crtc, two[0].handle, 128, 128) == -EINVAL);
}

static uint32_t property(uint32_t object, uint32_t type, const char *name, uint64_t *value) {
    drmModeObjectProperties *all = drmModeObjectGetProperties(card, object, type);
    uint32_t found = 0;
    for (uint32_t i = 0; all && i < all->count_props; i++) {
        drmModePropertyRes *p = drmModeGetProperty(card, all->props[i]);
        if (p && strcmp(p->name, name) == 0) {
            found = p->prop_id;
            if (value)
                *value = all->prop_values[i];
        }
        drmModeFreeProperty(p);
    }
    drmModeFreeObjectProperties(all);
    return found;
}

static uint32_t primary_plane(void) {
    drmModePlaneRes *planes = drmModeGetPlaneResources(card);
    uint32_t primary = 0;
    for (uint32_t i = 0; planes && i < planes->count_planes; i++) {
        uint64_t type = 0;
        if (property(planes->planes[i], DRM_MODE_OBJECT_PLANE, "type", &type) &&
            type == DRM_PLANE_TYPE_PRIMARY)
            primary = planes->planes[i];
    }
    drmModeFreePlaneResources(planes);
    return primary;
}

static void set(drmModeAtomicReq *r, uint32_t object, uint32_t type, const char *name,
                uint64_t value) {
    const uint32_t id = property(object, type, name, NULL);
    verdict(name, id && drmModeAtomicAddProperty(r, object, id, value) > 0);
}

static drmModeAtomicReq *plane_request(uint32_t plane, uint32_t fb) {
    const uint32_t type = DRM_MODE_OBJECT_PLANE;
    drmModeAtomicReq *r = drmModeAtomicAlloc();
    set(r, plane, type, "FB_ID", fb);
    set(r, plane, type, "CRTC_ID", crtc);
    set(r, plane, type, "SRC_X", 0);
    set(r, plane, type, "SRC_Y", 0);
    set(r, plane, type, "SRC_W", (uint64_t)width << 16);
    set(r, plane, type, "SRC_H", (uint64_t)height << 16);
    set(r, plane, type, "CRTC_X", 0);
    set(r, plane, type, "CRTC_Y", 0);
    set(r, plane, type, "CRTC_W", width);
    set(r, plane, type, "CRTC_H", height);
    return r;
}

static uint32_t framebuffer(uint32_t handle, uint32_t stride) {
    const uint32_t handles[4] = {handle}, pitches[4] = {stride}, offsets[4] = {0};
    uint32_t fb = 0;
    drmModeAddFB2(card, width, height, GBM_FORMAT_XRGB8888, handles, pitches, offsets, &fb, 0);
    return fb;
}

/* OpenGL's pictures on a GBM surface of the card, shown by atomic commits. */
static void atomic(struct gbm_device *device, EGLDisplay d, EGLConfig config, EGLContext c) {
    const uint32_t plane = primary_plane();
    struct gbm_surface *s = gbm_surface_create(device, width, height, GBM_FORMAT_XRGB8888,
                                               GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
    EGLSurface window = s ? eglCreatePlatformWindowSurface(d, config, s, NULL) : EGL_NO_SURFACE;
    const bool ready = plane && window && eglMakeCurrent(d, window, window, c);
    verdict("make a GBM surface for the screen", ready);
    if (!ready)
        return;
    const GLint blue = use_picture_program();
    struct gbm_bo *before = NULL;
    for (uint32_t n = 1; n <= 3; n++) {
        glViewport(0, 0, (int)width, (int)height);
        glUniform1f(blue, (float)n);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        eglSwapBuffers(d, window);
        struct gbm_bo *bo = gbm_surface_lock_front_buffer(s);
        const uint32_t fb = framebuffer(gbm_bo_get_handle(bo).u32, gbm_bo_get_stride(bo));
        drmModeAtomicReq *r = plane_request(plane, fb);
        const uint32_t flags = DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT;
        verdict("a commit of GL's picture passes its test",
                drmModeAtomicCommit(card, r, DRM_MODE_ATOMIC_TEST_ONLY, NULL) == 0);
        verdict("make a commit of GL's picture",
                drmModeAtomicCommit(card, r, flags, (void *)(uintptr_t)n) == 0);
        verdict("the event of a commit comes", await_event() && event_data == (void *)(uintptr_t)n);
        verdict("GL's picture is shown", shows(drawn, n));
        drmModeAtomicFree(r);
        if (before)
            gbm_surface_release_buffer(s, before);
        before = bo;
    }
    drmModeAtomicReq *r = plane_request(plane, 0);
    verdict("a plane with a CRTC and without a framebuffer is refused",
            drmModeAtomicCommit(card, r, 0, NULL) == -EINVAL);
    drmModeAtomicFree(r);
    r = drmModeAtomicAlloc();
    set(r, crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 0);
    verdict("a commit that switches the CRTC off needs the flag for modesets",
            drmModeAtomicCommit(card, r, 0, NULL) == -EINVAL);
    const long before_off = now_ms();
    verdict("a commit with the flag for modesets switches the CRTC off",
            drmModeAtomicCommit(card, r, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL) == 0);
    verdict("the window confirms that the CRTC is off",
            now_ms() - before_off < 2000 /* the driver waits 3000 ms */);
    verdict("the window is black while the CRTC is off", shows(black, 0));
    drmModeAtomicFree(r);
    r = drmModeAtomicAlloc();
    set(r, crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
    verdict("a commit switches the CRTC on again",
            drmModeAtomicCommit(card, r, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL) == 0);
    verdict("the last picture is shown when the CRTC is on again", shows(drawn, 3));
    drmModeAtomicFree(r);
}

/* A buffer of the render node, filled through a mapping, shown by the card. */
static void imported(EGLDisplay d) {
    const int render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    struct gbm_device *other = render >= 0 ? gbm_create_device(render) : NULL;
    struct gbm_bo *bo = other ? gbm_bo_create(other, width, height, GBM_FORMAT_XRGB8888,
                                              GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR)
                              : NULL;
    uint32_t stride = 0, handle = 0;
    void *cookie = NULL;
    (void)d;
    uint8_t *at =
        bo ? gbm_bo_map(bo, 0, 0, width, height, GBM_BO_TRANSFER_WRITE, &stride, &cookie) : NULL;
    for (uint32_t y = 0; at && y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            ((uint32_t *)(at + y * stride))[x] = places(x, y, 5);
    if (at)
        gbm_bo_unmap(bo, cookie);
    const int fd = bo ? gbm_bo_get_fd(bo) : -1;
    verdict("import a buffer of the render node",
            fd >= 0 && drmPrimeFDToHandle(card, fd, &handle) == 0);
    const uint32_t fb = framebuffer(handle, bo ? gbm_bo_get_stride(bo) : 0);
    verdict("set a mode with the imported buffer",
            fb && drmModeSetCrtc(card, crtc, fb, 0, 0, &connector, 1, &mode) == 0);
    verdict("the imported buffer is shown", shows(places, 5));
    verdict("remove the framebuffer of the imported buffer", drmModeRmFB(card, fb) == 0);
    sleep_ms(60);
    verdict("the window is black without a framebuffer", shows(black, 0));
}

static void masters(const struct dumb *d) {
    const int second = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    verdict("a second client is no master",
            second >= 0 && !drmIsMaster(second) &&
                drmModeSetCrtc(second, crtc, d->fb, 0, 0, &connector, 1, &mode) == -EACCES);
    verdict("a second client cannot become master beside the first",
            drmSetMaster(second) == -EBUSY || errno == EBUSY);
    verdict("a second client becomes master after the first has dropped it",
            drmDropMaster(card) == 0 && drmSetMaster(second) == 0);
    verdict("a former master may not report changes",
            drmModeDirtyFB(card, d->fb, NULL, 0) == -EACCES);
    close(second);
    verdict("the first client becomes master again when the second has ended",
            drmSetMaster(card) == 0 && drmIsMaster(card));
}

static int request(unsigned long number, void *argument) {
    return ioctl(card, number, argument) == 0 ? 0 : errno;
}

/* Senseless requests get the kernel's answers. No request may crash the program. */
static void nonsense(struct dumb *d) {
    void *const nowhere = (void *)8;
    const uint32_t no_handles[4] = {12345}, pitches[4] = {width * 4}, offsets[4] = {0};
    uint32_t fb;
    static const unsigned long all[] = {
        DRM_IOCTL_MODE_GETRESOURCES,    DRM_IOCTL_MODE_GETCRTC,
        DRM_IOCTL_MODE_SETCRTC,         DRM_IOCTL_MODE_CURSOR,
        DRM_IOCTL_MODE_GETENCODER,      DRM_IOCTL_MODE_GETCONNECTOR,
        DRM_IOCTL_MODE_GETPROPERTY,     DRM_IOCTL_MODE_SETPROPERTY,
        DRM_IOCTL_MODE_GETPROPBLOB,     DRM_IOCTL_MODE_GETFB,
        DRM_IOCTL_MODE_ADDFB,           DRM_IOCTL_MODE_RMFB,
        DRM_IOCTL_MODE_PAGE_FLIP,       DRM_IOCTL_MODE_DIRTYFB,
        DRM_IOCTL_MODE_CREATE_DUMB,     DRM_IOCTL_MODE_MAP_DUMB,
        DRM_IOCTL_MODE_DESTROY_DUMB,    DRM_IOCTL_MODE_GETPLANERESOURCES,
        DRM_IOCTL_MODE_GETPLANE,        DRM_IOCTL_MODE_SETPLANE,
        DRM_IOCTL_MODE_ADDFB2,          DRM_IOCTL_MODE_OBJ_GETPROPERTIES,
        DRM_IOCTL_MODE_OBJ_SETPROPERTY, DRM_IOCTL_MODE_CURSOR2,
        DRM_IOCTL_MODE_ATOMIC,          DRM_IOCTL_MODE_CREATEPROPBLOB,
        DRM_IOCTL_MODE_DESTROYPROPBLOB, DRM_IOCTL_WAIT_VBLANK,
        DRM_IOCTL_CRTC_QUEUE_SEQUENCE,  DRM_IOCTL_SET_CLIENT_CAP};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        verdict("a request without an argument is refused", request(all[i], NULL) == EFAULT);
        verdict("a request with an argument at a bad address is refused",
                request(all[i], nowhere) == EFAULT);
    }
    unsigned state = 1;
    int answers = 0;
    for (int i = 0; i < 20000; i++) { /* random bytes, as pointers, too */
        uint32_t words[32];
        const unsigned long number = all[(unsigned)i % (sizeof all / sizeof *all)];
        if (number == DRM_IOCTL_WAIT_VBLANK || number == DRM_IOCTL_CRTC_QUEUE_SEQUENCE)
            continue;
        for (int w = 0; w < 32; w++) {
            state = state * 1664525 + 1013904223;
            words[w] = state >> 24 < 100 ? 0 : state >> 24 < 200 ? (state >> 8) % 80 : state;
        }
        answers += request(number, words) >= 0;
    }
    verdict("random requests are answered", answers > 0);
    verdict("buffers can be made after random requests",
            make_dumb(d, width, height) &&
                !drmModeAddFB(card, width, height, 24, 32, d->pitch, d->handle, &d->fb));
    drmModeSetCrtc(card, crtc, d->fb, 0, 0, &connector, 1, &mode);
    verdict("a mode for a CRTC that does not exist is refused",
            drmModeSetCrtc(card, 999, d->fb, 0, 0, &connector, 1, &mode) == -ENOENT);
    verdict("a mode with a framebuffer that does not exist is refused",
            drmModeSetCrtc(card, crtc, 999999, 0, 0, &connector, 1, &mode) == -ENOENT);
    verdict("a mode with a framebuffer that is too small is refused",
            drmModeSetCrtc(card, crtc, d->fb, 1, 0, &connector, 1, &mode) == -ENOSPC);
    verdict("a mode with a list of connectors at a bad address is refused",
            request(DRM_IOCTL_MODE_SETCRTC, &(struct drm_mode_crtc){.set_connectors_ptr = 8,
                                                                    .count_connectors = 1,
                                                                    .crtc_id = crtc,
                                                                    .fb_id = d->fb,
                                                                    .mode_valid = 1}) == EFAULT);
    verdict("a flip with an unknown flag is refused",
            drmModePageFlip(card, crtc, d->fb, 64, NULL) == -EINVAL);
    verdict("a framebuffer of a buffer that does not exist is refused",
            drmModeAddFB2(card, width, height, GBM_FORMAT_XRGB8888, no_handles, pitches, offsets,
                          &fb, 0) == -ENOENT);
    const uint32_t handles[4] = {d->handle};
    verdict("a framebuffer of an unknown format is refused",
            drmModeAddFB2(card, width, height, 0x20202020, handles, pitches, offsets, &fb, 0) ==
                -EINVAL);
    verdict("a framebuffer that is larger than its buffer is refused",
            drmModeAddFB(card, width, height * 2, 24, 32, d->pitch, d->handle, &fb) == -EINVAL);
    verdict("destroying a blob that does not exist is refused",
            drmModeDestroyPropertyBlob(card, 999999) == -ENOENT);
    verdict("a commit with a list of objects at a bad address is refused",
            request(DRM_IOCTL_MODE_ATOMIC,
                    &(struct drm_mode_atomic){
                        .count_objs = 1, .objs_ptr = 8, .count_props_ptr = 8}) == EFAULT);
}

int main(int argc, char **argv) {
    struct dumb two[2] = {0};
    card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    folder = argv[2];
    if (argc != 3 || card < 0 || !find_display()) {
        printf("no display\n");
        return 2;
    }
    verdict("the card is a display, and its first client is master",
            drmIsKMS(card) == 1 && drmIsMaster(card));
    legacy(two);
    cursor(two);
    masters(&two[0]);
    verdict("ask for atomic commits", drmSetClientCap(card, DRM_CLIENT_CAP_ATOMIC, 1) == 0);
    struct gbm_device *device = gbm_create_device(card);
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL);
    EGLConfig config = NULL, configs[256];
    EGLint count = 0, format;
    if (eglInitialize(d, NULL, NULL) && eglBindAPI(EGL_OPENGL_API))
        eglChooseConfig(d, (const EGLint[]){EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE}, configs,
                        256, &count);
    for (int i = 0; i < count && !config; i++)
        if (eglGetConfigAttrib(d, configs[i], EGL_NATIVE_VISUAL_ID, &format) &&
            format == GBM_FORMAT_XRGB8888)
            config = configs[i];
    EGLContext c = make_context(d, config);
    verdict("this GPU draws on the card", c && renderer_is(argv[1]));
    if (c) {
        atomic(device, d, config, c);
        imported(d);
    }
    nonsense(&two[0]);
    return summary();
}
