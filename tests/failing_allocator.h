/* Replaces the C library's allocator, for tests of failing memory: on request one allocation fails,
 * or that one and all later ones. Counts the allocations that are not freed. OWN_ALLOCATOR is 0
 * with sanitizers, which have their own allocator. */
#ifndef TESTS_FAILING_ALLOCATOR_H
#define TESTS_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_ALLOCATOR 0 /* the sanitizer has its own */
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#endif
#ifndef OWN_ALLOCATOR
#define OWN_ALLOCATOR 1
#endif

static atomic_long left = -1; /* allocations that succeed before one fails; negative: none fails */
static atomic_bool for_good;  /* all later allocations fail, too */

#if OWN_ALLOCATOR
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *p);

static atomic_long held; /* allocations that were not freed */

static void *counted(void *p) {
    if (p)
        atomic_fetch_add(&held, 1);
    return p;
}

static bool refused(void) {
    if (atomic_load(&left) < 0)
        return false;
    if (atomic_load(&left) == 0 && for_good)
        return true;
    return atomic_fetch_sub(&left, 1) == 0;
}

void *malloc(size_t size) {
    return refused() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return refused() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size) {
    return refused() ? NULL : p ? __libc_realloc(p, size) : counted(__libc_realloc(p, size));
}

void *aligned_alloc(size_t align, size_t size) {
    return refused() ? NULL : counted(__libc_memalign(align, size));
}

char *strdup(const char *text) { /* the C library's strdup() would call its own malloc() */
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void free(void *p) {
    if (p)
        atomic_fetch_sub(&held, 1);
    __libc_free(p);
}
#else
static atomic_long held;
#endif

#endif
