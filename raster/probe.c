/* One pixel watched: what becomes of each primitive at one sample. In: primitives as
 * raster_tile_draw gets them. Out: an event for each whose bounds contain the pixel. Nothing is
 * computed a second way: the primitive is drawn with its bounds reduced to the pixel, by the kernels
 * of its own plan behind wrappers that take notes - without masks, with them, as it is - and the
 * texels are put back; after that it is drawn for real.
 */
#include "raster/tile.h"

#include <stdlib.h>
#include <string.h>

enum { PROBE_PLANES = RASTER_TARGETS + 1 /* zeta */, PLANE_ROWS = MAX_SAMPLES * MAX_WORDS };

/* What a trial may change in the tile. */
struct kept_block {
    u32x32 row[PROBE_PLANES][PLANE_ROWS];
    uint64_t dirty[PROBE_PLANES][2], agree[PROBE_PLANES][2];
    int32_t bound_low, bound_high;
    uint64_t loose[2];
};

/* The primitive, plan, state and program environment of the trials, and what was noted. The plan's
 * keys lead from a kernel's arguments back to here. */
struct tile_probe {
    const struct raster_probe *watched;
    struct kept_block kept;
    const struct draw_plan *real;
    struct draw_plan plan;
    struct raster_state state;
    struct warp_env fp;
    struct warp_observer observer;
    _Alignas(struct prim) uint8_t copy[sizeof(struct prim) +
                                        RASTER_WORDS * sizeof(struct plane) +
                                        sizeof(union prim_shape)];
    struct warp start, end;
    bool touched; /* a zeta kernel or the program was asked about the sample */
    bool ran;
    struct raster_probe_event event;
};

/* ---- what the wrapped kernels note ---- */

static struct tile_probe *of_zrop_key(const struct zrop_key *k) {
    return (struct tile_probe *)((char *)(uintptr_t)k - offsetof(struct tile_probe, plan.zkey));
}

static lane_mask note_touched(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                              bool front) {
    (void)z, (void)rows, (void)front;
    of_zrop_key(k)->touched |= m != 0;
    return 0;
}

static lane_mask note_zeta(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                           bool front) {
    struct tile_probe *p = of_zrop_key(k);
    const uint32_t words = k->has_stencil ? 2 : 1;
    if (!m)
        return 0;
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    p->event.zeta.tested = true;
    p->event.zeta.depth = z[0][lane];
    for (uint32_t i = 0; i < words; i++)
        p->event.zeta.before[i] = rows[i][lane];
    const lane_mask pass = p->real->zrop(k, z, rows, m, front);
    for (uint32_t i = 0; i < words; i++)
        p->event.zeta.after[i] = rows[i][lane];
    p->event.zeta.passed = pass != 0;
    return pass;
}

static void note_color(struct tile_probe *p, uint32_t target, const struct crop_key *k,
                       const u32x32 *src, u32x32 *dst, lane_mask m) {
    if (!m)
        return;
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    p->event.color[target].written = true;
    for (int i = 0; i < 4; i++)
        p->event.color[target].source[i] = src[i][lane];
    p->real->crop[target](k, src, dst, m);
}

/* Kernels get no number of their target: one wrapper each. */
#define NOTE_COLOR(n)                                                                              \
    static void note_color_##n(const struct crop_key *k, const u32x32 *src, u32x32 *dst,           \
                               lane_mask m) {                                                      \
        note_color((struct tile_probe *)((char *)(uintptr_t)k -                                    \
                                         offsetof(struct tile_probe, plan.crop_key[n])),           \
                   n, k, src, dst, m);                                                             \
    }
NOTE_COLOR(0)
NOTE_COLOR(1)
NOTE_COLOR(2)
NOTE_COLOR(3)
NOTE_COLOR(4)
NOTE_COLOR(5)
NOTE_COLOR(6)
NOTE_COLOR(7)
static crop_fn *const note_colors[RASTER_TARGETS] = {
    note_color_0, note_color_1, note_color_2, note_color_3,
    note_color_4, note_color_5, note_color_6, note_color_7};

static void note_start(void *self, const struct warp *w, const struct warp_env *env) {
    struct tile_probe *p = self;
    (void)env;
    p->touched = p->ran = true;
    p->start = *w;
    p->event.lane = (uint32_t)__builtin_ctz((w->launched & ~w->dead) | 1u << 31);
}

static void note_end(void *self, const struct warp *w, const struct warp_env *env) {
    struct tile_probe *p = self;
    (void)env;
    p->end = *w;
}

/* ---- trials ---- */

/* The copy of the primitive. */
static struct prim *copied(struct tile_probe *p) {
    return (struct prim *)p->copy;
}

static struct tile_plane *plane_of(struct raster_tile *t, uint32_t i) {
    return i == RASTER_TARGETS ? &t->zeta : &t->color[i];
}

static uint32_t watched_block(const struct raster_tile *t) {
    const struct raster_probe *w = t->probe->watched;
    return (uint32_t)(w->y - t->y) / BLOCK_H * BLOCKS_X + (uint32_t)(w->x - t->x) / BLOCK_W;
}

static uint32_t watched_lane(const struct raster_tile *t) {
    const struct raster_probe *w = t->probe->watched;
    const uint32_t x = (uint32_t)(w->x - t->x) % BLOCK_W, y = (uint32_t)(w->y - t->y) % BLOCK_H;
    return (x & 1) | (y & 1) << 1 | x / 2 << 2 | y / 2 << 4;
}

/* Planes that hold texels of the tile. */
static bool is_open(const struct tile_plane *p) {
    return p->format != FORMAT_NONE && p->located;
}

static size_t block_bytes(const struct tile_plane *p) {
    return p->words * sizeof(u32x32);
}

static void keep_block(struct raster_tile *t, uint32_t block) {
    static void (*const load[])(struct tile_plane *, uint32_t) = SIMD_TABLE(block_load);
    struct kept_block *k = &t->probe->kept;
    k->bound_low = t->bound_low[block];
    k->bound_high = t->bound_high[block];
    memcpy(k->loose, t->loose, sizeof k->loose);
    for (uint32_t i = 0; i < PROBE_PLANES; i++) {
        struct tile_plane *p = plane_of(t, i);
        if (!is_open(p))
            continue;
        if (!block_bit(p->valid, block))
            load[t->simd](p, block);
        block_set(p->valid, block);
        memcpy(k->dirty[i], p->dirty, sizeof p->dirty);
        memcpy(k->agree[i], p->agree, sizeof p->agree);
        for (uint32_t s = 0; s < p->samples; s++)
            memcpy(&k->row[i][s * MAX_WORDS], plane_rows(p, s, block), block_bytes(p));
    }
}

static void put_back(struct raster_tile *t, uint32_t block) {
    const struct kept_block *k = &t->probe->kept;
    t->bound_low[block] = k->bound_low;
    t->bound_high[block] = k->bound_high;
    memcpy(t->loose, k->loose, sizeof k->loose);
    for (uint32_t i = 0; i < PROBE_PLANES; i++) {
        struct tile_plane *p = plane_of(t, i);
        if (!is_open(p))
            continue;
        memcpy(p->dirty, k->dirty[i], sizeof p->dirty);
        memcpy(p->agree, k->agree[i], sizeof p->agree);
        for (uint32_t s = 0; s < p->samples; s++)
            memcpy(plane_rows(p, s, block), &k->row[i][s * MAX_WORDS], block_bytes(p));
    }
}

/* Copies of all that a trial changes: one pixel, one sample, every result noted. */
static void prepare(struct tile_probe *p, const struct draw_plan *plan, const struct warp_env *fp,
                    const struct prim *prim) {
    const struct raster_probe *w = p->watched;
    p->real = plan;
    p->plan = *plan;
    p->state = *plan->state;
    p->plan.state = &p->state;
    p->plan.uniform = p->plan.whole_tile = false;
    p->plan.sample_mask = plan->sample_mask & 1u << w->sample;
    p->plan.zreject = NULL;
    p->plan.hides = HIDES_NEVER; /* tests are to be seen failing */
    p->plan.cover = plan->cover > COVER_BARE ? COVER_ZETA : plan->cover;
    p->plan.zrop = note_zeta;
    p->state.count_samples = true; /* tells whether the sample lived to the end */
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        p->plan.crop_key[i].reads_target = true; /* nothing is packed for all samples at once */
        if (plan->crop[i])
            p->plan.crop[i] = note_colors[i];
    }
    p->fp = *fp;
    p->observer = (struct warp_observer){p, note_start, note_end};
    p->fp.observer = &p->observer;
    memcpy(p->copy, prim, sizeof *prim + prim->word_count * sizeof prim->plane[0]);
    if (prim->edge_count != 3)
        *prim_shape(copied(p)) = *prim_shape(prim);
    copied(p)->base.bounds = (struct raster_rect){w->x, w->y, w->x + 1, w->y + 1};
}

/* Samples that lived, 0 or 1. */
static uint64_t try(struct raster_tile *t, struct raster_counters *counters, uint32_t block) {
    struct tile_probe *p = t->probe;
    const struct raster_prim *prim = &copied(p)->base;
    *counters = (struct raster_counters){0};
    p->touched = p->ran = false;
    raster_tile_draw_all(t, &p->plan, &p->fp, &prim, 1, false, counters);
    put_back(t, block);
    return counters->samples_passed;
}

/* Whether the sample is inside, by the zeta test's kernel if there is one, else by the program. */
static bool try_coverage(struct raster_tile *t, uint32_t block) {
    struct tile_probe *p = t->probe;
    struct raster_counters counters;
    const struct draw_plan plan = p->plan;
    if (plan.zeta_active) {
        p->plan.early = true;
        p->plan.late = false;
        p->plan.zrop = note_touched;
    } else {
        p->plan.shades = plan.has_program;
        p->plan.color_count = 0;
    }
    const bool lived = try(t, &counters, block) != 0;
    const bool touched = p->touched || lived;
    p->plan = plan;
    return touched;
}

static enum raster_verdict judge(const struct tile_probe *p, bool lived) {
    const struct raster_probe_event *e = &p->event;
    if (p->plan.early && e->zeta.tested && !e->zeta.passed)
        return RASTER_ZETA_FAILED;
    if (p->ran && p->end.error.code != MP_NONE)
        return RASTER_TRAPPED;
    if (p->ran && p->end.dead >> e->lane & 1)
        return RASTER_DISCARDED;
    if (!lived)
        return e->zeta.tested && !e->zeta.passed ? RASTER_ZETA_FAILED : RASTER_REMOVED;
    for (uint32_t i = 0; i < RASTER_TARGETS; i++)
        if (e->color[i].written)
            return RASTER_WRITTEN;
    return RASTER_NO_COLOR;
}

/* Finds out what will become of the primitive; leaves the tile as it was. */
static void find_verdict(struct raster_tile *t, const struct draw_plan *plan,
                         const struct warp_env *fp, const struct prim *prim, uint32_t block) {
    struct tile_probe *p = t->probe;
    struct raster_counters counters;
    prepare(p, plan, fp, prim);
    p->event = (struct raster_probe_event){
        .prim = &prim->base, .state = plan->state, .front = prim->front, .fp = fp};
    p->plan.sample_mask = 1u << p->watched->sample;
    copied(p)->stippled = false;
    p->state.rect_mode = 0;
    p->event.verdict = RASTER_NOT_COVERED;
    if (!try_coverage(t, block))
        return;
    copied(p)->stippled = prim->stippled;
    p->state.rect_mode = plan->state->rect_mode;
    p->event.verdict = RASTER_WINDOWED;
    if ((prim->stippled || plan->state->rect_mode) && !try_coverage(t, block))
        return;
    p->plan.sample_mask = plan->sample_mask & 1u << p->watched->sample;
    p->event.verdict = RASTER_SAMPLE_MASKED;
    if (!p->plan.sample_mask)
        return;
    const bool lived = try(t, &counters, block) != 0;
    p->event.verdict = judge(p, lived);
    p->event.start = p->ran ? &p->start : NULL;
    p->event.end = p->ran ? &p->end : NULL;
}

/* The sample's texel of each target as four words. */
static void read_colors(struct raster_tile *t, uint32_t block, bool after) {
    struct raster_probe_event *e = &t->probe->event;
    const uint32_t lane = watched_lane(t), watched = t->probe->watched->sample;
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        struct tile_plane *p = &t->color[i];
        uint32_t texel[MAX_WORDS] = {0};
        if (!is_open(p) || watched >= p->samples)
            continue;
        const uint32_t sample = block_bit(p->agree, block) ? 0 : watched;
        for (uint32_t w = 0; w < p->words; w++)
            texel[w] = plane_rows(p, sample, block)[w][lane];
        format_unpack(p->format, texel, after ? e->color[i].after : e->color[i].before);
    }
}

static bool contains(const struct raster_rect *r, const struct raster_probe *w) {
    return w->x >= r->x0 && w->x < r->x1 && w->y >= r->y0 && w->y < r->y1;
}

bool probe_concerns(const struct raster_tile *t) {
    const struct raster_probe *w = t->probe ? t->probe->watched : NULL;
    return w && w->layer == t->layer && w->sample < t->samples && w->x >= t->x && w->y >= t->y &&
           w->x < t->x + TILE_SIZE && w->y < t->y + TILE_SIZE;
}

uint32_t probe_draw(struct raster_tile *t, const struct draw_plan *plan, const struct warp_env *fp,
                    const struct raster_prim *const *prims, uint32_t count,
                    struct raster_counters *counters) {
    struct tile_probe *p = t->probe;
    const uint32_t block = watched_block(t);
    for (uint32_t i = 0; i < count; i++) {
        if (!contains(&prims[i]->bounds, p->watched)) {
            raster_tile_draw_all(t, plan, fp, &prims[i], 1, false, counters);
            continue;
        }
        raster_tile_draw_all(t, plan, fp, NULL, 0, false, counters); /* opens the planes */
        keep_block(t, block);
        find_verdict(t, plan, fp, (const struct prim *)prims[i], block);
        read_colors(t, block, false);
        raster_tile_draw_all(t, plan, fp, &prims[i], 1, false, counters);
        read_colors(t, block, true);
        p->watched->event(p->watched->self, p->watched, &p->event);
    }
    return count;
}

void probe_clear(struct raster_tile *t, const struct raster_clear *clear) {
    const struct raster_probe *w = t->probe->watched;
    if (contains(&clear->rect, w))
        w->clear(w->self, w, clear, t->targets);
}

void raster_tile_probe(struct raster_tile *t, const struct raster_probe *probe) {
    if (!probe) {
        free(t->probe);
        t->probe = NULL;
        return;
    }
    if (!t->probe) {
        t->probe = aligned_alloc(_Alignof(struct tile_probe), sizeof *t->probe);
        if (!t->probe) {
            t->oom = true;
            return;
        }
        memset(t->probe, 0, sizeof *t->probe);
    }
    t->probe->watched = probe;
}
