/* Worker threads: a fixed set that sleeps when there is no work. Work comes in two ways: from a
 * source, one portion at a time, while the owner continues; or as the indices of a loop, while the
 * owner waits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct workers;

/* threads: 1 to 1024, the calling thread included (1: none is made). source(self, worker) does
 * one portion of work on a thread 1..threads-1, or returns false if there is no work now; source
 * may be NULL. Returns NULL on failure. */
struct workers *workers_create(int threads, bool (*source)(void *self, int worker), void *self);
void workers_destroy(struct workers *w); /* w may be NULL */
/* Wakes up to `portions` sleeping threads: the source has that many portions of work. */
void workers_wake(struct workers *w, uint32_t portions);
/* Calls fn(self, index, worker) for index in 0..count-1, each once, in any order, on worker threads
 * 0..threads-1 (worker 0 is the caller); returns when all calls have returned. A thread that works
 * for the source finishes its portion first, then joins if indices are left. In a child of fork,
 * which has no other thread, the caller runs all indices. */
void workers_run(struct workers *w, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);
