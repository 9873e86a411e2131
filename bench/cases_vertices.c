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

static const struct format xyz = {TP_FLOAT32, 3, 12};

static bool open_common(struct bench *b, const struct format *f, uint32_t vertices) {
    const struct tp_raster_state discard = {.discard = true};
    return bench_buffer(b, 0, NULL, (uint64_t)vertices * f->bytes) &&
           bench_program(b, TP_VERTEX, program) && tp_set_raster(b->context, &discard) == TP_OK &&
           tp_bind_vertices(b->context, 0, b->buffer[0], 0, f->bytes, 0) == TP_OK &&
           tp_set_attribute(b->context, 0, 0, 0, f->components, f->type) == TP_OK;
}

static bool open_format(struct bench *b) {
    return open_common(b, b->self->of, VERTICES);
}

static bool draw_arrays(struct bench *b, double *count) {
    *count = VERTICES;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, VERTICES) == TP_OK;
}

/* A grid as indexed triangles: each vertex is used six times; the vertex program should run once
 * for each vertex. */
enum { GRID = 512 };

static bool open_grid(struct bench *b) {
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
    return ok && open_common(b, &xyz, (GRID + 1) * (GRID + 1));
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

static bool open_instances(struct bench *b) {
    return open_common(b, &xyz, STRIP);
}

static bool draw_instances(struct bench *b, double *count) {
    const struct tp_draw_info info = {
        .primitive = TP_TRIANGLE_STRIP, .count = STRIP, .instances = INSTANCES};
    *count = STRIP * INSTANCES;
    return tp_draw(b->context, &info) == TP_OK;
}

#define FORMAT(name, ...)                                                                          \
    {                                                                                              \
        name, open_format, draw_arrays, &(struct format) {                                         \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct bench_case cases[] = {
    FORMAT("float32 x", TP_FLOAT32, 1, 4),
    FORMAT("float32 xy", TP_FLOAT32, 2, 8),
    FORMAT("float32 xyz", TP_FLOAT32, 3, 12),
    FORMAT("float32 xyzw", TP_FLOAT32, 4, 16),
    FORMAT("float16 xy", TP_FLOAT16, 2, 4),
    FORMAT("float16 xyzw", TP_FLOAT16, 4, 8),
    FORMAT("unorm8 xyzw", TP_UNORM8, 4, 4),
    FORMAT("snorm8 xyzw", TP_SNORM8, 4, 4),
    FORMAT("unorm16 xy", TP_UNORM16, 2, 4),
    FORMAT("snorm16 xyzw", TP_SNORM16, 4, 8),
    FORMAT("uint8 xyzw", TP_UINT8, 4, 4),
    FORMAT("sint16 xyzw", TP_SINT16, 4, 8),
    FORMAT("uscaled8 xyzw", TP_USCALED8, 4, 4),
    FORMAT("uint32 xyzw", TP_UINT32, 4, 16),
    FORMAT("unorm10_10_10_2", TP_UNORM10_10_10_2, 4, 4),
    {"indexed grid (indices)", open_grid, draw_grid, NULL},
    {"strips of 8, instanced", open_instances, draw_instances, NULL},
};

BENCH_TABLE(vertices, "M vertices/s", cases, TP_CHIP_GT215);
