/* The fast arithmetic (docs/fast.md): short forms of the operations whose exact form is long, in a
 * few steps of the host. A multiply-add is rounded once; reciprocals are quotients, square roots
 * the host's; other functions are polynomials. Pure: bits in, bits out. Each step is an IEEE
 * operation in single precision, so the bits do not depend on the SIMD level. Callers run with
 * FP_PLAIN | FP_FLUSH. Accuracy: tests/shader/fast.c measures it.
 */
#pragma once

#include "shader/alu/f32.h"

/* A number's bits, in all lanes. */
#define FAST_SPLAT(number) ((u32x32)((f32x32){0} + (number)))

LANES_INLINE u32x32 fast_step(u32x32 a, u32x32 b, u32x32 c) {
    return f32_host_fma(a, b, c, ROUND_RN);
}

/* a * b + c, rounded once. zero_wins: MODE_MUL_ZERO_WINS. */
LANES_INLINE u32x32 fast_mad(u32x32 a, u32x32 b, u32x32 c, bool zero_wins) {
    if (zero_wins) {
        const u32x32 kept = ~(f32_is_zero(a) | f32_is_zero(b));
        a &= kept;
        b &= kept;
    }
    return f32_result(fast_step(a, b, c));
}

/* 1 / v. No quotient below 2^-126 rounds up to 2^-126: the greatest is 2^-126 - 2^-149 + 2^-172. So
 * a host that flushes before it rounds gives the same bits. */
LANES_INLINE u32x32 fast_rcp(u32x32 v) {
    const f32x32 one = (f32x32){0} + 1;
#if defined(FP_HOST_MODE)
    return f32_result((u32x32)(one / (f32x32)v));
#else
    return f32_result(f32_flush((u32x32)(one / (f32x32)f32_flush(v))));
#endif
}

LANES_INLINE u32x32 fast_rsqrt(u32x32 v) {
    v = f32_operand(v);
#if defined(__AVX512F__)
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++)
        x.h[i] = (__m512i)_mm512_sqrt_ps((__m512)x.h[i]);
#elif defined(__AVX2__)
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++)
        x.q[i] = (__m256i)_mm256_sqrt_ps((__m256)x.q[i]);
#else
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = v};
    for (int i = 0; i < LANES; i++)
        x.f[i] = __builtin_sqrtf(x.f[i]);
#endif
    return fast_rcp(x.v);
}

/* The polynomial of x with coefficients c[0..count - 1], from the highest power to the lowest. */
LANES_INLINE u32x32 fast_polynomial(u32x32 x, const float *c, int count) {
    u32x32 r = FAST_SPLAT(c[0]);
#pragma GCC unroll 16
    for (int i = 1; i < count; i++)
        r = fast_step(r, x, FAST_SPLAT(c[i]));
    return r;
}

/* The logarithm of a positive, normal v. The number v is a power of two times 1 + t, where 1 + t is
 * in [sqrt(1/2), sqrt(2)). */
LANES_INLINE u32x32 fast_lg2_body(u32x32 v) {
    static const float log_over_t[] = {-0x1.2a9f4cp-3f, 0x1.df5198p-3f,  -0x1.fdb328p-3f,
                                       0x1.25fd34p-2f,  -0x1.70e2aap-2f, 0x1.ec7724p-2f,
                                       -0x1.715528p-1f, 0x1.715474p+0f};
    enum { ROOT_OF_HALF = 0x3f3504f3, TERMS = sizeof log_over_t / sizeof *log_over_t };
    const u32x32 power = (u32x32)((i32x32)(v - ROOT_OF_HALF) >> 23);
    const f32x32 exponent = __builtin_convertvector((i32x32)power, f32x32);
    const u32x32 t = (u32x32)((f32x32)(v - (power << 23)) - 1);
    return fast_step(fast_polynomial(t, log_over_t, TERMS), t, (u32x32)exponent);
}

/* True if any lane is not positive, normal and finite. */
LANES_INLINE bool fast_lg2_is_rare(u32x32 v) {
    return lanes_to_mask((u32x32)(v - F32_HIDDEN >= F32_INF - F32_HIDDEN)) != 0;
}

LANES_INLINE u32x32 fast_lg2(u32x32 v) {
    return f32_lg2_special(v, fast_lg2_body(v));
}

/* The sum of a number and FAST_ROUNDER has the nearest integer in its lowest bits. Subtracting
 * FAST_ROUNDER again gives that integer as a number. */
#define FAST_ROUNDER 12582912.0f /* 3 * 2^22 */

/* 2 to the power of v: the nearest integer is subtracted from v, and then added to the exponent of
 * the rest's power. */
LANES_INLINE u32x32 fast_ex2(u32x32 v) {
    static const float power[] = {0x1.5bba14p-10f, 0x1.3cea88p-7f, 0x1.c6b752p-5f,
                                  0x1.ebf9bcp-3f,  0x1.62e42ap-1f, 1};
    const f32x32 most = (f32x32){0} + 128, least = (f32x32){0} - 127;
    v = lanes_blend((u32x32)(most < (f32x32)v), (u32x32)most, v);
    const f32x32 x = (f32x32)lanes_blend((u32x32)(least > (f32x32)v), (u32x32)least, v);
    const f32x32 sum = x + FAST_ROUNDER;
    const u32x32 rest = (u32x32)(x - (sum - FAST_ROUNDER));
    const u32x32 r = fast_polynomial(rest, power, sizeof power / sizeof *power);
    /* the last step flushes denormals and makes a NaN of a NaN v */
    return f32_result(fast_step((u32x32)x, lanes_splat(0), r + ((u32x32)sum << 23)));
}

/* The sine or cosine of v in radians. The nearest multiple of pi is subtracted from v; for the
 * cosine, the nearest odd multiple of pi / 2. A polynomial gives the sine of the rest. Beyond 2^22
 * half turns the result is any number from -1 to 1. */
LANES_INLINE u32x32 fast_sin(u32x32 v, bool cosine) {
    static const float sine[] = {0x1.5cf934p-19f, -0x1.9f5fb4p-13f, 0x1.110e62p-7f,
                                 -0x1.555548p-3f};
    const u32x32 turns = FAST_SPLAT(0x1.45f306p-2f);                                 /* 1 / pi */
    const u32x32 pi[2] = {FAST_SPLAT(-0x1.921fb6p+1f), FAST_SPLAT(0x1.777a5cp-24f)}; /* -pi */
    /* far from 0 the multiple may be the neighbour of the nearest */
    const f32x32 limit = (f32x32){0} + 2;
    v = f32_operand(v);
    f32x32 sum;
    if (cosine)
        sum = (f32x32)fast_step(v, turns, FAST_SPLAT(-0.5f)) + FAST_ROUNDER;
    else
        sum = (f32x32)fast_step(v, turns, FAST_SPLAT(FAST_ROUNDER));
    f32x32 n = sum - FAST_ROUNDER;
    if (cosine)
        n += 0.5f;
    f32x32 r = (f32x32)fast_step((u32x32)n, pi[1], fast_step((u32x32)n, pi[0], v));
    r = (f32x32)lanes_blend((u32x32)(limit < r), (u32x32)limit, (u32x32)r);
    r = (f32x32)lanes_blend((u32x32)(-limit > r), (u32x32)-limit, (u32x32)r);
    const f32x32 square = f32_product(r, r);
    const u32x32 p = fast_polynomial((u32x32)square, sine, sizeof sine / sizeof *sine);
    const u32x32 s = fast_step((u32x32)f32_product(square, r), p, (u32x32)r);
    const u32x32 flip = (u32x32)sum << 31;
    return f32_result(s ^ (cosine ? flip ^ F32_SIGN : flip));
}
