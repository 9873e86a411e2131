/* The inner loops of transfers over rows of texels, compiled for each SIMD level
 * (copy_rows_simd.c); transfer.c calls them.
 */
#pragma once

#include "base/format.h"

/* The conversion between formats whose components are all bytes. Byte i of a result texel is the
 * source's byte from bit[i] on, masked with mask[i] and or'ed with byte i of `ones`. */
struct shuffle {
    uint32_t bit[4], mask[4], ones;
};

SIMD_DECLARE(void, row_shuffle,
             (const struct shuffle *s, const uint8_t *from, uint32_t n, uint8_t *to));
/* Converts between a normalized or float format and an integer format, keeping the values. n is at
 * most FORMAT_ROW. */
SIMD_DECLARE(void, row_convert_class,
             (enum pixel_format from, enum pixel_format to, uint32_t n,
              uint32_t rgba[4][FORMAT_ROW]));
/* Bilinear filter of one component of n pixels. tap[0], tap[1]: the left and right texels of the
 * upper row; tap[2], tap[3]: of the lower row. weight_x, weight_y: the weights of the right and of
 * the lower texels, 0 to 1. */
SIMD_DECLARE(void, row_filter,
             (const uint32_t *const tap[4], const float *weight_x, float weight_y, uint32_t n,
              uint32_t *out));
