/* Choices of the texture unit that random comparison hardly reaches, as tables: ties between faces,
 * NaN, clamps, rounding of LODs, what stays linear in sRGB, lanes and bytes that must not be touched.
 */
#include "tests/tex/calls.h"

static const float nan_bits = __builtin_nanf("0x1234");

/* The same operands in all lanes; result 0 of lane 5. */
static float one(const struct texture *t, const struct tex_sampler *s, struct call *c, float a,
                 float b, float d, float e) {
    for (int lane = 0; lane < LANES; lane++) {
        set(c, 0, lane, a);
        set(c, 1, lane, b);
        set(c, 2, lane, d);
        set(c, 3, lane, e);
    }
    run(&t->view, s, c);
    return value(c, 0, 5);
}

/* One texel a layer: its number. */
static void numbered(struct texture *t, enum tex_dim dim, uint32_t layers) {
    struct tex_image i = image(FORMAT_R32_FLOAT, dim, 1, 1);
    i.layers = layers;
    make(t, i);
    for (uint32_t l = 0; l < layers; l++)
        put_float(t, 0, 0, 0, l, (float)l);
}

TEST(test_ties) {
    static const struct {
        float x, y, z, face;
    } table[] = {{1, 1, 1, 4},     {1, 1, -1, 5},    {-1, -1, 1, 4}, {1, 1, 0, 2},
                 {1, -1, 0.5f, 3}, {1, 0, 1, 4},     {0, 1, 1, 4},   {-1, 1, -0.5f, 2},
                 {1, 0.5f, 0, 0},  {-1, 0, 0.5f, 1}, {0, 0, 0, 4},   {0, 1, -1, 5}};
    const struct tex_sampler s = {.mip = 1};
    struct texture t;
    numbered(&t, TEX_CUBE, 6);
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
        assert_true(one(&t, &s, &c, table[i].x, table[i].y, table[i].z, 0) == table[i].face);
    }
    memory_destroy(t.memory);
}

TEST(test_layers) {
    const struct tex_sampler s = {.mip = 1};
    struct texture t;
    numbered(&t, TEX_CUBE_ARRAY, 12);
    static const float cube[4][2] = {
        {0, 0}, {1, 6}, {2, 6}, {9, 6}}; /* the last one from then on */
    for (int i = 0; i < 4; i++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 4, .cube = true}};
        float layer;
        const uint32_t index = (uint32_t)cube[i][0];
        memcpy(&layer, &index, 4);
        assert_true(one(&t, &s, &c, 1, 0, 0, layer) == cube[i][1]);
    }
    memory_destroy(t.memory);
    numbered(&t, TEX_2D_ARRAY, 3);
    for (uint32_t layer = 0; layer < 5; layer++)
        for (int32_t level = -1; level < 2; level++) {
            struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 4}};
            for (int lane = 0; lane < LANES; lane++) {
                c.reg[2][lane] = layer;
                c.reg[3][lane] = (uint32_t)level;
            }
            run(&t.view, &s, &c);
            const bool there = layer < 3 && level == 0;
            assert_true(value(&c, 0, 3) == (there ? (float)layer : 0));
            assert_true(value(&c, 3, 3) == (there ? 1.0f : 0)); /* constants too */
        }
    memory_destroy(t.memory);
}

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

/* Colours are coded, the fourth component never, wherever the swizzle shows it. */
TEST(test_srgb) {
    const uint8_t texel[4] = {188, 188, 188, 188};
    const float linear = 188.0f * (1.0f / 255.0f),
                colour = powf((188 / 255.0f + 0.055f) / 1.055f, 2.4f);
    struct texture t;
    make(&t, image(FORMAT_RGBA8_SRGB, TEX_2D, 1, 1));
    put(&t, 0, 0, 0, 0, texel);
    for (int bits = 0; bits < 8; bits++) {
        const bool smooth = bits & 1, skip = bits & 2, alpha_first = bits & 4;
        const struct tex_sampler s = {
            .mip = 1, .mag_linear = smooth, .min_linear = smooth, .skip_srgb_decode = skip};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        t.view.swizzle[0] = alpha_first ? 5 : 2;
        one(&t, &s, &c, 0.5f, 0.5f, 0, 0);
        for (int k = 0; k < 4; k++) {
            const bool plain = skip || k == 3 || (k == 0 && alpha_first);
            assert_true(fabsf(value(&c, k, 9) - (plain ? linear : colour)) < 1e-6f);
        }
    }
    memory_destroy(t.memory);
}

/* Results that show one component several times, as luminance does, with and without constants among
 * them: each is what that component is by itself; lanes that are not live keep theirs. */
TEST(test_luminance) {
    enum { ZERO = 0, ONE = 7, RED = 2 };
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_RGBA32_FLOAT};
    for (int n = 0; n < 2 * 2 * 4 * 15; n++) {
        const int component = n / 4 % 4, mask = n / 16 + 1;
        const bool smooth = n & 1, floats = n & 2;
        const float own[4] = {0.25f, 0.5f, 0.75f, 0.125f};
        const uint8_t bytes[4] = {10, 20, 30, 40};
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        struct texture t;
        make(&t, image(formats[floats], TEX_2D, 1, 1));
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
        memory_destroy(t.memory);
    }
}

TEST(test_specials) {
    struct tex_sampler s = {.wrap = {2, 2, 2}, .mip = 1};
    struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
    struct texture t;
    make(&t, image(FORMAT_R16_FLOAT, TEX_2D, 2, 1));
    const uint16_t signalling = 0x7d01;
    put(&t, 0, 0, 0, 0, &signalling);
    assert_int_equal(bits(one(&t, &s, &c, 0.25f, 0, 0, 0)), 0x7fa02000); /* nearest: as it is */
    memory_destroy(t.memory);
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 4, 1));
    put_float(&t, 0, 0, 0, 0, INFINITY);
    put_float(&t, 0, 1, 0, 0, 1);
    put_float(&t, 0, 2, 0, 0, nan_bits);
    put_float(&t, 0, 3, 0, 0, 2);
    s.mag_linear = s.min_linear = true;
    assert_true(one(&t, &s, &c, 0.375f, 0, 0, 0) == 1); /* no weight, no say */
    assert_true(one(&t, &s, &c, 0.875f, 0, 0, 0) == 2);
    assert_true(one(&t, &s, &c, 0.25f, 0, 0, 0) == INFINITY);
    assert_int_equal(bits(one(&t, &s, &c, 0.75f, 0, 0, 0)), 0x7fffffff);
    memory_destroy(t.memory);
}

/* A negative zero is shown as it is where nothing is filtered; filters, of texels and of levels, give none. */
TEST(test_negative_zeros) {
    static const struct {
        enum pixel_format format;
        int width; /* bits of a component */
    } formats[] = {{FORMAT_R16_FLOAT, 16}, {FORMAT_RG16_FLOAT, 16}, {FORMAT_RGBA16_FLOAT, 16},
                   {FORMAT_R32_FLOAT, 32}, {FORMAT_RG32_FLOAT, 32}, {FORMAT_RGBA32_FLOAT, 32}};
    static const enum tex_dim dims[] = {TEX_1D, TEX_2D, TEX_3D};
    for (int n = 0; n < 6 * 3; n++) {
        uint8_t texel[16] = {0};
        struct texture t;
        struct tex_image i = image(formats[n % 6].format, dims[n / 6], 4, n / 6 ? 4 : 1);
        const int bytes = formats[n % 6].width / 8,
                  components = (int)format_info(i.format)->bytes / bytes;
        i.levels = 2, i.depth = n / 6 == 2 ? 4 : 1;
        for (int c = 0; c < components; c++)
            texel[(c + 1) * bytes - 1] = 0x80;
        make(&t, i);
        for (int l = 0; l < 2; l++)
            for (uint32_t z = 0; z < t.level[l].depth; z++)
                for (uint32_t y = 0; y < t.level[l].height; y++)
                    for (uint32_t x = 0; x < t.level[l].width; x++)
                        put(&t, l, x, y, z, texel);
        for (int way = 0; way < 2 * 3 * 3 * 2; way++) {
            const bool linear = way & 1;
            const int mip = 1 + way / 2 % 3;
            const float lod = (float)(way / 6 % 3) / 2; /* the first level, between, the second */
            const uint8_t wrap = way / 18 ? 2 : 0;
            const struct tex_sampler s = {.wrap = {wrap, wrap, wrap},
                                          .mip = (uint8_t)mip,
                                          .max_lod = 15,
                                          .mag_linear = linear,
                                          .min_linear = linear};
            struct call c = {.args = {.op = TEX_OP_LOD, .source_count = (uint8_t)(n / 6 + 2)}};
            for (int lane = 0; lane < LANES; lane++) {
                for (int a = 0; a <= n / 6; a++)
                    set(&c, a, lane, 0.3f + 0.01f * (float)lane);
                set(&c, n / 6 + 1, lane, lod);
            }
            run(&t.view, &s, &c);
            for (int k = 0; k < components; k++)
                assert_int_equal(bits(value(&c, k, 17)), linear || mip == 3 ? 0 : 0x80000000u);
        }
        memory_destroy(t.memory);
    }
}

/* A pyramid of 64 x 64 whose level l is 256 l everywhere, so that a result is the LOD in 1/256. */
static void pyramid(struct texture *t) {
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_2D, 64, 64);
    i.levels = 7;
    make(t, i);
    for (int l = 0; l < 7; l++)
        for (uint32_t y = 0; y < 64u >> l; y++)
            for (uint32_t x = 0; x < 64u >> l; x++)
                put_float(t, l, x, y, 0, 256.0f * (float)l);
}

TEST(test_lod_rounding) {
    static const float table[][2] = {{0, 0},    {0.25f, 0},     {0.5f, 1},     {1, 1},
                                     {1.5f, 2}, {255, 255},     {255.5f, 256}, {257, 257},
                                     {-300, 0}, {511.25f, 511}, {1535, 1535},  {4000, 1536}};
    const struct tex_sampler s = {.mip = 3, .max_lod = 15, .mag_linear = true, .min_linear = true};
    struct texture t;
    pyramid(&t);
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
        assert_true(one(&t, &s, &c, 0.5f, 0.5f, table[i][0] / 256, 0) == table[i][1]);
    }
    memory_destroy(t.memory);
}

/* Steps about a texel long, of the last quad alone: the LOD in 1/256. */
TEST(test_lod_near) {
    static const float table[][3] = {/* step, bias, LOD */
                                     {0.5f, 0, 0},  {1, 0, 0},     {1.001f, 0, 0}, {1.02f, 0, 7},
                                     {2, 0, 256},   {0.6f, 1, 67}, {0.5f, 1, 0},   {0.51f, 1, 7},
                                     {1.5f, -1, 0}, {2.04f, -1, 7}};
    struct texture t;
    pyramid(&t);
    for (size_t i = 0; i < LENGTH(table); i++) {
        const struct tex_sampler s = {.mip = 3,
                                      .max_lod = 15,
                                      .mag_linear = true,
                                      .min_linear = true,
                                      .lod_bias = table[i][1]};
        struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, (float)(lane & 1) * (lane >= 28 ? table[i][0] : 0.1f) / 64);
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 29) == table[i][2] && value(&c, 0, 3) == 0);
    }
    memory_destroy(t.memory);
}

/* Magnified with one filter, minified with the other. */
TEST(test_two_filters) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 2, 1));
    put_float(&t, 0, 1, 0, 0, 100);
    for (int smooth = 0; smooth < 2; smooth++)
        for (int far = 0; far < 2; far++) {
            const struct tex_sampler s = {.wrap = {2, 2, 2},
                                          .mip = 1,
                                          .max_lod = 15,
                                          .mag_linear = smooth,
                                          .min_linear = !smooth};
            struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
            for (int lane = 0; lane < LANES; lane++)
                set(&c, 0, lane, lane & 1 ? far ? 5.0f : 0.46875f : 0.4375f);
            run(&t.view, &s, &c);
            assert_true(value(&c, 0, 6) == (smooth != far ? 37.5f : 0));
        }
    memory_destroy(t.memory);
}

/* Operands that an instruction does not have are 0, whatever stands in the registers behind its own. */
TEST(test_missing_operands) {
    static const struct {
        enum tex_dim dim;
        int operands;
    } kinds[] = {{TEX_1D, 1}, {TEX_2D, 2}, {TEX_3D, 3}, {TEX_1D_ARRAY, 2}, {TEX_2D_ARRAY, 3}};
    for (size_t n = 0; n < LENGTH(kinds); n++)
        for (int linear = 0; linear < 2; linear++) {
            struct tex_image i =
                image(FORMAT_R32_FLOAT, kinds[n].dim, 8,
                      kinds[n].operands > 1 && kinds[n].dim != TEX_1D_ARRAY ? 8 : 1);
            i.depth = kinds[n].dim == TEX_3D ? 4 : 1;
            i.layers = kinds[n].dim == TEX_1D_ARRAY || kinds[n].dim == TEX_2D_ARRAY ? 3 : 1;
            struct texture t;
            make(&t, i);
            for (uint32_t z = 0; z < i.depth * i.layers; z++)
                for (uint32_t y = 0; y < i.height; y++)
                    for (uint32_t x = 0; x < 8; x++)
                        put_float(&t, 0, x, y, z, (float)(100 * z + 10 * y + x));
            const struct tex_sampler s = {.wrap = {0, 0, 0},
                                          .mag_linear = linear,
                                          .min_linear = linear,
                                          .mip = 1,
                                          .max_lod = 15};
            for (int given = 1; given <= kinds[n].operands; given++) {
                struct call whole = {
                    .args = {.op = TEX_OP_AUTO, .source_count = (uint8_t)kinds[n].operands}};
                for (int lane = 0; lane < LANES; lane++)
                    for (int k = 0; k < given; k++)
                        set(&whole, k, lane, 0.37f * (float)(k + 1) + (float)lane / 32);
                struct call part = whole;
                part.args.source_count = (uint8_t)given;
                for (int k = given; k < 4; k++)
                    part.reg[k] = lanes_splat(k == 2 ? 2 : 0x3f2e147b);
                run(&t.view, &s, &whole);
                run(&t.view, &s, &part);
                for (int lane = 0; lane < LANES; lane++)
                    if (value(&whole, 0, lane) != value(&part, 0, lane))
                        fail_msg("kind %zu, %d operands, lane %d: %g, not %g", n, given, lane,
                                 (double)value(&part, 0, lane), (double)value(&whole, 0, lane));
            }
            memory_destroy(t.memory);
        }
}

/* Coordinates that are not normalized count texels, along each axis: which filter is taken says how far apart quads' lie. */
TEST(test_unnormalized_steps) {
    struct tex_image i = image(FORMAT_R32_FLOAT, TEX_2D, 64, 64);
    i.normalized = false;
    struct texture t;
    make(&t, i);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 64; x++)
            put_float(&t, 0, x, y, 0, (float)((x + y) & 1));
    const struct tex_sampler s = {
        .wrap = {2, 2, 2}, .mag_linear = false, .min_linear = true, .mip = 1, .max_lod = 15};
    for (int axis = 0; axis < 2; axis++)
        for (int step = 0; step < 2;
             step++) { /* half a texel: magnified, the nearest; four: an average */
            struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
            for (int lane = 0; lane < LANES; lane++) {
                const float moved =
                    (step ? 4.0f : 0.125f) * (float)(axis ? lane >> 1 & 1 : lane & 1);
                set(&c, axis, lane, 8 + (float)(lane >> 2) + moved);
                set(&c, !axis, lane, 16);
            }
            run(&t.view, &s, &c);
            for (int lane = 0; lane < LANES; lane++) {
                const float v = value(&c, 0, lane);
                if (step ? v != 0.5f : v != 0 && v != 1)
                    fail_msg("axis %d, step %d, lane %d: %g", axis, step, lane, (double)v);
            }
        }
    memory_destroy(t.memory);
}

TEST(test_dead_lanes) {
    static const lane_mask masks[] = {1, 0x80000000u, 0x00f0f00fu, 0xfffffffeu, 0x0000ffffu};
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 1, 1));
    put_float(&t, 0, 0, 0, 0, 3);
    for (int smooth = 0; smooth < 2; smooth++)
        for (size_t i = 0; i < LENGTH(masks); i++) {
            const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .lanes = masks[i]}};
            one(&t, &s, &c, 0.25f, 0.75f, 7, 8);
            for (int lane = 0; lane < LANES; lane++) {
                const bool live = masks[i] >> lane & 1;
                assert_true(value(&c, 0, lane) == (live ? 3.0f : 0.25f));
                assert_true(value(&c, 3, lane) == (live ? 1.0f : 8.0f));
            }
        }
    memory_destroy(t.memory);
}

/* Taps that have no weight in any lane are left out: what lanes get does not depend on whether their
 * neighbours need them. Infinite and NaN texels are among those left out. */
TEST(test_taps_without_weight) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_R8_UNORM,
                                                FORMAT_RGBA16_FLOAT, FORMAT_R32_FLOAT};
    enum { SIDE = 16 };
    uint64_t seed = 5;
    for (int f = 0; f < 4; f++) {
        struct texture t;
        make(&t, image(formats[f], TEX_2D, SIDE, SIDE));
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t texel[2] = {seed ^ seed >> 29, 0};
            put(&t, 0, i % SIDE, i / SIDE, 0, texel);
        }
        for (int n = 0; n < 8; n++) { /* wrap; weight along x, along y */
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
        memory_destroy(t.memory);
    }
}

/* Bytes behind the view's end read as zero. */
TEST(test_short_view) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 16, 4));
    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 16; x++)
            put_float(&t, 0, x, y, 0, 1 + (float)y);
    t.view.whole = false;
    t.view.size = 100; /* a line of 64 bytes and some of the next */
    for (int smooth = 0; smooth < 2; smooth++) {
        const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        assert_true(one(&t, &s, &c, 2.5f / 16, 0.125f, 0, 0) == 1);
        assert_true(one(&t, &s, &c, 8.5f / 16, 0.375f, 0, 0) == 2);
        assert_true(one(&t, &s, &c, 9.5f / 16, 0.375f, 0, 0) == 0);
        assert_true(one(&t, &s, &c, 2.5f / 16, 0.875f, 0, 0) == 0);
    }
    memory_destroy(t.memory);
}

TEST(test_gather_edges) {
    struct texture t;
    make(&t, image(FORMAT_R32_FLOAT, TEX_2D, 2, 2));
    for (uint32_t i = 0; i < 4; i++)
        put_float(&t, 0, i & 1, i >> 1, 0, 1 + (float)i);
    const struct tex_sampler s = {.wrap = {3, 3, 3}, .mip = 1, .border = {9, 9, 9, 9}};
    static const float above[4] = {1, 2, 9, 9}, left[4] = {9, 3, 1, 9};
    struct call c = {.args = {.op = TEX_OP_GATHER, .source_count = 2}};
    one(&t, &s, &c, 0.5f, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        assert_true(value(&c, k, 7) == above[k]);
    one(&t, &s, &c, 0, 0.5f, 0, 0);
    for (int k = 0; k < 4; k++)
        assert_true(value(&c, k, 7) == left[k]);
    memory_destroy(t.memory);
    struct tex_image i =
        image(FORMAT_R32_FLOAT, TEX_CUBE, 2, 2); /* texels are their face's number */
    i.layers = 6;
    make(&t, i);
    for (uint32_t n = 0; n < 24; n++)
        put_float(&t, 0, n & 1, n >> 1 & 1, n >> 2, (float)(n >> 2));
    static const struct {
        float x, y, z, face[4];
    } table[] = {{1, 0, -0.99f, {0, 5, 5, 0}}, {1, 0, 0.99f, {4, 0, 0, 4}},
                 {1, 0.99f, 0, {0, 0, 2, 2}},  {0, -0.99f, 1, {3, 3, 4, 4}},
                 {0.99f, 0, -1, {0, 5, 5, 0}}, {0, 1, 0.99f, {4, 4, 2, 2}}};
    for (size_t n = 0; n < LENGTH(table); n++) {
        struct call g = {
            .args = {.op = TEX_OP_GATHER, .source_count = 3, .cube = true, .seamless = true}};
        one(&t, &s, &g, table[n].x, table[n].y, table[n].z, 0);
        for (int k = 0; k < 4; k++)
            assert_true(value(&g, k, 7) == table[n].face[k]);
    }
    memory_destroy(t.memory);
}

/* Slices so many tiles long that they no longer fit short products, and the longest that do. */
TEST(test_long_slices) {
    for (uint32_t height = 1024; height <= 1028; height += 4) {
        struct texture t;
        uint32_t tic[8];
        struct tex_image i = image(FORMAT_R32_FLOAT, TEX_3D, 2048, height);
        i.depth = 4;
        make(&t, i);
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
        memory_destroy(t.memory);
    }
}
