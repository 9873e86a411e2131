/* Links the programs of a Fermi (linkage.c). */
#pragma once

#include "pipeline/state/state.h"

/* Sets the fields of the state that connect the bound programs, which must be Fermi's: header[]
 * (copies of the programs' own, with result maps and, for the fragment program, its slots),
 * semantic, point_coord_map. replaced: bit per texture coordinate that is replaced inside
 * points. */
void state_link(struct state *s, uint32_t replaced);
/* For transform feedback: the slot of a word of a[] after the last stage before the rasterizer; a
 * word that this stage does not write has the slot of a constant. Adds a slot if no slot has the
 * word. 0xff: there is no such word or stage, or the map is full. To be called after
 * state_link(). */
uint8_t state_link_word(struct state *s, uint32_t word);
