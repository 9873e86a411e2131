/* The inner loops of transfers over rows of texels, compiled for each SIMD level
 * (copy_rows_simd.c).
 */
#ifndef PIPELINE_TRANSFER_ROWS_H
#define PIPELINE_TRANSFER_ROWS_H

#include "base/format.h"

/* Converts texels between formats whose components are all bytes: byte i of the result is the byte
 * of the source that starts at bit[i], under mask[i], or'ed with a constant. */
struct shuffle {
    uint32_t bit[4], mask[4], ones;
};

SIMD_DECLARE(void, row_shuffle,
             (const struct shuffle *s, const uint8_t *from, uint32_t n, uint8_t *to));
/* Converts between a number format and an integer format; the values are kept. n is at most
 * FORMAT_ROW. */
SIMD_DECLARE(void, row_convert_class,
             (enum pixel_format from, enum pixel_format to, uint32_t n,
              uint32_t rgba[4][FORMAT_ROW]));
/* Bilinear filter of one component of n pixels. tap[0], tap[1]: the upper row's left and right
 * texels; tap[2], tap[3]: the lower row's. The weights are those of the right and of the lower
 * texels. */
SIMD_DECLARE(void, row_filter,
             (const uint32_t *const tap[4], const float *weight_x, float weight_y, uint32_t n,
              uint32_t *out));

#endif
