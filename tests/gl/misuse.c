/* A Wayland program that breaks the protocol, for tests/gl/window.sh. Each case has its own
 * connection; afterwards the window must still answer other clients. Prints a line for each case,
 * and the verdict.
 * usage: misuse */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#include "drm/turns.h"
#include "linux-dmabuf-unstable-v1-client.h"
#include "xdg-shell-client.h"

enum {
    SIDE = 64,
    BYTES = SIDE * SIDE * 4,
    PILE = 200000,
    WIDE = 1 << 24, /* four bytes each are more than lies behind a pool of WIDE bytes */
    XRGB = 0x34325258,
    PICTURES_US = 50000 /* enough to show some pictures */
};

static struct wl_display *display;
static struct wl_compositor *compositor;
static struct wl_subcompositor *subcompositor;
static struct wl_shm *shm;
static struct wl_seat *seat;
static struct zwp_linux_dmabuf_v1 *dmabuf;
static struct xdg_wm_base *base;

static void announced(void *data, struct wl_registry *registry, uint32_t name,
                      const char *interface, uint32_t version) {
    (void)data, (void)version;
    if (strcmp(interface, "wl_compositor") == 0)
        compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
    else if (strcmp(interface, "wl_subcompositor") == 0)
        subcompositor = wl_registry_bind(registry, name, &wl_subcompositor_interface, 1);
    else if (strcmp(interface, "wl_shm") == 0)
        shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    else if (strcmp(interface, "wl_seat") == 0)
        seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
    else if (strcmp(interface, "zwp_linux_dmabuf_v1") == 0)
        dmabuf = wl_registry_bind(registry, name, &zwp_linux_dmabuf_v1_interface, 3);
    else if (strcmp(interface, "xdg_wm_base") == 0)
        base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
}

static void withdrawn(void *data, struct wl_registry *registry, uint32_t name) {
    (void)data, (void)registry, (void)name;
}

static const struct wl_registry_listener listener = {announced, withdrawn};

static int start(void) {
    display = wl_display_connect(NULL);
    if (!display)
        return 0;
    wl_registry_add_listener(wl_display_get_registry(display), &listener, NULL);
    return wl_display_roundtrip(display) >= 0 && compositor && subcompositor && shm && base &&
           dmabuf && seat;
}

static struct wl_surface *surface(void) {
    return wl_compositor_create_surface(compositor);
}

static struct xdg_surface *window(struct wl_surface *s) {
    return xdg_wm_base_get_xdg_surface(base, s);
}

/* A buffer in a file of its own, *fd. */
static struct wl_buffer *buffer(int *fd) {
    *fd = memfd_create("misuse", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, BYTES) != 0)
        return NULL;
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, *fd, BYTES);
    return wl_shm_pool_create_buffer(pool, 0, SIDE, SIDE, SIDE * 4, WL_SHM_FORMAT_XRGB8888);
}

/* One row of WIDE pixels; the stride is WIDE bytes. */
static struct wl_buffer *wide(void) {
    const int fd = memfd_create("misuse", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, WIDE) != 0)
        return NULL;
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, fd, WIDE);
    return wl_shm_pool_create_buffer(pool, 0, WIDE, 1, WIDE, WL_SHM_FORMAT_XRGB8888);
}

static void show(struct wl_surface *s, struct wl_buffer *b) {
    xdg_surface_get_toplevel(window(s));
    wl_surface_commit(s);
    wl_display_roundtrip(display);
    wl_surface_attach(s, b, 0, 0);
    wl_surface_commit(s);
}

/* ---- the cases ---- */

static void child_of_itself(void) {
    struct wl_surface *s = surface();
    int fd;
    show(s, buffer(&fd));
    wl_subcompositor_get_subsurface(subcompositor, s, s);
}

static void circle_of_children(void) {
    struct wl_surface *a = surface(), *b = surface();
    int fd;
    show(a, buffer(&fd));
    wl_subcompositor_get_subsurface(subcompositor, b, a);
    wl_subcompositor_get_subsurface(subcompositor, a, b);
}

static void pile_of_children(void) {
    struct wl_surface *under = surface();
    int fd;
    show(under, buffer(&fd));
    for (int i = 0; i < PILE && wl_display_get_error(display) == 0; i++) {
        struct wl_surface *over = surface();
        wl_subcompositor_get_subsurface(subcompositor, over, under);
        under = over;
        if (i % 100 == 0)
            wl_display_roundtrip(display);
    }
}

static void pile_of_parents(void) {
    struct wl_surface *over = surface();
    int fd;
    for (int i = 0; i < PILE && wl_display_get_error(display) == 0; i++) {
        struct wl_surface *under = surface();
        wl_subcompositor_get_subsurface(subcompositor, over, under);
        over = under;
        if (i % 100 == 0)
            wl_display_roundtrip(display);
    }
    show(over, buffer(&fd));
}

/* A pointer's picture of WIDE pixels. */
static void wide_cursor(void) {
    struct wl_surface *s = surface(), *cursor = surface();
    int fd;
    struct wl_pointer *pointer = wl_seat_get_pointer(seat);
    show(s, buffer(&fd));
    wl_display_roundtrip(display);
    usleep(PICTURES_US);
    wl_pointer_set_cursor(pointer, 0, cursor, 0, 0);
    wl_surface_attach(cursor, wide(), 0, 0);
    wl_surface_commit(cursor);
    wl_display_roundtrip(display);
    usleep(PICTURES_US);
}

static void two_windows_of_one(void) {
    struct xdg_surface *w = window(surface());
    xdg_surface_get_toplevel(w);
    xdg_surface_get_toplevel(w);
}

static struct xdg_positioner *positioner(void) {
    return xdg_wm_base_create_positioner(base);
}

static void window_and_menu(void) {
    struct xdg_surface *parent = window(surface()), *w = window(surface());
    xdg_surface_get_popup(w, parent, positioner());
    xdg_surface_get_popup(w, parent, positioner());
}

static void menu_of_itself(void) {
    struct wl_surface *s = surface();
    struct xdg_surface *w = window(s);
    xdg_surface_get_popup(w, w, positioner());
    wl_surface_commit(s);
}

static void buffer_gone_at_once(void) {
    struct wl_surface *s = surface();
    int fd;
    struct wl_buffer *b = buffer(&fd);
    show(s, b);
    wl_buffer_destroy(b);
}

static void file_shortened(void) {
    struct wl_surface *s = surface();
    int fd;
    struct wl_buffer *b = buffer(&fd);
    if (ftruncate(fd, 0) == 0)
        show(s, b);
}

static void rows_too_close(void) {
    show(surface(), wide());
}

/* The memory of a GPU's buffer, made by hand. */
static void gpu_file_shortened(void) {
    char name[64];
    struct wl_surface *s = surface();
    snprintf(name, sizeof name, SHARED_NAME, 1u, 0u, 0u);
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, BYTES + TURNS_BYTES) != 0)
        return;
    struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
    zwp_linux_buffer_params_v1_add(params, fd, 0, 0, SIDE * 4, 0, 0);
    struct wl_buffer *b = zwp_linux_buffer_params_v1_create_immed(params, SIDE, SIDE, XRGB, 0);
    wl_display_roundtrip(display);
    ftruncate(fd, 0); /* may be refused */
    show(s, b);
}

static void window_without_surface(void) {
    struct wl_surface *s = surface();
    int fd;
    show(s, buffer(&fd));
    wl_surface_destroy(s);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"a surface that is its own child", child_of_itself},
    {"a circle of surfaces", circle_of_children},
    {"a pile of surfaces without end", pile_of_children},
    {"a pile of parents without end", pile_of_parents},
    {"two windows of one surface", two_windows_of_one},
    {"two menus of one surface", window_and_menu},
    {"a menu that is its own parent", menu_of_itself},
    {"a buffer that goes before it is shown", buffer_gone_at_once},
    {"a buffer whose file is shortened", file_shortened},
    {"a buffer whose rows are too close", rows_too_close},
    {"a buffer of a GPU whose file is shortened", gpu_file_shortened},
    {"a pointer's picture that is too wide", wide_cursor},
    {"a window whose surface goes first", window_without_surface},
};

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (start()) {
            cases[i].run();
            wl_display_roundtrip(display); /* may be refused */
            usleep(PICTURES_US);
            wl_display_disconnect(display);
        }
        const int answers = start() && wl_display_roundtrip(display) >= 0;
        printf("%s: %s\n", answers ? "ok" : "FAIL", cases[i].name);
        fflush(stdout);
        failed += !answers;
        if (!answers)
            break;
        wl_display_disconnect(display);
    }
    printf("%s\n", failed ? "the window does not answer" : "the window answers");
    return failed != 0;
}
