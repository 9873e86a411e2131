/* Finds the warp of a pixel, vertex, primitive, patch or thread among the warps that a context runs,
 * and records its steps. In: a place, and a context that is about to draw or to dispatch. Out: a
 * lane, and the steps. Knows no file.
 */
#ifndef PIPELINE_DEBUG_WARP_FIND_H
#define PIPELINE_DEBUG_WARP_FIND_H

#include "pipeline/context.h"
#include "shader/steps.h"

#include <pthread.h>

enum { WARP_ANY_PART = 0xffffffff };

struct warp_place {
    enum program_type stage;
    int x, y;                     /* fragments: pixel of the target */
    uint32_t number;              /* vertex, primitive or patch */
    uint32_t part;                /* vertex or point of the patch; of vertices: the instance */
    uint32_t block[3], thread[3]; /* compute */
};

/* The lane of a warp that is about to run; -1: the place is not in it. Of compute: see below. */
int warp_place_lane(const struct warp_place *p, const struct warp *w);
/* The warp of a CTA, and its lane, -1: the thread is not in this CTA. */
int warp_place_in_block(const struct warp_place *p, const struct warp *warps, uint32_t *warp);

struct warp_catch {
    struct warp_place place;
    uint32_t hit;  /* records the Nth such warp, from 1; 0: the last one */
    uint32_t most; /* steps that are recorded; 0: STEPS_MOST */
    /* results */
    uint32_t hits;            /* such warps so far */
    struct warp_steps *steps; /* the caller's; NULL: none was recorded */
    unsigned lane;
    bool failed; /* out of memory */
    /* private */
    pthread_mutex_t lock;
    struct warp_observer observer;
};

/* Records from the next draw or dispatch on; a context is observed by one observer a stage. The
 * catch may begin and end again, with another context, and then goes on counting. Results are valid
 * after the end. */
void warp_catch_begin(struct warp_catch *c, tp_context *context);
/* Draws queued work. */
void warp_catch_end(struct warp_catch *c, tp_context *context);

#endif
