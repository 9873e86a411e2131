/* A draw as two values: struct draw, which points to all state it depends on, and struct draw_call,
 * which adds the primitive type, indices and instances. Both lie in the memory of the batch. A
 * thread that takes a call finds values that no longer change, except for the value behind
 * draw_call.failed and the last fields of stage_state. front/front.h makes binned primitives of
 * these values, scene/scene.h makes pixels.
 */
#pragma once

#include "pipeline/front/primitive_assembly.h"
#include "pipeline/context.h"
#include "pipeline/front/vfetch.h"
#include "raster/plan.h"
#include "tex/tex.h"

enum {
    SLOTS = RASTER_SLOTS,
    RESULT_ROWS = 160, /* o[] words, at most */
    MAP_ZERO = 0xfe,
    MAP_ONE = 0xff
};

/* The source of each result slot: source[slot] is an o[] row, MAP_ZERO or MAP_ONE. */
struct result_map {
    uint8_t size;
    uint8_t source[SLOTS];
};

/* The layout in memory of a vertex set (32 vertices) after a program: rows of 32 words. */
struct row_layout {
    uint32_t stride; /* rows from one vertex set to the next */
    /* The number of the row that is 0 in all lanes; the next row is 1.0. The o[] rows come before
     * these two. */
    uint8_t zero;
    uint8_t colors;     /* the first row with clamped copies of vertex colours */
    uint8_t window;     /* the first row of enum raster_window_row; the rows ROW_WINDOW_* follow */
    uint8_t row[SLOTS]; /* the row of each result slot */
};
enum { ROW_WINDOW_X = WINDOW_ROWS /* floats, before snapping */, ROW_WINDOW_Y, PROJECTED_ROWS };

/* The textures of one stage. NULL view: no texture is bound. */
struct stage_textures {
    const struct tex_view *view[STATE_TEXTURES];
    uint64_t address[STATE_TEXTURES];         /* of each view, in GPU memory */
    const struct tex_binding *const *binding; /* by the numbers of the program's texture slots */
};

struct clip_state {
    bool depth;         /* clip against the near and far clip planes */
    bool z_zero;        /* the near clip plane is z = 0 instead of z = -w */
    uint8_t clip, cull; /* bit per clip distance: the distances that clip; those that cull */
    uint8_t slot;       /* of the first clip distance */
};

/* The memory that a call reads. program: the environments of the draw's programs, or copies of
 * these environments with the constants of the call. source: the call's vertex arrays. */
struct call_env {
    const struct warp_env *program[PROGRAM_TYPES];
    const struct fetch_source *source; /* the arrays from 0 to the last one that is read */
};

/* The parts of a draw. Each part is made of certain state objects (state/capture.c). Later draws
 * and frames find the part again if these objects have the same contents. Parts are immutable,
 * except for the last fields of stage_state. A stage_state depends on memory, too, and is made anew
 * in each epoch of the scene. */

/* The programs of a draw and their textures. The constants in program[] are those of the first draw
 * that used this part. The fields from `now` on belong to the calling thread, which changes
 * them. */
struct stage_state {
    struct warp_env program[PROGRAM_TYPES]; /* program NULL: the stage is absent */
    struct stage_textures tex[PROGRAM_TYPES];
    struct image_view image[STATE_IMAGES]; /* images of the fragment program */
    const char *name[PROGRAM_TYPES];
    bool infallible; /* no program here can fail, and no observer sees the warps */
    const struct warp_env *now[PROGRAM_TYPES]; /* program[], or copies with newer constants */
    uint64_t checked, renewed; /* epochs of the last check: of textures; of constants */
};

/* The transform from clip space to window coordinates, and clipping. */
struct view_state {
    bool transform;  /* false: positions are window coordinates */
    bool half_pixel; /* pixel centres are at integers */
    float scale[STATE_VIEWPORTS][3], translate[STATE_VIEWPORTS][3];
    struct clip_state clip;
};

/* The results of a program: their places in o[], and the rows for the o[] words. */
struct program_stage {
    struct result_map map;
    struct row_layout layout;
    uint8_t rows; /* number of o[] rows */
    uint32_t local_size;
};

/* All state that vertices depend on, from fetch to window coordinates, without the memory of the
 * call. Draws with the same vertex state share vertex warps, even if their primitives differ in
 * state. */
struct vertex_state {
    const struct program *program;
    uint32_t mode, call_limit; /* copies from the program's environment (struct warp_env) */
    struct fetch_plan fetch;
    struct program_stage stage;
    bool provoking_last;
    struct semantic_state semantic;
    bool viewport_from_slot;
};

/* The control and evaluation programs, and the tessellator's mode between them. */
struct tessellation_state {
    /* True if there is a control program. Otherwise the patch consists of the vertex program's
     * vertices, and its levels are `levels`. */
    bool controlled;
    uint8_t vertices;       /* of an input patch */
    uint8_t patch_words;    /* words that the control program writes for a patch */
    uint8_t patch_vertices; /* of the patch that the evaluation program reads */
    uint8_t input_slots[2]; /* slots of a vertex that control reads; that evaluation reads */
    struct program_stage control, evaluation;
    struct tess_mode mode;
    struct tess_levels levels;
};

struct geometry_state {
    struct program_stage stage;
    uint8_t vertices;    /* of an input primitive */
    uint8_t input_slots; /* of an input vertex */
    uint8_t primitive;   /* the output: 1 points, 2 line strip, 3 triangle strip */
    uint8_t invocations; /* runs for each input primitive, at least 1 */
    uint16_t max_vertices;
    bool primitive_id;
};

/* State of the primitives between the last program and the rasterizer. */
struct primitive_state {
    enum primitive_class class; /* of the primitives that are rasterized */
    uint8_t slots;              /* result slots that a vertex keeps for the rasterizer */
    uint16_t layer;             /* the layer if no slot holds a layer */
    uint16_t polygon_mode[2];
    bool unfilled; /* front or back has a polygon_mode other than fill */
    bool line_stipple;
    uint16_t line_stipple_pattern; /* bit 0 first; each bit holds for line_stipple_factor steps */
    uint16_t line_stipple_factor;
    bool flat_color;
    bool plain;        /* set-up takes primitives unchanged, unless they must be clipped */
    bool plain_points; /* set-up takes many points at a time */
    bool rasterize;
    bool point_size_from_slot;
    float point_size;
    uint32_t flat[SLOTS / 32],
        linear[SLOTS / 32]; /* bit per slot: read flat, read without perspective */
    bool has_flat, has_linear;
};

/* Stream out: the buffers as they were when the draw was captured. */
struct stream_binding {
    struct stream_state state;
    uint8_t *data[STATE_STREAMS];
};

struct draw {
    const struct stage_state *stages;
    const struct view_state *view;
    const struct vertex_state *vertex;
    const struct tessellation_state *tessellation; /* NULL: no such stage */
    const struct geometry_state *geometry;         /* NULL: no such stage */
    const struct primitive_state *primitives;
    const struct raster_state *raster;
    const struct draw_plan *plan;        /* made from `raster` */
    const struct stream_binding *stream; /* NULL: none */
    enum simd_level simd;
    bool infallible; /* stages->infallible: no program of the draw can fail */
    /* True if chunks run one after the other, because primitives depend on those before them
     * (stream out, line stipple), or because a program before the rasterizer writes memory. */
    bool ordered;
};

/* Consecutive elements, with primitives of their own: all elements of a call, or those between
 * restart indices. */
struct element_range {
    uint32_t first, count;    /* elements */
    uint32_t first_primitive; /* number of its first primitive within the instance */
    uint32_t first_id;        /* primitive id of its first primitive */
};

struct draw_call {
    const struct draw *draw;
    struct call_env env;
    uint8_t type;             /* primitive type */
    uint8_t index_size;       /* 1, 2, 4; 0: elements are vertex numbers */
    const uint8_t *index;     /* [index_limit] */
    uint64_t index_limit;     /* indices that may be read; others are 0 */
    bool flagged;             /* only edges that begin at a flagged vertex are drawn */
    const uint8_t *edge_flag; /* 0 or 1 for each element; NULL: no vertex is flagged */
    uint32_t base;            /* added to element or index */
    uint32_t id_origin;       /* vertex ids count from this vertex number */
    uint32_t instance, instance_count, instance_base;
    struct element_range only;         /* the call's range if there is only one */
    const struct element_range *range; /* [range_count]; NULL: use `only` */
    uint32_t range_count;
    uint32_t primitives; /* of one instance */
    uint64_t number;     /* number of the draw in its context, for debuggers */
    /* Points to an atomic: trap_order() of the first chunk in which a program before the rasterizer
     * failed; chunks from this one on are not drawn. UINT64_MAX: no program failed. */
    uint64_t *failed;
};

static inline const struct element_range *call_ranges(const struct draw_call *c) {
    return c->range ? c->range : &c->only;
}

static inline uint32_t load_index(const uint8_t *p, uint32_t size) {
    uint16_t two;
    uint32_t four;
    switch (size) {
    case 1:
        return *p;
    case 2:
        memcpy(&two, p, 2);
        return two;
    default:
        memcpy(&four, p, 4);
        return four;
    }
}

/* front/vertex.c: the layout for a program's o[] rows and its result map. */
void rows_layout(struct row_layout *l, const struct result_map *map, uint32_t out_rows,
                 const struct semantic_state *semantic);

/* state/prepare.c: gives the scene the targets of the state. */
enum tp_result prepare_targets(tp_context *c);
/* Prepares the targets, and flushes work that must end before the open draw reads or writes its
 * memory. */
enum tp_result prepare_draw(tp_context *c);
/* Notes in the scene that a draw or clear writes the targets. */
void note_targets(tp_context *c);
/* state/capture.c: makes the draw of the prepared state; returns the last draw again if none of its
 * parts has changed. NULL, with the message and *result set, if the state makes no sense or memory
 * ran out. inlined: the plan from which all attributes are fetched; NULL: attributes are fetched
 * from the state's arrays. Does not flush. */
const struct draw *capture_draw(tp_context *c, uint32_t primitive,
                                const struct fetch_inline *inlined, struct call_env *env,
                                enum tp_result *result);
/* state/targets.c: resolves the targets of the state. False with the message set. */
bool capture_targets(tp_context *c, struct raster_targets *targets);
/* Removes from the state those targets that a clear does not write, if they would limit the clear:
 * smaller targets, and targets outside of memory. A driver that clears a single target leaves the
 * zeta target of an earlier framebuffer enabled. what, rt: as in context_clear(). */
void clear_hide_idle(tp_context *c, uint32_t what, uint32_t rt);
/* True if there is neither a colour surface nor zeta: fragments are counted, but not kept. */
bool targets_are_bare(const struct raster_targets *targets);
/* The bytes of a target with all its layers. */
uint64_t target_bytes(const struct surface *s);
/* state/stages.c: makes the environment of a compute program. To be called when nothing is queued.
 * False with the message set. */
bool capture_compute(tp_context *c, struct warp_env *env, struct global_view g[16],
                     struct stage_textures *textures);
