/* Native code as a service: a program's machine code is strung together from stencils when a warp of it
 * runs for the first time, in microseconds an instruction, and freed with the program. In: programs
 * and environments; out: code to run. Same bits as the interpreter.
 */
#ifndef SHADER_NATIVE_NATIVE_H
#define SHADER_NATIVE_NATIVE_H

#include "shader/warp.h"

/* On functions that call native code: the sanitizer looks for a signature before what is called. */
#if defined(__clang__)
#define NATIVE_CALLER __attribute__((no_sanitize("function")))
#else
#define NATIVE_CALLER
#endif

struct native_statistics {
    uint64_t programs;       /* compiled; once for each setting of the mode bits */
    uint64_t nanoseconds;    /* that took, processor time */
    uint64_t instructions;   /* compiled, each once however often its code exists */
    uint64_t called;         /* of these, those that call the interpreter's handler */
    uint64_t bytes;          /* of machine code */
    uint32_t calls[OPCODES]; /* called, by operation */
    /* Of the program that took longest an instruction. */
    uint64_t worst_nanoseconds, worst_instructions;
};

struct native;
struct native_code;

/* Is there native code in this build, on this CPU? */
bool native_usable(void);
/* For programs that run at this SIMD level; NULL if native_usable() does not say so, or without memory.
 * Programs may outlive it. */
struct native *native_create(enum simd_level simd);
void native_destroy(struct native *n); /* NULL is fine */
void native_get_statistics(struct native *n, struct native_statistics *s);

/* ---- for flow.c and program.c ---- */

/* The code of env->program for env, made now if need be; env->native is set. NULL: without memory, or
 * with views, or inputs and outputs of w, so small that the program's fixed offsets lie outside them. */
const struct native_code *native_find(const struct warp *w, const struct warp_env *env);
/* Makes what the code needs in w for a run; false: it has no such v[] words, and is interpreted. */
bool native_prepare(const struct native_code *code, struct warp *w, const struct warp_env *env);
/* Runs w from w->pc as far as native code goes. WARP_RUNNING: the interpreter goes on at w->pc;
 * everything in *w is as the interpreter would have it there. With the FP environment set. */
enum warp_status native_run(const struct native_code *code, struct warp *w,
                            const struct warp_env *env);
/* Gives back p's code. */
void native_release(struct program *p);

#endif
