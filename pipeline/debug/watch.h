/* Somebody who watches pixels while a context draws: what happens to primitives in tiles (the probe),
 * which primitives they are, which of them never came so far, and how long tiles took. In: struct
 * pixel_watch, handed to context_watch. Costs one test a batch of primitives, one a tile and draw,
 * when nobody watches.
 */
#ifndef PIPELINE_DEBUG_WATCH_H
#define PIPELINE_DEBUG_WATCH_H

#include "raster/probe.h"

struct watched_vertex {
    uint32_t number; /* index, or what was emitted how-manieth, of a geometry program's */
    float clip[4];
    float window[4]; /* x, y, z, 1/w */
};

/* A primitive near a watched pixel, as it left the last geometry stage. */
struct watched_primitive {
    uint64_t draw;
    uint32_t number; /* of the draw's primitive it was made of, through the instances, */
    uint32_t primitive, instance; /* and within its instance */
    bool emitted;                 /* by a geometry program */
    uint8_t vertices;
    struct watched_vertex vertex[3];
};

/* All functions are called by whichever thread does the work. */
struct pixel_watch {
    struct raster_probe probe; /* its events' prim->number is what primitive() returned */
    void *self;
    /* A primitive that is going to be spoken of. Returns its name. */
    uint32_t (*primitive)(void *self, const struct watched_primitive *p);
    /* This one does not reach that pixel: RASTER_DEGENERATE to RASTER_SCISSORED. */
    void (*lost)(void *self, uint32_t pixel, uint32_t primitive, enum raster_verdict verdict,
                 bool front, const struct raster_state *state, const char *program);
    /* Memory is about to be written by something that is no draw, after this draw; nothing queued refers
     * to it. NULL: not told. */
    void (*copy)(void *self, uint64_t address, uint64_t size, uint64_t draw);
    /* How long a tile took; NULL: not measured. */
    void (*tile)(void *self, int32_t x, int32_t y, uint32_t layer, uint64_t nanoseconds);
};

#endif
