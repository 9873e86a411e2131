/* The evaluation of special functions with AVX2, in two rounds of sixteen lanes: the halves of
 * sixteen words fill a register. A part of sfu.h, which describes the squarer and the sum.
 */
#pragma once

/* Bit j of y's upper byte adds low >> (6 - j), j from 1 to 6. A byte of low without the bits that
 * are dropped, times a bit of high, is 2^6 times that. One instruction adds two such products, of
 * bits k - 8 and k - 7. Bits 6 and 7 of low belong to the product of whole bytes. */
#define SFU_TWO_BITS(low, high, kept, k)                                                           \
    _mm256_maddubs_epi16(_mm256_and_si256(low, _mm256_set1_epi16((short)(kept))),                  \
                         _mm256_and_si256(high, _mm256_set1_epi16((short)(0x402 << ((k) - 9)))))
LANES_INLINE __m256i sfu_square(__m256i y) {
    const __m256i two_low = _mm256_set_epi32(0x0e0e0c0c, 0x0a0a0808, 0x06060404, 0x02020000,
                                             0x0e0e0c0c, 0x0a0a0808, 0x06060404, 0x02020000);
    const __m256i low = _mm256_shuffle_epi8(y, two_low);
    const __m256i high = _mm256_shuffle_epi8(y, _mm256_or_si256(two_low, _mm256_set1_epi8(1)));
    const __m256i a = SFU_TWO_BITS(low, high, 0x3020, 9), b = SFU_TWO_BITS(low, high, 0x3c38, 11);
    const __m256i c = SFU_TWO_BITS(low, high, 0x3f3e, 13);
    const __m256i twice =
        _mm256_and_si256(_mm256_add_epi16(y, y), _mm256_set1_epi16((short)0xfe00));
    const __m256i whole = _mm256_add_epi16(_mm256_and_si256(y, _mm256_set1_epi16(0x7fc0)),
                                           _mm256_and_si256(y, _mm256_set1_epi16(0xc0)));
    return _mm256_add_epi16(_mm256_mulhi_epu16(twice, whole),
                            _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(a, b), c), 6));
}

/* The lower halves of a's words and the upper halves of b's. */
LANES_INLINE __m256i sfu_join(__m256i a, __m256i b) {
    return _mm256_blend_epi16(a, b, 0xaa);
}

/* The squares of sixteen fractions as halves: the half of a lane is below that of the lane eight
 * places on. */
LANES_INLINE __m256i sfu_squares(const __m256i *f, int bits) {
    if (bits == 16)
        return sfu_square(_mm256_srli_epi16(sfu_join(f[0], _mm256_slli_epi32(f[1], 16)), 1));
    return sfu_square(sfu_join(_mm256_srli_epi32(f[0], 2), _mm256_slli_epi32(f[1], 14)));
}

/* The table's pairs for two lanes. at: bits 16 to 23 of the first lane's fraction. */
LANES_INLINE __m128d sfu_two(const struct sfu_table *rom, const uint8_t *at) {
    return _mm_loadh_pd(_mm_load_sd((const double *)&rom->pairs[at[0]]),
                        (const double *)&rom->pairs[at[4]]);
}

/* The pairs of two lanes, and those of the lanes four places on. */
LANES_INLINE __m256 sfu_four(const struct sfu_table *rom, const uint8_t *at) {
    return _mm256_castpd_ps(
        _mm256_insertf128_pd(_mm256_castpd128_pd256(sfu_two(rom, at)), sfu_two(rom, at + 16), 1));
}

/* Evaluates the terms as described in sfu.h, but always with one product: bits 16 to 23 of f choose
 * a pair, and the lowest 16 bits less 2^15 are a signed factor. */
LANES_INLINE struct sfu_sum sfu_evaluate(const struct sfu_table *rom, u32x32 fraction, int bits,
                                         int cut, int bias) {
    union lanes_quarters f = {.v = fraction}, high, low;
    /* A pointer of unknown value: else the compiler would take the bytes out of registers, in more
     * steps. */
    const uint8_t *byte;
    __asm__ volatile("" : "=r"(byte) : "0"(&f), "m"(f));
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2) {
        const __m256i square = sfu_squares(f.q + i, bits);
        const __m256i shifted[2] = {_mm256_slli_epi32(square, 16), square};
#pragma GCC unroll 2
        for (int k = i; k < i + 2; k++) {
            const __m256i factors =
                sfu_join(_mm256_xor_si256(f.q[k], _mm256_set1_epi32(0x8000)), shifted[k - i]);
            const uint8_t *at = byte + 32 * k + 2;
            const __m256 even = sfu_four(rom, at), odd = sfu_four(rom, at + 8);
            const __m256i base = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88));
            const __m256i slopes = _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xdd));
            low.q[k] =
                _mm256_add_epi32(_mm256_madd_epi16(slopes, factors), _mm256_set1_epi32(bias));
            high.q[k] = _mm256_add_epi32(base, _mm256_srai_epi32(low.q[k], cut));
        }
    }
    return (struct sfu_sum){high.v, low.v};
}
#define SFU_EVALUATE(NAME, name, entries, f)                                                       \
    sfu_evaluate(SFU_ROM(name), f, SFU_##NAME##_BITS, SFU_##NAME##_CUT, SFU_##NAME##_BIAS)
