/* Variants of programs for lanes with different constants (shader/spread.c): which programs have a
 * variant, the constants that it takes from rows, and equal results of variant and original. */
#include "shader/spread.h"
#include "tests/shader/warp_case.h"

/* Compute programs are Fermi's, others Tesla's. */
static struct program *program_of(enum program_type type, const char *text) {
    return made_of_text(type, type == PROGRAM_CP ? ISA_GF100 : ISA_GT215, text);
}

/* An operand in c[] has become the a[] row of its word; other operands are unchanged. */
static void check_operand(const struct program_spread *s, const struct operand *from,
                          const struct operand *to) {
    struct operand want = *from;
    if (from->file == FILE_CONST) {
        uint32_t i = 0;
        while (i < s->count && (s->word[i].slot != from->index || s->word[i].offset != from->value))
            i++;
        assert_true(i < s->count);
        want.file = FILE_ATTR;
        want.index = 0;
        want.value = 4 * (SPREAD_FIRST + i);
    }
    assert_memory_equal(to, &want, sizeof want);
}

/* A program may begin in the middle of its words. Only constants from its entry on are replaced. */
TEST(test_entries) {
    struct program_error error;
    struct program *p =
        program_of(PROGRAM_FP, "add b32 $r0 $r1 c0[0x10]\nadd b32 $r0 $r1 c0[0x20]\nexit nop\n");
    for (uint32_t base = 0; base <= 0x1000; base += 0x800)
        for (uint32_t skip = 0; skip <= p->ops[0].words; skip += p->ops[0].words) {
            struct program *q =
                program_from_words(p->type, p->variant, &p->header, p->words, p->word_count, base,
                                   base + 4 * skip, "test", &error);
            assert_non_null(q);
            const struct program_spread *s = program_spread(q);
            assert_non_null(s);
            assert_int_equal(s->count, skip ? 1 : 2);
            assert_int_equal(s->word[0].offset, skip ? 0x20 : 0x10);
            program_unref(q);
        }
    program_unref(p);
}

TEST(test_words) {
    static const struct {
        enum program_type type;
        const char *text;
        uint32_t attr_rows, count; /* count 0: the program has no variant */
        struct spread_word word[3];
    } rows[] = {
        {PROGRAM_FP, "add b32 $r0 $r1 c0[0x10]\nexit nop\n", 0, 1, {{0, 0x10}}},
        {PROGRAM_FP,
         "add b32 $r0 $r1 c0[0x10]\nadd b32 $r2 $r1 c0[0x10]\nexit nop\n",
         0,
         1,
         {{0, 0x10}}},
        {PROGRAM_FP,
         "add b32 $r0 $r1 c0[0x10]\nadd b32 $r2 $r1 c1[0x10]\nadd b32 $r2 $r1 c0[0x4]\nexit nop\n",
         0,
         3,
         {{0, 0x10}, {1, 0x10}, {0, 4}}},
        {PROGRAM_FP,
         "mul rn f32 $r0 $r1 c15[0x1c]\nexit add b32 $r0 $r1 c0[0x8]\n",
         0,
         2,
         {{15, 0x1c}, {0, 8}}},
        {PROGRAM_FP, "exit nop\n", 0, 0, {{0}}}, /* no word of c[] */
        /* with $a, any word */
        {PROGRAM_FP, "add b32 $r0 $r1 c0[$a1+0x10]\nexit nop\n", 0, 0, {{0}}},
        {PROGRAM_FP,
         "add b32 $r2 $r1 c0[0x4]\nadd b32 $r0 $r1 c0[$a1+0x10]\nexit nop\n",
         0,
         0,
         {{0}}},
        {PROGRAM_FP, "add b16 $r0l $r1l c0[0x2]\nexit nop\n", 0, 0, {{0}}}, /* half a word */
        {PROGRAM_FP, "add b16 $r0l $r1l c0[0x4]\nexit nop\n", 0, 0, {{0}}},
        {PROGRAM_FP, "add b32 $r0 $r1 c0[0x10]\ntrap\nexit nop\n", 0, 0, {{0}}}, /* may fail */
        {PROGRAM_VP,
         "add b32 $r0 $r1 c0[0x10]\nmov b32 $r1 a[0x1c]\nexit nop\n",
         8,
         1,
         {{0, 0x10}}},
        {PROGRAM_VP, "add b32 $r0 $r1 c0[0x10]\nmov b32 $r1 a[0x0]\nexit nop\n", 1, 1, {{0, 0x10}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program *p = program_of(rows[i].type, rows[i].text);
        const struct program_spread *s = program_spread(p);
        uint32_t slots = 0, need[16] = {0};
        if ((s != NULL) != (rows[i].count > 0))
            fail_msg("row %zu: %s", i, s ? "one" : "none");
        for (uint32_t k = 0; s && k < rows[i].count; k++) {
            const struct spread_word w = rows[i].word[k];
            assert_true(s->word[k].slot == w.slot && s->word[k].offset == w.offset);
            slots |= 1u << w.slot;
            need[w.slot] = need[w.slot] > w.offset + 4u ? need[w.slot] : w.offset + 4u;
        }
        if (s) {
            const struct program *q = s->program;
            assert_int_equal(s->count, rows[i].count);
            assert_int_equal(s->attr_rows, rows[i].attr_rows);
            assert_int_equal(s->slots, slots);
            assert_memory_equal(s->need, need, sizeof need);
            assert_true(q->type == p->type && q->variant == p->variant && q->base == p->base &&
                        q->entry == p->entry);
            assert_memory_equal(&q->header, &p->header, sizeof q->header);
            assert_string_equal(q->name, p->name);
            assert_int_equal(q->facts.const_slots, 0);
            assert_int_equal(q->refs, 1); /* is freed with the original */
            assert_memory_equal(q->words, p->words, 4 * p->word_count);
            assert_ptr_equal(program_spread(p), s);
            for (uint32_t at = 0; at < p->word_count; at += p->ops[at].words)
                for (int k = 0; k < 3; k++)
                    check_operand(s, &p->ops[at].src[k], &q->ops[at].src[k]);
        }
        program_unref(p);
    }
}

/* Fermi: words of c[] become registers from SPREAD_REGISTER on, which the caller fills. A load of
 * several words becomes a move for each word. */
TEST(test_fermi_words) {
    static const struct {
        const char *text;
        uint32_t count, ops; /* count 0: no variant; ops: instructions of the variant */
        struct spread_word word[6];
    } rows[] = {
        {"add b32 $r0 $r1 c0[0x10]\nexit\n", 1, 2, {{0, 0x10}}},
        {"add b32 $r0 $r1 c0[0x10]\nmul f32 $r0 $r0 c0[0x10]\nexit\n", 1, 3, {{0, 0x10}}},
        {"ld b32 $r0 c3[0x7ffc]\nexit\n", 1, 2, {{3, 0x7ffc}}},
        {"ld b64 $r2d c0[0x8]\nexit\n", 2, 3, {{0, 8}, {0, 12}}},
        {"ld b128 $r0q c1[0x20]\nadd b32 $r0 $r0 c1[0x24]\nmov b32 $r4 c0[0x4]\nexit\n",
         5,
         7,
         {{1, 0x20}, {1, 0x24}, {1, 0x28}, {1, 0x2c}, {0, 4}}},
        {"mov b32 $r0 $r1\nexit\n", 0, 0, {{0}}},                     /* no word of c[] */
        {"ld b32 $r0 c0[$r3+0x10]\nexit\n", 0, 0, {{0}}},             /* any word */
        {"ld u8 $r0 c0[0x10]\nexit\n", 0, 0, {{0}}},                  /* part of a word */
        {"ld b64 $r2d c0[0x4]\nexit\n", 0, 0, {{0}}},                 /* not aligned */
        {"add rn f64 $r0d $r2d c0[0x10]\nexit\n", 0, 0, {{0}}},       /* a pair */
        {".regs 4\nadd b32 $r4 $r1 c0[0x10]\nexit\n", 0, 0, {{0}}},   /* not allocated */
        {"L: add b32 $r0 $r1 c0[0x10]\nbra #L\nexit\n", 0, 0, {{0}}}, /* not straight-line code */
        {"$p0 exit\nadd b32 $r0 $r1 c0[0x10]\nexit\n", 0, 0, {{0}}},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program *p = program_of(PROGRAM_CP, rows[i].text);
        const struct program_spread *s = program_spread(p);
        if ((s != NULL) != (rows[i].count > 0))
            fail_msg("row %zu: %s", i, s ? "one" : "none");
        if (s) {
            assert_true(s->in_registers);
            assert_int_equal(s->count, rows[i].count);
            for (uint32_t k = 0; k < s->count; k++)
                assert_true(s->word[k].slot == rows[i].word[k].slot &&
                            s->word[k].offset == rows[i].word[k].offset);
            assert_int_equal(s->program->word_count, 2 * rows[i].ops);
            assert_int_equal(s->program->header.reg_count, SPREAD_REGISTER + s->count);
            assert_int_equal(s->program->facts.const_slots, 0);
            assert_int_equal(s->program->facts.cleared[0], p->facts.cleared[0]);
            assert_int_equal(s->program->facts.cleared[1], 0);
        }
        program_unref(p);
    }
}

/* The variant gives in each lane what the original gives with this lane's constants. */
static void compare_runs(struct program *p, int registers) {
    enum { SLOTS_USED = 3, BYTES = 0x40, ATTRIBUTES = SPREAD_FIRST + SPREAD_WORDS };
    const struct program_spread *s = program_spread(p);
    uint8_t constants[LANES][SLOTS_USED][BYTES];
    assert_non_null(s);
    for (uint32_t i = 0; i < sizeof constants / 4; i++)
        memcpy((uint8_t *)constants + 4 * i, &(uint32_t){0x3f000000u + i * 0x4567}, 4);
    u32x32 *attr = case_rows(ATTRIBUTES * sizeof *attr);
    struct warp *w[2] = {case_rows(sizeof **w), case_rows(sizeof **w)};
    w[0]->attr = attr;
    w[0]->attr_count = ATTRIBUTES;
    FOR_EACH_LEVEL(level) {
        for (int native = 0; native < 2; native++) {
            struct warp_env env = {.program = s->program,
                                   .simd = level,
                                   .native = native ? test_native_get(level) : NULL};
            for (uint32_t i = 0; i < s->count; i++)
                for (int lane = 0; lane < LANES; lane++)
                    memcpy((uint32_t *)(s->in_registers ? &w[0]->r[SPREAD_REGISTER + i]
                                                        : &attr[SPREAD_FIRST + i]) +
                               lane,
                           &constants[lane][s->word[i].slot][s->word[i].offset], 4);
            warp_start(w[0], &env, LANES_ALL, 0);
            w[0]->r[0] = lanes_iota();
            assert_int_equal(warp_run(w[0], &env), WARP_DONE);
            env.program = p;
            for (int lane = 0; lane < LANES; lane++) {
                for (int slot = 0; slot < SLOTS_USED; slot++)
                    env.c[slot] = (struct const_view){constants[lane][slot], BYTES};
                warp_start(w[1], &env, LANES_ALL, 0);
                w[1]->r[0] = lanes_iota();
                assert_int_equal(warp_run(w[1], &env), WARP_DONE);
                for (int r = 0; r < registers; r++)
                    if (w[0]->r[r][lane] != w[1]->r[r][lane])
                        fail_msg("$r%d, lane %d: %x, not %x", r, lane, w[0]->r[r][lane],
                                 w[1]->r[r][lane]);
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        warp_free(w[i]);
        free(w[i]);
    }
    free(attr);
}

TEST(test_fermi_runs) {
    struct program *p =
        program_of(PROGRAM_CP, "ld b128 $r4q c0[0x10]\nmul f32 $r1 $r4 c1[0xc]\n"
                               "add f32 $r2 neg $r1 c0[0x14]\n$p0 mov b32 $r6 c0[0x8]\n"
                               "ld b64 $r8d c1[0x8]\nadd b32 $r3 $r9 c1[0xc]\nexit\n");
    compare_runs(p, 10);
    program_unref(p);
}

/* A variant may replace up to SPREAD_WORDS words; with one more word there is no variant. */
TEST(test_many_words) {
    for (uint32_t count = SPREAD_WORDS - 1; count <= SPREAD_WORDS + 1; count++) {
        char text[8192] = "";
        for (uint32_t i = 0; i < count; i++)
            sprintf(text + strlen(text), "add b32 $r0 $r0 c%u[0x%x]\n", i / 32, i % 32 * 4);
        strcat(text, "exit nop\n");
        struct program *p = program_of(PROGRAM_FP, text);
        const struct program_spread *s = program_spread(p);
        assert_int_equal(s != NULL, count <= SPREAD_WORDS);
        if (s)
            assert_int_equal(s->count, count);
        program_unref(p);
    }
}

/* A program that begins behind other code, at a base, runs as its original does. */
TEST(test_runs) {
    static const char text[] =
        "ld $r7 b32 c0[0x0]\n" /* before the entry: not part of the program */
        "ld $r4 b32 c1[0x8]\nadd b32 $r1 $r0 c0[0x10]\nmul f32 $r2 $r4 c1[0xc]\n"
        "add b32 $r5 $r1 c0[0x14]\nld $r6 b32 c2[0x20]\nexit add b32 $r3 $r5 c0[0x10]\n";
    static const struct spread_word words[] = {{1, 8}, {0, 0x10}, {1, 0xc}, {0, 0x14}, {2, 0x20}};
    enum { BASE = 0x400 };
    struct program_error error;
    struct program *first = program_of(PROGRAM_FP, text), *p;
    p = program_from_words(PROGRAM_FP, ISA_GT215, &first->header, first->words, first->word_count,
                           BASE, BASE + 4 * first->ops[0].words, "behind", &error);
    const struct program_spread *s = program_spread(p);
    assert_non_null(s);
    assert_int_equal(s->count, LENGTH(words));
    for (uint32_t i = 0; i < s->count; i++)
        assert_true(s->word[i].slot == words[i].slot && s->word[i].offset == words[i].offset);
    compare_runs(p, 8);
    program_unref(p);
    program_unref(first);
}
