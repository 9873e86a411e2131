/* Setup as the pipeline calls it: records are allocated here, and filled at the SIMD level that is
 * asked for (setup_simd.c, setup_line_simd.c, setup_point_simd.c). Also the snapping of one vertex,
 * the facing of one triangle and polygon offset. All positions come from the snapped vertices, so
 * coverage and interpolation agree. Must not know tiles.
 */
#include "raster/prim.h"

#include <math.h>
#include <string.h>

enum {
    GUARD_BAND = 65536, /* pixels; the clipper keeps vertices inside */
    LAYER_MASK = (1 << 14) - 1,
    MAX_LINE_WIDTH = 1024,
};

bool raster_snap(const struct raster_state *s, const struct raster_vertex *v, int32_t window[2]) {
    /* Comparisons that are false for NaN. */
    if (!(fabsf(v->x) <= GUARD_BAND && fabsf(v->y) <= GUARD_BAND) || !isfinite(v->z) ||
        !isfinite(v->rhw))
        return false;
    const int32_t shift = s->clip_half_pixel ? SUBPIXEL_HALF : 0;
    window[0] = (int32_t)lrint((double)v->x * SUBPIXEL) + shift;
    window[1] = (int32_t)lrint((double)v->y * SUBPIXEL) + shift;
    return true;
}

bool raster_facing(const struct raster_state *s, const struct raster_vertex *const v[3],
                   int64_t *area2) {
    int32_t f[3][2];
    *area2 = 0;
    for (int i = 0; i < 3; i++) {
        if (!raster_snap(s, v[i], f[i]))
            return false;
    }
    *area2 = (int64_t)(f[1][0] - f[0][0]) * (f[2][1] - f[0][1]) -
             (int64_t)(f[2][0] - f[0][0]) * (f[1][1] - f[0][1]);
    return (*area2 < 0) == s->front_ccw;
}

/* The smallest depth difference polygon offset counts in (GL: r). */
static double offset_unit_size(enum pixel_format f, double max_z) {
    int exponent;
    switch (f) {
    case FORMAT_Z16_UNORM:
        return 0x1p-16;
    case FORMAT_Z32_FLOAT:
    case FORMAT_Z32_FLOAT_S8:
        frexp(max_z, &exponent);
        return ldexp(1.0, exponent - 24);
    default:
        return 0x1p-24;
    }
}

double setup_offset(const struct raster_state *s, double zdx, double zdy, double max_z) {
    const double slope = fmax(fabs(zdx), fabs(zdy));
    const double offset = s->offset_factor * slope +
                          s->offset_units * offset_unit_size(s->targets->zeta.format, max_z);
    if (s->offset_clamp > 0)
        return fmin(offset, s->offset_clamp);
    if (s->offset_clamp < 0)
        return fmax(offset, s->offset_clamp);
    return offset;
}

double setup_line_width(const struct raster_state *s) {
    return s->line_width >= 1 ? fmin(s->line_width, MAX_LINE_WIDTH) : 1;
}

/* ---- records ---- */

/* What the records of a state have in common but their shape. */
static struct prim common_record(const struct raster_state *s, const struct raster_vertices *v) {
    return (struct prim){.base.layer = v->layer & LAYER_MASK,
                         .multisample = s->multisample && s->targets->samples > 1};
}

/* Records of n <= RASTER_BATCH primitives, each at the beginning of a cache line; the rest of
 * prim[] repeats the first one. False when out of memory. */
static bool make_records(const struct raster_state *s, struct arena *arena, uint32_t n,
                         struct prim *prim[RASTER_BATCH], struct raster_prim **out) {
    const size_t line = 64, bytes = (prim_bytes(s) + line - 1) & -line;
    char *at = arena_alloc(arena, n * bytes);
    if (!at)
        return false;
    for (uint32_t i = 0; i < RASTER_BATCH; i++)
        prim[i] = (struct prim *)(at + (i < n ? i : 0) * bytes);
    for (uint32_t i = 0; i < n; i++)
        out[i] = &prim[i]->base;
    return true;
}

/* ---- by SIMD level ---- */

static uint32_t(*const setup_cull[]) CULL_ARGUMENTS = SIMD_TABLE(setup_cull);
static uint32_t(*const setup_faces[]) FACES_ARGUMENTS = SIMD_TABLE(setup_faces);
static void(*const setup_batch[]) BATCH_ARGUMENTS = SIMD_TABLE(setup_batch);
static uint32_t(*const setup_cull_lines[]) CULL_LINES_ARGUMENTS = SIMD_TABLE(setup_cull_lines);
static void(*const setup_line_steps[]) LINE_STEPS_ARGUMENTS = SIMD_TABLE(setup_line_steps);
static void(*const setup_lines[]) LINES_ARGUMENTS = SIMD_TABLE(setup_lines);
static uint32_t(*const setup_cull_points[]) CULL_POINTS_ARGUMENTS = SIMD_TABLE(setup_cull_points);
static void(*const setup_points[]) POINTS_ARGUMENTS = SIMD_TABLE(setup_points);

uint32_t raster_faces(enum simd_level simd, const struct raster_state *s,
                      const struct raster_vertices *v, const struct raster_triangles *t,
                      uint32_t *kept) {
    return setup_faces[simd](s, v, t, kept);
}

uint32_t raster_cull(enum simd_level simd, const struct raster_state *s,
                     const struct raster_vertices *v, const struct raster_triangles *t,
                     uint32_t *kept, uint64_t *drawn) {
    return setup_cull[simd](s, v, t, kept, drawn);
}

bool raster_setup_batch(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_triangles *t,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_BATCH];
    common.edge_count = EDGES_TRIANGLE;
    common.stippled = s->polygon_stipple;
    common.smooth = s->polygon_smooth && !common.multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_batch[simd](s, v, t, kept, n, &common, prim);
    return true;
}

uint32_t raster_cull_lines(enum simd_level simd, const struct raster_state *s,
                           const struct raster_vertices *v, const struct raster_lines *l,
                           uint32_t *kept) {
    return setup_cull_lines[simd](s, v, l, kept);
}

void raster_line_steps(enum simd_level simd, const struct raster_state *s,
                       const struct raster_vertices *v, const struct raster_lines *l,
                       uint32_t *steps, struct raster_dash *visible) {
    setup_line_steps[simd](s, v, l, steps, visible);
}

bool raster_setup_lines(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_lines *l,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_BATCH];
    common.edge_count = setup_line_edges(s);
    common.smooth = s->line_smooth && !common.multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_lines[simd](s, v, l, kept, n, &common, prim);
    return true;
}

uint32_t raster_cull_points(enum simd_level simd, const struct raster_state *s,
                            const struct raster_vertices *v, const struct raster_points *p,
                            uint32_t *kept) {
    return setup_cull_points[simd](s, v, p, kept);
}

bool raster_setup_points(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                         const struct raster_vertices *v, const struct raster_points *p,
                         const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_BATCH];
    common.edge_count = common.multisample ? EDGES_PARALLELOGRAM : EDGES_NONE;
    common.smooth = setup_point_smooth(s);
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_points[simd](s, v, p, kept, n, &common, prim);
    return true;
}
