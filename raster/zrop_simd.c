/* The zeta ROP: depth bounds, stencil and depth test of one block of 32 pixels, and the updates
 * they cause. In: depth words of the fragments, the tile's depth and stencil rows, the lanes alive.
 * Out: the lanes that pass. Order and operations: OpenGL 3.3, 4.1.4 and 4.1.5; depth bounds come
 * first (EXT_depth_bounds_test). Knows no formats beyond "integer or float".
 */
#include "raster/compare.h"
#include "raster/tile.h"

LANES_INLINE lane_mask depth_compare(uint32_t func, bool is_float, u32x32 a, u32x32 b) {
    return lanes_to_mask(is_float ? compare_float(func, (f32x32)a, (f32x32)b)
                                  : compare_int(func, (i32x32)a, (i32x32)b));
}

/* Depth test alone; everything but the data is a constant. */
LANES_INLINE lane_mask depth_only(const u32x32 *z, u32x32 *rows, lane_mask m, uint32_t func,
                                  bool is_float, bool write) {
    const lane_mask pass = depth_compare(func, is_float, z[0], rows[0]) & m;
    if (write)
        lanes_store(&rows[0], z[0], pass);
    return pass;
}

#define DEPTH_KERNEL(name, func, is_float, write)                                                  \
    static lane_mask name(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,    \
                          bool front) {                                                            \
        (void)k, (void)front;                                                                      \
        return depth_only(z, rows, m, func, is_float, write);                                      \
    }
#define DEPTH_KERNELS(name, func)                                                                  \
    DEPTH_KERNEL(name##_test, func, false, false)                                                  \
    DEPTH_KERNEL(name##_write, func, false, true)                                                  \
    DEPTH_KERNEL(name##_test_float, func, true, false)                                             \
    DEPTH_KERNEL(name##_write_float, func, true, true)
#define DEPTH_ROW(name)                                                                            \
    {                                                                                              \
        {name##_test, name##_write}, {                                                             \
            name##_test_float, name##_write_float                                                  \
        }                                                                                          \
    }

DEPTH_KERNELS(never, FUNC_NEVER)
DEPTH_KERNELS(less, FUNC_LESS)
DEPTH_KERNELS(equal, FUNC_EQUAL)
DEPTH_KERNELS(lequal, FUNC_LEQUAL)
DEPTH_KERNELS(greater, FUNC_GREATER)
DEPTH_KERNELS(notequal, FUNC_NOTEQUAL)
DEPTH_KERNELS(gequal, FUNC_GEQUAL)
DEPTH_KERNELS(always, FUNC_ALWAYS)

LANES_INLINE u32x32 stencil_op(uint16_t op, u32x32 s, uint8_t ref) {
    switch (op) {
    case STENCIL_ZERO:
        return lanes_splat(0);
    case STENCIL_REPLACE:
        return lanes_splat(ref);
    case STENCIL_INCR:
        return s - (u32x32)((i32x32)s < 255); /* true is -1 */
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

static void stencil_update(const struct stencil_face *f, uint16_t op, u32x32 *row, lane_mask m) {
    if (!m || op == STENCIL_KEEP)
        return;
    const u32x32 old = *row, result = stencil_op(op, old, f->ref);
    lanes_store(row, (result & f->write_mask) | (old & (uint32_t)(uint8_t)~f->write_mask), m);
}

/* Everything: bounds, stencil, depth. */
static lane_mask full_test(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                           bool front) {
    const struct zeta_state *s = &k->state;
    if (s->bounds_test) {
        m &= depth_compare(FUNC_GEQUAL, k->is_float, rows[0], lanes_splat(k->bounds_word[0]));
        m &= depth_compare(FUNC_LEQUAL, k->is_float, rows[0], lanes_splat(k->bounds_word[1]));
    }
    const struct stencil_face *f = &s->face[s->two_sided && !front];
    const bool stencil = s->stencil_test && k->has_stencil;
    if (stencil) {
        const u32x32 ref = lanes_splat(f->ref & f->func_mask), stored = rows[1] & f->func_mask;
        const lane_mask pass = lanes_to_mask(compare_int(f->func, (i32x32)ref, (i32x32)stored)) & m;
        stencil_update(f, f->fail, &rows[1], m & ~pass);
        m = pass;
    }
    lane_mask pass = m;
    if (s->depth_test)
        pass &= depth_compare(s->depth_func, k->is_float, z[0], rows[0]);
    if (stencil) {
        stencil_update(f, f->zfail, &rows[1], m & ~pass);
        stencil_update(f, f->zpass, &rows[1], pass);
    }
    if (s->depth_test && s->depth_write)
        lanes_store(&rows[0], z[0], pass);
    return pass;
}

zrop_fn *SIMD_FN(zrop_select)(const struct zrop_key *k) {
    static zrop_fn *const depth[8][2][2] = {
        DEPTH_ROW(never),   DEPTH_ROW(less),     DEPTH_ROW(equal),  DEPTH_ROW(lequal),
        DEPTH_ROW(greater), DEPTH_ROW(notequal), DEPTH_ROW(gequal), DEPTH_ROW(always)};
    const struct zeta_state *s = &k->state;
    if ((s->stencil_test && k->has_stencil) || s->bounds_test || !s->depth_test)
        return full_test;
    return depth[s->depth_func & 7][k->is_float][s->depth_write];
}
