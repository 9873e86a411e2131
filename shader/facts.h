/* What single operations tell those who run straight lines of them (facts.c). */
#ifndef SHADER_FACTS_H
#define SHADER_FACTS_H

#include "shader/op.h"

/* Reads the count of executed instructions, or traps where it stands: the warp's state has to be exact
 * before it. */
bool op_needs_state(const struct op *op);
/* How many registers an operand in $r takes up. */
uint32_t operand_registers(const struct operand *o);

#endif
