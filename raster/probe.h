/* Watched pixels, for debuggers: the fate of each primitive at a sample. The threads that work on
 * tiles report the fate (probe.c). Pictures do not change.
 */
#pragma once

#include "raster/raster.h"

/* The fate of a primitive at a watched sample, in the order of the pipeline's tests.
 * pipeline/front/watch.c finds the first four, probe.c the others but RASTER_NO_COLOR, which
 * pipeline/debug/history.c puts in place of RASTER_WRITTEN for each target that was not written. */
#define RASTER_VERDICT_LIST(X)                                                                     \
    X(RASTER_DEGENERATE, "degenerate") /* the corners lie on one line, across the pixel */         \
    /* the unclipped primitive covers the sample, the clipped one does not */                      \
    X(RASTER_CLIPPED, "clipped away")                                                              \
    X(RASTER_CULLED, "culled") /* facing away, or to the viewer, as the state asks */              \
    X(RASTER_SCISSORED, "outside the scissor")                                                     \
    /* the primitive's bounds contain the pixel, its edges do not contain the sample */            \
    X(RASTER_NOT_COVERED, "not covered")                                                           \
    X(RASTER_WINDOWED, "cut by window rectangles")                                                 \
    X(RASTER_STIPPLED, "cut by the polygon stipple")                                               \
    X(RASTER_SAMPLE_MASKED, "sample mask")                                                         \
    X(RASTER_BOUNDS_FAILED, "depth bounds test failed")                                            \
    X(RASTER_STENCIL_FAILED, "stencil test failed")                                                \
    X(RASTER_ZETA_FAILED, "zeta test failed") /* the depth test; see zeta */                       \
    X(RASTER_DISCARDED, "discarded")          /* by the program */                                 \
    X(RASTER_TRAPPED, "program trapped")                                                           \
    X(RASTER_ALPHA_FAILED, "alpha test failed")                                                    \
    /* exported sample mask or alpha to coverage */                                                \
    X(RASTER_REMOVED, "removed by sample mask or alpha to coverage")                               \
    /* passed all tests, but the target is not written (mask, no target) */                        \
    X(RASTER_NO_COLOR, "passed but not written")                                                   \
    X(RASTER_WRITTEN, "written") /* passed all tests; color has the targets that were written */
#define VERDICT(e, name) e,
enum raster_verdict { RASTER_VERDICT_LIST(VERDICT) };

struct raster_probe_event {
    const struct raster_prim *prim;
    const struct raster_state *state;
    enum raster_verdict verdict;
    struct {
        bool tested, passed, late;  /* late: tested after the program */
        enum raster_verdict failed; /* if the fragment did not pass: the test that failed */
        /* the fragment's depth: an integer of the format, or float bits */
        uint32_t depth;
        uint32_t before[2], after[2]; /* stored depth and stencil */
    } zeta;
    /* The fragment program's warp before its first instruction and after its last. NULL: the
     * program did not run. Valid during the call. */
    const struct warp *start, *end;
    const struct warp_env *fp;
    uint32_t lane;
    struct {
        bool written;
        uint32_t source[4]; /* the program's result after clamps: float bits or integers */
        uint32_t before[4], after[4]; /* RGBA as format_decode gives them */
    } color[RASTER_TARGETS];
    bool front;
};

struct raster_probe_pixel {
    int32_t x, y;
    uint32_t layer, sample;
};

struct raster_probe {
    const struct raster_probe_pixel *pixel; /* [pixels], sorted by y */
    uint32_t pixels;
    uint64_t draw; /* number of the running draw, set by the caller */
    void *self;
    void (*event)(void *self, const struct raster_probe *probe, uint32_t pixel,
                  const struct raster_probe_event *e);
    /* Called after `event`, when a primitive has been drawn whose program writes memory; or NULL.
     * color[].after are the target's colours. They differ from the colours of `event` if the
     * fragment reads memory that other fragments of the primitive wrote, because the fragment ran
     * alone for `event`. */
    void (*drawn)(void *self, const struct raster_probe *probe, uint32_t pixel,
                  const struct raster_probe_event *e);
    /* Called before a draw with a zeta test, with the lanes that a primitive covers in the block at
     * pixel (x, y); of several samples a pixel, those of sample 0. May be NULL. */
    void (*tested)(void *self, int32_t x, int32_t y, lane_mask m);
    void (*clear)(void *self, const struct raster_probe *probe, uint32_t pixel,
                  const struct raster_clear *clear, const struct raster_targets *targets);
};
/* From now on primitives whose bounds contain one of the pixels are drawn one by one. The thread
 * that works on the tile calls `event` for each such primitive and pixel. probe NULL: no pixel is
 * watched from now on. */
void raster_tile_probe(struct raster_tile *t, const struct raster_probe *probe);
/* Returns the index of the first pixel in row y or a later row. */
uint32_t raster_probe_row(const struct raster_probe *probe, int32_t y);
/* True if the primitive's edges contain this sample of a pixel inside its bounds. */
bool raster_prim_covers(const struct raster_prim *p, const struct raster_probe_pixel *at,
                        uint32_t samples);
bool raster_prim_front(const struct raster_prim *p);
/* Returns the number of the primitive that a quad of a fragment warp belongs to. For observers of
 * programs; the state's primitives must be numbered. */
uint32_t raster_warp_prim_number(const struct warp *w, uint32_t quad);
