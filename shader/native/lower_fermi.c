/* Instructions of Fermi and generic64 as steps: the differences from lower.c, above all predicates.
 * A comparison is a step that makes a row of ones and zeros, then a step that makes predicates of
 * the row.
 */
#include "shader/native/lower.h"

static uint32_t predicate_at(unsigned number) {
    return (uint32_t)(offsetof(struct warp, fermi.p) + (number & 31) * sizeof(lane_mask));
}

/* The place for a predicate result. PRED_TRUE as a destination drops it: its place is one that is
 * never read. */
static uint32_t result_at(unsigned number) {
    return predicate_at(number == PRED_TRUE ? PRED_TRUE + 1 : number);
}

static bool combines(const struct op *op) {
    return op->psrc[2] != PRED_TRUE || op->plogic[1] != PLOGIC_AND || op->pdst[1] != PRED_TRUE;
}

/* Writes a row to one predicate. */
static void put_predicate(struct lowering *c, unsigned number, int row) {
    struct filling f = {.exit = {0}};
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
    f.hole[HOLE_AT_AT] = predicate_at(op->psrc[2]);
    if (combines(op))
        rows_run_only(&c->rows, logic[op->plogic[1] % 3][masked], (int[]){row, NO_VALUE, NO_VALUE},
                      &f);
    else
        put_predicate(c, op->pdst[0], row);
}

/* Makes a value: a where predicate source `code` holds, else b. */
static int select_by(struct lowering *c, unsigned code, int a, int b) {
    struct filling f = {.exit = {0}};
    const int v[3] = {code & PRED_NOT ? b : a, code & PRED_NOT ? a : b, NO_VALUE};
    f.hole[HOLE_AT_FLAGS] = predicate_at(code);
    return rows_run(&c->rows, ST_selp, v, &f);
}

/* A comparison's row combined with its predicate source, by AND or by OR. */
static int combine(struct lowering *c, const struct op *op, int row) {
    const bool both = op->plogic[1] == PLOGIC_AND;
    if (op->psrc[2] == PRED_TRUE && both)
        return row;
    const int other = rows_get(&c->rows, VALUE_IMM, 0, both ? 0 : ~0u);
    if ((op->psrc[2] & 31) == PRED_TRUE)
        return (op->psrc[2] & PRED_NOT) == (both ? PRED_NOT : 0) ? other : row;
    return both ? select_by(c, op->psrc[2], row, other) : select_by(c, op->psrc[2], other, row);
}

static bool lower_comparison(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *op = l->op;
    const enum stencil_id shape = shape_find(op, c->mode, c->p);
    const bool row = op->dst.file == FILE_R, two = op->pdst[1] != PRED_TRUE;
    const bool by_row = !two && op->plogic[1] <= PLOGIC_OR;
    if ((row && !combines(op)) || op->cdst != NO_FLAGS_DST)
        return !combines(op) && lower_operation(c, word);
    if (shape == ST_NONE || !c->e.stencil[shape].hot || !lower_has_sources(op) ||
        (row && op->pdst[0] != PRED_TRUE) || op->plogic[1] > PLOGIC_XOR ||
        (!by_row && (row || op->psrc[2] & PRED_NOT)))
        return false;
    struct filling f = {.exit = {0}};
    int v[3] = {NO_VALUE, NO_VALUE, NO_VALUE};
    for (int i = 0; i < 2; i++)
        v[i] = lower_source(c, op, i, l);
    const int holds = rows_run(&c->rows, shape, v, &f);
    if (row)
        lower_put_moved(c, op, l->dst, combine(c, op, holds));
    else if (op->psrc[2] & PRED_NOT)
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
    f.hole[HOLE_AT_FLAGS] = predicate_at(op->psrc[0]);
    if (c->rows.registers)
        lower_put(c, &op->dst, l->dst, rows_run(&c->rows, ST_selp, v, &f));
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

bool lower_fermi_is_row(const struct op *op) {
    const bool comparison = op->code == OP_ISET || op->code == OP_FSET;
    return op->code != OP_SELP && op->src[0].file != FILE_ATTR && op->dst.file != FILE_ATTR &&
           op->pdst[0] == PRED_TRUE && !op->carry_in &&
           (!comparison || (op->dst.file == FILE_R && !combines(op)));
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
    default:
        return lower_operation(c, word);
    }
}
