/* The messages between a display device (drm/kms.c) and the window that shows it (window/). All
 * messages have a fixed size and go over a Unix socket of packets, whose path is in TESLAPIPE_KMS.
 * SCREEN_BUFFER carries the memfd of a buffer; each SCREEN_SHOW describes the whole picture. The
 * layout is the same for 32-bit programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { SCREEN_PRIMARY, SCREEN_CURSOR, SCREEN_PLANES };

struct screen_buffer {
    uint32_t width, height, offset, pitch, format;
};

/* A rectangle of a buffer at (x, y) of the picture. */
struct screen_plane {
    uint32_t buffer; /* name of a SCREEN_BUFFER; 0: nothing is shown */
    int32_t x, y;
    uint32_t from_x, from_y, width, height;
};

struct screen_request {
    enum { SCREEN_BUFFER, SCREEN_DROP, SCREEN_SHOW } kind;
    uint32_t name; /* of a buffer; or of a SCREEN_SHOW, repeated by SCREEN_SHOWN (0: no answer) */
    union {
        struct screen_buffer buffer;
        struct {
            uint32_t width, height; /* of the mode; 0: the display is off */
            uint32_t flips;         /* true: the primary plane has new contents */
            struct screen_plane plane[SCREEN_PLANES];
        } show;
    };
};

struct screen_event {
    enum { SCREEN_SIZE, SCREEN_SHOWN, SCREEN_INPUT } kind;
    uint32_t name;
    union {
        struct {
            uint32_t width, height, refresh; /* of the preferred mode, refresh in Hz */
        } size;
        struct {
            uint32_t low, high;
        } time_ns; /* SCREEN_SHOWN: ns of CLOCK_MONOTONIC */
        struct {
            uint32_t device; /* index of the device in drm/evdev.h */
            uint32_t type, code;
            /* as in struct input_event; EV_ABS: a pixel, counted in the size that was sent first */
            int32_t value;
        } input;
    };
};

/* ---- the device's side, drm/screen.c ---- */

/* True if the environment names a window (TESLAPIPE_KMS). */
bool screen_is_there(void);
/* Connects, once a process, and starts a thread that receives messages. False if no window
 * answers. */
bool screen_open(void);
/* Sends a request and, unless fd is -1, the descriptor. False if the window is gone. */
bool screen_send(const struct screen_request *r, int fd);
/* The preferred mode that the window sent last: pixels, and Hz. */
void screen_size(uint32_t *width, uint32_t *height, uint32_t *refresh);
/* The size in pixels that the window sent first, which is the range of pointer positions. */
void screen_range(uint32_t *width, uint32_t *height);
/* The receiver of SCREEN_SHOWN and of timeouts; the connection's thread calls it. `shown` gets name
 * 0 once, when the window is gone. `due` returns the time of its next call (ns of CLOCK_MONOTONIC;
 * 0: never). `due` is also called after each message and each screen_wake. */
struct screen_listener {
    void (*shown)(void *self, uint32_t name, uint64_t time_ns);
    uint64_t (*due)(void *self);
    void *self;
};
void screen_listen(const struct screen_listener *l);
void screen_wake(void);
