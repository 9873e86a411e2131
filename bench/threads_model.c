/* Simulates the schedule of a scene, event by event: see threads_model.h. A thread first takes
 * tiles of the current pass, then tasks in their order. A thread that ends a task merges the tasks
 * that are next in order, unless another thread merges. A pass begins when its tasks are merged and
 * the previous pass is drawn. Later tasks are merged only when the pass is drawn. */
#include "bench/threads_model.h"

#include <stdlib.h>

enum doing { NOTHING, CALLS, TASK, MERGE, TILE };

struct simulation {
    const struct model_work *w;
    int threads;
    double now;
    struct thread {
        enum doing doing;
        uint32_t item;
        double until;
    } thread[MODEL_THREADS];
    bool *done; /* [tasks] */
    uint32_t submitted, next_task, merged;
    uint32_t pass;            /* the current pass if `drawing`, else the next one */
    uint32_t next_tile, left; /* the current pass's next tile; its tiles that have not ended */
    bool merging, drawing;
    struct model_time *time;
};

static void begin(struct simulation *s, struct thread *t, enum doing doing, uint32_t item,
                  double length) {
    *t = (struct thread){doing, item, s->now + length};
    s->time->busy += length;
}

/* The caller works until it submits its next task, or until its end. */
static void call(struct simulation *s, uint32_t step) {
    const struct model_work *w = s->w;
    const double from = step ? w->ready[step - 1] : 0;
    begin(s, &s->thread[0], CALLS, step, (step < w->tasks ? w->ready[step] : w->caller) - from);
}

static void take_work(struct simulation *s, struct thread *t) {
    const struct model_work *w = s->w;
    if (s->drawing && s->next_tile < w->pass[s->pass].tiles) {
        const double length = w->tile[w->pass[s->pass].first_tile + s->next_tile];
        begin(s, t, TILE, s->next_tile++, length);
        s->time->longest_tile = length > s->time->longest_tile ? length : s->time->longest_tile;
    } else if (s->next_task < s->submitted) {
        const double length = w->task[s->next_task];
        begin(s, t, TASK, s->next_task++, length);
        s->time->longest_task = length > s->time->longest_task ? length : s->time->longest_task;
    }
}

/* Begins passes, or a merge by this thread. */
static void advance(struct simulation *s, struct thread *t) {
    const struct model_work *w = s->w;
    while (!s->merging) {
        const bool complete = s->pass < w->passes && s->merged >= w->pass[s->pass].after;
        if (complete && !s->drawing && w->pass[s->pass].tiles) {
            s->drawing = true;
            s->next_tile = 0;
            s->left = w->pass[s->pass].tiles;
        } else if (complete && !s->drawing) {
            s->pass++;
        } else if (!complete && s->merged < w->tasks && s->done[s->merged]) {
            s->merging = true;
            begin(s, t, MERGE, s->merged, w->merge[s->merged]);
        } else {
            return;
        }
    }
}

static void end(struct simulation *s, struct thread *t) {
    const enum doing doing = t->doing;
    t->doing = NOTHING;
    switch (doing) {
    case CALLS:
        if (t->item < s->w->tasks) {
            s->submitted++;
            call(s, t->item + 1);
        }
        break;
    case TASK:
        s->done[t->item] = true;
        advance(s, t);
        break;
    case MERGE:
        s->merging = false;
        s->merged++;
        advance(s, t);
        break;
    case TILE:
        if (--s->left)
            break;
        s->drawing = false;
        s->pass++;
        advance(s, t);
        break;
    case NOTHING:
        break;
    }
}

static enum model_cause cause(const struct simulation *s) {
    bool tasks = false;
    for (int i = 0; i < s->threads; i++)
        tasks |= s->thread[i].doing == TASK;
    return s->drawing                    ? MODEL_TILES
           : s->thread[0].doing == CALLS ? MODEL_DRAWS
           : tasks                       ? MODEL_FRONT
                                         : MODEL_MERGE;
}

/* Returns the thread whose item ends first; NULL: all threads are idle. */
static struct thread *first_to_end(struct simulation *s) {
    struct thread *first = NULL;
    for (struct thread *t = s->thread; t < s->thread + s->threads; t++)
        if (t->doing != NOTHING && (!first || t->until < first->until))
            first = t;
    return first;
}

bool model_add(const struct model_work *w, int threads, struct model_time *time) {
    struct simulation s = {.w = w, .threads = threads, .time = time};
    struct thread *t;
    s.done = calloc(w->tasks ? w->tasks : 1, sizeof *s.done);
    if (!s.done)
        return false;
    call(&s, 0);
    advance(&s, &s.thread[threads - 1]); /* passes that only have clears */
    while ((t = first_to_end(&s))) {
        int idle = 0;
        for (int i = 0; i < threads; i++)
            idle += s.thread[i].doing == NOTHING;
        time->idle[cause(&s)] += idle * (t->until - s.now);
        s.now = t->until;
        end(&s, t);
        for (int i = 0; i < threads; i++)
            if (s.thread[i].doing == NOTHING)
                take_work(&s, &s.thread[i]);
    }
    time->span += s.now;
    free(s.done);
    return true;
}

double model_idle_share(const struct model_time *t, int threads) {
    const double share = t->span > 0 ? 1 - t->busy / (t->span * threads) : 0;
    return share > 0 ? share : 0; /* rounding of the sums may make the share negative */
}
