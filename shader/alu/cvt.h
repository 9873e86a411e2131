/* Conversions among integers, f16 and f32 over 32 lanes, in the steps of tesla-isa.md §7.6. Bits
 * in, bits out; pure. The arithmetic is that of integers, or the host's own conversions (CVT_HOST).
 * Sources of 8 and 16 bits are in the low bits of a lane. 64-bit types: f64.h. Knows no register.
 */
#pragma once

#include "shader/alu/f32.h"

enum { F16_NAN = 0x7fff, F16_INF = 0x7c00, F16_MAX = 0x7bff };

/* An integer as sign and magnitude: the most negative value does not overflow. */
struct cvt_integer {
    u32x32 magnitude;
    u32x32 negative; /* all ones: negative; a zero can be negative, too */
    u32x32 source_negative;
};

/* The low `bits` bits of v as an integer; then OPERAND_ABS and OPERAND_NEG of `flags`, in this
 * order. */
LANES_INLINE struct cvt_integer cvt_read_integer(u32x32 v, unsigned bits, bool is_signed,
                                                 unsigned flags) {
    struct cvt_integer n;
    v = int_extend(v, bits, is_signed);
    n.source_negative = is_signed ? int_sign_fill(v) : lanes_splat(0);
    n.magnitude = (v ^ n.source_negative) - n.source_negative;
    n.negative = flags & OPERAND_ABS ? lanes_splat(0) : n.source_negative;
    if (flags & OPERAND_NEG)
        n.negative = ~n.negative;
    return n;
}

/* Clamps to the range of an integer of `bits` bits, which is then extended to 32 bits. */
LANES_INLINE u32x32 cvt_write_integer(struct cvt_integer n, unsigned bits, bool is_signed) {
    const uint32_t ones = 0xffffffffu >> (32 - bits);
    const u32x32 most = lanes_splat(is_signed ? ones >> 1 : ones);
    const u32x32 least = lanes_splat(is_signed ? (ones >> 1) + 1 : 0);
    return lanes_blend(n.negative, -int_min_u(n.magnitude, least), int_min_u(n.magnitude, most));
}

/* Leading zero bits of a lane; 32 for 0. */
LANES_INLINE u32x32 cvt_leading_zeros(u32x32 v) {
#if defined(__AVX512F__) && defined(__AVX512CD__)
    union lanes_halves u = {.v = v};
    for (int i = 0; i < 2; i++)
        u.h[i] = _mm512_lzcnt_epi32(u.h[i]);
    return u.v;
#elif defined(__AVX2__)
    /* The exponent of v as a float. Without the bit below the highest one, v is not rounded up to
     * the next exponent; a v from 2^31 on is negative. */
    union lanes_quarters u = {.v = v & ~(v >> 1)};
    for (int i = 0; i < 4; i++) {
        const __m256i exponent = _mm256_srli_epi32((__m256i)_mm256_cvtepi32_ps(u.q[i]), 23);
        const __m256i zeros = _mm256_sub_epi32(_mm256_set1_epi32(158), exponent);
        u.q[i] = _mm256_min_epi32(_mm256_max_epi32(zeros, _mm256_setzero_si256()),
                                  _mm256_set1_epi32(32));
    }
    return u.v;
#else
    u32x32 n = (u32x32)(v == 0) & 1;
    for (unsigned step = 16; step; step >>= 1) {
        u32x32 empty = (u32x32)(v >> (32 - step) == 0);
        n += empty & step;
        v = lanes_blend(empty, v << step, v);
    }
    return n;
#endif
}

#if defined(__AVX512F__)
/* The conversions that the host does itself: f32 and 32-bit integers without abs and neg. */
#define CVT_HOST
#define CVT_BY_MODE(convert, v, mode)                                                              \
    (mode == ROUND_RN   ? convert(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)                \
     : mode == ROUND_RM ? convert(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)                    \
     : mode == ROUND_RP ? convert(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)                    \
                        : convert(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
LANES_INLINE u32x32 cvt_host_to_f32(u32x32 v, bool is_signed, enum round_mode mode) {
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++)
        x.h[i] = (__m512i)(is_signed ? CVT_BY_MODE(_mm512_cvt_roundepi32_ps, x.h[i], mode)
                                     : CVT_BY_MODE(_mm512_cvt_roundepu32_ps, x.h[i], mode));
    return x.v;
}

/* NaN gives 0; a value out of range gives the nearest integer. The host gives all ones for every
 * value out of an unsigned range, and the least signed number for every value out of the signed
 * range. The first is correct above the range, the second below; the code replaces the rest. */
LANES_INLINE u32x32 cvt_host_to_integer(u32x32 v, bool is_signed, enum round_mode mode) {
    union lanes_halves x = {.v = v};
    for (int i = 0; i < 2; i++) {
        const __m512 f = (__m512)x.h[i];
        if (is_signed) {
            const __mmask16 above = _mm512_cmp_ps_mask(f, _mm512_set1_ps(0x1p31f), _CMP_GE_OQ);
            const __mmask16 number = _mm512_cmp_ps_mask(f, f, _CMP_ORD_Q);
            x.h[i] = CVT_BY_MODE(_mm512_cvt_roundps_epi32, f, mode);
            x.h[i] = _mm512_mask_set1_epi32(x.h[i], above, 0x7fffffff);
            x.h[i] = _mm512_maskz_mov_epi32(number, x.h[i]);
        } else {
            const __m512 positive = _mm512_max_ps(f, _mm512_setzero_ps()); /* NaN becomes 0 */
            x.h[i] = CVT_BY_MODE(_mm512_cvt_roundps_epu32, positive, mode);
        }
    }
    return x.v;
}
LANES_INLINE bool cvt_host_can(enum round_mode) {
    return true;
}
#elif defined(__AVX2__)
/* Conversions by the host with AVX2. Conversions to float use the current rounding mode, which is
 * ROUND_RN. */
#define CVT_HOST
LANES_INLINE bool cvt_host_can(enum round_mode mode) {
    return mode == ROUND_RN;
}

/* Unsigned integers are converted by halves: both are exact, and their sum is rounded once. */
LANES_INLINE u32x32 cvt_host_to_f32(u32x32 v, bool is_signed, enum round_mode) {
    union lanes_quarters x = {.v = v}, low = {.v = v & 0xffff}, high = {.v = v >> 16};
    for (int i = 0; i < 4; i++)
        x.q[i] = (__m256i)(is_signed ? _mm256_cvtepi32_ps(x.q[i])
                                     : _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(high.q[i]),
                                                                   _mm256_set1_ps(0x1p16f)),
                                                     _mm256_cvtepi32_ps(low.q[i])));
    return x.v;
}

#define CVT_ROUNDED(f, mode)                                                                       \
    (mode == ROUND_RN   ? _mm256_round_ps(f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)        \
     : mode == ROUND_RM ? _mm256_round_ps(f, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)            \
     : mode == ROUND_RP ? _mm256_round_ps(f, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)            \
                        : f)

/* The host gives the least signed number for every value out of range. Inverting its bits gives the
 * greatest. */
LANES_INLINE __m256i cvt_host_to_signed(__m256 f) {
    const __m256i above = (__m256i)_mm256_cmp_ps(f, _mm256_set1_ps(0x1p31f), _CMP_GE_OQ);
    const __m256i number = (__m256i)_mm256_cmp_ps(f, f, _CMP_ORD_Q);
    return (_mm256_cvttps_epi32(f) ^ above) & number;
}

/* The host converts to signed numbers only. From 2^31 on, f gives the word 0x80000000, and f - 2^31
 * gives the rest, or again 0x80000000 where f is out of range. */
LANES_INLINE __m256i cvt_host_to_unsigned(__m256 f) {
    const __m256 positive = _mm256_max_ps(f, _mm256_setzero_ps()); /* NaN becomes 0 */
    const __m256i word = _mm256_cvttps_epi32(positive);
    const __m256i rest =
        _mm256_and_si256(_mm256_cvttps_epi32(positive - 0x1p31f), _mm256_srai_epi32(word, 31));
    return word | rest | _mm256_srai_epi32(rest, 31);
}

/* NaN gives 0; a value out of range gives the nearest integer. */
LANES_INLINE u32x32 cvt_host_to_integer(u32x32 v, bool is_signed, enum round_mode mode) {
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++) {
        const __m256 f = CVT_ROUNDED((__m256)x.q[i], mode);
        x.q[i] = is_signed ? cvt_host_to_signed(f) : cvt_host_to_unsigned(f);
    }
    return x.v;
}
#endif

/* Magnitude to f32 bits, rounded to 24 bits. */
LANES_INLINE u32x32 cvt_magnitude_to_f32(u32x32 m, struct round_rule rule) {
    u32x32 zeros = cvt_leading_zeros(m);
    u32x32 top = m << (zeros & 31);
    u32x32 significand = round_shift(top, lanes_splat(8), rule);
    u32x32 bits = ((158 - zeros) << 23) + (significand - F32_HIDDEN);
    return bits & (u32x32)(m != 0);
}

LANES_INLINE u32x32 cvt_integer_to_f32(struct cvt_integer n, enum round_mode mode) {
    u32x32 bits = cvt_magnitude_to_f32(n.magnitude, round_rule_for(mode, n.negative));
    return bits | (n.negative & F32_SIGN);
}

/* n.magnitude without the bits that the chip drops before it rounds to f16 (tesla-isa.md §7.6,
 * int->f16). */
LANES_INLINE u32x32 cvt_f16_magnitude(struct cvt_integer n, struct round_rule rule) {
    const uint32_t run = 0x3fffffe0; /* bits 5..29 */
    u32x32 m = n.magnitude;
    u32x32 rounds_up = rule.nearest ? ~lanes_splat(0) : rule.up;
    m &= ~(rounds_up & (u32x32)((m & run) == run));
    u32x32 t = (m + n.source_negative) & 0xffff;
    u32x32 lost = int_min_u(cvt_leading_zeros(t) - 16, lanes_splat(5)) + 2;
    return m & (lanes_splat(0xffffffffu) >> lost);
}

/* f16 to f32, exact; denormals become normal; NaN becomes F32_NAN. */
LANES_INLINE u32x32 cvt_f16_to_f32(u32x32 h) {
    u32x32 sign = h << 16 & F32_SIGN;
    u32x32 body = (h & 0x7fff) << 13;
    u32x32 special = (u32x32)((h & F16_INF) == F16_INF), small = (u32x32)((h & F16_INF) == 0);
    struct round_rule exact = {.nearest = true, .up = lanes_splat(0)};
    /* a denormal is an integer times 2^-24 */
    u32x32 fraction = h & 0x3ff;
    u32x32 tiny = (cvt_magnitude_to_f32(fraction, exact) - (24 << 23)) & (u32x32)(fraction != 0);
    u32x32 r = lanes_blend(special, body | F32_INF, body + (112 << 23));
    return f32_canonical(lanes_blend(small, tiny, r) | sign);
}

/* Rounds f32 bits to the magnitude of an integer; 2^32 - 1 for 2^32 and more. v is not a NaN. */
LANES_INLINE u32x32 cvt_f32_magnitude(u32x32 v, struct round_rule rule) {
    u32x32 m = f32_significand(v);
    i32x32 drop = 150 - (i32x32)f32_exponent(v); /* fraction bits below the point */
    u32x32 right = int_min_s((u32x32)drop, lanes_splat(25));
    u32x32 left = (u32x32)-drop;
    u32x32 rounded = round_shift(m, right & 31, rule);
    u32x32 r = lanes_blend((u32x32)(drop < 0), m << (left & 31), rounded);
    return r | (u32x32)(drop < -8);
}

/* v: f32, modifiers applied. NaN gives 0. */
LANES_INLINE struct cvt_integer cvt_f32_to_integer(u32x32 v, enum round_mode mode) {
    struct cvt_integer n;
    n.negative = n.source_negative = int_sign_fill(v);
    n.magnitude = cvt_f32_magnitude(v, round_rule_for(mode, n.negative)) & ~f32_is_nan(v);
    return n;
}

#if defined(__AVX512F__)
#define CVT_INTEGRAL(v, mode) _mm512_roundscale_ps(v, mode)
#define CVT_VECS 2
typedef __m512 cvt_vec;
#elif defined(__AVX2__)
#define CVT_INTEGRAL(v, mode) _mm256_round_ps(v, (mode) | _MM_FROUND_NO_EXC)
#define CVT_VECS 4
typedef __m256 cvt_vec;
#endif

/* Rounds to an integral value; the sign of zero is kept. v: no denormals. The host's instruction
 * numbers the modes in the same way. */
LANES_INLINE u32x32 cvt_f32_integral(u32x32 v, enum round_mode mode) {
#if defined(CVT_INTEGRAL)
    union {
        u32x32 v;
        cvt_vec vec[CVT_VECS];
    } x = {.v = v};
    for (int i = 0; i < CVT_VECS; i++)
        x.vec[i] = mode == ROUND_RN   ? CVT_INTEGRAL(x.vec[i], ROUND_RN)
                   : mode == ROUND_RM ? CVT_INTEGRAL(x.vec[i], ROUND_RM)
                   : mode == ROUND_RP ? CVT_INTEGRAL(x.vec[i], ROUND_RP)
                                      : CVT_INTEGRAL(x.vec[i], ROUND_RZ);
    return x.v;
#else
    u32x32 sign = int_sign_fill(v);
    struct round_rule rule = round_rule_for(mode, sign);
    u32x32 integral = (u32x32)((i32x32)f32_exponent(v) >= 150);
    u32x32 r = cvt_magnitude_to_f32(cvt_f32_magnitude(v, rule), rule) | (sign & F32_SIGN);
    return lanes_blend(integral, v, r);
#endif
}

/* f32 to f16 bits with gradual underflow. v: the only NaN is F32_NAN. truncate: the source was
 * rounded to an integer before, so the bits that f16 cannot hold are dropped; overflow still
 * depends on `mode`. */
LANES_INLINE u32x32 cvt_f32_to_f16(u32x32 v, enum round_mode mode, bool truncate) {
    u32x32 sign_fill = int_sign_fill(v), e = f32_exponent(v);
    struct round_rule rule = round_rule_for(mode, sign_fill);
    struct round_rule cut = truncate ? round_rule_for(ROUND_RZ, sign_fill) : rule;
    u32x32 body = v & 0x7fffffff;
    u32x32 small = (u32x32)(e < 113);
    /* normal: move the exponent, drop 13 bits; denormal: significand in units of 2^-24 */
    u32x32 drop = lanes_blend(small, int_min_u(126 - e, lanes_splat(26)), lanes_splat(13));
    u32x32 wide = lanes_blend(small, f32_significand(v), body - (112 << 23));
    u32x32 h = round_shift(wide, drop, cut);
    u32x32 to_infinity = rule.nearest ? ~lanes_splat(0) : rule.up;
    u32x32 limit = lanes_blend(to_infinity, lanes_splat(F16_INF), lanes_splat(F16_MAX));
    h = lanes_blend((u32x32)(h >= F16_INF), limit, h);
    h &= ~(u32x32)(e <= 0x5d);
    h = lanes_blend((u32x32)(body == F32_INF), lanes_splat(F16_INF), h);
    return lanes_blend(f32_is_nan(v), lanes_splat(F16_NAN), h | (sign_fill & 0x8000));
}

/* f16 to f32 as cvt_f16_to_f32() does it; h: f16 in the low half of a lane. */
LANES_INLINE u32x32 cvt_half_to_f32(u32x32 h) {
#if defined(__F16C__)
    union {
        u16x32 v;
        __m128i vec[4];
    } x = {.v = __builtin_convertvector(h, u16x32)};
    union {
        u32x32 v;
        __m256 vec[4];
    } r;
    for (int i = 0; i < 4; i++)
        r.vec[i] = _mm256_cvtph_ps(x.vec[i]);
    return f32_canonical(r.v);
#else
    return cvt_f16_to_f32(h & 0xffff);
#endif
}

/* f32 to f16 with gradual underflow, as IEEE 754 says; NaN becomes F16_NAN. v: the only NaN is
 * F32_NAN. mode: ROUND_RN or ROUND_RZ. */
LANES_INLINE u32x32 cvt_f32_to_half(u32x32 v, enum round_mode mode) {
#if defined(__F16C__)
    union {
        u32x32 v;
        __m256 vec[4];
    } x = {.v = v};
    union {
        u16x32 v;
        __m128i vec[4];
    } r;
    for (int i = 0; i < 4; i++)
        r.vec[i] = mode == ROUND_RZ ? _mm256_cvtps_ph(x.vec[i], _MM_FROUND_TO_ZERO)
                                    : _mm256_cvtps_ph(x.vec[i], _MM_FROUND_TO_NEAREST_INT);
    return lanes_blend(f32_is_nan(v), lanes_splat(F16_NAN), __builtin_convertvector(r.v, u32x32));
#else
    return cvt_f32_to_f16(v, mode, false);
#endif
}
