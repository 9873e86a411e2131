/* Links a program for the interpreter: chooses each instruction's handler at every SIMD level the
 * CPU has, resolves register operands to rows of warp.r within the allocation, and marks
 * instructions that need nothing but their handler. In: program.ops. Out: program.linked. Executes
 * nothing.
 */
#include "shader/exec_fermi_graphics.h"
#include "shader/fermi.h"
#include "shader/sph.h"

typedef exec_fn *select_fn(const struct op *op);

static select_fn *const selectors[][SIMD_LEVELS] = {
    SIMD_TABLE(exec_alu_select),
    SIMD_TABLE(exec_memory_select),
    SIMD_TABLE(exec_special_select),
};

/* The handler of an instruction whose destination is beyond the allocation: the instruction is
 * skipped as a whole (tesla-isa.md §2.2) and writes neither memory nor $c. */
static void skip(struct warp *, const struct warp_env *, const struct linked_op *, lane_mask) {
}

static uint32_t allocated(const struct program *p) {
    uint32_t n = p->header.reg_count;
    return n < WARP_REGS ? n : WARP_REGS;
}

static bool is_register(const struct operand *o) {
    return o->file == FILE_R || o->file == FILE_RH;
}

/* The row of a register operand, or `missing` if it is not a register or not allocated. */
static uint16_t row_of(const struct operand *o, uint32_t limit, uint16_t missing) {
    if (!is_register(o))
        return missing;
    uint32_t row = o->file == FILE_RH ? o->value >> 1 : o->value;
    return row < limit ? (uint16_t)row : missing;
}

/* True for a store or reduction in g[] that is skipped. The datum is encoded in the destination
 * field and follows that field's rule: if its register is not allocated, nothing is written, not
 * even 0. The zero register of Fermi and of generic64 is no register here. */
static bool stores_nothing(const struct op *op, uint32_t limit) {
    const struct operand *datum = &op->src[op->code == OP_RED];
    if ((op->code != OP_ST && op->code != OP_RED) || op->dst.file != FILE_GLOBAL)
        return false;
    return is_register(datum) && row_of(datum, limit, WARP_REGS) == WARP_REGS;
}

static select_fn *const fermi_selectors[][SIMD_LEVELS] = {
    SIMD_TABLE(exec_fermi_int_select),
    SIMD_TABLE(exec_fermi_float_select),
    {exec_fermi_graphics_select, exec_fermi_graphics_select, exec_fermi_graphics_select},
    SIMD_TABLE(exec_fermi_memory_select),
    SIMD_TABLE(exec_fermi_atomics_select),
    SIMD_TABLE(exec_fermi_surface_select),
    SIMD_TABLE(exec_fermi_special_select),
};

static bool rounds_denormals_to_zero(const struct op *op) {
    return op->src[0].type == TYPE_F32 && (op->type == TYPE_S32 || op->type == TYPE_U32) &&
           (op->round == ROUND_RN || op->round == ROUND_RZ);
}

/* True if SLCT tests an integer, so that it compares no floats. */
static bool compares_integers(const struct op *op) {
    return op->code == OP_SLCT && op->src[2].type != TYPE_F32;
}

/* The mode that the operation needs, by its traits and class. Operations of the special function
 * unit, of minimum and maximum and of integers do not depend on MXCSR. A conversion of a float
 * does, except from single to a 32-bit integer with rounding to nearest or to zero. Saturation
 * compares, and so depends on MXCSR. */
enum fermi_denormals fermi_denormals(const struct op *op) {
    const enum op_class class = op_class(op);
    const bool single = class == CLASS_FLOAT || class == CLASS_FUNCTION;
    if (op->code == OP_FMNMX && op->ftz && !op->sat)
        return DENORMALS_FLUSHED; /* the stencil needs the mode, the handler does not */
    if (op_has(op, TRAIT_FTZ))
        return compares_integers(op) ? DENORMALS_ANY
               : op->ftz || op->fmz  ? DENORMALS_FLUSHED
                                     : DENORMALS_KEPT;
    if (class == CLASS_CONVERSION) {
        if (!type_is_float(op->src[0].type) || rounds_denormals_to_zero(op))
            return DENORMALS_ANY;
        return op->ftz && op->src[0].type == TYPE_F32 && op->type != TYPE_F16 ? DENORMALS_FLUSHED
                                                                              : DENORMALS_KEPT;
    }
    return op_has(op, TRAIT_KEEPS) || class == CLASS_DOUBLE || (single && op->sat && !op->ftz)
               ? DENORMALS_KEPT
               : DENORMALS_ANY;
}

/* True for operations whose stencils need a mode that keeps denormals: in another mode the stencils
 * call handlers. */
static bool is_slow_flushed(const struct op *op) {
    return (op_has(op, TRAIT_FTZ) && !op_has(op, TRAIT_QUAD)) ||
           (op->code == OP_CVT && op->src[0].type == TYPE_F32 && op->type != TYPE_F64);
}

/* True if warps of p run with a mode that flushes denormals. Tesla's always do. Others do on hosts
 * that flush after they round, if at least as many operations want flushing as would be slow with
 * it. */
static bool should_flush(const struct program *p) {
    uint32_t flushed = 0, kept = 0;
    if (isa_set_of(p->variant) == SET_TESLA)
        return true;
#if !defined(FP_FLUSHES_LATE)
    return false;
#endif
    for (uint32_t i = 0; i < p->word_count; i++) {
        const enum fermi_denormals want =
            p->reached[i] ? fermi_denormals(&p->ops[i]) : DENORMALS_ANY;
        flushed += want == DENORMALS_FLUSHED;
        kept += want == DENORMALS_KEPT && is_slow_flushed(&p->ops[i]);
    }
    return flushed >= kept;
}

/* True for operations that the fast arithmetic has. generic64's functions reduce their arguments
 * themselves; they stay exact. */
static bool has_fast_form(const struct program *p, const struct op *op) {
    switch (op->code) {
    case OP_FMAD:
    case OP_RCP:
    case OP_RSQRT:
    case OP_LG2:
    case OP_EX2:
    case OP_SIN:
    case OP_COS:
    case OP_PRESIN:
    case OP_PREEX2:
        return op->type == TYPE_F32 && isa_set_of(p->variant) != SET_G64;
    default:
        return false;
    }
}

void program_set_fast(struct program *p) {
    for (uint32_t i = 0; i < p->word_count; i++)
        p->ops[i].fast = p->flushes && has_fast_form(p, &p->ops[i]);
}

static exec_fn *select_fermi(const struct program *p, const struct op *op, int level) {
    SIMD_CHOICE(kept, exec_fermi_kept);
    SIMD_CHOICE(doubles, exec_fermi_double_select);
    exec_fn *fn = doubles[level](op);
    if (!fn && p->flushes && fermi_denormals(op) == DENORMALS_KEPT && fermi_selectors[1][level](op))
        return kept[level];
    for (size_t i = 0; !fn && i < sizeof fermi_selectors / sizeof *fermi_selectors; i++)
        fn = fermi_selectors[i][level](op);
    return fn;
}

static exec_fn *select_handler(const struct program *p, const struct op *op, int level) {
    if (isa_set_of(p->variant) != SET_TESLA)
        return select_fermi(p, op, level);
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        exec_fn *fn = selectors[i][level](op);
        if (fn)
            return fn;
    }
    return NULL;
}

/* Float source modifiers as masks. */
static void link_modifiers(const struct op *op, struct linked_op *l) {
    for (int i = 0; i < 3; i++) {
        l->keep[i] = op->src[i].flags & OPERAND_ABS ? 0x7fffffffu : ~0u;
        l->flip[i] = op->src[i].flags & OPERAND_NEG ? 0x80000000u : 0;
    }
}

static void link_uniform(const struct operand *o, struct linked_op *l) {
    if (o->file == FILE_IMM) {
        l->space = SPACE_IMMEDIATE;
        l->word = o->value;
    } else if (o->file == FILE_CONST && operand_is_fixed_word(o)) {
        l->space = o->index & 15;
        l->word = o->value;
    }
}

static void link_attributes(const struct program *p, const struct op *op, struct linked_op *l) {
    const struct operand *o = op->code == OP_ST ? &op->dst : &op->src[0];
    memset(l->attr, ROW_NONE, sizeof l->attr);
    if (o->file != FILE_ATTR || !operand_is_fixed(o) || isa_set_of(p->variant) == SET_TESLA)
        return;
    for (uint32_t k = 0; k < 4; k++)
        l->attr[k] = fermi_attribute_row(p, op, o->value / 4 + k);
}

static void link_op(const struct program *p, uint32_t index, struct linked_op *l) {
    const struct op *op = &p->ops[index];
    const uint32_t limit = allocated(p);
    l->op = op;
    l->dst = row_of(&op->dst, limit, WARP_REGS + 1);
    for (int i = 0; i < 3; i++)
        l->src[i] = row_of(&op->src[i], limit, WARP_REGS);
    l->space = SPACE_NONE;
    l->next = program_address(p, index) + 4 * op->words;
    const bool dropped = (is_register(&op->dst) && l->dst > WARP_REGS) || stores_nothing(op, limit);
    l->skipped = dropped && select_handler(p, op, SIMD_BASE);
    for (int level = 0; level <= (int)simd_best(); level++) {
        l->fn[level] = select_handler(p, op, level);
        if (l->fn[level] && dropped)
            l->fn[level] = skip;
    }
    link_modifiers(op, l);
    for (int i = 0; i < 3; i++)
        link_uniform(&op->src[i], l);
    link_attributes(p, op, l);
    l->words = op->words;
    l->run =
        l->fn[SIMD_BASE] && !op_is_conditional(op) && !op->join && !op->exit && !op_needs_state(op);
}

/* Counts the length of each instruction's straight line, from the last instruction to the first. */
static void link_runs(struct linked_program *p) {
    for (uint32_t i = p->count; i-- > 0;) {
        struct linked_op *l = &p->op[i];
        if (l->run && i + l->words < p->count)
            l->run += l[l->words].run;
    }
}

int exec_link(struct program *p) {
    struct linked_program *linked = calloc(1, sizeof *linked);
    if (!linked)
        return -1;
    linked->op = calloc(p->word_count ? p->word_count : 1, sizeof *linked->op);
    if (!linked->op) {
        free(linked);
        return -1;
    }
    linked->count = p->word_count;
    p->flushes = should_flush(p);
    for (uint32_t i = 0; i < p->word_count; i++)
        link_op(p, i, &linked->op[i]);
    link_runs(linked);
    p->linked = linked;
    return 0;
}

void exec_unlink(struct program *p) {
    if (!p->linked)
        return;
    free(p->linked->op);
    free(p->linked);
    p->linked = NULL;
}
