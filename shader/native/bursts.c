/* Fermi's loads and stores, and loops that wait for a lock of s[]. A compiler turns the access of a
 * vector into several instructions with neighbouring addresses: a burst. One stencil or one handler
 * (exec_fermi_memory.c) executes all instructions of a burst. In: the program word of the first
 * instruction. Out: a handler, or steps, and the program word behind the burst. Must not know how
 * memory is accessed.
 */
#include "shader/fermi.h"
#include "shader/native/lower.h"

static const struct operand *memory_of(const struct op *op) {
    return op->code == OP_LD ? &op->src[0] : &op->dst;
}

/* True if op accesses the next word of a burst: same base, lanes and kind. */
static bool continues(const struct op *first, const struct op *op, uint32_t number) {
    const struct operand *a = memory_of(first), *b = memory_of(op);
    const struct operand *data = op->code == OP_LD ? &op->dst : &op->src[0];
    return op->code == first->code && b->file == a->file && b->mem == a->mem &&
           b->flags == a->flags && b->areg == a->areg && b->value == a->value + 4 * number &&
           op->guard == first->guard && !op->join && data->file == FILE_R;
}

static bool replaces_base(const struct op *op) {
    const struct operand *o = memory_of(op);
    return op->code == OP_LD &&
           (op->dst.value == o->areg || (o->flags & OPERAND_WIDE && op->dst.value == o->areg + 1u));
}

/* Returns the number of instructions of the burst that begins at a program word, at least 1. *end:
 * the program word behind the burst. A load that replaces the base is the last of its burst. */
static uint32_t find_burst(const struct lowering *c, uint32_t word, uint32_t *end) {
    const struct linked_op *l = &c->p->linked->op[word];
    const struct op *first = l->op, *op = first;
    uint32_t n = 1;
    *end = word + first->words;
    while (n < FERMI_BURST && *end <= c->blocks.block[c->block].last && !replaces_base(op)) {
        l = &c->p->linked->op[*end];
        op = l->op;
        if (l->skipped || !continues(first, op, n))
            break;
        *end += op->words;
        n++;
    }
    return n;
}

static bool may_begin(const struct lowering *c, const struct op *op) {
    return (op->code == OP_LD || op->code == OP_ST) && !op->join &&
           isa_set_of(c->p->variant) == SET_FERMI;
}

exec_fn *lower_burst(const struct lowering *c, uint32_t word, uint32_t *end) {
    SIMD_CHOICE(bursts, exec_fermi_burst);
    const struct op *op = &c->p->ops[word];
    return may_begin(c, op) ? bursts[c->simd](op, find_burst(c, word, end)) : NULL;
}

/* ---- loads and stores by stencils ---- */

/* The data words that one instruction or a burst loads or stores. */
struct words {
    exec_fn *handler; /* of the whole burst, for its slow way; NULL: the instruction's own */
    /* align: bytes; end: the program word behind the instructions */
    uint32_t count, align, end;
    uint32_t row[FERMI_BURST]; /* rows of the data */
};

static uint32_t row_of(const struct lowering *c, uint32_t n, bool written) {
    const uint32_t limit = c->p->header.reg_count;
    return n < limit && n < WARP_REGS ? n : written ? WARP_REGS + 1 : WARP_REGS;
}

static uint32_t data_row(const struct lowering *c, const struct op *op, uint32_t k) {
    const bool load = op->code == OP_LD;
    return row_of(c, (load ? op->dst.value : op->src[0].value) + k, load);
}

static void find_words(const struct lowering *c, uint32_t word, struct words *w) {
    const struct op *op = &c->p->ops[word];
    const unsigned mem = memory_of(op)->mem, count = mem == TYPE_B96 ? 3 : type_bytes(mem) / 4;
    *w = (struct words){.align = count == 3 ? 4 : 4 * count, .end = word + op->words};
    if (count == 1 && may_begin(c, op) && fermi_accesses_words(op))
        w->handler = lower_burst(c, word, &w->end);
    for (; w->count < count; w->count++)
        w->row[w->count] = data_row(c, op, w->count);
    for (uint32_t at = word + op->words; at < w->end; at += c->p->ops[at].words)
        w->row[w->count++] = data_row(c, &c->p->ops[at], 0);
}

static int base_of(struct lowering *c, uint32_t n) {
    const struct operand o = {.file = FILE_R, .type = TYPE_B32, .value = n};
    return lower_plain_source(c, &o, row_of(c, n, false));
}

/* Accesses several words by one stencil; their rows are in memory. */
static void access_words(struct lowering *c, enum stencil_id id, bool load, const int base[3],
                         struct filling *f, const struct words *w) {
    static const enum hole hole[FERMI_BURST] = {HOLE_AT_D, HOLE_AT_D1, HOLE_AT_D2, HOLE_AT_D3};
    for (uint32_t k = 0; k < w->count; k++) {
        f->hole[hole[k]] = lower_row_at(w->row[k]);
        if (!load || lower_is_masked(c))
            rows_write_back(&c->rows, (uint32_t)lower_row_at(w->row[k]));
    }
    rows_prepare(&c->rows, id);
    f->hole[HOLE_AT_FLAGS] = w->align;
    f->exit[EXIT_SLOW] = lower_open_slow_way(c, w->handler);
    rows_run_only(&c->rows, id, base, f);
    for (uint32_t k = 0; load && k < w->count; k++)
        rows_drop(&c->rows, (uint32_t)lower_row_at(w->row[k]));
}

static void load_word(struct lowering *c, enum stencil_id id, const int base[3], struct filling *f,
                      uint32_t row) {
    const struct op one = {.dst = {.file = FILE_R, .type = TYPE_B32}};
    const int v = rows_begin_step(&c->rows, id);
    f->exit[EXIT_SLOW] = lower_open_slow_way(c, NULL);
    rows_end_step(&c->rows, id, base, f, v);
    lower_put_moved(c, &one, row, v);
}

/* True for a load of words of c[] at a base register, within one bank. */
static bool loads_constants(const struct op *op) {
    const struct operand *o = &op->src[0];
    return op->code == OP_LD && o->file == FILE_CONST && o->flags & OPERAND_BASED &&
           !(o->flags & OPERAND_WIDE) && op->dst.file == FILE_R && o->index < 16 &&
           (o->mem == TYPE_B96 || type_bytes(o->mem) >= 4) && !fermi_const_runs_on(op);
}

static enum stencil_id access_stencil(const struct lowering *c, const struct op *op,
                                      uint32_t words) {
    static const enum stencil_id loads[3][FERMI_BURST] = {
        {ST_shared_load, ST_shared_load_2, ST_shared_load_3, ST_shared_load_4},
        {ST_global_load, ST_global_load_2, ST_global_load_3, ST_global_load_4},
        {ST_const_load, ST_const_load_2, ST_const_load_3, ST_const_load_4}};
    static const enum stencil_id stores[2][FERMI_BURST] = {
        {ST_shared_store, ST_shared_store_2, ST_NONE, ST_shared_store_4},
        {ST_global_store, ST_global_store_2, ST_NONE, ST_global_store_4}};
    const bool load = op->code == OP_LD, global = memory_of(op)->file == FILE_GLOBAL;
    if (loads_constants(op))
        return loads[2][words - 1];
    return global || c->p->type == PROGRAM_CP ? (load ? loads : stores)[global][words - 1]
                                              : ST_NONE;
}

bool lower_words(struct lowering *c, uint32_t word) {
    const struct linked_op *linked = &c->p->linked->op[word];
    const struct op *op = linked->op;
    const bool load = op->code == OP_LD;
    if ((!load && op->code != OP_ST) || isa_set_of(c->p->variant) != SET_FERMI ||
        !c->e.stencil[ST_shared_load].hot || !(fermi_accesses_words(op) || loads_constants(op)))
        return false;
    const struct operand *o = memory_of(op);
    const bool global = o->file == FILE_GLOBAL;
    struct filling f = filled();
    struct words w;
    find_words(c, word, &w);
    const enum stencil_id id = access_stencil(c, op, w.count);
    if (id == ST_NONE)
        return false;
    const int base[3] = {base_of(c, o->areg), global ? base_of(c, o->areg + 1u) : NO_VALUE,
                         NO_VALUE};
    if (o->file == FILE_SHARED && c->code->need.shared < 4)
        c->code->need.shared = 4; /* s[] exists */
    f.hole[HOLE_AT_AT] = (int32_t)o->value;
    f.hole[HOLE_AT_VIEW] =
        o->file == FILE_CONST
            ? (int64_t)(offsetof(struct warp_env, c) + o->index * sizeof(struct const_view))
            : (int64_t)(offsetof(struct warp, fermi.hint) +
                        WARP_HINT(linked->next) * sizeof(struct memory_hint));
    if (load && w.count == 1)
        load_word(c, id, base, &f, w.row[0]);
    else
        access_words(c, id, load, base, &f, &w);
    c->through = w.end;
    return true;
}

/* ---- loops that wait for locks of s[] ---- */

/* True if one of the written registers is the base of an address. */
static bool writes_base(const struct operand *o, const struct op_places *written) {
    return o->flags & OPERAND_BASED && written->r[o->areg / 64 & 1] >> o->areg % 64 & 1;
}

/* True if op is executed only in the lanes that hold the lock, takes no other lock, and changes
 * neither the lock's predicate nor its address. */
static bool is_inside(const struct lowering *c, uint32_t word, const struct op *lock) {
    const struct op *op = &c->p->ops[word];
    const struct op_places written = op_writes(op);
    const uint8_t p = lock->pdst[0];
    const bool keeps = !writes_base(&lock->src[0], &written);
    return op->code != OP_LD_LOCK && op->code != OP_WRITE_FLAGS && op->guard == p && !op->join &&
           !op->exit && op->pdst[0] != p && op->pdst[1] != p && keeps &&
           type_bytes(op->dst.type) <= 4;
}

static bool is_word(const struct operand *o) {
    return o->file == FILE_SHARED && type_bytes(o->mem) == 4 && !(o->flags & OPERAND_WIDE);
}

static bool begins_lock_loop(const struct op *op) {
    const struct op_places written = op_writes(op);
    return op->code == OP_LD_LOCK && op->guard == PRED_TRUE && !op->join && is_word(&op->src[0]) &&
           op->dst.file == FILE_R && !writes_base(&op->src[0], &written) && op->pdst[0] < PRED_TRUE;
}

static bool ends_lock_loop(const struct lowering *c, const struct native_block *k, uint32_t word,
                           const struct op *lock) {
    const struct op *st = &c->p->ops[word], *bra = &c->p->ops[k->last];
    const struct op *join = &c->p->ops[k->end];
    return word + st->words == k->last && is_word(&st->dst) && st->dst.areg == lock->src[0].areg &&
           st->dst.value == lock->src[0].value && st->src[0].file == FILE_R &&
           !((st->dst.flags ^ lock->src[0].flags) & OPERAND_BASED) && bra->code == OP_BRA &&
           bra->guard == (lock->pdst[0] | PRED_NOT) && bra->pred == PRED_ALWAYS &&
           program_word(c->p, bra->target) == k->first && k->end < c->p->word_count &&
           join->code == OP_NOP && join->join && join->guard == PRED_TRUE;
}

static bool is_lock_loop(const struct lowering *c, const struct native_block *k) {
    const struct op *lock = &c->p->ops[k->first];
    if (!k->count || isa_set_of(c->p->variant) != SET_FERMI || !begins_lock_loop(lock))
        return false;
    uint32_t at = k->first + lock->words;
    while (at < k->last && is_inside(c, at, lock) && c->p->ops[at].code != OP_ST_UNLOCK &&
           op_kind(c->p, at, c->simd) == KIND_PLAIN)
        at += c->p->ops[at].words;
    return at < k->last && c->p->ops[at].code == OP_ST_UNLOCK && is_inside(c, at, lock) &&
           ends_lock_loop(c, k, at, lock);
}

bool lower_lock_loop(struct lowering *c, const struct native_block *k, struct filling *f) {
    SIMD_CHOICE(run, exec_fermi_lock_loop);
    if (!is_lock_loop(c, k))
        return false;
    f->hole[HOLE_AT_FN] = (int64_t)(intptr_t)run[c->simd];
    f->hole[HOLE_AT_LINKED] = (int64_t)(intptr_t)&c->p->linked->op[k->first];
    f->hole[HOLE_AT_AT] = k->count;
    return true;
}
