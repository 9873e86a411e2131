/* The encoding tables of all sets. Inputs are tests/shader/vectors, the reference vectors if
 * present, and random words of Fermi and generic64. The rules: any words decode to an op or a named
 * error; the text of an op assembles to words with the same text; a disassembled program assembles
 * to the same bytes, in every notation. */
#include "shader/isa/isa.h"
#include "shader/isa/table.h"
#include "tests/shared_path.h"
#include "tests/test.h"

/* ---- lines */

static void print_fail(void *self, unsigned line, const char *vector, const char *expected,
                       const char *got) {
    print_error("%s:%u: %s\n  expected %s\n  got      %s\n", (const char *)self, line, vector,
                expected, got);
}

static void check_file(FILE *in, const char *name, unsigned at_least) {
    for (int direction = ISA_DISASSEMBLE; direction <= ISA_ASSEMBLE; direction++) {
        struct isa_vector_report report = {.self = (void *)name, .fail = print_fail};
        rewind(in);
        assert_int_equal(isa_check_vectors(in, (enum isa_direction)direction, &report), 0);
        assert_int_equal(report.failed, 0);
        assert_true(report.passed >=
                    (direction == ISA_DISASSEMBLE && at_least < 100 ? 0 : at_least));
    }
    fclose(in);
}

TEST(test_lines) {
    check_file(fopen("tests/shader/vectors/tesla.txt", "r"), "tesla", 52);
    check_file(fopen("tests/shader/vectors/fermi.txt", "r"), "fermi", 20);
    check_file(fopen("tests/shader/vectors/refused.txt", "r"), "refused", 6);
}

TEST(test_vectors) {
    static const struct {
        const char *path;
        unsigned lines;
    } files[] = {{"vectors/fermi-dis-public.txt", 1767},
                 {"vectors/fermi-asm-public.txt", 2545},
                 {"vectors/fermi-asm-reject.txt", 91},
                 {"vectors/g64-asm.txt", 432}};
    for (size_t i = 0; i < LENGTH(files); i++) {
        char path[256];
        FILE *in = fopen(shared_path(path, sizeof path, files[i].path), "r");
        if (!in)
            skip();
        check_file(in, files[i].path, files[i].lines);
    }
}

/* isa_check_vectors() counts wrong lines as failed. */
TEST(test_check_fails) {
    static const char wrong[] = "gf100\t00005de4 28004404\tmov b32 $r2 c1[0x100]\n"
                                "sm_20\tEXIT\t00001de7 90000000\texit\n"
                                "ADD R0, R1, R2\t40000000 8601614b\n"
                                "MOV R0, R1\tnothing is wrong with this\n"
                                "gf100\t00005de4 28004404\n"
                                "sm_20\tEXIT\t00001de7 80000000\n"
                                "sm_99\tEXIT\t00001de7 80000000\texit\n"
                                "gf1000\t00005de4 28004404\tmov b32 $r1 c1[0x100]\n"
                                "gf100\t00005de4\tmov b32 $r1 c1[0x100]\n"
                                "EXIT\t00000000 80f00000 0\n"
                                "EXIT\t00000000 80f0000\n"
                                "just one column\n";
    for (int direction = ISA_DISASSEMBLE; direction <= ISA_ASSEMBLE; direction++) {
        FILE *in = fmemopen((void *)wrong, sizeof wrong - 1, "r");
        struct isa_vector_report report = {0};
        assert_int_equal(isa_check_vectors(in, (enum isa_direction)direction, &report), 0);
        assert_int_equal(report.passed, 0);
        assert_int_equal(report.failed, 9 + (direction == ISA_ASSEMBLE ? 3 : 0));
        fclose(in);
    }
}

static struct isa_vector_report checked(const char *text, enum isa_direction direction) {
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    struct isa_vector_report report = {0};
    assert_int_equal(isa_check_vectors(in, direction, &report), 0);
    fclose(in);
    return report;
}

/* When a text is assembled, every digit of its vector's words is compared. */
TEST(test_check_digits) {
    static const char *const right[] = {
        "sm_20\tMOV32I R1, 0x12345678\te0005de2 1848d159\tmov b32 $r1 0x12345678\n",
        "g84 cp d085001d e0e0079c\tld min s32 $r7 g1[$r0] $r5\n",
        "gf100\te0211da5 87ffffff\tld b64 $r4d cg g[$r2d-0x8]\n",
        "@P6 ADD R24, R20, R45\t40000000 8601614b\n"};
    for (size_t i = 0; i < LENGTH(right); i++) {
        assert_int_equal(checked(right[i], ISA_ASSEMBLE).passed, 1);
        char line[128];
        const char *words = right[i];
        while (strspn(words, "0123456789abcdef") != 8)
            words++;
        for (size_t k = 0; k < 17; k++) {
            snprintf(line, sizeof line, "%s", right[i]);
            char *digit = line + (words - right[i]) + k;
            if (*digit == ' ')
                continue;
            *digit = *digit == '0' ? '1' : '0';
            const struct isa_vector_report r = checked(line, ISA_ASSEMBLE);
            if (r.passed || r.failed != 1)
                fail_msg("%s", line);
        }
    }
}

/* The text of a line with the note unk= is not compared. The line passes if its words, printed in
 * asfermi's notation, assemble to the same bits. */
TEST(test_check_bits) {
    static const uint32_t words[][2] = {{0xfc101c04, 0x50ee0000}, {0x08101ca3, 0x50000000},
                                        {0x05201e04, 0x18000000}, {0x08101c64, 0xc386e406},
                                        {0x00001de4, 0x40000000}, {0x08301c00, 0x50000000}};
    const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI};
    unsigned right = 0, wrong = 0;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (int bit = 0; bit < 64; bit++) {
            const uint32_t w[2] = {words[i][0] ^ (bit < 32 ? 1u << bit : 0),
                                   words[i][1] ^ (bit < 32 ? 0 : 1u << (bit - 32))};
            struct op op, again;
            char text[256], line[512], message[256];
            isa_decode(target, w, 2, 0, &op);
            isa_print(target, &op, text, sizeof text);
            const bool reads =
                op.code != OP_ILLEGAL &&
                isa_assemble_line(target, text, strlen(text), 0, &again, message, sizeof message) &&
                again.w[0] == w[0] && again.w[1] == w[1];
            snprintf(line, sizeof line, "sm_20\tX\t%08x %08x\tx\tunk=1\n", w[0], w[1]);
            if (checked(line, ISA_DISASSEMBLE).passed != reads)
                fail_msg("%08x %08x: %s", w[0], w[1], text);
            *(reads ? &right : &wrong) += 1;
        }
    assert_true(right > 100 && wrong > 50);
}

/* Lines with too few columns, and files that cannot be read. A line with two columns, without
 * words, is a wrong source and a message: the assembler must refuse the source, and there is
 * nothing to disassemble. */
TEST(test_check_columns) {
    static const struct {
        const char *line;
        bool source;
    } rows[] = {{"gf100\n", false},
                {"sm_20\n", false},
                {"sm_20\tEXIT\t00001de7 80000000\n", false},
                {"g80 vp\n", false},
                {"sm_20\tEXIT\n", true},
                {"gf100\t00005de4\n", true},
                {"gf100 cp\texit\tnote\n", false},
                {"sm_99\tEXIT\t00001de7 80000000\texit\n", false},
                {"gf100\t\texit\n", false},
                {"g80 vq 10000201\tmov\tnote\n", false}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int direction = ISA_DISASSEMBLE; direction <= ISA_ASSEMBLE; direction++) {
            const struct isa_vector_report r = checked(rows[i].line, (enum isa_direction)direction);
            if (r.passed != (rows[i].source && direction == ISA_ASSEMBLE) ||
                r.failed != !rows[i].source)
                fail_msg("direction %d: %s", direction, rows[i].line);
        }
    const struct isa_vector_report quiet = checked("# gf100\t1\t2\n\n\r\n#\n", ISA_ASSEMBLE);
    assert_int_equal(quiet.passed + quiet.failed, 0);
    struct isa_vector_report report = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_int_equal(isa_check_vectors(out, ISA_ASSEMBLE, &report), -1);
    fclose(out);
}

/* ---- random words */

static const struct isa_target targets[] = {{ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
                                            {ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS},
                                            {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
                                            {ISA_GK104, PROGRAM_CP, SYNTAX_ASFERMI},
                                            {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}};
enum { TARGETS = LENGTH(targets) };

/* Random words, or words of a random encoding row with random operands. */
static void random_words(const struct isa *isa, uint32_t w[2]) {
    const struct encoding_row *row = &isa->rows[random_word() % isa->row_count];
    uint32_t keep = random_word() % 8 ? UINT32_MAX : 0;
    uint32_t few = random_word() % 2 ? UINT32_MAX : random_word();
    for (int i = 0; i < 2; i++)
        w[i] = (random_word() & few & ~(row->mask[i] & keep)) | (row->bits[i] & keep);
}

TEST(test_random_words) {
    unsigned ops = 0;
    for (unsigned n = 0; n < 60000; n++) {
        struct isa_target target = targets[n % TARGETS];
        uint32_t w[2], pc = random_word() & 0xffff8;
        struct op op, back;
        char text[256], again[256], message[256];
        random_words(isa_of(target.variant), w);
        isa_decode(target, w, 2, pc, &op);
        int length = isa_print(target, &op, text, sizeof text);
        assert_in_range(length, 1, sizeof text - 1);
        if (op.code == OP_ILLEGAL) {
            assert_string_not_equal(decode_error_name(op.error), "UNKNOWN");
            continue;
        }
        if (!strncmp(text, "!Raw", 4))
            continue;
        ops++;
        if (!isa_assemble_line(target, text, (size_t)length, pc, &back, message, sizeof message)) {
            if (target.syntax == SYNTAX_ASFERMI)
                continue; /* bits without a name: programs contain them as raw words */
            fail_msg("%08x %08x: %s: %s", w[0], w[1], text, message);
        }
        isa_print(target, &back, again, sizeof again);
        if (target.syntax == SYNTAX_ENVYAS && back.words == op.words && back.row == op.row)
            assert_string_equal(text, again);
    }
    assert_true(ops > 20000);
}

TEST(test_round_trip) {
    for (unsigned n = 0; n < 200; n++) {
        enum { WORDS = 64 };
        struct isa_target target = targets[n % TARGETS];
        uint32_t w[WORDS];
        struct asm_result r;
        char message[512];
        size_t length;
        for (unsigned i = 0; i < WORDS; i += 2)
            random_words(isa_of(target.variant), w + i);
        char *text = isa_disassemble(target, w, WORDS, 0, ISA_SOURCE, &length);
        assert_non_null(text);
        if (isa_assemble(target, text, length, "t", NULL, &r, message, sizeof message))
            fail_msg("%s\n%s", message, text);
        for (unsigned i = 0; i < WORDS && i < r.count; i++)
            if (r.words[i] != w[i])
                fail_msg("word %u: %08x became %08x\n%s", i, w[i], r.words[i], text);
        assert_int_equal(r.count, WORDS);
        asm_result_free(&r);
        free(text);
    }
}

/* ---- text */

/* Assembles the first `length` bytes; said gets the words, or the message. */
static void assemble_start(struct isa_target target, const char *text, size_t length,
                           char said[512]) {
    struct asm_result r;
    char message[400] = "";
    if (isa_assemble(target, text, length, "t", NULL, &r, message, sizeof message)) {
        snprintf(said, 512, "%s", message);
        return;
    }
    int at = snprintf(said, 512, "%zu words", r.count);
    for (size_t i = 0; i < r.count; i++)
        at += snprintf(said + at, 512 - (size_t)at, " %08x", r.words[i]);
    asm_result_free(&r);
}

/* A text may end at any character: no result depends on the bytes behind it in memory. */
TEST(test_ends) {
    static const struct {
        struct isa_target target;
        const char *text;
    } texts[] = {
        {{ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI}, "MOV32I R1, FH-1.5e-300; FADD R1, R2, F1e+10"},
        {{ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
         "top: @!P0 LD.64 R4, [R2+-0x8] # it\nBRA top; /* or */ EXIT // so"},
        {{ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
         "!Kernel k\n!Label out\nDSETP.LT.AND P0, pt, -R2, |R4|, !P3\nIADD.X R1, R2, c[0x1][0x10]"},
        {{ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
         "$p0 add f32 $r1 $r2 neg 0x3f800000 /* so */ // it\nmov b32 $r1 -0x1\nexit"},
        {{ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS},
         "up: (e $c0) mul rn f32 $r1 neg $r2 c1[0x10]\nmov b32 $r3 -1.5e-3\nbra #up\nexit nop"},
        {{ISA_GT215, PROGRAM_CP, SYNTAX_ENVYAS},
         ".b32 0x1234567 8\nlabel: bra #label\nadd f32 $r1 $r2 neg c0[$a1+0x10] // x\n/* y */ exit"},
        {{ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
         "(not $p0) set $p0 0x1 lt u32 $r0 -0xa\n/+ a /+ b +/ +/ exit\n"},
        {{ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS},
         "loop: @!P0 FADD R1, R2, -1.5\nLD.64 R2, [R4+0x10]\nEXIT\n"},
        {{ISA_G64, PROGRAM_CP, SYNTAX_ASFERMI},
         "MOVI R1, -12; STA.64 [R2+0x8], R4 # so\n@!P1 EXIT"}};
    static const char *const behind[] = {"0",  "1",  "9",  "a",  "e",  "f",  "x",  "H",     "L",
                                         "P",  "R",  ".",  "-",  "+",  ":",  ";",  ",",     "#",
                                         "/",  "*",  "!",  "@",  "[",  "]",  "|",  "_",     " ",
                                         "\n", "\"", "e5", "-1", "+3", "*/", "+/", "[0x4]", ".u"};
    for (size_t i = 0; i < LENGTH(texts); i++)
        for (size_t length = 0; length <= strlen(texts[i].text); length++) {
            char said[2][512], text[256];
            snprintf(text, sizeof text, "%.*s", (int)length, texts[i].text);
            assemble_start(texts[i].target, text, length, said[0]);
            for (size_t b = 0; b < LENGTH(behind); b++) {
                for (int k = 0; k < 8; k++)
                    strcpy(text + length + (size_t)k * strlen(behind[b]), behind[b]);
                assemble_start(texts[i].target, text, length, said[1]);
                if (strcmp(said[0], said[1]))
                    fail_msg("%.*s, before %s: %s, not %s", (int)length, text, behind[b], said[1],
                             said[0]);
            }
        }
}
