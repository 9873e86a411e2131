/* Fixture: runs one texture instruction without a program. A binding is made and called at a SIMD
 * level, with the implementations that this processor chooses and with the others. */
#ifndef TESTS_TEX_FIXTURE_H
#define TESTS_TEX_FIXTURE_H

#include "tests/test.h"
#include "tex/tex.h"

struct tex_args {
    uint8_t op, source_count;
    bool deriv, cube, fake_infinite, seamless;
    int8_t offset[3];
    lane_mask lanes;
    uint8_t result_mask, component;
};

/* reg: the operands; the call replaces them by the results, without gaps. other: where the speed of
 * gathers decides between two implementations, take the implementation that this processor does not
 * choose. */
static inline void tex_run_as(enum simd_level level, const struct tex_view *view,
                              const struct tex_sampler *sampler, const struct tex_args *a,
                              bool other, u32x32 reg[4]) {
    struct tex_bound bound;
    const struct tex_call call = {.source_count = a->source_count,
                                  .result_mask = a->result_mask,
                                  .component = a->component,
                                  .cube = a->cube,
                                  .offset = {a->offset[0], a->offset[1], a->offset[2]},
                                  .op = a->op,
                                  .quads = a->deriv};
    tex_bind(&bound, view, sampler,
             (a->seamless ? TEX_SEAMLESS : 0) | (a->fake_infinite ? TEX_FAKE_INFINITE : 0), level);
    bound.key.singly ^= other;
    bound.gather_key.singly ^= other;
    bound.whole_srgb ^= other && (level < SIMD_AVX512 || simd_permutes_bytes());
    bound.binding.kernel[a->op](&bound.binding, &call, reg, a->lanes);
}

static inline void tex_run(enum simd_level level, const struct tex_view *view,
                           const struct tex_sampler *sampler, const struct tex_args *a,
                           u32x32 reg[4]) {
    u32x32 copy[4];
    memcpy(copy, reg, sizeof copy);
    tex_run_as(level, view, sampler, a, false, reg);
    tex_run_as(level, view, sampler, a, true, copy);
    assert_memory_equal(copy, reg, sizeof copy);
}

/* Runs the instruction with a few of the lanes. Returns false if one of these lanes has a result
 * other than `want`, which is the result with all lanes, or if another lane has changed from `in`.
 * The sets of lanes follow from *seed. */
static inline bool tex_run_few(enum simd_level level, const struct tex_view *view,
                               const struct tex_sampler *sampler, const struct tex_args *a,
                               const u32x32 in[4], const u32x32 want[4], uint64_t *seed) {
    struct tex_args few = *a;
    u32x32 reg[4];
    few.lanes &= (lane_mask)random_next(seed);
    for (uint64_t more = *seed; more & 3; more >>= 2) /* mostly fewer than half of the lanes */
        few.lanes &= few.lanes ^ (lane_mask)(more >> 16);
    if (!few.lanes)
        return true;
    memcpy(reg, in, sizeof reg);
    tex_run(level, view, sampler, &few, reg);
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < LANES; lane++) {
            const uint32_t word = few.lanes >> lane & 1 ? want[i][lane] : in[i][lane];
            if (reg[i][lane] != word)
                return false;
        }
    return true;
}

#endif
