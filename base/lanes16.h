/* Half-width companions of base/lanes.h for work that comes in sixteens (primitive setup): the same
 * rules, 16 lanes, and 64-bit types that still fit a few registers. Include only for use inside one
 * translation unit.
 */
#ifndef BASE_LANES16_H
#define BASE_LANES16_H

#include "base/lanes.h"

enum { LANES16 = 16 };

typedef uint32_t u32x16 __attribute__((vector_size(64), aligned(64)));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(64)));
typedef float f32x16 __attribute__((vector_size(64), aligned(64)));
typedef int64_t i64x16 __attribute__((vector_size(128), aligned(128)));
typedef double f64x16 __attribute__((vector_size(128), aligned(128)));

union parts16 {
    u32x16 v;
#if defined(__AVX512F__)
    __m512i all;
#endif
#if defined(__AVX2__)
    __m256i half[2];
#elif defined(__SSE2__)
    __m128i quarter[4];
#endif
    uint32_t lane[LANES16];
};

LANES_INLINE u32x16 splat16(uint32_t v) {
    return v - (u32x16){0};
}

LANES_INLINE u32x16 iota16(void) {
    return (u32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

LANES_INLINE f64x16 wide(i32x16 v) {
    return __builtin_convertvector(v, f64x16);
}

LANES_INLINE i32x16 narrow(i64x16 v) {
    return __builtin_convertvector(v, i32x16);
}

/* base[index], lane by lane; indices below 2^31. */
LANES_INLINE u32x16 gather16(const uint32_t *base, u32x16 index) {
    union parts16 i = {.v = index}, r;
#if defined(__AVX512F__)
    r.all = _mm512_i32gather_epi32(i.all, base, 4);
#elif defined(__AVX2__)
    for (int k = 0; k < 2; k++)
        r.half[k] = _mm256_i32gather_epi32((const int *)base, i.half[k], 4);
#else
    for (int k = 0; k < LANES16; k++)
        r.lane[k] = base[i.lane[k]];
#endif
    return r.v;
}

/* table[index], lane by lane; indices below 16. */
LANES_INLINE u32x16 permute16(u32x16 table, u32x16 index) {
    union parts16 i = {.v = index}, from = {.v = table}, r;
#if defined(__AVX512F__)
    r.all = _mm512_permutexvar_epi32(i.all, from.all);
#elif defined(__AVX2__)
    for (int k = 0; k < 2; k++) {
        const __m256i low = _mm256_permutevar8x32_epi32(from.half[0], i.half[k]);
        const __m256i high = _mm256_permutevar8x32_epi32(from.half[1], i.half[k]);
        const __m256 upper = (__m256)_mm256_slli_epi32(i.half[k], 28); /* bit 3 of the index */
        r.half[k] = (__m256i)_mm256_blendv_ps((__m256)low, (__m256)high, upper);
    }
#else
    for (int k = 0; k < LANES16; k++)
        r.lane[k] = from.lane[i.lane[k] & (LANES16 - 1)];
#endif
    return r.v;
}

/* Bit i = top bit of lane i. */
LANES_INLINE uint32_t mask16(u32x16 v) {
    union parts16 u = {.v = v};
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    return _mm512_movepi32_mask(u.all);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)u.half[0]) |
           (uint32_t)_mm256_movemask_ps((__m256)u.half[1]) << 8;
#else
    uint32_t m = 0;
#if defined(__SSE2__)
    for (int i = 0; i < 4; i++)
        m |= (uint32_t)_mm_movemask_ps((__m128)u.quarter[i]) << (4 * i);
#else
    for (int i = 0; i < LANES16; i++)
        m |= (u.lane[i] >> 31) << i;
#endif
    return m;
#endif
}

/* a where cond is all ones, b where it is zero. */
LANES_INLINE u32x16 blend16(i32x16 cond, u32x16 a, u32x16 b) {
    return (a & (u32x16)cond) | (b & ~(u32x16)cond);
}

LANES_INLINE i32x16 min16(i32x16 a, i32x16 b) {
    return (i32x16)blend16(a < b, (u32x16)a, (u32x16)b);
}

LANES_INLINE i32x16 max16(i32x16 a, i32x16 b) {
    return (i32x16)blend16(a > b, (u32x16)a, (u32x16)b);
}

#endif
