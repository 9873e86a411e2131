/* Double precision, conversions to f16 and among integers, compared with a second, scalar
 * implementation: the C library's fma and rounding directions, and a slow version of tesla-isa.md
 * §7.6 and §9. Operands are random and at boundaries; every rounding mode, every SIMD level. */
#include "tests/shader/warp_case.h"

#include <fenv.h>

enum { ROUNDS = 60 };

static uint64_t random64(void) {
    return (uint64_t)random_word() << 32 | random_word();
}

static const int directions[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
static const char *const modes[4] = {"rn", "rm", "rp", "rz"};

/* One instruction and its operands; run at every level, in turn. */
struct trial {
    char text[128];
    uint64_t in[3][LANES]; /* $r4d, $r6d, $r8d */
    uint64_t want[LANES];  /* $r10d, or its low bits */
    uint8_t flags[LANES];  /* $c0 */
    unsigned bits;         /* 16 (halves), 32 or 64 */
};

static void check_lane(const struct trial *t, const struct warp *w, int i) {
    const uint64_t wide = w->r[10][i] | (uint64_t)w->r[11][i] << 32;
    const uint64_t got = t->bits == 64 ? wide : wide & ((UINT64_C(1) << t->bits) - 1);
    const unsigned flags = flags_of_lane(&w->c[0], (unsigned)i);
    if (got != t->want[i] || flags != t->flags[i])
        fail_msg("%s of %llx %llx %llx: %llx %x, not %llx %x", t->text,
                 (unsigned long long)t->in[0][i], (unsigned long long)t->in[1][i],
                 (unsigned long long)t->in[2][i], (unsigned long long)got, flags,
                 (unsigned long long)t->want[i], t->flags[i]);
}

static void check(const struct trial *t) {
    char text[160];
    snprintf(text, sizeof text, "%s\nexit nop\n", t->text);
    FOR_EACH_LEVEL(level) {
        CASE_AT(c, level, PROGRAM_CP, ISA_G200, LANES_ALL, text);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < LANES; i++) {
                c.w->r[4 + 2 * k][i] = (uint32_t)t->in[k][i];
                c.w->r[5 + 2 * k][i] = (uint32_t)(t->in[k][i] >> 32);
            }
        }
        case_run(&c);
        for (int i = 0; i < LANES; i++)
            check_lane(t, c.w, i);
    }
}

/* ---- double precision */

#define SIGN UINT64_C(0x8000000000000000)
#define INFINITE UINT64_C(0x7ff0000000000000)
#define QUIET UINT64_C(0x0008000000000000)
#define DEFAULT_NAN UINT64_C(0xfff8000000000000)

static bool nan64(uint64_t v) {
    return (v & ~SIGN) > INFINITE;
}

static double as_double(uint64_t v) {
    double d;
    memcpy(&d, &v, 8);
    return d;
}

static uint64_t bits_of(double d) {
    uint64_t v;
    memcpy(&v, &d, 8);
    return v;
}

/* Operands that often cancel or coincide: few exponents, few significant bits, all special
 * values. */
static uint64_t random_operand(void) {
    static const uint64_t special[] = {0,
                                       INFINITE,
                                       INFINITE | 1,
                                       QUIET | INFINITE | 5,
                                       1,
                                       QUIET >> 1,
                                       0x0010000000000000,
                                       0x000fffffffffffff,
                                       0x3ff0000000000000,
                                       0x7fefffffffffffff};
    const uint64_t r = random64(), sign = r & SIGN;
    switch (r >> 8 & 7) {
    case 0:
        return sign | special[(r >> 16) % (LENGTH(special))];
    case 1:
        return sign | random64() >> 12; /* denormal */
    case 2:
        return sign | (0x3fe + (r >> 16 & 3)) << 52 | (random64() & 7) << (r >> 20 & 31);
    case 3:
        return sign | (0x001 + (r >> 16 & 0x3f)) << 52 | random64() >> 12;
    case 4:
        return sign | (0x7c0 + (r >> 16 & 0x3f)) << 52 | random64() >> 12;
    default:
        return sign | (0x3e0 + (r >> 16 & 0x3f)) << 52 | random64() >> 12;
    }
}

static uint64_t modified(uint64_t v, bool neg, bool absolute) {
    if (nan64(v))
        return v;
    return (absolute ? v & ~SIGN : v) ^ (neg ? SIGN : 0);
}

static double (*const volatile host_fma)(double, double, double) = fma;

/* fma with NaNs chosen in the given order (tesla-isa.md §9). */
static uint64_t reference_fma(uint64_t a, uint64_t b, uint64_t c, int mode,
                              const uint64_t order[3]) {
    for (int i = 0; i < 3; i++)
        if (nan64(order[i]))
            return order[i] | QUIET;
    fesetround(directions[mode]);
    const uint64_t r = bits_of(host_fma(as_double(a), as_double(b), as_double(c)));
    fesetround(FE_TONEAREST);
    return nan64(r) ? DEFAULT_NAN : r;
}

static uint64_t reference_min_max(uint64_t a, uint64_t b, bool max) {
    if (nan64(b))
        return nan64(a) ? b | QUIET : a;
    if (nan64(a))
        return b;
    const double x = as_double(a), y = as_double(b);
    if (x == y)
        return max ? a & b : a | b; /* equal values: zeros of either sign, or equal bits */
    return (x > y) == max ? a : b;
}

static uint8_t float_flags(uint64_t v) {
    return nan64(v) ? 3 : (v & ~SIGN) == 0 ? 1 : v & SIGN ? 2 : 0;
}

static void fill_doubles(struct trial *t) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < LANES; i++)
            t->in[k][i] = random_operand();
    for (int i = 0; i < LANES; i += 5) /* cancellation */
        t->in[2][i] = t->in[0][i] ^ SIGN;
}

static const char *word(bool said, const char *text) {
    return said ? text : "";
}

static void try_fma(struct trial *t, int mode, bool neg_a, bool neg_c) {
    snprintf(t->text, sizeof t->text, "fma %s f64 $c0 $r10d %s $r4d $r6d %s $r8d", modes[mode],
             word(neg_a, "neg"), word(neg_c, "neg"));
    for (int i = 0; i < LANES; i++) {
        const uint64_t a = modified(t->in[0][i], neg_a, false), b = t->in[1][i],
                       c = modified(t->in[2][i], neg_c, false);
        t->want[i] = reference_fma(a, b, c, mode, (uint64_t[]){b, c, a});
        t->flags[i] = float_flags(t->want[i]);
    }
    check(t);
}

static void try_add_mul(struct trial *t, int mode, bool neg_a, bool neg_c, bool mul) {
    const uint64_t one = bits_of(1.0), zero = mode == ROUND_RM ? 0 : SIGN;
    snprintf(t->text, sizeof t->text, "%s %s f64 $c0 $r10d %s $r4d %s %s", mul ? "mul" : "add",
             modes[mode], word(neg_a, "neg"), word(neg_c && !mul, "neg"), mul ? "$r6d" : "$r8d");
    for (int i = 0; i < LANES; i++) {
        const uint64_t a = modified(t->in[0][i], neg_a, false), b = t->in[1][i],
                       c = modified(t->in[2][i], neg_c && !mul, false);
        t->want[i] = mul ? reference_fma(a, b, zero, mode, (uint64_t[]){b, a, 0})
                         : reference_fma(a, one, c, mode, (uint64_t[]){c, a, 0});
        t->flags[i] = float_flags(t->want[i]);
    }
    check(t);
}

static void try_compare(struct trial *t, int modifiers, int condition) {
    static const char *const conditions[16] = {"never", "l",   "e",   "le",    "g",  "lg",
                                               "ge",    "lge", "u",   "lu",    "eu", "leu",
                                               "gu",    "lgu", "geu", "always"};
    const bool neg_a = modifiers & 1, abs_a = modifiers & 2, neg_b = modifiers & 4,
               abs_b = modifiers & 8;
    char operands[64];
    uint64_t a[LANES], b[LANES];
    snprintf(operands, sizeof operands, "%s %s $r4d %s %s $r6d", word(neg_a, "neg"),
             word(abs_a, "abs"), word(neg_b, "neg"), word(abs_b, "abs"));
    for (int i = 0; i < LANES; i++) {
        if (i % 4 == 0)
            t->in[1][i] = t->in[0][i];
        a[i] = modified(t->in[0][i], neg_a, abs_a);
        b[i] = modified(t->in[1][i], neg_b, abs_b);
    }
    for (int max = 0; max < 2; max++) {
        snprintf(t->text, sizeof t->text, "%s f64 $c0 $r10d %s", max ? "max" : "min", operands);
        for (int i = 0; i < LANES; i++) {
            t->want[i] = reference_min_max(a[i], b[i], max);
            t->flags[i] = float_flags(t->want[i]);
        }
        check(t);
    }
    snprintf(t->text, sizeof t->text, "set $c0 $r10 %s f64 %s", conditions[condition], operands);
    t->bits = 32;
    for (int i = 0; i < LANES; i++) {
        const double x = as_double(a[i]), y = as_double(b[i]);
        const int relation = nan64(a[i]) || nan64(b[i]) ? 8 : x < y ? 1 : x == y ? 2 : 4;
        t->want[i] = condition & relation ? 0xffffffff : 0;
        t->flags[i] = condition & relation ? 2 : 1;
    }
    check(t);
}

TEST(test_f64) {
    for (int n = 0; n < 16 * ROUNDS; n++) {
        struct trial t = {.bits = 64};
        fill_doubles(&t);
        try_fma(&t, n & 3, n & 4, n & 8);
        try_add_mul(&t, n & 3, n & 4, n & 8, false);
        try_add_mul(&t, n & 3, n & 4, n & 8, true);
        try_compare(&t, n & 15, n / 16 & 15);
    }
}

/* ---- integer to integer */

struct integer_type {
    const char *name;
    int bits;
    bool is_signed;
};
static const struct integer_type integers[] = {{"u8", 8, false},   {"s8", 8, true},
                                               {"u16", 16, false}, {"s16", 16, true},
                                               {"u32", 32, false}, {"s32", 32, true}};
enum { INTEGERS = LENGTH(integers) };

static uint32_t random_edge_integer(void) {
    const uint64_t r = random64();
    const uint32_t edge = (1u << (r >> 8 & 31)) - (r >> 16 & 3) + (r >> 18 & 1);
    return r & 1 ? (uint32_t)(r >> 32) >> (r >> 20 & 31) : r & 2 ? edge : -edge;
}

static int64_t extended(uint32_t v, const struct integer_type *t) {
    const int n = 32 - t->bits;
    return t->is_signed ? (int32_t)(v << n) >> n : (int64_t)(v << n >> n);
}

static int64_t clamped(int64_t v, const struct integer_type *t) {
    const int64_t most = (INT64_C(1) << (t->bits - t->is_signed)) - 1;
    const int64_t least = t->is_signed ? -most - 1 : 0;
    return v > most ? most : v < least ? least : v;
}

static void try_int_to_int(const struct integer_type *d, const struct integer_type *s, bool wide_d,
                           bool wide_s, int modifiers) {
    struct trial t = {.bits = wide_d ? 32 : 16};
    const bool neg = modifiers & 1, absolute = modifiers & 2;
    snprintf(t.text, sizeof t.text, "cvt %s %s %s $c0 $r10%s %s $r4%s", word(neg, "neg"),
             word(absolute, "abs"), d->name, word(!wide_d, "l"), s->name, word(!wide_s, "l"));
    for (int i = 0; i < LANES; i++) {
        const uint32_t v = random_edge_integer();
        int64_t x = extended(v, s);
        x = absolute && x < 0 ? -x : x;
        x = clamped(neg ? -x : x, d);
        t.in[0][i] = v;
        t.want[i] = (uint64_t)x & ((UINT64_C(1) << t.bits) - 1);
        t.flags[i] = (uint8_t)((t.want[i] == 0) | (t.want[i] >> (t.bits - 1) & 1) << 1);
    }
    check(&t);
}

TEST(test_int_to_int) {
    for (int n = 0; n < INTEGERS * INTEGERS * 16; n++) {
        const struct integer_type *d = &integers[n / 16 / INTEGERS],
                                  *s = &integers[n / 16 % INTEGERS];
        const bool wide_d = n & 4, wide_s = n & 8;
        if ((d->bits == 16 && wide_d) || (d->bits == 32 && !wide_d) || (s->bits == 16 && wide_s) ||
            (s->bits == 32 && !wide_s))
            continue;
        for (int k = 0; k < 4; k++)
            try_int_to_int(d, s, wide_d, wide_s, n & 3);
    }
}

/* ---- to f16 */

/* Rounds to an integer. The volatile variables keep arithmetic between the two calls of
 * fesetround(). */
static double rounded(double v, int mode) {
    volatile double in = v, out;
    fesetround(directions[mode]);
    out = nearbyint(in);
    fesetround(FE_TONEAREST);
    return out;
}

/* f32 to f16 (tesla-isa.md §7.6). truncate: rounds to zero, and mode only decides about overflow. v
 * is no denormal. */
static uint32_t reference_f16(float v, int mode, bool truncate) {
    uint32_t bits;
    memcpy(&bits, &v, 4);
    const uint32_t sign = bits >> 16 & 0x8000;
    if (isnan(v))
        return 0x7fff;
    if (isinf(v))
        return sign | 0x7c00;
    if ((bits >> 23 & 0xff) <= 0x5d)
        return sign;
    int exponent;
    frexp(v, &exponent); /* |v| = 0.5..1 * 2^exponent */
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    const double units = rounded(ldexp((double)v, 10 - exponent), truncate ? ROUND_RZ : mode);
    const double magnitude = ldexp(fabs(units), exponent - 10);
    if (magnitude >= 65536) {
        const bool away =
            mode == ROUND_RN || (mode == ROUND_RP && !sign) || (mode == ROUND_RM && sign);
        return sign | (away ? 0x7c00 : 0x7bff);
    }
    if (magnitude < ldexp(1, -14))
        return sign | (uint32_t)ldexp(magnitude, 24);
    frexp(magnitude, &exponent);
    return sign | (uint32_t)(exponent + 14) << 10 |
           ((uint32_t)ldexp(magnitude, 11 - exponent) & 0x3ff);
}

static uint8_t f16_flags(uint64_t h) {
    return (h & 0x7fff) > 0x7c00 ? 3 : (h & 0x7fff) == 0 ? 1 : h & 0x8000 ? 2 : 0;
}

static uint32_t random_f32(void) {
    const uint64_t r = random64();
    const uint32_t sign = (uint32_t)r & 0x80000000u, f = (uint32_t)(r >> 40) & 0x7fffff;
    switch (r >> 4 & 3) {
    case 0: /* halfway between f16 values, or next to halfway */
        return (sign | (uint32_t)(0x66 + (r >> 8 & 31)) << 23 | (f & 0x7fe000) | 0x1000) +
               (uint32_t)(r >> 16 & 1) - (uint32_t)(r >> 17 & 1);
    case 1:
        return sign | (uint32_t)(0x5b + (r >> 8 & 15)) << 23 | f;
    case 2:
        return sign | (uint32_t)(0x70 + (r >> 8 & 31)) << 23 | f;
    default:
        return (uint32_t)(r >> 32);
    }
}

static float clean(uint32_t bits) { /* denormals to zero */
    float v;
    bits = bits & 0x7f800000 ? bits : bits & 0x80000000;
    memcpy(&v, &bits, 4);
    return v;
}

TEST(test_f32_to_f16) {
    for (int n = 0; n < 32 * ROUNDS; n++) {
        struct trial t = {.bits = 16};
        const int mode = n & 3;
        const bool neg = n & 4, absolute = n & 8, integral = n & 16;
        snprintf(t.text, sizeof t.text, "cvt %s %s %s%s f16 $c0 $r10l f32 $r4", word(neg, "neg"),
                 word(absolute, "abs"), modes[mode], word(integral, "i"));
        for (int i = 0; i < LANES; i++) {
            t.in[0][i] = random_f32();
            float v = clean((uint32_t)t.in[0][i]);
            v = absolute ? fabsf(v) : v;
            v = neg ? -v : v;
            v = integral && !isnan(v) ? copysignf((float)rounded(v, mode), v) : v;
            t.want[i] = reference_f16(v, mode, integral);
            t.flags[i] = f16_flags(t.want[i]);
        }
        check(&t);
    }
}

/* Applies the first step of the chip's conversion, which loses bits of the magnitude (tesla-isa.md
 * §7.6). */
static uint32_t damaged(uint32_t m, bool source_negative, bool rounds_up) {
    const uint32_t run = 0x3fffffe0;
    if (rounds_up && (m & run) == run)
        m = 0;
    uint32_t t = (m - source_negative) & 0xffff;
    int n = 2;
    while (t < 0x8000 && n < 7) {
        t <<= 1;
        n++;
    }
    return m & (0xffffffffu >> n);
}

static void try_int_to_f16(const struct integer_type *s, bool wide, int mode, int modifiers) {
    struct trial t = {.bits = 16};
    const bool neg = modifiers & 1, absolute = modifiers & 2, sat = modifiers & 4;
    snprintf(t.text, sizeof t.text, "cvt %s %s %s %s f16 $c0 $r10l %s $r4%s", word(neg, "neg"),
             word(absolute, "abs"), word(sat, "sat"), modes[mode], s->name, word(!wide, "l"));
    for (int i = 0; i < LANES; i++) {
        t.in[0][i] = random_edge_integer();
        if (i % 8 == 0)
            t.in[0][i] |= 0x3fffffe0;
        const int64_t x = extended((uint32_t)t.in[0][i], s);
        const bool negative = (x < 0 && !absolute) != neg;
        const bool up = mode == ROUND_RN || mode == (negative ? ROUND_RM : ROUND_RP);
        volatile double m = damaged((uint32_t)(x < 0 ? -x : x), x < 0, up);
        if (negative)
            m = -m;
        fesetround(directions[mode]);
        volatile float v = (float)m;
        fesetround(FE_TONEAREST);
        if (sat)
            v = v > 1 ? 1 : v > 0 ? v : 0;
        t.want[i] = reference_f16(v, mode, false);
        t.flags[i] = f16_flags(t.want[i]);
    }
    check(&t);
}

TEST(test_int_to_f16) {
    for (int n = 0; n < INTEGERS * 64; n++) {
        const struct integer_type *s = &integers[n / 64];
        const bool wide = n & 32;
        if ((s->bits == 16 && wide) || (s->bits == 32 && !wide))
            continue;
        for (int k = 0; k < 8; k++)
            try_int_to_f16(s, wide, n & 3, n >> 2 & 7);
    }
}
