/* The fixture of the arithmetic tests: one instruction run through decoder, linker and warp at
 * every SIMD level, random operands near edges, and exact sums and products in plain scalar
 * integers. */
#ifndef TESTS_ALU_FIXTURE_H
#define TESTS_ALU_FIXTURE_H

#include "tests/shader/made.h"
#include "tests/shader/test_native.h"

/* ---- running one instruction ---- */

/* D = $r7, S1 = $r4, S2 = $r5, S3 = $r6; $c0 written, always executed. */
#define LONG_W0(primary) ((uint32_t)(primary) << 28 | 4 << 9 | 7 << 2 | 1)
#define S2_R5 (5u << 16)
#define LONG_W1(secondary) ((uint32_t)(secondary) << 29 | 6 << 14 | 0x7c0)

static struct warp *warp;

BEFORE_TESTS {
    warp = case_rows(sizeof *warp);
    return 0;
}

AFTER_TESTS {
    warp_free(warp);
    free(warp);
    return 0;
}

static inline struct program *program_of(uint32_t w0, uint32_t w1, enum isa_variant variant) {
    const uint32_t words[] = {w0, w1, 0xf0000001, 0xe0000781};
    return made_of_words(PROGRAM_CP, variant, 64, words, 4);
}

/* Runs p in the lanes of m. fill() sets registers and flags first. */
static inline void run(const struct program *p, enum simd_level simd, uint32_t mode, lane_mask m,
                       void (*fill)(struct warp *w, const void *data), const void *data) {
    const struct warp_env env = {
        .program = p, .simd = simd, .mode = mode, .native = test_native(simd)};
    warp_start(warp, &env, m, 0);
    fill(warp, data);
    assert_int_equal(warp_run(warp, &env), WARP_DONE);
}

struct inputs {
    uint32_t s[3][LANES];
};

static inline void fill_three(struct warp *w, const void *data) {
    memcpy(&w->r[4], data, sizeof(struct inputs));
}

/* Runs one instruction on `in` at every level; $r7 must equal want each time. */
static inline void expect(uint32_t w0, uint32_t w1, enum isa_variant variant, uint32_t mode,
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

/* Random floats, edge values more often: few significand bits, extreme exponents, special
 * values. */
static inline uint32_t random_f32(void) {
    static const uint32_t special[] = {0,          1,          0x7fffff,   0x800000,
                                       0x3f800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff,
                                       0x7f800000, 0x7fc00000, 0x7f800001, 0x00800001,
                                       0x7effffff, 0x4b800000, 0x47800000, 0x33800000};
    uint32_t r = random_word(), sign = r & 0x80000000, kind = r & 15;
    uint32_t fraction = random_word() & 0x7fffff;
    if (r & 16)
        fraction &= 0x7fffffu << random_word() % 23;
    if (r & 32)
        fraction = 0x7fffff & ~fraction;
    if (kind == 0)
        return sign | special[random_word() % 16];
    if (kind < 8)
        return sign | (127 - 32 + random_word() % 64) << 23 | fraction;
    return sign | (random_word() & 0xff) << 23 | fraction;
}

/* Integers of every magnitude and sign. */
static inline uint32_t random_integer(void) {
    uint32_t r = random_word() >> random_word() % 32;
    return random_word() & 1 ? r : -r;
}

/* ---- scalar reference: a signed significand times a power of two ---- */

enum { NAN_BITS = 0x7fffffff, INF_BITS = 0x7f800000 };

struct exact {
    bool negative;
    unsigned __int128 m; /* bit 0 may be sticky */
    int e;               /* value = m * 2^e */
};

static inline bool is_nan(uint32_t v) {
    return (v & 0x7fffffff) > INF_BITS;
}

static inline bool is_inf(uint32_t v) {
    return (v & 0x7fffffff) == INF_BITS;
}

static inline bool is_zero(uint32_t v) {
    return !(v & INF_BITS);
}

static inline struct exact exact_of(uint32_t v) {
    struct exact x = {v >> 31, 0, (int)(v >> 23 & 0xff) - 150};
    if (!is_zero(v))
        x.m = (v & 0x7fffff) | 0x800000;
    return x;
}

/* m >> n. If bits are lost, bit 0 is set. */
static inline unsigned __int128 shift_sticky(unsigned __int128 m, int n) {
    if (n > 127)
        return m != 0;
    unsigned __int128 lost = m & (((unsigned __int128)1 << n) - 1);
    return m >> n | (lost != 0);
}

/* Sum of two values of at most 24 bits each. */
static inline struct exact exact_add(struct exact a, struct exact b) {
    if (!b.m || (a.m && a.e < b.e)) {
        struct exact t = a;
        a = b;
        b = t;
    }
    if (!b.m) /* both are zero */
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

static inline int top_bit(unsigned __int128 m) {
    int n = -1;
    for (; m; m >>= 1)
        n++;
    return n;
}

/* Rounds to 24 bits with an unbounded exponent. With fine_grid (fmad), results below 2^-126 are
 * multiples of 2^-149. */
static inline uint32_t exact_round(struct exact x, bool truncate, bool fine_grid) {
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

static inline uint32_t reference_add(uint32_t a, uint32_t b, bool truncate) {
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_inf(b) && a != b))
        return NAN_BITS;
    if (is_inf(a) || is_inf(b))
        return is_inf(a) ? a : b;
    return exact_round(exact_add(exact_of(a), exact_of(b)), truncate, false);
}

static inline struct exact exact_mul(uint32_t a, uint32_t b) {
    struct exact x = exact_of(a), y = exact_of(b);
    return (struct exact){x.negative != y.negative, x.m * y.m, x.e + y.e};
}

static inline uint32_t reference_mul(uint32_t a, uint32_t b, bool truncate, bool zero_wins) {
    uint32_t sign = (a ^ b) & 0x80000000u;
    if (zero_wins && (is_zero(a) || is_zero(b)))
        return 0;
    if (is_nan(a) || is_nan(b) || (is_inf(a) && is_zero(b)) || (is_zero(a) && is_inf(b)))
        return NAN_BITS;
    if (is_inf(a) || is_inf(b))
        return sign | INF_BITS;
    return exact_round(exact_mul(a, b), truncate, false);
}

/* Computes fmad step by step as tesla-isa.md §7.4 states it. */
static inline uint32_t reference_mad(uint32_t a, uint32_t b, uint32_t c, bool zero_wins) {
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

/* ---- operands ---- */

enum { ROUNDS = 3000, MUL_ZERO_WINS = 2 };

static inline void random_inputs(struct inputs *in) {
    for (int i = 0; i < LANES; i++)
        for (int k = 0; k < 3; k++)
            in->s[k][i] = random_f32();
}

#endif
