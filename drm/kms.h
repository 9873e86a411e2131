/* The display of the card node: one connector, one CRTC, a primary and a cursor plane. Legacy calls
 * or atomic commits set its state; a window shows it (drm/screen.h). In: mode-setting ioctls. Out:
 * pictures to the window; events that a client reads from its descriptor. kms_open takes the GPU's
 * lock; callers of all other functions hold the lock.
 */
#pragma once

#include "drm/gem.h"

struct kms;

/* One open of the card node. */
struct kms_client {
    struct gpu *gpu;
    struct gem_table *gem;
    struct kms *kms; /* NULL: this node has no display */
    struct kms_client *next;
    int events; /* the end of a socket whose other end the program reads */
    bool atomic, universal;
    /* set once the client has agreed on a version as master: then the device tells a bus address */
    bool named;
    uint32_t magic;
};

/* Gives the node a display if there is a window. `events` becomes the client's socket. */
void kms_open(struct kms_client *c, struct gpu *g, struct gem_table *gem, int events);
void kms_close(struct kms_client *c);
/* Answers an ioctl of a display: *result is 0 or -errno. False if the node has no display or the
 * number is not a display's. */
bool kms_call(struct kms_client *c, uint32_t number, uint32_t size, void *argument, int *result);
/* Sets *value to the value of a capability of displays. False for other capabilities. */
bool kms_capability(uint64_t capability, uint64_t *value);
