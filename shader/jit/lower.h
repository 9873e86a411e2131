/* From a program's blocks to LLVM IR: one function of calls to handlers and steps (handlers.c), which
 * are declared here and linked by the compiler afterwards.
 */
#ifndef SHADER_JIT_LOWER_H
#define SHADER_JIT_LOWER_H

#include "shader/exec.h"
#include "shader/jit/llvm.h"

struct lowering {
    const struct llvm *llvm;
    LLVMContextRef context;
    LLVMModuleRef module; /* empty: filled */
    const struct program *program;
    uint32_t mode;        /* MODE_* */
    enum simd_level simd;
    const char *name;     /* of the function, a jit_fn */
};

/* The function, or NULL when out of memory, when nothing of the program can be compiled, or when it is
 * too large to be worth it. */
LLVMValueRef lower_program(const struct lowering *in);
/* Is a function of handlers.c of that name to be inlined into programs? */
bool lower_inlines(const char *name);

#endif
