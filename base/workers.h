/* Worker threads: a fixed set that sleeps when there is nothing to do. They take work in two ways:
 * from a source, piece by piece, while the owner goes on with something else; or all indices of a
 * loop, while the owner waits.
 */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

struct workers;

/* threads >= 1 in total, the calling one included (1 = no thread is made). source(self, worker) does
 * one piece of work on a thread 1..threads-1, or returns false if there is none now; NULL: there is
 * no source. NULL on failure. */
struct workers *workers_create(int threads, bool (*source)(void *self, int worker), void *self);
void workers_destroy(struct workers *w); /* NULL is fine */
int workers_count(const struct workers *w);
/* The source has work for so many threads: as many as sleep are woken. */
void workers_wake(struct workers *w, uint32_t pieces);
/* Calls fn(self, index, worker) for index in 0..count-1, each once, in any order, on worker threads
 * 0..threads-1 (worker 0 is the caller); returns when all are done. A thread that has a piece of the
 * source's work ends that first, then comes to help if there still is something to do. In a child of
 * fork, which has no other thread, the caller does everything. */
void workers_run(struct workers *w, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);

#endif
