/* One instruction as steps: the first sequence of steps that fits, or a call of the handler. In:
 * the word of an instruction; the lanes, rows and forks of the lowering. Builds on lower.c,
 * lower_fermi.c, products.c and bursts.c.
 */
#include "shader/native/lower.h"

#include "shader/exec_fermi_graphics.h"
#include "shader/predicate.h"
#include "shader/sph.h"

#include <assert.h>

static void note_flags_written(struct lowering *c, const struct op *op) {
    if (c->lanes.code >= LANES_GUARD)
        c->lanes.stale |= op->pdst[0] == c->lanes.reg || op->pdst[1] == c->lanes.reg ||
                          op->code == OP_WRITE_FLAGS || op->code == OP_R2P;
    else if (op->cdst != NO_FLAGS_DST && (op->cdst & 3) == (c->lanes.reg & 3))
        c->lanes.stale = true;
}

/* Writes a value to the lanes of a register that op->lane_mask4 names in each quad. */
static void put_some(struct lowering *c, const struct linked_op *l, int v) {
    struct filling f = filled();
    f.hole[HOLE_AT_WORD] = l->op->lane_mask4 * INT64_C(0x11111111);
    if (c->rows.registers)
        lower_merge_at(c, (uint32_t)lower_row_at(l->dst),
                       rows_run(&c->rows, ST_some_row, (int[]){NO_VALUE, NO_VALUE, NO_VALUE}, &f),
                       false, v);
    else
        rows_run_to(&c->rows, ST_copy_some, (int[]){v, NO_VALUE, NO_VALUE}, &f,
                    lower_row_at(l->dst));
}

/* Runs stencil id, which cannot fail, and writes its result, a float or an integer. */
static void put_computed(struct lowering *c, const struct op *op, uint32_t row, enum stencil_id id,
                         const int v[3], bool is_float) {
    struct filling f = filled();
    if (c->rows.registers || op->dst.file != FILE_R) {
        const int r = rows_run(&c->rows, id, v, &f);
        c->rows.v[r].raw_nan = is_float && c->rows.registers;
        lower_put(c, &op->dst, row, r);
    } else {
        rows_run_to(&c->rows, lower_is_masked(c) ? (enum stencil_id)(id + 1) : id, v, &f,
                    lower_row_at(row));
    }
}

/* Lowers shifts and sums to $a, which holds 16 bits. */
static bool lower_address(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const unsigned to = op->dst.value & 7;
    const bool shift = op->code == OP_SHL_TO_ADDR;
    if ((!shift && op->code != OP_ADD_TO_ADDR) || !to || (shift && !lower_has_source(&op->src[0])))
        return false;
    struct filling f = filled();
    const int from = shift ? lower_source(c, op, 0, l)
                           : rows_get(&c->rows, VALUE_ROW, 0, lower_address_at(op->src[0].value));
    const int by = rows_get(&c->rows, VALUE_IMM, 0, op->src[1].value & (shift ? 31 : 0xffff));
    const int v = rows_run(&c->rows, shift ? ST_shl : ST_i32_add, (int[]){from, by, NO_VALUE}, &f);
    const int both[] = {v, rows_get(&c->rows, VALUE_IMM, 0, 0xffff), NO_VALUE};
    f = filled();
    if (c->rows.registers)
        lower_put_row_at(c, lower_address_at(to), rows_run(&c->rows, ST_b32_and, both, &f));
    else
        rows_run_to(&c->rows, lower_is_masked(c) ? ST_b32_and_m : ST_b32_and, both, &f,
                    (int32_t)lower_address_at(to));
    return true;
}

bool lower_is_carried(const struct op *op) {
    return (op->code == OP_IADD || op->code == OP_IMAD) && op->add_kind == ADD_ADDC && !op->sat &&
           op->cdst == NO_FLAGS_DST && op->dst.file == FILE_R &&
           (op->code == OP_IMAD || type_bits(op->type) == 32);
}

/* Lowers sums with the carry of a $c: the sum, then the addition of the carry. */
static bool lower_carried(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const bool product = op->code == OP_IMAD;
    struct op plain = *op;
    plain.code = OP_IMUL;
    plain.add_kind = ADD_ADD;
    const enum stencil_id multiply = product ? shape_find(&plain, c->mode, c->p) : ST_NONE;
    struct filling f = filled();
    if (!lower_is_carried(op) || !lower_has_sources(op) || (product && multiply == ST_NONE))
        return false;
    int v[3];
    for (int i = 0; i < 3; i++)
        v[i] = lower_source(c, op, i, l);
    int sum = v[0], more = v[1];
    if (product) {
        sum = rows_run(&c->rows, multiply, (int[]){v[0], v[1], NO_VALUE}, &f);
        more = v[2];
    }
    sum = rows_run(&c->rows, ST_i32_add, (int[]){sum, more, NO_VALUE}, &f);
    const int carry = lower_carry(c, op->pred_reg);
    put_computed(c, op, l->dst, ST_i32_add, (int[]){sum, carry, NO_VALUE}, false);
    return true;
}

/* True for moves, loads of one word and stores to o[], if their operands can be values. */
static bool is_move(const struct lowering *c, const struct op *op) {
    const bool load =
        op->code == OP_LD && (op->src[0].file == FILE_CONST || op->src[0].file == FILE_PRIM ||
                              op->src[0].file == FILE_ATTR || op->src[0].file == FILE_SHARED);
    const bool store = op->code == OP_ST && op->dst.file == FILE_OUT;
    if (op->src[0].file == FILE_ATTR && isa_set_of(c->p->variant) != SET_TESLA)
        return false;
    const bool some = !store && op->lane_mask4 != 15;
    if ((op->code != OP_MOV && !load && !store) ||
        !(lower_has_source(&op->src[0]) || lower_is_indexed(c, &op->src[0])) ||
        op->src[0].file == FILE_NONE || !lower_has_dest(&op->dst) || op->cdst != NO_FLAGS_DST ||
        (some && (load || op->dst.file != FILE_R)))
        return false;
    return true;
}

/* Makes a value: the word that a move takes, with NaNs as they are. */
static int moved(struct lowering *c, const struct linked_op *l) {
    struct operand from = l->op->src[0];
    if (from.file == FILE_R)
        from.type = TYPE_F32;
    return lower_plain_source(c, &from, l->src[0]);
}

static bool lower_move(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    if (!is_move(c, op))
        return false;
    const int v = moved(c, l);
    if (op->code == OP_ST)
        lower_put_out(c, (op->dst.value & 0xffff) >> 2, v);
    else if (op->lane_mask4 != 15)
        put_some(c, l, v);
    else
        lower_put_moved(c, op, l->dst, v);
    return true;
}

/* True if exactly one of two predicates of a comparison's $c holds. */
static bool are_opposite(unsigned a, unsigned b) {
    const struct flags holds = {.s = 1}, fails = {.z = 1};
    return ((predicate_lanes(&holds, a) ^ predicate_lanes(&holds, b)) &
            (predicate_lanes(&fails, a) ^ predicate_lanes(&fails, b)) & 1) != 0;
}

/* True for a move to a whole register, in lanes that a comparison chose. */
static bool is_chosen(const struct lowering *c, const struct op *op) {
    return op->code == OP_MOV && op->pred != PRED_ALWAYS && op->dst.file == FILE_R &&
           op->lane_mask4 == 15 && c->known.truths >> (op->pred_reg & 3) & 1 && is_move(c, op) &&
           !lower_is_indexed(c, &op->src[0]);
}

/* Lowers two moves to one register; every lane executes one of them: the driver's form of ?:. */
static bool lower_choice(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word], *k;
    const struct op *a = l->op, *b;
    const uint32_t next = word + a->words;
    if (!c->rows.registers || !is_chosen(c, a) || next > c->blocks.block[c->block].last)
        return false;
    k = &c->p->linked->op[next];
    b = k->op;
    if (!is_chosen(c, b) || a->pred_reg != b->pred_reg || !are_opposite(a->pred, b->pred) ||
        l->dst != k->dst || k->skipped || a->exit || b->join)
        return false;
    bool others;
    const int mask = lower_lanes_row(c, &others);
    int v = moved(c, l), w = moved(c, k);
    const bool raw = lower_raw_together(c, &v, &w);
    const int both = rows_copy(&c->rows, w);
    rows_merge(&c->rows, mask, others, v, both);
    c->rows.v[both].dirty = false;
    c->rows.v[both].raw_nan = raw;
    c->rows.v[both].was_raw = false;
    lower_lanes(c, PRED_ALWAYS, 0);
    lower_put(c, &a->dst, l->dst, both);
    c->through = next + b->words;
    return true;
}

/* True if all words of a Fermi's access to a[] have rows in the warp. */
static bool has_rows(const struct linked_op *l, const struct operand *o, uint32_t words) {
    bool all = o->file == FILE_ATTR && operand_is_fixed(o) && !l->op->sub;
    for (uint32_t k = 0; k < words; k++)
        all &= l->attr[k] != ROW_NONE;
    return all;
}

/* Lowers loads and stores of a[] at a fixed address, whose words are rows of the warp. */
static bool lower_attributes(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const bool load = op->code == OP_LD, vertices = c->p->rows && c->p->type != PROGRAM_VP;
    const struct operand *o = load ? &op->src[0] : &op->dst, *d = load ? &op->dst : &op->src[0];
    const uint32_t words = type_bytes(o->mem) / 4, limit = c->p->header.reg_count;
    if ((!load && op->code != OP_ST) || (load && (vertices || d->file != FILE_R)) ||
        !has_rows(l, o, words))
        return false;
    for (uint32_t k = 0; k < words; k++) {
        const struct operand row = {
            .file = FILE_ATTR, .type = TYPE_B32, .mem = TYPE_B32, .value = 4u * l->attr[k]};
        const uint32_t n = d->value + k;
        const struct operand reg = {.file = FILE_R, .type = TYPE_B32, .value = n};
        const struct op one = {.dst = reg};
        const bool known = d->file == FILE_R && n < limit && n < WARP_REGS;
        if (load)
            lower_put_moved(c, &one, known ? n : WARP_REGS + 1, lower_plain_source(c, &row, 0));
        else
            lower_put_out(c, l->attr[k], lower_plain_source(c, &reg, known ? n : WARP_REGS));
    }
    return true;
}

/* Lowers loads of several words of c[] at a fixed address. */
static bool lower_constant_words(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const struct operand *o = &op->src[0];
    const uint32_t words = o->mem == TYPE_B96 ? 3 : type_bytes(o->mem) / 4;
    const uint32_t limit = c->p->header.reg_count;
    if (op->code != OP_LD || o->file != FILE_CONST || !operand_is_fixed(o) || words < 2 ||
        op->dst.file != FILE_R || o->index >= 16 || fermi_const_runs_on(op) ||
        o->value % (words == 3 ? 4 : 4 * words) || o->value > 0x10000 - 4 * words)
        return false;
    for (uint32_t k = 0; k < words; k++) {
        const struct operand word = {.file = FILE_CONST,
                                     .type = TYPE_B32,
                                     .mem = TYPE_B32,
                                     .index = o->index,
                                     .value = o->value + 4 * k};
        const uint32_t n = op->dst.value + k;
        const struct op one = {.dst = {.file = FILE_R, .type = TYPE_B32, .value = n}};
        lower_put_moved(c, &one, n < limit && n < WARP_REGS ? n : WARP_REGS + 1,
                        lower_plain_source(c, &word, 0));
    }
    return true;
}

/* Lowers loads of a vertex's words, by handle, at fixed addresses. All words are loaded before a
 * register is written: if one load fails, the handler executes the whole instruction again. */
static bool lower_vertex_load(struct lowering *c, const struct linked_op *l) {
    enum { WORDS = 4 };
    const struct op *op = l->op;
    const struct operand *o = &op->src[0], *d = &op->dst;
    const uint32_t words = type_bytes(o->mem) / 4, limit = c->p->header.reg_count;
    int v[WORDS];
    if (op->code != OP_LD || !c->p->rows || c->p->type == PROGRAM_VP || c->p->type == PROGRAM_FP ||
        d->file != FILE_R || words > WORDS || !has_rows(l, o, words) ||
        !c->e.stencil[ST_vertex_at].hot || op->src[1].file != FILE_R)
        return false;
    for (uint32_t k = 0; k < words; k++)
        if (fermi_input_row(c->p->type, op, o->value / 4 + k) != ROW_NONE)
            return false;
    for (uint32_t k = 0; k < words; k++)
        v[k] = lower_vertex_word(c, lower_plain_source(c, &op->src[1], l->src[1]),
                                 l->attr[k] * (uint32_t)LANES);
    for (uint32_t k = 0; k < words; k++) {
        const uint32_t n = d->value + k;
        const struct op one = {.dst = {.file = FILE_R, .type = TYPE_B32, .value = n}};
        lower_put_moved(c, &one, n < limit && n < WARP_REGS ? n : WARP_REGS + 1, v[k]);
    }
    return true;
}

/* Lowers reading a handle of a vertex of the input primitive, which is a row of a[]. */
static bool lower_vertex_handle(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const struct operand *o = &op->src[0];
    const uint32_t vertices =
        c->p->type == PROGRAM_GP ? GP_PRIMITIVE_ID_ROW : PATCH_PRIMITIVE_ID_ROW;
    if (op->code != OP_PFETCH || !operand_is_fixed(o) || o->value >= vertices ||
        op->dst.file != FILE_R)
        return false;
    const struct operand row = {
        .file = FILE_ATTR, .type = TYPE_B32, .mem = TYPE_B32, .value = 4 * o->value};
    lower_put_moved(c, op, l->dst, lower_plain_source(c, &row, 0));
    return true;
}

/* The number of a v[] word in the list of words evaluated before the program runs; -1: no room. */
static int varying_number(struct lowering *c, uint32_t word, uint8_t mode) {
    struct native_need *n = &c->code->need;
    for (uint32_t i = 0; i < n->varyings; i++)
        if (n->varying[i].word == word && n->varying[i].mode == mode)
            return (int)i;
    if (n->varyings == WARP_VARYINGS)
        return -1;
    n->varying[n->varyings] = (struct varying_use){(uint16_t)word, mode};
    return (int)n->varyings++;
}

/* The number of the v[] word that an interp reads; -1: the handler executes the interp. */
static int interp_number(struct lowering *c, const struct op *op) {
    if (op->src[0].areg || !lower_has_dest(&op->dst) ||
        (op->src[1].file != FILE_NONE && op->src[1].file != FILE_R))
        return -1;
    return varying_number(c, op->src[0].value >> 2, op->interp_mode);
}

/* The number of the varying that a Fermi's interpolation reads. -1: the handler executes the
 * instruction: not at centres or centroids, no plane for the word, no room, or a rare form. */
static int fermi_interp_number(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const bool flat = op->interp_mode == FINTERP_FLAT;
    if (c->p->type != PROGRAM_FP || !c->p->rows || op->src[0].file != FILE_ATTR ||
        !operand_is_fixed(&op->src[0]) || l->attr[0] == PLANE_NONE || op->sub == FINTERP_OFFSET ||
        op->sat || op->src[1].flags || c->mode & MODE_MUL_ZERO_WINS || op->dst.file != FILE_R ||
        !c->p->flushes)
        return -1;
    return varying_number(c, l->attr[0],
                          flat                          ? INTERP_FLAT
                          : op->sub == FINTERP_CENTROID ? INTERP_CENTROID
                                                        : INTERP_PLAIN);
}

static bool lower_interp(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *op = l->op;
    const bool fermi = isa_set_of(c->p->variant) != SET_TESLA;
    const bool multiplies = fermi ? op->interp_mode == FINTERP_MUL || op->interp_mode == FINTERP_SC
                                  : op->src[1].file == FILE_R;
    const int number = fermi ? fermi_interp_number(c, l) : interp_number(c, op);
    if (number < 0)
        return false;
    const uint32_t at =
        (uint32_t)(offsetof(struct warp, native.varying) + (uint32_t)number * sizeof(u32x32));
    const int v = rows_get(&c->rows, VALUE_ROW, 0, at);
    if (multiplies)
        put_computed(c, op, l->dst,
                     fermi                          ? ST_gmul_ftz
                     : c->mode & MODE_MUL_ZERO_WINS ? ST_zmul
                                                    : ST_fmul,
                     (int[]){v, lower_source(c, op, 1, l), NO_VALUE}, true);
    else
        lower_put_moved(c, op, l->dst, v);
    return true;
}

bool lower_is_skipped(const struct linked_op *l) {
    return l->skipped || l->op->code == OP_NOP || l->op->code == OP_PMEVENT;
}

bool lower_is_truth(const struct lowering *c, const struct op *op) {
    return isa_set_of(c->p->variant) == SET_TESLA && op->cdst != NO_FLAGS_DST &&
           (op->code == OP_FSET || (op->code == OP_ISET && type_bits(op->type) == 32)) &&
           op->pred == PRED_ALWAYS && (op->dst.file == FILE_NONE || op->dst.file == FILE_NULL);
}

bool lower_has_lanes(const struct lowering *c, const struct op *op, uint8_t truths) {
    return isa_set_of(c->p->variant) != SET_TESLA || op->pred == PRED_ALWAYS ||
           truths >> (op->pred_reg & 3) & 1;
}

uint8_t lower_truths_after(const struct lowering *c, const struct op *op, uint8_t truths) {
    const uint8_t bit = op->cdst == NO_FLAGS_DST ? 0 : (uint8_t)(1u << (op->cdst & 3));
    return lower_is_truth(c, op) ? truths | bit : truths & (uint8_t)~bit;
}

bool lower_fits_strips(struct lowering *c, uint32_t word) {
    const struct op *op = &c->p->ops[word];
    const bool fermi = isa_set_of(c->p->variant) != SET_TESLA;
    if (op->cdst != NO_FLAGS_DST) {
        struct op plain = *op;
        plain.cdst = NO_FLAGS_DST;
        const enum stencil_id shape = shape_find(&plain, c->mode, c->p);
        return lower_is_truth(c, op) && lower_has_sources(op) && shape != ST_NONE &&
               c->e.set->strips[shape].hot;
    }
    if (op->code == OP_INTERP)
        return (fermi ? fermi_interp_number(c, &c->p->linked->op[word]) : interp_number(c, op)) >=
               0;
    if (fermi && !lower_fermi_is_row(op))
        return false;
    if (!lower_has_sources(op))
        return false;
    if (fermi && lower_fermi_is_steps(c, op))
        return true;
    if (is_move(c, op))
        return op->code == OP_ST || op->lane_mask4 == 15;
    const enum stencil_id shape = shape_find(op, c->mode, c->p);
    return shape != ST_NONE && c->e.set->strips[shape].hot && lower_has_dest(&op->dst);
}

static void call_handler(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    struct filling f = filled();
    uint32_t end;
    exec_fn *const burst = lower_burst(c, word, &end);
    assert(!c->rows.strips);
    rows_flush(&c->rows);
    if (burst)
        c->through = end;
    f.hole[HOLE_AT_FN] = (int64_t)(intptr_t)(burst ? burst : l->fn[c->simd]);
    f.hole[HOLE_AT_LINKED] = (int64_t)(intptr_t)l;
    emit_stencil(&c->e, c->lanes.code == PRED_ALWAYS ? ST_call : ST_call_if, &f);
    if (c->version == CODE_FULL) {
        c->called++;
        c->calls[l->op->code]++;
    }
}

void lower_instruction(struct lowering *c, uint32_t word) {
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *op = l->op;
    c->instructions += c->version == CODE_FULL;
    c->word = word;
    if (lower_is_skipped(l) || word < c->through)
        return;
    bool done;
    lower_lanes_of(c, op);
    if (isa_set_of(c->p->variant) != SET_TESLA) {
        done = op->code == OP_INTERP
                   ? lower_interp(c, word)
                   : lower_attributes(c, l) || lower_vertex_load(c, l) ||
                         lower_vertex_handle(c, l) || lower_move(c, l) ||
                         lower_constant_words(c, l) || lower_words(c, word) || lower_fermi(c, word);
    } else {
        done = op->code == OP_INTERP
                   ? lower_interp(c, word)
                   : lower_product(c, word) || lower_choice(c, word) || lower_move(c, l) ||
                         lower_address(c, l) || lower_carried(c, l) || lower_operation(c, word);
    }
    if (!done)
        call_handler(c, word);
    lower_close_slow_ways(c);
    note_flags_written(c, op);
    if (op->code == OP_LD_LOCK || op->code == OP_VOTE)
        c->lanes.stale = true;
    c->failed |= c->e.failed || c->saved.failed;
}
