/* Native slices of 32-lane vectors: 16, 8 or 4 lanes, what one register of the SIMD level holds. A
 * kernel that takes a request slice by slice keeps its values in registers. Every helper gives the
 * same bits at every level. Knows no textures.
 */
#ifndef TEX_PART_H
#define TEX_PART_H

#include "base/lanes.h"

/* For loops over axes, taps and components, whose number an instance knows: what they index stays in
 * registers. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#define ROLL _Pragma("clang loop unroll(disable)")
#else
#define UNROLL
#define ROLL
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define PART_LANES 16
#elif defined(__AVX2__)
#define PART_LANES 8
#else
#define PART_LANES 4
#endif
enum { PARTS = LANES / PART_LANES };

typedef uint32_t u32xp __attribute__((vector_size(4 * PART_LANES)));
typedef int32_t i32xp __attribute__((vector_size(4 * PART_LANES)));
typedef float f32xp __attribute__((vector_size(4 * PART_LANES)));
typedef uint16_t u16xp __attribute__((vector_size(4 * PART_LANES)));

LANES_INLINE f32xp part_load(const u32x32 *v, int part) {
    f32xp r;
    memcpy(&r, (const char *)v + part * (int)sizeof r, sizeof r);
    return r;
}

LANES_INLINE void part_store(u32x32 *v, int part, f32xp value) {
    memcpy((char *)v + part * (int)sizeof value, &value, sizeof value);
}

LANES_INLINE i32xp part_splat(int32_t v) {
    return v - (i32xp){0};
}

LANES_INLINE f32xp part_splat_f(float v) {
    uint32_t b;
    memcpy(&b, &v, 4);
    return (f32xp)part_splat((int32_t)b);
}

LANES_INLINE f32xp part_float(i32xp v) {
    return __builtin_convertvector(v, f32xp);
}

LANES_INLINE i32xp part_int(f32xp v) {
    return __builtin_convertvector(v, i32xp);
}

/* All ones in the lanes of the mask. */
LANES_INLINE i32xp part_from_mask(uint32_t mask) {
#if PART_LANES == 16
    return (i32xp)_mm512_movm_epi32((__mmask16)mask);
#else
    const u32x32 iota = lanes_iota();
    const u32xp bit = 1u << (u32xp)part_load(&iota, 0);
    return (i32xp)((bit & mask) != 0);
#endif
}

/* Stores the lanes of the mask; the others keep what they have. */
LANES_INLINE void part_store_lanes(u32x32 *v, int part, u32xp value, uint32_t mask) {
    char *to = (char *)v + part * (int)sizeof value;
#if PART_LANES == 16
    /* Not a store under the mask: what reads it next would wait until it has reached the cache. */
    _mm512_storeu_si512(to, _mm512_mask_mov_epi32(_mm512_loadu_si512(to), (__mmask16)mask,
                                                  (__m512i)value));
#else
    const u32xp here = (u32xp)part_from_mask(mask);
    value = (value & here) | ((u32xp)part_load(v, part) & ~here);
    memcpy(to, &value, sizeof value);
#endif
}

LANES_INLINE u32xp part_pick(i32xp cond, u32xp a, u32xp b) {
    return (a & (u32xp)cond) | (b & ~(u32xp)cond);
}

LANES_INLINE f32xp part_pick_f(i32xp cond, f32xp a, f32xp b) {
    return (f32xp)part_pick(cond, (u32xp)a, (u32xp)b);
}

LANES_INLINE i32xp part_pick_int(i32xp cond, i32xp a, i32xp b) {
    return (i32xp)part_pick(cond, (u32xp)a, (u32xp)b);
}

/* Lanes of the part in a warp's mask. */
LANES_INLINE uint32_t part_mask(lane_mask lanes, int part) {
    return (uint32_t)((uint64_t)lanes >> part * PART_LANES) & ((1u << PART_LANES) - 1);
}

/* Bit i = top bit of lane i: of a comparison, where it is true. */
LANES_INLINE uint32_t part_bits(i32xp v) {
#if PART_LANES == 16
    return _mm512_movepi32_mask((__m512i)v);
#elif PART_LANES == 8
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)v);
#else
    uint32_t m = 0;
    for (int i = 0; i < PART_LANES; i++)
        m |= ((uint32_t)v[i] >> 31) << i;
    return m;
#endif
}

/* NaN gives b. */
LANES_INLINE f32xp part_max(f32xp a, f32xp b) {
#if PART_LANES == 16
    return (f32xp)_mm512_max_ps((__m512)a, (__m512)b);
#elif PART_LANES == 8
    return (f32xp)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (f32xp)_mm_max_ps((__m128)a, (__m128)b);
#else
    const i32xp more = a > b;
    return (f32xp)(((i32xp)a & more) | ((i32xp)b & ~more));
#endif
}

LANES_INLINE f32xp part_min(f32xp a, f32xp b) {
#if PART_LANES == 16
    return (f32xp)_mm512_min_ps((__m512)a, (__m512)b);
#elif PART_LANES == 8
    return (f32xp)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (f32xp)_mm_min_ps((__m128)a, (__m128)b);
#else
    const i32xp less = a < b;
    return (f32xp)(((i32xp)a & less) | ((i32xp)b & ~less));
#endif
}

LANES_INLINE f32xp part_clamp(f32xp v, float low, float high) {
    return part_min(part_max(v, part_splat_f(low)), part_splat_f(high));
}

LANES_INLINE f32xp part_abs(f32xp v) {
    return (f32xp)((i32xp)v & 0x7fffffff);
}

/* Instructions by name: compilers make more of the plain expression where they know an operand. */
LANES_INLINE i32xp part_max_int(i32xp a, i32xp b) {
#if PART_LANES == 16
    return (i32xp)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif PART_LANES == 8
    return (i32xp)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    return part_pick_int(a > b, a, b);
#endif
}

LANES_INLINE i32xp part_min_int(i32xp a, i32xp b) {
#if PART_LANES == 16
    return (i32xp)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif PART_LANES == 8
    return (i32xp)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return part_pick_int(a < b, a, b);
#endif
}

LANES_INLINE i32xp part_clamp_int(i32xp v, int32_t low, int32_t high) {
    return part_min_int(part_max_int(v, part_splat(low)), part_splat(high));
}

LANES_INLINE u32xp part_min_unsigned(u32xp a, u32xp b) {
#if PART_LANES == 16
    return (u32xp)_mm512_min_epu32((__m512i)a, (__m512i)b);
#elif PART_LANES == 8
    return (u32xp)_mm256_min_epu32((__m256i)a, (__m256i)b);
#else
    return part_pick((i32xp)(a < b), a, b);
#endif
}

/* Shifts by one count for all lanes, which comes from memory: shifts by counts of their own are the
 * cheaper instruction. */
LANES_INLINE u32xp part_shift_left(u32xp v, uint32_t count) {
#if PART_LANES == 16
    return (u32xp)_mm512_sllv_epi32((__m512i)v, _mm512_set1_epi32((int)count));
#elif PART_LANES == 8
    return (u32xp)_mm256_sllv_epi32((__m256i)v, _mm256_set1_epi32((int)count));
#else
    return v << count;
#endif
}

LANES_INLINE u32xp part_shift_right(u32xp v, uint32_t count) {
#if PART_LANES == 16
    return (u32xp)_mm512_srlv_epi32((__m512i)v, _mm512_set1_epi32((int)count));
#elif PART_LANES == 8
    return (u32xp)_mm256_srlv_epi32((__m256i)v, _mm256_set1_epi32((int)count));
#else
    return v >> count;
#endif
}

LANES_INLINE i32xp part_shift_right_signed(i32xp v, uint32_t count) {
#if PART_LANES == 16
    return (i32xp)_mm512_srav_epi32((__m512i)v, _mm512_set1_epi32((int)count));
#elif PART_LANES == 8
    return (i32xp)_mm256_srav_epi32((__m256i)v, _mm256_set1_epi32((int)count));
#else
    return v >> count;
#endif
}

/* Bits of a where the mask has ones, of b elsewhere. */
LANES_INLINE u32xp part_bits_of(uint32_t mask, u32xp a, u32xp b) {
#if PART_LANES == 16 /* not as a permutation of 16-bit lanes, which takes longer */
    return (u32xp)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b,
                                            _mm512_set1_epi32((int)mask), 0xe4);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* The 16-bit halves of each lane, the other way round. */
LANES_INLINE u32xp part_turned(u32xp v) {
    return v << 16 | v >> 16;
}

/* Largest integer not above v; |v| < 2^31. */
LANES_INLINE i32xp part_floor(f32xp v) {
#if PART_LANES == 16
    return (i32xp)_mm512_cvt_roundps_epi32((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#elif PART_LANES == 8
    return (i32xp)_mm256_cvttps_epi32(_mm256_floor_ps((__m256)v));
#else
    const i32xp t = part_int(v);
    return t + (part_float(t) > v); /* a true comparison is -1 */
#endif
}

/* a * b where the condition holds, else 0. */
LANES_INLINE f32xp part_product_where(i32xp cond, f32xp a, f32xp b) {
#if PART_LANES == 16
    return (f32xp)_mm512_maskz_mul_ps(_mm512_movepi32_mask((__m512i)cond), (__m512)a, (__m512)b);
#else
    return (f32xp)((i32xp)(a * b) & cond);
#endif
}

/* Any NaN becomes the arithmetic units' NaN: which operand of a sum gives its NaN is the compiler's
 * choice. */
LANES_INLINE f32xp part_one_nan(f32xp v) {
    return part_pick_f(v == v, v, (f32xp)part_splat(0x7fffffff));
}

/* What is left of v above its floor; 0 where v has no fraction, is infinite or NaN. */
LANES_INLINE f32xp part_fraction(f32xp v) {
#if PART_LANES == 16
    /* Not vreduceps, which rounds the difference down, too. */
    const __m512 whole = _mm512_roundscale_ps((__m512)v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return part_max(v - (f32xp)whole, part_splat_f(0.0f));
#elif PART_LANES == 8
    return part_max(v - (f32xp)_mm256_floor_ps((__m256)v), part_splat_f(0.0f));
#else
    const i32xp small = ((i32xp)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    const f32xp some = (f32xp)((i32xp)v & small), whole = part_float(part_int(some));
    return some - (whole + part_float(whole > some)); /* a true comparison is -1 */
#endif
}

/* 0 instead of what has no fraction left, is infinite or NaN. */
LANES_INLINE f32xp part_periodic(f32xp v) {
    const i32xp small = ((i32xp)v & 0x7fffffff) < 0x4b000000; /* 2^23 */
    return (f32xp)((i32xp)v & small);
}

/* log2 of a positive normal f32, within 2e-5 (Chebyshev fit of log2(1 + t) / t on 0..1), in the making: a
 * chain of operations each of which waits for the one before, so that there is time for others. */
struct part_log2 {
    f32xp exponent, t, p;
};

LANES_INLINE void part_log2_begin(struct part_log2 *l, f32xp v) {
    const i32xp b = (i32xp)v;
    l->exponent = part_float((b >> 23) - 127);
    l->t = (f32xp)((b & 0x7fffff) | 0x3f800000) - 1.0f;
    l->p = l->t * -0.0338220460f + 0.1444710957f;
    l->p = l->p * l->t - 0.3016380097f;
}

LANES_INLINE void part_log2_go_on(struct part_log2 *l) {
    l->p = l->p * l->t + 0.4686588791f;
    l->p = l->p * l->t - 0.7203587727f;
}

LANES_INLINE f32xp part_log2_end(const struct part_log2 *l) {
    const f32xp p = l->p * l->t + 1.4426814681f;
    return l->exponent + p * l->t;
}

LANES_INLINE f32xp part_log2(f32xp v) {
    struct part_log2 l;
    part_log2_begin(&l, v);
    part_log2_go_on(&l);
    return part_log2_end(&l);
}

#if PART_LANES > 4
/* a * b + c, rounded once. */
LANES_INLINE f32xp part_fma(f32xp a, f32xp b, f32xp c) {
#if PART_LANES == 16
    return (f32xp)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
    return (f32xp)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#endif
}
#endif

#if PART_LANES == 16
/* Bits of each lane as the end of 2^23 and more. Named: compilers make a permutation of bytes of a shift
 * before it, which then is one for each mask. */
LANES_INLINE f32xp part_field(u32xp word, uint32_t mask) {
    return (f32xp)_mm512_ternarylogic_epi32((__m512i)word, _mm512_set1_epi32((int)mask),
                                            _mm512_set1_epi32(0x4b000000), 0xea);
}
#elif PART_LANES == 8
LANES_INLINE f32xp part_field(u32xp word, uint32_t mask) {
    return (f32xp)((word & mask) | 0x4b000000u);
}
#endif

/* Bits of each lane as an integer below 2^16, times scale. */
LANES_INLINE f32xp part_scale_field(u32xp word, int down, uint32_t mask, float scale) {
#if PART_LANES == 16
    /* 2^23 is taken away again: as exact as a conversion. */
    return part_fma(part_field(part_shift_right(word, (uint32_t)down), mask), part_splat_f(scale),
                    part_splat_f(-0x1p23f * scale));
#else
    return part_float((i32xp)(part_shift_right(word, (uint32_t)down) & mask)) * scale;
#endif
}

/* A byte of each lane, as a fraction of 255. */
LANES_INLINE f32xp part_scale_byte(u32xp word, int byte) {
    const float scale = 1.0f / 255.0f;
#if PART_LANES > 4
    /* As in part_scale_field; odd bytes are left where they are, 256 times as great. */
    const float unit = byte & 1 ? scale * 0x1p-8f : scale;
    return part_fma(part_field(byte & 2 ? word >> 16 : word, byte & 1 ? 0xff00 : 0xff),
                    part_splat_f(unit), part_splat_f(-0x1p23f * unit));
#else
    return part_float((i32xp)(word >> 8 * byte & 0xff)) * scale;
#endif
}

/* How bytes of two words are mixed: the second has w of 256, the first the rest. */
struct part_mix {
#if PART_LANES > 4
    u32xp weights; /* 256 - w and w as bytes, two times over; 255 and 1 instead of 256 and 0, */
    i32xp first;   /* where the first word stands for the second, too */
#else
    u16xp first, second; /* 256 - w and w, two times over */
#endif
};

LANES_INLINE void part_mix_init(struct part_mix *m, u32xp w) {
#if PART_LANES > 4
    m->first = (i32xp)(w == 0);
    const u32xp some = w - (u32xp)m->first;
#if PART_LANES == 16
    const u32xp four = (u32xp)_mm512_shuffle_epi8(
        (__m512i)some, _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
#else
    const u32xp four = (u32xp)_mm256_shuffle_epi8(
        (__m256i)some, _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                         0x08080808, 0x0c0c0c0c));
#endif
    m->weights = (four ^ 0x00ff00ff) + 0x00010001;
#else
    m->second = (u16xp)(w | w << 16);
    m->first = 256 - m->second;
#endif
}

/* Bytes 0 and 2 mixed, and bytes 1 and 3, as the 16-bit halves of each lane: 8.8 fixed point, less
 * 2^15, exact. */
LANES_INLINE void part_mix_bytes(const struct part_mix *m, u32xp a, u32xp b, u32xp *even,
                                 u32xp *odd) {
#if PART_LANES > 4
    /* Products of unsigned weights and signed bytes. */
    const u32xp s = a ^ 0x80808080u, t = part_pick(m->first, s, b ^ 0x80808080u);
    const u32xp low = part_bits_of(0x00ff00ff, s, (u32xp)((u16xp)t << 8));
    const u32xp high = part_bits_of(0x00ff00ff, (u32xp)((u16xp)s >> 8), t);
#if PART_LANES == 16
    *even = (u32xp)_mm512_maddubs_epi16((__m512i)m->weights, (__m512i)low);
    *odd = (u32xp)_mm512_maddubs_epi16((__m512i)m->weights, (__m512i)high);
#else
    *even = (u32xp)_mm256_maddubs_epi16((__m256i)m->weights, (__m256i)low);
    *odd = (u32xp)_mm256_maddubs_epi16((__m256i)m->weights, (__m256i)high);
#endif
#else
    const u16xp low = (u16xp)(a & 0xff00ff) * m->first + (u16xp)(b & 0xff00ff) * m->second;
    const u16xp high = ((u16xp)a >> 8) * m->first + ((u16xp)b >> 8) * m->second;
    *even = (u32xp)low ^ 0x80008000u;
    *odd = (u32xp)high ^ 0x80008000u;
#endif
}

/* (low * low weight + high * high weight) * scale of 16-bit halves that are 2^15 too low, for weights
 * that are 256 together: the sum is exact, the product rounded. */
LANES_INLINE f32xp part_scale_pairs(u32xp pair, u32xp weights, float scale) {
#if PART_LANES == 16
    const i32xp sum = (i32xp)_mm512_madd_epi16((__m512i)pair, (__m512i)weights);
#elif PART_LANES == 8
    const i32xp sum = (i32xp)_mm256_madd_epi16((__m256i)pair, (__m256i)weights);
#elif defined(__SSE2__)
    const i32xp sum = (i32xp)_mm_madd_epi16((__m128i)pair, (__m128i)weights);
#else
    const i32xp sum = ((i32xp)(pair << 16) >> 16) * (i32xp)(weights & 0xffff) +
                      ((i32xp)pair >> 16) * (i32xp)(weights >> 16);
#endif
    /* The sum is 2^23 too low. */
#if PART_LANES > 4
    return part_fma(part_float(sum), part_splat_f(scale), part_splat_f(0x1p23f * scale));
#else
    return part_float(sum + (1 << 23)) * scale;
#endif
}

/* Four bytes at base + offset (less than 2 GiB) in every lane. */
LANES_INLINE u32xp part_gather(const uint8_t *base, u32xp offset) {
#if PART_LANES == 16
    return (u32xp)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif PART_LANES == 8
    return (u32xp)_mm256_i32gather_epi32((const int *)base, (__m256i)offset, 1);
#else
    u32xp r;
    for (int i = 0; i < PART_LANES; i++) {
        uint32_t w;
        memcpy(&w, base + offset[i], 4);
        r[i] = w;
    }
    return r;
#endif
}

/* The same in some lanes, few of them as a rule; the rest is kept. */
LANES_INLINE u32xp part_gather_some(const uint8_t *base, u32xp offset, uint32_t mask, u32xp rest) {
#if PART_LANES == 16
    if (__builtin_popcount(mask) <= 8) {
        const __m512i some = _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset);
        const __m256i word =
            _mm256_i32gather_epi32((const int *)base, _mm512_castsi512_si256(some), 1);
        return (u32xp)_mm512_mask_expand_epi32((__m512i)rest, (__mmask16)mask,
                                               _mm512_castsi256_si512(word));
    }
#endif
    return part_pick(part_from_mask(mask), part_gather(base, offset), rest);
}

#if PART_LANES == 16
/* Four words by loads of their own. */
LANES_INLINE __m128i part_load_four(const uint8_t *base, __m128i offset) {
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(offset);
    const uint64_t high = (uint64_t)_mm_extract_epi64(offset, 1);
    const __m128i a = _mm_loadu_si32(base + (uint32_t)low), b = _mm_loadu_si32(base + (low >> 32));
    const __m128i c = _mm_loadu_si32(base + (uint32_t)high), d = _mm_loadu_si32(base + (high >> 32));
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
}

LANES_INLINE u32xp part_expand_four(u32xp rest, uint32_t mask, __m128i four) {
    return (u32xp)_mm512_mask_expand_epi32((__m512i)rest, (__mmask16)mask,
                                           _mm512_castsi128_si512(four));
}
#endif

/* The same at 2 or 4 offsets a lane. singly: gathers are slow. */
LANES_INLINE void part_gather_some_each(const uint8_t *base, const u32xp offset[], int count,
                                        uint32_t mask, bool singly, u32xp word[]) {
#if PART_LANES == 16
    const int lanes = __builtin_popcount(mask);
    if (singly && lanes <= 4) {
        __m128i at[4];
        UNROLL
        for (int i = 0; i < count; i++)
            at[i] = _mm512_castsi512_si128(
                _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset[i]));
        if (lanes <= 2) {
            UNROLL
            for (int i = 0; i < count; i += 2) {
                const __m128i four = part_load_four(base, _mm_unpacklo_epi64(at[i], at[i + 1]));
                word[i] = part_expand_four(word[i], mask, four);
                word[i + 1] = part_expand_four(word[i + 1], mask, _mm_unpackhi_epi64(four, four));
            }
            return;
        }
        UNROLL
        for (int i = 0; i < count; i++)
            word[i] = part_expand_four(word[i], mask, part_load_four(base, at[i]));
        return;
    }
#endif
    UNROLL
    for (int i = 0; i < count; i++)
        word[i] = part_gather_some(base, offset[i], mask, word[i]);
    (void)singly;
}

/* Entries of a table. */
LANES_INLINE u32xp part_look_up(const uint32_t *table, u32xp index) {
#if PART_LANES == 16
    return (u32xp)_mm512_i32gather_epi32((__m512i)index, table, 4);
#elif PART_LANES == 8
    return (u32xp)_mm256_i32gather_epi32((const int *)table, (__m256i)index, 4);
#else
    return part_gather((const uint8_t *)table, index << 2);
#endif
}

#if PART_LANES == 8
/* Entries by the three lower bytes of words, by way of the other registers: takes 0.7 of the time of gathers where
 * those are slow. */
LANES_INLINE void part_look_up_bytes(const uint32_t *table, u32xp words, u32xp out[3]) {
    const __m128i half[2] = {_mm256_castsi256_si128((__m256i)words), _mm256_extracti128_si256((__m256i)words, 1)};
    UNROLL
    for (int c = 0; c < 3; c++) {
        __m128i four[2];
        UNROLL
        for (int h = 0; h < 2; h++) {
            const uint64_t low = (uint64_t)_mm_cvtsi128_si64(half[h]) >> 8 * c;
            const uint64_t high = (uint64_t)_mm_extract_epi64(half[h], 1) >> 8 * c;
            const __m128i a = _mm_loadu_si32(&table[(uint8_t)low]), b = _mm_loadu_si32(&table[(uint8_t)(low >> 32)]);
            const __m128i d = _mm_loadu_si32(&table[(uint8_t)high]), e = _mm_loadu_si32(&table[(uint8_t)(high >> 32)]);
            four[h] = _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(d, e));
        }
        out[c] = (u32xp)_mm256_inserti128_si256(_mm256_castsi128_si256(four[0]), four[1], 1);
    }
}
#endif

/* Four bytes of every lane where lanes often lie side by side in memory, each odd one after the even
 * one before it: half as many loads if all do. */
LANES_INLINE u32xp part_gather_beside(const uint8_t *base, u32xp offset) {
#if PART_LANES == 16
    const __m512i even = _mm512_sub_epi32((__m512i)offset, _mm512_set1_epi64(4ll << 32));
    if (!_mm512_cmpneq_epi32_mask(even, _mm512_rol_epi64(even, 32)))
        return (u32xp)_mm512_i32gather_epi64(_mm512_cvtepi64_epi32(even), base, 1);
#endif
    return part_gather(base, offset);
}

/* 64 bits at base + offset in every lane, as the lower and the upper words. */
LANES_INLINE void part_gather_pairs(const uint8_t *base, u32xp offset, u32xp word[2]) {
#if PART_LANES == 16
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)offset), base, 1);
    const __m512i high =
        _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)offset, 1), base, 1);
    word[0] = (u32xp)_mm512_permutex2var_epi32(low, even, high);
    word[1] = (u32xp)_mm512_permutex2var_epi32(low, odd, high);
#elif PART_LANES == 8
    const __m256i at = (__m256i)offset;
    const __m256i low = _mm256_i32gather_epi64((const long long *)base,
                                               _mm256_castsi256_si128(at), 1);
    const __m256i high = _mm256_i32gather_epi64((const long long *)base,
                                                _mm256_extracti128_si256(at, 1), 1);
    const __m256 a = _mm256_castsi256_ps(low), b = _mm256_castsi256_ps(high);
    word[0] = (u32xp)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0x88), 0xd8);
    word[1] = (u32xp)_mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0xdd), 0xd8);
#else
    for (int i = 0; i < PART_LANES; i++) {
        uint64_t w;
        memcpy(&w, base + offset[i], 8);
        word[0][i] = (uint32_t)w;
        word[1][i] = (uint32_t)(w >> 32);
    }
#endif
}

/* Offsets out of vector registers, in twos: half as many instructions do that. */
struct part_offsets {
    uint64_t two[PART_LANES / 2];
};

LANES_INLINE struct part_offsets part_offsets(u32xp offset) {
    struct part_offsets r;
    memcpy(r.two, &offset, sizeof r.two);
    return r;
}

/* The same by a load for each lane, which some processors do faster. */
LANES_INLINE void part_load_pairs(const uint8_t *base, const struct part_offsets *offsets, u32xp word[2]) {
    const uint64_t *at = offsets->two;
#if PART_LANES == 4
    u32xp offset;
    memcpy(&offset, at, sizeof offset);
    part_gather_pairs(base, offset, word);
#else
    __m128d two[PART_LANES / 2]; /* the even ones, then the odd ones */
    UNROLL
    for (int i = 0; i < PART_LANES / 2; i++) {
        const __m128d first = _mm_load_sd((const double *)(base + (uint32_t)at[i]));
        two[i / 2 + i % 2 * (PART_LANES / 4)] =
            _mm_loadh_pd(first, (const double *)(base + (at[i] >> 32)));
    }
#if PART_LANES == 16
    __m512 half[2];
    UNROLL
    for (int h = 0; h < 2; h++)
        half[h] = _mm512_castpd_ps(_mm512_insertf64x4(
            _mm512_castpd256_pd512(_mm256_set_m128d(two[4 * h + 1], two[4 * h])),
            _mm256_set_m128d(two[4 * h + 3], two[4 * h + 2]), 1));
    word[0] = (u32xp)_mm512_shuffle_ps(half[0], half[1], 0x88);
    word[1] = (u32xp)_mm512_shuffle_ps(half[0], half[1], 0xdd);
#else
    const __m256 even = _mm256_castpd_ps(_mm256_set_m128d(two[1], two[0]));
    const __m256 odd = _mm256_castpd_ps(_mm256_set_m128d(two[3], two[2]));
    word[0] = (u32xp)_mm256_shuffle_ps(even, odd, 0x88);
    word[1] = (u32xp)_mm256_shuffle_ps(even, odd, 0xdd);
#endif
#endif
}

/* The same in some lanes, few of them as a rule; the rest is kept. */
LANES_INLINE void part_gather_some_pairs(const uint8_t *base, u32xp offset, uint32_t mask,
                                         u32xp word[2]) {
#if PART_LANES == 16
    if (__builtin_popcount(mask) <= 8) {
        const __m512i some = _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset);
        const __m512i pair = _mm512_i32gather_epi64(_mm512_castsi512_si256(some), base, 1);
        const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(pair));
        const __m512i high =
            _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srli_epi64(pair, 32)));
        word[0] = (u32xp)_mm512_mask_expand_epi32((__m512i)word[0], (__mmask16)mask, low);
        word[1] = (u32xp)_mm512_mask_expand_epi32((__m512i)word[1], (__mmask16)mask, high);
        return;
    }
#endif
    u32xp all[2];
    const i32xp some = part_from_mask(mask);
    part_gather_pairs(base, offset, all);
    word[0] = part_pick(some, all[0], word[0]);
    word[1] = part_pick(some, all[1], word[1]);
}

/* 128 bits at base + offset in every lane, as four words. */
LANES_INLINE void part_gather_quads(const uint8_t *base, u32xp offset, u32xp word[4]) {
#if PART_LANES == 16
    uint32_t at[16];
    __m512i r[4];
    memcpy(at, &offset, sizeof at);
    for (int j = 0; j < 4; j++) { /* 128-bit part b of r[j]: lane 4 b + j */
        r[j] = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(base + at[j])));
        for (int b = 1; b < 4; b++)
            r[j] = _mm512_mask_broadcast_i32x4(
                r[j], (__mmask16)(15 << 4 * b),
                _mm_loadu_si128((const __m128i *)(base + at[4 * b + j])));
    }
    const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpackhi_epi32(r[0], r[1]);
    const __m512i c = _mm512_unpacklo_epi32(r[2], r[3]), d = _mm512_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xp)_mm512_unpacklo_epi64(a, c);
    word[1] = (u32xp)_mm512_unpackhi_epi64(a, c);
    word[2] = (u32xp)_mm512_unpacklo_epi64(b, d);
    word[3] = (u32xp)_mm512_unpackhi_epi64(b, d);
#elif PART_LANES == 8
    uint32_t at[8];
    __m256i r[4];
    memcpy(at, &offset, sizeof at);
    for (int j = 0; j < 4; j++) /* halves of r[j]: lanes j and 4 + j */
        r[j] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(base + at[j]))),
            _mm_loadu_si128((const __m128i *)(base + at[4 + j])), 1);
    const __m256i a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpackhi_epi32(r[0], r[1]);
    const __m256i c = _mm256_unpacklo_epi32(r[2], r[3]), d = _mm256_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xp)_mm256_unpacklo_epi64(a, c);
    word[1] = (u32xp)_mm256_unpackhi_epi64(a, c);
    word[2] = (u32xp)_mm256_unpacklo_epi64(b, d);
    word[3] = (u32xp)_mm256_unpackhi_epi64(b, d);
#elif defined(__SSE2__)
    __m128i r[4];
    for (int j = 0; j < 4; j++)
        r[j] = _mm_loadu_si128((const __m128i *)(base + offset[j]));
    const __m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpackhi_epi32(r[0], r[1]);
    const __m128i c = _mm_unpacklo_epi32(r[2], r[3]), d = _mm_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xp)_mm_unpacklo_epi64(a, c);
    word[1] = (u32xp)_mm_unpackhi_epi64(a, c);
    word[2] = (u32xp)_mm_unpacklo_epi64(b, d);
    word[3] = (u32xp)_mm_unpackhi_epi64(b, d);
#else
    for (int i = 0; i < 4; i++)
        word[i] = part_gather(base, offset + 4 * i);
#endif
}

/* Lane k of each quad in all its lanes. */
#if PART_LANES == 16
#define part_quad_lane(v, k)                                                                       \
    __builtin_shufflevector(v, v, (k), (k), (k), (k), (k) + 4, (k) + 4, (k) + 4, (k) + 4, (k) + 8, \
                            (k) + 8, (k) + 8, (k) + 8, (k) + 12, (k) + 12, (k) + 12, (k) + 12)
#elif PART_LANES == 8
#define part_quad_lane(v, k)                                                                       \
    __builtin_shufflevector(v, v, (k), (k), (k), (k), (k) + 4, (k) + 4, (k) + 4, (k) + 4)
#else
#define part_quad_lane(v, k) __builtin_shufflevector(v, v, (k), (k), (k), (k))
#endif

/* A value a quad, in the quad's lanes. */
LANES_INLINE i32xp part_quads(const void *quad, int part) {
    typedef int32_t i32x4 __attribute__((vector_size(16)));
    i32x4 q = {0};
    memcpy(&q, (const char *)quad + part * PART_LANES, PART_LANES);
#if PART_LANES == 16
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#elif PART_LANES == 8
    return __builtin_shufflevector(q, q, 0, 0, 0, 0, 1, 1, 1, 1);
#else
    return part_splat(q[0]);
#endif
}

#endif
