/* Surface layouts: every offset is used once, and sizes are the figures of tesla-3d.md §3. */
#include "base/surface.h"
#include "tests/test.h"
#include "tests/shapes.h"

/* Every byte of every texel has an address of its own inside the layer (or the 3D level). */
static void check_bijection(const struct surface *s) {
    const struct format_info *f = format_info(s->format);
    const uint32_t columns = (s->width + f->block_w - 1) / f->block_w * f->bytes;
    const uint32_t rows = (s->height + f->block_h - 1) / f->block_h;
    const uint64_t size = surface_layer_bytes(s);
    uint8_t *taken = calloc(1, size);
    assert_non_null(taken);
    for (uint32_t z = 0; z < (s->is_3d ? s->depth : 1); z++)
        for (uint32_t y = 0; y < rows; y++)
            for (uint32_t x = 0; x < columns; x++) {
                const uint64_t offset = surface_offset(s, x, y, z);
                assert_true(offset < size);
                assert_int_equal(taken[offset]++, 0);
            }
    free(taken);
}

TEST(test_bijection) {
    static const enum pixel_format formats[] = {FORMAT_R8_UNORM, FORMAT_RGBA8_UNORM, FORMAT_DXT1,
                                                FORMAT_RGB32_FLOAT, FORMAT_RGBA32_FLOAT};
    for (int f = 0; f < 5; f++)
        for (int h = 0; h <= 5; h++)
            for (int d = 0; d <= 5; d++) {
                struct surface s = SURFACE(formats[f], 19, 37, 5, .is_3d = d > 0,
                                           .tile_h = (uint8_t)h, .tile_d = (uint8_t)d);
                check_bijection(&s);
            }
    check_bijection(&SURFACE(FORMAT_RGBA8_UNORM, 19, 7, 1, .linear = true, .pitch = 128));
}

TEST(test_figures) {
    /* 300x200 RGBA8: 19 x 4 tiles of 4 KiB (tesla-3d.md §3). */
    struct surface s =
        SURFACE(FORMAT_RGBA8_UNORM, 300, 200, 3, .tile_h = 4, .layer_stride = 0x50000);
    assert_int_equal(surface_layer_bytes(&s), 0x4c000);
    /* row 3 and byte 5 of tile (1, 1) */
    assert_int_equal(surface_offset(&s, 64 + 5, 64 + 3, 0), (19 + 1) * 4096 + 3 * 64 + 5);
    assert_int_equal(surface_offset(&s, 64 + 5, 64 + 3, 2), 0xa0000 + (19 + 1) * 4096 + 3 * 64 + 5);
    /* 3D, tiles of 8 rows and 4 slices: slice 6 is the third of the second tile layer */
    struct surface v = SURFACE(FORMAT_R8_UNORM, 70, 9, 8, .is_3d = true, .tile_h = 1, .tile_d = 2);
    assert_int_equal(surface_offset(&v, 65, 8, 6),
                     (1 * 4 + 1 * 2 + 1) * 2048 + 2 * 512 + 0 * 64 + 1);
    assert_int_equal(surface_layer_bytes(&v), 2 * 2 * 2 * 2048);
    struct surface l =
        SURFACE(FORMAT_RGBA8_UNORM, 3, 4, 2, .linear = true, .pitch = 64, .layer_stride = 1024);
    assert_int_equal(surface_offset(&l, 8, 3, 1), 1024 + 3 * 64 + 8);
    /* sizes that exceed 32 bits do not wrap */
    struct surface big = {
        .format = FORMAT_RGBA32_FLOAT, .width = 65535, .height = 65535, .depth = 1, .tile_h = 4};
    assert_true(surface_layer_bytes(&big) > 68000000000ull);
    big.width = 1u << 28, big.height = 64; /* a row of 4 GiB */
    assert_int_equal(surface_layer_bytes(&big), UINT64_C(1) << 38);
    assert_int_equal(surface_offset(&big, 0, 64, 0), UINT64_C(1) << 38);
}

TEST(test_tile_modes) {
    static const struct {
        uint8_t h0, d0;
        uint32_t rows, slices;
        uint8_t h, d;
    } known[] = {
        {5, 0, 4, 1, 0, 0},  {5, 0, 5, 1, 1, 0},    {5, 0, 9, 1, 2, 0},    {5, 0, 17, 1, 3, 0},
        {5, 0, 33, 1, 4, 0}, {5, 0, 5000, 1, 4, 0}, {2, 0, 5000, 1, 2, 0}, {5, 5, 64, 64, 2, 4},
        {5, 5, 8, 64, 1, 5}, {5, 5, 8, 3, 1, 2},    {5, 5, 64, 1, 2, 0},   {1, 3, 64, 64, 1, 3},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t h, d;
        surface_level_tile_mode(0, known[i].h0, known[i].d0, known[i].rows, known[i].slices, &h,
                                &d);
        assert_int_equal(h, known[i].h);
        assert_int_equal(d, known[i].d);
    }
    static const uint32_t samples[5][3] = {{1, 0, 0}, {2, 1, 0}, {4, 1, 1}, {8, 2, 1}, {0, 0, 0}};
    for (int i = 0; i < 5; i++) {
        uint32_t x, y;
        surface_sample_shift(samples[i][0], &x, &y);
        assert_true(x == samples[i][1] && y == samples[i][2]);
    }
}
