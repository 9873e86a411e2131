/* The state of a fresh context, field by field; the meanings of result slots that binding a program
 * sets; constant attributes; facing of clipped outlines; the contents and interval of profiles; the
 * number of threads. */
#include "tests/pipeline/fixture.h"
#include "base/clock.h"

#include "pipeline/context.h"
#include "raster/functions.h"

#include <time.h>
#include <unistd.h>

enum { SIZE = 32 };

/* Every field is 0 except the fields named here. */
TEST(test_fresh_state) {
    static struct state s, want;
    memset(&s, 0xee, sizeof s);
    state_init(&s);
    memset(&want, 0, sizeof want);
    want.touched = (1u << STATE_GROUPS) - 1;
    want.rasterize = want.setup.front_ccw = want.provoking_last = want.edge_flag =
        want.viewport_transform = true;
    want.zeta_enable = true;
    want.polygon_mode[0] = want.polygon_mode[1] = POLYGON_FILL;
    want.setup.line_width = want.point_size = 1;
    want.line_stipple_factor = 1;
    want.clear_stencil_mask = 0xff;
    want.sample.mask = UINT32_MAX;
    want.samples = 1;
    want.layers = 1;
    for (int i = 0; i < STATE_VIEWPORTS; i++) {
        want.viewport[i].scale[0] = want.viewport[i].scale[1] = want.viewport[i].scale[2] = 1;
        want.viewport[i].depth.far = 1;
    }
    want.zeta_test.depth_func = FUNC_LESS;
    want.zeta_test.bounds[1] = 1;
    for (int i = 0; i < 2; i++)
        want.zeta_test.face[i] = (struct stencil_face){
            FUNC_ALWAYS, STENCIL_KEEP, STENCIL_KEEP, STENCIL_KEEP, 0, 0xff, 0xff};
    for (int i = 0; i < RASTER_TARGETS; i++) {
        want.color_map[i] = (uint8_t)i;
        want.color_op.mask[i] = 0xf;
        want.color_op.blend[i] = (struct blend_target){
            false, EQUATION_ADD, BLEND_ONE, BLEND_ZERO, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
    }
    want.color_op.alpha_func = FUNC_ALWAYS;
    want.color_op.logic_op = LOGIC_OP_COPY;
    want.condition_mode = 1;
    for (int i = 0; i < PROGRAM_TYPES; i++)
        want.call_limit[i] = UINT32_MAX;
    want.semantic = (struct semantic_state){0xff, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0, false};
    memset(want.const_binding, 0xff, sizeof want.const_binding);
    for (int i = 0; i < STATE_ATTRIBUTES; i++) {
        want.attribute[i].constant = true;
        want.current[i][3] = 0x3f800000;
    }
    for (size_t i = 0; i < sizeof s; i++)
        if (((const uint8_t *)&s)[i] != ((const uint8_t *)&want)[i])
            fail_msg("byte %zu: %02x, not %02x", i, ((const uint8_t *)&s)[i],
                     ((const uint8_t *)&want)[i]);
}

/* The slot numbers in a program's header become the state's meanings of slots. If a geometry
 * program is bound, its header counts. */
DRAW_TEST(test_meanings_of_programs, 1, SIZE) {
    enum { NO = 0xff };
    static const struct {
        uint8_t front[2], back[2], clip, clips, point_size, viewport;
        struct semantic_state want;
        bool two_sided;
    } rows[] = {
        {{NO, NO}, {NO, NO}, NO, 0, NO, NO, {NO, 1, NO, 2, NO, 0, NO, NO, 0, false}, false},
        {{4, NO}, {NO, NO}, 20, 0, 9, NO, {9, 1, NO, 2, NO, 0, 4, NO, 4, false}, false},
        {{4, 8}, {NO, NO}, 20, 3, NO, 7, {NO, 1, 7, 2, 20, 3, 4, NO, 8, false}, false},
        {{4, 8}, {12, 16}, NO, 2, 0, 0, {0, 1, 0, 2, NO, 2, 4, 12, 8, false}, true},
        {{8, 4}, {12, NO}, 0, 1, NO, NO, {NO, 1, NO, 2, 0, 1, 8, 12, 4, false}, true},
        {{4, 4}, {NO, 12}, 0, 0, NO, NO, {NO, 1, NO, 2, NO, 0, 4, NO, 4, false}, false},
        {{NO, 4}, {12, NO}, 0, 0, NO, NO, {NO, 1, NO, 2, NO, 0, NO, 12, 0, false}, false},
    };
    struct state *const s = &f->context->state;
    static struct program other;
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        struct program p = {.type = i & 1 ? PROGRAM_GP : PROGRAM_VP};
        p.header.slot_layer = 1, p.header.slot_primitive_id = 2;
        p.header.slot_point_size = rows[r].point_size, p.header.slot_viewport = rows[r].viewport;
        p.header.slot_clip = rows[r].clip, p.header.clip_count = rows[r].clips;
        memcpy(p.header.slot_color[0], rows[r].front, 2);
        memcpy(p.header.slot_color[1], rows[r].back, 2);
        s->touched = 0;
        state_bind_program(s, p.type, &p);
        assert_int_equal(s->touched, 1u << GROUP_PROGRAM | 1u << GROUP_RASTER);
        assert_memory_equal(&s->semantic, &rows[r].want, sizeof s->semantic);
        assert_int_equal(s->two_sided_color, rows[r].two_sided);
        assert_int_equal(s->point_size_from_slot, rows[r].point_size != 0xff);
        assert_int_equal(s->viewport_from_gp, rows[r].viewport != 0xff);
        assert_ptr_equal(s->program[p.type], &p);
        assert_memory_equal(&s->header[p.type], &p.header, sizeof p.header);
        if (i & 1) { /* a vertex program before the geometry program changes nothing */
            state_bind_program(s, PROGRAM_VP, &other);
            assert_memory_equal(&s->semantic, &rows[r].want, sizeof s->semantic);
            state_bind_program(s, PROGRAM_GP, NULL);
            assert_int_equal(s->semantic.layer, 0); /* now the vertex program counts */
            assert_null(s->program[PROGRAM_GP]);
            assert_int_equal(s->header[PROGRAM_GP].slot_layer, 0);
        }
        state_bind_program(s, PROGRAM_VP, NULL);
        assert_int_equal(s->semantic.layer, 0xff);
    }
}

/* Each component of a constant attribute applies from the next draw on. */
DRAW_TEST(test_constant_attributes, 1, SIZE) {
    static const float whole[3][8] = {WHOLE(0, 0, 0, 0, 0)};
    fixture_vertices(f, whole, 3);
    float color[4] = {0};
    for (int i = 0; i < 40; i++) {
        color[i * 7 % 4] = (float)(i * 11 % 16) / 15;
        OK(f, tp_set_attribute_constant(f->context, 1, color));
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
        fixture_read(f);
        for (int k = 0; k < 4; k++)
            assert_int_equal(f->pixels[k], (int)(color[k] * 255 + 0.5f));
    }
}

/* The outline of a triangle that is partly behind the eye has the same facing as the filled
 * triangle. */
DRAW_TEST(test_clipped_outlines, 1, SIZE) {
    uint64_t seed = 5;
    uint32_t front = 0, back = 0;
    for (int i = 0; i < 300; i++) {
        float v[3][8];
        for (int k = 0; k < 24; k++) {
            const float x = random_float(&seed, 0, 1);
            v[k / 8][k % 8] = k % 8 >= 4 ? 1 : k % 8 == 3 ? 3 * x - 1 : 4 * x - 2;
        }
        for (int k = 0; k < 3; k++)
            v[k][2] = 0;
        uint32_t count[2][3]; /* filled, outlined; nothing, front, back culled */
        for (int how = 0; how < 6; how++) {
            struct tp_raster_state r = {
                .cull_front = how % 3 == 1, .cull_back = how % 3 == 2, .front_clockwise = i & 1};
            if (how >= 3)
                r.polygon_front = r.polygon_back = i & 2 ? TP_POLYGON_LINE : TP_POLYGON_POINT;
            OK(f, tp_set_raster(f->context, &r));
            OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
            fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3);
            fixture_read(f);
            count[how / 3][how % 3] = fixture_count(f);
        }
        if (!count[0][0])
            continue;
        for (int k = 1; k < 3; k++)
            if (count[1][k] && !count[0][k])
                fail_msg("%d: an outline of what is culled", i);
        if (count[1][0] && !(count[1][1] || count[1][2]))
            fail_msg("%d: an outline that faces neither way", i);
        front += count[1][1] != 0, back += count[1][2] != 0;
    }
    assert_true(front > 20 && back > 20);
}

/* The log gets a profile line at most every ten milliseconds. */
DRAW_TEST(test_profile_lines, 1, SIZE) {
    static const struct timespec moment = {0, 12000000};
    f->device->log.level = LOG_INFO;
    nanosleep(&moment, NULL);
    for (int i = 0; i < 3; i++) {
        const uint64_t start = clock_ns(CLOCK_MONOTONIC);
        *f->log = 0;
        context_log_profile(f->context);
        assert_true(strncmp(f->log, "profile: ", 9) == 0 && strstr(f->log, " ms x 1 threads;"));
        *f->log = 0;
        context_log_profile(f->context);
        if (clock_ns(CLOCK_MONOTONIC) - start < 9000000)
            assert_string_equal(f->log, "");
        nanosleep(&moment, NULL);
    }
}

/* A stage's time and count in the profile. */
static struct tp_profile_stage stage_of(const struct tp_profile *p, const char *name) {
    for (uint32_t i = 0; i < p->stage_count; i++)
        if (!strcmp(p->stage[i].name, name))
            return p->stage[i];
    fail_msg("no stage %s", name);
    return p->stage[0];
}

static void spend(tp_context *c, enum stage stage, uint64_t nanoseconds) {
    const uint64_t start = clock_ns(CLOCK_MONOTONIC);
    const int was = context_enter(c, stage);
    while (clock_ns(CLOCK_MONOTONIC) - start < nanoseconds) {
    }
    context_leave(c, was);
}

/* The time of each stage is reported once, in nanoseconds. The rest of all threads' time is idle.
 * Times count from the last query. */
DRAW_TEST(test_profile_times, 3, SIZE) {
    enum { SPENT = 8000000, THREADS = 3 };
    static const enum stage stages[] = {STAGE_DECODE, STAGE_COPY, STAGE_COMPUTE};
    struct tp_profile p;
    context_take_profile(f->context, &p);
    assert_int_equal(p.nanoseconds, 0);
    assert_int_equal(p.threads, THREADS);
    assert_int_equal(p.stage_count, STAGES);
    for (int i = 0; i < STAGES; i++) {
        assert_string_equal(p.stage[i].name, stage_label(i));
        assert_true(!p.stage[i].nanoseconds && !p.stage[i].count);
    }
    for (size_t i = 0; i < LENGTH(stages); i++) {
        const uint64_t start = clock_ns(CLOCK_MONOTONIC);
        context_take_profile(f->context, &p); /* forgets everything before */
        const uint64_t begun = clock_ns(CLOCK_MONOTONIC);
        spend(f->context, stages[i], SPENT);
        spend(f->context, stages[i], SPENT / 8);
        nanosleep(&(struct timespec){0, SPENT / 2}, NULL);
        const uint64_t ended = clock_ns(CLOCK_MONOTONIC);
        context_take_profile(f->context, &p);
        const uint64_t most = clock_ns(CLOCK_MONOTONIC) - start;
        assert_in_range(p.nanoseconds, ended - begun, most);
        const struct tp_profile_stage spent = stage_of(&p, stage_label(stages[i])),
                                      idle = stage_of(&p, "idle");
        assert_int_equal(spent.count, 2);
        assert_in_range(spent.nanoseconds, SPENT, most - SPENT / 2 + SPENT / 100);
        uint64_t sum = 0;
        for (uint32_t k = 0; k < p.stage_count; k++)
            sum += p.stage[k].nanoseconds;
        assert_in_range(sum, p.nanoseconds * THREADS - STAGES, p.nanoseconds * THREADS + STAGES);
        assert_in_range(idle.nanoseconds,
                        (p.nanoseconds - spent.nanoseconds) / 2 + (THREADS - 1) * p.nanoseconds,
                        sum);
        f->device->log.level = LOG_INFO;
    }
    spend(f->context, STAGE_COPY, SPENT);
    nanosleep(&(struct timespec){0, SPENT}, NULL);
    context_log_profile(f->context); /* logs the stages that took time, idle first */
    assert_non_null(strstr(f->log, "x 3 threads; idle "));
    assert_non_null(strstr(f->log, " copy "));
    assert_null(strstr(f->log, "geometry"));
}

/* A device has as many threads as requested; by default as many as there are processors, at most
 * 256. */
TEST(test_threads) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    for (int threads = 0; threads <= 3; threads++) {
        const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = threads};
        tp_device *d;
        assert_int_equal(tp_device_create(&info, &d), TP_OK);
        assert_int_equal(d->threads, threads ? threads : cpus < 256 ? cpus : 256);
        tp_device_destroy(d);
    }
}
