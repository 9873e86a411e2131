/* Sums, products, integers and moves against references in plain scalar integers, at every SIMD
 * level; all levels against each other on random words of every arithmetic instruction. */
#include "tests/shader/alu_fixture.h"

/* ---- fadd, fmul, fmad ---- */

TEST(test_fadd) {
    struct inputs in;
    uint32_t want[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool truncate = n & 1;
        random_inputs(&in);
        for (int i = 0; i < LANES; i++) {
            if (i & 1) /* near cancellation */
                in.s[2][i] = in.s[0][i] ^ (0x80000000u | (random_word() & 3));
            want[i] = reference_add(in.s[0][i], in.s[2][i], truncate);
        }
        expect(LONG_W0(0xb) | (truncate ? 3u << 16 : 0), LONG_W1(0), ISA_G80, 0, &in, want);
    }
}

TEST(test_fmul) {
    struct inputs in;
    uint32_t want[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool truncate = n & 1, zero_wins = n & 2;
        random_inputs(&in);
        for (int i = 0; i < LANES; i++)
            want[i] = reference_mul(in.s[0][i], in.s[1][i], truncate, zero_wins);
        expect(LONG_W0(0xc) | S2_R5, (LONG_W1(0) & ~(127u << 14)) | (truncate ? 3u << 14 : 0),
               ISA_G80, zero_wins ? MUL_ZERO_WINS : 0, &in, want);
    }
}

/* An addend that nearly cancels the product, or that makes a sum near 2^-126. */
static uint32_t addend_near(uint32_t a, uint32_t b) {
    uint32_t p = reference_mul(a, b, true, false);
    return is_nan(p) ? random_f32() : p ^ (0x80000000u | (random_word() & 7));
}

static void mad_case(struct inputs *in, int i, unsigned kind) {
    if (kind == 1) { /* ordinary values only */
        for (int k = 0; k < 3; k++)
            in->s[k][i] = (in->s[k][i] & 0x87ffffff) | 0x38000000;
    } else if (kind == 2) { /* products and sums about 2^-126 */
        in->s[0][i] = (in->s[0][i] & 0x80ffffff) | 0x20000000;
        in->s[1][i] = (in->s[1][i] & 0x80ffffff) | 0x1f800000;
        in->s[2][i] = (in->s[2][i] & 0x80ffffff) | 0x00800000;
    } else if (kind == 3) {
        in->s[2][i] = addend_near(in->s[0][i], in->s[1][i]);
    }
}

TEST(test_fmad) {
    struct inputs in;
    uint32_t want[LANES];
    for (int n = 0; n < 4 * ROUNDS; n++) {
        const bool zero_wins = n & 4;
        random_inputs(&in);
        for (int i = 0; i < LANES; i++) {
            mad_case(&in, i, n & 8 ? n & 3 : random_word() & 3);
            want[i] = reference_mad(in.s[0][i], in.s[1][i], in.s[2][i], zero_wins);
        }
        expect(LONG_W0(0xe) | S2_R5, LONG_W1(0), ISA_G80, zero_wins ? MUL_ZERO_WINS : 0, &in, want);
        /* $c is not written and no operand has a modifier: the handler for plain registers runs */
        expect(LONG_W0(0xe) | S2_R5, LONG_W1(0) & ~0x40u, ISA_G80, zero_wins ? MUL_ZERO_WINS : 0,
               &in, want);
    }
}

/* Operands and results in bits. The rows show where the product is truncated, the grid of results
 * below 2^-126, and the unbounded exponent of the product. */
TEST(test_fmad_edges) {
    static const uint32_t edge[][4] = {
        {0x3f800001, 0x3f800001, 0x3f800000, 0x40000001},
        {0x3fffffff, 0x3fffffff, 0xc07fffff, 0xb4800000}, /* 4 - 2^-21 + 2^-46; 2^-46 is cut off */
        {0x7f000000, 0x40800000, 0xff7fffff, 0x7f800000},
        {0x7f000000, 0x40000000, 0xff000000, 0x7f000000}, /* a product of 2^128 is no infinity */
        {0x7f000000, 0x7f000000, 0xff800000, 0xff800000},
        {0x20000000, 0x9f000000, 0x00800000, 0x00000000}, /* 3/4 of 2^-126 */
        {0x1a000000, 0x99800000, 0x00800000, 0x00800000}, /* 2^-126 - 2^-151 */
        {0x1a000000, 0x9a000000, 0x00800000, 0x00800000}, /* 2^-126 - 2^-150: the tie */
        {0x1a000000, 0x9a800000, 0x00800000, 0x00000000}, /* 2^-126 - 2^-149 */
        {0x80000000, 0x3f800000, 0x80000000, 0x80000000},
        {0x00000000, 0x7f800000, 0x3f800000, 0x7fffffff},
        {0x3f800001, 0x3f800003, 0x80000000, 0x3f800004}, /* a zero addend: product rounded */
    };
    struct inputs in;
    uint32_t want[LANES];
    for (size_t n = 0; n < LENGTH(edge); n++) {
        for (int i = 0; i < LANES; i++) {
            for (int k = 0; k < 3; k++)
                in.s[k][i] = edge[n][k];
            want[i] = edge[n][3];
        }
        expect(LONG_W0(0xe) | S2_R5, LONG_W1(0), ISA_G80, 0, &in, want);
    }
}

/* ---- integers ---- */

/* Expects value and flags ($c0) of a long instruction at every level. */
static void expect_flags(uint32_t w0, uint32_t w1, const struct inputs *in, const uint32_t *want,
                         const uint8_t *flags) {
    expect(w0, w1, ISA_G80, 0, in, want); /* leaves the flags of the best level */
    for (unsigned i = 0; i < LANES; i++) {
        const unsigned got = flags_of_lane(&warp->c[0], i);
        if (got != flags[i])
            fail_msg("%08x %08x: %08x %08x %08x gives flags %x, not %x", w0, w1, in->s[0][i],
                     in->s[1][i], in->s[2][i], got, flags[i]);
    }
}

static uint8_t flags_of(uint32_t v, bool carry, bool overflow) {
    return (uint8_t)((v == 0) | (v >> 31) << 1 | carry << 2 | overflow << 3);
}

enum { ADD, SUB, SUBR, ADDC };

static uint32_t reference_iadd(uint32_t x, uint32_t y, int kind, bool sat, uint8_t *flags) {
    x = kind == SUBR ? ~x : x;
    y = kind == SUB ? ~y : y;
    const int k = kind == SUB || kind == SUBR; /* addc reads $c0, which starts with C clear */
    const uint64_t sum = (uint64_t)x + y + (uint64_t)k;
    const int64_t exact = (int64_t)(int32_t)x + (int32_t)y + k;
    const bool overflow = exact != (int32_t)exact;
    uint32_t v = (uint32_t)sum;
    if (sat && overflow)
        v = exact < 0 ? 0x80000000u : 0x7fffffffu;
    *flags = flags_of(v, sum >> 32, overflow);
    return v;
}

TEST(test_iadd) {
    struct inputs in;
    uint32_t want[LANES];
    uint8_t flags[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const int kind = n & 3;
        const bool sat = n & 4;
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = random_integer();
            in.s[1][i] = 0;
            in.s[2][i] = random_word() & 3 ? random_integer() : -in.s[0][i];
            want[i] = reference_iadd(in.s[0][i], in.s[2][i], kind, sat, &flags[i]);
        }
        expect_flags(LONG_W0(2 | kind >> 1) | (kind & 1 ? 1u << 22 : 0),
                     LONG_W1(0) | 1u << 26 | (sat ? 1u << 27 : 0), &in, want, flags);
    }
}

TEST(test_shift) {
    struct inputs in;
    uint32_t want[LANES];
    uint8_t flags[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool right = n & 1, is_signed = right && n & 2;
        for (int i = 0; i < LANES; i++) {
            const uint32_t v = random_integer(),
                           count = i < 30 ? random_word() % 36 : random_word();
            const uint64_t wide = is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
            const unsigned by = count < 63 ? count : 63;
            const uint64_t r = !right      ? by < 32 ? (uint64_t)v << by : 0
                               : is_signed ? (uint64_t)((int64_t)wide >> by)
                                           : wide >> by;
            const bool partial = count > 0 && count < 32;
            const bool carry = partial && (right ? v >> (count - 1) & 1 : r >> 32 & 1);
            in.s[0][i] = v;
            in.s[1][i] = count;
            in.s[2][i] = 0;
            want[i] = (uint32_t)r;
            flags[i] = flags_of(want[i], carry, count == 1 && (want[i] ^ v) >> 31);
        }
        expect_flags(LONG_W0(3) | S2_R5,
                     (right ? 7u : 6u) << 29 | 0x7c0 | 1u << 26 | (is_signed ? 1u << 27 : 0), &in,
                     want, flags);
    }
}

static int64_t extend24(uint32_t v, bool is_signed) {
    return is_signed ? (int32_t)(v << 8) >> 8 : (int32_t)(v & 0xffffff);
}

TEST(test_imul24) {
    struct inputs in = {0};
    uint32_t want[LANES];
    uint8_t flags[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool is_signed = n & 1, high = n & 2;
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = random_integer();
            in.s[1][i] = random_integer();
            const int64_t p = extend24(in.s[0][i], is_signed) * extend24(in.s[1][i], is_signed);
            want[i] = (uint32_t)(high ? p >> 16 : p);
            flags[i] = flags_of(want[i], false, false);
        }
        expect_flags(LONG_W0(4) | S2_R5,
                     0x7c0 | 1u << 16 | (is_signed ? 1u << 15 : 0) | (high ? 1u << 14 : 0), &in,
                     want, flags);
    }
}

/* ---- moves ---- */

static void fill_moves(struct warp *w, const void *data) {
    (void)data;
    w->warp_id = 3;
    for (int i = 0; i < LANES; i++) {
        w->r[5][i] = 0x50u + (uint32_t)i;
        w->r[3][i] = 0x3ff0u + (uint32_t)i;
        w->r[7][i] = 0x77777777;
        w->r[10][i] = 0x11112222;
    }
}

TEST(test_moves) {
    static const uint32_t words[] = {
        0x00000a01, 0xa00007a0, /* mov $c2 $r5 */
        0x00000019, 0x20002780, /* mov $r6 $c2 */
        0x00020605, 0xc0000780, /* shl $a1 $r3 0x2 */
        0xd5ffe009, 0x20000780, /* add $a2 $a1 0xfff0 */
        0x08000021, 0x40000780, /* mov $r8 $a2 */
        0x00000025, 0x60000780, /* mov $r9 $physid */
        0x1000101d, 0x04014780, /* (l02) mov b32 $r7 $r8 */
        0x10001455, 0x0003c780, /* mov b16 $r10h $r5l */
        0xf0000001, 0xe0000781, /* exit nop */
    };
    struct program *p = made_of_words(PROGRAM_CP, ISA_G80, 64, words, LENGTH(words));
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        run(p, (enum simd_level)simd, 0, LANES_ALL, fill_moves, NULL);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t a1 = (0x3ff0 + i) * 4 & 0xffff, a2 = (a1 - 16) & 0xffff;
            assert_int_equal(warp->r[6][i], i & 15);
            assert_int_equal(warp->a[1][i], a1);
            assert_int_equal(warp->a[2][i], a2);
            assert_int_equal(warp->r[8][i], a2);
            assert_int_equal(warp->r[9][i], 3 << 8 | i);
            assert_int_equal(warp->r[7][i], i & 1 ? 0x77777777 : a2);
            assert_int_equal(warp->r[10][i], (0x50 + i) << 16 | 0x2222);
        }
    }
    program_unref(p);
}

/* Starts a program in all lanes of the warp, at this level. */
static struct warp_env started(const struct program *p, enum simd_level simd) {
    const struct warp_env env = {.program = p, .simd = simd, .native = test_native(simd)};
    warp_start(warp, &env, LANES_ALL, 0);
    return env;
}

/* A source beyond the allocated registers reads 0. An instruction with a destination beyond them
 * does nothing. */
TEST(test_allocation) {
    static const uint32_t words[] = {
        0x20000401, 0x040287c0, /* add b32 $c0 $r0 $r2 $r10 */
        0x20000429, 0x040087d0, /* add b32 $c1 $r10 $r2 $r2 */
        0xf0000001, 0xe0000781,
    };
    struct program *p = made_of_words(PROGRAM_CP, ISA_G80, 10, words, LENGTH(words));
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        const struct warp_env env = started(p, (enum simd_level)simd);
        warp->r[2] = lanes_splat(0x80000000u);
        warp->r[10] = lanes_splat(77);
        assert_int_equal(warp_run(warp, &env), WARP_DONE);
        assert_int_equal(warp->r[0][5], 0x80000000u);
        assert_int_equal(warp->r[10][5], 77);
        assert_int_equal(warp->c[0].s, LANES_ALL);
        assert_int_equal(warp->c[1].z | warp->c[1].c | warp->c[1].o, 0);
    }
    program_unref(p);
}

/* A maximum or minimum of two NaNs is a NaN, whichever bits they share. */
TEST(test_maxima_of_nans) {
    static const uint32_t words[] = {
        0xb002020d, 0x80000780, /* max f32 $r3 $r1 $r2 */
        0xb0020211, 0xa0000780, /* min f32 $r4 $r1 $r2 */
        0xf0000001, 0xe0000781,
    };
    struct program *p = made_of_words(PROGRAM_CP, ISA_G80, 10, words, LENGTH(words));
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        const struct warp_env env = started(p, (enum simd_level)simd);
        warp->r[1] = lanes_splat(0xffff8000u);
        warp->r[2] = lanes_splat(0x7f800001);
        assert_int_equal(warp_run(warp, &env), WARP_DONE);
        assert_int_equal(warp->r[3][5], 0x7fffffff);
        assert_int_equal(warp->r[4][5], 0x7fffffff);
    }
    program_unref(p);
}

/* ---- all levels, all modifiers ---- */

/* The part of a warp that arithmetic can change. */
struct outcome {
    u32x32 r[64], a[8];
    struct flags c[4];
};

static void fill_random(struct warp *w, const void *data) {
    const struct outcome *o = data;
    memcpy(w->r, o->r, sizeof o->r);
    memcpy(w->a, o->a, sizeof o->a);
    memcpy(w->c, o->c, sizeof o->c);
}

static void random_outcome(struct outcome *o) {
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < LANES; k++)
            o->r[i][k] = random_word() & 3 ? random_f32() : random_integer();
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < LANES; k++)
            o->a[i][k] = i ? random_word() & 0xffff : 0;
    for (int i = 0; i < 4; i++)
        o->c[i] = (struct flags){random_word(), random_word(), random_word(), random_word()};
}

/* Random words of the arithmetic opcodes with register operands only. */
static void random_words(uint32_t w[2]) {
    static const uint8_t primary[] = {0x1, 0x2, 0x3, 0x3, 0x4, 0x5, 0x6, 0x7, 0x9, 0xa,
                                      0xa, 0xa, 0xb, 0xb, 0xc, 0xc, 0xd, 0xe, 0xe};
    const uint32_t p = primary[random_word() % sizeof primary];
    w[0] = p << 28 | (random_word() & 0x007ffffc) | 1;
    w[1] = (random_word() & 0xfc1ff070) | 0x780;
    if (p == 1 || p == 0xd)
        w[1] &= 0x1fffffff; /* secondary 0; other secondaries are loads, stores and votes */
    if (p == 0xa)
        w[1] |= random_word() & 0x00400000; /* 64-bit forms */
}

/* True if the warp is as expected in the lanes of m. */
static bool agrees(const struct outcome *expected, lane_mask m) {
    lane_mask differ = 0;
    for (int i = 0; i < 64; i++)
        differ |= lanes_to_mask((u32x32)(warp->r[i] != expected->r[i]));
    for (int i = 0; i < 8; i++)
        differ |= lanes_to_mask((u32x32)(warp->a[i] != expected->a[i]));
    for (int i = 0; i < 4; i++) {
        const struct flags *f = &warp->c[i], *e = &expected->c[i];
        differ |= (f->z ^ e->z) | (f->s ^ e->s) | (f->c ^ e->c) | (f->o ^ e->o);
    }
    return !(differ & m);
}

TEST(test_levels_agree) {
    static struct outcome start, first;
    unsigned executed = 0;
    enum { ALL_ROUNDS = 20000 };
    const unsigned rounds = test_native(SIMD_BASE) ? 100 : ALL_ROUNDS; /* compiling takes long */
    for (unsigned n = 0; n < rounds; n++) {
        uint32_t w[2];
        random_words(w);
        struct program *p = program_of(w[0], w[1], ISA_G200);
        assert_non_null(p);
        if (n % 16 == 0)
            random_outcome(&start);
        const lane_mask m = n & 1 ? LANES_ALL : random_word() | 1;
        const uint32_t mode = random_word() & (1 | 2 | 1u << 19);
        if (p->ops[0].code == OP_ILLEGAL) {
            program_unref(p);
            continue;
        }
        executed++;
        for (int simd = 0; simd <= (int)simd_best(); simd++) {
            run(p, (enum simd_level)simd, mode, m, fill_random, &start);
            if (simd == 0) {
                memcpy(first.r, warp->r, sizeof first.r);
                memcpy(first.a, warp->a, sizeof first.a);
                memcpy(first.c, warp->c, sizeof first.c);
            } else if (!agrees(&first, m)) {
                fail_msg("%08x %08x (%s): %s and base differ", w[0], w[1],
                         opcode_name(p->ops[0].code), simd_name((enum simd_level)simd));
            }
            for (int i = 0; i < 64 && rounds == ALL_ROUNDS;
                 i++) /* lanes outside m keep their values */
                if (lanes_to_mask((u32x32)(warp->r[i] != start.r[i])) & ~m)
                    fail_msg("%08x %08x: writes lanes it must not", w[0], w[1]);
        }
        program_unref(p);
    }
    assert_true(executed > rounds / 2);
}
