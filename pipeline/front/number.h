/* Numbers for vertices whose indices lie close together, for every SIMD level. */
#ifndef PIPELINE_NUMBER_H
#define PIPELINE_NUMBER_H

#include "pipeline/front/front_private.h"

/* The lowest and the highest of n > 0 indices. */
SIMD_DECLARE(void, index_range, (const uint32_t *index, uint32_t n, uint32_t *low, uint32_t *high));
/* Adds each vertex that n indices in [low, low + range) name once to the `count` vertices of
 * vertex[], in the order of their indices; number[i] is the place of index[i] in vertex[]. vertex[]
 * has room for VERTEX_SLACK more than are added, and range is at most NUMBER_RANGE. Returns the
 * number of vertices. */
enum { NUMBER_RANGE = 2 * CHUNK_VERTICES };
SIMD_DECLARE(uint32_t, number_dense,
             (const uint32_t *index, uint32_t n, uint32_t low, uint32_t range, uint32_t *vertex,
              uint32_t count, uint32_t *number));

#endif
