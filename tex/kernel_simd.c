/* The kernel of one row of kernel_rows.h, TEX_ROW: makes footprints in levels from the coordinates
 * of a call, and writes results to registers (tex/sampler.inc). The fields that the row names are
 * constants, the others are read from the binding. Compiled once per row and SIMD level; all levels
 * give the same bits.
 */
#include "tex/kernel_rows.h"
#include "tex/kernels.h"
#include "tex/warp.inc"

/* True if a call does not fit the binding's key: it takes faces as layers, or compares without a
 * reference. */
static bool is_unusual(struct key k, const struct tex_call *call) {
    return (KEY(k, cube) && !call->cube) ||
           (KEY(k, sum) == TEX_SUM_COMPARE &&
            !request_has_reference(KEY(k, axes), KEY(k, cube), KEY(k, array), call));
}

/* True if a call has offsets and this kernel's front has none: b->moved then executes the call. */
static bool is_moved(const struct tex_call *call) {
    return !KEY_OF(TEX_ROW).offsets && (call->offset[0] | call->offset[1] | call->offset[2]);
}

/* The kernel of a frequent key has a back of its own with the constants of the row. Compilers
 * inline these functions into the kernel, and drop the functions that no footprint of the kernel
 * needs. Footprints across the edge of a cube's face are few, so the function for them is
 * called. */
#define OWN(how, name, texels, all_levels)                                                         \
    how void name(const struct footprint *f, struct sums *out) {                                   \
        texels((struct key){.rest = f->key, .each = (all_levels)}, f, out);                        \
    }
#define RARELY static __attribute__((noinline, unused))
OWN(LANES_INLINE, nearest, texels_nearest, false)
OWN(LANES_INLINE, nearest_two, texels_nearest_two, false)
OWN(LANES_INLINE, linear, texels_linear, false)
OWN(RARELY, across, texels_across, false)

#define BACK_NO {0}
#define BACK_NEAREST {.nearest = nearest, .nearest_two = nearest_two}
#define BACK_LINEAR {.linear = linear}
#define BACK_CUBE {.linear = linear, .across = across}
#if VEC_LANES == 16
OWN(LANES_INLINE, linear_each, texels_linear, true)
OWN(RARELY, across_each, texels_across, true)
#define BACK_EACH {.linear = linear, .linear_each = linear_each}
#define BACK_CUBE_EACH                                                                             \
    {.linear = linear, .across = across, .linear_each = linear_each, .across_each = across_each}
#else
#define BACK_EACH BACK_LINEAR
#define BACK_CUBE_EACH BACK_CUBE
#endif
#define X(name, own, ...)                                                                          \
    static const struct tex_back back_##name __attribute__((unused)) = BACK_##own;
KERNEL_ROWS(X)
#undef X
#define BACK_OF_(name) back_##name
#define BACK_OF(name) BACK_OF_(name)
#define KERNEL_OF_(name) SIMD_FN(kernel_##name)
#define KERNEL_OF(name) KERNEL_OF_(name)

void KERNEL_OF(TEX_ROW)(const struct tex_binding *binding, const struct tex_call *call, u32x32 *reg,
                        lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    struct key k = {.rest = &b->key};
    if (is_moved(call)) {
        b->moved(binding, call, reg, m);
        return;
    }
    if (is_unusual(k, call)) {
        SIMD_FN(kernel_unusual)(binding, call, reg, m);
        return;
    }
    k.inside = true;
    if (sample_flat(k, b, call, reg, m))
        return;
    k.inside = false;
    sample_warp(k, KEY_FIXED(k, fetch) ? &BACK_OF(TEX_ROW) : &b->back, binding, call, reg, m);
}
