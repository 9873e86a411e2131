/* Shared by the programs of tests/gl that make requests to the render node: their buffers, channels
 * and submissions. */
#pragma once
#include "heap.h"
#include "locks.h"
#include "verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libdrm/drm.h>
#include <libdrm/nouveau_drm.h>

static int node;

/* Returns 0 or the error. */
static inline int ask(unsigned long request, void *argument) {
    const int result = ioctl(node, request, argument);
    return result > 0 ? 9999 : error_of(result);
}

#define NOUVEAU(name, type) DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_##name, type)
#define GETPARAM NOUVEAU(GETPARAM, struct drm_nouveau_getparam)
#define CHANNEL_ALLOC NOUVEAU(CHANNEL_ALLOC, struct drm_nouveau_channel_alloc)
#define CHANNEL_FREE NOUVEAU(CHANNEL_FREE, struct drm_nouveau_channel_free)
#define GROBJ_ALLOC NOUVEAU(GROBJ_ALLOC, struct drm_nouveau_grobj_alloc)
#define NOTIFIER_ALLOC NOUVEAU(NOTIFIEROBJ_ALLOC, struct drm_nouveau_notifierobj_alloc)
#define GPUOBJ_FREE NOUVEAU(GPUOBJ_FREE, struct drm_nouveau_gpuobj_free)
#define GEM_NEW NOUVEAU(GEM_NEW, struct drm_nouveau_gem_new)
#define GEM_INFO NOUVEAU(GEM_INFO, struct drm_nouveau_gem_info)
#define PUSHBUF NOUVEAU(GEM_PUSHBUF, struct drm_nouveau_gem_pushbuf)
#define CPU_PREP NOUVEAU(GEM_CPU_PREP, struct drm_nouveau_gem_cpu_prep)
#define CPU_FINI NOUVEAU(GEM_CPU_FINI, struct drm_nouveau_gem_cpu_fini)
enum { PAGE = 4096, VRAM = NOUVEAU_GEM_DOMAIN_VRAM, GART = NOUVEAU_GEM_DOMAIN_GART };

/* The program's argument names the chip, as NVxx. Opens the node and returns the chip's number, or
 * 0. */
static inline uint32_t open_node(int argc, char **argv) {
    if (argc < 2)
        return 0;
    node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    verdict("the node opens", node >= 0);
    return (uint32_t)strtoul(argv[1] + 2, NULL, 16);
}

/* ---- buffers ---- */

static inline int new_buffer(uint64_t size, uint32_t align, uint32_t domain, uint32_t tile_flags,
                             struct drm_nouveau_gem_info *info) {
    struct drm_nouveau_gem_new r = {
        .info = {.size = size, .domain = domain, .tile_flags = tile_flags, .tile_mode = 0x40},
        .align = align};
    const int result = ask(GEM_NEW, &r);
    *info = r.info;
    return result;
}

static inline int close_buffer(uint32_t handle) {
    struct drm_gem_close c = {.handle = handle};
    return ask(DRM_IOCTL_GEM_CLOSE, &c);
}

/* ---- channels and objects ---- */

static inline int new_channel(int32_t *number) {
    struct drm_nouveau_channel_alloc a = {.fb_ctxdma_handle = VRAM, .tt_ctxdma_handle = GART};
    const int result = ask(CHANNEL_ALLOC, &a);
    *number = a.channel;
    return result;
}

static inline int free_channel(int32_t number) {
    struct drm_nouveau_channel_free f = {.channel = number};
    return ask(CHANNEL_FREE, &f);
}

static inline int new_object(int32_t channel, uint32_t handle, int32_t class) {
    struct drm_nouveau_grobj_alloc a = {.channel = channel, .handle = handle, .class = class};
    return ask(GROBJ_ALLOC, &a);
}

/* ---- submissions ---- */

struct submission {
    struct drm_nouveau_gem_pushbuf_bo bo[4];
    struct drm_nouveau_gem_pushbuf_push push[4];
    struct drm_nouveau_gem_pushbuf_reloc reloc[4];
    struct drm_nouveau_gem_pushbuf p;
};

static inline int submit(struct submission *s, int32_t channel, uint32_t bos, uint32_t pushes,
                         uint32_t relocs) {
    s->p = (struct drm_nouveau_gem_pushbuf){.channel = (uint32_t)channel,
                                            .nr_buffers = bos,
                                            .buffers = (uintptr_t)s->bo,
                                            .nr_push = pushes,
                                            .push = (uintptr_t)s->push,
                                            .nr_relocs = relocs,
                                            .relocs = (uintptr_t)s->reloc};
    return ask(PUSHBUF, &s->p);
}

static inline int wait_for(uint32_t handle, uint32_t flags) {
    struct drm_nouveau_gem_cpu_prep p = {.handle = handle, .flags = flags};
    return ask(CPU_PREP, &p);
}

/* A channel with a buffer of words and a buffer of results. */
struct world {
    int32_t channel;
    struct drm_nouveau_gem_info push, data;
    uint32_t *word;
    volatile uint32_t *result;
    struct submission s;
};

static inline void *map(const struct drm_nouveau_gem_info *info) {
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, node, (off_t)info->map_handle);
}

static inline void open_world(struct world *w) {
    *w = (struct world){0};
    new_channel(&w->channel);
    new_buffer(PAGE, 0, GART, 0, &w->push);
    new_buffer(PAGE, 0, VRAM, 0, &w->data);
    w->word = map(&w->push);
    w->result = map(&w->data);
    const struct drm_nouveau_gem_pushbuf_bo bo[2] = {
        {.handle = w->push.handle, .valid_domains = GART, .presumed = {.valid = 1}},
        {.handle = w->data.handle, .valid_domains = VRAM, .presumed = {.valid = 1}}};
    memcpy(w->s.bo, bo, sizeof bo);
}

static inline void close_world(struct world *w) {
    munmap(w->word, PAGE);
    munmap((void *)w->result, PAGE);
    close_buffer(w->push.handle);
    close_buffer(w->data.handle);
    free_channel(w->channel);
}

#define WORLD(w)                                                                                   \
    struct world w __attribute__((cleanup(close_world)));                                          \
    open_world(&w)

/* Writes methods that store `value` to an address: the release of a semaphore. */
static inline uint32_t release(uint32_t *word, uint64_t address, uint32_t value) {
    const uint32_t words[] = {4 << 18 | 0x10, (uint32_t)(address >> 32), (uint32_t)address, value,
                              2};
    memcpy(word, words, sizeof words);
    return sizeof words;
}

/* Submits `length` bytes of the world's words from `offset` on. */
static inline int push(struct world *w, int32_t channel, uint64_t offset, uint64_t length) {
    w->s.push[0] = (struct drm_nouveau_gem_pushbuf_push){.offset = offset, .length = length};
    return submit(&w->s, channel, 2, 1, 0);
}
