/* The basic blocks of a program: the instructions that can be reached from the entry, cut at
 * control flow and wherever a warp can enter. A fork lies inside of one block.
 */
#pragma once

#include "shader/native/forks.h"
#include "shader/native/kinds.h"

enum { NO_BLOCK = 0xffffffff };

/* Instructions are named by the word at which they start. */
struct native_block {
    uint32_t first, end; /* end: the word after the last instruction */
    uint32_t last;       /* the last instruction */
    uint32_t count;      /* instructions, without one of KIND_STOP and without the ways of forks */
    struct forks_need forks;
    bool stops;   /* ends before an instruction of KIND_STOP: the interpreter goes on at `end` */
    bool jumped;  /* branches lead here */
    bool resumed; /* warps may come here from anywhere: from the stack, or by an indirect branch */
    uint32_t loops; /* the word of the last branch back to this block, or NO_BLOCK */
};

struct native_blocks {
    struct native_block *block;
    uint32_t count;
    uint32_t *of;  /* by word: the number of the block that starts there, or NO_BLOCK */
    bool diverges; /* active lanes can become fewer than launched lanes, outside of forks */
    struct native_forks forks;
};

/* False when out of memory. */
bool blocks_find(struct native_blocks *b, const struct program *p, enum simd_level simd);
void blocks_free(struct native_blocks *b);
