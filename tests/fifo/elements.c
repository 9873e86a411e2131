/* The vertices of a draw between BEGIN and END in the command stream: indices of all sizes with
 * their limits and skips, vertices from transform feedback, instances, edge flags, ids. */
#include "tests/fifo/fixture.h"

#include "fifo/engine.h"
#include "pipeline/context_private.h"

enum {
    BEGIN = 0x15dc,
    END = 0x15e0,
    U32 = 0x15e8,
    U16_SETUP = 0x15ec,
    U16 = 0x15f0,
    U8_SETUP = 0x1300,
    U8 = 0x1304,
    ARRAY_FIRST = 0xd74,
    ARRAY_COUNT = 0xd78,
    TRIANGLES = 4
};

static const struct open_draw *open_draw(struct fixture *f) {
    return &channel_context(f->channel)->p->draw;
}

/* ---- indices ---- */

struct command {
    uint32_t method, count, data[4];
};

/* SETUP: bits 0 to 29 limit the number of indices that follow, in any number of packets (0: no
 * limit). The bits above tell how many indices of the first word are skipped: bits 30 and 31 for
 * bytes, 31 for pairs. */
static const struct {
    const char *what;
    struct command c[5];
    uint32_t expected[12], count;
} streams[] = {
    {"words", {{U32, 3, {7, 0x10000, 9}}}, {7, 0x10000, 9}, 3},
    {"pairs", {{U16, 2, {0x00020001, 0xffff0003}}}, {1, 2, 3, 0xffff}, 4},
    {"bytes", {{U8, 1, {0xff030201}}}, {1, 2, 3, 0xff}, 4},
    {"pairs, the first left out",
     {{U16_SETUP, 1, {0x80000003}}, {U16, 2, {0x00020001, 0x00040003}}},
     {2, 3, 4},
     3},
    {"pairs, one of four too many",
     {{U16_SETUP, 1, {3}}, {U16, 2, {0x00020001, 0x00040003}}},
     {1, 2, 3},
     3},
    {"the limit holds over packets",
     {{U16_SETUP, 1, {3}}, {U16, 1, {0x00020001}}, {U16, 1, {0x00040003}}, {U16, 1, {0x00060005}}},
     {1, 2, 3},
     3},
    {"three bytes left out, over packets",
     {{U8_SETUP, 1, {0xc0000002}}, {U8, 1, {0x04030201}}, {U8, 1, {0x08070605}}},
     {4, 5},
     2},
    {"two bytes left out", {{U8_SETUP, 1, {0x80000000}}, {U8, 1, {0x04030201}}}, {3, 4}, 2},
    {"one byte left out", {{U8_SETUP, 1, {0x40000000}}, {U8, 1, {0x04030201}}}, {2, 3, 4}, 3},
    {"no limit again",
     {{U8_SETUP, 1, {1}}, {U8, 1, {0x04030201}}, {U8_SETUP, 1, {0}}, {U8, 1, {0x08070605}}},
     {1, 5, 6, 7, 8},
     5},
    {"words know no limit",
     {{U16_SETUP, 1, {1}}, {U32, 2, {5, 6}}, {U16, 1, {0x00020001}}},
     {5, 6, 1},
     3},
    {"array vertices behind a word",
     {{U32, 1, {7}}, {ARRAY_FIRST, 1, {20}}, {ARRAY_COUNT, 1, {3}}},
     {7, 20, 21, 22},
     4},
    {"array vertices around pairs",
     {{ARRAY_FIRST, 1, {20}}, {ARRAY_COUNT, 1, {2}}, {U16, 1, {0x00020001}}, {ARRAY_COUNT, 1, {1}}},
     {20, 21, 1, 2, 20},
     5},
    {"sizes mixed", {{U32, 1, {100000}}, {U16, 1, {0x00020001}}}, {100000, 1, 2}, 3},
};

static void send(struct fixture *f, const struct command *c, bool in_one) {
    for (; c->count; c++) {
        if (in_one) { /* all data words in one method */
            put(f, 0x40000000 | c->count << 18 | THREE_D << 13 | c->method);
            for (uint32_t i = 0; i < c->count; i++)
                put(f, c->data[i]);
        }
        for (uint32_t i = 0; i < c->count && !in_one; i++)
            one(f, THREE_D, c->method, c->data[i]);
    }
}

FIXTURE_TEST(test_indices) {
    for (size_t i = 0; i < 2 * LENGTH(streams); i++) {
        const size_t row = i / 2;
        one(f, THREE_D, BEGIN, TRIANGLES);
        send(f, streams[row].c, i & 1);
        run(f);
        const struct open_draw *o = open_draw(f);
        if (o->index_bytes != 4 * streams[row].count ||
            memcmp(o->index, streams[row].expected, o->index_bytes) != 0)
            fail_msg("%s: %zu indices", streams[row].what, o->index_bytes / 4);
        one(f, THREE_D, U16_SETUP, 0x80000001); /* applies to this draw only */
        run_one(f, THREE_D, END, 0);
    }
}

/* An entry that contains only indices is read in place, until more indices follow. Indices in the
 * entry of their method header are copied. */
FIXTURE_TEST(test_pushed_buffer) {
    enum { COUNT = 2000 };
    for (uint32_t i = 0; i < COUNT; i++)
        ((uint32_t *)(void *)f->bytes)[i] = 3 * i;
    for (int row = 0; row < 8; row++) {
        const bool own = row & 1, many = row & 2, pairs = row & 4;
        const uint32_t words = many ? COUNT : 4, count = words << pairs;
        const struct open_draw *o = open_draw(f);
        one(f, THREE_D, BEGIN, TRIANGLES);
        put(f, 0x40000000 | words << 18 | THREE_D << 13 | (pairs ? U16 : U32));
        for (uint32_t i = 0; i < words && !own; i++)
            put(f, ((const uint32_t *)(const void *)f->bytes)[i]);
        run(f);
        if (own)
            channel_execute(f->channel, f->data, words * 4);
        assert_true(o->pushed == (own ? f->bytes : NULL));
        if (o->pushed)
            assert_true(o->pushed_count == count && o->index_size == (pairs ? 2 : 4));
        run_one(f, THREE_D, U32, 77777);
        assert_null(o->pushed);
        assert_int_equal(o->index_bytes, 4 * (count + 1));
        for (uint32_t i = 0; i < count; i++) {
            const uint16_t *half = (const uint16_t *)(const void *)f->bytes;
            assert_int_equal(((const uint32_t *)(const void *)o->index)[i],
                             pairs ? half[i] : 3 * i);
        }
        assert_int_equal(((const uint32_t *)(const void *)o->index)[count], 77777);
        run_one(f, THREE_D, END, 0);
    }
}

/* An index between or behind inline vertices cuts the strip, whatever the index is. An index before
 * the first inline vertex has no effect. In a draw without inline vertices the same words are
 * indices. */
FIXTURE_TEST(test_cuts) {
    static const uint32_t vertex[] = {1, 2, 3, 4};
    const struct open_draw *o = open_draw(f);
    for (int inlined = 0; inlined < 2; inlined++) {
        one(f, THREE_D, BEGIN, TRIANGLES);
        if (inlined) {
            one(f, THREE_D, U32, 0xffffffff);
            method(f, THREE_D, 0x40000000 | 0x1640, 4, vertex);
        }
        one(f, THREE_D, U32, 0xffffffff);
        if (inlined)
            method(f, THREE_D, 0x40000000 | 0x1640, 4, vertex);
        run_one(f, THREE_D, U32, 5);
        assert_int_equal(o->index_bytes, inlined ? 0 : 8);
        assert_int_equal(o->index_size, inlined ? 0 : 4);
        assert_null(inlined ? o->pushed : NULL);
        assert_int_equal(o->mark_count, inlined ? 2 : 0);
        for (uint32_t i = 0; i < o->mark_count; i++) {
            assert_int_equal(o->mark[i].kind, MARK_CUT);
            assert_int_equal(o->mark[i].word, 4 * (i + 1));
        }
        run_one(f, THREE_D, END, 0);
    }
}

/* Methods of 1 to 4 components set an attribute. When its last component arrives, the missing ones
 * become 0, 0, 0, 1. Then attribute 0, and no other, makes a vertex if a draw is open. */
FIXTURE_TEST(test_attributes) {
    static const struct {
        uint32_t method, stride, components;
    } kinds[] = {{0x300, 4, 1}, {0x380, 8, 2}, {0x400, 16, 3}, {0x500, 16, 4}};
    const struct open_draw *o = open_draw(f);
    for (uint32_t i = 0; i < 64; i++) /* the arrays of methods are contiguous */
        one(f, THREE_D, 0x500 + 4 * i, i);
    run(f);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(channel_context(f->channel)->state.current[i / 4][i % 4], i);
    assert_int_equal(f->lines, 0); /* without a draw, the methods are valid */
    for (uint32_t attribute = 0; attribute < 16; attribute++)
        for (uint32_t kind = 0; kind < 4; kind++)
            for (uint32_t drawing = 0; drawing < 2; drawing++) {
                const uint32_t n = kinds[kind].components,
                               address = kinds[kind].method + attribute * kinds[kind].stride;
                const uint32_t *const is = channel_context(f->channel)->state.current[attribute];
                static const uint32_t before[] = {91, 92, 93, 94};
                method(f, THREE_D, 0x500 + 16 * attribute, 4, before);
                if (drawing)
                    one(f, THREE_D, BEGIN, TRIANGLES);
                run(f);
                const size_t none = o->data_words;
                for (uint32_t k = 0; k < n; k++) {
                    run_one(f, THREE_D, address + 4 * k, 70 + k);
                    for (uint32_t c = 0; c < 4; c++)
                        assert_int_equal(is[c], c <= k      ? 70 + c
                                                : k + 1 < n ? before[c]
                                                : c == 3    ? 0x3f800000
                                                            : 0);
                    assert_int_equal(o->data_words != none,
                                     drawing && attribute == 0 && k + 1 == n);
                }
                if (drawing) {
                    assert_int_equal(o->immediate, attribute == 0);
                    const size_t words = o->data_words;
                    run_one(f, THREE_D, address + 4 * (n - 1), 70 + n - 1); /* once more */
                    assert_int_equal(o->data_words, 2 * words);
                    run_one(f, THREE_D, END, 0);
                }
            }
}

/* Indices that exceed a limit are dropped without a message, whatever their source. */
FIXTURE_TEST(test_used_up) {
    one(f, THREE_D, BEGIN, TRIANGLES);
    one(f, THREE_D, U16_SETUP, 2);
    one(f, THREE_D, U16, 0x00020001);
    run_one(f, THREE_D, U16, 0x00040003);
    assert_int_equal(open_draw(f)->index_bytes, 8);
    run_one(f, THREE_D, END, 0);
    f->lines = 0;
    one(f, THREE_D, U16, 0x00040003);
    run_one(f, THREE_D, U8, 0x04030201);
    assert_int_equal(f->lines, 0);
    one(f, THREE_D, U16_SETUP, 0);
    run_one(f, THREE_D, U16, 0x00040003);
    assert_int_equal(f->lines, 1);
    assert_non_null(strstr(f->last, "VB_ELEMENT_U16 (15f0): outside of BEGIN and END"));
}

/* ---- vertices from transform feedback ---- */

FIXTURE_TEST(test_stream_vertices) {
    static const struct {
        uint32_t stride, base, bytes, count;
    } row[] = {
        {16, 0, 160, 10}, {16, 32, 160, 8}, {12, 0, 35, 2}, {16, 160, 160, 0}, {16, 161, 160, 0}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        one(f, THREE_D, 0x1318, row[i].stride);
        one(f, THREE_D, 0x13a4, row[i].base);
        one(f, THREE_D, BEGIN, TRIANGLES);
        run_one(f, THREE_D, 0x123c, row[i].bytes);
        assert_int_equal(open_draw(f)->range_count, 1);
        assert_int_equal(open_draw(f)->range[0].first, 0);
        assert_int_equal(open_draw(f)->range[0].count, row[i].count);
        run_one(f, THREE_D, END, 0);
    }
    one(f, THREE_D, 0x1318, 0); /* without a stride there are no vertices */
    one(f, THREE_D, BEGIN, TRIANGLES);
    run_one(f, THREE_D, 0x123c, 160);
    assert_int_equal(open_draw(f)->range_count, 0);
}

/* BEGIN: bit 28 starts the next instance, bit 30 repeats the instance, bit 29 continues primitive
 * ids. */
FIXTURE_TEST(test_begin) {
    for (uint32_t bits = 0; bits < 8; bits++) {
        run_one(f, THREE_D, BEGIN, TRIANGLES | bits << 28);
        const struct open_draw *o = open_draw(f);
        assert_int_equal(o->primitive, TRIANGLES);
        assert_int_equal(o->instance, bits & 1   ? DRAW_INSTANCE_NEXT
                                      : bits & 4 ? DRAW_INSTANCE_SAME
                                                 : DRAW_INSTANCE_FIRST);
        assert_int_equal(o->continue_ids, bits >> 1 & 1);
        run_one(f, THREE_D, END, 0);
    }
}

/* EDGEFLAG within a draw sets the flag of the inline vertices behind it. Before the draw it sets
 * the first flag. */
FIXTURE_TEST(test_edge_flags) {
    enum { EDGEFLAG = 0x15e4 };
    for (uint32_t bits = 0; bits < 8; bits++) {
        one(f, THREE_D, EDGEFLAG, bits & 1);
        one(f, THREE_D, BEGIN, TRIANGLES);
        one(f, THREE_D, EDGEFLAG, bits >> 1 & 1);
        run_one(f, THREE_D, EDGEFLAG, 0xfffffffe | bits >> 2);
        const struct open_draw *o = open_draw(f);
        assert_int_equal(o->edge_flag, bits & 1);
        assert_int_equal(o->mark_count, 2);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(o->mark[i].kind, MARK_EDGE);
            assert_int_equal(o->mark[i].value, bits >> (i + 1) & 1);
        }
        run_one(f, THREE_D, END, 0);
    }
}

/* VERTEX_ID_BASE within a draw is the id of its next vertex; before the draw it is the first id. */
FIXTURE_TEST(test_vertex_ids) {
    const struct open_draw *o = &channel_context(f->channel)->p->draw;
    for (int within = 0; within < 2; within++) {
        one(f, THREE_D, within ? 0x15dc : 0x1118, within ? 0 : 9);
        run_one(f, THREE_D, within ? 0x1118 : 0x15dc, within ? 9 : 0);
        assert_int_equal(o->has_ids, within);
        assert_int_equal(o->mark_count, within);
        run_one(f, THREE_D, 0x15e0, 0);
    }
}

/* VERTEX_DATA within a draw: words of consecutive vertices, however they are divided among
 * methods. */
FIXTURE_TEST(test_vertex_data) {
    const struct open_draw *o = &channel_context(f->channel)->p->draw;
    uint32_t word[9];
    for (uint32_t i = 0; i < 9; i++)
        word[i] = 0x1000 + i;
    for (uint32_t first = 1; first < 9; first++) {
        one(f, THREE_D, 0x15dc, 0);
        method(f, THREE_D, 0x40000000 | 0x1640, first, word); /* the same method repeatedly */
        method(f, THREE_D, 0x40000000 | 0x1640, 9 - first, word + first);
        run(f);
        assert_int_equal(o->data_words, 9);
        assert_memory_equal(o->data, word, sizeof word);
        run_one(f, THREE_D, 0x15e0, 0);
    }
}
