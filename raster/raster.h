/* Rasterization and ROP: from window-space primitives to pixels. For each chunk pipeline/front
 * calls set-up, sixteen primitives at a time, on any thread, and bins the results by their bounds.
 * Then scene/bins.c calls the tile functions, one thread a tile, primitives in the order of the
 * draws. Must not know where vertices come from, scenes or contexts. Fragment programs run through
 * shader/warp.h.
 */
#pragma once

#include "base/arena.h"
#include "base/profile.h"
#include "base/simd.h"
#include "base/surface.h"
#include "shader/warp.h"

enum {
    TILE_SIZE = 64, /* pixels in x and y */
    RASTER_TARGETS = 8,
    RASTER_SLOTS = 160, /* result slots, on a Tesla 72: 0-3 position, then as the result map says */
    RASTER_WORDS = 160, /* v[] words */
    RASTER_VIEWPORTS = 16,
    RASTER_RECTS = 8,
};

/* The targets of a scene. width and height are in pixels; those of the surfaces are in samples. The
 * surfaces may be a window into a larger picture. Then their first texel belongs to pixel
 * (origin_x, origin_y), which are multiples of TILE_SIZE, and primitives, scissors and clears are
 * limited to [origin_x, width) x [origin_y, height). */
struct raster_targets {
    uint32_t width, height, layers;
    uint32_t origin_x, origin_y;
    uint8_t samples; /* 1, 2, 4, 8 */
    uint8_t color_count;
    struct surface color[RASTER_TARGETS]; /* FORMAT_NONE: no such target, writes are dropped */
    struct surface zeta; /* FORMAT_NONE: no zeta; depth and stencil tests then pass */
};

struct raster_rect {
    int32_t x0, y0, x1, y1; /* pixels, x1 and y1 exclusive */
};

/* Intersects r with `by`. If they have no pixel in common, x0 >= x1 or y0 >= y1 afterwards. */
static inline void raster_rect_limit(struct raster_rect *r, const struct raster_rect *by) {
    r->x0 = r->x0 > by->x0 ? r->x0 : by->x0;
    r->y0 = r->y0 > by->y0 ? r->y0 : by->y0;
    r->x1 = r->x1 < by->x1 ? r->x1 : by->x1;
    r->y1 = r->y1 < by->y1 ? r->y1 : by->y1;
}

/* The state of set-up, limits, samples, zeta and colour. pipeline/ keeps these structs, and the
 * rasterizer reads them in the same form. Functions, factors, equations and operations have the
 * values of raster/functions.h. */
enum cull_mode { CULL_FRONT = 1, CULL_BACK = 2 };
struct setup_state {
    bool front_ccw;            /* counter-clockwise triangles show their front: see raster_facing */
    uint8_t cull;              /* enum cull_mode bits; 0 = none */
    bool pixel_center_integer; /* pixel centres are at integers (DirectX 9 rule) */
    bool point_sprite, point_origin_lower_left;
    float line_width;
    bool line_smooth, point_smooth, polygon_smooth; /* alpha is multiplied by the covered part of
                                the pixel; ignored when multisampling */
    /* polygon offset for POLYGON_POINT, _LINE, _FILL */
    bool offset_enable[3];
    float offset_factor, offset_units, offset_clamp;
    bool polygon_stipple;
    uint32_t stipple_pattern[32]; /* of filled triangles: row y & 31; byte x >> 3 & 3, high bit
                                     first */
};
struct limit_state {
    bool depth_clamp;  /* z is clamped to the depth range */
    uint8_t rect_mode; /* window rectangles: 0 off, 1 inclusive, 2 exclusive */
    struct raster_rect rect[RASTER_RECTS];
};
struct depth_range {
    float near, far;
};
struct sample_state {
    bool multisample; /* false with several samples: all samples have the coverage of the centre */
    bool shading;     /* the fragment program runs once per sample */
    bool count;       /* passed samples are counted in raster_counters */
    uint32_t mask;
};
struct stencil_face {
    uint16_t func, fail, zfail, zpass;
    uint8_t ref, func_mask, write_mask;
};
struct zeta_state {
    bool depth_test, depth_write, bounds_test, stencil_test, two_sided;
    uint16_t depth_func;
    float bounds[2];
    struct stencil_face face[2]; /* front, back (used when two_sided) */
};
struct blend_target {
    bool enable;
    uint16_t equation_rgb, src_rgb, dst_rgb, equation_a, src_a, dst_a;
};
struct color_state {
    struct blend_target blend[RASTER_TARGETS];
    uint8_t mask[RASTER_TARGETS]; /* bit 0 R .. bit 3 A */
    float blend_color[4];
    bool logic_op_enable;
    uint16_t logic_op;
    bool alpha_test;
    uint16_t alpha_func;
    float alpha_ref;
    bool alpha_to_coverage, alpha_to_one;
    uint8_t clamp; /* bit per output: clamped to 0..1 before all tests (FRAG_COLOR_CLAMP_EN) */
};

/* The source of one v[] word. pipeline/state/stages.c derives it from FP_INTERPOLANT_CTRL. */
enum word_kind {
    WORD_POSITION,
    WORD_PERSPECTIVE,
    WORD_LINEAR,
    WORD_FLAT,
    WORD_POINT_COORD_S,
    WORD_POINT_COORD_T,
    WORD_CONST0,
    WORD_CONST1
};
enum { WORD_NO_VALUE = 1, WORD_NO_FLAT = 2, WORD_FLAT_COLOR = 4 };
struct raster_word {
    uint8_t kind;      /* enum word_kind */
    uint8_t slot;      /* result slot; WORD_POSITION: 0 x, 1 y, 2 z, 3 1/w */
    uint8_t back_slot; /* slot for back faces (two-sided colour); else the same as slot */
    /* For words that vary. WORD_NO_VALUE: the program does not read the value. WORD_NO_FLAT: the
     * program does not read the provoking vertex' word. Set-up stores 0 for a value that is not
     * read. WORD_FLAT_COLOR: flat shading, see struct raster_vertices. */
    uint8_t flags;
};

/* All state of a draw that the rasterizer needs. Immutable after capture. */
struct raster_state {
    const struct raster_targets *targets;
    const struct program *program; /* NULL: no fragment program, only zeta is written */
    bool observed;                 /* an observer sees the program's warps */
    bool numbered;                 /* the primitives have numbers (raster_prim_set_number) */
    uint32_t local_size;           /* l[] bytes per thread of the fragment program */
    uint8_t word_count;
    struct raster_word word[RASTER_WORDS];
    /* fragment program results (FP_CONTROL, FP_RESULT_COUNT) */
    bool multiple_results, exports_z, uses_kill;
    bool early_tests; /* zeta is tested before the program, even if the program discards */
    uint8_t
        unwritten; /* bit per target that has no result registers, if there are multiple_results */
    uint8_t result_regs;      /* an exported depth is in $r(result_regs - 1) */
    bool exports_sample_mask; /* the mask is in the register before the depth's, or in the last */
    struct {
        struct raster_rect scissor; /* within the targets and the screen scissor */
        struct depth_range depth;
    } view[RASTER_VIEWPORTS];
    /* The draw's state. Fields that have no effect on its primitives and targets are off. */
    struct setup_state setup;
    struct limit_state limits;
    struct sample_state sample;
    struct zeta_state zeta;
    struct color_state color;
};

/* True if several samples of a pixel have coverage of their own. */
static inline bool raster_multisamples(const struct raster_state *s) {
    return s->sample.multisample && s->targets->samples > 1;
}

struct raster_vertex {
    float x, y, z;        /* window space; z before polygon offset */
    float rhw;            /* 1/w of clip space */
    const uint32_t *slot; /* [RASTER_SLOTS] result slots, raw words */
};

/* A rectangle of pixels of a target. */
struct raster_box {
    uint16_t x0, y0, x1, y1; /* x1 and y1 exclusive */
};

/* One primitive after set-up: the beginning of its record. The rest of the record is the
 * rasterizer's own (raster/prim.h). */
struct raster_prim {
    struct raster_box bounds; /* pixels that may be covered, inside scissor and target */
    uint32_t layer : 14;
    int32_t origin_y : 18; /* the rasterizer's own (raster/prim.h) */
};

static inline struct raster_rect raster_prim_rect(const struct raster_prim *p) {
    return (struct raster_rect){p->bounds.x0, p->bounds.y0, p->bounds.x1, p->bounds.y1};
}
/* The number of a primitive of a numbered state: the number of the draw's primitive from which it
 * was made, or a number that a debugger set. In a state that is not numbered, setting has no
 * effect, and the number is 0. */
void raster_prim_set_number(const struct raster_state *s, struct raster_prim *p, uint32_t number);
uint32_t raster_prim_number(const struct raster_state *s, const struct raster_prim *p);

/* True if the triangle faces front. *area2 receives twice its signed area in squares of 1/256
 * pixel, after snapping; 0: the triangle is degenerate. Front = (area < 0) == front_ccw, with y
 * counted along memory rows (tesla-3d.md §4.1). */
bool raster_facing(const struct raster_state *s, const struct raster_vertex *const v[3],
                   int64_t *area2);
/* Stores the vertex in window[], 24.8 fixed point, rounded to nearest. False if the vertex is not
 * finite or too far outside to be drawn. */
bool raster_snap(const struct raster_state *s, const struct raster_vertex *v, int32_t window[2]);
/* Vertices in sets of 32, a row for each word. Vertex n has in row r the word at
 * [(n / 32 * stride + r) * 32 + n % 32]. */
enum raster_window_row { /* rows with the window position of a vertex */
                         WINDOW_X,
                         WINDOW_Y, /* 24.8 fixed point, as from raster_snap() */
                         WINDOW_Z,
                         WINDOW_RHW,  /* floats, as in struct raster_vertex */
                         WINDOW_CODE, /* see struct raster_triangles */
                         WINDOW_ROWS
};
struct raster_vertices {
    const uint32_t *word;
    uint32_t stride;           /* rows of a set */
    uint8_t window;            /* the number of row WINDOW_X; the other window rows follow */
    uint8_t row[RASTER_SLOTS]; /* the row of each result slot */
    /* Rows with the layer and viewport of a primitive, which are read at its provoking vertex.
     * RASTER_NO_ROW: all primitives have `layer`, or the first viewport. */
    uint8_t layer_row, viewport_row;
    uint16_t layer;
    bool flat_colors; /* WORD_FLAT_COLOR: all corners take the provoking vertex' word */
};
enum { RASTER_NO_ROW = 0xff };
/* Triangles, many at a time. The codes (WINDOW_CODE) of a triangle's vertices decide: the triangle
 * is outside if all three have the same `outside` bit, cannot be drawn if one has a `lost` bit, and
 * must be clipped first if one has a `clip` bit. */
struct raster_triangles {
    const uint32_t *corner;   /* [3 * count] vertex numbers */
    const uint8_t *provoking; /* [count] 0, 1, 2 */
    uint32_t count;
    uint32_t outside, lost, clip;
};
enum { RASTER_CLIP = 1u << 30, RASTER_FRONT = 1u << 29, RASTER_SETUP_MOST = 16 };
/* Lists in kept[] (room for t->count), in order, the numbers of the triangles that may cover a
 * sample, and of those to be clipped, which have RASTER_CLIP added and are not tested further.
 * Returns the number of entries. Adds to *drawn the number of the triangles that are not outside,
 * not lost, not to be clipped, and have an area. */
#define CULL_ARGUMENTS                                                                             \
    (const struct raster_state *s, const struct raster_vertices *v,                                \
     const struct raster_triangles *t, uint32_t *kept, uint64_t *drawn)
extern uint32_t(*const raster_cull[SIMD_LEVELS]) CULL_ARGUMENTS;
/* For triangles that are not to be filled: lists in kept[], in order, the numbers of the triangles
 * that are not outside and not culled by their facing. RASTER_FRONT is added for a triangle that
 * faces front, RASTER_CLIP for one to be clipped, which is not culled. Returns the count. */
#define FACES_ARGUMENTS                                                                            \
    (const struct raster_state *s, const struct raster_vertices *v,                                \
     const struct raster_triangles *t, uint32_t *kept)
extern uint32_t(*const raster_faces[SIMD_LEVELS]) FACES_ARGUMENTS;
/* Sets up n <= RASTER_SETUP_MOST triangles that raster_cull() kept without RASTER_CLIP: integer
 * edges with the top-left rule, the depth plane with polygon offset, and one attribute plane per
 * v[] word. False when out of memory. */
bool raster_setup_triangles(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                            const struct raster_vertices *v, const struct raster_triangles *t,
                            const uint32_t *kept, uint32_t n, struct raster_prim **out);
/* A part of a line: its steps [from, to), in 1/256 step, counted from the first vertex. A step is a
 * pixel along the major axis; for multisampled and smooth lines, a pixel of the line's length. */
struct raster_dash {
    uint32_t from, to;
};
/* Lines inside the guard band, many at a time. A line with a vertex with a `lost` bit is not
 * drawn. */
struct raster_lines {
    const uint32_t *vertex;         /* [2 * count] numbers */
    const uint32_t *provoking;      /* [count] vertex numbers */
    const uint8_t *front;           /* [count] 0: from a polygon that faces away */
    const struct raster_dash *dash; /* [count] the part that is drawn; NULL: whole lines */
    uint32_t count;
    uint32_t lost;
};
/* Finds the lengths of the lines in 1/256 step; 0 if a line cannot be drawn. visible[i]: the steps
 * of line i that may lie inside the scissor. Does not read l->dash. */
#define LINE_STEPS_ARGUMENTS                                                                       \
    (const struct raster_state *s, const struct raster_vertices *v, const struct raster_lines *l,  \
     uint32_t *steps, struct raster_dash *visible)
extern void(*const raster_line_steps[SIMD_LEVELS]) LINE_STEPS_ARGUMENTS;
/* Lists in kept[] (room for l->count), in order, the numbers of the lines that may cover a sample.
 * Returns the number of entries. */
#define CULL_LINES_ARGUMENTS                                                                       \
    (const struct raster_state *s, const struct raster_vertices *v, const struct raster_lines *l,  \
     uint32_t *kept)
extern uint32_t(*const raster_cull_lines[SIMD_LEVELS]) CULL_LINES_ARGUMENTS;
/* Sets up n <= RASTER_SETUP_MOST lines that raster_cull_lines() kept. False when out of memory. */
bool raster_setup_lines(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_lines *l,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out);
/* Points, many at a time. A point whose vertex has a `lost` bit is not drawn. */
struct raster_points {
    const uint32_t *vertex, *provoking; /* [count] vertex numbers */
    const float *size;                  /* [count] pixels */
    const uint8_t *front;               /* [count] 0: from a polygon that faces away */
    uint32_t count;
    uint32_t lost;
};
/* Lists in kept[] (room for p->count), in order, the numbers of the points that may cover a sample.
 * Returns the number of entries. */
#define CULL_POINTS_ARGUMENTS                                                                      \
    (const struct raster_state *s, const struct raster_vertices *v, const struct raster_points *p, \
     uint32_t *kept)
extern uint32_t(*const raster_cull_points[SIMD_LEVELS]) CULL_POINTS_ARGUMENTS;
/* Sets up n <= RASTER_SETUP_MOST points of raster_cull_points(). False when out of memory. */
bool raster_setup_points(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                         const struct raster_vertices *v, const struct raster_points *p,
                         const uint32_t *kept, uint32_t n, struct raster_prim **out);
/* The tiles of a row that a primitive reaches: the primitive touches columns [from, to) and covers
 * columns [whole_from, whole_to) entirely. */
struct raster_tile_span {
    int32_t from, to, whole_from, whole_to;
};
struct raster_tile_span raster_prim_row(const struct raster_targets *t, const struct raster_prim *p,
                                        int32_t row);

/* The decisions of a draw that hold in every tile (plan.h). */
struct draw_plan;
/* Flags of a draw that say which earlier work is unnecessary under primitives that cover a tile.
 * REPLACES: in the pixels that a primitive covers, it replaces the texels of all colour targets.
 * REPLACEABLE: the draw changes nothing but colour, so the draw may be left out where a later draw
 * replaces the colours. */
enum { RASTER_REPLACES = 1, RASTER_REPLACEABLE = 2 };
uint32_t raster_replaces(const struct draw_plan *plan);

struct raster_clear {
    struct raster_rect rect; /* already limited to the target */
    uint8_t color_mask;      /* components of colour target `target` that are written; 0: none */
    uint8_t target;
    bool depth, stencil;
    uint8_t stencil_value, stencil_mask;
    uint16_t layer;
    uint32_t color[4]; /* float bits, or integers for integer formats */
    float depth_value;
    uint64_t number; /* number of the last draw before the clear, for probes */
};

struct raster_counters {
    uint64_t samples_passed;   /* samples of draws with sample_state.count */
    uint64_t fragments, warps; /* fragments shaded (helpers not counted), fragment warps run */
    uint64_t early_rejected;   /* fragments that failed a zeta test before the program, except in
                                blocks that were known to hide all of the primitive */
    struct warp_stats warp;
    struct warp_error error; /* first program error since the caller cleared this field */
};

/* The tile that a thread works on: colour and zeta in 8x4-block order. Each worker thread has one
 * and reuses it. */
struct raster_tile;
struct raster_tile *raster_tile_create(enum simd_level simd);
void raster_tile_free(struct raster_tile *t);
/* Counts the tile's time in the profile from now on; NULL: the time is not counted. */
void raster_tile_set_profile(struct raster_tile *t, struct profile *profile);
/* Begins a tile whose corner is at pixel (x, y) of one layer. Blocks are loaded when first used. */
void raster_tile_begin(struct raster_tile *t, const struct raster_targets *targets, uint32_t layer,
                       int32_t x, int32_t y);
/* Draws consecutive primitives of one draw, in order. Quads of several primitives share warps. fp:
 * an environment of the state's program. more: the next call has the same plan and fp, and may
 * share warps with this call. Returns the number of primitives taken. If the program failed, the
 * number may be below `count`, the last primitive taken is the one that failed (counters->error),
 * and quads that still wait are dropped. */
uint32_t raster_tile_draw(struct raster_tile *t, const struct draw_plan *plan,
                          const struct warp_env *fp, const struct raster_prim *const *prims,
                          uint32_t count, bool more, struct raster_counters *counters);
void raster_tile_clear(struct raster_tile *t, const struct raster_clear *clear);
/* Writes changed pixels back to the surfaces. */
void raster_tile_end(struct raster_tile *t);

/* True if the tile ran out of memory since the last call, so that draws were left out. */
bool raster_tile_take_oom(struct raster_tile *t);
