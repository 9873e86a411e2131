/* Cases of `bench units`: triangles by their size on the screen; culled, degenerate and clipped
 * triangles; points and lines. Four interpolated words, one written colour. */
#include "bench/cases.h"

#include <math.h>
#include <stdlib.h>

enum { TRIANGLES = 100000 };

enum kind { DRAWN, CULLED, DEGENERATE, CLIPPED, POINTS, LINES };
struct shape {
    float pixels; /* area of a triangle in pixels */
    enum kind kind;
    int divide; /* divisor of the number of triangles, for large triangles */
};
static int count_corners(const struct shape *s) {
    return s->kind == POINTS ? 1 : s->kind == LINES ? 2 : 3;
}

/* Prepares right-angled triangles over the whole target, in scattered order. Points and lines use
 * the first corner or side of each triangle. */
static bool open_shape(struct bench *b) {
    const struct shape *s = b->self->of;
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
    bool ok = v && bench_floats(b, v, 3 * (uint64_t)n * sizeof *v, 2);
    free(v);
    const struct tp_raster_state raster = {.cull_back = true, .point_size = sqrtf(s->pixels)};
    return ok && bench_passes_color(b) && tp_set_raster(b->context, &raster) == TP_OK;
}

static bool draw_shape(struct bench *b, double *count) {
    const struct shape *s = b->self->of;
    const uint32_t n = (uint32_t)(TRIANGLES / s->divide);
    const enum tp_primitive type = s->kind == POINTS  ? TP_POINTS
                                   : s->kind == LINES ? TP_LINES
                                                      : TP_TRIANGLES;
    *count = n;
    return tp_draw_arrays(b->context, type, 0, (uint32_t)count_corners(s) * n) == TP_OK;
}

#define SHAPE(name, ...)                                                                           \
    {                                                                                              \
        name, open_shape, draw_shape, &(struct shape) {                                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct bench_case cases[] = {
    SHAPE("0.1 pixels", 0.1f, DRAWN, 1), SHAPE("1 pixel", 1, DRAWN, 1),
    SHAPE("4 pixels", 4, DRAWN, 1),      SHAPE("16 pixels", 16, DRAWN, 1),
    SHAPE("64 pixels", 64, DRAWN, 4),    SHAPE("1024 pixels", 1024, DRAWN, 32),
    SHAPE("culled", 16, CULLED, 1),      SHAPE("degenerate", 16, DEGENERATE, 1),
    SHAPE("clipped", 16, CLIPPED, 1),    SHAPE("point", 1, POINTS, 1),
    SHAPE("4x4 points", 16, POINTS, 1),  SHAPE("lines", 32, LINES, 1),
};

BENCH_TABLE(triangles, "M primitives/s", cases, TP_CHIP_GT215);
