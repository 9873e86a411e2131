/* Rules that only show in corners, each through the public API: what a primitive that nearly covers
 * a tile leaves of what lay there, fragments of different constants side by side, all 16 viewports,
 * layers beyond the last, the depth range as a limit, and values along clipped edges.
 */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

#include <math.h>

enum { SIZE = 128 };
static const uint32_t RED = 0xff0000ff, GREEN = 0xff00ff00;

#define RGB(x, y, r, g, b) {x, y, 0, 1, r, g, b, 1}

/* Pixels to normalized device coordinates of a SIZE x SIZE viewport; y downward. */
static float ndc_x(float x) {
    return x / (SIZE / 2) - 1;
}
static float ndc_y(float y) {
    return 1 - y / (SIZE / 2);
}

static void set_vertex(float v[8], float x, float y, float z, const float rgb[3]) {
    const float all[8] = {ndc_x(x), ndc_y(y), z, 1, rgb[0], rgb[1], rgb[2], 1};
    memcpy(v, all, sizeof all);
}

/* A green triangle whose long side is x + y = sum over red: to the left of it green, on it and
 * beyond red. Around 128 the side passes the last pixel of tile 0, 0; around 192 that of 1, 0. */
static void test_nearly_covered_tiles(void **state) {
    (void)state;
    static const float red[3] = {1, 0, 0}, green[3] = {0, 1, 0};
    static const float sums[] = {126,    126.5f, 127, 127.5f, 128, 128.5f, 190.5f, 191,
                                 191.5f, 192,    254, 254.5f, 255, 255.5f, 256};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        float v[6][8];
        set_vertex(v[0], 0, 0, 0, red);
        set_vertex(v[1], 2 * SIZE, 0, 0, red);
        set_vertex(v[2], 0, 2 * SIZE, 0, red);
        set_vertex(v[3], 0, 0, 0, green);
        set_vertex(v[4], sums[i], 0, 0, green);
        set_vertex(v[5], 0, sums[i], 0, green);
        fixture_vertices(&f, v, 6);
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 3, 3)); /* another draw over it, */
        OK(&f, tp_texture_read_rgba8(f.context, f.color, f.pixels));
        for (int once = 0; once < 2; once++) {
            for (uint32_t y = 0; y < SIZE; y++)
                for (uint32_t x = 0; x < SIZE; x++)
                    if (fixture_pixel(&f, x, y) != ((float)(x + y + 1) < sums[i] ? GREEN : RED))
                        fail_msg("side at %g: pixel %u, %u is %08x", (double)sums[i], x, y,
                                 fixture_pixel(&f, x, y));
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 6)); /* and within one */
            fixture_read(&f);
        }
    }
    fixture_close(&f);
}

/* Quads of 2x2 pixels, neighbours of different draws, which differ in the fragment program's
 * constants only. */
static void test_constants_of_neighbours(void **state) {
    (void)state;
    enum { SIDE = 12 };
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *fp = fixture_program(&f, TP_FRAGMENT,
                                     "ld $r0 b32 c0[0x0]\nld $r1 b32 c0[0x4]\n"
                                     "ld $r2 b32 c0[0x8]\nmov b32 $r3 1.0\nexit nop\n");
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    float v[SIDE * SIDE * 6][8];
    for (int i = 0; i < SIDE * SIDE; i++) {
        static const float corner[6][2] = {{0, 0}, {2, 0}, {0, 2}, {0, 2}, {2, 0}, {2, 2}};
        static const float none[3];
        for (int k = 0; k < 6; k++)
            set_vertex(v[6 * i + k], (float)(i % SIDE) * 2 + corner[k][0],
                       (float)(i / SIDE) * 2 + corner[k][1], 0, none);
    }
    fixture_vertices(&f, v, SIDE * SIDE * 6);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const float rgb[3] = {(float)(i % SIDE) / 15, (float)(i / SIDE) / 15, 0.2f};
        OK(&f, tp_set_constants(f.context, TP_FRAGMENT, 0, rgb, sizeof rgb));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 6 * i, 6));
    }
    fixture_read(&f);
    for (uint32_t y = 0; y < 2 * SIDE; y++)
        for (uint32_t x = 0; x < 2 * SIDE; x++)
            assert_int_equal(fixture_pixel(&f, x, y), 0xff330000 | (y / 2 * 17) << 8 | x / 2 * 17);
    tp_program_destroy(fp);
    fixture_close(&f);
}

/* ---- geometry programs that choose ---- */

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

/* Triangle i goes to viewport i & 15, a square of its own, with the scissor of its own. */
static void test_viewports(void **state) {
    (void)state;
    enum { COUNT = 16, CELL = SIZE / 4 };
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    float v[3 * COUNT][8];
    for (int i = 0; i < COUNT; i++) {
        const float far = i % 3 ? 3 : 4e6f; /* beyond the guard band: clipped first */
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
    tp_program *gp = fixture_program(&f, TP_GEOMETRY, BY_PRIMITIVE("viewport"));
    OK(&f, tp_bind_program(f.context, TP_GEOMETRY, gp));
    fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    fixture_read(&f);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const uint32_t i = y / CELL * 4 + x / CELL, cx = x % CELL, cy = y % CELL;
            const bool inside = cx >= 1 && cx < CELL - 2 && cy >= 2 && cy < CELL - 3;
            assert_int_equal(fixture_pixel(&f, x, y), inside ? 0xffff0000 | i * 17 : 0);
        }
    tp_program_destroy(gp);
    fixture_close(&f);
}

/* Cut off by the near plane, a triangle looks the same in each of the viewports. */
static void test_cut_in_viewports(void **state) {
    (void)state;
    enum { COUNT = 16, CELL = SIZE / 4 };
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
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
    tp_program *gp = fixture_program(&f, TP_GEOMETRY, BY_PRIMITIVE("viewport"));
    OK(&f, tp_bind_program(f.context, TP_GEOMETRY, gp));
    fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    fixture_read(&f);
    uint32_t drawn = 0;
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            assert_int_equal(fixture_pixel(&f, x, y), fixture_pixel(&f, x % CELL, y % CELL));
            drawn += fixture_pixel(&f, x, y) != 0;
        }
    assert_in_range(drawn, SIZE * SIZE / 10, SIZE * SIZE / 2);
    tp_program_destroy(gp);
    fixture_close(&f);
}

/* A layer that is not there is layer 0; the last that is there is itself. */
static void test_layers_beyond(void **state) {
    (void)state;
    enum { LAYERS = 3, COUNT = 5, CELL = 8 };
    const struct tp_texture_info t = {.kind = TP_TEXTURE_2D_ARRAY,
                                      .format = TP_FORMAT_RGBA8,
                                      .width = SIZE,
                                      .height = SIZE,
                                      .layers = LAYERS};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_texture *array;
    OK(&f, tp_texture_create(f.device, &t, &array));
    OK(&f, tp_set_targets(f.context, 1, &(struct tp_target){array, 0, 0, true}, NULL));
    OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 0, 0));
    float v[3 * COUNT][8];
    static const float red[3] = {1, 0, 0};
    for (int i = 0; i < COUNT; i++) { /* triangle i: around pixel 8 i + 4, 4 */
        set_vertex(v[3 * i], (float)i * CELL, 0, 0, red);
        set_vertex(v[3 * i + 1], (float)i * CELL + CELL, 0, 0, red);
        set_vertex(v[3 * i + 2], (float)i * CELL + CELL / 2, CELL, 0, red);
    }
    tp_program *gp = fixture_program(&f, TP_GEOMETRY, BY_PRIMITIVE("layer"));
    OK(&f, tp_bind_program(f.context, TP_GEOMETRY, gp));
    fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    for (int clipped = 0; clipped < 3; clipped++) {
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            OK(&f, tp_texture_read(f.context, array, 0, layer, f.pixels, SIZE * 4));
            for (uint32_t i = 0; i < COUNT; i++)
                assert_int_equal(fixture_pixel(&f, i * CELL + CELL / 2, 2),
                                 layer == (i < LAYERS ? i : 0) ? RED : 0);
        }
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 0, 0));
        for (int i = 0; i < COUNT;
             i++) /* down beyond the guard band, then through the near plane */
            set_vertex(v[3 * i + 2], (float)i * CELL + CELL / 2, clipped ? CELL : 4e6f,
                       clipped ? -1.5f : 0, red);
        fixture_draw(&f, TP_TRIANGLES, v, 3 * COUNT);
    }
    tp_texture_destroy(array);
    tp_program_destroy(gp);
    fixture_close(&f);
}

/* PRIM_RESTART_WITH_DRAW_ARRAYS: a vertex whose number is the restart index ends the strip, also
 * without indices. */
static void test_restart_with_arrays(void **state) {
    (void)state;
    static const struct {
        uint32_t index;
        bool enable, with_arrays;
        uint32_t triangles; /* of ten vertices */
    } row[] = {{4, false, true, 8}, {4, true, false, 8}, {4, true, true, 2 + 3},
               {0, true, true, 7},  {9, true, true, 7},  {10, true, true, 8},
               {1, true, true, 6},  {8, true, true, 6}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    float v[10][8];
    static const float white[3] = {1, 1, 1};
    for (int i = 0; i < 10; i++)
        set_vertex(v[i], (float)(i / 2) * SIZE / 8, i & 1 ? SIZE : 0, 0, white);
    fixture_vertices(&f, v, 10);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct state *s = &f.context->state;
        tp_reset_statistics(f.context);
        s->restart_enable = row[i].enable;
        s->restart_index = row[i].index;
        s->restart_with_arrays = row[i].with_arrays;
        assert_int_equal(draw_begin(f.context, TP_TRIANGLE_STRIP, DRAW_INSTANCE_FIRST), TP_OK);
        assert_int_equal(draw_arrays(f.context, 0, 10), TP_OK);
        OK(&f, draw_end(f.context));
        struct tp_statistics statistics;
        OK(&f, tp_get_statistics(f.context, &statistics));
        if (statistics.primitives != row[i].triangles)
            fail_msg("row %zu: %u triangles", i, (unsigned)statistics.primitives);
    }
    static const struct {
        uint32_t index, triangles; /* of strips of vertices 0 to 3, 4 to 6 and 5 to 9 */
    } ranges[] = {{0, 1 + 1 + 3}, {1, 0 + 1 + 3}, {3, 1 + 1 + 3}, {4, 2 + 0 + 3},
                  {6, 2 + 0 + 1}, {7, 2 + 1 + 0}, {9, 2 + 1 + 2}, {10, 2 + 1 + 3}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        f.context->state.restart_index = ranges[i].index;
        f.context->state.restart_enable = f.context->state.restart_with_arrays = true;
        tp_reset_statistics(f.context);
        OK(&f, draw_begin(f.context, TP_TRIANGLE_STRIP, DRAW_INSTANCE_FIRST));
        OK(&f, draw_arrays(f.context, 0, 4));
        OK(&f, draw_arrays(f.context, 4, 3));
        OK(&f, draw_arrays(f.context, 5, 5));
        OK(&f, draw_end(f.context));
        struct tp_statistics statistics;
        OK(&f, tp_get_statistics(f.context, &statistics));
        if (statistics.primitives != ranges[i].triangles)
            fail_msg("ranges, %u: %u triangles", ranges[i].index, (unsigned)statistics.primitives);
    }
    fixture_close(&f);
}

/* A geometry program that fails is told, with its name and stage; later draws go on. */
static void test_geometry_traps(void **state) {
    (void)state;
    static const float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *gp = fixture_program(&f, TP_GEOMETRY,
                                     ".primitive triangle_strip\n.vertices 3\n"
                                     ".output position o[0x0]\n.output varying o[0x10] 4\n"
                                     "mov b32 $r0 1.0\nmov b32 o[0x0] $r0\nmov b32 o[0x1c] $r0\n"
                                     "again: bra #again\nexit nop\n");
    OK(&f, tp_bind_program(f.context, TP_GEOMETRY, gp));
    fixture_draw(&f, TP_TRIANGLES, v, 3);
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(f.device), "geometry program test: TIMEOUT"));
    OK(&f, tp_bind_program(f.context, TP_GEOMETRY, NULL));
    fixture_draw(&f, TP_TRIANGLES, v, 3);
    fixture_read(&f);
    assert_int_equal(fixture_count(&f), SIZE * SIZE);
    OK(&f, tp_finish(f.context));
    tp_program_destroy(gp);
    fixture_close(&f);
}

/* A size of 0, which no register rules out, is one pixel. */
static void test_points_of_no_size(void **state) {
    (void)state;
    static const float sizes[] = {0, -3, 1, 3};
    static const uint32_t pixels[] = {1, 1, 1, 9};
    static const float white[3] = {1, 1, 1};
    struct fixture f;
    float v[1][8];
    fixture_open(&f, 1, NULL, SIZE);
    set_vertex(v[0], 20.5f, 30.5f, 0, white);
    for (int i = 0; i < 4; i++) {
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        f.context->state.point_size = sizes[i];
        state_touch(&f.context->state, GROUP_RASTER);
        fixture_draw(&f, TP_POINTS, v, 1);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), pixels[i]);
    }
    fixture_close(&f);
}

/* ---- depth ---- */

static float depth_at(struct fixture *f, uint32_t x, uint32_t y) {
    static uint32_t words[SIZE * SIZE];
    OK(f, tp_texture_read(f->context, f->zeta, 0, 0, words, SIZE * 4));
    return (float)((double)(words[y * SIZE + x] & 0xffffff) / 0xffffff);
}

/* With depth clamp z is limited to the viewport's depth range, whichever end is larger; without it
 * what is outside -w .. w is cut off. z: of normalized device coordinates. */
static void test_depth_range(void **state) {
    (void)state;
    static const struct {
        float near, far, z, clamped, clipped; /* 1: nothing drawn */
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
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int clamp = 0; clamp < 2; clamp++) {
            float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
            for (int k = 0; k < 3; k++)
                v[k][2] = row[i].z;
            OK(&f, tp_clear(f.context, TP_CLEAR_DEPTH, NULL, 1, 0));
            OK(&f, tp_set_depth(f.context, &(struct tp_depth_state){
                                               .test = true, .write = true, .func = TP_ALWAYS}));
            OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.depth_clamp = clamp}));
            OK(&f, tp_set_depth_range(f.context, 0, row[i].near, row[i].far));
            fixture_draw(&f, TP_TRIANGLES, v, 3);
            const float expected = clamp ? row[i].clamped : row[i].clipped;
            if (fabsf(depth_at(&f, 40, 70) - expected) > 1e-6f)
                fail_msg("row %zu, clamp %d: %g", i, clamp, (double)depth_at(&f, 40, 70));
        }
    fixture_close(&f);
}

/* Two pixels, colours or depths with stencils, that differ by no more than rounding. */
static bool is_close(uint32_t a, uint32_t b, bool depth) {
    if (depth)
        return llabs((long long)(a & 0xffffff) - (long long)(b & 0xffffff)) <= 4 &&
               a >> 24 == b >> 24;
    for (int k = 0; k < 32; k += 8)
        if (abs((int)(a >> k & 255) - (int)(b >> k & 255)) > 1)
            return false;
    return true;
}

/* Window coordinates, w of no account, give what the same positions give by the viewport's transform: triangles,
 * outlines, lines and points, with their depths; what distances cut off is rounded elsewhere. */
static void test_window_coordinates(void **state) {
    (void)state;
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
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        uint32_t seed = 3, picture[2][2][SIZE * SIZE];
        float v[2][VERTICES][8];
        for (int i = 0; i < VERTICES; i++) { /* whole parts of 64: both ways are exact */
            uint32_t n[8];
            for (int k = 0; k < 8; k++)
                n[k] = (seed = seed * 1664525 + 1013904223) >> 16;
            const float x = (float)(n[0] % (SIZE * 64)) / 64, y = (float)(n[1] % (SIZE * 64)) / 64;
            const float z = (float)(n[2] % 65) / 64;
            const float window[4] = {x, y, z, 0.5f};
            const float clip[4] = {x / (SIZE / 2) - 1, 1 - y / (SIZE / 2), 2 * z - 1, 1};
            for (int k = 0; k < 8; k++) {
                v[0][i][k] = k < 4 ? clip[k] : k == 7 ? 1 : (float)(n[k] % 256) / 256;
                v[1][i][k] = k < 4 ? window[k] : v[0][i][k];
            }
        }
        for (int window = 0; window < 2; window++) {
            struct fixture f;
            fixture_open(&f, 1, NULL, SIZE);
            tp_program *vp = fixture_program(&f, TP_VERTEX, cut_vp);
            if (ways[way].raster.clip_distances)
                OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
            OK(&f, tp_set_window_coordinates(f.context, window));
            OK(&f, tp_set_raster(f.context, &ways[way].raster));
            OK(&f, tp_set_depth(f.context, &(struct tp_depth_state){
                                               .test = true, .write = true, .func = TP_LESS}));
            fixture_draw(&f, ways[way].type, (const float(*)[8])v[window], VERTICES);
            fixture_read(&f);
            memcpy(picture[window][0], f.pixels, sizeof picture[window][0]);
            OK(&f, tp_texture_read(f.context, f.zeta, 0, 0, picture[window][1], SIZE * 4));
            assert_in_range(fixture_count(&f), 10, SIZE * SIZE);
            tp_program_destroy(vp);
            fixture_close(&f);
        }
        for (int plane = 0; plane < 2; plane++)
            for (uint32_t i = 0; i < SIZE * SIZE; i++)
                if (ways[way].raster.clip_distances
                        ? !is_close(picture[0][plane][i], picture[1][plane][i], plane)
                        : picture[0][plane][i] != picture[1][plane][i])
                    fail_msg("way %zu, %s of pixel %u, %u: %08x, not %08x", way,
                             plane ? "depth" : "colour", i % SIZE, i / SIZE, picture[1][plane][i],
                             picture[0][plane][i]);
    }
}

/* ---- clipped edges ---- */

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

/* What a clip distance leaves of a primitive has the colours that were there without it: the
 * distance x + k w cuts at x = -k in normalized device coordinates. */
static void check_clipped(enum tp_primitive type, const float (*v)[8], uint32_t n, bool linear) {
    static const float cut[] = {-0.8f, -0.3f, 0.01f, 0.4f, 0.7f};
    static uint8_t whole[SIZE * SIZE * 4];
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *vp = fixture_program(&f, TP_VERTEX, clip_vp);
    tp_program *fp = fixture_program(&f, TP_FRAGMENT, linear_fp);
    OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
    if (linear)
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, fp));
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
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
        for (uint32_t at = 0; at < SIZE * SIZE; at++) {
            const float x = 2 * ((float)(at % SIZE) + 0.5f) / SIZE - 1;
            if (!whole[4 * at + 3] || fabsf(x + cut[i]) < 2.0f / SIZE)
                continue; /* nothing there, or at the edge */
            const bool kept = x + cut[i] > 0;
            left += kept, gone += !kept;
            for (int k = 0; k < 4; k++)
                if (abs(f.pixels[4 * at + (unsigned)k] - (kept ? whole[4 * at + (unsigned)k] : 0)) >
                    1)
                    fail_msg("cut at %g: pixel %u, %u component %d: %u, without %u",
                             (double)-cut[i], at % SIZE, at / SIZE, k,
                             f.pixels[4 * at + (unsigned)k], whole[4 * at + (unsigned)k]);
        }
        assert_true(left && gone);
    }
    tp_program_destroy(vp);
    tp_program_destroy(fp);
    fixture_close(&f);
}

/* Clip space w of 1, 3 and 2: perspective and linear on the screen differ. */
static void test_clipped_values(void **state) {
    (void)state;
    static const float v[4][8] = {{-0.9f, 0.9f, 0, 1, 0, 0.2f, 1, 1},
                                  {2.7f, 2.1f, 0, 3, 1, 0.4f, 0, 1},
                                  {-0.2f, -1.8f, 0, 2, 0.3f, 1, 0.5f, 1},
                                  {-1.7f, 1.5f, 0, 2, 0.1f, 0.6f, 0.9f, 1}};
    for (int linear = 0; linear < 2; linear++) {
        check_clipped(TP_TRIANGLES, v, 3, linear);
        check_clipped(TP_LINE_STRIP, v, 4, linear);
    }
}

/* What lies before the near plane is cut off: z < -w, or z < 0. */
static void test_near_at_zero(void **state) {
    (void)state;
    static const struct {
        float z, w;
        bool drawn[2]; /* from -w, from 0 */
    } row[] = {{-1.5f, 1, {false, false}}, {-1, 1, {true, false}},  {-0.5f, 1, {true, false}},
               {0, 1, {true, true}},       {0.5f, 1, {true, true}}, {1.5f, 1, {false, false}},
               {-2, 3, {true, false}},     {2, 3, {true, true}}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    for (size_t i = 0; i < 2 * sizeof row / sizeof *row; i++) {
        const float z = row[i / 2].z, w = row[i / 2].w;
        float v[3][8] = {RGB(-1, 1, 1, 1, 1), RGB(3, 1, 1, 1, 1), RGB(-1, -3, 1, 1, 1)};
        for (int k = 0; k < 3; k++)
            v[k][0] *= w, v[k][1] *= w, v[k][2] = z, v[k][3] = w;
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.near_at_zero = i & 1}));
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        if (fixture_count(&f) != (row[i / 2].drawn[i & 1] ? SIZE * SIZE : 0))
            fail_msg("row %zu: %u pixels", i, fixture_count(&f));
        /* from there to z = w on the other side: what is left is where z is inside */
        for (int k = 0; k < 3; k++)
            v[k][2] = v[k][0];
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        assert_int_equal(fixture_pixel(&f, SIZE / 4, 9) != 0, !(i & 1));
        assert_int_equal(fixture_pixel(&f, 3 * SIZE / 4, 9) != 0, true);
    }
    fixture_close(&f);
}

/* Pixel centres at whole numbers: everything lies half a pixel further right and down. */
static void test_whole_centres(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    static const float white[3] = {1, 1, 1};
    for (int whole = 0; whole < 2; whole++) {
        float v[4][8];
        for (int k = 0; k < 4; k++)
            set_vertex(v[k], k & 1 ? 16.25f : 8.25f, k & 2 ? 30.25f : 20.25f, 0, white);
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.center_integer = whole}));
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(&f, TP_TRIANGLE_STRIP, v, 4);
        fixture_read(&f);
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {
            const uint32_t x = i % SIZE - (uint32_t)whole, y = i / SIZE - (uint32_t)whole;
            assert_int_equal(fixture_pixel(&f, i % SIZE, i / SIZE) != 0, x - 8 < 8 && y - 20 < 10);
        }
    }
    fixture_close(&f);
}

/* A cull distance removes primitives all of whose vertices are beyond it, and cuts none. */
static void test_cull_distances(void **state) {
    (void)state;
    static const float white[3] = {1, 1, 1}, cuts[] = {2, 0, -0.5f, -2}; /* kept: x > -cut */
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    tp_program *vp = fixture_program(&f, TP_VERTEX, clip_vp);
    OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
    for (int i = 0; i < 8; i++) {
        const bool culls = i & 1;
        float v[3][8];
        set_vertex(v[0], 0, 0, 0, white);
        set_vertex(v[1], SIZE, 0, 0, white);
        set_vertex(v[2], 0, SIZE, 0, white);
        OK(&f, tp_set_constants(f.context, TP_VERTEX, 0, &cuts[i / 2], 4));
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.clip_distances = 1,
                                                                  .cull_distances = culls}));
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        const bool left = i / 2 == 0 || (culls && i / 2 < 3), right = i / 2 < 3;
        assert_int_equal(fixture_pixel(&f, 4, 4) != 0, left);
        assert_int_equal(fixture_pixel(&f, SIZE - 8, 2) != 0, right);
        OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0)); /* the same of lines */
        set_vertex(v[0], 0, 20.5f, 0, white);
        set_vertex(v[1], SIZE, 20.5f, 0, white);
        fixture_draw(&f, TP_LINES, v, 2);
        fixture_read(&f);
        assert_int_equal(fixture_pixel(&f, 4, 20) != 0, left);
        assert_int_equal(fixture_pixel(&f, SIZE - 8, 20) != 0, right);
    }
    tp_program_destroy(vp);
    fixture_close(&f);
}

/* Arrays 0 to 15, per instance, from first_instance on; a base vertex is for indices. */
static void test_array_numbers(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    float v[6][8], colors[8][4];
    static const float none[3];
    for (int k = 0; k < 6; k++) /* the second triangle is nowhere */
        set_vertex(v[k], k == 1 ? 2 * SIZE : 0, k == 2 ? 2 * SIZE : 0, 0, none);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 4; k++)
            colors[i][k] = k == 3 ? 1 : (float)(i * 30 + k * 7) / 255;
    tp_buffer *per_instance;
    OK(&f, tp_buffer_create(f.device, sizeof colors, colors, &per_instance));
    fixture_vertices(&f, (const float(*)[8])v, 6);
    for (unsigned array = 1; array < 16; array++)
        for (uint32_t first = 0; first < 8; first++) {
            OK(&f, tp_bind_vertices(f.context, array, per_instance, 0, 16, 1));
            OK(&f, tp_set_attribute(f.context, 1, array, 0, 4, TP_FLOAT32));
            OK(&f, tp_draw(f.context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                             .count = 3,
                                                             .base_vertex = 3,
                                                             .first_instance = first}));
            fixture_read(&f);
            assert_int_equal(fixture_pixel(&f, 50, 50), 0xff000000 | (first * 30 + 14) << 16 |
                                                            (first * 30 + 7) << 8 | first * 30);
            OK(&f, tp_bind_vertices(f.context, array, NULL, 0, 0, 0));
        }
    tp_buffer_destroy(per_instance);
    fixture_close(&f);
}

/* Through the near plane: a floor that runs behind the eye has the colours of its far part. */
static void test_near_plane(void **state) {
    (void)state;
    static const float rgb[2][3] = {{0, 0, 0}, {1, 1, 1}};
    struct fixture f;
    fixture_open(&f, 1, NULL, SIZE);
    float v[4][8];
    for (int i = 0; i < 4; i++) { /* along x = +-w, y = -1; w from -3 to 5, white grows with w */
        const float w = i & 2 ? 5 : -3;
        const float one[8] = {i & 1 ? 8 : -8, -1, w - 1, w, rgb[i >> 1][0], rgb[i >> 1][1],
                              rgb[i >> 1][2], 1};
        memcpy(v[i], one, sizeof one);
    }
    fixture_draw(&f, TP_TRIANGLE_STRIP, v, 4);
    fixture_read(&f);
    for (uint32_t y = 0; y < SIZE; y++) {
        const float down = ((float)y + 0.5f) / (SIZE / 2) - 1; /* = 1 / w there */
        const float w = 1 / down, value = (w + 3) / 8;
        const bool inside = down > 0 && w < 5 && w > 0.5f;
        const bool edge = fabsf(down - 0.2f) < 0.02f;
        if (!edge && !inside)
            assert_int_equal(fixture_pixel(&f, SIZE / 2, y), 0);
        else if (!edge)
            assert_true(fabsf((float)(fixture_pixel(&f, SIZE / 2, y) & 0xff) - 255 * value) <=
                        1.0f);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearly_covered_tiles),
        cmocka_unit_test(test_constants_of_neighbours),
        cmocka_unit_test(test_viewports),
        cmocka_unit_test(test_cut_in_viewports),
        cmocka_unit_test(test_layers_beyond),
        cmocka_unit_test(test_restart_with_arrays),
        cmocka_unit_test(test_geometry_traps),
        cmocka_unit_test(test_points_of_no_size),
        cmocka_unit_test(test_depth_range),
        cmocka_unit_test(test_window_coordinates),
        cmocka_unit_test(test_clipped_values),
        cmocka_unit_test(test_near_at_zero),
        cmocka_unit_test(test_whole_centres),
        cmocka_unit_test(test_cull_distances),
        cmocka_unit_test(test_array_numbers),
        cmocka_unit_test(test_near_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
