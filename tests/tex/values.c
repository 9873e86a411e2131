/* Values of texels after decoding: integers, sRGB colours, special numbers, comparisons,
 * swizzles. */
#include "tests/tex/calls.h"
#include "tests/shapes.h"
#include "tex/wrap.h"

/* Integer texels are not mixed: each filter returns the nearest texel. */
TEST(test_integers) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UINT, FORMAT_RGBA8_SINT,
                                                FORMAT_R32_UINT, FORMAT_R16_SINT};
    for (int i = 0; i < 4 * 4; i++) {
        const enum pixel_format f = formats[i / 4];
        TEXTURE(t, layered(image(f, TEX_2D, 4, 1), 1, 2));
        for (int l = 0; l < 2; l++)
            for (uint32_t x = 0; x < 4u >> l; x++)
                put(&t, l, x, 0, 0, &(uint32_t[]){7 + 20 * x + 100 * (uint32_t)l, 0});
        const struct tex_sampler s = SAMPLER(true, (uint8_t)(i & 2 ? 3 : 2), .wrap = {2, 2, 2},
                                             .max_lod = 15, .max_anisotropy = i & 1 ? 4 : 1);
        struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane,
                0.375f + 0.0625f * (float)(lane & 1)); /* in texel 1, but not in its middle */
            set(&c, 2, lane, lane & 2 ? 0.75f : 0);
        }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++)
            assert_int_equal(c.reg[0][lane], lane & 2 ? 107 : 27);
    }
}

/* Integers of each width keep their bits, also those that would be no number as floats; texels
 * outside have the words of the border. */
TEST(test_words_of_integers) {
    static const enum pixel_format formats[] = {
        FORMAT_RGBA8_UINT,  FORMAT_RGBA8_SINT,  FORMAT_RGBA16_UINT, FORMAT_RGBA16_SINT,
        FORMAT_RGBA32_UINT, FORMAT_RGBA32_SINT, FORMAT_R32_UINT,    FORMAT_RG32_SINT};
    static const uint32_t words[] = {0xffffffff, 0x80000000, 0x7f800001, 0xff8180f7, 1, 0x80007fff};
    enum { SIZE = 8 };
    for (size_t i = 0; i < 2 * LENGTH(formats); i++) {
        const enum pixel_format f = formats[i / 2];
        TEXTURE(t, image(f, TEX_2D, SIZE, SIZE));
        for (uint32_t n = 0; n < SIZE * SIZE; n++) {
            uint32_t texel[4];
            for (uint32_t k = 0; k < 4; k++)
                texel[k] = words[(n * 5 + k) % LENGTH(words)] + (n >> 3) * 0x01010101u;
            put(&t, 0, n % SIZE, n / SIZE, 0, texel);
        }
        const struct tex_sampler s = {
            .wrap = {i & 1 ? 3 : 2, i & 1 ? 3 : 2, 2}, .mip = 1, .border_bits = {5, 6, 7, 8}};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane, ((float)(lane * 3 % SIZE) + 0.5f) / SIZE + (lane % 5 == 4));
            set(&c, 1, lane, ((float)(lane % SIZE) + 0.5f) / SIZE);
        }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            const bool out = lane % 5 == 4;
            uint32_t want[4];
            format_decode(f,
                          texel_at(&t, 0, out ? SIZE - 1 : (uint32_t)lane * 3 % SIZE,
                                   (uint32_t)lane % SIZE, 0),
                          want);
            for (int k = 0; k < 4; k++)
                if (c.reg[k][lane] != (out && i & 1 ? s.border_bits[k] : want[k]))
                    fail_msg("%s, border %d, lane %d, component %d: %08x", format_info(f)->name,
                             (int)(i & 1), lane, k, c.reg[k][lane]);
        }
    }
}

/* A component that only w shows is not sRGB, as in L8A8 stored as red and green. */
TEST(test_coded_pairs) {
    static const uint8_t swizzles[][4] = {{2, 2, 2, 3}, {2, 3, 0, 7}, {3, 3, 3, 2}, {2, 2, 2, 2}};
    TEXTURE(t, image(FORMAT_RG8_UNORM, TEX_2D, 1, 1));
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
}

/* Every result component that shows memory has the result of the comparison, even if the format
 * lacks this component. */
TEST(test_compared_swizzles) {
    static const uint8_t swizzle[4] = {3, 2, 0, 7};
    TEXTURE(t, image(FORMAT_Z32_FLOAT, TEX_2D, 1, 1));
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
}

static const float nan_bits = __builtin_nanf("0x1234");

TEST(test_compare_limits) {
    struct texture t;
    make(&t, image(FORMAT_Z32_FLOAT, TEX_2D, 1, 1));
    struct tex_sampler s = {.mip = 1, .compare = true};
    for (uint8_t func = 0; func < 8; func++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
        s.compare_func = func;
        put_float(&t, 0, 0, 0, 0, nan_bits);
        assert_true(one(&t, &s, &c, 0, 0, 0.5f, 0) == (func == 7));
        put_float(&t, 0, 0, 0, 0, 0.5f);
        assert_true(one(&t, &s, &c, 0, 0, nan_bits, 0) == (func == 7));
    }
    static const struct {
        enum pixel_format format;
        float depth, reference, passes[8];
    } table[] = {
        {FORMAT_Z32_FLOAT, 1, 1.5f, {0, 0, 0, 0, 1, 1, 1, 1}}, /* floats are not clamped */
        {FORMAT_Z16_UNORM, 1, 1.5f, {0, 0, 1, 1, 0, 0, 1, 1}},
        {FORMAT_Z16_UNORM, 0, -2.0f, {0, 0, 1, 1, 0, 0, 1, 1}},
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        const uint16_t unorm = table[i].depth > 0 ? 0xffff : 0;
        memory_destroy(t.memory);
        make(&t, image(table[i].format, TEX_2D, 1, 1));
        put(&t, 0, 0, 0, 0,
            table[i].format == FORMAT_Z16_UNORM ? (const void *)&unorm : &table[i].depth);
        for (uint8_t func = 0; func < 8; func++) {
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
            s.compare_func = func;
            assert_true(one(&t, &s, &c, 0, 0, table[i].reference, 0) == table[i].passes[func]);
        }
    }
    memory_destroy(t.memory);
}

/* Depths of 24 bits are quotients by 2^24 - 1, rounded once. */
TEST(test_depths) {
    enum { SIDE = 64 };
    static const enum pixel_format formats[] = {FORMAT_Z24S8, FORMAT_S8Z24};
    const struct tex_sampler s = {.mip = 1};
    uint64_t seed = 24;
    for (int f = 0; f < 2; f++) {
        uint32_t code[SIDE * SIDE];
        TEXTURE(t, image(formats[f], TEX_2D, SIDE, SIDE));
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t near = (1u << i % 25) + i / 25 % 3 - 1; /* values beside powers of two */
            code[i] = (i < 75 ? near : (uint32_t)random_next(&seed)) & 0xffffff;
            const uint32_t stencil = (uint32_t)random_next(&seed) & 0xff;
            const uint32_t texel = f ? code[i] << 8 | stencil : code[i] | stencil << 24;
            put(&t, 0, i % SIDE, i / SIDE, 0, &texel);
        }
        for (uint32_t i = 0; i < SIDE * SIDE; i += LANES) {
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .result_mask = 1}};
            for (uint32_t lane = 0; lane < LANES; lane++) {
                set(&c, 0, (int)lane, ((float)((i + lane) % SIDE) + 0.5f) / SIDE);
                set(&c, 1, (int)lane, ((float)((i + lane) / SIDE) + 0.5f) / SIDE);
            }
            run(&t.view, &s, &c);
            for (uint32_t lane = 0; lane < LANES; lane++)
                assert_true(value(&c, 0, (int)lane) == (float)code[i + lane] / 16777215.0f);
        }
    }
}

/* sRGB decoding applies to the colours, never to the fourth component, wherever the swizzle shows
 * it. */
TEST(test_srgb) {
    const uint8_t texel[4] = {188, 188, 188, 188};
    const float linear = 188.0f * (1.0f / 255.0f),
                colour = powf((188 / 255.0f + 0.055f) / 1.055f, 2.4f);
    TEXTURE(t, image(FORMAT_RGBA8_SRGB, TEX_2D, 1, 1));
    put(&t, 0, 0, 0, 0, texel);
    for (int bits = 0; bits < 16; bits++) {
        const bool smooth = bits & 1, skip = bits & 2, alpha_first = bits & 4, red_last = bits & 8;
        const struct tex_sampler s = {
            .mip = 1, .mag_linear = smooth, .min_linear = smooth, .skip_srgb_decode = skip};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        const uint8_t swizzle[4] = {alpha_first ? 5 : red_last ? 3 : 2, 3, 4, red_last ? 2 : 5};
        memcpy(t.view.swizzle, swizzle, 4);
        one(&t, &s, &c, 0.5f, 0.5f, 0, 0);
        for (int k = 0; k < 4; k++) {
            const bool plain = skip || swizzle[k] == 5;
            assert_true(fabsf(value(&c, k, 9) - (plain ? linear : colour)) < 1e-6f);
        }
    }
}

/* Swizzles that show one component several times, as luminance does, with constants or without:
 * each result is the component alone, and dead lanes keep their registers. */
TEST(test_luminance) {
    enum { ZERO = 0, ONE = 7, RED = 2 };
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_RGBA32_FLOAT};
    for (int n = 0; n < 2 * 2 * 4 * 15; n++) {
        const int component = n / 4 % 4, mask = n / 16 + 1;
        const bool smooth = n & 1, floats = n & 2;
        const float own[4] = {0.25f, 0.5f, 0.75f, 0.125f};
        const uint8_t bytes[4] = {10, 20, 30, 40};
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        TEXTURE(t, image(formats[floats], TEX_2D, 1, 1));
        put(&t, 0, 0, 0, 0, floats ? (const void *)own : (const void *)bytes);
        const float want = floats ? own[component] : (float)bytes[component] * (1.0f / 255.0f);
        for (int form = 0; form < 3; form++) {
            struct call c = {.args = {.op = TEX_OP_AUTO,
                                      .source_count = 2,
                                      .result_mask = (uint8_t)mask,
                                      .lanes = 0xfff0ffffu}};
            const float other = form == 1 ? 1.0f : form == 2 ? 0.0f : want;
            const uint8_t source = (uint8_t)(form == 1 ? ONE : form == 2 ? ZERO : RED + component);
            for (int i = 0; i < 4; i++)
                t.view.swizzle[i] = i == 1 ? source : (uint8_t)(RED + component);
            one(&t, &s, &c, 0.5f, 0.5f, 7, 8);
            for (int i = 0, row = 0; i < 4; i++) {
                if (!(mask >> i & 1))
                    continue;
                assert_true(value(&c, row, 31) == (i == 1 ? other : want));
                assert_true(value(&c, row, 3) == (i == 1 ? other : want));
                assert_true(value(&c, row, 17) == (row < 2 ? 0.5f : row == 2 ? 7.0f : 8.0f));
                row++;
            }
        }
    }
}

TEST(test_specials) {
    struct tex_sampler s = {.wrap = {2, 2, 2}, .mip = 1};
    struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
    struct texture t;
    make(&t, image(FORMAT_R16_FLOAT, TEX_2D, 2, 1));
    const uint16_t signalling = 0x7d01;
    put(&t, 0, 0, 0, 0, &signalling);
    assert_int_equal(float_bits(one(&t, &s, &c, 0.25f, 0, 0, 0)),
                     0x7fa02000); /* nearest: unchanged bits */
    memory_destroy(t.memory);
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 4, 1));
    put_float(&t, 0, 0, 0, 0, INFINITY);
    put_float(&t, 0, 1, 0, 0, 1);
    put_float(&t, 0, 2, 0, 0, nan_bits);
    put_float(&t, 0, 3, 0, 0, 2);
    s.mag_linear = s.min_linear = true;
    assert_true(one(&t, &s, &c, 0.375f, 0, 0, 0) == 1); /* the NaN texel has no weight */
    assert_true(one(&t, &s, &c, 0.875f, 0, 0, 0) == 2);
    assert_true(one(&t, &s, &c, 0.25f, 0, 0, 0) == INFINITY);
    assert_int_equal(float_bits(one(&t, &s, &c, 0.75f, 0, 0, 0)), 0x7fffffff);
    memory_destroy(t.memory);
}

/* Without a filter a negative zero stays negative; filters of texels and of levels make it
 * positive. */
TEST(test_negative_zeros) {
    static const struct {
        enum pixel_format format;
        int width; /* bits of a component */
    } formats[] = {{FORMAT_R16_FLOAT, 16}, {FORMAT_RG16_FLOAT, 16}, {FORMAT_RGBA16_FLOAT, 16},
                   {FORMAT_R32_FLOAT, 32}, {FORMAT_RG32_FLOAT, 32}, {FORMAT_RGBA32_FLOAT, 32}};
    static const enum tex_dim dims[] = {TEX_1D, TEX_2D, TEX_3D};
    for (int n = 0; n < 6 * 3; n++) {
        uint8_t texel[16] = {0};
        struct tex_image i = image(formats[n % 6].format, dims[n / 6], 4, n / 6 ? 4 : 1);
        const int bytes = formats[n % 6].width / 8,
                  components = (int)format_info(i.format)->bytes / bytes;
        i.levels = 2, i.depth = n / 6 == 2 ? 4 : 1;
        for (int c = 0; c < components; c++)
            texel[(c + 1) * bytes - 1] = 0x80;
        TEXTURE(t, i);
        for (int l = 0; l < 2; l++)
            for (uint32_t z = 0; z < t.level[l].depth; z++)
                for (uint32_t y = 0; y < t.level[l].height; y++)
                    for (uint32_t x = 0; x < t.level[l].width; x++)
                        put(&t, l, x, y, z, texel);
        for (int way = 0; way < 2 * 3 * 3 * 2; way++) {
            const bool linear = way & 1;
            const int mip = 1 + way / 2 % 3;
            /* the first level, between two levels, the second level */
            const float lod = (float)(way / 6 % 3) / 2;
            const uint8_t wrap = way / 18 ? 2 : 0;
            const struct tex_sampler s =
                SAMPLER(linear, (uint8_t)mip, .wrap = {wrap, wrap, wrap}, .max_lod = 15);
            struct call c = {.args = {.op = TEX_OP_LOD, .source_count = (uint8_t)(n / 6 + 2)}};
            for (int lane = 0; lane < LANES; lane++) {
                for (int a = 0; a <= n / 6; a++)
                    set(&c, a, lane, 0.3f + 0.01f * (float)lane);
                set(&c, n / 6 + 1, lane, lod);
            }
            run(&t.view, &s, &c);
            for (int k = 0; k < components; k++)
                assert_int_equal(float_bits(value(&c, k, 17)),
                                 linear || mip == 3 ? 0 : 0x80000000u);
        }
    }
}

/* Taps that have no weight in any lane are not read: the result of a lane does not depend on
 * whether neighbours need the tap. Infinite and NaN texels are among these taps. */
TEST(test_taps_without_weight) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_R8_UNORM,
                                                FORMAT_RGBA16_FLOAT, FORMAT_R32_FLOAT};
    enum { SIDE = 16 };
    uint64_t seed = 5;
    for (int f = 0; f < 4; f++) {
        TEXTURE(t, image(formats[f], TEX_2D, SIDE, SIDE));
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint64_t texel[2] = {random_next(&seed) << 24 ^ random_next(&seed), 0};
            put(&t, 0, i % SIDE, i / SIDE, 0, texel);
        }
        for (int n = 0; n < 8; n++) { /* bit 2: wrap mode; bits 0 and 1: weight along x and y */
            const uint8_t wrap = n & 4 ? 2 : 0;
            const struct tex_sampler s = {
                .mip = 1, .mag_linear = true, .min_linear = true, .wrap = {wrap, wrap, wrap}};
            struct call alike = {.args = {.op = TEX_OP_AUTO, .source_count = 2}}, mixed;
            for (int lane = 0; lane < LANES; lane++) {
                const float x = (float)(lane % 8 * 3 - 4) + (n & 1 ? 0.8125f : 0.5f);
                const float y = (float)(lane / 8 * 5 - 3) + (n & 2 ? 0.125f : 0.5f);
                set(&alike, 0, lane, x / SIDE);
                set(&alike, 1, lane, y / SIDE);
            }
            mixed = alike;
            for (int lane = 3; lane < LANES; lane += 4) {
                set(&mixed, 0, lane, 0.3f);
                set(&mixed, 1, lane, 0.4f);
            }
            run(&t.view, &s, &alike);
            run(&t.view, &s, &mixed);
            for (int lane = 0; lane < LANES; lane++)
                for (int c = 0; c < 4 && lane % 4 != 3; c++)
                    assert_int_equal(alike.reg[c][lane], mixed.reg[c][lane]);
        }
    }
}

/* Each component is decoded by its own type, whatever types its neighbours have. */
TEST(test_mixed_components) {
    static const uint8_t types[][2] = {{COMPONENT_UNORM, COMPONENT_SNORM},
                                       {COMPONENT_UINT, COMPONENT_UNORM},
                                       {COMPONENT_SINT, COMPONENT_UINT}};
    static const uint8_t texel[4] = {200, 100, 130, 255};
    TEXTURE(t, image(FORMAT_RGBA8_UNORM, TEX_2D, 1, 1));
    put(&t, 0, 0, 0, 0, texel);
    for (int i = 0; i < 16 * 2 * 15 * (int)LENGTH(types); i++) {
        const uint8_t *const pair = types[i / (16 * 2 * 15)];
        const bool smooth = i & 1 && pair[0] == COMPONENT_UNORM; /* integers are not filtered */
        const uint8_t mask = (uint8_t)(i / 32 % 15 + 1);
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .result_mask = mask}};
        for (int k = 0; k < 4; k++)
            t.view.component_type[k] = pair[i >> (k + 1) & 1];
        t.view.bytes4 = false; /* not all components are bytes from 0 to 1 */
        run(&t.view, &s, &c);
        for (int k = 0, row = 0; k < 4; k++) {
            const int8_t code = (int8_t)texel[k];
            const uint8_t type = pair[i >> (k + 1) & 1];
            const double number = type == COMPONENT_UINT    ? texel[k]
                                  : type == COMPONENT_SINT  ? code
                                  : type == COMPONENT_SNORM ? fmax(code / 127.0, -1)
                                                            : texel[k] / 255.0;
            if (!(mask >> k & 1))
                continue;
            const double got = type == COMPONENT_UINT || type == COMPONENT_SINT
                                   ? (int32_t)c.reg[row][9]
                                   : (double)value(&c, row, 9);
            row++;
            if (fabs(got - number) > 1e-6)
                fail_msg("kinds %x, component %d: %g, not %g", i >> 1 & 15, k, got, number);
        }
    }
}
