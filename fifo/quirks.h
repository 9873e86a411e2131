/* Quirks: patterns of machine code that a fault of a driver's compiler makes, and the code that the
 * driver meant. A real board executes the code as it is. So does this machine, unless a user asks
 * for quirks. Replays never use them.
 */
#pragma once

#include "shader/isa/isa.h"

struct quirk {
    const char *name;
    const char *text; /* names the fault and the mended form */
};
enum { QUIRK_POSITION, QUIRKS };
extern const struct quirk quirks[QUIRKS];

/* Removes the factor from each interpolation of a position word in a Tesla's fragment program
 * (tesla-isa.md §6.8). Changes words[] in place and returns the number of changed instructions. */
uint32_t quirk_position(struct isa_target target, uint32_t *words, uint32_t count);
