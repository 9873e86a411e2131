/* Tile lists: the bins of a task's chunks are appended to the lists of their tiles, in the order of
 * the draws; clears are entries of the same lists. Segments that later ones paint over are dropped.
 * In: tasks after the front end, in order. Out: a tile pass that can be drawn. Must not know
 * threads.
 */
#include "pipeline/scene/queue.h"

#include <stdlib.h>
#include <string.h>

static uint32_t required_clears(const struct raster_targets *t) {
    uint32_t bits = 0;
    for (unsigned i = 0; i < t->color_count; i++)
        if (t->color[i].format != FORMAT_NONE)
            bits |= 1u << i;
    if (t->zeta.format != FORMAT_NONE) {
        const struct format_info *f = format_info(t->zeta.format);
        bits |= (f->bits[0] ? 1u << RASTER_TARGETS : 0) | (f->bits[1] ? 2u << RASTER_TARGETS : 0);
    }
    return bits;
}

bool tile_pass_begin(struct tile_pass *p, const struct batch *b) {
    const struct raster_targets *t = &b->targets;
    p->used = true;
    p->sequence = b->sequence;
    p->targets = *t;
    p->tiles_x = (t->width + TILE_SIZE - 1) / TILE_SIZE;
    p->tiles_y = (t->height + TILE_SIZE - 1) / TILE_SIZE;
    p->required = required_clears(t);
    p->counts_samples = false;
    p->bytes = 0;
    const size_t tiles = (size_t)p->tiles_x * p->tiles_y * t->layers;
    if (tiles <= p->bin_capacity)
        return true;
    free(p->bins);
    p->bins = calloc(tiles, sizeof *p->bins);
    p->bin_capacity = p->bins ? tiles : 0;
    return p->bins;
}

void tile_pass_end(struct tile_pass *p) {
    for (size_t i = 0; i < p->touched_count; i++)
        p->bins[(uint32_t)p->touched[i]] = (struct tile_bin){0};
    p->touched_count = 0;
    arena_reset(&p->segments);
    p->used = false;
}

/* Memory for a segment of the tile. All segments of a tile but the first lie side by side, so that
 * the loop over them can prefetch. */
static struct segment *new_segment(struct tile_pass *p, struct tile_bin *bin) {
    if (!bin->room) {
        const uint32_t n = bin->first ? SEGMENT_ROOM : 1;
        bin->free = arena_alloc(&p->segments, n * sizeof *bin->free);
        bin->room = bin->free ? n : 0;
        p->bytes += n * sizeof *bin->free;
    }
    if (!bin->room)
        return NULL;
    bin->room--;
    return bin->free++;
}

static struct segment *append_segment(struct scene *s, struct tile_pass *p, uint32_t tile,
                                      uint64_t order) {
    struct tile_bin *bin = &p->bins[tile];
    struct segment *g = new_segment(p, bin);
    if (!g || (!bin->touched && !array_grow((void **)&p->touched, &p->touched_capacity,
                                            p->touched_count + 1, sizeof *p->touched))) {
        scene_note_oom(s);
        return NULL;
    }
    if (!bin->touched)
        p->touched[p->touched_count++] = tile;
    bin->touched = true;
    *g = (struct segment){.order = order};
    *(bin->first ? &bin->last->next : &bin->first) = g;
    bin->last = g;
    return g;
}

/* ---- chunks ---- */

/* Drops the segments that the next one paints over. */
static void drop_hidden(struct tile_bin *bin) {
    if (bin->first && bin->last != bin->kept) {
        *(bin->kept ? &bin->kept->next : &bin->first) = NULL;
        bin->last = bin->kept;
    }
}

static bool merge_bin(struct scene *s, struct tile_pass *p, const struct draw_call *call,
                      const struct chunk_bin *b, uint32_t replaces, uint64_t order,
                      uint64_t interval) {
    const uint32_t hidden = replaces & RASTER_REPLACES && b->covered ? b->covered - 1 : 0;
    struct tile_bin *bin = &p->bins[b->tile];
    if (b->covered && replaces & RASTER_REPLACES)
        drop_hidden(bin);
    struct segment *g = append_segment(s, p, b->tile, order);
    if (!g)
        return false;
    g->call = call;
    g->interval = interval;
    g->prims = b->prims + hidden;
    g->count = b->count - hidden;
    bin->cost += g->count;
    bin->cleared = 0;
    if (!(replaces & RASTER_REPLACEABLE))
        bin->kept = g;
    return true;
}

static void merge_bin_set(struct scene *s, struct tile_pass *p, const struct bin_set *part,
                          uint64_t order, uint64_t interval) {
    const struct draw *d = part->call->draw;
    const uint32_t replaces =
        s->watch ? 0 : raster_replaces(d->plan); /* a pixel watch sees hidden fragments too */
    for (uint32_t i = 0; i < part->bin_count; i++)
        if (!merge_bin(s, p, part->call, &part->bins[i], replaces, order, interval))
            return;
    p->counts_samples |= d->raster->count_samples;
}

static void merge_chunk(struct scene *s, struct tile_pass *p, const struct work_item *item,
                        uint64_t order) {
    const struct chunk *k = &item->chunk;
    if (front_failed(k->call, trap_order(order, 0)))
        return; /* also if another thread had gone on with the call */
    for (const struct bin_set *part = k->bin_sets; part; part = part->next)
        merge_bin_set(s, p, part, order, item->interval);
    p->bytes += k->bytes;
}

/* ---- clears ---- */

/* Bits of tile_bin.cleared that this clear sets for the tile at pixel (x, y). */
static uint32_t whole_clear(const struct raster_targets *t, const struct raster_clear *c, int32_t x,
                            int32_t y) {
    const int32_t x1 = x + TILE_SIZE < (int32_t)t->width ? x + TILE_SIZE : (int32_t)t->width;
    const int32_t y1 = y + TILE_SIZE < (int32_t)t->height ? y + TILE_SIZE : (int32_t)t->height;
    if (c->rect.x0 > x || c->rect.y0 > y || c->rect.x1 < x1 || c->rect.y1 < y1)
        return 0;
    uint32_t bits = c->depth ? 1u << RASTER_TARGETS : 0;
    if (c->stencil && c->stencil_mask == 0xff)
        bits |= 2u << RASTER_TARGETS;
    if (c->color_mask == 0xf)
        bits |= 1u << c->target;
    return bits;
}

static void merge_tile_clear(struct scene *s, struct tile_pass *p, const struct raster_clear *c,
                             uint32_t tile, int32_t x, int32_t y) {
    struct segment *g = append_segment(s, p, tile, 0);
    if (!g)
        return;
    g->clear = c;
    struct tile_bin *bin = &p->bins[tile];
    if (c->depth || c->stencil)
        bin->kept = g;
    const uint32_t bits = whole_clear(&p->targets, c, x, y);
    if (!bits)
        return;
    if (!bin->cleared)
        bin->clears = g;
    bin->cleared |= bits;
    if ((bin->cleared & p->required) == p->required && !p->counts_samples && !s->watch) {
        bin->first = bin->clears;
        bin->kept = g;
        bin->cost = 0;
    }
}

static void merge_clear(struct scene *s, struct tile_pass *p, const struct raster_clear *c) {
    const uint32_t layer = c->layer * p->tiles_x * p->tiles_y;
    for (int32_t y = c->rect.y0 / TILE_SIZE; y * TILE_SIZE < c->rect.y1; y++)
        for (int32_t x = c->rect.x0 / TILE_SIZE; x * TILE_SIZE < c->rect.x1; x++)
            merge_tile_clear(s, p, c, layer + (uint32_t)y * p->tiles_x + (uint32_t)x, x * TILE_SIZE,
                             y * TILE_SIZE);
}

void tile_pass_merge(struct scene *s, struct tile_pass *p, const struct task *g) {
    p->last = g->number;
    if (!p->bin_capacity) /* out of memory, or no pixel in the targets */
        return;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->item[i].clear)
            merge_clear(s, p, g->item[i].clear);
        else
            merge_chunk(s, p, &g->item[i], g->order + i);
    }
}

/* ---- the order of drawing ---- */

static int more_costly(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

void tile_pass_order(struct tile_pass *p) {
    for (size_t i = 0; i < p->touched_count; i++)
        p->touched[i] |= (uint64_t)p->bins[p->touched[i]].cost << 32;
    qsort(p->touched, p->touched_count, sizeof *p->touched, more_costly);
}
