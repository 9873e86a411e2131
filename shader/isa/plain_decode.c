/* Decoding of the plain kinds of fields: the bits of a Fermi or generic64 field to members of
 * struct op. In: the word. Out: members and operands of the op. Facts: fermi-isa.md §3 to §6.
 */
#include "shader/isa/plain.h"

static uint32_t bits(const struct decoder *d, unsigned pos, unsigned len) {
    return field_bits(d->w, pos, len);
}

static void set_member(struct decoder *d, const struct field *f, uint32_t v) {
    if (!f->member)
        return;
    uint16_t half = (uint16_t)v;
    if (f->len + f->len2 > 8)
        memcpy((uint8_t *)d->op + f->member, &half, sizeof half);
    else
        *((uint8_t *)d->op + f->member) = (uint8_t)v;
}

void decode_plain_preset(struct decoder *d, const struct field *f) {
    *((uint8_t *)d->op + f->member) |= f->value;
}

void decode_plain_flag(struct decoder *d, const struct field *f) {
    if (field_get(f, d->w))
        *((uint8_t *)d->op + f->member) |= f->value;
}

void decode_plain_choice(struct decoder *d, const struct field *f) {
    const struct choice *c = &f->choice[field_get(f, d->w)];
    if (!c->name)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
    set_member(d, f, c->value);
}

void decode_plain_silent(struct decoder *d, const struct field *f) {
    if (f->choice)
        decode_plain_choice(d, f);
    else
        set_member(d, f, field_get(f, d->w));
}

void decode_plain_join(struct decoder *d, const struct field *f) {
    d->op->join = field_get(f, d->w);
}

/* A predicate as in struct op, of Fermi's number and the bit that negates it. */
static uint8_t predicate(uint32_t number, bool negated) {
    return (uint8_t)((number == FERMI_PT ? PRED_TRUE : number) | (negated ? PRED_NOT : 0));
}

void decode_plain_guard(struct decoder *d, const struct field *f) {
    d->op->guard = predicate(bits(d, f->pos, 3), bits(d, f->pos + 3, 1));
}

void decode_plain_cc(struct decoder *d, const struct field *f) {
    d->op->pred = (uint8_t)field_get(f, d->w);
}

void decode_plain_lanes(struct decoder *d, const struct field *f) {
    d->op->lane_mask4 = (uint8_t)field_get(f, d->w);
}

void decode_plain_flags_out(struct decoder *d, const struct field *f) {
    if (field_get(f, d->w))
        d->op->cdst = 0;
}

void decode_plain_carry(struct decoder *d, const struct field *f) {
    d->op->carry_in = field_get(f, d->w);
}

/* Pairs and quads start at multiples of 2 and 4; $r63 of any width is 0. */
static void set_register(struct decoder *d, unsigned slot, uint32_t n, unsigned width) {
    struct operand *o = op_slot(d->op, slot);
    if (width == 64 || width == 128)
        o->type = o->type && type_width(o->type) == width ? o->type
                  : width == 64                           ? TYPE_B64
                                                          : TYPE_B128;
    o->file = n == FERMI_RZ ? FILE_NULL : FILE_R;
    o->value = n == FERMI_RZ ? 0 : n;
    if (n != FERMI_RZ && n % (width / 32))
        decode_fail(d, DECODE_MISALIGNED_REG);
}

void decode_plain_reg(struct decoder *d, const struct field *f) {
    unsigned width = f->value & PLAIN_SINGLE ? 32 : plain_width(d->op, f);
    set_register(d, f->slot, field_get(f, d->w), width);
}

static void set_const(struct decoder *d, unsigned slot, unsigned bank, uint32_t offset) {
    struct operand *o = op_slot(d->op, slot);
    o->file = FILE_CONST;
    o->mem = slot_width(d->op, slot) == 64 ? TYPE_B64 : TYPE_B32;
    o->index = (uint8_t)bank;
    o->value = offset;
}

static void set_alu_const(struct decoder *d, unsigned slot) {
    set_const(d, slot, bits(d, 42, 4) | bits(d, 26, 1) << 4, bits(d, 28, 14) * 4);
}

static void set_immediate(struct decoder *d, unsigned slot, uint32_t value) {
    struct operand *o = op_slot(d->op, slot);
    o->file = FILE_IMM;
    o->value = value;
}

/* A source by the form in bits 46 and 47. The immediate of a double is its upper word. */
void decode_plain_source(struct decoder *d, const struct field *f) {
    unsigned form = bits(d, 46, 2);
    if (!(f->scale >> form & 1)) {
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
        return;
    }
    switch (1 << form) {
    case SOURCE_REG:
        set_register(d, f->slot, bits(d, 26, 6), slot_width(d->op, f->slot));
        break;
    case SOURCE_CONST:
        set_alu_const(d, f->slot);
        break;
    case SOURCE_THIRD:
        set_register(d, f->slot, bits(d, 49, 6), slot_width(d->op, f->slot));
        break;
    default:
        set_immediate(d, f->slot,
                      f->value == IMM_INT ? (uint32_t)sign_extended(bits(d, 26, 20), 20)
                                          : bits(d, 26, 20) << 12);
    }
}

void decode_plain_third(struct decoder *d, const struct field *f) {
    if (1 << bits(d, 46, 2) == SOURCE_THIRD)
        set_alu_const(d, f->slot);
    else
        set_register(d, f->slot, bits(d, 49, 6), slot_width(d->op, f->slot));
}

void decode_plain_short_src(struct decoder *d, const struct field *f) {
    static const uint8_t banks[] = {0, 0, 1, 16};
    unsigned form = bits(d, f->pos2, 2);
    if (form == 0)
        set_register(d, f->slot, bits(d, f->pos, 6), 32);
    else
        set_const(d, f->slot, banks[form], bits(d, f->pos, 6) * 4);
}

void decode_plain_imm(struct decoder *d, const struct field *f) {
    unsigned len = f->len + f->len2;
    uint64_t v = field_get(f, d->w);
    if (f->value & PLAIN_SIGNED)
        v = (uint64_t)sign_extended(v, len);
    set_immediate(d, f->slot, (uint32_t)(v << f->scale));
}

void decode_plain_number(struct decoder *d, const struct field *f) {
    set_member(d, f, field_get(f, d->w));
}

void decode_plain_special(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    o->file = FILE_SPECIAL;
    o->value = field_get(f, d->w);
}

void decode_plain_pdst(struct decoder *d, const struct field *f) {
    d->op->pdst[f->slot] = predicate(field_get(f, d->w), false);
}

/* f->pos2: the bit that negates the predicate */
void decode_plain_psrc(struct decoder *d, const struct field *f) {
    d->op->psrc[f->slot] = predicate(bits(d, f->pos, 3), bits(d, f->pos2, 1));
}

void decode_plain_plogic(struct decoder *d, const struct field *f) {
    uint32_t logic = bits(d, 53, 2);
    d->op->plogic[1] = (uint8_t)logic;
    d->op->psrc[f->slot] = predicate(bits(d, 49, 3), bits(d, 52, 1));
    if (logic == 3)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
}

/* 8-byte forms: a second predicate whose bits are all 0 does not exist (fermi-isa.md §13 item 26).
 * 4-byte forms always have a second predicate, which may be true. */
void decode_plain_ppair(struct decoder *d, const struct field *f) {
    struct op *op = d->op;
    uint32_t logic = field_bits(d->w, f->pos2, 2);
    op->psrc[0] = predicate(bits(d, 20, 3), bits(d, 23, 1));
    op->psrc[1] = predicate(bits(d, f->pos, 3), bits(d, f->scale, 1));
    op->plogic[0] = (uint8_t)logic;
    if (logic == 3)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
    if (op->words == 2 && bits(d, 26, 6) == 0)
        op->psrc[1] = PRED_TRUE;
}

void decode_plain_memory(struct decoder *d, const struct field *f) {
    const struct space *s = f->space;
    struct operand *o = op_slot(d->op, f->slot);
    int64_t offset = field_get(f, d->w);
    if (s->is_signed && f->len)
        offset = sign_extended((uint64_t)offset, f->len + f->len2);
    o->file = s->file;
    o->index = (uint8_t)plain_bank(s, d->w);
    o->value = (uint32_t)(offset * plain_offset_unit(d->op, f));
    if (!o->mem)
        o->mem = TYPE_B32;
    if (s->base == NO_BITS)
        return;
    uint32_t base = bits(d, s->base, 6);
    o->areg = (uint8_t)base;
    if (base != FERMI_RZ)
        o->flags |= OPERAND_BASED;
    if (plain_wide(s, d->w)) {
        o->flags |= OPERAND_WIDE;
        if (base != FERMI_RZ && base % 2)
            decode_fail(d, DECODE_MISALIGNED_REG);
    }
}

void decode_plain_target(struct decoder *d, const struct field *f) {
    uint64_t v = field_get(f, d->w);
    if (f->value & PLAIN_ABSOLUTE) {
        d->op->target = (uint32_t)v;
        return;
    }
    int64_t offset = sign_extended(v, f->len + f->len2) * (1 << f->scale);
    d->op->target = d->pc + 4u * d->op->words + (uint32_t)offset;
}

void decode_plain_vector(struct decoder *d, const struct field *f) {
    set_register(d, f->slot, bits(d, f->pos, 6), 32);
}

void decode_plain_masked(struct decoder *d, const struct field *f) {
    d->op->tex.base = (uint8_t)bits(d, f->pos, 6);
    d->op->tex.call.result_mask = (uint8_t)bits(d, f->pos2, 4);
}

/* The number of registers in the second vector of sources (fermi-isa.md §6.7). */
static unsigned second_sources(const struct op *op) {
    const struct ftex_fields *t = &op->ftex;
    switch (op->sub) {
    case FTEX_SAMPLE:
        return (t->lod & 2 ? 1 : 0) + (t->offsets ? 1 : 0) + t->shadow;
    case FTEX_FETCH:
        return (t->lod ? 1 : 0) + (t->offsets ? 1 : 0) + t->multisample;
    case FTEX_GATHER:
        return t->offsets + t->shadow;
    case FTEX_GRAD:
        return 2 * ftex_coordinates(t);
    case FTEX_QUERY:
        return 1;
    default:
        return 0;
    }
}

struct tex_sources plain_tex_sources(const struct op *op) {
    const struct ftex_fields *t = &op->ftex;
    struct tex_sources s = {ftex_coordinates(t) + (ftex_is_array(t) || t->indirect),
                            second_sources(op)};
    if (op->sub == FTEX_CSAA)
        s.first = 3;
    else if (op->sub == FTEX_QUERY)
        s.first = 1;
    else if (op->sub == FTEX_GRAD || op->sub == FTEX_GATHER)
        s.first += t->offsets == 1;
    return s.first > 4 || s.second > 4 ? (struct tex_sources){0, 0} : s;
}

void decode_plain_tex1(struct decoder *d, const struct field *f) {
    struct tex_sources s = plain_tex_sources(d->op);
    d->op->ftex.first = (uint8_t)bits(d, f->pos, 6);
    d->op->tex.call.source_count = (uint8_t)s.first;
    if (!s.first)
        decode_fail(d, DECODE_ILLEGAL_INSTR_ENCODING);
}

void decode_plain_tex2(struct decoder *d, const struct field *f) {
    d->op->ftex.second = (uint8_t)bits(d, f->pos, 6);
    d->op->ftex.second_count = (uint8_t)plain_tex_sources(d->op).second;
}
