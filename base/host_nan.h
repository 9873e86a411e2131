/* Operations whose NaN differs between hosts: every host gets x86's result. For floats that come
 * from programs' memory, or go there.
 */
#pragma once

#include "base/bits.h"

/* v, or `other` if v is a NaN. The comparison is one of integers: if it were one of floats, arm64
 * compilers would use an instruction that gives a NaN for a signalling NaN. */
static inline float number_or(float v, float other) {
    return (float_bits(v) & 0x7fffffff) > 0x7f800000 ? other : v;
}

/* When an operation on numbers gives a NaN, such as infinity times 0, MADE_NAN must go to memory,
 * as on x86. Other hosts make HOST_NAN. */
#define MADE_NAN 0xffc00000u
#if !defined(__SSE2__)
#define HOST_MAKES_OTHER_NAN
enum { HOST_NAN = 0x7fc00000 };
#endif
