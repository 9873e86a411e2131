/* Compaction: moves the live lanes of a warp side by side, so that few live lanes take few vectors
 * and dead lanes cost nothing. In: rows of all lanes. Out: rows of the live lanes; and results back
 * in the original lanes. Must not know textures.
 */
#pragma once

#include "base/lanes.h"

struct compaction {
    lane_mask lanes; /* the live lanes */
    int count;
    bool used;  /* false: rows are used without compaction */
    bool twice; /* the vector holds its lanes twice */
};

/* Plans the compaction of `lanes`. twice: the lanes, if they fit, may be in both halves of a
 * vector, for two levels at once. */
LANES_INLINE void compaction_plan(struct compaction *p, lane_mask lanes, bool twice) {
    int vecs = 0;
    p->lanes = lanes;
    p->count = LANES;
    p->used = p->twice = false;
    if (!~lanes)
        return;
    VEC_UNROLL
    for (int vec = 0; vec < VECS; vec++)
        vecs += vec_mask(lanes, vec) != 0;
    p->count = __builtin_popcount(lanes);
    p->twice = twice && p->count <= VEC_LANES / 2;
    p->used = p->twice || (p->count + VEC_LANES - 1) / VEC_LANES < vecs;
}

LANES_INLINE lane_mask compaction_lanes(const struct compaction *p) {
    return p->used ? 0xffffffffu >> (LANES - p->count) : p->lanes;
}

#if VEC_LANES == 8
/* Returns the numbers of a register's live lanes, side by side as bytes. */
LANES_INLINE uint64_t compact_numbers(uint32_t mask) {
    static const uint32_t four[16] = {0, 0,     1,     0x100,   2,     0x200,   0x201,   0x20100,
                                      3, 0x300, 0x301, 0x30100, 0x302, 0x30200, 0x30201, 0x3020100};
    const uint64_t upper = four[mask >> 4] + UINT64_C(0x04040404);
    return four[mask & 15] | upper << 8 * __builtin_popcount(mask & 15);
}

/* For each lane, returns the number of live lanes before it in the register, as bytes. */
LANES_INLINE uint64_t spread_numbers(uint32_t mask) {
    static const uint32_t four[8] = {0,         0x1010100, 0x1010000, 0x2020100,
                                     0x1000000, 0x2010100, 0x2010000, 0x3020100};
    const uint32_t lower = (uint32_t)__builtin_popcount(mask & 15) * 0x01010101u;
    return four[mask & 7] | (uint64_t)(four[mask >> 4 & 7] + lower) << 32;
}

/* The move of one register's live lanes into a compacted row, or back. */
struct compact_move {
    __m256i at, live; /* the lane that each lane is taken from; all ones in live lanes */
    int before;       /* live lanes in earlier registers: the first lane of the moved lanes */
};

/* Finds the moves of all registers' lanes. spread: true for moves back to the original lanes. */
LANES_INLINE void compact_moves(const struct compaction *p, bool spread,
                                struct compact_move move[VECS]) {
    int before = 0;
    VEC_UNROLL
    for (int vec = 0; vec < VECS; vec++) {
        const uint32_t mask = vec_mask(p->lanes, vec);
        const uint64_t bytes = spread ? spread_numbers(mask) : compact_numbers(mask);
        move[vec].at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)bytes));
        move[vec].live = (__m256i)vec_from_mask(mask);
        move[vec].before = before;
        before += __builtin_popcount(mask);
    }
}
#endif

/* Compacts rows, each to another row or in place. Lanes of the last vector without a live lane get
 * the values of the first live lane. */
static __attribute__((noinline)) void compact_rows(const struct compaction *p,
                                                   const u32x32 *const from[], u32x32 *const to[],
                                                   int rows) {
#if VEC_LANES == 16 /* the result is one vector */
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i later = _mm512_add_epi32(iota, _mm512_set1_epi32(16));
    const __mmask16 low = (__mmask16)p->lanes, high = (__mmask16)(p->lanes >> 16);
    const __m512i first = _mm512_set1_epi32(__builtin_ctz(p->lanes));
    const __m512i rest = _mm512_mask_compress_epi32(first, high, later);
    __m512i lane = _mm512_mask_compress_epi32(first, low, iota);
    lane = _mm512_mask_expand_epi32(lane, (__mmask16)(0xffffu << __builtin_popcount(low)), rest);
    if (p->twice)
        lane = _mm512_shuffle_i64x2(lane, lane, 0x44);
    for (int r = 0; r < rows; r++)
        vec_store(to[r], 0,
                  (f32xv)_mm512_permutex2var_epi32((__m512i)vec_load(from[r], 0), lane,
                                                   (__m512i)vec_load(from[r], 1)));
#elif VEC_LANES == 8
    /* A register's live lanes are stored after those of the register before it. The store ends
     * before the next register begins, so that rows may be compacted in place. At least one
     * register has become free, so the last store does not exceed the row. */
    const int first = __builtin_ctz(p->lanes), count = p->count;
    struct compact_move move[VECS];
    compact_moves(p, false, move);
    for (int r = 0; r < rows; r++) {
        const __m256i rest = _mm256_set1_epi32((int)((const uint32_t *)from[r])[first]);
        uint32_t *row = (uint32_t *)to[r];
        VEC_UNROLL
        for (int vec = 0; vec < VECS; vec++)
            _mm256_storeu_si256(
                (__m256i *)(row + move[vec].before),
                _mm256_permutevar8x32_epi32((__m256i)vec_load(from[r], vec), move[vec].at));
        _mm256_storeu_si256((__m256i *)(row + count), rest);
    }
#else
    uint32_t number[LANES + VEC_LANES];
    int n = 0;
    for (lane_mask left = p->lanes; left; left &= left - 1)
        number[n++] = (uint32_t)__builtin_ctz(left) << 2;
    for (int i = 0; i < VEC_LANES; i++)
        number[n + i] = number[0];
    /* lanes only move to lower numbers, so rows may be compacted in place */
    for (int r = 0; r < rows; r++)
        for (int vec = 0; vec * VEC_LANES < n; vec++) {
            u32xv at;
            memcpy(&at, number + vec * VEC_LANES, sizeof at);
            vec_store(to[r], vec, (f32xv)vec_gather_bytes((const uint8_t *)from[r], at));
        }
#endif
}

/* Spreads compacted rows to the live lanes of consecutive rows. */
static __attribute__((noinline)) void spread_rows(const struct compaction *p, const u32x32 from[],
                                                  u32x32 to[], int rows) {
#if VEC_LANES == 16
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __mmask16 low = (__mmask16)p->lanes, high = (__mmask16)(p->lanes >> 16);
    const __m512i later = _mm512_add_epi32(iota, _mm512_set1_epi32(__builtin_popcount(low)));
    const __m512i at[2] = {_mm512_maskz_expand_epi32(low, iota),
                           _mm512_maskz_expand_epi32(high, later)};
    for (int r = 0; r < rows; r++) {
        const __m512i v = (__m512i)vec_load(&from[r], 0);
        _mm512_mask_storeu_epi32(&to[r], low, _mm512_permutexvar_epi32(at[0], v));
        _mm512_mask_storeu_epi32((char *)&to[r] + 64, high, _mm512_permutexvar_epi32(at[1], v));
    }
#elif VEC_LANES == 8
    struct compact_move move[VECS];
    compact_moves(p, true, move);
    for (int r = 0; r < rows; r++) {
        VEC_UNROLL
        for (int vec = 0; vec < VECS; vec++) {
            const struct compact_move *v = &move[vec];
            const uint32_t *run = (const uint32_t *)&from[r] + v->before;
            const u32xv mine =
                (u32xv)_mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)run), v->at);
            vec_store(&to[r], vec,
                      (f32xv)vec_blend((u32xv)v->live, mine, (u32xv)vec_load(&to[r], vec)));
        }
    }
#else
    int n = 0;
    for (lane_mask left = p->lanes; left; left &= left - 1, n++)
        for (int r = 0; r < rows; r++)
            to[r][__builtin_ctz(left)] = from[r][n];
#endif
}
