/* Pixel formats: one table with layout, component types and the hardware's codes (colour target,
 * zeta), and conversion between texels in memory and RGBA words. A format names components from the
 * lowest address or lowest bits upward: RGBA8 has R in byte 0.
 */
#pragma once

#include "base/simd.h"

#include <stdbool.h>
#include <stdint.h>

enum pixel_format {
    FORMAT_NONE,
#define PLAIN(f, ...) FORMAT_##f,
#define SRGB PLAIN
#define ZETA PLAIN
#define BLOCK PLAIN
#include "base/formats.inc"
#undef PLAIN
#undef SRGB
#undef ZETA
#undef BLOCK
    FORMATS
};

enum component_type {
    COMPONENT_NONE,
    COMPONENT_SNORM = 1,
    COMPONENT_UNORM = 2,
    COMPONENT_SINT = 3,
    COMPONENT_UINT = 4,
    COMPONENT_FLOAT = 7
}; /* TIC numbering */

struct format_info {
    const char *name;
    uint8_t bytes; /* per texel, or per block when compressed */
    uint8_t block_w, block_h;
    uint8_t bits[4];  /* R G B A (zeta: depth in [0], stencil in [1]); 0 = absent */
    uint8_t shift[4]; /* bit position of each component in the texel's little-endian number */
    uint8_t type;     /* enum component_type of the colour components, or of the depth */
    bool srgb, zeta, compressed;
};

const struct format_info *format_info(enum pixel_format f);
const char *format_name(enum pixel_format f);
bool format_is_integer(enum pixel_format f); /* True for SINT and UINT. */
/* A format from its hardware code (FORMAT_NONE if the code is unknown), and the code from a format
 * (0 if the format has none). */
enum pixel_format format_from_color_code(
    uint32_t rt_format); /* G80_SURFACE_FORMAT: cf, d5, ca ... */
uint32_t format_color_code(enum pixel_format f);
enum pixel_format format_from_zeta_code(uint32_t zeta_format); /* of ZETA_FORMAT: a, 13 .. 16, 19 */

/* The sRGB curve (srgb.c): clamps a linear value to 0..1 and encodes it. */
float linear_to_srgb(float l);
/* One texel to and from RGBA words (float bits, or integers for SINT/UINT formats). Zeta: depth in
 * R, stencil as an integer in G. Compressed formats: decoded as (0, 0, 0, 1), never encoded. */
void format_decode(enum pixel_format f, const void *texel, uint32_t rgba[4]);
void format_encode(enum pixel_format f, const uint32_t rgba[4], void *texel);
/* Converts n texels that lie side by side, n at most FORMAT_ROW; one build per SIMD level
 * (format_rows_simd.c). rgba[c][i] is component c of texel i. */
enum { FORMAT_ROW = 64 };
SIMD_DECLARE(void, format_decode_row,
             (enum pixel_format f, const uint8_t *texels, uint32_t n,
              uint32_t rgba[4][FORMAT_ROW]));
SIMD_DECLARE(void, format_encode_row,
             (enum pixel_format f, uint32_t rgba[4][FORMAT_ROW], uint32_t n, uint8_t *texels));
