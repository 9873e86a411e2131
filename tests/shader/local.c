/* Clearing of l[]: a warp notes the rows that it writes, and only these are cleared for the next
 * warp. */
#include "shader/local.h"
#include "tests/shader/warp_case.h"

#include <string.h>

enum { ROWS = 0x4000 };

static u32x32 *row;

static void run(enum isa_variant variant, const char *text, uint32_t rows) {
    CASE_AT(c, simd_best(), PROGRAM_CP, variant, LANES_ALL, text);
    c.w->local = row;
    c.w->local_size = 4 * rows;
    case_run(&c);
    local_clear(c.w, rows);
    for (uint32_t i = 0; i < rows; i++)
        for (int lane = 0; lane < LANES; lane++)
            if (row[i][lane])
                fail_msg("row %u, lane %d of %u rows is %x", i, lane, rows, row[i][lane]);
    for (uint32_t i = 0; i < LOCAL_DIRTY_WORDS; i++)
        assert_true(!c.w->local_dirty[i]);
}

/* Stores of all sizes: to one address in all lanes, to different addresses, and to the last
 * bytes of l[]. */
TEST(test_cleared) {
    static const char *const programs[] = {
        "mov b32 $r1 5\nst b32 l[0x0] $r1\nexit nop\n",
        "mov b32 $r1 5\nst b32 l[0x7c] $r1\nst u8 l[0x83] $r1\nexit nop\n",
        "mov b32 $r0 1\nmov b32 $r1 2\nmov b32 $r2 3\nst b64 l[0x78] $r0d\nexit nop\n",
        "mov b32 $r0 1\nmov b32 $r3 4\nst b128 l[0x30] $r0q\nexit nop\n",
        "mov b32 $r1 0xffff\nshl $a1 $r0 7\nst b32 l[$a1] $r1\nst u16 l[$a1+0x42] $r1\nexit nop\n",
        "mov b32 $r1 77\nshl $a1 $r0 11\nst b32 l[$a1+0x7fc] $r1\nexit nop\n",
        "mov b32 $r1 9\nst b32 l[0xfffc] $r1\nst u8 l[0xffff] $r1\nexit nop\n",
    };
    static const char *const fermi[] = {
        "mov b32 $r1 0x5\nst b32 wb l[0x0] $r1\nexit\n",
        "mov b32 $r3 0x5\nst b128 wb l[0x1030] $r0q\nexit\n",
        "and b32 $r2 $r0 0x3\nshl b32 $r2 $r2 clamp 0x7\nst b64 wb l[$r2+0x80] $r0d\nexit\n",
        "shl b32 $r2 $r0 clamp 0x7\nst b32 wb l[$r2+0x40] $r0\nst u8 wb l[$r2+0x1f] $r0\nexit\n",
    };
    static const uint32_t rows[] = {1, 15, 16, 17, 100, ROWS};
    for (size_t r = 0; r < LENGTH(rows); r++) {
        row = local_alloc(rows[r]);
        assert_non_null(row);
        for (size_t i = 0; i < LENGTH(programs); i++)
            run(ISA_G200, programs[i], rows[r]);
        for (size_t i = 0; i < LENGTH(fermi); i++)
            run(ISA_GF100, fermi[i], rows[r]);
        local_free(row, rows[r]);
    }
}

/* Rows that a warp did not write are not cleared: of the 64 KiB a lane, one group of rows is
 * cleared. */
TEST(test_only_what_was_written) {
    CASE(c, PROGRAM_CP, "mov b32 $r1 5\nst b32 l[0x1000] $r1\nexit nop\n");
    c.w->local = row = local_alloc(ROWS);
    c.w->local_size = 4 * ROWS;
    case_run(&c);
    memset(row, 0xee, sizeof *row); /* no instruction wrote this row, so the row stays */
    local_clear(c.w, ROWS);
    assert_int_equal(row[0][3], 0xeeeeeeee);
    assert_int_equal(row[0x400][3], 0);
    local_free(row, ROWS);
}
