/* Quad exchange: quadop's choice of a neighbour's value and its arithmetic, over 8 quads of 4
 * lanes. Lane & 3: 0 upper left, 1 upper right, 2 lower left, 3 lower right. Pure. Facts:
 * tesla-isa.md §6.7.
 */
#pragma once

#include "shader/alu/f32.h"

/* v, with the four lanes of each quad taken from the lanes a, b, c, d (0 to 3) of the same quad. */
#define QUAD_SHUFFLE(v, a, b, c, d)                                                                \
    __builtin_shufflevector(v, v, a, b, c, d, 4 + a, 4 + b, 4 + c, 4 + d, 8 + a, 8 + b, 8 + c,     \
                            8 + d, 12 + a, 12 + b, 12 + c, 12 + d, 16 + a, 16 + b, 16 + c, 16 + d, \
                            20 + a, 20 + b, 20 + c, 20 + d, 24 + a, 24 + b, 24 + c, 24 + d,        \
                            28 + a, 28 + b, 28 + c, 28 + d)

/* For every lane the value of the quad lane that `source` names. */
LANES_INLINE u32x32 quad_pick(u32x32 v, enum quad_source source) {
    switch (source) {
    case QUAD_L0:
        return QUAD_SHUFFLE(v, 0, 0, 0, 0);
    case QUAD_L1:
        return QUAD_SHUFFLE(v, 1, 1, 1, 1);
    case QUAD_L2:
        return QUAD_SHUFFLE(v, 2, 2, 2, 2);
    case QUAD_L3:
        return QUAD_SHUFFLE(v, 3, 3, 3, 3);
    case QUAD_DX:
        return QUAD_SHUFFLE(v, 1, 0, 3, 2);
    default: /* QUAD_DY */
        return QUAD_SHUFFLE(v, 2, 3, 0, 1);
    }
}

/* All ones in the lanes whose operation in ops[4], one for each position in the quad, is `kind`. */
LANES_INLINE u32x32 quad_lanes(const uint8_t ops[4], enum quad_op kind) {
    lane_mask quad = 0;
    for (unsigned i = 0; i < 4; i++)
        quad |= (lane_mask)(ops[i] == kind) << i;
    return lanes_from_mask(quad * 0x11111111u);
}

/* a: the picked value, b: the lane's own. QUAD_ADD: a + b; QUAD_SUBR: b - a; QUAD_SUB: a - b;
 * QUAD_MOV2: b + 0. */
LANES_INLINE u32x32 quad_op(u32x32 a, u32x32 b, const uint8_t ops[4]) {
    a = (a ^ (quad_lanes(ops, QUAD_SUBR) & F32_SIGN)) & ~quad_lanes(ops, QUAD_MOV2);
    b ^= quad_lanes(ops, QUAD_SUB) & F32_SIGN;
    return f32_add(a, b, ROUND_RN);
}
