/* Numbers for vertices whose indices lie close together, compiled for each SIMD level
 * (number_simd.c). */
#pragma once

#include "pipeline/front/front_private.h"

/* The lowest and the highest of n > 0 indices. */
SIMD_DECLARE(void, index_range, (const uint32_t *index, uint32_t n, uint32_t *low, uint32_t *high));
/* n indices in [low, low + range) name vertices. Adds each vertex once to the `count` vertices of
 * vertex[], in the order of the indices' values, and sets number[i] to the place of index[i] in
 * vertex[]. vertex[] needs room for VERTEX_SLACK more than are added; range is at most
 * NUMBER_RANGE. Returns the new number of vertices. */
enum { NUMBER_RANGE = 2 * CHUNK_VERTICES };
SIMD_DECLARE(uint32_t, number_dense,
             (const uint32_t *index, uint32_t n, uint32_t low, uint32_t range, uint32_t *vertex,
              uint32_t count, uint32_t *number));
