/* Finds the registers that must be 0 when a warp starts: those that some way through the program
 * may read before every lane has written them. In: a decoded program, with tex.alone and
 * tex.unseen. Out: program.facts.cleared. A jump other than bra counts as a jump to all targets,
 * although it reaches fewer; in doubt all allocated registers count. Knows no warp.
 */
#include "shader/program.h"

#include <stdlib.h>

/* The most passes over the program. If the last pass still changes a set, all registers count. */
enum { MOST_PASSES = 12 };

struct registers {
    uint64_t r[2];
};

struct search {
    const struct program *p;
    /* [word_count] registers read at the instruction or behind it, before they are written */
    struct registers *read;
    struct registers allocated, at_end; /* at_end: read when the program has ended */
    /* at_targets: read at some target or behind it. by_neighbours: read in a lane that waits or has
     * ended, for another lane of its quad. */
    struct registers at_targets, by_neighbours;
    bool wakes; /* waiting lanes run instructions for their neighbours */
    bool changed;
};

static void registers_add(struct registers *to, const uint64_t more[2]) {
    to->r[0] |= more[0];
    to->r[1] |= more[1];
}

/* True if op_reads() names all registers of a memory operand. */
static bool is_told_address(const struct operand *o) {
    return o->file == FILE_CONST || o->file == FILE_SHARED || o->file == FILE_LOCAL ||
           o->file == FILE_GLOBAL || o->file == FILE_ATTR;
}

/* True if op_reads() names all registers that op reads. */
static bool is_told(const struct op *op) {
    switch (op_class(op)) {
    case CLASS_INTEGER:
    case CLASS_CONVERSION:
    case CLASS_FLOAT:
    case CLASS_FUNCTION:
    case CLASS_DOUBLE:
    case CLASS_PREDICATE:
    case CLASS_TEXTURE:
    case CLASS_NOTHING:
        return true;
    case CLASS_MOVE:
        return op->code != OP_LEPC;
    case CLASS_CONTROL:
        return op->code != OP_RET && op->code != OP_LONGJMP && op->code != OP_BRA_INDIRECT &&
               op->code != OP_CALL_INDIRECT && op->code != OP_PUSH_INDIRECT;
    case CLASS_GRAPHICS:
        return op->code == OP_INTERP || op->code == OP_PIXLD;
    default:
        break;
    }
    return (op->code == OP_LD && is_told_address(&op->src[0])) || op->code == OP_LD_LOCK ||
           (op->code == OP_ST && is_told_address(&op->dst)) || op->code == OP_ST_UNLOCK ||
           op->code == OP_RED || op->code == OP_CCTL || op->code == OP_VOTE;
}

/* True if op writes its results in all lanes that run it. */
static bool writes_all(const struct op *op) {
    return op_replaces(op) && !op->tex.alone && !op->tex.unseen && op->code != OP_LD_LOCK &&
           is_told(op);
}

/* True if a warp may divide at op, or its lanes meet again. A discard does not count: its lane runs
 * on, or reads nothing more. */
static bool regroups_lanes(const struct op *op) {
    return op->join || op->exit || op->code == OP_BRA || op->code == OP_BREAK ||
           op->code == OP_CONT || op->code == OP_EXIT || op->code == OP_CALL;
}

static bool continues(const struct op *op) {
    return !op->exit && (op_is_conditional(op) || !op_has(op, TRAIT_LEAVES));
}

static struct registers read_behind(const struct search *s, uint32_t i) {
    const struct op *op = &s->p->ops[i];
    const uint32_t next = i + op->words, target = program_word(s->p, op->target);
    struct registers n = {{0}};
    if (continues(op) && next < s->p->word_count)
        n = s->read[next];
    if (!regroups_lanes(op))
        return n;
    registers_add(&n, s->by_neighbours.r);
    if (op->join || op->exit || op->code == OP_EXIT)
        registers_add(&n, s->at_end.r);
    if (op->code == OP_BRA && target < s->p->word_count)
        registers_add(&n, s->read[target].r);
    else
        registers_add(&n, s->at_targets.r);
    return n;
}

static void visit(struct search *s, uint32_t i) {
    const struct op *op = &s->p->ops[i];
    const struct op_places reads = op_reads(op), writes = op_writes(op);
    struct registers n = read_behind(s, i);
    for (int k = 0; k < 2 && writes_all(op); k++)
        n.r[k] &= ~writes.r[k];
    registers_add(&n, is_told(op) ? reads.r : s->allocated.r);
    s->changed |= memcmp(&n, &s->read[i], sizeof n) != 0;
    s->read[i] = n;
    if (s->wakes || op_has(op, TRAIT_QUAD))
        registers_add(&s->by_neighbours, reads.r);
}

/* Adds the registers that are read at a target or behind it to at_targets. Called after each pass
 * that has changed a set. */
static void add_targets(struct search *s) {
    const struct program *p = s->p;
    for (uint32_t i = 0; i < p->word_count; i++) {
        const uint32_t target = program_word(p, p->ops[i].target);
        if (p->reached[i] && op_has(&p->ops[i], TRAIT_TARGET) && target < p->word_count)
            registers_add(&s->at_targets, s->read[target].r);
    }
}

static bool find(struct search *s) {
    for (uint32_t i = 0; i < s->p->word_count; i++)
        s->wakes |= s->p->reached[i] && s->p->ops[i].code == OP_QUADON;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        s->changed = false;
        for (uint32_t i = s->p->word_count; i-- > 0;)
            if (s->p->reached[i])
                visit(s, i);
        if (!s->changed)
            return true;
        add_targets(s);
    }
    return false;
}

void program_find_cleared(struct program *p) {
    struct op_places allocated = {{0}, 0, 0};
    const uint32_t entry = program_word(p, p->entry);
    struct search s = {.p = p, .read = calloc(p->word_count ? p->word_count : 1, sizeof *s.read)};
    places_add_registers(&allocated, 0, p->header.reg_count);
    registers_add(&s.allocated, allocated.r);
    /* all registers are read at the end: the results of fragment programs, and in any program
     * whatever a debugger shows */
    s.at_end = s.allocated;
    struct registers n = s.allocated;
    if (s.read && entry < p->word_count && find(&s))
        n = s.read[entry];
    for (int k = 0; k < 2; k++)
        p->facts.cleared[k] = n.r[k] & s.allocated.r[k];
    free(s.read);
}
