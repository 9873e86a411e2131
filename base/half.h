/* Half floats as single ones, as many at a time as a register of the SIMD level holds: the conversion
 * that vertex fetch, textures and blending share; one texel at a time goes through base/format.h. Exact
 * but for NaNs, at every level and whatever MXCSR says.
 */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include "base/lanes.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define HALF_LANES 16
#elif defined(__AVX2__) && defined(__F16C__)
#define HALF_LANES 8
#else
#define HALF_LANES 4
#endif
typedef uint32_t half_words __attribute__((vector_size(4 * HALF_LANES)));
typedef int32_t half_ints __attribute__((vector_size(4 * HALF_LANES)));
typedef float half_floats __attribute__((vector_size(4 * HALF_LANES)));

#if HALF_LANES == 4
LANES_INLINE half_floats half_min(half_floats a, half_floats b) {
#ifdef __SSE2__
    return (half_floats)_mm_min_ps((__m128)a, (__m128)b);
#else
    const half_words less = (half_words)(a < b);
    return (half_floats)(((half_words)a & less) | ((half_words)b & ~less));
#endif
}
#endif

#if HALF_LANES == 4
/* Exponent and mantissa of a half where those of an f32 are, the exponent's two upper bits 0. */
LANES_INLINE half_words half_magnitude(half_words magnitude) {
    const half_words bias = (112u << 23) - (half_words){0};
    const half_words special = (half_words)((half_ints)magnitude >= 0x7c00 << 13);
    half_words r = magnitude + bias;
    /* Twice a normal number less 2^-14 is not below it; a denormal one, taken for normal, is above what
     * it is, and that is this difference. */
    const half_floats other = (half_floats)(r + (1u << 23)) - 0x1p-14f;
    r = (half_words)half_min((half_floats)r, other);
    return r + (special & bias);
}
#endif

/* The low 16 bits of each lane, where the others are 0, to the bits of an f32. raw: a NaN keeps its
 * bits; else a signalling one may have become quiet. */
LANES_INLINE half_words half_to_float(half_words h, bool raw) {
#if HALF_LANES > 4
#if HALF_LANES == 16
    half_words r = (half_words)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)h));
#else
    const __m256i pairs = _mm256_packus_epi32((__m256i)h, (__m256i)h);
    half_words r =
        (half_words)_mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(pairs, 0x08)));
#endif
    /* Compilers that know where r comes from compare the halves instead, one by one. */
    __asm__("" : "+x"(r));
    if (!raw)
        return r;
    const half_words nan = (h & 0x7fff) << 13 | (h & 0x8000) << 16 | 0x7f800000u;
    const half_words is_nan = (half_words)((h & 0x7fff) > 0x7c00);
    return (nan & is_nan) | (r & ~is_nan);
#else
    (void)raw;
    return half_magnitude((h & 0x7fff) << 13) | (h & 0x8000) << 16;
#endif
}

/* Of a whole warp. */
LANES_INLINE u32x32 half_lanes_to_float(u32x32 h, bool raw) {
    union {
        u32x32 v;
        half_words part[LANES / HALF_LANES];
    } u = {.v = h};
    for (int i = 0; i < LANES / HALF_LANES; i++)
        u.part[i] = half_to_float(u.part[i], raw);
    return u.v;
}

#endif
