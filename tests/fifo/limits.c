/* What the engines refuse, the last that they take and the first that they do not: surfaces of the 2D engine, copies
 * (M2MF), objects, constants; which counter each number of a query and of a reset means.
 */
#include "base/surface.h"
#include "pipeline/context_private.h"
#include "fifo/engine.h"
#include "tests/fences.h"
#include "tests/fifo/fixture.h"

#include <time.h>

enum { SIDE = 16, FROM = 0x40000 };

/* Runs what was put, and says what was complained of; "" if nothing. */
static const char *complaint(struct fixture *f) {
    const int before = f->lines;
    run(f);
    return f->lines > before ? f->last : "";
}

/* ---- 2D ---- */

static void surface(struct fixture *f, uint32_t base, const uint32_t words[8], uint64_t at) {
    uint32_t all[10];
    memcpy(all, words, 8 * sizeof *all);
    all[8] = (uint32_t)(at >> 32), all[9] = (uint32_t)at;
    method(f, TWO_D, base, 10, all);
}

/* A pixel from one to the other; what is wrong with either is said at its method. */
static void test_surfaces(void **state) {
    struct fixture *f = *state;
    static const uint32_t good[8] = {0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE};
    static const struct {
        uint32_t words[8]; /* format, linear, tile mode, depth, layer, pitch, width, height */
        const char *said;  /* behind the side's name; NULL: nothing */
        bool copied;
    } rows[] = {
        {{0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE}, NULL, true},
        {{0x00, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE}, "_FORMAT", false},
        {{0x17, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE}, "_FORMAT", false},
        {{0xd5, 0, 0x50, 1, 0, 0, SIDE, SIDE}, NULL, true},
        {{0xd5, 0, 0x60, 1, 0, 0, SIDE, SIDE}, "_BLOCK_DIMENSIONS", false},
        {{0xd5, 0, 0x500, 1, 0, 0, SIDE, SIDE}, NULL, true},
        {{0xd5, 0, 0x600, 1, 0, 0, SIDE, SIDE}, "_BLOCK_DIMENSIONS", false},
        {{0xd5, 1, 0, 1, 0, 64, 1 << 20, SIDE}, NULL, true},
        {{0xd5, 1, 0, 1, 0, 64, (1 << 20) + 1, SIDE}, "_BLOCK_DIMENSIONS", false},
        {{0xd5, 1, 0, 1, 0, 64, SIDE, 1 << 20}, NULL, true},
        {{0xd5, 1, 0, 1, 0, 64, SIDE, (1 << 20) + 1}, "_BLOCK_DIMENSIONS", false},
        {{0xd5, 0, 0, 1, 0, 0, 1 << 12, 1 << 12}, "page fault", false}, /* larger than memory */
        {{0xd5, 1, 0, 1, 0, SIDE * 4, 0, SIDE}, NULL, false}, /* nothing to read, or to write to */
        {{0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, 0}, NULL, false},
        {{0xd5, 0, 0, 0, 0, 0, SIDE, SIDE}, NULL, false},     /* no slice */
        {{0xd5, 0, 0x110, 2, 2, 0, SIDE, SIDE}, NULL, false}, /* behind the last */
    };
    one(f, TWO_D, 0x290, 0);
    one(f, TWO_D, 0x88c, 0);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const bool source = i & 1;
        const uint32_t *words = rows[i / 2].words, pixel = 0x11223344 + (uint32_t)i, zero = 0;
        const uint32_t blit[12] = {0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0};
        char expected[64] = "";
        memcpy(f->bytes + FROM, &pixel, 4);
        memcpy(f->bytes, &zero, 4);
        surface(f, 0x200, source ? good : words, f->data);
        surface(f, 0x230, source ? words : good, f->data + FROM);
        method(f, TWO_D, 0x8b0, 12, blit);
        const char *said = complaint(f);
        if (rows[i / 2].said)
            snprintf(expected, sizeof expected, "%s%s",
                     *rows[i / 2].said != '_' ? ""
                     : source                 ? "SRC"
                                              : "DST",
                     rows[i / 2].said);
        if (rows[i / 2].said ? !strstr(said, expected) : *said != 0)
            fail_msg("row %zu: said '%s', not '%s'", i, said, expected);
        assert_int_equal(word_at(f, 0), rows[i / 2].copied ? pixel : 0);
        channel_object_destroy(f->channel,
                               0xbeef502d); /* who says things once for each complaint */
        assert_int_equal(channel_object_create(f->channel, 0xbeef502d, 0x502d), 0);
        one(f, TWO_D, 0, 0xbeef502d);
        one(f, TWO_D, 0x20c, 1);
        one(f, TWO_D, 0x23c, 1);
    }
}

/* A surface in no memory: what was asked for, and where; of one whose memory ends within it what is there is used. Of a
 * blit or a source without pixels nothing is said, whatever it is. */
static void test_missing_surfaces(void **state) {
    struct fixture *f = *state;
    static const uint32_t good[8] = {0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE},
                          bad[8] = {0x17, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE};
    static const uint32_t empty[8] = {0x17, 1, 0, 1, 0, SIDE * 4, 0, SIDE},
                          flat[8] = {0x17, 1, 0, 1, 0, SIDE * 4, SIDE, 0};
    static const struct {
        const uint32_t *dst, *src;
        bool dst_there, src_there;
        uint32_t width, height;
        const char *said;
    } rows[] = {
        {good, good, true, true, 2, 3, ""},
        {good, good, false, true, 2, 3, "page fault: write of 192 bytes at 0123456000"},
        {good, good, true, false, 2, 3, "page fault: read of 192 bytes at 0123456000"},
        {good, good, true, false, 2, 1, ""}, /* that page was said */
        {bad, bad, true, true, 0, 3, ""},
        {bad, bad, true, true, 3, 0, ""},
        {good, empty, true, true, 3, 3, ""},
        {good, flat, true, true, 3, 3, ""},
        {good, bad, true, true, 3, 3, "SRC_FORMAT (0230): format 17"},
        {bad, good, true, true, 3, 3, "DST_FORMAT (0200): format 17"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t blit[12] = {0, 0, rows[i].width, rows[i].height, 0, 1, 0, 1, 0, 0, 0, 0};
        surface(f, 0x200, rows[i].dst, rows[i].dst_there ? f->data : 0x123456000);
        surface(f, 0x230, rows[i].src, rows[i].src_there ? f->data + FROM : 0x123456000);
        method(f, TWO_D, 0x8b0, 12, blit);
        const char *said = complaint(f);
        if (*rows[i].said ? !strstr(said, rows[i].said) : *said != 0)
            fail_msg("row %zu: said '%s', not '%s'", i, said, rows[i].said);
    }
}

/* Operations other than SRCCOPY and ROP, and patterns of two colours, are said to be taken for simpler ones. */
static void test_operations(void **state) {
    struct fixture *f = *state;
    static const uint32_t good[8] = {0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE};
    static const struct {
        uint32_t operation, format, bitmap[2];
        const char *said;
    } rows[] = {{3, 0, {5, 9}, ""},
                {4, 2, {0, 0}, ""},
                {4, 2, {UINT32_MAX, UINT32_MAX}, ""},
                {4, 2, {0, UINT32_MAX}, "pattern of two colours"},
                {4, 2, {5, 5}, "pattern of two colours"},
                {4, 3, {0, 0}, "of format 3"},
                {5, 2, {0, 0}, "operation 5 is taken for SRCCOPY"},
                {2, 2, {0, 0}, "operation 2 is taken for SRCCOPY"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t blit[12] = {0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0};
        const uint32_t zero = 0, pixel = 0x01010101 * (uint32_t)(i + 1);
        memcpy(f->bytes, &zero, 4);
        memcpy(f->bytes + FROM, &pixel, 4);
        surface(f, 0x200, good, f->data);
        surface(f, 0x230, good, f->data + FROM);
        one(f, TWO_D, 0x2ac, rows[i].operation);
        one(f, TWO_D, 0x2a0, 0xcc); /* the source */
        one(f, TWO_D, 0x2e8, rows[i].format);
        method(f, TWO_D, 0x2f8, 2, rows[i].bitmap);
        method(f, TWO_D, 0x8b0, 12, blit);
        const char *said = complaint(f);
        if (*rows[i].said ? !strstr(said, rows[i].said) : *said != 0)
            fail_msg("row %zu: said '%s'", i, said);
        assert_int_equal(word_at(f, 0), pixel);
        teardown(state), setup(state); /* what was said is forgotten */
    }
}

/* The watchdog: pixels of a rectangle, after clipping. */
static void test_work(void **state) {
    struct fixture *f = *state;
    static const uint32_t good[8] = {0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE};
    static const struct {
        uint32_t width, height, clip;
        bool drawn;
        uint32_t x, y;
        const char *said;
    } rows[] = {{5, 13, 0, false, 3, 2, "5 x 13 pixels"},
                {13, 5, 0, false, 2, 3, "13 x 5 pixels"},
                {8, 8, 0, true, 7, 3, NULL},
                {8, 8, 0, true, 3, 7, NULL},
                {1, 8, 0, true, 15, 5, NULL},
                {8, 8, 0, true, 0, 0, NULL},
                {8, 9, 0, false, 0, 0, NULL},
                {SIDE, 4, 0, true, 0, 0, NULL},
                {SIDE, 5, 0, false, 0, 0, NULL},
                {SIDE, SIDE, 8, true, 0, 0, NULL},
                {SIDE, SIDE, 9, false, 0, 0, NULL},
                {0, 5, 0, false, 0, 0, NULL},
                {5, 0, 0, false, 0, 0, NULL}};
    f->device->work_limit = 64;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t blit[12] = {
            rows[i].x, rows[i].y, rows[i].width, rows[i].height, 0, 1, 0, 1, 0, 0, 0, 0};
        const uint32_t clip[4] = {0, 0, rows[i].clip, 8};
        const uint32_t pixel = 0x01010101 * (uint32_t)(i + 1),
                       at = 4 * (rows[i].y * SIDE + rows[i].x);
        memset(f->bytes, 0, SIDE * SIDE * 4);
        memcpy(f->bytes + FROM, &pixel, 4);
        surface(f, 0x200, good, f->data);
        surface(f, 0x230, good, f->data + FROM);
        method(f, TWO_D, 0x280, 4, clip);
        one(f, TWO_D, 0x290, rows[i].clip != 0);
        method(f, TWO_D, 0x8b0, 12, blit);
        const char *said = complaint(f);
        assert_int_equal(word_at(f, at), rows[i].drawn ? pixel : 0);
        if (!rows[i].drawn && rows[i].width && rows[i].height)
            assert_non_null(strstr(said, rows[i].said ? rows[i].said : "pixels"));
        else
            assert_string_equal(said, "");
    }
}

/* ---- M2MF ---- */

static void test_copies(void **state) {
    struct fixture *f = *state;
    static const struct {
        uint32_t mode, depth, slice, length, lines, format;
        const char *said;
        bool copied;
    } rows[] = {
        {0x00, 1, 0, 4, 1, 0x101, "", true},
        {0x50, 1, 0, 4, 1, 0x101, "", true},
        {0x60, 1, 0, 4, 1, 0x101, "tile mode 60", false},
        {0x500, 1, 0, 4, 1, 0x101, "", true},
        {0x600, 1, 0, 4, 1, 0x101, "tile mode 600", false},
        {0x00, 3, 2, 4, 1, 0x101, "", true},
        {0x00, 3, 3, 4, 1, 0x101, "slice 3 of 3", false},
        {0x00, 0, 0, 4, 1, 0x101, "", true},
        {0x00, 0, 1, 4, 1, 0x101, "slice 1 of 1", false},
        {0x00, 1, 0, 0, 1, 0x101, "", false},
        {0x00, 1, 0, 4, 0, 0x101, "", false},
        {0x00, 1, 0, 4, 1, 0x202, "increments 202", true},
        {0x00, 1, 0, 64, 8, 0x101, "", true},
        {0x00, 1, 0, 4, 9, 0x101, "9 lines of 4 bytes", false},
        {0x00, 1, 0, 65, 8, 0x101, "8 lines of 65 bytes", false},
    };
    f->device->work_limit = 8; /* lines, and 64 bytes of each */
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const size_t r = i / 2;
        const bool in = i & 1;
        const uint32_t tiled[6] = {rows[r].mode, 128, 64, rows[r].depth, rows[r].slice, 0};
        const uint64_t from = f->data + FROM, to = f->data;
        const uint32_t high[2] = {(uint32_t)(from >> 32), (uint32_t)(to >> 32)};
        const uint32_t low[8] = {(uint32_t)from, (uint32_t)to,   128, 128, rows[r].length,
                                 rows[r].lines,  rows[r].format, 0};
        memset(f->bytes, 0, FROM);
        memset(f->bytes + FROM, (int)i + 1, FROM);
        one(f, M2MF, 0x200, !in);
        one(f, M2MF, 0x21c, in);
        method(f, M2MF, in ? 0x204 : 0x220, 6, tiled);
        method(f, M2MF, 0x238, 2, high);
        method(f, M2MF, 0x30c, 8, low);
        const char *said = complaint(f);
        if (!in && (*rows[r].said ? !strstr(said, rows[r].said) : *said != 0))
            fail_msg("row %zu: said '%s'", r, said);
        uint32_t written = 0;
        for (uint32_t k = 0; k < FROM; k++)
            written += f->bytes[k] == i + 1;
        if (written != (rows[r].copied ? rows[r].length * rows[r].lines : 0))
            fail_msg("row %zu, %d: %u bytes", r, in, written);
    }
}

/* Lines may end with memory: the last needs its length, not its pitch. */
static void test_copies_at_the_end(void **state) {
    struct fixture *f = *state;
    enum { PITCH = 100, LENGTH = 10, LINES = 3, NEED = (LINES - 1) * PITCH + LENGTH };
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (int in = 0; in < 2; in++)
        for (uint32_t back = NEED - 1; back <= NEED + 1; back++) {
            const uint64_t there = end - back, from = in ? there : f->data,
                           to = in ? f->data : there;
            const uint32_t high[2] = {(uint32_t)(from >> 32), (uint32_t)(to >> 32)};
            const uint32_t low[8] = {(uint32_t)from, (uint32_t)to, PITCH, PITCH,
                                     LENGTH,         LINES,        0x101, 0};
            memset(memory_at(f->memory, to, back < NEED ? back : NEED), 0,
                   back < NEED ? back : NEED);
            memset(memory_at(f->memory, from, back < NEED ? back : NEED), 7,
                   back < NEED ? back : NEED);
            one(f, M2MF, 0x200, 1);
            one(f, M2MF, 0x21c, 1);
            method(f, M2MF, 0x238, 2, high);
            method(f, M2MF, 0x30c, 8, low);
            const char *said = complaint(f);
            const uint8_t *const at = memory_at(f->memory, to, 1);
            assert_int_equal(at[0], back >= NEED ? 7 : 0);
            assert_int_equal(at[NEED - 1 - (back < NEED)], back >= NEED ? 7 : 0);
            if (back < NEED) {
                char text[64];
                snprintf(text, sizeof text, "page fault: %s of %d bytes at %010llx",
                         in ? "read" : "write", NEED, (unsigned long long)there);
                assert_non_null(strstr(said, text));
            }
        }
}

/* Tiles of any height and depth, in any slice, at either end. */
static void test_tiles_of_copies(void **state) {
    struct fixture *f = *state;
    enum { WIDTH = 128, HEIGHT = 300, DEPTH = 3, X = 60, Y = 130, LENGTH = 9, LINES = 5 };
    for (uint32_t i = 0; i < 6 * 6 * DEPTH * 2; i++) {
        const uint32_t h = i % 6, d = i / 6 % 6, slice = i / 36 % DEPTH;
        const bool in = i / 36 / DEPTH;
        const struct surface s = {.format = FORMAT_R8_UNORM,
                                  .width = WIDTH,
                                  .height = HEIGHT,
                                  .depth = DEPTH,
                                  .tile_h = (uint8_t)h,
                                  .tile_d = (uint8_t)d,
                                  .is_3d = true};
        enum { TILED = 4096 };
        if (TILED + surface_layer_bytes(&s) > DATA_BYTES)
            continue;
        const uint32_t tiled[6] = {h << 4 | d << 8, WIDTH, HEIGHT, DEPTH, slice, Y << 16 | X};
        const uint64_t from = f->data + (in ? TILED : 0), to = f->data + (in ? 0 : TILED);
        const uint32_t high[2] = {(uint32_t)(from >> 32), (uint32_t)(to >> 32)};
        const uint32_t low[8] = {(uint32_t)from, (uint32_t)to, LENGTH, LENGTH,
                                 LENGTH,         LINES,        0x101,  0};
        uint8_t line[LENGTH * LINES];
        memset(f->bytes, 0, DATA_BYTES);
        for (uint32_t k = 0; k < LENGTH * LINES; k++) {
            line[k] = (uint8_t)(k + 1 + i);
            f->bytes[in ? TILED + surface_offset(&s, X + k % LENGTH, Y + k / LENGTH, slice) : k] =
                line[k];
        }
        one(f, M2MF, 0x200, !in);
        one(f, M2MF, 0x21c, in);
        method(f, M2MF, in ? 0x204 : 0x220, 6, tiled);
        method(f, M2MF, 0x238, 2, high);
        method(f, M2MF, 0x30c, 8, low);
        assert_string_equal(complaint(f), "");
        for (uint32_t k = 0; k < LENGTH * LINES; k++)
            if (f->bytes[in ? k
                            : TILED + surface_offset(&s, X + k % LENGTH, Y + k / LENGTH, slice)] !=
                line[k])
                fail_msg("tiles %u, %u, slice %u, %s: byte %u", h, d, slice, in ? "in" : "out", k);
    }
    for (uint32_t mode = 0x60; mode < 0x1000; mode += 0x10) { /* what is no tile */
        const uint32_t tiled[6] = {mode, WIDTH, HEIGHT, 1, 0, 0};
        char text[64];
        if ((mode >> 4 & 15) <= 5 && mode >> 8 <= 5)
            continue;
        one(f, M2MF, 0x200, 1);
        one(f, M2MF, 0x21c, 0);
        method(f, M2MF, 0x220, 6, tiled);
        one(f, M2MF, 0x328, 0);
        snprintf(text, sizeof text, "TILING_MODE_OUT (0220): tile mode %x, slice 0 of 1", mode);
        assert_non_null(strstr(complaint(f), text));
    }
}

/* ---- objects, constants ---- */

static void test_objects(void **state) {
    struct fixture *f = *state;
    static const uint32_t known[] = {0x5039, 0x502d, 0x5097, 0x8297, 0x8397,
                                     0x8597, 0x8697, 0x50c0, 0x85c0};
    uint32_t found = 0, n = 3; /* of the fixture */
    for (uint32_t class = 0x5000; class < 0x9000; class ++)
        if (channel_object_create(f->channel, 0x100, class) == 0) {
            found++;
            bool right = false;
            for (size_t i = 0; i < sizeof known / sizeof *known; i++)
                right |= known[i] == class;
            assert_true(right);
            assert_int_equal(channel_object_destroy(f->channel, 0x100), 0);
        }
    assert_int_equal(found, sizeof known / sizeof *known);
    while (channel_object_create(f->channel, 0x1000 + n, 0x5039) == 0)
        n++;
    assert_int_equal(n, 64);
    assert_int_equal(channel_object_destroy(f->channel, 0x1000 + 40), 0);
    assert_int_equal(channel_object_create(f->channel, 0x77, 0x502d), 0);
    assert_int_equal(channel_object_create(f->channel, 0x78, 0x502d), -1);
    for (uint32_t i = 0; i < 8; i++) { /* all subchannels; one that is destroyed is bound nowhere */
        one(f, i, 0, 0x77);
        one(f, i, 0x290, i);
    }
    assert_string_equal(complaint(f), "");
    assert_int_equal(channel_object_destroy(f->channel, 0x77), 0);
    for (uint32_t i = 0; i < 8; i++) {
        char text[64];
        one(f, i, 0x290, 0);
        snprintf(text, sizeof text, "subchannel %u, which has no object", i);
        assert_non_null(strstr(complaint(f), text));
    }
}

/* CB_DEF: size 0 is 64 KiB; CB_ADDR's place moves on with every word; nothing beyond the end. */
static void test_constant_buffers(void **state) {
    struct fixture *f = *state;
    static const struct {
        uint32_t size, at, words;
        bool written;
    } rows[] = {{256, 0, 1, true},    {256, 63, 1, true},        {256, 64, 1, false},
                {256, 62, 2, true},   {256, 63, 2, false},       {0, 0x3fff, 1, true},
                {0, 0x3ffe, 2, true}, {0, 0x3fff, 2, false},     {4, 0, 1, true},
                {4, 1, 1, false},     {0xffff, 0x3ffe, 1, true}, {0xffff, 0x3fff, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t def[3] = {(uint32_t)(f->data >> 32), (uint32_t)f->data,
                                 127 << 16 | rows[i].size};
        const uint32_t values[2] = {0x1000 + (uint32_t)i, 0x2000 + (uint32_t)i};
        memset(f->bytes, 0, 0x10010);
        method(f, THREE_D, 0x1280, 3, def);
        one(f, THREE_D, 0xf00, rows[i].at << 8 | 127);
        put(f, 0x40000000 | rows[i].words << 18 | THREE_D << 13 | 0xf04);
        for (uint32_t k = 0; k < rows[i].words; k++)
            put(f, values[k]);
        const char *said = complaint(f);
        if (i == 2) /* once */
            assert_non_null(strstr(said, "constant buffer 127"));
        channel_finish(f->channel);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(word_at(f, 4 * (rows[i].at + k)),
                             rows[i].written && k < rows[i].words ? values[k] : 0);
    }
}

/* ---- counters ---- */

/* Each counter set to a number of its own; 0 .. 9 of QUERY_GET with bit 23, and what COUNTER_RESET's codes reset. */
static void test_counters(void **state) {
    struct fixture *f = *state;
    static const uint8_t by_query[] = {COUNTER_VERTICES,
                                       COUNTER_PRIMITIVES_IN,
                                       COUNTER_VP_LAUNCHES,
                                       COUNTER_GP_LAUNCHES,
                                       COUNTER_GP_PRIMITIVES,
                                       COUNTER_PRIMITIVES_WRITTEN,
                                       COUNTER_PRIMITIVES_GENERATED,
                                       COUNTER_CLIP_IN,
                                       COUNTER_CLIP_OUT,
                                       COUNTER_FP_LAUNCHES};
    static const uint8_t by_reset[][2] = {{0x01, COUNTER_SAMPLES_PASSED},
                                          {0x10, COUNTER_PRIMITIVES_WRITTEN},
                                          {0x11, COUNTER_PRIMITIVES_GENERATED},
                                          {0x12, COUNTER_VERTICES},
                                          {0x13, COUNTER_PRIMITIVES_IN},
                                          {0x15, COUNTER_VP_LAUNCHES},
                                          {0x1a, COUNTER_GP_LAUNCHES},
                                          {0x1b, COUNTER_GP_PRIMITIVES},
                                          {0x1c, COUNTER_CLIP_IN},
                                          {0x1d, COUNTER_CLIP_OUT},
                                          {0x1e, COUNTER_FP_LAUNCHES}};
    tp_context *c = channel_context(f->channel);
    const uint32_t high = (uint32_t)(f->data >> 32), low = (uint32_t)f->data;
    for (uint32_t code = 0; code < 0x21; code++) {
        int counter = -1;
        for (size_t i = 0; i < sizeof by_reset / sizeof *by_reset; i++)
            counter = by_reset[i][0] == code ? by_reset[i][1] : counter;
        for (uint32_t k = 0; k < COUNTERS; k++)
            c->p->counters.base[k] = (uint64_t)0 - (UINT64_C(0x500000000) + 1000 * (k + 1));
        one(f, THREE_D, 0x1530, code);
        const char *said = complaint(f);
        assert_int_equal(*said == 0, counter >= 0);
        for (uint32_t k = 0; k < COUNTERS; k++)
            assert_int_equal(context_counter(c, (enum counter)k),
                             (int)k == counter ? 0 : UINT64_C(0x500000000) + 1000 * (k + 1));
        for (uint32_t k = 0; k < 12 && code == 0x20; k++) {
            const uint32_t get[] = {high, low, 7, 1 << 23 | k << 24};
            memset(f->bytes, 0xee, 16);
            method(f, THREE_D, 0x1b00, 4, get);
            assert_int_equal(*complaint(f) == 0, k < 10);
            assert_int_equal(word_at(f, 0),
                             k < 10 ? 1000u * (unsigned)(by_query[k] + 1) : 0xeeeeeeee);
            assert_int_equal(word_at(f, 4), k < 10 ? 5u : 0xeeeeeeee);
        }
    }
    /* query 1: samples; 2: whether as many primitives were written as generated; others are unknown */
    for (uint32_t select = 0; select < 16; select++)
        for (uint32_t same = 0; same < 2; same++) {
            const uint32_t get[] = {high, low, 9, select << 24};
            c->p->counters.base[COUNTER_PRIMITIVES_WRITTEN] =
                c->p->counters.base[COUNTER_PRIMITIVES_GENERATED] - !same;
            memset(f->bytes, 0, 16);
            method(f, THREE_D, 0x1b00, 4, get);
            run(f);
            channel_finish(f->channel);
            assert_int_equal(word_at(f, 0), 9);
            assert_int_equal(word_at(f, 4), select == 1   ? 1000 * (COUNTER_SAMPLES_PASSED + 1)
                                            : select == 2 ? same
                                                          : 0);
        }
    for (uint32_t by = 1; by < 4; by++) {
        const uint32_t unaligned[] = {high, low + by, 9, 1 << 28};
        memset(f->bytes, 0, 16);
        method(f, THREE_D, 0x1b00, 4, unaligned);
        const char *said = complaint(f);
        assert_true(by > 1 || strstr(said, "QUERY_ADDRESS_LOW (1b04): unaligned address"));
        channel_finish(f->channel);
        assert_int_equal(word_at(f, 0) | word_at(f, 4), 0);
    }
}

/* A semaphore's release: sequence, zero, and the time in nanoseconds; so do reports. Methods that the channel does
 * not have are said once. */
static void test_releases(void **state) {
    struct fixture *f = *state;
    const uint32_t at[3] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 0x1234};
    uint64_t last = channel_time(f->channel);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_true(last / 1000000000 - (uint64_t)now.tv_sec <= 1 ||
                (uint64_t)now.tv_sec - last / 1000000000 <= 1);
    for (int how = 0; how < 3; how++) {
        memset(f->bytes, 0xff, 32);
        if (how == 0) {
            method(f, THREE_D, 0x10, 3, at);
            one(f, THREE_D, 0x1c, 2);
        } else {
            const uint32_t get[4] = {at[0], at[1], at[2], how == 1 ? 0 : 1 << 24};
            method(f, THREE_D, 0x1b00, 4, get);
        }
        run(f);
        channel_finish(f->channel);
        const uint64_t told = word_at(f, 8) | (uint64_t)word_at(f, 12) << 32,
                       after = channel_time(f->channel);
        assert_int_equal(word_at(f, 0), 0x1234);
        assert_int_equal(word_at(f, 4), 0);
        assert_true(told >= last && told <= after);
        assert_int_equal(word_at(f, 16), 0xffffffff);
        last = told;
    }
    for (int i = 0; i < 2; i++) {
        one(f, THREE_D, 0x24, 5 + (uint32_t)i);
        const char *said = complaint(f);
        assert_true(i ? *said == 0
                      : strstr(said, "ILLEGAL_METHOD 0024 of the channel, data 00000005") != NULL);
    }
    one(f, THREE_D, 0x50, 1); /* a reference count */
    one(f, THREE_D, 0x1c, 5);
    assert_non_null(strstr(complaint(f), "SEMAPHORE_TRIGGER 5 is unknown"));
}

/* A number of samples waits for what is drawn, as fences do; other reports are there at once. What no memory is for is
 * said of all that are known then. */
static void test_which_reports_wait(void **state) {
    struct fixture *f = *state;
    static const struct {
        uint32_t get;
        bool waits, said;
    } rows[] = {{0, true, false},       {1 << 28, true, false},  {1 << 24, true, true},
                {2 << 24, false, true}, {13 << 24, false, true}, {1 << 23, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t get[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data, 77, rows[i].get};
        const uint32_t nowhere[] = {0, 0x2345000 + 4096 * (uint32_t)i, 77, rows[i].get};
        memset(f->bytes, 0xee, 16);
        method(f, THREE_D, 0x1b00, 4, get);
        assert_string_equal(complaint(f), "");
        assert_int_equal(word_at(f, 0) == 0xeeeeeeee, rows[i].waits);
        channel_finish(f->channel);
        assert_int_not_equal(word_at(f, 0), 0xeeeeeeee);
        method(f, THREE_D, 0x1b00, 4, nowhere);
        const char *said = complaint(f);
        assert_true(rows[i].said ? strstr(said, "page fault: write of 16 bytes at 000234") != NULL
                                 : *said == 0);
        channel_finish(f->channel);
    }
}

/* Fences come in order and all at once, however many. */
static void test_many_fences(void **state) {
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 500; i++) {
        const uint32_t fence[] = {(uint32_t)(f->data >> 32), (uint32_t)f->data + 4 * i, 1000 + i,
                                  0x1000f010};
        method(f, THREE_D, 0x1b00, 4, fence);
    }
    run(f);
    assert_int_equal(word_at(f, 0), 0);
    channel_finish(f->channel);
    for (uint32_t i = 0; i < 500; i++)
        assert_int_equal(word_at(f, 4 * i), 1000 + i);
    memset(f->bytes, 0, 4096);
    channel_finish(f->channel); /* once */
    assert_int_equal(word_at(f, 0), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_surfaces),
        TEST(test_operations),
        TEST(test_work),
        TEST(test_copies),
        TEST(test_objects),
        TEST(test_constant_buffers),
        TEST(test_counters),
        TEST(test_many_fences),
        TEST(test_releases),
        TEST(test_missing_surfaces),
        TEST(test_copies_at_the_end),
        TEST(test_tiles_of_copies),
        TEST(test_which_reports_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
