/* Coverage: compared sample by sample with edge functions in plain integers. Also watertight: a
 * triangulated mesh covers every sample exactly once. */
#include "tests/raster/fixture.h"

enum { WIDTH = 150, HEIGHT = 134 };

static void one(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(1.0f);
}

/* Adds 1 for each fragment, so that each sample counts how often it is drawn. */
static void counting(struct fixture *f, uint32_t samples) {
    fixture_init(f, WIDTH, HEIGHT, samples);
    fixture_color(f, FORMAT_RGBA32_FLOAT, false);
    f->state.color.blend[0] = (struct blend_target){
        true, EQUATION_ADD, BLEND_ONE, BLEND_ONE, EQUATION_ADD, BLEND_ONE, BLEND_ONE};
    fragment_stage = one;
}

static int count_at(const struct fixture *f, uint32_t x, uint32_t y) {
    float v;
    memcpy(&v, texel_at(&f->targets.color[0], x, y), 4);
    return (int)v;
}

/* The edge function from a to b at (x, y), all in 1/256 pixel. Its sign tells the side. */
static int64_t edge(const int64_t a[2], const int64_t b[2], int64_t x, int64_t y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

/* True if the point is inside. Points on an edge are inside only on top and left edges. y runs
 * downward. */
static bool expect_inside(const struct raster_vertex v[3], int64_t x, int64_t y) {
    int64_t p[3][2];
    for (int i = 0; i < 3; i++) {
        p[i][0] = llrint((double)v[i].x * 256);
        p[i][1] = llrint((double)v[i].y * 256);
    }
    const int64_t area = edge(p[0], p[1], p[2][0], p[2][1]);
    for (int i = 0; i < 3 && area; i++) {
        const int64_t *a = p[i], *b = p[(i + 1) % 3];
        const int64_t e = area > 0 ? edge(a, b, x, y) : edge(b, a, x, y);
        const int64_t dx = area > 0 ? b[0] - a[0] : a[0] - b[0];
        const int64_t dy = area > 0 ? b[1] - a[1] : a[1] - b[1];
        const bool top = dy == 0 && dx > 0, left = dy < 0;
        if (e < 0 || (e == 0 && !top && !left))
            return false;
    }
    return area != 0;
}

static float middle(float a, float b, float c) {
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

static void check_triangles(enum simd_level simd, int rounds, float size, uint32_t samples) {
    uint64_t seed = 7 + samples;
    uint32_t sx, sy;
    surface_sample_shift(samples, &sx, &sy);
    for (int round = 0; round < rounds; round++) {
        FIXTURE(f, counting, samples);
        f.simd = simd;
        struct raster_vertex v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = vertex_near(&seed, WIDTH / 2, HEIGHT / 2, WIDTH / 2 + size, 0.5f, 0.5f);
            /* vertices on pixel centres and corners, where edges pass through samples */
            if (round & 1) {
                v[i].x = rintf(v[i].x / 4) * 4 + (round & 2 ? 0.5f : 0);
                v[i].y = rintf(v[i].y / 4) * 4 + (round & 4 ? 0.5f : 0);
            }
        }
        if (size > 1000) /* one edge passes through the picture */
            aim_edge(v, WIDTH, HEIGHT, &seed);
        struct raster_rect clip = {0, 0, WIDTH, HEIGHT};
        if (round % 3 == 0) { /* a scissor that ends at the middle vertex, or one pixel beside it */
            const int32_t vx =
                (int32_t)ceilf(middle(v[0].x, v[1].x, v[2].x) - 0.5f) + round / 24 % 2;
            const int32_t vy =
                (int32_t)ceilf(middle(v[0].y, v[1].y, v[2].y) - 0.5f) + round / 24 % 2;
            const int side = round / 6 % 4; /* the side that is cut */
            const struct raster_rect at = {side == 0 ? vx : 0, side == 1 ? vy : 0,
                                           side == 2 ? vx : WIDTH, side == 3 ? vy : HEIGHT};
            raster_rect_limit(&clip, &at);
            f.state.view[0].scissor = clip;
        }
        struct raster_prim *p = triangle(&f, v);
        fixture_draw(&f, &p, 1);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH * samples; x++) {
                const uint32_t s = x % samples, px = x / samples;
                const uint8_t *at = sample_position[__builtin_ctz(samples)][s];
                const bool kept = (int32_t)px >= clip.x0 && (int32_t)px < clip.x1 &&
                                  (int32_t)y >= clip.y0 && (int32_t)y < clip.y1;
                const bool in =
                    kept && expect_inside(v, px * 256 + at[0] * 16, y * 256 + at[1] * 16);
                const uint32_t tx = (px << sx) + ((s & 1) | (s >> 1 & 2)),
                               ty = (y << sy) + (s >> 1 & 1);
                if (count_at(&f, tx, ty) != in)
                    fail_msg("round %d pixel %u,%u sample %u: %d, expected %d", round, px, y, s,
                             count_at(&f, tx, ty), in);
                const struct raster_probe_pixel looked = {(int32_t)px, (int32_t)y, 0, s};
                if (p && (px + y) % 7 == 0)
                    assert_int_equal(raster_prim_covers(p, &looked, samples), in);
            }
        }
    }
}

TEST(test_random_triangles) {
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        check_triangles(level, 24, 40, 1);
        check_triangles(level, 600, 0, 1);
        check_triangles(level, 80, 60000, 1);
    }
}

/* Edges that pass a corner pixel of a tile, through a sample or 1/256 pixel beside it: all samples
 * of the tile but one are inside, or only this one is. Some edges are so long that values along
 * them exceed the precision of floats. */
static void graze(struct fixture *f, uint32_t samples, const struct raster_vertex v[3]) {
    uint32_t sx, sy;
    surface_sample_shift(samples, &sx, &sy);
    struct raster_prim *p = triangle(f, v);
    memset(f->targets.color[0].data, 0, f->targets.color[0].size);
    fixture_draw(f, &p, 1);
    const uint32_t step = samples > 1 ? 3 : 1; /* divides 63, so both ends are checked */
    for (uint32_t k = 0; k < TILE_SIZE * TILE_SIZE * samples; k++) {
        const uint32_t s = k % samples, px = TILE_SIZE + k / samples % TILE_SIZE;
        const uint32_t py = TILE_SIZE + k / samples / TILE_SIZE;
        if (px % TILE_SIZE % step || py % TILE_SIZE % step)
            continue;
        const uint8_t *o = sample_position[__builtin_ctz(samples)][s];
        const uint32_t tx = (px << sx) + ((s & 1) | (s >> 1 & 2)), ty = (py << sy) + (s >> 1 & 1);
        if (count_at(f, tx, ty) != expect_inside(v, px * 256 + o[0] * 16, py * 256 + o[1] * 16))
            fail_msg("%u samples, %g,%g %g,%g %g,%g: pixel %u,%u sample %u: %d", samples,
                     (double)v[0].x, (double)v[0].y, (double)v[1].x, (double)v[1].y, (double)v[2].x,
                     (double)v[2].y, px, py, s, count_at(f, tx, ty));
    }
}

static void check_grazing(struct fixture *f, uint32_t samples, uint32_t sample, uint32_t corner) {
    enum { LONG = 150 * 256 + 255 }; /* times 257 gives more than 23 bits, the low ones set */
    static const struct {
        int dx, dy, back, on; /* direction in 1/256 pixel; steps back and on */
    } along[] = {{256, 0, 64, 64},        {0, 256, 64, 64},      {256, 256, 64, 64},
                 {256, -256, 64, 64},     {768, 256, 64, 64},    {-256, 1280, 64, 64},
                 {1792, -512, 64, 64},    {512, 768, 64, 64},    {LONG, LONG, 128, 129},
                 {LONG, -LONG, 128, 129}, {LONG, 255, 128, 129}, {-255, LONG, 129, 128}};
    enum { WAYS = LENGTH(along) };
    const uint8_t *at = sample_position[__builtin_ctz(samples)][sample];
    const float x = (float)(TILE_SIZE + (corner & 1) * (TILE_SIZE - 1)) + (float)at[0] / 16;
    const float y = (float)(TILE_SIZE + (corner >> 1) * (TILE_SIZE - 1)) + (float)at[1] / 16;
    for (int i = 0; i < WAYS * 2 * 3; i++) {
        const float dx = (float)along[i % WAYS].dx / 256, dy = (float)along[i % WAYS].dy / 256;
        const float back = (float)along[i % WAYS].back, on = (float)along[i % WAYS].on;
        const float side = i / WAYS % 2 ? 64 : -64, beside = (float)(i / WAYS / 2 - 1) / 256;
        const float mx = x - (fabsf(dy) > fabsf(dx) ? beside : 0);
        const float my = y + (fabsf(dy) > fabsf(dx) ? 0 : beside);
        const struct raster_vertex v[3] = {vertex_at(mx - back * dx, my - back * dy, 0),
                                           vertex_at(mx + on * dx, my + on * dy, 0),
                                           vertex_at(mx - side * dy, my + side * dx, 0)};
        graze(f, samples, v);
    }
}

TEST(test_edges_that_graze_tiles) {
    for (uint32_t samples = 1; samples <= 8; samples *= samples == 1 ? 4 : 2)
        for (uint32_t i = 0; i < 8; i++) {
            FIXTURE(f, counting, samples);
            f.general = i & 1;
            check_grazing(&f, samples, i * 3 % samples, i / 2);
        }
}

/* A rectangle with corners on pixel centres includes its left column and top row, however it is cut
 * into triangles. */
TEST(test_rectangles_on_centres) {
    static const uint8_t cut[4][6] = {
        {0, 1, 2, 2, 1, 3}, {0, 2, 1, 1, 2, 3}, {0, 1, 3, 0, 3, 2}, {0, 3, 1, 2, 3, 0}};
    for (int i = 0; i < 4; i++) {
        FIXTURE(f, counting, 1);
        const float x0 = 10.5f, y0 = 6.5f, x1 = 77.5f, y1 = 71.5f;
        const struct raster_vertex q[4] = {vertex_at(x0, y0, 0), vertex_at(x1, y0, 0),
                                           vertex_at(x0, y1, 0), vertex_at(x1, y1, 0)};
        struct raster_prim *p[2];
        for (int k = 0; k < 2; k++) {
            const uint8_t *c = &cut[i][3 * k];
            p[k] = triangle(&f, (const struct raster_vertex[3]){q[c[0]], q[c[1]], q[c[2]]});
        }
        fixture_draw(&f, p, 2);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                assert_int_equal(count_at(&f, (uint32_t)x, (uint32_t)y),
                                 x >= 10 && x < 77 && y >= 6 && y < 71);
    }
}

TEST(test_random_triangles_multisampled) {
    check_triangles(simd_best(), 8, 40, 2);
    check_triangles(simd_best(), 8, 40, 4);
    check_triangles(simd_best(), 8, 60000, 4);
    check_triangles(simd_best(), 8, 40, 8);
}

/* Large and small triangles, some added up and some painted over, checked sample by sample. Blocks
 * whose samples are equal are stored once until an edge crosses them. */
static void check_layers(enum simd_level simd, uint32_t samples, uint64_t seed) {
    enum { COUNT = 24 };
    uint32_t sx, sy;
    uint8_t expected[HEIGHT][WIDTH][8] = {{{0}}};
    surface_sample_shift(samples, &sx, &sy);
    FIXTURE(f, counting, samples);
    f.simd = simd;
    struct raster_state copy = f.state;
    struct draw_plan plan[2];
    copy.color.blend[0].enable = false;
    plan_init(&plan[0], &f.state, simd);
    plan_init(&plan[1], &copy, simd);
    const struct raster_prim *p[COUNT];
    bool replaces[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const float size = i % 3 == 0 ? 5 : i % 3 == 1 ? 60 : 400;
        const float mx = random_float(&seed, 0, WIDTH), my = random_float(&seed, 0, HEIGHT);
        struct raster_vertex v[3];
        for (int k = 0; k < 3; k++)
            v[k] = vertex_at(mx + random_float(&seed, -size, size),
                             my + random_float(&seed, -size, size), 0);
        replaces[i] = random_next(&seed) % 4 == 0;
        p[i] = triangle(&f, v);
        for (uint32_t at = 0; at < WIDTH * HEIGHT * samples; at++) {
            const uint32_t s = at % samples, x = at / samples % WIDTH, y = at / samples / WIDTH;
            const uint8_t *o = sample_position[__builtin_ctz(samples)][s];
            if (expect_inside(v, x * 256 + o[0] * 16, y * 256 + o[1] * 16))
                expected[y][x][s] = (uint8_t)(replaces[i] ? 1 : expected[y][x][s] + 1);
        }
    }
    struct raster_tile *t = raster_tile_create(simd);
    for (int tile = 0; tile < 18; tile++) { /* each tile twice, with half of the triangles */
        const int32_t x = tile % 3 * TILE_SIZE, y = tile / 3 % 3 * TILE_SIZE;
        raster_tile_begin(t, &f.targets, 0, x, y);
        for (int i = tile / 9 * COUNT / 2; i < (tile / 9 + 1) * COUNT / 2; i++) {
            if (p[i] && raster_prim_tile(&f.targets, p[i], x, y))
                raster_tile_draw(t, &plan[replaces[i]], &f.fp, &p[i], 1, false, &f.counters);
        }
        raster_tile_end(t);
    }
    raster_tile_free(t);
    for (uint32_t at = 0; at < WIDTH * HEIGHT * samples; at++) {
        const uint32_t s = at % samples, x = at / samples % WIDTH, y = at / samples / WIDTH;
        const uint32_t tx = (x << sx) + ((s & 1) | (s >> 1 & 2)), ty = (y << sy) + (s >> 1 & 1);
        if (count_at(&f, tx, ty) != expected[y][x][s])
            fail_msg("%u samples, pixel %u,%u sample %u: %d, expected %d", samples, x, y, s,
                     count_at(&f, tx, ty), expected[y][x][s]);
    }
}

TEST(test_samples_alike_and_not) {
    for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
        for (uint32_t samples = 1; samples <= 8; samples *= 2)
            check_layers(level, samples, 40 + samples);
    }
}

/* A grid of cells around the target. Inner vertices are moved at random, each cell is cut into two
 * triangles. */
static void check_mesh(float cell, uint32_t samples) {
    enum { MAX = 80 };
    static struct raster_vertex v[MAX][MAX];
    static struct raster_prim *prim[2 * MAX * MAX];
    uint64_t seed = 99;
    uint32_t sx, sy, count = 0;
    FIXTURE(f, counting, samples);
    const int nx = (int)(WIDTH / cell) + 3, ny = (int)(HEIGHT / cell) + 3;
    assert_true(nx < MAX && ny < MAX);
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++)
            v[j][i] = vertex_at(((float)i - 1 + random_float(&seed, 0.1f, 0.5f)) * cell,
                                ((float)j - 1 + random_float(&seed, 0.1f, 0.5f)) * cell, 0.5f);
    }
    for (int j = 0; j + 1 < ny; j++) {
        for (int i = 0; i + 1 < nx; i++) {
            const struct raster_vertex q[4] = {v[j][i], v[j][i + 1], v[j + 1][i], v[j + 1][i + 1]};
            prim[count++] = triangle(&f, (const struct raster_vertex[3]){q[0], q[1], q[2]});
            prim[count++] = triangle(&f, (const struct raster_vertex[3]){q[3], q[1], q[2]});
        }
    }
    fixture_draw(&f, prim, count);
    surface_sample_shift(samples, &sx, &sy);
    for (uint32_t y = 0; y < (uint32_t)HEIGHT << sy; y++) {
        for (uint32_t x = 0; x < (uint32_t)WIDTH << sx; x++) {
            if (count_at(&f, x, y) != 1)
                fail_msg("cell %g: texel %u,%u drawn %d times", cell, x, y, count_at(&f, x, y));
        }
    }
}

TEST(test_mesh_is_watertight) {
    const float cells[] = {2.1f, 3, 7.3f, 16, 61};
    for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
        check_mesh(cells[i], 1);
        check_mesh(cells[i], 4);
    }
}

TEST(test_full_blocks_are_one_warp_each) {
    FIXTURE(f, counting, 1);
    const struct raster_vertex v[3] = {vertex_at(-1000, -1000, 0), vertex_at(3000, -1000, 0),
                                       vertex_at(-1000, 3000, 0)};
    struct raster_prim *p = triangle(&f, v);
    f.targets.width = f.targets.height = 128; /* whole blocks only */
    p->bounds = (struct raster_box){0, 0, 128, 128};
    fixture_draw(&f, &p, 1);
    assert_int_equal(f.counters.warps, 128 * 128 / 32);
    assert_int_equal(f.counters.fragments, 128 * 128);
}

TEST(test_small_triangles_share_warps) {
    FIXTURE(f, counting, 1);
    struct raster_prim *p[64];
    for (int i = 0; i < 64; i++) {
        const float x = (float)(i % 8) * 8, y = (float)(i / 8) * 8;
        p[i] =
            triangle(&f, (const struct raster_vertex[3]){vertex_at(x, y, 0), vertex_at(x + 2, y, 0),
                                                         vertex_at(x, y + 2, 0)});
    }
    fixture_draw(&f, p, 64);
    assert_int_equal(f.counters.warps, 8);
}

/* Many overlapping triangles: later triangles win, however quads are packed into warps. */
static uint32_t order_color;
static void color_of_plane(struct warp *w) {
    for (int q = 0; q < 8; q++) {
        for (int i = 0; i < 4; i++)
            w->r[0][4 * q + i] = w->planes[w->uniform_planes ? 0 : q]->plane[0].flat;
    }
}

TEST(test_order_is_kept) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_color(&f, FORMAT_R32_UINT, false);
    fragment_stage = color_of_plane;
    f.state.word_count = 1;
    f.state.word[0] = (struct raster_word){WORD_FLAT, 4, 4, 0};
    enum { COUNT = 300 };
    static struct raster_prim *p[COUNT];
    static struct raster_vertex v[COUNT][3];
    static uint32_t slots[COUNT][RASTER_SLOTS];
    uint64_t seed = 5;
    for (order_color = 0; order_color < COUNT; order_color++) {
        slots[order_color][4] = order_color + 1;
        const float x = random_float(&seed, 0, 50), y = random_float(&seed, 0, 50);
        /* quads of small triangles wait in the packer */
        const float size = random_float(&seed, 2, 40);
        for (int i = 0; i < 3; i++) {
            v[order_color][i] =
                vertex_at(x + random_float(&seed, 0, size), y + random_float(&seed, 0, size), 0);
            v[order_color][i].slot = slots[order_color];
        }
        p[order_color] = triangle(&f, v[order_color]);
    }
    fixture_draw(&f, p, COUNT);
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            uint32_t expect = 0, got;
            for (uint32_t i = 0; i < COUNT; i++)
                expect = expect_inside(v[i], x * 256 + 128, y * 256 + 128) ? i + 1 : expect;
            memcpy(&got, texel_at(&f.targets.color[0], x, y), 4);
            assert_int_equal(got, expect);
        }
    }
}

TEST(test_scissor_and_window_rectangles) {
    FIXTURE(f, counting, 1);
    f.state.view[0].scissor = (struct raster_rect){3, 5, 101, 99};
    f.state.limits.rect_mode = 2;
    f.state.limits.rect[0] = (struct raster_rect){10, 10, 37, 22};
    struct raster_prim *p[2];
    rectangle(&f, -10, -10, 300, 300, 0, p);
    fixture_draw(&f, p, 2);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const bool hole = x >= 10 && x < 37 && y >= 10 && y < 22;
            assert_int_equal(count_at(&f, (uint32_t)x, (uint32_t)y),
                             x >= 3 && x < 101 && y >= 5 && y < 99 && !hole);
        }
    }
}
