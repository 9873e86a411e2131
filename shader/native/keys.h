/* The key of an operation's shape (shapes.h), and the table that finds the stencil of a key: made
 * at build time by slots.c, read by table.c.
 */
#pragma once

#include "shader/native/shapes.h"

enum { SHAPE_SLOTS = 1024 };

struct shape_slot {
    uint64_t key;
    uint16_t id; /* enum stencil_id; ST_NONE: free */
};

/* Bits of a key. SHAPE_FERMI: an operation of Fermi or generic64. SHAPE_ZERO: products are 0 where
 * a factor is 0 (MODE_MUL_ZERO_WINS). */
#define SHAPE_FERMI (UINT64_C(1) << 63)
#define SHAPE_ZERO (UINT64_C(1) << 62)

/* The slot that has the key, or else the free slot for it. */
static inline uint32_t shape_slot_of(const struct shape_slot slot[SHAPE_SLOTS], uint64_t key) {
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) % SHAPE_SLOTS;
    while (slot[i].id != ST_NONE && slot[i].key != key)
        i = (i + 1) % SHAPE_SLOTS;
    return i;
}

extern const struct shape_slot shape_slots[SHAPE_SLOTS];

/* A key that is being made, from its lowest bit on. */
struct key_bits {
    uint64_t bits;
    unsigned used;
};

static inline void shape_put(struct key_bits *k, unsigned width, unsigned value) {
    k->bits |= (uint64_t)(value & ((1u << width) - 1)) << k->used;
    k->used += width;
}

static inline bool shape_saturates(const struct op *op) {
    switch (op->code) {
    case OP_FADD:
    case OP_FMUL:
    case OP_FMAD:
    case OP_FFMA:
    case OP_EX2:
    case OP_IADD:
    case OP_IMAD:
    case OP_CVT:
        return op->sat;
    default:
        return false;
    }
}

static inline bool shape_is_half(const struct operand *o) {
    return o->file == FILE_RH || (o->file != FILE_R && type_bits(o->type) == 16);
}

/* The flags of a source that belong to the shape. Signs of floats are steps of their own, but signs
 * of integers in conversions are part of the shape. */
static inline unsigned shape_source_flags(const struct op *op, int i) {
    const unsigned flags = op->src[i].flags & (OPERAND_NEG | OPERAND_ABS | OPERAND_NOT);
    if (op->code == OP_LOGIC)
        return flags & OPERAND_NOT;
    return op->code == OP_CVT && op->src[i].type != TYPE_F32 ? flags : 0;
}

/* Adds the members that only Fermi and generic64 have. */
static inline void shape_put_fermi(struct key_bits *k, const struct op *op) {
    const bool max = op->code == OP_FMNMX && op->psrc[0] & PRED_NOT;
    shape_put(k, 1, op->ftz);
    shape_put(k, 1, op->fmz);
    shape_put(k, 1, op->carry_in);
    shape_put(k, 1,
              op->code == OP_FMNMX ? max : op->code == OP_POPC && op->src[1].file != FILE_NONE);
    shape_put(k, 2, op->code == OP_FADD ? op->add_kind : 0);
    shape_put(k, 5, op->code == OP_SLCT && op->cond ? op->src[2].type : 0);
}

/* The key of all members that an operation's code depends on. */
static inline uint64_t shape_key(const struct op *op) {
    struct key_bits k = {0};
    const bool conversion = op->code == OP_CVT;
    const bool set = op->code == OP_ISET || op->code == OP_FSET || op->code == OP_SLCT;
    shape_put(&k, 9, op->code);
    shape_put(&k, 5, op->type);
    shape_put(&k, 1, op->cdst != NO_FLAGS_DST);
    shape_put(&k, 1, shape_saturates(op));
    shape_put(&k, 4, set ? op->cond : 0);
    shape_put(&k, 2, op->code == OP_IADD || op->code == OP_IMAD ? op->add_kind : 0);
    shape_put(&k, 2, op->code == OP_LOGIC ? op->logic : 0);
    shape_put(&k, 2, op->code == OP_FADD || op->code == OP_FMUL || conversion ? op->round : 0);
    shape_put(&k, 1, op->code == OP_IMUL || op->code == OP_IMAD ? op->high : 0);
    shape_put(&k, 1, conversion ? op->integral : 0);
    shape_put(&k, 1, conversion ? shape_is_half(&op->dst) : 0);
    const bool typed = conversion || op->code == OP_IMUL || op->code == OP_IMAD;
    shape_put(&k, 5, typed ? op->src[0].type : 0);
    shape_put(&k, 5, typed && !conversion ? op->src[1].type : 0);
    shape_put(&k, 3, shape_source_flags(op, 0));
    shape_put(&k, 3, shape_source_flags(op, 1));
    shape_put(&k, 1, op->fast);
    if (op->code == OP_QUADOP) {
        shape_put(&k, 3, op->quad_lane);
        for (int i = 0; i < 4; i++)
            shape_put(&k, 2, op->quad_ops[i]);
    } else {
        shape_put_fermi(&k, op);
    }
    return k.bits;
}
