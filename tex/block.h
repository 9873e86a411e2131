/* Texels of compressed blocks: DXT1/3/5 and RGTC1/2 (S3TC and RGTC of OpenGL). In: the words of each
 * lane's block and the number of its texel, 0..15 row by row. Out: a word of four 8-bit components,
 * signed for RGTC SNORM. Mixes are rounded to nearest. Knows no views.
 */
#ifndef TEX_BLOCK_H
#define TEX_BLOCK_H

#include "tex/part.inc"
#include "tex/tex.h"

/* The colour half of a DXT block. Three-colour mode exists in DXT1 only. */
LANES_INLINE u32xp block_color(u32xp ends, u32xp codes, u32xp texel, bool dxt1) {
    static const uint8_t low[3] = {11, 5, 0}, count[3] = {5, 6, 5};
    const u32xp c0 = ends & 0xffff, c1 = ends >> 16;
    const u32xp code = codes >> (texel << 1) & 3;
    const u32xp three = dxt1 ? (u32xp)(c0 <= c1) : (u32xp){0};
    const u32xp black = three & (u32xp)(code == 3);
    /* Weight of the second end for codes 0 1 2 3: 0 3 1 2 thirds, or 0 2 1 - halves. */
    const u32xp is_1 = (u32xp)(code == 1), later = (u32xp)(code > 1);
    const u32xp k3 = (is_1 & 3) | (later & (code - 1)), k2 = (is_1 & 2) | (later & 1);
    u32xp rgba = (0xff000000u - (u32xp){0}) & ~black;
    for (int i = 0; i < 3; i++) {
        const uint32_t max = (1u << count[i]) - 1;
        const u32xp f0 = c0 >> low[i] & max, f1 = c1 >> low[i] & max;
        const u32xp a = f0 << (8 - count[i]) | f0 >> (2 * count[i] - 8);
        const u32xp b = f1 << (8 - count[i]) | f1 >> (2 * count[i] - 8);
        const u32xp thirds = (a * (3 - k3) + b * k3 + 1) * 43691 >> 17; /* n / 3 for n < 2^15 */
        const u32xp halves = (a * (2 - k2) + b * k2 + 1) >> 1;
        rgba = rgba | (part_pick((i32xp)three, halves, thirds) & ~black) << 8 * i;
    }
    return rgba;
}

/* An 8-byte block of one interpolated component: DXT5 alpha, RGTC. */
LANES_INLINE u32xp block_ramp(u32xp w0, u32xp w1, u32xp texel, bool is_signed) {
    const i32xp a = is_signed ? (i32xp)(w0 << 24) >> 24 : (i32xp)(w0 & 0xff);
    const i32xp b = is_signed ? (i32xp)(w0 << 16) >> 24 : (i32xp)(w0 >> 8 & 0xff);
    const u32xp position = texel * 3 + 16, shift = position & 31;
    const u32xp first = w0 >> shift | (w1 << 1) << (31 - shift);
    const i32xp code = (i32xp)(part_pick((i32xp)(position < 32), first, w1 >> shift) & 7);
    const i32xp eight = a > b;
    const i32xp d = 5 + (eight & 2);
    const i32xp k = part_pick_int(code == 0, (i32xp){0}, part_pick_int(code == 1, d, code - 1));
    const i32xp n = a * (d - k) + b * k, negative = n >> 31;
    const u32xp twice = (u32xp)(((n ^ negative) - negative) * 2 + d); /* below 4096 */
    const u32xp q = part_pick(eight, twice * 37450 >> 19, twice * 6554 >> 16);
    const i32xp mixed = ((i32xp)q ^ negative) - negative;
    const i32xp least = part_splat(is_signed ? -127 : 0);
    const i32xp most = part_splat(is_signed ? 127 : 255);
    const i32xp fixed = ~eight & (code >= 6);
    return (u32xp)part_pick_int(fixed, part_pick_int(code == 6, least, most), mixed) & 0xff;
}

LANES_INLINE u32xp block_texels(int storage, bool is_signed, const u32xp word[4], u32xp texel) {
    switch (storage) {
    case TEX_STORE_DXT1:
        return block_color(word[0], word[1], texel, true);
    case TEX_STORE_DXT3: {
        const u32xp half = part_pick((i32xp)(texel < 8), word[0], word[1]);
        const u32xp alpha = (half >> ((texel & 7) << 2) & 15) * 17;
        return (block_color(word[2], word[3], texel, false) & 0xffffff) | alpha << 24;
    }
    case TEX_STORE_DXT5: {
        const u32xp alpha = block_ramp(word[0], word[1], texel, false);
        return (block_color(word[2], word[3], texel, false) & 0xffffff) | alpha << 24;
    }
    case TEX_STORE_RGTC2:
        return block_ramp(word[0], word[1], texel, is_signed) |
               block_ramp(word[2], word[3], texel, is_signed) << 8;
    default:
        return block_ramp(word[0], word[1], texel, is_signed);
    }
}

/* ---- decoded blocks ---- */

/* A thread's decoded blocks, direct mapped. Only a cache: results never depend on it. The tag is the
 * view's generation, which no other view has, and the block's place in the view; texels behind a view
 * do not change while it lives. */
enum { BLOCK_COLUMN_BITS = 5, BLOCK_ROW_BITS = 4, BLOCK_BITS = BLOCK_COLUMN_BITS + BLOCK_ROW_BITS };
enum {
    BLOCK_COLUMNS = 1 << BLOCK_COLUMN_BITS,
    BLOCK_ROWS = 1 << BLOCK_ROW_BITS,
    BLOCK_SLOTS = 2 << BLOCK_BITS /* for two levels */
};
struct block_cache {
    uint32_t texel[BLOCK_SLOTS][16] __attribute__((aligned(64))); /* row by row */
    uint64_t tag[BLOCK_SLOTS];
};
struct block_cache *block_cache_get(void); /* block_cache.c */

/* Slots of blocks of one view and level that lie within so many columns and rows of each other differ,
 * and those of a level and the next one. */
static inline uint32_t block_salt(const struct tex_view *v, int level) {
    return ((uint32_t)v->generation * 37 ^ (uint32_t)level << BLOCK_BITS) & (BLOCK_SLOTS - 1);
}

/* What stands for the block at this many bytes of the view's, below 2 GiB. */
static inline uint64_t block_tag(const struct tex_view *v, uint64_t offset) {
    return v->generation << 28 | offset >> 3;
}

/* Makes sure that the block at `at`, which is readable, is in its slot. */
static inline void block_load(struct block_cache *cache, const struct tex_view *v, uint32_t slot,
                              const uint8_t *at) {
    const uint64_t tag = block_tag(v, (uint64_t)(at - v->data));
    if (cache->tag[slot] == tag)
        return;
    uint32_t w[4] = {0};
    memcpy(w, at, v->bytes);
    const u32xp word[4] = {w[0] - (u32xp){0}, w[1] - (u32xp){0}, w[2] - (u32xp){0},
                           w[3] - (u32xp){0}};
    const u32x32 iota = lanes_iota();
    for (int part = 0; part < 16 / PART_LANES; part++) {
        const u32xp texel = (u32xp)part_load(&iota, part);
        const u32xp rgba =
            block_texels(v->storage, v->component_type[0] == COMPONENT_SNORM, word, texel);
        memcpy(&cache->texel[slot][part * PART_LANES], &rgba, sizeof rgba);
    }
    cache->tag[slot] = tag;
}

#endif
