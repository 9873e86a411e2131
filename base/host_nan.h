/* NaNs where hosts differ, by their bits. For floats that come from programs' memory, or go there.
 */
#ifndef BASE_HOST_NAN_H
#define BASE_HOST_NAN_H

#include "base/bits.h"

/* v, or `other` in place of a NaN. Compilers turn a comparison and a choice into an instruction
 * that, on arm64, gives a NaN for a signalling NaN. */
static inline float number_or(float v, float other) {
    return (float_bits(v) & 0x7fffffff) > 0x7f800000 ? other : v;
}

/* The NaN of an operation on numbers, such as infinity times 0, where it reaches memory: MADE_NAN,
 * as x86 makes it. Other hosts make HOST_NAN. */
#define MADE_NAN 0xffc00000u
#if !defined(__SSE2__)
#define HOST_MAKES_OTHER_NAN
enum { HOST_NAN = 0x7fc00000 };
#endif

#endif
