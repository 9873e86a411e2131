/* Pushbuffer entries and methods: lengths, entries that end within a method, long methods, trace
 * output. */
#include "pipeline/context_private.h"
#include "tests/fifo/clear_zeta.h"
#include "tests/fifo/blit.h"

/* Bit 23 of an entry's length belongs to the length if the open method still needs that many words;
 * otherwise it is the "no prefetch" flag. The word behind the method's data is decoded as a
 * header. */
FIXTURE_TEST(test_long_entries) {
    const uint64_t big = memory_alloc(f->memory, BIG, 4096);
    uint32_t *word = memory_at(f->memory, big, BIG);
    static const struct {
        uint32_t wanted, length; /* words that the method still needs; bytes of the entry */
        uint32_t executed;       /* bytes */
    } row[] = {
        {(8 << 20) / 4, 8 << 20, 8 << 20},     /* all words are data */
        {(8 << 20) / 4 + 5, 8 << 20, 8 << 20}, /* all words are data, and more are needed */
        {(8 << 20) / 4, (8 << 20) + 8, 8},     /* flag: eight bytes */
        {(8 << 20) / 4 - 1, (8 << 20), 0},     /* flag: zero bytes */
        {(8 << 20) / 4 + 2, (8 << 20) + 8, (8 << 20) + 8},
        {2, (8 << 20) + 8, 8},
        {4, 16, 16},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const uint32_t data =
            row[i].executed / 4 < row[i].wanted ? row[i].executed / 4 : row[i].wanted;
        memset(word, 0x21, BIG); /* no word is a valid header, so misread data would be reported */
        put(f, 0x00030000 | THREE_D << 13 | NOP);
        put(f, row[i].wanted);
        run(f);
        channel_execute(f->channel, big, row[i].length);
        for (uint32_t k = data; k < row[i].wanted; k++) { /* the rest in entries of a page */
            channel_execute(f->channel, big, 4);
            if (row[i].wanted - k > 2000) {
                const uint32_t words = (row[i].wanted - k) / 1024 * 1024;
                for (uint32_t n = 0; n < words; n += 1024)
                    channel_execute(f->channel, big, 4096);
                k += words;
            }
        }
        one(f, THREE_D, STENCIL_VALUE, 0); /* the engine understands the next header */
        run_one(f, THREE_D, 0x300 + 4 * 5, 0x1000 + (uint32_t)i);
        if (channel_context(f->channel)->state.current[5][0] != 0x1000 + i)
            fail_msg("row %zu: the method behind the entry was not found", i);
    }
    assert_int_equal(f->lines, 0);
    memory_free(f->memory, big);
}

/* A method of 1 to 9 words, divided into entries at every place, also within the header's count. */
FIXTURE_TEST(test_cuts) {
    for (uint32_t count = 1; count <= 9; count++)
        for (uint32_t kind = 0; kind < 3; kind++) /* increasing, constant, long */
            for (uint32_t cut = 1; cut < count + 2; cut++) {
                uint32_t *to = f->word, n = 0;
                to[n++] = kind == 2 ? 0x00030000 | THREE_D << 13 | 0x500
                                    : (kind ? 0x40000000 : 0) | count << 18 | THREE_D << 13 | 0x500;
                if (kind == 2)
                    to[n++] = count;
                for (uint32_t i = 0; i < count; i++)
                    to[n++] = 100 * count + i;
                to[n++] = 1 << 18 | THREE_D << 13 | 0x508;
                to[n++] = 77;
                channel_execute(f->channel, f->push, 4 * cut);
                channel_execute(f->channel, f->push + 4 * cut, 4 * (n - cut));
                const struct state *s = &channel_context(f->channel)->state;
                const uint32_t last = count < 5 ? count - 1 : 3; /* of attribute 0, with 4 floats */
                assert_int_equal(s->current[0][2], 77);
                if (kind == 0 && last != 2)
                    assert_int_equal(s->current[0][last], 100 * count + last);
                else if (kind)
                    assert_int_equal(s->current[0][0], 100 * count + count - 1);
                if (kind == 0 && count > 4)
                    assert_int_equal(s->current[1][0], 100 * count + 4);
            }
    assert_int_equal(f->lines, 0);
}

/* A wait that times out ends its method: later words to the channel and to an engine have no
 * effect. */
FIXTURE_TEST(test_hung_within_a_method) {
    enum { FIRST = 0x10, ATTRIBUTE = 0x300, COUNT = (ATTRIBUTE - FIRST) / 4 + 1 };
    for (uint32_t met = 0; met < 2; met++)
        for (uint32_t kind = 0; kind < 2;
             kind++) { /* words to one method; words from the channel's methods to an engine's */
            const uint32_t place[] = {HIGH_LOW(f->data), 5};
            memcpy(f->bytes, &(uint32_t){met ? 5 : 4}, 4);
            memset(f->bytes + 4, 0xee, 12);
            channel_set_patience(f->channel, 0);
            if (kind == 0) {
                method(f, THREE_D, 0x10, 3, place);
                put(f, 0x40000000 | 2 << 18 | THREE_D << 13 | 0x1c);
                put(f, 1);          /* acquires */
                put(f, 2);          /* would write */
                put(f, 0x20000001); /* an invalid header, reported if decoded */
            } else {
                uint32_t words[COUNT] = {place[0], place[1], place[2], 1};
                words[COUNT - 1] = 1234;
                method(f, THREE_D, FIRST, COUNT, words);
            }
            run(f);
            if (kind == 0) {
                assert_int_equal(f->lines, 1);
                assert_non_null(strstr(f->last, met ? "INVALID_CMD" : "the channel is dead"));
            }
            assert_int_equal(word_at(f, 4) != 0xeeeeeeee, met && kind == 0);
            assert_int_equal(channel_context(f->channel)->state.current[0][0] == 1234,
                             met && kind == 1);
            renew(f);
        }
}

/* One method whose words begin in the channel's own methods and end in the 2D engine's CLIP_ENABLE,
 * divided into entries at every place. */
FIXTURE_TEST(test_from_channel_to_engine) {
    enum { FIRST = 0xf8, COUNT = (0x290 - FIRST) / 4 + 1, CLIP = COUNT - 5 };
    static const uint32_t clip[5] = {3, 2, 7, 9, 1};
    for (uint32_t cut = 1; cut < COUNT; cut++) {
        const uint64_t middle = f->push + 4 * (cut + 1), end = f->push + 4 * (COUNT + 1);
        memset(f->bytes, 0, SIDE * SIDE * 4);
        memset(f->word, 0, 4 * (COUNT + 1));
        f->word[0] = COUNT << 18 | TWO_D << 13 | FIRST;
        f->word[1 + (0x20c - FIRST) / 4] = 1; /* depth */
        f->word[1 + (0x23c - FIRST) / 4] = 1;
        f->word[1 + (0x26c - FIRST) / 4] = 1; /* condition: always */
        memcpy(f->word + 1 + CLIP, clip, sizeof clip);
        channel_execute(f->channel, f->push, (uint32_t)(middle - f->push));
        channel_execute(f->channel, middle, (uint32_t)(end - middle));
        surfaces(f);
        blit(f, (const int32_t[4]){0, 0, SIDE, SIDE}, 1, 1, 0, 0);
        run(f);
        for (uint32_t i = 0; i < SIDE * SIDE; i++)
            if ((word_at(f, 4 * i) != 0) != (i % SIDE - 3 < 7 && i / SIDE - 2 < 9))
                fail_msg("cut behind word %u: pixel %u, %u is %08x", cut, i % SIDE, i / SIDE,
                         word_at(f, 4 * i));
    }
}

/* At level debug every method is logged: class, address, name, index in its array, and word; for
 * several words the first one and their number. */
FIXTURE_TEST(test_traced_methods) {
    static const struct {
        uint32_t subchannel, header, count;
        const char *says; /* the end of the last line */
        int lines;
    } rows[] = {
        {THREE_D, 0x1554, 1, "1554 COND_ADDRESS_LOW = 01020304", 1},
        {THREE_D, 0x40000000 | 0x1554, 1, "1554 COND_ADDRESS_LOW = 01020304", 1},
        {THREE_D, 0x40000000 | 0x15e8, 3, "15e8 VB_ELEMENT_U32 = 01020304 ... 3 words", 1},
        {THREE_D, 0xc00 + 16, 1, "0c10 VIEWPORT_HORIZ(1) = 01020304", 1},
        {THREE_D, 0xc00 + 16, 2, "0c14 VIEWPORT_VERT(1) = 02020304", 2},
        {THREE_D, 0x40000000 | 0x1554, 2, "1554 COND_ADDRESS_LOW = 01020304 ... 2 words", 1},
        {6, 0, 1, "subchannel 6: object 01020304", 1}, /* the missing object is reported once */
        {THREE_D, 0x1780 + 8, 1, "1788 STRMOUT_OFFSET(2) = 01020304", 1},
        {THREE_D, 0x40000000 | 0x1ff8, 2, NULL, 0}, /* not a method, reported once below */
        {THREE_D, 0x1ff8, 2, NULL, 0},
    };
    one(f, THREE_D, 0x1ff8, 0);
    one(f, THREE_D, 0x1ffc, 0);
    run_one(f, THREE_D, 0x15e8, 0); /* there is no draw, which is reported once */
    for (int level = LOG_WARNING; level <= LOG_DEBUG; level += LOG_DEBUG - LOG_WARNING)
        for (size_t i = 0; i < LENGTH(rows); i++) {
            f->device->log.level = (enum log_level)level;
            put(f, rows[i].header | rows[i].count << 18 | rows[i].subchannel << 13);
            for (uint32_t k = 0; k < rows[i].count; k++)
                put(f, 0x01020304 + k * 0x1000000);
            f->lines = 0;
            channel_execute(f->channel, f->push, f->count * 4);
            f->count = 0;
            const char *const says = rows[i].says, *said = says ? strstr(f->last, says) : NULL;
            if (level < LOG_DEBUG
                    ? f->lines > !rows[i].header
                    : f->lines != rows[i].lines || (says && (!said || strcmp(said, says) != 0)))
                fail_msg("row %zu, level %d: %d lines, %s", i, level, f->lines, f->last);
        }
    f->device->log.level = LOG_WARNING;
}

/* Each submission and each acquire counts as a change of memory by the CPU; entries within a
 * submission do not. */
FIXTURE_TEST(test_memory_looked_at) {
    const uint64_t *event = channel_context(f->channel)->p->captured.event + EVENT_CONSTANTS;
    struct push entry[3];
    uint64_t taken[3], now[4] = {*event};
    for (uint32_t i = 0; i < 3; i++) {
        entry[i] = (struct push){f->push + 4 * f->count, 8};
        one(f, THREE_D, 0x100, 0);
    }
    channel_execute(f->channel, entry->address, entry->length);
    now[1] = *event;
    channel_execute_all(f->channel, entry, 3);
    now[2] = *event;
    f->count = 0;
    const uint32_t acquire[4] = {HIGH_LOW(f->data), 7, 1};
    memcpy(f->bytes, &acquire[2], 4);
    method(f, THREE_D, 0x10, 4, acquire);
    run(f);
    now[3] = *event;
    for (int i = 0; i < 3; i++)
        taken[i] = now[i + 1] - now[i];
    assert_true(taken[0]);
    assert_int_equal(taken[1], taken[0]);
    assert_true(taken[2] > taken[0]);
}
