/* Finds the lanes in which no instruction needs the result of a fragment program's texture
 * instruction, so that the sampler may skip them. In: a decoded program. Out: tex.alone and
 * tex.unseen of its ops. Knows no warp.
 * tex.alone: helper pixels do not need the result, because it reaches nothing that is stored.
 * tex.unseen: positions in the quad that do not need the result. An example is a program that
 * computes its own gradient and samples four times between quadon and quadpop, keeping the result
 * of one lane each time.
 * tex.unseen applies to warps with few_results, in quads in which quadon woke no lane. Fermi's
 * programs have tex.alone only.
 * A value that a neighbour or the flow of control reads counts as needed: derivatives and LODs,
 * branches, predicates, addresses. In doubt a result is needed.
 */
#include "shader/warp.h"

#include <stdlib.h>

/* The most passes over the program. Usually nothing changes any more after 2 to 5 passes. */
enum { MOST_PASSES = 12 };

enum { QUAD_POSITIONS = 4 };
/* Places whose contents are needed: in helper pixels (the first set only), or in each of the four
 * lanes of a quad. */
struct needs {
    struct op_places of[QUAD_POSITIONS];
};

/* The pixels that an analysis is about. HELPERS: helper pixels, whose own results do not count as
 * needed. 0 to 3: the pixels at that position of their quads; only their results count. */
enum who { HELPERS = QUAD_POSITIONS };

struct analysis {
    const struct program *p;
    enum who who;
    bool *reached;   /* [word_count] */
    bool *is_target; /* [word_count] */
    /* [word_count] lanes may wait at this instruction while other lanes execute earlier
     * instructions */
    bool *may_wait;
    struct needs *needed; /* [word_count] before the instruction runs */
    struct needs jumped;  /* needed at some target; a jump counts as a jump to all targets */
    struct needs looked;  /* read in waiting lanes for lanes that run between quadon and quadpop */
    bool ends_apart;      /* lanes may end while other lanes continue */
    uint32_t *targets, target_count;
    bool changed;
};

static void places_add(struct op_places *to, const struct op_places *more) {
    to->r[0] |= more->r[0];
    to->r[1] |= more->r[1];
    to->c |= more->c;
    to->a |= more->a;
}

static void places_remove(struct op_places *from, const struct op_places *less) {
    from->r[0] &= ~less->r[0];
    from->r[1] &= ~less->r[1];
    from->c &= (uint8_t)~less->c;
    from->a &= (uint8_t)~less->a;
}

static bool places_meet(const struct op_places *a, const struct op_places *b) {
    return (a->r[0] & b->r[0]) || (a->r[1] & b->r[1]) || (a->c & b->c) || (a->a & b->a);
}

static void needs_add(struct needs *to, const struct needs *more) {
    for (int q = 0; q < QUAD_POSITIONS; q++)
        places_add(&to->of[q], &more->of[q]);
}

/* Adds places to all lanes of a quad. */
static void needs_add_all(struct needs *to, const struct op_places *more) {
    for (int q = 0; q < QUAD_POSITIONS; q++)
        places_add(&to->of[q], more);
}

/* ---- effects of an instruction on a lane ---- */

static bool is_texture(const struct op *op) {
    return op_is_tesla_texture(op) || op->code == OP_TEX;
}

/* True if a lane's result depends on its neighbours in the quad. */
static bool looks_at_quad(const struct op *op) {
    const bool explicit =
        op->sub == FTEX_FETCH || op->sub == FTEX_GRAD ||
        (op->sub == FTEX_SAMPLE && (op->ftex.lod == FTEX_LOD_ZERO || op->ftex.lod == FTEX_LOD_LOD ||
                                    op->ftex.lod == FTEX_LOD_LODA));
    return op_has(op, TRAIT_QUAD) && !(op->code == OP_TEX && explicit);
}

/* True if op writes predicates or flags that count as needed. struct op_places has no predicates.
 * A Fermi's $c counts as needed, too, because some operations read $c without naming it. */
static bool writes_state(const struct op *op, const struct program *p) {
    return op->pdst[0] != PRED_TRUE || op->pdst[1] != PRED_TRUE ||
           op_class(op) == CLASS_PREDICATE ||
           (op->cdst != NO_FLAGS_DST && isa_set_of(p->variant) != SET_TESLA);
}

/* True if op's results depend on its own lane's sources only, and op has no other effect. */
static bool is_pure(const struct op *op) {
    return op_has(op, TRAIT_PURE) || (op->code == OP_LD && op->src[0].file == FILE_CONST);
}

/* True if all of op's sources are needed, whether its results are or not. A discard has no effect
 * in helper lanes: their results are dropped anyway. */
static bool is_observer(const struct analysis *a, const struct op *op) {
    return looks_at_quad(op) || writes_state(op, a->p) || !(is_pure(op) || is_texture(op)) ||
           (op->code == OP_DISCARD && a->who != HELPERS);
}

/* ---- the flow of control ---- */

/* True if the analysis does not follow the flow of control behind op: then all is needed. */
static bool is_beyond(const struct op *op) {
    switch (op->code) {
    case OP_CALL:
    case OP_RET:
    case OP_PRERET:
    case OP_BRA_INDIRECT:
    case OP_CALL_INDIRECT:
    case OP_PUSH_INDIRECT:
    case OP_PRELONGJMP:
    case OP_LONGJMP:
        return true;
    default:
        return false;
    }
}

static bool jumps(const struct op *op) {
    return op->join || op->code == OP_BRA || op->code == OP_BREAK || op->code == OP_CONT;
}

static bool divides_warp(const struct op *op) {
    const bool leaves = op->code == OP_BRA || op->code == OP_BREAK || op->code == OP_CONT ||
                        op->code == OP_EXIT || (op->join && op->guard != PRED_TRUE);
    return leaves && op_is_conditional(op);
}

static bool ends(const struct op *op) {
    return op->exit || (op->code == OP_EXIT && !op_is_conditional(op));
}

/* Marks the instructions that may run: from the entry and from each target on, up to an exit. Code
 * behind an unconditional jump counts, too. False if the flow cannot be followed. */
static bool reach(struct analysis *a) {
    const struct program *p = a->p;
    uint32_t next = program_word(p, p->entry), done = 0;
    for (;;) {
        while (next < p->word_count && !a->reached[next]) {
            const struct op *op = &p->ops[next];
            if (op->code == OP_ILLEGAL || is_beyond(op))
                return false;
            a->reached[next] = true;
            if (op_has(op, TRAIT_TARGET)) {
                const uint32_t target = program_word(p, op->target);
                if (target >= p->word_count)
                    return false;
                a->is_target[target] = a->may_wait[target] = true;
                a->targets[a->target_count++] = target;
            }
            if (ends(op))
                break;
            next += op->words;
            if (divides_warp(op) && next < p->word_count)
                a->may_wait[next] = true;
        }
        if (done == a->target_count)
            return true;
        next = a->targets[done++];
    }
}

/* Lanes that have parted may wait with registers from other places of the program. So no
 * instruction may read a neighbour while lanes are apart, unless quadon made whole quads run. True
 * if no instruction does so. Sets ends_apart. */
static bool looks_in_step(struct analysis *a) {
    const struct program *p = a->p;
    uint32_t apart = 0; /* the word up to which lanes may have parted */
    bool lost = false, whole = false;
    for (uint32_t i = 0; i < p->word_count; i++) {
        const struct op *op = &p->ops[i];
        whole &= !a->is_target[i];
        if (!a->reached[i])
            continue;
        whole = (whole || op->code == OP_QUADON) && op->code != OP_QUADPOP;
        const bool inside = i < apart;
        if ((inside || lost) && !whole && looks_at_quad(op))
            return false;
        if (op->code == OP_JOINAT || op->code == OP_PREBREAK || op->code == OP_PRECONT) {
            if (op->pred != PRED_ALWAYS) /* some lanes would not come back */
                return false;
            const uint32_t target = program_word(p, op->target);
            apart = target > apart ? target : apart;
        }
        lost |= divides_warp(op) && !inside;
        a->ends_apart |= (op->exit && (inside || lost)) || (op->join && lost);
        if (op->code == OP_BRA && program_word(p, op->target) <= i && !inside)
            return false;
    }
    return true;
}

/* ---- needed places ---- */

static struct needs needed_after(const struct analysis *a, uint32_t i) {
    const struct op *op = &a->p->ops[i];
    struct needs n = {{{{0}, 0, 0}}};
    if (!op->exit && i + op->words < a->p->word_count)
        n = a->needed[i + op->words];
    else if (a->who != HELPERS)
        places_add_registers(&n.of[a->who], 0, FEW_RESULTS);
    if (jumps(op))
        needs_add(&n, &a->jumped);
    if (op->exit && a->ends_apart)
        needs_add(&n, &a->looked);
    return n;
}

/* Needed places before op in helper pixels: sources of needed results and of observers. */
static struct needs needed_of_helpers(const struct analysis *a, const struct op *op,
                                      const struct needs *after) {
    const struct op_places results = op_writes(op), sources = op_reads(op),
                           addresses = op_addresses(op);
    struct needs n = *after;
    if (op_replaces(op))
        places_remove(&n.of[0], &results);
    if (is_observer(a, op) || places_meet(&after->of[0], &results))
        places_add(&n.of[0], &sources);
    places_add(&n.of[0], &addresses);
    return n;
}

/* The position from which quadop takes its first source for position q. */
static int picked_position(const struct op *op, int q) {
    return op->quad_lane == QUAD_DX ? q ^ 1 : op->quad_lane == QUAD_DY ? q ^ 2 : op->quad_lane & 3;
}

static void add_quadop(struct needs *n, const struct op *op, int q) {
    const struct op picked = {.src = {op->src[0]}, .pred = PRED_ALWAYS};
    struct op own = *op;
    own.src[0].file = FILE_NONE;
    const struct op_places sources = op_reads(&own), other = op_reads(&picked);
    places_add(&n->of[q], &sources);
    places_add(&n->of[picked_position(op, q)], &other);
}

/* Needed places before op in the lanes of a quad, for the results of one of them. */
static struct needs needed_of_quad(const struct analysis *a, const struct op *op,
                                   const struct needs *after) {
    const struct op_places results = op_writes(op), sources = op_reads(op),
                           addresses = op_addresses(op);
    struct needs n = *after;
    bool wanted[QUAD_POSITIONS];
    for (int q = 0; q < QUAD_POSITIONS; q++) {
        const bool moves = op->code == OP_MOV && op->lane_mask4 >> q & 1;
        wanted[q] = places_meet(&after->of[q], &results) && (moves || op->code != OP_MOV);
        if (op_replaces(op) || (moves && op->pred == PRED_ALWAYS && op->dst.file != FILE_RH))
            places_remove(&n.of[q], &results);
    }
    for (int q = 0; q < QUAD_POSITIONS; q++) {
        if (wanted[q] && op->code == OP_QUADOP)
            add_quadop(&n, op, q);
        else if (wanted[q] && op_has(op, TRAIT_QUAD))
            needs_add_all(&n, &sources);
        else if (wanted[q])
            places_add(&n.of[q], &sources);
        places_add(&n.of[q], &addresses);
    }
    /* observers in other positions are found when the results of those positions are looked at */
    if (is_observer(a, op) && !op_has(op, TRAIT_QUAD))
        places_add(&n.of[a->who], &sources);
    return n;
}

/* The quadpop that follows the quadon at word i in a straight line, or word_count. */
static uint32_t region_end(const struct program *p, uint32_t i) {
    const struct op *op = &p->ops[i];
    do {
        i += op->words;
        if (i >= p->word_count)
            return p->word_count;
        op = &p->ops[i];
    } while (!jumps(op) && !op->exit && op->code != OP_QUADON && op->code != OP_QUADPOP);
    return op->code == OP_QUADPOP ? i : p->word_count;
}

/* Places that waiting or ended lanes still need. */
static struct op_places needed_of_waiting(const struct analysis *a) {
    struct op_places n = a->jumped.of[a->who];
    if (a->ends_apart)
        places_add_registers(&n, 0, FEW_RESULTS);
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        const struct op *op = &a->p->ops[i];
        if (a->reached[i] && divides_warp(op) && i + op->words < a->p->word_count)
            places_add(&n, &a->needed[i + op->words].of[a->who]);
    }
    return n;
}

/* The places of neighbours that are read between quadon and quadpop in order to make the places
 * that a lane needs behind quadpop. woken: quadon woke the lane; otherwise it was active before. */
static struct needs needed_by_region(const struct analysis *a, uint32_t first, uint32_t end,
                                     const struct op_places *behind, bool woken) {
    struct needs n = {{{{0}, 0, 0}}};
    n.of[a->who] = *behind;
    for (uint32_t next = end, i = end; --i > first;) {
        if (!a->reached[i] || i + a->p->ops[i].words != next)
            continue;
        n = needed_of_quad(a, &a->p->ops[i], &n);
        next = i;
    }
    if (!woken) /* the lane's own needs are added when the instructions between are visited */
        n.of[a->who] = (struct op_places){{0}, 0, 0};
    return n;
}

static void look_around(struct analysis *a) {
    const struct op *ops = a->p->ops;
    const struct op_places waiting = needed_of_waiting(a);
    const struct needs before = a->looked;
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        if (!a->reached[i] || ops[i].code != OP_QUADON)
            continue;
        const uint32_t end = region_end(a->p, i);
        const struct needs behind = needed_after(a, end);
        const struct needs there = needed_by_region(a, i, end, &behind.of[a->who], false),
                           woken = needed_by_region(a, i, end, &waiting, true);
        needs_add(&a->looked, &there);
        needs_add(&a->looked, &woken);
    }
    a->changed |= memcmp(&a->looked, &before, sizeof before) != 0;
}

static void visit(struct analysis *a, uint32_t i) {
    const struct op *op = &a->p->ops[i];
    const struct needs after = needed_after(a, i), before = a->needed[i];
    struct needs n =
        a->who == HELPERS ? needed_of_helpers(a, op, &after) : needed_of_quad(a, op, &after);
    needs_add(&n, &before);
    if (a->may_wait[i])
        needs_add(&n, &a->looked);
    a->changed |= memcmp(&n, &before, sizeof n) != 0;
    a->needed[i] = n;
    if (a->is_target[i])
        needs_add(&a->jumped, &n);
}

/* Finds the needed places before each instruction. False if the search takes too many passes: then
 * all is needed. */
static bool find_needed(struct analysis *a, enum who who) {
    a->who = who;
    a->jumped = (struct needs){{{{0}, 0, 0}}};
    a->looked = (struct needs){{{{0}, 0, 0}}};
    memset(a->needed, 0, a->p->word_count * sizeof *a->needed);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        a->changed = false;
        for (uint32_t i = a->p->word_count; i-- > 0;)
            if (a->reached[i])
                visit(a, i);
        if (who != HELPERS)
            look_around(a);
        if (!a->changed)
            return true;
    }
    return false;
}

/* The lanes that need one of the instruction's results: a bit per position of the quad. */
static uint32_t lanes_that_need(const struct op *op, const struct needs *after) {
    const struct op_places results = op_writes(op);
    uint32_t lanes = 0;
    for (int q = 0; q < QUAD_POSITIONS; q++)
        lanes |= (uint32_t)places_meet(&after->of[q], &results) << q;
    return lanes;
}

static void mark_alone(const struct analysis *a, struct op *ops) {
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        if (!a->reached[i] || !is_texture(&ops[i]))
            continue;
        const struct needs after = needed_after(a, i);
        ops[i].tex.alone = !lanes_that_need(&ops[i], &after);
    }
}

static void mark_seen(const struct analysis *a, struct op *ops) {
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        if (!a->reached[i] || !op_is_tesla_texture(&ops[i]))
            continue;
        const struct needs after = needed_after(a, i);
        ops[i].tex.unseen &= ~lanes_that_need(&ops[i], &after);
    }
}

static void set_unseen(const struct analysis *a, struct op *ops, uint32_t lanes) {
    for (uint32_t i = 0; i < a->p->word_count; i++)
        if (a->reached[i] && op_is_tesla_texture(&ops[i]))
            ops[i].tex.unseen = lanes & 0xf;
}

static void find_unseen(struct analysis *a, struct op *ops) {
    set_unseen(a, ops, 0xf);
    for (int q = 0; q < QUAD_POSITIONS; q++) {
        if (!find_needed(a, (enum who)q)) {
            set_unseen(a, ops, 0);
            return;
        }
        mark_seen(a, ops);
    }
}

static void answer(struct analysis *a, struct op *ops) {
    bool by_position = false, wakes = false, straight = true;
    if (!reach(a) || !looks_in_step(a))
        return;
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        const struct op *op = &a->p->ops[i];
        by_position |= a->reached[i] && op->code == OP_MOV && op->lane_mask4 != 0xf;
        wakes |= a->reached[i] && (op->code == OP_QUADON || op->code == OP_QUADPOP);
        straight &=
            !a->reached[i] || op->code != OP_QUADON || region_end(a->p, i) < a->p->word_count;
    }
    if (!wakes && find_needed(a, HELPERS))
        mark_alone(a, ops);
    if (by_position && straight && isa_set_of(a->p->variant) == SET_TESLA)
        find_unseen(a, ops);
}

void program_find_unseen(struct program *p) {
    struct analysis a = {.p = p};
    if (p->type != PROGRAM_FP || isa_set_of(p->variant) == SET_G64 || !p->tex_slot_count)
        return;
    a.reached = calloc(p->word_count, sizeof *a.reached);
    a.is_target = calloc(p->word_count, sizeof *a.is_target);
    a.may_wait = calloc(p->word_count, sizeof *a.may_wait);
    a.needed = calloc(p->word_count, sizeof *a.needed);
    a.targets = calloc(p->word_count, sizeof *a.targets);
    if (a.reached && a.is_target && a.may_wait && a.needed && a.targets)
        answer(&a, p->ops);
    free(a.reached);
    free(a.is_target);
    free(a.may_wait);
    free(a.needed);
    free(a.targets);
}
