/* The basic blocks of a program as the compiler sees them: what can be reached from the entry, cut at
 * control flow, and where a warp may resume from its stack.
 */
#ifndef SHADER_JIT_BLOCKS_H
#define SHADER_JIT_BLOCKS_H

#include "shader/exec.h"

enum op_kind {
    KIND_PLAIN,   /* nothing but its handler */
    KIND_CONTROL, /* compiled control (steps.h) */
    KIND_STOP,    /* left to the interpreter */
};

/* Instructions are named by the word they start at. */
struct jit_block {
    uint32_t first, end; /* end: the word after the last instruction */
    uint32_t last;       /* the last instruction */
    uint32_t count;      /* instructions, one that stops excluded */
};

/* A warp may go on at `at` when its lanes leave at an address from..to (words, inclusive). */
struct jit_resume {
    uint32_t at, from, to;
};

struct jit_blocks {
    struct jit_block *block;
    uint32_t count;
    uint32_t *of;    /* by word: number of the block that starts there, or NO_BLOCK */
    uint32_t words;
    struct jit_resume *resume;
    uint32_t resumes;
    uint32_t *entry; /* words at which compiled code can be entered; the program's first */
    uint32_t entries;
    bool too_large;  /* more than JIT_MAX_INSTRUCTIONS; there are no resumes then */
    bool diverges;   /* active lanes can become fewer than those started */
};
enum { NO_BLOCK = 0xffffffff };
/* Compiling takes a millisecond or more an instruction, and the process cannot exit meanwhile. */
enum { JIT_MAX_INSTRUCTIONS = 2048 };

enum op_kind jit_op_kind(const struct program *p, uint32_t word, enum simd_level simd);
/* False when out of memory. */
bool jit_blocks_find(struct jit_blocks *b, const struct program *p, enum simd_level simd);
void jit_blocks_free(struct jit_blocks *b);

#endif
