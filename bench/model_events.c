/* Collects the work between two flushes: see model_events.h. On one thread this work is draws, then
 * tasks, merges and tiles; some tasks, merges and tiles are done inside of a draw. A task counts as
 * submitted when the caller has made all draws before the next task's first draw. */
#include "bench/model_events.h"
#include "base/arena.h"

#include <stdlib.h>

struct list {
    double *value;
    uint32_t count;
    size_t room;
};

/* Consecutive draws. `at`: the caller's time at the begin of the first draw. */
struct run {
    uint64_t first, count;
    double at, length;
};

struct model_events {
    int threads;
    bool failed;
    double caller;
    struct list task, merge, tile, draw; /* draw: number of each task's first draw */
    struct list pass;                    /* pairs: number of tasks merged before, number of tiles */
    struct list recent;                  /* pairs: begin and length of items since a draw */
    struct run *run;
    uint32_t runs;
    size_t run_room;
    uint32_t pass_tiles; /* tiles of the current pass */
    uint64_t first_draw; /* first draw of the current task; 0: none */
    struct model_time one, many;
};

struct model_events *model_events_new(int threads) {
    struct model_events *e = calloc(1, sizeof *e);
    if (e)
        e->threads = threads;
    return e;
}

static void put(struct model_events *e, struct list *l, double v) {
    if (ARRAY_ROOM(l->value, l->room, l->count + 1u))
        l->value[l->count++] = v;
    else
        e->failed = true;
}

static double length_of(const struct timeline_view *v) {
    return v->end - v->begin;
}

static void put_item(struct model_events *e, struct list *l, const struct timeline_view *v) {
    put(e, l, length_of(v));
    put(e, &e->recent, v->begin);
    put(e, &e->recent, length_of(v));
}

/* Adds to the caller's time, without the items that the caller worked on inside of the draws. */
static void take_draws(struct model_events *e, const struct timeline_view *v) {
    double length = length_of(v);
    for (uint32_t i = 0; i + 1 < e->recent.count; i += 2)
        length -= e->recent.value[i] >= v->begin ? e->recent.value[i + 1] : 0;
    e->recent.count = 0;
    if (!ARRAY_ROOM(e->run, e->run_room, e->runs + 1u)) {
        e->failed = true;
        return;
    }
    e->run[e->runs++] =
        (struct run){v->first, v->second ? v->second : 1, e->caller, length > 0 ? length : 0};
    e->caller += length > 0 ? length : 0;
}

/* Returns the caller's time after all draws before `draw`. */
static double time_before(const struct model_events *e, uint64_t draw) {
    for (uint32_t i = e->runs; i-- > 0;) {
        const struct run *r = &e->run[i];
        if (draw >= r->first + r->count)
            return r->at + r->length;
        if (draw >= r->first)
            return r->at + r->length * (double)(draw - r->first) / (double)r->count;
    }
    return 0;
}

/* Returns the times at which tasks are submitted; NULL: out of memory. */
static double *ready_times(const struct model_events *e) {
    double *ready = calloc(e->task.count ? e->task.count : 1, sizeof *ready);
    for (uint32_t i = 0; ready && i < e->task.count; i++) {
        const double next =
            i + 1 < e->task.count ? time_before(e, (uint64_t)e->draw.value[i + 1]) : e->caller;
        const double before = i ? ready[i - 1] : 0;
        ready[i] = next < before ? before : next > e->caller ? e->caller : next;
    }
    return ready;
}

static bool add_times(struct model_events *e, const double *ready, struct model_pass *pass) {
    for (uint32_t i = 0, tile = 0; i < e->pass.count / 2; i++) {
        const uint32_t tiles = (uint32_t)e->pass.value[2 * i + 1];
        pass[i] = (struct model_pass){(uint32_t)e->pass.value[2 * i], tile, tiles};
        tile += tiles;
    }
    const struct model_work w = {e->caller,     ready, e->task.value,     e->merge.value,
                                 e->task.count, pass,  e->pass.count / 2, e->tile.value};
    return model_add(&w, 1, &e->one) && model_add(&w, e->threads, &e->many);
}

/* Handles the flush that ends the work. */
static void end_stretch(struct model_events *e) {
    double *ready = ready_times(e);
    struct model_pass *pass = calloc(e->pass.count + 1, sizeof *pass);
    while (e->merge.count < e->task.count)
        put(e, &e->merge, 0);
    e->failed |= !ready || !pass || e->failed || !add_times(e, ready, pass);
    free(ready);
    free(pass);
    e->task.count = e->merge.count = e->tile.count = e->draw.count = e->pass.count = 0;
    e->runs = e->pass_tiles = 0;
    e->caller = 0;
}

void model_events_take(void *events, const struct timeline_view *v) {
    struct model_events *e = events;
    switch (v->kind) {
    case TIMELINE_DRAWS:
        take_draws(e, v);
        break;
    case TIMELINE_CHUNK:
        e->first_draw = e->first_draw ? e->first_draw : v->first;
        break;
    case TIMELINE_TASK:
        put(e, &e->draw, (double)e->first_draw);
        put_item(e, &e->task, v);
        e->first_draw = 0;
        break;
    case TIMELINE_MERGE:
        put_item(e, &e->merge, v);
        break;
    case TIMELINE_TILE:
        put_item(e, &e->tile, v);
        e->pass_tiles++;
        break;
    case TIMELINE_PASS:
        put(e, &e->pass, e->merge.count);
        put(e, &e->pass, e->pass_tiles);
        e->pass_tiles = 0;
        break;
    case TIMELINE_FLUSH:
        end_stretch(e);
        break;
    default:
        break;
    }
}

bool model_events_end(struct model_events *e, struct model_time *one, struct model_time *many) {
    end_stretch(e);
    const bool ok = !e->failed;
    *one = e->one;
    *many = e->many;
    struct list *const lists[] = {&e->task, &e->merge, &e->tile, &e->draw, &e->pass, &e->recent};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->value);
    free(e->run);
    free(e);
    return ok;
}
