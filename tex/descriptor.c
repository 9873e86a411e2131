/* Texture descriptors: TIC (image view) and TSC (sampler), decoded and encoded. In: descriptor
 * words, or the description of an image. Out: views that are ready for sampling, or words. Every
 * field of a TIC is checked here, once, so that the sampler can trust the view. Field layout:
 * tesla-3d.md §4.2, §4.3; format codes: G80 TIC component sizes.
 */
#include "tex/tex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The layout of a texel of a TIC format code in memory. */
struct storage {
    uint8_t kind, bytes;
    uint8_t bits[4], shift[4];
    uint8_t depth_component;
};

/* clang-format off */
#define PLAIN TEX_STORE_PLAIN
static const struct storage storages[64] = {
    [0x01] = {PLAIN, 16, {32, 32, 32, 32}, {0, 32, 64, 96}, 0},
    [0x02] = {PLAIN, 12, {32, 32, 32, 0}, {0, 32, 64, 0}, 0},
    [0x03] = {PLAIN, 8, {16, 16, 16, 16}, {0, 16, 32, 48}, 0},
    [0x04] = {PLAIN, 8, {32, 32, 0, 0}, {0, 32, 0, 0}, 0},
    [0x05] = {PLAIN, 8, {32, 8, 24, 0}, {0, 32, 40, 0}, 0},   /* R32_B24G8 */
    [0x07] = {PLAIN, 4, {8, 8, 8, 0}, {0, 8, 16, 0}, 0},      /* X8B8G8R8 */
    [0x08] = {PLAIN, 4, {8, 8, 8, 8}, {0, 8, 16, 24}, 0},     /* A8B8G8R8 */
    [0x09] = {PLAIN, 4, {10, 10, 10, 2}, {0, 10, 20, 30}, 0}, /* A2B10G10R10 */
    [0x0c] = {PLAIN, 4, {16, 16, 0, 0}, {0, 16, 0, 0}, 0},
    [0x0d] = {PLAIN, 4, {24, 8, 0, 0}, {0, 24, 0, 0}, 0},     /* G8R24 */
    [0x0e] = {PLAIN, 4, {8, 24, 0, 0}, {0, 8, 0, 0}, 0},      /* G24R8 */
    [0x0f] = {PLAIN, 4, {32, 0, 0, 0}, {0}, 0},
    [0x10] = {TEX_STORE_BC6H_SIGNED, 16, {16, 16, 16, 0}, {0, 16, 32, 0}, 0},
    [0x11] = {TEX_STORE_BC6H, 16, {16, 16, 16, 0}, {0, 16, 32, 0}, 0},
    [0x12] = {PLAIN, 2, {4, 4, 4, 4}, {0, 4, 8, 12}, 0},      /* A4B4G4R4 */
    [0x13] = {PLAIN, 2, {1, 5, 5, 5}, {0, 1, 6, 11}, 0},      /* A5B5G5R1 */
    [0x14] = {PLAIN, 2, {5, 5, 5, 1}, {0, 5, 10, 15}, 0},     /* A1B5G5R5 */
    [0x15] = {PLAIN, 2, {5, 6, 5, 0}, {0, 5, 11, 0}, 0},      /* B5G6R5 */
    [0x16] = {PLAIN, 2, {5, 5, 6, 0}, {0, 5, 10, 0}, 0},      /* B6G5R5 */
    [0x17] = {TEX_STORE_BC7, 16, {8, 8, 8, 8}, {0}, 0},
    [0x18] = {PLAIN, 2, {8, 8, 0, 0}, {0, 8, 0, 0}, 0},
    [0x1b] = {PLAIN, 2, {16, 0, 0, 0}, {0}, 0},
    [0x1d] = {PLAIN, 1, {8, 0, 0, 0}, {0}, 0},
    [0x1e] = {PLAIN, 1, {4, 4, 0, 0}, {0, 4, 0, 0}, 0},       /* G4R4 */
    [0x20] = {TEX_STORE_RGB9E5, 4, {9, 9, 9, 0}, {0, 9, 18, 0}, 0},
    [0x21] = {PLAIN, 4, {11, 11, 10, 0}, {0, 11, 22, 0}, 0},  /* BF10GF11RF11 */
    [0x24] = {TEX_STORE_DXT1, 8, {8, 8, 8, 8}, {0}, 0},
    [0x25] = {TEX_STORE_DXT3, 16, {8, 8, 8, 8}, {0}, 0},
    [0x26] = {TEX_STORE_DXT5, 16, {8, 8, 8, 8}, {0}, 0},
    [0x27] = {TEX_STORE_RGTC1, 8, {8, 0, 0, 0}, {0}, 0},
    [0x28] = {TEX_STORE_RGTC2, 16, {8, 8, 0, 0}, {0}, 0},
    [0x29] = {PLAIN, 4, {8, 24, 0, 0}, {0, 8, 0, 0}, 1},      /* Z24S8: stencil low */
    [0x2a] = {PLAIN, 4, {24, 0, 0, 0}, {0}, 0},               /* X8Z24 */
    [0x2b] = {PLAIN, 4, {24, 8, 0, 0}, {0, 24, 0, 0}, 0},     /* S8Z24: depth low */
    [0x2f] = {PLAIN, 4, {32, 0, 0, 0}, {0}, 0},               /* ZF32 */
    [0x30] = {PLAIN, 8, {32, 8, 0, 0}, {0, 32, 0, 0}, 0},     /* ZF32_X24S8 */
    [0x3a] = {PLAIN, 2, {16, 0, 0, 0}, {0}, 0},               /* Z16 */
};

#define SAME4(f, code) \
    [FORMAT_##f##_UNORM] = code, [FORMAT_##f##_SNORM] = code, [FORMAT_##f##_SINT] = code, \
    [FORMAT_##f##_UINT] = code
#define SAME3(f, code) \
    [FORMAT_##f##_FLOAT] = code, [FORMAT_##f##_SINT] = code, [FORMAT_##f##_UINT] = code

/* The TIC format code for sampling each pixel format. */
static const uint8_t tic_codes[FORMATS] = {
    SAME3(RGBA32, 0x01), SAME3(RGBX32, 0x01), SAME3(RGB32, 0x02), SAME3(RG32, 0x04),
    SAME3(R32, 0x0f), SAME4(RGBA16, 0x03), [FORMAT_RGBA16_FLOAT] = 0x03,
    [FORMAT_RGBX16_FLOAT] = 0x03, SAME4(RG16, 0x0c), [FORMAT_RG16_FLOAT] = 0x0c,
    SAME4(R16, 0x1b), [FORMAT_R16_FLOAT] = 0x1b, SAME4(RGBA8, 0x08), SAME4(RG8, 0x18),
    SAME4(R8, 0x1d), [FORMAT_BGRA8_UNORM] = 0x08, [FORMAT_BGRA8_SRGB] = 0x08,
    [FORMAT_BGRX8_UNORM] = 0x08, [FORMAT_BGRX8_SRGB] = 0x08, [FORMAT_RGBA8_SRGB] = 0x08,
    [FORMAT_RGBX8_UNORM] = 0x08, [FORMAT_RGBX8_SRGB] = 0x08, [FORMAT_RGB10A2_UNORM] = 0x09,
    [FORMAT_RGB10A2_UINT] = 0x09, [FORMAT_BGR10A2_UNORM] = 0x09, [FORMAT_R11G11B10_FLOAT] = 0x21,
    [FORMAT_RGB9E5_FLOAT] = 0x20, [FORMAT_B5G6R5_UNORM] = 0x15, [FORMAT_BGR5A1_UNORM] = 0x14,
    [FORMAT_BGR5X1_UNORM] = 0x14, [FORMAT_BGRA4_UNORM] = 0x12, [FORMAT_A8_UNORM] = 0x1d,
    [FORMAT_RG4_UNORM] = 0x1e, [FORMAT_Z16_UNORM] = 0x3a, [FORMAT_Z24S8] = 0x2b,
    [FORMAT_S8Z24] = 0x29, [FORMAT_X8Z24] = 0x2a, [FORMAT_Z32_FLOAT] = 0x2f,
    [FORMAT_Z32_FLOAT_S8] = 0x30, [FORMAT_DXT1] = 0x24, [FORMAT_DXT3] = 0x25, [FORMAT_DXT5] = 0x26,
    [FORMAT_RGTC1_UNORM] = 0x27, [FORMAT_RGTC1_SNORM] = 0x27, [FORMAT_RGTC2_UNORM] = 0x28,
    [FORMAT_RGTC2_SNORM] = 0x28,
};
/* clang-format on */

enum { SOURCE_ZERO = 0, SOURCE_R = 2, SOURCE_ONE_INT = 6, SOURCE_ONE_FLOAT = 7 };
enum { BORDER_FROM_TSC = 1 << 30, SRGB = 1 << 10, LINEAR = 1 << 18 };
#define NORMALIZED 0x80000000u
#define VIEW_LIMIT 0x7fffffffu /* bytes: gathers take signed 32-bit offsets */

/* The last number that was given to a view. Numbers are never given a second time, so no two views
 * of the process have the same number. */
static uint64_t generations;

static uint32_t bits(uint32_t w, int low, int count) {
    return w >> low & ((1u << count) - 1);
}

static uint32_t minify(uint32_t n, int level) {
    return n >> level ? n >> level : 1;
}

static bool is_block(const struct storage *s) {
    return s->kind >= TEX_STORE_DXT1;
}

static uint64_t row_bytes(const struct storage *s, uint32_t width) {
    const uint32_t block = is_block(s) ? 4 : 1;
    return (uint64_t)((width + block - 1) / block) * s->bytes;
}

/* Returns a surface with the geometry of one level, for the arithmetic of surface.c. */
static struct surface level_surface(const struct storage *s, const struct tex_level *l, bool linear,
                                    bool is_3d) {
    const uint32_t block = is_block(s) ? 4 : 1;
    return (struct surface){
        .format = FORMAT_R8_UNORM, /* a column is a byte, a row is a row of blocks */
        .width = (uint32_t)row_bytes(s, l->width),
        .height = (l->height + block - 1) / block,
        .depth = l->depth,
        .linear = linear,
        .is_3d = is_3d,
        .pitch = l->pitch,
        .tile_h = l->tile_h,
        .tile_d = l->tile_d,
    };
}

/* Fills level[0..count-1] of a mip chain from the size and tile mode in level[0]. Returns the bytes
 * of the chain. least: the least tile_h. */
static uint64_t layout_chain(const struct storage *s, bool linear, bool is_3d, uint8_t least,
                             int count, struct tex_level level[]) {
    const struct tex_level base = level[0];
    const uint32_t block = is_block(s) ? 4 : 1;
    uint64_t end = 0;
    for (int i = 0; i < count; i++) {
        struct tex_level *l = &level[i];
        *l = (struct tex_level){.offset = end,
                                .width = minify(base.width, i),
                                .height = minify(base.height, i),
                                .depth = is_3d ? minify(base.depth, i) : 1,
                                .pitch = base.pitch,
                                .tile_h = base.tile_h,
                                .tile_d = base.tile_d};
        if (i > 0)
            surface_level_tile_mode(least, base.tile_h, base.tile_d,
                                    (l->height + block - 1) / block, l->depth, &l->tile_h,
                                    &l->tile_d);
        struct surface one = level_surface(s, l, linear, is_3d);
        one.pitch = one.pitch > one.width ? one.pitch : one.width; /* a buffer has no pitch */
        end += surface_layer_bytes(&one);
    }
    return end;
}

/* Returns the bytes from layer to layer: a whole chain, rounded up to a multiple of level 0's tile
 * size. */
static uint64_t layer_step(uint64_t chain, const struct tex_level *base) {
    const uint64_t tile = 256ull << (base->tile_h + base->tile_d);
    return (chain + tile - 1) / tile * tile;
}

__attribute__((format(printf, 4, 5))) static int reject(struct tex_view *view, char *why,
                                                        size_t why_size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (why && why_size)
        vsnprintf(why, why_size, format, args);
    va_end(args);
    view->valid = false;
    return -1;
}

static void decode_sizes(const uint32_t tic[8], struct tex_view *view) {
    const bool flat = view->dim == TEX_BUFFER || view->dim == TEX_2D_NOMIP;
    const uint32_t depth = bits(tic[5], 16, 12) ? bits(tic[5], 16, 12) : 1;
    const bool one_row =
        view->dim == TEX_1D || view->dim == TEX_1D_ARRAY || view->dim == TEX_BUFFER;
    view->width = bits(tic[4], 0, 30);
    view->height = one_row ? 1 : bits(tic[5], 0, 16);
    view->depth = view->dim == TEX_3D ? depth : 1;
    view->layers = view->dim == TEX_CUBE || view->dim == TEX_CUBE_ARRAY     ? 6 * depth
                   : view->dim == TEX_1D_ARRAY || view->dim == TEX_2D_ARRAY ? depth
                                                                            : 1;
    view->level_count = flat ? 1 : (uint8_t)(bits(tic[5], 28, 4) + 1);
    view->first_level = flat ? 0 : bits(tic[7], 0, 4);
    view->last_level = flat ? 0 : bits(tic[7], 4, 4);
    if (view->last_level >= view->level_count)
        view->last_level = view->level_count - 1;
    if (view->first_level > view->last_level)
        view->first_level = view->last_level;
}

/* Returns the samples of a texel, by Fermi's mode (fermi-3d.md §6); 1 if coordinates are not
 * normalized, as in a resolve: each sample is then a texel of a larger surface. */
static uint8_t samples_of(const uint32_t tic[8], const struct tex_view *view) {
    static const uint8_t samples[16] = {1, 2, 4, 8, 8, 2};
    const bool fermi = tic[7] & TIC_TALL_BLOCKS;
    const uint8_t n = fermi && view->normalized && !view->linear ? samples[bits(tic[7], 12, 4)] : 1;
    return n ? n : 1;
}

static enum pixel_format format_of(uint32_t code, uint8_t type) {
    enum pixel_format any = FORMAT_NONE;
    for (int f = FORMATS - 1; f > FORMAT_NONE; f--) {
        const struct format_info *info = format_info(f);
        if (tic_codes[f] != code || info->srgb)
            continue;
        any = f;
        if (info->type == type && info->bits[0] && info->shift[0] == 0)
            return f;
    }
    return any;
}

static const uint8_t anisotropies[8] = {1, 2, 4, 6, 8, 10, 12, 16};

/* Reads the anisotropy of a view that has its own in place of the sampler's. The driver uses such a
 * view to resolve 8 samples by two probes, each a linear footprint in the middle of 2x2 of the 4x2
 * samples of a pixel. */
static void decode_filter(const uint32_t tic[8], struct tex_view *view) {
    if (!bits(tic[3], 29, 1) || view->linear)
        return;
    view->max_anisotropy = anisotropies[bits(tic[6], 27, 3)];
    view->even_spread = bits(tic[6], 30, 2) == 2;
}

static void decode_format(const uint32_t tic[8], const struct storage *s, struct tex_view *view) {
    for (int i = 0; i < 4; i++) {
        view->component_type[i] = bits(tic[0], 6 + 3 * i, 3);
        view->swizzle[i] = bits(tic[0], 18 + 3 * i, 3);
    }
    view->format = format_of(bits(tic[0], 0, 6), view->component_type[0]);
    view->storage = s->kind;
    view->bytes = s->bytes;
    memcpy(view->bits, s->bits, 4);
    memcpy(view->shift, s->shift, 4);
    view->depth_component = s->depth_component;
    view->srgb = tic[2] & SRGB;
    view->linear = tic[2] & LINEAR;
    view->border_from_tsc = tic[2] & BORDER_FROM_TSC;
    view->normalized = tic[2] & NORMALIZED;
    decode_filter(tic, view);
}

static void decode_shortcuts(struct tex_view *view) {
    view->bytes4 = view->storage == TEX_STORE_PLAIN && view->bytes == 4;
    for (int i = 0; i < 4; i++)
        view->bytes4 &= (view->bits[i] == 8 || !view->bits[i]) &&
                        view->shift[i] == (view->bits[i] ? 8 * i : 0) &&
                        view->component_type[i] == COMPONENT_UNORM;
}

/* Fills the fields from which addresses inside of levels are computed. */
static void decode_tiles(const struct storage *s, struct tex_view *view) {
    const uint32_t block = is_block(s) ? 4 : 1;
    for (int i = 0; i < view->level_count; i++) {
        struct tex_level *l = &view->level[i];
        const uint32_t rows = (l->height + block - 1) / block;
        l->row_shift = (uint8_t)(2 + l->tile_h);
        l->tile_shift = (uint8_t)(6 + l->row_shift + l->tile_d);
        l->tiles_x = (uint32_t)((row_bytes(s, l->width) + 63) / 64);
        l->tiles_xy = l->tiles_x * ((rows + (1u << l->row_shift) - 1) >> l->row_shift);
        l->extent[0] = (float)l->width;
        l->extent[1] = (float)l->height;
        l->extent[2] = (float)l->depth;
        for (int a = 0; a < 3; a++)
            l->fixed_extent[a] = l->extent[a] * 256.0f;
        l->column_shift = (uint32_t)l->tile_shift - 6;
        l->row_mask = ~0u << l->row_shift;
        l->row_step = (l->tiles_x << l->tile_d) - 1;
        l->slice_mask = ~0u << l->tile_d;
        l->slice_step = l->tiles_xy - 1;
        l->slice_shift = 6 + (uint32_t)l->row_shift;
        view->whole &= view->linear || (l->row_step < 0x8000 && l->height <= 0x8000);
        view->whole &= l->depth == 1 || (l->slice_step < 0x8000 && l->depth <= 0x8000);
        const uint32_t row[TEX_LEVEL_ROWS] = {[LEVEL_WIDTH] = l->width,
                                              [LEVEL_HEIGHT] = l->height,
                                              [LEVEL_OFFSET] = (uint32_t)l->offset,
                                              [LEVEL_COLUMN_SHIFT] = l->column_shift,
                                              [LEVEL_ROW_MASK] = l->row_mask,
                                              [LEVEL_ROW_STEP] = l->row_step};
        for (int r = 0; r < TEX_LEVEL_ROWS; r++)
            view->level_row[r][i] = row[r];
    }
}

/* Returns the bytes of memory of a view: from the descriptor's address to the end of its
 * allocation. */
static uint64_t view_extent(const uint32_t tic[8], struct gpu_memory *memory, uint64_t *address) {
    *address = (uint64_t)bits(tic[2], 0, 8) << 32 | tic[1];
    return memory_extent(memory, *address);
}

static uint64_t limited(uint64_t extent) {
    return extent < VIEW_LIMIT ? extent : VIEW_LIMIT;
}

bool tex_view_holds(const uint32_t tic[8], struct gpu_memory *memory, const struct tex_view *view) {
    uint64_t address;
    return view->size == limited(view_extent(tic, memory, &address));
}

int tex_view_decode(const uint32_t tic[8], struct gpu_memory *memory, struct tex_view *view,
                    char *why, size_t why_size) {
    uint64_t address;
    const uint64_t extent = view_extent(tic, memory, &address);
    *view = (struct tex_view){.dim = bits(tic[2], 14, 4), .size = limited(extent)};
    const struct storage *s = &storages[bits(tic[0], 0, 6)];
    if (!s->bytes)
        return reject(view, why, why_size, "TIC format %02x is unknown", bits(tic[0], 0, 6));
    if (view->dim > TEX_CUBE_ARRAY)
        return reject(view, why, why_size, "TIC texture type %x is unknown (0..8)", view->dim);
    decode_format(tic, s, view);
    decode_sizes(tic, view);
    const uint32_t widest = view->dim == TEX_BUFFER ? VIEW_LIMIT / s->bytes : 0xffff;
    if (!view->width || !view->height || view->width > widest)
        return reject(view, why, why_size, "TIC size %ux%u is out of range (1..%u)", view->width,
                      view->height, widest);
    if (view->level_count > TEX_MAX_LEVELS || (view->linear && view->level_count > 1))
        return reject(view, why, why_size, "TIC has %u levels (at most %d, linear 1)",
                      view->level_count, TEX_MAX_LEVELS);
    if (view->linear && view->layers * view->depth > 1)
        return reject(view, why, why_size, "a linear TIC cannot have layers or slices");
    if (view->dim == TEX_BUFFER && !view->linear)
        return reject(view, why, why_size, "a buffer TIC must be linear");
    const bool is_3d = view->dim == TEX_3D;
    const uint8_t tall = (tic[7] & TIC_TALL_BLOCKS) != 0;
    uint32_t shift_x, shift_y;
    view->samples = samples_of(tic, view);
    surface_sample_shift(view->samples, &shift_x, &shift_y);
    view->level[0] = (struct tex_level){.width = view->width << shift_x,
                                        .height = view->height << shift_y,
                                        .depth = view->depth,
                                        .pitch = view->linear ? tic[3] & 0xfffff : 0,
                                        .tile_h = (uint8_t)(bits(tic[2], 22, 3) + tall),
                                        .tile_d = is_3d ? bits(tic[2], 25, 3) : 0};
    if (view->level[0].tile_h > 5 || view->level[0].tile_d > 5)
        return reject(view, why, why_size, "TIC tile mode %u,%u is out of range (0..5)",
                      view->level[0].tile_h, view->level[0].tile_d);
    const uint64_t chain =
        layout_chain(s, view->linear, is_3d, tall, view->level_count, view->level);
    view->layer_stride = view->layers > 1 ? layer_step(chain, &view->level[0]) : chain;
    uint64_t need = (view->layers - 1) * view->layer_stride + chain;
    if (view->linear && view->level[0].pitch > row_bytes(s, view->width))
        need -= view->level[0].pitch - row_bytes(s, view->width); /* the last row may end early */
    if (need > VIEW_LIMIT)
        return reject(view, why, why_size, "the texture takes %llu bytes (at most %u)",
                      (unsigned long long)need, VIEW_LIMIT);
    view->data = memory_at(memory, address, 1);
    if (!view->data || view->size < 4)
        return reject(view, why, why_size, "TIC address %010llx is outside every allocation",
                      (unsigned long long)address);
    view->whole = need <= view->size; /* need is at most VIEW_LIMIT */
    decode_shortcuts(view);
    decode_tiles(s, view);
    view->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
    view->valid = true;
    return 0;
}

void tex_sampler_decode(const uint32_t tsc[8], struct tex_sampler *sampler) {
    *sampler = (struct tex_sampler){
        .wrap = {bits(tsc[0], 0, 3), bits(tsc[0], 3, 3), bits(tsc[0], 6, 3)},
        .compare = bits(tsc[0], 9, 1),
        .compare_func = bits(tsc[0], 10, 3),
        .skip_srgb_decode = !bits(tsc[0], 13, 1),
        .max_anisotropy = anisotropies[bits(tsc[0], 20, 3)],
        .mag_linear = bits(tsc[1], 0, 2) == 2,
        .min_linear = bits(tsc[1], 4, 2) == 2,
        .mip = bits(tsc[1], 6, 2) ? bits(tsc[1], 6, 2) : 1,
        .lod_bias = (float)((int32_t)(tsc[1] << 7) >> 19) / 256.0f,
        .min_lod = (float)bits(tsc[2], 0, 12) / 256.0f,
        .max_lod = (float)bits(tsc[2], 12, 12) / 256.0f,
    };
    memcpy(sampler->border, &tsc[4], 16);
    memcpy(sampler->border_bits, &tsc[4], 16);
}

static const struct storage *storage_of(enum pixel_format f) {
    return &storages[(unsigned)f < FORMATS ? tic_codes[f] : 0];
}

uint64_t tex_image_layout(const struct tex_image *image, struct tex_level levels[TEX_MAX_LEVELS],
                          uint64_t *layer_stride) {
    const struct storage *s = storage_of(image->format);
    const bool is_3d = image->dim == TEX_3D;
    struct tex_level own[TEX_MAX_LEVELS], *level = levels ? levels : own;
    const uint32_t rows = is_block(s) ? (image->height + 3) / 4 : image->height;
    const uint32_t count = image->levels < 1                ? 1
                           : image->levels > TEX_MAX_LEVELS ? TEX_MAX_LEVELS
                                                            : image->levels;
    level[0] = (struct tex_level){.width = image->width,
                                  .height = image->height ? image->height : 1,
                                  .depth = is_3d && image->depth ? image->depth : 1,
                                  .pitch = image->linear ? image->pitch : 0};
    if (!image->linear)
        surface_level_tile_mode(0, 5, is_3d ? 5 : 0, rows, level[0].depth, &level[0].tile_h,
                                &level[0].tile_d);
    const uint64_t chain = layout_chain(s, image->linear, is_3d, 0, (int)count, level);
    const uint64_t stride = image->layers > 1 ? layer_step(chain, &level[0]) : chain;
    if (layer_stride)
        *layer_stride = stride;
    return (image->layers > 1 ? image->layers : 1) * stride;
}

/* Returns the source of component c of the API. Memory components are numbered from the lowest bits
 * up. */
static uint32_t source_of(const struct format_info *info, int c) {
    const bool integer = info->type == COMPONENT_SINT || info->type == COMPONENT_UINT;
    if (info->zeta)
        return c == 3 ? SOURCE_ONE_FLOAT : SOURCE_R + (info->shift[0] > 0);
    if (!info->compressed && !info->bits[c])
        return c < 3 ? SOURCE_ZERO : integer ? SOURCE_ONE_INT : SOURCE_ONE_FLOAT;
    uint32_t rank = 0;
    for (int i = 0; i < 4; i++)
        rank += info->bits[i] && info->shift[i] < info->shift[c];
    return SOURCE_R + rank;
}

static uint32_t source_of_block(const struct storage *s, int c) {
    return s->bits[c] ? SOURCE_R + (uint32_t)c : c < 3 ? SOURCE_ZERO : SOURCE_ONE_FLOAT;
}

void tex_image_tic(const struct tex_image *image, uint32_t first_level, uint32_t last_level,
                   uint32_t tic[8]) {
    const struct format_info *info = format_info(image->format);
    const struct storage *s = storage_of(image->format);
    struct tex_level levels[TEX_MAX_LEVELS];
    tex_image_layout(image, levels, NULL);
    const bool cube = image->dim == TEX_CUBE || image->dim == TEX_CUBE_ARRAY;
    const uint32_t depth = image->dim == TEX_3D ? image->depth
                           : image->layers      ? image->layers / (cube ? 6 : 1)
                                                : 1;
    tic[0] = (unsigned)image->format < FORMATS ? tic_codes[image->format] : 0;
    for (int i = 0; i < 4; i++) {
        const bool depth_type = i == s->depth_component || !info->zeta;
        tic[0] |= (uint32_t)(depth_type ? info->type : COMPONENT_UINT) << (6 + 3 * i);
        tic[0] |= (info->compressed ? source_of_block(s, i) : source_of(info, i)) << (18 + 3 * i);
    }
    tic[1] = (uint32_t)image->address;
    tic[2] = (uint32_t)(image->address >> 32 & 0xff) | (info->srgb ? SRGB : 0) |
             (uint32_t)image->dim << 14 | (image->linear ? LINEAR : 0) |
             (uint32_t)levels[0].tile_h << 22 | (uint32_t)levels[0].tile_d << 25 | BORDER_FROM_TSC |
             (image->normalized ? NORMALIZED : 0);
    tic[3] = image->linear ? image->pitch : 0x00300000;
    tic[4] = image->width | (image->dim == TEX_BUFFER ? 0 : 0x80000000u);
    const uint32_t last = image->levels > 1 ? image->levels - 1 : 0;
    tic[5] = (image->height & 0xffff) | (depth & 0xfff) << 16 | last << 28;
    tic[6] = 0x03000000;
    tic[7] = first_level | last_level << 4;
}

static uint32_t lod_fixed(float lod) {
    return (uint32_t)((lod > 0.0f ? lod < 15.99f ? lod : 15.996094f : 0.0f) * 256.0f);
}

void tex_sampler_tsc(const struct tex_sampler *sampler, uint32_t tsc[8]) {
    uint32_t aniso = 0;
    while (aniso < 7 && anisotropies[aniso + 1] <= sampler->max_anisotropy)
        aniso++;
    const float bias = sampler->lod_bias;
    const int32_t bias_fixed =
        (int32_t)((bias > -15.0f ? bias < 15.0f ? bias : 15.0f : -15.0f) * 256.0f);
    tsc[0] = sampler->wrap[0] | sampler->wrap[1] << 3 | sampler->wrap[2] << 6 |
             (uint32_t)sampler->compare << 9 | (uint32_t)sampler->compare_func << 10 |
             (uint32_t)!sampler->skip_srgb_decode << 13 | aniso << 20;
    tsc[1] = (sampler->mag_linear ? 2u : 1u) | (sampler->min_linear ? 2u : 1u) << 4 |
             (uint32_t)sampler->mip << 6 | ((uint32_t)bias_fixed & 0x1fff) << 12;
    tsc[2] = lod_fixed(sampler->min_lod) | lod_fixed(sampler->max_lod) << 12;
    tsc[3] = 0;
    /* A word of border_bits that is not 0 replaces the float in border. */
    for (int i = 0; i < 4; i++) {
        tsc[4 + i] = sampler->border_bits[i];
        if (!tsc[4 + i])
            memcpy(&tsc[4 + i], &sampler->border[i], 4);
    }
}
