/* The state of the display, its objects and their properties, shared by drm/kms*.c:
 *   kms.c         clients, commits, flips, vertical blanks, events
 *   kms_object.c  properties, blobs, framebuffers
 *   kms_ioctl.c   the ioctls
 */
#pragma once

#include "drm/kms.h"
#include "drm/screen.h"

#include <libdrm/drm.h>
#include <libdrm/drm_mode.h>

/* Object numbers. Framebuffers and blobs get numbers after KMS_FIRST_FREE. */
enum {
    KMS_PLANE = 31, /* the primary plane; KMS_PLANE + SCREEN_CURSOR is the cursor plane */
    KMS_CRTC = 33,
    KMS_ENCODER,
    KMS_CONNECTOR,
    KMS_FIRST_FREE = 64
};
enum { KMS_CURSOR_SIDE = 64, KMS_MAX_SIDE = 8192 };

struct kms_fb {
    struct kms_fb *next;
    uint32_t id;
    struct kms_client *owner;
    struct gem_bo *bo;
    struct screen_buffer layout;
};

struct kms_blob {
    struct kms_blob *next;
    uint32_t id, length;
    struct kms_client *owner; /* NULL: no owner; the blob is freed when the state does not use it */
    uint8_t data[];
};

struct kms_plane {
    uint32_t fb, crtc; /* 0: none */
    /* from: x, y, width, height in the buffer, 16.16 fixed point; size in pixels */
    uint32_t from[4], size[2];
    int32_t at[2];
};

struct kms_state {
    struct kms_plane plane[SCREEN_PLANES];
    uint32_t mode;      /* number of the mode's blob; 0: none */
    uint32_t connected; /* the CRTC that drives the connector, or 0 */
    bool active;
    uint32_t link_status;
};

struct kms {
    struct gpu *gpu;
    struct kms_client *clients, *master;
    struct kms_fb *fbs;
    struct kms_blob *blobs;
    uint32_t last_id, last_magic;
    struct kms_state state;
    pthread_cond_t flipped; /* the last commit is shown */
    struct {
        /* the name of the SCREEN_SHOW that is not yet shown; 0: no flip is pending */
        uint32_t name;
        struct kms_client *client; /* gets the event of the flip; NULL: no event */
        uint64_t user_data;
    } pending;
    uint32_t last_name;
    uint64_t origin;        /* time of vertical blank 0, in ns of CLOCK_MONOTONIC */
    struct kms_wait *waits; /* clients waiting for vertical blanks */
    uint32_t cursor;        /* framebuffer of a legacy cursor; replaced by the next cursor's */
};

/* ---- kms.c ---- */

enum kms_commit {
    KMS_EVENT = 1,  /* send an event when the state is shown */
    KMS_ASIDE = 2,  /* return before the state is shown */
    KMS_CURSOR = 4, /* only a cursor changed: no wait and no event */
    KMS_MODESET = 8 /* the commit may change modes */
};
/* Waits until no flip is pending. A flip that the window has not shown after three seconds counts
 * as shown. */
void kms_settle(struct kms *k);
/* Checks whether a state is possible. how: bits of kms_commit. Returns 0, or -errno. */
int kms_check(const struct kms *k, const struct kms_state *s, unsigned how);
/* Checks a state and makes it the display's. No flip may be pending, except with KMS_CURSOR.
 * Returns 0, or -errno. */
int kms_commit(struct kms_client *c, const struct kms_state *s, unsigned how, uint64_t user_data);
/* Shows the display's state again, after the program drew to the shown framebuffer. */
void kms_touch(struct kms *k);
/* kms_sequence: the number of the last vertical blank before a time. kms_blank_time: the time of a
 * vertical blank. Times are in ns of CLOCK_MONOTONIC. */
uint64_t kms_sequence(const struct kms *k, uint64_t time);
uint64_t kms_blank_time(const struct kms *k, uint64_t sequence);
/* kms_wait_blank waits for a vertical blank, without the lock; -EBUSY if the blank is more than
 * three seconds away. kms_queue_blank sends an event at the time of the blank. Both return 0 or
 * -errno. */
int kms_wait_blank(struct kms_client *c, uint64_t sequence);
int kms_queue_blank(struct kms_client *c, uint64_t sequence, uint32_t type, uint64_t user_data);

/* ---- kms_object.c ---- */

int user_read(void *to, uint64_t from, size_t n); /* 0 or -EFAULT */
int user_write(uint64_t to, const void *from, size_t n);
/* Sets *count to the number of elements of the array. Copies the array only if the client has room
 * for all of it, that is, if *count was at least that number. */
int user_array(uint64_t to, uint32_t *count, const void *from, uint32_t have, size_t each);

struct kms_fb *kms_fb(const struct kms *k, uint32_t id);
/* Makes a framebuffer of a buffer object. Returns 0 and sets *id, or -errno. */
int kms_fb_create(struct kms_client *c, uint32_t handle, const struct screen_buffer *b,
                  uint32_t *id);
/* Frees a framebuffer. Planes that show it are switched off first. */
void kms_fb_destroy(struct kms_client *c, struct kms_fb *fb);

struct kms_blob *kms_blob(const struct kms *k, uint32_t id);
struct kms_blob *kms_blob_create(struct kms *k, struct kms_client *owner, const void *data,
                                 uint32_t length);
/* Frees blobs that have no owner and that the state does not use. */
void kms_blobs_sweep(struct kms *k);
const struct drm_mode_modeinfo *kms_mode(const struct kms *k, uint32_t blob);
/* Fills m[KMS_MODES] with the connector's modes, the preferred mode first. Returns their number. */
enum { KMS_MODES = 8 };
uint32_t kms_modes(struct drm_mode_modeinfo *m);

int kms_property_set(struct kms *k, struct kms_state *s, uint32_t object, uint32_t property,
                     uint64_t value);
/* Sets the names and values of an object's properties. Returns the number of properties, or -1 if
 * no object of the type (0: any type) has the id. */
enum { KMS_PROPERTIES = 20 };
int kms_properties(const struct kms *k, uint32_t object, uint32_t type, bool atomic,
                   uint32_t name[KMS_PROPERTIES], uint64_t value[KMS_PROPERTIES]);
int kms_property_describe(struct drm_mode_get_property *p);
