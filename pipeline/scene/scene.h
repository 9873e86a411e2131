/* A scene: draws and clears on their way to pixels, and the threads that make them. In: calls and
 * clears in order, into one set of targets after the other. They are cut into groups that threads
 * run up to binned primitives (front.h) while more are queued; then threads take tiles and walk what
 * was binned there in order. What goes into other targets follows when the tiles of the targets
 * before it are drawn, without anybody waiting. Nothing depends on which worker did what. Knows no
 * API and no methods; belongs to one context.
 */
#ifndef PIPELINE_SCENE_H
#define PIPELINE_SCENE_H

#include "base/profile.h"
#include "base/workers.h"
#include "pipeline/front/front.h"

struct scene;

struct scene *scene_create(tp_device *device);
void scene_destroy(struct scene *s);

/* Makes these the targets of what follows (NULL: those that are); may begin another epoch. False when
 * out of memory. */
bool scene_set_targets(struct scene *s, const struct raster_targets *targets);
/* The targets as draws of this epoch refer to them. */
const struct raster_targets *scene_targets(const struct scene *s);
/* What follows is drawn when all pixels of what was queued so far are in memory: fragment programs
 * may read them. Begins another epoch. False when out of memory. */
bool scene_break(struct scene *s);
/* Memory that lives until what is queued in this epoch is done; NULL when there is none. */
void *scene_alloc(struct scene *s, size_t size);
/* Keeps a program alive as long. False when out of memory. */
bool scene_keep(struct scene *s, struct program *p);
/* Epochs are numbers of one clock that only moves on: the scene begins one with each batch, and its owner may take
 * one for an event of its own. The epoch that the scene is in: new draws must not refer to what was captured in an
 * older one. */
uint64_t scene_epoch(const struct scene *s);
/* The oldest epoch that a queued draw still refers to. Captured data of earlier epochs can be freed. */
uint64_t scene_oldest_epoch(const struct scene *s);
/* The number given last, and a new one. */
uint64_t scene_now(const struct scene *s);
uint64_t scene_tick(struct scene *s);
/* What is queued in this epoch needs so many bytes that are not scene_alloc's: they count among them. */
void scene_charge(struct scene *s, size_t bytes);
/* Queues; false when out of memory. A call with stream out runs its front half at once, its
 * buffers' offsets are updated. */
bool scene_call(struct scene *s, struct draw_call *call, struct stream_state *stream);
/* If the call is nothing but more instances of the one queued last, which nobody has begun, queues them
 * as such and returns true. */
bool scene_add_instances(struct scene *s, const struct draw_call *call);
bool scene_clear(struct scene *s, const struct raster_clear *clear);

/* Remembers that queued work reads this memory. */
void scene_reads(struct scene *s, uint64_t address, uint64_t size);
bool scene_is_read(struct scene *s, uint64_t address, uint64_t size);
/* Remembers that only the front end of queued work reads this memory (vertices, indices). */
void scene_fetches(struct scene *s, uint64_t address, uint64_t size);
/* Whether one may still do so. */
bool scene_is_fetched(struct scene *s, uint64_t address, uint64_t size);
/* Takes everything queued through the front end; of pixels as many as come of it. */
void scene_finish_front(struct scene *s);
/* Remembers that queued work writes this memory (targets). */
void scene_writes(struct scene *s, uint64_t address, uint64_t size);
bool scene_is_written(struct scene *s, uint64_t address, uint64_t size);
/* Whether a draw queued now might be drawn together with what writes this memory. */
bool scene_sequence_writes(struct scene *s, uint64_t address, uint64_t size);

/* Nothing is queued. */
bool scene_empty(struct scene *s);
/* Everything queued becomes pixels; begins another epoch. */
void scene_flush(struct scene *s);
/* Calls fn for index 0 .. count - 1, in any order, on all of the scene's threads as they have time
 * beside what is queued; worker: 0 (the caller) to threads - 1. Returns when all are done. */
void scene_share(struct scene *s, enum stage stage, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);

/* Watches pixels from now on (NULL: none); flushes. The watch stays the caller's. */
void scene_watch(struct scene *s, const struct pixel_watch *watch);

/* The place in the queue behind everything that is in it: a number for scene_samples. */
uint64_t scene_mark(struct scene *s);
/* Samples passed by what was queued before the place, since scene_create: flush first. */
uint64_t scene_samples(const struct scene *s, uint64_t mark);
/* After a flush: nobody will ask for places marked so far. */
void scene_forget_marks(struct scene *s);

/* What has been counted since scene_create: flush first. */
struct scene_totals {
    struct front_counters front;
    struct raster_counters raster;
};
void scene_get_totals(const struct scene *s, struct scene_totals *totals);
/* The front end's alone: scene_finish_front is enough before. */
void scene_get_front(const struct scene *s, struct front_counters *totals);
/* The calling thread's profile; NULL while the scene is not measured. */
struct profile *scene_profile(struct scene *s);
/* What was spent in each stage since the last call, by all threads, in nanoseconds; flushes. The
 * first call begins the measurement and gives zeros. */
struct scene_profile {
    uint64_t elapsed; /* by the clock */
    uint64_t time[STAGES], count[STAGES];
};
void scene_take_profile(struct scene *s, struct scene_profile *profile);
/* The first program failure since the last call, if any; and whether memory ran out. */
bool scene_take_trap(struct scene *s, struct trap *trap);
bool scene_take_oom(struct scene *s);

#endif
