/* Makes the input of the model of N threads from the timeline of a scene's frames on one thread.
 * In: events (base/timeline.h). Out: times on N threads. Left out: copies, grids, and the caller's
 * own time outside of draws. */
#pragma once

#include "base/timeline.h"
#include "bench/threads_model.h"

struct model_events;

/* Models one thread and this number of threads. NULL: out of memory. */
struct model_events *model_events_new(int threads);
/* Takes an event, for timeline_visit(); events come in the order of their ends. */
void model_events_take(void *events, const struct timeline_view *event);
/* Writes the sums over all frames and frees `events`. Returns false when out of memory. */
bool model_events_end(struct model_events *events, struct model_time *one, struct model_time *many);
