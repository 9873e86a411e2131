/* Finds the basic blocks of a program: see blocks.h. */
#include "shader/jit/blocks.h"

#include "shader/jit/steps.h"

#include <stdlib.h>

static bool is_control(unsigned code) {
    static const bool control[OPCODES] = {
#define X(code, name) [OP_##code] = true,
        JIT_CONTROL_LIST(X)
#undef X
    };
    return control[code];
}

enum { SPECIAL_CLOCK = 1 };

/* Reads the exact count of instructions, or traps. */
static bool needs_state(const struct op *op) {
    return (op->code == OP_MOV_FROM_SPECIAL && op->src[0].value == SPECIAL_CLOCK) ||
           ((op->code == OP_RED || op->code == OP_ATOM) && op->atomic == ATOMIC_TRAP);
}

enum op_kind jit_op_kind(const struct program *p, uint32_t word, enum simd_level simd) {
    const struct op *op = &p->ops[word];
    if (is_control(op->code))
        return op->exit ? KIND_STOP : KIND_CONTROL;
    return p->linked->op[word].fn[simd] && !needs_state(op) ? KIND_PLAIN : KIND_STOP;
}

/* ---- what can be reached ---- */

struct walk {
    const struct program *p;
    enum simd_level simd;
    uint8_t *reached, *leader; /* by word */
    uint32_t *todo, todo_count;
    struct jit_blocks *b;
};

static uint32_t word_of(const struct program *p, uint32_t pc) {
    return (pc - p->base) >> 2;
}

static void add_leader(struct walk *w, uint32_t word) {
    if (word >= w->p->word_count || w->leader[word])
        return;
    w->leader[word] = 1;
    w->todo[w->todo_count++] = word;
}

static bool has_target(const struct op *op) {
    return op->code == OP_BRA || op->code == OP_CALL || op->code == OP_PREBREAK ||
           op->code == OP_JOINAT || op->code == OP_PRERET;
}

static bool never_falls_through(const struct op *op) {
    return op->pred == PRED_ALWAYS &&
           (op->code == OP_BRA || op->code == OP_BREAK || op->code == OP_RET);
}

static void add_entry(struct walk *w, uint32_t word) {
    if (word < w->p->word_count)
        w->b->entry[w->b->entries++] = word;
    add_leader(w, word);
}

/* What follows the last instruction of a straight line. */
static void follow(struct walk *w, uint32_t at, enum op_kind kind) {
    const struct op *op = &w->p->ops[at];
    if (kind == KIND_STOP) { /* the interpreter comes back after a barrier or a quad section */
        if (op->code == OP_BAR || op->code == OP_QUADPOP)
            add_entry(w, at + op->words);
        return;
    }
    if (kind == KIND_CONTROL) {
        if (has_target(op))
            add_leader(w, word_of(w->p, op->target));
        if (!never_falls_through(op))
            add_leader(w, at + op->words);
        w->b->diverges |= op->pred != PRED_ALWAYS && op->code != OP_DISCARD;
    }
}

static void walk_from(struct walk *w, uint32_t at) {
    while (at < w->p->word_count && !w->reached[at]) {
        const struct op *op = &w->p->ops[at];
        const enum op_kind kind = jit_op_kind(w->p, at, w->simd);
        w->reached[at] = 1;
        if (op->join)
            w->leader[at] = 1;
        if (kind != KIND_PLAIN)
            follow(w, at, kind);
        if (kind != KIND_PLAIN || op->exit)
            return;
        at += op->words;
    }
    if (at < w->p->word_count)
        w->leader[at] = 1; /* the straight line runs into known code */
}

/* ---- blocks ---- */

static void make_block(struct walk *w, uint32_t first) {
    struct jit_blocks *b = w->b;
    struct jit_block *k = &b->block[b->count];
    uint32_t at = first;
    *k = (struct jit_block){.first = first, .last = first};
    b->of[first] = b->count++;
    while (at < w->p->word_count) {
        const enum op_kind kind = jit_op_kind(w->p, at, w->simd);
        if (kind == KIND_STOP)
            break;
        const struct op *op = &w->p->ops[at];
        k->last = at;
        k->count++;
        at += op->words;
        if (kind == KIND_CONTROL || op->exit || (at < w->p->word_count && w->leader[at]))
            break;
    }
    k->end = at;
}

/* ---- resuming ---- */

/* Lexically innermost stretch of joinat or prebreak to its target that holds `word`. */
static struct jit_resume innermost(const struct jit_blocks *b, const struct program *p,
                                   uint32_t word) {
    struct jit_resume best = {.from = 0, .to = b->words};
    for (uint32_t i = 0; i < b->count; i++) {
        const uint32_t at = b->block[i].last;
        const struct op *op = &p->ops[at];
        if (op->code != OP_JOINAT && op->code != OP_PREBREAK)
            continue;
        const uint32_t to = word_of(p, op->target);
        if (at < word && word < to && to - at < best.to - best.from)
            best = (struct jit_resume){.from = at, .to = to};
    }
    return best;
}

static void find_resumes(struct jit_blocks *b, const struct program *p) {
    for (uint32_t i = 0; i < b->count; i++) {
        const uint32_t at = b->block[i].last, next = b->block[i].end;
        const struct op *op = &p->ops[at];
        struct jit_resume r = {.from = 0, .to = b->words};
        switch (op->code) {
        case OP_BRA:
            if (op->pred == PRED_ALWAYS)
                continue;
            r = innermost(b, p, at);
            r.at = next;
            break;
        case OP_JOINAT:
        case OP_PREBREAK:
            r.at = word_of(p, op->target);
            if (r.at > at)
                r.from = at, r.to = r.at;
            break;
        case OP_CALL:
            r.at = next;
            break;
        case OP_PRERET:
            r.at = word_of(p, op->target);
            break;
        default:
            continue;
        }
        if (r.at < b->words && b->of[r.at] != NO_BLOCK)
            b->resume[b->resumes++] = r;
    }
}

static bool allocate(struct jit_blocks *b, struct walk *w, uint32_t words) {
    const size_t n = words ? words : 1;
    b->words = words;
    b->block = calloc(n, sizeof *b->block);
    b->of = malloc(n * sizeof *b->of);
    b->resume = calloc(n, sizeof *b->resume);
    b->entry = calloc(n + 1, sizeof *b->entry);
    w->reached = calloc(n, 1);
    w->leader = calloc(n, 1);
    w->todo = calloc(n, sizeof *w->todo);
    return b->block && b->of && b->resume && b->entry && w->reached && w->leader && w->todo;
}

bool jit_blocks_find(struct jit_blocks *b, const struct program *p, enum simd_level simd) {
    struct walk w = {.p = p, .simd = simd, .b = b};
    *b = (struct jit_blocks){0};
    const bool fine = allocate(b, &w, p->word_count);
    if (fine) {
        for (uint32_t i = 0; i < b->words; i++)
            b->of[i] = NO_BLOCK;
        add_entry(&w, word_of(p, p->entry));
        while (w.todo_count)
            walk_from(&w, w.todo[--w.todo_count]);
        for (uint32_t i = 0; i < b->words; i++)
            if (w.leader[i] && w.reached[i])
                make_block(&w, i);
        uint32_t instructions = 0;
        for (uint32_t i = 0; i < b->count; i++)
            instructions += b->block[i].count;
        b->too_large = instructions > JIT_MAX_INSTRUCTIONS;
        if (!b->too_large)
            find_resumes(b, p);
    }
    free(w.reached);
    free(w.leader);
    free(w.todo);
    return fine;
}

void jit_blocks_free(struct jit_blocks *b) {
    free(b->block);
    free(b->of);
    free(b->resume);
    free(b->entry);
    *b = (struct jit_blocks){0};
}
