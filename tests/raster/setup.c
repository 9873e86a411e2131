/* Setup: facing, culling, rejection of impossible vertices, planes compared with double precision,
 * polygon offset, the pixels of points, and which tiles a primitive touches or covers. */
#include "tests/raster/fixture.h"

static const struct prim *prim_of(const struct raster_prim *p) {
    return (const struct prim *)p;
}

/* The value of a plane, with interp's formula. */
static double plane_at(const struct raster_prim *p, int word, double x, double y) {
    const struct prim *s = prim_of(p);
    const struct attribute_plane *w = &s->plane[word];
    return w->base + (double)w->dx * (x - (double)prim_x0(s)) +
           (double)w->dy * (y - (double)prim_y0(s));
}

TEST(test_facing_follows_the_area) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    const struct raster_vertex v[3] = {vertex_at(1, 1, 0), vertex_at(50, 2, 0),
                                       vertex_at(3, 40, 0)};
    const struct raster_vertex *const cw[3] = {&v[0], &v[1], &v[2]}, *const ccw[3] = {&v[0], &v[2],
                                                                                      &v[1]};
    int64_t area;
    for (int i = 0; i < 2; i++) {
        f.state.setup.front_ccw = i;
        assert_int_equal(raster_facing(&f.state, cw, &area),
                         !i); /* y runs downward, so cw has a positive area */
        assert_true(area > 0);
        assert_int_equal(raster_facing(&f.state, ccw, &area), i);
        assert_true(area < 0);
    }
    f.state.setup.cull = CULL_FRONT; /* front_ccw is still set, so ccw is the front */
    assert_null(fixture_triangle(&f, ccw, (struct face){0}));
    assert_non_null(fixture_triangle(&f, cw, (struct face){0}));
}

TEST(test_impossible_vertices_are_dropped) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -70000};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct raster_vertex v[3] = {vertex_at(1, 1, 0), vertex_at(50, 2, 0), vertex_at(3, 40, 0)};
        v[1].x = bad[i];
        assert_null(triangle(&f, v));
        v[1].x = 50, v[2].y = bad[i];
        assert_null(triangle(&f, v));
        if (!isfinite(bad[i])) {
            v[2].y = 40, v[0].z = bad[i];
            assert_null(triangle(&f, v));
            v[0].z = 0, v[0].rhw = bad[i];
            assert_null(triangle(&f, v));
        }
    }
    const struct raster_vertex flat[3] = {vertex_at(1, 1, 0), vertex_at(11, 11, 0),
                                          vertex_at(21, 21, 0)};
    assert_null(triangle(&f, flat));
    const struct raster_vertex away[3] = {vertex_at(100, 1, 0), vertex_at(110, 1, 0),
                                          vertex_at(100, 9, 0)};
    assert_null(triangle(&f, away));
}

TEST(test_planes) {
    uint64_t seed = 31;
    for (int round = 0; round < 500; round++) {
        FIXTURE(f, fixture_init, 1000, 1000, 1);
        f.state.word_count = 9;
        const struct raster_word words[9] = {
            {WORD_POSITION, 0, 0, 0}, {WORD_POSITION, 1, 1, 0},    {WORD_POSITION, 2, 2, 0},
            {WORD_POSITION, 3, 3, 0}, {WORD_PERSPECTIVE, 4, 4, 0}, {WORD_LINEAR, 5, 5, 0},
            {WORD_FLAT, 6, 6, 0},     {WORD_CONST0, 0, 0, 0},      {WORD_CONST1, 0, 0, 0}};
        memcpy(f.state.word, words, sizeof(words));
        uint32_t slots[3][RASTER_SLOTS] = {{0}};
        struct raster_vertex v[3];
        for (int i = 0; i < 3; i++) {
            v[i] = vertex_at(floorf(random_float(&seed, 0, 1000) * 256) / 256,
                             floorf(random_float(&seed, 0, 1000) * 256) / 256,
                             random_float(&seed, 0, 1));
            v[i].rhw = random_float(&seed, 0.1f, 2);
            v[i].slot = slots[i];
            for (int j = 4; j < 7; j++)
                slots[i][j] = float_bits(random_float(&seed, -5, 5));
        }
        struct raster_prim *p = triangle(&f, v);
        for (int i = 0; p && i < 3; i++) {
            float attr[2];
            memcpy(attr, &slots[i][4], sizeof(attr));
            const double x = v[i].x, y = v[i].y;
            assert_true(plane_at(p, 0, x, y) == x && plane_at(p, 1, x, y) == y);
            const double area = fabs((double)(v[1].x - v[0].x) * (v[2].y - v[0].y) -
                                     (double)(v[2].x - v[0].x) * (v[1].y - v[0].y));
            const double tolerance = 1e-4 + 0.1 / area;
            assert_true(fabs(plane_at(p, 2, x, y) - v[i].z) < tolerance);
            assert_true(fabs(plane_at(p, 3, x, y) - v[i].rhw) < tolerance);
            assert_true(fabs(plane_at(p, 4, x, y) - (double)attr[0] * v[i].rhw) < 10 * tolerance);
            assert_true(fabs(plane_at(p, 5, x, y) - attr[1]) < 10 * tolerance);
            assert_int_equal(prim_of(p)->plane[6].flat, slots[0][6]);
            assert_true(plane_at(p, 7, x, y) == 0 && prim_of(p)->plane[7].flat == 0);
            assert_true(fabs(plane_at(p, 8, x, y) - v[i].rhw) < tolerance);
            assert_int_equal(prim_of(p)->plane[8].flat, float_bits(1));
        }
    }
}

TEST(test_back_faces_take_the_back_slot) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    f.state.word_count = 1;
    f.state.word[0] = (struct raster_word){WORD_FLAT, 4, 8, 0};
    uint32_t slots[RASTER_SLOTS] = {[4] = 44, [8] = 88};
    struct raster_vertex v[3] = {vertex_at(1, 1, 0), vertex_at(50, 2, 0), vertex_at(3, 40, 0)};
    for (int i = 0; i < 3; i++)
        v[i].slot = slots;
    const struct raster_prim *front = triangle(&f, v);
    f.state.setup.front_ccw = true;
    const struct raster_prim *back = triangle(&f, v);
    assert_int_equal(prim_of(front)->plane[0].flat, 44);
    assert_int_equal(prim_of(front)->front, true);
    assert_int_equal(prim_of(back)->plane[0].flat, 88);
    assert_int_equal(prim_of(back)->front, false);
}

TEST(test_polygon_offset) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_zeta(&f, FORMAT_Z24S8, true);
    const struct raster_vertex v[3] = {vertex_at(0, 0, 0.75f), vertex_at(64, 0, 0.875f),
                                       vertex_at(0, 64, 0.25f)};
    const double slope = 0.5 / 64; /* the larger slope, along y */
    const struct prim *plain = prim_of(triangle(&f, v));
    f.state.setup.offset_enable[2] = true;
    f.state.setup.offset_factor = 2;
    f.state.setup.offset_units = 3;
    const struct prim *offset = prim_of(triangle(&f, v));
    assert_true(offset->z - plain->z == 2 * slope + 3 * 0x1p-24);
    f.state.setup.offset_clamp = 0x1p-10f;
    offset = prim_of(triangle(&f, v));
    assert_true(offset->z - plain->z == 0x1p-10);
    f.state.setup.offset_clamp = 0;
    f.state.setup.offset_factor = 0;
    f.targets.zeta.format = FORMAT_Z32_FLOAT; /* the unit is the ulp of the largest depth */
    offset = prim_of(triangle(&f, v));
    assert_true(offset->z - plain->z == 3 * 0x1p-24);
}

static void white(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(1);
}

/* Compares the drawn pixels with text: one row a line, '#' is drawn. */
static void check_picture(struct fixture *f, struct raster_prim *p, const char *expect) {
    char text[1024], *out = text;
    fragment_stage = white;
    memset(f->targets.color[0].data, 0, f->targets.color[0].size);
    fixture_draw(f, &p, 1);
    for (uint32_t y = 0; y < f->targets.height; y++) {
        for (uint32_t x = 0; x < f->targets.width; x++)
            *out++ = *texel_at(&f->targets.color[0], x, y) ? '#' : '.';
        *out++ = '\n';
    }
    *out = 0;
    assert_string_equal(text, expect);
}

static struct raster_prim *point(struct fixture *f, float x, float y, float size) {
    const struct raster_vertex v = vertex_at(x, y, 0);
    return fixture_point(f, &v, size, (struct face){.front = true});
}

TEST(test_points) {
    FIXTURE(f, fixture_init, 8, 4, 1);
    fixture_color(&f, FORMAT_R8_UNORM, true);
    check_picture(&f, point(&f, 2.9f, 1.1f, 1), "........\n..#.....\n........\n........\n");
    check_picture(&f, point(&f, 2.9f, 2.1f, 2), "........\n..##....\n..##....\n........\n");
    check_picture(&f, point(&f, 2.9f, 2.1f, 3), "........\n.###....\n.###....\n.###....\n");
    check_picture(&f, point(&f, 2.9f, 2.1f, 0), "........\n........\n..#.....\n........\n");
    f.state.setup.point_sprite = true;
    check_picture(&f, point(&f, 3, 2, 3), ".###....\n.###....\n.###....\n........\n");
}

TEST(test_point_coordinates) {
    FIXTURE(f, fixture_init, 32, 32, 1);
    f.state.setup.point_sprite = true;
    f.state.word_count = 2;
    f.state.word[0] = (struct raster_word){WORD_POINT_COORD_S, 4, 4, 0};
    f.state.word[1] = (struct raster_word){WORD_POINT_COORD_T, 5, 5, 0};
    const struct raster_prim *p = point(&f, 16, 16, 8);
    for (int lower = 0; lower < 2; lower++) {
        f.state.setup.point_origin_lower_left = lower;
        p = point(&f, 16, 16, 8);
        for (int corner = 0; corner < 4; corner++) {
            const int right = corner & 1, down = corner >> 1;
            const float x = 12.0f + 8 * (float)right, y = 12.0f + 8 * (float)down;
            assert_true(plane_at(p, 0, x, y) == right);
            assert_true(plane_at(p, 1, x, y) == (down != lower));
        }
    }
}

TEST(test_tile_classes) {
    FIXTURE(f, fixture_init, 200, 200, 1);
    const struct raster_vertex big[3] = {vertex_at(-10, -10, 0), vertex_at(500, -10, 0),
                                         vertex_at(-10, 330, 0)};
    const struct raster_prim *p = triangle(&f, big);
    assert_int_equal(raster_prim_tile(&f.targets, p, 0, 0), 2);
    assert_int_equal(raster_prim_tile(&f.targets, p, 128, 128), 2);
    assert_int_equal(raster_prim_tile(&f.targets, p, 128, 192), 1);
    const struct raster_vertex exact[3] = {vertex_at(0, 200, 0), vertex_at(0, -200, 0),
                                           vertex_at(400, 200, 0)};
    assert_int_equal(raster_prim_tile(&f.targets, triangle(&f, exact), 0, 192), 2);
    assert_int_equal(raster_prim_tile(&f.targets, triangle(&f, exact), 192, 0), 2);
    f.state.view[0].scissor = (struct raster_rect){0, 0, 100, 200};
    p = triangle(&f, big);
    assert_int_equal(raster_prim_tile(&f.targets, p, 0, 0), 2);
    assert_int_equal(raster_prim_tile(&f.targets, p, 64, 0), 1);
    assert_int_equal(raster_prim_tile(&f.targets, p, 128, 0), 0);
    const struct raster_vertex thin[3] = {vertex_at(0, 0, 0), vertex_at(200, 199, 0),
                                          vertex_at(200, 200, 0)};
    assert_int_equal(raster_prim_tile(&f.targets, triangle(&f, thin), 128, 0), 0);
    /* a triangle of one pixel: only the tile that contains it is touched */
    f.state.view[0].scissor = (struct raster_rect){0, 0, 200, 200};
    const struct raster_vertex small[3] = {vertex_at(64, 64, 0), vertex_at(66, 64, 0),
                                           vertex_at(64, 66, 0)};
    p = triangle(&f, small);
    for (int i = 0; i < 16; i++)
        assert_int_equal(raster_prim_tile(&f.targets, p, i % 4 * 64, i / 4 * 64), i == 5);
    /* only the bounds cut the primitive, no edge is near */
    f.state.view[0].scissor = (struct raster_rect){64, 64, 128, 128};
    p = triangle(&f, big);
    for (int i = 0; i < 16; i++)
        assert_int_equal(raster_prim_tile(&f.targets, p, i % 4 * 64, i / 4 * 64), i == 5 ? 2 : 0);
}

static struct raster_prim *wide_line(struct fixture *f, const struct raster_vertex v[2]) {
    const struct raster_vertex *const p[2] = {&v[0], &v[1]};
    f->state.setup.line_width = 40;
    return fixture_line(f, p, (struct face){.front = true}, NULL);
}

/* raster_prim_row() reports what raster_prim_tile() reports for each tile: triangles and wide lines
 * of all sizes, in targets that end at a tile's edge or within a tile. */
TEST(test_tile_rows) {
    uint64_t seed = 7;
    uint32_t touched = 0, whole = 0;
    for (int n = 0; n < 6000; n++) {
        const uint32_t width =
            64 * (1 + n % 5) + (n % 2 ? (uint32_t)random_float(&seed, 0, 64) : 0);
        const uint32_t height =
            64 * (1 + n % 3) + (n % 4 > 1 ? (uint32_t)random_float(&seed, 0, 64) : 0);
        FIXTURE(f, fixture_init, width, height, n % 7 == 0 ? 4 : 1);
        f.state.sample.multisample = n % 7 == 0;
        f.state.setup.line_smooth = f.state.setup.polygon_smooth = f.state.setup.point_smooth =
            n % 11 == 0;
        struct raster_vertex v[3];
        for (int k = 0; k < 3; k++)
            v[k] = vertex_at(random_float(&seed, -150, 475), random_float(&seed, -130, 340), 0);
        if (n % 3 == 0) /* an edge along tiles */
            v[1].x = v[0].x = floorf(random_float(&seed, 0, 5)) * 64;
        const struct raster_prim *p = n % 8 == 7 ? wide_line(&f, v) : triangle(&f, v);
        for (int32_t y = 0; p && y < (int32_t)height; y += 64) {
            if (y + 64 <= p->bounds.y0 || y >= p->bounds.y1)
                continue;
            const struct raster_tile_span s = raster_prim_row(&f.targets, p, y / 64);
            for (int32_t x = 0; x < (int32_t)width; x += 64) {
                const int is = raster_prim_tile(&f.targets, p, x, y), column = x / 64;
                assert_int_equal(column >= s.from && column < s.to, is > 0);
                assert_int_equal(column >= s.whole_from && column < s.whole_to, is == 2);
                touched += is > 0;
                whole += is == 2;
            }
        }
    }
    assert_true(touched > 10000 && whole > 1000);
}
