/* Products of 32 bits as one step. Tesla multiplies halves, so compilers make such a product of
 * four consecutive instructions: low by high; the sum of this and high by low; the sum shifted up;
 * the product, which is the shifted sum plus low by low. If one factor is known to have no high
 * half, there are three instructions. One register takes the values between the instructions. After
 * the last instruction this register holds the shifted sum. If an instruction may read it, the
 * shifted sum is computed as the product minus (low by low).
 * The upper word of a product, which a division needs, is made of nine instructions. The sum of low
 * by high and high by low has 33 bits, and its carry goes to a $c. The sum shifted up is added to
 * low by low for a carry in another $c. Then four instructions make the upper 17 bits of the 33,
 * and high by high is added to them with the second carry.
 */
#include "shader/native/lower.h"

enum { LOOK_AHEAD = 64 }; /* instructions that are_dead() looks at */

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
    c->known.truths = 0;
}

/* True if op may write registers that op_writes() does not name. */
static bool may_write_others(const struct op *op) {
    return op_is_tesla_texture(op) ||
           (op_class(op) == CLASS_MEMORY && op->code != OP_LD && op->code != OP_ST);
}

void lower_note_words(struct lowering *c, const struct linked_op *l) {
    const struct op *op = l->op;
    const struct op_places out = op_writes(op);
    c->known.truths = lower_truths_after(c, op, c->known.truths);
    for (int k = 0; k < 2; k++)
        c->known.has[k] &= may_write_others(op) ? 0 : ~out.r[k];
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
    if (low->file == FILE_IMM)
        return h->at == (high ? 0 : low->at);
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
    return low->file == FILE_IMM ||
           (low->file == FILE_RH && is_known(c, low->at) && c->known.word[low->at] <= 0xffff);
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
    return !op->exit && !op->join &&
           (op->dst.file == FILE_R || op->dst.file == FILE_RH || op->dst.file == FILE_NULL) &&
           (op->code == OP_MOV || lower_is_carried(op) || shape_find(op, c->mode, c->p) != ST_NONE);
}

/* True if the registers and $c of `left` are overwritten before an instruction can read one of
 * them. */
static bool are_dead(const struct lowering *c, struct op_places left, uint32_t word) {
    const struct native_block *k = &c->blocks.block[c->block];
    for (int n = 0; n < LOOK_AHEAD && word <= k->last; n++) {
        const struct op *op = c->p->linked->op[word].op;
        const struct op_places in = op_reads(op), out = op_writes(op);
        if (!is_harmless(c, op) || (in.r[0] & left.r[0]) || (in.r[1] & left.r[1]) ||
            (in.c & left.c))
            return false;
        if (op_replaces(op)) {
            left.r[0] &= ~out.r[0];
            left.r[1] &= ~out.r[1];
            left.c &= (uint8_t)~out.c;
        }
        if (!(left.r[0] | left.r[1] | left.c))
            return true;
        word += op->words;
    }
    return false;
}

static bool is_dead(const struct lowering *c, uint32_t row, uint32_t word) {
    struct op_places row_only = {{0}, 0, 0};
    places_add_registers(&row_only, row, 1);
    return are_dead(c, row_only, word);
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

static bool lower_low_product(struct lowering *c, uint32_t word) {
    struct product f;
    if (!find_product(c, word, &f))
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

/* ---- the upper word ---- */

/* The content of a register after an instruction of the nine. */
enum between {
    BETWEEN_NOTHING, /* a value from before the nine */
    BETWEEN_CROSS,   /* low by high */
    BETWEEN_SUM,     /* low by high + high by low, 32 bits */
    BETWEEN_UP,      /* the sum << 16 */
    BETWEEN_DOWN,    /* the sum >> 16 */
    BETWEEN_ONE,     /* 0x10000, the carry of the sum >> 16 */
    BETWEEN_CARRIED, /* the sum of 33 bits >> 16; the carry is that of the $c */
};

enum { UPPER_OPS = 9, UPPER_ROWS = 6 };

struct upper {
    const struct linked_op *op[UPPER_OPS];
    struct half low[2]; /* the low halves of the factors */
    struct {
        uint32_t row;
        enum between is;
    } left[UPPER_ROWS];
    uint32_t rows;
    /* The sum of low by high and high by low sets no $c: the driver leaves it out where a factor is
     * an immediate. The carry that is added comes from an instruction before the nine. */
    bool stale;
    uint32_t next; /* the word behind the nine */
};

static enum between held(const struct upper *u, uint32_t row) {
    for (uint32_t i = 0; i < u->rows; i++)
        if (u->left[i].row == row)
            return u->left[i].is;
    return BETWEEN_NOTHING;
}

static bool holds(const struct upper *u, int op, int source, enum between is) {
    const struct operand *o = &u->op[op]->op->src[source];
    return o->file == FILE_R && !o->flags && held(u, u->op[op]->src[source]) == is;
}

/* Notes the destination of an instruction. False: the instruction overwrites a factor, or writes no
 * register. */
static bool hold(struct upper *u, int op, enum between is) {
    const uint32_t row = u->op[op]->dst;
    uint32_t i = 0;
    while (i < u->rows && u->left[i].row != row)
        i++;
    u->rows += i == u->rows;
    u->left[i].row = row;
    u->left[i].is = is;
    return u->op[op]->op->dst.file == FILE_R && row < WARP_REGS && is_apart(&u->low[0], row) &&
           is_apart(&u->low[1], row);
}

static bool is_immediate(const struct linked_op *l, int i, uint32_t value) {
    return l->op->src[i].file == FILE_IMM && l->op->src[i].value == value;
}

/* Collects nine instructions of the right kinds, with the right predicates and $c. */
static bool take_upper(const struct lowering *c, uint32_t word, struct upper *u) {
    static const uint8_t codes[UPPER_OPS] = {OP_IMUL, OP_IMAD, OP_SHL, OP_IMAD, OP_MOV,
                                             OP_SHR,  OP_IADD, OP_MOV, OP_IMAD};
    enum { CARRY = 0x11, NO_CARRY = 0x1e };
    *u = (struct upper){.next = word};
    for (int i = 0; i < UPPER_OPS; i++) {
        const struct linked_op *l = u->op[i] = &c->p->linked->op[u->next];
        const unsigned pred = i == 6 ? CARRY : i == 7 ? NO_CARRY : PRED_ALWAYS;
        if (u->next > c->blocks.block[c->block].last)
            return false;
        const struct op *op = l->op;
        if (op->code != codes[i] || l->skipped || op->pred != pred || op->high || op->sat ||
            op->exit || op->join || (i != 1 && (op->cdst != NO_FLAGS_DST) != (i == 3)) ||
            (op->add_kind != (i == 8 ? ADD_ADDC : ADD_ADD) && op->code != OP_MOV) ||
            (op->code == OP_MOV && op->lane_mask4 != 15))
            return false;
        u->next += op->words;
    }
    u->stale = u->op[1]->op->cdst == NO_FLAGS_DST;
    const unsigned first = u->op[6]->op->pred_reg & 3, second = u->op[3]->op->cdst & 3;
    return first != second && (u->stale || (u->op[1]->op->cdst & 3) == first) &&
           (u->op[7]->op->pred_reg & 3) == first && (u->op[8]->op->pred_reg & 3) == second;
}

/* True if the four multiplications take the halves that the upper word is made of. Notes the
 * factors. */
static bool multiplies_upper(const struct lowering *c, struct upper *u) {
    struct half x[2], y[2], high[2];
    if (!halves_of(u->op[3], u->low) || !halves_of(u->op[0], x) || !halves_of(u->op[1], y) ||
        !halves_of(u->op[8], high) || u->low[0].high || u->low[1].high)
        return false;
    const struct half *a = &u->low[0], *b = &u->low[1];
    return ((is_either(c, x, a, b) && is_either(c, y, b, a)) ||
            (is_either(c, x, b, a) && is_either(c, y, a, b))) &&
           ((is_half(c, &high[0], a, true) && is_half(c, &high[1], b, true)) ||
            (is_half(c, &high[0], b, true) && is_half(c, &high[1], a, true)));
}

static bool find_upper(const struct lowering *c, uint32_t word, struct upper *u) {
    return take_upper(c, word, u) && multiplies_upper(c, u) && hold(u, 0, BETWEEN_CROSS) &&
           holds(u, 1, 2, BETWEEN_CROSS) && u->op[1]->dst == u->op[0]->dst &&
           hold(u, 1, BETWEEN_SUM) && holds(u, 2, 0, BETWEEN_SUM) &&
           is_immediate(u->op[2], 1, 16) && hold(u, 2, BETWEEN_UP) && holds(u, 3, 2, BETWEEN_UP) &&
           u->op[3]->op->dst.file == FILE_NULL && is_immediate(u->op[4], 0, 0x10000) &&
           hold(u, 4, BETWEEN_ONE) && holds(u, 5, 0, BETWEEN_SUM) &&
           is_immediate(u->op[5], 1, 16) && u->op[5]->op->type == TYPE_U32 &&
           hold(u, 5, BETWEEN_DOWN) &&
           ((holds(u, 6, 0, BETWEEN_DOWN) && holds(u, 6, 1, BETWEEN_ONE)) ||
            (holds(u, 6, 1, BETWEEN_DOWN) && holds(u, 6, 0, BETWEEN_ONE))) &&
           holds(u, 7, 0, BETWEEN_DOWN) && u->op[7]->dst == u->op[6]->dst &&
           hold(u, 7, BETWEEN_CARRIED) && holds(u, 8, 2, BETWEEN_CARRIED) &&
           u->op[8]->op->dst.file == FILE_R && u->op[8]->dst < WARP_REGS;
}

/* The word behind the nine instructions at a word if they can be one step: nothing reads their $c
 * afterwards. 0: they cannot. */
static uint32_t upper_end(const struct lowering *c, uint32_t word, struct upper *u) {
    struct op_places flags = {{0}, 0, 0};
    if (!find_upper(c, word, u))
        return 0;
    for (int i = u->stale ? 3 : 1; i <= 3; i += 2)
        flags.c |= (uint8_t)(1u << (u->op[i]->op->cdst & 3));
    return are_dead(c, flags, u->next) ? u->next : 0;
}

uint32_t lower_upper_product_end(const struct lowering *c, uint32_t word) {
    struct upper u;
    return c->p->ops[word].code == OP_IMUL ? upper_end(c, word, &u) : 0;
}

/* Runs a stencil on two values and writes the result to a register. Ends the use of all values. */
static void put_step(struct lowering *c, const struct linked_op *l, enum stencil_id id, int a,
                     int b) {
    struct filling none = filled();
    const int v[] = {a, b, NO_VALUE};
    if (c->rows.registers)
        lower_put(c, &l->op->dst, l->dst, rows_run(&c->rows, id, v, &none));
    else if (!lower_is_masked(c))
        rows_run_to(&c->rows, id, v, &none, lower_row_at(l->dst));
    else
        rows_run_to(&c->rows, ST_copy_m,
                    (int[]){rows_run(&c->rows, id, v, &none), NO_VALUE, NO_VALUE}, &none,
                    lower_row_at(l->dst));
    rows_release(&c->rows);
}

/* Makes a value: the carry of the $c, << 16. */
static int stale_carry(struct lowering *c, const struct upper *u) {
    struct filling f = filled();
    const int carry = lower_carry(c, u->op[6]->op->pred_reg);
    return rows_run(&c->rows, ST_shl,
                    (int[]){carry, rows_get(&c->rows, VALUE_IMM, 0, 16), NO_VALUE}, &f);
}

/* Writes the value that instruction l of the nine left in its register. */
static void put_between(struct lowering *c, const struct upper *u, const struct linked_op *l) {
    const enum between is = held(u, l->dst);
    struct filling none = filled();
    if (is == BETWEEN_ONE) {
        lower_put_moved(c, l->op, l->dst, rows_get(&c->rows, VALUE_IMM, 0, 0x10000));
        rows_release(&c->rows);
        return;
    }
    const int a = factor(c, &u->low[0]), b = factor(c, &u->low[1]);
    if (is == BETWEEN_CARRIED && u->stale) {
        const int sum = rows_run(&c->rows, ST_product_cross, (int[]){a, b, NO_VALUE}, &none);
        const int down =
            rows_run(&c->rows, ST_shr_u32,
                     (int[]){sum, rows_get(&c->rows, VALUE_IMM, 0, 16), NO_VALUE}, &none);
        put_step(c, l, ST_i32_add, down, stale_carry(c, u));
    } else if (is == BETWEEN_CARRIED) {
        put_step(c, l, ST_product_carried, a, b);
    } else if (is == BETWEEN_SUM) {
        put_step(c, l, ST_product_cross, a, b);
    } else {
        const int sum = rows_run(&c->rows, ST_product_cross, (int[]){a, b, NO_VALUE}, &none);
        put_step(c, l, is == BETWEEN_UP ? ST_shl : ST_shr_u32, sum,
                 rows_get(&c->rows, VALUE_IMM, 0, 16));
    }
}

/* True if instruction i of the nine is the last one to write its register, and an instruction
 * behind the nine may read the register. */
static bool is_left(const struct lowering *c, const struct upper *u, int i) {
    const uint32_t row = u->op[i]->dst;
    for (int k = i + 1; k < UPPER_OPS; k++)
        if (u->op[k]->op->dst.file == FILE_R && u->op[k]->dst == row)
            return false;
    return u->op[i]->op->dst.file == FILE_R && !is_dead(c, row, u->next);
}

static bool lower_upper_product(struct lowering *c, uint32_t word) {
    struct upper u;
    if (!upper_end(c, word, &u))
        return false;
    c->through = u.next;
    for (int i = 0; i < UPPER_OPS - 1; i++)
        if (is_left(c, &u, i))
            put_between(c, &u, u.op[i]);
    const int a = factor(c, &u.low[0]), b = factor(c, &u.low[1]);
    const struct linked_op *const last = u.op[UPPER_OPS - 1];
    struct filling none = filled();
    if (u.stale)
        put_step(c, last, ST_i32_add,
                 rows_run(&c->rows, ST_product_uncarried, (int[]){a, b, NO_VALUE}, &none),
                 stale_carry(c, &u));
    else
        put_step(c, last, ST_product_upper, a, b);
    return true;
}

bool lower_product(struct lowering *c, uint32_t word) {
    return c->p->ops[word].code == OP_IMUL &&
           (lower_upper_product(c, word) || lower_low_product(c, word));
}
