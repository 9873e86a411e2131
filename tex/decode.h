/* Decodes components of texel words: the taps of a vector of lanes, one component at a time. In:
 * words, a description of the component. Out: float bits, or integers. The bits do not depend on
 * MXCSR. Must not know memory.
 */
#pragma once

#include "base/convert.h"
#include "base/format.h"
#include "base/srgb.h"
#include "tex/fetch.inc"

/* Returns code / (2^24 - 1) for codes of 24 bits, rounded once: it is the float after code / 2^24,
 * except for code 0. Verified for all codes. */
LANES_INLINE u32xv decode_unorm24(u32xv code) {
    const i32xv after = (i32xv)vec_float((i32xv)code) - (24 << 23) + 1;
    return (u32xv)vec_max(after, (i32xv){0});
}

/* Returns the sRGB codes of some taps as linear values, correctly rounded. Gathers look up the
 * codes, except (AVX-512) component 0 of a single tap: registers do, because their units are idle
 * while the other components are gathered. */
LANES_INLINE void decode_srgb(struct key k, const u32xv code[], int taps, u32xv out[]) {
    VEC_UNROLL
    for (int t = 0; t < taps; t++) {
#if VEC_LANES == 16
        if (taps == 1 && k.component == 0 && KEY_FIXED(k, decode)) {
            out[t] = vec_from_srgb_tree(code[t]);
            continue;
        }
#else
        (void)k;
#endif
        out[t] = vec_gather(srgb8_linear, code[t]);
    }
}

/* True if all components of an sRGB texel are decoded together (decode_whole()). */
LANES_INLINE bool decode_is_whole(struct key k, const struct tex_bound *b) {
    return VEC_LANES >= 8 && KEY_FIXED(k, decode) && KEY(k, decode) == TEX_DECODE_SRGB &&
           (VEC_LANES == 8 || b->whole_srgb);
}

/* Decodes all components of sRGB texels without gathers: by look-up in registers, or lane by lane.
 */
LANES_INLINE void decode_whole(const struct texel t[], int taps, struct texel out[]) {
#if VEC_LANES == 16
    VEC_UNROLL
    for (int i = 0; i < taps - 3;
         i += 4) { /* three texels carry the R, G, B codes of the fourth in place of their alpha */
        const u32xv low = (u32xv){0} + 0xffffff, fourth = t[i + 3].word[0];
        VEC_UNROLL
        for (int c = 0; c < 3; c++) {
            const u32xv word =
                (t[i + c].word[0] & low) | (vec_shift_left(fourth, 24 - 8 * c) & ~low);
            srgb_look_up_four(srgb8_linear_bytes, (__m512i)word, (__m512i *)out[i + c].word);
            out[i + 3].word[c] = out[i + c].word[3];
        }
    }
    VEC_UNROLL
    for (int i = 0; i < taps && taps < 4; i++)
        srgb_look_up_four(srgb8_linear_bytes, (__m512i)t[i].word[0], (__m512i *)out[i].word);
#elif VEC_LANES == 8
    VEC_UNROLL
    for (int i = 0; i < taps; i++)
        vec_look_up_bytes(srgb8_linear, t[i].word[0], out[i].word);
#endif
    VEC_UNROLL
    for (int i = 0; i < taps; i++)
        out[i].word[3] = (u32xv)vec_from_byte(t[i].word[0], 3);
}

/* True if the key fixes components to integers of a constant width, with or without sign. */
LANES_INLINE bool decode_is_integer(struct key k) {
    return KEY_FIXED(k, sum) && KEY(k, sum) == TEX_SUM_NONE && KEY_FIXED(k, width) &&
           KEY(k, width) != 0;
}

/* Returns the decoding (TEX_DECODE_) of this component: a constant if the key fixes it. */
LANES_INLINE int decode_kind(struct key k, const struct tex_component *c) {
    if (decode_is_integer(k))
        return c->decode == TEX_DECODE_SINT ? TEX_DECODE_SINT : TEX_DECODE_UINT;
    if (!KEY_FIXED(k, decode))
        return c->decode;
    return KEY(k, decode) == TEX_DECODE_SRGB && k.component == 3 ? TEX_DECODE_BYTES
                                                                 : KEY(k, decode);
}

/* True if components lie in order, with a constant width (key.width). */
LANES_INLINE bool decode_in_order(struct key k) {
    return decode_is_integer(k) ||
           (KEY_FIXED(k, decode) && KEY_FIXED(k, width) && KEY(k, width) != 0);
}

/* Returns the number of the word with a component. If a texel has one word, the number
 * is 0. */
LANES_INLINE int decode_word(struct key k, const struct tex_component *c) {
    if (KEY_FIXED(k, fetch) && (KEY(k, fetch) <= TEX_FETCH_4 || KEY(k, fetch) == TEX_FETCH_BLOCK))
        return 0;
    return decode_in_order(k) ? k.component * KEY(k, width) / 32 : c->word;
}

/* Decodes one component of some taps. The switch is outside of the loop over taps, because all taps
 * are decoded alike. */
#define DECODE_EACH(value)                                                                         \
    VEC_UNROLL                                                                                     \
    for (int i = 0; i < taps; i++) {                                                               \
        const u32xv word = t[i].word[at];                                                          \
        out[i] = (u32xv)(value);                                                                   \
    }                                                                                              \
    break

LANES_INLINE void decode_taps(struct key k, const struct tex_component *c, const struct texel t[],
                              int taps, bool raw, u32xv out[]) {
    const bool in_order = decode_in_order(k);
    const uint32_t bits = in_order ? KEY(k, width) : c->bits;
    const uint32_t down = in_order ? (uint32_t)k.component * bits % 32 : c->shift;
    const uint32_t mask = 0xffffffffu >> (32 - bits);
    const int at = decode_word(k, c);
    const uint32_t left = 32u - bits - down, right = 32u - bits;
#define FIELD (vec_shift_right(word, down) & mask)
#define SIGNED vec_shift_right_signed((i32xv)vec_shift_left(word, left), right)
#define BYTE (KEY_FIXED(k, decode) ? word >> 8 * k.component & 0xff : FIELD)
    switch (decode_kind(k, c)) {
    case TEX_DECODE_BYTES:
        DECODE_EACH(vec_from_byte(word, k.component));
    case TEX_DECODE_UNORM:
        DECODE_EACH(vec_from_field(word, (int)down, mask, c->scale));
    case TEX_DECODE_UNORM24:
        DECODE_EACH(decode_unorm24(FIELD));
    case TEX_DECODE_UNORM32:
        DECODE_EACH(vec_float((i32xv)(word >> 16)) * 0x1p-16f +
                    vec_float((i32xv)(word & 0xffff)) * 0x1p-32f);
    case TEX_DECODE_SNORM:
        DECODE_EACH(vec_max_f(vec_float(SIGNED) * c->scale, vec_splat_f(-1.0f)));
    case TEX_DECODE_SNORM32:
        DECODE_EACH(vec_max_f(vec_float(SIGNED) / c->most, vec_splat_f(-1.0f)));
    case TEX_DECODE_UINT:
        DECODE_EACH(FIELD);
    case TEX_DECODE_SINT:
        DECODE_EACH(SIGNED);
    case TEX_DECODE_HALF:
#if VEC_LANES == 4
        if (!in_order && c->up) { /* no sign bit */
            DECODE_EACH(vec_from_half_magnitude(vec_shift_left(FIELD, c->up + 13u)));
        }
#endif
        DECODE_EACH(vec_from_half(in_order ? FIELD : vec_shift_left(FIELD, c->up), raw));
    case TEX_DECODE_FLOAT:
        DECODE_EACH(word);
    case TEX_DECODE_RGB9E5:
        DECODE_EACH(vec_float((i32xv)FIELD) * (f32xv)(((word >> 27) + (127 - 24)) << 23));
    case TEX_DECODE_SRGB: {
        u32xv code[8];
        VEC_UNROLL
        for (int i = 0; i < taps; i++) {
            const u32xv word = t[i].word[at];
            code[i] = BYTE;
        }
        decode_srgb(k, code, taps, out);
        break;
    }
    default:
        DECODE_EACH((u32xv){0} & word);
    }
#undef FIELD
#undef SIGNED
#undef BYTE
}
#undef DECODE_EACH
