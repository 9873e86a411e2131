/* 32-lane vectors: the currency of the house. One vector holds one 32-bit value for each lane of a
 * warp; a lane_mask holds one bit for each lane (bit i = lane i). All helpers are inlined and give
 * the same bits at every SIMD level. Include only for use inside one translation unit: vectors never
 * cross a function call by value, only by pointer.
 */
#ifndef BASE_LANES_H
#define BASE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#define LANES 32
#define LANES_ALL 0xffffffffu

typedef uint32_t lane_mask;
/* Alignment is spelled out: gcc's default depends on -march, and layouts must not. */
typedef uint32_t u32x32 __attribute__((vector_size(128), aligned(128)));
typedef int32_t i32x32 __attribute__((vector_size(128), aligned(128)));
typedef float f32x32 __attribute__((vector_size(128), aligned(128)));
typedef uint16_t u16x32 __attribute__((vector_size(64), aligned(64)));
typedef int16_t i16x32 __attribute__((vector_size(64), aligned(64)));
typedef uint64_t u64x32 __attribute__((vector_size(256), aligned(256)));
typedef int64_t i64x32 __attribute__((vector_size(256), aligned(256)));
typedef double f64x32 __attribute__((vector_size(256), aligned(256)));

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE u32x32 lanes_splat(uint32_t v) {
    return v - (u32x32){0};
}

LANES_INLINE f32x32 lanes_splat_f(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return (f32x32)lanes_splat(b);
}

LANES_INLINE u32x32 lanes_iota(void) {
    return (u32x32){0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
union lanes_halves {
    u32x32 v;
    __m512i h[2];
};
#elif defined(__AVX2__)
union lanes_quarters {
    u32x32 v;
    __m256i q[4];
};
#endif

/* All ones in the lanes of m, zero elsewhere. */
LANES_INLINE u32x32 lanes_from_mask(lane_mask m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves u;
    u.h[0] = _mm512_movm_epi32((__mmask16)m);
    u.h[1] = _mm512_movm_epi32((__mmask16)(m >> 16));
    return u.v;
#else
    const u32x32 bit = lanes_splat(1) << lanes_iota();
    return (u32x32)((lanes_splat(m) & bit) == bit);
#endif
}

/* Bit i = top bit of lane i: turns the result of a vector comparison into a mask. */
LANES_INLINE lane_mask lanes_to_mask(u32x32 v) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves u = {.v = v};
    return (lane_mask)_mm512_movepi32_mask(u.h[0]) | (lane_mask)_mm512_movepi32_mask(u.h[1]) << 16;
#elif defined(__AVX2__)
    union lanes_quarters u = {.v = v};
    lane_mask m = 0;
    for (int i = 0; i < 4; i++)
        m |= (lane_mask)_mm256_movemask_ps((__m256)u.q[i]) << (8 * i);
    return m;
#elif defined(__SSE2__)
    union {
        u32x32 v;
        __m128 q[8];
    } u = {.v = v};
    lane_mask m = 0;
    for (int i = 0; i < 8; i++)
        m |= (lane_mask)_mm_movemask_ps(u.q[i]) << (4 * i);
    return m;
#else
    lane_mask m = 0;
    for (int i = 0; i < LANES; i++)
        m |= (v[i] >> 31) << i;
    return m;
#endif
}

/* Lane by lane: a where bit set in cond (a vector of all ones / zeros), else b. */
LANES_INLINE u32x32 lanes_blend(u32x32 cond, u32x32 a, u32x32 b) {
    return (a & cond) | (b & ~cond);
}

/* a in the lanes of m, b elsewhere. */
LANES_INLINE u32x32 lanes_select(lane_mask m, u32x32 a, u32x32 b) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves x = {.v = a}, y = {.v = b}, r;
    r.h[0] = _mm512_mask_blend_epi32((__mmask16)m, y.h[0], x.h[0]);
    r.h[1] = _mm512_mask_blend_epi32((__mmask16)(m >> 16), y.h[1], x.h[1]);
    return r.v;
#else
    return lanes_blend(lanes_from_mask(m), a, b);
#endif
}

/* *dst = a in the lanes of m; the other lanes stay. */
LANES_INLINE void lanes_store(u32x32 *dst, u32x32 a, lane_mask m) {
    if (m == LANES_ALL)
        *dst = a;
    else
        *dst = lanes_select(m, a, *dst);
}

#endif
