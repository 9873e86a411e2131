/* Native slices of 32-lane vectors: 16, 8 or 4 lanes, what one register of the SIMD level holds. A
 * kernel that takes a request slice by slice keeps its values in registers. Every helper gives the
 * same bits at every level. Knows no textures.
 */
#ifndef TEX_PART_H
#define TEX_PART_H

#include "base/lanes.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define PART_LANES 16
#elif defined(__AVX2__)
#define PART_LANES 8
#else
#define PART_LANES 4
#endif
enum { PARTS = LANES / PART_LANES };

typedef uint32_t u32xp __attribute__((vector_size(4 * PART_LANES)));
typedef int32_t i32xp __attribute__((vector_size(4 * PART_LANES)));
typedef float f32xp __attribute__((vector_size(4 * PART_LANES)));
typedef uint16_t u16xp __attribute__((vector_size(4 * PART_LANES)));

LANES_INLINE f32xp part_load(const u32x32 *v, int part) {
    f32xp r;
    memcpy(&r, (const char *)v + part * (int)sizeof r, sizeof r);
    return r;
}

LANES_INLINE void part_store(u32x32 *v, int part, f32xp value) {
    memcpy((char *)v + part * (int)sizeof value, &value, sizeof value);
}

LANES_INLINE i32xp part_splat(int32_t v) {
    return v - (i32xp){0};
}

LANES_INLINE f32xp part_splat_f(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return (f32xp)part_splat((int32_t)b);
}

LANES_INLINE f32xp part_float(i32xp v) {
    return __builtin_convertvector(v, f32xp);
}

LANES_INLINE i32xp part_int(f32xp v) {
    return __builtin_convertvector(v, i32xp);
}

/* Lanes of the part in a warp's mask. */
LANES_INLINE uint32_t part_mask(lane_mask lanes, int part) {
    return (uint32_t)((uint64_t)lanes >> part * PART_LANES) & ((1u << PART_LANES) - 1);
}

/* Bit i = top bit of lane i: of a comparison, where it is true. */
LANES_INLINE uint32_t part_bits(i32xp v) {
#if PART_LANES == 16
    return _mm512_movepi32_mask((__m512i)v);
#elif PART_LANES == 8
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)v);
#else
    uint32_t m = 0;
    for (int i = 0; i < PART_LANES; i++)
        m |= ((uint32_t)v[i] >> 31) << i;
    return m;
#endif
}

/* NaN gives b. */
LANES_INLINE f32xp part_max(f32xp a, f32xp b) {
#if PART_LANES == 16
    return (f32xp)_mm512_max_ps((__m512)a, (__m512)b);
#elif PART_LANES == 8
    return (f32xp)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (f32xp)_mm_max_ps((__m128)a, (__m128)b);
#else
    const i32xp more = a > b;
    return (f32xp)(((i32xp)a & more) | ((i32xp)b & ~more));
#endif
}

LANES_INLINE f32xp part_min(f32xp a, f32xp b) {
#if PART_LANES == 16
    return (f32xp)_mm512_min_ps((__m512)a, (__m512)b);
#elif PART_LANES == 8
    return (f32xp)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (f32xp)_mm_min_ps((__m128)a, (__m128)b);
#else
    const i32xp less = a < b;
    return (f32xp)(((i32xp)a & less) | ((i32xp)b & ~less));
#endif
}

LANES_INLINE i32xp part_max_int(i32xp a, i32xp b) {
    const i32xp more = a > b;
    return (a & more) | (b & ~more);
}

LANES_INLINE i32xp part_min_int(i32xp a, i32xp b) {
    const i32xp less = a < b;
    return (a & less) | (b & ~less);
}

/* What is left of v above its floor; 0 where v has no fraction, is infinite or NaN. */
LANES_INLINE f32xp part_fraction(f32xp v) {
#if PART_LANES == 16
    const __m512 whole = _mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return part_max(v - (f32xp)whole, part_splat_f(0.0f));
#elif PART_LANES == 8
    return part_max(v - (f32xp)_mm256_floor_ps((__m256)v), part_splat_f(0.0f));
#else
    const i32xp small = ((i32xp)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    const f32xp some = (f32xp)((i32xp)v & small), whole = part_float(part_int(some));
    return some - (whole + part_float(whole > some)); /* a true comparison is -1 */
#endif
}

/* 0 instead of what has no fraction left, is infinite or NaN: coord.h's vec_periodic. */
LANES_INLINE f32xp part_periodic(f32xp v) {
    const i32xp small = ((i32xp)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    return (f32xp)((i32xp)v & small);
}

/* log2 of a positive normal f32, within 2e-5 (Chebyshev fit of log2(1 + t) / t on 0..1). */
LANES_INLINE f32xp part_log2(f32xp v) {
    const i32xp b = (i32xp)v;
    const f32xp exponent = part_float((b >> 23) - 127);
    const f32xp t = (f32xp)((b & 0x7fffff) | 0x3f800000) - 1.0f;
    f32xp p = t * -0.0338220460f + 0.1444710957f;
    p = p * t - 0.3016380097f;
    p = p * t + 0.4686588791f;
    p = p * t - 0.7203587727f;
    p = p * t + 1.4426814681f;
    return exponent + p * t;
}

/* a * b + c where the product and the sum are exact: fused or not is the same. */
LANES_INLINE f32xp part_fma_exact(f32xp a, f32xp b, f32xp c) {
#if PART_LANES == 16
    return (f32xp)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif PART_LANES == 8
    return (f32xp)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* Four bytes at base + offset (less than 2 GiB) in every lane. */
LANES_INLINE u32xp part_gather(const uint8_t *base, u32xp offset) {
#if PART_LANES == 16
    return (u32xp)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif PART_LANES == 8
    return (u32xp)_mm256_i32gather_epi32((const int *)base, (__m256i)offset, 1);
#else
    u32xp r;
    for (int i = 0; i < PART_LANES; i++) {
        uint32_t w;
        memcpy(&w, base + offset[i], 4);
        r[i] = w;
    }
    return r;
#endif
}

/* A value a quad, in the quad's lanes. */
LANES_INLINE i32xp part_quads(const int32_t *quad, int part) {
    typedef int32_t i32x4 __attribute__((vector_size(16)));
    i32x4 q = {0};
    memcpy(&q, quad + part * (PART_LANES / 4), PART_LANES);
#if PART_LANES == 16
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#elif PART_LANES == 8
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1);
#else
    return part_splat(q[0]);
#endif
}

#endif
