/* Finds the words of a program at which a warp can execute an instruction, by following its control
 * from the entry. Other words are second halves of instructions, data, or code of other programs;
 * they have ops, too. In: a decoded program. Out: program.reached. In doubt (an indirect
 * target) all words count as reached.
 */
#include "shader/program.h"

#include <stdlib.h>

struct walk {
    struct program *p;
    uint32_t *todo, count;
};

static void add(struct walk *w, uint32_t word) {
    if (word >= w->p->word_count || w->p->reached[word])
        return;
    w->p->reached[word] = 1;
    w->todo[w->count++] = word;
}

static bool is_indirect(const struct op *op) {
    return op->code == OP_BRA_INDIRECT || op->code == OP_CALL_INDIRECT ||
           op->code == OP_PUSH_INDIRECT;
}

static bool ends(const struct op *op) {
    return op->exit || (!op_is_conditional(op) && op_has(op, TRAIT_LEAVES));
}

static bool follow(struct walk *w) {
    add(w, program_word(w->p, w->p->entry));
    while (w->count) {
        const uint32_t at = w->todo[--w->count];
        const struct op *op = &w->p->ops[at];
        if (is_indirect(op))
            return false;
        if (op_has(op, TRAIT_TARGET))
            add(w, program_word(w->p, op->target));
        if (!ends(op))
            add(w, at + op->words);
    }
    return true;
}

bool program_find_reached(struct program *p) {
    const uint32_t n = p->word_count ? p->word_count : 1;
    uint32_t *const todo = malloc(n * sizeof *todo);
    struct walk w = {.p = p, .todo = todo};
    p->reached = calloc(n, 1);
    const bool fine = todo && p->reached;
    if (fine && !follow(&w))
        memset(p->reached, 1, n);
    free(todo);
    return fine;
}
