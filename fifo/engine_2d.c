/* The 2D engine (class 502d): pixels from the pushbuffer (SIFC) and blits between surfaces, with
 * scaling, filtering and format conversion, linear or block-linear. In: its registers and pixel
 * words. Out: pixels in GPU memory. Facts: tesla-3d.md, "What 2D and m2mf must do".
 */
#include "fifo/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DST_FORMAT = 0x200,
    SRC_FORMAT = 0x230,
    COND_ADDRESS_HIGH = 0x264,
    COND_MODE = 0x26c,
    CLIP_X = 0x280,
    CLIP_ENABLE = 0x290,
    ROP = 0x2a0,
    OPERATION = 0x2ac,
    PATTERN_COLOR_FORMAT = 0x2e8,
    PATTERN_BITMAP_COLOR = 0x2f0,
    PATTERN_BITMAP = 0x2f8,
    SIFC_BITMAP_ENABLE = 0x800,
    SIFC_FORMAT = 0x804,
    SIFC_WIDTH = 0x838,
    SIFC_HEIGHT = 0x83c,
    SIFC_DX_DU_FRACT = 0x840,
    SIFC_DY_DV_FRACT = 0x848,
    SIFC_DST_X_FRACT = 0x850,
    SIFC_DST_Y_FRACT = 0x858,
    SIFC_DST_Y_INT = 0x85c,
    SIFC_DATA = 0x860,
    BLIT_CONTROL = 0x88c,
    BLIT_DST_X = 0x8b0,
    BLIT_DU_DX_FRACT = 0x8c0,
    BLIT_DV_DY_FRACT = 0x8c8,
    BLIT_SRC_X_FRACT = 0x8d0,
    BLIT_SRC_Y_FRACT = 0x8d8,
    BLIT_SRC_Y_INT = 0x8dc,
    /* of a surface, from its FORMAT */
    LINEAR = 0x04,
    BLOCK_DIMENSIONS = 0x08,
    DEPTH = 0x0c,
    LAYER = 0x10,
    PITCH = 0x14,
    WIDTH = 0x18,
    HEIGHT = 0x1c,
    ADDRESS_HIGH = 0x20,
};
enum { CONTROL_ORIGIN_CORNER = 1, CONTROL_BILINEAR = 0x10, MAX_TEXEL = 16 };
enum { OPERATION_SRCCOPY = 3, OPERATION_ROP = 4, PATTERN_A8R8G8B8 = 2 };

struct engine_2d {
    struct engine base;
    uint64_t sifc_received; /* bytes of the current upload */
    uint8_t *sifc;          /* its bytes, until they are complete */
    uint64_t sifc_size;     /* bytes it takes; 0: none is running */
    uint32_t sifc_width, sifc_height;
    enum pixel_format sifc_format;
};

/* ---- surfaces ---- */

static struct surface read_surface(const struct engine *e, uint32_t base) {
    const uint32_t block = reg_at(e, base + BLOCK_DIMENSIONS);
    return (struct surface){
        .format = format_from_color_code(reg_at(e, base) & 0xff),
        .linear = reg_at(e, base + LINEAR) != 0,
        .width = reg_at(e, base + WIDTH),
        .height = reg_at(e, base + HEIGHT),
        .depth = reg_at(e, base + DEPTH),
        .is_3d = true,
        .pitch = reg_at(e, base + PITCH),
        .tile_h = block >> 4 & 0xf,
        .tile_d = block >> 8 & 0xf,
    };
}

/* Finds the surface's bytes. A linear surface need only reach to its allocation's end: the driver
 * declares buffers wider than they are. */
static bool open_surface(struct engine *e, struct surface *s, uint32_t base, uint32_t first_row,
                         uint32_t rows, bool write) {
    if (s->format == FORMAT_NONE || format_info(s->format)->compressed) {
        engine_complain(e, base, "format %x", reg_at(e, base));
        return false;
    }
    if (s->tile_h > 5 || s->tile_d > 5 || s->width > 1 << 20 || s->height > 1 << 20) {
        engine_complain(e, base + BLOCK_DIMENSIONS, "block dimensions %x, size %u x %u",
                        reg_at(e, base + BLOCK_DIMENSIONS), s->width, s->height);
        return false;
    }
    const uint64_t address = reg_address(e, base + ADDRESS_HIGH);
    const uint64_t extent = memory_extent(channel_memory(e->channel), address);
    uint64_t need = surface_layer_bytes(s);
    if (s->linear) {
        const uint64_t row = (uint64_t)s->width * format_info(s->format)->bytes;
        need = ((uint64_t)first_row + rows) * s->pitch + row;
        need = need < extent ? need : extent;
    }
    s->data = write ? channel_write_at(e->channel, address, need ? need : 1)
                    : channel_read_at(e->channel, address, need ? need : 1);
    s->size = need;
    return s->data != NULL;
}

static uint8_t *texel_at(const struct surface *s, uint32_t x, uint32_t y, uint32_t z) {
    const uint32_t bytes = format_info(s->format)->bytes;
    if (x >= s->width || y >= s->height)
        return NULL;
    const uint64_t offset = surface_offset(s, x * bytes, y, s->linear ? 0 : z);
    return offset + bytes <= s->size ? s->data + offset : NULL;
}

static struct raster_rect clip_rect(const struct engine *e, const struct surface *dst) {
    struct raster_rect r = {0, 0, (int32_t)dst->width, (int32_t)dst->height};
    if (!reg_at(e, CLIP_ENABLE))
        return r;
    const int32_t x = (int32_t)(reg_at(e, CLIP_X) & 0xfffff),
                  y = (int32_t)(reg_at(e, CLIP_X + 4) & 0xfffff);
    const int32_t x1 = x + (int32_t)(reg_at(e, CLIP_X + 8) & 0xfffff);
    const int32_t y1 = y + (int32_t)(reg_at(e, CLIP_X + 12) & 0xfffff);
    r.x0 = x;
    r.y0 = y;
    r.x1 = x1 < r.x1 ? x1 : r.x1;
    r.y1 = y1 < r.y1 ? y1 : r.y1;
    return r;
}

/* A rectangle with pixels in it, but not more than any surface has. */
static bool may_run(struct engine *e, uint32_t method, const struct raster_rect *r) {
    if (r->x0 >= r->x1 || r->y0 >= r->y1)
        return false;
    if ((uint64_t)(r->x1 - r->x0) * (uint64_t)(r->y1 - r->y0) <= channel_work_limit(e->channel))
        return true;
    engine_complain(e, method, "%d x %d pixels", r->x1 - r->x0, r->y1 - r->y0);
    return false;
}

static bool may_draw(struct engine *e) {
    const uint32_t operation = reg_at(e, OPERATION);
    if (operation != OPERATION_SRCCOPY && operation != OPERATION_ROP)
        engine_complain(e, OPERATION, "operation %u is taken for SRCCOPY", operation);
    return channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND_ADDRESS_HIGH));
}

/* How source bits meet those of the destination: bit P << 2 | S << 1 | D of the code is the result
 * for the bits P of the pattern, S and D. The driver masks depth or stencil this way, with a
 * pattern of one colour. */
struct rop {
    uint8_t code;
    uint8_t pattern[4];
};
enum { ROP_SOURCE = 0xcc };

static struct rop read_rop(struct engine *e) {
    struct rop rop = {.code = ROP_SOURCE};
    const uint32_t bits = reg_at(e, PATTERN_BITMAP);
    if (reg_at(e, OPERATION) != OPERATION_ROP)
        return rop;
    if (bits != reg_at(e, PATTERN_BITMAP + 4) || (bits != 0 && bits != UINT32_MAX) ||
        reg_at(e, PATTERN_COLOR_FORMAT) != PATTERN_A8R8G8B8)
        engine_complain(e, PATTERN_BITMAP,
                        "a pattern of two colours or of format %u is taken for a plain one",
                        reg_at(e, PATTERN_COLOR_FORMAT));
    const uint32_t color = reg_at(e, PATTERN_BITMAP_COLOR + (bits ? 4 : 0));
    rop.code = (uint8_t)reg_at(e, ROP);
    memcpy(rop.pattern, &color, sizeof color);
    return rop;
}

static uint8_t rop_byte(uint8_t code, uint8_t p, uint8_t s, uint8_t d) {
    uint8_t result = 0;
    for (int i = 0; i < 8; i++)
        if (code >> i & 1)
            result |= (i & 4 ? p : ~p) & (i & 2 ? s : ~s) & (i & 1 ? d : ~d);
    return result;
}

static void store(const struct rop *rop, uint8_t *at, const uint8_t *texel, uint32_t bytes) {
    if (rop->code == ROP_SOURCE) {
        memcpy(at, texel, bytes);
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = rop_byte(rop->code, rop->pattern[i & 3], texel[i], at[i]);
}

/* ---- colours on their way from one format to another ---- */

static bool integer(enum pixel_format f) {
    const uint8_t type = format_info(f)->type;
    return type == COMPONENT_SINT || type == COMPONENT_UINT;
}

/* Same bits in, same bits out: no conversion needed. */
static bool same_bits(enum pixel_format a, enum pixel_format b) {
    return a == b;
}

static float as_float(uint32_t word) {
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint32_t as_word(float f) {
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Between a number and an integer format the values are kept. */
static void convert_class(enum pixel_format from, enum pixel_format to, uint32_t rgba[4]) {
    if (integer(from) == integer(to))
        return;
    for (int i = 0; i < 4; i++) {
        if (integer(to)) {
            const float f = as_float(rgba[i]);
            rgba[i] = format_info(to)->type == COMPONENT_SINT
                          ? (uint32_t)(int32_t)fmaxf(-2147483648.0f, fminf(f, 2147483520.0f))
                          : (uint32_t)fmaxf(0, fminf(f, 4294967040.0f));
        } else {
            rgba[i] = as_word(format_info(from)->type == COMPONENT_SINT ? (float)(int32_t)rgba[i]
                                                                        : (float)rgba[i]);
        }
    }
}

static void put(const struct surface *dst, const struct rop *rop, uint32_t x, uint32_t y,
                uint32_t z, enum pixel_format from, const uint8_t *texel) {
    uint8_t *at = texel_at(dst, x, y, z);
    if (!at)
        return;
    if (same_bits(from, dst->format)) {
        store(rop, at, texel, format_info(from)->bytes);
        return;
    }
    uint32_t rgba[4];
    uint8_t packed[MAX_TEXEL];
    format_unpack(from, texel, rgba);
    convert_class(from, dst->format, rgba);
    format_pack(dst->format, rgba, packed);
    store(rop, at, packed, format_info(dst->format)->bytes);
}

/* ---- SIFC ---- */

static double fixed_at(const struct engine *e, uint32_t fract) {
    return (int32_t)reg_at(e, fract + 4) + reg_at(e, fract) / 4294967296.0;
}

/* Destination pixel i of a run that starts at `start` and is `scale` per source pixel wide. */
static uint32_t source_of(uint32_t i, double scale, uint32_t count) {
    const double s = scale > 0 ? (i + 0.5) / scale : 0;
    return s < count ? (uint32_t)s : count - 1;
}

static void sifc_done(struct engine_2d *t) {
    struct engine *e = &t->base;
    const enum pixel_format format = t->sifc_format;
    const uint32_t width = t->sifc_width, height = t->sifc_height;
    const uint32_t bytes = format_info(format)->bytes, row = (width * bytes + 3) & ~3u;
    const double dx = fixed_at(e, SIFC_DX_DU_FRACT), dy = fixed_at(e, SIFC_DY_DV_FRACT);
    const int64_t x0 = (int64_t)floor(fixed_at(e, SIFC_DST_X_FRACT));
    const int64_t y0 = (int64_t)floor(fixed_at(e, SIFC_DST_Y_FRACT));
    struct surface dst = read_surface(e, DST_FORMAT);
    const double out_w = width * dx, out_h = height * dy;
    if (!may_draw(e) || x0 < 0 || y0 < 0 || !(out_w >= 0 && out_w <= 65536 * 16) ||
        !(out_h >= 0 && out_h <= 65536) ||
        !open_surface(e, &dst, DST_FORMAT, (uint32_t)y0, (uint32_t)out_h, true))
        return;
    const uint32_t layer = reg_at(e, DST_FORMAT + LAYER);
    const struct raster_rect clip = clip_rect(e, &dst);
    const struct rop rop = read_rop(e);
    if (rop.code == ROP_SOURCE && dst.linear && same_bits(format, dst.format) && bytes == 1 &&
        height == 1 && dx == 1 && dy == 1 &&
        !reg_at(e, CLIP_ENABLE)) { /* the driver's way to write any bytes: may run past `width` */
        const uint64_t at = (uint64_t)y0 * dst.pitch + (uint64_t)x0;
        uint8_t *to =
            channel_write_at(e->channel, reg_address(e, DST_FORMAT + ADDRESS_HIGH) + at, width);
        if (to)
            memcpy(to, t->sifc, width);
        return;
    }
    struct raster_rect r = {(int32_t)x0, (int32_t)y0, (int32_t)(x0 + (int64_t)out_w),
                            (int32_t)(y0 + (int64_t)out_h)};
    raster_rect_limit(&r, &clip);
    if (!may_run(e, SIFC_WIDTH, &r))
        return;
    for (int32_t y = r.y0; y < r.y1; y++)
        for (int32_t x = r.x0; x < r.x1; x++) {
            const uint64_t from = (uint64_t)source_of((uint32_t)(y - y0), dy, height) * row +
                                  (uint64_t)source_of((uint32_t)(x - x0), dx, width) * bytes;
            put(&dst, &rop, (uint32_t)x, (uint32_t)y, layer, format, t->sifc + from);
        }
}

static void sifc_forget(struct engine_2d *t) {
    free(t->sifc);
    t->sifc = NULL;
    t->sifc_size = t->sifc_received = 0;
}

enum { SIFC_LIMIT = 1 << 26 };

/* Writing the last of the destination coordinates starts an upload. */
static void sifc_start(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    (void)data, (void)count;
    struct engine_2d *t = (struct engine_2d *)e;
    const enum pixel_format format = format_from_color_code(reg_at(e, SIFC_FORMAT) & 0xff);
    const uint64_t width = reg_at(e, SIFC_WIDTH), height = reg_at(e, SIFC_HEIGHT);
    sifc_forget(t);
    if (reg_at(e, SIFC_BITMAP_ENABLE) || format == FORMAT_NONE || format_info(format)->compressed) {
        engine_complain(e, address, "bitmap %u, format %x", reg_at(e, SIFC_BITMAP_ENABLE),
                        reg_at(e, SIFC_FORMAT));
        return;
    }
    const uint64_t row = (width * format_info(format)->bytes + 3) & ~UINT64_C(3);
    if (!width || !height || row > SIFC_LIMIT || height > SIFC_LIMIT / row) {
        engine_complain(e, SIFC_WIDTH, "%llu x %llu pixels", (unsigned long long)width,
                        (unsigned long long)height);
        return;
    }
    t->sifc = malloc(row * height);
    t->sifc_size = t->sifc ? row * height : 0;
    t->sifc_width = (uint32_t)width;
    t->sifc_height = (uint32_t)height;
    t->sifc_format = format;
}

static void sifc_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    (void)address;
    struct engine_2d *t = (struct engine_2d *)e;
    const uint64_t left = t->sifc_size - t->sifc_received;
    const uint64_t bytes = 4ull * count < left ? 4ull * count : left;
    if (!t->sifc)
        return;
    memcpy(t->sifc + t->sifc_received, data, bytes);
    t->sifc_received += bytes;
    if (t->sifc_received == t->sifc_size) {
        sifc_done(t);
        sifc_forget(t);
    }
}

/* ---- blits ---- */

struct blit {
    struct surface src, dst;
    uint32_t src_layer, dst_layer;
    struct rop rop;
    struct raster_rect rect; /* of the destination, clipped */
    int32_t x0, y0;          /* its corner before clipping */
    double du, dv, u0, v0;   /* source position of that corner, and steps */
    double half;             /* where in a destination pixel the source is sampled */
    bool bilinear;
};

static uint32_t clamped(double v, uint32_t size) {
    return v < 0 ? 0 : v >= size ? size - 1 : (uint32_t)v;
}

static bool unpack_at(const struct blit *b, double u, double v, uint32_t rgba[4]) {
    const uint8_t *at =
        texel_at(&b->src, clamped(u, b->src.width), clamped(v, b->src.height), b->src_layer);
    if (at)
        format_unpack(b->src.format, at, rgba);
    return at != NULL;
}

static void blit_bilinear(const struct blit *b, uint32_t x, uint32_t y, double u, double v) {
    const double fu = floor(u - 0.5), fv = floor(v - 0.5);
    const float wu = (float)(u - 0.5 - fu), wv = (float)(v - 0.5 - fv);
    uint32_t t[4][4], rgba[4];
    uint8_t packed[MAX_TEXEL];
    uint8_t *to = texel_at(&b->dst, x, y, b->dst_layer);
    if (!to || !unpack_at(b, fu, fv, t[0]) || !unpack_at(b, fu + 1, fv, t[1]) ||
        !unpack_at(b, fu, fv + 1, t[2]) || !unpack_at(b, fu + 1, fv + 1, t[3]))
        return;
    for (int i = 0; i < 4; i++) {
        const float top = as_float(t[0][i]) * (1 - wu) + as_float(t[1][i]) * wu;
        const float low = as_float(t[2][i]) * (1 - wu) + as_float(t[3][i]) * wu;
        rgba[i] = as_word(top * (1 - wv) + low * wv);
    }
    convert_class(b->src.format, b->dst.format, rgba);
    format_pack(b->dst.format, rgba, packed);
    store(&b->rop, to, packed, format_info(b->dst.format)->bytes);
}

/* How texels of one format become texels of another when all their components are bytes: byte i of
 * the result is the byte of the source that starts at bit[i], under mask[i], or'ed with what is
 * constant. Found by trying. */
struct shuffle {
    uint32_t bit[4], mask[4], ones;
};

static bool made_of_bytes(enum pixel_format f) {
    const struct format_info *i = format_info(f);
    bool bytes = i->bytes == 4 && i->type == COMPONENT_UNORM && !i->srgb && !i->zeta;
    for (int c = 0; c < 4; c++)
        bytes = bytes && (i->bits[c] == 0 || (i->bits[c] == 8 && i->shift[c] % 8 == 0));
    return bytes;
}

static bool find_shuffle(enum pixel_format from, enum pixel_format to, struct shuffle *s) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    uint32_t rgba[4];
    uint8_t result[4];
    if (!made_of_bytes(from) || !made_of_bytes(to))
        return false;
    format_unpack(from, texel, rgba);
    format_pack(to, rgba, result);
    *s = (struct shuffle){0};
    for (int i = 0; i < 4; i++) {
        const bool constant = result[i] == 0 || result[i] == 255;
        s->bit[i] = constant ? 0 : 8u * (result[i] - 1u);
        s->mask[i] = constant ? 0 : 255;
        s->ones |= result[i] == 255 ? 255u << 8 * i : 0;
    }
    return true;
}

static void shuffle_run(const struct shuffle *s, const uint8_t *from, uint8_t *to, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += 4) {
        uint32_t in, out = s->ones;
        memcpy(&in, from + at, sizeof in);
        for (uint32_t i = 0; i < 4; i++)
            out |= (in >> s->bit[i] & s->mask[i]) << 8 * i;
        memcpy(to + at, &out, sizeof out);
    }
}

/* Bytes from column xb that lie in one piece. */
static uint32_t piece(const struct surface *s, uint32_t xb, uint32_t bytes) {
    const uint32_t left = s->linear ? bytes : 64 - xb % 64;
    return left < bytes ? left : bytes;
}

/* Copies texels one to one, in whole pieces of rows; false if the blit is of another kind. */
static bool blit_copy(const struct blit *b) {
    const uint32_t bytes = format_info(b->src.format)->bytes;
    const int64_t sx = (int64_t)floor(b->u0 + b->rect.x0 - b->x0 + b->half);
    const int64_t sy = (int64_t)floor(b->v0 + b->rect.y0 - b->y0 + b->half);
    const uint32_t w = (uint32_t)(b->rect.x1 - b->rect.x0), h = (uint32_t)(b->rect.y1 - b->rect.y0);
    const bool same = same_bits(b->src.format, b->dst.format);
    struct shuffle shuffle;
    if (b->du != 1 || b->dv != 1 || b->bilinear || b->rop.code != ROP_SOURCE || sx < 0 || sy < 0 ||
        sx + w > b->src.width || sy + h > b->src.height || b->rect.x1 > (int64_t)b->dst.width ||
        b->rect.y1 > (int64_t)b->dst.height ||
        (b->src.data < b->dst.data + b->dst.size && b->dst.data < b->src.data + b->src.size) ||
        !(same || find_shuffle(b->src.format, b->dst.format, &shuffle)))
        return false;
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t done = 0, run; done < w * bytes; done += run) {
            const uint32_t from_x = (uint32_t)sx * bytes + done;
            const uint32_t to_x = (uint32_t)b->rect.x0 * bytes + done;
            run = piece(&b->src, from_x, piece(&b->dst, to_x, w * bytes - done));
            const uint64_t from = surface_offset(&b->src, from_x, (uint32_t)sy + y,
                                                 b->src.linear ? 0 : b->src_layer);
            const uint64_t to = surface_offset(&b->dst, to_x, (uint32_t)b->rect.y0 + y,
                                               b->dst.linear ? 0 : b->dst_layer);
            if (from + run > b->src.size || to + run > b->dst.size)
                continue;
            if (same)
                memcpy(b->dst.data + to, b->src.data + from, run);
            else
                shuffle_run(&shuffle, b->src.data + from, b->dst.data + to, run);
        }
    return true;
}

static void blit_run(const struct blit *b) {
    if (blit_copy(b))
        return;
    for (int32_t y = b->rect.y0; y < b->rect.y1; y++) {
        const double v = b->v0 + ((double)y - b->y0 + b->half) * b->dv;
        for (int32_t x = b->rect.x0; x < b->rect.x1; x++) {
            const double u = b->u0 + ((double)x - b->x0 + b->half) * b->du;
            if (b->bilinear) {
                blit_bilinear(b, (uint32_t)x, (uint32_t)y, u, v);
                continue;
            }
            const uint8_t *from = texel_at(&b->src, clamped(floor(u), b->src.width),
                                           clamped(floor(v), b->src.height), b->src_layer);
            uint8_t copy[MAX_TEXEL];
            if (!from)
                continue;
            memcpy(copy, from, format_info(b->src.format)->bytes);
            put(&b->dst, &b->rop, (uint32_t)x, (uint32_t)y, b->dst_layer, b->src.format, copy);
        }
    }
}

/* Source rows a blit reads, for the limits of a linear source. */
static uint32_t rows_read(const struct blit *b, uint32_t height) {
    const double lines = (double)b->rect.y1 - b->y0 + 1;
    const double last = b->dv < 0 ? b->v0 + 1 : b->v0 + lines * b->dv + 1;
    return last < 0 ? 0 : last > height ? height : (uint32_t)last;
}

static void blit(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    (void)address, (void)data, (void)count;
    const uint32_t control = reg_at(e, BLIT_CONTROL);
    struct blit b = {
        .src = read_surface(e, SRC_FORMAT),
        .dst = read_surface(e, DST_FORMAT),
        .src_layer = reg_at(e, SRC_FORMAT + LAYER),
        .dst_layer = reg_at(e, DST_FORMAT + LAYER),
        .rop = read_rop(e),
        .x0 = (int32_t)reg_at(e, BLIT_DST_X),
        .y0 = (int32_t)reg_at(e, BLIT_DST_X + 4),
        .du = fixed_at(e, BLIT_DU_DX_FRACT),
        .dv = fixed_at(e, BLIT_DV_DY_FRACT),
        .u0 = fixed_at(e, BLIT_SRC_X_FRACT),
        .v0 = fixed_at(e, BLIT_SRC_Y_FRACT),
        .half = control & CONTROL_ORIGIN_CORNER ? 0 : 0.5,
        .bilinear = (control & CONTROL_BILINEAR) != 0,
    };
    /* A mirrored run starts at the far edge of the source pixel it names. */
    b.u0 += b.du < 0;
    b.v0 += b.dv < 0;
    const int64_t x1 = (int64_t)b.x0 + reg_at(e, BLIT_DST_X + 8);
    const int64_t y1 = (int64_t)b.y0 + reg_at(e, BLIT_DST_X + 12);
    const struct raster_rect clip = clip_rect(e, &b.dst);
    b.rect = (struct raster_rect){
        b.x0 > clip.x0 ? b.x0 : clip.x0,
        b.y0 > clip.y0 ? b.y0 : clip.y0,
        (int32_t)(x1 < clip.x1 ? x1 : clip.x1),
        (int32_t)(y1 < clip.y1 ? y1 : clip.y1),
    };
    if (!may_run(e, BLIT_DST_X, &b.rect) || !may_draw(e) || !b.src.width || !b.src.height)
        return;
    if (!open_surface(e, &b.src, SRC_FORMAT, 0, rows_read(&b, b.src.height), false) ||
        !open_surface(e, &b.dst, DST_FORMAT, (uint32_t)b.rect.y0, (uint32_t)(b.rect.y1 - b.rect.y0),
                      true))
        return;
    b.bilinear &= !integer(b.src.format);
    blit_run(&b);
}

#define SURFACE_METHODS(base, side)                                                                \
    {base, 0, 0, 0, false, side "_FORMAT", NULL},                                                  \
        {base + LINEAR, 0, 0, 0, false, side "_LINEAR", NULL},                                     \
        {base + BLOCK_DIMENSIONS, 0, 0, 0, false, side "_BLOCK_DIMENSIONS", NULL},                 \
        {base + DEPTH, 0, 0, 0, false, side "_DEPTH", NULL},                                       \
        {base + LAYER, 0, 0, 0, false, side "_LAYER", NULL},                                       \
        {base + PITCH, 0, 0, 0, false, side "_PITCH", NULL},                                       \
        {base + WIDTH, 0, 0, 0, false, side "_WIDTH", NULL},                                       \
        {base + HEIGHT, 0, 0, 0, false, side "_HEIGHT", NULL},                                     \
        {base + ADDRESS_HIGH, 0, 0, 0, false, side "_ADDRESS_HIGH", NULL}, {                       \
        base + ADDRESS_HIGH + 4, 0, 0, 0, false, side "_ADDRESS_LOW", NULL                         \
    }

static const struct method methods[] = {
    {0x100, 0, 0, 0, false, "NOP", NULL},
    {0x110, 0, 0, 0, false, "SERIALIZE", NULL},
    {0x180, 0, 0, 0, false, "DMA_NOTIFY", NULL},
    {0x184, 0, 0, 0, false, "DMA_DST", NULL},
    {0x188, 0, 0, 0, false, "DMA_SRC", NULL},
    {0x18c, 0, 0, 0, false, "DMA_COND", NULL},
    SURFACE_METHODS(DST_FORMAT, "DST"),
    SURFACE_METHODS(SRC_FORMAT, "SRC"),
    {COND_ADDRESS_HIGH, 0, 0, 0, false, "COND_ADDRESS_HIGH", NULL},
    {COND_ADDRESS_HIGH + 4, 0, 0, 0, false, "COND_ADDRESS_LOW", NULL},
    {COND_MODE, 0, 0, 0, false, "COND_MODE", NULL},
    {CLIP_X, 4, 4, 0, false, "CLIP_X_Y_W_H", NULL},
    {CLIP_ENABLE, 0, 0, 0, false, "CLIP_ENABLE", NULL},
    {0x29c, 0, 0, 0, false, "COLOR_KEY_ENABLE", NULL},
    {ROP, 0, 0, 0, false, "ROP", NULL},
    {OPERATION, 0, 0, 0, false, "OPERATION", NULL},
    {PATTERN_COLOR_FORMAT, 0, 0, 0, false, "PATTERN_COLOR_FORMAT", NULL},
    {PATTERN_BITMAP_COLOR, 2, 4, 0, false, "PATTERN_BITMAP_COLOR", NULL},
    {PATTERN_BITMAP, 2, 4, 0, false, "PATTERN_BITMAP", NULL},
    {SIFC_BITMAP_ENABLE, 0, 0, 0, false, "SIFC_BITMAP_ENABLE", NULL},
    {SIFC_FORMAT, 0, 0, 0, false, "SIFC_FORMAT", NULL},
    {SIFC_WIDTH, 0, 0, 0, false, "SIFC_WIDTH", NULL},
    {SIFC_HEIGHT, 0, 0, 0, false, "SIFC_HEIGHT", NULL},
    {SIFC_DX_DU_FRACT, 0, 0, 0, false, "SIFC_DX_DU_FRACT", NULL},
    {SIFC_DX_DU_FRACT + 4, 0, 0, 0, false, "SIFC_DX_DU_INT", NULL},
    {SIFC_DY_DV_FRACT, 0, 0, 0, false, "SIFC_DY_DV_FRACT", NULL},
    {SIFC_DY_DV_FRACT + 4, 0, 0, 0, false, "SIFC_DY_DV_INT", NULL},
    {SIFC_DST_X_FRACT, 0, 0, 0, false, "SIFC_DST_X_FRACT", NULL},
    {SIFC_DST_X_FRACT + 4, 0, 0, 0, false, "SIFC_DST_X_INT", NULL},
    {SIFC_DST_Y_FRACT, 0, 0, 0, false, "SIFC_DST_Y_FRACT", NULL},
    {SIFC_DST_Y_INT, 0, 0, 0, false, "SIFC_DST_Y_INT", sifc_start},
    {SIFC_DATA, 0, 0, 0, true, "SIFC_DATA", sifc_data},
    {0x888, 0, 0, 0, false, "SET_PIXELS_FROM_MEMORY_SAFE_OVERLAP", NULL},
    {BLIT_CONTROL, 0, 0, 0, false, "BLIT_CONTROL", NULL},
    {BLIT_DST_X, 4, 4, 0, false, "BLIT_DST_X_Y_W_H", NULL},
    {BLIT_DU_DX_FRACT, 0, 0, 0, false, "BLIT_DU_DX_FRACT", NULL},
    {BLIT_DU_DX_FRACT + 4, 0, 0, 0, false, "BLIT_DU_DX_INT", NULL},
    {BLIT_DV_DY_FRACT, 0, 0, 0, false, "BLIT_DV_DY_FRACT", NULL},
    {BLIT_DV_DY_FRACT + 4, 0, 0, 0, false, "BLIT_DV_DY_INT", NULL},
    {BLIT_SRC_X_FRACT, 0, 0, 0, false, "BLIT_SRC_X_FRACT", NULL},
    {BLIT_SRC_X_FRACT + 4, 0, 0, 0, false, "BLIT_SRC_X_INT", NULL},
    {BLIT_SRC_Y_FRACT, 0, 0, 0, false, "BLIT_SRC_Y_FRACT", NULL},
    {BLIT_SRC_Y_INT, 0, 0, 0, false, "BLIT_SRC_Y_INT", blit},
};

static struct engine *create(struct channel *c, uint32_t class_id) {
    (void)c, (void)class_id;
    struct engine_2d *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->base.reg[COND_MODE / 4] = 1; /* always */
    t->base.reg[OPERATION / 4] = OPERATION_SRCCOPY;
    return &t->base;
}

static void destroy(struct engine *e) {
    sifc_forget((struct engine_2d *)e);
    free(e);
}

const struct engine_class engine_2d = {
    "2D", methods, sizeof methods / sizeof *methods, create, destroy, NULL,
};
