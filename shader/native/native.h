/* Native code as a service: a program's machine code is strung together from stencils when a warp
 * of it runs for the first time, in microseconds per instruction, and freed with the program. In:
 * programs and environments. Out: code to run. The results have the same bits as the interpreter's.
 */
#pragma once

#include "shader/warp.h"

/* A function that calls native code: clang's sanitizer would expect a signature in front of the
 * code. */
#if defined(__clang__)
#define NATIVE_CALLER __attribute__((no_sanitize("function")))
#else
#define NATIVE_CALLER
#endif

struct native_statistics {
    uint64_t programs;    /* compiled, counted once for each setting of the mode bits */
    uint64_t nanoseconds; /* processor time of compiling */
    /* compiled; an instruction counts once, however often it stands in the code */
    uint64_t instructions;
    uint64_t called;         /* compiled instructions that call the interpreter's handler */
    uint64_t bytes;          /* of machine code */
    uint32_t calls[OPCODES]; /* handler calls by operation */
    /* Of the program that took the longest time per instruction. */
    uint64_t worst_nanoseconds, worst_instructions;
};

struct native;
struct native_code;

/* True if this build has native code and the CPU can run it. */
bool native_usable(void);
/* Makes native code for programs that run at this SIMD level. NULL with errno set if
 * native_usable() is false, memory is short, or the system refuses executable memory or its second
 * mapping. Programs may outlive the service. */
struct native *native_create(enum simd_level simd);
void native_destroy(struct native *n); /* NULL is fine */
void native_get_statistics(struct native *n, struct native_statistics *s);

/* ---- for flow.c and program.c ---- */

/* The code of env->program for env, made now if necessary; env->native is set. NULL: out of memory,
 * there is no code yet and the process is a forked child, or the program's fixed offsets are out of
 * range of the views or of the inputs and outputs of w. */
const struct native_code *native_find(const struct warp *w, const struct warp_env *env);
/* Evaluates the v[] words that the code needs. False: the warp lacks a word, so it has to be
 * interpreted. */
bool native_prepare(const struct native_code *code, struct warp *w, const struct warp_env *env);
/* Runs w from w->pc as far as native code goes, with the FP environment set. WARP_RUNNING: the
 * interpreter continues at w->pc; *w is in the state that the interpreter would have reached. */
enum warp_status native_run(const struct native_code *code, struct warp *w,
                            const struct warp_env *env);
/* Returns bold code: code that does not test for rare values, and is faster. A run of it counts
 * only if native_was_right() is true afterwards; otherwise the warp has to be started and run again
 * with `code`. NULL: the program has no bold code, or this warp shall not run it: the warp is one
 * of the first of the program on this thread, or one of the next after a warp that had to run
 * again. The FP environment is set. */
const struct native_code *native_bold(const struct native_code *code);
bool native_was_right(const struct native_code *code);
/* Frees the code of p. */
void native_release(struct program *p);
