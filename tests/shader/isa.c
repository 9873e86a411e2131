/* Tesla's instruction set: decoder, encoder, printer, parser and assembler are compared with each
 * other, with the shared vector and program files if these are present, and on random words and
 * text. tests/shader/vectors/tesla.txt has examples. */
#include "shader/program.h"
#include "tests/shader/encode.h"
#include "tests/shared_path.h"
#include "tests/test.h"

#include <glob.h>

/* ---- Fields of the decoded op */

static struct op decode2(enum isa_variant variant, enum program_type type, uint32_t w0,
                         uint32_t w1) {
    struct op op;
    isa_decode((struct isa_target){variant, type, SYNTAX_ENVYAS}, (uint32_t[]){w0, w1}, 2, 0, &op);
    return op;
}

TEST(test_operands) {
    struct op op = decode2(ISA_G80, PROGRAM_VP, 0x29000519,
                           0x055fc7d0); /* add b32 $c1 $r70 $r2 c5[$a2+0x1fc] */
    assert_int_equal(op.code, OP_IADD);
    assert_int_equal(op.add_kind, ADD_ADD);
    assert_int_equal(op.type, TYPE_B32);
    assert_int_equal(op.cdst, 1);
    assert_int_equal(op.dst.file, FILE_R);
    assert_int_equal(op.dst.value, 70);
    assert_int_equal(op.src[1].file, FILE_CONST);
    assert_int_equal(op.src[1].index, 5);
    assert_int_equal(op.src[1].areg, 2);
    assert_int_equal(op.src[1].mem, TYPE_B32);
    assert_int_equal(op.src[1].value, 0x1fc);
    assert_int_equal(op.src[2].file, FILE_NONE);
    assert_int_equal(op.src[2].type, TYPE_NONE);

    op = decode2(ISA_G80, PROGRAM_CP, 0x60050410, 0); /* add $r4 (mul u16 $r1l $r2h) $r4 */
    assert_int_equal(op.code, OP_IMAD);
    assert_int_equal(op.src[0].type, TYPE_U16);
    assert_int_equal(op.src[1].file, FILE_RH);
    assert_int_equal(op.src[1].value, 5);
    assert_int_equal(op.src[2].value, 4);
    assert_int_equal(op.src[2].type, TYPE_B32);
    assert_int_equal(op.dst.type, TYPE_B32);

    op = decode2(ISA_G80, PROGRAM_CP, 0xa0000a09, 0x00090780); /* cvt u8 $r1l s16 $r2h */
    assert_int_equal(op.type, TYPE_U8);
    assert_int_equal(op.src[0].type, TYPE_S16);
    assert_int_equal(op.dst.file, FILE_RH);
    assert_int_equal(op.pred, PRED_ALWAYS);
    assert_int_equal(op.cdst, NO_FLAGS_DST);
    assert_int_equal(op.lane_mask4, 0xf);

    op = decode2(ISA_G84, PROGRAM_GP, 0x7e9bc990, 0); /* ... c0[$a3++-0x14] */
    assert_int_equal((int32_t)op.src[1].value, -0x14);
    assert_true(op.src[1].flags & OPERAND_POSTINC);

    op = decode2(ISA_G80, PROGRAM_CP, 0x30400a11, 0x040197e0); /* addc ... $c1 */
    assert_int_equal(op.pred_reg, 1);
}

TEST(test_errors) {
    static const struct {
        enum isa_variant variant;
        enum program_type type;
        uint32_t w0, w1, pc;
        enum decode_error error;
    } cases[] = {
        {ISA_G80, PROGRAM_VP, 0x00000000, 0, 0, DECODE_ILLEGAL_OPCODE},
        {ISA_G80, PROGRAM_VP, 0xe0000003, 0, 0, DECODE_ILLEGAL_OPCODE},
        {ISA_G80, PROGRAM_VP, 0x10000001, 0x0403c780, 4, DECODE_UNALIGNED_LONG_INSTRUCTION},
        {ISA_G80, PROGRAM_FP, 0x10000001, 0x0423c780, 0,
         DECODE_ILLEGAL_OPCODE}, /* memory source in FP */
        {ISA_G80, PROGRAM_FP, 0x10000001, 0x0403c788, 0, DECODE_ILLEGAL_OPCODE}, /* o[] in FP */
        {ISA_G80, PROGRAM_VP, 0x2a800000, 0, 0, DECODE_OK},                      /* c0[$a2++..] */
        {ISA_G80, PROGRAM_VP, 0x22800000, 0, 0, DECODE_ILLEGAL_POSTINCR},        /* c0[$a0++..] */
        {ISA_G80, PROGRAM_CP, 0x00000001, 0x04200780, 0, DECODE_LD_A_ST_O_NON_VP_GP},
        {ISA_G80, PROGRAM_CP, 0x00000001, 0x80c00780, 0, DECODE_LD_A_ST_O_NON_VP_GP},
        {ISA_G80, PROGRAM_CP, 0x80000000, 0, 0, DECODE_INTERP_NON_FP},
        {ISA_G80, PROGRAM_FP, 0xf0000201, 0xc0000780, 0, DECODE_EMIT_NON_GP},
        {ISA_G80, PROGRAM_CP, 0xa0004001, 0x00218780, 0,
         DECODE_ILLEGAL_MEMORY_BYTE}, /* s8 of u16 s[] */
        {ISA_G80, PROGRAM_CP, 0x30008001, 0x80200780, 0,
         DECODE_ILLEGAL_MEMORY_SIGN}, /* max u16 of s16 s[] */
        {ISA_G80, PROGRAM_CP, 0x3000c001, 0x80200780, 0,
         DECODE_ILLEGAL_MEMORY_SIZE}, /* max u16 of b32 s[] */
        {ISA_G80, PROGRAM_VP, 0x10000001, 0x0403ca00, 0, DECODE_ILLEGAL_OPCODE}, /* predicate 14 */
        {ISA_G84, PROGRAM_CP, 0xe0000001, 0x40000780, 0,
         DECODE_ILLEGAL_OPCODE}, /* fma f64 on another chip than G200 */
        {ISA_G200, PROGRAM_CP, 0xe0000005, 0x40000780, 0, DECODE_ILLEGAL_OPCODE}, /* $r1d */
        {ISA_G84, PROGRAM_CP, 0xd0010003, 0, 0, DECODE_ILLEGAL_OPCODE}, /* preret before G200 */
        {ISA_G80, PROGRAM_CP, 0x00000001, 0xc0000780, 0, DECODE_ILLEGAL_POSTINCR}, /* shl $a0 */
        {ISA_G80, PROGRAM_FP, 0xf00003fc, 0, 0, DECODE_OK}, /* the short form's base has 6 bits */
        {ISA_G80, PROGRAM_FP, 0xf60001fd, 0x0000c780, 0,
         DECODE_ILLEGAL_OPCODE}, /* results beyond $r127 */
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct isa_target target = {cases[i].variant, cases[i].type, SYNTAX_ENVYAS};
        struct op op;
        isa_decode(target, (uint32_t[]){cases[i].w0, cases[i].w1}, 2, cases[i].pc, &op);
        if (op.error != cases[i].error)
            fail_msg("case %zu: %s", i, decode_error_name(op.error));
        assert_int_equal(op.code == OP_ILLEGAL, op.error != DECODE_OK);
    }
    struct op op;
    isa_decode((struct isa_target){0}, (uint32_t[]){1}, 1, 0, &op);
    assert_int_equal(op.error, DECODE_ILLEGAL_OPCODE); /* second word missing */
    isa_decode((struct isa_target){0}, NULL, 0, 0, &op);
    assert_int_equal(op.error, DECODE_ILLEGAL_OPCODE);
}

/* A disassembler writes `long` only where needed: the assembler lengthens an instruction by itself
 * before one that is certainly long. Of several long instructions in a row, every other one says
 * `long`. */
TEST(test_long_is_said) {
    static const uint32_t words[128][2] = {
        ['a'] = {0x20000201, 0x04008780}, ['p'] = {0xf0000001, 0xe0000781}};
    static const char *const lines[128] = {['a'] = "add b32 $r0 $r1 $r2\n",
                                           ['A'] = "long add b32 $r0 $r1 $r2\n",
                                           ['p'] = "exit nop\n"};
    static const char *const rows[][2] = {/* instructions, and how they are written */
                                          {"a", "A"},       {"ap", "ap"},       {"aap", "Aap"},
                                          {"aaap", "aAap"}, {"aaaap", "AaAap"}, {"pa", "pA"},
                                          {"apap", "apap"}, {"apa", "apA"}};
    const struct isa_target target = {ISA_G80, PROGRAM_FP, SYNTAX_ENVYAS};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        uint32_t w[16];
        char expected[512] = "";
        size_t n = strlen(rows[i][0]), length;
        for (size_t k = 0; k < n; k++) {
            memcpy(w + 2 * k, words[(int)rows[i][0][k]], 8);
            strcat(expected, lines[(int)rows[i][1][k]]);
        }
        char *text = isa_disassemble(target, w, 2 * n, 0, ISA_SOURCE, &length);
        assert_string_equal(text, expected);
        free(text);
    }
}

/* The instruction set of each chipset, and of chipsets behind the last known chipset. */
TEST(test_chipsets) {
    for (int v = 0; v < ISA_VARIANTS; v++) /* each variant's name finds the variant */
        assert_int_equal(isa_variant_from_name(isa_variant_name((enum isa_variant)v)), v);
    assert_string_equal(isa_variant_name(ISA_VARIANTS), "unknown");
    assert_string_equal(isa_variant_name((enum isa_variant) - 1), "unknown");
    static const struct {
        uint32_t chipset;
        enum isa_variant variant;
    } rows[] = {{0x50, ISA_G80},   {0x84, ISA_G84},   {0x86, ISA_G84},   {0x92, ISA_G84},
                {0x94, ISA_G84},   {0x96, ISA_G84},   {0x98, ISA_G84},   {0xa0, ISA_G200},
                {0xa3, ISA_GT215}, {0xa5, ISA_GT215}, {0xa8, ISA_GT215}, {0xaa, ISA_MCP77},
                {0xac, ISA_MCP77}, {0xaf, ISA_GT215}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(isa_variant_from_chipset(rows[i].chipset), rows[i].variant);
}

/* Bits the hardware ignores (tesla-isa.md §3.2) do not change the op. */
TEST(test_ignored_bits) {
    static const struct {
        uint32_t w0, w1, x0, x1;
    } cases[] = {
        {0x20038404, 0, 0x0e000000, 0},                   /* short add: $a and post-increment */
        {0x20000405, 0x0400c780, 0x0e000000, 0x13c03004}, /* long add without memory */
        {0xc0000405, 0x0000c780, 0, 0x10000000},          /* w1.28 */
        {0x20040003, 0x00000040, 0x08000000, 0x00003f80}, /* call: predicate, $c */
        {0x00000a01, 0xa00007a0, 0, 0x00000040},          /* mov $c $r: enable */
        {0xb0030405, 0x0400c780, 0x007c0000, 0},          /* fadd: bits beside the rounding */
    };
    struct isa_target target = {ISA_G80, PROGRAM_VP, SYNTAX_ENVYAS};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char plain[256], noisy[256];
        struct op op = decode2(ISA_G80, PROGRAM_VP, cases[i].w0, cases[i].w1);
        isa_print(target, &op, plain, sizeof plain);
        op = decode2(ISA_G80, PROGRAM_VP, cases[i].w0 ^ cases[i].x0, cases[i].w1 ^ cases[i].x1);
        isa_print(target, &op, noisy, sizeof noisy);
        assert_string_equal(noisy, plain);
        assert_int_not_equal(op.code, OP_ILLEGAL);
    }
}

/* ---- Random words and text */

/* Words of a random encoding row. Words without such a row would mostly be illegal. */
static void random_words(uint32_t w[2]) {
    const struct encoding_row *row = &isa_tesla.rows[random_word() % isa_tesla.row_count];
    uint32_t quiet =
        random_word() % 2 ? 0x00200808 : 0; /* fewer memory sources, outputs and odd predicates */
    w[0] = (random_word() & ~row->mask[0]) | row->bits[0];
    w[1] = (random_word() & ~row->mask[1] & ~quiet) | row->bits[1];
}

/* Fills w with legal instructions in canonical encoding, long ones aligned; returns the number of
 * words. */
static size_t random_program(struct isa_target target, uint32_t *w, size_t room) {
    size_t n = 0;
    for (int i = 0; i < 60 && n + 2 <= room; i++) {
        uint32_t x[2], y[2];
        struct op op;
        random_words(x);
        isa_decode(target, x, 2, 0, &op);
        if (op.code == OP_ILLEGAL || (op.words == 2 && n % 2))
            continue;
        int words = isa_encode(target, &op, y);
        assert_int_equal(words, op.words);
        memcpy(w + n, y, (size_t)words * 4);
        n += (size_t)words;
    }
    return n;
}

static void check_round_trip(struct isa_target target, const uint32_t *w, size_t n, uint32_t base) {
    size_t length;
    struct asm_result r;
    char message[512] = "";
    char *text = isa_disassemble(target, w, n, base, ISA_SOURCE, &length);
    assert_non_null(text);
    if (isa_assemble(target, text, length, "random", NULL, &r, message, sizeof message))
        fail_msg("%s\n%s", message, text);
    if (r.count != n || memcmp(r.words, w, n * 4))
        fail_msg("other words from\n%s", text);
    asm_result_free(&r);
    free(text);
}

TEST(test_random_programs) {
    random_start(0x9e3779b97f4a7c15);
    for (int i = 0; i < 1500; i++) {
        struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                    random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        uint32_t w[64];
        size_t n = random_program(target, w, 64);
        check_round_trip(target, w, n, random_word() % 1000 * 8);
    }
}

/* Any words: decode, print, assemble the text again. */
TEST(test_random_words) {
    random_start(0xd1b54a32d192ed03);
    for (int i = 0; i < 3000; i++) {
        struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                    random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        uint32_t w[17];
        size_t n = 1 + random_word() % 17;
        for (size_t k = 0; k < n; k++)
            w[k] = random_word();
        check_round_trip(target, w, n, 0);
    }
}

/* decode -> encode -> decode gives the same text, for all values of ignored bits. */
TEST(test_idempotent) {
    random_start(0x2545f4914f6cdd1d);
    unsigned legal = 0;
    for (int i = 0; i < 40000; i++) {
        struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                    random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        uint32_t x[2], y[2];
        struct op op, back;
        char first[256], second[256];
        random_words(x);
        isa_decode(target, x, 2, 0, &op);
        if (op.code == OP_ILLEGAL)
            continue;
        legal++;
        assert_int_equal(isa_encode(target, &op, y), op.words);
        isa_decode(target, y, op.words, 0, &back);
        assert_in_range(isa_print(target, &op, first, sizeof first), 1, sizeof first - 1);
        isa_print(target, &back, second, sizeof second);
        assert_string_equal(first, second);
        assert_int_equal(back.code, op.code);
    }
    assert_in_range(legal, 10000, 40000);
}

/* Operands in c[] and l[] take a post-increment of $a in every program type, those in s[] in
 * compute programs, those in a[], o[], v[] and p[] never. */
TEST(test_post_increments) {
    static const struct {
        const char *text;
        unsigned types;      /* bit mask of the program types that take the instruction */
        const char *message; /* in types that do not take the instruction */
    } rows[] = {
        {"add b32 $r1 $r2 c0[$a1++0x4]", 0xf, NULL},
        {"ld b32 $r1 l[$a1++0x4]", 0xf, NULL},
        {"st b32 l[$a1++0x4] $r1", 0xf, NULL},
        {"ld $r1 b32 s[$a1++0x4]", 1 << PROGRAM_CP, "exists in compute programs only"},
        {"st b32 s[$a1++0x4] $r1", 1 << PROGRAM_CP, "exists in compute programs only"},
        {"st b32 o[$a1++0x4] $r1", 0, "this operand has no post-increment"},
        {"mov b32 $r1 p[$a1++0x4]", 0, NULL},
        {"ld b32 $r1 a[$a1++0x4]", 0, NULL},
        {"interp $r1 v[$a1++0x4]", 0, NULL},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int type = 0; type < PROGRAM_TESLA_TYPES; type++) {
            const struct isa_target target = {ISA_GT215, (enum program_type)type, SYNTAX_ENVYAS};
            char message[512] = "";
            struct op op;
            const bool is = isa_assemble_line(target, rows[i].text, strlen(rows[i].text), 0, &op,
                                              message, sizeof message);
            if (is != (rows[i].types >> type & 1) ||
                (!is && rows[i].message && !strstr(message, rows[i].message)))
                fail_msg("%s, type %d: %s", rows[i].text, type, is ? "is taken" : message);
        }
}

TEST(test_random_text) {
    static const char letters[] = "0123456789abcdef$r:#[]()+.; \n/*x_-=lhdqsc";
    random_start(0x853c49e6748fea9b);
    for (int i = 0; i < 1500; i++) {
        struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                    random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        struct program_header header = {0};
        struct asm_result r;
        uint32_t w[64];
        size_t length, n = random_program(target, w, 64);
        char *text = isa_disassemble(target, w, n, 0, ISA_SOURCE, &length), message[512] = "";
        for (int k = 0; k < 4 && length; k++)
            text[random_word() % length] = letters[random_word() % (sizeof letters - 1)];
        if (isa_assemble(target, text, length, "text", &header, &r, message, sizeof message))
            assert_memory_equal(message, "text:", 5);
        asm_result_free(&r);
        free(text);
    }
}

/* ---- Files of the shared folder */

static void tell_failure(void *self, unsigned line, const char *vector, const char *expected,
                         const char *got) {
    (void)self;
    print_message("%u: %s\n  expected %s\n  got      %s\n", line, vector, expected, got);
}

static void check_vector_file(enum isa_direction direction) {
    char path[512];
    shared_path(path, sizeof path, "vectors/disasm-public.txt");
    FILE *in = fopen(path, "r");
    if (!in)
        skip();
    struct isa_vector_report report = {.fail = tell_failure};
    assert_int_equal(isa_check_vectors(in, direction, &report), 0);
    fclose(in);
    assert_int_equal(report.failed, 0);
    assert_true(report.passed > 4000);
}

TEST(test_vectors_dis) {
    check_vector_file(ISA_DISASSEMBLE);
}

TEST(test_vectors_as) {
    check_vector_file(ISA_ASSEMBLE);
}

static size_t read_words(const char *path, uint32_t *w, size_t room) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(w, 4, room, in);
    fclose(in);
    return n;
}

/* Compares the listing with the same program's part of the .txt file, which starts at its "# ----
 * vp" line. */
static void check_listing(const char *bin_path, const char *type, const char *listing) {
    char path[512], line[512], wanted[16];
    snprintf(path, sizeof path, "%.*s.txt", (int)(strlen(bin_path) - strlen(".vp.bin")), bin_path);
    snprintf(wanted, sizeof wanted, "# ---- %s", type);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    bool inside = false;
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#') {
            inside = !strncmp(line, wanted, strlen(wanted));
        } else if (inside && line[0] != '\n') {
            if (strncmp(listing, line, strlen(line)))
                fail_msg("%s: expected %s got %.*s", path, line, (int)strcspn(listing, "\n"),
                         listing);
            listing += strlen(line);
        }
    }
    assert_string_equal(listing, "");
    fclose(in);
}

/* Address, words and text of each instruction. */
TEST(test_listing) {
    static const uint32_t w[] = {0x10000201, 0x60000290, 0x10008000,
                                 0x10008000, 0x10000401, 0x60000780};
    static const char *const want =
        "00000100: 10000201 60000290     (lg $c0) vote any $c1\n"
        "00000108: 10008000              %s\n0000010c: 10008000              %s\n"
        "00000110: 10000401 60000780     vote all $c0\n";
    const struct isa_target target = {ISA_G200, PROGRAM_FP, SYNTAX_ENVYAS};
    size_t length;
    char *one = isa_disassemble(target, w + 2, 1, 0x108, 0, &length);
    char *all = isa_disassemble(target, w, 6, 0x100, ISA_LISTING, &length), text[512];
    one[strcspn(one, "\n")] = 0;
    snprintf(text, sizeof text, want, one, one);
    assert_string_equal(all, text);
    assert_int_equal(length, strlen(text));
    free(one);
    free(all);
}

static unsigned check_corpus(const char *folder, enum isa_variant variant) {
    enum { ROOM = 1 << 16 };
    static uint32_t w[ROOM];
    char pattern[512];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*.bin", folder);
    if (glob(pattern, 0, NULL, &files))
        return 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const char *path = files.gl_pathv[i];
        char type[3] = {path[strlen(path) - 6], path[strlen(path) - 5], 0};
        struct isa_target target = {variant, (enum program_type)program_type_from_name(type),
                                    SYNTAX_ENVYAS};
        size_t n = read_words(path, w, ROOM), length;
        struct op op;
        for (size_t k = 0; k < n; k += op.words) {
            isa_decode(target, w + k, n - k, 4 * (uint32_t)k, &op);
            assert_int_equal(op.error, DECODE_OK);
        }
        char *listing = isa_disassemble(target, w, n, 0, ISA_LISTING, &length);
        check_listing(path, type, listing);
        free(listing);
        check_round_trip(target, w, n, 0);
    }
    unsigned count = (unsigned)files.gl_pathc;
    globfree(&files);
    return count;
}

TEST(test_corpus) {
    static const struct {
        const char *folder;
        enum isa_variant variant;
    } corpora[] = {{"corpus", ISA_GT215}, {"corpus-50", ISA_G80}, {"corpus-a0", ISA_G200}};
    unsigned count = 0;
    for (size_t i = 0; i < 3; i++) {
        char folder[256];
        shared_path(folder, sizeof folder, corpora[i].folder);
        count += check_corpus(folder, corpora[i].variant);
    }
    if (count == 0)
        skip();
    assert_true(count > 500);
}
