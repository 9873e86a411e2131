/* Copies, uploads and blits of the 2D engine, the copy engine and the C API. They are not queued in
 * the scene: the work that they depend on is flushed first. Texels of a source are gathered by
 * column and row, filtered, converted, and combined with a destination, a row at a time; or bytes
 * are copied unchanged. Large transfers are divided between the context's threads.
 */
#pragma once

#include "base/copy.h"
#include "pipeline/context.h"

/* A raster operation: bit P << 2 | S << 1 | D of the code is the result for bit P of the pattern,
 * bit S of the source and bit D of the destination. Drivers use a pattern of one colour to mask
 * depth or stencil. */
struct rop {
    uint8_t code;
    uint8_t pattern[4];
};
enum { ROP_SOURCE = 0xcc };

/* For the pixels along one axis of the rectangle: their source texels. */
struct axis {
    uint32_t *texel; /* nearest: the texel; bilinear: the lower of two */
    uint32_t *next;  /* bilinear: the upper of two */
    float *weight;   /* bilinear: weight of the upper texel */
};

struct transfer {
    struct surface src, dst;
    uint32_t src_layer, dst_layer;
    struct raster_rect rect; /* in the destination; x.texel[0], y.texel[0] belong to its corner */
    struct axis x, y;        /* every texel lies in the source's width and height */
    struct rop rop;
    bool bilinear;
    /* For transfers that convert. grey: red, green and blue get the value of a source with a single
     * component that is not an integer. dropped: bits of components that become 0 (bit 0 red .. bit
     * 3 alpha). */
    bool grey;
    uint8_t dropped;
};

/* Allocates the axes of the rectangle; false when out of memory. */
bool transfer_open(struct transfer *t);
void transfer_close(struct transfer *t);
/* Fills one axis of a scaled blit: pixel i comes from the source coordinate source + (first + i) *
 * step, in texels. Coordinates outside of the source repeat its edge. */
struct transfer_scale {
    double source, first, step;
    uint32_t size; /* texels of the source */
};
void transfer_axis(struct axis *axis, uint32_t count, const struct transfer_scale *s,
                   bool bilinear);
/* Does the transfer. Texels outside of the memory of source or destination are left out. A row of
 * the destination is written after the source rows for it are read. False when out of memory; then
 * nothing was transferred. */
bool transfer_run(tp_context *c, const struct transfer *t);
/* Copies a rectangle of bytes, like copy_rectangle(). If the result depends on the order, rows are
 * copied in order. */
void transfer_copy(tp_context *c, const struct copy_side *to, const struct copy_side *from,
                   uint32_t length, uint32_t rows);
