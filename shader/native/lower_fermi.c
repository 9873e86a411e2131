/* Instructions of Fermi and generic64 as steps: the differences from lower.c, above all predicates.
 * A comparison is a step that makes a row of ones and zeros, then a step that makes predicates of
 * the row.
 */
#include "shader/native/lower.h"

#include "shader/alu/f32.h"

/* The place for a predicate result. PRED_TRUE as a destination drops it: its place is one that is
 * never read. */
static uint32_t result_at(unsigned number) {
    return lower_predicate_at(number == PRED_TRUE ? PRED_TRUE + 1 : number);
}

static bool combines(const struct op *op) {
    return op->psrc[2] != PRED_TRUE || op->plogic[1] != PLOGIC_AND || op->pdst[1] != PRED_TRUE;
}

/* Writes a row to one predicate. */
static void put_predicate(struct lowering *c, unsigned number, int row) {
    struct filling f = {.exit = {0}};
    if (c->rows.strips) {
        lower_put_truth(c, result_at(number), row);
        return;
    }
    f.hole[HOLE_AT_FLAGS] = result_at(number);
    rows_run_only(&c->rows, lower_is_masked(c) ? ST_pset_m : ST_pset,
                  (int[]){row, NO_VALUE, NO_VALUE}, &f);
}

/* Writes a row to the predicates of op. */
static void put_predicates(struct lowering *c, const struct op *op, int row) {
    static const enum stencil_id logic[3][2] = {
        {ST_pset_and, ST_pset_and_m}, {ST_pset_or, ST_pset_or_m}, {ST_pset_xor, ST_pset_xor_m}};
    const bool masked = lower_is_masked(c);
    struct filling f = {.exit = {0}};
    f.hole[HOLE_AT_FLAGS] = result_at(op->pdst[0]);
    f.hole[HOLE_AT_VIEW] = result_at(op->pdst[1]);
    f.hole[HOLE_AT_AT] = lower_predicate_at(op->psrc[2]);
    if (combines(op))
        rows_run_only(&c->rows, logic[op->plogic[1] % 3][masked], (int[]){row, NO_VALUE, NO_VALUE},
                      &f);
    else
        put_predicate(c, op->pdst[0], row);
}

/* Makes a value: a where predicate source `code` holds, else b. */
static int select_by(struct lowering *c, unsigned code, int a, int b) {
    struct filling f = {.exit = {0}};
    const int by = c->rows.strips ? lower_truth(c, lower_predicate_at(code)) : NO_VALUE;
    const int v[3] = {code & PRED_NOT ? b : a, code & PRED_NOT ? a : b, by};
    f.hole[HOLE_AT_FLAGS] = lower_predicate_at(code);
    return rows_run(&c->rows, ST_selp, v, &f);
}

static int imm(struct lowering *c, uint32_t word) {
    return rows_get(&c->rows, VALUE_IMM, 0, word);
}

/* Runs stencil id, which cannot fail, on two values. */
static int step(struct lowering *c, enum stencil_id id, int a, int b) {
    struct filling f = filled();
    return rows_run(&c->rows, id, (int[]){a, b, NO_VALUE}, &f);
}

/* A comparison's row combined with its predicate source. */
static int combine(struct lowering *c, const struct op *op, int row) {
    const bool both = op->plogic[1] == PLOGIC_AND;
    if (op->plogic[1] == PLOGIC_XOR) {
        const int inverted = step(c, ST_b32_xor, row, imm(c, ~0u));
        if ((op->psrc[2] & 31) == PRED_TRUE)
            return op->psrc[2] & PRED_NOT ? row : inverted;
        return select_by(c, op->psrc[2], inverted, row);
    }
    if (op->psrc[2] == PRED_TRUE && both)
        return row;
    const int other = imm(c, both ? 0 : ~0u);
    if ((op->psrc[2] & 31) == PRED_TRUE)
        return (op->psrc[2] & PRED_NOT) == (both ? PRED_NOT : 0) ? other : row;
    return both ? select_by(c, op->psrc[2], row, other) : select_by(c, op->psrc[2], other, row);
}

static bool lower_comparison(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *op = l->op;
    const enum stencil_id shape = shape_find(op, c->mode, c->p);
    const bool row = op->dst.file == FILE_R, two = op->pdst[1] != PRED_TRUE;
    const bool is_float = row && op->dst.type == TYPE_F32; /* 1.0 or 0 */
    const bool by_row = !two;
    if ((row && !combines(op) && !is_float) || op->cdst != NO_FLAGS_DST)
        return !combines(op) && !is_float && lower_operation(c, word);
    if (shape == ST_NONE || !c->e.stencil[shape].hot || !lower_has_sources(op) ||
        (row && op->pdst[0] != PRED_TRUE) || op->plogic[1] > PLOGIC_XOR ||
        (!by_row && (row || op->psrc[2] & PRED_NOT)))
        return false;
    struct filling f = {.exit = {0}};
    int v[3] = {NO_VALUE, NO_VALUE, NO_VALUE};
    for (int i = 0; i < 2; i++)
        v[i] = lower_source(c, op, i, l);
    int holds = rows_run(&c->rows, shape, v, &f);
    if (row) {
        holds = combines(op) ? combine(c, op, holds) : holds;
        holds = is_float ? step(c, ST_b32_and, holds, imm(c, F32_ONE)) : holds;
        lower_put_moved(c, op, l->dst, holds);
    } else if (op->psrc[2] & PRED_NOT || c->rows.strips)
        put_predicate(c, op->pdst[0], combine(c, op, holds));
    else
        put_predicates(c, op, holds);
    return true;
}

/* Lowers psrc[0] ? src[0] : src[1]. */
static bool lower_selection(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const bool negated = op->psrc[0] & PRED_NOT;
    struct filling f = {.exit = {0}};
    if (!lower_has_sources(op) || op->dst.file != FILE_R)
        return false;
    const int a = lower_source(c, op, 0, l), b = lower_source(c, op, 1, l);
    const int v[3] = {negated ? b : a, negated ? a : b, NO_VALUE};
    f.hole[HOLE_AT_FLAGS] = lower_predicate_at(op->psrc[0]);
    if (c->rows.registers)
        lower_put(c, &op->dst, l->dst, select_by(c, op->psrc[0], a, b));
    else
        rows_run_to(&c->rows, lower_is_masked(c) ? ST_selp_m : ST_selp, v, &f,
                    lower_row_at(l->dst));
    return true;
}

/* Lowers (src[0] << count) + src[1]: a shift, then an addition. */
static bool lower_shifted_sum(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    struct op sum = *op;
    struct filling f = {.exit = {0}};
    sum.code = OP_IADD;
    const enum stencil_id shape = shape_find(&sum, c->mode, c->p);
    if (shape == ST_NONE || !c->e.stencil[shape].hot || op->cdst != NO_FLAGS_DST ||
        !lower_has_sources(op) || op->dst.file != FILE_R)
        return false;
    const int by = rows_get(&c->rows, VALUE_IMM, 0, op->count);
    const int v[3] = {
        rows_run(&c->rows, ST_shl, (int[]){lower_source(c, op, 0, l), by, NO_VALUE}, &f),
        lower_source(c, op, 1, l), NO_VALUE};
    f = (struct filling){.exit = {0}};
    const int r = rows_run(&c->rows, shape, v, &f);
    lower_put_moved(c, op, l->dst, r);
    return true;
}

/* Makes a value: `bits` bits of v from bit `from` on, extended. */
static int bit_field(struct lowering *c, int v, unsigned from, unsigned bits, bool is_signed) {
    const unsigned above = 32 - from - bits;
    if (is_signed) {
        v = above ? step(c, ST_shl, v, imm(c, above)) : v;
        return step(c, ST_shr_s32, v, imm(c, 32 - bits));
    }
    v = from ? step(c, ST_shr_u32, v, imm(c, from)) : v;
    return above ? step(c, ST_b32_and, v, imm(c, 0xffffffffu >> (32 - bits))) : v;
}

/* The fields of a bit field's selector, if it is known and the field is a part of the word. */
static bool has_field(const struct linked_op *l, unsigned *from, unsigned *bits) {
    const struct operand *o = &l->op->src[1];
    *from = o->value & 0xff;
    *bits = o->value >> 8 & 0xff;
    return o->file == FILE_IMM && !l->op->reverse && *bits && *bits < 32 && *from + *bits <= 32 &&
           l->op->cdst == NO_FLAGS_DST && l->op->dst.file == FILE_R;
}

/* Lowers reading a bit field at a known place. */
static bool lower_extract(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    unsigned from, bits;
    if (!has_field(l, &from, &bits) || op->src[0].flags || !lower_has_sources(op))
        return false;
    const int v = lower_source(c, op, 0, l);
    lower_put_moved(c, op, l->dst, bit_field(c, v, from, bits, op->type == TYPE_S32));
    return true;
}

/* Lowers replacing a bit field at a known place. */
static bool lower_insert(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    unsigned from, bits;
    if (!has_field(l, &from, &bits) || op->src[0].flags || op->src[2].flags ||
        !lower_has_sources(op))
        return false;
    const uint32_t mask = 0xffffffffu >> (32 - bits) << from;
    const int a = lower_source(c, op, 0, l), into = lower_source(c, op, 2, l);
    const int up = from ? step(c, ST_shl, a, imm(c, from)) : a;
    const int in = step(c, ST_b32_and, up, imm(c, mask));
    const int rest = step(c, ST_b32_and, into, imm(c, ~mask));
    lower_put_moved(c, op, l->dst, step(c, ST_b32_or, in, rest));
    return true;
}

/* Lowers conversions of bytes and halves of a register: the part as a word, then the word. Such
 * integers are exact in any rounding mode. */
static bool lower_part(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const struct operand *o = &op->src[0];
    const unsigned bits = type_bits(o->type);
    const bool is_signed = type_is_signed(o->type);
    struct op whole = *op;
    whole.part[0] = 0;
    whole.round = ROUND_RN;
    whole.src[0].type = is_signed ? TYPE_S32 : TYPE_U32;
    if (type_is_float(o->type) || bits >= 32 || o->file != FILE_R || op->dst.file != FILE_R ||
        type_bits(op->type) != 32)
        return false;
    const enum stencil_id shape = shape_find(&whole, c->mode, c->p);
    if (shape == ST_NONE || !c->e.stencil[shape].hot)
        return false;
    const int word = lower_plain_source(c, &whole.src[0], l->src[0]);
    const int part = bit_field(c, word, op->part[0] * bits % 32, bits, is_signed);
    lower_put_moved(c, op, l->dst, step(c, shape, part, NO_VALUE));
    return true;
}

bool lower_fermi_is_row(const struct op *op) {
    return op->src[0].file != FILE_ATTR && op->dst.file != FILE_ATTR &&
           (op->pdst[0] == PRED_TRUE || lower_fermi_truth(op) != PRED_TRUE) &&
           op->pdst[1] == PRED_TRUE && !op->carry_in && op->plogic[1] <= PLOGIC_XOR;
}

unsigned lower_fermi_truth(const struct op *op) {
    const bool comparison = op->code == OP_ISET || op->code == OP_FSET;
    return comparison && op->dst.file != FILE_R && op->pdst[1] == PRED_TRUE ? op->pdst[0]
                                                                            : PRED_TRUE;
}

bool lower_fermi(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    switch (l->op->code) {
    case OP_ISET:
    case OP_FSET:
        return lower_comparison(c, word);
    case OP_SELP:
        return lower_selection(c, l);
    case OP_ISCADD:
        return lower_shifted_sum(c, l);
    case OP_BFE:
        return lower_extract(c, l) || lower_operation(c, word);
    case OP_BFI:
        return lower_insert(c, l) || lower_operation(c, word);
    case OP_CVT:
        return lower_part(c, l) || lower_operation(c, word);
    default:
        return lower_operation(c, word);
    }
}
