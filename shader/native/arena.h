/* Memory for machine code: pages that are written, then executed, never both (W^X), in one range of
 * addresses that starts with the stencils' constants, so that code reaches them. Not locked: the
 * owner does that.
 */
#ifndef SHADER_NATIVE_ARENA_H
#define SHADER_NATIVE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_run { /* of pages */
    uint32_t first, count;
};

struct arena {
    uint8_t *base;
    uint32_t pages, used; /* reserved; the first `used` were given out at some time */
    uint32_t prepared;    /* the first of them that are not writable without more ado */
    struct arena_run *free;
    uint32_t free_count, free_room;
    size_t bytes; /* given out, in whole pages */
};

/* False: no memory. */
bool arena_open(struct arena *a, const void *constants, size_t size);
void arena_close(struct arena *a);
/* Where size bytes of code will stand, or NULL; they may be written until arena_seal(). */
uint8_t *arena_take(struct arena *a, size_t size);
bool arena_seal(uint8_t *at, size_t size);
void arena_give(struct arena *a, uint8_t *at, size_t size);

#endif
