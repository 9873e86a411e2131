/* Sixteen primitives in the tile, side by side: the pixels that may be covered, edges, samples, and
 * where their depths lie; all of it from what their records keep. In: primitives after setup. Out: a
 * struct group, whose lanes have the values that cover_simd.c computes for one at a time. Inlined into
 * triangles_simd.c, once per SIMD level.
 */
#ifndef RASTER_GROUP_H
#define RASTER_GROUP_H

#include "base/lanes16.h"
#include "raster/cover.h"

enum {
    EDGE_MOST = 1 << 23, /* of a and b: 64 pixels of both stay below 2^30 */
    EDGE_LIMIT = 1 << 30,
};

union row {
    i32x16 v;
    int32_t lane[LANES16];
};
union wide_row {
    f64x16 v;
    double lane[LANES16];
};

/* Sixteen primitives in the tile. */
struct group {
    union row x0, y0, x1, y1; /* pixels that may be covered, from the tile's corner */
    union row a[PRIM_EDGES], b[PRIM_EDGES]; /* edges: per pixel; */
    union row at[PRIM_EDGES]; /* at the centre of the tile's first pixel, within EDGE_LIMIT */
    union row point[PRIM_EDGES][MAX_SAMPLES]; /* of several samples: what they add to the centre's value */
    union row margin[PRIM_EDGES];             /* at most; 0 with one sample */
    bool fourth; /* some have a fourth edge, others are inside of it; else there is none */
    union wide_row z, zdx, zdy; /* scaled depth there, gradient */
    union row low, high;        /* where the depth words lie */
    union wide_row around;      /* how far the depths of a block lie from that of its middle */
    union wide_row z_low, z_high; /* depths are clamped to, */
    uint32_t clamped;             /* if they must be: a bit each */
    double sample_x[MAX_SAMPLES], sample_y[MAX_SAMPLES]; /* of several, from the centre, pixels */
    uint32_t live;  /* touch the tile */
    uint32_t front;
    uint32_t fit;   /* can be drawn so */
};

/* ---- sixteen at once ---- */

/* 16 bytes at `offset` of four records, `step` apart, side by side. */
LANES_INLINE u32x16 join_records(const struct prim *const prim[], unsigned step, size_t offset) {
    typedef uint32_t u32x4 __attribute__((vector_size(16), aligned(16)));
    typedef uint32_t u32x8 __attribute__((vector_size(32), aligned(32)));
    u32x4 v[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(&v[i], (const char *)prim[step * i] + offset, sizeof v[i]);
    const u32x8 low = __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 4, 5, 6, 7);
    const u32x8 high = __builtin_shufflevector(v[2], v[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Four words at `offset` of each record, a row for each. */
LANES_INLINE void load_rows(const struct prim *const prim[], size_t offset, i32x16 row[4]) {
    const u32x16 a = join_records(prim, 4, offset), b = join_records(prim + 1, 4, offset),
                 c = join_records(prim + 2, 4, offset), d = join_records(prim + 3, 4, offset);
#define LOW_PAIRS(a, b)                                                                            \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH_PAIRS(a, b)                                                                           \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
    const u32x16 ab[2] = {LOW_PAIRS(a, b), HIGH_PAIRS(a, b)};
    const u32x16 cd[2] = {LOW_PAIRS(c, d), HIGH_PAIRS(c, d)};
    for (unsigned i = 0; i < 2; i++) {
        row[2 * i] = (i32x16)__builtin_shufflevector(ab[i], cd[i], 0, 1, 16, 17, 4, 5, 20, 21, 8, 9,
                                                     24, 25, 12, 13, 28, 29);
        row[2 * i + 1] = (i32x16)__builtin_shufflevector(ab[i], cd[i], 2, 3, 18, 19, 6, 7, 22, 23,
                                                         10, 11, 26, 27, 14, 15, 30, 31);
    }
#undef LOW_PAIRS
#undef HIGH_PAIRS
}

/* Two doubles at `offset` of each record, a row for each. */
LANES_INLINE void load_doubles(const struct prim *const prim[], size_t offset, f64x16 *first,
                               f64x16 *second) {
    typedef double f64x8 __attribute__((vector_size(64), aligned(64)));
    union {
        f64x16 v;
        f64x8 half[2];
    } a, b;
    for (unsigned i = 0; i < 2; i++) {
        const f64x8 even = (f64x8)join_records(prim + 8 * i, 2, offset);
        const f64x8 odd = (f64x8)join_records(prim + 8 * i + 1, 2, offset);
        a.half[i] = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
        b.half[i] = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    *first = a.v;
    *second = b.v;
}

LANES_INLINE i64x16 extend16(i32x16 v) {
    return __builtin_convertvector(v, i64x16);
}

LANES_INLINE i32x16 splat_int16(int32_t v) {
    return v - (i32x16){0};
}

LANES_INLINE f64x16 select16(i64x16 cond, f64x16 a, f64x16 b) {
    return (f64x16)(((i64x16)a & cond) | ((i64x16)b & ~cond));
}

LANES_INLINE f64x16 absolute16(f64x16 v) {
    return (f64x16)((i64x16)v & INT64_MAX);
}

LANES_INLINE i32x16 limit_to_tile(i32x16 v, int32_t from) {
    return min16(max16(v - from, splat_int16(0)), splat_int16(TILE_SIZE));
}

/* Where they lie in the tile. */
LANES_INLINE void place_group(struct group *g, const struct raster_tile *t, const i32x16 r[4]) {
    g->x0.v = limit_to_tile(r[0], t->x);
    g->y0.v = limit_to_tile(r[1], t->y);
    g->x1.v = limit_to_tile(r[2], t->x);
    g->y1.v = limit_to_tile(r[3], t->y);
    g->live = mask16((u32x16)((g->x0.v < g->x1.v) & (g->y0.v < g->y1.v)));
}

/* What samples add to an edge whose value at the centre is `at`, in 48.16; `center` in 48.8. */
LANES_INLINE void point_group(struct group *g, const struct draw_plan *plan, unsigned k, i32x16 a,
                              i32x16 b, i64x16 at, i64x16 center) {
    for (uint32_t n = 0; n < plan->samples; n++) {
        const uint8_t *position = sample_position[plan->sample_shift][n];
        const int32_t x = (position[0] - 8) * (SUBPIXEL / 16);
        const int32_t y = (position[1] - 8) * (SUBPIXEL / 16);
        const i64x16 there = (at + extend16(a) * x + extend16(b) * y) >> SUBPIXEL_BITS;
        g->point[k][n].v = narrow(there - center);
    }
    g->margin[k].v = (max16(a, -a) + max16(b, -b)) / 2 + 1;
}

/* An edge from (x, y) on. */
struct group_edge {
    i32x16 x, y, a, b;
    i32x16 outside; /* -1: points on it are */
};

LANES_INLINE struct group_edge make_edge(i32x16 x, i32x16 y, i32x16 next_x, i32x16 next_y) {
    struct group_edge e = {x, y, y - next_y, next_x - x, splat_int16(0)};
    e.outside = ~((e.a > 0) | ((e.a == 0) & (e.b > 0)));
    return e;
}

/* `then` in the lanes of cond. */
LANES_INLINE void replace_edge(struct group_edge *e, i32x16 cond, const struct group_edge *then) {
    e->x = (i32x16)blend16(cond, (u32x16)then->x, (u32x16)e->x);
    e->y = (i32x16)blend16(cond, (u32x16)then->y, (u32x16)e->y);
    e->a = (i32x16)blend16(cond, (u32x16)then->a, (u32x16)e->a);
    e->b = (i32x16)blend16(cond, (u32x16)then->b, (u32x16)e->b);
    e->outside = (i32x16)blend16(cond, (u32x16)then->outside, (u32x16)e->outside);
}

/* An edge that is beyond the limit anywhere in the tile has one sign in all of it. */
LANES_INLINE void edge_group(struct group *g, const struct raster_tile *t, unsigned k,
                             const struct group_edge *e, bool multi) {
    const i32x16 a = e->a, b = e->b;
    const i32x16 tile_x = splat_int16(t->x * SUBPIXEL + SUBPIXEL_HALF);
    const i32x16 tile_y = splat_int16(t->y * SUBPIXEL + SUBPIXEL_HALF);
    const i64x16 fine = extend16(a) * extend16(tile_x - e->x) +
                        extend16(b) * extend16(tile_y - e->y) + extend16(e->outside);
    i64x16 at = fine >> SUBPIXEL_BITS;
    g->margin[k].v = splat_int16(0);
    if (multi)
        point_group(g, t->plan, k, a, b, fine, at);
    const i64x16 limit = EDGE_LIMIT - (i64x16){0};
    const i64x16 above = at > limit, below = at < -limit;
    at = (at & ~above & ~below) | (limit & above) | (-limit & below);
    const i32x16 most = splat_int16(EDGE_MOST);
    g->fit &= mask16((u32x16)((a < most) & (a > -most) & (b < most) & (b > -most)));
    g->a[k].v = a;
    g->b[k].v = b;
    g->at[k].v = narrow(at);
}

/* The middle of pixels [from, to), and how far they lie from it, counted from centre to centre. */
LANES_INLINE void find_span(i32x16 from, i32x16 to, f64x16 *middle, f64x16 *around) {
    *middle = wide(from + to - 1) * 0.5;
    *around = wide(to - from - 1) * 0.5;
}

/* No ?:, as in depth_words32(). */
LANES_INLINE i32x16 depth_words16(const struct draw_plan *plan, f64x16 z) {
    if (plan->zkey.is_float)
        return (i32x16) __builtin_convertvector(z, f32x16);
    return __builtin_convertvector(z, i32x16);
}

/* What depths are clamped to, viewport by viewport. */
LANES_INLINE void range_group(struct group *g, const struct draw_plan *plan, i32x16 viewport) {
    if (!mask16((u32x16)(viewport != 0))) {
        g->z_low.v = plan->z_range[0].low - (f64x16){0};
        g->z_high.v = plan->z_range[0].high - (f64x16){0};
        return;
    }
    for (unsigned i = 0; i < LANES16; i++) {
        g->z_low.lane[i] = plan->z_range[viewport[i]].low;
        g->z_high.lane[i] = plan->z_range[viewport[i]].high;
    }
}

/* Depth planes based on the tile, given at pixel (x0, y0); where the depths lie in the bounds, and whether
 * some lane of a block they touch must be clamped. */
LANES_INLINE void depth_group(struct group *g, const struct raster_tile *t,
                              const struct prim *const prim[], i32x16 x0, i32x16 y0, bool multi) {
    const struct draw_plan *plan = t->plan;
    const double scale = plan->z_scale, half = plan->z_half;
    f64x16 corner, z, zdx, zdy;
    load_doubles(prim, offsetof(struct prim, corner[2]), &corner, &z);
    load_doubles(prim, offsetof(struct prim, zdx), &zdx, &zdy);
    g->zdx.v = zdx * scale;
    g->zdy.v = zdy * scale;
    g->z.v = (z + zdx * wide(t->x - x0) + zdy * wide(t->y - y0)) * scale + half;
    const f64x16 low = g->z_low.v, high = g->z_high.v;
    const f64x16 ax = absolute16(g->zdx.v), ay = absolute16(g->zdy.v);
    /* With samples half a pixel more than from centre to centre, each way. */
    const f64x16 slack =
        DEPTH_SLACK * (absolute16(g->z.v) + TILE_SIZE * (ax + ay)) + (multi ? 0.5 : 0) * (ax + ay);
    f64x16 mx, my, rx, ry;
    find_span(g->x0.v & -BLOCK_W, (g->x1.v + (BLOCK_W - 1)) & -BLOCK_W, &mx, &rx);
    find_span(g->y0.v & -BLOCK_H, (g->y1.v + (BLOCK_H - 1)) & -BLOCK_H, &my, &ry);
    f64x16 middle = g->z.v + mx * g->zdx.v + my * g->zdy.v, around = rx * ax + ry * ay + slack;
    g->clamped = ~mask16((u32x16)narrow((middle - around >= low) & (middle + around <= high)));
    g->around.v = (BLOCK_W - 1) / 2.0 * ax + (BLOCK_H - 1) / 2.0 * ay + slack;
    find_span(g->x0.v, g->x1.v, &mx, &rx);
    find_span(g->y0.v, g->y1.v, &my, &ry);
    middle = g->z.v + mx * g->zdx.v + my * g->zdy.v;
    around = rx * ax + ry * ay + slack;
    f64x16 near = middle - around, far = middle + around;
    near = select16(near > low, near, low); /* a NaN is the lowest */
    near = select16(near < high, near, high);
    far = select16(far > low, far, low);
    far = select16(far < high, far, high);
    g->low.v = depth_words16(plan, near);
    g->high.v = depth_words16(plan, far);
}

/* The same for 32 lanes of primitive i, limited. */
LANES_INLINE i32x32 limited_words(const struct group *g, uint32_t i, f64x32 z, bool is_float) {
    const f64x32 low = g->z_low.lane[i] - (f64x32){0}, high = g->z_high.lane[i] - (f64x32){0};
    return depth_words32(limit_depths(z, low, high), is_float);
}

static void sample_group(struct group *g, const struct draw_plan *plan) {
    for (uint32_t s = 0; s < plan->samples; s++) {
        g->sample_x[s] = (sample_position[plan->sample_shift][s][0] - 8) / 16.0;
        g->sample_y[s] = (sample_position[plan->sample_shift][s][1] - 8) / 16.0;
    }
}

/* Primitives of that kind that are sharp and not stippled, covered by samples if there are several. */
LANES_INLINE i32x16 has_shape(i32x16 facts, enum prim_edges edges, bool multi) {
    const uint32_t as = prim_word((struct prim){.edge_count = edges, .multisample = multi}, PRIM_FACTS);
    const uint32_t all = prim_word(
        (struct prim){.edge_count = 7, .stippled = 1, .smooth = 3, .multisample = 1}, PRIM_FACTS);
    return (facts & (int32_t)all) == (int32_t)as;
}

/* The edge has nothing outside in those lanes. */
LANES_INLINE void drop_edge(struct group *g, unsigned k, i32x16 lanes, uint32_t points) {
    g->a[k].v &= ~lanes;
    g->b[k].v &= ~lanes;
    g->at[k].v &= ~lanes;
    for (uint32_t n = 0; n < points; n++)
        g->point[k][n].v &= ~lanes;
}

/* A band's second edge runs through its third corner; points on the side of smaller coordinates are
 * inside. */
LANES_INLINE void band_edges(struct group_edge edge[3], i32x16 bands) {
    struct group_edge back = {edge[2].x, edge[2].y, -edge[0].a, -edge[0].b, splat_int16(0)};
    replace_edge(&edge[1], bands, &back);
    for (unsigned k = 0; k < 2; k++) {
        const i32x16 a = edge[k].a, b = edge[k].b, steep = max16(b, -b) < max16(a, -a);
        const i32x16 inside = (i32x16)blend16(steep, (u32x16)(a > 0), (u32x16)(b > 0));
        edge[k].outside = (i32x16)blend16(bands, (u32x16)~inside, (u32x16)edge[k].outside);
    }
}

/* From the third corner of a parallelogram to the fourth, and to the first one. */
LANES_INLINE void parallelogram_edges(struct group_edge edge[4], i32x16 lanes) {
    const i32x16 x = edge[0].x + edge[2].x - edge[1].x, y = edge[0].y + edge[2].y - edge[1].y;
    const struct group_edge third = make_edge(edge[2].x, edge[2].y, x, y);
    edge[3] = make_edge(x, y, edge[0].x, edge[0].y);
    replace_edge(&edge[2], lanes, &third);
}

LANES_INLINE bool any_lane(i32x16 lanes) {
    return mask16((u32x16)lanes) != 0;
}

/* Edges of triangles, of what is flat on the screen like them, and of what has none. With several samples
 * parallelograms are there, with one bands and squares. */
LANES_INLINE void find_edges(struct group *g, const struct raster_tile *t, const i32x16 x[3],
                             const i32x16 y[3], i32x16 facts, bool multi) {
    struct group_edge edge[PRIM_EDGES];
    const i32x16 squares = has_shape(facts, EDGES_NONE, multi);
    const i32x16 four = has_shape(facts, EDGES_PARALLELOGRAM, multi);
    const i32x16 bands = has_shape(facts, EDGES_BAND, multi);
    for (unsigned k = 0; k < 3; k++)
        edge[k] = make_edge(x[k], y[k], x[(k + 1) % 3], y[(k + 1) % 3]);
    g->fit = mask16((u32x16)(has_shape(facts, EDGES_TRIANGLE, multi) | (multi ? four : squares | bands)));
    g->fourth = multi && any_lane(four);
    if (!multi && any_lane(bands))
        band_edges(edge, bands);
    if (g->fourth)
        parallelogram_edges(edge, four);
    for (unsigned k = 0; k < (g->fourth ? 4 : 3); k++)
        edge_group(g, t, k, &edge[k], multi);
    if (g->fourth)
        drop_edge(g, 3, ~four, t->plan->samples);
    for (unsigned k = 0; k < 3 && !multi; k++)
        drop_edge(g, k, k == 2 ? squares | bands : squares, 0);
}

/* Fields of the records. */
struct group_fields {
    i32x16 bounds[4], x[3], y[3];
    i32x16 origin_x, origin_y, viewport, facts;
};

LANES_INLINE void load_group(struct group_fields *f, const struct prim *const prim[]) {
    i32x16 first[4], second[4], third[4];
    load_rows(prim, 0, first);
    load_rows(prim, offsetof(struct prim, corner), second);
    load_rows(prim, offsetof(struct prim, corner[2]), third);
    const uint32_t viewport = prim_word((struct prim){.viewport = 1}, PRIM_FACTS);
    for (unsigned i = 0; i < 4; i++)
        f->bounds[i] = i % 2 ? (i32x16)((u32x16)first[i / 2] >> 16) : first[i / 2] & 0xffff;
    f->origin_y = first[2] >> ORIGIN_SHIFT;
    f->facts = first[3];
    f->origin_x = f->facts >> ORIGIN_SHIFT;
    f->viewport = f->facts >> __builtin_ctz(viewport) & (RASTER_VIEWPORTS - 1);
    for (unsigned k = 0; k < 2; k++) {
        f->x[k] = second[2 * k];
        f->y[k] = second[2 * k + 1];
    }
    f->x[2] = third[0];
    f->y[2] = third[1];
}

LANES_INLINE void make_group(struct group *g, const struct raster_tile *t,
                             const struct prim *const prim[], enum cover_kind kind, bool multi) {
    struct group_fields f;
    load_group(&f, prim);
    const uint32_t front = prim_word((struct prim){.front = 1}, PRIM_FACTS);
    g->front = mask16((u32x16)((f.facts & (int32_t)front) != 0));
    place_group(g, t, f.bounds);
    find_edges(g, t, f.x, f.y, f.facts, multi);
    if (kind == COVER_BARE)
        return;
    range_group(g, t->plan, f.viewport);
    depth_group(g, t, prim, f.origin_x, f.origin_y, multi);
    if (multi)
        sample_group(g, t->plan);
}

#endif
