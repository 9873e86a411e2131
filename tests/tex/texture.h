/* Fixture: a texture in a memory of its own; the test writes its texels one by one. */
#ifndef TESTS_TEX_TEXTURE_H
#define TESTS_TEX_TEXTURE_H

#include "tests/test.h"
#include "tests/shapes.h"
#include "tex/tex.h"

struct texture {
    struct gpu_memory *memory;
    struct tex_image image;
    struct tex_level level[TEX_MAX_LEVELS];
    uint64_t stride;
    struct tex_view view;
};

/* Makes the view of the image. */
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

static inline void texture_free(struct texture *t) {
    memory_destroy(t->memory);
}

/* A texture, made by a function, that is freed at the end of the C block. */
#define TEXTURE_BY(t, begin, ...)                                                                  \
    struct texture t __attribute__((cleanup(texture_free)));                                       \
    begin(&t, __VA_ARGS__)
#define TEXTURE(t, image) TEXTURE_BY(t, make, image)

static inline void *texel_at(const struct texture *t, int level, uint32_t x, uint32_t y,
                             uint32_t z) {
    const struct format_info *f = format_info(t->image.format);
    const struct tex_level *l = &t->level[level];
    const struct surface s =
        SURFACE(t->image.format, l->width, l->height, l->depth, .linear = t->image.linear,
                .is_3d = t->image.dim == TEX_3D, .pitch = l->pitch, .tile_h = l->tile_h,
                .tile_d = l->tile_d, .layer_stride = t->stride);
    const uint64_t offset = l->offset + surface_offset(&s, x * f->bytes, y, z);
    return memory_at(t->memory, t->image.address + offset, f->bytes);
}

static inline void put(struct texture *t, int level, uint32_t x, uint32_t y, uint32_t z,
                       const void *texel) {
    memcpy(texel_at(t, level, x, y, z), texel, format_info(t->image.format)->bytes);
}

static inline void put_float(struct texture *t, int level, uint32_t x, uint32_t y, uint32_t z,
                             float f) {
    put(t, level, x, y, z, &f);
}

/* Writes a float to each texel: of level l, column x, row y, layer or slice z. */
#define FILL(t, value)                                                                             \
    for (int l = 0; l < (int)(t)->image.levels; l++)                                               \
        for (uint32_t z = 0; z < slices_of(t, l); z++)                                             \
            for (uint32_t y = 0; y < (t)->level[l].height; y++)                                    \
                for (uint32_t x = 0; x < (t)->level[l].width; x++)                                 \
    put_float(t, l, x, y, z, value)

static inline uint32_t slices_of(const struct texture *t, int level) {
    return t->image.dim == TEX_3D ? t->level[level].depth : t->image.layers;
}

/* An image of one layer and level. */
static inline struct tex_image image(enum pixel_format f, enum tex_dim dim, uint32_t w,
                                     uint32_t h) {
    return IMAGE(f, dim, w, h, 1, 1, .normalized = true);
}

static inline struct tex_image layered(struct tex_image i, uint32_t layers, uint32_t levels) {
    i.layers = layers;
    i.levels = levels;
    return i;
}

#endif
