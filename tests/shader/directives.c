/* Directives of program text: the least and the largest value of each; their effect on the header;
 * header values derived from the code where directives are missing; data directives and the ranges
 * of their types. */
#include "shader/program.h"
#include "shader/isa/isa.h"
#include "tests/test.h"

static const char *const ends[PROGRAM_TYPES] = {"exit nop\n", "emit\nexit nop\n", "exit nop\n",
                                                "exit nop\n"};

/* Assembles the directives. Returns NULL if they are refused, with the message in error. */
static struct program *assembled(enum program_type type, enum isa_variant v, const char *directives,
                                 struct program_error *error) {
    char text[2048];
    snprintf(text, sizeof text, "%s\n%s", directives,
             isa_set_of(v) == SET_TESLA ? ends[type] : "exit\n");
    return program_from_text(type, v, text, strlen(text), "t", error);
}

static void must(bool right, enum program_type type, enum isa_variant v, const char *directives) {
    struct program_error error = {""};
    struct program *p = assembled(type, v, directives, &error);
    if ((p != NULL) != right)
        fail_msg("%s in a .%s program: %s", directives, program_type_name(type),
                 p ? "accepted" : error.text);
    program_unref(p);
}

/* ---- numbers ---- */

#define MEMBER(m) offsetof(struct program_header, m), sizeof((struct program_header *)0)->m

/* Each word of a macro's expansion records its own line and the line that uses the macro. */
TEST(test_places_of_macros) {
    static const char text[] = ".macro inner of\n"
                               "add b32 \\of \\of 0x10000\n"
                               ".endm\n"
                               ".macro outer of\n"
                               "inner \\of\n"
                               "add b32 \\of \\of 0x20000\n"
                               ".endm\n"
                               "mov b32 $r0 0x30000\n"
                               "outer $r0\n"
                               "inner $r0\n"
                               "exit nop\n";
    static const struct asm_place right[] = {{8, 8}, {2, 9}, {6, 9}, {2, 10}, {11, 11}};
    struct asm_result r;
    char message[256] = "";
    if (isa_assemble((struct isa_target){ISA_G80, PROGRAM_CP, SYNTAX_ENVYAS}, text, strlen(text),
                     "t", NULL, &r, message, sizeof message))
        fail_msg("%s", message);
    assert_int_equal(r.count, 2 * LENGTH(right)); /* two words each */
    for (size_t i = 0; i < r.count; i++)
        if (r.places[i].line != right[i / 2].line || r.places[i].outer != right[i / 2].outer)
            fail_msg("word %zu: line %u, used in %u", i, r.places[i].line, r.places[i].outer);
    asm_result_free(&r);
}

TEST(test_ranges) {
    enum { NO = -1 };
    static const struct {
        enum program_type type;
        enum isa_variant variant;
        const char *format;
        int least, most;
        size_t at, size; /* member of the header that gets the number */
        int step;
    } rows[] = {
        {PROGRAM_VP, ISA_G80, ".regs %d", 1, 128, MEMBER(reg_count), 1},
        {PROGRAM_CP, ISA_GT215, ".regs %d", 1, 128, MEMBER(reg_count), 1},
        {PROGRAM_FP, ISA_G80, ".local %d", 0, 0x10000, MEMBER(local_size), 1},
        {PROGRAM_VP, ISA_G80, ".results %d", 0, 128, MEMBER(result_count), 1},
        {PROGRAM_FP, ISA_G80, ".results %d", 0, 128, MEMBER(fp_results), 1},
        {PROGRAM_VP, ISA_G80, ".attr %d", 0, 15, 0, 0, 1},
        {PROGRAM_GP, ISA_G80, ".vertices %d", 1, 1024, MEMBER(gp_max_vertices), 1},
        {PROGRAM_FP, ISA_G80, ".targets %d", 1, 8, 0, 0, 1},
        {PROGRAM_CP, ISA_G80, ".shared %d", 0, 0x4000, MEMBER(shared_size), 64},
        {PROGRAM_CP, ISA_GF100, ".shared %d", 0, 0xc000, MEMBER(shared_size), 64},
        {PROGRAM_CP, ISA_G80, ".barriers %d", 0, 16, MEMBER(barrier_count), 1},
        {PROGRAM_CP, ISA_GK104, ".barriers %d", 0, 16, MEMBER(barrier_count), 1},
        {PROGRAM_FP, ISA_G80, ".interpolants smooth=%d", 0, 64, 0, 0, 1},
        {PROGRAM_FP, ISA_G80, ".interpolants smooth=10 flat=%d", 0, 54, 0, 0, 1},
        {PROGRAM_FP, ISA_G80, ".interpolants first=%d", 0, 71, 0, 0, 1},
        {PROGRAM_FP, ISA_G80, ".interpolants first=70 smooth=%d", 0, 58, 0, 0,
         1}, /* slots end at 127 */
        {PROGRAM_VP, ISA_G80, ".output varying o[0x0] %d", 1, 64, 0, 0, 1},
        {PROGRAM_GP, ISA_G80, ".output varying o[0x0] %d", 1, 72, 0, 0, 1},
        {PROGRAM_VP, ISA_G80, ".output zero %d", 1, 72, 0, 0, 1},
        {PROGRAM_VP, ISA_G80, ".output position o[0x0]\n.output one %d", 1, 68, 0, 0, 1},
        {PROGRAM_VP, ISA_G80, ".output clip o[0x0] %d", 1, 8, MEMBER(clip_count), 1},
        {PROGRAM_VP, ISA_G80, ".output layer o[%d]", 0, 0xfc, 0, 0, 4},
        {PROGRAM_GP, ISA_G80, ".output layer o[%d]", 0, 0x1fc, 0, 0, 4},
        {PROGRAM_VP, ISA_G80, ".output position o[%d]", 0, 0xf0, 0, 0, 4},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int k = 0; k < 5; k++) {
            const int step = k == 4 ? 1 : rows[i].step;
            const int n = k == 0   ? rows[i].least
                          : k == 1 ? rows[i].most
                          : k == 2 ? rows[i].least - step
                                   : rows[i].most + step;
            char text[128];
            if (n < 0)
                continue;
            snprintf(text, sizeof text, rows[i].format, n);
            must(k < 2, rows[i].type, rows[i].variant, text);
            if (k > 1 || !rows[i].size)
                continue;
            struct program_error error;
            struct program *p = assembled(rows[i].type, rows[i].variant, text, &error);
            uint32_t is = 0;
            memcpy(&is, (const uint8_t *)&p->header + rows[i].at, rows[i].size);
            if (is !=
                (uint32_t)(n + rows[i].step - 1) / (uint32_t)rows[i].step * (uint32_t)rows[i].step)
                fail_msg("%s: %u", text, is);
            program_unref(p);
        }
}

/* Each directive is accepted in some types of programs and refused in the others. */
TEST(test_types) {
    enum {
        VP = 1 << PROGRAM_VP,
        GP = 1 << PROGRAM_GP,
        FP = 1 << PROGRAM_FP,
        CP = 1 << PROGRAM_CP,
        ALL = VP | GP | FP | CP
    };
    static const struct {
        const char *text;
        uint8_t types;
    } rows[] = {
        {".variant g80", ALL},
        {".variant gt215 g80", ALL},
        {".variant g84", 0},
        {".variant", 0},
        {".regs 3", ALL},
        {".regs 3 4", 0},
        {".local 16", ALL},
        {".attr 1 xw", VP},
        {".attr 1 xq", 0},
        {".attr 1\n.attr 1", 0},
        {".attr 1 x\n.attr 1 y", 0},
        {".attr 1\n.attr 2", VP},
        {".builtin vertex_id", VP},
        {".builtin vertex_id_from_first", VP},
        {".builtin instance_id", VP | GP},
        {".builtin primitive_id", GP},
        {".builtin primitive_id instance_id", GP},
        {".builtin", 0},
        {".results 4", VP | GP | FP},
        {".output layer o[0x4]", VP | GP},
        {".output layer o[0x2]", 0},
        {".output layer o[0x4", 0},
        {".output layer q[0x4]", 0},
        {".output nothing o[0x4]", 0},
        {".output layer o[0x4]\n.output layer o[0x8]", 0},
        {".output clip o[0x4]\n.output clip o[0x8]", 0},
        {".output varying o[0x4]\n.output varying o[0x8]", VP | GP},
        {".output varying o[0x4]\n.output position o[0x8]", 0},
        {".primitive points", GP},
        {".primitive triangles", 0},
        {".vertices 4", GP},
        {".interpolants smooth=4", FP},
        {".interpolants smooth:4", 0},
        {".interpolants rough=4", 0},
        {".interpolants position=xw flat=2", FP},
        {".interpolants flat=2 smooth=2", 0},
        {".interpolants point=xy smooth=2", FP},
        {".interpolants point=2", 0},
        {".interpolants flat=2 point=x", 0},
        {".interpolants smooth=61 point=xyz", FP},
        {".interpolants smooth=61 point=xyzw", 0},
        {".interpolants noperspective=2 smooth=2 flat=2", FP},
        {".targets 2", FP},
        {".depth", FP},
        {".depth 1", 0},
        {".kill", FP},
        {".shared 16", CP},
        {".barriers 1", CP},
        {".nothing", 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (enum program_type type = 0; type < PROGRAM_TYPES; type++)
            must(rows[i].types >> type & 1, type, ISA_G80, rows[i].text);
}

/* ---- the header that directives make ---- */

TEST(test_headers) {
    struct program_error error = {""};
    struct program *p = assembled(
        PROGRAM_VP, ISA_G80,
        ".attr 0 xyzw\n.attr 7 x\n.attr 8 w\n.attr 15 yz\n.builtin vertex_id_from_first instance_id\n"
        ".output position o[0x10]\n.output front_color0 o[0x20]\n.output back_color1 o[0x40]\n"
        ".output point_size o[0x0]\n.output zero\n.output one 2\n.output clip o[0x50] 3\n"
        ".output viewport o[0x8]\n.output primitive_id o[0xc]\n",
        &error);
    assert_non_null(p);
    const struct program_header *h = &p->header;
    static const uint8_t map[] = {4,          5,          6,  7,  8,  9, 10,
                                  11,         16,         17, 18, 19, 0, RESULT_ZERO,
                                  RESULT_ONE, RESULT_ONE, 20, 21, 22, 2, 3};
    assert_int_equal(h->attr_enable[0], 0x1000000f);
    assert_int_equal(h->attr_enable[1], 0x60000008);
    assert_int_equal(h->builtin_enable, 0x1011);
    assert_int_equal(h->map_size, sizeof map);
    assert_memory_equal(h->result_map, map, sizeof map);
    assert_int_equal(h->slot_color[0][0], 4);
    assert_int_equal(h->slot_color[0][1], 0xff);
    assert_int_equal(h->slot_color[1][0], 0xff);
    assert_int_equal(h->slot_color[1][1], 8);
    assert_int_equal(h->slot_point_size, 12);
    assert_int_equal(h->slot_clip, 16);
    assert_int_equal(h->clip_count, 3);
    assert_int_equal(h->slot_viewport, 19);
    assert_int_equal(h->slot_primitive_id, 20);
    assert_int_equal(h->slot_layer, 0xff);
    assert_int_equal(h->result_count, 23);
    program_unref(p);
    p = assembled(PROGRAM_GP, ISA_G80,
                  ".primitive line_strip\n.output one\n.output zero\n.output layer o[0x100]\n",
                  &error);
    assert_non_null(p);
    assert_int_equal(p->header.gp_out_primitive, 2);
    assert_int_equal(p->header.result_map[0], RESULT_ONE);
    assert_int_equal(p->header.result_map[1], RESULT_ZERO);
    assert_int_equal(p->header.result_map[2], 0x40);
    assert_int_equal(p->header.slot_layer, 2);
    program_unref(p);
    p = assembled(PROGRAM_FP, ISA_G80,
                  ".interpolants position=yz smooth=2 noperspective=3 smooth=1 flat=4 first=30\n"
                  ".targets 3\n.depth\n.kill\n",
                  &error);
    assert_non_null(p);
    assert_int_equal(p->header.interpolant_ctrl,
                     14u << 24 | 6 << 16 | 30 << 8 | 10); /* w is always among the position words */
    assert_int_equal(p->header.noperspective[0], 0);
    assert_int_equal(p->header.noperspective[1], 7);
    assert_int_equal(p->header.fp_results, 13);
    assert_int_equal(p->header.fp_control, FP_MULTIPLE_RESULTS | FP_EXPORTS_Z | FP_USES_KILL);
    program_unref(p);
}

/* The words of point= are the named components of (x, y, 0, 1), each in a slot of its own: nibbles 1
 * to 4 of POINT_COORD_REPLACE_MAP. They count as words that are not flat. */
TEST(test_point_words) {
    struct program_error error = {""};
    struct program *p = assembled(
        PROGRAM_FP, ISA_G80,
        ".interpolants smooth=2 point=xy noperspective=1 point=xyzw flat=1 first=6\n", &error);
    assert_non_null(p);
    assert_int_equal(p->header.interpolant_ctrl, 8u << 24 | 9 << 16 | 6 << 8 | 10);
    assert_int_equal(p->header.point_coord[0], 0);
    assert_int_equal(p->header.point_coord[1], 0x4321u << 12 | 0x21);
    assert_int_equal(p->header.noperspective[0], 1 << 10);
    program_unref(p);
}

/* Without directives, the header follows from the code. */
TEST(test_facts_of_code) {
    static const struct {
        enum program_type type;
        const char *text;
        size_t at, size;
        uint32_t expected;
    } rows[] = {
        {PROGRAM_VP, "exit mov b32 o[0x14] $r0", MEMBER(result_count), 6},
        {PROGRAM_VP, "exit mov b32 o[0x14] $r0", MEMBER(map_size), 6},
        {PROGRAM_VP, ".output varying o[0x20]\nexit mov b32 o[0x14] $r0", MEMBER(result_count), 9},
        {PROGRAM_VP, ".output varying o[0x20]\nexit mov b32 o[0x14] $r0", MEMBER(map_size), 1},
        {PROGRAM_VP, "st b32 o[0x20] $r0\nexit nop", MEMBER(result_count), 9},
        {PROGRAM_VP, "st b32 o[$a1+0x20] $r0\nexit nop", MEMBER(result_count), 9},
        {PROGRAM_VP, "exit mov b16 o[0x16] $r0l", MEMBER(result_count), 6},
        {PROGRAM_VP, ".results 20\nexit mov b32 o[0x14] $r0", MEMBER(map_size), 20},
        {PROGRAM_GP, "emit\nemit\nexit emit", MEMBER(gp_max_vertices), 3},
        {PROGRAM_GP, "exit nop", MEMBER(gp_max_vertices), 1},
        {PROGRAM_GP, "exit nop", MEMBER(gp_out_primitive), 3},
        {PROGRAM_FP, "exit nop", MEMBER(fp_results), 4},
        {PROGRAM_FP, ".depth\nexit nop", MEMBER(fp_results), 5},
        {PROGRAM_FP, ".targets 2\nexit nop", MEMBER(fp_results), 8},
        {PROGRAM_FP, "exit nop", MEMBER(fp_control), 0},
        {PROGRAM_FP, "discard\nexit nop", MEMBER(fp_control), FP_USES_KILL},
        {PROGRAM_FP, "exit nop", MEMBER(interpolant_ctrl), 0x08000400},
        {PROGRAM_FP, "interp $r0 v[0x0]\nexit nop", MEMBER(interpolant_ctrl), 0x08000400},
        {PROGRAM_FP, "interp $r0 v[0x10]\nexit nop", MEMBER(interpolant_ctrl), 0x08040404},
        {PROGRAM_FP, "interp $r0 v[0x8]\ninterp $r1 flat v[0x10]\nexit nop",
         MEMBER(interpolant_ctrl), 0x08030404},
        {PROGRAM_FP, "interp $r1 flat v[0x4]\nexit nop", MEMBER(interpolant_ctrl), 0x08000401},
        {PROGRAM_VP, "ld b32 $r0 l[0x10]\nexit nop", MEMBER(local_size), 32},
        {PROGRAM_VP, "st b32 l[0xc] $r0\nexit nop", MEMBER(local_size), 16},
        {PROGRAM_VP, "ld b64 $r0d l[0x18]\nexit nop", MEMBER(local_size), 32},
        {PROGRAM_VP, "ld b64 $r0d l[0xfff8]\nexit nop", MEMBER(local_size), 0x10000},
        {PROGRAM_CP, "st b64 l[0xfffc] $r0d\nexit nop", MEMBER(local_size), 0x10000},
        {PROGRAM_FP, "ld b128 $r0q l[0xfffe]\nexit nop", MEMBER(local_size), 0x10000},
        {PROGRAM_VP, "ld b32 $r0 l[$a1+0x100]\nexit nop", MEMBER(local_size), 0},
        {PROGRAM_CP, "exit nop", MEMBER(shared_size), 64},
        {PROGRAM_CP, "mov b32 $r0 b32 s[0x3c]\nexit nop", MEMBER(shared_size), 64},
        {PROGRAM_CP, "mov b32 $r0 b32 s[0x40]\nexit nop", MEMBER(shared_size), 128},
        {PROGRAM_CP, ".shared 10\nmov b32 $r0 b32 s[0x40]\nexit nop", MEMBER(shared_size), 64},
        {PROGRAM_CP, "mov b32 $r0 b32 s[$a1+0x40]\nexit nop", MEMBER(shared_size),
         64}, /* an address with $a may be anywhere, so the offset does not count */
        {PROGRAM_CP, "add b32 $r0 b32 s[0x7c] $r1\nexit nop", MEMBER(shared_size), 128},
        {PROGRAM_CP, "st b8 s[0x80] $r0l\nexit nop", MEMBER(shared_size), 192},
        {PROGRAM_CP, "st b8 s[$a2+0x80] $r0l\nexit nop", MEMBER(shared_size), 64},
        {PROGRAM_CP, "st b32 l[$a1+0x100] $r0\nexit nop", MEMBER(local_size), 0},
        {PROGRAM_CP, "ld u8 $r0 l[0x10]\nexit nop", MEMBER(local_size), 32},
        {PROGRAM_CP, "ld b128 $r0q l[0x10]\nexit nop", MEMBER(local_size), 32},
        {PROGRAM_CP, "exit nop", MEMBER(barrier_count), 0},
        {PROGRAM_CP, "bar inc wait 0x0 all\nbar inc wait 0xf all\nbar inc wait 0x1 all\nexit nop",
         MEMBER(barrier_count), 16},
        {PROGRAM_CP, "bar inc wait 0x3 all\nexit nop", MEMBER(barrier_count), 4},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct program_error error = {""};
        struct program *p = program_from_text(rows[i].type, ISA_G80, rows[i].text,
                                              strlen(rows[i].text), "t", &error);
        uint32_t is = 0;
        if (!p)
            fail_msg("%s: %s", rows[i].text, error.text);
        memcpy(&is, (const uint8_t *)&p->header + rows[i].at, rows[i].size);
        if (is != rows[i].expected)
            fail_msg("row %zu, %s: 0x%x, not 0x%x", i, rows[i].text, is, rows[i].expected);
        program_unref(p);
    }
}

/* ---- data ---- */

/* .b takes numbers that fit signed or unsigned, .u and .s only their own range; 64-bit types take
 * every number. */
TEST(test_data) {
    static const struct {
        const char *text;
        bool right;
        uint64_t value; /* the number as the words contain it */
    } rows[] = {
        {".u8 255", true, 255},
        {".u8 256", false, 0},
        {".u8 -1", false, 0},
        {".s8 127", true, 127},
        {".s8 128", false, 0},
        {".s8 -128", true, 0x80},
        {".s8 -129", false, 0},
        {".b8 255", true, 255},
        {".b8 -128", true, 0x80},
        {".b8 256", false, 0},
        {".b8 -129", false, 0},
        {".u16 65535", true, 65535},
        {".u16 65536", false, 0},
        {".s16 32767", true, 32767},
        {".s16 32768", false, 0},
        {".s16 -32768", true, 0x8000},
        {".s16 -32769", false, 0},
        {".u32 4294967295", true, UINT32_MAX},
        {".u32 4294967296", false, 0},
        {".s32 2147483647", true, INT32_MAX},
        {".s32 2147483648", false, 0},
        {".s32 -2147483648", true, 0x80000000u},
        {".s32 -2147483649", false, 0},
        {".b32 -2147483648", true, 0x80000000u},
        {".b32 4294967295", true, UINT32_MAX},
        {".b32 4294967296", false, 0},
        {".u64 0xffffffffffffffff", true, UINT64_MAX},
        {".s64 -1", true, UINT64_MAX},
        {".s64 0x7fffffffffffffff", true, INT64_MAX},
        {".b64 0x123456789abcdef0", true, UINT64_C(0x123456789abcdef0)},
        {".b8 1 2 3", true, 0x030201},
        {".u16 1 2 3", true, UINT64_C(0x300020001)},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[128], message[256] = "";
        struct asm_result r;
        snprintf(text, sizeof text, "%s\n.align 8\nnop\n", rows[i].text);
        const bool right =
            isa_assemble((struct isa_target){ISA_G80, PROGRAM_CP, SYNTAX_ENVYAS}, text,
                         strlen(text), "t", NULL, &r, message, sizeof message) == 0;
        if (right != rows[i].right)
            fail_msg("%s: %s", rows[i].text, right ? "assembled" : message);
        if (!right)
            continue;
        if (((uint64_t)r.words[1] << 32 | r.words[0]) != rows[i].value)
            fail_msg("%s: %08x %08x", rows[i].text, r.words[0], r.words[1]);
        asm_result_free(&r);
    }
}
