/* Program text: directives into headers, defaults from the code, labels, alignment, data, and
 * messages about mistakes, with line and column.
 */
#include "shader/isa/isa.h"
#include "shader/program.h"
#include "tests/test.h"

#include <unistd.h>

static struct program *make(enum program_type type, const char *text) {
    struct program_error error = {""};
    struct program *p = program_from_text(type, ISA_GT215, text, strlen(text), "test", &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

TEST(test_vertex) {
    struct program *p =
        make(PROGRAM_VP,
             ".attr 1 xy\n.attr 0 xyz\n.attr 9\n.builtin vertex_id instance_id\n"
             ".output position o[0x0]\n.output front_color0 o[0x20]\n.output varying o[0x10] 3\n"
             ".output zero 2\n.output one\n.output clip o[0x40] 2\n.output point_size o[0x1c]\n"
             "mov b32 o[0x0] a[0x0]\nexit mov b32 o[0x48] a[0x4]\n");
    const struct program_header *h = &p->header;
    static const uint8_t map[] = {0, 1, 2,           3,           8,          9,  10, 11, 4,
                                  5, 6, RESULT_ZERO, RESULT_ZERO, RESULT_ONE, 16, 17, 7};
    assert_int_equal(h->attr_enable[0], 0x37);
    assert_int_equal(h->attr_enable[1], 0xf0);
    assert_int_equal(h->builtin_enable, 0x11);
    assert_int_equal(h->map_size, sizeof map);
    assert_memory_equal(h->result_map, map, sizeof map);
    assert_int_equal(h->result_count, 0x48 / 4 + 1);
    assert_int_equal(h->slot_color[0][0], 4);
    assert_int_equal(h->slot_color[1][0], 0xff);
    assert_int_equal(h->slot_clip, 14);
    assert_int_equal(h->clip_count, 2);
    assert_int_equal(h->slot_point_size, 16);
    assert_int_equal(h->slot_layer, 0xff);
    assert_int_equal(h->reg_count, 1);
    program_unref(p);

    p = make(PROGRAM_VP,
             "mov b32 $r5 $r63\nmov b32 o[0x8] $r5\nexit nop\n"); /* everything has its default */
    assert_int_equal(p->header.result_count, 3);
    assert_int_equal(p->header.map_size, 3);
    assert_int_equal(p->header.result_map[2], 2);
    assert_int_equal(p->header.reg_count, 6);
    program_unref(p);
}

TEST(test_geometry) {
    struct program *p =
        make(PROGRAM_GP, ".output position o[0x0]\n.output layer o[0x10]\n.builtin primitive_id\n"
                         "emit\nemit\nrestart\nexit nop\n");
    assert_int_equal(p->header.gp_out_primitive, 3);
    assert_int_equal(p->header.gp_max_vertices, 2);
    assert_int_equal(p->header.builtin_enable, 0x100);
    assert_int_equal(p->header.slot_layer, 4);
    program_unref(p);
    p = make(PROGRAM_GP, ".primitive points\n.vertices 7\n.output zero 1\nexit nop\n");
    assert_int_equal(p->header.gp_out_primitive, 1);
    assert_int_equal(p->header.gp_max_vertices, 7);
    assert_int_equal(p->header.result_map[0], RESULT_ZERO);
    program_unref(p);
}

TEST(test_fragment) {
    struct program *p = make(
        PROGRAM_FP, ".interpolants position=x smooth=4 noperspective=2 smooth=1 flat=3 first=5\n"
                    ".targets 2\n.depth\n(lg $c0) discard\nexit nop\n");
    assert_int_equal(p->header.interpolant_ctrl, 0x9u << 24 | 7 << 16 | 5 << 8 | 10);
    assert_int_equal(p->header.noperspective[0], 3 << 9);
    assert_int_equal(p->header.fp_results, 9);
    assert_int_equal(p->header.fp_control, FP_MULTIPLE_RESULTS | FP_EXPORTS_Z | FP_USES_KILL);
    assert_int_equal(p->header.reg_count, 9);
    program_unref(p);
    p = make(PROGRAM_FP,
             "interp $r0 v[0x8]\ninterp $r1 flat v[0xc]\ninterp $r2 flat v[0x3fc]\nexit nop\n");
    assert_int_equal(p->header.interpolant_ctrl, 0x08020403);
    assert_int_equal(p->header.fp_results, 4);
    assert_int_equal(p->header.fp_control, 0);
    program_unref(p);
}

TEST(test_compute) {
    struct program *p =
        make(PROGRAM_CP, ".regs 9\n.local 32\nst b32 s[0x80] $r1\nbar inc wait 2 all\nexit nop\n");
    assert_int_equal(p->header.shared_size, 0xc0);
    assert_int_equal(p->header.barrier_count, 3);
    assert_int_equal(p->header.reg_count, 9);
    assert_int_equal(p->header.local_size, 32);
    program_unref(p);
    p = make(PROGRAM_CP,
             ".shared 0x1000\n.barriers 1\nst b32 l[0x10] $r1\nst b128 g2[$r40] $r4q\nexit nop\n");
    assert_int_equal(p->header.shared_size, 0x1000);
    assert_int_equal(p->header.barrier_count, 1);
    assert_int_equal(p->header.local_size, 32);
    assert_int_equal(p->header.reg_count, 41);
    program_unref(p);
}

/* The op at each word is the op that starts at this word. */
TEST(test_ops) {
    struct program *p = make(
        PROGRAM_FP, "mov b32 $r1 0x10000001\nadd b32 $r1 $r2 $r3\nadd b32 $r1 $r2 $r4\nexit nop\n");
    assert_int_equal(p->word_count, 6);
    assert_int_equal(p->ops[0].code, OP_MOV);
    assert_int_equal(p->ops[1].w[0], p->words[1]);
    assert_int_equal(p->ops[2].code, OP_IADD);
    assert_int_equal(p->ops[3].code, OP_IADD);
    assert_int_equal(p->ops[5].code, OP_ILLEGAL);
    program_unref(p);
}

/* Assembles text; out gets the words in hexadecimal. */
static void words_of(const char *text, char *out, size_t size) {
    struct asm_result r;
    char message[512];
    if (isa_assemble((struct isa_target){ISA_G80, PROGRAM_FP, SYNTAX_ENVYAS}, text, strlen(text),
                     "t", NULL, &r, message, sizeof message))
        fail_msg("%s", message);
    out[0] = 0;
    for (size_t i = 0; i < r.count; i++)
        snprintf(out + strlen(out), size - strlen(out), "%s%08x", i ? " " : "", r.words[i]);
    asm_result_free(&r);
}

TEST(test_assembler) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        /* shorts come in pairs; a single short before a long grows */
        {"add b32 $r1 $r2 $r3; add b32 $r1 $r2 $r3; quadon", "20038404 20038404 60000003 00000000"},
        {"add b32 $r1 $r2 $r3; quadon", "20000405 0400c780 60000003 00000000"},
        {"add b32 $r1 $r2 $r3", "20038404"},
        {"long add b32 $r1 $r2 $r3", "20000405 0400c780"},
        /* a short texture instruction grows, although text of its long form would have offsets */
        {"texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1; quadon",
         "f6400001 0000c780 60000003 00000000"},
        /* labels: forward, backward, local, with a base */
        {"a: bra #b; _x: bra #_x; b: bra #a; _x: bra #_x",
         "10002003 00000780 10001003 00000780 10000003 00000780 10003003 00000780"},
        {".section #code 0x100\nstart: bra #start; bra #code; mov b32 $r0 #start",
         "10020003 00000780 10020003 00000780 10008001 00000013"},
        /* a label moves with an instruction that grows */
        {"add b32 $r1 $r2 $r3\nend: bra #end", "20000405 0400c780 10001003 00000780"},
        /* data and filling */
        {".equ #n 7\n.b8 1 2 -1 255\n.b16 0x1234 -2\n.b32 #n\n.b64 -1",
         "ffff0201 fffe1234 00000007 ffffffff ffffffff"},
        {".u16 0xffff\n.align 8\n.s32 -5\n.size 16\n", "0000ffff 00000000 fffffffb 00000000"},
        {".skip 8\nquadon", "00000000 00000000 60000003 00000000"},
        /* sections: at the given address, else at the next multiple of 8; .size fills the section
         * up */
        {".section #a 0x100\n.b32 1\n.size 12\n", "00000001 00000000 00000000"},
        {".section #a 0x100\n.b32 1\n.section #b 0x110\n.b32 2\n.size 8",
         "00000001 00000000 00000000 00000000 00000002 00000000"},
        {".b8 1\n.section #b\n.b32 2\n.section #c\n.b8 3\n.size 4",
         "00000001 00000000 00000002 00000000 00000003"},
        {".b32 1\nquadon", "00000001 00000000 60000003 00000000"},
        {".b8 1\n.align 4\n.b8 2\n.align 2\n.b8 3", "00000001 00030002"},
        {".section #a 0x40\nbra #b\n.section #b 0x50\nquadon",
         "1000a003 00000780 00000000 00000000 60000003 00000000"},
        /* numbers */
        {".b32 1.0 -0.5 017 -1 1.5e-1 1.5E-1 0x1F",
         "3f800000 bf000000 0000000f ffffffff 3e19999a 3e19999a 0000001f"},
        {"mov b32 $r0 1.0", "10008001 03f80003"},
        /* comments and named operands */
        {"/+ a / b +c + /+ d */ +/ e / +/ quadon", "60000003 00000000"},
        {"/* a * b / c /* d */ quadon", "60000003 00000000"},
        {"/* one\n two */ quadon // three ; four\n/+ nested /+ more +/ still +/ quadpop",
         "60000003 00000000 70000003 00000000"},
        {".const light c0[0x10]\n.const out $r1\nmul f32 out $r2 light", "c0840404"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char words[512];
        words_of(cases[i].text, words, sizeof words);
        assert_string_equal(words, cases[i].words);
    }
}

TEST(test_mistakes) {
    static const struct {
        enum isa_variant variant;
        enum program_type type;
        const char *text, *message;
    } cases[] = {
        {ISA_G80, PROGRAM_FP, "nop\n  foo $r1", "t:2:3: unknown mnemonic `foo`"},
        {ISA_G80, PROGRAM_FP, "mul $r64 u24 $r1 0x5",
         "t:1:5: $r64 is out of range in an instruction with an immediate (max $r63)"},
        {ISA_G80, PROGRAM_FP, "add b32 $r128 $r1 $r2",
         "t:1:9: $r128 is out of range in this instruction (max $r127)"},
        {ISA_G80, PROGRAM_FP, "add b32 $r1 $r2 $q3",
         "t:1:17: unexpected `$q3`, expected a 32-bit register ($r0 ...) or a number"},
        {ISA_G80, PROGRAM_FP, "add b16 $r1l $r2 $r3l",
         "t:1:14: unexpected `$r2`, expected a 16-bit register ($r0l, $r0h ...)"},
        {ISA_G80, PROGRAM_FP, "set $c0 # l q32 $r1 $r2",
         "t:1:13: unexpected `q32`, expected u16 or s16 or u32 or s32 or f32 or f64"},
        {ISA_G80, PROGRAM_FP, "mov b32 $r3",
         "t:1:12: the line ends here, expected a 32-bit register ($r0 ...) or a number"},
        {ISA_G80, PROGRAM_FP, "cvt f32 $r0 s32 $r1",
         "t:1:5: `cvt` needs a rounding mode before `f32`: rn, rm, rp or rz"},
        {ISA_G80, PROGRAM_FP, "cvt s32 $r0 f32 $r1",
         "t:1:5: `cvt` needs a rounding mode before `s32`: rni, rmi, rpi or rzi"},
        {ISA_G200, PROGRAM_FP, "(e $c0) add f64 $r0d $r2d $r4d",
         "t:1:13: `add` needs a rounding mode before `f64`: rn, rm, rp or rz"},
        {ISA_G80, PROGRAM_FP, "cvt f32 $r0 s32 $r200",
         "t:1:13: unexpected `s32`, expected f16 or f32"},
        {ISA_G80, PROGRAM_FP, "bra #nowhere", "t:1:5: `#nowhere` is not defined"},
        {ISA_G80, PROGRAM_FP, "a: nop\na: nop", "t:2:1: `a` is already defined on line 1"},
        {ISA_G80, PROGRAM_FP, "shl b32 $r1 $r2 0x80", "t:1:17: `0x80` does not fit here (7 bits)"},
        {ISA_G80, PROGRAM_FP, "add b32 $r0 $r1 c0[0x2]",
         "t:1:17: the offset must be a multiple of 4"},
        {ISA_G80, PROGRAM_FP, "add b32 $r0 $r1 c0[0x200]",
         "t:1:17: the offset is out of range in this instruction (0x0 to 0x1fc)"},
        {ISA_G80, PROGRAM_FP,
         ".const color c0[0x200]\n    add b32 $r0 $r1 color", /* the error is at the use */
         "t:2:21: the offset is out of range in this instruction (0x0 to 0x1fc)"},
        {ISA_G80, PROGRAM_FP, "bra 0x2", "t:1:5: code addresses are multiples of 4"},
        {ISA_G80, PROGRAM_FP, "exit bra 0x10", "t:1:1: this prefix cannot be used with `bra`"},
        {ISA_G80, PROGRAM_FP, "(xx $c0) bra 0x10",
         "t:1:2: `xx` is neither a predicate (never l e le g lg ge lge u lu eu leu gu lgu geu o c "
         "a s ns na nc no) "
         "nor a lane mask (l0 .. l123)"},
        {ISA_G80, PROGRAM_FP, "(lg $c0) addc b32 $r1 $r2 $r3 $c1",
         "t:1:31: the predicate and addc share one $c field: both must be $c0"},
        {ISA_G80, PROGRAM_FP, "add b32 $r0, $r1 $r2",
         "t:1:12: unexpected `,`; operands are separated by blanks"},
        {ISA_G80, PROGRAM_FP, "add f32 $r1 (mul $r2 c0[0]) c0[4]",
         "t:1:1: these operands cannot be combined: an instruction has at most one c[], and one $a "
         "for its first memory operand"},
        {ISA_G80, PROGRAM_FP, "mov b32 $r0 b32 s[0x10]",
         "t:1:13: s[] exists in compute programs only"},
        {ISA_G80, PROGRAM_CP, "max u16 $r1l s16 s[0x4] $r1h",
         "t:1:1: the hardware refuses these operands: ILLEGAL_MEMORY_SIGN"},
        {ISA_G200, PROGRAM_FP, "texgather all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0 0 0",
         "t:1:1: this form of `texgather` needs gt215 (assembling for g200)"},
        {ISA_G80, PROGRAM_FP, "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r4 0 0 0",
         "t:1:37: sources must start at the register of the results, $r0"},
        {ISA_G80, PROGRAM_FP, "emit", "t:1:1: `emit` exists in geometry programs only"},
        {ISA_G80, PROGRAM_CP, "ld b32 $r1 g0[5]",
         "t:1:15: unexpected `5`, expected an address register ($r0..$r127)"},
        {ISA_G80, PROGRAM_CP, "ld b32 $r1 g0[$r128]",
         "t:1:15: unexpected `$r128`, expected an address register ($r0..$r127)"},
        {ISA_G80, PROGRAM_CP, "ld b32 $r1 g0[$r3l]",
         "t:1:15: unexpected `$r3l`, expected an address register ($r0..$r127)"},
        {ISA_G80, PROGRAM_FP, "nop /* abc", "t:1:5: this comment has no end"},
        {ISA_G80, PROGRAM_FP, ".frob 1", "t:1:1: unknown directive `.frob`"},
        {ISA_G80, PROGRAM_FP, ".a23456789a23456789a23456789a23456789abc 1",
         "t:1:1: unknown directive `.a23456789a23456789a23456789a23456789abc`"},
        {ISA_G80, PROGRAM_FP, ".a23456789a23456789a23456789a23456789abcd 1",
         "t:1:1: unknown directive `.a23456789a23456789a23456789a23456789abc...`"},
        {ISA_G80, PROGRAM_FP, ".attr 1", "t:1:1: .attr has no meaning in a .fp program"},
        {ISA_GF100, PROGRAM_VP, ".attr 1", "t:1:1: .attr has no meaning in a .vp program"},
        {ISA_GF100, PROGRAM_TCP, ".vertices 33", "t:1:11: a number of vertices must be 1 to 32"},
        {ISA_GF100, PROGRAM_GP, ".invocations 33", "t:1:14: a number of runs must be 1 to 32"},
        {ISA_G80, PROGRAM_GP, ".invocations 2",
         "t:1:1: .invocations has no meaning in a .gp program"},
        {ISA_G80, PROGRAM_FP, ".regs 200", "t:1:7: a number of registers must be 1 to 128"},
        {ISA_G80, PROGRAM_FP, ".variant g200 gt215",
         "t:1:10: this program is for g200 gt215, not for g80"},
        {ISA_G80, PROGRAM_FP, ".interpolants flat=1 smooth=1", "t:1:22: flat words come last"},
        {ISA_G80, PROGRAM_FP, ".interpolants flat 1", "t:1:20: expected = after flat"},
        {ISA_G80, PROGRAM_FP, ".interpolants a_word_that_is_longer_than_forty_letters_are 1",
         "t:1:60: expected = after a_word_that_is_longer_than_forty_letters"},
        {ISA_G80, PROGRAM_FP, ".interpolants rough=1",
         "t:1:15: expected position=, smooth=, noperspective=, point=, flat= or first="},
        {ISA_G80, PROGRAM_FP, ".interpolants flat=1 point=x", "t:1:22: flat words come last"},
        {ISA_G80, PROGRAM_VP, ".output varying o[0x0]\n.output position o[0x0]",
         "t:2:9: the position must be the first output"},
        {ISA_G80, PROGRAM_VP, ".output layer o[0x0]\n.output layer o[0x4]",
         "t:2:9: layer is already an output"},
        {ISA_G80, PROGRAM_FP, ".include \"x\"", "t:1:1: .include stands in program files only"},
        {ISA_GF100, PROGRAM_CP, "min s32 $r4 $r1 0x123456",
         "t:1:17: `0x123456` has no encoding here (20 bits, signed, a multiple of 0x1)"},
        {ISA_GF100, PROGRAM_CP, "fma rn f32 $r4 $r1 0x3f800001 $r3",
         "t:1:20: `0x3f800001` has no encoding here (20 bits, a multiple of 0x1000)"},
        {ISA_G80, PROGRAM_FP, ".u8 256", "t:1:5: `256` does not fit .u8"},
        {ISA_G80, PROGRAM_FP, ".s8 128", "t:1:5: `128` does not fit .s8"},
        {ISA_G80, PROGRAM_FP, ".skip 0x800000\n.skip 0x900000\nnop",
         "t:2:1: the program is larger than the 16 MiB of code space"},
        {ISA_G80, PROGRAM_FP, "", "t: the program is empty; it needs at least one instruction"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct program_error error = {""};
        assert_null(program_from_text(cases[i].type, cases[i].variant, cases[i].text,
                                      strlen(cases[i].text), "t", &error));
        assert_string_equal(error.text, cases[i].message);
    }
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

/* Without a directive, a program has the registers up to the last one that it names, of any width.
 * As a source, $r127 is 0, and so is $r63 if no higher register is named. Programs of other
 * instruction sets have all registers that can be named. */
TEST(test_registers) {
    static const struct {
        enum program_type type;
        enum isa_variant variant;
        const char *text;
        int count;
    } cases[] = {
        {PROGRAM_CP, ISA_G200, "mov b32 $r5 $r6\nexit nop\n", 7},
        {PROGRAM_CP, ISA_G200, "mov b32 $r5 $r62\nexit nop\n", 63},
        {PROGRAM_CP, ISA_G200, "mov b32 $r5 $r63\nexit nop\n", 6},
        {PROGRAM_CP, ISA_G200, "mov b32 $r63 $r5\nexit nop\n", 64},
        {PROGRAM_CP, ISA_G200, "mov b32 $r64 $r63\nexit nop\n", 65},
        {PROGRAM_CP, ISA_G200, "mov b32 $r64 $r126\nexit nop\n", 127},
        {PROGRAM_CP, ISA_G200, "mov b32 $r64 $r127\nexit nop\n", 65},
        {PROGRAM_CP, ISA_G200, "mov b32 $r127 $r64\nexit nop\n", 128},
        {PROGRAM_CP, ISA_G200, "add rn f64 $r8d $r2d $r4d\nexit nop\n", 10},
        {PROGRAM_CP, ISA_G200, "add rn f64 $r2d $r4d $r10d\nexit nop\n", 12},
        {PROGRAM_CP, ISA_G200, "ld b128 $r12q g0[$r0]\nexit nop\n", 16},
        {PROGRAM_CP, ISA_G200, "ld b64 $r12d g0[$r0]\nexit nop\n", 14},
        {PROGRAM_CP, ISA_G200, "mov b16 $r9h $r4l\nexit nop\n", 10},
        {PROGRAM_CP, ISA_G200, "mov b16 $r0h $r31h\nexit nop\n", 32},
        {PROGRAM_CP, ISA_G200, "mov b16 $r0h $r63h\nexit nop\n", 64},
        {PROGRAM_CP, ISA_G200, "add b32 $r1 $r2 c0[0xfc]\nexit nop\n", 3},
        {PROGRAM_CP, ISA_G200, "mov b32 $r1 b32 s[0x7c]\nexit nop\n", 2},
        {PROGRAM_CP, ISA_G200, "st b32 g0[$r63] $r5\nexit nop\n", 64},
        {PROGRAM_CP, ISA_G200, "st b32 g15[$r9] $r5\nexit nop\n", 10},
        {PROGRAM_VP, ISA_GT215, "exit nop\n", 1},
        {PROGRAM_VP, ISA_GT215, "mov b32 $r0 $r1\nexit nop\n", 2},
        {PROGRAM_VP, ISA_GT215, "mov b32 $r9 $r1\nexit nop\n", 10},
        {PROGRAM_VP, ISA_GT215, "add b32 $r0 $r1 $r20\nexit nop\n", 21},
        {PROGRAM_VP, ISA_GT215, "add $r0 (mul u16 $r1l $r1h) $r30\nexit nop\n", 31},
        {PROGRAM_VP, ISA_GT215, "add b16 $r0l $r5l $r31h\nexit nop\n", 32},
        {PROGRAM_VP, ISA_GT215, "add b16 $r0l $r31l $r31l\nexit nop\n", 32},
        {PROGRAM_VP, ISA_GT215, "add b32 $r0 $r1 $r62\nexit nop\n", 63},
        {PROGRAM_VP, ISA_GT215, "add b32 $r0 $r1 $r63\nexit nop\n", 2}, /* 0 */
        {PROGRAM_VP, ISA_GT215, "add b32 $r63 $r1 $r2\nexit nop\n", 64},
        {PROGRAM_VP, ISA_GT215, "add b32 $r64 $r1 $r2\nexit nop\n", 65},
        {PROGRAM_VP, ISA_GT215, "add b32 $r64 $r1 $r63\nexit nop\n", 65},
        {PROGRAM_VP, ISA_GT215, "add b32 $r64 $r1 $r127\nexit nop\n", 65}, /* 0 */
        {PROGRAM_VP, ISA_GT215, "add b32 $r127 $r1 $r127\nexit nop\n", 128},
        {PROGRAM_CP, ISA_G200, "ld b32 $r0 g0[$r63]\nexit nop\n", 64},
        {PROGRAM_CP, ISA_G200, "st b32 g0[$r12] $r1\nexit nop\n", 13},
        {PROGRAM_CP, ISA_G200, "ld b64 $r4d g0[$r1]\nexit nop\n", 6},
        {PROGRAM_CP, ISA_G200, "ld b128 $r4q g0[$r1]\nexit nop\n", 8},
        {PROGRAM_CP, ISA_G200, "add rn f64 $r0d $r2d $r4d\nexit nop\n", 6},
        {PROGRAM_VP, ISA_GT215, "texlod all $r4:$r5:#:# $t0 $s0 $r4:$r5:$r6 0 0 0\nexit nop\n", 7},
        {PROGRAM_VP, ISA_GT215, "texlod all $r4:$r5:$r6:$r7 $t0 $s0 $r4:$r5 0 0 0\nexit nop\n", 8},
        {PROGRAM_CP, ISA_GF100, "exit\n", 64},
        {PROGRAM_CP, ISA_GK104, "mov b32 $r1 $r2\nexit\n", 64},
        {PROGRAM_CP, ISA_G64, "MOVI R1, 3\nEXIT\n", 64},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct program_error error;
        struct program *p = program_from_text(cases[i].type, cases[i].variant, cases[i].text,
                                              strlen(cases[i].text), "t", &error);
        if (!p)
            fail_msg("%s: %s", cases[i].text, error.text);
        if (p->header.reg_count != cases[i].count)
            fail_msg("%d registers, not %d: %s", p->header.reg_count, cases[i].count,
                     cases[i].text);
        assert_string_equal(p->text, cases[i].text); /* kept for debuggers */
        program_unref(p);
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
    struct program *p = make(PROGRAM_FP, text);
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
