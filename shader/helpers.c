/* Which texture instructions of a fragment program nobody needs in helper pixels: those whose results
 * reach, in a helper's lane, nothing but results that are not stored. What a neighbour or the flow of
 * control looks at counts as needed: derivatives and LODs, branches, addresses. In: a decoded program.
 * Out: tex.alone of its texture instructions. In doubt all is needed. Knows no warp.
 */
#include "shader/facts.h"
#include "shader/program.h"

#include <stdlib.h>

/* Places that hold values: bit per $r; per $c and, above, per $a. */
struct places {
    uint64_t r[2];
    uint32_t other;
};
enum { PLACE_A = 8 };

struct analysis {
    const struct program *p;
    bool *reached;         /* [word_count] */
    struct places *needed; /* [word_count] before the instruction runs */
    uint32_t *targets, target_count;
    bool changed;
};

static void places_add(struct places *to, const struct places *more) {
    to->r[0] |= more->r[0];
    to->r[1] |= more->r[1];
    to->other |= more->other;
}

static bool places_meet(const struct places *a, const struct places *b) {
    return (a->r[0] & b->r[0]) || (a->r[1] & b->r[1]) || (a->other & b->other);
}

static void add_registers(struct places *to, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count && i < 128; i++)
        to->r[i / 64] |= 1ull << i % 64;
}

/* ---- what an instruction reads and writes ---- */

static void add_operand(struct places *to, const struct operand *o) {
    switch (o->file) {
    case FILE_R:
        add_registers(to, o->value, operand_registers(o));
        break;
    case FILE_RH:
        add_registers(to, o->value / 2, 1);
        break;
    case FILE_GLOBAL:
        add_registers(to, o->value, 1);
        break;
    case FILE_A:
        to->other |= 1u << (PLACE_A + (o->value & 7));
        break;
    case FILE_C:
        to->other |= 1u << (o->value & 3);
        break;
    default:
        break;
    }
}

static bool is_texture(const struct op *op) {
    return op->code >= OP_TEXAUTO && op->code <= OP_TEXGATHER;
}

static bool reads_flags(const struct op *op) {
    return op->pred != PRED_ALWAYS || op->code == OP_MOV_FROM_FLAGS ||
           ((op->code == OP_IADD || op->code == OP_IMAD) && op->add_kind == ADD_ADDC);
}

static struct places sources_of(const struct op *op) {
    struct places s = {{0}, 0};
    for (int k = 0; k < 3; k++)
        add_operand(&s, &op->src[k]);
    if (op->dst.file == FILE_GLOBAL)
        add_operand(&s, &op->dst);
    if (is_texture(op))
        add_registers(&s, op->tex.base, op->tex.source_count);
    if (reads_flags(op))
        s.other |= 1u << (op->pred_reg & 3);
    return s;
}

static struct places results_of(const struct op *op) {
    struct places d = {{0}, 0};
    if (op->dst.file != FILE_GLOBAL)
        add_operand(&d, &op->dst);
    if (op->cdst != NO_FLAGS_DST)
        d.other |= 1u << (op->cdst & 3);
    if (is_texture(op))
        add_registers(&d, op->tex.base,
                      (uint32_t)__builtin_popcount(op->tex.result_mask & 15));
    return d;
}

/* Does it write all of its results, in every lane that comes by? */
static bool replaces(const struct op *op) {
    return op->pred == PRED_ALWAYS && op->dst.file != FILE_RH &&
           (op->code != OP_MOV || op->lane_mask4 == 0xf);
}

/* Addresses, which had better be right in all lanes. */
static void add_addresses(struct places *to, const struct op *op) {
    const struct operand *o[4] = {&op->dst, &op->src[0], &op->src[1], &op->src[2]};
    for (int k = 0; k < 4; k++)
        if (o[k]->areg)
            to->other |= 1u << (PLACE_A + (o[k]->areg & 7));
}

/* Its results depend on its own lane's sources and it does nothing else. */
static bool is_pure(const struct op *op) {
    switch (op->code) {
    case OP_MOV:
    case OP_MOV_FROM_FLAGS:
    case OP_MOV_TO_FLAGS:
    case OP_MOV_FROM_ADDR:
    case OP_MOV_FROM_SPECIAL:
    case OP_SHL_TO_ADDR:
    case OP_ADD_TO_ADDR:
    case OP_INTERP:
    case OP_DISCARD: /* of lanes that nobody sees any more */
    case OP_NOP:
        return true;
    case OP_LD:
        return op->src[0].file == FILE_CONST;
    default:
        return (op->code >= OP_IADD && op->code <= OP_EX2) ||
               (op->code >= OP_DFMA && op->code <= OP_DSET);
    }
}

/* Does a lane's result depend on its neighbours'? */
static bool looks_around(const struct op *op) {
    if (op->code == OP_QUADOP)
        return true;
    return is_texture(op) && op->code != OP_TEXLOD && op->code != OP_TEXFETCH &&
           op->code != OP_TEXSIZE;
}

/* Are all sources needed, whatever becomes of the results? */
static bool is_observer(const struct op *op) {
    return looks_around(op) || !(is_pure(op) || is_texture(op));
}

/* ---- the flow of control ---- */

/* Flow that is not followed: there all is needed. */
static bool is_beyond(const struct op *op) {
    switch (op->code) {
    case OP_CALL:
    case OP_RET:
    case OP_PRERET:
    case OP_BRA_INDIRECT:
    case OP_QUADON:
    case OP_QUADPOP:
        return true;
    default:
        return op->code > OP_JOINAT && op->code != OP_BRKPT;
    }
}

static bool jumps(const struct op *op) {
    return op->join || op->code == OP_BRA || op->code == OP_BREAK;
}

static bool parts_lanes(const struct op *op) {
    return (op->code == OP_BRA || op->code == OP_BREAK) && op->pred != PRED_ALWAYS;
}

static uint32_t word_of(const struct program *p, uint32_t address) {
    return (address - p->base) / 4;
}

/* Marks what may run; what jumps may go to any target, which is more than it does. False if the flow
 * cannot be followed. */
static bool reach(struct analysis *a) {
    const struct program *p = a->p;
    uint32_t next = word_of(p, p->entry), done = 0;
    for (;;) {
        while (next < p->word_count && !a->reached[next]) {
            const struct op *op = &p->ops[next];
            if (op->code == OP_ILLEGAL || is_beyond(op))
                return false;
            a->reached[next] = true;
            if (op_has_target(op)) {
                const uint32_t target = word_of(p, op->target);
                if (target >= p->word_count)
                    return false;
                a->targets[a->target_count++] = target;
            }
            if (op->exit)
                break;
            next += op->words;
        }
        if (done == a->target_count)
            return true;
        next = a->targets[done++];
    }
}

/* Where lanes may have parted they wait with registers from other places: no one may look around
 * there. True if no one does. */
static bool looks_in_step(const struct analysis *a) {
    const struct program *p = a->p;
    uint32_t apart = 0; /* up to here */
    bool lost = false;
    for (uint32_t i = 0; i < p->word_count; i++) {
        const struct op *op = &p->ops[i];
        if (!a->reached[i])
            continue;
        const bool inside = i < apart;
        if ((inside || lost) && looks_around(op))
            return false;
        if (op->code == OP_JOINAT || op->code == OP_PREBREAK) {
            const uint32_t target = word_of(p, op->target);
            apart = target > apart ? target : apart;
        }
        lost |= parts_lanes(op) && !inside;
        if (op->code == OP_BRA && word_of(p, op->target) <= i && !inside)
            return false;
    }
    return true;
}

/* ---- what is needed ---- */

static struct places needed_after(const struct analysis *a, uint32_t i) {
    const struct op *op = &a->p->ops[i];
    struct places n = {{0}, 0};
    if (!op->exit && i + op->words < a->p->word_count)
        n = a->needed[i + op->words];
    for (uint32_t t = 0; jumps(op) && t < a->target_count; t++)
        places_add(&n, &a->needed[a->targets[t]]);
    return n;
}

static void visit(struct analysis *a, uint32_t i) {
    const struct op *op = &a->p->ops[i];
    const struct places after = needed_after(a, i), results = results_of(op),
                        sources = sources_of(op), before = a->needed[i];
    struct places n = after;
    if (replaces(op)) {
        n.r[0] &= ~results.r[0];
        n.r[1] &= ~results.r[1];
        n.other &= ~results.other;
    }
    if (is_observer(op) || places_meet(&after, &results))
        places_add(&n, &sources);
    add_addresses(&n, op);
    places_add(&n, &before);
    a->changed |= n.r[0] != before.r[0] || n.r[1] != before.r[1] || n.other != before.other;
    a->needed[i] = n;
}

static void mark(const struct analysis *a, struct op *ops) {
    for (uint32_t i = 0; i < a->p->word_count; i++) {
        if (!a->reached[i] || !is_texture(&ops[i]))
            continue;
        const struct places after = needed_after(a, i), results = results_of(&ops[i]);
        ops[i].tex.alone = !places_meet(&after, &results);
    }
}

void program_find_helpers(struct program *p) {
    struct analysis a = {.p = p};
    if (p->type != PROGRAM_FP || isa_set_of(p->variant) != SET_TESLA || !p->tex_slot_count)
        return;
    a.reached = calloc(p->word_count, sizeof *a.reached);
    a.needed = calloc(p->word_count, sizeof *a.needed);
    a.targets = calloc(p->word_count, sizeof *a.targets);
    if (a.reached && a.needed && a.targets && reach(&a) && looks_in_step(&a)) {
        do {
            a.changed = false;
            for (uint32_t i = p->word_count; i-- > 0;)
                if (a.reached[i])
                    visit(&a, i);
        } while (a.changed);
        mark(&a, p->ops);
    }
    free(a.reached);
    free(a.needed);
    free(a.targets);
}
