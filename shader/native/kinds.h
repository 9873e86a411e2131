/* The compiler's treatment of an instruction: as a step, as control, or not at all. In: a program
 * and the word of an instruction. For forks.c, blocks.c and the files that build on them.
 */
#ifndef SHADER_NATIVE_KINDS_H
#define SHADER_NATIVE_KINDS_H

#include "shader/exec.h"

enum op_kind {
    KIND_PLAIN,   /* needs nothing but its handler */
    KIND_CONTROL, /* control.c has a function for it */
    KIND_STOP,    /* left to the interpreter */
};

enum op_kind op_kind(const struct program *p, uint32_t word, enum simd_level simd);
/* Tesla's join flag acts before its instruction, the other sets' after it. */
bool joins_before(const struct program *p);
/* True if lanes go to the reconvergence point after the instruction. */
bool ends_in_join(const struct program *p, uint32_t word);
/* True if these are only the lanes in which a guard holds. The others go on. */
bool joins_some(const struct program *p, uint32_t word);

#endif
