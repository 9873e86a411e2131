/* The table of pixel formats, and single texels to and from RGBA words. In: hardware codes, texels.
 * Out: layouts, float bits or integers. Codes: G80_SURFACE_FORMAT and the zeta formats of
 * tesla-3d.md §4.1. Knows no surfaces.
 */
#include "base/format.h"

struct format_row {
    struct format_info info;
    uint8_t color, zeta; /* hardware codes, 0 = none */
};

/* clang-format off */
#define BITS1(a) {a, 0, 0, 0}
#define BITS2(a) {a, a, 0, 0}
#define BITS3(a) {a, a, a, 0}
#define BITS4(a) {a, a, a, a}
#define SHIFT4(a, b, c, d) {a, b, c, d}
#define PLAIN(f, n, bytes, b, s, t, code) \
    [FORMAT_##f] = {{n, bytes, 1, 1, b, s, COMPONENT_##t, false, false, false}, code, 0}
#define SRGB(f, n, b, s, code) \
    [FORMAT_##f] = {{n, 4, 1, 1, b, s, COMPONENT_UNORM, true, false, false}, code, 0}
#define ZETA(f, n, bytes, depth, stencil, zs, ss, t, code) \
    [FORMAT_##f] = {{n, bytes, 1, 1, {depth, stencil}, {zs, ss}, COMPONENT_##t, false, true, \
                     false}, 0, code}
#define BLOCK(f, n, bytes, t) \
    [FORMAT_##f] = {{n, bytes, 4, 4, {0}, {0}, COMPONENT_##t, false, false, true}, 0, 0}

#define RGBA_128 SHIFT4(0, 32, 64, 96)
#define RGBA_64 SHIFT4(0, 16, 32, 48)
#define RGBA_32 SHIFT4(0, 8, 16, 24)
#define BGRA_32 SHIFT4(16, 8, 0, 24)
#define RGB10A2 {10, 10, 10, 2}

static const struct format_row table[FORMATS] = {
    [FORMAT_NONE] = {{"none", 0, 1, 1, {0}, {0}, COMPONENT_NONE, false, false, false}, 0, 0},
    PLAIN(RGBA32_FLOAT, "rgba32f", 16, BITS4(32), RGBA_128, FLOAT, 0xc0),
    PLAIN(RGBA32_SINT, "rgba32i", 16, BITS4(32), RGBA_128, SINT, 0xc1),
    PLAIN(RGBA32_UINT, "rgba32ui", 16, BITS4(32), RGBA_128, UINT, 0xc2),
    PLAIN(RGBX32_FLOAT, "rgbx32f", 16, BITS3(32), RGBA_128, FLOAT, 0xc3),
    PLAIN(RGBX32_SINT, "rgbx32i", 16, BITS3(32), RGBA_128, SINT, 0xc4),
    PLAIN(RGBX32_UINT, "rgbx32ui", 16, BITS3(32), RGBA_128, UINT, 0xc5),
    PLAIN(RGB32_FLOAT, "rgb32f", 12, BITS3(32), RGBA_128, FLOAT, 0),
    PLAIN(RGB32_SINT, "rgb32i", 12, BITS3(32), RGBA_128, SINT, 0),
    PLAIN(RGB32_UINT, "rgb32ui", 12, BITS3(32), RGBA_128, UINT, 0),
    PLAIN(RGBA16_UNORM, "rgba16", 8, BITS4(16), RGBA_64, UNORM, 0xc6),
    PLAIN(RGBA16_SNORM, "rgba16_snorm", 8, BITS4(16), RGBA_64, SNORM, 0xc7),
    PLAIN(RGBA16_SINT, "rgba16i", 8, BITS4(16), RGBA_64, SINT, 0xc8),
    PLAIN(RGBA16_UINT, "rgba16ui", 8, BITS4(16), RGBA_64, UINT, 0xc9),
    PLAIN(RGBA16_FLOAT, "rgba16f", 8, BITS4(16), RGBA_64, FLOAT, 0xca),
    PLAIN(RGBX16_FLOAT, "rgbx16f", 8, BITS3(16), RGBA_64, FLOAT, 0xce),
    PLAIN(RG32_FLOAT, "rg32f", 8, BITS2(32), RGBA_128, FLOAT, 0xcb),
    PLAIN(RG32_SINT, "rg32i", 8, BITS2(32), RGBA_128, SINT, 0xcc),
    PLAIN(RG32_UINT, "rg32ui", 8, BITS2(32), RGBA_128, UINT, 0xcd),
    PLAIN(BGRA8_UNORM, "bgra8", 4, BITS4(8), BGRA_32, UNORM, 0xcf),
    SRGB(BGRA8_SRGB, "bgra8_srgb", BITS4(8), BGRA_32, 0xd0),
    PLAIN(BGRX8_UNORM, "bgrx8", 4, BITS3(8), BGRA_32, UNORM, 0xe6),
    SRGB(BGRX8_SRGB, "bgrx8_srgb", BITS3(8), BGRA_32, 0xe7),
    PLAIN(RGBA8_UNORM, "rgba8", 4, BITS4(8), RGBA_32, UNORM, 0xd5),
    SRGB(RGBA8_SRGB, "rgba8_srgb", BITS4(8), RGBA_32, 0xd6),
    PLAIN(RGBA8_SNORM, "rgba8_snorm", 4, BITS4(8), RGBA_32, SNORM, 0xd7),
    PLAIN(RGBA8_SINT, "rgba8i", 4, BITS4(8), RGBA_32, SINT, 0xd8),
    PLAIN(RGBA8_UINT, "rgba8ui", 4, BITS4(8), RGBA_32, UINT, 0xd9),
    PLAIN(RGBX8_UNORM, "rgbx8", 4, BITS3(8), RGBA_32, UNORM, 0xf9),
    SRGB(RGBX8_SRGB, "rgbx8_srgb", BITS3(8), RGBA_32, 0xfa),
    PLAIN(RGB10A2_UNORM, "rgb10a2", 4, RGB10A2, SHIFT4(0, 10, 20, 30), UNORM, 0xd1),
    PLAIN(RGB10A2_UINT, "rgb10a2ui", 4, RGB10A2, SHIFT4(0, 10, 20, 30), UINT, 0xd2),
    PLAIN(BGR10A2_UNORM, "bgr10a2", 4, RGB10A2, SHIFT4(20, 10, 0, 30), UNORM, 0xdf),
    PLAIN(RG16_UNORM, "rg16", 4, BITS2(16), RGBA_64, UNORM, 0xda),
    PLAIN(RG16_SNORM, "rg16_snorm", 4, BITS2(16), RGBA_64, SNORM, 0xdb),
    PLAIN(RG16_SINT, "rg16i", 4, BITS2(16), RGBA_64, SINT, 0xdc),
    PLAIN(RG16_UINT, "rg16ui", 4, BITS2(16), RGBA_64, UINT, 0xdd),
    PLAIN(RG16_FLOAT, "rg16f", 4, BITS2(16), RGBA_64, FLOAT, 0xde),
    PLAIN(R11G11B10_FLOAT, "r11g11b10f", 4, SHIFT4(11, 11, 10, 0), SHIFT4(0, 11, 22, 0), FLOAT,
          0xe0),
    PLAIN(RGB9E5_FLOAT, "rgb9e5", 4, BITS3(9), SHIFT4(0, 9, 18, 0), FLOAT, 0),
    PLAIN(R32_FLOAT, "r32f", 4, BITS1(32), RGBA_128, FLOAT, 0xe5),
    PLAIN(R32_SINT, "r32i", 4, BITS1(32), RGBA_128, SINT, 0xe3),
    PLAIN(R32_UINT, "r32ui", 4, BITS1(32), RGBA_128, UINT, 0xe4),
    PLAIN(B5G6R5_UNORM, "b5g6r5", 2, SHIFT4(5, 6, 5, 0), SHIFT4(11, 5, 0, 0), UNORM, 0xe8),
    PLAIN(BGR5A1_UNORM, "bgr5a1", 2, SHIFT4(5, 5, 5, 1), SHIFT4(10, 5, 0, 15), UNORM, 0xe9),
    PLAIN(BGR5X1_UNORM, "bgr5x1", 2, BITS3(5), SHIFT4(10, 5, 0, 0), UNORM, 0xf8),
    PLAIN(BGRA4_UNORM, "bgra4", 2, BITS4(4), SHIFT4(8, 4, 0, 12), UNORM, 0),
    PLAIN(RG8_UNORM, "rg8", 2, BITS2(8), RGBA_32, UNORM, 0xea),
    PLAIN(RG8_SNORM, "rg8_snorm", 2, BITS2(8), RGBA_32, SNORM, 0xeb),
    PLAIN(RG8_SINT, "rg8i", 2, BITS2(8), RGBA_32, SINT, 0xec),
    PLAIN(RG8_UINT, "rg8ui", 2, BITS2(8), RGBA_32, UINT, 0xed),
    PLAIN(R16_UNORM, "r16", 2, BITS1(16), RGBA_64, UNORM, 0xee),
    PLAIN(R16_SNORM, "r16_snorm", 2, BITS1(16), RGBA_64, SNORM, 0xef),
    PLAIN(R16_SINT, "r16i", 2, BITS1(16), RGBA_64, SINT, 0xf0),
    PLAIN(R16_UINT, "r16ui", 2, BITS1(16), RGBA_64, UINT, 0xf1),
    PLAIN(R16_FLOAT, "r16f", 2, BITS1(16), RGBA_64, FLOAT, 0xf2),
    PLAIN(R8_UNORM, "r8", 1, BITS1(8), RGBA_32, UNORM, 0xf3),
    PLAIN(R8_SNORM, "r8_snorm", 1, BITS1(8), RGBA_32, SNORM, 0xf4),
    PLAIN(R8_SINT, "r8i", 1, BITS1(8), RGBA_32, SINT, 0xf5),
    PLAIN(R8_UINT, "r8ui", 1, BITS1(8), RGBA_32, UINT, 0xf6),
    PLAIN(A8_UNORM, "a8", 1, SHIFT4(0, 0, 0, 8), SHIFT4(0, 0, 0, 0), UNORM, 0xf7),
    PLAIN(RG4_UNORM, "rg4", 1, BITS2(4), SHIFT4(0, 4, 0, 0), UNORM, 0),
    ZETA(Z16_UNORM, "z16", 2, 16, 0, 0, 0, UNORM, 0x13),
    ZETA(Z24S8, "z24s8", 4, 24, 8, 0, 24, UNORM, 0x16),
    ZETA(S8Z24, "s8z24", 4, 24, 8, 8, 0, UNORM, 0x14),
    ZETA(X8Z24, "x8z24", 4, 24, 0, 0, 0, UNORM, 0x15),
    ZETA(Z32_FLOAT, "z32f", 4, 32, 0, 0, 0, FLOAT, 0x0a),
    ZETA(Z32_FLOAT_S8, "z32f_s8", 8, 32, 8, 0, 32, FLOAT, 0x19),
    BLOCK(DXT1, "dxt1", 8, UNORM),
    BLOCK(DXT3, "dxt3", 16, UNORM),
    BLOCK(DXT5, "dxt5", 16, UNORM),
    BLOCK(RGTC1_UNORM, "rgtc1", 8, UNORM),
    BLOCK(RGTC1_SNORM, "rgtc1_snorm", 8, SNORM),
    BLOCK(RGTC2_UNORM, "rgtc2", 16, UNORM),
    BLOCK(RGTC2_SNORM, "rgtc2_snorm", 16, SNORM),
};
/* clang-format on */

const struct format_info *format_info(enum pixel_format f) {
    return &table[(unsigned)f < FORMATS ? f : FORMAT_NONE].info;
}

const char *format_name(enum pixel_format f) {
    return format_info(f)->name;
}

bool format_is_integer(enum pixel_format f) {
    const uint8_t type = format_info(f)->type;
    return type == COMPONENT_SINT || type == COMPONENT_UINT;
}

enum pixel_format format_from_color_code(uint32_t rt_format) {
    for (int f = FORMAT_NONE + 1; rt_format && f < FORMATS; f++)
        if (table[f].color == rt_format)
            return f;
    return FORMAT_NONE;
}

uint32_t format_color_code(enum pixel_format f) {
    return (unsigned)f < FORMATS ? table[f].color : 0;
}

enum pixel_format format_from_zeta_code(uint32_t zeta_format) {
    for (int f = FORMAT_NONE + 1; zeta_format && f < FORMATS; f++)
        if (table[f].zeta == zeta_format)
            return f;
    return FORMAT_NONE;
}

void format_decode(enum pixel_format f, const void *texel, uint32_t rgba[4]) {
    uint32_t row[4][FORMAT_ROW];
    format_decode_row_base(f, texel, 1, row);
    for (int c = 0; c < 4; c++)
        rgba[c] = row[c][0];
}

void format_encode(enum pixel_format f, const uint32_t rgba[4], void *texel) {
    uint32_t row[4][FORMAT_ROW];
    for (int c = 0; c < 4; c++)
        row[c][0] = rgba[c];
    format_encode_row_base(f, row, 1, texel);
}
