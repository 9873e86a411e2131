/* Watched pixels (probe.h): the fate of each primitive at one sample. In: primitives as
 * raster_tile_draw() gets them. Out: an event for each primitive whose bounds contain a watched
 * pixel. This file has no drawing rules of its own. It draws trials: the primitive with its bounds
 * reduced to the pixel, by the kernels of the primitive's own plan, behind wrappers that record
 * what happens. The first trial is without window rectangles, stipple and sample mask; the
 * following trials add them one by one. If the last trial removes the sample, a trial without the
 * alpha test follows. After each trial the texels, and the memory that the program wrote, are put
 * back. Then the primitive is drawn for real.
 */
#include "raster/tile.h"
#include "base/arena.h"

#include "shader/check/access.h"

#include <stdlib.h>
#include <string.h>

enum { PROBE_SURFACES = RASTER_TARGETS + 1 /* zeta */, SURFACE_ROWS = MAX_SAMPLES * MAX_WORDS };

/* The rows of a block that a trial may change. */
struct kept_block {
    u32x32 row[PROBE_SURFACES][SURFACE_ROWS];
    uint64_t dirty[PROBE_SURFACES][2], agree[PROBE_SURFACES][2];
    int32_t bound_low, bound_high;
    uint64_t loose[2];
};

/* Bytes of memory as they were before a store of the program. */
struct kept_bytes {
    uint8_t *host;
    uint32_t size;
    uint8_t byte[16];
};

/* The primitive, plan, state and program environment of the trials, and what their wrappers
 * recorded. A kernel gets a key that lies in this struct; its wrapper finds the struct by the key's
 * address. */
struct tile_probe {
    const struct raster_probe *watched;
    uint32_t *inside; /* indices in watched->pixel[] of the pixels in the tile */
    uint32_t inside_count;
    size_t inside_capacity;
    bool located;                        /* `inside` is valid for the tile */
    const struct raster_probe_pixel *at; /* the pixel on trial */
    enum simd_level simd;
    const struct raster_tile *tile;
    struct kept_block kept;
    struct kept_bytes *stored; /* in the order of the stores */
    size_t stored_count, stored_capacity;
    bool lost; /* memory ran out: a store could not be kept */
    const struct draw_plan *real;
    struct draw_plan plan;
    struct raster_state state;
    struct warp_env fp;
    struct warp_observer observer;
    _Alignas(
        struct prim) uint8_t copy[sizeof(struct prim) +
                                  RASTER_WORDS * sizeof(struct attribute_plane) + sizeof(uint32_t)];
    struct warp start, end;
    bool touched; /* a zeta kernel or the program ran for the sample */
    bool ran;
    struct raster_probe_event event;
};

/* ---- wrappers of kernels ---- */

static struct tile_probe *of_zrop_key(const struct zrop_key *k) {
    return (struct tile_probe *)((char *)(uintptr_t)k - offsetof(struct tile_probe, plan.zkey));
}

static lane_mask note_touched(const struct zrop_key *k, const u32x32 *, u32x32 *, lane_mask m,
                              bool) {
    of_zrop_key(k)->touched |= m != 0;
    return 0;
}

/* A wrapper that reports the lanes that are tested. The block is found from the place of the rows
 * in the tile. No lane passes, so the draw changes nothing. */
static lane_mask note_tested(const struct zrop_key *k, const u32x32 *, u32x32 *rows, lane_mask m,
                             bool) {
    const struct tile_probe *p = of_zrop_key(k);
    const struct tile_surface *surface = &p->tile->zeta;
    const size_t block = (size_t)(rows - surface->data) / surface->words;
    if (m && block < TILE_BLOCKS) /* only the rows of sample 0 */
        p->watched->tested(p->watched->self, p->tile->x + (int32_t)(block % BLOCKS_X) * BLOCK_W,
                           p->tile->y + (int32_t)(block / BLOCKS_X) * BLOCK_H, m);
    return 0;
}

/* Finds the first test that fails without the other tests. rows: the values before the test. */
static enum raster_verdict find_test(const struct tile_probe *p, const struct zrop_key *k,
                                     const u32x32 *z, const u32x32 *rows, lane_mask m, bool front) {
    SIMD_CHOICE(select, zrop_select);
    for (int test = 0; test < 2; test++) {
        struct zrop_key only = *k;
        u32x32 copy[2] = {rows[0], k->has_stencil ? rows[1] : rows[0]};
        only.state.depth_test = false;
        only.state.bounds_test &= test == 0;
        only.state.stencil_test &= test == 1;
        const bool on = test ? only.state.stencil_test : only.state.bounds_test;
        if (on && !select[p->simd](&only)(&only, z, copy, m, front))
            return test ? RASTER_STENCIL_FAILED : RASTER_BOUNDS_FAILED;
    }
    return RASTER_ZETA_FAILED;
}

static lane_mask note_zeta(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                           bool front) {
    struct tile_probe *p = of_zrop_key(k);
    const uint32_t words = k->has_stencil ? 2 : 1;
    if (!m)
        return 0;
    const uint32_t lane = (uint32_t)__builtin_ctz(m);
    const u32x32 stored[2] = {rows[0], words > 1 ? rows[1] : rows[0]};
    p->event.zeta.tested = true;
    p->event.zeta.late = p->plan.late;
    p->event.zeta.depth = z[0][lane];
    for (uint32_t i = 0; i < words; i++)
        p->event.zeta.before[i] = rows[i][lane];
    const lane_mask pass = p->real->zrop(k, z, rows, m, front);
    for (uint32_t i = 0; i < words; i++)
        p->event.zeta.after[i] = rows[i][lane];
    p->event.zeta.passed = pass != 0;
    if (!pass)
        p->event.zeta.failed = find_test(p, k, z, stored, m, front);
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

/* A kernel does not get the number of its target, so each target has a wrapper. */
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
static crop_fn *const note_colors[RASTER_TARGETS] = {note_color_0, note_color_1, note_color_2,
                                                     note_color_3, note_color_4, note_color_5,
                                                     note_color_6, note_color_7};

static void note_start(void *self, const struct warp *w, const struct warp_env *) {
    struct tile_probe *p = self;
    p->touched = p->ran = true;
    p->start = *w;
    p->event.lane = (uint32_t)__builtin_ctz((w->launched & ~w->dead) | 1u << 31);
}

static void note_end(void *self, const struct warp *w, const struct warp_env *) {
    struct tile_probe *p = self;
    p->end = *w;
}

/* ---- stores of the program ---- */

static void keep_bytes(struct tile_probe *p, struct gpu_memory *memory, uint64_t address,
                       uint32_t size) {
    uint8_t *const host = memory_at(memory, address, size);
    if (!host)
        return;
    if (!ARRAY_ROOM(p->stored, p->stored_capacity, p->stored_count + 1)) {
        p->lost = true;
        return;
    }
    struct kept_bytes *k = &p->stored[p->stored_count++];
    *k = (struct kept_bytes){.host = host, .size = size};
    memcpy(k->byte, host, size);
}

/* Keeps the bytes that the next instruction will write. No other thread writes these bytes, because
 * a single thread draws the tiles of a draw whose program writes memory. */
static void note_before(void *self, const struct warp *w, const struct warp_env *env,
                        const struct op *op, lane_mask m) {
    struct tile_probe *p = self;
    struct access list[ACCESSES];
    struct image_access image;
    const uint32_t count = access_list(w, env, op, m, list);
    for (uint32_t i = 0; i < count; i++) {
        const bool writes = list[i].file == FILE_GLOBAL && list[i].kind != ACCESS_READ;
        for (lane_mask rest = writes ? list[i].lanes : 0; rest; rest &= rest - 1)
            keep_bytes(p, env->memory, list[i].at[__builtin_ctz(rest)], list[i].size);
    }
    if (!access_image(w, env, op, m, &image) || image.kind == ACCESS_READ)
        return;
    for (lane_mask rest = image.lanes; rest; rest &= rest - 1)
        keep_bytes(p, env->memory, image.at[__builtin_ctz(rest)], image.size);
}

static bool writes_memory(const struct warp_env *fp) {
    return fp->memory && fp->program && fp->program->header.writes_memory;
}

static void put_bytes_back(struct tile_probe *p) {
    while (p->stored_count) {
        const struct kept_bytes *k = &p->stored[--p->stored_count];
        memcpy(k->host, k->byte, k->size);
    }
}

/* ---- trials ---- */

/* Returns the primitive of the trials. */
static struct prim *copy_prim(struct tile_probe *p) {
    return (struct prim *)p->copy;
}

static struct tile_surface *surface_of(struct raster_tile *t, uint32_t i) {
    return i == RASTER_TARGETS ? &t->zeta : &t->color[i];
}

static uint32_t watched_block(const struct raster_tile *t) {
    const struct raster_probe_pixel *w = t->probe->at;
    return (uint32_t)(w->y - t->y) / BLOCK_H * BLOCKS_X + (uint32_t)(w->x - t->x) / BLOCK_W;
}

static uint32_t watched_lane(const struct raster_tile *t) {
    const struct raster_probe_pixel *w = t->probe->at;
    const uint32_t x = (uint32_t)(w->x - t->x) % BLOCK_W, y = (uint32_t)(w->y - t->y) % BLOCK_H;
    return (x & 1) | (y & 1) << 1 | x / 2 << 2 | y / 2 << 4;
}

/* True if the surface holds texels of the tile. */
static bool is_open(const struct tile_surface *p) {
    return p->format != FORMAT_NONE && p->located;
}

static size_t block_bytes(const struct tile_surface *p) {
    return p->words * sizeof(u32x32);
}

static void keep_block(struct raster_tile *t, uint32_t block) {
    SIMD_CHOICE(load, block_load);
    struct kept_block *k = &t->probe->kept;
    k->bound_low = t->bound_low[block];
    k->bound_high = t->bound_high[block];
    memcpy(k->loose, t->loose, sizeof k->loose);
    for (uint32_t i = 0; i < PROBE_SURFACES; i++) {
        struct tile_surface *p = surface_of(t, i);
        if (!is_open(p))
            continue;
        if (!block_bit(p->valid, block))
            load[t->simd](p, block);
        block_set(p->valid, block);
        memcpy(k->dirty[i], p->dirty, sizeof p->dirty);
        memcpy(k->agree[i], p->agree, sizeof p->agree);
        for (uint32_t s = 0; s < p->samples; s++)
            memcpy(&k->row[i][s * MAX_WORDS], tile_rows(p, s, block), block_bytes(p));
    }
}

static void put_back(struct raster_tile *t, uint32_t block) {
    const struct kept_block *k = &t->probe->kept;
    t->bound_low[block] = k->bound_low;
    t->bound_high[block] = k->bound_high;
    memcpy(t->loose, k->loose, sizeof k->loose);
    for (uint32_t i = 0; i < PROBE_SURFACES; i++) {
        struct tile_surface *p = surface_of(t, i);
        if (!is_open(p))
            continue;
        memcpy(p->dirty, k->dirty[i], sizeof p->dirty);
        memcpy(p->agree, k->agree[i], sizeof p->agree);
        for (uint32_t s = 0; s < p->samples; s++)
            memcpy(tile_rows(p, s, block), &k->row[i][s * MAX_WORDS], block_bytes(p));
    }
}

/* Copies plan and state for a trial, and changes the copies: one pixel, one sample, wrapped
 * kernels. */
static void prepare_trial(struct tile_probe *p, const struct draw_plan *plan,
                          const struct warp_env *fp, const struct prim *prim) {
    const struct raster_probe_pixel *w = p->at;
    p->real = plan;
    p->plan = *plan;
    p->state = *plan->state;
    p->plan.state = &p->state;
    p->plan.uniform = p->plan.whole_tile = false;
    p->plan.rejects = false;
    p->plan.hides = HIDES_NEVER; /* the bounds hide no depth, so the tests run and fail */
    p->plan.before = plan->early ? EARLY_ZROP : EARLY_NOTHING;
    p->plan.zrop = note_zeta;
    /* The count of samples shows if the sample passed. */
    p->plan.counts = plan->shades ? COUNT_AFTER : COUNT_BEFORE;
    p->plan.output =
        plan->output == OUTPUT_ANY ? OUTPUT_ANY : OUTPUT_PLAIN; /* OUTPUT_STRAIGHT has no tests */
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        p->plan.crop_key[i].reads_target = true; /* each sample is encoded by itself */
        if (plan->crop[i])
            p->plan.crop[i] = note_colors[i];
    }
    p->fp = *fp;
    p->observer = (struct warp_observer){.self = p, .start = note_start, .end = note_end};
    if (writes_memory(fp))
        p->observer.before = note_before;
    p->fp.observer = &p->observer;
    memcpy(p->copy, prim, prim_bytes(plan->state));
    copy_prim(p)->base.bounds = (struct raster_box){(uint16_t)w->x, (uint16_t)w->y,
                                                    (uint16_t)(w->x + 1), (uint16_t)(w->y + 1)};
}

/* Reads the sample's texel of each target into the event. */
static void read_colors(struct raster_tile *t, uint32_t block, bool after) {
    struct raster_probe_event *e = &t->probe->event;
    const uint32_t lane = watched_lane(t), watched = t->probe->at->sample;
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        struct tile_surface *p = &t->color[i];
        uint32_t texel[MAX_WORDS] = {0};
        if (!is_open(p))
            continue;
        const uint32_t sample = block_bit(p->agree, block) ? 0 : watched;
        for (uint32_t w = 0; w < p->words; w++)
            texel[w] = tile_rows(p, sample, block)[w][lane];
        format_decode(p->format, texel, after ? e->color[i].after : e->color[i].before);
    }
}

/* Draws the copy, then restores the tile and the program's memory. The event gets the colours that
 * the draw stored. True if the sample passed. */
static bool try_sample(struct raster_tile *t, uint32_t block) {
    struct tile_probe *p = t->probe;
    const struct raster_prim *prim = &copy_prim(p)->base;
    struct raster_counters counters = {0};
    p->touched = p->ran = false;
    raster_tile_draw_all(t, &p->plan, &p->fp, &prim, 1, false, &counters);
    read_colors(t, block, true);
    put_back(t, block);
    put_bytes_back(p);
    t->oom |= p->lost;
    return counters.samples_passed != 0;
}

/* True if the sample is covered: the draw calls the zeta kernel, or, if zeta is off, the
 * program. */
static bool try_coverage(struct raster_tile *t, uint32_t block) {
    struct tile_probe *p = t->probe;
    const struct draw_plan plan = p->plan;
    if (plan.zeta_active) {
        p->plan.early = true;
        p->plan.late = false;
        p->plan.before = EARLY_ZROP;
        p->plan.zrop = note_touched;
    } else {
        p->plan.shades = plan.has_program;
        p->plan.color_count = 0;
    }
    const bool lived = try_sample(t, block);
    const bool touched = p->touched || lived;
    p->plan = plan;
    return touched;
}

static enum raster_verdict judge_trial(const struct tile_probe *p, bool lived) {
    const struct raster_probe_event *e = &p->event;
    const bool failed = e->zeta.tested && !e->zeta.passed;
    if (p->plan.early && failed)
        return e->zeta.failed;
    if (p->ran && p->end.error.code != MP_NONE)
        return RASTER_TRAPPED;
    if (p->ran && p->end.dead >> e->lane & 1)
        return RASTER_DISCARDED;
    if (!lived)
        return failed ? e->zeta.failed : RASTER_REMOVED;
    return RASTER_WRITTEN;
}

/* True if the alpha test removed the sample: a trial without that test passes. */
static bool alpha_failed(struct raster_tile *t, uint32_t block) {
    struct tile_probe *p = t->probe;
    const struct raster_probe_event event = p->event;
    if (!p->plan.alpha_test)
        return false;
    p->plan.alpha_test = false;
    const bool further = try_sample(t, block) || (p->plan.late && p->event.zeta.tested);
    p->plan.alpha_test = true;
    p->event = event;
    return further;
}

/* Finds the fate of the primitive. The tile is unchanged afterwards. */
static void find_verdict(struct raster_tile *t, const struct draw_plan *plan,
                         const struct warp_env *fp, const struct prim *prim, uint32_t block) {
    struct tile_probe *p = t->probe;
    prepare_trial(p, plan, fp, prim);
    p->event = (struct raster_probe_event){
        .prim = &prim->base, .state = plan->state, .front = prim->front, .fp = fp};
    p->plan.sample_mask = 1u << p->at->sample;
    copy_prim(p)->stippled = false;
    p->state.limits.rect_mode = 0;
    p->event.verdict = RASTER_NOT_COVERED;
    if (!try_coverage(t, block))
        return;
    p->state.limits.rect_mode = plan->state->limits.rect_mode;
    p->event.verdict = RASTER_WINDOWED;
    if (plan->state->limits.rect_mode && !try_coverage(t, block))
        return;
    copy_prim(p)->stippled = prim->stippled;
    p->event.verdict = RASTER_STIPPLED;
    if (prim->stippled && !try_coverage(t, block))
        return;
    p->plan.sample_mask = plan->sample_mask & 1u << p->at->sample;
    p->event.verdict = RASTER_SAMPLE_MASKED;
    if (!p->plan.sample_mask)
        return;
    const bool lived = try_sample(t, block), ran = p->ran;
    p->event.verdict = judge_trial(p, lived);
    if (ran) {
        p->event.start = &p->start;
        p->event.end = &p->end;
    }
    if (p->event.verdict == RASTER_REMOVED && alpha_failed(t, block))
        p->event.verdict = RASTER_ALPHA_FAILED;
}

static bool rect_contains(const struct raster_rect *r, const struct raster_probe_pixel *w) {
    return w->x >= r->x0 && w->x < r->x1 && w->y >= r->y0 && w->y < r->y1;
}

/* ---- the watched pixels ---- */

uint32_t raster_probe_row(const struct raster_probe *probe, int32_t y) {
    uint32_t low = 0, high = probe->pixels;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (probe->pixel[middle].y < y)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_inside(struct raster_tile *t, uint32_t i) {
    struct tile_probe *p = t->probe;
    if (ARRAY_ROOM(p->inside, p->inside_capacity, p->inside_count + 1u))
        p->inside[p->inside_count++] = i;
    else
        t->oom = true;
}

/* Finds the watched pixels that lie in the tile. */
static void locate_pixels(struct raster_tile *t) {
    struct tile_probe *p = t->probe;
    const struct raster_rect tile = {t->x, t->y, t->x + TILE_SIZE, t->y + TILE_SIZE};
    p->located = true;
    p->inside_count = 0;
    for (uint32_t i = raster_probe_row(p->watched, t->y); i < p->watched->pixels; i++) {
        const struct raster_probe_pixel *w = &p->watched->pixel[i];
        if (w->y >= tile.y1)
            break;
        if (rect_contains(&tile, w) && w->layer == t->layer && w->sample < t->samples)
            note_inside(t, i);
    }
}

bool probe_concerns(const struct raster_tile *t) {
    struct raster_tile *tile = (struct raster_tile *)(uintptr_t)t;
    if (!t->probe)
        return false;
    if (!t->probe->located)
        locate_pixels(tile);
    return t->probe->inside_count || t->probe->watched->tested;
}

/* ---- drawing ---- */

static bool is_watched(const struct tile_probe *p, const struct raster_prim *prim) {
    const struct raster_rect r = raster_prim_rect(prim);
    for (uint32_t i = 0; i < p->inside_count; i++)
        if (rect_contains(&r, &p->watched->pixel[p->inside[i]]))
            return true;
    return false;
}

/* Reports the watched pixels after the primitive was drawn. */
static void tell_drawn(struct raster_tile *t, const struct draw_plan *plan,
                       const struct raster_prim *prim) {
    struct tile_probe *p = t->probe;
    const struct raster_rect r = raster_prim_rect(prim);
    for (uint32_t i = 0; i < p->inside_count; i++) {
        const uint32_t pixel = p->inside[i];
        p->at = &p->watched->pixel[pixel];
        if (!rect_contains(&r, p->at))
            continue;
        p->event = (struct raster_probe_event){.prim = prim, .state = plan->state};
        keep_block(t, watched_block(t)); /* makes the block's rows valid */
        read_colors(t, watched_block(t), true);
        p->watched->drawn(p->watched->self, p->watched, pixel, &p->event);
    }
}

static void probe_prim(struct raster_tile *t, const struct draw_plan *plan,
                       const struct warp_env *fp, const struct raster_prim *prim,
                       struct raster_counters *counters) {
    struct tile_probe *p = t->probe;
    const struct raster_rect r = raster_prim_rect(prim);
    raster_tile_draw_all(t, plan, fp, NULL, 0, false, counters); /* locates the surfaces */
    for (uint32_t i = 0; i < p->inside_count; i++) {
        const uint32_t pixel = p->inside[i];
        p->at = &p->watched->pixel[pixel];
        if (!rect_contains(&r, p->at))
            continue;
        const uint32_t block = watched_block(t);
        keep_block(t, block);
        find_verdict(t, plan, fp, (const struct prim *)prim, block);
        read_colors(t, block, false);
        p->watched->event(p->watched->self, p->watched, pixel, &p->event);
    }
    raster_tile_draw_all(t, plan, fp, &prim, 1, false, counters);
    if (p->watched->drawn && writes_memory(fp))
        tell_drawn(t, plan, prim);
}

/* Reports the lanes that will be tested against zeta (of sample 0), without testing them. */
static void tell_tested(struct raster_tile *t, const struct draw_plan *plan,
                        const struct warp_env *fp, const struct raster_prim *const *prims,
                        uint32_t count) {
    struct tile_probe *p = t->probe;
    struct raster_counters counters = {0};
    if (!plan->zeta_active)
        return;
    p->tile = t;
    p->plan = *plan;
    p->plan.uniform = p->plan.whole_tile = p->plan.late = false;
    p->plan.rejects = false;
    p->plan.hides = HIDES_NEVER;
    p->plan.before = EARLY_ZROP;
    p->plan.early = true;
    p->plan.zrop = note_tested;
    for (uint32_t i = 0; i < count; i++)
        raster_tile_draw_all(t, &p->plan, fp, &prims[i], 1, false, &counters);
}

uint32_t probe_draw(struct raster_tile *t, const struct draw_plan *plan, const struct warp_env *fp,
                    const struct raster_prim *const *prims, uint32_t count,
                    struct raster_counters *counters) {
    if (t->probe->watched->tested)
        tell_tested(t, plan, fp, prims, count);
    for (uint32_t i = 0, end; i < count && counters->error.code == MP_NONE; i = end) {
        for (end = i; end < count && !is_watched(t->probe, prims[end]); end++) {
        }
        if (end > i) {
            const uint32_t taken =
                raster_tile_draw_all(t, plan, fp, prims + i, end - i, false, counters);
            if (counters->error.code != MP_NONE)
                return i + taken;
        } else {
            probe_prim(t, plan, fp, prims[end++], counters);
            if (counters->error.code != MP_NONE)
                return end;
        }
    }
    return count;
}

void probe_clear(struct raster_tile *t, const struct raster_clear *clear) {
    const struct tile_probe *p = t->probe;
    for (uint32_t i = 0; i < p->inside_count; i++)
        if (rect_contains(&clear->rect, &p->watched->pixel[p->inside[i]]))
            p->watched->clear(p->watched->self, p->watched, p->inside[i], clear, t->targets);
}

uint32_t raster_warp_prim_number(const struct warp *w, uint32_t quad) {
    const struct attribute_planes *set = w->planes[w->uniform_planes ? 0 : quad];
    const struct rebased_planes *rebased =
        (const struct rebased_planes *)((const char *)set - offsetof(struct rebased_planes, set));
    uint32_t number;
    /* the number follows the planes */
    memcpy(&number, rebased->prim->plane + set->count, sizeof number);
    return number;
}

void raster_tile_probe(struct raster_tile *t, const struct raster_probe *probe) {
    if (!probe) {
        if (t->probe) {
            free(t->probe->inside);
            free(t->probe->stored);
        }
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
    t->probe->simd = t->simd;
    t->probe->located = false;
}
