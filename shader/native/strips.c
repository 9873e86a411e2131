/* Code for strips of rows, for CPUs whose vector registers are too few and too short for rows
 * (AVX2). Consecutive instructions that compute each lane by itself are executed for eight lanes,
 * then for the next eight. Within a strip, rows stay in registers (row_registers.h); before and
 * behind the instructions they are in memory. The code exists once and runs four times. m keeps the
 * active lanes, or the lanes of the first instruction if strips cannot make these lanes. The lanes
 * of other instructions are rows, made of predicates or of the $c that comparisons have set.
 */
#include "shader/native/lower.h"

enum {
    STRIPS_LEAST = 2, /* fewest instructions that pay */
    STRIPS_LEAST_MASKED = 3,
    /* Most bytes of stencils, and of one of them. Longer stencils are better executed for whole
     * rows. */
    STRIPS_MOST_BYTES = 1200,
    STRIPS_MOST_OF_ONE = 200,
};

/* The approximate size of an operation's code for strips, in bytes. */
static uint32_t cost(const struct lowering *c, const struct op *op) {
    enum { MOVE = 9 };
    const enum stencil_id shape = shape_find(op, c->mode, c->p);
    return shape == ST_NONE ? MOVE : MOVE + c->e.set->strips[shape].hot;
}

static bool same_lanes(const struct op *a, const struct op *b) {
    return a->guard == b->guard && a->pred == b->pred &&
           (a->pred == PRED_ALWAYS || a->pred_reg == b->pred_reg);
}

/* The bit of the $c or predicate that strips would have to set for op, or 0. */
static uint32_t set_by(const struct lowering *c, const struct op *op) {
    if (isa_set_of(c->p->variant) == SET_TESLA)
        return lower_is_truth(c, op) ? 1u << (op->cdst & 3) : 0;
    const unsigned number = lower_fermi_truth(op);
    return number == PRED_TRUE ? 0 : 1u << number;
}

/* The word up to which instructions from `at` on can work on strips; `at` if too few can. */
static uint32_t strips_end(struct lowering *c, uint32_t at, uint32_t end) {
    const struct op *first = &c->p->ops[at];
    const bool masked = lower_is_masked(c) || op_is_conditional(first);
    const bool by_truths = lower_has_lanes(c, first, c->known.truths);
    const uint32_t begin = at;
    uint8_t truths = c->known.truths;
    uint32_t count = 0, bytes = 0, set = 0; /* a bit per $c or predicate */
    while (at < end && op_kind(c->p, at, c->simd) == KIND_PLAIN && !fork_at(&c->blocks.forks, at)) {
        const struct linked_op *l = &c->p->linked->op[at];
        const bool lanes = by_truths ? lower_has_lanes(c, l->op, truths) : same_lanes(l->op, first);
        set |= set_by(c, l->op);
        if (__builtin_popcount(set) > STRIP_TRUTHS)
            break;
        const uint32_t product = lanes ? lower_upper_product_end(c, at) : 0;
        if (product > end)
            break;
        if (product) {
            bytes += c->e.set->strips[ST_product_upper].hot;
            count++;
            for (; at < product; at += c->p->ops[at].words)
                truths = lower_truths_after(c, &c->p->ops[at], truths);
            continue;
        }
        if (!lower_is_skipped(l)) {
            if (!lanes || !lower_fits_strips(c, at) || lower_begins_pair(c, at))
                break;
            const uint32_t more = cost(c, l->op);
            if (more > STRIPS_MOST_OF_ONE || (bytes += more) > STRIPS_MOST_BYTES)
                break;
            count++;
        }
        truths = lower_truths_after(c, l->op, truths);
        at += l->op->words;
    }
    return count < (masked ? STRIPS_LEAST_MASKED : STRIPS_LEAST) ? begin : at;
}

uint32_t lower_open_strips(struct lowering *c, uint32_t at, uint32_t end) {
    const int32_t lanes_at =
        (int32_t)(offsetof(struct warp, native.scratch) + (WARP_SCRATCH - 1) * sizeof(u32x32));
    if (!c->e.set->strips || at < c->through || lower_is_skipped(&c->p->linked->op[at]))
        return at;
    const uint32_t to = strips_end(c, at, end);
    if (to == at)
        return at;
    struct filling f = {.exit = {0}};
    if (lower_has_lanes(c, &c->p->ops[at], c->known.truths))
        lower_lanes(c, PRED_ALWAYS, 0);
    else
        lower_lanes_of(c, &c->p->ops[at]);
    c->opened = c->lanes;
    rows_clear(&c->rows);
    if (lower_is_masked(c))
        rows_run_to(&c->rows, ST_mask_row, (int[]){NO_VALUE, NO_VALUE, NO_VALUE}, &f, lanes_at);
    rows_open_strips(&c->rows, lanes_at, lower_is_masked(c),
                     isa_set_of(c->p->variant) == SET_TESLA);
    emit_stencil(&c->e, ST_strip_first, &f);
    c->strips = emit_labels(&c->e, 1);
    emit_bind(&c->e, c->strips);
    return to;
}

void lower_close_strips(struct lowering *c) {
    struct filling f = {.exit[EXIT_TARGET] = c->strips};
    if (!c->rows.strips)
        return;
    rows_end_strip(&c->rows);
    emit_stencil(&c->e, ST_strip_next, &f);
    rows_close_strips(&c->rows);
    c->lanes = c->opened;
}
