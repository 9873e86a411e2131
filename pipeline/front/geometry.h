/* Gathers vertices for geometry and tessellation programs, compiled for each SIMD level
 * (geometry_simd.c). */
#pragma once

#include "pipeline/front/front_private.h"

/* Gathers result slots 0 to slots - 1 of one vertex a lane. at[LANES]: the vertex' first word in
 * the rows. Lanes outside the mask get 0; their at[] must be valid, too. */
SIMD_DECLARE(void, gather_corners,
             (const struct vertex_rows *rows, const uint32_t *at, uint32_t slots, lane_mask lanes,
              u32x32 *out));

static inline lane_mask first_lanes(uint32_t n) {
    return n == LANES ? LANES_ALL : (1u << n) - 1;
}
