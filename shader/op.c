/* Properties of operations, and the places that one decoded instruction reads and writes. In: an
 * op. Out: its class and traits, the places it uses. Must not know how an operation computes its
 * results.
 */
#include "shader/op.h"

const struct op_info op_infos[OPCODES] = {
#define NONE 0
#define PURE TRAIT_PURE
#define FLAGS TRAIT_FLAGS
#define QUAD TRAIT_QUAD
#define SHARED TRAIT_SHARED
#define READS_DST TRAIT_READS_DST
#define TARGET TRAIT_TARGET
#define LEAVES TRAIT_LEAVES
#define PREDICABLE TRAIT_PREDICABLE
#define FTZ TRAIT_FTZ
#define KEEPS TRAIT_KEEPS
#define T (1 << SET_TESLA)
#define F (1 << SET_FERMI)
#define G (1 << SET_G64)
#define TF (T | F)
#define FG (F | G)
#define TFG (T | F | G)
#define X(e, name, class, sources, traits, sets)                                                   \
    [OP_##e] = {name, CLASS_##class, sources, sets, traits},
#include "shader/ops.inc"
#undef X
};

const char *opcode_name(enum opcode code) {
    return (unsigned)code < OPCODES ? op_infos[code].name : "unknown";
}

/* ---- places that an instruction reads and writes ---- */

uint32_t operand_registers(const struct operand *o) {
    switch (o->type) {
    case TYPE_B128:
        return 4;
    case TYPE_B96:
        return 3;
    case TYPE_B64:
    case TYPE_U64:
    case TYPE_S64:
    case TYPE_F64:
        return 2;
    default:
        return 1;
    }
}

void places_add_registers(struct op_places *to, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count && i < 128; i++)
        to->r[i / 64] |= UINT64_C(1) << i % 64;
}

/* The places that an operand itself occupies. */
static void add_operand(struct op_places *to, const struct operand *o) {
    switch (o->file) {
    case FILE_R:
        places_add_registers(to, o->value, operand_registers(o));
        break;
    case FILE_RH:
        places_add_registers(to, o->value / 2, 1);
        break;
    case FILE_A:
        to->a |= (uint8_t)(1u << (o->value & 7));
        break;
    case FILE_C:
        to->c |= (uint8_t)(1u << (o->value & 3));
        break;
    default:
        break;
    }
}

/* The registers that an operand's address is made of. */
static void add_base(struct op_places *to, const struct operand *o) {
    if (o->file == FILE_GLOBAL && !(o->flags & OPERAND_BASED))
        places_add_registers(to, o->value, 1);
    else if (o->flags & OPERAND_BASED)
        places_add_registers(to, o->areg, o->flags & OPERAND_WIDE ? 2 : 1);
}

/* Adds the data registers of an access to memory: one for each word of the access, whatever the
 * data operand's type. */
static void add_data(struct op_places *to, const struct operand *data,
                     const struct operand *memory) {
    const uint32_t words = memory->mem == TYPE_B96 ? 3 : type_bytes(memory->mem) / 4;
    if (memory->file >= FILE_CONST && data->file == FILE_R)
        places_add_registers(to, data->value, words);
}

static bool reads_flags(const struct op *op) {
    return op->pred != PRED_ALWAYS || op->carry_in ||
           ((op->code == OP_IADD || op->code == OP_IMAD) && op->add_kind == ADD_ADDC);
}

/* The registers that a texture instruction of Fermi reads: the operands of its call, the offset
 * words, explicit derivatives, and the handle. */
static void add_fermi_texture(struct op_places *s, const struct op *op) {
    const struct ftex_fields *t = &op->ftex;
    for (unsigned i = 0; i < t->operands; i++)
        places_add_registers(s, t->operand[i], 1);
    if (t->offsets)
        places_add_registers(s, t->offset_word, t->offsets);
    if (op->sub == FTEX_GRAD)
        places_add_registers(s, t->second, 2 * ftex_coordinates(t));
    if (op->sub == FTEX_QUERY || t->indirect)
        places_add_registers(s, t->first, 1);
}

struct op_places op_reads(const struct op *op) {
    struct op_places s = {{0}, 0, 0};
    for (int k = 0; k < 3; k++) {
        add_operand(&s, &op->src[k]);
        add_base(&s, &op->src[k]);
    }
    add_base(&s, &op->dst);
    if (op_has(op, TRAIT_READS_DST))
        add_operand(&s, &op->dst);
    if (op->code == OP_ST)
        add_data(&s, &op->src[0], &op->dst);
    if (op_is_tesla_texture(op))
        places_add_registers(&s, op->tex.base, op->tex.call.source_count);
    if (op->code == OP_TEX)
        add_fermi_texture(&s, op);
    if (reads_flags(op))
        s.c |= (uint8_t)(1u << (op->pred_reg & 3));
    return s;
}

struct op_places op_writes(const struct op *op) {
    struct op_places d = {{0}, 0, 0};
    add_operand(&d, &op->dst);
    if (op->code == OP_LD || op->code == OP_LD_LOCK || op->code == OP_LD_PAIR ||
        op->code == OP_ATOM || op->code == OP_SURFACE)
        add_data(&d, &op->dst, &op->src[0]);
    if (op->code == OP_LD_PAIR) {
        add_operand(&d, &op->src[1]);
        add_data(&d, &op->src[1], &op->src[2]);
    }
    if (op->cdst != NO_FLAGS_DST)
        d.c |= (uint8_t)(1u << (op->cdst & 3));
    if (op_class(op) == CLASS_TEXTURE)
        places_add_registers(&d, op->tex.base,
                             (uint32_t)__builtin_popcount(op->tex.call.result_mask & 15));
    return d;
}

struct op_places op_addresses(const struct op *op) {
    const struct operand *o[4] = {&op->dst, &op->src[0], &op->src[1], &op->src[2]};
    struct op_places s = {{0}, 0, 0};
    for (int k = 0; k < 4; k++)
        if (o[k]->areg && !(o[k]->flags & OPERAND_BASED))
            s.a |= (uint8_t)(1u << (o[k]->areg & 7));
    return s;
}

bool op_replaces(const struct op *op) {
    const bool some = (op->code == OP_MOV || op->code == OP_LD) && op->lane_mask4 != 15;
    return !op_is_conditional(op) && op->dst.file != FILE_RH && !op->tex.live && !some;
}

/* ---- the state of the warp ---- */

/* True if op reads a special register that counts instructions. Each instruction set has its own
 * number for it. */
static bool reads_clock(const struct op *op) {
    enum { TESLA_CLOCK = 1, G64_CLOCK = 14, FERMI_CLOCK_LOW = 80, FERMI_CLOCK_HIGH = 81 };
    const uint32_t n = op->src[0].value;
    if (op->code == OP_MOV_FROM_SPECIAL)
        return n == TESLA_CLOCK;
    return op->code == OP_S2R && (n == G64_CLOCK || n == FERMI_CLOCK_LOW || n == FERMI_CLOCK_HIGH);
}

bool op_needs_state(const struct op *op) {
    return reads_clock(op) ||
           ((op->code == OP_RED || op->code == OP_ATOM) && op->atomic == ATOMIC_TRAP);
}
