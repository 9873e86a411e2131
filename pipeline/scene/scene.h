/* A scene: draws and clears that wait for their pixels, and the threads that make them. In: calls
 * and clears in order, into one set of targets. Calls are cut into chunks that workers run up to
 * binned primitives (front.h); then workers take tiles and walk what was binned there in order.
 * Nothing depends on which worker did what. Knows no API and no methods; belongs to one context.
 */
#ifndef PIPELINE_SCENE_H
#define PIPELINE_SCENE_H

#include "base/workers.h"
#include "pipeline/front/front.h"

struct scene;

struct scene *scene_create(tp_device *device);
void scene_destroy(struct scene *s);

/* Makes these the targets of what follows; runs what is queued for others. False when out of
 * memory. */
bool scene_set_targets(struct scene *s, const struct raster_targets *targets);
/* The targets as draws refer to them; constant until the next scene_flush. */
const struct raster_targets *scene_targets(const struct scene *s);
/* Memory that lives until the next flush; NULL when there is none. */
void *scene_alloc(struct scene *s, size_t size);
/* True when so much is queued that a flush should come before the next call. */
bool scene_full(const struct scene *s);
/* Keeps a program alive until the next flush. False when out of memory. */
bool scene_keep(struct scene *s, struct program *p);
/* Queues; false when out of memory. A call with stream out runs its front half at once, its
 * buffers' offsets are updated. */
bool scene_call(struct scene *s, const struct call *call, struct stream_state *stream);
bool scene_clear(struct scene *s, const struct raster_clear *clear);

/* Remembers that queued work reads this memory. */
void scene_reads(struct scene *s, uint64_t address, uint64_t size);
bool scene_is_read(const struct scene *s, uint64_t address, uint64_t size);
/* Remembers that queued work writes this memory (targets). */
void scene_writes(struct scene *s, uint64_t address, uint64_t size);
bool scene_is_written(const struct scene *s, uint64_t address, uint64_t size);

bool scene_empty(const struct scene *s);
/* Counts flushes: captures of an older epoch are gone. */
uint64_t scene_epoch(const struct scene *s);
void scene_flush(struct scene *s);
/* The scene's threads, made now if need be; NULL when there is only the caller's. */
struct workers *scene_workers(struct scene *s);

/* What has been counted since scene_create: flush first. */
struct scene_totals {
    struct front_counters front;
    struct raster_counters raster;
};
void scene_get_totals(const struct scene *s, struct scene_totals *totals);
/* The first program failure since the last call, if any; and whether memory ran out. */
bool scene_take_trap(struct scene *s, struct trap *trap);
bool scene_take_oom(struct scene *s);

#endif
