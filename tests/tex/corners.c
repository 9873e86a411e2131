/* More corners of the texture unit as tables: coordinates that are zero, huge or no number, in texels; what integers,
 * coded colours and comparisons make of filters and swizzles; sizes of every kind of texture; the level shown; levels
 * and probes that have no weight or no number.
 */
#include "tests/tex/calls.h"

static void set_all(struct call *c, float a, float b, float d, float e) {
    for (int lane = 0; lane < LANES; lane++) {
        set(c, 0, lane, a);
        set(c, 1, lane, b);
        set(c, 2, lane, d);
        set(c, 3, lane, e);
    }
}

/* ---- coordinates ---- */

/* Texels 10 20 30 40, border 100. Beyond 2^23 nothing is left of a period; no number is the least there is. */
TEST(test_far_coordinates) {
    static const struct {
        float u;
        float value[8]; /* by wrap mode */
    } rows[] = {
        {8388609.0f, {10, 10, 40, 100, 40, 40, 100, 40}},
        {-8388609.0f, {10, 10, 10, 100, 10, 40, 100, 40}},
        {8388607.0f, {10, 40, 40, 100, 40, 40, 100, 40}},
        {1e30f, {10, 10, 40, 100, 40, 40, 100, 40}},
        {INFINITY, {10, 10, 40, 100, 40, 40, 100, 40}},
        {NAN, {10, 10, 10, 100, 10, 10, 10, 10}},
    };
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_1D, 4, 1));
    for (uint32_t x = 0; x < 4; x++)
        put_float(&t, 0, x, 0, 0, 10.0f * (float)(x + 1));
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (uint8_t wrap = 0; wrap < 8; wrap++) {
            const struct tex_sampler s = {.wrap = {wrap}, .mip = 1, .border = {100, 0, 0, 0}};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 1}};
            set_all(&c, rows[i].u, 0, 0, 0);
            run(&t.view, &s, &c);
            if (value(&c, 0, 3) != rows[i].value[wrap])
                fail_msg("wrap %d at %g: %g, not %g", wrap, rows[i].u, value(&c, 0, 3),
                         rows[i].value[wrap]);
        }
    memory_destroy(t.memory);
}

/* Coordinates in texels are those of 0 to 1, times the size, in each mode and with each filter. */
TEST(test_texel_coordinates) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 8, 4));
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            put_float(&t, 0, x, y, 0, (float)(x * x + 10 * y));
    struct tex_view texels = t.view;
    texels.normalized = false;
    for (int i = 0; i < 16; i++) {
        const uint8_t wrap = (uint8_t)(i / 2);
        const struct tex_sampler s = {.wrap = {wrap, (uint8_t)((wrap + 3) % 8), 0},
                                      .mip = 1,
                                      .mag_linear = i & 1,
                                      .min_linear = i & 1,
                                      .border = {100, 0, 0, 0}};
        struct call a = {.args = {.op = TEX_OP_AUTO, .source_count = 2}}, b = a;
        for (int lane = 0; lane < LANES; lane++) {
            const float x = (float)lane * 0.75f - 9.375f, y = 3.125f - (float)lane * 0.25f;
            set(&a, 0, lane, x), set(&a, 1, lane, y);
            set(&b, 0, lane, x / 8), set(&b, 1, lane, y / 4);
        }
        run(&texels, &s, &a);
        run(&t.view, &s, &b);
        assert_memory_equal(&a.reg[0], &b.reg[0], sizeof a.reg[0]);
    }
    memory_destroy(t.memory);
}

/* A direction of no length points to the middle of a face; those of a cube are never in texels. */
TEST(test_directions) {
    static const float rows[][4] = {
        {0, 0, 0, 42}, {0x1p-40f, 0, 0, 2}, {0x1p-10f, 0, 0, 2}, {0, 0, 1, 42}, {0, 0, -9, 52}};
    struct texture t;
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_CUBE, 4, 4);
    i.layers = 6;
    make(&t, i);
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 4; x++)
                put_float(&t, 0, x, y, face, x == y ? (float)(10 * face + x) : -1);
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (int texels = 0; texels < 2; texels++) {
            const struct tex_sampler s = {.mip = 1};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
            t.view.normalized = !texels;
            set_all(&c, rows[r][0], rows[r][1], rows[r][2], 0);
            run(&t.view, &s, &c);
            if (value(&c, 0, 9) != rows[r][3])
                fail_msg("direction %zu: %g, not %g", r, value(&c, 0, 9), rows[r][3]);
        }
    memory_destroy(t.memory);
}

/* ---- values ---- */

/* Integers are not mixed, whatever the filter. */
TEST(test_integers) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UINT, FORMAT_RGBA8_SINT,
                                                FORMAT_R32_UINT, FORMAT_R16_SINT};
    for (int i = 0; i < 4 * 4; i++) {
        const enum pixel_format f = formats[i / 4];
        struct tex_image im = image(f, TEX_2D, 4, 1);
        struct texture t;
        im.levels = 2;
        make(&t, im);
        for (int l = 0; l < 2; l++)
            for (uint32_t x = 0; x < 4u >> l; x++)
                put(&t, l, x, 0, 0, &(uint32_t[]){7 + 20 * x + 100 * (uint32_t)l, 0});
        const struct tex_sampler s = {.wrap = {2, 2, 2},
                                      .mip = (uint8_t)(i & 2 ? 3 : 2),
                                      .max_lod = 15,
                                      .mag_linear = true,
                                      .min_linear = true,
                                      .max_anisotropy = i & 1 ? 4 : 1};
        struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane,
                0.375f + 0.0625f * (float)(lane & 1)); /* in texel 1, not in its middle */
            set(&c, 2, lane, lane & 2 ? 0.75f : 0);
        }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++)
            assert_int_equal(c.reg[0][lane], lane & 2 ? 107 : 27);
        memory_destroy(t.memory);
    }
}

/* Of coded colours, what feeds w alone is not coded: L8A8 as red and green. */
TEST(test_coded_pairs) {
    static const uint8_t swizzles[][4] = {{2, 2, 2, 3}, {2, 3, 0, 7}, {3, 3, 3, 2}, {2, 2, 2, 2}};
    struct texture t;
    make(&t, image(FORMAT_RG8_UNORM, TEX_2D, 1, 1));
    const uint8_t texel[2] = {188, 60};
    put(&t, 0, 0, 0, 0, texel);
    t.view.srgb = true;
    for (int i = 0; i < 4; i++) {
        const struct tex_sampler s = {.mip = 1};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        memcpy(t.view.swizzle, swizzles[i], 4);
        run(&t.view, &s, &c);
        for (int k = 0; k < 4; k++) {
            bool colour = false;
            for (int n = 0; n < 3; n++)
                colour |= swizzles[i][n] == swizzles[i][k];
            const double code = texel[(swizzles[i][k] - 2) & 1] / 255.0;
            const double want = swizzles[i][k] == 0   ? 0
                                : swizzles[i][k] == 7 ? 1
                                : colour              ? pow((code + 0.055) / 1.055, 2.4)
                                                      : code;
            assert_true(fabs(value(&c, k, 9) - want) < 1e-6);
        }
    }
    memory_destroy(t.memory);
}

/* What is compared shows in every result that shows memory, also one that the format has not got. */
TEST(test_compared_swizzles) {
    static const uint8_t swizzle[4] = {3, 2, 0, 7};
    struct texture t;
    make(&t, image(FORMAT_Z32_FLOAT, TEX_2D, 1, 1));
    put_float(&t, 0, 0, 0, 0, 0.5f);
    memcpy(t.view.swizzle, swizzle, 4);
    for (int compare = 0; compare < 2; compare++) {
        const struct tex_sampler s = {.mip = 1, .compare = compare, .compare_func = 7};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
        run(&t.view, &s, &c);
        const float want[4] = {compare ? 1 : 0, compare ? 1 : 0.5f, 0, 1};
        for (int k = 0; k < 4; k++)
            assert_true(value(&c, k, 9) == want[k]);
    }
    memory_destroy(t.memory);
}

/* ---- sizes and levels ---- */

TEST(test_sizes) {
    static const struct {
        enum tex_dim dim;
        uint32_t width, height, depth, layers, expected[2][4]; /* of levels 0 and 1 */
    } rows[] = {
        {TEX_1D, 16, 1, 1, 1, {{16, 1, 1, 2}, {8, 1, 1, 2}}},
        {TEX_2D, 16, 12, 1, 1, {{16, 12, 1, 2}, {8, 6, 1, 2}}},
        {TEX_3D, 16, 12, 6, 1, {{16, 12, 6, 2}, {8, 6, 3, 2}}},
        {TEX_CUBE, 16, 16, 1, 6, {{16, 16, 6, 2}, {8, 8, 6, 2}}},
        {TEX_1D_ARRAY, 16, 1, 1, 5, {{16, 5, 5, 2}, {8, 5, 5, 2}}},
        {TEX_2D_ARRAY, 16, 12, 1, 5, {{16, 12, 5, 2}, {8, 6, 5, 2}}},
        {TEX_CUBE_ARRAY, 16, 16, 1, 18, {{16, 16, 3, 2}, {8, 8, 3, 2}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tex_image im = image(FORMAT_R32_FLOAT, rows[i].dim, rows[i].width, rows[i].height);
        const struct tex_sampler s = {.mip = 1};
        struct texture t;
        im.depth = rows[i].depth, im.layers = rows[i].layers, im.levels = 2;
        make(&t, im);
        struct call c = {.args = {.op = TEX_OP_SIZE, .source_count = 1}};
        for (uint32_t lane = 0; lane < LANES; lane++)
            c.reg[0][lane] = lane & 1;
        run(&t.view, &s, &c);
        for (int lane = 0; lane < 2; lane++)
            for (int k = 0; k < 4; k++)
                if (c.reg[k][lane] != rows[i].expected[lane][k])
                    fail_msg("kind %d, level %d: word %d is %u, not %u", rows[i].dim, lane, k,
                             c.reg[k][lane], rows[i].expected[lane][k]);
        memory_destroy(t.memory);
    }
}

/* TEXQUERYLOD: the level that is looked at, by the mip filter - none, the nearest, any - and the LOD unclamped. */
TEST(test_level_shown) {
    static const struct {
        float step;             /* texels */
        uint32_t shown[4], lod; /* by mip: 1, 2, 3 */
    } rows[] = {
        {1, {0, 0, 0, 0}, 0},
        {1.3f, {0, 0, 0, 97}, 97},
        {1.41f, {0, 0, 0, 127}, 127},
        {1.425f, {0, 0, 256, 131}, 131},
        {2, {0, 0, 256, 256}, 256},
        {2.8f, {0, 0, 256, 380}, 380},
        {2.9f, {0, 0, 512, 393}, 393},
        {64, {0, 0, 768, 768}, 1536},
        {0.5f, {0, 0, 0, 0}, (uint32_t)-256},
    };
    struct texture t;
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_2D, 64, 64);
    i.levels = 4;
    make(&t, i);
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (uint8_t mip = 1; mip < 4; mip++) {
            const struct tex_sampler s = {
                .wrap = {2, 2, 2}, .mip = mip, .max_lod = 15, .min_linear = true};
            struct call c = {.args = {.op = TEX_OP_QUERYLOD, .source_count = 2, .deriv = true}};
            for (int lane = 0; lane < LANES; lane++)
                set(&c, 0, lane, (float)(lane & 1) * rows[r].step / 64);
            run(&t.view, &s, &c);
            if (abs((int)(c.reg[0][5] - rows[r].shown[mip])) > (mip == 3) ||
                abs((int)(c.reg[1][5] - rows[r].lod)) > 1)
                fail_msg("step %g, mip %d: level %u, not %u; LOD %d, not %d", rows[r].step, mip,
                         c.reg[0][5], rows[r].shown[mip], (int)c.reg[1][5], (int)rows[r].lod);
        }
    memory_destroy(t.memory);
}

/* A level of no weight has no say, whatever lies in it and beside it. */
TEST(test_levels_without_weight) {
    static const float values[] = {INFINITY, NAN, 3};
    for (int smooth = 0; smooth < 2; smooth++)
        for (int i = 0; i < 3; i++) {
            struct tex_image im = image(FORMAT_R32_FLOAT, TEX_2D, 4, 4);
            struct texture t;
            im.levels = 3;
            make(&t, im);
            for (int l = 0; l < 3; l++)
                for (uint32_t y = 0; y < 4u >> l; y++)
                    for (uint32_t x = 0; x < 4u >> l; x++)
                        put_float(&t, l, x, y, 0, l == 1 ? 5 : values[i]);
            const struct tex_sampler s = {.wrap = {2, 2, 2},
                                          .mip = 3,
                                          .max_lod = 15,
                                          .mag_linear = smooth,
                                          .min_linear = smooth};
            struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
            for (int lane = 0; lane < LANES; lane++) {
                set(&c, 0, lane, 0.4f);
                set(&c, 2, lane,
                    lane % 4 == 0   ? 1
                    : lane % 4 == 1 ? 1.5f
                    : lane % 4 == 2 ? 0.25f
                                    : 2);
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++) {
                const float got = value(&c, 0, lane),
                            other = lane % 4 == 3 ? values[i] : values[i] * 0.5f;
                if (lane % 4 == 0)
                    assert_true(got == 5);
                else
                    assert_true(isnan(other)   ? isnan(got)
                                : isinf(other) ? isinf(got)
                                               : got > 2.9f && got < 5);
            }
            memory_destroy(t.memory);
        }
}

/* One probe is where the coordinates say, also in a quad whose steps are no numbers. */
TEST(test_probes_without_number) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 16, 16));
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++)
            put_float(&t, 0, x, y, 0, (float)x);
    const struct tex_sampler s = {.wrap = {2, 2, 2},
                                  .mip = 1,
                                  .max_lod = 15,
                                  .mag_linear = true,
                                  .min_linear = true,
                                  .max_anisotropy = 4};
    struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .deriv = true}};
    for (int lane = 0; lane < LANES;
         lane++) { /* the first quad has a lane of no number, the others have four probes */
        set(&c, 0, lane, lane < 4 ? 6.5f / 16 : (6.5f + 4 * (float)(lane & 1)) / 16);
        set(&c, 1, lane, lane == 2 ? NAN : 0.5f);
    }
    run(&t.view, &s, &c);
    assert_true(value(&c, 0, 0) == 6 && value(&c, 0, 1) == 6 && value(&c, 0, 3) == 6);
    assert_true(value(&c, 0, 4) != value(&c, 0, 5));
    memory_destroy(t.memory);
}
