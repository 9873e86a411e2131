/* A thread's floating-point mode: the direction of rounding, and whether denormals are zero. x86:
 * MXCSR; arm64: FPCR; hosts without a mode (WebAssembly): a variable. In: a mode, or a change of
 * it. Out: the mode before. A mode may hold bits that record exceptions (FP_STICKY). Must not know
 * who computes: programs choose their mode (shader/flow.c), and textures take every mode.
 * x86 and arm64 honour FP_FLUSH for operands and results. arm64 flushes a result that is below
 * 2^-126 before it is rounded, x86 after (shader/alu/f32.h).
 */
#pragma once

/* A build with -DTP_NO_FP_MODE computes on any host as on one without a mode. */
#if !defined(__wasm__) && !defined(TP_NO_FP_MODE)
#define FP_HOST_MODE
#endif

#if defined(FP_HOST_MODE) && defined(__SSE2__)
#include <xmmintrin.h>

/* Results below 2^-126 become zero after they were rounded. */
#define FP_FLUSHES_LATE

enum {
    FP_PLAIN = 0x1f80, /* nearest, denormals honoured; exceptions masked */
    FP_FLUSH = 0x8040, /* denormals are zero: FTZ and DAZ */
    FP_STICKY = 0x3f,
    FP_ROUND_SHIFT = 13
};

static inline unsigned fp_mode(void) {
    return _mm_getcsr();
}

static inline void fp_set_mode(unsigned mode) {
    _mm_setcsr(mode);
}

/* direction: 0 nearest, 1 down, 2 up, 3 toward zero. */
static inline unsigned fp_rounding(unsigned direction) {
    return direction << FP_ROUND_SHIFT;
}

#elif defined(FP_HOST_MODE) && defined(__aarch64__)
/* Results below 2^-126 become zero before they are rounded. */
#define FP_FLUSHES_EARLY

enum { FP_PLAIN = 0, FP_FLUSH = 1 << 24, FP_STICKY = 0, FP_ROUND_SHIFT = 22 };

static inline unsigned fp_mode(void) {
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
    return (unsigned)mode;
}

static inline void fp_set_mode(unsigned mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"((unsigned long)mode) : "memory");
}

/* FPCR numbers up before down. */
static inline unsigned fp_rounding(unsigned direction) {
    return ((direction & 1) << 1 | direction >> 1) << FP_ROUND_SHIFT;
}

#elif defined(FP_HOST_MODE)
#error "base/fp_mode.h: this processor's floating-point mode is not known"

#else
/* The host rounds to nearest and keeps denormals. The mode is a variable, which shader/alu/
 * obeys. */
enum { FP_PLAIN = 0, FP_FLUSH = 1, FP_STICKY = 0, FP_ROUND_SHIFT = 1 };

extern _Thread_local unsigned fp_mode_of_thread; /* simd.c */

static inline unsigned fp_mode(void) {
    return fp_mode_of_thread;
}

static inline void fp_set_mode(unsigned mode) {
    fp_mode_of_thread = mode;
}

static inline unsigned fp_rounding(unsigned direction) {
    return direction << FP_ROUND_SHIFT;
}
#endif

enum { FP_ROUND = 3 << FP_ROUND_SHIFT };

/* From here to fp_set_mode(the returned mode) denormals are zero. */
static inline unsigned fp_flush_begin(void) {
    const unsigned before = fp_mode();
    fp_set_mode(before | FP_FLUSH);
    return before;
}
