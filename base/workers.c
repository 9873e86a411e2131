/* Worker threads. A thread asks a source for work until the source has none, then sleeps until it
 * is woken. A thread may also take part in a loop: one atomic counter hands out the indices of the
 * loop. In: functions. Out: work done. Knows nothing of the work.
 */
#include "base/workers.h"

#include "base/threads.h"
#include "base/timeline.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
    struct workers *pool;
    int number;
    pthread_t thread;
};

struct workers {
    int threads;
    bool (*source)(void *, int);
    void *source_self;
    pid_t owner;          /* the process that has these threads; a child of fork has none */
    pthread_mutex_t run;  /* held during a loop: one loop at a time */
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t start, done;
    uint64_t wakes; /* calls of workers_wake(): when it has changed, threads ask the source again */
    uint32_t asleep;
    uint64_t loop; /* number of the current loop: a free thread joins each loop once */
    int busy;      /* threads in the loop, without the caller */
    bool quit;
    void (*fn)(void *, uint32_t, int);
    void *self;
    uint32_t count;
    _Atomic uint64_t next;
    struct worker worker[]; /* [0] is the calling thread */
};

static void take_indices(struct workers *w, int number) {
    const uint64_t began = timeline_begin();
    uint64_t i;
    while ((i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->count)
        w->fn(w->self, (uint32_t)i, number);
    timeline_end(TIMELINE_SHARE, began, w->count, 0, NULL);
}

/* Takes indices of the loop while there are any. The caller holds the lock; the function releases
 * the lock meanwhile. */
static void join_loop(struct workers *w, int number) {
    if (atomic_load_explicit(&w->next, memory_order_relaxed) >= w->count)
        return;
    w->busy++;
    pthread_mutex_unlock(&w->lock);
    take_indices(w, number);
    pthread_mutex_lock(&w->lock);
    if (--w->busy == 0)
        pthread_cond_signal(&w->done);
}

static void *worker_main(void *arg) {
    struct worker *me = arg;
    struct workers *w = me->pool;
    uint64_t loop = 0, wakes = 0;
    timeline_thread("worker", me->number);
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        if (w->loop != loop) {
            loop = w->loop;
            join_loop(w, me->number);
        } else if (w->wakes != wakes) {
            wakes = w->wakes;
            pthread_mutex_unlock(&w->lock);
            const uint64_t began = timeline_begin();
            while (w->source(w->source_self, me->number))
                if (__atomic_load_n(&w->loop, __ATOMIC_RELAXED) != loop) {
                    wakes--; /* the source may have more work */
                    break;
                }
            timeline_end(TIMELINE_WORK, began, 0, 0, NULL);
            pthread_mutex_lock(&w->lock);
        } else {
            const uint64_t began = timeline_begin();
            w->asleep++;
            pthread_cond_wait(&w->start, &w->lock);
            w->asleep--;
            timeline_end(TIMELINE_SLEEP, began, 0, 0, NULL);
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct workers *workers_create(int threads, bool (*source)(void *self, int worker), void *self) {
    if (threads < 1 || threads > 1024)
        return NULL;
    struct workers *w = calloc(1, sizeof *w + (size_t)threads * sizeof w->worker[0]);
    if (!w)
        return NULL;
    pthread_mutex_init(&w->run, NULL);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->start, NULL);
    pthread_cond_init(&w->done, NULL);
    w->source = source;
    w->source_self = self;
    w->threads = 1;
    w->owner = getpid();
    for (int i = 1; i < threads; i++) {
        w->worker[i] = (struct worker){.pool = w, .number = i};
        if (thread_start(&w->worker[i].thread, worker_main, &w->worker[i]) != 0) {
            workers_destroy(w);
            return NULL;
        }
        w->threads++;
    }
    return w;
}

void workers_destroy(struct workers *w) {
    if (!w)
        return;
    /* A child of fork has no threads, but pthread_cond_destroy() would wait for the parent's. */
    if (w->owner == getpid()) {
        pthread_mutex_lock(&w->lock);
        w->quit = true;
        pthread_cond_broadcast(&w->start);
        pthread_mutex_unlock(&w->lock);
        for (int i = 1; i < w->threads; i++)
            pthread_join(w->worker[i].thread, NULL);
        pthread_cond_destroy(&w->start);
        pthread_cond_destroy(&w->done);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->run);
    free(w);
}

/* Wakes up to `portions` sleeping threads. The caller holds the lock. */
static void wake_sleepers(struct workers *w, uint32_t portions) {
    if (portions >= w->asleep)
        pthread_cond_broadcast(&w->start);
    for (uint32_t i = 0; i < portions && portions < w->asleep; i++)
        pthread_cond_signal(&w->start);
}

void workers_wake(struct workers *w, uint32_t portions) {
    if (w->owner != getpid())
        return;
    pthread_mutex_lock(&w->lock);
    w->wakes++;
    wake_sleepers(w, portions);
    pthread_mutex_unlock(&w->lock);
}

void workers_run(struct workers *w, uint32_t count, void (*fn)(void *, uint32_t, int), void *self) {
    pthread_mutex_lock(&w->run);
    pthread_mutex_lock(&w->lock);
    w->fn = fn;
    w->self = self;
    w->count = count;
    atomic_store_explicit(&w->next, 0, memory_order_relaxed);
    if (count > 1 && w->threads > 1 && w->owner == getpid()) {
        __atomic_store_n(&w->loop, w->loop + 1, __ATOMIC_RELAXED);
        wake_sleepers(w, count - 1);
    }
    pthread_mutex_unlock(&w->lock);
    take_indices(w, 0);
    const uint64_t began = timeline_begin();
    pthread_mutex_lock(&w->lock);
    while (w->busy)
        pthread_cond_wait(&w->done, &w->lock);
    pthread_mutex_unlock(&w->lock);
    timeline_end(TIMELINE_WAIT, began, 0, 0, "threads of a loop");
    pthread_mutex_unlock(&w->run);
}
