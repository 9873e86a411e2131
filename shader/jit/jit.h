/* The just-in-time compiler as a service: programs start in the interpreter; those that run often are
 * compiled by a background thread and move to native code when it is ready. Compiled code is kept by
 * content. In: programs; out: native functions in program.jit. Same bits as the interpreter.
 */
#ifndef SHADER_JIT_JIT_H
#define SHADER_JIT_JIT_H

#include "shader/warp.h"

/* Runs w from w->pc as far as compiled code goes. WARP_RUNNING: the interpreter goes on at w->pc;
 * everything in *w is as the interpreter would have it there. Called with the FP environment set. */
typedef enum warp_status jit_fn(struct warp *w, const struct warp_env *env);

/* wait: jit_request returns when the code is ready (tests, reproducible timing). NULL if there is no
 * LLVM library; then error holds one line that says why. */
struct jit *jit_create(enum simd_level simd, bool wait, char *error, size_t error_size);
/* Programs may outlive it: their code stays valid. NULL is fine. */
void jit_destroy(struct jit *jit);

#endif
