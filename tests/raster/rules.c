/* Rules of the rasterizer that a picture does not show: which depth counts when fewer points than
 * samples are looked at, zeta before and after a program that exports a sample mask, the second
 * source of blending, polygon offset's limit, what is counted when nothing is shaded, rectangles
 * that cut blocks.
 */
#include "tests/raster/fixture.h"

enum { SIZE = 32 };

static void ones(struct warp *w) {
    for (int i = 0; i < 8; i++)
        w->r[i] = (u32x32)lanes_splat_f(1.0f);
}

static float float_at(const struct surface *s, uint32_t x, uint32_t y, int component) {
    float v;
    memcpy(&v, texel_at(s, x, y) + 4 * component, 4);
    return v;
}

/* A depth plane that rises from pixel to pixel. */
static struct raster_prim *slope(struct fixture *f) {
    const struct raster_vertex v[3] = {vertex_at(0, 0, 0), vertex_at(2 * SIZE, 0, 1),
                                       vertex_at(0, 2 * SIZE, 0.5f)};
    return triangle(f, v);
}

static double slope_at(double x, double y) {
    return x / (2 * SIZE) + y / (4 * SIZE);
}

/* Each sample has the depth of its own position; without multisampling all have the centre's. */
TEST(test_depth_of_samples) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int on = 0; on < 2; on++) {
            struct fixture f;
            uint32_t sx, sy;
            fixture_init(&f, SIZE, SIZE, samples);
            fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
            f.state.program = NULL;
            f.state.multisample = on;
            f.state.zeta = (struct zeta_state){
                .depth_test = true, .depth_write = true, .depth_func = FUNC_ALWAYS};
            struct raster_prim *p = slope(&f);
            fixture_draw(&f, &p, 1);
            surface_sample_shift(samples, &sx, &sy);
            for (uint32_t s = 0; s < samples; s++) {
                const uint8_t *at = sample_position[__builtin_ctz(samples)][s];
                const double dx = on ? at[0] / 16.0 : 0.5, dy = on ? at[1] / 16.0 : 0.5;
                const uint32_t x = 9, y = 14;
                const uint32_t tx = (x << sx) + ((s & 1) | (s >> 1 & 2)),
                               ty = (y << sy) + (s >> 1 & 1);
                const double expected = slope_at(x + dx, y + dy);
                if (fabs(float_at(&f.targets.zeta, tx, ty, 0) - expected) > 1e-6)
                    fail_msg("%u samples, multisampling %d, sample %u: %g instead of %g", samples,
                             on, s, (double)float_at(&f.targets.zeta, tx, ty, 0), expected);
            }
            fixture_free(&f);
        }
}

/* Samples that pass are counted, with and without zeta, also when no program runs. */
TEST(test_counts_without_shading) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int zeta = 0; zeta < 3; zeta++)
            for (int count = 0; count < 2; count++) {
                struct fixture f;
                struct raster_prim *p[2];
                fixture_init(&f, SIZE, SIZE, samples);
                if (zeta)
                    fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
                f.state.program = NULL;
                f.state.count_samples = count;
                f.state.zeta = (struct zeta_state){
                    .depth_test = true, .depth_func = zeta == 1 ? FUNC_GREATER : FUNC_LESS};
                rectangle(&f, 3, 5, 17, 26, 0.5f, p); /* the buffer holds 0 */
                fixture_draw(&f, p, 2);
                assert_int_equal(f.counters.samples_passed,
                                 count && zeta != 2 ? 14 * 21 * samples : 0);
                assert_int_equal(f.counters.fragments, 0);
                fixture_free(&f);
            }
}

/* Samples the program leaves out of its mask leave no trace in zeta. */
static uint32_t exported;
static void with_mask(struct warp *w) {
    ones(w);
    w->r[4] = lanes_splat(exported);
}

TEST(test_exported_mask_and_zeta) {
    for (exported = 0; exported < 16; exported += 5)
        for (int stencil = 0; stencil < 2; stencil++) {
            struct fixture f;
            struct raster_prim *p[2];
            fixture_init(&f, SIZE, SIZE, 4);
            fixture_color(&f, FORMAT_RGBA8_UNORM, false);
            fixture_zeta(&f, FORMAT_Z24S8, false);
            fragment_stage = with_mask;
            f.state.exports_sample_mask = true;
            f.state.result_regs = 5;
            f.state.count_samples = true;
            f.state.zeta = (struct zeta_state){.depth_test = !stencil,
                                               .depth_write = true,
                                               .depth_func = FUNC_GREATER,
                                               .stencil_test = stencil};
            f.state.zeta.face[0] = f.state.zeta.face[1] = (struct stencil_face){
                FUNC_ALWAYS, STENCIL_REPLACE, STENCIL_REPLACE, STENCIL_REPLACE, 0x5a, 0xff, 0xff};
            rectangle(&f, 0, 0, SIZE, SIZE, 0.5f, p);
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
                             SIZE * SIZE * (uint32_t)__builtin_popcount(exported));
            fixture_free(&f);
        }
}

/* The second source belongs to target 0: to the others its factors are those of 0. */
static void halves(struct warp *w) {
    for (int i = 0; i < 8; i++)
        w->r[i] = (u32x32)lanes_splat_f(i < 4 ? 0.5f : 0.25f);
}

TEST(test_second_source_of_other_targets) {
    static const struct {
        uint16_t factor;
        float first, other; /* of a source of 0.5 (0.25 with MULTIPLE results for target 1) */
    } row[] = {{BLEND_SRC1_COLOR, 0.125f, 0},
               {BLEND_SRC1_ALPHA, 0.125f, 0},
               {BLEND_ONE_MINUS_SRC1_COLOR, 0.375f, 0.5f},
               {BLEND_ONE_MINUS_SRC1_ALPHA, 0.375f, 0.5f}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        struct fixture f;
        struct raster_prim *p[2];
        fixture_init(&f, SIZE, SIZE, 1);
        for (int k = 0; k < 2; k++) {
            fixture_color(&f, FORMAT_RGBA32_FLOAT, false);
            f.state.color.blend[k] =
                (struct blend_target){true,         EQUATION_ADD,  row[i].factor, BLEND_ZERO,
                                      EQUATION_ADD, row[i].factor, BLEND_ZERO};
        }
        fragment_stage = halves;
        rectangle(&f, 0, 0, SIZE, SIZE, 0.5f, p);
        fixture_draw(&f, p, 2);
        for (int c = 0; c < 4; c++) {
            assert_true(float_at(&f.targets.color[0], 9, 9, c) == row[i].first);
            assert_true(float_at(&f.targets.color[1], 9, 9, c) == row[i].other);
        }
        fixture_free(&f);
    }
}

/* Offset = factor * the larger slope + units * the smallest difference, limited by clamp: from above
 * if it is positive, from below if it is negative, not at all if it is 0. Slopes: 1/64 and 1/128. */
TEST(test_offset_clamp) {
    static const struct {
        float factor, clamp, expected;
    } row[] = {
        {1, 0, 0x1p-6f},          {-1, 0, -0x1p-6f},       {1, 0x1p-7f, 0x1p-7f},
        {1, 0x1p-5f, 0x1p-6f},    {1, -0x1p-7f, 0x1p-6f},  {-1, -0x1p-7f, -0x1p-7f},
        {-1, -0x1p-5f, -0x1p-6f}, {-1, 0x1p-7f, -0x1p-6f},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        struct fixture f;
        fixture_init(&f, SIZE, SIZE, 1);
        fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
        f.state.program = NULL;
        f.state.zeta =
            (struct zeta_state){.depth_test = true, .depth_write = true, .depth_func = FUNC_ALWAYS};
        f.state.offset[2].enable = true;
        f.state.offset_factor = row[i].factor;
        f.state.offset_clamp = row[i].clamp;
        struct raster_prim *p = slope(&f);
        fixture_draw(&f, &p, 1);
        assert_true(fabs(float_at(&f.targets.zeta, 20, 20, 0) - slope_at(20.5, 20.5) -
                         (double)row[i].expected) < 1e-6);
        fixture_free(&f);
    }
}

/* Depths are limited to the viewport's range where they leave it, be it in one corner of a tile only. */
TEST(test_clamped_depth) {
    enum { TILE = 64 };
    static const float beyond[] = {-0.003f, 0.0005f, 0.003f, 0.1f}; /* how far behind the limit */
    for (int i = 0; i < 4 * 2 * 4 * 2; i++) {
        const int corner = i % 4, near = i / 4 % 2;
        const float most = 0.75f, least = 0.25f, z = beyond[i / 8 % 4];
        const float sx = corner & 1 ? 0.004f : -0.004f, sy = corner & 2 ? 0.003f : -0.003f;
        /* the greatest (least) depth of the tile is at that corner's pixel centre */
        const float cx = corner & 1 ? TILE - 0.5f : 0.5f, cy = corner & 2 ? TILE - 0.5f : 0.5f;
        const float sign = near ? -1 : 1, limit = near ? least : most;
        struct fixture f;
        struct raster_vertex v[3] = {vertex_at(-8, -8, 0), vertex_at(200, -8, 0),
                                     vertex_at(-8, 200, 0)};
        fixture_init(&f, TILE, TILE, 1);
        fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
        f.general = i / 32;
        f.state.program = NULL;
        f.state.depth_clamp = true;
        f.state.view[0].depth_near = least;
        f.state.view[0].depth_far = most;
        f.state.zeta =
            (struct zeta_state){.depth_test = true, .depth_write = true, .depth_func = FUNC_ALWAYS};
        for (int k = 0; k < 3; k++)
            v[k].z = limit + sign * (z + (v[k].x - cx) * sx + (v[k].y - cy) * sy);
        struct raster_prim *p = triangle(&f, v);
        fixture_draw(&f, &p, 1);
        for (uint32_t y = 0; y < TILE; y++)
            for (uint32_t x = 0; x < TILE; x++) {
                const float free =
                    limit + sign * (z + ((float)x + 0.5f - cx) * sx + ((float)y + 0.5f - cy) * sy);
                const float want = free < least ? least : free > most ? most : free;
                if (fabsf(float_at(&f.targets.zeta, x, y, 0) - want) > 2e-6f)
                    fail_msg("case %d: pixel %u, %u is %g, expected %g", i, x, y,
                             (double)float_at(&f.targets.zeta, x, y, 0), (double)want);
            }
        fixture_free(&f);
    }
}

/* Memory may hold depths that are -0, or less: nothing is hidden by them that is not less. */
TEST(test_depths_below_zero) {
    static const struct {
        uint32_t stored;
        uint16_t func;
        float z;
        bool passes;
    } row[] = {
        {0x80000000, FUNC_LEQUAL, 0, true},     {0x80000000, FUNC_LESS, 0, false},
        {0x80000000, FUNC_EQUAL, 0, true},      {0x80000000, FUNC_GEQUAL, 0, true},
        {0x80000000, FUNC_GREATER, 0.5f, true}, {0xbf800000, FUNC_LEQUAL, 0, false},
        {0xbf800000, FUNC_GREATER, 0, true},    {0xbf800000, FUNC_LESS, 0.5f, false},
        {0x80000001, FUNC_GEQUAL, 0, true},     {0xff800000, FUNC_GREATER, 0, true},
    };
    for (size_t i = 0; i < 2 * LENGTH(row); i++)
        for (int large = 0; large < 2; large++) {
            struct fixture f;
            struct raster_prim *p[2];
            fixture_init(&f, SIZE, SIZE, 1);
            fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
            f.general = i & 1;
            f.state.program = NULL;
            f.state.count_samples = true;
            f.state.zeta = (struct zeta_state){.depth_test = true, .depth_func = row[i / 2].func};
            for (uint64_t at = 0; at < f.targets.zeta.size; at += 4)
                memcpy(f.targets.zeta.data + at, &row[i / 2].stored, 4);
            rectangle(&f, 0, 0, large ? SIZE : 4, large ? SIZE : 4, row[i / 2].z, p);
            struct raster_prim *const again[] = {p[0], p[1], p[0],
                                                 p[1]}; /* when its depths have been seen */
            const uint32_t all = 2 * (large ? SIZE * SIZE : 16);
            fixture_draw(&f, again, 4);
            if (f.counters.samples_passed != (row[i / 2].passes ? all : 0))
                fail_msg("row %zu, large %d: %u samples", i / 2, large,
                         (unsigned)f.counters.samples_passed);
            fixture_free(&f);
        }
}

/* What can be drawn into: texels of a power of two of up to 16 bytes, colour or zeta as asked for,
 * in any layout that there is; and there must be memory. */
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
                    const bool can =
                        power && !info->compressed && info->zeta == zeta && h < 6 && d < 6;
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

static float one_alpha;
static void stage_of_alpha(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(i == 3 ? one_alpha : 0.25f);
}

/* FRAG_COLOR_CLAMP_EN comes before the alpha test and before blending, output by output; unsigned
 * normalized targets clamp what they get in any case, but no test before them. */
TEST(test_clamps) {
    static const struct {
        enum pixel_format format;
        bool clamp, test;
        uint16_t func;
        float alpha, ref;
        float written; /* alpha; -9: none */
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
            struct fixture f;
            struct raster_prim *p[2];
            fixture_init(&f, SIZE, SIZE, 1);
            fixture_color(&f, row[i].format, true);
            f.general = general;
            f.state.color.clamp = row[i].clamp;
            f.state.color.alpha_test = row[i].test;
            f.state.color.alpha_func = row[i].func;
            f.state.color.alpha_ref = row[i].ref;
            f.state.uses_kill = row[i].test;
            one_alpha = row[i].alpha;
            fragment_stage = stage_of_alpha;
            rectangle(&f, 0, 0, SIZE, SIZE, 0, p);
            fixture_draw(&f, p, 2);
            const struct surface *c = &f.targets.color[0];
            const bool bytes = row[i].format == FORMAT_RGBA8_UNORM;
            const float r = bytes ? texel_at(c, 9, 9)[0] / 255.0f : float_at(c, 9, 9, 0);
            const float a = bytes ? texel_at(c, 9, 9)[3] / 255.0f : float_at(c, 9, 9, 3);
            const bool none = row[i].written < -1;
            if (fabsf(r - (none ? 0 : 0.25f)) > 0.002f || a != (none ? 0 : row[i].written))
                fail_msg("row %zu: %g %g", i, (double)r, (double)a);
            fixture_free(&f);
        }
}

/* Scissors and window rectangles of any corner within a block, in one and in many. */
TEST(test_rectangles_cut_blocks) {
    fragment_stage = ones;
    for (int i = 0; i < 9 * 5 * 9 * 5; i++) {
        const int x0 = i % 9, y0 = i / 9 % 5, x1 = x0 + i / 45 % 9 + 1, y1 = y0 + i / 405 + 1;
        for (int mode = 0; mode < 3; mode++) {
            struct fixture f;
            struct raster_prim *p[2];
            fixture_init(&f, SIZE, SIZE, 1);
            fixture_color(&f, FORMAT_RGBA8_UNORM, true);
            const struct raster_rect r = {x0, y0, x1, y1};
            f.state.rect_mode = (uint8_t)mode;
            *(mode ? &f.state.rect[7] : &f.state.view[0].scissor) = r;
            rectangle(&f, 0, 0, SIZE, SIZE, 0, p);
            fixture_draw(&f, p, 2);
            for (int y = 0; y < 12; y++)
                for (int x = 0; x < 20; x++) {
                    const bool in = x >= x0 && x < x1 && y >= y0 && y < y1;
                    uint32_t color;
                    memcpy(&color, texel_at(&f.targets.color[0], (uint32_t)x, (uint32_t)y), 4);
                    assert_int_equal(color, in == (mode != 2) ? 0xffffffff : 0);
                }
            fixture_free(&f);
        }
    }
}
