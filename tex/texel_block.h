/* Texels of compressed blocks: DXT1/3/5, RGTC1/2 and BC7 (S3TC, RGTC, BPTC of OpenGL). In: the
 * words of each lane's block and the number of its texel, 0..15 row by row. Out: a word of four
 * 8-bit components, signed for RGTC SNORM. Mixes are rounded to nearest. Must not know views.
 */
#pragma once

#include "tex/bptc.h"
#include "tex/tex.h"

/* Decodes the colour half of a DXT block. Only DXT1 has the three-colour mode. */
LANES_INLINE u32xv texel_block_color(u32xv ends, u32xv codes, u32xv texel, bool dxt1) {
    static const uint8_t low[3] = {11, 5, 0}, count[3] = {5, 6, 5};
    const u32xv c0 = ends & 0xffff, c1 = ends >> 16;
    const u32xv code = codes >> (texel << 1) & 3;
    const u32xv three = dxt1 ? (u32xv)(c0 <= c1) : (u32xv){0};
    const u32xv black = three & (u32xv)(code == 3);
    /* The second end's weight for codes 0 1 2 3: 0 3 1 2 thirds, or 0 2 1 1 halves (3 is black). */
    const u32xv is_1 = (u32xv)(code == 1), later = (u32xv)(code > 1);
    const u32xv k3 = (is_1 & 3) | (later & (code - 1)), k2 = (is_1 & 2) | (later & 1);
    u32xv rgba = (0xff000000u - (u32xv){0}) & ~black;
    for (int i = 0; i < 3; i++) {
        const uint32_t max = (1u << count[i]) - 1;
        const u32xv f0 = c0 >> low[i] & max, f1 = c1 >> low[i] & max;
        const u32xv a = f0 << (8 - count[i]) | f0 >> (2 * count[i] - 8);
        const u32xv b = f1 << (8 - count[i]) | f1 >> (2 * count[i] - 8);
        const u32xv thirds = (a * (3 - k3) + b * k3 + 1) * 43691 >> 17; /* n / 3 for n < 2^15 */
        const u32xv halves = (a * (2 - k2) + b * k2 + 1) >> 1;
        rgba = rgba | (vec_blend(three, halves, thirds) & ~black) << 8 * i;
    }
    return rgba;
}

/* Decodes an 8-byte block of one interpolated component: DXT5 alpha, RGTC. */
LANES_INLINE u32xv texel_block_ramp(u32xv w0, u32xv w1, u32xv texel, bool is_signed) {
    const i32xv a = is_signed ? (i32xv)(w0 << 24) >> 24 : (i32xv)(w0 & 0xff);
    const i32xv b = is_signed ? (i32xv)(w0 << 16) >> 24 : (i32xv)(w0 >> 8 & 0xff);
    const u32xv position = texel * 3 + 16, shift = position & 31;
    const u32xv first = w0 >> shift | (w1 << 1) << (31 - shift);
    const i32xv code = (i32xv)(vec_blend((u32xv)(position < 32), first, w1 >> shift) & 7);
    const i32xv eight = a > b;
    const i32xv d = 5 + (eight & 2);
    const i32xv k = vec_blend_int(code == 0, (i32xv){0}, vec_blend_int(code == 1, d, code - 1));
    const i32xv n = a * (d - k) + b * k, negative = n >> 31;
    const u32xv twice = (u32xv)(((n ^ negative) - negative) * 2 + d); /* below 4096 */
    const u32xv q = vec_blend((u32xv)eight, twice * 37450 >> 19, twice * 6554 >> 16);
    const i32xv mixed = ((i32xv)q ^ negative) - negative;
    const i32xv least = vec_splat_int(is_signed ? -127 : 0);
    const i32xv most = vec_splat_int(is_signed ? 127 : 255);
    const i32xv fixed = ~eight & (code >= 6);
    return (u32xv)vec_blend_int(fixed, vec_blend_int(code == 6, least, most), mixed) & 0xff;
}

LANES_INLINE u32xv texel_block_texels(int storage, bool is_signed, const u32xv word[4],
                                      u32xv texel) {
    switch (storage) {
    case TEX_STORE_DXT1:
        return texel_block_color(word[0], word[1], texel, true);
    case TEX_STORE_DXT3: {
        const u32xv half = vec_blend((u32xv)(texel < 8), word[0], word[1]);
        const u32xv alpha = (half >> ((texel & 7) << 2) & 15) * 17;
        return (texel_block_color(word[2], word[3], texel, false) & 0xffffff) | alpha << 24;
    }
    case TEX_STORE_DXT5: {
        const u32xv alpha = texel_block_ramp(word[0], word[1], texel, false);
        return (texel_block_color(word[2], word[3], texel, false) & 0xffffff) | alpha << 24;
    }
    case TEX_STORE_RGTC2:
        return texel_block_ramp(word[0], word[1], texel, is_signed) |
               texel_block_ramp(word[2], word[3], texel, is_signed) << 8;
    default:
        return texel_block_ramp(word[0], word[1], texel, is_signed);
    }
}

/* ---- decoded blocks ---- */

/* The decoded texel blocks of a thread, direct mapped. Results never depend on this cache. The tag
 * is the generation of the view, which no other view has, and the place of the block in the view.
 * Texels of a view do not change while the view exists. */
enum { BLOCK_COLUMN_BITS = 5, BLOCK_ROW_BITS = 4, BLOCK_BITS = BLOCK_COLUMN_BITS + BLOCK_ROW_BITS };
enum {
    BLOCK_COLUMNS = 1 << BLOCK_COLUMN_BITS,
    BLOCK_ROWS = 1 << BLOCK_ROW_BITS,
    BLOCK_SLOTS = 2 << BLOCK_BITS /* enough for two levels */
};
struct texel_block_cache {
    uint32_t texel[BLOCK_SLOTS][16] __attribute__((aligned(64))); /* row by row */
    uint64_t tag[BLOCK_SLOTS];
};
/* Returns the calling thread's cache; NULL when out of memory. */
struct texel_block_cache *texel_block_cache_get(void); /* texel_block_cache.c */

/* Returns the number XORed to the slots of a view and level. Blocks within BLOCK_COLUMNS columns
 * and BLOCK_ROWS rows of each other have different slots, as do blocks of neighbouring levels. */
static inline uint32_t texel_block_salt(const struct tex_view *v, int level) {
    return ((uint32_t)v->generation * 37 ^ (uint32_t)level << BLOCK_BITS) & (BLOCK_SLOTS - 1);
}

/* Returns the tag of the block at this offset (below 2 GiB) in the view. */
static inline uint64_t texel_block_tag(const struct tex_view *v, uint64_t offset) {
    return v->generation << 28 | offset >> 3;
}

/* Decodes the readable block at `at` into the slot, unless the slot already has this block. */
static inline void texel_block_load(struct texel_block_cache *cache, const struct tex_view *v,
                                    uint32_t slot, const uint8_t *at) {
    const uint64_t tag = texel_block_tag(v, (uint64_t)(at - v->data));
    if (cache->tag[slot] == tag)
        return;
    uint32_t w[4] = {0};
    memcpy(w, at, v->bytes);
    cache->tag[slot] = tag;
    if (v->storage == TEX_STORE_BC7) {
        bptc_unorm(w, 0, 16, cache->texel[slot]);
        return;
    }
    const u32xv word[4] = {w[0] - (u32xv){0}, w[1] - (u32xv){0}, w[2] - (u32xv){0},
                           w[3] - (u32xv){0}};
    const u32x32 iota = lanes_iota();
    for (int vec = 0; vec < 16 / VEC_LANES; vec++) {
        const u32xv texel = (u32xv)vec_load(&iota, vec);
        const u32xv rgba =
            texel_block_texels(v->storage, v->component_type[0] == COMPONENT_SNORM, word, texel);
        memcpy(&cache->texel[slot][vec * VEC_LANES], &rgba, sizeof rgba);
    }
}
