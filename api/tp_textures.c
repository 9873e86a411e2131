/* Textures of the C API: layout, upload, readback, mipmaps. In: infos and rows of texels. Out:
 * texels in GPU memory, block-linear unless the info asks for a linear layout. Flushes queued
 * draws; must not know anything else of draws.
 */
#include "api/api.h"
#include "base/bits.h"
#include "pipeline/transfer/transfer.h"

#include <stdlib.h>

enum { MAX_SIZE = 8192, MAX_DEPTH = 2048, MAX_LAYERS = 512, TILE_BYTES = 64 };

static const struct {
    uint8_t api, format;
} formats[] = {
#define PLAIN(format, api, ...) {TP_FORMAT_##api, FORMAT_##format},
#define SRGB PLAIN
#define ZETA PLAIN
#define BLOCK PLAIN
#include "base/formats.inc"
};

enum pixel_format api_format(enum tp_format format) {
    for (size_t i = 0; format && i < sizeof formats / sizeof *formats; i++)
        if (formats[i].api == format)
            return formats[i].format;
    return FORMAT_NONE;
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
    if ((unsigned)i->kind > TP_TEXTURE_CUBE_ARRAY)
        return device_fail(d, TP_ERROR_INVALID, "texture: unknown kind %d", (int)i->kind);
    if (api_format(i->format) == FORMAT_NONE)
        return device_fail(d, TP_ERROR_INVALID, "texture: unknown format %d", (int)i->format);
    API_TRY(check_size(d, "width", i->width, MAX_SIZE));
    API_TRY(check_size(d, "height", i->height, one_d ? 1 : MAX_SIZE));
    API_TRY(check_size(d, "depth", i->depth, i->kind == TP_TEXTURE_3D ? MAX_DEPTH : 1));
    API_TRY(check_size(d, "layers", i->layers, layered ? MAX_LAYERS : 1));
    API_TRY(check_size(d, "levels", i->levels, full_chain(i)));
    if (i->samples != 1 && i->samples != 2 && i->samples != 4 && i->samples != 8)
        return device_fail(d, TP_ERROR_INVALID, "texture: %u samples: 1, 2, 4 or 8", i->samples);
    if (i->samples > 1 && (i->levels > 1 || i->linear || i->kind != TP_TEXTURE_2D))
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: multisampling is for 2D targets without mipmaps");
    if (i->linear && (i->kind != TP_TEXTURE_2D || i->levels > 1))
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: pitch layout is for 2D textures without mipmaps");
    if (format_info(api_format(i->format))->compressed &&
        (i->samples > 1 || i->linear || i->kind == TP_TEXTURE_3D || one_d))
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: compressed formats are for 2D and cube textures");
    if (i->kind == TP_TEXTURE_CUBE_ARRAY && i->layers % 6)
        return device_fail(d, TP_ERROR_INVALID, "texture: %u layers are not whole cubes of 6",
                           i->layers);
    if ((i->kind == TP_TEXTURE_CUBE || i->kind == TP_TEXTURE_CUBE_ARRAY) && i->width != i->height)
        return device_fail(d, TP_ERROR_INVALID, "texture: cube faces of %ux%u are not square",
                           i->width, i->height);
    return TP_OK;
}

static struct tex_image image_of(const struct tp_texture_info *i) {
    static const uint8_t dims[] = {TEX_1D,       TEX_2D,       TEX_3D,        TEX_CUBE,
                                   TEX_1D_ARRAY, TEX_2D_ARRAY, TEX_CUBE_ARRAY};
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
    API_MAKES(device, texture);
    API_GIVEN(device, info);
    struct tp_texture_info full = *info;
    fill_defaults(&full);
    API_TRY(check_info(device, &full));
    tp_texture *t = calloc(1, sizeof *t);
    if (!t)
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for a texture");
    t->info = full;
    t->image = image_of(&full);
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

TP_API enum tp_result tp_texture_set_window(tp_texture *texture, uint32_t x, uint32_t y,
                                            uint32_t width, uint32_t height) {
    enum { MAX_PICTURE = 32768 };
    if (!texture)
        return device_fail(NULL, TP_ERROR_INVALID, "%s: texture is NULL", __func__);
    const bool window = width && height && width <= MAX_PICTURE && height <= MAX_PICTURE &&
                        x < width && y < height && (x | y) % TILE_SIZE == 0;
    if (!window && width)
        return device_fail(texture->resource.device, TP_ERROR_INVALID,
                           "window at %u, %u of a picture of %ux%u: the corner must be in the "
                           "picture, at multiples of %d, and the picture at most %dx%d",
                           x, y, width, height, TILE_SIZE, MAX_PICTURE, MAX_PICTURE);
    texture->window =
        window ? (struct picture_window){x, y, width, height} : (struct picture_window){0};
    return TP_OK;
}

/* ---- copies ---- */

/* Columns and rows of a level in units: a unit is a texel, or a block of a compressed format. */
static uint32_t unit_columns(const tp_texture *t, uint32_t level) {
    const uint32_t w = format_info(t->image.format)->block_w;
    return (api_level_width(t, level) + w - 1) / w;
}

static uint32_t unit_rows(const tp_texture *t, uint32_t level) {
    const uint32_t h = format_info(t->image.format)->block_h;
    return (api_level_height(t, level) + h - 1) / h;
}

/* Copies the rows of a rectangle, in units, from a level to memory; write: from memory to the
 * level. */
static void copy_rect(tp_context *c, const tp_texture *t, uint32_t level, uint32_t layer,
                      const struct tp_rect *r, uint8_t *data, size_t pitch, bool write) {
    struct surface s;
    const uint32_t bytes = format_info(t->image.format)->bytes, length = r->width * bytes;
    const uint32_t at_once = pitch <= UINT32_MAX ? r->height : 1;
    api_level_surface(t, level, &s);
    for (uint32_t y = 0; y < r->height; y += at_once) {
        const struct surface rows = {
            .data = data + y * pitch,
            .size = (uint64_t)(at_once - 1) * pitch + length,
            .format = FORMAT_R8_UNORM,
            .width = length,
            .height = at_once,
            .linear = true,
            .pitch = (uint32_t)pitch,
        };
        const struct copy_side level_side = {&s, r->x * bytes, r->y + y, layer};
        const struct copy_side memory_side = {&rows, 0, 0, 0};
        transfer_copy(c, write ? &level_side : &memory_side, write ? &memory_side : &level_side,
                      length, at_once);
    }
}

static enum tp_result check_copy(const tp_texture *t, uint32_t level, uint32_t layer,
                                 uint32_t columns, size_t pitch) {
    tp_device *d = t->resource.device;
    if (level >= t->info.levels)
        return device_fail(d, TP_ERROR_INVALID, "texture: level %u, there are %u", level,
                           t->info.levels);
    if (layer >= api_level_layers(t, level))
        return device_fail(d, TP_ERROR_INVALID, "texture: layer %u, there are %u", layer,
                           api_level_layers(t, level));
    const size_t row = (size_t)columns * format_info(t->image.format)->bytes;
    if (pitch < row)
        return device_fail(d, TP_ERROR_INVALID, "texture: rows of %zu bytes do not hold %zu", pitch,
                           row);
    if (pitch > PTRDIFF_MAX / MAX_SIZE)
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: rows %zu bytes apart do not fit the address space", pitch);
    return TP_OK;
}

TP_API enum tp_result tp_texture_write(tp_context *c, tp_texture *texture, uint32_t level,
                                       uint32_t layer, const void *data, size_t pitch) {
    API_CONTEXT(c);
    API_OBJECT(c, texture, "texture");
    API_GIVEN(c->device, data);
    API_TRY(check_copy(texture, level, layer,
                       level < texture->info.levels ? unit_columns(texture, level) : 0, pitch));
    if (texture->info.samples > 1)
        return context_fail(c, TP_ERROR_INVALID,
                            "texture: a multisample texture cannot be written");
    const struct tp_rect whole = {0, 0, unit_columns(texture, level), unit_rows(texture, level)};
    context_before_write(c, texture->resource.address, texture->resource.size);
    copy_rect(c, texture, level, layer, &whole, (uint8_t *)data, pitch, true);
    return TP_OK;
}

static bool can_average(enum pixel_format format) {
    const struct format_info *f = format_info(format);
    return !f->zeta && f->type != COMPONENT_UINT && f->type != COMPONENT_SINT;
}

/* A box of texels. Its sizes are powers of two; texels beyond the surface are those at the edge. */
struct box {
    uint32_t x, y, z, width, height, depth;
};

static uint32_t at_most(uint32_t i, uint32_t size) {
    return i < size ? i : size - 1;
}

/* Makes the mean of the texels of a box; the first texel if the format has no mean. */
static void average_box(const struct surface *s, const struct box *b, void *texel) {
    const uint32_t bytes = format_info(s->format)->bytes, row = b->width, slice = row * b->height;
    const uint32_t count = slice * b->depth;
    if (!can_average(s->format)) {
        memcpy(texel, s->data + surface_offset(s, b->x * bytes, b->y, b->z), bytes);
        return;
    }
    float sum[4] = {0};
    uint32_t rgba[4];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = at_most(b->x + i % row, s->width);
        const uint32_t y = at_most(b->y + i % slice / row, s->height);
        const uint32_t z = at_most(b->z + i / slice, s->depth);
        format_decode(s->format, s->data + surface_offset(s, x * bytes, y, z), rgba);
        for (int k = 0; k < 4; k++)
            sum[k] += bits_float(rgba[k]);
    }
    for (int k = 0; k < 4; k++)
        rgba[k] = float_bits(sum[k] / (float)count);
    format_encode(s->format, rgba, texel);
}

static void read_resolved(const tp_texture *t, const struct surface *s, uint8_t *data,
                          size_t pitch) {
    const uint32_t bytes = format_info(s->format)->bytes;
    uint32_t sx, sy;
    surface_sample_shift(t->info.samples, &sx, &sy);
    for (uint32_t y = 0; y < t->info.height; y++)
        for (uint32_t x = 0; x < t->info.width; x++)
            average_box(s, &(struct box){x << sx, y << sy, 0, 1u << sx, 1u << sy, 1},
                        data + y * pitch + (size_t)x * bytes);
}

TP_API enum tp_result tp_texture_read(tp_context *c, tp_texture *texture, uint32_t level,
                                      uint32_t layer, void *data, size_t pitch) {
    API_CONTEXT(c);
    API_OBJECT(c, texture, "texture");
    API_GIVEN(c->device, data);
    API_TRY(check_copy(texture, level, layer,
                       level < texture->info.levels ? unit_columns(texture, level) : 0, pitch));
    struct surface s;
    context_flush(c);
    api_level_surface(texture, level, &s);
    if (texture->info.samples > 1) {
        read_resolved(texture, &s, data, pitch);
        return TP_OK;
    }
    const struct tp_rect whole = {0, 0, unit_columns(texture, level), unit_rows(texture, level)};
    copy_rect(c, texture, level, layer, &whole, data, pitch, false);
    return TP_OK;
}

/* ---- rectangles ---- */

enum tp_result api_check_rect(const tp_texture *t, uint32_t level, uint32_t layer,
                              const struct tp_rect *r, size_t pitch) {
    tp_device *d = t->resource.device;
    API_TRY(check_copy(t, level, layer, r->width, pitch));
    if (t->info.samples > 1 || format_info(t->image.format)->compressed)
        return device_fail(d, TP_ERROR_INVALID,
                           "texture: parts of multisample and compressed textures are not copied");
    const uint32_t w = api_level_width(t, level), h = api_level_height(t, level);
    if (r->x > w || r->width > w - r->x || r->y > h || r->height > h - r->y)
        return device_fail(d, TP_ERROR_INVALID, "texture: %ux%u at %u, %u of a level of %ux%u",
                           r->width, r->height, r->x, r->y, w, h);
    return TP_OK;
}

TP_API enum tp_result tp_texture_write_rect(tp_context *c, tp_texture *texture, uint32_t level,
                                            uint32_t layer, const struct tp_rect *rect,
                                            const void *data, size_t pitch) {
    API_CONTEXT(c);
    API_OBJECT(c, texture, "texture");
    API_GIVEN(c->device, rect);
    API_GIVEN(c->device, data);
    API_TRY(api_check_rect(texture, level, layer, rect, pitch));
    context_before_write(c, texture->resource.address, texture->resource.size);
    copy_rect(c, texture, level, layer, rect, (uint8_t *)data, pitch, true);
    return TP_OK;
}

TP_API enum tp_result tp_texture_read_rect(tp_context *c, tp_texture *texture, uint32_t level,
                                           uint32_t layer, const struct tp_rect *rect, void *data,
                                           size_t pitch) {
    API_CONTEXT(c);
    API_OBJECT(c, texture, "texture");
    API_GIVEN(c->device, rect);
    API_GIVEN(c->device, data);
    API_TRY(api_check_rect(texture, level, layer, rect, pitch));
    context_flush(c);
    copy_rect(c, texture, level, layer, rect, data, pitch, false);
    return TP_OK;
}

TP_API enum tp_result tp_texture_copy(tp_context *c, struct tp_texture_place to, uint32_t x,
                                      uint32_t y, struct tp_texture_place from,
                                      const struct tp_rect *rect) {
    API_CONTEXT(c);
    API_OBJECT(c, to.texture, "texture");
    API_OBJECT(c, from.texture, "texture");
    API_GIVEN(c->device, rect);
    if (to.texture->image.format != from.texture->image.format)
        return context_fail(c, TP_ERROR_INVALID, "texture: a copy from %s to %s",
                            format_name(from.texture->image.format),
                            format_name(to.texture->image.format));
    const struct tp_rect target = {x, y, rect->width, rect->height};
    const size_t pitch = (size_t)rect->width * format_info(to.texture->image.format)->bytes;
    API_TRY(api_check_rect(from.texture, from.level, from.layer, rect, pitch));
    API_TRY(api_check_rect(to.texture, to.level, to.layer, &target, pitch));
    if (to.texture == from.texture && to.level == from.level && to.layer == from.layer &&
        rect->width && rect->height && x - rect->x + rect->width - 1 < 2 * rect->width - 1 &&
        y - rect->y + rect->height - 1 < 2 * rect->height - 1)
        return context_fail(c, TP_ERROR_INVALID,
                            "texture: a copy of %ux%u texels from %u,%u to %u,%u overlaps itself",
                            rect->width, rect->height, rect->x, rect->y, x, y);
    uint8_t *rows = malloc(pitch * rect->height + 1);
    if (!rows)
        return context_fail(c, TP_ERROR_MEMORY, "out of memory copying a texture");
    context_flush(c);
    copy_rect(c, from.texture, from.level, from.layer, rect, rows, pitch, false);
    context_before_write(c, to.texture->resource.address, to.texture->resource.size);
    copy_rect(c, to.texture, to.level, to.layer, &target, rows, pitch, true);
    free(rows);
    return TP_OK;
}

TP_API uint64_t tp_texture_address(const tp_texture *texture) {
    return texture ? texture->resource.address : 0;
}

TP_API enum tp_result tp_texture_describe(const tp_texture *texture, uint32_t first_level,
                                          uint32_t last_level, uint32_t tic[8]) {
    FP_PLAIN_BLOCK;
    API_GIVEN(NULL, texture);
    API_GIVEN(texture->resource.device, tic);
    if (first_level > last_level || last_level >= texture->info.levels)
        return device_fail(texture->resource.device, TP_ERROR_INVALID,
                           "texture: levels %u to %u, there are %u", first_level, last_level,
                           texture->info.levels);
    tex_image_tic(&texture->image, first_level, last_level, tic);
    return TP_OK;
}

static uint8_t to_unorm8(float f) {
    return f > 0 ? f < 1 ? (uint8_t)(f * 255 + 0.5f) : 255 : 0; /* NaN: 0 */
}

static void row_to_rgba8(enum pixel_format format, const uint8_t *row, uint32_t width,
                         uint8_t *out) {
    const struct format_info *f = format_info(format);
    if (format == FORMAT_BGRA8_UNORM) {
        for (uint32_t x = 0; x < width; x++)
            for (int k = 0; k < 4; k++)
                out[4 * x + k] = row[4 * x + (k == 3 ? 3 : 2 - k)];
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        uint32_t rgba[4];
        format_decode(format, row + (size_t)x * f->bytes, rgba);
        for (int k = 0; k < 4; k++) {
            const float v = f->type == COMPONENT_UINT   ? (float)rgba[k]
                            : f->type == COMPONENT_SINT ? (float)(int32_t)rgba[k]
                                                        : bits_float(rgba[k]);
            out[4 * x + k] = to_unorm8(f->srgb && k < 3 ? linear_to_srgb(v) : v);
        }
    }
}

TP_API enum tp_result tp_texture_read_rgba8(tp_context *c, tp_texture *texture, void *data) {
    API_CONTEXT(c);
    API_GIVEN(c->device, texture);
    API_GIVEN(c->device, data);
    const struct format_info *f = format_info(texture->image.format);
    if (f->zeta || f->compressed)
        return context_fail(c, TP_ERROR_INVALID, "texture: %s is not a plain colour format",
                            f->name);
    const size_t pitch = (size_t)texture->info.width * f->bytes;
    if (texture->image.format == FORMAT_RGBA8_UNORM)
        return tp_texture_read(c, texture, 0, 0, data, pitch);
    uint8_t *rows = malloc(pitch * texture->info.height);
    if (!rows)
        return context_fail(c, TP_ERROR_MEMORY, "out of memory reading a texture");
    const enum tp_result result = tp_texture_read(c, texture, 0, 0, rows, pitch);
    for (uint32_t y = 0; result == TP_OK && y < texture->info.height; y++)
        row_to_rgba8(texture->image.format, rows + y * pitch, texture->info.width,
                     (uint8_t *)data + (size_t)y * texture->info.width * 4);
    free(rows);
    return result;
}

/* ---- mipmaps ---- */

static void halve_layer(const struct surface *from, const struct surface *to, uint32_t z) {
    const uint32_t bytes = format_info(to->format)->bytes, depth = from->is_3d ? 2 : 1;
    for (uint32_t y = 0; y < to->height; y++)
        for (uint32_t x = 0; x < to->width; x++)
            average_box(from, &(struct box){2 * x, 2 * y, depth * z, 2, 2, depth},
                        to->data + surface_offset(to, x * bytes, y, z));
}

/* Halves a layer of RGBA8 or BGRA8 texels: rounded means of integers, without conversion to
 * floats. */
static void halve_layer_unorm8(const struct surface *from, const struct surface *to, uint32_t z) {
    const uint32_t rows = from->is_3d ? 4 : 2, count = 2 * rows;
    for (uint32_t y = 0; y < to->height; y++) {
        const struct surface_row target = surface_row(to, y, z);
        struct surface_row row[4];
        for (uint32_t i = 0; i < rows; i++)
            row[i] = surface_row(from, at_most(2 * y + i % 2, from->height),
                                 from->is_3d ? at_most(2 * z + i / 2, from->depth) : z);
        for (uint32_t x = 0; x < to->width; x++) {
            uint32_t sum[4] = {count / 2, count / 2, count / 2, count / 2};
            uint8_t *out = to->data + surface_row_offset(&target, x * 4);
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t column = at_most(2 * x + i % 2, from->width);
                const uint8_t *const p = from->data + surface_row_offset(&row[i / 2], column * 4);
                for (int k = 0; k < 4; k++)
                    sum[k] += p[k];
            }
            for (int k = 0; k < 4; k++)
                out[k] = (uint8_t)(sum[k] / count);
        }
    }
}

TP_API enum tp_result tp_texture_generate_mipmaps(tp_context *c, tp_texture *texture) {
    API_CONTEXT(c);
    API_OBJECT(c, texture, "texture");
    const enum pixel_format format = texture->image.format;
    if (format_info(format)->zeta || format_info(format)->compressed)
        return context_fail(c, TP_ERROR_INVALID, "mipmaps: %s is not a plain colour format",
                            format_name(format));
    const bool bytes = format == FORMAT_RGBA8_UNORM || format == FORMAT_BGRA8_UNORM;
    context_before_read(c, texture->resource.address, texture->resource.size);
    context_before_write(c, texture->resource.address, texture->resource.size);
    for (uint32_t level = 1; level < texture->info.levels; level++) {
        struct surface from, to;
        api_level_surface(texture, level - 1, &from);
        api_level_surface(texture, level, &to);
        for (uint32_t z = 0; z < to.depth; z++)
            (bytes ? halve_layer_unorm8 : halve_layer)(&from, &to, z);
    }
    return TP_OK;
}
