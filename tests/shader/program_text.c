/* Programs from words, files and text: their ops, texture slots and references.
 * tests/shader/texts/programs.txt has directives, headers and messages about mistakes. */
#include "tests/shader/made.h"

#include <unistd.h>

/* The op at each word is the op that starts at this word. */
TEST(test_ops) {
    struct program *p = made_of_text(
        PROGRAM_FP, ISA_GT215,
        "mov b32 $r1 0x10000001\nadd b32 $r1 $r2 $r3\nadd b32 $r1 $r2 $r4\nexit nop\n");
    assert_int_equal(p->word_count, 6);
    assert_int_equal(p->ops[0].code, OP_MOV);
    assert_int_equal(p->ops[1].w[0], p->words[1]);
    assert_int_equal(p->ops[2].code, OP_IADD);
    assert_int_equal(p->ops[3].code, OP_IADD);
    assert_int_equal(p->ops[5].code, OP_ILLEGAL);
    program_unref(p);
}

TEST(test_words_and_references) {
    struct program_error error = {""};
    const uint32_t code[] = {0xf0000001, 0xe0000781};
    assert_null(program_from_words(PROGRAM_FP, ISA_G80, NULL, code, 0, 0, 0, "x", &error));
    assert_null(program_from_words(PROGRAM_FP, ISA_G80, NULL, code, 2, 4, 4, "x", &error));
    assert_string_equal(error.text,
                        "x: the base address must be a multiple of 8 and the entry of 4");
    struct program *p =
        program_from_words(PROGRAM_FP, ISA_G80, NULL, code, 2, 0x40, 0x40, "x", &error);
    assert_non_null(p);
    assert_int_equal(p->header.slot_point_size, 0xff);
    assert_ptr_equal(program_ref(p), p);
    program_unref(p);
    assert_string_equal(p->name, "x");
    program_unref(p);
    program_unref(NULL);
}

TEST(test_files) {
    struct program_error error = {""};
    assert_null(program_from_file("/nowhere/x.fp", ISA_G80, &error));
    assert_string_equal(error.text, "/nowhere/x.fp: No such file or directory");
    assert_null(program_from_file("x.txt", ISA_G80, &error));
    assert_string_equal(
        error.text,
        "x.txt: the extension must tell the program type: .vp, .tcp, .tep, .gp, .fp or .cp");
    assert_null(program_from_file("/", ISA_G80, &error));

    char path[] = "/tmp/teslapipe-XXXXXX.cp";
    int fd = mkstemps(path, 3);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    fputs("// a comment\nexit nop\n", out);
    fclose(out);
    struct program *p = program_from_file(path, ISA_G80, &error);
    assert_non_null(p);
    assert_int_equal(p->type, PROGRAM_CP);
    assert_string_equal(p->name, path);
    program_unref(p);
    for (int lines = 0; lines < 12000; lines += 999) { /* files up to 190 KB are read whole */
        out = fopen(path, "w");
        for (int i = 0; i < lines; i++)
            fprintf(out, "// comment %d\n", i);
        fputs("mov b32 $r0 0x7\nexit nop\n", out);
        fclose(out);
        p = program_from_file(path, ISA_G80, &error);
        if (!p)
            fail_msg("%d lines: %s", lines, error.text);
        assert_int_equal(p->lines[0], lines + 1);
        program_unref(p);
    }
    unlink(path);
}

struct mistakes {
    int count;
    char first[256];
};

static void note_mistake(void *self, const char *message) {
    struct mistakes *m = self;
    if (!m->count++)
        snprintf(m->first, sizeof m->first, "%s", message);
}

/* The caller gets the first mistake with its place, whether or not a report gets them all. */
TEST(test_first_mistake) {
    static const struct {
        const char *text, *first;
        int count;
    } known[] = {
        {"exit nop\n  wrong\nexit nop\n$r0\n", "t:2:3: unknown mnemonic `wrong`", 2},
        {"\nexit nop /*", "t:2:10: this comment has no end", 1},
        {"  one\n.macro two\n", "t:2:1: ", 1}, /* macros come before instructions */
    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        for (int reported = 0; reported < 2; reported++) {
            struct mistakes m = {0};
            struct asm_result r;
            char err[256] = "";
            const struct isa_source from = {.text = known[i].text,
                                            .length = strlen(known[i].text),
                                            .name = "t",
                                            .report = reported ? note_mistake : NULL,
                                            .self = &m};
            const struct isa_target target = {ISA_G80, PROGRAM_FP, SYNTAX_ENVYAS};
            assert_int_equal(isa_assemble_source(target, &from, NULL, &r, err, sizeof err), -1);
            err[strlen(known[i].first)] = 0;
            assert_string_equal(err, known[i].first);
            assert_int_equal(m.count, reported ? known[i].count : 0);
            assert_true(!reported || !strncmp(m.first, err, strlen(err)));
        }
    }
}

/* Each pair of texture and sampler has exactly one slot. The first instruction that uses a pair is
 * marked. */
TEST(test_texture_slots) {
    static const int pairs[][3] = {{0, 0, 0}, {0, 1, 1}, {1, 0, 2}, {1, 1, 3},
                                   {0, 1, 1}, {5, 1, 4}, {1, 0, 2}, {0, 0, 0}};
    enum { PAIRS = LENGTH(pairs) };
    char text[1024] = "";
    for (int i = 0; i < PAIRS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "texauto all $r0:$r1:$r2:$r3 $t%d $s%d $r0:$r1 0 0 0\n", pairs[i][0], pairs[i][1]);
    strcat(text, "exit nop\n");
    struct program *p = made_of_text(PROGRAM_FP, ISA_GT215, text);
    assert_int_equal(p->tex_slot_count, 5);
    for (int i = 0, known = 0; i < PAIRS; i++) {
        const struct tex_fields *t = &p->ops[2 * i].tex;
        assert_int_equal(t->call.first, t->slot == known);
        known += t->call.first;
        assert_int_equal(t->slot, pairs[i][2]);
        assert_int_equal(p->tex_slot[t->slot].tic, pairs[i][0]);
        assert_int_equal(p->tex_slot[t->slot].tsc, pairs[i][1]);
    }
    program_unref(p);
}
