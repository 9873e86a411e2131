/* What a context keeps for itself: the open draw, the last snapshot and what it captured, its scene
 * and counters. For the files of this room only.
 */
#ifndef PIPELINE_CONTEXT_PRIVATE_H
#define PIPELINE_CONTEXT_PRIVATE_H

#include "pipeline/scene/scene.h"

/* What a program may read, found by looking at its instructions once. */
struct program_facts {
    struct program *program;                  /* referenced */
    uint32_t const_extent[STATE_CONST_SLOTS]; /* bytes of c<slot>[] it can reach */
    uint32_t textures, samplers;              /* bit per $t, $s below STATE_TEXTURES */
};
/* facts.c */
void program_facts_update(struct program_facts *f, struct program *p);

enum { INDEX_NONE, INDEX_HOST, INDEX_MEMORY };

/* Between draw_begin and draw_end. */
struct open_draw {
    bool open;
    enum tp_result failed; /* TP_OK, or why draw_end must fail */
    uint32_t primitive;
    uint32_t instances;
    enum draw_instance instance;
    bool continue_ids; /* primitive ids go on from the last draw's */
    uint8_t index_size;
    struct run *run; /* of vertices, or of indices in `index` */
    size_t run_count, run_capacity;
    uint8_t *index; /* host copies */
    size_t index_bytes, index_capacity;
    uint64_t index_address; /* or in GPU memory */
    uint32_t index_count;
    uint32_t *data; /* inline vertices */
    struct inline_mark { /* what was said between them */
        size_t word;     /* of data */
        enum inline_mark_kind { MARK_ID, MARK_CUT, MARK_EDGE } kind;
        uint32_t value; /* id of the vertex there; edge flag of those that follow */
    } *mark;
    size_t mark_count, mark_capacity;
    bool has_ids, has_edges; /* a mark gives one */
    bool edge_flag;          /* before the first mark */
    size_t data_words, data_capacity;
    bool immediate; /* data comes from draw_vertex */
};

struct const_copy { /* of one of the 128 buffers, in the scene's arena */
    uint64_t epoch, address;
    const uint8_t *data;
    uint32_t size;
};
struct descriptor_copy {
    uint64_t epoch;
    uint32_t word[8];
    const void *decoded;
};
struct binding_copy {
    uint64_t epoch;
    const struct tex_bound *bound;
};

struct context_private {
    struct scene *scene;
    struct open_draw draw;
    uint32_t instance; /* id of the last draw's (last) instance */
    uint32_t primitive_id; /* that the last draw's next primitive would have had */
    /* snapshots */
    struct state last_state;
    struct draw *last_draw; /* NULL: none to share */
    struct call_env *last_env;
    uint32_t last_key;
    uint64_t last_epoch;
    uint64_t memory_epoch, last_memory_epoch;
    struct program_facts facts[PROGRAM_TYPES];
    struct const_copy const_copy[STATE_CONST_BUFFERS];
    struct descriptor_copy view_copy[PROGRAM_TYPES][STATE_TEXTURES];
    struct descriptor_copy sampler_copy[PROGRAM_TYPES][STATE_TEXTURES];
    struct binding_copy binding_copy[PROGRAM_TYPES][STATE_TEXTURES]; /* by program's slot */
    /* counters */
    uint64_t draws, compute_warps;
    struct warp_stats compute;
    uint64_t counter_base[COUNTERS];
    struct tp_statistics statistics_base;
    struct trap compute_trap;
};

/* context.c: what was captured for queued work is gone; the owner is told. */
void context_work_done(tp_context *c);

#endif
