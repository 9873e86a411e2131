/* Copies of rectangles of bytes from surface to surface, linear or block-linear on either side. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include "base/surface.h"

/* The first byte of the rectangle: column x (in bytes), row y, slice or layer z. */
struct copy_side {
    const struct surface *surface;
    uint32_t x, y, z;
};

/* Source and target share memory, or rows of the target share some: what is there in the end depends
 * on the order, so that the rows cannot be divided between threads. */
bool copy_depends_on_order(const struct copy_side *to, const struct copy_side *from,
                           uint32_t length, uint32_t rows);
/* Rows first .. first + rows - 1 of the rectangle, each length bytes. What lies outside of either
 * surface's bytes is left out. in_order: row by row, a piece that lies in one tile on both sides after
 * the other. */
void copy_rectangle(const struct copy_side *to, const struct copy_side *from, uint32_t length,
                    uint32_t first, uint32_t rows, bool in_order);

#endif
