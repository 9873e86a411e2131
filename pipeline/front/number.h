/* Numbers for vertices whose indices lie close together, for every SIMD level. */
#ifndef PIPELINE_NUMBER_H
#define PIPELINE_NUMBER_H

#include "pipeline/front/front.h"

/* The lowest and the highest of n > 0 indices. */
SIMD_DECLARE(void, index_range, (const uint32_t *index, uint32_t n, uint32_t *low, uint32_t *high));
/* Adds the vertices that n indices in [low, low + range) name to the `count` that vertex[] has, each once, in
 * the order of their indices; number[i]: which of vertex[] index[i] is. vertex[] has VERTEX_SLACK more than
 * are added, range is NUMBER_RANGE at most. How many vertices there are then. */
enum { NUMBER_RANGE = 2 * CHUNK_VERTICES };
SIMD_DECLARE(uint32_t, number_dense,
             (const uint32_t *index, uint32_t n, uint32_t low, uint32_t range, uint32_t *vertex,
              uint32_t count, uint32_t *number));

#endif
