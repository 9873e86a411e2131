/* The eight comparison functions over 32 lanes, for depth, stencil and alpha tests. A lane of the
 * result has all bits 1 or all bits 0. Callers pass a constant func where speed matters. */
#pragma once

#include "base/lanes.h"
#include "raster/functions.h"

#define COMPARE(name, type)                                                                        \
    LANES_INLINE u32x32 name(uint32_t func, type a, type b) {                                      \
        switch (func) {                                                                            \
        case FUNC_NEVER:                                                                           \
            return lanes_splat(0);                                                                 \
        case FUNC_LESS:                                                                            \
            return (u32x32)(a < b);                                                                \
        case FUNC_EQUAL:                                                                           \
            return (u32x32)(a == b);                                                               \
        case FUNC_LEQUAL:                                                                          \
            return (u32x32)(a <= b);                                                               \
        case FUNC_GREATER:                                                                         \
            return (u32x32)(a > b);                                                                \
        case FUNC_NOTEQUAL:                                                                        \
            return (u32x32)(a != b);                                                               \
        case FUNC_GEQUAL:                                                                          \
            return (u32x32)(a >= b);                                                               \
        default:                                                                                   \
            return lanes_splat(UINT32_MAX);                                                        \
        }                                                                                          \
    }
COMPARE(compare_int, i32x32) /* values below 2^31: signed comparison exists at every SIMD level */
COMPARE(compare_float, f32x32)
#undef COMPARE
