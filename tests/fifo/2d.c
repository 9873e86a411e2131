/* The engines beside the 3D engine: uploads from the pushbuffer (SIFC) of any size, scale and clip
 * rectangle, all 256 raster operations, bilinear blits, copies in pieces (M2MF). */
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"
#include "tests/shapes.h"

enum { SIDE = 16, FROM = 0x40000 };

static void rgba_target(struct fixture *f) {
    METHOD(f, TWO_D, 0x200, 0xd5, 1);
    METHOD(f, TWO_D, 0x214, SIDE * 4, SIDE, SIDE, HIGH_LOW(f->data));
}

/* ---- SIFC ---- */

/* Uploads width x height numbered texels to (x, y). Each texel becomes sx x sy pixels. */
static void upload(struct fixture *f, uint32_t width, uint32_t height, uint32_t x, uint32_t y,
                   uint32_t sx, uint32_t sy) {
    METHOD(f, TWO_D, 0x800, 0, 0xd5);
    METHOD(f, TWO_D, 0x838, width, height, 0, sx, 0, sy, 0, x, 0, y);
    put(f, 0x40000000 | (width * height) << 18 | TWO_D << 13 | 0x860);
    for (uint32_t i = 0; i < width * height; i++)
        put(f, 0xff000001 + i);
}

FIXTURE_TEST(test_uploads) {
    static const struct {
        uint32_t width, height, x, y, sx, sy, clip[4];
    } row[] = {
        {3, 2, 4, 5, 1, 1, {0, 0, SIDE, SIDE}}, {3, 2, 4, 5, 2, 3, {0, 0, SIDE, SIDE}},
        {4, 4, 0, 0, 4, 4, {3, 2, 7, 9}},       {5, 3, 13, 14, 1, 1, {0, 0, SIDE, SIDE}},
        {2, 2, 6, 6, 3, 1, {7, 6, 4, 2}},       {1, 1, 15, 15, 1, 1, {15, 15, 1, 1}},
        {4, 4, 2, 2, 1, 1, {0, 0, 3, 40}},      {4, 4, 2, 2, 1, 1, {0, 0, 40, 3}},
    };
    rgba_target(f);
    for (size_t i = 0; i < LENGTH(row); i++) {
        memset(f->bytes, 0, SIDE * SIDE * 4);
        method(f, TWO_D, 0x280, 4, row[i].clip);
        one(f, TWO_D, 0x290, 1);
        upload(f, row[i].width, row[i].height, row[i].x, row[i].y, row[i].sx, row[i].sy);
        run(f);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                const uint32_t u = (x - row[i].x) / row[i].sx, v = (y - row[i].y) / row[i].sy;
                const bool in = x >= row[i].x && y >= row[i].y && u < row[i].width &&
                                v < row[i].height && x - row[i].clip[0] < row[i].clip[2] &&
                                y - row[i].clip[1] < row[i].clip[3];
                if (word_at(f, 4 * (y * SIDE + x)) != (in ? 0xff000001 + v * row[i].width + u : 0))
                    fail_msg("row %zu: pixel %u, %u is %08x", i, x, y,
                             word_at(f, 4 * (y * SIDE + x)));
            }
    }
    assert_int_equal(f->lines, 0);
}

/* In an upload of texels of one byte, each row begins at a new word. A place left of or above the
 * surface is refused. */
FIXTURE_TEST(test_upload_rows) {
    for (uint32_t width = 1; width <= 9; width++)
        for (int away = 0; away < 3; away++) {
            const uint32_t words = (width + 3) / 4;
            memset(f->bytes, 0, SIDE * SIDE);
            METHOD(f, TWO_D, 0x200, 0xf3, 1);
            METHOD(f, TWO_D, 0x214, SIDE, SIDE, SIDE, HIGH_LOW(f->data));
            one(f, TWO_D, 0x290, 0);
            METHOD(f, TWO_D, 0x800, 0, 0xf3);
            METHOD(f, TWO_D, 0x838, width, 3, 0, 1, 0, 1, 0, away == 1 ? UINT32_MAX : 2, 0,
                   away == 2 ? UINT32_MAX : 5);
            put(f, 0x40000000 | (3 * words) << 18 | TWO_D << 13 | 0x860);
            for (uint32_t i = 0; i < 3 * words; i++)
                put(f, 0x04030201 + i * 0x04040404);
            run(f);
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++) {
                    const bool in = !away && x >= 2 && x < 2 + width && y >= 5 && y < 8;
                    const uint32_t byte = (y - 5) * words * 4 + (x - 2) + 1;
                    if (f->bytes[y * SIDE + x] != (in ? byte : 0))
                        fail_msg("%u wide, %d: pixel %u, %u is %u", width, away, x, y,
                                 f->bytes[y * SIDE + x]);
                }
        }
}

/* An upload of one row of unconverted bytes goes on beyond the surface's width, because drivers
 * write any memory in this way. Any other upload ends at the width: one with another format, with a
 * scale, of two rows, with a clip rectangle, with an operation, or to a tiled surface. */
FIXTURE_TEST(test_bytes_run_on) {
    enum { WIDTH = 40, X = 3, Y = 5, PITCH = 64 };
    static const struct {
        uint32_t dst, linear, src, height, sx, sy, clip, operation;
        bool runs_on;
    } row[] = {
        {0xf3, 1, 0xf3, 1, 1, 1, 0, 4, false}, /* the operation inverts the destination */
        {0xf3, 1, 0xf3, 1, 1, 1, 0, 3, true},  {0xf7, 1, 0xf7, 1, 1, 1, 0, 3, true},
        {0xf3, 1, 0xf7, 1, 1, 1, 0, 3, false}, {0xf7, 1, 0xf3, 1, 1, 1, 0, 3, false},
        {0xf3, 1, 0xf3, 2, 1, 1, 0, 3, false}, {0xf3, 1, 0xf3, 1, 2, 1, 0, 3, false},
        {0xf3, 1, 0xf3, 1, 1, 2, 0, 3, false}, {0xf3, 1, 0xf3, 1, 1, 1, 1, 3, false},
        {0xf3, 0, 0xf3, 1, 1, 1, 0, 3, false}, {0xe8, 1, 0xe8, 1, 1, 1, 0, 3, false},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const uint32_t bytes = row[i].dst == 0xe8 ? 2 : 1,
                       words = row[i].height * (WIDTH * bytes / 4);
        const uint32_t dst[] = {row[i].dst, row[i].linear};
        const uint32_t clip[] = {0, 0, SIDE, SIDE, row[i].clip};
        memset(f->bytes, 0xaa, 0x2000);
        method(f, TWO_D, 0x200, 2, dst);
        one(f, TWO_D, 0x20c, 1); /* layer of a tiled surface */
        METHOD(f, TWO_D, 0x214, PITCH, SIDE, SIDE, HIGH_LOW(f->data));
        method(f, TWO_D, 0x280, 5, clip);
        one(f, TWO_D, 0x2a0, 0x55);
        one(f, TWO_D, 0x2e8, 2);
        one(f, TWO_D, 0x2ac, row[i].operation);
        METHOD(f, TWO_D, 0x800, 0, row[i].src);
        METHOD(f, TWO_D, 0x838, WIDTH, row[i].height, 0, row[i].sx, 0, row[i].sy, 0, X, 0, Y);
        put(f, 0x40000000 | words << 18 | TWO_D << 13 | 0x860);
        for (uint32_t k = 0; k < words; k++)
            put(f, 0x04030201 + k * 0x04040404);
        finish(f);
        uint32_t changed = 0;
        for (uint32_t k = 0; k < 0x2000; k++)
            changed += f->bytes[k] != 0xaa;
        const uint32_t in_width = SIDE - X, high = row[i].height * row[i].sy;
        const uint32_t want = row[i].runs_on ? WIDTH : in_width * bytes * high;
        if (changed != want)
            fail_msg("row %zu: %u bytes of %u", i, changed, want);
        for (uint32_t k = 0; k < WIDTH && row[i].runs_on; k++)
            assert_int_equal(f->bytes[Y * PITCH + X + k], k + 1);
        for (uint32_t k = 0; k < in_width && row[i].src != row[i].dst;
             k++) /* red is 0, alpha is 1 */
            assert_int_equal(f->bytes[Y * PITCH + X + k], row[i].dst == 0xf3 ? 0 : 0xff);
    }
    assert_int_equal(f->lines, 0);
}

/* The words of one method header may begin in the channel's methods and end in the engine's. An
 * upload that runs backwards draws nothing. An upload may have at most 64 MiB. */
FIXTURE_TEST(test_odd_uploads) {
    enum { FIRST = 0xfc, CLIP = (0x280 - FIRST) / 4 };
    uint32_t words[CLIP + 5] = {0};
    const uint32_t clip[] = {3, 2, 7, 9, 1};
    memcpy(words + CLIP, clip, sizeof clip);
    words[(0x20c - FIRST) / 4] = 1; /* depth of the target */
    words[(0x26c - FIRST) / 4] = 1; /* condition: always */
    method(f, TWO_D, FIRST, CLIP + 5, words);
    rgba_target(f);
    upload(f, SIDE, SIDE, 0, 0, 1, 1);
    run(f);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(word_at(f, 4 * (y * SIDE + x)) != 0, x - 3 < 7 && y - 2 < 9);
    static const struct {
        uint32_t width, height, sx, sy;
        int lines; /* 1 if a line is logged */
    } row[] = {{2, 2, UINT32_MAX, 1, 0},
               {2, 2, 1, UINT32_MAX, 0},
               {1 << 24, 1, 1, 1, 0},
               {(1 << 24) + 1, 1, 1, 1, 1},
               {1 << 12, 1 << 12, 1, 1, 0},
               {1 << 12, 4097, 1, 1, 1},
               {0, 1, 1, 1, 1},
               {1, 0, 1, 1, 1},
               {4, 1, 0xc0000001, 1, 0},
               {1, 4, 1, 0xc0000001, 0}}; /* 0xc0000001 is negative, and the end is 8 modulo 2^32 */
    for (size_t i = 0; i < LENGTH(row); i++) {
        memset(f->bytes, 0, SIDE * SIDE * 4);
        f->lines = 0;
        METHOD(f, TWO_D, 0x800, 0, 0xd5);
        METHOD(f, TWO_D, 0x838, row[i].width, row[i].height, 0, row[i].sx, 0, row[i].sy, 0, 4, 0,
               4);
        put(f, 0x40000000 | 4 << 18 | TWO_D << 13 | 0x860);
        for (int k = 0; k < 4; k++)
            put(f, UINT32_MAX);
        run(f);
        for (uint32_t k = 0; k < SIDE * SIDE; k++)
            assert_int_equal(word_at(f, 4 * k), 0);
        if (row[i].lines && !f->lines)
            fail_msg("row %zu: not a word about it", i);
        if (!row[i].lines && f->lines)
            fail_msg("row %zu: %s", i, f->last);
        one(f, TWO_D, 0x838, 0); /* ends the upload */
    }
}

/* Uploads of bitmaps are not supported: such an upload draws nothing and is reported. */
FIXTURE_TEST(test_bitmaps) {
    rgba_target(f);
    for (uint32_t on = 0; on < 2; on++) {
        memset(f->bytes, 0, 4);
        METHOD(f, TWO_D, 0x800, on, 0xd5);
        METHOD(f, TWO_D, 0x838, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0);
        run_one(f, TWO_D, 0x860, 0xff123456);
        assert_int_equal(word_at(f, 0), on ? 0 : 0xff123456);
        assert_int_equal(f->lines, on);
    }
}

/* An upload to an invalid surface is reported at its method and draws nothing. */
FIXTURE_TEST(test_targets_of_uploads) {
    static const struct {
        uint32_t address, value;
        const char *said;
    } rows[] = {{0x200, 0x17, "DST_FORMAT (0200): format 17"},
                {0x200, 0, "DST_FORMAT (0200): format 0"},
                {0x208, 0x60, "DST_BLOCK_DIMENSIONS (0208): block dimensions 60, size 16 x 16"},
                {0x208, 0x600, "DST_BLOCK_DIMENSIONS (0208): block dimensions 600, size 16 x 16"},
                {0x218, (1 << 20) + 1,
                 "DST_BLOCK_DIMENSIONS (0208): block dimensions 0, size 1048577 x 16"},
                {0x21c, (1 << 20) + 1,
                 "DST_BLOCK_DIMENSIONS (0208): block dimensions 0, size 16 x 1048577"}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        memset(f->bytes, 0, SIDE * SIDE * 4);
        f->lines = 0;
        rgba_target(f);
        one(f, TWO_D, rows[i].address, rows[i].value);
        upload(f, 2, 2, 1, 1, 1, 1);
        run(f);
        if (f->lines != 1 || !strstr(f->last, rows[i].said))
            fail_msg("row %zu: '%s'", i, f->last);
        for (uint32_t k = 0; k < SIDE * SIDE; k++)
            assert_int_equal(word_at(f, 4 * k), 0);
        one(f, TWO_D, 0x208, 0);
    }
}

/* A read waits for earlier writes of the same memory, and a write for earlier reads and writes.
 * Neither waits for work on other memory. */
FIXTURE_TEST(test_waits) {
    struct scene *s = channel_context(f->channel)->p->scene;
    const uint64_t from = f->data + FROM;
    rgba_target(f);
    METHOD(f, TWO_D, 0x230, 0xd5, 1);
    METHOD(f, TWO_D, 0x244, SIDE * 4, SIDE, SIDE, HIGH_LOW(from));
    run(f);
    static const struct {
        bool blit, of_source, written, waits;
    } rows[] = {{true, true, false, false},  {true, false, false, true},
                {true, true, true, true},    {true, false, true, true},
                {false, true, false, false}, {false, false, false, true},
                {false, true, true, false},  {false, false, true, true}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint64_t at = rows[i].of_source ? from : f->data;
        context_flush(channel_context(f->channel));
        (rows[i].written ? scene_writes : scene_reads)(s, at, 64);
        if (rows[i].blit)
            method(f, TWO_D, 0x8b0, 12, (const uint32_t[12]){0, 0, 4, 4, 0, 1, 0, 1, 0, 0, 0, 0});
        else
            upload(f, 1, 1, 0, 0, 1, 1);
        run(f);
        const uint32_t use = rows[i].written ? SCENE_WRITES : SCENE_READS;
        if (!(scene_uses(s, at, 64) & use) != rows[i].waits)
            fail_msg("row %zu", i);
    }
    context_flush(channel_context(f->channel));
}

/* A blit waits for work that writes the rows that it reads, up to the width of the surface, and for
 * no other work. The same holds for work on the rows that a blit or upload writes. */
FIXTURE_TEST(test_rows_waited_for) {
    struct scene *s = channel_context(f->channel)->p->scene;
    enum { ROW = 128, WIDE = 4 * SIDE };
    static const struct {
        int32_t y, h, dv, v; /* destination y and height; source step and y in sixteenths */
        /* first line and height of the clip rectangle; height 0: no clip */
        uint32_t control, clip[2];
        int32_t from, to; /* last rows of source and destination that are waited for; -1: none */
    } rows[] = {
        {0, 4, 16, 0, 0, {0}, 3, 3},          {2, 3, 16, 16, 0, {0}, 3, 4},
        {0, 1, 16, 0, 0, {0}, 0, 0},          {0, 4, 32, 0, 0, {0}, 7, 3},
        {0, 4, 8, 0, 0, {0}, 1, 3},           {1, 4, -16, 80, 0, {0}, 5, 4},
        {0, 4, 16, 0, 0x10, {0}, 4, 3},       {0, 4, 16, 8, 0x10, {0}, 4, 3},
        {0, 4, 16, -8, 0x10, {0}, 3, 3},      {0, 4, 16, 0, 1, {0}, 3, 3},
        {0, 16, 16, 0, 0, {3, 5}, 7, 7},      {0, 16, 16, 32, 0, {0}, 15, 15},
        {4, 40, 16, 0, 0, {0}, 11, 15},       {0, 4, 0, 37, 0, {0}, 2, 3},
        {0, 3, -16, 0, 0, {0}, 0, 2},         {0, 3, -16, 16, 0x10, {0}, 2, 2},
        {5, 4, 0, 0, UINT32_MAX, {0}, -1, 8}, {0, 1, 0, 0, UINT32_MAX, {0}, -1, 0}, /* uploads */
    };
    const uint64_t from = f->data + FROM;
    const uint32_t format[] = {0xd5, 1};
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int32_t row = 0; row < SIDE; row++)
            for (uint32_t k = 0; k < 4; k++) {
                const bool of_source = k & 1, beside = k & 2;
                const int32_t last = of_source ? rows[i].from : rows[i].to;
                const uint64_t at =
                    (of_source ? from : f->data) + (uint64_t)row * ROW + (beside ? WIDE : WIDE - 4);
                context_flush(channel_context(f->channel));
                scene_writes(s, at, 4);
                method(f, TWO_D, 0x200, 2, format);
                METHOD(f, TWO_D, 0x214, ROW, SIDE, SIDE, HIGH_LOW(f->data));
                method(f, TWO_D, 0x230, 2, format);
                METHOD(f, TWO_D, 0x244, ROW, SIDE, SIDE, HIGH_LOW(from));
                method(f, TWO_D, 0x280, 5,
                       (const uint32_t[5]){0, rows[i].clip[0], SIDE, rows[i].clip[1],
                                           rows[i].clip[1] != 0});
                if (rows[i].control == UINT32_MAX) {
                    upload(f, 1, (uint32_t)rows[i].h, 0, (uint32_t)rows[i].y, 1, 1);
                } else {
                    const uint32_t v = (uint32_t)rows[i].v << 28, dv = (uint32_t)rows[i].dv << 28;
                    one(f, TWO_D, 0x88c, rows[i].control);
                    method(f, TWO_D, 0x8b0, 12,
                           (const uint32_t[12]){0, (uint32_t)rows[i].y, 4, (uint32_t)rows[i].h, 0,
                                                1, dv, (uint32_t)(rows[i].dv >> 4), 0, 0, v,
                                                (uint32_t)(rows[i].v >> 4)});
                }
                run(f);
                const bool waited = !(scene_uses(s, at, 4) & SCENE_WRITES);
                if (waited != (row < last || (row == last && !beside)))
                    fail_msg("case %zu: row %d of the %s, %s", i, row,
                             of_source ? "source" : "destination",
                             beside ? "beside it" : "its end");
            }
    context_flush(channel_context(f->channel));
}

/* The words of an upload may come in methods of any length. Words behind the last one are
 * dropped. */
FIXTURE_TEST(test_uploads_in_pieces) {
    enum { N = 6 };
    rgba_target(f);
    for (uint32_t piece = 1; piece <= N * N + 8; piece++)
        for (uint32_t more = 0; more < 12; more += 5) {
            const uint32_t rest[] = {N, N, 0, 1, 0, 1, 0, 1, 0, 2};
            memset(f->bytes, 0, SIDE * SIDE * 4);
            METHOD(f, TWO_D, 0x800, 0, 0xd5);
            method(f, TWO_D, 0x838, 10, rest);
            for (uint32_t i = 0; i < N * N + more; i++) {
                const uint32_t left = N * N + more - i;
                if (i % piece == 0)
                    put(f, 0x40000000 | (piece < left ? piece : left) << 18 | TWO_D << 13 | 0x860);
                put(f, 0x1000 + i);
            }
            run(f);
            for (uint32_t y = 0; y < SIDE; y++)
                for (uint32_t x = 0; x < SIDE; x++) {
                    const uint32_t u = x - 1, v = y - 2;
                    if (word_at(f, 4 * (y * SIDE + x)) != (u < N && v < N ? 0x1000 + v * N + u : 0))
                        fail_msg("pieces of %u, %u more: pixel %u, %u is %x", piece, more, x, y,
                                 word_at(f, 4 * (y * SIDE + x)));
                }
            memset(f->bytes, 0x11, SIDE * SIDE * 4);
            method(f, TWO_D, 0x40000000 | 0x860, 3, rest); /* no upload is active */
            run(f);
            for (uint32_t i = 0; i < SIDE * SIDE; i++)
                assert_int_equal(word_at(f, 4 * i), 0x11111111);
        }
    assert_int_equal(f->lines, 0);
}

/* Places and scales of uploads have fractions. A pixel gets the texel that contains its centre. A
 * place is rounded down. */
FIXTURE_TEST(test_fractions_of_uploads) {
    enum { W0 = 5, H0 = 3 };
    rgba_target(f);
    for (uint32_t i = 0; i < 4 * 6 * 6; i++) {
        const uint32_t part = i % 4, sx = i / 4 % 6 + 1,
                       sy = i / 24 + 1; /* part: in quarters of a pixel; sx, sy: in thirds */
        const uint64_t third = UINT64_C(0x55555556), fx = sx * third, fy = sy * third;
        const double dx = (double)fx / 4294967296.0, dy = (double)fy / 4294967296.0;
        memset(f->bytes, 0, SIDE * SIDE * 4);
        METHOD(f, TWO_D, 0x800, 0, 0xd5);
        METHOD(f, TWO_D, 0x838, W0, H0, (uint32_t)fx, (uint32_t)(fx >> 32), (uint32_t)fy,
               (uint32_t)(fy >> 32), part << 30, 2, part << 30, 1);
        put(f, 0x40000000 | (W0 * H0) << 18 | TWO_D << 13 | 0x860);
        for (uint32_t k = 0; k < W0 * H0; k++)
            put(f, 0x1000 + k);
        run(f);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++) {
                const bool in =
                    x >= 2 && y >= 1 && x - 2 < (uint32_t)(W0 * dx) && y - 1 < (uint32_t)(H0 * dy);
                const uint32_t u = in ? (uint32_t)((x - 2 + 0.5) / dx) : 0,
                               v = in ? (uint32_t)((y - 1 + 0.5) / dy) : 0;
                if (word_at(f, 4 * (y * SIDE + x)) != (in ? 0x1000 + v * W0 + u : 0))
                    fail_msg("%u, %u thirds: pixel %u, %u is %x", sx, sy, x, y,
                             word_at(f, 4 * (y * SIDE + x)));
            }
    }
    assert_int_equal(f->lines, 0);
}

/* The largest uploads: one texel becomes many pixels, and pixels inside the surface are written.
 * Larger uploads are dropped. */
FIXTURE_TEST(test_large_uploads) {
    static const struct {
        uint32_t sx, sy;
        bool drawn;
    } row[] = {{1 << 20, 1, true},
               {(1 << 20) + 1, 1, false},
               {1, 1 << 16, true},
               {1, (1 << 16) + 1, false}};
    rgba_target(f);
    for (size_t i = 0; i < LENGTH(row); i++) {
        memset(f->bytes, 0, SIDE * SIDE * 4);
        upload(f, 1, 1, 3, 2, row[i].sx, row[i].sy);
        run(f);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                assert_int_equal(word_at(f, 4 * (y * SIDE + x)) != 0,
                                 row[i].drawn && x - 3 < row[i].sx && y - 2 < row[i].sy);
    }
}

/* ---- raster operations ---- */

/* Bit P << 2 | S << 1 | D of the code is the result for bit P of the pattern, bit S of the source
 * and bit D of the destination. The pattern has one colour. */
FIXTURE_TEST(test_raster_operations) {
    static const uint32_t pattern = 0xf0f0ff00, source = 0xcccc0ff0, below = 0xaaaa3355;
    rgba_target(f);
    one(f, TWO_D, 0x290, 0);
    one(f, TWO_D, 0x2ac, 4); /* ROP */
    one(f, TWO_D, 0x2e8, 2);
    for (uint32_t second = 0; second < 2; second++) {
        METHOD(f, TWO_D, 0x2f0, second ? 0x12345678 : pattern, second ? pattern : 0x12345678);
        METHOD(f, TWO_D, 0x2f8, second ? UINT32_MAX : 0, second ? UINT32_MAX : 0);
        for (uint32_t code = 0; code < 256; code++) {
            memcpy(f->bytes, &below, 4);
            one(f, TWO_D, 0x2a0, code);
            METHOD(f, TWO_D, 0x800, 0, 0xd5);
            METHOD(f, TWO_D, 0x838, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0);
            run_one(f, TWO_D, 0x860, source);
            uint32_t expected = 0;
            for (int i = 0; i < 32; i++) {
                const uint32_t psd =
                    (pattern >> i & 1) << 2 | (source >> i & 1) << 1 | (below >> i & 1);
                expected |= (code >> psd & 1) << i;
            }
            if (word_at(f, 0) != expected)
                fail_msg("operation %02x: %08x instead of %08x", code, word_at(f, 0), expected);
        }
    }
    one(f, TWO_D, 0x2ac, 3); /* SRCCOPY: the code is ignored */
    upload(f, 1, 1, 0, 0, 1, 1);
    run(f);
    assert_int_equal(word_at(f, 0), 0xff000001);
    assert_int_equal(f->lines, 0);
}

/* ---- bilinear blits ---- */

/* A bilinear blit of 4x4 floats to 8x8: each result is the mean of the four floats around its
 * place. Beyond an edge the edge's floats are repeated. */
FIXTURE_TEST(test_bilinear) {
    enum { N = 4 };
    const uint64_t from = f->data + FROM;
    const uint32_t format[] = {0xe5, 1}; /* R32_FLOAT */
    float texel[N * N], got[4 * N * N];
    for (int i = 0; i < N * N; i++)
        texel[i] = (float)(i * i % 23);
    memcpy(f->bytes + FROM, texel, sizeof texel);
    method(f, TWO_D, 0x200, 2, format);
    METHOD(f, TWO_D, 0x214, 2 * N * 4, 2 * N, 2 * N, HIGH_LOW(f->data));
    method(f, TWO_D, 0x230, 2, format);
    METHOD(f, TWO_D, 0x244, N * 4, N, N, HIGH_LOW(from));
    one(f, TWO_D, 0x88c, 0x10);
    METHOD(f, TWO_D, 0x8b0, 0, 0, 2 * N, 2 * N, 0x80000000, 0, 0x80000000, 0, 0, 0, 0, 0);
    run(f);
    memcpy(got, f->bytes, sizeof got);
    for (int y = 0; y < 2 * N; y++)
        for (int x = 0; x < 2 * N; x++) {
            const double u = (x + 0.5) / 2 - 0.5, v = (y + 0.5) / 2 - 0.5;
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                const double bx = floor(u) + (k & 1), by = floor(v) + (k >> 1);
                const int tx = (int)fmin(fmax(bx, 0), N - 1), ty = (int)fmin(fmax(by, 0), N - 1);
                sum += texel[ty * N + tx] * (1 - fabs(u - bx)) * (1 - fabs(v - by));
            }
            assert_float_equal(got[y * 2 * N + x], (float)sum, 1e-5f);
        }
    assert_int_equal(f->lines, 0);
}

/* ---- nearest blits ---- */

enum { W = 23, H = 19, PITCH = 512, TO = 0x20000, ONE = 16 };

struct blit_case {
    uint32_t from, to;    /* formats */
    int32_t x, y, w, h;   /* place and size in the destination */
    int32_t du, dv, u, v; /* steps and corner, in sixteenths of a texel */
    uint32_t control, clip[4];
    bool linear; /* the destination is linear and the source tiled, or the reverse */
};

static int32_t source_at(const struct blit_case *c, bool vertical, int32_t i) {
    const int32_t step = vertical ? c->dv : c->du, corner = vertical ? c->v : c->u;
    const double at =
        (corner + (step < 0 ? ONE : 0)) / 16.0 + (i + (c->control & 1 ? 0 : 0.5)) * step / 16.0;
    return (int32_t)fmin(fmax(floor(at), 0), (vertical ? H : W) - 1);
}

static struct surface surface_of(uint32_t code, bool linear) {
    return SURFACE(format_from_color_code(code), W, H, 1, .is_3d = true, .linear = linear,
                   .pitch = PITCH, .tile_h = linear ? 0 : 1);
}

static void send_surface(struct fixture *f, uint32_t base, uint32_t code, bool linear,
                         uint64_t at) {
    METHOD(f, TWO_D, base, code, linear, linear ? 0 : 0x10, 1, 0, PITCH, W, H, HIGH_LOW(at));
}

static void send_fixed(uint32_t words[2], int32_t sixteenths) {
    words[0] = (uint32_t)sixteenths << 28;
    words[1] = (uint32_t)(sixteenths >> 4);
}

static void send_blit(struct fixture *f, const struct blit_case *c, uint64_t from, uint64_t to,
                      bool from_linear) {
    uint32_t blit[12] = {(uint32_t)c->x, (uint32_t)c->y, (uint32_t)c->w, (uint32_t)c->h};
    send_fixed(blit + 4, c->du);
    send_fixed(blit + 6, c->dv);
    send_fixed(blit + 8, c->u);
    send_fixed(blit + 10, c->v);
    send_surface(f, 0x200, c->to, c->linear, to);
    send_surface(f, 0x230, c->from, from_linear, from);
    method(f, TWO_D, 0x280, 4, c->clip);
    one(f, TWO_D, 0x290, c->clip[2] != 0);
    one(f, TWO_D, 0x88c, c->control);
    method(f, TWO_D, 0x8b0, 12, blit);
    run(f);
}

static bool is_drawn(const struct blit_case *c, int32_t x, int32_t y) {
    const int32_t cx = x - (int32_t)c->clip[0], cy = y - (int32_t)c->clip[1];
    const bool kept =
        !c->clip[2] || (cx >= 0 && cy >= 0 && cx < (int32_t)c->clip[2] && cy < (int32_t)c->clip[3]);
    return kept && x >= c->x && y >= c->y && x < c->x + c->w && y < c->y + c->h;
}

/* Computes the texel that pixel x, y must have after the blit. */
static void expect(const struct fixture *f, const struct blit_case *c, int32_t x, int32_t y,
                   uint8_t out[16]) {
    const struct surface from = surface_of(c->from, !c->linear);
    const uint32_t bytes = format_info(from.format)->bytes;
    const uint32_t u = (uint32_t)source_at(c, false, x - c->x) * bytes;
    const uint8_t *texel =
        f->bytes + surface_offset(&from, u, (uint32_t)source_at(c, true, y - c->y), 0);
    uint32_t rgba[4];
    memset(out, 0x5a, 16);
    if (!is_drawn(c, x, y))
        return;
    format_decode(from.format, texel, rgba);
    format_encode(format_from_color_code(c->to), rgba, out);
    if (c->from == c->to)
        memcpy(out, texel, bytes);
}

static void check_blit(struct fixture *f, const struct blit_case *c, size_t row) {
    const struct surface to = surface_of(c->to, c->linear);
    const uint32_t bytes = format_info(to.format)->bytes;
    for (uint32_t i = 0; i < TO; i++) {
        f->bytes[i] = (uint8_t)(i * 167 + i / 251);
        f->bytes[TO + i] = 0x5a;
    }
    send_blit(f, c, f->data, f->data + TO, !c->linear);
    for (int32_t y = 0; y < H; y++)
        for (int32_t x = 0; x < W; x++) {
            uint8_t want[16];
            expect(f, c, x, y, want);
            const uint64_t at = surface_offset(&to, (uint32_t)x * bytes, (uint32_t)y, 0);
            if (memcmp(want, f->bytes + TO + at, bytes) != 0)
                fail_msg("row %zu: pixel %d, %d", row, x, y);
        }
}

FIXTURE_TEST(test_nearest) {
    static const struct blit_case row[] = {
        {0xd5, 0xd5, 2, 3, 11, 7, 16, 16, 64, 32, 0, {0}, false},
        {0xd5, 0xd5, 2, 3, 11, 7, 16, 16, 64, 32, 0, {0}, true},
        {0xc0, 0xc0, 0, 0, W, H, 16, 16, 0, 0, 0, {0}, false},   /* 16 bytes */
        {0xf3, 0xf3, 5, 1, 17, 18, 16, 16, 16, 0, 0, {0}, true}, /* 1 byte */
        {0xca, 0xca, 1, 1, 9, 9, 32, 8, 0, 0, 0, {0}, false},    /* half and twice the size */
        {0xd5, 0xc0, 3, 0, 20, H, 16, 16, 0, 0, 0, {0}, true},   /* to floats */
        {0xc0, 0xcf, 3, 0, 20, H, 16, 16, 0, 0, 0, {0}, false},
        {0xca, 0xd5, 0, 2, 12, 9, 20, 13, 7, 90, 0, {0}, false},
        {0xe8, 0xd1, 0, 2, 12, 9, -16, 16, 176, 0, 0, {0}, false}, /* mirrored */
        {0xf3, 0xf3, 4, 4, 10, 10, -24, -8, 300, 200, 0, {0}, true},
        {0xf3, 0xf3, 0, 1, W, 9, -16, 16, (W - 1) * 16, 0, 0, {0}, true}, /* mirrored bytes */
        {0xe8, 0xe8, 1, 0, 19, H, -16, 16, (W - 2) * 16, 0, 0, {0}, true},
        {0xca, 0xca, 0, 0, W, H, -16, 16, (W - 1) * 16, 0, 0, {0}, true},
        {0xc0, 0xc0, 2, 0, 18, H, -16, 16, (W - 3) * 16, 0, 0, {0}, true},
        {0xd5, 0xcf, 0, 0, W, H, -16, 16, (W - 1) * 16, 0, 0, {0}, true},
        /* one source column for all pixels */
        {0xd5, 0xd5, 1, 1, 14, 12, 0, 16, 40, 8, 0, {0}, false},
        {0xd5, 0xd5, 1, 1, 14, 12, 16, 0, 40, 72, 0, {0}, true},
        /* the source place is a texel's corner */
        {0xd5, 0xcf, 4, 4, 15, 10, 16, 16, 0, 0, 1, {0}, false},
        /* with these steps the two origins (centre, corner) give different texels */
        {0xd5, 0xd5, 2, 1, 14, 12, 24, 24, 4, 4, 1, {0}, false},
        {0xd5, 0xd5, 2, 1, 14, 12, 24, 24, 4, 4, 0, {0}, false},
        /* from the last row upwards */
        {0xd5, 0xd5, 0, 0, W, H, 16, -16, 0, (H - 1) * 16, 0, {0}, false},
        {0xd5, 0xd5, 0, 0, W, H, -16, -16, (W - 1) * 16, (H - 1) * 16, 0, {0}, true},
        /* beyond the edges, which are repeated */
        {0xd5, 0xd5, 0, 0, W, H, 20, 16, 80, -48, 0, {0}, false},
        /* a step above 16 leaves out a texel, a step below 16 repeats one */
        {0xd5, 0xd5, 0, 0, W, H, 18, 16, 0, 0, 0, {0}, false},
        {0xd5, 0xd5, -4, -2, 30, 30, 16, 16, 0, 0, 0, {0}, false}, /* larger than the destination */
        {0xc6, 0xc6, 0, 0, W, H, 16, 16, 0, 0, 0, {4, 5, 6, 7}, false},
        {0xe6, 0xd5, 2, 0, 20, H, 16, 16, 0, 0, 0, {6, 0, 40, 4}, true},
        {0xd6, 0xcf, 2, 0, 20, H, 16, 16, 0, 0, 0, {0}, true},    /* sRGB */
        {0xe0, 0xc0, 2, 0, 20, H, 16, 16, 0, 0, 0, {0}, true},    /* packed floats */
        {0xe3, 0xe3, 0, 0, 9, 9, 16, 16, 0, 0, 0x10, {0}, false}, /* integers are not filtered */
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        check_blit(f, &row[i], i);
    assert_int_equal(f->lines, 0);
}

/* A source whose memory ends in its third row: texels behind the end are not read, and the pixels
 * of these texels keep their values. */
FIXTURE_TEST(test_short_source) {
    enum { LAST = 10, BYTES = 2 * PITCH + LAST * 4 };
    const struct blit_case c = {0xd5, 0xd5, 0, 0, W, H, 16, 16, 0, 0, 0, {0}, true};
    uint64_t extent;
    assert_non_null(memory_view(f->device->memory, f->data, &extent));
    const uint64_t from = extent - BYTES;
    memset(f->bytes + TO, 0x5a, PITCH * H);
    for (uint32_t i = 0; i < BYTES; i++)
        f->bytes[from + i] = (uint8_t)(i % 83);
    send_blit(f, &c, f->data + from, f->data + TO, true);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t i = 0; i < W * 4; i++) {
            const bool there = y < 2 || (y == 2 && i < LAST * 4);
            assert_int_equal(f->bytes[TO + y * PITCH + i], there ? (y * PITCH + i) % 83 : 0x5a);
        }
}

/* A blit with a linear filter from a source whose memory ends too early: some pixels are mixed from
 * texels inside memory and texels outside. */
FIXTURE_TEST(test_short_source_bilinear) {
    enum { LAST = 10, BYTES = 2 * PITCH + LAST * 4 };
    static const int32_t widths[] = {W, LAST, LAST - 1};
    uint64_t extent;
    assert_non_null(memory_view(f->device->memory, f->data, &extent));
    const uint64_t from = extent - BYTES;
    memset(f->bytes + from, 7, BYTES);
    for (int k = 0; k < 3; k++) {
        const struct blit_case c = {0xd5, 0xd5, 0, 0, widths[k], H, 16, 16, 8, 8, 0x10, {0}, true};
        memset(f->bytes + TO, 0x5a, PITCH * H);
        send_blit(f, &c, f->data + from, f->data + TO, true);
        for (uint32_t y = 0; y < H; y++)
            for (uint32_t x = 0; x < W; x++) {
                const bool there = (y == 0 || (y == 1 && x + 1 < LAST)) && x < (uint32_t)c.w;
                if (f->bytes[TO + y * PITCH + 4 * x] != (there ? 7 : 0x5a))
                    fail_msg("pixel %u, %u: %u", x, y, f->bytes[TO + y * PITCH + 4 * x]);
            }
    }
}

static int32_t below(uint32_t n) {
    return (int32_t)random_below(n);
}

/* A source of one colour gives this colour to every drawn pixel, at random places and scales,
 * mirrored or not, with either filter. */
FIXTURE_TEST(test_one_colour) {
    memset(f->bytes, 7, TO);
    for (int i = 0; i < 3000; i++) {
        struct blit_case c = {.from = 0xd5, .to = 0xd5, .linear = below(2)};
        const bool from_linear = below(4) != 0;
        c.x = below(40) - 10, c.y = below(40) - 10, c.w = below(30), c.h = below(30);
        c.du = below(81) - 40, c.dv = below(81) - 40, c.u = below(600) - 100,
        c.v = below(500) - 100;
        c.control = (below(2) ? 1 : 0) | (below(2) ? 0x10 : 0);
        if (below(2))
            for (int k = 0; k < 4; k++)
                c.clip[k] = (uint32_t)below(20) + k / 2;
        const struct surface to = surface_of(c.to, c.linear);
        memset(f->bytes + TO, 0x5a, TO);
        send_blit(f, &c, f->data, f->data + TO, from_linear);
        for (int32_t y = 0; y < H; y++)
            for (int32_t x = 0; x < W; x++) {
                const uint64_t at = surface_offset(&to, 4 * (uint32_t)x, (uint32_t)y, 0);
                if (word_at(f, TO + (uint32_t)at) != (is_drawn(&c, x, y) ? 0x07070707 : 0x5a5a5a5a))
                    fail_msg("blit %d: pixel %d, %d: %08x, control %x, step %d, from %d", i, x, y,
                             word_at(f, TO + (uint32_t)at), c.control, c.dv, c.v);
            }
    }
    assert_int_equal(f->lines, 0);
}

/* A single component counts as red, green and blue, unless source and destination have equal
 * formats. The operation with a factor keeps or drops components. */
FIXTURE_TEST(test_grey) {
    static const struct {
        uint32_t to, operation, factor, want;
    } rows[] = {{0xd5, 3, 0, 0xff5a5a5a},          {0xd5, 5, 0xffffffff, 0xff5a5a5a},
                {0xd5, 5, 0xffff0000, 0xff00005a}, {0xd5, 5, 0xff000000, 0xff000000},
                {0xd5, 5, 0x000000ff, 0x005a0000}, {0xd5, 3, 0, 0xff5a5a5a},
                {0xf3, 3, 0, 0x5a5a5a5a}};
    memset(f->bytes, 0x5a, TO);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct blit_case c = {0xf3, rows[i].to, 0, 0, W, H, 16, 16, 0, 0, 0, {0}, true};
        one(f, TWO_D, 0x2a8, rows[i].factor);
        one(f, TWO_D, 0x2ac, rows[i].operation);
        memset(f->bytes + TO, 0, TO);
        send_blit(f, &c, f->data, f->data + TO, true);
        assert_int_equal(word_at(f, TO + 4), rows[i].want);
    }
    assert_int_equal(f->lines, 0);
    one(f, TWO_D, 0x2a8, 0x80ffffff);
    one(f, TWO_D, 0x2ac, 5);
    const struct blit_case c = {0xf3, 0xd5, 0, 0, W, H, 16, 16, 0, 0, 0, {0}, true};
    send_blit(f, &c, f->data, f->data + TO, true);
    assert_non_null(strstr(f->last, "factor 80 is taken for ff"));
}

/* A copy to the right by one pixel within the same memory: each row is read completely before it is
 * written. */
FIXTURE_TEST(test_overlap) {
    const struct blit_case c = {0xd5, 0xd5, 1, 0, W - 1, H, 16, 16, 0, 0, 0, {0}, true};
    uint8_t before[PITCH * H];
    for (uint32_t i = 0; i < sizeof before; i++)
        f->bytes[i] = before[i] = (uint8_t)(i * 59 + i / 509);
    send_blit(f, &c, f->data, f->data, true);
    for (int y = 0; y < H; y++) {
        assert_memory_equal(f->bytes + y * PITCH, before + y * PITCH, 4);
        assert_memory_equal(f->bytes + y * PITCH + 4, before + y * PITCH, (W - 1) * 4);
        assert_memory_equal(f->bytes + y * PITCH + W * 4, before + y * PITCH + W * 4,
                            PITCH - W * 4);
    }
}

/* An upload whose condition is "never" does nothing. The 2D engine has its own condition. */
FIXTURE_TEST(test_condition_of_blits) {
    for (uint32_t mode = 0; mode < 2; mode++) {
        memset(f->bytes, 0, 64);
        rgba_target(f);
        one(f, TWO_D, 0x26c, mode);
        upload(f, 1, 1, 0, 0, 1, 1);
        run(f);
        assert_int_equal(word_at(f, 0), mode ? 0xff000001 : 0);
    }
}

/* ---- M2MF ---- */

/* A copy into block-linear memory in three pieces. Each piece continues behind the lines of the
 * piece before. */
FIXTURE_TEST(test_copies_in_pieces) {
    enum { LINE = 64, LINES = 30, TILED = 0x10000, BACK = 0x20000 };
    for (int i = 0; i < LINE * LINES; i++)
        f->bytes[i] = (uint8_t)(i * 5 + i / 64);
    for (int out = 1; out >= 0; out--) { /* to tiles, then back */
        const uint64_t from = f->data + (out ? 0 : TILED), to = f->data + (out ? TILED : BACK);
        one(f, M2MF, out ? 0x200 : 0x21c, 1);
        METHOD(f, M2MF, out ? 0x21c : 0x200, 0, 0x10, LINE, 64, 1, 0);
        one(f, M2MF, out ? 0x234 : 0x218, 7 << 16);
        for (uint32_t piece = 0; piece < 3; piece++) {
            const uint64_t at = piece * 10 * LINE;
            const uint64_t in = from + (out ? at : 0), into = to + (out ? 0 : at);
            const uint32_t high[] = {(uint32_t)(in >> 32), (uint32_t)(into >> 32)};
            const uint32_t low[] = {(uint32_t)in, (uint32_t)into, LINE, LINE, LINE, 10, 0x101, 0};
            method(f, M2MF, 0x238, 2, high);
            method(f, M2MF, 0x30c, 8, low);
        }
        run(f);
    }
    assert_memory_equal(f->bytes, f->bytes + BACK, LINE * LINES);
    /* the image is one tile wide, so a line is a row of the tile, and line 0 goes to row 7 */
    assert_memory_equal(f->bytes + TILED + 7 * LINE, f->bytes, LINE * LINES);
    /* 1024 tiles wide: column 0x9000 is in tile 576 of the first row of tiles, 256 bytes each */
    one(f, M2MF, 0x200, 1);
    METHOD(f, M2MF, 0x21c, 0, 0, 1 << 16, 4, 1, 0);
    one(f, M2MF, 0x234, 1 << 16 | 0x9000);
    METHOD(f, M2MF, 0x238, (uint32_t)(f->data >> 32), (uint32_t)(f->data >> 32));
    METHOD(f, M2MF, 0x30c, (uint32_t)f->data, (uint32_t)f->data + TILED, LINE, LINE, LINE, 2, 0x101,
           0);
    run(f);
    assert_memory_equal(f->bytes + TILED + 576 * 256 + 64, f->bytes, 2 * LINE);
    assert_int_equal(f->lines, 0);
}

/* Addresses have 40 bits: of the high word, the lowest eight bits count. */
TEST_WITH(test_copies_far_away, setup_far, teardown) {
    static const uint64_t far[] = {UINT64_C(0x0110000000), UINT64_C(0x0280010000),
                                   UINT64_C(0x0830000000), UINT64_C(0x0f00000000)};
    for (uint32_t i = 0; i < LENGTH(far); i++)
        if (!memory_alloc_at(f->memory, far[i], 4096))
            skip(); /* the process cannot have so much address space */
    for (uint32_t i = 0; i < 16; i++) {
        const uint64_t from = far[i / 4], to = far[i % 4] + 128;
        uint8_t *const source = memory_at(f->memory, from, 64), *const there =
                                                                    memory_at(f->memory, to, 64);
        memset(source, (int)i + 1, 64);
        one(f, M2MF, 0x200, 1);
        one(f, M2MF, 0x21c, 1);
        METHOD(f, M2MF, 0x238, 0xabcdef00 | (uint32_t)(from >> 32),
               0x12345600 | (uint32_t)(to >> 32));
        METHOD(f, M2MF, 0x30c, (uint32_t)from, (uint32_t)to, 64, 64, 64, 1, 0x101, 0);
        run(f);
        assert_int_equal(there[63], i + 1);
        assert_memory_equal(there, source, 64);
    }
    assert_int_equal(f->lines, 0);
}
