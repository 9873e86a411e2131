/* Quads to warps, between coverage and the colour ROP: collects touched quads of a draw's
 * primitives into jobs of up to eight, and runs the fragment program over a job; then the functions
 * of finish.inc follow. In: blocks with coverage from cover_simd.c, in the order of the calls. If a
 * later step reads stored values, the quads of a job never cover a sample twice, so each sample
 * gets its colours in order. Must not know edges or pixel formats.
 */
#include "raster/finish.inc"
#include "shader/local.h"

/* Word `i` of each of the four attribute planes in v. */
#define OF_PLANES(v, i) __builtin_shufflevector(v, v, i, 4 + i, 8 + i, 12 + i)

enum { CACHE_LINE = 64 };

LANES_INLINE uint32_t rebased_bit(const struct rebased_planes *rebased) {
    return rebased ? rebased->bit : 0;
}

/* Takes a free slot for the primitive's rebased planes. The planes are prefetched here and computed
 * when a job needs them. */
static struct rebased_planes *open_rebased(struct raster_tile *t, const struct prim *p) {
    struct rebased_planes *rebased = &t->rebased_slot[__builtin_ctz(~t->rebased_pending)];
    const char *end = (const char *)(p->plane + t->plan->state->word_count);
    for (const char *at = (const char *)p + 2 * CACHE_LINE; at < end; at += CACHE_LINE)
        __builtin_prefetch(at);
    rebased->prim = p;
    if (t->plan->keeps_depth)
        rebased->depth = find_depth(t, p);
    t->rebased_todo |= rebased->bit;
    return rebased;
}

/* True if jobs refer to rebased planes of their primitives: either the program is not uniform, so
 * its warps get planes, or late zeta computes depths. */
LANES_INLINE bool needs_rebased(const struct draw_plan *plan) {
    return !plan->uniform || plan->keeps_depth;
}

/* Moves four planes by (x, y) pixels. The bases are computed in double precision and rounded once.
 * Denormal coefficients count as 0, as they do in programs. */
LANES_INLINE void move_planes(const struct attribute_plane *from, struct attribute_plane *to,
                              double x, double y) {
    f32x16 v;
    memcpy(&v, from, sizeof(v));
    const i32x16 bits = (i32x16)v;
    const f32x16 n = (f32x16)(bits & ((bits & 0x7f800000) != 0));
    const f64x4 dx = __builtin_convertvector(OF_PLANES(n, 1), f64x4);
    const f64x4 dy = __builtin_convertvector(OF_PLANES(n, 2), f64x4);
    const f32x4 b = __builtin_convertvector(
        __builtin_convertvector(OF_PLANES(n, 0), f64x4) + dx * x + dy * y, f32x4);
    const f32x16 base =
        __builtin_shufflevector(b, b, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    v = __builtin_shufflevector(v, base, 16, 1, 2, 3, 20, 5, 6, 7, 24, 9, 10, 11, 28, 13, 14, 15);
    memcpy(to, &v, sizeof(v));
}

/* Rebases a primitive's planes to the tile's corner. After that, single precision is enough: its
 * error is small compared with the variation within the tile. */
static void make_rebased(const struct raster_tile *t, struct rebased_planes *rebased) {
    const struct prim *p = rebased->prim;
    const double x = t->x - (p->origin_x + 0.5), y = t->y - (p->base.origin_y + 0.5);
    const uint32_t n = t->plan->state->word_count;
    rebased->set = (struct attribute_planes){p->front ? UINT32_MAX : 0, n,
                                             t->plan->flat ? p->plane : rebased->plane};
    if (t->plan->flat)
        return;
    for (uint32_t i = 0; i + 4 <= n; i += 4)
        move_planes(&p->plane[i], &rebased->plane[i], x, y);
    if (n % 4 && n > 4) {
        move_planes(&p->plane[n - 4], &rebased->plane[n - 4], x, y);
    } else if (n % 4) {
        struct attribute_plane few[4] = {{0}};
        memcpy(few, p->plane, n * sizeof(few[0]));
        move_planes(few, rebased->plane, x, y);
    }
}

static void make_all_rebased(struct raster_tile *t, uint32_t slots) {
    t->rebased_todo &= ~slots;
    for (; slots; slots &= slots - 1)
        make_rebased(t, &t->rebased_slot[__builtin_ctz(slots)]);
}

/* Copies value q to the four lanes of quad q. */
LANES_INLINE f32x32 spread_to_quads(f32x8 v) {
    return __builtin_shufflevector(v, v, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
                                   5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
}

typedef uintptr_t pointers8 __attribute__((vector_size(8 * sizeof(uintptr_t))));

/* Sets the warp's planes for each quad of the job. True if all quads have the same planes. */
LANES_INLINE bool place_planes(struct warp *w, const struct job *j) {
    pointers8 rebased;
    _Static_assert(sizeof(rebased) == sizeof(w->planes), "eight at once");
    memcpy(&rebased, j->rebased, sizeof(rebased));
    const pointers8 set = rebased + offsetof(struct rebased_planes, set);
    memcpy(w->planes, &set, sizeof(set));
    uint64_t differ = 0;
    for (uint32_t q = 1; q < JOB_QUADS; q++)
        differ |= rebased[q] ^ rebased[0];
    return !differ;
}

/* Sets the planes and the positions of the lanes in the tile. The lanes are those of a block, or of
 * quads from several blocks. */
static void place_lanes(struct raster_tile *t, struct job *j) {
    static const f32x32 block_x = LANES_X, block_y = LANES_Y;
    static const f32x32 quad_x = EIGHT_TIMES(0.5f, 1.5f, 0.5f, 1.5f),
                        quad_y = EIGHT_TIMES(0.5f, 0.5f, 1.5f, 1.5f);
    struct warp *w = &t->warp;
    const uint32_t todo =
        t->rebased_todo & (j->whole ? rebased_bit(j->rebased[0]) : t->rebased_pending);
    if (todo)
        make_all_rebased(t, todo);
    if (j->whole) {
        w->planes[0] = &j->rebased[0]->set;
        w->uniform_planes = true;
        w->x = block_x + ((float)(j->block % BLOCKS_X * BLOCK_W) + 0.5f);
        w->y = block_y + ((float)(j->block / BLOCKS_X * BLOCK_H) + 0.5f);
        return;
    }
    w->uniform_planes = place_planes(w, j);
    u16x8 at;
    memcpy(&at, j->place, sizeof(at));
    const u16x8 x = (at >> 3 & 7) * BLOCK_W + (at & 3) * 2;
    const u16x8 y = (at >> 6) * BLOCK_H + (at >> 2 & 1) * 2;
    w->x = spread_to_quads(__builtin_convertvector(x, f32x8)) + quad_x;
    w->y = spread_to_quads(__builtin_convertvector(y, f32x8)) + quad_y;
}

/* Returns a coordinate of a sample relative to the pixel centre, in pixels. */
static float sample_offset(const struct draw_plan *plan, uint32_t sample, int axis) {
    return (float)(sample_position[plan->sample_shift][sample][axis] - 8) / 16.0f;
}

/* Sets the centroids: the pixel centre where all samples are covered, else the first covered
 * sample. */
static void place_centroid(struct warp *w, const struct draw_plan *plan, const struct job *j) {
    lane_mask all = LANES_ALL;
    w->cx = w->x;
    w->cy = w->y;
    if (!plan->multisample)
        return;
    for (uint32_t i = plan->samples; i-- > 0;) {
        all &= j->cover[i];
        lanes_store((u32x32 *)&w->cx, (u32x32)(w->x + sample_offset(plan, i, 0)), j->cover[i]);
        lanes_store((u32x32 *)&w->cy, (u32x32)(w->y + sample_offset(plan, i, 1)), j->cover[i]);
    }
    lanes_store((u32x32 *)&w->cx, (u32x32)w->x, all);
    lanes_store((u32x32 *)&w->cy, (u32x32)w->y, all);
}

/* Passes to the program the samples of each lane's pixel that the job covers. Without multisampling
 * a pixel has one sample. */
static void tell_samples(struct raster_tile *t, const struct job *j) {
    const struct draw_plan *plan = t->plan;
    const uint32_t samples = plan->multisample ? plan->samples : 1;
    u32x32 covered = lanes_splat(0);
    for (uint32_t i = 0; i < samples; i++)
        covered |= lanes_from_mask(j->cover[i]) & (1u << i);
    t->covered = covered;
    t->warp.coverage = &t->covered;
    t->warp.sample_count = samples;
    t->warp.sample_position = plan->sample_offset;
}

/* Runs the program on the lanes of `launched`. False if the program failed. */
LANES_INLINE bool execute_program(struct raster_tile *t, lane_mask launched, lane_mask helpers) {
    struct warp *w = &t->warp;
    const enum stage was = profile_enter(t->profile, STAGE_SHADE);
    if (w->local_size)
        local_clear(w, t->local_capacity);
    const enum warp_status status = warp_launch(w, t->fp, launched, helpers);
    profile_leave(t->profile, was);
    if (status != WARP_DONE) {
        if (t->counters->error.code == MP_NONE)
            t->counters->error = w->error;
        return false;
    }
    for (uint32_t i = t->plan->allocated_regs; i < t->plan->result_regs; i++)
        w->r[i] = lanes_splat(0);
    return true;
}

/* Runs a uniform program: only the first warp runs, and its results are those of all warps. The
 * statistics count each warp. False if the program failed. */
static __attribute__((noinline)) bool execute_uniform(struct raster_tile *t, uint32_t warps,
                                                      uint32_t lanes) {
    struct warp_stats *stats = &t->warp.stats, *once = &t->uniform_stats;
    if (!t->ran) {
        const struct warp_stats before = *stats;
        *stats = (struct warp_stats){0};
        t->ran = execute_program(t, LANES_ALL, 0);
        t->encoded_targets = 0;
        *once = *stats;
        *stats = before;
    }
    stats->instructions += once->instructions * warps;
    stats->lane_instructions += once->lane_instructions / LANES * lanes;
    stats->bad_reads += once->bad_reads / LANES * lanes;
    stats->bad_writes += once->bad_writes / LANES * lanes;
    return t->ran;
}

/* Runs the program for the lanes in cover, with the other lanes of the job's quads as helpers.
 * Returns the lanes that the program did not discard.
 */
LANES_INLINE lane_mask run_job(struct raster_tile *t, const struct job *j, lane_mask cover) {
    if (t->counters->error.code != MP_NONE)
        return 0; /* after a failure, the program does not run for the other warps of the tile */
    const lane_mask launched = j->whole ? LANES_ALL : lanes_of_quads((1u << j->count) - 1);
    t->counters->warps++;
    t->counters->fragments += (uint32_t)__builtin_popcount(cover);
    if (t->plan->uniform)
        return execute_uniform(t, 1, (uint32_t)__builtin_popcount(launched)) ? cover : 0;
    return execute_program(t, launched, launched & ~cover) ? cover & ~t->warp.dead : 0;
}

/* Shades one job of a plan whose output is plain, then runs zeta and colour. */
LANES_INLINE void shade_plain(struct raster_tile *t, const struct draw_plan *plan,
                              const struct job *j) {
    if (plan->centroid) {
        t->warp.cx = t->warp.x;
        t->warp.cy = t->warp.y;
    }
    const lane_mask pass = run_job(t, j, j->cover[0]);
    if (pass)
        finish_plain(t, plan, j, pass);
}

/* Shades one job of any plan, once a pixel or once a sample, then runs zeta and colour. */
static void shade_samples(struct raster_tile *t, struct job *j) {
    const struct draw_plan *plan = t->plan;
    struct warp *w = &t->warp;
    if (!plan->per_sample) {
        lane_mask any = 0;
        for (uint32_t i = 0; i < plan->samples; i++)
            any |= j->cover[i];
        if (plan->centroid)
            place_centroid(w, plan, j);
        finish_samples(t, j, 0, plan->samples, run_job(t, j, any));
        return;
    }
    for (uint32_t i = 0; i < plan->samples; i++) {
        if (!j->cover[i])
            continue;
        w->sample_id = i;
        if (plan->centroid) {
            w->cx = w->x + sample_offset(plan, i, 0);
            w->cy = w->y + sample_offset(plan, i, 1);
        }
        finish_samples(t, j, i, i + 1, run_job(t, j, j->cover[i]));
    }
}

static void shade_job(struct raster_tile *t, struct job *j) {
    const struct draw_plan *plan = t->plan;
    if (!plan->uniform)
        place_lanes(t, j);
    t->warp.sample_id = 0;
    if (plan->tells_samples)
        tell_samples(t, j);
    if (plan->output != OUTPUT_ANY)
        shade_plain(t, plan, j);
    else
        shade_samples(t, j);
}

/* Runs a job of up to eight pending quads; further quads stay pending. */
static void flush_pending(struct raster_tile *t, uint32_t count) {
    struct job *j = &t->pending;
    j->count = count < JOB_QUADS ? count : JOB_QUADS;
    for (uint32_t q = j->count; q < JOB_QUADS; q++) {
        j->place[q] = j->place[0];
        j->rebased[q] = j->rebased[0];
    }
    shade_job(t, j);
    t->pending_blocks[0] = t->pending_blocks[1] = 0;
    j->count = count - j->count;
    t->rebased_pending = 0;
}

void SIMD_FN(pack_flush)(struct raster_tile *t) {
    if (t->pending.count)
        flush_pending(t, t->pending.count);
}

/* Returns the lanes of m that belong to `quads`, moved side by side. */
LANES_INLINE lane_mask compact_lanes(lane_mask m, uint32_t quads) {
#if defined(__BMI2__)
    return _pext_u32(m, lanes_of_quads(quads));
#else
    lane_mask r = 0;
    for (uint32_t n = 0; quads; quads &= quads - 1, n += 4)
        r |= (m >> (4 * __builtin_ctz(quads)) & 15) << n;
    return r;
#endif
}

/* Notes that `lanes` of the block wait in t->pending. */
LANES_INLINE void add_pending(struct raster_tile *t, uint32_t block, lane_mask lanes) {
    const lane_mask others = block_bit(t->pending_blocks, block) ? t->pending_lanes[block] : 0;
    t->pending_lanes[block] = others | lanes;
    block_set(t->pending_blocks, block);
}

/* Makes the block's rows valid in the surfaces that steps after the program use, because quads of
 * the block are going to wait. */
static void open_block_surfaces(struct raster_tile *t, uint32_t block) {
    const struct draw_plan *plan = t->plan;
    if (plan->late)
        open_block(&t->zeta, block, false);
    for (uint32_t i = 0; i < plan->color_count; i++) {
        struct tile_surface *p = &t->color[i];
        if (!plan->crop[i])
            continue;
        open_block(p, block, false);
        block_set(p->dirty, block);
        if (p->samples > 1 && block_bit(p->agree, block))
            split_samples(p, block);
    }
}

/* Appends quads of t->whole to t->pending, which has room for them. */
LANES_INLINE void append_whole(struct raster_tile *t, uint32_t quads, lane_mask any) {
    struct job *to = &t->pending;
    const struct job *from = &t->whole;
    const uint32_t first = to->count;
    for (uint32_t i = 0; i < t->plan->samples; i++) {
        const lane_mask m = compact_lanes(from->cover[i], quads) << (4 * first);
        to->cover[i] = first ? to->cover[i] | m : m;
    }
    to->front = from->front;
    add_pending(t, from->block, any & lanes_of_quads(quads));
    t->rebased_pending |= rebased_bit(t->rebased);
    for (uint32_t n = first; quads; quads &= quads - 1, n++) {
        const uint32_t q = (uint32_t)__builtin_ctz(quads);
        to->place[n] = (uint16_t)(from->block * JOB_QUADS + q);
        to->rebased[n] = t->rebased;
        to->count = n + 1;
        if (t->plan->smooth)
            memcpy((char *)&to->smooth + QUAD_BYTES * n,
                   (const char *)&from->smooth + QUAD_BYTES * q, QUAD_BYTES);
    }
}

/* Returns the lowest n set bits of m; n is below 32. */
LANES_INLINE uint32_t first_bits(uint32_t m, uint32_t n) {
#if defined(__BMI2__)
    return _pdep_u32((1u << n) - 1, m);
#else
    uint32_t rest = m;
    while (n--)
        rest &= rest - 1;
    return m & ~rest;
#endif
}

/* True if a pending quad covers a sample of the block that t->whole covers, too. */
static bool shares_sample(const struct raster_tile *t, uint32_t block) {
    const struct job *j = &t->pending;
    for (uint32_t q = 0; q < j->count; q++) {
        const uint32_t quad = j->place[q] % JOB_QUADS;
        for (uint32_t i = 0; i < t->plan->samples && j->place[q] / JOB_QUADS == block; i++)
            if (j->cover[i] >> 4 * q & t->whole.cover[i] >> 4 * quad & 15)
                return true;
    }
    return false;
}

/* True if pending quads must run before these lanes of the block are added. The quads of one job
 * are written in their order; that is enough unless stored values are read (plan.ordered). A whole
 * block would run before the pending quads, so in this case the pending quads must run first,
 * too. */
LANES_INLINE bool must_wait(const struct raster_tile *t, uint32_t block, lane_mask lanes,
                            bool whole) {
    const struct draw_plan *plan = t->plan;
    if (plan->two_sided && t->pending.count && t->pending.front != t->whole.front)
        return true;
    return (whole || plan->ordered) && block_bit(t->pending_blocks, block) &&
           (t->pending_lanes[block] & lanes) && (plan->samples == 1 || shares_sample(t, block));
}

void SIMD_FN(pack_block)(struct raster_tile *t, lane_mask any) {
    struct job *j = &t->whole;
    uint32_t quads = quads_of(any);
    if (!t->rebased && needs_rebased(t->plan))
        t->rebased = open_rebased(t, t->prim);
    j->rebased[0] = t->rebased;
    if (must_wait(t, j->block, any, quads == 0xff))
        SIMD_FN(pack_flush)(t);
    if (quads == 0xff) {
        shade_job(t, j);
        return;
    }
    open_block_surfaces(t, j->block);
    while (quads) {
        const uint32_t room = JOB_QUADS - t->pending.count;
        const uint32_t now =
            (uint32_t)__builtin_popcount(quads) > room ? first_bits(quads, room) : quads;
        append_whole(t, now, any);
        quads &= ~now;
        if (t->pending.count == JOB_QUADS)
            SIMD_FN(pack_flush)(t);
    }
}

/* Returns the numbers of the quads in the mask, a byte each. */
LANES_INLINE uint64_t list_quads(uint32_t quads) {
#if defined(__BMI2__)
    return _pext_u64(0x0706050403020100, _pdep_u64(quads, 0x0101010101010101) * 0xff);
#else
    uint64_t list = 0;
    for (uint32_t n = 0; quads; quads &= quads - 1, n += 8)
        list |= (uint64_t)__builtin_ctz(quads) << n;
    return list;
#endif
}

/* Adds the quads of t->prim to the pending quads. As soon as eight are pending, they run as a
 * warp. */
LANES_INLINE void append_quads(struct raster_tile *t, uint32_t block, uint32_t quads,
                               lane_mask any) {
    struct job *j = &t->pending;
    const uint32_t first = j->count, n = (uint32_t)__builtin_popcount(quads);
    const uint64_t list = list_quads(quads);
    const uint64_t cover =
        (uint64_t)compact_lanes(any, quads) << (4 * first) | (first ? j->cover[0] : 0);
    u8x8 quad;
    memcpy(&quad, &list, sizeof(quad));
    const u16x8 place = __builtin_convertvector(quad, u16x8) + (uint16_t)(block * JOB_QUADS);
    const pointers8 rebased = (uintptr_t)t->rebased - (pointers8){0};
    _Static_assert(sizeof(j->rebased[0]) == sizeof(rebased[0]), "eight at once");
    memcpy(&j->place[first], &place, sizeof(place));
    memcpy(&j->rebased[first], &rebased, sizeof(rebased));
    j->cover[0] = (lane_mask)cover;
    j->front = t->whole.front;
    j->count = first + n;
    add_pending(t, block, any);
    t->rebased_pending |= rebased_bit(t->rebased);
    if (j->count < JOB_QUADS)
        return;
    flush_pending(t, j->count);
    if (!j->count)
        return;
    memcpy(j->place, &j->place[JOB_QUADS], sizeof(place));
    memcpy(j->rebased, &j->rebased[JOB_QUADS], sizeof(rebased));
    j->cover[0] = (lane_mask)(cover >> LANES);
    add_pending(t, block, any & ~lanes_of_quads(first_bits(quads, n - j->count)));
    t->rebased_pending = rebased_bit(t->rebased);
}

/* Draws a pair of a primitive and a block, in a draw with one sample: t->prim covers the lanes of
 * `any` in the block. */
LANES_INLINE void pack_pair(struct raster_tile *t, uint32_t block, lane_mask any) {
    const uint32_t quads = quads_of(any);
    if (must_wait(t, block, any, quads == 0xff))
        SIMD_FN(pack_flush)(t);
    if (quads != 0xff) {
        if (!block_bit(t->open, block))
            open_block_surfaces(t, block);
        block_set(t->open, block);
        append_quads(t, block, quads, any);
        return;
    }
    struct job *j = &t->whole;
    j->rebased[0] = t->rebased;
    j->block = block;
    j->cover[0] = any;
    shade_job(t, j);
}

void SIMD_FN(pack_pairs)(struct raster_tile *t, const struct pack_list *l) {
    const bool rebased = needs_rebased(t->plan);
    uint32_t last = l->more ? l->number[0] : UINT32_MAX;
    for (uint32_t k = 0; k < l->count; k++) {
        const uint32_t n = l->number[k];
        if (n != last) {
            t->prim = l->prim[n];
            t->whole.front = l->front >> n & 1;
            t->rebased = rebased ? open_rebased(t, t->prim) : NULL;
        }
        last = n;
        pack_pair(t, l->block[k], l->cover[k]);
    }
}

void SIMD_FN(pack_blocks)(struct raster_tile *t, uint32_t w, uint32_t h) {
    const struct draw_plan *plan = t->plan;
    struct job *j = &t->whole;
    lane_mask all[MAX_SAMPLES];
    memset(all, 0xff, sizeof(all));
    SIMD_FN(pack_flush)(t);
    if (t->counters->error.code != MP_NONE)
        return;
    t->counters->warps += w * h;
    t->counters->fragments += (uint64_t)w * h * LANES;
    if (!execute_uniform(t, w * h, w * h * LANES))
        return;
    if (plan->clamp)
        clamp_colors(t);
    if (plan->counts)
        t->counters->samples_passed += (uint64_t)w * h * LANES * plan->samples;
    for (uint32_t n = 0; n < plan->color_count; n++) {
        const u32x32 *src = &t->warp.r[4 * plan->result[n]];
        for (uint32_t i = 0; i < w * h && plan->crop[n]; i++) {
            j->block = i / w * BLOCKS_X + i % w;
            write_color(t, j, n, 0, plan->samples, src, all);
        }
    }
}
