/* Arenas: a chain of blocks of memory, filled from the front. In: sizes. Out: 64-byte aligned
 * memory that lives until reset or free; AddressSanitizer reports later accesses. Knows nothing of
 * the contents.
 */
#include "base/arena.h"

#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALIGN = 64, BLOCK_SIZE = 256 << 10 };

struct arena_block {
    _Alignas(ALIGN) struct arena_block *next;
    size_t size; /* of data */
    _Alignas(ALIGN) unsigned char data[];
};

void arena_init(struct arena *a) {
    *a = (struct arena){0};
}

static struct arena_block *new_block(size_t size) {
    const size_t bytes = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arena_block *b = aligned_alloc(ALIGN, sizeof *b + bytes);
    if (b) {
        b->next = NULL;
        b->size = bytes;
    }
    return b;
}

/* Goes on to a block with room for `size` bytes, which becomes the current block: the next block if
 * it is large enough, otherwise a new block before the next one. */
static struct arena_block *next_block(struct arena *a, size_t size) {
    struct arena_block **link = a->current ? &a->current->next : &a->first;
    if (!*link || (*link)->size < size) {
        struct arena_block *b = new_block(size);
        if (!b)
            return NULL;
        b->next = *link;
        *link = b;
    }
    a->current = *link;
    a->used = 0;
    return a->current;
}

void *arena_alloc(struct arena *a, size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if ((!a->current || a->current->size - a->used < size) && !next_block(a, size))
        return NULL;
    void *p = a->current->data + a->used;
    a->used += size;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void arena_reset(struct arena *a) {
    for (struct arena_block *b = a->first; b; b = b->next)
        ASAN_POISON_MEMORY_REGION(b->data, b->size);
    a->current = NULL;
    a->used = 0;
}

void arena_free(struct arena *a) {
    for (struct arena_block *b = a->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    arena_init(a);
}

bool array_grow(void **array, size_t *capacity, size_t need, size_t element) {
    if (need <= *capacity)
        return true;
    size_t n = *capacity ? *capacity : 256;
    while (n < need)
        n *= 2;
    void *p = realloc(*array, n * element);
    if (!p)
        return false;
    *array = p;
    *capacity = n;
    return true;
}
