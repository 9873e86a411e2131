/* Dashes of lines, the polygon stipple, and smooth primitives. The dashes of a line add up to the
 * line; the stipple is at the same pixels in every tile; smooth coverage is the covered share of
 * the pixel and scales alpha only. All SIMD levels draw the same. */
#include "tests/raster/fixture.h"

enum { SIZE = 140 };

/* Adds up the results in the target. */
static void adding(struct fixture *f, uint32_t samples) {
    fixture_init(f, SIZE, SIZE, samples);
    fixture_color(f, FORMAT_RGBA32_FLOAT, false);
    f->state.color.blend[0] = (struct blend_target){
        true, EQUATION_ADD, BLEND_ONE, BLEND_ONE, EQUATION_ADD, BLEND_ONE, BLEND_ONE};
    fragment_stage = ones;
}

static float component(const struct fixture *f, uint32_t x, uint32_t y, int i) {
    float v[4];
    memcpy(v, texel_at(&f->targets.color[0], x, y), 16);
    return v[i];
}

static double sum(const struct fixture *f, int i) {
    double s = 0;
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++)
            s += component(f, x, y, i);
    return s;
}

static struct raster_prim *line(struct fixture *f, const float end[4],
                                const struct raster_dash *dash) {
    const struct raster_vertex v[2] = {vertex_at(end[0], end[1], 0), vertex_at(end[2], end[3], 0)};
    const struct raster_vertex *const p[2] = {&v[0], &v[1]};
    return fixture_line(f, p, (struct face){.front = true}, dash);
}

static uint32_t steps(struct fixture *f, const float end[4], struct raster_dash *visible) {
    const struct raster_vertex v[2] = {vertex_at(end[0], end[1], 0), vertex_at(end[2], end[3], 0)};
    return fixture_line_steps(f, (const struct raster_vertex *const[2]){&v[0], &v[1]}, visible);
}

static void random_line(uint64_t *seed, int round, float end[4]) {
    for (int i = 0; i < 4; i++) {
        end[i] = random_float(seed, -20, SIZE + 20);
        if (round & 1) /* ends on pixel centres */
            end[i] = floorf(end[i]) + 0.5f;
    }
}

/* Cuts the visible part of a line into dashes. Together they cover each of its pixels once. */
static void check_partition(uint32_t samples, bool smooth) {
    uint64_t seed = 5 + samples;
    for (int round = 0; round < 60; round++) {
        struct fixture whole, parts;
        struct raster_prim *prim[400];
        float end[4];
        uint32_t n = 0;
        adding(&whole, samples);
        adding(&parts, samples);
        random_line(&seed, round, end);
        whole.state.view[0].scissor = parts.state.view[0].scissor =
            (struct raster_rect){round % 4 * 9, round % 4 * 7, SIZE - round % 3 * 8, SIZE};
        whole.state.setup.line_width = parts.state.setup.line_width = (float)(1 + round % 3);
        whole.state.setup.line_smooth = parts.state.setup.line_smooth = smooth;
        prim[0] = line(&whole, end, NULL);
        fixture_draw(&whole, prim, 1);
        struct raster_dash all;
        const uint32_t length = steps(&parts, end, &all);
        assert_true(all.from <= all.to && all.to <= length);
        for (uint32_t at = all.from, to; at < all.to; at = to) {
            to = at + (1 + (uint32_t)random_next(&seed) % 9) * SUBPIXEL;
            const struct raster_dash dash = {at, to = to < all.to ? to : all.to};
            prim[n++] = line(&parts, end, &dash);
        }
        fixture_draw(&parts, prim, n);
        for (uint32_t y = 0; y < whole.targets.color[0].height; y++)
            for (uint32_t x = 0; x < whole.targets.color[0].width; x++) {
                const float a = component(&whole, x, y, 3), b = component(&parts, x, y, 3);
                assert_true(smooth ? fabsf(a - b) < 0.26f : a == b);
            }
        if (smooth) /* rounding of dash corners may move a sample across an edge */
            assert_true(fabs(sum(&whole, 3) - sum(&parts, 3)) < 1 + 0.03 * sum(&whole, 3));
        fixture_free(&whole);
        fixture_free(&parts);
    }
}

TEST(test_dashes) {
    check_partition(1, false);
}

TEST(test_smooth_dashes) {
    check_partition(1, true);
}

/* A step of an aliased line is a pixel along its major axis, counted from the first vertex. */
TEST(test_steps) {
    static const float ends[4][4] = {{10.5f, 20.5f, 50.5f, 30.5f},
                                     {50.5f, 30.5f, 10.5f, 20.5f},
                                     {20.5f, 10.5f, 30.5f, 50.5f},
                                     {30.5f, 50.5f, 20.5f, 10.5f}};
    static const int at[4][2] = {{13, 21}, {47, 29}, {21, 13}, {29, 47}};
    for (int i = 0; i < 4; i++) {
        FIXTURE(f, adding, 1);
        struct raster_dash visible;
        assert_int_equal(steps(&f, ends[i], &visible), 40 * SUBPIXEL);
        assert_true(visible.from == 0 && visible.to == 40 * SUBPIXEL);
        f.state.view[0].scissor = (struct raster_rect){20, 20, 40, 40}; /* 20 steps in the middle */
        steps(&f, ends[i], &visible);
        assert_int_equal(visible.to - visible.from, 20 * SUBPIXEL);
        assert_true(visible.from == (i & 1 ? 11 : 10) * SUBPIXEL);
        f.state.view[0].scissor = (struct raster_rect){0, 0, SIZE, SIZE};
        const struct raster_dash dash = {3 * SUBPIXEL, 4 * SUBPIXEL};
        struct raster_prim *p = line(&f, ends[i], &dash);
        fixture_draw(&f, &p, 1);
        assert_true(sum(&f, 0) == 1);
        const float x = component(&f, (uint32_t)at[i][0], (uint32_t)at[i][1], 0);
        assert_true(x == 1);
        f.state.setup.line_smooth = true; /* steps are lengths now */
        assert_int_equal(steps(&f, ends[i], &visible), ceil(hypot(40, 10) * SUBPIXEL));
    }
}

/* The stipple bit of a pixel. The bytes of a row run from left to right, their bits from high to
 * low. */
static bool stipple_bit(const struct fixture *f, uint32_t x, uint32_t y) {
    return f->state.setup.stipple_pattern[y % 32] >> (x % 32 / 8 * 8 + 7 - x % 8) & 1;
}

TEST(test_polygon_stipple) {
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        uint64_t seed = 3;
        struct raster_prim *p[3];
        FIXTURE(f, adding, 1);
        f.simd = (enum simd_level)simd;
        f.state.setup.polygon_stipple = true;
        for (int i = 0; i < 32; i++)
            f.state.setup.stipple_pattern[i] = (uint32_t)random_next(&seed);
        rectangle(&f, 3, 5, 135, 131, 0.5f, p);
        fixture_draw(&f, p, 2);
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = 0; x < SIZE; x++) {
                const bool inside = x >= 3 && x < 135 && y >= 5 && y < 131;
                assert_true(component(&f, x, y, 0) == (inside && stipple_bit(&f, x, y)));
            }
        /* lines are not stippled */
        p[0] = line(&f, (const float[4]){0.5f, 2.5f, 100.5f, 2.5f}, NULL);
        fixture_draw(&f, p, 1);
        for (uint32_t x = 0; x < 100; x++)
            assert_true(component(&f, x, 2, 0) == 1);
    }
}

/* Two triangles that share an edge cover the edge's pixels fully together. The coverage does not
 * scale colours. */
TEST(test_smooth_triangles) {
    struct raster_prim *p[2];
    FIXTURE(f, adding, 1);
    f.state.setup.polygon_smooth = true;
    const struct raster_vertex v[4] = {vertex_at(10.3f, 12.2f, 0), vertex_at(120.8f, 22.7f, 0),
                                       vertex_at(100.1f, 130.4f, 0), vertex_at(7.6f, 90.9f, 0)};
    p[0] = triangle(&f, (const struct raster_vertex[3]){v[0], v[1], v[2]});
    p[1] = triangle(&f, (const struct raster_vertex[3]){v[0], v[2], v[3]});
    fixture_draw(&f, p, 2);
    double area = 0;
    for (int i = 0; i < 4; i++)
        area += (v[i].x * v[(i + 1) % 4].y - v[(i + 1) % 4].x * v[i].y) / 2.0;
    assert_true(fabs(sum(&f, 3) - area) < area * 0.002);
    for (uint32_t i = 20; i < 95; i++) /* along the diagonal */
        assert_true(component(&f, i, i * 5 / 4, 3) == 1);
    assert_true(sum(&f, 0) > sum(&f, 3)); /* full colour in every touched pixel */
    assert_true(sum(&f, 0) == rint(sum(&f, 0)));
}

/* A triangle in a draw of smooth lines is not smooth: its pixels are those without smoothing. */
TEST(test_sharp_triangle) {
    struct fixture f[2];
    for (int smooth = 0; smooth < 2; smooth++) {
        adding(&f[smooth], 1);
        f[smooth].state.setup.line_smooth = smooth;
        const struct raster_vertex v[3] = {vertex_at(10.3f, 12.2f, 0), vertex_at(120.8f, 22.7f, 0),
                                           vertex_at(100.1f, 130.4f, 0)};
        struct raster_prim *p = triangle(&f[smooth], v);
        fixture_draw(&f[smooth], &p, 1);
    }
    assert_true(sum(&f[0], 3) > 1000);
    assert_memory_equal(f[0].targets.color[0].data, f[1].targets.color[0].data,
                        f[0].targets.color[0].size);
    fixture_free(&f[0]);
    fixture_free(&f[1]);
}

TEST(test_smooth_lines_and_points) {
    uint64_t seed = 11;
    for (int round = 0; round < 20; round++) {
        struct fixture f;
        float end[4];
        adding(&f, 1);
        for (int i = 0; i < 4; i++)
            end[i] = random_float(&seed, 15, SIZE - 15);
        f.state.setup.line_smooth = f.state.setup.point_smooth = true;
        f.state.setup.line_width = 1 + 0.4f * (float)round;
        const double length = hypot(end[2] - end[0], end[3] - end[1]);
        struct raster_prim *p = line(&f, end, NULL);
        fixture_draw(&f, &p, 1);
        const double area = length * f.state.setup.line_width;
        assert_true(fabs(sum(&f, 3) - area) < 1 + area * 0.03);
        fixture_free(&f);
        adding(&f, 1);
        f.state.setup.point_smooth = true;
        const struct raster_vertex v = vertex_at(end[0], end[1], 0);
        const float size = f.state.setup.line_width * 3;
        p = fixture_point(&f, &v, size, (struct face){0});
        fixture_draw(&f, &p, 1);
        const double disc = 3.14159265 / 4 * size * size;
        assert_true(fabs(sum(&f, 3) - disc) < 0.3 + disc * 0.02);
        fixture_free(&f);
    }
}

/* The covered part of a pixel is the number of its points that lie inside the circle. Small and
 * large circles are drawn together. */
TEST(test_circles_point_by_point) {
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        uint64_t seed = 5;
        struct raster_prim *p[40];
        FIXTURE(f, adding, 1);
        f.simd = (enum simd_level)simd;
        f.state.setup.point_smooth = true;
        for (int i = 0; i < 40; i++) {
            float x = random_float(&seed, 0, SIZE), y = random_float(&seed, 0, SIZE);
            float size = random_float(&seed, 1, i & 2 ? 40 : 4) + (i % 5 ? 0 : 350);
            if (i % 3 == 0) { /* points of pixels lie on the circle */
                x = floorf(x) + smooth_position[i % SMOOTH_POINTS][0] / 256.0f;
                y = floorf(y) + smooth_position[i % SMOOTH_POINTS][1] / 256.0f;
                size = 2 * ceilf(size / 2);
            }
            const struct raster_vertex v = vertex_at(x, y, 0);
            p[i] = fixture_point(&f, &v, size, (struct face){0});
        }
        fixture_draw(&f, p, 40);
        for (int32_t i = 0; i < SIZE * SIZE; i++) {
            uint32_t inside = 0;
            for (int n = 0; n < 40 * SMOOTH_POINTS; n++) {
                const struct prim_circle *c = &((const struct prim *)p[n / SMOOTH_POINTS])->circle;
                const uint8_t *at = smooth_position[n % SMOOTH_POINTS];
                const double dx = i % SIZE * SUBPIXEL + at[0] - c->x;
                const double dy = i / SIZE * SUBPIXEL + at[1] - c->y;
                inside += dx * dx + dy * dy <= c->radius2;
            }
            assert_true(component(&f, (uint32_t)i % SIZE, (uint32_t)i / SIZE, 3) ==
                        (float)inside / SMOOTH_POINTS);
        }
    }
}

/* All levels give the same bits. Quads of several primitives in one warp keep their own
 * coverage. */
TEST(test_levels) {
    struct fixture first = {0}, f;
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        uint64_t seed = 99;
        struct raster_prim *p[60];
        adding(&f, 1);
        f.simd = (enum simd_level)simd;
        f.state.setup.line_smooth = f.state.setup.point_smooth = f.state.setup.polygon_smooth =
            true;
        for (int i = 0; i < 60; i++) {
            float end[4];
            random_line(&seed, 0, end);
            const struct raster_vertex v[3] = {vertex_at(end[0], end[1], 0),
                                               vertex_at(end[2], end[3], 0),
                                               vertex_at(end[0] + 9, end[3] + 9, 0)};
            p[i] = i & 1 ? line(&f, end, NULL) : triangle(&f, v);
        }
        fixture_draw(&f, p, 60);
        assert_true(sum(&f, 3) > 100);
        if (simd)
            assert_memory_equal(f.targets.color[0].data, first.targets.color[0].data,
                                f.targets.color[0].size);
        if (simd)
            fixture_free(&f);
        else
            first = f;
    }
    fixture_free(&first);
}

/* Coverage is applied before the alpha test. Coverage is not applied to integer targets or with
 * multisampling. */
TEST(test_where_it_applies) {
    static const float end[4] = {10.2f, 20.9f, 90.1f, 40.3f};
    struct fixture f;
    struct raster_prim *p;
    adding(&f, 1);
    f.state.setup.line_smooth = true;
    f.state.setup.line_width = 3;
    f.state.color.alpha_test = true;
    f.state.color.alpha_func = FUNC_GREATER;
    f.state.color.alpha_ref = 0.99f;
    p = line(&f, end, NULL);
    fixture_draw(&f, &p, 1);
    assert_true(sum(&f, 3) > 50 && sum(&f, 3) == sum(&f, 0)); /* only fully covered pixels pass */
    fixture_free(&f);

    fixture_init(&f, SIZE, SIZE, 1);
    fixture_color(&f, FORMAT_RGBA32_UINT, false);
    f.state.setup.line_smooth = true;
    fragment_stage = ones;
    p = line(&f, end, NULL);
    fixture_draw(&f, &p, 1);
    for (uint32_t x = 20; x < 80; x++)
        for (uint32_t y = 0; y < SIZE; y++)
            assert_true(component(&f, x, y, 3) == component(&f, x, y, 0));
    fixture_free(&f);

    adding(&f, 4);
    f.state.setup.polygon_smooth = true;
    struct raster_prim *two[2];
    rectangle(&f, 10.4f, 10.4f, 20.4f, 20.4f, 0, two);
    fixture_draw(&f, two, 2);
    assert_true(sum(&f, 3) == sum(&f, 0));
    fixture_free(&f);
}
