/* The just-in-time compiler as a service: programs start in the interpreter; those that run often are
 * compiled by a background thread and move to native code when it is ready. Compiled code is kept by
 * content. In: programs and how much they run; out: native functions. Same bits as the interpreter.
 */
#ifndef SHADER_JIT_JIT_H
#define SHADER_JIT_JIT_H

#include "shader/warp.h"

/* Runs w from w->pc as far as compiled code goes. WARP_RUNNING: the interpreter goes on at w->pc;
 * everything in *w is as the interpreter would have it there. Called with the FP environment set. */
typedef enum warp_status jit_fn(struct warp *w, const struct warp_env *env);

/* On functions that call native code: the sanitizer looks for a signature before what is called. */
#if defined(__clang__)
#define JIT_CALLER __attribute__((no_sanitize("function")))
#else
#define JIT_CALLER
#endif

struct jit_statistics {
    uint64_t compiled, failed; /* programs */
    uint64_t nanoseconds;      /* processor time spent compiling */
    char error[256];           /* why the last one failed */
};

/* A compiler for this SIMD level. Cheap: LLVM is opened when a program asks for code; without it
 * everything stays interpreted. wait: a program's first run waits for its code (tests, reproducible
 * timing). NULL if out of memory. */
struct jit *jit_create(enum simd_level simd, bool wait);
/* Requests not begun are dropped. Programs may outlive it: their code stays valid. NULL is fine. */
void jit_destroy(struct jit *jit);

/* Opens the LLVM library now, in this thread (30 ms), where the process may exit at any time: an exit
 * while another thread opens it would run its destructors too early. False if it is not there. */
bool jit_open_library(void);
/* Makes the compiler now if nobody has (75 ms); false with a line in error if it is not there. error may be
 * NULL. */
bool jit_usable(struct jit *jit, char *error, size_t error_size);
void jit_get_statistics(struct jit *jit, struct jit_statistics *s);

/* ---- for flow.c and program.c; env->jit is set ---- */

/* The native code of env->program for env, or NULL: it is to be interpreted. */
jit_fn *jit_find(const struct warp_env *env);
/* The interpreter has executed so many instructions of env->program; enough of them ask for code. */
void jit_heat(const struct warp_env *env, uint64_t instructions);
/* Gives back p's code. */
void jit_release(struct program *p);

#endif
