/* Loads and gathers for the lanes of one register. In: a base, and byte offsets below 2^31. Out:
 * one or more words a lane. Must not know whose memory it is.
 */
#pragma once

#include "base/lanes.h"

/* vec_gather_bytes() in the lanes of the mask, which should be few; the other lanes get `rest`. */
LANES_INLINE u32xv vec_gather_some(const uint8_t *base, u32xv offset, uint32_t mask, u32xv rest) {
#if VEC_LANES == 16
    if (__builtin_popcount(mask) <= 8) {
        const __m512i some = _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset);
        const __m256i word =
            _mm256_i32gather_epi32((const int *)base, _mm512_castsi512_si256(some), 1);
        return (u32xv)_mm512_mask_expand_epi32((__m512i)rest, (__mmask16)mask,
                                               _mm512_castsi256_si512(word));
    }
#endif
    return vec_blend(vec_from_mask(mask), vec_gather_bytes(base, offset), rest);
}

#if VEC_LANES == 16
LANES_INLINE u32xv vec_expand_four(u32xv rest, uint32_t mask, __m128i four) {
    return (u32xv)_mm512_mask_expand_epi32((__m512i)rest, (__mmask16)mask,
                                           _mm512_castsi128_si512(four));
}
#endif

/* vec_gather_some() at 2 or 4 offsets a lane. singly: gathers are slow, so up to four lanes are
 * loaded one by one. */
LANES_INLINE void vec_gather_some_each(const uint8_t *base, const u32xv offset[], int count,
                                       uint32_t mask, bool singly, u32xv word[]) {
#if VEC_LANES == 16
    const int lanes = __builtin_popcount(mask);
    if (singly && lanes <= 4) {
        __m128i at[4];
        VEC_UNROLL
        for (int i = 0; i < count; i++)
            at[i] = _mm512_castsi512_si128(
                _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset[i]));
        if (lanes <= 2) {
            VEC_UNROLL
            for (int i = 0; i < count; i += 2) {
                const __m128i four = vec_load_four(base, _mm_unpacklo_epi64(at[i], at[i + 1]));
                word[i] = vec_expand_four(word[i], mask, four);
                word[i + 1] = vec_expand_four(word[i + 1], mask, _mm_unpackhi_epi64(four, four));
            }
            return;
        }
        VEC_UNROLL
        for (int i = 0; i < count; i++)
            word[i] = vec_expand_four(word[i], mask, vec_load_four(base, at[i]));
        return;
    }
#endif
    VEC_UNROLL
    for (int i = 0; i < count; i++)
        word[i] = vec_gather_some(base, offset[i], mask, word[i]);
    (void)singly;
}

#if VEC_LANES == 8
/* Looks up the three lower bytes of each word in a table, by loads for each lane. */
LANES_INLINE void vec_look_up_bytes(const uint32_t *table, u32xv words, u32xv out[3]) {
    const __m128i half[2] = {_mm256_castsi256_si128((__m256i)words),
                             _mm256_extracti128_si256((__m256i)words, 1)};
    VEC_UNROLL
    for (int c = 0; c < 3; c++) {
        __m128i four[2];
        VEC_UNROLL
        for (int h = 0; h < 2; h++) {
            const uint64_t low = (uint64_t)_mm_cvtsi128_si64(half[h]) >> 8 * c;
            const uint64_t high = (uint64_t)_mm_extract_epi64(half[h], 1) >> 8 * c;
            const __m128i a = _mm_loadu_si32(&table[(uint8_t)low]),
                          b = _mm_loadu_si32(&table[(uint8_t)(low >> 32)]);
            const __m128i d = _mm_loadu_si32(&table[(uint8_t)high]),
                          e = _mm_loadu_si32(&table[(uint8_t)(high >> 32)]);
            four[h] = _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(d, e));
        }
        out[c] = (u32xv)_mm256_inserti128_si256(_mm256_castsi128_si256(four[0]), four[1], 1);
    }
}
#endif

/* Loads four bytes for every lane by one or two loads. One load suffices if the bytes of all lanes
 * lie side by side in memory. Two loads suffice if the lanes are quads, and the upper pairs of all
 * quads lie side by side, and the lower pairs lie side by side. Otherwise returns false. */
LANES_INLINE bool vec_load_rows(const uint8_t *base, u32xv offset, u32xv *word) {
#if VEC_LANES == 16
    const __m512i at = (__m512i)offset, first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(at));
    const __m512i upper = _mm512_setr_epi32(0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 2);
    const __m512i quads =
        _mm512_setr_epi32(0, 4, 0, 4, 8, 12, 8, 12, 16, 20, 16, 20, 24, 28, 24, 28);
    const __m512i line =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
    const __m128i low = _mm512_castsi512_si128(at);
    const uint32_t a = (uint32_t)_mm_cvtsi128_si32(low), b = (uint32_t)_mm_extract_epi32(low, 2);
    if (!_mm512_cmpneq_epi32_mask(_mm512_sub_epi32(at, _mm512_permutexvar_epi32(upper, at)),
                                  quads)) {
        const __m512i rows[2] = {
            _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(base + a))),
            _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(base + b)))};
        *word = (u32xv)_mm512_permutex2var_epi64(
            rows[0], _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), rows[1]);
        return true;
    }
    if (!_mm512_cmpneq_epi32_mask(_mm512_sub_epi32(at, first), line)) {
        *word = (u32xv)_mm512_loadu_si512(base + a);
        return true;
    }
#elif VEC_LANES == 8
    const __m256i at = (__m256i)offset;
    const __m256i first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(at));
    const __m256i upper = _mm256_setr_epi32(0, 0, 2, 2, 0, 0, 2, 2);
    const __m256i quads = _mm256_setr_epi32(0, 4, 0, 4, 8, 12, 8, 12);
    const __m256i line = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m128i low = _mm256_castsi256_si128(at);
    const uint32_t a = (uint32_t)_mm_cvtsi128_si32(low), b = (uint32_t)_mm_extract_epi32(low, 2);
    const __m256i from_upper = _mm256_sub_epi32(at, _mm256_permutevar8x32_epi32(at, upper));
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(from_upper, quads)) == -1) {
        const __m128i rows[2] = {_mm_loadu_si128((const __m128i *)(base + a)),
                                 _mm_loadu_si128((const __m128i *)(base + b))};
        *word = (u32xv)_mm256_set_m128i(_mm_unpackhi_epi64(rows[0], rows[1]),
                                        _mm_unpacklo_epi64(rows[0], rows[1]));
        return true;
    }
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_sub_epi32(at, first), line)) == -1) {
        *word = (u32xv)_mm256_loadu_si256((const __m256i *)(base + a));
        return true;
    }
#endif
    (void)base, (void)offset, (void)word;
    return false;
}

/* Loads texels of 4 or 8 bytes for quads that lie side by side: the quads' upper texels are a row
 * in memory, and so are their lower texels. */
LANES_INLINE void vec_load_quads(const uint8_t *upper, const uint8_t *lower, int bytes,
                                 u32xv word[2]) {
    typedef uint32_t row __attribute__((vector_size(2 * VEC_LANES), aligned(4)));
    typedef float wide __attribute__((vector_size(4 * VEC_LANES), aligned(4)));
    if (bytes == 8) {
        const f32xv a = *(const wide *)upper, b = *(const wide *)lower;
#if VEC_LANES == 16
        word[0] = (u32xv)_mm512_shuffle_ps((__m512)a, (__m512)b, 0x88);
        word[1] = (u32xv)_mm512_shuffle_ps((__m512)a, (__m512)b, 0xdd);
#elif VEC_LANES == 8
        word[0] = (u32xv)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88);
        word[1] = (u32xv)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xdd);
#else
        word[0] = (u32xv)__builtin_shufflevector(a, b, 0, 2, 4, 6);
        word[1] = (u32xv)__builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
        return;
    }
    const row a = *(const row *)upper, b = *(const row *)lower;
#if VEC_LANES == 16
    word[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
#elif VEC_LANES == 8
    word[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5, 2, 3, 6, 7);
#else
    word[0] = __builtin_shufflevector(a, b, 0, 1, 2, 3);
#endif
}

/* vec_gather_bytes() for lanes that often lie side by side in memory. Tries vec_load_rows(); then,
 * if each odd lane lies behind the even one before it, one load for both. */
LANES_INLINE u32xv vec_gather_beside(const uint8_t *base, u32xv offset) {
    u32xv rows;
    if (vec_load_rows(base, offset, &rows))
        return rows;
#if VEC_LANES == 16
    const __m512i even = _mm512_sub_epi32((__m512i)offset, _mm512_set1_epi64(4ll << 32));
    if (!_mm512_cmpneq_epi32_mask(even, _mm512_rol_epi64(even, 32)))
        return (u32xv)_mm512_i32gather_epi64(_mm512_cvtepi64_epi32(even), base, 1);
#endif
    return vec_gather_bytes(base, offset);
}

/* Offsets of all lanes as an array, two in a word: taking two out of a vector register at a time
 * needs half as many instructions. */
struct vec_offsets {
    uint64_t two[VEC_LANES / 2];
};

LANES_INLINE struct vec_offsets vec_offsets(u32xv offset) {
    struct vec_offsets r;
    memcpy(r.two, &offset, sizeof r.two);
    return r;
}

/* 64 bits at base + offset in every lane, as the lower and the upper words, by a load for each
 * lane. */
LANES_INLINE void vec_load_pairs(const uint8_t *base, const struct vec_offsets *offsets,
                                 u32xv word[2]) {
    const uint64_t *at = offsets->two;
#if VEC_LANES == 4
    for (int i = 0; i < VEC_LANES; i++) {
        uint64_t w;
        memcpy(&w, base + (uint32_t)(at[i / 2] >> i % 2 * 32), 8);
        word[0][i] = (uint32_t)w;
        word[1][i] = (uint32_t)(w >> 32);
    }
#else
    __m128d two[VEC_LANES / 2]; /* for pairs of lanes: the even ones, then the odd ones */
    VEC_UNROLL
    for (int i = 0; i < VEC_LANES / 2; i++) {
        const __m128d first = _mm_load_sd((const double *)(base + (uint32_t)at[i]));
        two[i / 2 + i % 2 * (VEC_LANES / 4)] =
            _mm_loadh_pd(first, (const double *)(base + (at[i] >> 32)));
    }
#if VEC_LANES == 16
    __m512 half[2];
    VEC_UNROLL
    for (int h = 0; h < 2; h++)
        half[h] = _mm512_castpd_ps(
            _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_set_m128d(two[4 * h + 1], two[4 * h])),
                               _mm256_set_m128d(two[4 * h + 3], two[4 * h + 2]), 1));
    word[0] = (u32xv)_mm512_shuffle_ps(half[0], half[1], 0x88);
    word[1] = (u32xv)_mm512_shuffle_ps(half[0], half[1], 0xdd);
#else
    const __m256 even = _mm256_castpd_ps(_mm256_set_m128d(two[1], two[0]));
    const __m256 odd = _mm256_castpd_ps(_mm256_set_m128d(two[3], two[2]));
    word[0] = (u32xv)_mm256_shuffle_ps(even, odd, 0x88);
    word[1] = (u32xv)_mm256_shuffle_ps(even, odd, 0xdd);
#endif
#endif
}

/* vec_load_pairs(), at AVX-512 by gathers. */
LANES_INLINE void vec_gather_pairs(const uint8_t *base, u32xv offset, u32xv word[2]) {
#if VEC_LANES == 16
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    const __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256((__m512i)offset), base, 1);
    const __m512i high =
        _mm512_i32gather_epi64(_mm512_extracti64x4_epi64((__m512i)offset, 1), base, 1);
    word[0] = (u32xv)_mm512_permutex2var_epi32(low, even, high);
    word[1] = (u32xv)_mm512_permutex2var_epi32(low, odd, high);
#else
    const struct vec_offsets at = vec_offsets(offset);
    vec_load_pairs(base, &at, word);
#endif
}

/* vec_gather_pairs() in the lanes of the mask, which should be few; the other lanes of `word` are
 * kept. */
LANES_INLINE void vec_gather_some_pairs(const uint8_t *base, u32xv offset, uint32_t mask,
                                        u32xv word[2]) {
#if VEC_LANES == 16
    if (__builtin_popcount(mask) <= 8) {
        const __m512i some = _mm512_maskz_compress_epi32((__mmask16)mask, (__m512i)offset);
        const __m512i pair = _mm512_i32gather_epi64(_mm512_castsi512_si256(some), base, 1);
        const __m512i low = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(pair));
        const __m512i high =
            _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srli_epi64(pair, 32)));
        word[0] = (u32xv)_mm512_mask_expand_epi32((__m512i)word[0], (__mmask16)mask, low);
        word[1] = (u32xv)_mm512_mask_expand_epi32((__m512i)word[1], (__mmask16)mask, high);
        return;
    }
#endif
    u32xv all[2];
    const u32xv some = vec_from_mask(mask);
    vec_gather_pairs(base, offset, all);
    word[0] = vec_blend(some, all[0], word[0]);
    word[1] = vec_blend(some, all[1], word[1]);
}

/* 128 bits at base + offset in every lane, as four words. */
LANES_INLINE void vec_gather_quads(const uint8_t *base, u32xv offset, u32xv word[4]) {
#if VEC_LANES == 16
    uint32_t at[16];
    __m512i r[4];
    memcpy(at, &offset, sizeof at);
    for (int j = 0; j < 4; j++) { /* part b of r[j], 128 bits: lane 4 * b + j */
        r[j] = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(base + at[j])));
        for (int b = 1; b < 4; b++)
            r[j] = _mm512_mask_broadcast_i32x4(
                r[j], (__mmask16)(15 << 4 * b),
                _mm_loadu_si128((const __m128i *)(base + at[4 * b + j])));
    }
    const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpackhi_epi32(r[0], r[1]);
    const __m512i c = _mm512_unpacklo_epi32(r[2], r[3]), d = _mm512_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xv)_mm512_unpacklo_epi64(a, c);
    word[1] = (u32xv)_mm512_unpackhi_epi64(a, c);
    word[2] = (u32xv)_mm512_unpacklo_epi64(b, d);
    word[3] = (u32xv)_mm512_unpackhi_epi64(b, d);
#elif VEC_LANES == 8
    uint32_t at[8];
    __m256i r[4];
    memcpy(at, &offset, sizeof at);
    for (int j = 0; j < 4; j++) /* halves of r[j]: lanes j and 4 + j */
        r[j] = _mm256_inserti128_si256(
            _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(base + at[j]))),
            _mm_loadu_si128((const __m128i *)(base + at[4 + j])), 1);
    const __m256i a = _mm256_unpacklo_epi32(r[0], r[1]), b = _mm256_unpackhi_epi32(r[0], r[1]);
    const __m256i c = _mm256_unpacklo_epi32(r[2], r[3]), d = _mm256_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xv)_mm256_unpacklo_epi64(a, c);
    word[1] = (u32xv)_mm256_unpackhi_epi64(a, c);
    word[2] = (u32xv)_mm256_unpacklo_epi64(b, d);
    word[3] = (u32xv)_mm256_unpackhi_epi64(b, d);
#elif defined(__SSE2__)
    __m128i r[4];
    for (int j = 0; j < 4; j++)
        r[j] = _mm_loadu_si128((const __m128i *)(base + offset[j]));
    const __m128i a = _mm_unpacklo_epi32(r[0], r[1]), b = _mm_unpackhi_epi32(r[0], r[1]);
    const __m128i c = _mm_unpacklo_epi32(r[2], r[3]), d = _mm_unpackhi_epi32(r[2], r[3]);
    word[0] = (u32xv)_mm_unpacklo_epi64(a, c);
    word[1] = (u32xv)_mm_unpackhi_epi64(a, c);
    word[2] = (u32xv)_mm_unpacklo_epi64(b, d);
    word[3] = (u32xv)_mm_unpackhi_epi64(b, d);
#else
    for (int i = 0; i < 4; i++)
        word[i] = vec_gather_bytes(base, offset + 4 * i);
#endif
}
