/* The tile that a thread works on: colour and zeta of 64x64 pixels in 8x4-block order, the jobs
 * that are being collected, and the plan of the current draw. The files of raster/ that work on
 * tiles share this header; set-up does not include it.
 *
 * Lane order in a block: lane & 3 = upper left, upper right, lower left, lower right of a 2x2 quad;
 * lane >> 2 = quad, row by row over the block's 4x2 quads. Blocks: row by row over 8x16 blocks.
 */
#pragma once

#include "raster/plan.h"
#include "raster/prim.h"
#include "raster/probe.h"

enum {
    BLOCKS_X = TILE_SIZE / BLOCK_W,
    BLOCKS_Y = TILE_SIZE / BLOCK_H,
    TILE_BLOCKS = BLOCKS_X * BLOCKS_Y,
    MAX_ROW_SPANS = 64, /* spans of memory, of at most 64 bytes each, in which a texel row lies */
    JOB_QUADS = 8,
};

/* The copy of one target's texels under the tile. Rows of `data` are 32-lane vectors of raw texel
 * words: row((sample * TILE_BLOCKS + block) * words + word). Depth and stencil are kept apart: word
 * 0 depth (an integer, or float bits for Z32F), word 1 stencil. */
struct tile_surface {
    struct surface surface;
    enum pixel_format format;       /* FORMAT_NONE: no target; no texels are kept */
    const struct format_info *info; /* of format */
    uint8_t bytes;                  /* bytes of a texel in memory */
    uint8_t words;                  /* rows per block and sample */
    uint8_t samples;
    uint8_t shift_x, shift_y; /* log2 of samples per pixel in x and y */
    bool located;             /* the offsets below are computed */
    bool loaded; /* a block has been loaded from memory, so its lines are in the cache */
    /* the tile's rectangle, in pixels from the surface's first texel */
    struct raster_rect tile;
    uint32_t width, height;      /* texels of the surface that may be touched */
    uint8_t whole_x, whole_y;    /* columns and rows of blocks, from the first, that lie inside */
    uint64_t valid[2], dirty[2]; /* bit per block: its rows hold texels; its texels have changed */
    /* Bit per block: the block is not valid, and a clear is noted for it. In every texel of the
     * block, the bits set in clear_bits have the values of clear_words; the other bits are in
     * memory. clear_words and clear_bits are the same for all blocks. */
    uint64_t cleared[2];
    uint32_t clear_words[MAX_WORDS], clear_bits[MAX_WORDS];
    bool clears_all; /* clear_bits are all bits */
    /* colour, bit per block: all samples are alike, and only sample 0 has rows */
    uint64_t agree[2];
    uint32_t span_bytes;            /* bytes of a span: a block's texel row, or 64 bytes of it */
    uint64_t column[MAX_ROW_SPANS]; /* byte offset of each span of a texel row */
    uint64_t row[TILE_SIZE * 2];    /* byte offset of each texel row */
    u32x32 *data;
    size_t capacity; /* rows allocated in data */
};

/* Bounds of depth words, compared as signed integers. Depths in float formats have the same order
 * as their bits, because they are not negative. */
struct zeta_bound {
    int32_t low, high;
};

/* A primitive's depth plane in the tile (depth.h), in depth words' scale. */
struct tile_depth {
    double z, dx, dy; /* at the centre of the tile's first pixel, gradient */
    double low, high; /* the range that depths are limited to */
    bool clamped;     /* some depth may lie outside that range, so depths are limited */
    bool at_samples;  /* each sample has a depth of its own; else that of the pixel's centre */
};

/* A primitive's attribute planes relative to the tile's corner. */
struct rebased_planes {
    const struct prim *prim;
    uint32_t bit;            /* bit of this slot in masks of slots */
    struct tile_depth depth; /* valid with plan.keeps_depth */
    struct attribute_planes set;
    struct attribute_plane plane[RASTER_WORDS] __attribute__((aligned(16)));
};
enum { REBASED_SLOTS = 16 }; /* at most eight for a job, one for the current primitive */

/* Up to eight quads that run as one warp. */
struct job {
    uint32_t count;
    bool whole;     /* all quads are from one block, whose rows are used in place */
    bool front;     /* facing of all quads; valid with a two-sided late stencil test */
    uint32_t block; /* valid if whole */
    /* For each quad. Places after the last quad repeat the first. If the pending job grows beyond
     * eight quads, the further ones stand after the first eight while the warp runs. */
    uint16_t place[2 * JOB_QUADS] __attribute__((aligned(16))); /* block * JOB_QUADS + quad */
    struct rebased_planes *rebased[2 * JOB_QUADS];
    lane_mask cover[MAX_SAMPLES];
    f32x32 smooth; /* the covered part of each pixel, 0 to 1; valid if plan.smooth */
};

struct raster_tile {
    enum simd_level simd;
    struct profile *profile; /* NULL: not measured */
    const struct raster_targets *targets;
    uint32_t layer;
    int32_t x, y; /* the tile's corner, pixels of the picture */
    uint8_t samples;
    struct tile_surface color[RASTER_TARGETS];
    struct tile_surface zeta;
    /* All depth words of a block, in all samples, are in [bound_low, bound_high]. */
    int32_t bound_low[TILE_BLOCKS] __attribute__((aligned(64)));
    int32_t bound_high[TILE_BLOCKS] __attribute__((aligned(64)));
    uint64_t loose[2];            /* a bit per block: its bounds may be wider than its depths */
    const struct draw_plan *plan; /* of the running raster_tile_draw; NULL before the first */
    const struct warp_env *fp;    /* the fragment program's environment */
    struct job whole;             /* a job for the current block */
    struct job pending;           /* quads that wait for a full warp */
    uint64_t pending_blocks[2];   /* bit per block: lanes of the block wait in `pending` */
    lane_mask pending_lanes[TILE_BLOCKS]; /* covered lanes of the block in `pending` */
    /* bit per block: its rows are ready for quads, in the running raster_tile_draw() */
    uint64_t open[2];
    const struct prim *prim;        /* the current primitive */
    struct rebased_planes *rebased; /* of prim; NULL until a pixel of prim is shaded */
    struct rebased_planes rebased_slot[REBASED_SLOTS];
    uint32_t rebased_pending;         /* bit per slot that `pending` refers to */
    uint32_t rebased_todo;            /* bit per slot whose planes must still be computed */
    struct raster_counters *counters; /* of the running raster_tile_draw() */
    u32x32 *local;                    /* l[] rows of the fragment program */
    size_t local_capacity;            /* rows */
    bool oom;
    bool ran; /* plan.uniform: the program has run; $r and uniform_stats are valid */
    struct warp_stats uniform_stats;           /* statistics of one run with 32 lanes */
    u32x32 encoded[RASTER_TARGETS][MAX_WORDS]; /* the colours of a uniform program as texels */
    uint32_t encoded_targets;                  /* bit per target: `encoded` is valid */
    struct tile_probe *probe;                  /* probe.c; NULL: no pixel is watched */
    /* Samples of each pixel that the running job covers, a bit each. Valid if
     * plan.tells_samples. */
    u32x32 covered;
    struct warp warp;
};

LANES_INLINE bool block_bit(const uint64_t bits[2], uint32_t block) {
    return bits[block >> 6] >> (block & 63) & 1;
}

LANES_INLINE void block_set(uint64_t bits[2], uint32_t block) {
    bits[block >> 6] |= UINT64_C(1) << (block & 63);
}

LANES_INLINE void block_clear(uint64_t bits[2], uint32_t block) {
    bits[block >> 6] &= ~(UINT64_C(1) << (block & 63));
}

/* Returns the lanes whose depth or stencil may have changed. m: the lanes that were tested; pass:
 * the lanes that passed. */
LANES_INLINE lane_mask zeta_changed(const struct draw_plan *plan, lane_mask m, lane_mask pass) {
    return !plan->zeta_writes ? 0 : plan->zkey.state.stencil_test ? m : pass;
}

LANES_INLINE u32x32 *tile_rows(const struct tile_surface *p, uint32_t sample, uint32_t block) {
    return p->data + (sample * TILE_BLOCKS + block) * p->words;
}

/* Returns the lanes of a block with x in [x0, x1) and y in [y0, y1), in pixels from the block's
 * corner. The coordinates may be any integers. */
LANES_INLINE lane_mask block_rect(int x0, int y0, int x1, int y1) {
    static const lane_mask column[9] = {0,          0x00050005, 0x000f000f, 0x005f005f, 0x00ff00ff,
                                        0x05ff05ff, 0x0fff0fff, 0x5fff5fff, 0xffffffff};
    static const lane_mask row[5] = {0, 0x00003333, 0x0000ffff, 0x3333ffff, 0xffffffff};
    x0 = x0 < 0 ? 0 : x0 > 8 ? 8 : x0;
    x1 = x1 < 0 ? 0 : x1 > 8 ? 8 : x1;
    y0 = y0 < 0 ? 0 : y0 > 4 ? 4 : y0;
    y1 = y1 < 0 ? 0 : y1 > 4 ? 4 : y1;
    return column[x1] & ~column[x0] & row[y1] & ~row[y0];
}

/* Returns bits of the quads that have a lane in m. */
LANES_INLINE uint32_t quads_of(lane_mask m) {
    m |= m >> 1;
    m = (m | m >> 2) & 0x11111111;
#if defined(__BMI2__)
    return _pext_u32(m, 0x11111111);
#else
    m = (m | m >> 3) & 0x03030303;
    m = (m | m >> 6) & 0x000f000f;
    return (m | m >> 12) & 0xff;
#endif
}

/* Returns all four lanes of each quad in q. */
LANES_INLINE lane_mask lanes_of_quads(uint32_t q) {
#if defined(__BMI2__)
    return _pdep_u32(q, 0x11111111) * 15;
#else
    lane_mask m = (q | q << 12) & 0x000f000f;
    m = (m | m << 6) & 0x03030303;
    m = (m | m << 3) & 0x11111111;
    return m * 15;
#endif
}

/* tile.c: raster_tile_draw() without watched pixels. */
uint32_t raster_tile_draw_all(struct raster_tile *t, const struct draw_plan *plan,
                              const struct warp_env *fp, const struct raster_prim *const *prims,
                              uint32_t count, bool more, struct raster_counters *counters);
/* probe.c: true if a watched pixel lies in this tile, or if the watch asks for tested lanes. */
bool probe_concerns(const struct raster_tile *t);
/* These functions draw, or report a clear, and report the watched pixels of the tile. */
uint32_t probe_draw(struct raster_tile *t, const struct draw_plan *plan, const struct warp_env *fp,
                    const struct raster_prim *const *prims, uint32_t count,
                    struct raster_counters *counters);
void probe_clear(struct raster_tile *t, const struct raster_clear *clear);

/* cover_simd.c: draws primitives in order (with plan.any_order: the nearest first), up to the
 * primitive at which the program fails. Returns the number of primitives taken. */
SIMD_DECLARE(uint32_t, cover_prims,
             (struct raster_tile * t, const struct raster_prim *const *prims, uint32_t count));
/* pack_simd.c: a primitive covers blocks [0, w) x [0, h) of the tile. Only if plan.whole_tile: then
 * no result depends on the primitive, and t->prim is not read. */
SIMD_DECLARE(void, pack_blocks, (struct raster_tile * t, uint32_t w, uint32_t h));
/* Takes the job in t->whole; `any` are the lanes of which a sample is covered. If all quads are
 * touched, runs the job. Otherwise adds the touched quads to t->pending, and runs t->pending when
 * that job is full. */
SIMD_DECLARE(void, pack_block, (struct raster_tile * t, lane_mask any));
/* Pairs of a primitive and a block with the covered lanes, of a draw with one sample, in order. */
struct pack_list {
    const struct prim *const *prim; /* indexed by number */
    uint32_t front;                 /* bit per number: the primitive faces front */
    const uint8_t *number, *block;
    const lane_mask *cover;
    uint32_t count;
    bool more; /* the first pair has the primitive of the previous list's last pair */
};
SIMD_DECLARE(void, pack_pairs, (struct raster_tile * t, const struct pack_list *list));
SIMD_DECLARE(void, pack_flush, (struct raster_tile * t));
/* zrop_simd.c */
SIMD_DECLARE(zrop_fn *, zrop_select, (const struct zrop_key *k));
/* crop_simd.c */
SIMD_DECLARE(crop_fn *, crop_select, (const struct crop_key *k));
/* store_simd.c: loads a block from memory, all samples; stores all dirty blocks */
SIMD_DECLARE(void, block_load, (struct tile_surface * p, uint32_t block));
SIMD_DECLARE(void, tile_surface_store, (struct tile_surface * p));
