/* Executes one warp instruction by instruction and writes its state as waves (VCD, IEEE 1364): masks,
 * stack depth, flags, and registers of lanes. In: a warp ready to run. Out: a file for waveform
 * viewers, one unit of time an instruction.
 */
#ifndef SHADER_WAVE_H
#define SHADER_WAVE_H

#include "shader/warp.h"

#include <stdio.h>

struct wave_options {
    FILE *out;
    lane_mask show;     /* lanes whose registers are written */
    uint64_t max_steps; /* 0 = until the warp ends */
};

/* Runs w as trace_warp() does. */
enum warp_status wave_warp(struct warp *w, const struct warp_env *env,
                           const struct wave_options *options);

#endif
