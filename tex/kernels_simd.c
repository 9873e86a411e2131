/* Finds the kernel for a key: the first row of kernel_rows.h that fits. Built once per SIMD level.
 */
#include "tex/kernels.h"
#include "tex/kernel_rows.h"

/* Samples a call that differs from the key of its binding: through a copy of the binding that has
 * the key of the call. */
void SIMD_FN(kernel_unusual)(const struct tex_binding *binding, const struct tex_call *call,
                             u32x32 *reg, lane_mask m) {
    struct tex_bound other = *(const struct tex_bound *)binding;
    other.key = tex_key_of_call((const struct tex_bound *)binding, call);
    SIMD_FN(back_find)(&other.key, &other.back);
    SIMD_FN(kernel_general)(&other.binding, call, reg, m);
}

tex_kernel *SIMD_FN(kernel_find)(const struct tex_key *key, bool moved) {
    static const struct {
        const struct tex_key *key;
        tex_kernel *fn;
    } table[] = {
#define X(name, ...) {&key_##name, SIMD_FN(kernel_##name)},
        KERNEL_ROWS(X)
#undef X
    };
    size_t i = 0;
    while (!key_fits(table[i].key, key) || (moved && !table[i].key->offsets))
        i++;
    return table[i].fn; /* the last row fits every key */
}
