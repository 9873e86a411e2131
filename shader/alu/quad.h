/* Quad exchange: quadop's choice of a neighbour's value and its arithmetic, over 8 quads of 4
 * lanes. Lane & 3 = upper left, upper right, lower left, lower right. Pure. Facts:
 * tesla-isa.md 6.7.
 */
#ifndef SHADER_ALU_QUAD_H
#define SHADER_ALU_QUAD_H

#include "shader/alu/f32.h"

/* v of the lane that `source` names, for every lane. */
LANES_INLINE u32x32 quad_pick(u32x32 v, enum quad_source source) {
    union {
        u32x32 v;
        uint32_t lane[LANES];
    } in = {.v = v}, out;
    const unsigned keep = source >= QUAD_DX ? 3 : 0;
    const unsigned flip = source == QUAD_DX ? 1 : source == QUAD_DY ? 2 : source;
    for (unsigned i = 0; i < LANES; i++)
        out.lane[i] = in.lane[(i & ~3u) | ((i & keep) ^ flip)];
    return out.v;
}

/* All ones in the lanes whose quad position has `kind` among ops[4]. */
LANES_INLINE u32x32 quad_lanes(const uint8_t ops[4], enum quad_op kind) {
    lane_mask quad = 0;
    for (unsigned i = 0; i < 4; i++)
        quad |= (lane_mask)(ops[i] == kind) << i;
    return lanes_from_mask(quad * 0x11111111u);
}

/* a: picked value, b: own value. add a + b, subr b - a, sub a - b, mov2 b + 0. */
LANES_INLINE u32x32 quad_op(u32x32 a, u32x32 b, const uint8_t ops[4]) {
    a = (a ^ (quad_lanes(ops, QUAD_SUBR) & F32_SIGN)) & ~quad_lanes(ops, QUAD_MOV2);
    b ^= quad_lanes(ops, QUAD_SUB) & F32_SIGN;
    return f32_add(a, b, ROUND_RN);
}

#endif
