/* Queries and fences: forms, counters, conditions, reports at the end of memory. */
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/clear_zeta.h"
#include "tests/fifo/blit.h"
#include "tests/fifo/fermi.h"

#include <time.h>

/* Query 13 reports how far the stream buffer of its index was written. */
FIXTURE_TEST(test_stream_offsets) {
    for (uint32_t i = 0; i < 4; i++)
        one(f, THREE_D, 0x1780 + 4 * i, 0x100 * (i + 1));
    for (uint32_t i = 0; i < 4; i++) {
        METHOD(f, THREE_D, 0x1b00, (uint32_t)(f->data >> 32), (uint32_t)f->data + 32 * i, 7 + i,
               13 << 24 | i << 5);
    }
    finish(f);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(word_at(f, 32 * i), 7 + i);
        assert_int_equal(word_at(f, 32 * i + 4), 0x100 * (i + 1));
    }
}

/* With bit 23 of QUERY_GET, the report is a 64-bit counter and the time, for every counter. Without
 * it, query 0 is a fence with its sequence in word 0; with bit 28, only this word is written. */
FIXTURE_TEST(test_forms_of_queries) {
    static const struct {
        uint32_t get;
        bool sequence, value;
    } row[] = {{1 << 23, false, true}, {1 << 23 | 9 << 24, false, true}, {0, true, true},
               {1 << 28, true, false}, {1 << 28 | 1 << 23, true, false}, {1 << 24, true, true}};
    memset(f->bytes, 0xee, 32 * (LENGTH(row)));
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        const uint32_t get[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data + 32 * i, 7 + i,
                                row[i].get};
        method(f, THREE_D, 0x1b00, 4, get);
    }
    finish(f);
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        assert_int_equal(word_at(f, 32 * i), row[i].sequence ? 7 + i : 0);
        assert_int_equal(word_at(f, 32 * i + 4), row[i].value ? 0 : 0xeeeeeeee);
        assert_int_equal(word_at(f, 32 * i + 8) == 0xeeeeeeee, !row[i].value);
        assert_int_equal(word_at(f, 32 * i + 16), 0xeeeeeeee);
    }
    assert_int_equal(f->lines, 0);
}

/* A fence needs its one word or four words of memory, and no more. */
FIXTURE_TEST(test_fences_at_the_end) {
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (uint32_t back = 4; back <= 20; back += 4)
        for (uint32_t is_short = 0; is_short < 2; is_short++) {
            const uint64_t at = end - back;
            uint32_t *word = memory_at(f->memory, at, 4);
            *word = 0;
            METHOD(f, THREE_D, 0x1b00, HIGH_LOW(at), 0x1234 + back, is_short << 28);
            finish(f);
            assert_int_equal(*word, is_short || back >= 16 ? 0x1234 + back : 0);
        }
}

/* Reports have four words. If one of them lies outside memory, nothing is written. */
FIXTURE_TEST(test_reports_at_the_end) {
    static const uint32_t gets[] = {1u << 23, 1u << 24, 2u << 24, 13u << 24, 0};
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (size_t i = 0; i < LENGTH(gets); i++)
        for (uint32_t back = 4; back <= 20; back += 4) {
            const uint64_t at = end - back;
            uint32_t *word = memory_at(f->memory, at, 4);
            memset(word, 0xee, back);
            METHOD(f, THREE_D, 0x1b00, HIGH_LOW(at), 0x1234 + back, gets[i]);
            finish(f);
            for (uint32_t k = 0; k < back / 4; k++)
                if ((word[k] != 0xeeeeeeee) != (back >= 16 && k < 4))
                    fail_msg("query %08x, %u bytes: word %u is %08x", gets[i], back, k, word[k]);
        }
}

/* Conditional rendering compares word 1 of two reports. */
FIXTURE_TEST(test_condition) {
    static const struct {
        uint32_t mode, first, second;
        bool drawn;
    } row[] = {{0, 1, 1, false}, {1, 0, 0, true},  {2, 0, 1, false}, {2, 1, 0, true},
               {3, 5, 5, true},  {3, 5, 6, false}, {4, 5, 5, false}, {4, 5, 6, true}};
    const uint64_t at = f->data + 0x8000;
    zeta_target(f);
    one(f, THREE_D, 0x1550, (uint32_t)(at >> 32));
    one(f, THREE_D, 0x1554, (uint32_t)at);
    for (size_t i = 0; i < LENGTH(row); i++) {
        const uint32_t report[8] = {9, row[i].first, 1, 2, 8, row[i].second, 3, 4};
        memset(f->bytes, 0, 4096);
        memcpy(f->bytes + 0x8000, report, sizeof report);
        one(f, THREE_D, 0x1558, row[i].mode);
        clear_zeta(f, 0xff, 0x5a, 2);
        finish(f);
        if (word_at(f, 0) >> 24 != (row[i].drawn ? 0x5a : 0))
            fail_msg("row %zu", i);
    }
}

/* Each engine has its own condition. */
FIXTURE_TEST(test_conditions_of_engines) {
    enum { HOLDS = 0x8000, NOT = 0x8100 };
    const uint32_t row[2][8] = {{1, 1}, {0, 0}};
    zeta_target(f);
    memcpy(f->bytes + HOLDS, row[0], sizeof row[0]);
    memcpy(f->bytes + NOT, row[1], sizeof row[1]);
    for (int holds = 0; holds < 2;
         holds++) { /* condition 2: the report is not zero; 3: two reports are equal */
        const uint64_t at = f->data + (holds ? HOLDS : NOT),
                       other = f->data + (holds ? NOT : HOLDS);
        one(f, THREE_D, 0x1550, (uint32_t)(at >> 32));
        one(f, THREE_D, 0x1554, (uint32_t)at);
        one(f, THREE_D, 0x1558, 2);
        one(f, TWO_D, 0x264, (uint32_t)(other >> 32));
        one(f, TWO_D, 0x268, (uint32_t)other);
        one(f, TWO_D, 0x26c, 3);
        for (int again = 0; again < 2; again++) {
            memset(f->bytes, 0, 4096);
            clear_zeta(f, 0xff, 0x5a, 2);
            finish(f);
            assert_int_equal(word_at(f, 0) >> 24, holds ? 0x5a : 0);
            surfaces(f); /* draws if the 2D condition holds */
            memset(f->bytes, 0, 4);
            blit(f, (const int32_t[4]){0, 0, 1, 1}, 1, 1, 0, 1);
            run(f);
            assert_int_equal(word_at(f, 0), holds ? 0xff000000 | SIDE : 0);
        }
    }
}

/* Each counter has its own number: counters 0 to 9 of QUERY_GET with bit 23, and the counters that
 * COUNTER_RESET's codes reset. */
FIXTURE_TEST(test_counters) {
    static const uint8_t by_query[] = {COUNTER_VERTICES,
                                       COUNTER_PRIMITIVES_IN,
                                       COUNTER_VP_LAUNCHES,
                                       COUNTER_GP_LAUNCHES,
                                       COUNTER_GP_PRIMITIVES,
                                       COUNTER_PRIMITIVES_WRITTEN,
                                       COUNTER_PRIMITIVES_GENERATED,
                                       COUNTER_CLIP_IN,
                                       COUNTER_CLIP_OUT,
                                       COUNTER_FP_LAUNCHES};
    static const uint8_t by_reset[][2] = {{0x01, COUNTER_SAMPLES_PASSED},
                                          {0x10, COUNTER_PRIMITIVES_WRITTEN},
                                          {0x11, COUNTER_PRIMITIVES_GENERATED},
                                          {0x11, COUNTER_PRIMITIVES_NEEDED},
                                          {0x12, COUNTER_VERTICES},
                                          {0x13, COUNTER_PRIMITIVES_IN},
                                          {0x15, COUNTER_VP_LAUNCHES},
                                          {0x1a, COUNTER_GP_LAUNCHES},
                                          {0x1b, COUNTER_GP_PRIMITIVES},
                                          {0x1c, COUNTER_CLIP_IN},
                                          {0x1d, COUNTER_CLIP_OUT},
                                          {0x1e, COUNTER_FP_LAUNCHES}};
    tp_context *c = channel_context(f->channel);
    const uint32_t high = (uint32_t)(f->data >> 32), low = (uint32_t)f->data;
    for (uint32_t code = 0; code < 0x21; code++) {
        uint32_t zero = 0;
        for (size_t i = 0; i < LENGTH(by_reset); i++)
            zero |= (uint32_t)(by_reset[i][0] == code) << by_reset[i][1];
        for (uint32_t k = 0; k < COUNTERS; k++)
            c->p->counters.base[k][0] = (uint64_t)0 - (UINT64_C(0x500000000) + 1000 * (k + 1));
        one(f, THREE_D, 0x1530, code);
        const char *said = complaint(f);
        assert_int_equal(*said == 0, zero != 0);
        for (uint32_t k = 0; k < COUNTERS; k++)
            assert_int_equal(context_counter(c, (enum counter)k),
                             zero >> k & 1 ? 0 : UINT64_C(0x500000000) + 1000 * (k + 1));
        for (uint32_t k = 0; k < 12 && code == 0x20; k++) {
            const uint32_t get[] = {high, low, 7, 1 << 23 | k << 24};
            memset(f->bytes, 0xee, 16);
            method(f, THREE_D, 0x1b00, 4, get);
            assert_int_equal(*complaint(f) == 0, k < 10);
            assert_int_equal(word_at(f, 0),
                             k < 10 ? 1000u * (unsigned)(by_query[k] + 1) : 0xeeeeeeee);
            assert_int_equal(word_at(f, 4), k < 10 ? 5u : 0xeeeeeeee);
        }
    }
    /* query 1: samples; 2: whether as many primitives were written as needed room; others are
     * unknown */
    for (uint32_t select = 0; select < 16; select++)
        for (uint32_t same = 0; same < 2; same++) {
            c->p->counters.base[COUNTER_PRIMITIVES_WRITTEN][0] =
                c->p->counters.base[COUNTER_PRIMITIVES_NEEDED][0] - !same;
            memset(f->bytes, 0, 16);
            METHOD(f, THREE_D, 0x1b00, high, low, 9, select << 24);
            finish(f);
            assert_int_equal(word_at(f, 0), 9);
            assert_int_equal(word_at(f, 4), select == 1   ? 1000 * (COUNTER_SAMPLES_PASSED + 1)
                                            : select == 2 ? same
                                                          : 0);
        }
    for (uint32_t by = 1; by < 4; by++) {
        const uint32_t unaligned[] = {high, low + by, 9, 1 << 28};
        memset(f->bytes, 0, 16);
        method(f, THREE_D, 0x1b00, 4, unaligned);
        const char *said = complaint(f);
        assert_true(by > 1 || strstr(said, "QUERY_ADDRESS_LOW (1b04): unaligned address"));
        channel_finish(f->channel);
        assert_int_equal(word_at(f, 0) | word_at(f, 4), 0);
    }
}

/* The primitives of streams that found no room. */
static uint64_t lost(uint64_t (*count)[STATE_STREAMS], uint32_t first, uint32_t last) {
    uint64_t sum = 0;
    for (uint32_t i = first; i <= last; i++)
        sum += count[COUNTER_PRIMITIVES_NEEDED][i] - count[COUNTER_PRIMITIVES_WRITTEN][i];
    return sum;
}

/* The selections of Fermi's QUERY_GET. Reports of a stream's primitives are for the stream in bits
 * 5 to 7; COUNTER_RESET resets the counts of all streams. */
TEST(test_fermi_counters) {
    enum { WIDE, NARROW, LOST, LOST_OF_ALL, REFUSED };
    static const struct {
        uint8_t selection, form, counter;
    } rows[] = {{0x01, WIDE, COUNTER_VERTICES},
                {0x03, WIDE, COUNTER_PRIMITIVES_IN},
                {0x05, WIDE, COUNTER_VP_LAUNCHES},
                {0x07, WIDE, COUNTER_GP_LAUNCHES},
                {0x09, WIDE, COUNTER_GP_PRIMITIVES},
                {0x0f, WIDE, COUNTER_CLIP_IN},
                {0x11, WIDE, COUNTER_CLIP_OUT},
                {0x13, WIDE, COUNTER_FP_LAUNCHES},
                {0x1b, WIDE, COUNTER_PATCHES},
                {0x1d, WIDE, COUNTER_EVALUATIONS},
                {0x0b, WIDE, COUNTER_PRIMITIVES_WRITTEN},
                {0x12, WIDE, COUNTER_PRIMITIVES_GENERATED},
                {0x0d, WIDE, COUNTER_PRIMITIVES_NEEDED},
                {0x02, NARROW, COUNTER_SAMPLES_PASSED},
                {0x06, LOST, 0},
                {0x1e, LOST_OF_ALL, 0},
                {0x15, REFUSED, 0},
                {0x04, REFUSED, 0}};
    static const uint32_t classes[] = {0x9097};
    static struct fixture f;
    open_fermi(&f, 0xc0, classes, 1);
    uint64_t(*const base)[STATE_STREAMS] = channel_context(f.channel)->p->counters.base;
    uint64_t count[COUNTERS][STATE_STREAMS];
    for (uint32_t k = 0; k < COUNTERS; k++)
        for (uint32_t i = 0; i < STATE_STREAMS; i++) {
            count[k][i] = UINT64_C(0x500000000) + 1000 * (k + 1);
            if (k >= COUNTER_PRIMITIVES_GENERATED && k <= COUNTER_PRIMITIVES_NEEDED)
                count[k][i] += k * i;
            base[k][i] = 0 - count[k][i];
        }
    for (uint32_t reset = 0; reset < 2; reset++) {
        for (size_t r = 0; r < LENGTH(rows); r++)
            for (uint32_t i = 0; i < STATE_STREAMS; i++) {
                const uint32_t k = rows[r].counter, form = rows[r].form;
                uint64_t value = count[k][k == COUNTER_SAMPLES_PASSED ? 0 : i], got;
                if (form == LOST)
                    value = lost(count, i, i);
                if (form == LOST_OF_ALL)
                    value = lost(count, 0, STATE_STREAMS - 1);
                memset(f.bytes, 0xee, 16);
                head(&f, INCREASE, F3D, 0x1b00, 4);
                put(&f, (uint32_t)(f.data >> 32));
                put(&f, (uint32_t)f.data);
                put(&f, 77);
                put(&f, (uint32_t)rows[r].selection << 23 | i << 5 | 0x5002);
                assert_int_equal(*complaint(&f) != 0, form == REFUSED && !i && !reset); /* once */
                channel_finish(f.channel);
                memcpy(&got, f.bytes, 8);
                if (form != WIDE && form != REFUSED)
                    value = value << 32 | 77;
                else if (form == REFUSED)
                    value = UINT64_C(0xeeeeeeeeeeeeeeee);
                if (got != value)
                    fail_msg("selection %x, stream %u: %llx, not %llx", rows[r].selection, i,
                             (unsigned long long)got, (unsigned long long)value);
            }
        send(&f, F3D, 0x1530, 0x10);
        send(&f, F3D, 0x1530, 0x11);
        assert_string_equal(complaint(&f), "");
        memset(count[COUNTER_PRIMITIVES_WRITTEN], 0, sizeof count[0]);
        memset(count[COUNTER_PRIMITIVES_GENERATED], 0, sizeof count[0]);
        memset(count[COUNTER_PRIMITIVES_NEEDED], 0, sizeof count[0]);
    }
    fixture_close(&f);
}

/* Reports of samples wait for draws, as fences do. Other reports are written at once. A report
 * outside memory is logged, a fence is not. */
FIXTURE_TEST(test_which_reports_wait) {
    static const struct {
        uint32_t get;
        bool waits, said;
    } rows[] = {{0, true, false},       {1 << 28, true, false},  {1 << 24, true, true},
                {2 << 24, false, true}, {13 << 24, false, true}, {1 << 23, false, true}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t get[] = {HIGH_LOW(f->data), 77, rows[i].get};
        memset(f->bytes, 0xee, 16);
        method(f, THREE_D, 0x1b00, 4, get);
        assert_string_equal(complaint(f), "");
        assert_int_equal(word_at(f, 0) == 0xeeeeeeee, rows[i].waits);
        channel_finish(f->channel);
        assert_int_not_equal(word_at(f, 0), 0xeeeeeeee);
        METHOD(f, THREE_D, 0x1b00, 0, 0x2345000 + 4096 * (uint32_t)i, 77, rows[i].get);
        const char *said = complaint(f);
        assert_true(rows[i].said ? strstr(said, "page fault: write of 16 bytes at 000234") != NULL
                                 : *said == 0);
        channel_finish(f->channel);
    }
}

/* Any number of fences may wait. A finish writes all of them, and only once. */
FIXTURE_TEST(test_many_fences) {
    for (uint32_t i = 0; i < 500; i++) {
        METHOD(f, THREE_D, 0x1b00, (uint32_t)(f->data >> 32), (uint32_t)f->data + 4 * i, 1000 + i,
               0x1000f010);
    }
    run(f);
    assert_int_equal(word_at(f, 0), 0);
    channel_finish(f->channel);
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(word_at(f, 4 * i), 1000 + i);
    memset(f->bytes, 0, 4096);
    channel_finish(f->channel); /* all fences are written, so none is written again */
    assert_int_equal(word_at(f, 0), 0);
}
