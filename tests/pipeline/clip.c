/* Clipping: parts outside disappear, primitives that cross a border keep their perspective-correct
 * values, huge triangles are cut by the guard band, user planes clip and cull, depth clamp keeps
 * parts that the near and far clip planes would cut. */
#include "tests/pipeline/colours.h"

#include "pipeline/context.h"

enum { SIZE = 64 };

#define AT(x, y) {x, y, 0, 1, 1, 1, 1, 1}

/* A floor at y = -1 from behind the eye to far away. Red is world z / 8. The projection divides x
 * and y by z. */
DRAW_TEST(test_floor, 1, SIZE) {
    float v[4][8];
    static const float x[4] = {-90, 90, 90, -90}, z[4] = {-6, -6, 40, 40};
    for (int i = 0; i < 4; i++) {
        const float corner[8] = {x[i], -1, z[i] * .99f - .1f, z[i], z[i] / 8, 1, 1, 1};
        memcpy(v[i], corner, sizeof corner);
    }
    fixture_draw(f, TP_QUADS, v, 4);
    fixture_read(f);
    for (uint32_t py = 0; py < SIZE; py++) {
        const float ndc = 1 - ((float)py + .5f) / (SIZE / 2), depth = -1 / ndc;
        for (uint32_t px = 0; px < SIZE; px++) {
            const uint32_t p = fixture_pixel(f, px, py);
            if (ndc > -1 / 40.f) {
                assert_int_equal(p, 0);
                continue;
            }
            const float red = depth / 8 < 1 ? depth / 8 * 255 : 255;
            assert_in_range(p & 0xff, red - 1.01f, red + 1.01f);
        }
    }
}

/* A triangle a million times larger than the screen covers all of it and keeps its gradient across
 * the middle. */
DRAW_TEST(test_guard_band, 2, SIZE) {
    enum { BIG = 1000000 };
    static const float v[3][8] = {{-BIG, -BIG, 0, 1, 0, 1, 1, 1},
                                  {BIG, -BIG, 0, 1, 1, 1, 1, 1},
                                  {0, BIG, 0, 1, .5f, 1, 1, 1}};
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_in_range(fixture_pixel(f, i % SIZE, i / SIZE) & 0xff, 127, 128);
}

/* A viewport far from the origin shows the same pixels as a viewport at the origin, also for a
 * triangle that the guard band cuts. */
TEST(test_distant_viewports) {
    enum { FAR = 24576, SCALE = 1024 };
    static const float corner[2][3][2] = {{{3, 5}, {61, 9}, {20, 60}},
                                          {{3, 5}, {61 + 2 * 58 * 65536.0f, 5}, {3, 65536}}};
    static uint8_t expected[2][SIZE * SIZE * 4];
    for (int i = 0; i < 9 * 2 * 2; i++) {
        const int far = i % 2;
        const float middle[3] = {(float)(i / 4 % 3 - 1) * FAR, (float)(i / 12 % 3 - 1) * FAR, 0.5f};
        const float scale[3] = {SCALE, i / 2 % 2 ? SCALE : -SCALE, 0.5f};
        float v[3][8] = {{0}};
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 2; axis++)
                v[k][axis] = (corner[far][k][axis] - middle[axis]) / scale[axis];
            v[k][3] = v[k][4] = v[k][5] = v[k][6] = v[k][7] = 1;
        }
        FIXTURE(f, 1, NULL, SIZE);
        OK(&f, tp_set_viewport_transform(f.context, 0, scale, middle));
        fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 3);
        fixture_read(&f);
        assert_in_range(fixture_count(&f), SIZE * SIZE / 4, SIZE * SIZE);
        if (i < 2)
            memcpy(expected[far], f.pixels, sizeof expected[far]);
        assert_memory_equal(expected[far], f.pixels, sizeof expected[far]);
    }
}

DRAW_TEST(test_outside, 1, SIZE) {
    static const float behind[3][8] = {
        {-1, 1, 0, -1, 1, 1, 1, 1}, {3, 1, 0, -1, 1, 1, 1, 1}, {-1, -3, 0, -1, 1, 1, 1, 1}};
    static const float bad[3][8] = {AT(-1, 1), {NAN, 1, 0, 1, 1, 1, 1, 1}, AT(-1, -3)};
    static const float infinite[3][8] = {AT(-1, 1), {INFINITY, 1, 0, 1, 1, 1, 1, 1}, AT(-1, -3)};
    static const float zero[3][8] = {
        {0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
    for (int type = TP_POINTS; type <= TP_TRIANGLES; type++) {
        fixture_draw(f, type, behind, 3);
        fixture_draw(f, type, zero, 3);
    }
    fixture_draw(f, TP_TRIANGLES, bad, 3);
    fixture_draw(f, TP_TRIANGLES, infinite, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 0);
}

/* The number of pixels that a full-screen triangle covers. Its ndc z runs from z0 at x = -1 to z1
 * at x = 3. */
static uint32_t covered_at(float z0, float z1, const struct tp_raster_state *r) {
    const float v[3][8] = {
        {-1, 1, z0, 1, 1, 1, 1, 1}, {3, 1, z1, 1, 1, 1, 1, 1}, {-1, -3, z0, 1, 1, 1, 1, 1}};
    FIXTURE(f, 1, NULL, SIZE);
    OK(&f, tp_set_raster(f.context, r));
    fixture_draw(&f, TP_TRIANGLES, v, 3);
    fixture_read(&f);
    const uint32_t n = fixture_count(&f);
    return n;
}

TEST(test_depth) {
    const struct tp_raster_state clip = {0}, clamp = {.depth_clamp = true};
    assert_int_equal(covered_at(0, 0, &clip), SIZE * SIZE);
    assert_int_equal(covered_at(1.5f, 1.5f, &clip), 0);
    assert_int_equal(covered_at(-1.5f, -1.5f, &clip), 0);
    assert_int_equal(covered_at(1.5f, 1.5f, &clamp), SIZE * SIZE);
    assert_int_equal(covered_at(-1.5f, -1.5f, &clamp), SIZE * SIZE);
    /* z runs from 0 at ndc x -1 to 4 at ndc x 3, so it reaches 1 in the middle of the screen */
    assert_int_equal(covered_at(0, 4, &clip), SIZE * SIZE / 2);
}

/* Clip distance 0 is x and distance 1 is y, written to o[0x20] and o[0x24]. */
static const char distances_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    ".output clip o[0x20] 2\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\n"
    "mov b32 o[0x1c] a[0x1c]\nmov b32 o[0x20] a[0x0]\nexit mov b32 o[0x24] a[0x4]\n";

TEST(test_user_planes) {
    static const float v[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};
    static const uint32_t expected[4] = {SIZE * SIZE, SIZE * SIZE / 2, SIZE * SIZE / 2,
                                         SIZE * SIZE / 4};
    for (uint32_t planes = 0; planes < 4; planes++) {
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, distances_vp);
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.clip_distances = planes}));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), expected[planes]);
        if (planes & 1)
            assert_int_equal(fixture_pixel(&f, SIZE / 2 - 1, 0), 0); /* x < 0 */
        if (planes & 2)
            assert_int_equal(fixture_pixel(&f, SIZE - 1, SIZE / 2), 0); /* y < 0 */
    }
}

/* Eight distances and both ends of the depth range cut a triangle into a polygon with 13 sides,
 * each at its place. The sides touch circles around the middle at these angles. y points up. */
TEST(test_many_corners) {
    enum { DISTANCES = 8, SIDES = DISTANCES + 5 };
    static const float turn[5] = {
        0.5f, 4.5f, 2.5f, 5.5f,
        7.5f}; /* in eighths of a turn: far, near, three sides of the triangle */
    const float distance = 0.9f, others = 0.93f, margin = 0.005f;
    float side[SIDES][3], v[3][8];
    for (int i = 0; i < SIDES; i++) {
        const double angle = (i < DISTANCES ? i : turn[i - DISTANCES]) * M_PI / 4;
        side[i][0] = (float)cos(angle);
        side[i][1] = (float)sin(angle);
        side[i][2] = i < DISTANCES ? distance : others;
    }
    for (int k = 0; k < 3; k++) { /* where two sides of the triangle meet */
        const float *a = side[DISTANCES + 2 + k], *b = side[DISTANCES + 2 + (k + 1) % 3];
        const float below = a[0] * b[1] - a[1] * b[0];
        const float x = others * (b[1] - a[1]) / below, y = others * (a[0] - b[0]) / below;
        const float z = (side[DISTANCES][0] * x + side[DISTANCES][1] * y) / others;
        memcpy(v[k], (const float[8]){x, y, z, 1, 1, 1, 1, 1}, sizeof v[k]);
    }
    char text[4096];
    int at = snprintf(
        text, sizeof text, "%s",
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\n.output clip o[0x20] 8\nmov b32 $r0 a[0x0]\nmov b32 $r1 a[0x4]\n"
        "mov b32 o[0x0] $r0\nmov b32 o[0x4] $r1\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nmov b32 o[0x1c] a[0x1c]\n");
    for (int i = 0; i < DISTANCES; i++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "mov b32 $r2 %.9f\nmov b32 $r3 %.9f\nadd f32 $r2 (mul $r0 $r3) $r2\nmov b32 $r3 %.9f\n"
            "add f32 $r2 (mul $r1 $r3) $r2\nmov b32 o[0x%x] $r2\n",
            side[i][2], -side[i][0], -side[i][1], 0x20 + 4 * i);
    snprintf(text + at, sizeof text - (size_t)at, "exit nop\n");
    FIXTURE(f, 1, NULL, 4 * SIZE);
    fixture_bind(&f, TP_VERTEX, text);
    OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.clip_distances = 0xff}));
    fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 3);
    fixture_read(&f);
    for (uint32_t i = 0; i < f.size * f.size; i++) {
        const float x = 2 * ((float)(i % f.size) + 0.5f) / (float)f.size - 1;
        const float y = 1 - 2 * ((float)(i / f.size) + 0.5f) / (float)f.size;
        float least = 1;
        for (int k = 0; k < SIDES; k++)
            least = fminf(least, side[k][2] - side[k][0] * x - side[k][1] * y);
        const bool lit = fixture_pixel(&f, i % f.size, i / f.size) != 0;
        if (fabsf(least) > margin && lit != (least > 0))
            fail_msg("%.3f, %.3f: %d, by %.3f", (double)x, (double)y, lit, (double)least);
    }
}

/* Only the part of a line in front of the near clip plane is drawn. */
DRAW_TEST(test_lines, 1, SIZE) {
    static const float v[2][8] = {{-1, 0.01f, -3, 1, 1, 1, 1, 1}, {1, 0.01f, 1, 1, 1, 1, 1, 1}};
    fixture_draw(f, TP_LINES, v, 2);
    fixture_read(f);
    assert_in_range(fixture_count(f), SIZE / 2 - 1, SIZE / 2 + 1);
    assert_int_equal(fixture_pixel(f, SIZE / 4, SIZE / 2 - 1), 0);
    assert_int_equal(fixture_pixel(f, SIZE * 3 / 4, SIZE / 2 - 1), 0xffffffff);
}

/* Corners of a polygon drawn as points: a corner outside is drawn if its square reaches the
 * view. */
DRAW_TEST(test_corners, 1, SIZE) {
    static const float v[3][8] = {AT(0, 0), AT(0.5f, 1.02f), AT(1.02f, 0.2f)};
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.polygon_front = TP_POLYGON_POINT,
                                                              .polygon_back = TP_POLYGON_POINT,
                                                              .point_size = 9}));
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 9 * 9 + 2 * 9 * 4); /* one whole square and parts of two */
    for (int axis = 0; axis < 2; axis++) /* a corner on the edge is drawn, half of it */
        for (int side = -1; side < 2; side += 2) {
            const float x = axis ? 0 : (float)side, y = axis ? (float)side : 0;
            const float edge[3][8] = {AT(x, y), AT(5, 5), AT(5, 4)};
            OK(f, tp_set_raster(f->context,
                                &(struct tp_raster_state){.polygon_front = TP_POLYGON_POINT,
                                                          .polygon_back = TP_POLYGON_POINT,
                                                          .point_size = 8}));
            OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
            fixture_draw(f, TP_TRIANGLES, edge, 3);
            fixture_read(f);
            assert_int_equal(fixture_count(f), 8 * 4);
        }
}

/* The visible side of a triangle depends neither on where it is cut nor on vertices behind the eye.
 * One side is filled, the other is an outline. The side is changed by the order of vertices and by
 * the viewport. */
DRAW_TEST(test_facing_of_what_is_cut_off, 1, SIZE) {
    static const struct {
        const char *what;
        float top[4];
    } row[] = {{"whole", {0, 0.9f, 0, 1}},
               {"through the near plane", {0, 0.9f, -1.5f, 1}},
               {"through the far plane", {0, 0.9f, 1.5f, 1}},
               {"behind the eye", {0, 1, 0, -1}},
               {"far above", {0, 3e6f, 0, 1}}};
    for (size_t i = 0; i < LENGTH(row); i++)
        for (int turned = 0; turned < 8; turned++) {
            const float *top = row[i].top;
            const bool swap = turned & 1, mirror = turned & 2, filled_back = turned & 4;
            const float side = swap ? -0.9f : 0.9f;
            const float v[3][8] = {{-side, -0.9f, 0, 1, 1, 1, 1, 1},
                                   {side, -0.9f, 0, 1, 1, 1, 1, 1},
                                   {top[0], top[1], top[2], top[3], 1, 1, 1, 1}};
            const float half = SIZE / 2, scale[3] = {mirror ? -half : half, -half, 0.5f};
            const float middle[3] = {half, half, 0.5f};
            OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(f, tp_set_viewport_transform(f->context, 0, scale, middle));
            OK(f,
               tp_set_raster(f->context,
                             &(struct tp_raster_state){
                                 .polygon_front = filled_back ? TP_POLYGON_LINE : TP_POLYGON_FILL,
                                 .polygon_back = filled_back ? TP_POLYGON_FILL : TP_POLYGON_LINE}));
            fixture_draw(f, TP_TRIANGLES, v, 3);
            fixture_read(f);
            const bool front = swap == mirror; /* counterclockwise on the screen */
            if ((fixture_pixel(f, SIZE / 2, SIZE * 3 / 4) != 0) != (front != filled_back))
                fail_msg("%s, turned %d", row[i].what, turned);
            if (!fixture_count(f))
                fail_msg("%s, turned %d: nothing", row[i].what, turned);
        }
}

/* A flat value is that of the provoking vertex, also if this end of the line is cut off. */
DRAW_TEST(test_flat_lines, 1, SIZE) {
    static const char text[] = ".interpolants position=w flat=4\ninterp $r0 flat v[0x4]\n"
                               "interp $r1 flat v[0x8]\ninterp $r2 flat v[0xc]\n"
                               "interp $r3 flat v[0x10]\nexit nop\n";
    fixture_bind(f, TP_FRAGMENT, text);
    for (int cut = 0; cut < 4; cut++)
        for (int first = 0; first < 2; first++) {
            const float v[2][8] = {{-1, 0.01f, cut & 1 ? -3 : 0, 1, 1, 0, 0, 1},
                                   {1, 0.01f, cut & 2 ? 3 : 0, 1, 0, 1, 0, 1}};
            OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.provoking_first = first}));
            fixture_draw(f, TP_LINES, v, 2);
            fixture_read(f);
            assert_in_range(fixture_count(f), SIZE / 4, SIZE);
            for (uint32_t x = 0; x < SIZE; x++) {
                const uint32_t p = fixture_pixel(f, x, SIZE / 2 - 1);
                if (p && p != (first ? 0xff0000ff : 0xff00ff00))
                    fail_msg("cut off %d, first %d: %08x at %u", cut, first, p, x);
            }
        }
}

/* A point is drawn if its square reaches the centre of a pixel of the view; the view's sides do not
 * cut it. Sizes above 64 pixels count as 64 for this. The depth range and w clip a point by its
 * centre. */
TEST(test_points) {
    enum { POINT = 20 };
#define BESIDE(pixels) (1 + 2.0f * (pixels) / SIZE)
    static const struct {
        float at[4], size;
        uint32_t pixels;
    } cases[] = {
        {{0, 0, 0, 1}, POINT, POINT * POINT},
        {{1, 0, 0, 1}, POINT, POINT * POINT / 2},
        {{-1, -1, 0, 1}, POINT, POINT * POINT / 4},
        {{0, 1, 1, 1}, POINT, POINT * POINT / 2},
        {{BESIDE(2), 0, 0, 1}, POINT, POINT * 8},
        {{-BESIDE(2), 0, 0, 1}, POINT, POINT * 8},
        {{0, BESIDE(2), 0, 1}, POINT, POINT * 8},
        {{0, -BESIDE(2), 0, 1}, POINT, POINT * 8},
        {{0, -2 * BESIDE(2), 0, 2}, POINT, POINT * 8},
        {{BESIDE(2), BESIDE(-10), 0, 1}, POINT, POINT * 8},
        {{BESIDE(9), 0, 0, 1}, POINT, POINT},
        {{BESIDE(9.75f), 0, 0, 1}, POINT, 0},
        {{BESIDE(11), 0, 0, 1}, POINT, 0},
        {{BESIDE(-0.25f), BESIDE(-10), 0, 1}, 1, 1},
        {{BESIDE(0.25f), 0, 0, 1}, 1, 0},
        {{BESIDE(0.25f), 0, 0, 1}, 0.5f, 0},
        {{BESIDE(31), BESIDE(-32), 0, 1}, 100, SIZE * 19},
        /* reaches the centre of a pixel with size 64 */
        {{BESIDE(31.4f), BESIDE(-32), 0, 1}, 100, SIZE * 19},
        {{BESIDE(31.75f), BESIDE(-32), 0, 1}, 100, 0},
        {{0, 0, 1.05f, 1}, POINT, 0},
        {{0, 0, -1.05f, 1}, POINT, 0},
        {{0, 0, 0, -1}, POINT, 0},
        {{NAN, 0, 0, 1}, POINT, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct tp_raster_state raster = {.point_size = cases[i].size};
        const float *at = cases[i].at;
        const float v[1][8] = {{at[0], at[1], at[2], at[3], 1, 1, 1, 1}};
        FIXTURE(f, 1, NULL, SIZE);
        OK(&f, tp_set_raster(f.context, &raster));
        fixture_draw(&f, TP_POINTS, v, 1);
        fixture_read(&f);
        if (fixture_count(&f) != cases[i].pixels)
            fail_msg("case %zu: %u pixels, not %u", i, fixture_count(&f), cases[i].pixels);
    }
}

/* Window coordinates without a transform: a primitive is drawn if all its own vertices are finite
 * and within 65536 pixels, whatever its neighbours are; also if vertices get their primitive's
 * number. The table has all kinds of primitives and each axis. */
TEST(test_places_that_are_none) {
    enum { KINDS = 9, N = 3 };
    static const struct {
        float value[4];
        bool drawn;
    } places[] = {{{20.5f, 20.5f, 0.5f, 1}, true},     {{70000, 20.5f, 0.5f, 1}, false},
                  {{20.5f, -70000, 0.5f, 1}, false},   {{NAN, 20.5f, 0.5f, 1}, false},
                  {{20.5f, NAN, 0.5f, 1}, false},      {{20.5f, 20.5f, INFINITY, 1}, false},
                  {{20.5f, 20.5f, NAN, 1}, false},     {{INFINITY, 20.5f, 0.5f, 1}, false},
                  {{20.5f, -INFINITY, 0.5f, 1}, false}};
    static const struct {
        enum tp_primitive type;
        uint16_t mode;
        bool stipple;
        uint32_t vertices;
        bool numbered; /* vertices get their primitive's number */
    } kinds[KINDS] = {{TP_POINTS, POLYGON_FILL, false, 1, false},
                      {TP_LINES, POLYGON_FILL, false, 2, false},
                      {TP_TRIANGLES, POLYGON_FILL, false, 3, false},
                      {TP_TRIANGLES, POLYGON_LINE, false, 3, false},
                      {TP_TRIANGLES, POLYGON_POINT, false, 3, false},
                      {TP_LINES, POLYGON_FILL, true, 2, false},
                      {TP_POINTS, POLYGON_FILL, false, 1, true},
                      {TP_LINES, POLYGON_FILL, false, 2, true},
                      {TP_TRIANGLES, POLYGON_FILL, false, 3, true}};
    for (unsigned i = 0; i < LENGTH(places) * KINDS * 3; i++) {
        const unsigned place = i / 3 % (LENGTH(places)), kind = i / 3 / (LENGTH(places));
        const unsigned corner = i % 3 % kinds[kind].vertices; /* the corner with the bad value */
        static const float whole[3][2] = {{4.5f, 4.5f}, {27.5f, 5.5f}, {6.5f, 26.5f}};
        float v[3 * N][8];
        uint32_t count[2];
        FIXTURE(f, 1, NULL, 32);
        struct state *s = &f.context->state;
        for (int pass = 0; pass < 2; pass++) { /* with the second of three primitives; without */
            uint32_t n = 0;
            for (uint32_t k = 0; k < N * kinds[kind].vertices; k++) {
                const uint32_t of = k / kinds[kind].vertices, c = k % kinds[kind].vertices;
                const float one[8] = {whole[c][0] + (float)of, whole[c][1], 0.5f, 1, 1, 1, 1, 1};
                if (of == 1 && pass)
                    continue;
                memcpy(v[n], one, sizeof one);
                if (of == 1 && c == corner)
                    memcpy(v[n], places[place].value, sizeof places[place].value);
                n++;
            }
            OK(&f, tp_clear(f.context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0));
            fixture_vertices(&f, (const float(*)[8])v, n);
            s->viewport_transform = false;
            s->polygon_mode[0] = s->polygon_mode[1] = kinds[kind].mode;
            s->line_stipple = kinds[kind].stipple;
            s->line_stipple_pattern = 0xffff;
            s->semantic.primitive_id = kinds[kind].numbered ? 4 : 0xff;
            state_touch(s, GROUP_PROGRAM);
            state_touch(s, GROUP_VIEW);
            state_touch(s, GROUP_RASTER);
            OK(&f, draw_begin(f.context, kinds[kind].type, DRAW_INSTANCE_FIRST));
            OK(&f, draw_arrays(f.context, 0, n));
            OK(&f, draw_end(f.context));
            fixture_read(&f);
            count[pass] = fixture_count(&f);
        }
        assert_true(count[1] > 0);
        const bool edges = kinds[kind].mode != POLYGON_FILL; /* some edges have no bad vertex */
        const bool right = places[place].drawn ? count[0] > count[1]
                           : edges             ? count[0] >= count[1]
                                               : count[0] == count[1];
        if (!right)
            fail_msg("kind %u, place %u at %u: %u pixels, %u without the primitive", kind, place,
                     corner, count[0], count[1]);
    }
}

static const char clip_vp[] =
    ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    ".output clip o[0x20] 1\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
    "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
    "mov b32 o[0x18] a[0x18]\nmov b32 o[0x1c] a[0x1c]\n"
    "mov b32 $r0 a[0x0]\nmov b32 $r1 a[0xc]\nmul f32 $r1 $r1 c0[0x0]\n"
    "add f32 $r0 $r0 $r1\nmov b32 o[0x20] $r0\nexit nop\n";
static const char linear_fp[] = ".interpolants position=w noperspective=4\n"
                                "interp $r0 v[0x4]\ninterp $r1 v[0x8]\n"
                                "interp $r2 v[0xc]\ninterp $r3 v[0x10]\nexit nop\n";

/* After a clip distance cuts a primitive, the rest has the colours of the whole primitive. The
 * distance x + k w cuts at x = -k in normalized device coordinates. */
static void check_clipped(enum tp_primitive type, const float (*v)[8], uint32_t n, bool linear) {
    static const float cut[] = {-0.8f, -0.3f, 0.01f, 0.4f, 0.7f};
    static uint8_t whole[SIDE * SIDE * 4];
    FIXTURE(f, 1, NULL, SIDE);
    tp_program *fp = fixture_program(&f, TP_FRAGMENT, linear_fp);
    fixture_bind(&f, TP_VERTEX, clip_vp);
    if (linear)
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    for (size_t i = 0; i < LENGTH(cut); i++) {
        uint32_t left = 0, gone = 0;
        for (int on = 0; on < 2; on++) {
            OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(&f,
               tp_set_raster(f.context, &(struct tp_raster_state){.clip_distances = (uint32_t)on}));
            OK(&f, tp_set_constants(f.context, TP_VERTEX, 0, &cut[i], 4));
            fixture_draw(&f, type, v, n);
            fixture_read(&f);
            if (!on)
                memcpy(whole, f.pixels, sizeof whole);
        }
        for (uint32_t at = 0; at < SIDE * SIDE; at++) {
            const float x = 2 * ((float)(at % SIDE) + 0.5f) / SIDE - 1;
            if (!whole[4 * at + 3] || fabsf(x + cut[i]) < 2.0f / SIDE)
                continue; /* empty, or at the edge */
            const bool kept = x + cut[i] > 0;
            left += kept, gone += !kept;
            for (int k = 0; k < 4; k++)
                if (abs(f.pixels[4 * at + (unsigned)k] - (kept ? whole[4 * at + (unsigned)k] : 0)) >
                    1)
                    fail_msg("cut at %g: pixel %u, %u component %d: %u, without %u",
                             (double)-cut[i], at % SIDE, at / SIDE, k,
                             f.pixels[4 * at + (unsigned)k], whole[4 * at + (unsigned)k]);
        }
        assert_true(left && gone);
    }
}

/* With clip space w of 1, 3 and 2, perspective and linear interpolation differ. */
TEST(test_clipped_values) {
    static const float v[4][8] = {{-0.9f, 0.9f, 0, 1, 0, 0.2f, 1, 1},
                                  {2.7f, 2.1f, 0, 3, 1, 0.4f, 0, 1},
                                  {-0.2f, -1.8f, 0, 2, 0.3f, 1, 0.5f, 1},
                                  {-1.7f, 1.5f, 0, 2, 0.1f, 0.6f, 0.9f, 1}};
    for (int linear = 0; linear < 2; linear++) {
        check_clipped(TP_TRIANGLES, v, 3, linear);
        check_clipped(TP_LINE_STRIP, v, 4, linear);
    }
}

/* The near clip plane cuts off z < -w, or z < 0 with near_at_zero. */
DRAW_TEST(test_near_at_zero, 1, SIDE) {
    static const struct {
        float z, w;
        bool drawn[2]; /* without near_at_zero, with it */
    } row[] = {{-1.5f, 1, {false, false}}, {-1, 1, {true, false}},  {-0.5f, 1, {true, false}},
               {0, 1, {true, true}},       {0.5f, 1, {true, true}}, {1.5f, 1, {false, false}},
               {-2, 3, {true, false}},     {2, 3, {true, true}}};
    for (size_t i = 0; i < 2 * LENGTH(row); i++) {
        const float z = row[i / 2].z, w = row[i / 2].w;
        float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
        for (int k = 0; k < 3; k++)
            v[k][0] *= w, v[k][1] *= w, v[k][2] = z, v[k][3] = w;
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.near_at_zero = i & 1}));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, TP_TRIANGLES, v, 3);
        fixture_read(f);
        if (fixture_count(f) != (row[i / 2].drawn[i & 1] ? SIDE * SIDE : 0))
            fail_msg("row %zu: %u pixels", i, fixture_count(f));
        /* z runs from -w at the left to w at the right: near_at_zero cuts the left half */
        for (int k = 0; k < 3; k++)
            v[k][2] = v[k][0];
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, TP_TRIANGLES, v, 3);
        fixture_read(f);
        assert_int_equal(fixture_pixel(f, SIDE / 4, 9) != 0, !(i & 1));
        assert_int_equal(fixture_pixel(f, 3 * SIDE / 4, 9) != 0, true);
    }
}

/* A cull distance removes a primitive if all vertices have negative distances, and cuts no
 * primitive. */
DRAW_TEST(test_cull_distances, 1, SIDE) {
    static const float white[3] = {1, 1, 1}, cuts[] = {2, 0, -0.5f, -2}; /* x > -cut is kept */
    fixture_bind(f, TP_VERTEX, clip_vp);
    for (int i = 0; i < 8; i++) {
        const bool culls = i & 1;
        float v[3][8];
        set_vertex(v[0], 0, 0, 0, white);
        set_vertex(v[1], SIDE, 0, 0, white);
        set_vertex(v[2], 0, SIDE, 0, white);
        OK(f, tp_set_constants(f->context, TP_VERTEX, 0, &cuts[i / 2], 4));
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.clip_distances = 1,
                                                                  .cull_distances = culls}));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, TP_TRIANGLES, v, 3);
        fixture_read(f);
        const bool left = i / 2 == 0 || (culls && i / 2 < 3), right = i / 2 < 3;
        assert_int_equal(fixture_pixel(f, 4, 4) != 0, left);
        assert_int_equal(fixture_pixel(f, SIDE - 8, 2) != 0, right);
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0)); /* and with lines */
        set_vertex(v[0], 0, 20.5f, 0, white);
        set_vertex(v[1], SIDE, 20.5f, 0, white);
        fixture_draw(f, TP_LINES, v, 2);
        fixture_read(f);
        assert_int_equal(fixture_pixel(f, 4, 20) != 0, left);
        assert_int_equal(fixture_pixel(f, SIDE - 8, 20) != 0, right);
    }
}

/* A floor that runs through the near clip plane and behind the eye has the right colours in its far
 * part. */
DRAW_TEST(test_near_plane, 1, SIDE) {
    static const float rgb[2][3] = {{0, 0, 0}, {1, 1, 1}};
    float v[4][8];
    for (int i = 0; i < 4; i++) { /* x = +-8, y = -1; w from -3 to 5; white grows with w */
        const float w = i & 2 ? 5 : -3;
        const float one[8] = {i & 1 ? 8 : -8, -1, w - 1, w, rgb[i >> 1][0], rgb[i >> 1][1],
                              rgb[i >> 1][2], 1};
        memcpy(v[i], one, sizeof one);
    }
    fixture_draw(f, TP_TRIANGLE_STRIP, v, 4);
    fixture_read(f);
    for (uint32_t y = 0; y < SIDE; y++) {
        const float down = ((float)y + 0.5f) / (SIDE / 2) - 1; /* 1 / w at this pixel */
        const float w = 1 / down, value = (w + 3) / 8;
        const bool inside = down > 0 && w < 5 && w > 0.5f;
        const bool edge = fabsf(down - 0.2f) < 0.02f;
        if (!edge && !inside)
            assert_int_equal(fixture_pixel(f, SIDE / 2, y), 0);
        else if (!edge)
            assert_true(fabsf((float)(fixture_pixel(f, SIDE / 2, y) & 0xff) - 255 * value) <= 1.0f);
    }
}
