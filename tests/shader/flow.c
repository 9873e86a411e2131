/* Control flow apart from its instructions: predicates, time limits, restarts, floating-point
 * modes, ends of warps, traces. tests/shader/programs/flow.txt has the rules of each
 * instruction. */
#include "base/fp_mode.h"
#include "shader/predicate.h"
#include "shader/trace.h"
#include "tests/shader/warp_case.h"

static lane_mask scalar_flags(unsigned v, int bit) {
    return v >> bit & 1 ? LANES_ALL : 0;
}

/* Bit n of a predicate code accepts less, equal, greater or unordered (tesla-isa.md §5); code 15 -
 * n is the complement of code n. */
TEST(test_predicates) {
    for (unsigned v = 0; v < 16; v++) {
        const struct flags f = {scalar_flags(v, 0), scalar_flags(v, 1), scalar_flags(v, 2),
                                scalar_flags(v, 3)};
        static const unsigned order[] = {4, 2, 1,
                                         8}; /* by S << 1 | Z: greater, equal, less, unordered */
        for (unsigned p = 0; p < 16; p++) {
            assert_int_equal(predicate_lanes(&f, p), ~predicate_lanes(&f, p ^ 15));
            if (!(v & 8))
                assert_int_equal(predicate_lanes(&f, p), p & order[v & 3] ? LANES_ALL : 0);
        }
        for (unsigned p = 0x10; p < 0x14; p++)
            assert_int_equal(predicate_lanes(&f, p), ~predicate_lanes(&f, 0x2f - p));
        assert_int_equal(predicate_lanes(&f, 0x10), f.o);
        assert_int_equal(predicate_lanes(&f, 0x11), f.c);
        assert_int_equal(predicate_lanes(&f, 0x13), f.s);
        assert_int_equal(predicate_lanes(&f, 0x12), f.c & ~f.z);
        assert_int_equal(predicate_lanes(&f, 0x01), (f.s & ~f.z) ^ f.o);
        assert_int_equal(predicate_lanes(&f, 0x04), ~f.z & ~(f.s ^ f.o));
    }
}

TEST(test_restart) {
    CASE(c, PROGRAM_VP, "mov b32 $r2 1\nadd b32 $r1 $r1 $r2\nexit nop\n");
    case_run(&c);
    assert_int_equal(warp_run(c.w, &c.env), WARP_DONE); /* an ended warp stays ended */
    warp_start(c.w, &c.env, 0xff, 0);
    assert_int_equal(c.w->r[1][0], 0);
    case_run(&c);
    assert_int_equal(c.w->r[1][7], 1);
    if (!c.env.native) /* compiled code may write to lanes that were not launched */
        assert_int_equal(c.w->r[1][8], 0);
    warp_start(c.w, &c.env, 0, 0);
    case_run(&c);
}

TEST(test_fp_environment_is_restored) {
    const unsigned before = fp_mode();
    CASE(c, PROGRAM_VP, "mov b32 $r1 0x00000001\nadd f32 $r2 $r1 $r1\nexit nop\n");
    case_run(&c);
    assert_int_equal(fp_mode(), before);
    assert_int_equal(c.w->r[2][0], 0);
}

/* A warp may keep an environment. Programs of a kept environment run in the caller's floating-point
 * mode if the caller set it up for them; all others run in a mode of their own, and the caller gets
 * its mode back. Tesla's denormals are 0 because the mode flushes them. */
TEST(test_kept_fp_environments) {
    enum { PLAIN = FP_PLAIN, FLUSH = FP_PLAIN | FP_FLUSH };
    const unsigned before = fp_mode();
    for (int i = 0; i < 3 * 2 * 2 * 2 * 2 * 2; i++) {
        const int keeps = i % 3; /* keeps no environment, another environment, or env */
        const bool in_fp = i / 3 & 1, flush = i / 6 & 1, launch = i / 12 & 1, fermi = i / 24 & 1;
        CASE_AT(c, simd_best(), PROGRAM_CP, fermi ? ISA_GF100 : ISA_G200, LANES_ALL,
                fermi ? "mov b32 $r2 0x1\nmov b32 $r3 0x1\nadd rn f32 $r1 $r2 $r3\nexit\n"
                      : "mov b32 $r2 0x1\nmov b32 $r3 0x1\nadd f32 $r1 $r2 $r3\nexit nop\n");
        c.env.native = i / 48 ? test_native_get(simd_best()) : NULL;
        const struct warp_env other = c.env;
        const bool own = keeps != 2 || !in_fp;
        warp_keep(c.w, keeps == 2 ? &c.env : keeps == 1 ? &other : NULL, in_fp);
        fp_set_mode(flush ? FLUSH : PLAIN);
        const enum warp_status status =
            launch ? warp_launch(c.w, &c.env, LANES_ALL, 0) : warp_run(c.w, &c.env);
        const unsigned after = fp_mode();
        fp_set_mode(before);
        assert_int_equal(status, WARP_DONE);
        assert_int_equal(after & ~(unsigned)FP_STICKY, (flush ? FLUSH : PLAIN) & ~FP_STICKY);
        if (own && c.w->r[1][7] != (fermi ? 2 : 0))
            fail_msg("case %d: %x", i, c.w->r[1][7]);
        if (!own && !fermi && c.env.native == NULL && c.w->r[1][7] != (flush ? 0 : 2))
            fail_msg("case %d, in the caller's state: %x", i, c.w->r[1][7]);
    }
}

/* However a warp ends, no lane runs, none waits, and running it once more changes nothing. */
TEST(test_ends) {
    static const struct {
        enum program_type type;
        const char *text;
    } rows[] = {
        {PROGRAM_VP, "exit nop\n"},
        {PROGRAM_VP, "ret\n"},
        {PROGRAM_VP, LANE_BIT("1") "(lg $c0) bra #X\nexit nop\nX: exit nop\n"},
        {PROGRAM_VP, "joinat #X\ncall #X\nX: exit nop\n"},
        {PROGRAM_FP, "discard\nlong trap\n"},
        {PROGRAM_FP, "breakaddr #X\njoinat #X\ndiscard\nX: long trap\n"},
        {PROGRAM_FP, LANE_BIT("1") "(lg $c0) discard\n(e $c0) bra #X\nexit nop\nX: exit nop\n"},
        {PROGRAM_FP,
         LANE_BIT("1") "breakaddr #X\n(lg $c0) bra #X\nexit nop\nX: discard\nexit nop\n"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        CASE(c, rows[i].type, rows[i].text);
        for (int again = 0; again < 2; again++) {
            case_run(&c);
            const uint64_t executed = c.w->executed;
            if (c.w->active || c.w->exited != LANES_ALL || c.w->stack_top)
                fail_msg("row %zu: active %x, exited %x, %u entries", i, c.w->active, c.w->exited,
                         c.w->stack_top);
            case_run(&c);
            assert_int_equal(c.w->executed, executed);
        }
    }
}

TEST(test_error_names) {
    static const char *const names[] = {
#define X(e) #e,
        MP_ERROR_LIST(X)
#undef X
    };
    enum { COUNT = LENGTH(names) };
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(mp_error_name((enum mp_error)i), names[i]);
    for (int i = COUNT; i < COUNT + 4; i++)
        assert_string_equal(mp_error_name((enum mp_error)i), "?");
}

TEST(test_trace) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CASE(c, PROGRAM_VP,
         LANE_BIT("1") "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 0x3f800000\n"
                       "J: join nop\nexit nop\n");
    trace_warp(c.w, &c.env, &(struct trace_options){.out = out, .show = 0xf});
    fclose(out);
    assert_non_null(strstr(text, "0x000018  (lg $c0) bra 0x28"));
    assert_non_null(strstr(text, "stack  JOINAT 0x000028 ffffffff  BRANCH 0x000020 55555555"));
    assert_non_null(strstr(text, "$r1       0x3f800000 (1) [0,2]\n"));
    assert_non_null(strstr(text, "ended after 8 instructions"));
    free(text);
}

/* Data that a warp keeps about one environment is not used for another, whether or not the caller
 * has set the floating-point mode. */
TEST(test_what_is_kept) {
    CASE(c, PROGRAM_VP, "mov b32 $r1 0x00400000\nadd f32 $r2 $r1 $r1\nmov b32 $r3 0x5\nexit nop\n");
    struct native *native = test_native_get(c.env.simd); /* NULL in a build without native code */
    struct program *other = case_program(PROGRAM_VP, ISA_GT215, "mov b32 $r3 0x6\nexit nop\n");
    struct warp_env second = c.env;
    second.program = other;
    for (int i = 0; i < 12; i++) {
        const bool in_fp = i & 1, launches = i & 2;
        const struct warp_env *const kept = i / 4 == 0 ? NULL : i / 4 == 1 ? &c.env : &second;
        c.env.native = second.native = native;
        c.w->executed = 0;
        memset(c.w->r, 0, sizeof c.w->r);
        warp_keep(c.w, kept, in_fp);
        for (int k = 0; k < 2; k++) {
            const struct warp_env *const env = k ? &second : &c.env;
            const unsigned saved = in_fp && kept == env ? warp_enter_fp(env) : 0;
            enum warp_status status;
            if (launches) {
                status = warp_launch(c.w, env, LANES_ALL, 0);
            } else {
                warp_start(c.w, env, LANES_ALL, 0);
                status = warp_run(c.w, env);
            }
            if (in_fp && kept == env)
                warp_leave_fp(saved);
            assert_int_equal(status, WARP_DONE);
            assert_int_equal(c.w->active, 0);
            assert_int_equal(c.w->stack_top, 0);
            assert_int_equal(c.w->r[3][7], k ? 6 : 5);
            if (!k)
                assert_int_equal(c.w->r[2][7], 0); /* denormal inputs are flushed to 0 */
        }
    }
    warp_keep(c.w, NULL, false);
    program_unref(other);
}
