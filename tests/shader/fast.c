/* The fast arithmetic (shader/alu/fast.h): its accuracy compared with doubles, its results at the
 * ends of the range, and the programs that use it. docs/fast.md states the limits. differential.c
 * and native_code.c test that all levels and engines give the same bits. */
#include "shader/alu/fast.h"
#include "tests/shader/alu_fixture.h"

#include <math.h>

typedef u32x32 function(u32x32 v);

static u32x32 sine(u32x32 v) {
    return fast_sin(v, false);
}

static u32x32 cosine(u32x32 v) {
    return fast_sin(v, true);
}

static float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* f is called through a volatile pointer, so that the compiler cannot move its arithmetic past the
 * mode changes. */
static uint32_t value(function *volatile f, float argument) {
    const unsigned before = fp_mode();
    uint32_t bits;
    memcpy(&bits, &argument, sizeof bits);
    fp_set_mode(FP_PLAIN | FP_FLUSH);
    const u32x32 r = f(lanes_splat(bits));
    fp_set_mode(before);
    return r[0];
}

/* The largest error for arguments from first to last, which have one sign. The error is relative to
 * the result, or absolute. Every vector of arguments near both ends is tried, and about 1.5 million
 * values between. */
static double error(function *volatile f, double exact(double), float first, float last,
                    bool relative) {
    const unsigned before = fp_mode();
    uint32_t from, to;
    double worst = 0;
    memcpy(&from, &first, sizeof from);
    memcpy(&to, &last, sizeof to);
    const uint32_t step = (to - from) / 1500000 + 1;
    fp_set_mode(FP_PLAIN | FP_FLUSH);
    for (uint32_t v = from; v <= to; v += LANES * (v - from < 1000 || to - v < 1000 ? 1 : step)) {
        const u32x32 x = lanes_splat(v) + lanes_iota(), r = f(x);
        for (int i = 0; i < LANES && x[i] <= to; i++) {
            const double e = exact(as_float(x[i]));
            const double d = fabs(as_float(r[i]) - e) / (relative ? fabs(e) : 1);
            if (!(d <= worst) && !(d == 0))
                worst = d;
        }
    }
    fp_set_mode(before);
    return worst;
}

static double reciprocal(double v) {
    return 1 / v;
}

static double reciprocal_root(double v) {
    return 1 / sqrt(v);
}

static void expect_error(const char *name, double is, double limit) {
    if (!(is <= limit))
        fail_msg("%s: error 2^%.2f, more than 2^%.2f", name, log2(is), log2(limit));
}

TEST(test_reciprocals) {
    expect_error("rcp", error(fast_rcp, reciprocal, 0x1p-126f, 0x1p126f, true), 0x1p-24);
    expect_error("rsqrt", error(fast_rsqrt, reciprocal_root, 0x1p-126f, 0x1.fffffep127f, true),
                 0x1.8p-23);
}

TEST(test_powers_and_logarithms) {
    expect_error("ex2", error(fast_ex2, exp2, 0x1p-126f, 0x1.fffffep6f, true), 0x1p-22);
    expect_error("ex2 of negative numbers", error(fast_ex2, exp2, -0x1p-126f, -126.0f, true),
                 0x1p-22);
    expect_error("lg2 near 1", error(fast_lg2, log2, 0.5f, 2.0f, false), 0x1p-22);
    expect_error("lg2 below", error(fast_lg2, log2, 0x1p-126f, 0.5f, true), 0x1p-22);
    expect_error("lg2 above", error(fast_lg2, log2, 2.0f, 0x1.fffffep127f, true), 0x1p-22);
}

TEST(test_sines) {
    expect_error("sin", error(sine, sin, 0x1p-126f, 1000.0f, false), 0x1p-22);
    expect_error("sin of negative numbers", error(sine, sin, -0x1p-126f, -1000.0f, false), 0x1p-22);
    expect_error("cos", error(cosine, cos, 0x1p-126f, 1000.0f, false), 0x1p-22);
    expect_error("cos of negative numbers", error(cosine, cos, -0x1p-126f, -1000.0f, false),
                 0x1p-22);
    expect_error("sin far away", error(sine, sin, 1000.0f, 0x1p18f, false), 0x1p-20);
    expect_error("cos far away", error(cosine, cos, 1000.0f, 0x1p18f, false), 0x1p-20);
    for (float v = 1; v < 0x1p127f; v *= 1.37f) {
        assert_true(fabsf(as_float(value(sine, v))) <= 1);
        assert_true(fabsf(as_float(value(cosine, v))) <= 1);
    }
}

/* Programs rely on these values being exact. */
TEST(test_exact_values) {
    assert_int_equal(value(cosine, 0), F32_ONE);
    assert_int_equal(value(cosine, -0.0f), F32_ONE);
    assert_int_equal(value(sine, 0), 0);
    for (int i = -126; i < 128; i++) {
        assert_int_equal(value(fast_ex2, (float)i), (uint32_t)(127 + i) << 23);
        assert_true(as_float(value(fast_lg2, ldexpf(1, i))) == (float)i);
        assert_true(as_float(value(fast_rcp, ldexpf(1, i))) == (i > 126 ? 0 : ldexpf(1, -i)));
    }
}

TEST(test_ends_of_the_range) {
    static const struct {
        function *f;
        float argument;
        uint32_t want;
    } ends[] = {
        {fast_rcp, 0, F32_INF},
        {fast_rcp, -0.0f, F32_SIGN | F32_INF},
        {fast_rcp, 0x1p-130f, F32_INF},
        {fast_rcp, INFINITY, 0},
        {fast_rcp, -0x1p127f, F32_SIGN},
        {fast_rcp, NAN, F32_NAN},
        {fast_rsqrt, 0, F32_INF},
        {fast_rsqrt, -0.0f, F32_SIGN | F32_INF},
        {fast_rsqrt, -1, F32_NAN},
        {fast_rsqrt, INFINITY, 0},
        {fast_rsqrt, NAN, F32_NAN},
        {fast_lg2, 0, F32_SIGN | F32_INF},
        {fast_lg2, 0x1p-140f, F32_SIGN | F32_INF},
        {fast_lg2, -1, F32_NAN},
        {fast_lg2, INFINITY, F32_INF},
        {fast_lg2, NAN, F32_NAN},
        {fast_ex2, 128, F32_INF},
        {fast_ex2, 1e30f, F32_INF},
        {fast_ex2, INFINITY, F32_INF},
        {fast_ex2, -127, 0},
        {fast_ex2, -126.5f, 0},
        {fast_ex2, -1e30f, 0},
        {fast_ex2, -INFINITY, 0},
        {fast_ex2, NAN, F32_NAN},
        {sine, INFINITY, F32_NAN},
        {sine, NAN, F32_NAN},
        {cosine, -INFINITY, F32_NAN},
    };
    for (size_t i = 0; i < LENGTH(ends); i++)
        if (value(ends[i].f, ends[i].argument) != ends[i].want)
            fail_msg("end %zu: %08x, not %08x", i, value(ends[i].f, ends[i].argument),
                     ends[i].want);
}

/* ---- programs ---- */

/* $r7 = $r4 * $r5 + $r6 at every level. */
static void expect_mad(bool fast, uint32_t mode, const uint32_t operand[3], uint32_t want) {
    struct program *p = program_of(LONG_W0(0xe) | S2_R5, LONG_W1(0), ISA_G200);
    struct inputs in;
    assert_non_null(p);
    if (fast)
        program_set_fast(p);
    for (int i = 0; i < 3 * LANES; i++)
        in.s[i / LANES][i % LANES] = operand[i / LANES];
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        run(p, (enum simd_level)simd, mode, LANES_ALL, fill_three, &in);
        assert_int_equal(warp->r[7][5], want);
    }
    program_unref(p);
}

/* (1 + 2^-12)^2 - 1 - 2^-11 is 2^-24; truncation of the product loses it. */
TEST(test_products_are_not_truncated) {
    static const uint32_t operand[] = {0x3f800800, 0x3f800800, 0xbf801000};
    expect_mad(false, 0, operand, 0);
    expect_mad(true, 0, operand, 0x33800000);
}

/* With MODE_MUL_ZERO_WINS the product of zero and infinity is zero. */
TEST(test_zero_wins) {
    static const uint32_t operand[] = {0, F32_INF, F32_ONE};
    expect_mad(true, MODE_MUL_ZERO_WINS, operand, F32_ONE);
    expect_mad(true, 0, operand, F32_NAN);
}

#if defined(FP_FLUSHES_LATE)
enum { FERMI_FLUSHES = true };
#else
enum { FERMI_FLUSHES = false };
#endif

/* Exact arithmetic remains in programs that keep denormals, and in a Fermi's programs on hosts that
 * flush results before they round them. */
TEST(test_programs_that_stay_exact) {
    static const struct {
        enum isa_variant variant;
        const char *text;
        bool fast;
    } programs[] = {
        {ISA_GT215, "rcp f32 $r0 $r1\nexit nop\n", true},
        {ISA_GF100, "rcp f32 $r0 $r1\nexit\n", FERMI_FLUSHES},
        {ISA_GF100, "add rn f32 $r0 $r1 $r2\nrcp f32 $r0 $r1\nexit\n", false},
        {ISA_G64, "RCP R0, R1\nEXIT\n", false},
    };
    for (size_t i = 0; i < LENGTH(programs); i++) {
        struct program *p = made_of_text(PROGRAM_CP, programs[i].variant, programs[i].text);
        program_set_fast(p);
        bool fast = false;
        for (uint32_t k = 0; k < p->word_count; k++)
            fast |= p->ops[k].fast;
        if (fast != programs[i].fast)
            fail_msg("program %zu: %s", i, fast ? "fast" : "exact");
        program_unref(p);
    }
}
