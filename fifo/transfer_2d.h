/* What uploads and blits of the 2D engine have in common: texels of a source taken by columns and
 * lines, filtered, converted, and combined with a destination, a row at a time.
 */
#ifndef FIFO_TRANSFER_2D_H
#define FIFO_TRANSFER_2D_H

#include "base/surface.h"
#include "raster/raster.h"

/* How source bits meet those of the destination: bit P << 2 | S << 1 | D of the code is the result
 * for the bits P of the pattern, S and D. The driver masks depth or stencil this way, with a
 * pattern of one colour. */
struct rop {
    uint8_t code;
    uint8_t pattern[4];
};
enum { ROP_SOURCE = 0xcc };

/* Where the pixels of one axis of the rectangle come from. */
struct axis {
    uint32_t *texel; /* nearest, or the lower of two */
    uint32_t *next;  /* bilinear: the upper */
    float *weight;   /* bilinear: of the upper */
};

struct transfer {
    struct surface src, dst;
    uint32_t src_layer, dst_layer;
    struct raster_rect rect; /* of the destination; texel[0] is its first column or line */
    struct axis x, y;        /* every texel lies in the source's width and height */
    struct rop rop;
    bool bilinear;
};

/* Room for the axes of the rectangle; false without memory. */
bool transfer_open(struct transfer *t);
void transfer_close(struct transfer *t);
/* Texels outside of the memory of source or destination are left out. A row of the source is read
 * before that row of the destination is written. False without memory: nothing was done. */
bool transfer_run(const struct transfer *t);

#endif
