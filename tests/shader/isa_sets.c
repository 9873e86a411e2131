/* The encoding tables of Fermi and generic64. Inputs are the lines below, the reference vectors if
 * present, and random words. The rules: any words decode to an op or a named error; the text of an
 * op assembles to words with the same text; a disassembled program assembles to the same bytes, in
 * every notation. */
#include "shader/isa/isa.h"
#include "shader/isa/table.h"
#include "tests/shared_path.h"
#include "tests/test.h"

/* ---- lines */

/* The examples of fermi-isa.md §16 and generic64-isa.md §5, in the formats of isa_check_vectors. */
static const char lines[] =
    "gf100\t00005de4 28004404\tmov b32 $r1 c1[0x100]\n"
    "gf100\t08005df4 28000000\tjoin mov b32 $r1 $r2\n"
    "gf100\t080069e4 28000000\t(not $p2) mov b32 $r1 $r2\n"
    "gf100\te0211da5 87ffffff\tld b64 $r4d cg g[$r2d-0x8]\n"
    "gf100\t40201c85 c4140000\tld lock b32 $p5 $r0 s[$r2+0x10]\n"
    "gf100\t0811de40 26160000\tset $p0 0x1 gtu f32 neg $r1 abs $r2 and not $p3\n"
    "gf100\t1c57dc04 0c0e0000\tset $p3 0x1 $p5 and 0x1\n"
    "gf100\t08101e24 c206a005\tvadd sat add u32 $r0 b2 u32 $r1 h1 s32 $r2 $r3\n"
    "gf100\t78043445 e4000000\t(not $p5) suq smplsz $r16 img[$r30]\n"
    "gf100\t08001d06 86104201\ttex p llod all dfp $r0:#:#:# t2d $t1 $s2 $r0:$r1 $r2\n"
    "gk104\tf0420287 22e20202\tsched 0x28 0x20 0x4 0x2f 0x20 0x20 0x2e\n"
    "gk104\t0c101c65 88700c00\tshfl idx $p0 $r0 $r1 0x3 0x1c03\n"
    "sm_20\tFADD.FTZ.RZ.SAT R0, -R1, |R2|\t08101e60 51820000\tadd ftz sat rz f32 $r0 neg $r1 abs $r2\n"
    "sm_20\tATOM.E.CAS.U64 R0, [R2], R4, R6\t00211f25 540c0000\tcas b64 $r0d g[$r2d] $r4d $r6d\n"
    "sm_20\t@P0 BRA 0x40\te00001e7 40000000\t$p0 bra 0x40\taddr=0x0\n"
    "sm_20\tPSETP.AND.OR P0, pt, P1, !P2, P3\t2831dc04 0c220000\tset $p0 0x1 $p3 and not $p2 or $p1\n"
    "sm_20\tI2I.S8.S32.SAT R0, R1\t05001ea4 1c000000\tcvt sat s8 $r0 s32 $r1\n"
    "@P6 ADD R24, R20, R45\t40000000 8601614b\n"
    "LDC.S.16 R1, [R38]\t80001800 00220409\n"
    "FADD R20, R55, 1024.0\t11200400 00905370\n"
    "@P0 BRA 0xaa0\t0054c000 80400000\n";
static const char refused[] = "@PT MOV R0, R1\tPT is no guard\n"
                              "MOV R0, -5\tno sign in a 20-bit immediate\n"
                              "LD R0, [R2+16]\tdecimal offset\n"
                              "IMLU R0, R1, R2\tno such name\n"
                              "MOV32I R0, R1\tno register here\n"
                              "IADD.X.SAT R0, R1, R2\tmodifiers in the wrong order\n";

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
    check_file(fmemopen((void *)lines, sizeof lines - 1, "r"), "lines", 20);
    check_file(fmemopen((void *)refused, sizeof refused - 1, "r"), "refused", 6);
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

/* A line whose text is only indicative passes if its words, printed in asfermi's notation, assemble
 * to the same bits. */
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

/* Lines with too few columns, and files that cannot be read. A line with two columns, without words,
 * is a wrong source and a message: the assembler must refuse the source, and there is nothing to
 * disassemble. */
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

/* Random words, or words of a random row with random operands. */
static void random_words(const struct isa *isa, uint32_t w[2]) {
    const struct row *row = &isa->rows[random_word() % isa->row_count];
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

static void check_message(struct isa_target target, const char *source, const char *message) {
    struct asm_result r;
    char got[512];
    assert_int_equal(isa_assemble(target, source, strlen(source), "t", NULL, &r, got, sizeof got),
                     -1);
    assert_string_equal(got, message);
}

TEST(test_messages) {
    check_message(targets[0], "mov b32 $r1 $r2\nadd b32 $r0 $r1 $r64",
                  "t:2:17: `$r64` does not exist (max $r63, which is 0)");
    check_message(targets[0], "ld b64 $r3d ca g[$r2d]",
                  "t:1:8: `$r3d` must start at a multiple of 2");
    check_message(targets[0], "frob $r1", "t:1:1: unknown mnemonic `frob`");
    check_message(targets[0], "bra #nowhere", "t:1:5: `#nowhere` is not defined");
    check_message(targets[2], "LD R0, [R2+16]", "t:1:12: offsets are hexadecimal in this notation");
    check_message(targets[2], "IADD R0, R1, c[0x1][0x3]",
                  "t:1:14: the offset must be a multiple of 4");
    check_message(targets[4], "ADD R0, R64, 1", "t:1:9: `R64` does not exist (max R63)");
    check_message(targets[0], "l mov b32 $r1 $r2", "t:1:1: unknown mnemonic `l`");
    check_message(targets[2], "!Label", "t:1:7: expected !Label name");
    check_message(targets[2], "!Label 5", "t:1:8: expected !Label name");
    check_message(targets[4], "@P16 EXIT", "t:1:2: there are P0 to P15");
    check_message(targets[2], "BAR.RED.POPC R43, 0x10", "t:1:19: too large (max 0xf)");
    check_message(targets[2], "BAR.RED.POPC R43, 0xf, 0x1000", "t:1:24: too large (max 0xfff)");
    check_message(targets[2], "@P10 MOV R0, R1", "t:1:2: there are P0 to P7");
    check_message(targets[2], "@P1x MOV R0, R1",
                  "t:1:2: unexpected `P1x`, expected a predicate (P0 ...)");
    check_message(
        targets[2], "@PREDICATE_WITH_A_LONG_NAME_THAT_IS_NONE MOV R0, R1",
        "t:1:2: unexpected `PREDICATE_WITH_A_LONG_NAME_THAT_IS_NONE`, expected a predicate (P0 ...)");
    check_message(targets[2], "MOV R0, step",
                  "t:1:9: unexpected `step`, expected a register (R0 ...) or c[][] or a number");
    check_message(targets[2], "MOV R0, #step",
                  "t:1:9: unexpected `#step`, expected a register (R0 ...) or c[][] or a number");
    check_message(targets[2], "MOV32I R0, F", "t:1:12: unexpected `F`, expected a number");
    check_message(targets[2], "MOV32I R0, FH", "t:1:12: unexpected `FH`, expected a number");
    check_message(targets[2], "NOP CC.XX", "t:1:8: unknown test of CC");
    check_message(targets[2], "!Nothing 5", "t:1:2: unknown directive `Nothing`");
    check_message(
        targets[2], ".nothing 5",
        "t:1:1: `.nothing` is no directive of the assembler (program headers are not part of a .bin file)");
    check_message(targets[2], "!RawInstruction", "t:1:2: expected !RawInstruction 0xW0 [0xW1]");
    check_message(targets[2], "!RawInstruction 1 2 3",
                  "t:1:2: expected !RawInstruction 0xW0 [0xW1]");
    check_message(targets[2], "!Align 4", "t:1:8: !Align takes 0 or 8");
    check_message(targets[2], "!Align 16", "t:1:8: `16` is too large (max 0x8)");
    check_message(targets[4], "TEX.2D R25, R11, R32, 64:0:1", "t:1:23: a texture is at most 63");
    check_message(targets[4], "TEX.2D R25, R11, R32, 1:32:1", "t:1:25: a sampler is at most 31");
    check_message(targets[4], "TEX.2D R25, R11, R32, 1:1:16",
                  "t:1:27: a component mask is at most 15");
    check_message(targets[4], "MOVI R1, step", "t:1:10: unexpected `step`, expected a number");
    check_message(targets[4], "MOVI R1, 1.5", "t:1:10: an integer is expected here");
    check_message(targets[4], "MOVI R1, 2097152",
                  "t:1:10: `2097152` does not fit 22 bits with sign");
    check_message(targets[4], "ADD R1, R2, #x", "t:1:13: `#x` is not defined");
    check_message(targets[4], "FADD F1, F2, F64", "t:1:14: `F64` does not exist (max R63)");
    check_message(targets[2], "IADD F1, R2, R3",
                  "t:1:6: unexpected `F1`, expected a register (R0 ...)");
}

/* asfermi's numbers with signs and exponents, and parts that may be left out. */
TEST(test_asfermi_spellings) {
    static const char *const same[][2] = {
        {"MOV32I R1, F-1e10", "MOV32I R1, 0xd01502f9"},
        {"MOV32I R1, F-1.5e-3", "MOV32I R1, 0xbac49ba6"},
        {"MOV32I R1, FH-1.5e300", "MOV32I R1, 0xfe41eb2d"},
        {"FADD R0, R1, F2.5e0", "FADD R0, R1, 0x40200"},
        {"VADD.U8.S8 R50, R4.B0, R14.B0, R12", "VADD.U8.S8 R50, R4, R14, R12"},
        {"VADD.S16.U16 R40, R62.H0, R54.H0, R26", "VADD.S16.U16 R40, R62, R54, R26"},
    };
    static const char *const none[] = {"MOV32I R1, F0x1p3", "MOV32I R1, Finf", "MOV32I R1, Fnan",
                                       "MOV32I R1, F0x10",  "MOV32I R1, F1e",  "MOV32I R1, F1.5.2"};
    const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI};
    for (size_t i = 0; i < LENGTH(none); i++) {
        struct asm_result r;
        char message[512];
        if (!isa_assemble(target, none[i], strlen(none[i]), "t", NULL, &r, message, sizeof message))
            fail_msg("%s", none[i]);
    }
    for (size_t i = 0; i < LENGTH(same); i++) {
        struct asm_result r[2];
        char message[512];
        for (int k = 0; k < 2; k++)
            if (isa_assemble(target, same[i][k], strlen(same[i][k]), "t", NULL, &r[k], message,
                             sizeof message))
                fail_msg("%s", message);
        assert_memory_equal(r[0].words, r[1].words, 8);
        asm_result_free(&r[0]);
        asm_result_free(&r[1]);
    }
}

/* Labels before and after their use, in each notation, give the same code as addresses. */
TEST(test_labels) {
    static const char *const sources[][2] = {
        {"joinat #out\ntop: $p0 bra #out\nbra #top\nout: exit",
         "long joinat 0x18\nlong $p0 bra 0x18\nlong bra 0x8\nexit"},
        {"joinat #out\ntop: $p0 bra #out\nbra #top\nout: exit",
         "long joinat 0x18\nlong $p0 bra 0x18\nlong bra 0x8\nexit"},
        {"SSY !out\n!Label top\n@P0 BRA !out\nBRA !top; !Label out\nEXIT",
         "SSY 0x18; @P0 BRA 0x18; BRA 0x8; EXIT"},
        {"SSY !out\n!Label top\n@P0 BRA !out\nBRA !top; !Label out\nEXIT",
         "SSY 0x18; @P0 BRA 0x18; BRA 0x8; EXIT"},
        {"SSY out\ntop: @P0 BRA out\nBRA top\nout: EXIT", "SSY 0x18\n@P0 BRA 0x18\nBRA 0x8\nEXIT"}};
    for (unsigned i = 0; i < TARGETS; i++) {
        struct asm_result r[2];
        char message[512];
        for (int k = 0; k < 2; k++)
            if (isa_assemble(targets[i], sources[i][k], strlen(sources[i][k]), "t", NULL, &r[k],
                             message, sizeof message))
                fail_msg("%s", message);
        assert_int_equal(r[0].count, r[1].count);
        assert_memory_equal(r[0].words, r[1].words, r[0].count * 4);
        asm_result_free(&r[0]);
        asm_result_free(&r[1]);
    }
}

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

/* Directives that define names. A name is a word that does not begin with $ or a dot; a value must
 * follow it. */
TEST(test_names) {
    static const char *const bad[] = {".const 5 c0[0x10]",
                                      ".const $r1 c0[0x10]",
                                      ".const .x c0[0x10]",
                                      ".const x",
                                      ".const _x c0[0x10]",
                                      ".const",
                                      ".const #x c0[0x10]",
                                      ".const ( c0[0x10]",
                                      ".const [x] c0[0x10]",
                                      ".equ 5 3",
                                      ".equ x 3",
                                      ".equ #x",
                                      ".equ"};
    static const char *const taken[] = {".const x c0[0x10]\nadd b32 $r1 $r1 x",
                                        ".equ #x 3\nadd b32 $r1 $r1 #x", "_: nop\nup: bra #_",
                                        "__x: nop\nup: bra #__x", "up: nop\n_x: bra #_x"};
    const struct isa_target target = {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS};
    char said[512];
    check_message(target, "_x: nop\nup: bra #_x",
                  "t:2:9: `#_x` is not defined"); /* _x is local to the label before it */
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assemble_start(target, bad[i], strlen(bad[i]), said);
        if (strstr(said, " words") || strncmp(said, "t:1:", 4))
            fail_msg("%s: %s", bad[i], said);
    }
    for (size_t i = 0; i < LENGTH(taken); i++) {
        assemble_start(target, taken[i], strlen(taken[i]), said);
        if (strncmp(said, "t:", 2) == 0)
            fail_msg("%s: %s", taken[i], said);
    }
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
        {{ISA_G64, PROGRAM_CP, SYNTAX_ASFERMI},
         "MOVI R1, -12; STA.64 [R2+0x8], R4 # so\n@!P1 EXIT"}};
    static const char behind[] = "019aefxHLPR.-+:;,#/*!@[]|_ \n\"";
    for (size_t i = 0; i < LENGTH(texts); i++)
        for (size_t length = 0; length <= strlen(texts[i].text); length++) {
            char said[2][512], text[256];
            memcpy(text, texts[i].text, length);
            text[length] = 0;
            assemble_start(texts[i].target, text, length, said[0]);
            for (const char *b = behind; *b; b++) {
                memset(text + length, *b, 8);
                assemble_start(texts[i].target, text, length, said[1]);
                if (strcmp(said[0], said[1]))
                    fail_msg("%.*s, before %c: %s, not %s", (int)length, text, *b, said[1],
                             said[0]);
            }
        }
}
