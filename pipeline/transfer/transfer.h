/* What copies, uploads and blits have in common, those of the 2D and copy engines and of the C API:
 * texels of a source taken by columns and lines, filtered, converted, and combined with a destination, a
 * row at a time; or bytes as they are. Large ones are divided between the context's threads.
 */
#ifndef PIPELINE_TRANSFER_H
#define PIPELINE_TRANSFER_H

#include "base/copy.h"
#include "pipeline/context.h"
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
/* One axis of a scaled blit: pixel i is taken from the source at source + (first + i) * step; what lies
 * outside repeats the edge. */
struct transfer_scale {
    double source, first, step;
    uint32_t size; /* texels of the source */
};
void transfer_axis(struct axis *axis, uint32_t count, const struct transfer_scale *s,
                   bool bilinear);
/* Texels outside of the memory of source or destination are left out. A row of the source is read
 * before that row of the destination is written. False without memory: nothing was done. */
bool transfer_run(tp_context *c, const struct transfer *t);
/* A rectangle of bytes, as copy_rectangle: rows in order where that makes a difference. */
void transfer_copy(tp_context *c, const struct copy_side *to, const struct copy_side *from,
                   uint32_t length, uint32_t rows);

#endif
