/* Limits of memory: views that end early, 3D slices of many tiles. */
#include "tests/tex/calls.h"

/* Bytes behind the end of a view read as zero. */
TEST(test_short_view) {
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 16, 4));
    FILL(&t, 1 + (float)y);
    t.view.whole = false;
    t.view.size = 100; /* a line of 64 bytes and 36 bytes of the next */
    for (int smooth = 0; smooth < 2; smooth++) {
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        assert_true(one(&t, &s, &c, 2.5f / 16, 0.125f, 0, 0) == 1);
        assert_true(one(&t, &s, &c, 8.5f / 16, 0.375f, 0, 0) == 2);
        assert_true(one(&t, &s, &c, 9.5f / 16, 0.375f, 0, 0) == 0);
        assert_true(one(&t, &s, &c, 2.5f / 16, 0.875f, 0, 0) == 0);
    }
}

/* Slices of 2^15 tiles (1024 rows), the most that products of 16 bits can address, and slices with
 * one more row of tiles. */
TEST(test_long_slices) {
    for (uint32_t height = 1024; height <= 1028; height += 4) {
        uint32_t tic[8];
        struct tex_image i = image(FORMAT_R32_FLOAT, TEX_3D, 2048, height);
        i.depth = 4;
        TEXTURE(t, i);
        tex_image_tic(&t.image, 0, 0, tic);
        tic[2] &= ~(0x3fu << 22); /* tiles of four rows and one slice */
        assert_int_equal(tex_view_decode(tic, t.memory, &t.view, NULL, 0), 0);
        assert_true(t.view.whole == (height == 1024));
        t.level[0].tile_h = t.level[0].tile_d = 0;
        for (uint32_t z = 0; z < 4; z++)
            for (uint32_t n = 0; n < 4; n++)
                put_float(&t, 0, 2046 + n % 2, height - 2 + n / 2, z, 1 + (float)z);
        for (int smooth = 0; smooth < 2; smooth++) {
            const struct tex_sampler s = {
                .mip = 1, .wrap = {2, 2, 2}, .mag_linear = smooth, .min_linear = smooth};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
            assert_true(one(&t, &s, &c, 1, 1, 0.875f, 0) == 4);
            assert_true(one(&t, &s, &c, 1, 1, 0.5f, 0) == (smooth ? 2.5f : 3));
        }
    }
}
