/* The work of a scene's frames for the model of N threads, out of the time line of one thread. In: events
 * (base/timeline.h). Out: times on N threads. Left out: the caller's own time outside of draws, copies, grids.
 */
#ifndef BENCH_MODEL_EVENTS_H
#define BENCH_MODEL_EVENTS_H

#include "base/timeline.h"
#include "bench/threads_model.h"

struct model_events;

/* Models one thread, and this many. NULL: out of memory. */
struct model_events *model_events_new(int threads);
/* Takes the next event, in the order of their ends; for timeline_visit(). */
void model_events_take(void *events, const struct timeline_view *event);
/* Writes the sums over all frames, and frees `events`. False: out of memory. */
bool model_events_end(struct model_events *events, struct model_time *one, struct model_time *many);

#endif
