/* The tessellator (tessellate.h). Levels determine the places of points along sides; sides form
 * rings of points; strips of triangles join neighbouring rings.
 */
#include "pipeline/tessellate/tessellate.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates are 16.16 fixed point. */
enum { ONE = 0x10000, HALF = 0x8000, TWO_THIRDS = 0xaaaa /* rounded down */ };

/* ---- levels ---- */

/* The points along a side. A level between two numbers of segments, `fewer` and `more`, has as many
 * points as `more`. Each point lies between its places for `fewer` and for `more` segments;
 * `fraction` is the part of the way from the first place to the second. */
struct side {
    uint32_t segments;
    uint32_t fewer, more;           /* numbers of segments; equal if fraction is 0 */
    uint32_t fraction;              /* 0.16 fixed point: 0 at `fewer`, 1 at `more` */
    uint32_t split;                 /* if i > split, point i is point i - 1 at `fewer` */
    uint32_t unit_fewer, unit_more; /* 1 / fewer, 1 / more, 16.16 fixed point */
};

static uint32_t without_top_bit(uint32_t x) {
    return x ? x ^ (UINT32_C(0x80000000) >> __builtin_clz(x)) : 0;
}
static uint32_t reciprocal(uint32_t x) {
    return (ONE + x / 2) / x;
}

/* Returns the side with this level: 1 to 64, a whole number if spacing is TESS_EQUAL. */
static struct side side_of(float level, enum tess_spacing spacing) {
    const uint32_t fixed = (uint32_t)lrintf(level * ONE);
    const bool odd = spacing == TESS_EQUAL ? fixed >> 16 & 1 : spacing == TESS_ODD;
    const uint32_t half = (fixed + 1) / 2 + (odd ? HALF : 0);
    const uint32_t fewer = half >> 16, more = (half + ONE - 1) >> 16;
    struct side s = {.fraction = half & 0xffff, .fewer = 2 * fewer - odd, .more = 2 * more - odd};
    s.segments = s.more;
    if (odd && fewer == 1)
        s.split = 0;
    else
        s.split = 2 * without_top_bit(fewer - odd) + 1;
    s.unit_fewer = reciprocal(s.fewer);
    s.unit_more = reciprocal(s.more);
    return s;
}

/* Returns the place of point i of a side, 0 to ONE. The second half mirrors the first. */
static uint32_t place(const struct side *s, uint32_t i) {
    if (2 * i > s->segments)
        return ONE - place(s, s->segments - i);
    if (2 * i == s->segments)
        return HALF;
    const uint32_t at_fewer = (i > s->split ? i - 1 : i) * s->unit_fewer;
    const uint32_t at_more = i * s->unit_more;
    return s->fraction ? (at_fewer * (ONE - s->fraction) + at_more * s->fraction + HALF) >> 16
                       : at_more;
}

/* True if the level asks for one segment: it is at most 1 (TESS_ODD: after rounding to 2^-16) or
 * NaN. Always false for TESS_EVEN, which has at least two segments. */
static bool at_most_one(float level, enum tess_spacing spacing) {
    return spacing != TESS_EVEN && !(level > 1 + (spacing == TESS_ODD ? 0.5f / ONE : 0));
}

/* Returns the side with the level limited to [least, most]. NaN counts as the least level. */
static struct side bounded_side(float level, float least, float most, enum tess_spacing spacing) {
    const float bounded = level > least ? level < most ? level : most : least;
    return side_of(spacing == TESS_EQUAL ? ceilf(bounded) : bounded, spacing);
}

static const float least_level[] = {[TESS_EQUAL] = 1, [TESS_ODD] = 1, [TESS_EVEN] = 2};
static const float most_level[] = {[TESS_EQUAL] = 64, [TESS_ODD] = 63, [TESS_EVEN] = 64};

static struct side outer_side(float level, enum tess_spacing spacing) {
    return bounded_side(level, least_level[spacing], most_level[spacing], spacing);
}

/* Returns a side of the inside of a domain that is not a single cell. The side's level is greater
 * than 1, so that the side has at least a middle. */
static struct side inner_side(float level, enum tess_spacing spacing) {
    const float least = spacing == TESS_EVEN ? 2 : 1 + 1.0f / ONE;
    return bounded_side(level, least, most_level[spacing], spacing);
}

/* ---- output ---- */

static bool output_reserve(struct tess_output *out) {
    out->points = out->indices = 0;
    out->filled = false;
    return ARRAY_ROOM(out->point, out->point_capacity, TESS_MAX_POINTS) &&
           ARRAY_ROOM(out->index, out->index_capacity, TESS_MAX_INDICES);
}

static bool output_is_of(const struct tess_output *out, struct tess_mode mode,
                         const struct tess_levels *levels) {
    const struct tess_mode *m = &out->mode;
    return out->filled && m->domain == mode.domain && m->spacing == mode.spacing &&
           m->primitives == mode.primitives && m->clockwise == mode.clockwise &&
           memcmp(&out->levels, levels, sizeof *levels) == 0;
}

static void add_point(struct tess_output *out, uint32_t u, uint32_t v) {
    out->point[out->points++] = (struct tess_point){(float)u / ONE, (float)v / ONE};
}
static void add_index(struct tess_output *out, uint32_t point) {
    out->index[out->indices++] = (uint16_t)point;
}
static void add_triangle(struct tess_output *out, uint32_t a, uint32_t b, uint32_t c) {
    add_index(out, a);
    add_index(out, b);
    add_index(out, c);
}

static void number_points(struct tess_output *out) {
    out->indices = 0;
    for (uint32_t i = 0; i < out->points; i++)
        add_index(out, i);
}

static void turn_over(struct tess_output *out) {
    for (uint32_t i = 0; i + 2 < out->indices; i += 3) {
        const uint16_t b = out->index[i + 1];
        out->index[i + 1] = out->index[i + 2];
        out->index[i + 2] = b;
    }
}

/* ---- rings ---- */

/* A closed path of points around the domain's centre. Edge 0 begins at the corner of least u and
 * greatest v and follows least u; the other edges follow counter-clockwise. Where the inside of the
 * domain has no width, the path goes along a line and back. */
struct ring {
    uint32_t base;  /* the ring's first point */
    uint32_t sides; /* 3 or 4 */
    uint32_t segments[4];
};

static uint32_t ring_length(const struct ring *r) {
    uint32_t length = 0;
    for (uint32_t i = 0; i < r->sides; i++)
        length += r->segments[i];
    return length;
}
static bool ring_is_flat(const struct ring *r) {
    return r->segments[0] == 0 || r->segments[1] == 0;
}
static uint32_t ring_points(const struct ring *r) {
    return ring_is_flat(r) ? ring_length(r) / 2 + 1 : ring_length(r);
}

/* Returns the number of point i of an edge; i is 0 to segments[edge]. */
static uint32_t ring_point(const struct ring *r, uint32_t edge, uint32_t i) {
    const uint32_t length = ring_length(r);
    for (uint32_t k = 0; k < edge; k++)
        i += r->segments[k];
    if (ring_is_flat(r))
        return r->base + (2 * i > length ? length - i : i);
    return r->base + (i == length ? 0 : i);
}

/* Returns an edge with point i of a ring; *on_edge receives the point's number on this edge. */
static uint32_t ring_edge(const struct ring *r, uint32_t i, uint32_t *on_edge) {
    uint32_t edge = 0;
    while (edge < r->sides - 1 && i >= r->segments[edge])
        i -= r->segments[edge++];
    *on_edge = i;
    return edge;
}

static struct ring ring_inside(const struct ring *r) {
    struct ring inside = {.base = r->base + ring_points(r), .sides = r->sides};
    for (uint32_t i = 0; i < r->sides; i++)
        inside.segments[i] = r->segments[i] - 2;
    return inside;
}
static bool ring_is_last(const struct ring *r) {
    return r->segments[0] <= 1 || r->segments[1] <= 1;
}

/* ---- strips between rings ---- */

/* One edge of a ring and the same edge of the ring inside of it. */
struct strip {
    struct tess_output *out;
    const struct ring *outside, *inside;
    uint32_t edge;
    uint32_t o, i; /* the points of the outside and of the inside that are already joined */
};

static uint32_t outside(const struct strip *s, uint32_t i) {
    return ring_point(s->outside, s->edge, i);
}
static uint32_t inside(const struct strip *s, uint32_t i) {
    return ring_point(s->inside, s->edge, i);
}

static void step_outside(struct strip *s) {
    add_triangle(s->out, outside(s, s->o), outside(s, s->o + 1), inside(s, s->i));
    s->o++;
}
static void step_inside(struct strip *s) {
    add_triangle(s->out, inside(s, s->i), outside(s, s->o), inside(s, s->i + 1));
    s->i++;
}

/* Returns the rank of a place. Place and rank are 0 to 31. As the level grows, half a side gets
 * segments at the places in the order of their ranks: 0, 16, 8, 24, 4 ..., as repeated halving
 * finds them. */
static uint32_t rank_of(uint32_t at) {
    if (at == 0)
        return 0;
    const uint32_t zeros = (uint32_t)__builtin_ctz(at);
    return (16u >> zeros) + (at >> (zeros + 1));
}

/* Joins an outer edge to the first ring. The numbers of segments of the outer edge (n) and of the
 * ring's edge (m) are independent. In each half, the outer edge has a segment at the places of rank
 * 0 to n / 2 - 1, the ring's edge at those of rank 1 to m / 2: its first segment is missing. The
 * two halves mirror each other. */
static void join_any(struct strip *s) {
    enum { PLACES = 32 };
    const uint32_t n = s->outside->segments[s->edge], m = s->inside->segments[s->edge];
    for (uint32_t at = 0; at < PLACES; at++) {
        const uint32_t rank = rank_of(at);
        if (rank && rank <= m / 2)
            step_inside(s);
        if (rank < n / 2)
            step_outside(s);
    }
    if (m & 1)
        step_inside(s);
    if (n & 1) {
        add_triangle(s->out, inside(s, s->i), outside(s, s->o), outside(s, s->o + 1));
        s->o++;
    }
    for (uint32_t at = PLACES; at-- > 0;) {
        const uint32_t rank = rank_of(at);
        if (rank < n / 2)
            step_outside(s);
        if (rank && rank <= m / 2)
            step_inside(s);
    }
}

/* Joins two inner rings. Each edge of the inside ring has two segments less than that of the
 * outside ring. The diagonals of both halves mirror each other. */
static void join_regular(struct strip *s) {
    const uint32_t m = s->inside->segments[s->edge];
    step_outside(s);
    while (s->i < (m + 1) / 2) {
        add_triangle(s->out, outside(s, s->o), inside(s, s->i + 1), inside(s, s->i));
        s->i++;
        step_outside(s);
    }
    while (s->i < m) {
        add_triangle(s->out, inside(s, s->i), outside(s, s->o), outside(s, s->o + 1));
        s->o++;
        step_inside(s);
    }
    step_outside(s);
}

/* Fills the last ring of a quad, which is one cell wide: a ladder of cells between two opposite
 * sides. a runs along one side, and b, opposite to a, along the other. */
static void fill_ladder(struct tess_output *out, const struct ring *r) {
    const bool upright = r->segments[1] <= r->segments[0];
    const uint32_t cells = r->segments[upright ? 0 : 1], edge = upright ? 0 : 1;
    for (uint32_t k = 0; k < cells; k++) {
        const uint32_t a = ring_point(r, edge, k), a_next = ring_point(r, edge, k + 1);
        const uint32_t b = ring_point(r, edge + 2, cells - k),
                       b_next = ring_point(r, edge + 2, cells - k - 1);
        const bool odd = upright && cells & 1;
        if (odd && k == cells / 2) { /* the middle cell has the opposite diagonal */
            add_triangle(out, a, b_next, b);
            add_triangle(out, a, a_next, b_next);
            continue;
        }
        if (odd)
            add_triangle(out, a, a_next, b);
        else
            add_triangle(out, b, a, a_next);
        add_triangle(out, b, a_next, b_next);
    }
}

static void fill_centre(struct tess_output *out, const struct ring *r) {
    if (ring_is_flat(r))
        return;
    if (r->sides == 3)
        add_triangle(out, r->base, r->base + 1, r->base + 2);
    else
        fill_ladder(out, r);
}

static void fill_rings(struct tess_output *out, struct ring outer, struct ring inner) {
    for (bool first = true;; first = false) {
        for (uint32_t edge = 0; edge < outer.sides; edge++) {
            struct strip s = {out, &outer, &inner, edge, 0, 0};
            if (first)
                join_any(&s);
            else
                join_regular(&s);
        }
        if (ring_is_last(&inner))
            break;
        outer = inner;
        inner = ring_inside(&inner);
    }
    fill_centre(out, &inner);
}

/* ---- domains ---- */

static void place_outer_triangle(struct tess_output *out, const struct side outer[4]) {
    for (uint32_t edge = 0; edge < 3; edge++) {
        const struct side *s = &outer[edge];
        for (uint32_t i = 0; i < s->segments; i++) {
            const uint32_t up = place(s, i), down = place(s, s->segments - i);
            add_point(out,
                      edge == 0   ? 0
                      : edge == 1 ? up
                                  : down,
                      edge == 0   ? down
                      : edge == 1 ? 0
                                  : ONE - down);
        }
    }
}

static void place_outer_quad(struct tess_output *out, const struct side outer[4]) {
    for (uint32_t edge = 0; edge < 4; edge++) {
        const struct side *s = &outer[edge];
        const bool falls = edge == 0 || edge == 3;
        const uint32_t other = edge >= 2 ? ONE : 0;
        for (uint32_t i = 0; i < s->segments; i++) {
            const uint32_t t = place(s, falls ? s->segments - i : i);
            add_point(out, edge & 1 ? t : other, edge & 1 ? other : t);
        }
    }
}

/* Places the points of ring `depth` of a triangle. The ring's edges are parallel to the triangle's
 * edges. Each edge lies two thirds of place(depth) away from the outer edge. The places of its
 * points are those of the side, minus a third of place(depth). */
static void place_inner_triangle(struct tess_output *out, const struct side *s,
                                 const struct ring *r, uint32_t depth) {
    const uint32_t away = (place(s, depth) * TWO_THIRDS + HALF) >> 16, aside = (away + 1) / 2;
    for (uint32_t i = 0; i < ring_points(r); i++) {
        uint32_t k = i;
        const uint32_t edge = ring_is_flat(r) ? 0 : ring_edge(r, i, &k);
        const uint32_t up = place(s, depth + k) - aside;
        const uint32_t down = place(s, s->segments - depth - k) - aside;
        add_point(out,
                  edge == 0   ? away
                  : edge == 1 ? up
                              : down,
                  edge == 0   ? down
                  : edge == 1 ? away
                              : ONE - down - away);
    }
}

/* Places the points of ring `depth` of a quad: a rectangle in the grid of both inner sides. */
static void place_inner_quad(struct tess_output *out, const struct side inner[2],
                             const struct ring *r, uint32_t depth) {
    for (uint32_t i = 0; i < ring_points(r); i++) {
        uint32_t k;
        const uint32_t edge = ring_edge(r, i, &k);
        const struct side *along = &inner[!(edge & 1)], *across = &inner[edge & 1];
        const bool falls = edge == 0 || edge == 3;
        const uint32_t t = place(along, falls ? along->segments - depth - k : depth + k);
        const uint32_t other = place(across, edge >= 2 ? across->segments - depth : depth);
        add_point(out, edge & 1 ? t : other, edge & 1 ? other : t);
    }
}

/* Makes the whole domain one cell. */
static void single_cell(struct tess_output *out, uint32_t sides) {
    if (sides == 3)
        add_point(out, 0, ONE);
    add_point(out, 0, 0);
    add_point(out, ONE, 0);
    if (sides == 3) {
        add_triangle(out, 0, 1, 2);
        return;
    }
    add_point(out, ONE, ONE);
    add_point(out, 0, ONE);
    add_triangle(out, 0, 1, 3);
    add_triangle(out, 1, 2, 3);
}

static void place_rings(struct tess_output *out, const struct side inner[2], struct ring r) {
    for (uint32_t depth = 1;; depth++, r = ring_inside(&r)) {
        if (r.sides == 3)
            place_inner_triangle(out, inner, &r, depth);
        else
            place_inner_quad(out, inner, &r, depth);
        if (ring_is_last(&r))
            return;
    }
}

static void divide_area(const struct tess_levels *levels, enum tess_spacing spacing, uint32_t sides,
                        struct tess_output *out) {
    const uint32_t insides = sides == 3 ? 1 : 2;
    bool single = true;
    for (uint32_t i = 0; i < sides; i++)
        single = single && at_most_one(levels->outer[i], spacing);
    for (uint32_t i = 0; i < insides; i++)
        single = single && at_most_one(levels->inner[i], spacing);
    if (single) {
        single_cell(out, sides);
        return;
    }
    struct side outer[4], inner[2];
    struct ring outermost = {.sides = sides}, first = {.sides = sides};
    for (uint32_t i = 0; i < insides; i++)
        inner[i] = inner_side(levels->inner[i], spacing);
    for (uint32_t i = 0; i < sides; i++) {
        outer[i] = outer_side(levels->outer[i], spacing);
        outermost.segments[i] = outer[i].segments;
        first.segments[i] = inner[sides == 3 ? 0 : !(i & 1)].segments - 2;
    }
    first.base = ring_points(&outermost);
    if (sides == 3)
        place_outer_triangle(out, outer);
    else
        place_outer_quad(out, outer);
    place_rings(out, inner, first);
    fill_rings(out, outermost, first);
}

static void divide_lines(const struct tess_levels *levels, enum tess_spacing spacing,
                         struct tess_output *out) {
    const struct side lines = outer_side(levels->outer[0], TESS_EQUAL);
    const struct side line = outer_side(levels->outer[1], spacing);
    for (uint32_t j = 0; j < lines.segments; j++)
        for (uint32_t i = 0; i <= line.segments; i++) {
            if (i) {
                add_index(out, out->points - 1);
                add_index(out, out->points);
            }
            add_point(out, place(&line, i), place(&lines, j));
        }
}

/* True if the level is above 0 and not NaN. The bits are tested, because threads that flush
 * denormals compare denormals as 0. */
static bool is_positive(float level) {
    union {
        float f;
        uint32_t u;
    } bits = {level};
    return bits.u - 1 < UINT32_C(0x7f800000);
}

static void divide(struct tess_mode mode, const struct tess_levels *levels,
                   struct tess_output *out) {
    if ((unsigned)mode.domain > TESS_QUADS)
        return;
    const enum tess_spacing spacing =
        (unsigned)mode.spacing > TESS_EVEN ? TESS_EQUAL : mode.spacing;
    const uint32_t sides = 2 + (uint32_t)mode.domain;
    for (uint32_t i = 0; i < sides; i++)
        if (!is_positive(levels->outer[i]))
            return;
    if (mode.domain == TESS_ISOLINES)
        divide_lines(levels, spacing, out);
    else
        divide_area(levels, spacing, sides, out);
    const enum tess_primitives made =
        mode.domain == TESS_ISOLINES ? TESS_LINES : TESS_TRIANGLE_LIST;
    if (mode.primitives != made)
        number_points(out);
    else if (made == TESS_TRIANGLE_LIST && mode.clockwise)
        turn_over(out);
}

bool tessellate(struct tess_mode mode, const struct tess_levels *levels, struct tess_output *out) {
    if (output_is_of(out, mode, levels))
        return true;
    if (!output_reserve(out))
        return false;
    divide(mode, levels, out);
    out->mode = mode;
    out->levels = *levels;
    out->filled = true;
    return true;
}

void tess_output_free(struct tess_output *out) {
    free(out->point);
    free(out->index);
    *out = (struct tess_output){0};
}
