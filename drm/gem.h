/* Buffer objects: ranges of GPU memory with reference counts, the handles by which a client names
 * them, and their exchange between processes as memfds (PRIME). Functions are called with gpu->lock
 * held.
 */
#pragma once

#include "drm/gpu.h"
#include "drm/turns.h"

struct gem_bo {
    uint32_t refs;
    uint64_t address, size;
    uint32_t domain, tile_mode, tile_flags;
    uint64_t last_use;               /* sequence of the last submission that names the object */
    const struct channel *last_user; /* its channel, only compared: the channel may be freed */
    int prime_fd; /* memfd with the bytes of an exported or imported object; -1: not shared */
    dev_t prime_dev;
    ino_t prime_ino;
    struct turns *turns; /* the page behind the bytes in that memfd; NULL: none */
    struct gem_bo *next_exported;
    /* copy of the bytes for TESLAPIPE_RECORD; NULL: no recording, or only this GPU writes them */
    uint8_t *recorded;
};

struct gem_table {
    struct gem_bo **bo;        /* index: handle - 1; NULL: free */
    uint32_t capacity, search; /* all handles below `search` are in use */
    uint64_t closed;           /* number of handles closed so far */
};

/* Makes a buffer object with one reference. NULL if memory or the domain is full, or an argument is
 * impossible. align: a power of two, or 0; domain: one NOUVEAU_GEM_DOMAIN bit. */
struct gem_bo *gem_new(struct gpu *g, uint64_t size, uint64_t align, uint32_t domain);
void gem_destroy(struct gpu *g, struct gem_bo *bo);
static inline void gem_unref(struct gpu *g, struct gem_bo *bo) {
    if (!--bo->refs)
        gem_destroy(g, bo);
}

/* Gives an object a handle and takes over a reference. Returns 0, and drops the reference, if
 * memory is full. */
uint32_t gem_handle_add(struct gpu *g, struct gem_table *t, struct gem_bo *bo);
struct gem_bo *gem_lookup(const struct gem_table *t, uint32_t handle);
/* 0, or -ENOENT if the handle is unknown. */
int gem_handle_close(struct gpu *g, struct gem_table *t, uint32_t handle);
void gem_table_free(struct gpu *g, struct gem_table *t);

/* log2 of the bytes of each handle's window in the offsets of mmap. */
enum { GEM_COOKIE_SHIFT = 36 };
/* Maps a part of a buffer object for the CPU, as mmap with this offset does on the render node.
 * Returns the GPU's own mapping, or with MAP_FIXED makes a second one at `address`; MAP_FAILED with
 * errno set if the range is not inside an object. */
void *gem_map(struct gpu *g, const struct gem_table *t, void *address, size_t length, int prot,
              int flags, uint64_t offset);

/* Exports a buffer object. Returns a new descriptor of its memfd, or -errno. */
int gem_export(struct gpu *g, struct gem_bo *bo, int cloexec);
/* Imports a memfd. Returns 0 and sets *handle, or -errno. */
int gem_import(struct gpu *g, struct gem_table *t, int fd, uint32_t *handle);
