/* The window of `teslapipe gl --window`: a small Wayland compositor, shown in an SDL window or kept
 * in memory. Its clients are the program and Xwayland. Their buffers are shared memory, or GPU
 * memory of another process (drm/turns.h); a picture is a copy of complete buffers. The compositor
 * uses no GPU and no driver.
 *
 *   resource.c    objects of clients
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
#pragma once

#include "window/session.h"

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
/* The buffer of a wl_buffer resource, with a new reference. The buffer may outlive the resource. */
struct buffer *buffer_get(struct wl_resource *resource);
/* Drops a reference and tells the client that it may draw into the buffer again. */
void buffer_release(struct buffer *b);
void buffer_size(struct buffer *b, int *width, int *height);
/* The last ticket that any process has taken for the buffer so far (drm/turns.h); 0 for other
 * memory. */
uint32_t buffer_ticket(struct buffer *b);
/* As buffer_ticket, for a buffer that becomes a surface's picture. Increments turns.handed, because
 * the buffer is given to another process. */
uint32_t buffer_shown(struct buffer *b);
bool buffer_is_ready(struct buffer *b, uint32_t ticket);
/* Copies the contents; makes image->pixels larger if needed. False if there is no memory. */
bool buffer_copy(struct buffer *b, struct image *image);
/* Makes a buffer of GPU memory that teslapipe exported, without a wl_buffer. Takes over the
 * descriptor. NULL for other memory or an impossible layout. */
struct screen_buffer;
struct buffer *buffer_import(int fd, const struct screen_buffer *layout);
void buffer_ref(struct buffer *b);
/* From now on the buffer's contents are this part of its memory. */
void buffer_crop(struct buffer *b, uint32_t x, uint32_t y, int width, int height);
/* Chipset (0: no GPU) and number of draws so far of the GPU that drew the buffer. */
uint32_t buffer_chipset(const struct buffer *b);
uint64_t buffer_draws(const struct buffer *b);

/* ---- resource.c: objects of clients ---- */

/* Makes an object with the functions `calls` and tells the client if there is no memory. */
struct wl_resource *resource_create(struct wl_client *client, const struct wl_interface *interface,
                                    int version, uint32_t id, const void *calls, void *data,
                                    wl_resource_destroy_func_t gone);
/* As resource_create(), with `size` bytes of zeros as data, which `gone` frees. */
struct wl_resource *resource_with_data(struct wl_client *client,
                                       const struct wl_interface *interface, int version,
                                       uint32_t id, const void *calls, size_t size,
                                       wl_resource_destroy_func_t gone);
/* Handlers of requests that have no effect here, one for each list of arguments. */
void ignore_request(struct wl_client *, struct wl_resource *);
void ignore_object(struct wl_client *, struct wl_resource *, struct wl_resource *);
void ignore_uint(struct wl_client *, struct wl_resource *, uint32_t);
void ignore_int(struct wl_client *, struct wl_resource *, int32_t);
void ignore_pair(struct wl_client *, struct wl_resource *, int32_t, int32_t);
void ignore_rect(struct wl_client *, struct wl_resource *, int32_t, int32_t, int32_t, int32_t);
/* Handles the request that ends an object. */
void resource_destroy(struct wl_client *client, struct wl_resource *resource);
/* Functions for `gone`: resource_unlink() removes the object from its list, resource_free() frees
 * its data. */
void resource_unlink(struct wl_resource *resource);
void resource_free(struct wl_resource *resource);
/* A global object without state. */
struct global {
    const struct wl_interface *interface;
    int version;
    const void *calls;
};
void global_create(struct wl_display *display, const struct global *g);

/* ---- compositor.c ---- */

enum { QUEUE = 6, REGION_RECTS = 16 };

struct region { /* the whole plane if `all` is set, else the union of rect[] */
    bool all;
    int count;
    struct rect rect[REGION_RECTS];
};

struct surface {
    struct wl_list link;          /* compositor.surfaces */
    struct wl_resource *resource; /* NULL: the surface of a display device */
    struct image image;           /* the contents that are shown */
    uint64_t pictures;            /* counts new contents of the surface and its subsurfaces */
    /* the surface's program is to be told when the newest contents are in the picture */
    bool due;
    int width, height; /* of the last commit */
    struct {
        struct buffer *buffer;
        bool attached, input_set;
        struct region input;
        struct wl_list callbacks;
    } pending;
    struct { /* committed but not copied yet, oldest first */
        struct buffer *buffer;
        uint32_t ticket;
    } queue[QUEUE];
    int queued;
    struct region input;
    struct wl_list callbacks;
    struct wl_list children; /* subsurfaces, bottom first */
    struct subsurface *sub;  /* not NULL: the surface is a child */
    struct view *view;       /* not NULL: the surface is a window or a menu */
    void (*committed)(struct surface *s, void *role);
    void (*unmapped)(struct surface *s, void *role); /* called before the surface is destroyed */
    void (*shown)(struct surface *s, void *role);    /* the newest contents are in the picture */
    /* If set, receives input as struct input_event (drm/evdev.h) instead of a Wayland client.
     * Positions are in pixels of the surface. */
    void (*device_input)(struct surface *s, uint32_t device, uint32_t type, uint32_t code,
                         int32_t value);
    void *role;
};

/* A window: a toplevel or a menu with its own place in the picture. */
struct view {
    struct wl_list link; /* compositor.views, bottom first */
    struct surface *surface;
    int x, y;             /* the window's corner in the picture */
    int inset_x, inset_y; /* the window's corner in the surface, whose edges may be shadows */
    bool mapped, managed; /* managed: a toplevel, not a menu */
    bool transient;       /* a dialog of another window */
    bool fullscreen;      /* wants the whole picture */
    bool rigid;           /* the size cannot change */
    bool placed;          /* the user has moved the window: it stays there */
    char title[128];
    const struct view_calls {
        void (*configure)(struct view *v, int width, int height); /* 0: the program chooses */
        void (*close)(struct view *v);
        void (*activate)(struct view *v, bool active);
        void (*moved)(struct view *v);
        void (*dismiss)(struct view *v); /* closes a menu after a click elsewhere; may be NULL */
    } *calls;
    void *data;
};

struct compositor {
    struct wl_display *display;
    struct wl_event_loop *loop;
    struct wl_list surfaces, views, outputs;
    int width, height;  /* size of the picture */
    bool fixed;         /* the user chose the size; else the size is that of the primary window */
    bool dirty;         /* the picture must be made anew */
    bool untold;        /* a program may wait to be told that its picture was shown */
    struct view *focus; /* the window with the keyboard, or NULL */
    struct view *primary;
    uint64_t frames; /* counts new contents of the primary window */
    uint32_t chipset;
    uint64_t draws;
    struct image frame;
    void (*surface_created)(struct surface *s); /* set by xwm.c */
};
extern struct compositor compositor;

bool compositor_create(int width, int height, bool fixed);
void compositor_resize(int width, int height);
/* Copies the newest complete buffer of each surface. False if a newer buffer is not complete. */
bool compositor_take(void);
void compositor_compose(void);
/* Marks programs that are to be told that their pictures were shown: the program of window `root`;
 * NULL: all programs. */
void compositor_frames_due(const struct surface *root);
/* Tells those marked programs whose newest contents are in the picture. */
void compositor_frames_shown(uint32_t time_ms);
/* The parentless surface that a surface descends from, or the surface itself. */
struct surface *surface_root(struct surface *s);
struct surface *surface_of(struct wl_resource *resource);
struct surface *surface_at(int x, int y, int *sx, int *sy, struct view **v);
/* Makes a surface without a client. */
struct surface *surface_create(void);
void surface_destroy(struct surface *s);
/* Appends a buffer to the queue of a surface and takes over the reference. When a buffer is
 * complete, older buffers of the queue are dropped without being shown. */
void surface_put(struct surface *s, struct buffer *b);
void surface_clear(struct surface *s);
/* Shows the contents of a buffer at once if they are complete and differ from the shown contents.
 * Returns true if they were shown. */
bool surface_look(struct surface *s, struct buffer *b);
/* Makes a surface the child of another at (x, y), or moves the child. */
bool surface_child(struct surface *parent, struct surface *child, int x, int y);
void view_map(struct view *v);
void view_unmap(struct view *v);
void view_raise(struct view *v);
void view_focus(struct view *v);
/* Called when a window has chosen its size. */
void view_sized(struct view *v, int width, int height);
void view_titled(struct view *v, const char *title);
void dismiss_menus(const struct view *but);
uint32_t now_ms(void);
uint64_t now_ns(void);

/* ---- pace.c ---- */

/* Called when a surface receives input. */
void pace_input(struct surface *s);
void pace_surface_gone(const struct surface *s);
/* True if a new picture may be shown now. Also tells programs about shown pictures when a refresh
 * is due. */
bool pace_may_show(uint64_t now);
/* Called when a picture was shown. */
void pace_shown(uint64_t now);
/* Milliseconds until pace_may_show has work; idle_ms if it has none. */
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
/* Moves this window with the pointer while a button is held. Does nothing for the first window, for
 * menus and full-screen windows. */
void seat_move(struct view *v);
void seat_view_gone(const struct view *v);
void seat_button(uint32_t code, bool pressed);
void seat_key(uint32_t code, bool pressed); /* Linux's key code */
void seat_axis(double dx, double dy);
void seat_leave(void); /* the window loses the keyboard: all keys are released */
void seat_surface_gone(struct surface *s);
void seat_cursor_committed(struct surface *s);
void seat_repick(void);

/* ---- xwm.c ---- */

/* Begins to manage the windows of the X server on this socket. */
bool xwm_create(int fd);
void xwm_set_client(struct wl_client *client);
/* True for a surface of Xwayland. */
bool xwm_owns(const struct surface *s);

/* ---- scanout.c ---- */

/* Listens for display devices. Writes "TESLAPIPE_KMS=" and the socket's path to variable. */
bool scanout_create(char *variable, size_t size);
/* Sends the picture's size to all display devices. */
void scanout_resized(void);

/* ---- launcher.c ---- */

/* Makes a socket over which the program may ask for its devices. Writes "WESTON_LAUNCHER_SOCK=" and
 * the number of the program's descriptor to variable. Returns that descriptor, or -1. */
int launcher_create(char *variable, size_t size);

/* ---- host.c: the SDL window, or none ---- */

bool host_open(bool headless, bool fullscreen);
void host_size(int width, int height); /* shows the window, or changes its size */
void host_show(const struct image *frame);
void host_title(const char *title);
/* Shows the image at the pointer. NULL: no pointer; a too large image: the usual pointer. */
void host_cursor(const struct image *image, int hot_x, int hot_y);
void host_lock(bool locked);
void host_toggle_fullscreen(void);
int host_refresh(void); /* pictures a second */
/* Handles the user's input that has arrived. */
void host_events(void);
/* True if the user's input wakes the loop, or if there is no window. */
bool host_is_watched(void);
void host_close(void);

/* ---- processes.c ---- */

struct processes {
    char folder[64]; /* the folder with the sockets; always removed at the end */
    pid_t program, xwayland;
};
extern struct processes processes;
bool processes_create(void);
/* Starts a program with changed variables: "NAME=VALUE" sets one, "NAME" removes one; NULL ends the
 * list. The program's stderr goes to the descriptor `errors`; -1: to this process's stderr. */
pid_t processes_start(char *const argv[], const char *const variables[], int errors);
/* Asks all processes of the window to end, kills those that do not, and removes the folder. serve
 * (may be NULL) handles the processes' requests meanwhile. */
void processes_end(void (*serve)(int ms));
/* Makes a listening socket of this type and name in the folder. -1 on failure. */
int processes_listen(const char *name, int type);
/* Finds the folder of the last started window that still runs. False if there is none. */
bool processes_find(char *folder, size_t size);

/* ---- session.c: commands of the user ---- */

void window_close(void);  /* the window's close button */
void window_save(void);   /* saves the picture as a PNG file */
void window_record(void); /* starts or stops saving every picture */
