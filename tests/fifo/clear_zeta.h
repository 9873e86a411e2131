/* Fixture: a depth target of 32 x 32, and clears of it. */
#ifndef TESTS_FIFO_CLEAR_ZETA_H
#define TESTS_FIFO_CLEAR_ZETA_H

#include "tests/fifo/fixture.h"

enum { NOP = 0x100, STENCIL_VALUE = 0xda0, BIG = 9 << 20 };

static inline void zeta_target(struct fixture *f) {
    const uint32_t screen[] = {32 << 16, 32 << 16};
    one(f, THREE_D, 0x121c, 0);
    METHOD(f, THREE_D, 0xfe0, HIGH_LOW(f->data), 0x16, 0, 0);
    METHOD(f, THREE_D, 0x1228, 32, 32, 1);
    one(f, THREE_D, 0x1538, 1);
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
}

static inline void clear_zeta(struct fixture *f, uint32_t mask, uint32_t stencil, uint32_t what) {
    one(f, THREE_D, 0x1398, mask);
    one(f, THREE_D, 0x143c, mask == 0xff ? 0x10 : 0x11);
    one(f, THREE_D, STENCIL_VALUE, stencil);
    one(f, THREE_D, 0x19d0, what);
}

#endif
