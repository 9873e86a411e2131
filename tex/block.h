/* Texels of compressed blocks: DXT1/3/5 and RGTC1/2 (S3TC and RGTC of OpenGL). In: a block and a
 * position inside it. Out: component integers, 8 bits each, signed for RGTC SNORM. One texel at a
 * time. Knows no views.
 */
#ifndef TEX_BLOCK_H
#define TEX_BLOCK_H

#include "tex/tex.h"

static inline uint32_t block_load(const uint8_t *p, int bytes) {
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

/* round((a * (d - k) + b * k) / d), also for negative ends. */
static inline int32_t block_mix(int32_t a, int32_t b, int32_t k, int32_t d) {
    const int32_t n = 2 * (a * (d - k) + b * k);
    return (n + (n < 0 ? -d : d)) / (2 * d);
}

static inline void block_565(uint32_t c, int32_t rgb[3]) {
    const uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    rgb[0] = (int32_t)(r << 3 | r >> 2);
    rgb[1] = (int32_t)(g << 2 | g >> 4);
    rgb[2] = (int32_t)(b << 3 | b >> 2);
}

/* The colour half of a DXT block. Three-colour mode exists in DXT1 only. */
static inline void block_color(const uint8_t *block, uint32_t texel, bool dxt1, int32_t rgba[4]) {
    const uint32_t c0 = block_load(block, 2), c1 = block_load(block + 2, 2);
    const uint32_t code = block_load(block + 4, 4) >> (2 * texel) & 3;
    int32_t a[3], b[3];
    block_565(c0, a);
    block_565(c1, b);
    const bool three = dxt1 && c0 <= c1;
    const int32_t divisor = three ? 2 : 3;
    const int32_t k = code == 0 ? 0 : code == 1 ? divisor : (int32_t)code - 1;
    const bool black = three && code == 3;
    for (int i = 0; i < 3; i++)
        rgba[i] = black ? 0 : block_mix(a[i], b[i], k, divisor);
    rgba[3] = black ? 0 : 255;
}

/* An 8-byte block of one interpolated component: DXT5 alpha, RGTC. */
static inline int32_t block_ramp(const uint8_t *block, uint32_t texel, bool is_signed) {
    const int32_t a = is_signed ? (int8_t)block[0] : block[0];
    const int32_t b = is_signed ? (int8_t)block[1] : block[1];
    const uint64_t codes = (uint64_t)block_load(block + 6, 2) << 32 | block_load(block + 2, 4);
    const int32_t code = (int32_t)(codes >> (3 * texel) & 7);
    if (code < 2)
        return code ? b : a;
    if (a > b)
        return block_mix(a, b, code - 1, 7);
    if (code < 6)
        return block_mix(a, b, code - 1, 5);
    return code == 7 ? (is_signed ? 127 : 255) : (is_signed ? -127 : 0);
}

static inline void block_texel(int storage, bool is_signed, const uint8_t *block, uint32_t x,
                               uint32_t y, int32_t rgba[4]) {
    const uint32_t texel = 4 * y + x;
    switch (storage) {
    case TEX_STORE_DXT1:
        block_color(block, texel, true, rgba);
        break;
    case TEX_STORE_DXT3:
        block_color(block + 8, texel, false, rgba);
        rgba[3] = (block[texel / 2] >> (4 * (texel & 1)) & 15) * 17;
        break;
    case TEX_STORE_DXT5:
        block_color(block + 8, texel, false, rgba);
        rgba[3] = block_ramp(block, texel, false);
        break;
    case TEX_STORE_RGTC2:
        rgba[1] = block_ramp(block + 8, texel, is_signed);
        rgba[0] = block_ramp(block, texel, is_signed);
        break;
    default:
        rgba[0] = block_ramp(block, texel, is_signed);
        break;
    }
}

#endif
