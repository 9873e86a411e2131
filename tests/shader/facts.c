/* Facts derived from the code of a fragment program: is it uniform, is it harmless, which registers
 * does it expect to be 0, which textures may skip helper pixels, which c[], v[], textures and
 * samplers does it use. */
#include "shader/warp.h"
#include "tests/test.h"

static const struct {
    const char *text;
    bool uniform, harmless;
} cases[] = {
    {"mov b32 $r0 0\nadd f32 $r1 $r0 c0[0x0]\nexit nop\n", true, true},
    {"mov b32 $r0 0.5\nadd f32 $r1 $r0 $r0\nrcp f32 $r2 $r1\nexit nop\n", true, true},
    {"interp $r0 v[0x0]\nexit nop\n", false, true},
    {"mov $r0 $physid\nexit nop\n", false, true},
    {"ld b32 $r0 l[0x0]\nexit nop\n", false, true},
    {"texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n", false, true},
    {"mov b32 $r0 0\nquadop f32 sub subr sub subr $r1 dx $r0 $r0\nexit nop\n", false,
     true}, /* depends on the lane's position */
    {"mov $r0 $c0\nexit nop\n", false, true},
    {"mov $c0 $r0\nexit nop\n", false, true},
    {"mov $r0 $a1\nexit nop\n", false, true},
    {"shl $a1 $r0 0x2\nexit nop\n", false, true},
    {"add b32 $r0 $r1 c0[$a1+0x4]\nexit nop\n", false, true},
    {"mov b32 $r0 0\nset $r1 l u32 $r0 $r0\ncvt rn f32 $r2 u32 $r1\nex2 f32 $r3 $r2\nexit nop\n",
     true, true},
    {"(l0) mov b32 $r0 $r1\nexit nop\n", false, true},
    {"(e $c0) mov b32 $r0 $r1\nexit nop\n", false, true},
    {"pmevent 0x5\nexit nop\n", false, true},
    {"mov b32 $r0 0\nexit (never) nop\n", true, true},
    {"mov b32 $r0 0\nexit (e $c0) mov b32 $r1 $r0\ntrap\n", false, true},
    {"mov b32 $r0 0\nand b32 $c0 # $r0 $r0\nexit nop\n", true, true},
    {"discard\nexit nop\n", false, false},
    {"trap\nexit nop\n", false, false},
    {"bra #L\nL: exit nop\n", false, false},
    {".b32 0x50000001 0x40000000\nexit nop\n", false, false}, /* illegal */
    {"mov b32 $r0 0\n", false, false}, /* control reaches the end of the code */
};

TEST(test_cases) {
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct program_error error = {""};
        struct program *p = program_from_text(PROGRAM_FP, ISA_GT215, cases[i].text,
                                              strlen(cases[i].text), "test", &error);
        if (!p)
            fail_msg("%s%s", cases[i].text, error.text);
        if (p->facts.uniform != cases[i].uniform)
            fail_msg("uniform: %s", cases[i].text);
        if (p->facts.infallible != (cases[i].harmless || !strncmp(cases[i].text, "discard", 7)))
            fail_msg("infallible: %s", cases[i].text);
        if (p->facts.harmless != cases[i].harmless)
            fail_msg("harmless: %s", cases[i].text);
        program_unref(p);
    }
}

/* Programs of eight registers; the registers to clear as a bit mask; whether $a must be cleared,
 * too. */
static const struct {
    const char *text;
    uint64_t cleared;
    bool addresses;
} starts[] = {
    {"mov b32 $r0 1\nmov b32 $r1 $r0\nexit nop\n", 0xfc, false},
    {"mov b32 $r0 $r1\nmov b32 $r1 2\nexit nop\n", 0xfe, false},
    {"mov b32 $r0 1\nmov b32 $r1 1\nmov b32 $r2 1\nmov b32 $r3 1\n"
     "mov b32 $r4 1\nmov b32 $r5 1\nmov b32 $r6 1\nexit mov b32 $r7 $r0\n",
     0, false},
    {"mov b32 $r0 1\ndiscard\nmov b32 $r1 1\nexit nop\n", 0xfc, false},
    {"mov b32 $r1 1\n(e $c0) mov b32 $r0 $r1\nexit nop\n", 0xfd, false},
    {"mov b16 $r0l $r1l\nmov b32 $r1 1\nexit nop\n", 0xff, false},
    {"mov b32 $r0 1\njoinat #J\nmov b32 $r1 1\nJ: join mov b32 $r2 $r1\nexit nop\n", 0xf8, false},
    {"mov b32 $r0 1\nbra #L\nL: mov b32 $r1 1\nexit nop\n", 0xfc, false},
    {"ld b64 $r0d l[0x0]\nexit nop\n", 0xfc, false},
    /* $r1 is written on one way only; read in the next round of a loop; read by a lane that quadon
     * wakes */
    {"mov b32 $r0 1\n(e $c0) bra #L\nmov b32 $r1 1\nmov b32 $r2 1\nL: mov b32 $r2 $r0\nexit nop\n",
     0xfa, false},
    {"mov b32 $r0 1\nL: mov b32 $r2 $r1\nmov b32 $r1 $r0\n(e $c0) bra #L\nexit nop\n", 0xfa, false},
    {"mov b32 $r0 1\n(e $c0) bra #L\nmov b32 $r1 1\nquadon\nmov b32 $r2 $r1\nquadpop\nL: mov b32 $r1 1\n"
     "mov b32 $r2 1\nexit nop\n",
     0xfa, false},
    {"interp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
     "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n"
     "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
     0xf0, false},
    {"interp $r0 v[0x0]\ninterp $r1 v[0x4]\n" /* helpers go without */
     "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
     0xfc, false},
    {"interp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
     "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
     0xfc, false},
    {"mov b32 $r1 1\nadd b32 $r0 $r1 c0[$a1+0x4]\nexit nop\n", 0xfc, true},
    {"shl $a1 $r1 0x4\nmov b32 $r1 1\nexit nop\n", 0xff, true},
};

static struct program *program_of(const char *text) {
    char whole[512];
    struct program_error error = {""};
    snprintf(whole, sizeof whole, ".regs 8\n%s", text);
    struct program *p =
        program_from_text(PROGRAM_FP, ISA_GT215, whole, strlen(whole), "test", &error);
    if (!p)
        fail_msg("%s%s", whole, error.text);
    return p;
}

static void run(struct warp *w, const struct program *p, int stale) {
    const struct warp_env env = {.program = p, .simd = simd_best()};
    memset(w, 0, sizeof *w);
    memset(w->r, stale, WARP_REGS * sizeof w->r[0]);
    memset(w->a + 1, stale, sizeof w->a - sizeof w->a[0]);
    warp_start(w, &env, LANES_ALL, 0xf0);
    assert_int_equal(warp_run(w, &env), WARP_DONE);
}

/* Register contents of an earlier run have no effect. */
TEST(test_starts) {
    struct warp *w[2];
    for (int i = 0; i < 2; i++)
        w[i] = aligned_alloc(_Alignof(struct warp), sizeof *w[i]);
    for (size_t i = 0; i < LENGTH(starts); i++) {
        struct program *p = program_of(starts[i].text);
        if (p->facts.cleared[0] != starts[i].cleared || p->facts.cleared[1])
            fail_msg("%s: %llx", starts[i].text, (unsigned long long)p->facts.cleared[0]);
        assert_int_equal(p->facts.addresses, starts[i].addresses);
        run(w[0], p, 0);
        run(w[1], p, 0x5a);
        if (w[0]->dead != LANES_ALL) /* otherwise the program ended early */
            assert_memory_equal(w[0]->r, w[1]->r, 8 * sizeof w[0]->r[0]);
        program_unref(p);
    }
    free(w[0]);
    free(w[1]);
}

/* Fermi's loads and stores of a[] and texture instructions name all registers that they use. */
TEST(test_starts_of_fermi) {
    static const struct {
        enum program_type type;
        const char *text;
        uint64_t cleared;
    } rows[] = {
        {PROGRAM_VP, "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\nst b64 a[0x70] $r0:$r1 0x0\nexit\n",
         0xf0},
        {PROGRAM_VP,
         "ld b64 $r0:$r1 a[0x80] 0x0\nst b64 a[0x70] $r2:$r3 0x0\nld b64 $r2:$r3 a[0x88] 0x0\n"
         "exit\n",
         0xfc},
        {PROGRAM_VP, "mov b32 $r0 0x1\n$p0 ld b32 $r1 a[0x80] 0x0\nexit\n", 0xfe},
        {PROGRAM_VP, "mov b32 $r1 0x1\nld b32 $r2 a[$r0+0x80] 0x0\nmov b32 $r0 0x1\nexit\n", 0xf9},
#define INTERP "interp flat f32 $r0 a[0x80] 0x0 0x0\ninterp flat f32 $r1 a[0x84] 0x0 0x0\n"
#define TEX(to, from) "tex p lauto all dfp " to " t2d $t0 $s0 " from " ()\n"
        {PROGRAM_FP,
         INTERP TEX("$r2:$r3:#:#", "$r0:$r1") TEX("$r0:$r1:$r2:$r3", "$r2:$r3") "exit\n", 0xf0},
        {PROGRAM_FP, INTERP TEX("$r4:#:#:#", "$r6:$r7") "exit\n", 0xfc},
#undef TEX
#undef INTERP
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char whole[512];
        struct program_error error = {""};
        snprintf(whole, sizeof whole, ".regs 8\n%s", rows[i].text);
        struct program *p =
            program_from_text(rows[i].type, ISA_GF100, whole, strlen(whole), "test", &error);
        if (!p)
            fail_msg("%s%s", whole, error.text);
        if (p->facts.cleared[0] != rows[i].cleared || p->facts.cleared[1])
            fail_msg("%s: %llx", rows[i].text, (unsigned long long)p->facts.cleared[0]);
        program_unref(p);
    }
}

/* For each texture instruction, in the order of the text: may helper pixels go without its
 * result? */
static const struct {
    const char *text;
    const char *alone; /* one letter for each: y or n */
} helped[] = {
#define T "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n"
    {T "exit nop\n", "y"},
    {T "mul f32 $r0 $r0 $r4\nexit nop\n", "y"},
    {T T "exit nop\n", "ny"}, /* the first gives the second one's coordinates */
    {T "mov b32 $r0 $r4\nmov b32 $r1 $r5\n" T "exit nop\n", "yy"},
    {T "mov b32 $r0 $r4\n" T "exit nop\n", "ny"},
    /* half a coordinate is replaced */
    {T "mov b16 $r0l $r4l\nmov b32 $r1 $r5\n" T "exit nop\n", "ny"},
    {T "mov b16 $r4l $r0h\nmov b32 $r0 $r4\nmov b32 $r1 $r5\n" T "exit nop\n",
     "ny"}, /* a half of the first result reaches a coordinate */
    {T "mov b16 $r4h $r3l\nmov b32 $r0 $r4\nmov b32 $r1 $r5\n" T "exit nop\n", "ny"},
    {T "mov b16 $r4h $r3l\nmov b32 $r0 $r5\nmov b32 $r1 $r5\n" T "exit nop\n", "yy"},
    {T "quadop f32 sub subr sub subr $r4 dx $r0 $r0\nexit nop\n", "n"},
    {T "quadop f32 sub subr sub subr $r4 dx $r5 $r5\nexit nop\n", "y"},
    {T "set $c0 $r7 l u32 $r2 $r3\n(e $c0) discard\nexit nop\n", "y"},
    {T "set $c0 $r7 l u32 $r2 $r3\njoinat #L\n(e $c0) bra #L\nmov b32 $r4 0\n"
       "L: join nop\nexit nop\n",
     "n"},
    {T "joinat #L\n(e $c0) bra #L\nmov b32 $r4 0\nL: join nop\nexit nop\n", "y"},
    {T "joinat #L\n(e $c0) bra #L\nmov b32 $r4 0\nL: join nop\n" T "exit nop\n", "ny"},
    /* neighbours may be elsewhere */
    {"joinat #L\n(e $c0) bra #L\n" T "L: join nop\nexit nop\n", "n"},
    {T "st b32 l[0x0] $r0\nexit nop\n", "n"},
    {T "shl $a1 $r0 0x2\nadd f32 $r1 $r1 c0[$a1+0x0]\nexit nop\n", "n"},
    {"texlod all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\n" T "exit nop\n", "ny"},
    {"texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\nmov b32 $r0 $r4\n"
     "texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0\nexit nop\n",
     "yy"}, /* fetches do not use neighbours */
    /* needed at the start of the next round */
    {"L: quadop f32 sub subr sub subr $r4 dx $r0 $r0\n" T "(e $c0) bra #L\nexit nop\n", "n"},
    /* values computed from the result that are never used */
    {T "add b32 $r20 $r0 $r1\nexit nop\n", "y"},
    {T "ex2 f32 $r20 $r0\nexit nop\n", "y"},
    {T "fma rn f64 $r20d $r0d $r2d $r4d\nexit nop\n", "y"},
    {T "add rz f64 $r20d $r0d $r2d\nexit nop\n", "y"},
    {T "set $c0 # l f64 $r0d $r2d\nexit nop\n", "y"},
    {T "add b32 $c0 $r20 $r0 $r1\nmov $r21 $c0\nexit nop\n", "y"},
    {T "mov $c1 $r0\nexit nop\n", "y"},
    {T "shl $a1 $r0 0x2\nadd $a2 $a1 0x4\nmov $r20 $a2\nexit nop\n", "y"},
    {T "interp $r20 v[0x4] $r0\nexit nop\n", "y"},
    {T "call #L\nexit nop\nL: ret\n", "n"},    /* calls are not followed */
    {"quadon\n" T "quadpop\nexit nop\n", "n"}, /* helpers may be neighbours that wait */
};

/* For each texture instruction, one hexadecimal digit: the positions in the quad whose result is
 * not read. */
#define KEEP(lane)                                                                                 \
    "(" lane ") mov b32 $r4 $r0\n(" lane ") mov b32 $r5 $r1\n(" lane ") mov b32 $r6 $r2\n(" lane   \
    ") mov b32 $r7 $r3\n"
#define SHOW "mov b32 $r0 $r4\nmov b32 $r1 $r5\nmov b32 $r2 $r6\nmov b32 $r3 $r7\n"
#define AT "mov b32 $r0 $r8\nmov b32 $r1 $r9\n" T /* coordinates of its own */
#define FOUR "quadon\n" AT KEEP("l0") AT KEEP("l1") AT KEEP("l2") AT KEEP("l3") "quadpop\n"
static const struct {
    const char *text, *unseen;
} by_position[] = {
    {FOUR SHOW "exit nop\n", "edb7"},
    {FOUR "exit nop\n", "fff0"}, /* the last results are the program's results */
    {"mov b32 $r4 $r8\n" FOUR SHOW "add f32 $r4 $r0 $r1\nexit nop\n", "edb7"},
    {T KEEP("l0") AT KEEP("l1") SHOW "exit nop\n", "ed"},
    {T KEEP("l0") KEEP("l3") SHOW "exit nop\n", "6"},
    {T SHOW "exit nop\n", "0"}, /* without a move by position nothing is derived */
    {T KEEP("l0") "st b32 l[0x0] $r2\n" SHOW "exit nop\n", "0"},
    {T KEEP("l0") "mov b32 $r2 0\n" T KEEP("l1") SHOW "exit nop\n", "0d"}, /* coordinates */
    {"quadon\n" T KEEP("l0") "quadop f32 sub subr sub subr $r10 dx $r3 $r4\nquadpop\n" SHOW
                             "exit nop\n",
     "e"}, /* quadop's result is not used */
    {"quadon\n" T KEEP("l0") "quadop f32 sub subr sub subr $r10 dx $r3 $r4\nquadpop\n" SHOW
                             "mov b32 $r3 $r10\nexit nop\n",
     "0"},
    {T KEEP("l0") "(e $c0) discard\n" SHOW "exit nop\n", "e"},
/* The lane reads its neighbour across, below, or at a given position. */
#define LOOK(what, lane)                                                                           \
    T "quadop f32 sub subr sub subr $r10 " what " $r3 $r8\n(" lane ") mov b32 $r4 $r10\n"          \
      "mov b32 $r0 $r4\nmov b32 $r1 $r4\nmov b32 $r2 $r4\nmov b32 $r3 $r4\nexit nop\n"
    {LOOK("dx", "l0"), "d"},
    {LOOK("dx", "l1"), "e"},
    {LOOK("dx", "l3"), "b"},
    {LOOK("dy", "l0"), "b"},
    {LOOK("dy", "l1"), "7"},
    {LOOK("dy", "l3"), "d"},
    {LOOK("l0", "l2"), "e"},
    {LOOK("l3", "l0"), "7"},
    {LOOK("l2", "l1"), "b"},
    {T KEEP("l0") "set $c0 # l u32 $r3 $r4\n(e $c0) discard\n" SHOW "exit nop\n", "0"},
    {"texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\n" KEEP("l0") T "exit nop\n", "00"},
    {"joinat #L\n(e $c0) bra #L\n" FOUR SHOW "L: join nop\nexit nop\n", "edb7"},
    {"joinat #L\n(e $c0) bra #L\n" FOUR "L: join nop\n" SHOW "exit nop\n", "edb7"},
    {"joinat #L\n(e $c0) bra #L\n" T KEEP("l0") "L: join nop\n" SHOW "exit nop\n",
     "0"}, /* quads are not whole inside a fork */
    {"(e $c0) bra #L\nexit nop\nL: nop\n" FOUR SHOW "exit nop\n", "edb7"},
    {"breakaddr #L\nM: (e $c0) break\n" FOUR "set $c0 $r10 l u32 $r4 $r5\nbra #M\nL: nop\n" SHOW
     "exit nop\n",
     "edb7"},
    {"breakaddr #L\nM: (e $c0) break\n" FOUR "set $c0 $r10 l u32 $r4 $r0\nbra #M\nL: nop\n" SHOW
     "exit nop\n",
     "edb0"}, /* the last result is read in the next round */
    /* the last instruction is a break; no code follows it */
    {"breakaddr #L\nbra #M\nL: nop\n" SHOW "exit nop\nM: nop\n" T KEEP("l0") "(e $c0) break\n",
     "0"},
    /* a later quadop reads positions of the first result */
    {"quadon\n" AT KEEP("l0") "quadpop\njoinat #L\n(e $c0) bra #L\nquadon\n"
                              "quadop f32 sub subr sub subr $r10 l1 $r3 $r4\n" AT KEEP(
                                  "l1") "quadpop\nL: join nop\n" SHOW
                                        "add f32 $r0 $r0 $r10\nexit nop\n",
     "cd"},
    {"quadon\n" AT KEEP("l0") "quadpop\njoinat #L\n(e $c0) bra #L\nquadon\n"
                              "quadop f32 sub subr sub subr $r10 dx $r3 $r4\n" AT KEEP(
                                  "l1") "quadpop\nL: join nop\n" SHOW
                                        "add f32 $r0 $r0 $r10\nexit nop\n",
     "00"},
#undef T
};

static char alone_letter(const struct op *op) {
    return op->tex.alone ? 'y' : 'n';
}

static char unseen_digit(const struct op *op) {
    return "0123456789abcdef"[op->tex.unseen];
}

/* Checks the letters of the program's texture instructions in the order of the text. */
static void check_textures(const char *text, char letter(const struct op *), const char *expected) {
    struct program_error error = {""};
    const enum isa_variant variant =
        strstr(text, "f64") ? ISA_G200 : ISA_GT215; /* G200 has double precision */
    struct program *p = program_from_text(PROGRAM_FP, variant, text, strlen(text), "test", &error);
    char letters[8] = "", *next = letters;
    if (!p)
        fail_msg("%s%s", text, error.text);
    for (uint32_t w = 0; w < p->word_count; w += p->ops[w].words)
        if (p->ops[w].code >= OP_TEXAUTO && p->ops[w].code <= OP_TEXGATHER)
            *next++ = letter(&p->ops[w]);
    if (strcmp(letters, expected))
        fail_msg("%s, not %s:\n%s", letters, expected, text);
    program_unref(p);
}

TEST(test_helpers) {
    for (size_t i = 0; i < LENGTH(helped); i++)
        check_textures(helped[i].text, alone_letter, helped[i].alone);
}

TEST(test_positions) {
    for (size_t i = 0; i < LENGTH(by_position); i++)
        check_textures(by_position[i].text, unseen_digit, by_position[i].unseen);
}

/* The number of bytes of each c[] that a program may read: 16 bytes from each operand's offset on,
 * all 64 KiB with $a. */
TEST(test_constants) {
    static const struct {
        const char *text;
        struct {
            uint32_t slot, bytes;
        } reach[3];
    } rows[] = {
        {"exit nop\n", {{0}}},
        {"add b32 $r0 $r1 c0[0x0]\nexit nop\n", {{0, 0x10}}},
        {"add b32 $r0 $r1 c0[0x1c]\nexit nop\n", {{0, 0x2c}}},
        {"add b32 $r0 $r1 c0[0x1c]\nadd b32 $r0 $r1 c0[0x4]\nexit nop\n", {{0, 0x2c}}},
        {"add b32 $r0 $r1 c0[0x4]\nadd b32 $r0 $r1 c0[0x1c]\nadd b32 $r0 $r1 c15[0x8]\nexit nop\n",
         {{0, 0x2c}, {15, 0x18}}},
        {"add b32 $r0 $r1 c3[$a1+0x4]\nadd b32 $r0 $r1 c1[0x8]\nexit nop\n",
         {{3, 0x10000}, {1, 0x18}}},
        {"add b32 $r0 $r1 c2[0x40]\nexit nop\n", {{2, 0x50}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program *p = program_of(rows[i].text);
        uint32_t extent[16] = {0}, slots = 0;
        for (int k = 0; k < 3 && rows[i].reach[k].bytes; k++) {
            extent[rows[i].reach[k].slot] = rows[i].reach[k].bytes;
            slots |= 1u << rows[i].reach[k].slot;
        }
        assert_int_equal(p->facts.const_slots, slots);
        assert_memory_equal(p->facts.const_extent, extent, sizeof extent);
        program_unref(p);
    }
}

/* The v[] words that a program uses, by kind; with $a, all of them. */
TEST(test_varyings) {
    static const char *const kinds[] = {"", "flat ", "cent "};
    for (uint32_t i = 0; i < 2 * 96; i++)
        for (int kind = 0; kind < 3; kind++) {
            const uint32_t word = i / 2;
            const bool any = i & 1 && word < 4; /* only short offsets can have $a */
            char text[96];
            uint32_t bits[3] = {0}, none[3] = {0};
            if (word >= 64 || (i & 1 && !any))
                continue;
            if (any)
                memset(bits, 0xff, sizeof bits);
            else
                bits[word / 32] = 1u << word % 32;
            snprintf(text, sizeof text, "interp $r0 %sv[%s0x%x]\nexit nop\n", kinds[kind],
                     any ? "$a1+" : "", 4 * word);
            struct program *p = program_of(text);
            assert_memory_equal(p->facts.varying, kind == 1 ? none : bits, sizeof bits);
            assert_memory_equal(p->facts.varying_flat, kind == 1 ? bits : none, sizeof bits);
            assert_int_equal(p->facts.centroid, kind == 2);
            program_unref(p);
        }
}

/* Bit n stands for texture n or sampler n. Textures from 32 on have no bit. */
TEST(test_textures) {
    static const struct {
        uint32_t tic[2], tsc[2];
        uint32_t textures, samplers;
    } rows[] = {
        {{0, 0}, {0, 0}, 1, 1},      {{0, 1}, {0, 0}, 3, 1},
        {{3, 3}, {0, 4}, 8, 0x11},   {{31, 32}, {15, 14}, 0x80000000, 0xc000},
        {{127, 5}, {1, 2}, 0x20, 6},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "texauto all $r0:$r1:$r2:$r3 $t%u $s%u $r0:$r1 0x0 0x0 0x0\n"
                 "texauto all $r0:$r1:$r2:$r3 $t%u $s%u $r0:$r1 0x0 0x0 0x0\nexit nop\n",
                 rows[i].tic[0], rows[i].tsc[0], rows[i].tic[1], rows[i].tsc[1]);
        struct program *p = program_of(text);
        assert_int_equal(p->facts.textures, rows[i].textures);
        assert_int_equal(p->facts.samplers, rows[i].samplers);
        program_unref(p);
    }
}

/* The same facts for code that begins behind other code, at an address of its own. */
TEST(test_entries) {
    for (size_t i = 0; i < LENGTH(starts); i++) {
        static const uint32_t before[4] = {0xd03f0001,
                                           0x00000003}; /* its 0 targets no text below */
        struct program *p = program_of(starts[i].text);
        struct program_error error;
        uint32_t words[64];
        if (strchr(starts[i].text, '#')) {
            program_unref(p);
            continue;
        }
        memcpy(words, before, sizeof before);
        memcpy(words + 4, p->words, 4 * p->word_count);
        struct program *q = program_from_words(PROGRAM_FP, ISA_GT215, &p->header, words,
                                               p->word_count + 4, 0x1000, 0x1010, "test", &error);
        assert_non_null(q);
        assert_memory_equal(q->facts.cleared, p->facts.cleared, sizeof q->facts.cleared);
        assert_int_equal(q->facts.uniform, p->facts.uniform);
        assert_int_equal(q->facts.harmless, p->facts.harmless);
        assert_int_equal(q->facts.infallible, p->facts.infallible);
        program_unref(q);
        program_unref(p);
    }
}

/* A byte or half of c[] counts from its own offset on, not from its word's. */
TEST(test_parts_of_constants) {
    static const struct {
        const char *text;
        uint32_t bytes;
    } rows[] = {{"ld $r0 u8 c0[0x0]\nexit nop\n", 0x10},
                {"ld $r0 u8 c0[0x1]\nexit nop\n", 0x11},
                {"ld $r0 u8 c0[0x7]\nexit nop\n", 0x17},
                {"ld $r0 u16 c0[0x6]\nexit nop\n", 0x16},
                {"add b16 $r0l $r1h c0[0x2]\nexit nop\n", 0x12}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program *p = program_of(rows[i].text);
        if (p->facts.const_extent[0] != rows[i].bytes)
            fail_msg("%x bytes: %s", p->facts.const_extent[0], rows[i].text);
        program_unref(p);
    }
}

/* Only instructions that a warp can reach count. Code behind an exit is not reached, but with an
 * indirect branch all code may be. */
TEST(test_reached) {
    static const struct {
        const char *text;
        uint32_t slots;
    } rows[] = {
        {"ld $r0 b32 c1[0x0]\nexit nop\nld $r0 b32 c2[0x0]\nexit nop\n", 1 << 1},
        {"bra #L\nld $r0 b32 c2[0x0]\nL: ld $r0 b32 c3[0x0]\nexit nop\n", 1 << 3},
        {"(e $c0) bra #L\nld $r0 b32 c2[0x0]\nL: ld $r0 b32 c3[0x0]\nexit nop\n", 1 << 2 | 1 << 3},
        {"bra c1[$a1+0x0]\nexit nop\nld $r0 b32 c2[0x0]\nexit nop\n", 1 << 1 | 1 << 2}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program *p = program_of(rows[i].text);
        if ((p->facts.const_slots & 0xe) != rows[i].slots)
            fail_msg("slots %x: %s", p->facts.const_slots, rows[i].text);
        program_unref(p);
    }
}
