/* Double precision and the 64-bit conversions over 32 lanes, of G200 (tesla-isa.md §9) and of
 * Fermi. Bits in, bits out; pure, except that host arithmetic runs between f64_begin() and
 * round_end(), which set the rounding direction and honour denormals. Conversions are scalar, lane
 * by lane.
 */
#pragma once

#include "shader/alu/int.h"
#include "shader/alu/round.h"

#define F64_SIGN 0x8000000000000000ull
#define F64_INF 0x7ff0000000000000ull
#define F64_QUIET 0x0008000000000000ull
#define F64_FRACTION 0x000fffffffffffffull
#define F64_DEFAULT_NAN 0xfff8000000000000ull

/* 64-bit lanes, as a vector and as an array. */
union f64_lanes {
    u64x32 v;
    f64x32 f;
    uint64_t bits[LANES];
    double value[LANES];
};

LANES_INLINE unsigned f64_begin(enum round_mode mode) {
    unsigned old = fp_mode();
    fp_set_mode(FP_PLAIN | fp_rounding(mode));
    return old;
}

LANES_INLINE u64x32 f64_splat(uint64_t v) {
    return v - (u64x32){0};
}

LANES_INLINE u64x32 f64_blend(u64x32 cond, u64x32 a, u64x32 b) {
    return (a & cond) | (b & ~cond);
}

LANES_INLINE u64x32 f64_join(u32x32 low, u32x32 high) {
    return __builtin_convertvector(low, u64x32) | __builtin_convertvector(high, u64x32) << 32;
}

LANES_INLINE u32x32 f64_low(u64x32 v) {
    return __builtin_convertvector(v, u32x32);
}

LANES_INLINE u32x32 f64_high(u64x32 v) {
    return __builtin_convertvector(v >> 32, u32x32);
}

LANES_INLINE u64x32 f64_is_nan(u64x32 v) {
    return (u64x32)((v & ~F64_SIGN) > F64_INF);
}

/* OPERAND_ABS, then OPERAND_NEG; NaNs are not changed. */
LANES_INLINE u64x32 f64_modify(u64x32 v, unsigned flags) {
    u64x32 number = ~f64_is_nan(v) & F64_SIGN;
    if (flags & OPERAND_ABS)
        v &= ~number;
    if (flags & OPERAND_NEG)
        v ^= number;
    return v;
}

/* The result of an operation: the first of its operands that is a NaN, quieted; or F64_DEFAULT_NAN
 * if r is a NaN; or r. */
LANES_INLINE u64x32 f64_pick_nan(u64x32 first, u64x32 second, u64x32 third, u64x32 r) {
    r = f64_blend(f64_is_nan(r), f64_splat(F64_DEFAULT_NAN), r);
    r = f64_blend(f64_is_nan(third), third | F64_QUIET, r);
    r = f64_blend(f64_is_nan(second), second | F64_QUIET, r);
    return f64_blend(f64_is_nan(first), first | F64_QUIET, r);
}

#if !defined(FP_HOST_MODE)
#include "shader/alu/f64_plain.inc"
#endif

/* a * b + c on the host in the current floating-point mode. */
LANES_INLINE void f64_host_fma(union f64_lanes *r, const union f64_lanes *a,
                               const union f64_lanes *b, const union f64_lanes *c) {
#if defined(__AVX512F__)
    for (int i = 0; i < LANES; i += 8)
        _mm512_storeu_pd(r->value + i, _mm512_fmadd_pd(_mm512_loadu_pd(a->value + i),
                                                       _mm512_loadu_pd(b->value + i),
                                                       _mm512_loadu_pd(c->value + i)));
#elif defined(__FMA__)
    for (int i = 0; i < LANES; i += 4)
        _mm256_storeu_pd(r->value + i, _mm256_fmadd_pd(_mm256_loadu_pd(a->value + i),
                                                       _mm256_loadu_pd(b->value + i),
                                                       _mm256_loadu_pd(c->value + i)));
#elif defined(FP_HOST_MODE)
    for (int i = 0; i < LANES; i++)
        r->value[i] = __builtin_fma(a->value[i], b->value[i], c->value[i]);
#else
    for (int i = 0; i < LANES; i++)
        r->bits[i] = f64_plain_fma(a->bits[i], b->bits[i], c->bits[i]);
#endif
}

LANES_INLINE void f64_host_add(union f64_lanes *r, const union f64_lanes *a,
                               const union f64_lanes *b) {
#if defined(FP_HOST_MODE)
    r->f = a->f + b->f;
#else
    const uint64_t one = 1023ull << 52;
    for (int i = 0; i < LANES; i++)
        r->bits[i] = f64_plain_fma(a->bits[i], one, b->bits[i]);
#endif
}

LANES_INLINE void f64_host_mul(union f64_lanes *r, const union f64_lanes *a,
                               const union f64_lanes *b) {
#if defined(FP_HOST_MODE)
    r->f = a->f * b->f;
#else
    for (int i = 0; i < LANES; i++) /* a zero of the product's sign changes nothing */
        r->bits[i] = f64_plain_fma(a->bits[i], b->bits[i], (a->bits[i] ^ b->bits[i]) & F64_SIGN);
#endif
}

LANES_INLINE u64x32 f64_fma(u64x32 a, u64x32 b, u64x32 c, enum round_mode mode) {
    union f64_lanes x = {.v = a}, y = {.v = b}, z = {.v = c}, r;
    unsigned csr = f64_begin(mode);
    ROUND_BARRIER(x);
    f64_host_fma(&r, &x, &y, &z);
    ROUND_BARRIER(r);
    round_end(csr);
    return f64_pick_nan(b, c, a, r.v);
}

/* c is source 3 of the encoding, so its NaN comes first. */
LANES_INLINE u64x32 f64_add(u64x32 a, u64x32 c, enum round_mode mode) {
    union f64_lanes x = {.v = a}, z = {.v = c}, r;
    unsigned csr = f64_begin(mode);
    ROUND_BARRIER(x);
    ROUND_BARRIER(z);
    f64_host_add(&r, &x, &z);
    ROUND_BARRIER(r);
    round_end(csr);
    return f64_pick_nan(c, a, a, r.v);
}

LANES_INLINE u64x32 f64_mul(u64x32 a, u64x32 b, enum round_mode mode) {
    union f64_lanes x = {.v = a}, y = {.v = b}, r;
    unsigned csr = f64_begin(mode);
    ROUND_BARRIER(x);
    ROUND_BARRIER(y);
    f64_host_mul(&r, &x, &y);
    ROUND_BARRIER(r);
    round_end(csr);
    return f64_pick_nan(b, a, a, r.v);
}

/* An integer key with the order of doubles, -0 before +0. */
LANES_INLINE i64x32 f64_order(u64x32 v) {
    return (i64x32)(v ^ ((u64x32)((i64x32)v >> 63) & ~F64_SIGN));
}

LANES_INLINE u64x32 f64_min_max(u64x32 a, u64x32 b, bool max) {
    u64x32 less = (u64x32)(f64_order(a) < f64_order(b));
    u64x32 r = f64_blend(max ? ~less : less, a, b);
    r = f64_blend(f64_is_nan(a), b, r);
    r = f64_blend(f64_is_nan(b), a, r);
    return f64_blend(f64_is_nan(a) & f64_is_nan(b), b | F64_QUIET, r);
}

/* All ones (32 bits per lane) where the comparison of a with b is among cond (COND_*). */
LANES_INLINE u32x32 f64_set(u64x32 a, u64x32 b, unsigned cond) {
    u64x32 unordered = f64_is_nan(a) | f64_is_nan(b);
    u64x32 both_zero = (u64x32)(((a | b) & ~F64_SIGN) == 0);
    u64x32 less = (u64x32)(f64_order(a) < f64_order(b));
    u64x32 equal = ((u64x32)(a == b) | both_zero) & ~unordered;
    less &= ~(equal | unordered);
    u64x32 r = f64_splat(0);
    if (cond & COND_LESS)
        r |= less;
    if (cond & COND_EQUAL)
        r |= equal;
    if (cond & COND_GREATER)
        r |= ~(less | equal | unordered);
    if (cond & COND_UNORDERED)
        r |= unordered;
    return f64_low(r);
}

/* Flag vectors of a result. Z: zero or NaN. S: negative and not zero, or NaN. */
LANES_INLINE u32x32 f64_flag_z(u64x32 v) {
    return f64_low((u64x32)((v & ~F64_SIGN) == 0) | f64_is_nan(v));
}

LANES_INLINE u32x32 f64_flag_s(u64x32 v) {
    u64x32 negative = (u64x32)((i64x32)v < 0) & (u64x32)((v & ~F64_SIGN) != 0);
    return f64_low(negative | f64_is_nan(v));
}

/* --- conversions, one lane each --- */

/* True if an inexact magnitude is rounded away from zero in a directed mode. negative: its sign. */
static inline bool f64_rounds_up(enum round_mode mode, bool negative) {
    return mode == (negative ? ROUND_RM : ROUND_RP);
}

/* m >> n, rounded; n in 0..127. */
static inline uint64_t f64_round_shift(uint64_t m, unsigned n, enum round_mode mode,
                                       bool negative) {
    if (n == 0)
        return m;
    uint64_t kept = n < 64 ? m >> n : 0;
    uint64_t rest = n < 64 ? m & ((1ull << n) - 1) : m;
    uint64_t half = n <= 64 ? 1ull << (n - 1) : UINT64_MAX;
    if (mode == ROUND_RN)
        return kept + (rest > half || (rest == half && (kept & 1)));
    return kept + (rest && f64_rounds_up(mode, negative));
}

/* Magnitude to a float format of `precision` bits (hidden one included), value >= 1 or 0. */
static inline uint64_t f64_from_magnitude(uint64_t m, bool negative, unsigned precision,
                                          unsigned bias, enum round_mode mode) {
    if (!m)
        return 0;
    unsigned zeros = (unsigned)__builtin_clzll(m);
    uint64_t significand = f64_round_shift(m << zeros, 64 - precision, mode, negative);
    return ((uint64_t)(bias + 63 - zeros) << (precision - 1)) +
           (significand - (1ull << (precision - 1)));
}

/* Integer (64 bits, extended from its type) to f64 or f32 bits. For unsigned sources, up and down
 * are directions of the magnitude, even if OPERAND_NEG makes the result negative. */
static inline uint64_t f64_from_integer(uint64_t v, bool is_signed, unsigned flags, bool to_f64,
                                        enum round_mode mode) {
    bool negative = is_signed && v >> 63;
    uint64_t m = negative ? -v : v;
    if (flags & OPERAND_ABS)
        negative = false;
    if (flags & OPERAND_NEG)
        negative = !negative;
    bool mirrored = negative && is_signed;
    uint64_t sign = negative ? to_f64 ? F64_SIGN : 0x80000000u : 0;
    return sign | (to_f64 ? f64_from_magnitude(m, mirrored, 53, 1023, mode)
                          : f64_from_magnitude(m, mirrored, 24, 127, mode));
}

struct f64_integer {
    uint64_t value; /* in the low bits of its type */
    bool overflow;
};

/* A magnitude with its sign, clamped to a `bits` wide integer. huge: the magnitude is 2^64 or more;
 * m has no meaning. */
static inline struct f64_integer f64_clamp(uint64_t m, bool negative, bool huge, unsigned bits,
                                           bool is_signed) {
    const uint64_t ones = UINT64_MAX >> (64 - bits);
    const uint64_t limit = is_signed ? (ones >> 1) + negative : negative ? 0 : ones;
    bool over = huge || m > limit;
    if (over)
        m = limit;
    /* the chip does not report the overflow of an unsigned 64-bit result of 2^64 or more */
    bool silent = huge && !is_signed && !negative && bits == 64;
    return (struct f64_integer){(negative ? -m : m) & ones, over && !silent};
}

/* f64 bits (modifiers applied) to an integer. A NaN gives the type's top bit alone, and
 * overflow. */
static inline struct f64_integer f64_to_integer(uint64_t v, unsigned bits, bool is_signed,
                                                enum round_mode mode) {
    if ((v & ~F64_SIGN) > F64_INF)
        return (struct f64_integer){1ull << (bits - 1), true};
    bool negative = v >> 63;
    int exponent = (int)(v >> 52 & 0x7ff);
    uint64_t significand = (v & F64_FRACTION) | (exponent ? 1ull << 52 : 0);
    int drop = 1075 - (exponent ? exponent : 1); /* fraction bits */
    uint64_t m = drop < -11 ? 0
                 : drop < 0 ? significand << -drop
                            : f64_round_shift(significand, drop > 127 ? 127u : (unsigned)drop, mode,
                                              negative);
    return f64_clamp(m, negative, drop < -11, bits, is_signed);
}

/* Rounds to an integral value. The sign of zero is kept, a NaN is quieted. */
static inline uint64_t f64_integral(uint64_t v, enum round_mode mode) {
    if ((v & ~F64_SIGN) > F64_INF)
        return v | F64_QUIET;
    unsigned exponent = v >> 52 & 0x7ff;
    if (exponent >= 1075)
        return v;
    uint64_t significand = (v & F64_FRACTION) | (exponent ? 1ull << 52 : 0);
    unsigned drop = exponent < 1075 - 127 ? 127 : 1075 - exponent;
    uint64_t m = f64_round_shift(significand, drop, mode, v >> 63);
    return (v & F64_SIGN) | f64_from_magnitude(m, false, 53, 1023, ROUND_RZ);
}

/* f32 to f64, exact, denormals included; NaN quieted with sign and payload. */
static inline uint64_t f64_from_f32(uint32_t v) {
    uint64_t sign = (uint64_t)(v >> 31) << 63;
    uint32_t exponent = v >> 23 & 0xff, fraction = v & 0x7fffff;
    if (exponent == 0xff)
        return sign | F64_INF | (uint64_t)fraction << 29 | (fraction ? F64_QUIET : 0);
    if (exponent == 0) /* an integer times 2^-149 */
        return sign |
               (fraction ? f64_from_magnitude(fraction, false, 53, 1023 - 149, ROUND_RZ) : 0);
    return sign | (uint64_t)(exponent + 1023 - 127) << 52 | (uint64_t)fraction << 29;
}

/* f64 to f32 with gradual underflow; NaN quieted with sign and top payload bits. */
static inline uint32_t f64_to_f32(uint64_t v, enum round_mode mode) {
    bool negative = v >> 63;
    uint32_t sign = (uint32_t)negative << 31;
    unsigned exponent = v >> 52 & 0x7ff;
    if ((v & ~F64_SIGN) > F64_INF)
        return sign | 0x7fc00000 | (uint32_t)(v >> 29 & 0x7fffff);
    if (exponent == 0x7ff)
        return sign | 0x7f800000;
    uint64_t significand = (v & F64_FRACTION) | (exponent ? 1ull << 52 : 0);
    if (exponent < 897) { /* below 2^-126: units of 2^-149 */
        unsigned drop = exponent < 800 ? 127 : 926 - exponent;
        return sign | (uint32_t)f64_round_shift(significand, drop, mode, negative);
    }
    uint64_t bits = ((uint64_t)(exponent - 896) << 23) +
                    f64_round_shift(significand, 29, mode, negative) - 0x800000;
    bool away = mode == ROUND_RN || f64_rounds_up(mode, negative);
    return sign | (bits < 0x7f800000 ? (uint32_t)bits : away ? 0x7f800000 : 0x7f7fffff);
}
