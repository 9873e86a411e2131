/* Pairs of a primitive and a block that it may touch: their 32 pixels, sixteen pairs at a time, and
 * early zeta, one pair after the other. A pair that turns out to cover nothing, or to be hidden,
 * leaves the list; order is kept. In: a group (group.h), pairs of it in the order of drawing. Out:
 * masks of what is left, zeta rows and their bounds updated. Inlined into triangles_simd.c, once per
 * SIMD level.
 */
#ifndef RASTER_PAIRS_H
#define RASTER_PAIRS_H

#include "raster/group.h"
#include "raster/zrop.h"

enum {
    PAIRS = 384,         /* room for, a multiple of sixteen */
    UNCUT = TILE_BLOCKS, /* added to a listed block's number: no edge cuts it */
};

struct pairs {
    uint32_t count;
    uint8_t packed; /* the primitive that the packer has; LANES16: none */
    uint8_t prim[PAIRS] __attribute__((aligned(64))); /* of the group */
    uint8_t block[PAIRS] __attribute__((aligned(64)));
    lane_mask cover[MAX_SAMPLES][PAIRS] __attribute__((aligned(64)));
};

typedef uint8_t u8x16 __attribute__((vector_size(16), aligned(16)));

LANES_INLINE i32x16 of_prims(const union row *values, u32x16 prim) {
    return (i32x16)permute16((u32x16)values->v, prim);
}

/* Masks of the pixels within the primitives' bounds; (x, y): the blocks' corners. */
LANES_INLINE u32x16 clip_pairs(const struct group *g, u32x16 prim, i32x16 x, i32x16 y) {
    const u32x16 column = {0,          0x00050005, 0x000f000f, 0x005f005f, 0x00ff00ff,
                           0x05ff05ff, 0x0fff0fff, 0x5fff5fff, 0xffffffff};
    const u32x16 row = {0, 0x00003333, 0x0000ffff, 0x3333ffff, 0xffffffff};
    const i32x16 none = splat_int16(0), width = splat_int16(BLOCK_W), height = splat_int16(BLOCK_H);
    const i32x16 x0 = min16(max16(of_prims(&g->x0, prim) - x, none), width);
    const i32x16 x1 = min16(max16(of_prims(&g->x1, prim) - x, none), width);
    const i32x16 y0 = min16(max16(of_prims(&g->y0, prim) - y, none), height);
    const i32x16 y1 = min16(max16(of_prims(&g->y1, prim) - y, none), height);
    return permute16(column, (u32x16)x1) & ~permute16(column, (u32x16)x0) &
           permute16(row, (u32x16)y1) & ~permute16(row, (u32x16)y0);
}

/* Sixteen pairs' edges. */
struct pair_edges {
    i32x16 a[3], b[3], at[3]; /* at: at the centre of the block's first pixel */
};

/* The next lane's bit above the others: whether it is outside an edge. */
LANES_INLINE u32x16 add_lane(u32x16 outside, const i32x16 v[3]) {
    return outside >> 1 | ((u32x16)(v[0] | v[1] | v[2]) & 0x80000000);
}

LANES_INLINE void step_edges(i32x16 v[3], const i32x16 by[3]) {
    for (unsigned k = 0; k < 3; k++)
        v[k] += by[k];
}

/* Masks of the pixels inside all three edges: lane after lane, quad after quad, as LANES_X and LANES_Y
 * have them. */
LANES_INLINE u32x16 inside_pairs(const struct pair_edges *e) {
    u32x16 outside = splat16(0);
    i32x16 back[3], next[3]; /* from (1, 0) to (0, 1); from (1, 1) to (2, 0) */
    for (unsigned k = 0; k < 3; k++) {
        back[k] = e->b[k] - e->a[k];
        next[k] = -back[k];
    }
    for (int half = 0; half < 2; half++) {
        i32x16 v[3];
        for (unsigned k = 0; k < 3; k++)
            v[k] = e->at[k] + 2 * half * e->b[k];
        for (int quad = 0; quad < BLOCK_W / 2; quad++) {
            outside = add_lane(outside, v);
            step_edges(v, e->a);
            outside = add_lane(outside, v);
            step_edges(v, back);
            outside = add_lane(outside, v);
            step_edges(v, e->a);
            outside = add_lane(outside, v);
            step_edges(v, next);
        }
    }
    return ~outside;
}

/* Of the pixels in *m those inside the fourth edge too, which no block is known to be. */
LANES_INLINE void inside_fourth(const struct group *g, u32x16 prim, i32x16 x, i32x16 y,
                                uint32_t sample, u32x16 *m) {
    const i32x16 none = splat_int16(0), a = of_prims(&g->a[3], prim), b = of_prims(&g->b[3], prim);
    const i32x16 at = of_prims(&g->at[3], prim) + of_prims(&g->point[3][sample], prim);
    const struct pair_edges e = {{a, none, none}, {b, none, none}, {at + a * x + b * y, none, none}};
    *m &= inside_pairs(&e);
}

/* Coverage of pairs [first, first + 16). */
LANES_INLINE void cover_pairs(const struct raster_tile *t, const struct group *g, struct pairs *q,
                              uint32_t first, bool multi) {
    const u32x16 prim = __builtin_convertvector(*(const u8x16 *)&q->prim[first], u32x16);
    const u32x16 block = __builtin_convertvector(*(const u8x16 *)&q->block[first], u32x16);
    const i32x16 cut = (i32x16)block < UNCUT;
    const i32x16 x = (i32x16)(block % BLOCKS_X) * BLOCK_W;
    const i32x16 y = (i32x16)(block % TILE_BLOCKS / BLOCKS_X) * BLOCK_H;
    const u32x16 clipped = clip_pairs(g, prim, x, y);
    struct pair_edges e;
    for (unsigned k = 0; k < 3; k++) {
        e.a[k] = of_prims(&g->a[k], prim) & cut;
        e.b[k] = of_prims(&g->b[k], prim) & cut;
        e.at[k] = (of_prims(&g->at[k], prim) & cut) + e.a[k] * x + e.b[k] * y;
    }
    if (!multi) {
        *(u32x16 *)&q->cover[0][first] = inside_pairs(&e) & clipped;
        return;
    }
    for (uint32_t s = 0; s < t->plan->samples; s++) {
        struct pair_edges there = e;
        for (unsigned k = 0; k < 3; k++)
            there.at[k] += of_prims(&g->point[k][s], prim) & cut;
        const u32x16 masked = splat16(t->plan->sample_mask >> s & 1 ? UINT32_MAX : 0);
        u32x16 m = inside_pairs(&there) & clipped & masked;
        if (g->fourth)
            inside_fourth(g, prim, x, y, s, &m);
        *(u32x16 *)&q->cover[s][first] = m;
    }
}

/* The pair moves to place n; what its samples cover together. */
LANES_INLINE lane_mask move_pair(struct pairs *q, uint32_t from, uint32_t n, uint32_t samples) {
    lane_mask any = 0;
    q->prim[n] = q->prim[from];
    q->block[n] = q->block[from] % UNCUT;
    for (uint32_t s = 0; s < samples; s++) {
        const lane_mask m = q->cover[s][from];
        q->cover[s][n] = m;
        any |= m;
    }
    return any;
}

/* Coverage of all pairs; those that cover something stay. */
LANES_INLINE void cover_all(const struct raster_tile *t, const struct group *g, struct pairs *q,
                            bool multi) {
    const uint32_t count = q->count, samples = multi ? t->plan->samples : 1;
    for (uint32_t i = count; i < ((count + LANES16 - 1) & -(uint32_t)LANES16); i++)
        q->prim[i] = q->block[i] = 0;
    for (uint32_t first = 0; first < count; first += LANES16)
        cover_pairs(t, g, q, first, multi);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += move_pair(q, i, n, samples) != 0;
    q->count = n;
}

/* ---- zeta ---- */

/* Depths of the block's lanes over that of its first pixel's centre. */
LANES_INLINE f64x32 lane_depths(const struct group *g, uint32_t i) {
    return __builtin_convertvector(lane_x, f64x32) * g->zdx.lane[i] +
           __builtin_convertvector(lane_y, f64x32) * g->zdy.lane[i];
}

/* Depth words of the block at a sample. */
LANES_INLINE u32x32 pair_depths(const struct group *g, uint32_t i, const f64x32 *lanes,
                                uint32_t block, uint32_t sample, bool multi, bool is_float) {
    double x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H;
    if (multi) {
        x += g->sample_x[sample];
        y += g->sample_y[sample];
    }
    const f64x32 z = *lanes + (g->z.lane[i] + g->zdx.lane[i] * x + g->zdy.lane[i] * y);
    if (g->clamped >> i & 1)
        return (u32x32)limited_words(g, i, z, is_float);
    return (u32x32)depth_words32(z, is_float);
}

/* Blocks whose depths or stencils have changed. */
struct written {
    uint64_t block[2];
};

/* What a pair has left of its coverage, and where depths or stencils may have changed. */
struct pair_result {
    lane_mask after, changed;
};

/* Zeta of pair k as far as it comes before the program. */
LANES_INLINE struct pair_result zeta_pair(struct raster_tile *t, const struct group *g,
                                          struct pairs *q, uint32_t k, const f64x32 *lanes,
                                          enum early_kind kind, bool is_float, bool multi) {
    const struct draw_plan *plan = t->plan;
    const uint32_t i = q->prim[k], block = q->block[k], samples = multi ? plan->samples : 1;
    const bool writes = !plan->late && plan->depth_writes;
    struct pair_result r = {0, 0};
    for (uint32_t s = 0; s < samples; s++) {
        u32x32 *row = plane_rows(&t->zeta, s, block);
        const lane_mask m = q->cover[s][k];
        const u32x32 z = pair_depths(g, i, lanes, block, s, multi, is_float);
        lane_mask pass = m;
        if (kind == EARLY_ALL) {
            pass = zeta_test(&plan->zkey, z, row, m, g->front >> i & 1, is_float);
        } else if (kind == EARLY_ZROP) {
            pass = m ? plan->zrop(&plan->zkey, &z, row, m, g->front >> i & 1) : 0;
        } else {
            const u32x32 stored = *row;
            pass &= depth_compare(FUNC_NEVER + (kind - EARLY_DEPTH), is_float, z, stored);
            if (writes)
                *row = lanes_select(pass, z, stored);
        }
        r.changed |= zeta_changed(plan, m, pass);
        r.after |= q->cover[s][k] = pass;
    }
    return r;
}

LANES_INLINE i32x32 measure_far(const struct raster_tile *t, uint32_t block, int32_t flip) {
    i32x32 far = (i32x32)*plane_rows(&t->zeta, 0, block) ^ flip;
    for (uint32_t s = 1; s < t->samples; s++) {
        const i32x32 v = (i32x32)*plane_rows(&t->zeta, s, block) ^ flip;
        far = HIGHER(far, v);
    }
    return far;
}

/* Bounds of the rows that were written. The one that depths move away from is measured; to the other side
 * they have moved as far as the primitives say; without a side, both are measured. */
static void bound_written(struct raster_tile *t, const struct written *w) {
    const uint8_t sides = t->plan->hides & (HIDES_FAR | HIDES_NEAR);
    for (uint32_t half = 0; half < 2; half++) {
        t->zeta.dirty[half] |= w->block[half];
        for (uint64_t rest = t->plan->depth_writes ? w->block[half] : 0; rest; rest &= rest - 1) {
            const uint32_t block = half * 64 + (uint32_t)__builtin_ctzll(rest);
            if (sides == HIDES_FAR)
                t->bound_high[block] = higher_of(highest_lane(measure_far(t, block, 0)), 0);
            else if (sides == HIDES_NEAR)
                t->bound_low[block] = ~highest_lane(measure_far(t, block, -1));
            else if (!sides)
                measure_bound(t, block);
            if (sides == HIDES_FAR || sides == HIDES_NEAR)
                block_clear(t->loose, block);
        }
    }
}

/* Early zeta of pairs [from, to); those that pass stay, from `from` on. Where they end. */
LANES_INLINE uint32_t zeta_pairs(struct raster_tile *t, const struct group *g, struct pairs *q,
                                 uint32_t from, uint32_t to, enum early_kind kind, bool is_float,
                                 bool multi) {
    const uint32_t samples = multi ? t->plan->samples : 1;
    const bool writes = !t->plan->late && t->plan->zeta_writes;
    const uint8_t sides = t->plan->hides & (HIDES_FAR | HIDES_NEAR);
    struct written written = {{0}};
    uint32_t n = from, of = LANES16;
    f64x32 lanes = {0}; /* of primitive `of` */
    for (uint32_t k = from; k < to; k++) {
        const uint32_t i = q->prim[k], block = q->block[k];
        lane_mask before = 0;
        if (i != of)
            lanes = lane_depths(g, i);
        of = i;
        for (uint32_t s = 0; s < samples; s++)
            before |= q->cover[s][k];
        if (!block_bit(t->zeta.valid, block)) {
            SIMD_FN(block_load)(&t->zeta, block);
            block_set(t->zeta.valid, block);
        }
        const struct pair_result r = zeta_pair(t, g, q, k, &lanes, kind, is_float, multi);
        t->counters->early_rejected += (uint32_t)__builtin_popcount(before & ~r.after);
        if (writes) {
            int32_t *low = &t->bound_low[block], *high = &t->bound_high[block];
            const bool moved = r.changed && t->plan->depth_writes;
            *low = moved && sides == HIDES_FAR ? lower_of(*low, g->low.lane[i]) : *low;
            *high = moved && sides == HIDES_NEAR ? higher_of(*high, g->high.lane[i]) : *high;
            written.block[block >> 6] |= (uint64_t)(r.changed != 0) << (block & 63);
        }
        if (n != k)
            move_pair(q, k, n, samples);
        n += r.after != 0;
    }
    if (writes)
        bound_written(t, &written);
    return n;
}

/* Kernels of it, by what comes before the program. */
typedef uint32_t zeta_pairs_fn(struct raster_tile *t, const struct group *g, struct pairs *q,
                               uint32_t from, uint32_t to);
#define ZETA_KERNEL(name, kind, is_float, multi)                                                   \
    static uint32_t name(struct raster_tile *t, const struct group *g, struct pairs *q,            \
                         uint32_t from, uint32_t to) {                                             \
        return zeta_pairs(t, g, q, from, to, kind, is_float, multi);                               \
    }
#define ZETA_KERNELS(name, kind)                                                                   \
    ZETA_KERNEL(zeta_##name, kind, false, false)                                                   \
    ZETA_KERNEL(zeta_##name##_samples, kind, false, true)                                          \
    ZETA_KERNEL(zeta_##name##_float, kind, true, false)                                            \
    ZETA_KERNEL(zeta_##name##_float_samples, kind, true, true)
#define EARLY_KINDS_LIST(X)                                                                        \
    X(never, EARLY_DEPTH)                                                                          \
    X(less, EARLY_DEPTH + 1)                                                                       \
    X(equal, EARLY_DEPTH + 2)                                                                      \
    X(lequal, EARLY_DEPTH + 3)                                                                     \
    X(greater, EARLY_DEPTH + 4)                                                                    \
    X(notequal, EARLY_DEPTH + 5)                                                                   \
    X(gequal, EARLY_DEPTH + 6)                                                                     \
    X(always, EARLY_DEPTH + 7)                                                                     \
    X(all, EARLY_ALL)                                                                              \
    X(zrop, EARLY_ZROP)
EARLY_KINDS_LIST(ZETA_KERNELS)

/* NULL: nothing comes before it. */
LANES_INLINE zeta_pairs_fn *zeta_kernel(const struct draw_plan *plan, bool multi) {
    static zeta_pairs_fn *const kernel[EARLY_KINDS][2][2] = {
#define X(name, kind)                                                                              \
    [kind] = {{zeta_##name, zeta_##name##_samples},                                                \
              {zeta_##name##_float, zeta_##name##_float_samples}},
        EARLY_KINDS_LIST(X)
#undef X
    };
    return kernel[plan->before][plan->zkey.is_float][multi];
}

#endif
