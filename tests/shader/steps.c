/* Recorded steps of a warp: at each place the cursor shows the registers, masks and stack of a
 * session that was stepped there. Guards, waiting lanes and their reasons follow from the rules of
 * tesla-isa.md §10. The record outlives the program. */
#include "shader/steps.h"
#include "tests/shader/block_case.h"

static uint32_t row_named(const struct warp_steps *s, const char *name) {
    for (uint32_t i = 0; i < steps_rows(s); i++)
        if (strcmp(steps_row_name(s, i), name) == 0)
            return i;
    fail_msg("no row %s", name);
    return 0;
}

static void same_as_session(const struct warp_steps *s, const struct stepper *stepper) {
    const struct warp *w = stepper_warp(stepper);
    struct steps_entry entry[WARP_STACK];
    const uint32_t first = row_named(s, "$r0"), l = row_named(s, "l[0x4]"),
                   o = row_named(s, "o[0x0]");
    for (uint32_t i = 0; i < CASE_REGS; i++)
        assert_memory_equal(steps_row(s, first + i), &w->r[i], sizeof w->r[i]);
    assert_memory_equal(steps_row(s, l), &w->local[1], sizeof w->local[1]);
    assert_memory_equal(steps_row(s, o), &w->out[0], sizeof w->out[0]);
    assert_int_equal(steps_mask(s, STEPS_ACTIVE), w->active);
    assert_int_equal(steps_mask(s, STEPS_BROKE), w->broke);
    assert_int_equal(steps_mask(s, STEPS_EXITED), w->exited);
    assert_int_equal(steps_mask(s, STEPS_FLAGS), w->c[0].z);
    assert_int_equal(steps_mask(s, STEPS_FLAGS + 1), w->c[0].s);
    const bool over = stepper_status(stepper) == WARP_DONE;
    assert_int_equal(steps_pc(s), over ? STEPS_NOWHERE : w->pc);
    assert_int_equal(steps_stack(s, entry, WARP_STACK), w->stack_top);
    for (uint32_t i = 0; i < w->stack_top; i++) {
        const struct stack_entry *e = &w->stack[w->stack_top - 1 - i];
        assert_true(entry[i].type == e->type && entry[i].pc == e->pc && entry[i].mask == e->mask);
    }
}

/* In lane 3, $r2 sums 4, 3, 2 and 1; the sums are known at any later place. */
static void check_values(struct warp_steps *s) {
    static const uint32_t sums[] = {4, 7, 9, 10};
    for (uint32_t later = 0; later < 2; later++) {
        uint32_t round = 0;
        for (uint32_t i = 0; i < steps_count(s); i++) {
            uint32_t before[LANES], after[LANES], value;
            steps_goto(s, i + 1);
            const char *text = steps_code_get(s, steps_code_at(s, steps_get(s, i)->pc))->text;
            if (!strstr(text, "$r2 $r2 $r1") || round == LENGTH(sums))
                continue;
            const uint32_t row = steps_change(s, i, 0, before, after);
            assert_string_equal(steps_row_name(s, row), "$r2");
            if (later)
                steps_goto(s, UINT32_MAX);
            assert_int_equal(steps_value(s, i, 0, 3, &value), row);
            assert_int_equal(value, sums[round++]);
        }
        assert_int_equal(round, LENGTH(sums));
    }
}

TEST(test_every_place_as_stepped) {
    struct warp_case c;
    const char *fault;
    case_open(&c, PROGRAM_VP, LOOP_TEXT);
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 0);
    struct stepper *stepper = stepper_create(c.w, &c.env);
    assert_non_null(s);
    assert_int_equal(steps_end(s, &fault), WARP_DONE);
    assert_string_equal(fault, "");
    const uint32_t count = steps_count(s);
    stepper_goto(stepper, UINT64_MAX);
    assert_int_equal(stepper_count(stepper), count);
    for (uint32_t i = 0, k = 0; k <= count; k++, i = (i * 7 + 3) % (count + 1)) {
        stepper_goto(stepper, i);
        steps_goto(s, i);
        assert_int_equal(steps_at(s), i);
        same_as_session(s, stepper);
        if (i < count) {
            assert_int_equal(steps_get(s, i)->pc, stepper_warp(stepper)->pc);
            assert_int_equal(steps_get(s, i)->active, stepper_warp(stepper)->active);
            assert_int_equal(steps_get(s, i)->depth, stepper_warp(stepper)->stack_top);
        }
    }
    steps_goto(s, UINT32_MAX);
    assert_int_equal(steps_at(s), count);
    check_values(s);
    assert_true(steps_row_used(s, row_named(s, "l[0x4]")));
    assert_true(steps_row_used(s, row_named(s, "$r0")));
    assert_false(steps_row_used(s, row_named(s, "l[0x8]")));
    assert_true(steps_mask_used(s, STEPS_BROKE));
    assert_false(steps_mask_used(s, STEPS_RETURNED));
    stepper_destroy(stepper);
    case_close(&c); /* the record stays valid */
    steps_goto(s, 0);
    assert_string_equal(steps_program(s), "test");
    assert_int_equal(steps_code_count(s), 12);
    const uint32_t at = steps_code_at(s, steps_get(s, 2)->pc);
    assert_non_null(strstr(steps_code_get(s, at)->text, "breakaddr"));
    assert_true(strlen(steps_code_get(s, at)->sentence) > 10);
    assert_int_equal(steps_code_at(s, 2), steps_code_count(s));
    steps_free(s);
}

/* The changes of a step, asked for with the cursor before and behind the step. */
TEST(test_changes) {
    uint32_t before[LANES], after[LANES];
    CASE(c, PROGRAM_VP, LANE_BIT("1") "(lg $c0) add b32 $r1 $r0 $r9\nexit nop\n");
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 0);
    const struct warp_step *step = steps_get(s, 2);
    assert_int_equal(steps_count(s), 4);
    assert_int_equal(steps_get(s, 0)->guard, LANES_ALL);
    assert_int_equal(step->active, LANES_ALL);
    assert_int_equal(step->guard, 0xaaaaaaaa);
    assert_int_equal(step->changes, 1);
    for (uint32_t at = 2; at <= 3; at++) {
        steps_goto(s, at);
        assert_string_equal(steps_row_name(s, steps_change(s, 2, 0, before, after)), "$r1");
        for (uint32_t i = 0; i < LANES; i++) {
            assert_int_equal(before[i], 0);
            assert_int_equal(after[i], i & 1 ? i + 1 : 0);
        }
    }
    steps_free(s);
}

static void check_lane(const struct warp_steps *s, unsigned lane, enum steps_state state,
                       uint32_t pc, uint32_t entry) {
    const struct steps_lane l = steps_lane(s, lane);
    if (l.state != state || l.pc != pc || l.entry != entry)
        fail_msg("after %u steps lane %u %s, at %x, entry %x", steps_at(s), lane,
                 steps_state_name(l.state), l.pc, l.entry);
}

TEST(test_who_waits_where) {
    struct steps_entry entry[2];
    CASE_AT(c, simd_best(), PROGRAM_VP, ISA_GT215, 0x7fffffff,
            LANE_BIT("1")        /* 00, 08 */
            "joinat #J\n"        /* 10 */
            "(lg $c0) bra #E\n"  /* 18 */
            "mov b32 $r1 7\n"    /* 20 */
            "bra #J\n"           /* 28 */
            "E: mov b32 $r1 8\n" /* 30 */
            "J: join nop\n"      /* 38 */
            "exit nop\n");
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 0);
    steps_goto(s, 4); /* the odd lanes are at E */
    check_lane(s, 1, LANE_RUNS, 0x30, STEPS_NOWHERE);
    check_lane(s, 2, LANE_OTHER_WAY, 0x20, 0);
    check_lane(s, 31, LANE_UNUSED, STEPS_NOWHERE, STEPS_NOWHERE);
    assert_int_equal(steps_stack(s, entry, 2), 2);
    assert_true(entry[0].type == STACK_BRANCH && entry[1].type == STACK_JOINAT);
    assert_int_equal(entry[0].waiting, 0x55555555);
    assert_int_equal(entry[1].waiting, 0);
    assert_int_equal(steps_get(s, 5)->guard, 0); /* the join switches to the other way */
    steps_goto(s, 6);
    check_lane(s, 1, LANE_MEETS, 0x38, 0);
    check_lane(s, 2, LANE_RUNS, 0x20, STEPS_NOWHERE);
    assert_int_equal(steps_stack(s, entry, 2), 1);
    assert_int_equal(entry[0].waiting, 0x2aaaaaaa);
    steps_goto(s, steps_count(s));
    check_lane(s, 1, LANE_ENDED, STEPS_NOWHERE, STEPS_NOWHERE);
    steps_free(s);
}

TEST(test_loops_and_calls) {
    struct warp_case c;
    case_open(&c, PROGRAM_VP, LOOP_TEXT);
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 0);
    steps_goto(s, 8); /* lane 0 has left the loop */
    assert_int_equal(steps_mask(s, STEPS_BROKE), 1);
    const uint32_t end = steps_get(s, steps_count(s) - 3)->pc;
    check_lane(s, 0, LANE_LEFT_LOOP, end, 0);
    check_lane(s, 1, LANE_RUNS, steps_get(s, 8)->pc, STEPS_NOWHERE);
    steps_free(s);
    case_close(&c);
    case_open(&c, PROGRAM_VP,
              LANE_BIT("1") "call #F\nexit nop\n"
                            "F: (lg $c0) ret\nmov b32 $r1 9\nret\n");
    s = steps_of_warp(c.w, &c.env, 0);
    steps_goto(s, 4);
    check_lane(s, 1, LANE_RETURNED, 0x18, 0);
    check_lane(s, 2, LANE_RUNS, steps_get(s, 4)->pc, STEPS_NOWHERE);
    steps_free(s);
    case_close(&c);
}

/* A Fermi program: predicates, and lanes that continue with the next round of a loop. */
TEST(test_fermi) {
    const char *fault;
    CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, LANES_ALL,
            "mov b32 $r1 0x0\nprebrk #END\n"
            "L: precont #NEXT\nset $p0 0x1 ge u32 $r1 $r0\n$p0 brk\n"
            "set $p1 0x1 lt u32 $r0 0x10\n$p1 cont\nadd b32 $r2 $r2 $r1\ncont\n"
            "NEXT: add b32 $r1 $r1 0x8\nbra #L\nEND: exit\n");
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 0);
    assert_non_null(s);
    const lane_mask few = 0xfffe; /* lanes 1 to 15 continue */
    steps_goto(s, 7);
    assert_int_equal(steps_get(s, 4)->guard, 1);
    assert_int_equal(steps_get(s, 6)->guard, few);
    assert_int_equal(steps_mask(s, STEPS_PREDICATES), 1);
    assert_int_equal(steps_mask(s, STEPS_CONTINUED), few);
    check_lane(s, 16, LANE_RUNS, steps_get(s, 7)->pc, STEPS_NOWHERE);
    assert_int_equal(steps_lane(s, 0).state, LANE_LEFT_LOOP);
    const struct steps_lane l = steps_lane(s, 1);
    assert_int_equal(l.state, LANE_NEXT_ROUND);
    assert_non_null(strstr(steps_code_get(s, steps_code_at(s, l.pc))->text, "0x8"));
    assert_int_equal(steps_end(s, &fault), WARP_DONE);
    steps_free(s);
}

/* A record is cut after the given number of steps and says so. A fault is its last step. */
TEST(test_ends) {
    struct warp_case c;
    const char *fault;
    case_open(&c, PROGRAM_VP, LOOP_TEXT);
    struct warp_steps *s = steps_of_warp(c.w, &c.env, 20);
    assert_int_equal(steps_count(s), 20);
    assert_int_equal(steps_end(s, &fault), WARP_RUNNING);
    assert_non_null(strstr(fault, "20 steps"));
    steps_goto(s, 20);
    assert_true(steps_pc(s) != STEPS_NOWHERE);
    check_lane(s, 31, LANE_RUNS, steps_pc(s), STEPS_NOWHERE);
    steps_free(s);
    case_close(&c);
    case_open(&c, PROGRAM_VP, "mov b32 $r1 1\ntrap\nlong nop\n");
    s = steps_of_warp(c.w, &c.env, 0);
    assert_int_equal(steps_end(s, &fault), WARP_ERROR);
    assert_non_null(strstr(fault, "TRAP_INSTRUCTION"));
    assert_int_equal(steps_count(s), 2);
    steps_free(s);
    case_close(&c);
}

/* ---- blocks ---- */

static struct warp_steps *caught;

static void at_start(void *self, const struct warp *w, uint32_t count, const struct warp_env *env) {
    (void)self;
    caught = steps_of_block(w, count, 0, env, 0);
}

/* Records the steps of the first of two warps. */
static struct warp_steps *run_block(const char *text) {
    const struct warp_observer observer = {.cta = at_start};
    struct block_case b;
    struct cta_error error;
    block_open(&b, text, (uint32_t[3]){16, 4, 1}, &observer);
    caught = NULL;
    block_run(&b, &error);
    block_close(&b);
    assert_non_null(caught);
    return caught;
}

/* The recorded warp passes barriers that all other warps reach, and waits at others. */
TEST(test_barriers) {
    const char *fault;
    char name[32];
    struct warp_steps *s = run_block("bar inc wait 0x1 all\nmov b32 $r1 5\nexit nop\n");
    assert_int_equal(steps_end(s, &fault), WARP_DONE);
    steps_goto(s, steps_count(s));
    assert_int_equal(steps_row(s, row_named(s, "$r1"))[3], 5);
    steps_lane_name(s, 18, name, sizeof name);
    assert_string_equal(name, "thread 2,1,0");
    steps_free(s);
    s = run_block("mov b32 $r1 5\nbar inc wait 0x2 0x5\nexit nop\n");
    assert_int_equal(steps_end(s, &fault), WARP_WAITING);
    assert_non_null(strstr(fault, "barrier 2"));
    assert_int_equal(steps_count(s), 1);
    check_lane(s, 4, LANE_RUNS, 0, STEPS_NOWHERE);
    steps_goto(s, 1);
    check_lane(s, 4, LANE_BARRIER, 8, STEPS_NOWHERE);
    steps_free(s);
}
