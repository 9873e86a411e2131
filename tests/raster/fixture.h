/* Fixture of the raster tests: targets in plain memory, a default state, and a fragment stage that
 * is a C function instead of a program, so that the rasterizer is tested alone. The functions of
 * shader/warp.h that are defined here replace those of shader/ in the link. */
#ifndef TESTS_RASTER_FIXTURE_H
#define TESTS_RASTER_FIXTURE_H

#include "raster/functions.h"
#include "raster/tile.h"
#include "tests/test.h"
#include "tests/shapes.h"

/* The window x of the centre of the pixel at a record's origin. */
static inline float prim_x0(const struct prim *p) {
    return (float)p->origin_x + 0.5f;
}

static inline float prim_y0(const struct prim *p) {
    return (float)p->base.origin_y + 0.5f;
}

static void (*fragment_stage)(struct warp *w); /* writes w->r[], may add to w->dead */

void warp_keep(struct warp *w, const struct warp_env *env, bool in_fp) {
    (void)w, (void)env, (void)in_fp;
}

unsigned warp_enter_fp(const struct warp_env *env) {
    (void)env;
    return 0;
}

void warp_leave_fp(unsigned saved) {
    (void)saved;
}

enum warp_status warp_launch(struct warp *w, const struct warp_env *env, lane_mask launched,
                             lane_mask helpers) {
    (void)env;
    w->active = launched;
    w->dead = ~launched | helpers;
    fragment_stage(w);
    return WARP_DONE;
}

void warp_free(struct warp *w) {
    (void)w;
}

struct fixture {
    struct raster_targets targets;
    struct raster_state state;
    struct program program;
    struct warp_env fp;
    struct arena arena;
    struct raster_counters counters;
    enum simd_level simd;
    bool general; /* plan.cover is COVER_GENERAL: primitives one by one */
};

/* A surface with its memory, and 64 guard bytes before and behind. Linear surfaces have a pitch
 * larger than the row. */
enum { GUARD = 64 };
static inline struct surface make_surface(enum pixel_format f, uint32_t width, uint32_t height,
                                          uint32_t samples, bool linear) {
    uint32_t sx, sy;
    surface_sample_shift(samples, &sx, &sy);
    struct surface s = SURFACE(f, width << sx, height << sy, 1, .linear = linear, .tile_h = 2);
    s.pitch = linear ? s.width * format_info(f)->bytes + 12 : 0;
    s.layer_stride = surface_layer_bytes(&s);
    s.size = s.layer_stride;
    s.data = (uint8_t *)calloc(1, s.size + 2 * GUARD) + GUARD;
    memset(s.data - GUARD, 0xa5, GUARD);
    memset(s.data + s.size, 0xa5, GUARD);
    return s;
}

static inline void free_surface(struct surface *s) {
    for (int i = 0; i < GUARD && s->data; i++) {
        assert_int_equal(s->data[i - GUARD], 0xa5);
        assert_int_equal(s->data[s->size + (uint64_t)i], 0xa5);
    }
    if (s->data)
        free(s->data - GUARD);
    s->data = NULL;
}

static inline const uint8_t *texel_at(const struct surface *s, uint32_t x, uint32_t y) {
    return s->data + surface_offset(s, x * format_info(s->format)->bytes, y, 0);
}

static inline void fixture_init(struct fixture *f, uint32_t width, uint32_t height,
                                uint32_t samples) {
    memset(f, 0, sizeof(*f));
    f->simd = simd_best();
    f->targets = (struct raster_targets){
        .width = width, .height = height, .layers = 1, .samples = (uint8_t)samples};
    f->program.header.reg_count = 32;
    f->program.facts.centroid = true;
    memset(f->program.facts.varying, 0xff, sizeof f->program.facts.varying);
    f->state.targets = &f->targets;
    f->state.program = f->fp.program = &f->program;
    f->state.sample.multisample = samples > 1;
    f->state.sample.mask = UINT32_MAX;
    f->state.result_regs = 4;
    f->state.setup.line_width = 1;
    for (int i = 0; i < 16; i++) {
        f->state.view[i].scissor = (struct raster_rect){0, 0, (int32_t)width, (int32_t)height};
        f->state.view[i].depth.far = 1;
    }
    for (int i = 0; i < RASTER_TARGETS; i++) {
        f->state.color.mask[i] = 15;
        f->state.color.blend[i] = (struct blend_target){
            false, EQUATION_ADD, BLEND_ONE, BLEND_ZERO, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
    }
    arena_init(&f->arena);
}

static inline void fixture_color(struct fixture *f, enum pixel_format format, bool linear) {
    f->targets.color[f->targets.color_count++] =
        make_surface(format, f->targets.width, f->targets.height, f->targets.samples, linear);
}

static inline void fixture_zeta(struct fixture *f, enum pixel_format format, bool linear) {
    f->targets.zeta =
        make_surface(format, f->targets.width, f->targets.height, f->targets.samples, linear);
}

/* A state that tests depths by this function and writes them. */
static inline struct zeta_state tested_depths(uint16_t func) {
    return (struct zeta_state){.depth_test = true, .depth_write = true, .depth_func = func};
}

static inline void fixture_free(struct fixture *f) {
    for (int i = 0; i < f->targets.color_count; i++)
        free_surface(&f->targets.color[i]);
    free_surface(&f->targets.zeta);
    arena_free(&f->arena);
}

/* A fixture, started by `begin` and freed at the end of the C block. */
#define FIXTURE(f, begin, ...)                                                                     \
    struct fixture f __attribute__((cleanup(fixture_free)));                                       \
    begin(&f, __VA_ARGS__)

/* Draws the primitives into every tile of the target. NULL entries are skipped. */
static inline void fixture_draw(struct fixture *f, struct raster_prim *const *prim,
                                uint32_t count) {
    struct raster_tile *t = raster_tile_create(f->simd);
    struct draw_plan plan;
    plan_init(&plan, &f->state, f->simd);
    if (f->general)
        plan.cover = COVER_GENERAL;
    const struct raster_prim **list = malloc((count + 1) * sizeof(*list));
    for (uint32_t y = 0; y < f->targets.height; y += TILE_SIZE) {
        for (uint32_t x = 0; x < f->targets.width; x += TILE_SIZE) {
            uint32_t n = 0;
            for (uint32_t i = 0; i < count; i++) {
                if (prim[i] && raster_prim_tile(&f->targets, prim[i], (int32_t)x, (int32_t)y))
                    list[n++] = prim[i];
            }
            raster_tile_begin(t, &f->targets, 0, (int32_t)x, (int32_t)y);
            raster_tile_draw(t, &plan, &f->fp, list, n, false, &f->counters);
            raster_tile_end(t);
        }
    }
    free(list);
    raster_tile_free(t);
}

static const uint32_t no_slots[RASTER_SLOTS];

static inline struct raster_vertex vertex_at(float x, float y, float z) {
    return (struct raster_vertex){.x = x, .y = y, .z = z, .rhw = 1, .slot = no_slots};
}

/* A vertex around a point, up to `size` away, with a depth from z0 to z1. */
static inline struct raster_vertex vertex_near(uint64_t *seed, float x, float y, float size,
                                               float z0, float z1) {
    const float at = x + random_float(seed, -size, size);
    return vertex_at(at, y + random_float(seed, -size, size), random_float(seed, z0, z1));
}

/* Asserts that both fixtures have the same target contents. */
static inline void assert_same_targets(const struct fixture *a, const struct fixture *b) {
    for (int i = 0; i < a->targets.color_count; i++)
        assert_memory_equal(a->targets.color[i].data, b->targets.color[i].data,
                            a->targets.color[i].size);
    if (a->targets.zeta.data)
        assert_memory_equal(a->targets.zeta.data, b->targets.zeta.data, a->targets.zeta.size);
}

/* ---- setup of one primitive, by the functions for many ---- */

/* The facing, provoking vertex, layer and viewport of a primitive. */
struct face {
    bool front;
    uint8_t provoking;
    uint16_t layer, viewport;
};

enum { FIXTURE_VIEWPORT = RASTER_SLOTS + WINDOW_ROWS, FIXTURE_ROWS, FIXTURE_LOST = 1 };

/* Up to three vertices in rows. */
static inline struct raster_vertices fixture_rows(const struct fixture *f,
                                                  const struct raster_vertex *const *v,
                                                  uint32_t count, struct face face, u32x32 *row) {
    struct raster_vertices r = {.word = (const uint32_t *)row,
                                .stride = FIXTURE_ROWS,
                                .window = RASTER_SLOTS,
                                .layer_row = RASTER_NO_ROW,
                                .viewport_row = FIXTURE_VIEWPORT,
                                .layer = face.layer};
    for (uint32_t i = 0; i < RASTER_SLOTS; i++)
        r.row[i] = (uint8_t)i;
    for (uint32_t n = 0; n < count; n++) {
        int32_t at[2] = {0, 0};
        const bool drawn = raster_snap(&f->state, v[n], at);
        for (uint32_t i = 0; i < RASTER_SLOTS; i++)
            row[i][n] = v[n]->slot[i];
        row[RASTER_SLOTS + WINDOW_X][n] = (uint32_t)at[0];
        row[RASTER_SLOTS + WINDOW_Y][n] = (uint32_t)at[1];
        memcpy((uint32_t *)&row[RASTER_SLOTS + WINDOW_Z] + n, &v[n]->z, 4);
        memcpy((uint32_t *)&row[RASTER_SLOTS + WINDOW_RHW] + n, &v[n]->rhw, 4);
        row[RASTER_SLOTS + WINDOW_CODE][n] = drawn ? 0 : FIXTURE_LOST;
        row[FIXTURE_VIEWPORT][n] = face.viewport;
    }
    return r;
}

static inline struct raster_prim *fixture_triangle(struct fixture *f,
                                                   const struct raster_vertex *const v[3],
                                                   struct face face) {
    static const uint32_t corner[3] = {0, 1, 2};
    const struct raster_triangles t = {
        .corner = corner, .provoking = &face.provoking, .count = 1, .lost = FIXTURE_LOST};
    u32x32 row[FIXTURE_ROWS];
    const struct raster_vertices rows = fixture_rows(f, v, 3, face, row);
    struct raster_prim *p = NULL;
    uint64_t drawn = 0;
    uint32_t kept;
    if (raster_cull[f->simd](&f->state, &rows, &t, &kept, &drawn))
        assert_true(raster_setup_triangles(f->simd, &f->state, &f->arena, &rows, &t, &kept, 1, &p));
    return p;
}

static inline struct raster_lines fixture_one_line(const uint32_t vertex[2],
                                                   const uint32_t *provoking, const uint8_t *front,
                                                   const struct raster_dash *dash) {
    return (struct raster_lines){vertex, provoking, front, dash, 1, FIXTURE_LOST};
}

/* A line, or the part of the line that `dash` names. */
static inline struct raster_prim *fixture_line(struct fixture *f,
                                               const struct raster_vertex *const v[2],
                                               struct face face, const struct raster_dash *dash) {
    const uint32_t vertex[2] = {0, 1}, provoking = face.provoking;
    const uint8_t front = face.front;
    const struct raster_lines l = fixture_one_line(vertex, &provoking, &front, dash);
    u32x32 row[FIXTURE_ROWS];
    const struct raster_vertices rows = fixture_rows(f, v, 2, face, row);
    struct raster_prim *p = NULL;
    uint32_t kept;
    if (raster_cull_lines[f->simd](&f->state, &rows, &l, &kept))
        assert_true(raster_setup_lines(f->simd, &f->state, &f->arena, &rows, &l, &kept, 1, &p));
    return p;
}

static inline uint32_t fixture_line_steps(struct fixture *f, const struct raster_vertex *const v[2],
                                          struct raster_dash *visible) {
    const uint32_t vertex[2] = {0, 1}, provoking = 0;
    const uint8_t front = 1;
    const struct raster_lines l = fixture_one_line(vertex, &provoking, &front, NULL);
    u32x32 row[FIXTURE_ROWS];
    const struct raster_vertices rows = fixture_rows(f, v, 2, (struct face){0}, row);
    uint32_t steps;
    raster_line_steps[f->simd](&f->state, &rows, &l, &steps, visible);
    return steps;
}

static inline struct raster_prim *fixture_point(struct fixture *f, const struct raster_vertex *v,
                                                float size, struct face face) {
    const uint32_t vertex = 0;
    const uint8_t front = face.front;
    const struct raster_points points = {&vertex, &vertex, &size, &front, 1, FIXTURE_LOST};
    u32x32 row[FIXTURE_ROWS];
    const struct raster_vertices rows = fixture_rows(f, &v, 1, face, row);
    struct raster_prim *p = NULL;
    uint32_t kept;
    if (raster_cull_points[f->simd](&f->state, &rows, &points, &kept))
        assert_true(
            raster_setup_points(f->simd, &f->state, &f->arena, &rows, &points, &kept, 1, &p));
    return p;
}

/* Moves vertex 1 so that the edge from vertex 0 passes through a point of the picture. */
static inline void aim_edge(struct raster_vertex v[3], float width, float height, uint64_t *seed) {
    const float x = random_float(seed, 0, width), y = random_float(seed, 0, height);
    const float beyond = random_float(seed, 0, 1);
    v[1].x = x + (x - v[0].x) * beyond;
    v[1].y = y + (y - v[0].y) * beyond;
}

static inline struct raster_prim *triangle(struct fixture *f, const struct raster_vertex v[3]) {
    const struct raster_vertex *const p[3] = {&v[0], &v[1], &v[2]};
    return fixture_triangle(f, p, (struct face){0});
}

/* A rectangle as two triangles. */
static inline void rectangle(struct fixture *f, float x0, float y0, float x1, float y1, float z,
                             struct raster_prim *out[2]) {
    const struct raster_vertex v[4] = {vertex_at(x0, y0, z), vertex_at(x1, y0, z),
                                       vertex_at(x0, y1, z), vertex_at(x1, y1, z)};
    out[0] = triangle(f, (const struct raster_vertex[3]){v[0], v[1], v[2]});
    out[1] = triangle(f, (const struct raster_vertex[3]){v[2], v[1], v[3]});
}

static inline void ones(struct warp *w) {
    for (int i = 0; i < 8; i++)
        w->r[i] = (u32x32)lanes_splat_f(1.0f);
}

static inline float float_at(const struct surface *s, uint32_t x, uint32_t y, int component) {
    float v;
    memcpy(&v, texel_at(s, x, y) + 4 * component, 4);
    return v;
}

#endif
