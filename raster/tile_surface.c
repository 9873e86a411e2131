/* Where the texels of one surface under the tile lie in memory: both layouts are separable, so a
 * texel's offset is that of its row plus that of its column, computed once per tile. In: a surface
 * as the caller described it, possibly wrong. Out: offsets and limits; the loads and stores check
 * each access against surface.size.
 */
#include "raster/tile.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a unit of tiled surfaces; tiles begin at multiples of them. */
enum { TILED_ROWS = 4 };
static const uint64_t LARGEST_SURFACE = UINT64_C(1) << 60; /* bytes */

static uint32_t min32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static bool reserve_rows(struct tile_surface *p) {
    const size_t rows = (size_t)p->samples * TILE_BLOCKS * p->words;
    if (rows <= p->capacity)
        return true;
    free(p->data);
    p->data = aligned_alloc(_Alignof(u32x32), rows * sizeof(u32x32));
    p->capacity = p->data ? rows : 0;
    return p->data != NULL;
}

/* Texels of one direction that both the target and the surface have. */
static uint32_t limit_texels(uint32_t target, uint32_t shift, uint32_t surface) {
    return min32(min32(target, 1u << 20) << shift, surface);
}

/* Byte offsets of the spans of a row, and of the rows. */
static void locate_texels(struct tile_surface *p, uint32_t x, uint32_t y, uint32_t layer) {
    const struct surface *s = &p->surface;
    const uint32_t block_bytes = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes;
    p->span_bytes = min32(block_bytes, SURFACE_PIECE);
    const struct surface_row first = surface_row(s, 0, layer);
    for (uint32_t i = 0; i < BLOCKS_X * block_bytes / p->span_bytes; i++)
        p->column[i] = surface_row_offset(&first, x * p->bytes + i * p->span_bytes) - first.first;
    /* rows of a tile of the surface lie one behind the other */
    const uint32_t last = s->linear ? UINT32_MAX : ((uint32_t)TILED_ROWS << s->tile_h) - 1;
    const uint64_t step = s->linear ? s->pitch : SURFACE_PIECE;
    uint64_t row = 0;
    for (uint32_t i = 0; i < (uint32_t)TILE_SIZE << p->shift_y; i++) {
        row = i && (y + i) & last ? row + step : surface_row(s, y + i, layer).first;
        p->row[i] = row;
    }
}

/* No access to the tile's texels needs a look at the surface's size. */
static bool lies_inside(const struct tile_surface *p, uint32_t x, uint32_t y) {
    const uint32_t columns = TILE_SIZE << p->shift_x, rows = TILE_SIZE << p->shift_y;
    if (p->width < columns || x > p->width - columns || p->height < rows || y > p->height - rows)
        return false;
    /* Offsets grow from the first on, by less than 2^60 together: none of them wraps around. */
    const uint64_t size = p->surface.size, row = p->row[rows - 1];
    const uint64_t column = p->column[columns * p->bytes / p->span_bytes - 1];
    return size <= LARGEST_SURFACE && p->row[0] <= size && row <= size && column <= size - row &&
           size - row - column >= p->span_bytes;
}

bool tile_surface_locate(struct raster_tile *t, struct tile_surface *p) {
    if (p->located)
        return p->format != FORMAT_NONE;
    p->located = true;
    if (p->format != FORMAT_NONE && !reserve_rows(p)) {
        t->oom = true;
        p->format = FORMAT_NONE;
    }
    if (p->format == FORMAT_NONE)
        return false;
    const struct surface *s = &p->surface;
    p->tile = (struct raster_rect){t->x, t->y, t->x + TILE_SIZE, t->y + TILE_SIZE};
    const bool layered = t->layer < (s->depth ? s->depth : 1);
    p->width = layered ? limit_texels(t->targets->width, p->shift_x, s->width) : 0;
    p->height = layered ? limit_texels(t->targets->height, p->shift_y, s->height) : 0;
    const uint32_t x = (uint32_t)t->x << p->shift_x, y = (uint32_t)t->y << p->shift_y;
    locate_texels(p, x, y, t->layer);
    p->inside = lies_inside(p, x, y);
    return true;
}
