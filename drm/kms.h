/* The display of the card node: one connector, one CRTC, a primary and a cursor plane, set by
 * legacy calls or atomic commits, and shown by a window (drm/screen.h). In: mode-setting ioctls.
 * Out: pictures to the window; events that a client reads from its descriptor. All of it with the
 * GPU's lock held.
 */
#ifndef DRM_KMS_H
#define DRM_KMS_H

#include "drm/gem.h"

struct kms;

/* One open of the card node. */
struct kms_client {
    struct gpu *gpu;
    struct gem_table *gem;
    struct kms *kms; /* NULL: this node has no display */
    struct kms_client *next;
    int events; /* socket: what is written here, the program reads */
    bool atomic, universal;
    bool named; /* its master agreed on a version: the device tells its bus address */
    uint32_t magic;
};

/* Gives the node a display, if there is a window for one. Takes over the descriptor. */
void kms_open(struct kms_client *c, struct gpu *g, struct gem_table *gem, int events);
void kms_close(struct kms_client *c);
/* False: the number is no request to a display, or there is none; else *result is 0 or -errno. */
bool kms_call(struct kms_client *c, uint32_t number, uint32_t size, void *argument, int *result);
/* A capability's value; false: not one of displays'. */
bool kms_capability(uint64_t capability, uint64_t *value);

#endif
