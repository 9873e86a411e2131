/* Finds the warp of a pixel, vertex, primitive, patch or thread among the warps that a context
 * runs, and records its steps. In: a place, and a context that is about to draw or to dispatch.
 * Out: a lane, and the steps. Knows no file.
 */
#pragma once

#include "pipeline/context.h"
#include "shader/steps.h"

#include <pthread.h>

enum { WARP_ANY_INSTANCE = 0xffffffff };

struct warp_place {
    enum program_type stage;
    int x, y;                     /* fragments: pixel of the target */
    uint32_t number;              /* vertex, primitive or patch */
    uint32_t instance;            /* of a vertex; in a patch: number of the vertex or point */
    uint32_t block[3], thread[3]; /* compute */
};

/* The lane of a warp that is about to run and has the place; -1: none. For compute:
 * warp_place_in_block(). */
int warp_place_lane(const struct warp_place *p, const struct warp *w);
/* The lane in a CTA that has the place, and in *warp the lane's warp; -1: the thread is not in
 * this CTA. */
int warp_place_in_block(const struct warp_place *p, const struct warp *warps, uint32_t *warp);

struct warp_catch {
    struct warp_place place;
    uint32_t hit;  /* number, from 1, of the warp at the place that is recorded; 0: the last */
    uint32_t most; /* most steps that are recorded; 0: STEPS_MOST */
    /* results */
    uint32_t hits;            /* warps at the place so far */
    struct warp_steps *steps; /* the caller frees them; NULL: no warp was recorded */
    unsigned lane;
    bool failed; /* out of memory */
    /* private */
    pthread_mutex_t lock;
    struct warp_observer observer;
};

/* Records from the next draw or dispatch on. The catch becomes the context's observer of this
 * stage. After its end, a catch may begin again with another context; `hits` then goes on counting.
 * Results are valid after the end. */
void warp_catch_begin(struct warp_catch *c, tp_context *context);
/* Ends the catch; draws queued work. */
void warp_catch_end(struct warp_catch *c, tp_context *context);
