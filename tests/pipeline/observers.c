/* Hooks of a context: owners, ends of draws, and observers of a stage's warps. */
#include "pipeline/context_private.h"
#include "pipeline/debug/warp_find.h"
#include "shader/cta.h"
#include "tests/pipeline/fixture.h"

enum { SIZE = 16 };

struct told {
    uint32_t before, after, done;
    struct state *state;
};

/* Changes the state before the draw: turns rasterization on and off in turn. */
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

/* Hooks run around the end of every draw, and their changes of the state apply to this draw. The
 * owner is told when the queue is empty. */
DRAW_TEST(test_who_is_told, 1, SIZE) {
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    tp_context *const c = f->context;
    struct told t = {.state = &c->state};
    const struct draw_hooks hooks = {.self = &t, .before = hook_before, .after = hook_after};
    fixture_vertices(f, whole, 3);
    OK(f, tp_finish(c));
    c->hooks = &hooks;
    const __typeof__(c->owner) owner = c->owner;
    c->owner.self = &t;
    c->owner.work_done = hook_done;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t done = t.done;
        OK(f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(c, 0, 3));
        assert_int_equal(t.before, i);
        OK(f, draw_end(c));
        assert_int_equal(t.after, i + 1);
        assert_int_equal(t.done, done);
        OK(f, tp_finish(c));
        assert_int_equal(t.done, done + 1);
        assert_true(context_idle(c));
        fixture_read(f);
        assert_int_equal(fixture_count(f), i & 1 ? 0 : SIZE * SIZE);
    }
    assert_int_equal(draw_end(c), TP_ERROR_INVALID); /* also around draws that fail */
    assert_int_equal(t.after, 5);
    c->hooks = NULL;
    c->owner = owner;
}

/* Calls of a stage's observer. */
struct seen {
    uint32_t started, ended;
    uint64_t lanes;
    uint32_t number[64], instance[64]; /* how many lanes stood for each number and instance */
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

/* Only the observer of a stage sees its warps begin and end, with the vertices, instances or
 * primitives that their lanes stand for, from the time it is set until it is removed. */
DRAW_TEST(test_observers, 1, SIZE) {
    enum { VERTICES = 40, INSTANCES = 2 };
    static const char points_gp[] =
        ".primitive points\n.vertices 1\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "shl $a1 a[0x0] 0\nmov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\n"
        "mov b32 o[0x8] p[$a1+0x8]\nmov b32 o[0xc] p[$a1+0xc]\nemit\nexit nop\n";
    static const uint32_t grid[3] = {3, 1, 1}, block[3] = {40, 1, 1};
    tp_context *const c = f->context;
    fixture_bind(f, TP_GEOMETRY, points_gp);
    fixture_bind(f, TP_COMPUTE, "exit nop\n");
    fixture_points(f);
    for (int stage = PROGRAM_VP; stage < PROGRAM_TESLA_TYPES; stage++)
        for (int on = 0; on < 3; on++) { /* before, with, after the observer */
            struct seen n = {0};
            const struct warp_observer observer = {.self = &n, .start = see_start, .end = see_end};
            struct tp_statistics s;
            if (on == 1)
                context_observe(c, (enum program_type)stage, &observer);
            tp_reset_statistics(c);
            OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
            draw_set_instances(c, INSTANCES);
            OK(f, draw_arrays(c, 0, VERTICES));
            OK(f, draw_end(c));
            OK(f, context_dispatch(c, grid, block, NULL, 0));
            OK(f, tp_get_statistics(c, &s));
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
            if (stage != PROGRAM_FP) /* fragment warps also have helper lanes */
                assert_int_equal(n.lanes, on == 1 ? lanes[stage] : 0);
            else
                assert_true(on == 1 ? n.lanes >= lanes[stage] : !n.lanes);
            for (uint32_t i = 0; i < VERTICES && stage <= PROGRAM_GP; i++)
                assert_int_equal(n.number[i], on == 1 ? INSTANCES : 0);
            for (uint32_t i = 0; i < INSTANCES && stage == PROGRAM_VP; i++)
                assert_int_equal(n.instance[i], on == 1 ? VERTICES : 0);
            assert_ptr_equal(n.program, on == 1 ? c->state.program[stage] : NULL);
            const uint32_t before = n.started; /* removing an observer finishes the queued work */
            context_observe(c, (enum program_type)stage, &observer);
            OK(f, tp_draw_arrays(c, TP_POINTS, 0, VERTICES));
            context_observe(c, (enum program_type)stage, NULL);
            assert_int_equal(n.started > before, stage != PROGRAM_CP);
        }
    OK(f, tp_bind_program(c, TP_GEOMETRY, NULL));
    OK(f, tp_bind_program(c, TP_COMPUTE, NULL));
}

static void expect_name(const struct warp_catch *c, const char *name) {
    char text[64];
    assert_non_null(c->steps);
    steps_lane_name(c->steps, c->lane, text, sizeof text);
    assert_string_equal(text, name);
}

static void free_catch(struct warp_catch *c) {
    steps_free(c->steps);
    c->steps = NULL;
}

/* A catch records the steps of the Nth warp, or of the last, that contains a vertex, a pixel, or a
 * thread of a grid. */
DRAW_TEST(test_catches, 2, SIZE) {
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const uint32_t grid[3] = {3, 2, 1}, block[3] = {40, 2, 1};
    tp_context *const c = f->context;
    fixture_bind(f, TP_COMPUTE, "add b32 $r1 $r0 1\nexit nop\n");
    struct warp_catch vertex = {.place = {.stage = PROGRAM_VP, .number = 2}},
                      pixel = {.place = {.stage = PROGRAM_FP, .x = 9, .y = 14}},
                      second = {.place = pixel.place, .hit = 2},
                      thread = {.place = {.stage = PROGRAM_CP,
                                          .block = {2, 1, 0},
                                          .thread = {35, 1, 0}},
                                .most = 1},
                      none = {.place = {.stage = PROGRAM_CP, .block = {3, 0, 0}}};
    warp_catch_begin(&vertex, c);
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    warp_catch_end(&vertex, c);
    assert_int_equal(vertex.hits, 1);
    expect_name(&vertex, "vertex 2");
    warp_catch_begin(&pixel, c);
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    warp_catch_end(&pixel, c);
    expect_name(&pixel, "pixel 9,14");
    for (int i = 0; i < 3; i++) { /* a catch that begins again goes on counting */
        warp_catch_begin(&second, c);
        assert_int_equal(second.hits, i);
        assert_int_equal(second.steps != NULL, i == 2);
        fixture_draw(f, TP_TRIANGLES, whole, 3);
        warp_catch_end(&second, c);
    }
    warp_catch_begin(&thread, c);
    OK(f, context_dispatch(c, grid, block, NULL, 0));
    warp_catch_end(&thread, c);
    assert_int_equal(thread.hits, 1);
    expect_name(&thread, "thread 35,1,0");
    assert_int_equal(thread.lane, 75 % LANES);
    assert_int_equal(steps_count(thread.steps), 1);
    warp_catch_begin(&none, c);
    OK(f, context_dispatch(c, grid, block, NULL, 0));
    warp_catch_end(&none, c);
    assert_true(!none.hits && !none.steps && !none.failed);
    free_catch(&vertex);
    free_catch(&pixel);
    free_catch(&second);
    free_catch(&thread);
    OK(f, tp_bind_program(c, TP_COMPUTE, NULL));
}
