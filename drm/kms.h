/* The display of the card node: one connector, one CRTC, a primary and a cursor plane, set by
 * legacy calls or atomic commits, and shown by a window (drm/screen.h). In: mode-setting ioctls.
 * Out: pictures to the window; events that a client reads from its descriptor. All functions are
 * called with the GPU's lock held.
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
    int events; /* socket whose other end the program reads */
    bool atomic, universal;
    bool named; /* its master has agreed on a version: the device then reports its bus address */
    uint32_t magic;
};

/* Gives the node a display if a window shows one. Takes over the descriptor. */
void kms_open(struct kms_client *c, struct gpu *g, struct gem_table *gem, int events);
void kms_close(struct kms_client *c);
/* Answers a display's ioctl: *result is 0 or -errno. False if the number is not one of a display's
 * ioctls, or if there is no display. */
bool kms_call(struct kms_client *c, uint32_t number, uint32_t size, void *argument, int *result);
/* The value of a display's capability; false if the capability is not a display's. */
bool kms_capability(uint64_t capability, uint64_t *value);

#endif
