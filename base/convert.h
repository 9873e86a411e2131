/* Conversion of components, both ways: integers that stand for 0..1 (unorm) and -1..1 (snorm),
 * plain integers, halves and the floats of 11 and 10 bits. Each conversion exists for the lanes of
 * one register (vec_*) and of a warp (lanes_*): base/convert.inc is included once for each. sRGB:
 * base/srgb.h. The bits of results depend neither on the SIMD level nor on the floating-point mode,
 * except those of signalling NaNs (vec_from_half).
 * Knows no formats: base/format.h says where components lie.
 */
#pragma once

#include "base/lanes.h"

/* ---- halves, and fields of words, for one register */

#if VEC_LANES == 4
/* The bits of the float that equals a half. magnitude: the half without sign, << 13. */
LANES_INLINE u32xv vec_from_half_magnitude(u32xv magnitude) {
    const u32xv bias = vec_splat(112u << 23);
    const u32xv special = (u32xv)((i32xv)magnitude >= 0x7c00 << 13);
    u32xv r = magnitude + bias;
    /* `r` is the half with the exponent bias of a float, and `other` is 2 * r - 2^-14. A
     * normal half has the value r, which is at most `other`. A denormal half has the value `other`,
     * which is less than r. */
    const f32xv other = (f32xv)(r + (1u << 23)) - 0x1p-14f;
    r = (u32xv)vec_min_f((f32xv)r, other);
    return r + (special & bias);
}
#endif

/* Bits of floats from halves in the low 16 bits of lanes, whose other bits are 0. Exact; but unless
 * `raw` is set, a signalling NaN becomes quiet at some SIMD levels. */
LANES_INLINE u32xv vec_from_half(u32xv h, bool raw) {
#if VEC_LANES > 4
#if VEC_LANES == 16
    u32xv r = (u32xv)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)h));
#else
    const __m256i pairs = _mm256_packus_epi32((__m256i)h, (__m256i)h);
    u32xv r = (u32xv)_mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(pairs, 0x08)));
#endif
    /* Hides the origin of r: compilers that see it compare the halves one by one. */
    __asm__("" : "+x"(r));
    if (!raw)
        return r;
    const u32xv nan = (h & 0x7fff) << 13 | (h & 0x8000) << 16 | 0x7f800000u;
    return vec_blend((u32xv)((h & 0x7fff) > 0x7c00), nan, r);
#else
    (void)raw;
    return vec_from_half_magnitude((h & 0x7fff) << 13) | (h & 0x8000) << 16;
#endif
}

/* Halves from the bits of floats: rounded to nearest even, denormals kept, NaN becomes 0x7fff. */
LANES_INLINE u32xv vec_to_half(u32xv v) {
#if VEC_LANES == 16
    const __m512 f = (__m512)v;
    const __mmask16 nan = _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q);
    const __m512i h = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
    return (u32xv)_mm512_mask_mov_epi32(h, nan, _mm512_set1_epi32(0x7fff));
#elif VEC_LANES == 8
    const __m256i h = _mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
    return vec_blend((u32xv)((f32xv)v != (f32xv)v), vec_splat(0x7fff), (u32xv)h);
#else
    const u32xv magnitude = v & 0x7fffffff, sign = v >> 16 & 0x8000;
    const u32xv normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const u32xv small = (u32xv)((f32xv)magnitude + vec_splat_f(0.5f)) - 0x3f000000;
    u32xv r = vec_blend((u32xv)((i32xv)magnitude < 0x38800000), small, normal);
    r = vec_blend((u32xv)((i32xv)magnitude >= 0x47800000), vec_splat(0x7c00), r) | sign;
    return vec_blend((u32xv)((i32xv)magnitude > 0x7f800000), vec_splat(0x7fff), r);
#endif
}

#if VEC_LANES == 16
/* The bits of the word under `mask`, as the last bits of a float of 2^23 or more. Calls an
 * intrinsic: compilers turn a shift and the plain expression into a permutation of bytes, which
 * needs a constant in memory for each mask. */
LANES_INLINE f32xv vec_field(u32xv word, uint32_t mask) {
    return (f32xv)_mm512_ternarylogic_epi32((__m512i)word, _mm512_set1_epi32((int)mask),
                                            _mm512_set1_epi32(0x4b000000), 0xea);
}
#elif VEC_LANES == 8
LANES_INLINE f32xv vec_field(u32xv word, uint32_t mask) {
    return (f32xv)((word & mask) | 0x4b000000u);
}
#endif

/* The bits of word >> down under `mask`, an integer below 2^16, times scale. */
LANES_INLINE f32xv vec_from_field(u32xv word, int down, uint32_t mask, float scale) {
#if VEC_LANES == 16
    /* The product with 2^23 is subtracted again: the result is as exact as a conversion. */
    return vec_fma(vec_field(vec_shift_right(word, (uint32_t)down), mask), vec_splat_f(scale),
                   vec_splat_f(-0x1p23f * scale));
#else
    return vec_float((i32xv)(vec_shift_right(word, (uint32_t)down) & mask)) * scale;
#endif
}

/* Byte number `byte` of each lane, as a fraction of 255. */
LANES_INLINE f32xv vec_from_byte(u32xv word, int byte) {
    const float scale = 1.0f / 255.0f;
#if VEC_LANES > 4
    /* As in vec_from_field. An odd byte lies in bits 8 to 15 and has 256 times the value. */
    const float unit = byte & 1 ? scale * 0x1p-8f : scale;
    return vec_fma(vec_field(byte & 2 ? word >> 16 : word, byte & 1 ? 0xff00 : 0xff),
                   vec_splat_f(unit), vec_splat_f(-0x1p23f * unit));
#else
    return vec_float((i32xv)(word >> 8 * byte & 0xff)) * scale;
#endif
}

/* ---- each width ---- */

#define V(name) vec_##name
#define V_TYPE(element) element##xv
#define V_LANES VEC_LANES
#include "base/convert.inc"

#define V(name) lanes_##name
#define V_TYPE(element) element##x32
#define V_LANES LANES
#define V_WIDE
#include "base/convert.inc"
