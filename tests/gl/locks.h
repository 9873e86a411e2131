/* Watches the locks of a program and of the libraries below it: only the owner of a lock unlocks it
 * or waits with it, and few waits start after their time limit. In: calls of pthread_mutex_* and
 * pthread_cond_*; the program's definitions take precedence (-rdynamic). Out: lock_faults and
 * late_waits, which summary() reports. Include this file before verdicts.h. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_uint lock_faults, timed_waits, late_waits;
static _Thread_local struct {
    const pthread_mutex_t *mutex[16];
    int count;
} held;

#define NEXT_LOCK(name)                                                                            \
    static __typeof__(name) *next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

static int place_of_lock(const pthread_mutex_t *m) {
    for (int i = held.count - 1; i >= 0; i--)
        if (held.mutex[i] == m)
            return i;
    lock_faults++;
    return -1;
}

int pthread_mutex_lock(pthread_mutex_t *m) {
    NEXT_LOCK(pthread_mutex_lock);
    const int result = next(m);
    if (held.count < 16)
        held.mutex[held.count++] = m;
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *m) {
    NEXT_LOCK(pthread_mutex_unlock);
    const int at = place_of_lock(m);
    if (at >= 0)
        held.mutex[at] = held.mutex[--held.count];
    return next(m);
}

int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    NEXT_LOCK(pthread_cond_wait);
    place_of_lock(m);
    return next(c, m);
}

/* A time limit must lie at most a few seconds ahead. A limit that has passed is counted; summary()
 * allows passed limits in some of the waits. */
static void note_time(const struct timespec *until) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const double ahead =
        (double)(until->tv_sec - now.tv_sec) + (double)(until->tv_nsec - now.tv_nsec) / 1e9;
    lock_faults += until->tv_nsec < 0 || until->tv_nsec > 999999999 || ahead > 4 || ahead < -30;
    timed_waits++;
    late_waits += ahead <= 0;
}

int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    NEXT_LOCK(pthread_cond_timedwait);
    place_of_lock(m);
    note_time(until);
    return next(c, m, until);
}
