/* Memory for machine code: one range of addresses that starts with the stencils' constants, so that
 * code can address them. One view of the pages is executable, a second view is writable, and no
 * address is both (W^X). No page is made read-only later: this would interrupt every CPU that runs
 * a thread of the process, and such an interrupt takes longer than making the code of a small
 * program. A forked process shares the memory and does not change it. The functions take no lock:
 * the owner of the arena does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct page_range {
    uint32_t first, count;
};

struct code_arena {
    uint8_t *base, *writable; /* the views */
    uint32_t pages, used;     /* reserved pages; the first `used` were given out at some time */
    uint32_t prepared;        /* the first `prepared` pages have memory from the start */
    pid_t owner;
    struct page_range *free;
    uint32_t free_count;
    size_t free_room;
    size_t bytes; /* given out, in whole pages */
};

/* False with errno set: no memory, or the system refuses executable memory or its second view. */
bool code_arena_open(struct code_arena *a, const void *constants, size_t size);
void code_arena_close(struct code_arena *a);
/* False in a forked process: the process may run the existing code, but takes no memory. */
bool code_arena_is_ours(const struct code_arena *a);
/* Takes memory for code. Returns its address in the executable view; NULL: there is none. */
uint8_t *code_arena_take(struct code_arena *a, size_t size);
/* The address in the writable view of the byte at `at` in the executable view. */
uint8_t *code_arena_writable(const struct code_arena *a, const uint8_t *at);
/* Frees memory. Does nothing if the arena is not ours. */
void code_arena_give(struct code_arena *a, uint8_t *at, size_t size);
