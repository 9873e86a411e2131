/* The decoded form of one instruction: what decoder and assembler agree on and interpreter, JIT,
 * printer, trace and analysis read. Neutral of the encoding: nothing here names a bit position.
 * Facts: tesla-isa.md sections 4-6.
 */
#ifndef SHADER_OP_H
#define SHADER_OP_H

#include "base/tex_call.h"

#include <stdbool.h>
#include <stdint.h>

enum program_type { PROGRAM_VP, PROGRAM_GP, PROGRAM_FP, PROGRAM_CP, PROGRAM_TYPES };
enum isa_variant { ISA_G80, ISA_G84, ISA_G200, ISA_MCP77, ISA_GT215, ISA_VARIANTS };

/* Every operation, once. X(enumerator, name): the name is for traces and messages; assembly text
 * comes from the encoding table. */
#define OP_LIST(X) \
    X(ILLEGAL, "illegal") /* op.error says why */ \
    /* moves */ \
    X(MOV, "mov")           /* dst = src0, lane_mask4 applies; b16/b32, also immediate */ \
    X(MOV_FROM_FLAGS, "mov_r_c") /* dst = zero-extended $c[src0.value] */ \
    X(MOV_TO_FLAGS, "mov_c_r")   /* $c[cdst] = src0 & 0xf */ \
    X(MOV_FROM_ADDR, "mov_r_a")  /* dst = $a[src0.value] */ \
    X(MOV_FROM_SPECIAL, "mov_r_sr") /* dst = special register src0.value */ \
    X(SHL_TO_ADDR, "shl_a")      /* $a[dst.value] = src0 << src1.value (immediate) */ \
    X(ADD_TO_ADDR, "add_a")      /* $a[dst.value] = $a[src0.value] + src1.value (immediate) */ \
    /* dedicated loads and stores: the memory operand is src0 (loads) or dst (stores) */ \
    X(LD, "ld")             /* from c[] s[] l[] g[] a[]; width and sign in src0.mem */ \
    X(ST, "st")             /* to o[] s[] l[] g[]; width in dst.mem; data src0 */ \
    X(LD_LOCK, "ld_lock") \
    X(ST_UNLOCK, "st_unlock") \
    X(RED, "red")           /* g[] dst, op.atomic, data src1 */ \
    X(ATOM, "atom")         /* dst = old; src0 g[], src1 data, src2 cas new value */ \
    /* integer */ \
    X(IADD, "iadd")         /* op.add_kind, type b16/b32, sat */ \
    X(IMUL, "imul")         /* src types u16/s16 each, or u24/s24; high */ \
    X(IMAD, "imad")         /* product as IMUL of src0, src1; then op.add_kind with src2; sat */ \
    X(SAD, "sad") \
    X(IMAX, "imax") \
    X(IMIN, "imin") \
    X(ISET, "iset")         /* op.cond (3 bits) */ \
    X(SHL, "shl") \
    X(SHR, "shr") \
    X(LOGIC, "logic")       /* op.logic; not in operand flags */ \
    /* conversion: op.type = D type, src0.type = S type */ \
    X(CVT, "cvt")           /* neg/abs in src0.flags; sat; round; integral */ \
    /* single precision */ \
    X(FADD, "fadd") \
    X(FMUL, "fmul") \
    X(FMAD, "fmad")         /* neg of the product is on src0 */ \
    X(FMAX, "fmax") \
    X(FMIN, "fmin") \
    X(FSET, "fset")         /* op.cond (4 bits) */ \
    X(SLCT, "slct") \
    X(PRESIN, "presin") \
    X(PREEX2, "preex2") \
    X(RCP, "rcp") \
    X(RSQRT, "rsqrt") \
    X(LG2, "lg2") \
    X(SIN, "sin") \
    X(COS, "cos") \
    X(EX2, "ex2") \
    X(QUADOP, "quadop")     /* op.quad_lane, op.quad_ops; src0 = S1, src1 = S3 of the encoding */ \
    /* double precision */ \
    X(DFMA, "dfma") \
    X(DADD, "dadd")         /* src0 = S1, src1 = S3 of the encoding */ \
    X(DMUL, "dmul") \
    X(DMIN, "dmin") \
    X(DMAX, "dmax") \
    X(DSET, "dset") \
    /* warp, fragment, geometry */ \
    X(VOTE, "vote")         /* op.vote_any/all -> $c[cdst]; the predicate is its input */ \
    X(INTERP, "interp")     /* op.interp_mode; src0 v[], src1 multiplier or none */ \
    X(EMIT, "emit")         /* op.emit, op.restart */ \
    X(NOP, "nop") \
    X(PMEVENT, "pmevent")   /* src0.value = event */ \
    /* texture: op.tex */ \
    X(TEXAUTO, "texauto") \
    X(TEXFETCH, "texfetch") \
    X(TEXBIAS, "texbias") \
    X(TEXLOD, "texlod") \
    X(TEXSIZE, "texsize") \
    X(TEXPREP, "texprep") \
    X(TEXQUERYLOD, "texquerylod") \
    X(TEXCSAA, "texcsaa") \
    X(TEXGATHER, "texgather") \
    /* control: op.target is an absolute byte address */ \
    X(DISCARD, "discard") \
    X(BRA, "bra") \
    X(BRA_INDIRECT, "bra_c") /* src0 = c[] operand */ \
    X(CALL, "call")         /* op.limited */ \
    X(RET, "ret") \
    X(PREBREAK, "breakaddr") \
    X(BREAK, "break") \
    X(QUADON, "quadon") \
    X(QUADPOP, "quadpop") \
    X(BAR, "bar")           /* op.bar_* */ \
    X(TRAP, "trap") \
    X(JOINAT, "joinat") \
    X(BRKPT, "brkpt") \
    X(PRERET, "preret")     /* op.limited */

enum opcode {
#define X(e, n) OP_##e,
    OP_LIST(X)
#undef X
        OPCODES
};

enum op_type {
    TYPE_NONE,
    TYPE_U8, TYPE_S8, TYPE_U16, TYPE_S16, TYPE_U24, TYPE_S24, TYPE_U32, TYPE_S32, TYPE_U64, TYPE_S64,
    TYPE_B16, TYPE_B32, TYPE_B64, TYPE_B128, /* no sign, no arithmetic meaning */
    TYPE_F16, TYPE_F32, TYPE_F64,
};

enum operand_file {
    FILE_NONE,    /* operand absent */
    FILE_NULL,    /* destination '#': no register written */
    FILE_R,       /* value = N of $rN; 64 and 128 bit operands (by type) start at N */
    FILE_RH,      /* value = 2N (+1 for the upper half) of $rNl / $rNh */
    FILE_A,       /* value = N of $aN */
    FILE_C,       /* value = N of $cN */
    FILE_SPECIAL, /* value = index, tesla-isa.md 2.3 */
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
    OPERAND_ABS = 2,      /* before neg */
    OPERAND_NOT = 4,      /* bitwise complement */
    OPERAND_POSTINC = 8,  /* access at $a alone, then $a += value (value is signed) */
};

struct operand {
    uint8_t file;  /* enum operand_file */
    uint8_t type;  /* enum op_type: how the instruction reads or writes it; see below */
    uint8_t mem;   /* enum op_type: width and sign of the memory access; see below */
    uint8_t index; /* which c[] or g[] space */
    uint8_t areg;  /* $a register of the address (1..4), 0 = none */
    uint8_t flags; /* enum operand_flag */
    uint32_t value; /* byte offsets may be negative numbers (post-increment); add modulo 2^16 */
};
/* What the decoder promises about operands:
 * - type is op.type unless stated here; NONE exactly when file is FILE_NONE. The register width is
 *   that of the file and type: RH 16, R with U64/S64/B64/F64 two registers (even N), B128 four (N
 *   multiple of 4), else 32. All R values are <= 127, halves <= 127 (r63h); texture vectors end at
 *   $r127.
 * - IADD, LOGIC, SHL, MOV, LD: type B16 or B32 everywhere (SHL count of b16: low 16 bits of a
 *   half).
 * - IMUL: op.type = src0.type U16/S16/U24/S24, src1.type may differ in sign (16 bit); dst B32.
 * - IMAD: op.type, src0, src1: U16/S16/U24/S24; dst and src2 B32.
 * - SAD: op.type, src0, src1: U16/S16/U32/ S32; dst and src2 B32.
 * - ISET, IMAX, IMIN, SHR: op.type U16/S16/U32/S32; ISET dst B16/B32.
 * - CVT: op.type is D's type, src0.type S's type; 8-bit types live in a half or a full register as
 *   file says (low byte). dst.type is only D's register width: B16, B32 or B64. sat counts only
 *   when neither type is 64 bits wide; round only where 7.6 and 9 use it; integral as documented.
 * - FSET, DSET: op.type F32/F64, dst B32. SLCT: B32, src2 F32.
 * - FILE_IMM: value holds all 32 bits of the encoding; 16-bit operations use the low 16, U24/S24
 *   factors the low 24, shift counts are 0..127 (SHL_TO_ADDR 0..15, ADD_TO_ADDR 16 bits).
 * - Sources from memory: a[] p[] mem B32 (always 32-bit sources); c[] mem B16 or B32 as wide as the
 *   operand; s[] mem U8, U16, S16 or B32: the word read is extended to 32 bits (16-bit operands use
 *   its low half). No other files occur as arithmetic sources. At most one $a and one c[] per
 *   instruction.
 * - dst FILE_OUT: mem B16 or B32; B16 writes its result to both halves of the word at value & ~3.
 * - FILE_NULL: dst only. FILE_GLOBAL: value is the register number of the address.
 * - LD: src0.mem U8 S8 U16 S16 B32 B64 B128; dst.type the register: B16 (only c[], s[]), B32, B64,
 *   B128.
 * - ST: dst.mem likewise (b8 of s[] is U8, b16 B16), src0 the data register with its type.
 * - RED, ATOM: the size is mem of the g[] operand: U8..S16, U32, S32, B32, U64 or B64 (low 32 bits
 *   of 8/16-bit sizes: tesla-isa.md 6.2); data registers B32 or B64. RED: src0 absent. ATOM src2
 *   only for CAS.
 * - Short and immediate three-source forms: src2 is the register dst.
 */

enum add_kind { ADD_ADD, ADD_SUB, ADD_SUBR, ADD_ADDC };
enum logic_kind { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_MOV2 };
enum round_mode { ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ };
enum cond_bit { COND_LESS = 1, COND_EQUAL = 2, COND_GREATER = 4, COND_UNORDERED = 8 };
enum quad_op { QUAD_ADD, QUAD_SUBR, QUAD_SUB, QUAD_MOV2 };
enum quad_source { QUAD_L0, QUAD_L1, QUAD_L2, QUAD_L3, QUAD_DX, QUAD_DY };
enum interp_mode { INTERP_PLAIN, INTERP_CENTROID, INTERP_FLAT };
enum atomic_kind { /* numbered as the hardware does */
    ATOMIC_ADD, ATOMIC_EXCH, ATOMIC_CAS, ATOMIC_TRAP, ATOMIC_INC, ATOMIC_DEC, ATOMIC_MAX, ATOMIC_MIN,
    ATOMIC_8, ATOMIC_9, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_13, ATOMIC_14, ATOMIC_15,
};

/* Predicate codes, tesla-isa.md 5. */
enum { PRED_NEVER = 0x00, PRED_ALWAYS = 0x0f };

/* Decode errors by hardware name; the value is the bit of the DECODE_ERROR register. */
#define DECODE_ERROR_LIST(X) \
    X(TRAP_INSTRUCTION, 0) X(ILLEGAL_OPCODE, 1) X(UNALIGNED_LONG_INSTRUCTION, 8) \
    X(ILLEGAL_POSTINCR, 9) X(LD_A_ST_O_NON_VP_GP, 10) X(INTERP_NON_FP, 14) X(EMIT_NON_GP, 15) \
    X(ILLEGAL_MEMORY_BYTE, 23) X(ILLEGAL_MEMORY_SIGN, 24) X(ILLEGAL_MEMORY_SIZE, 25)
enum decode_error {
#define X(e, bit) DECODE_##e = bit,
    DECODE_ERROR_LIST(X)
#undef X
        DECODE_OK = 0xff
};

#define NO_FLAGS_DST 0xff

struct op {
    uint8_t code;      /* enum opcode */
    uint8_t words;     /* 1 or 2; the following instruction is at address + 4 * words.
                          OP_ILLEGAL: every other member is as in a plain op without operands */
    uint8_t error;     /* enum decode_error when code is OP_ILLEGAL, else DECODE_OK */
    uint8_t pred;      /* predicate code, PRED_ALWAYS if none */
    uint8_t pred_reg;  /* $c read by the predicate, addc (also of IMAD) or mov-from-$c, else 0 */
    uint8_t cdst;      /* $c written, or NO_FLAGS_DST */
    uint8_t type;      /* enum op_type of the operation (CVT: destination type) */
    bool exit, join;
    bool sat;
    bool high;         /* IMUL/IMAD 24 bit: bits 16..47 of the product */
    bool integral;     /* CVT float->float: round to an integral value */
    bool limited;      /* CALL, PRERET, BRA_INDIRECT: "lim" */
    bool sfu;          /* MOV through the SFU: same result */
    bool emit, restart, vote_any, vote_all;
    uint8_t round;     /* enum round_mode */
    uint8_t cond;      /* COND_* bits */
    uint8_t add_kind, logic, atomic;
    uint8_t lane_mask4; /* MOV, LD a[]: lanes (lane & 3) that take part; 0xf = all */
    uint8_t quad_lane;  /* enum quad_source */
    uint8_t quad_ops[4]; /* enum quad_op for lane 0..3 of the quad */
    uint8_t interp_mode;
    bool bar_inc, bar_wait, bar_all;
    uint8_t bar_id;
    uint16_t bar_count;
    struct operand dst;
    struct operand src[3];
    struct tex_call tex;
    uint32_t target;   /* control: absolute byte address */
    uint32_t w[2];     /* the words it came from; w[1] is 0 in short forms */
    uint16_t row;      /* index of its row in the encoding table; meaningless if OP_ILLEGAL */
};

const char *opcode_name(enum opcode code);
const char *decode_error_name(enum decode_error error);

#endif
