/* Cases of `bench units`: vertices by attribute format and by kind of draw, without
 * rasterization. */
#include "bench/cases.h"

#include <stdlib.h>

enum { VERTICES = 300 << 10 };

/* Reads four words and writes four. */
static const char program[] =
    ".attr 0 xyzw\n.output position o[0x0]\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mov b32 o[0x8] a[0x8]\nexit mov b32 o[0xc] a[0xc]\n";

struct format {
    enum tp_attribute_type type;
    unsigned components, bytes;
};

static const struct format formats[] = {
    {TP_FLOAT32, 1, 4},  {TP_FLOAT32, 2, 8}, {TP_FLOAT32, 3, 12},        {TP_FLOAT32, 4, 16},
    {TP_FLOAT16, 2, 4},  {TP_FLOAT16, 4, 8}, {TP_UNORM8, 4, 4},          {TP_SNORM8, 4, 4},
    {TP_UNORM16, 2, 4},  {TP_SNORM16, 4, 8}, {TP_UINT8, 4, 4},           {TP_SINT16, 4, 8},
    {TP_USCALED8, 4, 4}, {TP_UINT32, 4, 16}, {TP_UNORM10_10_10_2, 4, 4},
};

static bool open_common(struct bench *b, const struct format *f, uint32_t vertices) {
    uint8_t *data = calloc(vertices, f->bytes);
    bool ok = data && bench_buffer(b, 0, data, (uint64_t)vertices * f->bytes);
    free(data);
    const struct tp_raster_state discard = {.discard = true};
    return ok && bench_program(b, TP_VERTEX, program) &&
           tp_set_raster(b->context, &discard) == TP_OK &&
           tp_bind_vertices(b->context, 0, b->buffer[0], 0, f->bytes, 0) == TP_OK &&
           tp_set_attribute(b->context, 0, 0, 0, f->components, f->type) == TP_OK;
}

static bool open_format(struct bench *b, int number) {
    return open_common(b, &formats[number], VERTICES);
}

static bool draw_arrays(struct bench *b, double *count) {
    *count = VERTICES;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, VERTICES) == TP_OK;
}

/* A grid as indexed triangles: each vertex is used six times; the vertex program should run once
 * for it. */
enum { GRID = 512 };

static bool open_grid(struct bench *b, int number) {
    (void)number;
    uint32_t *index = malloc(6 * GRID * GRID * sizeof *index), n = 0;
    for (uint32_t y = 0; index && y < GRID; y++) {
        for (uint32_t x = 0; x < GRID; x++) {
            const uint32_t a = y * (GRID + 1) + x,
                           quad[6] = {a, a + 1, a + GRID + 1, a + 1, a + GRID + 2, a + GRID + 1};
            for (int k = 0; k < 6; k++)
                index[n++] = quad[k];
        }
    }
    bool ok = index && bench_buffer(b, 1, index, n * sizeof *index);
    free(index);
    return ok && open_common(b, &formats[2], (GRID + 1) * (GRID + 1));
}

static bool draw_grid(struct bench *b, double *count) {
    const struct tp_draw_info info = {.primitive = TP_TRIANGLES,
                                      .count = 6 * GRID * GRID,
                                      .index_buffer = b->buffer[1],
                                      .index_type = TP_INDEX_U32};
    *count = 6 * GRID * GRID;
    return tp_draw(b->context, &info) == TP_OK;
}

/* Many instances of a strip of few vertices. */
enum { INSTANCES = 20000, STRIP = 8 };

static bool open_instances(struct bench *b, int number) {
    (void)number;
    return open_common(b, &formats[2], STRIP);
}

static bool draw_instances(struct bench *b, double *count) {
    const struct tp_draw_info info = {
        .primitive = TP_TRIANGLE_STRIP, .count = STRIP, .instances = INSTANCES};
    *count = STRIP * INSTANCES;
    return tp_draw(b->context, &info) == TP_OK;
}

static const struct bench_case cases[] = {
    {"float32 x", open_format, draw_arrays, 0},
    {"float32 xy", open_format, draw_arrays, 1},
    {"float32 xyz", open_format, draw_arrays, 2},
    {"float32 xyzw", open_format, draw_arrays, 3},
    {"float16 xy", open_format, draw_arrays, 4},
    {"float16 xyzw", open_format, draw_arrays, 5},
    {"unorm8 xyzw", open_format, draw_arrays, 6},
    {"snorm8 xyzw", open_format, draw_arrays, 7},
    {"unorm16 xy", open_format, draw_arrays, 8},
    {"snorm16 xyzw", open_format, draw_arrays, 9},
    {"uint8 xyzw", open_format, draw_arrays, 10},
    {"sint16 xyzw", open_format, draw_arrays, 11},
    {"uscaled8 xyzw", open_format, draw_arrays, 12},
    {"uint32 xyzw", open_format, draw_arrays, 13},
    {"unorm10_10_10_2", open_format, draw_arrays, 14},
    {"indexed grid (indices)", open_grid, draw_grid, 0},
    {"strips of 8, instanced", open_instances, draw_instances, 0},
};

const struct bench_table bench_vertices = {"vertices", "M vertices/s", cases,
                                           sizeof cases / sizeof *cases, TP_CHIP_GT215};
