/* Links the programs of a Fermi (linkage.c). */
#pragma once

#include "pipeline/state/state.h"

/* Sets the fields of the state that connect the bound programs, which must be Fermi's: header[]
 * (copies of the programs' own headers, with result maps and, for the fragment program, its slots),
 * semantic, point_coord_map. replaced: bit per texture coordinate that is replaced inside of
 * points. */
void state_link(struct state *s, uint32_t replaced);
/* For transform feedback: returns the slot of a[] word `word` after the last stage before the
 * rasterizer; if this stage does not write the word, the slot is that of a constant. Adds a slot if
 * none has the word. Returns 0xff if the word or the stage does not exist, or the map is full. To
 * be called after state_link(). */
uint8_t state_link_word(struct state *s, uint32_t word);
