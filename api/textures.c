/* Textures of the C API: layout, upload, readback, mipmaps. In: infos and rows of texels. Out:
 * texels in GPU memory, block-linear unless asked otherwise. Must not know draws beyond flushing
 * them.
 */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 8192, MAX_DEPTH = 2048, MAX_LAYERS = 512, TILE_BYTES = 64 };

static const enum pixel_format formats[] = {
    [TP_FORMAT_NONE] = FORMAT_NONE,
    [TP_FORMAT_RGBA8] = FORMAT_RGBA8_UNORM,
    [TP_FORMAT_RGBA8_SRGB] = FORMAT_RGBA8_SRGB,
    [TP_FORMAT_BGRA8] = FORMAT_BGRA8_UNORM,
    [TP_FORMAT_BGRA8_SRGB] = FORMAT_BGRA8_SRGB,
    [TP_FORMAT_R8] = FORMAT_R8_UNORM,
    [TP_FORMAT_RG8] = FORMAT_RG8_UNORM,
    [TP_FORMAT_RGBA16F] = FORMAT_RGBA16_FLOAT,
    [TP_FORMAT_RGBA32F] = FORMAT_RGBA32_FLOAT,
    [TP_FORMAT_R32F] = FORMAT_R32_FLOAT,
    [TP_FORMAT_RG32F] = FORMAT_RG32_FLOAT,
    [TP_FORMAT_RGBA32UI] = FORMAT_RGBA32_UINT,
    [TP_FORMAT_R32UI] = FORMAT_R32_UINT,
    [TP_FORMAT_Z24S8] = FORMAT_Z24S8,
    [TP_FORMAT_Z32F] = FORMAT_Z32_FLOAT,
    [TP_FORMAT_Z16] = FORMAT_Z16_UNORM,
};

enum pixel_format api_format(enum tp_format format) {
    return (unsigned)format < sizeof formats / sizeof *formats ? formats[format] : FORMAT_NONE;
}

static uint32_t at_level(uint32_t size, uint32_t level) {
    return size >> level ? size >> level : 1;
}

uint32_t api_level_width(const tp_texture *t, uint32_t level) {
    return at_level(t->info.width, level);
}

uint32_t api_level_height(const tp_texture *t, uint32_t level) {
    return at_level(t->info.height, level);
}

uint32_t api_level_layers(const tp_texture *t, uint32_t level) {
    return t->info.kind == TP_TEXTURE_3D ? at_level(t->info.depth, level) : t->info.layers;
}

void api_level_surface(const tp_texture *t, uint32_t level, struct surface *s) {
    const struct tex_level *l = &t->level[level];
    const uint64_t address = t->resource.address + l->offset, size = t->resource.size - l->offset;
    uint32_t sx, sy;
    surface_sample_shift(t->info.samples, &sx, &sy);
    *s = (struct surface){
        .data = memory_at(t->resource.device->memory, address, size),
        .size = size,
        .format = t->image.format,
        .width = api_level_width(t, level) << sx,
        .height = api_level_height(t, level) << sy,
        .depth = api_level_layers(t, level),
        .linear = t->image.linear,
        .is_3d = t->info.kind == TP_TEXTURE_3D,
        .pitch = l->pitch,
        .tile_h = l->tile_h,
        .tile_d = l->tile_d,
        .layer_stride = t->layer_stride,
    };
}

/* ---- creation ---- */

static enum tp_result check_size(tp_device *d, const char *what, uint32_t size, uint32_t max) {
    return size >= 1 && size <= max
               ? TP_OK
               : device_fail(d, TP_ERROR_INVALID, "texture: %s %u: 1 to %u", what, size, max);
}

static uint32_t full_chain(const struct tp_texture_info *i) {
    uint32_t size = i->width > i->height ? i->width : i->height, levels = 1;
    size = i->depth > size ? i->depth : size;
    while (size >>= 1)
        levels++;
    return levels;
}

static void fill_defaults(struct tp_texture_info *i) {
    const bool one_d = i->kind == TP_TEXTURE_1D || i->kind == TP_TEXTURE_1D_ARRAY;
    i->height = one_d && !i->height ? 1 : i->height;
    i->depth = i->depth ? i->depth : 1;
    i->layers = i->kind == TP_TEXTURE_CUBE ? 6 : i->layers ? i->layers : 1;
    i->samples = i->samples ? i->samples : 1;
    if (!i->levels)
        i->levels = i->mipmaps ? full_chain(i) : 1;
}

static enum tp_result check_info(tp_device *d, const struct tp_texture_info *i) {
    const bool one_d = i->kind == TP_TEXTURE_1D || i->kind == TP_TEXTURE_1D_ARRAY;
    const bool layered = i->kind >= TP_TEXTURE_CUBE;
    enum tp_result r = TP_OK;
    if ((unsigned)i->kind > TP_TEXTURE_2D_ARRAY)
        return device_fail(d, TP_ERROR_INVALID, "texture: unknown kind %d", (int)i->kind);
    if (api_format(i->format) == FORMAT_NONE)
        return device_fail(d, TP_ERROR_INVALID, "texture: unknown format %d", (int)i->format);
    if ((r = check_size(d, "width", i->width, MAX_SIZE)) != TP_OK ||
        (r = check_size(d, "height", i->height, one_d ? 1 : MAX_SIZE)) != TP_OK ||
        (r = check_size(d, "depth", i->depth, i->kind == TP_TEXTURE_3D ? MAX_DEPTH : 1)) != TP_OK ||
        (r = check_size(d, "layers", i->layers, layered ? MAX_LAYERS : 1)) != TP_OK ||
        (r = check_size(d, "levels", i->levels, full_chain(i))) != TP_OK)
        return r;
    if (i->samples != 1 && i->samples != 2 && i->samples != 4 && i->samples != 8)
        return device_fail(d, TP_ERROR_INVALID, "texture: %u samples: 1, 2, 4 or 8", i->samples);
    if (i->samples > 1 && (i->levels > 1 || i->linear || i->kind != TP_TEXTURE_2D))
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: multisampling is for 2D targets without mipmaps");
    if (i->linear && (i->kind != TP_TEXTURE_2D || i->levels > 1))
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: pitch layout is for 2D textures without mipmaps");
    if (i->kind == TP_TEXTURE_CUBE && i->width != i->height)
        return device_fail(d, TP_ERROR_INVALID, "texture: cube faces of %ux%u are not square",
                           i->width, i->height);
    return TP_OK;
}

static struct tex_image describe(const struct tp_texture_info *i) {
    static const uint8_t dims[] = {TEX_1D, TEX_2D, TEX_3D, TEX_CUBE, TEX_1D_ARRAY, TEX_2D_ARRAY};
    uint32_t sx, sy;
    surface_sample_shift(i->samples, &sx, &sy);
    const enum pixel_format format = api_format(i->format);
    const uint32_t row = (i->width << sx) * format_info(format)->bytes;
    return (struct tex_image){
        .format = format,
        .dim = i->linear ? TEX_2D_NOMIP : dims[i->kind],
        .width = i->width << sx,
        .height = i->height << sy,
        .depth = i->depth,
        .layers = i->layers,
        .levels = i->levels,
        .linear = i->linear,
        .pitch = i->linear ? (row + TILE_BYTES - 1) & ~(TILE_BYTES - 1u) : 0,
        .normalized = true,
    };
}

TP_API enum tp_result tp_texture_create(tp_device *device, const struct tp_texture_info *info,
                                        tp_texture **texture) {
    API_GIVEN(device, texture);
    *texture = NULL;
    API_GIVEN(NULL, device);
    API_GIVEN(device, info);
    struct tp_texture_info full = *info;
    fill_defaults(&full);
    const enum tp_result result = check_info(device, &full);
    if (result != TP_OK)
        return result;
    tp_texture *t = calloc(1, sizeof *t);
    if (!t)
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for a texture");
    t->info = full;
    t->image = describe(&full);
    const uint64_t size = tex_image_layout(&t->image, t->level, &t->layer_stride);
    const uint64_t address = memory_alloc(device->memory, size, 1 << 12);
    if (!address) {
        free(t);
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for a texture of %llu bytes",
                           (unsigned long long)size);
    }
    t->resource = (struct resource){1, device, address, size};
    device_ref(device);
    t->image.address = address;
    *texture = t;
    return TP_OK;
}

TP_API void tp_texture_destroy(tp_texture *texture) {
    resource_unref(texture ? &texture->resource : NULL);
}

TP_API const struct tp_texture_info *tp_texture_get_info(const tp_texture *texture) {
    return texture ? &texture->info : NULL;
}

/* ---- copies ---- */

/* A row of bytes between a surface and linear memory, tile column by tile column. */
static void copy_row(const struct surface *s, uint32_t y, uint32_t z, uint8_t *row, uint32_t bytes,
                     bool write) {
    for (uint32_t x = 0; x < bytes; x += TILE_BYTES) {
        const uint32_t n = bytes - x < TILE_BYTES ? bytes - x : TILE_BYTES;
        uint8_t *at = s->data + surface_offset(s, x, y, z);
        if (write)
            memcpy(at, row + x, n);
        else
            memcpy(row + x, at, n);
    }
}

static enum tp_result check_copy(const tp_texture *t, uint32_t level, uint32_t layer,
                                 size_t pitch) {
    tp_device *d = t->resource.device;
    if (level >= t->info.levels)
        return device_fail(d, TP_ERROR_INVALID, "texture: level %u, there are %u", level,
                           t->info.levels);
    if (layer >= api_level_layers(t, level))
        return device_fail(d, TP_ERROR_INVALID, "texture: layer %u, there are %u", layer,
                           api_level_layers(t, level));
    const size_t row = (size_t)api_level_width(t, level) * format_info(t->image.format)->bytes;
    if (pitch < row)
        return device_fail(d, TP_ERROR_INVALID, "texture: rows of %zu bytes do not hold %zu", pitch,
                           row);
    return TP_OK;
}

TP_API enum tp_result tp_texture_write(tp_context *c, tp_texture *t, uint32_t level, uint32_t layer,
                                       const void *data, size_t pitch) {
    API_CONTEXT(c);
    API_GIVEN(c->device, t);
    API_GIVEN(c->device, data);
    API_OWN(c, t->resource.device, "texture");
    const enum tp_result result = check_copy(t, level, layer, pitch);
    if (result != TP_OK)
        return result;
    if (t->info.samples > 1)
        return context_fail(c, TP_ERROR_INVALID,
                            "texture: a multisample texture cannot be written");
    struct surface s;
    api_level_surface(t, level, &s);
    context_before_write(c, t->resource.address, t->resource.size);
    for (uint32_t y = 0; y < s.height; y++)
        copy_row(&s, y, layer, (uint8_t *)data + y * pitch, s.width * format_info(s.format)->bytes,
                 true);
    return TP_OK;
}

static float word_float(uint32_t word) {
    float f;
    memcpy(&f, &word, 4);
    return f;
}

static uint32_t float_word(float f) {
    uint32_t word;
    memcpy(&word, &f, 4);
    return word;
}

static bool averages(enum pixel_format format) {
    const struct format_info *f = format_info(format);
    return !f->zeta && f->type != COMPONENT_UINT && f->type != COMPONENT_SINT;
}

/* The mean of n = 2^k texels of w columns at (x, y); the first of them where a mean makes no sense.
 */
static void box(const struct surface *s, uint32_t x, uint32_t y, uint32_t z, uint32_t w, uint32_t h,
                void *texel) {
    const uint32_t bytes = format_info(s->format)->bytes;
    if (!averages(s->format)) {
        memcpy(texel, s->data + surface_offset(s, x * bytes, y, z), bytes);
        return;
    }
    float sum[4] = {0};
    uint32_t rgba[4];
    for (uint32_t i = 0; i < w * h; i++) {
        const uint32_t tx = x + i % w < s->width ? x + i % w : s->width - 1;
        const uint32_t ty = y + i / w < s->height ? y + i / w : s->height - 1;
        format_unpack(s->format, s->data + surface_offset(s, tx * bytes, ty, z), rgba);
        for (int k = 0; k < 4; k++)
            sum[k] += word_float(rgba[k]);
    }
    for (int k = 0; k < 4; k++)
        rgba[k] = float_word(sum[k] / (float)(w * h));
    format_pack(s->format, rgba, texel);
}

static void read_resolved(const tp_texture *t, const struct surface *s, uint8_t *data,
                          size_t pitch) {
    const uint32_t bytes = format_info(s->format)->bytes;
    uint32_t sx, sy;
    surface_sample_shift(t->info.samples, &sx, &sy);
    for (uint32_t y = 0; y < t->info.height; y++)
        for (uint32_t x = 0; x < t->info.width; x++)
            box(s, x << sx, y << sy, 0, 1u << sx, 1u << sy, data + y * pitch + (size_t)x * bytes);
}

TP_API enum tp_result tp_texture_read(tp_context *c, tp_texture *t, uint32_t level, uint32_t layer,
                                      void *data, size_t pitch) {
    API_CONTEXT(c);
    API_GIVEN(c->device, t);
    API_GIVEN(c->device, data);
    API_OWN(c, t->resource.device, "texture");
    const enum tp_result result = check_copy(t, level, layer, pitch);
    if (result != TP_OK)
        return result;
    struct surface s;
    context_flush(c);
    api_level_surface(t, level, &s);
    if (t->info.samples > 1) {
        read_resolved(t, &s, data, pitch);
        return TP_OK;
    }
    for (uint32_t y = 0; y < s.height; y++)
        copy_row(&s, y, layer, (uint8_t *)data + y * pitch, s.width * format_info(s.format)->bytes,
                 false);
    return TP_OK;
}

static uint8_t to_unorm8(float f) {
    return f > 0 ? f < 1 ? (uint8_t)(f * 255 + 0.5f) : 255 : 0; /* NaN: 0 */
}

static void row_to_rgba8(enum pixel_format format, const uint8_t *row, uint32_t width,
                         uint8_t *out) {
    const struct format_info *f = format_info(format);
    if (format == FORMAT_RGBA8_UNORM) {
        memcpy(out, row, width * 4);
        return;
    }
    if (format == FORMAT_BGRA8_UNORM) {
        for (uint32_t x = 0; x < width; x++)
            for (int k = 0; k < 4; k++)
                out[4 * x + k] = row[4 * x + (k == 3 ? 3 : 2 - k)];
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        uint32_t rgba[4];
        format_unpack(format, row + (size_t)x * f->bytes, rgba);
        for (int k = 0; k < 4; k++) {
            const float v = f->type == COMPONENT_UINT   ? (float)rgba[k]
                            : f->type == COMPONENT_SINT ? (float)(int32_t)rgba[k]
                                                        : word_float(rgba[k]);
            out[4 * x + k] = to_unorm8(f->srgb && k < 3 ? linear_to_srgb(v) : v);
        }
    }
}

TP_API enum tp_result tp_texture_read_rgba8(tp_context *c, tp_texture *t, void *data) {
    API_CONTEXT(c);
    API_GIVEN(c->device, t);
    API_GIVEN(c->device, data);
    const struct format_info *f = format_info(t->image.format);
    if (f->zeta)
        return context_fail(c, TP_ERROR_INVALID, "texture: %s is not a colour format", f->name);
    const size_t pitch = (size_t)t->info.width * f->bytes;
    uint8_t *rows = malloc(pitch * t->info.height);
    if (!rows)
        return context_fail(c, TP_ERROR_MEMORY, "out of memory reading a texture");
    const enum tp_result result = tp_texture_read(c, t, 0, 0, rows, pitch);
    for (uint32_t y = 0; result == TP_OK && y < t->info.height; y++)
        row_to_rgba8(t->image.format, rows + y * pitch, t->info.width,
                     (uint8_t *)data + (size_t)y * t->info.width * 4);
    free(rows);
    return result;
}

/* ---- mipmaps ---- */

static void halve_layer(const struct surface *from, const struct surface *to, uint32_t z) {
    const uint32_t bytes = format_info(to->format)->bytes;
    for (uint32_t y = 0; y < to->height; y++)
        for (uint32_t x = 0; x < to->width; x++)
            box(from, 2 * x, 2 * y, z, 2, 2, to->data + surface_offset(to, x * bytes, y, z));
}

/* Four bytes a texel that mean the same in each: rounded integer means, no conversion. */
static void halve_layer_unorm8(const struct surface *from, const struct surface *to, uint32_t z) {
    for (uint32_t y = 0; y < to->height; y++) {
        const uint32_t y1 = 2 * y + 1 < from->height ? 2 * y + 1 : from->height - 1;
        const uint32_t y0 = 2 * y < from->height ? 2 * y : from->height - 1;
        for (uint32_t x = 0; x < to->width; x++) {
            const uint32_t x1 = 2 * x + 1 < from->width ? 2 * x + 1 : from->width - 1;
            const uint32_t x0 = 2 * x < from->width ? 2 * x : from->width - 1;
            const uint8_t *const p[4] = {from->data + surface_offset(from, x0 * 4, y0, z),
                                         from->data + surface_offset(from, x1 * 4, y0, z),
                                         from->data + surface_offset(from, x0 * 4, y1, z),
                                         from->data + surface_offset(from, x1 * 4, y1, z)};
            uint8_t *out = to->data + surface_offset(to, x * 4, y, z);
            for (int k = 0; k < 4; k++)
                out[k] = (uint8_t)((p[0][k] + p[1][k] + p[2][k] + p[3][k] + 2) / 4);
        }
    }
}

TP_API enum tp_result tp_texture_generate_mipmaps(tp_context *c, tp_texture *t) {
    API_CONTEXT(c);
    API_GIVEN(c->device, t);
    API_OWN(c, t->resource.device, "texture");
    const enum pixel_format format = t->image.format;
    if (format_info(format)->zeta)
        return context_fail(c, TP_ERROR_INVALID, "mipmaps: %s is not a colour format",
                            format_name(format));
    const bool bytes = format == FORMAT_RGBA8_UNORM || format == FORMAT_BGRA8_UNORM;
    context_before_read(c, t->resource.address, t->resource.size);
    context_before_write(c, t->resource.address, t->resource.size);
    for (uint32_t level = 1; level < t->info.levels; level++) {
        struct surface from, to;
        api_level_surface(t, level - 1, &from);
        api_level_surface(t, level, &to);
        for (uint32_t z = 0; z < to.depth; z++)
            (bytes ? halve_layer_unorm8 : halve_layer)(&from, &to, z);
    }
    return TP_OK;
}
