/* Texels of BPTC blocks (BC7 and BC6H), for views of Fermi and later. In: the four words of a
 * block. Out: texels, each as four bytes RGBA, or as three half floats. Must not know views.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Decodes texels first .. first + count - 1 of the 16, row by row. In blocks of reserved modes, all
 * texels are 0. */
void bptc_unorm(const uint32_t block[4], uint32_t first, uint32_t count, uint32_t *texel);
void bptc_float(const uint32_t block[4], bool is_signed, uint32_t first, uint32_t count,
                uint64_t *texel);
