/* The port through which programs sample textures: shader/ calls it, tex/ implements it, pipeline/
 * gives each program the bindings of its draw. In: a call, sources in registers. Out: components in
 * registers. Must not know formats or instructions. tex/ includes no other file of shader/.
 */
#pragma once

#include "base/lanes.h"

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
    TEX_OP_FETCH_SAMPLE, /* Fermi: the operands of a fetch, the sample in place of the LOD */
    TEX_OP_TYPE,         /* Fermi: the type of each component, and the number of samples */
    TEX_OPS
};

/* The request of one texture instruction: the same for all warps that run it. */
struct tex_call {
    uint8_t op;           /* enum tex_op */
    uint8_t source_count; /* consecutive registers, 1..4; calls of Fermi: up to 6 */
    /* bit per component of the result; the components of set bits go to consecutive registers */
    uint8_t result_mask;
    uint8_t component; /* of a gather (Tesla: 0); LOD query: 1 gives the levels in Fermi's order */
    int8_t offset[3];  /* texels, -8..7; Fermi's gathers -128..127 */
    bool cube;
    bool quads; /* the LOD comes from differences within quads */
    bool first; /* no earlier instruction of the program names this texture and sampler */
};

struct tex_binding;

/* Samples for the lanes of m, at least one. reg: consecutive registers. Before the call they are
 * sources (coordinates, array index, depth reference, bias or LOD, in the instruction set's order),
 * after it the components in result_mask. Reads all lanes of the sources (quads), writes only lanes
 * of m. */
typedef void tex_kernel(const struct tex_binding *binding, const struct tex_call *call, u32x32 *reg,
                        lane_mask m);

/* A texture and a sampler, ready for every operation; immutable. tex/ adds its data behind it. */
struct tex_binding {
    tex_kernel *kernel[TEX_OPS];
};
