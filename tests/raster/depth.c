/* Depths of samples, their polygon offset and their limits; counts of samples that pass. */
#include "tests/raster/fixture.h"

enum { SIZE = 32 };

/* A triangle whose depth rises along x and y. */
static struct raster_prim *slope(struct fixture *f) {
    const struct raster_vertex v[3] = {vertex_at(0, 0, 0), vertex_at(2 * SIZE, 0, 1),
                                       vertex_at(0, 2 * SIZE, 0.5f)};
    return triangle(f, v);
}

static double slope_at(double x, double y) {
    return x / (2 * SIZE) + y / (4 * SIZE);
}

/* Each sample has the depth at its own position. Without multisampling all samples have the depth
 * at the centre. */
TEST(test_depth_of_samples) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int on = 0; on < 2; on++) {
            uint32_t sx, sy;
            FIXTURE(f, fixture_init, SIZE, SIZE, samples);
            fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
            f.state.program = NULL;
            f.state.sample.multisample = on;
            f.state.zeta = tested_depths(FUNC_ALWAYS);
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
        }
}

/* Samples that pass are counted, with and without zeta, also if no program runs. */
TEST(test_counts_without_shading) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        for (int zeta = 0; zeta < 3; zeta++)
            for (int count = 0; count < 2; count++) {
                struct raster_prim *p[2];
                FIXTURE(f, fixture_init, SIZE, SIZE, samples);
                if (zeta)
                    fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
                f.state.program = NULL;
                f.state.sample.count = count;
                f.state.zeta = (struct zeta_state){
                    .depth_test = true, .depth_func = zeta == 1 ? FUNC_GREATER : FUNC_LESS};
                rectangle(&f, 3, 5, 17, 26, 0.5f, p); /* the buffer holds 0 */
                fixture_draw(&f, p, 2);
                assert_int_equal(f.counters.samples_passed,
                                 count && zeta != 2 ? 14 * 21 * samples : 0);
                assert_int_equal(f.counters.fragments, 0);
            }
}

/* Polygon offset is factor * the larger slope + units * the smallest difference. A positive clamp
 * is its upper limit, a negative clamp its lower limit, 0 no limit. The slopes here are 1/64 and
 * 1/128. */
TEST(test_offset_clamp) {
    static const struct {
        float factor, clamp, expected;
    } row[] = {
        {1, 0, 0x1p-6f},          {-1, 0, -0x1p-6f},       {1, 0x1p-7f, 0x1p-7f},
        {1, 0x1p-5f, 0x1p-6f},    {1, -0x1p-7f, 0x1p-6f},  {-1, -0x1p-7f, -0x1p-7f},
        {-1, -0x1p-5f, -0x1p-6f}, {-1, 0x1p-7f, -0x1p-6f},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        FIXTURE(f, fixture_init, SIZE, SIZE, 1);
        fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
        f.state.program = NULL;
        f.state.zeta = tested_depths(FUNC_ALWAYS);
        f.state.setup.offset_enable[2] = true;
        f.state.setup.offset_factor = row[i].factor;
        f.state.setup.offset_clamp = row[i].clamp;
        struct raster_prim *p = slope(&f);
        fixture_draw(&f, &p, 1);
        assert_true(fabs(float_at(&f.targets.zeta, 20, 20, 0) - slope_at(20.5, 20.5) -
                         (double)row[i].expected) < 1e-6);
    }
}

/* Depths are clamped to the viewport's range, also if only one corner of a tile leaves the
 * range. */
TEST(test_clamped_depth) {
    enum { TILE = 64 };
    static const float beyond[] = {-0.003f, 0.0005f, 0.003f, 0.1f}; /* how far beyond the limit */
    for (int i = 0; i < 4 * 2 * 4 * 2; i++) {
        const int corner = i % 4, near = i / 4 % 2;
        const float most = 0.75f, least = 0.25f, z = beyond[i / 8 % 4];
        const float sx = corner & 1 ? 0.004f : -0.004f, sy = corner & 2 ? 0.003f : -0.003f;
        /* the greatest (least) depth of the tile is at that corner's pixel centre */
        const float cx = corner & 1 ? TILE - 0.5f : 0.5f, cy = corner & 2 ? TILE - 0.5f : 0.5f;
        const float sign = near ? -1 : 1, limit = near ? least : most;
        struct raster_vertex v[3] = {vertex_at(-8, -8, 0), vertex_at(200, -8, 0),
                                     vertex_at(-8, 200, 0)};
        FIXTURE(f, fixture_init, TILE, TILE, 1);
        fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
        f.general = i / 32;
        f.state.program = NULL;
        f.state.limits.depth_clamp = true;
        f.state.view[0].depth.near = least;
        f.state.view[0].depth.far = most;
        f.state.zeta = tested_depths(FUNC_ALWAYS);
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
    }
}

/* A float zeta buffer may hold -0 and negative depths. Tests compare with the stored value
 * itself. */
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
            struct raster_prim *p[2];
            FIXTURE(f, fixture_init, SIZE, SIZE, 1);
            fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
            f.general = i & 1;
            f.state.program = NULL;
            f.state.sample.count = true;
            f.state.zeta = (struct zeta_state){.depth_test = true, .depth_func = row[i / 2].func};
            for (uint64_t at = 0; at < f.targets.zeta.size; at += 4)
                memcpy(f.targets.zeta.data + at, &row[i / 2].stored, 4);
            rectangle(&f, 0, 0, large ? SIZE : 4, large ? SIZE : 4, row[i / 2].z, p);
            struct raster_prim *const again[] = {p[0], p[1], p[0],
                                                 /* drawn again, when block bounds are known */
                                                 p[1]};
            const uint32_t all = 2 * (large ? SIZE * SIZE : 16);
            fixture_draw(&f, again, 4);
            if (f.counters.samples_passed != (row[i / 2].passes ? all : 0))
                fail_msg("row %zu, large %d: %u samples", i / 2, large,
                         (unsigned)f.counters.samples_passed);
        }
}
