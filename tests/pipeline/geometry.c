/* Geometry programs: p[] and primitive id, amplification in order, strips and restart, the vertex
 * limit, adjacency, layers; transform feedback set through the internal state. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 64 };

#define AT(x, y) {x, y, 0, 1, 1, 1, 1, 1}

/* Copies position and colour of the vertex that $a1 points to into o[], moved by $r4, $r5. */
#define COPY                                                                                       \
    "mov b32 $r0 p[$a1]\nadd f32 $r0 $r0 $r4\nmov b32 o[0x0] $r0\n"                                \
    "mov b32 $r0 p[$a1+0x4]\nadd f32 $r0 $r0 $r5\nmov b32 o[0x4] $r0\n"                            \
    "mov b32 $r0 p[$a1+0x8]\nmov b32 o[0x8] $r0\nmov b32 $r0 p[$a1+0xc]\nmov b32 o[0xc] $r0\n"     \
    "mov b32 $r0 p[$a1+0x10]\nmov b32 o[0x10] $r0\nmov b32 $r0 p[$a1+0x14]\nmov b32 o[0x14] $r0\n" \
    "mov b32 $r0 p[$a1+0x18]\nmov b32 o[0x18] $r0\nmov b32 $r0 p[$a1+0x1c]\nmov b32 o[0x1c] $r0\n"
#define VERTEX(i) "shl $a1 a[" i "] 0\n" COPY "emit\n"
#define TRIANGLE(x, y)                                                                             \
    "mov b32 $r4 " x "\nmov b32 $r5 " y "\n" VERTEX("0x0") VERTEX("0x4") VERTEX("0x8") "restart\n"
#define OUTPUTS ".output position o[0x0]\n.output varying o[0x10] 4\n"

/* Emits every triangle twice, the second time moved; enough triangles for several warps. */
DRAW_TEST(test_amplify, 2, SIZE) {
    enum { N = 100 };
    static const char text[] =
        ".primitive triangle_strip\n.vertices 6\n" OUTPUTS TRIANGLE("0.0", "0.0")
            TRIANGLE("1.0", "0.0") "exit nop\n";
    float v[3 * N][8];
    for (int i = 0; i < N; i++) {
        const float base[3][8] = {AT(-1, 1), AT(0, 1), AT(-1, -1)};
        memcpy(v[3 * i], base, sizeof base);
        for (int k = 0; k < 3; k++)
            v[3 * i + k][5] = i == N - 1 ? 1 : 0; /* only the last primitive is white */
    }
    fixture_bind(f, TP_GEOMETRY, text);
    fixture_draw(f, TP_TRIANGLES, v, 3 * N);
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 2, 2), 0xffffffff);
    assert_int_equal(fixture_pixel(f, SIZE / 2 + 2, 2), 0xffffffff);
    assert_int_equal(fixture_count(f), 2 * (SIZE / 2) * SIZE / 2);
    struct tp_statistics s;
    OK(f, tp_get_statistics(f->context, &s));
    assert_int_equal(s.primitives, 2 * N);
    assert_int_equal(s.geometry_warps, (N + 31) / 32);
}

enum { CELLS = 8, CELL = SIZE / CELLS };

/* A way is a SIMD level and a kind of grid: in even ways neighbouring columns differ, in odd ways
 * pairs of columns are equal. */
enum { WAYS = 2 * 3 };
static const char *const simd_of[3] = {"base", "avx2", NULL};
static uint32_t kind_of(uint32_t column, int way) {
    return column >> (way & 1) & 3;
}

/* Draws a triangle in the left half of each cell of a grid. The column's kind is in the green and
 * blue words, on which the program branches. */
static void draw_grid(struct fixture *f, const char *text, int way) {
    float v[3 * CELLS * CELLS][8];
    for (int i = 0; i < CELLS * CELLS; i++) {
        const uint32_t kind = kind_of((uint32_t)i % CELLS, way);
        const float x = (float)(i % CELLS) / 4 - 1, y = (float)(i / CELLS) / 4 - 1;
        const float corner[3][2] = {{x, y}, {x + .125f, y}, {x, y + .25f}};
        for (int k = 0; k < 3; k++) {
            const float vertex[8] = {corner[k][0],      corner[k][1],       0, 1, 1,
                                     (float)(kind & 1), (float)(kind >> 1), 1};
            memcpy(v[3 * i + k], vertex, sizeof vertex);
        }
    }
    fixture_open(f, 1, simd_best() >= SIMD_AVX2 ? simd_of[way / 2] : NULL, SIZE);
    fixture_bind(f, TP_GEOMETRY, text);
    OK(f, tp_set_constants(f->context, TP_GEOMETRY, 0, &(float){.5f}, 4));
    fixture_draw(f, TP_TRIANGLES, v, 3 * CELLS * CELLS);
    fixture_read(f);
}

#define UNLESS(component, label)                                                                   \
    "shl $a1 a[0x0] 0\nmov b32 $r0 p[$a1+" component "]\nset $c0 # g f32 $r0 c0[0x0]\n"            \
    "(lg $c0) bra #" label "\n"

/* Lanes emit nothing, one of two triangles, or both. In odd ways, both lanes of a pair emit
 * alike. */
static void check_lanes(int way) {
    FIXTURE_OPEN(f, draw_grid,
                 ".primitive triangle_strip\n.vertices 6\n" OUTPUTS UNLESS("0x14", "second")
                     TRIANGLE("0.0", "0.0") "second: nop\n" UNLESS("0x18", "end")
                         TRIANGLE("0.125", "0.0") "end: exit nop\n",
                 way);
    for (uint32_t i = 0; i < CELLS * CELLS; i++) {
        const uint32_t kind = kind_of(i % CELLS, way);
        uint32_t lit[2] = {0, 0};
        for (uint32_t k = 0; k < CELL * CELL; k++)
            lit[k % CELL >= CELL / 2] +=
                fixture_pixel(&f, i % CELLS * CELL + k % CELL, i / CELLS * CELL + k / CELL) != 0;
        assert_int_equal(lit[0], kind & 1 ? 0 : CELL * CELL / 4);
        assert_int_equal(lit[1], kind & 2 ? 0 : CELL * CELL / 4);
    }
}

TEST(test_lanes_differ) {
    for (int way = 0; way < WAYS; way++)
        check_lanes(way);
}

/* Lanes emit strips of different lengths, or the same number of vertices in one strip or in two. */
TEST(test_strips_differ) {
#define CORNERS VERTEX("0x0") VERTEX("0x4") VERTEX("0x8")
#define MOVED(x, y) "mov b32 $r4 " x "\nmov b32 $r5 " y "\n"
    static const struct {
        const char *text;
        uint32_t primitives;
    } cases[] = {
        {".primitive triangle_strip\n.vertices 6\n" OUTPUTS MOVED("0.0", "0.0")
             CORNERS UNLESS("0x14", "end") MOVED("0.125", "0.25") VERTEX("0x0") "end: exit nop\n",
         CELLS * CELLS * 3 / 2},
        {".primitive triangle_strip\n.vertices 6\n" OUTPUTS MOVED("0.0", "0.0") CORNERS UNLESS(
             "0x14", "more") "restart\nmore: nop\n" MOVED("0.06", "0.1") CORNERS "exit nop\n",
         CELLS * CELLS * (2 + 4) / 2},
    };
    for (size_t i = 0; i < WAYS * LENGTH(cases); i++) {
        FIXTURE_OPEN(f, draw_grid, cases[i / WAYS].text, (int)(i % WAYS));
        assert_int_equal(context_counter(f.context, COUNTER_PRIMITIVES_GENERATED),
                         cases[i / WAYS].primitives);
    }
}

/* Without a restart, the six vertices are one strip of four triangles; the vertex limit cuts it. */
TEST(test_strip_and_limit) {
    static const char *const limits[] = {".vertices 6\n", ".vertices 5\n", ".vertices 2\n"};
    static const uint32_t triangles[] = {4, 3, 0};
    static const float v[3][8] = {AT(-1, 1), AT(0, 1), AT(-1, -1)};
    for (int i = 0; i < 3; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s", limits[i],
                 ".primitive triangle_strip\n" OUTPUTS
                 "mov b32 $r4 0x0\nmov b32 $r5 0x0\n" VERTEX("0x0") VERTEX("0x4") VERTEX("0x8")
                     VERTEX("0x0") VERTEX("0x4") VERTEX("0x8") "exit nop\n");
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_GEOMETRY, text);
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        assert_int_equal(context_counter(f.context, COUNTER_PRIMITIVES_GENERATED), triangles[i]);
    }
}

/* With a vertex limit of 0, which a driver may set, nothing is drawn. */
DRAW_TEST(test_no_vertices_allowed, 1, SIZE) {
    static const char text[] =
        ".primitive triangle_strip\n.vertices 3\n" OUTPUTS TRIANGLE("0.0", "0.0") "exit nop\n";
    static const float v[6][8] = {AT(-1, 1), AT(1, 1), AT(-1, -1), AT(-1, 1), AT(1, 1), AT(1, -1)};
    fixture_bind(f, TP_GEOMETRY, text);
    f->context->state.header[PROGRAM_GP].gp_max_vertices = 0;
    state_touch(&f->context->state, GROUP_PROGRAM);
    fixture_draw(f, TP_TRIANGLES, v, 6);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 0);
}

/* Draws points at the outer vertices of lines with adjacency: a[0] and a[0xc]. */
DRAW_TEST(test_adjacency, 1, SIZE) {
    static const char text[] =
        ".primitive points\n.vertices 2\n" OUTPUTS
        "mov b32 $r4 0x0\nmov b32 $r5 0x0\n" VERTEX("0x0") VERTEX("0xc") "exit nop\n";
    static const float v[4][8] = {AT(-.5f, -.5f), AT(0, 0), AT(0, .1f), AT(.5f, .5f)};
    fixture_bind(f, TP_GEOMETRY, text);
    const float half[3] = {32, -32, .5f}, at[3] = {32.5f, 32.5f, .5f};
    OK(f, tp_set_viewport_transform(f->context, 0, half, at));
    fixture_draw(f, TP_LINES_ADJACENCY, v, 4);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 2);
    assert_int_equal(fixture_pixel(f, 16, 48), 0xffffffff);
    assert_int_equal(fixture_pixel(f, 48, 16), 0xffffffff);
}

/* Primitive i goes to layer i, which the program takes from the primitive id. */
DRAW_TEST(test_layers, 2, SIZE) {
    static const char text[] =
        ".primitive triangle_strip\n.vertices 3\n.builtin primitive_id\n" OUTPUTS
        ".output layer o[0x20]\nmov b32 $r4 0x0\nmov b32 $r5 0x0\n"
        "shl $a1 a[0x0] 0\n" COPY "mov b32 $r6 a[0x18]\nmov b32 o[0x20] $r6\nemit\n"
        "shl $a1 a[0x4] 0\n" COPY "mov b32 o[0x20] $r6\nemit\n"
        "shl $a1 a[0x8] 0\n" COPY "mov b32 o[0x20] $r6\nemit\nexit nop\n";
    static const float v[9][8] = {AT(-1, 1),  AT(3, 1),  AT(-1, -3), AT(-1, 1), AT(0, 1),
                                  AT(-1, -1), AT(-1, 1), AT(0, 1),   AT(-1, 0)};
    tp_texture *array = fixture_layers(f, SIZE, SIZE, 4);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    fixture_bind(f, TP_GEOMETRY, text);
    fixture_draw(f, TP_TRIANGLES, v, 9);
    static const uint32_t covered[4] = {SIZE * SIZE, SIZE * SIZE / 4, SIZE * SIZE / 8, 0};
    for (uint32_t layer = 0; layer < 4; layer++) {
        OK(f, tp_texture_read(f->context, array, 0, layer, f->pixels, SIZE * 4));
        assert_in_range(fixture_count(f), covered[layer] - (covered[layer] ? SIZE / 2 : 0),
                        covered[layer] + SIZE / 2);
    }
}

/* Fragments see the primitive id that the geometry program wrote, not the number of the primitive
 * that the program emitted. */
DRAW_TEST(test_primitive_ids, 1, SIZE) {
    enum { POINTS = 40, FROM = 100 };
#define LINE_END(y)                                                                                \
    "mov b32 o[0x0] p[$a1]\nmov b32 $r1 " y "\nmov b32 o[0x4] $r1\nmov b32 o[0x8] p[$a1+0x8]\n"    \
    "mov b32 o[0xc] p[$a1+0xc]\nmov b32 o[0x20] $r6\nemit\n"
    static const char gp_text[] =
        ".primitive line_strip\n.vertices 2\n.builtin primitive_id\n.output position o[0x0]\n"
        ".output primitive_id o[0x20]\nmov b32 $r6 a[0x18]\nadd b32 $r6 $r6 0x64\nshl $a1 a[0x0] 0\n" LINE_END(
            "-2.5") LINE_END("2.5") "exit nop\n";
    static const char fp_text[] = ".interpolants position=w flat=1\ninterp $r0 flat v[0x4]\n"
                                  "cvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n"
                                  "mov b32 $r1 $r0\nmov b32 $r2 $r0\nexit mov b32 $r3 $r0\n";
    float v[POINTS][8] = {{0}};
    fixture_bind(f, TP_GEOMETRY, gp_text);
    fixture_bind(f, TP_FRAGMENT, fp_text);
    state_touch(&f->context->state, GROUP_RASTER);
    /* stippled lines are set up as dashes; the pattern leaves out no pixel */
    f->context->state.line_stipple = true;
    f->context->state.line_stipple_pattern = 0xffff;
    f->context->state.line_stipple_factor = 1;
    for (int i = 0; i < POINTS; i++) { /* each a line from above to below the picture */
        v[i][0] = ((float)i + 0.5f) * 2 / SIZE - 1;
        v[i][3] = 1;
    }
    fixture_draw(f, TP_POINTS, (const float(*)[8])v, POINTS);
    fixture_read(f);
    for (uint32_t i = 0; i < POINTS * SIZE; i++)
        assert_int_equal(fixture_pixel(f, i % POINTS, i / POINTS) & 0xff, FROM + i % POINTS);
}

/* Clip distances come from the last stage: distance 0 is x and 1 is y of the geometry program's
 * output. The vertex program's distances have no effect. */
TEST(test_clip_distances) {
    static const float v[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};
    static const uint32_t expected[4] = {SIZE * SIZE, SIZE * SIZE / 2, SIZE * SIZE / 2,
                                         SIZE * SIZE / 4};
    static const char vp_text[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\n.output clip o[0x20] 2\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\n"
        "mov b32 o[0xc] a[0xc]\nmov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
        "mov b32 o[0x18] a[0x18]\nmov b32 o[0x1c] a[0x1c]\n"
        "mov b32 $r0 -1.0\nmov b32 o[0x20] $r0\nmov b32 o[0x24] $r0\nexit nop\n";
#define DISTANCES                                                                                  \
    "mov b32 $r0 p[$a1]\nmov b32 o[0x20] $r0\nmov b32 $r0 p[$a1+0x4]\nmov b32 o[0x24] $r0\n"
#define CORNER(i) "shl $a1 a[" i "] 0\n" DISTANCES COPY "emit\n"
    static const char gp_text[] =
        ".primitive triangle_strip\n.vertices 3\n" OUTPUTS
        ".output clip o[0x20] 2\nmov b32 $r4 0.0\nmov b32 $r5 0.0\n" CORNER("0x0") CORNER("0x4")
            CORNER("0x8") "restart\nexit nop\n";
    for (uint32_t planes = 0; planes < 4; planes++) {
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, vp_text);
        fixture_bind(&f, TP_GEOMETRY, gp_text);
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.clip_distances = planes}));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        assert_int_equal(fixture_count(&f), expected[planes]);
        assert_int_equal(fixture_pixel(&f, SIZE / 2 - 1, 0),
                         planes & 1 ? 0 : 0xffffffff); /* x < 0 */
        assert_int_equal(fixture_pixel(&f, SIZE - 1, SIZE / 2),
                         planes & 2 ? 0 : 0xffffffff); /* y < 0 */
    }
}

/* Transform feedback stores x and y of the position and one colour word for each vertex of the
 * assembled triangles, for whole primitives only. */
TEST(test_stream_out) {
    static const float v[4][8] = {{1, 2, 3, 4, 5, 6, 7, 8},
                                  {9, 10, 11, 12, 13, 14, 15, 16},
                                  {17, 18, 19, 20, 21, 22, 23, 24},
                                  {25, 26, 27, 28, 29, 30, 31, 32}};
    static const uint32_t order[6] = {0, 1, 2, 2, 1, 3};
    for (uint32_t room = 0; room <= 6; room += 3) {
        FIXTURE(f, 2, NULL, SIZE);
        float got[6 * 3];
        tp_buffer *out = fixture_buffer(&f, sizeof got, NULL);
        struct stream_state *s = &f.context->state.stream;
        static const uint8_t map[STREAM_WORDS] = {[0] = 0x80, [1] = 0x82, [7] = 0x81};
        *s = (struct stream_state){
            .enable = true,
            .buffer[0] = {.address = tp_buffer_address(out), .limit = room * 12 + 11}};
        state_map_streams(s, map, true, 12, 1, (uint32_t[STATE_STREAMS]){0});
        OK(&f, tp_set_raster(f.context, &(struct tp_raster_state){.discard = true}));
        fixture_draw(&f, TP_TRIANGLE_STRIP, v, 4);
        OK(&f, tp_buffer_read(f.context, out, 0, got, sizeof got));
        for (uint32_t i = 0; i < 6; i++) {
            const float *from = v[order[i]];
            const bool fits = i < room;
            assert_true(got[3 * i] == (fits ? from[0] : 0));
            assert_true(got[3 * i + 1] == (fits ? from[7] : 0));
            assert_true(got[3 * i + 2] == (fits ? from[1] : 0));
        }
        assert_int_equal(s->buffer[0].offset, room * 12);
        assert_int_equal(context_counter(f.context, COUNTER_PRIMITIVES_WRITTEN), room / 3);
        assert_int_equal(context_counter(f.context, COUNTER_PRIMITIVES_GENERATED), 2);
    }
}
