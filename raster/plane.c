/* Where the texels of one surface under the tile lie in memory: both layouts are separable, so a
 * texel's offset is that of its row plus that of its column, computed once per tile. In: a surface
 * as the caller described it, possibly wrong. Out: offsets and limits; the loads and stores check
 * each access against surface.size.
 */
#include "raster/tile.h"

#include <stdlib.h>
#include <string.h>

/* Inside of these a row's bytes, and the rows, lie one behind the other in both layouts; tiles begin
 * at multiples of them. */
enum { TILED_BYTES = 64, TILED_ROWS = 4 };

static uint32_t min32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static bool reserve(struct tile_plane *p) {
    const size_t rows = (size_t)p->samples * TILE_BLOCKS * p->words;
    if (rows <= p->capacity)
        return true;
    free(p->data);
    p->data = aligned_alloc(_Alignof(u32x32), rows * sizeof(u32x32));
    p->capacity = p->data ? rows : 0;
    return p->data != NULL;
}

/* Texels of one direction that both the target and the surface have. */
static uint32_t limit(uint32_t target, uint32_t shift, uint32_t surface) {
    return min32(min32(target, 1u << 20) << shift, surface);
}

bool plane_locate(struct raster_tile *t, struct tile_plane *p) {
    if (p->located)
        return p->format != FORMAT_NONE;
    p->located = true;
    if (p->format != FORMAT_NONE && !reserve(p)) {
        t->oom = true;
        p->format = FORMAT_NONE;
    }
    if (p->format == FORMAT_NONE)
        return false;
    const struct surface *s = &p->surface;
    p->tile = (struct raster_rect){t->x, t->y, t->x + TILE_SIZE, t->y + TILE_SIZE};
    const bool layered = t->layer < (s->depth ? s->depth : 1);
    p->width = layered ? limit(t->targets->width, p->shift_x, s->width) : 0;
    p->height = layered ? limit(t->targets->height, p->shift_y, s->height) : 0;
    const uint32_t block_bytes = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes;
    p->chunk = min32(block_bytes, 64);
    const uint32_t chunks = BLOCKS_X * block_bytes / p->chunk;
    const uint32_t x = ((uint32_t)t->x << p->shift_x) * p->bytes, y = (uint32_t)t->y << p->shift_y;
    const uint64_t origin = surface_offset(s, 0, 0, t->layer);
    for (uint32_t i = 0; i < chunks; i++)
        p->column[i] = (x + i * p->chunk) % TILED_BYTES && i
                           ? p->column[i - 1] + p->chunk
                           : surface_offset(s, x + i * p->chunk, 0, t->layer) - origin;
    const uint64_t step = s->linear ? s->pitch : TILED_BYTES;
    for (uint32_t i = 0; i < (uint32_t)TILE_SIZE << p->shift_y; i++)
        p->row[i] = i % TILED_ROWS ? p->row[i - 1] + step : surface_offset(s, 0, y + i, t->layer);
    return true;
}
