/* The special function unit over 32 lanes: rcp, rsqrt, lg2, ex2, sin, cos as quadratic
 * interpolation in the ROM, and the operand preparation presin, preex2. Bits in, bits out; pure.
 * All sums are exact, in integers. Callers run with the host rounding to nearest. Facts:
 * tesla-isa.md §8.
 */
#pragma once

/* The host permutes bytes and adds sums of products to words: most CPUs with AVX-512 do, but not
 * all. */
#if defined(__AVX512VBMI__) && defined(__AVX512VNNI__)
#define SFU_BYTES
#endif

#include "shader/alu/f32.h"
#include "shader/alu/sfu_rom.h"

/* The address of a table. In a stencil, whose code is copied, assembly keeps the address a part of
 * the code. */
#ifdef TP_STENCIL
#define SFU_ROM(name)                                                                              \
    ({                                                                                             \
        __typeof__(&sfu_rom_##name) table_;                                                        \
        __asm__("leaq sfu_rom_" #name "(%%rip), %0" : "=r"(table_));                               \
        table_;                                                                                    \
    })
#else
#define SFU_ROM(name) (&sfu_rom_##name)
#endif

enum { SFU_LARGE = 0x40800000, SFU_NAN = 0x40000000 };

/* A row as two halves: lanes 0 to 15 and 16 to 31. */
typedef uint32_t sfu_half __attribute__((vector_size(64), aligned(64)));
union sfu_halves {
    u32x32 v;
    sfu_half h[2];
#if defined(__AVX512F__)
    __m512i z[2];
#endif
};

/* high: the sum of the terms >> CUT, modulo 2^32. The lowest CUT bits of `low` are those of the
 * sum. CENTRE * f and OFFSET are not included (sfu_rom.h). */
struct sfu_sum {
    u32x32 high, low;
};

#if defined(__AVX2__) && !defined(__AVX512F__)
#include "shader/alu/sfu_rounds.h"
#else
#if !defined(__AVX2__)
LANES_INLINE u32x32 sfu_gather(const uint32_t *table, u32x32 index, int entries) {
    union {
        u32x32 v;
        uint32_t lane[LANES];
    } x = {.v = index & (uint32_t)(entries - 1)};
    for (int i = 0; i < LANES; i++)
        x.lane[i] = table[x.lane[i]];
    return x.v;
}
#endif

/* v >> n in the lanes whose y has `bit`, else 0. `bit` is a constant. */
LANES_INLINE u16x32 sfu_if(u16x32 v, int n, u16x32 y, int bit) {
#if defined(__AVX512BW__)
    const __mmask32 has = _mm512_test_epi16_mask((__m512i)y, _mm512_set1_epi16((short)(1 << bit)));
    return (u16x32)_mm512_maskz_srli_epi16(has, (__m512i)v, (unsigned)n);
#else
    return v >> n & (u16x32)((i16x32)(y << (15 - bit)) >> 15);
#endif
}

/* Bits 16 to 31 of the products. */
LANES_INLINE u16x32 sfu_high_product(u16x32 a, u16x32 b) {
    union {
        u16x32 v;
#if defined(__AVX512BW__)
        __m512i vec[1];
#elif defined(__SSE2__)
        __m128i vec[4];
#else
        u16x8 vec[4];
#endif
    } x = {.v = a}, y = {.v = b};
#if defined(__AVX512BW__)
    x.vec[0] = _mm512_mulhi_epu16(x.vec[0], y.vec[0]);
#elif defined(__SSE2__)
    for (int i = 0; i < 4; i++)
        x.vec[i] = _mm_mulhi_epu16(x.vec[i], y.vec[i]);
#else
    for (int i = 0; i < 4; i++)
        x.vec[i] = __builtin_convertvector(__builtin_convertvector(x.vec[i], u32x8) *
                                                   __builtin_convertvector(y.vec[i], u32x8) >>
                                               16,
                                           u16x8);
#endif
    return x.v;
}

/* The unit's squarer: about x^2 / 2^19 with truncated partial products, x < 2^17. Bits 0 and 1 of x
 * have no effect. Let y be the other bits: pairs of bits (j, k) with j + k < 14 are dropped; by
 * symmetry each other pair is counted once and doubled. With y = 2^8 * high + low, the square of
 * high is complete, the square of low is dropped, and each bit of high adds the part of low that it
 * keeps. Bit 15 of y has no effect. */
#if defined(SFU_BYTES)
/* n holds two numbers of three bits: bit j of the higher and bit k of the lower number. */
#define SFU_BITS(n, j, k) (((n) >> ((j) + 3) & (n) >> (k) & 1) << ((j) + (k)))
#define SFU_BELOW(n)                                                                               \
    ((SFU_BITS(n, 0, 0) + SFU_BITS(n, 0, 1) + SFU_BITS(n, 1, 0) + SFU_BITS(n, 0, 2) +              \
      SFU_BITS(n, 1, 1) + SFU_BITS(n, 2, 0)) >>                                                    \
     3)
#define SFU_ABOVE(n)                                                                               \
    ((SFU_BITS(n, 2, 0) + SFU_BITS(n, 1, 1) + SFU_BITS(n, 2, 1) + SFU_BITS(n, 0, 2) +              \
      SFU_BITS(n, 1, 2) + SFU_BITS(n, 2, 2)) >>                                                    \
     2)
#define SFU_8(X, n) X(n), X(n + 1), X(n + 2), X(n + 3), X(n + 4), X(n + 5), X(n + 6), X(n + 7)
#define SFU_64(X)                                                                                  \
    SFU_8(X, 0), SFU_8(X, 8), SFU_8(X, 16), SFU_8(X, 24), SFU_8(X, 32), SFU_8(X, 40),              \
        SFU_8(X, 48), SFU_8(X, 56)

/* Bits of a where mask has ones, else bits of b. */
LANES_INLINE __m512i sfu_choose(uint16_t mask, u16x32 a, u16x32 b) {
    return _mm512_ternarylogic_epi32(_mm512_set1_epi16((short)mask), (__m512i)a, (__m512i)b, 0xca);
}

/* The product of high and low without the lowest three bits of low is too large where pairs of its
 * bits 3 to 5 with bits 8 to 10 are below the cut, and lacks the pairs of bits 0 to 2 with bits 12
 * to 14 that are above it. Both corrections are looked up. */
LANES_INLINE u16x32 sfu_square(u16x32 y) {
    typedef uint8_t bytes __attribute__((vector_size(64), aligned(64)));
    static const bytes below = {SFU_64(SFU_BELOW)}, above = {SFU_64(SFU_ABOVE)};
    const u16x32 high = (y + y) & 0xfe00, both = (y & 0x7ff8) + (y & 0xf8);
    const __m512i much = _mm512_permutexvar_epi8(sfu_choose(0xff07, y >> 8, y), (__m512i)below);
    const __m512i less = _mm512_permutexvar_epi8(sfu_choose(0x0007, y, y >> 9), (__m512i)above);
    return sfu_high_product(high, both) + (u16x32)less - (u16x32)much;
}
#else
LANES_INLINE u16x32 sfu_square(u16x32 y) {
    const u16x32 high = y & 0x7f00, low = y & 0xff;
    u16x32 t[8] = {sfu_high_product(high, high + high)};
    for (int k = 8; k < 15; k++)
        t[k - 7] = sfu_if(low, 14 - k, y, k);
    for (int step = 1; step < 8; step *= 2) /* by pairs, to avoid a long chain of additions */
        for (int i = 0; i < 8; i += 2 * step)
            t[i] += t[i + step];
    return t[0];
}
#endif

/* sum + low(a) * low(b) + high(a) * high(b): signed halves of words. */
LANES_INLINE u32x32 sfu_add_pairs(u32x32 sum, u32x32 a, u32x32 b) {
    union {
        u32x32 v;
#if defined(__AVX512F__)
        __m512i vec[2];
#elif defined(__SSE2__)
        __m128i vec[8];
#endif
    } x = {.v = a}, y = {.v = b}, s = {.v = sum};
#if defined(SFU_BYTES)
    for (int i = 0; i < 2; i++) /* compilers make two instructions of the intrinsic function */
        __asm__("vpdpwssd %2, %1, %0" : "+v"(s.vec[i]) : "v"(x.vec[i]), "v"(y.vec[i]));
#elif defined(__AVX512F__)
    for (int i = 0; i < 2; i++)
        s.vec[i] = _mm512_add_epi32(s.vec[i], _mm512_madd_epi16(x.vec[i], y.vec[i]));
#elif defined(__SSE2__)
    for (int i = 0; i < 8; i++)
        s.vec[i] = _mm_add_epi32(s.vec[i], _mm_madd_epi16(x.vec[i], y.vec[i]));
#else
    s.v += int_extend(x.v, 16, true) * int_extend(y.v, 16, true) +
           (u32x32)((i32x32)x.v >> 16) * (u32x32)((i32x32)y.v >> 16);
#endif
    return s.v;
}

/* One half of each lane's word, in a special order. With AVX-512, unpacking two such vectors gives
 * words; without, the half of lane i is below that of lane i + 16. */
union sfu_words {
    sfu_half word;
    u16x32 half;
};

#if defined(__AVX512F__)
LANES_INLINE u16x32 sfu_pick_halves(u32x32 v, const uint16_t order[LANES]) {
    const union sfu_halves x = {.v = v};
    return (u16x32)_mm512_permutex2var_epi16(x.z[0], _mm512_load_si512(order), x.z[1]);
}

LANES_INLINE u16x32 sfu_lower_halves(u32x32 v) {
    return sfu_pick_halves(v, SFU_ROM(order)->lower);
}

LANES_INLINE u16x32 sfu_upper_halves(u32x32 v) {
    return sfu_pick_halves(v, SFU_ROM(order)->upper);
}

LANES_INLINE u32x32 sfu_to_words(u16x32 lower, u16x32 upper) {
    union sfu_halves x;
    x.z[0] = _mm512_unpacklo_epi16((__m512i)lower, (__m512i)upper);
    x.z[1] = _mm512_unpackhi_epi16((__m512i)lower, (__m512i)upper);
    return x.v;
}
#else
/* The lower halves of a's words and the upper halves of b's. */
LANES_INLINE sfu_half sfu_join(sfu_half a, sfu_half b) {
    const uint32_t lower = 0xffff;
    return (a & lower) | (b & ~lower);
}

LANES_INLINE u16x32 sfu_lower_halves(u32x32 v) {
    const union sfu_halves x = {.v = v};
    const union sfu_words y = {.word = sfu_join(x.h[0], x.h[1] << 16)};
    return y.half;
}

/* Words from lower and upper halves. Of the words in `lower` only the lower halves have an
 * effect. */
LANES_INLINE u32x32 sfu_to_words_below(u32x32 lower, u16x32 upper) {
    const union sfu_words y = {.half = upper};
    union sfu_halves x = {.v = lower};
    x.h[0] = sfu_join(x.h[0], y.word << 16);
    x.h[1] = sfu_join(x.h[1], y.word);
    return x.v;
}
#endif

/* The squarer's operand: bits 1 to 15 of f if `bits` is 16, else bits 2 to 16. */
LANES_INLINE u16x32 sfu_to_square(u32x32 f, int bits) {
    return bits == 16 ? sfu_lower_halves(f) >> 1 : sfu_lower_halves(f >> 2);
}

/* Words of two halves. The lower half has the lowest `bits` bits of f, less 2^15 if `bits` is 16;
 * the upper half has the square. */
LANES_INLINE u32x32 sfu_factors(u32x32 f, unsigned bits, u16x32 squares) {
    const uint16_t kept = (uint16_t)((1u << bits) - 1), flipped = bits == 16 ? 0x8000 : 0;
#if defined(__AVX512F__)
    return sfu_to_words((sfu_lower_halves(f) & kept) ^ flipped, squares);
#else
    return sfu_to_words_below((f & kept) ^ flipped, squares);
#endif
}

#if defined(__AVX512F__)
/* table[index]. entries (64 or 128) is a constant; bits above the index have no effect. */
LANES_INLINE u16x32 sfu_look_up_half(const uint16_t *table, u16x32 index, int entries) {
    const __m512i *vec = (const __m512i *)table;
    const __m512i i = (__m512i)index;
    if (entries == 64)
        return (u16x32)_mm512_permutex2var_epi16(vec[0], i, vec[1]);
    /* each permutation uses its own bits of the index */
    const __mmask32 far = _mm512_test_epi16_mask(i, _mm512_set1_epi16(64));
    const __m512i near = _mm512_mask2_permutex2var_epi16(vec[0], i, ~far, vec[1]);
    return (u16x32)_mm512_mask2_permutex2var_epi16(vec[2], near, far, vec[3]);
}

LANES_INLINE u32x32 sfu_look_up(const struct sfu_split *table, u16x32 index, int entries) {
    return sfu_to_words(sfu_look_up_half(table->lower, index, entries),
                        sfu_look_up_half(table->upper, index, entries));
}
#endif

/* The table entries of a function for each lane, at f >> bits; bits above the index have no
 * effect. */
struct sfu_terms {
    u32x32 base, slopes;
};

LANES_INLINE struct sfu_terms sfu_find(const struct sfu_table *rom, int entries, u32x32 f,
                                       int bits) {
#if defined(__AVX512F__)
    const u16x32 index = sfu_upper_halves(f) >> (bits - 16);
    return (struct sfu_terms){sfu_look_up(&rom->base_halves, index, entries),
                              sfu_look_up(&rom->slopes_halves, index, entries)};
#else
    return (struct sfu_terms){sfu_gather(rom->base, f >> bits, entries),
                              sfu_gather(rom->slopes, f >> bits, entries)};
#endif
}

/* Evaluates the terms of f = index << BITS | r. A square has 15 bits; squares of all lanes are
 * computed in halves of words.
 * If BITS is 16, c1 has one product, with r less 2^15 as a signed factor. Bits of f above the index
 * have no effect.
 * If BITS is 17, the square's term, BIAS and the product of c1 with the lowest CUT bits of r stay
 * below 2^31 and are added first, in `low`. `high` adds c1 * (f >> CUT) modulo 2^32; the table's
 * base subtracts the part of this product that the index adds. */
LANES_INLINE struct sfu_sum sfu_evaluate(const struct sfu_table *rom, int entries, u32x32 f,
                                         int bits, unsigned cut, int bias) {
    const bool one_product = bits == 16;
    const u16x32 square = sfu_square(sfu_to_square(f, bits));
    const u32x32 factors = sfu_factors(f, one_product ? 16 : cut, square);
    const struct sfu_terms terms = sfu_find(rom, entries, f, bits);
    struct sfu_sum sum = {.low = sfu_add_pairs(lanes_splat((uint32_t)bias), terms.slopes, factors)};
    sum.high = one_product ? terms.base : sfu_add_pairs(terms.base, terms.slopes, f >> cut);
    sum.high += (u32x32)((i32x32)sum.low >> cut);
    return sum;
}
#define SFU_EVALUATE(NAME, name, entries, f)                                                       \
    sfu_evaluate(SFU_ROM(name), entries, f, SFU_##NAME##_BITS, SFU_##NAME##_CUT, SFU_##NAME##_BIAS)
#endif

/* Truncates v to 24 bits, as a float. v is at most slightly above 2^31; positive: v is below
 * 2^31. */
LANES_INLINE u32x32 sfu_cut(u32x32 v, bool positive) {
#if defined(__AVX512F__)
    union sfu_halves x = {.v = v};
    (void)positive;
    for (int i = 0; i < 2; i++)
        x.z[i] = _mm512_castps_si512(
            _mm512_cvt_roundepu32_ps(x.z[i], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    return x.v;
#elif defined(__AVX2__)
    /* without the highest of the bits that are dropped, rounding truncates */
    union lanes_quarters x = {.v = v & ~(v >> 24)};
    for (int i = 0; i < 4; i++) {
        if (!positive) /* v above 2^31 becomes 2^31 */
            x.q[i] = _mm256_min_epu32(x.q[i], _mm256_set1_epi32(INT32_MAX));
        x.q[i] = _mm256_castps_si256(_mm256_cvtepi32_ps(x.q[i]));
    }
    return x.v;
#else
    v &= ~(v >> 24 | (positive ? lanes_splat(0) : int_sign_fill(v) >> 1));
    return (u32x32) __builtin_convertvector((i32x32)v, f32x32) & ~F32_SIGN;
#endif
}

/* Returns v and hides from the compiler how v was computed. Otherwise the compiler computes v
 * again, in another order, for each use. */
LANES_INLINE u32x32 sfu_value(u32x32 v) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    union lanes_quarters x = {.v = v};
    for (int i = 0; i < 4; i++)
        __asm__("" : "+x"(x.q[i]));
    return x.v;
#else
    return v;
#endif
}

/* rcp and rsqrt have two steps: the body, which is enough where no lane is special (nearly always),
 * and the correction of special lanes. */
LANES_INLINE u32x32 sfu_rcp_special(u32x32 v, i32x32 body) {
    u32x32 out = (u32x32)body & (u32x32)(body >= F32_HIDDEN); /* small results become zero */
    out = lanes_blend(f32_is_zero(v), lanes_splat(F32_INF), out);
    out &= ~(u32x32)((v & 0x7fffffff) == F32_INF);
    return lanes_blend(f32_is_nan(v), lanes_splat(F32_NAN), out | (v & F32_SIGN));
}

/* The sum is 4 * (m + f); m is the significand of the result, f the fraction of v. The exponent is
 * 253 less that of v. SFU_RCP_LESS contains OFFSET / 4, so that exponents are subtracted from it
 * without a borrow. */
enum { SFU_RCP_LESS = (int)((256u << 23) + F32_FRACTION) };

LANES_INLINE u32x32 sfu_rcp_body(u32x32 v, u32x32 less) {
    return (u32x32)((i32x32)SFU_EVALUATE(RCP, rcp, 128, v).high >> 2) + less;
}

LANES_INLINE u32x32 sfu_rcp_less(u32x32 v) {
    return sfu_value(SFU_RCP_LESS - v);
}

LANES_INLINE u32x32 sfu_rcp(u32x32 v) {
    const u32x32 less = sfu_rcp_less(v), body = sfu_rcp_body(v, less);
    /* Exponents 253 to 255 and 0: 256 less the exponent is 3, 2, 1 or 256, numbers without bits 2
     * to 7. */
    const u32x32 special = (u32x32)((less & 252u << 23) == 0);
    if (__builtin_expect(lanes_any(special), 0))
        return sfu_rcp_special(v, (i32x32)(body ^ (v & F32_SIGN)));
    return body;
}

LANES_INLINE u32x32 sfu_rsqrt_special(u32x32 v, u32x32 body) {
    u32x32 out = body & ~(u32x32)(v == F32_INF);
    out = lanes_blend(f32_is_zero(v), (v & F32_SIGN) | F32_INF, out);
    return lanes_blend(f32_is_nan(v) | (int_sign_fill(v) & ~f32_is_zero(v)), lanes_splat(F32_NAN),
                       out);
}

/* v, and 1 more where g is 0. */
LANES_INLINE u32x32 sfu_add_where_zero(u32x32 v, u32x32 g) {
#if defined(__AVX512F__)
    union sfu_halves x = {.v = v}, y = {.v = g};
    for (int i = 0; i < 2; i++)
        x.z[i] = _mm512_mask_add_epi32(x.z[i], _mm512_testn_epi32_mask(y.z[i], y.z[i]), x.z[i],
                                       _mm512_set1_epi32(1));
    return x.v;
#else
    return v - (u32x32)(g == 0);
#endif
}

/* g has the fraction of v and, above, the lowest bit of v's exponent - 127. The sum is 2^7 * (2 * m
 * + g); m is the significand of the result. Subtracting v takes g away again and leaves twice the
 * result's exponent. */
LANES_INLINE u32x32 sfu_rsqrt_body(u32x32 v) {
    const u32x32 g = (v - (127u << 23)) & (2 * F32_HIDDEN - 1);
    const u32x32 sum = SFU_EVALUATE(RSQRT, rsqrt, 128, g).high;
    const uint32_t rest =
        (127u << 23) + 2 * (126u << 23) - 2 * F32_HIDDEN + (SFU_RSQRT_OFFSET >> 7);
    /* powers of four (g is 0): exact */
    return sfu_add_where_zero(((sum >> 7) + (rest - v)) >> 1, g);
}

/* True if any lane is at least `limit`. */
LANES_INLINE bool sfu_any_beyond(u32x32 v, uint32_t limit) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    const union lanes_quarters x = {.v = v};
    const __m256i most =
        _mm256_max_epu32(_mm256_max_epu32(x.q[0], x.q[1]), _mm256_max_epu32(x.q[2], x.q[3]));
    const __m256i over = _mm256_max_epu32(most, _mm256_set1_epi32((int)limit));
    return _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(most, over))) != 0;
#else
    return lanes_any((u32x32)(v >= limit));
#endif
}

/* True if any lane is a zero, a denormal, negative, infinite or a NaN. */
LANES_INLINE bool sfu_any_special(u32x32 v) {
    return sfu_any_beyond(v - F32_HIDDEN, F32_INF - F32_HIDDEN);
}

/* True if all lanes are negative, and none is a zero or a denormal: all roots are NaNs. Common
 * where the rays of a block of pixels miss an object. */
LANES_INLINE bool sfu_all_negative(u32x32 v) {
    const uint32_t least = F32_SIGN | F32_HIDDEN;
#if defined(__AVX2__) && !defined(__AVX512F__)
    const union lanes_quarters x = {.v = v};
    const __m256i low =
        _mm256_min_epu32(_mm256_min_epu32(x.q[0], x.q[1]), _mm256_min_epu32(x.q[2], x.q[3]));
    const __m256i limited = _mm256_max_epu32(low, _mm256_set1_epi32((int)least));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(low, limited)) == -1;
#else
    return !lanes_any((u32x32)(v < least));
#endif
}

LANES_INLINE u32x32 sfu_rsqrt(u32x32 v) {
    const bool special = sfu_any_special(v);
    if (__builtin_expect(special && sfu_all_negative(v), 0))
        return lanes_splat(F32_NAN);
    const u32x32 body = sfu_rsqrt_body(v);
    return special ? sfu_rsqrt_special(v, body) : body;
}

/* The square roots of zeros are zeros, that of infinity is infinity. */
LANES_INLINE u32x32 sfu_rsqrt_rcp_special(u32x32 v, u32x32 body) {
    const u32x32 zero = f32_is_zero(v);
    u32x32 out = lanes_blend((u32x32)(v == F32_INF), v, body);
    out = lanes_blend(zero, v & F32_SIGN, out);
    return lanes_blend(f32_is_nan(v) | (int_sign_fill(v) & ~zero), lanes_splat(F32_NAN), out);
}

/* sfu_rcp(sfu_rsqrt(v)), a square root. The reciprocal of a normal root is normal. */
LANES_INLINE u32x32 sfu_rsqrt_rcp(u32x32 v) {
    const bool special = sfu_any_special(v);
    if (__builtin_expect(special && sfu_all_negative(v), 0))
        return lanes_splat(F32_NAN);
    const u32x32 x = sfu_rsqrt_body(v), body = sfu_rcp_body(x, sfu_rcp_less(x));
    return special ? sfu_rsqrt_rcp_special(v, body) : body;
}

/* The logarithm is the exponent plus log2(1 + f), where f is the fraction. The sum of the terms is
 * 2^38 * (log2(1 + f) - f). In 32 bits: steps of 2^-30 if the result is between -1 and 1, else
 * steps of 2^-24. Near 0 the lowest bits are added. */
LANES_INLINE u32x32 sfu_lg2(u32x32 v) {
    const struct sfu_sum sum = SFU_EVALUATE(LG2, lg2, 64, v & F32_FRACTION);
    const u32x32 x = v - F32_ONE; /* the exponent, and f */
    const u32x32 near = (u32x32)(x + F32_HIDDEN < 2 * F32_HIDDEN);
    u32x32 t = lanes_blend(near, sum.high + (x << 7), (u32x32)((i32x32)sum.high >> 6) + (x << 1));
    u32x32 unit = lanes_blend(near, lanes_splat(0x30800000), lanes_splat(0x33800000));
    const u32x32 negative = int_sign_fill(t);
    const u32x32 small = near & (u32x32)((t ^ negative) < F32_HIDDEN);
    if (__builtin_expect(lanes_any(small & ~(u32x32)(v == F32_ONE)), 0)) {
        t = lanes_blend(small, t << 6 | (sum.low >> 2 & 63), t);
        unit = lanes_blend(small, lanes_splat(0x2d800000), unit);
    }
    const f32x32 scaled = (f32x32)sfu_cut(t ^ negative, true) * (f32x32)unit;
    const u32x32 out = ((u32x32)scaled | (negative & F32_SIGN)) & ~(u32x32)(v == F32_ONE);
    return __builtin_expect(sfu_any_special(v), 0) ? f32_lg2_special(v, out) : out;
}

/* 2 to the power of w, or of -w where `negative` is all ones. w: 7.23 fixed point. An exponent out
 * of range gives a result below F32_HIDDEN, or one of at least F32_INF. */
LANES_INLINE i32x32 sfu_power_body(u32x32 w, u32x32 negative) {
    const u32x32 whole = (u32x32)((w & F32_FRACTION) == 0);
    const u32x32 x = (w ^ negative) - (negative & whole);
    const u32x32 sum = SFU_EVALUATE(EX2, ex2, 64, x & F32_FRACTION).high;
    return (i32x32)((sum >> 7) + x + (127u << 23) - F32_HIDDEN);
}

LANES_INLINE u32x32 sfu_limit_power(i32x32 body) {
    const u32x32 out = (u32x32)body & (u32x32)(body >= F32_HIDDEN);
    return lanes_blend((u32x32)(body >= F32_INF), lanes_splat(F32_INF), out);
}

/* v: output of preex2. */
LANES_INLINE u32x32 sfu_ex2(u32x32 v) {
    const u32x32 negative = int_sign_fill(v);
    u32x32 large = (u32x32)((v & SFU_NAN) != 0), infinite = (u32x32)((v & F32_HIDDEN) != 0);
    u32x32 special = lanes_blend(infinite, ~negative & F32_INF, lanes_splat(F32_NAN));
    return lanes_blend(large, special, sfu_limit_power(sfu_power_body(v & ~F32_SIGN, negative)));
}

/* w quarter turns as the distance from the nearest zero of the sine or cosine, in 2^-23 of a
 * quarter turn. */
LANES_INLINE u32x32 sfu_fold(u32x32 w, bool cosine) {
#if defined(__AVX512F__)
    const __m512i quarter = _mm512_set1_epi32(F32_HIDDEN), all = _mm512_set1_epi32(F32_FRACTION);
    union sfu_halves x = {.v = w};
    for (int i = 0; i < 2; i++) {
        const __mmask16 back = cosine ? _mm512_testn_epi32_mask(x.z[i], quarter)
                                      : _mm512_test_epi32_mask(x.z[i], quarter);
        x.z[i] = _mm512_and_si512(x.z[i], all);
        x.z[i] = _mm512_mask_xor_epi32(x.z[i], back, x.z[i], all);
    }
    return x.v;
#else
    return (w ^ int_sign_fill((cosine ? w + F32_HIDDEN : w) << 8)) & F32_FRACTION;
#endif
}

/* The sine of w quarter turns, 2.23 fixed point (bits above have no effect), with the sign of
 * `sign`; the cosine ignores the sign. The sum is 2^37 times the result; near 0 its lowest bits are
 * added. Where `nan` is all ones and the sine is 0, the result is a NaN. */
LANES_INLINE u32x32 sfu_sine(u32x32 w, u32x32 sign, bool cosine, u32x32 nan) {
    const u32x32 q = cosine ? w + F32_HIDDEN : w; /* quarters from bit 23 on */
    const struct sfu_sum sum = SFU_EVALUATE(SIN, sin, 64, sfu_fold(w, cosine));
    u32x32 t = sum.high, unit = lanes_splat(0x30000000);
    const u32x32 small = (u32x32)(t < F32_HIDDEN);
    const u32x32 sign_bit = (cosine ? q << 7 : q << 7 ^ sign) & F32_SIGN;
    unit |= sign_bit;
    if (__builtin_expect(lanes_any(small), 0)) {
        t = lanes_blend(small, t << 6 | (sum.low & 63), t);
        unit = lanes_blend(small, 0x2d000000 | sign_bit, unit);
        unit = lanes_blend(nan, lanes_splat(F32_NAN), unit);
    }
    return (u32x32)((f32x32)sfu_cut(t, false) * (f32x32)unit);
}

/* v: output of presin. */
LANES_INLINE u32x32 sfu_sin(u32x32 v, bool cosine) {
    return lanes_blend((u32x32)((v & SFU_NAN) != 0), lanes_splat(F32_NAN),
                       sfu_sine(v, v, cosine, lanes_splat(0)));
}

/* The prepared form: the code of a NaN or of a value too large, or body; with the sign of v. */
LANES_INLINE u32x32 sfu_prepared(u32x32 v, u32x32 too_large, u32x32 body) {
    body = lanes_blend(too_large, lanes_splat(SFU_LARGE), body);
    body = lanes_blend(f32_is_nan(v), lanes_splat(SFU_NAN), body);
    return body | (v & F32_SIGN);
}

/* a << n for n in 0..31, a >> -n for negative n; 0 if all bits are shifted out. */
LANES_INLINE u32x32 sfu_shift(u32x32 a, i32x32 n) {
    /* Counts of vector shifts are unsigned, and a count of 32 or more gives 0: one of the two
     * shifts gives 0, or both give a. */
#if defined(__AVX512F__)
    union lanes_halves v = {.v = a}, left = {.v = (u32x32)n}, right = {.v = (u32x32)-n};
    for (int i = 0; i < 2; i++)
        v.h[i] = _mm512_or_si512(_mm512_sllv_epi32(v.h[i], left.h[i]),
                                 _mm512_srlv_epi32(v.h[i], right.h[i]));
    return v.v;
#elif defined(__AVX2__)
    union lanes_quarters v = {.v = a}, left = {.v = (u32x32)n}, right = {.v = (u32x32)-n};
    for (int i = 0; i < 4; i++)
        v.q[i] = _mm256_or_si256(_mm256_sllv_epi32(v.q[i], left.q[i]),
                                 _mm256_srlv_epi32(v.q[i], right.q[i]));
    return v.v;
#else
    u32x32 right = (u32x32)(n < 0);
    u32x32 distance = lanes_blend(right, (u32x32)-n, (u32x32)n);
    u32x32 kept = (u32x32)(distance < 32);
    distance &= 31;
    return lanes_blend(right, a >> distance, a << distance) & kept;
#endif
}

enum { SFU_PREEX2_LEAST = 0x43000000, SFU_EX2_SURE = 0x42fc0000 }; /* as floats: 128; 126 */

/* A magnitude below 2^7 as 7.23 fixed point; 0 for zeros. */
LANES_INLINE u32x32 sfu_fixed(u32x32 v) {
#if defined(__AVX512F__)
    union sfu_halves x = {.v = v & ~F32_SIGN};
    for (int i = 0; i < 2; i++)
        x.z[i] = _mm512_cvttps_epi32(
            _mm512_mul_ps(_mm512_castsi512_ps(x.z[i]), _mm512_set1_ps(F32_HIDDEN)));
    return x.v;
#elif defined(__AVX2__)
    /* Larger values count as 2^7. So the conversion sets no flag of the host, which bold code would
     * see (native/native.h). */
    union lanes_quarters x = {.v = v & ~F32_SIGN};
    for (int i = 0; i < 4; i++) {
        const __m256i capped = _mm256_min_epu32(x.q[i], _mm256_set1_epi32(SFU_PREEX2_LEAST));
        x.q[i] = _mm256_cvttps_epi32(
            _mm256_mul_ps(_mm256_castsi256_ps(capped), _mm256_set1_ps(F32_HIDDEN)));
    }
    return x.v;
#else
    return sfu_shift((v & F32_FRACTION) | F32_HIDDEN, (i32x32)f32_exponent(v) - 127);
#endif
}

/* 7.23 fixed point, sign in bit 31. */
LANES_INLINE u32x32 sfu_preex2(u32x32 v) {
    return sfu_prepared(v, (u32x32)((v & ~F32_SIGN) >= SFU_PREEX2_LEAST), sfu_fixed(v));
}

LANES_INLINE u32x32 sfu_preex2_ex2_special(u32x32 v, i32x32 body) {
    const u32x32 large = (u32x32)((v & ~F32_SIGN) >= SFU_PREEX2_LEAST);
    const u32x32 x = lanes_blend(large, ~int_sign_fill(v) & F32_INF, sfu_limit_power(body));
    return lanes_blend(f32_is_nan(v), lanes_splat(F32_NAN), x);
}

/* sfu_ex2(sfu_preex2(v)) */
LANES_INLINE u32x32 sfu_preex2_ex2(u32x32 v) {
    const i32x32 body = sfu_power_body(sfu_fixed(v), int_sign_fill(v));
    return __builtin_expect(sfu_any_beyond(v & ~F32_SIGN, SFU_EX2_SURE), 0)
               ? sfu_preex2_ex2_special(v, body)
               : (u32x32)body;
}

#if defined(__AVX512F__)
/* A magnitude in quarter turns, 2.23 fixed point with whole turns above; 0 for zeros. A magnitude
 * of 2^9 or more counts as one below 2^9 with the same significand, whose result is shifted left.
 * `high` is the truncated product, the difference is its error. The two can be cut to integers
 * apart: where `high` has a fraction, the error is below its last bit. */
LANES_INLINE u32x32 sfu_quarters(u32x32 v) {
    enum { MOST = 127 + 8 };
    const __m512 quarter = _mm512_set1_ps(0xa2f983 / 2.0f); /* 2 / pi in steps of 2^-23 */
    union sfu_halves x = {.v = v};
    for (int i = 0; i < 2; i++) {
        const __m512i size = _mm512_and_si512(x.z[i], _mm512_set1_epi32(INT32_MAX));
        const __m512i capped = _mm512_min_epu32(
            size, _mm512_ternarylogic_epi32(_mm512_set1_epi32(MOST << 23), size,
                                            _mm512_set1_epi32(F32_FRACTION), 0xf8));
        const __m512 a = _mm512_castsi512_ps(capped);
        const __m512 high = _mm512_mul_round_ps(a, quarter, F32_TOWARD(ZERO));
        const __m512i w = _mm512_add_epi32(_mm512_cvttps_epu32(high),
                                           _mm512_cvttps_epi32(_mm512_fmsub_ps(a, quarter, high)));
        x.z[i] = _mm512_sllv_epi32(
            w, _mm512_subs_epu16(_mm512_srli_epi32(size, 23), _mm512_set1_epi32(MOST)));
    }
    return x.v;
}
#else
/* Bits 16..47 of the product of v's significand and 0xa2f983, which is 2 / pi in steps of 2^-24. */
LANES_INLINE u32x32 sfu_turns(u32x32 v) {
#if defined(__AVX2__)
    const __m256i quarter = _mm256_set1_epi64x(0xa2f98300ll);
    union lanes_quarters x = {.v = v << 8 | F32_SIGN};
    for (int i = 0; i < 4; i++) {
        const __m256i even = _mm256_mul_epu32(x.q[i], quarter);
        const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x.q[i], 32), quarter);
        x.q[i] = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    }
    return x.v;
#else
    /* even lanes, then odd lanes, as 64-bit products */
    typedef uint64_t pairs __attribute__((vector_size(128), aligned(128)));
    const pairs both = (pairs)((v & F32_FRACTION) | F32_HIDDEN);
    const uint64_t quarter = 0xa2f983, even = 0xffffffff;
    const pairs e = (both & even) * quarter, o = (both >> 32) * quarter;
    return (u32x32)((e >> 16 & even) | (o << 16 & ~even));
#endif
}

/* A magnitude in quarter turns, 2.23 fixed point with whole turns above; 0 for zeros. */
LANES_INLINE u32x32 sfu_quarters(u32x32 v) {
    const i32x32 e = (i32x32)f32_exponent(v) - 127;
    return sfu_shift(sfu_turns(v), e - 8);
}
#endif

/* True for infinity and NaNs. */
LANES_INLINE u32x32 sfu_is_endless(u32x32 v) {
    return (u32x32)(f32_exponent(v) == 255);
}

/* 2.23 fixed point quarter turns, sign in bit 31. */
LANES_INLINE u32x32 sfu_presin(u32x32 v) {
    return sfu_prepared(v, sfu_is_endless(v), sfu_quarters(v) & 0x1ffffff);
}

/* sfu_sin(sfu_presin(v), cosine). For infinity and NaNs sfu_quarters gives 0, and the result is a
 * NaN. */
LANES_INLINE u32x32 sfu_presin_sin(u32x32 v, bool cosine) {
    const u32x32 none = sfu_is_endless(v), x = sfu_sine(sfu_quarters(v), v, cosine, none);
    return cosine ? lanes_blend(none, lanes_splat(F32_NAN), x) : x;
}
