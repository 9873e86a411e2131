/* Binning: sorts the primitives of a bin set by screen tile; the order within a tile is kept. In:
 * the front's list of primitives. Out: the bins. A counting sort over the touched tiles: a
 * primitive of one tile is one entry, a large one is split by rows of tiles. Must not know pixels.
 */
#include "pipeline/front/front.h"

/* Makes room for n more entries and as many touched tiles. */
static bool reserve_entries(struct front *f, uint32_t n) {
    size_t entries = f->entry_capacity, slots = f->slot_capacity;
    const bool ok =
        array_grow((void **)&f->entry, &entries, (size_t)f->entry_count + n, sizeof *f->entry) &&
        array_grow((void **)&f->slot, &slots, (size_t)f->slot_count + n, sizeof *f->slot);
    f->entry_capacity = (uint32_t)entries;
    f->slot_capacity = (uint32_t)slots;
    return ok;
}

static inline struct bin_slot *add_entry(struct front *f, uint32_t tile,
                                         const struct raster_prim *p) {
    if (!f->tile_slot[tile]) {
        f->slot[f->slot_count++] = (struct bin_slot){.tile = tile};
        f->tile_slot[tile] = f->slot_count;
    }
    struct bin_slot *slot = &f->slot[f->tile_slot[tile] - 1];
    f->entry[f->entry_count++] = (struct bin_entry){f->tile_slot[tile] - 1, p};
    slot->count++;
    return slot;
}

/* Adds a primitive of several tiles to all tiles that it touches. */
static bool add_large(struct front *f, const struct raster_prim *p, uint32_t layer) {
    const struct raster_targets *t = f->call->draw->raster->targets;
    const struct raster_box *b = &p->bounds;
    const int32_t tx0 = b->x0 / TILE_SIZE, tx1 = (b->x1 - 1) / TILE_SIZE;
    const int32_t ty0 = b->y0 / TILE_SIZE, ty1 = (b->y1 - 1) / TILE_SIZE;
    const bool small = tx1 - tx0 <= 1 && ty1 - ty0 <= 1; /* a test costs more than an entry */
    if (!reserve_entries(f, (uint32_t)(tx1 - tx0 + 1) * (uint32_t)(ty1 - ty0 + 1)))
        return false;
    for (int32_t ty = ty0; ty <= ty1; ty++) {
        const uint32_t row = layer + (uint32_t)ty * f->tiles_x;
        struct raster_tile_span s = {tx0, tx1 + 1, 0, 0};
        if (!small)
            s = raster_prim_row(t, p, ty);
        for (int32_t tx = s.from; tx < s.to; tx++) {
            struct bin_slot *slot = add_entry(f, row + (uint32_t)tx, p);
            if (tx >= s.whole_from && tx < s.whole_to)
                slot->covered = slot->count;
        }
    }
    return true;
}

static bool add_prims(struct front *f) {
    if (!reserve_entries(f, f->prims.count))
        return false;
    for (uint32_t i = 0; i < f->prims.count; i++) {
        const struct raster_prim *p = f->prims.prim[i];
        const struct raster_box *b = &p->bounds;
        const uint32_t layer = p->layer * f->tiles_x * f->tiles_y;
        const uint32_t tx = b->x0 / TILE_SIZE, ty = b->y0 / TILE_SIZE;
        if ((b->x1 - 1u) / TILE_SIZE == tx && (b->y1 - 1u) / TILE_SIZE == ty) {
            if (f->entry_count == f->entry_capacity && !reserve_entries(f, f->prims.count - i))
                return false;
            add_entry(f, layer + ty * f->tiles_x + tx, p);
        } else if (!add_large(f, p, layer)) {
            return false;
        }
    }
    return true;
}

/* Makes the bin set of the slots and entries; NULL when out of memory. */
static struct bin_set *make_part(struct front *f) {
    const struct raster_prim **prims =
        arena_alloc(f->arena, f->entry_count * sizeof(struct raster_prim *));
    struct bin_set *part = arena_alloc(f->arena, sizeof *part + f->slot_count * sizeof *part->bins);
    if (!prims || !part)
        return NULL;
    *part = (struct bin_set){
        .call = f->call, .bins = (struct chunk_bin *)(part + 1), .bin_count = f->slot_count};
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->slot_count; i++) {
        struct bin_slot *slot = &f->slot[i];
        part->bins[i] = (struct chunk_bin){slot->tile, slot->count, prims + at, slot->covered};
        slot->next = at;
        at += slot->count;
    }
    for (uint32_t i = 0; i < f->entry_count; i++)
        prims[f->slot[f->entry[i].slot].next++] = f->entry[i].prim;
    return part;
}

struct bin_set *front_bin(struct front *f, size_t *bytes) {
    struct bin_set *part = NULL;
    f->entry_count = f->slot_count = 0;
    f->oom |= !add_prims(f);
    if (f->entry_count && !f->oom) {
        part = make_part(f);
        f->oom |= !part;
    }
    for (uint32_t i = 0; i < f->slot_count; i++)
        f->tile_slot[f->slot[i].tile] = 0;
    *bytes += f->entry_count * sizeof(void *) + f->slot_count * sizeof *part->bins;
    return part;
}
