/* Fixture: a channel of a GF100 and its command words. */
#ifndef TESTS_FIFO_FERMI_H
#define TESTS_FIFO_FERMI_H

#include "tests/fifo/fixture.h"

enum { F3D, FCOMPUTE, FM2MF, F2D };
enum { INCREASE = 1, STAY = 3, IMMEDIATE = 4, INCREASE_ONCE = 5 };
enum { CB_SIZE = 0x2380, CB_POS = 0x238c, CB_DATA = 0x2390 };

static inline void head(struct fixture *f, uint32_t kind, uint32_t subchannel, uint32_t address,
                        uint32_t field) {
    put(f, kind << 29 | field << 16 | subchannel << 13 | address >> 2);
}

static inline void send(struct fixture *f, uint32_t subchannel, uint32_t address, uint32_t data) {
    head(f, INCREASE, subchannel, address, 1);
    put(f, data);
}

/* Opens a channel with objects of `classes` on subchannels 0, 1, ... */
static inline void open_fermi(struct fixture *f, uint32_t chipset, const uint32_t *classes,
                              uint32_t count) {
    fixture_open(f, TP_CHIP_GF100, chipset, 1, 64 << 20);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(channel_object_create(f->channel, 0xbeef0000 + i, classes[i]), 0);
        send(f, i, 0, classes[i]); /* a class number instead of a handle */
    }
}

/* A channel with all four objects, on the subchannels F3D to F2D. */
static inline int setup_fermi(void **state) {
    static const uint32_t classes[] = {0x9097, 0x90c0, 0x9039, 0x902d};
    static struct fixture f;
    open_fermi(&f, 0xc0, classes, LENGTH(classes));
    run(&f);
    *state = &f;
    return 0;
}

#endif
