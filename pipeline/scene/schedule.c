/* The order of work in a scene. A thread first takes tiles of the tile pass that is being drawn; if
 * no tile is left, it takes a task that waits for the front end. The thread that ends a task merges
 * all tasks that are next in order, so that tile lists are in the order of the draws and no thread
 * waits for another. The thread that ends the last tile of a pass begins the next pass. Two passes
 * exist: one is drawn while tasks are merged into the other. Must not know primitives or pixels.
 */
#include "pipeline/scene/queue.h"

#include "base/timeline.h"

#include <stdlib.h>

static void tell_caller(struct scene *s) {
    if (s->waiting)
        pthread_cond_broadcast(&s->progress);
}

/* True if the collecting pass should be drawn: no further task may join it, or it is large enough,
 * or all work is to be drawn. */
static bool is_complete(const struct scene *s) {
    const struct tile_pass *p = s->collecting;
    if (!p->used)
        return false;
    if (!s->first)
        return s->draw_all || p->sequence != s->sequence;
    return p->bytes > PASS_BYTES || p->sequence != s->first->batch->sequence;
}

static void end_pass(struct scene *s, struct tile_pass *p) {
    __atomic_store_n(&s->drawn, p->last, __ATOMIC_RELEASE);
    timeline_end(TIMELINE_PASS, p->began, p->touched_count, 0, NULL);
    tile_pass_end(p);
    tell_caller(s);
}

static void begin_drawing(struct scene *s) {
    struct tile_pass *p = s->collecting;
    if (!p->touched_count) {
        end_pass(s, p);
        return;
    }
    tile_pass_order(p);
    p->began = timeline_begin();
    p->next = 0;
    p->left = p->touched_count;
    s->drawing = p;
    s->collecting = &s->pass[p == &s->pass[0]];
    if (s->workers && p->left > 1)
        workers_wake(s->workers, p->left < 1024 ? (uint32_t)p->left : 1024);
    tell_caller(s);
}

/* Merges the first task into the collecting pass. The lock is released during the merge. */
static void merge_first(struct scene *s, int worker) {
    struct task *g = s->first;
    struct tile_pass *p = s->collecting;
    struct profile *profile = worker_profile(s, worker);
    s->merging = true;
    pthread_mutex_unlock(&s->lock);
    const uint64_t began = timeline_begin();
    const enum stage was = profile_enter(profile, STAGE_MERGE);
    if (!p->used && !tile_pass_begin(p, g->batch))
        scene_note_oom(s);
    tile_pass_merge(s, p, g);
    profile_leave(profile, was);
    timeline_end(TIMELINE_MERGE, began, g->count, 0, NULL);
    pthread_mutex_lock(&s->lock);
    s->merging = false;
    s->first = g->next;
    s->weight -= g->weight;
    g->next = s->unused;
    s->unused = g;
}

void scene_advance(struct scene *s, int worker) {
    while (!s->merging) {
        const bool complete = is_complete(s);
        if (complete && !s->drawing)
            begin_drawing(s);
        else if (!complete && s->first && s->first->done)
            merge_first(s, worker);
        else
            break;
    }
    tell_caller(s);
}

/* ---- tasks ---- */

/* Returns a store of the worker that has room for primitives: the newest one, the oldest one if its
 * primitives are drawn, or a new one. NULL when out of memory. */
static struct store *open_store(struct scene *s, struct scene_worker *w) {
    if (w->store && w->store->bytes < STORE_BYTES)
        return w->store;
    struct store *t = w->oldest;
    if (t && t != w->store && t->last <= __atomic_load_n(&s->drawn, __ATOMIC_ACQUIRE)) {
        w->oldest = t->next;
        arena_reset(&t->arena);
    } else if (!(t = calloc(1, sizeof *t))) {
        return NULL;
    }
    t->next = NULL;
    t->bytes = 0;
    *(w->store ? &w->store->next : &w->oldest) = t;
    w->store = t;
    return t;
}

static struct front *open_front(struct scene *s, struct scene_worker *w, const struct batch *b) {
    struct profile *profile = worker_profile(s, (int)(w - s->worker));
    struct store *t = open_store(s, w);
    if (!t || (!w->front && !(w->front = front_create())) ||
        !front_begin(w->front, &b->targets, &t->arena, s->watch, profile)) {
        scene_note_oom(s);
        return NULL;
    }
    return w->front;
}

void task_run(struct scene *s, struct task *g, int worker) {
    struct scene_worker *w = &s->worker[worker];
    const uint64_t began = timeline_begin();
    struct front *front = open_front(s, w, g->batch);
    for (uint32_t i = 0; i < g->count; i++) {
        struct chunk *k = &g->item[i].chunk;
        if (g->item[i].clear || !front)
            continue;
        const uint64_t chunk = timeline_begin();
        front_run(front, k, trap_order(g->order + i, 0));
        w->store->bytes += k->bytes;
        w->store->last = g->number;
        timeline_end(TIMELINE_CHUNK, chunk, k->piece->call->number, k->count, NULL);
    }
    timeline_end(TIMELINE_TASK, began, g->count, 0, NULL);
}

/* ---- the work of a thread ---- */

static struct task *take_runnable(struct scene *s) {
    struct task *g = s->runnable;
    if (!g)
        return NULL;
    g->taken = true;
    s->runnable_weight -= g->weight;
    while (s->runnable && s->runnable->taken)
        s->runnable = s->runnable->next;
    return g;
}

static void lock_again(struct scene *s) {
    const uint64_t began = timeline_begin();
    pthread_mutex_lock(&s->lock);
    timeline_end_wait(began, "the queue's lock");
}

static void work_on_task(struct scene *s, struct task *g, int worker) {
    pthread_mutex_unlock(&s->lock);
    task_run(s, g, worker);
    lock_again(s);
    g->done = true;
    scene_advance(s, worker);
}

static void work_on_tile(struct scene *s, int worker) {
    struct tile_pass *p = s->drawing;
    const size_t index = p->next++;
    struct profile *profile = worker_profile(s, worker);
    pthread_mutex_unlock(&s->lock);
    const uint64_t began = timeline_begin();
    const enum stage was = profile_enter(profile, STAGE_COVER);
    tile_draw(s, p, index, worker);
    profile_leave(profile, was);
    const uint32_t tile =
        (uint32_t)p->touched[index] % (p->tiles_x * p->tiles_y); /* without the cost */
    timeline_end(TIMELINE_TILE, began, tile % p->tiles_x, tile / p->tiles_x, NULL);
    lock_again(s);
    if (--p->left)
        return;
    s->drawing = NULL;
    end_pass(s, p);
    scene_advance(s, worker);
}

bool scene_work(struct scene *s, int worker) {
    if (s->drawing && s->drawing->next < s->drawing->touched_count && (!s->alone || !worker)) {
        work_on_tile(s, worker);
        return true;
    }
    struct task *g = take_runnable(s);
    if (g)
        work_on_task(s, g, worker);
    return g;
}

/* Waits until another thread reports progress. Lock held. */
static void await_progress(struct scene *s) {
    const enum stage was = profile_enter(worker_profile(s, 0), STAGE_IDLE);
    const uint64_t began = timeline_begin();
    s->waiting = true;
    pthread_cond_wait(&s->progress, &s->lock);
    s->waiting = false;
    profile_leave(worker_profile(s, 0), was);
    timeline_end(TIMELINE_WAIT, began, 0, 0, s->drawing ? "tiles of a pass" : "front end");
}

void scene_help(struct scene *s, bool (*enough)(const struct scene *s)) {
    pthread_mutex_lock(&s->lock);
    scene_advance(s, 0);
    while (!enough(s))
        if (!scene_work(s, 0))
            await_progress(s);
    pthread_mutex_unlock(&s->lock);
}

static bool scene_front_done(const struct scene *s) {
    for (const struct task *g = s->first; g; g = g->next)
        if (!g->done)
            return false;
    return true;
}

void scene_help_front(struct scene *s) {
    pthread_mutex_lock(&s->lock);
    while (!scene_front_done(s)) {
        struct task *g = take_runnable(s);
        if (g)
            work_on_task(s, g, 0);
        else
            await_progress(s);
    }
    pthread_mutex_unlock(&s->lock);
}
