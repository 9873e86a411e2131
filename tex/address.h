/* Addresses inside a level, and the bytes of the layer of each lane. Both layouts are separable:
 * the offset of a texel is that of its column plus that of its row plus that of its slice. In:
 * texel indices inside the level. Out: byte offsets. Facts: tesla-3d.md §3. Must not know formats.
 */
#pragma once

#include "tex/key.h"
#include "tex/texel_math.h"

/* The place of the texels that a vector of lanes samples: one level, and one layer unless
 * `scattered` is true. */
struct texel_slice {
    const struct tex_level *level;
    const uint8_t *base; /* offsets count from here */
    /* lanes differ in layer or level, or view.whole is false: `layer` is added to each offset */
    bool scattered;
    u32xv layer;
    u32xv row[TEX_LEVEL_ROWS]; /* key.each: the fields of each lane's level, by LEVEL_* */
};

/* Returns the size of an axis in each lane's level. */
LANES_INLINE i32xv slice_size(struct key k, const struct texel_slice *p, int axis) {
    const struct tex_level *l = p->level;
    const uint32_t size = axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
    return k.each ? (i32xv)p->row[LEVEL_WIDTH + axis] : vec_splat_int((int32_t)size);
}

/* The size of an axis as a float: in texels, or (slice_fixed_extent()) in 256ths of a texel. */
LANES_INLINE f32xv slice_extent(struct key k, const struct texel_slice *p, int axis) {
    return k.each ? vec_float((i32xv)p->row[LEVEL_WIDTH + axis])
                  : vec_splat_f(p->level->extent[axis]);
}

LANES_INLINE f32xv slice_fixed_extent(struct key k, const struct texel_slice *p, int axis) {
    return k.each ? slice_extent(k, p, axis) * 256.0f : vec_splat_f(p->level->fixed_extent[axis]);
}

/* Returns a * b. If the view is whole, both are below 2^15: 16-bit products are enough. */
LANES_INLINE u32xv address_times(struct key k, u32xv a, u32xv b) {
    if (!KEY(k, whole))
        return a * b;
#if defined(__SSE2__)
    return (u32xv)VEC_INTRINSIC(madd_epi16)((vec_bits)a, (vec_bits)b);
#else
    return a * b;
#endif
}

LANES_INLINE u32xv address_column(struct key k, const struct texel_slice *p, u32xv byte) {
    if (KEY(k, linear))
        return byte;
    const u32xv line = byte & ~63u;
    return (k.each ? line << p->row[LEVEL_COLUMN_SHIFT]
                   : vec_shift_left(line, p->level->column_shift)) |
           (byte & 63);
}

/* Returns the offset of a row. Block-linear: row r starts at 64 * (r + row_step * R); R is the
 * number of rows above its row of tiles. A tile's line is 64 bytes, and the rows of a row of tiles
 * take row_step + 1 = tiles_x << tile_d lines each. */
LANES_INLINE u32xv address_row(struct key k, const struct texel_slice *p, u32xv row) {
    const struct tex_level *l = p->level;
    if (k.each)
        return (row + address_times(k, row & p->row[LEVEL_ROW_MASK], p->row[LEVEL_ROW_STEP])) << 6;
    if (KEY(k, linear))
        return row * l->pitch;
    return (row + address_times(k, row & l->row_mask, l->row_step - (u32xv){0})) << 6;
}

/* Returns the offset of a slice, as address_row() with the slice's mask, step and shift. */
LANES_INLINE u32xv address_slice(struct key k, const struct tex_level *l, u32xv slice) {
    return vec_shift_left(slice +
                              address_times(k, slice & l->slice_mask, l->slice_step - (u32xv){0}),
                          l->slice_shift);
}
