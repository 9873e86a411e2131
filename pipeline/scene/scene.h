/* A scene: the queue of draws and clears of one context, and the threads that draw them. In: calls
 * and clears in order, into one set of targets after the other. They are cut into tasks that
 * threads take through the front end (front/front.h) while more are queued; then threads take tiles
 * and draw the tile lists in order. Draws into other targets follow when the tiles before them are
 * drawn; the calling thread does not wait for that. Results do not depend on the number of threads.
 * Must not know the API or methods.
 */
#pragma once

#include "base/workers.h"
#include "pipeline/front/front.h"

struct scene;

struct scene *scene_create(tp_device *device);
void scene_destroy(struct scene *s);

/* Sets the targets of the following draws (NULL: keeps them); may begin another epoch. False when
 * out of memory. */
bool scene_set_targets(struct scene *s, const struct raster_targets *targets);
/* The targets of draws in this epoch. */
const struct raster_targets *scene_targets(const struct scene *s);
/* The following draws begin a tile pass of their own: their fragment programs may read all pixels
 * that were queued before. Begins another epoch. False when out of memory. */
bool scene_break(struct scene *s);
/* Memory that lives until the draws of this epoch are done; NULL when out of memory. */
void *scene_alloc(struct scene *s, size_t size);
/* Keeps a program alive until the draws of this epoch are done. False when out of memory. */
bool scene_keep(struct scene *s, struct program *p);
/* Epochs are numbers of one clock that only moves on. The scene begins an epoch with each batch and
 * flush, and its owner may take one for an event of its own. This function returns the epoch that
 * the scene is in. New draws must not refer to data that was captured in an older epoch. */
uint64_t scene_epoch(const struct scene *s);
/* The oldest epoch that a queued draw still refers to. Captured data of earlier epochs can be
 * freed. */
uint64_t scene_oldest_epoch(const struct scene *s);
/* Draws of the present tile pass refer to this epoch or to later ones. */
uint64_t scene_sequence_epoch(const struct scene *s);
/* scene_now(): the newest epoch. scene_tick(): begins an epoch for an event of the owner's. */
uint64_t scene_now(const struct scene *s);
uint64_t scene_tick(struct scene *s);
/* Counts bytes that the draws of this epoch need beside the memory of scene_alloc(). */
void scene_charge(struct scene *s, size_t bytes);
/* Queues a call; false when out of memory. An ordered call goes through the front end at once, and
 * *stream gets the new offsets of its stream buffers. */
bool scene_call(struct scene *s, struct draw_call *call, struct stream_state *stream);
/* If the call is only the next instances of the call queued last, and that call is still in the
 * task that is being filled, adds the instances to it and returns true. */
bool scene_add_instances(struct scene *s, const struct draw_call *call);
bool scene_clear(struct scene *s, const struct raster_clear *clear);

/* Notes that queued draws read this memory. */
void scene_reads(struct scene *s, uint64_t address, uint64_t size);
/* Notes that only the front end of queued draws reads this memory (vertices, indices). */
void scene_fetches(struct scene *s, uint64_t address, uint64_t size);
/* Notes that queued draws write this memory (targets). */
void scene_writes(struct scene *s, uint64_t address, uint64_t size);
/* The accesses that queued draws may still make to this memory. SCENE_FETCHES remains after the
 * front end has run, until the draws are drawn: a draw that uses captured arrays again does not add
 * their ranges a second time. */
enum scene_use { SCENE_READS = 1, SCENE_WRITES = 2, SCENE_FETCHES = 4 };
uint32_t scene_uses(struct scene *s, uint64_t address, uint64_t size);
/* Takes all queued draws through the front end. Their pixels may be drawn later. */
void scene_finish_front(struct scene *s);
/* True if a draw queued now could share a tile pass with draws that write this memory. */
bool scene_sequence_writes(struct scene *s, uint64_t address, uint64_t size);

bool scene_empty(struct scene *s);
/* Draws everything that is queued; begins another epoch. */
void scene_flush(struct scene *s);
/* alone: the calling thread draws all tiles of later work, so that their order is the same for any
 * number of threads. To be called while nothing is queued. */
void scene_set_alone(struct scene *s, bool alone);
/* From now on only the rows of tiles of this observer's share are drawn; NULL: all rows. Flushes if
 * the number of shares changes; with an equal number the share stays. */
struct work_observer;
void scene_share_tiles(struct scene *s, const struct work_observer *share);
/* Calls fn for index 0 .. count - 1, in any order, on the scene's threads beside queued work.
 * worker: 0 (the calling thread) to threads - 1. Returns when all calls have returned. */
void scene_share(struct scene *s, enum stage stage, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);

/* Sets the pixel watch (NULL: none); flushes. The watch stays the caller's. */
void scene_watch(struct scene *s, const struct pixel_watch *watch);

/* Sets a mark at the end of the queue. Returns its number for scene_samples(). */
uint64_t scene_mark(struct scene *s);
/* Samples that passed in draws before the mark, since scene_create(). Call it after a flush. */
uint64_t scene_samples(const struct scene *s, uint64_t mark);
/* Forgets all marks so far. Call it after a flush. */
void scene_forget_marks(struct scene *s);

/* Counters since scene_create(). Call it after a flush. */
struct scene_totals {
    struct front_counters front;
    struct raster_counters raster;
};
void scene_get_totals(const struct scene *s, struct scene_totals *totals);
/* Counters of the front end alone. Call it after scene_finish_front(). */
void scene_get_front(const struct scene *s, struct front_counters *totals);
/* The calling thread's profile; NULL while the scene is not measured. */
struct profile *scene_profile(struct scene *s);
/* Nanoseconds that all threads spent in each stage since the last call; flushes. The first call
 * begins the measurement and gives zeros. */
struct scene_profile {
    uint64_t elapsed; /* time by the clock */
    uint64_t time[STAGES], count[STAGES];
};
void scene_take_profile(struct scene *s, struct scene_profile *profile);
/* Gives the first program failure since the last call; false if there was none. */
bool scene_take_trap(struct scene *s, struct trap *trap);
/* True if memory ran out since the last call. */
bool scene_take_oom(struct scene *s);
