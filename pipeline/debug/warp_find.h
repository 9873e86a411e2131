/* Finds the warp of a pixel, vertex, primitive, patch or thread among the warps that a context
 * runs, and records its steps. In: a place, and a context that is about to draw or to dispatch.
 * Out: a lane, and the steps. Must not know files.
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
    uint32_t instance;            /* vertices: instance; in a patch: vertex or point */
    uint32_t block[3], thread[3]; /* compute */
};

/* Returns the lane with this place in a warp that is about to run; -1 if there is none. For
 * compute, use warp_place_in_block(). */
int warp_place_lane(const struct warp_place *p, const struct warp *w);
/* Returns the lane with this place in a CTA, and in *warp the lane's warp; -1 if the thread is not
 * in this CTA. */
int warp_place_in_block(const struct warp_place *p, const struct warp *warps, uint32_t *warp);

struct warp_catch {
    struct warp_place place;
    uint32_t hit;  /* the warp to record, by its number at the place, from 1; 0: the last */
    uint32_t most; /* the most steps to record; 0: STEPS_MOST */
    /* results */
    uint32_t hits;            /* number of warps at the place so far */
    struct warp_steps *steps; /* the caller frees them; NULL: no warp was recorded */
    unsigned lane;
    bool failed; /* out of memory */
    /* private */
    pthread_mutex_t lock;
    struct warp_observer observer;
};

/* Records from the next draw or dispatch on. The catch becomes the context's observer of this
 * stage. After its end, a catch may begin again with another context; `hits` then continues to
 * count. Results are valid after the end. */
void warp_catch_begin(struct warp_catch *c, tp_context *context);
/* Draws queued work and ends the catch. */
void warp_catch_end(struct warp_catch *c, tp_context *context);
