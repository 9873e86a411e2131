/* What a program's code alone tells: whether every lane computes the same (then one warp's registers
 * are those of all warps of a draw), whether nobody sees if it runs or not, whether it may fail, what
 * it may read. In: a decoded program. Out: its facts, for all who decide by them. Knows no warp and no
 * state.
 */
#include "shader/facts.h"

#include "shader/exec.h"

static bool source_is_uniform(const struct operand *o) {
    switch (o->file) {
    case FILE_NONE:
    case FILE_R:
    case FILE_RH:
    case FILE_C:
    case FILE_IMM:
        return true;
    case FILE_CONST:
        return o->areg == 0;
    default:
        return false;
    }
}

static bool result_is_private(const struct operand *o) {
    return o->file == FILE_NONE || o->file == FILE_NULL || o->file == FILE_R || o->file == FILE_RH;
}

/* Operations that look at nothing but their operands. */
static bool is_plain(const struct op *op) {
    if (op->code == OP_LD)
        return op->src[0].file == FILE_CONST;
    if (op->code == OP_MOV)
        return op->lane_mask4 == 0xf;
    return (op->code >= OP_IADD && op->code <= OP_EX2) ||
           (op->code >= OP_DFMA && op->code <= OP_DSET) || op->code == OP_NOP;
}

static bool is_uniform(const struct op *op) {
    const bool always = op->pred == PRED_ALWAYS || op->code == OP_NOP;
    bool uniform = is_plain(op) && always && result_is_private(&op->dst);
    for (int k = 0; k < 3; k++)
        uniform &= source_is_uniform(&op->src[k]);
    return uniform;
}

/* Nothing that can trap, leave the line, remove lanes or be seen from outside. */
static bool is_harmless(const struct op *op) {
    return op->code != OP_ILLEGAL && op->code < OP_DISCARD &&
           !(op->code >= OP_LD_LOCK && op->code <= OP_ATOM) && op->src[0].file != FILE_GLOBAL &&
           op->dst.file != FILE_GLOBAL;
}

static bool is_infallible(const struct op *op) {
    return is_harmless(op) || op->code == OP_DISCARD;
}

/* True if the code is a straight line of instructions that all pass the test. An exit ends all
 * lanes, whatever the instruction's predicate says (tesla-isa.md §10). */
static bool straight_line(const struct program *p, bool (*test)(const struct op *op)) {
    for (uint32_t i = (p->entry - p->base) / 4; i < p->word_count; i += p->ops[i].words) {
        const struct op *op = &p->ops[i];
        if (op->join || !test(op))
            return false;
        if (op->exit)
            return true;
    }
    return false;
}

bool op_needs_state(const struct op *op) {
    enum { SPECIAL_CLOCK = 1 };
    return (op->code == OP_MOV_FROM_SPECIAL && op->src[0].value == SPECIAL_CLOCK) ||
           op_reads_clock(op) ||
           ((op->code == OP_RED || op->code == OP_ATOM) && op->atomic == ATOMIC_TRAP);
}

static void add_constants(struct program_facts *f, const struct operand *o) {
    if (o->file != FILE_CONST)
        return;
    uint32_t *extent = &f->const_extent[o->index & 15];
    /* 16-bit addresses; an access is at most 16 bytes wide */
    const uint32_t end =
        o->areg || (o->flags & OPERAND_POSTINC) ? 0x10000 : (o->value & 0xffff) + 16;
    *extent = end > *extent ? end : *extent;
    f->const_slots |= 1u << (o->index & 15);
}

static void add_varying(struct program_facts *f, const struct op *op) {
    if (op->code != OP_INTERP)
        return;
    uint32_t *bits = op->interp_mode == INTERP_FLAT ? f->varying_flat : f->varying;
    f->centroid |= op->interp_mode == INTERP_CENTROID;
    for (uint32_t word = 0; word < 96; word++)
        if (op->src[0].areg || op->src[0].value >> 2 == word)
            bits[word / 32] |= 1u << word % 32;
}

/* ---- which registers are read before they are written ---- */

/* Registers 0 to 127, a bit each. */
struct register_set {
    uint64_t bits[2];
};

static void add_registers(struct register_set *s, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count && i < 128; i++)
        s->bits[i / 64] |= UINT64_C(1) << i % 64;
}

uint32_t operand_registers(const struct operand *o) {
    switch (o->type) {
    case TYPE_B128:
        return 4;
    case TYPE_B64:
    case TYPE_U64:
    case TYPE_S64:
    case TYPE_F64:
        return 2;
    default:
        return 1;
    }
}

static void add_operand(struct register_set *s, const struct operand *o) {
    if (o->file == FILE_R)
        add_registers(s, o->value, operand_registers(o));
    else if (o->file == FILE_RH)
        add_registers(s, o->value >> 1, 1);
}

static bool is_texture(const struct op *op) {
    return op->code >= OP_TEXAUTO && op->code <= OP_TEXGATHER;
}

/* Operations whose operands say all about what they read and write. */
static bool is_told_by_operands(const struct op *op) {
    return is_plain(op) || op->code == OP_MOV || op->code == OP_INTERP || op->code == OP_DISCARD ||
           is_texture(op);
}

/* What op reads, and what it writes in all lanes that have not ended; what it writes in some counts as
 * read. */
static void list_registers(const struct op *op, struct register_set *reads,
                           struct register_set *writes) {
    const bool all = op->pred == PRED_ALWAYS && op->guard == PRED_TRUE &&
                     (op->code != OP_MOV || op->lane_mask4 == 15) &&
                     !(is_texture(op) && (op->tex.live || op->tex.alone || op->tex.unseen)) &&
                     op->dst.file != FILE_RH;
    struct register_set *results = all ? writes : reads;
    for (int k = 0; k < 3; k++)
        add_operand(reads, &op->src[k]);
    add_operand(results, &op->dst);
    if (!is_texture(op))
        return;
    add_registers(reads, op->tex.base, op->tex.source_count);
    add_registers(results, op->tex.base, (uint32_t)__builtin_popcount(op->tex.result_mask & 15));
}

/* Along the straight line from the entry; what is not written there counts as read behind it. */
static void find_cleared(const struct program *p, struct program_facts *f) {
    struct register_set written = {{0}};
    const struct op *op = NULL;
    for (uint32_t i = (p->entry - p->base) / 4; i < p->word_count && !(op && op->exit);
         i += op->words) {
        op = &p->ops[i];
        if (!is_told_by_operands(op)) /* nor a join: nothing is on the stack yet */
            break;
        struct register_set reads = {{0}}, writes = {{0}};
        list_registers(op, &reads, &writes);
        for (int k = 0; k < 2; k++) {
            f->cleared[k] |= reads.bits[k] & ~written.bits[k];
            written.bits[k] |= writes.bits[k];
        }
    }
    struct register_set allocated = {{0}};
    add_registers(&allocated, 0, p->header.reg_count);
    for (int k = 0; k < 2; k++)
        f->cleared[k] = (f->cleared[k] | ~written.bits[k]) & allocated.bits[k];
}

static bool names_address(const struct operand *o) {
    return o->file == FILE_A || o->areg;
}

static bool may_look_at_addresses(const struct op *op) {
    bool may = op->code == OP_MOV_FROM_ADDR || names_address(&op->dst);
    for (int k = 0; k < 3; k++)
        may |= names_address(&op->src[k]);
    return may;
}

void program_find_facts(struct program *p) {
    struct program_facts *f = &p->facts;
    *f = (struct program_facts){.uniform = straight_line(p, is_uniform),
                                .harmless = straight_line(p, is_harmless),
                                .infallible = straight_line(p, is_infallible)};
    for (uint32_t i = 0; i < p->word_count; i++) {
        for (int k = 0; k < 3; k++)
            add_constants(f, &p->ops[i].src[k]);
        add_varying(f, &p->ops[i]);
        f->addresses |= may_look_at_addresses(&p->ops[i]);
    }
    find_cleared(p, f);
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        if (p->tex_slot[i].tic < 32)
            f->textures |= 1u << p->tex_slot[i].tic;
        if (p->tex_slot[i].tsc < 32)
            f->samplers |= 1u << p->tex_slot[i].tsc;
    }
}
