/* From a primitive to covered 8x4 blocks of the tile: edges reject or accept the tile, then 32
 * blocks at once, then the 32 pixels (times samples) of a block; early zeta follows, and what
 * survives goes to the packer. Exact: every decision has the sign of the integer edge functions.
 * In: a primitive after setup. Knows no programs and no colour.
 */
#include "raster/minmax.h"
#include "raster/tile.h"

/* An edge that cuts the tile. Values are at pixel (0, 0) of the tile, per sample. */
struct tile_edge {
    int32_t a, b;
    int64_t at[SMOOTH_POINTS];
    int64_t center;
    int64_t margin; /* how far a sample's value may be from the pixel centre's */
    i32x32 lane;    /* value of each lane of a block over that of the block's corner */
};

struct cover {
    struct raster_tile *t;
    const struct prim *p;
    struct raster_rect rect; /* bounds, from the tile's corner, inside the tile */
    uint32_t edge_count;
    uint32_t samples; /* of coverage: 1 unless multisampling */
    uint32_t points;  /* of a pixel that edges are tested at: samples, or more for smooth ones */
    const uint8_t (*position)[2]; /* of the points */
    int32_t unit; /* of the positions, in 1/256 pixel */
    bool masked;      /* window rectangles or the stipple apply */
    bool clamp_z;
    double z, zdx, zdy; /* scaled depth at the centre of the tile's first pixel, gradient */
    double z_low, z_high;
    f64x32 z_lane;
    struct tile_edge edge[PRIM_EDGES];
};

static const i32x32 lane_x = LANES_X, lane_y = LANES_Y;

LANES_INLINE int64_t positive(int64_t v) {
    return v > 0 ? v : 0;
}

LANES_INLINE int64_t magnitude(int64_t v) {
    return v < 0 ? -v : v;
}

/* False if the edge rejects the tile. Edges that accept all of it are dropped. */
static bool add_edge(struct cover *c, const struct prim_edge *e) {
    struct tile_edge *out = &c->edge[c->edge_count];
    const int64_t a = e->a, b = e->b;
    const int64_t corner = a * c->t->x + b * c->t->y, last = TILE_SIZE - 1;
    out->center = corner + ((e->c + (a + b) * SUBPIXEL_HALF) >> SUBPIXEL_BITS);
    out->margin = c->points > 1 ? (magnitude(a) + magnitude(b)) / 2 + 1 : 0;
    if (out->center + (positive(a) + positive(b)) * last + out->margin < 0)
        return false;
    if (out->center - (positive(-a) + positive(-b)) * last - out->margin >= 0)
        return true;
    out->a = e->a;
    out->b = e->b;
    out->at[0] = out->center;
    for (uint32_t s = 0; s < c->points && c->points > 1; s++) {
        const uint8_t *position = c->position[s];
        out->at[s] =
            corner + ((e->c + (a * position[0] + b * position[1]) * c->unit) >> SUBPIXEL_BITS);
    }
    out->lane = lane_x * out->a + lane_y * out->b;
    c->edge_count++;
    return true;
}

static void start_depth(struct cover *c) {
    const struct prim *p = c->p;
    const struct draw_plan *plan = c->t->plan;
    const double scale = plan->z_scale != 0 ? plan->z_scale : 1;
    const double half = plan->z_scale != 0 ? 0.5 : 0; /* conversion to integers truncates */
    c->zdx = p->zdx * scale;
    c->zdy = p->zdy * scale;
    c->z = (p->z + p->zdx * (c->t->x + 0.5 - (double)p->x0) +
            p->zdy * (c->t->y + 0.5 - (double)p->y0)) *
               scale +
           half;
    c->z_low = p->z_low * scale + half;
    c->z_high = p->z_high * scale + half;
    c->z_lane = __builtin_convertvector(lane_x, f64x32) * c->zdx +
                __builtin_convertvector(lane_y, f64x32) * c->zdy;
    const double x = TILE_SIZE * c->zdx, y = TILE_SIZE * c->zdy;
    const double most = c->z + (x > 0 ? x : -c->zdx) + (y > 0 ? y : -c->zdy);
    const double least = c->z + (x < 0 ? x : -c->zdx) + (y < 0 ? y : -c->zdy);
    c->clamp_z = !(least >= c->z_low && most <= c->z_high);
}

LANES_INLINE f64x32 select_f64(i64x32 cond, f64x32 a, f64x32 b) {
    return (f64x32)(((i64x32)a & cond) | ((i64x32)b & ~cond));
}

/* Depth words of a block's lanes at one sample (or the pixel centre). */
LANES_INLINE void depth_words(const struct cover *c, uint32_t block, uint32_t sample, u32x32 *out) {
    const struct draw_plan *plan = c->t->plan;
    double x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H;
    if (c->samples > 1) {
        x += (sample_position[plan->sample_shift][sample][0] - 8) / 16.0;
        y += (sample_position[plan->sample_shift][sample][1] - 8) / 16.0;
    }
    f64x32 z = c->z_lane + (c->z + c->zdx * x + c->zdy * y);
    if (c->clamp_z) {
        const f64x32 low = c->z_low - (f64x32){0}, high = c->z_high - (f64x32){0};
        z = select_f64((i64x32)(z > low), z, low);
        z = select_f64((i64x32)(z < high), z, high);
    }
    if (plan->z_scale != 0)
        *out = (u32x32) __builtin_convertvector(z, i32x32);
    else
        *out = (u32x32) __builtin_convertvector(z, f32x32);
}

/* Negative in lanes outside an edge at one point. Values that matter differ from the block's corner
 * by less than 2^29, so a corner value beyond 2^30 decides for all lanes and may be clamped. */
LANES_INLINE i32x32 outside_edges(const struct cover *c, uint32_t block, uint32_t sample) {
    const int64_t x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H, limit = 1 << 30;
    i32x32 outside = (i32x32)lanes_splat(0);
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const struct tile_edge *e = &c->edge[i];
        int64_t v = e->at[sample] + e->a * x + e->b * y;
        v = v < -limit ? -limit : v > limit ? limit : v;
        outside |= e->lane + (int32_t)v;
    }
    return outside;
}

/* Lanes inside all edges at one sample. */
LANES_INLINE lane_mask inside(const struct cover *c, uint32_t block, uint32_t sample) {
    return ~lanes_to_mask((u32x32)outside_edges(c, block, sample));
}

/* Negative in lanes outside the circle at one point. */
static i32x32 outside_circle(const struct cover *c, uint32_t block, uint32_t point) {
    const struct prim_circle *o = &c->p->circle;
    const int32_t x = c->t->x + (int32_t)(block % BLOCKS_X * BLOCK_W);
    const int32_t y = c->t->y + (int32_t)(block / BLOCKS_X * BLOCK_H);
    const f64x32 dx = __builtin_convertvector(
        (lane_x + x) * SUBPIXEL + (smooth_position[point][0] - o->x), f64x32);
    const f64x32 dy = __builtin_convertvector(
        (lane_y + y) * SUBPIXEL + (smooth_position[point][1] - o->y), f64x32);
    const f64x32 radius2 = o->radius2 - (f64x32){0};
    return __builtin_convertvector((i64x32)(dx * dx + dy * dy > radius2), i32x32);
}

/* How much of each pixel a smooth primitive covers, in t->whole.smooth; lanes of which it covers
 * something. */
static lane_mask smooth_block(const struct cover *c, uint32_t block) {
    i32x32 covered = (i32x32)lanes_splat(SMOOTH_POINTS);
    for (uint32_t i = 0; i < SMOOTH_POINTS; i++) {
        const i32x32 out = c->p->smooth == SMOOTH_CIRCLE ? outside_circle(c, block, i)
                                                         : outside_edges(c, block, i);
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

/* Zeta before the program; or, when it comes after, only drops what is sure to fail. */
LANES_INLINE lane_mask early_zeta(struct raster_tile *t, uint32_t block, uint32_t sample,
                                  const u32x32 *z, lane_mask m) {
    const struct draw_plan *plan = t->plan;
    struct tile_plane *p = &t->zeta;
    zrop_fn *test = plan->early ? plan->zrop : plan->zreject;
    if (!test || !m)
        return m;
    if (!block_bit(p->valid, block)) {
        SIMD_FN(block_load)(p, block);
        block_set(p->valid, block);
    }
    const lane_mask pass = test(&plan->zkey, z, plane_rows(p, sample, block), m, t->whole.front);
    if (plan->early && zeta_changed(plan, m, pass))
        block_set(p->dirty, block);
    return pass;
}

/* One block that may be covered; full: no edge cuts it. */
static void cover_block(const struct cover *c, uint32_t block, bool full) {
    struct raster_tile *t = c->t;
    const struct draw_plan *plan = t->plan;
    struct job *j = &t->whole;
    lane_mask clip = clip_block(c, block);
    lane_mask before = 0, after = 0;
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
            m &= inside(c, block, c->samples > 1 ? s : 0);
        before |= m;
        j->cover[s] = m;
        if (!m || !plan->zeta_active)
            continue;
        depth_words(c, block, s, &j->z[s]);
        j->cover[s] = early_zeta(t, block, s, &j->z[s], m);
        after |= j->cover[s];
    }
    after = plan->zeta_active ? after : before;
    t->counters->early_rejected += (uint32_t)__builtin_popcount(before & ~after);
    if (!after)
        return;
    if (!plan->shades) {
        for (uint32_t s = 0; s < plan->samples && plan->state->count_samples; s++)
            t->counters->samples_passed += (uint32_t)__builtin_popcount(j->cover[s]);
        return;
    }
    j->block[0] = (uint8_t)block;
    SIMD_FN(pack_block)(t);
}

/* Blocks of four block rows from `row`: which may be covered (returned), which no edge cuts
 * (*full). Edges too long for 32 bits are tested with less precision and a margin. */
static lane_mask classify(const struct cover *c, uint32_t row, lane_mask *full) {
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

/* Few blocks are tested one by one, many 32 at a time first. */
static void walk(const struct cover *c) {
    const struct raster_rect *r = &c->rect;
    const int32_t x0 = r->x0 / BLOCK_W, x1 = (r->x1 - 1) / BLOCK_W;
    const int32_t y0 = r->y0 / BLOCK_H, y1 = (r->y1 - 1) / BLOCK_H;
    if ((x1 - x0 + 1) * (y1 - y0 + 1) <= 4) {
        for (int32_t y = y0; y <= y1; y++) {
            for (int32_t x = x0; x <= x1; x++)
                cover_block(c, (uint32_t)(y * BLOCKS_X + x), c->edge_count == 0);
        }
        return;
    }
    for (int32_t row = y0 & ~3; row <= y1; row += 4) {
        lane_mask full = LANES_ALL;
        lane_mask maybe = touched_blocks(r, row);
        if (c->edge_count)
            maybe &= classify(c, (uint32_t)row, &full);
        for (; maybe; maybe &= maybe - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(maybe);
            cover_block(c, (uint32_t)row * BLOCKS_X + i, full >> i & 1);
        }
    }
}

LANES_INLINE int32_t clip_to_tile(int32_t v) {
    return v < 0 ? 0 : v > TILE_SIZE ? TILE_SIZE : v;
}

void SIMD_FN(cover_prim)(struct raster_tile *t, const struct prim *p) {
    const struct raster_rect *b = &p->base.bounds;
    struct cover c;
    c.t = t;
    c.p = p;
    c.rect = (struct raster_rect){clip_to_tile(b->x0 - t->x), clip_to_tile(b->y0 - t->y),
                                  clip_to_tile(b->x1 - t->x), clip_to_tile(b->y1 - t->y)};
    if (c.rect.x0 >= c.rect.x1 || c.rect.y0 >= c.rect.y1)
        return;
    c.samples = p->multisample ? t->plan->samples : 1;
    c.points = p->smooth ? SMOOTH_POINTS : c.samples;
    c.position = p->smooth ? smooth_position : sample_position[t->plan->sample_shift];
    c.unit = p->smooth ? 1 : SUBPIXEL / 16;
    c.masked = t->plan->state->rect_mode || p->stippled;
    c.edge_count = 0;
    for (uint32_t i = 0; i < p->edge_count; i++) {
        if (!add_edge(&c, &p->edge[i]))
            return;
    }
    t->prim = p;
    t->near = NULL;
    t->whole.front = p->front;
    if (t->plan->whole_tile && !c.edge_count && !c.rect.x0 && !c.rect.y0 &&
        c.rect.x1 % BLOCK_W == 0 && c.rect.y1 % BLOCK_H == 0) {
        SIMD_FN(pack_blocks)(t, (uint32_t)c.rect.x1 / BLOCK_W, (uint32_t)c.rect.y1 / BLOCK_H);
        return;
    }
    if (t->plan->zeta_active)
        start_depth(&c);
    walk(&c);
}
