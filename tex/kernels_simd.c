/* The fronts of kernels, as a table: a call's coordinates to footprints in levels, and results back to
 * registers (tex/sampler.h). In: a key. Out: the function that samples with such keys. Each has a part
 * of the key as constants and takes the rest from the binding; adding one is adding a row. The most
 * frequent keys have kernels in one piece, others call the back that the binding names. Built once per
 * SIMD level; all levels give the same bits.
 */
#include "tex/kernels.h"
#include "tex/sampler.h"

/* What most textures are. */
#define KEY_USUAL                                                                                  \
    .cube = false, .seamless = false, .normalized = true, .border = false, .linear = false,        \
    .whole = true, .aniso = false, .offsets = false
#define KEY_FLAT KEY_USUAL, .axes = 2
#define KEY_LINEAR .mag_linear = true, .min_linear = true
#define KEY_NEAREST .mag_linear = false, .min_linear = false
#define KEY_BYTES .fetch = TEX_FETCH_4, .sum = TEX_SUM_BYTES
#define KEY_FLOATS(bytes, kind)                                                                    \
    .fetch = TEX_FETCH_##bytes, .sum = TEX_SUM_FLOATS, .decode = TEX_DECODE_##kind
#define KEY_WRAP(w) .wrap = {w, w, KEY_ANY}
#define KEY_VOLUME(w) KEY_USUAL, .axes = 3, .layers = false, KEY_LINEAR, .wrap = {w, w, w}
/* Pictures drawn as they are: one level, no layers, held at the edge. */
#define KEY_EDGE                                                                                   \
    KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = false, .layers = false, .array = false

/* X(name, what is constant): the first that fits is taken. */
#define INSTANCES(X)                                                                               \
    X(bytes_repeat, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = false,          \
      .layers = false, .array = false)                                                             \
    X(bytes_repeat_lod, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = true)       \
    X(bytes_edge, KEY_BYTES, KEY_EDGE)                                                             \
    X(red_edge, KEY_FLOATS(1, UNORM), KEY_EDGE)                                                    \
    X(red_edge_lod, KEY_FLOATS(1, UNORM), KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = true,  \
      .layers = false, .array = false)                                                             \
    X(half_4_edge, KEY_FLOATS(8, HALF), KEY_EDGE)                                                  \
    X(depth_edge, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE, .decode = TEX_DECODE_UNORM24,      \
      KEY_EDGE)                                                                                    \
    X(bytes, KEY_BYTES, KEY_LINEAR, .axes = 2, .cube = false, .seamless = false, .whole = true,    \
      .aniso = false, .offsets = false)                                                            \
    X(bytes_nearest, KEY_BYTES, KEY_FLAT, KEY_NEAREST, .border = KEY_ANY)                          \
    X(nearest_4, .fetch = TEX_FETCH_4, KEY_FLAT, KEY_NEAREST)                                      \
    X(repeat, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT))                                         \
    X(edge, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE))                                             \
    X(nearest, KEY_FLAT, KEY_NEAREST)                                                              \
    X(flat, .axes = 2, .cube = false, .seamless = false)                                           \
    X(line, .axes = 1, .cube = false, .seamless = false, .aniso = false)                           \
    X(volume_bytes_repeat, KEY_FLOATS(4, BYTES), KEY_VOLUME(WRAP_REPEAT))                          \
    X(volume_bytes_edge, KEY_FLOATS(4, BYTES), KEY_VOLUME(WRAP_EDGE))                              \
    X(volume_repeat, KEY_VOLUME(WRAP_REPEAT))                                                      \
    X(volume_edge, KEY_VOLUME(WRAP_EDGE))                                                          \
    X(volume, .axes = 3, .cube = false, .seamless = false, .layers = false)                        \
    X(cube_bytes, KEY_BYTES, KEY_LINEAR, .axes = 2, .cube = true, .layers = true,                  \
      .border = false, .linear = false, .normalized = true, .whole = true, .aniso = false,         \
      .offsets = false, .wrap = {WRAP_EDGE, WRAP_EDGE, WRAP_EDGE})                                 \
    X(cube_depth, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE, .decode = TEX_DECODE_UNORM24,      \
      KEY_LINEAR, .axes = 2, .cube = true, .layers = true, .border = false, .linear = false,       \
      .normalized = true, .whole = true, .aniso = false, .offsets = false, .lod = false,           \
      .wrap = {WRAP_EDGE, WRAP_EDGE, WRAP_EDGE})                                                   \
    X(cube, .axes = 2, .cube = true, .layers = true, .border = false, .linear = false,             \
      .normalized = true)

/* Calls that are not as the binding's key says: faces as layers, comparison without a reference. */
LANES_INLINE bool is_unusual(struct key k, const struct tex_call *call) {
    return (KEY(k, cube) && !call->cube) ||
           (KEY(k, sum) == TEX_SUM_COMPARE &&
            !request_has_reference(KEY(k, axes), KEY(k, cube), KEY(k, array), call));
}

/* Calls that a front whose key has no offsets leaves to the general one. */
LANES_INLINE bool is_moved(const struct tex_key *fixed, const struct tex_call *call) {
    return !fixed->offsets && (call->offset[0] | call->offset[1] | call->offset[2]);
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define INSTANCE(name, ...)                                                                        \
    static const struct tex_key key_##name = {KEY_ALL_ANY, __VA_ARGS__};                           \
    static void kernel_##name(const struct tex_binding *binding, const struct tex_call *call,      \
                              u32x32 *reg, lane_mask m) {                                          \
        const struct tex_bound *b = (const struct tex_bound *)binding;                             \
        const struct key k = {&key_##name, &b->key, false, 0};                                 \
        if (is_moved(&key_##name, call) || is_unusual(k, call)) {                                  \
            b->general(binding, call, reg, m);                                                     \
            return;                                                                                \
        }                                                                                          \
        sample_warp(k, &b->back, binding, call, reg, m);                                           \
    }
INSTANCES(INSTANCE)
#undef INSTANCE
#pragma clang diagnostic pop

/* The front for everything: nothing is constant. */
void SIMD_FN(kernel_general)(const struct tex_binding *binding, const struct tex_call *call,
                             u32x32 *reg, lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const struct tex_back *back = &b->back;
    const struct tex_key *key = &b->key;
    struct tex_key other;
    struct tex_back others;
    if (is_unusual((struct key){&key_any, key, false, 0}, call)) {
        other = tex_key_of_call(b, call);
        SIMD_FN(back_find)(&other, &others);
        key = &other;
        back = &others;
    }
    sample_warp((struct key){&key_any, key, false, 0}, back, binding, call, reg, m);
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
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (key_fits(table[i].key, key))
            return table[i].fn;
    return SIMD_FN(kernel_general);
}
