/* The window of `teslapipe gl --window`: a small Wayland compositor of our own, whose clients are
 * the program and Xwayland, shown in an SDL window or in memory. Clients hand over buffers that are
 * shared memory or GPU memory of another process (drm/share.h); a picture is a copy of what is
 * complete. No GPU is used here and no driver is asked.
 *
 *   wl_buffer.c   wl_shm, linux-dmabuf: what a client's buffer holds, as rows of 0xAARRGGBB
 *   compositor.c  surfaces, subsurfaces, regions, output; the picture
 *   shell.c       xdg-shell: toplevels, popups          xwm.c   the window manager for Xwayland
 *   seat.c        keyboard, pointer, locked pointers    clipboard.c  selections
 *   launcher.c    devices for weston
 *   scanout.c     what a program's display device shows (KMS, drm/kms.c)
 *   host.c        the SDL window, or none               processes.c  children, folder, their end
 *   pace.c        when a picture is shown, and programs are told so
 *   session.c     options, the loop, title, pictures saved
 */
#ifndef WINDOW_WINDOW_H
#define WINDOW_WINDOW_H

#include "window/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-server-core.h>
#include <wayland-server-protocol.h>

struct image {
    uint32_t *pixels; /* 0xAARRGGBB, row after row */
    int width, height;
    bool opaque;
};

struct rect {
    int x, y, width, height;
};

/* ---- wl_buffer.c ---- */

struct buffer; /* what a client attached: a wl_buffer */
void buffers_create(struct wl_display *display);
/* The buffer of a wl_buffer resource, with a reference; it outlives the resource. */
struct buffer *buffer_get(struct wl_resource *resource);
/* Gives the reference back and tells the client that it may draw into it again. */
void buffer_release(struct buffer *b);
void buffer_size(struct buffer *b, int *width, int *height);
/* What must be done before the buffer holds what its client has submitted by now. */
uint32_t buffer_ticket(struct buffer *b);
bool buffer_is_ready(struct buffer *b, uint32_t ticket);
/* Copies the contents; grows image->pixels. False without memory. */
bool buffer_copy(struct buffer *b, struct image *image);
/* Memory of teslapipe's that is no wl_buffer; takes the descriptor over. NULL: it is none, or the
 * layout makes no sense. */
struct screen_buffer;
struct buffer *buffer_import(int fd, const struct screen_buffer *layout);
void buffer_ref(struct buffer *b);
/* Only this part of its memory is the buffer's. */
void buffer_crop(struct buffer *b, uint32_t x, uint32_t y, int width, int height);
/* Of the GPU that drew it: chipset (0: none) and draws so far. */
uint32_t buffer_chipset(const struct buffer *b);
uint64_t buffer_draws(const struct buffer *b);

/* ---- compositor.c ---- */

enum { QUEUE = 6, REGION_RECTS = 16 };

struct region { /* everything if all; else the sum of rects */
    bool all;
    int count;
    struct rect rect[REGION_RECTS];
};

struct surface {
    struct wl_list link;          /* compositor.surfaces */
    struct wl_resource *resource; /* NULL: no client's, but a display device's */
    struct image image;           /* what is shown */
    uint64_t pictures;            /* new contents of it and its subsurfaces so far */
    bool due;                     /* its program is told as soon as the newest contents are shown */
    int width, height;            /* of what was committed last */
    struct {
        struct buffer *buffer;
        bool attached, input_set;
        struct region input;
        struct wl_list callbacks;
    } pending;
    struct { /* committed, not copied yet; oldest first */
        struct buffer *buffer;
        uint32_t ticket;
    } queue[QUEUE];
    int queued;
    struct region input;
    struct wl_list callbacks;
    struct wl_list children; /* subsurfaces, bottom first */
    struct subsurface *sub;  /* this one as a child */
    struct view *view;       /* this one as a window */
    void (*committed)(struct surface *s, void *role);
    void (*unmapped)(struct surface *s, void *role); /* the surface goes away */
    void (*shown)(struct surface *s, void *role);    /* the newest contents are in the picture */
    /* Input as struct input_event has it (drm/evdev.h), instead of a client's events; positions are
     * the surface's pixels. */
    void (*device_input)(struct surface *s, uint32_t device, uint32_t type, uint32_t code,
                         int32_t value);
    void *role;
};

/* A window: what stands on its own in the picture. */
struct view {
    struct wl_list link; /* compositor.views, bottom first */
    struct surface *surface;
    int x, y;             /* of the window's corner in the picture */
    int inset_x, inset_y; /* of that corner in the surface (shadows) */
    bool mapped, managed; /* managed: a toplevel, not a menu */
    bool transient;       /* a dialog of another */
    bool fullscreen;      /* wants the whole picture */
    bool rigid;           /* keeps the size it has */
    char title[128];
    const struct view_calls {
        void (*configure)(struct view *v, int width, int height); /* 0: its own choice */
        void (*close)(struct view *v);
        void (*activate)(struct view *v, bool active);
        void (*moved)(struct view *v);
        void (*dismiss)(struct view *v); /* a menu, when something else was clicked */
    } *calls;
    void *data;
};

struct compositor {
    struct wl_display *display;
    struct wl_event_loop *loop;
    struct wl_list surfaces, views, outputs;
    int width, height;  /* of the picture */
    bool fixed;         /* the user chose the size: programs follow; else the window follows them */
    bool dirty;         /* something changed since the last picture */
    bool untold;        /* a program may wait for the word that its picture was shown */
    struct view *focus; /* has the keyboard */
    struct view *primary;
    uint64_t frames; /* new contents of the primary window, copied */
    uint32_t chipset;
    uint64_t draws;
    struct image frame;
    void (*surface_created)(struct surface *s); /* for xwm.c */
};
extern struct compositor compositor;

bool compositor_create(int width, int height, bool fixed);
void compositor_resize(int width, int height);
/* Takes over what is ready. False if something committed is not. */
bool compositor_take(void);
void compositor_compose(void);
/* It is time to tell programs that their pictures were shown: all, or that of one window. */
void compositor_frames_due(const struct surface *root);
/* Tells those for whom it is time, whose newest contents are in the picture. */
void compositor_frames_shown(uint32_t time_ms);
/* The surface that this one is a part of; itself, if of none. */
struct surface *surface_root(struct surface *s);
struct surface *surface_of(struct wl_resource *resource);
struct surface *surface_at(int x, int y, int *sx, int *sy, struct view **v);
/* A surface without a client. */
struct surface *surface_create(void);
void surface_destroy(struct surface *s);
/* Puts a buffer behind those that are not shown yet, with its reference; what a complete one comes
 * after will never be. */
void surface_put(struct surface *s, struct buffer *b);
void surface_clear(struct surface *s);
/* Shows what a buffer holds now, if that is complete and something else than before. */
bool surface_look(struct surface *s, struct buffer *b);
/* Makes it part of another, or moves it. */
bool surface_child(struct surface *parent, struct surface *child, int x, int y);
void view_map(struct view *v);
void view_unmap(struct view *v);
void view_raise(struct view *v);
void view_focus(struct view *v);
/* The window took a size of its own. */
void view_sized(struct view *v, int width, int height);
void view_titled(struct view *v, const char *title);
void dismiss_menus(const struct view *but);
uint32_t now_ms(void);
uint64_t now_ns(void);

/* ---- pace.c ---- */

/* The user did something to a surface. */
void pace_input(struct surface *s);
void pace_surface_gone(const struct surface *s);
/* Whether a new picture may be shown now; tells programs what was shown, when it is time. */
bool pace_may_show(uint64_t now);
/* One was shown. */
void pace_shown(uint64_t now);
/* Milliseconds until something is due; idle_ms, if nothing is. */
int pace_wait(uint64_t now, int idle_ms);

/* ---- shell.c, clipboard.c ---- */

void shell_create(struct wl_display *display);
void clipboard_create(struct wl_display *display);
void clipboard_focus(struct wl_client *client);

/* ---- seat.c ---- */

bool seat_create(struct wl_display *display);
void seat_keyboard_focus(struct surface *s);
void seat_motion(double x, double y);
void seat_relative(double dx, double dy);
void seat_button(uint32_t code, bool pressed);
void seat_key(uint32_t code, bool pressed); /* Linux's key code */
void seat_axis(double dx, double dy);
void seat_leave(void); /* the keyboard goes elsewhere: all keys up */
void seat_surface_gone(struct surface *s);
void seat_cursor_committed(struct surface *s);
void seat_repick(void);
bool seat_locked(void);

/* ---- xwm.c ---- */

/* Manages the X server on a connected socket. */
bool xwm_create(int fd);
void xwm_set_client(struct wl_client *client);
void xwm_surface_created(struct surface *s);
/* Whether it is Xwayland's. */
bool xwm_owns(const struct surface *s);

/* ---- scanout.c ---- */

/* Listens for display devices; the socket's path is put into *variable, as TESLAPIPE_KMS=... */
bool scanout_create(char *variable, size_t size);
/* Tells them the picture's size. */
void scanout_resized(void);

/* ---- launcher.c ---- */

/* A socket for the program, over which it may ask for its devices; its name in *variable. -1:
 * none. */
int launcher_create(char *variable, size_t size);

/* ---- host.c: the SDL window, or none ---- */

bool host_open(bool headless, bool fullscreen);
bool host_is_headless(void);
void host_size(int width, int height); /* shows the window; later, changes its size */
void host_show(const struct image *frame);
void host_title(const char *title);
void host_cursor(const struct image *image, int hot_x, int hot_y); /* NULL: none */
void host_lock(bool locked);
void host_toggle_fullscreen(void);
int host_refresh(void); /* pictures a second */
/* Handles what the user did. */
void host_events(void);
void host_watch(struct wl_event_loop *loop);
/* Whether the loop wakes up for what the user does. */
bool host_is_watched(void);
void host_close(void);

/* ---- processes.c ---- */

struct processes {
    char folder[64]; /* sockets; removed at the end, whatever the end is */
    pid_t program, xwayland;
};
extern struct processes processes;
bool processes_create(void);
/* Starts a program with some variables more ("NAME=VALUE", NULL ends the list). Its errors go to
 * that descriptor, if not -1. */
pid_t processes_start(char *const argv[], const char *const variables[], int errors);
/* Ends every process that comes from here, asking first; serve, if any, is called meanwhile. */
void processes_end(void (*serve)(int ms));
/* A socket of that type in the folder that programs connect to, or -1. */
int processes_listen(const char *name, int type);
/* The folder of the window started last that is still there. */
bool processes_find(char *folder, size_t size);

/* ---- session.c: what the user asks for ---- */

void window_close(void);  /* by its button */
void window_save(void);   /* a PNG file */
void window_record(void); /* starts, stops saving every picture */

#endif
