/* The messages between a display device (drm/kms.c) and the window that shows it. They have a fixed
 * size and go over a Unix socket of packets, named by TESLAPIPE_KMS. SCREEN_BUFFER carries the
 * memfd of a buffer; each SCREEN_SHOW describes the whole picture. The layout is the same for
 * 32-bit programs.
 */
#ifndef DRM_SCREEN_H
#define DRM_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

enum { SCREEN_PRIMARY, SCREEN_CURSOR, SCREEN_PLANES };

struct screen_buffer {
    uint32_t width, height, offset, pitch, format;
};

/* A rectangle of a buffer at (x, y) of the picture. */
struct screen_plane {
    uint32_t buffer; /* 0: none */
    int32_t x, y;
    uint32_t from_x, from_y, width, height;
};

struct screen_request {
    enum { SCREEN_BUFFER, SCREEN_DROP, SCREEN_SHOW } kind;
    uint32_t name; /* of a buffer; or of a SCREEN_SHOW, repeated by SCREEN_SHOWN unless 0 */
    union {
        struct screen_buffer buffer;
        struct {
            uint32_t width, height; /* of the mode; 0: display off */
            uint32_t flips;         /* the primary plane has new contents */
            struct screen_plane plane[SCREEN_PLANES];
        } show;
    };
};

struct screen_event {
    enum { SCREEN_SIZE, SCREEN_SHOWN, SCREEN_INPUT } kind;
    uint32_t name;
    union {
        struct {
            uint32_t width, height, refresh; /* the preferred mode */
        } size;
        struct {
            uint32_t low, high;
        } time_ns; /* SCREEN_SHOWN: CLOCK_MONOTONIC */
        struct {
            uint32_t device; /* drm/evdev.h */
            uint32_t type, code;
            int32_t value; /* as in struct input_event; EV_ABS: relative to the size that was
                              sent first */
        } input;
    };
};

/* ---- the device's side, drm/screen.c ---- */

/* True if programs find a display here. */
bool screen_is_there(void);
/* Connects once a process and starts a thread that receives messages. False if no window
 * answers. */
bool screen_open(void);
/* Sends a request, with a descriptor unless fd is -1. False if the window is gone. */
bool screen_send(const struct screen_request *r, int fd);
/* The size that the window sent last. */
void screen_size(uint32_t *width, uint32_t *height, uint32_t *refresh);
/* The size that the window sent first: the range of pointer positions. */
void screen_range(uint32_t *width, uint32_t *height);
/* The receiver of SCREEN_SHOWN and of timeouts. `due` is called at the time that its last call
 * returned (ns of CLOCK_MONOTONIC; 0: never), and once after each screen_wake. */
struct screen_listener {
    void (*shown)(void *self, uint32_t name, uint64_t time_ns);
    uint64_t (*due)(void *self);
    void *self;
};
void screen_listen(const struct screen_listener *l);
void screen_wake(void);
uint64_t screen_time(void); /* CLOCK_MONOTONIC, ns */

#endif
