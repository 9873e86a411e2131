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
LANES_INLINE __attribute__((unused)) __m512i srgb_look_up_half(const uint16_t table[256], __m512i codes,
                                                               const __mmask32 quarter[4]) {
    for (int i = 0; i < 4; i++)
        codes = _mm512_mask2_permutex2var_epi16(_mm512_loadu_si512(&table[64 * i]), codes, quarter[i],
                                                _mm512_loadu_si512(&table[64 * i + 32]));
    return codes;
}

/* Words by 32 codes; table: their lower halves, their upper halves. */
LANES_INLINE __attribute__((unused)) void srgb_look_up(const uint16_t table[2][256], const __m512i code[2],
                                                       __m512i out[2]) {
    const __m512i codes = _mm512_packus_epi32(code[0], code[1]);
    const __mmask32 bit_6 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x40));
    const __mmask32 bit_7 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x80));
    const __mmask32 quarter[4] = {~(bit_6 | bit_7), bit_6 & ~bit_7, bit_7 & ~bit_6, bit_6 & bit_7};
    const __m512i low = srgb_look_up_half(table[0], codes, quarter);
    const __m512i high = srgb_look_up_half(table[1], codes, quarter);
    out[0] = _mm512_unpacklo_epi16(low, high); /* in the order from which they were packed */
    out[1] = _mm512_unpackhi_epi16(low, high);
}
#endif

#endif
