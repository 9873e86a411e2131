/* The kernels of the texture unit as a table: the constant fields of their keys. kernel_simd.c
 * is compiled once per row and SIMD level; kernels_simd.c finds the row for a key. The kernels
 * of the most frequent keys have backs of their own; the other kernels call the back of the
 * binding.
 */
#pragma once

#include "tex/key.h"

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
#define KEY_INTEGERS(bytes) .fetch = TEX_FETCH_##bytes, .sum = TEX_SUM_NONE
#define KEY_WRAP(w) .wrap = {w, w, KEY_ANY}
#define KEY_VOLUME(w) KEY_USUAL, .axes = 3, .layers = false, KEY_LINEAR, .wrap = {w, w, w}
#define KEY_DEPTH(bytes, kind)                                                                     \
    .fetch = TEX_FETCH_##bytes, .sum = TEX_SUM_COMPARE, .decode = TEX_DECODE_##kind
/* Linear filters: KEY_LEVELS if the LOD matters, else KEY_LEVEL. */
#define KEY_LEVELS KEY_FLAT, KEY_LINEAR, .lod = true
#define KEY_LEVEL KEY_FLAT, KEY_LINEAR, .lod = false
/* Pictures drawn unscaled: one level, no layers, clamped to the edge. */
#define KEY_EDGE                                                                                   \
    KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = false, .layers = false, .array = false
/* The most frequent textures of scenes: two levels are mixed. */
#define KEY_MIP KEY_FLAT, KEY_LINEAR, .mip = 3, .lod = true, .layers = false, .array = false

/* Cube faces. */
#define KEY_CUBE                                                                                   \
    .axes = 2, .cube = true, .layers = true, .normalized = true, .border = false, .linear = false, \
    .whole = true, .aniso = false, .offsets = false, .wrap = {WRAP_EDGE, WRAP_EDGE, WRAP_EDGE}

/* X(name, functions of its own back, constant fields): the first row that fits the key is taken.
 * EACH is for keys whose lanes may be in different levels (levels_apart): with a LOD, two axes,
 * linear filters and no probes. The Makefile reads the names: X(name, or MORE(X, name, at the
 * beginning of a line. */
#define KERNEL_ROWS(X)                                                                             \
    X(bytes_repeat, LINEAR, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = false,  \
      .layers = false, .array = false)                                                             \
    MORE(X, bytes_repeat_mip, EACH, KEY_BYTES, KEY_MIP, KEY_WRAP(WRAP_REPEAT))                     \
    MORE(X, bytes_edge_mip, EACH, KEY_BYTES, KEY_MIP, KEY_WRAP(WRAP_EDGE))                         \
    X(bytes_repeat_lod, EACH, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT), .lod = true) \
    X(bytes_edge_lod, EACH, KEY_BYTES, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE), .lod = true)     \
    X(bytes_edge, LINEAR, KEY_BYTES, KEY_EDGE)                                                     \
    MORE(X, red_edge, LINEAR, KEY_FLOATS(1, UNORM), KEY_EDGE)                                      \
    MORE(X, half_4_edge, LINEAR, KEY_FLOATS(8, HALF), .width = 16, KEY_EDGE)                       \
    MORE(X, half_4_lod, EACH, KEY_FLOATS(8, HALF), .width = 16, KEY_LEVELS)                        \
    MORE(X, red_lod, EACH, KEY_FLOATS(1, UNORM), KEY_LEVELS)                                       \
    MORE(X, red, LINEAR, KEY_FLOATS(1, UNORM), KEY_LEVEL)                                          \
    MORE(X, block_lod, EACH, KEY_FLOATS(BLOCK, BYTES), KEY_LEVELS)                                 \
    MORE(X, half_4, LINEAR, KEY_FLOATS(8, HALF), .width = 16, KEY_LEVEL, .offsets = KEY_ANY)       \
    MORE(X, small_floats, LINEAR, KEY_FLOATS(4, HALF), KEY_LEVEL, .offsets = KEY_ANY)              \
    MORE(X, float_1, LINEAR, KEY_FLOATS(4, FLOAT), KEY_LEVEL)                                      \
    MORE(X, float_4, LINEAR, KEY_FLOATS(16, FLOAT), .width = 32, KEY_LEVEL)                        \
    MORE(X, block, LINEAR, KEY_FLOATS(BLOCK, BYTES), KEY_LEVEL)                                    \
    MORE(X, rg, LINEAR, KEY_FLOATS(2, UNORM), .width = 8, KEY_LEVEL)                               \
    MORE(X, depth_edge, LINEAR, KEY_DEPTH(4, UNORM24), KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE),  \
         .lod = false)                                                                             \
    MORE(X, depth_flat, LINEAR, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE, KEY_LEVEL,           \
         .border = KEY_ANY, .offsets = KEY_ANY)                                                    \
    MORE(X, depth_16, LINEAR, KEY_DEPTH(2, UNORM), KEY_LEVEL, .border = KEY_ANY,                   \
         .offsets = KEY_ANY)                                                                       \
    MORE(X, srgb_repeat_lod, EACH, KEY_FLOATS(4, SRGB), KEY_FLAT, KEY_LINEAR,                      \
         KEY_WRAP(WRAP_REPEAT))                                                                    \
    MORE(X, srgb, LINEAR, KEY_FLOATS(4, SRGB), KEY_LEVEL)                                          \
    MORE(X, bytes_aniso, LINEAR, KEY_BYTES, KEY_LEVELS, .aniso = true)                             \
    X(bytes, EACH, KEY_BYTES, KEY_LINEAR, .axes = 2, .cube = false, .seamless = false,             \
      .whole = true, .aniso = false)                                                               \
    X(bytes_nearest, NEAREST, KEY_BYTES, KEY_FLAT, KEY_NEAREST, .border = KEY_ANY)                 \
    MORE(X, linear_nearest, NEAREST, KEY_BYTES, KEY_NEAREST, .axes = 2, .cube = false,             \
         .seamless = false, .whole = true, .linear = true, .border = false, .aniso = false,        \
         .offsets = false, .layers = false, .array = false, .lod = false)                          \
    MORE(X, srgb_nearest, NEAREST, KEY_FLOATS(4, SRGB), KEY_FLAT, KEY_NEAREST)                     \
    MORE(X, depth_nearest, NEAREST, KEY_FLOATS(4, UNORM24), KEY_FLAT, KEY_NEAREST)                 \
    MORE(X, float_nearest, NEAREST, KEY_FLOATS(4, FLOAT), KEY_FLAT, KEY_NEAREST)                   \
    MORE(X, float_nearest_8, NEAREST, KEY_FLOATS(8, FLOAT), KEY_FLAT, KEY_NEAREST)                 \
    MORE(X, half_4_nearest, NEAREST, KEY_FLOATS(8, HALF), .width = 16, KEY_FLAT, KEY_NEAREST)      \
    MORE(X, float_nearest_16, NEAREST, KEY_FLOATS(16, FLOAT), .width = 32, KEY_FLAT, KEY_NEAREST)  \
    MORE(X, red_nearest, NEAREST, KEY_FLOATS(1, UNORM), .width = 8, KEY_FLAT, KEY_NEAREST)         \
    MORE(X, int_8_nearest, NEAREST, KEY_INTEGERS(4), .width = 8, KEY_FLAT, KEY_NEAREST)            \
    MORE(X, int_16_nearest, NEAREST, KEY_INTEGERS(8), .width = 16, KEY_FLAT, KEY_NEAREST)          \
    X(nearest_4, NEAREST, .fetch = TEX_FETCH_4, KEY_FLAT, KEY_NEAREST)                             \
    X(repeat, NO, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_REPEAT))                                     \
    X(edge, NO, KEY_FLAT, KEY_LINEAR, KEY_WRAP(WRAP_EDGE))                                         \
    X(nearest, NO, KEY_FLAT, KEY_NEAREST)                                                          \
    X(flat, NO, .axes = 2, .cube = false, .seamless = false)                                       \
    MORE(X, line_bytes, LINEAR, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 1, KEY_LINEAR)            \
    MORE(X, line_nearest, NEAREST, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 1, KEY_NEAREST)        \
    X(line, NO, .axes = 1, .cube = false, .seamless = false, .aniso = false)                       \
    MORE(X, volume_bytes, LINEAR, KEY_FLOATS(4, BYTES), KEY_VOLUME(KEY_ANY))                       \
    MORE(X, volume_red, LINEAR, KEY_FLOATS(1, UNORM), KEY_VOLUME(KEY_ANY))                         \
    MORE(X, volume_bytes_nearest, NEAREST, KEY_FLOATS(4, BYTES), KEY_USUAL, .axes = 3,             \
         .layers = false, KEY_NEAREST)                                                             \
    X(volume, NO, .axes = 3, .cube = false, .seamless = false, .layers = false)                    \
    MORE(X, cube_bytes, CUBE_EACH, KEY_BYTES, KEY_CUBE, KEY_LINEAR)                                \
    MORE(X, cube_srgb, CUBE_EACH, KEY_FLOATS(4, SRGB), KEY_CUBE, KEY_LINEAR)                       \
    MORE(X, cube_half_4, CUBE_EACH, KEY_FLOATS(8, HALF), .width = 16, KEY_CUBE, KEY_LINEAR)        \
    MORE(X, cube_depth, CUBE, .fetch = TEX_FETCH_4, .sum = TEX_SUM_COMPARE, KEY_CUBE, KEY_LINEAR,  \
         .lod = false)                                                                             \
    MORE(X, cube_nearest_4, NEAREST, .fetch = TEX_FETCH_4, KEY_CUBE, KEY_NEAREST)                  \
    X(cube, NO, .axes = 2, .cube = true, .layers = true, .border = false, .linear = false,         \
      .normalized = true)                                                                          \
    X(general, NO)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define X(name, own, ...)                                                                          \
    static const struct tex_key key_##name __attribute__((unused)) = {KEY_ALL_ANY, ##__VA_ARGS__};
KERNEL_ROWS(X)
#undef X
#pragma clang diagnostic pop

#define X(name, ...)                                                                               \
    SIMD_DECLARE(void, kernel_##name,                                                              \
                 (const struct tex_binding *, const struct tex_call *, u32x32 *, lane_mask));
KERNEL_ROWS(X)
#undef X
