/* The zeta ROP's kernels: the tests of one block of 32 pixels (zrop.h), chosen by key. Late zeta
 * and watched pixels use the kernels. In: the fragments' depth words, the tile's depth and stencil
 * rows, the live lanes. Out: the lanes that pass. Of the format, the kernels know only if depths
 * are integers or floats.
 */
#include "raster/tile.h"
#include "raster/zrop.h"

/* The depth test alone. All arguments but the data are constants. */
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

/* All tests that the key turns on. */
static lane_mask full_test(const struct zrop_key *k, const u32x32 *z, u32x32 *rows, lane_mask m,
                           bool front) {
    return k->is_float ? zeta_test(k, *z, rows, m, front, true)
                       : zeta_test(k, *z, rows, m, front, false);
}

zrop_fn *SIMD_FN(zrop_select)(const struct zrop_key *k) {
    static zrop_fn *const depth[COMPARE_FUNCS][2][2] = {
        DEPTH_ROW(never),   DEPTH_ROW(less),     DEPTH_ROW(equal),  DEPTH_ROW(lequal),
        DEPTH_ROW(greater), DEPTH_ROW(notequal), DEPTH_ROW(gequal), DEPTH_ROW(always)};
    const struct zeta_state *s = &k->state;
    if ((s->stencil_test && k->has_stencil) || s->bounds_test || !s->depth_test)
        return full_test;
    return depth[s->depth_func][k->is_float][s->depth_write];
}
