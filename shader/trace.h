/* Executes one warp instruction by instruction. In: a warp ready to run. Out: text with address,
 * instruction, active lanes, stack and changes (trace.c), or a file for waveform viewers (wave.c).
 */
#pragma once

#include "shader/warp.h"

#include <stdio.h>

struct trace_options {
    FILE *out;
    lane_mask show;     /* lanes whose values are written */
    uint64_t max_steps; /* 0 = until the warp ends */
};

/* Runs w to its end, an error, a barrier that no other warp can open, or max_steps. */
enum warp_status trace_warp(struct warp *w, const struct warp_env *env,
                            const struct trace_options *options);
/* As trace_warp(), but writes masks, stack depth, flags and registers as waves (VCD, IEEE 1364),
 * one unit of time an instruction. */
enum warp_status wave_warp(struct warp *w, const struct warp_env *env,
                           const struct trace_options *options);
