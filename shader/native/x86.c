/* Reads x86-64 instructions: see x86.h. The operand forms of EVEX and VEX instructions are a list,
 * because a register field that is not used looks like register 0. An EVEX instruction that is not
 * in the list is refused.
 */
#include "shader/native/x86.h"

enum { FORM_REG = 1, FORM_VVVV = 2, FORM_RM = 4, FORM_VSIB = 8, FORM_IS4 = 16 };
enum { ANY_PP = 4 };

/* For an instruction's map, prefix and range of opcodes: the fields that name vector registers (rm
 * only if it is no memory operand). */
struct form {
    uint8_t map, pp, first, last, form;
};
static const struct form forms[] = {
    /* moves, conversions, one source */
    {1, ANY_PP, 0x10, 0x11, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x28, 0x29, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x6f, 0x6f, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x7f, 0x7f, FORM_REG | FORM_RM},
    {1, 1, 0x6e, 0x6e, FORM_REG},
    {1, 1, 0x7e, 0x7e, FORM_REG},
    {1, 2, 0x7e, 0x7e, FORM_REG | FORM_RM},
    {1, 1, 0xd6, 0xd6, FORM_REG | FORM_RM},
    {1, 0, 0x51, 0x51, FORM_REG | FORM_RM},
    {1, 1, 0x51, 0x51, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x51, 0x51, FORM_REG | FORM_VVVV | FORM_RM}, /* scalars */
    {1, 0, 0x5a, 0x5a, FORM_REG | FORM_RM},
    {1, 1, 0x5a, 0x5a, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x5a, 0x5a, FORM_REG | FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0x5b, 0x5b, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x70, 0x70, FORM_REG | FORM_RM},
    {1, 0, 0x78, 0x79, FORM_REG | FORM_RM},
    {1, 1, 0x78, 0x7b, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x7a, 0x7a, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x78, 0x79, FORM_RM}, /* to and from general registers */
    {1, ANY_PP, 0x7b, 0x7b, FORM_REG | FORM_VVVV},
    {1, ANY_PP, 0xe6, 0xe6, FORM_REG | FORM_RM},
    /* shifts by a constant: the destination is vvvv */
    {1, 1, 0x71, 0x73, FORM_VVVV | FORM_RM},
    /* shifts by a scalar, comparisons to masks, two sources */
    {1, ANY_PP, 0x54, 0x59, FORM_REG | FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0x5c, 0x5f, FORM_REG | FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0x14, 0x15, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0x60, 0x63, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0x64, 0x66, FORM_VVVV | FORM_RM},
    {1, 1, 0x67, 0x6d, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0x74, 0x76, FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0xc2, 0xc2, FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0xc6, 0xc6, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0xd1, 0xd5, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0xd8, 0xe5, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0xe8, 0xef, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0xf1, 0xfe, FORM_REG | FORM_VVVV | FORM_RM},
    /* map 0f38 */
    {2, 1, 0x00, 0x00, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x0c, 0x0d, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x10, 0x12, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 2, 0x10, 0x15, FORM_REG | FORM_RM},
    {2, 1, 0x14, 0x16, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x18, 0x1b, FORM_REG | FORM_RM},
    {2, 1, 0x1c, 0x25, FORM_REG | FORM_RM},
    {2, 2, 0x20, 0x25, FORM_REG | FORM_RM},
    {2, ANY_PP, 0x26, 0x27, FORM_VVVV | FORM_RM},
    {2, 1, 0x28, 0x28, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 2, 0x28, 0x28, FORM_REG},
    {2, 1, 0x29, 0x29, FORM_VVVV | FORM_RM},
    {2, 2, 0x29, 0x29, FORM_RM},
    {2, 1, 0x2b, 0x2d, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x30, 0x35, FORM_REG | FORM_RM},
    {2, 2, 0x30, 0x35, FORM_REG | FORM_RM},
    {2, 1, 0x36, 0x36, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x37, 0x37, FORM_VVVV | FORM_RM},
    {2, 2, 0x38, 0x38, FORM_REG},
    {2, 2, 0x39, 0x39, FORM_RM},
    {2, 1, 0x38, 0x40, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x42, 0x42, FORM_REG | FORM_RM},
    {2, 1, 0x44, 0x44, FORM_REG | FORM_RM},
    {2, 1, 0x45, 0x47, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x4c, 0x4c, FORM_REG | FORM_RM},
    {2, 1, 0x4e, 0x4e, FORM_REG | FORM_RM},
    {2, 1, 0x50, 0x53, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x58, 0x5b, FORM_REG | FORM_RM},
    {2, 1, 0x64, 0x66, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x75, 0x77, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x78, 0x79, FORM_REG | FORM_RM},
    {2, 1, 0x7a, 0x7c, FORM_REG},
    {2, 1, 0x7d, 0x7f, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x8d, 0x8d, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x90, 0x93, FORM_REG | FORM_VSIB},
    {2, 1, 0x96, 0x9f, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0xa6, 0xaf, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0xb4, 0xbf, FORM_REG | FORM_VVVV | FORM_RM},
    /* map 0f3a */
    {3, 1, 0x00, 0x01, FORM_REG | FORM_RM},
    {3, 1, 0x03, 0x03, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x04, 0x05, FORM_REG | FORM_RM},
    {3, 1, 0x08, 0x09, FORM_REG | FORM_RM},
    {3, 1, 0x0f, 0x0f, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x18, 0x18, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x19, 0x19, FORM_REG | FORM_RM},
    {3, 1, 0x1a, 0x1a, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x1b, 0x1b, FORM_REG | FORM_RM},
    {3, 1, 0x1e, 0x1f, FORM_VVVV | FORM_RM},
    {3, 1, 0x25, 0x25, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x26, 0x26, FORM_REG | FORM_RM},
    {3, 1, 0x38, 0x38, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x39, 0x39, FORM_REG | FORM_RM},
    {3, 1, 0x3a, 0x3a, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x3b, 0x3b, FORM_REG | FORM_RM},
    {3, 1, 0x3e, 0x3f, FORM_VVVV | FORM_RM},
    {3, 1, 0x43, 0x43, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x50, 0x51, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x54, 0x55, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x66, 0x67, FORM_RM},
    {3, 1, 0x70, 0x73, FORM_REG | FORM_VVVV | FORM_RM},
};

/* Forms of VEX instructions that the list above lacks or has with other fields. Examples:
 * comparisons write a vector register, and gathers have their mask in a vector register. */
static const struct form vex_forms[] = {
    {1, 2, 0x12, 0x12, FORM_REG | FORM_RM},
    {1, 3, 0x12, 0x12, FORM_REG | FORM_RM},
    {1, 2, 0x16, 0x16, FORM_REG | FORM_RM},
    {1, ANY_PP, 0x50, 0x50, FORM_RM},
    {1, 1, 0x64, 0x66, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0x74, 0x76, FORM_REG | FORM_VVVV | FORM_RM},
    {1, ANY_PP, 0xc2, 0xc2, FORM_REG | FORM_VVVV | FORM_RM},
    {1, 1, 0xd7, 0xd7, FORM_RM},
    {2, 1, 0x0a, 0x0a, FORM_REG | FORM_VVVV | FORM_RM}, /* vpsignd */
    {2, 1, 0x0e, 0x0f, FORM_REG | FORM_RM},
    {2, 1, 0x17, 0x17, FORM_REG | FORM_RM},
    {2, 1, 0x29, 0x29, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x37, 0x37, FORM_REG | FORM_VVVV | FORM_RM},
    {2, 1, 0x90, 0x93, FORM_REG | FORM_VVVV | FORM_VSIB},
    {3, 1, 0x02, 0x02, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x06, 0x06, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x0c, 0x0e, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x16, 0x17, FORM_REG},
    {3, 1, 0x46, 0x46, FORM_REG | FORM_VVVV | FORM_RM},
    {3, 1, 0x4a, 0x4c, FORM_REG | FORM_VVVV | FORM_RM | FORM_IS4},
};

static int find_form(const struct form *list, size_t count, const struct x86_instruction *i) {
    for (const struct form *f = list; f < list + count; f++)
        if (f->map == i->map && (f->pp == ANY_PP || f->pp == i->pp) && i->opcode >= f->first &&
            i->opcode <= f->last)
            return f->form;
    return -1;
}

static int form_of(const struct x86_instruction *i) {
    const int own = i->vex ? find_form(vex_forms, sizeof vex_forms / sizeof *vex_forms, i) : -1;
    return own >= 0 ? own : find_form(forms, sizeof forms / sizeof *forms, i);
}

/* ---- registers of instructions; at: the byte 0x62 (EVEX) or 0xc4 (VEX), but for X86_IS4 */

enum { VEX3 = 0xc4, VEX_MODRM = 4, EVEX_MODRM = 5 };

static unsigned bit(uint8_t byte, unsigned n) {
    return byte >> n & 1;
}

static unsigned get_register(const uint8_t *at, enum x86_field field) {
    const uint8_t p0 = (uint8_t)~at[1], p1 = (uint8_t)~at[2], p2 = (uint8_t)~at[3];
    const uint8_t *const modrm = at + EVEX_MODRM;
    switch (field) {
    case X86_REG:
        return (modrm[0] >> 3 & 7) | bit(p0, 7) << 3 | bit(p0, 4) << 4;
    case X86_VVVV:
        return (p1 >> 3 & 15) | bit(p2, 3) << 4;
    case X86_RM:
        return (modrm[0] & 7) | bit(p0, 5) << 3 | bit(p0, 6) << 4;
    default:
        return (modrm[1] >> 3 & 7) | bit(p0, 6) << 3 | bit(p2, 3) << 4;
    }
}

static void put_bits(uint8_t *byte, unsigned at, unsigned width, unsigned value) {
    const uint8_t mask = (uint8_t)(((1u << width) - 1) << at);
    *byte = (uint8_t)((*byte & ~mask) | (value << at & mask));
}

/* Sets the register's low bits, then the bits of EVEX for registers from 16 on. The low bits have
 * the same places in both prefixes. */
void x86_set_register(uint8_t *at, enum x86_field field, unsigned n) {
    const bool vex = at[0] == VEX3;
    uint8_t *const modrm = at + (vex ? VEX_MODRM : EVEX_MODRM);
    switch (field) {
    case X86_REG:
        put_bits(&modrm[0], 3, 3, n);
        put_bits(&at[1], 7, 1, ~n >> 3);
        break;
    case X86_VVVV:
        put_bits(&at[2], 3, 4, ~n);
        break;
    case X86_RM:
        put_bits(&modrm[0], 0, 3, n);
        put_bits(&at[1], 5, 1, ~n >> 3);
        break;
    case X86_IS4:
        put_bits(at, 4, 4, n);
        return;
    default:
        put_bits(&modrm[1], 3, 3, n);
        put_bits(&at[1], 6, 1, ~n >> 3);
        break;
    }
    if (vex)
        return;
    if (field == X86_REG)
        put_bits(&at[1], 4, 1, ~n >> 4);
    else if (field == X86_RM)
        put_bits(&at[1], 6, 1, ~n >> 4);
    else
        put_bits(&at[3], 3, 1, ~n >> 4);
}

/* ---- lengths ---- */

struct reader {
    const uint8_t *at;
    size_t size, used;
    bool word, rex_w; /* 66 prefix, 64-bit operands */
};

static uint8_t next(struct reader *r) {
    return r->used < r->size ? r->at[r->used++] : (r->used++, 0);
}

/* Reads modrm and all bytes that belong to it. Returns its mod and reg fields. */
static void read_modrm(struct reader *r, unsigned *mod, unsigned *reg) {
    const uint8_t modrm = next(r);
    *mod = modrm >> 6;
    *reg = modrm >> 3 & 7;
    const unsigned rm = modrm & 7;
    if (*mod == 3)
        return;
    if (rm == 4) {
        const uint8_t sib = next(r);
        if (*mod == 0 && (sib & 7) == 5)
            r->used += 4;
    }
    if (*mod == 1)
        r->used += 1;
    else if (*mod == 2 || (*mod == 0 && rm == 5))
        r->used += 4;
}

static bool has_imm8_0f(uint8_t op) {
    return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
           (op >= 0xc4 && op <= 0xc6);
}

static bool read_0f(struct reader *r, struct x86_instruction *i) {
    unsigned mod, reg;
    i->map = 1;
    i->opcode = next(r);
    if (i->opcode == 0x38 || i->opcode == 0x3a) {
        i->map = i->opcode == 0x38 ? 2 : 3;
        i->opcode = next(r);
        read_modrm(r, &mod, &reg);
        r->used += i->map == 3;
        return true;
    }
    if (i->opcode >= 0x80 && i->opcode <= 0x8f) {
        i->jump = X86_BRANCH;
        r->used += 4;
        return true;
    }
    if (i->opcode == 0x0b) { /* ud2 */
        i->jump = X86_ENDS;
        return true;
    }
    if (i->opcode == 0x77 || i->opcode == 0x05 || i->opcode == 0xa2 ||
        (i->opcode >= 0xc8 && i->opcode <= 0xcf))
        return true;
    if (i->opcode < 0x10)
        return false;
    read_modrm(r, &mod, &reg);
    r->used += has_imm8_0f(i->opcode);
    return true;
}

static bool read_group3(struct reader *r, unsigned imm) {
    unsigned mod, reg;
    read_modrm(r, &mod, &reg);
    r->used += reg < 2 ? imm : 0;
    return true;
}

static bool read_one_byte(struct reader *r, struct x86_instruction *i) {
    unsigned mod, reg;
    const uint8_t op = i->opcode;
    const unsigned imm = r->word && !r->rex_w ? 2 : 4;
    if (op < 0x40) {
        if ((op & 7) < 4)
            read_modrm(r, &mod, &reg);
        else if ((op & 7) == 4)
            r->used += 1;
        else if ((op & 7) == 5)
            r->used += imm;
        else
            return false;
        return true;
    }
    switch (op) {
    case 0x68:
    case 0xa9:
        r->used += imm;
        return true;
    case 0x6a:
    case 0xa8:
        r->used += 1;
        return true;
    case 0x69:
    case 0x81:
    case 0xc7:
        read_modrm(r, &mod, &reg);
        r->used += imm;
        return true;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
        read_modrm(r, &mod, &reg);
        r->used += 1;
        return true;
    case 0x63:
    case 0x8d:
    case 0x8f:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xfe:
        read_modrm(r, &mod, &reg);
        return true;
    case 0xff:
        read_modrm(r, &mod, &reg);
        if (reg == 4)
            i->jump = X86_ENDS; /* jmp to an address in a register or in memory */
        return true;
    case 0xf6:
        return read_group3(r, 1);
    case 0xf7:
        return read_group3(r, imm);
    case 0xe8:
        r->used += 4;
        return true;
    case 0xe9:
        r->used += 4;
        i->jump = X86_JUMP;
        return true;
    case 0xeb:
        r->used += 1;
        i->jump = X86_JUMP;
        i->short_jump = true;
        return true;
    case 0xc3:
        i->jump = X86_ENDS;
        return true;
    case 0x90:
    case 0x98:
    case 0x99:
    case 0xcc:
    case 0xf4:
        return true;
    default:
        break;
    }
    if (op >= 0x50 && op <= 0x5f)
        return true;
    if (op >= 0x70 && op <= 0x7f) {
        r->used += 1;
        i->jump = X86_BRANCH;
        i->short_jump = true;
        return true;
    }
    if (op >= 0x84 && op <= 0x8b) {
        read_modrm(r, &mod, &reg);
        return true;
    }
    if (op >= 0xb0 && op <= 0xb7) {
        r->used += 1;
        return true;
    }
    if (op >= 0xb8 && op <= 0xbf) {
        r->used += r->rex_w ? 8 : imm;
        return true;
    }
    return false;
}

static bool read_legacy(struct reader *r, struct x86_instruction *i) {
    uint8_t byte = next(r);
    for (; byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0xf0;
         byte = next(r))
        r->word |= byte == 0x66;
    if (byte >= 0x40 && byte <= 0x4f) {
        r->rex_w = byte & 8;
        byte = next(r);
    }
    if (byte == 0x0f)
        return read_0f(r, i);
    i->opcode = byte;
    return read_one_byte(r, i);
}

/* Operations on mask registers. */
static bool is_mask_operation(const struct x86_instruction *i) {
    if (i->map == 1)
        return (i->opcode >= 0x41 && i->opcode <= 0x4b) ||
               (i->opcode >= 0x90 && i->opcode <= 0x93) || i->opcode == 0x98 || i->opcode == 0x99;
    return i->map == 3 && i->opcode >= 0x30 && i->opcode <= 0x33;
}

/* Instructions without vector registers: those of BMI, vldmxcsr and vstmxcsr. */
static bool is_general(const struct x86_instruction *i) {
    return (i->map == 2 && i->opcode >= 0xf2) || (i->map == 3 && i->opcode == 0xf0) ||
           (i->map == 1 && i->opcode == 0xae);
}

/* The field that names the written vector register: vvvv for shifts by a constant; rm for stores,
 * for narrower elements and for a half or quarter of a register; otherwise reg. X86_FIELDS: tests,
 * and words for memory or general registers, write no vector register. */
static enum x86_field written_by(const struct x86_instruction *i) {
    const uint8_t op = i->opcode;
    if (i->map == 1 && (op == 0x11 || op == 0x29 || op == 0x7f || op == 0xd6))
        return X86_RM;
    if (i->map == 1 && op >= 0x71 && op <= 0x73)
        return X86_VVVV;
    if (i->map == 2 && (op == 0x0e || op == 0x0f || op == 0x17))
        return X86_FIELDS;
    /* from vectors to narrower elements */
    if (i->map == 2 && i->pp == 2 && op < 0x40 && (op & 15) <= 5)
        return X86_RM;
    /* a part or a word to memory or a general register */
    if ((i->map == 3 && op >= 0x14 && op <= 0x17) || (i->map == 1 && i->pp == 1 && op == 0x7e))
        return X86_FIELDS;
    return i->map == 3 && (op == 0x19 || op == 0x1b || op == 0x39 || op == 0x3b) ? X86_RM : X86_REG;
}

/* True for moves of a scalar, which have two sources if both operands are registers. */
static bool is_scalar_move(const struct x86_instruction *i) {
    return i->map == 1 && (i->opcode == 0x10 || i->opcode == 0x11) && i->pp >= 2;
}

static void set_fields(struct x86_instruction *i, int form, unsigned mod) {
    i->written = written_by(i);
    if (mod == 3 && is_scalar_move(i))
        form |= FORM_VVVV;
    i->fields =
        (uint8_t)((form & FORM_REG ? 1 << X86_REG : 0) | (form & FORM_VVVV ? 1 << X86_VVVV : 0) |
                  (form & FORM_RM && mod == 3 ? 1 << X86_RM : 0) |
                  (form & FORM_VSIB ? 1 << X86_INDEX : 0) | (form & FORM_IS4 ? 1 << X86_IS4 : 0));
}

static bool read_vex(struct reader *r, struct x86_instruction *i) {
    const uint8_t *at = r->at;
    const bool two = next(r) == 0xc5;
    const uint8_t first = next(r), second = two ? first : next(r);
    unsigned mod, reg;
    i->vex = true;
    i->map = two ? 1 : first & 31;
    i->pp = second & 3;
    i->opcode = next(r);
    if (i->map == 1 && i->opcode == 0x77)
        return true;
    const size_t modrm = r->used;
    read_modrm(r, &mod, &reg);
    r->used += i->map == 3 || (i->map == 1 && has_imm8_0f(i->opcode));
    if (is_mask_operation(i) || is_general(i))
        return true;
    const int form = form_of(i);
    i->unknown = form < 0;
    set_fields(i, i->unknown ? FORM_REG | FORM_VVVV | FORM_RM : form, mod);
    const unsigned x = two ? 0 : (~first >> 6 & 1) << 3, b = two ? 0 : (~first >> 5 & 1) << 3;
    i->number[X86_REG] = (uint8_t)(reg | (~first >> 7 & 1) << 3);
    i->number[X86_VVVV] = ~(second >> 3) & 15;
    i->number[X86_RM] = (uint8_t)((at[modrm] & 7) | b);
    i->number[X86_INDEX] = (uint8_t)((at[modrm + 1] >> 3 & 7) | x);
    i->number[X86_IS4] = at[r->used - 1] >> 4;
    return true;
}

static bool read_evex(struct reader *r, struct x86_instruction *i) {
    const uint8_t *at = r->at;
    unsigned mod, reg;
    r->used = 4;
    i->evex = true;
    i->map = at[1] & 7;
    i->pp = at[2] & 3;
    i->opcode = next(r);
    read_modrm(r, &mod, &reg);
    r->used += i->map == 3 || (i->map == 1 && has_imm8_0f(i->opcode));
    const int form = form_of(i);
    if (form < 0)
        return false;
    set_fields(i, form, mod);
    for (unsigned f = 0; f < X86_FIELDS; f++)
        if (i->fields >> f & 1)
            i->number[f] = (uint8_t)get_register(at, f);
    return true;
}

bool x86_read(const uint8_t *at, size_t size, struct x86_instruction *i) {
    struct reader r = {.at = at, .size = size};
    *i = (struct x86_instruction){0};
    bool known;
    if (size >= 6 && at[0] == 0x62)
        known = read_evex(&r, i);
    else if (size && (at[0] == 0xc4 || at[0] == 0xc5))
        known = read_vex(&r, i);
    else
        known = read_legacy(&r, i);
    i->length = (unsigned)r.used;
    return known && r.used <= size;
}
