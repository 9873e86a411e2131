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
    case OP_FADD: case OP_FMUL: case OP_FMAD: case OP_EX2: case OP_IADD: case OP_IMAD: case OP_CVT:
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

static uint64_t key_of(const struct op *op) {
    struct key k = {0};
    const bool conversion = op->code == OP_CVT, set = op->code == OP_ISET || op->code == OP_FSET;
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
    }
    return k.bits;
}

/* ---- the table ---- */

enum { SLOTS = 2048 };

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

static void add(struct op op, enum stencil_id id) {
    const uint64_t key = key_of(&op);
    const uint32_t i = slot_of(key);
    slots[i].key = key;
    slots[i].id = id;
}

static void fill(void) {
#define X(name, handler, ...) add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, ST_##name);
    SHAPE_LIST(X)
    SHAPE_TABLE_LIST(X)
#undef X
#define X(name, handler, ...) add((struct op){__VA_ARGS__}, ST_##name);
    SHAPE_FLAGS_LIST(X)
#undef X
}

enum stencil_id shape_find(const struct op *op, uint32_t mode, const struct program *p) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    struct op usual = *op;
    if (op->code == OP_FMUL && p->variant < ISA_G200)
        usual.sat = false;
    if ((mode & MODE_SAT_NAN) && saturates(&usual))
        return ST_NONE;
    if ((mode & MODE_MUL_ZERO_WINS) && (op->code == OP_FMUL || op->code == OP_FMAD))
        return ST_NONE;
    if (op->code == OP_QUADOP && op->quad_lane >= QUAD_DX && p->type != PROGRAM_FP)
        return ST_NONE;
    if (is_float_op(op->code) && op->type != TYPE_F32 && op->code != OP_SLCT)
        return ST_NONE;
    return slots[slot_of(key_of(&usual))].id;
}
