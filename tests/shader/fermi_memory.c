/* Memory of Fermi's compute programs: locks and their owners, accesses of every width, pairs of
 * loads.
 * tests/shader/programs has windows and atomics. */
#include "tests/shader/job.h"

/* A lock of g[] belongs to one warp of the grid. No later block, and no other warp of the same
 * block, opens or takes it. */
TEST(test_owners) {
    enum {
        BLOCKS = 4 * 3 * 2,
        WARPS = 2
    }; /* several blocks in each direction, so that a wrong block number shows */
    static uint32_t locks[WARP_LOCKS];
    for (unsigned first = 0; first < BLOCKS * WARPS; first++) {
        uint32_t out[BLOCKS * WARPS + 1] = {0};
        char text[640];
        snprintf(
            text, sizeof text,
            "mov b32 $r0 $tidx\nshr u32 $r0 $r0 clamp 0x5\nmov b32 $r1 $ctaidx\nshl b32 $r1 $r1 clamp 0x1\n"
            "add b32 $r0 $r0 $r1\nmov b32 $r1 $ctaidy\nshl b32 $r1 $r1 clamp 0x3\nadd b32 $r0 $r0 $r1\n"
            "mov b32 $r1 $ctaidz\nmul $r1 u32 $r1 u32 0x18\nadd b32 $r0 $r0 $r1\n"
            "shl b32 $r2 $r0 clamp 0x2\nmov b32 $r3 %u\nmov b32 $r4 0x8000000\n"
            "set $p1 0x1 ge u32 $r0 $r3\nset $p2 0x1 gt u32 $r0 $r3\n(not $p1) exit\n"
            "$p2 st unlock b32 g[$r4+0xc0] $r0\nld lock b32 $p0 $r5 g[$r4+0xc0]\n"
            "selp b32 $r6 0x0 0x1 not $p0\nadd b32 $r2 $r2 0x8000000\nld add u32 $r7 g[$r2] $r6\nexit\n",
            first);
        memset(locks, 0, sizeof locks);
        JOB(j, case_program(PROGRAM_CP, ISA_GF100, text), simd_best(), (uint16_t[]){4, 3, 2},
            (uint16_t[]){32 * WARPS, 1, 1});
        bind(&j, 0, out, sizeof out);
        j.env.locks = locks;
        job_succeeds(&j);
        for (unsigned i = 0; i < BLOCKS * WARPS; i++)
            if ((out[i] != 0) != (i == first))
                fail_msg("taken by warp %u, then by %u", first, i);
    }
}

/* Locks belong to words: the bytes of a word share one lock; a warp may hold the locks of
 * neighbouring words at once. */
TEST(test_words_of_locks) {
    static uint32_t locks[WARP_LOCKS];
    static const char *const spaces[] = {"g", "s"};
    for (int i = 0; i < 2 * 12; i++) {
        const unsigned first = 0x40 + i / 2 % 4,
                       at = (unsigned[]){0x3f, 0x40, 0x41, 0x42, 0x43, 0x44}[i / 2 % 6];
        const char *space = spaces[i & 1];
        char text[256];
        uint32_t words[64] = {0};
        snprintf(
            text, sizeof text,
            "mov b32 $r4 0x%x\nld lock b32 $p0 $r5 %s[$r4+0x%x]\nld lock b32 $p1 $r5 %s[$r4+0x%x]\n"
            "st unlock b32 %s[$r4+0x%x] $r5\nld lock b32 $p2 $r5 %s[$r4+0x%x]\nexit\n",
            i & 1 ? 0 : 0x8000000, space, first, space, at, space, at, space, at);
        memset(locks, 0, sizeof locks);
        CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, 1, text);
        c.env.locks = locks;
        c.g[0] = (struct global_view){.data = (uint8_t *)words, .limit = sizeof words};
        case_run(&c);
        if (!(c.w->fermi.p[0] & 1) || (c.w->fermi.p[1] & 1) != (at / 4 != first / 4) ||
            !(c.w->fermi.p[2] & 1))
            fail_msg("%s[0x%x], %s[0x%x]: %u %u %u", space, first, space, at, c.w->fermi.p[0],
                     c.w->fermi.p[1], c.w->fermi.p[2]);
    }
}

/* Accesses of 4, 8 and 16 bytes, with addresses of 32 and 64 bits and offsets of both signs: each
 * lane accesses words of its own, and no other words change. */
TEST(test_wide_accesses) {
    static const char *const addresses[] = {"g[$r2+0x10]", "g[$r2+-0x10]", "g[$r2d+0x10]",
                                            "g[$r2d+-0x10]", "g[$r2d]"};
    static const int offsets[] = {0x10, -0x10, 0x10, -0x10, 0};
    FOR_EACH_LEVEL(level)
    for (int n = 0; n < 15; n++) {
        const unsigned words = 1u << n / 5;
        const char *const suffix = words == 4   ? "q"
                                   : words == 2 ? "d"
                                                : "",
                          *const at = addresses[n % 5];
        char text[256];
        uint32_t memory[LANES * 4 + 16];
        snprintf(text, sizeof text, "ld b%u $r8%s ca %s\nst b%u wb %s $r4%s\nexit\n", 32 * words,
                 suffix, at, 32 * words, at, suffix);
        CASE_AT(c, level, PROGRAM_CP, ISA_GF100, 0xfffffffd, text); /* all lanes but lane 1 */
        c.g[0] = (struct global_view){.data = (uint8_t *)memory, .limit = sizeof memory};
        for (unsigned i = 0; i < LANES * 4 + 16; i++)
            memory[i] = 0x1000 + i;
        c.w->r[2] = lanes_iota() * (4 * words) + (uint32_t)(0x8000010 - offsets[n % 5]);
        for (unsigned k = 0; k < 4; k++)
            c.w->r[4 + k] = lanes_iota() + 0x100 * (k + 1);
        case_run(&c);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned k = 0; k < words; k++) {
                const unsigned word = 4 + lane * words + k;
                if (lane != 1 && (c.w->r[8 + k][lane] != 0x1000 + word ||
                                  memory[word] != lane + 0x100 * (k + 1)))
                    fail_msg("%s, lane %u, word %u: %x, %x", text, lane, k, c.w->r[8 + k][lane],
                             memory[word]);
                if (lane == 1)
                    assert_int_equal(memory[word], 0x1000 + word);
            }
        assert_int_equal(memory[3], 0x1003);
        assert_int_equal(memory[4 + LANES * words], 0x1000 + 4 + LANES * words);
        assert_int_equal(c.w->stats.bad_reads + c.w->stats.bad_writes, 0);
    }
}

/* A pair of loads reads both addresses before it writes a register: each load may write the base of
 * the other, and the second load's result remains if both write one register. */
TEST(test_pairs) {
    static const struct {
        const char *text;
        uint32_t r1, r2;
    } rows[] = {
        {"ld b32 $r1 s[$r2] ldu b32 $r2 g[$r1]\nexit\n", 0x100, 0x200},
        {"ld b32 $r1 s[$r2] ldu b32 $r5 g[$r1]\nexit\n", 0x100, 8},
        {"ld b32 $r5 s[$r2] ldu b32 $r2 g[$r1]\nexit\n", 0x8000004, 0x200},
        {"ld b32 $r1 s[$r2] ldu b32 $r1 g[$r1]\nexit\n", 0x200, 8},
    };
    FOR_EACH_LEVEL(level)
    for (size_t i = 0; i < LENGTH(rows); i++) {
        static uint32_t global[4] = {0, 0x200};
        static const uint32_t shared = 0x100;
        CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, rows[i].text);
        memcpy(c.shared + 8, &shared, sizeof shared);
        c.g[0] = (struct global_view){.data = (uint8_t *)global, .limit = sizeof global};
        c.w->r[1] = lanes_splat(0x8000004);
        c.w->r[2] = lanes_splat(8);
        case_run(&c);
        if (c.w->r[1][5] != rows[i].r1 || c.w->r[2][5] != rows[i].r2)
            fail_msg("%s: $r1 is %x, $r2 is %x", rows[i].text, c.w->r[1][5], c.w->r[2][5]);
    }
}
