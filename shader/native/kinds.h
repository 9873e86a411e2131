/* The compiler's treatment of an instruction: as a step, as control, or not at all. In: a program
 * and the word of an instruction. For forks.c, blocks.c and the files that build on them.
 */
#pragma once

#include "shader/exec.h"

enum op_kind {
    KIND_PLAIN,   /* a step: stencils, or a call of the op's handler */
    KIND_CONTROL, /* control.c has a function for the op */
    KIND_STOP,    /* left to the interpreter */
};

enum op_kind op_kind(const struct program *p, uint32_t word, enum simd_level simd);
/* True if the join flag acts before its instruction (Tesla), false if after (the other sets). */
bool joins_before(const struct program *p);
/* True if lanes go to the join after the instruction. */
bool ends_in_join(const struct program *p, uint32_t word);
/* True if only the lanes in which the guard holds go to the join. The other lanes go on. */
bool joins_some(const struct program *p, uint32_t word);
