/* Buffer objects. In: sizes, handles, descriptors. Out: ranges of the GPU's memory and CPU mappings
 * of them. A buffer object has one GPU address all its life. The export of an object moves its
 * bytes into a memfd of its own and maps the memfd at the same place. Must not know ioctls or
 * pixels.
 */
#define _GNU_SOURCE
#include "drm/gem.h"
#include "drm/held.h"

#include "fifo/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdrm/nouveau_drm.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PAGE = 4096, TILED_ALIGN = 65536 };

static uint64_t *domain_usage(struct gpu *g, const struct gem_bo *bo) {
    return bo->domain == NOUVEAU_GEM_DOMAIN_VRAM ? &g->vram_used : &g->gart_used;
}

struct gem_bo *gem_new(struct gpu *g, uint64_t size, uint64_t align, uint32_t domain) {
    if (!size || size > (uint64_t)GPU_VRAM + GPU_GART || (align & (align - 1)))
        return NULL;
    struct gem_bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return NULL;
    bo->refs = 1;
    bo->prime_fd = -1;
    bo->domain = domain;
    bo->size = (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    const bool full = *domain_usage(g, bo) + bo->size > (uint64_t)GPU_VRAM;
    bo->address = full ? 0 : memory_alloc(g->memory, bo->size, align < PAGE ? PAGE : align);
    if (!bo->address) {
        log_message(&g->log, LOG_INFO, "no room for a buffer of %" PRIu64 " bytes", bo->size);
        free(bo);
        return NULL;
    }
    *domain_usage(g, bo) += bo->size;
    if (*domain_usage(g, bo) > GPU_VRAM / 2) /* the fences let the driver free other objects */
        queue_hurry(g);
    if (g->record)
        record_alloc(g->record, bo->address, bo->size);
    return bo;
}

/* Replaces a mapping of GPU memory by a mapping of a file, which core dumps leave out like all GPU
 * memory. */
static bool map_over(void *at, uint64_t size, int fd, uint64_t from) {
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd,
             (off_t)from) == MAP_FAILED)
        return false;
    madvise(at, size, MADV_DONTDUMP);
    return true;
}

static void forget_export(struct gpu *g, struct gem_bo *bo) {
    for (struct gem_bo **p = &g->exported; *p; p = &(*p)->next_exported)
        if (*p == bo) {
            *p = bo->next_exported;
            break;
        }
    map_over(memory_at(g->memory, bo->address, bo->size), bo->size, g->memory_fd, bo->address);
    munmap(bo->turns, TURNS_BYTES);
    held_close(bo->prime_fd);
}

void gem_destroy(struct gpu *g, struct gem_bo *bo) {
    if (bo->prime_fd >= 0)
        forget_export(g, bo);
    *domain_usage(g, bo) -= bo->size;
    if (g->record)
        record_free(g->record, bo->address);
    free(bo->recorded);
    memory_free(g->memory, bo->address);
    free(bo);
}

uint32_t gem_handle_add(struct gpu *g, struct gem_table *t, struct gem_bo *bo) {
    while (t->search < t->capacity && t->bo[t->search])
        t->search++;
    if (t->search == t->capacity) {
        const uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
        struct gem_bo **grown = realloc(t->bo, capacity * sizeof *grown);
        if (!grown) {
            gem_unref(g, bo);
            return 0;
        }
        memset(grown + t->capacity, 0, (capacity - t->capacity) * sizeof *grown);
        t->bo = grown;
        t->capacity = capacity;
    }
    t->bo[t->search] = bo;
    return ++t->search;
}

struct gem_bo *gem_lookup(const struct gem_table *t, uint32_t handle) {
    return handle && handle <= t->capacity ? t->bo[handle - 1] : NULL;
}

int gem_handle_close(struct gpu *g, struct gem_table *t, uint32_t handle) {
    struct gem_bo *bo = gem_lookup(t, handle);
    if (!bo)
        return -ENOENT;
    t->bo[handle - 1] = NULL;
    t->closed++;
    t->search = handle - 1 < t->search ? handle - 1 : t->search;
    gem_unref(g, bo);
    return 0;
}

void gem_table_free(struct gpu *g, struct gem_table *t) {
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->bo[i])
            gem_unref(g, t->bo[i]);
    free(t->bo);
}

/* Called when the CPU or another process may change the object's bytes from now on. For a
 * recording, keeps a copy, with which later changes are found. */
static void watch_bytes(struct gpu *g, struct gem_bo *bo) {
    if (!g->record || bo->recorded)
        return;
    queue_wait(g, g->submitted);
    if (bo->recorded) /* another thread recorded the buffer during the wait */
        return;
    bo->recorded = malloc(bo->size);
    if (bo->recorded)
        memcpy(bo->recorded, memory_at(g->memory, bo->address, bo->size), bo->size);
    else
        log_message(&g->log, LOG_ERROR, "no memory to record a buffer of %" PRIu64 " bytes",
                    bo->size);
}

void *gem_map(struct gpu *g, const struct gem_table *t, void *address, size_t length, int prot,
              int flags, uint64_t offset) {
    struct gem_bo *bo = gem_lookup(t, (uint32_t)(offset >> GEM_COOKIE_SHIFT));
    const uint64_t start = offset & ((UINT64_C(1) << GEM_COOKIE_SHIFT) - 1);
    if (!bo || start >= bo->size || length > bo->size - start) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    bo->refs++; /* another thread may close the handle during a wait */
    watch_bytes(g, bo);
    /* without MAP_FIXED: the GPU's own mapping, whose pages are there already */
    void *at = !(flags & MAP_FIXED) ? memory_at(g->memory, bo->address + start, length)
               : bo->prime_fd >= 0
                   ? mmap(address, length, prot, flags, bo->prime_fd, (off_t)start)
                   : mmap(address, length, prot, flags, g->memory_fd, (off_t)(bo->address + start));
    gem_unref(g, bo);
    return at;
}

/* Replaces all mappings of a range of file `old` in this process, the GPU's own and those of the
 * CPU, by mappings of a range of file `new`. Returns 0 or -errno; after an error some mappings may
 * have been replaced. */
static int remap_bytes(int old, uint64_t old_at, uint64_t size, int new, uint64_t new_at) {
    struct stat st;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps || fstat(old, &st) != 0) {
        if (maps)
            fclose(maps);
        return -EIO;
    }
    char line[512];
    int result = 0;
    while (fgets(line, sizeof line, maps)) {
        uint64_t start, end, offset, inode;
        unsigned major, minor; /* files of other file systems may have the inode's number, too */
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &start, &end,
                   &offset, &major, &minor, &inode) != 6 ||
            inode != st.st_ino || makedev(major, minor) != st.st_dev)
            continue;
        const uint64_t from = offset > old_at ? offset : old_at;
        const uint64_t last = offset + (end - start), old_end = old_at + size;
        const uint64_t to = last < old_end ? last : old_end;
        if (from >= to)
            continue;
        void *at = (void *)(uintptr_t)(start + (from - offset));
        if (!map_over(at, to - from, new, from - old_at + new_at))
            result = -ENOMEM;
    }
    fclose(maps);
    return result;
}

static int remember_export(struct gpu *g, struct gem_bo *bo, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    bo->turns = mmap(NULL, TURNS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)bo->size);
    if (bo->turns == MAP_FAILED) {
        bo->turns = NULL;
        return -ENOMEM;
    }
    g->shares++;
    bo->prime_fd = held_move(fd);
    bo->prime_dev = st.st_dev;
    bo->prime_ino = st.st_ino;
    bo->next_exported = g->exported;
    g->exported = bo;
    return 0;
}

/* Moves a buffer object's bytes into a memfd. The memfd's name carries domain and tiling; an
 * importing process reads the name under /proc/self/fd. */
static int make_prime(struct gpu *g, struct gem_bo *bo) {
    char name[64];
    watch_bytes(g, bo);
    queue_drain(g);
    if (bo->prime_fd >= 0) /* another thread exported the buffer during the wait */
        return 0;
    snprintf(name, sizeof name, SHARED_NAME, bo->domain, bo->tile_mode, bo->tile_flags);
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    const uint8_t *data = memory_at(g->memory, bo->address, bo->size);
    int result = ftruncate(fd, (off_t)bo->size + TURNS_BYTES) == 0 ? 0 : -errno;
    for (uint64_t done = 0; !result && done < bo->size;) {
        const ssize_t n = pwrite(fd, data + done, bo->size - done, (off_t)done);
        if (n <= 0)
            result = -EIO;
        else
            done += (uint64_t)n;
    }
    if (!result)
        result = remap_bytes(g->memory_fd, bo->address, bo->size, fd, 0);
    if (!result)
        result = remember_export(g, bo, fd);
    if (!result) {
        bo->turns->chipset = g->chip->chipset;
        return 0;
    }
    remap_bytes(fd, 0, bo->size, g->memory_fd, bo->address); /* undo the mappings replaced so far */
    close(fd);
    return result;
}

int gem_export(struct gpu *g, struct gem_bo *bo, int cloexec) {
    bo->refs++; /* another thread may close the handle during a wait */
    int result = bo->prime_fd < 0 ? make_prime(g, bo) : 0;
    if (!result) {
        const int fd = fcntl(bo->prime_fd, cloexec ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
        result = fd < 0 ? -errno : fd;
    }
    gem_unref(g, bo);
    return result;
}

static int import_known(struct gpu *g, struct gem_table *t, struct gem_bo *bo, uint32_t *handle) {
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->bo[i] == bo) {
            *handle = i + 1;
            return 0;
        }
    bo->refs++;
    *handle = gem_handle_add(g, t, bo);
    return *handle ? 0 : -ENOMEM;
}

/* Maps another process's buffer object into this GPU's memory. */
static int import_foreign(struct gpu *g, struct gem_table *t, int fd, uint64_t size,
                          uint32_t *handle) {
    char path[64], target[128];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    const char *name = strstr(target, "teslapipe-bo ");
    uint32_t domain, tile_mode, tile_flags;
    if (!name || sscanf(name, SHARED_NAME, &domain, &tile_mode, &tile_flags) != 3)
        return -EINVAL;
    struct gem_bo *bo = gem_new(g, size, TILED_ALIGN, domain);
    if (!bo)
        return -ENOMEM;
    bo->tile_mode = tile_mode;
    bo->tile_flags = tile_flags;
    watch_bytes(g, bo);
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    void *at = memory_at(g->memory, bo->address, bo->size);
    if (remember_export(g, bo, own)) {
        if (own >= 0)
            close(own);
        gem_unref(g, bo);
        return -ENOMEM;
    }
    if (!map_over(at, bo->size, bo->prime_fd, 0)) {
        gem_unref(g, bo);
        return -ENOMEM;
    }
    *handle = gem_handle_add(g, t, bo);
    return *handle ? 0 : -ENOMEM;
}

int gem_import(struct gpu *g, struct gem_table *t, int fd, uint32_t *handle) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    for (struct gem_bo *bo = g->exported; bo; bo = bo->next_exported)
        if (bo->prime_dev == st.st_dev && bo->prime_ino == st.st_ino)
            return import_known(g, t, bo, handle);
    if (!S_ISREG(st.st_mode) || st.st_size <= TURNS_BYTES || st.st_size % PAGE)
        return -EINVAL;
    return import_foreign(g, t, fd, (uint64_t)st.st_size - TURNS_BYTES, handle);
}
