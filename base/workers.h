/* Worker threads: run one function for every index of a range, on all threads, and wait. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdint.h>

struct workers;

/* threads >= 1 in total, the calling one included (1 = no thread is made). NULL on failure. */
struct workers *workers_create(int threads);
void workers_destroy(struct workers *w);
int workers_count(const struct workers *w);
/* Calls fn(self, index, worker) for index in 0..count-1, each once, in any order, on worker threads
 * 0..count-1 (worker 0 is the caller); returns when all are done. */
void workers_run(struct workers *w, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);

#endif
