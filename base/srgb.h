/* The sRGB curve of 8-bit codes, both ways, by tables: with gathers, or in registers on processors
 * whose gathers are slow (the argument gathers_slowly). The bits are the same: those of the curve,
 * correctly rounded.
 */
#pragma once

#include "base/lanes.h"

/* Tables of srgb.c: the linear values of the 256 codes, correctly rounded. The first has the bits
 * of floats. The second has their lower and upper 16 bits as two tables; the third has their bytes
 * as four tables, the lowest first. */
extern const uint32_t srgb8_linear[256];
extern const uint16_t srgb8_linear_halves[2][256];
extern const uint8_t srgb8_linear_bytes[4][256];

/* Tables of srgb_table.c, from linear values to codes. */
#define SRGB8_LOWEST 0x1p-13f
#define SRGB8_HIGHEST 0x1.fffffep-1f
enum { SRGB8_LOWEST_BITS = 0x39000000, SRGB8_STEPS = (0x3f800000 - SRGB8_LOWEST_BITS) >> 16 };
extern uint32_t srgb8_step[SRGB8_STEPS]; /* made at load; then only read */
extern const struct srgb8_lines {
    uint16_t slope[64], start[64];
} srgb8_lines;
/* The bits of the least float of each code, minus SRGB8_LOWEST_BITS: the lower 16 bits as one
 * table, the upper as another. */
extern const uint16_t srgb8_least_halves[2][256];

#if defined(__AVX512BW__)
/* Looks up entries of a table of 16-bit words. quarter: the lanes with codes 0 to 63, 64 to 127,
 * ... Each step replaces the codes of one quarter's lanes by their entries. */
LANES_INLINE __attribute__((unused)) __m512i srgb_look_up_half(const uint16_t table[256],
                                                               __m512i codes,
                                                               const __mmask32 quarter[4]) {
    for (int i = 0; i < 4; i++)
        codes =
            _mm512_mask2_permutex2var_epi16(_mm512_loadu_si512(&table[64 * i]), codes, quarter[i],
                                            _mm512_loadu_si512(&table[64 * i + 32]));
    return codes;
}

/* Looks up the 32-bit words of 32 codes. table: the lower and the upper halves of the words. */
LANES_INLINE __attribute__((unused)) void srgb_look_up(const uint16_t table[2][256],
                                                       const __m512i code[2], __m512i out[2]) {
    const __m512i codes = _mm512_packus_epi32(code[0], code[1]);
    const __mmask32 bit_6 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x40));
    const __mmask32 bit_7 = _mm512_test_epi16_mask(codes, _mm512_set1_epi16(0x80));
    const __mmask32 quarter[4] = {~(bit_6 | bit_7), bit_6 & ~bit_7, bit_7 & ~bit_6, bit_6 & bit_7};
    const __m512i low = srgb_look_up_half(table[0], codes, quarter);
    const __m512i high = srgb_look_up_half(table[1], codes, quarter);
    /* unpacking gives the order that the codes had before they were packed */
    out[0] = _mm512_unpacklo_epi16(low, high);
    out[1] = _mm512_unpackhi_epi16(low, high);
}

/* Replaces the codes in the lanes of k by their entries in a table of 128 bytes; bit 7 of a code is
 * ignored. vpermi2b belongs to VBMI (simd_permutes_bytes). Not every processor of this level has
 * VBMI, so the instruction is written in assembly. */
LANES_INLINE __attribute__((unused)) __m512i srgb_look_up_bytes(const uint8_t table[128],
                                                                __m512i codes, __mmask64 k) {
    __asm__("vpermi2b %3, %2, %0%{%1%}"
            : "+v"(codes)
            : "Yk"(k), "v"(_mm512_loadu_si512(table)), "m"(*(const __m512i_u *)(table + 64)));
    return codes;
}

/* Looks up 32-bit values by 16 words of four codes each. table: the bytes of the values, the lowest
 * first. Writes the values of the lowest codes, then those of the second codes, ... Needs VBMI. */
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

/* Codes of linear values. bits: the values' bits minus SRGB8_LOWEST_BITS. The codes are computed by
 * lines, as srgb_table.c describes for srgb8_lines. */
LANES_INLINE __attribute__((unused)) void srgb_codes_in_registers(const __m512i bits[2],
                                                                  __m512i code[2]) {
    const __m512i line =
        _mm512_packus_epi32(_mm512_srli_epi32(bits[0], 21), _mm512_srli_epi32(bits[1], 21));
    const __m512i *of = (const __m512i *)srgb8_lines.slope,
                  *from = (const __m512i *)srgb8_lines.start;
    const __m512i slope =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(of), line, _mm512_loadu_si512(of + 1));
    const __m512i start =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(from), line, _mm512_loadu_si512(from + 1));
    const __m512i lines[2] = {_mm512_unpacklo_epi16(slope, start),
                              _mm512_unpackhi_epi16(slope, start)};
    __m512i least[2];
    for (int i = 0; i < 2; i++) {
        const __m512i along =
            _mm512_ternarylogic_epi32(_mm512_srli_epi32(bits[i], 13), _mm512_set1_epi32(255),
                                      _mm512_set1_epi32(512 << 16), 0xea);
        code[i] = _mm512_srli_epi32(_mm512_madd_epi16(lines[i], along), 16);
    }
    srgb_look_up(srgb8_least_halves, code, least);
    for (int i = 0; i < 2; i++)
        code[i] = _mm512_mask_sub_epi32(code[i], _mm512_cmplt_epu32_mask(bits[i], least[i]),
                                        code[i], _mm512_set1_epi32(1));
}
#endif

#if VEC_LANES == 16
/* Linear values of sRGB codes, looked up in registers: the table fills sixteen registers; the
 * code's lower bits choose in each pair of registers, its upper bits choose among the results. */
LANES_INLINE __attribute__((unused)) u32xv vec_from_srgb_tree(u32xv code) {
    __m512i v[8];
    VEC_UNROLL
    for (int i = 0; i < 8; i++)
        v[i] = _mm512_permutex2var_epi32(_mm512_loadu_si512(&srgb8_linear[32 * i]), (__m512i)code,
                                         _mm512_loadu_si512(&srgb8_linear[32 * i + 16]));
    VEC_UNROLL
    for (int bit = 5, n = 4; n; bit++, n /= 2) {
        const __mmask16 upper = _mm512_test_epi32_mask((__m512i)code, _mm512_set1_epi32(1 << bit));
        VEC_UNROLL
        for (int i = 0; i < n; i++)
            v[i] = _mm512_mask_mov_epi32(v[2 * i], upper, v[2 * i + 1]);
    }
    return (u32xv)v[0];
}
#endif

/* Codes of linear values: a value's upper bits find a step of the curve, its lower bits tell on
 * which side of the step the value lies (srgb_table.c). NaN and negative values give 0, values
 * above 1 give 255. */
LANES_INLINE u32xv vec_to_srgb(f32xv v) {
    v = vec_clamp_f(v, SRGB8_LOWEST, SRGB8_HIGHEST);
    const u32xv bits = (u32xv)v - SRGB8_LOWEST_BITS;
    return (vec_gather(srgb8_step, bits >> 16) + (bits & 0xffff)) >> 16;
}

LANES_INLINE u32x32 lanes_to_srgb(f32x32 v, bool gathers_slowly) {
    v = lanes_min_f(lanes_max_f(v, lanes_splat_f(SRGB8_LOWEST)), lanes_splat_f(SRGB8_HIGHEST));
    const u32x32 bits = (u32x32)v - SRGB8_LOWEST_BITS;
#if defined(__AVX512BW__)
    if (gathers_slowly) {
        const union lanes_halves from = {.v = bits};
        union lanes_halves r;
        srgb_codes_in_registers(from.h, r.h);
        return r.v;
    }
#endif
    (void)gathers_slowly;
    return (lanes_gather(srgb8_step, bits >> 16) + (bits & 0xffff)) >> 16;
}

LANES_INLINE f32x32 lanes_from_srgb(u32x32 code, bool gathers_slowly) {
#if defined(__AVX512BW__)
    if (gathers_slowly) {
        const union lanes_halves codes = {.v = code};
        union lanes_halves r;
        srgb_look_up(srgb8_linear_halves, codes.h, r.h);
        return (f32x32)r.v;
    }
#endif
    (void)gathers_slowly;
    return (f32x32)lanes_gather(srgb8_linear, code);
}
