/* Operations as steps: see lower.h. An operation is lowered to these steps: fetch operands, apply
 * their modifiers, run its stencil, write the result, perhaps only in some lanes, to a half, or to
 * o[].
 */
#include "shader/native/lower.h"
#include "base/arena.h"
#include "shader/alu/f32.h"
#include "shader/predicate.h"

#include <assert.h>
#include <stdlib.h>

uint32_t lower_pc(const struct lowering *c, uint32_t word) {
    return program_address(c->p, word);
}

void lower_put_off(struct lowering *c, struct apart a) {
    if (ARRAY_ROOM(c->apart, c->apart_room, c->aparts + 1u))
        c->apart[c->aparts++] = a;
    else
        c->failed = true;
}

/* ---- lanes ---- */

static const uint16_t predicates[LANES_CODES] = {
#define X(code) [0x##code] = ST_pred_##code,
    PREDICATE_LIST(X)
#undef X
        [LANES_GUARD] = ST_guard,
    [LANES_GUARD_NOT] = ST_guard_not,
};

/* The place of a $c, in bytes from the warp. */
static uint32_t flags_at(unsigned reg) {
    return (uint32_t)(offsetof(struct warp, c) + (reg & 3) * sizeof(struct flags));
}

/* The place of a lane mask, in bytes from the warp. If a comparison has set the $c, the mask has
 * the lanes in which the comparison holds. */
static uint32_t truth_at(unsigned reg) {
    return flags_at(reg) + (uint32_t)offsetof(struct flags, s);
}

uint32_t lower_predicate_at(unsigned number) {
    return (uint32_t)(offsetof(struct warp, fermi.p) + (number & 31) * sizeof(lane_mask));
}

void lower_lanes(struct lowering *c, unsigned pred, unsigned reg) {
    struct lanes_state *l = &c->lanes;
    if (c->rows.strips) { /* m stays as it is; lower_lanes_row() makes rows of lanes */
        *l = (struct lanes_state){.code = (uint8_t)pred, .reg = (uint8_t)reg};
        return;
    }
    if (l->code == pred && (pred == PRED_ALWAYS || (l->reg == reg && !l->stale)))
        return;
    struct filling f = filled();
    f.hole[HOLE_AT_FLAGS] = pred < LANES_GUARD ? flags_at(reg) : lower_predicate_at(reg);
    const enum stencil_id id = pred == PRED_ALWAYS ? ST_reset
                               : predicates[pred]  ? predicates[pred]
                                                   : ST_pred_never;
    emit_stencil(&c->e, id, &f);
    rows_forget(&c->rows, VALUE_MASK);
    *l = (struct lanes_state){.code = (uint8_t)pred, .reg = (uint8_t)reg};
}

void lower_guard(struct lowering *c, unsigned guard) {
    const bool negated = guard & PRED_NOT;
    if ((guard & 31) == PRED_TRUE)
        lower_lanes(c, negated ? PRED_NEVER : PRED_ALWAYS, 0);
    else
        lower_lanes(c, negated ? LANES_GUARD_NOT : LANES_GUARD, guard & 31);
}

void lower_lanes_of(struct lowering *c, const struct op *op) {
    if (isa_set_of(c->p->variant) != SET_TESLA)
        lower_guard(c, op->guard);
    else if (op->code == OP_VOTE) /* VOTE reads its predicate as a source */
        lower_lanes(c, PRED_ALWAYS, 0);
    else
        lower_lanes(c, op->pred, op->pred_reg);
}

bool lower_is_masked(const struct lowering *c) {
    return c->version == CODE_DIVERGENT || c->inside || c->lanes.code != PRED_ALWAYS;
}

/* ---- help of the handler */

uint32_t lower_open_slow_way(struct lowering *c, exec_fn *handler) {
    struct apart a = {.kind = APART_CALL, .word = c->word, .label = emit_labels(&c->e, 1)};
    a.handler = handler ? handler : c->p->linked->op[c->word].fn[c->simd];
    assert(!c->rows.strips);
    if (!c->slows)
        c->slow_back = emit_labels(&c->e, 1);
    a.back = c->slow_back;
    a.before = c->saved.count;
    a.befores = rows_save(&c->rows, &c->saved, true);
    lower_put_off(c, a);
    if (!c->failed)
        c->slow[c->slows++] = c->aparts - 1;
    return a.label;
}

/* Called after the instruction: binds the label to which its slow ways return. */
void lower_close_slow_ways(struct lowering *c) {
    rows_release(&c->rows);
    if (!c->slows || c->failed || c->saved.failed)
        return;
    const uint32_t after = c->saved.count, afters = rows_save(&c->rows, &c->saved, false);
    for (uint32_t i = 0; i < c->slows; i++) {
        c->apart[c->slow[i]].after = after;
        c->apart[c->slow[i]].afters = afters;
    }
    emit_bind(&c->e, c->slow_back);
    c->slows = 0;
}

/* ---- operands ---- */

static unsigned memory_bits(const struct operand *o) {
    switch (o->mem) {
    case TYPE_B32:
    case TYPE_U32:
    case TYPE_S32:
    case TYPE_F32:
        return 32;
    case TYPE_B16:
    case TYPE_U16:
        return 16;
    default:
        return 0;
    }
}

static bool is_wide(unsigned type) {
    return type == TYPE_B64 || type == TYPE_U64 || type == TYPE_S64 || type == TYPE_F64 ||
           type == TYPE_B128;
}

bool lower_has_source(const struct operand *o) {
    switch (o->file) {
    case FILE_NONE:
    case FILE_NULL:
        return true;
    case FILE_IMM:
        return !is_wide(o->type);
    case FILE_R:
    case FILE_RH:
        return !is_wide(o->type);
    case FILE_CONST:
    case FILE_SHARED:
        return operand_is_fixed(o) && memory_bits(o) && o->value <= 0xffff && o->index < 16 &&
               o->value % (memory_bits(o) / 8) == 0;
    case FILE_ATTR:
        return !o->areg && !(o->flags & OPERAND_BASED) && memory_bits(o) == 32;
    default:
        return false;
    }
}

/* True for c[$a + n], s[$a + n] and p[$a + n], one word a lane. */
bool lower_is_indexed(const struct lowering *c, const struct operand *o) {
    enum { ADDRESS_REGISTERS = 7 };
    const bool shared = o->file == FILE_SHARED && c->p->type == PROGRAM_CP;
    return (o->file == FILE_PRIM || ((o->file == FILE_CONST || shared) && o->areg)) &&
           o->areg <= ADDRESS_REGISTERS && !(o->flags & (OPERAND_BASED | OPERAND_POSTINC)) &&
           memory_bits(o) == 32 && isa_set_of(c->p->variant) == SET_TESLA &&
           c->e.stencil[ST_const_at].hot;
}

bool lower_has_dest(const struct operand *o) {
    switch (o->file) {
    case FILE_NONE:
    case FILE_NULL:
        return true;
    case FILE_R:
    case FILE_RH:
        return !is_wide(o->type);
    case FILE_OUT:
        return !o->areg;
    default:
        return false;
    }
}

static void grow(uint32_t *have, uint32_t need) {
    *have = need > *have ? need : *have;
}

static int run_one(struct lowering *c, enum stencil_id id, int value, uint32_t at) {
    struct filling f = filled();
    f.hole[HOLE_AT_AT] = at;
    return rows_run(&c->rows, id, (int[]){value, NO_VALUE, NO_VALUE}, &f);
}

/* Makes a value of a word of c[] or s[], or of a half of it. */
static int uniform_word(struct lowering *c, const struct operand *o) {
    const uint32_t at = o->value & 0xfffc;
    const bool shared = o->file == FILE_SHARED;
    const unsigned space = shared ? 0 : o->index & 15;
    if (shared)
        grow(&c->code->need.shared, at + 4);
    else
        grow(&c->code->need.constant[space], at + 4);
    c->code->need.spaces |= (uint16_t)(shared ? 0 : 1u << space);
    const int v = rows_get(&c->rows, shared ? VALUE_SHARED : VALUE_CONST, space, at);
    if (memory_bits(o) == 32)
        return v;
    return run_one(c, o->value & 2 ? ST_half_high : ST_half_low, v, 0);
}

uint32_t lower_address_at(unsigned n) {
    return (uint32_t)(offsetof(struct warp, a) + (n & 7) * sizeof(u32x32));
}

static int indexed_word(struct lowering *c, const struct operand *o) {
    const int address = rows_get(&c->rows, VALUE_ROW, 0, lower_address_at(o->areg));
    struct filling f = filled();
    const bool prim = o->file == FILE_PRIM; /* components are 0x20 words apart (warp.prim) */
    const enum stencil_id id = prim                     ? ST_prim_at
                               : o->file == FILE_SHARED ? ST_shared_at
                                                        : ST_const_at;
    if (id == ST_shared_at)
        grow(&c->code->need.shared, 4); /* at least one word, so that s[] exists */
    const int v = rows_begin_step(&c->rows, id);
    f.hole[HOLE_AT_VIEW] =
        (int64_t)(offsetof(struct warp_env, c) + (o->index & 15) * sizeof(struct const_view));
    f.hole[HOLE_AT_AT] = prim ? (o->value >> 2) * 0x20 & 0xffff : o->value & 0xffff;
    f.exit[EXIT_SLOW] = lower_open_slow_way(c, NULL);
    rows_end_step(&c->rows, id, (int[]){address, NO_VALUE, NO_VALUE}, &f, v);
    return v;
}

int lower_carry(struct lowering *c, unsigned reg) {
    struct filling f = filled();
    if (c->known.truths >> (reg & 3) & 1) /* comparisons have no carry */
        return rows_get(&c->rows, VALUE_IMM, 0, 0);
    f.hole[HOLE_AT_FLAGS] = flags_at(reg) + offsetof(struct flags, c);
    return rows_run(&c->rows, ST_carry, (int[]){NO_VALUE, NO_VALUE, NO_VALUE}, &f);
}

int lower_vertex_word(struct lowering *c, int handle, uint32_t at) {
    struct filling f = filled();
    const int v = rows_begin_step(&c->rows, ST_vertex_at);
    f.hole[HOLE_AT_AT] = at;
    f.exit[EXIT_SLOW] = lower_open_slow_way(c, NULL);
    rows_end_step(&c->rows, ST_vertex_at, (int[]){handle, NO_VALUE, NO_VALUE}, &f, v);
    return v;
}

int lower_plain_source(struct lowering *c, const struct operand *o, uint32_t row) {
    switch (o->file) {
    case FILE_IMM:
        return rows_get(&c->rows, VALUE_IMM, 0, o->value);
    case FILE_PRIM:
        return indexed_word(c, o);
    case FILE_CONST:
        return lower_is_indexed(c, o) ? indexed_word(c, o) : uniform_word(c, o);
    case FILE_SHARED:
        return lower_is_indexed(c, o) ? indexed_word(c, o) : uniform_word(c, o);
    case FILE_ATTR:
        grow(&c->code->need.attr, ((o->value & 0xffff) >> 2) + 1);
        return run_one(c, ST_attr, NO_VALUE, ((o->value & 0xffff) >> 2) * sizeof(u32x32));
    default:
        break;
    }
    if (row == WARP_REGS)
        return rows_get(&c->rows, VALUE_IMM, 0, 0);
    int v = rows_get(&c->rows, VALUE_ROW, 0, (uint32_t)lower_row_at(row));
    if (o->type != TYPE_F32)
        v = rows_canonical(&c->rows, v);
    if (o->file == FILE_RH)
        v = run_one(c, o->value & 1 ? ST_half_high : ST_half_low, v, 0);
    return v;
}

/* True if the operation reads the bits of NaNs: ex2, sin and cos take numbers in formats of their
 * own, which are typed as floats; presin and preex2 keep the sign. */
static bool reads_bits(const struct op *op) {
    return !op->fast && (op->code == OP_EX2 || op->code == OP_SIN || op->code == OP_COS ||
                         op->code == OP_PRESIN || op->code == OP_PREEX2);
}

/* True if a source is the low half of a register and the operation reads only 16 bits. */
static bool reads_low_half(const struct lowering *c, const struct op *op, int i) {
    const struct operand *o = &op->src[i];
    return isa_set_of(c->p->variant) == SET_TESLA && (op->code == OP_IMUL || op->code == OP_IMAD) &&
           i < 2 && o->file == FILE_RH && !(o->value & 1) &&
           (o->type == TYPE_U16 || o->type == TYPE_S16);
}

int lower_source(struct lowering *c, const struct op *op, int i, const struct linked_op *l) {
    const struct operand *o = &op->src[i];
    if (o->file == FILE_NONE)
        return NO_VALUE;
    const unsigned sign = o->type == TYPE_F32 ? o->flags & (OPERAND_ABS | OPERAND_NEG) : 0;
    if (sign && o->file == FILE_IMM) {
        uint32_t word = o->value;
        word &= sign & OPERAND_ABS ? 0x7fffffff : ~0u;
        word ^= sign & OPERAND_NEG ? 0x80000000 : 0;
        return rows_get(&c->rows, VALUE_IMM, 0, word);
    }
    if (reads_low_half(c, op, i)) {
        const struct operand whole = {.file = FILE_R, .type = o->type};
        return lower_plain_source(c, &whole, l->src[i]);
    }
    const int plain = lower_plain_source(c, o, l->src[i]);
    const int v = reads_bits(op) ? rows_canonical(&c->rows, plain) : plain;
    if (!sign)
        return v;
    const bool raw = c->rows.v[v].raw_nan;
    const enum stencil_id id = sign == OPERAND_NEG   ? ST_neg
                               : sign == OPERAND_ABS ? ST_abs
                                                     : ST_neg_abs;
    const int n = run_one(c, id, v, 0);
    c->rows.v[n].raw_nan = raw;
    return n;
}

/* ---- results ---- */

int lower_truth(struct lowering *c, uint32_t at) {
    return rows_get(&c->rows, VALUE_TRUTH, 0, at);
}

/* Strips: makes a value, all ones in the lanes of the current instruction, whether they are active
 * or not; *others: in the other lanes. */
static int truth_row(struct lowering *c, bool *others) {
    const struct lanes_state *l = &c->lanes;
    if (l->code >= LANES_GUARD) {
        *others = l->code == LANES_GUARD_NOT;
        return lower_truth(c, lower_predicate_at(l->reg));
    }
    const bool when = predicate_lanes(&(struct flags){.s = 1}, l->code) & 1;
    const bool unless = predicate_lanes(&(struct flags){.z = 1}, l->code) & 1;
    *others = unless;
    return when == unless ? rows_get(&c->rows, VALUE_IMM, 0, 0) : lower_truth(c, truth_at(l->reg));
}

int lower_lanes_row(struct lowering *c, bool *others) {
    const struct lanes_state *l = &c->lanes;
    const uint32_t number = (l->code + 1u) << 8 | l->reg;
    struct filling f = filled();
    *others = false;
    if (!c->rows.strips)
        return rows_get(&c->rows, l->code == PRED_ALWAYS ? VALUE_ACTIVE : VALUE_MASK, 0, 0);
    if (l->code == c->opened.code && (l->code == PRED_ALWAYS || l->reg == c->opened.reg))
        return rows_get(&c->rows, VALUE_MASK, 0, 0);
    const int here = rows_find(&c->rows, VALUE_MASK, 0, number);
    if (here != NO_VALUE)
        return here;
    const int truth = truth_row(c, others);
    if (!c->rows.masked)
        return truth;
    const int active = rows_get(&c->rows, VALUE_MASK, 0, 0);
    const int both = rows_run(&c->rows, *others ? ST_b32_n0_and : ST_b32_and,
                              (int[]){truth, active, NO_VALUE}, &f);
    *others = false;
    rows_bind_mask(&c->rows, both, number);
    return both;
}

/* Strips: lower_lanes_row() with ones in the lanes themselves. */
static int plain_lanes_row(struct lowering *c) {
    bool others;
    const int v = lower_lanes_row(c, &others);
    return others ? run_one(c, ST_invert, v, 0) : v;
}

void lower_put_out(struct lowering *c, uint32_t row, int v) {
    struct filling f = filled();
    grow(&c->code->need.out, row + 1);
    f.hole[HOLE_AT_AT] = row * sizeof(u32x32);
    const int lanes = lower_is_masked(c) && c->rows.strips ? plain_lanes_row(c) : NO_VALUE;
    rows_run_only(&c->rows, lower_is_masked(c) ? ST_out_m : ST_out,
                  (int[]){rows_canonical(&c->rows, v), lanes, NO_VALUE}, &f);
}

/* True if a value has raw NaNs, or no NaNs. */
static bool fits_raw(const struct lowering *c, int value) {
    const struct value *v = &c->rows.v[value];
    return v->raw_nan || (v->kind == VALUE_IMM && (v->at & 0x7fffffff) <= F32_INF);
}

/* Both values stay raw only if both fit: a row that is canonicalized later changes in all lanes,
 * and a value that does not fit may hold integers. */
bool lower_raw_together(struct lowering *c, int *a, int *b) {
    const bool raw = c->rows.v[*a].raw_nan || c->rows.v[*b].raw_nan;
    if (raw && fits_raw(c, *a) && fits_raw(c, *b))
        return true;
    *a = rows_canonical(&c->rows, *a);
    *b = rows_canonical(&c->rows, *b);
    return false;
}

/* Writes a value to some lanes of the row at a place. */
void lower_merge_at(struct lowering *c, uint32_t at, int mask, bool others, int v) {
    int old = rows_get(&c->rows, VALUE_ROW, 0, at);
    const bool raw = lower_raw_together(c, &v, &old);
    rows_merge(&c->rows, mask, others, v, old);
    c->rows.v[old].raw_nan = raw;
    c->rows.v[old].was_raw &= c->rows.v[v].was_raw;
}

/* Writes a temporary value to the row at a place; in masked code, only to the lanes of the
 * instruction. */
void lower_put_row_at(struct lowering *c, uint32_t at, int v) {
    bool others;
    if (lower_is_masked(c)) {
        const int lanes = lower_lanes_row(c, &others);
        lower_merge_at(c, at, lanes, others, v);
    } else {
        rows_bind(&c->rows, v, at);
    }
}

static void put_row(struct lowering *c, uint32_t row, int v) {
    lower_put_row_at(c, (uint32_t)lower_row_at(row), v);
}

void lower_put_truth(struct lowering *c, uint32_t at, int holds) {
    struct filling f = filled();
    if (c->lanes.code != PRED_ALWAYS)
        holds =
            rows_run(&c->rows, ST_selp, (int[]){holds, lower_truth(c, at), plain_lanes_row(c)}, &f);
    rows_bind_truth(&c->rows, holds, at);
    rows_forget(&c->rows, VALUE_MASK);
}

static void put_half(struct lowering *c, const struct operand *o, uint32_t row, int v) {
    struct filling f = filled();
    const bool high = o->value & 1;
    const int value = rows_canonical(&c->rows, v);
    const int old =
        rows_canonical(&c->rows, rows_get(&c->rows, VALUE_ROW, 0, (uint32_t)lower_row_at(row)));
    const int both[] = {value, old, NO_VALUE};
    if (c->rows.registers) {
        put_row(c, row, rows_run(&c->rows, high ? ST_put_high : ST_put_low, both, &f));
        return;
    }
    static const enum stencil_id id[2][2] = {{ST_put_low, ST_put_low_m},
                                             {ST_put_high, ST_put_high_m}};
    rows_run_to(&c->rows, id[high][lower_is_masked(c)], both, &f, lower_row_at(row));
}

/* Writes a temporary value to the destination of an operation. */
void lower_put(struct lowering *c, const struct operand *o, uint32_t row, int v) {
    if (o->file == FILE_R)
        put_row(c, row, v);
    else if (o->file == FILE_RH)
        put_half(c, o, row, v);
    else if (o->file == FILE_OUT)
        lower_put_out(c, (o->value & 0xffff) >> 2,
                      type_bits(o->type) == 16 ? run_one(c, ST_twice, v, 0) : v);
}

/* ---- instructions ---- */

/* Rows in registers: opens code apart for an operation on values v. If its stencil fails, the
 * handler computes the result r there, and the code continues behind the stencil. */
static uint32_t open_value_way(struct lowering *c, uint32_t word, const int v[3], int r) {
    const struct op *op = &c->p->ops[word];
    struct apart a = {.kind = APART_VALUE, .word = word, .sat = op->sat, .strips = c->rows.strips};
    const int all[] = {v[0], v[1], v[2], r};
    a.label = emit_labels(&c->e, 2);
    a.back = a.label + 1;
    for (int i = 0; i < ARGUMENT_REGISTERS; i++)
        a.reg[i] = c->rows.v[all[i / 2]].reg[i % 2];
    lower_put_off(c, a);
    return a.label;
}

static void close_value_way(struct lowering *c) {
    if (!c->failed)
        emit_bind(&c->e, c->apart[c->aparts - 1].back);
}

static bool is_routine(const struct lowering *c, enum stencil_id id) {
    switch (id) {
#define X(name)                                                                                    \
    case ST_##name:                                                                                \
        return c->calls_functions && !c->rows.strips;
        ROUTINE_LIST(X)
#undef X
    default:
        return false;
    }
}

/* ---- operations ---- */

static bool leaves_raw_nan(const struct lowering *c, const struct op *op) {
    if (!c->rows.registers)
        return false;
    switch (op->code) {
    case OP_FMAD:
        return !needs_tests(op, c->mode) && !op->sat;
    case OP_PRESIN:
    case OP_PREEX2:
    case OP_RCP:
    case OP_RSQRT:
    case OP_EX2:
    case OP_SIN:
    case OP_COS:
        return op->fast && !op->sat;
    case OP_FADD:
    case OP_FMUL:
        return !op->sat;
    case OP_FMIN:
    case OP_FMAX:
    case OP_QUADOP:
    case OP_FFMA:
    case OP_FMNMX:
        return true;
    case OP_CVT:
        return !op->sat && op->type == TYPE_F32 && op->src[0].type == TYPE_F32;
    default:
        return false;
    }
}

static enum stencil_id with_bytes(enum stencil_id id) {
    switch (id) {
#define X(name)                                                                                    \
    case ST_##name:                                                                                \
        return ST_##name##_bytes;
        BYTES_LIST(X)
#undef X
    default:
        return id;
    }
}

/* Calls a routine. Rows in memory: routines have rows of their own for operands and results. */
static int call_routine(struct lowering *c, enum stencil_id id, int source) {
    if (c->bytes)
        id = with_bytes(id);
    uint32_t *label = &c->routines.stencil[id];
    struct filling f = filled();
    if (!*label)
        *label = emit_labels(&c->e, 1);
    if (c->rows.registers)
        return rows_call(&c->rows, id, source, *label);
    rows_run_to(&c->rows, ST_copy, (int[]){source, NO_VALUE, NO_VALUE}, &f, lower_row_at(OPERANDS));
    emit_call(&c->e, *label);
    return rows_at(&c->rows, lower_row_at(OPERANDS + 3));
}

/* Runs stencil id on values v. Returns the value of the result. */
static int compute(struct lowering *c, uint32_t word, enum stencil_id id, const int v[3]) {
    const struct op *op = &c->p->ops[word];
    struct filling f = filled();
    if (is_routine(c, id))
        return call_routine(c, id, v[0]);
    const bool slow = needs_tests(op, c->mode);
    const bool value_way = slow && c->rows.registers && op->cdst == NO_FLAGS_DST;
    const int r = rows_begin_step(&c->rows, id);
    f.hole[HOLE_AT_FLAGS] = flags_at(op->cdst);
    if (value_way)
        f.exit[EXIT_SLOW] = open_value_way(c, word, v, r);
    else if (slow)
        f.exit[EXIT_SLOW] = lower_open_slow_way(c, NULL);
    rows_end_step(&c->rows, id, v, &f, r);
    if (value_way)
        close_value_way(c);
    c->rows.v[r].raw_nan = leaves_raw_nan(c, op);
    return r;
}

/* Writes a value that may not be a temporary to the destination of op. */
void lower_put_moved(struct lowering *c, const struct op *op, uint32_t row, int v) {
    if (op->dst.file == FILE_R && c->rows.registers) {
        const bool stays = lower_is_masked(c) || c->rows.v[v].kind == VALUE_TEMP;
        put_row(c, row, stays ? v : rows_copy(&c->rows, v));
    } else if (op->dst.file == FILE_R) {
        struct filling f = filled();
        rows_run_to(&c->rows, lower_is_masked(c) ? ST_copy_m : ST_copy,
                    (int[]){v, NO_VALUE, NO_VALUE}, &f, lower_row_at(row));
    } else {
        lower_put(c, &op->dst, row, v);
    }
}

static bool has_stencil(const struct lowering *c, const struct op *op, enum stencil_id shape) {
    if (shape == ST_NONE || !c->e.stencil[shape].hot || !lower_has_dest(&op->dst))
        return false;
    for (int i = 0; i < 3; i++)
        if (!lower_has_source(&op->src[i]) && !lower_is_indexed(c, &op->src[i]))
            return false;
    return true;
}

bool lower_has_sources(const struct op *op) {
    return lower_has_source(&op->src[0]) && lower_has_source(&op->src[1]) &&
           lower_has_source(&op->src[2]);
}

static bool same_lanes(const struct op *a, const struct op *b) {
    return a->pred == b->pred && a->pred_reg == b->pred_reg && a->guard == b->guard;
}

/* The stencil for the instruction at `word` together with the next instruction, which overwrites
 * the result of the first; or ST_NONE. */
static enum stencil_id pair_with_next(const struct lowering *c, uint32_t word,
                                      enum stencil_id shape) {
    const struct linked_op *a = &c->p->linked->op[word];
    const uint32_t next = word + a->op->words;
    if (next > c->blocks.block[c->block].last)
        return ST_NONE;
    const struct linked_op *b = &c->p->linked->op[next];
    const struct operand *o = &b->op->src[0];
    if (a->op->dst.file != FILE_R || b->op->dst.file != FILE_R || o->file != FILE_R || o->flags ||
        a->dst != b->dst || a->dst != b->src[0] || b->skipped || !same_lanes(a->op, b->op) ||
        a->op->cdst != NO_FLAGS_DST || b->op->join)
        return ST_NONE;
    const enum stencil_id both = shape_find_pair(shape, shape_find(b->op, c->mode, c->p));
    return c->e.stencil[both].hot ? both : ST_NONE;
}

bool lower_begins_pair(const struct lowering *c, uint32_t word) {
    return pair_with_next(c, word, shape_find(&c->p->ops[word], c->mode, c->p)) != ST_NONE;
}

static enum stencil_id flags_only(enum stencil_id id) {
    switch (id) {
#define X(name, ...)                                                                               \
    case ST_##name:                                                                                \
        return ST_##name##_only;
        SHAPE_SET_FLAGS_LIST(X)
#undef X
    default:
        return ST_NONE;
    }
}

/* Lowers a comparison of values v that writes $c only. False: nothing was done. */
static bool compare(struct lowering *c, const struct op *op, enum stencil_id shape,
                    const int v[3]) {
    const enum stencil_id id = flags_only(shape);
    const bool row = op->dst.file != FILE_NONE && op->dst.file != FILE_NULL;
    struct filling f = filled();
    if (row || id == ST_NONE)
        return false;
    f.hole[HOLE_AT_FLAGS] = flags_at(op->cdst);
    rows_run_only(&c->rows, lower_is_masked(c) ? (enum stencil_id)(id + 1) : id, v, &f);
    return true;
}

/* Lowers a comparison in strips that sets a $c only. */
static void compare_strip(struct lowering *c, const struct linked_op *l) {
    struct op plain = *l->op;
    struct filling f = filled();
    int v[3];
    plain.cdst = NO_FLAGS_DST;
    for (int i = 0; i < 3; i++)
        v[i] = lower_source(c, l->op, i, l);
    const int holds = rows_run(&c->rows, shape_find(&plain, c->mode, c->p), v, &f);
    lower_put_truth(c, truth_at(l->op->cdst), holds);
}

/* True if a float is neither zero, denormal, infinite nor a NaN. */
static bool is_normal(uint32_t word) {
    const uint32_t exponent = word >> 23 & 0xff;
    return exponent != 0 && exponent != 0xff;
}

/* True if all active lanes of source i are known to have one word, without modifiers. */
static bool is_known(const struct lowering *c, const struct linked_op *l, int i, uint32_t *word) {
    const struct operand *o = &l->op->src[i];
    *word = o->value;
    return !o->flags &&
           (o->file == FILE_IMM || (o->file == FILE_R && lower_knows_word(c, l->src[i], word)));
}

static bool is_power_of_two(const struct lowering *c, const struct linked_op *l, int i) {
    uint32_t word;
    return is_known(c, l, i, &word) && !(word & 0x7fffff) && is_normal(word);
}

/* True if source i is a known normal number, with any sign. */
static bool is_normal_term(const struct lowering *c, const struct linked_op *l, int i) {
    const struct operand *o = &l->op->src[i];
    uint32_t word = o->value;
    return (o->file == FILE_IMM || (o->file == FILE_R && lower_knows_word(c, l->src[i], &word))) &&
           is_normal(word);
}

static bool is_maximum(const struct op *op) {
    return op->code == OP_FMAX || (op->code == OP_FMNMX && op->psrc[0] & PRED_NOT);
}

/* True if the host's maximum or minimum with source i as its second operand has the rules of fmax
 * or fmin. */
static bool is_number_for(const struct lowering *c, const struct linked_op *l, int i) {
    const uint32_t zero = is_maximum(l->op) ? 0 : 0x80000000;
    uint32_t word;
    return is_known(c, l, i, &word) && (word == zero || is_normal(word));
}

/* Returns a shorter shape for an operation if words of its operands are known, else `shape`. v: the
 * operands; becomes those of the returned shape. In bold code, a product by a power of two needs no
 * truncation: the product is exact, or the host's flags tell. */
static enum stencil_id shorten(struct lowering *c, const struct linked_op *l, enum stencil_id shape,
                               int v[3]) {
    struct filling f = filled();
    switch (shape) {
    case ST_fmad_bold:
    case ST_fmad_bold_sat:
        if (!is_power_of_two(c, l, 0) && !is_power_of_two(c, l, 1))
            return !is_normal_term(c, l, 2)    ? shape
                   : shape == ST_fmad_bold_sat ? ST_fmad_bold_term_sat
                                               : ST_fmad_bold_term;
        v[0] = rows_run(&c->rows, ST_fmul, (int[]){v[0], v[1], NO_VALUE}, &f);
        c->rows.v[v[0]].raw_nan = c->rows.registers;
        v[1] = v[2];
        v[2] = NO_VALUE;
        return shape == ST_fmad_bold_sat ? ST_fadd_sat : ST_fadd;
    case ST_fmax:
    case ST_fmin:
    case ST_gmax_ftz:
    case ST_gmin_ftz:
        if (!c->e.stencil[ST_fmax_number].hot)
            return shape;
        if (!is_number_for(c, l, 1)) {
            const int first = v[0];
            if (!is_number_for(c, l, 0))
                return shape;
            v[0] = v[1];
            v[1] = first;
        }
        return is_maximum(l->op) ? ST_fmax_number : ST_fmin_number;
    default:
        return shape;
    }
}

/* The term of a sum whose sign would be a step of its own, or -1. */
static int negative_term(const struct op *op) {
    if (op->code != OP_FADD || op->add_kind != ADD_ADD || op->cdst != NO_FLAGS_DST)
        return -1;
    for (int i = 1; i >= 0; i--)
        if (op->src[i].type == TYPE_F32 && op->src[i].flags & OPERAND_NEG &&
            op->src[i].file != FILE_IMM)
            return i;
    return -1;
}

/* Makes op, a sum with a negative term, the difference of the other term and this one, and sets
 * *shape. False: no stencil subtracts so. The terms keep their places in op. */
static bool as_difference(const struct lowering *c, struct op *op, int term,
                          enum stencil_id *shape) {
    if (term < 0)
        return false;
    op->add_kind = ADD_SUB;
    op->src[term].flags &= (uint8_t)~OPERAND_NEG;
    const enum stencil_id id = shape_find(op, c->mode, c->p);
    if (id == ST_NONE || !c->e.stencil[id].hot)
        return false;
    *shape = id;
    return true;
}

bool lower_operation(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word], *from = l;
    const struct op *op = l->op;
    enum stencil_id shape = shape_find(op, c->mode, c->p);
    if (c->rows.strips && op->cdst != NO_FLAGS_DST) {
        compare_strip(c, l);
        return true;
    }
    if (!has_stencil(c, op, shape))
        return false;
    if (c->pair != ST_NONE) {
        from = &c->p->linked->op[c->pair_word];
        shape = c->pair;
        c->pair = ST_NONE;
    } else if ((c->pair = pair_with_next(c, word, shape)) != ST_NONE) {
        c->pair_word = word;
        return true;
    }
    int v[3];
    struct op difference = *from->op;
    const int term = negative_term(from->op);
    const bool differs = as_difference(c, &difference, term, &shape);
    c->code->tests |= needs_tests(op, c->mode);
    for (int i = 0; i < 3; i++)
        v[i < 2 && differs && term == 0 ? 1 - i : i] =
            lower_source(c, differs ? &difference : from->op, i, from);
    if (compare(c, op, shape, v))
        return true;
    shape = shorten(c, l, shape, v);
    const bool flags = op->cdst != NO_FLAGS_DST;
    const bool slow_way = needs_tests(op, c->mode) && (!c->rows.registers || flags);
    const enum stencil_id masked = (enum stencil_id)(shape + 1);
    if (c->rows.registers || op->dst.file == FILE_RH || op->dst.file == FILE_OUT) {
        const int r = compute(c, word, flags && lower_is_masked(c) ? masked : shape, v);
        lower_put(c, &op->dst, l->dst, r);
    } else if (is_routine(c, shape)) {
        lower_put_moved(c, op, l->dst, compute(c, word, shape, v));
    } else {
        const uint32_t row = op->dst.file == FILE_R ? l->dst : WARP_REGS + 1;
        struct filling f = filled();
        f.hole[HOLE_AT_FLAGS] = flags_at(op->cdst);
        if (slow_way)
            f.exit[EXIT_SLOW] = lower_open_slow_way(c, NULL);
        rows_run_to(&c->rows, lower_is_masked(c) ? masked : shape, v, &f, lower_row_at(row));
    }
    return true;
}
