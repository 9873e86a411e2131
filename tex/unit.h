/* The unit inside. */
#ifndef TEX_UNIT_H
#define TEX_UNIT_H

#include "tex/tex.h"

/* One sampling request of a warp. */
struct tex_args {
    lane_mask lanes;
    /* Not in the port's order: the compiler would copy several fields as one word, and reading a
     * word just stored as bytes stalls the CPU. */
    uint8_t op;               /* enum tex_op, numbered as enum tex_kind of the port */
    bool deriv;
    uint8_t source_count;
    bool fake_infinite;
    uint8_t result_mask;
    bool seamless;            /* cube faces are filtered across edges; 3D state, not in the TSC */
    bool cube;
    int8_t offset[3];
    const u32x32 *const *src; /* 4 of each; a result may be the vector of a source */
    u32x32 *const *result;
};
SIMD_DECLARE(void, tex_any, (const struct tex_binding *binding, const struct tex_call *call,
                             u32x32 *reg, lane_mask m));

#endif
