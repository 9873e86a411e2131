/* A fork: a branch that some lanes take, with the joinat before it and the join at which both ways
 * meet, if no other code leads into it or out of it. Such code needs no divergence stack: one way
 * is executed in the lanes that take it, then the other way in the other lanes. Tesla's ways meet
 * at an instruction with a join flag. The ways of Fermi and generic64 end in instructions with such
 * a flag; a nop with a guard and a join flag is a branch whose taken way is empty.
 */
#pragma once

#include "shader/exec.h"

enum { NO_FORK = 0xffffffff };

/* The budget and the stack that code with forks may use up. */
struct forks_need {
    uint32_t more;  /* most instructions executed beyond those that all lanes execute */
    uint32_t depth; /* stack entries that the interpreter would use */
};

/* An instruction is named by the word at which it starts. A way is the instructions and inner forks
 * up to the join, or to a branch to the join. */
struct fork {
    uint32_t head;          /* the joinat */
    uint32_t branch, taken; /* the branch, and its target: the join if the taken way is empty */
    uint32_t join;          /* where both ways meet; Tesla: the join executes without its flag */
    uint32_t count;         /* instructions that all lanes execute: from head to branch */
    /* instructions of the way of lanes that do not take the branch, and of lanes that do */
    uint32_t ways[2];
    struct forks_need need;
};

struct native_forks {
    struct fork *fork;
    uint32_t count;
    /* by word: number of the fork whose head is there, or NO_FORK; NULL: there are no forks */
    uint32_t *of;
};

/* Finds the forks of p. reached: by word, 1 if a warp can reach the instruction there. False when
 * out of memory. */
bool forks_find(struct native_forks *f, const struct program *p, enum simd_level simd,
                const uint8_t *reached);
void forks_free(struct native_forks *f);
/* Adds b, the need of code that follows. */
static inline void forks_add(struct forks_need *a, struct forks_need b) {
    a->more += b.more;
    a->depth = b.depth > a->depth ? b.depth : a->depth;
}
/* The fork that begins at a word, or NULL. */
static inline const struct fork *fork_at(const struct native_forks *f, uint32_t word) {
    return f->of && f->of[word] != NO_FORK ? &f->fork[f->of[word]] : NULL;
}
