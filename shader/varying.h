/* One v[] word of a quad or of a warp: its plane, and its value at the pixels. In: plane sets. Out:
 * rows. For exec_special.c and the stencils.
 */
#pragma once

#include "shader/alu/f32.h"
#include "shader/warp.h"

enum { V_FACING = 0x3fc, LANES_PER_QUAD = 4 };

/* The plane of v[] word `word` in a quad's set. NULL if the set lacks the word: then the word
 * reads 0. */
LANES_INLINE const struct attribute_plane *plane_of(const struct attribute_planes *set,
                                                    uint32_t word) {
    return set && word < set->count ? &set->plane[word] : NULL;
}

/* (base + dx * x) + dy * y, in this order: the bits do not depend on how planes are distributed
 * over quads. */
LANES_INLINE u32x32 eval_uniform(const struct attribute_plane *p, const f32x32 *x,
                                 const f32x32 *y) {
    const f32x32 along_x = f32_product(lanes_splat_f(p->dx), *x);
    const f32x32 along_y = f32_product(lanes_splat_f(p->dy), *y);
    return (u32x32)f32_sum(f32_sum(lanes_splat_f(p->base), along_x), along_y);
}
