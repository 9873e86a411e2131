/* Where words of a[] of Fermi's 3D programs are, for the linker, the interpreter and native
 * code. */
#pragma once

#include "shader/exec.h"

enum { PLANE_NONE = 0xfe }; /* the plane of a word that the header does not name */

/* For a stage with input vertices: the row of warp.attr that holds a word of a[], if the word
 * belongs to no vertex. ROW_NONE: the word is a vertex's, in warp.prim, or does not exist. */
uint8_t fermi_input_row(enum program_type type, const struct op *op, uint32_t word);

/* The row or plane of a word of a[], for an access by op. In a program without a header, and for
 * words of a patch, row or plane k holds word k. */
uint8_t fermi_attribute_row(const struct program *p, const struct op *op, uint32_t word);

/* The lane of the first output vertex of a lane's patch (TCP). */
static inline uint32_t fermi_first_lane(const struct warp *w, int lane) {
    return ((uint32_t)lane - (w->invocation ? (*w->invocation)[lane] : 0)) % LANES;
}
