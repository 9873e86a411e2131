/* Calls of texture instructions. run() calls at every SIMD level, with denormals flushed and kept,
 * and asserts that the results are the same. */
#ifndef TESTS_TEX_CALLS_H
#define TESTS_TEX_CALLS_H

#include "base/fp_mode.h"
#include "tests/tex/fixture.h"
#include "tests/tex/texture.h"

struct call {
    u32x32 reg[4]; /* operands, then results, as in the instruction */
    u32x32 behind; /* the register behind reg: no call may change it */
    struct tex_args args;
};

static inline void run(const struct tex_view *v, const struct tex_sampler *s, struct call *c) {
    const unsigned mode = fp_mode();
    static uint64_t seed = 1;
    u32x32 first[4] = {{0}}, in[4];
    memcpy(in, c->reg, sizeof in);
    c->args.result_mask = c->args.result_mask ? c->args.result_mask : 15;
    c->args.lanes = c->args.lanes ? c->args.lanes : LANES_ALL;
    for (int level = 0; level <= 2 * (int)simd_best() + 1; level++) {
        memcpy(c->reg, in, sizeof in);
        c->behind = lanes_splat(0x5a5a5a5a);
        fp_set_mode(level & 1 ? mode | FP_FLUSH : mode);
        tex_run((enum simd_level)(level / 2), v, s, &c->args, c->reg);
        fp_set_mode(mode);
        assert_int_equal(lanes_to_mask((u32x32)(c->behind == 0x5a5a5a5a)), LANES_ALL);
        assert_true(tex_run_few((enum simd_level)(level / 2), v, s, &c->args, in, c->reg, &seed));
        if (level)
            assert_memory_equal(c->reg, first, sizeof first);
        memcpy(first, c->reg, sizeof first);
    }
}

static inline float value(const struct call *c, int component, int lane) {
    const uint32_t u = c->reg[component][lane];
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static inline void set(struct call *c, int operand, int lane, float f) {
    c->reg[operand][lane] = float_bits(f);
}

/* Gives all lanes the same operands; returns result 0 of lane 5. */
static inline float one(const struct texture *t, const struct tex_sampler *s, struct call *c,
                        float a, float b, float d, float e) {
    for (int lane = 0; lane < LANES; lane++) {
        set(c, 0, lane, a);
        set(c, 1, lane, b);
        set(c, 2, lane, d);
        set(c, 3, lane, e);
    }
    run(&t->view, s, c);
    return value(c, 0, 5);
}

#endif
