/* The fronts of kernels, as a table: the coordinates of a call to footprints in levels, and results
 * to registers (tex/sampler.inc). In: a key. Out: the function that samples with such keys. Each
 * function has a part of the key as constants and reads the rest from the binding; a new front is a
 * new row. The most frequent keys have kernels in one piece, the others call the back that the
 * binding names. Built once per SIMD level; all levels give the same bits.
 */
#include "tex/kernels.h"
#include "tex/warp.inc"

/* The most frequent textures. */
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
/* Pictures drawn unscaled: one level, no layers, clamped to the edge. */
#define KEY_EDGE                                                                                   \
    KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = false, .layers = false, .array = false
/* The most frequent textures of scenes: two mixed levels. */
#define KEY_MIP KEY_FLAT, KEY_LINEAR, .mip = 3, .lod = true, .layers = false, .array = false

/* Cube faces. */
#define KEY_CUBE                                                                                   \
    .axes = 2, .cube = true, .layers = true, .normalized = true, .border = false, .linear = false, \
    .whole = true, .aniso = false, .offsets = false, .wrap = {WRAP_EDGE, WRAP_EDGE, WRAP_EDGE}

/* X(name, fields of the back, constant fields): the first row that fits the key is taken. EACH for
 * keys whose lanes may be in different levels (levels_apart): with a LOD, two axes, linear filters
 * and no probes. */
#define INSTANCES(X)                                                                               \
    X(bytes_repeat, LINEAR, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = false,  \
      .layers = false, .array = false)                                                             \
    MORE(X, bytes_repeat_mip, EACH, KEY_BYTES, KEY_MIP, KEY_WRAP(WRAP_REPEAT))                     \
    MORE(X, bytes_edge_mip, EACH, KEY_BYTES, KEY_MIP, KEY_WRAP(WRAP_EDGE))                         \
    X(bytes_repeat_lod, EACH, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = true) \
    X(bytes_edge_lod, EACH, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = true)     \
    X(bytes_edge, LINEAR, KEY_BYTES, KEY_EDGE)                                                     \
    MORE(X, red_edge, LINEAR, KEY_FLOATS(1, UNORM), KEY_EDGE)                                      \
    MORE(X, red_edge_lod, EACH, KEY_FLOATS(1, UNORM), KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE),   \
         .lod = true, .layers = false, .array = false)                                             \
    MORE(X, half_4_edge, LINEAR, KEY_FLOATS(8, HALF), .width = 16, KEY_EDGE)                       \
    MORE(X, depth_edge, LINEAR, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE,                      \
         .decode = TEX_DECODE_UNORM24, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = false)    \
    MORE(X, depth_float_edge, LINEAR, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE,                \
         .decode = TEX_DECODE_FLOAT, KEY_EDGE)                                                     \
    MORE(X, srgb_repeat, LINEAR, KEY_FLOATS(4, SRGB), KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), \
         .lod = false, .layers = false, .array = false)                                            \
    MORE(X, srgb_repeat_lod, EACH, KEY_FLOATS(4, SRGB), KEY_FLAT, KEY_LINEAR,                      \
         KEY_WRAP(WRAP_REPEAT))                                                                    \
    X(bytes, EACH, KEY_BYTES, KEY_LINEAR, .axes = 2, .cube = false, .seamless = false,             \
      .whole = true, .aniso = false, .offsets = false)                                             \
    MORE(X, bytes_moved, EACH, KEY_BYTES, KEY_LINEAR, .axes = 2, .cube = false, .seamless = false, \
         .border = false, .linear = false, .normalized = true, .whole = true, .aniso = false)      \
    X(bytes_nearest, NEAREST, KEY_BYTES, KEY_FLAT, KEY_NEAREST, .border = KEY_ANY)                 \
    MORE(X, linear_nearest, NEAREST, KEY_BYTES, KEY_NEAREST, .axes = 2, .cube = false,             \
         .seamless = false, .whole = true, .linear = true, .border = false, .aniso = false,        \
         .offsets = false, .layers = false, .array = false, .lod = false)                          \
    MORE(X, srgb_nearest, NEAREST, KEY_FLOATS(4, SRGB), KEY_FLAT, KEY_NEAREST)                     \
    MORE(X, depth_nearest, NEAREST, KEY_FLOATS(4, UNORM24), KEY_FLAT, KEY_NEAREST)                 \
    MORE(X, float_nearest, NEAREST, KEY_FLOATS(4, FLOAT), KEY_FLAT, KEY_NEAREST)                   \
    MORE(X, float_nearest_8, NEAREST, KEY_FLOATS(8, FLOAT), KEY_FLAT, KEY_NEAREST)                 \
    X(nearest_4, NEAREST, .fetch = TEX_FETCH_4, KEY_FLAT, KEY_NEAREST)                             \
    X(repeat, NO, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT))                                     \
    X(edge, NO, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE))                                         \
    X(nearest, NO, KEY_FLAT, KEY_NEAREST)                                                          \
    X(flat, NO, .axes = 2, .cube = false, .seamless = false)                                       \
    MORE(X, line_bytes, LINEAR, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 1, KEY_LINEAR)            \
    MORE(X, line_nearest, NEAREST, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 1, KEY_NEAREST)        \
    X(line, NO, .axes = 1, .cube = false, .seamless = false, .aniso = false)                       \
    MORE(X, volume_bytes_repeat, LINEAR, KEY_FLOATS(4, BYTES), KEY_VOLUME(WRAP_REPEAT))            \
    MORE(X, volume_bytes_edge, LINEAR, KEY_FLOATS(4, BYTES), KEY_VOLUME(WRAP_EDGE))                \
    MORE(X, volume_repeat, NO, KEY_VOLUME(WRAP_REPEAT))                                            \
    MORE(X, volume_edge, NO, KEY_VOLUME(WRAP_EDGE))                                                \
    MORE(X, volume_bytes_nearest, NEAREST, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 3,             \
         .layers = false, KEY_NEAREST)                                                             \
    X(volume, NO, .axes = 3, .cube = false, .seamless = false, .layers = false)                    \
    MORE(X, cube_bytes, CUBE_EACH, KEY_BYTES, KEY_CUBE, KEY_LINEAR)                                \
    MORE(X, cube_unorm24, CUBE_EACH, KEY_FLOATS(4, UNORM24), KEY_CUBE, KEY_LINEAR)                 \
    MORE(X, cube_depth, CUBE, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE,                        \
         .decode = TEX_DECODE_UNORM24, KEY_CUBE, KEY_LINEAR, .lod = false)                         \
    MORE(X, cube_nearest_24, NEAREST, KEY_FLOATS(4, UNORM24), KEY_CUBE, KEY_NEAREST)               \
    MORE(X, cube_nearest_4, NEAREST, .fetch = TEX_FETCH_4, KEY_CUBE, KEY_NEAREST)                  \
    X(cube, NO, .axes = 2, .cube = true, .layers = true, .border = false, .linear = false,         \
      .normalized = true)

/* Calls that differ from the key of the binding: faces as layers, comparison without a
 * reference. */
LANES_INLINE bool is_unusual(struct key k, const struct tex_call *call) {
    return (KEY(k, cube) && !call->cube) ||
           (KEY(k, sum) == TEX_SUM_COMPARE &&
            !request_has_reference(KEY(k, axes), KEY(k, cube), KEY(k, array), call));
}

/* A front without offsets passes calls with offsets to a front that has them. */
LANES_INLINE bool is_moved(const struct tex_key *fixed, const struct tex_call *call) {
    return !fixed->offsets && (call->offset[0] | call->offset[1] | call->offset[2]);
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
/* A kernel in one piece has a back of its own with the constants of the kernel. Compilers inline
 * these functions into the kernel, and drop the functions that no footprint of the kernel needs.
 * Footprints across the edge of a cube's face are few, so their function is called. */
#define OWN_FUNCTION(how, name, kind, texels, all_levels)                                          \
    how void kind##_##name(const struct footprint *f, struct sums *out) {                          \
        texels((struct key){&key_##name, f->key, all_levels, 0}, f, out);                          \
    }
#define OWN(...) OWN_FUNCTION(LANES_INLINE, __VA_ARGS__)
#define OWN_CALLED(...) OWN_FUNCTION(static __attribute__((noinline)), __VA_ARGS__)
#define OWN_NO(name) static const struct tex_back back_##name;
#define OWN_NEAREST(name)                                                                          \
    OWN(name, nearest, texels_nearest, false)                                                      \
    OWN(name, nearest_two, texels_nearest_two, false)                                              \
    static const struct tex_back back_##name = {.nearest = nearest_##name,                         \
                                                .nearest_two = nearest_two_##name};
#define OWN_LINEAR(name)                                                                           \
    OWN(name, linear, texels_linear, false)                                                        \
    static const struct tex_back back_##name = {.linear = linear_##name};
#define OWN_CUBE(name)                                                                             \
    OWN(name, linear, texels_linear, false)                                                        \
    OWN_CALLED(name, across, texels_across, false)                                                 \
    static const struct tex_back back_##name = {.linear = linear_##name, .across = across_##name};
#if VEC_LANES == 16
#define OWN_EACH(name)                                                                             \
    OWN(name, linear, texels_linear, false)                                                        \
    OWN(name, linear_each, texels_linear, true)                                                    \
    static const struct tex_back back_##name = {.linear = linear_##name,                           \
                                                .linear_each = linear_each_##name};
#define OWN_CUBE_EACH(name)                                                                        \
    OWN(name, linear, texels_linear, false)                                                        \
    OWN_CALLED(name, across, texels_across, false)                                                 \
    OWN(name, linear_each, texels_linear, true)                                                    \
    OWN_CALLED(name, across_each, texels_across, true)                                             \
    static const struct tex_back back_##name = {.linear = linear_##name,                           \
                                                .across = across_##name,                           \
                                                .linear_each = linear_each_##name,                 \
                                                .across_each = across_each_##name};
#else
#define OWN_EACH OWN_LINEAR
#define OWN_CUBE_EACH OWN_CUBE
#endif

#define INSTANCE(name, own, ...)                                                                   \
    static const struct tex_key key_##name = {KEY_ALL_ANY, __VA_ARGS__};                           \
    static const struct tex_key inside_##name = {KEY_ALL_ANY, __VA_ARGS__, .border = false};       \
    OWN_##own(name) static void kernel_##name(const struct tex_binding *binding,                   \
                                              const struct tex_call *call, u32x32 *reg,            \
                                              lane_mask m) {                                       \
        const struct tex_bound *b = (const struct tex_bound *)binding;                             \
        const struct key k = {&key_##name, &b->key, false, 0};                                     \
        if (is_moved(&key_##name, call)) {                                                         \
            b->moved(binding, call, reg, m);                                                       \
            return;                                                                                \
        }                                                                                          \
        if (is_unusual(k, call)) {                                                                 \
            SIMD_FN(kernel_general)(binding, call, reg, m);                                        \
            return;                                                                                \
        }                                                                                          \
        if (sample_flat((struct key){&inside_##name, &b->key, false, 0}, b, call, reg, m))         \
            return;                                                                                \
        sample_warp(k, KEY_FIXED(k, fetch) ? &back_##name : &b->back, binding, call, reg, m);      \
    }
INSTANCES(INSTANCE)
#undef INSTANCE
#pragma clang diagnostic pop

/* The front without constants. */
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

tex_kernel *SIMD_FN(kernel_find)(const struct tex_key *key, bool moved) {
    static const struct {
        const struct tex_key *key;
        tex_kernel *fn;
    } table[] = {
#define ROW(name, ...) {&key_##name, kernel_##name},
        INSTANCES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (key_fits(table[i].key, key) && (!moved || table[i].key->offsets))
            return table[i].fn;
    return SIMD_FN(kernel_general);
}
