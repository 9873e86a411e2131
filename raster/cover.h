/* What coverage (cover_simd.c) and early zeta (early.h) share while one primitive is at work on one
 * tile. Inlined into files that are built once per SIMD level.
 */
#ifndef RASTER_COVER_H
#define RASTER_COVER_H

#include "raster/depth.h"

enum { FEW_BLOCKS = 4 };

typedef int32_t i32x16 __attribute__((vector_size(64), aligned(64)));

union block_halves {
    i32x32 v;
    i32x16 half[2];
};

/* An edge that cuts the tile. */
struct tile_edge {
    int32_t a, b;
    int64_t center;               /* value at the centre of the tile's first pixel */
    int64_t margin;               /* how far a point's value may be from the pixel centre's */
    int32_t point[SMOOTH_POINTS]; /* what each point of a pixel adds to the centre's value */
    i32x16 lane; /* value of a block's lanes 0 to 15 over lane 0's; the others: + 2 * b */
};

struct cover {
    struct raster_tile *t;
    const struct prim *p;
    struct raster_rect rect;   /* bounds, from the tile's corner, inside the tile */
    struct raster_rect blocks; /* the blocks they touch, columns and rows */
    uint32_t edge_count;
    uint32_t samples; /* of coverage: 1 unless multisampling */
    uint32_t points;  /* of a pixel that edges are tested at: samples, or more for smooth ones */
    const uint8_t (*position)[2]; /* of the points */
    int32_t unit;                 /* of the positions, in 1/256 pixel */
    bool masked;                  /* window rectangles or the stipple apply */
    bool z_ready;                 /* z_lane is computed */
    struct tile_depth depth;
    double z_middle, z_around; /* of a block's depths: from its corner's, and how far from there */
    int32_t at[PRIM_EDGES];    /* the edges' values at the corner of the block at hand, clamped */
    f64x32 z_lane;
    uint32_t few; /* of a primitive that touches few blocks: those to be looked at */
    uint32_t few_block[FEW_BLOCKS];
    struct zeta_bound few_bound[FEW_BLOCKS]; /* where its depths lie there; valid with zeta */
    struct tile_edge edge[PRIM_EDGES];
};

static const i32x16 half_x = {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7};
static const i32x16 half_y = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};

#include "raster/early.inc"

#endif
