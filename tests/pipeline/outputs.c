/* Colour outputs of fragment programs: clamps, and the alpha of smooth edges. */
#include "pipeline/context.h"
#include "tests/pipeline/fixture.h"

enum { SIZE = 64 };

enum { OUTPUTS = 3 };

/* Draws to three float targets: 0.75, 1.5 and 2.25 in all components but the first, which is -0.25,
 * -0.5, -0.75. */
static void draw_outputs(struct fixture *f, uint8_t clamp, bool smooth,
                         float got[OUTPUTS][SIZE * SIZE][4]) {
    static const char fp_text[] =
        ".targets 3\n.results 12\nmov b32 $r0 -0.25\nmov b32 $r1 0.75\nmov b32 $r2 0.75\nmov b32 "
        "$r3 0.75\n"
        "mov b32 $r4 -0.5\nmov b32 $r5 1.5\nmov b32 $r6 1.5\nmov b32 $r7 1.5\n"
        "mov b32 $r8 -0.75\nmov b32 $r9 2.25\nmov b32 $r10 2.25\nmov b32 $r11 2.25\nexit nop\n";
    static const float triangle[3][8] = {
        {-0.9f, -0.8f, 0, 1}, {0.9f, -0.5f, 0, 1}, {-0.3f, 0.9f, 0, 1}};
    struct tp_target targets[OUTPUTS] = {{0}};
    tp_texture *texture[OUTPUTS];
    fixture_open(f, 1, NULL, SIZE);
    for (int i = 0; i < OUTPUTS; i++) {
        texture[i] = fixture_picture(f, TP_FORMAT_RGBA32F, SIZE, SIZE);
        targets[i].texture = texture[i];
    }
    fixture_bind(f, TP_FRAGMENT, fp_text);
    OK(f, tp_set_targets(f->context, OUTPUTS, targets, NULL));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, (const float[4]){0}, 1, 0));
    OK(f, tp_set_patterns(f->context, &(struct tp_pattern_state){.smooth_polygons = smooth}));
    f->context->state.color_op.clamp = clamp;
    state_touch(&f->context->state, GROUP_COLOR);
    fixture_draw(f, TP_TRIANGLES, triangle, 3);
    for (int i = 0; i < OUTPUTS; i++) {
        OK(f, tp_texture_read(f->context, texture[i], 0, 0, got[i], SIZE * 16));
    }
    fixture_close(f);
}

TEST(test_outputs_are_clamped_apart) {
    static float got[OUTPUTS][SIZE * SIZE][4];
    for (unsigned clamp = 0; clamp < 1 << OUTPUTS; clamp++) {
        struct fixture f;
        draw_outputs(&f, (uint8_t)clamp, false, got);
        for (int i = 0; i < OUTPUTS; i++)
            for (int c = 0; c < 4; c++) {
                const float whole = (c ? 0.75f : -0.25f) * (float)(i + 1);
                const float limited = whole < 0 ? 0 : whole > 1 ? 1 : whole;
                const float expected = clamp >> i & 1 ? limited : whole;
                const float at = got[i][SIZE / 2 * SIZE + SIZE / 2][c];
                if (at != expected)
                    fail_msg("clamped 0x%x: output %d, component %d: %g, expected %g", clamp, i, c,
                             at, expected);
            }
    }
}

/* The coverage of a smooth edge scales the alpha of each output. */
TEST(test_smooth_outputs) {
    static float got[OUTPUTS][SIZE * SIZE][4];
    uint32_t partly = 0;
    struct fixture f;
    draw_outputs(&f, 0, true, got);
    for (int at = 0; at < SIZE * SIZE; at++) {
        const float covered = got[0][at][3] / 0.75f;
        partly += covered > 0 && covered < 1;
        for (int i = 0; i < OUTPUTS; i++) {
            assert_float_equal(got[i][at][3], covered * 0.75f * (float)(i + 1), 1e-5f);
            assert_float_equal(got[i][at][1], covered > 0 ? 0.75f * (float)(i + 1) : 0, 1e-5f);
        }
    }
    assert_true(partly > SIZE);
}
