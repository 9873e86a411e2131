/* Viewports, layers and depth ranges. */
#include "pipeline/context.h"
#include "tests/pipeline/colours.h"

#define PASS_THROUGH(i)                                                                            \
    "shl $a1 a[" i "] 0\n"                                                                         \
    "mov b32 $r0 p[$a1]\nmov b32 o[0x0] $r0\nmov b32 $r0 p[$a1+0x4]\nmov b32 o[0x4] $r0\n"         \
    "mov b32 $r0 p[$a1+0x8]\nmov b32 o[0x8] $r0\nmov b32 $r0 p[$a1+0xc]\nmov b32 o[0xc] $r0\n"     \
    "mov b32 $r0 p[$a1+0x10]\nmov b32 o[0x10] $r0\nmov b32 $r0 p[$a1+0x14]\n"                      \
    "mov b32 o[0x14] $r0\nmov b32 $r0 p[$a1+0x18]\nmov b32 o[0x18] $r0\n"                          \
    "mov b32 $r0 p[$a1+0x1c]\nmov b32 o[0x1c] $r0\nmov b32 o[0x20] $r6\nemit\n"
#define BY_PRIMITIVE(what)                                                                         \
    ".primitive triangle_strip\n.vertices 3\n.builtin primitive_id\n.output position o[0x0]\n"     \
    ".output varying o[0x10] 4\n.output " what                                                     \
    " o[0x20]\nmov b32 $r6 a[0x18]\n" PASS_THROUGH("0x0") PASS_THROUGH("0x4")                      \
        PASS_THROUGH("0x8") "exit nop\n"

/* Triangle i goes to viewport i & 15, which has its own square and scissor. */
TEST(test_viewports) {
    enum { COUNT = 16, CELL = SIDE / 4 };
    FIXTURE(f, 1, NULL, SIDE);
    float v[3 * COUNT][8];
    for (int i = 0; i < COUNT; i++) {
        const float far = i % 3 ? 3 : 4e6f; /* beyond the guard band, so it is clipped first */
        const float corner[3][8] = {RGB(-1, 1, 0, 0, 1), RGB(far, 1, 0, 0, 1),
                                    RGB(-1, -far, 0, 0, 1)};
        memcpy(v[3 * i], corner, sizeof corner);
        for (int k = 0; k < 3; k++)
            v[3 * i + k][4] = (float)i / 15;
        const float at[2] = {(float)(i % 4) * CELL, (float)(i / 4) * CELL};
        const float scale[3] = {CELL / 2, -CELL / 2, 1};
        const float move[3] = {at[0] + CELL / 2, at[1] + CELL / 2, 0};
        OK(&f, tp_set_viewport_transform(f.context, (unsigned)i, scale, move));
        OK(&f, tp_set_scissor(f.context, (unsigned)i, (uint32_t)at[0] + 1, (uint32_t)at[1] + 2,
                              CELL - 3, CELL - 5));
    }
    fixture_bind(&f, TP_GEOMETRY, BY_PRIMITIVE("viewport"));
    fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    fixture_read(&f);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const uint32_t i = y / CELL * 4 + x / CELL, cx = x % CELL, cy = y % CELL;
            const bool inside = cx >= 1 && cx < CELL - 2 && cy >= 2 && cy < CELL - 3;
            assert_int_equal(fixture_pixel(&f, x, y), inside ? 0xffff0000 | i * 17 : 0);
        }
}

/* A triangle that the near clip plane cuts looks the same in each viewport. */
TEST(test_cut_in_viewports) {
    enum { COUNT = 16, CELL = SIDE / 4 };
    FIXTURE(f, 1, NULL, SIDE);
    float v[3 * COUNT][8];
    for (int i = 0; i < COUNT; i++) {
        const float corner[3][8] = {RGB(-0.8f, 0.9f, 1, 1, 1), RGB(0.9f, 0.7f, 1, 1, 1),
                                    RGB(-0.2f, -0.9f, 1, 1, 1)};
        memcpy(v[3 * i], corner, sizeof corner);
        v[3 * i + 1][2] = -2.5f;
        const float scale[3] = {CELL / 2, -CELL / 2, 1};
        const float move[3] = {(float)(i % 4) * CELL + CELL / 2, (float)(i / 4) * CELL + CELL / 2,
                               0};
        OK(&f, tp_set_viewport_transform(f.context, (unsigned)i, scale, move));
    }
    fixture_bind(&f, TP_GEOMETRY, BY_PRIMITIVE("viewport"));
    fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    fixture_read(&f);
    uint32_t drawn = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            assert_int_equal(fixture_pixel(&f, x, y), fixture_pixel(&f, x % CELL, y % CELL));
            drawn += fixture_pixel(&f, x, y) != 0;
        }
    assert_in_range(drawn, SIDE * SIDE / 10, SIDE * SIDE / 2);
}

/* A layer that does not exist counts as layer 0; the last existing layer counts as itself. */
DRAW_TEST(test_layers_beyond, 1, SIDE) {
    enum { LAYERS = 3, COUNT = 5, CELL = 8 };
    tp_texture *array = fixture_layers(f, SIDE, SIDE, LAYERS);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    float v[3 * COUNT][8];
    static const float red[3] = {1, 0, 0};
    for (int i = 0; i < COUNT; i++) { /* triangle i lies around pixel (8 i + 4, 4) */
        set_vertex(v[3 * i], (float)i * CELL, 0, 0, red);
        set_vertex(v[3 * i + 1], (float)i * CELL + CELL, 0, 0, red);
        set_vertex(v[3 * i + 2], (float)i * CELL + CELL / 2, CELL, 0, red);
    }
    fixture_bind(f, TP_GEOMETRY, BY_PRIMITIVE("layer"));
    fixture_draw(f, TP_TRIANGLES, v, 3 * COUNT);
    for (int clipped = 0; clipped < 3; clipped++) {
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            OK(f, tp_texture_read(f->context, array, 0, layer, f->pixels, SIDE * 4));
            for (uint32_t i = 0; i < COUNT; i++)
                assert_int_equal(fixture_pixel(f, i * CELL + CELL / 2, 2),
                                 layer == (i < LAYERS ? i : 0) ? RED : 0);
        }
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
        for (int i = 0; i < COUNT;
             i++) /* beyond the guard band, then through the near clip plane */
            set_vertex(v[3 * i + 2], (float)i * CELL + CELL / 2, clipped ? CELL : 4e6f,
                       clipped ? -1.5f : 0, red);
        fixture_draw(f, TP_TRIANGLES, v, 3 * COUNT);
    }
}

static float depth_at(struct fixture *f, uint32_t x, uint32_t y) {
    static uint32_t words[SIDE * SIDE];
    OK(f, tp_texture_read(f->context, f->zeta, 0, 0, words, SIDE * 4));
    return (float)((double)(words[y * SIDE + x] & 0xffffff) / 0xffffff);
}

/* With depth clamp, z is clamped to the viewport's depth range, whichever end is larger. Without
 * it, parts with z outside -w .. w are cut off. z is in normalized device coordinates. */
DRAW_TEST(test_depth_range, 1, SIDE) {
    static const struct {
        float near, far, z, clamped, clipped; /* 1: nothing is drawn */
    } row[] = {
        {0, 1, 0, 0.5f, 0.5f},
        {0.25f, 0.75f, 0, 0.5f, 0.5f},
        {0.25f, 0.75f, 1.5f, 0.75f, 1},
        {0.25f, 0.75f, -1.5f, 0.25f, 1},
        {0.75f, 0.25f, 1.5f, 0.25f, 1},
        {0.75f, 0.25f, -1.5f, 0.75f, 1},
        {0.75f, 0.25f, 0.5f, 0.375f, 0.375f},
        {0.25f, 0.75f, -1, 0.25f, 0.25f},
        {0.25f, 0.75f, 1, 0.75f, 0.75f},
        {0, 0.5f, 4, 0.5f, 1},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        for (int clamp = 0; clamp < 2; clamp++) {
            float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
            for (int k = 0; k < 3; k++)
                v[k][2] = row[i].z;
            OK(f, tp_clear(f->context, TP_CLEAR_DEPTH, NULL, 1, 0));
            fixture_depth(f, TP_ALWAYS);
            OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.depth_clamp = clamp}));
            OK(f, tp_set_depth_range(f->context, 0, row[i].near, row[i].far));
            fixture_draw(f, TP_TRIANGLES, v, 3);
            const float expected = clamp ? row[i].clamped : row[i].clipped;
            if (fabsf(depth_at(f, 40, 70) - expected) > 1e-6f)
                fail_msg("row %zu, clamp %d: %g", i, clamp, (double)depth_at(f, 40, 70));
        }
}

/* True if two pixels (colours, or depths with stencils) differ by rounding at most. */
static bool is_close(uint32_t a, uint32_t b, bool depth) {
    if (depth)
        return llabs((long long)(a & 0xffffff) - (long long)(b & 0xffffff)) <= 4 &&
               a >> 24 == b >> 24;
    for (int k = 0; k < 32; k += 8)
        if (abs((int)(a >> k & 255) - (int)(b >> k & 255)) > 1)
            return false;
    return true;
}

/* Window coordinates, whose w is ignored, draw the same as positions that the viewport transforms
 * to them: triangles, outlines, lines and points, with their depths. Primitives that clip distances
 * cut may differ by rounding. */
TEST(test_window_coordinates) {
    enum { VERTICES = 90 };
    static const struct {
        enum tp_primitive type;
        struct tp_raster_state raster;
    } ways[] = {
        {TP_TRIANGLES, {0}},
        {TP_TRIANGLES, {.cull_back = true, .offset_fill = true, .offset_units = 100}},
        {TP_TRIANGLES,
         {.polygon_front = TP_POLYGON_LINE, .polygon_back = TP_POLYGON_POINT, .point_size = 3}},
        {TP_TRIANGLES, {.clip_distances = 1}},
        {TP_LINES, {.line_width = 2}},
        {TP_LINES, {.clip_distances = 1}},
        {TP_POINTS, {.point_size = 5}},
        {TP_POINTS, {.clip_distances = 1}},
    };
    static const char cut_vp[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n.output clip o[0x20] 1\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\n"
        "mov b32 o[0x1c] a[0x1c]\nmov b32 $r0 a[0x10]\nadd f32 $r0 $r0 -0.25\nexit mov b32 o[0x20] $r0\n";
    for (size_t way = 0; way < LENGTH(ways); way++) {
        uint64_t seed = 3;
        uint32_t picture[2][2][SIDE * SIDE];
        float v[2][VERTICES][8];
        for (int i = 0; i < VERTICES; i++) { /* multiples of 1/64, so that both ways are exact */
            uint32_t n[8];
            for (int k = 0; k < 8; k++)
                n[k] = (uint32_t)random_next(&seed);
            const float x = (float)(n[0] % (SIDE * 64)) / 64, y = (float)(n[1] % (SIDE * 64)) / 64;
            const float z = (float)(n[2] % 65) / 64;
            const float window[4] = {x, y, z, 0.5f};
            const float clip[4] = {x / (SIDE / 2) - 1, 1 - y / (SIDE / 2), 2 * z - 1, 1};
            for (int k = 0; k < 8; k++) {
                v[0][i][k] = k < 4 ? clip[k] : k == 7 ? 1 : (float)(n[k] % 256) / 256;
                v[1][i][k] = k < 4 ? window[k] : v[0][i][k];
            }
        }
        for (int window = 0; window < 2; window++) {
            FIXTURE(f, 1, NULL, SIDE);
            if (ways[way].raster.clip_distances)
                fixture_bind(&f, TP_VERTEX, cut_vp);
            OK(&f, tp_set_window_coordinates(f.context, window));
            OK(&f, tp_set_raster(f.context, &ways[way].raster));
            fixture_depth(&f, TP_LESS);
            fixture_draw(&f, ways[way].type, (const float(*)[8])v[window], VERTICES);
            fixture_read(&f);
            memcpy(picture[window][0], f.pixels, sizeof picture[window][0]);
            OK(&f, tp_texture_read(f.context, f.zeta, 0, 0, picture[window][1], SIDE * 4));
            assert_in_range(fixture_count(&f), 10, SIDE * SIDE);
        }
        for (int plane = 0; plane < 2; plane++)
            for (uint32_t i = 0; i < SIDE * SIDE; i++)
                if (ways[way].raster.clip_distances
                        ? !is_close(picture[0][plane][i], picture[1][plane][i], plane)
                        : picture[0][plane][i] != picture[1][plane][i])
                    fail_msg("way %zu, %s of pixel %u, %u: %08x, not %08x", way,
                             plane ? "depth" : "colour", i % SIDE, i / SIDE, picture[1][plane][i],
                             picture[0][plane][i]);
    }
}

/* With pixel centres at whole numbers, everything lies half a pixel further right and down. */
DRAW_TEST(test_whole_centres, 1, SIDE) {
    static const float white[3] = {1, 1, 1};
    for (int whole = 0; whole < 2; whole++) {
        float v[4][8];
        for (int k = 0; k < 4; k++)
            set_vertex(v[k], k & 1 ? 16.25f : 8.25f, k & 2 ? 30.25f : 20.25f, 0, white);
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.center_integer = whole}));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, TP_TRIANGLE_STRIP, v, 4);
        fixture_read(f);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            const uint32_t x = i % SIDE - (uint32_t)whole, y = i / SIDE - (uint32_t)whole;
            assert_int_equal(fixture_pixel(f, i % SIDE, i / SIDE) != 0, x - 8 < 8 && y - 20 < 10);
        }
    }
}
