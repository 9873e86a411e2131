/* Rows of texels between two surfaces, compiled for each SIMD level: bytes in another order,
 * numbers to integers and back, bilinear filtering. In and out: rows. Must not know surfaces.
 */
#include "pipeline/transfer/copy_rows.h"

#include "base/host_nan.h"

#include <math.h>

void SIMD_FN(row_shuffle)(const struct shuffle *s, const uint8_t *from, uint32_t n, uint8_t *to) {
    const struct shuffle k = *s;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t in, out = k.ones;
        memcpy(&in, from + 4 * i, sizeof in);
        for (uint32_t b = 0; b < 4; b++)
            out |= (in >> k.bit[b] & k.mask[b]) << 8 * b;
        memcpy(to + 4 * i, &out, sizeof out);
    }
}

/* Converts an integer to the bits of a float, or the bits of a float to an integer. A float outside
 * of the integer's range becomes the least or greatest integer that a float can represent; NaN
 * becomes the greatest. */
static uint32_t convert_number(uint32_t v, bool to_integer, bool is_signed) {
    const float most = is_signed ? 2147483520.0f : 4294967040.0f;
    const float f = number_or(bits_float(v), most);
    if (!to_integer)
        return float_bits(is_signed ? (float)(int32_t)v : (float)v);
    if (is_signed)
        return (uint32_t)(int32_t)fmaxf(-2147483648.0f, fminf(f, most));
    return (uint32_t)fmaxf(0, fminf(f, most));
}

void SIMD_FN(row_convert_class)(enum pixel_format from, enum pixel_format to, uint32_t n,
                                uint32_t rgba[4][FORMAT_ROW]) {
    const bool to_integer = format_is_integer(to);
    const bool is_signed = format_info(to_integer ? to : from)->type == COMPONENT_SINT;
    if (format_is_integer(from) == to_integer)
        return;
    for (int c = 0; c < 4; c++)
        for (uint32_t i = 0; i < n; i++)
            rgba[c][i] = convert_number(rgba[c][i], to_integer, is_signed);
}

void SIMD_FN(row_filter)(const uint32_t *const tap[4], const float *weight_x, float weight_y,
                         uint32_t n, uint32_t *out) {
    const uint32_t *a = tap[0], *b = tap[1], *c = tap[2], *d = tap[3];
    for (uint32_t i = 0; i < n; i++) {
        const float wu = weight_x[i];
        const float top = bits_float(a[i]) * (1 - wu) + bits_float(b[i]) * wu;
        const float low = bits_float(c[i]) * (1 - wu) + bits_float(d[i]) * wu;
        out[i] = float_bits(top * (1 - weight_y) + low * weight_y);
#ifdef HOST_MAKES_OTHER_NAN
        if (out[i] == HOST_NAN && a[i] != HOST_NAN && b[i] != HOST_NAN && c[i] != HOST_NAN &&
            d[i] != HOST_NAN)
            out[i] = MADE_NAN;
#endif
    }
}
