/* One tile of a pass: its list, drawn from the front to the end by one worker. In: segments of calls'
 * primitives, and clears. Out: pixels, counters, the first program failure. Must not know which
 * tiles others draw.
 */
#include "pipeline/scene/queue.h"

static const struct warp_env *fragment_env(const struct segment *g) {
    return g->call->env->program[PROGRAM_FP];
}

/* The next segment may share warps with this one. */
static bool goes_on(const struct segment *g) {
    const struct segment *next = g->next;
    return next && next->call && next->call->draw == g->call->draw &&
           fragment_env(next) == fragment_env(g);
}

/* What a tile leaves out because programs failed in it: the rest of the draw, and later draws of a
 * program that ran out of its budget here, as each would take as long again. Known from the tile's
 * own list, so it is the same for any number of threads. */
struct failures {
    const struct call *call;
    const struct program *endless[4];
    unsigned count;
};

static bool is_left_out(const struct failures *f, const struct segment *g) {
    for (unsigned i = 0; i < f->count; i++)
        if (f->endless[i] == fragment_env(g)->program)
            return true;
    return f->call == g->call;
}

static void draw_segment(struct scene_worker *w, const struct segment *g, uint32_t tile,
                         struct failures *failures) {
    const struct draw *d = g->call->draw;
    const struct warp_env *env = fragment_env(g);
    w->probe.draw = g->call->number;
    w->counters.error = (struct warp_error){0};
    raster_tile_draw(w->tile, &d->plan, env, g->prims, is_left_out(failures, g) ? 0 : g->count,
                     goes_on(g), &w->counters);
    if (w->counters.error.code == MP_NONE)
        return;
    trap_record(&w->trap, trap_order(g->order, tile + 1), PROGRAM_FP, d->program_name[PROGRAM_FP],
                &w->counters.error);
    failures->call = g->call;
    if (w->counters.error.code == MP_TIMEOUT &&
        failures->count < sizeof failures->endless / sizeof *failures->endless)
        failures->endless[failures->count++] = env->program;
}

void tile_run(struct scene *s, struct pass *p, size_t index, int worker) {
    struct scene_worker *w = &s->worker[worker];
    const uint32_t tile = (uint32_t)p->touched[index], per_layer = p->tiles_x * p->tiles_y;
    const uint32_t x = tile % per_layer % p->tiles_x, y = tile % per_layer / p->tiles_x;
    if (!w->tile && !(w->tile = raster_tile_create(s->device->simd))) {
        scene_note_oom(s);
        return;
    }
    struct failures failures = {0};
    w->probe = s->probe ? *s->probe : (struct raster_probe){0};
    raster_tile_probe(w->tile, s->probe ? &w->probe : NULL);
    raster_tile_set_profile(w->tile, worker_profile(s, worker));
    raster_tile_begin(w->tile, &p->targets, tile / per_layer, (int32_t)(x * TILE_SIZE),
                      (int32_t)(y * TILE_SIZE));
    for (const struct segment *g = p->bins[tile].first; g; g = g->next) {
        if (g->call)
            draw_segment(w, g, tile, &failures);
        else {
            w->probe.draw = g->clear->number;
            raster_tile_clear(w->tile, g->clear);
        }
    }
    raster_tile_end(w->tile);
}
