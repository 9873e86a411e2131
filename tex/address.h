/* Addresses inside a level, and which bytes belong to a lane's layer. Both layouts are separable: a
 * texel's offset is that of its column plus that of its row plus that of its slice. In: texel
 * indices inside the level. Out: byte offsets. Facts: tesla-3d.md §3. Knows no formats.
 */
#ifndef TEX_ADDRESS_H
#define TEX_ADDRESS_H

#include "tex/key.h"
#include "tex/part.inc"

/* The plane of texels that a part of a warp looks at. */
struct plane {
    const struct tex_level *level;
    const uint8_t *base;       /* offsets count from here */
    bool scattered;            /* lanes differ: */
    u32xp layer;               /* added to each offset */
    u32xp row[TEX_LEVEL_ROWS]; /* where each lane has a level of its own */
};

/* Size of an axis in each lane's level. */
LANES_INLINE i32xp plane_size(struct key k, const struct plane *p, int axis) {
    const struct tex_level *l = p->level;
    const uint32_t size = axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
    return k.each ? (i32xp)p->row[LEVEL_WIDTH + axis] : part_splat((int32_t)size);
}

/* The same as a float; and in 256ths of a texel. */
LANES_INLINE f32xp plane_extent(struct key k, const struct plane *p, int axis) {
    return k.each ? part_float((i32xp)p->row[LEVEL_WIDTH + axis])
                  : part_splat_f(p->level->extent[axis]);
}

LANES_INLINE f32xp plane_fixed_extent(struct key k, const struct plane *p, int axis) {
    return k.each ? plane_extent(k, p, axis) * 256.0f : part_splat_f(p->level->fixed_extent[axis]);
}

/* Products; where the view is whole, of numbers below 2^15. */
LANES_INLINE u32xp address_times(struct key k, u32xp a, u32xp b) {
    if (!KEY(k, whole))
        return a * b;
#if PART_LANES == 16
    return (u32xp)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif PART_LANES == 8
    return (u32xp)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (u32xp)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return a * b;
#endif
}

LANES_INLINE u32xp address_column(struct key k, const struct plane *p, u32xp byte) {
    if (KEY(k, linear))
        return byte;
    const u32xp line = byte & ~63u;
    return (k.each ? line << p->row[LEVEL_COLUMN_SHIFT]
                   : part_shift_left(line, p->level->column_shift)) |
           (byte & 63);
}

/* A row of tiles is tiles_x tiles long, and a tile's line is 64 bytes: row r starts at 64 times what r
 * and the rows above its row of tiles, each tiles_x - 1 times more, make up. At most 65535 texels. */
LANES_INLINE u32xp address_row(struct key k, const struct plane *p, u32xp row) {
    const struct tex_level *l = p->level;
    if (k.each)
        return (row + address_times(k, row & p->row[LEVEL_ROW_MASK], p->row[LEVEL_ROW_STEP])) << 6;
    if (KEY(k, linear))
        return row * l->pitch;
    return (row + address_times(k, row & l->row_mask, l->row_step - (u32xp){0})) << 6;
}

/* And slices in the same way. */
LANES_INLINE u32xp address_slice(struct key k, const struct tex_level *l, u32xp slice) {
    return part_shift_left(slice +
                               address_times(k, slice & l->slice_mask, l->slice_step - (u32xp){0}),
                           l->slice_shift);
}

#endif
