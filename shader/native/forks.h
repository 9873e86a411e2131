/* Forks: a Tesla branch that some lanes take, with the joinat before it and the join where both ways
 * meet again, if nothing else leads into it and nothing out of it. Such code needs no divergence stack:
 * one way is executed in the lanes that take it, then the other in the rest, in line.
 */
#ifndef SHADER_NATIVE_FORKS_H
#define SHADER_NATIVE_FORKS_H

#include "shader/exec.h"

enum { NO_FORK = 0xffffffff };

/* Instructions are named by the word they start at. What both ways are made of: instructions in a row,
 * forks as one each, up to the join or a branch to it. */
struct forks_need {
    uint32_t more;  /* instructions of the budget beyond those that all lanes execute, at most */
    uint32_t depth; /* entries of the stack that they would take */
};

struct fork {
    uint32_t head;          /* the joinat */
    uint32_t branch, taken; /* where it leads, the join if the taken way is empty */
    uint32_t join;          /* executed once behind both, without its flag */
    uint32_t count;         /* instructions that all lanes execute: from head to branch */
    uint32_t ways[2];       /* likewise of the lanes that do not take the branch, and that do */
    struct forks_need need;
};

struct native_forks {
    struct fork *fork;
    uint32_t count;
    uint32_t
        *of; /* by word: number of the fork whose head it is, or NO_FORK; NULL if there are none */
};

/* reached: by word, instructions that a warp may come to. False when out of memory. */
bool forks_find(struct native_forks *f, const struct program *p, enum simd_level simd,
                const uint8_t *reached);
void forks_free(struct native_forks *f);
/* One behind the other. */
static inline void forks_add(struct forks_need *a, struct forks_need b) {
    a->more += b.more;
    a->depth = b.depth > a->depth ? b.depth : a->depth;
}
/* The fork that begins at a word, or NULL. */
static inline const struct fork *fork_at(const struct native_forks *f, uint32_t word) {
    return f->of && f->of[word] != NO_FORK ? &f->fork[f->of[word]] : NULL;
}

#endif
