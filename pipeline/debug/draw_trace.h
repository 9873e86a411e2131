/* The trace of one lane of a warp: the address of each instruction and the registers that changed.
 * In: a warp that is about to run. Out: a list that outlives the warp.
 */
#pragma once

#include "shader/warp.h"

enum { TRACE_STEPS = 1 << 20 };

struct trace_change {
    uint8_t reg;
    uint32_t value;
};

struct trace_step {
    uint32_t pc;
    bool active;              /* the lane executed the instruction */
    uint32_t change, changes; /* the first changed register in lane_trace.change[]; how many */
};

struct lane_trace {
    unsigned lane;
    const struct program *program; /* a reference, to be released before the device is destroyed */
    struct trace_step *step;
    size_t count, capacity;
    struct trace_change *change;
    size_t change_count, change_capacity;
    bool discarded; /* the lane's results are dropped: discarded, helper or unused lane */
    bool cut;       /* the trace is longer than TRACE_STEPS, or memory ran out */
    enum warp_status end;
};

/* Runs a copy of the warp to its end, for at most TRACE_STEPS steps. False when out of memory. */
bool lane_trace_run(struct lane_trace *t, const struct warp *start, const struct warp_env *env,
                    unsigned lane);
void lane_trace_free(struct lane_trace *t);
