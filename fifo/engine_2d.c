/* The 2D engine (classes 502d and 902d): pixels from the pushbuffer (SIFC) and blits between
 * surfaces, with scaling, filtering and format conversion, linear or block-linear. In: the engine's
 * registers and pixel words. Out: pixels in GPU memory. Facts: tesla-3d.md §5.
 */
#include "fifo/engine.h"
#include "pipeline/transfer/transfer.h"

#include <math.h>
#include <stdlib.h>

/* Offsets of registers from a surface's FORMAT. */
enum { LINEAR = 0x04, BLOCK_DIMENSIONS = 0x08, DEPTH = 0x0c, LAYER = 0x10 };
enum { PITCH = 0x14, WIDTH = 0x18, HEIGHT = 0x1c, ADDRESS_HIGH = 0x20 };

#define SURFACE_METHODS(X, side, format)                                                           \
    X(side##_FORMAT, format, 0, 0, false, NULL)                                                    \
    X(side##_LINEAR, format + LINEAR, 0, 0, false, NULL)                                           \
    X(side##_BLOCK_DIMENSIONS, format + BLOCK_DIMENSIONS, 0, 0, false, NULL)                       \
    X(side##_DEPTH, format + DEPTH, 0, 0, false, NULL)                                             \
    X(side##_LAYER, format + LAYER, 0, 0, false, NULL)                                             \
    X(side##_PITCH, format + PITCH, 0, 0, false, NULL)                                             \
    X(side##_WIDTH, format + WIDTH, 0, 0, false, NULL)                                             \
    X(side##_HEIGHT, format + HEIGHT, 0, 0, false, NULL)                                           \
    X(side##_ADDRESS_HIGH, format + ADDRESS_HIGH, 0, 0, false, NULL)                               \
    X(side##_ADDRESS_LOW, format + ADDRESS_HIGH + 4, 0, 0, false, NULL)
#define METHODS(X)                                                                                 \
    X(NOP, 0x100, 0, 0, false, NULL)                                                               \
    /* only Fermi has the next four */                                                             \
    X(NOTIFY_ADDRESS, 0x104, 2, 4, false, NULL)                                                    \
    X(SINGLE_GPC, 0x260, 0, 0, false, NULL)                                                        \
    X(SET_DST_COLOR_RENDER_TO_ZETA_SURFACE, 0x2b8, 0, 0, false, NULL)                              \
    X(SET_PIXELS_FROM_MEMORY_CORRAL_SIZE, 0x884, 0, 0, false, NULL)                                \
    X(SERIALIZE, 0x110, 0, 0, false, NULL)                                                         \
    X(DMA_NOTIFY, 0x180, 0, 0, false, NULL)                                                        \
    X(DMA_DST, 0x184, 0, 0, false, NULL)                                                           \
    X(DMA_SRC, 0x188, 0, 0, false, NULL)                                                           \
    X(DMA_COND, 0x18c, 0, 0, false, NULL)                                                          \
    SURFACE_METHODS(X, DST, 0x200)                                                                 \
    SURFACE_METHODS(X, SRC, 0x230)                                                                 \
    X(COND_ADDRESS_HIGH, 0x264, 0, 0, false, NULL)                                                 \
    X(COND_ADDRESS_LOW, 0x268, 0, 0, false, NULL)                                                  \
    X(COND_MODE, 0x26c, 0, 0, false, NULL)                                                         \
    X(CLIP_X_Y_W_H, 0x280, 4, 4, false, NULL)                                                      \
    X(CLIP_ENABLE, 0x290, 0, 0, false, NULL)                                                       \
    X(COLOR_KEY_ENABLE, 0x29c, 0, 0, false, NULL)                                                  \
    X(ROP, 0x2a0, 0, 0, false, NULL)                                                               \
    X(BETA4, 0x2a8, 0, 0, false, NULL)                                                             \
    X(OPERATION, 0x2ac, 0, 0, false, NULL)                                                         \
    X(PATTERN_COLOR_FORMAT, 0x2e8, 0, 0, false, NULL)                                              \
    X(PATTERN_BITMAP_COLOR, 0x2f0, 2, 4, false, NULL)                                              \
    X(PATTERN_BITMAP, 0x2f8, 2, 4, false, NULL)                                                    \
    X(SIFC_BITMAP_ENABLE, 0x800, 0, 0, false, NULL)                                                \
    X(SIFC_FORMAT, 0x804, 0, 0, false, NULL)                                                       \
    X(SIFC_WIDTH, 0x838, 0, 0, false, NULL)                                                        \
    X(SIFC_HEIGHT, 0x83c, 0, 0, false, NULL)                                                       \
    X(SIFC_DX_DU_FRACT, 0x840, 0, 0, false, NULL)                                                  \
    X(SIFC_DX_DU_INT, 0x844, 0, 0, false, NULL)                                                    \
    X(SIFC_DY_DV_FRACT, 0x848, 0, 0, false, NULL)                                                  \
    X(SIFC_DY_DV_INT, 0x84c, 0, 0, false, NULL)                                                    \
    X(SIFC_DST_X_FRACT, 0x850, 0, 0, false, NULL)                                                  \
    X(SIFC_DST_X_INT, 0x854, 0, 0, false, NULL)                                                    \
    X(SIFC_DST_Y_FRACT, 0x858, 0, 0, false, NULL)                                                  \
    X(SIFC_DST_Y_INT, 0x85c, 0, 0, false, sifc_start)                                              \
    X(SIFC_DATA, 0x860, 0, 0, true, sifc_data)                                                     \
    X(SET_PIXELS_FROM_MEMORY_SAFE_OVERLAP, 0x888, 0, 0, false, NULL)                               \
    X(BLIT_CONTROL, 0x88c, 0, 0, false, NULL)                                                      \
    X(BLIT_DST_X_Y_W_H, 0x8b0, 4, 4, false, NULL)                                                  \
    X(BLIT_DU_DX_FRACT, 0x8c0, 0, 0, false, NULL)                                                  \
    X(BLIT_DU_DX_INT, 0x8c4, 0, 0, false, NULL)                                                    \
    X(BLIT_DV_DY_FRACT, 0x8c8, 0, 0, false, NULL)                                                  \
    X(BLIT_DV_DY_INT, 0x8cc, 0, 0, false, NULL)                                                    \
    X(BLIT_SRC_X_FRACT, 0x8d0, 0, 0, false, NULL)                                                  \
    X(BLIT_SRC_X_INT, 0x8d4, 0, 0, false, NULL)                                                    \
    X(BLIT_SRC_Y_FRACT, 0x8d8, 0, 0, false, NULL)                                                  \
    X(BLIT_SRC_Y_INT, 0x8dc, 0, 0, false, run_blit)
enum { METHODS(METHOD_ADDRESS) };
/* Elements of arrays. */
enum { CLIP_X = 0x280, CLIP_Y = 0x284, CLIP_WIDTH = 0x288, CLIP_HEIGHT = 0x28c };
enum { PATTERN_BITMAP_COLOR_0 = 0x2f0, PATTERN_BITMAP_COLOR_1 = 0x2f4 };
enum { PATTERN_BITMAP_0 = 0x2f8, PATTERN_BITMAP_1 = 0x2fc };
enum { BLIT_DST_X = 0x8b0, BLIT_DST_Y = 0x8b4, BLIT_WIDTH = 0x8b8, BLIT_HEIGHT = 0x8bc };
enum { CONTROL_ORIGIN_CORNER = 1, CONTROL_BILINEAR = 0x10 };
enum {
    COND_ALWAYS = 1,
    OPERATION_SRCCOPY = 3,
    OPERATION_ROP = 4,
    OPERATION_SRCCOPY_PREMULT = 5,
    PATTERN_A8R8G8B8 = 2
};

struct engine_2d {
    struct engine base;
    uint64_t sifc_received; /* bytes of the current upload */
    uint8_t *sifc;          /* the bytes received so far */
    uint64_t sifc_size;     /* bytes of the whole upload; 0: no upload */
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
        .tile_h = engine_tile_height(e, block),
        .tile_d = block >> 8 & 0xf,
    };
}

static bool is_surface(struct engine *e, const struct surface *s, uint32_t base) {
    if (s->format == FORMAT_NONE) {
        engine_complain(e, base, "format %x", reg_at(e, base));
        return false;
    }
    if (s->tile_h > 5 || s->tile_d > 5 || s->width > 1 << 20 || s->height > 1 << 20) {
        engine_complain(e, base + BLOCK_DIMENSIONS, "block dimensions %x, size %u x %u",
                        reg_at(e, base + BLOCK_DIMENSIONS), s->width, s->height);
        return false;
    }
    return true;
}

/* Finds the surface's bytes. `rows`: the rows of a linear surface that are needed, at least one. A
 * linear surface may reach beyond its allocation, since the driver declares buffers wider than they
 * are; then s->size ends with the allocation. */
static bool open_surface(struct engine *e, struct surface *s, uint32_t base, uint64_t rows,
                         bool write) {
    const uint64_t address = reg_address(e, base + ADDRESS_HIGH);
    const uint64_t extent = memory_extent(channel_memory(e->channel), address);
    uint64_t need = surface_layer_bytes(s);
    if (s->linear) {
        const uint64_t row = (uint64_t)s->width * format_info(s->format)->bytes;
        need = (rows - 1) * s->pitch + row;
        need = extent && extent < need ? extent : need;
    }
    s->data = write ? channel_write_at(e->channel, address, need)
                    : channel_read_at(e->channel, address, need);
    s->size = need;
    return s->data != NULL;
}

static struct raster_rect clip_rect(const struct engine *e, const struct surface *dst) {
    struct raster_rect r = {0, 0, (int32_t)dst->width, (int32_t)dst->height};
    if (!reg_at(e, CLIP_ENABLE))
        return r;
    const int32_t x = (int32_t)(reg_at(e, CLIP_X) & 0xfffff),
                  y = (int32_t)(reg_at(e, CLIP_Y) & 0xfffff);
    const int32_t x1 = x + (int32_t)(reg_at(e, CLIP_WIDTH) & 0xfffff);
    const int32_t y1 = y + (int32_t)(reg_at(e, CLIP_HEIGHT) & 0xfffff);
    r.x0 = x;
    r.y0 = y;
    r.x1 = x1 < r.x1 ? x1 : r.x1;
    r.y1 = y1 < r.y1 ? y1 : r.y1;
    return r;
}

/* True if a rectangle has pixels, and no more than the channel's work limit. */
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
    if (operation < OPERATION_SRCCOPY || operation > OPERATION_SRCCOPY_PREMULT)
        engine_complain(e, OPERATION, "operation %u is taken for SRCCOPY", operation);
    return channel_condition(e->channel, reg_at(e, COND_MODE), reg_address(e, COND_ADDRESS_HIGH));
}

/* The components, as a bit mask, that BETA4 (a colour A8R8G8B8 of factors) multiplies by 0. */
static uint8_t read_dropped(struct engine *e) {
    static const uint8_t shift[4] = {16, 8, 0, 24};
    uint8_t dropped = 0;
    if (reg_at(e, OPERATION) != OPERATION_SRCCOPY_PREMULT)
        return 0;
    for (int c = 0; c < 4; c++) {
        const uint32_t factor = reg_at(e, BETA4) >> shift[c] & 0xff;
        dropped |= (uint8_t)(!factor << c);
        if (factor && factor != 0xff)
            engine_complain(e, BETA4, "factor %02x is taken for ff", factor);
    }
    return dropped;
}

static struct rop read_rop(struct engine *e) {
    struct rop rop = {.code = ROP_SOURCE};
    const uint32_t bits = reg_at(e, PATTERN_BITMAP_0);
    if (reg_at(e, OPERATION) != OPERATION_ROP)
        return rop;
    if (bits != reg_at(e, PATTERN_BITMAP_1) || (bits != 0 && bits != UINT32_MAX) ||
        reg_at(e, PATTERN_COLOR_FORMAT) != PATTERN_A8R8G8B8)
        engine_complain(e, PATTERN_BITMAP_0,
                        "a pattern of two colours or of format %u is taken for a plain one",
                        reg_at(e, PATTERN_COLOR_FORMAT));
    const uint32_t color = reg_at(e, bits ? PATTERN_BITMAP_COLOR_1 : PATTERN_BITMAP_COLOR_0);
    rop.code = (uint8_t)reg_at(e, ROP);
    memcpy(rop.pattern, &color, sizeof color);
    return rop;
}

/* Notes and logs that work on width x height pixels is left out. */
static void lack_memory(struct engine *e, uint32_t method, uint32_t width, uint32_t height) {
    channel_lack_memory(e->channel);
    engine_complain(e, method, "no memory for %u x %u pixels", width, height);
}

static void run_transfer(struct engine *e, uint32_t method, const struct transfer *t) {
    if (transfer_run(channel_threads(e->channel), t))
        return;
    channel_lack_memory(e->channel);
    engine_complain(e, method, "no memory for a row of %d pixels", t->rect.x1 - t->rect.x0);
}

/* ---- SIFC ---- */

static double fixed_at(const struct engine *e, uint32_t fract) {
    return (int32_t)reg_at(e, fract + 4) + reg_at(e, fract) / 4294967296.0;
}

/* The source texel at the middle of destination pixel i, when a texel covers `scale` pixels. */
static uint32_t source_of(uint32_t i, double scale) {
    return (uint32_t)((i + 0.5) / scale);
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
    if (!may_draw(e) || x0 < 0 || y0 < 0 || !(out_w >= 1 && out_w <= 65536 * 16) ||
        !(out_h >= 1 && out_h <= 65536) || !is_surface(e, &dst, DST_FORMAT) ||
        !open_surface(e, &dst, DST_FORMAT, (uint64_t)(y0 + (int64_t)out_h), true))
        return;
    const struct raster_rect clip = clip_rect(e, &dst);
    const struct rop rop = read_rop(e);
    if (rop.code == ROP_SOURCE && dst.linear && format == dst.format && bytes == 1 && height == 1 &&
        dx == 1 && dy == 1 && !reg_at(e, CLIP_ENABLE)) {
        /* the driver uploads buffers in this form; a row may be longer than the surface is wide */
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
    struct transfer w = {
        .src = {.data = t->sifc,
                .size = (uint64_t)row * height,
                .format = format,
                .width = width,
                .height = height,
                .linear = true,
                .pitch = row},
        .dst = dst,
        .dst_layer = reg_at(e, DST_FORMAT + LAYER),
        .rect = r,
        .rop = rop,
    };
    if (!transfer_open(&w)) {
        lack_memory(e, SIFC_WIDTH, (uint32_t)(r.x1 - r.x0), (uint32_t)(r.y1 - r.y0));
        return;
    }
    for (int32_t x = r.x0; x < r.x1; x++)
        w.x.texel[x - r.x0] = source_of((uint32_t)(x - x0), dx);
    for (int32_t y = r.y0; y < r.y1; y++)
        w.y.texel[y - r.y0] = source_of((uint32_t)(y - y0), dy);
    run_transfer(e, SIFC_WIDTH, &w);
    transfer_close(&w);
}

static void sifc_forget(struct engine *e) {
    struct engine_2d *t = (struct engine_2d *)e;
    free(t->sifc);
    t->sifc = NULL;
    t->sifc_size = t->sifc_received = 0;
}

enum { SIFC_LIMIT = 1 << 26 };

/* A write of the last register of the destination position starts an upload. */
static void sifc_start(struct engine *e, uint32_t address, const uint32_t *, uint32_t) {
    struct engine_2d *t = (struct engine_2d *)e;
    const enum pixel_format format = format_from_color_code(reg_at(e, SIFC_FORMAT) & 0xff);
    const uint64_t width = reg_at(e, SIFC_WIDTH), height = reg_at(e, SIFC_HEIGHT);
    sifc_forget(e);
    if (reg_at(e, SIFC_BITMAP_ENABLE) || format == FORMAT_NONE) {
        engine_complain(e, address, "bitmap %u, format %x", reg_at(e, SIFC_BITMAP_ENABLE),
                        reg_at(e, SIFC_FORMAT));
        return;
    }
    const uint64_t row = (width * format_info(format)->bytes + 3) & ~UINT64_C(3);
    if (!width || !height || height > SIFC_LIMIT / row) {
        engine_complain(e, SIFC_WIDTH, "%llu x %llu pixels", (unsigned long long)width,
                        (unsigned long long)height);
        return;
    }
    t->sifc = malloc(row * height);
    if (!t->sifc)
        lack_memory(e, SIFC_WIDTH, (uint32_t)width, (uint32_t)height);
    t->sifc_size = row * height;
    t->sifc_width = (uint32_t)width;
    t->sifc_height = (uint32_t)height;
    t->sifc_format = format;
}

static void sifc_data(struct engine *e, uint32_t, const uint32_t *data, uint32_t count) {
    struct engine_2d *t = (struct engine_2d *)e;
    const uint64_t left = t->sifc_size - t->sifc_received;
    const uint64_t bytes = 4ull * count < left ? 4ull * count : left;
    if (!t->sifc)
        return;
    memcpy(t->sifc + t->sifc_received, data, bytes);
    t->sifc_received += bytes;
    if (t->sifc_received == t->sifc_size) {
        sifc_done(t);
        sifc_forget(&t->base);
    }
}

/* ---- blits ---- */

/* One axis of a blit. The blit's destination begins at pixel `corner`; `count` pixels from `first`
 * on lie inside the clip rectangle. */
struct blit_axis {
    int32_t corner, first, count;
    /* texels: position of the corner in the source; step from pixel to pixel */
    double source, step;
    double half;   /* sample position within a destination pixel, 0 or 0.5 */
    uint32_t size; /* texels of the source */
};

static void fill_axis(const struct blit_axis *b, bool bilinear, struct axis *axis) {
    const struct transfer_scale scale = {b->source, (double)b->first - b->corner + b->half, b->step,
                                         b->size};
    transfer_axis(axis, (uint32_t)b->count, &scale, bilinear);
}

/* Number of source rows from row 0 to the last row that the blit reads. A mirrored blit reads the
 * last row for its first row of pixels. */
static uint32_t rows_read(const struct transfer *t) {
    const uint32_t *row = t->bilinear ? t->y.next : t->y.texel;
    const uint32_t first = row[0], last = row[t->rect.y1 - t->rect.y0 - 1];
    return (first > last ? first : last) + 1;
}

static struct blit_axis read_axis(const struct engine *e, uint32_t dst, uint32_t step,
                                  uint32_t source, uint32_t size) {
    struct blit_axis b = {
        .corner = (int32_t)reg_at(e, dst),
        .source = fixed_at(e, source),
        .step = fixed_at(e, step),
        .half = reg_at(e, BLIT_CONTROL) & CONTROL_ORIGIN_CORNER ? 0 : 0.5,
        .size = size,
    };
    b.source += b.step < 0; /* a mirrored axis starts at the far edge of its first pixel */
    return b;
}

/* Limits the axis to the pixels from low to high (exclusive) among `count` pixels from the
 * corner. */
static void limit_axis(struct blit_axis *b, uint32_t count, int32_t low, int32_t high) {
    const int64_t end = (int64_t)b->corner + count < high ? (int64_t)b->corner + count : high;
    b->first = b->corner > low ? b->corner : low;
    b->count = end > b->first ? (int32_t)(end - b->first) : 0;
}

/* True if a blit overwrites the whole of a surface that has one layer. */
static bool replaces(const struct transfer *t) {
    const struct surface *dst = &t->dst;
    return t->rop.code == ROP_SOURCE && dst->depth <= 1 && t->rect.x0 == 0 && t->rect.y0 == 0 &&
           t->rect.x1 >= (int32_t)dst->width && t->rect.y1 >= (int32_t)dst->height;
}

static void blit(struct engine *e) {
    struct transfer t = {
        .src = read_surface(e, SRC_FORMAT),
        .dst = read_surface(e, DST_FORMAT),
        .src_layer = reg_at(e, SRC_FORMAT + LAYER),
        .dst_layer = reg_at(e, DST_FORMAT + LAYER),
        .rop = read_rop(e),
        .grey = true,
        .dropped = read_dropped(e),
    };
    const struct raster_rect clip = clip_rect(e, &t.dst);
    struct blit_axis x = read_axis(e, BLIT_DST_X, BLIT_DU_DX_FRACT, BLIT_SRC_X_FRACT, t.src.width);
    struct blit_axis y = read_axis(e, BLIT_DST_Y, BLIT_DV_DY_FRACT, BLIT_SRC_Y_FRACT, t.src.height);
    limit_axis(&x, reg_at(e, BLIT_WIDTH), clip.x0, clip.x1);
    limit_axis(&y, reg_at(e, BLIT_HEIGHT), clip.y0, clip.y1);
    t.rect = (struct raster_rect){x.first, y.first, x.first + x.count, y.first + y.count};
    if (!may_run(e, BLIT_DST_X, &t.rect) || !may_draw(e) || !t.src.width || !t.src.height ||
        !is_surface(e, &t.src, SRC_FORMAT) || !is_surface(e, &t.dst, DST_FORMAT))
        return;
    if (!transfer_open(&t)) {
        lack_memory(e, BLIT_DST_X, (uint32_t)x.count, (uint32_t)y.count);
        return;
    }
    t.bilinear = reg_at(e, BLIT_CONTROL) & CONTROL_BILINEAR && !format_is_integer(t.src.format);
    fill_axis(&x, t.bilinear, &t.x);
    fill_axis(&y, t.bilinear, &t.y);
    if (open_surface(e, &t.src, SRC_FORMAT, rows_read(&t), false) &&
        open_surface(e, &t.dst, DST_FORMAT, (uint64_t)((int64_t)y.first + y.count), true)) {
        if (replaces(&t) && reg_at(e, COND_MODE) == COND_ALWAYS)
            work_surface(channel_threads(e->channel), TOUCH_REPLACE, &t.dst,
                         reg_address(e, DST_FORMAT + ADDRESS_HIGH), t.dst.size);
        run_transfer(e, BLIT_DST_X, &t);
    }
    transfer_close(&t);
}

static void run_blit(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    work_begin(channel_threads(e->channel), WORK_COPY);
    blit(e);
    work_end(channel_threads(e->channel));
}

static const struct method methods[] = {METHODS(METHOD_ROW)};

static void start_2d(struct engine *e) {
    e->reg[COND_MODE / 4] = 1; /* always */
    e->reg[OPERATION / 4] = OPERATION_SRCCOPY;
}

const struct engine_class engine_2d = {.name = "2D",
                                       .size = sizeof(struct engine_2d),
                                       .method = methods,
                                       .method_count = sizeof methods / sizeof *methods,
                                       .start = start_2d,
                                       .stop = sifc_forget};
