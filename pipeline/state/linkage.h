/* How the programs of a Fermi connect. See linkage.c. */
#ifndef PIPELINE_LINKAGE_H
#define PIPELINE_LINKAGE_H

#include "pipeline/state/state.h"

/* Sets the fields of the state that connect the bound programs, which must be Fermi's: header[]
 * (copies of those that the programs have, with result maps and, for the fragment program, its
 * slots), semantic, point_coord_map. replaced: bit per texture coordinate that is replaced inside
 * points. */
void state_link(struct state *s, uint32_t replaced);
/* The slot of a word of a[] that the last stage before the rasterizer writes, or 0xff: for transform
 * feedback. It is added if no other stage reads it. After state_link(). */
uint8_t state_link_word(struct state *s, uint32_t word);

#endif
