/* A texture instruction and what answers it: the language between shader/, which runs programs, and
 * tex/, which knows descriptors and memory. Neither room knows the other; pipeline/ hands the
 * bindings of a draw to its programs. Must not know formats or coordinates.
 */
#ifndef BASE_TEX_CALL_H
#define BASE_TEX_CALL_H

#include "base/lanes.h"

/* Numbered as the operations of shader/op.h from OP_TEXAUTO on. */
enum tex_op {
    TEX_OP_AUTO,
    TEX_OP_FETCH,
    TEX_OP_BIAS,
    TEX_OP_LOD,
    TEX_OP_SIZE,
    TEX_OP_PREP,
    TEX_OP_QUERYLOD,
    TEX_OP_CSAA,
    TEX_OP_GATHER,
    TEX_OPS
};

/* One texture instruction: part of its decoded form, the same for all that run it. */
struct tex_call {
    uint8_t tic, tsc;     /* $t, $s */
    uint8_t source_count; /* 1..4 consecutive registers from the base */
    uint8_t result_mask; /* bit per component; enabled ones go to consecutive registers from base */
    uint8_t base;        /* register number: destination base and source base */
    bool cube, live, deriv;
    int8_t offset[3];  /* texels, -8..7; Fermi's gathers -128..127 */
    uint8_t component; /* that a gather shows; Tesla's show x */
    /* Filled when the program is made: */
    uint8_t op; /* enum tex_op */
    bool quads; /* LOD from the quads' coordinates: deriv, or a fragment program */
    bool alone; /* what helper pixels would get matters to nobody: they may go without */
    uint8_t
        unseen; /* nor, with few results, that of lanes at these positions of quads: a bit each */
    uint16_t slot; /* of the pair (tic, tsc) in the program's list */
};

struct tex_binding;

/* Samples for the lanes of m, at least one. reg: consecutive registers, the sources (coordinates,
 * array index, depth reference, bias or lod in ISA order) before the call and the components in
 * result_mask, closed up, after it. Reads all lanes of the sources (quads); writes only lanes of m. */
typedef void tex_kernel(const struct tex_binding *binding, const struct tex_call *call, u32x32 *reg,
                        lane_mask m);

/* A texture and a sampler, ready for every operation; immutable. What follows this head is tex/'s. */
struct tex_binding {
    tex_kernel *kernel[TEX_OPS];
};

#endif
