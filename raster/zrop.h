/* The tests of 32 fragments by depth bounds, stencil and depth, and the updates that they cause.
 * Order and operations: OpenGL 3.3, 4.1.4 and 4.1.5; depth bounds come first
 * (EXT_depth_bounds_test). In: depth words, stored rows, the live lanes. Out: the lanes that pass.
 * Inlined into early zeta (zeta_pairs.inc) and into the kernels of zrop_simd.c.
 */
#pragma once

#include "raster/compare.h"
#include "raster/plan.h"

LANES_INLINE lane_mask depth_compare(uint32_t func, bool is_float, u32x32 a, u32x32 b) {
    return lanes_to_mask(is_float ? compare_float(func, (f32x32)a, (f32x32)b)
                                  : compare_int(func, (i32x32)a, (i32x32)b));
}

LANES_INLINE u32x32 stencil_op(uint16_t op, u32x32 s, uint8_t ref) {
    switch (op) {
    case STENCIL_ZERO:
        return lanes_splat(0);
    case STENCIL_REPLACE:
        return lanes_splat(ref);
    case STENCIL_INCR:
        return s - (u32x32)((i32x32)s < 255); /* a true comparison is -1 */
    case STENCIL_DECR:
        return s + (u32x32)((i32x32)s > 0);
    case STENCIL_INVERT:
        return ~s & 0xff;
    case STENCIL_INCR_WRAP:
        return (s + 1) & 0xff;
    case STENCIL_DECR_WRAP:
        return (s - 1) & 0xff;
    default:
        return s;
    }
}

/* Returns the stencil values: in the lanes of m those of `old` after the operation, in other lanes
 * those of `now`. */
LANES_INLINE u32x32 stencil_update(const struct stencil_face *f, uint16_t op, u32x32 old,
                                   u32x32 now, lane_mask m) {
    if (op == STENCIL_KEEP)
        return now;
    const u32x32 result = stencil_op(op, old, f->ref);
    return lanes_select(m, (result & f->write_mask) | (old & (uint32_t)(uint8_t)~f->write_mask),
                        now);
}

/* Runs bounds, stencil and depth test, and updates depth and stencil. Returns the lanes that pass.
 * rows[1], the stencil, is used only if the target has stencil and the test is on. */
LANES_INLINE lane_mask zeta_test(const struct zrop_key *k, u32x32 z, u32x32 *rows, lane_mask m,
                                 bool front, bool is_float) {
    const struct zeta_state *s = &k->state;
    const struct stencil_face *f = &s->face[s->two_sided && !front];
    const bool stencil = s->stencil_test && k->has_stencil;
    const u32x32 stored = rows[0];
    lane_mask fails = 0;
    if (s->bounds_test) {
        m &= depth_compare(FUNC_GEQUAL, is_float, stored, lanes_splat(k->bounds_word[0]));
        m &= depth_compare(FUNC_LEQUAL, is_float, stored, lanes_splat(k->bounds_word[1]));
    }
    if (stencil) {
        const i32x32 ref = (i32x32)lanes_splat(f->ref & f->func_mask);
        const lane_mask pass =
            lanes_to_mask(compare_int(f->func, ref, (i32x32)(rows[1] & f->func_mask)));
        fails = m & ~pass;
        m &= pass;
    }
    lane_mask pass = m;
    if (s->depth_test)
        pass &= depth_compare(s->depth_func, is_float, z, stored);
    if (stencil) {
        const u32x32 old = rows[1];
        u32x32 now = stencil_update(f, f->fail, old, old, fails);
        now = stencil_update(f, f->zfail, old, now, m & ~pass);
        rows[1] = stencil_update(f, f->zpass, old, now, pass);
    }
    if (s->depth_test && s->depth_write)
        rows[0] = lanes_select(pass, z, stored);
    return pass;
}
