/* The state of the display, its objects and their properties, for drm/kms*.c:
 *   kms.c         clients, commits, flips, vertical blanks, events
 *   kms_object.c  properties, blobs, framebuffers
 *   kms_ioctl.c   the ioctls
 */
#ifndef DRM_KMS_STATE_H
#define DRM_KMS_STATE_H

#include "drm/kms.h"
#include "drm/screen.h"

#include <libdrm/drm.h>
#include <libdrm/drm_mode.h>

/* Names of objects. Framebuffers and blobs have names from KMS_FIRST_FREE. */
enum {
    KMS_PLANE = 31, /* the cursor plane: + SCREEN_CURSOR */
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
    struct kms_client *owner; /* NULL: no owner; the object is freed when no state names it */
    uint8_t data[];
};

struct kms_plane {
    uint32_t fb, crtc;         /* 0: none */
    uint32_t from[4], size[2]; /* from: x, y, width, height; 16.16 fixed point */
    int32_t at[2];
};

struct kms_state {
    struct kms_plane plane[SCREEN_PLANES];
    uint32_t mode;      /* blob; 0: none */
    uint32_t connected; /* the connector's CRTC, or 0 */
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
        uint32_t name;             /* 0: no flip is pending */
        struct kms_client *client; /* the client that wants an event, or NULL */
        uint64_t user_data;
    } pending;
    uint32_t last_name;
    uint64_t origin;        /* time of vertical blank 0 */
    struct kms_wait *waits; /* clients waiting for vertical blanks */
    uint32_t cursor;        /* framebuffer of a legacy cursor; freed by the next one */
};

/* ---- kms.c ---- */

enum kms_commit {
    KMS_EVENT = 1,  /* send an event when it is shown */
    KMS_ASIDE = 2,  /* return before it is shown */
    KMS_CURSOR = 4, /* a cursor's move: no wait and no event */
    KMS_MODESET = 8 /* may change modes */
};
/* Waits until no flip is pending, at most a few seconds. */
void kms_settle(struct kms *k);
/* Checks a state: 0 or the -errno of the reason why it is impossible. */
int kms_check(const struct kms *k, const struct kms_state *s, unsigned how);
/* Checks a state and makes it the display's. No flip may be pending. */
int kms_commit(struct kms_client *c, const struct kms_state *s, unsigned how, uint64_t user_data);
/* Shows the state again after drawing to the front buffer. */
void kms_touch(struct kms *k);
uint64_t kms_period(void); /* ns */
/* The number of the last vertical blank before a time, and the time of a vertical blank. */
uint64_t kms_sequence(const struct kms *k, uint64_t time);
uint64_t kms_blank_time(const struct kms *k, uint64_t sequence);
/* Waits for a vertical blank, or sends an event at that time. */
int kms_wait_blank(struct kms_client *c, uint64_t sequence);
int kms_queue_blank(struct kms_client *c, uint64_t sequence, uint32_t type, uint64_t user_data);

/* ---- kms_object.c ---- */

int user_read(void *to, uint64_t from, size_t n); /* 0 or -EFAULT */
int user_write(uint64_t to, const void *from, size_t n);
/* Copies an array if the client has room for it, and sets the count. */
int user_array(uint64_t to, uint32_t *count, const void *from, uint32_t have, size_t each);

struct kms_fb *kms_fb(const struct kms *k, uint32_t id);
/* Makes an object: 0 and *id, or -errno. */
int kms_fb_create(struct kms_client *c, uint32_t handle, const struct screen_buffer *b,
                  uint32_t *id);
/* Removes a framebuffer. Planes that show it are switched off. */
void kms_fb_destroy(struct kms_client *c, struct kms_fb *fb);

struct kms_blob *kms_blob(const struct kms *k, uint32_t id);
struct kms_blob *kms_blob_create(struct kms *k, struct kms_client *owner, const void *data,
                                 uint32_t length);
/* Frees framebuffers and blobs without an owner that no state names. */
void kms_blobs_sweep(struct kms *k);
const struct drm_mode_modeinfo *kms_mode(const struct kms *k, uint32_t blob);
/* The modes of the connector; the first is preferred. */
enum { KMS_MODES = 8 };
uint32_t kms_modes(struct drm_mode_modeinfo *m);

int kms_property_set(struct kms *k, struct kms_state *s, uint32_t object, uint32_t property,
                     uint64_t value);
/* Names and values of an object's properties; -1: no such object of this type (0: any). */
enum { KMS_PROPERTIES = 20 };
int kms_properties(const struct kms *k, uint32_t object, uint32_t type, bool atomic,
                   uint32_t name[KMS_PROPERTIES], uint64_t value[KMS_PROPERTIES]);
int kms_property_describe(struct drm_mode_get_property *p);

#endif
