/* The decoder: machine words to struct op. In: words, their address and the target. Out: the op, or
 * OP_ILLEGAL with the hardware's error name. Finds the encoding row; then every field of the row
 * fills its members of the op. Knows kinds of fields, not instructions.
 */
#include "shader/isa/dotted.h"

static uint8_t *member(struct decoder *d, const struct field *f) {
    return (uint8_t *)d->op + f->member;
}

static bool bit(const struct decoder *d, unsigned n) {
    return d->w >> n & 1;
}

static bool is_type(const struct decoder *d, enum program_type type) {
    return d->target.type == type;
}

static enum op_type slot_type(struct decoder *d, unsigned slot) {
    enum op_type t = op_slot(d->op, slot)->type;
    return t ? t : d->op->type;
}

/* A register of the slot's width: $r0 to $r127, halves $r0l to $r63h, aligned pairs and quads. */
static void set_register(struct decoder *d, unsigned slot, uint32_t n) {
    struct operand *o = op_slot(d->op, slot);
    unsigned width = encoding_width(d->row, slot);
    o->file = width == 16 ? FILE_RH : FILE_R;
    o->value = n;
    if ((width == 64 && n % 2) || (width == 128 && n % 4))
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
}

/* Sets the $a of a memory operand. postinc: w0.25 is set, and the operand allows post-increment. */
static void set_address(struct decoder *d, struct operand *o, unsigned areg, bool postinc) {
    o->areg = areg;
    if (postinc) {
        o->flags |= OPERAND_POSTINC;
        if (areg == 0 || areg == 5 || areg == 6)
            decode_fail(d, DECODE_ILLEGAL_POSTINCR);
    }
    if (areg > 4)
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
}

static unsigned address_register(const struct decoder *d) {
    unsigned areg = field_bits(d->w, 26, 2);
    return d->row->form == FORM_LONG || d->row->form == FORM_CONTROL ? areg | bit(d, W1(2)) << 2
                                                                     : areg;
}

/* Refuses the s[] access modes that are illegal (tesla-isa.md §4.2). */
static void check_shared_mode(struct decoder *d, unsigned slot, enum op_type mode) {
    enum op_type t = slot_type(d, slot);
    if (type_width(t) == 8 && mode != TYPE_U8)
        decode_fail(d, DECODE_ILLEGAL_MEMORY_BYTE);
    else if (encoding_width(d->row, slot) != 16)
        return;
    else if (mode == TYPE_B32)
        decode_fail(d, DECODE_ILLEGAL_MEMORY_SIZE);
    else if ((t == TYPE_U16 && mode == TYPE_S16) || (t == TYPE_S16 && mode == TYPE_U16))
        decode_fail(d, DECODE_ILLEGAL_MEMORY_SIGN);
}

/* a[] and p[] hold words only. */
static void set_word_input(struct decoder *d, unsigned slot, enum operand_file file,
                           uint32_t word) {
    struct operand *o = op_slot(d->op, slot);
    o->file = file;
    o->mem = TYPE_B32;
    o->value = 4 * word;
    if (encoding_width(d->row, slot) == 16)
        decode_fail(d, DECODE_ILLEGAL_MEMORY_SIZE);
}

static void set_primitive_input(struct decoder *d, unsigned slot, uint32_t word) {
    set_word_input(d, slot, FILE_PRIM, word);
    set_address(d, op_slot(d->op, slot), address_register(d), false);
}

static void set_shared(struct decoder *d, unsigned slot, uint32_t offset, unsigned len,
                       unsigned mode) {
    static const uint8_t modes[4] = {TYPE_U8, TYPE_U16, TYPE_S16, TYPE_B32};
    struct operand *o = op_slot(d->op, slot);
    o->file = FILE_SHARED;
    o->mem = modes[mode];
    o->value = offset_value(offset, len, type_width(modes[mode]) / 8, bit(d, 25));
    set_address(d, o, address_register(d), bit(d, 25));
    check_shared_mode(d, slot, modes[mode]);
}

static void set_const(struct decoder *d, unsigned slot, unsigned space, uint32_t offset,
                      unsigned len, bool has_address) {
    struct operand *o = op_slot(d->op, slot);
    bool half = encoding_width(d->row, slot) == 16;
    bool postinc = has_address && bit(d, 25);
    o->file = FILE_CONST;
    o->mem = half ? TYPE_B16 : TYPE_B32;
    o->index = space;
    o->value = offset_value(offset, len, half ? 2 : 4, postinc);
    if (has_address)
        set_address(d, o, address_register(d), postinc);
}

static bool s1_is_primitive(const struct decoder *d) {
    return is_type(d, PROGRAM_GP) && bit(d, 23) && bit(d, 24);
}

/* A c[] operand beside p[] or s[] has no $a: the instruction's one $a belongs to p[] or s[]. */
static bool const_has_address(const struct decoder *d) {
    return !s1_is_primitive(d) && !(is_type(d, PROGRAM_CP) && bit(d, W1(21)));
}

static void s1_short(struct decoder *d, unsigned slot) {
    bool immediate = d->row->form == FORM_IMMEDIATE;
    uint32_t n = field_bits(d->w, 9, 6);
    if (!bit(d, 24))
        set_register(d, slot, n);
    else if (is_type(d, PROGRAM_GP) && (immediate || bit(d, 23)))
        set_primitive_input(d, slot, n);
    else if (is_type(d, PROGRAM_CP) && (immediate || !bit(d, 23)))
        set_shared(d, slot, field_bits(d->w, 9, 4), 4, field_bits(d->w, 13, 2));
    else if ((is_type(d, PROGRAM_VP) || is_type(d, PROGRAM_GP)) && !immediate && !bit(d, 23))
        set_word_input(d, slot, FILE_ATTR, n);
    else
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
}

static void s1_long(struct decoder *d, unsigned slot) {
    uint32_t n = field_bits(d->w, 9, 7);
    if (s1_is_primitive(d))
        set_primitive_input(d, slot, n);
    else if (bit(d, 23) && bit(d, 24))
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
    else if (!bit(d, W1(21)))
        set_register(d, slot, n);
    else if (is_type(d, PROGRAM_CP))
        set_shared(d, slot, field_bits(d->w, 9, 5), 5, field_bits(d->w, 14, 2));
    else if (is_type(d, PROGRAM_FP))
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
    else
        set_word_input(d, slot, FILE_ATTR, n);
}

static void decode_s1(struct decoder *d, const struct field *f) {
    if (d->row->form == FORM_LONG)
        s1_long(d, f->slot);
    else
        s1_short(d, f->slot);
}

/* Beside p[], with w1.21 clear, one further source is c[] (tesla-isa.md §4.2): S3 in rows that have
 * S3, otherwise S2. The reference does not say which if there are three sources; S3 is our
 * choice. */
static bool beside_primitive(const struct decoder *d) {
    return s1_is_primitive(d) && !bit(d, W1(21));
}

/* A register or c[], by 7 bits. */
static void long_source(struct decoder *d, unsigned slot, unsigned pos, bool memory) {
    if (memory)
        set_const(d, slot, field_bits(d->w, W1(22), 4), field_bits(d->w, pos, 7), 7,
                  const_has_address(d));
    else
        set_register(d, slot, field_bits(d->w, pos, 7));
}

static void decode_s2(struct decoder *d, const struct field *f) {
    const bool memory = bit(d, 23) && !bit(d, 24);
    if (d->row->form != FORM_SHORT)
        long_source(d, f->slot, 16,
                    memory || (beside_primitive(d) && !encoding_has_kind(d->row, FIELD_S3)));
    else if (memory)
        set_const(d, f->slot, bit(d, 21), field_bits(d->w, 16, 5), 5, true);
    else
        set_register(d, f->slot, field_bits(d->w, 16, 6));
}

static void decode_s3(struct decoder *d, const struct field *f) {
    long_source(d, f->slot, W1(14), (bit(d, 24) && !bit(d, 23)) || beside_primitive(d));
}

void decode_nothing(struct decoder *, const struct field *) {
}

static void decode_fixed(struct decoder *d, const struct field *f) {
    *member(d, f) |= f->value;
}

static void decode_flag(struct decoder *d, const struct field *f) {
    if (field_get(f, d->w))
        *member(d, f) |= f->value;
}

static void decode_choice(struct decoder *d, const struct field *f) {
    const struct choice *c = &f->choice[field_get(f, d->w)];
    if (!c->name)
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
    *member(d, f) = c->value;
}

static void decode_ending(struct decoder *d, const struct field *f) {
    d->op->exit = field_get(f, d->w) == 1;
    d->op->join = field_get(f, d->w) == 2;
}

static void decode_predicate(struct decoder *d, const struct field *f) {
    uint32_t pred = field_bits(d->w, f->pos, f->len);
    if (!isa_predicate_names[pred])
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
    d->op->pred = pred;
    if (pred != PRED_ALWAYS && pred != PRED_NEVER)
        d->op->pred_reg = field_bits(d->w, f->pos2, f->len2);
}

static void decode_lanes(struct decoder *d, const struct field *f) {
    d->op->lane_mask4 = field_get(f, d->w);
}

static void decode_carry(struct decoder *d, const struct field *f) {
    if (d->op->add_kind == ADD_ADDC)
        d->op->pred_reg = field_get(f, d->w);
}

static void decode_flags_dst(struct decoder *d, const struct field *f) {
    uint32_t v = field_get(f, d->w);
    d->op->cdst = v & 4 ? v & 3 : NO_FLAGS_DST;
}

static void decode_flags_out(struct decoder *d, const struct field *f) {
    d->op->cdst = field_get(f, d->w);
}

static void decode_flags_src(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    o->file = FILE_C;
    o->value = d->op->pred_reg = field_get(f, d->w);
}

static void decode_reg(struct decoder *d, const struct field *f) {
    set_register(d, f->slot, field_get(f, d->w));
}

static void decode_dst(struct decoder *d, const struct field *f) {
    uint32_t n = field_get(f, d->w);
    if (!bit(d, W1(3))) {
        set_register(d, f->slot, n);
    } else if (n == 127) {
        op_slot(d->op, f->slot)->file = FILE_NULL;
    } else {
        struct operand *o = op_slot(d->op, f->slot);
        o->file = FILE_OUT;
        o->mem = encoding_width(d->row, f->slot) == 16 ? TYPE_B16 : TYPE_B32;
        o->value = n * type_width(o->mem) / 8;
        if (!is_type(d, PROGRAM_VP) && !is_type(d, PROGRAM_GP))
            decode_fail(d, DECODE_ILLEGAL_OPCODE);
    }
}

static void decode_imm(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    o->file = FILE_IMM;
    o->value = field_get(f, d->w);
}

static void decode_addr_reg(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    uint32_t n = field_get(f, d->w);
    o->file = FILE_A;
    o->value = n;
    if (f->slot == 0 && (n == 0 || n > 4))
        decode_fail(d, DECODE_ILLEGAL_POSTINCR);
    else if (f->slot != 0 && bit(d, 25) && (n == 0 || n == 5 || n == 6))
        decode_fail(d, DECODE_ILLEGAL_POSTINCR);
    else if (n > 4)
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
}

static void decode_memory(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    if (!o->mem)
        o->mem = TYPE_B32;
    unsigned scale = memory_scale(f, o->mem), len = memory_bits(f, scale);
    bool postinc = f->postinc && bit(d, 25);
    o->file = f->file;
    o->value = offset_value(field_bits(d->w, f->pos, len), len, scale, postinc);
    if (f->file == FILE_CONST)
        o->index = field_bits(d->w, W1(22), 4);
    set_address(d, o, address_register(d), postinc);
}

static void decode_global(struct decoder *d, const struct field *f) {
    struct operand *o = op_slot(d->op, f->slot);
    o->file = FILE_GLOBAL;
    o->value = field_bits(d->w, f->pos, f->len);
    o->index = field_bits(d->w, f->pos2, f->len2);
}

static void decode_number(struct decoder *d, const struct field *f) {
    uint16_t v = field_get(f, d->w);
    if (f->len > 8)
        memcpy(member(d, f), &v, sizeof v);
    else
        *member(d, f) = v;
}

static void decode_target(struct decoder *d, const struct field *f) {
    d->op->target = field_get(f, d->w) * 4;
}

static void check_tex_registers(struct decoder *d, unsigned count) {
    if (d->op->tex.base + count > 128)
        decode_fail(d, DECODE_ILLEGAL_OPCODE);
}

static void decode_tex_dst(struct decoder *d, const struct field *f) {
    struct tex_fields *t = &d->op->tex;
    t->base = field_get(f, d->w);
    t->call.result_mask = d->row->form == FORM_SHORT
                              ? 0xf
                              : field_bits(d->w, 25, 2) | field_bits(d->w, W1(14), 2) << 2;
    check_tex_registers(d, (unsigned)__builtin_popcount(t->call.result_mask));
}

static void decode_tex_src(struct decoder *d, const struct field *f) {
    d->op->tex.call.source_count = field_get(f, d->w) + 1;
    check_tex_registers(d, d->op->tex.call.source_count);
}

static void decode_tex_unit(struct decoder *d, const struct field *f) {
    *member(d, f) = field_get(f, d->w);
}

static void decode_tex_offset(struct decoder *d, const struct field *f) {
    *member(d, f) = (uint8_t)((int)(field_get(f, d->w) ^ 8) - 8);
}

#define ROW(kind, parse, print, decode, ...) [kind] = decode_##decode,
static decode_fn *const decode_field[FIELD_KINDS] = {TESLA_FIELDS(ROW) PLAIN_FIELDS(ROW)
                                                         DOT_FIELDS(ROW)};

static enum encoding_form form_of(uint32_t w0, uint32_t w1) {
    switch (w0 & 3) {
    case 0:
        return FORM_SHORT;
    case 1:
        return (w1 & 3) == 3 ? FORM_IMMEDIATE : FORM_LONG;
    case 2:
        return FORM_SHORT_CONTROL;
    default:
        return FORM_CONTROL;
    }
}

static const struct encoding_row *find_row(const struct isa *isa, struct isa_target target,
                                           enum encoding_form form, uint32_t w0, uint32_t w1) {
    for (unsigned i = 0; i < isa->row_count; i++) {
        const struct encoding_row *r = &isa->rows[i];
        if (((w0 & r->mask[0]) ^ r->bits[0]) | ((w1 & r->mask[1]) ^ r->bits[1]))
            continue;
        if (r->form == form && r->variants >> target.variant & 1)
            return r;
    }
    return NULL;
}

void isa_start_op(const struct isa *isa, const struct encoding_row *row, struct op *op) {
    op->code = row->code;
    op->row = (uint16_t)(row - isa->rows);
    op->type = row->type;
    op->sub = row->sub;
    op->dst.type = row->dst_type;
    for (int i = 0; i < 3; i++)
        op->src[i].type = row->src_type[i];
}

/* An operand without its own type has the type of the operation; an absent operand has none. */
void isa_finish_op(struct op *op) {
    for (unsigned slot = 0; slot < 4; slot++) {
        struct operand *o = op_slot(op, slot);
        if (o->file == FILE_NONE)
            o->type = TYPE_NONE;
        else if (!o->type)
            o->type = op->type;
    }
}

static enum decode_error decode_row(const struct isa *isa, struct isa_target target,
                                    const struct encoding_row *row, struct op *op, uint64_t w,
                                    uint32_t pc) {
    struct decoder d = {target, row, w, pc, op, DECODE_OK};
    uint64_t known = row->mask[0] | (uint64_t)row->mask[1] << 32;
    isa_start_op(isa, row, op);
    for (const uint16_t *f = row->fields; *f; f++) {
        decode_field[isa->fields[*f].kind](&d, &isa->fields[*f]);
        if (isa->dotted)
            known |= dot_field_mask(&isa->fields[*f]);
    }
    if (isa->dotted && w & ~known) /* generic64: unused bits are 0 */
        return DECODE_ILLEGAL_INSTR_ENCODING;
    isa_finish_op(op);
    if (!(row->types >> target.type & 1))
        return row->type_error;
    return d.error;
}

void isa_blank_op(struct op *op) {
    memset(op, 0, sizeof *op);
    op->pred = PRED_ALWAYS;
    op->guard = op->pdst[0] = op->pdst[1] = PRED_TRUE;
    op->psrc[0] = op->psrc[1] = op->psrc[2] = PRED_TRUE;
    op->cdst = NO_FLAGS_DST;
    op->lane_mask4 = 0xf;
    op->error = DECODE_OK;
}

/* The form of the instruction that starts with words w0 and w1. */
static enum encoding_form form_at(const struct isa *isa, uint32_t w0, uint32_t w1) {
    if (isa->plain)
        return w0 >> 3 & 1 && isa == &isa_fermi ? FORM_4 : FORM_8;
    return form_of(w0, w1);
}

void isa_decode(struct isa_target target, const uint32_t *w, size_t available, uint32_t pc,
                struct op *op) {
    const struct isa *isa = isa_of(target.variant);
    bool is_long = available && (isa->plain ? form_at(isa, w[0], 0) == FORM_8 : w[0] & 1);
    uint32_t w0 = available ? w[0] : 0, w1 = is_long && available > 1 ? w[1] : 0;
    enum decode_error error = isa->plain ? DECODE_ILLEGAL_INSTR_ENCODING : DECODE_ILLEGAL_OPCODE;
    isa_blank_op(op);
    op->words = is_long && available > 1 ? 2 : 1;
    if (is_long && pc & 4 && isa != &isa_fermi) {
        error = DECODE_UNALIGNED_LONG_INSTRUCTION;
    } else if (available >= (is_long ? 2 : 1)) {
        const struct encoding_row *row = find_row(isa, target, form_at(isa, w0, w1), w0, w1);
        if (row)
            error = decode_row(isa, target, row, op, w0 | (uint64_t)w1 << 32, pc);
    }

    if (error != DECODE_OK) {
        isa_blank_op(op);
        op->error = error;
    }
    op->words = is_long && available > 1 ? 2 : 1;
    op->w[0] = w0;
    op->w[1] = w1;
}

const struct isa *isa_notation(struct isa_target target) {
    const struct isa *isa = isa_of(target.variant);
    return isa == &isa_fermi && target.syntax == SYNTAX_ASFERMI ? &isa_asfermi : isa;
}

const struct isa *isa_of(enum isa_variant v) {
    switch (isa_set_of(v)) {
    case SET_FERMI:
        return &isa_fermi;
    case SET_G64:
        return &isa_g64;
    default:
        return &isa_tesla;
    }
}
