/* Copies of rectangles of bytes from surface to surface, linear or block-linear on either side. */
#pragma once

#include "base/surface.h"

/* One side of a copy: the first byte of the rectangle is at column x (in bytes), row y, slice or
 * layer z. */
struct copy_side {
    const struct surface *surface;
    uint32_t x, y, z;
};

/* True if source and target share memory, or rows of the target overlap. The result then depends on
 * the order of the rows, so threads must not divide the rows among themselves. */
bool copy_depends_on_order(const struct copy_side *to, const struct copy_side *from,
                           uint32_t length, uint32_t rows);
enum copy_way {
    COPY_PLAIN,
    /* whole cache lines bypass the cache: for copies so large that the cache would lose the lines
     * before they are read */
    COPY_STREAMED,
    COPY_IN_ORDER, /* row by row, in pieces that lie in one tile of both surfaces */
};
/* Copies the rows first .. first + rows - 1 of the rectangle, `length` bytes each. Bytes outside of
 * either surface are left out. */
void copy_rectangle(const struct copy_side *to, const struct copy_side *from, uint32_t length,
                    uint32_t first, uint32_t rows, enum copy_way way);
