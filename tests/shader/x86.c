/* The reader of x86-64 instructions (shader/native/x86.h), compared with objdump on all stencils
 * that clang made: lengths, jumps, vector registers, and which of them is written. Then each
 * register is renamed and read again. */
#include "shader/native/x86.h"
#include "tests/test.h"

#include <ctype.h>
#include <limits.h>
#include <unistd.h>

enum { MOST_BYTES = 15, PADDED = 32 };

/* An instruction as objdump shows it. */
struct shown {
    uint8_t byte[PADDED];
    unsigned length;
    const char *mnemonic, *operands;
    uint32_t registers; /* bit per vector register among the operands */
    int last;           /* last operand if it is a vector register, else -1 */
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
    if (strncmp(mnemonic, "ret", 3) == 0 || strncmp(mnemonic, "ud2", 3) == 0)
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

/* The part of the instruction that was read wrong, or NULL. */
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
    /* No vector register is written. If the destination is memory, the reader must say so. If it is
     * a general or a mask register, the reader may name a register that is read as the written
     * one, too; the register still counts as read. */
    if (s->last < 0)
        return strchr(s->operands, 0)[-1] == ')' && i->written < X86_FIELDS &&
                       i->fields >> i->written & 1
                   ? "writes none"
                   : NULL;
    if (strncmp(s->mnemonic, "vptest", 6) == 0 || strncmp(s->mnemonic, "vtest", 5) == 0)
        return i->written == X86_FIELDS ? NULL : "tests write nothing";
    return i->written < X86_FIELDS && i->fields >> i->written & 1 &&
                   i->number[i->written] == s->last
               ? NULL
               : "written";
}

/* Puts other registers into each field of an instruction and reads it again. Returns the fault, or
 * NULL. Instructions with a two-byte VEX prefix are left out: the prefix has no room for all
 * registers. A three-byte VEX prefix has room for registers 0 to 15, EVEX for 0 to 31. */
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
            x86_set_register(f == X86_IS4 ? byte + s->length - 1 : byte, (enum x86_field)f,
                             i->number[f]);
            if (memcmp(byte, s->byte, s->length))
                return "renaming changes more than the register";
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

TEST(test_stencils) {
    static const char *const names[] = {
        "code.avx512",       "code_bytes.avx512", "code_fermi.avx512", "code_flush.avx512",
        "code.avx2",         "code_fermi.avx2",   "code_flush.avx2",   "strips_tesla.avx2",
        "strips_fermi.avx2", "strips_flush.avx2", "code.base",         "code_fermi.base",
        "code_flush.base"};
    char own[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    unsigned instructions = 0;
    assert_true(length > 0);
    own[length] = 0;
    for (int up = 0; up < 2; up++)
        *strrchr(own, '/') = 0;
    snprintf(path, sizeof path, "%s/extract", own);
    if (access(path, X_OK) != 0)
        skip(); /* a build without native code has no stencils */
    for (size_t i = 0; i < LENGTH(names); i++) {
        snprintf(path, sizeof path, "%s/obj/shader/native/%s.o", own, names[i]);
        check_file(path, &instructions);
    }
    assert_true(instructions > 10000);
}

/* ---- every opcode of one and two bytes, used by stencils or not ---- */

enum { SLOT = 16, OPCODES_OF_EACH = 256 };

/* Bytes behind an opcode: registers; memory without a displacement, with 8 and 32 bits of it, with
 * an index, without a base, relative to the instruction; other members of opcode groups. */
static const uint8_t operands[][3] = {
    {0xc1}, {0x01}, {0x41}, {0x81}, {0x04, 0x08}, {0x04, 0x25}, {0x44, 0x0d}, {0x84, 0x25},
    {0x05}, {0xd1}, {0xe1}, {0x21}, {0x0c, 0x25}, {0x8c, 0x05}, {0xd9}};
static const uint8_t prefixes[][2] = {{0},    {0x66},       {0x48},      {0x66, 0x48},
                                      {0x0f}, {0x66, 0x0f}, {0xf3, 0x0f}};
enum { OPERANDS = LENGTH(operands), PREFIXES = LENGTH(prefixes) };

/* Writes one instruction; the bytes behind it are nops. */
static void fill_slot(uint8_t at[SLOT], unsigned prefix, unsigned opcode, unsigned operand) {
    memset(at, 0x90, SLOT);
    for (int i = 0; i < 2 && prefixes[prefix][i]; i++)
        *at++ = prefixes[prefix][i];
    *at++ = (uint8_t)opcode;
    for (int i = 0; i < 2 && (!i || operands[operand][i]); i++)
        *at++ = operands[operand][i];
}

/* True for instructions that compilers emit: no system instructions, prefixes alone, or 16-bit
 * jumps. */
static bool is_usual(const struct shown *s) {
    static const char *const systems[] = {"%db", "%cr", "%fs", "%gs", "(bad)"};
    /* two-byte opcodes (0f, ...) without operands */
    static const uint8_t alone[] = {0x05, 0x0b, 0x77, 0xa2};
    const uint8_t *const two = memchr(s->byte, 0x0f, 2);
    if (two && (!s->operands[0] || s->length == 1) && !memchr(alone, two[1], sizeof alone))
        return false;
    for (size_t i = 0; i < LENGTH(systems); i++)
        if (strstr(s->operands, systems[i]))
            return false;
    static const char *const unusual[] = {"(bad)", ".byte", "rex", "data16", "extrq", "rep"};
    for (size_t i = 0; i < LENGTH(unusual); i++)
        if (strncmp(s->mnemonic, unusual[i], strlen(unusual[i])) == 0)
            return false;
    const bool jumps =
        jump_of(s->mnemonic, s->operands) != X86_FALLS || strncmp(s->mnemonic, "call", 4) == 0;
    return strncmp(s->operands, "rex", 3) != 0 && !(s->byte[0] == 0x66 && jumps);
}

/* Lengths and jumps of all accepted instructions are those of objdump. Returns how many were
 * checked. */
static unsigned check_slots(const char *path) {
    char command[PATH_MAX + 64], line[512];
    unsigned checked = 0;
    snprintf(command, sizeof command, "objdump -D -w -b binary -m i386:x86-64 '%s'", path);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct shown s;
        struct x86_instruction i;
        const unsigned long at = strtoul(line, NULL, 16);
        if (at % SLOT || !parse(line, &s) || !is_usual(&s))
            continue;
        memset(s.byte + s.length, 0x90, sizeof s.byte - s.length);
        if (!x86_read(s.byte, sizeof s.byte, &i))
            continue;
        if (i.length != s.length || i.jump != jump_of(s.mnemonic, s.operands) || i.fields)
            fail_msg("%s: %u bytes, jump %d", line, i.length, (int)i.jump);
        if (i.jump != X86_FALLS && i.jump != X86_ENDS && i.short_jump != (s.length < 5))
            fail_msg("%s: %s", line, i.short_jump ? "short" : "not short");
        checked++;
    }
    assert_int_equal(pclose(f), 0);
    return checked;
}

TEST(test_opcodes) {
    char path[] = "/tmp/teslapipe-x86-XXXXXX";
    uint8_t slot[SLOT];
    FILE *f = fdopen(mkstemp(path), "wb");
    assert_non_null(f);
    for (unsigned prefix = 0; prefix < PREFIXES; prefix++)
        for (unsigned opcode = 0; opcode < OPCODES_OF_EACH; opcode++)
            for (unsigned operand = 0; operand < OPERANDS; operand++) {
                fill_slot(slot, prefix, opcode, operand);
                assert_int_equal(fwrite(slot, sizeof slot, 1, f), 1);
            }
    assert_int_equal(fclose(f), 0);
    const unsigned checked = check_slots(path);
    unlink(path);
    assert_true(checked > 4000);
}

/* Every opcode with VEX and EVEX on registers, with and without a register in vvvv. Instructions
 * that the reader knows must be as objdump shows them. It must know every VEX instruction without
 * vector registers (masks, general registers, vzeroupper). */
static void put_prefixed(FILE *f, bool evex, unsigned map, unsigned rest, unsigned vvvv,
                         unsigned opcode, uint8_t modrm) {
    const uint8_t wide = (uint8_t)((rest & 4) << 5 | vvvv << 3 | (rest & 3)); /* W, vvvv, prefix */
    const uint8_t with_vex[] = {0xc4, (uint8_t)(0xe0 | map), (uint8_t)(wide | (rest >> 1 & 4)),
                                (uint8_t)opcode, modrm};
    const uint8_t with_evex[] = {0x62, (uint8_t)(0xf0 | map), wide | 4,
                                 0x48, (uint8_t)opcode,       modrm};
    uint8_t slot[SLOT];
    memset(slot, 0x90, sizeof slot);
    memcpy(slot, evex ? with_evex : with_vex, evex ? sizeof with_evex : sizeof with_vex);
    assert_int_equal(fwrite(slot, sizeof slot, 1, f), 1);
}

TEST(test_prefixed) {
    char path[] = "/tmp/teslapipe-vex-XXXXXX", command[PATH_MAX + 64], line[512];
    FILE *f = fdopen(mkstemp(path), "wb");
    unsigned checked = 0;
    assert_non_null(f);
    for (unsigned map = 1; map <= 3; map++)
        /* bits of kind: 0-1 prefix, 2 W, 3 length, 4 EVEX, 5 vvvv */
        for (unsigned kind = 0; kind < 64; kind++)
            for (unsigned opcode = 0; opcode < OPCODES_OF_EACH; opcode++)
                put_prefixed(f, kind & 16, map, kind & 15, kind & 32 ? 15 : 13, opcode, 0xc1);
    for (uint8_t modrm = 0x01; modrm < 0x40; modrm += 8) /* memory operands */
        put_prefixed(f, false, 1, 0, 15, 0xae, modrm);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof command, "objdump -D -w -b binary -m i386:x86-64 '%s'", path);
    f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct shown s;
        struct x86_instruction i;
        if (strtoul(line, NULL, 16) % SLOT || !parse(line, &s) || strstr(s.operands, "(bad)") ||
            s.mnemonic[0] == '(' || s.mnemonic[0] == '.')
            continue;
        memset(s.byte + s.length, 0x90, sizeof s.byte - s.length);
        const bool known = x86_read(s.byte, sizeof s.byte, &i) && !i.unknown;
        const char *wrong = known ? difference(&s, &i)
                            : s.byte[0] != 0x62 && !s.registers && !strstr(s.operands, "%tmm")
                                ? "is unknown"
                                : NULL;
        if (wrong)
            fail_msg("%s: %s %s: %s", line, s.mnemonic, s.operands, wrong);
        checked += known;
    }
    assert_int_equal(pclose(f), 0);
    unlink(path);
    assert_true(checked > 500);
}

/* Behind a REX.W prefix, the opcodes marked X are known, others are refused. */
TEST(test_refused) {
    static const char *const known[] = {
        /* 0   */ "XXXXXX..XXXXXX.XXXXXXX..XXXXXX..XXXXXX..XXXXXX..XXXXXX..XXXXXX..",
        /* 40  */ "................XXXXXXXXXXXXXXXX...X....XXXX....XXXXXXXXXXXXXXXX",
        /* 80  */ "XX.XXXXXXXXX.X.XX.......XX..............XX......XXXXXXXXXXXXXXXX",
        /* c0  */ "XX.X..XX....X...XXXX....................XX.X........X.XX......XX",
    };
    for (unsigned opcode = 0; opcode < OPCODES_OF_EACH; opcode++) {
        uint8_t byte[PADDED] = {0x48, (uint8_t)opcode, 0xc1};
        struct x86_instruction i;
        const bool wanted = known[opcode / 64][opcode % 64] == 'X';
        if (x86_read(byte, sizeof byte, &i) != wanted)
            fail_msg("%02x is %s", opcode, wanted ? "refused" : "known");
    }
}
