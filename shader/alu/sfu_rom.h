/* Tables of the special function unit, laid out for lane gathers: c0 in one array, c1 and c2 packed
 * in another. rcp and rsqrt use all 128 entries, the others the first 64.
 */
#ifndef SHADER_ALU_SFU_ROM_H
#define SHADER_ALU_SFU_ROM_H

#include <stdint.h>

enum { SFU_ENTRIES = 128, SFU_C2_BITS = 12, SFU_C2_MASK = (1 << SFU_C2_BITS) - 1 };

struct sfu_table {
    uint32_t base[SFU_ENTRIES];   /* c0 */
    uint32_t slopes[SFU_ENTRIES]; /* c1 << 12 | (c2 & 0xfff), both signed */
} __attribute__((aligned(64)));

extern const struct sfu_table sfu_rom_rcp, sfu_rom_rsqrt, sfu_rom_lg2, sfu_rom_sin, sfu_rom_ex2;

#endif
