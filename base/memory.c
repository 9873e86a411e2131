/* The GPU's memory: reservation, range allocator, look-up. In: sizes and addresses. Out: ranges of
 * one mapping. Sorted lists of ranges (allocated, free) under one reader-writer lock; lookups are
 * binary searches. All free memory reads zero: memory_free clears what it takes back, so that
 * memory_alloc has nothing to do. Pages of freed ranges (a third list, part of the free one) are
 * kept for the next allocation, up to a limit. Knows nothing of the contents.
 */
#define _GNU_SOURCE
#include "base/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, GRANULE = 256, COMMIT_STEP = 16 << 20 };
/* The largest freed range whose pages are kept, and the limit for all kept pages, in bytes. Page
 * faults cost several times as much as clearing. */
enum { KEEP_RANGE = 32 << 20, KEEP_ALL = 64 << 20 };

struct range {
    uint64_t address, size;
};

struct range_list {
    struct range *range; /* sorted by address, disjoint */
    size_t count, capacity;
};

struct gpu_memory {
    uint8_t *base;
    uint64_t size;
    uint64_t committed; /* [0, committed) may be accessed; all of it unless the system is strict */
    int fd;             /* -1: anonymous */
    pthread_rwlock_t lock;
    struct range_list used,
        free;               /* used: sizes as requested; free: whole granules, never adjacent */
    struct range_list kept; /* freed ranges that are cleared and keep their pages; never adjacent */
    uint64_t kept_bytes;
    uint64_t now, peak;
    uint64_t generation; /* atomic */
};

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) & ~(to - 1);
}

/* Index of the first range that ends after address. */
static size_t list_find(const struct range_list *l, uint64_t address) {
    size_t low = 0, high = l->count;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (l->range[mid].address + l->range[mid].size > address)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool list_reserve(struct range_list *l) {
    if (l->count < l->capacity)
        return true;
    const size_t capacity = l->capacity ? 2 * l->capacity : 64;
    struct range *r = realloc(l->range, capacity * sizeof *r);
    if (!r)
        return false;
    l->range = r;
    l->capacity = capacity;
    return true;
}

static void list_insert(struct range_list *l, size_t at, struct range r) {
    memmove(&l->range[at + 1], &l->range[at], (l->count - at) * sizeof r);
    l->range[at] = r;
    l->count++;
}

static void list_remove(struct range_list *l, size_t at) {
    l->count--;
    memmove(&l->range[at], &l->range[at + 1], (l->count - at) * sizeof *l->range);
}

/* Maps `size` bytes. If the system refuses to commit so many bytes, the mapping is made without
 * access rights, which are granted later for a growing prefix (one boundary, so that mappings do
 * not multiply). */
static bool map_space(struct gpu_memory *m) {
    const int shared = m->fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    struct stat st;
    if (m->fd >= 0 && (fstat(m->fd, &st) != 0 ||
                       ((uint64_t)st.st_size < m->size && ftruncate(m->fd, (off_t)m->size) != 0)))
        return false;
    m->committed = m->size;
    void *p = mmap(NULL, m->size, PROT_READ | PROT_WRITE, shared | MAP_NORESERVE, m->fd, 0);
    if (p == MAP_FAILED) {
        m->committed = 0;
        p = mmap(NULL, m->size, PROT_NONE, shared | MAP_NORESERVE, m->fd, 0);
    }
    if (p == MAP_FAILED)
        return false;
    madvise(p, m->size, MADV_DONTDUMP); /* a core dump would write the holes of the file, too */
    m->base = p;
    return true;
}

static bool commit_to(struct gpu_memory *m, uint64_t end) {
    if (end <= m->committed)
        return true;
    uint64_t to = round_up(end, COMMIT_STEP);
    to = to < m->size ? to : m->size;
    if (mprotect(m->base + m->committed, to - m->committed, PROT_READ | PROT_WRITE) != 0)
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
    if (m->size <= PAGE || (fd >= 0 && (m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) ||
        !list_reserve(&m->free) || !map_space(m)) {
        if (m->fd >= 0)
            close(m->fd);
        free(m->free.range);
        free(m);
        return NULL;
    }
    pthread_rwlock_init(&m->lock, NULL);
    list_insert(&m->free, 0, (struct range){PAGE, m->size - PAGE});
    return m;
}

void memory_destroy(struct gpu_memory *m) {
    if (!m)
        return;
    munmap(m->base, m->size);
    if (m->fd >= 0)
        close(m->fd);
    pthread_rwlock_destroy(&m->lock);
    free(m->used.range);
    free(m->free.range);
    free(m->kept.range);
    free(m);
}

/* Counts `more` bytes as allocated; fewer wrap around. */
static void note_usage(struct gpu_memory *m, uint64_t more) {
    m->now += more;
    m->peak = m->now > m->peak ? m->now : m->peak;
    __atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
}

/* First fit. Takes [address, address + size) out of free range i. */
static void take_range(struct range_list *l, size_t i, uint64_t address, uint64_t size) {
    const struct range r = l->range[i];
    const struct range before = {r.address, address - r.address};
    const struct range after = {address + size, r.address + r.size - address - size};
    if (before.size && after.size) {
        l->range[i] = before;
        list_insert(l, i + 1, after);
    } else if (before.size || after.size) {
        l->range[i] = before.size ? before : after;
    } else {
        list_remove(l, i);
    }
}

/* Makes room in the lists for the ranges that one call may add. */
static bool reserve_lists(struct gpu_memory *m) {
    return list_reserve(&m->used) && list_reserve(&m->free) && list_reserve(&m->kept);
}

/* Allocates [address, address + size) out of free range i. */
static void allocate_at(struct gpu_memory *m, size_t i, uint64_t address, uint64_t size) {
    const uint64_t end = address + round_up(size, GRANULE);
    take_range(&m->free, i, address, end - address);
    list_insert(&m->used, list_find(&m->used, address), (struct range){address, size});
    for (size_t k = list_find(&m->kept, address); k < m->kept.count;
         k = list_find(&m->kept, address)) {
        const struct range r = m->kept.range[k];
        const uint64_t first = r.address > address ? r.address : address;
        const uint64_t last = r.address + r.size < end ? r.address + r.size : end;
        if (first >= last)
            break;
        take_range(&m->kept, k, first, last - first);
        m->kept_bytes -= last - first;
    }
    note_usage(m, size);
}

static uint64_t alloc_locked(struct gpu_memory *m, uint64_t size, uint64_t align) {
    const uint64_t need = round_up(size, GRANULE);
    if (!reserve_lists(m))
        return 0;
    for (size_t i = 0; i < m->free.count; i++) {
        const struct range *r = &m->free.range[i];
        const uint64_t address = round_up(r->address, align);
        const uint64_t skip = address - r->address;
        if (address < r->address || skip > r->size || r->size - skip < need)
            continue;
        if (!commit_to(m, address + need))
            return 0;
        allocate_at(m, i, address, size);
        return address;
    }
    return 0;
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
    const size_t i = list_find(&m->free, address);
    const struct range *r = i < m->free.count ? &m->free.range[i] : NULL;
    const bool fits = r && r->address <= address && address - r->address <= r->size &&
                      r->size - (address - r->address) >= need && reserve_lists(m) &&
                      commit_to(m, address + need);
    if (fits)
        allocate_at(m, i, address, size);
    pthread_rwlock_unlock(&m->lock);
    return fits;
}

/* Gives the whole pages of the range back to the system; they then read zero. False if the system
 * refuses. */
static bool punch_hole(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t first = round_up(address, PAGE), last = (address + size) & ~(uint64_t)(PAGE - 1);
    if (first >= last)
        return true;
    return (m->fd >= 0 ? fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
                                   (off_t)(last - first))
                       : madvise(m->base + first, last - first, MADV_DONTNEED)) == 0;
}

/* Clears a freed range. False if its pages were given back to the system instead. */
static bool zero_range(struct gpu_memory *m, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    const uint64_t first = round_up(address, PAGE), last = end & ~(uint64_t)(PAGE - 1);
    if (size > KEEP_RANGE && punch_hole(m, address, size)) {
        memset(m->base + address, 0, first - address);
        memset(m->base + last, 0, end - last);
        return false;
    }
    memset(m->base + address, 0, size);
    return true;
}

/* Returns a range to the free list, merged with its neighbours. */
static void give_back(struct range_list *l, struct range r) {
    size_t i = list_find(l, r.address);
    if (i < l->count && l->range[i].address == r.address + r.size) {
        r.size += l->range[i].size;
        list_remove(l, i);
    }
    if (i > 0 && l->range[i - 1].address + l->range[i - 1].size == r.address)
        l->range[i - 1].size += r.size;
    else
        list_insert(l, i, r);
}

/* Gives kept pages back to the system when there are too many. Pages that kept ranges share with
 * free neighbours go, too. */
static void limit_kept(struct gpu_memory *m) {
    if (m->kept_bytes <= KEEP_ALL)
        return;
    for (size_t i = 0; i < m->kept.count; i++) {
        const struct range r = m->kept.range[i];
        const struct range *around = &m->free.range[list_find(&m->free, r.address)];
        const uint64_t begin = r.address & ~(uint64_t)(PAGE - 1);
        const uint64_t end = round_up(r.address + r.size, PAGE);
        const uint64_t first = begin > around->address ? begin : around->address;
        const uint64_t around_end = around->address + around->size;
        punch_hole(m, first, (end < around_end ? end : around_end) - first);
    }
    m->kept.count = 0;
    m->kept_bytes = 0;
}

void memory_free(struct gpu_memory *m, uint64_t address) {
    if (!address)
        return;
    pthread_rwlock_wrlock(&m->lock);
    const size_t i = list_find(&m->used, address);
    if (i < m->used.count && m->used.range[i].address == address && reserve_lists(m)) {
        const uint64_t size = m->used.range[i].size;
        const struct range r = {address, round_up(size, GRANULE)};
        list_remove(&m->used, i);
        note_usage(m, -size);
        give_back(&m->free, r);
        if (zero_range(m, address, size)) {
            give_back(&m->kept, r);
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
    const size_t i = list_find(&m->used, address);
    if (i < m->used.count && m->used.range[i].address <= address)
        extent = m->used.range[i].address + m->used.range[i].size - address;
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
        const size_t i = list_find(&m->used, address);
        const struct range *r = i < m->used.count ? &m->used.range[i] : NULL;
        const bool inside = r && r->address <= address;
        *hint = (struct memory_hint){m->generation, address, address};
        if (inside)
            *hint = (struct memory_hint){m->generation, r->address, r->address + r->size};
        pthread_rwlock_unlock(&m->lock);
    }
    return address < hint->end && size <= hint->end - address ? m->base + address : NULL;
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
    const struct range *last = m->used.count ? &m->used.range[m->used.count - 1] : NULL;
    const uint64_t end = last ? last->address + last->size : 0;
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
