/* Executable memory: see arena.h. */
#define _GNU_SOURCE
#include "shader/native/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_PAGES = 1 << 18, LEAST_PAGES = 1 << 10, PREPARED_PAGES = 64 };

static uint32_t pages_of(size_t size) {
    return (uint32_t)((size + PAGE - 1) / PAGE);
}

/* Has pages that nobody used yet writable, and there: together they cost less than one by one. If the
 * system cannot, they come when they are written to. */
static bool prepare(struct arena *a, uint32_t count) {
    uint8_t *const at = a->base + (size_t)a->prepared * PAGE;
    if (mprotect(at, (size_t)count * PAGE, PROT_READ | PROT_WRITE))
        return false;
#ifdef MADV_POPULATE_WRITE
    madvise(at, (size_t)count * PAGE, MADV_POPULATE_WRITE);
#endif
    a->prepared += count;
    return true;
}

bool arena_open(struct arena *a, const void *constants, size_t size) {
    *a = (struct arena){.used = pages_of(size)};
    for (uint32_t pages = MOST_PAGES; pages >= LEAST_PAGES && !a->base; pages /= 4) {
        void *at = mmap(NULL, (size_t)pages * PAGE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        a->base = at == MAP_FAILED ? NULL : at;
        a->pages = pages;
    }
    if (!a->base)
        return false;
    if (a->used && prepare(a, a->used + PREPARED_PAGES)) {
        memcpy(a->base, constants, size);
        if (mprotect(a->base, (size_t)a->used * PAGE, PROT_READ) == 0)
            return true;
    }
    arena_close(a);
    return false;
}

void arena_close(struct arena *a) {
    if (a->base)
        munmap(a->base, (size_t)a->pages * PAGE);
    free(a->free);
    *a = (struct arena){0};
}

/* First fit; what is left of a run stays. */
static bool take_run(struct arena *a, uint32_t count, uint32_t *first) {
    for (uint32_t i = 0; i < a->free_count; i++) {
        struct arena_run *r = &a->free[i];
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

uint8_t *arena_take(struct arena *a, size_t size) {
    const uint32_t count = pages_of(size), used = a->used;
    uint32_t first;
    if (!take_run(a, count, &first))
        return NULL;
    uint8_t *at = a->base + (size_t)first * PAGE;
    if (first < used ? mprotect(at, (size_t)count * PAGE, PROT_READ | PROT_WRITE) != 0
              : a->used > a->prepared && !prepare(a, a->used - a->prepared))
        return NULL;
    a->bytes += (size_t)count * PAGE;
    return at;
}

bool arena_seal(uint8_t *at, size_t size) {
    return mprotect(at, (size_t)pages_of(size) * PAGE, PROT_READ | PROT_EXEC) == 0;
}

/* Joins a neighbour if there is one. */
void arena_give(struct arena *a, uint8_t *at, size_t size) {
    const uint32_t count = pages_of(size), first = (uint32_t)((size_t)(at - a->base) / PAGE);
    a->bytes -= (size_t)count * PAGE;
    madvise(at, (size_t)count * PAGE, MADV_DONTNEED);
    mprotect(at, (size_t)count * PAGE, PROT_NONE);
    for (uint32_t i = 0; i < a->free_count; i++) {
        struct arena_run *r = &a->free[i];
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
    if (a->free_count == a->free_room) {
        const uint32_t room = a->free_room ? 2 * a->free_room : 64;
        struct arena_run *more = realloc(a->free, room * sizeof *more);
        if (!more)
            return; /* lost until the arena closes */
        a->free = more;
        a->free_room = room;
    }
    a->free[a->free_count++] = (struct arena_run){first, count};
}
