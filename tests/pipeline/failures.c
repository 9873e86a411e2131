/* Programs that fail: the results of their draws, and of draws beside them. */
#include "pipeline/context.h"
#include "tests/pipeline/greys.h"
#include "tests/pipeline/colours.h"

#include <time.h>

/* If a program fails on a triangle, depths are written for this triangle and for the earlier ones
 * of the draw, and for no later one, also if many triangles share a tile. The triangle has no
 * colour. The triangle before it may share the warp that fails, and then has no colour either. */
DRAW_TEST(test_depths_behind_a_failure, 1, SIZE) {
    enum { CELLS = 16, FAILS = 5 };
    static const char fp_text[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 $r0\n"
        "mov b32 $r5 0.75\nset $c0 # g f32 $r0 $r5\n(lg $c0) bra #fail\nexit nop\nfail: trap\n";
    float v[3 * CELLS][8];
    tp_program *fp = fixture_program(f, TP_FRAGMENT, fp_text);
    fixture_depth(f, TP_LESS);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, fp));
    for (int i = 0; i < 3 * CELLS; i++) {
        const int cell = i / 3;
        const float x = (float)(8 * cell) / SIZE - 1, c = cell == FAILS ? 1 : 0.5f;
        const float all[8] = {
            i % 3 == 1 ? x + 8.f / SIZE : x, i % 3 == 2 ? -0.5f : -1, -0.5f, 1, c, c, c, 1};
        memcpy(v[i], all, sizeof all);
    }
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 3 * CELLS);
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    float behind[4][8];
    memcpy(behind, square, sizeof behind);
    fixture_draw(f, TP_QUADS, (const float(*)[8])behind, 4); /* white, behind the earlier depths */
    fixture_read(f);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        const uint32_t red = red_at(f, 4 * cell + 1, SIZE - 2);
        const bool right = cell == FAILS - 1 ? red == 128 || red == 0 /* no colour, but a depth */
                           : cell < FAILS    ? red == 128
                           : cell == FAILS   ? red == 0
                                             : red == 255;
        if (!right)
            fail_msg("triangle %u: %u", cell, red);
    }
}

/* If one of several small draws with one program fails, the others are complete. */
DRAW_TEST(test_failure_of_a_small_draw, 1, SIZE) {
    enum { CELLS = 16, FAILS = 5 };
    static const char vp_text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 $r0 1.0\nmul f32 $r0 $r0 c0[0x0]\nmov b32 $r1 0.75\n"
        "set $c0 # g f32 $r0 $r1\n(lg $c0) bra #fail\n" PASS_POSITION GREY "fail: trap\n";
    fixture_bind(f, TP_VERTEX, vp_text);
    for (int i = 0; i < CELLS; i++) {
        const float x = (float)(8 * i) / SIZE - 1, grey = i == FAILS ? 1 : 0.5f;
        float cell[4][8];
        memcpy(cell, square, sizeof cell);
        for (int k = 0; k < 4; k++)
            cell[k][0] = square[k][0] < 0 ? x : x + 8.f / SIZE;
        OK(f, tp_set_constants(f->context, TP_VERTEX, 0, &grey, sizeof grey));
        fixture_draw(f, TP_QUADS, (const float(*)[8])cell, 4);
    }
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    fixture_read(f);
    for (uint32_t i = 0; i < CELLS; i++)
        assert_int_equal(red_at(f, 4 * i + 1, 9), i == FAILS ? 0 : 128);
}

/* Without an instruction budget, a warp's limit is time. After a warp of a program has run out of
 * time, later draws of this program end after a number of instructions. Other programs keep their
 * time. */
DRAW_TEST(test_programs_out_of_time, 1, SIZE) {
    static const char endless_fp[] = "loop: bra #loop\nexit nop\n";
    static const char long_fp[] =
        ".interpolants position=w smooth=4\n"
        "mov b32 $r0 0x280000\nmov b32 $r1 1\n" /* more instructions than the first budget */
        "loop: sub b32 $c0 $r0 $r0 $r1\n"
        "(lg $c0) bra #loop\nmov b32 $r0 1.0\nmov b32 $r1 $r0\n"
        "mov b32 $r2 $r0\nmov b32 $r3 $r0\nexit nop\n";
    static const float point[1][8] = {RGB(0, 0, 1, 1, 1)};
    f->context->device->warp_budget = 0;
    fixture_bind(f, TP_FRAGMENT, endless_fp);
    f->context->state.program[PROGRAM_FP]->overtime = 1;
    fixture_draw(f, TP_POINTS, point, 1);
    const clock_t start = clock();
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
    fixture_bind(f, TP_FRAGMENT, long_fp);
    fixture_draw(f, TP_POINTS, point, 1);
    OK(f, tp_finish(f->context));
    fixture_read(f);
    assert_int_equal(fixture_count(f), 1);
}

/* A failing geometry program is reported with its name and stage; later draws go on. */
DRAW_TEST(test_geometry_traps, 1, SIDE) {
    static const float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
    fixture_bind(f, TP_GEOMETRY,
                 ".primitive triangle_strip\n.vertices 3\n"
                 ".output position o[0x0]\n.output varying o[0x10] 4\n"
                 "mov b32 $r0 1.0\nmov b32 o[0x0] $r0\nmov b32 o[0x1c] $r0\n"
                 "again: bra #again\nexit nop\n");
    fixture_draw(f, TP_TRIANGLES, v, 3);
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(f->device), "geometry program test: TIMEOUT"));
    OK(f, tp_bind_program(f->context, TP_GEOMETRY, NULL));
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIDE * SIDE);
    OK(f, tp_finish(f->context));
}
