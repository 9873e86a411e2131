/* One tile of a pass: one worker draws its tile list in order. In: segments and clears. Out:
 * pixels, counters, the first program failure. Must not know other tiles.
 */
#include "pipeline/scene/queue.h"

enum {
    TILE_RUN_PRIMS = 256, /* primitives drawn at once, of as many segments */
    AHEAD = 3,            /* segments to prefetch; their data is scattered in memory */
    AHEAD_PRIMS = 16,
    CACHE_LINE = 64,
};

/* Consecutive segments of one plan and one environment of the fragment program, whose primitives
 * may share warps. */
struct tile_run {
    const struct segment *first, *end; /* end: what follows them */
    const struct draw *draw;
    const struct warp_env *fp;
    uint32_t count;
    const struct raster_prim *prim[TILE_RUN_PRIMS];
};

/* The segments that a tile leaves out because programs failed in it: the rest of the draw, and
 * later draws of a program that ran out of its budget here, since each would take as long again.
 * This follows from the tile's own list, so it is the same for any number of threads. */
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

static bool is_part(const struct tile_run *r, const struct segment *g) {
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

/* Collects the segments from g on that can be drawn at once. A segment that is too long or watched
 * is drawn by itself. */
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
    } while (is_part(r, g));
    r->end = g == r->first ? g->next : g;
}

/* The segment that holds the primitive of this number in the tile run. */
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

/* Notes that the program failed in one of the run's calls. Returns the segment after the failed
 * one. */
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

/* Draws segments from g on. Returns the segment after them. */
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
                                            count, is_part(&r, r.end), &w->counters);
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
    const uint64_t start = timed ? profile_nanoseconds() : 0;
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
                       tile / per_layer, profile_nanoseconds() - start);
}
