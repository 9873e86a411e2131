/* Set-up of triangles, sixteen at a time: culling by outcodes, facing, area and bounds; small
 * triangles are also culled by their samples. The remaining triangles get gradients and planes. In:
 * vertices in rows (struct raster_vertices), triangles as vertex numbers. Out: records. Must not
 * know tiles.
 */
#include "raster/setup16.h"

/* Sixteen triangles: the places of their vertices' words, and values that follow from the vertices'
 * positions. */
struct setup16 {
    u32x16 at[3]; /* index of each corner's first word */
    u32x16 provoking;
    i32x16 x[3], y[3];
    f64x16 area; /* twice the signed area in squares of 1/256 pixel, exact */
    i32x16 front;
    struct bounds r;
};

LANES_INLINE void find_corners(const struct raster_vertices *v, const struct raster_triangles *t,
                               u32x16 triangle, struct setup16 *b) {
    for (unsigned k = 0; k < 3; k++)
        b->at[k] = vertex_at(v, gather16(t->corner + k, triangle * 3));
}

LANES_INLINE void find_provoking(const struct raster_triangles *t, u32x16 triangle,
                                 struct setup16 *b) {
    i32x16 corner;
    for (uint32_t i = 0; i < LANES16; i++)
        corner[i] = t->provoking[triangle[i]];
    b->provoking = blend16((u32x16)(corner == 0), b->at[0],
                           blend16((u32x16)(corner == 1), b->at[1], b->at[2]));
}

LANES_INLINE void find_positions(const struct raster_state *s, const struct raster_vertices *v,
                                 struct setup16 *b) {
    for (unsigned k = 0; k < 3; k++) {
        b->x[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_X);
        b->y[k] = (i32x16)row_of(v, b->at[k], v->window + WINDOW_Y);
    }
    b->area = widen16(b->x[1] - b->x[0]) * widen16(b->y[2] - b->y[0]) -
              widen16(b->x[2] - b->x[0]) * widen16(b->y[1] - b->y[0]);
    const i32x16 negative = narrow16(b->area < 0);
    b->front = s->setup.front_ccw ? negative : ~negative;
}

LANES_INLINE void measure_triangles(const struct raster_state *s, const struct raster_vertices *v,
                                    struct setup16 *b) {
    const bool multisample = raster_multisamples(s) || s->setup.polygon_smooth;
    const struct bounds limits = find_limits(s, v, b->provoking);
    find_positions(s, v, b);
    b->r = find_bounds(&limits, multisample, min16(b->x[0], min16(b->x[1], b->x[2])),
                       min16(b->y[0], min16(b->y[1], b->y[2])),
                       max16(b->x[0], max16(b->x[1], b->x[2])),
                       max16(b->y[0], max16(b->y[1], b->y[2])));
}

/* ---- edges ---- */

struct edges {
    i32x16 a[3], b[3];
    i32x16 bias[3]; /* -1 where points on the edge are outside */
};

LANES_INLINE void find_edges(const struct setup16 *b, struct edges *e) {
    const i32x16 turned = narrow16(b->area < 0);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned next = (k + 1) % 3;
        e->a[k] = ((b->y[k] - b->y[next]) ^ turned) - turned;
        e->b[k] = ((b->x[next] - b->x[k]) ^ turned) - turned;
        const i32x16 top_left = (e->a[k] > 0) | ((e->a[k] == 0) & (e->b[k] > 0));
        e->bias[k] = ~top_left;
    }
}

/* ---- small triangles ---- */

enum { SMALL_PIXELS = 2, SMALL_EXTENT = 4 * SUBPIXEL };

/* Returns the lanes whose triangle contains the point (x, y), 24.8 fixed point. */
LANES_INLINE i32x16 contains_point(const struct setup16 *b, const struct edges *e, i32x16 x,
                                   i32x16 y) {
    i32x16 outside = {0};
    for (unsigned k = 0; k < 3; k++)
        outside |= e->a[k] * (x - b->x[k]) + e->b[k] * (y - b->y[k]) + e->bias[k];
    return outside >= 0;
}

static i32x16 limit_most(i32x16 v, int32_t most) {
    return v <= most;
}

/* Returns bits of the triangles of at most 2x2 pixels that miss all samples. */
LANES_INLINE uint32_t miss_samples(const struct raster_state *s, const struct setup16 *b,
                                   uint32_t live) {
    i32x16 extent_x =
        max16(b->x[0], max16(b->x[1], b->x[2])) - min16(b->x[0], min16(b->x[1], b->x[2]));
    i32x16 extent_y =
        max16(b->y[0], max16(b->y[1], b->y[2])) - min16(b->y[0], min16(b->y[1], b->y[2]));
    const i32x16 small = limit_most(max16(extent_x, extent_y), SMALL_EXTENT) &
                         limit_most(max16(b->r.x1 - b->r.x0, b->r.y1 - b->r.y0), SMALL_PIXELS);
    const uint32_t tested = to_mask16((u32x16)small) & live;
    if (!tested || s->setup.polygon_smooth)
        return 0;
    const bool multisample = raster_multisamples(s);
    const unsigned shift = multisample ? (unsigned)__builtin_ctz(s->targets->samples) : 0;
    struct edges e;
    find_edges(b, &e);
    i32x16 hit = {0};
    for (int pixel = 0; pixel < SMALL_PIXELS * SMALL_PIXELS; pixel++) {
        for (unsigned i = 0; i < 1u << shift; i++) {
            const uint8_t *at = sample_position[shift][i];
            const i32x16 x = (b->r.x0 + pixel % SMALL_PIXELS) * SUBPIXEL + at[0] * (SUBPIXEL / 16);
            const i32x16 y = (b->r.y0 + pixel / SMALL_PIXELS) * SUBPIXEL + at[1] * (SUBPIXEL / 16);
            hit |= contains_point(b, &e, x, y);
        }
    }
    return tested & ~to_mask16((u32x16)hit);
}

/* ---- culling ---- */

/* Returns bits of the faces that the state culls. front: bits of the faces that face front. */
LANES_INLINE uint32_t culled_of(const struct raster_state *s, uint32_t front) {
    return (s->setup.cull & CULL_FRONT ? front : 0) | (s->setup.cull & CULL_BACK ? ~front : 0);
}

/* Returns the triangles of `live` that may cover a sample. Adds to *drawn the number of triangles
 * that have an area. */
LANES_INLINE uint32_t find_visible(const struct raster_state *s, const struct raster_vertices *v,
                                   struct setup16 *b, uint32_t live, uint64_t *drawn) {
    measure_triangles(s, v, b);
    live &= to_mask16((u32x16)narrow16(b->area != 0));
    *drawn += (uint64_t)__builtin_popcount(live);
    if (s->setup.cull)
        live &= ~culled_of(s, to_mask16((u32x16)b->front));
    live &= prims_with_pixels(&b->r);
    return live ? live & ~miss_samples(s, b, live) : 0;
}

/* Bits of sixteen triangles. in: triangles that are not outside. clip: those of `in` that must be
 * clipped. lost: those of `in` that cannot be drawn. */
struct coded {
    uint32_t in, clip, lost;
};

LANES_INLINE struct coded find_coded(const struct raster_vertices *v,
                                     const struct raster_triangles *t, uint32_t first,
                                     struct setup16 *b) {
    const u32x16 triangle = numbers_from(first, t->count);
    u32x16 every = splat16(t->outside), any = splat16(0);
    find_corners(v, t, triangle, b);
    b->provoking = b->at[0];
    if (v->viewport_row != RASTER_NO_ROW)
        find_provoking(t, triangle, b);
    for (unsigned k = 0; k < 3; k++) {
        const u32x16 code = row_of(v, b->at[k], v->window + WINDOW_CODE);
        every &= code;
        any |= code;
    }
    struct coded c;
    c.in = existing_lanes(first, t->count) & to_mask16((u32x16)(every == 0));
    c.clip = c.in & to_mask16((u32x16)((any & t->clip) != 0));
    c.lost = c.in & to_mask16((u32x16)((any & t->lost) != 0));
    return c;
}

uint32_t SIMD_FN(setup_cull) CULL_ARGUMENTS {
    const bool layer = has_layer(s, v);
    uint32_t count = 0;
    for (uint32_t first = 0; first < t->count; first += LANES16) {
        struct setup16 b;
        const struct coded c = find_coded(v, t, first, &b);
        uint32_t live = c.in & ~c.clip & ~c.lost;
        if (live)
            live = find_visible(s, v, &b, live, drawn);
        for (uint32_t rest = layer ? live | c.clip : c.clip; rest; rest &= rest - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(rest);
            kept[count++] = (first + i) | (c.clip >> i & 1 ? RASTER_CLIP : 0);
        }
    }
    return count;
}

uint32_t SIMD_FN(setup_faces) FACES_ARGUMENTS {
    uint32_t count = 0;
    for (uint32_t first = 0; first < t->count; first += LANES16) {
        struct setup16 b;
        const struct coded c = find_coded(v, t, first, &b);
        find_positions(s, v, &b);
        const uint32_t front = to_mask16((u32x16)b.front) & ~c.lost;
        for (uint32_t rest = c.in & (c.clip | ~culled_of(s, front)); rest; rest &= rest - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(rest);
            kept[count++] = (first + i) | (c.clip >> i & 1 ? RASTER_CLIP : 0) |
                            (front >> i & 1 ? RASTER_FRONT : 0);
        }
    }
    return count;
}

/* ---- setup ---- */

LANES_INLINE void find_gradients(const struct setup16 *b, struct gradients *g) {
    const f64x16 scale = splat_d(SUBPIXEL) / b->area;
    g->x1 = widen16(b->y[2] - b->y[0]) * scale;
    g->x2 = widen16(b->y[0] - b->y[1]) * scale;
    g->y1 = widen16(b->x[0] - b->x[2]) * scale;
    g->y2 = widen16(b->x[1] - b->x[0]) * scale;
    base_planes(g, b->x[0], b->y[0]);
}

/* Orders the corners so that the inside lies right of each edge. The first corner remains the
 * first. */
LANES_INLINE void order_corners(const struct setup16 *b, i32x16 out[6]) {
    const i32x16 turned = narrow16(b->area < 0);
    out[0] = b->x[0];
    out[1] = b->y[0];
    for (unsigned k = 1; k < 3; k++) {
        out[2 * k] = blend_int16(turned, b->x[3 - k], b->x[k]);
        out[2 * k + 1] = blend_int16(turned, b->y[3 - k], b->y[k]);
    }
}

void SIMD_FN(setup_triangles) TRIANGLES_ARGUMENTS {
    struct planes p; /* not cleared, because it is large */
    struct setup16 b;
    i32x16 corners[6];
    const u32x16 triangle = load_numbers(kept, n);
    fetch_ahead(n, prim, 0);
    find_corners(v, t, triangle, &b);
    find_provoking(t, triangle, &b);
    measure_triangles(s, v, &b);
    find_gradients(&b, &p.g);
    p.v = v;
    p.one_vertex = false;
    p.provoking = b.provoking;
    p.front = b.front;
    for (unsigned k = 0; k < 3; k++)
        p.at[k] = b.at[k];
    find_weights(&p);
    depth_planes(s, &p, 2);
    fetch_ahead(n, prim, 1);
    order_corners(&b, corners);
    store_prims(s, common, &p, &b.r, corners, prim);
    fetch_ahead(n, prim, 2);
    store_planes(s, &p, prim);
}
