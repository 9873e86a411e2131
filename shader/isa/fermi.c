/* The Fermi instruction set, GF100 to GK104 (sm_20, sm_21, sm_30): its encoding table, with
 * encoding rows made of the fields of fermi_fields.inc. Decoder, printer and parser read the table;
 * asfermi.c has another table for asfermi's notation. Facts: fermi-isa.md §3 to §6 and §12. Order
 * matters: the first row that fits is used, in decoding and in assembling; 4-byte forms come first.
 */
#include "shader/isa/fermi_fields.inc"

/* The tables are easier to read in this layout. */
/* clang-format off */

#define WORD_NUMBER FIELD_NUMBER
#define WORD_FIELD(name, text) [name] = {.kind = PLAIN_WORD, .word = text},
DEFINE_FIELDS;
_Static_assert(sizeof(struct op) <= 256, "member offsets are bytes");

const char *const isa_fermi_tests[32] = {
    "never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "",
    "no", "nc", "ns", "na", "a", "s", "c", "o", "csm_ta", "csm_tr", "csm_mx", "fcsm_ta", "fcsm_tr",
    "fcsm_mx", "rle", "rgt"};

const char *const isa_fermi_specials[256] = {
    [0] = "laneid", [2] = "nphysid", [3] = "physid", [4] = "pm0", [5] = "pm1", [6] = "pm2",
    [7] = "pm3", [8] = "pm4", [9] = "pm5", [10] = "pm6", [11] = "pm7", [16] = "vtxcnt",
    [17] = "invoc", [18] = "ydir", [32] = "tid", [33] = "tidx", [34] = "tidy", [35] = "tidz",
    [36] = "launcharg", [37] = "ctaidx", [38] = "ctaidy", [39] = "ctaidz", [40] = "ntid",
    [41] = "ntidx", [42] = "ntidy", [43] = "ntidz", [44] = "gridid", [45] = "nctaidx",
    [46] = "nctaidy", [47] = "nctaidz", [48] = "swinbase", [49] = "swinsz", [50] = "smemsz",
    [51] = "smembanks", [52] = "lwinbase", [53] = "lwinsz", [54] = "lpossz", [55] = "lnegstart",
    [56] = "lanemask_eq", [57] = "lanemask_lt", [58] = "lanemask_le", [59] = "lanemask_gt",
    [60] = "lanemask_ge", [64] = "trapstat", [66] = "warperr", [80] = "clock", [81] = "clockhi"};

enum {
    GF100 = 1 << ISA_GF100,
    GK104 = 1 << ISA_GK104,
    BOTH = GF100 | GK104,
};

#define SPLIT(b) {(uint32_t)(b), (uint32_t)((uint64_t)(b) >> 32)}
#define BIT(n) (UINT64_C(1) << (n))
#define AT(n, v) ((uint64_t)(v) << (n))
/* An 8-byte form. cls, op_, opm: instruction class, operation byte, its mask. b, m: further bits,
 * their mask. */
#define FORM(v, cls, op_, opm, b, m) \
    .variants = v, .types = ALL_TYPES, .form = FORM_8, \
    .bits = SPLIT(AT(56, op_) | (cls) | (b)), .mask = SPLIT(AT(56, opm) | 0xf | (m))
#define T(t) .type = t
#define DT(t) .dst_type = t
#define ST(...) .src_type = {__VA_ARGS__}
#define SUB(n) .sub = n
#define CANON(b) .canon = SPLIT(b)
#define F(...) .fields = {F_JOIN, F_GUARD, __VA_ARGS__}
/* Attributes of a row: (.type = ...), in parentheses through all macros. */
#define ATTRS(...) __VA_ARGS__
/* L8, L6: the upper five, six bits of the operation byte count; LM: the bits of a mask; LV: some
 * variants only. */
#define L8(code_, cls, op_, attrs, ...) \
    {.code = code_, FORM(BOTH, cls, op_, 0xf8, 0, 0), ATTRS attrs, F(__VA_ARGS__)}
#define L6(code_, cls, op_, attrs, ...) \
    {.code = code_, FORM(BOTH, cls, op_, 0xfc, 0, 0), ATTRS attrs, F(__VA_ARGS__)}
#define LM(code_, cls, op_, opm, b, m, attrs, ...) \
    {.code = code_, FORM(BOTH, cls, op_, opm, b, m), ATTRS attrs, F(__VA_ARGS__)}
#define LV(v, code_, cls, op_, opm, b, m, attrs, ...) \
    {.code = code_, FORM(v, cls, op_, opm, b, m), ATTRS attrs, F(__VA_ARGS__)}

/* min, max and minmax are one operation; its predicate chooses one of the three. */
#define MINMAX_PRED AT(49, 15)
#define MINMAX(code_, cls, b, m, attrs, ...) \
    LM(code_, cls, 0x08, 0xf8, AT(49, 7) | (b), MINMAX_PRED | (m), attrs, W_MIN, __VA_ARGS__), \
    LM(code_, cls, 0x08, 0xf8, AT(49, 15) | (b), MINMAX_PRED | (m), attrs, W_MAX, P_MAX, \
       __VA_ARGS__), \
    LM(code_, cls, 0x08, 0xf8, b, m, attrs, W_MINMAX, P_S49, __VA_ARGS__)
#define FLOAT_AB(b) N_NEG0_9, N_ABS0_7, R_A, N_NEG1_8, N_ABS1_6, b
#define SFU(code_, n, ...) \
    LM(code_, 0, 0xc8, 0xf8, AT(26, n), AT(26, 7), (T(TYPE_F32)), __VA_ARGS__, R_D, N_NEG0_9, \
       N_ABS0_7, R_A)
#define CVT_FF(d, s, attrs, ...) \
    LM(OP_CVT, 4, 0x10, 0xfc, AT(20, d) | AT(23, s), 0x1b00000, attrs, W_CVT, B_FTZ55, B_SAT5, \
       __VA_ARGS__)
#define CVT_SRC N_NEG0_8, N_ABS0_6
#define CVT_F2I(s, attrs, ...) \
    LM(OP_CVT, 4, 0x14, 0xfc, AT(23, s), AT(23, 7), attrs, W_CVT, B_FTZ55, C_ROUNDI49, C_CVT_D16, \
       R_D, F_CD48, CVT_SRC, __VA_ARGS__)
#define CVT_I2F(s, ...) \
    LM(OP_CVT, 4, 0x18, 0xfc, AT(23, s), AT(23, 7), (T(TYPE_NONE)), W_CVT, C_ROUND49, C_CVT_F, R_D, \
       F_CD48, CVT_SRC, __VA_ARGS__)
#define CVT_I2I(s, ...) \
    LM(OP_CVT, 4, 0x1c, 0xfc, AT(23, s), AT(23, 7), (T(TYPE_NONE)), W_CVT, B_SAT5, C_CVT_D, R_D, \
       F_CD48, CVT_SRC, __VA_ARGS__)
#define BAR_ROWS(kind, mod, word) \
    BAR_ROW(kind, mod, word, 0, R_BAR, R_TCNT), BAR_ROW(kind, mod, word, 1, R_BAR, X_TCNT), \
    BAR_ROW(kind, mod, word, 2, X_BAR, R_TCNT), BAR_ROW(kind, mod, word, 3, X_BAR, X_TCNT)
#define BAR_ROW(kind, mod, word, forms, bar, count_) \
    LM(OP_BAR, 4, 0x50, 0xfc, AT(5, mod) | AT(46, forms), AT(5, 7) | AT(46, 3), \
       (T(TYPE_B32), SUB(kind)), W_BAR, word, P_D53, R_D, bar, count_, P_S49)
#define C ,
/* Scalar video: the second source is an immediate or a register. */
#define VIDEO_BOTH(code_, op_, opm, b, m, kind, last, ...) \
    LM(code_, 4, op_, opm, b, BIT(47) | (m), (T(TYPE_B32), SUB(kind)), __VA_ARGS__, C_V1, C_S0_6, \
       R_A, S_WHOLE2, C_S1_5, I_V, last), \
    LM(code_, 4, op_, opm, BIT(47) | (b), BIT(47) | (m), (T(TYPE_B32), SUB(kind)), __VA_ARGS__, \
       C_V1, C_S0_6, R_A, C_V2, C_S1_5, R_B, last)
#define VIDEO1(kind, op_, opm, b, m, word) \
    VIDEO_BOTH(OP_VIDEO, op_, opm, b, m, kind, R_C, word, B_SAT9, C_VSUM, C_D42, R_D, F_CD48)
#define MOD7(n) AT(7, n)
/* Four bytes or two halves at once. */
#define VIDEO4_ROWS(kind, op_, b, m, last, mid, ...) \
    LM(OP_VIDEO4, 4, op_, 0xfc, b, BIT(47) | (m), (T(TYPE_B32), SUB(kind)), __VA_ARGS__, C_B1, \
       C_S0_6_8, R_A, C_B2, mid, I_V4, last), \
    LM(OP_VIDEO4, 4, op_, 0xfc, BIT(47) | (b), BIT(47) | (m), (T(TYPE_B32), SUB(kind)), \
       __VA_ARGS__, C_B1, C_S0_6_8, R_A, C_B2, mid, R_B, last)
#define VIDEO4_(kind, op_, b, m, word) \
    VIDEO4_ROWS(kind, op_, b, m, R_C, C_S1_5_8, word, B_SAT9, C_SIMD, C_BYTES, C_D57_8, R_D, F_CD48)
#define VIDEO2_ROWS(kind, op_, b, m, last, mid, ...) \
    LM(OP_VIDEO2, 4, op_, 0xfc, b, BIT(47) | (m), (T(TYPE_B32), SUB(kind)), __VA_ARGS__, C_H1_IMM, \
       C_S0_6_16, R_A, P_ORDER2_2, mid, I_V, last), \
    LM(OP_VIDEO2, 4, op_, 0xfc, BIT(47) | (b), BIT(47) | (m), (T(TYPE_B32), SUB(kind)), \
       __VA_ARGS__, C_H1, C_S0_6_16, R_A, C_H2, mid, R_B, last)
#define VIDEO2_(kind, op_, b, m, word) \
    VIDEO2_ROWS(kind, op_, b, m, R_C, C_S1_5_16, word, B_SAT9, C_SIMD, C_HALVES, C_D57_16, R_D, \
                F_CD48)
#define VIDEO2_NOTYPE(kind, op_, word) \
    LM(OP_VIDEO2, 4, op_, 0xfc, 0, BIT(47), (T(TYPE_B32), SUB(kind)), word, C_WRAP7, B_SAT9, \
       C_SIMD, C_HALVES, C_D57_16, R_D, F_CD48, C_H1_IMM, C_S0_6_16, R_A, P_ORDER2_2, I_V, R_C), \
    LM(OP_VIDEO2, 4, op_, 0xfc, BIT(47), BIT(47), (T(TYPE_B32), SUB(kind)), word, C_WRAP7, B_SAT9, \
       C_SIMD, C_HALVES, C_D57_16, R_D, F_CD48, C_H1, C_S0_6_16, R_A, C_H2, R_B, R_C)
#define VIDEO4_NOTYPE(kind, op_, word) \
    LM(OP_VIDEO4, 4, op_, 0xfc, 0, BIT(47), (T(TYPE_B32), SUB(kind)), word, C_WRAP7, B_SAT9, \
       C_SIMD, C_BYTES, C_D57_8, R_D, F_CD48, C_B1, C_S0_6_8, R_A, C_B2, I_V4, R_C), \
    LM(OP_VIDEO4, 4, op_, 0xfc, BIT(47), BIT(47), (T(TYPE_B32), SUB(kind)), word, C_WRAP7, B_SAT9, \
       C_SIMD, C_BYTES, C_D57_8, R_D, F_CD48, C_B1, C_S0_6_8, R_A, C_B2, R_B, R_C)
/* Atomics: modifiers in bits [5:9]. */
#define NO_C CANON(AT(49, 63))
#define ATOM(op_, b, m, attrs, ...) LM(OP_ATOM, 5, op_, 0xf8, b, m, attrs, __VA_ARGS__)
#define TEX(kind, op_, ...) \
    LM(OP_TEX, 6, op_, 0xf0, 0, 0, (T(TYPE_B32), SUB(kind)), __VA_ARGS__)
#define TEX_UNITS T_D, C_TARGET, B_IND, T_T, T_S
#define SU_VECTOR C_SUDIM, V_SURF
/* Surfaces: the slot is a register or a number. */
#define SURFACE(v, op_, opm, b, m, attrs, head, tail) \
    LV(v, OP_SURFACE, 5, op_, opm, b, BIT(46) | (m), attrs, head, O_IMG_R, tail), \
    LV(v, OP_SURFACE, 5, op_, opm, BIT(46) | (b), BIT(46) | (m), attrs, head, O_IMG, tail)
#define SU2(op_, opm, b, m, word, ...) \
    LV(GK104, OP_SURFACE, 5, op_, opm, b, BIT(53) | (m), (T(TYPE_B32)), word, SU2_HEAD, O_GSU, R_B, \
       __VA_ARGS__), \
    LV(GK104, OP_SURFACE, 5, op_, opm, BIT(53) | (b), BIT(53) | (m), (T(TYPE_B32)), word, SU2_HEAD, \
       O_GSU, O_CSU, __VA_ARGS__)

/* Control: instructions without a join flag; some have neither guard nor test. */
#define CF(...) .fields = {F_GUARD, F_CC, __VA_ARGS__}
#define CN(...) .fields = {__VA_ARGS__}
#define CT(code_, op_, b, m, ...) \
    {.code = code_, FORM(BOTH, 7, op_, 0xf8, b, m), T(TYPE_B32), CF(__VA_ARGS__)}
#define CTN(code_, op_, b, m, attrs, ...) \
    {.code = code_, FORM(BOTH, 7, op_, 0xf8, b, m), ATTRS attrs, T(TYPE_B32), CN(__VA_ARGS__)}
#define PUSH(code_, op_, ...) \
    CTN(code_, op_, 0, BIT(14), (SUB(0)), __VA_ARGS__, O_TARGET), \
    CTN(OP_PUSH_INDIRECT, op_, BIT(14), BIT(14), (SUB(code_)), __VA_ARGS__, W_PCREL, O_CFIX)
/* 4-byte forms */
#define SHORT(code_, b, m, attrs, ...) \
    {.code = code_, .variants = BOTH, .types = ALL_TYPES, .form = FORM_4, .bits = {b}, .mask = {m}, \
     ATTRS attrs, .fields = {__VA_ARGS__}}
#define SG(code_, b, m, attrs, ...) SHORT(code_, b, m, attrs, F_GUARD, __VA_ARGS__)
#define SHORT_SFU(code_, b, ...) \
    SG(code_, b, 0xbc0003ff, (T(TYPE_F32)), __VA_ARGS__, R_D, N_ABS0_30, R_A)
#define SHORT_LOGIC(n, word, preset) \
    SG(OP_LOGIC, 0x1d | (n) << 5, 0xff, (T(TYPE_B32)), word, preset W_B32, R_D, R_A, O_S2), \
    SG(OP_LOGIC, 0x9d | (n) << 5, 0xff, (T(TYPE_B32)), word, preset W_B32, R_D, R_A, I_8)
#define SHORT_MEMORY(code_, b, m, ...) SG(code_, b, m, (T(TYPE_B32)), __VA_ARGS__)
#define F_CC_S F_CC

static const struct encoding_row rows[] = {
    /* ---- 4 bytes */
    SG(OP_NOP, 0x00000008, 0xf80003ff, (T(TYPE_NONE)), W_NOP),
    SG(OP_CSET, 0x10000008, 0xf80003ff, (T(TYPE_B32)), W_SET, P_D17, C_TEST20, W_C),
    SG(OP_PSET, 0x18000008, 0xf80003ff, (T(TYPE_B32)), W_SET, P_D17, P_PAIR_S),
    SG(OP_S2R, 0x40000008, 0xf00003ff, (T(TYPE_B32)), W_MOV, W_B32, R_D, O_SPECIAL_S),
    SG(OP_BAR, 0x50000008, 0xfc0003ff, (T(TYPE_B32), SUB(BAR_POPC)), W_BAR, W_SYNC, P_COUNT_ALL, R_BAR),
    SG(OP_BAR, 0x54000008, 0xfc0003ff, (T(TYPE_B32), SUB(BAR_POPC)), W_BAR, W_SYNC, P_COUNT_ALL, X_BAR),
    SG(OP_BAR, 0x58000008, 0xfc0003ff, (T(TYPE_B32), SUB(BAR_ARRIVE)), W_BAR, W_ARRIVE, P_COUNT_ALL,
       R_BAR),
    SG(OP_BAR, 0x5c000008, 0xfc0003ff, (T(TYPE_B32), SUB(BAR_ARRIVE)), W_BAR, W_ARRIVE, P_COUNT_ALL,
       X_BAR),
    SG(OP_PRESIN, 0x70000008, 0xf40003ff, (T(TYPE_F32)), W_PRESIN, W_F32, R_D, R_A),
    SG(OP_PREEX2, 0x74000008, 0xf40003ff, (T(TYPE_F32)), W_PREEX2, W_F32, R_D, R_A),
    SHORT_SFU(OP_COS, 0x80000008, W_COS, W_F32), SHORT_SFU(OP_SIN, 0x84000008, W_SIN, W_F32),
    SHORT_SFU(OP_EX2, 0x88000008, W_EX2, W_F32), SHORT_SFU(OP_LG2, 0x8c000008, W_LG2, W_F32),
    SHORT_SFU(OP_RCP, 0x90000008, W_RCP, W_F32), SHORT_SFU(OP_RSQRT, 0x94000008, W_RSQRT, W_F32),
    SHORT_SFU(OP_RCP64H, 0x98000008, W_RCP64H), SHORT_SFU(OP_RSQRT64H, 0x9c000008, W_RSQRT64H),
    SG(OP_SHL, 0x00000208, 0x800003ff, (T(TYPE_B32)), W_SHL, W_B32, R_D, R_A, I_SHIFT),
    SG(OP_SHR, 0x80000208, 0x800003ff, (T(TYPE_S32)), W_SHR, W_S32, R_D, R_A, I_SHIFT),
#define SHORT_VIDEO(code_, b, m, kind, ...) \
    SHORT(code_, b, m, (T(TYPE_B32), SUB(kind)), __VA_ARGS__)
#define WHOLE2 P_ALL_LANES, P_ORDER1_2, P_ORDER2_2
#define WHOLE4 P_ALL_LANES, P_ORDER1_2, P_ORDER2_4
    SHORT_VIDEO(OP_VIDEO2, 0x108, 0x7ff, VIDEO_ABSDIFF, W_VABSDIFF2, C_D13_16, R_D, C_S12_16, R_A,
                C_S11_16, R_B, WHOLE2),
    SHORT_VIDEO(OP_VIDEO2, 0x308, 0xfff, VIDEO_ADD, W_VADD2, C_D13_16, R_D, C_BOTH12_16, R_A,
                C_BOTH12_16_1, R_B, WHOLE2),
    SHORT_VIDEO(OP_VIDEO2, 0xb08, 0xfff, VIDEO_SUBR, W_VSUBR2, C_D13_16, R_D, C_BOTH12_16, R_A,
                C_BOTH12_16_1, R_B, WHOLE2),
    SHORT_VIDEO(OP_VIDEO4, 0x508, 0x7ff, VIDEO_ABSDIFF, W_VABSDIFF4, C_D13_8, R_D, C_S12_8, R_A,
                C_S11_8, R_B, WHOLE4),
    SHORT_VIDEO(OP_VIDEO4, 0x708, 0xfff, VIDEO_ADD, W_VADD4, C_D13_8, R_D, C_BOTH12_8, R_A,
                C_BOTH12_8_1, R_B, WHOLE4),
    SHORT_VIDEO(OP_VIDEO4, 0xf08, 0xfff, VIDEO_SUBR, W_VSUBR4, C_D13_8, R_D, C_BOTH12_8, R_A,
                C_BOTH12_8_1, R_B, WHOLE4),
#define SHORT_CVT_SRC N_NEG0_22, N_ABS0_25
    SG(OP_CVT, 0x018, 0x1ff, (T(TYPE_NONE)), W_CVT, C_SD20, R_D, F_CD23, SHORT_CVT_SRC, C_SS, R_B0),
    SG(OP_MOV, 0x118, 0x3ff, (T(TYPE_B32)), W_MOV, W_B32, R_D, I_12),
    SG(OP_MOV, 0x318, 0x3ff, (T(TYPE_B32)), W_MOV, W_B32, R_D, I_12F),
    SG(OP_MOV, 0x028, 0x0ff, (T(TYPE_B32)), W_MOV, W_B32, R_D, O_S1),
    SG(OP_CVT, 0x088, 0x3ff, (T(TYPE_F32)), W_CVT, C_ROUND20, W_F32, R_D, F_CD23, SHORT_CVT_SRC,
       C_S0_24, R_B0),
    SG(OP_CVT, 0x288, 0x3ff, (T(TYPE_NONE), ST(TYPE_F32)), W_CVT, C_ROUNDI20, C_TYPE24, R_D, F_CD23,
       SHORT_CVT_SRC, W_F32, R_B0),
    SG(OP_CVT, 0x098, 0x3ff, (T(TYPE_F32), ST(TYPE_F32)), W_CVT, B_SAT24, W_F32, R_D, F_CD23,
       SHORT_CVT_SRC, W_F32, R_B0),
    SG(OP_CVT, 0x298, 0x3ff, (T(TYPE_F32), ST(TYPE_F32)), W_CVT, B_SAT24, C_ROUNDI20, S_INTEGRAL,
       W_F32, R_D, F_CD23, SHORT_CVT_SRC, W_F32, R_B0),
    SG(OP_FMUL, 0x0a8, 0x0ff, (T(TYPE_F32)), W_MUL, W_F32, R_D, R_A, O_S2),
    SG(OP_ISET, 0x048, 0x0ff, (T(TYPE_S32)), W_SET, P_D17, C_COND14, W_S32, R_A, O_S2),
    SG(OP_ISET, 0x0c8, 0x0ff, (T(TYPE_S32)), W_SET, P_D17, C_COND14, W_S32, R_A, I_8),
    SHORT(OP_VIDEO, 0x058, 0x7f, (T(TYPE_B32), SUB(VIDEO_MAD)), W_VMAD, R_D, C_D13, C_MADS1, R_A,
          C_D12, C_MADS2, R_B, P_WHOLE),
    SG(OP_INTERP, 0x009, 0x7f, (T(TYPE_F32)), W_INTERP, C_INTERP_S, R_D, O_A_S2, R_A2),
    SG(OP_FADD, 0x049, 0x7f, (T(TYPE_F32)), W_ADD, W_F32, R_D, N_NEG0_7, R_A, O_S2),
    SG(OP_FSET, 0x059, 0x7f, (T(TYPE_F32)), W_SET, P_D17, C_COND7, W_F32, R_A, O_S2),
    SG(OP_LD, 0x029, 0x3f, (T(TYPE_B32)), W_LD, C_ATTR_S, V_ATTR_S, O_A_S1, R_B),
    SG(OP_ST, 0x039, 0x3f, (T(TYPE_B32)), W_ST, C_ATTR_S_ST, O_A_S1_ST, V_ATTR_S_ST, R_D14_3),
    SHORT_MEMORY(OP_LD, 0x00a, 0xff, W_LD, W_B32, P_LD_B32, R_D_LD, O_L_S4),
    SHORT_MEMORY(OP_LD, 0x04a, 0xff, W_LD, W_B32, P_LD_B32, R_D_LD, O_S_S4),
    SHORT_MEMORY(OP_LD, 0x08a, 0xff, W_LD, W_B64, P_LD_B64, R_D_LD, O_L_S8),
    SHORT_MEMORY(OP_LD, 0x0ca, 0xff, W_LD, W_B64, P_LD_B64, R_D_LD, O_S_S8),
    SHORT_MEMORY(OP_ST, 0x01a, 0xff, W_ST, W_B32, P_ST_B32, O_L_T4, R_DATA),
    SHORT_MEMORY(OP_ST, 0x05a, 0xff, W_ST, W_B32, P_ST_B32, O_S_T4, R_DATA),
    SHORT_MEMORY(OP_ST, 0x09a, 0xff, W_ST, W_B64, P_ST_B64, O_L_T8, R_DATA),
    SHORT_MEMORY(OP_ST, 0x0da, 0xff, W_ST, W_B64, P_ST_B64, O_S_T8, R_DATA),
    SG(OP_IMUL, 0x02a, 0xbf, (T(TYPE_U32), DT(TYPE_B32)), W_MUL, R_D, C_BOTH6, R_A, C_BOTH6_1, O_S2),
    SG(OP_IMUL, 0x0aa, 0xbf, (T(TYPE_U32), DT(TYPE_B32)), W_MUL, R_D, C_BOTH6, R_A, C_BOTH6_1, I_8),
    SHORT_MEMORY(OP_LD, 0x00b, 0xbf, W_LD, W_B32, P_LD_B32, R_D_LD, O_G_S4),
    SHORT_MEMORY(OP_LD, 0x08b, 0xbf, W_LD, W_B64, P_LD_B64, R_D_LD, O_G_S8),
    SHORT_MEMORY(OP_ST, 0x01b, 0xbf, W_ST, W_B32, P_ST_B32, O_G_T4, R_DATA),
    SHORT_MEMORY(OP_ST, 0x09b, 0xbf, W_ST, W_B64, P_ST_B64, O_G_T8, R_DATA),
    SG(OP_IADD, 0x02c, 0xff, (T(TYPE_B32)), W_ADD, W_B32, R_D, R_A, O_S2),
    SG(OP_IADD, 0x06c, 0xff, (T(TYPE_B32)), W_SUBR, P_ADD_SUBR, W_B32, R_D, R_A, O_S2),
    SG(OP_IADD, 0x0ac, 0xff, (T(TYPE_B32)), W_ADD, W_B32, R_D, R_A, I_8),
    SG(OP_IADD, 0x0ec, 0xff, (T(TYPE_B32)), W_SUBR, P_ADD_SUBR, W_B32, R_D, R_A, I_8),
    SG(OP_LD, 0x01c, 0x1f, (T(TYPE_B32)), W_LD, W_B32, P_LD_B32, R_D_LD, O_C_S),
    SHORT(OP_IMAD, 0x00d, 0x1f, (T(TYPE_U32), DT(TYPE_B32), ST(0, 0, TYPE_B32)), W_ADD, R_D, W_OPEN,
          W_MUL, C_BOTH5, R_A, C_BOTH5_1, O_S2A, W_CLOSE, R_C8),
    SHORT_LOGIC(0, W_AND, ), SHORT_LOGIC(1, W_OR, P_OR C), SHORT_LOGIC(2, W_XOR, P_XOR C),
    SHORT_LOGIC(3, W_MOV2, P_MOV2 C),
    SHORT(OP_FFMA, 0x00e, 0x2f, (T(TYPE_F32)), W_FMA, W_F32, R_D, N_NEG0_4, R_A, O_S2A, R_C8),
    SHORT(OP_FFMA, 0x02e, 0x2f, (T(TYPE_F32)), W_FMA, W_F32, R_D, N_NEG0_4, R_A, R_B, O_S3A),
#define SHORT_CONTROL(code_, b, m, attrs, ...) SG(code_, b, m, attrs, F_CC_S, __VA_ARGS__)
    SHORT_CONTROL(OP_BRA, 0x0000001f, 0xc000001f, (T(TYPE_NONE)), W_BRA, B_LIM29, B_ALLWARP28,
                  O_TARGET_S),
    SHORT(OP_JOINAT, 0x4000001f, 0xf000001f, (T(TYPE_NONE)), W_JOINAT, O_TARGET_S),
    SHORT(OP_CALL, 0x5000001f, 0xf000001f, (T(TYPE_NONE)), W_CALL, B_LIM5, O_CALL_S),
    SHORT(OP_BPT, 0x8000001f, 0xf800007f, (SUB(0)), W_BPT, W_DRAIN, I_BPT_S),
    SHORT(OP_BPT, 0x8000003f, 0xf800007f, (SUB(1)), W_BPT, W_CAL, I_BPT_S),
    SHORT(OP_BPT, 0x8000005f, 0xf800007f, (SUB(2)), W_BPT, W_PAUSE, I_BPT_S),
    SHORT(OP_BPT, 0x8000007f, 0xf800007f, (SUB(3)), W_BPT, W_TRAP, I_BPT_S),
    SHORT_CONTROL(OP_EXIT, 0x8800001f, 0xf800001f, (T(TYPE_NONE)), W_EXIT),
    SHORT_CONTROL(OP_RET, 0x9000001f, 0xf800001f, (T(TYPE_NONE)), W_RET),

    /* ---- class 0: single precision */
    MINMAX(OP_FMNMX, 0, 0, 0, (T(TYPE_F32)), B_FTZ5, W_F32, R_D, F_CD48, FLOAT_AB(O_BF)),
    LM(OP_FSET, 0, 0x10, 0xf0, 0, 0, (T(TYPE_F32)), W_SET, B_FTZ59, C_RES5, R_D, F_CD48, C_COND,
       W_F32, FLOAT_AB(O_BF), P_LOGIC),
    LM(OP_FSET, 0, 0x20, 0xf0, 0, 0, (T(TYPE_F32)), W_SET, B_FTZ59, P_D17, P_D14, C_COND, W_F32,
       FLOAT_AB(O_BF), P_LOGIC),
    L8(OP_FFMA, 0, 0x30, (T(TYPE_F32)), W_FMA, B_FTZ6, B_FMZ7, B_SAT5, C_ROUND55, W_F32, R_D, F_CD48,
       N_NEG0_9, R_A, O_BF3, N_NEG2_8, O_C),
    L8(OP_SLCT, 0, 0x38, (T(TYPE_B32), ST(0, 0, TYPE_F32)), W_SLCT, B_FTZ5, W_B32, R_D, R_A, O_BF3,
       C_COND, W_F32, O_C),
    L8(OP_QUADOP, 0, 0x48, (T(TYPE_F32)), W_QUADOP, B_FTZ5, C_ROUND55, W_F32, C_Q0, C_Q1, C_Q2, C_Q3,
       R_D, F_CD48, C_DQUAD, C_QLANE, R_A, R_B),
    L8(OP_FADD, 0, 0x50, (T(TYPE_F32)), W_ADD, B_FTZ5, B_SAT49, C_ROUND55, W_F32, R_D, F_CD48,
       FLOAT_AB(O_BF)),
    L8(OP_FMUL, 0, 0x58, (T(TYPE_F32)), W_MUL, C_SCALE, B_FMZ7, B_FTZ6, B_SAT5, C_ROUND55, N_NEG0_57,
       W_F32, R_D, F_CD48, R_A, O_BF),
    LM(OP_PRESIN, 0, 0x60, 0xf8, 0, BIT(5), (T(TYPE_F32)), W_PRESIN, W_F32, R_D, N_NEG0_8, N_ABS0_6,
       O_B0F),
    LM(OP_PREEX2, 0, 0x60, 0xf8, BIT(5), BIT(5), (T(TYPE_F32)), W_PREEX2, W_F32, R_D, N_NEG0_8,
       N_ABS0_6, O_B0F),
    L8(OP_INTERP, 0, 0xc0, (T(TYPE_F32)), W_INTERP, C_INTERP, B_SAT5, W_F32, R_D, C_PLACE, O_A, R_B,
       R_C),
    SFU(OP_COS, 0, W_COS, B_SAT5, W_F32), SFU(OP_SIN, 1, W_SIN, B_SAT5, W_F32),
    SFU(OP_EX2, 2, W_EX2, B_SAT5, W_F32), SFU(OP_LG2, 3, W_LG2, B_SAT5, W_F32),
    SFU(OP_RCP, 4, W_RCP, B_SAT5, W_F32), SFU(OP_RSQRT, 5, W_RSQRT, B_SAT5, W_F32),
    SFU(OP_RCP64H, 6, W_RCP64H, B_SAT5), SFU(OP_RSQRT64H, 7, W_RSQRT64H, B_SAT5),

    /* ---- class 1: double precision */
    MINMAX(OP_DMNMX, 1, 0, 0, (T(TYPE_F64)), W_F64, R_D, F_CD48, FLOAT_AB(O_BD)),
    L8(OP_DSET, 1, 0x10, (T(TYPE_F64), DT(TYPE_B32)), W_SET, C_RES5, R_D, F_CD48, C_COND, W_F64,
       FLOAT_AB(O_BD), P_LOGIC),
    L8(OP_DSET, 1, 0x18, (T(TYPE_F64)), W_SET, P_D17, P_D14, C_COND, W_F64, FLOAT_AB(O_BD), P_LOGIC),
    L8(OP_DFMA, 1, 0x20, (T(TYPE_F64)), W_FMA, C_ROUND55, W_F64, R_D, F_CD48, N_NEG0_9, R_A, O_BD3,
       N_NEG2_8, O_C),
    /* bit 58: fermi-isa.md §13 item 3 */
    LM(OP_DADD, 1, 0x48, 0xf8, 0, 0, (T(TYPE_F64)), W_ADD, C_ROUND55, W_F64, R_D, F_CD48,
       FLOAT_AB(O_BD)),
    L8(OP_DMUL, 1, 0x50, (T(TYPE_F64)), W_MUL, C_ROUND55, N_NEG0_9, W_F64, R_D, F_CD48, R_A, O_BD),

    /* ---- class 2: 32-bit immediates */
    L8(OP_IMAD, 2, 0x00, (T(TYPE_U32), DT(TYPE_B32), ST(0, 0, TYPE_B32)), C_ADD8, R_D, F_CD58,
       W_OPEN, W_MUL, B_HIGH6, C_S0_7, R_A, C_S1_5, I_32, W_CLOSE, R_SAME),
    L8(OP_IADD, 2, 0x08, (T(TYPE_B32)), C_ADD8, B_SAT5, W_B32, R_D, F_CD58, R_A, I_32, F_CARRY6),
    L8(OP_IMUL, 2, 0x10, (T(TYPE_U32), DT(TYPE_B32)), W_MUL, B_HIGH6, R_D, F_CD58, C_S0_7, R_A,
       C_S1_5, I_32),
    L8(OP_MOV, 2, 0x18, (T(TYPE_B32)), F_LANES, W_MOV, W_B32, R_D, I_MOV),
    L8(OP_FFMA, 2, 0x20, (T(TYPE_F32)), W_FMA, B_FTZ6, B_FMZ7, B_SAT5, W_F32, R_D, F_CD58, N_NEG0_9,
       R_A, I_32, N_NEG2_8, R_SAME),
    L8(OP_FADD, 2, 0x28, (T(TYPE_F32)), W_ADD, B_FTZ5, W_F32, R_D, F_CD58, N_NEG0_9, N_ABS0_7, R_A,
       I_32),
    L8(OP_FMUL, 2, 0x30, (T(TYPE_F32)), W_MUL, B_FMZ7, B_FTZ6, B_SAT5, W_F32, R_D, F_CD58, R_A, I_32),
    L8(OP_LOGIC, 2, 0x38, (T(TYPE_B32)), C_LOGIC, W_B32, R_D, F_CD58, N_NOT0_9, R_A, N_NOT1_8, I_32,
       F_CARRY5),
    L8(OP_ISCADD, 2, 0x40, (T(TYPE_B32)), W_ADD, W_B32, R_D, F_CD58, W_OPEN, W_SHL, R_A, X_SHIFT5,
       W_CLOSE, I_32),

    /* ---- class 3: integers */
#define MAD24(b, m, ...) LV(GK104, OP_MAD24, 3, 0x00, 0xf8, b, m, (T(TYPE_B32)), __VA_ARGS__)
#define MAD24_SIGNS (BIT(7) | BIT(5))
    LV(GK104, OP_MAD24, 3, 0x00, 0xf8, AT(55, 3), AT(55, 3), (T(TYPE_B32), SUB(1)), W_MAD, W_B32, W_SD,
       R_D, F_CD48, R_A, O_BI3, O_C),
    MAD24(0, MAD24_SIGNS, W_MAD, W_B32, R_D, F_CD48, C_MAD_U1, R_A, C_MAD_U2, O_BI3, C_MAD_U3, O_C),
    MAD24(BIT(5), MAD24_SIGNS, W_MAD, W_B32, R_D, F_CD48, C_MAD_U1, R_A, C_MAD_S2, O_BI3, C_MAD_S3,
          O_C),
    MAD24(BIT(7), BIT(7), W_MAD, W_B32, R_D, F_CD48, C_MAD_S1, R_A, C_MAD_X2, O_BI3, C_MAD_S3, O_C),
#define IMNMX(part_, ...) \
    MINMAX(OP_IMNMX, 3, AT(6, part_), AT(6, 3), (SUB(part_)), __VA_ARGS__)
    IMNMX(0, C_TYPE5, R_D, F_CD48, R_A, O_BI),
    IMNMX(1, W_LOW, C_TYPE5, R_D, F_CD48, R_A, O_BI, W_C),
    IMNMX(2, W_MED, C_TYPE5, R_D, F_CD48, R_A, O_BI, W_C),
    IMNMX(3, W_HIGH, C_TYPE5, R_D, F_CD48, R_A, O_BI),
    L8(OP_ISET, 3, 0x10, (DT(TYPE_B32)), W_SET, C_RES7, R_D, F_CD48, C_COND, C_TYPE5, R_A, O_BI,
       F_CARRY6, P_LOGIC),
    L8(OP_ISET, 3, 0x18, (T(TYPE_NONE)), W_SET, P_D17, P_D14, C_COND, C_TYPE5, R_A, O_BI, F_CARRY6,
       P_LOGIC),
    L8(OP_IMAD, 3, 0x20, (T(TYPE_U32), DT(TYPE_B32), ST(0, 0, TYPE_B32)), C_ADD8, B_SAT56, R_D,
       F_CD48, W_OPEN, W_MUL, B_HIGH6, C_S0_7, R_A, C_S1_5, O_BI3, W_CLOSE, O_C, F_CARRY55),
    L8(OP_BFI, 3, 0x28, (T(TYPE_B32)), W_INS, W_B32, R_D, F_CD48, R_A, O_BI3, O_C),
    L8(OP_SLCT, 3, 0x30, (T(TYPE_B32), ST(0, 0, TYPE_S32)), W_SLCT, W_B32, R_D, R_A, O_BI3, C_COND,
       C_S2_5, O_C),
    L8(OP_SAD, 3, 0x38, (DT(TYPE_B32), ST(0, 0, TYPE_B32)), W_SAD, C_TYPE5, R_D, F_CD48, R_A, O_BI3,
       O_C),
    L8(OP_ISCADD, 3, 0x40, (T(TYPE_B32)), C_ADD55, W_B32, R_D, F_CD48, W_OPEN, W_SHL, R_A, X_SHIFT5,
       W_CLOSE, O_BI),
    L8(OP_IADD, 3, 0x48, (T(TYPE_B32)), C_ADD8, B_SAT5, W_B32, R_D, F_CD48, R_A, O_BI, F_CARRY6),
    L8(OP_IMUL, 3, 0x50, (T(TYPE_U32), DT(TYPE_B32)), W_MUL, B_HIGH6, R_D, F_CD48, C_S0_7, R_A,
       C_S1_5, O_BI),
    L8(OP_SHR, 3, 0x58, (T(TYPE_NONE)), W_SHR, B_REV8, C_TYPE5, R_D, F_CD48, R_A, C_WRAP9, O_BI,
       F_CARRY7),
    L8(OP_SHL, 3, 0x60, (T(TYPE_B32)), W_SHL, W_B32, R_D, F_CD48, R_A, C_WRAP9, O_BI, F_CARRY6),
    L8(OP_LOGIC, 3, 0x68, (T(TYPE_B32)), C_LOGIC, W_B32, R_D, F_CD48, N_NOT0_9, R_A, N_NOT1_8, O_BI,
       F_CARRY5),
    L8(OP_BFE, 3, 0x70, (T(TYPE_NONE)), W_EXT, B_REV8, C_TYPE5, R_D, F_CD48, R_A, O_BI),
    L8(OP_BFIND, 3, 0x78, (T(TYPE_NONE)), W_BFIND, B_SHIFTAMT, C_TYPE5, R_D, F_CD48, N_NOT0_8, O_B0I),

    /* ---- class 4: moves, conversions, predicates, video */
    L6(OP_CSET, 4, 0x00, (T(TYPE_B32)), W_SET, C_RES5, R_D, F_CD48, C_TEST20, W_C, P_LOGIC),
    L6(OP_CSET, 4, 0x04, (T(TYPE_B32)), W_SET, P_D17, P_D14, C_TEST20, W_C, P_LOGIC),
    L6(OP_PSET, 4, 0x08, (T(TYPE_B32)), W_SET, C_RES5, R_D, F_CD48, P_PAIR, P_LOGIC),
    L6(OP_PSET, 4, 0x0c, (T(TYPE_B32)), W_SET, P_D17, P_D14, P_PAIR, P_LOGIC),
    CVT_FF(1, 1, (T(TYPE_F16), ST(TYPE_F16)), C_ROUND_IF, S_INTEGRAL, W_F16, R_D, F_CD48, CVT_SRC,
           W_F16, O_B0I, X_HALF),
    CVT_FF(2, 2, (T(TYPE_F32), ST(TYPE_F32)), C_ROUND_IF, S_INTEGRAL, W_F32, R_D, F_CD48, CVT_SRC,
           W_F32, O_B0F),
    CVT_FF(3, 3, (T(TYPE_F64), ST(TYPE_F64)), C_ROUND_IF, S_INTEGRAL, W_F64, R_D, F_CD48, CVT_SRC,
           W_F64, O_B0D),
    CVT_FF(1, 2, (T(TYPE_F16), ST(TYPE_F32)), C_ROUND49, W_F16, R_D, F_CD48, CVT_SRC, W_F32, O_B0F),
    CVT_FF(2, 3, (T(TYPE_F32), ST(TYPE_F64)), C_ROUND49, W_F32, R_D, F_CD48, CVT_SRC, W_F64, O_B0D),
    CVT_FF(2, 1, (T(TYPE_F32), ST(TYPE_F16)), W_F32, R_D, F_CD48, CVT_SRC, W_F16, O_B0I, X_HALF),
    CVT_FF(3, 2, (T(TYPE_F64), ST(TYPE_F32)), W_F64, R_D, F_CD48, CVT_SRC, W_F32, O_B0F),
    /* F16 from F64, F64 from F16: the reference syntax has no name (fermi-isa.md §13, item 13) */
    CVT_FF(1, 3, (T(TYPE_F16), ST(TYPE_F64)), C_ROUND49, W_F16, R_D, F_CD48, CVT_SRC, W_F64, O_B0D),
    CVT_FF(3, 1, (T(TYPE_F64), ST(TYPE_F16)), W_F64, R_D, F_CD48, CVT_SRC, W_F16, O_B0I, X_HALF),
    CVT_F2I(1, (ST(TYPE_F16)), W_F16, X_HALF, O_B0I),
    CVT_F2I(2, (ST(TYPE_F32)), W_F32, O_B0F),
    CVT_F2I(3, (ST(TYPE_F64)), W_F64, O_B0D),
    CVT_I2F(0, C_CVT_S8, X_BYTE, O_B0I), CVT_I2F(1, C_CVT_S16, X_HALF, O_B0I),
    CVT_I2F(2, C_CVT_S32, O_B0I), CVT_I2F(3, C_CVT_S64, O_B0I),
    CVT_I2I(0, C_CVT_S8, X_BYTE, O_B0I), CVT_I2I(1, C_CVT_S16, X_HALF, O_B0I),
    CVT_I2I(2, C_CVT_S32, O_B0I), CVT_I2I(3, C_CVT_S64, O_B0I),
    L6(OP_SELP, 4, 0x20, (T(TYPE_B32)), W_SELP, W_B32, R_D, R_A, O_BI, P_S49),
    L6(OP_PRMT, 4, 0x24, (T(TYPE_B32)), W_PRMT, C_PRMT, W_B32, R_D, R_A, O_BI3, O_C),
    L6(OP_MOV, 4, 0x28, (T(TYPE_B32)), F_LANES, W_MOV, W_B32, R_D, O_B0I),
    L6(OP_S2R, 4, 0x2c, (T(TYPE_B32)), W_MOV, W_B32, R_D, O_SPECIAL),
    LM(OP_READ_FLAGS, 4, 0x30, 0xfc, AT(20, 63), AT(20, 63), (T(TYPE_B32)), W_MOV, R_D, B_HIGH5,
       W_FLAGS, W_MASK, O_BI),
    L6(OP_READ_FLAGS, 4, 0x30, (T(TYPE_B32)), W_MOV, R_D, R_A, W_OR, B_HIGH5, W_FLAGS, W_MASK, O_BI),
    L6(OP_WRITE_FLAGS, 4, 0x34, (T(TYPE_B32)), W_MOV, B_HIGH5, W_FLAGS, R_A, W_MASK, O_BI),
    L6(OP_B2R, 4, 0x38, (T(TYPE_B32)), W_BAR, W_READ, R_D, X_BAR),
    LM(OP_NOP, 4, 0x40, 0xfc, 0, BIT(50), (T(TYPE_NONE)), F_CC, W_NOP),
    LM(OP_PMEVENT, 4, 0x40, 0xfc, BIT(50), BIT(50), (T(TYPE_NONE)), F_CC, W_PMEVENT, I_EVENT),
    L6(OP_LEPC, 4, 0x44, (T(TYPE_B32)), W_LEPC, R_D),
#define VOTE(n, word) \
    LM(OP_VOTE, 4, 0x48, 0xfc, AT(5, n), AT(5, 3), (T(TYPE_B32), SUB(n)), W_VOTE, word, R_D, P_D54, \
       P_S20)
    VOTE(VOTE_ALL, W_ALL), VOTE(VOTE_ANY, W_ANY), VOTE(VOTE_EQUAL, W_UNI),
    BAR_ROWS(BAR_POPC, 0, W_POPC), BAR_ROWS(BAR_AND, 1, W_AND), BAR_ROWS(BAR_OR, 2, W_OR),
    BAR_ROWS(BAR_ARRIVE, 4, W_ARRIVE),
    L6(OP_POPC, 4, 0x54, (T(TYPE_B32)), W_POPC, R_D, N_NOT0_9, R_A, N_NOT1_8, O_BI),
    LV(GK104, OP_SURFACE, 4, 0x58, 0xfc, 0, 0, (T(TYPE_B32)), W_SUCLAMP, C_SUC_DIM, C_SIGN9,
       C_SUC_MODE, C_SUC_RANGE, P_D55, R_D, R_A, O_BI, I_SUC),
    LV(GK104, OP_SURFACE, 4, 0x5c, 0xfc, 0, 0, (T(TYPE_B32)), W_SUBFM, C_SUF_DIM, P_D55, R_D, R_A,
       O_BI3, O_C),
    LV(GK104, OP_SURFACE, 4, 0x60, 0xfc, 0, 0, (T(TYPE_B32)), W_SUEAU, R_D, R_A, O_BI3, O_C),
    VIDEO4_(VIDEO_ADD, 0x80, MOD7(0), MOD7(3), W_VADD4),
    VIDEO4_(VIDEO_SUB, 0x80, MOD7(1), MOD7(3), W_VSUB4),
    VIDEO4_(VIDEO_SUBR, 0x80, MOD7(2), MOD7(3), W_VSUBR4),
    VIDEO4_(VIDEO_AVG, 0x80, MOD7(3), MOD7(3), W_VAVG4),
    VIDEO4_(VIDEO_MIN, 0x84, MOD7(0), MOD7(1), W_VMIN4),
    VIDEO4_(VIDEO_MAX, 0x84, MOD7(1), MOD7(1), W_VMAX4),
    VIDEO4_(VIDEO_ABSDIFF, 0x88, 0, 0, W_VABSDIFF4),
    VIDEO4_ROWS(VIDEO_SET, 0x8c, 0, 0, R_C, C_S1_5_8, W_VSET4, C_SIMD, C_BYTES, R_D, F_CD48,
                C_VCOND),
    VIDEO4_NOTYPE(VIDEO_SHR, 0x90, W_VSHR4), VIDEO4_NOTYPE(VIDEO_SHL, 0x94, W_VSHL4),
    VIDEO4_ROWS(VIDEO_SEL, 0x98, 0, 0, P_S49, C_S1_5_8, W_VSEL4, B_SAT9, C_SIMD, C_BYTES, C_D57_8,
                R_D, F_CD48),
    VIDEO2_(VIDEO_ADD, 0xa0, MOD7(0), MOD7(3), W_VADD2),
    VIDEO2_(VIDEO_SUB, 0xa0, MOD7(1), MOD7(3), W_VSUB2),
    VIDEO2_(VIDEO_SUBR, 0xa0, MOD7(2), MOD7(3), W_VSUBR2),
    VIDEO2_(VIDEO_AVG, 0xa0, MOD7(3), MOD7(3), W_VAVG2),
    VIDEO2_(VIDEO_MIN, 0xa4, MOD7(0), MOD7(1), W_VMIN2),
    VIDEO2_(VIDEO_MAX, 0xa4, MOD7(1), MOD7(1), W_VMAX2),
    VIDEO2_(VIDEO_ABSDIFF, 0xa8, 0, 0, W_VABSDIFF2),
    VIDEO2_ROWS(VIDEO_SET, 0xac, 0, 0, R_C, C_S1_5_16, W_VSET2, C_SIMD, C_HALVES, R_D, F_CD48,
                C_VCOND),
    VIDEO2_NOTYPE(VIDEO_SHR, 0xb0, W_VSHR2), VIDEO2_NOTYPE(VIDEO_SHL, 0xb4, W_VSHL2),
    VIDEO2_ROWS(VIDEO_SEL, 0xb8, 0, 0, P_S49, C_S1_5_16, W_VSEL2, B_SAT9, C_SIMD, C_HALVES,
                C_D57_16, R_D, F_CD48),
    VIDEO1(VIDEO_ADD, 0xc0, 0xf8, MOD7(0), MOD7(3), W_VADD),
    VIDEO1(VIDEO_SUB, 0xc0, 0xf8, MOD7(1), MOD7(3), W_VSUB),
    VIDEO1(VIDEO_SUBR, 0xc0, 0xf8, MOD7(2), MOD7(3), W_VSUBR),
    VIDEO1(VIDEO_ADDPO, 0xc0, 0xf8, MOD7(3), MOD7(3), W_VADDPO),
    VIDEO1(VIDEO_MIN, 0xc8, 0xf8, MOD7(0), MOD7(1), W_VMIN),
    VIDEO1(VIDEO_MAX, 0xc8, 0xf8, MOD7(1), MOD7(1), W_VMAX),
    VIDEO1(VIDEO_ABSDIFF, 0xd0, 0xf8, 0, 0, W_VABSDIFF),
    VIDEO_BOTH(OP_VIDEO, 0xd8, 0xf8, 0, 0, VIDEO_SET, R_C, W_VSET, C_VSUM, R_D, F_CD48, C_VCOND),
    VIDEO_BOTH(OP_VIDEO, 0xe0, 0xf8, 0, 0, VIDEO_SHR, R_C, W_VSHR, C_WRAP7, B_SAT9, C_VSUM, C_D42,
               R_D, F_CD48),
    VIDEO_BOTH(OP_VIDEO, 0xe8, 0xf8, 0, 0, VIDEO_SHL, R_C, W_VSHL, C_WRAP7, B_SAT9, C_VSUM, C_D42,
               R_D, F_CD48),
    VIDEO_BOTH(OP_VIDEO, 0xf0, 0xf8, 0, 0, VIDEO_MAD, R_C, W_VMAD, C_VMAD_ADD, B_SAT9, C_MAD_SHIFT,
               R_D, F_CD48),
    VIDEO_BOTH(OP_VIDEO, 0xf8, 0xf8, 0, 0, VIDEO_SET, P_LOGIC, W_VSET, P_D17, P_D14, C_VCOND),

    /* ---- class 5: memory */
    LM(OP_RED, 5, 0x10, 0xf8, 0, BIT(9), (T(TYPE_B32)), W_RED, C_ATOMIC, W_U32, P_ST_U32, O_G_ST,
       R_DATA1),
    LM(OP_RED, 5, 0x10, 0xf8, BIT(9), AT(5, 31), (T(TYPE_B64)), W_ADD, P_ADD, W_U64, P_ST_U64, O_G_ST,
       R_DATA1),
    LM(OP_RED, 5, 0x18, 0xf8, BIT(9), BIT(9), (T(TYPE_B32)), W_RED, C_ATOMIC_S, W_S32, P_ST_S32,
       O_G_ST, R_DATA1),
    LM(OP_RED, 5, 0x28, 0xf8, BIT(9), AT(5, 31), (T(TYPE_B32)), W_RED, W_ADD, P_ADD, W_F32, P_ST_F32,
       O_G_ST, R_DATA1),
    ATOM(0x50, 0, AT(8, 3), (T(TYPE_B32), NO_C), W_LD, C_ATOMIC, W_U32, P_LD_U32, R_D43, O_GATOM,
         R_ATOM1),
    ATOM(0x50, BIT(9), AT(5, 31), (T(TYPE_B64), NO_C), W_LD, W_ADD, P_ADD, W_U64, P_LD_U64, R_D43_1,
         O_GATOM, R_ATOM1_1),
    ATOM(0x50, AT(5, 8), AT(5, 31), (T(TYPE_B32), NO_C), W_EXCH, P_EXCH, W_B32, P_LD_B32, R_D43,
         O_GATOM, R_ATOM1),
    ATOM(0x50, AT(5, 24), AT(5, 31), (T(TYPE_B64), NO_C), W_EXCH, P_EXCH, W_B64, P_LD_B64, R_D43,
         O_GATOM, R_ATOM1),
    ATOM(0x50, AT(5, 9), AT(5, 31), (T(TYPE_B32)), W_CAS, P_CAS, W_B32, P_LD_B32, R_D43, O_GATOM,
         R_ATOM1, R_ATOM2),
    ATOM(0x50, AT(5, 25), AT(5, 31), (T(TYPE_B64)), W_CAS, P_CAS, W_B64, P_LD_B64, R_D43, O_GATOM,
         R_ATOM1, R_ATOM2),
    ATOM(0x58, AT(8, 2), AT(8, 3), (T(TYPE_B32), NO_C), W_LD, C_ATOMIC_S, W_S32, P_LD_S32, R_D43,
         O_GATOM, R_ATOM1),
    ATOM(0x68, AT(5, 16), AT(5, 31), (T(TYPE_B32), NO_C), W_LD, W_ADD, P_ADD, W_F32, P_LD_F32, R_D43,
         O_GATOM, R_ATOM1),
    L8(OP_LD, 5, 0x80, (T(TYPE_B32)), W_LD, C_LD, R_D_LD, C_LCOP, O_G),
    LV(GF100, OP_LD, 5, 0x88, 0xf8, 0, 0, (T(TYPE_B32)), W_LDU, C_LD, R_D_LD, O_G),
#define SHUFFLE(forms, b, c) \
    LV(GK104, OP_SHFL, 5, 0x88, 0xf8, AT(5, forms), AT(5, 3), (T(TYPE_B32)), W_SHFL, C_SHFL, P_D8, \
       R_D, R_A, b, c)
    SHUFFLE(0, R_B, R_C), SHUFFLE(1, I_SHFL, R_C), SHUFFLE(2, R_B, I_SHFL_C),
    SHUFFLE(3, I_SHFL, I_SHFL_C),
    L8(OP_ST, 5, 0x90, (T(TYPE_B32)), W_ST, C_ST, C_SCOP, O_G_ST, R_DATA),
    LM(OP_CCTL, 5, 0x98, 0xf8, 0, AT(8, 3), (T(TYPE_B32)), W_CCTL, C_CCTL, C_CACHE, R_D, O_GC),
    L8(OP_LD_LOCK, 5, 0xa0, (T(TYPE_B32)), W_LD, W_LOCK, C_LD, P_D8, R_D_LD, O_GLOCK),
    LV(GF100, OP_LD_PAIR, 5, 0xa8, 0xf8, 0, 0, (T(TYPE_B32)), W_LD, C_PAIR1, R_D_PAIR, O_PAIR_S, W_LDU,
       C_PAIR2, R_PAIR2, O_PAIR_G2),
    LV(GF100, OP_LD_PAIR, 5, 0xb0, 0xf0, 0, 0, (T(TYPE_B32)), W_LD, C_PAIR1, R_D_PAIR, O_PAIR_G, W_LDU,
       C_PAIR2, R_PAIR2, O_PAIR_G2),
    LV(GK104, OP_LD_LOCK, 5, 0xa8, 0xf8, AT(5, 5), AT(5, 7), (T(TYPE_B64)), W_LD, W_LOCK, P_LD_B64,
       P_D8, R_D, O_S),
    LV(GK104, OP_LD_LOCK, 5, 0xa8, 0xf8, AT(5, 6), AT(5, 7), (T(TYPE_B128)), W_LD, W_LOCK, P_LD_B128,
       P_D8, R_D, O_S),
    LV(GK104, OP_LD_LOCK, 5, 0xa8, 0xf8, 0, 0, (T(TYPE_B32)), W_LD, W_LOCK, S_LD, P_D8, R_D, O_S),
    LV(GK104, OP_ST_UNLOCK, 5, 0xb8, 0xf8, AT(5, 5), AT(5, 7), (T(TYPE_B64)), W_ST, W_UNLOCK,
       P_ST_B64, P_S8, O_S_ST, R_DATA),
    LV(GK104, OP_ST_UNLOCK, 5, 0xb8, 0xf8, AT(5, 6), AT(5, 7), (T(TYPE_B128)), W_ST, W_UNLOCK,
       P_ST_B128, P_S8, O_S_ST, R_DATA),
    LV(GK104, OP_ST_UNLOCK, 5, 0xb8, 0xf8, 0, 0, (T(TYPE_B32)), W_ST, W_UNLOCK, S_ST, P_S8, O_S_ST,
       R_DATA),
    LM(OP_LD, 5, 0xc0, 0xfd, 0, 0, (T(TYPE_B32)), W_LD, C_LD, R_D_LD, C_LCOP, O_L),
    LM(OP_LD, 5, 0xc1, 0xfd, 0, 0, (T(TYPE_B32)), W_LD, C_LD, R_D_LD, O_S),
    L6(OP_LD_LOCK, 5, 0xc4, (T(TYPE_B32)), W_LD, W_LOCK, C_LD, P_D50, R_D_LD, O_S),
    LM(OP_ST, 5, 0xc8, 0xfd, 0, 0, (T(TYPE_B32)), W_ST, C_ST, C_SCOP, O_L_ST, R_DATA),
    LM(OP_ST, 5, 0xc9, 0xfd, 0, 0, (T(TYPE_B32)), W_ST, C_ST, O_S_ST, R_DATA),
    L6(OP_ST_UNLOCK, 5, 0xcc, (T(TYPE_B32)), W_ST, W_UNLOCK, C_ST, O_S_ST, R_DATA),
    LM(OP_CCTL, 5, 0xd0, 0xfc, 0, AT(8, 3), (T(TYPE_B32)), W_CCTL, C_CCTL, R_D, O_LC),
#define SU2_HEAD C_LD, R_D_LD, C_LCOP, C_OUT_LD, C_SUFMT
    SU2(0xd4, 0xfc, 0, 0, W_SULDGB, P_SUP),
#undef SU2_HEAD
    SURFACE(GF100, 0xd4, 0xfc, 0, 0, (T(TYPE_B32), SUB(SURFACE_LOAD)), W_SULDB C C_LD C R_D_LD C C_LCOP C C_OUTSIDE,
            SU_VECTOR),
#define SUREDP(dims) \
    LM(OP_SURFACE, 5, 0xd8, 0xfc, BIT(46) | BIT(32) | AT(44, dims), BIT(46) | BIT(32) | AT(44, 3), \
       (T(TYPE_B32)), W_SUREDP, C_ATOMIC, C_OUTSIDE, O_SURF, V_SURF, R_DD)
    SUREDP(0), SUREDP(1), SUREDP(2), SUREDP(3),
#define SU2_HEAD C_ST, C_SCOP, C_OUT_ST, C_SUFMT
    SU2(0xdc, 0xff, 0, AT(54, 3), W_SUSTGB, R_DATA, P_SUP),
#undef SU2_HEAD
#define SU2_HEAD C_SCOP, C_OUT_ST, C_SUFMT
    SU2(0xdc, 0xfc, 0, 0, W_SUSTGP, T_SUST, P_SUP),
#undef SU2_HEAD
    SURFACE(GF100, 0xdc, 0xfc, 0, AT(49, 15), (T(TYPE_B32), SUB(SURFACE_STORE_RAW)),
            W_SUSTB C C_SCOP C C_OUTSIDE, SU_VECTOR C C_ST C R_DATA2),
    SURFACE(GF100, 0xdc, 0xfc, 0, 0, (T(TYPE_B32), SUB(SURFACE_STORE_TYPED)), W_SUSTP C C_SCOP C C_OUTSIDE,
            SU_VECTOR C T_SUST_P),
#define MEMBAR(n, word) \
    LM(OP_MEMBAR, 5, 0xe0, 0xfc, AT(5, n), AT(5, 3), (T(TYPE_NONE), SUB(n)), W_MEMBAR, word)
    MEMBAR(0, W_CTA), MEMBAR(1, W_GL), MEMBAR(2, W_SYS),
    SURFACE(GF100, 0xe4, 0xfc, 0, 0, (T(TYPE_B32)), W_SUQ C C_SUQ C R_D, F_END),
    L6(OP_ST_UNLOCK, 5, 0xe8, (T(TYPE_B32)), W_ST, W_UNLOCK, C_ST, O_GLOCK_ST, R_DATA),
    SURFACE(GF100, 0xf0, 0xfc, 0, 0, (T(TYPE_B64), DT(TYPE_B64), SUB(SURFACE_ADDRESS)),
            W_SULEAB C P_D54 C R_DD C C_LD C C_OUTSIDE, SU_VECTOR),

    /* ---- class 6: constants, attributes, textures */
    L6(OP_PFETCH, 6, 0x00, (T(TYPE_B32)), W_LD, R_D, O_P),
    L6(OP_LD, 6, 0x04, (T(TYPE_B32)), W_LD, B_PATCH, C_ATTR, V_ATTR, B_OUT, O_A, R_B, B_UNK57),
    L6(OP_ST, 6, 0x08, (T(TYPE_B32)), W_ST, B_PATCH, C_ATTR_ST, O_A_ST, V_ATTR_ST, R_C1, B_UNK57),
    L6(OP_AL2P, 6, 0x0c, (T(TYPE_B32)), W_AL2P, R_D, B_OUT, R_A, I_AL2P),
    L6(OP_PIXLD, 6, 0x10, (T(TYPE_B32)), W_PIXINFO, R_D, P_D53, C_PIXEL, O_PIX),
    L6(OP_LD, 6, 0x14, (T(TYPE_B32)), W_LD, C_LD, R_D_LD, O_CX),
    L6(OP_OUT, 6, 0x1c, (T(TYPE_B32)), W_OUT, B_EMIT, B_RESTART, R_D, R_A, O_BI),
    TEX(FTEX_SAMPLE, 0x80, W_TEX, C_END, C_LOD, B_SHADOW, B_OFF, C_LIVE, C_DTEX, TEX_UNITS, T_1, T_2),
    TEX(FTEX_FETCH, 0x90, W_TEXFETCH, C_END, C_LODF, B_CL, B_MS, B_OFF, C_LIVE, TEX_UNITS, T_1, T_2),
    TEX(FTEX_GATHER, 0xa0, W_TEXGATHER, C_END, B_SHADOW, C_GOFF, C_LIVE, C_DTEX, C_RGBA, TEX_UNITS,
        T_1, T_2),
    TEX(FTEX_QUERY_LOD, 0xb0, W_TEXQUERYLOD, C_END, C_LIVE, C_DTEX, TEX_UNITS, T_1),
    TEX(FTEX_QUERY, 0xc0, W_TEXQUERY, C_END, C_LIVE, T_D, C_QUERY, B_IND, T_T, T_S, R_A, R_B),
    TEX(FTEX_CSAA, 0xd0, W_TEXCSAA, C_END, C_LIVE, C_DTEX, T_D, T_T, T_S, T_1),
    TEX(FTEX_GRAD, 0xe0, W_TEXGRAD, C_END, B_OFF, C_LIVE, TEX_UNITS, T_1, T_2),
    LV(GK104, OP_TEXBAR, 6, 0xf0, 0xf0, 0, 0, (T(TYPE_NONE)), W_TEXBAR, F_CC, I_TEXBAR),

    /* ---- class 7: control */
    CT(OP_BRA, 0x00, 0, BIT(14), W_BRA, B_LIM16, B_ALLWARP15, W_ABSOLUTE, O_TARGET_ABS),
    CT(OP_BRA_INDIRECT, 0x00, BIT(14), BIT(14), W_BRA, B_LIM16, B_ALLWARP15, P_ABSOLUTE, O_CFIX),
    CT(OP_BRA_INDIRECT, 0x08, 0, BIT(14), W_BRA, B_LIM16, R_A, P_ABSOLUTE, W_ABSOLUTE, O_TARGET_ABS),
    CT(OP_BRA_INDIRECT, 0x08, BIT(14), BIT(14), W_BRA, B_LIM16, P_ABSOLUTE, O_CX),
    CTN(OP_CALL, 0x10, 0, BIT(14), (SUB(0)), W_CALL, B_LIM16, W_ABSOLUTE, O_TARGET_ABS),
    CTN(OP_CALL_INDIRECT, 0x10, BIT(14), BIT(14), (SUB(0)), W_CALL, B_LIM16, P_ABSOLUTE, O_CFIX),
    {.code = OP_NOP, FORM(GK104, 7, 0x20, 0xf0, 0, 0),
     CN(W_SCHED, X_SCHED0, X_SCHED1, X_SCHED2, X_SCHED3, X_SCHED4, X_SCHED5, X_SCHED6)},
    CT(OP_BRA, 0x40, 0, BIT(14), W_BRA, B_LIM16, B_ALLWARP15, O_TARGET),
    CT(OP_BRA_INDIRECT, 0x40, BIT(14), BIT(14), W_BRA, B_LIM16, B_ALLWARP15, W_PCREL, O_CFIX),
    CT(OP_BRA_INDIRECT, 0x48, 0, BIT(14), W_BRA, B_LIM16, R_A, O_TARGET_OFFSET),
    CT(OP_BRA_INDIRECT, 0x48, BIT(14), BIT(14), W_BRA, B_LIM16, W_PCREL, O_CX),
    CTN(OP_CALL, 0x50, 0, BIT(14), (SUB(0)), W_CALL, B_LIM16, O_TARGET),
    CTN(OP_CALL_INDIRECT, 0x50, BIT(14), BIT(14), (SUB(0)), W_CALL, B_LIM16, W_PCREL, O_CFIX),
    PUSH(OP_PRELONGJMP, 0x58, W_PRELONGJMP), PUSH(OP_JOINAT, 0x60, W_JOINAT),
    PUSH(OP_PREBREAK, 0x68, W_PREBRK), PUSH(OP_PRECONT, 0x70, W_PRECONT),
    PUSH(OP_PRERET, 0x78, W_PRERET, B_LIM16),
    CT(OP_EXIT, 0x80, 0, 0, W_EXIT), CT(OP_LONGJMP, 0x88, 0, 0, W_LONGJMP),
    CT(OP_RET, 0x90, 0, 0, W_RET), CT(OP_DISCARD, 0x98, 0, 0, W_DISCARD),
    CTN(OP_RTT, 0xa0, 0, 0, (SUB(0)), W_RTT, B_TERMINATE),
    CT(OP_BREAK, 0xa8, 0, 0, W_BRK), CT(OP_CONT, 0xb0, 0, 0, W_CONT),
    CTN(OP_QUADON, 0xc0, 0, 0, (SUB(0)), W_QUADON), CTN(OP_QUADPOP, 0xc8, 0, 0, (SUB(0)), W_QUADPOP),
#define BPT(n, word) CTN(OP_BPT, 0xd0, AT(14, n), AT(14, 3), (SUB(n)), W_BPT, word, I_BPT)
    BPT(0, W_DRAIN), BPT(1, W_CAL), BPT(2, W_PAUSE), BPT(3, W_TRAP),
};
const struct isa isa_fermi = {rows, sizeof rows / sizeof rows[0], fields, true, false};

/* clang-format on */
