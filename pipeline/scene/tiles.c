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

static void draw_segment(struct scene_worker *w, const struct segment *g, uint32_t tile) {
    const struct draw *d = g->call->draw;
    struct call_env *env = g->call->env;
    w->probe.draw = g->call->number;
    const bool trapped = __atomic_load_n(&env->trapped, __ATOMIC_RELAXED);
    w->counters.error = (struct warp_error){0};
    raster_tile_draw(w->tile, &d->plan, fragment_env(g), g->prims, trapped ? 0 : g->count,
                     goes_on(g), &w->counters);
    if (w->counters.error.code == MP_NONE)
        return;
    trap_record(&w->trap, trap_order(g->order, tile + 1), PROGRAM_FP, d->program_name[PROGRAM_FP],
                &w->counters.error);
    __atomic_store_n(&env->trapped, 1, __ATOMIC_RELAXED);
}

void tile_run(struct scene *s, struct pass *p, size_t index, int worker) {
    struct scene_worker *w = &s->worker[worker];
    const uint32_t tile = (uint32_t)p->touched[index], per_layer = p->tiles_x * p->tiles_y;
    const uint32_t x = tile % per_layer % p->tiles_x, y = tile % per_layer / p->tiles_x;
    if (!w->tile && !(w->tile = raster_tile_create(s->device->simd))) {
        scene_note_oom(s);
        return;
    }
    w->probe = s->probe ? *s->probe : (struct raster_probe){0};
    raster_tile_probe(w->tile, s->probe ? &w->probe : NULL);
    raster_tile_set_profile(w->tile, worker_profile(s, worker));
    raster_tile_begin(w->tile, &p->targets, tile / per_layer, (int32_t)(x * TILE_SIZE),
                      (int32_t)(y * TILE_SIZE));
    for (const struct segment *g = p->bins[tile].first; g; g = g->next) {
        if (g->call)
            draw_segment(w, g, tile);
        else {
            w->probe.draw = g->clear->number;
            raster_tile_clear(w->tile, g->clear);
        }
    }
    raster_tile_end(w->tile);
}
