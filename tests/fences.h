/* Allocator of test programs. Every allocation ends at an inaccessible page, holds no zeros unless
 * the program asks for them, and becomes inaccessible when it is freed. After many frees, freed
 * memory is filled with a pattern instead, and checked when it is used again. So an access beyond
 * an array, or a program that relies on the content of fresh or freed memory, fails at once in
 * every build, as with AddressSanitizer. A program that does not free its own allocations at its
 * end fails. Builds with sanitizers keep the sanitizer's allocator. */
#ifndef TESTS_FENCES_H
#define TESTS_FENCES_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FENCES 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FENCES 0
#endif
#ifndef FENCES
#define FENCES 1
#endif

#if FENCES
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FENCE_PAGE = 4096,
    FENCE_ALIGN = 16,
    FENCE_GONE = 64,
    FENCE_FILL = 0xa5,
    FENCE_FREED = 0xdb,
    FENCE_STRICT = 40000, /* the first 40000 freed pages are unmapped; later ones are used again */
    FENCE_SIZES = 512,    /* largest size in pages that is used again */
    FENCE_WAIT = 256,     /* freed blocks of one size that wait before the first is used again */
};

/* Header of an allocation; lies right before the memory. */
struct fenced {
    uint8_t *map;
    size_t mapped, size;
    uint32_t mark, own;
};
_Static_assert(sizeof(struct fenced) % FENCE_ALIGN == 0, "what follows is aligned");
static const uint32_t fence_mark = 0x5ca1ab1e;
static long fences_held; /* atomic: allocations of the program itself that are not freed */

/* Returns true if the caller is the program's code, not a library: the C library keeps allocations
 * for its threads and files. */
static bool fence_is_own(const void *caller) {
    extern const char __executable_start, etext;
    return (uintptr_t)caller >= (uintptr_t)&__executable_start &&
           (uintptr_t)caller < (uintptr_t)&etext;
}

/* Freed memory that will be used again: a queue for each number of pages. */
static struct fence_pool {
    uint8_t *at[FENCE_GONE];
    uint32_t first, count;
} fence_pools[FENCE_SIZES + 1];
static uint32_t fence_lock;

static void fence_enter(void) {
    while (__atomic_exchange_n(&fence_lock, 1, __ATOMIC_ACQUIRE))
        ;
}

static void fence_leave(void) {
    __atomic_store_n(&fence_lock, 0, __ATOMIC_RELEASE);
}

/* Puts freed memory into its queue. Returns false if the memory is to be unmapped instead. */
static bool fence_put_by(uint8_t *p, size_t pages) {
    static long freed;
    const struct fenced *f = &((struct fenced *)(void *)p)[-1];
    if (pages > FENCE_SIZES ||
        __atomic_fetch_add(&freed, (long)pages, __ATOMIC_RELAXED) < FENCE_STRICT)
        return false;
    memset(p, FENCE_FREED, f->size);
    fence_enter();
    struct fence_pool *pool = &fence_pools[pages];
    const bool fits = pool->count < FENCE_GONE;
    if (fits)
        pool->at[(pool->first + pool->count++) % FENCE_GONE] = p;
    fence_leave();
    return fits;
}

/* Returns a mapping of `pages` pages and a fence, which was freed a while ago, or NULL. */
static uint8_t *fence_reuse(size_t pages) {
    uint8_t *p = NULL;
    if (pages > FENCE_SIZES)
        return NULL;
    fence_enter();
    struct fence_pool *pool = &fence_pools[pages];
    if (pool->count > FENCE_GONE / 2 || pool->count * pages > FENCE_WAIT) {
        p = pool->at[pool->first++ % FENCE_GONE];
        pool->count--;
    }
    fence_leave();
    if (!p)
        return NULL;
    const struct fenced f = ((struct fenced *)(void *)p)[-1];
    if (f.size && (p[0] != FENCE_FREED || memcmp(p, p + 1, f.size - 1)))
        abort(); /* the freed memory was written to */
    return f.map;
}

static void *fence_alloc(size_t align, size_t size, int fill, const void *caller) {
    align = align < FENCE_ALIGN ? FENCE_ALIGN : align;
    if (size > SIZE_MAX / 4 || align > SIZE_MAX / 4)
        return NULL;
    const size_t room =
        (sizeof(struct fenced) + align + size + FENCE_PAGE - 1) & -(size_t)FENCE_PAGE;
    uint8_t *map = fence_reuse(room / FENCE_PAGE);
    const bool fresh = !map;
    if (fresh) {
        map = mmap(NULL, room + FENCE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                   0);
        if (map == MAP_FAILED)
            return NULL;
        mprotect(map + room, FENCE_PAGE, PROT_NONE);
    }
    uint8_t *p = (uint8_t *)((uintptr_t)(map + room - size) & -(uintptr_t)align);
    const uint32_t own = fence_is_own(caller);
    ((struct fenced *)(void *)p)[-1] =
        (struct fenced){map, room + FENCE_PAGE, size, fence_mark, own};
    if (fill || !fresh)
        memset(p, fill, size);
    memset(p + size, FENCE_FILL, (size_t)(map + room - p) - size);
    __atomic_fetch_add(&fences_held, own, __ATOMIC_RELAXED);
    return p;
}

/* Unmaps memory that was freed FENCE_GONE frees ago; until then its addresses stay inaccessible. */
static void fence_drop(uint8_t *map, size_t mapped) {
    static struct gone {
        uint8_t *map;
        size_t mapped;
    } gone[FENCE_GONE];
    static uint32_t turn;
    fence_enter();
    struct gone *g = &gone[turn++ % FENCE_GONE], old = *g;
    *g = (struct gone){map, mapped};
    fence_leave();
    if (old.map)
        munmap(old.map, old.mapped);
}

static void fence_free(uint8_t *p) {
    const struct fenced f = ((struct fenced *)(void *)p)[-1];
    if (f.mark != fence_mark)
        abort();
    for (uint8_t *at = p + f.size; at < f.map + f.mapped - FENCE_PAGE; at++)
        if (*at != FENCE_FILL)
            abort(); /* the bytes between the end and the fence were written to */
    __atomic_fetch_sub(&fences_held, f.own, __ATOMIC_RELAXED);
    ((struct fenced *)(void *)p)[-1].mark = 0;
    if (fence_put_by(p, f.mapped / FENCE_PAGE - 1))
        return;
    mmap(f.map, f.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
         0);
    fence_drop(f.map, f.mapped);
}

static void *fence_again(uint8_t *p, size_t size, const void *caller) {
    void *to = fence_alloc(FENCE_ALIGN, size, FENCE_FILL, caller);
    if (to && p) {
        const size_t had = ((struct fenced *)(void *)p)[-1].size;
        memcpy(to, p, had < size ? had : size);
        fence_free(p);
    }
    return to;
}

__attribute__((destructor)) static void fence_end(void) {
    if (fences_held) {
        fprintf(stderr, "%ld allocations were not freed\n", fences_held);
        _exit(1);
    }
}

/* A definition with FENCED replaces the C library's function, also in calls from libraries. */
#define FENCED __attribute__((visibility("default")))
#define FENCE_CALLER __builtin_return_address(0)

FENCED void free(void *p) {
    const int error = errno;
    if (p)
        fence_free(p);
    errno = error;
}

FENCED void *malloc(size_t size) {
    return fence_alloc(FENCE_ALIGN, size, FENCE_FILL, FENCE_CALLER);
}

FENCED void *calloc(size_t count, size_t size) {
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(count, size, &bytes);
    return fits ? fence_alloc(FENCE_ALIGN, bytes, 0, FENCE_CALLER) : NULL;
}

FENCED void *realloc(void *p, size_t size) {
    return fence_again(p, size, FENCE_CALLER);
}

FENCED void *aligned_alloc(size_t align, size_t size) {
    return fence_alloc(align, size, FENCE_FILL, FENCE_CALLER);
}

FENCED int posix_memalign(void **p, size_t align, size_t size) {
    *p = fence_alloc(align, size, FENCE_FILL, FENCE_CALLER);
    return *p ? 0 : ENOMEM;
}
#endif

#endif
