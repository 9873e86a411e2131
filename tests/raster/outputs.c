/* Outputs of fragment programs: order of results, formats, alpha test, clamps, exported sample
 * masks and depths. */
#include "raster/plan.h"
#include "tests/raster/fixture.h"

enum { SIZE = 16 };

static struct raster_prim *square[2];
static float results[32]; /* the same for every fragment */
static uint32_t mask_register, mask;

static void give_results(struct warp *w) {
    for (int i = 0; i < 32; i++)
        w->r[i] = (u32x32)lanes_splat_f(results[i]);
    if (mask_register)
        w->r[mask_register] = lanes_splat(mask);
}

static void start(struct fixture *f, uint32_t samples, int colors, enum pixel_format format) {
    fixture_init(f, SIZE, SIZE, samples);
    for (int i = 0; i < colors; i++)
        fixture_color(f, format, false);
    fragment_stage = give_results;
    f->program.header.reg_count = 64;
    mask_register = mask = 0;
    for (int i = 0; i < 32; i++)
        results[i] = 0;
    rectangle(f, 0, 0, SIZE, SIZE, 0.25f, square);
}

/* The results are the colours, then the sample mask, then the depth, as far as the program exports
 * them. Bit i of the mask is sample i. Without multisampling the mask has no effect, even if the
 * target has several samples. */
TEST(test_masks_and_depths) {
    static const struct {
        bool has_mask, has_depth, multisample;
        int targets;
    } rows[] = {{true, false, true, 1}, {true, true, true, 1},  {false, true, true, 1},
                {true, true, true, 3},  {true, true, false, 1}, {true, false, false, 1},
                {true, false, true, 2}};
    for (size_t r = 0; r < LENGTH(rows); r++)
        for (uint32_t bits = 0; bits < 16; bits++) {
            FIXTURE(f, start, 4, rows[r].targets, FORMAT_RGBA32_FLOAT);
            fixture_zeta(&f, FORMAT_Z16_UNORM, false);
            const int colors = 4 * rows[r].targets;
            for (int i = 0; i < colors; i++)
                results[i] = (float)(i + 1);
            mask_register = rows[r].has_mask ? (uint32_t)colors : 0;
            mask = bits | 0xfffffff0; /* the upper bits are no samples */
            results[colors + rows[r].has_mask] = 0.75f;
            f.state.multiple_results = rows[r].targets > 1;
            f.state.sample.multisample = rows[r].multisample;
            f.state.exports_sample_mask = rows[r].has_mask;
            f.state.exports_z = rows[r].has_depth;
            f.state.result_regs = (uint8_t)(colors + rows[r].has_mask + rows[r].has_depth);
            f.state.zeta = tested_depths(FUNC_ALWAYS);
            fixture_draw(&f, square, 2);
            for (uint32_t s = 0; s < 4; s++) {
                const uint32_t x = 2 * 5 + (s & 1), y = 2 * 9 + (s >> 1);
                const bool written = !rows[r].has_mask || !rows[r].multisample || (bits >> s & 1);
                uint16_t z;
                memcpy(&z, texel_at(&f.targets.zeta, x, y), 2);
                const uint32_t depth = rows[r].has_depth ? 0xbfff : 0x4000;
                if (z != (written ? depth : 0))
                    fail_msg("row %zu, mask %x, sample %u: depth %04x", r, bits, s, z);
                for (int t = 0; t < rows[r].targets; t++)
                    assert_true(float_at(&f.targets.color[t], x, y, 2) ==
                                (written ? (float)(4 * t + 3) : 0));
            }
        }
}

/* Floats at which conversions change: around every power of two that a format can represent, at
 * halves of last places, too large, not numbers; and around the codes of normalized formats. */
static uint32_t number_at(uint32_t i, int component) {
    static const uint32_t low[] = {0,       1,       0x0fff,  0x1000,  0x1001,  0x2000,
                                   0x3000,  0xffff,  0x10000, 0x1ffff, 0x20000, 0x20001,
                                   0x3ffff, 0x40000, 0x60000, 0x7fffff};
    static const float codes[] = {0.5f / 255, 0.5f / 1023, 0.5f / 65535,    1.5f / 31,
                                  0.5f / 127, -0.5f / 127, 0.0031308f,      -1,
                                  1,          65504,       65519.996f,      65520,
                                  64512,      65024,       0x1.fffffep127f, INFINITY};
    const uint32_t k = (i + 37 * (uint32_t)component) % 1024;
    uint32_t word;
    if (k < 16 * 48) /* exponents from 2^-30 to 2^17 */
        return ((k / 16 + 97) << 23 | low[k % 16]) ^ (i & 2048 ? 0x80000000 : 0);
    if (k < 16 * 48 + 48) {
        const float v = codes[k % 16];
        memcpy(&word, &v, 4);
        return word + k / 16 % 3 - 1;
    }
    return k == 1000   ? 0x7fc00000
           : k == 1001 ? 0xffc00001
           : k == 1002 ? 0x7f800001
           : k == 1003 ? 0xff800000
                       : (k - 816) * 0x01010101;
}

static uint32_t first_number;

static void give_numbers(struct warp *w) {
    for (int i = 0; i < LANES; i++)
        for (int c = 0; c < 4; c++)
            w->r[c][i] = number_at(first_number + (uint32_t)w->y[i] * SIZE + (uint32_t)w->x[i], c);
}

/* Every format that can be drawn to gets the bits that packing a single texel gives. */
TEST(test_formats) {
    unsigned formats = 0;
    for (int code = 1; code < 256; code++) {
        const enum pixel_format format = format_from_color_code((uint32_t)code);
        FIXTURE(f, start, 1, 1, format ? format : FORMAT_R8_UNORM);
        if (!format || renderable_format(&f.targets.color[0], false) == FORMAT_NONE)
            continue;
        formats++;
        fragment_stage = give_numbers;
        for (uint32_t k = 0; k < 16; k++) {
            f.simd = (enum simd_level)(k % ((unsigned)simd_best() + 1));
            first_number = k * SIZE * SIZE;
            fixture_draw(&f, square, 2);
            for (uint32_t i = 0; i < SIZE * SIZE; i++) {
                uint8_t want[16];
                uint32_t rgba[4];
                for (int c = 0; c < 4; c++)
                    rgba[c] = number_at(first_number + i, c);
                format_encode(format, rgba, want);
                if (memcmp(texel_at(&f.targets.color[0], i % SIZE, i / SIZE), want,
                           format_info(format)->bytes))
                    fail_msg("%s of %08x %08x %08x %08x at level %d", format_name(format), rgba[0],
                             rgba[1], rgba[2], rgba[3], (int)f.simd);
            }
        }
    }
    assert_true(formats > 40);
}

/* Sample i of n is covered if alpha is at least (i + 1/2) / n. */
TEST(test_alpha_thresholds) {
    for (uint32_t samples = 2; samples <= 8; samples *= 2)
        for (uint32_t i = 0; i <= 4 * samples; i++)
            for (int below = 0; below < 2; below++) {
                uint32_t sx, sy;
                FIXTURE(f, start, samples, 1, FORMAT_RGBA32_FLOAT);
                surface_sample_shift(samples, &sx, &sy);
                const float alpha = (float)i / (float)(4 * samples);
                results[1] = 1;
                results[3] = below ? nextafterf(alpha, -1) : alpha;
                f.state.color.alpha_to_coverage = true;
                fixture_draw(&f, square, 2);
                uint32_t written = 0;
                for (uint32_t s = 0; s < samples; s++)
                    written += float_at(&f.targets.color[0], (3u << sx) + s % (1u << sx),
                                        (7u << sy) + (s >> sx), 1) != 0;
                uint32_t want = 0;
                for (uint32_t s = 0; s < samples; s++)
                    want += results[3] * (float)samples >= (float)s + 0.5f;
                assert_int_equal(written, want);
            }
}

/* Alpha to one sets each output's alpha and the second source's alpha, and no other component. */
TEST(test_alpha_to_one) {
    for (int multiple = 0; multiple < 2; multiple++) {
        FIXTURE(f, start, 4, 3, FORMAT_RGBA32_FLOAT);
        for (int i = 0; i < 12; i++)
            results[i] = 0.25f;
        f.state.color.alpha_to_one = true;
        f.state.multiple_results = multiple;
        f.state.result_regs = multiple ? 12 : 4;
        fixture_draw(&f, square, 2);
        for (int t = 0; t < 3; t++)
            for (int c = 0; c < 4; c++)
                assert_true(float_at(&f.targets.color[t], 9, 9, c) == (c == 3 ? 1 : 0.25f));
    }
    FIXTURE(f, start, 4, 1, FORMAT_RGBA32_FLOAT);
    for (int i = 0; i < 8; i++)
        results[i] = 0.5f;
    f.state.color.alpha_to_one = true;
    f.state.color.blend[0] =
        (struct blend_target){true,         EQUATION_ADD,     BLEND_SRC1_ALPHA, BLEND_ZERO,
                              EQUATION_ADD, BLEND_SRC1_ALPHA, BLEND_ZERO};
    fixture_draw(&f, square, 2);
    assert_true(float_at(&f.targets.color[0], 9, 9, 0) == 0.5f &&
                float_at(&f.targets.color[0], 9, 9, 3) == 1);
}

/* The coverage of a smooth edge scales the alpha of every output, except in integer formats. */
TEST(test_smooth_outputs) {
    static const enum pixel_format formats[] = {FORMAT_RGBA32_FLOAT, FORMAT_RGBA32_SINT,
                                                FORMAT_RGBA32_UINT, FORMAT_RGBA32_FLOAT};
    for (int multiple = 0; multiple < 2; multiple++) {
        FIXTURE(f, fixture_init, SIZE, SIZE, 1);
        for (int i = 0; i < 4; i++)
            fixture_color(&f, formats[i], false);
        fragment_stage = give_results;
        f.program.header.reg_count = 64;
        mask_register = 0;
        for (int i = 0; i < 16; i++)
            results[i] = 0.5f;
        f.state.setup.polygon_smooth = true;
        f.state.multiple_results = multiple;
        f.state.result_regs = multiple ? 16 : 4;
        struct raster_prim *p = triangle(
            &f, (const struct raster_vertex[3]){vertex_at(1.3f, 1.2f, 0), vertex_at(14.6f, 3.1f, 0),
                                                vertex_at(3.4f, 14.7f, 0)});
        fixture_draw(&f, &p, 1);
        uint32_t partly = 0;
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = 0; x < SIZE; x++) {
                const float first = float_at(&f.targets.color[0], x, y, 3);
                partly += first > 0 && first < 0.5f;
                for (int t = 0; t < 4 && multiple; t++) {
                    const float whole = float_at(&f.targets.color[t], x, y, 0) != 0 ? 0.5f : 0;
                    assert_true(float_at(&f.targets.color[t], x, y, 3) ==
                                (t == 1 || t == 2 ? whole : first));
                }
                assert_true(multiple || float_at(&f.targets.color[3], x, y, 3) == first);
            }
        assert_true(partly > 10);
    }
}

/* Each output can be clamped to 0 to 1 separately, where the target would store larger values. NaN
 * becomes 0. */
TEST(test_clamps) {
    static const float given[4] = {-0.5f, 1.5f, NAN, 1}, limited[4] = {0, 1, 0, 1};
    for (uint8_t clamp = 0; clamp < 8; clamp++) {
        FIXTURE(f, start, 1, 3, FORMAT_RGBA32_FLOAT);
        for (int i = 0; i < 12; i++)
            results[i] = given[i % 4];
        f.state.multiple_results = true;
        f.state.result_regs = 12;
        f.state.color.clamp = clamp;
        fixture_draw(&f, square, 2);
        for (int t = 0; t < 3; t++)
            for (int c = 0; c < 4; c++) {
                const float got = float_at(&f.targets.color[t], 9, 9, c),
                            want = clamp >> t & 1 ? limited[c] : given[c];
                assert_true(isnan(want) ? isnan(got) : got == want);
            }
    }
}

enum { SIDE = 32 };

/* Samples that the exported mask excludes leave no trace in zeta or colour. */
static uint32_t exported;
static void with_mask(struct warp *w) {
    ones(w);
    w->r[4] = lanes_splat(exported);
}

TEST(test_exported_mask_and_zeta) {
    for (exported = 0; exported < 16; exported += 5)
        for (int stencil = 0; stencil < 2; stencil++) {
            struct raster_prim *p[2];
            FIXTURE(f, fixture_init, SIDE, SIDE, 4);
            fixture_color(&f, FORMAT_RGBA8_UNORM, false);
            fixture_zeta(&f, FORMAT_Z24S8, false);
            fragment_stage = with_mask;
            f.state.exports_sample_mask = true;
            f.state.result_regs = 5;
            f.state.sample.count = true;
            f.state.zeta = (struct zeta_state){.depth_test = !stencil,
                                               .depth_write = true,
                                               .depth_func = FUNC_GREATER,
                                               .stencil_test = stencil};
            f.state.zeta.face[0] = f.state.zeta.face[1] = (struct stencil_face){
                FUNC_ALWAYS, STENCIL_REPLACE, STENCIL_REPLACE, STENCIL_REPLACE, 0x5a, 0xff, 0xff};
            rectangle(&f, 0, 0, SIDE, SIDE, 0.5f, p);
            fixture_draw(&f, p, 2);
            for (uint32_t s = 0; s < 4; s++) {
                uint32_t z, color;
                const uint32_t x = 2 * 11 + (s & 1), y = 2 * 13 + (s >> 1);
                const bool drawn = exported >> s & 1;
                memcpy(&z, texel_at(&f.targets.zeta, x, y), 4);
                memcpy(&color, texel_at(&f.targets.color[0], x, y), 4);
                assert_int_equal(z, !drawn ? 0 : stencil ? 0x5a000000 : 0x800000);
                assert_int_equal(color, drawn ? 0xffffffff : 0);
            }
            assert_int_equal(f.counters.samples_passed,
                             SIDE * SIDE * (uint32_t)__builtin_popcount(exported));
        }
}

/* The second source belongs to target 0. For other targets its factors are those of a second source
 * of 0. */
static void halves(struct warp *w) {
    for (int i = 0; i < 8; i++)
        w->r[i] = (u32x32)lanes_splat_f(i < 4 ? 0.5f : 0.25f);
}

TEST(test_second_source_of_other_targets) {
    static const struct {
        uint16_t factor;
        float first, other; /* result of source 0.5 and second source 0.25 */
    } row[] = {{BLEND_SRC1_COLOR, 0.125f, 0},
               {BLEND_SRC1_ALPHA, 0.125f, 0},
               {BLEND_ONE_MINUS_SRC1_COLOR, 0.375f, 0.5f},
               {BLEND_ONE_MINUS_SRC1_ALPHA, 0.375f, 0.5f}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        struct raster_prim *p[2];
        FIXTURE(f, fixture_init, SIDE, SIDE, 1);
        for (int k = 0; k < 2; k++) {
            fixture_color(&f, FORMAT_RGBA32_FLOAT, false);
            f.state.color.blend[k] =
                (struct blend_target){true,         EQUATION_ADD,  row[i].factor, BLEND_ZERO,
                                      EQUATION_ADD, row[i].factor, BLEND_ZERO};
        }
        fragment_stage = halves;
        rectangle(&f, 0, 0, SIDE, SIDE, 0.5f, p);
        fixture_draw(&f, p, 2);
        for (int c = 0; c < 4; c++) {
            assert_true(float_at(&f.targets.color[0], 9, 9, c) == row[i].first);
            assert_true(float_at(&f.targets.color[1], 9, 9, c) == row[i].other);
        }
    }
}

static float one_alpha;
static void stage_of_alpha(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(i == 3 ? one_alpha : 0.25f);
}

/* FRAG_COLOR_CLAMP_EN clamps an output before the alpha test and before blending. Without it,
 * unsigned normalized targets clamp the stored values, but the alpha test gets the unclamped
 * ones. */
TEST(test_clamped_colours) {
    static const struct {
        enum pixel_format format;
        bool clamp, test;
        uint16_t func;
        float alpha, ref;
        float written; /* stored alpha; -9: nothing is stored */
    } row[] = {
        {FORMAT_RGBA32_FLOAT, false, false, 0, 3, 0, 3},
        {FORMAT_RGBA32_FLOAT, true, false, 0, 3, 0, 1},
        {FORMAT_RGBA32_FLOAT, true, false, 0, -3, 0, 0},
        {FORMAT_RGBA32_FLOAT, false, true, FUNC_GREATER, 3, 2, 3},
        {FORMAT_RGBA32_FLOAT, true, true, FUNC_GREATER, 3, 2, -9},
        {FORMAT_RGBA32_FLOAT, true, true, FUNC_LEQUAL, 3, 1, 1},
        {FORMAT_RGBA32_FLOAT, false, true, FUNC_LEQUAL, 3, 1, -9},
        {FORMAT_RGBA8_UNORM, false, false, 0, 3, 0, 1},
        {FORMAT_RGBA8_UNORM, false, true, FUNC_LEQUAL, 3, 1, -9},
        {FORMAT_RGBA8_UNORM, true, true, FUNC_LEQUAL, 3, 1, 1},
        {FORMAT_RGBA8_UNORM, false, true, FUNC_LESS, -1, 0, 0},
        {FORMAT_RGBA8_UNORM, true, true, FUNC_LESS, -1, 0, -9},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (int general = 0; general < 2; general++) {
            struct raster_prim *p[2];
            FIXTURE(f, fixture_init, SIDE, SIDE, 1);
            fixture_color(&f, row[i].format, true);
            f.general = general;
            f.state.color.clamp = row[i].clamp;
            f.state.color.alpha_test = row[i].test;
            f.state.color.alpha_func = row[i].func;
            f.state.color.alpha_ref = row[i].ref;
            f.state.uses_kill = row[i].test;
            one_alpha = row[i].alpha;
            fragment_stage = stage_of_alpha;
            rectangle(&f, 0, 0, SIDE, SIDE, 0, p);
            fixture_draw(&f, p, 2);
            const struct surface *c = &f.targets.color[0];
            const bool bytes = row[i].format == FORMAT_RGBA8_UNORM;
            const float r = bytes ? texel_at(c, 9, 9)[0] / 255.0f : float_at(c, 9, 9, 0);
            const float a = bytes ? texel_at(c, 9, 9)[3] / 255.0f : float_at(c, 9, 9, 3);
            const bool none = row[i].written < -1;
            if (fabsf(r - (none ? 0 : 0.25f)) > 0.002f || a != (none ? 0 : row[i].written))
                fail_msg("row %zu: %g %g", i, (double)r, (double)a);
        }
}
