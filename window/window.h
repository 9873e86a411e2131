/* The window of `teslapipe gl --window`: a small Wayland compositor, shown in an SDL window or kept
 * in memory. Its clients are the program and Xwayland. Their buffers are shared memory, or GPU
 * memory of another process (drm/turns.h); a picture is a copy of complete buffers. The compositor
 * uses no GPU and no driver.
 *
 *   wl_buffer.c   wl_shm, linux-dmabuf: contents of clients' buffers as rows of 0xAARRGGBB
 *   compositor.c  surfaces, subsurfaces, regions, output; the picture
 *   shell.c       xdg-shell: toplevels, popups          xwm.c   the window manager for Xwayland
 *   seat.c        keyboard, pointer, locked pointers    clipboard.c  selections
 *   launcher.c    devices for weston
 *   scanout.c     display devices of programs (KMS, drm/kms.c)
 *   host.c        the SDL window, or none               processes.c  children, folder, their end
 *   pace.c        the time at which pictures are shown and programs are told
 *   session.c     options, the loop, title, saved pictures
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

struct buffer; /* a wl_buffer that a client can attach */
void buffers_create(struct wl_display *display);
/* The buffer of a wl_buffer resource, with a reference; it outlives the resource. */
struct buffer *buffer_get(struct wl_resource *resource);
/* Gives the reference back and tells the client that it may draw into it again. */
void buffer_release(struct buffer *b);
void buffer_size(struct buffer *b, int *width, int *height);
/* The ticket of all work that clients have submitted for the buffer by now (drm/turns.h). */
uint32_t buffer_ticket(struct buffer *b);
/* The same of a buffer that becomes a surface's picture; it is counted there. */
uint32_t buffer_shown(struct buffer *b);
bool buffer_is_ready(struct buffer *b, uint32_t ticket);
/* Copies the contents; grows image->pixels. False without memory. */
bool buffer_copy(struct buffer *b, struct image *image);
/* Makes a buffer of teslapipe's memory without a wl_buffer; takes the descriptor over. NULL if
 * it is other memory or the layout makes no sense. */
struct screen_buffer;
struct buffer *buffer_import(int fd, const struct screen_buffer *layout);
void buffer_ref(struct buffer *b);
/* Restricts the buffer to this part of its memory. */
void buffer_crop(struct buffer *b, uint32_t x, uint32_t y, int width, int height);
/* Chipset (0: none) and number of draws of the GPU that drew it. */
uint32_t buffer_chipset(const struct buffer *b);
uint64_t buffer_draws(const struct buffer *b);

/* ---- compositor.c ---- */

enum { QUEUE = 6, REGION_RECTS = 16 };

struct region { /* everything if all is set; else the union of rect[] */
    bool all;
    int count;
    struct rect rect[REGION_RECTS];
};

struct surface {
    struct wl_list link;          /* compositor.surfaces */
    struct wl_resource *resource; /* NULL: the surface of a display device */
    struct image image;           /* the shown contents */
    uint64_t pictures;            /* number of new contents of it and its subsurfaces */
    bool due;                     /* tell its program as soon as the newest contents are shown */
    int width, height;            /* of the last commit */
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
    struct subsurface *sub;  /* its role as a child, or NULL */
    struct view *view;       /* its role as a window, or NULL */
    void (*committed)(struct surface *s, void *role);
    void (*unmapped)(struct surface *s, void *role); /* the surface goes away */
    void (*shown)(struct surface *s, void *role);    /* the newest contents are in the picture */
    /* Receives input as struct input_event (drm/evdev.h) in place of a client's events;
     * positions are in pixels of the surface. */
    void (*device_input)(struct surface *s, uint32_t device, uint32_t type, uint32_t code,
                         int32_t value);
    void *role;
};

/* A window: a toplevel or a menu with its own place in the picture. */
struct view {
    struct wl_list link; /* compositor.views, bottom first */
    struct surface *surface;
    int x, y;             /* of the window's corner in the picture */
    int inset_x, inset_y; /* of that corner in the surface (shadows) */
    bool mapped, managed; /* managed: a toplevel, not a menu */
    bool transient;       /* a dialog of another window */
    bool fullscreen;      /* wants the whole picture */
    bool rigid;           /* its size cannot change */
    bool placed;          /* by the user: it stays there */
    char title[128];
    const struct view_calls {
        void (*configure)(struct view *v, int width, int height); /* 0: the program chooses */
        void (*close)(struct view *v);
        void (*activate)(struct view *v, bool active);
        void (*moved)(struct view *v);
        void (*dismiss)(struct view *v); /* closes a menu after a click elsewhere */
    } *calls;
    void *data;
};

struct compositor {
    struct wl_display *display;
    struct wl_event_loop *loop;
    struct wl_list surfaces, views, outputs;
    int width, height;  /* of the picture */
    bool fixed;         /* the user chose the size; else the window follows its programs */
    bool dirty;         /* something changed since the last picture */
    bool untold;        /* a program may still wait for the event that its picture was shown */
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
/* Copies committed buffers that are ready. False if one is not ready. */
bool compositor_take(void);
void compositor_compose(void);
/* Marks programs to be told that their pictures were shown: all, or the one of window root. */
void compositor_frames_due(const struct surface *root);
/* Tells the marked programs whose newest contents are in the picture. */
void compositor_frames_shown(uint32_t time_ms);
/* The topmost parent of a surface, or the surface itself. */
struct surface *surface_root(struct surface *s);
struct surface *surface_of(struct wl_resource *resource);
struct surface *surface_at(int x, int y, int *sx, int *sy, struct view **v);
/* A surface without a client. */
struct surface *surface_create(void);
void surface_destroy(struct surface *s);
/* Appends a buffer to the queue of a surface and takes over the reference. A buffer that is
 * followed by a complete one is never shown. */
void surface_put(struct surface *s, struct buffer *b);
void surface_clear(struct surface *s);
/* Shows the contents of a buffer if they are complete and have changed. */
bool surface_look(struct surface *s, struct buffer *b);
/* Makes a surface the child of another, or moves the child. */
bool surface_child(struct surface *parent, struct surface *child, int x, int y);
void view_map(struct view *v);
void view_unmap(struct view *v);
void view_raise(struct view *v);
void view_focus(struct view *v);
/* Notes that a window has chosen its size. */
void view_sized(struct view *v, int width, int height);
void view_titled(struct view *v, const char *title);
void dismiss_menus(const struct view *but);
uint32_t now_ms(void);
uint64_t now_ns(void);

/* ---- pace.c ---- */

/* Notes input to a surface. */
void pace_input(struct surface *s);
void pace_surface_gone(const struct surface *s);
/* True if a new picture may be shown now. Tells programs about shown pictures when it is time. */
bool pace_may_show(uint64_t now);
/* Notes that a picture was shown. */
void pace_shown(uint64_t now);
/* Milliseconds until the next event of this file; idle_ms if none is due. */
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
/* The pointer moves this window while a button is held; not the first window. */
void seat_move(struct view *v);
void seat_view_gone(const struct view *v);
void seat_button(uint32_t code, bool pressed);
void seat_key(uint32_t code, bool pressed); /* Linux's key code */
void seat_axis(double dx, double dy);
void seat_leave(void); /* the keyboard leaves: all keys are released */
void seat_surface_gone(struct surface *s);
void seat_cursor_committed(struct surface *s);
void seat_repick(void);
bool seat_locked(void);

/* ---- xwm.c ---- */

/* Manages the X server on a connected socket. */
bool xwm_create(int fd);
void xwm_set_client(struct wl_client *client);
void xwm_surface_created(struct surface *s);
/* True for a surface of Xwayland. */
bool xwm_owns(const struct surface *s);

/* ---- scanout.c ---- */

/* Listens for display devices; writes TESLAPIPE_KMS=... with the socket's path to variable. */
bool scanout_create(char *variable, size_t size);
/* Sends the picture's size to all display devices. */
void scanout_resized(void);

/* ---- launcher.c ---- */

/* Makes a socket over which the program may ask for its devices, and writes its name to
 * variable. -1 on failure. */
int launcher_create(char *variable, size_t size);

/* ---- host.c: the SDL window, or none ---- */

bool host_open(bool headless, bool fullscreen);
void host_size(int width, int height); /* shows the window, or changes its size */
void host_show(const struct image *frame);
void host_title(const char *title);
void host_cursor(const struct image *image, int hot_x, int hot_y); /* NULL: none */
void host_lock(bool locked);
void host_toggle_fullscreen(void);
int host_refresh(void); /* pictures a second */
/* Handles the user's input. */
void host_events(void);
void host_watch(struct wl_event_loop *loop);
/* True if input wakes the loop. */
bool host_is_watched(void);
void host_close(void);

/* ---- processes.c ---- */

struct processes {
    char folder[64]; /* holds the sockets; removed at the end in any case */
    pid_t program, xwayland;
};
extern struct processes processes;
bool processes_create(void);
/* Starts a program with additional variables ("NAME=VALUE", NULL ends the list). Its stderr goes
 * to the descriptor errors, unless that is -1. */
pid_t processes_start(char *const argv[], const char *const variables[], int errors);
/* Asks all processes of the window to end, then kills them. Calls serve (may be NULL) meanwhile. */
void processes_end(void (*serve)(int ms));
/* Makes a socket of this type in the folder, for programs to connect to; -1 on failure. */
int processes_listen(const char *name, int type);
/* Finds the folder of the last started window that still exists. */
bool processes_find(char *folder, size_t size);

/* ---- session.c: commands of the user ---- */

void window_close(void);  /* the window's close button */
void window_save(void);   /* saves the picture as a PNG file */
void window_record(void); /* starts or stops saving every picture */

#endif
