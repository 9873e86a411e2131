/* Triangles and squares of a draw, sixteen at a time: bounds, edges and depths in the tile for all of
 * them at once; then, one after the other and in order, the blocks each may touch, minus those that
 * hide it, 32 at a look; their 32 pixels, early zeta, and what survives to the packer. Coverage and
 * depths are those of cover_simd.c, which takes all other primitives: the same exact edge functions,
 * the same planes. In: primitives after setup. Knows no programs and no colour.
 */
#include "base/lanes16.h"
#include "raster/cover.h"

enum {
    FEW = 2,             /* blocks: not worth a look at edges before their pixels */
    MANY = 16,           /* worth a look at which of them no edge cuts, and at depths of each */
    BLOCK_ROWS = 4,      /* block rows looked at together: 32 blocks */
    UNCUT = TILE_BLOCKS, /* added to a listed block's number: no edge cuts it */
    EDGE_MOST = 1 << 23, /* of a and b: 64 pixels of both stay below 2^30 */
    EDGE_LIMIT = 1 << 30,
    CACHE_LINE = 64,
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
    union row a[3], b[3];     /* edges: per pixel; */
    union row at[3];          /* at the centre of the tile's first pixel, within EDGE_LIMIT */
    union row point[3][MAX_SAMPLES]; /* of several samples: what they add to the centre's value */
    union row margin[3];             /* at most; 0 with one sample */
    union wide_row z, zdx, zdy; /* scaled depth there, gradient */
    union row low, high;        /* where the depth words lie */
    union wide_row around;      /* how far the depths of a block lie from that of its middle */
    double z_low[LANES16], z_high[LANES16]; /* depths are clamped to, */
    uint32_t clamped;                       /* if they must be: a bit each */
    uint32_t live; /* touch the tile */
    uint32_t fit;  /* primitives as this file wants them */
    uint32_t cut;   /* their bounds are not the triangle's: pixels outside them are not drawn */
};

/* ---- sixteen at once ---- */

LANES_INLINE u32x16 join(const struct prim *const prim[], size_t offset) {
    typedef uint32_t u32x4 __attribute__((vector_size(16), aligned(16)));
    u32x4 v[4];
    for (unsigned i = 0; i < 4; i++)
        memcpy(&v[i], (const char *)prim[4 * i] + offset, sizeof v[i]);
    typedef uint32_t u32x8 __attribute__((vector_size(32), aligned(32)));
    const u32x8 low = __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 4, 5, 6, 7);
    const u32x8 high = __builtin_shufflevector(v[2], v[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Four words at `offset` of each record, a row for each. */
LANES_INLINE void load_rows(const struct prim *const prim[], size_t offset, i32x16 row[4]) {
    const u32x16 a = join(prim, offset), b = join(prim + 1, offset), c = join(prim + 2, offset),
                 d = join(prim + 3, offset);
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

LANES_INLINE i64x16 extend(i32x16 v) {
    return __builtin_convertvector(v, i64x16);
}

LANES_INLINE i32x16 narrow(i64x16 v) {
    return __builtin_convertvector(v, i32x16);
}

LANES_INLINE f64x16 wide(i32x16 v) {
    return __builtin_convertvector(v, f64x16);
}

LANES_INLINE i32x16 splat(int32_t v) {
    return v - (i32x16){0};
}

LANES_INLINE f64x16 select16(i64x16 cond, f64x16 a, f64x16 b) {
    return (f64x16)(((i64x16)a & cond) | ((i64x16)b & ~cond));
}

LANES_INLINE f64x16 absolute(f64x16 v) {
    return (f64x16)((i64x16)v & INT64_MAX);
}

LANES_INLINE i32x16 clip(i32x16 v, int32_t from) {
    return min16(max16(v - from, splat(0)), splat(TILE_SIZE));
}

/* Where they lie in the tile. */
LANES_INLINE void place_group(struct group *g, const struct raster_tile *t,
                              const struct prim *const prim[], const i32x16 x[3],
                              const i32x16 y[3], bool multi) {
    i32x16 r[4];
    load_rows(prim, offsetof(struct prim, base.bounds), r);
    g->x0.v = clip(r[0], t->x);
    g->y0.v = clip(r[1], t->y);
    g->x1.v = clip(r[2], t->x);
    g->y1.v = clip(r[3], t->y);
    g->live = mask16((u32x16)((g->x0.v < g->x1.v) & (g->y0.v < g->y1.v)));
    const int32_t up = multi ? 0 : SUBPIXEL_HALF - 1; /* as setup_bounds() rounds */
    const int32_t down = multi ? SUBPIXEL - 1 : SUBPIXEL_HALF - 1;
    const i32x16 x0 = min16(x[0], min16(x[1], x[2])), x1 = max16(x[0], max16(x[1], x[2]));
    const i32x16 y0 = min16(y[0], min16(y[1], y[2])), y1 = max16(y[0], max16(y[1], y[2]));
    const i32x16 whole = ((x0 + up) >> SUBPIXEL_BITS == r[0]) &
                         ((y0 + up) >> SUBPIXEL_BITS == r[1]) &
                         ((x1 + down) >> SUBPIXEL_BITS == r[2]) &
                         ((y1 + down) >> SUBPIXEL_BITS == r[3]);
    g->cut = ~mask16((u32x16)whole);
}

/* What samples add to an edge whose value at the centre is `at`, in 48.16; `center` in 48.8. */
LANES_INLINE void point_group(struct group *g, const struct draw_plan *plan, unsigned k, i32x16 a,
                              i32x16 b, i64x16 at, i64x16 center) {
    for (uint32_t n = 0; n < plan->samples; n++) {
        const uint8_t *position = sample_position[plan->sample_shift][n];
        const int32_t x = (position[0] - 8) * (SUBPIXEL / 16);
        const int32_t y = (position[1] - 8) * (SUBPIXEL / 16);
        const i64x16 there = (at + extend(a) * x + extend(b) * y) >> SUBPIXEL_BITS;
        g->point[k][n].v = narrow(there - center);
    }
    g->margin[k].v = (max16(a, -a) + max16(b, -b)) / 2 + 1;
}

/* An edge that is beyond the limit anywhere in the tile has one sign in all of it. */
LANES_INLINE void edge_group(struct group *g, const struct raster_tile *t, unsigned k, i32x16 x,
                             i32x16 y, i32x16 next_x, i32x16 next_y, bool multi) {
    const i32x16 a = y - next_y, b = next_x - x;
    const i32x16 outside = ~((a > 0) | ((a == 0) & (b > 0))); /* -1: points on the edge are */
    const i32x16 tile_x = splat(t->x * SUBPIXEL + SUBPIXEL_HALF);
    const i32x16 tile_y = splat(t->y * SUBPIXEL + SUBPIXEL_HALF);
    const i64x16 fine = extend(a) * extend(tile_x - x) + extend(b) * extend(tile_y - y) +
                        extend(outside);
    i64x16 at = fine >> SUBPIXEL_BITS;
    g->margin[k].v = splat(0);
    if (multi)
        point_group(g, t->plan, k, a, b, fine, at);
    const i64x16 limit = EDGE_LIMIT - (i64x16){0};
    const i64x16 above = at > limit, below = at < -limit;
    at = (at & ~above & ~below) | (limit & above) | (-limit & below);
    const i32x16 most = splat(EDGE_MOST);
    g->fit &= mask16((u32x16)((a < most) & (a > -most) & (b < most) & (b > -most)));
    g->a[k].v = a;
    g->b[k].v = b;
    g->at[k].v = narrow(at);
}

/* The middle of pixels [from, to), and how far they lie from it, counted from centre to centre. */
LANES_INLINE void span(i32x16 from, i32x16 to, f64x16 *middle, f64x16 *around) {
    *middle = wide(from + to - 1) * 0.5;
    *around = wide(to - from - 1) * 0.5;
}

/* No ?: here and below: gcc 12 takes two conversions of one vector to be the same. */
LANES_INLINE i32x16 depth_words16(const struct draw_plan *plan, f64x16 z) {
    if (plan->z_scale == 0)
        return (i32x16) __builtin_convertvector(z, f32x16);
    return __builtin_convertvector(z, i32x16);
}

/* Depth planes based on the tile; where the depths lie in the bounds, and whether some lane of a block
 * they touch must be clamped. */
LANES_INLINE void depth_group(struct group *g, const struct raster_tile *t,
                              const struct prim *const prim[], bool multi) {
    const struct draw_plan *plan = t->plan;
    const double scale = plan->z_scale != 0 ? plan->z_scale : 1;
    const double half = plan->z_scale != 0 ? 0.5 : 0;
    union wide_row z, zdx, zdy, x, y, low, high;
    for (unsigned i = 0; i < LANES16; i++) {
        const struct prim *p = prim[i];
        z.lane[i] = p->z;
        zdx.lane[i] = p->zdx;
        zdy.lane[i] = p->zdy;
        x.lane[i] = p->x0;
        y.lane[i] = p->y0;
        low.lane[i] = g->z_low[i] = plan->z_range[p->base.viewport].low;
        high.lane[i] = g->z_high[i] = plan->z_range[p->base.viewport].high;
    }
    g->zdx.v = zdx.v * scale;
    g->zdy.v = zdy.v * scale;
    g->z.v = (z.v + zdx.v * (t->x + 0.5 - x.v) + zdy.v * (t->y + 0.5 - y.v)) * scale + half;
    const f64x16 ax = absolute(g->zdx.v), ay = absolute(g->zdy.v);
    /* With samples half a pixel more than from centre to centre, each way. */
    const f64x16 slack = DEPTH_SLACK * (absolute(g->z.v) + TILE_SIZE * (ax + ay)) +
                         (multi ? 0.5 : 0) * (ax + ay);
    f64x16 mx, my, rx, ry;
    span(g->x0.v & -BLOCK_W, (g->x1.v + (BLOCK_W - 1)) & -BLOCK_W, &mx, &rx);
    span(g->y0.v & -BLOCK_H, (g->y1.v + (BLOCK_H - 1)) & -BLOCK_H, &my, &ry);
    f64x16 middle = g->z.v + mx * g->zdx.v + my * g->zdy.v, around = rx * ax + ry * ay + slack;
    g->clamped = ~mask16((u32x16)narrow((middle - around >= low.v) & (middle + around <= high.v)));
    g->around.v = (BLOCK_W - 1) / 2.0 * ax + (BLOCK_H - 1) / 2.0 * ay + slack;
    span(g->x0.v, g->x1.v, &mx, &rx);
    span(g->y0.v, g->y1.v, &my, &ry);
    middle = g->z.v + mx * g->zdx.v + my * g->zdy.v;
    around = rx * ax + ry * ay + slack;
    f64x16 near = middle - around, far = middle + around;
    near = select16(near > low.v, near, low.v); /* a NaN is the lowest */
    near = select16(near < high.v, near, high.v);
    far = select16(far > low.v, far, low.v);
    far = select16(far < high.v, far, high.v);
    g->low.v = depth_words16(plan, near);
    g->high.v = depth_words16(plan, far);
}

/* What coverage is made of: four bytes of the record. */
static uint32_t shape_of(const struct prim *p) {
    uint32_t shape;
    _Static_assert(offsetof(struct prim, multisample) == offsetof(struct prim, edge_count) + 3,
                   "edge_count, stippled, smooth, multisample");
    memcpy(&shape, &p->edge_count, sizeof shape);
    return shape;
}

/* Primitives that are sharp and not stippled, covered by samples if there are several: triangles; and
 * squares whose bounds say it all. */
static void find_shapes(const struct prim *const prim[], bool multi, uint32_t *triangles,
                        uint32_t *squares) {
    const struct prim triangle = {.edge_count = 3, .multisample = multi};
    const struct prim square = {.edge_count = 0, .multisample = multi};
    const uint32_t three = shape_of(&triangle), none = shape_of(&square);
    *triangles = *squares = 0;
    for (unsigned i = 0; i < LANES16; i++) {
        const uint32_t shape = shape_of(prim[i]);
        *triangles |= (uint32_t)(shape == three) << i;
        *squares |= (uint32_t)(shape == none) << i;
    }
}

/* No edge has them outside. */
static void make_squares(struct group *g, uint32_t squares) {
    for (; squares; squares &= squares - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(squares);
        for (unsigned k = 0; k < 3; k++)
            g->a[k].lane[i] = g->b[k].lane[i] = g->at[k].lane[i] = 0;
    }
}

LANES_INLINE void make_group(struct group *g, const struct raster_tile *t,
                             const struct prim *const prim[], enum cover_kind kind, bool multi) {
    i32x16 first[4], second[4];
    uint32_t triangles, squares;
    find_shapes(prim, multi, &triangles, &squares);
    g->fit = multi ? triangles : triangles | squares; /* samples of squares need edges */
    load_rows(prim, offsetof(struct prim, corner), first);
    load_rows(prim, offsetof(struct prim, corner[2]), second);
    const i32x16 x[3] = {first[0], first[2], second[0]}, y[3] = {first[1], first[3], second[1]};
    place_group(g, t, prim, x, y, multi);
    for (unsigned k = 0; k < 3; k++)
        edge_group(g, t, k, x[k], y[k], x[(k + 1) % 3], y[(k + 1) % 3], multi);
    g->cut |= squares;
    make_squares(g, squares);
    if (kind != COVER_BARE)
        depth_group(g, t, prim, multi);
}

/* ---- the blocks of one ---- */

static const i32x16 block_x = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
static const i32x16 block_y = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

/* Of the 32 blocks from `row` on, those that no edge excludes; and, if that is asked for, those that
 * no edge cuts. */
LANES_INLINE lane_mask edge_blocks(const struct group *g, uint32_t i, int32_t row,
                                   lane_mask *uncut) {
    i32x16 outside[2] = {{0}}, cut[2] = {{0}};
    for (unsigned k = 0; k < 3; k++) {
        const int32_t a = g->a[k].lane[i], b = g->b[k].lane[i];
        const int32_t most = (a > 0 ? a : 0) * (BLOCK_W - 1) + (b > 0 ? b : 0) * (BLOCK_H - 1);
        const int32_t all = a * (BLOCK_W - 1) + b * (BLOCK_H - 1), margin = g->margin[k].lane[i];
        const int32_t at = g->at[k].lane[i] + b * BLOCK_H * row;
        const i32x16 v = block_x * (a * BLOCK_W) + block_y * (b * BLOCK_H);
        for (int half = 0; half < 2; half++) {
            const int32_t corner = at + 2 * BLOCK_H * b * half;
            outside[half] |= v + (corner + most + margin);
            if (uncut)
                cut[half] |= v + (corner + all - most - margin); /* all - most: the least */
        }
    }
    if (uncut)
        *uncut = ~(mask16((u32x16)cut[0]) | mask16((u32x16)cut[1]) << 16);
    return ~(mask16((u32x16)outside[0]) | mask16((u32x16)outside[1]) << 16);
}

LANES_INLINE i32x32 load_bounds(const int32_t *bound) {
    i32x32 v;
    memcpy(&v, bound, sizeof v);
    return v;
}

/* Of the 32 blocks from `row` on, those whose depths hide z, block by block. */
LANES_INLINE lane_mask hidden_blocks(const struct raster_tile *t, int32_t row, uint8_t hides,
                                     i32x32 low, i32x32 high) {
    const int32_t *stored_low = &t->bound_low[row * BLOCKS_X];
    const int32_t *stored_high = &t->bound_high[row * BLOCKS_X];
    switch (hides) {
    case HIDES_LESS:
        return lanes_to_mask((u32x32)(load_bounds(stored_high) <= low));
    case HIDES_LEQUAL:
        return lanes_to_mask((u32x32)(load_bounds(stored_high) < low));
    case HIDES_GREATER:
        return lanes_to_mask((u32x32)(load_bounds(stored_low) >= high));
    case HIDES_GEQUAL:
        return lanes_to_mask((u32x32)(load_bounds(stored_low) > high));
    default:
        return 0;
    }
}

LANES_INLINE i32x32 depth_words32(f64x32 z, bool is_float) {
    if (is_float)
        return (i32x32) __builtin_convertvector(z, f32x32);
    return __builtin_convertvector(z, i32x32);
}

LANES_INLINE i32x32 limited_words(const struct group *g, uint32_t i, f64x32 z, bool is_float) {
    const f64x32 low = g->z_low[i] - (f64x32){0}, high = g->z_high[i] - (f64x32){0};
    z = select_f64((i64x32)(z > low), z, low);
    z = select_f64((i64x32)(z < high), z, high);
    return depth_words32(z, is_float);
}

/* The same for a primitive whose depths may differ much from block to block. */
static lane_mask hidden_each(const struct raster_tile *t, const struct group *g, uint32_t i,
                             int32_t row, uint8_t hides) {
    const bool is_float = t->plan->z_scale == 0;
    const i32x32 bx = (i32x32)(lanes_iota() & 7), by = (i32x32)(lanes_iota() >> 3) + row;
    const f64x32 x = __builtin_convertvector(bx * BLOCK_W, f64x32) + (BLOCK_W - 1) / 2.0;
    const f64x32 y = __builtin_convertvector(by * BLOCK_H, f64x32) + (BLOCK_H - 1) / 2.0;
    const f64x32 z = g->z.lane[i] + x * g->zdx.lane[i] + y * g->zdy.lane[i];
    if (hides == HIDES_LESS || hides == HIDES_LEQUAL) {
        const i32x32 low = limited_words(g, i, z - g->around.lane[i], is_float);
        return hidden_blocks(t, row, hides, low, low);
    }
    const i32x32 high = limited_words(g, i, z + g->around.lane[i], is_float);
    return hidden_blocks(t, row, hides, high, high);
}

/* The blocks that primitive i may cover and that do not hide it: how many. */
LANES_INLINE uint32_t list_blocks(const struct raster_tile *t, const struct group *g, uint32_t i,
                                  enum cover_kind kind, uint8_t list[TILE_BLOCKS]) {
    const int32_t x0 = g->x0.lane[i] / BLOCK_W, x1 = (g->x1.lane[i] - 1) / BLOCK_W;
    const int32_t y0 = g->y0.lane[i] / BLOCK_H, y1 = (g->y1.lane[i] - 1) / BLOCK_H;
    const int32_t blocks = (x1 - x0 + 1) * (y1 - y0 + 1);
    const uint8_t hides = kind == COVER_BARE     ? HIDES_NEVER
                          : kind == COVER_LESS   ? HIDES_LESS
                          : kind == COVER_LEQUAL ? HIDES_LEQUAL
                                                 : t->plan->hides;
    const lane_mask columns = ((2u << x1) - (1u << x0)) * 0x01010101u;
    uint32_t n = 0;
    for (int32_t y = y0, row; y <= y1; y = row + BLOCK_ROWS) {
        const int32_t last = BLOCKS_Y - BLOCK_ROWS;
        row = y < last ? y : last;
        const int32_t below = y1 - row < BLOCK_ROWS ? BLOCK_ROWS - 1 - (y1 - row) : 0;
        lane_mask m = columns & LANES_ALL >> (8 * below) & LANES_ALL << (8 * (y - row)), uncut = 0;
        if (blocks > MANY)
            m &= edge_blocks(g, i, row, &uncut);
        else if (blocks > FEW)
            m &= edge_blocks(g, i, row, NULL);
        if (hides != HIDES_NEVER && m)
            m &= blocks > MANY ? ~hidden_each(t, g, i, row, hides)
                               : ~hidden_blocks(t, row, hides, g->low.lane[i] - (i32x32){0},
                                                g->high.lane[i] - (i32x32){0});
        for (; m; m &= m - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(m);
            list[n++] = (uint8_t)((uint32_t)row * BLOCKS_X + k + (uncut >> k & 1) * UNCUT);
        }
    }
    return n;
}

/* ---- the pixels of a block ---- */

/* A primitive at work. */
struct work {
    struct raster_tile *t;
    const struct group *g;
    uint32_t i;       /* of the group */
    bool multi;       /* several samples, a constant */
    uint32_t samples;
    i32x16 lane[3]; /* edges: of a block's lanes 0 to 15 over lane 0's value */
    f64x32 z;       /* depth likewise, all lanes */
    struct zeta_bound bound;
};

/* Lanes inside all edges at a sample of the block at (x, y) of the tile. */
LANES_INLINE lane_mask edge_lanes(const struct work *s, int32_t x, int32_t y, uint32_t sample) {
    const struct group *g = s->g;
    i32x16 upper = {0}, lower = {0};
    for (unsigned k = 0; k < 3; k++) {
        const int32_t b = g->b[k].lane[s->i];
        int32_t at = g->at[k].lane[s->i] + g->a[k].lane[s->i] * x + b * y;
        if (s->multi)
            at += g->point[k][sample].lane[s->i];
        upper |= s->lane[k] + at;
        lower |= s->lane[k] + (at + 2 * b);
    }
    return ~(mask16((u32x16)upper) | mask16((u32x16)lower) << 16);
}

/* Coverage of the block's samples; their union. */
LANES_INLINE lane_mask cover_lanes(const struct work *s, uint32_t block, bool uncut,
                                   lane_mask cover[]) {
    const struct group *g = s->g;
    const int32_t x = (int32_t)(block % BLOCKS_X) * BLOCK_W;
    const int32_t y = (int32_t)(block / BLOCKS_X) * BLOCK_H;
    lane_mask any = 0, clipped = LANES_ALL;
    if (g->cut >> s->i & 1)
        clipped = block_rect(g->x0.lane[s->i] - x, g->y0.lane[s->i] - y, g->x1.lane[s->i] - x,
                             g->y1.lane[s->i] - y);
    for (uint32_t n = 0; n < s->samples; n++) {
        cover[n] = clipped;
        if (s->multi && !(s->t->plan->sample_mask >> n & 1))
            cover[n] = 0;
        else if (!uncut)
            cover[n] &= edge_lanes(s, x, y, n);
        any |= cover[n];
    }
    return any;
}

/* Depth words of the block at a sample. */
LANES_INLINE u32x32 depth_lanes(const struct work *s, uint32_t block, uint32_t sample,
                                bool is_float) {
    const struct group *g = s->g;
    double x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H;
    if (s->multi) {
        const uint8_t *position = sample_position[s->t->plan->sample_shift][sample];
        x += (position[0] - 8) / 16.0;
        y += (position[1] - 8) / 16.0;
    }
    f64x32 z = s->z + (g->z.lane[s->i] + g->zdx.lane[s->i] * x + g->zdy.lane[s->i] * y);
    if (g->clamped >> s->i & 1)
        return (u32x32)limited_words(g, s->i, z, is_float);
    return (u32x32)depth_words32(z, is_float);
}

/* The depth test of integers that lets the nearer ones through; it writes them, or the program comes
 * first. The block's far bound is measured at once: what stands there is at hand. */
LANES_INLINE lane_mask nearer(struct work *s, uint32_t block, bool or_equal, lane_mask cover[]) {
    struct raster_tile *t = s->t;
    const bool late = t->plan->late, writes = !late && t->plan->depth_writes;
    i32x32 far = (i32x32)lanes_splat(0);
    lane_mask any = 0;
    for (uint32_t n = 0; n < s->samples; n++) {
        u32x32 *row = plane_rows(&t->zeta, n, block);
        const i32x32 z = (i32x32)depth_lanes(s, block, n, false), stored = (i32x32)*row;
        cover[n] &= or_equal ? lanes_to_mask((u32x32)(z <= stored))
                             : lanes_to_mask((u32x32)(z < stored));
        any |= cover[n];
        if (late)
            t->whole.z[n] = (u32x32)z;
        if (!writes)
            continue;
        const i32x32 now = (i32x32)lanes_select(cover[n], (u32x32)z, (u32x32)stored);
        *row = (u32x32)now;
        far = n ? HIGHER(far, now) : now;
    }
    if (!any || !writes)
        return any;
    t->bound_low[block] = lower(t->bound_low[block], s->bound.low);
    t->bound_high[block] = highest(far);
    block_clear(t->loose, block);
    block_set(t->zeta.dirty, block);
    return any;
}

/* Any zeta before the program, or what is sure to fail after it; depth words stay in t->whole. */
static lane_mask any_zeta(struct work *s, uint32_t block, lane_mask cover[]) {
    struct raster_tile *t = s->t;
    const struct draw_plan *plan = t->plan;
    struct job *j = &t->whole;
    zrop_fn *test = plan->early ? plan->zrop : plan->zreject;
    lane_mask any = 0, changed = 0;
    for (uint32_t n = 0; n < s->samples; n++) {
        const lane_mask m = cover[n];
        if (!m)
            continue;
        j->z[n] = depth_lanes(s, block, n, plan->z_scale == 0);
        if (test)
            cover[n] = test(&plan->zkey, &j->z[n], plane_rows(&t->zeta, n, block), m, j->front);
        changed |= plan->early ? zeta_changed(plan, m, cover[n]) : 0;
        any |= cover[n];
    }
    if (!changed)
        return any;
    block_set(t->zeta.dirty, block);
    if (plan->depth_writes)
        update_bound(t, block, s->bound, false);
    return any;
}

LANES_INLINE lane_mask test_zeta(struct work *s, uint32_t block, enum cover_kind kind,
                                 lane_mask cover[], lane_mask before) {
    struct raster_tile *t = s->t;
    const enum stage was = profile_enter(t->profile, STAGE_ZETA);
    if (!block_bit(t->zeta.valid, block)) {
        SIMD_FN(block_load)(&t->zeta, block);
        block_set(t->zeta.valid, block);
    }
    const lane_mask any = kind == COVER_ZETA
                              ? any_zeta(s, block, cover)
                              : nearer(s, block, kind == COVER_LEQUAL, cover);
    profile_leave(t->profile, was);
    t->counters->early_rejected += (uint32_t)__builtin_popcount(before & ~any);
    return any;
}

/* Narrower bounds may exist, and hide it. */
static bool hidden_closely(struct work *s, uint32_t block) {
    struct raster_tile *t = s->t;
    if (t->plan->hides == HIDES_NEVER || !block_bit(t->zeta.valid, block))
        return false;
    measure_bound(t, block);
    return bound_hides(t, block, s->bound);
}

LANES_INLINE void draw_block(struct work *s, uint32_t listed, enum cover_kind kind) {
    struct raster_tile *t = s->t;
    const uint32_t block = listed % UNCUT;
    lane_mask cover[MAX_SAMPLES], any = cover_lanes(s, block, listed >= UNCUT, cover);
    if (!any)
        return;
    if (kind != COVER_BARE) {
        if (block_bit(t->loose, block) && hidden_closely(s, block))
            return;
        any = test_zeta(s, block, kind, cover, any);
        if (!any)
            return;
    }
    if (!t->plan->shades) {
        for (uint32_t n = 0; n < s->samples && t->plan->state->count_samples; n++)
            t->counters->samples_passed += (uint32_t)__builtin_popcount(cover[n]);
        return;
    }
    if (s->multi) {
        t->whole.block = block;
        memcpy(t->whole.cover, cover, sizeof cover);
        SIMD_FN(pack_block)(t, any);
    } else {
        SIMD_FN(pack_quads)(t, block, any);
    }
}

LANES_INLINE void draw_prim(struct raster_tile *t, const struct group *g, uint32_t i,
                            const struct prim *p, enum cover_kind kind, bool multi) {
    struct work s = {.t = t, .g = g, .i = i, .bound = {0, 0}};
    s.multi = multi;
    s.samples = multi ? t->plan->samples : 1;
    uint8_t list[TILE_BLOCKS];
    const uint32_t n = list_blocks(t, g, i, kind, list);
    if (!n)
        return;
    if (kind != COVER_BARE)
        s.bound = (struct zeta_bound){g->low.lane[i], g->high.lane[i]};
    t->prim = p;
    t->near = NULL;
    t->whole.front = p->front;
    for (unsigned k = 0; k < 3; k++)
        s.lane[k] = half_x * g->a[k].lane[i] + half_y * g->b[k].lane[i];
    if (kind != COVER_BARE)
        s.z = __builtin_convertvector(lane_x, f64x32) * g->zdx.lane[i] +
              __builtin_convertvector(lane_y, f64x32) * g->zdy.lane[i];
    for (uint32_t k = 0; k < n; k++)
        draw_block(&s, list[k], kind);
}

/* ---- all of them ---- */

/* No edge cuts the tile, and a program that runs once fills it without a look at blocks
 * (cover_simd.c). */
static bool fills_tile(const struct group *g, uint32_t i) {
    bool fills = g->x0.lane[i] == 0 && g->y0.lane[i] == 0 &&
                 g->x1.lane[i] % BLOCK_W == 0 && g->y1.lane[i] % BLOCK_H == 0;
    for (unsigned k = 0; k < 3; k++) {
        const int32_t a = g->a[k].lane[i], b = g->b[k].lane[i];
        const int32_t least = (a < 0 ? a : 0) + (b < 0 ? b : 0);
        fills &= g->at[k].lane[i] + least * (TILE_SIZE - 1) >= 0;
    }
    return fills;
}

LANES_INLINE bool has_failed(const struct raster_tile *t) {
    return t->counters->error.code != MP_NONE;
}

/* Primitives at hand, and those that come next: they are on their way from memory meanwhile. */
struct line {
    const struct prim *prim[LANES16];
    uint32_t count;
    const struct raster_prim *const *next;
    uint32_t next_count;
};

enum { FETCHED_LINES = 3 }; /* of a record: what coverage reads, depth, the first planes */

LANES_INLINE void fetch_next(const struct line *l, uint32_t i) {
    if (i >= l->next_count)
        return;
    for (int k = 0; k < FETCHED_LINES; k++)
        __builtin_prefetch((const char *)l->next[i] + k * CACHE_LINE);
}

/* How many were taken. */
LANES_INLINE uint32_t draw_group(struct raster_tile *t, const struct line *l, enum cover_kind kind,
                                 bool multi) {
    struct group g;
    make_group(&g, t, l->prim, kind, multi);
    for (uint32_t i = 0; i < l->count; i++) {
        fetch_next(l, i);
        if (!(g.live >> i & 1))
            continue;
        if (g.fit >> i & 1 && !(t->plan->whole_tile && fills_tile(&g, i)))
            draw_prim(t, &g, i, l->prim[i], kind, multi);
        else
            SIMD_FN(cover_prim)(t, l->prim[i]);
        if (has_failed(t))
            return i + 1;
    }
    return l->count;
}

/* As draw_group(). */
static uint32_t draw_each(struct raster_tile *t, const struct line *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        fetch_next(l, i);
        SIMD_FN(cover_prim)(t, l->prim[i]);
        if (has_failed(t))
            return i + 1;
    }
    return l->count;
}

#define GROUP_KERNELS(name, kind)                                                                  \
    static uint32_t name(struct raster_tile *t, const struct line *l) {                            \
        return draw_group(t, l, kind, false);                                                      \
    }                                                                                              \
    static uint32_t name##_samples(struct raster_tile *t, const struct line *l) {                  \
        return draw_group(t, l, kind, true);                                                       \
    }
GROUP_KERNELS(group_bare, COVER_BARE)
GROUP_KERNELS(group_less, COVER_LESS)
GROUP_KERNELS(group_lequal, COVER_LEQUAL)
GROUP_KERNELS(group_zeta, COVER_ZETA)

uint32_t SIMD_FN(cover_prims)(struct raster_tile *t, const struct raster_prim *const *prims,
                              uint32_t count) {
    static uint32_t (*const group[2][COVER_KINDS])(struct raster_tile *, const struct line *) = {
        {draw_each, group_bare, group_less, group_lequal, group_zeta},
        {draw_each, group_bare_samples, group_less_samples, group_lequal_samples,
         group_zeta_samples}};
    uint32_t taken = 0;
    while (taken < count) {
        const uint32_t left = count - taken, n = left < LANES16 ? left : LANES16;
        struct line l = {.count = n, .next = prims + taken + n, .next_count = left - n};
        for (uint32_t i = 0; i < LANES16; i++)
            l.prim[i] = (const struct prim *)prims[taken + (i < n ? i : 0)];
        const uint32_t now = group[t->plan->samples > 1][t->plan->cover](t, &l);
        taken += now;
        if (now < n)
            break;
    }
    return taken;
}
