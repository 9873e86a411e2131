/* The compiler proper: one decoded program in, one native function out, by way of LLVM. It links the
 * interpreter's own handlers as bitcode (handlers.c), so both compute the same by construction. Knows
 * no thread and no cache: jit.c does. The LLVM library is opened at run time (llvm.h).
 */
#ifndef SHADER_JIT_COMPILER_H
#define SHADER_JIT_COMPILER_H

#include "shader/jit/jit.h"

#include <stddef.h>

struct compiler;      /* one LLVM context and its code memory; used by one thread at a time */
struct compiled_code; /* the memory of one compiled function */

/* Opens the LLVM library, if nobody has. False with a line in error if it is not there. */
bool compiler_open(char *error, size_t error_size);
/* NULL if the LLVM library is not there or refuses; then error holds one line that says why. */
struct compiler *compiler_create(enum simd_level simd, char *error, size_t error_size);
/* All compiled code must have been freed. NULL is fine. */
void compiler_destroy(struct compiler *c);

/* Compiles p for the compiler's level and for environments with these MODE_* bits. NULL with a line
 * in error. *code owns the function's memory. */
jit_fn *compiler_compile(struct compiler *c, const struct program *p, uint32_t mode,
                         struct compiled_code **code, char *error, size_t error_size);
void compiler_free_code(struct compiler *c, struct compiled_code *code);

#endif
