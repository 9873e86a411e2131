/* Calls of the C API for operations that are awkward on the hardware: draws that contain their
 * vertices, with edge flags; positions in window coordinates; blits that scale and convert. */
#include "tests/pipeline/fixture.h"

enum { SIZE = 64 };

#define INVALID(call) assert_int_equal(call, TP_ERROR_INVALID)

/* ---- inline vertices ---- */

DRAW_TEST(test_same_as_from_buffers, 2, SIZE) {
    struct vertex {
        float at[4];
        uint8_t color[4];
        float unused[2]; /* a third attribute that the program does not read */
    } v[300];
    for (int i = 0; i < 300; i++) {
        const float turn = 0.07f * (float)i, r = i % 3 == 1 ? 0.2f : 0.9f;
        v[i] = (struct vertex){{r * cosf(turn), r * sinf(turn), 0, 1},
                               {(uint8_t)i, (uint8_t)(7 * i), 99, 255},
                               {0, 0}};
    }
    OK(f, tp_set_attribute(f->context, 0, 0, 0, 4, TP_FLOAT32));
    OK(f, tp_set_attribute(f->context, 1, 0, 16, 4, TP_UNORM8));
    OK(f, tp_set_attribute(f->context, 2, 0, 20, 2, TP_FLOAT32));
    for (int kind = 0; kind < 3; kind++) {
        static const enum tp_primitive types[] = {TP_TRIANGLES, TP_TRIANGLE_STRIP, TP_LINE_STRIP};
        uint8_t expected[SIZE * SIZE * 4];
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        tp_buffer *buffer = fixture_buffer(f, sizeof v, v);
        OK(f, tp_bind_vertices(f->context, 0, buffer, 0, sizeof *v, 0));
        OK(f, tp_draw_arrays(f->context, types[kind], 0, 300));
        fixture_read(f);
        assert_in_range(fixture_count(f), 100, SIZE * SIZE);
        memcpy(expected, f->pixels, sizeof expected);
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, tp_bind_vertices(f->context, 0, NULL, 0, 0, 0));
        OK(f, tp_draw_inline(f->context, types[kind], v, 7, 300, NULL));
        fixture_read(f);
        assert_memory_equal(f->pixels, expected, sizeof expected);
    }
    INVALID(tp_draw_inline(f->context, TP_TRIANGLES, v, 6, 3, NULL));
    INVALID(tp_draw_inline(f->context, TP_TRIANGLES, v, 0, 3, NULL));
    INVALID(tp_draw_inline(f->context, TP_TRIANGLES, NULL, 7, 3, NULL));
    INVALID(tp_draw_inline(f->context, (enum tp_primitive)14, v, 7, 3, NULL));
    INVALID(tp_draw_inline(NULL, TP_TRIANGLES, v, 7, 3, NULL));
}

/* The outline of a quad has a line for each vertex whose edge flag is set, for every combination of
 * flags. */
DRAW_TEST(test_edge_flags, 1, SIZE) {
    static const float corner[4][8] = {{-0.5f, -0.5f, 0, 1, 1, 1, 1, 1},
                                       {0.5f, -0.5f, 0, 1, 1, 1, 1, 1},
                                       {0.5f, 0.5f, 0, 1, 1, 1, 1, 1},
                                       {-0.5f, 0.5f, 0, 1, 1, 1, 1, 1}};
    /* a pixel in the middle of each edge; +1 of y is the top */
    static const struct {
        uint32_t x, y;
    } middle[4] = {{32, 48}, {48, 32}, {32, 16}, {16, 32}};
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.polygon_front = TP_POLYGON_LINE,
                                                              .polygon_back = TP_POLYGON_LINE}));
    OK(f, tp_set_attribute(f->context, 0, 0, 0, 4, TP_FLOAT32));
    OK(f, tp_set_attribute(f->context, 1, 0, 0, 4, TP_FLOAT32));
    for (int flags = 0; flags < 16; flags++) {
        bool flag[4];
        for (int i = 0; i < 4; i++)
            flag[i] = flags >> i & 1;
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, tp_draw_inline(f->context, TP_QUADS, corner, 8, 4, flag));
        fixture_read(f);
        for (int i = 0; i < 4; i++) {
            uint32_t lit = 0; /* a line on a pixel's border may be on either side of it */
            for (int k = 0; k < 4; k++)
                lit |= fixture_pixel(f, middle[i].x - (k & 1), middle[i].y - (k >> 1));
            assert_int_equal(lit != 0, flag[i]);
        }
        assert_int_equal(fixture_count(f) != 0, flags != 0);
    }
}

/* ---- window coordinates ---- */

DRAW_TEST(test_window_coordinates, 1, SIZE) {
    /* the lower left half of a square of 16 pixels at (20, 12); w and a depth beyond 1 have
     * no effect */
    static const float v[3][8] = {
        {20, 12, 7, 5, 1, 1, 1, 1}, {36, 28, 7, -2, 1, 1, 1, 1}, {20, 28, 7, 0, 1, 1, 1, 1}};
    OK(f, tp_set_window_coordinates(f->context, true));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++)
            assert_int_equal(fixture_pixel(f, x, y) != 0,
                             x >= 20 && y >= 12 && y < 28 && x - 20 < y - 12);
    OK(f, tp_set_window_coordinates(f->context, false));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 0); /* outside of the view volume */
    INVALID(tp_set_window_coordinates(NULL, true));
}

/* ---- blits ---- */

/* A nearest blit of 4x4 texels into rectangles of several sizes: the texel of each pixel is worked
 * out by hand. */
DRAW_TEST(test_nearest, 1, SIZE) {
    static const uint32_t sizes[][2] = {{12, 6}, {8, 8}, {2, 2}, {4, 4}};
    uint32_t texel[4][4], out[16][16];
    tp_texture *from = fixture_picture(f, TP_FORMAT_RGBA8, 4, 4);
    tp_texture *to = fixture_picture(f, TP_FORMAT_RGBA8, 16, 16);
    for (uint32_t i = 0; i < 16; i++)
        texel[i / 4][i % 4] = 0x01010101 * (i + 1);
    OK(f, tp_texture_write(f->context, from, 0, 0, texel, sizeof *texel));
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const uint32_t w = sizes[i][0], h = sizes[i][1];
        memset(out, 0xee, sizeof out);
        OK(f, tp_texture_write(f->context, to, 0, 0, out, sizeof *out));
        OK(f, tp_texture_blit(f->context, (struct tp_texture_place){to, 0, 0},
                              &(struct tp_rect){3, 2, w, h}, (struct tp_texture_place){from, 0, 0},
                              &(struct tp_rect){0, 0, 4, 4}, false));
        OK(f, tp_texture_read(f->context, to, 0, 0, out, sizeof *out));
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < 16; x++) {
                const bool in = x >= 3 && x < 3 + w && y >= 2 && y < 2 + h;
                const uint32_t tx = (2 * (x - 3) + 1) * 4 / (2 * w);
                const uint32_t ty = (2 * (y - 2) + 1) * 4 / (2 * h);
                assert_int_equal(out[y][x], in ? texel[ty & 3][tx & 3] : 0xeeeeeeee);
            }
    }
}

/* A bilinear blit of two texels to eight, into another format: the texels at the edges repeat. */
DRAW_TEST(test_linear_and_converted, 1, SIZE) {
    static const uint8_t black_white[2][4] = {{0, 0, 0, 255}, {255, 255, 255, 255}};
    static const float eighths[8] = {0, 0, 1, 3, 5, 7, 8, 8};
    float out[8][4];
    tp_texture *from = fixture_picture(f, TP_FORMAT_RGBA8, 2, 1);
    tp_texture *to = fixture_picture(f, TP_FORMAT_RGBA32F, 8, 1);
    tp_texture *zeta = fixture_picture(f, TP_FORMAT_Z24S8, 8, 1);
    const struct tp_texture_place target = {to, 0, 0}, source = {from, 0, 0}, depth = {zeta, 0, 0};
    const struct tp_rect whole = {0, 0, 8, 1}, both = {0, 0, 2, 1}, none = {0, 0, 0, 1},
                         beyond = {1, 0, 2, 1};
    OK(f, tp_texture_write(f->context, from, 0, 0, black_white, sizeof black_white));
    OK(f, tp_texture_blit(f->context, target, &whole, source, &both, true));
    OK(f, tp_texture_read(f->context, to, 0, 0, out, sizeof out));
    for (int x = 0; x < 8; x++) {
        for (int c = 0; c < 3; c++)
            assert_true(fabsf(out[x][c] - eighths[x] / 8) < 1e-6f);
        assert_true(out[x][3] == 1);
    }
    OK(f, tp_texture_blit(f->context, target, &whole, source, &both, false));
    OK(f, tp_texture_read(f->context, to, 0, 0, out, sizeof out));
    for (int x = 0; x < 8; x++)
        assert_true(out[x][0] == (x < 4 ? 0 : 1));
    INVALID(tp_texture_blit(f->context, depth, &whole, source, &both, false));
    INVALID(tp_texture_blit(f->context, depth, &whole, depth, &both, true));
    OK(f, tp_texture_blit(f->context, depth, &both, depth, &(struct tp_rect){4, 0, 4, 1}, false));
    INVALID(tp_texture_blit(f->context, target, &whole, source, &none, false));
    INVALID(tp_texture_blit(f->context, target, &whole, source, &beyond, false));
    INVALID(tp_texture_blit(f->context, target, NULL, source, &both, false));
    INVALID(
        tp_texture_blit(f->context, (struct tp_texture_place){0}, &whole, source, &both, false));
    INVALID(tp_texture_blit(NULL, target, &whole, source, &both, false));
}
