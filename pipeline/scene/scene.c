/* The scene as the calling thread sees it: sets targets, cuts calls and clears into tasks, and
 * waits for pixels. In: calls and clears. Out: tasks for the threads (schedule.c), pixels in the
 * targets after a flush. Memory stays bounded: the calling thread helps if it queues faster than
 * the threads work. Must not know state.
 */
#include "pipeline/scene/queue.h"

#include "base/timeline.h"

#include <stdlib.h>

/* ---- life ---- */

struct scene *scene_create(tp_device *device) {
    struct scene *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->device = device;
    s->threads = device->threads;
    s->shares = 1;
    s->collecting = &s->pass[0];
    s->worker = calloc((size_t)s->threads, sizeof *s->worker);
    if (!s->worker || !batch_add(s)) {
        free(s->worker);
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->progress, NULL);
    return s;
}

static void free_worker(struct scene_worker *w) {
    front_free(w->front);
    raster_tile_free(w->tile);
    free(w->passed);
    while (w->oldest) {
        struct store *next = w->oldest->next;
        arena_free(&w->oldest->arena);
        free(w->oldest);
        w->oldest = next;
    }
}

void scene_destroy(struct scene *s) {
    if (!s)
        return;
    scene_flush(s);
    workers_destroy(s->workers);
    batches_free(s);
    for (int i = 0; i < s->threads; i++)
        free_worker(&s->worker[i]);
    for (int i = 0; i < 2; i++) {
        free(s->pass[i].bins);
        free(s->pass[i].touched);
        arena_free(&s->pass[i].segments);
    }
    while (s->unused) {
        struct task *next = s->unused->next;
        free(s->unused);
        s->unused = next;
    }
    free(s->marks.before);
    pthread_cond_destroy(&s->progress);
    pthread_mutex_destroy(&s->lock);
    free(s->worker);
    free(s);
}

/* Does one step of a thread's work. False if there is no work. */
static bool work_once(void *self, int worker) {
    struct scene *s = self;
    pthread_mutex_lock(&s->lock);
    const bool worked = scene_work(s, worker);
    pthread_mutex_unlock(&s->lock);
    return worked;
}

/* Returns the scene's threads, which are created at the first use; NULL if the calling thread is
 * the only one. */
static struct workers *scene_workers(struct scene *s) {
    if (s->threads > 1 && !s->workers) {
        struct workers *w = workers_create(s->threads, work_once, s);
        pthread_mutex_lock(&s->lock);
        s->workers = w;
        pthread_mutex_unlock(&s->lock);
    }
    return s->workers;
}

struct shared_loop {
    struct scene *scene;
    enum stage stage;
    void (*fn)(void *, uint32_t, int);
    void *self;
};

static void run_shared(void *loop, uint32_t index, int worker) {
    const struct shared_loop *l = loop;
    struct profile *profile = worker_profile(l->scene, worker);
    const enum stage was = profile_enter(profile, l->stage);
    l->fn(l->self, index, worker);
    profile_leave(profile, was);
}

void scene_share(struct scene *s, enum stage stage, uint32_t count,
                 void (*fn)(void *, uint32_t, int), void *self) {
    struct shared_loop loop = {s, stage, fn, self};
    struct workers *workers = count > 1 ? scene_workers(s) : NULL;
    if (workers)
        workers_run(workers, count, run_shared, &loop);
    for (uint32_t i = 0; !workers && i < count; i++)
        run_shared(&loop, i, 0);
}

/* ---- tasks ---- */

static bool half_done(const struct scene *s) {
    return s->weight <= QUEUE_WEIGHT / 2;
}

struct backlog {
    bool wakes;  /* a sleeping thread is to be woken */
    bool behind; /* the calling thread should help */
};

/* Hands the task that is being filled to the threads, or, if `own`, leaves it to the calling
 * thread. */
static struct task *submit_task(struct scene *s, bool own, struct backlog *b) {
    struct task *g = s->filling;
    s->filling = NULL;
    s->last_call = NULL; /* calls may be changed only until their task is submitted */
    g->order = s->orders;
    s->orders += g->count;
    pthread_mutex_lock(&s->lock);
    g->taken = own;
    g->weight += g->count;
    g->number = ++s->tasks;
    s->batch->last = g->number;
    *(s->first ? &s->last->next : &s->first) = g;
    s->last = g;
    s->weight += g->weight;
    if (!s->runnable && !own)
        s->runnable = g;
    s->runnable_weight += own ? 0 : g->weight;
    b->wakes = s->runnable_weight >= WAKE_WEIGHT;
    b->behind = s->weight > QUEUE_WEIGHT;
    pthread_mutex_unlock(&s->lock);
    return g;
}

/* Hands the task that is being filled to the threads. at_once: wakes a thread even for little
 * work. */
static void submit_for_threads(struct scene *s, bool at_once) {
    struct backlog b;
    submit_task(s, false, &b);
    struct workers *workers = scene_workers(s);
    if (workers && (b.wakes || at_once))
        workers_wake(workers, 1);
    if (b.behind)
        scene_help(s, half_done);
}

static struct task *take_task(struct scene *s) {
    pthread_mutex_lock(&s->lock);
    struct task *g = s->unused;
    if (g)
        s->unused = g->next;
    pthread_mutex_unlock(&s->lock);
    return g ? g : malloc(sizeof *g);
}

static struct work_item *new_item(struct scene *s) {
    struct task *g = s->filling;
    if (!g) {
        g = s->filling = take_task(s);
        if (!g) {
            scene_note_oom(s);
            return NULL;
        }
        g->next = NULL;
        g->batch = s->batch;
        g->weight = 0;
        g->count = g->piece_count = 0;
        g->taken = g->done = false;
    }
    struct work_item *i = &g->item[g->count++];
    *i = (struct work_item){.interval = s->marks.interval};
    return i;
}

static void add_weight(struct scene *s, uint64_t weight) {
    struct task *g = s->filling;
    g->weight += weight;
    if (g->count == TASK_ITEMS || g->piece_count == CHUNK_PIECES || g->weight >= TASK_WEIGHT)
        submit_for_threads(s, false);
}

/* Returns the chunk at the end of the task that is being filled, if the call's `total` primitives
 * may join this chunk and it then has at most `step` primitives; else NULL. */
static struct chunk *joined_chunk(const struct scene *s, const struct draw_call *call,
                                  uint64_t total, uint32_t step) {
    struct task *g = s->filling;
    struct work_item *last = g && g->count ? &g->item[g->count - 1] : NULL;
    if (!last || last->clear || last->interval != s->marks.interval || s->watch ||
        last->chunk.count + total > step)
        return NULL; /* calls are kept apart, too, while pixels are watched */
    return chunk_may_join(&last->chunk, call) ? &last->chunk : NULL;
}

static struct chunk *new_chunk(struct scene *s, const struct draw_call *call) {
    struct work_item *i = new_item(s);
    if (i)
        i->chunk =
            (struct chunk){.call = call, .piece = s->filling->piece + s->filling->piece_count};
    return i ? &i->chunk : NULL;
}

static void add_piece(struct scene *s, struct chunk *k, const struct draw_call *call,
                      uint64_t first, uint32_t count) {
    s->filling->piece[s->filling->piece_count++] = (struct piece){call, first, count};
    k->piece_count++;
    k->count += count;
    s->marks.used = true;
}

/* ---- batches and targets ---- */

/* Sets the sequence of the newest batch, which has no task yet. apart: the batch goes into another
 * tile pass than all batches before it. */
static void join_sequence(struct scene *s, bool apart) {
    pthread_mutex_lock(&s->lock);
    s->sequence += apart;
    s->batch->sequence = s->sequence;
    if (apart) {
        s->sequence_bytes = s->batch->bytes;
        s->sequence_epoch = s->batch->epoch;
    }
    scene_advance(s, 0); /* the last pass may be complete now */
    pthread_mutex_unlock(&s->lock);
}

/* Begins a batch. apart: the batch goes into another tile pass than the batch before it. */
static bool next_batch(struct scene *s, bool apart) {
    if (s->filling)
        submit_for_threads(s, apart);
    const struct batch *old = s->batch;
    if (!batch_add(s)) {
        scene_note_oom(s);
        return false;
    }
    s->batch->targets = old->targets;
    join_sequence(s, apart);
    return true;
}

static bool oldest_done(const struct scene *s) {
    return s->oldest == s->batch || s->oldest->last <= s->drawn;
}

static bool has_work(const struct scene *s) {
    return s->batch->last || s->filling;
}

bool scene_set_targets(struct scene *s, const struct raster_targets *targets) {
    const bool same =
        !targets || (s->open && !memcmp(&s->batch->targets, targets, sizeof *targets));
    if (same && s->sequence_bytes > SEQUENCE_BYTES && !next_batch(s, true))
        return false;
    batches_retire(s);
    while (s->bytes > CAPTURED_BYTES && s->oldest != s->batch &&
           s->oldest->sequence != s->batch->sequence) {
        scene_help(s, oldest_done);
        batches_retire(s);
    }
    if (same)
        return s->batch->bytes <= BATCH_BYTES || next_batch(s, false);
    if (!has_work(s))
        join_sequence(s, true); /* an older batch of the sequence may have work */
    else if (!next_batch(s, true))
        return false;
    batch_renew(s); /* captures refer to the old targets */
    /* memcpy() copies the padding, too, because memcmp() compares it. */
    memcpy(&s->batch->targets, targets, sizeof *targets);
    s->open = true;
    return true;
}

const struct raster_targets *scene_targets(const struct scene *s) {
    return &s->batch->targets;
}

bool scene_break(struct scene *s) {
    return next_batch(s, true);
}

/* ---- calls and clears ---- */

/* Returns the estimated output of one primitive, in primitives. A patch may make 8192 triangles;
 * most patches make far fewer. */
static uint32_t output_factor(const struct draw *d) {
    enum { PATCH_FACTOR = 512 };
    if (d->tessellation)
        return PATCH_FACTOR;
    return d->geometry && d->geometry->max_vertices > 1 ? d->geometry->max_vertices : 1;
}

/* Returns the number of primitives in a chunk. If geometry or tessellation programs may emit many
 * primitives, chunks are smaller: that bounds memory, and chunks of all draws take about equally
 * long. */
static uint32_t chunk_primitives(const struct draw *d) {
    const uint32_t n = CHUNK_PRIMITIVES * 2 / output_factor(d);
    return n > CHUNK_PRIMITIVES ? CHUNK_PRIMITIVES : n < LANES ? LANES : n;
}

/* Runs the task that is being filled on this thread, before the next task: primitives of ordered
 * draws depend on the primitives before them. */
static void run_ordered(struct scene *s, struct stream_state *stream) {
    struct backlog b;
    struct task *g = submit_task(s, true, &b);
    if (!s->worker[0].front)
        s->worker[0].front = front_create();
    struct front *f = s->worker[0].front;
    if (f)
        front_set_stream(f, stream);
    task_run(s, g, 0);
    if (f)
        front_get_stream(f, stream);
    pthread_mutex_lock(&s->lock);
    g->done = true;
    scene_advance(s, 0);
    pthread_mutex_unlock(&s->lock);
    if (b.behind)
        scene_help(s, half_done);
}

/* True if b draws the same vertices as a, as the next instances. */
static bool is_again(const struct draw_call *a, const struct draw_call *b) {
    return a->draw == b->draw && !memcmp(&a->env, &b->env, sizeof a->env) &&
           a->index_size == b->index_size && a->index == b->index &&
           a->index_limit == b->index_limit && a->base == b->base && !a->flagged && !b->flagged &&
           !a->range && !b->range && !memcmp(&a->only, &b->only, sizeof a->only) &&
           a->instance + a->instance_count == b->instance;
}

bool scene_add_instances(struct scene *s, const struct draw_call *call) {
    struct draw_call *last = s->last_call;
    const uint64_t total = (uint64_t)call->primitives * call->instance_count;
    if (!last || !is_again(last, call))
        return false;
    struct chunk *k = joined_chunk(s, call, total, chunk_primitives(call->draw));
    if (!k)
        return false;
    last->instance_count += call->instance_count;
    s->filling->piece[s->filling->piece_count - 1].count += (uint32_t)total;
    k->count += (uint32_t)total;
    add_weight(s, total * output_factor(call->draw));
    return true;
}

bool scene_call(struct scene *s, struct draw_call *call, struct stream_state *stream) {
    const uint64_t total = (uint64_t)call->primitives * call->instance_count;
    const uint32_t step = chunk_primitives(call->draw);
    const bool ordered = call->draw->ordered;
    if (ordered && s->filling)
        submit_for_threads(s, false);
    for (uint64_t at = 0; at < total; at += step) {
        struct chunk *k = joined_chunk(s, call, total, step);
        if (!k && !(k = new_chunk(s, call)))
            return false;
        const uint32_t count = total - at < step ? (uint32_t)(total - at) : step;
        add_piece(s, k, call, at, count);
        s->last_call = count == total ? call : NULL;
        if (ordered)
            run_ordered(s, stream);
        else
            add_weight(s, (uint64_t)count * output_factor(call->draw));
    }
    return true;
}

bool scene_clear(struct scene *s, const struct raster_clear *clear) {
    if (clear->rect.x0 >= clear->rect.x1 || clear->rect.y0 >= clear->rect.y1)
        return true;
    struct raster_clear *copy = scene_alloc(s, sizeof *copy);
    struct work_item *i = copy ? new_item(s) : NULL;
    if (!i) {
        scene_note_oom(s);
        return false;
    }
    *copy = *clear;
    i->clear = copy;
    add_weight(s, 0);
    return true;
}

/* ---- results ---- */

static bool is_idle(const struct scene *s) {
    return !s->first && !s->collecting->used && !s->drawing;
}

bool scene_empty(struct scene *s) {
    pthread_mutex_lock(&s->lock);
    const bool empty = !s->filling && is_idle(s);
    pthread_mutex_unlock(&s->lock);
    return empty;
}

void scene_flush(struct scene *s) {
    const uint64_t began = has_work(s) || s->first ? timeline_begin() : 0;
    struct backlog b;
    if (s->filling)
        submit_task(s, false, &b);
    pthread_mutex_lock(&s->lock);
    s->draw_all = true;
    const bool many = s->runnable && s->runnable->next;
    pthread_mutex_unlock(&s->lock);
    if (scene_workers(s) && many)
        workers_wake(s->workers, 1);
    scene_help(s, is_idle);
    pthread_mutex_lock(&s->lock);
    s->draw_all = false;
    pthread_mutex_unlock(&s->lock);
    scene_take_errors(s);
    marks_settle(s);
    batches_drop(s);
    if (timeline_on) {
        const char *cause = timeline_take_cause("a result is wanted");
        timeline_end(TIMELINE_FLUSH, began, 0, 0, cause);
    }
}

void scene_set_alone(struct scene *s, bool alone) {
    pthread_mutex_lock(&s->lock);
    s->alone = alone;
    pthread_mutex_unlock(&s->lock);
}

void scene_share_tiles(struct scene *s, const struct work_observer *share) {
    const uint32_t shares = share ? share->shares : 1;
    if (shares == s->shares)
        return;
    scene_flush(s);
    s->share = share ? share->share : 0;
    s->shares = shares;
}

void scene_finish_front(struct scene *s) {
    struct backlog b;
    if (s->filling)
        submit_task(s, false, &b);
    scene_help_front(s);
}

void scene_watch(struct scene *s, const struct pixel_watch *watch) {
    scene_flush(s);
    s->watch = watch;
}
