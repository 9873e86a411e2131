/* Binning: a chunk's primitives sorted by screen tile, order kept within a tile. In: the front's
 * list of primitives. Out: chunk->bins. A counting sort over the tiles touched. Must not know
 * pixels.
 */
#include "pipeline/front/front.h"

static bool add_entry(struct front *f, uint32_t tile, const struct raster_prim *p) {
    size_t capacity = f->entry_capacity;
    if (!array_grow((void **)&f->entry, &capacity, f->entry_count + 1, sizeof *f->entry))
        return false;
    f->entry_capacity = (uint32_t)capacity;
    f->entry[f->entry_count++] = (struct bin_entry){tile, p};
    if (f->tile_count[tile]++)
        return true;
    capacity = f->touched_capacity;
    if (!array_grow((void **)&f->touched, &capacity, f->touched_count + 1, sizeof *f->touched)) {
        f->entry_count--;
        f->tile_count[tile] = 0;
        return false;
    }
    f->touched_capacity = (uint32_t)capacity;
    f->touched[f->touched_count++] = tile;
    return true;
}

static bool add_prim(struct front *f, const struct raster_prim *p) {
    const struct raster_rect *b = &p->bounds;
    const int32_t tx0 = b->x0 / TILE_SIZE, tx1 = (b->x1 - 1) / TILE_SIZE;
    const int32_t ty0 = b->y0 / TILE_SIZE, ty1 = (b->y1 - 1) / TILE_SIZE;
    const uint32_t layer = p->layer * f->tiles_x * f->tiles_y;
    const bool small = tx1 - tx0 <= 1 && ty1 - ty0 <= 1; /* testing costs more than a visit */
    for (int32_t ty = ty0; ty <= ty1; ty++) {
        for (int32_t tx = tx0; tx <= tx1; tx++) {
            const int touches = small ? 1 : raster_prim_tile(p, tx * TILE_SIZE, ty * TILE_SIZE);
            if (!touches)
                continue;
            f->covers |= touches == 2;
            if (!add_entry(f, layer + (uint32_t)ty * f->tiles_x + (uint32_t)tx, p))
                return false;
        }
    }
    return true;
}

static void find_covered(const struct front *f, struct chunk_bin *bin) {
    const uint32_t in_layer = bin->tile % (f->tiles_x * f->tiles_y);
    const int32_t x = (int32_t)(in_layer % f->tiles_x) * TILE_SIZE;
    const int32_t y = (int32_t)(in_layer / f->tiles_x) * TILE_SIZE;
    bin->covered = bin->count;
    while (bin->covered && raster_prim_tile(bin->prims[bin->covered - 1], x, y) != 2)
        bin->covered--;
}

void front_bin(struct front *f, struct chunk *chunk) {
    f->entry_count = f->touched_count = 0;
    f->covers = false;
    for (uint32_t i = 0; i < f->prims.count && !f->oom; i++)
        f->oom |= !add_prim(f, f->prims.prim[i]);
    const struct raster_prim **prims = NULL;
    if (f->entry_count && !f->oom) {
        prims = arena_alloc(f->arena, f->entry_count * sizeof(struct raster_prim *));
        chunk->bins = arena_alloc(f->arena, f->touched_count * sizeof *chunk->bins);
        f->oom |= !prims || !chunk->bins;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->touched_count; i++) {
        const uint32_t tile = f->touched[i], count = f->tile_count[tile];
        if (!f->oom)
            chunk->bins[i] = (struct chunk_bin){tile, count, prims + at, 0};
        f->tile_count[tile] = f->oom ? 0 : at; /* now: where the next primitive of the tile goes */
        at += count;
    }
    for (uint32_t i = 0; i < f->entry_count && !f->oom; i++)
        prims[f->tile_count[f->entry[i].tile]++] = f->entry[i].prim;
    for (uint32_t i = 0; i < f->touched_count; i++)
        f->tile_count[f->touched[i]] = 0;
    for (uint32_t i = 0; i < f->touched_count && f->covers && !f->oom; i++)
        find_covered(f, &chunk->bins[i]);
    chunk->bin_count = f->oom ? 0 : f->touched_count;
    chunk->bytes += f->entry_count * sizeof(void *) + f->touched_count * sizeof *chunk->bins;
}
