/* The state objects of a draw: a table with fields of most groups names the objects that change
 * with each field. Setting a field back finds the same objects, also after other draws and in
 * another frame. Objects stay as long as a queued draw has them, and programs not much longer. */
#include "tests/pipeline/fixture.h"

#include "pipeline/state/build.h"
#include "raster/functions.h"

enum { SIZE = 64 };
enum {
    PROGRAMS = 1,
    VIEW = 2,
    VERTEX = 4,
    PRIMITIVES = 8,
    PLAN = 16,
};

struct row {
    const char *name;
    uint32_t offset, size;
    uint32_t value;
    enum state_group group;
    uint32_t others; /* bit mask of the parts that change */
};

#define ROW(group, field, value, others)                                                           \
    {#field, offsetof(struct state, field), sizeof((struct state *)0)->field, value, group, others}

static const struct row rows[] = {
    ROW(GROUP_FETCH, attribute[0].offset, 8, VERTEX),
    ROW(GROUP_FETCH, attribute[1].bgra, 1, VERTEX),
    ROW(GROUP_FETCH, vertex_id_base, 5, VERTEX),
    ROW(GROUP_FETCH, attribute[9].offset, 8, 0), /* no program reads attribute 9 */
    ROW(GROUP_FETCH, array[0].stride, 48, 0),    /* a part of the call */
    ROW(GROUP_FETCH, array[0].enable, 0, 0),
    ROW(GROUP_CONSTANT, const_binding[PROGRAM_VP][3], 7, 0),
    ROW(GROUP_TEXTURE, tic[PROGRAM_FP][3].index, 7, 0), /* no program names texture 3 */
    ROW(GROUP_VIEW, viewport[0].scissor.x1, 20, PLAN),
    ROW(GROUP_VIEW, limits.depth_clamp, 1, PLAN),
    ROW(GROUP_VIEW, viewport[0].scale[1], 0x41000000, VIEW | VERTEX | PRIMITIVES),
    ROW(GROUP_VIEW, viewport[15].translate[2], 0x41000000, 0), /* no primitive chooses 15 */
    ROW(GROUP_VIEW, depth_clip_off, 1, VIEW | VERTEX | PRIMITIVES),
    ROW(GROUP_RASTER, setup.cull, CULL_BACK, PRIMITIVES | PLAN),
    ROW(GROUP_RASTER, setup.line_width, 0x40800000, PRIMITIVES | PLAN),
    ROW(GROUP_RASTER, provoking_last, 0, VERTEX | PRIMITIVES | PLAN),
    ROW(GROUP_RASTER, setup.pixel_center_integer, 1, VIEW | VERTEX | PRIMITIVES | PLAN),
    ROW(GROUP_ZETA, zeta_test.depth_test, 1, PLAN),
    ROW(GROUP_ZETA, zeta_test.face[1].ref, 9, PLAN),
    ROW(GROUP_COLOR, color_op.blend[0].enable, 1, PLAN),
    ROW(GROUP_COLOR, color_op.mask[7], 3, PLAN),
    ROW(GROUP_SAMPLE, sample.mask, 3, PLAN),
    ROW(GROUP_SAMPLE, sample.count, 1, PLAN),
    ROW(GROUP_PROGRAM, mode, MODE_MUL_ZERO_WINS, PROGRAMS | VERTEX | PRIMITIVES | PLAN),
    ROW(GROUP_PROGRAM, header[PROGRAM_FP].interpolant_ctrl, 0, PROGRAMS | PRIMITIVES | PLAN),
    ROW(GROUP_PROGRAM, layer, 1, PROGRAMS | PRIMITIVES | PLAN),
};

/* The draw of the current state after a write to this group. */
static const struct draw *drawn(struct fixture *f, enum state_group group, struct call_env *env) {
    tp_context *const c = f->context;
    enum tp_result result;
    state_touch(&c->state, group);
    const struct draw *d =
        prepare_draw(c) == TP_OK ? capture_draw(c, TP_TRIANGLES, NULL, env, &result) : NULL;
    if (!d)
        fail_msg("%s", tp_message(f->device));
    return d;
}

static uint32_t differences(const struct draw *a, const struct draw *b) {
    return (a->stages != b->stages ? PROGRAMS : 0) | (a->view != b->view ? VIEW : 0) |
           (a->vertex != b->vertex ? VERTEX : 0) |
           (a->primitives != b->primitives ? PRIMITIVES : 0) |
           (a->plan != b->plan || a->raster != b->raster ? PLAN : 0);
}

static void open_parts(struct fixture *f, uint32_t size) {
    static const float v[3][8] = {{0}};
    fixture_open(f, 1, NULL, size);
    fixture_vertices(f, v, 3);
    f->context->state.viewport[0].scissor_enable = true;
    f->context->state.viewport[0].scissor = (struct raster_rect){0, 0, 30, 30};
    state_touch(&f->context->state, GROUP_VIEW);
}

TEST(test_parts) {
    struct call_env env, other_env;
    FIXTURE_OPEN(f, open_parts, SIZE);
    const struct draw *const first = drawn(&f, GROUP_FETCH, &env), *before = first;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct row *r = &rows[i];
        uint8_t *at = (uint8_t *)&f.context->state + r->offset, bytes[4];
        memcpy(bytes, at, r->size);
        memcpy(at, &r->value, r->size);
        assert_memory_not_equal(bytes, at, r->size);
        const struct draw *d = drawn(&f, r->group, &other_env);
        if (differences(first, d) != r->others)
            fail_msg("%s: parts %x are others, not %x", r->name, differences(first, d), r->others);
        if ((d == before) != !r->others)
            fail_msg("%s: %s draw", r->name, d == before ? "the same" : "another");
        memcpy(at, bytes, r->size);
        before = drawn(&f, r->group, &other_env);
        if (differences(first, before) ||
            memcmp(&other_env, &env, offsetof(struct call_env, source)) != 0)
            fail_msg("%s: the parts are not found again", r->name);
    }
}

/* All viewports count if primitives can choose a viewport. */
TEST(test_viewports) {
    struct call_env env;
    FIXTURE_OPEN(f, open_parts, SIZE);
    struct state *const s = &f.context->state;
    s->viewport_from_gp = true;
    for (int i = 0; i < 2; i++) {
        s->semantic.viewport = i ? 8 : 0xff;
        s->viewport[15].translate[2] = 0;
        state_touch(s, GROUP_VIEW);
        const struct draw *const first = drawn(&f, GROUP_PROGRAM, &env);
        s->viewport[15].translate[2] = 8;
        const struct draw *const other = drawn(&f, GROUP_VIEW, &env);
        assert_int_equal(differences(first, other), i ? VIEW | VERTEX | PRIMITIVES : 0);
        assert_true(other->view->translate[15][2] == (i ? 8 : 0));
    }
    s->viewport[15].translate[2] = 9; /* seen only by the program that can choose */
    for (int i = 0; i < 2; i++) {
        s->semantic.viewport = i ? 8 : 0xff;
        assert_true(drawn(&f, GROUP_PROGRAM, &env)->view->translate[15][2] == (i ? 9 : 0));
    }
}

/* Another texture changes the object of the stages, and no other part. */
TEST(test_textures) {
    struct call_env env;
    tp_texture *texture[2];
    const struct draw *d[2];
    FIXTURE_OPEN(f, open_parts, SIZE);
    fixture_bind(&f, TP_FRAGMENT,
                 ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\n"
                 "interp $r0 v[0x4]\ninterp $r1 v[0x8]\n"
                 "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n");
    for (int i = 0; i < 2; i++)
        texture[i] = fixture_picture(&f, TP_FORMAT_RGBA8, 4, 4);
    for (int i = 0; i < 2; i++) {
        OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, 0, texture[i], NULL));
        d[i] = drawn(&f, GROUP_TEXTURE, &env);
        assert_non_null(d[i]->stages->tex[PROGRAM_FP].view[0]);
    }
    assert_int_equal(differences(d[0], d[1]), PROGRAMS);
    assert_true(d[0]->stages->tex[PROGRAM_FP].view[0] != d[1]->stages->tex[PROGRAM_FP].view[0]);
    OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, 0, texture[0], NULL));
    assert_int_equal(differences(d[0], drawn(&f, GROUP_TEXTURE, &env)), 0);
}

/* More states than the cache has room for: a forgotten object is made again with the same
 * content. */
TEST(test_forgotten) {
    struct call_env env;
    FIXTURE_OPEN(f, open_parts, SIZE);
    const struct color_state first = drawn(&f, GROUP_COLOR, &env)->raster->color;
    for (uint32_t i = 1; i < 3000; i++) {
        f.context->state.color_op.blend_color[i % 4] = (float)i;
        const struct draw *d = drawn(&f, GROUP_COLOR, &env);
        assert_true(d->raster->color.blend_color[i % 4] == (float)i);
    }
    memset(f.context->state.color_op.blend_color, 0, sizeof first.blend_color);
    const struct draw *again = drawn(&f, GROUP_COLOR, &env);
    assert_memory_equal(&again->raster->color, &first, sizeof first);
    assert_ptr_equal(again->plan->state, again->raster);
}

/* Objects that depend on the state alone are found again when the queue is empty, and after other
 * targets, which need another plan. */
TEST(test_kept) {
    struct call_env env;
    FIXTURE_OPEN(f, open_parts, SIZE);
    const struct draw first = *drawn(&f, GROUP_FETCH, &env);
    const struct raster_targets *const targets = first.raster->targets;
    context_flush(f.context);
    const struct draw *d = drawn(&f, GROUP_FETCH, &env);
    assert_int_equal(differences(&first, d) & ~PROGRAMS, 0);
    f.context->state.zeta_enable = false;
    d = drawn(&f, GROUP_TARGET, &env);
    assert_int_equal(differences(&first, d) & ~PROGRAMS, PLAN);
    assert_int_equal(d->raster->targets->zeta.format, FORMAT_NONE);
    f.context->state.zeta_enable = true;
    d = drawn(&f, GROUP_TARGET, &env);
    assert_int_equal(differences(&first, d) & ~PROGRAMS, 0);
    assert_ptr_equal(d->raster->targets, targets);
    assert_memory_equal(targets, scene_targets(f.context->p->scene), sizeof *targets);
}

/* Parts keep their programs alive until no draw has used the parts for long. So no other program
 * can get the same address meanwhile. */
TEST(test_programs_go) {
    struct call_env env;
    enum { LONG = 5000 };
    FIXTURE_OPEN(f, open_parts, SIZE);
    tp_program *fp;
    OK(&f, tp_program_from_text(f.device, TP_FRAGMENT, smooth_fp, "test", &fp));
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    struct program *const p = program_ref(f.context->state.program[PROGRAM_FP]);
    drawn(&f, GROUP_FETCH, &env);
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, NULL));
    tp_program_destroy(fp);
    context_flush(f.context);
    drawn(&f, GROUP_FETCH, &env);
    assert_true(p->refs > 1);
    const struct draw_plan *const used = drawn(&f, GROUP_FETCH, &env)->plan;
    for (int i = 0; i < 2 * LONG; i++) {
        context_flush(f.context);
        assert_ptr_equal(drawn(&f, GROUP_FETCH, &env)->plan, used); /* parts in use stay */
    }
    assert_int_equal(p->refs, 1);
    program_unref(p);
}

static const struct tp_blend_target by_constant = {
    .enable = true, .src_rgb = TP_CONSTANT_COLOR, .src_alpha = TP_FACTOR_ONE};

/* More states than the cache has room for, all in queued draws, twice. Each state draws a point in
 * a blend colour of its own. */
DRAW_TEST(test_all_queued, 2, SIZE) {
    fixture_points(f);
    OK(f, tp_set_blend(f->context, 0, &by_constant));
    for (int frame = 0; frame < 2; frame++) {
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            float *const color = f->context->state.color_op.blend_color;
            color[0] = (float)(i & 255) / 255;
            color[1] = (float)(i >> 8) / 255;
            state_touch(&f->context->state, GROUP_COLOR);
            OK(f, tp_draw_arrays(f->context, TP_POINTS, i, 1));
        }
        fixture_read(f);
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(fixture_pixel(f, i % SIZE, i / SIZE), 0xff000000 | i);
    }
}

/* As test_all_queued, with two targets and four flushes in each frame, in mixed order: parts are
 * evicted while draws with them are queued, and are made anew. */
TEST(test_mixed) {
    enum { FRAMES = 4, RUN = 97, STATES = SIZE * SIZE };
    static uint8_t pixels[2][STATES * 4];
    FIXTURE(f, 2, NULL, SIZE);
    tp_texture *other = fixture_picture(&f, TP_FORMAT_RGBA8, SIZE, SIZE);
    fixture_points(&f);
    OK(&f, tp_set_blend(f.context, 0, &by_constant));
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t n = 0; n < 2 * STATES; n++) {
            if (n % RUN == 0)
                OK(&f, tp_set_target(f.context, n / RUN % 2 ? other : f.color, NULL));
            if (n % (STATES / 2 + 5) == 0)
                context_flush(f.context);
            const uint32_t i = n * 1237 % STATES, color = (i + frame) % STATES;
            f.context->state.color_op.blend_color[0] = (float)(color & 255) / 255;
            f.context->state.color_op.blend_color[1] = (float)(color >> 8) / 255;
            state_touch(&f.context->state, GROUP_COLOR);
            OK(&f, tp_draw_arrays(f.context, TP_POINTS, i, 1));
        }
        OK(&f, tp_texture_read_rgba8(f.context, f.color, pixels[0]));
        OK(&f, tp_texture_read_rgba8(f.context, other, pixels[1]));
        for (uint32_t n = 0; n < 2 * STATES; n++) {
            const uint32_t i = n * 1237 % STATES;
            const uint8_t *const is = pixels[n / RUN % 2] + 4 * i;
            const uint32_t color = (i + frame) % STATES;
            if (is[0] != (color & 255) || is[1] != color >> 8)
                fail_msg("frame %u, draw %u: %u %u, not %u", frame, n, is[0], is[1], color);
        }
    }
}
