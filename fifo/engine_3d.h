/* The 3D engine's instance and its parts: engine_3d.c (what methods do at once), state_3d.c
 * (registers to pipeline state, at a draw), code.c (programs out of the code segments), query_3d.c.
 */
#ifndef FIFO_ENGINE_3D_H
#define FIFO_ENGINE_3D_H

#include "fifo/program_code.h"
#include "fifo/engine.h"
#include "fifo/methods.h"

struct fence {
    uint64_t address;
    uint32_t sequence;
    bool is_short;
};

struct engine_3d {
    struct engine base;
    struct code_cache code;
    uint64_t fragment_code; /* channel_fragment_code, when the programs were found */
    bool drawing;           /* between BEGIN and END */
    uint32_t array_mode[2]; /* RT_ARRAY_MODE now, and what it was before */
    uint32_t viewports;     /* so many of them are up to date in the pipeline's state */
    /* index methods: what the last SETUP left to do */
    uint32_t skip, left; /* left: UINT32_MAX = no limit */
    bool inlined;        /* VERTEX_DATA came */
    struct fence *fence; /* written when the work before them is done */
    size_t fence_count, fence_capacity;
};

/* Brings the pipeline's state up to date with the registers. */
void state_3d_update(struct engine_3d *t);
/* The targets and viewports only, for a clear of this layer. */
void state_3d_update_clear(struct engine_3d *t, uint32_t layer);

method_fn query_3d_get, query_3d_counter_reset;
/* Writes a report of samples, for the channel's context. */
void query_3d_report(void *channel, uint64_t address, uint32_t sequence, uint64_t samples);
/* Writes the fences; the work before them is done. */
void query_3d_finish(struct engine *e);

#endif
