/* Surfaces and operations of the 2D engine: limits, clip rectangles, refused surfaces and
 * operations. */
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/blit.h"

#include <time.h>

/* Copies with every small clip rectangle, from and to several places. A pixel is written if it lies
 * in the copy's rectangle, the destination and the clip rectangle, and comes from source + (x -
 * x0). Beyond the source its edge is repeated. */
FIXTURE_TEST(test_blit_clip) {
    static const int32_t to[][4] = {
        {2, 3, 5, 4}, {0, 0, SIDE, SIDE}, {-2, -1, 6, 6}, {12, 13, 8, 8}};
    surfaces(f);
    for (uint32_t i = 0; i < 4 * 6 * 6 * 4; i++) {
        const int32_t *r = to[i % 4];
        const uint32_t clip[] = {i / 4 % 6, i / 24 % 6, i / 144 * 6 + 1, i / 144 * 5 + 4};
        for (uint32_t on = 0; on < 2; on++) {
            memset(f->bytes, 0, SIDE * SIDE * 4);
            method(f, TWO_D, 0x280, 4, clip);
            one(f, TWO_D, 0x290, on);
            blit(f, r, 1, 1, 1, 2);
            run(f);
            for (int32_t y = 0; y < SIDE; y++)
                for (int32_t x = 0; x < SIDE; x++) {
                    const bool in = x >= r[0] && x < r[0] + r[2] && y >= r[1] && y < r[1] + r[3];
                    const int32_t cx = x - (int32_t)clip[0], cy = y - (int32_t)clip[1];
                    const bool kept = !on || (cx >= 0 && cx < (int32_t)clip[2] && cy >= 0 &&
                                              cy < (int32_t)clip[3]);
                    const int32_t sx = x - r[0] + 1 < SIDE ? x - r[0] + 1 : SIDE - 1;
                    const int32_t sy = y - r[1] + 2 < SIDE ? y - r[1] + 2 : SIDE - 1;
                    assert_int_equal(word_at(f, 4 * (uint32_t)(y * SIDE + x)),
                                     in && kept ? 0xff000000 | (uint32_t)(sy * SIDE + sx) : 0);
                }
        }
    }
    assert_int_equal(f->lines, 0);
}

static void surface(struct fixture *f, uint32_t base, const uint32_t words[8], uint64_t at) {
    uint32_t all[10];
    memcpy(all, words, 8 * sizeof *all);
    all[8] = (uint32_t)(at >> 32), all[9] = (uint32_t)at;
    method(f, TWO_D, base, 10, all);
}

/* Copies a pixel from one surface to the other. A fault of either surface is reported at that
 * surface's method. */
FIXTURE_TEST(test_surfaces) {
    static const uint32_t good[8] = {0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, SIDE};
    static const struct {
        uint32_t words[8]; /* format, linear, tile mode, depth, layer, pitch, width, height */
        const char *said;  /* text behind the side's name; NULL: no report */
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
        {{0xd5, 1, 0, 1, 0, SIDE * 4, 0, SIDE}, NULL, false}, /* nothing to copy, not reported */
        {{0xd5, 1, 0, 1, 0, SIDE * 4, SIDE, 0}, NULL, false},
        {{0xd5, 0, 0, 0, 0, 0, SIDE, SIDE}, NULL, false},     /* no slice */
        {{0xd5, 0, 0x110, 2, 2, 0, SIDE, SIDE}, NULL, false}, /* behind the last slice */
    };
    one(f, TWO_D, 0x290, 0);
    one(f, TWO_D, 0x88c, 0);
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const bool source = i & 1;
        const uint32_t *words = rows[i / 2].words, pixel = 0x11223344 + (uint32_t)i, zero = 0;
        char expected[64] = "";
        memcpy(f->bytes + FROM, &pixel, 4);
        memcpy(f->bytes, &zero, 4);
        surface(f, 0x200, source ? good : words, f->data);
        surface(f, 0x230, source ? words : good, f->data + FROM);
        METHOD(f, TWO_D, 0x8b0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0);
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
                               0xbeef502d); /* a new object, since each complains once */
        assert_int_equal(channel_object_create(f->channel, 0xbeef502d, 0x502d), 0);
        one(f, TWO_D, 0, 0xbeef502d);
        one(f, TWO_D, 0x20c, 1);
        one(f, TWO_D, 0x23c, 1);
    }
}

/* A surface outside memory is reported with its use and address. If memory ends within a surface,
 * the part in memory is used. Copies without pixels are not reported. */
FIXTURE_TEST(test_missing_surfaces) {
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
        {good, good, true, false, 2, 1, ""}, /* this page was already reported */
        {bad, bad, true, true, 0, 3, ""},
        {bad, bad, true, true, 3, 0, ""},
        {good, empty, true, true, 3, 3, ""},
        {good, flat, true, true, 3, 3, ""},
        {good, bad, true, true, 3, 3, "SRC_FORMAT (0230): format 17"},
        {bad, good, true, true, 3, 3, "DST_FORMAT (0200): format 17"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        surface(f, 0x200, rows[i].dst, rows[i].dst_there ? f->data : 0x123456000);
        surface(f, 0x230, rows[i].src, rows[i].src_there ? f->data + FROM : 0x123456000);
        METHOD(f, TWO_D, 0x8b0, 0, 0, rows[i].width, rows[i].height, 0, 1, 0, 1, 0, 0, 0, 0);
        const char *said = complaint(f);
        if (*rows[i].said ? !strstr(said, rows[i].said) : *said != 0)
            fail_msg("row %zu: said '%s', not '%s'", i, said, rows[i].said);
    }
}

/* Operations other than SRCCOPY, SRCCOPY_PREMULT and ROP, and patterns of two colours, are reported
 * and replaced by simpler operations and patterns. */
FIXTURE_TEST(test_operations) {
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
                {6, 2, {0, 0}, "operation 6 is taken for SRCCOPY"},
                {2, 2, {0, 0}, "operation 2 is taken for SRCCOPY"}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t zero = 0, pixel = 0x01010101 * (uint32_t)(i + 1);
        memcpy(f->bytes, &zero, 4);
        memcpy(f->bytes + FROM, &pixel, 4);
        surface(f, 0x200, good, f->data);
        surface(f, 0x230, good, f->data + FROM);
        one(f, TWO_D, 0x2ac, rows[i].operation);
        one(f, TWO_D, 0x2a0, 0xcc); /* ROP code of the source */
        one(f, TWO_D, 0x2e8, rows[i].format);
        method(f, TWO_D, 0x2f8, 2, rows[i].bitmap);
        METHOD(f, TWO_D, 0x8b0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0);
        const char *said = complaint(f);
        if (*rows[i].said ? !strstr(said, rows[i].said) : *said != 0)
            fail_msg("row %zu: said '%s'", i, said);
        assert_int_equal(word_at(f, 0), pixel);
        renew(f); /* forgets earlier reports */
    }
}

/* The work limit counts the pixels of a rectangle after clipping. */
FIXTURE_TEST(test_work) {
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
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t clip[4] = {0, 0, rows[i].clip, 8};
        const uint32_t pixel = 0x01010101 * (uint32_t)(i + 1),
                       at = 4 * (rows[i].y * SIDE + rows[i].x);
        memset(f->bytes, 0, SIDE * SIDE * 4);
        memcpy(f->bytes + FROM, &pixel, 4);
        surface(f, 0x200, good, f->data);
        surface(f, 0x230, good, f->data + FROM);
        method(f, TWO_D, 0x280, 4, clip);
        one(f, TWO_D, 0x290, rows[i].clip != 0);
        METHOD(f, TWO_D, 0x8b0, rows[i].x, rows[i].y, rows[i].width, rows[i].height, 0, 1, 0, 1, 0,
               0, 0, 0);
        const char *said = complaint(f);
        assert_int_equal(word_at(f, at), rows[i].drawn ? pixel : 0);
        if (!rows[i].drawn && rows[i].width && rows[i].height)
            assert_non_null(strstr(said, rows[i].said ? rows[i].said : "pixels"));
        else
            assert_string_equal(said, "");
    }
}
