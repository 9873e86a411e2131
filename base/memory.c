/* The GPU's memory: reservation, range allocator, look-up. In: sizes and addresses. Out: ranges of
 * one mapping. The sets of ranges (allocated, free) are under one reader-writer lock. All free
 * memory reads zero: memory_free clears its range, so that memory_alloc need not. Pages of freed
 * ranges (a third set, a subset of the free ranges) are kept for the next allocation, up to a
 * limit. Knows nothing of the contents.
 */
#define _GNU_SOURCE
#include "base/memory_copy.h"
#include "base/ranges.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, GRANULE = 256, COMMIT_STEP = 16 << 20 };
/* The largest freed range whose pages are kept, and the limit for all kept pages, in bytes. Page
 * faults cost several times as much as clearing. */
enum { KEEP_RANGE = 32 << 20, KEEP_ALL = 64 << 20 };

struct gpu_memory {
    uint8_t *base;
    uint64_t size;
    uint64_t committed; /* bytes from address 0 that may be accessed: all, or a prefix that grows */
    int fd;             /* file behind the mapping; -1: none */
    pthread_rwlock_t lock;
    /* used: sizes as requested; free: whole granules, never adjacent */
    struct range_set used, free;
    struct range_set kept; /* freed ranges that are cleared and keep their pages; never adjacent */
    uint64_t kept_bytes;
    uint64_t now, peak;  /* allocated bytes: now, and at most */
    uint64_t generation; /* atomic; memory_generation() */
};

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) & ~(to - 1);
}

#if defined(__wasm__)
/* WebAssembly has no mappings, so the space is a part of the module's memory. The first
 * `committed` bytes have been cleared; more are cleared as allocations need them. The system takes
 * no pages back. */
static bool map_space(struct gpu_memory *m) {
    m->committed = 0;
    m->base = m->size <= SIZE_MAX ? aligned_alloc(PAGE, (size_t)m->size) : NULL;
    return m->base != NULL;
}

static void unmap_space(struct gpu_memory *m) {
    free(m->base);
}

static bool grant(struct gpu_memory *m, uint64_t to) {
    memset(m->base + m->committed, 0, to - m->committed);
    return true;
}

static bool punch_pages(struct gpu_memory *, uint64_t, uint64_t) {
    return false;
}
#else
/* True under valgrind. At the program's end, valgrind looks for pointers in all memory that can be
 * read, and that would be the whole space (64 GiB by default). */
static bool reads_all_memory(void) {
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "/vgpreload_");
}

/* Maps `size` bytes. If the system refuses to commit so many bytes, maps them without access
 * rights; a growing prefix gets the rights later. A prefix has one boundary, so the kernel has two
 * mappings, not many. */
static bool map_space(struct gpu_memory *m) {
    const int shared = m->fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    struct stat st;
    if (m->fd >= 0 && (fstat(m->fd, &st) != 0 ||
                       ((uint64_t)st.st_size < m->size && ftruncate(m->fd, (off_t)m->size) != 0)))
        return false;
    m->committed = m->size;
    void *p = reads_all_memory()
                  ? MAP_FAILED
                  : mmap(NULL, m->size, PROT_READ | PROT_WRITE, shared | MAP_NORESERVE, m->fd, 0);
    if (p == MAP_FAILED) {
        m->committed = 0;
        p = mmap(NULL, m->size, PROT_NONE, shared | MAP_NORESERVE, m->fd, 0);
    }
    if (p == MAP_FAILED)
        return false;
    madvise(p, m->size, MADV_DONTDUMP); /* else a core dump would contain the holes of the file */
    m->base = p;
    return true;
}

static void unmap_space(struct gpu_memory *m) {
    munmap(m->base, m->size);
}

static bool grant(struct gpu_memory *m, uint64_t to) {
    return mprotect(m->base + m->committed, to - m->committed, PROT_READ | PROT_WRITE) == 0;
}

static bool punch_pages(struct gpu_memory *m, uint64_t first, uint64_t last) {
    return (m->fd >= 0 ? fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
                                   (off_t)(last - first))
                       : madvise(m->base + first, last - first, MADV_DONTNEED)) == 0;
}
#endif

static bool commit_to(struct gpu_memory *m, uint64_t end) {
    if (end <= m->committed)
        return true;
    uint64_t to = round_up(end, COMMIT_STEP);
    to = to < m->size ? to : m->size;
    if (!grant(m, to))
        return false;
    m->committed = to;
    return true;
}

struct gpu_memory *memory_create(uint64_t size, int fd) {
    struct gpu_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->fd = -1;
    m->size = size <= UINT64_MAX / 2 ? round_up(size, PAGE) : 0;
    if (m->size <= PAGE || (fd >= 0 && (m->fd = fcntl(fd, F_DUPFD_CLOEXEC, fd)) < 0) ||
        !ranges_reserve(&m->free, 1) || !map_space(m)) {
        if (m->fd >= 0)
            close(m->fd);
        ranges_free(&m->free);
        free(m);
        return NULL;
    }
    pthread_rwlock_init(&m->lock, NULL);
    ranges_insert(&m->free, (struct range){PAGE, m->size - PAGE});
    return m;
}

int memory_file(const struct gpu_memory *m) {
    return m->fd;
}

void memory_destroy(struct gpu_memory *m) {
    if (!m)
        return;
    unmap_space(m);
    if (m->fd >= 0)
        close(m->fd);
    pthread_rwlock_destroy(&m->lock);
    ranges_free(&m->used);
    ranges_free(&m->free);
    ranges_free(&m->kept);
    free(m);
}

/* Adds `more` bytes to the allocated ones. Modulo 2^64: a negative number subtracts. */
static void note_usage(struct gpu_memory *m, uint64_t more) {
    m->now += more;
    m->peak = m->now > m->peak ? m->now : m->peak;
    __atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
}

/* Makes room in the sets for the ranges that an allocation may add, and for the free range that
 * freeing each allocation may add. So freeing needs no memory. */
static bool reserve_sets(struct gpu_memory *m) {
    return ranges_reserve(&m->used, 1) && ranges_reserve(&m->free, m->used.count + 2) &&
           ranges_reserve(&m->kept, 1);
}

/* Takes [address, end) out of the kept ranges. */
static void take_kept(struct gpu_memory *m, uint64_t address, uint64_t end) {
    for (struct range r = ranges_after(&m->kept, address); r.size && r.address < end;
         r = ranges_after(&m->kept, address)) {
        const uint64_t first = r.address > address ? r.address : address;
        const uint64_t last = r.address + r.size < end ? r.address + r.size : end;
        ranges_take(&m->kept, first, last - first);
        m->kept_bytes -= last - first;
    }
}

/* Allocates [address, address + size), which is free. */
static void allocate_at(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t end = address + round_up(size, GRANULE);
    ranges_take(&m->free, address, end - address);
    ranges_insert(&m->used, (struct range){address, size});
    take_kept(m, address, end);
    note_usage(m, size);
}

/* Takes the lowest free range that is large enough. */
static uint64_t alloc_locked(struct gpu_memory *m, uint64_t size, uint64_t align) {
    const uint64_t need = round_up(size, GRANULE);
    const uint64_t address = reserve_sets(m) ? ranges_fit(&m->free, need, align) : 0;
    if (!address || !commit_to(m, address + need))
        return 0;
    allocate_at(m, address, size);
    return address;
}

uint64_t memory_alloc(struct gpu_memory *m, uint64_t size, uint64_t align) {
    if (!size || size > m->size || (align & (align - 1)))
        return 0;
    pthread_rwlock_wrlock(&m->lock);
    const uint64_t address = alloc_locked(m, size, align < GRANULE ? GRANULE : align);
    pthread_rwlock_unlock(&m->lock);
    return address;
}

bool memory_alloc_at(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t need = round_up(size, GRANULE);
    if (!size || size > m->size || address % GRANULE)
        return false;
    pthread_rwlock_wrlock(&m->lock);
    const struct range r = ranges_after(&m->free, address);
    const bool fits = r.size && r.address <= address && r.size - (address - r.address) >= need &&
                      reserve_sets(m) && commit_to(m, address + need);
    if (fits)
        allocate_at(m, address, size);
    pthread_rwlock_unlock(&m->lock);
    return fits;
}

/* Gives the whole pages of the range back to the system; they then read zero. False if the system
 * refuses. */
static bool punch_hole(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t first = round_up(address, PAGE), last = (address + size) & ~(uint64_t)(PAGE - 1);
    if (first >= last)
        return true;
    return punch_pages(m, first, last);
}

/* Clears a freed range. True if the range kept its pages and is to be listed as kept. keep: the
 * list has room. A large range keeps its pages only if the system refuses to take them. */
static bool zero_range(struct gpu_memory *m, uint64_t address, uint64_t size, bool keep) {
    const uint64_t end = address + size;
    const uint64_t first = round_up(address, PAGE), last = end & ~(uint64_t)(PAGE - 1);
    if ((!keep || size > KEEP_RANGE) && first < last && punch_hole(m, address, size)) {
        memset(m->base + address, 0, first - address);
        memset(m->base + last, 0, end - last);
        return false;
    }
    memset(m->base + address, 0, size);
    return keep;
}

/* Gives all kept pages back to the system when there are too many; also the pages that kept ranges
 * share with other free ranges. */
static void limit_kept(struct gpu_memory *m) {
    if (m->kept_bytes <= KEEP_ALL)
        return;
    for (struct range r = ranges_after(&m->kept, 0); r.size;
         r = ranges_after(&m->kept, r.address + r.size)) {
        const struct range around = ranges_after(&m->free, r.address);
        const uint64_t begin = r.address & ~(uint64_t)(PAGE - 1);
        const uint64_t end = round_up(r.address + r.size, PAGE);
        const uint64_t first = begin > around.address ? begin : around.address;
        const uint64_t around_end = around.address + around.size;
        punch_hole(m, first, (end < around_end ? end : around_end) - first);
    }
    ranges_clear(&m->kept);
    m->kept_bytes = 0;
}

void memory_free(struct gpu_memory *m, uint64_t address) {
    if (!address)
        return;
    pthread_rwlock_wrlock(&m->lock);
    const struct range found = ranges_after(&m->used, address);
    if (found.size && found.address == address) {
        const bool keep = ranges_reserve(&m->kept, 1);
        const uint64_t size = found.size;
        const struct range r = {address, round_up(size, GRANULE)};
        ranges_remove(&m->used, address);
        note_usage(m, -size);
        ranges_merge(&m->free, r);
        if (zero_range(m, address, size, keep)) {
            ranges_merge(&m->kept, r);
            m->kept_bytes += r.size;
        }
        limit_kept(m);
    }
    pthread_rwlock_unlock(&m->lock);
}

uint64_t memory_generation(const struct gpu_memory *m) {
    return __atomic_load_n(&m->generation, __ATOMIC_ACQUIRE);
}

uint64_t memory_extent(struct gpu_memory *m, uint64_t address) {
    uint64_t extent = 0;
    pthread_rwlock_rdlock(&m->lock);
    const struct range r = ranges_after(&m->used, address);
    if (r.size && r.address <= address)
        extent = r.address + r.size - address;
    pthread_rwlock_unlock(&m->lock);
    return extent;
}

void *memory_view(struct gpu_memory *m, uint64_t address, uint64_t *extent) {
    *extent = memory_extent(m, address);
    return *extent ? m->base + address : NULL;
}

void *memory_at(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t extent = memory_extent(m, address);
    return extent && size <= extent ? m->base + address : NULL;
}

void *memory_near(struct gpu_memory *m, struct memory_hint *hint, uint64_t address, uint64_t size) {
    if (hint->generation != memory_generation(m) || address < hint->address ||
        address >= hint->end) {
        pthread_rwlock_rdlock(&m->lock);
        const struct range r = ranges_after(&m->used, address);
        *hint = (struct memory_hint){m->generation, address, address};
        if (r.size && r.address <= address)
            *hint = (struct memory_hint){m->generation, r.address, r.address + r.size};
        pthread_rwlock_unlock(&m->lock);
    }
    return address < hint->end && size <= hint->end - address ? m->base + address : NULL;
}

void *memory_host(const struct gpu_memory *m) {
    return m->base;
}

uint64_t memory_address(const struct gpu_memory *m, const void *host) {
    return (uint64_t)((const uint8_t *)host - m->base);
}

bool memory_contains(const struct gpu_memory *m, const void *host, uint64_t size) {
    const uintptr_t at = (uintptr_t)host, base = (uintptr_t)m->base;
    return at < base ? size > base - at : at - base < m->size;
}

void *memory_window(struct gpu_memory *m, uint64_t address, uint64_t *size) {
    pthread_rwlock_rdlock(&m->lock);
    const struct range last = ranges_before(&m->used, UINT64_MAX);
    const uint64_t end = last.address + last.size;
    pthread_rwlock_unlock(&m->lock);
    *size = address < end ? end - address : 0;
    return *size ? m->base + address : NULL;
}

void memory_usage(struct gpu_memory *m, uint64_t *now, uint64_t *peak) {
    pthread_rwlock_rdlock(&m->lock);
    *now = m->now;
    *peak = m->peak;
    pthread_rwlock_unlock(&m->lock);
}

/* ---- copies ---- */

void memory_copy_again(struct gpu_memory *copy, struct gpu_memory *m) {
    struct range r = {0};
    while ((r = ranges_after(&m->used, r.address + r.size)).size)
        memcpy(copy->base + r.address, m->base + r.address, r.size);
}

struct gpu_memory *memory_copy(struct gpu_memory *m, uint64_t most) {
    struct gpu_memory *copy = m->now <= most ? memory_create(m->size, -1) : NULL;
    struct range r = {0};
    while (copy && (r = ranges_after(&m->used, r.address + r.size)).size)
        if (!memory_alloc_at(copy, r.address, r.size)) {
            memory_destroy(copy);
            copy = NULL;
        }
    if (copy)
        memory_copy_again(copy, m);
    return copy;
}
