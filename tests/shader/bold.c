/* Bold code: fmad without tests for rare values. A run of bold code counts only if the host's flags
 * say that no rare value came up (docs/native.md). The rules tested here: results and counts are
 * the interpreter's, for common values, for every combination of rare values, and where runs often
 * have to be repeated; a program with fmad gets bold code after some warps. */
#define CASE_REGISTERS 16
#include "tests/shader/warp_case.h"

enum { INPUTS = 3, RESULTS = 3 };

static void open_case(struct warp_case *c, struct native *native, enum simd_level level,
                      const char *text) {
    case_open_at(c, level, PROGRAM_VP, ISA_GT215, LANES_ALL, text);
    c->program->header.local_size = c->w->local_size = 0; /* programs with l[] have no bold code */
    c->env.native = native;
    c->env.budget = 0;
    warp_keep(c->w, &c->env, false);
}

#define LOADS "mov b32 $r0 a[0x0]\nmov b32 $r1 a[0x4]\nmov b32 $r2 a[0x8]\n"
#define STORES "mov b32 o[0x0] $r3\nmov b32 o[0x4] $r4\nmov b32 o[0x8] $r5\nexit nop\n"

/* The third text saturates a result; saturation has a stencil of its own (fmad_bold_sat). Products
 * by powers of two need no truncation, by 3 they do. Maxima and minima with known numbers are
 * shorter, but for those with denormals and with zeros of the other sign. A known term that is not
 * zero has a stencil, too; known zeros and denormals do not. */
static const char *const texts[] = {
    LOADS "add f32 $r3 (mul $r0 $r1) $r2\n"
          "add f32 $r4 (mul $r0 $r1) $r1\n"
          "add f32 $r5 (mul $r2 $r1) neg $r0\n" STORES,
    LOADS "add f32 $r3 (mul $r0 $r1) $r2\n"
          "mov b32 $r4 $r0\n"
          "mov b32 $r5 $r1\n" STORES,
    LOADS "add f32 $r3 (mul $r0 $r1) $r1\n"
          "add f32 $r4 (mul $r0 $r1) $r2\n"
          "add sat f32 $r5 (mul $r2 $r1) $r0\n" STORES,
    LOADS "mov b32 $r6 0xbf000000\n"
          "mov b32 $r3 $r2\n"
          "add f32 $r3 (mul $r0 0x40000000) $r3\n"
          "add f32 $r4 (mul $r6 $r1) $r2\n"
          "add sat f32 $r5 (mul $r2 $r6) $r1\n" STORES,
    LOADS "mov b32 $r6 0xc2000000\n"
          "mov b32 $r3 $r2\n"
          "add f32 $r3 (mul $r0 0x3e000000) $r3\n"
          "add f32 $r4 (mul $r1 $r6) $r2\n"
          "mov b32 $r5 $r0\n"
          "add f32 $r5 (mul $r1 0x40400000) $r5\n" STORES,
    LOADS "mov b32 $r6 0xbf000000\n"
          "mov b32 $r7 0x00000000\n"
          "max f32 $r3 $r0 $r6\n"
          "max f32 $r4 $r7 $r1\n"
          "min f32 $r5 $r7 $r2\n"
          "add f32 $r3 (mul $r3 $r2) $r1\n" STORES,
    LOADS "mov b32 $r6 0x80000000\n"
          "mov b32 $r7 0x00000001\n"
          "min f32 $r3 $r0 $r6\n"
          "max f32 $r4 $r1 $r6\n"
          "max f32 $r5 $r2 $r7\n"
          "add f32 $r3 (mul $r3 $r2) $r1\n" STORES,
    LOADS "mov b32 $r6 0x3f000000\n"
          "min f32 $r3 $r6 $r0\n"
          "set $r4 l f32 $r0 $r1\n"
          "set $r5 geu f32 $r1 $r2\n"
          "add f32 $r3 (mul $r3 $r2) $r1\n" STORES,
    LOADS "mov b32 $r6 0xbf19999a\n"
          "mov b32 $r3 0x40490fdb\n"
          "add f32 $r3 (mul $r0 $r1) $r3\n"
          "add f32 $r4 (mul $r0 $r2) neg $r6\n"
          "add sat f32 $r5 (mul $r2 $r1) $r6\n" STORES,
    LOADS "mov b32 $r6 0x80000000\n"
          "mov b32 $r7 0x00000001\n"
          "mov b32 $r3 0x00000000\n"
          "add f32 $r3 (mul $r0 $r1) $r3\n"
          "add f32 $r4 (mul $r0 $r2) neg $r7\n"
          "add sat f32 $r5 (mul $r2 $r1) $r6\n" STORES,
};
enum { TEXTS = LENGTH(texts) };

/* Runs both cases on the same inputs, and compares results and counts. */
static void run_both(struct warp_case *c, struct warp_case *reference, const u32x32 in[INPUTS]) {
    memcpy(c->attr, in, INPUTS * sizeof *in);
    memcpy(reference->attr, in, INPUTS * sizeof *in);
    assert_int_equal(warp_launch(c->w, &c->env, LANES_ALL, 0), WARP_DONE);
    assert_int_equal(warp_launch(reference->w, &reference->env, LANES_ALL, 0), WARP_DONE);
    for (int i = 0; i < RESULTS; i++)
        for (int lane = 0; lane < LANES; lane++)
            if (c->out[i][lane] != reference->out[i][lane])
                fail_msg("o[%d]: %08x * %08x + %08x: %08x, not %08x", 4 * i, in[0][lane],
                         in[1][lane], in[2][lane], c->out[i][lane], reference->out[i][lane]);
    assert_int_equal(c->w->stats.lane_instructions, reference->w->stats.lane_instructions);
    assert_int_equal(c->w->executed, reference->w->executed);
}

/* Random floats of either sign, from 2^-8 to 2^8. */
static u32x32 common_row(void) {
    u32x32 v;
    for (int lane = 0; lane < LANES; lane++)
        v[lane] = (random_word() & 0x807fffff) | (119 + random_word() % 16) << 23;
    return v;
}

static void run_common(struct warp_case *c, struct warp_case *reference, int times) {
    for (int i = 0; i < times; i++)
        run_both(c, reference, (u32x32[]){common_row(), common_row(), common_row()});
}

static uint64_t bytes_of(struct native *native) {
    struct native_statistics s;
    native_get_statistics(native, &s);
    return s.bytes;
}

/* Opens both cases at a level. Returns false in a build without native code. */
static bool open_both(struct warp_case *c, struct warp_case *reference, enum simd_level level,
                      const char *text) {
    struct native *const native = test_native_get(level);
    if (!native)
        return false;
    open_case(c, native, level, text);
    open_case(reference, NULL, level, text);
    return true;
}

TEST(test_code_is_made) {
    struct warp_case c, reference;
    if (simd_best() < SIMD_AVX2 || !open_both(&c, &reference, SIMD_AVX2, texts[0]))
        skip();
    const uint64_t before = bytes_of(c.env.native);
    run_common(&c, &reference, 1000);
    assert_true(bytes_of(c.env.native) > before);
    case_close(&c);
    case_close(&reference);
}

/* A repeated run costs credit, so common values between the rare ones keep bold code in use. */
TEST(test_rare_values) {
    static const uint32_t rare[] = {0,          0x80000000, 0x00000001, 0x807fffff, 0x00800000,
                                    0x0d800001, 0x98c00001, 0x25800001, 0x3f800000, 0xbf800001,
                                    0x60000001, 0x71ffffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                    0x7fffffff, 0xffc00000, 0x7f800001};
    enum { COUNT = LENGTH(rare), BETWEEN = 17 };
    for (int n = 0; n < TEXTS * ((int)simd_best() + 1); n++) {
        struct warp_case c, reference;
        if (!open_both(&c, &reference, (enum simd_level)(n / TEXTS), texts[n % TEXTS]))
            skip();
        run_common(&c, &reference, 100);
        for (int i = 0; i < COUNT * COUNT * COUNT; i++) {
            const u32x32 a = lanes_splat(rare[i % COUNT]), b = lanes_splat(rare[i / COUNT % COUNT]),
                         d = lanes_splat(rare[i / COUNT / COUNT]);
            run_both(&c, &reference, (u32x32[]){a, b, d});
            run_common(&c, &reference, BETWEEN);
        }
        case_close(&c);
        case_close(&reference);
    }
}

/* In one half of the rounds, one lane of one input has random bits. In some, all lanes do, so that
 * bold code is given up; then common values follow until bold code is tried again. */
TEST(test_often_repeated) {
    for (int n = 0; n < TEXTS * ((int)simd_best() + 1); n++) {
        struct warp_case c, reference;
        if (!open_both(&c, &reference, (enum simd_level)(n / TEXTS), texts[n % TEXTS]))
            skip();
        for (int i = 0; i < 20000; i++) {
            u32x32 in[INPUTS] = {common_row(), common_row(), common_row()};
            if (i % 2000 < 1000)
                in[random_word() % INPUTS][random_word() % LANES] = random_word();
            for (int k = 0; i % 4000 < 200 && k < INPUTS * LANES; k++)
                in[k / LANES][k % LANES] = random_word();
            run_both(&c, &reference, in);
        }
        case_close(&c);
        case_close(&reference);
    }
}
