/* What a context keeps for itself: the open draw, the last snapshot and what it captured, its scene
 * and counters. For the files of this room only.
 */
#ifndef PIPELINE_CONTEXT_PRIVATE_H
#define PIPELINE_CONTEXT_PRIVATE_H

#include "pipeline/debug/watch.h"
#include "pipeline/scene/scene.h"

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
    const uint8_t *pushed; /* or, pushed in one piece, here; NULL: they were not */
    uint32_t pushed_count;
    uint32_t *data;      /* inline vertices */
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

struct const_copy {               /* of one of the 128 buffers */
    uint64_t address, generation; /* of GPU memory; then the buffer is found at: */
    const uint8_t *host;
    uint64_t extent;     /* bytes that may be read there */
    uint64_t epoch;      /* of the scene, in whose memory is: */
    const uint8_t *data; /* the copy */
    uint32_t size;
};
/* Descriptors of the scene's epoch in decoded form, and pairs of them, by their contents: textures that
 * come back are the same. */
enum { TEXTURE_SETS = 128, TEXTURE_WAYS = 4 /* places one may be at */ };
struct descriptor_cache {
    struct descriptor_copy {
        uint64_t epoch;
        uint32_t word[8];
        const void *decoded;
    } copy[TEXTURE_SETS][TEXTURE_WAYS];
    uint32_t forgotten; /* lost their place to others */
};
struct binding_cache {
    struct binding_copy {
        uint64_t epoch;
        const struct tex_bound *bound;
    } copy[TEXTURE_SETS][TEXTURE_WAYS];
    uint32_t forgotten;
};

/* state/objects.c: the contents that a group of the state has had. */
enum { OBJECT_SLOTS = 256 };
struct object_table {
    struct object *slot[OBJECT_SLOTS];
    uint32_t count;
};

/* state/draws.c: a draw, known by the objects it is made of. */
enum { KNOWN_DRAWS = 1024, KNOWN_WAYS = 4 /* places a draw may be at */ };
struct draw_key {
    uint64_t object[STATE_GROUPS]; /* numbers; 0 for groups that do not count */
    uint64_t class;                /* of its primitives */
};
struct known_draw {
    struct draw_key key;
    uint64_t epoch;                                                 /* of the scene; 0: no draw */
    uint64_t generation, memory_epoch, constant_epoch, array_epoch; /* env is of then */
    const struct draw *draw;
    const struct call_env *env;
};

/* state/parts.c: parts of draws, known by all that they depend on. */
enum draw_part {
    PART_STAGES,
    PART_VIEW_NUMBER,
    PART_VIEW,
    PART_VERTEX,
    PART_GEOMETRY,
    PART_PRIMITIVES,
    PART_PLAN,
    PARTS
};
enum { PART_WORDS = STATE_GROUPS + 4, PART_SETS = 128, PART_WAYS = 4 };
struct known_part {
    uint64_t used; /* epoch of the last draw that was made with it, */
    uint64_t turn; /* and when that was, among all uses of parts */
    uint64_t key[PART_WORDS];
    uint64_t number; /* all there is of a PART_VIEW_NUMBER */
    const void *value;
    struct kept_part *kept; /* its memory; NULL: the scene's, for the epoch */
};

struct context_private {
    struct scene *scene;
    const struct pixel_watch *watch; /* as the scene has it */
    struct open_draw draw;
    uint32_t instance;     /* id of the last draw's (last) instance */
    uint32_t primitive_id; /* that the last draw's next primitive would have had */
    /* snapshots */
    uint64_t object[STATE_GROUPS], objects; /* the state's; numbers given so far */
    bool moved; /* one is another since the last draw's place was looked for */
    struct object_table object_table[STATE_GROUPS];
    struct object_table vertex_table, view_table, targets_table; /* of parts by contents */
    struct known_part part[PART_SETS * PART_WAYS];
    struct kept_part *lost_parts; /* without a place, but perhaps with a draw that is queued */
    uint64_t part_turns;          /* uses of parts so far */
    uint64_t parts_swept;         /* epoch of the scene when all were looked at */
    uint64_t targets_number, targets_numbered; /* of the scene's targets; epoch when they were */
    struct known_draw known[KNOWN_DRAWS / KNOWN_WAYS][KNOWN_WAYS];
    struct known_draw *last_known; /* the last draw's place, with its key; NULL: there was none */
    uint32_t forgotten;            /* draws that lost their place to others */
    uint64_t generation;           /* of GPU memory, when it was last looked at */
    uint64_t memory_epoch;         /* changes when descriptors or allocations may have, */
    uint64_t constant_epoch;       /* when constants may have, */
    uint64_t array_epoch;          /* and when vertex arrays were set */
    struct raster_targets targets; /* of this object and generation: */
    uint64_t targets_object, targets_generation;
    uint64_t targets_epoch; /* of the scene when it was given them; 0: it was not */
    uint64_t noted;         /* epoch for which the scene knows that the targets are written */
    struct const_copy const_copy[STATE_CONST_BUFFERS];
    uint8_t watched[STATE_CONST_BUFFERS]; /* those with a copy of this epoch: */
    uint32_t watched_count;
    uint64_t watched_epoch;
    struct descriptor_cache views, samplers;
    struct binding_cache bindings;
    /* counters */
    uint64_t draws, compute_warps;
    struct warp_stats compute;
    uint64_t counter_base[COUNTERS];
    struct sample_base {
        bool marked;    /* what passed before this place: */
        uint64_t value; /* else the number itself, counter_base's */
    } sample_base;
    struct sample_report { /* of samples since `base`, to be written when that is known */
        uint64_t address;
        uint32_t size, sequence;
        uint64_t mark;
        struct sample_base base;
    } *report;
    size_t report_count, report_capacity;
    uint64_t reports_low, reports_high; /* they lie between these addresses */
    struct tp_statistics statistics_base;
    struct trap compute_trap;
    uint64_t profile_logged; /* when */
};

/* context.c: what was captured for queued work is gone; the owner is told. */
void context_work_done(tp_context *c);
/* query.c: a report is yet to be written there. */
bool context_awaits_report(const tp_context *c, uint64_t address, uint64_t size);
/* Writes the reports; nothing is queued. */
void context_write_reports(tp_context *c);

#endif
