/* Textures whose texels a test puts one by one, and calls on them: run at every SIMD level, with
 * denormals flushed or not, each time with the same results.
 */
#ifndef TESTS_TEX_CALLS_H
#define TESTS_TEX_CALLS_H

#include "base/fp_mode.h"
#include "tests/tex/fixture.h"

struct call {
    u32x32 reg[4]; /* operands, then results: as in the instruction */
    u32x32 behind; /* not its */
    struct tex_args args;
};

static inline void run(const struct tex_view *v, const struct tex_sampler *s, struct call *c) {
    const unsigned mode = fp_mode();
    static uint64_t seed = 1;
    u32x32 first[4] = {{0}}, in[4];
    memcpy(in, c->reg, sizeof in);
    c->args.result_mask = c->args.result_mask ? c->args.result_mask : 15;
    c->args.lanes = c->args.lanes ? c->args.lanes : LANES_ALL;
    for (int level = 0; level <= 2 * (int)simd_best() + 1; level++) {
        memcpy(c->reg, in, sizeof in);
        c->behind = lanes_splat(0x5a5a5a5a);
        fp_set_mode(level & 1 ? mode | FP_FLUSH : mode);
        tex_run((enum simd_level)(level / 2), v, s, &c->args, c->reg);
        fp_set_mode(mode);
        assert_int_equal(lanes_to_mask((u32x32)(c->behind == 0x5a5a5a5a)), LANES_ALL);
        assert_true(tex_run_few((enum simd_level)(level / 2), v, s, &c->args, in, c->reg, &seed));
        if (level)
            assert_memory_equal(c->reg, first, sizeof first);
        memcpy(first, c->reg, sizeof first);
    }
}

static inline float value(const struct call *c, int component, int lane) {
    const uint32_t u = c->reg[component][lane];
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static inline void set(struct call *c, int operand, int lane, float f) {
    c->reg[operand][lane] = float_bits(f);
}

struct texture {
    struct gpu_memory *memory;
    struct tex_image image;
    struct tex_level level[TEX_MAX_LEVELS];
    uint64_t stride;
    struct tex_view view;
};

/* As a draw would: what it samples is captured with it. */
static inline void capture(struct texture *t) {
    uint32_t tic[8];
    tex_image_tic(&t->image, 0, t->image.levels - 1, tic);
    assert_int_equal(tex_view_decode(tic, t->memory, &t->view, NULL, 0), 0);
}

static inline void make(struct texture *t, struct tex_image image) {
    *t = (struct texture){.image = image};
    const uint64_t size = tex_image_layout(&t->image, t->level, &t->stride);
    t->memory = memory_create(size + (1 << 20), -1);
    t->image.address = memory_alloc(t->memory, size, 65536);
    capture(t);
}

static inline void put(struct texture *t, int level, uint32_t x, uint32_t y, uint32_t z,
                       const void *texel) {
    const struct format_info *f = format_info(t->image.format);
    const struct tex_level *l = &t->level[level];
    const struct surface s = {.format = t->image.format,
                              .width = l->width,
                              .height = l->height,
                              .depth = l->depth,
                              .is_3d = t->image.dim == TEX_3D,
                              .tile_h = l->tile_h,
                              .tile_d = l->tile_d,
                              .layer_stride = t->stride};
    const uint64_t offset = l->offset + surface_offset(&s, x * f->bytes, y, z);
    memcpy(memory_at(t->memory, t->image.address + offset, f->bytes), texel, f->bytes);
}

static inline void put_float(struct texture *t, int level, uint32_t x, uint32_t y, uint32_t z,
                             float f) {
    put(t, level, x, y, z, &f);
}

static inline struct tex_image image(enum pixel_format f, enum tex_dim dim, uint32_t w,
                                     uint32_t h) {
    return (struct tex_image){.format = f,
                              .dim = dim,
                              .width = w,
                              .height = h,
                              .depth = 1,
                              .layers = 1,
                              .levels = 1,
                              .normalized = true};
}

/* The same operands in all lanes; result 0 of lane 5. */
static inline float one(const struct texture *t, const struct tex_sampler *s, struct call *c,
                        float a, float b, float d, float e) {
    for (int lane = 0; lane < LANES; lane++) {
        set(c, 0, lane, a);
        set(c, 1, lane, b);
        set(c, 2, lane, d);
        set(c, 3, lane, e);
    }
    run(&t->view, s, c);
    return value(c, 0, 5);
}

#endif
