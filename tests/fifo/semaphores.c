/* The channel's semaphores: acquires, releases, addresses. */
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"

#include <time.h>

/* TRIGGER: 1 waits for an equal value, 4 for at least this value (modulo 2^32), 8 for any common
 * bit. A wait ends at once or times out. */
FIXTURE_TEST(test_acquires) {
    static const struct {
        uint32_t trigger, is, want;
        bool met;
    } row[] = {{1, 5, 5, true},           {1, 5, 4, false},
               {1, 4, 5, false},          {4, 5, 5, true},
               {4, 6, 5, true},           {4, 4, 5, false},
               {4, 2, 0xfffffffe, true},  {4, 0xfffffffe, 2, false},
               {4, 0x80000004, 5, true},  {4, 0x80000004, 4, false},
               {4, 0x80000003, 4, true},  {8, 6, 4, true},
               {8, 6, 12, true},          {8, 6, 9, false},
               {8, 0, 0xffffffff, false}, {8, 0x80000000, 0x80000001, true}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        memcpy(f->bytes, &row[i].is, 4);
        memset(f->bytes + 16, 0, 16);
        channel_set_patience(f->channel, 0);
        METHOD(f, THREE_D, 0x10, HIGH_LOW(f->data), row[i].want, row[i].trigger);
        METHOD(f, THREE_D, 0x10, (uint32_t)(f->data >> 32), (uint32_t)f->data + 16, 77, 2);
        run(f);
        if (word_at(f, 16) != (row[i].met ? 77 : 0))
            fail_msg("row %zu: trigger %u, %08x for %08x", i, row[i].trigger, row[i].is,
                     row[i].want);
        renew(f);
    }
}

/* An address has eight bits of the high word. An acquire ignores the two lowest bits of the
 * address, a write the four lowest. */
FIXTURE_TEST(test_semaphore_addresses) {
    static const struct {
        uint32_t words[4];
        const char *said;
    } row[] = {{{0xa5, 0x12345678, 1, 2}, "write of 16 bytes at a512345670"},
               {{0xffffffa5, 0x1234567f, 1, 2}, "write of 16 bytes at a512345670"},
               {{0x80, 0x10, 1, 2}, "write of 16 bytes at 8000000010"},
               {{0xa5, 0x1234567b, 1, 1}, "semaphore acquire of 4 bytes at a512345678"},
               {{0, 0, 1, 3}, "SEMAPHORE_TRIGGER 3"},
               {{0, 0, 1, 0xf2}, "write of 16 bytes at 0000000000"}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        method(f, THREE_D, 0x10, 4, row[i].words);
        run(f);
        if (!strstr(f->last, row[i].said))
            fail_msg("row %zu: '%s'", i, f->last);
    }
}

/* A release writes sequence, zero and the time in nanoseconds; so do reports. Methods that the
 * channel does not have are reported once. */
FIXTURE_TEST(test_releases) {
    const uint32_t at[3] = {HIGH_LOW(f->data), 0x1234};
    uint64_t last = channel_time(f->channel);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_true(last / 1000000000 - (uint64_t)now.tv_sec <= 1 ||
                (uint64_t)now.tv_sec - last / 1000000000 <= 1);
    for (int how = 0; how < 3; how++) {
        memset(f->bytes, 0xff, 32);
        if (how == 0) {
            method(f, THREE_D, 0x10, 3, at);
            one(f, THREE_D, 0x1c, 2);
        } else {
            METHOD(f, THREE_D, 0x1b00, at[0], at[1], at[2], how == 1 ? 0 : 1 << 24);
        }
        finish(f);
        const uint64_t told = word_at(f, 8) | (uint64_t)word_at(f, 12) << 32,
                       after = channel_time(f->channel);
        assert_int_equal(word_at(f, 0), 0x1234);
        assert_int_equal(word_at(f, 4), 0);
        assert_true(told >= last && told <= after);
        assert_int_equal(word_at(f, 16), 0xffffffff);
        last = told;
    }
    for (int i = 0; i < 2; i++) {
        one(f, THREE_D, 0x24, 5 + (uint32_t)i);
        const char *said = complaint(f);
        assert_true(i ? *said == 0
                      : strstr(said, "ILLEGAL_METHOD 0024 of the channel, data 00000005") != NULL);
    }
    one(f, THREE_D, 0x50, 1); /* a reference count */
    one(f, THREE_D, 0x1c, 5);
    assert_non_null(strstr(complaint(f), "SEMAPHORE_TRIGGER 5 is unknown"));
}
