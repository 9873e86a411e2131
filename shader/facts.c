/* Finds facts of a program from its code alone: whether every lane computes the same (then the
 * registers of one warp serve all warps of a draw), whether running it has an effect beside its
 * results, whether it can fail, the constants, textures and v[] words that it can read, and the
 * o[] words that it can write. In: a decoded program. Out: program.facts. Knows no warp and no
 * state.
 */
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
        return operand_is_fixed(o);
    default:
        return false;
    }
}

static bool result_is_private(const struct operand *o) {
    return o->file == FILE_NONE || o->file == FILE_NULL || o->file == FILE_R || o->file == FILE_RH;
}

/* True for operations whose results depend on their operands alone. */
static bool is_plain(const struct op *op) {
    if (op->code == OP_LD)
        return op->src[0].file == FILE_CONST;
    if (op->code == OP_MOV)
        return op->lane_mask4 == 0xf;
    return op_is_arithmetic(op) || op->code == OP_NOP;
}

static bool is_uniform(const struct op *op) {
    const bool always = !op_is_conditional(op) || op->code == OP_NOP;
    /* The operands and results are registers. Where the operands are equal in a quad, so are the
     * results. */
    if (op_class(op) == CLASS_TEXTURE)
        return always;
    bool uniform = is_plain(op) && always && result_is_private(&op->dst);
    for (int k = 0; k < 3; k++)
        uniform &= source_is_uniform(&op->src[k]);
    return uniform;
}

/* True if op cannot trap, end the straight line, remove lanes or have an effect outside of the
 * warp. */
static bool is_harmless(const struct op *op) {
    return op->code != OP_SURFACE && op_class(op) != CLASS_ILLEGAL &&
           op_class(op) != CLASS_CONTROL && !op_has(op, TRAIT_SHARED) &&
           op->src[0].file != FILE_GLOBAL && op->dst.file != FILE_GLOBAL;
}

static bool is_infallible(const struct op *op) {
    return is_harmless(op) || op->code == OP_DISCARD;
}

/* False if running the instruction is an error: no handler executes it. */
static bool is_executed(const struct program *p, uint32_t i) {
    return isa_set_of(p->variant) == SET_TESLA || op_class(&p->ops[i]) == CLASS_CONTROL ||
           p->linked->op[i].fn[SIMD_BASE];
}

/* True if the code is a straight line of instructions that all pass the test. An exit flag ends all
 * lanes, even with a predicate that does not hold (tesla-isa.md §10). */
static bool straight_line(const struct program *p, bool (*test)(const struct op *op)) {
    for (uint32_t i = program_word(p, p->entry); i < p->word_count; i += p->ops[i].words) {
        const struct op *op = &p->ops[i];
        if (op->code == OP_EXIT && !op_is_conditional(op))
            return true;
        if (op->join || !test(op) || !is_executed(p, i))
            return false;
        if (op->exit)
            return true;
    }
    return false;
}

/* LDC with an address that runs on into the following banks may read all of them. */
static void add_banks(struct program_facts *f, unsigned first) {
    for (unsigned i = first; i < 16; i++) {
        f->const_extent[i] = 0x10000;
        f->const_slots |= 1u << i;
    }
}

static void add_constants(struct program_facts *f, const struct program *p, const struct op *op,
                          const struct operand *o) {
    if (o->file != FILE_CONST)
        return;
    if (isa_set_of(p->variant) == SET_FERMI && fermi_const_runs_on(op) && !operand_is_fixed(o)) {
        add_banks(f, o->index & 15);
        return;
    }
    uint32_t *extent = &f->const_extent[o->index & 15];
    /* 16-bit addresses; an access is at most 16 bytes wide */
    const uint32_t end = operand_is_fixed(o) ? (o->value & 0xffff) + 16 : 0x10000;
    *extent = end > *extent ? end : *extent;
    f->const_slots |= 1u << (o->index & 15);
}

static void add_words(uint32_t *bits, uint32_t count, bool any, uint32_t word) {
    for (uint32_t i = 0; i < count; i++)
        if (any || word == i)
            bits[i / 32] |= 1u << i % 32;
}

/* Adds the plane that a Fermi's interpolation reads; the linked op names the plane. */
static void add_plane(struct program_facts *f, const struct op *op, const struct linked_op *l) {
    const bool flat = op->interp_mode == FINTERP_FLAT;
    add_words(flat ? f->varying_flat : f->varying, VARYING_WORDS, !operand_is_fixed(&op->src[0]),
              l->attr[0]);
    f->centroid |= !flat && op->sub == FINTERP_CENTROID;
}

static void add_varying(struct program_facts *f, const struct program *p, uint32_t i) {
    const struct op *op = &p->ops[i];
    f->centroid |= op->code == OP_PIXLD && op->sub == PIXEL_CENTROID_OFFSET;
    f->samples |= op->code == OP_PIXLD;
    if (op->code != OP_INTERP)
        return;
    if (p->rows) {
        add_plane(f, op, &p->linked->op[i]);
        return;
    }
    add_words(op->interp_mode == INTERP_FLAT ? f->varying_flat : f->varying, VARYING_WORDS,
              op->src[0].areg, op->src[0].value >> 2);
    f->centroid |= op->interp_mode == INTERP_CENTROID;
}

/* True if op changes memory that other warps of a Fermi see. */
static bool writes_memory(const struct op *op) {
    const bool stores = op->code == OP_ST || op->code == OP_ST_UNLOCK || op->code == OP_RED;
    return (stores && op->dst.file == FILE_GLOBAL) || op->code == OP_ATOM ||
           (op->code == OP_SURFACE &&
            (op->sub == SURFACE_STORE_RAW || op->sub == SURFACE_STORE_TYPED));
}

static bool accesses_memory(const struct op *op) {
    return op->src[0].file == FILE_GLOBAL || op->dst.file == FILE_GLOBAL || op->code == OP_ATOM ||
           op->code == OP_RED || op->code == OP_SURFACE;
}

static bool may_look_at_addresses(const struct op *op) {
    return op_reads(op).a || op_writes(op).a || op_addresses(op).a;
}

void program_find_facts(struct program *p) {
    struct program_facts *f = &p->facts;
    *f = (struct program_facts){.uniform = straight_line(p, is_uniform),
                                .harmless = straight_line(p, is_harmless),
                                .infallible = straight_line(p, is_infallible)};
    for (uint32_t i = 0; i < p->word_count; i++) {
        if (!p->reached[i])
            continue;
        for (int k = 0; k < 3; k++)
            add_constants(f, p, &p->ops[i], &p->ops[i].src[k]);
        add_varying(f, p, i);
        if (p->ops[i].dst.file == FILE_OUT)
            add_words(f->results, 8 * sizeof f->results, p->ops[i].dst.areg,
                      p->ops[i].dst.value >> 2);
        p->header.writes_memory |= p->rows && writes_memory(&p->ops[i]);
        f->memory |= p->rows && accesses_memory(&p->ops[i]);
        f->addresses |= may_look_at_addresses(&p->ops[i]);
    }
    program_find_cleared(p);
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        if (p->tex_slot[i].tic < 32)
            f->textures |= 1u << p->tex_slot[i].tic;
        if (p->tex_slot[i].tsc < 32)
            f->samplers |= 1u << p->tex_slot[i].tsc;
    }
}
