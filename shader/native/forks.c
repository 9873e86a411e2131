/* Finds forks: see forks.h. Searches from the last joinat to the first, so that a fork's inner
 * forks are known.
 */
#include "shader/native/forks.h"

#include "shader/native/machine_code.h"
#include "shader/native/kinds.h"

#include <stdlib.h>

/* The most words from head to join. A warp rarely divides at a longer fork, and code for all lanes
 * is faster for a warp that does not divide. */
enum { FORK_WORDS = 256 };

struct search {
    const struct program *p;
    enum simd_level simd;
    const uint8_t *reached;
    struct {
        /* for each word: the first and the last instruction whose target is the word; without such
         * an instruction `first` is NO_FORK */
        uint32_t first, last;
    } *named;
    struct native_forks *f;
};

static void note_names(struct search *s) {
    for (uint32_t i = 0; i < s->p->word_count; i++)
        s->named[i].first = NO_FORK;
    for (uint32_t i = 0; i < s->p->word_count; i++) {
        const struct op *op = &s->p->ops[i];
        const uint32_t to = program_word(s->p, op->target);
        if (!s->reached[i] || !op_has(op, TRAIT_TARGET) || to >= s->p->word_count)
            continue;
        if (s->named[to].first == NO_FORK)
            s->named[to].first = i;
        s->named[to].last = i;
    }
}

/* True for moves, for other operations that have stencils and no operand in g[] or l[], and for
 * loads of c[], nops and OP_INTERP. Forks contain no other operations: a fork with other operations
 * gains little and loses the values that are in registers. */
static bool is_inner(const struct search *s, uint32_t at) {
    const struct op *op = &s->p->ops[at];
    if (op_kind(s->p, at, s->simd) != KIND_PLAIN || op->exit)
        return false;
    if (op->code == OP_NOP || op->code == OP_INTERP)
        return true;
    for (int i = 0; i < 3; i++)
        if (op->src[i].file == FILE_GLOBAL || op->src[i].file == FILE_LOCAL)
            return false;
    return op->code == OP_MOV || (op->code == OP_LD && op->src[0].file == FILE_CONST) ||
           shape_find(op, 0, s->p) != ST_NONE;
}

struct way {
    uint32_t at; /* the current word */
    uint32_t count;
    struct forks_need need;
    bool joined; /* Fermi and generic64: the instruction before w->at sends all lanes to the join */
};

/* True for a nop of Fermi or generic64 that sends the lanes of its guard to the join. */
static bool joins_by_guard(const struct search *s, uint32_t at) {
    return s->p->ops[at].code == OP_NOP && joins_some(s->p, at);
}

/* Goes past a fork that begins here. */
static bool pass_fork(const struct search *s, struct way *w) {
    const struct fork *inner = fork_at(s->f, w->at);
    if (!inner)
        return false;
    w->count += inner->count;
    forks_add(&w->need, inner->need);
    w->at = inner->join;
    return true;
}

/* Fermi and generic64: goes on from w->at over instructions and inner forks, to the first of these:
 * `end`, the place behind a join, a control instruction, a nop that joins by its guard. False if
 * there is an instruction that forks cannot contain. */
static bool go_to_join(const struct search *s, struct way *w, uint32_t end) {
    while (w->at < end && !w->joined) {
        const struct op *op = &s->p->ops[w->at];
        if (pass_fork(s, w))
            continue;
        if (native_control(s->p->variant, op->code) || joins_by_guard(s, w->at))
            return true;
        if (!is_inner(s, w->at) || joins_some(s->p, w->at))
            return false;
        w->joined = ends_in_join(s->p, w->at);
        w->count++;
        w->at += op->words;
    }
    return w->at == end;
}

/* Tesla: goes on from w->at over instructions and inner forks, to `end` or the first control
 * instruction. False if there is a join, or an instruction that forks cannot contain. */
static bool go_along(const struct search *s, struct way *w, uint32_t end) {
    bool behind_fork = false;
    while (w->at < end) {
        const struct op *op = &s->p->ops[w->at];
        if (op->join && !behind_fork)
            return false;
        behind_fork = pass_fork(s, w);
        if (behind_fork)
            continue;
        if (native_control(s->p->variant, op->code))
            return true;
        if (!is_inner(s, w->at))
            return false;
        w->count++;
        w->at += op->words;
    }
    return w->at == end && !behind_fork;
}

/* Follows one way of a fork from `at` to the join. All words of the way have to lie before
 * `end`. */
static bool follow(const struct search *s, struct way *w, uint32_t at, uint32_t end,
                   uint32_t join) {
    *w = (struct way){.at = at};
    if (!joins_before(s->p))
        return go_to_join(s, w, end) && w->joined && w->at == end;
    if (!go_along(s, w, end))
        return false;
    if (w->at == end)
        return end == join;
    const struct op *op = &s->p->ops[w->at];
    if (op->code != OP_BRA || op_is_conditional(op) || program_word(s->p, op->target) != join)
        return false;
    w->count++;
    return true;
}

/* True if no instruction outside of head to join leads to the words behind the head, up to the
 * join. */
static bool is_closed(const struct search *s, uint32_t head, uint32_t join) {
    const uint32_t entry = program_word(s->p, s->p->entry);
    for (uint32_t i = head + 1; i <= join; i++)
        if (s->named[i].first != NO_FORK && (s->named[i].first < head || s->named[i].last >= join))
            return false;
    return entry <= head || entry > join;
}

/* True if the ways of a fork can meet at the word `join`. */
static bool may_meet_at(const struct search *s, uint32_t join) {
    if (joins_before(s->p))
        return s->p->ops[join].join && is_inner(s, join);
    return op_kind(s->p, join, s->simd) != KIND_STOP;
}

/* The word to which lanes go that take the branch at `at`, or NO_FORK if the instruction there
 * cannot be the branch of a fork. */
static uint32_t taken_at(const struct search *s, uint32_t at, uint32_t join) {
    const struct op *op = &s->p->ops[at];
    if (joins_by_guard(s, at))
        return join;
    if (op->code != OP_BRA || !op_is_conditional(op) ||
        (!joins_before(s->p) && (op->join || op->pred != PRED_ALWAYS)))
        return NO_FORK;
    const uint32_t to = program_word(s->p, op->target);
    return to <= at || to > join || (to == join && !joins_before(s->p)) ? NO_FORK : to;
}

static bool is_fork(const struct search *s, uint32_t head, struct fork *k) {
    const struct op *op = &s->p->ops[head];
    const uint32_t join = program_word(s->p, op->target);
    struct way first = {.at = head + op->words}, taken = {0}, rest;
    if (join <= head || join >= s->p->word_count || join - head > FORK_WORDS ||
        !may_meet_at(s, join) || (!joins_before(s->p) && (op->join || op->pred != PRED_ALWAYS)) ||
        !(joins_before(s->p) ? go_along : go_to_join)(s, &first, join) || first.joined ||
        first.at == join)
        return false;
    const uint32_t to = taken_at(s, first.at, join);
    if (to == NO_FORK || !follow(s, &rest, first.at + s->p->ops[first.at].words, to, join) ||
        ((to < join || joins_before(s->p)) && !follow(s, &taken, to, join, join)) ||
        !is_closed(s, head, join))
        return false;
    *k = (struct fork){.head = head,
                       .branch = first.at,
                       .taken = to,
                       .join = join,
                       .count = first.count + 2,
                       .ways = {rest.count, taken.count},
                       .need = {1 + rest.count + taken.count, 0}};
    /* the 1 in `need`: the join counts a second time, for the lanes that come there first */
    forks_add(&k->need, rest.need);
    forks_add(&k->need, taken.need);
    forks_add(&k->need, first.need);
    k->need.depth += 2;
    return k->need.depth <= 2 * WARP_FORKS;
}

static bool find_all(struct search *s, uint32_t heads) {
    struct native_forks *f = s->f;
    const uint32_t words = s->p->word_count;
    f->of = malloc(words * sizeof *f->of);
    f->fork = malloc(heads * sizeof *f->fork);
    s->named = calloc(words, sizeof *s->named);
    if (!f->of || !f->fork || !s->named)
        return false;
    note_names(s);
    for (uint32_t i = words; i-- > 0;) {
        f->of[i] = NO_FORK;
        if (s->reached[i] && s->p->ops[i].code == OP_JOINAT && is_fork(s, i, &f->fork[f->count]))
            f->of[i] = f->count++;
    }
    return true;
}

bool forks_find(struct native_forks *f, const struct program *p, enum simd_level simd,
                const uint8_t *reached) {
    struct search s = {.p = p, .simd = simd, .reached = reached, .f = f};
    uint32_t heads = 0;
    *f = (struct native_forks){0};
    for (uint32_t i = 0; i < p->word_count; i++)
        heads += reached[i] && p->ops[i].code == OP_JOINAT;
    if (!heads)
        return true;
    const bool fine = find_all(&s, heads);
    free(s.named);
    return fine;
}

void forks_free(struct native_forks *f) {
    free(f->fork);
    free(f->of);
    *f = (struct native_forks){0};
}
