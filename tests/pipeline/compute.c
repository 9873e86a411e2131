/* tp_dispatch: blocks on several threads give the results of one thread. Also bound ranges, limits,
 * and failures that the caller gets. */
#include "tests/pipeline/fixture.h"

static struct tp_device_info on_g200(int threads) {
    return (struct tp_device_info){.chip = TP_CHIP_G200, .threads = threads};
}

static tp_buffer *bind_buffer(struct fixture *f, unsigned slot, const void *data, size_t size) {
    tp_buffer *b = fixture_buffer(f, size, data);
    OK(f, tp_bind_global(f->context, slot, b, 0, size));
    return b;
}

/* Blocks on different threads add to the same counters. */
TEST(test_histogram) {
    enum { N = 100000 };
    uint8_t *data = malloc(N);
    uint32_t expected[256] = {0}, counts[256];
    for (uint32_t i = 0; i < N; i++) {
        data[i] = (uint8_t)(i * i >> 7);
        expected[data[i]]++;
    }
    for (int threads = 1; threads <= 5; threads += 2) {
        tp_program *p;
        FIXTURE_DEVICE(f, on_g200(threads));
        OK(&f, tp_program_from_file(f.device, "demos/programs/compute/histogram.cp", &p));
        OK(&f, tp_bind_program(f.context, TP_COMPUTE, p));
        bind_buffer(&f, 0, data, N);
        tp_buffer *out = bind_buffer(&f, 1, NULL, 1024);
        const uint32_t grid[2] = {40, 1}, block[3] = {96, 1, 1}, size = N;
        OK(&f, tp_dispatch(f.context, grid, block, &size, 1));
        OK(&f, tp_finish(f.context));
        OK(&f, tp_buffer_read(f.context, out, 0, counts, sizeof counts));
        assert_memory_equal(counts, expected, sizeof expected);
        struct tp_statistics s;
        OK(&f, tp_get_statistics(f.context, &s));
        assert_int_equal(s.compute_warps, 40 * 3);
        assert_int_equal(s.bad_reads + s.bad_writes, 0);
        tp_program_destroy(p);
    }
    free(data);
}

/* Every block reads its own number. Stores beyond the bound range are dropped and counted. */
TEST(test_block_ids_and_limits) {
    FIXTURE_DEVICE(f, on_g200(3));
    fixture_bind(&f, TP_COMPUTE,
                 "mov b32 $r1 u16 s[0xe]\nmov b32 $r2 u16 s[0x8]\n"
                 "mul $r1 u16 $r1l u16 $r2l\nmov b32 $r3 u16 s[0xc]\n"
                 "add b32 $r1 $r1 $r3\nmov b32 $r2 $r1\nshl b32 $r1 $r1 2\n"
                 "st b32 g5[$r1] $r2\nexit nop\n");
    tp_buffer *out = bind_buffer(&f, 5, NULL, 4 * 60);
    const uint32_t grid[2] = {9, 7}, block[3] = {1, 1, 1};
    OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
    uint32_t words[60];
    OK(&f, tp_buffer_read(f.context, out, 0, words, sizeof words));
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(words[i], i);
    struct tp_statistics s;
    OK(&f, tp_get_statistics(f.context, &s));
    assert_int_equal(s.bad_writes, 3);
}

/* The constants of a grid lie in a new buffer at the address of a smaller one that is gone. Nothing
 * is drawn. */
TEST(test_constants_come_and_go) {
    static const uint32_t grid[2] = {1, 1}, block[3] = {1, 1, 1};
    static uint32_t words[1024];
    for (uint32_t i = 0; i < 1024; i++)
        words[i] = i + 1;
    FIXTURE_DEVICE(f, on_g200(1));
    fixture_bind(&f, TP_COMPUTE,
                 "ld $r1 b32 c1[0x400]\nmov b32 $r0 0x0\nst b32 g0[$r0] $r1\nexit nop\n");
    tp_buffer *out = bind_buffer(&f, 0, NULL, 256);
    uint64_t address = 0;
    for (uint32_t size = 256; size <= 4096; size *= 4) {
        tp_buffer *b;
        uint32_t word;
        OK(&f, tp_buffer_create(f.device, size, words, &b));
        assert_true(!address || tp_buffer_address(b) == address);
        address = tp_buffer_address(b);
        OK(&f, tp_bind_constants(f.context, TP_COMPUTE, 1, b, 0, size));
        OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
        OK(&f, tp_bind_constants(f.context, TP_COMPUTE, 1, NULL, 0, 0));
        tp_buffer_destroy(b);
        OK(&f, tp_buffer_read(f.context, out, 0, &word, sizeof word));
        assert_int_equal(word, size > 1024 ? 257 : 0);
    }
}

TEST(test_failures) {
    FIXTURE_DEVICE(f, on_g200(2));
    const uint32_t grid[2] = {3, 1}, block[3] = {32, 1, 1}, large[3] = {600, 1, 1},
                   none[2] = {0, 1};
    assert_int_equal(tp_dispatch(f.context, grid, block, NULL, 0), TP_ERROR_INVALID);
    fixture_bind(&f, TP_COMPUTE, "long nop\ntrap\nlong nop\n");
    assert_int_equal(tp_dispatch(f.context, grid, large, NULL, 0), TP_ERROR_INVALID);
    assert_int_equal(tp_dispatch(f.context, none, block, NULL, 0), TP_ERROR_INVALID);
    OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(f.device), "TRAP_INSTRUCTION"));
    assert_non_null(strstr(tp_message(f.device), "test"));
    OK(&f, tp_finish(f.context)); /* the failure is reported once */
}

/* Blocks 0 to 3 take long and block 3 fails; all later blocks fail at once, at another instruction.
 * Block 3's failure is reported, even if another thread failed earlier. */
TEST(test_lowest_failure_is_told) {
    char first[256] = "";
    for (int threads = 1; threads <= 4; threads++) {
        FIXTURE_DEVICE(f, on_g200(threads));
        fixture_bind(&f, TP_COMPUTE,
                     "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 3\nmov b32 $r3 20000\nmov b32 $r4 1\n"
                     "sub b32 $c0 # $r1 $r2\n(g $c0) bra #quick\n"
                     "loop: sub b32 $c1 $r3 $r3 $r4\n(lg $c1) bra #loop\n"
                     "(e $c0) bra #slow\nexit nop\nquick: long trap\nslow: long trap\n");
        const uint32_t grid[2] = {64, 1}, block[3] = {32, 1, 1};
        OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
        assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
        if (threads == 1)
            snprintf(first, sizeof first, "%s", tp_message(f.device));
        assert_non_null(strstr(tp_message(f.device), "TRAP_INSTRUCTION at 0x58"));
        assert_string_equal(tp_message(f.device), first);
    }
}

/* Fermi's and generic64's textures: each thread samples one texel of 4 by 4; red is x, green is
 * y. */
static const char fermi_textures[] =
    "mov b32 $r0 $laneid\nmov b32 $r6 0x0\nand b32 $r4 $r0 0x3\nshr u32 $r5 $r0 clamp 0x2\n"
    "and b32 $r5 $r5 0x3\ntexfetch p llod all $r8:$r9:#:# t2d $t0 $s0 $r4:$r5 $r6\n"
    "cvt rn f32 $r4 s32 $r4\ncvt rn f32 $r5 s32 $r5\nmov b32 $r1 0x3e800000\n" /* 1/4, 1/8 */
    "mov b32 $r2 0x3e000000\nfma rn f32 $r4 $r4 $r1 $r2\nfma rn f32 $r5 $r5 $r1 $r2\n"
    "tex p lzero all dall $r10:$r11:#:# t2d $t0 $s0 $r4:$r5 ()\nand b32 $r7 $r0 0x1\n"
    "tex p lzero off all dall $r12:#:#:# t2d $t0 $s0 $r4:$r5 $r7\n"
    "texquery p all $r13:#:#:# tdims $t0 $s0 $r6 0x0\n"
    "mov b32 $r16 0x3f800000\nmov b32 $r17 0x0\nmov b32 $r18 0x0\nmov b32 $r19 0x3f800000\n"
    "texgrad p all $r14:#:#:# t2d $t0 $s0 $r4:$r5 $r16:$r17:$r18:$r19\nshl b32 $r0 $r0 clamp 0x5\n"
    "st b64 wb g[$r0+0x8000000] $r8d\nst b64 wb g[$r0+0x8000008] $r10d\n"
    "st b64 wb g[$r0+0x8000010] $r12d\nst b32 wb g[$r0+0x8000018] $r14\nexit\n";
static const char g64_textures[] =
    "S2R R0, LANE\nMOVI R6, 0\nAND R4, R0, 3\nSHR.U R5, R0, 2\nAND R5, R5, 3\n"
    "TXF.2D R8, R4, R6, 0:0:3\nI2F R4, R4\nI2F R5, R5\nFMUL R4, R4, 0.25\nFMUL R5, R5, 0.25\n"
    "FADD R4, R4, 0.125\nFADD R5, R5, 0.125\nTXL.2D R10, R4, R6, 0:0:3\nTEX.2D R12, R4, R0, 0:0:1\n"
    "MOVI R1, 0\nMOVHI R1, 0x20\nSHL R0, R0, 5\nADD R0, R0, R1\n"
    "STG.64 [R0], R8\nSTG.64 [R0+8], R10\nSTG [R0+16], R12\nEXIT\n";

/* True if v is the number n / 255. */
static bool is_byte(float v, int n) {
    const float d = v * 255 - (float)n;
    return d > -1e-4f && d < 1e-4f;
}

static void check_texels(const float *texel, bool g64) {
    for (int i = 0; i < 32; i++, texel += 8) {
        const int x = i & 3, y = i >> 2 & 3, moved = x + (i & 1) < 3 ? x + (i & 1) : 3;
        uint32_t size;
        memcpy(&size, &texel[5], 4);
        assert_true(is_byte(texel[0], x) && is_byte(texel[1], y));
        assert_true(is_byte(texel[2], x) && is_byte(texel[3], y));
        assert_true(is_byte(texel[4], g64 ? x : moved));
        if (g64)
            continue;
        assert_int_equal(size, 4);
        assert_true(is_byte(texel[6], 9)); /* derivatives as wide as the texture: the last level */
    }
}

TEST(test_textures) {
    static const char *const engines[] = {"interp", NULL};
    uint8_t texels[4][4][4] = {0}, last[4] = {9}, middle[2][2][4] = {0};
    for (int i = 0; i < 16; i++) {
        texels[i / 4][i % 4][0] = (uint8_t)(i % 4);
        texels[i / 4][i % 4][1] = (uint8_t)(i / 4);
    }
    for (int i = 0; i < 4; i++) {
        const bool g64 = i & 1;
        const struct tp_texture_info image = {
            .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 4, .height = 4, .levels = 3};
        const struct tp_sampler_info sampler = {
            .wrap = {TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE, TP_WRAP_CLAMP_TO_EDGE},
            .mip = TP_MIP_NEAREST};
        const uint32_t grid[2] = {1, 1}, block[3] = {32, 1, 1};
        float out[32 * 8] = {0};
        FIXTURE_DEVICE(f, (struct tp_device_info){.chip = g64 ? TP_CHIP_G64 : TP_CHIP_GF100,
                                                  .engine = engines[i / 2]});
        tp_texture *t = fixture_texture(&f, &image);
        OK(&f, tp_texture_write(f.context, t, 0, 0, texels, 16));
        OK(&f, tp_texture_write(f.context, t, 1, 0, middle, 8));
        OK(&f, tp_texture_write(f.context, t, 2, 0, last, 4));
        OK(&f, tp_bind_texture(f.context, TP_COMPUTE, 0, t, &sampler));
        fixture_bind(&f, TP_COMPUTE, g64 ? g64_textures : fermi_textures);
        tp_buffer *b = bind_buffer(&f, 0, out, sizeof out);
        OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
        OK(&f, tp_finish(f.context));
        OK(&f, tp_buffer_read(f.context, b, 0, out, sizeof out));
        check_texels(out, g64);
    }
}

/* Locks of g[] work between blocks on several threads: no addition is lost. */
TEST(test_global_locks) {
    const uint32_t grid[2] = {64, 1}, block[3] = {64, 1, 1};
    uint32_t sum[4] = {0};
    FIXTURE_DEVICE(f, (struct tp_device_info){.chip = TP_CHIP_GF100, .threads = 4});
    fixture_bind(&f, TP_COMPUTE,
                 "mov b32 $r0 $tidx\nand b32 $r0 $r0 0x3\nshl b32 $r0 $r0 clamp 0x2\n"
                 "again: ld lock b32 $p0 $r1 g[$r0+0x8000000]\nadd b32 $r1 $r1 0x1\n"
                 "$p0 st unlock b32 g[$r0+0x8000000] $r1\n(not $p0) bra #again\nexit\n");
    tp_buffer *b = bind_buffer(&f, 0, sum, sizeof sum);
    OK(&f, tp_dispatch(f.context, grid, block, NULL, 0));
    OK(&f, tp_finish(f.context));
    OK(&f, tp_buffer_read(f.context, b, 0, sum, sizeof sum));
    for (int i = 0; i < 4; i++)
        assert_int_equal(sum[i], 64 * 64 / 4);
}
