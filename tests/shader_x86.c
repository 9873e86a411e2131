/* The reader of x86-64 instructions (shader/native/x86.h) against objdump, on all that clang made for stencils:
 * lengths, jumps, vector registers and which of them is written; then each register renamed and read again.
 */
#include "shader/native/x86.h"

#include <ctype.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_BYTES = 15, PADDED = 32 };

/* An instruction as objdump shows it. */
struct shown {
    uint8_t byte[PADDED];
    unsigned length;
    const char *mnemonic, *operands;
    uint32_t registers; /* bit per vector register among the operands */
    int last;           /* the vector register that is the last operand, -1: something else is */
};

static void find_registers(struct shown *s) {
    const char *comma = s->operands;
    int depth = 0;
    s->registers = 0;
    s->last = -1;
    for (const char *p = s->operands; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == ',' && !depth)
            comma = p + 1;
        if (p[0] == '%' && p[1] && strncmp(p + 2, "mm", 2) == 0 && strchr("xyz", p[1]))
            s->registers |= 1u << atoi(p + 4);
    }
    if (comma[0] == '%' && comma[1] && strncmp(comma + 2, "mm", 2) == 0)
        s->last = atoi(comma + 4);
}

/* "  addr:\tbytes\tmnemonic operands"; false: another line. */
static bool parse(char *line, struct shown *s) {
    char *bytes = strchr(line, '\t'), *text = bytes ? strchr(bytes + 1, '\t') : NULL;
    *s = (struct shown){.last = -1};
    if (!text)
        return false;
    *text++ = 0;
    for (char *p = bytes + 1; isxdigit((unsigned char)*p) && s->length < MOST_BYTES; s->length++) {
        s->byte[s->length] = (uint8_t)strtoul(p, &p, 16);
        p += *p == ' ';
    }
    text[strcspn(text, "#\n<")] = 0;
    for (char *end; (end = strchr(text, ' ')) && strncmp(text, "{vex", 4) == 0;)
        text = end + 1;
    s->mnemonic = text;
    text += strcspn(text, " ");
    if (*text)
        *text++ = 0;
    text += strspn(text, " ");
    s->operands = text;
    find_registers(s);
    return s->length > 0;
}

static enum x86_jump jump_of(const char *mnemonic, const char *operands) {
    if (strncmp(mnemonic, "ret", 3) == 0)
        return X86_ENDS;
    if (strncmp(mnemonic, "jmp", 3) == 0)
        return operands[0] == '*' ? X86_ENDS : X86_JUMP;
    return mnemonic[0] == 'j' ? X86_BRANCH : X86_FALLS;
}

static uint32_t registers_of(const struct x86_instruction *i) {
    uint32_t all = 0;
    for (unsigned f = 0; f < X86_FIELDS; f++)
        if (i->fields >> f & 1)
            all |= 1u << i->number[f];
    return all;
}

/* What is wrong with what was read, or NULL. */
static const char *difference(const struct shown *s, const struct x86_instruction *i) {
    if (i->length != s->length)
        return "length";
    if (i->jump != jump_of(s->mnemonic, s->operands))
        return "jump";
    if (i->evex != (s->byte[0] == 0x62) || i->vex != (s->byte[0] == 0xc4 || s->byte[0] == 0xc5))
        return "prefix";
    if (!i->evex && !i->vex)
        return i->fields ? "fields without a prefix" : NULL;
    if (i->unknown ? s->registers & ~registers_of(i) : s->registers != registers_of(i))
        return "registers";
    if (i->unknown)
        return NULL;
    if (s->last < 0) /* memory; what goes elsewhere may count as written: nothing that is read is lost */
        return strchr(s->operands, 0)[-1] == ')' && i->written < X86_FIELDS && i->fields >> i->written & 1
                   ? "writes none"
                   : NULL;
    if (strncmp(s->mnemonic, "vptest", 6) == 0 || strncmp(s->mnemonic, "vtest", 5) == 0)
        return i->written == X86_FIELDS ? NULL : "tests write nothing";
    return i->written < X86_FIELDS && i->fields >> i->written & 1 && i->number[i->written] == s->last
               ? NULL
               : "written";
}

/* A prefix of two bytes has no room for other registers; one of three has none for sixteen and more. */
static const char *rename_each(const struct shown *s, const struct x86_instruction *i) {
    const unsigned most = i->evex ? 32 : 16;
    if ((!i->evex && s->byte[0] != 0xc4) || i->unknown)
        return NULL;
    for (unsigned f = 0; f < X86_FIELDS; f++) {
        for (unsigned n = 0; n < most && i->fields >> f & 1; n += 5) {
            uint8_t byte[PADDED];
            struct x86_instruction other;
            memcpy(byte, s->byte, sizeof byte);
            x86_set_register(f == X86_IS4 ? byte + s->length - 1 : byte, (enum x86_field)f, n);
            if (!x86_read(byte, sizeof byte, &other) || other.length != i->length ||
                other.fields != i->fields || other.opcode != i->opcode || other.map != i->map)
                return "another instruction with another register";
            for (unsigned g = 0; g < X86_FIELDS; g++)
                if ((i->fields >> g & 1) && other.number[g] != (g == f ? n : i->number[g]))
                    return "renaming";
        }
    }
    return NULL;
}

static void check_file(const char *path, unsigned *instructions) {
    char command[PATH_MAX + 64], line[512];
    snprintf(command, sizeof command, "objdump -dw '%s'", path);
    FILE *f = popen(command, "r");
    if (!f)
        fail_msg("objdump does not start");
    while (fgets(line, sizeof line, f)) {
        struct shown s;
        struct x86_instruction i, cut;
        if (!parse(line, &s))
            continue;
        const char *wrong = x86_read(s.byte, sizeof s.byte, &i) ? difference(&s, &i) : "is unknown";
        if (!wrong)
            wrong = rename_each(&s, &i);
        if (!wrong && x86_read(s.byte, s.length - 1, &cut))
            wrong = "is read beyond its end";
        if (wrong)
            fail_msg("%s: %s %s %s: %s", strrchr(path, '/'), line, s.mnemonic, s.operands, wrong);
        ++*instructions;
    }
    if (pclose(f))
        fail_msg("objdump failed on %s", path);
}

static void test_stencils(void **state) {
    static const char *const names[] = {"code.avx512",       "code_bytes.avx512", "code_fermi.avx512",
                                        "code.avx2",         "code_strips.avx2",  "code_fermi.avx2",
                                        "code.base",         "code_fermi.base"};
    char own[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    unsigned instructions = 0;
    (void)state;
    assert_true(length > 0);
    own[length] = 0;
    for (int up = 0; up < 2; up++)
        *strrchr(own, '/') = 0;
    snprintf(path, sizeof path, "%s/extract", own);
    if (access(path, X_OK) != 0)
        skip(); /* a build without native code */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/obj/shader/native/%s.o", own, names[i]);
        check_file(path, &instructions);
    }
    assert_true(instructions > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stencils)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
