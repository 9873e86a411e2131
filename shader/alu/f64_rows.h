/* Doubles as two rows, of low words and of high words: arithmetic on the registers of the host, for
 * handlers of Fermi and generic64. In: rows, and MXCSR as the operation needs it. Out: rows. The
 * doubles of a register are not in the order of the lanes; the words of results are. Results that
 * are NaNs are the host's: the caller has to find them (f64_rows_nan()). Arithmetic: x86 only.
 */
#pragma once

#include "shader/alu/f64.h"

/* All ones in the lanes with NaNs. */
LANES_INLINE u32x32 f64_rows_nan(u32x32 low, u32x32 high) {
    const u32x32 size = high & 0x7fffffff;
    return (u32x32)(size > 0x7ff00000) | ((u32x32)(size == 0x7ff00000) & (u32x32)(low != 0));
}

/* The lanes with magnitudes below 2^(exponent - 1023), but not 0. */
LANES_INLINE lane_mask f64_rows_below(u32x32 low, u32x32 high, uint32_t exponent) {
    const u32x32 size = high & 0x7fffffff;
    return lanes_to_mask((u32x32)(size < lanes_splat(exponent << 20)) &
                         (u32x32)((size | low) != 0));
}

#if defined(__SSE2__) && defined(FP_HOST_MODE)
#define F64_ROWS

/* The doubles of one register. */
typedef double f64xw __attribute__((vector_size(4 * VEC_LANES)));
typedef uint64_t u64xw __attribute__((vector_size(4 * VEC_LANES)));
typedef int64_t i64xw __attribute__((vector_size(4 * VEC_LANES)));
enum { F64_WIDE = VEC_LANES / 2 };
#if VEC_LANES == 16
typedef __m512d vec_doubles;
#elif VEC_LANES == 8
typedef __m256d vec_doubles;
#else
typedef __m128d vec_doubles;
#endif

/* A source: its rows, and its modifiers, which make (high & kept) ^ flipped of high words. tested:
 * high, or another row for a source that is known to be no denormal. */
struct f64_source {
    const u32x32 *low, *high, *tested;
    uint32_t kept, flipped;
};

/* True if a double of the register is all ones. */
LANES_INLINE bool f64_rows_any(u64xw v) {
#if VEC_LANES == 16
    return _mm512_movepi64_mask((__m512i)v);
#else
    return VEC_INTRINSIC(movemask_pd)((vec_doubles)v);
#endif
}

/* The doubles of register n of the rows. */
LANES_INLINE void f64_rows_join(const struct f64_source *s, int n, f64xw v[2]) {
    const vec_singles low = (vec_singles)vec_load(s->low, n);
    const u32xv word = ((u32xv)vec_load(s->high, n) & s->kept) ^ s->flipped;
    v[0] = (f64xw)VEC_INTRINSIC(unpacklo_ps)(low, (vec_singles)word);
    v[1] = (f64xw)VEC_INTRINSIC(unpackhi_ps)(low, (vec_singles)word);
}

LANES_INLINE u32xv f64_rows_low(u64xw a, u64xw b) {
    return (u32xv)VEC_INTRINSIC(shuffle_ps)((vec_singles)a, (vec_singles)b, 0x88);
}

enum f64_kind { F64_ADD, F64_MUL, F64_FMA };

LANES_INLINE f64xw f64_rows_one(enum f64_kind kind, f64xw a, f64xw b, f64xw c) {
    if (kind == F64_ADD)
        return a + b;
    if (kind == F64_MUL)
        return a * b;
#if defined(__FMA__)
    return (f64xw)VEC_INTRINSIC(fmadd_pd)((vec_doubles)a, (vec_doubles)b, (vec_doubles)c);
#else
    for (int i = 0; i < F64_WIDE; i++)
        a[i] = __builtin_fma(a[i], b[i], c[i]);
    return a;
#endif
}

/* Results as rows. */
struct f64_result {
    u32x32 low, high;
    bool nan;       /* a result is a NaN */
    lane_mask tiny; /* lanes where a source or the result is 0 or a denormal */
};

/* Puts doubles of register n into rows. */
LANES_INLINE void f64_rows_split(f64xw a, f64xw b, int n, u32x32 *low, u32x32 *high) {
    vec_store(low, n, (f32xv)f64_rows_low((u64xw)a, (u64xw)b));
    vec_store(high, n, (f32xv)VEC_INTRINSIC(shuffle_ps)((vec_singles)a, (vec_singles)b, 0xdd));
}

LANES_INLINE u32xv f64_rows_exponent(const u32x32 *high, int n) {
    return (u32xv)vec_load(high, n) & 0x7ff00000;
}

/* x + y, x * y or x * y + z in the mode of MXCSR. finds_tiny: fills `tiny`. */
LANES_INLINE void f64_rows_arith(enum f64_kind kind, const struct f64_source *x,
                                 const struct f64_source *y, const struct f64_source *z,
                                 bool finds_tiny, struct f64_result *r) {
    u64xw nan = {0};
    r->tiny = 0;
    for (int n = 0; n < VECS; n++) {
        f64xw a[2], b[2], c[2] = {{0}};
        f64_rows_join(x, n, a);
        f64_rows_join(y, n, b);
        if (kind == F64_FMA)
            f64_rows_join(z, n, c);
        for (int i = 0; i < 2; i++) {
            a[i] = f64_rows_one(kind, a[i], b[i], c[i]);
            nan |= (u64xw)(a[i] != a[i]);
        }
        f64_rows_split(a[0], a[1], n, &r->low, &r->high);
        if (!finds_tiny)
            continue;
        u32xv least =
            vec_min_unsigned(f64_rows_exponent(x->tested, n), f64_rows_exponent(y->tested, n));
        least = vec_min_unsigned(least, f64_rows_exponent(&r->high, n));
        if (kind == F64_FMA)
            least = vec_min_unsigned(least, f64_rows_exponent(z->tested, n));
        r->tiny |= vec_to_mask((u32xv)(least == 0)) << n * VEC_LANES;
    }
    r->nan = f64_rows_any(nan);
}

/* All ones where the comparison of x with y is among cond (COND_*). */
LANES_INLINE u32x32 f64_rows_set(const struct f64_source *x, const struct f64_source *y,
                                 unsigned cond) {
    u32x32 out;
    for (int n = 0; n < VECS; n++) {
        f64xw a[2], b[2];
        u64xw holds[2] = {{0}};
        f64_rows_join(x, n, a);
        f64_rows_join(y, n, b);
        for (int i = 0; i < 2; i++) {
            if (cond & COND_LESS)
                holds[i] |= (u64xw)(a[i] < b[i]);
            if (cond & COND_EQUAL)
                holds[i] |= (u64xw)(a[i] == b[i]);
            if (cond & COND_GREATER)
                holds[i] |= (u64xw)(a[i] > b[i]);
            if (cond & COND_UNORDERED)
                holds[i] |= (u64xw)(a[i] != a[i]) | (u64xw)(b[i] != b[i]);
        }
        vec_store(&out, n, (f32xv)f64_rows_low(holds[0], holds[1]));
    }
    return out;
}

/* An integer key with the order of doubles, -0 before +0. */
LANES_INLINE i64xw f64_rows_order(f64xw v) {
    const i64xw bits = (i64xw)v;
    return bits ^ ((bits >> 63) & INT64_MAX);
}

/* Minima or maxima, in any mode of MXCSR. False: a source is a NaN. */
LANES_INLINE bool f64_rows_min_max(const struct f64_source *x, const struct f64_source *y, bool max,
                                   u32x32 *low, u32x32 *high) {
    u64xw nan = {0};
    for (int n = 0; n < VECS; n++) {
        f64xw a[2], b[2];
        f64_rows_join(x, n, a);
        f64_rows_join(y, n, b);
        for (int i = 0; i < 2; i++) {
            const u64xw less = (u64xw)(f64_rows_order(a[i]) < f64_rows_order(b[i]));
            const u64xw first = max ? ~less : less;
            nan |= (u64xw)(a[i] != a[i]) | (u64xw)(b[i] != b[i]);
            a[i] = (f64xw)(((u64xw)a[i] & first) | ((u64xw)b[i] & ~first));
        }
        f64_rows_split(a[0], a[1], n, low, high);
    }
    return !f64_rows_any(nan);
}

/* The lanes in which a source may be a denormal. */
LANES_INLINE lane_mask f64_rows_tiny(const struct f64_source *x, const struct f64_source *y) {
    lane_mask tiny = 0;
    for (int n = 0; n < VECS; n++) {
        const u32xv least =
            vec_min_unsigned(f64_rows_exponent(x->tested, n), f64_rows_exponent(y->tested, n));
        tiny |= vec_to_mask((u32xv)(least == 0)) << n * VEC_LANES;
    }
    return tiny;
}

/* ---- conversions; MXCSR rounds to nearest ---- */

/* Integers, exactly. The word becomes the low word of a double whose high word is that of 2^52;
 * this double is the word plus 2^52, and 2^52 is subtracted. */
LANES_INLINE void f64_rows_from_int(u32x32 v, bool sign, u32x32 *to_low, u32x32 *to_high) {
    const u32x32 high = lanes_splat(0x43300000), low = v ^ (sign ? 0x80000000u : 0);
    const struct f64_source s = {&low, &high, &high, ~0u, 0};
    for (int n = 0; n < VECS; n++) {
        f64xw a[2];
        f64_rows_join(&s, n, a);
        f64_rows_split(a[0] - (sign ? 0x1p52 + 0x1p31 : 0x1p52),
                       a[1] - (sign ? 0x1p52 + 0x1p31 : 0x1p52), n, to_low, to_high);
    }
}

#if defined(__SSE4_1__)
#define F64_ROWS_INTEGRAL

#if VEC_LANES == 16
#define F64_ROUND(v, direction) _mm512_roundscale_pd(v, (direction) | _MM_FROUND_NO_EXC)
#else
#define F64_ROUND(v, direction) VEC_INTRINSIC(round_pd)(v, (direction) | _MM_FROUND_NO_EXC)
#endif

LANES_INLINE f64xw f64_rows_round(f64xw value, enum round_mode mode) {
    const vec_doubles v = (vec_doubles)value;
    switch (mode) {
    case ROUND_RM:
        return (f64xw)F64_ROUND(v, _MM_FROUND_TO_NEG_INF);
    case ROUND_RP:
        return (f64xw)F64_ROUND(v, _MM_FROUND_TO_POS_INF);
    case ROUND_RZ:
        return (f64xw)F64_ROUND(v, _MM_FROUND_TO_ZERO);
    default:
        return (f64xw)F64_ROUND(v, _MM_FROUND_TO_NEAREST_INT);
    }
}

/* Rounds to integral values. */
LANES_INLINE void f64_rows_integral(const struct f64_source *x, enum round_mode mode,
                                    u32x32 *to_low, u32x32 *to_high) {
    for (int n = 0; n < VECS; n++) {
        f64xw a[2];
        f64_rows_join(x, n, a);
        f64_rows_split(f64_rows_round(a[0], mode), f64_rows_round(a[1], mode), n, to_low, to_high);
    }
}

/* One register of integers from least to most, in the low words: 1.5 * 2^52 moves them there. */
LANES_INLINE u64xw f64_rows_integers(f64xw v, enum round_mode mode, double least, double most) {
    const u64xw number = (u64xw)(v == v);
    v = f64_rows_round(v, mode);
    v = (f64xw)VEC_INTRINSIC(max_pd)((vec_doubles)v, (vec_doubles)(least + (f64xw){0}));
    v = (f64xw)VEC_INTRINSIC(min_pd)((vec_doubles)v, (vec_doubles)(most + (f64xw){0}));
    return (u64xw)(v + 0x1.8p52) & number;
}

/* Integers from least to most, to which values outside are clamped; 0 for NaNs. */
LANES_INLINE void f64_rows_to_int(const struct f64_source *x, enum round_mode mode, double least,
                                  double most, u32x32 *out) {
    for (int n = 0; n < VECS; n++) {
        f64xw a[2];
        f64_rows_join(x, n, a);
        vec_store(out, n,
                  (f32xv)f64_rows_low(f64_rows_integers(a[0], mode, least, most),
                                      f64_rows_integers(a[1], mode, least, most)));
    }
}
#endif
#endif
