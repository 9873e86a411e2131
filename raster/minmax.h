/* Minimum and maximum over 32 lanes with one instruction a vector: a < b ? a : b and a > b ? a : b,
 * so a NaN in a gives b. The same at every SIMD level. */
#ifndef RASTER_MINMAX_H
#define RASTER_MINMAX_H

#include "base/lanes.h"

#if defined(__AVX512F__)
#define MINMAX_PARTS 2
#define MINMAX_PART __m512
#define MINMAX_OP(op) _mm512_##op##_ps
#elif defined(__AVX2__)
#define MINMAX_PARTS 4
#define MINMAX_PART __m256
#define MINMAX_OP(op) _mm256_##op##_ps
#else
#define MINMAX_PARTS 8
#define MINMAX_PART __m128
#define MINMAX_OP(op) _mm_##op##_ps
#endif

#define MINMAX_FUNCTION(name, op)                                                                  \
    LANES_INLINE f32x32 name(f32x32 a, f32x32 b) {                                                 \
        union {                                                                                    \
            f32x32 v;                                                                              \
            MINMAX_PART part[MINMAX_PARTS];                                                        \
        } x = {.v = a}, y = {.v = b};                                                              \
        for (int i = 0; i < MINMAX_PARTS; i++)                                                     \
            x.part[i] = MINMAX_OP(op)(x.part[i], y.part[i]);                                       \
        return x.v;                                                                                \
    }
MINMAX_FUNCTION(lanes_min_f, min)
MINMAX_FUNCTION(lanes_max_f, max)

#endif
