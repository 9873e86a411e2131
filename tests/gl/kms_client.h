/* Shared by tests/gl/kms_objects.c, kms_commits.c and screens.c: clients of a card with a display,
 * requests as table rows, framebuffers. */
#pragma once
#include "heap.h"
#include "locks.h"
#include "verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <libdrm/drm_fourcc.h>
#include <libdrm/drm_mode.h>
#include <libdrm/nouveau_drm.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, NOBODY = 999 };
static int card, other; /* the master's descriptor, and a descriptor that is no master */
static uint32_t crtc, encoder, connector, plane[2], width, height;
static struct drm_mode_modeinfo mode;

/* Returns 0 or the error. */
static inline int ask_of(int fd, unsigned long request, void *argument) {
    const int result = ioctl(fd, request, argument);
    return result > 0 ? 9999 : error_of(result);
}

static inline int ask(unsigned long request, void *argument) {
    return ask_of(card, request, argument);
}

/* A request, made with a copy of its argument, and its outcome. */
struct row {
    const char *what;
    unsigned long request;
    const void *argument;
    int error;
};
#define ROW(what, request, error, type, ...)                                                       \
    {what, request, &(const struct type){__VA_ARGS__}, error}

static inline void try_rows(const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t copy[32] = {0};
        memcpy(copy, rows[i].argument, _IOC_SIZE(rows[i].request));
        gives(rows[i].what, ask(rows[i].request, copy), rows[i].error);
    }
}
#define TRY(...)                                                                                   \
    do {                                                                                           \
        const struct row rows[] = {__VA_ARGS__};                                                   \
        try_rows(rows, sizeof rows / sizeof *rows);                                                \
    } while (0)

/* ---- buffers and framebuffers ---- */

struct frame {
    uint32_t handle, pitch, fb;
};

static inline struct drm_mode_create_dumb dumb(uint32_t w, uint32_t h, uint32_t bpp, int *error) {
    struct drm_mode_create_dumb d = {.width = w, .height = h, .bpp = bpp};
    *error = ask(DRM_IOCTL_MODE_CREATE_DUMB, &d);
    return d;
}

static inline uint32_t add_fb(uint32_t w, uint32_t h, uint32_t pitch, uint32_t depth,
                              uint32_t handle) {
    struct drm_mode_fb_cmd f = {
        .width = w, .height = h, .pitch = pitch, .bpp = 32, .depth = depth, .handle = handle};
    return ask(DRM_IOCTL_MODE_ADDFB, &f) ? 0 : f.fb_id;
}

static inline struct frame make_frame(uint32_t w, uint32_t h, uint32_t depth) {
    int error;
    const struct drm_mode_create_dumb d = dumb(w, h, 32, &error);
    return (struct frame){d.handle, d.pitch, add_fb(w, h, d.pitch, depth, d.handle)};
}

/* ---- the picture ---- */

/* Sets a mode (NULL: none). */
static inline int set_crtc(uint32_t fb, uint32_t x, uint32_t y, const struct drm_mode_modeinfo *m) {
    struct drm_mode_crtc c = {.set_connectors_ptr = (uintptr_t)&connector,
                              .count_connectors = m != NULL,
                              .crtc_id = crtc,
                              .fb_id = fb,
                              .x = x,
                              .y = y,
                              .mode_valid = m != NULL};
    if (m)
        c.mode = *m;
    return ask(DRM_IOCTL_MODE_SETCRTC, &c);
}

static inline int set_cursor(uint32_t flags, int x, int y, uint32_t w, uint32_t h,
                             uint32_t handle) {
    return ask(DRM_IOCTL_MODE_CURSOR, &(struct drm_mode_cursor){flags, crtc, x, y, w, h, handle});
}

static inline int flip(uint32_t fb, uint32_t flags, uint64_t data) {
    return ask(DRM_IOCTL_MODE_PAGE_FLIP,
               &(struct drm_mode_crtc_page_flip){
                   .crtc_id = crtc, .fb_id = fb, .flags = flags, .user_data = data});
}

static inline struct drm_crtc_get_sequence sequence_now(void) {
    struct drm_crtc_get_sequence s = {.crtc_id = crtc};
    ask(DRM_IOCTL_CRTC_GET_SEQUENCE, &s);
    return s;
}

/* Asks for an event at a vertical blank. */
static inline int queue_sequence(int fd, uint64_t sequence, uint32_t flags, uint64_t data) {
    return ask_of(fd, DRM_IOCTL_CRTC_QUEUE_SEQUENCE,
                  &(struct drm_crtc_queue_sequence){
                      .crtc_id = crtc, .flags = flags, .sequence = sequence, .user_data = data});
}

/* Reads the next event within `ms`; false if no event came. All events have the same size. */
static inline bool next_event(void *e, int ms) {
    struct drm_event_vblank *const event = e;
    struct pollfd ready = {card, POLLIN, 0};
    return poll(&ready, 1, ms) == 1 && read(card, e, sizeof *event) == sizeof *event &&
           event->base.length == sizeof *event;
}

/* Opens the card twice, and finds its CRTC, encoder, connector and mode. */
static inline void find(void) {
    card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    other = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    verdict("the card opens, twice", card >= 0 && other >= 0);
    struct drm_mode_card_res r = {.count_crtcs = 1,
                                  .crtc_id_ptr = (uintptr_t)&crtc,
                                  .count_encoders = 1,
                                  .encoder_id_ptr = (uintptr_t)&encoder,
                                  .count_connectors = 1,
                                  .connector_id_ptr = (uintptr_t)&connector};
    struct drm_mode_modeinfo all[8];
    uint32_t its_encoder = UINT32_MAX;
    struct drm_mode_get_connector c = {.count_modes = 8,
                                       .modes_ptr = (uintptr_t)all,
                                       .count_encoders = 1,
                                       .encoders_ptr = (uintptr_t)&its_encoder};
    struct drm_mode_get_plane_res p = {.count_planes = 2, .plane_id_ptr = (uintptr_t)plane};
    gives("ask for the card's objects", ask(DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
    c.connector_id = connector;
    gives("ask for the connector", ask(DRM_IOCTL_MODE_GETCONNECTOR, &c), 0);
    equal("the connector has the card's encoder", its_encoder, encoder);
    ask(DRM_IOCTL_MODE_GETPLANERESOURCES, &p);
    equal("a client without capabilities sees no planes", p.count_planes, 0);
    mode = all[0];
    width = mode.hdisplay;
    height = mode.vdisplay;
}

static inline int client_cap(uint64_t which, uint64_t value) {
    return ask(DRM_IOCTL_SET_CLIENT_CAP, &(struct drm_set_client_cap){which, value});
}

static inline uint32_t blob(const void *data, uint32_t length, int *error) {
    struct drm_mode_create_blob b = {.data = (uintptr_t)data, .length = length};
    *error = ask(DRM_IOCTL_MODE_CREATEPROPBLOB, &b);
    return b.blob_id;
}
