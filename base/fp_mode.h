/* A thread's floating-point mode: the direction of rounding, and whether denormals are zero. x86:
 * MXCSR; arm64: FPCR; hosts without a mode (WebAssembly): a variable. In: a mode, or a change of
 * it. Out: the mode before. A mode may hold bits that record exceptions (FP_STICKY). Must not know
 * who computes: programs choose their mode (shader/flow.c), and textures take every mode.
 * x86 and arm64 honour FP_FLUSH for operands and results. arm64 flushes a result that is below
 * 2^-126 before rounding, x86 a result that is below 2^-126 after rounding (shader/alu/f32.h).
 */
#pragma once

#include <stdint.h>

/* A build with -DTP_NO_FP_MODE computes on any host as on one without a mode. */
#if !defined(__wasm__) && !defined(TP_NO_FP_MODE)
#define FP_HOST_MODE
#endif

#if defined(FP_HOST_MODE) && defined(__SSE2__)
#include <xmmintrin.h>

/* Results below 2^-126 become zero after they were rounded. */
#define FP_FLUSHES_LATE
#define FP_HAS_X87

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

/* The C library's conversion of text to numbers rounds as the x87 does. Nothing else uses the x87,
 * so its precision has no effect. */
enum { FP_X87_PLAIN = 0x3f, FP_X87 = 0xc3f }; /* nearest, exceptions masked; the bits for these */

static inline uint16_t fp_x87(void) {
    uint16_t control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    return control;
}

static inline void fp_set_x87(uint16_t control) {
    __asm__ volatile("fldcw %0" : : "m"(control));
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

/* Denormals are zero until fp_set_mode() gets the returned mode. */
static inline unsigned fp_flush_begin(void) {
    const unsigned before = fp_mode();
    fp_set_mode(before | FP_FLUSH);
    return before;
}

/* The modes of a program that calls this code. */
struct fp_caller {
    unsigned mode;
    uint16_t x87;
};

static inline struct fp_caller fp_plain_begin(void) {
    struct fp_caller caller = {.mode = fp_mode()};
    if ((caller.mode & ~(unsigned)FP_STICKY) != FP_PLAIN)
        fp_set_mode(FP_PLAIN);
#ifdef FP_HAS_X87
    caller.x87 = fp_x87();
    if ((caller.x87 & FP_X87) != FP_X87_PLAIN)
        fp_set_x87((uint16_t)((caller.x87 & ~FP_X87) | FP_X87_PLAIN));
#endif
    return caller;
}

static inline void fp_plain_end(const struct fp_caller *caller) {
    if ((caller->mode & ~(unsigned)FP_STICKY) != FP_PLAIN)
        fp_set_mode(caller->mode);
#ifdef FP_HAS_X87
    if ((caller->x87 & FP_X87) != FP_X87_PLAIN)
        fp_set_x87(caller->x87);
#endif
}

/* From here to the end of the enclosing block, the thread computes in the plain mode, even if the
 * program rounds up, flushes denormals or traps exceptions. Then the program's mode returns. */
#define FP_PLAIN_BLOCK                                                                             \
    __attribute__((cleanup(fp_plain_end), unused)) const struct fp_caller fp_caller_ =             \
        fp_plain_begin()
