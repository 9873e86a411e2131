/* A scene: the queue of draws and clears of one context, and the threads that draw them. In: calls
 * and clears in order, into one set of targets after the other. The scene cuts them into tasks that
 * threads take through the front end (front/front.h) while more calls are queued; then threads take
 * tiles and draw the tile lists in order. Draws into other targets follow when the tiles before
 * them are drawn; the calling thread does not wait for that. Results do not depend on the number of
 * threads. Must not know the API or methods.
 */
#pragma once

#include "base/workers.h"
#include "pipeline/front/front.h"

struct scene;

struct scene *scene_create(tp_device *device);
void scene_destroy(struct scene *s);

/* Sets the targets of the following draws (NULL: keeps the targets); may begin another epoch. False
 * when out of memory. */
bool scene_set_targets(struct scene *s, const struct raster_targets *targets);
/* The targets of draws in this epoch. */
const struct raster_targets *scene_targets(const struct scene *s);
/* The following draws begin a tile pass of their own: their fragment programs may read all pixels
 * that were queued before. Begins another epoch. False when out of memory. */
bool scene_break(struct scene *s);
/* Returns memory that is valid until the draws of this epoch are done; NULL when out of memory. */
void *scene_alloc(struct scene *s, size_t size);
/* Keeps a program alive until the draws of this epoch are done. False when out of memory. */
bool scene_keep(struct scene *s, struct program *p);
/* Epochs are numbers of one clock that only advances. The scene begins an epoch with each batch and
 * flush, and its owner may begin one for an event of its own (scene_tick()). This function returns
 * the epoch of the scene's own that it is in. New draws must not refer to data that was captured in
 * an older epoch. */
uint64_t scene_epoch(const struct scene *s);
/* The oldest epoch that a queued draw still refers to. Captured data of earlier epochs can be
 * freed. */
uint64_t scene_oldest_epoch(const struct scene *s);
/* Draws of the present tile pass refer only to this epoch and to later ones. */
uint64_t scene_sequence_epoch(const struct scene *s);
/* scene_now() returns the newest epoch. scene_tick() begins an epoch for an event of the owner, and
 * returns it. */
uint64_t scene_now(const struct scene *s);
uint64_t scene_tick(struct scene *s);
/* Counts bytes that the draws of this epoch need in addition to the memory of scene_alloc(). */
void scene_charge(struct scene *s, size_t bytes);
/* Queues a call. False when out of memory. An ordered call goes through the front end at once, and
 * *stream receives the new offsets of its stream buffers. */
bool scene_call(struct scene *s, struct draw_call *call, struct stream_state *stream);
/* If the call draws only the next instances of the call queued last, and that call is still in the
 * task that is being filled, adds the instances to that call and returns true. */
bool scene_add_instances(struct scene *s, const struct draw_call *call);
bool scene_clear(struct scene *s, const struct raster_clear *clear);

/* Notes that queued draws read this memory. */
void scene_reads(struct scene *s, uint64_t address, uint64_t size);
/* Notes that only the front end of queued draws reads this memory (vertices, indices). */
void scene_fetches(struct scene *s, uint64_t address, uint64_t size);
/* Notes that queued draws write this memory (targets). */
void scene_writes(struct scene *s, uint64_t address, uint64_t size);
/* Returns the accesses that queued draws may still make to this memory, a bit each. SCENE_FETCHES
 * stays set after the front end has run, until the draws are drawn: a draw that uses captured
 * arrays again does not note their ranges a second time. */
enum scene_use { SCENE_READS = 1, SCENE_WRITES = 2, SCENE_FETCHES = 4 };
uint32_t scene_uses(struct scene *s, uint64_t address, uint64_t size);
/* Takes all queued draws through the front end. Their pixels may be drawn later. */
void scene_finish_front(struct scene *s);
/* True if a draw queued now could share a tile pass with draws that write this memory. */
bool scene_sequence_writes(struct scene *s, uint64_t address, uint64_t size);

bool scene_empty(struct scene *s);
/* Draws all queued work; begins another epoch. */
void scene_flush(struct scene *s);
/* alone: the calling thread draws all tiles of later work, so that their order is the same for any
 * number of threads. To be called when nothing is queued. */
void scene_set_alone(struct scene *s, bool alone);
/* From now on only the rows of tiles of this observer's share are drawn; NULL: all rows. Flushes if
 * the number of shares changes. If the number is equal, the scene keeps the share that it has. */
struct work_observer;
void scene_share_tiles(struct scene *s, const struct work_observer *share);
/* Calls fn for index 0 .. count - 1, in any order, on the scene's threads, while queued work goes
 * on. worker: 0 (the calling thread) to threads - 1. Returns when all calls have returned. */
void scene_share(struct scene *s, enum stage stage, uint32_t count,
                 void (*fn)(void *self, uint32_t index, int worker), void *self);

/* Flushes and sets the pixel watch (NULL: none). The caller still owns the watch. */
void scene_watch(struct scene *s, const struct pixel_watch *watch);

/* Sets a mark at the end of the queue. Returns the mark's number for scene_samples(). */
uint64_t scene_mark(struct scene *s);
/* Returns the samples that passed in draws before the mark, since scene_create(). To be called
 * after a flush. */
uint64_t scene_samples(const struct scene *s, uint64_t mark);
/* Forgets all marks so far. To be called after a flush. */
void scene_forget_marks(struct scene *s);

/* Counters since scene_create(). To be called after a flush. */
struct scene_totals {
    struct front_counters front;
    struct raster_counters raster;
};
void scene_get_totals(const struct scene *s, struct scene_totals *totals);
/* Counters of the front end alone. To be called after scene_finish_front(). */
void scene_get_front(const struct scene *s, struct front_counters *totals);
/* The calling thread's profile; NULL while the scene is not measured. */
struct profile *scene_profile(struct scene *s);
/* Flushes, then returns the nanoseconds that all threads spent in each stage since the last call.
 * The first call begins the measurement and returns zeros. */
struct scene_profile {
    uint64_t elapsed; /* time by the clock */
    uint64_t time[STAGES], count[STAGES];
};
void scene_take_profile(struct scene *s, struct scene_profile *profile);
/* Returns the first program failure since the last call in *trap; false if there was none. */
bool scene_take_trap(struct scene *s, struct trap *trap);
/* True if memory ran out since the last call. */
bool scene_take_oom(struct scene *s);
