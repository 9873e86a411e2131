/* The engines of a channel work as if one after the other: random clears by the 3D engine, copies
 * of bytes and blits of pixels among a few surfaces give the same bytes, whether they are finished
 * one by one or all at the end. The same holds for the result of a query, and for the CPU's view
 * after a finish. */
#include "tests/fifo/fixture.h"

enum { SURFACES = 8, BYTES = 1024, STRIDE = 0x1000, SIDE = 16, ROUNDS = 400 };

static uint64_t at(const struct fixture *f, uint32_t surface) {
    return f->data + (uint64_t)surface * STRIDE;
}

static void clear(struct fixture *f, uint32_t surface, uint32_t value) {
    clear_pixels(f, at(f, surface), 0x20, SIDE, float_bits((float)value / 255));
}

static void copy(struct fixture *f, uint32_t from, uint32_t to) {
    const uint64_t a = at(f, from), b = at(f, to);
    one(f, M2MF, 0x200, 1);
    one(f, M2MF, 0x21c, 1);
    METHOD(f, M2MF, 0x238, (uint32_t)(a >> 32), (uint32_t)(b >> 32));
    METHOD(f, M2MF, 0x30c, (uint32_t)a, (uint32_t)b, 64, 64, 64, SIDE, 0x101, 0);
}

static void blit(struct fixture *f, uint32_t from, uint32_t to) {
    static const uint32_t format[] = {0xd5, 1};
    const uint64_t a = at(f, from), b = at(f, to);
    method(f, TWO_D, 0x200, 2, format);
    METHOD(f, TWO_D, 0x214, 64, SIDE, SIDE, HIGH_LOW(b));
    method(f, TWO_D, 0x230, 2, format);
    METHOD(f, TWO_D, 0x244, 64, SIDE, SIDE, HIGH_LOW(a));
    METHOD(f, TWO_D, 0x8b0, 0, 0, SIDE, SIDE);
    METHOD(f, TWO_D, 0x8c0, 0, 1, 0, 1, 0, 0, 0, 0);
}

FIXTURE_TEST(test_order) {
    uint32_t value[SURFACES] = {0};
    memset(f->bytes, 0, SURFACES * STRIDE);
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t from = random_below(SURFACES),
                       to = (from + 1 + random_below(SURFACES - 1)) % SURFACES,
                       n = random_below(256);
        const uint32_t what = random_below(4);
        if (what < 2)
            clear(f, to, n);
        else if (what == 2)
            copy(f, from, to);
        else
            blit(f, from, to);
        value[to] = what < 2 ? n : value[from];
        if (random_below(2))
            run(f);
        else if (f->count > PUSH_WORDS / 2)
            run(f);
        if (random_below(20))
            continue;
        finish(f);
        for (uint32_t k = 0; k < SURFACES; k++)
            for (uint32_t b = 0; b < BYTES; b++)
                if (f->bytes[k * STRIDE + b] != value[k])
                    fail_msg("round %d: byte %u of surface %u is %u, not %u", i, b, k,
                             f->bytes[k * STRIDE + b], value[k]);
        const uint32_t own = random_below(SURFACES);
        memset(f->bytes + own * STRIDE, (int)n,
               BYTES); /* the CPU may write, because no work is queued */
        value[own] = n;
    }
    assert_int_equal(f->lines, 0);
}

/* A query of the compute engine is written after the 3D engine's earlier work is done. */
FIXTURE_TEST(test_compute_query) {
    const uint64_t to = at(f, SURFACES);
    assert_int_equal(channel_object_create(f->channel, 0xbeef50c0, 0x85c0), 0);
    one(f, 6, 0, 0xbeef50c0);
    for (uint32_t i = 1; i < 20; i++) {
        clear(f, i % SURFACES, i);
        METHOD(f, 6, 0x310, HIGH_LOW(to), i, 0);
        run(f);
        assert_int_equal(word_at(f, SURFACES * STRIDE), i);
        assert_int_equal(f->bytes[i % SURFACES * STRIDE + BYTES - 1], i);
    }
    assert_int_equal(f->lines, 0);
}
