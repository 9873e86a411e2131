/* Setup of lines, sixteen at a time: what covers no pixel is dropped by its bounds and columns, the others
 * get corners, gradients and planes. In: vertices in rows (struct raster_vertices), lines as vertex numbers.
 * Out: the same primitives, bit by bit, that raster_setup_line() makes one at a time of lines without
 * dashes. Must not know tiles.
 */
#include "raster/batch.h"

/* Sixteen lines: where their vertices' words are, and what follows from their positions. */
struct lines {
    u32x16 at[2], provoking;
    i32x16 x[2], y[2];
    f64x16 dx, dy, length2; /* in 1/256 pixel */
    i32x16 x_major;
    i32x16 corners[6]; /* of the band or rectangle, x, y of each */
    struct bounds r;
};

LANES_INLINE i32x16 size_of(i32x16 v) {
    return max16(v, -v);
}

/* To the nearest integer, even ones where two are as near; below 2^31. */
LANES_INLINE i32x16 round_to_even(f64x16 v) {
    const f64x16 whole = v + 0x1.8p52 - 0x1.8p52;
    return __builtin_convertvector(whole, i32x16);
}

LANES_INLINE void find_ends(const struct raster_vertices *v, const struct raster_lines *l,
                            u32x16 line, struct lines *b) {
    for (unsigned k = 0; k < 2; k++) {
        b->at[k] = vertex_at(v, gather16(l->vertex + k, line * 2));
        b->x[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_X);
        b->y[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_Y);
    }
    b->provoking = vertex_at(v, gather16(l->provoking, line));
    b->dx = wide(b->x[1] - b->x[0]);
    b->dy = wide(b->y[1] - b->y[0]);
    b->length2 = b->dx * b->dx + b->dy * b->dy;
    b->x_major = size_of(b->x[1] - b->x[0]) >= size_of(b->y[1] - b->y[0]);
}

/* The first, second and third corner lie (x, y) before, beyond, and before the ends. */
LANES_INLINE void set_corners(struct lines *b, unsigned second, i32x16 x, i32x16 y) {
    const i32x16 sign = (i32x16)splat16(second ? 1 : UINT32_MAX);
    b->corners[0] = b->x[0] + x;
    b->corners[1] = b->y[0] + y;
    b->corners[2] = b->x[second] + x * sign;
    b->corners[3] = b->y[second] + y * sign;
    b->corners[4] = b->x[1] - x;
    b->corners[5] = b->y[1] - y;
}

/* The column (row) of the first diamond that the line has not left at that end (setup_line.c). */
LANES_INLINE i32x16 column_at(const struct lines *b, unsigned end, int32_t shift,
                              i32x16 direction) {
    const i32x16 along = blend_int16(b->x_major, b->x[end], b->y[end]) - 1;
    const i32x16 across = blend_int16(b->x_major, b->y[end], b->x[end]) - shift - 1;
    const i32x16 u = (along & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF; /* from its centre */
    const i32x16 v = (across & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF;
    const i32x16 outside = size_of(u) + size_of(v) - SUBPIXEL_HALF;
    const i32x16 in = (outside < 0) | ((outside == 0) & (blend_int16(b->x_major, v, u) > 0));
    return (along >> SUBPIXEL_BITS) + (direction & ~in & (u * direction > 0));
}

/* Limits the bounds to the columns of aliased lines. */
LANES_INLINE void limit_columns(struct lines *b, int32_t width) {
    const int32_t shift = (width - 1) * SUBPIXEL_HALF;
    const i32x16 d = blend_int16(b->x_major, b->x[1] - b->x[0], b->y[1] - b->y[0]);
    const i32x16 direction = blend_int16(d > 0, (i32x16)splat16(1), (i32x16)splat16(UINT32_MAX));
    const i32x16 first = column_at(b, 0, shift, direction);
    const i32x16 count = (column_at(b, 1, shift, direction) - first) * direction;
    const i32x16 low = blend_int16(direction > 0, first, first - count + 1), high = low + count;
    b->r.x0 = blend_int16(b->x_major, max16(low, b->r.x0), b->r.x0);
    b->r.x1 = blend_int16(b->x_major, min16(high, b->r.x1), b->r.x1);
    b->r.y0 = blend_int16(b->x_major, b->r.y0, max16(low, b->r.y0));
    b->r.y1 = blend_int16(b->x_major, b->r.y1, min16(high, b->r.y1));
}

/* Aliased lines: a band that columns cut off. */
LANES_INLINE void measure_bands(const struct bounds *limits, int32_t width, struct lines *b) {
    const i32x16 half = (i32x16)splat16((uint32_t)width * SUBPIXEL_HALF);
    const i32x16 low = blend_int16(b->x_major, b->x[1] > b->x[0], b->y[1] < b->y[0]);
    const i32x16 side = blend_int16(low, -half, half);
    const int32_t around = (width + 1) * SUBPIXEL_HALF + 1;
    set_corners(b, 1, side & ~b->x_major, side & b->x_major);
    b->r = find_bounds(limits, false, min16(b->x[0], b->x[1]) - around,
                       min16(b->y[0], b->y[1]) - around, max16(b->x[0], b->x[1]) + around,
                       max16(b->y[0], b->y[1]) + around);
    limit_columns(b, width);
}

/* Multisampled and smooth ones: a rectangle. */
LANES_INLINE void measure_rectangles(const struct bounds *limits, double width, struct lines *b) {
    f64x16 scale;
    for (unsigned i = 0; i < LANES16; i++)
        scale[i] = b->length2[i] > 0 ? width * SUBPIXEL_HALF / sqrt(b->length2[i]) : 0;
    const i32x16 x = round_to_even(-b->dy * scale), y = round_to_even(b->dx * scale);
    const i32x16 wide_x = size_of(x), wide_y = size_of(y);
    set_corners(b, 0, x, y);
    b->r = find_bounds(limits, true, min16(b->x[0], b->x[1]) - wide_x,
                       min16(b->y[0], b->y[1]) - wide_y, max16(b->x[0], b->x[1]) + wide_x,
                       max16(b->y[0], b->y[1]) + wide_y);
}

LANES_INLINE void measure_lines(const struct raster_state *s, const struct raster_vertices *v,
                                struct lines *b) {
    const struct bounds limits = find_limits(s, v, b->provoking);
    const double width = setup_line_width(s);
    if (setup_line_edges(s) == EDGES_BAND)
        measure_bands(&limits, (int32_t)lrint(width), b);
    else
        measure_rectangles(&limits, width, b);
}

uint32_t SIMD_FN(setup_cull_lines) CULL_LINES_ARGUMENTS {
    const bool layer = has_layer(s, v);
    uint32_t count = 0;
    for (uint32_t first = 0; layer && first < l->count; first += LANES16) {
        const uint32_t left = l->count - first;
        const i32x16 last = (i32x16)splat16(l->count - 1);
        struct lines b;
        find_ends(v, l, (u32x16)min16((i32x16)(first + iota16()), last), &b);
        measure_lines(s, v, &b);
        const u32x16 code = row_of(v, b.at[0], v->window + WINDOW_CODE) |
                            row_of(v, b.at[1], v->window + WINDOW_CODE);
        uint32_t live = (left < LANES16 ? (1u << left) - 1 : 0xffff) & is_any(&b.r);
        live &= mask16((u32x16)((code & l->lost) == 0)) & mask16((u32x16)narrow(b.length2 > 0));
        for (; live; live &= live - 1)
            kept[count++] = first + (uint32_t)__builtin_ctz(live);
    }
    return count;
}

LANES_INLINE void find_gradients(const struct lines *b, struct gradients *g) {
    const f64x16 none = splat_d(0);
    g->x1 = b->dx * splat_d(SUBPIXEL) / b->length2;
    g->y1 = b->dy * splat_d(SUBPIXEL) / b->length2;
    g->x2 = g->y2 = none;
    base_planes(g, b->x[0], b->y[0]);
}

/* A line is a triangle whose second and third corners are one vertex. */
void SIMD_FN(setup_lines) LINES_ARGUMENTS {
    struct planes p; /* large: not worth clearing */
    struct lines b;
    uint32_t line[LANES16] __attribute__((aligned(64)));
    for (uint32_t i = 0; i < LANES16; i++)
        line[i] = kept[i < n ? i : 0];
    fetch_ahead(n, prim, 0);
    find_ends(v, l, *(const u32x16 *)line, &b);
    measure_lines(s, v, &b);
    find_gradients(&b, &p.g);
    p.v = v;
    p.provoking = b.provoking;
    for (uint32_t i = 0; i < LANES16; i++)
        p.front[i] = l->front[line[i]] ? -1 : 0;
    p.at[0] = b.at[0];
    p.at[1] = p.at[2] = b.at[1];
    find_weights(&p);
    depth_planes(s, &p, 1);
    fetch_ahead(n, prim, 1);
    store_prims(s, common, &p, &b.r, b.corners, prim);
    fetch_ahead(n, prim, 2);
    store_planes(s, &p, prim);
}
