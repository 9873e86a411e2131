/* Look-up by sRGB codes in registers, for processors that gather slowly; others gather from srgb8_linear. Bits
 * are the table's, whichever way.
 */
#ifndef BASE_SRGB_H
#define BASE_SRGB_H

#include "base/format.h"
#include "base/lanes.h"

#if defined(__AVX512BW__)
/* Entries of a table of halves. quarter: lanes with codes 0 to 63, 64 to 127, ... What one permutation leaves
 * is still the code for the others. */
LANES_INLINE __attribute__((unused)) __m512i srgb_look_up_half(const uint16_t table[256],
                                                               __m512i codes,
                                                               const __mmask32 quarter[4]) {
    for (int i = 0; i < 4; i++)
        codes =
            _mm512_mask2_permutex2var_epi16(_mm512_loadu_si512(&table[64 * i]), codes, quarter[i],
                                            _mm512_loadu_si512(&table[64 * i + 32]));
    return codes;
}

/* Words by 32 codes; table: their lower halves, their upper halves. */
LANES_INLINE __attribute__((unused)) void srgb_look_up(const uint16_t table[2][256],
                                                       const __m512i code[2], __m512i out[2]) {
    const __m512i codes = _mm512_packus_epi32(code[0], code[1]);
    const __mmask32 bit_6 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x40));
    const __mmask32 bit_7 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x80));
    const __mmask32 quarter[4] = {~(bit_6 | bit_7), bit_6 & ~bit_7, bit_7 & ~bit_6, bit_6 & bit_7};
    const __m512i low = srgb_look_up_half(table[0], codes, quarter);
    const __m512i high = srgb_look_up_half(table[1], codes, quarter);
    out[0] = _mm512_unpacklo_epi16(low, high); /* in the order from which they were packed */
    out[1] = _mm512_unpackhi_epi16(low, high);
}

/* Entries of a table of 128 bytes for codes with bit 7 as `k` says; other lanes keep their codes. Needs VBMI
 * (simd_permutes_bytes), which the compiler does not take for granted at this level. */
LANES_INLINE __attribute__((unused)) __m512i srgb_look_up_bytes(const uint8_t table[128],
                                                                __m512i codes, __mmask64 k) {
    __asm__("vpermi2b %3, %2, %0%{%1%}"
            : "+v"(codes)
            : "Yk"(k), "v"(_mm512_loadu_si512(table)), "m"(*(const __m512i_u *)(table + 64)));
    return codes;
}

/* 16 words of four codes each; table: the bytes of its words, the lowest first. What the words' lowest codes
 * stand for, their second, ... Needs VBMI. */
LANES_INLINE __attribute__((unused)) void srgb_look_up_four(const uint8_t table[4][256],
                                                            __m512i words, __m512i out[4]) {
    const __m512i transpose =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m512i codes = _mm512_shuffle_epi8(words, transpose);
    const __mmask64 upper = _mm512_movepi8_mask(codes);
    __m512i byte[4];
    for (int i = 0; i < 4; i++)
        byte[i] =
            srgb_look_up_bytes(table[i] + 128, srgb_look_up_bytes(table[i], codes, ~upper), upper);
    const __m512i half[4] = {
        _mm512_unpacklo_epi8(byte[0], byte[1]), _mm512_unpackhi_epi8(byte[0], byte[1]),
        _mm512_unpacklo_epi8(byte[2], byte[3]), _mm512_unpackhi_epi8(byte[2], byte[3])};
    for (int i = 0; i < 2; i++) {
        out[2 * i] = _mm512_unpacklo_epi16(half[i], half[2 + i]);
        out[2 * i + 1] = _mm512_unpackhi_epi16(half[i], half[2 + i]);
    }
}
#endif

#endif
