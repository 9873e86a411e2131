/* The transform to window space, compiled for each SIMD level (vertex_simd.c): vertex.c calls it.
 */
#pragma once

#include "pipeline/front/front_private.h"

SIMD_DECLARE(void, project_set,
             (const struct draw *d, const struct vertex_rows *rows, uint32_t set));
SIMD_DECLARE(void, clamp_rows, (u32x32 * to, const u32x32 *from));
