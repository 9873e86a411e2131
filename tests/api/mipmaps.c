/* tp_texture_generate_mipmaps: each texel of a level is the mean of the box of two texels on each
 * axis in the level above. Layers and faces stay apart. In a 3D texture the slices are an axis,
 * too. The last texel of an odd side is left out. A side of one texel stays, and its texel counts
 * twice. */
#include "tests/test.h"

#include "include/teslapipe.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 16 }; /* texels on an axis */

struct level {
    uint32_t width, height, depth;
    float texel[MOST][MOST][MOST];
};

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Computes the next smaller level: its texels are means. */
static void halve(const struct level *from, bool is_3d, struct level *to) {
    const uint32_t half = from->depth > 1 ? from->depth / 2 : 1;
    to->width = from->width > 1 ? from->width / 2 : 1;
    to->height = from->height > 1 ? from->height / 2 : 1;
    to->depth = is_3d ? half : from->depth;
    for (uint32_t z = 0; z < to->depth; z++)
        for (uint32_t y = 0; y < to->height; y++)
            for (uint32_t x = 0; x < to->width; x++) {
                double sum = 0;
                for (uint32_t i = 0; i < 8; i++) {
                    const uint32_t fz = is_3d ? least(2 * z + i / 4, from->depth - 1) : z;
                    sum += (double)from->texel[fz][least(2 * y + i / 2 % 2, from->height - 1)]
                                              [least(2 * x + i % 2, from->width - 1)];
                }
                to->texel[z][y][x] = (float)(sum / 8);
            }
}

static tp_device *device;
static tp_context *context;

/* The red component of a texel in the texture's format, from 0 to 255. */
static float red(enum tp_format format, const void *row, uint32_t x) {
    return format == TP_FORMAT_RGBA8 ? (float)((const uint8_t *)row)[4 * x]
                                     : ((const float *)row)[x];
}

/* Bytes are rounded at each level, so a mean may be off by 0.5 for each level. */
static void check_level(tp_texture *t, uint32_t n, const struct level *l) {
    const enum tp_format format = tp_texture_get_info(t)->format;
    const float off = format == TP_FORMAT_RGBA8 ? 0.5f * (float)n + 0.01f : 1e-3f;
    uint32_t row[MOST * MOST];
    for (uint32_t z = 0; z < l->depth; z++) {
        assert_int_equal(tp_texture_read(context, t, n, z, row, 4 * l->width), TP_OK);
        for (uint32_t y = 0; y < l->height; y++)
            for (uint32_t x = 0; x < l->width; x++)
                if (fabsf(red(format, row + y * l->width, x) - l->texel[z][y][x]) > off)
                    fail_msg("level %u, %u %u %u: %g, not %g", n, x, y, z,
                             (double)red(format, row + y * l->width, x), (double)l->texel[z][y][x]);
    }
}

static void check_texture(struct tp_texture_info info) {
    static struct level level[2];
    tp_texture *t;
    uint32_t row[MOST * MOST];
    info.mipmaps = true;
    assert_int_equal(tp_texture_create(device, &info, &t), TP_OK);
    level[0] = (struct level){.width = info.width, .height = info.height};
    level[0].depth = info.kind == TP_TEXTURE_3D ? info.depth : tp_texture_get_info(t)->layers;
    for (uint32_t z = 0; z < level[0].depth; z++) {
        for (uint32_t i = 0; i < info.width * info.height; i++) {
            const uint32_t byte = random_below(256);
            const float number = (float)byte;
            level[0].texel[z][i / info.width][i % info.width] = number;
            row[i] = byte * 0x01010101u;
            if (info.format == TP_FORMAT_R32F)
                memcpy(&row[i], &number, sizeof number);
        }
        assert_int_equal(tp_texture_write(context, t, 0, z, row, 4 * info.width), TP_OK);
    }
    assert_int_equal(tp_texture_generate_mipmaps(context, t), TP_OK);
    for (uint32_t n = 1; n < tp_texture_get_info(t)->levels; n++) {
        halve(&level[(n - 1) % 2], info.kind == TP_TEXTURE_3D, &level[n % 2]);
        check_level(t, n, &level[n % 2]);
    }
    tp_texture_destroy(t);
}

TEST(test_means) {
    static const struct tp_texture_info infos[] = {
        {.kind = TP_TEXTURE_2D, .width = 16, .height = 8},
        {.kind = TP_TEXTURE_2D, .width = 7, .height = 13},
        {.kind = TP_TEXTURE_2D_ARRAY, .width = 8, .height = 5, .layers = 5},
        {.kind = TP_TEXTURE_CUBE, .width = 8, .height = 8},
        {.kind = TP_TEXTURE_3D, .width = 8, .height = 4, .depth = 16},
        {.kind = TP_TEXTURE_3D, .width = 5, .height = 7, .depth = 3},
        {.kind = TP_TEXTURE_3D, .width = 9, .height = 9, .depth = 1},
    };
    assert_int_equal(tp_device_create(NULL, &device), TP_OK);
    assert_int_equal(tp_context_create(device, &context), TP_OK);
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        struct tp_texture_info info = infos[i];
        info.format = TP_FORMAT_RGBA8;
        check_texture(info);
        info.format = TP_FORMAT_R32F;
        check_texture(info);
    }
    tp_context_destroy(context);
    tp_device_destroy(device);
}
