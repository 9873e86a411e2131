/* Rounding control: directed rounding of host arithmetic, and the rounding of integer magnitudes.
 * enum round_mode has the order of fp_rounding() (nearest, down, up, zero). Knows no format.
 */
#pragma once

#include "base/fp_mode.h"
#include "base/lanes.h"
#include "shader/op.h"

/* Hides v from the optimizer, so that arithmetic on it cannot move across a change of the mode. */
#if defined(FP_HOST_MODE)
#define ROUND_BARRIER(v) __asm__ volatile("" : "+m"(v) : : "memory")
#else
#define ROUND_BARRIER(v) ((void)&(v))
#endif

LANES_INLINE unsigned round_begin(enum round_mode mode) {
    unsigned old = fp_mode();
    fp_set_mode((old & ~(unsigned)FP_ROUND) | fp_rounding(mode));
    return old;
}

LANES_INLINE void round_end(unsigned old) {
    fp_set_mode(old);
}

/* The rounding of a magnitude: to nearest even, or up in the lanes of `up` and down elsewhere. */
struct round_rule {
    bool nearest;
    u32x32 up; /* all ones: away from zero */
};

/* sign: all ones in lanes with negative values, whose magnitude grows when they are rounded
 * down. */
LANES_INLINE struct round_rule round_rule_for(enum round_mode mode, u32x32 sign) {
    struct round_rule r = {.nearest = mode == ROUND_RN, .up = lanes_splat(0)};
    if (mode == ROUND_RM)
        r.up = sign;
    if (mode == ROUND_RP)
        r.up = ~sign;
    return r;
}

/* v >> n rounded by the rule, n in 0..31. */
LANES_INLINE u32x32 round_shift(u32x32 v, u32x32 n, struct round_rule rule) {
    const u32x32 one = lanes_splat(1);
    u32x32 kept = v >> n;
    u32x32 rest = v & ((one << n) - 1);
    u32x32 inexact = (u32x32)(rest != 0);
    u32x32 half = (one << n) >> 1;
    u32x32 carry;
    if (rule.nearest) {
        u32x32 odd = (u32x32)((kept & 1) != 0);
        carry = (u32x32)(rest > half) | ((u32x32)(rest == half) & odd & inexact);
    } else {
        carry = rule.up & inexact;
    }
    return kept - carry; /* carry is 0 or -1 */
}
