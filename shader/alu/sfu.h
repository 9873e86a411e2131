/* The special function unit over 32 lanes: rcp, rsqrt, lg2, ex2, sin, cos as quadratic
 * interpolation in the ROM, and the operand preparation presin, preex2. Bits in, bits out; pure.
 * Every sum is exact, in integers or in double, so no host rounding can enter. Facts:
 * tesla-isa.md 8.
 */
#ifndef SHADER_ALU_SFU_H
#define SHADER_ALU_SFU_H

#include "shader/alu/f32.h"
#include "shader/alu/sfu_rom.h"

/* A table's address; where code is copied, it must be one that goes with it. */
#ifdef TP_STENCIL
#define SFU_ROM(name)                                                                              \
    ({                                                                                             \
        const struct sfu_table *table_;                                                            \
        __asm__("leaq sfu_rom_" #name "(%%rip), %0" : "=r"(table_));                               \
        table_;                                                                                    \
    })
#else
#define SFU_ROM(name) (&sfu_rom_##name)
#endif

enum { SFU_LARGE = 0x40800000, SFU_NAN = 0x40000000 };

/* table[index]; entries (64 or 128) is a constant, index < entries. */
LANES_INLINE u32x32 sfu_gather(const uint32_t *table, u32x32 index, int entries) {
    union {
        u32x32 v;
        uint32_t lane[LANES];
#if defined(__AVX512F__)
        __m512i h[2];
#elif defined(__AVX2__)
        __m256i q[4];
#endif
    } x = {.v = index};
#if defined(__AVX512F__)
    __m512i t[8];
    for (int i = 0; i < entries / 16; i++)
        t[i] = _mm512_load_si512(table + 16 * i);
    for (int i = 0; i < 2; i++) {
        __mmask16 bit5 = _mm512_test_epi32_mask(x.h[i], _mm512_set1_epi32(32));
        __m512i low = _mm512_permutex2var_epi32(t[0], x.h[i], t[1]);
        low = _mm512_mask_mov_epi32(low, bit5, _mm512_permutex2var_epi32(t[2], x.h[i], t[3]));
        if (entries > 64) {
            __mmask16 bit6 = _mm512_test_epi32_mask(x.h[i], _mm512_set1_epi32(64));
            __m512i high = _mm512_permutex2var_epi32(t[4], x.h[i], t[5]);
            high = _mm512_mask_mov_epi32(high, bit5, _mm512_permutex2var_epi32(t[6], x.h[i], t[7]));
            low = _mm512_mask_mov_epi32(low, bit6, high);
        }
        x.h[i] = low;
    }
#elif defined(__AVX2__)
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_i32gather_epi32((const int *)table, x.q[i], 4);
#else
    for (int i = 0; i < LANES; i++)
        x.lane[i] = table[x.lane[i]];
#endif
    (void)entries;
    return x.v;
}

/* v >> n in the lanes whose y has `bit`, a constant, else 0. */
LANES_INLINE u16x32 sfu_if(u16x32 v, int n, u16x32 y, int bit) {
#if defined(__AVX512BW__)
    const __mmask32 has = _mm512_test_epi16_mask((__m512i)y, _mm512_set1_epi16((short)(1 << bit)));
    return (u16x32)_mm512_maskz_srli_epi16(has, (__m512i)v, (unsigned)n);
#else
    return v >> n & (u16x32)((i16x32)(y << (15 - bit)) >> 15);
#endif
}

/* The unit's squarer, about x^2 / 2^19 with truncated partial products, x < 2^17. Bits 0 and 1 of x
 * never count; of the rest y, the pairs of bits (j, k) with j + k < 14 are cut off, and by symmetry
 * each pair counts once, doubled. So of y = 2^8 * high + low the square of high is complete, nothing
 * is left of that of low, and each bit of high adds what it keeps of low. */
LANES_INLINE u32x32 sfu_square(u32x32 x) {
    const u16x32 y = __builtin_convertvector(x >> 2, u16x32);
    const u16x32 high = y >> 8, low = y & 0xff;
    u16x32 t[8] = {high * high * 2};
    for (int k = 8; k < 15; k++)
        t[k - 7] = sfu_if(low, 14 - k, y, k);
    for (int step = 1; step < 8; step *= 2) /* by pairs: no long chain of additions */
        for (int i = 0; i < 8; i += 2 * step)
            t[i] += t[i + step];
    return __builtin_convertvector(t[0], u32x32);
}

/* One evaluation: (c0 << shift0) + c1 * r + (c2 * square << shift2) + bias. */
struct sfu_shape {
    unsigned shift0, shift2;
    int bias;
};

struct sfu_terms {
    u32x32 c0, c1, r, rest; /* rest = (c2 * square << shift2) + bias, 30 bits with sign */
};

/* 16 * c2 * square; squares have 15 bits. */
LANES_INLINE i32x32 sfu_curve(u32x32 slopes, u32x32 square) {
    union {
        u32x32 v;
#if defined(__AVX512BW__)
        __m512i h[2];
#elif defined(__AVX2__)
        __m256i q[4];
#endif
    } c = {.v = slopes << (16 - SFU_C2_BITS)}, s = {.v = square};
    /* signed products of the low halves: the upper ones of the squares are 0 */
#if defined(__AVX512BW__)
    for (int i = 0; i < 2; i++)
        c.h[i] = _mm512_madd_epi16(c.h[i], s.h[i]);
#elif defined(__AVX2__)
    for (int i = 0; i < 4; i++)
        c.q[i] = _mm256_madd_epi16(c.q[i], s.q[i]);
#else
    c.v = (u32x32)((i32x32)(c.v << 16) >> 16) * s.v;
#endif
    return (i32x32)c.v;
}

LANES_INLINE struct sfu_terms sfu_terms(const struct sfu_table *rom, int entries, u32x32 index,
                                        u32x32 r, u32x32 square, struct sfu_shape shape) {
    u32x32 slopes = sfu_gather(rom->slopes, index, entries);
    struct sfu_terms t;
    t.c0 = sfu_gather(rom->base, index, entries);
    t.c1 = (u32x32)((i32x32)slopes >> SFU_C2_BITS);
    t.r = r;
    t.rest = (u32x32)(sfu_curve(slopes, square) >> (16 - SFU_C2_BITS - shape.shift2)) +
             (uint32_t)shape.bias;
    return t;
}

/* The sum >> (shift0 + 2), 25 bits. Of its parts only those below 2^8 and c1 * (r & 255) have bits
 * there; so these are added first, and the rest needs but 32 bits. */
LANES_INLINE u32x32 sfu_significand(const struct sfu_terms *t, struct sfu_shape shape) {
    u32x32 low = (u32x32)((i32x32)(t->c1 * (t->r & 255) + t->rest) >> 8);
    u32x32 sum = (t->c0 << (shape.shift0 - 8)) + t->c1 * (t->r >> 8) + low;
    return sum >> (shape.shift0 + 2 - 8);
}

/* The sum in full for eight lanes, exact: it has less than 53 bits. */
LANES_INLINE f64x8 sfu_sum(const struct sfu_terms *t, int part, struct sfu_shape shape) {
    const union f32_parts c0 = {.v = t->c0}, c1 = {.v = t->c1}, r = {.v = t->r},
                          rest = {.v = t->rest};
    return __builtin_convertvector((i32x8)c0.bits[part], f64x8) * (double)(1 << shape.shift0) +
           __builtin_convertvector((i32x8)c1.bits[part], f64x8) *
               __builtin_convertvector((i32x8)r.bits[part], f64x8) +
           __builtin_convertvector((i32x8)rest.bits[part], f64x8);
}

/* exponent field and significand (2^23..2^24, hidden bit included) to bits; signed, may leave the
 * range of the format on either side. */
LANES_INLINE i32x32 sfu_pack(u32x32 exponent, u32x32 significand) {
    return (i32x32)((exponent << 23) + significand - F32_HIDDEN);
}

/* rcp and rsqrt come in two steps: the body, which is all where no lane is special, as nearly always,
 * and what special lanes need on top of it. */
LANES_INLINE u32x32 sfu_rcp_special(u32x32 v, i32x32 body) {
    u32x32 out = (u32x32)body & (u32x32)(body >= F32_HIDDEN); /* small results are zero */
    out = lanes_blend(f32_is_zero(v), lanes_splat(F32_INF), out);
    out &= ~(u32x32)((v & 0x7fffffff) == F32_INF);
    return lanes_blend(f32_is_nan(v), lanes_splat(F32_NAN), out | (v & F32_SIGN));
}

LANES_INLINE u32x32 sfu_rcp(u32x32 v) {
    const struct sfu_shape shape = {13, 0, 0x47e7};
    u32x32 f = v & F32_FRACTION, r = f & 0xffff;
    struct sfu_terms t = sfu_terms(SFU_ROM(rcp), 128, f >> 16, r, sfu_square(r << 1), shape);
    i32x32 body = sfu_pack(253 - f32_exponent(v), sfu_significand(&t, shape));
    /* exponents 1 to 252 */
    u32x32 special = (u32x32)((v & 0x7fffffff) - F32_HIDDEN >= 252u << 23);
    if (lanes_to_mask(special))
        return sfu_rcp_special(v, body);
    return (u32x32)body | (v & F32_SIGN);
}

LANES_INLINE u32x32 sfu_rsqrt_special(u32x32 v, u32x32 body) {
    u32x32 out = body & ~(u32x32)(v == F32_INF);
    out = lanes_blend(f32_is_zero(v), (v & F32_SIGN) | F32_INF, out);
    return lanes_blend(f32_is_nan(v) | (int_sign_fill(v) & ~f32_is_zero(v)), lanes_splat(F32_NAN),
                       out);
}

LANES_INLINE u32x32 sfu_rsqrt(u32x32 v) {
    const struct sfu_shape shape = {14, 2, 0x7fff};
    u32x32 e = f32_exponent(v) - 127;
    u32x32 g = (v & F32_FRACTION) | (e & 1) << 23, r = g & 0x1ffff;
    u32x32 half = (u32x32)((i32x32)e >> 1);
    struct sfu_terms t = sfu_terms(SFU_ROM(rsqrt), 128, g >> 17, r, sfu_square(r), shape);
    u32x32 m = sfu_significand(&t, shape);
    m = lanes_blend((u32x32)(g == 0), lanes_splat(2 * F32_HIDDEN), m); /* power of four: exact */
    u32x32 body = (u32x32)sfu_pack(126 - half, m);
    /* anything but positive, normal and finite */
    u32x32 special = (u32x32)(v - F32_HIDDEN >= F32_INF - F32_HIDDEN);
    return lanes_to_mask(special) ? sfu_rsqrt_special(v, body) : body;
}

/* Eight lanes of an exact integer t >= 0 to t * unit cut to 24 bits. */
LANES_INLINE f32x8 sfu_cut(f64x8 t, double unit) {
    f64x8 cut = (f64x8)((u64x8)t & ~0x1fffffffull);
    return __builtin_convertvector(cut * unit, f32x8);
}

LANES_INLINE u32x32 sfu_lg2(u32x32 v) {
    const struct sfu_shape shape = {12, 1, 0x3345};
    const double integers = 0x1p52; /* added to an integer, its bits show at the bottom */
    u32x32 f = v & F32_FRACTION, r = f & 0x1ffff;
    struct sfu_terms t = sfu_terms(SFU_ROM(lg2), 64, f >> 17, r, sfu_square(r), shape);
    union f32_parts e = {.v = f32_exponent(v) - 127}, out;
    for (int i = 0; i < 4; i++) {
        f64x8 sum = sfu_sum(&t, i, shape) + integers;
        sum = ((f64x8)((u64x8)sum & ~3ull) - integers) * 0.25;
        sum += __builtin_convertvector((i32x8)e.bits[i], f64x8) * 0x1p36;
        const f64x8 zero = {0};
        u64x8 negative = (u64x8)(sum < zero);
        f64x8 complement = -1.0 - sum; /* ~t */
        sum = (f64x8)(((u64x8)sum & ~negative) | ((u64x8)complement & negative));
        out.part[i] = sfu_cut(sum, 0x1p-36);
        out.bits[i] |= __builtin_convertvector(negative, u32x8) & F32_SIGN;
    }
    u32x32 x = out.v & ~(u32x32)(v == F32_ONE);
    x = lanes_blend((u32x32)(v == F32_INF), v, x);
    x = lanes_blend(f32_is_zero(v), lanes_splat(F32_SIGN | F32_INF), x);
    return lanes_blend(f32_is_nan(v) | (int_sign_fill(v) & ~f32_is_zero(v)), lanes_splat(F32_NAN),
                       x);
}

/* v: output of preex2. */
LANES_INLINE u32x32 sfu_ex2(u32x32 v) {
    const struct sfu_shape shape = {13, 0, 0x77e2};
    u32x32 negative = int_sign_fill(v);
    u32x32 f = v & F32_FRACTION, n = f32_exponent(v);
    u32x32 inexact = (u32x32)(f != 0);
    n = (n ^ negative) - (negative & ~inexact); /* -n - 1 is ~n */
    f ^= negative & inexact & F32_FRACTION;
    u32x32 r = f & 0x1ffff;
    struct sfu_terms t = sfu_terms(SFU_ROM(ex2), 64, f >> 17, r, sfu_square(r), shape);
    i32x32 body = sfu_pack(n + 127, sfu_significand(&t, shape));
    u32x32 out = (u32x32)body & (u32x32)(body >= F32_HIDDEN);
    out = lanes_blend((u32x32)(body >= F32_INF), lanes_splat(F32_INF), out);
    u32x32 large = (u32x32)((v & SFU_NAN) != 0), infinite = (u32x32)((v & F32_HIDDEN) != 0);
    u32x32 special = lanes_blend(infinite, ~negative & F32_INF, lanes_splat(F32_NAN));
    return lanes_blend(large, special, out);
}

/* The sum * 2^-37 cut to 24 bits; it is positive and below 2^37. */
LANES_INLINE u32x32 sfu_fraction(const struct sfu_terms *t, struct sfu_shape shape) {
#if defined(__AVX512F__)
    /* Without its lowest 5 bits the sum fits a lane, and from 2^28 on they do not count. */
    u32x32 low = (u32x32)((i32x32)(t->c1 * (t->r & 31) + t->rest) >> 5);
    union lanes_halves sum = {.v = (t->c0 << (shape.shift0 - 5)) + t->c1 * (t->r >> 5) + low};
    if (!lanes_to_mask((u32x32)(sum.v < F32_HIDDEN))) {
        for (int i = 0; i < 2; i++)
            sum.h[i] = _mm512_castps_si512(
                _mm512_cvt_roundepu32_ps(sum.h[i], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
        return sum.v - (32 << 23);
    }
#endif
    union f32_parts out;
    for (int i = 0; i < 4; i++)
        out.part[i] = sfu_cut(sfu_sum(t, i, shape), 0x1p-37);
    return out.v;
}

/* v: output of presin. */
LANES_INLINE u32x32 sfu_sin(u32x32 v, bool cosine) {
    const struct sfu_shape shape = {11, 0, 0};
    u32x32 q = f32_exponent(v) + (cosine ? 1 : 0);
    u32x32 sign = cosine ? lanes_splat(0) : v & F32_SIGN;
    u32x32 f = (v ^ -(q & 1)) & F32_FRACTION;
    u32x32 r = f & 0x1ffff;
    struct sfu_terms t = sfu_terms(SFU_ROM(sin), 64, f >> 17, r, sfu_square(r), shape);
    u32x32 x = sfu_fraction(&t, shape) | (sign ^ (q << 30 & F32_SIGN));
    return lanes_blend((u32x32)((v & SFU_NAN) != 0), lanes_splat(F32_NAN), x);
}

/* NaN and values too large for the prepared form. */
LANES_INLINE u32x32 sfu_prepared(u32x32 v, u32x32 too_large, u32x32 body) {
    body = lanes_blend(too_large, lanes_splat(SFU_LARGE), body);
    body = lanes_blend(f32_is_nan(v), lanes_splat(SFU_NAN), body);
    return body | (v & F32_SIGN);
}

/* a << n for n in 0..31, a >> -n for negative n; 0 when nothing is left. */
LANES_INLINE u32x32 sfu_shift(u32x32 a, i32x32 n) {
#if defined(__AVX512F__)
    /* Counts are unsigned here: of the two shifts one gives 0, or both give a. */
    union lanes_halves v = {.v = a}, left = {.v = (u32x32)n}, right = {.v = (u32x32)-n};
    for (int i = 0; i < 2; i++)
        v.h[i] = _mm512_or_si512(_mm512_sllv_epi32(v.h[i], left.h[i]),
                                 _mm512_srlv_epi32(v.h[i], right.h[i]));
    return v.v;
#else
    u32x32 right = (u32x32)(n < 0);
    u32x32 distance = lanes_blend(right, (u32x32)-n, (u32x32)n);
    u32x32 kept = (u32x32)(distance < 32);
    distance &= 31;
    return lanes_blend(right, a >> distance, a << distance) & kept;
#endif
}

/* 7.23 fixed point, sign in bit 31. */
LANES_INLINE u32x32 sfu_preex2(u32x32 v) {
    i32x32 e = (i32x32)f32_exponent(v) - 127;
    u32x32 body = sfu_shift(f32_significand(v), e);
    return sfu_prepared(v, (u32x32)(e >= 7), body);
}

/* Bits 16..47 of a significand times 2 / pi; even and odd lanes in turn, as 64-bit products. */
LANES_INLINE u32x32 sfu_turns(u32x32 significand) {
    typedef uint64_t pairs __attribute__((vector_size(128), aligned(128)));
    const pairs both = (pairs)significand;
    const uint64_t quarter = 0xa2f983, even = 0xffffffff;
#if defined(__AVX512F__)
    union lanes_halves r;
    for (int i = 0; i < 2; i++) {
        const __m512i s = ((union lanes_halves){.v = significand}).h[i];
        const __m512i q = _mm512_set1_epi64((long long)quarter);
        const __m512i e = _mm512_srli_epi64(_mm512_mul_epu32(s, q), 16);
        const __m512i odd = _mm512_shuffle_epi32(s, 0xf5);
        const __m512i o = _mm512_slli_epi64(_mm512_mul_epu32(odd, q), 16);
        r.h[i] = _mm512_ternarylogic_epi64(e, o, _mm512_set1_epi64((long long)even), 0xe4);
    }
    (void)both;
    return r.v;
#endif
    const pairs e = (both & even) * quarter, o = (both >> 32) * quarter;
    return (u32x32)((e >> 16 & even) | (o << 16 & ~even));
}

/* 2.23 fixed point quarter turns, sign in bit 31. */
LANES_INLINE u32x32 sfu_presin(u32x32 v) {
    i32x32 e = (i32x32)f32_exponent(v) - 127;
    u32x32 turns = sfu_turns(f32_significand(v));
    u32x32 body = sfu_shift(turns, e - 8) & 0x1ffffff;
    return sfu_prepared(v, (u32x32)(e == 128), body);
}

#endif
