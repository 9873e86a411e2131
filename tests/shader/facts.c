/* Facts derived from the code of a fragment program: the registers that it expects to be 0 and the
 * v[] words that it uses. The facts do not depend on the place of the code.
 * tests/shader/texts/facts.txt has more rules. */
#include "tests/shader/made.h"

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
    /* three programs in which $r1 must be cleared: it is written on one way only; read in the next
     * round of a loop; read by a lane that quadon wakes */
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
    {"interp $r0 v[0x0]\ninterp $r1 v[0x4]\n" /* the sampler skips helper lanes */
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
    snprintf(whole, sizeof whole, ".regs 8\n%s", text);
    return made_of_text(PROGRAM_FP, ISA_GT215, whole);
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
        w[i] = case_rows(sizeof *w[i]);
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

/* Code that begins behind other code, at an address of its own, has the same facts. */
TEST(test_entries) {
    for (size_t i = 0; i < LENGTH(starts); i++) {
        static const uint32_t before[4] = {0xd03f0001,
                                           0x00000003}; /* `and`, then zeros; not executed */
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
