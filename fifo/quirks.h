/* Quirks: known faults of a driver, with the form that the driver meant. A fault is a pattern of
 * machine code, or state that the driver does not send (engine_3d.c). A real board executes what
 * the driver sends, and so does teslapipe unless a user asks for quirks. Replays never use quirks.
 */
#pragma once

#include "shader/isa/isa.h"

struct quirk {
    const char *name;
    const char *text; /* names the fault and the mended form */
};
enum { QUIRK_POSITION, QUIRK_SCISSOR, QUIRKS };
extern const struct quirk quirks[QUIRKS];

/* Removes the factor from each interpolation of a position word in a Tesla's fragment program
 * (tesla-isa.md §6.8). Changes words[] in place and returns the number of changed instructions. */
uint32_t quirk_position(struct isa_target target, uint32_t *words, uint32_t count);
