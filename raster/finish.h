/* What follows the fragment program: quads gathered from a tile's planes and back, late zeta, coverage that
 * the program's results change, clamps, and colours through the kernels of crop_simd.c. In: a job whose warp
 * ran, the lanes that live. Out: texels in the tile's planes. Inlined into pack_simd.c, once per SIMD level.
 */
#ifndef RASTER_FINISH_H
#define RASTER_FINISH_H

#include "raster/compare.h"
#include "raster/depth.h"

#include <string.h>

/* Makes sure the block's rows hold what memory holds, unless all of them are about to be replaced.
 */
LANES_INLINE void open_block(struct tile_plane *p, uint32_t block, bool replaced) {
    if (block_bit(p->valid, block))
        return;
    if (!replaced)
        SIMD_FN(block_load)(p, block);
    else
        block_clear(p->cleared, block);
    block_set(p->valid, block);
}

/* Gives every sample of the block rows of its own. */
static void split_samples(struct tile_plane *p, uint32_t block) {
    for (uint32_t i = 1; i < p->samples; i++)
        memcpy(plane_rows(p, i, block), plane_rows(p, 0, block), p->words * sizeof(u32x32));
    block_clear(p->agree, block);
}

enum { QUAD_BYTES = 16 };

/* Where a quad lies in word 0 of a sample's rows, in bytes; words is a constant where it matters. */
LANES_INLINE size_t quad_offset(uint32_t place, uint32_t words) {
    return words == 1 ? place * QUAD_BYTES
                      : place / JOB_QUADS * words * sizeof(u32x32) + place % JOB_QUADS * QUAD_BYTES;
}

typedef uint32_t u32x4 __attribute__((vector_size(QUAD_BYTES), aligned(QUAD_BYTES)));
typedef uint32_t u32x8 __attribute__((vector_size(2 * QUAD_BYTES), aligned(2 * QUAD_BYTES)));
typedef uint32_t u32x16 __attribute__((vector_size(4 * QUAD_BYTES), aligned(4 * QUAD_BYTES)));

LANES_INLINE u32x8 load_two(const char *from, const uint16_t *place, uint32_t words) {
    const u32x4 a = *(const u32x4 *)(from + quad_offset(place[0], words));
    const u32x4 b = *(const u32x4 *)(from + quad_offset(place[1], words));
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

LANES_INLINE u32x16 load_four(const char *from, const uint16_t *place, uint32_t words) {
    const u32x8 a = load_two(from, place, words), b = load_two(from, place + 2, words);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The first `used` of a plane's words. */
LANES_INLINE void gather_words(const struct tile_plane *p, uint32_t sample, const struct job *j,
                               u32x32 *rows, uint32_t words, uint32_t used) {
    const char *from = (const char *)plane_rows(p, sample, 0);
    for (uint32_t w = 0; w < used; w++, from += sizeof(u32x32)) {
        u32x16 *half = (u32x16 *)&rows[w];
        half[0] = load_four(from, j->place, words);
        half[1] = load_four(from, j->place + JOB_QUADS / 2, words);
    }
}

/* The job's quads, whose blocks are open. */
static void gather_quads(const struct tile_plane *p, uint32_t sample, const struct job *j,
                         u32x32 *rows, uint32_t used) {
    if (p->words == 1)
        gather_words(p, sample, j, rows, 1, 1);
    else if (used == 1)
        gather_words(p, sample, j, rows, p->words, 1);
    else
        gather_words(p, sample, j, rows, p->words, used);
}

#define LANE_BIT(n, i) ((n) >> (i) & 1 ? UINT32_MAX : 0)
#define QUAD_LANES(n) {LANE_BIT(n, 0), LANE_BIT(n, 1), LANE_BIT(n, 2), LANE_BIT(n, 3)}
#define FOUR_QUADS(n) QUAD_LANES(n), QUAD_LANES(n + 1), QUAD_LANES(n + 2), QUAD_LANES(n + 3)
static const u32x4 quad_lanes[16] = {FOUR_QUADS(0), FOUR_QUADS(4), FOUR_QUADS(8), FOUR_QUADS(12)};

/* Quads behind the last one have no lane in m: what lies there is written back. */
LANES_INLINE void scatter_words(const struct tile_plane *p, uint32_t sample, const struct job *j,
                                const u32x32 *rows, lane_mask m, uint32_t words, uint32_t used) {
    char *to = (char *)plane_rows(p, sample, 0);
    for (uint32_t w = 0; w < used; w++, to += sizeof(u32x32)) {
        const u32x4 *quad = (const u32x4 *)&rows[w];
        for (uint32_t q = 0; q < JOB_QUADS; q++) {
            u32x4 *at = (u32x4 *)(to + quad_offset(j->place[q], words));
            const u32x4 keep = quad_lanes[m >> 4 * q & 15];
            *at = (quad[q] & keep) | (*at & ~keep);
        }
    }
}

/* The lanes of m of the job's quads, whose blocks are open; those of others stay. */
static void scatter_quads(const struct tile_plane *p, uint32_t sample, const struct job *j,
                          const u32x32 *rows, lane_mask m, uint32_t used) {
    if (p->words == 1)
        scatter_words(p, sample, j, rows, m, 1, 1);
    else if (used == 1)
        scatter_words(p, sample, j, rows, m, p->words, 1);
    else
        scatter_words(p, sample, j, rows, m, p->words, used);
}

/* Late tests have written some depths of the block, towards the side that they hide, if any. */
LANES_INLINE void forget_bound(struct raster_tile *t, uint32_t block) {
    const uint8_t hides = t->plan->hides;
    if (!t->plan->depth_writes)
        return;
    if (!(hides & HIDES_NEAR))
        t->bound_low[block] = INT32_MIN;
    if (!(hides & HIDES_FAR))
        t->bound_high[block] = INT32_MAX;
    block_set(t->loose, block);
}

#define EIGHT_TIMES(...)                                                                           \
    {__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,                                           \
     __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__}

typedef double f64x8 __attribute__((vector_size(64), aligned(64)));

/* Each of eight values in the four lanes of its quad. */
LANES_INLINE f64x32 spread_doubles(const double v[JOB_QUADS]) {
    f64x8 r;
    memcpy(&r, v, sizeof(r));
    return __builtin_shufflevector(r, r, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
                                   5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
}

/* Depth words of quads from several blocks and primitives. */
static __attribute__((noinline)) u32x32 quad_depths(const struct draw_plan *plan,
                                                    const struct job *j, uint32_t sample) {
    static const f64x32 in_quad_x = EIGHT_TIMES(0, 1, 0, 1), in_quad_y = EIGHT_TIMES(0, 0, 1, 1);
    double at[JOB_QUADS], dx[JOB_QUADS], dy[JOB_QUADS], low[JOB_QUADS], high[JOB_QUADS];
    double quad_x[JOB_QUADS], quad_y[JOB_QUADS];
    bool clamped = false;
    for (uint32_t q = 0; q < JOB_QUADS; q++) {
        const struct tile_depth *d = &j->near[q]->depth;
        const uint32_t quad = j->place[q] % JOB_QUADS;
        at[q] = block_depth(plan, d, j->place[q] / JOB_QUADS, sample);
        dx[q] = d->dx;
        dy[q] = d->dy;
        low[q] = d->low;
        high[q] = d->high;
        clamped |= d->clamped;
        quad_x[q] = quad % 4 * 2;
        quad_y[q] = quad / 4 * 2;
    }
    const f64x32 x = spread_doubles(quad_x) + in_quad_x;
    const f64x32 y = spread_doubles(quad_y) + in_quad_y;
    f64x32 z = x * spread_doubles(dx) + y * spread_doubles(dy) + spread_doubles(at);
    if (clamped)
        z = limit_depths(z, spread_doubles(low), spread_doubles(high));
    return (u32x32)depth_words32(z, plan->zkey.is_float);
}

/* The job's depth words at a sample, where they are the surface's. */
LANES_INLINE u32x32 job_depths(const struct draw_plan *plan, const struct job *j,
                               uint32_t sample) {
    if (!j->whole)
        return quad_depths(plan, j, sample);
    const struct tile_depth *d = &j->near[0]->depth;
    const f64x32 lanes = depth_lanes(d);
    return block_depths(plan, d, &lanes, j->block, sample);
}

/* Lanes of m that pass the zeta test of one sample, after the program. exported: its depths; NULL: those of
 * the surface. */
static lane_mask late_zeta(struct raster_tile *t, const struct job *j, uint32_t sample,
                           const u32x32 *exported, lane_mask m) {
    const struct draw_plan *plan = t->plan;
    lane_mask pass;
    if (!m)
        return 0;
    const u32x32 z = exported ? *exported : job_depths(plan, j, sample);
    if (j->whole) {
        open_block(&t->zeta, j->block, false);
        pass = plan->zrop(&plan->zkey, &z, plane_rows(&t->zeta, sample, j->block), m, j->front);
        if (zeta_changed(plan, m, pass)) {
            block_set(t->zeta.dirty, j->block);
            forget_bound(t, j->block);
        }
        return pass;
    }
    u32x32 rows[2] = {{0}};
    const uint32_t used = plan->zkey.state.stencil_test ? t->zeta.words : 1;
    gather_quads(&t->zeta, sample, j, rows, used);
    pass = plan->zrop(&plan->zkey, &z, rows, m, j->front);
    const lane_mask changed = zeta_changed(plan, m, pass);
    if (!changed)
        return pass;
    scatter_quads(&t->zeta, sample, j, rows, changed, used);
    for (uint32_t q = 0; q < j->count; q++) {
        if (!(changed >> 4 * q & 15))
            continue;
        block_set(t->zeta.dirty, j->place[q] / JOB_QUADS);
        forget_bound(t, j->place[q] / JOB_QUADS);
    }
    return pass;
}

/* Colour of one sample: through the kernel, or as words packed before. */
LANES_INLINE void write_sample(struct raster_tile *t, const struct job *j, uint32_t target,
                               uint32_t sample, const u32x32 *src, const u32x32 *packed,
                               lane_mask m) {
    const struct draw_plan *plan = t->plan;
    struct tile_plane *p = &t->color[target];
    u32x32 own[MAX_WORDS], *rows = own;
    if (j->whole) {
        rows = plane_rows(p, sample, j->block);
        for (uint32_t w = 0; w < p->words && packed; w++)
            lanes_store(&rows[w], packed[w], m);
    } else if (packed) {
        scatter_quads(p, sample, j, packed, m, p->words);
        return;
    } else {
        gather_quads(p, sample, j, own, p->words);
    }
    if (!packed)
        plan->crop[target](&plan->crop_key[target], src, rows, m);
    if (!j->whole)
        scatter_quads(p, sample, j, rows, m, p->words);
}

static void pack_colors(const struct draw_plan *plan, uint32_t target, const u32x32 *src,
                        u32x32 *packed) {
    plan->crop[target](&plan->crop_key[target], src, packed, LANES_ALL);
}

/* Colours that depend neither on the stored ones nor on the fragment, as texels; else NULL. */
static const u32x32 *packed_once(struct raster_tile *t, uint32_t target, const u32x32 *src) {
    if (!t->plan->uniform || t->plan->crop_key[target].reads_target)
        return NULL;
    if (!(t->packed_targets >> target & 1))
        pack_colors(t->plan, target, src, t->packed[target]);
    t->packed_targets |= 1u << target;
    return t->packed[target];
}

/* Lanes are the same in all samples. */
LANES_INLINE bool all_alike(const lane_mask *pass, uint32_t first, uint32_t samples) {
    bool alike = first == 0;
    for (uint32_t i = 1; i < samples; i++)
        alike &= pass[i] == pass[0];
    return alike;
}

/* Opens the block of a job that is one; the samples whose rows are to be written. While all samples
 * of a block are alike and stay so, the first stands for them. */
LANES_INLINE uint32_t open_whole(struct tile_plane *p, const struct job *j, bool reads,
                                 const lane_mask *pass, uint32_t first, uint32_t last) {
    const bool alike = last - first == p->samples && all_alike(pass, first, last);
    const bool replaced = alike && pass[first] == LANES_ALL && !reads;
    open_block(p, j->block, replaced);
    block_set(p->dirty, j->block);
    if (p->samples == 1)
        return last;
    if (replaced)
        block_set(p->agree, j->block);
    if (!block_bit(p->agree, j->block))
        return last;
    if (alike)
        return first + 1;
    split_samples(p, j->block);
    return last;
}

/* Colour of one target. What does not depend on the stored colour is packed once for all samples.
 */
static void write_color(struct raster_tile *t, const struct job *j, uint32_t target, uint32_t first,
                        uint32_t last, const u32x32 *src, const lane_mask *pass) {
    const struct draw_plan *plan = t->plan;
    const bool reads = plan->crop_key[target].reads_target;
    u32x32 own[MAX_WORDS];
    const u32x32 *packed = packed_once(t, target, src);
    lane_mask any = 0;
    for (uint32_t i = first; i < last; i++)
        any |= pass[i];
    if (!any)
        return;
    if (j->whole)
        last = open_whole(&t->color[target], j, reads, pass, first, last);
    if (!packed && !reads && (last - first > 1 || !j->whole)) {
        pack_colors(plan, target, src, own);
        packed = own;
    }
    for (uint32_t i = first; i < last; i++) {
        if (pass[i])
            write_sample(t, j, target, i, src, packed, pass[i]);
    }
}

/* Depth words of depths the program computed: plan_depth_word() of each. */
static u32x32 exported_depth(const struct draw_plan *plan, const u32x32 *row) {
    const f32x32 positive = (f32x32)(*row & (u32x32)((f32x32)*row > 0));
    const f32x32 one = lanes_splat_f(1.0f);
    const u32x32 clamped = lanes_blend((u32x32)(positive < one), (u32x32)positive, (u32x32)one);
    if (plan->zkey.is_float)
        return clamped;
    return (u32x32) __builtin_convertvector(
        __builtin_convertvector((f32x32)clamped, f64x32) * plan->z_scale + plan->z_half, i32x32);
}

/* Alpha test and coverage the program or its alpha changes: updates cover[] of all samples. */
static void modify_coverage(struct raster_tile *t, lane_mask *cover) {
    const struct draw_plan *plan = t->plan;
    const struct raster_state *s = plan->state;
    const f32x32 alpha = (f32x32)t->warp.r[3];
    lane_mask keep = LANES_ALL;
    if (plan->alpha_test)
        keep = lanes_to_mask(
            compare_float(s->color.alpha_func, alpha, lanes_splat_f(s->color.alpha_ref)));
    for (uint32_t i = 0; i < plan->samples; i++) {
        cover[i] &= keep;
        if (s->exports_sample_mask && plan->state->multisample) {
            const u32x32 row = t->warp.r[(s->result_regs - 1u - s->exports_z) % WARP_REGS];
            cover[i] &= lanes_to_mask(row << (31 - i));
        }
        if (plan->alpha_to_coverage)
            cover[i] &= lanes_to_mask(
                (u32x32)(alpha * (float)plan->samples >= lanes_splat_f((float)i + 0.5f)));
    }
}

/* Clamps the colours that must be; NaN becomes 0. */
static void clamp_colors(struct raster_tile *t) {
    for (uint32_t i = 0; i < 4 * RASTER_TARGETS; i++) {
        if (!(t->plan->clamp >> i / 4 & 1))
            continue;
        const f32x32 x = (f32x32)t->warp.r[i], one = lanes_splat_f(1.0f);
        const u32x32 positive = t->warp.r[i] & (u32x32)(x > 0);
        t->warp.r[i] = lanes_blend((u32x32)(x > one), (u32x32)one, positive);
    }
}

/* Alpha times what smooth primitives cover, of targets that are not integer. */
static void smooth_alpha(struct raster_tile *t, const struct job *j) {
    const uint32_t outputs = t->plan->state->multiple_results ? t->plan->color_count : 1;
    for (uint32_t i = 0; i < outputs; i++) {
        const uint8_t type = format_info(t->color[i].format)->type;
        if (type != COMPONENT_SINT && type != COMPONENT_UINT)
            t->warp.r[4 * i + 3] = (u32x32)((f32x32)t->warp.r[4 * i + 3] * j->smooth);
    }
}

/* Zeta (when late) and colour of the samples [first, last) after the program ran. */
static void finish_samples(struct raster_tile *t, struct job *j, uint32_t first, uint32_t last,
                           lane_mask live) {
    const struct draw_plan *plan = t->plan;
    const struct raster_state *s = plan->state;
    const enum stage was = profile_enter(t->profile, STAGE_COLOR);
    u32x32 exported;
    lane_mask pass[MAX_SAMPLES];
    for (uint32_t i = first; i < last; i++)
        pass[i] = j->cover[i] & live;
    if (plan->clamp)
        clamp_colors(t);
    if (plan->smooth)
        smooth_alpha(t, j);
    if (plan->alpha_test || plan->alpha_to_coverage || s->exports_sample_mask)
        modify_coverage(t, pass);
    if (s->exports_z)
        exported = exported_depth(plan, &t->warp.r[(s->result_regs - 1u) % WARP_REGS]);
    for (uint32_t i = first; i < last; i++) {
        if (plan->late) {
            profile_enter(t->profile, STAGE_ZETA);
            pass[i] = late_zeta(t, j, i, s->exports_z ? &exported : NULL, pass[i]);
            profile_leave(t->profile, STAGE_COLOR);
        }
        if (s->count_samples)
            t->counters->samples_passed += (uint32_t)__builtin_popcount(pass[i]);
    }
    if (plan->alpha_to_one) {
        for (uint32_t n = 0; n < (s->multiple_results ? plan->color_count : 1); n++)
            t->warp.r[4 * n + 3] = (u32x32)lanes_splat_f(1.0f);
        if (plan->crop[0] && plan->crop_key[0].dual_source) /* the second source counts as well */
            t->warp.r[7] = (u32x32)lanes_splat_f(1.0f);
    }
    for (uint32_t n = 0; n < plan->color_count; n++) {
        if (plan->crop[n])
            write_color(t, j, n, first, last, &t->warp.r[s->multiple_results ? 4 * n : 0], pass);
    }
    profile_leave(t->profile, was);
}

/* Texels that were packed before, of a plain draw. */
static __attribute__((noinline)) void write_packed(struct tile_plane *p, const struct job *j,
                                                   const u32x32 *packed, lane_mask pass) {
    if (!j->whole) {
        scatter_quads(p, 0, j, packed, pass, p->words);
        return;
    }
    u32x32 *rows = plane_rows(p, 0, j->block);
    for (uint32_t w = 0; w < p->words; w++)
        lanes_store(&rows[w], packed[w], pass);
}

/* Colours of a plain draw. */
LANES_INLINE void write_plain(struct raster_tile *t, const struct draw_plan *plan,
                              const struct job *j, uint32_t target, const u32x32 *src,
                              lane_mask pass) {
    const struct crop_key *k = &plan->crop_key[target];
    struct tile_plane *p = &t->color[target];
    const u32x32 *packed = plan->uniform ? packed_once(t, target, src) : NULL;
    u32x32 own[MAX_WORDS];
    if (j->whole) {
        open_block(p, j->block, pass == LANES_ALL && !k->reads_target);
        block_set(p->dirty, j->block);
    }
    if (packed) {
        write_packed(p, j, packed, pass);
        return;
    }
    if (j->whole) {
        plan->crop[target](k, src, plane_rows(p, 0, j->block), pass);
        return;
    }
    if (k->reads_target) {
        gather_quads(p, 0, j, own, p->words);
        plan->crop[target](k, src, own, pass);
    } else {
        pack_colors(plan, target, src, own);
    }
    scatter_quads(p, 0, j, own, pass, p->words);
}

/* What else may come between a plain draw's program and its colours; the lanes that are left. */
static __attribute__((noinline)) lane_mask finish_tests(struct raster_tile *t, const struct job *j,
                                                        lane_mask pass) {
    const struct draw_plan *plan = t->plan;
    if (plan->clamp)
        clamp_colors(t);
    if (plan->alpha_test)
        modify_coverage(t, &pass);
    if (plan->late) {
        profile_enter(t->profile, STAGE_ZETA);
        pass = late_zeta(t, j, 0, NULL, pass);
        profile_leave(t->profile, STAGE_COLOR);
    }
    if (plan->state->count_samples)
        t->counters->samples_passed += (uint32_t)__builtin_popcount(pass);
    return pass;
}

/* After the program ran, where little stands between it and the targets. */
LANES_INLINE void finish_plain(struct raster_tile *t, const struct draw_plan *plan,
                               const struct job *j, lane_mask pass) {
    const uint32_t next = plan->state->multiple_results ? 4 : 0;
    const enum stage was = profile_enter(t->profile, STAGE_COLOR);
    if (plan->output != OUTPUT_STRAIGHT)
        pass = finish_tests(t, j, pass);
    for (uint32_t n = 0; n < plan->color_count && pass; n++) {
        if (plan->crop[n])
            write_plain(t, plan, j, n, &t->warp.r[next * n], pass);
    }
    profile_leave(t->profile, was);
}

#endif
