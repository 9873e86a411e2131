/* Rules of the command stream that only show in corners: methods that go on over entries of any
 * size, clears of some bits of the stencil among others, the 2D engine's clip rectangle, and which
 * slot a query reports.
 */
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"

enum { NOP = 0x100, STENCIL_VALUE = 0xda0, BIG = 9 << 20 };

/* ---- entries ---- */

/* Bit 23 of an entry's length is part of it where the method still wants that much, and the "no
 * prefetch" flag otherwise. What follows the method is decoded where it really is. */
FIXTURE_TEST(test_long_entries) {
    struct fixture *f = *state;
    const uint64_t big = memory_alloc(f->memory, BIG, 4096);
    uint32_t *word = memory_at(f->memory, big, BIG);
    static const struct {
        uint32_t wanted, length; /* words of the method; bytes of the entry */
        uint32_t executed;       /* bytes */
    } row[] = {
        {(8 << 20) / 4, 8 << 20, 8 << 20},     /* all of it is data */
        {(8 << 20) / 4 + 5, 8 << 20, 8 << 20}, /* data, and more to come */
        {(8 << 20) / 4, (8 << 20) + 8, 8},     /* no prefetch: eight bytes */
        {(8 << 20) / 4 - 1, (8 << 20), 0},     /* no prefetch: nothing */
        {(8 << 20) / 4 + 2, (8 << 20) + 8, (8 << 20) + 8},
        {2, (8 << 20) + 8, 8},
        {4, 16, 16},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const uint32_t data =
            row[i].executed / 4 < row[i].wanted ? row[i].executed / 4 : row[i].wanted;
        memset(word, 0x21, BIG); /* no word is a header: nothing of it may be taken for one */
        put(f, 0x00030000 | THREE_D << 13 | NOP);
        put(f, row[i].wanted);
        run(f);
        channel_execute(f->channel, big, row[i].length);
        for (uint32_t k = data; k < row[i].wanted; k++) { /* the rest, in entries of a page */
            channel_execute(f->channel, big, 4);
            if (row[i].wanted - k > 2000) {
                const uint32_t words = (row[i].wanted - k) / 1024 * 1024;
                for (uint32_t n = 0; n < words; n += 1024)
                    channel_execute(f->channel, big, 4096);
                k += words;
            }
        }
        one(f, THREE_D, STENCIL_VALUE, 0); /* an engine still understands what comes next */
        one(f, THREE_D, 0x300 + 4 * 5, 0x1000 + (uint32_t)i);
        run(f);
        if (channel_context(f->channel)->state.current[5][0] != 0x1000 + i)
            fail_msg("row %zu: the method after it was not found", i);
    }
    assert_int_equal(f->lines, 0);
    memory_free(f->memory, big);
}

/* A method of 1 to 9 words, cut at every place into entries, also within its header's count. */
FIXTURE_TEST(test_cuts) {
    struct fixture *f = *state;
    for (uint32_t count = 1; count <= 9; count++)
        for (uint32_t kind = 0; kind < 3; kind++) /* increasing, not, long */
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
                const uint32_t last = count < 5 ? count - 1 : 3; /* of attribute 0, 4F */
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

/* Words to one method that only keeps them: the last stays. */
FIXTURE_TEST(test_words_to_one) {
    struct fixture *f = *state;
    const uint32_t words[] = {0x40000000, 0x40800000, 0x41000000}; /* 2, 4, 8 */
    for (uint32_t n = 1; n <= 3; n++) {
        put(f, 0x40000000 | n << 18 | THREE_D << 13 | 0x13b0); /* LINE_WIDTH */
        for (uint32_t i = 0; i < n; i++)
            put(f, words[i]);
        one(f, THREE_D, 0x15dc, 4);
        one(f, THREE_D, 0x15e0, 0);
        run(f);
        assert_true(channel_context(f->channel)->state.line_width == (float)(1 << n));
    }
}

/* ---- semaphores ---- */

/* TRIGGER: 1 equal, 4 at least (modulo 2^32), 8 any bit of; the wait ends at once or never. */
FIXTURE_TEST(test_acquires) {
    struct fixture *f = *state;
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
        const uint32_t acquire[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, row[i].want,
                                    row[i].trigger};
        const uint32_t then[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data + 16, 77, 2};
        memcpy(f->bytes, &row[i].is, 4);
        memset(f->bytes + 16, 0, 16);
        channel_set_patience(f->channel, 0);
        method(f, THREE_D, 0x10, 4, acquire);
        method(f, THREE_D, 0x10, 4, then);
        run(f);
        if (word_at(f, 16) != (row[i].met ? 77 : 0))
            fail_msg("row %zu: trigger %u, %08x for %08x", i, row[i].trigger, row[i].is,
                     row[i].want);
        teardown(state), setup(state);
    }
}

/* A wait in vain ends the method that it is in: neither the channel's nor an engine's words after it count. */
FIXTURE_TEST(test_hung_within_a_method) {
    struct fixture *f = *state;
    enum { FIRST = 0x10, ATTRIBUTE = 0x300, COUNT = (ATTRIBUTE - FIRST) / 4 + 1 };
    for (uint32_t met = 0; met < 2; met++)
        for (uint32_t kind = 0; kind < 2;
             kind++) { /* to one method; from the channel's on to an engine's */
            const uint32_t place[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 5};
            memcpy(f->bytes, &(uint32_t){met ? 5 : 4}, 4);
            memset(f->bytes + 4, 0xee, 12);
            channel_set_patience(f->channel, 0);
            if (kind == 0) {
                method(f, THREE_D, 0x10, 3, place);
                put(f, 0x40000000 | 2 << 18 | THREE_D << 13 | 0x1c);
                put(f, 1);          /* acquires, */
                put(f, 2);          /* writes */
                put(f, 0x20000001); /* no header, which is said if anybody looks */
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
            teardown(state), setup(state);
        }
}

/* Eight bits of the high half count, no bit of the low half below 4 (of an acquire), or 16 (of a write). */
FIXTURE_TEST(test_semaphore_addresses) {
    struct fixture *f = *state;
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

/* ---- clears ---- */

static void zeta_target(struct fixture *f) {
    const uint32_t zeta[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 0x16, 0, 0};
    const uint32_t size[] = {32, 32, 1}, screen[] = {32 << 16, 32 << 16};
    one(f, THREE_D, 0x121c, 0);
    method(f, THREE_D, 0xfe0, 5, zeta);
    method(f, THREE_D, 0x1228, 3, size);
    one(f, THREE_D, 0x1538, 1);
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
}

static void clear_zeta(struct fixture *f, uint32_t mask, uint32_t stencil, uint32_t what) {
    one(f, THREE_D, 0x1398, mask);
    one(f, THREE_D, 0x143c, mask == 0xff ? 0x10 : 0x11);
    one(f, THREE_D, STENCIL_VALUE, stencil);
    one(f, THREE_D, 0x19d0, what);
}

/* Clears one after the other, with nothing finished in between: the later keeps the bits of the
 * earlier that its mask leaves out. */
FIXTURE_TEST(test_masked_clears_in_a_row) {
    struct fixture *f = *state;
    static const struct {
        uint32_t mask[3], value[3], expected;
    } row[] = {
        {{0xff, 0x0f, 0xff}, {0xa5, 0xff, 0x11}, 0x11},
        {{0xff, 0x0f, 0x00}, {0xa5, 0xff, 0xff}, 0xaf},
        {{0xff, 0xf0, 0x0f}, {0x00, 0xff, 0x05}, 0xf5},
        {{0xff, 0x80, 0x7f}, {0xff, 0x00, 0x00}, 0x00},
        {{0xff, 0xfe, 0xfe}, {0x01, 0x00, 0x02}, 0x03},
        {{0xff, 0x01, 0x80}, {0x7e, 0xff, 0xff}, 0xff},
    };
    zeta_target(f);
    for (size_t i = 0; i < LENGTH(row); i++) {
        for (int k = 0; k < 3; k++) /* depth too, so that each is a clear of everything */
            clear_zeta(f, row[i].mask[k], row[i].value[k], 3);
        run(f);
        channel_finish(f->channel);
        if (word_at(f, 0) >> 24 != row[i].expected)
            fail_msg("row %zu: %02x instead of %02x", i, word_at(f, 0) >> 24, row[i].expected);
    }
    assert_int_equal(f->lines, 0);
}

/* The bits of CLEAR_BUFFERS: depth and stencil each leave the other alone. */
FIXTURE_TEST(test_cleared_parts) {
    struct fixture *f = *state;
    zeta_target(f);
    for (uint32_t what = 0; what < 4; what++) {
        one(f, THREE_D, 0xd90, 0x3f800000); /* all ones first */
        clear_zeta(f, 0xff, 0xff, 3);
        one(f, THREE_D, 0xd90, 0);
        clear_zeta(f, 0xff, 0, what);
        run(f);
        channel_finish(f->channel);
        assert_int_equal(word_at(f, 0), (what & 1 ? 0 : 0xffffff) | (what & 2 ? 0 : 0xff000000));
    }
}

/* A colour clear writes the components its bits name, of the target it names. */
FIXTURE_TEST(test_cleared_components) {
    struct fixture *f = *state;
    const uint32_t screen[] = {32 << 16, 32 << 16},
                   half[] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t at = f->data + i * 0x10000;
        const uint32_t rt[] = {(uint32_t)(at >> 32), (uint32_t)at, 0xd5, 0x20, 0},
                       size[] = {32, 32};
        method(f, THREE_D, 0x200 + 32 * i, 5, rt);
        method(f, THREE_D, 0x1240 + 8 * i, 2, size);
    }
    one(f, THREE_D, 0x121c, 1 << 7 | 2);
    one(f, THREE_D, 0x1224, 1);
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
    method(f, THREE_D, 0xd80, 4, half);
    one(f, THREE_D, 0x143c, 0x10);
    for (uint32_t rt = 0; rt < 2; rt++)
        for (uint32_t bits = 0; bits < 16; bits++) {
            memset(f->bytes, 0, 0x20000);
            one(f, THREE_D, 0x19d0, rt << 6 | bits << 2);
            run(f);
            channel_finish(f->channel);
            const uint32_t expected = (bits & 1 ? 0xff : 0) | (bits & 2 ? 0xff00 : 0) |
                                      (bits & 4 ? 0xff0000 : 0) | (bits & 8 ? 0xff000000 : 0);
            assert_int_equal(word_at(f, rt * 0x10000), expected);
            assert_int_equal(word_at(f, (1 - rt) * 0x10000), 0);
        }
    memset(f->bytes, 0, 0x20000);
    for (uint32_t rt = 2; rt < 16; rt++) /* there is none */
        one(f, THREE_D, 0x19d0, rt << 6 | 0x3c);
    run(f);
    channel_finish(f->channel);
    assert_int_equal(word_at(f, 0) | word_at(f, 0x10000), 0);
    assert_int_equal(f->lines, 0);
}

/* VERTEX_ID_BASE within a draw is the id of its next vertex; before it, it is where ids begin. */
FIXTURE_TEST(test_vertex_ids) {
    struct fixture *f = *state;
    const struct open_draw *o = &channel_context(f->channel)->p->draw;
    for (int within = 0; within < 2; within++) {
        one(f, THREE_D, within ? 0x15dc : 0x1118, within ? 0 : 9);
        one(f, THREE_D, within ? 0x1118 : 0x15dc, within ? 9 : 0);
        run(f);
        assert_int_equal(o->has_ids, within);
        assert_int_equal(o->mark_count, within);
        one(f, THREE_D, 0x15e0, 0);
        run(f);
    }
}

/* VERTEX_DATA between begin and end: words of vertices one after the other, however they are cut into methods. */
FIXTURE_TEST(test_vertex_data) {
    struct fixture *f = *state;
    const struct open_draw *o = &channel_context(f->channel)->p->draw;
    uint32_t word[9];
    for (uint32_t i = 0; i < 9; i++)
        word[i] = 0x1000 + i;
    for (uint32_t first = 1; first < 9; first++) {
        one(f, THREE_D, 0x15dc, 0);
        method(f, THREE_D, 0x40000000 | 0x1640, first, word); /* the same method again and again */
        method(f, THREE_D, 0x40000000 | 0x1640, 9 - first, word + first);
        run(f);
        assert_int_equal(o->data_words, 9);
        assert_memory_equal(o->data, word, sizeof word);
        one(f, THREE_D, 0x15e0, 0);
        run(f);
    }
}

/* What limits a clear: the screen's scissor, and the viewport by bit 4 of CLEAR_FLAGS, else its scissor if that is on. */
FIXTURE_TEST(test_rectangles_of_clears) {
    struct fixture *f = *state;
    enum { WIDTH = 16, HEIGHT = 4 };
    const uint32_t rt[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 0xd5, 0, 0};
    const uint32_t size[] = {WIDTH, HEIGHT}, screen[] = {14 << 16 | 1, HEIGHT << 16},
                   viewport[] = {6 << 16 | 4, HEIGHT << 16};
    const uint32_t scissor[] = {9 << 16 | 3, HEIGHT << 16}; /* 3 to 8 */
    const uint32_t ones[] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    method(f, THREE_D, 0x200, 5, rt);
    method(f, THREE_D, 0x1240, 2, size);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1);
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, viewport);
    method(f, THREE_D, 0xe04, 2, scissor);
    method(f, THREE_D, 0xd80, 4, ones);
    for (uint32_t i = 0; i < 4; i++) {
        memset(f->bytes, 0, 4096);
        one(f, THREE_D, 0xe00, i & 1); /* the scissor is on */
        one(f, THREE_D, 0x143c, i & 2 ? 0x10 : 0);
        one(f, THREE_D, 0x19d0, 0x3c);
        run(f);
        channel_finish(f->channel);
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool in = i & 2 ? x >= 4 && x < 10 : i & 1 ? x >= 3 && x < 9 : x >= 1 && x < 15;
            assert_int_equal(word_at(f, 4 * x) != 0, in);
        }
    }
    assert_int_equal(f->lines, 0);
}

/* One slice of 2047 is cleared: bits 10 to 20 name it; also where there were fewer a moment ago. */
FIXTURE_TEST(test_cleared_layers) {
    struct fixture *f = *state;
    enum { LAYER = 256, LAYERS = 2047 };
    static const uint32_t layers[] = {0, 1, 2, 511, 1023, 1024, 1025, 1536, 2046};
    enum { COUNT = LENGTH(layers) };
    const uint32_t rt[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 0xd5, 0, LAYER >> 2};
    const uint32_t size[] = {16, 4}, screen[] = {16 << 16, 4 << 16},
                   ones[] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    method(f, THREE_D, 0x200, 5, rt);
    method(f, THREE_D, 0x1240, 2, size);
    one(f, THREE_D, 0x121c, 1);
    one(f, THREE_D, 0x1224, 1 << 16 | LAYERS); /* slices: more than layers may be */
    method(f, THREE_D, 0xff4, 2, screen);
    method(f, THREE_D, 0xc00, 2, screen);
    method(f, THREE_D, 0xd80, 4, ones);
    one(f, THREE_D, 0x143c, 0x10);
    for (size_t i = 0; i < 2 * COUNT; i++) {
        if (i == COUNT) { /* once more, where programs choose among viewports */
            one(f, THREE_D, 0xfd4, 9);
            one(f, THREE_D, 0x1900, 1);
            one(f, THREE_D, 0x15dc, 4);
            one(f, THREE_D, 0x15e0, 0);
            run(f);
            f->lines = 0;
        }
        for (uint32_t more = 0; more < 3; more++) {
            const uint32_t layer = i < COUNT ? layers[i] : layers[i - COUNT] % 14;
            memset(f->bytes, 0, LAYER * LAYERS);
            one(f, THREE_D, 0x1224, 1 << 16 | (layer + more)); /* 0: without that layer */
            one(f, THREE_D, 0x1224, 1 << 16 | LAYERS);
            one(f, THREE_D, 0x19d0, layer << 10 | 0x3c);
            run(f);
            channel_finish(f->channel);
            for (uint32_t k = 0; k < LAYERS; k++)
                if (word_at(f, k * LAYER) != (k == layer ? 0xffffffff : 0))
                    fail_msg("layer %u of a clear of layer %u: %08x, %s", k, layer,
                             word_at(f, k * LAYER), f->last);
        }
    }
    /* layers are apart as RT_LAYER_STRIDE says, slices are not, and which of them they were before does not count */
    one(f, THREE_D, 0x210, 2 * LAYER >> 2);
    for (uint32_t was = 0; was < 2; was++)
        for (uint32_t is = 0; is < 2; is++) {
            memset(f->bytes, 0, LAYER * 8);
            one(f, THREE_D, 0x1224, was << 16 | 4);
            one(f, THREE_D, 0x1224, is << 16 | 4);
            one(f, THREE_D, 0x19d0, 1 << 10 | 0x3c);
            run(f);
            channel_finish(f->channel);
            for (uint32_t k = 0; k < 8; k++)
                assert_int_equal(word_at(f, k * LAYER) != 0, k == (is ? 1 : 2));
        }
    assert_int_equal(f->lines, 0);
}

/* A draw behind a clear has as many layers as were set last, though the clear may have taken the number before. */
FIXTURE_TEST(test_layers_behind_clears) {
    struct fixture *f = *state;
    const struct state *s = &channel_context(f->channel)->state;
    const uint32_t rt[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 0xd5, 0, 256 >> 2},
                   size[] = {16, 4};
    method(f, THREE_D, 0x200, 5, rt);
    method(f, THREE_D, 0x1240, 2, size);
    one(f, THREE_D, 0x121c, 1);
    for (uint32_t i = 0; i < 4 * 4 * 8; i++) {
        const uint32_t was = i % 4 + 1, is = i / 4 % 4 + 1, layer = i / 16 % 4, restored = i / 64;
        one(f, THREE_D, 0x1224, was);
        one(f, THREE_D, 0x15dc, 4);
        one(f, THREE_D, 0x15e0, 0);
        one(f, THREE_D, 0x1224, is);
        one(f, THREE_D, 0x19d0, layer << 10 | 0x3c);
        if (restored)
            one(f, THREE_D, 0x1224, was);
        one(f, THREE_D, 0x15dc, 4);
        one(f, THREE_D, 0x15e0, 0);
        run(f);
        if (s->layers != (restored ? was : is))
            fail_msg("%u layers, then %u, a clear of layer %u: %u", was, is, layer, s->layers);
    }
}

/* Stream output of classes below 8397 starts anew with an address; later ones have an offset of its own. */
FIXTURE_TEST(test_stream_addresses) {
    struct fixture *f = *state;
    static const struct {
        uint32_t class;
        bool anew;
    } row[] = {{0x5097, true}, {0x8297, true}, {0x8397, false}, {0x8597, false}, {0x8697, false}};
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        assert_int_equal(channel_object_create(f->channel, 0x1000 + i, row[i].class), 0);
        one(f, 6, 0, 0x1000 + i);
        run(f);
        struct stream_state *s = &channel_context(f->channel)->state.stream;
        for (uint32_t k = 0; k < 4; k++)
            s->buffer[k].offset = 0x40 + k;
        s->primitives = 5;
        one(f, 6, 0x1a84 + 2 * 16, 0x100); /* STRMOUT_ADDRESS_LOW of buffer 2 */
        run(f);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(s->buffer[k].offset, row[i].anew && k == 2 ? 0 : 0x40 + k);
        assert_int_equal(s->primitives, row[i].anew ? 0 : 5);
        assert_int_equal(channel_object_destroy(f->channel, 0x1000 + i), 0);
    }
}

/* ---- the 2D engine ---- */

enum { FROM = 0x40000, SIDE = 16 };

static void surfaces(struct fixture *f) {
    const uint64_t from = f->data + FROM;
    const uint32_t format[] = {0xd5, 1};
    const uint32_t dst[] = {SIDE * 4, SIDE, SIDE, (uint32_t)(f->data >> 32), (uint32_t)f->data};
    const uint32_t src[] = {SIDE * 4, SIDE, SIDE, (uint32_t)(from >> 32), (uint32_t)from};
    method(f, TWO_D, 0x200, 2, format);
    method(f, TWO_D, 0x214, 5, dst);
    method(f, TWO_D, 0x230, 2, format);
    method(f, TWO_D, 0x244, 5, src);
    one(f, TWO_D, 0x88c, 0);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t texel = 0xff000000 | i;
        memcpy(f->bytes + FROM + 4 * i, &texel, 4);
    }
}

/* Destination x, y, width, height; du, dv; source x, y. */
static void blit(struct fixture *f, const int32_t to[4], int32_t du, int32_t dv, int32_t x,
                 int32_t y) {
    const uint32_t words[] = {(uint32_t)to[0],
                              (uint32_t)to[1],
                              (uint32_t)to[2],
                              (uint32_t)to[3],
                              0,
                              (uint32_t)du,
                              0,
                              (uint32_t)dv,
                              0,
                              (uint32_t)x,
                              0,
                              (uint32_t)y};
    method(f, TWO_D, 0x8b0, 12, words);
}

/* Copies with every clip rectangle of small size, from and to several places: a pixel is written if
 * it is in the rectangle, the destination and the clip rectangle, and is source + (x - x0) there;
 * beyond the source its edge is repeated. */
FIXTURE_TEST(test_blit_clip) {
    struct fixture *f = *state;
    static const int32_t to[][4] = {
        {2, 3, 5, 4}, {0, 0, SIDE, SIDE}, {-2, -1, 6, 6}, {12, 13, 8, 8}};
    surfaces(f);
    for (uint32_t i = 0; i < 4 * 6 * 6 * 4; i++) {
        const int32_t *r = to[i % 4];
        const uint32_t clip[] = {i / 4 % 6, i / 24 % 6, i / 144 * 6 + 1, i / 144 * 5 + 4};
        for (uint32_t on = 0; on < 2; on++) {
            memset(f->bytes, 0, SIDE * SIDE * 4);
            method(f, TWO_D, 0x280, 4, clip);
            one(f, TWO_D, 0x290, on);
            blit(f, r, 1, 1, 1, 2);
            run(f);
            for (int32_t y = 0; y < SIDE; y++)
                for (int32_t x = 0; x < SIDE; x++) {
                    const bool in = x >= r[0] && x < r[0] + r[2] && y >= r[1] && y < r[1] + r[3];
                    const int32_t cx = x - (int32_t)clip[0], cy = y - (int32_t)clip[1];
                    const bool kept = !on || (cx >= 0 && cx < (int32_t)clip[2] && cy >= 0 &&
                                              cy < (int32_t)clip[3]);
                    const int32_t sx = x - r[0] + 1 < SIDE ? x - r[0] + 1 : SIDE - 1;
                    const int32_t sy = y - r[1] + 2 < SIDE ? y - r[1] + 2 : SIDE - 1;
                    assert_int_equal(word_at(f, 4 * (uint32_t)(y * SIDE + x)),
                                     in && kept ? 0xff000000 | (uint32_t)(sy * SIDE + sx) : 0);
                }
        }
    }
    assert_int_equal(f->lines, 0);
}

/* A method's words from the channel's own methods on into those of an engine, up to CLIP_ENABLE of 2D, cut at
 * every place into entries. */
FIXTURE_TEST(test_from_channel_to_engine) {
    struct fixture *f = *state;
    enum { FIRST = 0xf8, COUNT = (0x290 - FIRST) / 4 + 1, CLIP = COUNT - 5 };
    static const uint32_t clip[5] = {3, 2, 7, 9, 1};
    for (uint32_t cut = 1; cut < COUNT; cut++) {
        const uint64_t middle = f->push + 4 * (cut + 1), end = f->push + 4 * (COUNT + 1);
        memset(f->bytes, 0, SIDE * SIDE * 4);
        memset(f->word, 0, 4 * (COUNT + 1));
        f->word[0] = COUNT << 18 | TWO_D << 13 | FIRST;
        f->word[1 + (0x20c - FIRST) / 4] = 1; /* depths */
        f->word[1 + (0x23c - FIRST) / 4] = 1;
        f->word[1 + (0x26c - FIRST) / 4] = 1; /* on condition: always */
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

/* ---- queries ---- */

/* Query 13 tells how far the stream buffer of its index was written. */
FIXTURE_TEST(test_stream_offsets) {
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 4; i++)
        one(f, THREE_D, 0x1780 + 4 * i, 0x100 * (i + 1));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t get[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data + 32 * i, 7 + i,
                                13 << 24 | i << 5};
        method(f, THREE_D, 0x1b00, 4, get);
    }
    run(f);
    channel_finish(f->channel);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(word_at(f, 32 * i), 7 + i);
        assert_int_equal(word_at(f, 32 * i + 4), 0x100 * (i + 1));
    }
}

/* Bit 23 of QUERY_GET: a counter of 64 bits and the time, counter 0 like others; without it query 0 is a
 * fence, with its sequence in word 0, and with bit 28 that word alone. */
FIXTURE_TEST(test_forms_of_queries) {
    struct fixture *f = *state;
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
    run(f);
    channel_finish(f->channel);
    for (uint32_t i = 0; i < LENGTH(row); i++) {
        assert_int_equal(word_at(f, 32 * i), row[i].sequence ? 7 + i : 0);
        assert_int_equal(word_at(f, 32 * i + 4), row[i].value ? 0 : 0xeeeeeeee);
        assert_int_equal(word_at(f, 32 * i + 8) == 0xeeeeeeee, !row[i].value);
        assert_int_equal(word_at(f, 32 * i + 16), 0xeeeeeeee);
    }
    assert_int_equal(f->lines, 0);
}

/* A fence needs its one word of memory, or its four, and no more. */
FIXTURE_TEST(test_fences_at_the_end) {
    struct fixture *f = *state;
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (uint32_t back = 4; back <= 20; back += 4)
        for (uint32_t is_short = 0; is_short < 2; is_short++) {
            const uint64_t at = end - back;
            uint32_t *word = memory_at(f->memory, at, 4);
            const uint32_t get[] = {(uint32_t)(at >> 32), (uint32_t)at, 0x1234 + back,
                                    is_short << 28};
            *word = 0;
            method(f, THREE_D, 0x1b00, 4, get);
            run(f);
            channel_finish(f->channel);
            assert_int_equal(*word, is_short || back >= 16 ? 0x1234 + back : 0);
        }
}

/* Reports have four words: all of them are in memory, or nothing is written. */
FIXTURE_TEST(test_reports_at_the_end) {
    struct fixture *f = *state;
    static const uint32_t gets[] = {1u << 23, 1u << 24, 2u << 24, 13u << 24, 0};
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (size_t i = 0; i < LENGTH(gets); i++)
        for (uint32_t back = 4; back <= 20; back += 4) {
            const uint64_t at = end - back;
            uint32_t *word = memory_at(f->memory, at, 4);
            const uint32_t get[] = {(uint32_t)(at >> 32), (uint32_t)at, 0x1234 + back, gets[i]};
            memset(word, 0xee, back);
            method(f, THREE_D, 0x1b00, 4, get);
            run(f);
            channel_finish(f->channel);
            for (uint32_t k = 0; k < back / 4; k++)
                if ((word[k] != 0xeeeeeeee) != (back >= 16 && k < 4))
                    fail_msg("query %08x, %u bytes: word %u is %08x", gets[i], back, k, word[k]);
        }
}

/* At level debug every method is told: its class, address, name, place in its array and word; or, if it takes several, the
 * first and how many. */
FIXTURE_TEST(test_traced_methods) {
    struct fixture *f = *state;
    static const struct {
        uint32_t subchannel, header, count;
        const char *says; /* in its last line, to its end */
        int lines;
    } rows[] = {
        {THREE_D, 0x1554, 1, "1554 COND_ADDRESS_LOW = 01020304", 1},
        {THREE_D, 0x40000000 | 0x1554, 1, "1554 COND_ADDRESS_LOW = 01020304", 1},
        {THREE_D, 0x40000000 | 0x15e8, 3, "15e8 VB_ELEMENT_U32 = 01020304 ... 3 words", 1},
        {THREE_D, 0xc00 + 16, 1, "0c10 VIEWPORT_HORIZ(1) = 01020304", 1},
        {THREE_D, 0xc00 + 16, 2, "0c14 VIEWPORT_VERT(1) = 02020304", 2},
        {THREE_D, 0x40000000 | 0x1554, 2, "1554 COND_ADDRESS_LOW = 01020304 ... 2 words", 1},
        {6, 0, 1, "subchannel 6: object 01020304", 2},
        {THREE_D, 0x1780 + 8, 1, "1788 STRMOUT_OFFSET(2) = 01020304", 1},
        {THREE_D, 0x40000000 | 0x1ff8, 2, NULL, 0}, /* no method: said once, below */
        {THREE_D, 0x1ff8, 2, NULL, 0},
    };
    one(f, THREE_D, 0x1ff8, 0);
    one(f, THREE_D, 0x1ffc, 0);
    one(f, THREE_D, 0x15e8, 0); /* there is no draw, which is said once */
    run(f);
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

/* Conditional rendering compares word 1 of two reports. */
FIXTURE_TEST(test_condition) {
    struct fixture *f = *state;
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
        run(f);
        channel_finish(f->channel);
        if (word_at(f, 0) >> 24 != (row[i].drawn ? 0x5a : 0))
            fail_msg("row %zu", i);
    }
}

/* Each engine has its own: what the 2D engine looked at does not become the 3D one's. */
FIXTURE_TEST(test_conditions_of_engines) {
    struct fixture *f = *state;
    enum { HOLDS = 0x8000, NOT = 0x8100 };
    const uint32_t row[2][8] = {{1, 1}, {0, 0}};
    zeta_target(f);
    memcpy(f->bytes + HOLDS, row[0], sizeof row[0]);
    memcpy(f->bytes + NOT, row[1], sizeof row[1]);
    for (int holds = 0; holds < 2;
         holds++) { /* 2: if a report is not zero, 3: if two are the same */
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
            run(f);
            channel_finish(f->channel);
            assert_int_equal(word_at(f, 0) >> 24, holds ? 0x5a : 0);
            surfaces(f); /* a blit, if the other condition holds */
            memset(f->bytes, 0, 4);
            blit(f, (const int32_t[4]){0, 0, 1, 1}, 1, 1, 0, 1);
            run(f);
            assert_int_equal(word_at(f, 0), holds ? 0xff000000 | SIDE : 0);
        }
    }
}
