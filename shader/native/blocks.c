/* Finds the basic blocks of a program: see blocks.h. First it finds the words that a warp can reach
 * and those that start a block (leaders); then it cuts the blocks.
 */
#include "shader/native/blocks.h"

#include "shader/native/machine_code.h"

#include <stdlib.h>

/* ---- reachable code ---- */

struct walk {
    const struct program *p;
    enum simd_level simd;
    uint8_t *reached, *leader, *resumed; /* by word */
    uint32_t *branch;                    /* by word: 1 + the last branch to it, or 0 */
    uint32_t *todo, todo_count;
    bool indirect; /* there are indirect branches or calls */
    struct native_blocks *b;
};

static void add_leader(struct walk *w, uint32_t word) {
    if (word >= w->p->word_count || w->leader[word])
        return;
    w->leader[word] = 1;
    w->todo[w->todo_count++] = word;
}

static bool never_falls_through(const struct op *op) {
    return !op_is_conditional(op) && op_has(op, TRAIT_LEAVES);
}

/* Adds the words at which a warp can continue after a control instruction or one of KIND_STOP. */
static void follow(struct walk *w, uint32_t at, enum op_kind kind) {
    const struct op *op = &w->p->ops[at];
    /* native code goes on after the interpreter has executed the instruction, unless the
     * instruction ends the warp */
    if (kind == KIND_STOP) {
        w->indirect |= op->code == OP_BRA_INDIRECT || op->code == OP_CALL_INDIRECT ||
                       op->code == OP_PUSH_INDIRECT;
        if (op->code != OP_TRAP && op->code != OP_ILLEGAL)
            add_leader(w, at + op->words);
        return;
    }
    if (op_has(op, TRAIT_TARGET)) {
        const uint32_t to = program_word(w->p, op->target);
        add_leader(w, to);
        if (op->code != OP_BRA && to < w->p->word_count)
            w->resumed[to] = 1;
        if (op->code == OP_BRA && to < w->p->word_count && w->branch[to] <= at)
            w->branch[to] = at + 1;
    }
    if (!never_falls_through(op))
        add_leader(w, at + op->words);
}

/* True if the active lanes can change at an instruction that ends a block. */
static bool divides(const struct program *p, uint32_t at, enum op_kind kind) {
    const struct op *op = &p->ops[at];
    if (joins_some(p, at))
        return true;
    if (kind == KIND_STOP)
        return native_control(p->variant, op->code) || op->exit || op->code == OP_PUSH_INDIRECT ||
               op->code == OP_BRA_INDIRECT || op->code == OP_QUADON;
    return kind == KIND_CONTROL && ((op_is_conditional(op) && op->code != OP_DISCARD) ||
                                    op->code == OP_QUADON || op->code == OP_QUADPOP);
}

static void walk_from(struct walk *w, uint32_t at) {
    while (at < w->p->word_count && !w->reached[at]) {
        const struct op *op = &w->p->ops[at];
        const enum op_kind kind = op_kind(w->p, at, w->simd);
        w->reached[at] = 1;
        w->leader[at] |= op->join && joins_before(w->p);
        if (kind != KIND_PLAIN) {
            follow(w, at, kind);
            return;
        }
        if (joins_some(w->p, at))
            add_leader(w, at + op->words);
        if (op->exit || ends_in_join(w->p, at))
            return;
        at += op->words;
    }
    if (at < w->p->word_count)
        w->leader[at] = 1; /* the straight line runs into words that were reached before */
}

/* ---- blocks ---- */

static void make_block(struct walk *w, uint32_t first) {
    struct native_blocks *b = w->b;
    struct native_block *k = &b->block[b->count];
    uint32_t at = first;
    *k = (struct native_block){.first = first, .last = first, .jumped = w->branch[first] != 0};
    k->resumed = w->resumed[first] || w->indirect;
    k->loops = w->branch[first] > first ? w->branch[first] - 1 : NO_BLOCK;
    b->of[first] = b->count++;
    while (at < w->p->word_count) {
        const enum op_kind kind = op_kind(w->p, at, w->simd);
        const struct op *op = &w->p->ops[at];
        const struct fork *fork = fork_at(&b->forks, at);
        if (fork) {
            k->count += fork->count;
            forks_add(&k->forks, fork->need);
            at = fork->join;
            if (!joins_before(w->p))
                continue;
            k->last = at;
            k->count++;
            at += w->p->ops[at].words;
            if (at < w->p->word_count && w->leader[at])
                break;
            continue;
        }
        k->stops = kind == KIND_STOP;
        b->diverges |= divides(w->p, at, kind);
        if (k->stops)
            break;
        k->last = at;
        k->count++;
        at += op->words;
        if (kind == KIND_CONTROL || op->exit || ends_in_join(w->p, k->last) ||
            (at < w->p->word_count && w->leader[at]))
            break;
    }
    k->end = at;
}

static bool allocate(struct native_blocks *b, struct walk *w, uint32_t words) {
    const size_t n = words ? words : 1;
    b->of = malloc(n * sizeof *b->of);
    w->reached = calloc(n, 1);
    w->leader = calloc(n, 1);
    w->resumed = calloc(n, 1);
    w->todo = calloc(n, sizeof *w->todo);
    w->branch = calloc(n, sizeof *w->branch);
    return b->of && w->reached && w->leader && w->resumed && w->todo && w->branch;
}

/* Words inside of forks start no block. */
static void hide_forks(struct walk *w) {
    for (uint32_t i = 0; i < w->p->word_count; i++) {
        const struct fork *fork = fork_at(&w->b->forks, i);
        if (!fork)
            continue;
        for (uint32_t k = i + 1; k <= fork->join; k++)
            w->leader[k] = 0;
        i = fork->join;
    }
}

static bool make_blocks(struct walk *w) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->p->word_count; i++) {
        w->b->of[i] = NO_BLOCK;
        count += w->leader[i] && w->reached[i];
    }
    w->b->block = malloc((count ? count : 1) * sizeof *w->b->block);
    for (uint32_t i = 0; w->b->block && i < w->p->word_count; i++)
        if (w->leader[i] && w->reached[i])
            make_block(w, i);
    return w->b->block;
}

bool blocks_find(struct native_blocks *b, const struct program *p, enum simd_level simd) {
    struct walk w = {.p = p, .simd = simd, .b = b};
    *b = (struct native_blocks){0};
    bool fine = allocate(b, &w, p->word_count);
    if (fine) {
        const uint32_t entry = program_word(p, p->entry);
        add_leader(&w, entry);
        if (entry < p->word_count)
            w.resumed[entry] = 1;
        while (w.todo_count)
            walk_from(&w, w.todo[--w.todo_count]);
        fine = forks_find(&b->forks, p, simd, w.reached);
    }
    if (fine) {
        hide_forks(&w);
        fine = make_blocks(&w);
    }
    free(w.reached);
    free(w.leader);
    free(w.resumed);
    free(w.todo);
    free(w.branch);
    return fine;
}

void blocks_free(struct native_blocks *b) {
    forks_free(&b->forks);
    free(b->block);
    free(b->of);
    *b = (struct native_blocks){0};
}
