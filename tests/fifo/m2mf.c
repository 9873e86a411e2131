/* Copies of the M2MF engine: pitches, tiles, the end of memory. */
#include "base/surface.h"
#include "fifo/engine.h"
#include "pipeline/context_private.h"
#include "tests/fifo/fixture.h"
#include "tests/shapes.h"

#include <time.h>

enum { SIDE = 16, FROM = 0x40000 };

FIXTURE_TEST(test_copies) {
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
    f->device->work_limit = 8; /* eight lines of 64 bytes */
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        const bool in = i & 1;
        const uint64_t from = f->data + FROM, to = f->data;
        memset(f->bytes, 0, FROM);
        memset(f->bytes + FROM, (int)i + 1, FROM);
        one(f, M2MF, 0x200, !in);
        one(f, M2MF, 0x21c, in);
        METHOD(f, M2MF, in ? 0x204 : 0x220, rows[r].mode, 128, 64, rows[r].depth, rows[r].slice, 0);
        METHOD(f, M2MF, 0x238, (uint32_t)(from >> 32), (uint32_t)(to >> 32));
        METHOD(f, M2MF, 0x30c, (uint32_t)from, (uint32_t)to, 128, 128, rows[r].length,
               rows[r].lines, rows[r].format, 0);
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

/* The last line of a copy may end at the end of memory: it needs its length, not its pitch. */
FIXTURE_TEST(test_copies_at_the_end) {
    enum { PITCH = 100, LENGTH = 10, LINES = 3, NEED = (LINES - 1) * PITCH + LENGTH };
    const uint64_t end = f->data + memory_extent(f->memory, f->data);
    for (int in = 0; in < 2; in++)
        for (uint32_t back = NEED - 1; back <= NEED + 1; back++) {
            const uint64_t there = end - back, from = in ? there : f->data,
                           to = in ? f->data : there;
            memset(memory_at(f->memory, to, back < NEED ? back : NEED), 0,
                   back < NEED ? back : NEED);
            memset(memory_at(f->memory, from, back < NEED ? back : NEED), 7,
                   back < NEED ? back : NEED);
            one(f, M2MF, 0x200, 1);
            one(f, M2MF, 0x21c, 1);
            METHOD(f, M2MF, 0x238, (uint32_t)(from >> 32), (uint32_t)(to >> 32));
            METHOD(f, M2MF, 0x30c, (uint32_t)from, (uint32_t)to, PITCH, PITCH, LENGTH, LINES, 0x101,
                   0);
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

/* Tiles of any height and depth, in any slice, as source and as destination. */
FIXTURE_TEST(test_tiles_of_copies) {
    enum { WIDTH = 128, HEIGHT = 300, DEPTH = 3, X = 60, Y = 130, LENGTH = 9, LINES = 5 };
    for (uint32_t i = 0; i < 6 * 6 * DEPTH * 2; i++) {
        const uint32_t h = i % 6, d = i / 6 % 6, slice = i / 36 % DEPTH;
        const bool in = i / 36 / DEPTH;
        const struct surface s = SURFACE(FORMAT_R8_UNORM, WIDTH, HEIGHT, DEPTH,
                                         .tile_h = (uint8_t)h, .tile_d = (uint8_t)d, .is_3d = true);
        enum { TILED = 4096 };
        if (TILED + surface_layer_bytes(&s) > DATA_BYTES)
            continue;
        const uint32_t tiled[6] = {h << 4 | d << 8, WIDTH, HEIGHT, DEPTH, slice, Y << 16 | X};
        const uint64_t from = f->data + (in ? TILED : 0), to = f->data + (in ? 0 : TILED);
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
        METHOD(f, M2MF, 0x238, (uint32_t)(from >> 32), (uint32_t)(to >> 32));
        METHOD(f, M2MF, 0x30c, (uint32_t)from, (uint32_t)to, LENGTH, LENGTH, LENGTH, LINES, 0x101,
               0);
        assert_string_equal(complaint(f), "");
        for (uint32_t k = 0; k < LENGTH * LINES; k++)
            if (f->bytes[in ? k
                            : TILED + surface_offset(&s, X + k % LENGTH, Y + k / LENGTH, slice)] !=
                line[k])
                fail_msg("tiles %u, %u, slice %u, %s: byte %u", h, d, slice, in ? "in" : "out", k);
    }
    for (uint32_t mode = 0x60; mode < 0x1000; mode += 0x10) { /* unknown block shapes */
        char text[64];
        if ((mode >> 4 & 15) <= 5 && mode >> 8 <= 5)
            continue;
        one(f, M2MF, 0x200, 1);
        one(f, M2MF, 0x21c, 0);
        METHOD(f, M2MF, 0x220, mode, WIDTH, HEIGHT, 1, 0, 0);
        one(f, M2MF, 0x328, 0);
        snprintf(text, sizeof text, "TILING_MODE_OUT (0220): tile mode %x, slice 0 of 1", mode);
        assert_non_null(strstr(complaint(f), text));
    }
}
