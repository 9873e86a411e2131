/* Fields of the state, one by one. A change between two draws applies to the second draw and only
 * while it is set, regardless of objects kept from the first draw (programs, plans, snapshots,
 * keys). Each change must be visible. Also: clamped colours by format; slices of 3D targets. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/context.h"
#include "raster/functions.h"

enum { SIZE = 64, VERTICES = 24 };

/* ---- a picture in which every field shows ---- */

static float vertices[VERTICES][8];

/* Random corners: triangles of both windings that overlap and cut each other and the depth limits;
 * also lines and points. */
static void make_vertices(void) {
    uint64_t seed = 12;
    for (int i = 0; i < VERTICES; i++)
        for (int k = 0; k < 8; k++) {
            const float x = random_float(&seed, 0, 1);
            vertices[i][k] = k < 3 ? 2.4f * x - 1.2f : k == 3 ? 1 : x;
        }
}

static void rich_state(struct state *s) {
    for (uint32_t i = 0; i < STATE_GROUPS; i++)
        state_touch(s, (enum state_group)i);
    const struct raster_rect most = {2, 3, 61, 60}, inner = {4, 5, 58, 57};
    s->viewport[0].scissor_enable = s->screen_scissor_enable = true;
    s->viewport[0].scissor = inner;
    s->screen_scissor = most;
    s->limits.rect[0] = (struct raster_rect){8, 8, 40, 40};
    s->line_stipple = true;
    s->line_stipple_pattern = 0xff1f;
    s->line_stipple_factor = 1;
    s->setup.line_width = 2;
    s->point_size = 6;
    for (int i = 0; i < 32; i++)
        s->setup.stipple_pattern[i] = 0xf3f3f3f3u << (i & 1);
    s->setup.offset_enable[2] = true;
    s->setup.offset_factor = 0.5f;
    s->setup.offset_units = 4000;
    s->zeta_test = (struct zeta_state){.depth_test = true,
                                       .depth_write = true,
                                       .stencil_test = true,
                                       .depth_func = FUNC_LESS,
                                       .bounds = {0.3f, 0.6f}};
    for (int i = 0; i < 2; i++)
        s->zeta_test.face[i] = (struct stencil_face){
            FUNC_LEQUAL, STENCIL_INCR, STENCIL_DECR_WRAP, STENCIL_REPLACE, (uint8_t)(4 - i),
            0xff,        0x7f};
    s->color_op.blend[0] = (struct blend_target){
        true,         EQUATION_ADD,         BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA,
        EQUATION_ADD, BLEND_CONSTANT_ALPHA, BLEND_ONE};
    s->color_op.blend_color[3] = 0.5f;
    s->color_op.alpha_func = FUNC_GREATER;
    s->color_op.alpha_ref = 0.5f;
    s->color_op.logic_op = LOGIC_OP_XOR;
}

static void draw(struct fixture *f, uint32_t picture[2][SIZE * SIZE]) {
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 0.8f, 3));
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, VERTICES));
    OK(f, tp_draw_arrays(f->context, TP_LINE_STRIP, 3, 7));
    OK(f, tp_draw_arrays(f->context, TP_POINTS, 12, 6));
    OK(f, tp_texture_read(f->context, f->color, 0, 0, picture[0], SIZE * 4));
    OK(f, tp_texture_read(f->context, f->zeta, 0, 0, picture[1], SIZE * 4));
}

/* ---- the fields ---- */

enum kind { SET, SET_FLOAT, ADD };

struct field {
    const char *name;
    enum kind kind;
    double value;
    uint32_t offset, size;
    enum state_group group;
};

#define ROW(kind, group, field, value)                                                             \
    {#field, kind, value, offsetof(struct state, field), sizeof((struct state *)0)->field, group}

static const struct field fields[] = {
    ROW(SET, GROUP_FETCH, array[0].enable, 0),
    ROW(SET, GROUP_FETCH, array[0].per_instance, 1),
    ROW(SET, GROUP_FETCH, array[0].stride, 16),
    ROW(SET, GROUP_FETCH, array[0].stride, 0),
    ROW(ADD, GROUP_FETCH, array[0].start, 32),
    ROW(ADD, GROUP_FETCH, array[0].limit, -32 * 8),
    ROW(SET, GROUP_FETCH, attribute[1].constant, 1),
    ROW(SET, GROUP_FETCH, attribute[1].array, 1),
    ROW(SET, GROUP_FETCH, attribute[1].format, 2), /* 32x3: alpha is 1 */
    ROW(SET, GROUP_FETCH, attribute[1].format, 0),
    ROW(SET, GROUP_FETCH, attribute[1].type, 0x12), /* unorm */
    ROW(SET, GROUP_FETCH, attribute[1].offset, 0),
    ROW(SET, GROUP_VIEW, viewport_transform, 0),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].scale[0], 16),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].scale[1], 16),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].scale[2], 0.25),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].translate[0], 20),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].translate[1], 20),
    ROW(SET_FLOAT, GROUP_VIEW, viewport[0].translate[2], 0.6),
    ROW(SET, GROUP_VIEW, viewport[0].scissor_enable, 0),
    ROW(SET, GROUP_VIEW, viewport[0].scissor.x0, 9),
    ROW(SET, GROUP_VIEW, viewport[0].scissor.y0, 9),
    ROW(SET, GROUP_VIEW, viewport[0].scissor.x1, 50),
    ROW(SET, GROUP_VIEW, viewport[0].scissor.y1, 50),
    ROW(SET, GROUP_VIEW, screen_scissor.x0, 9),
    ROW(SET, GROUP_VIEW, screen_scissor.y0, 9),
    ROW(SET, GROUP_VIEW, screen_scissor.x1, 50),
    ROW(SET, GROUP_VIEW, screen_scissor.y1, 50),
    ROW(SET, GROUP_VIEW, limits.rect_mode, 1),
    ROW(SET, GROUP_VIEW, limits.rect_mode, 2),
    ROW(SET, GROUP_VIEW, depth_clip_off, 1),
    ROW(SET, GROUP_VIEW, clip_z_zero, 1),
    ROW(SET, GROUP_RASTER, rasterize, 0),
    ROW(SET, GROUP_RASTER, polygon_mode[0], POLYGON_LINE),
    ROW(SET, GROUP_RASTER, polygon_mode[1], POLYGON_LINE),
    ROW(SET, GROUP_RASTER, polygon_mode[0], POLYGON_POINT),
    ROW(SET, GROUP_RASTER, setup.cull, CULL_FRONT),
    ROW(SET, GROUP_RASTER, setup.cull, CULL_BACK),
    ROW(SET, GROUP_RASTER, setup.line_width, 0x40a00000),
    ROW(SET, GROUP_RASTER, point_size, 0x40200000),
    ROW(SET, GROUP_RASTER, setup.offset_enable[2], 0),
    ROW(SET_FLOAT, GROUP_RASTER, setup.offset_factor, -0.5),
    ROW(SET_FLOAT, GROUP_RASTER, setup.offset_units, 100000),
    ROW(SET_FLOAT, GROUP_RASTER, setup.offset_clamp, 1e-5),
    ROW(SET, GROUP_RASTER, setup.pixel_center_integer, 1),
    ROW(SET, GROUP_RASTER, setup.line_smooth, 1),
    ROW(SET, GROUP_RASTER, setup.point_smooth, 1),
    ROW(SET, GROUP_RASTER, setup.polygon_smooth, 1),
    ROW(SET, GROUP_RASTER, line_stipple, 0),
    ROW(SET, GROUP_RASTER, line_stipple_pattern, 0x1111),
    ROW(SET, GROUP_RASTER, line_stipple_factor, 3),
    ROW(SET, GROUP_RASTER, setup.polygon_stipple, 1),
    ROW(SET, GROUP_ZETA, zeta_test.depth_test, 0),
    ROW(SET, GROUP_ZETA, zeta_test.depth_write, 0),
    ROW(SET, GROUP_ZETA, zeta_test.depth_func, FUNC_GREATER),
    ROW(SET, GROUP_ZETA, zeta_test.bounds_test, 1),
    ROW(SET, GROUP_ZETA, zeta_test.stencil_test, 0),
    ROW(SET, GROUP_ZETA, zeta_test.two_sided, 1),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].func, FUNC_LESS),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].fail, STENCIL_ZERO),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].zfail, STENCIL_INVERT),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].zpass, STENCIL_INCR_WRAP),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].ref, 2),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].func_mask, 2),
    ROW(SET, GROUP_ZETA, zeta_test.face[0].write_mask, 2),
    ROW(SET, GROUP_COLOR, color_op.blend[0].enable, 0),
    ROW(SET, GROUP_COLOR, color_op.blend[0].equation_rgb, EQUATION_REVERSE_SUBTRACT),
    ROW(SET, GROUP_COLOR, color_op.blend[0].src_rgb, BLEND_ONE),
    ROW(SET, GROUP_COLOR, color_op.blend[0].dst_rgb, BLEND_ONE),
    ROW(SET, GROUP_COLOR, color_op.blend[0].equation_a, EQUATION_MAX),
    ROW(SET, GROUP_COLOR, color_op.blend[0].src_a, BLEND_ONE),
    ROW(SET, GROUP_COLOR, color_op.blend[0].dst_a, BLEND_ZERO),
    ROW(SET, GROUP_COLOR, color_op.mask[0], 5),
    ROW(SET_FLOAT, GROUP_COLOR, color_op.blend_color[3], 0.75),
    ROW(SET, GROUP_COLOR, color_op.logic_op_enable, 1),
    ROW(SET, GROUP_COLOR, color_op.alpha_test, 1),
};

static void set(struct state *s, const struct field *f) {
    uint8_t *at = (uint8_t *)s + f->offset;
    const float number = (float)f->value;
    int64_t word = 0;
    if (f->kind == ADD)
        memcpy(&word, at, f->size);
    word += (int64_t)f->value;
    memcpy(at, f->kind == SET_FLOAT ? (const void *)&number : &word, f->size);
    state_touch(s, f->group);
}

static void open_rich(struct fixture *f) {
    fixture_open(f, 1, NULL, SIZE);
    fixture_vertices(f, (const float(*)[8])vertices, VERTICES);
    rich_state(&f->context->state);
}

TEST(test_fields) {
    static uint32_t base[2][SIZE * SIZE], fresh[2][SIZE * SIZE], got[2][SIZE * SIZE];
    struct fixture f, other;
    make_vertices();
    open_rich(&f);
    draw(&f, base);
    for (size_t i = 0; i < LENGTH(fields); i++) {
        struct state *s = &f.context->state;
        uint8_t before[8];
        memcpy(before, (uint8_t *)s + fields[i].offset, fields[i].size);
        set(s, &fields[i]);
        draw(&f, got);
        memcpy((uint8_t *)s + fields[i].offset, before, fields[i].size);
        state_touch(s, fields[i].group);
        open_rich(&other);
        set(&other.context->state, &fields[i]);
        draw(&other, fresh);
        fixture_close(&other);
        if (memcmp(got, fresh, sizeof got) != 0)
            fail_msg("%s: other than without a draw before", fields[i].name);
        if (memcmp(got, base, sizeof got) == 0)
            fail_msg("%s changes nothing", fields[i].name);
        draw(&f, got);
        if (memcmp(got, base, sizeof got) != 0)
            fail_msg("%s: not as before when it is set back", fields[i].name);
    }
    fixture_close(&f);
}

TEST(test_new_state_is_looked_at) {
    struct state *s = malloc(sizeof *s);
    state_init(s);
    assert_int_equal(s->touched, (1u << STATE_GROUPS) - 1);
    free(s);
}

/* ---- programs and what they name ---- */

enum { SIDE = 16, TURNS = SIDE * SIDE };

/* Opens a fixture with a pixel, and a point that covers it, for each turn. */
static void open_turns(struct fixture *f, uint32_t side) {
    fixture_open(f, 1, NULL, side);
    fixture_points(f);
}

static void check_turns(struct fixture *f, const uint32_t want[TURNS]) {
    fixture_read(f);
    for (uint32_t i = 0; i < TURNS; i++)
        if (fixture_pixel(f, i % SIDE, i / SIDE) != want[i])
            fail_msg("turn %u: %08x instead of %08x", i, fixture_pixel(f, i % SIDE, i / SIDE),
                     want[i]);
}

/* Two programs draw in random order, each with its own texture slot. If the texture of one program
 * is bound while the other program is in use, the first draws with it when it comes back. */
TEST(test_textures_of_other_programs) {
    enum { SLOTS_USED = 2, TEXTURES = 4 };
    uint32_t want[TURNS];
    tp_program *fp[SLOTS_USED];
    tp_texture *t[TEXTURES];
    int bound[SLOTS_USED] = {0, 0};
    uint64_t seed = 5;
    FIXTURE_OPEN(f, open_turns, SIDE);
    for (int i = 0; i < SLOTS_USED; i++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "mov b32 $r0 0.5\nmov b32 $r1 0.5\ntexauto live $r0:$r1:$r2:$r3 $t%d $s%d $r0:$r1 0x0 0x0 0x0\nexit nop\n",
            i, i);
        fp[i] = fixture_program(&f, TP_FRAGMENT, text);
    }
    for (uint32_t i = 0; i < TEXTURES; i++) {
        t[i] = fixture_picture(&f, TP_FORMAT_RGBA8, 1, 1);
        OK(&f, tp_texture_write(f.context, t[i], 0, 0, &(uint32_t){0x01010101 * (i + 1)}, 4));
    }
    for (int i = 0; i < SLOTS_USED; i++)
        OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, (unsigned)i, t[0], NULL));
    for (int turn = 0; turn < TURNS; turn++) {
        const uint32_t word = (uint32_t)random_next(&seed);
        const unsigned program = word >> 20 & 1, slot = word >> 21 & 1, texture = word >> 22 & 3;
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp[program]));
        if (word >> 24 & 1) {
            OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, slot, t[texture], NULL));
            bound[slot] = (int)texture;
        }
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, (uint32_t)turn, 1));
        want[turn] = 0x01010101 * (uint32_t)(bound[program] + 1);
    }
    check_turns(&f, want);
}

/* Each of two vertex programs takes its colour from its own attribute. If the attribute of one is
 * set while the other is in use, the first draws with the new attribute when it comes back. */
TEST(test_arrays_of_other_programs) {
    enum { PROGRAMS = 2, COLORS = 4 };
    static const float colors[COLORS][4] = {
        {.2f, .2f, .2f, .2f}, {.4f, .4f, .4f, .4f}, {.6f, .6f, .6f, .6f}, {.8f, .8f, .8f, .8f}};
    int bound[PROGRAMS] = {0, 0};
    uint32_t want[TURNS];
    uint64_t seed = 7;
    tp_program *vp[PROGRAMS];
    FIXTURE_OPEN(f, open_turns, SIDE);
    tp_buffer *buffer = fixture_buffer(&f, sizeof colors, colors);
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            ".attr 0 xyzw\n.attr %u xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
            "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
            "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nexit mov b32 o[0x1c] a[0x1c]\n",
            i + 2);
        vp[i] = fixture_program(&f, TP_VERTEX, text);
        OK(&f, tp_bind_vertices(f.context, i + 2, buffer, 0, 16, 1));
        OK(&f, tp_set_attribute(f.context, i + 2, i + 2, 0, 4, TP_FLOAT32));
    }
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        const uint32_t word = (uint32_t)random_next(&seed);
        const unsigned program = word >> 20 & 1, slot = word >> 21 & 1, color = word >> 22 & 3;
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp[program]));
        if (word >> 24 & 1) {
            OK(&f, tp_set_attribute(f.context, slot + 2, slot + 2, color * 16, 4, TP_FLOAT32));
            bound[slot] = (int)color;
        }
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, turn, 1));
        want[turn] = 0x33333333 * (uint32_t)(bound[program] + 1);
    }
    check_turns(&f, want);
}

/* ---- formats ---- */

/* FRAG_COLOR_CLAMP_EN, for a target that stores only values from 0 to 1, and for others. */
TEST(test_clamped_colors) {
    static const struct {
        enum tp_format format;
        float from, free, clamped;
    } row[] = {{TP_FORMAT_RGBA8, -0.5f, 0, 0},           {TP_FORMAT_RGBA8, 1.5f, 1, 1},
               {TP_FORMAT_RGBA8_SNORM, -0.5f, -0.5f, 0}, {TP_FORMAT_RGBA8_SNORM, 1.5f, 1, 1},
               {TP_FORMAT_RGBA16F, -0.5f, -0.5f, 0},     {TP_FORMAT_RGBA16F, 1.5f, 1.5f, 1},
               {TP_FORMAT_RGBA32F, -0.5f, -0.5f, 0},     {TP_FORMAT_RGBA32F, 1.5f, 1.5f, 1}};
    for (size_t i = 0; i < LENGTH(row); i++)
        for (int clamp = 0; clamp < 2; clamp++) {
            const float c = row[i].from, want = clamp ? row[i].clamped : row[i].free;
            const float v[3][8] = {WHOLE(0, c, c, c, c)};
            FIXTURE(f, 1, NULL, 8);
            tp_texture *t = fixture_picture(&f, row[i].format, 8, 8);
            OK(&f, tp_set_target(f.context, t, NULL));
            state_touch(&f.context->state, GROUP_COLOR);
            f.context->state.color_op.clamp = (uint8_t)clamp;
            fixture_draw(&f, TP_TRIANGLES, v, 3);
            uint8_t raw[8 * 8 * 16];
            float got = 0;
            OK(&f, tp_texture_read(f.context, t, 0, 0, raw,
                                   8 * (row[i].format == TP_FORMAT_RGBA32F   ? 16
                                        : row[i].format == TP_FORMAT_RGBA16F ? 8
                                                                             : 4)));
            if (row[i].format == TP_FORMAT_RGBA8)
                got = raw[2] / 255.0f;
            else if (row[i].format == TP_FORMAT_RGBA8_SNORM)
                got = (int8_t)raw[2] / 127.0f;
            else if (row[i].format == TP_FORMAT_RGBA32F)
                memcpy(&got, raw + 8, 4);
            else
                got = (float)((_Float16 *)(void *)raw)[2];
            if (fabsf(got - want) > 0.01f)
                fail_msg("row %zu, clamp %d: %g instead of %g", i, clamp, (double)got,
                         (double)want);
        }
}

/* Clears each slice of a 3D texture as a layer of a target, for textures of several depths. */
TEST(test_slices) {
    static const uint32_t sizes[][3] = {
        {16, 16, 1}, {16, 16, 2}, {16, 16, 5}, {40, 9, 8}, {70, 40, 33}};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const struct tp_texture_info info = TEXTURE_INFO(
            TP_TEXTURE_3D, TP_FORMAT_RGBA8, sizes[i][0], sizes[i][1], .depth = sizes[i][2]);
        FIXTURE(f, 1, NULL, 8);
        tp_texture *t = fixture_texture(&f, &info);
        OK(&f, tp_set_targets(f.context, 1, &(struct tp_target){t, 0, 0, true}, NULL));
        assert_int_equal(f.context->state.layers, sizes[i][2]);
        for (uint32_t z = 0; z < sizes[i][2]; z++) {
            const float c = (float)(z + 1) / 255;
            OK(&f, tp_clear_part(f.context, &(struct tp_clear_info){.what = TP_CLEAR_COLOR,
                                                                    .first_layer = z,
                                                                    .layers = 1,
                                                                    .color.f = {c, c, c, c}}));
        }
        for (uint32_t z = 0; z < sizes[i][2]; z++) {
            static uint8_t texel[70 * 40 * 4];
            OK(&f, tp_texture_read(f.context, t, 0, z, texel, sizes[i][0] * 4));
            for (uint32_t k = 0; k < sizes[i][0] * sizes[i][1] * 4; k++)
                assert_int_equal(texel[k], z + 1);
        }
    }
}
