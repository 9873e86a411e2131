/* Watches the heap of a program and of the libraries below it. Bytes behind a block's end must keep
 * their value until the block is freed. A new block contains garbage (true, as a bool), and so does
 * a freed one. In: calls of malloc and related functions; the program's definitions take precedence
 * (-rdynamic). Out: heap_faults, which summary() reports, and the number of blocks. Include it
 * before verdicts.h. */
#pragma once
#define HEAP_H
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static atomic_uint heap_faults;
static atomic_long heap_blocks;              /* blocks in use */
static bool (*heap_fails)(const char *name); /* NULL: no call fails */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* The last bytes of a block's real space hold the requested length. The bytes between are EDGE. */
enum { EDGE = 0xc5, NEW = 1, OLD = 0xe7, HEAP_SEAL = 8 };

static void *seal_block(void *p, size_t n) {
    if (!p)
        return NULL;
    const size_t last = malloc_usable_size(p) - HEAP_SEAL;
    memset((uint8_t *)p + n, EDGE, last - n);
    memcpy((uint8_t *)p + last, &n, sizeof n);
    heap_blocks++;
    return p;
}

/* The requested length of the block; if that is lost, a small safe length. */
static size_t open_block(const void *p) {
    const uint8_t *bytes = p;
    size_t n;
    const size_t last = malloc_usable_size((void *)(uintptr_t)p) - HEAP_SEAL;
    memcpy(&n, bytes + last, sizeof n);
    bool whole = n <= last;
    for (size_t i = n; whole && i < last; i++)
        whole = bytes[i] == EDGE;
    heap_faults += !whole;
    heap_blocks--;
    return whole ? n : 0;
}

void *malloc(size_t n) {
    void *p = heap_fails && heap_fails("malloc") ? NULL : __libc_malloc(n + HEAP_SEAL);
    return p ? seal_block(memset(p, NEW, n), n) : NULL;
}

void *calloc(size_t count, size_t each) {
    size_t n;
    if (__builtin_mul_overflow(count, each, &n)) {
        errno = ENOMEM;
        return NULL;
    }
    return seal_block(heap_fails && heap_fails("calloc") ? NULL : __libc_calloc(n + HEAP_SEAL, 1),
                      n);
}

void free(void *p) {
    if (p)
        memset(p, OLD, open_block(p));
    __libc_free(p);
}

void *realloc(void *p, size_t n) {
    if (heap_fails && heap_fails("realloc"))
        return NULL;
    if (p)
        open_block(p);
    return seal_block(__libc_realloc(p, n + HEAP_SEAL), n);
}

void *memalign(size_t boundary, size_t n) {
    return seal_block(__libc_memalign(boundary, n + HEAP_SEAL), n);
}

void *aligned_alloc(size_t boundary, size_t n) {
    return memalign(boundary, n);
}

int posix_memalign(void **p, size_t boundary, size_t n) {
    *p = memalign(boundary, n);
    return *p ? 0 : ENOMEM;
}
