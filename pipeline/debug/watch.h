/* A pixel watch: functions that are called with the events of watched pixels while a context draws.
 * The events are those in tiles (the probe), primitives that do not reach the pixel, writes of
 * memory by work other than draws, and the time of each tile. In: struct pixel_watch, given to
 * context_watch(). Without a watch the cost is one test for each output of the front end, each tile
 * and each draw.
 */
#pragma once

#include "pipeline/tessellate/tessellate.h"
#include "raster/probe.h"

struct traced_vertex {
    /* The vertex's index; for a geometry program, the number of the emitted vertex; for an
     * evaluation program, the number of the point in its patch. */
    uint32_t number;
    float clip[4];
    float window[4]; /* x, y, z, 1/w */
    float domain[2]; /* u, v of a point of an evaluation program */
};

/* A primitive near a watched pixel, as it comes to the clipper. */
struct traced_primitive {
    uint64_t draw;
    uint32_t number; /* number of its source in the draw, counted through all instances */
    uint32_t primitive, instance; /* number of the source in its instance; number of the instance */
    enum program_type maker;      /* the program that made its vertices: VP, TEP, GP */
    uint8_t vertices;
    struct traced_vertex vertex[3];
    bool patched;              /* the draw's primitive is a patch that was tessellated */
    enum tess_domain domain;   /* domain of the tessellation */
    struct tess_levels levels; /* levels of the tessellation */
};

/* All functions are called on the thread that does the work. */
struct pixel_watch {
    /* In the probe's events, raster_prim_number() of a primitive is the number that primitive()
     * returned. */
    struct raster_probe probe;
    void *self;
    /* True: primitives that reach no watched pixel get numbers, too (for
     * raster_warp_prim_number()). */
    bool every;
    /* Called before other events of a primitive. Returns a number for the primitive, which the
     * other events give. */
    uint32_t (*primitive)(void *self, const struct traced_primitive *p);
    /* Called if the primitive does not reach this pixel. verdict: RASTER_DEGENERATE to
     * RASTER_SCISSORED. */
    void (*lost)(void *self, uint32_t pixel, uint32_t primitive, enum raster_verdict verdict,
                 bool front, const struct raster_state *state, const char *program);
    /* Called before work other than a draw changes memory, after the draw of this number. No queued
     * draw uses this memory. May be NULL. */
    void (*copy)(void *self, uint64_t address, uint64_t size, uint64_t draw);
    /* Called with the time that a tile took. May be NULL. */
    void (*tile)(void *self, int32_t x, int32_t y, uint32_t layer, uint64_t nanoseconds);
};
