/* Cases of `bench units`: triangles by their size on the screen; culled, degenerate and clipped
 * triangles; points and lines. Four interpolated words, one written colour. */
#include "bench/cases.h"

#include <math.h>
#include <stdlib.h>

enum { TRIANGLES = 100000 };

enum kind { DRAWN, CULLED, DEGENERATE, CLIPPED, POINTS, LINES };
struct shape {
    float pixels; /* size of a triangle */
    enum kind kind;
    int divide; /* divides the number of triangles, for large ones */
};
static const struct shape shapes[] = {{0.1f, DRAWN, 1}, {1, DRAWN, 1},       {4, DRAWN, 1},
                                      {16, DRAWN, 1},   {64, DRAWN, 4},      {1024, DRAWN, 32},
                                      {16, CULLED, 1},  {16, DEGENERATE, 1}, {16, CLIPPED, 1},
                                      {1, POINTS, 1},   {16, POINTS, 1},     {32, LINES, 1}};

static int count_corners(const struct shape *s) {
    return s->kind == POINTS ? 1 : s->kind == LINES ? 2 : 3;
}

/* Prepares right-angled triangles over the whole target, in scattered order. Points and lines use
 * the first corner or side of each. */
static bool open_shape(struct bench *b, int number) {
    const struct shape *s = &shapes[number];
    const uint32_t n = (uint32_t)(TRIANGLES / s->divide);
    float(*v)[8] = calloc(3 * (size_t)n, sizeof *v);
    const float side = sqrtf(2 * s->pixels) * 2 / BENCH_SIZE;
    uint32_t seed = 1;
    for (uint32_t i = 0; v && i < n; i++) {
        float p[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 1664525 + 1013904223;
            p[k] = (float)(seed >> 8) / (1 << 24) * (2 - side) - 1;
        }
        const float corner[3][2] = {{p[0], p[1]},
                                    {p[0] + side, p[1]},
                                    {s->kind == DEGENERATE ? p[0] + side / 2 : p[0],
                                     s->kind == DEGENERATE ? p[1] : p[1] + side}};
        for (int k = 0; k < count_corners(s); k++) {
            float *to =
                v[(uint32_t)count_corners(s) * i + (uint32_t)(s->kind == CULLED ? 2 - k : k)];
            to[0] = corner[k][0];
            to[1] = corner[k][1];
            to[2] = s->kind == CLIPPED && k == 0 ? -2 : 0;
            to[3] = 1;
            to[4 + k] = to[7] = 1;
        }
    }
    bool ok = v && bench_buffer(b, 0, v, 3 * (uint64_t)n * sizeof *v);
    free(v);
    const struct tp_raster_state raster = {.cull_back = true, .point_size = sqrtf(s->pixels)};
    return ok && bench_passes_color(b) && tp_set_raster(b->context, &raster) == TP_OK &&
           tp_bind_vertices(b->context, 0, b->buffer[0], 0, sizeof *v, 0) == TP_OK &&
           tp_set_attribute(b->context, 0, 0, 0, 4, TP_FLOAT32) == TP_OK &&
           tp_set_attribute(b->context, 1, 0, 16, 4, TP_FLOAT32) == TP_OK;
}

static bool draw_shape(struct bench *b, double *count) {
    const struct shape *s = &shapes[b->number];
    const uint32_t n = (uint32_t)(TRIANGLES / s->divide);
    const enum tp_primitive type = s->kind == POINTS  ? TP_POINTS
                                   : s->kind == LINES ? TP_LINES
                                                      : TP_TRIANGLES;
    *count = n;
    return tp_draw_arrays(b->context, type, 0, (uint32_t)count_corners(s) * n) == TP_OK;
}

static const struct bench_case cases[] = {
    {"0.1 pixels", open_shape, draw_shape, 0},  {"1 pixel", open_shape, draw_shape, 1},
    {"4 pixels", open_shape, draw_shape, 2},    {"16 pixels", open_shape, draw_shape, 3},
    {"64 pixels", open_shape, draw_shape, 4},   {"1024 pixels", open_shape, draw_shape, 5},
    {"culled", open_shape, draw_shape, 6},      {"degenerate", open_shape, draw_shape, 7},
    {"clipped", open_shape, draw_shape, 8},     {"point", open_shape, draw_shape, 9},
    {"4x4 points", open_shape, draw_shape, 10}, {"lines", open_shape, draw_shape, 11},
};

const struct bench_table bench_triangles = {"triangles", "M primitives/s", cases,
                                            sizeof cases / sizeof *cases, TP_CHIP_GT215};
