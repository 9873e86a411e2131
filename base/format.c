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
#define PLAIN(f, api, n, bytes, b, s, t, code) \
    [FORMAT_##f] = {{n, bytes, 1, 1, b, s, COMPONENT_##t, false, false, false}, code, 0},
#define SRGB(f, api, n, b, s, code) \
    [FORMAT_##f] = {{n, 4, 1, 1, b, s, COMPONENT_UNORM, true, false, false}, code, 0},
#define ZETA(f, api, n, bytes, depth, stencil, zs, ss, t, code) \
    [FORMAT_##f] = {{n, bytes, 1, 1, {depth, stencil}, {zs, ss}, COMPONENT_##t, false, true, \
                     false}, 0, code},
#define BLOCK(f, api, n, bytes, t) \
    [FORMAT_##f] = {{n, bytes, 4, 4, {0}, {0}, COMPONENT_##t, false, false, true}, 0, 0},

#define RGBA_128 SHIFT4(0, 32, 64, 96)
#define RGBA_64 SHIFT4(0, 16, 32, 48)
#define RGBA_32 SHIFT4(0, 8, 16, 24)
#define BGRA_32 SHIFT4(16, 8, 0, 24)
#define RGB10A2 {10, 10, 10, 2}

static const struct format_row table[FORMATS] = {
    [FORMAT_NONE] = {{"none", 0, 1, 1, {0}, {0}, COMPONENT_NONE, false, false, false}, 0, 0},
#include "base/formats.inc"
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
