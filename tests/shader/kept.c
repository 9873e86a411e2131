/* Kept results of special functions (shader/kept.h): whatever a warp has computed before, each
 * function gives the results of the special function unit, for operands that are equal in all
 * lanes, in some lanes, or in none. Also tests functions that are fused in pairs. */
#include "shader/kept.h"
#include "tests/random.h"
#include "tests/shader/made.h"

static u32x32 presin_sin(u32x32 v) {
    return sfu_presin_sin(v, false);
}
static u32x32 presin_cos(u32x32 v) {
    return sfu_presin_sin(v, true);
}

#define FUNCTIONS(X)                                                                               \
    X(rcp, sfu_rcp)                                                                                \
    X(rsqrt, sfu_rsqrt)                                                                            \
    X(rsqrt_rcp, sfu_rsqrt_rcp)                                                                    \
    X(lg2, sfu_lg2)                                                                                \
    X(preex2_ex2, sfu_preex2_ex2)                                                                  \
    X(presin_sin, presin_sin)                                                                      \
    X(presin_cos, presin_cos)

#define X(name, function)                                                                          \
    static void check_##name(struct warp *w, u32x32 v) {                                           \
        const u32x32 kept = kept_##name(w, v), right = function(v);                                \
        if (memcmp(&kept, &right, sizeof kept))                                                    \
            fail_msg(#name "(%x %x ...): %x %x ..., not %x %x", v[0], v[1], kept[0], kept[1],      \
                     right[0], right[1]);                                                          \
    }
FUNCTIONS(X)
#undef X

static void check_all(struct warp *w, u32x32 v) {
#define X(name, function) check_##name(w, v);
    FUNCTIONS(X)
#undef X
}

static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                   0x7f800000, 0xff800000, 0x7fc00000, 1,
                                   0x00800000, 0x40000000, 0x807fffff, 0x80800000};

static uint32_t operand(void) {
    const uint32_t i = random_below(2 * LENGTH(special));
    return i < LENGTH(special) ? special[i] : random_word();
}

/* A warp that has computed nothing gives right results, too. */
TEST(test_first_results) {
    for (size_t i = 0; i < LENGTH(special); i++) {
        struct warp *w = case_rows(sizeof *w);
        check_all(w, lanes_splat(special[i]));
        free(w);
    }
}

static void check_same(const char *name, u32x32 v, u32x32 results, u32x32 right) {
    for (int i = 0; i < LANES; i++)
        if (results[i] != right[i])
            fail_msg("%s(%x): %x, not %x", name, v[i], results[i], right[i]);
}

/* The roots of a row of negative numbers are NaNs, but a lane with another number has its root. */
TEST(test_roots_of_negative_rows) {
    for (uint32_t i = 0; i < LENGTH(special); i++) {
        const uint32_t lane = 7 * i % LANES;
        u32x32 row = lanes_splat(0xc0490fdb), ones = lanes_splat(F32_ONE), right[2];
        row[lane] = ones[lane] = special[i];
        right[0] = right[1] = lanes_splat(F32_NAN);
        right[0][lane] = sfu_rsqrt(ones)[lane];
        right[1][lane] = sfu_rsqrt_rcp(ones)[lane];
        check_same("rsqrt", row, sfu_rsqrt(row), right[0]);
        check_same("rsqrt_rcp", row, sfu_rsqrt_rcp(row), right[1]);
    }
}

TEST(test_results_of_any_operands) {
    struct warp *w = case_rows(sizeof *w);
    for (int i = 0; i < 20000; i++) {
        u32x32 v = lanes_splat(operand());
        check_all(w, v);
        check_all(w, v);
        for (uint32_t lane = random_below(2) ? 8 : 0; lane < LANES; lane++)
            v[lane] = random_below(4) ? v[lane] : operand();
        check_all(w, v);
    }
    free(w);
}

/* A fused pair of functions gives the results of the two functions, one after the other. */
static void check_pairs(u32x32 v) {
    const u32x32 prepared = sfu_presin(v);
    check_same("rsqrt_rcp", v, sfu_rsqrt_rcp(v), sfu_rcp(sfu_rsqrt(v)));
    check_same("preex2_ex2", v, sfu_preex2_ex2(v), sfu_ex2(sfu_preex2(v)));
    check_same("presin_sin", v, sfu_presin_sin(v, false), sfu_sin(prepared, false));
    check_same("presin_cos", v, sfu_presin_sin(v, true), sfu_sin(prepared, true));
}

/* Operands in warps with ordinary numbers only, and in warps with special numbers. */
TEST(test_pairs) {
    u32x32 v;
    for (int i = 0; i < 20000; i++) {
        for (uint32_t lane = 0; lane < LANES; lane++)
            v[lane] = 0x3d000000 + (random_word() >> 5);
        check_pairs(v);
        for (uint32_t lane = random_below(LANES); lane < LANES; lane++)
            v[lane] = operand();
        check_pairs(v);
    }
}
