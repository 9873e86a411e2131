/* The work around a fragment warp: results to targets, exported depths and sample masks, alpha test
 * and alpha to coverage, sample shading, helper lanes, discarded fragments, registers beyond the
 * allocation. */
#include "tests/raster/fixture.h"

enum { SIZE = 16 };

static struct raster_prim *square[2];
static uint32_t runs;

static void set(struct warp *w, int reg, float v) {
    w->r[reg] = (u32x32)lanes_splat_f(v);
}

static void eight_values(struct warp *w) {
    for (int i = 0; i < 8; i++)
        set(w, i, (float)i / 8);
    runs++;
}

static void start(struct fixture *f, uint32_t samples, int colors, void (*stage)(struct warp *)) {
    fixture_init(f, SIZE, SIZE, samples);
    for (int i = 0; i < colors; i++)
        fixture_color(f, FORMAT_RGBA32_FLOAT, false);
    fragment_stage = stage;
    runs = 0;
    rectangle(f, 0, 0, SIZE, SIZE, 0.5f, square);
}

TEST(test_one_result_goes_to_all_targets) {
    for (int multiple = 0; multiple < 2; multiple++) {
        FIXTURE(f, start, 1, 2, eight_values);
        f.state.multiple_results = multiple;
        fixture_draw(&f, square, 2);
        for (int c = 0; c < 4; c++) {
            assert_true(float_at(&f.targets.color[0], 7, 9, c) == (float)c / 8);
            assert_true(float_at(&f.targets.color[1], 7, 9, c) ==
                        (float)(multiple ? 4 + c : c) / 8);
        }
    }
}

TEST(test_unallocated_registers_read_zero) {
    FIXTURE(f, start, 1, 1, eight_values);
    f.program.header.reg_count = 2;
    fixture_draw(&f, square, 2);
    assert_true(float_at(&f.targets.color[0], 3, 3, 1) == 0.125f);
    assert_true(float_at(&f.targets.color[0], 3, 3, 2) == 0 &&
                float_at(&f.targets.color[0], 3, 3, 3) == 0);
}

TEST(test_second_source) {
    FIXTURE(f, start, 1, 1, eight_values);
    f.state.color.blend[0] = (struct blend_target){
        true, EQUATION_ADD, BLEND_SRC1_COLOR, BLEND_ZERO, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
    fixture_draw(&f, square, 2);
    assert_true(float_at(&f.targets.color[0], 5, 5, 2) == 2.0f / 8 * 6 / 8);
}

static void depth_by_x(struct warp *w) {
    eight_values(w);
    w->r[4] = (u32x32)(w->x / 16.0f);
}

/* Starts a fixture whose stage exports depths, with a zeta buffer full of this byte. */
static void start_exports(struct fixture *f, enum pixel_format format, uint16_t func, int byte,
                          void (*stage)(struct warp *)) {
    start(f, 1, 1, stage);
    fixture_zeta(f, format, false);
    memset(f->targets.zeta.data, byte, f->targets.zeta.size);
    f->state.exports_z = true;
    f->state.result_regs = 5;
    f->state.zeta = tested_depths(func);
}

TEST(test_exported_depth) {
    FIXTURE(f, start_exports, FORMAT_Z16_UNORM, FUNC_LESS, 0x80, depth_by_x);
    fixture_draw(&f, square, 2);
    for (uint32_t x = 0; x < SIZE; x++) {
        uint16_t z;
        memcpy(&z, texel_at(&f.targets.zeta, x, 6), 2);
        const float depth = ((float)x + 0.5f) / 16;
        const bool pass = depth * 65535 + 0.5f < 0x8080;
        assert_int_equal(z, pass ? (uint32_t)((double)depth * 65535 + 0.5) : 0x8080);
        assert_true((float_at(&f.targets.color[0], x, 6, 1) != 0) == pass);
    }
}

/* Depths that a program exports are clamped to 0 to 1, NaN to 0, and rounded to the format. */
static const float odd_depths[SIZE] = {0,    -0.0f,    1,           -1,        1.5f,     NAN,
                                       -NAN, INFINITY, -INFINITY,   0x1p-149f, 0x1p-24f, 0x1.8p-25f,
                                       0.5f, 0.3f,     0.99999994f, 1.0000001f};
static void odd_depth_by_x(struct warp *w) {
    eight_values(w);
    for (int i = 0; i < LANES; i++)
        w->r[4][i] = ((u32x32)lanes_splat_f(odd_depths[(int)w->x[i]]))[0];
}

static uint32_t depth_word_at(const struct fixture *f, uint32_t x) {
    uint32_t word = 0;
    memcpy(&word, texel_at(&f->targets.zeta, x, 6), format_info(f->targets.zeta.format)->bytes);
    return word;
}

static const struct {
    enum pixel_format format;
    double scale; /* 0: a float format */
    uint32_t shift;
} zeta_formats[] = {{FORMAT_Z16_UNORM, 0xffff, 0},
                    {FORMAT_Z32_FLOAT, 0, 0},
                    {FORMAT_Z24S8, 0xffffff, 0},
                    {FORMAT_S8Z24, 0xffffff, 8}};

/* A depth from 0 to 1 in zeta_formats[format]. */
static uint32_t depth_word(size_t format, float depth) {
    const double scale = zeta_formats[format].scale;
    return scale ? (uint32_t)(depth * scale + 0.5) << zeta_formats[format].shift
                 : float_bits(depth);
}

/* Triangle `number` % 2 of a rectangle. Neighbouring rectangles have different viewports. */
static struct raster_prim *half_rectangle(struct fixture *f, uint32_t left, uint32_t width,
                                          uint32_t top, uint32_t bottom, uint32_t number) {
    const float x0 = (float)left, x1 = (float)(left + width), y0 = (float)top, y1 = (float)bottom;
    const struct raster_vertex v[4] = {vertex_at(x0, y0, 0.5f), vertex_at(x1, y0, 0.5f),
                                       vertex_at(x0, y1, 0.5f), vertex_at(x1, y1, 0.5f)};
    const struct raster_vertex *const corner[2][3] = {{&v[0], &v[1], &v[2]}, {&v[2], &v[1], &v[3]}};
    return fixture_triangle(f, corner[number % 2], (struct face){.viewport = number / 2 % 2});
}

/* With depth clamp, an exported depth is clamped to the depth range of its primitive's viewport,
 * also in warps that several primitives share. NaN becomes the lower end of the range. */
TEST(test_exported_depth_in_range) {
    for (size_t n = 0; n < 4 * LENGTH(zeta_formats); n++) {
        const bool reversed = n & 1, small = n & 2;
        const uint32_t format = (uint32_t)n / 4;
        static const float ranges[2][2] = {{0.25f, 0.75f}, {0.125f, 0.5f}};
        struct raster_prim *p[SIZE];
        FIXTURE(f, start_exports, zeta_formats[format].format, FUNC_ALWAYS, 0, odd_depth_by_x);
        f.state.limits.depth_clamp = true;
        for (uint32_t i = 0; i < 2; i++) {
            f.state.view[i] = f.state.view[0];
            f.state.view[i].depth.near = ranges[i][reversed];
            f.state.view[i].depth.far = ranges[i][!reversed];
        }
        const uint32_t width = small ? 2 : 8, count = 2 * SIZE / width;
        for (uint32_t i = 0; i < count; i++)
            p[i] = half_rectangle(&f, i / 2 * width, width, small ? 6 : 0, small ? 8 : SIZE, i);
        fixture_draw(&f, p, count);
        for (uint32_t x = 0; x < SIZE; x++) {
            const float *range = ranges[x / width % 2], z = odd_depths[x];
            const float clamped = !(z > range[0]) ? range[0] : z < range[1] ? z : range[1];
            assert_int_equal(depth_word_at(&f, x), depth_word(format, clamped));
        }
    }
}

TEST(test_exported_depth_is_clamped) {
    for (size_t n = 0; n < LENGTH(zeta_formats); n++) {
        FIXTURE(f, start_exports, zeta_formats[n].format, FUNC_ALWAYS, 0, odd_depth_by_x);
        fixture_draw(&f, square, 2);
        for (uint32_t x = 0; x < SIZE; x++) {
            const float z = odd_depths[x], low = z > 0 ? z : 0, clamped = low < 1 ? low : 1;
            assert_int_equal(depth_word_at(&f, x), depth_word(n, clamped));
        }
    }
}

static void alpha_by_x(struct warp *w) {
    eight_values(w);
    w->r[3] = (u32x32)(w->x / 16.0f);
}

TEST(test_alpha_test) {
    FIXTURE(f, start, 1, 1, alpha_by_x);
    f.state.color.alpha_test = true;
    f.state.color.alpha_func = FUNC_GREATER;
    f.state.color.alpha_ref = 0.5f;
    fixture_draw(&f, square, 2);
    for (uint32_t x = 0; x < SIZE; x++)
        assert_true((float_at(&f.targets.color[0], x, 2, 1) != 0) == (x >= 8));
}

/* The number of samples of pixel x, out of four, that were written. */
static int samples_written(const struct fixture *f, uint32_t x) {
    int n = 0;
    for (uint32_t s = 0; s < 4; s++)
        n += float_at(&f->targets.color[0], 2 * x + (s & 1), 6 + (s >> 1), 1) != 0;
    return n;
}

TEST(test_alpha_to_coverage) {
    FIXTURE(f, start, 4, 1, alpha_by_x);
    f.state.color.alpha_to_coverage = true;
    fixture_draw(&f, square, 2);
    for (uint32_t x = 0; x < SIZE; x++)
        assert_int_equal(samples_written(&f, x), (int)(((float)x + 0.5f) / 4 + 0.5f));
}

static void mask_by_x(struct warp *w) {
    eight_values(w);
    for (int i = 0; i < LANES; i++)
        w->r[4][i] = (uint32_t)w->x[i];
}

TEST(test_sample_masks) {
    FIXTURE(f, start, 4, 1, mask_by_x);
    f.state.exports_sample_mask = true;
    f.state.result_regs = 5;
    f.state.sample.mask = 0xd;
    f.state.sample.count = true;
    fixture_draw(&f, square, 2);
    uint64_t all = 0;
    for (uint32_t x = 0; x < SIZE; x++) {
        assert_int_equal(samples_written(&f, x), __builtin_popcount(x & 0xd));
        all += SIZE * (uint32_t)__builtin_popcount(x & 0xd);
    }
    assert_int_equal(f.counters.samples_passed, all);
}

static void sample_number(struct warp *w) {
    eight_values(w);
    set(w, 1, (float)w->sample_id + 1);
    w->r[2] = (u32x32)(w->cx - w->x);
}

TEST(test_sample_shading) {
    FIXTURE(f, start, 4, 1, sample_number);
    f.state.sample.shading = true;
    fixture_draw(&f, square, 2);
    for (uint32_t s = 0; s < 4; s++) {
        const uint32_t x = 10 + (s & 1), y = 8 + (s >> 1);
        assert_true(float_at(&f.targets.color[0], x, y, 1) == (float)s + 1);
        assert_true(float_at(&f.targets.color[0], x, y, 2) ==
                    (float)(sample_position[2][s][0] - 8) / 16);
    }
}

/* Stores what the program sees of the samples: the number of samples, the covered samples, and the
 * place of the last sample. */
static void samples_of_pixel(struct warp *w) {
    set(w, 0, (float)w->sample_count);
    w->r[1] = (u32x32) __builtin_convertvector(*w->coverage, f32x32);
    set(w, 2, (float)(int16_t)w->sample_position[w->sample_count - 1] / 4096);
    set(w, 3, (float)(int16_t)(w->sample_position[w->sample_count - 1] >> 16) / 4096);
}

TEST(test_told_samples) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int shading = 0; shading < 3; shading++) { /* 2: without multisampling */
            const uint8_t(*at)[2] = sample_position[__builtin_ctz(samples)];
            const bool one = shading == 2;
            const uint32_t told = one ? 1 : samples;
            struct raster_prim *p[2];
            uint32_t sx, sy, covered = 0;
            surface_sample_shift(samples, &sx, &sy);
            FIXTURE(f, start, samples, 1, samples_of_pixel);
            f.program.facts.samples = true;
            f.state.sample.shading = shading == 1;
            f.state.sample.multisample = samples > 1 && !one;
            rectangle(&f, -1, -1, 7.5f, SIZE, 0.5f, p);
            fixture_draw(&f, p, 2);
            for (uint32_t s = 0; s < samples; s++)
                covered |= (uint32_t)(at[s][0] < 8) << s;
            for (uint32_t x = 6; x < 8; x++) {
                const uint32_t want = one ? x < 7 : x < 7 ? (1u << samples) - 1 : covered;
                if (!want)
                    continue;
                const uint32_t first = (uint32_t)__builtin_ctz(want);
                const uint32_t px = (x << sx) + ((first & 1) | (first >> 1 & 2)),
                               py = (4u << sy) + (first >> 1 & 1);
                assert_true(float_at(&f.targets.color[0], px, py, 0) == (float)told);
                assert_true(float_at(&f.targets.color[0], px, py, 1) == (float)want);
                for (int k = 0; k < 2; k++)
                    assert_true(float_at(&f.targets.color[0], px, py, 2 + k) ==
                                (one ? 0 : (float)(at[told - 1][k] - 8) / 16));
            }
        }
}

static void centroid(struct warp *w) {
    eight_values(w);
    w->r[0] = (u32x32)(w->cx - w->x);
    w->r[1] = (u32x32)(w->cy - w->y);
    w->cx = w->cy = lanes_splat_f(-1000); /* spoils the centroids for later runs */
}

/* The centroid is the pixel's centre if all samples are covered, otherwise the place of the first
 * covered sample. An edge moves through a column and a row of pixels. In pixels with one sample the
 * centroid is always the centre. */
TEST(test_centroids) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int k = 0; k <= 32; k++) {
            const bool down = k & 1;
            const float end = 7 + (float)(k / 2) / 16;
            const uint8_t(*at)[2] = sample_position[__builtin_ctz(samples)];
            uint32_t sx, sy, covered = 0;
            struct raster_prim *p[2];
            surface_sample_shift(samples, &sx, &sy);
            FIXTURE(f, start, samples, 1, centroid);
            f.program.facts.centroid = true;
            rectangle(&f, -1, -1, down ? SIZE : end, down ? end : SIZE, 0.5f, p);
            fixture_draw(&f, p, 2);
            for (uint32_t s = samples; s-- > 0;)
                covered |= (uint32_t)(at[s][down] < k / 2) << s;
            for (uint32_t s = 0; s < samples; s++) {
                const uint32_t first = (uint32_t)__builtin_ctz(covered | 1u << 8);
                const uint32_t x = ((down ? 4u : 7u) << sx) + ((s & 1) | (s >> 1 & 2));
                const uint32_t y = ((down ? 7u : 4u) << sy) + (s >> 1 & 1);
                const bool all = covered == (1u << samples) - 1, in = covered >> s & 1;
                for (int axis = 0; axis < 2; axis++)
                    assert_true(float_at(&f.targets.color[0], x, y, axis) ==
                                (all || !in ? 0 : (float)(at[first][axis] - 8) / 16));
                assert_true((float_at(&f.targets.color[0], x, y, 3) != 0) == in);
            }
        }
}

TEST(test_samples_share_one_run_otherwise) {
    FIXTURE(f, start, 4, 1, eight_values);
    struct raster_prim *p[2];
    rectangle(&f, -20, -20, 60, 60, 0.5f, p);
    const struct raster_vertex v[3] = {vertex_at(-9, -9, 0), vertex_at(90, -9, 0),
                                       vertex_at(-9, 90, 0)};
    p[0] = triangle(&f, v);
    fixture_draw(&f, p, 1);
    assert_int_equal(runs, SIZE * SIZE / LANES);
    for (uint32_t x = 0; x < SIZE; x++)
        assert_int_equal(samples_written(&f, x), 4);
}

/* Stores v[] word 0 at the position, computed as interp does, and 1 where a fragment is drawn. */
static void first_word(struct warp *w) {
    for (int i = 0; i < LANES; i++) {
        const struct attribute_plane *p = w->planes[w->uniform_planes ? 0 : i / 4]->plane;
        const float across = p->dx * w->x[i], down = p->dy * w->y[i], left = p->base + across;
        const float value = left + down;
        memcpy((char *)&w->r[0] + 4 * i, &value, sizeof value);
        w->r[1][i] = 1;
    }
}

/* Interpolation compared with the plane in double precision: small and large triangles, near and
 * far from their first vertex. The error is measured in units of the largest value that the tile
 * can hold. */
TEST(test_words_are_interpolated) {
    uint64_t seed = 77;
    for (int round = 0; round < 60; round++) {
        FIXTURE(f, fixture_init, 150, 70, 1);
        fixture_color(&f, FORMAT_RGBA32_FLOAT, false);
        fragment_stage = first_word;
        f.state.word_count = 5; /* one more than a vector of planes */
        for (int i = 0; i < 5; i++)
            f.state.word[i] =
                (struct raster_word){WORD_LINEAR, (uint8_t)(8 - i), (uint8_t)(8 - i), 0};
        const float size = round % 3 == 0 ? 6 : round % 3 == 1 ? 100 : 30000;
        uint32_t slots[3][RASTER_SLOTS] = {{0}};
        struct raster_vertex v[3];
        for (int i = 0; i < 3; i++) {
            const float word = random_float(&seed, -1, 1) * (float)(1 << round % 20);
            v[i] = vertex_at(75 + random_float(&seed, -size, size),
                             35 + random_float(&seed, -size, size), 0);
            memcpy(&slots[i][8], &word, 4);
            v[i].slot = slots[i];
        }
        struct raster_prim *prim = triangle(&f, v);
        fixture_draw(&f, &prim, 1);
        const struct prim *p = (const struct prim *)prim;
        for (uint32_t y = 0; y < 70 && p; y++) {
            for (uint32_t x = 0; x < 150; x++) {
                const struct attribute_plane *l = &p->plane[0];
                const double wanted = l->base + (double)l->dx * ((double)x - p->origin_x) +
                                      (double)l->dy * ((double)y - p->base.origin_y);
                const double most = fabs(wanted) + 64 * (fabsf(l->dx) + fabsf(l->dy));
                const float got = float_at(&f.targets.color[0], x, y, 0);
                uint32_t drawn;
                memcpy(&drawn, texel_at(&f.targets.color[0], x, y) + 4, 4);
                if (drawn && !(fabs(got - wanted) <= most * 0x1p-22))
                    fail_msg("round %d pixel %u,%u: %.9g, expected %.9g", round, x, y, got, wanted);
            }
        }
    }
}

/* Colours beyond 0..1, different in each pixel, and NaNs. */
static void wild_colors(struct warp *w) {
    for (int i = 0; i < 4; i++) {
        w->r[i] = (u32x32)(w->x * 0.3f - w->y * (0.1f * (float)i) - 1.0f);
        w->r[i][5 + i] = 0x7fc00000;
    }
}

/* OUTPUT_STRAIGHT, OUTPUT_PLAIN and OUTPUT_ANY give the same picture and counts. */
TEST(test_plain_draws_take_no_other_way) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_BGRA8_SRGB,
                                                FORMAT_RGBA16_FLOAT, FORMAT_RGBA32_FLOAT,
                                                FORMAT_R32_UINT};
    static const uint16_t factor[][2] = {{BLEND_ONE, BLEND_ZERO},
                                         {BLEND_SRC_ALPHA, BLEND_ONE_MINUS_SRC_ALPHA},
                                         {BLEND_ONE, BLEND_ONE}};
    uint64_t seed = 3;
    for (int round = 0; round < 60; round++) {
        struct fixture f[3];
        const uint64_t from = seed;
        for (int i = 0; i < 3; i++) {
            fixture_init(&f[i], 64, 64, 1);
            fixture_color(&f[i], formats[round % 5], false);
            fragment_stage = wild_colors;
            f[i].simd = round / 5 % (simd_best() + 1);
            f[i].state.color.clamp = round / 2 & 1;
            f[i].state.sample.count = round % 4 == 0;
            const uint16_t *b = factor[round % 3];
            f[i].state.color.blend[0] = (struct blend_target){
                round % 3 != 0, EQUATION_ADD, b[0], b[1], EQUATION_ADD, b[0], b[1]};
            const struct raster_prim *p[20];
            uint32_t count = 0;
            for (seed = from; count < 20;) {
                const float size = count % 2 ? 4 : 50;
                const float x = random_float(&seed, 0, 64), y = random_float(&seed, 0, 64);
                struct raster_vertex v[3];
                for (int k = 0; k < 3; k++)
                    v[k] = vertex_near(&seed, x, y, size, 0, 0);
                p[count] = triangle(&f[i], v);
                count += p[count] != NULL;
            }
            struct draw_plan plan;
            plan_init(&plan, &f[i].state, f[i].simd);
            assert_int_equal(plan.output,
                             plan.clamp || round % 4 == 0 ? OUTPUT_PLAIN : OUTPUT_STRAIGHT);
            plan.output = i == 0 ? plan.output : i == 1 ? OUTPUT_PLAIN : OUTPUT_ANY;
            if (i == 2)
                plan.clamp = f[i].state.color.clamp;
            struct raster_tile *t = raster_tile_create(f[i].simd);
            raster_tile_begin(t, &f[i].targets, 0, 0, 0);
            raster_tile_draw(t, &plan, &f[i].fp, p, count, false, &f[i].counters);
            raster_tile_end(t);
            raster_tile_free(t);
        }
        for (int i = 2; i >= 0; i--) {
            assert_same_targets(&f[0], &f[i]);
            assert_int_equal(f[0].counters.samples_passed, f[i].counters.samples_passed);
            fixture_free(&f[i]);
        }
    }
}

static lane_mask seen_dead;
static void look_at_helpers(struct warp *w) {
    seen_dead = w->dead;
}

TEST(test_uncovered_lanes_help) {
    FIXTURE(f, start, 1, 1, look_at_helpers);
    struct raster_prim *p[2];
    rectangle(&f, 3, 2, 4, 3, 0.5f, p); /* the upper right pixel of its quad */
    fixture_draw(&f, p, 2);
    assert_int_equal(seen_dead, ~2u);
    assert_int_equal(f.counters.fragments, 1);
}

/* Front and back faces of one draw update the stencil by their own rules, with early and with late
 * zeta. */
TEST(test_two_sided_stencil) {
    for (int run = 0; run < 4; run++) {
        const uint32_t samples = run & 2 ? 4 : 1;
        FIXTURE(f, start, samples, 1, eight_values);
        fixture_zeta(&f, FORMAT_Z24S8, false);
        f.state.uses_kill = run & 1;
        f.state.zeta = (struct zeta_state){.stencil_test = true, .two_sided = true};
        for (int i = 0; i < 2; i++)
            f.state.zeta.face[i] = (struct stencil_face){FUNC_ALWAYS,
                                                         STENCIL_KEEP,
                                                         STENCIL_KEEP,
                                                         STENCIL_REPLACE,
                                                         (uint8_t)(i ? 0xbb : 0xff),
                                                         0xff,
                                                         0xff};
        const struct raster_vertex v[6] = {vertex_at(0, 0, 0), vertex_at(2, 0, 0),
                                           vertex_at(0, 2, 0), vertex_at(4, 0, 0),
                                           vertex_at(4, 2, 0), vertex_at(6, 0, 0)};
        struct raster_prim *p[2] = {triangle(&f, v), triangle(&f, v + 3)};
        fixture_draw(&f, p, 2);
        assert_int_equal(texel_at(&f.targets.zeta, 0, 0)[3], 0xff);
        assert_int_equal(texel_at(&f.targets.zeta, samples > 1 ? 8 : 4, 0)[3], 0xbb);
    }
}

/* ---- quads that wait ---- */

enum { ORDER_OPAQUE, ORDER_BLENDED, ORDER_LATE, ORDER_TWO_TARGETS, ORDERS };

static void start_order(struct fixture *f, int order, uint32_t samples) {
    fixture_init(f, SIZE, SIZE, samples);
    for (int i = 0; i < (order == ORDER_TWO_TARGETS ? 2 : 1); i++)
        fixture_color(f, FORMAT_RGBA32_FLOAT, false);
    fragment_stage = first_word;
    f->state.word_count = 1;
    f->state.word[0] = (struct raster_word){WORD_LINEAR, 8, 8, 0};
    if (order == ORDER_BLENDED)
        f->state.color.blend[0] = (struct blend_target){
            true, EQUATION_ADD, BLEND_ONE, BLEND_DST_COLOR, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
    if (order == ORDER_TWO_TARGETS) /* only the second target's partial mask reads its old value */
        f->state.color.mask[1] = 3;
    if (order != ORDER_LATE)
        return;
    fixture_zeta(f, FORMAT_Z24S8, false);
    memset(f->targets.zeta.data, 0x80, f->targets.zeta.size);
    f->state.uses_kill = true;
    f->state.zeta = tested_depths(FUNC_LESS);
}

/* Small triangles on top of each other and, in every second round, side by side. The pictures must
 * be those of triangles drawn one by one, with fewer warps. Each kind of draw has its own order of
 * waiting quads. */
TEST(test_quads_share_warps_in_order) {
    uint64_t seed = 11, warps[2] = {0};
    for (int round = 0; round < 240; round++) {
        const int order = round % ORDERS;
        struct fixture f[2];
        const uint64_t from = seed;
        for (int i = 0; i < 2; i++) {
            start_order(&f[i], order, round / ORDERS % 2 ? 4 : 1);
            f[i].simd = round / 8 % (simd_best() + 1);
            struct raster_prim *p[24];
            seed = from;
            float last[2] = {8, 8};
            for (uint32_t n = 0; n < 24; n++) {
                uint32_t slots[3][RASTER_SLOTS] = {{0}};
                struct raster_vertex v[3];
                for (int k = 0; k < 3; k++) {
                    const float word = random_float(&seed, -1, 1);
                    const float around = n % 4 ? 0 : SIZE; /* some triangles cover whole blocks */
                    v[k] = vertex_near(&seed, SIZE / 2, SIZE / 2, SIZE / 2 + around, 0, 1);
                    memcpy(&slots[k][8], &word, 4);
                    v[k].slot = slots[k];
                }
                if (round % 2)
                    v[0].x = last[0], v[0].y = last[1];
                last[0] = v[1].x, last[1] = v[1].y;
                p[n] = triangle(&f[i], v);
            }
            for (uint32_t n = 0; n < 24; n += i ? 1 : 24)
                fixture_draw(&f[i], p + n, i ? 1 : 24);
            warps[i] += f[i].counters.warps;
        }
        assert_same_targets(&f[0], &f[1]);
        /* late zeta: depths that are written later reject fewer fragments */
        if (order != ORDER_LATE)
            assert_int_equal(f[0].counters.fragments, f[1].counters.fragments);
        fixture_free(&f[0]);
        fixture_free(&f[1]);
    }
    assert_true(warps[0] < warps[1]);
}

/* Two triangles that cover halves of one quad run as one warp. */
TEST(test_triangles_share_a_quad) {
    FIXTURE(f, start, 1, 1, eight_values);
    struct raster_prim *p[2];
    rectangle(&f, 4, 4, 6, 6, 0.5f, p);
    fixture_draw(&f, p, 2);
    assert_int_equal(runs, 1);
    assert_int_equal(f.counters.fragments, 4);
}
