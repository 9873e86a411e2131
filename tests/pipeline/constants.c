/* Constants of small draws, with neighbours that share warps; sizes of bound buffers. */
#include "pipeline/context.h"
#include "tests/pipeline/greys.h"
#include "tests/pipeline/colours.h"

/* Small draws share warps, but each has its own constants in each buffer that its program reads. */
TEST(test_constants_of_small_draws) {
#define TWO                                                                                        \
    "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c2[0x4]\nmov b32 $r1 1.0\nmul rn f32 $r1 $r1 c1[0x0]\n"   \
    "add f32 $r0 $r0 $r1\n"
    static const char *const reads[] = {"mov b32 $r0 1.0\nmul f32 $r0 $r0 c0[0x0]\n",
                                        "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c1[0x0]\n", TWO,
                                        "mov b32 $r0 1.0\nmul rn f32 $r0 $r0 c15[0x8]\n"};
    for (size_t r = 0; r < LENGTH(reads); r++) {
        enum { CELLS = 16 };
        char text[1024];
        FIXTURE(f, 2, NULL, SIZE);
        snprintf(text, sizeof text,
                 ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION
                 "%s" GREY,
                 reads[r]);
        fixture_bind(&f, TP_VERTEX, text);
        for (int i = 0; i < CELLS; i++) {
            const float x = (float)(8 * i) / SIZE - 1;
            float cell[4][8];
            memcpy(cell, square, sizeof cell);
            for (int k = 0; k < 4; k++)
                cell[k][0] = square[k][0] < 0 ? x : x + 8.f / SIZE;
            const float words[3] = {(float)i / 255, (float)(3 * i) / 255, (float)(7 * i) / 255};
            for (unsigned slot = 0; slot < 16; slot++)
                if (slot < 3 || slot == 15)
                    OK(&f, tp_set_constants(f.context, TP_VERTEX, slot, words, sizeof words));
            fixture_draw(&f, TP_QUADS, (const float(*)[8])cell, 4);
        }
        fixture_read(&f);
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t expected[] = {i, i, 4 * i, 7 * i};
            assert_int_equal(red_at(&f, 4 * i + 1, 9), expected[r]);
        }
    }
}

/* The bound size of a buffer belongs to the draw, also if draws bind the same buffer. Constants
 * beyond the bound size read as zero. */
TEST(test_bound_sizes) {
    enum { DRAWS = 16 };
    static struct drawn_words w;
    open_words(&w, 1);
    struct fixture *f = &w.f;
    struct state *s = &f->context->state;
    float v[16][8];
    make_row(v, 16);
    fixture_vertices(f, (const float(*)[8])v, 16);
    for (int i = 0; i < T_ROOM / 4; i++)
        w.word[i] = OLD;
    OK(f, tp_buffer_write(f->context, w.words, 0, w.word, sizeof w.word));
    for (int stage = 0; stage < 2; stage++) {
        OK(f, tp_bind_program(f->context, TP_VERTEX, stage ? f->vp : w.constant_vp));
        OK(f, tp_bind_program(f->context, TP_FRAGMENT, stage ? w.constant_fp : f->fp));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        for (uint32_t i = 0; i < DRAWS; i++) {
            s->const_buffer[3].address = tp_buffer_address(w.words);
            s->const_buffer[3].size = i % 3 == 1 ? 0x100 : i % 3 ? 0x108 : 0x104;
            s->const_binding[stage ? PROGRAM_FP : PROGRAM_VP][0] = 3;
            state_touch(s, GROUP_CONSTANT);
            draw_point(f, i);
        }
        fixture_read(f);
        for (uint32_t i = 0; i < DRAWS; i++)
            if (red_at(f, 2 * i, SIZE / 2 - 1) != (i % 3 == 1 ? 0 : OLD))
                fail_msg("stage %d, draw %u: %u", stage, i, red_at(f, 2 * i, SIZE / 2 - 1));
    }
    OK(f, tp_bind_program(f->context, TP_VERTEX, f->vp));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    close_words(&w);
}

/* Neighbouring quads belong to draws that differ in the fragment program's constants only. Each
 * quad has its draw's constants. */
DRAW_TEST(test_constants_of_neighbours, 1, SIDE) {
    enum { SQUARE = 12 };
    fixture_bind(f, TP_FRAGMENT,
                 "ld $r0 b32 c0[0x0]\nld $r1 b32 c0[0x4]\n"
                 "ld $r2 b32 c0[0x8]\nmov b32 $r3 1.0\nexit nop\n");
    float v[SQUARE * SQUARE * 6][8];
    for (int i = 0; i < SQUARE * SQUARE; i++) {
        static const float corner[6][2] = {{0, 0}, {2, 0}, {0, 2}, {0, 2}, {2, 0}, {2, 2}};
        static const float none[3];
        for (int k = 0; k < 6; k++)
            set_vertex(v[6 * i + k], (float)(i % SQUARE) * 2 + corner[k][0],
                       (float)(i / SQUARE) * 2 + corner[k][1], 0, none);
    }
    fixture_vertices(f, v, SQUARE * SQUARE * 6);
    for (uint32_t i = 0; i < SQUARE * SQUARE; i++) {
        const float rgb[3] = {(float)(i % SQUARE) / 15, (float)(i / SQUARE) / 15, 0.2f};
        OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, rgb, sizeof rgb));
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 6 * i, 6));
    }
    fixture_read(f);
    for (uint32_t y = 0; y < 2 * SQUARE; y++)
        for (uint32_t x = 0; x < 2 * SQUARE; x++)
            assert_int_equal(fixture_pixel(f, x, y), 0xff330000 | (y / 2 * 17) << 8 | x / 2 * 17);
}

/* The draws of a scene bind more ranges of a buffer than there are constant buffers. Each draw sees
 * the constants that its range held at the time of the draw. */
TEST(test_constants_at_many_addresses) {
    enum { PARTS = 300, STEP = 256 };
    static float v[2 * PARTS][8];
    FIXTURE(f, 1, NULL, SIZE);
    fixture_bind(&f, TP_VERTEX,
                 ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION
                 "mov b32 $r0 1.0\nmul f32 $r0 $r0 c0[0x0]\n" GREY);
    tp_buffer *const words = fixture_buffer(&f, PARTS * STEP, NULL);
    for (int i = 0; i < 2 * PARTS; i++) {
        const float all[8] = {
            (2.f * (i % SIZE) + 1) / SIZE - 1, 1 - (2.f * (i / SIZE) + 1) / SIZE, 0, 1, 1, 1, 1, 1};
        memcpy(v[i], all, sizeof all);
    }
    fixture_vertices(&f, (const float(*)[8])v, 2 * PARTS);
    for (uint32_t i = 0; i < 2 * PARTS; i++) {
        const float word = (float)(i % 251) / 255;
        const uint64_t at = i / 2 * STEP;
        if (i % 2 == 0)
            OK(&f, tp_bind_constants(f.context, TP_VERTEX, 0, words, at, STEP));
        OK(&f, tp_buffer_write(f.context, words, at, &word, sizeof word));
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, i, 1));
    }
    fixture_read(&f);
    for (uint32_t i = 0; i < 2 * PARTS; i++)
        if (red_at(&f, i % SIZE, i / SIZE) != i % 251)
            fail_msg("draw %u: %u", i, red_at(&f, i % SIZE, i / SIZE));
}
