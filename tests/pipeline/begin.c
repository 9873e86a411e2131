/* The calls of a draw (begin, vertices, end) and dispatches: their order, the limits of their work,
 * and refused calls. */
#include "pipeline/context_private.h"
#include "shader/cta.h"
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

static const float v[40][8];

#define REFUSED(f, call, text)                                                                     \
    do {                                                                                           \
        if ((call) != TP_ERROR_INVALID)                                                            \
            fail_msg("%s is accepted", #call);                                                     \
        if (!strstr(tp_message((f)->device), text))                                                \
            fail_msg("%s: '%s' lacks '%s'", #call, tp_message((f)->device), text);                 \
    } while (0)

DRAW_TEST(test_sequence, 1, SIZE) {
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    REFUSED(f, draw_end(c), "a draw ends that has not begun");
    REFUSED(f, draw_begin(c, 15, DRAW_INSTANCE_FIRST), "unknown primitive type 15 (0 to 14)");
    REFUSED(f, draw_end(c), "unknown primitive");
    REFUSED(f, draw_end(c), "has not begun");
    OK(f, draw_begin(c, 13, DRAW_INSTANCE_FIRST));
    REFUSED(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST), "a draw begins inside another");
    OK(f, draw_arrays(c, 0, 3)); /* points: the refused second call has set the draw's type */
    OK(f, draw_end(c));
    /* a draw that has failed still fails after another draw_begin() inside of it */
    REFUSED(f, draw_begin(c, 15, DRAW_INSTANCE_FIRST), "unknown primitive type 15 (0 to 14)");
    REFUSED(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST), "a draw begins inside another");
    OK(f, draw_arrays(c, 0, 3));
    REFUSED(f, draw_end(c), "a draw begins inside another");
    struct tp_statistics s;
    OK(f, tp_get_statistics(c, &s));
    assert_int_equal(s.draws, 1);
    assert_int_equal(s.vertices, 3);
    const uint64_t number = c->draw_number;
    OK(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
    OK(f, draw_end(c)); /* an empty draw */
    assert_int_equal(c->draw_number, number + 1);
}

DRAW_TEST(test_index_sizes, 1, SIZE) {
    static const uint32_t zeros[4] = {0};
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    for (uint32_t size = 0; size < 6; size++) {
        const bool right = size == 1 || size == 2 || size == 4;
        OK(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
        assert_int_equal(draw_indices(c, zeros, 2, size), right ? TP_OK : TP_ERROR_INVALID);
        assert_int_equal(draw_end(c), right ? TP_OK : TP_ERROR_INVALID);
        OK(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
        assert_int_equal(draw_indices_memory(c, tp_buffer_address(f->vertices), 2, size),
                         right ? TP_OK : TP_ERROR_INVALID);
        assert_int_equal(draw_end(c), right ? TP_OK : TP_ERROR_INVALID);
        for (uint32_t second = 1; second <= 4 && right; second *= 2) {
            /* indices of all sizes from the host can be mixed */
            OK(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
            OK(f, draw_indices(c, zeros, 1, size));
            OK(f, draw_indices(c, zeros, 1, second));
            OK(f, draw_end(c));
            /* Indices in memory mix with indices from the host of the same size. If the indices in
             * memory are words, those from the host may have any size. */
            OK(f, draw_begin(c, 0, DRAW_INSTANCE_FIRST));
            OK(f, draw_indices_memory(c, tp_buffer_address(f->vertices), 1, size));
            assert_int_equal(draw_indices(c, zeros, 1, second),
                             size == 4 || size == second ? TP_OK : TP_ERROR_INVALID);
            assert_int_equal(draw_end(c), size == 4 || size == second ? TP_OK : TP_ERROR_INVALID);
        }
    }
}

/* A patch has 1 to 32 vertices and needs an evaluation program. */
DRAW_TEST(test_patches, 1, SIZE) {
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    static const struct {
        uint8_t vertices;
        const char *why;
    } rows[] = {{0, "patches of 0 vertices"},
                {33, "patches of 33 vertices"},
                {255, "patches of 255 vertices"},
                {1, "no tessellation evaluation program is bound"},
                {32, "no tessellation evaluation program is bound"}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        c->state.patch_vertices = rows[i].vertices;
        OK(f, draw_begin(c, PRIMITIVE_PATCHES, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(c, 0, 40));
        REFUSED(f, draw_end(c), rows[i].why);
    }
}

/* A draw has a limit of primitives, calls, indices and vertices: ten of each here. */
DRAW_TEST(test_work_limit, 1, SIZE) {
    enum { MOST = 10 };
    static const uint32_t zeros[200];
    tp_context *const c = f->context;
    fixture_vertices(f, v, 40);
    f->device->work_limit = MOST;
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
        OK(f, draw_begin(c, rows[i].type, DRAW_INSTANCE_FIRST));
        draw_set_instances(c, rows[i].instances);
        OK(f, draw_arrays(c, 0, rows[i].counts[0]));
        OK(f, draw_arrays(c, 0, rows[i].counts[1]));
        if (rows[i].right)
            OK(f, draw_end(c));
        else
            REFUSED(f, draw_end(c), "primitives or more");
    }
    for (uint32_t n = MOST; n <= MOST + 1; n++) { /* many small calls */
        const enum tp_result expected = n > MOST ? TP_ERROR_INVALID : TP_OK;
        enum tp_result last = TP_OK;
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_arrays(c, 0, 0);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, draw_indices(c, zeros, 4, 4));
        assert_int_equal(draw_indices(c, zeros, n - 4, 1), expected);
        assert_int_equal(draw_end(c), expected);
        /* indices in memory count, too, even if no primitive is left between restart indices */
        c->state.restart_enable = true;
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        assert_int_equal(draw_indices_memory(c, tp_buffer_address(f->vertices), n, 4), expected);
        assert_int_equal(draw_end(c), expected);
        c->state.restart_enable = false;
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_vertex(c);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        for (uint32_t i = 0; i < n; i++)
            last = draw_vertex_id(c, i);
        assert_int_equal(last, expected);
        assert_int_equal(draw_end(c), expected);
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST)); /* a vertex has at most 64 words */
        for (uint32_t i = 0; i < 4; i++)
            OK(f, draw_vertex_data(c, zeros, 160));
        assert_int_equal(draw_vertex_data(c, zeros, n - MOST), expected);
        assert_int_equal(draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST), TP_ERROR_INVALID);
        assert_int_equal(draw_end(c), expected);
    }
}

DRAW_TEST(test_programs, 1, SIZE) {
    static const char points_gp[] =
        ".primitive points\n.vertices 3\n.output position o[0x0]\nemit\nexit nop\n";
    tp_context *const c = f->context;
    struct state *const s = &c->state;
    fixture_vertices(f, v, 40);
    for (uint8_t slots = 3; slots <= 4; slots++) {
        s->header[PROGRAM_VP].map_size = slots;
        state_touch(s, GROUP_PROGRAM);
        if (slots < 4)
            REFUSED(f, tp_draw_arrays(c, TP_POINTS, 0, 1),
                    "vertex program test: the result map has 3 slots");
        else
            OK(f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    }
    fixture_bind(f, TP_GEOMETRY, points_gp);
    for (uint8_t type = 0; type < 5; type++) {
        s->header[PROGRAM_GP].gp_out_primitive = type;
        state_touch(s, GROUP_PROGRAM);
        if (type < 1 || type > 3)
            REFUSED(f, tp_draw_arrays(c, TP_POINTS, 0, 1),
                    "geometry program test: output primitive");
        else
            OK(f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    }
    s->header[PROGRAM_GP].gp_out_primitive = 1;
    s->header[PROGRAM_VP].map_size = 3; /* only the last stage's map must contain the position */
    state_touch(s, GROUP_PROGRAM);
    OK(f, tp_draw_arrays(c, TP_POINTS, 0, 1));
    s->header[PROGRAM_GP].map_size = 3;
    state_touch(s, GROUP_PROGRAM);
    REFUSED(f, tp_draw_arrays(c, TP_POINTS, 0, 1),
            "geometry program test: the result map has 3 slots");
    OK(f, tp_bind_program(c, TP_GEOMETRY, NULL));
    OK(f, tp_bind_program(c, TP_VERTEX, f->vp));
    static const uint8_t wrong[][2] = {{0x07, 0x3f}, {0x01, 0x3e}, {0x01, 0}, {0xff, 0x12}};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        s->attribute[1].format = wrong[i][0];
        s->attribute[1].type = wrong[i][1];
        state_touch(s, GROUP_FETCH);
        REFUSED(f, tp_draw_arrays(c, TP_POINTS, 0, 1), "vertex attribute 1 has unknown format");
        s->attribute[1].constant = true; /* constants need no format */
        state_touch(s, GROUP_FETCH);
        OK(f, tp_draw_arrays(c, TP_POINTS, 0, 1));
        s->attribute[1].constant = false;
    }
    OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(c, 0, 1));
    struct program *const bound = s->program[PROGRAM_VP];
    state_bind_program(s, PROGRAM_VP, NULL);
    REFUSED(f, draw_end(c), "no vertex program is bound");
    state_bind_program(s, PROGRAM_VP, bound);
    for (int i = 0; i < STATE_ATTRIBUTES; i++)
        s->attribute[i].constant = true;
    state_touch(s, GROUP_FETCH);
    OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(f, draw_vertex_data(c, (const uint32_t[4]){0}, 4));
    REFUSED(f, draw_end(c), "no attribute that takes them");
}

static void dispatches(enum tp_chip chip, bool tesla) {
    static const struct {
        uint32_t grid[3], block[3], params;
        const char *tesla, *later; /* expected message; NULL: the launch runs */
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
        /* the product of the sizes, modulo 2^64, is 64 */
        {{1, 1, 1}, {536838145, 536903681, 64}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 1, UINT32_MAX}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {UINT32_MAX, 1, 1}, 0, "at most 512 threads", "at most 1024 threads"},
        {{1, 1, 1}, {1, 1, 1}, CTA_PARAMS, NULL, NULL},
        {{1, 1, 1}, {1, 1, 1}, CTA_PARAMS + 1, "65 parameter words", "65 parameter words"},
        {{300, 300, 1}, {1, 1, 1}, 0, "more than 80000 blocks", "more than 80000 blocks"},
        {{200, 200, 2}, {1, 1, 1}, 0, "no depth", NULL},
        {{201, 200, 2}, {1, 1, 1}, 0, "no depth", "more than 80000 blocks"},
    };
    static const uint32_t params[CTA_PARAMS + 1];
    FIXTURE_DEVICE(f, (struct tp_device_info){.chip = chip, .threads = 1});
    f.device->work_limit = 80000;
    REFUSED(&f, context_dispatch(f.context, rows[0].grid, rows[0].block, NULL, 0),
            "no compute program is bound");
    fixture_bind(&f, TP_COMPUTE, tesla ? "exit nop\n" : "exit\n");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const char *text = tesla ? rows[i].tesla : rows[i].later;
        const enum tp_result got =
            context_dispatch(f.context, rows[i].grid, rows[i].block, params, rows[i].params);
        if (text ? got != TP_ERROR_INVALID || !strstr(tp_message(f.device), text) : got != TP_OK)
            fail_msg("row %zu: %d, %s", i, got, tp_message(f.device));
    }
}

TEST(test_dispatches) {
    dispatches(TP_CHIP_GT215, true);
    dispatches(TP_CHIP_GF100, false);
}
