/* Fields of the dotted notations, asfermi's and generic64's: the values of struct field members
 * that dotted_parse.c and dotted_print.c read. Private to shader/isa/.
 */
#pragma once

#include "shader/isa/plain.h"

/* DOT_REG: the register is as wide as the type in .member or, without a member, as that of its
 * slot. */
/* DOT_SOURCE: .value is the kind of an immediate (IMM_*). A negative number sets the bit .neg. */
/* DOT_IMM: bits of .value: the notation of the number. */
enum { DOT_IMM_FLOAT22 = 1, DOT_IMM_HEX = 2, DOT_IMM_SIGNED = 4, DOT_IMM_WHOLE = 8 };
/* DOT_NUMBER, DOT_MEMORY: bits of .value. HEX: printed in hexadecimal. BINARY: eight binary digits
 * may be written. */
enum { DOT_HEX = 1, DOT_BINARY = 2 };
/* DOT_PRED: .value says that the predicate is a destination. DOT_TARGET: .value is PLAIN_ABSOLUTE
 * or 0. */
enum { DOT_PRED_DST = 1 };

/* The bits that a field occupies. Bits of a generic64 row that no field occupies must be 0. */
uint64_t dot_field_mask(const struct field *f);

extern const char *const isa_asfermi_tests[32];
extern const char *const isa_asfermi_specials[256];
extern const char *const isa_g64_specials[16];
