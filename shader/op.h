/* The decoded form of one instruction: what decoder and assembler agree on and interpreter, JIT,
 * printer, trace and analysis read. Neutral of the encoding: nothing here names a bit position.
 * Facts: tesla-isa.md §4 to §6.
 */
#ifndef SHADER_OP_H
#define SHADER_OP_H

#include "base/tex_call.h"

#include <stdbool.h>
#include <stdint.h>

enum program_type { PROGRAM_VP, PROGRAM_GP, PROGRAM_FP, PROGRAM_CP, PROGRAM_TYPES };
enum isa_variant {
    ISA_G80,
    ISA_G84,
    ISA_G200,
    ISA_MCP77,
    ISA_GT215,
    ISA_TESLA_VARIANTS,
    ISA_GF100 = ISA_TESLA_VARIANTS,
    ISA_GK104, /* Fermi: sm_20 and sm_21; sm_30 */
    ISA_G64,   /* the generic 64-bit set, generic64-isa.md §3 */
    ISA_VARIANTS
};

/* Which instruction set a variant is of. */
enum isa_set { SET_TESLA, SET_FERMI, SET_G64, ISA_SETS };
static inline enum isa_set isa_set_of(enum isa_variant v) {
    return v < ISA_TESLA_VARIANTS ? SET_TESLA : v == ISA_G64 ? SET_G64 : SET_FERMI;
}

/* Every operation, once. X(enumerator, name): the name is for traces and messages; assembly text
 * comes from the encoding table. */
#define OP_LIST(X)                                                                                 \
    X(ILLEGAL, "illegal") /* op.error says why */                                                  \
    /* moves */                                                                                    \
    X(MOV, "mov")                   /* dst = src0, lane_mask4 applies; b16/b32, also immediate */  \
    X(MOV_FROM_FLAGS, "mov_r_c")    /* dst = zero-extended $c[src0.value] */                       \
    X(MOV_TO_FLAGS, "mov_c_r")      /* $c[cdst] = src0 & 0xf */                                    \
    X(MOV_FROM_ADDR, "mov_r_a")     /* dst = $a[src0.value] */                                     \
    X(MOV_FROM_SPECIAL, "mov_r_sr") /* dst = special register src0.value */                        \
    X(SHL_TO_ADDR, "shl_a")         /* $a[dst.value] = src0 << src1.value (immediate) */           \
    X(ADD_TO_ADDR, "add_a")         /* $a[dst.value] = $a[src0.value] + src1.value (immediate) */  \
    /* dedicated loads and stores: the memory operand is src0 (loads) or dst (stores) */           \
    X(LD, "ld") /* from c[] s[] l[] g[] a[]; width and sign in src0.mem */                         \
    X(ST, "st") /* to o[] s[] l[] g[]; width in dst.mem; data src0 */                              \
    X(LD_LOCK, "ld_lock")                                                                          \
    X(ST_UNLOCK, "st_unlock")                                                                      \
    X(RED, "red")   /* g[] dst, op.atomic, data src1 */                                            \
    X(ATOM, "atom") /* dst = old; src0 g[], src1 data, src2 cas new value */                       \
    /* integer */                                                                                  \
    X(IADD, "iadd") /* op.add_kind, type b16/b32, sat */                                           \
    X(IMUL, "imul") /* src types u16/s16 each, or u24/s24; high */                                 \
    X(IMAD, "imad") /* product as IMUL of src0, src1; then op.add_kind with src2; sat */           \
    X(SAD, "sad")                                                                                  \
    X(IMAX, "imax")                                                                                \
    X(IMIN, "imin")                                                                                \
    X(ISET, "iset") /* op.cond (3 bits) */                                                         \
    X(SHL, "shl")                                                                                  \
    X(SHR, "shr")                                                                                  \
    X(LOGIC, "logic") /* op.logic; not in operand flags */                                         \
    /* conversion: op.type = D type, src0.type = S type */                                         \
    X(CVT, "cvt") /* neg/abs in src0.flags; sat; round; integral */                                \
    /* single precision */                                                                         \
    X(FADD, "fadd")                                                                                \
    X(FMUL, "fmul")                                                                                \
    X(FMAD, "fmad") /* neg of the product is on src0 */                                            \
    X(FMAX, "fmax")                                                                                \
    X(FMIN, "fmin")                                                                                \
    X(FSET, "fset") /* op.cond (4 bits) */                                                         \
    X(SLCT, "slct")                                                                                \
    X(PRESIN, "presin")                                                                            \
    X(PREEX2, "preex2")                                                                            \
    X(RCP, "rcp")                                                                                  \
    X(RSQRT, "rsqrt")                                                                              \
    X(LG2, "lg2")                                                                                  \
    X(SIN, "sin")                                                                                  \
    X(COS, "cos")                                                                                  \
    X(EX2, "ex2")                                                                                  \
    X(QUADOP, "quadop") /* op.quad_lane, op.quad_ops; src0 = S1, src1 = S3 of the encoding */      \
    /* double precision */                                                                         \
    X(DFMA, "dfma")                                                                                \
    X(DADD, "dadd") /* src0 = S1, src1 = S3 of the encoding */                                     \
    X(DMUL, "dmul")                                                                                \
    X(DMIN, "dmin")                                                                                \
    X(DMAX, "dmax")                                                                                \
    X(DSET, "dset")                                                                                \
    /* warp, fragment, geometry */                                                                 \
    X(VOTE, "vote")     /* op.vote_any/all -> $c[cdst]; the predicate is its input */              \
    X(INTERP, "interp") /* op.interp_mode; src0 v[], src1 multiplier or none */                    \
    X(EMIT, "emit")     /* op.emit, op.restart */                                                  \
    X(NOP, "nop")                                                                                  \
    X(PMEVENT, "pmevent") /* src0.value = event */                                                 \
    /* texture: op.tex */                                                                          \
    X(TEXAUTO, "texauto")                                                                          \
    X(TEXFETCH, "texfetch")                                                                        \
    X(TEXBIAS, "texbias")                                                                          \
    X(TEXLOD, "texlod")                                                                            \
    X(TEXSIZE, "texsize")                                                                          \
    X(TEXPREP, "texprep")                                                                          \
    X(TEXQUERYLOD, "texquerylod")                                                                  \
    X(TEXCSAA, "texcsaa")                                                                          \
    X(TEXGATHER, "texgather")                                                                      \
    /* control: op.target is an absolute byte address */                                           \
    X(DISCARD, "discard")                                                                          \
    X(BRA, "bra")                                                                                  \
    X(BRA_INDIRECT, "bra_c") /* src0 = c[] operand */                                              \
    X(CALL, "call")          /* op.limited */                                                      \
    X(RET, "ret")                                                                                  \
    X(PREBREAK, "breakaddr")                                                                       \
    X(BREAK, "break")                                                                              \
    X(QUADON, "quadon")                                                                            \
    X(QUADPOP, "quadpop")                                                                          \
    X(BAR, "bar") /* op.bar_* */                                                                   \
    X(TRAP, "trap")                                                                                \
    X(JOINAT, "joinat")                                                                            \
    X(BRKPT, "brkpt")                                                                              \
    X(PRERET, "preret") /* op.limited */                                                           \
    /* Fermi and generic64; those above mean the same but for fermi-isa.md §7, §8 */               \
    X(S2R, "s2r")       /* dst = special register src0.value */                                    \
    X(FFMA, "ffma")     /* one rounding; neg of the product is on src0 */                          \
    X(ISCADD, "iscadd") /* (src0 << op.count) + src1, op.add_kind */                               \
    X(BFE, "bfe")       /* field of src0 at src1; op.reverse */                                    \
    X(BFI, "bfi")       /* src0 into src2 at src1 */                                               \
    X(BFIND, "bfind")   /* src0; op.shift_amount */                                                \
    X(POPC, "popc")     /* of src0 & src1 */                                                       \
    X(PRMT, "prmt")     /* op.sub: mode */                                                         \
    X(SELP, "selp")     /* psrc0 ? src0 : src1 */                                                  \
    X(IMNMX, "imnmx")   /* psrc0 ? min : max; op.sub: part of a wider one */                       \
    X(FMNMX, "fmnmx")                                                                              \
    X(DMNMX, "dmnmx")                                                                              \
    X(PSET, "pset")       /* (psrc0 plogic0 psrc1) plogic1 psrc2 -> pdst or dst */                 \
    X(CSET, "cset")       /* test op.cond of $c, plogic1 psrc2 -> pdst or dst */                   \
    X(READ_FLAGS, "p2r")  /* dst = flags & src1 | src0; op.high */                                 \
    X(WRITE_FLAGS, "r2p") /* flags under src1 = src0; op.high */                                   \
    X(B2R, "b2r")         /* dst = state of barrier op.bar_id */                                   \
    X(LEPC, "lepc")                                                                                \
    X(MEMBAR, "membar")                                                                            \
    X(CCTL, "cctl") /* op.sub */                                                                   \
    X(RCP64H, "rcp64h")                                                                            \
    X(RSQRT64H, "rsqrt64h")                                                                        \
    X(VIDEO, "video") /* op.sub: enum video_kind */                                                \
    X(VIDEO2, "video2")                                                                            \
    X(VIDEO4, "video4")                                                                            \
    X(MAD24, "mad24")    /* parts of words multiplied (gk104) */                                   \
    X(LD_PAIR, "ld_ldu") /* dst = src0, src1 = src2: two loads */                                  \
    X(SHFL, "shfl")                                                                                \
    X(SURFACE, "surface") /* surface accesses and their addresses: decoded only */                 \
    X(PFETCH, "pfetch")                                                                            \
    X(AL2P, "al2p")                                                                                \
    X(PIXLD, "pixld")                                                                              \
    X(OUT, "out")                                                                                  \
    X(TEX, "tex") /* op.tex, all its forms: op.sub is enum ftex_kind */                            \
    X(TEXBAR, "texbar")                                                                            \
    X(EXIT, "exit")                                                                                \
    X(PRECONT, "precont")                                                                          \
    X(CONT, "cont")                                                                                \
    X(PRELONGJMP, "prelongjmp")                                                                    \
    X(LONGJMP, "longjmp")                                                                          \
    X(RTT, "rtt")                                                                                  \
    X(BPT, "bpt") /* op.sub: drain, cal, pause, trap */                                            \
    X(CALL_INDIRECT, "call_c")                                                                     \
    X(PUSH_INDIRECT, "push_c") /* a stack entry (op.sub: its opcode) whose target is src0 */       \
    /* generic64 only */                                                                           \
    X(IDIV, "idiv")                                                                                \
    X(IREM, "irem")                                                                                \
    X(IABS, "iabs")                                                                                \
    X(INEG, "ineg")                                                                                \
    X(ROTL, "rotl")                                                                                \
    X(CLZ, "clz")                                                                                  \
    X(BREV, "brev")                                                                                \
    X(FDIV, "fdiv")                                                                                \
    X(FROUND, "fround") /* to an integral value, op.round */                                       \
    X(FRACT, "fract")                                                                              \
    X(FSEL, "fsel") /* src2 >= 0 ? src0 : src1 */                                                  \
    X(FABS, "fabs")                                                                                \
    X(SQRT, "sqrt")                                                                                \
    X(MOV_HIGH, "movhi") /* bits 22..31 = src0 */                                                  \
    X(P2R, "p2r_all")    /* dst = predicates, one a bit */                                         \
    X(R2P, "r2p_all")    /* predicates under src1 = src0 */                                        \
    X(FENCE, "fence")

enum opcode {
#define X(e, n) OP_##e,
    OP_LIST(X)
#undef X
        OPCODES
};

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
    TYPE_B16,
    TYPE_B32,
    TYPE_B64,
    TYPE_B128, /* no sign, no arithmetic meaning */
    TYPE_F16,
    TYPE_F32,
    TYPE_F64,
    TYPE_B96, /* attributes of Fermi */
};

enum operand_file {
    FILE_NONE,    /* operand absent */
    FILE_NULL,    /* destination '#' or Fermi's $r63: no register written; a source reads 0 */
    FILE_R,       /* value = N of $rN; 64 and 128 bit operands (by type) start at N */
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
    OPERAND_WIDE = 32,   /* that register is a pair, the sum has 64 bits */
};

struct operand {
    uint8_t file;   /* enum operand_file */
    uint8_t type;   /* enum op_type: how the instruction reads or writes it; see below */
    uint8_t mem;    /* enum op_type: width and sign of the memory access; see below */
    uint8_t index;  /* which c[] or g[] space */
    uint8_t areg;   /* $a register of the address (1..4), 0 = none; OPERAND_BASED: number of $r */
    uint8_t flags;  /* enum operand_flag */
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
 *   of 8/16-bit sizes: tesla-isa.md §6.2); data registers B32 or B64. RED: src0 absent. ATOM src2
 *   only for CAS.
 * - Short and immediate three-source forms: src2 is the register dst.
 */

enum add_kind { ADD_ADD, ADD_SUB, ADD_SUBR, ADD_ADDC, ADD_PO /* plus one */ };
enum logic_kind { LOGIC_AND, LOGIC_OR, LOGIC_XOR, LOGIC_MOV2 };
enum round_mode { ROUND_RN, ROUND_RM, ROUND_RP, ROUND_RZ };
enum cond_bit { COND_LESS = 1, COND_EQUAL = 2, COND_GREATER = 4, COND_UNORDERED = 8 };
enum quad_op { QUAD_ADD, QUAD_SUBR, QUAD_SUB, QUAD_MOV2 };
enum quad_source { QUAD_L0, QUAD_L1, QUAD_L2, QUAD_L3, QUAD_DX, QUAD_DY };
enum interp_mode { INTERP_PLAIN, INTERP_CENTROID, INTERP_FLAT };
enum atomic_kind { /* numbered as the hardware does */
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
        X(TRAP_INSTRUCTION, 0) X(ILLEGAL_OPCODE, 1) X(UNALIGNED_LONG_INSTRUCTION, 8)               \
            X(ILLEGAL_POSTINCR, 9) X(LD_A_ST_O_NON_VP_GP, 10) X(INTERP_NON_FP, 14)                 \
                X(EMIT_NON_GP, 15) X(ILLEGAL_MEMORY_BYTE, 23) X(ILLEGAL_MEMORY_SIGN, 24)           \
                    X(ILLEGAL_MEMORY_SIZE, 25)
enum decode_error {
#define X(e, bit) DECODE_##e = bit,
    DECODE_ERROR_LIST(X)
#undef X
        DECODE_OK = 0xff
};

#define NO_FLAGS_DST 0xff

/* Predicate registers of Fermi ($p0..$p6) and generic64 (P0..P15), as guard, source or destination:
 * number, or PRED_TRUE, which reads true and drops writes; PRED_NOT negates a guard or source. */
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

/* What Fermi's texture instructions say beside struct tex_call: results from its base on, the
 * sources in registers of their own. */
struct ftex_fields {
    uint8_t first, second,
        second_count;    /* registers of the two groups; counts source_count, this */
    uint8_t target, lod; /* enum ftex_target, enum ftex_lod */
    uint8_t component;   /* of a gather */
    uint8_t offsets;     /* 1: an offset word, 2: four (gather) */
    bool indirect, shadow, multisample;
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
    uint8_t code;     /* enum opcode */
    uint8_t words;    /* 1 or 2; the following instruction is at address + 4 * words.
                          OP_ILLEGAL: every other member is as in a plain op without operands */
    uint8_t error;    /* enum decode_error when code is OP_ILLEGAL, else DECODE_OK */
    uint8_t pred;     /* predicate code, PRED_ALWAYS if none */
    uint8_t pred_reg; /* $c read by the predicate, addc (also of IMAD) or mov-from-$c, else 0 */
    uint8_t cdst;     /* $c written, or NO_FLAGS_DST */
    uint8_t type;     /* enum op_type of the operation (CVT: destination type) */
    bool exit, join;
    bool sat;
    bool high;     /* IMUL/IMAD 24 bit: bits 16..47 of the product */
    bool integral; /* CVT float->float: round to an integral value */
    bool limited;  /* CALL, PRERET, BRA_INDIRECT: "lim" */
    bool sfu;      /* MOV through the SFU: same result */
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
    /* Fermi and generic64 */
    uint8_t guard;   /* predicate register that must hold */
    uint8_t pdst[2]; /* predicates written; PRED_TRUE: none */
    uint8_t psrc[3];
    uint8_t plogic[2];          /* enum pred_logic */
    uint8_t sub;                /* which of the operation's kinds; see OP_LIST */
    uint8_t count;              /* ISCADD: bits shifted */
    uint8_t scale;              /* FMUL: result times 1, 1/2, 1/4, 1/8, 8, 4, 2 */
    uint8_t part[2], parts_sum; /* VIDEO: which part of each word; what becomes of the result */
    uint8_t lanes_written;      /* VIDEO2, VIDEO4 */
    bool ftz, fmz;              /* denormals are 0; and 0 times anything is 0 */
    bool carry_in, wrap, reverse, shift_amount, all_lanes;
    bool absolute; /* an indirect target is no difference */
    struct operand dst;
    struct operand src[3];
    struct tex_call tex;
    struct ftex_fields ftex;
    uint32_t target; /* control: absolute byte address */
    uint32_t w[2];   /* the words it came from; w[1] is 0 in short forms */
    uint16_t row;    /* index of its row in the encoding table; meaningless if OP_ILLEGAL */
};

/* Whether a texture instruction of Fermi or generic64 is one that tex/ answers: not textures named by
 * a register, samples of one, or queries but for sizes. */
static inline bool ftex_is_executed(const struct op *op) {
    const struct ftex_fields *t = &op->ftex;
    return !t->indirect && !t->multisample && op->sub != FTEX_CSAA &&
           (op->sub != FTEX_QUERY || t->component == 0);
}

/* `target` is the address of an instruction that control may go to. */
static inline bool op_has_target(const struct op *op) {
    return op->code == OP_BRA || op->code == OP_CALL || op->code == OP_PREBREAK ||
           op->code == OP_JOINAT || op->code == OP_PRERET || op->code == OP_PRECONT ||
           op->code == OP_PRELONGJMP;
}

const char *opcode_name(enum opcode code);
const char *decode_error_name(enum decode_error error);

#endif
