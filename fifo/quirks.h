/* Quirks: patterns of machine code that a fault of a driver's compiler makes, and the code that the
 * driver meant. A real board computes what the code says; so does this machine, unless a user asks
 * for quirks. Replays never have them.
 */
#ifndef FIFO_QUIRKS_H
#define FIFO_QUIRKS_H

#include "shader/isa/isa.h"

struct quirk {
    const char *name;
    const char *text; /* the fault, and the words that replace it */
};
enum { QUIRK_POSITION, QUIRKS };
extern const struct quirk quirks[QUIRKS];

/* Takes the factor from each interpolation of a position word in a fragment program's words
 * (tesla-isa.md §6.8). Returns the number of such instructions. */
uint32_t quirk_position(struct isa_target target, uint32_t *words, uint32_t count);

#endif
