/* Structured programs as trees, and their execution by one thread. The result is the plain meaning
 * of a program, which warps, masks and the divergence stack must reproduce. In: a tree and a
 * thread's start value. Out: a hash of all steps of the thread, in order, and whether it was
 * discarded. Knows nothing of shader/. */
#ifndef TESTS_SCALAR_EXECUTOR_H
#define TESTS_SCALAR_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

enum { TREE_NODES = 160, TREE_FUNCTIONS = 4, TREE_LOOPS = 40 };

enum tree_kind {
    TREE_UPDATE,   /* hash = hash * 33 + value */
    TREE_IF,       /* body if the condition holds, else other */
    TREE_LOOP,     /* body, at most 1 + (hash & 3) times; break leaves it */
    TREE_DO_WHILE, /* a loop, written with a divergent back branch */
    TREE_BREAK,    /* if the condition holds */
    TREE_RET,  /* if the condition holds: from the function, preret block or, at top, the thread */
    TREE_EXIT, /* if the condition holds */
    TREE_DISCARD, /* if the condition holds */
    TREE_CALL,    /* function `value` */
    TREE_CALL_LIMITED,
    TREE_PRERET, /* body; a ret inside the body leaves the body */
    TREE_QUAD,   /* a whole-quad region that touches a scratch register only */
    TREE_KINDS
};

struct tree_node {
    enum tree_kind kind;
    uint32_t value;        /* constant of an update, number of a function or loop */
    uint8_t bit;           /* condition: this bit of the hash ... */
    bool invert;           /* ... is clear */
    bool bare;             /* the exit stands behind a branch without joinat */
    int body, other, next; /* node indices, -1 = none */
};

struct tree {
    struct tree_node node[TREE_NODES];
    int count;
    int function[TREE_FUNCTIONS]; /* first node; function 0 is the main program */
    uint32_t loops;
    uint32_t call_limit;
};

struct scalar_thread {
    uint32_t hash;
    uint32_t limited; /* limited calls entered */
    bool discarded;
    uint64_t steps;
};

enum scalar_outcome { SCALAR_NEXT, SCALAR_BREAK, SCALAR_RET, SCALAR_EXIT };
enum { SCALAR_STEPS = 20000 };

static inline bool scalar_holds(const struct scalar_thread *t, const struct tree_node *n) {
    return (t->hash >> n->bit & 1) != n->invert;
}

static enum scalar_outcome scalar_list(const struct tree *tree, struct scalar_thread *t, int first);

static inline enum scalar_outcome scalar_loop(const struct tree *tree, struct scalar_thread *t,
                                              const struct tree_node *n) {
    for (uint32_t left = 1 + (t->hash & 3); left > 0; left--) {
        const enum scalar_outcome o = scalar_list(tree, t, n->body);
        if (o == SCALAR_BREAK)
            return SCALAR_NEXT;
        if (o != SCALAR_NEXT)
            return o;
    }
    return SCALAR_NEXT;
}

static inline enum scalar_outcome scalar_call(const struct tree *tree, struct scalar_thread *t,
                                              const struct tree_node *n) {
    const bool limited = n->kind == TREE_CALL_LIMITED;
    if (limited && t->limited >= tree->call_limit)
        return SCALAR_NEXT;
    t->limited += limited;
    const enum scalar_outcome o = scalar_list(tree, t, tree->function[n->value]);
    t->limited -= limited;
    return o == SCALAR_EXIT ? o : SCALAR_NEXT;
}

static inline enum scalar_outcome scalar_node(const struct tree *tree, struct scalar_thread *t,
                                              const struct tree_node *n) {
    enum scalar_outcome o;
    switch (n->kind) {
    case TREE_UPDATE:
        t->hash = t->hash * 33 + n->value;
        return SCALAR_NEXT;
    case TREE_IF:
        return scalar_list(tree, t, scalar_holds(t, n) ? n->body : n->other);
    case TREE_LOOP:
    case TREE_DO_WHILE:
        return scalar_loop(tree, t, n);
    case TREE_BREAK:
        return scalar_holds(t, n) ? SCALAR_BREAK : SCALAR_NEXT;
    case TREE_RET:
        return scalar_holds(t, n) ? SCALAR_RET : SCALAR_NEXT;
    case TREE_EXIT:
        return scalar_holds(t, n) ? SCALAR_EXIT : SCALAR_NEXT;
    case TREE_DISCARD:
        t->discarded |= scalar_holds(t, n);
        return SCALAR_NEXT;
    case TREE_CALL:
    case TREE_CALL_LIMITED:
        return scalar_call(tree, t, n);
    case TREE_PRERET:
        o = scalar_list(tree, t, n->body);
        return o == SCALAR_RET ? SCALAR_NEXT : o;
    default:
        return SCALAR_NEXT;
    }
}

static enum scalar_outcome scalar_list(const struct tree *tree, struct scalar_thread *t,
                                       int first) {
    for (int i = first; i >= 0; i = tree->node[i].next) {
        if (++t->steps > SCALAR_STEPS)
            return SCALAR_EXIT;
        const enum scalar_outcome o = scalar_node(tree, t, &tree->node[i]);
        if (o != SCALAR_NEXT)
            return o;
    }
    return SCALAR_NEXT;
}

/* Returns false if the thread ran too long to be worth comparing. */
static inline bool scalar_run(const struct tree *tree, struct scalar_thread *t) {
    scalar_list(tree, t, tree->function[0]);
    return t->steps <= SCALAR_STEPS;
}

#endif
