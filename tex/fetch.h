/* Texels from memory, 32 lanes at a time: addresses inside a level, gathers, component decoding.
 * In: a view, a level, texel indices inside the level. Out: one vector of words per component, in
 * memory order. No read leaves the view's bytes, whatever the descriptor said. Knows no
 * coordinates.
 */
#ifndef TEX_FETCH_H
#define TEX_FETCH_H

#include "tex/block.h"

/* Addressing of one level, uniform over the warp: tesla-3d.md "Memory". */
struct level_map {
    const struct tex_view *view;
    uint32_t offset;              /* of the level in the view */
    int32_t width, height, depth; /* texels */
    bool linear;
    uint32_t pitch;
    uint32_t tile_shift, h, d;  /* log2 of tile bytes, rows and slices */
    uint32_t tiles_x, tiles_xy; /* tiles per row of tiles, per slice of tiles */
};

static inline bool view_is_block(const struct tex_view *v) {
    return v->storage >= TEX_STORE_DXT1;
}

static inline struct level_map level_map(const struct tex_view *v, int level) {
    const struct tex_level *l = &v->level[level];
    const uint32_t block = view_is_block(v) ? 4 : 1;
    const uint32_t columns = (l->width + block - 1) / block * v->bytes;
    const uint32_t rows = (l->height + block - 1) / block;
    struct level_map m = {.view = v,
                          .offset = (uint32_t)l->offset,
                          .width = (int32_t)l->width,
                          .height = (int32_t)l->height,
                          .depth = (int32_t)l->depth,
                          .linear = v->linear,
                          .pitch = l->pitch};
    m.h = 2u + l->tile_h;
    m.d = l->tile_d;
    m.tile_shift = 6 + m.h + m.d;
    m.tiles_x = (columns + 63) / 64;
    m.tiles_xy = m.tiles_x * ((rows + (1u << m.h) - 1) >> m.h);
    return m;
}

/* The offset of a texel is column + row + slice; each part depends on one index. */
LANES_INLINE u32x32 map_column(const struct level_map *m, u32x32 byte) {
    if (m->linear)
        return byte + m->offset;
    return ((byte >> 6) << m->tile_shift) + (byte & 63) + m->offset;
}

LANES_INLINE u32x32 map_row(const struct level_map *m, u32x32 row) {
    if (m->linear)
        return row * m->pitch;
    return (((row >> m->h) * m->tiles_x) << m->tile_shift) + ((row & ((1u << m->h) - 1)) << 6);
}

LANES_INLINE u32x32 map_slice(const struct level_map *m, u32x32 slice) {
    return (((slice >> m->d) * m->tiles_xy) << m->tile_shift) +
           ((slice & ((1u << m->d) - 1)) << (6 + m->h));
}

/* Four bytes at base + offset (less than 2 GiB) in every lane. */
LANES_INLINE u32x32 vec_gather(const uint8_t *base, u32x32 offset) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves o = {.v = offset}, r;
    for (int i = 0; i < 2; i++)
        r.h[i] = _mm512_i32gather_epi32(o.h[i], base, 1);
    return r.v;
#elif defined(__AVX2__)
    union lanes_quarters o = {.v = offset}, r;
    for (int i = 0; i < 4; i++)
        r.q[i] = _mm256_i32gather_epi32((const int *)base, o.q[i], 1);
    return r.v;
#else
    uint32_t o[LANES], r[LANES];
    memcpy(o, &offset, sizeof o);
    for (int i = 0; i < LANES; i++)
        memcpy(&r[i], base + o[i], 4);
    u32x32 v;
    memcpy(&v, r, sizeof v);
    return v;
#endif
}

/* Raw texels: plain ones as memory words, block ones as one integer per component. */
struct texels {
    u32x32 word[4];
};

/* One 32-bit word of plain texels; short texels are read with the bytes around them. */
LANES_INLINE u32x32 fetch_word(const struct tex_view *v, u32x32 offset, int word) {
    if (v->bytes >= 4)
        return vec_gather(v->data, offset + 4 * word);
    const u32x32 last = lanes_splat((uint32_t)(v->size - 4));
    const u32x32 from = lanes_blend((u32x32)(offset > last), last, offset);
    return vec_gather(v->data, from) >> ((offset - from) << 3);
}

static inline void fetch_blocks(const struct tex_view *v, u32x32 offset, u32x32 x, u32x32 y,
                                struct texels *out) {
    u32x32 word[4];
    for (int i = 0; i < v->bytes / 4; i++)
        word[i] = vec_gather(v->data, offset + 4 * i);
    block_texels(v->storage, v->component_type[0] == COMPONENT_SNORM, word, (y & 3) << 2 | (x & 3),
                 out->word);
}

/* Texels at (x, y, z) of a level, all inside it; layer is the byte offset of each lane's layer. */
static inline void fetch_texels(const struct level_map *m, i32x32 x, i32x32 y, i32x32 z,
                                u32x32 layer, struct texels *out) {
    const struct tex_view *v = m->view;
    const u32x32 column = (u32x32)(view_is_block(v) ? x >> 2 : x) * v->bytes;
    u32x32 offset =
        map_column(m, column) + map_row(m, (u32x32)(view_is_block(v) ? y >> 2 : y)) + layer;
    if (m->depth > 1)
        offset = offset + map_slice(m, (u32x32)z);
    u32x32 kept = lanes_splat(0xffffffff);
    const int words = view_is_block(v) ? 4 : (v->bytes + 3) / 4;
    if (!v->whole) {
        if (v->size < v->bytes) {
            memset(out, 0, sizeof *out);
            return;
        }
        kept = (u32x32)(offset <= lanes_splat((uint32_t)(v->size - v->bytes)));
        offset = offset & kept;
    }
    if (view_is_block(v)) {
        fetch_blocks(v, offset, (u32x32)x, (u32x32)y, out);
    } else {
        for (int i = 0; i < words; i++)
            out->word[i] = fetch_word(v, offset, i);
    }
    for (int i = 0; !v->whole && i < words; i++)
        out->word[i] = out->word[i] & kept;
}

/* ---- components to 32-bit words ---- */

/* A half float's bits to f32 bits, in integers: DAZ and FTZ have no say. */
LANES_INLINE u32x32 vec_from_half(u32x32 h) {
    const u32x32 magnitude = (h & 0x7fff) << 13, sign = (h & 0x8000) << 16;
    const u32x32 normal = magnitude + (112u << 23);
    const u32x32 special = magnitude | 0x7f800000u;
    const u32x32 denormal = (u32x32)(vec_float((i32x32)(h & 0x3ff)) * 0x1p-24f);
    const u32x32 exponent = h & 0x7c00;
    u32x32 r = lanes_blend((u32x32)(exponent == 0x7c00), special, normal);
    r = lanes_blend((u32x32)(exponent == 0), denormal, r);
    return r | sign;
}

/* Normalised integers of up to 16 bits are one product with the f32 reciprocal of the greatest
 * value (which gives exactly 1 there), wider ones one division. */
LANES_INLINE u32x32 vec_normalize(i32x32 v, uint32_t max) {
    if (max > 0xffff)
        return (u32x32)(vec_float(v) / (float)max);
    return (u32x32)(vec_float(v) * (1.0f / (float)max));
}

LANES_INLINE u32x32 vec_snorm(i32x32 v, uint32_t max) {
    return (u32x32)vec_max((f32x32)vec_normalize(v, max), lanes_splat_f(-1.0f));
}

LANES_INLINE u32x32 vec_unorm32(u32x32 v) {
    const f32x32 high = vec_float((i32x32)(v >> 16)) * 0x1p-16f;
    return (u32x32)(high + vec_float((i32x32)(v & 0xffff)) * 0x1p-32f);
}

LANES_INLINE u32x32 vec_rgb9e5(u32x32 texel, int c) {
    const u32x32 scale = ((texel >> 27) + (127 - 24)) << 23;
    return (u32x32)(vec_float((i32x32)(texel >> (9 * c) & 0x1ff)) * (f32x32)scale);
}

/* Component c (memory order) as float bits or integer. Absent components are 0. */
static inline u32x32 decode_component(const struct tex_view *v, const struct texels *t, int c,
                                      bool srgb) {
    const uint32_t count = v->bits[c];
    if (!count)
        return (u32x32){0};
    if (v->storage == TEX_STORE_RGB9E5)
        return vec_rgb9e5(t->word[0], c);
    const bool block = view_is_block(v);
    const u32x32 raw = block ? t->word[c] : t->word[v->shift[c] / 32];
    const uint32_t down = block ? 0 : v->shift[c] % 32, mask = 0xffffffffu >> (32 - count);
    const u32x32 u = raw >> down & mask;
    const i32x32 s = (i32x32)(u << (32 - count)) >> (32 - count);
    switch (v->component_type[c]) {
    case COMPONENT_UNORM:
        if (srgb && count == 8)
            return vec_gather((const uint8_t *)srgb8_linear, u << 2);
        return count == 32 ? vec_unorm32(u) : vec_normalize((i32x32)u, mask);
    case COMPONENT_SNORM:
        return vec_snorm(s, mask >> 1);
    case COMPONENT_SINT:
        return (u32x32)s;
    case COMPONENT_FLOAT:
        return count == 32 ? u : vec_from_half(count < 16 ? u << (15 - count) : u);
    default:
        return u;
    }
}

#endif
