/* The scene: queue of chunks and clears, bins, and the two parallel passes. In: calls and clears.
 * Out: pixels in the targets, counters. Memory stays bounded: a large call streams through in
 * batches, and tiles are run whenever the binned primitives have grown too many. Must not know
 * state.
 */
#include "pipeline/scene/scene.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_WEIGHT = 64 << 10, /* primitives, GP output counted, that one front pass may make */
    BATCH_ITEMS = 512,
    PRIM_BYTES = 40 << 20,  /* of binned primitives before tiles are run */
    SCENE_BYTES = 16 << 20, /* of snapshots and captures */
    MAX_RANGES = 256,
};

struct segment {
    struct segment *next;
    const struct call *call; /* NULL: a clear */
    const struct raster_prim *const *prims;
    uint32_t count;
    const struct raster_clear *clear;
};

struct tile_bin {
    struct segment *first, *last;
    struct segment *kept;   /* what follows it leaves no trace but in colour; NULL: that is all */
    struct segment *clears; /* the clears at the end of the list begin here */
    uint32_t cleared;       /* by them, wholly: bit per colour target, then depth, stencil */
    bool touched;           /* in the scene's list */
};

struct item {
    bool is_clear;
    struct chunk chunk;
    struct raster_clear *clear;
};

struct range_set {
    struct range {
        uint64_t address, end;
    } range[MAX_RANGES];
    uint32_t count;
    bool all; /* too many: everything counts as in it */
};

struct scene_worker {
    struct front *front;
    struct arena arena;
    struct raster_tile *tile;
    struct raster_counters counters;
    struct trap trap;
};

struct scene {
    tp_device *device;
    struct workers *workers; /* made when first needed */
    struct scene_worker *worker;
    int threads;
    struct raster_targets targets;
    bool open;
    uint32_t tiles_x, tiles_y;
    uint32_t required; /* `cleared` bits that make what came before invisible */
    struct tile_bin *bins;
    size_t bin_capacity;
    uint32_t *touched; /* tiles with a segment */
    size_t touched_count, touched_capacity;
    struct arena arena;    /* until flush: snapshots, calls, captures */
    struct arena segments; /* until tiles are run */
    size_t bytes, prim_bytes;
    struct item *items;
    size_t item_count, item_capacity;
    uint64_t weight, order;
    uint32_t *chunk_item; /* items that are chunks, for the pass */
    size_t chunk_item_capacity;
    struct program **kept;
    size_t kept_count, kept_capacity;
    struct range_set reads, writes;
    uint64_t epoch;
    bool counts_samples; /* a query is on: nothing drawn may be left out */
    struct trap trap;
    bool oom;
};

/* ---- life ---- */

struct scene *scene_create(tp_device *device) {
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->device = device;
    s->threads = device->threads;
    s->worker = calloc((size_t)s->threads, sizeof *s->worker);
    if (!s->worker) {
        free(s);
        return NULL;
    }
    arena_init(&s->arena);
    arena_init(&s->segments);
    for (int i = 0; i < s->threads; i++)
        arena_init(&s->worker[i].arena);
    return s;
}

static void drop(struct scene *s) {
    for (size_t i = 0; i < s->kept_count; i++)
        program_unref(s->kept[i]);
    s->kept_count = 0;
    s->item_count = 0;
    s->weight = 0;
    s->reads.count = s->writes.count = 0;
    s->reads.all = s->writes.all = false;
    s->bytes = 0;
    s->counts_samples = false;
    arena_reset(&s->arena);
    s->epoch++;
}

void scene_destroy(struct scene *s) {
    if (!s)
        return;
    drop(s);
    workers_destroy(s->workers);
    for (int i = 0; i < s->threads; i++) {
        front_free(s->worker[i].front);
        raster_tile_free(s->worker[i].tile);
        arena_free(&s->worker[i].arena);
    }
    arena_free(&s->arena);
    arena_free(&s->segments);
    free(s->worker);
    free(s->bins);
    free(s->touched);
    free(s->items);
    free(s->chunk_item);
    free(s->kept);
    free(s);
}

/* Memory of every worker that may run, and threads as soon as there is work for two. */
static bool prepare_workers(struct scene *s, size_t tiles) {
    for (int i = 0; i < s->threads; i++) {
        struct scene_worker *w = &s->worker[i];
        if (!w->front)
            w->front = front_create();
        if (!w->tile)
            w->tile = raster_tile_create(s->device->simd);
        if (!w->front || !w->tile || !front_reserve_tiles(w->front, s->tiles_x, s->tiles_y, tiles))
            return false;
        w->front->arena = &w->arena;
    }
    return true;
}

struct workers *scene_workers(struct scene *s) {
    if (s->threads > 1 && !s->workers)
        s->workers = workers_create(s->threads);
    return s->workers;
}

static void run_parallel(struct scene *s, uint32_t count, void (*fn)(void *, uint32_t, int)) {
    struct workers *workers = count > 1 ? scene_workers(s) : NULL;
    if (workers) {
        workers_run(workers, count, fn, s);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        fn(s, i, 0);
}

/* ---- ranges ---- */

static void range_add(struct range_set *set, uint64_t address, uint64_t size) {
    const uint64_t end = address + size;
    for (uint32_t i = set->count; i-- > 0;)
        if (set->range[i].address <= address && set->range[i].end >= end)
            return;
    if (set->count == MAX_RANGES)
        set->all = true;
    else
        set->range[set->count++] = (struct range){address, end};
}

static bool range_meets(const struct range_set *set, uint64_t address, uint64_t size) {
    if (set->all)
        return true;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->range[i].address < address + size && address < set->range[i].end)
            return true;
    return false;
}

void scene_reads(struct scene *s, uint64_t address, uint64_t size) {
    range_add(&s->reads, address, size);
}

bool scene_is_read(const struct scene *s, uint64_t address, uint64_t size) {
    return range_meets(&s->reads, address, size);
}

void scene_writes(struct scene *s, uint64_t address, uint64_t size) {
    range_add(&s->writes, address, size);
}

bool scene_is_written(const struct scene *s, uint64_t address, uint64_t size) {
    return range_meets(&s->writes, address, size);
}

/* ---- queueing ---- */

void *scene_alloc(struct scene *s, size_t size) {
    void *p = arena_alloc(&s->arena, size);
    if (p)
        s->bytes += size + 64;
    return p;
}

bool scene_full(const struct scene *s) {
    return s->bytes > SCENE_BYTES;
}

bool scene_keep(struct scene *s, struct program *p) {
    for (size_t i = s->kept_count, n = 0; i-- > 0 && n < PROGRAM_TYPES; n++)
        if (s->kept[i] == p)
            return true;
    if (!array_grow((void **)&s->kept, &s->kept_capacity, s->kept_count + 1, sizeof *s->kept))
        return false;
    s->kept[s->kept_count++] = program_ref(p);
    return true;
}

const struct raster_targets *scene_targets(const struct scene *s) {
    return &s->targets;
}

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

bool scene_set_targets(struct scene *s, const struct raster_targets *targets) {
    if (s->open && !memcmp(&s->targets, targets, sizeof *targets))
        return true;
    scene_flush(s);
    s->open = false;
    s->tiles_x = (targets->width + TILE_SIZE - 1) / TILE_SIZE;
    s->tiles_y = (targets->height + TILE_SIZE - 1) / TILE_SIZE;
    const size_t tiles = (size_t)s->tiles_x * s->tiles_y * targets->layers;
    if (tiles > s->bin_capacity) {
        free(s->bins);
        s->bins = calloc(tiles, sizeof *s->bins);
        s->bin_capacity = s->bins ? tiles : 0;
    }
    if ((tiles && !s->bins) || !prepare_workers(s, tiles)) {
        s->oom = true;
        return false;
    }
    memcpy(&s->targets, targets, sizeof *targets); /* with its padding: compared above */
    s->required = required_clears(targets);
    s->open = true;
    return true;
}

static struct item *new_item(struct scene *s) {
    if (!array_grow((void **)&s->items, &s->item_capacity, s->item_count + 1, sizeof *s->items)) {
        s->oom = true;
        return NULL;
    }
    struct item *i = &s->items[s->item_count++];
    *i = (struct item){0};
    return i;
}

/* ---- the front pass ---- */

static void run_chunk(void *self, uint32_t index, int worker) {
    struct scene *s = self;
    const uint32_t item = s->chunk_item[index];
    front_run(s->worker[worker].front, &s->items[item].chunk, s->order + item);
}

static struct segment *append(struct scene *s, uint32_t tile) {
    struct tile_bin *bin = &s->bins[tile];
    struct segment *g = arena_alloc(&s->segments, sizeof *g);
    if (!g || (!bin->touched && !array_grow((void **)&s->touched, &s->touched_capacity,
                                            s->touched_count + 1, sizeof *s->touched))) {
        s->oom = true;
        return NULL;
    }
    if (!bin->touched)
        s->touched[s->touched_count++] = tile;
    bin->touched = true;
    *g = (struct segment){0};
    *(bin->first ? &bin->last->next : &bin->first) = g;
    bin->last = g;
    s->prim_bytes += sizeof *g;
    return g;
}

/* Drops what is about to be painted over. */
static void drop_hidden(struct tile_bin *bin) {
    if (bin->first && bin->last != bin->kept) {
        *(bin->kept ? &bin->kept->next : &bin->first) = NULL;
        bin->last = bin->kept;
    }
}

static bool merge_bin(struct scene *s, const struct call *call, const struct chunk_bin *b,
                      uint32_t replaces) {
    const uint32_t hidden = replaces & RASTER_REPLACES && b->covered ? b->covered - 1 : 0;
    struct tile_bin *bin = &s->bins[b->tile];
    if (b->covered && replaces & RASTER_REPLACES)
        drop_hidden(bin);
    struct segment *g = append(s, b->tile);
    if (!g)
        return false;
    g->call = call;
    g->prims = b->prims + hidden;
    g->count = b->count - hidden;
    bin->cleared = 0;
    if (!(replaces & RASTER_REPLACEABLE))
        bin->kept = g;
    return true;
}

static void merge_chunk(struct scene *s, const struct chunk *k) {
    const uint32_t replaces = k->bin_count ? raster_replaces(&k->call->draw->plan) : 0;
    for (uint32_t i = 0; i < k->bin_count; i++)
        if (!merge_bin(s, k->call, &k->bins[i], replaces))
            return;
    s->counts_samples |= k->bin_count && k->call->draw->raster.count_samples;
    s->prim_bytes += k->bytes;
}

/* Bits of tile_bin.cleared that this clear does for a tile at pixel (x, y). */
static uint32_t whole_clear(const struct scene *s, const struct raster_clear *c, int32_t x,
                            int32_t y) {
    const struct raster_targets *t = &s->targets;
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

static void merge_tile_clear(struct scene *s, const struct raster_clear *c, uint32_t tile,
                             int32_t x, int32_t y) {
    struct segment *g = append(s, tile);
    if (!g)
        return;
    g->clear = c;
    struct tile_bin *bin = &s->bins[tile];
    if (c->depth || c->stencil)
        bin->kept = g;
    const uint32_t bits = whole_clear(s, c, x, y);
    if (!bits)
        return;
    if (!bin->cleared)
        bin->clears = g;
    bin->cleared |= bits;
    if ((bin->cleared & s->required) == s->required && !s->counts_samples) {
        bin->first = bin->clears;
        bin->kept = g;
    }
}

static void merge_clear(struct scene *s, const struct raster_clear *c) {
    const uint32_t layer = c->layer * s->tiles_x * s->tiles_y;
    for (int32_t y = c->rect.y0 / TILE_SIZE; y * TILE_SIZE < c->rect.y1; y++)
        for (int32_t x = c->rect.x0 / TILE_SIZE; x * TILE_SIZE < c->rect.x1; x++)
            merge_tile_clear(s, c, layer + (uint32_t)y * s->tiles_x + (uint32_t)x, x * TILE_SIZE,
                             y * TILE_SIZE);
}

static void take_worker_errors(struct scene *s) {
    for (int i = 0; i < s->threads; i++) {
        struct scene_worker *w = &s->worker[i];
        struct trap *traps[] = {&w->trap, w->front ? &w->front->trap : NULL};
        for (int k = 0; k < 2; k++) {
            if (!traps[k] || !traps[k]->set)
                continue;
            trap_record(&s->trap, traps[k]->order, traps[k]->stage, traps[k]->program,
                        &traps[k]->error);
            traps[k]->set = false;
        }
        if (w->front) {
            s->oom |= w->front->oom;
            w->front->oom = false;
        }
        if (w->tile)
            s->oom |= raster_tile_take_oom(w->tile);
    }
}

static void run_front(struct scene *s) {
    uint32_t chunks = 0;
    if (!array_grow((void **)&s->chunk_item, &s->chunk_item_capacity, s->item_count,
                    sizeof *s->chunk_item)) {
        s->oom = true;
        return;
    }
    for (size_t i = 0; i < s->item_count; i++)
        if (!s->items[i].is_clear)
            s->chunk_item[chunks++] = (uint32_t)i;
    run_parallel(s, chunks, run_chunk);
    for (size_t i = 0; i < s->item_count; i++) {
        if (s->items[i].is_clear)
            merge_clear(s, s->items[i].clear);
        else
            merge_chunk(s, &s->items[i].chunk);
    }
    s->order += s->item_count;
    s->item_count = 0;
    s->weight = 0;
}

/* ---- the tile pass ---- */

static const struct warp_env *fragment_env(const struct segment *g) {
    return g->call->env->program[PROGRAM_FP];
}

/* The next segment may share warps with this one. */
static bool goes_on(const struct segment *g) {
    const struct segment *next = g->next;
    return next && next->call && next->call->draw == g->call->draw &&
           fragment_env(next) == fragment_env(g);
}

static void tile_draw(struct scene *s, struct scene_worker *w, const struct segment *g,
                      uint64_t order) {
    const struct draw *d = g->call->draw;
    struct call_env *env = g->call->env;
    const bool trapped = __atomic_load_n(&env->trapped, __ATOMIC_RELAXED);
    w->counters.error = (struct warp_error){0};
    raster_tile_draw(w->tile, &d->plan, fragment_env(g), g->prims, trapped ? 0 : g->count,
                     goes_on(g), &w->counters);
    if (w->counters.error.code == MP_NONE)
        return;
    trap_record(&w->trap, s->order + order, PROGRAM_FP, d->program_name[PROGRAM_FP],
                &w->counters.error);
    __atomic_store_n(&env->trapped, 1, __ATOMIC_RELAXED);
}

static void run_tile(void *self, uint32_t index, int worker) {
    struct scene *s = self;
    struct scene_worker *w = &s->worker[worker];
    const uint32_t tile = s->touched[index], per_layer = s->tiles_x * s->tiles_y;
    const uint32_t x = tile % per_layer % s->tiles_x, y = tile % per_layer / s->tiles_x;
    raster_tile_begin(w->tile, &s->targets, tile / per_layer, (int32_t)(x * TILE_SIZE),
                      (int32_t)(y * TILE_SIZE));
    for (const struct segment *g = s->bins[tile].first; g; g = g->next) {
        if (g->call)
            tile_draw(s, w, g, index);
        else
            raster_tile_clear(w->tile, g->clear);
    }
    raster_tile_end(w->tile);
}

static void run_tiles(struct scene *s) {
    run_parallel(s, (uint32_t)s->touched_count, run_tile);
    s->order += s->touched_count;
    for (size_t i = 0; i < s->touched_count; i++)
        s->bins[s->touched[i]] = (struct tile_bin){0};
    s->touched_count = 0;
    s->prim_bytes = 0;
    arena_reset(&s->segments);
    for (int i = 0; i < s->threads; i++)
        arena_reset(&s->worker[i].arena);
    take_worker_errors(s);
}

static void run_batch(struct scene *s) {
    run_front(s);
    if (s->prim_bytes > PRIM_BYTES)
        run_tiles(s);
}

/* ---- calls ---- */

static uint32_t output_factor(const struct draw *d) {
    return d->gp.program && d->gp_max_vertices > 1 ? d->gp_max_vertices : 1;
}

/* A vertex a program amplifies much counts for many: chunks stay small enough to bound memory. */
static uint32_t chunk_primitives(const struct draw *d) {
    const uint32_t n = CHUNK_PRIMITIVES * 16 / output_factor(d);
    return n > CHUNK_PRIMITIVES ? CHUNK_PRIMITIVES : n < LANES ? LANES : n;
}

/* Stream out and line stipple are sequences: chunk after chunk on this thread. */
static void run_ordered(struct scene *s, struct stream_state *stream) {
    struct front *f = s->worker[0].front;
    for (int i = 0; i < STATE_STREAMS; i++)
        f->stream_offset[i] = stream->buffer[i].offset;
    f->stream_primitives = stream->primitives;
    for (size_t i = 0; i < s->item_count; i++) {
        front_run(f, &s->items[i].chunk, s->order++);
        merge_chunk(s, &s->items[i].chunk);
    }
    for (int i = 0; i < STATE_STREAMS; i++)
        stream->buffer[i].offset = f->stream_offset[i];
    stream->primitives = f->stream_primitives;
    s->item_count = 0;
    s->weight = 0;
    if (s->prim_bytes > PRIM_BYTES)
        run_tiles(s);
}

bool scene_call(struct scene *s, const struct call *call, struct stream_state *stream) {
    const uint64_t total = (uint64_t)call->primitives * call->instance_count;
    const uint32_t step = chunk_primitives(call->draw);
    const bool ordered = call->draw->ordered;
    if (ordered)
        run_batch(s);
    for (uint64_t at = 0; at < total; at += step) {
        struct item *i = new_item(s);
        if (!i)
            return false;
        const uint32_t count = total - at < step ? (uint32_t)(total - at) : step;
        i->chunk = (struct chunk){.call = call, .first = at, .count = count};
        s->weight += (uint64_t)count * output_factor(call->draw);
        if (ordered)
            run_ordered(s, stream);
        else if (s->weight >= BATCH_WEIGHT || s->item_count >= BATCH_ITEMS)
            run_batch(s);
    }
    return true;
}

bool scene_clear(struct scene *s, const struct raster_clear *clear) {
    if (clear->rect.x0 >= clear->rect.x1 || clear->rect.y0 >= clear->rect.y1)
        return true;
    struct raster_clear *copy = scene_alloc(s, sizeof *copy);
    struct item *i = copy ? new_item(s) : NULL;
    if (!i) {
        s->oom = true;
        return false;
    }
    *copy = *clear;
    i->is_clear = true;
    i->clear = copy;
    if (s->item_count >= BATCH_ITEMS)
        run_batch(s);
    return true;
}

/* ---- flush, results ---- */

bool scene_empty(const struct scene *s) {
    return !s->item_count && !s->touched_count;
}

uint64_t scene_epoch(const struct scene *s) {
    return s->epoch;
}

void scene_flush(struct scene *s) {
    if (s->item_count)
        run_front(s);
    if (s->touched_count)
        run_tiles(s);
    else
        take_worker_errors(s);
    drop(s);
}

static void add_warp(struct warp_stats *to, const struct warp_stats *from) {
    to->instructions += from->instructions;
    to->lane_instructions += from->lane_instructions;
    to->bad_reads += from->bad_reads;
    to->bad_writes += from->bad_writes;
}

static void add_front(struct front_counters *to, const struct front_counters *from) {
    to->vertices += from->vertices;
    to->vertex_warps += from->vertex_warps;
    to->geometry_warps += from->geometry_warps;
    to->gp_primitives += from->gp_primitives;
    to->primitives_in += from->primitives_in;
    to->primitives_generated += from->primitives_generated;
    to->primitives_written += from->primitives_written;
    to->clip_in += from->clip_in;
    to->primitives += from->primitives;
}

void scene_get_totals(const struct scene *s, struct scene_totals *totals) {
    *totals = (struct scene_totals){0};
    for (int i = 0; i < s->threads; i++) {
        const struct scene_worker *w = &s->worker[i];
        if (!w->front)
            continue;
        add_front(&totals->front, &w->front->counters);
        add_warp(&totals->front.warp, &w->front->warp->stats);
        totals->raster.samples_passed += w->counters.samples_passed;
        totals->raster.fragments += w->counters.fragments;
        totals->raster.warps += w->counters.warps;
        totals->raster.early_rejected += w->counters.early_rejected;
        add_warp(&totals->raster.warp, &w->counters.warp);
    }
}

bool scene_take_trap(struct scene *s, struct trap *trap) {
    const bool set = s->trap.set;
    *trap = s->trap;
    s->trap.set = false;
    return set;
}

bool scene_take_oom(struct scene *s) {
    const bool oom = s->oom;
    s->oom = false;
    return oom;
}
