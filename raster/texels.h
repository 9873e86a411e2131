/* Colours of 32 fragments to and from texel words, class of formats by class: the bits of format_pack()
 * and format_unpack() at every SIMD level. In: a key, rows of floats or integers, rows of words.
 * Inlined into crop_simd.c, with the class a constant. Knows no blending.
 */
#ifndef RASTER_TEXELS_H
#define RASTER_TEXELS_H

#include "base/half.h"
#include "base/lanes16.h"
#include "base/srgb.h"
#include "raster/minmax.h"
#include "raster/tile.h"

#include <string.h>

/* X(enumerator, kernels' name, 32-bit words of a texel (0: as the key says), what colours are clamped
 * to, 0: nothing) */
#define TEXEL_CLASSES(X)                                                                           \
    X(RGBA8, rgba8, 1, CLAMP_UNIT)                                                                 \
    X(BGRA8, bgra8, 1, CLAMP_UNIT)                                                                 \
    X(SRGB8, srgb8, 1, CLAMP_UNIT)                                                                 \
    X(UNORM, unorm, 0, CLAMP_UNIT)                                                                 \
    X(SNORM, snorm, 0, CLAMP_SIGNED)                                                               \
    X(RGBA16F, rgba16f, 2, CLAMP_NEVER)                                                            \
    X(HALF, half, 0, CLAMP_NEVER)                                                                  \
    X(SMALL, small, 1, CLAMP_NEVER) /* floats of 11 and 10 bits */                                 \
    X(RAW32, raw32, 0, CLAMP_NEVER)                                                                \
    X(UINT, uint, 0, CLAMP_NEVER)                                                                  \
    X(SINT, sint, 0, CLAMP_NEVER)                                                                  \
    X(ANY, any, 0, CLAMP_NEVER)
enum texel_class {
#define X(e, name, words, clamp) CLASS_##e,
    TEXEL_CLASSES(X)
#undef X
        CLASSES
};
enum texel_clamp { CLAMP_NEVER, CLAMP_UNIT, CLAMP_SIGNED };

LANES_INLINE int class_words(const struct crop_key *k, enum texel_class class) {
    static const uint8_t words[CLASSES] = {
#define X(e, name, words, clamp) words,
        TEXEL_CLASSES(X)
#undef X
    };
    return words[class] ? words[class] : k->words;
}

LANES_INLINE enum texel_clamp class_clamp(enum texel_class class) {
    static const uint8_t clamp[CLASSES] = {
#define X(e, name, words, clamp) clamp,
        TEXEL_CLASSES(X)
#undef X
    };
    return clamp[class];
}

LANES_INLINE f32x32 clamp_lanes(f32x32 v, float low) {
    return lanes_min_f(lanes_max_f(v, lanes_splat_f(low)), lanes_splat_f(1.0f));
}

/* ---- normalized integers ---- */

/* Clamped to 0..1 (NaN to 0), times scale, to the nearest integer (ties to even): adding 2^23
 * leaves the integer in the low bits. */
LANES_INLINE u32x32 to_unorm(f32x32 v, float scale) {
    return (u32x32)(clamp_lanes(v, 0) * scale + lanes_splat_f(0x1p23f)) - 0x4b000000;
}

LANES_INLINE f32x32 from_unorm(u32x32 v, float inverse) {
    return __builtin_convertvector((i32x32)v, f32x32) * inverse;
}

/* The same of -1..1; the low bits of a negative integer count. */
LANES_INLINE u32x32 to_snorm(f32x32 v, float scale) {
    v = (f32x32)((u32x32)v & (u32x32)(v == v));
    return (u32x32)(clamp_lanes(v, -1) * scale + lanes_splat_f(0x1.8p23f));
}

/* The `bits` lowest bits, with their sign. */
LANES_INLINE i32x32 extend_sign(u32x32 v, unsigned bits) {
    return (i32x32)(v << (32 - bits)) >> (32 - bits);
}

LANES_INLINE f32x32 from_snorm(u32x32 v, unsigned bits, float inverse) {
    const f32x32 f = __builtin_convertvector(extend_sign(v, bits), f32x32) * inverse;
    return lanes_max_f(f, lanes_splat_f(-1.0f));
}

/* ---- floats ---- */

/* The same bits as f32_to_f16(): nearest even, denormals kept, NaN 0x7fff. */
LANES_INLINE u32x32 to_half(u32x32 v) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves u = {.v = v};
    for (int i = 0; i < 2; i++) {
        const __m512 f = (__m512)u.h[i];
        const __mmask16 nan = _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q);
        const __m512i h =
            _mm512_cvtepu16_epi32(_mm512_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
        u.h[i] = _mm512_mask_mov_epi32(h, nan, _mm512_set1_epi32(0x7fff));
    }
    return u.v;
#elif defined(__F16C__)
    union {
        u32x32 v;
        __m256 f[4];
        __m256i i[4];
    } u = {.v = v};
    for (int i = 0; i < 4; i++)
        u.i[i] = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(u.f[i], _MM_FROUND_TO_NEAREST_INT));
    return lanes_blend((u32x32)((f32x32)v != (f32x32)v), lanes_splat(0x7fff), u.v);
#else
    const u32x32 magnitude = v & 0x7fffffff, sign = v >> 16 & 0x8000;
    const u32x32 normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const u32x32 small = (u32x32)((f32x32)magnitude + lanes_splat_f(0.5f)) - 0x3f000000;
    u32x32 r = lanes_blend((u32x32)((i32x32)magnitude < 0x38800000), small, normal);
    r = lanes_blend((u32x32)((i32x32)magnitude >= 0x47800000), lanes_splat(0x7c00), r) | sign;
    return lanes_blend((u32x32)((i32x32)magnitude > 0x7f800000), lanes_splat(0x7fff), r);
#endif
}

/* Floats without a sign, with 5 bits of exponent and `mantissa` below: nearest even; negative ones are 0,
 * finite overflow is the greatest finite value (EXT_packed_float). */
LANES_INLINE u32x32 to_small(u32x32 v, unsigned mantissa) {
    const unsigned drop = 23 - mantissa;
    const float one = (float)(1 << (9 - mantissa)); /* its last place is the smallest denormal */
    uint32_t one_bits;
    memcpy(&one_bits, &one, sizeof one_bits);
    const u32x32 normal =
        (v - 0x38000000 + ((1u << (drop - 1)) - 1) + (v >> drop & 1)) >> drop;
    const u32x32 denormal = (u32x32)((f32x32)v + lanes_splat_f(one)) - one_bits;
    const u32x32 infinity = lanes_splat(31u << mantissa), most = infinity - 1;
    u32x32 r = lanes_blend((u32x32)((i32x32)v < 0x38800000), denormal, normal);
    r = lanes_blend((u32x32)(r < infinity), r, most);
    r = lanes_blend((u32x32)(v == 0x7f800000), infinity, r);
    r &= ~(u32x32)((i32x32)v < 0);
    return lanes_blend((u32x32)((i32x32)(v & 0x7fffffff) > 0x7f800000),
                       lanes_splat((32u << mantissa) - 1), r);
}

/* ---- the sRGB curve ---- */

LANES_INLINE u32x32 gather32(const uint32_t *base, u32x32 index) {
    union {
        u32x32 v;
        u32x16 half[2];
    } u = {.v = index};
    for (int i = 0; i < 2; i++)
        u.half[i] = gather16(base, u.half[i]);
    return u.v;
}

#if defined(__AVX512BW__)
/* Codes of linear values' bits less SRGB8_LOWEST_BITS, as srgb8_lines has it. */
LANES_INLINE void to_srgb_in_registers(const __m512i bits[2], __m512i code[2]) {
    const __m512i line =
        _mm512_packus_epi32(_mm512_srli_epi32(bits[0], 21), _mm512_srli_epi32(bits[1], 21));
    const __m512i *of = (const __m512i *)srgb8_lines.slope, *from = (const __m512i *)srgb8_lines.start;
    const __m512i slope = _mm512_permutex2var_epi16(_mm512_loadu_si512(of), line, _mm512_loadu_si512(of + 1));
    const __m512i start = _mm512_permutex2var_epi16(_mm512_loadu_si512(from), line, _mm512_loadu_si512(from + 1));
    const __m512i lines[2] = {_mm512_unpacklo_epi16(slope, start), _mm512_unpackhi_epi16(slope, start)};
    __m512i least[2];
    for (int i = 0; i < 2; i++) {
        const __m512i along = _mm512_ternarylogic_epi32(_mm512_srli_epi32(bits[i], 13), _mm512_set1_epi32(255),
                                                        _mm512_set1_epi32(512 << 16), 0xea);
        code[i] = _mm512_srli_epi32(_mm512_madd_epi16(lines[i], along), 16);
    }
    srgb_look_up(srgb8_least_halves, code, least);
    for (int i = 0; i < 2; i++)
        code[i] = _mm512_mask_sub_epi32(code[i], _mm512_cmplt_epu32_mask(bits[i], least[i]), code[i],
                                        _mm512_set1_epi32(1));
}
#endif

/* The code of a linear value: its upper bits find a step of the curve, the lower ones say on which side
 * of it the value lies. NaN and negative values give 0. */
LANES_INLINE u32x32 to_srgb(const struct crop_key *k, f32x32 v) {
    v = lanes_min_f(lanes_max_f(v, lanes_splat_f(SRGB8_LOWEST)), lanes_splat_f(0x1.fffffep-1f));
    const u32x32 bits = (u32x32)v - SRGB8_LOWEST_BITS;
#if defined(__AVX512BW__)
    if (k->gathers_slowly) {
        const union lanes_halves from = {.v = bits};
        union lanes_halves r;
        to_srgb_in_registers(from.h, r.h);
        return r.v;
    }
#else
    (void)k;
#endif
    return (gather32(srgb8_step, bits >> 16) + (bits & 0xffff)) >> 16;
}

LANES_INLINE f32x32 from_srgb(const struct crop_key *k, u32x32 code) {
#if defined(__AVX512BW__)
    if (k->gathers_slowly) {
        const union lanes_halves codes = {.v = code};
        union lanes_halves r;
        srgb_look_up(srgb8_linear_halves, codes.h, r.h);
        return (f32x32)r.v;
    }
#else
    (void)k;
#endif
    return (f32x32)gather32(srgb8_linear, code);
}

/* ---- classes ---- */

/* Colours that lie in 0..1, or less than half a code above; the rest of 2^23's bits leaves the word
 * but for the lowest component. */
LANES_INLINE void pack_bounded_rgba8(const f32x32 *c, u32x32 *words, bool bgra) {
    u32x32 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = (u32x32)(c[i] * 255.0f + lanes_splat_f(0x1p23f));
    words[0] = (v[bgra ? 2 : 0] - 0x4b000000) | v[1] << 8 | v[bgra ? 0 : 2] << 16 | v[3] << 24;
}

LANES_INLINE void pack_rgba8(const f32x32 *c, u32x32 *words, bool bgra, bool bounded) {
    f32x32 v[4];
    for (int i = 0; i < 4; i++)
        v[i] = bounded ? c[i] : clamp_lanes(c[i], 0);
    pack_bounded_rgba8(v, words, bgra);
}

LANES_INLINE void unpack_rgba8(const u32x32 *words, f32x32 *c, bool bgra) {
    const float inverse = 1.0f / 255.0f;
    c[bgra ? 2 : 0] = from_unorm(words[0] & 0xff, inverse);
    c[1] = from_unorm(words[0] >> 8 & 0xff, inverse);
    c[bgra ? 0 : 2] = from_unorm(words[0] >> 16 & 0xff, inverse);
    c[3] = from_unorm(words[0] >> 24, inverse);
}

/* Red, green and blue in the curve, alpha linear. */
LANES_INLINE void pack_srgb8(const struct crop_key *k, const f32x32 *c, u32x32 *words) {
    words[0] = to_srgb(k, c[0]) << k->shift[0] | to_srgb(k, c[1]) << 8 | to_srgb(k, c[2]) << k->shift[2];
    if (k->bits[3])
        words[0] |= to_unorm(c[3], 255) << 24;
}

LANES_INLINE void unpack_srgb8(const struct crop_key *k, const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 3; i++)
        c[i] = from_srgb(k, words[0] >> k->shift[i] & 0xff);
    if (k->bits[3])
        c[3] = from_unorm(words[0] >> 24, 1.0f / 255.0f);
}

LANES_INLINE void pack_rgba16f(const struct crop_key *k, const f32x32 *c, u32x32 *words) {
    words[0] = to_half((u32x32)c[0]) | to_half((u32x32)c[1]) << 16;
    words[1] = to_half((u32x32)c[2]);
    if (k->bits[3])
        words[1] |= to_half((u32x32)c[3]) << 16;
}

LANES_INLINE void unpack_rgba16f(const struct crop_key *k, const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 4; i++) {
        if (i < 3 || k->bits[3])
            c[i] = (f32x32)half_lanes_to_float(words[i / 2] >> (i % 2 * 16) & 0xffff, false);
    }
}

/* The code of component i. */
LANES_INLINE u32x32 to_code(const struct crop_key *k, enum texel_class class, int i, f32x32 v) {
    const uint32_t most = (uint32_t)((UINT64_C(1) << k->bits[i]) - 1);
    switch (class) {
    case CLASS_UNORM:
        return to_unorm(v, k->scale[i]);
    case CLASS_SNORM:
        return to_snorm(v, k->scale[i]) & most;
    case CLASS_HALF:
        return to_half((u32x32)v);
    case CLASS_SMALL:
        return to_small((u32x32)v, i == 2 ? 5 : 6);
    case CLASS_UINT:
        return lanes_blend((u32x32)((u32x32)v < most), (u32x32)v, lanes_splat(most));
    default: { /* CLASS_SINT */
        const i32x32 high = (i32x32)lanes_splat(most >> 1), low = ~high;
        i32x32 s = (i32x32)v;
        s = (i32x32)lanes_blend((u32x32)(s < low), (u32x32)low, (u32x32)s);
        return lanes_blend((u32x32)(s > high), (u32x32)high, (u32x32)s) & most;
    }
    }
}

LANES_INLINE f32x32 from_code(const struct crop_key *k, enum texel_class class, int i, u32x32 v) {
    switch (class) {
    case CLASS_UNORM:
        return from_unorm(v, k->inverse[i]);
    case CLASS_SNORM:
        return from_snorm(v, k->bits[i], k->inverse[i]);
    case CLASS_HALF:
        return (f32x32)half_lanes_to_float(v, false);
    case CLASS_SMALL: /* a half without its sign, and with a shorter mantissa */
        return (f32x32)half_lanes_to_float(v << (15 - k->bits[i]), false);
    default: /* integers are not blended */
        return (f32x32)v;
    }
}

/* Components of up to 16 bits, one by one. */
LANES_INLINE void pack_codes(const struct crop_key *k, enum texel_class class, const f32x32 *c,
                             u32x32 *words) {
    words[0] = words[1] = lanes_splat(0);
    for (int i = 0; i < 4; i++) {
        if (k->bits[i])
            words[k->shift[i] / 32] |= to_code(k, class, i, c[i]) << (k->shift[i] % 32);
    }
}

LANES_INLINE void unpack_codes(const struct crop_key *k, enum texel_class class,
                               const u32x32 *words, f32x32 *c) {
    for (int i = 0; i < 4; i++) {
        const u32x32 v = words[k->shift[i] / 32] >> (k->shift[i] % 32);
        if (k->bits[i])
            c[i] = from_code(k, class, i, v & ((1u << k->bits[i]) - 1));
    }
}

/* Formats without a vector path, lane by lane through the reference conversion. */
static void pack_any(const struct crop_key *k, const f32x32 *c, u32x32 *words, lane_mask m) {
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint32_t rgba[4], texel[MAX_WORDS] = {0};
        for (int j = 0; j < 4; j++)
            rgba[j] = ((u32x32)c[j])[i];
        format_pack(k->format, rgba, texel);
        for (int j = 0; j < k->words; j++)
            words[j][i] = texel[j];
    }
}

static void unpack_any(const struct crop_key *k, const u32x32 *words, f32x32 *c, lane_mask m) {
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint32_t rgba[4], texel[MAX_WORDS];
        for (int j = 0; j < k->words; j++)
            texel[j] = words[j][i];
        format_unpack(k->format, texel, rgba);
        for (int j = 0; j < 4; j++)
            memcpy((char *)&c[j] + 4 * i, &rgba[j], 4);
    }
}

/* bounded: see pack_bounded_rgba8(). */
LANES_INLINE void texels_pack(const struct crop_key *k, enum texel_class class, bool bounded,
                              const f32x32 *c, u32x32 *words, lane_mask m) {
    switch (class) {
    case CLASS_RGBA8:
    case CLASS_BGRA8:
        pack_rgba8(c, words, class == CLASS_BGRA8, bounded);
        return;
    case CLASS_SRGB8:
        pack_srgb8(k, c, words);
        return;
    case CLASS_RGBA16F:
        pack_rgba16f(k, c, words);
        return;
    case CLASS_RAW32:
        for (int i = 0; i < k->words; i++)
            words[i] = k->bits[i] ? (u32x32)c[i] : lanes_splat(0);
        return;
    case CLASS_ANY:
        pack_any(k, c, words, m);
        return;
    default:
        pack_codes(k, class, c, words);
    }
}

/* Components the format lacks read 0, alpha 1. */
LANES_INLINE void texels_unpack(const struct crop_key *k, enum texel_class class,
                                const u32x32 *words, f32x32 *c, lane_mask m) {
    for (int i = 0; i < 4; i++)
        c[i] = lanes_splat_f(i == 3);
    switch (class) {
    case CLASS_RGBA8:
    case CLASS_BGRA8:
        unpack_rgba8(words, c, class == CLASS_BGRA8);
        return;
    case CLASS_SRGB8:
        unpack_srgb8(k, words, c);
        return;
    case CLASS_RGBA16F:
        unpack_rgba16f(k, words, c);
        return;
    case CLASS_RAW32:
        for (int i = 0; i < 4; i++) {
            if (k->bits[i])
                c[i] = (f32x32)words[i];
        }
        return;
    case CLASS_ANY:
        unpack_any(k, words, c, m);
        return;
    default:
        unpack_codes(k, class, words, c);
    }
}

static enum texel_class texels_class(enum pixel_format f) {
    const struct format_info *info = format_info(f);
    if (f == FORMAT_RGBA8_UNORM)
        return CLASS_RGBA8;
    if (f == FORMAT_BGRA8_UNORM)
        return CLASS_BGRA8;
    if (f == FORMAT_RGB9E5_FLOAT)
        return CLASS_ANY;
    if (info->bits[0] == 32)
        return CLASS_RAW32;
    switch (info->type) {
    case COMPONENT_UNORM:
        return info->srgb ? CLASS_SRGB8 : CLASS_UNORM;
    case COMPONENT_SNORM:
        return CLASS_SNORM;
    case COMPONENT_UINT:
        return CLASS_UINT;
    case COMPONENT_SINT:
        return CLASS_SINT;
    default:
        return f == FORMAT_R11G11B10_FLOAT ? CLASS_SMALL
               : info->bytes == 8          ? CLASS_RGBA16F
                                           : CLASS_HALF;
    }
}

#endif
