/* What transfers do with rows of texels, compiled per SIMD level (rows_simd.c). */
#ifndef PIPELINE_TRANSFER_ROWS_H
#define PIPELINE_TRANSFER_ROWS_H

#include "base/format.h"

/* How texels of one format become texels of another when all their components are bytes: byte i of
 * the result is the byte of the source that starts at bit[i], under mask[i], or'ed with what is
 * constant. */
struct shuffle {
    uint32_t bit[4], mask[4], ones;
};

SIMD_DECLARE(void, row_shuffle,
             (const struct shuffle *s, const uint8_t *from, uint32_t n, uint8_t *to));
/* Between a number and an integer format the values are kept; n at most FORMAT_ROW. */
SIMD_DECLARE(void, row_convert_class,
             (enum pixel_format from, enum pixel_format to, uint32_t n,
              uint32_t rgba[4][FORMAT_ROW]));
/* One component of two columns of two lines, in the middle of each four: tap[0], tap[1] the upper
 * line's; weights of the second column and of the second line. */
SIMD_DECLARE(void, row_filter,
             (const uint32_t *const tap[4], const float *weight_x, float weight_y, uint32_t n,
              uint32_t *out));

#endif
