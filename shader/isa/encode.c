/* The encoder: Tesla's struct op to machine words. In: an op and the target. Out: one or two words.
 * Every field of an encoding row writes its bits. The result is valid only if it decodes to the
 * same op, so an op that the row cannot express (two $a registers, a modifier without a bit) is
 * refused.
 */
#include "shader/isa/table.h"

struct encoder {
    struct isa_target target;
    const struct encoding_row *row;
    const struct op *op;
    uint64_t w;
    bool ok;
};

typedef void encode_fn(struct encoder *e, const struct field *f);

static void put(struct encoder *e, unsigned pos, unsigned len, uint32_t value) {
    if ((uint64_t)value >> len)
        e->ok = false;
    else
        e->w |= (uint64_t)value << pos;
}

static void put_field(struct encoder *e, const struct field *f, uint32_t value) {
    put(e, f->pos, f->len, value & ((UINT64_C(1) << f->len) - 1));
    put(e, f->pos2, f->len2, (uint64_t)value >> f->len);
}

static void require(struct encoder *e, bool condition) {
    e->ok = e->ok && condition;
}

static uint8_t member(const struct encoder *e, const struct field *f) {
    return *((const uint8_t *)e->op + f->member);
}

static void put_register(struct encoder *e, unsigned slot, unsigned pos, unsigned len) {
    const struct operand *o = op_slot_const(e->op, slot);
    require(e, o->file == (encoding_width(e->row, slot) == 16 ? FILE_RH : FILE_R));
    put(e, pos, len, o->value);
}

static void put_offset(struct encoder *e, const struct operand *o, unsigned pos, unsigned len,
                       unsigned scale) {
    require(e, scale != 0); /* the access must have a size */
    if (!e->ok)
        return;
    uint32_t bits = (uint32_t)((int32_t)o->value / (int32_t)scale) & ((1u << len) - 1);
    require(e, offset_value(bits, len, scale, o->flags & OPERAND_POSTINC) == o->value);
    put(e, pos, len, bits);
}

static void put_address(struct encoder *e, const struct operand *o) {
    put(e, 26, 2, o->areg & 3);
    if (e->row->form == FORM_LONG || e->row->form == FORM_CONTROL)
        put(e, W1(2), 1, o->areg >> 2);
    put(e, 25, 1, o->flags & OPERAND_POSTINC ? 1 : 0);
}

static void encode_shared_source(struct encoder *e, const struct operand *o, bool is_long) {
    static const uint8_t mode_of[] = {
        [TYPE_U8] = 0, [TYPE_U16] = 1, [TYPE_S16] = 2, [TYPE_B32] = 3};
    unsigned len = is_long ? 5 : 4;
    put(e, is_long ? W1(21) : 24, 1, 1);
    put(e, 9 + len, 2, o->mem <= TYPE_B32 ? mode_of[o->mem] : 0);
    put_offset(e, o, 9, len, type_width(o->mem) / 8);
    put_address(e, o);
}

/* p[]: w1.21 says that the other sources are registers; encode_const clears the bit for a c[]. */
static void encode_primitive_source(struct encoder *e, const struct operand *o, bool is_long) {
    put(e, 24, 1, 1);
    if (e->row->form != FORM_IMMEDIATE)
        put(e, 23, 1, 1);
    if (is_long && (encoding_has_kind(e->row, FIELD_S2) || encoding_has_kind(e->row, FIELD_S3)))
        put(e, W1(21), 1, 1);
    put_offset(e, o, 9, is_long ? 7 : 6, 4);
    put_address(e, o);
}

static void encode_s1(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    bool is_long = e->row->form == FORM_LONG;
    switch (o->file) {
    case FILE_PRIM:
        encode_primitive_source(e, o, is_long);
        break;
    case FILE_ATTR:
        put(e, is_long ? W1(21) : 24, 1, 1);
        put_offset(e, o, 9, is_long ? 7 : 6, 4);
        break;
    case FILE_SHARED:
        encode_shared_source(e, o, is_long);
        break;
    default:
        put_register(e, f->slot, 9, is_long ? 7 : 6);
    }
}

static void encode_const(struct encoder *e, const struct operand *o, unsigned pos,
                         unsigned memory_bit) {
    unsigned scale = type_width(o->mem) / 8;
    if (e->row->form == FORM_SHORT) {
        put(e, 21, 1, o->index);
        put_offset(e, o, pos, 5, scale);
    } else {
        put(e, W1(22), 4, o->index);
        put_offset(e, o, pos, 7, scale);
    }
    if (e->op->src[0].file == FILE_PRIM)
        e->w &= ~(UINT64_C(1) << W1(21));
    put(e, memory_bit, 1, 1);
    put_address(e, o);
}

static void encode_s2(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    if (o->file == FILE_CONST)
        encode_const(e, o, 16, 23);
    else
        put_register(e, f->slot, 16, e->row->form == FORM_LONG ? 7 : 6);
}

static void encode_s3(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    if (o->file == FILE_CONST)
        encode_const(e, o, W1(14), 24);
    else
        put_register(e, f->slot, W1(14), 7);
}

static void encode_nothing(struct encoder *, const struct field *) {
}

static void encode_flag(struct encoder *e, const struct field *f) {
    put(e, f->pos, 1, (member(e, f) & f->value) == f->value);
}

static void encode_choice(struct encoder *e, const struct field *f) {
    for (uint32_t i = 0; i < 1u << (f->len + f->len2); i++) {
        if (f->choice[i].name && f->choice[i].value == member(e, f)) {
            put_field(e, f, i);
            return;
        }
    }
    e->ok = false;
}

static void encode_ending(struct encoder *e, const struct field *f) {
    put_field(e, f, e->op->exit ? 1 : e->op->join ? 2 : 0);
}

static void encode_predicate(struct encoder *e, const struct field *f) {
    bool reads = e->op->pred != PRED_ALWAYS && e->op->pred != PRED_NEVER;
    put(e, f->pos, f->len, e->op->pred);
    put(e, f->pos2, f->len2, reads ? e->op->pred_reg : 0);
}

static void encode_lanes(struct encoder *e, const struct field *f) {
    put_field(e, f, e->op->lane_mask4);
}

static void encode_carry(struct encoder *e, const struct field *f) {
    if (e->op->add_kind == ADD_ADDC)
        put_field(e, f, e->op->pred_reg);
}

static void encode_flags_dst(struct encoder *e, const struct field *f) {
    if (e->op->cdst != NO_FLAGS_DST)
        put_field(e, f, e->op->cdst | 4);
}

static void encode_flags_out(struct encoder *e, const struct field *f) {
    put_field(e, f, e->op->cdst);
}

static void encode_reg(struct encoder *e, const struct field *f) {
    put_register(e, f->slot, f->pos, f->len);
}

static void encode_dst(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    if (o->file == FILE_NULL) {
        put(e, W1(3), 1, 1);
        put_field(e, f, 127);
    } else if (o->file == FILE_OUT) {
        put(e, W1(3), 1, 1);
        put_offset(e, o, f->pos, f->len, encoding_width(e->row, f->slot) == 16 ? 2 : 4);
    } else {
        put_register(e, f->slot, f->pos, f->len);
    }
}

static void encode_value(struct encoder *e, const struct field *f) {
    put_field(e, f, op_slot_const(e->op, f->slot)->value);
}

static void encode_memory(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    unsigned scale = memory_scale(f, o->mem);
    require(e, scale != 0);
    if (!e->ok)
        return;
    put_offset(e, o, f->pos, memory_bits(f, scale), scale);
    if (f->file == FILE_CONST)
        put(e, W1(22), 4, o->index);
    put_address(e, o);
}

static void encode_global(struct encoder *e, const struct field *f) {
    const struct operand *o = op_slot_const(e->op, f->slot);
    put(e, f->pos, f->len, o->value);
    put(e, f->pos2, f->len2, o->index);
}

static void encode_number(struct encoder *e, const struct field *f) {
    uint16_t v = member(e, f);
    if (f->len > 8)
        memcpy(&v, (const uint8_t *)e->op + f->member, sizeof v);
    put_field(e, f, v);
}

static void encode_target(struct encoder *e, const struct field *f) {
    require(e, e->op->target % 4 == 0);
    put_field(e, f, e->op->target / 4);
}

static void encode_tex_dst(struct encoder *e, const struct field *f) {
    put_field(e, f, e->op->tex.base);
    if (e->row->form != FORM_SHORT) {
        put(e, 25, 2, e->op->tex.call.result_mask & 3);
        put(e, W1(14), 2, e->op->tex.call.result_mask >> 2);
    }
}

static void encode_tex_src(struct encoder *e, const struct field *f) {
    put_field(e, f, e->op->tex.call.source_count - 1u);
}

static void encode_member(struct encoder *e, const struct field *f) {
    put_field(e, f, member(e, f));
}

static void encode_tex_offset(struct encoder *e, const struct field *f) {
    put_field(e, f, member(e, f) & 15);
}

#define ROW(kind, parse, print, decode, encode) [kind] = encode_##encode,
static encode_fn *const encode_field[FIELD_KINDS] = {TESLA_FIELDS(ROW)};

static bool same_operand(const struct operand *a, const struct operand *b) {
    return a->file == b->file && a->type == b->type && a->mem == b->mem && a->index == b->index &&
           a->areg == b->areg && a->flags == b->flags && a->value == b->value;
}

static bool same_tex(const struct tex_fields *a, const struct tex_fields *b) {
    return a->tic == b->tic && a->tsc == b->tsc && a->base == b->base &&
           a->call.source_count == b->call.source_count &&
           a->call.result_mask == b->call.result_mask && a->call.cube == b->call.cube &&
           a->live == b->live && a->deriv == b->deriv &&
           !memcmp(a->call.offset, b->call.offset, sizeof a->call.offset);
}

static bool same_control(const struct op *a, const struct op *b) {
    return a->pred == b->pred && a->pred_reg == b->pred_reg && a->exit == b->exit &&
           a->join == b->join && a->limited == b->limited && a->emit == b->emit &&
           a->restart == b->restart && a->bar_inc == b->bar_inc && a->bar_wait == b->bar_wait &&
           a->bar_all == b->bar_all && a->bar_id == b->bar_id && a->bar_count == b->bar_count &&
           a->target == b->target;
}

static bool same_arithmetic(const struct op *a, const struct op *b) {
    return a->type == b->type && a->cdst == b->cdst && a->sat == b->sat && a->high == b->high &&
           a->integral == b->integral && a->sfu == b->sfu && a->vote_any == b->vote_any &&
           a->vote_all == b->vote_all && a->round == b->round && a->cond == b->cond &&
           a->add_kind == b->add_kind && a->logic == b->logic && a->atomic == b->atomic &&
           a->lane_mask4 == b->lane_mask4 && a->quad_lane == b->quad_lane &&
           !memcmp(a->quad_ops, b->quad_ops, sizeof a->quad_ops) &&
           a->interp_mode == b->interp_mode;
}

static bool same_op(const struct op *a, const struct op *b) {
    return a->code == b->code && same_control(a, b) && same_arithmetic(a, b) &&
           same_tex(&a->tex, &b->tex) && same_operand(&a->dst, &b->dst) &&
           same_operand(&a->src[0], &b->src[0]) && same_operand(&a->src[1], &b->src[1]) &&
           same_operand(&a->src[2], &b->src[2]);
}

bool isa_encode_row(struct isa_target target, const struct encoding_row *row, const struct op *op,
                    uint32_t w[2]) {
    struct encoder e = {target, row, op, row->bits[0] | (uint64_t)row->bits[1] << 32, true};
    if (!(row->variants >> target.variant & 1) || !(row->types >> target.type & 1))
        return false;
    e.w |= row->canon[0] | (uint64_t)row->canon[1] << 32;
    for (const uint16_t *f = row->fields; *f && e.ok; f++)
        encode_field[isa_tesla.fields[*f].kind](&e, &isa_tesla.fields[*f]);
    if (!e.ok)
        return false;

    struct op back;
    w[0] = (uint32_t)e.w;
    w[1] = (uint32_t)(e.w >> 32);
    isa_decode(target, w, 2, 0, &back);
    return same_op(op, &back);
}
