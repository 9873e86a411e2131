/* Tables of the special function unit: the ROM's figures (sfu_figures.h) as shader/alu/sfu.h adds them
 * up (sfu_rom.h).
 */
#include "shader/alu/sfu_rom.h"

#include "shader/alu/sfu_figures.h"

/* A fraction is f = index << BITS | r. If r has 16 bits the evaluation multiplies c1 by r less 2^15; else
 * it takes (int16_t)(f >> CUT) for r >> CUT, the bits above that for 0, and f for r. And CENTRE * f is
 * added in the end. What the index adds by all that is taken off here. */
#define SLOPE(shape, c1) (uint32_t)((c1)-shape##_CENTRE)
#define CURVE(shape, c2) (uint32_t)((c2) * (1 << shape##_SHIFT2))
#define AT(shape, i) ((uint32_t)(i) << (shape##_BITS - shape##_CUT))
#define ADDED(shape, i, c1, c2)                                                                    \
    (shape##_BITS == 16 ? SLOPE(shape, c1) * -(0x8000u >> shape##_CUT)                             \
                        : SLOPE(shape, c1) * (uint32_t)(int16_t)AT(shape, i) +                     \
                              CURVE(shape, c2) * (AT(shape, i) >> 16))
#define BASE(shape, i, c0, c1, c2)                                                                 \
    ((uint32_t)(c0) << (shape##_SHIFT0 - shape##_CUT)) - ADDED(shape, i, c1, c2) -                 \
        (uint32_t)(shape##_CENTRE / (1 << shape##_CUT)) * ((uint32_t)(i) << shape##_BITS) -        \
        shape##_OFFSET,
#define SLOPES(shape, i, c0, c1, c2) (SLOPE(shape, c1) & 0xffff) | CURVE(shape, c2) << 16,

#define BASE_RCP(...) BASE(SFU_RCP, __VA_ARGS__)
#define BASE_RSQRT(...) BASE(SFU_RSQRT, __VA_ARGS__)
#define BASE_LG2(...) BASE(SFU_LG2, __VA_ARGS__)
#define BASE_SIN(...) BASE(SFU_SIN, __VA_ARGS__)
#define BASE_EX2(...) BASE(SFU_EX2, __VA_ARGS__)
#define SLOPES_RCP(...) SLOPES(SFU_RCP, __VA_ARGS__)
#define SLOPES_RSQRT(...) SLOPES(SFU_RSQRT, __VA_ARGS__)
#define SLOPES_LG2(...) SLOPES(SFU_LG2, __VA_ARGS__)
#define SLOPES_SIN(...) SLOPES(SFU_SIN, __VA_ARGS__)
#define SLOPES_EX2(...) SLOPES(SFU_EX2, __VA_ARGS__)
#define TABLE(name) {.base = {ROM_##name(BASE_##name)}, .slopes = {ROM_##name(SLOPES_##name)}}

const struct sfu_table sfu_rom_rcp = TABLE(RCP);
const struct sfu_table sfu_rom_rsqrt = TABLE(RSQRT);
const struct sfu_table sfu_rom_lg2 = TABLE(LG2);
const struct sfu_table sfu_rom_sin = TABLE(SIN);
const struct sfu_table sfu_rom_ex2 = TABLE(EX2);
