/* One texture instruction of a warp with its operands by name. In: a binding, a call, registers.
 * Out: the rows of coordinates, layer, reference and LOD, and the rows of results. Knows no
 * arithmetic.
 */
#pragma once

#include "tex/key.h"

/* Operands in the order of tesla-isa.md §6.9. Coordinates, layer and lod that the instruction does
 * not have read as zero; reference is NULL if there is no comparison. */
struct request {
    const struct tex_bound *bound;
    const struct tex_call *call;
    const u32x32 *coord[3], *layer, *reference, *lod; /* lod: the LOD or the bias */
    u32x32 *reg;
    uint8_t components; /* the memory components that results show */
    lane_mask lanes;
};

static const u32x32 no_operand;

LANES_INLINE bool view_is_cube(const struct tex_view *v) {
    return v->dim == TEX_CUBE || v->dim == TEX_CUBE_ARRAY;
}

LANES_INLINE bool view_has_layers(const struct tex_view *v) {
    return v->dim == TEX_1D_ARRAY || v->dim == TEX_2D_ARRAY || v->dim == TEX_CUBE_ARRAY;
}

/* True if there are enough sources for a comparison. cube: coordinates are a direction. */
static inline bool request_has_reference(int axes, bool cube, bool array,
                                         const struct tex_call *call) {
    const int lod = call->op == TEX_OP_BIAS || call->op == TEX_OP_LOD || call->op == TEX_OP_FETCH;
    return call->source_count - lod > axes + cube + array;
}

/* Returns the row of result number i. */
LANES_INLINE u32x32 *request_row(const struct request *q, int i) {
    return q->reg + __builtin_popcount(q->call->result_mask & ((1u << i) - 1));
}

LANES_INLINE void request_init(struct request *q, struct key k, const struct tex_binding *binding,
                               const struct tex_call *call, u32x32 *reg, lane_mask lanes,
                               bool compare) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const bool has_lod =
        call->op == TEX_OP_BIAS || call->op == TEX_OP_LOD || call->op == TEX_OP_FETCH;
    const int most = 6; /* Fermi: three coordinates, layer, reference, lod */
    int next = 0, count = call->source_count < most ? call->source_count : most;
    *q = (struct request){.bound = b,
                          .call = call,
                          .reg = reg,
                          .lanes = lanes,
                          .components = b->components[call->result_mask & 15]};
    for (int i = 0; i < 3; i++)
        q->coord[i] = i < KEY(k, axes) + KEY(k, cube) && next < count ? &reg[next++] : &no_operand;
    q->layer = KEY(k, array) && next < count ? &reg[next++] : &no_operand;
    q->lod = has_lod && next < count ? &reg[--count] : &no_operand;
    q->reference = compare && next < count ? &reg[next] : NULL;
}
