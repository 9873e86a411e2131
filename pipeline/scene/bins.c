/* Tile lists: appends the bins of a task's chunks to the lists of their tiles, in the order of the
 * draws; clears are entries of the same lists. Drops segments that later segments paint over. Then
 * one worker draws a tile's list in order. In: tasks after the front end, in order. Out: a tile
 * pass; pixels, counters, the first program failure of a tile. Must not know threads.
 */
#include "pipeline/scene/queue.h"

#include <stdlib.h>

/* ---- tile lists ---- */

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

/* Returns memory for a segment of the tile; NULL when out of memory. The first segment is allocated
 * alone, later ones in groups of SEGMENT_ROOM, side by side, so that the loop over them can
 * prefetch. */
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
    if (!g ||
        (!bin->touched && !ARRAY_ROOM(p->touched, p->touched_capacity, p->touched_count + 1))) {
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

/* Drops the segments that the next segment paints over: all segments after bin->kept. */
static void drop_hidden(struct tile_bin *bin) {
    if (bin->first && bin->last != bin->kept) {
        *(bin->kept ? &bin->kept->next : &bin->first) = NULL;
        bin->last = bin->kept;
    }
}

/* True if this process draws the row of tiles, false if another process does. */
static bool is_shared_row(const struct scene *s, uint32_t y) {
    return s->shares == 1 || y % s->shares == s->share;
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

static void merge_bin_set(struct scene *s, struct tile_pass *p, const struct bin_set *set,
                          uint64_t order, uint64_t interval) {
    const struct draw *d = set->call->draw;
    const uint32_t replaces =
        s->watch ? 0 : raster_replaces(d->plan); /* a pixel watch reports hidden fragments, too */
    const uint32_t per_layer = p->tiles_x * p->tiles_y;
    for (uint32_t i = 0; i < set->bin_count; i++)
        if (is_shared_row(s, set->bins[i].tile % per_layer / p->tiles_x) &&
            !merge_bin(s, p, set->call, &set->bins[i], replaces, order, interval))
            return;
    p->counts_samples |= d->raster->sample.count;
}

static void merge_chunk(struct scene *s, struct tile_pass *p, const struct work_item *item,
                        uint64_t order) {
    const struct chunk *k = &item->chunk;
    if (front_failed(k->call, trap_order(order, 0)))
        return; /* the call failed in this chunk, or in an earlier one */
    for (const struct bin_set *set = k->bin_sets; set; set = set->next)
        merge_bin_set(s, p, set, order, item->interval);
    p->bytes += k->bytes;
}

/* ---- clears ---- */

/* Returns the bits of tile_bin.cleared that this clear sets for the tile at pixel (x, y). */
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
        for (int32_t x = c->rect.x0 / TILE_SIZE;
             is_shared_row(s, (uint32_t)y) && x * TILE_SIZE < c->rect.x1; x++)
            merge_tile_clear(s, p, c, layer + (uint32_t)y * p->tiles_x + (uint32_t)x, x * TILE_SIZE,
                             y * TILE_SIZE);
}

void tile_pass_merge(struct scene *s, struct tile_pass *p, const struct task *g) {
    p->last = g->number;
    if (!p->bin_capacity) /* true if memory ran out, or the targets have no pixel */
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

/* ---- one tile ---- */

enum {
    TILE_RUN_PRIMS = 256, /* most primitives of a tile run */
    AHEAD = 3,            /* segments ahead of the loop whose data is prefetched */
    AHEAD_PRIMS = 16,
    CACHE_LINE = 64,
};

/* Consecutive segments with one plan, one environment of the fragment program and one mark
 * interval. Their primitives may share warps. */
struct tile_run {
    const struct segment *first, *end; /* end: the segment after the last one */
    const struct draw *draw;
    const struct warp_env *fp;
    uint32_t count;
    const struct raster_prim *prim[TILE_RUN_PRIMS];
};

/* The segments that a tile leaves out because programs failed in this tile: first, the rest of the
 * draw that failed last; second, later draws of up to four programs that ran out of their budget,
 * since each such draw would take as long again. The choice depends on the tile's own list alone,
 * so it is the same for any number of threads. */
struct failures {
    const struct draw_call *call;
    const struct program *endless[4];
    unsigned count;
};

static const struct warp_env *fragment_env(const struct segment *g) {
    return g->call->env.program[PROGRAM_FP];
}

static bool is_left_out(const struct failures *f, const struct segment *g) {
    for (unsigned i = 0; i < f->count; i++)
        if (f->endless[i] == fragment_env(g)->program)
            return true;
    return f->call == g->call;
}

/* True if segment g may belong to the tile run. */
static bool may_join(const struct tile_run *r, const struct segment *g) {
    return g && g->call && g->call->draw->plan == r->draw->plan && fragment_env(g) == r->fp &&
           g->interval == r->first->interval;
}

static void prefetch_segment(const struct segment *g) {
    for (int i = 0; i < AHEAD && g; i++)
        g = g->next;
    if (!g)
        return;
    __builtin_prefetch(g->next);
    __builtin_prefetch(g->call);
    __builtin_prefetch(g->prims);
}

static void add_prims(struct tile_run *r, const struct segment *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        const struct raster_prim *p = g->prims[i];
        if (r->count < AHEAD_PRIMS) {
            __builtin_prefetch(p);
            __builtin_prefetch((const char *)p + CACHE_LINE);
        }
        r->prim[r->count++] = p;
    }
}

/* Collects the segments from g on that can be drawn at once. A segment with more than
 * TILE_RUN_PRIMS primitives is drawn by itself, and so is each segment while a pixel is watched. */
static void collect_tile_run(struct tile_run *r, const struct segment *g,
                             const struct failures *failures, bool watched) {
    r->first = g;
    r->draw = g->call->draw;
    r->fp = fragment_env(g);
    r->count = 0;
    do {
        if (g->count > TILE_RUN_PRIMS - r->count || (watched && g != r->first))
            break;
        prefetch_segment(g);
        if (!is_left_out(failures, g))
            add_prims(r, g);
        g = g->next;
    } while (may_join(r, g));
    r->end = g == r->first ? g->next : g;
}

/* Returns the segment of the tile run that holds primitive `number`, counted over the primitives
 * drawn. */
static const struct segment *segment_of(const struct tile_run *r, const struct failures *failures,
                                        uint32_t number) {
    const struct segment *g = r->first, *found = g;
    for (uint32_t before = 0; g != r->end; g = g->next) {
        if (is_left_out(failures, g))
            continue;
        found = g;
        before += g->count;
        if (before > number)
            break;
    }
    return found;
}

/* Notes that the program failed in one of the run's calls. drawn: the number of primitives up to
 * the failed one. Returns the segment after the failed one. */
static const struct segment *note_failure(struct scene_worker *w, const struct tile_run *r,
                                          struct failures *failures, uint32_t drawn,
                                          uint32_t tile) {
    const struct segment *g = segment_of(r, failures, drawn ? drawn - 1 : 0);
    trap_record(&w->trap, trap_order(g->order, tile + 1), PROGRAM_FP,
                r->draw->stages->name[PROGRAM_FP], &w->counters.error);
    failures->call = g->call;
    if (w->counters.error.code == MP_TIMEOUT &&
        failures->count < sizeof failures->endless / sizeof *failures->endless)
        failures->endless[failures->count++] = r->fp->program;
    return g->next;
}

/* Draws a tile run that begins with segment g. Returns the segment after the run, or, if the
 * program failed, the segment after the failed one. */
static const struct segment *draw_tile_run(struct scene *s, int worker, const struct segment *g,
                                           uint32_t tile, struct failures *failures, bool watched) {
    struct scene_worker *w = &s->worker[worker];
    const uint64_t passed = w->counters.samples_passed;
    struct tile_run r;
    collect_tile_run(&r, g, failures, watched);
    const bool longer = g->count > TILE_RUN_PRIMS;
    const uint32_t count = !longer ? r.count : is_left_out(failures, g) ? 0 : g->count;
    w->probe.draw = g->call->number;
    w->counters.error = (struct warp_error){0};
    const uint32_t drawn = raster_tile_draw(w->tile, r.draw->plan, r.fp, longer ? g->prims : r.prim,
                                            count, may_join(&r, r.end), &w->counters);
    if (w->counters.samples_passed != passed)
        marks_count(s, worker, g->interval, w->counters.samples_passed - passed);
    if (w->counters.error.code == MP_NONE)
        return r.end;
    return note_failure(w, &r, failures, drawn, tile);
}

void tile_draw(struct scene *s, struct tile_pass *p, size_t index, int worker) {
    struct scene_worker *w = &s->worker[worker];
    const uint32_t tile = (uint32_t)p->touched[index], per_layer = p->tiles_x * p->tiles_y;
    const uint32_t x = tile % per_layer % p->tiles_x, y = tile % per_layer / p->tiles_x;
    if (!w->tile && !(w->tile = raster_tile_create(s->device->simd))) {
        scene_note_oom(s);
        return;
    }
    struct failures failures = {0};
    const bool timed = s->watch && s->watch->tile;
    const uint64_t start = timed ? clock_ns(CLOCK_MONOTONIC) : 0;
    w->probe = s->watch ? s->watch->probe : (struct raster_probe){0};
    raster_tile_probe(w->tile, s->watch ? &w->probe : NULL);
    raster_tile_set_profile(w->tile, worker_profile(s, worker));
    raster_tile_begin(w->tile, &p->targets, tile / per_layer, (int32_t)(x * TILE_SIZE),
                      (int32_t)(y * TILE_SIZE));
    for (const struct segment *g = p->bins[tile].first; g;) {
        if (g->call) {
            g = draw_tile_run(s, worker, g, tile, &failures, s->watch);
        } else {
            w->probe.draw = g->clear->number;
            raster_tile_clear(w->tile, g->clear);
            g = g->next;
        }
    }
    raster_tile_end(w->tile);
    if (timed)
        s->watch->tile(s->watch->self, (int32_t)(x * TILE_SIZE), (int32_t)(y * TILE_SIZE),
                       tile / per_layer, clock_ns(CLOCK_MONOTONIC) - start);
}
