/* Finds warps by the places of their lanes (warp_find.h). In: warps as an observer sees them, on
 * any thread. Out: lanes; recorded steps. Must not know where a place comes from.
 */
#include "pipeline/debug/warp_find.h"

#include <math.h>

static bool is_there(const struct warp_place *p, const struct warp *w, unsigned lane) {
    if (p->stage == PROGRAM_FP)
        return w->origin[0] + (int)floorf(w->x[lane]) == p->x &&
               w->origin[1] + (int)floorf(w->y[lane]) == p->y;
    return w->number && w->number[lane] == p->number &&
           (p->instance == WARP_ANY_INSTANCE || !w->instance || w->instance[lane] == p->instance);
}

int warp_place_lane(const struct warp_place *p, const struct warp *w) {
    for (lane_mask m = w->launched & ~w->dead; m; m &= m - 1)
        if (is_there(p, w, (unsigned)__builtin_ctz(m)))
            return __builtin_ctz(m);
    return -1;
}

int warp_place_in_block(const struct warp_place *p, const struct warp *warps, uint32_t *warp) {
    const struct cta_shared *b = warps[0].cta;
    const uint32_t *t = p->thread;
    if (memcmp(b->at, p->block, sizeof b->at) != 0 || t[0] >= b->size[0] || t[1] >= b->size[1] ||
        t[2] >= b->size[2])
        return -1;
    const uint32_t number = (t[2] * b->size[1] + t[1]) * b->size[0] + t[0];
    *warp = number / LANES;
    return (int)(number % LANES);
}

/* ---- the catch ---- */

/* Counts a hit. True if the warp is to be recorded. The lock is held. */
static bool counts(struct warp_catch *c) {
    c->hits++;
    return c->hit == 0 || c->hits == c->hit;
}

static void keep(struct warp_catch *c, struct warp_steps *steps, int lane) {
    steps_free(c->steps);
    c->steps = steps;
    c->lane = (unsigned)lane;
    c->failed |= !steps;
}

static void warp_starts(void *self, const struct warp *w, const struct warp_env *env) {
    struct warp_catch *c = self;
    const int lane = warp_place_lane(&c->place, w);
    if (lane < 0)
        return;
    pthread_mutex_lock(&c->lock);
    if (counts(c))
        keep(c, steps_of_warp(w, env, c->most), lane);
    pthread_mutex_unlock(&c->lock);
}

static void block_starts(void *self, const struct warp *warps, uint32_t count,
                         const struct warp_env *env) {
    struct warp_catch *c = self;
    uint32_t warp;
    const int lane = warp_place_in_block(&c->place, warps, &warp);
    if (lane < 0)
        return;
    pthread_mutex_lock(&c->lock);
    if (counts(c))
        keep(c, steps_of_block(warps, count, warp, env, c->most), lane);
    pthread_mutex_unlock(&c->lock);
}

void warp_catch_begin(struct warp_catch *c, tp_context *context) {
    pthread_mutex_init(&c->lock, NULL);
    c->observer = (struct warp_observer){.self = c};
    if (c->place.stage == PROGRAM_CP)
        c->observer.cta = block_starts;
    else
        c->observer.start = warp_starts;
    context_observe(context, c->place.stage, &c->observer);
}

void warp_catch_end(struct warp_catch *c, tp_context *context) {
    context_observe(context, c->place.stage, NULL);
    pthread_mutex_destroy(&c->lock);
}
