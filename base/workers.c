/* Worker threads: a fixed set of threads that sleep between jobs; indices of a job are handed out
 * by one atomic counter. In: a function and a count. Out: every index done. Knows nothing of the
 * work.
 */
#include "base/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
    struct workers *pool;
    int number;
    pthread_t thread;
};

struct workers {
    int threads;
    pthread_mutex_t run;  /* one job at a time */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t start, done;
    uint64_t job; /* number of the current job; a change wakes the threads */
    int busy;     /* threads that have not finished the current job */
    bool quit;
    void (*fn)(void *, uint32_t, int);
    void *self;
    uint32_t count;
    _Atomic uint64_t next;
    struct worker worker[]; /* [0] is the calling thread */
};

static void work(struct workers *w, int number) {
    uint64_t i;
    while ((i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->count)
        w->fn(w->self, (uint32_t)i, number);
}

static void *worker_main(void *arg) {
    struct worker *me = arg;
    struct workers *w = me->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->job == seen && !w->quit)
            pthread_cond_wait(&w->start, &w->lock);
        if (w->quit)
            break;
        seen = w->job;
        pthread_mutex_unlock(&w->lock);
        work(w, me->number);
        pthread_mutex_lock(&w->lock);
        if (--w->busy == 0)
            pthread_cond_signal(&w->done);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct workers *workers_create(int threads) {
    if (threads < 1 || threads > 1024)
        return NULL;
    struct workers *w = calloc(1, sizeof *w + (size_t)threads * sizeof w->worker[0]);
    if (!w)
        return NULL;
    pthread_mutex_init(&w->run, NULL);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->start, NULL);
    pthread_cond_init(&w->done, NULL);
    w->threads = 1;
    for (int i = 1; i < threads; i++) {
        w->worker[i] = (struct worker){.pool = w, .number = i};
        if (pthread_create(&w->worker[i].thread, NULL, worker_main, &w->worker[i]) != 0) {
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
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_broadcast(&w->start);
    pthread_mutex_unlock(&w->lock);
    for (int i = 1; i < w->threads; i++)
        pthread_join(w->worker[i].thread, NULL);
    pthread_cond_destroy(&w->start);
    pthread_cond_destroy(&w->done);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->run);
    free(w);
}

int workers_count(const struct workers *w) {
    return w->threads;
}

void workers_run(struct workers *w, uint32_t count, void (*fn)(void *, uint32_t, int), void *self) {
    pthread_mutex_lock(&w->run);
    pthread_mutex_lock(&w->lock);
    w->fn = fn;
    w->self = self;
    w->count = count;
    atomic_store_explicit(&w->next, 0, memory_order_relaxed);
    if (count > 1 && w->threads > 1) {
        w->busy = w->threads - 1;
        w->job++;
        pthread_cond_broadcast(&w->start);
    }
    pthread_mutex_unlock(&w->lock);
    work(w, 0);
    pthread_mutex_lock(&w->lock);
    while (w->busy)
        pthread_cond_wait(&w->done, &w->lock);
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_unlock(&w->run);
}
