/* The rules of control flow (tesla-isa.md §10), one small program each: join and exit, the
 * divergence stack, calls, whole-quad regions, discard, errors with their hardware names. */
#include "base/fp_mode.h"
#include "shader/predicate.h"
#include "shader/trace.h"
#include "tests/shader/warp_case.h"

/* Sets $c0 from (lane number & imm), so that branches on it diverge. */
#define LANE_BIT(imm) "mov b32 $r9 " imm "\nand b32 $c0 # $r0 $r9\n"

static void step(struct warp_case *c, int n) {
    for (int i = 0; i < n; i++)
        assert_int_equal(warp_step(c->w, &c->env), WARP_RUNNING);
}

static void assert_top(const struct warp *w, uint32_t depth, enum stack_type type, uint32_t pc,
                       lane_mask mask) {
    assert_int_equal(w->stack_top, depth);
    assert_int_equal(w->stack[depth - 1].type, type);
    assert_int_equal(w->stack[depth - 1].pc, pc);
    assert_int_equal(w->stack[depth - 1].mask, mask);
}

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

/* Inactive lanes keep their values, including bits that are not canonical floats. */
TEST(test_inactive_lanes_keep_their_bits) {
    FOR_EACH_LEVEL(level) {
        CASE_AT(c, level, PROGRAM_CP, ISA_G200, LANES_ALL,
                "mov b32 $r1 0x7ff2df5e\nmov b32 $r2 0x10\nset $c0 # l u32 $r0 $r2\n"
                "(lg $c0) add rn f32 $r1 $r0 $r0\nexit nop\n");
        case_run(&c);
        assert_int_equal(c.w->r[1][3], 0);
        assert_int_equal(c.w->r[1][16], 0x7ff2df5e);
    }
}

/* At X, $r1 holds 7 in every lane that falls through, but not in lanes that break to X. The code
 * may not assume one value for all lanes. */
TEST(test_one_number_in_all_lanes_on_one_way) {
    FOR_EACH_LEVEL(level) {
        CASE_AT(c, level, PROGRAM_CP, ISA_G200, LANES_ALL,
                "breakaddr #X\nmov b32 $r1 $r0\nset $c0 # e u32 $r0 $r0\n"
                "(lg $c0) break\nmov b32 $r1 7\nX: add b32 $r2 $r1 $r0\nexit nop\n");
        case_run(&c);
        for (uint32_t i = 0; i < LANES; i++)
            assert_int_equal(c.w->r[2][i], 2 * i);
    }
}

TEST(test_divergent_branch) {
    CASE(c, PROGRAM_VP,
         LANE_BIT("1")        /* 00, 08 */
         "joinat #J\n"        /* 10 */
         "(lg $c0) bra #E\n"  /* 18 */
         "mov b32 $r1 7\n"    /* 20 */
         "bra #J\n"           /* 28 */
         "E: mov b32 $r1 8\n" /* 30 */
         "J: join nop\n"      /* 38 */
         "exit nop\n");
    step(&c, 3);
    assert_top(c.w, 1, STACK_JOINAT, 0x38, LANES_ALL);
    step(&c, 1);
    assert_top(c.w, 2, STACK_BRANCH, 0x20, 0x55555555);
    assert_int_equal(c.w->pc, 0x30); /* the taken side runs first */
    assert_int_equal(c.w->active, 0xaaaaaaaa);
    step(&c, 2); /* E, then join switches sides without executing the join's nop */
    assert_int_equal(c.w->pc, 0x20);
    assert_int_equal(c.w->active, 0x55555555);
    step(&c, 3); /* the other side, then join pops JOINAT */
    assert_int_equal(c.w->stack_top, 0);
    assert_int_equal(c.w->active, LANES_ALL);
    assert_int_equal(c.w->pc, 0x40);
    case_run(&c);
    assert_int_equal(c.w->r[1][0], 7);
    assert_int_equal(c.w->r[1][1], 8);
}

TEST(test_uniform_branch_pushes_nothing) {
    CASE(c, PROGRAM_VP,
         "mov b32 $r1 1\nand b32 $c0 # $r1 $r1\n"
         "(e $c0) bra #X\n(lg $c0) bra #Y\nX: trap\nlong nop\n"
         "Y: exit nop\n");
    step(&c, 4);
    assert_int_equal(c.w->stack_top, 0);
    case_run(&c);
}

TEST(test_join_errors) {
    struct warp_case c;
    case_open(&c, PROGRAM_VP, "join nop\nexit nop\n");
    case_fails(&c, MP_STACK_UNDERFLOW, DECODE_OK, 0, LANES_ALL);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "breakaddr #X\njoin nop\nX: exit nop\n");
    case_fails(&c, MP_STACK_MISMATCH, DECODE_OK, 8, LANES_ALL);
    case_close(&c);
}

TEST(test_break) {
    struct warp_case c;
    /* lane n counts to n */
    case_open(&c, PROGRAM_VP,
              "mov b32 $r3 1\n"
              "breakaddr #X\n"
              "H: sub b32 $c0 # $r1 $r0\n"
              "(e $c0) break\n"
              "long add b32 $r1 $r1 $r3\n"
              "bra #H\n"
              "X: mov b32 $r2 5\n"
              "exit nop\n");
    case_run(&c);
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(c.w->r[1][i], i);
        assert_int_equal(c.w->r[2][i], 5);
    }
    case_close(&c);
    case_open(&c, PROGRAM_VP, "joinat #X\nbreak\nX: join nop\nexit nop\n");
    case_fails(&c, MP_STACK_UNDERFLOW, DECODE_OK, 8, LANES_ALL);
    case_close(&c);
}

TEST(test_exit_ignores_predicate) {
    CASE(c, PROGRAM_VP, LANE_BIT("1") "exit (lg $c0) mov b32 $r1 $r0\ntrap\n");
    case_run(&c);
    assert_int_equal(c.w->r[1][2], 0);
    assert_int_equal(c.w->r[1][3], 3);
    assert_int_equal(c.w->exited, LANES_ALL);
}

TEST(test_exit_inside_conditional) {
    CASE(c, PROGRAM_VP,
         LANE_BIT("3") "joinat #J\n(lg $c0) bra #J\n"
                       "mov b32 $r1 1\nexit nop\n"
                       "J: join mov b32 $r2 $r0\nexit nop\n");
    case_run(&c);
    assert_int_equal(c.w->r[1][4], 1);
    assert_int_equal(c.w->r[2][4], 0);
    assert_int_equal(c.w->r[1][5], 0);
    assert_int_equal(c.w->r[2][5], 5);
}

TEST(test_call_and_divergent_return) {
    CASE(c, PROGRAM_VP,
         LANE_BIT("1") "call #F\n"
                       "mov b32 $r2 3\nexit nop\n"
                       "F: (lg $c0) ret\n"
                       "mov b32 $r1 9\n"
                       "ret\n");
    step(&c, 3);
    assert_top(c.w, 1, STACK_CALL, 0x18, LANES_ALL);
    step(&c, 1);
    assert_int_equal(c.w->returned, 0xaaaaaaaa);
    step(&c, 2);
    assert_int_equal(c.w->returned, 0);
    assert_int_equal(c.w->active, LANES_ALL);
    case_run(&c);
    assert_int_equal(c.w->r[1][0], 9);
    assert_int_equal(c.w->r[1][1], 0);
    assert_int_equal(c.w->r[2][1], 3);
}

TEST(test_return_at_top_ends_threads) {
    CASE(c, PROGRAM_VP, LANE_BIT("1") "(lg $c0) ret\nmov b32 $r1 1\nret\ntrap\n");
    case_run(&c);
    assert_int_equal(c.w->r[1][0], 1);
    assert_int_equal(c.w->r[1][1], 0);
}

TEST(test_limited_call) {
    static const uint32_t expected[] = {0, 1, 2, 3, 3};
    for (uint32_t limit = 0; limit < 5; limit++) {
        CASE(c, PROGRAM_VP,
             "mov b32 $r3 1\ncall lim #F\nexit nop\n"
             "F: long add b32 $r1 $r1 $r3\ncall lim #G\nret\n"
             "G: long add b32 $r1 $r1 $r3\ncall lim #K\nret\n"
             "K: long add b32 $r1 $r1 $r3\nret\n");
        c.env.call_limit = limit;
        case_run(&c);
        assert_int_equal(c.w->r[1][0], expected[limit]);
        assert_int_equal(c.w->limited_calls, 0);
    }
}

TEST(test_preret) {
    CASE(c, PROGRAM_VP,
         LANE_BIT("1") "preret #T\n(lg $c0) ret\nmov b32 $r1 1\nret\ntrap\nlong nop\n"
                       "T: mov b32 $r2 2\nexit nop\n");
    case_run(&c);
    assert_int_equal(c.w->r[1][0], 1);
    assert_int_equal(c.w->r[1][1], 0);
    assert_int_equal(c.w->r[2][0], 2);
    assert_int_equal(c.w->r[2][1], 2);
}

TEST(test_indirect_branch) {
    const char *const text = LANE_BIT("1") "shl $a1 $r0 2\n"
                                           "bra c1[$a1+0x0]\n"          /* 18 */
                                           "long trap\n"                /* 20 */
                                           "A: exit mov b32 $r1 $r0\n"  /* 28 */
                                           "B: exit mov b32 $r2 $r0\n"; /* 30 */
    uint32_t table[LANES];
    for (int i = 0; i < LANES; i++)
        table[i] = i % 3 ? 0x28 : 0xff000030;
    CASE(c, PROGRAM_VP, text);
    c.env.c[1] = (struct const_view){(const uint8_t *)table, sizeof table};
    case_run(&c);
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(c.w->r[1][i], i % 3 ? i : 0);
        assert_int_equal(c.w->r[2][i], i % 3 ? 0 : i);
    }
}

TEST(test_quad_region) {
    CASE(c, PROGRAM_FP,
         "mov b32 $r9 5\nsub b32 $c0 # $r0 $r9\n"
         "(lg $c0) ret\n" /* lane 5 alone goes on */
         "quadon\nmov b32 $r1 1\nquadpop\n"
         "mov b32 $r2 1\nexit nop\n");
    step(&c, 4);
    assert_int_equal(c.w->active, 0xf0);
    assert_top(c.w, 1, STACK_QUADON, 0, 0x20);
    step(&c, 2);
    assert_int_equal(c.w->active, 0x20);
    case_run(&c);
    for (int i = 0; i < LANES; i++) {
        assert_int_equal(c.w->r[1][i], i / 4 == 1);
        assert_int_equal(c.w->r[2][i], i == 5);
    }
}

TEST(test_quad_errors) {
    static const char *const inside[] = {
        "bra #X",    "call #X", "ret",      "breakaddr #X", "break",     "quadon",
        "joinat #X", "discard", "exit nop", "join nop",     "preret #X", "(never) bra #X",
    };
    for (size_t i = 0; i < LENGTH(inside); i++) {
        char text[128];
        snprintf(text, sizeof text, "quadon\n%s\nX: quadpop\nexit nop\n", inside[i]);
        CASE(c, PROGRAM_FP, text);
        case_fails(&c, MP_QUADON_ACTIVE, DECODE_OK, 8, LANES_ALL);
    }
    struct warp_case c;
    case_open(&c, PROGRAM_FP, "quadpop\n");
    case_fails(&c, MP_STACK_UNDERFLOW, DECODE_OK, 0, LANES_ALL);
    case_close(&c);
    case_open(&c, PROGRAM_FP, "joinat #X\nX: quadpop\n");
    case_fails(&c, MP_STACK_MISMATCH, DECODE_OK, 8, LANES_ALL);
    case_close(&c);
}

TEST(test_discard) {
    struct warp_case c;
    case_open(&c, PROGRAM_FP, LANE_BIT("1") "(lg $c0) discard\nmov b32 $r1 1\nexit nop\n");
    case_run(&c);
    assert_int_equal(c.w->dead, 0xaaaaaaaa);
    assert_int_equal(c.w->r[1][1], 1); /* the lane goes on as a helper */
    case_close(&c);
    case_open(&c, PROGRAM_FP, "discard\nlong trap\n"); /* no live lane is left */
    case_run(&c);
    assert_int_equal(c.w->dead, LANES_ALL);
    assert_int_equal(c.w->executed, 1);
    case_close(&c);
    /* lanes 4 and up exit; the helper lanes 0..3 alone do not keep the warp running */
    case_open(&c, PROGRAM_FP,
              "mov b32 $r9 4\nsub b32 $c0 # $r0 $r9\n(l $c0) bra #H\n"
              "exit nop\nH: trap\nlong trap\n");
    warp_start(c.w, &c.env, LANES_ALL, 0xf);
    c.w->r[0] = lanes_iota();
    c.w->r[9] = lanes_splat(4);
    /* the taken side, the helpers', is first */
    assert_int_equal(warp_run(c.w, &c.env), WARP_ERROR);
    case_close(&c);
    case_open(&c, PROGRAM_FP,
              "mov b32 $r9 4\nsub b32 $c0 # $r0 $r9\n(ge $c0) bra #H\n"
              "long trap\nH: exit nop\nlong trap\n");
    warp_start(c.w, &c.env, LANES_ALL, 0xf);
    c.w->r[0] = lanes_iota();
    case_run(&c);
    case_close(&c);
}

TEST(test_traps) {
    struct warp_case c;
    case_open(&c, PROGRAM_VP, LANE_BIT("1") "(lg $c0) bra #X\nexit nop\nX: trap\nlong nop\n");
    case_fails(&c, MP_DECODE_ERROR, DECODE_TRAP_INSTRUCTION, 0x20, 0xaaaaaaaa);
    char text[128];
    warp_error_print(&c.w->error, text, sizeof text);
    assert_string_equal(text, "DECODE_ERROR TRAP_INSTRUCTION at 0x000020, warp 0, lanes aaaaaaaa");
    case_close(&c);
    case_open(&c, PROGRAM_VP, "long nop\nlong nop\n"); /* runs off the end */
    case_fails(&c, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE, 0x10, LANES_ALL);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "bra 0xfffffc\n");
    case_fails(&c, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE, 0xfffffc, LANES_ALL);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "long nop\n.b32 0xf0000001 0xa0000780\n");
    case_fails(&c, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE, 8, LANES_ALL);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "brkpt\nlong exit nop\n");
    case_run(&c);
    case_close(&c);
}

/* With a time limit, a warp goes on after its instruction budget, unless another warp has used up
 * the time. */
TEST(test_overtime) {
    for (uint32_t spent = 0; spent < 2; spent++) {
        uint32_t overtime = spent;
        CASE(c, PROGRAM_VP,
             "mov b32 $r1 0\nmov b32 $r2 1\nmov b32 $r3 50000\n"
             "H: add b32 $r1 $r1 $r2\nsub b32 $c0 $r4 $r1 $r3\n(l $c0) bra #H\n"
             "exit nop\n");
        c.env.budget = 1000;
        c.env.overtime = &overtime;
        assert_int_equal(warp_run(c.w, &c.env), spent ? WARP_ERROR : WARP_DONE);
        assert_int_equal(c.w->error.code, spent ? MP_TIMEOUT : MP_NONE);
        assert_int_equal(c.w->r[1][7] == 50000, !spent);
        assert_int_equal(c.w->executed > 100000, !spent);
    }
}

TEST(test_budget) {
    CASE(c, PROGRAM_VP, "H: long nop\nlong nop\nbra #H\n");
    c.env.budget = 1000;
    case_fails(&c, MP_TIMEOUT, DECODE_OK, 8, LANES_ALL);
    assert_int_equal(c.w->executed, 1000);
    assert_int_equal(c.w->stats.instructions, 1000);
    assert_int_equal(c.w->stats.lane_instructions, 32000);
}

TEST(test_stack_limits) {
    struct warp_case c;
    case_open(&c, PROGRAM_VP, "H: joinat #H\nbra #H\n");
    case_fails(&c, MP_STACK_OVERFLOW, DECODE_OK, 0, LANES_ALL);
    assert_int_equal(c.w->stack_top, WARP_STACK_MAX);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "H: call #H\n");
    c.env.stack_limit = 4;
    case_fails(&c, MP_STACK_OVERFLOW, DECODE_OK, 0, LANES_ALL);
    assert_int_equal(c.w->executed, 5);
    case_close(&c);
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
        const int keeps = i % 3; /* keeps no environment, another one, or this one */
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
