/* Rules for every instruction: the encoding of an op decodes to the same op, or the op is refused;
 * each notation's names for parts of words; the fields of the op; the limits of numbers, registers
 * and offsets. */
#include "shader/isa/dotted.h"
#include "tests/shader/encode.h"
#include "tests/test.h"

static const struct isa_target tesla = {ISA_GT215, PROGRAM_CP, SYNTAX_ENVYAS},
                               fermi = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
                               asfermi = {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
                               g64 = {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS};

static struct op decoded(struct isa_target target, uint32_t w0, uint32_t w1) {
    struct op op;
    isa_decode(target, (uint32_t[]){w0, w1}, 2, 0, &op);
    return op;
}

/* ---- ops with altered fields ---- */

#define M(m) offsetof(struct op, m)
#define OPERAND(o)                                                                                 \
    {M(o.file), 1, FILE_PRIM}, {M(o.type), 1, TYPE_B96}, {M(o.mem), 1, TYPE_B96},                  \
        {M(o.index), 1, 15}, {M(o.areg), 1, 7}, {M(o.flags), 1, 15}, {M(o.value), 4, 0x1ff}

/* The parts of Tesla's instructions: place and size in struct op, and the highest value that is
 * tried. */
static const struct {
    uint16_t at, size;
    uint32_t most;
} parts[] = {
    {M(pred), 1, 31},
    {M(pred_reg), 1, 3},
    {M(cdst), 1, 4},
    {M(type), 1, TYPE_B96},
    {M(exit), 1, 1},
    {M(join), 1, 1},
    {M(sat), 1, 1},
    {M(high), 1, 1},
    {M(integral), 1, 1},
    {M(limited), 1, 1},
    {M(sfu), 1, 1},
    {M(emit), 1, 1},
    {M(restart), 1, 1},
    {M(vote_any), 1, 1},
    {M(vote_all), 1, 1},
    {M(round), 1, 3},
    {M(cond), 1, 15},
    {M(add_kind), 1, 4},
    {M(logic), 1, 3},
    {M(atomic), 1, 15},
    {M(lane_mask4), 1, 15},
    {M(quad_lane), 1, 7},
    {M(quad_ops[0]), 1, 3},
    {M(quad_ops[1]), 1, 3},
    {M(quad_ops[2]), 1, 3},
    {M(quad_ops[3]), 1, 3},
    {M(interp_mode), 1, 2},
    {M(bar_inc), 1, 1},
    {M(bar_wait), 1, 1},
    {M(bar_all), 1, 1},
    {M(bar_id), 1, 16},
    {M(bar_count), 2, 0x1000},
    {M(target), 4, 0x2000000},
    OPERAND(dst),
    OPERAND(src[0]),
    OPERAND(src[1]),
    OPERAND(src[2]),
    {M(tex.tic), 1, 255},
    {M(tex.tsc), 1, 32},
    {M(tex.call.source_count), 1, 5},
    {M(tex.call.result_mask), 1, 16},
    {M(tex.base), 1, 128},
    {M(tex.call.cube), 1, 1},
    {M(tex.live), 1, 1},
    {M(tex.deriv), 1, 1},
    {M(tex.call.offset[0]), 1, 255},
    {M(tex.call.offset[1]), 1, 255},
    {M(tex.call.offset[2]), 1, 255},
};
enum { PARTS = LENGTH(parts) };

static uint32_t get(const struct op *op, size_t part) {
    uint32_t v = 0;
    memcpy(&v, (const uint8_t *)op + parts[part].at, parts[part].size);
    return v;
}

static void set(struct op *op, size_t part, uint32_t v) {
    memcpy((uint8_t *)op + parts[part].at, &v, parts[part].size);
}

/* If an altered op has an encoding, the encoding decodes to the altered op. */
TEST(test_altered_ops) {
    unsigned encoded = 0, refused = 0;
    for (unsigned n = 0; n < 30 * isa_tesla.row_count; n++) {
        const struct row *row = &isa_tesla.rows[n % isa_tesla.row_count];
        const struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                          random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        const uint32_t w0 = (random_word() & random_word() & ~row->mask[0]) | row->bits[0];
        const uint32_t w1 = (random_word() & random_word() & ~row->mask[1]) | row->bits[1];
        const struct op op = decoded(target, w0, w1);
        if (op.code == OP_ILLEGAL)
            continue;
        for (size_t part = 0; part < PARTS; part++) {
            struct op altered = op, back;
            uint32_t w[2];
            const uint32_t v = random_word() % (parts[part].most + 1);
            set(&altered, part, v);
            const int words = isa_encode(target, &altered, w);
            *(words ? &encoded : &refused) += 1;
            if (!words)
                continue;
            isa_decode(target, w, (size_t)words, 0, &back);
            assert_int_equal(back.code, op.code);
            assert_int_equal(back.words, words);
            for (size_t k = 0; k < PARTS; k++)
                if (get(&back, k) != get(&altered, k))
                    fail_msg("%08x %08x, byte %u made %u: byte %u is %u, not %u", w0, w1,
                             parts[part].at, v, parts[k].at, get(&back, k), get(&altered, k));
        }
    }
    assert_true(encoded > 10000);
    assert_true(refused > 10000);
}

/* ---- what text assembles to ---- */

/* Assembles text. said gets the words in hexadecimal, or the message. The text ends at the end of
 * an allocation, so that AddressSanitizer finds reads behind it. */
static void assembled(struct isa_target target, const char *text, char said[512]) {
    struct asm_result r;
    char message[400] = "";
    const size_t length = strlen(text), blanks = -length % 16;
    char *exact = malloc(blanks + length);
    memset(exact, ' ', blanks);
    memcpy(exact + blanks, text, length);
    int at = 0;
    if (isa_assemble(target, exact, blanks + length, "t", NULL, &r, message, sizeof message))
        snprintf(said, 512, "%s", message);
    else {
        *said = 0;
        for (size_t i = 0; i < r.count; i++)
            at += snprintf(said + at, 512 - (size_t)at, "%s%08x", i ? " " : "", r.words[i]);
        asm_result_free(&r);
    }
    free(exact);
}

struct said {
    const struct isa_target *target;
    const char *text, *says; /* words, another text with the same words, or NULL: text is refused */
};

static void check_said(const struct said *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char is[512], other[512];
        assembled(*rows[i].target, rows[i].text, is);
        if (!rows[i].says) {
            if (strncmp(is, "t:", 2))
                fail_msg("%s: %s", rows[i].text, is);
            continue;
        }
        if (!strcmp(is, rows[i].says))
            continue;
        assembled(*rows[i].target, rows[i].says, other);
        if (strcmp(is, other) || !strncmp(is, "t:", 2))
            fail_msg("%s: %s, not %s", rows[i].text, is, rows[i].says);
    }
}
#define CHECK_SAID(rows) check_said(rows, LENGTH(rows))

/* Numbers with a point stand for the bits of a float, in the notations that have them. */
TEST(test_floats) {
    static const struct said rows[] = {
        {&tesla, "mov b32 $r0 1.0", "mov b32 $r0 0x3f800000"},
        {&tesla, "mov b32 $r0 -1.0", "mov b32 $r0 0xbf800000"},
        {&tesla, "mov b32 $r0 0.1", "mov b32 $r0 0x3dcccccd"},
        {&tesla, "mov b32 $r0 1.5e3", "mov b32 $r0 0x44bb8000"},
        {&tesla, "mov b32 $r0 -1.5e-3", "mov b32 $r0 0xbac49ba6"},
        {&tesla, "mov b32 $r0 3.0e38", "mov b32 $r0 0x7f61b1e6"},
        {&tesla, "mov b32 $r0 3.5e38", NULL},
        {&tesla, "mov b32 $r0 -3.5e38", NULL},
        {&tesla, "mov b32 $r0 0.0", "mov b32 $r0 0x0"},
        {&tesla, "mov b32 $r0 -0.0", "mov b32 $r0 0x80000000"},
        {&tesla, "mov b32 $r0 1.x", NULL},
        {&tesla, "mov b32 $r0 1.5e", NULL},
        {&tesla, "mov b32 $r0 1.5e+3", NULL},
        {&fermi, "mov b32 $r0 2.5", "mov b32 $r0 0x40200000"},
        {&g64, "FADD R1, R2, 1.0", "FADD R1, R2, 0x3f800000"},
        {&g64, "FADD R1, R2, 1", "FADD R1, R2, 0x3f800000"},
        {&g64, "FADD R1, R2, -3", "FADD R1, R2, 0xc0400000"},
        {&g64, "FADD R1, R2, 1.5e+3", "FADD R1, R2, 0x44bb8000"},
        {&g64, "FADD R1, R2, 0x3f800400", "FADD R1, R2, 1.0001220703125"},
        {&g64, "FADD R1, R2, 0x3f800200", NULL},
        {&g64, "FADD R1, R2, 0x13f800000", NULL},
        {&g64, "MOVI R1, 1.5", NULL},
        {&asfermi, "MOV32I R1, F", NULL},
        {&asfermi, "MOV32I R1, FH", NULL},
        {&asfermi, "MOV32I R1, FL", NULL},
        {&asfermi, "MOV32I R1, F-", NULL},
        {&asfermi, "MOV32I R1, F1", "MOV32I R1, 0x3f800000"},
        {&asfermi, "MOV32I R1, F+1", "MOV32I R1, 0x3f800000"},
        {&asfermi, "MOV32I R1, F0.1", "MOV32I R1, 0x3dcccccd"},
        {&asfermi, "MOV32I R1, FH0.1", "MOV32I R1, 0x3fb99999"},
        {&asfermi, "MOV32I R1, FL0.1", "MOV32I R1, 0x9999999a"},
        {&asfermi, "MOV32I R1, H0x123456789", "MOV32I R1, 0x1"},
        {&asfermi, "MOV32I R1, L0x123456789", "MOV32I R1, 0x23456789"},
        {&asfermi, "MOV32I R1, H0xfedcba9876543210", "MOV32I R1, 0xfedcba98"},
        {&asfermi, "MOV32I R1, L18446744073709551615", "MOV32I R1, 0xffffffff"},
        {&asfermi, "MOV32I R1, L0x10000000000000000", NULL},
        {&asfermi, "MOV32I R1, L0000000000000000000000000000007",
         "MOV32I R1, 7"}, /* the longest literal that is accepted */
        {&asfermi, "MOV32I R1, L00000000000000000000000000000007", NULL},
        {&asfermi, "MOV32I R1, H-1", NULL},
        {&asfermi, "MOV32I R1, H", NULL},
        {&asfermi, "MOV32I R1, L", NULL},
        {&asfermi, "MOV32I R1, Lx", NULL},
        {&asfermi, "MOV32I R1, 1.5", NULL},
        {&asfermi, "MOV32I R1, 0xffffffff", "MOV32I R1, -1"},
        {&asfermi, "MOV32I R1, 0x100000000", NULL},
        {&asfermi, "MOV32I R1, -0x100000000", "MOV32I R1, 0"},
        {&asfermi, "MOV32I R1, -0x100000001", NULL},
        {&asfermi, "FADD R0, R1, FH1.5", NULL},
    };
    CHECK_SAID(rows);
}

/* generic64: operands of textures are numbers; F is another name for R registers. */
TEST(test_g64_operands) {
    static const struct said rows[] = {
        {&g64, "TEX.2D R25, R11, R32, 0:0:1", "02000400 005864b8"},
        {&g64, "TEX.2D R25, R11, R32, 63:31:15", "1fffc400 005864b8"},
        {&g64, "TEX.2D R25, R11, R32, 64:0:1", NULL},
        {&g64, "TEX.2D R25, R11, R32, 1:32:1", NULL},
        {&g64, "TEX.2D R25, R11, R32, 1:1:16", NULL},
        {&g64, "FADD F1, F2, F63", "FADD R1, R2, R63"},
        {&g64, "FADD F1, F2, F64", NULL},
        {&asfermi, "IADD F1, R2, R3", NULL},
    };
    CHECK_SAID(rows);
}

/* A name defined by .equ can stand wherever a number can. */
TEST(test_names_of_numbers) {
    static const struct said rows[] = {
        {&g64, ".equ #x 5\nMOVI R1, #x", "MOVI R1, 5"},
        {&g64, ".equ #x -5\nADD R1, R2, #x", "ADD R1, R2, -5"},
        {&g64, "MOVI R1, #x", NULL},
        {&g64, "MOVI R1, x", NULL},
        {&g64, "MOVI R1, R2", NULL},
        {&g64, "MOVI R1,", NULL},
        {&g64, "MOVI R1, 2097151", "MOVI R1, 0x1fffff"},
        {&g64, "MOVI R1, 2097152", NULL},
        {&g64, "MOVI R1, -2097153", NULL},
        {&g64, "MOVHI R1, 1023", "MOVHI R1, 0x3ff"},
        {&g64, "MOVHI R1, 1024", NULL},
        {&g64, "MOVHI R1, -1", NULL},
        {&tesla, ".equ #x 5\nmov b32 $r1 #x", "mov b32 $r1 0x5"},
        {&fermi, ".equ #x 5\nmov b32 $r1 #x", "mov b32 $r1 0x5"},
        {&fermi, ".equ #x 8\nld b32 $r0 ca g[$r2+#x]", "ld b32 $r0 ca g[$r2+0x8]"},
    };
    CHECK_SAID(rows);
}

/* The names of predicates, in upper and lower case. A longer word that begins like a predicate is
 * none. */
TEST(test_predicates) {
    static const struct said rows[] = {
        {&asfermi, "@P6 EXIT", "@p6 EXIT"},
        {&asfermi, "@P7 EXIT", "EXIT"},
        {&asfermi, "@!PZ EXIT", "@!pz EXIT"},
        {&asfermi, "@P8 EXIT", NULL},
        {&asfermi, "@PT EXIT", NULL},
        {&asfermi, "@P EXIT", NULL},
        {&asfermi, "@P00 EXIT", "@P0 EXIT"},
        {&asfermi, "@P000 EXIT", NULL},
        {&asfermi, "@P0000000000000000000000000000000000000000 EXIT", NULL},
        {&asfermi, "@Q0 EXIT", NULL},
        {&asfermi, "@5 EXIT", NULL},
        {&asfermi, "@ EXIT", NULL},
        {&asfermi, "PSETP.AND.AND P0, pt, P1, P2, P3", "PSETP.AND.AND P0, PT, P1, P2, P3"},
        {&asfermi, "PSETP.AND.AND P0, pz, P1, P2, P3", NULL},
        {&g64, "@P15 EXIT", "@P15 EXIT"},
        {&g64, "@P16 EXIT", NULL},
        {&g64, "@p1 EXIT", NULL},
        {&g64, "@PT EXIT", NULL},
        {&g64, "@PZ EXIT", NULL},
        {&g64, "@P001 EXIT", NULL},
        {&fermi, "long $p6 exit", "000019e7 80000000"},
        {&fermi, "$p8 exit", NULL},
        {&fermi, "(not $p8) exit", NULL},
        {&fermi, "(not $p1 exit", NULL},
    };
    CHECK_SAID(rows);
}

/* !Align n inserts a NOP where the offset is not n modulo 16. */
TEST(test_asfermi_align) {
    static const struct said rows[] = {
        {&asfermi, "!Align 0; EXIT", "EXIT"},
        {&asfermi, "!Align 8; EXIT", "NOP; EXIT"},
        {&asfermi, "EXIT; !Align 8; EXIT", "EXIT; EXIT"},
        {&asfermi, "EXIT; !Align 0; EXIT", "EXIT; NOP; EXIT"},
        {&asfermi, "EXIT; EXIT; !Align 0; EXIT", "EXIT; EXIT; EXIT"},
        {&asfermi, "EXIT; EXIT; !Align 8; EXIT", "EXIT; EXIT; NOP; EXIT"},
        {&asfermi, "EXIT; EXIT; EXIT; !Align 8; EXIT", "EXIT; EXIT; EXIT; EXIT"},
        {&asfermi, "!Align 8; !Align 8; !Align 0; EXIT", "NOP; NOP; EXIT"},
        {&asfermi, "!Align 4", NULL},
        {&asfermi, "!Align 16", NULL},
        {&asfermi, "!Align", NULL},
        {&asfermi, "!Align 8 8", NULL},
        {&asfermi, "!RawInstruction 0x1 0x2", "00000001 00000002"},
        {&asfermi, "!RawInstruction 0x1", "00000001"},
        {&asfermi, "!RawInstruction", NULL},
        {&asfermi, "!RawInstruction 1 2 3", NULL},
        {&asfermi, "!RawInstruction 0xffffffff -1", "ffffffff ffffffff"},
        {&asfermi, "!RawInstruction 0x100000000", NULL},
        {&asfermi, "!Kernel a\n!EndKernel\nEXIT", "EXIT"},
        {&asfermi, "!Param 4 2\n!Shared 4\n!Local 4\n!MinStack 4\n!MinFrame 4\nEXIT", "EXIT"},
        {&asfermi, "!RegCount 4\n!BarCount 4\n!Arch sm_20\n!Machine 32\n!SelfDebug\nEXIT", "EXIT"},
        {&asfermi, "!Nothing\nEXIT", NULL},
    };
    CHECK_SAID(rows);
}

/* BAR takes a barrier and a count, each a register or a number. Registers that are left out are
 * RZ. */
TEST(test_barriers) {
    static const char *const texts[] = {"BAR.RED.POPC R0, R1, R2",
                                        "BAR.RED.POPC R0, 0xf, 0xfff",
                                        "BAR.RED.POPC R0, 0xf, R2",
                                        "BAR.RED.POPC R0, R1, 0xfff",
                                        "BAR.RED.POPC R0, RZ",
                                        "BAR.RED.POPC R0, 0x0",
                                        "BAR.RED.AND RZ, P0, RZ, R3",
                                        "BAR.ARV RZ, RZ",
                                        "BAR.ARV 0x1, RZ",
                                        "BAR.ARV RZ, 0x20",
                                        "BAR.ARV R62, R62"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct op op;
        char text[256] = "";
        if (!isa_assemble_line(asfermi, texts[i], strlen(texts[i]), 0, &op, text, sizeof text))
            fail_msg("%s: %s", texts[i], text);
        isa_print(asfermi, &op, text, sizeof text);
        assert_string_equal(text, texts[i]);
    }
    static const struct said rows[] = {
        {&asfermi, "BAR.ARV 0x10, R1", NULL},
        {&asfermi, "BAR.ARV R1, 0x1000", NULL},
        {&asfermi, "BAR.ARV R63, R1", NULL},
        {&asfermi, "BAR.ARV R1", NULL},
        {&asfermi, "BAR.ARV 1.5, R1", NULL},
        {&asfermi, "BAR.ARV", NULL},
        {&asfermi, "BAR.RED.POPC R0, R1, RZ", "BAR.RED.POPC R0, R1"},
    };
    CHECK_SAID(rows);
}

/* Fermi's notations write tests of $c; the op holds the test's number. */
TEST(test_tests_of_flags) {
    char text[256], source[300], words[32];
    struct op op, again;
    for (uint32_t i = 0; i < 32; i++) {
        op = decoded(fermi, 0x00001c07 | i << 5, 0x80000000);
        assert_int_equal(op.code, OP_EXIT);
        assert_int_equal(op.pred, i);
        isa_print(fermi, &op, text, sizeof text);
        assert_int_equal(strstr(text, " $c exit") != NULL, i != PRED_ALWAYS);
        snprintf(source, sizeof source, "long %s", text);
        snprintf(words, sizeof words, "%08x %08x", op.w[0], op.w[1]);
        check_said(&(struct said){&fermi, source, words}, 1);
        op = decoded(asfermi, 0x00001c04 | i << 5, 0x40000000);
        isa_print(asfermi, &op, text, sizeof text);
        assert_int_equal(strstr(text, "NOP CC.") != NULL, i != PRED_ALWAYS);
        if (!isa_assemble_line(asfermi, text, strlen(text), 0, &again, text, sizeof text))
            fail_msg("%s", text);
        assert_memory_equal(again.w, op.w, sizeof op.w);
    }
    static const struct said rows[] = {
        {&asfermi, "NOP CC.T", "NOP"},   {&asfermi, "NOP CC.XX", NULL},
        {&asfermi, "NOP CC", NULL},      {&asfermi, "NOP CC.", NULL},
        {&asfermi, "NOP CX.T", NULL},    {&fermi, "xx $c exit", NULL},
        {&fermi, "le $c $p1 exit", NULL}};
    CHECK_SAID(rows);
}

/* Barrier numbers and thread counts keep all their bits in the op. */
TEST(test_numbers_of_ops) {
    for (uint32_t id = 0; id < 16; id++)
        for (uint32_t count = 1; count < 0x1000; count = 2 * count + 1) {
            char text[128], message[256];
            struct op op;
            snprintf(text, sizeof text, "BAR.ARV 0x%x, 0x%x", id, count);
            if (!isa_assemble_line(asfermi, text, strlen(text), 0, &op, message, sizeof message))
                fail_msg("%s: %s", text, message);
            const struct op read = decoded(fermi, op.w[0], op.w[1]);
            assert_int_equal(read.bar_id, id);
            assert_int_equal(read.bar_count, count);
            snprintf(text, sizeof text, "bar inc wait 0x%x 0x%x", id, count);
            if (!isa_assemble_line(tesla, text, strlen(text), 0, &op, message, sizeof message))
                fail_msg("%s: %s", text, message);
            assert_int_equal(op.bar_id, id);
            assert_int_equal(op.bar_count, count);
            assert_int_equal(decoded(tesla, op.w[0], op.w[1]).bar_count, count);
            char again[128];
            isa_print(tesla, &op, again, sizeof again);
            assert_string_equal(again, text);
        }
}

/* An illegal instruction is printed with its words and the reason. */
TEST(test_raw_words) {
    static const struct {
        const struct isa_target *target;
        uint32_t w[2];
        const char *text;
    } rows[] = {
        {&tesla, {0x00000000, 0}, ".b32 0x00000000 // ILLEGAL_OPCODE"},
        {&tesla, {0xf0000201, 0xc0000780}, ".b32 0xf0000201 0xc0000780 // EMIT_NON_GP"},
        {&asfermi, {0x00000007, 0}, "!RawInstruction 0x00000007 0x00000000 // bra"},
        {&fermi, {0x0000000f, 0}, ".b32 0x0000000f // ILLEGAL_INSTR_ENCODING"},
        {&fermi, {0x00000007, 0xf0000000}, ".b32 0x00000007 0xf0000000 // ILLEGAL_INSTR_ENCODING"},
        {&asfermi,
         {0x00000007, 0xf0000000},
         "!RawInstruction 0x00000007 0xf0000000 // ILLEGAL_INSTR_ENCODING"},
        {&asfermi, {0x00001c08, 0}, "!RawInstruction 0x00001c08 // nop"},
        {&g64, {0xffffffff, 0xffffffff}, ".b32 0xffffffff 0xffffffff // ILLEGAL_INSTR_ENCODING"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        const struct op op = decoded(*rows[i].target, rows[i].w[0], rows[i].w[1]);
        const int length = isa_print(*rows[i].target, &op, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(length, strlen(text));
        for (size_t size = 0; size < strlen(rows[i].text) + 2; size++) { /* each size: cut to fit */
            char *part = malloc(size);
            assert_int_equal(isa_print(*rows[i].target, &op, size ? part : NULL, size), length);
            if (size) {
                assert_int_equal(strlen(part), size <= (size_t)length ? size - 1 : (size_t)length);
                assert_memory_equal(part, text, strlen(part));
            }
            free(part);
        }
    }
}

static bool has_kind(const struct isa *isa, const struct row *row, enum field_kind kind) {
    for (const uint16_t *f = row->fields; *f; f++)
        if (isa->fields[*f].kind == kind)
            return true;
    return false;
}

/* Fermi's register 63 is written as 0, except as the first register of a vector, a pair or a
 * quad. */
TEST(test_zero_register) {
    unsigned zeros = 0;
    for (int v = ISA_GF100; v <= ISA_GK104; v++)
        for (unsigned i = 0; i < isa_fermi.row_count; i++) {
            const struct row *row = &isa_fermi.rows[i];
            if (has_kind(&isa_fermi, row, PLAIN_VECTOR) ||
                has_kind(&isa_fermi, row, PLAIN_MASKED) || has_kind(&isa_fermi, row, PLAIN_TEX1) ||
                has_kind(&isa_fermi, row, PLAIN_TEX2))
                continue;
            uint64_t w = row->bits[0] | (uint64_t)row->bits[1] << 32;
            for (const uint16_t *f = row->fields; *f; f++)
                if (isa_fermi.fields[*f].kind == PLAIN_REG)
                    w |= (uint64_t)FERMI_RZ << isa_fermi.fields[*f].pos;
            const struct isa_target target = {(enum isa_variant)v, PROGRAM_CP, SYNTAX_ENVYAS};
            const struct op op = decoded(target, (uint32_t)w, (uint32_t)(w >> 32));
            char text[256];
            isa_print(target, &op, text, sizeof text);
            zeros += strstr(text, " 0x0") != NULL;
            for (const char *at = text; (at = strstr(at, "$r63")); at += 4)
                if (at[4] != 'd' && at[4] != 'q')
                    fail_msg("%s", text);
        }
    assert_true(zeros > 200);
}

/* Words of the row: the field `field` holds v, the bits of other fields are random and mostly 0. */
static uint64_t with_choice(const struct isa *isa, const struct row *row, const struct field *field,
                            uint32_t v) {
    const uint64_t fixed = row->mask[0] | (uint64_t)row->mask[1] << 32,
                   low = (1u << field->len) - 1;
    const uint64_t high = (1u << field->len2) - 1;
    uint64_t w = 0, own = low << field->pos | high << field->pos2;
    for (const uint16_t *f = row->fields; *f; f++)
        w |= dot_field_mask(&isa->fields[*f]) & (random_word() | (uint64_t)random_word() << 32) &
             (random_word() | (uint64_t)random_word() << 32);
    w = (w & ~fixed) | row->bits[0] | (uint64_t)row->bits[1] << 32;
    return (w & ~own) | (v & low) << field->pos | (uint64_t)(v >> field->len) << field->pos2;
}

/* Every named choice of the dotted notations can be written: some words print with the name, and
 * the text assembles to the same words. */
TEST(test_choices) {
    static const struct isa_target targets[] = {{ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
                                                {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}};
    for (int t = 0; t < 2; t++) {
        const struct isa *isa = isa_notation(targets[t]);
        unsigned found = 0, missing = 0;
        for (unsigned i = 0; i < isa->row_count; i++)
            for (const uint16_t *f = isa->rows[i].fields; *f; f++) {
                const struct field *field = &isa->fields[*f];
                for (unsigned v = 0;
                     field->kind == DOT_CHOICE && v < 1u << (field->len + field->len2); v++) {
                    char text[256] = "", name[32], message[256];
                    struct op op, again;
                    bool right = !field->choice[v].name;
                    snprintf(name, sizeof name, ".%s", right ? "" : field->choice[v].name);
                    for (int tries = 0; tries < 100 && !right; tries++) {
                        const uint64_t w = with_choice(isa, &isa->rows[i], field, v);
                        op = decoded(targets[t], (uint32_t)w, (uint32_t)(w >> 32));
                        if (op.code == OP_ILLEGAL)
                            continue;
                        isa_print(targets[t], &op, text, sizeof text);
                        right = (!name[1] || strstr(text, name)) &&
                                isa_assemble_line(targets[t], text, strlen(text), 0, &again,
                                                  message, sizeof message) &&
                                !memcmp(again.w, op.w, sizeof op.w);
                    }
                    *(right ? &found : &missing) += 1;
                }
            }
        assert_true(found > 200);
        assert_int_equal(missing,
                         t ? 0 : 57); /* asfermi: shorter in another row, or with unnamed bits */
    }
}

/* In generic64 every bit counts: words that differ in one bit are illegal or have another text. */
TEST(test_every_bit_counts) {
    unsigned other = 0, none = 0;
    for (unsigned i = 0; i < 4 * isa_g64.row_count; i++) {
        const struct row *row = &isa_g64.rows[i / 4];
        static const struct field nothing;
        const uint64_t w = with_choice(&isa_g64, row, &nothing, 0);
        const struct op op = decoded(g64, (uint32_t)w, (uint32_t)(w >> 32));
        char text[256], changed[256];
        if (op.code == OP_ILLEGAL)
            continue;
        isa_print(g64, &op, text, sizeof text);
        for (int bit = 0; bit < 64; bit++) {
            const uint64_t x = w ^ UINT64_C(1) << bit;
            const struct op at = decoded(g64, (uint32_t)x, (uint32_t)(x >> 32));
            isa_print(g64, &at, changed, sizeof changed);
            *(at.code == OP_ILLEGAL ? &none : &other) += 1;
            if (!strcmp(text, changed))
                fail_msg("%s: bit %d", text, bit);
        }
    }
    assert_true(none > 1000 && other > 1000);
}

/* asfermi: types and modes that may be left out. */
TEST(test_said_or_not) {
    static const struct said rows[] = {
        {&asfermi, "IMUL.S32.S32 R0, R1, R2", "08101ca3 50000000"},
        {&asfermi, "IMUL R0, R1, R2", "08101ca3 50000000"},
        {&asfermi, "IMUL.U32.U32 R0, R1, R2", "08101c03 50000000"},
        {&asfermi, "IMAD.S32.S32 R0, R1, R2, R3", "IMAD R0, R1, R2, R3"},
        {&asfermi, "I2F.F32.S32 R0, R1", "05201e04 18000000"},
        {&asfermi, "I2F R0, R1", "05201e04 18000000"},
        {&asfermi, "I2I.S32.S32 R0, R1", "05201e84 1c000000"},
        {&asfermi, "I2I R0, R1", "05201c04 1c000000"},
        {&asfermi, "F2F.F32.F32 R0, R1", "05201c04 10000000"},
        {&asfermi, "F2F.PASS R0, R1", "F2F R0, R1"},
        {&asfermi, "F2I.S32.F32 R0, R1", "05201c84 14000000"},
        {&asfermi, "F2I R0, R1", "05201c84 14000000"},
        {&asfermi, "F2I.U32 R0, R1", "05201c04 14000000"},
        {&asfermi, "ISETP.LT.AND P0, PT, R1, R2, PT", "ISETP.LT P0, PT, R1, R2"},
        {&asfermi, "PSETP.AND.AND P0, P1, P2, P3, P4", "PSETP P0, P1, P2, P3, P4"},
        {&asfermi, "VADD.S32.S32.S32 R0, R1, R2, R3", NULL},
        {&asfermi, "IMUL.S16 R0, R1, R2", NULL},
        {&asfermi, "IMUL. R0, R1, R2", NULL},
    };
    CHECK_SAID(rows);
}

/* Offsets of Tesla's loads and stores: multiples of the access size, 16 bits that wrap. */
TEST(test_tesla_offsets) {
    static const struct isa_target vp = {ISA_GT215, PROGRAM_VP, SYNTAX_ENVYAS};
    static const struct said rows[] = {
        {&tesla, "ld b32 $r0 l[0xfffc]", "d1fff801 40c00780"},
        {&tesla, "ld b32 $r0 l[-4]", "d1fff801 40c00780"},
        {&tesla, "ld b32 $r0 l[$a1+-4]", "d5fff801 40c00780"},
        {&tesla, "ld b32 $r0 l[$a1++-4]", "d7fff801 40c00780"},
        {&tesla, "ld b32 $r0 l[$a1++0x7ffc]", "d6fff801 40c00780"},
        {&tesla, "ld b32 $r0 l[0x10000]", NULL},
        {&tesla, "ld b32 $r0 l[-0x8000]", "ld b32 $r0 l[0x8000]"},
        {&tesla, "ld b32 $r0 l[-0x8001]", NULL},
        {&vp, "st b32 o[0x1fc] $r3", "0000fe01 80c0c780"},
        {&vp, "st b32 o[0xfffc] $r3", "007ffe01 80c0c780"},
        {&vp, "st b32 o[-4] $r3", "007ffe01 80c0c780"},
        {&vp, "st b32 o[$a1+-4] $r3", "047ffe01 80c0c780"},
        {&vp, "st b32 o[-0x8000] $r3", "00400001 80c0c780"},
        {&vp, "st b32 o[0x10000] $r3", NULL},
        {&vp, "st b32 o[-0x8004] $r3", NULL},
        {&vp, "st b32 o[2] $r3", NULL},
        {&vp, "st b32 o[$a1++4] $r3", NULL},
        {&vp, "ld b32 $r0 a[0x1fc]", "0000fe01 0423c780"},
        {&vp, "ld b32 $r0 a[0x200]", NULL},
        {&vp, "ld b32 $r0 a[-4]", NULL},
        {&vp, "ld b32 $r0 a[2]", NULL},
    };
    CHECK_SAID(rows);
}

/* Every short instruction has a long form, which is used before another long instruction. Both
 * forms mean the same. */
TEST(test_lengthened) {
    unsigned lengthened = 0;
    for (int type = 0; type < PROGRAM_TYPES; type++)
        for (unsigned i = 0; i < 10 * isa_tesla.row_count; i++) {
            const struct row *row = &isa_tesla.rows[i / 10];
            const struct isa_target target = {(enum isa_variant)(i % ISA_TESLA_VARIANTS),
                                              (enum program_type)type, SYNTAX_ENVYAS};
            const struct op op =
                decoded(target, row->bits[0] | (random_word() & random_word() & ~row->mask[0]), 0);
            char text[256], source[600], said[512];
            uint32_t w[2];
            if (op.code == OP_ILLEGAL || op.words != 1)
                continue;
            isa_print(target, &op, text, sizeof text);
            snprintf(source, sizeof source, "%s\nlong mov b32 $r1 $r2", text);
            assembled(target, source, said);
            if (sscanf(said, "%x %x", &w[0], &w[1]) != 2 || strcmp(said + 17, " 10000405 0403c780"))
                fail_msg("%s: %s", source, said);
            const struct op longer = decoded(target, w[0], w[1]);
            assert_int_equal(longer.words, 2);
            assert_int_equal(longer.code, op.code);
            for (size_t k = 0; k < PARTS; k++)
                if (get(&longer, k) != get(&op, k))
                    fail_msg("%s: byte %u is %u, not %u", text, parts[k].at, get(&longer, k),
                             get(&op, k));
            lengthened++;
        }
    assert_true(lengthened > 500);
}

/* A message quotes the text and lists the alternatives in whole words, as far as the buffer has
 * room. */
TEST(test_expectations) {
    static const struct {
        const struct isa_target *target;
        const char *text, *message;
    } rows[] = {
        {&fermi, "set 0x1 0x1 frob",
         "t:1:13: unexpected `frob`, expected the end of the line or false or lt or eq or le or gt or ne or ge or num "
         "or nan or "
         "ltu or equ or leu or gtu or neu or geu or true or never or l or e or g or lg or lge or u or lu or eu or gu "
         "or lgu or no "
         "or nc or ns or na or a or s or c or o or csm_ta or csm_tr or csm_mx or fcsm_ta or fcsm_tr or fcsm_mx or rle "
         "or rgt"},
        {&fermi, "cvt rn frob", "t:1:8: unexpected `frob`, expected f32 or f16 or f64"},
        {&fermi, "cvt rn", "t:1:7: the line ends here, expected f32 or f16 or f64"},
        {&fermi, "$p0", "t:1:4: expected an instruction"},
        {&tesla, "mov b32 $r200 $r1",
         "t:1:9: $r200 is out of range in this instruction (max $r127)"},
        {&asfermi, "MOV R0, c[0x1][0x3]", "t:1:9: the offset must be a multiple of 4"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct asm_result r;
        char message[512];
        assert_int_equal(isa_assemble(*rows[i].target, rows[i].text, strlen(rows[i].text), "t",
                                      NULL, &r, message, sizeof message),
                         -1);
        assert_string_equal(message, rows[i].message);
    }
}
