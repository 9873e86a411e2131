/* g[] of Fermi programs, which is the GPU's whole memory, and surface instructions (fermi-isa.md
 * §4.4, §6.7): addresses in and out of allocations, windows, atomics; images in blocks and in
 * lines, their edges and layers; helper pixels, which never store. */
#include "base/surface.h"
#include "shader/stepper.h"
#include "tests/shader/fermi_stage.h"

enum { SPACE = 1 << 20, AT = 0x10000, IMAGE = 0x20000, LINES = 0x30000, W = 24, H = 21 };

static struct gpu_memory *memory;

static void open_memory(void) {
    memory = memory_create(SPACE, -1);
    assert_non_null(memory);
    assert_true(memory_alloc_at(memory, AT, 0x100));
    assert_true(memory_alloc_at(memory, IMAGE, 0x4000));
    assert_true(memory_alloc_at(memory, LINES, 0x1000));
}

static uint32_t word_at(uint64_t address) {
    uint32_t v;
    memcpy(&v, memory_at(memory, address, 4), 4);
    return v;
}

static void open_text(struct fermi_stage *s, enum simd_level level, bool native,
                      enum program_type type, const char *text, lane_mask helpers) {
    static const struct image_view images[WARP_IMAGES] = {
        {IMAGE, FORMAT_RGBA8_UNORM, W, H, false, 2},
        {LINES, FORMAT_R32_UINT, 0x80, 3, true, 0},
        {IMAGE, FORMAT_RGBA32_UINT, 4, 8, false, 1},
    };
    header_begin(s->header, type);
    struct program *p = stage_program(s, type, text, NULL, 0, 0);
    open_memory();
    stage_start(s, level, native, p, LANES_ALL, helpers);
    s->env.memory = memory;
    s->env.image = images;
    s->w->r[0] = lanes_iota();
}

static void run_text(struct fermi_stage *s, enum simd_level level, bool native,
                     enum program_type type, const char *text, lane_mask helpers) {
    open_text(s, level, native, type, text, helpers);
    stage_run(s);
}

static void close_all(struct fermi_stage *s) {
    stage_close(s);
    memory_destroy(memory);
}

TEST(test_memory) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        run_text(&s, level, native, PROGRAM_VP,
                 "shl b32 $r2 $r0 clamp 0x3\n"
                 "add b32 $r2 $r2 0x10000\n"
                 "mov b32 $r3 0x0\n"
                 "mul $r4 u32 $r0 u32 0x7\n"
                 "add b32 $r5 $r4 0x1\n"
                 "st b64 wb g[$r2d] $r4d\n"
                 "ld b32 $r6 ca g[$r2d+0x4]\n"
                 "ld b32 $r7 ca g[$r2]\n"
                 "mov b32 $r8 0x10000\n"
                 "mov b32 $r9 0x0\n"
                 "mov b32 $r12 0x2\n"
                 "ld add u32 $r10 g[$r8d] $r12\n"
                 "red max u32 g[$r8d+0x4] $r0\n"
                 "mov b32 $r14 0xff000000\n"
                 "st b32 wb g[$r14] $r0\n" /* l[0] */
                 "ld b32 $r16 ca l[0x0]\n"
                 "mov b32 $r15 0x0\n"
                 "st b32 wb g[$r14d] $r4\n" /* in no window and not allocated */
                 "ld b32 $r17 ca l[0x0]\n"
                 "exit\n",
                 0);
        assert_true(s.program->header.writes_memory);
        for (int lane = 0; lane < LANES; lane++) {
            assert_int_equal(s.w->r[6][lane], lane * 7 + 1);
            assert_int_equal(s.w->r[7][lane], lane * 7);
            assert_int_equal(s.w->r[10][lane], lane * 2);
            assert_int_equal(s.w->r[16][lane], lane);
            assert_int_equal(s.w->r[17][lane], lane);
            if (lane)
                assert_int_equal(word_at(AT + 8 * (uint64_t)lane), lane * 7);
        }
        assert_int_equal(word_at(AT), 64);
        assert_int_equal(word_at(AT + 4), 31);
        assert_int_equal(s.w->stats.bad_writes, LANES);
        close_all(&s);
    }
}

/* A stepping session has memory of its own: executing the program again and again does not change
 * the real memory. compute: the program has no header that says that it writes memory. */
static void step_through(bool compute) {
    struct fermi_stage s;
    open_text(&s, simd_best(), false, PROGRAM_VP,
              "mov b32 $r8 0x10000\nmov b32 $r9 0x0\nmov b32 $r12 0x2\n"
              "ld add u32 $r10 g[$r8d] $r12\nld b32 $r11 ca g[$r8d]\nexit\n",
              0);
    struct attribute_rows *const rows = s.program->rows;
    if (compute) {
        s.program->rows = NULL;
        s.program->header.writes_memory = false;
    }
    struct stepper *t = stepper_create(s.w, &s.env);
    assert_non_null(t);
    for (int round = 0; round < 3; round++) {
        while (stepper_status(t) == WARP_RUNNING)
            stepper_step(t);
        for (int lane = 0; lane < LANES; lane++)
            assert_int_equal(stepper_warp(t)->r[10][lane], lane * 2);
        assert_int_equal(stepper_warp(t)->r[11][0], 2 * LANES);
        assert_int_equal(word_at(AT), 0);
        stepper_goto(t, 0);
    }
    stepper_destroy(t);
    s.program->rows = rows;
    stage_run(&s);
    assert_int_equal(word_at(AT), 2 * LANES);
    close_all(&s);
}

TEST(test_stepping) {
    step_through(false);
    step_through(true);
}

/* Accesses reach the last word of an allocation; accesses behind it read 0 and store nothing. */
TEST(test_limits) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        run_text(&s, level, native, PROGRAM_VP,
                 "mov b32 $r2 0x100f0\nmov b32 $r3 0x0\nmov b32 $r4 0x5\nmov b32 $r5 0x6\n"
                 "st b64 wb g[$r2d+0x8] $r4d\nst b64 wb g[$r2d+0x10] $r4d\n"
                 "ld b128 $r8q ca g[$r2d]\nld b32 $r12 ca g[$r2d+0x10]\n"
                 "ld add u32 $r13 g[$r2d+0x10] $r4\nmov b32 $r3 0x1\nld b32 $r14 ca g[$r2d]\n"
                 "exit\n",
                 0);
        assert_int_equal(s.w->r[10][5], 5);
        assert_int_equal(s.w->r[11][5], 6);
        for (int r = 12; r < 15; r++)
            assert_int_equal(s.w->r[r][3], 0);
        close_all(&s);
    }
}

/* Helper pixels neither store nor take part in atomics; they have l[] of their own. */
TEST(test_helpers) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        run_text(&s, level, native, PROGRAM_FP,
                 "shl b32 $r2 $r0 clamp 0x2\nadd b32 $r2 $r2 0x10000\nmov b32 $r3 0x0\n"
                 "set $p0 0x1 lt u32 $r0 0x2\n$p0 discard\n"
                 "add b32 $r4 $r0 0x64\n"
                 "st b32 wb g[$r2d] $r4\n"
                 "st b32 wb l[0x4] $r4\nld b32 $r5 ca l[0x4]\n"
                 "mov b32 $r6 0x10080\nmov b32 $r7 0x0\nmov b32 $r8 0x1\n"
                 "ld add u32 $r9 g[$r6d] $r8\n"
                 "mov b32 $r10 0x0\n"
                 "sustb wb zero img[0x1] 1d $r10 b32 $r0\n"
                 "exit\n",
                 0xf0000000);
        for (int lane = 0; lane < LANES; lane++) {
            const bool writes = lane >= 2 && lane < 28;
            assert_int_equal(word_at(AT + 4 * (uint64_t)lane), writes ? lane + 100 : 0);
            assert_int_equal(s.w->r[5][lane], lane + 100);
        }
        assert_int_equal(word_at(AT + 0x80), 26);
        assert_int_equal(word_at(LINES), 27);
        close_all(&s);
    }
}

static uint64_t texel_at(uint32_t x, uint32_t y) {
    const struct surface s = {
        .format = FORMAT_RGBA8_UNORM, .width = W, .height = H, .depth = 1, .tile_h = 2};
    return IMAGE + surface_offset(&s, 4 * x, y, 0);
}

/* Lane n writes the texel (n, n) converted to the image's format, and reads it back raw. */
TEST(test_image) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        run_text(&s, level, native, PROGRAM_FP,
                 "mov b32 $r1 $r0\n"
                 "mov b32 $r4 0x3f800000\nmov b32 $r5 0x0\nmov b32 $r6 0x3f000000\n"
                 "mov b32 $r7 0xbf800000\n"
                 "sustp wb zero img[0x0] 2d $r0:$r1 $r4:$r5:$r6:$r7\n"
                 "shl b32 $r2 $r0 clamp 0x2\nmov b32 $r3 $r0\n"
                 "suldb b32 $r8 ca zero img[0x0] 2d $r2:$r3\n"
                 "suldb u8 $r9 ca zero img[0x0] 2d $r2:$r3\n"
                 "suldb b32 $r10 ca clamp img[0x0] 2d $r2:$r3\n"
                 "suleab $p0 $r12d b32 zero img[0x0] 2d $r2:$r3\n"
                 "mov b32 $r14 0x10\n"
                 "(not $p0) ld add u32 $r15 g[$r12d] $r14\n"
                 "selp b32 $r16 $r14 0x0 $p0\n"
                 "mov b32 $r20 0x9\n"
                 "suldb b32 $r17 ca zero img[$r20] 2d $r2:$r3\n" /* image 9 does not exist */
                 "exit\n",
                 0);
        for (int lane = 0; lane < LANES; lane++) {
            const bool in = lane < H;
            const uint32_t pixel = 0x008000ff;
            assert_int_equal(s.w->r[8][lane], in ? pixel : 0);
            assert_int_equal(s.w->r[9][lane], in ? 0xff : 0);
            assert_int_equal(s.w->r[16][lane], in ? 0 : 16);
            assert_int_equal(s.w->r[17][lane], 0);
            if (!in)
                continue;
            assert_int_equal(s.w->r[10][lane], pixel);
            assert_int_equal(s.w->r[15][lane], pixel);
            const uint64_t at = s.w->r[12][lane] | (uint64_t)s.w->r[13][lane] << 32;
            assert_int_equal(at, texel_at((uint32_t)lane, (uint32_t)lane));
            assert_int_equal(word_at(at), pixel + 16);
        }
        close_all(&s);
    }
}

/* Images in lines: the width is in bytes, the third coordinate of e2d counts 256 bytes, accesses of
 * one and four words. */
TEST(test_lines_and_layers) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        run_text(&s, level, native, PROGRAM_VP,
                 "and b32 $r2 $r0 0x3\nshl b32 $r2 $r2 clamp 0x2\nmov b32 $r3 0x2\n"
                 "mov b32 $r4 $r0\n"
                 "set $p0 0x1 lt u32 $r0 0x4\n"
                 "$p0 sustb wb zero img[0x1] e2d $r2:$r3:$r4 b32 $r0\n"
                 "mov b32 $r8 0x7c\nmov b32 $r9 0x0\n"
                 "suldb b32 $r10 ca zero img[0x1] 2d $r8:$r9\n"
                 "mov b32 $r8 0x80\n"
                 "suldb b32 $r11 ca zero img[0x1] 2d $r8:$r9\n"
                 "mov b32 $r12 0x10\nmov b32 $r13 0x3\n"
                 "sustb wb zero img[0x2] 2d $r12:$r13 b128 $r8q\n"
                 "suldb b128 $r16q ca zero img[0x2] 2d $r12:$r13\n"
                 "exit\n",
                 0);
        for (uint32_t lane = 1; lane < 4; lane++)
            assert_int_equal(word_at(LINES + lane * 256 + 2 * 0x80 + lane * 4), lane);
        assert_int_equal(s.w->stats.bad_reads, LANES); /* at 0x80, the width */
        for (int k = 0; k < 4; k++)
            assert_memory_equal(&s.w->r[16 + k], &s.w->r[8 + k], sizeof s.w->r[0]);
        assert_int_equal(word_at(IMAGE + 3 * 64 + 16), 0x80);
        close_all(&s);
    }
}

/* Without memory and without images, every access is outside. */
TEST(test_none) {
    FOR_EACH_ENGINE(level, native) {
        struct fermi_stage s;
        header_begin(s.header, PROGRAM_VP);
        stage_open(&s, level, native, PROGRAM_VP,
                   "sustp wb trap img[0x0] 2d $r0:$r1 $r4:$r5:$r6:$r7\n"
                   "suldb b128 $r8q ca clamp img[0x0] 3d $r0:$r1:$r2\n"
                   "suleab $p0 $r12d b32 zero img[0x0] 1d $r2\n"
                   "st b32 wb g[$r0d] $r1\nld b32 $r3 ca g[$r0d]\nexit\n");
        stage_run(&s);
        assert_int_equal(s.w->fermi.p[0], LANES_ALL);
        stage_close(&s);
    }
}
