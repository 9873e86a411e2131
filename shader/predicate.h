/* The lanes in which a predicate code holds. In: struct flags, a mask for each flag of a $c
 * register, and the 5-bit code. Out: a lane mask. Facts: tesla-isa.md §5.
 */
#pragma once

#include "shader/warp.h"

LANES_INLINE lane_mask predicate_lanes(const struct flags *f, unsigned code) {
    const lane_mask z = f->z, s = f->s, c = f->c, o = f->o;
    switch (code) {
    case 0x01:
        return (s & ~z) ^ o;
    case 0x02:
        return z & ~s;
    case 0x03:
        return s ^ (z | o);
    case 0x04:
        return ~z & ~(s ^ o);
    case 0x05:
        return ~z;
    case 0x06:
        return ~(s ^ o);
    case 0x07:
        return ~z | ~s;
    case 0x08:
        return z & s;
    case 0x09:
        return s ^ o;
    case 0x0a:
        return z;
    case 0x0b:
        return z | (s ^ o);
    case 0x0c:
        return ~s ^ (z | o);
    case 0x0d:
        return ~z | s;
    case 0x0e:
        return (~s | z) ^ o;
    case PRED_ALWAYS:
        return LANES_ALL;
    case 0x10:
        return o;
    case 0x11:
        return c;
    case 0x12:
        return ~z & c;
    case 0x13:
        return s;
    case 0x1c:
        return ~s;
    case 0x1d:
        return z | ~c;
    case 0x1e:
        return ~c;
    case 0x1f:
        return ~o;
    default:
        return 0; /* 00 is never; 14 to 1b are undefined, and the decoder rejects them */
    }
}
