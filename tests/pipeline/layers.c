/* Viewports and layers that the last stage before the rasterizer chooses for a primitive; layers
 * that the next draw samples; l[] of vertex, geometry and fragment programs. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"
#include "pipeline/debug/watch.h"

enum { SIZE = 64, LAYERS = 4, GRID = 4, CELL = SIZE / GRID };

#define PASS                                                                                       \
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n" \
    "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\nmov b32 o[0x1c] a[0x18]\n"

/* A vertex program that takes its choice of viewport or layer from the last component of attribute
 * 1. Alpha repeats blue. */
static tp_program *choosing(struct fixture *f, const char *what) {
    char text[1024];
    snprintf(
        text, sizeof text,
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n.output %s o[0x20]\n" PASS
        "exit mov b32 o[0x20] a[0x1c]\n",
        what);
    return fixture_bind(f, TP_VERTEX, text);
}

/* Two triangles over everything; the last component is the integer `choice`. */
static void square(float v[6][8], float red, float depth, uint32_t choice) {
    for (int i = 0; i < 6; i++) {
        const float x = (float)(i == 1 || i > 3 ? 1 : -1),
                    y = (float)(i == 2 || i == 3 || i == 5 ? 1 : -1);
        const float one[8] = {x, y, depth, 1, red, 0, 1};
        memcpy(v[i], one, sizeof one);
        memcpy(&v[i][7], &choice, sizeof choice);
    }
}

/* Sixteen viewports with different places, sizes and depth ranges. */
DRAW_TEST(test_viewports, 2, SIZE) {
    float v[16][6][8];
    choosing(f, "viewport");
    for (unsigned i = 0; i < 16; i++) {
        const float wide = (float)(1 + i % 5), high = (float)(1 + i % 7);
        const float scale[3] = {wide, -high, (float)i / 32};
        const float at[3] = {(float)(CELL * (i % GRID) + CELL / 2),
                             (float)(CELL * (i / GRID) + CELL / 2), 0.5f};
        OK(f, tp_set_viewport_transform(f->context, i, scale, at));
        square(v[i], (float)i / 255, -1, i);
    }
    fixture_depth(f, TP_ALWAYS);
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 16 * 6);
    fixture_read(f);
    static uint32_t depths[SIZE * SIZE];
    OK(f, tp_texture_read(f->context, f->zeta, 0, 0, depths, SIZE * 4));
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const int i = y / CELL * GRID + x / CELL;
            const int across = x % CELL - CELL / 2, down = y % CELL - CELL / 2, wide = 1 + i % 5,
                      high = 1 + i % 7;
            const bool in = across >= -wide && across < wide && down >= -high && down < high;
            if (fixture_pixel(f, (uint32_t)x, (uint32_t)y) != (in ? 0xffff0000 | (uint32_t)i : 0))
                fail_msg("pixel %d, %d of viewport %d: %08x", x, y, i,
                         fixture_pixel(f, (uint32_t)x, (uint32_t)y));
            const double depth = (double)(depths[y * SIZE + x] & 0xffffff) / 0xffffff;
            const double want = in ? 0.5 - (double)i / 32 : 1;
            if (depth < want - 1e-6 || depth > want + 1e-6)
                fail_msg("depth %d, %d of viewport %d: %.7f, not %.7f", x, y, i, depth, want);
        }
}

/* Points, lines, outlines and filled triangles over everything, each cut off by the scissor of the
 * viewport that its provoking vertex names. */
DRAW_TEST(test_scissors, 2, SIZE) {
    static const struct {
        enum tp_primitive primitive;
        enum tp_polygon_mode mode;
        uint32_t vertices;
        float corner[3][2];
    } rows[] = {
        {TP_POINTS, TP_POLYGON_FILL, 1, {{0}}},
        {TP_LINES, TP_POLYGON_FILL, 2, {{-1, 0}, {1, 0}}},
        {TP_TRIANGLES, TP_POLYGON_LINE, 3, {{-1, 0}, {1, 0}, {0, 0.1f}}},
        {TP_TRIANGLES, TP_POLYGON_POINT, 3, {{0, 0}, {0, 0.1f}, {0.1f, 0}}},
        {TP_TRIANGLES, TP_POLYGON_FILL, 3, {{-1, 1}, {3, 1}, {-1, -3}}},
    };
    choosing(f, "viewport");
    for (uint32_t i = 0; i < 16; i++) {
        OK(f, tp_set_viewport(f->context, i, 0, 0, SIZE, SIZE));
        OK(f, tp_set_scissor(f->context, i, CELL * (i % GRID), CELL * (i / GRID), CELL, CELL));
    }
    for (size_t r = 0; r < LENGTH(rows); r++) {
        float v[16 * 3][8] = {{0}};
        const uint32_t n = rows[r].vertices;
        for (uint32_t i = 0; i < 16 * n; i++) {
            const uint32_t choice = i / n;
            const float one[8] = {rows[r].corner[i % n][0],
                                  rows[r].corner[i % n][1],
                                  0,
                                  1,
                                  (float)(choice + 1) / 255.0f,
                                  0,
                                  1};
            memcpy(v[i], one, sizeof one);
            memcpy(&v[i][7], &choice, sizeof choice);
        }
        OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.polygon_front = rows[r].mode,
                                                                  .polygon_back = rows[r].mode,
                                                                  .point_size = 3 * SIZE,
                                                                  .line_width = 3 * SIZE}));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        fixture_draw(f, rows[r].primitive, (const float(*)[8])v, 16 * n);
        fixture_read(f);
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = 0; x < SIZE; x++)
                if ((fixture_pixel(f, x, y) & 0xff) != y / CELL * GRID + x / CELL + 1)
                    fail_msg("row %zu, pixel %u, %u: %08x", r, x, y, fixture_pixel(f, x, y));
    }
}

#define FETCH                                                                                      \
    "mov b32 $r0 0x3f0\nmov b32 $r1 0x3f0\nmov b32 $r2 0x%x\nmov b32 $r3 0x0\n"                    \
    "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n"

static const char *const fetching[] = {
    ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n" FETCH
    "mov b32 o[0x10] $r0\nmov b32 o[0x14] $r1\nmov b32 o[0x18] $r2\nexit mov b32 o[0x1c] $r3\n",
    ".interpolants position=w smooth=4\n" FETCH "exit nop\n"};

/* Draws to a layer of a colour or depth target. The vertex or fragment program of the next draw
 * samples this layer. */
static void check_sampled(bool depths, bool fragments) {
    const enum tp_stage stage = fragments ? TP_FRAGMENT : TP_VERTEX;
    enum { TEXTURE = 1024, QUADS = 30 }; /* enough work to take a while */
    static float v[QUADS][6][8];
    FIXTURE(f, 2, NULL, SIZE);
    tp_program *vp = choosing(&f, "layer"), *fetch[LAYERS];
    fixture_buffer(&f, 64 << 20, NULL); /* makes addresses large */
    tp_texture *color = fixture_array(&f, TP_FORMAT_RGBA8, TEXTURE, TEXTURE, LAYERS);
    tp_texture *zeta = fixture_array(&f, TP_FORMAT_Z32F, TEXTURE, TEXTURE, LAYERS);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        char text[1024];
        snprintf(text, sizeof text, fetching[fragments], layer);
        fetch[layer] = fixture_program(&f, stage, text);
    }
    for (uint32_t round = 0; round < 3 * LAYERS; round++) {
        const uint32_t layer = round * 3 % LAYERS;
        for (uint32_t i = 0; i < QUADS; i++)
            square(v[i], i < QUADS - 1 ? 0 : (float)(round + 1) / 255,
                   i < QUADS - 1 ? 1 : (float)(round + 1) / 255, layer);
        const struct tp_target target = {color, 0, 0, true}, depth = {zeta, 0, 0, true};
        OK(&f, tp_bind_texture(f.context, stage, 0, NULL, NULL));
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp));
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
        OK(&f, tp_set_targets(f.context, depths ? 0 : 1, &target, depths ? &depth : NULL));
        OK(&f, tp_set_depth(f.context, &(struct tp_depth_state){
                                           .test = depths, .write = depths, .func = TP_ALWAYS}));
        fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 6);
        OK(&f, tp_set_blend(f.context, 0, &fixture_add)); /* no quad hides another */
        fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, QUADS * 6);
        OK(&f, tp_set_target(f.context, f.color, NULL));
        OK(&f, tp_set_blend(f.context, 0, &(struct tp_blend_target){.enable = false}));
        OK(&f, tp_set_depth(f.context, &(struct tp_depth_state){.test = false}));
        OK(&f, tp_bind_texture(f.context, stage, 0, depths ? zeta : color, NULL));
        OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
        OK(&f, tp_bind_program(f.context, stage, fetch[layer]));
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 6));
        fixture_read(&f);
        const uint32_t seen = fixture_pixel(&f, 2, 2) & 0xff,
                       want = depths ? (255 + round + 1 + 1) / 2 : round + 1;
        if (abs((int)seen - (int)want) > (int)depths)
            fail_msg("%s, round %u, layer %u: %u, not %u", depths ? "depth" : "colour", round,
                     layer, seen, want);
    }
}

TEST(test_layers_are_sampled) {
    for (int i = 0; i < 4; i++)
        check_sampled(i & 1, i & 2);
}

/* l[] of vertex and fragment programs begins as zeros, also if programs with more and less l[]
 * follow each other. */
TEST(test_local_memory) {
    static const unsigned at[] = {0x10, 0x400, 0x20, 0x8000, 0x0, 0xfff0};
    static const char vp_text[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n.local %u\n" PASS
        "mov b32 $r0 a[0x10]\nld b32 $r1 l[0x%x]\nst b32 l[0x%x] $r0\nld b32 $r2 l[0x%x]\n"
        "add f32 $r0 $r1 $r2\nexit mov b32 o[0x10] $r0\n";
    static const char fp_text[] =
        ".interpolants position=w smooth=4\n.local %u\n"
        "interp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\nld b32 $r1 l[0x%x]\n"
        "st b32 l[0x%x] $r0\nld b32 $r2 l[0x%x]\nadd f32 $r0 $r1 $r2\nmov b32 $r1 0.0\n"
        "mov b32 $r2 0.0\nmov b32 $r3 1.0\nexit nop\n";
    for (int fragments = 0; fragments < 2; fragments++) {
        float v[6][8];
        FIXTURE(f, 2, NULL, SIZE);
        for (unsigned i = 0; i < LENGTH(at); i++) {
            char text[1024];
            snprintf(text, sizeof text, fragments ? fp_text : vp_text, at[i] + 16, at[i], at[i],
                     at[i]);
            const enum tp_stage stage = fragments ? TP_FRAGMENT : TP_VERTEX;
            fixture_bind(&f, stage, text);
            OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
            square(v, (float)(i + 1) / 255, 0, 0);
            fixture_draw(&f, TP_TRIANGLES, (const float(*)[8])v, 6);
            fixture_read(&f);
            for (uint32_t k = 0; k < SIZE * SIZE; k++)
                assert_int_equal(fixture_pixel(&f, k % SIZE, k / SIZE) & 0xff, i + 1);
        }
    }
}

/* l[] of vertex and geometry programs is zero for each warp, although the warps before wrote all of
 * it. It has as many bytes as the header says, also if these are no whole words: a read beyond
 * gives zero, a store is dropped. */
TEST(test_memory_of_each_warp) {
    enum { POINTS = 3 * 32 + 5, TOP = 40 };
    static const char vp_text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS;
    static const char gp_text[] =
        ".primitive points\n.vertices 1\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\nshl $a1 a[0x0] 0\n"
        "mov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\nmov b32 o[0x8] p[$a1+0x8]\n"
        "mov b32 o[0xc] p[$a1+0xc]\n";
    for (int geometry = 0; geometry < 2; geometry++)
        for (uint32_t size = 1; size <= TOP; size += size < 9 ? 1 : 7) {
            char text[8192];
            FIXTURE(f, 1, NULL, SIZE);
            int n = snprintf(text, sizeof text, ".local %u\n%smov b32 $r3 0\nmov b32 $r1 0x3f\n",
                             size, geometry ? gp_text : vp_text);
            for (int pass = 0; pass < 2; pass++) /* reads, then writes all of l[] and more */
                for (uint32_t at = 0; at < TOP + 4; at++)
                    n += snprintf(text + n, sizeof text - (size_t)n,
                                  pass ? "st u8 l[0x%x] $r1\n"
                                       : "ld u8 $r2 l[0x%x]\nor b32 $r3 $r3 $r2\n",
                                  at);
            snprintf(
                text + n, sizeof text - (size_t)n, "%s",
                "mov b32 $r2 1.0\nmov b32 o[0x10] $r2\nmov b32 o[0x14] $r2\n"
                "mov b32 $r4 0x3f\nadd b32 $r3 $r3 $r4\ncvt rn f32 $r3 u32 $r3\nmov b32 $r4 0x3b808081\n"
                "mul f32 $r3 $r3 $r4\nmov b32 o[0x18] $r3\nmov b32 o[0x1c] $r2\n");
            strcat(text, geometry ? "emit\nexit nop\n" : "exit nop\n");
            fixture_bind(&f, geometry ? TP_GEOMETRY : TP_VERTEX, text);
            fixture_points(&f);
            OK(&f, tp_draw_arrays(f.context, TP_POINTS, 0, POINTS));
            fixture_read(&f);
            for (uint32_t i = 0; i < POINTS; i++)
                if (fixture_pixel(&f, i % SIZE, i / SIZE) != 0xff3fffff)
                    fail_msg("%s program, %u bytes, vertex %u: %08x",
                             geometry ? "geometry" : "vertex", size, i,
                             fixture_pixel(&f, i % SIZE, i / SIZE));
        }
}

/* A program that chooses no viewport and one that chooses viewport 1 draw in random order. If
 * viewport 1 is set while the first program is bound, the second program draws with it. Each turn
 * has its own row. */
TEST(test_viewports_of_other_programs) {
    enum { PLACES = 4, STEP = 8 };
    static float points[SIZE][8];
    uint32_t place = 0, want[SIZE];
    uint64_t seed = 3;
    FIXTURE(f, 1, NULL, SIZE);
    tp_program *vp[] = {f.vp, choosing(&f, "viewport")};
    for (uint32_t i = 0; i < SIZE; i++) {
        const float one[8] = {2.5f * 2 / SIZE - 1, 1 - ((float)i + 0.5f) * 2 / SIZE, 0, 1, 1, 1, 1};
        memcpy(points[i], one, sizeof one);
        memcpy(&points[i][7], &(uint32_t){1}, 4);
    }
    fixture_vertices(&f, (const float(*)[8])points, SIZE);
    for (uint32_t turn = 0; turn < SIZE; turn++) {
        const uint32_t word = (uint32_t)random_next(&seed);
        const unsigned program = word >> 20 & 1;
        OK(&f, tp_bind_program(f.context, TP_VERTEX, vp[program]));
        if (!turn || (word >> 24 & 1)) {
            place = word >> 22 & (PLACES - 1);
            const float half[3] = {SIZE / 2, -SIZE / 2, .5f},
                        at[3] = {SIZE / 2 + (float)(place * STEP), SIZE / 2, .5f};
            OK(&f, tp_set_viewport_transform(f.context, 1, half, at));
        }
        OK(&f, tp_draw_arrays(f.context, TP_POINTS, turn, 1));
        want[turn] = program ? place : 0;
    }
    fixture_read(&f);
    for (uint32_t turn = 0; turn < SIZE; turn++)
        for (uint32_t k = 0; k < PLACES; k++)
            if ((fixture_pixel(&f, 2 + k * STEP, turn) & 0xffffff) !=
                (k == want[turn] ? 0xffffff : 0))
                fail_msg("turn %u: %08x at place %u, not %u", turn,
                         fixture_pixel(&f, 2 + k * STEP, turn), k, want[turn]);
}

/* A watcher of tiles gets the place and layer of each drawn tile once. */
enum { WIDTH = 2 * 64 + 2, HEIGHT = 64 + 6 };

static void count_tile(void *self, int32_t x, int32_t y, uint32_t layer, uint64_t nanoseconds) {
    int(*seen)[2][3] = self;
    (void)nanoseconds;
    assert_true(x % 64 == 0 && y % 64 == 0 && (uint32_t)x < WIDTH && (uint32_t)y < HEIGHT &&
                layer < LAYERS);
    seen[layer][y / 64][x / 64]++;
}

DRAW_TEST(test_tiles_watched, 1, SIZE) {
    int seen[LAYERS][2][3];
    struct pixel_watch watch = {.self = seen, .tile = count_tile};
    choosing(f, "layer");
    fixture_layers(f, WIDTH, HEIGHT, LAYERS);
    OK(f, tp_finish(f->context));
    context_watch(f->context, &watch);
    for (uint32_t chosen = 0; chosen < 1 << LAYERS; chosen++) {
        memset(seen, 0, sizeof seen);
        for (uint32_t layer = 0; layer < LAYERS; layer++) {
            float v[6][8];
            square(v, 1, 0, layer);
            if (chosen >> layer & 1)
                fixture_draw(f, TP_TRIANGLES, (const float(*)[8])v, 6);
        }
        OK(f, tp_finish(f->context));
        for (uint32_t i = 0; i < LAYERS * 6; i++)
            assert_int_equal(seen[i / 6][i / 3 % 2][i % 3], chosen >> i / 6 & 1);
    }
    context_watch(f->context, NULL);
}
