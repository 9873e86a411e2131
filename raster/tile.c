/* A tile from its beginning through draws and clears to its end. In: targets, clears, and the
 * primitives of one draw at a time in API order. Out: changed pixels in the targets' memory. Blocks
 * are loaded when first needed and written back only if changed. The kernels of a SIMD level are
 * chosen here. In both layouts, linear and tiled, a texel's offset in a surface is the sum of its
 * row's offset and its column's offset; these offsets are computed once per tile. A surface's
 * description may be wrong, so loads and stores check each access against surface.size.
 */
#include "raster/tile.h"

#include "base/host_nan.h"
#include "shader/local.h"

#include <stdlib.h>
#include <string.h>

/* ---- where texels lie ---- */

/* The heights of a tiled surface's tiles are multiples of this number of rows. */
enum { TILED_ROWS = 4 };
static const uint64_t LARGEST_SURFACE = UINT64_C(1) << 60; /* bytes */

static uint32_t min32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static bool reserve_rows(struct tile_surface *p) {
    const size_t rows = (size_t)p->samples * TILE_BLOCKS * p->words;
    if (rows <= p->capacity)
        return true;
    free(p->data);
    p->data = aligned_alloc(_Alignof(u32x32), rows * sizeof(u32x32));
    p->capacity = p->data ? rows : 0;
    return p->data != NULL;
}

/* Returns the number of texels along one axis that both the target and the surface have. */
static uint32_t limit_texels(uint32_t target, uint32_t shift, uint32_t surface) {
    return min32(min32(target, 1u << 20) << shift, surface);
}

/* Computes the byte offsets of the spans of a row, and of the rows. */
static void locate_texels(struct tile_surface *p, uint32_t x, uint32_t y, uint32_t layer) {
    const struct surface *s = &p->surface;
    const uint32_t block_bytes = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes;
    p->span_bytes = min32(block_bytes, SURFACE_LINE);
    const struct surface_row first = surface_row(s, 0, layer);
    for (uint32_t i = 0; i < BLOCKS_X * block_bytes / p->span_bytes; i++)
        p->column[i] = surface_row_offset(&first, x * p->bytes + i * p->span_bytes) - first.first;
    /* in a tile of the surface, neighbouring rows are SURFACE_LINE bytes apart */
    const uint32_t last = s->linear ? UINT32_MAX : ((uint32_t)TILED_ROWS << s->tile_h) - 1;
    const uint64_t step = s->linear ? s->pitch : SURFACE_LINE;
    uint64_t row = 0;
    for (uint32_t i = 0; i < (uint32_t)TILE_SIZE << p->shift_y; i++) {
        row = i && (y + i) & last ? row + step : surface_row(s, y + i, layer).first;
        p->row[i] = row;
    }
}

/* Counts the columns and rows of blocks that lie inside the surface, from the tile's corner on.
 * Accesses to the texels of these blocks need no check. */
static void find_whole(struct tile_surface *p, uint32_t x, uint32_t y) {
    const uint32_t columns = BLOCK_W << p->shift_x, rows = BLOCK_H << p->shift_y;
    const uint32_t nx = x < p->width ? min32((p->width - x) / columns, BLOCKS_X) : 0;
    const uint32_t ny = y < p->height ? min32((p->height - y) / rows, BLOCKS_Y) : 0;
    p->whole_x = p->whole_y = 0;
    if (!nx || !ny)
        return;
    /* Offsets grow from the first offset by less than 2^60 in all, so no sum wraps around. */
    const uint64_t size = p->surface.size, row = p->row[ny * rows - 1];
    const uint64_t column = p->column[nx * columns * p->bytes / p->span_bytes - 1];
    if (size > LARGEST_SURFACE || p->row[0] > size || row > size || column > size - row ||
        size - row - column < p->span_bytes)
        return;
    p->whole_x = (uint8_t)nx;
    p->whole_y = (uint8_t)ny;
}

/* Finds where a target's texels lie. False if the target is not bound, or when out of memory. */
static bool locate_surface(struct raster_tile *t, struct tile_surface *p) {
    if (p->located)
        return p->format != FORMAT_NONE;
    p->located = true;
    if (p->format != FORMAT_NONE && !reserve_rows(p)) {
        t->oom = true;
        p->format = FORMAT_NONE;
    }
    if (p->format == FORMAT_NONE)
        return false;
    const struct surface *s = &p->surface;
    const struct raster_targets *targets = t->targets;
    const int32_t left = t->x - (int32_t)targets->origin_x, top = t->y - (int32_t)targets->origin_y;
    p->tile = (struct raster_rect){left, top, left + TILE_SIZE, top + TILE_SIZE};
    const bool layered = t->layer < (s->depth ? s->depth : 1);
    p->width = layered ? limit_texels(targets->width - targets->origin_x, p->shift_x, s->width) : 0;
    p->height =
        layered ? limit_texels(targets->height - targets->origin_y, p->shift_y, s->height) : 0;
    const uint32_t x = (uint32_t)left << p->shift_x, y = (uint32_t)top << p->shift_y;
    locate_texels(p, x, y, t->layer);
    find_whole(p, x, y);
    return true;
}

/* ---- the tile ---- */

SIMD_CHOICE(cover_prims, cover_prims);
SIMD_CHOICE(pack_flush, pack_flush);
SIMD_CHOICE(block_load, block_load);
SIMD_CHOICE(tile_surface_store, tile_surface_store);

struct raster_tile *raster_tile_create(enum simd_level simd) {
    struct raster_tile *t = aligned_alloc(_Alignof(struct raster_tile), sizeof(*t));
    if (!t)
        return NULL;
    memset(t, 0, sizeof(*t));
    t->simd = simd;
    t->whole.whole = true;
    t->whole.count = JOB_QUADS;
    for (uint32_t i = 0; i < REBASED_SLOTS; i++)
        t->rebased_slot[i].bit = 1u << i;
    return t;
}

void raster_tile_free(struct raster_tile *t) {
    if (!t)
        return;
    for (int i = 0; i < RASTER_TARGETS; i++)
        free(t->color[i].data);
    free(t->zeta.data);
    local_free(t->local, t->local_capacity);
    raster_tile_probe(t, NULL);
    warp_free(&t->warp);
    free(t);
}

void raster_tile_set_profile(struct raster_tile *t, struct profile *profile) {
    t->profile = t->warp.profile = profile;
}

static void begin_surface(struct tile_surface *p, const struct surface *s, bool zeta,
                          uint32_t samples) {
    const struct format_info *f = format_info(s->format);
    uint32_t shift_x, shift_y;
    surface_sample_shift(samples, &shift_x, &shift_y);
    p->surface = *s;
    p->format = renderable_format(s, zeta);
    p->info = f;
    p->bytes = f->bytes;
    p->words = (uint8_t)(zeta ? 1 + (f->bits[1] != 0) : (f->bytes + 3) / 4);
    p->samples = (uint8_t)samples;
    p->shift_x = (uint8_t)shift_x;
    p->shift_y = (uint8_t)shift_y;
    p->located = p->loaded = false;
    p->valid[0] = p->valid[1] = p->dirty[0] = p->dirty[1] = 0;
    p->agree[0] = p->agree[1] = p->cleared[0] = p->cleared[1] = 0;
}

void raster_tile_begin(struct raster_tile *t, const struct raster_targets *targets, uint32_t layer,
                       int32_t x, int32_t y) {
    const uint32_t samples = targets_samples(targets);
    t->targets = targets;
    t->samples = (uint8_t)samples;
    t->layer = layer;
    t->x = t->warp.origin[0] = x;
    t->y = t->warp.origin[1] = y;
    t->plan = NULL;
    for (uint32_t i = 0; i < TILE_BLOCKS; i++)
        t->bound_low[i] = INT32_MIN, t->bound_high[i] = INT32_MAX;
    t->loose[0] = t->loose[1] = UINT64_MAX;
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        if (i < targets->color_count)
            begin_surface(&t->color[i], &targets->color[i], false, samples);
        else
            t->color[i].format = FORMAT_NONE;
    }
    begin_surface(&t->zeta, &targets->zeta, true, samples);
}

/* Provides l[] for the draw's program. False when out of memory. */
static bool provide_local(struct raster_tile *t, uint32_t bytes) {
    const size_t rows = (bytes + 3) / 4;
    if (rows > t->local_capacity) {
        local_free(t->local, t->local_capacity);
        t->local = local_alloc(rows);
        memset(t->warp.local_dirty, 0, sizeof t->warp.local_dirty);
        t->local_capacity = t->local ? rows : 0;
        if (!t->local) {
            t->oom = true;
            return false;
        }
    }
    t->warp.local = t->local;
    t->warp.local_size = bytes;
    return true;
}

bool raster_tile_take_oom(struct raster_tile *t) {
    const bool oom = t->oom;
    t->oom = false;
    return oom;
}

/* Locates the surfaces that the plan writes or tests. False when out of memory. */
static bool open_tile_surfaces(struct raster_tile *t, const struct draw_plan *plan) {
    bool open = !plan->zeta_active || locate_surface(t, &t->zeta);
    for (uint32_t i = 0; i < plan->color_count; i++)
        open = (!plan->crop[i] || locate_surface(t, &t->color[i])) && open;
    return open;
}

uint32_t raster_tile_draw_all(struct raster_tile *t, const struct draw_plan *plan,
                              const struct warp_env *fp, const struct raster_prim *const *prims,
                              uint32_t count, bool more, struct raster_counters *counters) {
    t->counters = counters;
    t->ran &= t->plan == plan && t->fp == fp;
    t->plan = plan;
    t->fp = fp;
    t->warp.few_results = plan->result_regs <= FEW_RESULTS && !fp->observer;
    t->open[0] = t->open[1] = 0;
    if (!open_tile_surfaces(t, plan) ||
        (plan->has_program && !provide_local(t, plan->state->local_size)))
        return count;
    const bool in_fp = plan->denormals_alike;
    const unsigned saved = in_fp ? warp_enter_fp(fp) : 0;
    if (plan->shades)
        warp_keep(&t->warp, fp, in_fp);
    const uint32_t taken = cover_prims[t->simd](t, prims, count);
    if (!more || counters->error.code != MP_NONE)
        pack_flush[t->simd](t);
    if (in_fp)
        warp_leave_fp(saved);
    warp_stats_add(&counters->warp, &t->warp.stats);
    t->warp.stats = (struct warp_stats){0};
    return taken;
}

uint32_t raster_tile_draw(struct raster_tile *t, const struct draw_plan *plan,
                          const struct warp_env *fp, const struct raster_prim *const *prims,
                          uint32_t count, bool more, struct raster_counters *counters) {
    return (probe_concerns(t) ? probe_draw(t, plan, fp, prims, count, counters)
                              : raster_tile_draw_all(t, plan, fp, prims, count, more, counters));
}

/* Updates the bounds of a block after depths are cleared to z. all: all depths of the block are
 * cleared, not only some. */
static void fill_bound(struct raster_tile *t, uint32_t block, int32_t z, bool all) {
    int32_t *low = &t->bound_low[block], *high = &t->bound_high[block];
    *low = all || z < *low ? z : *low;
    *high = all || z > *high ? z : *high;
    if (all)
        block_clear(t->loose, block);
    else
        block_set(t->loose, block);
}

/* Marks blocks as cleared; their rows are written later. Valid blocks may be marked only if the
 * clear replaces all bits. */
static void clear_blocks(struct raster_tile *t, struct tile_surface *p, const uint64_t *blocks) {
    const int32_t z = (int32_t)p->clear_words[0];
    for (uint32_t half = 0; half < 2; half++) {
        p->valid[half] &= ~blocks[half];
        p->agree[half] &= ~blocks[half];
        p->cleared[half] |= blocks[half];
        p->dirty[half] |= blocks[half];
        if (p != &t->zeta || !p->clear_bits[0])
            continue;
        t->loose[half] &= ~blocks[half];
        for (uint64_t rest = blocks[half]; rest; rest &= rest - 1) {
            const uint32_t block = half * 64 + (uint32_t)__builtin_ctzll(rest);
            t->bound_low[block] = t->bound_high[block] = z;
        }
    }
}

/* Writes words[] under the bits of bits[] in the lanes of m. */
static void fill_lanes(struct raster_tile *t, struct tile_surface *p, uint32_t block, lane_mask m,
                       const uint32_t *words, const uint32_t *bits) {
    if (p == &t->zeta && bits[0])
        fill_bound(t, block, (int32_t)words[0], m == LANES_ALL);
    if (!block_bit(p->valid, block))
        block_load[t->simd](p, block);
    block_set(p->valid, block);
    block_set(p->dirty, block);
    for (uint32_t i = 0; i < (block_bit(p->agree, block) ? 1 : p->samples); i++) {
        u32x32 *rows = tile_rows(p, i, block);
        for (uint32_t w = 0; w < p->words; w++)
            lanes_store(&rows[w], lanes_splat(words[w] & bits[w]) | (rows[w] & ~bits[w]), m);
    }
}

/* True if a clear to these words and bits may be noted by a bit of p->cleared. False if blocks are
 * already marked as cleared with other words, and the new clear keeps some bits. */
static bool may_note_clear(const struct tile_surface *p, const uint32_t *words,
                           const uint32_t *bits, bool all_bits) {
    const size_t bytes = p->words * sizeof(words[0]);
    return all_bits || !(p->cleared[0] | p->cleared[1]) ||
           (!memcmp(p->clear_words, words, bytes) && !memcmp(p->clear_bits, bits, bytes));
}

/* Sets the words and bits that a bit of p->cleared stands for. Blocks marked with other words get
 * their rows first, unless the whole tile is going to be cleared. */
static void set_clear_words(struct raster_tile *t, struct tile_surface *p, const uint32_t *words,
                            const uint32_t *bits, bool all_bits, bool all_blocks) {
    const size_t bytes = p->words * sizeof(words[0]);
    if (p->clears_all == all_bits && memcmp(p->clear_words, words, bytes) == 0 &&
        memcmp(p->clear_bits, bits, bytes) == 0)
        return;
    for (uint32_t block = 0; block < TILE_BLOCKS && !all_blocks; block++) {
        if (!block_bit(p->cleared, block))
            continue;
        block_load[t->simd](p, block);
        block_set(p->valid, block);
    }
    memcpy(p->clear_words, words, bytes);
    memcpy(p->clear_bits, bits, bytes);
    p->clears_all = all_bits;
}

/* Sets the bits of the blocks of columns [x0, x1) and rows [y0, y1). */
static void rect_blocks(int32_t x0, int32_t y0, int32_t x1, int32_t y1, uint64_t *blocks) {
    const uint64_t columns = x0 < x1 ? (1u << x1) - (1u << x0) : 0;
    blocks[0] = blocks[1] = 0;
    for (int32_t y = y0; y < y1; y++)
        blocks[y / 8] |= columns << y % 8 * BLOCKS_X;
}

static int32_t within_tile(int32_t at) {
    return at < 0 ? 0 : at < TILE_SIZE ? at : TILE_SIZE;
}

/* Finds the blocks that lie entirely in the rectangle, and the blocks that lie partly in it. The
 * part of a block beyond the surface does not count, because its texels are never stored. */
static void cut_blocks(const struct raster_tile *t, const struct tile_surface *p,
                       const struct raster_rect *rect, uint64_t *whole, uint64_t *part) {
    const int32_t x0 = within_tile(rect->x0 - t->x), y0 = within_tile(rect->y0 - t->y);
    const int32_t x1 = within_tile(rect->x1 - t->x), y1 = within_tile(rect->y1 - t->y);
    const int32_t columns = (x1 + BLOCK_W - 1) / BLOCK_W, rows = (y1 + BLOCK_H - 1) / BLOCK_H;
    const bool right = x1 >= (int32_t)(p->width >> p->shift_x) - p->tile.x0;
    const bool bottom = y1 >= (int32_t)(p->height >> p->shift_y) - p->tile.y0;
    rect_blocks((x0 + BLOCK_W - 1) / BLOCK_W, (y0 + BLOCK_H - 1) / BLOCK_H,
                right ? columns : x1 / BLOCK_W, bottom ? rows : y1 / BLOCK_H, whole);
    rect_blocks(x0 / BLOCK_W, y0 / BLOCK_H, columns, rows, part);
    for (uint32_t half = 0; half < 2; half++)
        part[half] &= ~whole[half];
}

/* Writes words[] under the bits of bits[] in all pixels of `rect`. */
static void fill_rect(struct raster_tile *t, struct tile_surface *p, const struct raster_rect *rect,
                      const uint32_t *words, const uint32_t *bits) {
    uint64_t whole[2], part[2];
    bool all_bits = true;
    for (uint32_t w = 0; w < p->words; w++)
        all_bits &= bits[w] == UINT32_MAX;
    const bool notes = may_note_clear(p, words, bits, all_bits);
    cut_blocks(t, p, rect, whole, part);
    if (notes)
        set_clear_words(t, p, words, bits, all_bits, all_bits && !~(whole[0] & whole[1]));
    for (uint32_t half = 0; half < 2; half++) {
        const uint64_t noted = notes ? whole[half] & (all_bits ? UINT64_MAX : ~p->valid[half]) : 0;
        part[half] |= whole[half] & ~noted;
        whole[half] = noted;
    }
    clear_blocks(t, p, whole);
    for (uint32_t half = 0; half < 2; half++)
        for (uint64_t rest = part[half]; rest; rest &= rest - 1) {
            const uint32_t block = half * 64 + (uint32_t)__builtin_ctzll(rest);
            const int32_t x = t->x + (int32_t)(block % BLOCKS_X) * BLOCK_W;
            const int32_t y = t->y + (int32_t)(block / BLOCKS_X) * BLOCK_H;
            const lane_mask m = block_rect(rect->x0 - x, rect->y0 - y, rect->x1 - x, rect->y1 - y);
            if (m)
                fill_lanes(t, p, block, m, words, bits);
        }
}

static void clear_color(struct raster_tile *t, const struct raster_clear *clear) {
    struct tile_surface *p = &t->color[clear->target];
    if (!locate_surface(t, p))
        return;
    uint32_t words[MAX_WORDS] = {0}, bits[MAX_WORDS], all[MAX_WORDS];
    format_encode(p->format, clear->color, words);
    crop_write_bits(p->format, clear->color_mask, bits);
    crop_write_bits(p->format, 15, all);
    if (memcmp(bits, all, sizeof(all)) == 0) /* unused bits of the texel are cleared, too */
        memset(bits, 0xff, sizeof(bits));
    fill_rect(t, p, &clear->rect, words, bits);
}

static void clear_zeta(struct raster_tile *t, const struct raster_clear *clear) {
    struct tile_surface *p = &t->zeta;
    if (!locate_surface(t, p))
        return;
    const struct format_info *f = format_info(p->format);
    const float v = number_or(clear->depth_value, 0);
    const float low = v > 0 ? v : 0, depth = low < 1 ? low : 1;
    uint32_t words[2] = {0, clear->stencil_value};
    if (f->type == COMPONENT_FLOAT)
        memcpy(&words[0], &depth, 4);
    else
        words[0] = (uint32_t)(depth * (double)((UINT64_C(1) << f->bits[0]) - 1) + 0.5);
    const bool whole_stencil = clear->stencil && clear->stencil_mask == 0xff;
    const uint32_t bits[2] = {clear->depth ? UINT32_MAX : 0, whole_stencil    ? UINT32_MAX
                                                             : clear->stencil ? clear->stencil_mask
                                                                              : 0};
    if (bits[0] || (p->words > 1 && bits[1]))
        fill_rect(t, p, &clear->rect, words, bits);
}

void raster_tile_clear(struct raster_tile *t, const struct raster_clear *clear) {
    if (clear->layer != t->layer)
        return;
    const enum stage was = profile_enter(t->profile, STAGE_CLEAR);
    if (probe_concerns(t))
        probe_clear(t, clear);
    if (clear->color_mask && clear->target < RASTER_TARGETS)
        clear_color(t, clear);
    if (clear->depth || clear->stencil)
        clear_zeta(t, clear);
    profile_leave(t->profile, was);
}

static void end_surface(struct raster_tile *t, struct tile_surface *p) {
    if (p->format != FORMAT_NONE && p->located)
        tile_surface_store[t->simd](p);
}

void raster_tile_end(struct raster_tile *t) {
    const enum stage was = profile_enter(t->profile, STAGE_STORE);
    for (uint32_t i = 0; i < t->targets->color_count && i < RASTER_TARGETS; i++)
        end_surface(t, &t->color[i]);
    end_surface(t, &t->zeta);
    profile_leave(t->profile, was);
}
