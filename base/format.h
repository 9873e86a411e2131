/* Pixel formats: one table with layout, component types and the hardware's codes (colour target,
 * zeta, TIC), and conversion between texels in memory and RGBA words. A format names components
 * from the lowest address or lowest bits upward: RGBA8 has R in byte 0.
 */
#pragma once

#include "base/simd.h"

#include <stdbool.h>
#include <stdint.h>

/* The formats of targets, zeta buffers and textures; format.c's table has the layout of each. */
enum pixel_format {
    FORMAT_NONE,
    /* 128, 64, 32, 16, 8 bits, plain components */
    FORMAT_RGBA32_FLOAT,
    FORMAT_RGBA32_SINT,
    FORMAT_RGBA32_UINT,
    FORMAT_RGBX32_FLOAT,
    FORMAT_RGBX32_SINT,
    FORMAT_RGBX32_UINT,
    FORMAT_RGB32_FLOAT,
    FORMAT_RGB32_SINT,
    FORMAT_RGB32_UINT,
    FORMAT_RGBA16_UNORM,
    FORMAT_RGBA16_SNORM,
    FORMAT_RGBA16_SINT,
    FORMAT_RGBA16_UINT,
    FORMAT_RGBA16_FLOAT,
    FORMAT_RGBX16_FLOAT,
    FORMAT_RG32_FLOAT,
    FORMAT_RG32_SINT,
    FORMAT_RG32_UINT,
    FORMAT_BGRA8_UNORM,
    FORMAT_BGRA8_SRGB,
    FORMAT_BGRX8_UNORM,
    FORMAT_BGRX8_SRGB,
    FORMAT_RGBA8_UNORM,
    FORMAT_RGBA8_SRGB,
    FORMAT_RGBA8_SNORM,
    FORMAT_RGBA8_SINT,
    FORMAT_RGBA8_UINT,
    FORMAT_RGBX8_UNORM,
    FORMAT_RGBX8_SRGB,
    FORMAT_RGB10A2_UNORM,
    FORMAT_RGB10A2_UINT,
    FORMAT_BGR10A2_UNORM,
    FORMAT_RG16_UNORM,
    FORMAT_RG16_SNORM,
    FORMAT_RG16_SINT,
    FORMAT_RG16_UINT,
    FORMAT_RG16_FLOAT,
    FORMAT_R11G11B10_FLOAT,
    FORMAT_RGB9E5_FLOAT,
    FORMAT_R32_FLOAT,
    FORMAT_R32_SINT,
    FORMAT_R32_UINT,
    FORMAT_B5G6R5_UNORM,
    FORMAT_BGR5A1_UNORM,
    FORMAT_BGR5X1_UNORM,
    FORMAT_BGRA4_UNORM,
    FORMAT_RG8_UNORM,
    FORMAT_RG8_SNORM,
    FORMAT_RG8_SINT,
    FORMAT_RG8_UINT,
    FORMAT_R16_UNORM,
    FORMAT_R16_SNORM,
    FORMAT_R16_SINT,
    FORMAT_R16_UINT,
    FORMAT_R16_FLOAT,
    FORMAT_R8_UNORM,
    FORMAT_R8_SNORM,
    FORMAT_R8_SINT,
    FORMAT_R8_UINT,
    FORMAT_A8_UNORM,
    FORMAT_RG4_UNORM,
    /* depth and stencil; the first named component is in the low bits */
    FORMAT_Z16_UNORM,
    FORMAT_Z24S8,
    FORMAT_S8Z24,
    FORMAT_X8Z24 /* depth low */,
    FORMAT_Z32_FLOAT,
    FORMAT_Z32_FLOAT_S8,
    /* compressed, read only */
    FORMAT_DXT1,
    FORMAT_DXT3,
    FORMAT_DXT5,
    FORMAT_RGTC1_UNORM,
    FORMAT_RGTC1_SNORM,
    FORMAT_RGTC2_UNORM,
    FORMAT_RGTC2_SNORM,
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
/* Hardware codes; FORMAT_NONE when unknown, 0 when the format has no such code. */
enum pixel_format format_from_color_code(
    uint32_t rt_format); /* G80_SURFACE_FORMAT: cf, d5, ca ... */
uint32_t format_color_code(enum pixel_format f);
enum pixel_format format_from_zeta_code(uint32_t zeta_format); /* a Z32F, 13 Z16, 14, 15, 16, 19 */

/* The sRGB curve (srgb.c): the encoded value of a linear one, which is clamped to 0..1. */
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
