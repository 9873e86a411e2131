/* Arithmetic of sampling on one register's lanes: floors and fractions of coordinates, log2 for the
 * LOD, and texels of four bytes mixed as integers. Every function gives the same bits at every SIMD
 * level. Must not know textures.
 */
#pragma once

#include "base/convert.h"

/* Exchanges the 16-bit halves of each lane. */
LANES_INLINE u32xv vec_swap_halves(u32xv v) {
    return v << 16 | v >> 16;
}

/* Returns the largest integer not above v; |v| < 2^31. */
LANES_INLINE i32xv vec_floor(f32xv v) {
#if VEC_LANES == 16
    return (i32xv)_mm512_cvt_roundps_epi32((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif VEC_LANES == 8
    return (i32xv)_mm256_cvttps_epi32(_mm256_floor_ps((__m256)v));
#else
    const i32xv t = vec_int(v);
    return t + (vec_float(t) > v); /* a true comparison is -1 */
#endif
}

/* Makes every NaN canonical, because compilers decide which operand's NaN a sum returns. */
LANES_INLINE f32xv vec_one_nan(f32xv v) {
    return vec_blend_f(v == v, v, (f32xv)vec_splat_int(0x7fffffff));
}

/* Returns v minus its floor; 0 if v has no fraction, is infinite or NaN. */
LANES_INLINE f32xv vec_fraction(f32xv v) {
#if VEC_LANES == 16
    /* Not vreduceps, which rounds the difference down, too. */
    const __m512 whole = _mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return vec_max_f(v - (f32xv)whole, vec_splat_f(0.0f));
#elif VEC_LANES == 8
    return vec_max_f(v - (f32xv)_mm256_floor_ps((__m256)v), vec_splat_f(0.0f));
#else
    const i32xv small = ((i32xv)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    const f32xv some = (f32xv)((i32xv)v & small), whole = vec_float(vec_int(some));
    return some - (whole + vec_float(whole > some)); /* a true comparison is -1 */
#endif
}

/* Returns v; 0 if v is NaN, or if |v| is at least 2^23, so that v has no fraction. */
LANES_INLINE f32xv vec_periodic(f32xv v) {
    const i32xv small = ((i32xv)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    return (f32xv)((i32xv)v & small);
}

/* log2 of a positive normal f32, within 2e-5 (Chebyshev fit of log2(1 + t) / t on 0..1). In stages,
 * because each operation waits for the one before: callers do other work in between. */
struct vec_log2 {
    f32xv exponent, t, p;
};

LANES_INLINE void vec_log2_begin(struct vec_log2 *l, f32xv v) {
    const i32xv b = (i32xv)v;
    l->exponent = vec_float((b >> 23) - 127);
    l->t = (f32xv)((b & 0x7fffff) | 0x3f800000) - 1.0f;
    l->p = l->t * -0.0338220460f + 0.1444710957f;
    l->p = l->p * l->t - 0.3016380097f;
}

LANES_INLINE void vec_log2_go_on(struct vec_log2 *l) {
    l->p = l->p * l->t + 0.4686588791f;
    l->p = l->p * l->t - 0.7203587727f;
}

LANES_INLINE f32xv vec_log2_end(const struct vec_log2 *l) {
    const f32xv p = l->p * l->t + 1.4426814681f;
    return l->exponent + p * l->t;
}

LANES_INLINE f32xv vec_log2(f32xv v) {
    struct vec_log2 l;
    vec_log2_begin(&l, v);
    vec_log2_go_on(&l);
    return vec_log2_end(&l);
}

/* Weights for mixing two words of bytes: the second word has w of 256, the first the rest. */
struct byte_mix {
#if VEC_LANES > 4
    /* 256 - w and w as bytes, twice. If w is 0, 256 and 0 are written as 255 and 1, */
    u32xv weights;
    i32xv first; /* and the first word stands in for the second, too */
#else
    u16xv first, second; /* 256 - w and w, twice */
#endif
};

LANES_INLINE void byte_mix_init(struct byte_mix *m, u32xv w) {
#if VEC_LANES > 4
    m->first = (i32xv)(w == 0);
    const u32xv some = w - (u32xv)m->first;
#if VEC_LANES == 16
    const u32xv four = (u32xv)_mm512_shuffle_epi8(
        (__m512i)some, _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
#else
    const u32xv four = (u32xv)_mm256_shuffle_epi8(
        (__m256i)some, _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                         0x08080808, 0x0c0c0c0c));
#endif
    m->weights = (four ^ 0x00ff00ff) + 0x00010001;
#else
    m->second = (u16xv)(w | w << 16);
    m->first = 256 - m->second;
#endif
}

/* Mixes bytes 0 and 2 of a and b, and bytes 1 and 3, to 16-bit halves of each lane: 8.8 fixed point
 * less 2^15, exact. */
LANES_INLINE void byte_mix_apply(const struct byte_mix *m, u32xv a, u32xv b, u32xv *even,
                                 u32xv *odd) {
#if VEC_LANES > 4
    /* Products of unsigned weights and signed bytes. */
    const u32xv s = a ^ 0x80808080u, t = vec_blend((u32xv)m->first, s, b ^ 0x80808080u);
    const u32xv low = vec_merge(0x00ff00ff, s, (u32xv)((u16xv)t << 8));
    const u32xv high = vec_merge(0x00ff00ff, (u32xv)((u16xv)s >> 8), t);
    *even = (u32xv)VEC_INTRINSIC(maddubs_epi16)((vec_bits)m->weights, (vec_bits)low);
    *odd = (u32xv)VEC_INTRINSIC(maddubs_epi16)((vec_bits)m->weights, (vec_bits)high);
#else
    const u16xv low = (u16xv)(a & 0xff00ff) * m->first + (u16xv)(b & 0xff00ff) * m->second;
    const u16xv high = ((u16xv)a >> 8) * m->first + ((u16xv)b >> 8) * m->second;
    *even = (u32xv)low ^ 0x80008000u;
    *odd = (u32xv)high ^ 0x80008000u;
#endif
}

/* Returns (low half * low weight + high half * high weight) * scale. The halves are 2^15 too low;
 * the sum of weights is 256. The sum is exact, the product is rounded. */
LANES_INLINE f32xv vec_scale_pairs(u32xv pair, u32xv weights, float scale) {
#if defined(__SSE2__)
    const i32xv sum = (i32xv)VEC_INTRINSIC(madd_epi16)((vec_bits)pair, (vec_bits)weights);
#else
    const i32xv sum = ((i32xv)(pair << 16) >> 16) * (i32xv)(weights & 0xffff) +
                      ((i32xv)pair >> 16) * (i32xv)(weights >> 16);
#endif
    /* The sum is 2^23 too low. */
#if VEC_LANES > 4
    return vec_fma(vec_float(sum), vec_splat_f(scale), vec_splat_f(0x1p23f * scale));
#else
    return vec_float(sum + (1 << 23)) * scale;
#endif
}

/* Returns the value of each quad, in all lanes of the quad. */
LANES_INLINE i32xv vec_quads(const void *quad, int vec) {
    i32x4 q = {0};
    memcpy(&q, (const char *)quad + vec * VEC_LANES, VEC_LANES);
#if VEC_LANES == 16
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#elif VEC_LANES == 8
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1);
#else
    return vec_splat_int(q[0]);
#endif
}
