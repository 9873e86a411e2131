/* Instructions of Fermi and generic64 as steps: the differences from lower.c, above all predicates.
 * A comparison is a step that makes a row of ones and zeros, then a step that makes predicates of
 * the row.
 */
#include "shader/native/lower.h"

#include "shader/alu/f32.h"

/* The place for a predicate result. A result for PRED_TRUE goes to a place that is never read. */
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

/* Makes a value: a comparison's row combined with the predicate source of op. */
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
    if ((row && !combines(op) && !is_float) || op->cdst != NO_FLAGS_DST)
        return !combines(op) && !is_float && lower_operation(c, word);
    if (shape == ST_NONE || !c->e.stencil[shape].hot || !lower_has_sources(op) ||
        (row && op->pdst[0] != PRED_TRUE) || op->plogic[1] > PLOGIC_XOR ||
        (two && (row || op->psrc[2] & PRED_NOT)))
        return false;
    struct filling f = {.exit = {0}};
    int v[3] = {NO_VALUE, NO_VALUE, NO_VALUE};
    for (int i = 0; i < 2; i++)
        v[i] = lower_source(c, op, i, l);
    int holds = rows_run(&c->rows, shape, v, &f);
    rows_release_others(&c->rows, holds);
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

/* ---- operations of several steps */

/* True if op writes all of a register and no $c, from sources that can be values. */
static bool is_simple(const struct op *op) {
    return op->cdst == NO_FLAGS_DST && op->dst.file == FILE_R && lower_has_sources(op);
}

static bool has_shape(const struct lowering *c, const struct op *op, enum stencil_id *shape) {
    *shape = shape_find(op, c->mode, c->p);
    return *shape != ST_NONE && c->e.set->stencil[*shape].hot &&
           (!c->e.set->strips || c->e.set->strips[*shape].hot);
}

/* Finds the shape of the addition of (src[0] << count) + src[1]. */
static bool find_shifted_sum(const struct lowering *c, const struct op *op,
                             enum stencil_id *shape) {
    struct op sum = *op;
    sum.code = OP_IADD;
    return is_simple(op) && has_shape(c, &sum, shape);
}

/* Lowers (src[0] << count) + src[1]: a shift, then an addition. */
static bool lower_shifted_sum(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    enum stencil_id shape;
    if (!find_shifted_sum(c, op, &shape))
        return false;
    const int up = step(c, ST_shl, lower_source(c, op, 0, l), imm(c, op->count));
    lower_put_moved(c, op, l->dst, step(c, shape, up, lower_source(c, op, 1, l)));
    return true;
}

/* True for shifts that wrap their count at 32 and can be two steps: the count modulo 32, then the
 * shift. */
static bool is_wrapped_shift(const struct op *op) {
    return op->wrap && !op->reverse && !op->carry_in && !op->src[0].flags && !op->src[1].flags &&
           is_simple(op) && (op->code == OP_SHL || op->code == OP_SHR);
}

static bool lower_wrapped_shift(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    if (!is_wrapped_shift(op))
        return false;
    const enum stencil_id id = op->code == OP_SHL         ? ST_shl
                               : type_is_signed(op->type) ? ST_shr_s32
                                                          : ST_shr_u32;
    const int v = lower_source(c, op, 0, l);
    const int by = step(c, ST_b32_and, lower_source(c, op, 1, l), imm(c, 31));
    lower_put_moved(c, op, l->dst, step(c, id, v, by));
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

/* True if the selector of a bit field is known and the field is a part of the word. */
static bool has_field(const struct op *op, unsigned *from, unsigned *bits) {
    const struct operand *o = &op->src[1];
    *from = o->value & 0xff;
    *bits = o->value >> 8 & 0xff;
    return o->file == FILE_IMM && !op->reverse && *bits && *bits < 32 && *from + *bits <= 32 &&
           is_simple(op) && !op->src[0].flags && !op->src[2].flags;
}

/* Lowers reading a bit field at a known place. */
static bool lower_extract(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    unsigned from, bits;
    if (!has_field(op, &from, &bits))
        return false;
    const int v = lower_source(c, op, 0, l);
    lower_put_moved(c, op, l->dst, bit_field(c, v, from, bits, op->type == TYPE_S32));
    return true;
}

/* Lowers replacing a bit field at a known place. */
static bool lower_insert(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    unsigned from, bits;
    if (!has_field(op, &from, &bits))
        return false;
    const uint32_t mask = 0xffffffffu >> (32 - bits) << from;
    const int a = lower_source(c, op, 0, l), into = lower_source(c, op, 2, l);
    const int up = from ? step(c, ST_shl, a, imm(c, from)) : a;
    const int in = step(c, ST_b32_and, up, imm(c, mask));
    const int rest = step(c, ST_b32_and, into, imm(c, ~mask));
    lower_put_moved(c, op, l->dst, step(c, ST_b32_or, in, rest));
    return true;
}

/* For a conversion of a byte or half of a register, finds the conversion of that part as a word,
 * and its shape. Such integers are exact in any rounding mode. They fit signed words, and the
 * conversion of a signed word to a float is faster. */
static bool find_part(const struct lowering *c, const struct op *op, struct op *whole,
                      enum stencil_id *shape) {
    const struct operand *o = &op->src[0];
    *whole = *op;
    whole->part[0] = 0;
    whole->round = ROUND_RN;
    whole->src[0].type = type_is_signed(o->type) || type_is_float(op->type) ? TYPE_S32 : TYPE_U32;
    return !type_is_float(o->type) && type_bits(o->type) < 32 && o->file == FILE_R &&
           op->dst.file == FILE_R && type_bits(op->type) == 32 && has_shape(c, whole, shape);
}

static bool lower_part(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const unsigned bits = type_bits(op->src[0].type);
    struct op whole;
    enum stencil_id shape;
    if (!find_part(c, op, &whole, &shape))
        return false;
    const int word = lower_plain_source(c, &whole.src[0], l->src[0]);
    const int part =
        bit_field(c, word, op->part[0] * bits % 32, bits, type_is_signed(op->src[0].type));
    lower_put_moved(c, op, l->dst, step(c, shape, part, NO_VALUE));
    return true;
}

bool lower_fermi_is_steps(const struct lowering *c, const struct op *op) {
    struct op whole;
    enum stencil_id shape;
    unsigned from, bits;
    switch (op->code) {
    case OP_SELP:
        return op->dst.file == FILE_R;
    case OP_ISCADD:
        return find_shifted_sum(c, op, &shape);
    case OP_BFE:
    case OP_BFI:
        return has_field(op, &from, &bits);
    case OP_CVT:
        return find_part(c, op, &whole, &shape);
    case OP_SHL:
    case OP_SHR:
        return is_wrapped_shift(op);
    default:
        return false;
    }
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
    case OP_SHL:
    case OP_SHR:
        return lower_wrapped_shift(c, l) || lower_operation(c, word);
    default:
        return lower_operation(c, word);
    }
}
