/* Cases of `bench units`: pixels by the work of the ROPs and by the format of the target. Layers of
 * two large triangles cover the target and write an interpolated colour. Opaque cases have one
 * layer, because covered layers would not be drawn. */
#include "bench/cases.h"

#include <stdlib.h>

enum { LAYERS = 8, LAYER_VERTICES = 6 };

enum order { FLAT, NEAR_FIRST, FAR_FIRST };
struct rop_case {
    enum tp_format color, zeta; /* TP_FORMAT_NONE: no such target */
    uint32_t samples;
    uint32_t layers;
    enum order order;
    struct tp_depth_state depth;
    struct tp_stencil_state stencil;
    struct tp_blend_target blend;
    struct tp_sample_state sampling;
};

#define BLEND(eq, src, dst) {true, TP_##eq, TP_##eq, TP_##src, TP_##dst, TP_##src, TP_##dst}
#define ALPHA BLEND(ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA)
#define WRITTEN_IF(f) {.test = true, .write = true, .func = TP_##f}
#define COUNTED {TP_ALWAYS, TP_KEEP, TP_KEEP, TP_INCR_WRAP, 0, 255, 255}
#define FORMAT(f) {.color = TP_FORMAT_##f, .samples = 1, .layers = 1}
#define BLENDED(f, ...)                                                                            \
    {.color = TP_FORMAT_##f, .samples = 1, .layers = LAYERS, .blend = __VA_ARGS__}
#define TESTED_BY(f, c, z, n, ord)                                                                 \
    {.color = TP_FORMAT_##c,                                                                       \
     .zeta = TP_FORMAT_##z,                                                                        \
     .samples = n,                                                                                 \
     .layers = LAYERS,                                                                             \
     .order = ord,                                                                                 \
     .depth = WRITTEN_IF(f)}
#define TESTED(c, z, n, ord) TESTED_BY(LESS, c, z, n, ord)

static const struct rop_case rops[] = {
    FORMAT(RGBA8),
    FORMAT(RGBA8_SRGB),
    FORMAT(R8),
    FORMAT(RGBA16F),
    FORMAT(RGBA32F),
    FORMAT(R32UI),
    BLENDED(RGBA8, ALPHA),
    BLENDED(RGBA8, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    BLENDED(RGBA8, BLEND(ADD, FACTOR_ONE, ONE_MINUS_SRC_ALPHA)),
    BLENDED(RGBA8, BLEND(ADD, DST_COLOR, FACTOR_ZERO)),
    BLENDED(RGBA8, BLEND(MAX, FACTOR_ONE, FACTOR_ONE)),
    BLENDED(RGBA8_SRGB, ALPHA),
    BLENDED(RGBA16F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    BLENDED(RGBA32F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    TESTED(RGBA8, Z24S8, 1, NEAR_FIRST),
    TESTED(RGBA8, Z24S8, 1, FAR_FIRST),
    TESTED(RGBA8, Z32F, 1, FAR_FIRST),
    TESTED(RGBA8, Z16, 1, FAR_FIRST),
    TESTED(NONE, Z24S8, 1, FAR_FIRST),
    {.color = TP_FORMAT_RGBA8,
     .zeta = TP_FORMAT_Z24S8,
     .samples = 1,
     .layers = LAYERS,
     .stencil = {true, false, COUNTED, COUNTED}},
    {.color = TP_FORMAT_RGBA8, .samples = 4, .layers = 1},
    {.color = TP_FORMAT_RGBA8, .samples = 4, .layers = LAYERS, .blend = ALPHA},
    TESTED(RGBA8, Z24S8, 2, FAR_FIRST),
    TESTED(RGBA8, Z24S8, 4, FAR_FIRST),
    TESTED(RGBA8, Z24S8, 8, FAR_FIRST),
    FORMAT(RGBA8UI),
    FORMAT(RGBA16_SNORM),
    FORMAT(R11G11B10F),
    BLENDED(RGBA8, BLEND(REVERSE_SUBTRACT, SRC_ALPHA, FACTOR_ONE)),
    BLENDED(RGBA16F, ALPHA),
    BLENDED(R11G11B10F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    TESTED_BY(GREATER, RGBA8, Z24S8, 1, NEAR_FIRST),
    TESTED_BY(GREATER, RGBA8, Z32F, 1, NEAR_FIRST),
    TESTED_BY(GREATER, RGBA8, Z32F, 1, FAR_FIRST),
    {.color = TP_FORMAT_RGBA8,
     .samples = 4,
     .layers = LAYERS,
     .sampling = {.alpha_to_coverage = true}},
};

/* Replaces the bench's targets by targets of these formats. */
static bool set_targets(struct bench *b, const struct rop_case *r) {
    struct tp_texture_info t = {.kind = TP_TEXTURE_2D,
                                .format = r->color,
                                .width = BENCH_SIZE,
                                .height = BENCH_SIZE,
                                .samples = r->samples};
    tp_texture_destroy(b->color);
    tp_texture_destroy(b->zeta);
    b->color = b->zeta = NULL;
    if (r->color != TP_FORMAT_NONE && tp_texture_create(b->device, &t, &b->color) != TP_OK)
        return false;
    t.format = r->zeta;
    if (r->zeta != TP_FORMAT_NONE && tp_texture_create(b->device, &t, &b->zeta) != TP_OK)
        return false;
    return tp_set_target(b->context, b->color, b->zeta) == TP_OK;
}

static float layer_depth(const struct rop_case *r, uint32_t layer) {
    const float z = 1.8f * ((float)layer + 0.5f) / LAYERS - 0.9f;
    return r->order == FLAT ? 0 : r->order == NEAR_FIRST ? z : -z;
}

static bool open_rop(struct bench *b, int number) {
    static const float corner[LAYER_VERTICES][2] = {{-1, -1}, {1, -1}, {-1, 1},
                                                    {-1, 1},  {1, -1}, {1, 1}};
    const struct rop_case *r = &rops[number];
    float v[LAYERS * LAYER_VERTICES][8];
    for (uint32_t i = 0; i < LAYERS * LAYER_VERTICES; i++) {
        const float *c = corner[i % LAYER_VERTICES];
        const float with[8] = {c[0],
                               c[1],
                               layer_depth(r, i / LAYER_VERTICES),
                               1,
                               c[0] * 0.5f + 0.5f,
                               0.5f - c[1],
                               c[0] * c[1],
                               0.5f + c[0] * 0.25f};
        for (int k = 0; k < 8; k++)
            v[i][k] = with[k];
    }
    return set_targets(b, r) && bench_buffer(b, 0, v, sizeof v) && bench_passes_color(b) &&
           tp_set_depth(b->context, &r->depth) == TP_OK &&
           tp_set_stencil(b->context, &r->stencil) == TP_OK &&
           tp_set_blend(b->context, TP_ALL_TARGETS, &r->blend) == TP_OK &&
           tp_set_samples(b->context, &r->sampling) == TP_OK &&
           tp_bind_vertices(b->context, 0, b->buffer[0], 0, sizeof *v, 0) == TP_OK &&
           tp_set_attribute(b->context, 0, 0, 0, 4, TP_FLOAT32) == TP_OK &&
           tp_set_attribute(b->context, 1, 0, 16, 4, TP_FLOAT32) == TP_OK;
}

static bool draw_rop(struct bench *b, double *count) {
    const struct rop_case *r = &rops[b->number];
    *count = (double)r->layers * BENCH_SIZE * BENCH_SIZE;
    const float farthest = r->depth.func == TP_GREATER ? 0 : 1;
    if (b->zeta && tp_clear(b->context, TP_CLEAR_DEPTH, NULL, farthest, 0) != TP_OK)
        return false;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, r->layers * LAYER_VERTICES) == TP_OK;
}

#define ROW(n, name) {name, open_rop, draw_rop, n}
static const struct bench_case cases[] = {
    ROW(0, "RGBA8"),
    ROW(1, "RGBA8 sRGB"),
    ROW(2, "R8"),
    ROW(3, "RGBA16F"),
    ROW(4, "RGBA32F"),
    ROW(5, "R32UI"),
    ROW(6, "RGBA8 alpha"),
    ROW(7, "RGBA8 add"),
    ROW(8, "RGBA8 premultiplied"),
    ROW(9, "RGBA8 multiply"),
    ROW(10, "RGBA8 maximum"),
    ROW(11, "RGBA8 sRGB alpha"),
    ROW(12, "RGBA16F add"),
    ROW(13, "RGBA32F add"),
    ROW(14, "Z24S8 near first"),
    ROW(15, "Z24S8 far first"),
    ROW(16, "Z32F far first"),
    ROW(17, "Z16 far first"),
    ROW(18, "Z24S8 without colour"),
    ROW(19, "stencil counts"),
    ROW(20, "4 samples"),
    ROW(21, "4 samples alpha"),
    ROW(22, "2 samples Z24S8 far first"),
    ROW(23, "4 samples Z24S8 far first"),
    ROW(24, "8 samples Z24S8 far first"),
    ROW(25, "RGBA8UI"),
    ROW(26, "RGBA16 signed"),
    ROW(27, "R11G11B10F"),
    ROW(28, "RGBA8 subtract"),
    ROW(29, "RGBA16F alpha"),
    ROW(30, "R11G11B10F add"),
    ROW(31, "Z24S8 rising"),
    ROW(32, "Z32F rising"),
    ROW(33, "Z32F falling"),
    ROW(34, "4 samples alpha to coverage"),
};
_Static_assert(sizeof cases / sizeof *cases == sizeof rops / sizeof *rops, "a row for each");

const struct bench_table bench_pixels = {"pixels", "M pixels/s", cases,
                                         sizeof cases / sizeof *cases, TP_CHIP_GT215};
