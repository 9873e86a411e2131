/* Memory for machine code, in one range of addresses that starts with the stencils' constants, so that code
 * reaches them. It can be executed there and written elsewhere, by a second view of the same pages; no
 * address is both (W^X). Nothing is ever made read-only: that would interrupt every CPU that runs a thread
 * of the process, which takes longer than making the code of a small program. A process that was forked
 * off shares the memory and leaves it as it is. Not locked: the owner does that.
 */
#ifndef SHADER_NATIVE_ARENA_H
#define SHADER_NATIVE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena_run { /* of pages */
    uint32_t first, count;
};

struct arena {
    uint8_t *base, *writable; /* the views */
    uint32_t pages, used;     /* reserved; the first `used` were given out at some time */
    uint32_t prepared;        /* so many have memory from the start */
    pid_t owner;
    struct arena_run *free;
    uint32_t free_count, free_room;
    size_t bytes; /* given out, in whole pages */
};

/* False: no memory. */
bool arena_open(struct arena *a, const void *constants, size_t size);
void arena_close(struct arena *a);
/* False in a process that was forked off: it may run what is there and take nothing. */
bool arena_is_ours(const struct arena *a);
/* Where size bytes of code will stand, or NULL. */
uint8_t *arena_take(struct arena *a, size_t size);
/* The same byte where it can be written. */
uint8_t *arena_writable(const struct arena *a, const uint8_t *at);
/* Does nothing if the arena is not ours. */
void arena_give(struct arena *a, uint8_t *at, size_t size);

#endif
