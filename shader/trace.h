/* Executes one warp instruction by instruction and prints address, text, active lanes, stack, and
 * what the instruction changed. In: a warp ready to run. Out: text.
 */
#ifndef SHADER_TRACE_H
#define SHADER_TRACE_H

#include "shader/warp.h"

#include <stdio.h>

struct trace_options {
    FILE *out;
    lane_mask show;     /* lanes whose changes are printed */
    uint64_t max_steps; /* 0 = until the warp ends */
};

/* Runs w to its end, an error, a barrier that no other warp can open, or max_steps. */
enum warp_status trace_warp(struct warp *w, const struct warp_env *env,
                            const struct trace_options *options);

#endif
