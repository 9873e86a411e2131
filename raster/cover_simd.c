/* From a primitive of any kind to covered 8x4 blocks of the tile: edges reject or accept the tile, then 32
 * blocks at once, then the 32 pixels (times samples) of a block; a primitive that touches few
 * blocks goes to these at once. Blocks that hide it wholly are passed over (early.h). Early zeta follows,
 * and what survives goes to the packer. Exact: every decision has the sign of the integer edge
 * functions. In: a primitive after setup. Knows no programs and no colour.
 */
#include "raster/cover.h"
#include "raster/minmax.h"

typedef uint16_t u16x4 __attribute__((vector_size(8)));

LANES_INLINE int64_t positive(int64_t v) {
    return v > 0 ? v : 0;
}

LANES_INLINE int64_t magnitude(int64_t v) {
    return v < 0 ? -v : v;
}

/* What the points of a pixel add to its centre's value. */
LANES_INLINE void place_points(const struct cover *c, const struct prim_edge *e,
                               struct tile_edge *out) {
    const int64_t corner =
        out->center - ((e->c + ((int64_t)e->a + e->b) * SUBPIXEL_HALF) >> SUBPIXEL_BITS);
    for (uint32_t s = 0; s < c->points; s++) {
        const uint8_t *position = c->position[s];
        const int64_t at = (int64_t)e->a * position[0] + (int64_t)e->b * position[1];
        out->point[s] = (int32_t)(corner + ((e->c + at * c->unit) >> SUBPIXEL_BITS) - out->center);
    }
}

/* False if the edge rejects the tile. Edges that accept all of it are dropped. */
LANES_INLINE bool add_edge(struct cover *c, const struct prim_edge *e, bool few) {
    struct tile_edge *out = &c->edge[c->edge_count];
    const int64_t a = e->a, b = e->b;
    const int64_t last = TILE_SIZE - 1;
    out->center = a * c->t->x + b * c->t->y + ((e->c + (a + b) * SUBPIXEL_HALF) >> SUBPIXEL_BITS);
    if (!few) {
        out->margin = c->points > 1 ? (magnitude(a) + magnitude(b)) / 2 + 1 : 0;
        if (out->center + (positive(a) + positive(b)) * last + out->margin < 0)
            return false;
        if (out->center - (positive(-a) + positive(-b)) * last - out->margin >= 0)
            return true;
    }
    out->a = e->a;
    out->b = e->b;
    out->point[0] = 0;
    if (c->points > 1)
        place_points(c, e, out);
    out->lane = half_x * out->a + half_y * out->b;
    c->edge_count++;
    return true;
}

/* Edges at the block's corner. Values that matter differ from it by less than 2^29, so one beyond
 * 2^30 decides for all lanes and may be clamped. */
LANES_INLINE void start_block(struct cover *c, uint32_t block) {
    const int64_t x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H, limit = 1 << 30;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct tile_edge *e = &c->edge[i];
        int64_t v = e->center + e->a * x + e->b * y;
        v = v < -limit ? -limit : v;
        c->at[i] = (int32_t)(v > limit ? limit : v);
    }
}

/* Negative in lanes of that block outside an edge at one point. */
LANES_INLINE i32x32 outside_edges(const struct cover *c, uint32_t point) {
    union block_halves outside = {.v = (i32x32)lanes_splat(0)};
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct tile_edge *e = &c->edge[i];
        const int32_t at = c->at[i] + e->point[point];
        outside.half[0] |= e->lane + at;
        outside.half[1] |= e->lane + (at + 2 * e->b);
    }
    return outside.v;
}

/* Lanes inside all edges at one sample. */
LANES_INLINE lane_mask inside_edges(const struct cover *c, uint32_t sample) {
    return ~lanes_to_mask((u32x32)outside_edges(c, sample));
}

/* Negative in lanes outside the circle at one point. */
static i32x32 outside_circle(const struct cover *c, uint32_t block, uint32_t point) {
    const struct prim_circle *circle = &c->p->circle;
    const int32_t x = c->t->x + (int32_t)(block % BLOCKS_X * BLOCK_W);
    const int32_t y = c->t->y + (int32_t)(block / BLOCKS_X * BLOCK_H);
    const f64x32 dx = __builtin_convertvector(
        (lane_x + x) * SUBPIXEL + (smooth_position[point][0] - circle->x), f64x32);
    const f64x32 dy = __builtin_convertvector(
        (lane_y + y) * SUBPIXEL + (smooth_position[point][1] - circle->y), f64x32);
    const f64x32 radius2 = circle->radius2 - (f64x32){0};
    return __builtin_convertvector((i64x32)(dx * dx + dy * dy > radius2), i32x32);
}

/* How much of each pixel a smooth primitive covers, in t->whole.smooth; lanes of which it covers
 * something. */
static lane_mask smooth_block(const struct cover *c, uint32_t block) {
    i32x32 covered = (i32x32)lanes_splat(SMOOTH_POINTS);
    for (uint32_t i = 0; i < SMOOTH_POINTS; i++) {
        const i32x32 out =
            c->p->smooth == SMOOTH_CIRCLE ? outside_circle(c, block, i) : outside_edges(c, i);
        covered += out >> 31;
    }
    c->t->whole.smooth = __builtin_convertvector(covered, f32x32) * (1.0f / SMOOTH_POINTS);
    return lanes_to_mask((u32x32)(covered > 0));
}

static lane_mask window_rects(const struct raster_state *s, int32_t x, int32_t y) {
    lane_mask in = 0;
    for (int i = 0; i < RASTER_RECTS; i++) {
        const struct raster_rect *r = &s->rect[i];
        in |= block_rect(r->x0 - x, r->y0 - y, r->x1 - x, r->y1 - y);
    }
    return s->rect_mode == 1 ? in : ~in;
}

/* Lanes that window rectangles and the stipple let through, of the block at (x, y) of the tile. */
static lane_mask mask_block(const struct cover *c, int32_t x, int32_t y) {
    const struct draw_plan *plan = c->t->plan;
    const int32_t at_x = c->t->x + x, at_y = c->t->y + y;
    lane_mask m = LANES_ALL;
    if (plan->state->rect_mode)
        m = window_rects(plan->state, at_x, at_y);
    if (c->p->stippled)
        m &= plan->stipple[at_y % STIPPLE_SIZE / BLOCK_H * 4 + at_x % STIPPLE_SIZE / BLOCK_W];
    return m;
}

/* Lanes the rectangles let through. */
LANES_INLINE lane_mask clip_block(const struct cover *c, uint32_t block) {
    const int x = (int)(block % BLOCKS_X * BLOCK_W), y = (int)(block / BLOCKS_X * BLOCK_H);
    const struct raster_rect *r = &c->rect;
    lane_mask m = LANES_ALL;
    if (x < r->x0 || y < r->y0 || x + BLOCK_W > r->x1 || y + BLOCK_H > r->y1)
        m = block_rect(r->x0 - x, r->y0 - y, r->x1 - x, r->y1 - y);
    return c->masked ? m & mask_block(c, x, y) : m;
}

/* Coverage of a block's samples in t->whole.cover[]; their union. full: no edge cuts it. */
LANES_INLINE lane_mask cover_samples(const struct cover *c, uint32_t block, bool full) {
    const struct draw_plan *plan = c->t->plan;
    struct job *j = &c->t->whole;
    lane_mask clip = clip_block(c, block), any = 0;
    if (plan->smooth) {
        j->smooth = (f32x32)lanes_splat_f(1);
        if (c->p->smooth == SMOOTH_CIRCLE || (c->p->smooth && !full)) {
            clip &= smooth_block(c, block);
            full = true; /* edges are done with */
        }
    }
    for (uint32_t s = 0; s < plan->samples; s++) {
        lane_mask m = plan->sample_mask >> s & 1 ? clip : 0;
        if (!full && m)
            m &= c->samples > 1 || !s ? inside_edges(c, s) : j->cover[0] | ~clip;
        any |= m;
        j->cover[s] = m;
    }
    return any;
}

/* One block that may be covered; full: no edge cuts it; z: where the primitive's depths lie there. */
LANES_INLINE void cover_block(struct cover *c, uint32_t block, bool full, struct zeta_bound z) {
    struct raster_tile *t = c->t;
    const struct draw_plan *plan = t->plan;
    struct job *j = &t->whole;
    if (!full)
        start_block(c, block);
    const lane_mask before = cover_samples(c, block, full);
    if (!before)
        return;
    lane_mask after = before;
    if (plan->zeta_active) {
        const enum stage was = profile_enter(t->profile, STAGE_ZETA);
        after = early_zeta(c, block, z);
        profile_leave(t->profile, was);
    }
    t->counters->early_rejected += (uint32_t)__builtin_popcount(before & ~after);
    if (!after)
        return;
    if (!plan->shades) {
        for (uint32_t s = 0; s < plan->samples && plan->state->count_samples; s++)
            t->counters->samples_passed += (uint32_t)__builtin_popcount(j->cover[s]);
        return;
    }
    j->block = block;
    SIMD_FN(pack_block)(t, after);
}

/* Blocks of four block rows from `row`: which may be covered (returned), which no edge cuts
 * (*full). Edges too long for 32 bits are tested with less precision and a margin. */
static lane_mask classify_blocks(const struct cover *c, uint32_t row, lane_mask *full) {
    const i32x32 bx = (i32x32)(lanes_iota() & 7), by = (i32x32)(lanes_iota() >> 3);
    i32x32 outside = (i32x32)lanes_splat(0), cut = outside;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct tile_edge *e = &c->edge[i];
        const int shift = magnitude(e->a) + magnitude(e->b) > 1 << 23 ? 8 : 0;
        const int32_t slack = (int32_t)(e->margin >> shift) + (shift ? 2 * TILE_SIZE : 0);
        const int32_t a = e->a >> shift, b = e->b >> shift;
        const int32_t origin = (int32_t)((e->center + (int64_t)e->b * BLOCK_H * row) >> shift);
        const i32x32 corner = bx * (a * BLOCK_W) + by * (b * BLOCK_H) + origin;
        const int32_t most = (int32_t)(positive(a) * (BLOCK_W - 1) + positive(b) * (BLOCK_H - 1));
        const int32_t least =
            (int32_t)(positive(-a) * (BLOCK_W - 1) + positive(-b) * (BLOCK_H - 1));
        outside |= corner + (most + slack);
        cut |= corner - (least + slack);
    }
    *full = ~lanes_to_mask((u32x32)cut);
    return ~lanes_to_mask((u32x32)outside);
}

/* Blocks the rectangle touches, of four block rows from `row`. */
static lane_mask touched_blocks(const struct raster_rect *r, int32_t row) {
    const int32_t x0 = r->x0 / BLOCK_W, x1 = (r->x1 - 1) / BLOCK_W;
    const int32_t y0 = r->y0 / BLOCK_H - row, y1 = (r->y1 - 1) / BLOCK_H - row;
    const uint32_t columns = (2u << x1) - (1u << x0);
    lane_mask m = 0;
    for (int32_t y = y0 < 0 ? 0 : y0; y <= y1 && y < 4; y++)
        m |= columns << (8 * y);
    return m;
}

/* Few blocks are tested one by one. */
static void walk_few(struct cover *c) {
    for (uint32_t i = 0; i < c->few; i++)
        cover_block(c, c->few_block[i], c->edge_count == 0, c->few_bound[i]);
}

/* Many: 32 at a time first. */
static void walk_many(struct cover *c) {
    const bool bounds = c->t->plan->zeta_active;
    for (int32_t row = c->blocks.y0 & ~3; row < c->blocks.y1; row += 4) {
        lane_mask full = LANES_ALL;
        lane_mask maybe = touched_blocks(&c->rect, row);
        if (c->edge_count)
            maybe &= classify_blocks(c, (uint32_t)row, &full);
        for (; maybe; maybe &= maybe - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(maybe);
            const uint32_t block = (uint32_t)row * BLOCKS_X + i;
            struct zeta_bound z = {0};
            if (bounds)
                z = prim_bound(c, block);
            if (!bounds || !early_hidden(c, block, z))
                cover_block(c, block, full >> i & 1, z);
        }
    }
}

/* Where the primitive lies in the tile; false if nowhere. */
LANES_INLINE bool clip_bounds(struct cover *c) {
    _Static_assert(sizeof(struct raster_rect) == sizeof(i32x4), "x0, y0, x1, y1");
    const i32x4 corner = {c->t->x, c->t->y, c->t->x, c->t->y}, none = {0, 0, 0, 0};
    const i32x4 size = none + TILE_SIZE;
    u16x4 bounds;
    memcpy(&bounds, &c->p->base.bounds, sizeof(bounds));
    i32x4 r = __builtin_convertvector(bounds, i32x4) - corner;
    r &= r > 0;
    r = (r & (r < size)) | (size & (r >= size));
    const i32x4 blocks = (r + (i32x4){0, 0, BLOCK_W - 1, BLOCK_H - 1}) >> (i32x4){3, 2, 3, 2};
    memcpy(&c->rect, &r, sizeof(r));
    memcpy(&c->blocks, &blocks, sizeof(blocks));
    return c->rect.x0 < c->rect.x1 && c->rect.y0 < c->rect.y1;
}

LANES_INLINE bool is_few(const struct cover *c) {
    const struct raster_rect *r = &c->blocks;
    return (r->x1 - r->x0) * (r->y1 - r->y0) <= FEW_BLOCKS;
}

/* The blocks it touches that do not hide it. */
LANES_INLINE void list_few(struct cover *c) {
    const struct raster_rect *r = &c->blocks;
    const bool bounds = c->t->plan->zeta_active;
    c->few = 0;
    for (int32_t y = r->y0; y < r->y1; y++) {
        for (int32_t x = r->x0; x < r->x1; x++) {
            const uint32_t block = (uint32_t)(y * BLOCKS_X + x);
            c->few_block[c->few] = block;
            if (bounds)
                c->few_bound[c->few] = prim_bound(c, block);
            c->few += !bounds || !early_hidden(c, block, c->few_bound[c->few]);
        }
    }
}

void SIMD_FN(cover_prim)(struct raster_tile *t, const struct prim *p) {
    const struct draw_plan *plan = t->plan;
    struct cover c;
    c.t = t;
    c.p = p;
    if (!clip_bounds(&c))
        return;
    const bool few = is_few(&c);
    c.samples = p->multisample ? plan->samples : 1;
    c.points = p->smooth ? SMOOTH_POINTS : c.samples;
    c.position = p->smooth ? smooth_position : sample_position[plan->sample_shift];
    c.unit = p->smooth ? 1 : SUBPIXEL / 16;
    c.masked = plan->state->rect_mode || p->stippled;
    c.edge_count = 0;
    if (plan->zeta_active)
        early_start(&c);
    if (few) {
        list_few(&c);
        if (!c.few)
            return;
    }
    for (uint32_t i = 0; i < p->edge_count; i++) {
        const struct prim_edge e = prim_edge(p, i);
        if (!add_edge(&c, &e, few))
            return;
    }
    t->prim = p;
    t->near = NULL;
    t->whole.front = p->front;
    if (plan->whole_tile && !c.edge_count && !c.rect.x0 && !c.rect.y0 && c.rect.x1 % BLOCK_W == 0 &&
        c.rect.y1 % BLOCK_H == 0) {
        SIMD_FN(pack_blocks)(t, (uint32_t)c.rect.x1 / BLOCK_W, (uint32_t)c.rect.y1 / BLOCK_H);
        return;
    }
    if (few)
        walk_few(&c);
    else
        walk_many(&c);
}
