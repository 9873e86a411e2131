/* One v[] word of a quad or of a warp: its plane, and its value at the pixels. In: plane sets; out: rows.
 * For exec_special.c and the stencils; must not know who asks.
 */
#ifndef SHADER_VARYING_H
#define SHADER_VARYING_H

#include "shader/alu/f32.h"
#include "shader/warp.h"

enum { V_FACING = 0x3fc, LANES_PER_QUAD = 4 };

/* The plane of v[] word `word` for one quad, or NULL where v[] has none: it reads 0. */
LANES_INLINE const struct plane *plane_of(const struct plane_set *set, uint32_t word) {
    return set && word < set->count ? &set->plane[word] : NULL;
}

/* (base + dx * x) + dy * y: the same bits however the planes are spread over quads. */
LANES_INLINE u32x32 eval_uniform(const struct plane *p, const f32x32 *x, const f32x32 *y) {
    return (u32x32)(p->base + p->dx * *x + p->dy * *y);
}

#endif
