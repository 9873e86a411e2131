/* The basic blocks of a program as the compiler sees them: what can be reached from the entry, cut at
 * control flow, wherever a warp may come in. Forks stand inside of blocks.
 */
#ifndef SHADER_NATIVE_BLOCKS_H
#define SHADER_NATIVE_BLOCKS_H

#include "shader/native/forks.h"
#include "shader/native/kinds.h"

enum { NO_BLOCK = 0xffffffff };

/* Instructions are named by the word they start at. */
struct native_block {
    uint32_t first, end; /* end: the word after the last instruction */
    uint32_t last;       /* the last instruction */
    uint32_t count;      /* instructions, one that stops excluded, in ways of forks excluded */
    struct forks_need forks;
    bool stops;     /* the interpreter goes on at `end` */
    bool jumped;    /* branches lead here */
    uint32_t loops; /* the last word from which one leads back here, or NO_BLOCK */
};

struct native_blocks {
    struct native_block *block;
    uint32_t count;
    uint32_t *of;  /* by word: number of the block that starts there, or NO_BLOCK */
    bool diverges; /* active lanes can become fewer than those started, outside of forks */
    struct native_forks forks;
};

/* False when out of memory. */
bool blocks_find(struct native_blocks *b, const struct program *p, enum simd_level simd);
void blocks_free(struct native_blocks *b);

#endif
