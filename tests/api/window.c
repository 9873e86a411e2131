/* tp_texture_set_window: a picture that is drawn window by window has the same bits as a picture
 * that is drawn at once, for any primitives. Pictures may be larger than textures. Misuse is
 * refused. */
#include "tests/pipeline/fixture.h"

enum { PICTURE_W = 300, PICTURE_H = 222, WINDOW_W = 128, WINDOW_H = 64 };

/* Draws primitives of every kind, some of them beyond the picture or across the near clip plane,
 * blended and with a depth test. Equal seeds draw equal primitives. */
static void draw_all(struct fixture *f) {
    static const enum tp_primitive kinds[] = {TP_TRIANGLES, TP_LINES, TP_POINTS, TP_TRIANGLE_STRIP};
    uint32_t seed = 7;
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, (float[4]){0.1f, 0.2f, 0.3f, 1}, 1,
                   0));
    fixture_depth(f, TP_LEQUAL);
    OK(f, tp_set_blend(f->context, TP_ALL_TARGETS, &fixture_add));
    for (size_t k = 0; k < 2 * LENGTH(kinds); k++) {
        float v[60][8];
        for (size_t i = 0; i < LENGTH(v); i++)
            for (int j = 0; j < 8; j++) {
                seed = seed * 1664525 + 1013904223;
                const float r = (float)(seed >> 8) / (1 << 24);
                v[i][j] = j < 2    ? 3 * r - 1.5f
                          : j == 2 ? 1.5f * r - 0.5f
                          : j == 3 ? 0.5f + r
                                   : 0.3f * r;
            }
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.line_width = 1 + (float)(k % 3),
                                                                  .point_size = 7 + (float)k,
                                                                  .multisample_off = k == 7}));
        OK(f, tp_set_scissor(f->context, 0, k == 5 ? 70 : 0, k == 6 ? 33 : 0,
                             k == 5 ? 111 : PICTURE_W, PICTURE_H));
        fixture_draw(f, kinds[k % LENGTH(kinds)], v, LENGTH(v));
    }
}

static void compare(uint32_t samples, int threads, const char *simd) {
    static uint8_t whole[PICTURE_W * PICTURE_H * 4], part[WINDOW_W * WINDOW_H * 4];
    FIXTURE(f, threads, simd, 8);
    fixture_samples(&f, PICTURE_W, PICTURE_H, samples);
    draw_all(&f);
    OK(&f, tp_texture_read_rgba8(f.context, f.color, whole)); /* the samples are resolved */
    fixture_samples(&f, WINDOW_W, WINDOW_H, samples);
    for (uint32_t y = 0; y < PICTURE_H; y += WINDOW_H)
        for (uint32_t x = 0; x < PICTURE_W; x += WINDOW_W) {
            OK(&f, tp_texture_set_window(f.color, x, y, PICTURE_W, PICTURE_H));
            OK(&f, tp_texture_set_window(f.zeta, x, y, PICTURE_W, PICTURE_H));
            OK(&f, tp_set_target(f.context, f.color, f.zeta));
            draw_all(&f);
            OK(&f, tp_texture_read_rgba8(f.context, f.color, part));
            const uint32_t w = PICTURE_W - x < WINDOW_W ? PICTURE_W - x : WINDOW_W;
            const uint32_t h = PICTURE_H - y < WINDOW_H ? PICTURE_H - y : WINDOW_H;
            for (uint32_t j = 0; j < h; j++)
                if (memcmp(part + 4 * j * WINDOW_W, whole + 4 * ((y + j) * PICTURE_W + x), 4 * w))
                    fail_msg("window %u, %u, row %u, %u samples", x, y, j, samples);
        }
}

TEST(test_bits) {
    compare(1, 1, NULL);
    compare(1, 2, "base");
    compare(4, 1, NULL);
}

/* A triangle over a picture of 32768 x 32768: in the last window its edge lies at the right
 * place. */
TEST(test_large) {
    enum { SIDE = 32768, PART = 64 };
    static const float half[3][8] = {
        {-1, 1, 0, 1, 1, 1, 1, 1}, {1, 1, 0, 1, 1, 1, 1, 1}, {1, -1, 0, 1, 1, 1, 1, 1}};
    FIXTURE(f, 1, NULL, PART);
    for (uint32_t at = 0; at < SIDE; at += SIDE - PART) {
        OK(&f, tp_texture_set_window(f.color, at, at, SIDE, SIDE));
        OK(&f, tp_texture_set_window(f.zeta, at, at, SIDE, SIDE));
        OK(&f, tp_set_target(f.context, f.color, f.zeta));
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(&f, TP_TRIANGLES, half, 3);
        fixture_read(&f);
        for (uint32_t y = 0; y < PART; y++)
            for (uint32_t x = 0; x < PART; x++)
                if (x != y) /* the edge goes through the pixel centres of the diagonal */
                    assert_int_equal(fixture_pixel(&f, x, y), x > y ? 0xffffffff : 0);
    }
}

DRAW_TEST(test_misuse, 1, 64) {
    static const uint32_t wrong[][4] = {{1, 0, 256, 256},   {0, 32, 256, 256}, {256, 0, 256, 256},
                                        {0, 256, 256, 256}, {0, 0, 32769, 64}, {0, 0, 64, 32769},
                                        {0, 0, 64, 0}};
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_int_equal(
            tp_texture_set_window(f->color, wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]),
            TP_ERROR_INVALID);
    assert_int_equal(tp_texture_set_window(NULL, 0, 0, 64, 64), TP_ERROR_INVALID);
    OK(f, tp_texture_set_window(f->color, 64, 64, 256, 256));
    assert_int_equal(tp_set_target(f->context, f->color, f->zeta), TP_ERROR_INVALID);
    OK(f, tp_texture_set_window(f->color, 0, 0, 0, 0));
    OK(f, tp_set_target(f->context, f->color, f->zeta));
}
