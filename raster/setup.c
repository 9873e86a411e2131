/* Set-up as the pipeline calls it: allocates the records of primitives; setup_simd.c,
 * setup_line_simd.c and setup_point_simd.c fill the records, at the SIMD level of the caller. Also
 * the snapping of one vertex, the facing of one triangle and polygon offset; and facts about
 * primitives after set-up: which tiles and samples they touch, their number. All positions come
 * from the snapped vertices, so coverage and interpolation agree. Must not know tiles' contents.
 */
#include "raster/prim.h"
#include "raster/probe.h"

#include <math.h>
#include <string.h>

enum {
    GUARD_BAND = 65536, /* pixels; the clipper keeps vertices within it */
    LAYER_MASK = (1 << 14) - 1,
    MAX_LINE_WIDTH = 1024,
};

bool raster_snap(const struct raster_state *s, const struct raster_vertex *v, int32_t window[2]) {
    /* These comparisons are false for NaN. */
    if (!(fabsf(v->x) <= GUARD_BAND && fabsf(v->y) <= GUARD_BAND) || !isfinite(v->z) ||
        !isfinite(v->rhw))
        return false;
    const int32_t shift = s->setup.pixel_center_integer ? SUBPIXEL_HALF : 0;
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
    return (*area2 < 0) == s->setup.front_ccw;
}

/* The depth difference that one unit of polygon offset makes (OpenGL: r). */
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
    const double offset = s->setup.offset_factor * slope +
                          s->setup.offset_units * offset_unit_size(s->targets->zeta.format, max_z);
    if (s->setup.offset_clamp > 0)
        return fmin(offset, s->setup.offset_clamp);
    if (s->setup.offset_clamp < 0)
        return fmax(offset, s->setup.offset_clamp);
    return offset;
}

double setup_line_width(const struct raster_state *s) {
    return s->setup.line_width >= 1 ? fmin(s->setup.line_width, MAX_LINE_WIDTH) : 1;
}

/* ---- records ---- */

/* The fields that the records of all shapes have in common. */
static struct prim common_record(const struct raster_state *s, const struct raster_vertices *v) {
    return (struct prim){.base.layer = v->layer & LAYER_MASK,
                         .multisample = raster_multisamples(s)};
}

/* Allocates records of n <= RASTER_SETUP_MOST primitives, each at the beginning of a cache line.
 * Further entries of prim[] repeat the first one. False when out of memory. */
static bool make_records(const struct raster_state *s, struct arena *arena, uint32_t n,
                         struct prim *prim[RASTER_SETUP_MOST], struct raster_prim **out) {
    const size_t line = 64, bytes = (prim_bytes(s) + line - 1) & -line;
    char *at = arena_alloc(arena, n * bytes);
    if (!at)
        return false;
    for (uint32_t i = 0; i < RASTER_SETUP_MOST; i++)
        prim[i] = (struct prim *)(at + (i < n ? i : 0) * bytes);
    for (uint32_t i = 0; i < n; i++)
        out[i] = &prim[i]->base;
    return true;
}

/* ---- by SIMD level ---- */

uint32_t(*const raster_cull[]) CULL_ARGUMENTS = SIMD_TABLE(setup_cull);
uint32_t(*const raster_faces[]) FACES_ARGUMENTS = SIMD_TABLE(setup_faces);
SIMD_CHOICE(setup_triangles, setup_triangles);
uint32_t(*const raster_cull_lines[]) CULL_LINES_ARGUMENTS = SIMD_TABLE(setup_cull_lines);
void(*const raster_line_steps[]) LINE_STEPS_ARGUMENTS = SIMD_TABLE(setup_line_steps);
SIMD_CHOICE(setup_lines, setup_lines);
uint32_t(*const raster_cull_points[]) CULL_POINTS_ARGUMENTS = SIMD_TABLE(setup_cull_points);
SIMD_CHOICE(setup_points, setup_points);

bool raster_setup_triangles(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                            const struct raster_vertices *v, const struct raster_triangles *t,
                            const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_SETUP_MOST];
    common.edge_count = EDGES_TRIANGLE;
    common.stippled = s->setup.polygon_stipple;
    common.smooth = s->setup.polygon_smooth && !common.multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_triangles[simd](s, v, t, kept, n, &common, prim);
    return true;
}

bool raster_setup_lines(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                        const struct raster_vertices *v, const struct raster_lines *l,
                        const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_SETUP_MOST];
    common.edge_count = setup_line_edges(s);
    common.smooth = s->setup.line_smooth && !common.multisample ? SMOOTH_EDGES : SMOOTH_OFF;
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_lines[simd](s, v, l, kept, n, &common, prim);
    return true;
}

bool raster_setup_points(enum simd_level simd, const struct raster_state *s, struct arena *arena,
                         const struct raster_vertices *v, const struct raster_points *p,
                         const uint32_t *kept, uint32_t n, struct raster_prim **out) {
    struct prim common = common_record(s, v), *prim[RASTER_SETUP_MOST];
    common.edge_count = common.multisample ? EDGES_PARALLELOGRAM : EDGES_NONE;
    common.smooth = setup_point_smooth(s);
    if (!make_records(s, arena, n, prim, out))
        return false;
    setup_points[simd](s, v, p, kept, n, &common, prim);
    return true;
}

/* ---- primitives after set-up ---- */

const uint8_t sample_position[4][8][2] = {
    {{8, 8}},
    {{4, 4}, {12, 12}},
    {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
    {{1, 7}, {5, 3}, {3, 13}, {7, 11}, {9, 5}, {15, 1}, {11, 15}, {13, 9}},
};

const uint8_t smooth_position[SMOOTH_POINTS][2] = {
    {8, 88},    {24, 184}, {40, 40},   {56, 232},  {72, 136}, {88, 8},    {104, 200}, {120, 104},
    {136, 168}, {152, 56}, {168, 248}, {184, 120}, {200, 24}, {216, 216}, {232, 72},  {248, 152},
};

/* Returns the distance, in 1/256 pixel, from a tile's corner to the last possible position of a
 * sample. In the last pixel that position is at 15/16, in smooth primitives at 31/32. Points beyond
 * do not count: an edge along the tile's far side, which excludes every sample, excludes the
 * tile. */
static int64_t last_position(int32_t pixels) {
    return (int64_t)pixels * SUBPIXEL - SUBPIXEL / 32;
}

/* The distances from an edge's value at a tile's corner to its highest and lowest values in the
 * tile. */
struct edge_reach {
    int64_t high, low;
};

static struct edge_reach edge_reach(const struct prim_edge *e, int64_t w, int64_t h) {
    return (struct edge_reach){(e->a > 0 ? e->a : 0) * w + (e->b > 0 ? e->b : 0) * h,
                               (e->a < 0 ? e->a : 0) * w + (e->b < 0 ? e->b : 0) * h};
}

int raster_prim_tile(const struct raster_targets *t, const struct raster_prim *prim, int32_t x,
                     int32_t y) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const int32_t width = (int32_t)t->width, height = (int32_t)t->height;
    const int32_t x1 = x + TILE_SIZE < width ? x + TILE_SIZE : width;
    const int32_t y1 = y + TILE_SIZE < height ? y + TILE_SIZE : height;
    if (r->x0 >= x1 || r->x1 <= x || r->y0 >= y1 || r->y1 <= y)
        return 0;
    int result = r->x0 <= x && r->y0 <= y && r->x1 >= x1 && r->y1 >= y1 ? 2 : 1;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const int64_t corner = e.c + ((int64_t)e.a * x + (int64_t)e.b * y) * SUBPIXEL;
        const struct edge_reach reach =
            edge_reach(&e, last_position(x1 - x), last_position(y1 - y));
        if (corner + reach.high < 0)
            return 0;
        if (corner + reach.low < 0)
            result = 1;
    }
    return result;
}

/* Limits columns [*from, *to) to those where at + column * step is not negative. */
static void limit_columns(int64_t at, int64_t step, int32_t *from, int32_t *to) {
    if (step > 0 && at + *from * step < 0) {
        const int64_t first = (-at + step - 1) / step;
        *from = first < *to ? (int32_t)first : *to;
    } else if (step < 0 && at + (*to - 1) * step < 0) {
        const int64_t end = at < 0 ? 0 : at / -step + 1;
        *to = end > *from ? (int32_t)end : *from;
    } else if (step == 0 && at < 0) {
        *to = *from;
    }
}

/* Adds the result of raster_prim_tile() for the next column. */
static void add_column(struct raster_tile_span *s, int32_t column, int touches) {
    if (touches) {
        s->from = s->from < s->to ? s->from : column;
        s->to = column + 1;
    }
    if (touches == 2) {
        s->whole_from = s->whole_from < s->whole_to ? s->whole_from : column;
        s->whole_to = column + 1;
    }
}

struct raster_tile_span raster_prim_row(const struct raster_targets *t,
                                        const struct raster_prim *prim, int32_t row) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const int32_t width = (int32_t)t->width, height = (int32_t)t->height;
    const int32_t y = row * TILE_SIZE, last = (r->x1 - 1) / TILE_SIZE, full = width / TILE_SIZE;
    const int32_t y1 = y + TILE_SIZE < height ? y + TILE_SIZE : height;
    struct raster_tile_span s = {r->x0 / TILE_SIZE, last + 1, (r->x0 + TILE_SIZE - 1) / TILE_SIZE,
                                 r->x1 / TILE_SIZE};
    const bool narrow = last >= full; /* the target ends within that column */
    s.to -= narrow;
    if (r->y0 > y || r->y1 < y1)
        s.whole_to = s.whole_from;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const struct edge_reach reach =
            edge_reach(&e, last_position(TILE_SIZE), last_position(y1 - y));
        const int64_t at = e.c + (int64_t)e.b * y * SUBPIXEL;
        const int64_t step = (int64_t)e.a * TILE_SIZE * SUBPIXEL;
        if (s.from < s.to)
            limit_columns(at + reach.high, step, &s.from, &s.to);
        if (s.whole_from < s.whole_to)
            limit_columns(at + reach.low, step, &s.whole_from, &s.whole_to);
    }
    if (narrow)
        add_column(&s, last, raster_prim_tile(t, prim, last * TILE_SIZE, y));
    return s;
}

/* True if the primitive covers the point (sx, sy) / 256 of pixel (x, y). */
static bool covers_point(const struct prim *p, int32_t x, int32_t y, int32_t sx, int32_t sy) {
    if (p->smooth == SMOOTH_CIRCLE) {
        const struct prim_circle *circle = &p->circle;
        const double dx = (double)x * SUBPIXEL + sx - circle->x;
        const double dy = (double)y * SUBPIXEL + sy - circle->y;
        return dx * dx + dy * dy <= circle->radius2;
    }
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        const int64_t at = (e.c + (int64_t)e.a * sx + (int64_t)e.b * sy) >> SUBPIXEL_BITS;
        if ((int64_t)e.a * x + (int64_t)e.b * y + at < 0)
            return false;
    }
    return true;
}

bool raster_prim_covers(const struct raster_prim *prim, const struct raster_probe_pixel *at,
                        uint32_t samples) {
    const struct prim *p = (const struct prim *)prim;
    const struct raster_box *r = &prim->bounds;
    const uint32_t shift = p->multisample ? (uint32_t)__builtin_ctz(samples) : 0;
    const uint8_t *sample = sample_position[shift & 3][p->multisample ? at->sample & 7 : 0];
    if (prim->layer != at->layer || at->x < r->x0 || at->x >= r->x1 || at->y < r->y0 ||
        at->y >= r->y1)
        return false;
    if (p->smooth == SMOOTH_OFF)
        return covers_point(p, at->x, at->y, sample[0] * SUBPIXEL / 16, sample[1] * SUBPIXEL / 16);
    for (int i = 0; i < SMOOTH_POINTS; i++)
        if (covers_point(p, at->x, at->y, smooth_position[i][0], smooth_position[i][1]))
            return true;
    return false;
}

bool raster_prim_front(const struct raster_prim *p) {
    return ((const struct prim *)p)->front;
}

/* Returns the place of a primitive's number, which follows the planes. */
static char *number_place(const struct raster_state *s, const struct raster_prim *p) {
    return (char *)(uintptr_t)(((const struct prim *)p)->plane + s->word_count);
}

void raster_prim_set_number(const struct raster_state *s, struct raster_prim *p, uint32_t number) {
    if (s->numbered)
        memcpy(number_place(s, p), &number, sizeof number);
}

uint32_t raster_prim_number(const struct raster_state *s, const struct raster_prim *p) {
    uint32_t number = 0;
    if (s->numbered)
        memcpy(&number, number_place(s, p), sizeof number);
    return number;
}
