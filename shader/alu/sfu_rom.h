/* Tables of the special function unit, laid out for products of 16 bits: as words for gathers by
 * lanes, and in halves for permutations. rcp and rsqrt use all 128 entries, the others the first
 * 64.
 */
#pragma once

#include <stdint.h>

/* The evaluation of a function: (c0 << SHIFT0) + c1 * r + (c2 * square << SHIFT2) + BIAS, where r
 * has BITS bits and c1 is near CENTRE. The caller adds CENTRE * f and OFFSET, which the tables
 * leave out. The sum is in steps of 2^CUT; its lowest CUT bits are computed apart. */
enum {
    SFU_RCP_SHIFT0 = 13,
    SFU_RCP_SHIFT2 = 0,
    SFU_RCP_BIAS = 0x47e7,
    SFU_RCP_BITS = 16,
    SFU_RCP_CENTRE = -0x8000,
    SFU_RCP_CUT = 13,
    SFU_RCP_OFFSET = 0x9fffffc,
    SFU_RSQRT_SHIFT0 = 14,
    SFU_RSQRT_SHIFT2 = 2,
    SFU_RSQRT_BIAS = 0x7fff,
    SFU_RSQRT_BITS = 17,
    SFU_RSQRT_CENTRE = -0x8000,
    SFU_RSQRT_CUT = 8,
    SFU_RSQRT_OFFSET = 1 << 30,
    SFU_LG2_SHIFT0 = 12,
    SFU_LG2_SHIFT2 = 1,
    SFU_LG2_BIAS = 0x3345,
    SFU_LG2_BITS = 17,
    SFU_LG2_CENTRE = 0x8000,
    SFU_LG2_CUT = 8,
    SFU_LG2_OFFSET = 0,
    SFU_SIN_SHIFT0 = 11,
    SFU_SIN_SHIFT2 = 0,
    SFU_SIN_BIAS = 0,
    SFU_SIN_BITS = 17,
    SFU_SIN_CENTRE = 0,
    SFU_SIN_CUT = 6,
    SFU_SIN_OFFSET = 0,
    SFU_EX2_SHIFT0 = 13,
    SFU_EX2_SHIFT2 = 0,
    SFU_EX2_BIAS = 0x77e2,
    SFU_EX2_BITS = 17,
    SFU_EX2_CENTRE = 0x8000,
    SFU_EX2_CUT = 8,
    SFU_EX2_OFFSET = 0,
};

enum { SFU_ENTRIES = 128 };

struct sfu_split {
    uint16_t lower[SFU_ENTRIES], upper[SFU_ENTRIES];
};

struct sfu_table {
    /* c0 << (SHIFT0 - CUT), less the effect of the index (sfu_rom.c) */
    uint32_t base[SFU_ENTRIES];
    uint32_t slopes[SFU_ENTRIES]; /* c1 - CENTRE and, in the upper half, c2 << SHIFT2, signed */
    struct sfu_split base_halves, slopes_halves; /* base and slopes again, by halves of words */
    /* For AVX2, at bits 16 to 23 of f (sfu_rom.c): the base in the lower word, the slopes in the
     * upper. */
    uint64_t pairs[2 * SFU_ENTRIES];
} __attribute__((aligned(64)));

extern const struct sfu_table sfu_rom_rcp, sfu_rom_rsqrt, sfu_rom_lg2, sfu_rom_sin, sfu_rom_ex2;

/* The order of a row's 16-bit halves from which unpacking two vectors of halves gives the words
 * again (AVX-512). A constant in memory, because compilers would store a literal one as bytes. */
struct sfu_order {
    uint16_t lower[32], upper[32];
} __attribute__((aligned(64)));

extern const struct sfu_order sfu_rom_order;
