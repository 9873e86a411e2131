/* The decoded form of one instruction, for all instruction sets. Decoder and assembler make it;
 * interpreter, native code, printer, trace and analysis read it. The bit positions of an encoding
 * stand in the tables of shader/isa/, except the mode of LDC (fermi_const_runs_on()). Facts:
 * tesla-isa.md §4 to §6.
 */
#pragma once

#include "shader/tex_port.h"

/* TCP and TEP: Fermi's tessellation control and evaluation programs. */
enum program_type {
    PROGRAM_VP,
    PROGRAM_GP,
    PROGRAM_FP,
    PROGRAM_CP,
    PROGRAM_TCP,
    PROGRAM_TEP,
    PROGRAM_TYPES,
    PROGRAM_TESLA_TYPES = PROGRAM_TCP
};
/* The type after `type` among those of draws, which are all but PROGRAM_CP: for loops from
 * PROGRAM_VP to PROGRAM_TYPES. */
static inline int next_draw_type(int type) {
    return type + 1 + (type + 1 == PROGRAM_CP);
}
enum isa_variant {
    ISA_G80,
    ISA_G84,
    ISA_G200,
    ISA_MCP77,
    ISA_GT215,
    ISA_TESLA_VARIANTS,
    ISA_GF100 = ISA_TESLA_VARIANTS,
    ISA_GK104, /* sm_30; GF100: sm_20 and sm_21 */
    ISA_G64,   /* the generic 64-bit set, generic64-isa.md §3 */
    ISA_VARIANTS
};

/* The instruction set of a variant. */
enum isa_set { SET_TESLA, SET_FERMI, SET_G64, ISA_SETS };
static inline enum isa_set isa_set_of(enum isa_variant v) {
    return v < ISA_TESLA_VARIANTS ? SET_TESLA : v == ISA_G64 ? SET_G64 : SET_FERMI;
}

enum opcode {
#define X(e, ...) OP_##e,
#include "shader/ops.inc"
#undef X
    OPCODES
};

enum op_class {
    CLASS_ILLEGAL,
    CLASS_MOVE,       /* copies and selects words: registers, $a, special registers */
    CLASS_MEMORY,     /* loads, stores, atomic operations */
    CLASS_INTEGER,    /* from here to CLASS_DOUBLE: arithmetic */
    CLASS_CONVERSION, /* between number formats */
    CLASS_FLOAT,      /* single precision */
    CLASS_FUNCTION,   /* the special function unit */
    CLASS_DOUBLE,     /* double precision */
    CLASS_PREDICATE,  /* $c and predicate registers */
    CLASS_WARP,       /* looks at other lanes' values */
    CLASS_GRAPHICS,   /* inputs and outputs of one program type */
    CLASS_TEXTURE,
    CLASS_NOTHING, /* no effect that a program can observe */
    CLASS_CONTROL, /* changes where the warp goes or which lanes run */
};
enum op_trait {
    /* results depend on the same lane only; no other effect, except that of DISCARD on its lane */
    TRAIT_PURE = 1,
    TRAIT_FLAGS = 2,      /* can write $c (op.cdst) */
    TRAIT_QUAD = 4,       /* a lane's result depends on its quad's other lanes */
    TRAIT_SHARED = 8,     /* orders accesses of several warps to memory: locks, atomics */
    TRAIT_READS_DST = 16, /* reads the register that it writes */
    TRAIT_TARGET = 32,    /* op.target is the address of an instruction that control may go to */
    TRAIT_LEAVES = 64,    /* lanes that execute the op do not continue with the next instruction */
    TRAIT_PREDICABLE = 128, /* control that obeys its predicate; other control ignores it */
    TRAIT_FTZ = 256,  /* of Fermi: adds, multiplies or compares floats; op.ftz flushes denormals */
    TRAIT_KEEPS = 512 /* of Fermi, generic64: computes with floats; denormals are always kept */
};
/* The properties of an operation (ops.inc). */
struct op_info {
    const char *name;
    uint8_t class;   /* enum op_class */
    uint8_t sources; /* members of src[] that the operation can have */
    uint8_t sets;    /* bit per enum isa_set */
    uint16_t traits; /* enum op_trait */
};
extern const struct op_info op_infos[OPCODES];

enum op_type {
    TYPE_NONE,
    TYPE_U8,
    TYPE_S8,
    TYPE_U16,
    TYPE_S16,
    TYPE_U24,
    TYPE_S24,
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_S64,
    TYPE_B16, /* B: no sign, no arithmetic meaning */
    TYPE_B32,
    TYPE_B64,
    TYPE_B128,
    TYPE_F16,
    TYPE_F32,
    TYPE_F64,
    TYPE_B96, /* attributes of Fermi */
};

/* Bits of a number or datum of this type; TYPE_NONE has 0. */
static inline unsigned type_bits(unsigned type) {
    static const uint8_t bits[] = {
        [TYPE_U8] = 8,   [TYPE_S8] = 8,   [TYPE_U16] = 16, [TYPE_S16] = 16,   [TYPE_U24] = 24,
        [TYPE_S24] = 24, [TYPE_U32] = 32, [TYPE_S32] = 32, [TYPE_U64] = 64,   [TYPE_S64] = 64,
        [TYPE_B16] = 16, [TYPE_B32] = 32, [TYPE_B64] = 64, [TYPE_B128] = 128, [TYPE_F16] = 16,
        [TYPE_F32] = 32, [TYPE_F64] = 64, [TYPE_B96] = 96,
    };
    return bits[type];
}

/* Bytes of a datum in memory: 24-bit factors, and operands without a type, are words. */
static inline unsigned type_bytes(unsigned type) {
    return type == TYPE_NONE || type == TYPE_U24 || type == TYPE_S24 ? 4 : type_bits(type) / 8;
}

static inline bool type_is_signed(unsigned type) {
    return type == TYPE_S8 || type == TYPE_S16 || type == TYPE_S24 || type == TYPE_S32 ||
           type == TYPE_S64;
}

static inline bool type_is_float(unsigned type) {
    return type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64;
}

enum operand_file {
    FILE_NONE,    /* operand absent */
    FILE_NULL,    /* destination '#' or Fermi's $r63: no register written; a source reads 0 */
    FILE_R,       /* value = N of $rN; operands of more than 32 bits (by type) start at N */
    FILE_RH,      /* value = 2N (+1 for the upper half) of $rNl / $rNh */
    FILE_A,       /* value = N of $aN */
    FILE_C,       /* value = N of $cN */
    FILE_SPECIAL, /* value = index, tesla-isa.md §2.3 */
    FILE_IMM,     /* value = the immediate */
    FILE_CONST,   /* c<index>[$a<areg> + value] */
    FILE_SHARED,  /* s[$a + value] */
    FILE_LOCAL,   /* l[$a + value] */
    FILE_GLOBAL,  /* g<index>[$r<value>] */
    FILE_ATTR,    /* a[$a + value], byte offset */
    FILE_PRIM,    /* p[$a + value], byte offset = 4 * component */
    FILE_OUT,     /* o[$a + value], byte offset */
    FILE_VARYING, /* v[$a + value], byte offset */
};

enum operand_flag {
    OPERAND_NEG = 1,
    OPERAND_ABS = 2,     /* before neg */
    OPERAND_NOT = 4,     /* bitwise complement */
    OPERAND_POSTINC = 8, /* access at $a alone, then $a += value (value is signed) */
    OPERAND_BASED = 16,  /* Fermi, generic64: address = register areg + value (signed) */
    OPERAND_WIDE = 32,   /* the register is the first of a pair; the sum has 64 bits */
};

struct operand {
    uint8_t file;  /* enum operand_file */
    uint8_t type;  /* enum op_type: how the instruction uses the operand; see below */
    uint8_t mem;   /* enum op_type: width and sign of the memory access; see below */
    uint8_t index; /* number of the c[] or g[] space */
    uint8_t areg; /* $a of the address (1..4), 0 = none; OPERAND_BASED: the number of the base $r */
    uint8_t flags; /* enum operand_flag */
    /* byte offsets may be negative numbers (post-increment), to be added modulo 2^16 */
    uint32_t value;
};
/* The decoder promises about operands:
 * - type is op.type unless stated here; NONE exactly when file is FILE_NONE. The register width is
 *   that of the file and type: RH 16, R with U64/S64/B64/F64 two registers (even N), B128 four (N
 *   multiple of 4), else 32. All R values are <= 127, halves <= 127 (r63h); texture vectors end at
 *   $r127.
 * - IADD, LOGIC, SHL, MOV: type B16 or B32 everywhere (SHL count of b16: low 16 bits of a half).
 * - IMUL: op.type = src0.type U16/S16/U24/S24, src1.type may differ in sign (16 bit); dst B32.
 * - IMAD: op.type, src0, src1: U16/S16/U24/S24; dst and src2 B32.
 * - SAD: op.type, src0, src1: U16/S16/U32/S32; dst and src2 B32.
 * - ISET, IMAX, IMIN, SHR: op.type U16/S16/U32/S32; ISET dst B16/B32.
 * - CVT: op.type is D's type, src0.type S's type; 8-bit types live in a half or a full register as
 *   file says (low byte). dst.type is only D's register width: B16, B32 or B64. sat counts only
 *   when neither type is 64 bits wide; round only where tesla-isa.md §7.6 and §9 use it.
 * - FSET, DSET: op.type F32/F64, dst B32. SLCT: B32, src2 F32.
 * - FILE_IMM: value holds all 32 bits of the encoding; 16-bit operations use the low 16, U24/S24
 *   factors the low 24, shift counts are 0..127 (SHL_TO_ADDR 0..15, ADD_TO_ADDR 16 bits).
 * - Sources from memory: a[] p[] mem B32 (always 32-bit sources); c[] mem B16 or B32 as wide as the
 *   operand; s[] mem U8, U16, S16 or B32: the word read is extended to 32 bits (16-bit operands use
 *   its low half). No other files occur as arithmetic sources. At most one $a and one c[] per
 *   instruction.
 * - dst FILE_OUT: mem B16 or B32; B16 writes its result to both halves of the word at value & ~3.
 * - FILE_NULL: Tesla: dst only. FILE_GLOBAL: value is the register number of the address.
 * - LD: src0.mem U8 S8 U16 S16 B32 B64 B128; dst.type the register: B16 (only c[], s[]), B32, B64,
 *   B128.
 * - ST: dst.mem likewise (b8 of s[] is U8, b16 B16), src0 the data register with its type.
 * - RED, ATOM: the size is mem of the g[] operand: U8..S16, U32, S32, B32, U64 or B64 (low 32 bits
 *   of 8/16-bit sizes: tesla-isa.md §6.2); data registers B32 or B64. RED: src0 absent. ATOM src2
 *   only for CAS.
 * - Short and immediate three-source forms: src2 is the register dst.
 */

enum add_kind { ADD_ADD, ADD_SUB, ADD_SUBR, ADD_ADDC, ADD_PO /* ADD_PO: plus one */ };
enum logic_kind { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_MOV2 };
enum round_mode { ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ };
enum cond_bit { COND_LESS = 1, COND_EQUAL = 2, COND_GREATER = 4, COND_UNORDERED = 8 };
enum quad_op { QUAD_ADD, QUAD_SUBR, QUAD_SUB, QUAD_MOV2 };
enum quad_source { QUAD_L0, QUAD_L1, QUAD_L2, QUAD_L3, QUAD_DX, QUAD_DY };
enum interp_mode { INTERP_PLAIN, INTERP_CENTROID, INTERP_FLAT };
/* Fermi's interpolation: op.interp_mode, and the place in op.sub. */
enum finterp_mode { FINTERP_PASS, FINTERP_MUL, FINTERP_FLAT, FINTERP_SC };
enum finterp_place { FINTERP_DEFAULT, FINTERP_CENTROID, FINTERP_OFFSET };
/* op.sub of loads and stores of a[], bits. */
enum attribute_kind { ATTRIBUTE_PATCH = 1, ATTRIBUTE_OUT = 2 };
/* op.sub of SURFACE; other accesses to surfaces are decoded only. Operands of GF100's: src0 image,
 * src1 first register of the coordinates, src2 data of SURFACE_STORE_RAW. */
enum surface_kind {
    SURFACE_OTHER,
    SURFACE_LOAD,        /* suldb */
    SURFACE_STORE_RAW,   /* sustb */
    SURFACE_STORE_TYPED, /* sustp */
    SURFACE_ADDRESS,     /* suleab */
};
enum surface_dims { SURFACE_1D, SURFACE_2D, SURFACE_3D, SURFACE_2D_LAYERS };
enum surface_outside { OUTSIDE_ZERO, OUTSIDE_CLAMP, OUTSIDE_TRAP };
/* op.sub of PIXLD */
enum pixel_kind {
    PIXEL_SAMPLE_COUNT,
    PIXEL_COVERAGE_MASK,
    PIXEL_COVERED,
    PIXEL_OFFSET,
    PIXEL_CENTROID_OFFSET,
    PIXEL_SAMPLE_ID
};
enum atomic_kind { /* numbered as in the hardware */
                   ATOMIC_ADD,
                   ATOMIC_EXCH,
                   ATOMIC_CAS,
                   ATOMIC_TRAP,
                   ATOMIC_INC,
                   ATOMIC_DEC,
                   ATOMIC_MAX,
                   ATOMIC_MIN,
                   ATOMIC_8,
                   ATOMIC_9,
                   ATOMIC_AND,
                   ATOMIC_OR,
                   ATOMIC_XOR,
                   ATOMIC_13,
                   ATOMIC_14,
                   ATOMIC_15,
};

/* Predicate codes, tesla-isa.md §5. */
enum { PRED_NEVER = 0x00, PRED_ALWAYS = 0x0f };

/* Decode errors by hardware name; the value is the bit of the DECODE_ERROR register. */
#define DECODE_ERROR_LIST(X)                                                                       \
    X(ILLEGAL_INSTR_ENCODING, 32)                                                                  \
    X(MISALIGNED_REG, 33) /* Fermi and generic64 */                                                \
    X(TRAP_INSTRUCTION, 0)                                                                         \
    X(ILLEGAL_OPCODE, 1)                                                                           \
    X(UNALIGNED_LONG_INSTRUCTION, 8)                                                               \
    X(ILLEGAL_POSTINCR, 9)                                                                         \
    X(LD_A_ST_O_NON_VP_GP, 10)                                                                     \
    X(INTERP_NON_FP, 14)                                                                           \
    X(EMIT_NON_GP, 15)                                                                             \
    X(ILLEGAL_MEMORY_BYTE, 23) X(ILLEGAL_MEMORY_SIGN, 24) X(ILLEGAL_MEMORY_SIZE, 25)
enum decode_error {
#define X(e, bit) DECODE_##e = bit,
    DECODE_ERROR_LIST(X)
#undef X
        DECODE_OK = 0xff
};

#define NO_FLAGS_DST 0xff

/* Predicate registers of Fermi ($p0..$p6) and generic64 (P0..P15), as guard, source or destination:
 * a number, or PRED_TRUE, which reads true and drops writes. PRED_NOT negates a guard or source. */
enum { PRED_TRUE = 16, PRED_COUNT, PRED_NOT = 0x80 };

enum pred_logic { PLOGIC_AND, PLOGIC_OR, PLOGIC_XOR };
enum ftex_kind {
    FTEX_SAMPLE,
    FTEX_FETCH,
    FTEX_GATHER,
    FTEX_QUERY_LOD,
    FTEX_QUERY,
    FTEX_CSAA,
    FTEX_GRAD
};
enum ftex_query { FTEX_QUERY_SIZE, FTEX_QUERY_TYPE, FTEX_QUERY_SAMPLE_POSITION };
enum ftex_target {
    FTEX_1D,
    FTEX_1D_ARRAY,
    FTEX_2D,
    FTEX_2D_ARRAY,
    FTEX_3D,
    FTEX_CUBE = 6,
    FTEX_CUBE_ARRAY
};
enum ftex_lod {
    FTEX_LOD_AUTO,
    FTEX_LOD_ZERO,
    FTEX_LOD_BIAS,
    FTEX_LOD_LOD,
    FTEX_LOD_BIASA = 6,
    FTEX_LOD_LODA
};
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_EQUAL };
enum bar_kind { BAR_POPC, BAR_AND, BAR_OR, BAR_ARRIVE };
enum video_kind {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_SUBR,
    VIDEO_ADDPO,
    VIDEO_AVG,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_ABSDIFF,
    VIDEO_SET,
    VIDEO_SHR,
    VIDEO_SHL,
    VIDEO_SEL,
    VIDEO_MAD
};

/* A texture instruction: the call, and the registers and slots that the instruction names. */
struct tex_fields {
    /* op, quads, first (not Tesla: cube, component, too) are filled when the program is made */
    struct tex_call call;
    uint8_t tic, tsc; /* $t, $s */
    uint8_t base;     /* register number: first destination, and Tesla's first source */
    bool live, deriv;
    /* Filled when the program is made: */
    bool alone; /* no instruction needs the result in helper pixels: the sampler may skip them */
    /* bit per position in the quad: no instruction needs the result at this position of a warp with
     * few_results (warp.h) */
    uint8_t unseen;
    uint16_t slot; /* of the pair (tic, tsc) in the program's list */
};

/* Further members of Fermi's texture instructions: their sources have registers of their own. */
enum { FTEX_OPERANDS = 6 };
struct ftex_fields {
    /* First registers of the two vectors of sources. The first vector has tex.call.source_count
     * registers, the second one second_count. */
    uint8_t first, second, second_count;
    uint8_t target, lod; /* enum ftex_target, enum ftex_lod */
    uint8_t component;   /* of a gather; of a query: enum ftex_query */
    uint8_t offsets;     /* offset words: 1, or 2 words with the four offsets of a gather */
    bool indirect, shadow, multisample;
    /* Filled when the program is made: the registers of the call's operands, in Tesla's order; the
     * operand that is a layer of 16 bits (FTEX_OPERANDS: none); the register of the offset word. A
     * register beyond the allocation reads 0. */
    uint8_t operands, operand[FTEX_OPERANDS], layer, offset_word;
};

static inline bool ftex_is_array(const struct ftex_fields *t) {
    return t->target == FTEX_1D_ARRAY || t->target == FTEX_2D_ARRAY || t->target == FTEX_CUBE_ARRAY;
}

static inline unsigned ftex_coordinates(const struct ftex_fields *t) {
    static const uint8_t count[] = {
        [FTEX_1D] = 1, [FTEX_1D_ARRAY] = 1, [FTEX_2D] = 2,        [FTEX_2D_ARRAY] = 2,
        [FTEX_3D] = 3, [FTEX_CUBE] = 3,     [FTEX_CUBE_ARRAY] = 3};
    return count[t->target & 7];
}

struct op {
    uint8_t code; /* enum opcode */
    /* 1 or 2; the next instruction is at address + 4 * words */
    uint8_t words;
    /* enum decode_error if code is OP_ILLEGAL (then the op has no operands), else
     * DECODE_OK */
    uint8_t error;
    uint8_t pred;     /* predicate code, PRED_ALWAYS if none */
    uint8_t pred_reg; /* $c read by the predicate, addc (also of IMAD) or mov-from-$c, else 0 */
    uint8_t cdst;     /* $c written, or NO_FLAGS_DST */
    uint8_t type;     /* enum op_type of the operation (CVT: destination type) */
    bool exit, join;
    bool sat;
    bool high;     /* IMUL/IMAD 24 bit: bits 16..47 of the product */
    bool integral; /* CVT float->float: round to an integral value */
    bool limited;  /* CALL, PRERET, BRA_INDIRECT: "lim" */
    bool sfu;      /* MOV through the SFU: same result as MOV */
    bool emit, restart, vote_any, vote_all;
    uint8_t round; /* enum round_mode */
    uint8_t cond;  /* COND_* bits */
    uint8_t add_kind, logic, atomic;
    uint8_t lane_mask4;  /* MOV, LD a[]: lanes (lane & 3) that take part; 0xf = all */
    uint8_t quad_lane;   /* enum quad_source */
    uint8_t quad_ops[4]; /* enum quad_op for lane 0..3 of the quad */
    uint8_t interp_mode;
    bool bar_inc, bar_wait, bar_all;
    uint8_t bar_id;
    uint16_t bar_count;
    /* Fermi and generic64: */
    uint8_t guard; /* predicate register that must be true, or PRED_TRUE; PRED_NOT: must be false */
    uint8_t pdst[2]; /* predicates written; PRED_TRUE: none */
    uint8_t psrc[3];
    uint8_t plogic[2]; /* enum pred_logic */
    uint8_t sub;       /* the kind within the operation; see ops.inc */
    uint8_t count;     /* ISCADD: bits shifted */
    uint8_t scale;     /* FMUL: result times 1, 1/2, 1/4, 1/8, 8, 4, 2 */
    /* VIDEO: the part of each source word; the use of the sum of the parts (video_sums) */
    uint8_t part[2], parts_sum;
    uint8_t lanes_written; /* VIDEO2, VIDEO4: parts of the result */
    bool ftz, fmz;         /* denormals are 0; in addition, 0 times anything is 0 */
    bool carry_in, wrap, reverse, shift_amount, all_lanes;
    uint8_t dims, outside; /* SURFACE: enum surface_dims, enum surface_outside */
    bool absolute;         /* an indirect target is an address, not a difference */
    bool fast;             /* computed in the fast arithmetic (alu/fast.h) */
    struct operand dst;
    struct operand src[3];
    struct tex_fields tex;
    struct ftex_fields ftex;
    uint32_t target; /* control: byte address in C[] space */
    uint32_t w[2];   /* the encoded words; w[1] is 0 in short forms */
    uint16_t row;    /* index of the encoding row in the set's table; undefined if OP_ILLEGAL */
};

/* True if tex/ can execute the texture instruction of Fermi or generic64. tex/ has no CSAA; among
 * instructions that name a sample, only fetches; among queries, only those of sizes and types. */
static inline bool ftex_is_executed(const struct op *op) {
    const struct ftex_fields *t = &op->ftex;
    return (!t->multisample || op->sub == FTEX_FETCH) && op->sub != FTEX_CSAA &&
           (op->sub != FTEX_QUERY || t->component <= FTEX_QUERY_TYPE);
}

/* Fermi: true for LDC in mode IS, whose offset in c[] runs on into the following banks. */
static inline bool fermi_const_runs_on(const struct op *op) {
    return op->code == OP_LD && (op->w[0] >> 8 & 3) == 2;
}

static inline enum op_class op_class(const struct op *op) {
    return (enum op_class)op_infos[op->code].class;
}

static inline bool op_has(const struct op *op, enum op_trait trait) {
    return op_infos[op->code].traits & trait;
}

/* True for arithmetic in which each lane's results depend on that lane alone. */
static inline bool op_is_arithmetic(const struct op *op) {
    return op_class(op) >= CLASS_INTEGER && op_class(op) <= CLASS_DOUBLE && op_has(op, TRAIT_PURE);
}

/* True for Tesla's texture instructions, which name consecutive registers from tex.base. Fermi's
 * (OP_TEX) have ftex. */
static inline bool op_is_tesla_texture(const struct op *op) {
    return op_class(op) == CLASS_TEXTURE && op->code != OP_TEX;
}

/* True if the instruction may be executed in only some of the active lanes. */
static inline bool op_is_conditional(const struct op *op) {
    return op->pred != PRED_ALWAYS || op->guard != PRED_TRUE;
}

/* True if the address of a memory operand is the constant `value`: no register is part of it. */
static inline bool operand_is_fixed(const struct operand *o) {
    enum { FERMI_ZERO = 63 }; /* Fermi's $r63 */
    return (!o->areg || o->areg == FERMI_ZERO) && !(o->flags & (OPERAND_BASED | OPERAND_POSTINC));
}

/* True if a memory operand is a whole, aligned word at a constant address. */
static inline bool operand_is_fixed_word(const struct operand *o) {
    return operand_is_fixed(o) && o->mem == TYPE_B32 && o->value % 4 == 0;
}

/* A set of a warp's registers: a bit per $r, $c, $a. */
struct op_places {
    uint64_t r[2];
    uint8_t c, a;
};
/* The registers that op reads and writes, whatever its predicate says. */
struct op_places op_reads(const struct op *op);
struct op_places op_writes(const struct op *op);
/* The $a in the addresses of its operands. */
struct op_places op_addresses(const struct op *op);
/* True if op writes all of op_writes(), whole registers, in every active lane. */
bool op_replaces(const struct op *op);
/* The number of $r that an operand occupies. */
uint32_t operand_registers(const struct operand *o);
void places_add_registers(struct op_places *to, uint32_t first, uint32_t count);
/* True if op reads the count of executed instructions, or traps: the state of the warp must be
 * exact before it. */
bool op_needs_state(const struct op *op);

const char *opcode_name(enum opcode code);
const char *decode_error_name(enum decode_error error);
