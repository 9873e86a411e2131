/* The place of a texel that a surface instruction of GF100 accesses in one lane. In: registers of
 * the lane, and the images. Out: an address of the GPU's memory. Must not access the memory. Facts:
 * fermi-isa.md §6.7.
 */
#pragma once

#include "base/surface.h"
#include "shader/fermi.h"

enum { TEXEL_LAYER = 256 /* bytes in one step of the third coordinate */ };

LANES_INLINE uint32_t texel_word(const struct call *c, uint32_t n, int lane) {
    return c->w->r[source_row(c->env, n)][lane];
}

static inline const struct image_view *texel_image(const struct call *c, int lane) {
    static const struct image_view none;
    const struct operand *o = &op_of(c)->src[0];
    const uint32_t n = o->value + (o->flags & OPERAND_BASED ? texel_word(c, o->areg, lane) : 0);
    return c->env->image && n < WARP_IMAGES ? &c->env->image[n] : &none;
}

LANES_INLINE uint32_t texel_bytes(const struct image_view *i) {
    const uint32_t bytes = format_info(i->format)->bytes;
    return bytes ? bytes : 1;
}

/* Clamps a coordinate to the image if the instruction says so. False: the coordinate is outside. */
static inline bool texel_within(const struct op *op, uint32_t *at, uint32_t size, uint32_t limit) {
    if ((uint64_t)*at + size <= limit)
        return true;
    if (op->outside != OUTSIDE_CLAMP || size > limit)
        return false;
    *at = (int32_t)*at < 0 ? 0 : (limit - size) / size * size;
    return true;
}

/* The offset of column x, in bytes, and row y in the image. */
static inline uint64_t texel_offset(const struct image_view *i, uint32_t x, uint32_t y) {
    const struct surface s = {.format = i->format,
                              .width = i->width,
                              .height = i->height,
                              .depth = 1,
                              .linear = i->linear,
                              .pitch = i->width,
                              .tile_h = i->tile_h};
    return surface_offset(&s, x, y, 0);
}

/* The address of an access of `size` bytes; 0: it is outside. */
static inline uint64_t texel_address(const struct call *c, int lane, uint32_t size) {
    const struct op *op = op_of(c);
    const uint32_t first = op->src[1].value;
    const struct image_view *i = texel_image(c, lane);
    const bool typed = op->sub == SURFACE_STORE_TYPED;
    const uint32_t unit = texel_bytes(i);
    const uint64_t row = i->linear ? i->width : (uint64_t)i->width * unit;
    uint32_t x = texel_word(c, first, lane), y = op->dims ? texel_word(c, first + 1, lane) : 0;
    if (typed)
        x = x <= UINT32_MAX / unit ? x * unit : UINT32_MAX;
    x -= typed ? 0 : x % size; /* aligned down */
    if (!i->address || !c->env->memory ||
        !texel_within(op, &x, size, row < UINT32_MAX ? (uint32_t)row : UINT32_MAX) ||
        !texel_within(op, &y, 1, i->height))
        return 0;
    const uint64_t layer = op->dims >= SURFACE_3D ? texel_word(c, first + 2, lane) : 0;
    return i->address + texel_offset(i, x, y) + layer * TEXEL_LAYER;
}
