/* Surfaces: where a texel lies in memory, linear (pitch) or block-linear, for targets, textures and
 * copies. Layout: tesla-3d.md §3: tiles 64 bytes wide, 4 << tile_h rows, 1 << tile_d slices.
 */
#pragma once

#include "base/format.h"

struct surface {
    uint8_t *data; /* host address of the first byte */
    uint64_t size; /* bytes that may be accessed from data */
    enum pixel_format format;
    uint32_t width, height; /* in samples: a pixel of a multisampled surface has several */
    uint32_t depth;         /* slices (3D) or layers */
    bool linear;
    bool is_3d;            /* depth counts slices inside tiles, not layers layer_stride apart */
    uint32_t pitch;        /* bytes per row, linear only */
    uint8_t tile_h;        /* log2 of a tile's height in units of 4 rows, 0..5 */
    uint8_t tile_d;        /* log2 of a tile's slices, 0..5 */
    uint64_t layer_stride; /* bytes */
};

/* Byte offset of byte column xb, row y (rows of texels, or of blocks when compressed), slice/layer
 * z. */
uint64_t surface_offset(const struct surface *s, uint32_t xb, uint32_t y, uint32_t z);
/* Row y of slice/layer z: lines of SURFACE_LINE bytes, a line of each tile. */
enum { SURFACE_LINE = 64 };
struct surface_row {
    uint64_t first, step; /* byte offset of the first line; bytes from one line to the next */
};
struct surface_row surface_row(const struct surface *s, uint32_t y, uint32_t z);
/* Byte offset of byte column xb of the row. */
static inline uint64_t surface_row_offset(const struct surface_row *r, uint32_t xb) {
    return r->first + xb / SURFACE_LINE * r->step + xb % SURFACE_LINE;
}
/* Bytes that one layer, or the whole of a 3D level, occupies. */
uint64_t surface_layer_bytes(const struct surface *s);
/* The tile mode that the driver chooses for a level, at most the mode of level 0 (tesla-3d.md §3).
 * rows: of texels, or of texel blocks. least: the least tile_h; 0 on Tesla, 1 on Fermi, because a
 * Fermi's tiles have at least 8 rows. */
void surface_level_tile_mode(uint8_t least, uint8_t level0_h, uint8_t level0_d, uint32_t rows,
                             uint32_t slices, uint8_t *tile_h, uint8_t *tile_d);
/* log2 of samples per pixel in x and y for 1, 2, 4, 8 samples. */
void surface_sample_shift(uint32_t samples, uint32_t *x, uint32_t *y);
