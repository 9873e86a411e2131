/* Products of 32 bits as one step. Tesla multiplies halves, so compilers make such a product of four
 * instructions in a row: low by high, high by low added to it, that shifted up, low by low added. What
 * stands in the register between is made up for afterwards where anything may still look at it: it is
 * the product less that of the low halves.
 */
#include "shader/native/lower.h"

#include "shader/facts.h"

enum { LOOK_AHEAD = 16 }; /* instructions in which a register is sought that is written again */

/* ---- words known beforehand ---- */

static bool is_known(const struct lowering *c, uint32_t reg) {
    return reg < WARP_REGS && c->known.has[reg / 64] >> reg % 64 & 1;
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
    if (op->code >= OP_TEXAUTO && op->code <= OP_TEXGATHER)
        lower_know_nothing(c);
    if (op->dst.file != FILE_R && op->dst.file != FILE_RH)
        return;
    forget(c, l->dst, op->dst.file == FILE_R ? operand_registers(&op->dst) : 1);
    if (op->code == OP_MOV && op->dst.file == FILE_R && op->src[0].file == FILE_IMM &&
        op->pred == PRED_ALWAYS && op->lane_mask4 == 15 && l->dst < WARP_REGS &&
        operand_registers(&op->dst) == 1) {
        c->known.has[l->dst / 64] |= UINT64_C(1) << l->dst % 64;
        c->known.word[l->dst] = op->src[0].value;
    }
}

/* ---- factors ---- */

/* A half of a word: of a register, of c[] or an immediate, whose half is its value. */
struct half {
    uint8_t file, space;
    bool high;
    uint32_t at; /* row of warp.r, offset in c[space], the value */
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

/* Is h that half of the word that low is the low half of? */
static bool is_half(const struct lowering *c, const struct half *h, const struct half *low,
                    bool high) {
    if (h->file != FILE_IMM)
        return h->file == low->file && h->at == low->at && h->space == low->space &&
               h->high == high;
    if (low->file != FILE_RH || !is_known(c, low->at))
        return false;
    return (high ? c->known.word[low->at] >> 16 : c->known.word[low->at] & 0xffff) == h->at;
}

/* Are x and y halves of the words a and b: the high one of the one, the low one of the other? */
static bool is_cross(const struct lowering *c, const struct half *x, const struct half *y,
                     const struct half *a, const struct half *b) {
    return is_half(c, x, a, true) && is_half(c, y, b, false);
}

/* ---- the four instructions ---- */

struct product {
    const struct linked_op *l[4];
    struct half low[2]; /* the low halves of the factors */
    uint32_t last;      /* word of the last of the four */
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

/* Neither factor is in the row between. */
static bool is_apart(const struct half *h, uint32_t row) {
    return h->file != FILE_RH || h->at != row;
}

static bool find_product(const struct lowering *c, uint32_t word, struct product *f) {
    static const enum opcode codes[4] = {OP_IMUL, OP_IMAD, OP_SHL, OP_IMAD};
    const struct native_block *k = &c->blocks.block[c->block];
    for (int i = 0; i < 4; i++, word += f->l[i - 1]->op->words) {
        f->l[i] = &c->p->linked->op[word];
        f->last = word;
        if (word > k->last || !is_step(f->l[i], codes[i], f->l[0]->op))
            return false;
    }
    const uint32_t between = f->l[0]->dst;
    struct half x[2], y[2];
    for (int i = 0; i < 2; i++)
        if (!half_of(f->l[0], i, &x[i]) || !half_of(f->l[1], i, &y[i]) ||
            !half_of(f->l[3], i, &f->low[i]) || f->low[i].high || !is_apart(&f->low[i], between))
            return false;
    const struct half *a = &f->low[0], *b = &f->low[1];
    const bool first = is_cross(c, &x[0], &x[1], a, b) || is_cross(c, &x[1], &x[0], a, b);
    const bool second = is_cross(c, &x[0], &x[1], b, a) || is_cross(c, &x[1], &x[0], b, a);
    const bool cross = first ? is_cross(c, &y[0], &y[1], b, a) || is_cross(c, &y[1], &y[0], b, a)
                             : is_cross(c, &y[0], &y[1], a, b) || is_cross(c, &y[1], &y[0], a, b);
    return (first || second) && cross && f->l[1]->dst == between && adds(f->l[1], between) &&
           shifts_up(f->l[2], between) && adds(f->l[3], between);
}

/* Can neither fail nor call its handler, which might. */
static bool is_harmless(const struct lowering *c, const struct op *op) {
    for (int i = 0; i < 3; i++)
        if (op->src[i].areg || (op->src[i].file != FILE_NONE && op->src[i].file != FILE_R &&
                                op->src[i].file != FILE_RH && op->src[i].file != FILE_IMM &&
                                op->src[i].file != FILE_CONST))
            return false;
    return !op->exit && (op->dst.file == FILE_R || op->dst.file == FILE_RH) &&
           (op->code == OP_MOV || shape_find(op, c->mode, c->p) != ST_NONE);
}

static bool is_read(const struct linked_op *l, uint32_t row) {
    for (int i = 0; i < 3; i++)
        if (l->src[i] <= row && row < l->src[i] + operand_registers(&l->op->src[i]))
            return true;
    return false;
}

/* Is a row written again before anything reads it, or could find it? */
static bool is_dead(const struct lowering *c, uint32_t row, uint32_t word) {
    const struct native_block *k = &c->blocks.block[c->block];
    for (int n = 0; n < LOOK_AHEAD && word <= k->last; n++) {
        const struct linked_op *l = &c->p->linked->op[word];
        const struct op *op = l->op;
        if (!is_harmless(c, op) || is_read(l, row))
            return false;
        if (l->dst == row)
            return op->dst.file == FILE_R && op->pred == PRED_ALWAYS &&
                   (op->code != OP_MOV || op->lane_mask4 == 15);
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

/* The results: of the product, and unless it is dead of the sum before. */
static void put_in_registers(struct lowering *c, const struct product *f, const int both[3],
                             bool dead) {
    struct filling none = {.exit = {0}};
    const int all = rows_run(&c->rows, ST_product, both, &none);
    if (!dead) {
        const int low = rows_run(&c->rows, ST_imul_u16, both, &none);
        const int rest = rows_run(&c->rows, ST_i32_sub, (int[]){all, low, NO_VALUE}, &none);
        lower_put(c, &f->l[0]->op->dst, f->l[0]->dst, rest);
    }
    lower_put(c, &f->l[3]->op->dst, f->l[3]->dst, all);
}

static void put_in_memory(struct lowering *c, const struct product *f, const int both[3],
                          bool dead) {
    const bool masked = lower_is_masked(c);
    struct filling none = {.exit = {0}};
    const int32_t to = lower_row_at(f->l[3]->dst);
    if (dead) {
        rows_run_to(&c->rows, masked ? ST_product_m : ST_product, both, &none, to);
        return;
    }
    const int low = rows_run(&c->rows, ST_imul_u16, both, &none);
    const int all = rows_run(&c->rows, ST_product, both, &none);
    rows_run_to(&c->rows, masked ? ST_i32_sub_m : ST_i32_sub, (int[]){all, low, NO_VALUE}, &none,
                lower_row_at(f->l[0]->dst));
    rows_run_to(&c->rows, masked ? ST_copy_m : ST_copy, (int[]){all, NO_VALUE, NO_VALUE}, &none,
                to);
}

bool lower_product(struct lowering *c, uint32_t word) {
    struct product f;
    if (c->p->ops[word].code != OP_IMUL || !find_product(c, word, &f))
        return false;
    const int both[] = {factor(c, &f.low[0]), factor(c, &f.low[1]), NO_VALUE};
    const bool dead = f.l[3]->dst == f.l[0]->dst ||
                      is_dead(c, f.l[0]->dst, f.last + f.l[3]->op->words);
    c->through = f.last + 1;
    if (c->rows.registers)
        put_in_registers(c, &f, both, dead);
    else
        put_in_memory(c, &f, both, dead);
    return true;
}
