/* Links the programs of a Fermi (linkage.c). */
#pragma once

#include "pipeline/state/state.h"

/* Sets the fields of the state that connect the bound programs, which must be Fermi's: header[]
 * (copies of the programs' own, with result maps and, for the fragment program, its slots),
 * semantic, point_coord_map. replaced: bit per texture coordinate that is replaced inside
 * points. */
void state_link(struct state *s, uint32_t replaced);
/* For transform feedback: the slot of a word of a[] that the last stage before the rasterizer
 * writes; 0xff if it does not write the word. Adds the slot if no other stage reads it. To be
 * called after state_link(). */
uint8_t state_link_word(struct state *s, uint32_t word);
