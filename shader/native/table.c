/* Finds the stencil of an operation by the key of its shape (shapes.h). */
#include "shader/native/machine_code.h"
#include "shader/native/keys.h"

#include "shader/fermi.h"

static enum stencil_id shape_of_key(uint64_t key) {
    return (enum stencil_id)shape_slots[shape_slot_of(shape_slots, key)].id;
}

/* True if op wraps its shift count, and the count may be 32 or more. Smaller counts stay the same
 * whether they are wrapped or clamped. */
static bool wraps(const struct op *op) {
    return op->wrap && !(op->src[1].file == FILE_IMM && op->src[1].value < 32);
}

/* True if op has a modifier that no shape has. */
static bool is_unusual(const struct op *op) {
    const bool min_max = op->code == OP_IMNMX || op->code == OP_FMNMX;
    const bool float_sat = op->code == OP_FADD || op->code == OP_FMUL || op->code == OP_FFMA;
    const unsigned not = (op->src[0].flags | op->src[1].flags) & OPERAND_NOT;
    if (op->code == OP_CVT)
        return op->part[0] || op->cdst != NO_FLAGS_DST;
    return (op->fmz && op->code != OP_FMUL) || op->scale || wraps(op) || op->reverse ||
           op->integral || op->round || op->add_kind > ADD_SUBR || (not&&op->code != OP_LOGIC) ||
           (op->sat && !float_sat) || (op->code == OP_BFIND && op->shift_amount) ||
           (min_max && (op->sub || (op->psrc[0] & 31) != PRED_TRUE));
}

/* Brings an operation of Fermi or generic64 into the form that the shapes have: into Tesla's form
 * where Tesla computes the same (integers and special functions). */
static struct op fermi_usual(const struct op *op) {
    struct op u = *op;
    switch (op->code) {
    case OP_IADD:
    case OP_LOGIC:
    case OP_SHL:
    case OP_POPC:
        u.type = TYPE_B32;
        break;
    case OP_CVT:
        u.ftz = fermi_denormals(op) != DENORMALS_ANY && op->ftz;
        u.integral |= type_is_float(op->src[0].type) && !type_is_float(op->type);
        break;
    case OP_IMNMX:
        u.code = op->psrc[0] & PRED_NOT ? OP_IMAX : OP_IMIN;
        break;
    case OP_IMUL:
    case OP_IMAD:
        u.type = TYPE_NONE;
        if (!op->high)
            u.src[0].type = u.src[1].type = TYPE_U32;
        break;
    default:
        break;
    }
    return u;
}

static enum stencil_id fermi_shape(const struct op *op) {
    static const bool same[OPCODES] = {
        [OP_IADD] = true, [OP_LOGIC] = true, [OP_ISET] = true, [OP_IMIN] = true,
        [OP_IMAX] = true, [OP_SAD] = true,   [OP_RCP] = true,  [OP_RSQRT] = true,
        [OP_LG2] = true,  [OP_EX2] = true,   [OP_SIN] = true,  [OP_COS] = true};
    const struct op u = fermi_usual(op);
    const bool shift = op->code == OP_SHL || op->code == OP_SHR;
    if (is_unusual(op))
        return ST_NONE;
    const enum stencil_id own = shape_of_key(shape_key(&u) | SHAPE_FERMI);
    const bool agrees =
        ((same[u.code] || op->fast) && !op->carry_in) || (shift && op->cdst == NO_FLAGS_DST);
    return own == ST_NONE && agrees ? shape_of_key(shape_key(&u)) : own;
}

/* True for functions that reduce their argument, in generic64. Fermi's arguments are prepared. */
static bool reduces_itself(const struct op *op) {
    return op->code == OP_EX2 || op->code == OP_SIN || op->code == OP_COS;
}

/* True if the operation's stencil can run with the program's MXCSR. The stencil of derivatives
 * without FTZ needs an MXCSR that flushes. */
static bool fits_denormals(const struct op *op, const struct program *p) {
    const enum fermi_denormals want = fermi_denormals(op);
    return want == DENORMALS_ANY ||
           (want == DENORMALS_FLUSHED || op->code == OP_QUADOP) == p->flushes;
}

enum stencil_id shape_find(const struct op *op, uint32_t mode, const struct program *p) {
    if (isa_set_of(p->variant) != SET_TESLA)
        return (p->variant == ISA_G64 && reduces_itself(op)) || !fits_denormals(op, p)
                   ? ST_NONE
                   : fermi_shape(op);
    struct op usual = *op;
    if (op->code == OP_FMUL && p->variant < ISA_G200)
        usual.sat = false;
    if ((mode & MODE_SAT_NAN) && shape_saturates(&usual))
        return ST_NONE;
    if (op->code == OP_QUADOP && op->quad_lane >= QUAD_DX && p->type != PROGRAM_FP)
        return ST_NONE;
    if (op_class(op) == CLASS_FLOAT && op->type != TYPE_F32 && op->code != OP_SLCT)
        return ST_NONE;
    if (op->code == OP_FMAD && !needs_tests(op, mode) && !op->fast)
        return op->sat ? ST_fmad_bold_sat : ST_fmad_bold;
    const bool product = op->code == OP_FMUL || op->code == OP_FMAD;
    return shape_of_key(shape_key(&usual) |
                        (product && (mode & MODE_MUL_ZERO_WINS) ? SHAPE_ZERO : 0));
}

enum stencil_id shape_find_pair(enum stencil_id first, enum stencil_id second) {
    static const struct {
        uint16_t first, second, both;
    } pairs[] = {
#define X(name, first, second) {ST_##first, ST_##second, ST_##name},
        PAIR_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].first == first && pairs[i].second == second)
            return (enum stencil_id)pairs[i].both;
    return ST_NONE;
}
