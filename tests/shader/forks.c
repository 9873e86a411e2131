/* Native code of forks (shader/native/forks.h) must leave the warp in the same state as the
 * interpreter, wherever the warp stops: each program runs with both engines, with every budget up
 * to its end, with several stack limits and sets of lanes. */
#include "tests/shader/warp_case.h"

/* $r0: the lane's number. */
#define SMALL(flags, limit) "mov b32 $r9 " limit "\nset " flags " # l u32 $r0 $r9\n"
#define PART(flags, limit) "joinat #J\n" SMALL(flags, limit)
static const char *const programs[] = {
    /* forks in a row: with both ways, with one way */
    PART(
        "$c0",
        "5") "(lg $c0) bra #T\nadd b32 $r1 $r1 $r0\nbra #J\nT: add b32 $r2 $r2 $r9\n"
             "add b32 $r1 $r2 $r0\nJ: join nop\njoinat #K\n" SMALL(
                 "$c1",
                 "20") "(e $c1) bra #K\nadd b32 $r3 $r0 $r9\nK: join add b32 $r4 $r3 $r1\nexit nop\n",
    /* a fork in each way of another */
    PART("$c0", "16") "(lg $c0) bra #T\njoinat #K\n" SMALL("$c1", "24") "(lg $c1) bra #K\nadd b32 $r1 $r1 $r9\nK: join add b32 $r2 $r2 $r1\nbra #J\nT: joinat #M\n" SMALL(
        "$c1", "3") "(lg $c1) bra #U\nadd b32 $r3 $r3 $r9\nbra #M\nU: add b32 $r4 $r4 $r9\n"
                    "M: join nop\nadd b32 $r5 $r4 $r3\nJ: join nop\nexit nop\n",
    /* lanes branch into a way from before the fork */
    SMALL("$c0", "5") "(lg $c0) bra #IN\n" PART(
        "$c0",
        "12") "(lg $c0) bra #T\nadd b32 $r1 $r1 $r0\n"
              "IN: add b32 $r2 $r2 $r9\nbra #J\nT: add b32 $r3 $r3 $r9\nJ: join add b32 $r4 $r3 $r2\nexit nop\n",
    SMALL("$c0", "5") "(lg $c0) bra #IN\n" PART(
        "$c0", "12") "(lg $c0) bra #J\nadd b32 $r1 $r1 $r0\n"
                     "IN: add b32 $r2 $r2 $r9\nJ: join add b32 $r4 $r3 $r2\nexit nop\n",
    /* lanes branch into a way from behind the fork: again and again, until lane 2 or the budget
     * ends the loop */
    PART("$c0", "12") "(lg $c0) bra #T\nadd b32 $r1 $r1 $r0\nIN: add b32 $r2 $r2 $r9\nbra #J\n"
                      "T: add b32 $r3 $r3 $r9\nJ: join add b32 $r5 $r5 $r0\n" SMALL(
                          "$c0", "2") "(lg $c0) bra #IN\nexit nop\n",
    /* a loop around a fork */
    "L: " PART(
        "$c0",
        "12") "(lg $c0) bra #T\nadd b32 $r1 $r1 $r0\nbra #J\nT: add b32 $r3 $r3 $r9\n"
              "J: join add b32 $r5 $r5 $r9\nmov b32 $r9 40\nset $c1 # l u32 $r5 $r9\n(lg $c1) bra #L\nexit nop\n",
    /* an integer with the bits of a NaN replaces a product */
    "mov b32 $r19 0xffffffff\nmul f32 $r10 $r13 $r10\n" PART(
        "$c0", "12") "(lg $c0) bra #T\nbra #J\nT: mov b32 $r10 $r19\nJ: join nop\nexit nop\n",
    /* as above in a loop, whose float rows may hold any NaN; also without a fork */
    "mov b32 $r19 0xffffffff\nL: mul f32 $r10 $r13 $r10\n" PART(
        "$c0",
        "12") "(lg $c0) bra #T\nbra #J\nT: mov b32 $r10 $r19\nJ: join add b32 $r6 $r6 $r9\nmov b32 $r9 40\n"
              "set $c1 # l u32 $r6 $r9\n(lg $c1) bra #L\nexit nop\n",
    "mov b32 $r19 0xffffffff\nL: mul f32 $r10 $r13 $r10\nadd b32 $r7 $r10 $r10\n" SMALL(
        "$c0", "12") "(lg $c0) mov b32 $r10 $r19\nadd b32 $r6 $r6 $r9\nmov b32 $r9 40\n"
                     "set $c1 # l u32 $r6 $r9\n(lg $c1) bra #L\nexit nop\n",
    /* a stack entry lies below the fork's */
    "breakaddr #E\n" PART("$c0", "7") "(lg $c0) bra #T\nadd b32 $r1 $r1 $r0\nbra #J\n"
                                      "T: add b32 $r3 $r3 $r9\nJ: join nop\n" SMALL(
                                          "$c0", "9") "(lg $c0) break\nadd b32 $r6 $r6 $r9\nbreak\n"
                                                      "E: exit nop\n",
};

/* Fermi: each way ends in a join; a nop that joins with a guard acts as a branch. */
#define LOW(p, limit) "set $p" p " 0x1 lt u32 $r0 " limit "\n"
#define PLUS(d, a) "add b32 $r" d " $r" d " $r" a "\n"
static const char *const fermi_programs[] = {
    /* with both ways, and without an else */
    LOW("0", "0x5") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "join nop\nT: " PLUS(
        "2", "4") "join add b32 $r1 $r2 $r0\nJ: " PLUS("3", "1") "exit\n",
    LOW("0", "0x5") "joinat #J\njoin (not $p0) nop\n" PLUS("1", "0") "join nop\nJ: " PLUS(
        "3", "1") "exit\n",
    /* a fork in each way of another fork; the forks meet at a joinat and at the end */
    LOW("0", "0x10") "joinat #J\n(not $p0) bra #T\njoinat #K\n" LOW("1", "0x18") "join $p1 nop\n" PLUS("1", "4") "join nop\nK: join nop\nT: joinat #M\n" LOW(
        "1",
        "0x13") "$p1 bra #U\n" PLUS("2",
                                    "5") "join nop\nU: " PLUS("3",
                                                              "7") "join nop\nM: join nop\n"
                                                                   "J: joinat #E\njoin $p1 nop\n" PLUS(
                                                                       "5",
                                                                       "0") "join nop\nE: exit\n",
    /* ways that reach the meeting place without a join: the stack entry stays */
    LOW("0", "0x5") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "join nop\nT: " PLUS(
        "2", "4") "J: " PLUS("3", "1") "exit\n",
    LOW("0", "0x5") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "T: " PLUS(
        "2", "4") "join nop\nJ: " PLUS("3", "1") "exit\n",
    LOW("0", "0x5") "joinat #J\n(not $p0) bra #J\n" PLUS("1", "0") "join nop\nJ: " PLUS(
        "3", "1") "exit\n",
    /* the join of one way has a guard */
    LOW("0", "0x5") LOW("1", "0x3") "joinat #J\n(not $p0) bra #T\n" PLUS(
        "1", "0") "join $p1 nop\nT: " PLUS("2", "4") "join nop\nJ: " PLUS("3", "1") "exit\n",
    /* lanes branch into a way from before the fork, and from behind it */
    LOW("0", "0x5") "$p0 bra #IN\n" LOW("0", "0xc") "joinat #J\n(not $p0) bra #T\n" PLUS(
        "1", "0") "IN: " PLUS("2",
                              "4") "join nop\nT: " PLUS("3",
                                                        "7") "join nop\nJ: " PLUS("5",
                                                                                  "1") "exit\n",
    LOW("0", "0xc") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "IN: " PLUS(
        "2", "4") "join nop\nT: " PLUS("3", "7") "join nop\nJ: " PLUS("6", "0")
        LOW("1", "0x2") "joinat #IN\n$p1 bra #IN\nexit\n",
    /* lanes that end while others wait */
    LOW("0", "0x5") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "exit\nT: " PLUS(
        "2", "4") "exit\nJ: " PLUS("3", "1") "exit\n",
    /* a loop around a fork, with lanes that break */
    "prebrk #E\nL: " LOW("0", "0xc") "joinat #J\n(not $p0) bra #T\n" PLUS("1", "0") "join nop\nT: " PLUS(
        "3",
        "7") "join nop\nJ: add b32 $r6 $r6 0x3\nset $p1 0x1 gt u32 $r6 $r0\n$p1 brk\nbra #L\nE: exit\n",
};

static bool same_results(const struct warp *a, const struct warp *b) {
    bool same = true;
    for (int i = 0; i < 24; i++)
        same &= !(lanes_to_mask((u32x32)(a->r[i] != b->r[i])) & a->launched);
    for (int i = 0; i < 4; i++)
        same &= !(((a->c[i].z ^ b->c[i].z) | (a->c[i].s ^ b->c[i].s) | (a->c[i].c ^ b->c[i].c) |
                   (a->c[i].o ^ b->c[i].o)) &
                  a->launched);
    return same && a->active == b->active && a->exited == b->exited &&
           a->stack_top == b->stack_top && a->executed == b->executed &&
           a->stats.instructions == b->stats.instructions &&
           a->stats.lane_instructions == b->stats.lane_instructions &&
           a->error.code == b->error.code && a->error.address == b->error.address &&
           a->error.lanes == b->error.lanes;
}

/* Runs both engines; returns how many instructions the interpreter executed. */
static uint64_t compare(struct warp_case *c, const char *text, lane_mask launched, uint64_t budget,
                        uint32_t entries) {
    struct warp *interpreted = case_rows(sizeof *interpreted), *const compiled = c->w;
    enum warp_status status[2];
    c->env.budget = budget;
    c->env.stack_limit = entries;
    for (int i = 0; i < 2; i++) {
        struct warp *w = i ? compiled : interpreted;
        c->env.native = i ? test_native_get(c->env.simd) : NULL;
        warp_start(w, &c->env, launched, 0);
        memset(w->r, 0, sizeof w->r);
        memset(&w->stats, 0, sizeof w->stats);
        for (int row = 1; row < 24; row++)
            for (int lane = 0; lane < LANES; lane++)
                w->r[row][lane] =
                    row % 3 ? (uint32_t)((row * 7 + lane * 5) % 11 > 5) * 0x3f800000u : 0;
        w->r[0] = lanes_iota();
        status[i] = warp_run(w, &c->env);
    }
    if (status[0] != status[1] || !same_results(interpreted, compiled))
        fail_msg("SIMD level %d, lanes %x, budget %d, %u entries: %u instructions, and %u:\n%s",
                 (int)c->env.simd, launched, (int)budget, entries, (unsigned)interpreted->executed,
                 (unsigned)compiled->executed, text);
    const uint64_t executed = interpreted->executed;
    warp_free(interpreted);
    free(interpreted);
    return executed;
}

static void check_programs(const char *const text[], size_t count, enum program_type type,
                           enum isa_variant variant) {
    static const lane_mask launched[] = {LANES_ALL, 0xf, 0xf0000000, 0x00ffff00};
    for (size_t i = 0; i < count; i++)
        FOR_EACH_LEVEL(level)
    for (size_t n = 0; test_native_get(level) && n < LENGTH(launched); n++) {
        CASE_AT(c, level, type, variant, launched[n], text[i]);
        for (uint32_t entries = 0; entries < 7; entries++) {
            uint64_t budget = 1;
            while (compare(&c, text[i], launched[n], budget, entries) == budget && budget < 200)
                budget++;
            compare(&c, text[i], launched[n], 400, entries);
        }
    }
}

TEST(test_forks) {
    check_programs(programs, LENGTH(programs), PROGRAM_FP, ISA_GT215);
}

TEST(test_fermi_forks) {
    check_programs(fermi_programs, LENGTH(fermi_programs), PROGRAM_CP, ISA_GF100);
}
