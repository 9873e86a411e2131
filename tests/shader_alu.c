/* Arithmetic instructions, run through decoder, linker and warp at every SIMD level the CPU has:
 * against references written here in plain scalar integers (addition, product, fmad, conversions,
 * special functions), against each other on random instruction words, and on the vector file.
 */
#include "shader/alu/sfu_figures.h"
#include "shader/vectors.h"
#include "tests/test_native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- running one instruction ---- */

/* D = $r7 ($r10d), S1 = $r4, S2 = $r5, S3 = $r6; $c0 written, always executed. */
#define LONG_W0(primary) ((uint32_t)(primary) << 28 | 4 << 9 | 7 << 2 | 1)
#define S2_R5 (5u << 16)
#define LONG_W1(secondary) ((uint32_t)(secondary) << 29 | 6 << 14 | 0x7c0)

static struct warp *warp;

static int setup(void **state) {
    (void)state;
    warp = aligned_alloc(_Alignof(struct warp), sizeof *warp);
    if (!warp)
        return -1;
    memset(warp, 0, sizeof *warp);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    warp_free(warp);
    free(warp);
    return 0;
}

static struct program *program_of(uint32_t w0, uint32_t w1, enum isa_variant variant) {
    const uint32_t words[] = {w0, w1, 0xf0000001, 0xe0000781};
    const struct program_header header = {.reg_count = 64};
    struct program_error error;
    return program_from_words(PROGRAM_CP, variant, &header, words, 4, 0, 0, "test", &error);
}

/* Runs p in the lanes of m over registers and flags already set up by fill(). */
static void run(const struct program *p, enum simd_level simd, uint32_t mode, lane_mask m,
                void (*fill)(struct warp *w, const void *data), const void *data) {
    const struct warp_env env = {.program = p, .simd = simd, .mode = mode, .native = test_native(simd)};
    warp_start(warp, &env, m, 0);
    fill(warp, data);
    assert_int_equal(warp_run(warp, &env), WARP_DONE);
}

struct inputs {
    uint32_t s[3][LANES];
};

static void fill_three(struct warp *w, const void *data) {
    memcpy(&w->r[4], data, sizeof(struct inputs));
}

/* One instruction on `in` at every level; each level's $r7 must equal want. */
static void expect(uint32_t w0, uint32_t w1, enum isa_variant variant, uint32_t mode,
                   const struct inputs *in, const uint32_t *want) {
    struct program *p = program_of(w0, w1, variant);
    assert_non_null(p);
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        run(p, (enum simd_level)simd, mode, LANES_ALL, fill_three, in);
        for (int i = 0; i < LANES; i++)
            if (warp->r[7][i] != want[i])
                fail_msg("%08x %08x %s: %08x %08x %08x gives %08x, not %08x", w0, w1,
                         simd_name((enum simd_level)simd), in->s[0][i], in->s[1][i], in->s[2][i],
                         warp->r[7][i], want[i]);
    }
    program_unref(p);
}

/* ---- random values ---- */

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint32_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

/* Floats with a liking for edges: few significand bits, extreme exponents, specials. */
static uint32_t random_float(void) {
    static const uint32_t special[] = {0,          1,          0x7fffff,   0x800000,
                                       0x3f800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff,
                                       0x7f800000, 0x7fc00000, 0x7f800001, 0x00800001,
                                       0x7effffff, 0x4b800000, 0x47800000, 0x33800000};
    uint32_t r = random_bits(), sign = r & 0x80000000, kind = r & 15;
    uint32_t fraction = random_bits() & 0x7fffff;
    if (r & 16)
        fraction &= 0x7fffffu << random_bits() % 23;
    if (r & 32)
        fraction = 0x7fffff & ~fraction;
    if (kind == 0)
        return sign | special[random_bits() % 16];
    if (kind < 8)
        return sign | (127 - 32 + random_bits() % 64) << 23 | fraction;
    return sign | (random_bits() & 0xff) << 23 | fraction;
}

/* Integers of every magnitude and sign. */
static uint32_t random_integer(void) {
    uint32_t r = random_bits() >> random_bits() % 32;
    return random_bits() & 1 ? r : -r;
}

/* ---- scalar reference: a signed significand times a power of two ---- */

enum { NAN_BITS = 0x7fffffff, INF_BITS = 0x7f800000 };

struct exact {
    bool negative;
    unsigned __int128 m; /* bit 0 may be sticky */
    int e;               /* value = m * 2^e */
};

static bool is_nan(uint32_t v) {
    return (v & 0x7fffffff) > INF_BITS;
}

static bool is_inf(uint32_t v) {
    return (v & 0x7fffffff) == INF_BITS;
}

static bool is_zero(uint32_t v) {
    return !(v & INF_BITS);
}

static struct exact exact_of(uint32_t v) {
    struct exact x = {v >> 31, 0, (int)(v >> 23 & 0xff) - 150};
    if (!is_zero(v))
        x.m = (v & 0x7fffff) | 0x800000;
    return x;
}

/* m >> n, inexactness kept in bit 0. */
static unsigned __int128 shift_sticky(unsigned __int128 m, int n) {
    if (n > 127)
        return m != 0;
    unsigned __int128 lost = m & (((unsigned __int128)1 << n) - 1);
    return m >> n | (lost != 0);
}

/* Sum of two values of at most 24 bits each. */
static struct exact exact_add(struct exact a, struct exact b) {
    if (!b.m || (a.m && a.e < b.e)) {
        struct exact t = a;
        a = b;
        b = t;
    }
    if (!b.m) /* a too, or a alone is nonzero after the swap */
        return (struct exact){a.negative && b.negative, 0, 0};
    if (!a.m)
        return b;
    struct exact r = {a.negative, a.m << 60, a.e - 60};
    int n = r.e - b.e;
    unsigned __int128 low = n >= 0 ? shift_sticky(b.m, n) : b.m << -n;
    if (a.negative == b.negative)
        r.m += low;
    else if (r.m >= low)
        r.m -= low;
    else
        r = (struct exact){b.negative, low - r.m, r.e};
    if (!r.m)
        r.negative = false;
    return r;
}

static int top_bit(unsigned __int128 m) {
    int n = -1;
    for (; m; m >>= 1)
        n++;
    return n;
}

/* Rounds to 24 bits with unbounded exponent; fine_grid: below 2^-126 at 2^-149 instead (fmad). */
static uint32_t exact_round(struct exact x, bool truncate, bool fine_grid) {
    uint32_t sign = x.negative ? 0x80000000u : 0;
    if (!x.m)
        return sign;
    int drop = top_bit(x.m) - 23;
    if (fine_grid && x.e + drop < -149)
        drop = -149 - x.e;
    if (drop > 0) {
        unsigned __int128 half = (unsigned __int128)1 << (drop - 1), rest = x.m & (2 * half - 1);
        x.m >>= drop;
        x.e += drop;
        if (!truncate && (rest > half || (rest == half && (x.m & 1))))
            x.m++;
        if (!x.m)
            return sign;
    }
    int n = 23 - top_bit(x.m);
    x.m = n >= 0 ? x.m << n : x.m >> -n;
    x.e -= n;
    int exponent = x.e + 150;
    if (exponent <= 0)
        return sign;
    if (exponent >= 255)
        return sign | (truncate ? 0x7f7fffff : INF_BITS);
    return sign | (uint32_t)exponent << 23 | ((uint32_t)x.m & 0x7fffff);
}

static uint32_t reference_add(uint32_t a, uint32_t b, bool truncate) {
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b) && a != b))
        return NAN_BITS;
    if (is_inf(a) || is_inf(b))
        return is_inf(a) ? a : b;
    return exact_round(exact_add(exact_of(a), exact_of(b)), truncate, false);
}

static struct exact exact_mul(uint32_t a, uint32_t b) {
    struct exact x = exact_of(a), y = exact_of(b);
    return (struct exact){x.negative != y.negative, x.m * y.m, x.e + y.e};
}

static uint32_t reference_mul(uint32_t a, uint32_t b, bool truncate, bool zero_wins) {
    uint32_t sign = (a ^ b) & 0x80000000u;
    if (zero_wins && (is_zero(a) || is_zero(b)))
        return 0;
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b)))
        return NAN_BITS;
    if (is_inf(a) || is_inf(b))
        return sign | INF_BITS;
    return exact_round(exact_mul(a, b), truncate, false);
}

/* tesla-isa.md 7.4, in its own order. */
static uint32_t reference_mad(uint32_t a, uint32_t b, uint32_t c, bool zero_wins) {
    if (zero_wins && (is_zero(a) || is_zero(b)))
        return reference_add(c, 0, false);
    if (is_nan(c) || is_inf(a) || is_inf(b) || is_nan(a) || is_nan(b))
        return reference_add(reference_mul(a, b, false, false), c, false);
    if (is_inf(c))
        return c;
    if (is_zero(a) || is_zero(b) || is_zero(c))
        return reference_add(reference_mul(a, b, false, false), c, false);
    struct exact p = exact_mul(a, b);
    int drop = top_bit(p.m) - 23;
    p.m >>= drop;
    p.e += drop;
    return exact_round(exact_add(p, exact_of(c)), false, true);
}

/* ---- fadd, fmul, fmad ---- */

enum { ROUNDS = 3000, MUL_ZERO_WINS = 2 };

static void random_inputs(struct inputs *in) {
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < 3; k++)
            in->s[k][i] = random_float();
}

static void test_fadd(void **state) {
    (void)state;
    struct inputs in;
    uint32_t want[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool truncate = n & 1;
        random_inputs(&in);
        for (int i = 0; i < LANES; i++) {
            if (i & 1) /* near cancellation */
                in.s[2][i] = in.s[0][i] ^ (0x80000000u | (random_bits() & 3));
            want[i] = reference_add(in.s[0][i], in.s[2][i], truncate);
        }
        expect(LONG_W0(0xb) | (truncate ? 3u << 16 : 0), LONG_W1(0), ISA_G80, 0, &in, want);
    }
}

static void test_fmul(void **state) {
    (void)state;
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

/* An addend that nearly cancels the product, or brings the sum near 2^-126. */
static uint32_t addend_near(uint32_t a, uint32_t b) {
    uint32_t p = reference_mul(a, b, true, false);
    return is_nan(p) ? random_float() : p ^ (0x80000000u | (random_bits() & 7));
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

static void test_fmad(void **state) {
    (void)state;
    struct inputs in;
    uint32_t want[LANES];
    for (int n = 0; n < 4 * ROUNDS; n++) {
        const bool zero_wins = n & 4;
        random_inputs(&in);
        for (int i = 0; i < LANES; i++) {
            mad_case(&in, i, n & 8 ? n & 3 : random_bits() & 3);
            want[i] = reference_mad(in.s[0][i], in.s[1][i], in.s[2][i], zero_wins);
        }
        expect(LONG_W0(0xe) | S2_R5, LONG_W1(0), ISA_G80, zero_wins ? MUL_ZERO_WINS : 0, &in, want);
        /* without $c and modifiers, the handler for plain registers */
        expect(LONG_W0(0xe) | S2_R5, LONG_W1(0) & ~0x40u, ISA_G80, zero_wins ? MUL_ZERO_WINS : 0,
               &in, want);
    }
}

/* Known bits: where the product's truncation, the grid below 2^-126 and unbounded exponents show.
 */
static void test_fmad_edges(void **state) {
    (void)state;
    static const uint32_t edge[][4] = {
        {0x3f800001, 0x3f800001, 0x3f800000, 0x40000001},
        {0x3fffffff, 0x3fffffff, 0xc07fffff, 0xb4800000}, /* 4 - 2^-21, cut by 2^-46 */
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
    for (size_t n = 0; n < sizeof edge / sizeof *edge; n++) {
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
    const struct flags *f = &warp->c[0];
    for (int i = 0; i < LANES; i++) {
        const unsigned got =
            (f->z >> i & 1) | (f->s >> i & 1) << 1 | (f->c >> i & 1) << 2 | (f->o >> i & 1) << 3;
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
    const int k = kind == SUB || kind == SUBR; /* addc: $c0 starts with C clear */
    const uint64_t sum = (uint64_t)x + y + (uint64_t)k;
    const int64_t exact = (int64_t)(int32_t)x + (int32_t)y + k;
    const bool overflow = exact != (int32_t)exact;
    uint32_t v = (uint32_t)sum;
    if (sat && overflow)
        v = exact < 0 ? 0x80000000u : 0x7fffffffu;
    *flags = flags_of(v, sum >> 32, overflow);
    return v;
}

static void test_iadd(void **state) {
    (void)state;
    struct inputs in;
    uint32_t want[LANES];
    uint8_t flags[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const int kind = n & 3;
        const bool sat = n & 4;
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = random_integer();
            in.s[1][i] = 0;
            in.s[2][i] = random_bits() & 3 ? random_integer() : -in.s[0][i];
            want[i] = reference_iadd(in.s[0][i], in.s[2][i], kind, sat, &flags[i]);
        }
        expect_flags(LONG_W0(2 | kind >> 1) | (kind & 1 ? 1u << 22 : 0),
                     LONG_W1(0) | 1u << 26 | (sat ? 1u << 27 : 0), &in, want, flags);
    }
}

static void test_shift(void **state) {
    (void)state;
    struct inputs in;
    uint32_t want[LANES];
    uint8_t flags[LANES];
    for (int n = 0; n < ROUNDS; n++) {
        const bool right = n & 1, is_signed = right && n & 2;
        for (int i = 0; i < LANES; i++) {
            const uint32_t v = random_integer(),
                           count = i < 30 ? random_bits() % 36 : random_bits();
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

static void test_imul24(void **state) {
    (void)state;
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

/* ---- conversions ---- */

enum {
    CVT = 0xa,
    CVT_SOURCE_32 = 1 << 14,
    CVT_SOURCE_SIGNED = 1 << 16,
    CVT_DEST_32 = 1 << 26,
    CVT_DEST_SIGNED = 1 << 27
};
#define CVT_I2F (1u << 30)
#define CVT_F2I (2u << 30)
enum { RN, RM, RP, RZ };

static uint32_t cvt_word(uint32_t bits, int round) {
    return 0x7c0 | bits | (uint32_t)round << 17;
}

/* Whether kept + rest / (2 * half) goes up. */
static bool goes_up(uint64_t kept, uint64_t rest, uint64_t half, int round, bool negative) {
    switch (round) {
    case RN:
        return rest > half || (rest == half && (kept & 1));
    case RM:
        return negative && rest;
    case RP:
        return !negative && rest;
    default:
        return false;
    }
}

static uint32_t reference_int_to_f32(uint32_t v, bool is_signed, int round) {
    const bool negative = is_signed && v >> 31;
    const uint64_t m = negative ? -v : v;
    if (!m)
        return 0;
    int drop = top_bit(m) - 23;
    uint64_t kept = drop > 0 ? m >> drop : m << -drop;
    if (drop > 0)
        kept += goes_up(kept, m & ((1ull << drop) - 1), 1ull << (drop - 1), round, negative);
    return (negative ? 0x80000000u : 0) + ((uint32_t)(drop + 150) << 23) +
           (uint32_t)(kept - 0x800000);
}

static uint32_t reference_f32_to_int(uint32_t v, bool is_signed, int round) {
    const bool negative = v >> 31;
    const int e = (int)(v >> 23 & 0xff) - 150;
    if (is_nan(v) || is_zero(v))
        return 0;
    uint64_t m = (v & 0x7fffff) | 0x800000;
    if (e >= 9)
        m = 1ull << 40;
    else if (e >= 0)
        m <<= e;
    else if (e < -40)
        m = goes_up(0, 1, 2, round, negative);
    else
        m = (m >> -e) + goes_up(m >> -e, m & ((1ull << -e) - 1), 1ull << (-e - 1), round, negative);
    const uint64_t limit = is_signed  ? 0x7fffffffu + (uint64_t)negative
                           : negative ? 0
                                      : 0xffffffffu;
    m = m < limit ? m : limit;
    return (uint32_t)(negative ? -m : m);
}

static void test_cvt_int(void **state) {
    (void)state;
    struct inputs in;
    uint32_t want[LANES];
    random_inputs(&in);
    for (int n = 0; n < ROUNDS; n++) {
        const int round = n & 3;
        const bool is_signed = n & 4;
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = random_integer();
            want[i] = reference_int_to_f32(in.s[0][i], is_signed, round);
        }
        expect(LONG_W0(CVT),
               cvt_word(CVT_I2F | CVT_SOURCE_32 | CVT_DEST_32 | (is_signed ? CVT_SOURCE_SIGNED : 0),
                        round),
               ISA_G80, 0, &in, want);
        for (int i = 0; i < LANES; i++) {
            in.s[0][i] = i & 1 ? want[i] ^ (random_bits() & 0x80000003u) : random_float();
            want[i] = reference_f32_to_int(in.s[0][i], is_signed, round);
        }
        expect(LONG_W0(CVT),
               cvt_word(CVT_F2I | CVT_SOURCE_32 | CVT_DEST_32 | (is_signed ? CVT_DEST_SIGNED : 0),
                        round),
               ISA_G80, 0, &in, want);
    }
}

/* Every f16 widened is itself again when it is narrowed, in every mode; NaNs become one NaN. */
static void test_cvt_f16(void **state) {
    (void)state;
    struct inputs in = {0};
    uint32_t want[LANES];
    for (uint32_t h = 0; h < 0x10000; h += LANES) {
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t v = h + i;
            in.s[0][i] = v;
            want[i] = (v & 0x7fff) > 0x7c00 ? 0x7fff : v;
        }
        /* $r7l = $r4l; f16 -> f16 passes through f32 */
        expect((uint32_t)CVT << 28 | 8 << 9 | 14 << 2 | 1, cvt_word(3u << 30, (int)(h / LANES & 3)),
               ISA_G80, 0, &in, want);
    }
}

/* ---- special functions ---- */

static uint64_t reference_square(uint64_t x) {
    uint64_t q = 0;
    for (int i = 0; i <= 16; i++)
        if (x >> i & 1)
            q += x >> (18 - i);
    return q >> 1;
}

struct rom_row {
    int64_t c0, c1, c2;
};

#define ROW(i, c0, c1, c2) {c0, c1, c2},
static const struct rom_row rom_rcp[] = {ROM_RCP(ROW)}, rom_rsqrt[] = {ROM_RSQRT(ROW)},
                            rom_lg2[] = {ROM_LG2(ROW)}, rom_sin[] = {ROM_SIN(ROW)},
                            rom_ex2[] = {ROM_EX2(ROW)};

static uint32_t reference_rcp(uint32_t v) {
    const uint32_t sign = v & 0x80000000u, f = v & 0x7fffff, r = f & 0xffff;
    if (is_nan(v))
        return NAN_BITS;
    if (is_inf(v) || is_zero(v))
        return sign | (is_inf(v) ? 0 : INF_BITS);
    const struct rom_row c = rom_rcp[f >> 16];
    int64_t m = ((c.c0 << 13) + c.c1 * r + c.c2 * (int64_t)reference_square(2 * r) + 0x47e7) >> 15;
    int exponent = 253 - (int)(v >> 23 & 0xff);
    if (m == 1 << 24) {
        m >>= 1;
        exponent++;
    }
    return exponent <= 0 ? sign : sign | (uint32_t)exponent << 23 | ((uint32_t)m & 0x7fffff);
}

static uint32_t reference_rsqrt(uint32_t v) {
    if (is_zero(v))
        return (v & 0x80000000u) | INF_BITS;
    if (is_nan(v) || v >> 31)
        return NAN_BITS;
    if (is_inf(v))
        return 0;
    int e = (int)(v >> 23 & 0xff) - 127;
    const uint32_t g = (v & 0x7fffff) | (uint32_t)(e & 1) << 23, r = g & 0x1ffff;
    e >>= 1;
    if (!g)
        return (uint32_t)(127 - e) << 23;
    const struct rom_row c = rom_rsqrt[g >> 17];
    int64_t m =
        ((c.c0 << 14) + c.c1 * r + ((c.c2 * (int64_t)reference_square(r)) << 2) + 0x7fff) >> 16;
    return ((uint32_t)(126 - e) << 23) + (uint32_t)m - 0x800000;
}

/* t * 2^scale cut to 24 bits, t >= 0. */
static uint32_t cut(int64_t t, int scale, bool negative) {
    return exact_round((struct exact){negative, (unsigned __int128)t, scale}, true, false);
}

static uint32_t reference_lg2(uint32_t v) {
    if (is_zero(v))
        return 0x80000000u | INF_BITS;
    if (is_nan(v) || v >> 31)
        return NAN_BITS;
    if (is_inf(v))
        return v;
    const uint32_t f = v & 0x7fffff, r = f & 0x1ffff;
    const struct rom_row c = rom_lg2[f >> 17];
    int64_t t =
        ((c.c0 << 12) + c.c1 * r + ((c.c2 * (int64_t)reference_square(r)) * 2) + 0x3345) >> 2;
    if (v == 0x3f800000)
        t = 0;
    t += ((int64_t)(v >> 23) - 127) * (1ll << 36);
    return cut(t < 0 ? ~t : t, -36, t < 0);
}

static uint32_t reference_sin(uint32_t w) {
    uint32_t q = w >> 23 & 0xff, f = w & 0x7fffff;
    bool negative = w >> 31;
    if (w >> 30 & 1)
        return NAN_BITS;
    if (q & 1)
        f = ~f & 0x7fffff;
    negative ^= q >> 1 & 1;
    const struct rom_row c = rom_sin[f >> 17];
    const uint32_t r = f & 0x1ffff;
    return cut((c.c0 << 11) + c.c1 * r + c.c2 * (int64_t)reference_square(r), -37, negative);
}

static uint32_t reference_ex2(uint32_t w) {
    const bool negative = w >> 31;
    int n = (int)(w >> 23 & 0xff);
    uint32_t f = w & 0x7fffff;
    if (w >> 30 & 1)
        return w >> 23 & 1 ? negative ? 0 : INF_BITS : NAN_BITS;
    if (negative && f) {
        n = -n - 1;
        f = ~f & 0x7fffff;
    } else if (negative) {
        n = -n;
    }
    const struct rom_row c = rom_ex2[f >> 17];
    const uint32_t r = f & 0x1ffff;
    int64_t m = ((c.c0 << 13) + c.c1 * r + c.c2 * (int64_t)reference_square(r) + 0x77e2) >> 15;
    int exponent = n + 127 + (m == 1 << 24);
    if (exponent <= 0)
        return 0;
    return exponent >= 255 ? INF_BITS : (uint32_t)exponent << 23 | ((uint32_t)m & 0x7fffff);
}

static const struct {
    unsigned secondary;
    uint32_t (*reference)(uint32_t v);
} functions[] = {{0, reference_rcp},
                 {2, reference_rsqrt},
                 {3, reference_lg2},
                 {4, reference_sin},
                 {6, reference_ex2}};

/* A stride through all fractions, over exponents of every kind. */
static void test_sfu(void **state) {
    (void)state;
    struct inputs in = {0};
    uint32_t want[LANES];
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        for (uint32_t f = 0; f < 0x800000; f += 229) {
            for (uint32_t i = 0; i < LANES; i++) {
                const uint32_t v = i < 4 ? random_bits() : (f + i) & 0x7fffff;
                in.s[0][i] = i < 4 ? v : v | (random_bits() & 0xbf800000u);
                if (i >= 16)
                    in.s[0][i] = v | (i & 1 ? 0x3f000000u : 0x3f800000u);
                want[i] = functions[k].reference(in.s[0][i]);
            }
            /* no $c, no modifiers: the handler for plain registers where there is one */
            expect(LONG_W0(9), (uint32_t)functions[k].secondary << 29 | 0x780, ISA_G80, 0, &in,
                   want);
        }
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

static void test_moves(void **state) {
    (void)state;
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
    const struct program_header header = {.reg_count = 64};
    struct program_error error;
    struct program *p = program_from_words(PROGRAM_CP, ISA_G80, &header, words,
                                           sizeof words / sizeof *words, 0, 0, "moves", &error);
    assert_non_null(p);
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

/* Beyond the allocation a source reads 0, and an instruction with such a destination does nothing.
 */
static void test_allocation(void **state) {
    (void)state;
    static const uint32_t words[] = {
        0x20000401, 0x040287c0, /* add b32 $c0 $r0 $r2 $r10 */
        0x20000429, 0x040087d0, /* add b32 $c1 $r10 $r2 $r2 */
        0xf0000001, 0xe0000781,
    };
    const struct program_header header = {.reg_count = 10};
    struct program_error error;
    struct program *p = program_from_words(PROGRAM_CP, ISA_G80, &header, words,
                                           sizeof words / sizeof *words, 0, 0, "limit", &error);
    assert_non_null(p);
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        const struct warp_env env = {
            .program = p, .simd = (enum simd_level)simd, .native = test_native((enum simd_level)simd)};
        warp_start(warp, &env, LANES_ALL, 0);
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

/* ---- double precision ---- */

/* D = $r10d, S1 = $r4d, S2 = $r6d, S3 = $r8d; $c0 written. */
#define DOUBLE_W0 (0xeu << 28 | 6 << 16 | 4 << 9 | 10 << 2 | 1)
#define DOUBLE_W1(secondary, round)                                                                \
    ((uint32_t)(secondary) << 29 | (uint32_t)(round) << 22 | 8 << 14 | 0x7c0)
/* cvt with the 64-bit selector: kind, D 64-bit, S 64-bit, more bits. */
#define CVT64_W0 (0xau << 28 | 4 << 9 | 10 << 2 | 1)
#define CVT64_W1(kind, d, s, more)                                                                 \
    ((uint32_t)(kind) << 30 | 1u << 22 | (d) << 26 | (s) << 14 | (more) | 0x7c0)

struct double_case {
    uint32_t w[2];
    uint64_t s[3], want;
    unsigned flags;
};

static void fill_doubles(struct warp *w, const void *data) {
    const struct double_case *c = data;
    for (int k = 0; k < 3; k++) {
        w->r[4 + 2 * k] = lanes_splat((uint32_t)c->s[k]);
        w->r[5 + 2 * k] = lanes_splat((uint32_t)(c->s[k] >> 32));
    }
}

static void test_double(void **state) {
    (void)state;
    enum { DFMA = 2, SIGNED_S = 1 << 16, SIGNED_D = 1 << 27, UP = RP << 17 };
    const uint64_t one = 0x3ff0000000000000, tiny = 1, inf = 0x7ff0000000000000,
                   minus = 0x8000000000000000, half_ulp = 0x3ca0000000000000,
                   default_nan = 0xfff8000000000000;
    const struct double_case cases[] = {
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {one, one, half_ulp}, one, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RP)}, {one, one, half_ulp}, one + 1, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RM)}, {one, one, half_ulp | minus}, one - 1, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {one, one, one | minus}, 0, 1},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RM)}, {one, one, one | minus}, minus, 1},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {tiny, one, tiny}, 2, 0},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf, 0, one}, default_nan, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, inf | 2, inf | 3}, inf | 2 | 1ull << 51, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, one, inf | 3}, inf | 3 | 1ull << 51, 3},
        {{DOUBLE_W0, DOUBLE_W1(DFMA, RN)}, {inf | 1, one, one}, inf | 1 | 1ull << 51, 3},
        /* f64 -> u32, s32, u64; O on NaN and where clamping changed the value */
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {default_nan}, 0x80000000, 8 | 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {one | minus}, 0, 8 | 1},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {0x41f0000000000000}, 0xffffffff, 8 | 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, 0)}, {0x41efffffffe00000}, 0xffffffff, 2},
        {{CVT64_W0, CVT64_W1(2, 0, 1, SIGNED_D)}, {0xc1e0000000000000}, 0x80000000, 2},
        {{CVT64_W0, CVT64_W1(2, 1, 1, 0)}, {0x43f0000000000000}, ~0ull, 2},
        {{CVT64_W0, CVT64_W1(2, 1, 1, UP)}, {tiny}, 1, 0},
        /* to f64 and f32: denormals stay */
        {{CVT64_W0, CVT64_W1(1, 1, 1, SIGNED_S)}, {minus}, 0xc3e0000000000000, 2},
        {{CVT64_W0, CVT64_W1(1, 1, 1, 0)}, {~0ull}, 0x43f0000000000000, 0},
        {{CVT64_W0, CVT64_W1(3, 1, 0, 0)}, {0x00000001}, 0x36a0000000000000, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {0x3698000000000000}, 0x00000001, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, UP)}, {tiny}, 0x00000001, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {0x47effffff0000000}, 0x7f800000, 0},
        {{CVT64_W0, CVT64_W1(3, 0, 1, 0)}, {inf | minus | 1}, 0xffc00000, 3},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct double_case *c = &cases[n];
        struct program *p = program_of(c->w[0], c->w[1], ISA_G200);
        assert_non_null(p);
        for (int simd = 0; simd <= (int)simd_best(); simd++) {
            run(p, (enum simd_level)simd, 0, LANES_ALL, fill_doubles, c);
            const uint64_t got = warp->r[10][9] | (uint64_t)warp->r[11][9] << 32;
            const unsigned flags = (warp->c[0].z & 1) | (warp->c[0].s & 1) << 1 |
                                   (warp->c[0].c & 1) << 2 | (warp->c[0].o & 1) << 3;
            if (got != c->want || flags != c->flags)
                fail_msg("case %zu, %s: %llx %x, not %llx %x", n, simd_name((enum simd_level)simd),
                         (unsigned long long)got, flags, (unsigned long long)c->want, c->flags);
        }
        program_unref(p);
    }
}

/* ---- all levels, all modifiers ---- */

/* Everything a warp's arithmetic can change. */
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
            o->r[i][k] = random_bits() & 3 ? random_float() : random_integer();
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < LANES; k++)
            o->a[i][k] = i ? random_bits() & 0xffff : 0;
    for (int i = 0; i < 4; i++)
        o->c[i] = (struct flags){random_bits(), random_bits(), random_bits(), random_bits()};
}

/* Random words of the arithmetic opcodes with register operands only. */
static void random_words(uint32_t w[2]) {
    static const uint8_t primary[] = {0x1, 0x2, 0x3, 0x3, 0x4, 0x5, 0x6, 0x7, 0x9, 0xa,
                                      0xa, 0xa, 0xb, 0xb, 0xc, 0xc, 0xd, 0xe, 0xe};
    const uint32_t p = primary[random_bits() % sizeof primary];
    w[0] = p << 28 | (random_bits() & 0x007ffffc) | 1;
    w[1] = (random_bits() & 0xfc1ff070) | 0x780;
    if (p == 1 || p == 0xd)
        w[1] &= 0x1fffffff; /* the others are loads, stores, vote */
    if (p == 0xa)
        w[1] |= random_bits() & 0x00400000; /* 64-bit forms */
}

/* Is the warp as expected in the lanes of m? */
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

static void test_levels_agree(void **state) {
    (void)state;
    static struct outcome start, first;
    unsigned executed = 0;
    enum { ALL_ROUNDS = 20000 };
    const unsigned rounds = test_native(SIMD_BASE) ? 100 : ALL_ROUNDS; /* compiling takes its time */
    for (unsigned n = 0; n < rounds; n++) {
        uint32_t w[2];
        random_words(w);
        struct program *p = program_of(w[0], w[1], ISA_G200);
        assert_non_null(p);
        if (n % 16 == 0)
            random_outcome(&start);
        const lane_mask m = n & 1 ? LANES_ALL : random_bits() | 1;
        const uint32_t mode = random_bits() & (1 | 2 | 1u << 19);
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
                 i++) /* lanes outside m keep everything */
                if (lanes_to_mask((u32x32)(warp->r[i] != start.r[i])) & ~m)
                    fail_msg("%08x %08x: writes lanes it must not", w[0], w[1]);
        }
        program_unref(p);
    }
    assert_true(executed > rounds / 2);
}

/* ---- the vector file ---- */

static void print_line(void *self, unsigned line, const char *text, const char *got) {
    (void)self;
    print_error("line %u: %s\n  got %s\n", line, text, got);
}

/* Compiling takes its time: the instructions are divided among the SIMD levels then. */
static FILE *vectors_for(FILE *in, int simd) {
    if (!test_native((enum simd_level)simd))
        return in;
    char line[512], before[20] = "", now[20] = "";
    int instruction = 0;
    FILE *out = tmpfile();
    assert_non_null(out);
    while (fgets(line, sizeof line, in)) {
        sscanf(line, "%*s %*s %8s %8s", now, now + 8); /* the words */
        instruction += strcmp(now, before) != 0;
        memcpy(before, now, sizeof before);
        if (instruction % ((int)simd_best() + 1) == simd)
            fputs(line, out);
    }
    rewind(out);
    return out;
}

static void test_vectors(void **state) {
    (void)state;
    const char *shared = getenv("TESLAPIPE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/vectors/exec-public.txt", shared ? shared : "../shared");
    FILE *in = fopen(path, "r");
    if (!in)
        skip();
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        struct vectors_report report = {.fail = print_line};
        rewind(in);
        FILE *const part = vectors_for(in, simd);
        assert_int_equal(vectors_run(part, (enum simd_level)simd, test_native((enum simd_level)simd),
                                     warp_run, &report),
                         0);
        assert_int_equal(report.failed, 0);
        assert_true(report.passed > (part == in ? 20000 : 5000));
        if (part != in)
            fclose(part);
    }
    fclose(in);
}

/* Figured by hand from tesla-isa.md 6 and 7; the rules the tests above do not reach. */
static const char own_vectors[] =
    /* integer: addc, mul u16 x s16, sad, set le, max, and not */
    "I g80 30401039 000307d0 0 4 7fff 0 0 -> 8000 a\n"
    "I g80 400a101d 000047d0 0 0 ffff ffff 0 -> ffff0001 2\n"
    "I g80 500a101d 080187d0 0 0 fffe 3 10 -> 00000015 0\n"
    "I g80 3005081d 6c00c7d0 0 0 ffffffff 0 0 -> ffffffff 2\n"
    "I g80 3005081d 6c00c7d0 0 0 1 0 0 -> 00000000 1\n"
    "I g80 300a1039 880007d0 0 0 ffff 1 0 -> 0001 0\n"
    "I g80 300a1039 800007d0 0 0 ffff 1 0 -> ffff 2\n"
    "I g80 d00a1039 000107d0 0 0 0f0f ffff 0 -> f0f0 2\n"
    /* set lu f32: less, greater, unordered, denormals equal */
    "F g80 b005081d 600247c0 0 f 3f800000 40000000 0 -> ffffffff 2\n"
    "F g80 b005081d 600247c0 0 f 40000000 3f800000 0 -> 00000000 1\n"
    "F g80 b005081d 600247c0 0 f 7fc00000 0 0 -> ffffffff 2\n"
    "F g80 b005081d 600247c0 0 f 80000001 00000001 0 -> 00000000 1\n"
    /* max f32; min f32 with neg S2 */
    "F g80 b005081d 800007c0 0 f 80000000 00000000 0 -> 00000000 1\n"
    "F g80 b005081d 800007c0 0 f 7fc00000 bf800000 0 -> bf800000 2\n"
    "F g80 b005081d 800007c0 0 f 7fc00000 ffc00000 0 -> 7fffffff 3\n"
    "F g80 b005081d a80007c0 0 f 3f800000 40000000 0 -> c0000000 2\n"
    "F g80 b005081d a80007c0 0 f 00000000 00000000 0 -> 80000000 1\n"
    /* slct: -denormal is not negative; NaN selects S2; bits pass untouched */
    "F g80 c005081d 400187c0 0 f ffc00001 22222222 80000001 -> ffc00001 2\n"
    "F g80 c005081d 400187c0 0 f 11111111 22222222 bf800000 -> 22222222 0\n"
    "F g80 c005081d 400187c0 0 f 11111111 80000000 7fc00000 -> 80000000 1\n"
    /* fadd sat, fmul sat (not on g80) */
    "F g80 b000081d 200187c0 0 f c0000000 0 3f800000 -> 00000000 1\n"
    "F g80 b000081d 200187c0 0 f 3f800000 0 3f800000 -> 3f800000 0\n"
    "F g80 c005081d 001007c0 0 f 40000000 40000000 0 -> 40800000 0\n"
    "F g200 c005081d 001007c0 0 f 40000000 40000000 0 -> 3f800000 0\n"
    /* fmad sat of NaN: SAT_NAN per chip, sources or any; ZERO_WINS */
    "F gt215 e005081d 200187c0 80000 f 7fc00000 3f800000 3f800000 -> 00000000 1\n"
    "F gt215 e005081d 200187c0 80000 f 7f800000 0 3f800000 -> 00000000 1\n"
    "F g200 e005081d 200187c0 80000 f 7f800000 0 3f800000 -> 7fffffff 3\n"
    "F g200 e005081d 200187c0 80000 f 7f800000 0 7fc00000 -> 00000000 1\n"
    "F g84 e005081d 200187c0 80000 f 7fc00000 0 3f800000 -> 7fffffff 3\n"
    "F gt215 e005081d 200187c0 80002 f 0 7fc00000 3f800000 -> 00000000 1\n"
    "F gt215 e005081d 200187c0 2 f 0 7fc00000 3f000000 -> 3f000000 0\n"
    /* cvt f16 from u32, with what the chip loses */
    "F g80 a0000839 400047c0 0 f 000007ff 0 0 -> 67ff 0\n"
    "F g80 a0000839 400047c0 0 f 00000801 0 0 -> 6800 0\n"
    "F g80 a0000839 400047c0 0 f 3fffffe0 0 0 -> 0000 1\n"
    "F g80 a0000839 400047c0 0 f 00010000 0 0 -> 7c00 0\n"
    "F g80 a0000839 400047c0 0 f 02000001 0 0 -> 3c00 0\n"
    /* cvt rp f16 from f32: underflow to a denormal or to zero, overflow by direction */
    "F g80 a0000839 c00447c0 0 f 2f000000 0 0 -> 0001 0\n"
    "F g80 a0000839 c00447c0 0 f 2e800000 0 0 -> 0000 1\n"
    "F g80 a0000839 c00447c0 0 f ae800000 0 0 -> 8000 1\n"
    "F g80 a0000839 c00447c0 0 f 477fe001 0 0 -> 7c00 0\n"
    "F g80 a0000839 c00447c0 0 f c77fe001 0 0 -> fbff 2\n"
    "F g80 a0000839 c00447c0 0 f 7fc00000 0 0 -> 7fff 3\n"
    /* cvt sat f16 from u16, s8 and neg u8 from u16 */
    "F g80 a0001039 400807c0 0 f 0002 0 0 -> 3c00 0\n"
    "F g80 a0001039 080807c0 0 f 0080 0 0 -> 007f 0\n"
    "F g80 a0001039 200807c0 0 f 0005 0 0 -> 0000 1\n"
    /* preex2, presin, ex2 sat */
    "S g80 b0000811 c0004780 0 f 3f800000 0 0 -> 00800000 f\n"
    "S g80 b0000811 c0004780 0 f c1000000 0 0 -> 84000000 f\n"
    "S g80 b0000811 c0004780 0 f 43000000 0 0 -> 40800000 f\n"
    "S g80 b0000811 c0004780 0 f ffc00000 0 0 -> c0000000 f\n"
    "S g80 b0000811 c0000780 0 f 3f800000 0 0 -> 00517cc1 f\n"
    "S g80 b0000811 c0000780 0 f ff800000 0 0 -> c0800000 f\n"
    "S g80 90000811 c8000780 0 f 00800000 0 0 -> 3f800000 f\n"
    "S g200 90000811 c8000780 80000 f 40000000 0 0 -> 00000000 f\n"
    "S g80 90000811 c8000780 80000 f 40000000 0 0 -> 7fffffff f\n"
    /* quadop add subr subr subr l2; dx outside fragment programs */
    "Q g200 c012081d 814187c0 0 0 0 0 3f800000 0 40000000 -> 40400000 0\n"
    "Q g200 c012081d 814187c0 0 1 0 0 3f800000 0 40000000 -> 3f800000 0\n"
    "Q g84 c004081d 8ec187c0 0 0 3f800000 0 0 0 3f800000 -> 00000000 1\n"
    "Q g84 c004081d 8ec187c0 1 0 3f800000 0 0 0 3f800000 -> 7f800000 0\n"
    /* denormal immediates are flushed like registers: a compiler must not fold them otherwise */
    "F g80 e03f0919 0807ffff 0 f f9d0c0c2 ccf60000 80000001 -> 00000000 f\n"
    "F g80 e07f8919 0807ffff 0 f 7f000000 00800001 b5141cea -> 35141cea f\n";

static void test_own_vectors(void **state) {
    (void)state;
    FILE *in = fmemopen((void *)own_vectors, sizeof own_vectors - 1, "r");
    assert_non_null(in);
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        struct vectors_report report = {.fail = print_line};
        rewind(in);
        assert_int_equal(vectors_run(in, (enum simd_level)simd, test_native((enum simd_level)simd),
                                     warp_run, &report),
                         0);
        assert_int_equal(report.failed, 0);
        assert_int_equal(report.passed, 60);
    }
    fclose(in);
}

static void fill_quads(struct warp *w, const void *data) {
    (void)data;
    for (int i = 0; i < LANES; i++) /* 1, 2, 4, 8 in each quad */
        w->r[2][i] = 0x3f800000u + ((uint32_t)(i & 3) << 23);
}

/* Derivatives as compilers write them: dx and dy of 1, 2, 4, 8. */
static void test_derivatives(void **state) {
    (void)state;
    static const uint32_t words[] = {
        0xc0140405, 0x89808780, /* quadop f32 sub subr sub subr $r1 dx $r2 $r2 */
        0xc015040d, 0x8a408780, /* quadop f32 sub sub subr subr $r3 dy $r2 $r2 */
        0xf0000001, 0xe0000781,
    };
    static const uint32_t dx[4] = {0x3f800000, 0x3f800000, 0x40800000, 0x40800000};
    static const uint32_t dy[4] = {0x40400000, 0x40c00000, 0x40400000, 0x40c00000};
    const struct program_header header = {.reg_count = 8};
    struct program_error error;
    struct program *p = program_from_words(PROGRAM_FP, ISA_G80, &header, words,
                                           sizeof words / sizeof *words, 0, 0, "quads", &error);
    assert_non_null(p);
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        run(p, (enum simd_level)simd, 0, LANES_ALL, fill_quads, NULL);
        for (int i = 0; i < LANES; i++) {
            assert_int_equal(warp->r[1][i], dx[i & 3]);
            assert_int_equal(warp->r[3][i], dy[i & 3]);
        }
    }
    program_unref(p);
}

static void test_vectors_bad_lines(void **state) {
    (void)state;
    static const char text[] =
        "# comment\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n" /* right */
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> fffe 2\n" /* wrong value */
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 3\n" /* wrong flags */
        "I g81 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "I g80 20001039 000307d0 0 a ffff8000\n"
        "nonsense\n"
        "F g80 00000000 -------- 0 a 0 0 0 -> 00000000 f\n"; /* illegal opcode */
    FILE *in = fmemopen((void *)text, sizeof text - 1, "r");
    assert_non_null(in);
    struct vectors_report report = {0};
    assert_int_equal(vectors_run(in, SIMD_BASE, test_native(SIMD_BASE), warp_run, &report), 0);
    fclose(in);
    assert_int_equal(report.passed, 1);
    assert_int_equal(report.failed, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fadd),        cmocka_unit_test(test_fmul),
        cmocka_unit_test(test_fmad),        cmocka_unit_test(test_fmad_edges),
        cmocka_unit_test(test_iadd),        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_imul24),      cmocka_unit_test(test_cvt_int),
        cmocka_unit_test(test_cvt_f16),     cmocka_unit_test(test_sfu),
        cmocka_unit_test(test_moves),       cmocka_unit_test(test_allocation),
        cmocka_unit_test(test_double),      cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_own_vectors), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_vectors),     cmocka_unit_test(test_vectors_bad_lines),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
