/* Binning: a part of a chunk's primitives sorted by screen tile, order kept within a tile. In: the
 * front's list of primitives. Out: the part's bins. A counting sort over the tiles touched. Must not know
 * pixels.
 */
#include "pipeline/front/front.h"

/* Room for n more entries, and for as many tiles touched. */
static bool reserve(struct front *f, uint32_t n) {
    size_t entries = f->entry_capacity, touched = f->touched_capacity;
    const bool ok =
        array_grow((void **)&f->entry, &entries, (size_t)f->entry_count + n, sizeof *f->entry) &&
        array_grow((void **)&f->touched, &touched, (size_t)f->touched_count + n,
                   sizeof *f->touched);
    f->entry_capacity = (uint32_t)entries;
    f->touched_capacity = (uint32_t)touched;
    return ok;
}

static inline void add_entry(struct front *f, uint32_t tile, const struct raster_prim *p) {
    f->entry[f->entry_count++] = (struct bin_entry){tile, p};
    if (!f->tile_count[tile]++)
        f->touched[f->touched_count++] = tile;
}

/* A primitive of several tiles: all of their rectangle that it touches. */
static bool add_large(struct front *f, const struct raster_prim *p, uint32_t layer) {
    const struct raster_rect *b = &p->bounds;
    const int32_t tx0 = b->x0 / TILE_SIZE, tx1 = (b->x1 - 1) / TILE_SIZE;
    const int32_t ty0 = b->y0 / TILE_SIZE, ty1 = (b->y1 - 1) / TILE_SIZE;
    const bool small = tx1 - tx0 <= 1 && ty1 - ty0 <= 1; /* testing costs more than a visit */
    if (!reserve(f, (uint32_t)(tx1 - tx0 + 1) * (uint32_t)(ty1 - ty0 + 1)))
        return false;
    for (int32_t ty = ty0; ty <= ty1; ty++) {
        for (int32_t tx = tx0; tx <= tx1; tx++) {
            const int touches = small ? 1 : raster_prim_tile(p, tx * TILE_SIZE, ty * TILE_SIZE);
            f->covers |= touches == 2;
            if (touches)
                add_entry(f, layer + (uint32_t)ty * f->tiles_x + (uint32_t)tx, p);
        }
    }
    return true;
}

static bool add_prims(struct front *f) {
    if (!reserve(f, f->prims.count))
        return false;
    for (uint32_t i = 0; i < f->prims.count; i++) {
        const struct raster_prim *p = f->prims.prim[i];
        const struct raster_rect *b = &p->bounds;
        const uint32_t layer = p->layer * f->tiles_x * f->tiles_y;
        const uint32_t tx = (uint32_t)b->x0 / TILE_SIZE, ty = (uint32_t)b->y0 / TILE_SIZE;
        if (((uint32_t)b->x1 - 1) / TILE_SIZE == tx && ((uint32_t)b->y1 - 1) / TILE_SIZE == ty) {
            if (f->entry_count == f->entry_capacity && !reserve(f, f->prims.count - i))
                return false;
            add_entry(f, layer + ty * f->tiles_x + tx, p);
        } else if (!add_large(f, p, layer)) {
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

struct chunk_part *front_bin(struct front *f, size_t *bytes) {
    f->entry_count = f->touched_count = 0;
    f->covers = false;
    f->oom |= !add_prims(f);
    struct chunk_part *part = NULL;
    const struct raster_prim **prims = NULL;
    if (f->entry_count && !f->oom) {
        prims = arena_alloc(f->arena, f->entry_count * sizeof(struct raster_prim *));
        part = arena_alloc(f->arena, sizeof *part + f->touched_count * sizeof *part->bins);
        f->oom |= !prims || !part;
    }
    if (f->oom)
        part = NULL;
    if (part)
        *part = (struct chunk_part){
            .call = f->call, .bins = (struct chunk_bin *)(part + 1), .bin_count = f->touched_count};
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->touched_count; i++) {
        const uint32_t tile = f->touched[i], count = f->tile_count[tile];
        if (part)
            part->bins[i] = (struct chunk_bin){tile, count, prims + at, 0};
        f->tile_count[tile] = part ? at : 0; /* now: where the next primitive of the tile goes */
        at += count;
    }
    for (uint32_t i = 0; part && i < f->entry_count; i++)
        prims[f->tile_count[f->entry[i].tile]++] = f->entry[i].prim;
    for (uint32_t i = 0; i < f->touched_count; i++)
        f->tile_count[f->touched[i]] = 0;
    for (uint32_t i = 0; part && f->covers && i < f->touched_count; i++)
        find_covered(f, &part->bins[i]);
    *bytes += f->entry_count * sizeof(void *) + f->touched_count * sizeof *part->bins;
    return part;
}
