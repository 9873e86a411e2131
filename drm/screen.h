/* What a display device (drm/kms.c) and the window that shows it tell each other: messages of fixed
 * size over a Unix socket of packets, which TESLAPIPE_KMS names. A buffer's memfd comes with
 * SCREEN_BUFFER; every SCREEN_SHOW is the whole picture. The layout is the same for 32-bit
 * programs.
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
    uint32_t name; /* of a buffer; of SCREEN_SHOW, which SCREEN_SHOWN repeats; 0: it need not */
    union {
        struct screen_buffer buffer;
        struct {
            uint32_t width, height; /* of the mode; 0: off */
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
            uint32_t width, height, refresh; /* the mode that is preferred */
        } size;
        struct {
            uint32_t low, high;
        } time_ns; /* SCREEN_SHOWN: CLOCK_MONOTONIC */
        struct {
            uint32_t device; /* drm/evdev.h */
            uint32_t type, code;
            int32_t value; /* as in struct input_event; EV_ABS: as if the picture had kept the size
                              that was told first */
        } input;
    };
};

/* ---- the device's side, drm/screen.c ---- */

/* Whether programs find a display here. */
bool screen_is_there(void);
/* Connects, once a process; a thread then takes what the window says. False: nobody answers. */
bool screen_open(void);
/* Sends a request, with a descriptor unless that is -1. False: the window is gone. */
bool screen_send(const struct screen_request *r, int fd);
/* The size told last. */
void screen_size(uint32_t *width, uint32_t *height, uint32_t *refresh);
/* The size told first, within which positions of the pointer are. */
void screen_range(uint32_t *width, uint32_t *height);
/* Who is told of SCREEN_SHOWN, and of time: `due` is called when the time it returned last (ns of
 * CLOCK_MONOTONIC; 0: never) is over, and once after each screen_wake. */
struct screen_listener {
    void (*shown)(void *self, uint32_t name, uint64_t time_ns);
    uint64_t (*due)(void *self);
    void *self;
};
void screen_listen(const struct screen_listener *l);
void screen_wake(void);
uint64_t screen_time(void); /* CLOCK_MONOTONIC, ns */

#endif
