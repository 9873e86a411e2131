/* Components out of texel words: a part's taps of one component at a time. In: words, what the
 * component is. Out: float bits, or integers. Nothing here depends on MXCSR. Knows no memory.
 */
#ifndef TEX_DECODE_H
#define TEX_DECODE_H

#include "base/format.h"
#include "base/half.h"
#include "tex/fetch.h"

/* v / most, rounded once, for integers of at most 24 bits and most = 2^24 - 1: a product with the
 * reciprocal, and one step that corrects it. All such v have been tried. */
LANES_INLINE f32xp decode_quotient(f32xp v, const struct tex_component *c) {
#if PART_LANES > 4
    const f32xp q = v * c->scale;
    return part_fma(part_fma(q, part_splat_f(-c->most), v), part_splat_f(c->scale), q);
#else
    return v / c->most;
#endif
}

/* sRGB codes as linear values, correctly rounded. gather: where this is not the only one, the other
 * way is taken for some, as each keeps other parts of the processor busy. */
LANES_INLINE u32xp decode_srgb(u32xp code, bool gather) {
#if PART_LANES == 16
    if (gather)
        return part_gather((const uint8_t *)srgb8_linear, code << 2);
    /* A binary tree over the table's 16 registers. */
    __m512 r[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm512_permutex2var_ps(_mm512_loadu_ps(&srgb8_linear[32 * i]), (__m512i)code,
                                      _mm512_loadu_ps(&srgb8_linear[32 * i + 16]));
    for (int bit = 5, n = 4; n; bit++, n /= 2) {
        const __mmask16 upper = _mm512_test_epi32_mask((__m512i)code, _mm512_set1_epi32(1 << bit));
        for (int i = 0; i < n; i++)
            r[i] = _mm512_mask_mov_ps(r[2 * i], upper, r[2 * i + 1]);
    }
    return (u32xp)r[0];
#else
    (void)gather;
    return part_gather((const uint8_t *)srgb8_linear, code << 2);
#endif
}

/* The kind that all components have that anybody sees, or this one's. */
LANES_INLINE int decode_kind(struct key k, const struct tex_component *c) {
    if (!KEY_FIXED(k, decode))
        return c->decode;
    return KEY(k, decode) == TEX_DECODE_SRGB && k.component == 3 ? TEX_DECODE_BYTES
                                                                 : KEY(k, decode);
}

/* One component of some texels. The switch is not inside the loop over taps: all are alike. */
#define DECODE_EACH(value)                                                                         \
    UNROLL                                                                                         \
    for (int i = 0; i < taps; i++) {                                                               \
        const u32xp word = t[i].word[c->word];                                                     \
        out[i] = (u32xp)(value);                                                                   \
    }                                                                                              \
    break

LANES_INLINE void decode_taps(struct key k, const struct tex_component *c, const struct texel t[],
                              int taps, bool raw, u32xp out[]) {
    const uint32_t mask = 0xffffffffu >> (32 - c->bits);
    const int down = c->shift, left = 32 - c->bits - down, right = 32 - c->bits;
#define FIELD (word >> down & mask)
#define SIGNED ((i32xp)(word << left) >> right)
    switch (decode_kind(k, c)) {
    case TEX_DECODE_BYTES:
        DECODE_EACH(part_scale_byte(word, k.component));
    case TEX_DECODE_UNORM:
        DECODE_EACH(part_scale_field(word, down, mask, c->scale));
    case TEX_DECODE_UNORM24:
        DECODE_EACH(decode_quotient(part_float((i32xp)FIELD), c));
    case TEX_DECODE_UNORM32:
        DECODE_EACH(part_float((i32xp)(word >> 16)) * 0x1p-16f +
                    part_float((i32xp)(word & 0xffff)) * 0x1p-32f);
    case TEX_DECODE_SNORM:
        DECODE_EACH(part_max(part_float(SIGNED) * c->scale, part_splat_f(-1.0f)));
    case TEX_DECODE_SNORM32:
        DECODE_EACH(part_max(part_float(SIGNED) / c->most, part_splat_f(-1.0f)));
    case TEX_DECODE_UINT:
        DECODE_EACH(FIELD);
    case TEX_DECODE_SINT:
        DECODE_EACH(SIGNED);
    case TEX_DECODE_HALF:
        DECODE_EACH(half_to_float(KEY_FIXED(k, fetch) && KEY(k, fetch) == TEX_FETCH_8
                                    ? word >> down & 0xffff
                                    : FIELD << c->up,
                                raw));
    case TEX_DECODE_FLOAT:
        DECODE_EACH(word);
    case TEX_DECODE_RGB9E5:
        DECODE_EACH(part_float((i32xp)FIELD) * (f32xp)(((word >> 27) + (127 - 24)) << 23));
    case TEX_DECODE_SRGB:
        DECODE_EACH(decode_srgb(FIELD, i & 1));
    default:
        DECODE_EACH((u32xp){0} & word);
    }
#undef FIELD
#undef SIGNED
}
#undef DECODE_EACH

#endif
