/* The instances of the sampler (tex/sampler.h), as a table. In: a key. Out: the function that samples
 * with such keys. Each instance has a part of the key as constants and takes the rest from the
 * binding; adding one is adding a row. Built once per SIMD level; all levels give the same bits.
 */
#include "tex/kernels.h"
#include "tex/sampler.h"

/* What most textures are. */
#define KEY_USUAL                                                                                  \
    .seamless = false, .normalized = true, .border = false, .linear = false, .whole = true,          \
    .aniso = false, .offsets = false
#define KEY_FLAT KEY_USUAL, .axes = 2, .cube = false, .layers = false, .array = false
#define KEY_LINEAR .mag_linear = true, .min_linear = true
#define KEY_NEAREST .mag_linear = false, .min_linear = false
#define KEY_BYTES .fetch = TEX_FETCH_4, .sum = TEX_SUM_BYTES
#define KEY_WRAP(w) .wrap = {w, w, KEY_ANY}

/* X(name, what is constant): the first that fits is taken. */
#define INSTANCES(X)                                                                               \
    X(bytes_linear_repeat, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = false)     \
    X(bytes_linear_repeat_lod, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = true)  \
    X(bytes_linear_edge, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE))                       \
    X(bytes_linear, KEY_BYTES, .axes = 2, .cube = false, .seamless = false, .whole = true,           \
      .aniso = false, .offsets = false, KEY_LINEAR)                                                  \
    X(bytes_nearest, KEY_BYTES, KEY_FLAT, KEY_NEAREST)                                               \
    X(bytes_cube, KEY_BYTES, .axes = 2, .cube = true, .layers = true, KEY_LINEAR, .linear = false,   \
      .border = false, .whole = true, .normalized = true, .offsets = false, .wrap = {WRAP_EDGE, WRAP_EDGE, KEY_ANY})       \
    X(shadow, .sum = TEX_SUM_COMPARE, KEY_FLAT, KEY_LINEAR, .fetch = TEX_FETCH_4)                    \
    X(words_linear, .fetch = TEX_FETCH_4, .sum = TEX_SUM_FLOATS, KEY_FLAT, KEY_LINEAR)               \
    X(pairs_linear, .fetch = TEX_FETCH_8, .sum = TEX_SUM_FLOATS, KEY_FLAT, KEY_LINEAR)               \
    X(blocks_linear, .fetch = TEX_FETCH_BLOCK, .sum = TEX_SUM_FLOATS, KEY_FLAT, KEY_LINEAR)          \
    X(flat_nearest, KEY_FLAT, KEY_NEAREST)                                                           \
    X(volume_words, .fetch = TEX_FETCH_4, .sum = TEX_SUM_FLOATS, KEY_USUAL, .axes = 3,               \
      .cube = false, .layers = false, KEY_LINEAR)                                                    \
    X(any_1d, .axes = 1, .cube = false, .seamless = false, .offsets = false)                                           \
    X(any_2d, .axes = 2, .cube = false, .seamless = false, .offsets = false)                                           \
    X(any_3d, .axes = 3, .cube = false, .seamless = false, .layers = false, .offsets = false)                          \
    X(any_cube, .axes = 2, .cube = true, .layers = true, .border = false, .linear = false, .offsets = false)

#define FIELDS(X)                                                                                  \
    X(fetch) X(sum) X(axes) X(wrap[0]) X(wrap[1]) X(wrap[2]) X(mip) X(mag_linear) X(min_linear)      \
    X(cube) X(layers) X(array) X(seamless) X(normalized) X(border) X(linear) X(whole) X(aniso) X(offsets)     \
    X(lod)

/* Calls that the key does not speak of: texel offsets, faces as layers, comparison without a
 * reference. */
LANES_INLINE bool is_unusual(const struct tex_bound *b, const struct tex_call *call) {
    const struct tex_key *k = &b->key;
    return (call->offset[0] | call->offset[1] | call->offset[2]) || (k->cube && !call->cube) ||
           (k->sum == TEX_SUM_COMPARE && !request_has_reference(k->axes, k->cube, k->array, call));
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define INSTANCE(name, ...)                                                                        \
    static const struct tex_key key_##name = {KEY_ALL_ANY, __VA_ARGS__};                                \
    static void kernel_##name(const struct tex_binding *binding, const struct tex_call *call,        \
                              u32x32 *reg, lane_mask m) {                                            \
        const struct tex_bound *b = (const struct tex_bound *)binding;                               \
        if (is_unusual(b, call)) {                                                                   \
            b->general(binding, call, reg, m);                                                       \
            return;                                                                                  \
        }                                                                                            \
        sample_warp((struct key){&key_##name, &b->key}, binding, call, reg, m);                      \
    }
INSTANCES(INSTANCE)
#undef INSTANCE
#pragma clang diagnostic pop

/* The instance for everything: nothing is constant. */
void SIMD_FN(kernel_general)(const struct tex_binding *binding, const struct tex_call *call,
                             u32x32 *reg, lane_mask m) {
    const struct tex_key k = tex_key_of_call((const struct tex_bound *)binding, call);
    sample_warp((struct key){&key_any, &k}, binding, call, reg, m);
}

tex_kernel *SIMD_FN(kernel_find)(const struct tex_key *key) {
    static const struct {
        const struct tex_key *key;
        tex_kernel *fn;
    } table[] = {
#define ROW(name, ...) {&key_##name, kernel_##name},
        INSTANCES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool fits = true;
#define FITS(field) fits &= table[i].key->field == KEY_ANY || table[i].key->field == key->field;
        FIELDS(FITS)
#undef FITS
        if (fits)
            return table[i].fn;
    }
    return SIMD_FN(kernel_general);
}
