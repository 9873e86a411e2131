/* Finds the stencil of an operation: by a key of all that its shape is made of (shapes.h). */
#include "shader/native/code.h"
#include "shader/native/shapes.h"

#include <pthread.h>

/* ---- keys ---- */

static bool is_float_op(unsigned code) {
    return code >= OP_FADD && code <= OP_FSET;
}

/* Bits of a key, from the lowest. */
struct key {
    uint64_t bits;
    unsigned used;
};

static void put(struct key *k, unsigned width, unsigned value) {
    k->bits |= (uint64_t)(value & ((1u << width) - 1)) << k->used;
    k->used += width;
}

static bool saturates(const struct op *op) {
    switch (op->code) {
    case OP_FADD: case OP_FMUL: case OP_FMAD: case OP_FFMA: case OP_EX2: case OP_IADD: case OP_IMAD: case OP_CVT:
        return op->sat;
    default:
        return false;
    }
}

static bool is_half(const struct operand *o) {
    return o->file == FILE_RH || (o->file != FILE_R && (o->type == TYPE_B16 || o->type == TYPE_U16 ||
                                                        o->type == TYPE_S16 || o->type == TYPE_F16));
}

/* Sign modifiers of floats are steps of their own, except conversions' of integers. */
static unsigned source_flags(const struct op *op, int i) {
    const unsigned flags = op->src[i].flags & (OPERAND_NEG | OPERAND_ABS | OPERAND_NOT);
    if (op->code == OP_LOGIC)
        return flags & OPERAND_NOT;
    return op->code == OP_CVT && op->src[i].type != TYPE_F32 ? flags : 0;
}

/* What Fermi and generic64 have beside that. */
static void put_fermi(struct key *k, const struct op *op) {
    const bool max = op->code == OP_FMNMX && op->psrc[0] & PRED_NOT;
    put(k, 1, op->ftz);
    put(k, 1, op->carry_in);
    put(k, 1, op->code == OP_FMNMX ? max : op->code == OP_POPC && op->src[1].file != FILE_NONE);
    put(k, 2, op->code == OP_FADD ? op->add_kind : 0);
    put(k, 5, op->code == OP_SLCT && op->cond ? op->src[2].type : 0);
}

static uint64_t key_of(const struct op *op) {
    struct key k = {0};
    const bool conversion = op->code == OP_CVT;
    const bool set = op->code == OP_ISET || op->code == OP_FSET || op->code == OP_SLCT;
    put(&k, 9, op->code);
    put(&k, 5, op->type);
    put(&k, 1, op->cdst != NO_FLAGS_DST);
    put(&k, 1, saturates(op));
    put(&k, 4, set ? op->cond : 0);
    put(&k, 2, op->code == OP_IADD || op->code == OP_IMAD ? op->add_kind : 0);
    put(&k, 2, op->code == OP_LOGIC ? op->logic : 0);
    put(&k, 2, op->code == OP_FADD || op->code == OP_FMUL || conversion ? op->round : 0);
    put(&k, 1, op->code == OP_IMUL || op->code == OP_IMAD ? op->high : 0);
    put(&k, 1, conversion ? op->integral : 0);
    put(&k, 1, conversion ? is_half(&op->dst) : 0);
    const bool typed = conversion || op->code == OP_IMUL || op->code == OP_IMAD;
    put(&k, 5, typed ? op->src[0].type : 0);
    put(&k, 5, typed && !conversion ? op->src[1].type : 0);
    put(&k, 3, source_flags(op, 0));
    put(&k, 3, source_flags(op, 1));
    if (op->code == OP_QUADOP) {
        put(&k, 3, op->quad_lane);
        for (int i = 0; i < 4; i++)
            put(&k, 2, op->quad_ops[i]);
    } else {
        put_fermi(&k, op);
    }
    return k.bits;
}

/* ---- the table ---- */

enum { SLOTS = 2048 };
#define FERMI_KEY (UINT64_C(1) << 63)
#define ZERO_KEY (UINT64_C(1) << 62) /* MODE_MUL_ZERO_WINS */

static struct {
    uint64_t key;
    enum stencil_id id;
} slots[SLOTS];

static uint32_t slot_of(uint64_t key) {
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
    while (slots[i].id != ST_NONE && slots[i].key != key)
        i = (i + 1) % SLOTS;
    return i;
}

static void add(struct op op, uint64_t beside, enum stencil_id id) {
    const uint64_t key = key_of(&op) | beside;
    const uint32_t i = slot_of(key);
    slots[i].key = key;
    slots[i].id = id;
}

static void fill(void) {
#define X(name, handler, ...)                                                                      \
    add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, 0, ST_##name);
    SHAPE_LIST(X)
    SHAPE_TABLE_LIST(X)
#undef X
#define X(name, handler, ...)                                                                      \
    add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, ZERO_KEY, ST_##name);
    SHAPE_ZERO_LIST(X)
#undef X
#define X(name, handler, ...) add((struct op){__VA_ARGS__}, 0, ST_##name);
    SHAPE_FLAGS_LIST(X)
#undef X
#define X(name, handler, ...)                                                                      \
    add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, FERMI_KEY, ST_##name);
    SHAPE_FERMI_LIST(X)
#undef X
#define X(name, handler, ...) add((struct op){__VA_ARGS__}, FERMI_KEY, ST_##name);
    SHAPE_FERMI_FLAGS_LIST(X)
#undef X
}

static enum stencil_id shape_of_key(uint64_t key) {
    return slots[slot_of(key)].id;
}

/* Modifiers that no shape has. */
static bool is_unusual(const struct op *op) {
    const bool set = op->code == OP_ISET || op->code == OP_FSET;
    const bool min_max = op->code == OP_IMNMX || op->code == OP_FMNMX;
    const bool float_sat = op->code == OP_FADD || op->code == OP_FMUL || op->code == OP_FFMA;
    const unsigned not = (op->src[0].flags | op->src[1].flags) & OPERAND_NOT;
    return op->fmz || op->scale || op->wrap || op->reverse || op->integral || op->round ||
           op->add_kind > ADD_SUBR || (not && op->code != OP_LOGIC) || (op->sat && !float_sat) ||
           (set && op->dst.file == FILE_R && op->dst.type == TYPE_F32) ||
           (min_max && (op->sub || (op->psrc[0] & 31) != PRED_TRUE));
}

/* An operation of Fermi or generic64 in the form that the shapes have: with Tesla's where that computes
 * the same, as integers and special functions do. */
static struct op fermi_usual(const struct op *op) {
    struct op u = *op;
    switch (op->code) {
    case OP_IADD:
    case OP_LOGIC:
    case OP_SHL:
    case OP_POPC:
        u.type = TYPE_B32;
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
    static const bool same[OPCODES] = {[OP_IADD] = true, [OP_LOGIC] = true, [OP_ISET] = true,
                                       [OP_IMIN] = true, [OP_IMAX] = true, [OP_SAD] = true,
                                       [OP_RCP] = true,  [OP_RSQRT] = true, [OP_LG2] = true,
                                       [OP_EX2] = true,  [OP_SIN] = true,  [OP_COS] = true};
    const struct op u = fermi_usual(op);
    const bool shift = op->code == OP_SHL || op->code == OP_SHR;
    if (is_unusual(op))
        return ST_NONE;
    const enum stencil_id own = shape_of_key(key_of(&u) | FERMI_KEY);
    const bool agrees = (same[u.code] && !op->carry_in) || (shift && op->cdst == NO_FLAGS_DST);
    return own == ST_NONE && agrees ? shape_of_key(key_of(&u)) : own;
}

/* generic64's functions reduce their argument, Fermi's have it done. */
static bool reduces_itself(const struct op *op) {
    return op->code == OP_EX2 || op->code == OP_SIN || op->code == OP_COS;
}

enum stencil_id shape_find(const struct op *op, uint32_t mode, const struct program *p) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    if (isa_set_of(p->variant) != SET_TESLA)
        return p->variant == ISA_G64 && reduces_itself(op) ? ST_NONE : fermi_shape(op);
    struct op usual = *op;
    if (op->code == OP_FMUL && p->variant < ISA_G200)
        usual.sat = false;
    if ((mode & MODE_SAT_NAN) && saturates(&usual))
        return ST_NONE;
    if (op->code == OP_QUADOP && op->quad_lane >= QUAD_DX && p->type != PROGRAM_FP)
        return ST_NONE;
    if (is_float_op(op->code) && op->type != TYPE_F32 && op->code != OP_SLCT)
        return ST_NONE;
    const bool product = op->code == OP_FMUL || op->code == OP_FMAD;
    return shape_of_key(key_of(&usual) |
                        (product && (mode & MODE_MUL_ZERO_WINS) ? ZERO_KEY : 0));
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
