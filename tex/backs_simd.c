/* The backs of kernels, as tables: they fetch, decode and filter the texels of a footprint
 * (tex/filter.inc). In: a key. Out: the functions for the key. Each function has a part of the key
 * as constants and reads the other fields from the footprint; a new back is a new row. Built once
 * per SIMD level; all levels give the same bits.
 */
#include "tex/filter.inc"
#include "tex/kernels.h"

#define WHOLE .whole = true, .linear = false, .border = false
#define ALL(bytes) .fetch = TEX_FETCH_##bytes, .sum = TEX_SUM_FLOATS
#define FLOATS(bytes, kind) ALL(bytes), .decode = TEX_DECODE_##kind
#define BYTES .fetch = TEX_FETCH_4, .sum = TEX_SUM_BYTES

/* X(name, constant fields): the first row that fits the key is taken. WIDE: components in memory
 * order. */
#define WIDE(bytes, kind, bits) FLOATS(bytes, kind), .width = bits
#define LINEAR(X)                                                                                  \
    X(bytes, BYTES, .axes = 2, WHOLE)                                                              \
    X(unorm_1, FLOATS(1, UNORM), .axes = 2, WHOLE)                                                 \
    MORE(X, unorm_2, FLOATS(2, UNORM), .axes = 2, WHOLE)                                           \
    MORE(X, half_2, WIDE(2, HALF, 16), .axes = 2, WHOLE)                                           \
    MORE(X, unorm_4, FLOATS(4, UNORM), .axes = 2, WHOLE)                                           \
    X(float_4, FLOATS(4, FLOAT), .axes = 2, WHOLE)                                                 \
    MORE(X, half_4, FLOATS(4, HALF), .axes = 2, WHOLE)                                             \
    X(srgb_4, FLOATS(4, SRGB), .axes = 2, WHOLE)                                                   \
    MORE(X, snorm_4, FLOATS(4, SNORM), .axes = 2, WHOLE)                                           \
    X(unorm24_4, FLOATS(4, UNORM24), .axes = 2, WHOLE)                                             \
    MORE(X, rgb9e5, FLOATS(4, RGB9E5), .axes = 2, WHOLE)                                           \
    X(all_4, ALL(4), .axes = 2, WHOLE)                                                             \
    X(half_8, WIDE(8, HALF, 16), .axes = 2, WHOLE)                                                 \
    MORE(X, unorm_8, WIDE(8, UNORM, 16), .axes = 2, WHOLE)                                         \
    X(all_8, ALL(8), .axes = 2, WHOLE)                                                             \
    MORE(X, float_16, WIDE(16, FLOAT, 32), .axes = 2, WHOLE)                                       \
    X(block, FLOATS(BLOCK, BYTES), .axes = 2, WHOLE)                                               \
    MORE(X, block_srgb, FLOATS(BLOCK, SRGB), .axes = 2, WHOLE)                                     \
    X(compare_4, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE, .axes = 2, WHOLE)                   \
    X(bytes_any, BYTES, .axes = 2)                                                                 \
    MORE(X, volume_bytes, FLOATS(4, BYTES), .axes = 3, WHOLE)                                      \
    MORE(X, line_bytes, FLOATS(4, BYTES), .axes = 1, WHOLE)                                        \
    X(any_1d, .axes = 1)                                                                           \
    X(any_2d, .axes = 2)                                                                           \
    X(any_3d, .axes = 3)

#define NEAREST(X)                                                                                 \
    X(bytes, BYTES, .axes = 2, WHOLE)                                                              \
    MORE(X, unorm_1, WIDE(1, UNORM, 8), .axes = 2, WHOLE)                                          \
    X(bytes_1, .fetch = TEX_FETCH_1, .axes = 2, WHOLE)                                             \
    MORE(X, unorm_2_8, WIDE(2, UNORM, 8), .axes = 2, WHOLE)                                        \
    MORE(X, half_2, WIDE(2, HALF, 16), .axes = 2, WHOLE)                                           \
    X(bytes_2, .fetch = TEX_FETCH_2, .axes = 2, WHOLE)                                             \
    MORE(X, half_4, WIDE(4, HALF, 16), .axes = 2, WHOLE)                                           \
    MORE(X, unorm_4, WIDE(4, UNORM, 16), .axes = 2, WHOLE)                                         \
    MORE(X, snorm_4, WIDE(4, SNORM, 8), .axes = 2, WHOLE)                                          \
    X(bytes_4, .fetch = TEX_FETCH_4, WHOLE)                                                        \
    MORE(X, half_8, WIDE(8, HALF, 16), .axes = 2, WHOLE)                                           \
    MORE(X, unorm_8, WIDE(8, UNORM, 16), .axes = 2, WHOLE)                                         \
    X(bytes_8, .fetch = TEX_FETCH_8, .axes = 2, WHOLE)                                             \
    MORE(X, float_16, WIDE(16, FLOAT, 32), .axes = 2, WHOLE)                                       \
    X(bytes_16, .fetch = TEX_FETCH_16, .axes = 2, WHOLE)                                           \
    X(block, .fetch = TEX_FETCH_BLOCK, .axes = 2, WHOLE)                                           \
    X(any)

#define ACROSS(X)                                                                                  \
    X(bytes, BYTES, .axes = 2, WHOLE)                                                              \
    MORE(X, half_8, WIDE(8, HALF, 16), .axes = 2, WHOLE)                                           \
    X(any, .axes = 2)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define INSTANCE(kind, name, ...)                                                                  \
    static const struct tex_key kind##_key_##name = {KEY_ALL_ANY, ##__VA_ARGS__};                  \
    static void kind##_##name(const struct footprint *f, struct sums *out) {                       \
        texels_##kind((struct key){.rest = f->key, .fixed = &kind##_key_##name}, f, out);          \
    }
#define X(...) INSTANCE(linear, __VA_ARGS__)
LINEAR(X)
#undef X
#define X(...) INSTANCE(nearest, __VA_ARGS__)
NEAREST(X)
#undef X
#define X(...) INSTANCE(nearest_two, __VA_ARGS__)
NEAREST(X)
#undef X
#define X(...) INSTANCE(across, __VA_ARGS__)
ACROSS(X)
#undef X
#pragma clang diagnostic pop

struct row {
    const struct tex_key *key;
    tex_texels *fn;
};
#define X(name, ...) {&linear_key_##name, linear_##name},
static const struct row linear[] = {LINEAR(X)};
#undef X
#define X(name, ...) {&nearest_key_##name, nearest_##name},
static const struct row nearest[] = {NEAREST(X)};
#undef X
#define X(name, ...) {&nearest_two_key_##name, nearest_two_##name},
static const struct row nearest_two[] = {NEAREST(X)};
#undef X
#define X(name, ...) {&across_key_##name, across_##name},
static const struct row across[] = {ACROSS(X)};
#undef X

/* The last row of each table fits every key. */
static tex_texels *find(const struct row *row, const struct tex_key *key) {
    while (!key_fits(row->key, key))
        row++;
    return row->fn;
}

void SIMD_FN(back_find)(const struct tex_key *key, struct tex_back *back) {
    *back = (struct tex_back){.nearest = find(nearest, key),
                              .nearest_two = find(nearest_two, key),
                              .linear = find(linear, key)};
    if (key->seamless)
        back->across = find(across, key);
}
