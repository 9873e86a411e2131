/* Geometry programs that emit great numbers of primitives draw the same as these primitives without
 * a geometry program: strips of triangles, lines and points, more primitives in a warp than a chunk
 * holds, clipped, outlined, flat, and in layers that the program chooses. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 96, INPUTS = 70, COPIES = 40, LAYERS = 3, MOST = INPUTS * COPIES * 6 };

enum form { STRIPS_OF_3, STRIPS_OF_4, LINE_STRIPS, POINTS };

#define SIDES(f, b) {.polygon_front = TP_POLYGON_##f, .polygon_back = TP_POLYGON_##b}
static const struct way {
    const char *what;
    enum form form;
    bool flat, layers, clipped;
    struct tp_raster_state raster;
} ways[] = {
    {"triangles", STRIPS_OF_3, false, false, false, {0}},
    {"triangles that are cut off", STRIPS_OF_3, false, false, true, {0}},
    {"flat triangles, the last's values", STRIPS_OF_3, true, false, false, {0}},
    {"flat triangles, the first's values",
     STRIPS_OF_3,
     true,
     false,
     true,
     {.provoking_first = true}},
    {"outlines", STRIPS_OF_3, false, false, false, SIDES(LINE, POINT)},
    {"triangles in layers", STRIPS_OF_3, false, true, true, {0}},
    {"front faces of strips", STRIPS_OF_4, false, false, false, {.cull_back = true}},
    {"back faces of flat strips in layers", STRIPS_OF_4, true, true, true, {.cull_front = true}},
    {"flat strips, the first's values", STRIPS_OF_4, true, false, false, {.provoking_first = true}},
    {"strips in two modes", STRIPS_OF_4, false, true, false, SIDES(FILL, LINE)},
    {"lines", LINE_STRIPS, false, false, true, {0}},
    {"flat lines in layers", LINE_STRIPS, true, true, false, {.line_width = 3}},
    {"points", POINTS, false, true, false, {.point_size = 2}},
};

/* The distance along an axis by which the program moves a copy. */
static float step(uint32_t copy, int axis) {
    return (float)(copy * (axis ? 11 : 37) % 64) / 64;
}

static uint32_t vertices_of(enum form form) {
    return form == POINTS ? 1 : form == LINE_STRIPS ? 3 : form == STRIPS_OF_3 ? 3 : 4;
}

/* ---- with a geometry program ---- */

static char *append(char *at, const char *end, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    at += vsnprintf(at, (size_t)(end - at), format, arguments);
    va_end(arguments);
    assert_true(at < end);
    return at;
}

/* Writes a program that emits each input primitive COPIES times. A fourth vertex is the first
 * vertex, moved by the next copy's distance. */
static void write_program(const struct way *way, char *text, size_t size) {
    static const char *const kind[] = {"triangle_strip", "triangle_strip", "line_strip", "points"};
    char *at = text, *const end = text + size;
    const uint32_t vertices = vertices_of(way->form);
    at = append(at, end,
                ".primitive %s\n.vertices %u\n.output position o[0x0]\n.output varying o[0x10] 4\n",
                kind[way->form], vertices * COPIES);
    if (way->layers)
        at = append(at, end, ".output layer o[0x20]\n");
    for (uint32_t copy = 0; copy < COPIES; copy++) {
        for (uint32_t k = 0; k < vertices; k++) {
            at = append(at, end, "shl $a1 a[0x%x] 0\n", 4 * (k % 3));
            for (uint32_t word = 0; word < 8; word++) {
                const float by = step(copy + k / 3, (int)word);
                uint32_t moved;
                memcpy(&moved, &by, 4);
                at = append(
                    at, end,
                    word < 2
                        ? "mov b32 $r0 p[$a1+0x%x]\nadd f32 $r0 $r0 0x%x\nmov b32 o[0x%x] $r0\n"
                        : "mov b32 $r0 p[$a1+0x%x]\n",
                    4 * word, moved, 4 * word);
                if (word >= 2)
                    at = append(at, end, "mov b32 o[0x%x] $r0\n", 4 * word);
            }
            if (way->layers)
                at = append(at, end, "mov b32 $r0 0x%x\nmov b32 o[0x20] $r0\n", copy % LAYERS);
            at = append(at, end, "emit\n");
        }
        at = append(at, end, way->form == POINTS ? "" : "restart\n");
    }
    append(at, end, "exit nop\n");
}

/* ---- without one ---- */

static uint32_t add(float (*to)[8], uint32_t n, const float (*v)[8], uint32_t k, uint32_t copy) {
    memcpy(to[n], v[k % 3], sizeof to[n]);
    to[n][0] += step(copy + k / 3, 0);
    to[n][1] += step(copy + k / 3, 1);
    return n + 1;
}

/* Lists the vertices of one layer's primitives, in order; returns their number. */
static uint32_t list(const struct way *way, const float (*v)[8], uint32_t layer, float (*to)[8]) {
    static const uint32_t turned[2][3] = {{2, 1, 3}, {1, 3, 2}};
    uint32_t n = 0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        for (uint32_t copy = 0; copy < COPIES; copy++) {
            if (way->layers && copy % LAYERS != layer)
                continue;
            for (uint32_t k = 0; k < (way->form == POINTS ? 1 : 2); k++)
                n = add(to, n, v + 3 * i, k, copy);
            if (way->form != POINTS && way->form != LINE_STRIPS)
                n = add(to, n, v + 3 * i, 2, copy);
            if (way->form == LINE_STRIPS)
                for (uint32_t k = 1; k < 3; k++)
                    n = add(to, n, v + 3 * i, k, copy);
            /* turned, so that this triangle winds as the first and has the strip's provoking
             * vertex */
            if (way->form == STRIPS_OF_4)
                for (uint32_t k = 0; k < 3; k++)
                    n = add(to, n, v + 3 * i, turned[way->raster.provoking_first][k], copy);
        }
    }
    return n;
}

/* ---- both ---- */

static void open_all(struct fixture *f, const struct way *way, const char *simd,
                     tp_texture **array) {
    static const char flat_fp[] = ".interpolants position=w flat=4\n"
                                  "interp $r0 flat v[0x4]\ninterp $r1 flat v[0x8]\n"
                                  "interp $r2 flat v[0xc]\ninterp $r3 flat v[0x10]\nexit nop\n";
    fixture_open(f, 2, simd, SIZE);
    if (way->flat) {
        f->fp = fixture_program(f, TP_FRAGMENT, flat_fp);
        OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    }
    *array = fixture_layers(f, SIZE, SIZE, LAYERS);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    OK(f, tp_set_raster(f->context, &way->raster));
}

static void close_all(struct fixture *f, tp_texture *array, uint8_t *pixels) {
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        OK(f, tp_texture_read(f->context, array, 0, layer, pixels + layer * SIZE * SIZE * 4,
                              SIZE * 4));
    fixture_close(f);
}

static void check_way(const struct way *way, const char *simd) {
    static const enum tp_primitive input[] = {TP_TRIANGLES, TP_TRIANGLES, TP_TRIANGLES,
                                              TP_TRIANGLES};
    static const enum tp_primitive listed[] = {TP_TRIANGLES, TP_TRIANGLES, TP_LINES, TP_POINTS};
    static float v[3 * INPUTS][8], all[MOST][8];
    static uint8_t got[LAYERS * SIZE * SIZE * 4], want[LAYERS * SIZE * SIZE * 4];
    static char text[1 << 19];
    struct fixture f;
    tp_texture *array;
    uint64_t seed = 5 + (uint64_t)(way - ways);
    for (uint32_t i = 0; i < 3 * INPUTS; i++) {
        const float x = -1.1f + 0.9f * random_float(&seed, 0, 1),
                    y = -1.1f + 0.9f * random_float(&seed, 0, 1);
        for (int k = 0; k < 8; k++)
            v[i][k] = k == 0   ? (i % 3 ? v[i - i % 3][0] + 0.2f * random_float(&seed, 0, 1) : x)
                      : k == 1 ? (i % 3 ? v[i - i % 3][1] + 0.2f * random_float(&seed, 0, 1) : y)
                      : k == 2 ? (way->clipped ? 3 : 1) * (random_float(&seed, 0, 1) - 0.5f)
                      : k == 3 ? 1
                               : random_float(&seed, 0, 1);
    }
    open_all(&f, way, simd, &array);
    write_program(way, text, sizeof text);
    fixture_bind(&f, TP_GEOMETRY, text);
    fixture_draw(&f, input[way->form], (const float(*)[8])v, 3 * INPUTS);
    close_all(&f, array, got);
    open_all(&f, way, simd, &array);
    uint32_t lit = 0;
    for (uint32_t layer = 0; layer < (way->layers ? LAYERS : 1); layer++) {
        OK(&f, tp_set_targets(f.context, 1, &(struct tp_target){array, 0, layer, false}, NULL));
        fixture_draw(&f, listed[way->form], (const float(*)[8])all,
                     list(way, (const float(*)[8])v, layer, all));
    }
    close_all(&f, array, want);
    for (uint32_t i = 0; i < LAYERS * SIZE * SIZE; i++) {
        uint32_t a, b;
        memcpy(&a, got + 4 * i, 4);
        memcpy(&b, want + 4 * i, 4);
        lit += b != 0;
        if (a != b)
            fail_msg("%s: layer %u, pixel %u, %u: %08x, not %08x", way->what, i / (SIZE * SIZE),
                     i % SIZE, i / SIZE % SIZE, a, b);
    }
    assert_true(lit > SIZE * SIZE / 4);
}

TEST(test_as_if_drawn) {
    static const char *const simd[] = {"base", "avx2", NULL};
    for (size_t i = 0; i < 3 * LENGTH(ways); i++)
        check_way(&ways[i / 3], simd_best() >= SIMD_AVX2 ? simd[i % 3] : "base");
}
