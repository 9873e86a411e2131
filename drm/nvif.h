/* NVIF, the newer interface of the kernel's driver (from version 1.3.1): clients name devices and
 * objects by tokens of their own.
 */
#pragma once

#include "drm/chip.h"

#include <stddef.h>
#include <stdint.h>

struct node;

enum { NVIF_OBJECTS = 256 };
struct nvif_table {
    struct nvif_object {
        uint64_t name; /* the client's name of the object; 0: free */
        int64_t channel;
        uint32_t handle;
    } object[NVIF_OBJECTS];
};

/* Answers the NVIF ioctl: 0 or -errno. */
int nvif_call(struct node *n, struct nvif_table *t, const struct chip *chip, void *argument,
              size_t size);

/* Forgets the objects of a channel that is gone (Mesa 25 never deletes such objects). */
void nvif_forget(struct nvif_table *t, int64_t channel);
