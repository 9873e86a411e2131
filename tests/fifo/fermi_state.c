/* Registers of a Fermi's 3D class that a Tesla's has not, each with the field of the state that must
 * have the value at the next draw; current attributes of all forms, against a model. */
#include "pipeline/context_private.h"
#include "tests/fifo/fermi.h"
#include "tests/random.h"

#include <math.h>

static int setup_fermi(void **state) {
    static const uint32_t classes[] = {0x9097};
    static struct fixture f;
    open_fermi(&f, 0xc0, classes, LENGTH(classes));
    run(&f);
    *state = &f;
    return 0;
}

static const struct state *state_of(const struct fixture *f) {
    return &channel_context(f->channel)->state;
}

struct row {
    uint16_t method;
    uint32_t data;
    size_t offset, size; /* of the field in struct state */
    uint64_t expected;
};
#define ROW(method, data, field, expected)                                                         \
    {method, data, offsetof(struct state, field), sizeof(((struct state *)0)->field), expected}

TEST_WITH(test_fields, setup_fermi, teardown) {
    static const struct row rows[] = {
        ROW(0x320, 0x202, tess_mode.domain, TESS_QUADS),
        ROW(0x320, 0x202, tess_mode.primitives, TESS_TRIANGLE_LIST),
        ROW(0x320, 0x002, tess_mode.primitives, TESS_POINTS),
        ROW(0x320, 0x201, tess_mode.primitives, TESS_TRIANGLE_LIST),
        ROW(0x320, 0x100, tess_mode.primitives, TESS_LINES),
        ROW(0x320, 0x200, tess_mode.primitives, TESS_POINTS),
        ROW(0x320, 0x012, tess_mode.spacing, 1),
        ROW(0x320, 0x102, tess_mode.clockwise, true),
        ROW(0x744, 1, stream.enable, true),
        ROW(0x744, 1, stream.buffer_count, 4),
        ROW(0x3a4, 0x12, stream.buffer[1].address, 0), /* the buffer is off */
        ROW(0x3a8, 0x345678, stream.buffer[1].address, 0),
        ROW(0x3ac, 0x1000, stream.buffer[1].limit, 0),
        ROW(0x714, 5, stream.buffer[1].words, 0),
        ROW(0x718, 20, stream.buffer[1].stride, 0),
        ROW(0x710, 2, stream.buffer[1].stream, STREAM_SKIP),
        ROW(0x3a0, 1, stream.buffer[1].address, UINT64_C(0x1200345678)),
        ROW(0x3a0, 1, stream.buffer[1].limit, 0x1000),
        ROW(0x3a0, 1, stream.buffer[1].words, 5),
        ROW(0x3a0, 1, stream.buffer[1].stride, 20),
        ROW(0x3a0, 1, stream.buffer[1].stream, 2),
        ROW(0x3a0, 1, stream.buffer[0].address, 0),
        ROW(0x3a0, 0, stream.buffer[1].words, 0), /* off again */
        ROW(0x3a0, 0, stream.buffer[1].stride, 0),
        ROW(0x3a0, 1, stream.buffer[1].words, 5),
        ROW(0x744, 0, stream.enable, false),
        ROW(0x744, 0, stream.buffer[1].words, 0),
        ROW(0x744, 0, stream.buffer[1].stride, 0),
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint64_t value = 0;
        send(f, F3D, rows[i].method, rows[i].data);
        send(f, F3D, 0x1618, 4);
        send(f, F3D, 0x1614, 0);
        run(f);
        memcpy(&value, (const uint8_t *)state_of(f) + rows[i].offset, rows[i].size);
        if (value != rows[i].expected)
            fail_msg("row %zu: method %04x, data %08x: %llx", i, rows[i].method, rows[i].data,
                     (unsigned long long)value);
    }
}

/* Indices beyond the end of their array are dropped. */
TEST_WITH(test_end_of_indices, setup_fermi, teardown) {
    enum { INDICES = 20, FIRST = 5 };
    for (uint32_t format = 0; format < 3; format++)
        for (uint32_t count = 13; count < 18; count++) {
            const uint64_t limit = f->data + (INDICES << format) - 1;
            const uint32_t array[] = {(uint32_t)(f->data >> 32),
                                      (uint32_t)f->data,
                                      (uint32_t)(limit >> 32),
                                      (uint32_t)limit,
                                      format,
                                      FIRST};
            head(f, INCREASE, F3D, 0x17c8, LENGTH(array));
            for (uint32_t i = 0; i < LENGTH(array); i++)
                put(f, array[i]);
            send(f, F3D, 0x1618, 0);
            send(f, F3D, 0x17e0, count);
            run(f);
            assert_int_equal(channel_context(f->channel)->p->draw.index_count,
                             count < INDICES - FIRST ? count : INDICES - FIRST);
            send(f, F3D, 0x1614, 0);
            run(f);
        }
}

/* ---- current attributes ---- */

enum { SNORM = 1, UNORM, SINT, UINT, USCALED, SSCALED, FLOAT };

static uint32_t bits_of(double v) {
    const float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t expected_of(uint32_t raw, unsigned bits, unsigned type) {
    const double most = ldexp(1, (int)bits) - 1, half = ldexp(1, (int)bits - 1);
    const double s = raw >= half ? raw - most - 1 : raw;
    switch (type) {
    case SNORM:
        return bits_of(fmax(s / (half - 1), -1));
    case UNORM:
        return bits_of(raw / most);
    case USCALED:
        return bits_of(raw);
    case SSCALED:
        return bits_of(s);
    case SINT:
        return (uint32_t)(int32_t)s;
    case FLOAT: /* halves with one bit in the mantissa */
        return bits == 16 ? bits_of((raw >> 15 ? -1.5 : 1.5) * ldexp(1, (int)(raw >> 10 & 31) - 15))
                          : raw;
    default:
        return raw;
    }
}

/* Missing components are 0, 0, 0, 1. */
TEST_WITH(test_attributes, setup_fermi, teardown) {
    random_start(1);
    for (int round = 0; round < 2000; round++) {
        const uint32_t size = random_below(3), bits = 8u << size, count = 1 + random_below(4);
        const unsigned type = size ? 1 + random_below(7) : 1 + random_below(6);
        const uint32_t i = random_below(16), words = (count * bits + 31) / 32;
        uint32_t word[4] = {0}, raw[4];
        for (uint32_t k = 0; k < count; k++) {
            raw[k] = random_below(8) ? random_below(256) * 0x01010101u : UINT32_MAX;
            if (type == FLOAT && bits == 16)
                raw[k] = (1 + random_below(30)) << 10 | random_below(2) << 15 | 0x200;
            raw[k] &= UINT32_MAX >> (32 - bits);
            word[k * bits / 32] |= raw[k] << k * bits % 32;
        }
        head(f, INCREASE, F3D, 0x114c, 1 + words);
        put(f, i | count << 8 | (1u << size) << 12 | type << 16);
        for (uint32_t k = 0; k < words; k++)
            put(f, word[k]);
        run(f);
        const uint32_t one = type == SINT || type == UINT ? 1 : bits_of(1);
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t want = k < count ? expected_of(raw[k], bits, type) : k < 3 ? 0 : one;
            if (state_of(f)->current[i][k] != want)
                fail_msg("type %u, %u bits, component %u of %u: %08x, not %08x", type, bits, k,
                         count, state_of(f)->current[i][k], want);
        }
    }
}
