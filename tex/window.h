/* The taps of neighbouring lanes from whole rows of tiles. Neighbours in the picture are neighbours in
 * the texture: mostly all taps of 16 lanes lie within 16 words of a few rows. A row is a register, and
 * picking from registers costs a fraction of gathering each tap. In: texel indices. Out: the words
 * they lie in, or nothing if they lie too far apart. Only where a register is as wide as a tile.
 */
#ifndef TEX_WINDOW_H
#define TEX_WINDOW_H

#include "tex/address.h"
#include "tex/wrap.h"

#if PART_LANES == 16
enum { WINDOW_ROWS = 8, WINDOW_WORDS = 16 };

struct bounds {
    uint32_t least, most; /* a pair of 16-bit values */
};

/* Least and greatest of the pairs of 16-bit values in a and b, each half for itself. */
LANES_INLINE struct bounds window_bounds(u32xp a, u32xp b) {
    const __m512i low = _mm512_min_epu16((__m512i)a, (__m512i)b);
    const __m512i high = ~_mm512_max_epu16((__m512i)a, (__m512i)b); /* the least of this */
    const __m256i l = _mm256_min_epu16(_mm512_castsi512_si256(low),
                                       _mm512_extracti64x4_epi64(low, 1));
    const __m256i h = _mm256_min_epu16(_mm512_castsi512_si256(high),
                                       _mm512_extracti64x4_epi64(high, 1));
    __m256i both = _mm256_min_epu16(_mm256_permute2x128_si256(l, h, 0x20),
                                    _mm256_permute2x128_si256(l, h, 0x31));
    both = _mm256_min_epu16(both, _mm256_shuffle_epi32(both, 0x4e));
    both = _mm256_min_epu16(both, _mm256_shuffle_epi32(both, 0xb1));
    return (struct bounds){(uint32_t)_mm256_cvtsi256_si32(both),
                           ~(uint32_t)_mm_cvtsi128_si32(_mm256_extracti128_si256(both, 1))};
}

/* Where the window begins and which rows it has: rows of slice z0, then of the next. */
struct window {
    uint32_t word, y, z;   /* the first of each */
    uint32_t rows, slices; /* rows of a slice, a power of two in row_bits */
    uint32_t row_bits;
};

/* Words word .. word + 15 of a line: parts of two tiles side by side. */
LANES_INLINE __m512i window_line(const struct plane *p, const struct window *w, bool two,
                                 uint32_t row, uint32_t slice) {
    const uint32_t y = w->y + (row < w->rows ? row : w->rows - 1);
    const uint32_t from = w->word & 15;
    const __mmask16 left = (__mmask16)(0xffffu >> from);
    const uint8_t *line = address_line(p, y, w->z + slice) +
                          ((size_t)(w->word >> 4) << p->level->tile_shift);
    const __m512i first = _mm512_maskz_loadu_epi32(left, line + 4 * from);
    if (!two)
        return first;
    const uint8_t *next = line + ((size_t)1 << p->level->tile_shift);
    return _mm512_mask_loadu_epi32(first, (__mmask16)~left, next - (64 - 4 * from));
}

LANES_INLINE bool window_place(const u32xp column[2], const struct axis *t, const struct axis *r,
                               struct window *w, bool *two) {
    const struct bounds xy = window_bounds(column[0] | (u32xp)t->i[0] << 16,
                                           column[1] | (u32xp)t->i[1] << 16);
    const uint32_t last = xy.most & 0xffff;
    *w = (struct window){.word = xy.least & 0xffff, .y = xy.least >> 16, .slices = 1};
    w->rows = (xy.most >> 16) - w->y + 1;
    *two = last >> 4 != w->word >> 4;
    if (last - w->word >= WINDOW_WORDS || w->rows > WINDOW_ROWS)
        return false;
    w->row_bits = w->rows <= 2 ? 1 : w->rows <= 4 ? 2 : 3;
    if (r) {
        const struct bounds z = window_bounds((u32xp)r->i[0], (u32xp)r->i[1]);
        w->z = z.least;
        w->slices = z.most - z.least + 1;
    }
    return w->slices << w->row_bits <= WINDOW_ROWS;
}

/* taps: 4, or 8 with an axis r. word[tap]: bit 0 of tap is x, bit 1 y, bit 2 z. False if they lie too
 * far apart. column: the words that x lies in. */
LANES_INLINE bool window_taps(const struct plane *p, const u32xp column[2], const struct axis *t,
                              const struct axis *r, int taps, u32xp word[]) {
    struct window w;
    bool two;
    if (!window_place(column, t, r, &w, &two))
        return false;
    u32xp x[2], y[2], z[2] = {{0}, {0}}, at[8];
    for (int i = 0; i < 2; i++) {
        x[i] = column[i] - w.word;
        y[i] = ((u32xp)t->i[i] - w.y) << 4;
        if (r)
            z[i] = ((u32xp)r->i[i] - w.z) << (4 + w.row_bits);
    }
    for (int i = 0; i < taps; i++)
        at[i] = x[i & 1] + y[i >> 1 & 1] + (r ? z[i >> 2] : (u32xp){0});
    __m512i a = window_line(p, &w, two, 0, 0), b = window_line(p, &w, two, 1, 0);
    for (int i = 0; i < taps; i++)
        word[i] = (u32xp)_mm512_permutex2var_epi32(a, (__m512i)at[i], b);
    const uint32_t pairs = w.slices << (w.row_bits - 1), in_slice = 1u << (w.row_bits - 1);
    for (uint32_t n = 1; n < pairs; n++) {
        const uint32_t row = 2 * (n & (in_slice - 1)), slice = n >> (w.row_bits - 1);
        a = window_line(p, &w, two, row, slice);
        b = window_line(p, &w, two, row + 1, slice);
        for (int i = 0; i < taps; i++) {
            const __m512i picked = _mm512_permutex2var_epi32(a, (__m512i)at[i], b);
            const __mmask16 here = _mm512_cmpeq_epi32_mask((__m512i)(at[i] >> 5),
                                                           _mm512_set1_epi32((int32_t)n));
            word[i] = (u32xp)_mm512_mask_mov_epi32((__m512i)word[i], here, picked);
        }
    }
    return true;
}
#endif

#endif
