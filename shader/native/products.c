/* Products of 32 bits as one step. Tesla multiplies halves, so compilers make such a product of
 * four consecutive instructions: low by high; high by low added to that; the sum shifted up; low by
 * low added. If one factor is known to have no high half, there are three instructions. One register
 * takes the sums between the instructions. After the last instruction it holds the product minus (low by
 * low); that value is computed afterwards if an instruction may read it.
 */
#include "shader/native/lower.h"

enum { LOOK_AHEAD = 16 }; /* instructions that is_dead() looks at */

/* ---- words known beforehand ---- */

static bool is_known(const struct lowering *c, uint32_t reg) {
    return reg < WARP_REGS && c->known.has[reg / 64] >> reg % 64 & 1;
}

bool lower_knows_word(const struct lowering *c, uint32_t reg, uint32_t *word) {
    if (is_known(c, reg))
        *word = c->known.word[reg];
    return is_known(c, reg);
}

void lower_know_nothing(struct lowering *c) {
    c->known.has[0] = c->known.has[1] = 0;
}

static void forget(struct lowering *c, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count && i < WARP_REGS; i++)
        c->known.has[i / 64] &= ~(UINT64_C(1) << i % 64);
}

void lower_note_words(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    if (op_is_tesla_texture(op))
        lower_know_nothing(c);
    if (op->dst.file != FILE_R && op->dst.file != FILE_RH)
        return;
    forget(c, l->dst, op->dst.file == FILE_R ? operand_registers(&op->dst) : 1);
    if (op->code == OP_MOV && op->dst.file == FILE_R && op->src[0].file == FILE_IMM &&
        op_replaces(op) && l->dst < WARP_REGS && operand_registers(&op->dst) == 1) {
        c->known.has[l->dst / 64] |= UINT64_C(1) << l->dst % 64;
        c->known.word[l->dst] = op->src[0].value;
    }
}

/* ---- factors ---- */

/* A half of a word: of a register or of c[]; or an immediate, whose value is the half. */
struct half {
    uint8_t file, space;
    bool high;
    uint32_t at; /* row of warp.r, offset in c[space], or the immediate's value */
};

static bool half_of(const struct linked_op *l, int i, struct half *h) {
    const struct operand *o = &l->op->src[i];
    *h = (struct half){.file = o->file};
    if (o->type != TYPE_U16 || o->flags || o->areg)
        return false;
    switch (o->file) {
    case FILE_IMM:
        h->at = o->value & 0xffff;
        return true;
    case FILE_RH:
        h->high = o->value & 1;
        h->at = l->src[i];
        return h->at < WARP_REGS;
    case FILE_CONST:
        h->high = o->value & 2;
        h->at = o->value & 0xfffc;
        h->space = o->index;
        return o->mem == TYPE_U16 || o->mem == TYPE_B16;
    default:
        return false;
    }
}

/* True if h is the high (or low) half of the word whose low half is `low`. */
static bool is_half(const struct lowering *c, const struct half *h, const struct half *low,
                    bool high) {
    if (h->file != FILE_IMM)
        return h->file == low->file && h->at == low->at && h->space == low->space &&
               h->high == high;
    if (low->file != FILE_RH || !is_known(c, low->at))
        return false;
    return (high ? c->known.word[low->at] >> 16 : c->known.word[low->at] & 0xffff) == h->at;
}

/* a and b are low halves of two words. True if x is the high half of a's word, and y is b. */
static bool is_cross(const struct lowering *c, const struct half *x, const struct half *y,
                     const struct half *a, const struct half *b) {
    return is_half(c, x, a, true) && is_half(c, y, b, false);
}

/* True if the high half of the word with the low half `low` is known to be 0. */
static bool is_small(const struct lowering *c, const struct half *low) {
    return low->file == FILE_RH && is_known(c, low->at) && c->known.word[low->at] <= 0xffff;
}

/* ---- the instructions ---- */

struct product {
    /* second: NULL if the product has three instructions */
    const struct linked_op *first, *second, *shift, *last;
    struct half low[2]; /* the low halves of the factors */
    uint32_t next;      /* the word behind the product */
};

static bool is_step(const struct linked_op *l, enum opcode code, const struct op *like) {
    const struct op *op = l->op;
    return op->code == code && !l->skipped && op->cdst == NO_FLAGS_DST && op->pred == like->pred &&
           op->pred_reg == like->pred_reg && op->dst.file == FILE_R && !op->high && !op->sat &&
           !op->exit && !op->join;
}

static bool adds(const struct linked_op *l, uint32_t row) {
    const struct operand *o = &l->op->src[2];
    return l->op->add_kind == ADD_ADD && o->file == FILE_R && !o->flags && l->src[2] == row;
}

static bool shifts_up(const struct linked_op *l, uint32_t row) {
    const struct operand *o = l->op->src;
    return l->op->type == TYPE_B32 && o[0].file == FILE_R && !o[0].flags && l->src[0] == row &&
           l->dst == row && o[1].file == FILE_IMM && o[1].value == 16;
}

/* True if the factor is not in `row`, the register between the instructions. */
static bool is_apart(const struct half *h, uint32_t row) {
    return h->file != FILE_RH || h->at != row;
}

static const struct linked_op *take(const struct lowering *c, struct product *f, enum opcode code) {
    const struct linked_op *l = &c->p->linked->op[f->next];
    if (f->next > c->blocks.block[c->block].last || !is_step(l, code, f->first->op))
        return NULL;
    f->next += l->op->words;
    return l;
}

static bool halves_of(const struct linked_op *l, struct half h[2]) {
    return half_of(l, 0, &h[0]) && half_of(l, 1, &h[1]);
}

/* True if the halves h are the high half of a's word and the low half of b's, in either order. */
static bool is_either(const struct lowering *c, const struct half h[2], const struct half *a,
                      const struct half *b) {
    return is_cross(c, &h[0], &h[1], a, b) || is_cross(c, &h[1], &h[0], a, b);
}

static bool find_product(const struct lowering *c, uint32_t word, struct product *f) {
    *f = (struct product){.first = &c->p->linked->op[word], .next = word};
    if (!take(c, f, OP_IMUL))
        return false;
    f->second = take(c, f, OP_IMAD);
    f->shift = take(c, f, OP_SHL);
    f->last = f->shift ? take(c, f, OP_IMAD) : NULL;
    const uint32_t between = f->first->dst;
    struct half x[2], y[2];
    if (!f->last || !halves_of(f->first, x) || !halves_of(f->last, f->low) || f->low[0].high ||
        f->low[1].high || !is_apart(&f->low[0], between) || !is_apart(&f->low[1], between) ||
        !shifts_up(f->shift, between) || !adds(f->last, between))
        return false;
    const struct half *a = &f->low[0], *b = &f->low[1];
    if (!f->second)
        return (is_small(c, b) && is_either(c, x, a, b)) ||
               (is_small(c, a) && is_either(c, x, b, a));
    return f->second->dst == between && adds(f->second, between) && halves_of(f->second, y) &&
           ((is_either(c, x, a, b) && is_either(c, y, b, a)) ||
            (is_either(c, x, b, a) && is_either(c, y, a, b)));
}

/* True if op is one step that can neither fail nor call a handler (a handler might fail). */
static bool is_harmless(const struct lowering *c, const struct op *op) {
    for (int i = 0; i < 3; i++)
        if (op->src[i].areg || (op->src[i].file != FILE_NONE && op->src[i].file != FILE_R &&
                                op->src[i].file != FILE_RH && op->src[i].file != FILE_IMM &&
                                op->src[i].file != FILE_CONST))
            return false;
    return !op->exit && !op->join && (op->dst.file == FILE_R || op->dst.file == FILE_RH) &&
           (op->code == OP_MOV || shape_find(op, c->mode, c->p) != ST_NONE);
}

static bool is_read(const struct linked_op *l, uint32_t row) {
    for (int i = 0; i < 3; i++)
        if (l->src[i] <= row && row < l->src[i] + operand_registers(&l->op->src[i]))
            return true;
    return false;
}

/* True if the register is overwritten before an instruction can read it. */
static bool is_dead(const struct lowering *c, uint32_t row, uint32_t word) {
    const struct native_block *k = &c->blocks.block[c->block];
    for (int n = 0; n < LOOK_AHEAD && word <= k->last; n++) {
        const struct linked_op *l = &c->p->linked->op[word];
        const struct op *op = l->op;
        if (!is_harmless(c, op) || is_read(l, row))
            return false;
        if (l->dst == row)
            return op_replaces(op);
        word += op->words;
    }
    return false;
}

/* ---- as one ---- */

static int factor(struct lowering *c, const struct half *low) {
    const struct operand o = {.file = low->file == FILE_RH ? FILE_R : low->file,
                              .type = TYPE_U32,
                              .mem = TYPE_U32,
                              .index = low->space,
                              .value = low->at};
    return lower_plain_source(c, &o, low->at);
}

/* Writes the results: the product, and the register between the instructions unless it is dead. */
static void put_in_registers(struct lowering *c, const struct product *f, const int both[3],
                             bool dead) {
    struct filling none = {.exit = {0}};
    const int all = rows_run(&c->rows, ST_product, both, &none);
    if (!dead) {
        const int low = rows_run(&c->rows, ST_imul_u16, both, &none);
        const int rest = rows_run(&c->rows, ST_i32_sub, (int[]){all, low, NO_VALUE}, &none);
        lower_put(c, &f->first->op->dst, f->first->dst, rest);
    }
    lower_put(c, &f->last->op->dst, f->last->dst, all);
}

static void put_in_memory(struct lowering *c, const struct product *f, const int both[3],
                          bool dead) {
    const bool masked = lower_is_masked(c);
    struct filling none = {.exit = {0}};
    const int32_t to = lower_row_at(f->last->dst);
    if (dead) {
        rows_run_to(&c->rows, masked ? ST_product_m : ST_product, both, &none, to);
        return;
    }
    const int low = rows_run(&c->rows, ST_imul_u16, both, &none);
    const int all = rows_run(&c->rows, ST_product, both, &none);
    rows_run_to(&c->rows, masked ? ST_i32_sub_m : ST_i32_sub, (int[]){all, low, NO_VALUE}, &none,
                lower_row_at(f->first->dst));
    rows_run_to(&c->rows, masked ? ST_copy_m : ST_copy, (int[]){all, NO_VALUE, NO_VALUE}, &none,
                to);
}

bool lower_product(struct lowering *c, uint32_t word) {
    struct product f;
    if (c->p->ops[word].code != OP_IMUL || !find_product(c, word, &f))
        return false;
    const int both[] = {factor(c, &f.low[0]), factor(c, &f.low[1]), NO_VALUE};
    const bool dead = f.last->dst == f.first->dst || is_dead(c, f.first->dst, f.next);
    c->through = f.next;
    if (c->rows.registers)
        put_in_registers(c, &f, both, dead);
    else
        put_in_memory(c, &f, both, dead);
    return true;
}
