/* Makes a program's machine code: blocks in the order of their addresses, each in one or two
 * versions (machine_code.h), each instruction as steps on values (row_registers.h). An instruction without a
 * stencil calls its handler; control instructions that native code does not have return to the
 * interpreter. Time and memory are proportional to the number of words.
 */
#include "shader/native/lower.h"
#include "shader/native/summary.h"

#include <stdlib.h>

/* ---- labels: block heads and code behind a join, for both versions ---- */

static uint32_t entry_label(const struct lowering *c, uint32_t word, int entry) {
    return c->first_label + c->blocks.of[word] * CODE_ENTRIES + (uint32_t)entry;
}

static void stop_at(struct lowering *c, uint32_t word) {
    struct filling f = {.exit[EXIT_LEAVE] = c->leave_label};
    f.hole[HOLE_AT_PC] = lower_pc(c, word);
    emit_stencil(&c->e, ST_stop, &f);
}

/* The label of a block. If no block starts at the word: the label of code that returns to the
 * interpreter. */
static uint32_t block_label(struct lowering *c, uint32_t word, int version) {
    if (word < c->p->word_count && c->blocks.of[word] != NO_BLOCK)
        return entry_label(c, word, version);
    const uint32_t label = emit_labels(&c->e, 1);
    lower_put_off(c, (struct apart){.kind = APART_STOP, .label = label, .word = word});
    return label;
}

static const struct native_block *block_at(const struct lowering *c, uint32_t word) {
    const bool known = word < c->p->word_count && c->blocks.of[word] != NO_BLOCK;
    return known ? &c->blocks.block[c->blocks.of[word]] : NULL;
}

static bool begins_with_join(const struct lowering *c, const struct native_block *k) {
    return k->count && c->p->ops[k->first].join && !ends_in_join(c->p, k->first);
}

/* True if `next`, the following block, may begin with values in registers. */
static bool may_carry(const struct lowering *c, const struct native_block *next) {
    return c->rows.registers && next->count && !begins_with_join(c, next) &&
           (!next->jumped || c->loop.again);
}

/* True for control instructions of Fermi and generic64 that a function of control.c executes as a
 * whole. An instruction whose only condition is its guard is done in line. */
static bool is_unusual(const struct program *p, const struct op *op) {
    return isa_set_of(p->variant) != SET_TESLA &&
           (op->join || op->pred != PRED_ALWAYS || op->target % 4);
}

/* True if block n continues in the next block with values in registers. It does so at instructions
 * at which lanes seldom leave. Branches divide warps more often: values in registers did not pay
 * there. */
static bool carries_on(const struct lowering *c, uint32_t n) {
    const struct native_block *k = &c->blocks.block[n], *next = k + 1;
    const struct op *op = &c->p->ops[k->last];
    if (!k->count || k->stops || n + 1 == c->blocks.count || next->first != k->end ||
        !may_carry(c, next) || op->exit || ends_in_join(c->p, k->last) ||
        (c->loop.first != NO_BLOCK && n == c->loop.end))
        return false;
    if (op_kind(c->p, k->last, c->simd) != KIND_CONTROL)
        return true;
    if (is_unusual(c->p, op))
        return false;
    switch (op->code) {
    case OP_BREAK:
    case OP_CONT:
    case OP_RET:
        return op_is_conditional(op);
    case OP_JOINAT:
    case OP_PREBREAK:
    case OP_PRECONT:
    case OP_DISCARD:
        return true;
    default:
        return false;
    }
}

/* Continues at the block at `word`: falls into it if it is made next, else jumps. */
static void go_on(struct lowering *c, uint32_t word) {
    const struct native_block *next = block_at(c, word);
    const bool last = c->loop.first != NO_BLOCK && c->loop.end == c->block;
    const bool follows = next && c->blocks.of[word] == c->block + 1 && !(last && !c->loop.again);
    c->carries = follows && carries_on(c, c->block);
    if (!c->carries)
        rows_flush(&c->rows);
    else if (!c->loop.again)
        rows_settle(&c->rows);
    if (!follows)
        emit_jump(&c->e, block_label(c, word, c->version));
}

/* Adds to `a` the list of the values that are newer than memory. */
static struct apart with_rows(struct lowering *c, struct apart a) {
    a.before = c->saved.count;
    a.befores = rows_save(&c->rows, &c->saved, true);
    a.left = c->left;
    return a;
}

/* ---- calls of control.c ---- */

static void go_through(struct lowering *c, native_control_fn *fn, uint32_t word, uint32_t pc) {
    struct filling f = {.exit = {0}};
    f.hole[HOLE_AT_FN] = (int64_t)(intptr_t)fn;
    f.hole[HOLE_AT_LINKED] = (int64_t)(intptr_t)&c->p->linked->op[word];
    f.hole[HOLE_AT_CODE] = (int64_t)(intptr_t)c->code;
    f.hole[HOLE_AT_PC] = pc;
    emit_stencil(&c->e, ST_go, &f);
}

/* Returns a label for code apart, which executes the whole control instruction by a call. */
static uint32_t slow_control(struct lowering *c, uint32_t word) {
    const uint32_t label = emit_labels(&c->e, 1);
    lower_put_off(
        c, with_rows(c, (struct apart){.kind = APART_CONTROL, .label = label, .word = word}));
    return label;
}

/* The routine for the control instruction at word, or ST_NONE. */
static enum stencil_id control_routine(const struct lowering *c, uint32_t word) {
    const struct op *op = &c->p->ops[word];
    if (isa_set_of(c->p->variant) != SET_TESLA)
        return ST_NONE;
    return op->code == OP_BRA     ? ST_split
           : op->code == OP_BREAK ? ST_break_out
           : op->code == OP_RET   ? ST_return_
                                  : ST_NONE;
}

/* Returns a label for code apart, in which a control instruction divides the warp. target: the word
 * that a branch goes to. */
static uint32_t divide(struct lowering *c, uint32_t word, uint32_t target) {
    const enum stencil_id routine = control_routine(c, word);
    if (routine == ST_NONE)
        return slow_control(c, word);
    struct apart a = {.kind = APART_DIVIDE, .word = word, .routine = (uint16_t)routine};
    a.label = emit_labels(&c->e, 1);
    if (routine == ST_split)
        a.back = block_label(c, target, CODE_DIVERGENT);
    lower_put_off(c, with_rows(c, a));
    return a.label;
}

/* ---- loops ---- */

enum { LOOP_WORDS = 256 };

/* True if the block is the head of a loop that contains no other loop, whose blocks end only in
 * branches, breaks, continues and discards, and which warps enter only at its head: the second copy
 * relies on the values that the first round leaves in registers. */
static bool is_loop(const struct lowering *c, uint32_t first) {
    const struct native_blocks *b = &c->blocks;
    const struct native_block *head = &b->block[first];
    if (!c->rows.registers || head->loops == NO_BLOCK || head->loops - head->first > LOOP_WORDS)
        return false;
    for (uint32_t i = first; i < b->count; i++) {
        const struct native_block *k = &b->block[i];
        const struct op *op = &c->p->ops[k->last];
        const bool control = k->count && op_kind(c->p, k->last, c->simd) == KIND_CONTROL;
        if (!k->count || k->stops || op->exit || op->join || begins_with_join(c, k) ||
            (i > first && (k->jumped || k->resumed || b->block[i - 1].end != k->first)))
            return false;
        if (k->last == head->loops)
            return control && op->code == OP_BRA && !is_unusual(c->p, op);
        if (control && (is_unusual(c->p, op) ||
                        (op->code != OP_BREAK && op->code != OP_CONT && op->code != OP_BRA &&
                         op->code != OP_DISCARD) ||
                        (op->code != OP_DISCARD && !op_is_conditional(op))))
            return false;
    }
    return false;
}

static void open_loop(struct lowering *c, uint32_t first) {
    if (c->loop.first != NO_BLOCK || !is_loop(c, first))
        return;
    rows_watch(&c->rows);
    c->loop.first = first;
    c->loop.end = first;
    while (c->blocks.block[c->loop.end].last != c->blocks.block[first].loops)
        c->loop.end++;
}

/* True if this is the branch that closes the current loop. */
static bool closes_loop(const struct lowering *c, uint32_t word) {
    return c->loop.first != NO_BLOCK && c->block == c->loop.end &&
           c->blocks.block[c->block].last == word;
}

/* Called before the branch that ends the first round: from here on values keep their registers. */
static void end_first_round(struct lowering *c) {
    struct loop *l = &c->loop;
    rows_forget(&c->rows, VALUE_MASK);
    rows_drop_stored(&c->rows);
    rows_unsettle(&c->rows);
    rows_split(&c->rows);
    l->label = emit_labels(&c->e, 1);
    l->head = c->saved.count;
    l->heads = rows_save(&c->rows, &c->saved, false);
    l->rows = c->rows;
    l->closes = true;
}

/* The label that the closing branch goes to. In the second copy this is code apart, which first
 * brings values to their registers. */
static uint32_t round_label(struct lowering *c, uint32_t word) {
    struct apart a = {.kind = APART_LOOP, .word = word, .back = c->loop.label};
    if (!c->loop.again)
        return c->loop.label;
    a.label = emit_labels(&c->e, 1);
    a.before = c->saved.count;
    a.befores = rows_save(&c->rows, &c->saved, false);
    a.after = c->loop.head;
    a.afters = c->loop.heads;
    lower_put_off(c, a);
    return a.label;
}

static void go_round(struct lowering *c) {
    if (c->loop.again) {
        const uint32_t now = c->saved.count, count = rows_save(&c->rows, &c->saved, false);
        if (!c->saved.failed)
            rows_match(&c->rows, c->saved.v + now, count, c->saved.v + c->loop.head, c->loop.heads);
        c->saved.count = now;
        emit_jump(&c->e, c->loop.label);
    }
    rows_clear(&c->rows);
}

/* The label for a branch to a block that expects all values in memory; code apart writes them
 * there. */
static uint32_t edge_label(struct lowering *c, uint32_t target, uint32_t word) {
    struct apart a = {.kind = APART_EDGE, .word = word, .back = block_label(c, target, c->version)};
    a = with_rows(c, a);
    if (!a.befores && !a.left)
        return a.back;
    a.label = emit_labels(&c->e, 1);
    lower_put_off(c, a);
    return a.label;
}

/* ---- the ends of blocks ---- */

static void end_bra(struct lowering *c, uint32_t word, uint32_t next) {
    const uint32_t target = program_word(c->p, c->p->ops[word].target);
    const bool closes = closes_loop(c, word);
    const bool always = c->lanes.code == PRED_ALWAYS;
    if (closes && !c->loop.again)
        end_first_round(c);
    if (always && closes) {
        go_round(c);
        return;
    }
    if (always) {
        rows_flush(&c->rows);
        emit_jump(&c->e, block_label(c, target, c->version));
        return;
    }
    const uint32_t to = closes ? round_label(c, word) : edge_label(c, target, word);
    struct filling f = {.exit = {[EXIT_TARGET] = to, [EXIT_SLOW] = divide(c, word, target)}};
    emit_stencil(&c->e, ST_bra, &f);
    go_on(c, next);
}

/* Pushes a stack entry for the active lanes, which resumes at pc. */
static void push(struct lowering *c, uint32_t word, enum stack_type type, uint32_t pc) {
    struct filling f = {.exit[EXIT_SLOW] = slow_control(c, word)};
    f.hole[HOLE_AT_AT] = type;
    f.hole[HOLE_AT_PC] = pc;
    emit_stencil(&c->e, ST_push, &f);
}

static void end_push(struct lowering *c, uint32_t word, uint32_t next) {
    const struct op *op = &c->p->ops[word];
    push(c, word,
         op->code == OP_JOINAT    ? STACK_JOINAT
         : op->code == OP_PRECONT ? STACK_PRECONT
                                  : STACK_PREBREAK,
         op->target);
    go_on(c, next);
}

static void end_discard(struct lowering *c, uint32_t word, uint32_t next) {
    struct filling f = {.exit[EXIT_SLOW] = slow_control(c, word)};
    emit_stencil(&c->e, ST_discard, &f);
    go_on(c, next);
}

static void end_leave(struct lowering *c, uint32_t word, uint32_t next) {
    const struct op *op = &c->p->ops[word];
    const enum stencil_id routine = control_routine(c, word);
    if (!op_is_conditional(op)) {
        rows_flush(&c->rows);
        if (routine == ST_NONE)
            go_through(c, native_control(c->p->variant, op->code), word, lower_pc(c, word));
        else
            lower_go_to_control(c, routine, word);
        return;
    }
    struct filling f = {.exit[EXIT_SLOW] = divide(c, word, 0)};
    emit_stencil(&c->e, ST_leave, &f);
    go_on(c, next);
}

static void end_exit(struct lowering *c, uint32_t word) {
    rows_flush(&c->rows);
    struct filling f = {
        .exit = {[EXIT_LEAVE] = c->leave_label, [EXIT_SLOW] = slow_control(c, word)}};
    f.hole[HOLE_AT_PC] = lower_pc(c, word);
    emit_stencil(&c->e, ST_finish, &f);
}

/* Ends a block with control of Fermi or generic64. Only some control instructions heed their guard;
 * functions of control.c test the guard themselves. */
static void end_fermi(struct lowering *c, uint32_t word, uint32_t next) {
    const struct op *op = &c->p->ops[word];
    switch (is_unusual(c->p, op) ? OP_NOP : op->code) {
    case OP_BRA:
        lower_guard(c, op->guard);
        end_bra(c, word, next);
        break;
    case OP_BREAK:
    case OP_CONT:
    case OP_RET:
        lower_guard(c, op->guard);
        end_leave(c, word, next);
        break;
    case OP_DISCARD:
        lower_guard(c, op->guard);
        end_discard(c, word, next);
        break;
    case OP_EXIT:
        if (!op_is_conditional(op)) {
            end_exit(c, word);
            break;
        }
        rows_flush(&c->rows);
        go_through(c, native_control(c->p->variant, op->code), word, lower_pc(c, word));
        break;
    case OP_JOINAT:
    case OP_PREBREAK:
    case OP_PRECONT:
        end_push(c, word, next);
        break;
    case OP_CALL:
        push(c, word, STACK_CALL, lower_pc(c, next));
        rows_flush(&c->rows);
        emit_jump(&c->e, block_label(c, program_word(c->p, op->target), c->version));
        break;
    default:
        rows_flush(&c->rows);
        go_through(c, native_control(c->p->variant, op->code), word, lower_pc(c, word));
        break;
    }
}

static void end_control(struct lowering *c, uint32_t word, uint32_t next) {
    const struct op *op = &c->p->ops[word];
    c->instructions += c->version == CODE_FULL;
    if (isa_set_of(c->p->variant) != SET_TESLA) {
        lower_lanes(c, PRED_ALWAYS, 0);
        end_fermi(c, word, next);
        return;
    }
    lower_lanes(c, op_has(op, TRAIT_PREDICABLE) ? op->pred : PRED_ALWAYS, op->pred_reg);
    switch (op->code) {
    case OP_BRA:
        end_bra(c, word, next);
        break;
    case OP_JOINAT:
    case OP_PREBREAK:
        end_push(c, word, next);
        break;
    case OP_DISCARD:
        end_discard(c, word, next);
        break;
    case OP_BREAK:
    case OP_RET:
        end_leave(c, word, next);
        break;
    default:
        rows_flush(&c->rows);
        go_through(c, native_control(c->p->variant, op->code), word, lower_pc(c, word));
        break;
    }
}

static void end_block(struct lowering *c, const struct native_block *k) {
    if (k->count && op_kind(c->p, k->last, c->simd) == KIND_CONTROL) {
        end_control(c, k->last, k->end);
    } else if (k->count && ends_in_join(c->p, k->last)) {
        rows_flush(&c->rows);
        lower_guard(c, c->p->ops[k->last].guard);
        go_through(c, native_fermi_join, k->last, lower_pc(c, k->last));
    } else if (k->count && c->p->ops[k->last].exit) {
        rows_flush(&c->rows);
        lower_go_to_control(c, ST_exit_, k->end);
    } else if (k->stops) {
        rows_flush(&c->rows);
        lower_lanes(c, PRED_ALWAYS, 0);
        stop_at(c, k->end);
    } else {
        lower_lanes(c, PRED_ALWAYS, 0);
        go_on(c, k->end);
    }
}

/* ---- blocks ---- */

/* Binds the label of a block. If the block before leaves values in registers, branches to this
 * block go through code apart, which loads them. */
static void bind_entry(struct lowering *c, const struct native_block *k) {
    const uint32_t entry = entry_label(c, k->first, c->version);
    if (c->loop.again)
        return;
    if (!c->carries) {
        emit_bind(&c->e, entry);
        return;
    }
    struct apart a = {.kind = APART_ENTER, .label = entry, .word = k->first};
    a.back = emit_labels(&c->e, 1);
    a.after = c->saved.count;
    a.afters = rows_save(&c->rows, &c->saved, false);
    a.left = k->count + c->left;
    a.forks = c->forks;
    lower_put_off(c, a);
    emit_bind(&c->e, a.back);
}

/* Counts the current block together with the blocks that follow in line. A warp that leaves earlier
 * subtracts the instructions that it did not execute. */
static void count_behind(struct lowering *c) {
    const struct native_block *k = &c->blocks.block[c->block];
    uint32_t pushed = 0; /* stack entries that the blocks before have pushed */
    c->left = 0;
    c->forks = k->forks;
    for (uint32_t n = c->block; carries_on(c, n); n++) {
        const unsigned code = c->p->ops[k->last].code;
        pushed += code == OP_JOINAT || code == OP_PREBREAK || code == OP_PRECONT;
        k = &c->blocks.block[n + 1];
        c->left += k->count;
        struct forks_need more = k->forks;
        more.depth += more.depth ? pushed : 0;
        forks_add(&c->forks, more);
    }
}

static void put_count(struct lowering *c, enum stencil_id id, uint32_t word, uint32_t count,
                      const struct forks_need *forks) {
    struct filling f = {.exit[EXIT_SLOW] = emit_labels(&c->e, 1)};
    struct apart a = {.kind = APART_STOP, .label = f.exit[EXIT_SLOW], .word = word};
    const bool counts = id == ST_count;
    if (forks->depth)
        id = ST_ready;
    a = with_rows(c, a);
    a.left = id == ST_count ? count : 0; /* only ST_count has counted the instructions by then */
    lower_put_off(c, a);
    f.hole[HOLE_AT_AT] = count + forks->more;
    f.hole[HOLE_AT_WORD] = forks->depth;
    emit_stencil(&c->e, id, &f);
    f.hole[HOLE_AT_AT] = -(int64_t)count;
    if (id == ST_ready && counts)
        emit_stencil(&c->e, ST_uncount, &f);
}

static void put_join(struct lowering *c, const struct native_block *k) {
    struct filling f = {.exit = {0}};
    lower_go_to_control(c, ST_join, k->first);
    emit_bind(&c->e, entry_label(c, k->first, CODE_VERSIONS + c->version));
    f.hole[HOLE_AT_AT] = 1 - (int64_t)(k->count + c->left);
    if (f.hole[HOLE_AT_AT])
        emit_stencil(&c->e, ST_uncount, &f);
}

static void begin_block(struct lowering *c, const struct native_block *k) {
    const bool join = begins_with_join(c, k), carried = c->carries;
    c->lanes = (struct lanes_state){.code = PRED_ALWAYS};
    rows_forget(&c->rows, VALUE_MASK);
    emit_tag(&c->e, native_tag(k->first, c->version));
    if (carried)
        c->left -= k->count;
    else
        count_behind(c);
    bind_entry(c, k);
    c->carries = false;
    c->through = 0;
    lower_know_nothing(c);
    if (!k->count || carried)
        return;
    put_count(c, join ? ST_check_count : ST_count, k->first, k->count + c->left, &c->forks);
    if (join)
        put_join(c, k);
}

/* A loop that waits for locks: one call does all rounds if it can. The loop itself remains for the
 * other cases. */
static void put_lock_loop(struct lowering *c, const struct native_block *k) {
    struct filling f = {.exit = {0}};
    if (c->loop.again || !lower_lock_loop(c, k, &f))
        return;
    rows_flush(&c->rows);
    f.exit[EXIT_TARGET] = edge_label(c, k->end, k->last);
    emit_stencil(&c->e, ST_lock_loop, &f);
}

static void compile_block(struct lowering *c, const struct native_block *k) {
    begin_block(c, k);
    put_lock_loop(c, k);
    lower_line(c, k->first, k->end);
    end_block(c, k);
}

/* Makes the second copy of a loop, behind the first. */
static void compile_rounds(struct lowering *c) {
    const uint32_t counted = c->instructions;
    c->loop.again = true;
    c->loop.closes = false;
    c->rows = c->loop.rows;
    emit_bind(&c->e, c->loop.label);
    for (c->block = c->loop.first; c->block <= c->loop.end && !c->failed; c->block++)
        compile_block(c, &c->blocks.block[c->block]);
    c->block = c->loop.end;
    c->loop = (struct loop){.first = NO_BLOCK};
    c->instructions = counted;
}

/* ---- code behind the last block ---- */

/* Calls the handler for an instruction whose stencil failed. */
static void put_call(struct lowering *c, const struct apart *a) {
    struct filling f = {.exit = {0}};
    rows_spill(&c->rows, c->saved.v + a->before, a->befores);
    f.hole[HOLE_AT_FN] = (int64_t)(intptr_t)a->handler;
    f.hole[HOLE_AT_LINKED] = (int64_t)(intptr_t)&c->p->linked->op[a->word];
    emit_stencil(&c->e, ST_call_if, &f);
    rows_restore(&c->rows, c->saved.v + a->after, a->afters);
    emit_jump(&c->e, a->back);
}

/* Before a warp leaves the block: writes values back to memory, and subtracts instructions that
 * were counted but not executed. */
static void leave_rows(struct lowering *c, const struct apart *a) {
    struct filling f = {.exit = {0}};
    rows_spill(&c->rows, c->saved.v + a->before, a->befores);
    f.hole[HOLE_AT_AT] = a->left;
    if (a->left)
        emit_stencil(&c->e, ST_uncount, &f);
}

static void put_apart(struct lowering *c) {
    for (uint32_t i = 0; i < c->aparts && !c->failed && !c->e.failed; i++) {
        const struct apart a = c->apart[i];
        emit_tag(&c->e, native_tag(a.word, CODE_FULL));
        emit_bind(&c->e, a.label);
        switch (a.kind) {
        case APART_STOP:
            leave_rows(c, &a);
            stop_at(c, a.word);
            break;
        case APART_EDGE:
            leave_rows(c, &a);
            emit_jump(&c->e, a.back);
            break;
        case APART_ENTER:
            put_count(c, ST_count, a.word, a.left, &a.forks);
            rows_restore(&c->rows, c->saved.v + a.after, a.afters);
            emit_jump(&c->e, a.back);
            break;
        case APART_LOOP:
            rows_match(&c->rows, c->saved.v + a.before, a.befores, c->saved.v + a.after, a.afters);
            emit_jump(&c->e, a.back);
            break;
        case APART_CONTROL:
            leave_rows(c, &a);
            go_through(c, native_control(c->p->variant, c->p->ops[a.word].code), a.word,
                       lower_pc(c, a.word));
            break;
        case APART_DIVIDE:
            leave_rows(c, &a);
            if (a.routine == ST_split) {
                lower_call_split(c, a.word);
                emit_jump(&c->e, a.back);
            } else {
                lower_go_to_control(c, (enum stencil_id)a.routine, a.word);
            }
            break;
        case APART_CALL:
            put_call(c, &a);
            break;
        case APART_VALUE:
            lower_value(c, &a);
            break;
        }
    }
}

/* ---- programs ---- */

static void put_leaves(struct lowering *c) {
    static const uint8_t leave[] = {
        0x44, 0x89, 0xf0, 0xc3}; /* mov eax, r14d; ret: the status is in the register of m */
    for (int status = 0; status < 4; status++) {
        const uint8_t code[] = {0xb8, (uint8_t)status, 0, 0, 0, 0xc3}; /* mov eax, status; ret */
        c->code->leave[status] = (int32_t)c->e.size;
        emit_bytes(&c->e, code, sizeof code);
    }
    emit_bind(&c->e, c->leave_label);
    emit_bytes(&c->e, leave, sizeof leave);
}

static void compile_version(struct lowering *c, int version) {
    c->version = version;
    c->loop = (struct loop){.first = NO_BLOCK};
    for (c->block = 0; c->block < c->blocks.count && !c->failed; c->block++) {
        open_loop(c, c->block);
        compile_block(c, &c->blocks.block[c->block]);
        if (c->loop.closes)
            compile_rounds(c);
        else if (c->block == c->loop.end)
            c->loop.first = NO_BLOCK;
    }
}

static bool set_entries(struct lowering *c, int versions) {
    struct native_code *code = c->code;
    const uint32_t words = c->p->word_count;
    code->words = words;
    code->entry = malloc((words ? words : 1) * sizeof *code->entry);
    if (!code->entry)
        return false;
    memset(code->entry, 0xff, words * sizeof *code->entry);
    for (uint32_t i = 0; i < c->blocks.count; i++) {
        const uint32_t word = c->blocks.block[i].first;
        for (int entry = 0; entry < CODE_ENTRIES; entry++)
            if (entry % CODE_VERSIONS < versions)
                code->entry[word][entry] = c->e.label[entry_label(c, word, entry)];
    }
    return true;
}

static void hand_over(const struct lowering *c, struct native_build *build) {
    _Static_assert(sizeof *build->pool == sizeof *c->e.pool, "both are one kind of entry");
    build->bytes = c->e.bytes;
    build->size = c->e.size;
    build->pool = (void *)c->e.pool;
    build->pools = c->e.pools;
    build->instructions = c->instructions;
    build->called = c->called;
    memcpy(build->calls, c->calls, sizeof build->calls);
    build->mark = c->e.mark;
    build->marks = c->e.marks;
}

/* True if the program uses so many special functions, at about 2 KB each, that copies of their code
 * would take more than half of a first-level cache of 32 KB. Where rows are in memory, a call has
 * to move them, so calls pay only in such a program. */
static bool has_many_functions(const struct program *p) {
    enum { MANY = 9 };
    int count = 0;
    for (uint32_t i = 0; i < p->word_count && count < MANY;
         i += p->ops[i].words ? p->ops[i].words : 1) {
        const unsigned code = p->ops[i].code;
        count += code == OP_RCP || code == OP_RSQRT || code == OP_LG2 || code == OP_EX2 ||
                 code == OP_SIN || code == OP_COS;
    }
    return count == MANY;
}

struct lowering *native_memory_new(void) {
    return calloc(1, sizeof(struct lowering));
}

static void give_back(struct lowering *c) {
    emit_close(&c->e);
    free(c->apart);
    free(c->saved.v);
    *c = (struct lowering){0};
}

void native_memory_delete(struct lowering *c) {
    if (c)
        give_back(c);
    free(c);
}

/* Resets the lowering. The memory that the program before used is kept, unless it was very
 * large. */
static void begin(struct lowering *c, const struct stencil_set *set, enum simd_level simd,
                  bool bytes, struct native_code *code) {
    enum { MOST_KEPT = 1 << 20 };
    if (c->e.room > MOST_KEPT)
        give_back(c);
    const struct emitter e = c->e;
    const struct rows_saved saved = {.v = c->saved.v, .room = c->saved.room};
    struct apart *const apart = c->apart;
    const size_t apart_room = c->apart_room;
    *c = (struct lowering){.p = code->program,
                           .code = code,
                           .simd = simd,
                           .bytes = bytes,
                           .mode = code->mode,
                           .e = e,
                           .saved = saved,
                           .apart = apart,
                           .apart_room = apart_room};
    emit_open(&c->e, set);
    c->e.marking = report_wanted();
    rows_open(&c->rows, &c->e, set->stencil[ST_load].hot != 0);
    c->calls_functions = c->rows.registers || has_many_functions(c->p);
}

bool native_compile(struct lowering *c, struct native_code *code, const struct stencil_set *set,
                    enum simd_level simd, bool bytes, struct native_build *build) {
    begin(c, set, simd, bytes, code);
    bool fine = blocks_find(&c->blocks, c->p, simd);
    if (fine) {
        code->straight = c->blocks.count == 1;
        const int versions = c->blocks.diverges ? CODE_VERSIONS : 1;
        c->leave_label = emit_labels(&c->e, 1);
        c->first_label = emit_labels(&c->e, c->blocks.count * CODE_ENTRIES);
        for (int version = 0; version < versions; version++)
            compile_version(c, version);
        put_apart(c);
        emit_tag(&c->e, TAG_WAYS);
        lower_routines(c);
        emit_cold(&c->e);
        emit_tag(&c->e, TAG_WAYS);
        put_leaves(c);
        emit_words(&c->e);
        emit_settle(&c->e);
        fine = !c->e.failed && !c->failed && set_entries(c, versions);
        hand_over(c, build);
    }
    blocks_free(&c->blocks);
    return fine;
}
