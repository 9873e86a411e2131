/* Surfaces that can be drawn into, and rectangles that cut blocks. */
#include "tests/raster/fixture.h"

enum { SIZE = 32 };

/* A surface can be drawn into if its texels have a power of two of bytes, at most 16, and are of
 * the requested kind (colour or zeta), if its layout exists, and if there is memory. */
TEST(test_what_can_be_drawn_into) {
    uint8_t memory;
    for (int format = FORMAT_NONE + 1; format < FORMATS; format++)
        for (int zeta = 0; zeta < 2; zeta++)
            for (uint8_t h = 0; h < 8; h++)
                for (uint8_t d = 0; d < 8; d++) {
                    const struct format_info *info = format_info(format);
                    const struct surface s = {
                        .data = &memory, .format = format, .tile_h = h, .tile_d = d};
                    const bool power = info->bytes == 1 || info->bytes == 2 || info->bytes == 4 ||
                                       info->bytes == 8 || info->bytes == 16;
                    const bool can = power && format != FORMAT_RGB9E5_FLOAT && !info->compressed &&
                                     info->zeta == zeta && h < 6 && d < 6;
                    assert_int_equal(renderable_format(&s, zeta), can ? format : FORMAT_NONE);
                    const struct surface nowhere = {.format = format};
                    assert_int_equal(renderable_format(&nowhere, zeta), FORMAT_NONE);
                }
    const int samples[][2] = {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {5, 1}, {8, 8}, {16, 1}};
    for (size_t i = 0; i < LENGTH(samples); i++) {
        const struct raster_targets t = {.samples = (uint8_t)samples[i][0]};
        assert_int_equal(targets_samples(&t), samples[i][1]);
    }
}

/* Scissors and window rectangles with corners anywhere in a block, within one block or across
 * several. */
TEST(test_rectangles_cut_blocks) {
    fragment_stage = ones;
    for (int i = 0; i < 9 * 5 * 9 * 5; i++) {
        const int x0 = i % 9, y0 = i / 9 % 5, x1 = x0 + i / 45 % 9 + 1, y1 = y0 + i / 405 + 1;
        for (int mode = 0; mode < 3; mode++) {
            struct raster_prim *p[2];
            FIXTURE(f, fixture_init, SIZE, SIZE, 1);
            fixture_color(&f, FORMAT_RGBA8_UNORM, true);
            const struct raster_rect r = {x0, y0, x1, y1};
            f.state.limits.rect_mode = (uint8_t)mode;
            *(mode ? &f.state.limits.rect[7] : &f.state.view[0].scissor) = r;
            rectangle(&f, 0, 0, SIZE, SIZE, 0, p);
            fixture_draw(&f, p, 2);
            for (int y = 0; y < 12; y++)
                for (int x = 0; x < 20; x++) {
                    const bool in = x >= x0 && x < x1 && y >= y0 && y < y1;
                    uint32_t color;
                    memcpy(&color, texel_at(&f.targets.color[0], (uint32_t)x, (uint32_t)y), 4);
                    assert_int_equal(color, in == (mode != 2) ? 0xffffffff : 0);
                }
        }
    }
}
