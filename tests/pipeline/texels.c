/* Transfers texel by texel between surfaces of every pair of formats: conversion, raster
 * operations, columns in any order, memory that ends early on either side. Also the source texels
 * of a scaled blit. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/transfer/transfer.h"

enum { WIDTH = 13, HEIGHT = 5, ROOM = 1 << 14 };

static bool is_target(enum pixel_format f) {
    const struct format_info *i = format_info(f);
    return !i->compressed && i->bytes != 12;
}

static struct surface surface_of(enum pixel_format f, bool linear, uint8_t *data) {
    struct surface s = SURFACE(f, WIDTH, HEIGHT, 1, .data = data, .size = ROOM, .linear = linear,
                               .pitch = WIDTH * format_info(f)->bytes + 16, .tile_h = 1);
    return s;
}

static uint8_t *texel_of(const struct surface *s, uint32_t x, uint32_t y) {
    return s->data + surface_offset(s, x * format_info(s->format)->bytes, y, 0);
}

/* Fills a surface with numbers of moderate size, of the format's type. */
static void fill(const struct surface *s) {
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint32_t rgba[4];
            for (int c = 0; c < 4; c++) {
                const float number = (float)(int32_t)(random_word() % 4096) / 1024 - 1;
                if (format_is_integer(s->format) || format_info(s->format)->zeta)
                    rgba[c] = random_word() % 1000 -
                              (format_info(s->format)->type == COMPONENT_SINT ? 500 : 0);
                else
                    memcpy(&rgba[c], &number, 4);
            }
            format_encode(s->format, rgba, texel_of(s, x, y));
        }
}

/* Converts between float and integer formats: the value stays, as far as the format can hold it. */
static void convert(enum pixel_format from, enum pixel_format to, uint32_t rgba[4]) {
    const bool integer = format_is_integer(to),
               is_signed = format_info(integer ? to : from)->type == COMPONENT_SINT;
    for (int c = 0; c < 4 && format_is_integer(from) != integer; c++) {
        float f;
        memcpy(&f, &rgba[c], 4);
        if (integer)
            rgba[c] = is_signed ? (uint32_t)(int32_t)f : f > 0 ? (uint32_t)f : 0;
        else
            f = is_signed ? (float)(int32_t)rgba[c] : (float)rgba[c], memcpy(&rgba[c], &f, 4);
    }
}

static uint8_t operation(uint8_t code, uint8_t p, uint8_t s, uint8_t d) {
    uint8_t result = 0;
    for (int bit = 0; bit < 8; bit++)
        result |=
            (uint8_t)((code >> ((p >> bit & 1) << 2 | (s >> bit & 1) << 1 | (d >> bit & 1)) & 1)
                      << bit);
    return result;
}

enum order { AS_THEY_ARE, BACKWARDS, TWICE, ORDERS };

static uint32_t first_column = 1, columns = 9; /* in the source */

static uint32_t column(enum order order, uint32_t i, uint32_t n) {
    return order == AS_THEY_ARE ? i + first_column : order == BACKWARDS ? n - i : i / 2;
}

/* True if texel x of row y lies in memory. Tiles are always whole. */
static bool there(const struct surface *s, uint32_t x, uint32_t y) {
    return !s->linear ||
           surface_offset(s, (x + 1) * format_info(s->format)->bytes - 1, y, 0) < s->size;
}

static void check_orders(struct fixture *f, const struct surface *src, const struct surface *dst,
                         enum order order, enum order lines, struct rop rop, const char *how) {
    enum { X0 = 2, Y0 = 1, H = 3 };
    const uint32_t W = columns;
    const uint32_t bytes = format_info(dst->format)->bytes;
    static uint8_t before[ROOM];
    memcpy(before, dst->data, ROOM);
    struct surface old = *dst;
    old.data = before;
    struct transfer t = {
        .src = *src, .dst = *dst, .rect = {X0, Y0, X0 + (int32_t)W, Y0 + H}, .rop = rop};
    assert_true(transfer_open(&t));
    for (uint32_t i = 0; i < W; i++)
        t.x.texel[i] = column(order, i, W);
    for (uint32_t i = 0; i < H; i++)
        t.y.texel[i] = lines == AS_THEY_ARE ? i + 1 : column(lines, i, H);
    assert_true(transfer_run(f->context, &t));
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool inside = x - X0 < W && y - Y0 < H;
            const uint32_t u = inside ? t.x.texel[x - X0] : 0, v = inside ? t.y.texel[y - Y0] : 0;
            uint8_t want[16];
            memcpy(want, texel_of(&old, x, y), bytes);
            if (inside && there(src, u, v) && there(dst, x, y)) {
                uint8_t made[16];
                uint32_t rgba[4];
                format_decode(src->format, texel_of(src, u, v), rgba);
                convert(src->format, dst->format, rgba);
                format_encode(dst->format, rgba, made);
                if (src->format == dst->format)
                    memcpy(made, texel_of(src, u, v), bytes);
                for (uint32_t i = 0; i < bytes; i++)
                    want[i] = operation(rop.code, rop.pattern[i % 4], made[i], want[i]);
            }
            if (memcmp(texel_of(dst, x, y), want, bytes) != 0)
                fail_msg("%s to %s, %s, order %d, operation %02x: texel %u, %u",
                         format_name(src->format), format_name(dst->format), how, order, rop.code,
                         x, y);
        }
    transfer_close(&t);
}

static void check(struct fixture *f, const struct surface *src, const struct surface *dst,
                  enum order order, struct rop rop, const char *how) {
    check_orders(f, src, dst, order, order, rop, how);
}

DRAW_TEST(test_pairs, 1, 16) {
    static const struct rop copy = {.code = ROP_SOURCE}, invert = {.code = 0x33},
                            pattern = {.code = 0xca, .pattern = {0xff, 0x0f, 0x00, 0x55}};
    static uint8_t from[ROOM], to[ROOM];
    for (int a = FORMAT_NONE + 1; a < FORMATS; a++)
        for (int b = FORMAT_NONE + 1; b < FORMATS; b++) {
            if (!is_target(a) || !is_target(b) ||
                (a != b && (format_info(a)->zeta || format_info(b)->zeta)))
                continue;
            for (unsigned i = 0; i < ROOM; i++)
                to[i] = (uint8_t)random_word();
            struct surface src = surface_of(a, (a + b) & 1, from),
                           dst = surface_of(b, (a + b) & 2, to);
            fill(&src);
            check(f, &src, &dst, AS_THEY_ARE, copy, "all there");
            check(f, &src, &dst, BACKWARDS, copy, "all there");
            check(f, &src, &dst, (enum order)((a + b) % ORDERS), a % 3 ? pattern : invert,
                  "all there");
            for (int lines = 0; lines < ORDERS && a == b; lines++)
                for (int order = 0; order < ORDERS; order++)
                    check_orders(f, &src, &dst, (enum order)order, (enum order)lines, copy,
                                 "in other orders");
        }
}

/* The memory of the source, of the destination, or of both ends within a row. */
DRAW_TEST(test_short_memory, 1, 16) {
    static const enum pixel_format formats[] = {FORMAT_R8_UNORM,    FORMAT_RGBA8_UNORM,
                                                FORMAT_RG8_UNORM,   FORMAT_RGBA32_FLOAT,
                                                FORMAT_BGRA8_UNORM, FORMAT_RG32_FLOAT};
    static const struct rop copy = {.code = ROP_SOURCE};
    static uint8_t from[ROOM], to[ROOM];
    for (unsigned i = 0; i < 6 * 6 * 3 * ORDERS; i++) {
        const enum pixel_format a = formats[i % 6], b = formats[i / 6 % 6];
        struct surface src = surface_of(a, true, from), dst = surface_of(b, true, to);
        fill(&src);
        fill(&dst);
        for (uint32_t texels = 0; texels < 9; texels++) {
            if (i / 36 % 3 != 1)
                src.size = 2ull * src.pitch + texels * format_info(a)->bytes +
                           texels % format_info(a)->bytes;
            if (i / 36 % 3 != 0)
                dst.size = 2ull * dst.pitch + (texels + 2) * format_info(b)->bytes +
                           texels % format_info(b)->bytes;
            check(f, &src, &dst, (enum order)(i / 108), copy, "short");
        }
    }
}

/* For any columns, all texels up to the last texel in memory are copied, on either side. */
DRAW_TEST(test_each_end, 1, 16) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_BGRA8_UNORM,
                                                FORMAT_RG8_UNORM};
    static const struct rop rops[] = {{.code = ROP_SOURCE}, {.code = 0x66}};
    static uint8_t from[ROOM], to[ROOM];
    for (unsigned i = 0; i < 3 * 3 * 2 * ORDERS; i++) {
        struct surface src = surface_of(formats[i % 3], true, from),
                       dst = surface_of(formats[i / 3 % 3], true, to);
        fill(&src);
        fill(&dst);
        for (first_column = 0; first_column < 3; first_column++)
            for (columns = 1; columns < 9; columns++)
                for (uint32_t end = 0; end < 2 * 12;
                     /* in the second row that is read, then in the second row that is written */
                     end++) {
                    src.size =
                        end < 12 ? 2ull * src.pitch + end * format_info(src.format)->bytes : ROOM;
                    dst.size = end < 12
                                   ? ROOM
                                   : 2ull * dst.pitch + (end - 12) * format_info(dst.format)->bytes;
                    check(f, &src, &dst, (enum order)(i / 18), rops[i / 9 % 2],
                          "to the last column");
                }
    }
    first_column = 1, columns = 9;
}

/* Pixel i comes from source + (first + i) * step: the texel that contains this place, or the two
 * texels whose centres surround it. */
TEST(test_axes) {
    enum { COUNT = 12, SIZE = 7 };
    static const struct transfer_scale rows[] = {
        {0.5, 0, 1, SIZE}, {0, 0, 1, SIZE},        {0.25, 0, 0.5, SIZE},
        {-2, 0, 1, SIZE},  {6.5, 0, -1, SIZE},     {0.5, 3, 0.75, SIZE},
        {3, 0, 0, SIZE},   {1.999, 2, 0.25, SIZE}, {-0.5, 0, 0.25, SIZE}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint32_t texel[COUNT], next[COUNT];
        float weight[COUNT];
        struct axis axis = {texel, next, weight};
        for (int bilinear = 0; bilinear < 2; bilinear++) {
            transfer_axis(&axis, COUNT, &rows[i], bilinear);
            for (int k = 0; k < COUNT; k++) {
                const double at =
                    rows[i].source + (rows[i].first + k) * rows[i].step - (bilinear ? 0.5 : 0);
                const double low = floor(at), high = low + 1;
                assert_int_equal(texel[k], low < 0 ? 0 : low > SIZE - 1 ? SIZE - 1 : low);
                if (!bilinear)
                    continue;
                assert_int_equal(next[k], high < 0 ? 0 : high > SIZE - 1 ? SIZE - 1 : high);
                assert_true(weight[k] == (float)(at - low));
            }
        }
    }
}

/* Pixels are mixed from two columns and two rows. */
DRAW_TEST(test_mixed, 1, 16) {
    enum { W = 8, H = 4 };
    static uint8_t from[ROOM], to[ROOM];
    struct surface src = surface_of(FORMAT_RGBA8_UNORM, true, from),
                   dst = surface_of(FORMAT_RGBA32_FLOAT, true, to);
    fill(&src);
    struct transfer t = {.src = src,
                         .dst = dst,
                         .rect = {1, 1, 1 + W, 1 + H},
                         .rop = {.code = ROP_SOURCE},
                         .bilinear = true};
    assert_true(transfer_open(&t));
    transfer_axis(&t.x, W, &(struct transfer_scale){0.25, 0, 1.375, WIDTH}, true);
    transfer_axis(&t.y, H, &(struct transfer_scale){0.75, 0, 0.5, HEIGHT}, true);
    assert_true(transfer_run(f->context, &t));
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++)
            for (int c = 0; c < 4; c++) {
                const double u = t.x.weight[x], v = t.y.weight[y];
                const double top = texel_of(&src, t.x.texel[x], t.y.texel[y])[c] * (1 - u) +
                                   texel_of(&src, t.x.next[x], t.y.texel[y])[c] * u;
                const double low = texel_of(&src, t.x.texel[x], t.y.next[y])[c] * (1 - u) +
                                   texel_of(&src, t.x.next[x], t.y.next[y])[c] * u;
                float got;
                memcpy(&got, texel_of(&dst, x + 1, y + 1) + 4 * c, 4);
                assert_true(fabs(got - (top * (1 - v) + low * v) / 255) < 1e-6);
            }
    transfer_close(&t);
}

/* A pixel keeps its value if one of its source columns lies outside memory. */
DRAW_TEST(test_mixed_at_the_end, 1, 16) {
    enum { W = 8, THERE = 6 };
    static uint8_t from[ROOM], to[ROOM];
    struct surface src = surface_of(FORMAT_RGBA8_UNORM, true, from),
                   dst = surface_of(FORMAT_RGBA8_UNORM, true, to);
    memset(from, 0x40, sizeof from);
    memset(to, 0x99, sizeof to);
    src.size = src.pitch + THERE * 4; /* of the second row */
    struct transfer t = {.src = src,
                         .dst = dst,
                         .rect = {0, 0, W, 2},
                         .rop = {.code = ROP_SOURCE},
                         .bilinear = true};
    assert_true(transfer_open(&t));
    transfer_axis(&t.x, W, &(struct transfer_scale){1, 0, 1, WIDTH}, true);
    transfer_axis(&t.y, 2, &(struct transfer_scale){0.25, 0, 0.25, HEIGHT}, true);
    assert_true(transfer_run(f->context, &t));
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < W; x++) {
            const bool all = y == 0 ? true : t.x.next[x] < THERE;
            const bool reads_second = t.y.texel[y] == 1 || t.y.next[y] == 1;
            assert_int_equal(texel_of(&dst, x, y)[0],
                             !reads_second || (all && t.x.next[x] < THERE) ? 0x40 : 0x99);
        }
    transfer_close(&t);
}

/* A copy within one surface to a nearby place: each source row is read completely before its
 * destination row is written. Rows go from first to last, whatever their width. */
DRAW_TEST(test_overlapping, 2, 16) {
    enum { W = 300, H = 6, PITCH = 2048 };
    static const struct rop rops[] = {{.code = ROP_SOURCE}, {.code = 0x66}};
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_BGRA8_UNORM};
    static uint8_t bytes[H * PITCH], model[H * PITCH];
    for (int i = 0; i < 2 * 2 * 5 * 3; i++) {
        const int dx = i / 4 % 5 * 7 - 14, dy = i / 20 - 1;
        struct surface src = SURFACE(FORMAT_RGBA8_UNORM, W + 40, H, 1, .data = bytes,
                                     .size = sizeof bytes, .linear = true, .pitch = PITCH);
        struct surface dst = src;
        dst.format = formats[i % 2];
        const struct rop rop = rops[i / 2 % 2];
        struct transfer t = {
            .src = src, .dst = dst, .rop = rop, .rect = {20 + dx, 1 + dy, 20 + dx + W, 1 + dy + 4}};
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = model[k] = (uint8_t)random_word();
        assert_true(transfer_open(&t));
        for (uint32_t x = 0; x < W; x++)
            t.x.texel[x] = 20 + x;
        for (uint32_t y = 0; y < 4; y++)
            t.y.texel[y] = 1 + y;
        assert_true(transfer_run(f->context, &t));
        static uint8_t from[H * PITCH];
        for (int y = 0; y < 4; y++) {
            memcpy(from, model, sizeof from);
            for (int x = 0; x < W; x++)
                for (int c = 0; c < 4; c++) {
                    uint8_t *to = &model[(1 + dy + y) * PITCH + (20 + dx + x) * 4 + c];
                    const uint8_t s =
                        from[(1 + y) * PITCH + (20 + x) * 4 + (i % 2 && c != 3 ? 2 - c : c)];
                    *to = operation(rop.code, 0, s, *to);
                }
        }
        if (memcmp(bytes, model, sizeof bytes) != 0)
            fail_msg("moved by %d %d, %s, operation %02x", dx, dy, i % 2 ? "converted" : "as it is",
                     rop.code);
        transfer_close(&t);
    }
}

/* Rows below the destination's last row, and memory that ends between its tiles, are not
 * written. */
DRAW_TEST(test_rows_beyond, 1, 16) {
    static const struct rop copy = {.code = ROP_SOURCE};
    static uint8_t from[ROOM], to[ROOM], want[ROOM];
    for (int i = 0; i < 2 * 2 * HEIGHT * 2; i++) {
        const bool linear = i & 1, there = i & 2;
        struct surface src = surface_of(FORMAT_RGBA8_UNORM, linear, from);
        struct surface dst =
            surface_of(i & 4 ? FORMAT_BGRA8_UNORM : FORMAT_RGBA8_UNORM, linear, to);
        const uint32_t height = (uint32_t)i / 8 + 1;
        fill(&src);
        memset(to, 0x99, sizeof to);
        memset(want, 0x99, sizeof want);
        dst.height = height;
        dst.size = there ? ROOM : 0;
        struct transfer t = {.src = src, .dst = dst, .rect = {0, 0, WIDTH, HEIGHT}, .rop = copy};
        assert_true(transfer_open(&t));
        for (uint32_t x = 0; x < WIDTH; x++)
            t.x.texel[x] = x;
        for (uint32_t y = 0; y < HEIGHT; y++)
            t.y.texel[y] = y;
        assert_true(transfer_run(f->context, &t));
        struct surface model = dst;
        model.data = want;
        for (uint32_t y = 0; y < height && there; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                uint32_t rgba[4];
                format_decode(src.format, texel_of(&src, x, y), rgba);
                format_encode(dst.format, rgba, texel_of(&model, x, y));
            }
        if (memcmp(to, want, sizeof to) != 0)
            fail_msg("%u rows, %s, %s", height, linear ? "linear" : "tiles",
                     there ? "there" : "without memory");
        transfer_close(&t);
    }
}
