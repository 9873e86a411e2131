/* A pixel watch: functions that are called with the events of watched pixels while a context draws.
 * The events are those in tiles (the probe), primitives that do not reach the pixel, writes of
 * memory by other work than draws, and the time of each tile. In: struct pixel_watch, given to
 * context_watch(). Without a watch the cost is one test for each output of the front end, each tile
 * and each draw.
 */
#pragma once

#include "pipeline/tessellate/tessellate.h"
#include "raster/probe.h"

struct traced_vertex {
    /* The vertex's index; of a geometry program the number of its emit; of an evaluation program
     * the number of the point in its patch. */
    uint32_t number;
    float clip[4];
    float window[4]; /* x, y, z, 1/w */
    float domain[2]; /* u, v of a point of an evaluation program */
};

/* A primitive near a watched pixel, as it comes to the clipper. */
struct traced_primitive {
    uint64_t draw;
    uint32_t number; /* number of its source in the draw, counted through all instances */
    uint32_t primitive, instance; /* the source's number in its instance; the instance */
    enum program_type maker;      /* of its vertices: VP, TEP, GP */
    uint8_t vertices;
    struct traced_vertex vertex[3];
    bool patched;              /* the draw's primitive is a patch that was tessellated */
    enum tess_domain domain;   /* of the tessellation */
    struct tess_levels levels; /* of the tessellation */
};

/* All functions are called on the thread that does the work. */
struct pixel_watch {
    /* In its events, raster_prim_number() of a primitive is the number from primitive(). */
    struct raster_probe probe;
    void *self;
    /* Primitives that reach no watched pixel get numbers, too (for raster_warp_prim_number()). */
    bool every;
    /* Called before other events of a primitive. Returns the primitive's number in other events. */
    uint32_t (*primitive)(void *self, const struct traced_primitive *p);
    /* The primitive does not reach this pixel; verdict: RASTER_DEGENERATE to RASTER_SCISSORED. */
    void (*lost)(void *self, uint32_t pixel, uint32_t primitive, enum raster_verdict verdict,
                 bool front, const struct raster_state *state, const char *program);
    /* Memory is about to change by other work than a draw, after the draw of this number. No queued
     * draw refers to this memory. May be NULL. */
    void (*copy)(void *self, uint64_t address, uint64_t size, uint64_t draw);
    /* The time that a tile took. May be NULL. */
    void (*tile)(void *self, int32_t x, int32_t y, uint32_t layer, uint64_t nanoseconds);
};
