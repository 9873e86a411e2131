/* Cases of `bench units`: pixels by the work of the ROPs and by the format of the target. Layers of
 * two large triangles cover the target and write an interpolated colour. Cases without blending,
 * tests and coverage have one layer, because layers that another layer paints over would not be
 * drawn. */
#include "bench/cases.h"

enum { LAYERS = 8, LAYER_VERTICES = 6 };

enum order { FLAT, NEAR_FIRST, FAR_FIRST };
struct rop_case {
    enum tp_format color, zeta; /* TP_FORMAT_NONE: no target */
    uint32_t samples;
    uint32_t layers;
    enum order order;
    struct tp_depth_state depth;
    struct tp_stencil_state stencil;
    struct tp_blend_target blend;
    struct tp_sample_state sampling;
};

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

static bool open_rop(struct bench *b) {
    static const float corner[LAYER_VERTICES][2] = {{-1, -1}, {1, -1}, {-1, 1},
                                                    {-1, 1},  {1, -1}, {1, 1}};
    const struct rop_case *r = b->self->of;
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
    return set_targets(b, r) && bench_floats(b, v, sizeof v, 2) && bench_passes_color(b) &&
           tp_set_depth(b->context, &r->depth) == TP_OK &&
           tp_set_stencil(b->context, &r->stencil) == TP_OK &&
           tp_set_blend(b->context, TP_ALL_TARGETS, &r->blend) == TP_OK &&
           tp_set_samples(b->context, &r->sampling) == TP_OK;
}

static bool draw_rop(struct bench *b, double *count) {
    const struct rop_case *r = b->self->of;
    *count = (double)r->layers * BENCH_SIZE * BENCH_SIZE;
    const float farthest = r->depth.func == TP_GREATER ? 0 : 1;
    if (b->zeta && tp_clear(b->context, TP_CLEAR_DEPTH, NULL, farthest, 0) != TP_OK)
        return false;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, r->layers * LAYER_VERTICES) == TP_OK;
}

#define BLEND(eq, src, dst) {true, TP_##eq, TP_##eq, TP_##src, TP_##dst, TP_##src, TP_##dst}
#define ALPHA BLEND(ADD, SRC_ALPHA, ONE_MINUS_SRC_ALPHA)
#define WRITTEN_IF(f) {.test = true, .write = true, .func = TP_##f}
#define COUNTED {TP_ALWAYS, TP_KEEP, TP_KEEP, TP_INCR_WRAP, 0, 255, 255}
#define ROP(name, ...)                                                                             \
    {                                                                                              \
        name, open_rop, draw_rop, &(struct rop_case) {                                             \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define FORMAT(name, f) ROP(name, .color = TP_FORMAT_##f, .samples = 1, .layers = 1)
#define BLENDED(name, f, ...)                                                                      \
    ROP(name, .color = TP_FORMAT_##f, .samples = 1, .layers = LAYERS, .blend = __VA_ARGS__)
#define TESTED_BY(name, f, c, z, n, ord)                                                           \
    ROP(name, .color = TP_FORMAT_##c, .zeta = TP_FORMAT_##z, .samples = n, .layers = LAYERS,       \
        .order = ord, .depth = WRITTEN_IF(f))
#define TESTED(name, c, z, n, ord) TESTED_BY(name, LESS, c, z, n, ord)

static const struct bench_case cases[] = {
    FORMAT("RGBA8", RGBA8),
    FORMAT("RGBA8 sRGB", RGBA8_SRGB),
    FORMAT("R8", R8),
    FORMAT("RGBA16F", RGBA16F),
    FORMAT("RGBA32F", RGBA32F),
    FORMAT("R32UI", R32UI),
    BLENDED("RGBA8 alpha", RGBA8, ALPHA),
    BLENDED("RGBA8 add", RGBA8, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    BLENDED("RGBA8 premultiplied", RGBA8, BLEND(ADD, FACTOR_ONE, ONE_MINUS_SRC_ALPHA)),
    BLENDED("RGBA8 multiply", RGBA8, BLEND(ADD, DST_COLOR, FACTOR_ZERO)),
    BLENDED("RGBA8 maximum", RGBA8, BLEND(MAX, FACTOR_ONE, FACTOR_ONE)),
    BLENDED("RGBA8 sRGB alpha", RGBA8_SRGB, ALPHA),
    BLENDED("RGBA16F add", RGBA16F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    BLENDED("RGBA32F add", RGBA32F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    TESTED("Z24S8 near first", RGBA8, Z24S8, 1, NEAR_FIRST),
    TESTED("Z24S8 far first", RGBA8, Z24S8, 1, FAR_FIRST),
    TESTED("Z32F far first", RGBA8, Z32F, 1, FAR_FIRST),
    TESTED("Z16 far first", RGBA8, Z16, 1, FAR_FIRST),
    TESTED("Z24S8 without colour", NONE, Z24S8, 1, FAR_FIRST),
    ROP("stencil counts", .color = TP_FORMAT_RGBA8, .zeta = TP_FORMAT_Z24S8, .samples = 1,
        .layers = LAYERS, .stencil = {true, false, COUNTED, COUNTED}),
    ROP("4 samples", .color = TP_FORMAT_RGBA8, .samples = 4, .layers = 1),
    ROP("4 samples alpha", .color = TP_FORMAT_RGBA8, .samples = 4, .layers = LAYERS,
        .blend = ALPHA),
    TESTED("2 samples Z24S8 far first", RGBA8, Z24S8, 2, FAR_FIRST),
    TESTED("4 samples Z24S8 far first", RGBA8, Z24S8, 4, FAR_FIRST),
    TESTED("8 samples Z24S8 far first", RGBA8, Z24S8, 8, FAR_FIRST),
    FORMAT("RGBA8UI", RGBA8UI),
    FORMAT("RGBA16 signed", RGBA16_SNORM),
    FORMAT("R11G11B10F", R11G11B10F),
    BLENDED("RGBA8 subtract", RGBA8, BLEND(REVERSE_SUBTRACT, SRC_ALPHA, FACTOR_ONE)),
    BLENDED("RGBA16F alpha", RGBA16F, ALPHA),
    BLENDED("R11G11B10F add", R11G11B10F, BLEND(ADD, FACTOR_ONE, FACTOR_ONE)),
    TESTED_BY("Z24S8 rising", GREATER, RGBA8, Z24S8, 1, NEAR_FIRST),
    TESTED_BY("Z32F rising", GREATER, RGBA8, Z32F, 1, NEAR_FIRST),
    TESTED_BY("Z32F falling", GREATER, RGBA8, Z32F, 1, FAR_FIRST),
    ROP("4 samples alpha to coverage", .color = TP_FORMAT_RGBA8, .samples = 4, .layers = LAYERS,
        .sampling = {.alpha_to_coverage = true}),
};

BENCH_TABLE(pixels, "M pixels/s", cases, TP_CHIP_GT215);
