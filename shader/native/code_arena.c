/* Memory for machine code: see code_arena.h. */
#define _GNU_SOURCE
#include "shader/native/code_arena.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_PAGES = 1 << 18, LEAST_PAGES = 1 << 10, PREPARED_PAGES = 64 };

static uint32_t pages_of(size_t size) {
    return (uint32_t)((size + PAGE - 1) / PAGE);
}

/* Allocates the memory of pages, in both views, at once, because page by page costs more. If the
 * system cannot do it, a page is allocated when it is first used. */
static void prepare(const struct code_arena *a, uint32_t first, uint32_t count) {
#ifdef MADV_POPULATE_WRITE
    madvise(a->writable + (size_t)first * PAGE, (size_t)count * PAGE, MADV_POPULATE_WRITE);
    madvise(a->base + (size_t)first * PAGE, (size_t)count * PAGE, MADV_POPULATE_READ);
#endif
}

/* Maps two views of one memory. Core dumps leave out both views. False with errno set: there is
 * no memory, or the system refuses executable memory or the second view. */
static bool open_views(struct code_arena *a, size_t size) {
    void *writable =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (writable == MAP_FAILED)
        return false;
    /* old size 0: maps the shared memory a second time */
    void *base = mremap(writable, 0, size, MREMAP_MAYMOVE);
    if (base == MAP_FAILED || mprotect(base, size, PROT_READ | PROT_EXEC)) {
        const int error = errno;
        munmap(writable, size);
        if (base != MAP_FAILED)
            munmap(base, size);
        errno = error;
        return false;
    }
    madvise(writable, size, MADV_DONTDUMP);
    madvise(base, size, MADV_DONTDUMP);
    a->writable = writable;
    a->base = base;
    return true;
}

bool code_arena_open(struct code_arena *a, const void *constants, size_t size) {
    *a = (struct code_arena){.used = pages_of(size), .owner = getpid()};
    for (a->pages = MOST_PAGES; !open_views(a, (size_t)a->pages * PAGE); a->pages /= 4)
        if (a->pages == LEAST_PAGES)
            return false;
    a->prepared = a->used + PREPARED_PAGES;
    prepare(a, 0, a->prepared);
    memcpy(a->writable, constants, size);
    mprotect(a->writable, (size_t)a->used * PAGE, PROT_READ);
    return true;
}

void code_arena_close(struct code_arena *a) {
    if (a->base) {
        munmap(a->base, (size_t)a->pages * PAGE);
        munmap(a->writable, (size_t)a->pages * PAGE);
    }
    free(a->free);
    *a = (struct code_arena){0};
}

/* Takes pages of the first free range that is large enough. The rest of the range remains free. */
static bool take_range(struct code_arena *a, uint32_t count, uint32_t *first) {
    for (uint32_t i = 0; i < a->free_count; i++) {
        struct page_range *r = &a->free[i];
        if (r->count < count)
            continue;
        *first = r->first;
        r->first += count;
        r->count -= count;
        if (!r->count)
            *r = a->free[--a->free_count];
        return true;
    }
    if (count > a->pages - a->used)
        return false;
    *first = a->used;
    a->used += count;
    return true;
}

bool code_arena_is_ours(const struct code_arena *a) {
    return a->owner == getpid();
}

uint8_t *code_arena_take(struct code_arena *a, size_t size) {
    const uint32_t count = pages_of(size), used = a->used;
    uint32_t first;
    if (!take_range(a, count, &first))
        return NULL;
    if (first < used || a->used > a->prepared)
        prepare(a, first, count);
    a->bytes += (size_t)count * PAGE;
    return a->base + (size_t)first * PAGE;
}

uint8_t *code_arena_writable(const struct code_arena *a, const uint8_t *at) {
    return a->writable + (at - a->base);
}

/* Frees a range of pages. A free neighbour grows by the range. */
void code_arena_give(struct code_arena *a, uint8_t *at, size_t size) {
    const uint32_t count = pages_of(size), first = (uint32_t)((size_t)(at - a->base) / PAGE);
    if (!code_arena_is_ours(a))
        return;
    a->bytes -= (size_t)count * PAGE;
    madvise(code_arena_writable(a, at), (size_t)count * PAGE, MADV_REMOVE);
    for (uint32_t i = 0; i < a->free_count; i++) {
        struct page_range *r = &a->free[i];
        if (r->first + r->count == first) {
            r->count += count;
            return;
        }
        if (first + count == r->first) {
            r->first = first;
            r->count += count;
            return;
        }
    }
    /* out of memory: the freed pages are lost until the arena closes */
    if (ARRAY_ROOM(a->free, a->free_room, a->free_count + 1))
        a->free[a->free_count++] = (struct page_range){first, count};
}
