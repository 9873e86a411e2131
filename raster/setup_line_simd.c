/* Set-up of lines and their dashes, sixteen at a time. Lines that cover no pixel are dropped by
 * their bounds and columns; the others get corners, gradients and planes. Aliased lines follow the
 * diamond-exit rule: a band of two edges along the line, and bounds of the pixel columns (or rows)
 * whose diamond the line leaves. A multisampled or smooth line is a rectangle. Values vary only
 * along the line; values of wide aliased lines vary only from column to column. Rules:
 * docs/raster.md "Lines". In: vertices in rows (struct raster_vertices), lines as vertex numbers.
 * Out: records. Must not know tiles.
 */
#include "raster/setup16.h"

/* Sixteen lines: the places of their vertices' words, and values that follow from the vertices'
 * positions. */
struct lines {
    u32x16 at[2], provoking;
    i32x16 x[2], y[2];
    f64x16 dx, dy, length2; /* in 1/256 pixel; length2: square of the length */
    i32x16 x_major;
    i32x16 end_x[2], end_y[2]; /* ends of the line; for a dash of a rectangle, ends of the dash */
    /* columns of an aliased dash, counted from the line's first column; `last` is exclusive */
    i32x16 first, last;
    i32x16 corners[6]; /* corners of the band or rectangle, x and y of each */
    struct bounds r;
};

LANES_INLINE i32x16 size_of(i32x16 v) {
    return max16(v, -v);
}

LANES_INLINE void find_ends(const struct raster_vertices *v, const struct raster_lines *l,
                            u32x16 line, struct lines *b) {
    for (unsigned k = 0; k < 2; k++) {
        b->at[k] = vertex_at(v, gather16(l->vertex + k, line * 2));
        b->x[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_X);
        b->y[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_Y);
    }
    b->provoking = vertex_at(v, gather16(l->provoking, line));
    b->dx = widen16(b->x[1] - b->x[0]);
    b->dy = widen16(b->y[1] - b->y[0]);
    b->length2 = b->dx * b->dx + b->dy * b->dy;
    b->x_major = size_of(b->x[1] - b->x[0]) >= size_of(b->y[1] - b->y[0]);
    for (unsigned k = 0; k < 2; k++) {
        b->end_x[k] = b->x[k];
        b->end_y[k] = b->y[k];
    }
}

/* Moves end k of a rectangle to the point of the line at this distance from the first vertex, in
 * 1/256 pixel. If the line is shorter, moves the end to the second vertex. */
LANES_INLINE void move_end(struct lines *b, unsigned k, unsigned lane, double distance) {
    const double length = sqrt(b->length2[lane]);
    if (distance >= length) {
        b->end_x[k][lane] = b->x[1][lane];
        b->end_y[k][lane] = b->y[1][lane];
        return;
    }
    b->end_x[k][lane] = b->x[0][lane] + (int32_t)lrint(b->dx[lane] * distance / length);
    b->end_y[k][lane] = b->y[0][lane] + (int32_t)lrint(b->dy[lane] * distance / length);
}

static void find_dashes(const struct raster_state *s, const struct raster_lines *l, u32x16 line,
                        struct lines *b) {
    for (unsigned i = 0; i < LANES16; i++) {
        const struct raster_dash *dash = &l->dash[line[i]];
        b->first[i] = (int32_t)(dash->from >> SUBPIXEL_BITS);
        b->last[i] = (int32_t)(dash->to >> SUBPIXEL_BITS);
        if (setup_line_edges(s) == EDGES_BAND)
            continue;
        move_end(b, 0, i, dash->from);
        move_end(b, 1, i, dash->to);
    }
}

/* Sets the corners. For a band (second = 1): end 0 plus (x, y), end 1 plus (x, y), end 1 minus (x,
 * y). For a rectangle (second = 0): end 0 plus (x, y), end 0 minus (x, y), end 1 minus (x, y). */
LANES_INLINE void set_corners(struct lines *b, unsigned second, i32x16 x, i32x16 y) {
    const i32x16 sign = (i32x16)splat16(second ? 1 : UINT32_MAX);
    b->corners[0] = b->end_x[0] + x;
    b->corners[1] = b->end_y[0] + y;
    b->corners[2] = b->end_x[second] + x * sign;
    b->corners[3] = b->end_y[second] + y * sign;
    b->corners[4] = b->end_x[1] - x;
    b->corners[5] = b->end_y[1] - y;
}

/* Returns the column (row) of the first diamond that the line, followed in its direction, has not
 * left at this end. A line goes through the middle column of each diamond that it enters. If the
 * end lies before the middle, the line has not left the diamond. If the end lies beyond the middle,
 * the line has left the diamond unless the end is inside. The lower edges belong to a diamond. The
 * diamonds of lines of even width are shifted by half a pixel. */
LANES_INLINE i32x16 column_at(const struct lines *b, unsigned end, int32_t shift,
                              i32x16 direction) {
    const i32x16 along = blend_int16(b->x_major, b->x[end], b->y[end]) - 1;
    const i32x16 across = blend_int16(b->x_major, b->y[end], b->x[end]) - shift - 1;
    const i32x16 u = (along & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF; /* from the diamond's centre */
    const i32x16 v = (across & (SUBPIXEL - 1)) + 1 - SUBPIXEL_HALF;
    const i32x16 outside = size_of(u) + size_of(v) - SUBPIXEL_HALF;
    const i32x16 in = (outside < 0) | ((outside == 0) & (blend_int16(b->x_major, v, u) > 0));
    return (along >> SUBPIXEL_BITS) + (direction & ~in & (u * direction > 0));
}

/* The columns (or rows) of aliased lines. */
struct columns {
    i32x16 first, count, direction; /* direction: 1 or -1, from first to last */
};

LANES_INLINE struct columns find_columns(const struct lines *b, int32_t width) {
    const int32_t shift = (width - 1) * SUBPIXEL_HALF;
    const i32x16 d = blend_int16(b->x_major, b->x[1] - b->x[0], b->y[1] - b->y[0]);
    struct columns c;
    c.direction = blend_int16(d > 0, (i32x16)splat16(1), (i32x16)splat16(UINT32_MAX));
    c.first = column_at(b, 0, shift, c.direction);
    c.count = (column_at(b, 1, shift, c.direction) - c.first) * c.direction;
    return c;
}

/* Limits the bounds to the columns of aliased lines, or of their dashes. */
LANES_INLINE void limit_columns(struct lines *b, int32_t width, bool dashed) {
    const struct columns c = find_columns(b, width);
    const i32x16 from = dashed ? b->first : (i32x16)splat16(0), to = dashed ? b->last : c.count;
    const i32x16 low = blend_int16(c.direction > 0, c.first + from, c.first - to + 1);
    const i32x16 high = low + (to - from);
    b->r.x0 = blend_int16(b->x_major, max16(low, b->r.x0), b->r.x0);
    b->r.x1 = blend_int16(b->x_major, min16(high, b->r.x1), b->r.x1);
    b->r.y0 = blend_int16(b->x_major, b->r.y0, max16(low, b->r.y0));
    b->r.y1 = blend_int16(b->x_major, b->r.y1, min16(high, b->r.y1));
}

/* Sets the corners and bounds of aliased lines: the band between two edges along the line, limited
 * to columns (or rows). */
LANES_INLINE void measure_bands(const struct bounds *limits, int32_t width, bool dashed,
                                struct lines *b) {
    const i32x16 half = (i32x16)splat16((uint32_t)width * SUBPIXEL_HALF);
    const i32x16 low = blend_int16(b->x_major, b->x[1] > b->x[0], b->y[1] < b->y[0]);
    const i32x16 side = blend_int16(low, -half, half);
    const int32_t around = (width + 1) * SUBPIXEL_HALF + 1;
    set_corners(b, 1, side & ~b->x_major, side & b->x_major);
    b->r = find_bounds(limits, false, min16(b->x[0], b->x[1]) - around,
                       min16(b->y[0], b->y[1]) - around, max16(b->x[0], b->x[1]) + around,
                       max16(b->y[0], b->y[1]) + around);
    limit_columns(b, width, dashed);
}

/* Sets the corners and bounds of multisampled and smooth lines, which are rectangles. */
LANES_INLINE void measure_rectangles(const struct bounds *limits, double width, struct lines *b) {
    f64x16 scale;
    for (unsigned i = 0; i < LANES16; i++)
        scale[i] = b->length2[i] > 0 ? width * SUBPIXEL_HALF / sqrt(b->length2[i]) : 0;
    const i32x16 x = round_to_even(-b->dy * scale), y = round_to_even(b->dx * scale);
    const i32x16 wide_x = size_of(x), wide_y = size_of(y);
    set_corners(b, 0, x, y);
    b->r = find_bounds(limits, true, min16(b->end_x[0], b->end_x[1]) - wide_x,
                       min16(b->end_y[0], b->end_y[1]) - wide_y,
                       max16(b->end_x[0], b->end_x[1]) + wide_x,
                       max16(b->end_y[0], b->end_y[1]) + wide_y);
}

LANES_INLINE void measure_lines(const struct raster_state *s, const struct raster_vertices *v,
                                const struct raster_lines *l, u32x16 line, struct lines *b) {
    const double width = setup_line_width(s);
    find_ends(v, l, line, b);
    if (l->dash)
        find_dashes(s, l, line, b);
    const struct bounds limits = find_limits(s, v, b->provoking);
    if (setup_line_edges(s) == EDGES_BAND)
        measure_bands(&limits, (int32_t)lrint(width), l->dash != NULL, b);
    else
        measure_rectangles(&limits, width, b);
}

/* Returns bits of the lines that have a length and two vertices that can be drawn. */
LANES_INLINE uint32_t find_drawn(const struct raster_vertices *v, const struct raster_lines *l,
                                 uint32_t first, const struct lines *b) {
    const u32x16 code =
        row_of(v, b->at[0], v->window + WINDOW_CODE) | row_of(v, b->at[1], v->window + WINDOW_CODE);
    return existing_lanes(first, l->count) & to_mask16((u32x16)((code & l->lost) == 0)) &
           to_mask16((u32x16)narrow16(b->length2 > 0));
}

uint32_t SIMD_FN(setup_cull_lines) CULL_LINES_ARGUMENTS {
    const bool layer = has_layer(s, v);
    uint32_t count = 0;
    for (uint32_t first = 0; layer && first < l->count; first += LANES16) {
        struct lines b;
        measure_lines(s, v, l, numbers_from(first, l->count), &b);
        uint32_t live = find_drawn(v, l, first, &b) & prims_with_pixels(&b.r);
        for (; live; live &= live - 1)
            kept[count++] = first + (uint32_t)__builtin_ctz(live);
    }
    return count;
}

/* ---- steps ---- */

static int64_t limit_step(int64_t v, int64_t most) {
    return v < 0 ? 0 : v < most ? v : most;
}

/* Returns the length of an aliased line in 1/256 step; a step is a column (or row). *visible
 * receives the steps in columns [low, high) of the scissor. */
static uint32_t aliased_steps(const struct columns *c, unsigned i, int64_t low, int64_t high,
                              struct raster_dash *visible) {
    const int32_t first = c->first[i], count = c->count[i];
    const int64_t from = c->direction[i] > 0 ? low - first : first - high + 1;
    const int64_t to = c->direction[i] > 0 ? high - first : first - low + 1;
    visible->from = (uint32_t)limit_step(from, count) << SUBPIXEL_BITS;
    visible->to = (uint32_t)limit_step(to, count) << SUBPIXEL_BITS;
    return (uint32_t)count << SUBPIXEL_BITS;
}

/* Returns the length of a rectangle's line in 1/256 pixel. *visible receives all steps at which the
 * line, with its width, can reach columns [low, high) of the scissor. */
static uint32_t rectangle_steps(const struct lines *b, unsigned i, double width, int32_t low,
                                int32_t high, struct raster_dash *visible) {
    const double a = b->x_major[i] ? b->x[0][i] : b->y[0][i];
    const double d = b->x_major[i] ? b->dx[i] : b->dy[i], length = sqrt(b->length2[i]);
    const double beside = (width / 2 + 1) * SUBPIXEL, most = ceil(length);
    const double x0 = ((double)low * SUBPIXEL - beside - a) / d * length;
    const double x1 = ((double)high * SUBPIXEL + beside - a) / d * length;
    visible->from = (uint32_t)fmin(fmax(floor(fmin(x0, x1)), 0), most);
    visible->to = (uint32_t)fmin(fmax(ceil(fmax(x0, x1)), 0), most);
    return (uint32_t)most;
}

void SIMD_FN(setup_line_steps) LINE_STEPS_ARGUMENTS {
    const double width = setup_line_width(s);
    const bool aliased = setup_line_edges(s) == EDGES_BAND;
    for (uint32_t first = 0; first < l->count; first += LANES16) {
        struct lines b;
        find_ends(v, l, numbers_from(first, l->count), &b);
        const struct bounds scissor = find_scissor(s, v, b.provoking);
        const i32x16 low = blend_int16(b.x_major, scissor.x0, scissor.y0);
        const i32x16 high = blend_int16(b.x_major, scissor.x1, scissor.y1);
        const struct columns c = find_columns(&b, (int32_t)lrint(width));
        const uint32_t drawn = find_drawn(v, l, first, &b);
        for (unsigned i = 0; i < LANES16 && first + i < l->count; i++) {
            struct raster_dash *in = &visible[first + i];
            *in = (struct raster_dash){0, 0};
            steps[first + i] = !(drawn >> i & 1) ? 0
                               : aliased         ? aliased_steps(&c, i, low[i], high[i], in)
                                         : rectangle_steps(&b, i, width, low[i], high[i], in);
        }
    }
}

/* ---- setup ---- */

/* Finds the gradients. columns: true if all pixels of a column (or row) have the line's value in
 * that column. */
LANES_INLINE void find_gradients(const struct lines *b, bool columns, struct gradients *g) {
    const f64x16 none = splat_d(0), step = splat_d(SUBPIXEL);
    const i64x16 x_major = __builtin_convertvector(b->x_major, i64x16);
    g->x1 = b->dx * step / b->length2;
    g->y1 = b->dy * step / b->length2;
    if (columns) {
        g->x1 = (f64x16)((i64x16)(step / b->dx) & x_major);
        g->y1 = (f64x16)((i64x16)(step / b->dy) & ~x_major);
    }
    g->x2 = g->y2 = none;
    base_planes(g, b->x[0], b->y[0]);
}

/* A line is set up as a triangle whose second and third corners are one vertex. */
void SIMD_FN(setup_lines) LINES_ARGUMENTS {
    struct planes p; /* not cleared, because it is large */
    struct lines b;
    const u32x16 line = load_numbers(kept, n);
    fetch_ahead(n, prim, 0);
    measure_lines(s, v, l, line, &b);
    find_gradients(&b, setup_line_edges(s) == EDGES_BAND && lrint(setup_line_width(s)) > 1, &p.g);
    p.v = v;
    p.one_vertex = false;
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
