/* Set-up of points, sixteen at a time: each point is a square. Aliased points that are not sprites
 * follow the integer rule of OpenGL 3.3, 3.4.1. Sprites and multisampled points are exact squares;
 * smooth points are circles inside of such squares. Values are constant, except point coordinates.
 * Rules: docs/raster.md "Points". In: vertices in rows (struct raster_vertices), points as vertex
 * numbers. Out: records. Must not know tiles.
 */
#include "raster/setup16.h"

enum { MAX_POINT_SIZE = 8192 };

/* Sixteen points. */
struct points {
    u32x16 at, provoking; /* index of the first word of the vertex, of the provoking vertex */
    i32x16 x, y;
    f64x16 size;
    i32x16 x0, y0, x1, y1; /* the square, 24.8 fixed point; its upper and left edges are inside */
    struct bounds r;
};

/* The rules by which the points of a state cover pixels. */
struct point_rule {
    bool multisample, smooth, exact;
};

LANES_INLINE struct point_rule rule_of(const struct raster_state *s) {
    struct point_rule r = {.multisample = raster_multisamples(s)};
    r.smooth = setup_point_smooth(s) == SMOOTH_CIRCLE;
    r.exact = r.multisample || r.smooth || s->setup.point_sprite;
    return r;
}

LANES_INLINE void place_exact(struct points *b) {
    const i32x16 size = round_to_even(b->size * SUBPIXEL);
    b->x0 = b->x - size / 2;
    b->y0 = b->y - size / 2;
    b->x1 = b->x0 + size;
    b->y1 = b->y0 + size;
}

/* Places aliased points: odd sizes are centred on a pixel centre, even ones on a pixel corner. */
LANES_INLINE void place_aliased(struct points *b) {
    const i32x16 n = round_to_even(b->size);
    const i32x16 shift =
        blend_int16((n & 1) != 0, (i32x16)splat16(0), (i32x16)splat16(SUBPIXEL_HALF));
    b->x0 = ((b->x + shift) & -SUBPIXEL) - n / 2 * SUBPIXEL;
    b->y0 = ((b->y + shift) & -SUBPIXEL) - n / 2 * SUBPIXEL;
    b->x1 = b->x0 + n * SUBPIXEL;
    b->y1 = b->y0 + n * SUBPIXEL;
}

LANES_INLINE void measure_points(const struct raster_state *s, const struct raster_vertices *v,
                                 const struct raster_points *p, u32x16 point, struct points *b) {
    const struct point_rule rule = rule_of(s);
    b->at = vertex_at(v, gather16(p->vertex, point));
    b->provoking = vertex_at(v, gather16(p->provoking, point));
    b->x = (i32x16)row_of(v, b->at, v->window + WINDOW_X);
    b->y = (i32x16)row_of(v, b->at, v->window + WINDOW_Y);
    const f32x16 size = (f32x16)gather16((const uint32_t *)(const void *)p->size, point);
    const i32x16 large = size >= 1.0f, in_range = size < (float)MAX_POINT_SIZE;
    const f32x16 most = MAX_POINT_SIZE - (f32x16){0}, least = 1.0f - (f32x16){0};
    b->size = __builtin_convertvector(
        (f32x16)blend_int16(large, blend_int16(in_range, (i32x16)size, (i32x16)most),
                            (i32x16)least),
        f64x16);
    if (rule.exact)
        place_exact(b);
    else
        place_aliased(b);
    const struct bounds limits = find_limits(s, v, b->provoking);
    b->r = find_bounds(&limits, rule.multisample || rule.smooth, b->x0, b->y0, b->x1, b->y1);
}

uint32_t SIMD_FN(setup_cull_points) CULL_POINTS_ARGUMENTS {
    const bool layer = has_layer(s, v);
    uint32_t count = 0;
    for (uint32_t first = 0; layer && first < p->count; first += LANES16) {
        struct points b;
        measure_points(s, v, p, numbers_from(first, p->count), &b);
        const u32x16 code = row_of(v, b.at, v->window + WINDOW_CODE);
        uint32_t live = existing_lanes(first, p->count) & prims_with_pixels(&b.r) &
                        to_mask16((u32x16)((code & p->lost) == 0));
        for (; live; live &= live - 1)
            kept[count++] = first + (uint32_t)__builtin_ctz(live);
    }
    return count;
}

/* Sets the corners. Multisampled points need edges, and smooth points a circle. The shape of other
 * points is their bounds. */
LANES_INLINE void shape_points(const struct points *b, struct point_rule rule, i32x16 corners[6]) {
    const i32x16 none = {0};
    for (unsigned i = 0; i < 6; i++)
        corners[i] = none;
    if (rule.multisample) {
        const i32x16 square[6] = {b->x0, b->y0, b->x1, b->y0, b->x1, b->y1};
        memcpy(corners, square, sizeof square);
    } else if (rule.smooth) {
        const f64x16 radius = b->size * SUBPIXEL_HALF;
        union four_rows radius2;
        _Static_assert(offsetof(struct prim_circle, radius2) == 2 * sizeof(int32_t), "corner[1]");
        set_doubles(&radius2, 0, radius * radius);
        corners[0] = b->x;
        corners[1] = b->y;
        corners[2] = (i32x16)radius2.row[0];
        corners[3] = (i32x16)radius2.row[1];
    }
}

/* Stores the planes of point coordinates: s grows along x, t along y (upwards if the origin is
 * lower left), from 0 to 1 over the square, multiplied by 1/w as all perspective words are. */
static void store_coordinates(const struct raster_state *s, const struct planes *p,
                              const struct points *b, struct prim *const prim[]) {
    const u32x16 zero = splat16(0);
    const f64x16 rhw = p->w[0], scale = rhw * SUBPIXEL / widen16(b->x1 - b->x0);
    const f64x16 u = (widen16(p->g.x0) + 0.5 - widen16(b->x0) / SUBPIXEL) * scale;
    const f64x16 v = (widen16(p->g.y0) + 0.5 - widen16(b->y0) / SUBPIXEL) * scale;
    for (uint32_t i = 0; i < s->word_count; i++) {
        const bool along_x = s->word[i].kind == WORD_POINT_COORD_S;
        union four_rows out = {{zero, zero, zero, zero}};
        if (!along_x && s->word[i].kind != WORD_POINT_COORD_T)
            continue;
        const bool turned = !along_x && s->setup.point_origin_lower_left;
        out.row[0] = to_float_bits(along_x ? u : turned ? rhw - v : v);
        out.row[along_x ? 1 : 2] = to_float_bits(turned ? -scale : scale);
        store_rows(&out, prim, offsetof(struct prim, plane) + i * sizeof(struct attribute_plane));
    }
}

/* A point is set up as a triangle whose corners are one vertex, and whose values do not vary. */
void SIMD_FN(setup_points) POINTS_ARGUMENTS {
    struct planes q; /* not cleared, because it is large */
    struct points b;
    i32x16 corners[6];
    const u32x16 point = load_numbers(kept, n);
    fetch_ahead(n, prim, 0);
    measure_points(s, v, p, point, &b);
    shape_points(&b, rule_of(s), corners);
    q.v = v;
    q.one_vertex = true;
    q.provoking = b.provoking;
    for (uint32_t i = 0; i < LANES16; i++)
        q.front[i] = p->front[point[i]] ? -1 : 0;
    q.g = (struct gradients){0};
    q.g.x0 = b.x >> SUBPIXEL_BITS;
    q.g.y0 = b.y >> SUBPIXEL_BITS;
    for (unsigned k = 0; k < 3; k++)
        q.at[k] = b.at;
    find_weights(&q);
    depth_planes(s, &q, 0);
    fetch_ahead(n, prim, 1);
    store_prims(s, common, &q, &b.r, corners, prim);
    fetch_ahead(n, prim, 2);
    store_planes(s, &q, prim);
    if (s->setup.point_sprite)
        store_coordinates(s, &q, &b, prim);
}
