/* One texture instruction, run without a program: a binding made and called at a SIMD level. */
#ifndef TESTS_TEX_FIXTURE_H
#define TESTS_TEX_FIXTURE_H

#include "tex/tex.h"

struct tex_args {
    uint8_t op, source_count;
    bool deriv, cube, fake_infinite, seamless;
    int8_t offset[3];
    lane_mask lanes;
    uint8_t result_mask;
};

/* reg: the sources, then the results closed up. */
static inline void tex_run(enum simd_level level, const struct tex_view *view,
                           const struct tex_sampler *sampler, const struct tex_args *a,
                           u32x32 reg[4]) {
    struct tex_bound bound;
    const struct tex_call call = {.source_count = a->source_count,
                                  .result_mask = a->result_mask,
                                  .cube = a->cube,
                                  .offset = {a->offset[0], a->offset[1], a->offset[2]},
                                  .op = a->op,
                                  .quads = a->deriv};
    tex_bind(&bound, view, sampler,
             (a->seamless ? TEX_SEAMLESS : 0) | (a->fake_infinite ? TEX_FAKE_INFINITE : 0), level);
    bound.binding.kernel[a->op](&bound.binding, &call, reg, a->lanes);
}

#endif
