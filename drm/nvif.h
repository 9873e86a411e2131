/* The newer way of clients to name things of the kernel's driver: devices and objects by tokens of
 * their own (NVIF, from driver version 1.3.1 on).
 */
#ifndef DRM_NVIF_H
#define DRM_NVIF_H

#include "drm/chip.h"

#include <stddef.h>
#include <stdint.h>

struct node;

enum { NVIF_OBJECTS = 256 };
struct nvif_table {
    struct nvif_object {
        uint64_t name; /* the client's; 0: free */
        int64_t channel;
        uint32_t handle;
    } object[NVIF_OBJECTS];
};

/* The NVIF ioctl: 0 or -errno. */
int nvif_call(struct node *n, struct nvif_table *t, const struct chip *chip, void *argument,
              size_t size);

/* A channel is gone, and its objects with it (Mesa 25 never says that an object is). */
void nvif_forget(struct nvif_table *t, int64_t channel);

#endif
