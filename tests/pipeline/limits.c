/* What draws and dispatches are refused for, the last that is allowed and the first that is not; how draws
 * number instances and primitives; what counters and conditions say.
 */
#include "tests/pipeline/fixture.h"

#include "pipeline/context_private.h"
#include "shader/block.h"

enum { SIZE = 16 };

static const float v[40][8];

#define REFUSED(f, call, text)                                                                     \
    do {                                                                                           \
        if ((call) != TP_ERROR_INVALID)                                                            \
            fail_msg("%s is accepted", #call);                                                     \
        if (!strstr(tp_message((f)->device), text))                                                \
            fail_msg("%s: '%s' lacks '%s'", #call, tp_message((f)->device), text);                 \
    } while (0)

/* ---- begin, vertices, end ---- */

TEST(test_sequence) {
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    REFUSED(&f, draw_end(c), "a draw ends that has not begun");
    REFUSED(&f, draw_begin(c, 14, DRAW_INSTANCE_FIRST), "unknown primitive type 14 (0 to 13)");
    REFUSED(&f, draw_end(c), "unknown primitive");
    REFUSED(&f, draw_end(c), "has not begun");
    OK(&f, draw_begin(c, 13, DRAW_INSTANCE_FIRST));
    REFUSED(&f, draw_begin(c, 0, DRAW_INSTANCE_FIRST), "a draw begins inside another");
    OK(&f, draw_arrays(c, 0, 3)); /* of the second, which counts */
    OK(&f, draw_end(c));
    struct tp_statistics s;
    OK(&f, tp_get_statistics(c, &s));
    assert_int_equal(s.draws, 1);
    assert_int_equal(s.vertices, 3);
    const uint64_t number = c->draw_number;
    OK(&f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
    OK(&f, draw_end(c)); /* of nothing */
    assert_int_equal(c->draw_number, number + 1);
    fixture_close(&f);
}

TEST(test_index_sizes) {
    static const uint32_t zeros[4] = {0};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    for (uint32_t size = 0; size < 6; size++) {
        const bool right = size == 1 || size == 2 || size == 4;
        OK(&f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
        assert_int_equal(draw_indices(c, zeros, 2, size), right ? TP_OK : TP_ERROR_INVALID);
        assert_int_equal(draw_end(c), right ? TP_OK : TP_ERROR_INVALID);
        OK(&f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
        assert_int_equal(draw_indices_memory(c, tp_buffer_address(f.vertices), 2, size),
                         right ? TP_OK : TP_ERROR_INVALID);
        assert_int_equal(draw_end(c), right ? TP_OK : TP_ERROR_INVALID);
        for (uint32_t second = 1; second <= 4 && right; second *= 2) {
            OK(&f,
               draw_begin(
                   c, 0,
                   DRAW_INSTANCE_FIRST)); /* words of the host go together, whatever their sizes */
            OK(&f, draw_indices(c, zeros, 1, size));
            OK(&f, draw_indices(c, zeros, 1, second));
            OK(&f, draw_end(c));
            OK(&f,
               draw_begin(
                   c, 0,
                   DRAW_INSTANCE_FIRST)); /* those of memory with the same, or their own are words */
            OK(&f, draw_indices_memory(c, tp_buffer_address(f.vertices), 1, size));
            assert_int_equal(draw_indices(c, zeros, 1, second),
                             size == 4 || size == second ? TP_OK : TP_ERROR_INVALID);
            assert_int_equal(draw_end(c), size == 4 || size == second ? TP_OK : TP_ERROR_INVALID);
        }
    }
    fixture_close(&f);
}

/* The most a draw may ask for: here ten of anything. */
TEST(test_work_limit) {
    enum { MOST = 10 };
    static const uint32_t zeros[200];
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    f.device->work_limit = MOST;
    static const struct {
        uint8_t type;
        uint32_t counts[2], instances;
        bool right;
    } rows[] = {
        {TP_POINTS, {10}, 1, true},       {TP_POINTS, {11}, 1, false},
        {TP_TRIANGLES, {32}, 1, true},    {TP_TRIANGLES, {33}, 1, false},
        {TP_LINE_STRIP, {11}, 1, true},   {TP_LINE_STRIP, {12}, 1, false},
        {TP_POINTS, {5, 5}, 1, true},     {TP_POINTS, {5, 6}, 1, false},
        {TP_POINTS, {5}, 2, true},        {TP_POINTS, {5}, 3, false},
        {TP_TRIANGLES, {2, 30}, 1, true}, {TP_POINTS, {1}, 10, true},
        {TP_POINTS, {1}, 11, false},      {TP_TRIANGLES, {2}, 1000, true},
        {TP_QUADS, {20}, 1, true},        {TP_QUADS, {24}, 1, false},
        {TP_POINTS, {10}, 0, true},       {TP_POINTS, {11}, 0, false},
        {TP_TRIANGLES, {33}, 0, false},   {TP_POINTS, {21}, 1, false},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        OK(&f, draw_begin(c, rows[i].type, DRAW_INSTANCE_FIRST));
        draw_set_instances(c, rows[i].instances);
        OK(&f, draw_arrays(c, 0, rows[i].counts[0]));
        OK(&f, draw_arrays(c, 0, rows[i].counts[1]));
        if (rows[i].right)
            OK(&f, draw_end(c));
        else
            REFUSED(&f, draw_end(c), "primitives or more");
    }
    for (uint32_t n = MOST; n <= MOST + 1; n++) { /* what comes in many pieces */
        const enum tp_result expected = n > MOST ? TP_ERROR_INVALID : TP_OK;
        enum tp_result last = TP_OK;
        OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_arrays(c, 0, 0);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(&f, draw_indices(c, zeros, 4, 4));
        assert_int_equal(draw_indices(c, zeros, n - 4, 1), expected);
        assert_int_equal(draw_end(c), expected);
        OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_vertex(c);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_vertex_id(c, i);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST)); /* 64 words a vertex, at most */
        for (uint32_t i = 0; i < 4; i++)
            OK(&f, draw_vertex_data(c, zeros, 160));
        assert_int_equal(draw_vertex_data(c, zeros, n - MOST), expected);
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST) == TP_ERROR_INVALID
                   ? TP_OK
                   : TP_ERROR_INVALID);
        OK(&f, draw_end(c));
    }
    fixture_close(&f);
}

/* ---- numbers ---- */

TEST(test_instance_numbers) {
    static const struct {
        enum draw_instance how;
        uint32_t instances, last;
    } rows[] = {{DRAW_INSTANCE_FIRST, 1, 0}, {DRAW_INSTANCE_NEXT, 1, 1},
                {DRAW_INSTANCE_NEXT, 1, 2},  {DRAW_INSTANCE_SAME, 1, 2},
                {DRAW_INSTANCE_NEXT, 3, 5},  {DRAW_INSTANCE_NEXT, 1, 6},
                {DRAW_INSTANCE_SAME, 2, 7},  {DRAW_INSTANCE_FIRST, 4, 3},
                {DRAW_INSTANCE_NEXT, 0, 4},  {DRAW_INSTANCE_FIRST, 1, 0}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        OK(&f, draw_begin(c, TP_POINTS, rows[i].how));
        draw_set_instances(c, rows[i].instances);
        OK(&f, draw_arrays(c, 0, 1));
        OK(&f, draw_end(c));
        assert_int_equal(c->p->instance, rows[i].last);
    }
    fixture_close(&f);
}

/* Ids go on over the parts of a draw, and with PRIMITIVE_ID_CONT over draws; a quad has one. */
TEST(test_primitive_numbers) {
    static const struct {
        uint8_t type;
        bool go_on;
        uint32_t counts[2], next;
    } rows[] = {{TP_TRIANGLES, false, {9, 6}, 5}, {TP_TRIANGLES, true, {3}, 6},
                {TP_TRIANGLES, true, {2, 0}, 6},  {TP_TRIANGLE_STRIP, true, {5, 3}, 10},
                {TP_QUADS, false, {8, 4}, 3},     {TP_QUAD_STRIP, true, {6}, 5},
                {TP_LINE_LOOP, false, {3}, 3},    {TP_POINTS, false, {7}, 7},
                {TP_POLYGON, false, {5}, 3},      {TP_TRIANGLE_FAN, false, {5, 3}, 4}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        OK(&f, draw_begin(c, rows[i].type, DRAW_INSTANCE_FIRST));
        if (rows[i].go_on)
            draw_continue_primitive_ids(c);
        for (int k = 0; k < 2; k++)
            OK(&f, draw_arrays(c, 0, rows[i].counts[k]));
        OK(&f, draw_end(c));
        assert_int_equal(c->p->primitive_id, rows[i].next);
    }
    fixture_close(&f);
}

static uint64_t primitives_of(struct fixture *f) {
    struct tp_statistics s;
    OK(f, tp_get_statistics(f->context, &s));
    tp_reset_statistics(f->context);
    return s.primitives;
}

/* All patterns of six elements that are the restart index or not: strips lie between. By indices of the host,
 * of memory, and by numbers of vertices (of which one alone is the restart index). */
TEST(test_restart_patterns) {
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    float across[8][8];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            across[i][k] = k == 0 ? (float)i / 8 - 0.5f : k == 1 ? (float)(i & 1) : 1;
    fixture_vertices(&f, (const float(*)[8])across, 8);
    tp_buffer *b;
    OK(&f, tp_buffer_create(f.device, 64, NULL, &b));
    for (uint32_t pattern = 0; pattern < 64; pattern++) {
        uint8_t index[6];
        uint32_t lines = 0, length = 0;
        for (uint32_t i = 0; i < 6; i++) {
            index[i] = pattern >> i & 1 ? 200 : (uint8_t)i;
            length = pattern >> i & 1 ? 0 : length + 1;
            lines += length > 1;
        }
        OK(&f, tp_buffer_write(c, b, 0, index, 6));
        for (int how = 0; how < 3; how++) {
            c->state.restart_enable = how != 2;
            c->state.restart_index = 200;
            OK(&f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
            OK(&f, how == 1 ? draw_indices_memory(c, tp_buffer_address(b), 6, 1)
                            : draw_indices(c, index, 6, 1));
            OK(&f, draw_end(c));
            if (how < 2)
                assert_int_equal(primitives_of(&f), lines);
        }
        primitives_of(&f);
    }
    c->state.restart_enable = c->state.restart_with_arrays = true;
    for (uint32_t at = 0; at < 9; at++) {
        c->state.restart_index = at;
        OK(&f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
        OK(&f, draw_arrays(c, 1, 6));
        OK(&f, draw_end(c));
        assert_int_equal(primitives_of(&f), at < 1 || at > 6 ? 5 : at == 1 || at == 6 ? 4 : 3);
        const uint8_t sevens[6] = {at == 7 ? 0 : 7,
                                   at == 7 ? 0 : 7,
                                   6,
                                   0,
                                   7,
                                   0}; /* what indices say counts, not their places */
        c->state.restart_index = at < 6 ? at + 100 : at;
        OK(&f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
        OK(&f, draw_indices(c, sevens, at == 6 ? 2 : 6, 1));
        OK(&f, draw_end(c));
        assert_int_equal(primitives_of(&f), at == 6 ? 1 : at == 7 ? 3 : 5);
    }
    tp_buffer_destroy(b);
    fixture_close(&f);
}

/* Cuts between inline vertices, wherever they are, and ids and edge flags, which cut nothing: what lies between cuts is a
 * strip. All patterns of eight vertices, of data in whole vertices and word by word, and of current attributes. */
TEST(test_cut_patterns) {
    enum { N = 8 };
    static const struct {
        uint8_t type, least;
        bool strip; /* a primitive more for each vertex */
    } types[] = {{TP_POINTS, 1, true},
                 {TP_LINE_STRIP, 2, true},
                 {TP_TRIANGLE_STRIP, 3, true},
                 {TP_TRIANGLES, 3, false}};
    struct fixture f;
    float across[N][8];
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 8; k++)
            across[i][k] = k == 0 ? (float)i / 8 - 0.5f : k == 1 ? (float)(i & 1) : k == 2 ? 0 : 1;
    fixture_vertices(&f, (const float(*)[8])across, N);
    for (uint32_t i = 0; i < 4 * 3 * (2 << N); i++) {
        const uint32_t pattern = i / 12, type = i % 4, how = i / 4 % 3;
        uint32_t length = 0, want = 0;
        OK(&f, draw_begin(c, types[type].type, DRAW_INSTANCE_FIRST));
        for (uint32_t k = 0; k <= N; k++) {
            if (pattern >> k & 1 || k == N) {
                if (length >= types[type].least)
                    want += types[type].strip ? length - types[type].least + 1
                                              : length / types[type].least;
                length = 0;
            }
            if (k % 3 == 1)
                OK(&f, draw_vertex_id(c, 77));
            if (pattern >> k & 1)
                OK(&f, draw_vertex_cut(c));
            if (k % 4 == 3)
                OK(&f, draw_edge_flag(c, k & 4));
            if (k == N)
                break;
            for (int w = 0; w < 8 && how == 1; w++)
                OK(&f, draw_vertex_data(c, (const uint32_t *)&across[k][w], 1));
            if (how == 0)
                OK(&f, draw_vertex_data(c, (const uint32_t *)across[k], 8));
            memcpy(c->state.current[0], across[k], 16);
            if (how == 2)
                OK(&f, draw_vertex(c));
            length++;
        }
        OK(&f, draw_end(c));
        const uint64_t got = primitives_of(&f);
        if (got != want)
            fail_msg("type %u, cuts %03x, %u: %u primitives, not %u", types[type].type, pattern,
                     how, (uint32_t)got, want);
    }
    fixture_close(&f);
}

/* Indices beyond the memory that is there are 0: a restart index of 0 cuts at each of them, no other one does. */
TEST(test_restart_beyond_memory) {
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, v, 40);
    tp_buffer *b;
    OK(&f, tp_buffer_create(f.device, 4096, NULL, &b));
    const uint64_t end =
        tp_buffer_address(b) + memory_extent(f.device->memory, tp_buffer_address(b));
    c->state.restart_enable = true;
    for (uint32_t size = 1; size <= 4; size *= 2)
        for (uint32_t there = 0; there < 12; there++)
            for (uint32_t index = 0; index < 3; index++) {
                const uint32_t one = 1;
                for (uint32_t i = 1; i <= there; i++)
                    memcpy(memory_at(f.device->memory, end - size * i, size), &one, size);
                c->state.restart_index = index;
                context_counter_reset(c, COUNTER_PRIMITIVES_IN);
                OK(&f, draw_begin(c, TP_LINE_STRIP, DRAW_INSTANCE_FIRST));
                OK(&f, draw_indices_memory(c, end - there * size, 12, size));
                OK(&f, draw_end(c));
                const uint32_t first = index == 1 ? 0 : there, second = index == 0 ? 0 : 12 - there;
                const uint32_t lines =
                    index == 2 ? 11 : (first ? first - 1 : 0) + (second ? second - 1 : 0);
                if (context_counter(c, COUNTER_PRIMITIVES_IN) != lines)
                    fail_msg("%u indices of %u bytes, restart at %u: %u lines, not %u", there, size,
                             index, (uint32_t)context_counter(c, COUNTER_PRIMITIVES_IN), lines);
            }
    tp_buffer_destroy(b);
    fixture_close(&f);
}

/* ---- programs ---- */

TEST(test_programs) {
    static const char points_gp[] =
        ".primitive points\n.vertices 3\n.output position o[0x0]\nemit\nexit nop\n";
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    struct state *const s = &c->state;
    fixture_vertices(&f, v, 40);
    tp_program *gp = fixture_program(&f, TP_GEOMETRY, points_gp);
    for (uint8_t slots = 3; slots <= 4; slots++) {
        s->header[PROGRAM_VP].map_size = slots;
        state_touch(s, GROUP_PROGRAM);
        if (slots < 4)
            REFUSED(&f, tp_draw_arrays(c, TP_POINTS, 0, 1),
                    "vertex program test: the result map has 3 slots");
        else
            OK(&f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    }
    OK(&f, tp_bind_program(c, TP_GEOMETRY, gp));
    for (uint8_t type = 0; type < 5; type++) {
        s->header[PROGRAM_GP].gp_out_primitive = type;
        state_touch(s, GROUP_PROGRAM);
        if (type < 1 || type > 3)
            REFUSED(&f, tp_draw_arrays(c, TP_POINTS, 0, 1),
                    "geometry program test: output primitive");
        else
            OK(&f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    }
    s->header[PROGRAM_GP].gp_out_primitive = 1;
    s->header[PROGRAM_VP].map_size = 3; /* the last stage's has the position */
    state_touch(s, GROUP_PROGRAM);
    OK(&f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    s->header[PROGRAM_GP].map_size = 3;
    state_touch(s, GROUP_PROGRAM);
    REFUSED(&f, tp_draw_arrays(c, TP_POINTS, 0, 1),
            "geometry program test: the result map has 3 slots");
    OK(&f, tp_bind_program(c, TP_GEOMETRY, NULL));
    OK(&f, tp_bind_program(c, TP_VERTEX, f.vp));
    static const uint8_t wrong[][2] = {{0x07, 0x3f}, {0x01, 0x3e}, {0x01, 0}, {0xff, 0x12}};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        s->attribute[1].format = wrong[i][0];
        s->attribute[1].type = wrong[i][1];
        state_touch(s, GROUP_FETCH);
        REFUSED(&f, tp_draw_arrays(c, TP_POINTS, 0, 1), "vertex attribute 1 has unknown format");
        s->attribute[1].constant = true; /* then it does not matter */
        state_touch(s, GROUP_FETCH);
        OK(&f, tp_draw_arrays(c, TP_POINTS, 0, 1));
        s->attribute[1].constant = false;
    }
    OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&f, draw_arrays(c, 0, 1));
    struct program *const bound = s->program[PROGRAM_VP];
    state_bind_program(s, PROGRAM_VP, NULL);
    REFUSED(&f, draw_end(c), "no vertex program is bound");
    state_bind_program(s, PROGRAM_VP, bound);
    for (int i = 0; i < STATE_ATTRIBUTES; i++)
        s->attribute[i].constant = true;
    state_touch(s, GROUP_FETCH);
    OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(&f, draw_vertex_data(c, (const uint32_t[4]){0}, 4));
    REFUSED(&f, draw_end(c), "no attribute that takes them");
    tp_program_destroy(gp);
    fixture_close(&f);
}

/* ---- dispatches ---- */

static void dispatches(enum tp_chip chip, bool tesla) {
    static const struct {
        uint32_t grid[3], block[3], params;
        const char *tesla, *later; /* what is said; NULL: it runs */
    } rows[] = {
        {{1, 1, 1}, {1, 1, 1}, 0, NULL, NULL},
        {{65535, 1, 1}, {1, 1, 1}, 0, NULL, NULL},
        {{1, 65535, 1}, {1, 1, 1}, 0, NULL, NULL},
        {{65536, 1, 1}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{1, 65536, 1}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{1, 1, 65536}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{0, 1, 1}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{1, 0, 1}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{1, 1, 0}, {1, 1, 1}, 0, "each side must", "each side must"},
        {{1, 1, 2}, {1, 1, 1}, 0, "no depth", NULL},
        {{1, 1, 1}, {512, 1, 1}, 0, NULL, NULL},
        {{1, 1, 1}, {513, 1, 1}, 0, "at most 512 threads", NULL},
        {{1, 1, 1}, {1, 512, 1}, 0, NULL, NULL},
        {{1, 1, 1}, {1, 513, 1}, 0, "at most 512 threads", NULL},
        {{1, 1, 1}, {1, 1, 64}, 0, NULL, NULL},
        {{1, 1, 1}, {1, 1, 65}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {8, 8, 8}, 0, NULL, NULL},
        {{1, 1, 1}, {8, 8, 9}, 0, "at most 512 threads", NULL},
        {{1, 1, 1}, {1024, 1, 1}, 0, "at most 512 threads", NULL},
        {{1, 1, 1}, {1025, 1, 1}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {16, 16, 5}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {0, 1, 1}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 0, 1}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 1, 0}, 0, "at most 512 threads", "at most 1024 threads"},
        /* the product of these is 64 in 64 bits */
        {{1, 1, 1}, {536838145, 536903681, 64}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 1, UINT32_MAX}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {UINT32_MAX, 1, 1}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 1, 1}, BLOCK_PARAMS, NULL, NULL},
        {{1, 1, 1}, {1, 1, 1}, BLOCK_PARAMS + 1, "65 parameter words", "65 parameter words"},
        {{300, 300, 1}, {1, 1, 1}, 0, "more than 80000 blocks", "more than 80000 blocks"},
        {{200, 200, 2}, {1, 1, 1}, 0, "no depth", NULL},
        {{201, 200, 2}, {1, 1, 1}, 0, "no depth", "more than 80000 blocks"},
    };
    static const uint32_t params[BLOCK_PARAMS + 1];
    struct fixture f = {0};
    const struct tp_device_info info = {.chip = chip, .threads = 1};
    OK(&f, tp_device_create(&info, &f.device));
    OK(&f, tp_context_create(f.device, &f.context));
    f.device->work_limit = 80000;
    REFUSED(&f, context_dispatch(f.context, rows[0].grid, rows[0].block, NULL, 0),
            "no compute program is bound");
    tp_program *p = fixture_program(&f, TP_COMPUTE, tesla ? "exit nop\n" : "exit\n");
    OK(&f, tp_bind_program(f.context, TP_COMPUTE, p));
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char *text = tesla ? rows[i].tesla : rows[i].later;
        const enum tp_result got =
            context_dispatch(f.context, rows[i].grid, rows[i].block, params, rows[i].params);
        if (text ? got != TP_ERROR_INVALID || !strstr(tp_message(f.device), text) : got != TP_OK)
            fail_msg("row %zu: %d, %s", i, got, tp_message(f.device));
    }
    tp_program_destroy(p);
    tp_context_destroy(f.context);
    tp_device_destroy(f.device);
}

TEST(test_dispatches) {
    dispatches(TP_CHIP_GT215, true);
    dispatches(TP_CHIP_GF100, false);
}

/* ---- conditions, counters ---- */

/* COND_MODE over the values of two reports; one outside memory is zero. */
TEST(test_conditions) {
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    struct state *const s = &f.context->state;
    tp_buffer *b;
    OK(&f, tp_buffer_create(f.device, 256, NULL, &b));
    for (uint32_t i = 0; i < 4 * 6; i++) {
        const uint32_t first = i & 1 ? 5 : 0, second = i & 2 ? 5 : 0, mode = i / 4;
        const uint32_t words[8] = {9, first, 9, 9, 8, second, 8, 8};
        const bool expected[] = {false, true, first != 0, first == second, first != second, true};
        s->condition_mode = (uint8_t)mode;
        for (uint32_t at = 0; at <= 256 - 32;
             at += 32) { /* from the first byte of memory to the last */
            OK(&f, tp_buffer_write(f.context, b, at, words, sizeof words));
            s->condition_address = tp_buffer_address(b) + at;
            assert_int_equal(context_condition(f.context), expected[mode]);
        }
        s->condition_address = 64;
        const bool outside[] = {false, true, false, true, false, true};
        assert_int_equal(context_condition(f.context), outside[mode]);
    }
    tp_buffer_destroy(b);
    fixture_close(&f);
}

/* A draw or a clear whose condition does not hold does nothing, but counts; the instance goes on. */
TEST(test_conditional_work) {
    static const float whole[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};
    static const struct raster_rect all = {0, 0, SIZE, SIZE};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    struct tp_statistics s;
    fixture_vertices(&f, whole, 3);
    for (uint32_t mode = 0; mode < 2; mode++) {
        OK(&f, tp_finish(c));
        tp_reset_statistics(c);
        c->state.condition_mode = (uint8_t)mode;
        const uint64_t number = c->draw_number;
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        draw_set_instances(c, 3);
        OK(&f, draw_arrays(c, 0, 3));
        OK(&f, draw_end(c));
        assert_int_equal(c->draw_number, number + 1);
        assert_int_equal(c->p->instance, 2);
        OK(&f, tp_get_statistics(c, &s));
        assert_int_equal(s.draws, mode);
        assert_int_equal(s.primitives, 3 * mode);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), mode ? SIZE * SIZE : 0);
    }
    for (uint32_t mode = 0; mode < 2; mode++) {
        c->state.condition_mode = (uint8_t)mode;
        memset(c->state.clear_color, 0, sizeof c->state.clear_color);
        OK(&f, context_clear(c, CLEAR_COLOR_BITS, 0, 0, 1, &all));
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), mode ? 0 : SIZE * SIZE);
    }
    fixture_close(&f);
}

/* ---- who is told of draws ---- */

struct told {
    uint32_t before, after, done;
    struct state *state;
};

/* The state may be changed: the rectangle of the draw is another one. */
static void hook_before(void *self, tp_context *c) {
    struct told *t = self;
    assert_ptr_equal(t->state, &c->state);
    assert_int_equal(t->before++, t->after);
    c->state.rasterize = t->before & 1;
    state_touch(&c->state, GROUP_RASTER);
}

static void hook_after(void *self, tp_context *c) {
    struct told *t = self;
    assert_ptr_equal(t->state, &c->state);
    assert_int_equal(++t->after, t->before);
}

static void hook_done(void *self) {
    ((struct told *)self)->done++;
}

/* Hooks are called around the end of every draw, and what they do to the state counts for it; the owner is told when
 * nothing is queued any more. */
TEST(test_who_is_told) {
    static const float whole[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    struct told t = {.state = &c->state};
    const struct draw_hooks hooks = {&t, hook_before, hook_after};
    fixture_vertices(&f, whole, 3);
    OK(&f, tp_finish(c));
    c->hooks = &hooks;
    const __typeof__(c->owner) owner = c->owner;
    c->owner.self = &t;
    c->owner.work_done = hook_done;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t done = t.done;
        OK(&f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        OK(&f, draw_arrays(c, 0, 3));
        assert_int_equal(t.before, i);
        OK(&f, draw_end(c));
        assert_int_equal(t.after, i + 1);
        assert_int_equal(t.done, done);
        OK(&f, tp_finish(c));
        assert_int_equal(t.done, done + 1);
        assert_true(context_idle(c));
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), i & 1 ? 0 : SIZE * SIZE);
    }
    assert_int_equal(draw_end(c), TP_ERROR_INVALID); /* also of those that fail */
    assert_int_equal(t.after, 5);
    c->hooks = NULL;
    c->owner = owner;
    fixture_close(&f);
}

/* What a stage's observer has seen. */
struct seen {
    uint32_t started, ended;
    uint64_t lanes;
    uint32_t number[64], instance[64]; /* how many lanes stand for each */
    const struct program *program;
};

static void see_start(void *self, const struct warp *w, const struct warp_env *env) {
    struct seen *n = self;
    assert_true(!n->program || n->program == env->program);
    n->program = env->program;
    n->started++;
    n->lanes += (uint32_t)__builtin_popcount(w->launched);
    for (uint32_t rest = w->number ? w->launched : 0; rest; rest &= rest - 1) {
        n->number[w->number[__builtin_ctz(rest)] % 64]++;
        if (w->instance)
            n->instance[w->instance[__builtin_ctz(rest)] % 64]++;
    }
}

static void see_end(void *self, const struct warp *w, const struct warp_env *env) {
    (void)w, (void)env;
    ((struct seen *)self)->ended++;
}

/* The observer of a stage, and no other, sees each warp of its program begin and end, with the vertices, instances or
 * primitives that its lanes stand for; from when it is set to when it is taken away. */
TEST(test_observers) {
    enum { VERTICES = 40, INSTANCES = 2 };
    static const char points_gp[] =
        ".primitive points\n.vertices 1\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "shl $a1 a[0x0] 0\nmov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\n"
        "mov b32 o[0x8] p[$a1+0x8]\nmov b32 o[0xc] p[$a1+0xc]\nemit\nexit nop\n";
    static const uint32_t grid[3] = {3, 1, 1}, block[3] = {40, 1, 1};
    struct fixture f;
    float places[VERTICES][8];
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    tp_program *gp = fixture_program(&f, TP_GEOMETRY, points_gp),
               *cp = fixture_program(&f, TP_COMPUTE, "exit nop\n");
    OK(&f, tp_bind_program(c, TP_GEOMETRY, gp));
    OK(&f, tp_bind_program(c, TP_COMPUTE, cp));
    for (int i = 0; i < VERTICES; i++) {
        const float one[8] = {(float)(2 * (i % SIZE) + 1) / SIZE - 1,
                              (float)(2 * (i / SIZE) + 1) / SIZE - 1,
                              0,
                              1,
                              1,
                              1,
                              1,
                              1};
        memcpy(places[i], one, sizeof one);
    }
    fixture_vertices(&f, (const float(*)[8])places, VERTICES);
    for (int stage = PROGRAM_VP; stage < PROGRAM_TYPES; stage++)
        for (int on = 0; on < 3; on++) { /* before, while, after */
            struct seen n = {0};
            const struct warp_observer observer = {.self = &n, .start = see_start, .end = see_end};
            struct tp_statistics s;
            if (on == 1)
                context_observe(c, (enum program_type)stage, &observer);
            tp_reset_statistics(c);
            OK(&f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
            draw_set_instances(c, INSTANCES);
            OK(&f, draw_arrays(c, 0, VERTICES));
            OK(&f, draw_end(c));
            OK(&f, context_dispatch(c, grid, block, NULL, 0));
            OK(&f, tp_get_statistics(c, &s));
            context_observe(c, (enum program_type)stage, NULL);
            const uint64_t warps[] = {[PROGRAM_VP] = s.vertex_warps,
                                      [PROGRAM_GP] = s.geometry_warps,
                                      [PROGRAM_FP] = s.fragment_warps,
                                      [PROGRAM_CP] = s.compute_warps};
            const uint64_t lanes[] = {[PROGRAM_VP] = VERTICES * INSTANCES,
                                      [PROGRAM_GP] = VERTICES * INSTANCES,
                                      [PROGRAM_FP] = s.fragments,
                                      [PROGRAM_CP] = 3 * 40};
            assert_true(warps[stage] > 0);
            assert_int_equal(n.started, on == 1 ? warps[stage] : 0);
            assert_int_equal(n.ended, n.started);
            if (stage != PROGRAM_FP) /* whose helpers run, too */
                assert_int_equal(n.lanes, on == 1 ? lanes[stage] : 0);
            else
                assert_true(on == 1 ? n.lanes >= lanes[stage] : !n.lanes);
            for (uint32_t i = 0; i < VERTICES && stage <= PROGRAM_GP; i++)
                assert_int_equal(n.number[i], on == 1 ? INSTANCES : 0);
            for (uint32_t i = 0; i < INSTANCES && stage == PROGRAM_VP; i++)
                assert_int_equal(n.instance[i], on == 1 ? VERTICES : 0);
            assert_ptr_equal(n.program, on == 1 ? c->state.program[stage] : NULL);
            const uint32_t before =
                n.started; /* what is queued under an observer is done when it goes */
            context_observe(c, (enum program_type)stage, &observer);
            OK(&f, tp_draw_arrays(c, TP_POINTS, 0, VERTICES));
            context_observe(c, (enum program_type)stage, NULL);
            assert_int_equal(n.started > before, stage != PROGRAM_CP);
        }
    OK(&f, tp_bind_program(c, TP_GEOMETRY, NULL));
    OK(&f, tp_bind_program(c, TP_COMPUTE, NULL));
    tp_program_destroy(gp);
    tp_program_destroy(cp);
    fixture_close(&f);
}

/* ---- targets ---- */

/* How large targets may be, and what is said of those that are larger, or larger than their memory; draws and clears
 * into them are refused, and right ones are drawn to as if nothing had been. */
TEST(test_targets) {
    enum { WIDE = 8192 * 4 };
    static const struct raster_rect all = {0, 0, SIZE, SIZE};
    static const float whole[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};
    static const struct {
        uint32_t width, height, layers;
        uint8_t tile_h, tile_d;
        bool is_3d, linear;
        const char *says; /* NULL: it is drawn to */
    } rows[] = {
        {SIZE, SIZE, 1, 0, 0, false, true, NULL},
        {WIDE, 1, 1, 0, 0, false, true, NULL},
        {WIDE + 1, 1, 1, 0, 0, false, true, "too large"},
        {1, WIDE + 1, 1, 0, 0, false, true, "too large"},
        {0, SIZE, 1, 0, 0, false, true, "too large"},
        {SIZE, 0, 1, 0, 0, false, true, "too large"},
        {SIZE, SIZE, 512, 0, 0, false, true, NULL},
        {SIZE, SIZE, 513, 0, 0, false, true, "too large"},
        {SIZE, SIZE, 513, 0, 0, true, false, NULL},
        {SIZE, SIZE, 2048, 0, 0, true, false, NULL},
        {SIZE, SIZE, 2049, 0, 0, true, false, "too large"},
        {SIZE, SIZE, 1, 5, 5, false, false, NULL},
        {SIZE, SIZE, 1, 6, 0, false, false, "too large"},
        {SIZE, SIZE, 1, 0, 6, false, false, "too large"},
        {WIDE, WIDE, 1, 0, 0, false, false, "does not fit"},
    };
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    struct state *const s = &c->state;
    fixture_vertices(&f, whole, 3);
    tp_buffer *b;
    OK(&f, tp_buffer_create(f.device, 4 << 20, NULL, &b));
    const struct target_state color = s->color[0], zeta = s->zeta;
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        const bool of_zeta = i & 1;
        if (of_zeta && rows[r].is_3d)
            continue;
        struct target_state *t = of_zeta ? &s->zeta : &s->color[0];
        *t = (struct target_state){.address = tp_buffer_address(b),
                                   .width = rows[r].width,
                                   .height = rows[r].height,
                                   .format = of_zeta ? FORMAT_Z24S8 : FORMAT_RGBA8_UNORM,
                                   .linear = rows[r].linear,
                                   .pitch = rows[r].width * 4,
                                   .tile_h = rows[r].tile_h,
                                   .tile_d = rows[r].tile_d,
                                   .layer_stride = 4096};
        s->color_count = !of_zeta;
        s->zeta_enable = of_zeta;
        s->layers = rows[r].layers;
        s->layers_3d = rows[r].is_3d;
        state_touch(s, GROUP_TARGET);
        char what[40];
        snprintf(what, sizeof what, "%s target 0: %ux%u", of_zeta ? "zeta" : "colour",
                 rows[r].width, rows[r].height);
        for (int clear = 0; clear < 2; clear++) {
            OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
            OK(&f, draw_arrays(c, 0, 3));
            const enum tp_result ended = draw_end(c);
            const enum tp_result got =
                clear ? context_clear(c, CLEAR_COLOR_BITS | CLEAR_DEPTH, 0, 0, 1, &all) : ended;
            if (rows[r].says ? got != TP_ERROR_INVALID : got != TP_OK)
                fail_msg("row %zu, %s, %s: %d", r, what, clear ? "clear" : "draw", got);
            if (rows[r].says && (!strstr(tp_message(f.device), rows[r].says) ||
                                 strncmp(tp_message(f.device), what, strlen(what))))
                fail_msg("row %zu: '%s', not '%s ... %s'", r, tp_message(f.device), what,
                         rows[r].says);
        }
        s->color[0] = color;
        s->zeta = zeta;
        s->layers = s->color_count = 1;
        s->layers_3d = false;
        s->zeta_enable = true;
        state_touch(s, GROUP_TARGET);
        OK(&f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        OK(&f, draw_arrays(c, 0, 3));
        OK(&f, draw_end(c));
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), SIZE * SIZE);
        OK(&f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(&f, tp_finish(c));
    }
    tp_buffer_destroy(b);
    fixture_close(&f);
}

/* Each counter counts from its own reset. */
TEST(test_counters) {
    static const float triangle[6][8] = {{-1, 1, 0, 1, 1, 1, 1, 1},  {3, 1, 0, 1, 1, 1, 1, 1},
                                         {-1, -3, 0, 1, 1, 1, 1, 1}, {0, 0, 0, -1, 1, 1, 1, 1},
                                         {1, 0, 0, -1, 1, 1, 1, 1},  {0, 1, 0, -1, 1, 1, 1, 1}};
    static const uint64_t a_draw[COUNTERS] = {[COUNTER_SAMPLES_PASSED] = SIZE * SIZE,
                                              [COUNTER_PRIMITIVES_GENERATED] = 2,
                                              [COUNTER_VERTICES] = 6,
                                              [COUNTER_PRIMITIVES_IN] = 2,
                                              [COUNTER_VP_LAUNCHES] = 6,
                                              [COUNTER_CLIP_IN] = 2,
                                              [COUNTER_CLIP_OUT] = 1,
                                              [COUNTER_FP_LAUNCHES] = SIZE * SIZE};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_context *const c = f.context;
    fixture_vertices(&f, triangle, 6);
    c->state.count_samples = true;
    state_touch(&c->state, GROUP_SAMPLE);
    for (unsigned reset = 0; reset <= COUNTERS; reset++) {
        for (unsigned k = 0; k < COUNTERS; k++)
            context_counter_reset(c, (enum counter)k);
        OK(&f, tp_draw_arrays(c, TP_TRIANGLES, 0, 6));
        context_counter_reset(c, (enum counter)reset); /* or none: there is no such counter */
        OK(&f, tp_draw_arrays(c, TP_TRIANGLES, 0, 6));
        for (unsigned k = 0; k <= COUNTERS; k++)
            assert_int_equal(context_counter(c, (enum counter)k),
                             k == COUNTERS ? 0 : a_draw[k] * (k == reset ? 1 : 2));
    }
    fixture_close(&f);
}

/* What statistics say of a draw, and of nothing since they were reset. */
TEST(test_statistics) {
    static const float triangle[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};
    struct fixture f;
    struct tp_statistics s, again;
    fixture_open_engine(&f, 1, NULL, "interp", SIZE);
    tp_reset_statistics(f.context);
    fixture_draw(&f, TP_TRIANGLES, triangle, 3);
    OK(&f, tp_get_statistics(f.context, &s));
    assert_int_equal(s.draws, 1);
    assert_int_equal(s.vertices, 3);
    assert_int_equal(s.primitives, 1);
    assert_int_equal(s.vertex_warps, 1);
    assert_int_equal(s.geometry_warps + s.compute_warps + s.bad_reads + s.bad_writes, 0);
    assert_int_equal(s.fragments, SIZE * SIZE);
    assert_int_equal(s.fragment_warps, SIZE * SIZE / 32);
    assert_int_equal(s.instructions, 8 + 7 * SIZE * SIZE / 32);
    assert_int_equal(s.lane_instructions, 8 * 3 + 7 * SIZE * SIZE);
    assert_true(s.memory_now > 0 && s.memory_peak >= s.memory_now);
    OK(&f, tp_get_statistics(f.context, &again));
    assert_memory_equal(&again, &s, sizeof s);
    tp_reset_statistics(f.context);
    OK(&f, tp_get_statistics(f.context, &again));
    const uint64_t *word = (const uint64_t *)&again;
    for (size_t i = 0; i < offsetof(struct tp_statistics, memory_now) / sizeof *word; i++)
        assert_int_equal(word[i], 0);
    fixture_close(&f);
}
