/* Texels of compressed blocks, 32 lanes at a time: DXT1/3/5 and RGTC1/2 (S3TC and RGTC of OpenGL).
 * In: the words of each lane's block and the number of its texel, 0..15 row by row. Out: component
 * integers, 8 bits each, signed for RGTC SNORM. Mixes are rounded to nearest. Knows no views.
 */
#ifndef TEX_BLOCK_H
#define TEX_BLOCK_H

#include "tex/coord.h"
#include "tex/tex.h"

/* The colour half of a DXT block. Three-colour mode exists in DXT1 only. */
LANES_INLINE void block_color(u32x32 ends, u32x32 codes, u32x32 texel, bool dxt1, u32x32 rgba[4]) {
    static const uint8_t low[3] = {11, 5, 0}, count[3] = {5, 6, 5};
    const u32x32 c0 = ends & 0xffff, c1 = ends >> 16;
    const u32x32 code = codes >> (texel << 1) & 3;
    const u32x32 three = dxt1 ? (u32x32)(c0 <= c1) : (u32x32){0};
    const u32x32 black = three & (u32x32)(code == 3);
    /* Weight of the second end for codes 0 1 2 3: 0 3 1 2 thirds, or 0 2 1 - halves. */
    const u32x32 is_1 = (u32x32)(code == 1), later = (u32x32)(code > 1);
    const u32x32 k3 = (is_1 & 3) | (later & (code - 1)), k2 = (is_1 & 2) | (later & 1);
    for (int i = 0; i < 3; i++) {
        const uint32_t max = (1u << count[i]) - 1;
        const u32x32 f0 = c0 >> low[i] & max, f1 = c1 >> low[i] & max;
        const u32x32 a = f0 << (8 - count[i]) | f0 >> (2 * count[i] - 8);
        const u32x32 b = f1 << (8 - count[i]) | f1 >> (2 * count[i] - 8);
        const u32x32 thirds = (a * (3 - k3) + b * k3 + 1) * 43691 >> 17; /* n / 3 for n < 2^15 */
        const u32x32 halves = (a * (2 - k2) + b * k2 + 1) >> 1;
        rgba[i] = lanes_blend(three, halves, thirds) & ~black;
    }
    rgba[3] = 255 & ~black;
}

/* An 8-byte block of one interpolated component: DXT5 alpha, RGTC. */
LANES_INLINE u32x32 block_ramp(u32x32 w0, u32x32 w1, u32x32 texel, bool is_signed) {
    const i32x32 a = is_signed ? (i32x32)(w0 << 24) >> 24 : (i32x32)(w0 & 0xff);
    const i32x32 b = is_signed ? (i32x32)(w0 << 16) >> 24 : (i32x32)(w0 >> 8 & 0xff);
    const u32x32 position = texel * 3 + 16, shift = position & 31;
    const u32x32 first = w0 >> shift | (w1 << 1) << (31 - shift);
    const i32x32 code = (i32x32)(lanes_blend((u32x32)(position < 32), first, w1 >> shift) & 7);
    const i32x32 eight = a > b;
    const i32x32 d = 5 + (eight & 2);
    const i32x32 k = vec_pick_int(code == 0, (i32x32){0}, vec_pick_int(code == 1, d, code - 1));
    const i32x32 n = a * (d - k) + b * k, negative = n >> 31;
    const u32x32 twice = (u32x32)(((n ^ negative) - negative) * 2 + d); /* below 4096 */
    const u32x32 q = lanes_blend((u32x32)eight, twice * 37450 >> 19, twice * 6554 >> 16);
    const i32x32 mixed = ((i32x32)q ^ negative) - negative;
    const i32x32 least = vec_int_splat(is_signed ? -127 : 0);
    const i32x32 most = vec_int_splat(is_signed ? 127 : 255);
    const i32x32 fixed = ~eight & (code >= 6);
    return (u32x32)vec_pick_int(fixed, vec_pick_int(code == 6, least, most), mixed);
}

LANES_INLINE void block_texels(int storage, bool is_signed, const u32x32 word[4], u32x32 texel,
                               u32x32 rgba[4]) {
    for (int i = 0; i < 4; i++)
        rgba[i] = (u32x32){0};
    if (storage == TEX_STORE_DXT1) {
        block_color(word[0], word[1], texel, true, rgba);
    } else if (storage == TEX_STORE_DXT3) {
        block_color(word[2], word[3], texel, false, rgba);
        const u32x32 half = lanes_blend((u32x32)(texel < 8), word[0], word[1]);
        rgba[3] = (half >> ((texel & 7) << 2) & 15) * 17;
    } else if (storage == TEX_STORE_DXT5) {
        block_color(word[2], word[3], texel, false, rgba);
        rgba[3] = block_ramp(word[0], word[1], texel, false);
    } else {
        rgba[0] = block_ramp(word[0], word[1], texel, is_signed);
        if (storage == TEX_STORE_RGTC2)
            rgba[1] = block_ramp(word[2], word[3], texel, is_signed);
    }
}

#endif
