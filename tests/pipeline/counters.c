/* Counters, conditional rendering and statistics. */
#include "pipeline/context_private.h"
#include "shader/cta.h"
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

/* COND_MODE tests the value of one report, or compares the values of two. A report outside memory
 * has the value 0. */
DRAW_TEST(test_conditions, 1, SIZE) {
    struct state *const s = &f->context->state;
    tp_buffer *b = fixture_buffer(f, 256, NULL);
    for (uint32_t i = 0; i < 4 * 6; i++) {
        const uint32_t first = i & 1 ? 5 : 0, second = i & 2 ? 5 : 0, mode = i / 4;
        const uint32_t words[8] = {9, first, 9, 9, 8, second, 8, 8};
        const bool expected[] = {false, true, first != 0, first == second, first != second, true};
        s->condition_mode = (uint8_t)mode;
        for (uint32_t at = 0; at <= 256 - 32;
             at += 32) { /* from the first to the last byte of memory */
            OK(f, tp_buffer_write(f->context, b, at, words, sizeof words));
            s->condition_address = tp_buffer_address(b) + at;
            assert_int_equal(context_condition(f->context), expected[mode]);
        }
        /* a report in the last bytes of its memory */
        s->condition_address = tp_buffer_address(b) + 256 - 16;
        OK(f, tp_buffer_write(f->context, b, 256 - 16, words, 16));
        assert_true(mode != 2 || context_condition(f->context) == (first != 0));
        s->condition_address = 64;
        const bool outside[] = {false, true, false, true, false, true};
        assert_int_equal(context_condition(f->context), outside[mode]);
    }
}

/* A draw or clear whose condition is false writes nothing. The draw still gets its number, and its
 * instances are counted. */
DRAW_TEST(test_conditional_work, 1, SIZE) {
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const struct raster_rect all = {0, 0, SIZE, SIZE};
    tp_context *const c = f->context;
    struct tp_statistics s;
    fixture_vertices(f, whole, 3);
    for (uint32_t mode = 0; mode < 2; mode++) {
        OK(f, tp_finish(c));
        tp_reset_statistics(c);
        c->state.condition_mode = (uint8_t)mode;
        const uint64_t number = c->draw_number;
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        draw_set_instances(c, 3);
        OK(f, draw_arrays(c, 0, 3));
        OK(f, draw_end(c));
        assert_int_equal(c->draw_number, number + 1);
        assert_int_equal(c->p->instance, 2);
        OK(f, tp_get_statistics(c, &s));
        assert_int_equal(s.draws, mode);
        assert_int_equal(s.primitives, 3 * mode);
        fixture_read(f);
        assert_int_equal(fixture_count(f), mode ? SIZE * SIZE : 0);
    }
    for (uint32_t mode = 0; mode < 2; mode++) {
        c->state.condition_mode = (uint8_t)mode;
        memset(c->state.clear_color, 0, sizeof c->state.clear_color);
        OK(f, context_clear(c, CLEAR_COLOR_BITS, 0, 0, 1, &all));
        fixture_read(f);
        assert_int_equal(fixture_count(f), mode ? 0 : SIZE * SIZE);
    }
}

/* Each counter counts from its own reset. */
DRAW_TEST(test_counters, 1, SIZE) {
    static const float triangle[6][8] = {WHOLE(0, 1, 1, 1, 1),
                                         {0, 0, 0, -1, 1, 1, 1, 1},
                                         {1, 0, 0, -1, 1, 1, 1, 1},
                                         {0, 1, 0, -1, 1, 1, 1, 1}};
    static const uint64_t a_draw[COUNTERS] = {[COUNTER_SAMPLES_PASSED] = SIZE * SIZE,
                                              [COUNTER_PRIMITIVES_GENERATED] = 2,
                                              [COUNTER_VERTICES] = 6,
                                              [COUNTER_PRIMITIVES_IN] = 2,
                                              [COUNTER_VP_LAUNCHES] = 6,
                                              [COUNTER_CLIP_IN] = 2,
                                              [COUNTER_CLIP_OUT] = 1,
                                              [COUNTER_FP_LAUNCHES] = SIZE * SIZE};
    tp_context *const c = f->context;
    fixture_vertices(f, triangle, 6);
    c->state.sample.count = true;
    state_touch(&c->state, GROUP_SAMPLE);
    for (unsigned reset = 0; reset <= COUNTERS; reset++) {
        for (unsigned k = 0; k < COUNTERS; k++)
            context_counter_reset(c, (enum counter)k);
        OK(f, tp_draw_arrays(c, TP_TRIANGLES, 0, 6));
        context_counter_reset(c, (enum counter)reset); /* the last value is no counter: no reset */
        OK(f, tp_draw_arrays(c, TP_TRIANGLES, 0, 6));
        for (unsigned k = 0; k <= COUNTERS; k++)
            assert_int_equal(context_counter(c, (enum counter)k),
                             k == COUNTERS ? 0 : a_draw[k] * (k == reset ? 1 : 2));
    }
}

/* COUNTER_VERTICES counts the elements of whole primitives, also if several elements name one
 * vertex. Elements that two chunks of a strip share count once. */
DRAW_TEST(test_elements, 1, SIZE) {
    static const float triangle[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const struct {
        enum tp_primitive type;
        uint32_t count, used;
    } rows[] = {
        {TP_POINTS, 7, 7},           {TP_LINES, 7, 6},       {TP_LINE_LOOP, 5, 5},
        {TP_LINE_STRIP, 3001, 3001}, {TP_TRIANGLES, 8, 6},   {TP_TRIANGLE_STRIP, 3001, 3001},
        {TP_TRIANGLE_FAN, 6, 6},     {TP_QUADS, 4001, 4000}, {TP_QUAD_STRIP, 3001, 3000}};
    uint8_t index[4001];
    fixture_vertices(f, triangle, 3);
    for (uint32_t i = 0; i < sizeof index; i++)
        index[i] = (uint8_t)(i % 3);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        context_counter_reset(f->context, COUNTER_VERTICES);
        OK(f, draw_begin(f->context, rows[i].type, DRAW_INSTANCE_FIRST));
        draw_set_instances(f->context, 3);
        OK(f, draw_indices(f->context, index, rows[i].count, 1));
        OK(f, draw_end(f->context));
        assert_int_equal(context_counter(f->context, COUNTER_VERTICES), 3 * rows[i].used);
    }
}

/* The statistics of one draw. After a reset they are zeros. */
TEST(test_statistics) {
    static const float triangle[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    struct tp_statistics s, again;
    FIXTURE_ENGINE(f, 1, NULL, "interp", SIZE);
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
}
