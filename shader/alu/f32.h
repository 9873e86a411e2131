/* Single precision arithmetic over 32 lanes: bits in, bits out, pure functions. Callers run with
 * FP_PLAIN | FP_FLUSH: nearest, denormals are zero. On the chip a result becomes zero if it is
 * below 2^-126 after it is rounded to 24 bits (tesla-isa.md §7.1). x86 does the same. A host that
 * flushes before it rounds (FP_FLUSHES_EARLY) computes such results again, the long way. Every NaN
 * result is F32_NAN. Knows no register.
 */
#pragma once

#include "shader/alu/int.h"
#include "shader/alu/round.h"

enum {
    F32_NAN = 0x7fffffff,
    F32_INF = 0x7f800000,
    F32_ONE = 0x3f800000,
    F32_FRACTION = 0x7fffff,
    F32_HIDDEN = 0x800000
};
#define F32_SIGN 0x80000000u
/* Classes of vfpclass: F32_CLASS_NAN has both kinds of NaNs, F32_CLASS_ZERO zeros and denormals. */
enum { F32_CLASS_NAN = 0x81, F32_CLASS_ZERO = 0x26 };

/* Lane vectors as vectors of eight, for steps that need doubles. */
union f32_vectors {
    u32x32 v;
    f32x8 vec[4];
    u32x8 bits[4];
};

/* The result of a saturated NaN (MODE_SAT_NAN, tesla-isa.md §2.7). */
enum sat_nan {
    SAT_NAN_KEEP,    /* F32_NAN */
    SAT_NAN_SOURCES, /* 0 if a source is NaN, else F32_NAN (G200) */
    SAT_NAN_ZERO,    /* 0 (GT21x) */
};

LANES_INLINE u32x32 f32_is_nan(u32x32 v) {
    return (u32x32)((f32x32)v != (f32x32)v);
}

/* Zeros and denormals. */
LANES_INLINE u32x32 f32_is_zero(u32x32 v) {
    return (u32x32)((v & F32_INF) == 0);
}

/* Biased exponent field. */
LANES_INLINE u32x32 f32_exponent(u32x32 v) {
    return v >> 23 & 0xff;
}

/* Significand with its hidden bit; 0 for zeros and denormals. */
LANES_INLINE u32x32 f32_significand(u32x32 v) {
    return ((v & F32_FRACTION) | F32_HIDDEN) & ~f32_is_zero(v);
}

LANES_INLINE u32x32 f32_flush(u32x32 v) {
#if defined(__AVX512F__)
    const __m512i exponent = _mm512_set1_epi32(F32_INF), sign = _mm512_set1_epi32(INT32_MIN);
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++)
        x.h[i] =
            _mm512_mask_and_epi32(x.h[i], _mm512_testn_epi32_mask(x.h[i], exponent), x.h[i], sign);
    return x.v;
#endif
    return v & ~(f32_is_zero(v) & 0x7fffffff);
}

#if defined(__AVX2__)
/* Two steps in assembly, because clang would replace them: v * 1, which flushes denormals, and the
 * comparison of v with itself, for which clang would keep a zero in a register. */
LANES_INLINE __m256 f32_times_one(__m256 v) {
    const __m256 one = _mm256_set1_ps(1);
    __m256 r;
    __asm__("vmulps %2, %1, %0" : "=x"(r) : "x"(v), "x"(one));
    return r;
}

/* All ones where a predicate (_CMP_*) holds for a and b. Predicates named _OQ and _UQ set no flag
 * of the host for quiet NaNs; for a comparison in C, clang would take other predicates. */
#define F32_WHERE(predicate, a, b)                                                                 \
    ({                                                                                             \
        __m256 where_;                                                                             \
        __asm__("vcmpps %3, %2, %1, %0" : "=x"(where_) : "x"(a), "x"(b), "i"(predicate));          \
        where_;                                                                                    \
    })

LANES_INLINE __m256 f32_where_nan(__m256 v) {
    __m256 r;
    __asm__("vcmpunordps %1, %1, %0" : "=x"(r) : "x"(v));
    return r;
}
#endif

/* f32_flush(). With AVX by a product with 1: the mode flushes (FP_FLUSH), and NaNs become quiet. */
LANES_INLINE u32x32 f32_flush_by_host(u32x32 v) {
#if defined(__AVX512F__)
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++) /* a rounding mode keeps the compiler from dropping the operation */
        x.h[i] = (__m512i)_mm512_mul_round_ps((__m512)x.h[i], _mm512_set1_ps(1),
                                              _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return x.v;
#elif defined(__AVX2__)
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++)
        x.q[i] = (__m256i)f32_times_one((__m256)x.q[i]);
    return x.v;
#else
    return f32_flush(v);
#endif
}

LANES_INLINE u32x32 f32_canonical(u32x32 v) {
#if defined(__AVX512F__)
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++) {
        const __mmask16 nan = _mm512_fpclass_ps_mask((__m512)x.h[i], F32_CLASS_NAN);
        x.h[i] = _mm512_mask_set1_epi32(x.h[i], nan, F32_NAN);
    }
    return x.v;
#elif defined(__AVX2__)
    const __m256 canonical = (__m256)_mm256_set1_epi32(F32_NAN);
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++)
        x.q[i] =
            (__m256i)_mm256_blendv_ps((__m256)x.q[i], canonical, f32_where_nan((__m256)x.q[i]));
    return x.v;
#endif
    return lanes_blend(f32_is_nan(v), lanes_splat(F32_NAN), v);
}

#ifdef STENCIL_RARE_NAN
LANES_INLINE bool f32_has_nan(u32x32 v) {
#if defined(__AVX2__)
    const union lanes_quarters x = {.v = v};
    return _mm256_movemask_ps(
        _mm256_or_ps(_mm256_cmp_ps((__m256)x.q[0], (__m256)x.q[1], _CMP_UNORD_Q),
                     _mm256_cmp_ps((__m256)x.q[2], (__m256)x.q[3], _CMP_UNORD_Q)));
#else
    union {
        u32x32 v;
        __m128 vec[8];
    } x = {.v = v};
    __m128 nan = _mm_cmpunord_ps(x.vec[0], x.vec[1]);
    for (int i = 2; i < 8; i += 2)
        nan = _mm_or_ps(nan, _mm_cmpunord_ps(x.vec[i], x.vec[i + 1]));
    return _mm_movemask_ps(nan);
#endif
}
#endif

/* The result of an operation with its NaNs made canonical. Stencils with rows in registers
 * (STENCIL_RAW_NAN) leave NaNs as they are: these become canonical where their bits can be seen
 * (shader/native/). Other stencils (STENCIL_RARE_NAN) test first whether there is a NaN. */
LANES_INLINE u32x32 f32_result(u32x32 v) {
#if defined(STENCIL_RAW_NAN)
    return v;
#elif defined(STENCIL_RARE_NAN)
    return __builtin_expect(f32_has_nan(v), false) ? f32_canonical(v) : v;
#else
    return f32_canonical(v);
#endif
}

/* Source modifiers (OPERAND_ABS, then OPERAND_NEG). */
LANES_INLINE u32x32 f32_modify(u32x32 v, unsigned flags) {
    if (flags & OPERAND_ABS)
        v &= ~F32_SIGN;
    if (flags & OPERAND_NEG)
        v ^= F32_SIGN;
    return v;
}

/* p + c as a double, exact or rounded to odd: of the two doubles around an inexact sum the one
 * whose last bit is 1. Rounding this double to a float gives the exact sum rounded once, because a
 * double has more than two bits beyond a float. `rest` is the exact sum less s (Knuth's sum). */
LANES_INLINE f64x8 f32_sum_to_odd(f64x8 p, f64x8 c) {
    const f64x8 s = p + c, from_c = s - p, rest = (p - (s - from_c)) + (c - from_c), none = {0};
    /* where `rest` is neither above nor below 0, s is exact or a NaN */
    const u64x8 above = (u64x8)(rest > none), below = (u64x8)(rest < none);
    const u64x8 even = ((u64x8)s & 1) - 1, negative = (u64x8)(s < none);
    const u64x8 out = above ^ negative; /* the exact sum is farther from zero than s */
    return (f64x8)((u64x8)s + (even & (above | below) & (1 | ~out)));
}

#if !defined(FP_HOST_MODE)
#include "shader/alu/f32_plain.inc"
#else
/* Comparisons and conversions of the host flush denormals by themselves. */
LANES_INLINE u32x32 f32_operand(u32x32 v) {
    return v;
}

#if defined(__AVX512F__)
#define F32_ROUNDED(name, intrinsic, symbol)                                                       \
    LANES_INLINE u32x32 name(u32x32 a, u32x32 b, enum round_mode mode) {                           \
        union {                                                                                    \
            u32x32 v;                                                                              \
            __m512 h[2];                                                                           \
        } x = {.v = a}, y = {.v = b};                                                              \
        for (int i = 0; i < 2; i++)                                                                \
            x.h[i] = mode == ROUND_RN   ? intrinsic(x.h[i], y.h[i], _MM_FROUND_CUR_DIRECTION)      \
                     : mode == ROUND_RM ? intrinsic(x.h[i], y.h[i], F32_TOWARD(NEG_INF))           \
                     : mode == ROUND_RP ? intrinsic(x.h[i], y.h[i], F32_TOWARD(POS_INF))           \
                                        : intrinsic(x.h[i], y.h[i], F32_TOWARD(ZERO));             \
        return x.v;                                                                                \
    }
#define F32_TOWARD(where) (_MM_FROUND_TO_##where | _MM_FROUND_NO_EXC)
F32_ROUNDED(f32_host_add, _mm512_add_round_ps, +)
F32_ROUNDED(f32_host_sub, _mm512_sub_round_ps, -)
F32_ROUNDED(f32_host_mul, _mm512_mul_round_ps, *)

/* a * b + c, rounded once. */
LANES_INLINE u32x32 f32_host_fma(u32x32 a, u32x32 b, u32x32 c, enum round_mode mode) {
    union {
        u32x32 v;
        __m512 h[2];
    } x = {.v = a}, y = {.v = b}, z = {.v = c};
    for (int i = 0; i < 2; i++)
        x.h[i] =
            mode == ROUND_RN   ? _mm512_fmadd_ps(x.h[i], y.h[i], z.h[i])
            : mode == ROUND_RM ? _mm512_fmadd_round_ps(x.h[i], y.h[i], z.h[i], F32_TOWARD(NEG_INF))
            : mode == ROUND_RP ? _mm512_fmadd_round_ps(x.h[i], y.h[i], z.h[i], F32_TOWARD(POS_INF))
                               : _mm512_fmadd_round_ps(x.h[i], y.h[i], z.h[i], F32_TOWARD(ZERO));
    return x.v;
}
#else
#define F32_ROUNDED(name, intrinsic, symbol)                                                       \
    LANES_INLINE u32x32 name(u32x32 a, u32x32 b, enum round_mode mode) {                           \
        if (mode == ROUND_RN)                                                                      \
            return (u32x32)((f32x32)a symbol(f32x32) b);                                           \
        unsigned csr = round_begin(mode);                                                          \
        ROUND_BARRIER(a);                                                                          \
        u32x32 r = (u32x32)((f32x32)a symbol(f32x32) b);                                           \
        ROUND_BARRIER(r);                                                                          \
        round_end(csr);                                                                            \
        return r;                                                                                  \
    }
F32_ROUNDED(f32_host_add, , +)
F32_ROUNDED(f32_host_sub, , -)

#if defined(FP_FLUSHES_EARLY)
/* Doubles as floats. A double below 2^-126 that becomes 2^-126 when it is rounded to 24 bits is
 * replaced by 2^-126 before the host would flush it. p: exact, or rounded to odd
 * (f32_sum_to_odd). */
LANES_INLINE f32x8 f32_rounded(f64x8 p, enum round_mode mode) {
    const uint64_t sign = 1ull << 63, smallest = 0x3810000000000000;
    const u64x8 magnitude = (u64x8)p & ~sign, negative = (u64x8)(p < (f64x8){0});
    /* `near`: at most half a step of 24 bits below 2^-126; `above`: less than a whole step below */
    const u64x8 near = (u64x8)(magnitude >= 0x380ffffff0000000);
    const u64x8 above = (u64x8)(magnitude > 0x380fffffe0000000);
    const u64x8 up = mode == ROUND_RN   ? near
                     : mode == ROUND_RP ? above & ~negative
                     : mode == ROUND_RM ? above & negative
                                        : (u64x8){0};
    const u64x8 mended = up & (u64x8)(magnitude < smallest);
    if (fp_mode() & FP_FLUSH)
        p = (f64x8)(((u64x8)p & (~mended | sign)) | (mended & smallest));
    return __builtin_convertvector(p, f32x8);
}

/* The products of the rows: exact in doubles, rounded once. */
static __attribute__((noinline, unused)) void f32_mul_exactly(const u32x32 *a, const u32x32 *b,
                                                              enum round_mode mode, u32x32 *r) {
    union f32_vectors x = {.v = *a}, y = {.v = *b};
    const unsigned csr = round_begin(mode);
    ROUND_BARRIER(x);
    ROUND_BARRIER(y);
    for (int i = 0; i < 4; i++)
        x.vec[i] = f32_rounded(__builtin_convertvector(x.vec[i], f64x8) *
                                   __builtin_convertvector(y.vec[i], f64x8),
                               mode);
    ROUND_BARRIER(x);
    round_end(csr);
    *r = x.v;
}

F32_ROUNDED(f32_fast_mul, , *)

/* A zero that is no product of a zero may have been flushed before it was rounded; then all lanes
 * are computed again, exactly. */
LANES_INLINE u32x32 f32_host_mul(u32x32 a, u32x32 b, enum round_mode mode) {
    u32x32 r = f32_fast_mul(a, b, mode);
    const u32x32 lost = (u32x32)((r << 1) == 0) & ~(f32_is_zero(a) | f32_is_zero(b));
    if (__builtin_expect(lanes_to_mask(lost) != 0, 0))
        f32_mul_exactly(&a, &b, mode, &r);
    return r;
}
#else
F32_ROUNDED(f32_host_mul, , *)
#define f32_rounded(p, mode) __builtin_convertvector(p, f32x8)
#endif

#if defined(__FMA__)
LANES_INLINE u32x32 f32_host_fma(u32x32 a, u32x32 b, u32x32 c, enum round_mode mode) {
    union {
        u32x32 v;
        __m256 q[4];
    } x = {.v = a}, y = {.v = b}, z = {.v = c};
    const unsigned csr = mode == ROUND_RN ? 0 : round_begin(mode);
    if (mode != ROUND_RN)
        ROUND_BARRIER(x);
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_fmadd_ps(x.q[i], y.q[i], z.q[i]);
    if (mode != ROUND_RN) {
        ROUND_BARRIER(x);
        round_end(csr);
    }
    return x.v;
}
#else
LANES_INLINE u32x32 f32_fma_rounded(u32x32 a, u32x32 b, u32x32 c, enum round_mode mode) {
    union f32_vectors x = {.v = a}, y = {.v = b}, z = {.v = c};
    union {
        f64x8 vec[4];
    } sum;
    for (int i = 0; i < 4; i++) {
        const f64x8 p =
            __builtin_convertvector(x.vec[i], f64x8) * __builtin_convertvector(y.vec[i], f64x8);
        const f64x8 d = __builtin_convertvector(z.vec[i], f64x8);
        sum.vec[i] = f32_sum_to_odd(p, d);
        if (mode == ROUND_RM) /* exact cancellation gives -0 */
            sum.vec[i] = (f64x8)((u64x8)sum.vec[i] |
                                 ((u64x8)(sum.vec[i] == 0) & ((u64x8)p ^ (u64x8)d) & 1ull << 63));
    }
    const unsigned csr = mode == ROUND_RN ? 0 : round_begin(mode);
    if (mode != ROUND_RN)
        ROUND_BARRIER(sum);
    for (int i = 0; i < 4; i++)
        x.vec[i] = f32_rounded(sum.vec[i], mode);
    if (mode != ROUND_RN) {
        ROUND_BARRIER(x);
        round_end(csr);
    }
    return x.v;
}

#if defined(__SSE2__)
/* The lanes in which the double sum, rounded to a float, may differ from the exact sum rounded
 * once: sums half way between floats, and sums below the normal floats except 0. */
LANES_INLINE __m128i f32_sum_is_unsettled(__m128d s0, __m128d s1) {
    enum { HALF = 1 << 28, SMALLEST = 0x38100000 /* 2^-126 */ };
    const __m128 f0 = _mm_castpd_ps(s0), f1 = _mm_castpd_ps(s1);
    const __m128i low = _mm_castps_si128(_mm_shuffle_ps(f0, f1, 0x88));
    const __m128i high =
        _mm_and_si128(_mm_castps_si128(_mm_shuffle_ps(f0, f1, 0xdd)), _mm_set1_epi32(INT32_MAX));
    const __m128i tie =
        _mm_cmpeq_epi32(_mm_and_si128(low, _mm_set1_epi32(2 * HALF - 1)), _mm_set1_epi32(HALF));
    const __m128i small = _mm_cmpgt_epi32(_mm_set1_epi32(SMALLEST), high);
    const __m128i zero = _mm_cmpeq_epi32(high, _mm_setzero_si128());
    return _mm_or_si128(tie, _mm_andnot_si128(zero, small));
}

/* Two floats from memory: a conversion from memory is cheaper than from a register. */
LANES_INLINE __m128d f32_pair_to_double(const float *f) {
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)f)));
}

/* a * b + c: products of floats are exact in double. If a sum is not settled, f32_fma_rounded
 * computes all. */
LANES_INLINE u32x32 f32_host_fma(u32x32 a, u32x32 b, u32x32 c, enum round_mode mode) {
    union {
        u32x32 v;
        float f[LANES];
        __m128 vec[8];
    } x = {.v = a}, y = {.v = b}, z = {.v = c}, r;
    __m128i unsettled = _mm_setzero_si128();
    if (mode != ROUND_RN)
        return f32_fma_rounded(a, b, c, mode);
    ROUND_BARRIER(x);
    ROUND_BARRIER(y);
    ROUND_BARRIER(z);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m128d s[2];
        for (int k = 0; k < 2; k++)
            s[k] = _mm_add_pd(_mm_mul_pd(f32_pair_to_double(x.f + 4 * i + 2 * k),
                                         f32_pair_to_double(y.f + 4 * i + 2 * k)),
                              f32_pair_to_double(z.f + 4 * i + 2 * k));
        r.vec[i] = _mm_movelh_ps(_mm_cvtpd_ps(s[0]), _mm_cvtpd_ps(s[1]));
        unsettled = _mm_or_si128(unsettled, f32_sum_is_unsettled(s[0], s[1]));
    }
    return __builtin_expect(_mm_movemask_epi8(unsettled), 0) ? f32_fma_rounded(x.v, y.v, z.v, mode)
                                                             : r.v;
}
#else
static __attribute__((noinline, unused)) void f32_fma_exactly(const u32x32 *a, const u32x32 *b,
                                                              const u32x32 *c, enum round_mode mode,
                                                              u32x32 *r) {
    *r = f32_fma_rounded(*a, *b, *c, mode);
}

/* The host's instruction. If a result is zero though no factor is, all lanes are computed again,
 * exactly. */
LANES_INLINE u32x32 f32_host_fma(u32x32 a, u32x32 b, u32x32 c, enum round_mode mode) {
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = a}, y = {.v = b}, z = {.v = c};
    const unsigned csr = mode == ROUND_RN ? 0 : round_begin(mode);
    if (mode != ROUND_RN)
        ROUND_BARRIER(x);
    for (int i = 0; i < LANES; i++)
        x.f[i] = __builtin_fmaf(x.f[i], y.f[i], z.f[i]);
    if (mode != ROUND_RN) {
        ROUND_BARRIER(x);
        round_end(csr);
    }
    const u32x32 lost = (u32x32)((x.v << 1) == 0) & ~(f32_is_zero(a) | f32_is_zero(b));
    if (__builtin_expect(lanes_to_mask(lost) != 0, 0))
        f32_fma_exactly(&a, &b, &c, mode, &x.v);
    return x.v;
}
#endif
#endif
#endif
#undef F32_ROUNDED
#endif

/* A result of 2^-126 that was rounded with denormals honoured becomes zero if the exact result,
 * rounded to 24 bits, is smaller: x86 flushes so. v: the result of an operation; scaled: the result
 * of the same operation on operands that make it 2^64 times as large. */
LANES_INLINE u32x32 f32_without_tiny(u32x32 v, u32x32 scaled) {
    const u32x32 smallest = lanes_splat((127 - 126 + 64) << 23);
    const u32x32 tiny =
        (u32x32)((v & 0x7fffffff) == F32_HIDDEN) & (u32x32)((scaled & 0x7fffffff) < smallest);
    return v & ~(tiny & 0x7fffffff);
}

LANES_INLINE u32x32 f32_times_power(u32x32 v, int power) {
    return f32_host_mul(v, lanes_splat((uint32_t)(127 + power) << 23), ROUND_RN);
}

/* f32_product(): a * b, f32_sum(): a + b, as steps of a longer expression. The caller makes NaNs
 * canonical. */
LANES_INLINE f32x32 f32_product(f32x32 a, f32x32 b) {
#if defined(FP_HOST_MODE) && !defined(FP_FLUSHES_EARLY)
    return a * b;
#else
    return (f32x32)f32_host_mul((u32x32)a, (u32x32)b, ROUND_RN);
#endif
}

LANES_INLINE f32x32 f32_sum(f32x32 a, f32x32 b) {
#if defined(FP_HOST_MODE)
    return a + b;
#else
    return (f32x32)f32_host_add((u32x32)a, (u32x32)b, ROUND_RN);
#endif
}

LANES_INLINE u32x32 f32_add(u32x32 a, u32x32 b, enum round_mode mode) {
    return f32_result(f32_host_add(a, b, mode));
}

/* a * b, rounded. zero_wins: MODE_MUL_ZERO_WINS, zero times anything is +0. */
LANES_INLINE u32x32 f32_mul(u32x32 a, u32x32 b, enum round_mode mode, bool zero_wins) {
    u32x32 r = f32_result(f32_host_mul(a, b, mode));
    return zero_wins ? r & ~(f32_is_zero(a) | f32_is_zero(b)) : r;
}

/* The product truncated to 24 bits, or rounded in the lanes of `nearest`. Limits: a result above
 * 2^128 is wrong, one below 2^-79 may miss its last bit, one below 2^-126 is zero. */
LANES_INLINE __attribute__((unused)) u32x32 f32_mul_truncated(u32x32 a, u32x32 b, u32x32 nearest) {
#if defined(__FMA__)
    /* The rounded product, less one step where the sign of the exact remainder shows that it was
     * rounded away from zero. */
    union {
        u32x32 v;
        __m256 q[4];
    } x = {.v = a}, y = {.v = b}, keep = {.v = nearest};
    for (int i = 0; i < 4; i++) {
        __m256 p = _mm256_mul_ps(x.q[i], y.q[i]);
        __m256 rest = _mm256_fmsub_ps(x.q[i], y.q[i], p);
        __m256 inexact = _mm256_cmp_ps(rest, _mm256_setzero_ps(), _CMP_NEQ_OQ);
        __m256 away = _mm256_and_ps(_mm256_xor_ps(rest, p), _mm256_andnot_ps(keep.q[i], inexact));
        x.q[i] = _mm256_castsi256_ps(_mm256_add_epi32(
            _mm256_castps_si256(p), _mm256_srai_epi32(_mm256_castps_si256(away), 31)));
    }
    return x.v;
#else
    const u64x32 cut = __builtin_convertvector(~nearest, u64x32) & 0x1fffffff;
    union f32_vectors x = {.v = a}, y = {.v = b};
    union {
        u64x32 v;
        u64x8 vec[4];
    } off = {.v = cut};
    for (int i = 0; i < 4; i++) {
        f64x8 p =
            __builtin_convertvector(x.vec[i], f64x8) * __builtin_convertvector(y.vec[i], f64x8);
        p = (f64x8)((u64x8)p & ~off.vec[i]);
        x.vec[i] = __builtin_convertvector(p, f32x8);
    }
    return x.v;
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/* v - 1. Assembly, because clang would make the constant -1 with an operation. */
LANES_INLINE __m256i f32_step_down(__m256i v) {
    const __m256i one = _mm256_set1_epi32(1);
    __m256i r;
    __asm__("vpsubd %2, %1, %0" : "=x"(r) : "x"(v), "x"(one));
    return r;
}

/* f32_mul_truncated() with fewer steps. Where c is zero, the product is rounded; `some`: c is not
 * zero. Wrong where the product is infinite or below 2^-126. The remainder, with the sign that it
 * has for a positive product, is negative where the product was rounded away from zero; there the
 * product moves one step toward zero. */
LANES_INLINE __attribute__((unused)) u32x32 f32_mul_truncated_beside(u32x32 a, u32x32 b, u32x32 c,
                                                                     bool some) {
    /* `zero` is a denormal: the host takes it for zero. With 0, clang would compare bits, and a
     * denormal c would count as nonzero. */
    const __m256 zero = _mm256_castsi256_ps(_mm256_set1_epi32(1));
    union {
        u32x32 v;
        __m256 f[4];
        __m256i q[4];
    } x = {.v = a}, y = {.v = b}, z = {.v = c};
    for (int i = 0; i < 4; i++) {
        const __m256 p = _mm256_mul_ps(x.f[i], y.f[i]), rest = _mm256_fmsub_ps(x.f[i], y.f[i], p);
        const __m256i product = _mm256_castps_si256(p);
        const __m256i lower =
            some ? f32_step_down(product)
                 : _mm256_add_epi32(product,
                                    _mm256_castps_si256(_mm256_cmp_ps(z.f[i], zero, _CMP_NEQ_UQ)));
        x.f[i] = _mm256_blendv_ps(
            p, _mm256_castsi256_ps(lower),
            _mm256_castsi256_ps(_mm256_sign_epi32(_mm256_castps_si256(rest), product)));
    }
    return x.v;
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
/* a * b + c as f32_mad() computes it. Where the result may differ, the host's flag of overflow,
 * underflow or an invalid operation is set: by a product or sum that leaves the format, by a
 * remainder that is lost, by an infinite factor, and by a NaN that is not quiet. A quiet NaN gives
 * a NaN and no flag. some: c is not zero. */
LANES_INLINE __attribute__((unused)) u32x32 f32_mad_or_flags(u32x32 a, u32x32 b, u32x32 c,
                                                             bool some) {
    return f32_host_add(f32_mul_truncated_beside(a, b, c, some), c, ROUND_RN);
}
#endif

/* fmad in its general form for eight lanes; c is not zero. The product is exact in double and
 * truncated to 24 bits; the sum is rounded to double, then to single (tesla-isa.md §7.4). Rounding
 * twice is harmless: where the double sum is inexact, one operand is below 2^-28 of the other, a
 * small part of a step of 24 bits: far from any tie. */
LANES_INLINE f32x8 f32_mad_by_double(f32x8 a, f32x8 b, f32x8 c) {
    f64x8 p = __builtin_convertvector(a, f64x8) * __builtin_convertvector(b, f64x8);
    p = (f64x8)((u64x8)p & ~0x1fffffffull);
    u64x8 bits = (u64x8)(p + __builtin_convertvector(c, f64x8));
    /* A sum below 2^-126 becomes 2^-126 if it is within half a denormal step of it, else zero. */
    const uint64_t smallest = 0x3810000000000000, reaches = 0x380fffffe0000000;
    u64x8 sign = bits & 1ull << 63, magnitude = bits & ~(1ull << 63);
    u64x8 tiny = (u64x8)(magnitude < smallest), up = (u64x8)(magnitude >= reaches);
    bits = (bits & ~tiny) | (tiny & (sign | (up & smallest)));
    return __builtin_convertvector((f64x8)bits, f32x8);
}

/* True for zero, infinity and NaN: the exponent field plus 1 has no bit set above its lowest
 * bit. */
LANES_INLINE __attribute__((unused)) u32x32 f32_is_extreme(u32x32 v) {
    return (u32x32)(((v + (1u << 23)) & 0x7f000000) == 0);
}

/* The lanes in which the product needs no truncation: a factor is zero, infinite or a NaN, or c is
 * zero or a NaN. An infinite c is not enough: beside it, a product too large for the format must
 * not become infinite. */
LANES_INLINE __attribute__((unused)) u32x32 f32_mad_is_plain(u32x32 a, u32x32 b, u32x32 c) {
    return f32_is_extreme(a) | f32_is_extreme(b) | f32_is_zero(c) | f32_is_nan(c);
}

/* An unfinished fmad: r is right in the settled lanes. */
struct f32_mad_state {
    u32x32 a, b, c, r, settled;
};

/* Finishes the lanes of fmad that are not settled. m: lanes whose result matters. */
static __attribute__((noinline, unused)) void f32_mad_general(const struct f32_mad_state *s,
                                                              bool zero_wins, lane_mask m,
                                                              u32x32 *result) {
    u32x32 p = f32_host_mul(s->a, s->b, ROUND_RN);
    if (zero_wins)
        p &= ~(f32_is_zero(s->a) | f32_is_zero(s->b));
    u32x32 r = lanes_blend(s->settled, s->r, f32_host_add(p, s->c, ROUND_RN));
    u32x32 settled = s->settled | f32_mad_is_plain(s->a, s->b, s->c);
    if ((lanes_to_mask(settled) & m) != m) {
        union f32_vectors x = {.v = s->a}, y = {.v = s->b}, z = {.v = s->c};
        for (int i = 0; i < 4; i++)
            x.vec[i] = f32_mad_by_double(x.vec[i], y.vec[i], z.vec[i]);
        r = lanes_blend(settled, r, x.v);
    }
    *result = f32_canonical(r);
}

/* The forms of fmad that f32_mad tries. *rest is set if the row needs a further form. */
enum f32_mad_effort {
    F32_MAD_WHOLE, /* all forms */
    /* the form that nearly all rows need; `rest`: some lane, active or not, is not settled */
    F32_MAD_SHORT,
    /* zeros, infinities and NaNs in addition; `rest`: some lane of m is not settled */
    F32_MAD_EXTREMES,
};

/* a * b + c with the product truncated, or rounded where c is zero. m: lanes whose result matters.
 * The short form is right wherever its result is in [2^-49, 2^79): a product too large for the
 * format leaves a sum of at least 2^104 or zero, and a product too small to be exact is so far
 * below c that it has no effect. Bit 30 of t tests this: the exponent field plus 50 is 128 to 255.
 * A zero factor gives c or a NaN; a NaN is outside of the range. */
LANES_INLINE u32x32 f32_mad(u32x32 a, u32x32 b, u32x32 c, bool zero_wins, lane_mask m,
                            enum f32_mad_effort effort, bool *rest) {
    const uint32_t shift = 50u << 23, inside = 1u << 30;
    a = f32_operand(a);
    b = f32_operand(b);
    c = f32_operand(c);
#if defined(__AVX512F__)
    enum { MIN_MAGNITUDE = 10 };
    union lanes_halves x = {.v = a}, y = {.v = b}, z = {.v = c}, sum, t;
    __m512 p[2];
    for (int i = 0; i < 2; i++)
        p[i] = _mm512_mul_round_ps((__m512)x.h[i], (__m512)y.h[i], F32_TOWARD(ZERO));
    const __m512i bit = _mm512_set1_epi32((int)inside);
    if (effort == F32_MAD_SHORT) {
        /* Beside a signalling NaN `least` misses a zero; but the NaN's lane is not settled
         * anyway. */
        const __m512 least = _mm512_range_ps((__m512)z.h[0], (__m512)z.h[1], MIN_MAGNITUDE);
        const __m512i add = _mm512_set1_epi32((int)shift);
        for (int i = 0; i < 2; i++) {
            sum.h[i] = (__m512i)_mm512_add_ps(p[i], (__m512)z.h[i]);
            t.h[i] = _mm512_add_epi32(sum.h[i], add);
        }
        const __m512i all =
            _mm512_ternarylogic_epi32(t.h[0], t.h[1], _mm512_add_epi32((__m512i)least, add), 0x80);
        *rest = _mm512_testn_epi32_mask(all, bit) != 0;
        return sum.v;
    }
    for (int i = 0; i < 2; i++) {
        p[i] =
            _mm512_mask_mul_round_ps(p[i], _mm512_fpclass_ps_mask((__m512)z.h[i], F32_CLASS_ZERO),
                                     (__m512)x.h[i], (__m512)y.h[i], F32_TOWARD(NEAREST_INT));
        sum.h[i] = (__m512i)_mm512_add_ps(p[i], (__m512)z.h[i]);
        t.h[i] = _mm512_add_epi32(sum.h[i], _mm512_set1_epi32((int)shift));
    }
    const u32x32 r = sum.v;
    const lane_mask unsettled = (lane_mask)_mm512_testn_epi32_mask(t.h[0], bit) |
                                (lane_mask)_mm512_testn_epi32_mask(t.h[1], bit) << 16;
#else
#if defined(__AVX2__)
    if (effort == F32_MAD_SHORT) {
        const u32x32 sum = f32_host_add(f32_mul_truncated_beside(a, b, c, false), c, ROUND_RN);
        const union lanes_quarters t = {.v = sum + shift};
        const __m256i all = (t.q[0] & t.q[1]) & (t.q[2] & t.q[3]);
        *rest = !_mm256_testc_si256(all, _mm256_set1_epi32((int)inside));
        return sum;
    }
#endif
    const u32x32 p = f32_mul_truncated(a, b, f32_is_zero(c));
    const u32x32 r = f32_host_add(p, c, ROUND_RN);
    const lane_mask unsettled = lanes_to_mask((u32x32)(((r + shift) & inside) == 0));
    if (effort == F32_MAD_SHORT) {
        *rest = unsettled;
        return r;
    }
#endif
    if (__builtin_expect(!(unsettled & m), 1))
        return r;
    const u32x32 harmless = f32_mad_is_plain(a, b, c);
    if (!zero_wins && !(unsettled & ~lanes_to_mask(harmless) & m))
        return f32_canonical(r);
    if (effort == F32_MAD_EXTREMES) {
        *rest = true;
        return r;
    }
    const struct f32_mad_state state = {a, b, c, r, ~lanes_from_mask(unsettled)};
    u32x32 result;
    f32_mad_general(&state, zero_wins, m, &result);
    return result;
}

/* Clamps to [0, 1]; -0 becomes +0. nan_to_zero: lanes in which a NaN becomes 0. */
LANES_INLINE u32x32 f32_saturate(u32x32 v, u32x32 nan_to_zero) {
    u32x32 nan = f32_is_nan(v);
    u32x32 one = lanes_splat(F32_ONE);
#if defined(__AVX512F__)
    /* max: if both are zero, or one is a NaN, the host returns the second operand, +0. */
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++)
        x.h[i] = (__m512i)_mm512_min_ps(_mm512_max_ps((__m512)x.h[i], _mm512_setzero_ps()),
                                        _mm512_set1_ps(1));
    const u32x32 r = x.v;
    (void)one;
#elif defined(__AVX2__)
    /* max: if both are zero, or one is a NaN, the host returns the second operand, +0. NaNs are put
     * back below. */
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++)
        x.q[i] = (__m256i)_mm256_min_ps(_mm256_max_ps((__m256)x.q[i], _mm256_setzero_ps()),
                                        _mm256_set1_ps(1));
    (void)one;
    const u32x32 r = x.v;
#else
    u32x32 r = v & ~int_sign_fill(v);
    r = lanes_blend((u32x32)(r > one), one, r);
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
    return r | (nan & F32_NAN & ~nan_to_zero);
#else
    return lanes_blend(nan, lanes_splat(F32_NAN) & ~nan_to_zero, r);
#endif
}

/* An integer key with the order of floats, -0 before +0. */
LANES_INLINE i32x32 f32_order(u32x32 v) {
    return (i32x32)(v ^ (int_sign_fill(v) & 0x7fffffff));
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/* The host returns the second operand if one is a NaN or both are zero. So NaNs are replaced by the
 * other operand first. Both orders of the operands are computed: combining their bits gives the
 * right zero. */
LANES_INLINE __m256 f32_min_max_by_host(__m256 a, __m256 b, bool max) {
    const __m256 x = _mm256_blendv_ps(a, b, f32_where_nan(a));
    const __m256 y = _mm256_blendv_ps(b, x, f32_where_nan(b)); /* of two NaNs one is taken */
    return f32_times_one(max ? _mm256_and_ps(_mm256_max_ps(x, y), _mm256_max_ps(y, x))
                             : _mm256_or_ps(_mm256_min_ps(x, y), _mm256_min_ps(y, x)));
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
/* f32_min_max() where b is a number, not a denormal; of two zeros b must be the right result. Sets
 * none of the host's flags for quiet NaNs. */
LANES_INLINE __attribute__((unused)) u32x32 f32_min_max_by_number(u32x32 a, u32x32 b, bool max) {
    union lanes_quarters p = {.v = a}, q = {.v = b};
    for (int i = 0; i < 4; i++) {
        const __m256 x = (__m256)p.q[i], y = (__m256)q.q[i];
        const __m256 wins = max ? F32_WHERE(_CMP_GT_OQ, x, y) : F32_WHERE(_CMP_LT_OQ, x, y);
        p.q[i] = (__m256i)f32_times_one(_mm256_blendv_ps(y, x, wins));
    }
    return p.v;
}
#endif

LANES_INLINE u32x32 f32_min_max(u32x32 a, u32x32 b, bool max) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    union lanes_quarters p = {.v = a}, q = {.v = b};
    for (int i = 0; i < 4; i++)
        p.q[i] = (__m256i)f32_min_max_by_host((__m256)p.q[i], (__m256)q.q[i], max);
    return f32_result(p.v);
#else
    a = f32_flush_by_host(a);
    b = f32_flush_by_host(b);
#if defined(__AVX512DQ__)
    /* vrange takes the number beside a quiet NaN and orders -0 below +0. f32_flush_by_host made
     * NaNs quiet. */
    union lanes_halves x = {.v = a}, y = {.v = b};
    for (int i = 0; i < 2; i++)
        x.h[i] = (__m512i)(max ? _mm512_range_ps((__m512)x.h[i], (__m512)y.h[i], 5)
                               : _mm512_range_ps((__m512)x.h[i], (__m512)y.h[i], 4));
    return f32_result(x.v);
#endif
    u32x32 less = (u32x32)(f32_order(a) < f32_order(b));
    u32x32 r = lanes_blend(max ? ~less : less, a, b);
    r = lanes_blend(f32_is_nan(b), a, lanes_blend(f32_is_nan(a), b, r));
    return f32_canonical(r);
#endif
}

/* Predicates that set none of the host's flags for quiet NaNs: bold code looks at the flags. */
#define F32_PREDICATES(X)                                                                          \
    X(0, FALSE_OQ)                                                                                 \
    X(1, LT_OQ)                                                                                    \
    X(2, EQ_OQ)                                                                                    \
    X(3, LE_OQ)                                                                                    \
    X(4, GT_OQ)                                                                                    \
    X(5, NEQ_OQ)                                                                                   \
    X(6, GE_OQ)                                                                                    \
    X(7, ORD_Q)                                                                                    \
    X(8, UNORD_Q)                                                                                  \
    X(9, NGE_UQ)                                                                                   \
    X(10, EQ_UQ) X(11, NGT_UQ) X(12, NLE_UQ) X(13, NEQ_UQ) X(14, NLT_UQ)

/* All ones where the relation of a to b is among cond (COND_*). FP_FLUSH makes zeros and denormals
 * equal. */
LANES_INLINE u32x32 f32_set(u32x32 a, u32x32 b, unsigned cond) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    union lanes_quarters p = {.v = a}, q = {.v = b};
    for (int i = 0; i < 4; i++) {
        const __m256 x = (__m256)p.q[i], y = (__m256)q.q[i];
        switch (cond) {
        default:
            p.q[i] = _mm256_set1_epi32(-1);
            break;
#define X(conditions, predicate)                                                                   \
    case conditions:                                                                               \
        p.q[i] = (__m256i)F32_WHERE(_CMP_##predicate, x, y);                                       \
        break;
            F32_PREDICATES(X)
#undef X
        }
    }
    return p.v;
#else
    const f32x32 x = (f32x32)f32_operand(a), y = (f32x32)f32_operand(b);
    u32x32 r = lanes_splat(0);
    if (cond & COND_LESS)
        r |= (u32x32)(x < y);
    if (cond & COND_EQUAL)
        r |= (u32x32)(x == y);
    if (cond & COND_GREATER)
        r |= (u32x32)(x > y);
    if (cond & COND_UNORDERED)
        r |= f32_is_nan(a) | f32_is_nan(b);
    return r;
#endif
}

/* a where c >= 0 (denormals of either sign count as zero), b where c is negative or a NaN. */
LANES_INLINE u32x32 f32_select(u32x32 a, u32x32 b, u32x32 c) {
    u32x32 at_least_zero = ~f32_is_nan(c) & ~(int_sign_fill(c) & ~f32_is_zero(c));
    return lanes_blend(at_least_zero, a, b);
}

/* The logarithm of zeros, negative numbers, infinity and NaNs; `body` in the other lanes. */
LANES_INLINE u32x32 f32_lg2_special(u32x32 v, u32x32 body) {
    u32x32 out = lanes_blend((u32x32)(v == F32_INF), v, body);
    out = lanes_blend(f32_is_zero(v), lanes_splat(F32_SIGN | F32_INF), out);
    return lanes_blend(f32_is_nan(v) | (int_sign_fill(v) & ~f32_is_zero(v)), lanes_splat(F32_NAN),
                       out);
}

/* Flag vectors of a result without denormals. f32_flag_z(): zero or NaN; f32_flag_s(): negative and
 * not zero, or NaN. */
LANES_INLINE u32x32 f32_flag_z(u32x32 v) {
    return f32_is_zero(v) | f32_is_nan(v);
}

LANES_INLINE u32x32 f32_flag_s(u32x32 v) {
    return (int_sign_fill(v) & ~f32_is_zero(v)) | f32_is_nan(v);
}
