/* The eight comparison functions over 32 lanes, for depth, stencil and alpha tests. Results are all
 * ones or zeros per lane. func is a constant wherever speed matters. */
#ifndef RASTER_COMPARE_H
#define RASTER_COMPARE_H

#include "base/lanes.h"
#include "raster/functions.h"

/* Values below 2^31: signed comparison exists at every SIMD level. */
LANES_INLINE u32x32 compare_int(uint32_t func, i32x32 a, i32x32 b) {
    switch (func) {
    case FUNC_NEVER:
        return lanes_splat(0);
    case FUNC_LESS:
        return (u32x32)(a < b);
    case FUNC_EQUAL:
        return (u32x32)(a == b);
    case FUNC_LEQUAL:
        return (u32x32)(a <= b);
    case FUNC_GREATER:
        return (u32x32)(a > b);
    case FUNC_NOTEQUAL:
        return (u32x32)(a != b);
    case FUNC_GEQUAL:
        return (u32x32)(a >= b);
    default:
        return lanes_splat(UINT32_MAX);
    }
}

LANES_INLINE u32x32 compare_float(uint32_t func, f32x32 a, f32x32 b) {
    switch (func) {
    case FUNC_NEVER:
        return lanes_splat(0);
    case FUNC_LESS:
        return (u32x32)(a < b);
    case FUNC_EQUAL:
        return (u32x32)(a == b);
    case FUNC_LEQUAL:
        return (u32x32)(a <= b);
    case FUNC_GREATER:
        return (u32x32)(a > b);
    case FUNC_NOTEQUAL:
        return (u32x32)(a != b);
    case FUNC_GEQUAL:
        return (u32x32)(a >= b);
    default:
        return lanes_splat(UINT32_MAX);
    }
}

#endif
