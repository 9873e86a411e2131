/* Gathers words from memory that is one array for all lanes, and scatters words to rows of memory
 * that have a word for each lane. In: a base and byte offsets, or rows and their numbers. Out: a
 * row. For handlers of memory accesses and the stencils; must not know whose memory it is.
 */
#pragma once

#include "base/lanes.h"

LANES_INLINE uint32_t read_word(const uint8_t *at) {
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

/* The word in each lane of m at base + offset; 0 elsewhere. Offsets must be below 2^31. */
LANES_INLINE u32x32 gather_words(const void *base, u32x32 offset, lane_mask m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves o = {.v = offset}, r;
    for (int i = 0; i < 2; i++)
        r.h[i] = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)(m >> 16 * i),
                                             o.h[i], base, 1);
    return r.v;
#elif defined(__AVX2__)
    if (!m)
        return lanes_splat(0);
    const u32x32 live = (u32x32)lanes_from_mask(m), any = lanes_splat(offset[__builtin_ctz(m)]);
    union lanes_quarters o = {.v = (offset & live) | (any & ~live)}, r;
    for (int i = 0; i < 4; i++)
        r.q[i] = (__m256i)vec_gather_bytes(base, (u32xv)o.q[i]);
    return r.v & live;
#else
    u32x32 r = lanes_splat(0);
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        r[i] = read_word((const uint8_t *)base + offset[i]);
    }
    return r;
#endif
}

/* Stores the word of each lane of m in the row with the number `row`. */
LANES_INLINE void scatter_rows(u32x32 *rows, u32x32 row, u32x32 words, lane_mask m) {
    const u32x32 offset = row * (uint32_t)sizeof(u32x32);
    uint32_t at[LANES], word[LANES];
    memcpy(at, &offset, sizeof at);
    memcpy(word, &words, sizeof word);
    if (m == LANES_ALL) {
#pragma GCC unroll 32
        for (int i = 0; i < LANES; i++)
            memcpy((char *)rows + at[i] + 4 * i, &word[i], 4);
        return;
    }
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        memcpy((char *)rows + at[i] + 4 * i, &word[i], 4);
    }
}
