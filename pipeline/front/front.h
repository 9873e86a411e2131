/* The front end of the pipeline, as scenes see it, between the queue and the tile pass. It takes a
 * chunk of primitives through assembly, vertex, tessellation and geometry programs, stream out,
 * clipping and set-up, and leaves primitives sorted by tile. A struct front is the memory of one
 * worker, reused for every chunk; front_private.h declares its fields and the stages. Must not know
 * scenes.
 */
#pragma once

#include "pipeline/debug/watch.h"
#include "pipeline/draw.h"

enum { CHUNK_PRIMITIVES = 1024, CHUNK_PIECES = 128 };

/* The primitives of one bin set that touch one tile of one layer, in order. */
struct chunk_bin {
    uint32_t tile; /* layer * tiles per layer + row * tiles_x + column */
    uint32_t count;
    const struct raster_prim *const *prims;
    /* If not 0, prims[covered - 1] is the last primitive that is known to cover the whole tile.
     * Primitives that touch at most 2x2 tiles are not tested. */
    uint32_t covered;
};

/* Consecutive primitives of one call. */
struct piece {
    const struct draw_call *call;
    uint64_t first; /* number of the piece's first primitive, counted through the instances */
    uint32_t count;
};

/* The bins of consecutive pieces that may share fragment warps: same draw, same fragment
 * constants. */
struct bin_set {
    struct bin_set *next;
    const struct draw_call *call; /* the call of the set's first piece */
    struct chunk_bin *bins;
    uint32_t bin_count;
};

/* Pieces of calls that may share vertex warps, in order: one piece of a large call, or many small
 * calls. */
struct chunk {
    /* The call of the first piece. The calls of other pieces have passed chunk_may_join(). */
    const struct draw_call *call;
    const struct piece *piece; /* [piece_count] */
    uint32_t piece_count;
    uint32_t count; /* primitives of all pieces */
    /* results */
    struct bin_set *bin_sets;
    size_t bytes; /* estimated bytes of arena memory */
};

struct front_counters {
    uint64_t elements; /* of whole primitives; `vertices`: runs of the vertex program */
    uint64_t vertices, vertex_warps, geometry_warps, gp_launches, gp_primitives;
    uint64_t patches, evaluations;
    uint64_t primitives_in, clip_in, primitives;
    /* primitives of each vertex stream */
    uint64_t generated[STATE_STREAMS], written[STATE_STREAMS], needed[STATE_STREAMS];
    struct warp_stats warp;
};

/* The first failure of a program, in the order of the draws. */
struct trap {
    bool set;
    uint64_t order;
    enum program_type stage;
    struct warp_error error;
    char program[128];
};
void trap_record(struct trap *t, uint64_t order, enum program_type stage, const char *program,
                 const struct warp_error *error);
/* True if the call failed in the chunk of this trap_order() or in a chunk before it. */
static inline bool front_failed(const struct draw_call *call, uint64_t order) {
    return __atomic_load_n(call->failed, __ATOMIC_RELAXED) <= order;
}

struct front;
struct front *front_create(void);
void front_free(struct front *f);
/* To be called before the chunks of draws into these targets. arena: for data that outlives a
 * chunk. watch: the pixels that a debugger watches, or NULL. profile: receives the time, or NULL.
 * False when out of memory. */
bool front_begin(struct front *f, const struct raster_targets *targets, struct arena *arena,
                 const struct pixel_watch *watch, struct profile *profile);
/* The state of stream out: the caller sets it before chunks with stream out, and gets the advanced
 * offsets after them. */
void front_set_stream(struct front *f, const struct stream_state *stream);
void front_get_stream(const struct front *f, struct stream_state *stream);
/* True if a piece of `call` may join this chunk: vertices are made in the same way, from constants
 * and arrays that may differ, and no program can fail. */
bool chunk_may_join(const struct chunk *chunk, const struct draw_call *call);
/* Takes one chunk through all stages. order: trap_order() of the chunk. */
void front_run(struct front *f, struct chunk *chunk, uint64_t order);
/* The counters of all chunks so far. */
const struct front_counters *front_count(struct front *f);
/* The first failure of a program. The caller resets it. */
struct trap *front_trap(struct front *f);
/* True if a chunk ran out of memory since the last call. */
bool front_take_oom(struct front *f);
