/* Components out of texel words: a part's taps of one component at a time. In: words, what the
 * component is. Out: float bits, or integers. Nothing here depends on MXCSR. Knows no memory.
 */
#ifndef TEX_DECODE_H
#define TEX_DECODE_H

#include "base/format.h"
#include "base/half.h"
#include "base/srgb.h"
#include "tex/fetch.inc"

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

#if PART_LANES == 16
/* An sRGB code as a linear value, looked up in registers: a binary tree over the table's sixteen. */
LANES_INLINE u32xp decode_srgb_tree(u32xp code) {
    __m512i v[8];
    UNROLL
    for (int i = 0; i < 8; i++)
        v[i] = _mm512_permutex2var_epi32(_mm512_loadu_si512(&srgb8_linear[32 * i]), (__m512i)code,
                                         _mm512_loadu_si512(&srgb8_linear[32 * i + 16]));
    UNROLL
    for (int bit = 5, n = 4; n; bit++, n /= 2) {
        const __mmask16 upper = _mm512_test_epi32_mask((__m512i)code, _mm512_set1_epi32(1 << bit));
        UNROLL
        for (int i = 0; i < n; i++)
            v[i] = _mm512_mask_mov_epi32(v[2 * i], upper, v[2 * i + 1]);
    }
    return (u32xp)v[0];
}
#endif

/* sRGB codes of some taps as linear values, correctly rounded: gathered, but for one of a lone tap's,
 * which keeps other parts of the processor busy. */
LANES_INLINE void decode_srgb(struct key k, const u32xp code[], int taps, u32xp out[]) {
    UNROLL
    for (int t = 0; t < taps; t++) {
#if PART_LANES == 16
        if (taps == 1 && k.component == 0 && KEY_FIXED(k, decode)) {
            out[t] = decode_srgb_tree(code[t]);
            continue;
        }
#else
        (void)k;
#endif
        out[t] = part_look_up(srgb8_linear, code[t]);
    }
}

/* Are texels of sRGB codes decoded whole? */
LANES_INLINE bool decode_is_whole(struct key k, const struct tex_bound *b) {
    return PART_LANES >= 8 && KEY_FIXED(k, decode) && KEY(k, decode) == TEX_DECODE_SRGB &&
           b->whole_srgb;
}

/* Such texels' components, words of linear values, without gathers: looked up in registers, or lane by lane. */
LANES_INLINE void decode_whole(const struct texel t[], int taps, struct texel out[]) {
#if PART_LANES == 16
    UNROLL
    for (int i = 0; i < taps - 3;
         i += 4) { /* a fourth one's codes stand where three have those of alpha */
        const u32xp low = (u32xp){0} + 0xffffff, fourth = t[i + 3].word[0];
        UNROLL
        for (int c = 0; c < 3; c++) {
            const u32xp word =
                (t[i + c].word[0] & low) | (part_shift_left(fourth, 24 - 8 * c) & ~low);
            srgb_look_up_four(srgb8_linear_bytes, (__m512i)word, (__m512i *)out[i + c].word);
            out[i + 3].word[c] = out[i + c].word[3];
        }
    }
    UNROLL
    for (int i = 0; i < taps && taps < 4; i++)
        srgb_look_up_four(srgb8_linear_bytes, (__m512i)t[i].word[0], (__m512i *)out[i].word);
#elif PART_LANES == 8
    UNROLL
    for (int i = 0; i < taps; i++)
        part_look_up_bytes(srgb8_linear, t[i].word[0], out[i].word);
#endif
    UNROLL
    for (int i = 0; i < taps; i++)
        out[i].word[3] = (u32xp)part_scale_byte(t[i].word[0], 3);
}

/* The kind that all components have that anybody sees, or this one's. */
LANES_INLINE int decode_kind(struct key k, const struct tex_component *c) {
    if (!KEY_FIXED(k, decode))
        return c->decode;
    return KEY(k, decode) == TEX_DECODE_SRGB && k.component == 3 ? TEX_DECODE_BYTES
                                                                 : KEY(k, decode);
}

/* Are components in their order, `width` bits each, which is constant? */
LANES_INLINE bool decode_in_order(struct key k) {
    return KEY_FIXED(k, decode) && KEY_FIXED(k, width) && KEY(k, width);
}

/* The word a component is in. Texels of one word have nothing in others. */
LANES_INLINE int decode_word(struct key k, const struct tex_component *c) {
    if (KEY_FIXED(k, fetch) && (KEY(k, fetch) <= TEX_FETCH_4 || KEY(k, fetch) == TEX_FETCH_BLOCK))
        return 0;
    return decode_in_order(k) ? k.component * KEY(k, width) / 32 : c->word;
}

/* One component of some texels. The switch is not inside the loop over taps: all are alike. */
#define DECODE_EACH(value)                                                                         \
    UNROLL                                                                                         \
    for (int i = 0; i < taps; i++) {                                                               \
        const u32xp word = t[i].word[at];                                                          \
        out[i] = (u32xp)(value);                                                                   \
    }                                                                                              \
    break

LANES_INLINE void decode_taps(struct key k, const struct tex_component *c, const struct texel t[],
                              int taps, bool raw, u32xp out[]) {
    const bool in_order = decode_in_order(k);
    const uint32_t bits = in_order ? KEY(k, width) : c->bits;
    const uint32_t down = in_order ? (uint32_t)k.component * bits % 32 : c->shift;
    const uint32_t mask = 0xffffffffu >> (32 - bits);
    const int at = decode_word(k, c);
    const uint32_t left = 32u - bits - down, right = 32u - bits;
#define FIELD (part_shift_right(word, down) & mask)
#define SIGNED part_shift_right_signed((i32xp)part_shift_left(word, left), right)
#define BYTE (KEY_FIXED(k, decode) ? word >> 8 * k.component & 0xff : FIELD)
    switch (decode_kind(k, c)) {
    case TEX_DECODE_BYTES:
        DECODE_EACH(part_scale_byte(word, k.component));
    case TEX_DECODE_UNORM:
        DECODE_EACH(part_scale_field(word, (int)down, mask, c->scale));
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
#if HALF_LANES == 4
        if (!in_order && c->up) { /* no sign */
            DECODE_EACH(half_magnitude(part_shift_left(FIELD, c->up + 13u)));
        }
#endif
        DECODE_EACH(half_to_float(in_order ? FIELD : part_shift_left(FIELD, c->up), raw));
    case TEX_DECODE_FLOAT:
        DECODE_EACH(word);
    case TEX_DECODE_RGB9E5:
        DECODE_EACH(part_float((i32xp)FIELD) * (f32xp)(((word >> 27) + (127 - 24)) << 23));
    case TEX_DECODE_SRGB: {
        u32xp code[8];
        UNROLL
        for (int i = 0; i < taps; i++) {
            const u32xp word = t[i].word[at];
            code[i] = BYTE;
        }
        decode_srgb(k, code, taps, out);
        break;
    }
    default:
        DECODE_EACH((u32xp){0} & word);
    }
#undef FIELD
#undef SIGNED
#undef BYTE
}
#undef DECODE_EACH

#endif
