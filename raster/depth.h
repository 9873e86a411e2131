/* Depths of a primitive in a tile: its depth plane based at the tile, in the scale of depth words,
 * and the depth words of a block's lanes. In: primitives after set-up, a draw's plan. The other
 * computations of a fragment's depth (prims16.inc, zeta_pairs.inc, finish.inc) round in the same
 * way, so early and late zeta test the same depth.
 */
#pragma once

#include "raster/tile.h"

#include <string.h>

/* Evaluations of one depth in double precision differ by less than this part of the largest value
 * involved: each has a few roundings of 2^-53. */
#define DEPTH_SLACK 0x1p-45

static const i32x32 lane_x = LANES_X, lane_y = LANES_Y;

LANES_INLINE double magnitude_f(double v) {
    return v < 0 ? -v : v;
}

LANES_INLINE struct tile_depth find_depth(const struct raster_tile *t, const struct prim *p) {
    const struct draw_plan *plan = t->plan;
    const double scale = plan->z_scale, half = plan->z_half;
    struct tile_depth d = {.dx = p->zdx * scale, .dy = p->zdy * scale};
    d.z =
        (p->z + p->zdx * (t->x - p->origin_x) + p->zdy * (t->y - p->base.origin_y)) * scale + half;
    d.low = plan->z_range[p->viewport].low;
    d.high = plan->z_range[p->viewport].high;
    const double ax = magnitude_f(d.dx), ay = magnitude_f(d.dy);
    const double middle = d.z + (TILE_SIZE - 1) / 2.0 * (d.dx + d.dy);
    const double around = (TILE_SIZE + 1) / 2.0 * (ax + ay) +
                          DEPTH_SLACK * (magnitude_f(d.z) + TILE_SIZE * (ax + ay));
    d.clamped = !(middle - around >= d.low && middle + around <= d.high);
    d.at_samples = p->multisample && plan->samples > 1;
    return d;
}

/* The depth of a block's first pixel at a sample, or at the centre. */
LANES_INLINE double block_depth(const struct draw_plan *plan, const struct tile_depth *d,
                                uint32_t block, uint32_t sample) {
    double x = block % BLOCKS_X * BLOCK_W, y = block / BLOCKS_X * BLOCK_H;
    if (d->at_samples) {
        x += (sample_position[plan->sample_shift][sample][0] - 8) / 16.0;
        y += (sample_position[plan->sample_shift][sample][1] - 8) / 16.0;
    }
    return d->z + d->dx * x + d->dy * y;
}

LANES_INLINE f64x32 select_f64(i64x32 cond, f64x32 a, f64x32 b) {
    return (f64x32)(((i64x32)a & cond) | ((i64x32)b & ~cond));
}

/* This function avoids ?:, because gcc 12 takes two conversions of one vector to be the same. */
LANES_INLINE i32x32 depth_words32(f64x32 z, bool is_float) {
    if (is_float)
        return (i32x32) __builtin_convertvector(z, f32x32);
    return __builtin_convertvector(z, i32x32);
}

LANES_INLINE f64x32 limit_depths(f64x32 z, f64x32 low, f64x32 high) {
    z = select_f64((i64x32)(z > low), z, low); /* a NaN becomes the lowest depth */
    return select_f64((i64x32)(z < high), z, high);
}

/* The depths of a block's lanes, relative to the depth of its first pixel. */
LANES_INLINE f64x32 depth_lanes(const struct tile_depth *d) {
    return __builtin_convertvector(lane_x, f64x32) * d->dx +
           __builtin_convertvector(lane_y, f64x32) * d->dy;
}

/* Depth words of a block at one sample. */
LANES_INLINE u32x32 block_depths(const struct draw_plan *plan, const struct tile_depth *d,
                                 const f64x32 *lanes, uint32_t block, uint32_t sample) {
    f64x32 z = *lanes + block_depth(plan, d, block, sample);
    if (d->clamped)
        z = limit_depths(z, d->low - (f64x32){0}, d->high - (f64x32){0});
    return (u32x32)depth_words32(z, plan->zkey.is_float);
}
