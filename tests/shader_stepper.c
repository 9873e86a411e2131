/* Stepping sessions: the same bits as running at once, going back to any instruction gives the state
 * that was there, changes apply from their place on and are forgotten when it is passed backwards,
 * and the warp that was handed over stays as it was.
 */
#include "shader/stepper.h"
#include "tests/fences.h"
#include "tests/warp_case.h"

/* A loop that each lane leaves after its own number of rounds; sums in l[] and $r2, then o[]. */
static const char program_text[] = "add b32 $r1 $r0 1\n"
                                   "mov b32 $r2 0\n"
                                   "breakaddr #END\n"
                                   "LOOP: add b32 $r2 $r2 $r1\n"
                                   "st b32 l[0x4] $r2\n"
                                   "add b32 $r1 $r1 0xffffffff\n"
                                   "long and b32 $c0 # $r1 $r1\n"
                                   "(e $c0) break\n"
                                   "bra #LOOP\n"
                                   "END: ld b32 $r3 l[0x4]\n"
                                   "mov b32 o[0x0] $r3\n"
                                   "exit nop\n";

/* What each memory held before is in what it holds then. */
static const char memories_text[] = "mov b32 $r1 b32 s[0x10]\n"
                                    "add b32 $r1 $r1 $r0\n"
                                    "st b32 s[0x10] $r1\n"
                                    "mov b32 $r2 0\n"
                                    "ld b32 $r3 g0[$r2]\n"
                                    "add b32 $r3 $r3 1\n"
                                    "st b32 g0[$r2] $r3\n"
                                    "ld lock $c0 $r4 b32 s[0x20]\n"
                                    "(c $c0) add b32 $r4 $r4 $r1\n"
                                    "(c $c0) st unlock b32 s[0x20] $r4\n"
                                    "ld b32 $r5 l[0x8]\n"
                                    "add b32 $r5 $r5 2\n"
                                    "st b32 l[0x8] $r5\n"
                                    "exit nop\n";

enum { MANY = 1000 };

/* Everything a program can see of a warp. */
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

static void test_as_run_at_once(void **state) {
    (void)state;
    struct warp_case c;
    case_open(&c, PROGRAM_VP, program_text);
    const struct sight start = look(c.w);
    struct stepper *s = stepper_create(c.w, &c.env);
    assert_non_null(s);
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_status(s), WARP_DONE);
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
    case_close(&c);
}

static void go_back(enum program_type type, const char *text, uint64_t least) {
    static struct sight seen[MANY];
    uint32_t words[4] = {7, 8, 9, 10};
    struct warp_case c;
    case_open(&c, type, text);
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
    case_close(&c);
}

static void test_back_to_every_instruction(void **state) {
    (void)state;
    go_back(PROGRAM_VP, program_text, 100);
    go_back(PROGRAM_CP, memories_text, 13);
}

static void test_changes_belong_to_their_place(void **state) {
    (void)state;
    struct warp_case c;
    case_open(&c, PROGRAM_VP, program_text);
    struct stepper *s = stepper_create(c.w, &c.env);
    const struct stepper_edit ten = {STEPPER_R, 2, 1u << 5, 10}, none = {STEPPER_R, 100, 1, 1};
    stepper_goto(s, 2); /* $r2 is 0 everywhere */
    assert_true(stepper_set(s, &ten));
    assert_false(stepper_set(s, &none)); /* not a register of this program */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21 + 10);
    assert_int_equal(stepper_warp(s)->out[0][6], 28);
    stepper_goto(s, 2); /* its own place */
    assert_int_equal(stepper_warp(s)->r[2][5], 10);
    stepper_goto(s, 4); /* after the change: it is made again on the way */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21 + 10);
    stepper_goto(s, 1); /* before it */
    stepper_goto(s, UINT64_MAX);
    assert_int_equal(stepper_warp(s)->out[0][5], 21);
    stepper_destroy(s);
    case_close(&c);
}

/* What can be set: registers of the program, $a1 to $a4, four flags of $c0 to $c3, words of o[] and l[]; in the lanes
 * that are named alone. */
static void test_what_can_be_set(void **state) {
    (void)state;
    static const struct {
        enum stepper_space space;
        uint32_t row;
        bool right;
    } rows[] = {{STEPPER_R, 0, true},     {STEPPER_R, CASE_REGS - 1, true},         {STEPPER_R, CASE_REGS, false},
                {STEPPER_A, 0, false},    {STEPPER_A, 1, true},                     {STEPPER_A, 4, true},
                {STEPPER_A, 5, false},    {STEPPER_C, 0, true},                     {STEPPER_C, 3, true},
                {STEPPER_C, 4, false},    {STEPPER_OUT, CASE_OUT - 1, true},        {STEPPER_OUT, CASE_OUT, false},
                {STEPPER_LOCAL, 0, true}, {STEPPER_LOCAL, CASE_LOCAL / 4 - 1, true}, {STEPPER_LOCAL, CASE_LOCAL / 4, false}};
    const lane_mask some = 0x80000421;
    struct warp_case c;
    case_open(&c, PROGRAM_VP, program_text);
    struct stepper *s = stepper_create(c.w, &c.env);
    const struct warp *w = stepper_warp(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t value = 0; value < 32; value++) {
            const uint32_t row = rows[i].row, word = value * 0x10801;
            const bool flags = rows[i].space == STEPPER_C;
            const struct stepper_edit other = {rows[i].space, row, LANES_ALL, flags ? ~value : ~word};
            const struct stepper_edit edit = {rows[i].space, row, some, flags ? value : word};
            if (stepper_set(s, &other) != rows[i].right || stepper_set(s, &edit) != rows[i].right)
                fail_msg("space %d, row %u", rows[i].space, row);
            for (uint32_t lane = 0; lane < LANES && rows[i].right; lane++) {
                const uint32_t want = some >> lane & 1 ? edit.value : other.value;
                const struct flags *f = &w->c[row & 3];
                const uint32_t got = rows[i].space == STEPPER_R     ? w->r[row][lane]
                                     : rows[i].space == STEPPER_A   ? w->a[row][lane]
                                     : rows[i].space == STEPPER_OUT ? w->out[row][lane]
                                     : flags ? (f->z >> lane & 1) | (f->s >> lane & 1) << 1 | (f->c >> lane & 1) << 2 |
                                                   (f->o >> lane & 1) << 3
                                             : w->local[row][lane];
                assert_int_equal(got, flags ? want & 15 : rows[i].space == STEPPER_A ? want & 0xffff : want);
            }
        }
    stepper_destroy(s);
    case_close(&c);
}

static void test_global_memory_is_a_copy(void **state) {
    (void)state;
    struct warp_case c;
    uint32_t memory[4] = {1, 2, 3, 4}, word;
    case_open(&c, PROGRAM_CP, "mov b32 $r1 0x4\nmov b32 $r2 0x63\nst b32 g0[$r1] $r2\nexit nop\n");
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
    case_close(&c);
}

/* One warp of a block of several is stepped, the others run when it waits: those that end are not waited for, one that fails
 * is left, and a barrier that nobody can open stays shut. */
static void test_blocks(void **state) {
    (void)state;
    enum { WARPS = 3 };
#define WARP_IN_C0 "mov $r1 $physid\nmov b32 $r2 0x1f00\nand b32 $r1 $r1 $r2\nshr u32 $r1 $r1 0x8\nmov b32 $r2 0x1\nset $c0 # e u32 $r1 $r2\n"
    static const struct {
        const char *text;
        enum warp_status status;
        uint32_t word; /* in s[0x20], when the stepped one, warp 0, is at its end */
    } rows[] = {
        {WARP_IN_C0 "(lg $c0) bra #A\nbar inc wait 0x0 all\nmov b32 $r4 b32 s[0x20]\nexit nop\n"
                    "A: mov b32 $r3 0x7\nst b32 s[0x20] $r3\nexit nop\n", WARP_DONE, 7},
        {WARP_IN_C0 "(lg $c0) bra #A\nbar inc wait 0x0 all\nexit nop\nA: trap\nexit nop\n", WARP_WAITING, 0},
        {WARP_IN_C0 "(lg $c0) bra #A\nbar inc wait 0x0 all\nexit nop\nA: bar inc wait 0x1 all\nexit nop\n", WARP_WAITING, 0},
        {WARP_IN_C0 "(lg $c0) bra #A\nbar inc wait 0x0 all\nexit nop\nA: mov b32 $r3 0x5\nst b32 s[0x20] $r3\n"
                    "bar inc wait 0x0 all\nexit nop\n", WARP_DONE, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct warp_case c;
        case_open(&c, PROGRAM_CP, rows[i].text);
        struct warp *warps = case_rows(WARPS * sizeof *warps);
        for (uint32_t n = 0; n < WARPS; n++) {
            warps[n] = *c.w;
            warps[n].stack = warps[n].own_stack;
            warps[n].warp_id = n;
        }
        c.block.warp_count = WARPS;
        struct stepper *s = stepper_create_block(warps, WARPS, 0, &c.env);
        assert_non_null(s);
        for (int turn = 0; turn < 2; turn++) { /* and once more from the start */
            uint64_t steps = 0;
            uint32_t word;
            while (stepper_step(s) == WARP_RUNNING)
                assert_true(++steps < MANY);
            if (stepper_status(s) != rows[i].status)
                fail_msg("row %zu: status %d", i, stepper_status(s));
            memcpy(&word, stepper_warp(s)->block->s + 0x20, 4);
            assert_int_equal(word, rows[i].word);
            assert_int_equal(stepper_step(s), rows[i].status);
            stepper_goto(s, 0);
        }
        stepper_destroy(s);
        free(warps);
        case_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_run_at_once),
        cmocka_unit_test(test_back_to_every_instruction),
        cmocka_unit_test(test_changes_belong_to_their_place),
        cmocka_unit_test(test_what_can_be_set),
        cmocka_unit_test(test_global_memory_is_a_copy),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
