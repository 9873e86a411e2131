/* Arenas: many small allocations freed together. An arena belongs to one thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *first, *current;
    size_t used; /* bytes of the current block that are in use */
};

void arena_init(struct arena *a);
/* 64-byte aligned memory, not cleared; NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);
/* Frees the contents and keeps the memory for further allocations. */
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

/* Grows an array from malloc to hold at least `need` elements; false when out of memory. */
bool array_grow(void **array, size_t *capacity, size_t need, size_t element);
#define ARRAY_ROOM(array, capacity, need)                                                          \
    array_grow((void **)&(array), &(capacity), need, sizeof *(array))
