/* The fields of the two dotted notations (@P0 NAME.MODIFIER R0, R1), asfermi's and generic64's.
 * Decodes generic64's fields into struct op, and prints the fields of both notations. In: the word
 * and the op. Out: op members; text. Facts: fermi-isa.md §10, generic64-isa.md §3 to §5.
 */
#include "shader/isa/dotted.h"
#include "base/bits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

uint64_t dot_field_mask(const struct field *f) {
    uint64_t mask = ((UINT64_C(1) << f->len) - 1) << f->pos;
    if (f->kind == PLAIN_WORD || f->kind == PLAIN_PRESET)
        return 0;
    if (f->kind == DOT_GUARD)
        return UINT64_C(0xff) << 56 | 1 << 13;
    if (f->len2)
        mask |= ((UINT64_C(1) << f->len2) - 1) << f->pos2;
    if (f->kind == DOT_MEMORY)
        mask |= UINT64_C(63) << f->space->base;
    if (f->kind == DOT_TEXTURE)
        mask |= UINT64_C(0x7fff) << 14;
    for (int i = 0; i < 3; i++) {
        unsigned sign = i == 0 ? f->neg : i == 1 ? f->abs : f->invert;
        if (sign)
            mask |= UINT64_C(1) << (sign - 1);
    }
    return mask;
}

/* ---- generic64 */

/* If a guard's enable bit is 0, the instruction always runs; the guard's number and inversion must
 * then be 0, too. */
void decode_dot_guard(struct decoder *d, const struct field *) {
    unsigned n = field_bits(d->w, 56, 7), invert = field_bits(d->w, 13, 1);
    if (!(d->w >> 63)) {
        if (n || invert)
            decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
        return;
    }
    if (n > 15)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
    d->op->guard = (uint8_t)(n | (invert ? PRED_NOT : 0));
}

static bool sign_bit(uint64_t w, unsigned one_based) {
    return one_based && w >> (one_based - 1) & 1;
}

void decode_dot_reg(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    unsigned width = plain_width(d->op, f);
    o->file = FILE_R;
    o->value = field_get(f, d->w);
    if (width == 64)
        o->type = TYPE_B64;
    if (sign_bit(d->w, f->neg))
        o->flags |= OPERAND_NEG;
    if (sign_bit(d->w, f->abs))
        o->flags |= OPERAND_ABS;
    if (width == 64 && o->value % 2)
        decode_fail(d, DECODE_MISALIGNED_REG);
}

void decode_dot_imm(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    uint64_t v = field_get(f, d->w);
    o->file = FILE_IMM;
    o->value = f->value & DOT_IMM_FLOAT22  ? (uint32_t)v << 10
               : f->value & DOT_IMM_SIGNED ? (uint32_t)sign_extended(v, f->len + f->len2)
                                           : (uint32_t)v;
}

void decode_dot_pred(struct decoder *d, const struct field *f) {
    uint32_t n = field_get(f, d->w);
    if (n > 15)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
    if (f->value & DOT_PRED_DST)
        d->op->pdst[f->slot] = (uint8_t)(n & 15);
    else
        d->op->psrc[f->slot] = (uint8_t)((n & 15) | (sign_bit(d->w, f->invert) ? PRED_NOT : 0));
}

void decode_dot_memory(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    o->file = f->space->file;
    o->areg = (uint8_t)field_bits(d->w, f->space->base, 6);
    o->flags |= OPERAND_BASED;
    o->value = (uint32_t)sign_extended(field_get(f, d->w), f->len) * f->scale;
    if (!o->mem)
        o->mem = TYPE_B32;
}

/* A target counts instructions from the next instruction on; JMP's target from address 0. */
void decode_dot_target(struct decoder *d, const struct field *f) {
    uint64_t v = field_get(f, d->w);
    if (f->value & PLAIN_ABSOLUTE)
        d->op->target = (uint32_t)v * 8;
    else
        d->op->target = d->pc + 8 + (uint32_t)(sign_extended(v, f->len) * 8);
}

void decode_dot_texture(struct decoder *d, const struct field *) {
    d->op->tex.tic = (uint8_t)field_bits(d->w, 14, 6);
    d->op->tex.tsc = (uint8_t)field_bits(d->w, 20, 5);
    d->op->tex.call.result_mask = (uint8_t)field_bits(d->w, 25, 4);
}

/* ---- Printing */

static bool is_g64(const struct printer *p) {
    return p->isa == &isa_g64;
}

static uint32_t bits(const struct printer *p, unsigned pos, unsigned len) {
    return field_bits(p->w, pos, len);
}

/* Operands are separated by commas. */
static void begin_operand(struct printer *p) {
    print_append(p, p->operands++ ? ", " : " ");
}

void print_dot_guard(struct printer *p, const struct field *f) {
    if (is_g64(p)) {
        if (p->w >> 63)
            print_append(p, "@%sP%u ", bits(p, 13, 1) ? "!" : "", bits(p, 56, 7));
        return;
    }
    unsigned n = bits(p, f->pos, 3), negated = bits(p, f->pos + 3, 1);
    if (n == FERMI_PT && negated)
        print_append(p, "@!PZ ");
    else if (n != FERMI_PT)
        print_append(p, "@%sP%u ", negated ? "!" : "", n);
}

void print_dot_flag(struct printer *p, const struct field *f) {
    if (field_get(f, p->w))
        print_append(p, ".%s", f->word);
}

void print_dot_choice(struct printer *p, const struct field *f) {
    const char *name = f->choice[field_get(f, p->w)].name;
    if (name && *name)
        print_append(p, ".%s", name);
}

/* Prints the signs before an operand. True if | was printed and has to be closed. */
static bool begin_signs(struct printer *p, const struct field *f) {
    bool abs = sign_bit(p->w, f->abs);
    print_append(p, "%s%s%s", sign_bit(p->w, f->neg) ? "-" : "",
                 sign_bit(p->w, f->invert) ? "~" : "", abs ? "|" : "");
    return abs;
}

static void append_register(struct printer *p, unsigned n) {
    if (n == FERMI_RZ && !is_g64(p))
        print_append(p, "RZ");
    else
        print_append(p, "R%u", n);
}

static void print_register(struct printer *p, const struct field *f, unsigned n) {
    begin_operand(p);
    bool abs = begin_signs(p, f);
    append_register(p, n);
    print_append(p, abs ? "|" : "");
}

/* True if the operand is left out: its value is the one that a missing operand has. */
static bool absent(const struct printer *p, const struct field *f) {
    return f->optional && field_get(f, p->w) == f->absent && !sign_bit(p->w, f->invert);
}

void print_dot_reg(struct printer *p, const struct field *f) {
    if (!absent(p, f))
        print_register(p, f, field_get(f, p->w));
}

static void append_const(struct printer *p, unsigned bank, uint32_t offset) {
    print_append(p, "c[0x%x][0x%x]", bank, offset);
}

void print_dot_source(struct printer *p, const struct field *f) {
    unsigned form = 1u << bits(p, 46, 2);
    begin_operand(p);
    bool abs = begin_signs(p, f);
    if (form == SOURCE_CONST)
        append_const(p, bits(p, 42, 4) | bits(p, 26, 1) << 4, bits(p, 28, 14) * 4);
    else if (form == SOURCE_IMM)
        print_append(p, "0x%x", bits(p, 26, 20));
    else
        append_register(p, bits(p, form == SOURCE_THIRD ? 49 : 26, 6));
    print_append(p, abs ? "|" : "");
}

void print_dot_third(struct printer *p, const struct field *f) {
    begin_operand(p);
    begin_signs(p, f);
    if (1u << bits(p, 46, 2) == SOURCE_THIRD)
        append_const(p, bits(p, 42, 4) | bits(p, 26, 1) << 4, bits(p, 28, 14) * 4);
    else
        append_register(p, bits(p, 49, 6));
}

/* Writes the shortest text that reads back as the same number; hexadecimal if v is not finite. */
static void append_float(struct printer *p, uint32_t v) {
    char text[32];
    const float f = bits_float(v);
    if (!isfinite(f)) {
        print_append(p, "0x%x", v);
        return;
    }
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)f);
        if (strtof(text, NULL) == f)
            break;
    }
    size_t whole = strcspn(text, ".e");
    if (text[whole] == '.')
        print_append(p, "%s", text);
    else
        print_append(p, "%.*s.0%s", (int)whole, text, text + whole);
}

void print_dot_imm(struct printer *p, const struct field *f) {
    uint64_t v = field_get(f, p->w);
    begin_operand(p);
    begin_signs(p, f);
    if (f->value & DOT_IMM_FLOAT22)
        append_float(p, (uint32_t)v << 10);
    else if (f->value & DOT_IMM_HEX)
        print_append(p, "0x%" PRIx64, v);
    else
        print_append(p, "%" PRId64,
                     f->value & DOT_IMM_SIGNED ? sign_extended(v, f->len + f->len2) : (int64_t)v);
}

void print_dot_number(struct printer *p, const struct field *f) {
    if (absent(p, f))
        return;
    begin_operand(p);
    print_append(p, f->value & DOT_HEX ? "0x%x" : "%u", field_get(f, p->w));
}

/* pos2: the bit that selects a number */
void print_dot_either(struct printer *p, const struct field *f) {
    bool number = bits(p, f->pos2, 1);
    if (f->optional && !number && bits(p, f->pos, 6) == FERMI_RZ)
        return;
    begin_operand(p);
    if (number)
        print_append(p, "0x%x", bits(p, f->pos, f->len));
    else
        append_register(p, bits(p, f->pos, 6));
}

void print_dot_pred(struct printer *p, const struct field *f) {
    unsigned n = field_get(f, p->w);
    if (absent(p, f))
        return;
    begin_operand(p);
    print_append(p, "%s", sign_bit(p->w, f->invert) ? "!" : "");
    if (n == FERMI_PT && !is_g64(p))
        print_append(p, "PT");
    else
        print_append(p, "P%u", n);
}

static void print_offset(struct printer *p, int64_t offset, bool based) {
    uint64_t size = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;
    if (is_g64(p)) {
        if (offset)
            print_append(p, "%c%" PRIu64, offset < 0 ? '-' : '+', size);
    } else if (offset || !based) {
        print_append(p, "%s%s0x%" PRIx64, based ? "+" : "", offset < 0 ? "-" : "", size);
    }
}

void print_dot_memory(struct printer *p, const struct field *f) {
    const struct space *s = f->space;
    unsigned base = bits(p, s->base, 6);
    int64_t offset = field_get(f, p->w);
    if (s->is_signed)
        offset = sign_extended((uint64_t)offset, f->len + f->len2);
    bool based = is_g64(p) || base != FERMI_RZ || plain_wide(s, p->w);
    begin_operand(p);
    if (s->file == FILE_CONST && s->bank_len)
        print_append(p, "c[0x%x]", plain_bank(s, p->w));
    print_append(p, "[");
    if (based)
        append_register(p, base);
    print_offset(p, offset * (f->scale ? f->scale : 1), based);
    print_append(p, "]");
}

void print_dot_target(struct printer *p, const struct field *) {
    begin_operand(p);
    if (!is_g64(p) && bits(p, 14, 1))
        append_const(p, bits(p, 42, 5), bits(p, 26, 16));
    else
        print_append(p, "0x%x", p->op->target);
}

void print_dot_special(struct printer *p, const struct field *f) {
    unsigned n = field_get(f, p->w);
    begin_operand(p);
    if (is_g64(p))
        print_append(p, "%s", isa_g64_specials[n & 15]);
    else if (isa_asfermi_specials[n])
        print_append(p, "SR_%s", isa_asfermi_specials[n]);
    else
        print_append(p, "SR%u", n);
}

/* Prints NOP's test. A test that always holds is printed only if an event number follows. */
void print_dot_test(struct printer *p, const struct field *f) {
    unsigned n = field_get(f, p->w);
    if (n == PRED_ALWAYS && !bits(p, 26, 16))
        return;
    begin_operand(p);
    print_append(p, "CC.%s", isa_asfermi_tests[n]);
}

void print_dot_texture(struct printer *p, const struct field *) {
    begin_operand(p);
    print_append(p, "%u:%u:%u", bits(p, 14, 6), bits(p, 20, 5), bits(p, 25, 4));
}
