/* Tables of the special function unit, made of the ROM's figures (sfu_figures.h) for the evaluation
 * in sfu.h. sfu_rom.h describes them.
 */
#include "shader/alu/sfu_rom.h"

#include "shader/alu/sfu_figures.h"

/* The evaluation uses parts of f = index << BITS | r instead of r. If BITS is 16, it multiplies c1
 * by r less 2^15. Else it multiplies c1 by (int16_t)(f >> CUT) instead of r >> CUT, and c2 by the
 * bits of f above those. In the end it adds CENTRE * f instead of CENTRE * r. BASE subtracts the
 * differences, which depend on the index alone. */
#define SLOPE(shape, c1) (uint32_t)((c1) - shape##_CENTRE)
#define CURVE(shape, c2) (uint32_t)((c2) * (1 << shape##_SHIFT2))
#define AT(shape, i) ((uint32_t)(i) << (shape##_BITS - shape##_CUT))
#define ADDED(shape, i, c1, c2)                                                                    \
    (shape##_BITS == 16 ? SLOPE(shape, c1) * -(0x8000u >> shape##_CUT)                             \
                        : SLOPE(shape, c1) * (uint32_t)(int16_t)AT(shape, i) +                     \
                              CURVE(shape, c2) * (AT(shape, i) >> 16))
#define BASE(shape, i, c0, c1, c2)                                                                 \
    (((uint32_t)(c0) << (shape##_SHIFT0 - shape##_CUT)) - ADDED(shape, i, c1, c2) -                \
     (uint32_t)(shape##_CENTRE / (1 << shape##_CUT)) * ((uint32_t)(i) << shape##_BITS) -           \
     shape##_OFFSET)
#define SLOPES(shape, c1, c2) ((SLOPE(shape, c1) & 0xffff) | CURVE(shape, c2) << 16)

#define BASES(shape, i, c0, c1, c2) BASE(shape, i, c0, c1, c2),
#define LOWER_BASES(shape, i, c0, c1, c2) BASE(shape, i, c0, c1, c2) & 0xffff,
#define UPPER_BASES(shape, i, c0, c1, c2) BASE(shape, i, c0, c1, c2) >> 16,
#define BOTH_SLOPES(shape, i, c0, c1, c2) SLOPES(shape, c1, c2),
#define LOWER_SLOPES(shape, i, c0, c1, c2) SLOPES(shape, c1, c2) & 0xffff,
#define UPPER_SLOPES(shape, i, c0, c1, c2) SLOPES(shape, c1, c2) >> 16,
/* For AVX2 bits 16 to 23 of f choose a pair. So bit 16 of a remainder of 17 bits belongs to the
 * index, and the evaluation multiplies c1 by the lowest 16 bits less 2^15. */
#define PAIR(shape, i, bit, c0, c1, c2)                                                            \
    (uint64_t)SLOPES(shape, c1, c2) << 32 |                                                        \
        (uint32_t)(BASE(shape, i, c0, c1, c2) + ADDED(shape, i, c1, c2) +                          \
                   SLOPE(shape, c1) * (((bit) << 16 | 0x8000u) >> shape##_CUT))
#define PAIRS_OF_16(shape, i, c0, c1, c2)                                                          \
    [i] = PAIR(shape, i, 0, c0, c1, c2), [(i) + SFU_ENTRIES] = PAIR(shape, i, 0, c0, c1, c2),
#define PAIRS_OF_17(shape, i, c0, c1, c2)                                                          \
    [2 * (i)] = PAIR(shape, i, 0, c0, c1, c2), [2 * (i) + 1] = PAIR(shape, i, 1, c0, c1, c2),
#define TABLE(name, bits)                                                                          \
    {                                                                                              \
        .base = {ROM_##name(BASES, SFU_##name)}, .slopes = {ROM_##name(BOTH_SLOPES, SFU_##name)},  \
        .base_halves = {{ROM_##name(LOWER_BASES, SFU_##name)},                                     \
                        {ROM_##name(UPPER_BASES, SFU_##name)}},                                    \
        .pairs = {ROM_##name(PAIRS_OF_##bits, SFU_##name)}, .slopes_halves = {                     \
            {ROM_##name(LOWER_SLOPES, SFU_##name)},                                                \
            {ROM_##name(UPPER_SLOPES, SFU_##name)}                                                 \
        }                                                                                          \
    }

const struct sfu_table sfu_rom_rcp = TABLE(RCP, 16);
const struct sfu_table sfu_rom_rsqrt = TABLE(RSQRT, 17);
const struct sfu_table sfu_rom_lg2 = TABLE(LG2, 17);
const struct sfu_table sfu_rom_sin = TABLE(SIN, 17);
const struct sfu_table sfu_rom_ex2 = TABLE(EX2, 17);

/* The positions of one half (upper: 0 or 1) of four words in each of two vectors. */
#define FOUR(i, upper)                                                                             \
    2 * (i) + upper, 2 * (i) + 2 + upper, 2 * (i) + 4 + upper, 2 * (i) + 6 + upper
#define EIGHT(i, upper) FOUR(i, upper), FOUR(16 + (i), upper)
#define ORDER(upper) {EIGHT(0, upper), EIGHT(4, upper), EIGHT(8, upper), EIGHT(12, upper)}

const struct sfu_order sfu_rom_order = {.lower = ORDER(0), .upper = ORDER(1)};
