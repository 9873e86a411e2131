/* Display devices of programs (drm/kms.c) as windows: each device is a view with two surfaces, the
 * primary and the cursor plane. In: requests and memfds over a socket. Out: surfaces of the
 * compositor, messages that a picture was shown, input. A program that never flips may draw into
 * the shown buffer, so the shown buffer is compared with the picture every 33 ms.
 */
#define _GNU_SOURCE
#include "base/pass_fd.h"
#include "drm/screen.h"
#include "window/window.h"

#include <errno.h>
#include <linux/input.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOK_MS = 33, STILL_NS = 100000000 };

struct scanned { /* a framebuffer of the program */
    struct scanned *next;
    uint32_t name;
    struct buffer *buffer;
};

struct device {
    struct wl_list link;
    int fd;
    struct wl_event_source *source, *look;
    struct scanned *buffers;
    struct surface *plane[SCREEN_PLANES];
    struct buffer *front; /* the buffer on the primary plane; one of `buffers` */
    struct view view;
    uint32_t asked; /* name of the request that SCREEN_SHOWN is to answer; 0: none */
    uint64_t flipped;
    bool cursor;
    int range[2]; /* the size that was sent first; pointer positions are scaled to it */
};

static struct wl_list devices;

static void tell_device(const struct device *d, const struct screen_event *e) {
    send(d->fd, e, sizeof *e, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void tell_size(const struct device *d) {
    const struct screen_event e = {.kind = SCREEN_SIZE,
                                   .size = {(uint32_t)compositor.width, (uint32_t)compositor.height,
                                            (uint32_t)host_refresh()}};
    tell_device(d, &e);
}

void scanout_resized(void) {
    struct device *d;
    if (!devices.next)
        return;
    wl_list_for_each(d, &devices, link) tell_size(d);
}

/* ---- as a window ---- */

/* Does nothing: the program chooses its mode, and the window's size is only an offer. */
static void configure_view(struct view *, int, int) {
}

/* Asks the program to end, because no event tells a program that its screen was closed. */
static void close_view(struct view *) {
    if (processes.program > 0)
        kill(processes.program, SIGTERM);
}

static const struct view_calls calls = {.configure = configure_view, .close = close_view};

static void surface_shown(struct surface *, void *role) {
    struct device *d = role;
    const uint64_t now = now_ns();
    const struct screen_event e = {
        .kind = SCREEN_SHOWN, .name = d->asked, .time_ns = {(uint32_t)now, (uint32_t)(now >> 32)}};
    if (d->asked)
        tell_device(d, &e);
    d->asked = 0;
}

static void send_input(struct surface *s, uint32_t device, uint32_t type, uint32_t code,
                       int32_t value) {
    const struct device *d = s->role;
    const int size = code == ABS_X ? s->width : s->height;
    if (type == EV_ABS && size > 0)
        value = value * d->range[code != ABS_X] / size;
    const struct screen_event e = {.kind = SCREEN_INPUT, .input = {device, type, code, value}};
    tell_device(d, &e);
}

static bool make_surfaces(struct device *d) {
    for (int i = 0; i < SCREEN_PLANES; i++)
        if (!(d->plane[i] = surface_create()))
            return false;
    struct surface *s = d->plane[SCREEN_PRIMARY];
    s->role = d;
    s->shown = surface_shown;
    s->device_input = send_input;
    s->view = &d->view;
    d->plane[SCREEN_CURSOR]->input.all = false;
    d->view = (struct view){.surface = s, .managed = true, .calls = &calls, .data = d};
    return surface_child(s, d->plane[SCREEN_CURSOR], 0, 0);
}

/* ---- requests ---- */

static struct scanned **find_scanned(struct device *d, uint32_t name) {
    struct scanned **p = &d->buffers;
    while (*p && (*p)->name != name)
        p = &(*p)->next;
    return p;
}

static void drop_scanned(struct device *d, uint32_t name) {
    struct scanned **p = find_scanned(d, name), *b = *p;
    if (!b)
        return;
    *p = b->next;
    if (d->front == b->buffer)
        d->front = NULL;
    buffer_release(b->buffer);
    free(b);
}

static void add_scanned(struct device *d, const struct screen_request *r, int fd) {
    struct scanned *b = calloc(1, sizeof *b);
    struct buffer *imported = fd >= 0 ? buffer_import(fd, &r->buffer) : NULL;
    drop_scanned(d, r->name);
    if (!b || !imported) {
        fprintf(stderr, "teslapipe gl: a framebuffer of %ux%u cannot be shown\n", r->buffer.width,
                r->buffer.height);
        free(b);
        if (imported)
            buffer_release(imported);
        return;
    }
    *b = (struct scanned){d->buffers, r->name, imported};
    d->buffers = b;
}

/* The buffer that a plane shows, cropped to the plane's part of it; NULL if the plane shows
 * nothing. */
static struct buffer *buffer_for(struct device *d, const struct screen_plane *p) {
    const struct scanned *b = *find_scanned(d, p->buffer);
    if (!p->buffer || !b || !p->width || !p->height)
        return NULL;
    buffer_crop(b->buffer, p->from_x, p->from_y, (int)p->width, (int)p->height);
    return b->buffer;
}

static void put_buffer(struct surface *s, struct buffer *b) {
    buffer_ref(b);
    surface_put(s, b);
}

static void show_cursor(struct device *d, const struct screen_plane *p) {
    struct buffer *b = buffer_for(d, p);
    struct surface *s = d->plane[SCREEN_CURSOR];
    if (b)
        put_buffer(s, b);
    else
        surface_clear(s);
    surface_child(d->plane[SCREEN_PRIMARY], s, p->x, p->y);
    if (d->cursor != (b != NULL))
        host_cursor(NULL, 0, 0); /* the program draws the cursor: hide the host's */
    d->cursor = b != NULL;
}

static void show_request(struct device *d, const struct screen_request *r) {
    struct surface *s = d->plane[SCREEN_PRIMARY];
    struct buffer *b = r->show.width ? buffer_for(d, &r->show.plane[SCREEN_PRIMARY]) : NULL;
    const int width = s->width, height = s->height;
    d->asked = r->name ? r->name : d->asked;
    if (!b) {
        surface_clear(s);
    } else if (r->show.flips || b != d->front) {
        put_buffer(s, b);
        d->flipped = now_ns();
    }
    d->front = b;
    show_cursor(d, &r->show.plane[SCREEN_CURSOR]);
    if (b && !d->view.mapped) {
        snprintf(d->view.title, sizeof d->view.title, "display");
        view_map(&d->view);
    } else if (b && (s->width != width || s->height != height)) {
        view_sized(&d->view, s->width, s->height);
    }
    compositor.dirty = true;
    compositor.untold |= d->asked != 0; /* a dark screen counts as shown */
}

/* Looks for changes of the shown buffer some time after the last flip: the CPU or the GPU may have
 * drawn into it. */
static int look_for_changes(void *data) {
    struct device *d = data;
    if (d->front && !d->plane[SCREEN_PRIMARY]->queued && now_ns() - d->flipped > STILL_NS)
        surface_look(d->plane[SCREEN_PRIMARY], d->front);
    wl_event_source_timer_update(d->look, LOOK_MS);
    return 0;
}

/* ---- connections ---- */

static void disconnect_device(struct device *d) {
    while (d->buffers)
        drop_scanned(d, d->buffers->name);
    view_unmap(&d->view);
    for (int i = SCREEN_PLANES - 1; i >= 0; i--)
        if (d->plane[i]) {
            struct subsurface *sub = d->plane[i]->sub;
            surface_destroy(d->plane[i]);
            free(sub);
        }
    if (d->source)
        wl_event_source_remove(d->source);
    if (d->look)
        wl_event_source_remove(d->look);
    if (d->link.next)
        wl_list_remove(&d->link);
    close(d->fd);
    free(d);
}

/* Receives one message and its descriptor (or -1). False at the end of the connection. A message of
 * the wrong size gets kind UINT32_MAX. */
static bool receive_request(int from, struct screen_request *r, int *fd) {
    const ssize_t n = receive_with_fd(from, r, sizeof *r, fd, MSG_DONTWAIT);
    if (n != sizeof *r)
        r->kind = UINT32_MAX;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static int device_readable(int fd, uint32_t, void *data) {
    struct device *d = data;
    struct screen_request r;
    int with;
    if (!receive_request(fd, &r, &with)) {
        disconnect_device(d);
        return 0;
    }
    if (r.kind == SCREEN_BUFFER) {
        add_scanned(d, &r, with);
        with = -1;
    } else if (r.kind == SCREEN_DROP) {
        drop_scanned(d, r.name);
    } else if (r.kind == SCREEN_SHOW) {
        show_request(d, &r);
    }
    if (with >= 0)
        close(with);
    return 0;
}

static int device_connected(int listening, uint32_t, void *) {
    const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    struct device *d = calloc(1, sizeof *d);
    if (fd < 0 || !d) {
        free(d);
        return 0;
    }
    d->fd = fd;
    d->source = wl_event_loop_add_fd(compositor.loop, fd, WL_EVENT_READABLE, device_readable, d);
    d->look = wl_event_loop_add_timer(compositor.loop, look_for_changes, d);
    if (!make_surfaces(d) || !d->source || !d->look) {
        disconnect_device(d);
        return 0;
    }
    wl_list_insert(&devices, &d->link);
    wl_event_source_timer_update(d->look, LOOK_MS);
    d->range[0] = compositor.width;
    d->range[1] = compositor.height;
    tell_size(d);
    return 0;
}

bool scanout_create(char *variable, size_t size) {
    static const char name[] = "display";
    const int fd = processes_listen(name, SOCK_SEQPACKET);
    wl_list_init(&devices);
    snprintf(variable, size, "TESLAPIPE_KMS=%s/%s", processes.folder, name);
    return fd >= 0 && wl_event_loop_add_fd(compositor.loop, fd, WL_EVENT_READABLE, device_connected,
                                           NULL) != NULL;
}
