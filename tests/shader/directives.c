/* Directives of program text: the least and the largest value of each, and places of macros.
 * tests/shader/texts/programs.txt has their effect on the header. */
#include "shader/program.h"
#include "shader/isa/isa.h"
#include "tests/test.h"

static const char *const ends[PROGRAM_TYPES] = {"exit nop\n", "emit\nexit nop\n", "exit nop\n",
                                                "exit nop\n"};

/* Assembles the directives. Returns NULL if directives are refused, with the message in error. */
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
