/* Stepping sessions: they give the same bits as an uninterrupted run. Going back to any instruction
 * restores its state. Changes apply from their place on and are forgotten when the session goes
 * back before it. The caller's warp stays as it was. */
#include "shader/stepper.h"
#include "tests/shader/fermi_stage.h"
#include "tests/shader/block_case.h"

/* Reads each memory before writing it, so that a memory that is not restored changes the result. */
static const char memories_text[] = "mov b32 $r1 b32 s[0x10]\nadd b32 $r1 $r1 $r0\n"
                                    "st b32 s[0x10] $r1\nmov b32 $r2 0\nld b32 $r3 g0[$r2]\n"
                                    "add b32 $r3 $r3 1\nst b32 g0[$r2] $r3\n"
                                    "ld lock $c0 $r4 b32 s[0x20]\n(c $c0) add b32 $r4 $r4 $r1\n"
                                    "(c $c0) st unlock b32 s[0x20] $r4\nld b32 $r5 l[0x8]\n"
                                    "add b32 $r5 $r5 2\nst b32 l[0x8] $r5\nexit nop\n";

enum { MANY = 1000 };

/* The state of a warp that its program can see. */
struct sight {
    u32x32 r[CASE_REGS], local[CASE_LOCAL / 4], out[CASE_OUT];
    uint32_t pc, active, stack_top;
};

static struct sight look(const struct warp *w) {
    struct sight s = {.pc = w->pc, .active = w->active, .stack_top = w->stack_top};
    memcpy(s.r, w->r, sizeof s.r);
    memcpy(s.local, w->local, sizeof s.local);
    memcpy(s.out, w->out, sizeof s.out);
    return s;
}

TEST(test_as_run_at_once) {
    CASE(c, PROGRAM_VP, LOOP_TEXT);
    const struct sight start = look(c.w);
    struct stepper *s = stepper_create(c.w, &c.env);
    assert_non_null(s);
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_status(s), WARP_DONE);
    const uint64_t count = stepper_count(s);
    assert_int_equal(stepper_step(s), WARP_DONE); /* the warp has ended */
    assert_int_equal(stepper_count(s), count);
    const struct sight untouched = look(c.w), stepped = look(stepper_warp(s));
    assert_memory_equal(&start, &untouched, sizeof start);
    case_run(&c);
    const struct sight run = look(c.w);
    for (int lane = 0; lane < LANES; lane++) {
        assert_int_equal(run.out[0][lane], (uint32_t)((lane + 1) * (lane + 2) / 2));
        assert_int_equal(stepped.out[0][lane], run.out[0][lane]);
    }
    assert_memory_equal(stepped.r, run.r, sizeof run.r);
    stepper_destroy(s);
}

static void go_back(enum program_type type, const char *text, uint64_t least) {
    static struct sight seen[MANY];
    uint32_t words[4] = {7, 8, 9, 10};
    CASE(c, type, text);
    c.g[0] = (struct global_view){.data = (uint8_t *)words, .limit = sizeof words};
    struct stepper *s = stepper_create(c.w, &c.env);
    uint64_t n = 0;
    do
        seen[n++] = look(stepper_warp(s));
    while (stepper_step(s) == WARP_RUNNING && n < MANY);
    assert_in_range(n, least, MANY - 1);
    for (uint64_t i = n - 1, k = 0; k < n; k++, i = (i * 7 + 3) % n) {
        stepper_goto(s, i);
        assert_int_equal(stepper_count(s), i);
        const struct sight now = look(stepper_warp(s));
        assert_memory_equal(&now, &seen[i], sizeof now);
    }
    stepper_destroy(s);
}

TEST(test_back_to_every_instruction) {
    go_back(PROGRAM_VP, LOOP_TEXT, 100);
    go_back(PROGRAM_CP, memories_text, 13);
}

TEST(test_changes_belong_to_their_place) {
    CASE(c, PROGRAM_VP, LOOP_TEXT);
    struct stepper *s = stepper_create(c.w, &c.env);
    const struct stepper_edit ten = {STEPPER_R, 2, 1u << 5, 10}, none = {STEPPER_R, 100, 1, 1};
    stepper_goto(s, 2); /* $r2 is 0 everywhere */
    assert_true(stepper_set(s, &ten));
    assert_false(stepper_set(s, &none)); /* the program lacks the register */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21 + 10);
    assert_int_equal(stepper_warp(s)->out[0][6], 28);
    stepper_goto(s, 2); /* the place of the change itself */
    assert_int_equal(stepper_warp(s)->r[2][5], 10);
    stepper_goto(s, 4); /* behind the change, which is applied again on the way */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21 + 10);
    stepper_goto(s, 1); /* before the change, which is forgotten */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21);
    stepper_destroy(s);
}

/* State that can be changed in chosen lanes: registers of the program, $a1 to $a4, $c0 to $c3 with
 * four flags each, and words of o[] and l[]. */
TEST(test_what_can_be_set) {
    static const struct {
        enum stepper_space space;
        uint32_t row;
        bool right;
    } rows[] = {{STEPPER_R, 0, true},
                {STEPPER_R, CASE_REGS - 1, true},
                {STEPPER_R, CASE_REGS, false},
                {STEPPER_A, 0, false},
                {STEPPER_A, 1, true},
                {STEPPER_A, 4, true},
                {STEPPER_A, 5, false},
                {STEPPER_C, 0, true},
                {STEPPER_C, 3, true},
                {STEPPER_C, 4, false},
                {STEPPER_OUT, CASE_OUT - 1, true},
                {STEPPER_OUT, CASE_OUT, false},
                {STEPPER_LOCAL, 0, true},
                {STEPPER_LOCAL, CASE_LOCAL / 4 - 1, true},
                {STEPPER_LOCAL, CASE_LOCAL / 4, false}};
    const lane_mask some = 0x80000421;
    CASE(c, PROGRAM_VP, LOOP_TEXT);
    struct stepper *s = stepper_create(c.w, &c.env);
    const struct warp *w = stepper_warp(s);
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (uint32_t value = 0; value < 32; value++) {
            const uint32_t row = rows[i].row, word = value * 0x10801;
            const bool flags = rows[i].space == STEPPER_C;
            const struct stepper_edit other = {rows[i].space, row, LANES_ALL,
                                               flags ? ~value : ~word};
            const struct stepper_edit edit = {rows[i].space, row, some, flags ? value : word};
            if (stepper_set(s, &other) != rows[i].right || stepper_set(s, &edit) != rows[i].right)
                fail_msg("space %d, row %u", rows[i].space, row);
            for (uint32_t lane = 0; lane < LANES && rows[i].right; lane++) {
                const uint32_t want = some >> lane & 1 ? edit.value : other.value;
                const uint32_t got = rows[i].space == STEPPER_R     ? w->r[row][lane]
                                     : rows[i].space == STEPPER_A   ? w->a[row][lane]
                                     : rows[i].space == STEPPER_OUT ? w->out[row][lane]
                                     : flags ? flags_of_lane(&w->c[row & 3], lane)
                                             : w->local[row][lane];
                assert_int_equal(got, flags                        ? want & 15
                                      : rows[i].space == STEPPER_A ? want & 0xffff
                                                                   : want);
            }
        }
    stepper_destroy(s);
}

/* Emitted vertices are counted for each lane but go nowhere. Going back takes them off the
 * count. */
TEST(test_emitted) {
    struct warp_case c;
    case_open(
        &c, PROGRAM_GP,
        "mov b32 $r9 4\nemit\nemit\nrestart\nset $c0 # l u32 $r0 $r9\n(e $c0) bra #E\nemit\nE: exit nop\n");
    c.w->emit = NULL;
    struct stepper *s = stepper_create(c.w, &c.env);
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_status(s), WARP_DONE);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(stepper_emitted(s, lane), lane < 4 ? 3 : 2);
    stepper_goto(s, 2);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(stepper_emitted(s, lane), 1);
    stepper_destroy(s);
    case_close(&c);
}

TEST(test_global_memory_is_a_copy) {
    uint32_t memory[4] = {1, 2, 3, 4}, word;
    CASE(c, PROGRAM_CP, "mov b32 $r1 0x4\nmov b32 $r2 0x63\nst b32 g0[$r1] $r2\nexit nop\n");
    c.g[0] = (struct global_view){.data = (uint8_t *)memory, .limit = sizeof memory};
    struct stepper *s = stepper_create(c.w, &c.env);
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_status(s), WARP_DONE);
    assert_true(stepper_global(s, 0, 4, &word));
    assert_int_equal(word, 0x63);
    assert_int_equal(memory[1], 2);
    stepper_goto(s, 0);
    assert_true(stepper_global(s, 0, 4, &word));
    assert_int_equal(word, 2);
    assert_false(stepper_global(s, 0, 13, &word));
    stepper_destroy(s);
}

/* ---- blocks ---- */

/* Four warps: all count in s[0x40] under a lock; warp 1 spins until warp 0, much later, writes
 * s[0x60]; warp 3 ends before the last barrier. Each keeps a value in l[]. */
static const char block_text[] =
    "mov $r1 $physid\nshr u32 $r1 $r1 8\nmov b32 $r2 0xff\nand b32 $r1 $r1 $r2\n" /* $r1: warp */
    "mov b32 $r3 5\nld b32 $r4 l[0x8]\nadd b32 $r4 $r4 $r0\nst b32 l[0x8] $r4\n"
    /* all: add to s[0x40], in any order */
    "mov b32 $r5 0x1\nmov b32 $r8 0x40\n"
    "A: ld lock $c0 $r6 b32 s[0x40]\n(c $c0) add b32 $r6 $r6 $r5\n(c $c0) st unlock b32 s[0x40] $r6\n"
    "bar inc wait 0x1 all\nld $r7 b32 s[0x40]\n"
    /* warp 0 passes a value to warp 1 */
    "mov b32 $r9 2\nsub b32 $c1 # $r1 $r9\njoinat #J\n(ge $c1) bra #J\n"
    "and b32 $c2 # $r1 $r1\njoinat #K\n(e $c2) bra #W\n"
    "S: ld $r10 b32 s[0x60]\nand b32 $c3 # $r10 $r10\n(e $c3) bra #S\nbra #K\n"
    "W: mov b32 $r11 9000\nmov b32 $r12 0xffffffff\n"
    "D: add b32 $c3 $r11 $r11 $r12\n(lg $c3) bra #D\nmov b32 $r10 77\nst b32 s[0x60] $r10\n"
    "K: join nop\nbar inc wait 0x2 0x2\nJ: join nop\n"
    "mov b32 $r9 3\nsub b32 $c1 # $r1 $r9\n(e $c1) ret\nbar inc wait 0x3 all\n"
    "ld $r13 b32 s[0x60]\nld b32 $r14 l[0x8]\nshl b32 $r15 $r0 2\nst b32 g0[$r15] $r13\nexit nop\n";

enum { WARPS = 4, BLOCK_ROWS = 16 };

/* The final state of each warp of a block, and sessions that were created at the start of the
 * block. */
struct block_sight {
    struct stepper *s[WARPS];
    u32x32 r[WARPS][BLOCK_ROWS];
    uint64_t executed[WARPS];
};

static void at_start(void *self, const struct warp *w, uint32_t count, const struct warp_env *env) {
    struct block_sight *b = self;
    assert_int_equal(count, WARPS);
    for (uint32_t i = 0; i < count; i++) {
        b->s[i] = stepper_create_block(w, count, i, env);
        assert_non_null(b->s[i]);
    }
}

static void at_end(void *self, const struct warp *w, const struct warp_env *env) {
    struct block_sight *b = self;
    (void)env;
    memcpy(b->r[w->warp_id], w->r, sizeof b->r[0]);
    b->executed[w->warp_id] = w->executed;
}

/* A session must reach the state that its warp had among the others, from the start and once more.
 * Only the spinning warp 1 may take another number of steps. */
static void step_through(struct block_sight *b, uint32_t i) {
    uint32_t word;
    for (int again = 0; again < 2; again++) {
        stepper_goto(b->s[i], 0);
        assert_int_equal(stepper_count(b->s[i]), 0);
        for (uint32_t n = 0; stepper_status(b->s[i]) == WARP_RUNNING && n < 60000; n++)
            stepper_step(b->s[i]);
        assert_int_equal(stepper_status(b->s[i]), WARP_DONE);
        if (i != 1)
            assert_int_equal(stepper_count(b->s[i]), b->executed[i]);
        assert_int_equal(stepper_step(b->s[i]), WARP_DONE);
        for (uint32_t row = 0; row < BLOCK_ROWS; row++)
            if (memcmp(&stepper_warp(b->s[i])->r[row], &b->r[i][row], sizeof b->r[i][row]))
                fail_msg("warp %u: $r%u is %x, not %x", i, row, stepper_warp(b->s[i])->r[row][0],
                         b->r[i][row][0]);
        assert_true(stepper_global(b->s[i], 0, 4 * LANES * i, &word));
        assert_int_equal(word, i == 3 ? 0 : 77);
    }
    stepper_destroy(b->s[i]);
}

TEST(test_blocks) {
    static struct block_sight sight;
    static uint32_t words[WARPS * LANES];
    const struct warp_observer observer = {.self = &sight, .end = at_end, .cta = at_start};
    struct global_view g[16] = {{.data = (uint8_t *)words, .limit = sizeof words}};
    struct block_case b;
    struct cta_error error;
    block_open(&b, block_text, (uint32_t[3]){WARPS * LANES, 1, 1}, &observer);
    b.env.g = g;
    if (block_run(&b, &error)) {
        char text[128];
        warp_error_print(&error.warp, text, sizeof text);
        fail_msg("warp %u: %s", error.warp_id, text);
    }
    for (uint32_t i = 0; i < WARPS; i++)
        step_through(&sight, i);
    block_close(&b);
}

/* If a warp waits at a barrier that can no longer open, its session stays at the barrier. */
TEST(test_barriers_that_stay_closed) {
    static const char *const ends[] = {"exit nop\n", "trap\nlong nop\n",
                                       "bar inc wait 0x2 0x3\nexit nop\n"};
    for (int i = 0; i < 3; i++) {
        static struct block_sight sight;
        const struct warp_observer observer = {.self = &sight, .cta = at_start};
        char text[256];
        snprintf(text, sizeof text,
                 "mov b32 $r1 32\nsub b32 $c0 # $r0 $r1\n(ge $c0) bra #O\nbar inc wait 0x1 0x5\n"
                 "exit nop\nO: %s",
                 ends[i]);
        struct block_case b;
        struct cta_error error;
        block_open(&b, text, (uint32_t[3]){WARPS * LANES, 1, 1}, &observer);
        assert_int_equal(block_run(&b, &error), -1);
        stepper_goto(sight.s[0], 100);
        assert_int_equal(stepper_status(sight.s[0]), WARP_WAITING);
        const uint64_t count = stepper_count(sight.s[0]);
        assert_int_equal(stepper_step(sight.s[0]), WARP_WAITING);
        assert_int_equal(stepper_count(sight.s[0]), count);
        for (int k = 0; k < WARPS; k++)
            stepper_destroy(sight.s[k]);
        block_close(&b);
    }
}

/* A session has memory of its own: executing a Fermi program again and again does not change the
 * GPU's memory. compute: the program has no header that says that it writes memory. */
static void step_through_memory(bool compute) {
    struct gpu_memory *const memory = memory_create(1 << 20, -1);
    STAGE(s);
    assert_true(memory && memory_alloc_at(memory, 0x10000, 0x100));
    const uint32_t *const word = (const uint32_t *)memory_at(memory, 0x10000, 4);
    header_begin(s.header, PROGRAM_VP);
    stage_open(&s, simd_best(), false, PROGRAM_VP,
               "mov b32 $r8 0x10000\nmov b32 $r9 0x0\nmov b32 $r12 0x2\n"
               "ld add u32 $r10 g[$r8d] $r12\nld b32 $r11 ca g[$r8d]\nexit\n");
    s.env.memory = memory;
    struct attribute_rows *const rows = s.program->rows;
    if (compute) {
        s.program->rows = NULL;
        s.program->header.writes_memory = false;
    }
    struct stepper *t = stepper_create(s.w, &s.env);
    assert_non_null(t);
    for (int round = 0; round < 3; round++) {
        while (stepper_status(t) == WARP_RUNNING)
            stepper_step(t);
        for (int lane = 0; lane < LANES; lane++)
            assert_int_equal(stepper_warp(t)->r[10][lane], lane * 2);
        assert_int_equal(stepper_warp(t)->r[11][0], 2 * LANES);
        assert_int_equal(*word, 0);
        stepper_goto(t, 0);
    }
    stepper_destroy(t);
    s.program->rows = rows;
    stage_run(&s);
    assert_int_equal(*word, 2 * LANES);
    memory_destroy(memory);
}

TEST(test_memory_of_the_gpu) {
    step_through_memory(false);
    step_through_memory(true);
}

/* A session has locks of its own: the locks of the launch stay as they are, and a session that goes
 * back from a place between lock and unlock finds the lock free again. */
TEST(test_locks_of_memory) {
    static uint32_t locks[WARP_LOCKS], as_before[WARP_LOCKS];
    struct gpu_memory *const memory = memory_create(1 << 20, -1);
    STAGE(s);
    assert_true(memory && memory_alloc_at(memory, 0x10000, 0x100));
    header_begin(s.header, PROGRAM_VP);
    stage_open(&s, simd_best(), false, PROGRAM_VP,
               "mov b32 $r8 0x10000\nA: ld lock b32 $p0 $r10 g[$r8]\n"
               "add b32 $r10 $r10 0x1\n$p0 st unlock b32 g[$r8] $r10\n(not $p0) bra #A\nexit\n");
    s.program->header.writes_memory = true;
    s.env.memory = memory;
    s.env.locks = locks;
    for (int held = 0; held < 2; held++) { /* 1: warps of the launch hold all locks */
        memset(locks, held ? 0x55 : 0, sizeof locks);
        memcpy(as_before, locks, sizeof locks);
        struct stepper *t = stepper_create(s.w, &s.env);
        assert_non_null(t);
        for (int round = 0; round < 3; round++) {
            stepper_goto(t, 3); /* between lock and unlock */
            assert_int_equal(stepper_warp(t)->fermi.p[0], 1);
            stepper_goto(t, round ? UINT64_MAX : 0);
            if (round)
                assert_int_equal(stepper_warp(t)->r[10][LANES - 1], LANES);
            assert_int_equal(stepper_status(t), round ? WARP_DONE : WARP_RUNNING);
            assert_memory_equal(locks, as_before, sizeof locks);
        }
        stepper_destroy(t);
    }
    memory_destroy(memory);
}
