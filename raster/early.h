/* Zeta before the program: depth words of a block from the primitive's plane, the test, and what is
 * known of a block's depths without looking: bounds that hide primitives from it. In: a primitive
 * at work on a tile (cover.h). Out: the lanes that pass; zeta rows and bounds updated.
 */
#ifndef RASTER_EARLY_H
#define RASTER_EARLY_H

LANES_INLINE void early_start(struct cover *c) {
    const struct tile_depth d = find_depth(c->t, c->p);
    const double ax = magnitude_f(d.dx), ay = magnitude_f(d.dy);
    const double slack = DEPTH_SLACK * (magnitude_f(d.z) + TILE_SIZE * (ax + ay));
    c->depth = d;
    c->z_ready = false;
    c->z_middle = (BLOCK_W - 1) / 2.0 * d.dx + (BLOCK_H - 1) / 2.0 * d.dy;
    /* With samples half a pixel more than from centre to centre, each way. */
    const double more = c->samples > 1 ? 0.5 : 0;
    c->z_around = ((BLOCK_W - 1) / 2.0 + more) * ax + ((BLOCK_H - 1) / 2.0 + more) * ay + slack;
}

LANES_INLINE double block_z(const struct cover *c, uint32_t block) {
    const double x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H;
    return c->depth.z + c->depth.dx * x + c->depth.dy * y;
}

/* The word of a depth that is not in a lane; ordered as the depths are, and as signed integers. */
LANES_INLINE int32_t depth_word(const struct cover *c, double z) {
    z = z > c->depth.low ? z : c->depth.low; /* a NaN is the lowest */
    z = z < c->depth.high ? z : c->depth.high;
    if (!c->t->plan->zkey.is_float)
        return (int32_t)z;
    const float f = (float)z;
    int32_t word;
    memcpy(&word, &f, 4);
    return word;
}

/* What depths the primitive may have in a block. */
LANES_INLINE struct zeta_bound prim_bound(const struct cover *c, uint32_t block) {
    const double z = block_z(c, block) + c->z_middle;
    return (struct zeta_bound){depth_word(c, z - c->z_around), depth_word(c, z + c->z_around)};
}

/* How far a depth may be from those stored and still be hidden by them, counted in words. */
LANES_INLINE int32_t hide_distance(uint8_t hides) {
    return hides & HIDES_SAME ? 0 : 1;
}

LANES_INLINE bool bound_hides(const struct raster_tile *t, uint32_t block, struct zeta_bound z) {
    const uint8_t hides = t->plan->hides;
    const int32_t distance = hide_distance(hides);
    return (hides & HIDES_FAR && z.low - distance >= t->bound_high[block]) ||
           (hides & HIDES_NEAR && z.high + distance <= t->bound_low[block]);
}

LANES_INLINE int32_t lower_of(int32_t a, int32_t b) {
    return a < b ? a : b;
}

LANES_INLINE int32_t higher_of(int32_t a, int32_t b) {
    return a > b ? a : b;
}

typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
#define HIGHER(a, b) (((a) & ((a) > (b))) | ((b) & ~((a) > (b))))

/* The highest lane. */
LANES_INLINE int32_t highest_lane(i32x32 v) {
    const union block_halves u = {.v = v};
    const i32x16 a = HIGHER(u.half[0], u.half[1]);
    const i32x8 b = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7);
    const i32x8 c = __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
    const i32x8 d = HIGHER(b, c);
    const i32x4 e = __builtin_shufflevector(d, d, 0, 1, 2, 3);
    const i32x4 f = __builtin_shufflevector(d, d, 4, 5, 6, 7);
    i32x4 r = HIGHER(e, f), turned = __builtin_shufflevector(r, r, 2, 3, 0, 1);
    r = HIGHER(r, turned);
    turned = __builtin_shufflevector(r, r, 1, 0, 3, 2);
    r = HIGHER(r, turned);
    return r[0];
}

/* Bounds of the rows themselves, all samples. */
static void measure_bound(struct raster_tile *t, uint32_t block) {
    i32x32 low = (i32x32)*plane_rows(&t->zeta, 0, block), high = low;
    for (uint32_t s = 1; s < t->samples; s++) {
        const i32x32 v = (i32x32)*plane_rows(&t->zeta, s, block);
        low = (i32x32)lanes_blend((u32x32)(v < low), (u32x32)v, (u32x32)low);
        high = (i32x32)lanes_blend((u32x32)(v > high), (u32x32)v, (u32x32)high);
    }
    t->bound_low[block] = ~highest_lane(~low); /* the lowest */
    t->bound_high[block] =
        higher_of(highest_lane(high), 0); /* memory may hold floats below 0, even -0 */
    block_clear(t->loose, block);
}

/* The block holds depths that hide all of the primitive, whose depths there are z. */
LANES_INLINE bool early_hidden(const struct cover *c, uint32_t block, struct zeta_bound z) {
    struct raster_tile *t = c->t;
    const uint8_t hides = t->plan->hides;
    if (hides == HIDES_NEVER)
        return false;
    if (bound_hides(t, block, z))
        return true;
    if (!block_bit(t->loose, block) || !block_bit(t->zeta.valid, block))
        return false;
    measure_bound(t, block);
    return bound_hides(t, block, z);
}

/* A test let some lanes write; whole: it was asked for every lane and sample, and nothing but the
 * comparison of depths decided. */
LANES_INLINE void update_bound(struct raster_tile *t, uint32_t block, struct zeta_bound z,
                               bool whole) {
    int32_t *low = &t->bound_low[block], *high = &t->bound_high[block];
    const uint8_t hides = t->plan->hides;
    if (hides & HIDES_FAR && hides & HIDES_NEAR) /* only what is there was written */
        return;
    *low = lower_of(z.low, *low);
    if (hides & HIDES_FAR) /* what is stored moves nearer, if at all */
        *high = whole ? lower_of(z.high, *high) : *high;
    else
        *high = higher_of(z.high, *high);
    if (!whole || !(hides & HIDES_FAR))
        block_set(t->loose, block);
}

/* Depth words of a block's lanes at one sample (or the pixel centre). */
LANES_INLINE u32x32 depth_words(struct cover *c, uint32_t block, uint32_t sample) {
    if (!c->z_ready)
        c->z_lane = depth_lanes(&c->depth);
    c->z_ready = true;
    return block_depths(c->t->plan, &c->depth, &c->z_lane, block, sample);
}

/* Zeta of t->whole before the program; or, when it comes after, only drops what is sure to fail.
 * The lanes that are left of all samples. */
LANES_INLINE lane_mask early_zeta(struct cover *c, uint32_t block, struct zeta_bound z) {
    struct raster_tile *t = c->t;
    const struct draw_plan *plan = t->plan;
    struct job *j = &t->whole;
    zrop_fn *test = plan->early ? plan->zrop : plan->zreject;
    lane_mask any = 0, all = LANES_ALL, changed = 0;
    if (test && !block_bit(t->zeta.valid, block)) {
        SIMD_FN(block_load)(&t->zeta, block);
        block_set(t->zeta.valid, block);
    }
    for (uint32_t s = 0; s < plan->samples; s++) {
        const lane_mask m = j->cover[s];
        all &= m;
        if (!m)
            continue;
        if (test) {
            const u32x32 words = depth_words(c, block, s);
            j->cover[s] = test(&plan->zkey, &words, plane_rows(&t->zeta, s, block), m, j->front);
        }
        if (plan->early)
            changed |= zeta_changed(plan, m, j->cover[s]);
        any |= j->cover[s];
    }
    if (!changed)
        return any;
    block_set(t->zeta.dirty, block);
    if (plan->depth_writes)
        update_bound(t, block, z, all == LANES_ALL && plan->depth_alone);
    return any;
}

#endif
