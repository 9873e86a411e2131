/* Threads of a page. A browser starts a thread (a worker) only when the page's program returns, so
 * all threads are made when the machine starts, and kept. pthread_create() of the machine gives a
 * function to a kept thread, and pthread_join() waits for the function's end (the linker wraps
 * both). A machine without threads is built without this code. */
#if defined(__EMSCRIPTEN_PTHREADS__)

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

int __real_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *self);
int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *self);
int __wrap_pthread_join(pthread_t thread, void **result);

enum { MOST_THREADS = 64 };

struct kept_thread {
    pthread_t thread;
    bool used;
    void *(*run)(void *); /* NULL: the last function has ended */
    void *self, *result;
};

static struct kept_thread kept[MOST_THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;

static void *run_kept(void *self) {
    struct kept_thread *t = self;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!t->run)
            pthread_cond_wait(&begin, &lock);
        void *(*const run)(void *) = t->run;
        pthread_mutex_unlock(&lock);
        void *const result = run(t->self);
        pthread_mutex_lock(&lock);
        t->result = result;
        t->run = NULL;
        pthread_cond_broadcast(&end);
    }
    return NULL;
}

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *self) {
    struct kept_thread *t = kept;
    int code = 0;
    pthread_mutex_lock(&lock);
    while (t < kept + MOST_THREADS && t->used)
        t++;
    if (t == kept + MOST_THREADS ||
        (!t->thread && (code = __real_pthread_create(&t->thread, attributes, run_kept, t)))) {
        pthread_mutex_unlock(&lock);
        return code ? code : EAGAIN;
    }
    t->used = true;
    t->run = run;
    t->self = self;
    *out = t->thread;
    pthread_cond_broadcast(&begin);
    pthread_mutex_unlock(&lock);
    return 0;
}

int __wrap_pthread_join(pthread_t thread, void **result) {
    struct kept_thread *t = kept;
    pthread_mutex_lock(&lock);
    while (t < kept + MOST_THREADS && !(t->used && t->thread == thread))
        t++;
    while (t < kept + MOST_THREADS && t->run)
        pthread_cond_wait(&end, &lock);
    if (t < kept + MOST_THREADS) {
        t->used = false;
        if (result)
            *result = t->result;
    }
    pthread_mutex_unlock(&lock);
    return t < kept + MOST_THREADS ? 0 : ESRCH;
}

#endif
