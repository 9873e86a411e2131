/* Forks (forks.h) as steps: the way of the lanes that take the branch, then the way of the other
 * lanes. A way without lanes is jumped over; so the rows must be, at the end of each way, where
 * they were at its start.
 */
#include "shader/native/lower.h"

enum { HELD = 6 }; /* most rows that are kept in registers because ways write them */

/* Sets the state at the start of a block: the lanes are all active lanes. */
static void all_lanes(struct lowering *c) {
    c->lanes = (struct lanes_state){.code = PRED_ALWAYS};
    rows_forget(&c->rows, VALUE_MASK);
    rows_forget(&c->rows, VALUE_ACTIVE);
}

/* Loads rows that the ways will write, so that results are merged with them in registers. Code
 * behind a fork takes the kind of a row's values from before the fork. A row with raw NaNs would be
 * canonicalized later in all lanes, and one way may have written integers to it; so no row stays
 * raw. */
static void hold_results(struct lowering *c, const struct fork *k) {
    uint64_t seen[WARP_REGS / 64] = {0};
    int count = 0;
    if (!c->rows.registers)
        return;
    for (uint32_t at = k->branch; at < k->join && count < HELD; at += c->p->ops[at].words) {
        const struct linked_op *l = &c->p->linked->op[at];
        const bool row = l->op->dst.file == FILE_R || l->op->dst.file == FILE_RH;
        if (!row || l->dst >= WARP_REGS || l->skipped || seen[l->dst / 64] >> l->dst % 64 & 1)
            continue;
        seen[l->dst / 64] |= UINT64_C(1) << l->dst % 64;
        rows_hold(&c->rows, (uint32_t)lower_row_at(l->dst));
        count++;
    }
    rows_release(&c->rows);
    rows_settle(&c->rows);
}

struct split {
    const struct fork *fork;
    /* where the warp keeps the active lanes from before the fork; the label behind the fork */
    uint32_t slot, end;
    uint32_t rows, count; /* the values in registers at the branch: a list in the saved values */
    struct known_words known;
};

static void step(struct lowering *c, const struct split *s, enum stencil_id id, uint32_t to) {
    struct filling f = filled();
    f.hole[HOLE_AT_D] = s->slot;
    f.hole[HOLE_AT_AT] = joins_before(c->p); /* Tesla: lanes that wait at the join count it */
    f.exit[EXIT_TARGET] = to;
    emit_stencil(&c->e, id, &f);
}

static void way(struct lowering *c, struct split *s, bool taken) {
    const struct fork *k = s->fork;
    struct filling f = filled();
    f.hole[HOLE_AT_AT] = k->ways[taken];
    if (k->ways[taken])
        emit_stencil(&c->e, ST_way, &f);
    all_lanes(c);
    c->known = s->known;
    lower_line(c, taken ? k->taken : k->branch + c->p->ops[k->branch].words,
               taken ? k->join : k->taken);
    all_lanes(c);
    if (!c->saved.failed)
        rows_meet(&c->rows, c->saved.v + s->rows, &s->count);
}

static void lower_fork(struct lowering *c, const struct fork *k) {
    const struct op *branch = &c->p->ops[k->branch];
    lower_line(c, k->head + c->p->ops[k->head].words, k->branch);
    emit_tag(&c->e, native_tag(k->branch, c->version));
    hold_results(c, k);
    lower_lanes_of(c, branch);
    all_lanes(c);
    struct split s = {.fork = k, .known = c->known, .end = emit_labels(&c->e, 1)};
    const uint32_t rest = emit_labels(&c->e, 1);
    s.slot = (uint32_t)(offsetof(struct warp, native.forked) + c->inside * sizeof(lane_mask));
    s.rows = c->saved.count;
    s.count = rows_save(&c->rows, &c->saved, false);
    c->inside++;
    if (k->taken == k->join) {
        step(c, &s, ST_fork_none, s.end);
    } else {
        step(c, &s, ST_fork, rest);
        way(c, &s, true);
        step(c, &s, ST_fork_rest, s.end);
    }
    emit_bind(&c->e, rest);
    way(c, &s, false);
    c->inside--;
    emit_bind(&c->e, s.end);
    step(c, &s, ST_fork_end, 0);
    lower_know_nothing(c);
}

void lower_line(struct lowering *c, uint32_t at, uint32_t end) {
    uint32_t strips = at; /* the word up to which strips are open or were tried */
    c->through = 0;
    while (at < end && !c->failed) {
        const struct fork *fork = fork_at(&c->blocks.forks, at);
        emit_tag(&c->e, native_tag(at, c->version));
        if (fork) {
            lower_fork(c, fork);
            at = fork->join;
        } else if (op_kind(c->p, at, c->simd) == KIND_PLAIN) {
            if (at >= strips)
                strips = lower_open_strips(c, at, end);
            lower_instruction(c, at);
            lower_note_words(c, &c->p->linked->op[at]);
            at += c->p->ops[at].words;
            if (at >= strips)
                lower_close_strips(c);
        } else {
            return;
        }
    }
}
