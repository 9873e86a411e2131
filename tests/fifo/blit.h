/* Fixture: two surfaces of 16 x 16 pixels, and blits from one to the other. */
#ifndef TESTS_FIFO_BLIT_H
#define TESTS_FIFO_BLIT_H

#include "tests/fifo/fixture.h"

enum { FROM = 0x40000, SIDE = 16 };

static inline void surfaces(struct fixture *f) {
    const uint64_t from = f->data + FROM;
    const uint32_t format[] = {0xd5, 1};
    method(f, TWO_D, 0x200, 2, format);
    METHOD(f, TWO_D, 0x214, SIDE * 4, SIDE, SIDE, HIGH_LOW(f->data));
    method(f, TWO_D, 0x230, 2, format);
    METHOD(f, TWO_D, 0x244, SIDE * 4, SIDE, SIDE, HIGH_LOW(from));
    one(f, TWO_D, 0x88c, 0);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t texel = 0xff000000 | i;
        memcpy(f->bytes + FROM + 4 * i, &texel, 4);
    }
}

/* to: place (x, y) and size in the destination; du, dv: the step in the source from pixel to pixel
 * of the destination; x, y: place in the source. All in whole pixels. */
static inline void blit(struct fixture *f, const int32_t to[4], int32_t du, int32_t dv, int32_t x,
                        int32_t y) {
    METHOD(f, TWO_D, 0x8b0, (uint32_t)to[0], (uint32_t)to[1], (uint32_t)to[2], (uint32_t)to[3], 0,
           (uint32_t)du, 0, (uint32_t)dv, 0, (uint32_t)x, 0, (uint32_t)y);
}

#endif
