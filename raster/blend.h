/* The blend unit over 32 lanes, the first step of the colour ROP: OpenGL 3.3, 4.1.7, in single
 * precision, one rounding per operation. In: source and stored colours as floats (sources already
 * clamped for fixed-point targets). Out: the blended colour, not yet clamped. Knows no formats.
 */
#pragma once

#include "base/host_nan.h"
#include "base/lanes.h"
#include "raster/functions.h"
#include "raster/raster.h"

/* True if a factor of the equation is the program's second colour. */
static inline bool blend_second_source(const struct blend_target *e) {
    const uint16_t factor[4] = {e->src_rgb, e->dst_rgb, e->src_a, e->dst_a};
    for (int i = 0; i < 4; i++) {
        if (factor[i] >= BLEND_SRC1_COLOR)
            return true;
    }
    return false;
}

struct blend_colors {
    f32x32 src[4], src1[4], dst[4];
    const float *constant;
};

/* x times the factor for component i (3: alpha). BLEND_ZERO gives 0 even if x is infinite. */
LANES_INLINE f32x32 blend_term(uint16_t factor, int i, f32x32 x, const struct blend_colors *c) {
    const f32x32 one = lanes_splat_f(1.0f);
    switch (factor) {
    case BLEND_ZERO:
        return lanes_splat_f(0.0f);
    case BLEND_SRC_COLOR:
        return x * c->src[i];
    case BLEND_ONE_MINUS_SRC_COLOR:
        return x * (one - c->src[i]);
    case BLEND_SRC_ALPHA:
        return x * c->src[3];
    case BLEND_ONE_MINUS_SRC_ALPHA:
        return x * (one - c->src[3]);
    case BLEND_DST_COLOR:
        return x * c->dst[i];
    case BLEND_ONE_MINUS_DST_COLOR:
        return x * (one - c->dst[i]);
    case BLEND_DST_ALPHA:
        return x * c->dst[3];
    case BLEND_ONE_MINUS_DST_ALPHA:
        return x * (one - c->dst[3]);
    case BLEND_SRC_ALPHA_SATURATE:
        return i == 3 ? x : x * lanes_min_f(c->src[3], one - c->dst[3]);
    case BLEND_CONSTANT_COLOR:
        return x * lanes_splat_f(c->constant[i]);
    case BLEND_ONE_MINUS_CONSTANT_COLOR:
        return x * lanes_splat_f(1.0f - c->constant[i]);
    case BLEND_CONSTANT_ALPHA:
        return x * lanes_splat_f(c->constant[3]);
    case BLEND_ONE_MINUS_CONSTANT_ALPHA:
        return x * lanes_splat_f(1.0f - c->constant[3]);
    case BLEND_SRC1_COLOR:
        return x * c->src1[i];
    case BLEND_ONE_MINUS_SRC1_COLOR:
        return x * (one - c->src1[i]);
    case BLEND_SRC1_ALPHA:
        return x * c->src1[3];
    case BLEND_ONE_MINUS_SRC1_ALPHA:
        return x * (one - c->src1[3]);
    default: /* BLEND_ONE */
        return x;
    }
}

/* Returns v; a NaN that the operations made from other values becomes MADE_NAN. */
LANES_INLINE f32x32 blend_made_nan(f32x32 v, f32x32 src, f32x32 dst) {
#ifdef HOST_MAKES_OTHER_NAN
    const u32x32 made = (u32x32)((u32x32)v == HOST_NAN) & (u32x32)((u32x32)src != HOST_NAN) &
                        (u32x32)((u32x32)dst != HOST_NAN);
    return (f32x32)((u32x32)v | (made & MADE_NAN));
#else
    (void)src, (void)dst;
    return v;
#endif
}

LANES_INLINE f32x32 blend_component(uint16_t equation, uint16_t src_factor, uint16_t dst_factor,
                                    int i, const struct blend_colors *c) {
    if (equation == EQUATION_MIN)
        return lanes_min_f(c->src[i], c->dst[i]);
    if (equation == EQUATION_MAX)
        return lanes_max_f(c->src[i], c->dst[i]);
    const f32x32 s = blend_term(src_factor, i, c->src[i], c);
    const f32x32 d = blend_term(dst_factor, i, c->dst[i], c);
    const f32x32 v = equation == EQUATION_SUBTRACT           ? s - d
                     : equation == EQUATION_REVERSE_SUBTRACT ? d - s
                                                             : s + d;
    return blend_made_nan(v, c->src[i], c->dst[i]);
}
