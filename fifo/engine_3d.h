/* The 3D engine's instance and its parts: engine_3d.c (methods with an immediate effect),
 * state_3d.c (registers to pipeline state, at a draw), program_code.c (programs of code segments),
 * query_3d.c.
 */
#ifndef FIFO_ENGINE_3D_H
#define FIFO_ENGINE_3D_H

#include "fifo/program_code.h"
#include "fifo/engine.h"
#include "fifo/methods.h"

/* Values of registers whose meaning the state has in another form. */
enum {
    REG_CW = 0x900,
    REG_CCW,
    REG_FRONT = 0x404,
    REG_BACK,
    REG_FRONT_AND_BACK = 0x408,
    REG_FLAT = 0x1d00,
    REG_SMOOTH,
    REG_ALWAYS = 0x207,
    REG_COPY = 0x1503,
    REG_FILL = 0x1b02,
};

struct fence {
    uint64_t address;
    uint32_t sequence;
    bool is_short;
};

struct engine_3d {
    struct engine base;
    struct code_cache code;
    uint64_t fragment_code; /* channel_fragment_code at the last look-up of programs */
    bool drawing;           /* between BEGIN and END */
    uint32_t array_mode[2]; /* RT_ARRAY_MODE: the current and the previous value */
    uint32_t viewports;     /* number of viewports that are up to date in the pipeline's state */
    /* index methods: the rest of the last SETUP */
    uint32_t skip, left; /* left: UINT32_MAX = no limit */
    struct fence *fence; /* written when all earlier work is done */
    size_t fence_count, fence_capacity;
};

/* Brings the pipeline's state up to date with the registers. */
void state_3d_update(struct engine_3d *t);
/* Brings only targets and viewports up to date, for a clear of this layer. */
void state_3d_update_clear(struct engine_3d *t, uint32_t layer);

method_fn query_3d_get, query_3d_counter_reset;
/* Writes a report of samples, for the channel's context. */
void query_3d_report(void *channel, uint64_t address, uint32_t sequence, uint64_t samples);
/* Writes the fences after all earlier work is done. */
void query_3d_finish(struct engine *e);

#endif
