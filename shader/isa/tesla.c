/* The Tesla instruction set, G80 to GT21x: its only encoding table, with the encoding rows and
 * their fields. decode.c, encode.c, print.c and parse.c read it. Facts: tesla-isa.md §3 to §6 and
 * §12. Order matters: the first row that fits is used, both in decoding (rows with more fixed bits
 * come first) and in assembling (short, then immediate, then long forms).
 */
#include "shader/isa/choices.h"

/* The tables are easier to read in this layout. */
/* clang-format off */

#define M(member_) offsetof(struct op, member_)

static const struct choice add_names[] = {
    {"add", ADD_ADD}, {"sub", ADD_SUB}, {"subr", ADD_SUBR}, {"addc", ADD_ADDC}};
static const struct choice u24_s24[] = {{"u24", TYPE_U24}, {"s24", TYPE_S24}};
/* cvt; bit 0: signed; bit 1: eight bits wide */
static const struct choice int16_8[] = {
    {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"u8", TYPE_U8}, {"s8", TYPE_S8}};
static const struct choice int32_8[] = {
    {"u32", TYPE_U32}, {"s32", TYPE_S32}, {"u8", TYPE_U8}, {"s8", TYPE_S8}};
static const struct choice cond_names[] = {
    {"never", 0}, {"l", 1}, {"e", 2}, {"le", 3}, {"g", 4}, {"lg", 5}, {"ge", 6}, {"lge", 7},
    {"u", 8}, {"lu", 9}, {"eu", 10}, {"leu", 11}, {"gu", 12}, {"lgu", 13}, {"geu", 14},
    {"always", 15}};
static const struct choice cond_int_names[] = {
    {"never", 0}, {"l", 1}, {"e", 2}, {"le", 3}, {"g", 4}, {"lg", 5}, {"ge", 6}, {"always", 7}};
static const struct choice quad_lane_names[] = {
    {"l0", QUAD_L0}, {"l1", QUAD_L1}, {"l2", QUAD_L2}, {"l3", QUAD_L3},
    {"dx", QUAD_DX}, {"dy", QUAD_DY}, {"dx", QUAD_DX}, {"dy", QUAD_DY}};
static const struct choice mode_names[] = { /* c[] and s[] access modes */
    {"u8", TYPE_U8}, {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"b32", TYPE_B32}};
static const struct choice size_names[] = { /* l[] and g[] accesses through a 32-bit register */
    {"u8", TYPE_U8}, {"s8", TYPE_S8}, {"u16", TYPE_U16}, {"s16", TYPE_S16},
    {NULL, 0}, {NULL, 0}, {"b32", TYPE_B32}, {NULL, 0}};
static const struct choice atomic_sizes[] = {
    {"u8", TYPE_U8}, {"s8", TYPE_S8}, {"u16", TYPE_U16}, {"s16", TYPE_S16},
    {NULL, 0}, {NULL, 0}, {"u32", TYPE_U32}, {"s32", TYPE_S32}};
static const struct choice atomic_names[] = {
    {"add", ATOMIC_ADD}, {"exch", ATOMIC_EXCH}, {"cas", ATOMIC_CAS}, {"trap", ATOMIC_TRAP},
    {"inc", ATOMIC_INC}, {"dec", ATOMIC_DEC}, {"max", ATOMIC_MAX}, {"min", ATOMIC_MIN},
    {"op8", ATOMIC_8}, {"op9", ATOMIC_9}, {"and", ATOMIC_AND}, {"or", ATOMIC_OR},
    {"xor", ATOMIC_XOR}, {"op13", ATOMIC_13}, {"op14", ATOMIC_14}, {"op15", ATOMIC_15}};

const struct choice isa_special_names[16] = {
    {"$physid", 0}, {"$clock", 1}, {"$sr2", 2}, {"$vstride", 3}, {"$pm0", 4}, {"$pm1", 5},
    {"$pm2", 6}, {"$pm3", 7}, {"$sampleid", 8}, {"$sr9", 9}, {"$sr10", 10}, {"$sr11", 11},
    {"$sr12", 12}, {"$sr13", 13}, {"$sr14", 14}, {"$sr15", 15}};

const char *const isa_predicate_names[32] = {
    "never", "l", "e", "le", "g", "lg", "ge", "lge", "u", "lu", "eu", "leu", "gu", "lgu", "geu", "",
    "o", "c", "a", "s", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "ns", "na", "nc", "no"};

/* Fields. The names of fields that differ in their place end in the number of the first bit: of
 * word 0, or, behind L, of word 1. */
#define FIXED(w, m, v) .kind = FIELD_FIXED, .word = w, .member = M(m), .value = v
#define FLAG(p, w, m, v) \
    .kind = FIELD_FLAG, .pos = p, .len = 1, .word = w, .member = M(m), .value = v
#define NEG(p, n) FLAG(p, "neg", src[n].flags, OPERAND_NEG)
#define ABS(p, n) FLAG(p, "abs", src[n].flags, OPERAND_ABS)
#define NOT(p, n) FLAG(p, "not", src[n].flags, OPERAND_NOT)
#define CHOICE(p, l, m, c) .kind = FIELD_CHOICE, .pos = p, .len = l, .member = M(m), .choice = c
#define CHOICE2(p, l, p2, l2, m, c) \
    .kind = FIELD_CHOICE, .pos = p, .len = l, .pos2 = p2, .len2 = l2, .member = M(m), .choice = c
#define REG(p, l, s) .kind = FIELD_REG, .pos = p, .len = l, .slot = s
#define IMMEDIATE(p, l, s) .kind = FIELD_IMM, .pos = p, .len = l, .slot = s
#define MEM(f, p, l, s, sc, pi) \
    .kind = FIELD_MEMORY, .file = f, .pos = p, .len = l, .slot = s, .scale = sc, .postinc = pi

#define WORDS(X) \
    X(W_OPEN, "(") X(W_CLOSE, ")") X(W_ADD, "add") X(W_BAR, "bar") X(W_BRA, "bra") \
    X(W_BREAK, "break") X(W_BREAKADDR, "breakaddr") X(W_BRKPT, "brkpt") X(W_CALL, "call") \
    X(W_COS, "cos") X(W_CVT, "cvt") X(W_DISCARD, "discard") X(W_EX2, "ex2") X(W_FMA, "fma") \
    X(W_INTERP, "interp") X(W_JOINAT, "joinat") X(W_LD, "ld") X(W_LG2, "lg2") X(W_LOCK, "lock") \
    X(W_MAX, "max") X(W_MIN, "min") X(W_MOV, "mov") X(W_MUL, "mul") X(W_NOP, "nop") \
    X(W_PMEVENT, "pmevent") X(W_PREEX2, "preex2") X(W_PRERET, "preret") X(W_PRESIN, "presin") \
    X(W_QUADON, "quadon") X(W_QUADOP, "quadop") X(W_QUADPOP, "quadpop") X(W_RCP, "rcp") \
    X(W_RED, "red") X(W_RET, "ret") X(W_RSQRT, "rsqrt") X(W_SAD, "sad") X(W_SET, "set") \
    X(W_SHL, "shl") X(W_SHR, "shr") X(W_SIN, "sin") X(W_SLCT, "slct") X(W_ST, "st") \
    X(W_TEXAUTO, "texauto") X(W_TEXBIAS, "texbias") X(W_TEXCSAA, "texcsaa") \
    X(W_TEXFETCH, "texfetch") X(W_TEXGATHER, "texgather") X(W_TEXLOD, "texlod") \
    X(W_TEXPREP, "texprep") X(W_TEXQUERYLOD, "texquerylod") X(W_TEXSIZE, "texsize") \
    X(W_TRAP, "trap") X(W_UNLOCK, "unlock") X(W_VOTE, "vote") X(W_B16, "b16") X(W_B32, "b32") \
    X(W_F16, "f16") X(W_F32, "f32") X(W_F64, "f64") X(W_S16, "s16") X(W_S24, "s24") \
    X(W_U16, "u16") X(W_U24, "u24")
#define FIELDS(X) \
    X(F_ENDING, .kind = FIELD_ENDING, .pos = W1(0), .len = 2) \
    X(F_PRED, .kind = FIELD_PREDICATE, .pos = W1(7), .len = 5, .pos2 = W1(12), .len2 = 2) \
    X(F_LANES, .kind = FIELD_LANES, .pos = W1(14), .len = 4) X(F_CARRY0, .kind = FIELD_CARRY) \
    X(F_CARRY, .kind = FIELD_CARRY, .pos = W1(12), .len = 2) \
    X(F_CD, .kind = FIELD_FLAGS_DST, .pos = W1(4), .len = 3) \
    X(F_CD_OUT, .kind = FIELD_FLAGS_OUT, .pos = W1(4), .len = 2) \
    X(F_CSRC, .kind = FIELD_FLAGS_SRC, .pos = W1(12), .len = 2, .slot = 1) \
    X(X_SAT, FIXED("sat", sat, 1)) X(X_HIGH, FIXED("high", high, 1)) \
    X(X_FLAT, FIXED("flat", interp_mode, INTERP_FLAT)) \
    X(X_CUBE, FIXED("cube", tex.call.cube, 1)) X(X_EMIT, FIXED("emit", emit, 1)) \
    X(X_RESTART, FIXED("restart", restart, 1)) X(X_ANY, FIXED("any", vote_any, 1)) \
    X(X_VALL, FIXED("all", vote_all, 1)) X(X_BAR_ALL, FIXED("all", bar_all, 1)) \
    X(X_LD_B32, FIXED("b32", src[0].mem, TYPE_B32)) \
    X(X_LD_B64, FIXED("b64", src[0].mem, TYPE_B64)) \
    X(X_LD_B128, FIXED("b128", src[0].mem, TYPE_B128)) X(X_ST_B8, FIXED("b8", dst.mem, TYPE_U8)) \
    X(X_ST_B16, FIXED("b16", dst.mem, TYPE_B16)) X(X_ST_B32, FIXED("b32", dst.mem, TYPE_B32)) \
    X(X_ST_B64, FIXED("b64", dst.mem, TYPE_B64)) X(X_ST_B128, FIXED("b128", dst.mem, TYPE_B128)) \
    X(X_RED_U32, FIXED("u32", dst.mem, TYPE_U32)) X(X_RED_U64, FIXED("u64", dst.mem, TYPE_U64)) \
    X(X_ATOM_U32, FIXED("u32", src[0].mem, TYPE_U32)) \
    X(X_ATOM_U64, FIXED("u64", src[0].mem, TYPE_U64)) \
    X(P_INTEGRAL, .kind = FIELD_PRESET, .member = M(integral), .value = 1) \
    X(A_ADD, FIXED("add", atomic, ATOMIC_ADD)) X(A_EXCH, FIXED("exch", atomic, ATOMIC_EXCH)) \
    X(A_CAS, FIXED("cas", atomic, ATOMIC_CAS)) X(A_INC, FIXED("inc", atomic, ATOMIC_INC)) \
    X(A_DEC, FIXED("dec", atomic, ATOMIC_DEC)) X(A_MAX, FIXED("max", atomic, ATOMIC_MAX)) \
    X(A_MIN, FIXED("min", atomic, ATOMIC_MIN)) X(A_AND, FIXED("and", atomic, ATOMIC_AND)) \
    X(A_OR, FIXED("or", atomic, ATOMIC_OR)) X(A_XOR, FIXED("xor", atomic, ATOMIC_XOR)) \
    X(B_SFU17, FLAG(17, "sfu", sfu, 1)) X(B_SFU_L25, FLAG(W1(25), "sfu", sfu, 1)) \
    X(B_SAT8, FLAG(8, "sat", sat, 1)) X(B_SAT_L19, FLAG(W1(19), "sat", sat, 1)) \
    X(B_SAT_L20, FLAG(W1(20), "sat", sat, 1)) X(B_SAT_L27, FLAG(W1(27), "sat", sat, 1)) \
    X(B_SAT_L29, FLAG(W1(29), "sat", sat, 1)) X(B_HIGH8, FLAG(8, "high", high, 1)) \
    X(B_HIGH_L14, FLAG(W1(14), "high", high, 1)) X(B_LIM, FLAG(W1(6), "lim", limited, 1)) \
    X(B_CENT24, FLAG(24, "cent", interp_mode, INTERP_CENTROID)) \
    X(B_CENT_L16, FLAG(W1(16), "cent", interp_mode, INTERP_CENTROID)) \
    X(B_DERIV, FLAG(W1(3), "deriv", tex.deriv, 1)) X(B_BAR_INC, FLAG(25, "inc", bar_inc, 1)) \
    X(B_BAR_WAIT, FLAG(26, "wait", bar_wait, 1)) \
    X(N_NEG0_15, NEG(15, 0)) X(N_NEG0_22, NEG(22, 0)) X(N_NEG0_L26, NEG(W1(26), 0)) \
    X(N_NEG0_L29, NEG(W1(29), 0)) X(N_ABS0_15, ABS(15, 0)) X(N_ABS0_L20, ABS(W1(20), 0)) \
    X(N_NOT0_22, NOT(22, 0)) X(N_NOT0_L16, NOT(W1(16), 0)) X(N_NEG1_22, NEG(22, 1)) \
    X(N_NEG1_L26, NEG(W1(26), 1)) X(N_NEG1_L27, NEG(W1(27), 1)) X(N_ABS1_L19, ABS(W1(19), 1)) \
    X(N_NOT1_L17, NOT(W1(17), 1)) X(N_NEG2_22, NEG(22, 2)) X(N_NEG2_L27, NEG(W1(27), 2)) \
    X(N_NEG2_L29, NEG(W1(29), 2)) \
    X(C_ADD, CHOICE2(22, 1, 28, 1, add_kind, add_names)) \
    X(C_ADD_L26, CHOICE(W1(26), 2, add_kind, add_names)) \
    X(C_LOGIC, CHOICE2(8, 1, 15, 1, logic, logic_names)) \
    X(C_LOGIC_L14, CHOICE(W1(14), 2, logic, logic_names)) \
    X(C_T16_15, CHOICE(15, 1, type, u16_s16)) X(C_T16_8S1, CHOICE(8, 1, src[1].type, u16_s16)) \
    X(C_T24_15, CHOICE(15, 1, type, u24_s24)) X(C_T16_8, CHOICE(8, 1, type, u16_s16)) \
    X(C_T32_8, CHOICE(8, 1, type, u32_s32)) X(C_T16S0_L15, CHOICE(W1(15), 1, type, u16_s16)) \
    X(C_T16S1_L14, CHOICE(W1(14), 1, src[1].type, u16_s16)) \
    X(C_T24_L15, CHOICE(W1(15), 1, type, u24_s24)) \
    X(C_T16_L27, CHOICE(W1(27), 1, type, u16_s16)) \
    X(C_T32_L27, CHOICE(W1(27), 1, type, u32_s32)) \
    X(C_ROUND16, CHOICE(16, 2, round, round_names)) \
    X(C_ROUND_L14, CHOICE(W1(14), 2, round, round_names)) \
    X(C_ROUND_L17, CHOICE(W1(17), 2, round, round_names)) \
    X(C_ROUND_L22, CHOICE(W1(22), 2, round, round_names)) \
    X(C_ROUNDI_L17, CHOICE(W1(17), 2, round, round_int_names)) \
    X(C_COND, CHOICE(W1(14), 4, cond, cond_names)) \
    X(C_COND_INT, CHOICE(W1(14), 3, cond, cond_int_names)) \
    X(C_D16_8, CHOICE2(W1(27), 1, W1(19), 1, type, int16_8)) \
    X(C_D32_8, CHOICE2(W1(27), 1, W1(19), 1, type, int32_8)) \
    X(C_D16, CHOICE(W1(27), 1, type, u16_s16)) X(C_D32, CHOICE(W1(27), 1, type, u32_s32)) \
    X(C_D64, CHOICE(W1(27), 1, type, u64_s64)) \
    X(C_S16_8, CHOICE2(W1(16), 1, W1(15), 1, src[0].type, int16_8)) \
    X(C_S32_8, CHOICE2(W1(16), 1, W1(15), 1, src[0].type, int32_8)) \
    X(C_S32, CHOICE(W1(16), 1, src[0].type, u32_s32)) \
    X(C_S64, CHOICE(W1(16), 1, src[0].type, u64_s64)) \
    X(C_QLANE, CHOICE(16, 3, quad_lane, quad_lane_names)) \
    X(C_Q0, CHOICE(W1(26), 2, quad_ops[0], quad_op_names)) \
    X(C_Q1, CHOICE(W1(24), 2, quad_ops[1], quad_op_names)) \
    X(C_Q2, CHOICE(W1(22), 2, quad_ops[2], quad_op_names)) \
    X(C_Q3, CHOICE(20, 2, quad_ops[3], quad_op_names)) \
    X(C_MODE, CHOICE(W1(14), 2, src[0].mem, mode_names)) \
    X(C_LD_SIZE, CHOICE(W1(21), 3, src[0].mem, size_names)) \
    X(C_ST_SIZE, CHOICE(W1(21), 3, dst.mem, size_names)) \
    X(C_LIVE8, CHOICE(8, 1, tex.live, all_live)) \
    X(C_LIVE_L2, CHOICE(W1(2), 1, tex.live, all_live)) \
    X(C_RED_OP, CHOICE(W1(2), 4, atomic, atomic_names)) \
    X(C_RED_SIZE, CHOICE(W1(21), 3, dst.mem, atomic_sizes)) \
    X(C_ATOM_SIZE, CHOICE(W1(21), 3, src[0].mem, atomic_sizes)) \
    X(C_T32_RED, CHOICE(W1(21), 1, dst.mem, u32_s32)) \
    X(C_T32_ATOM, CHOICE(W1(21), 1, src[0].mem, u32_s32)) \
    X(R_D6, REG(2, 6, 0)) X(R_D7, REG(2, 7, 0)) X(R_S0, REG(9, 6, 1)) X(R_S0_L, REG(9, 7, 1)) \
    X(R_S1_L, REG(16, 7, 2)) X(R_S2_L, REG(W1(14), 7, 3)) X(R_ADD2_L, REG(W1(14), 7, 2)) \
    X(R_DATA_D, REG(2, 7, 1)) X(R_DATA_D1, REG(2, 7, 2)) X(R_DATA_L14, REG(W1(14), 7, 1)) \
    X(R_MUL6, REG(9, 6, 2)) X(R_MUL7, REG(9, 7, 2)) \
    X(R_SAME, .kind = FIELD_SAME_REG, .pos = 2, .len = 6, .slot = 3) \
    X(O_D, .kind = FIELD_DST, .pos = 2, .len = 7) X(O_S1, .kind = FIELD_S1, .slot = 1) \
    X(O_S2, .kind = FIELD_S2, .slot = 2) X(O_S3_1, .kind = FIELD_S3, .slot = 2) \
    X(O_S3_2, .kind = FIELD_S3, .slot = 3) \
    X(I_32, .kind = FIELD_IMM, .pos = 16, .len = 6, .pos2 = W1(2), .len2 = 26, .slot = 2) \
    X(I_MOV, .kind = FIELD_IMM, .pos = 16, .len = 6, .pos2 = W1(2), .len2 = 26, .slot = 1) \
    X(I_SHIFT, IMMEDIATE(16, 7, 2)) X(I_SHL_A, IMMEDIATE(16, 4, 2)) \
    X(I_ADD_A, IMMEDIATE(9, 16, 2)) X(I_EVENT, IMMEDIATE(10, 4, 1)) \
    X(O_AD, .kind = FIELD_ADDR_REG, .pos = 2, .len = 3) \
    X(O_AS, .kind = FIELD_ADDR_REG, .pos = 26, .len = 2, .pos2 = W1(2), .len2 = 1, .slot = 1) \
    X(O_SPECIAL, .kind = FIELD_SPECIAL, .pos = W1(14), .len = 4, .slot = 1) \
    X(O_C, MEM(FILE_CONST, 9, 16, 1, 0, true)) X(O_LD_S, MEM(FILE_SHARED, 9, 16, 1, 0, true)) \
    X(O_ST_S, MEM(FILE_SHARED, 9, 16, 0, 0, true)) X(O_LD_L, MEM(FILE_LOCAL, 9, 16, 1, 1, true)) \
    X(O_ST_L, MEM(FILE_LOCAL, 9, 16, 0, 1, true)) X(O_A, MEM(FILE_ATTR, 9, 7, 1, 4, false)) \
    X(O_OUT, MEM(FILE_OUT, 9, 14, 0, 4, false)) X(O_V, MEM(FILE_VARYING, 16, 8, 1, 4, false)) \
    X(O_BRA_C, MEM(FILE_CONST, 9, 16, 1, 1, false)) \
    X(O_G, .kind = FIELD_GLOBAL, .pos = 9, .len = 7, .pos2 = 16, .len2 = 4, .slot = 1) \
    X(O_GD, .kind = FIELD_GLOBAL, .pos = 9, .len = 7, .pos2 = 16, .len2 = 4, .slot = 0) \
    X(O_GATOM, .kind = FIELD_GLOBAL, .pos = 9, .len = 7, .pos2 = 23, .len2 = 4, .slot = 1) \
    X(O_BAR_ID, .kind = FIELD_NUMBER, .pos = 21, .len = 4, .member = M(bar_id)) \
    X(O_BAR_COUNT, .kind = FIELD_NUMBER, .pos = 9, .len = 12, .member = M(bar_count)) \
    X(O_TARGET, .kind = FIELD_TARGET, .pos = 11, .len = 16, .pos2 = W1(14), .len2 = 6) \
    X(T_D6, .kind = FIELD_TEX_DST, .pos = 2, .len = 6) \
    X(T_D7, .kind = FIELD_TEX_DST, .pos = 2, .len = 7) \
    X(T_SRC, .kind = FIELD_TEX_SRC, .pos = 22, .len = 2) X(T_SRC1, .kind = FIELD_TEX_SRC) \
    X(T_T, .kind = FIELD_TEX_UNIT, .pos = 9, .len = 8, .word = "$t", .member = M(tex.tic)) \
    X(T_S, .kind = FIELD_TEX_UNIT, .pos = 17, .len = 5, .word = "$s", .member = M(tex.tsc)) \
    X(T_X, .kind = FIELD_TEX_OFFSET, .pos = W1(24), .len = 4, .member = M(tex.call.offset[0])) \
    X(T_Y, .kind = FIELD_TEX_OFFSET, .pos = W1(20), .len = 4, .member = M(tex.call.offset[1])) \
    X(T_Z, .kind = FIELD_TEX_OFFSET, .pos = W1(16), .len = 4, .member = M(tex.call.offset[2]))
#define WORD_NUMBER FIELD_NUMBER
#define WORD_FIELD(name, text) [name] = {.kind = FIELD_WORD, .word = text},
DEFINE_FIELDS;
_Static_assert(FIELD_COUNT <= 256, "field numbers are bytes");
_Static_assert(sizeof(struct op) <= 256, "member offsets are bytes");

/* Rows. The variants of each feature: tesla-isa.md §1. */
enum {
    SM11 = ALL_VARIANTS & ~(1 << ISA_G80),
    SM12 = SM11 & ~(1 << ISA_G84),
    FP64 = 1 << ISA_G200,
    D3D10_1 = 1 << ISA_GT215,
    VP_GP = 1 << PROGRAM_VP | 1 << PROGRAM_GP,
    GP = 1 << PROGRAM_GP,
    FP = 1 << PROGRAM_FP,
    CP = 1 << PROGRAM_CP,
};

/* p: mask of the primary opcode if not all of w0[28:31]; q: that of the secondary opcode; b, m:
 * further bits, their mask. */
#define SHORT_P(p, b, m) .form = FORM_SHORT, .bits = {b, 0}, .mask = {(p) | (m) | 3u, 0}
#define SHORT(b, m) SHORT_P(0xf0000000u, b, m)
#define IMM_P(p, b, m) .form = FORM_IMMEDIATE, .bits = {(b) | 1u, 3}, .mask = {(p) | (m) | 3u, 3}
#define IMM(b, m) IMM_P(0xf0000000u, b, m)
#define LONG_PQ(p, q, b0, b1, m0, m1) \
    .form = FORM_LONG, .bits = {(b0) | 1u, b1}, .mask = {(p) | (m0) | 3u, (q) | (m1)}
#define LONG_P(p, b0, b1, m0, m1) LONG_PQ(p, 0xe0000000u, b0, b1, m0, m1)
#define LONG(b0, b1, m0, m1) LONG_PQ(0xf0000000u, 0xe0000000u, b0, b1, m0, m1)
#define CONTROL(b0, b1, m0, m1) \
    .form = FORM_CONTROL, .bits = {(b0) | 3u, b1}, .mask = {0xf0000000u | (m0) | 3u, m1}
#define ALL .variants = ALL_VARIANTS, .types = ALL_TYPES
#define ONLY(v, t) .variants = v, .types = t, .type_error = DECODE_ILLEGAL_OPCODE
#define ONLY_E(v, t, e) .variants = v, .types = t, .type_error = e
#define F(...) .fields = {__VA_ARGS__}
#define FL(...) .fields = {F_ENDING, F_PRED, __VA_ARGS__}
#define TYPE(t) .type = t
#define DTYPE(t) .dst_type = t
#define STYPE(...) .src_type = {__VA_ARGS__}

/* Multiply-add with 32-bit D and S3. t: the type of the factors. */
#define IMAD_T(t) .code = OP_IMAD, ALL, TYPE(t), DTYPE(TYPE_B32), STYPE(0, 0, TYPE_B32)
#define IMAD_S(kind, t, ...) \
    {IMAD_T(t), SHORT_P(0xe0000000u, 0x60000000u | (kind), 0x8100), \
     F(C_ADD, __VA_ARGS__, O_S1, O_S2, W_CLOSE, R_SAME, F_CARRY0)}
#define IMAD_I(kind, t, ...) \
    {IMAD_T(t), IMM_P(0xe0000000u, 0x60000000u | (kind), 0x8100), \
     F(C_ADD, __VA_ARGS__, O_S1, I_32, W_CLOSE, R_SAME, F_CARRY0)}
#define IMAD_L_TAIL O_S1, O_S2, W_CLOSE, O_S3_2, F_CARRY
#define IMAD_L(kind, t, ...) \
    {IMAD_T(t), LONG(0x60000000u, (uint32_t)(kind) << 29, 0, 0), \
     FL(C_ADD_L26, __VA_ARGS__, IMAD_L_TAIL)}
/* Short and immediate forms differ in the second source only. */
#define SHORT_AND_IMM(pm, b, m, head, ...) \
    {head, SHORT_P(pm, b, m), F(__VA_ARGS__, O_S2)}, {head, IMM_P(pm, b, m), F(__VA_ARGS__, I_32)}
/* cvt. kind: w1[30:31]. d, s: 1 if D, S have 32 bits (in fp64 forms 64), 0 if 16 (in fp64 forms
 * 32). */
#define CVT_BITS(kind, d, s, more, mask) \
    LONG_PQ(0xf0000000u, 0xc0000000u, 0xa0000000u, \
            (uint32_t)(kind) << 30 | (uint32_t)(d) << 26 | (uint32_t)(s) << 14 | (more), 0, \
            1u << 26 | 1u << 14 | (mask))
#define CVT(kind, d, s, more, mask, dt, st, ...) \
    {.code = OP_CVT, ALL, CVT_BITS(kind, d, s, more, mask), TYPE(dt), \
     DTYPE((d) ? TYPE_B32 : TYPE_B16), STYPE(st), FL(W_CVT, N_NEG0_L29, N_ABS0_L20, __VA_ARGS__)}
#define CVT64(kind, d, s, more, mask, dt, st, ...) \
    {.code = OP_CVT, ONLY(FP64, ALL_TYPES), \
     CVT_BITS(kind, d, s, 1u << 22 | (more), 1u << 22 | (mask)), TYPE(dt), \
     DTYPE((d) ? TYPE_B64 : TYPE_B32), STYPE(st), \
     FL(W_CVT, N_NEG0_L29, N_ABS0_L20, __VA_ARGS__)}
#define INTEGRAL (1u << 27)
#define NOT64 (1u << 22)
#define SFU(sub, op_, w, ...) \
    {.code = op_, ALL, LONG(0x90000000u, (uint32_t)(sub) << 29, 0, 0), TYPE(TYPE_F32), \
     FL(w, W_F32, __VA_ARGS__, R_S0_L)}
/* Texture rows. */
#define TEX(op_, who, w, sec, b0, m0, m1, ...) \
    {.code = op_, who, LONG(0xf0000000u | (b0), sec, m0, m1), TYPE(TYPE_B32), FL(w, __VA_ARGS__)}
#define TEX_CUBE X_CUBE, C_LIVE_L2, B_DERIV, T_D7, T_T, T_S
#define TEX_PLAIN C_LIVE_L2, B_DERIV, T_D7, T_T, T_S
/* Atomics. op_: operation; b, m: the bits for the size and their mask. */
#define RED(op_, v, b, m, t, ...) \
    {.code = OP_RED, ONLY(v, CP), \
     LONG(0xd0000000u, 0xc0000000u | (uint32_t)(op_) << 2 | (b), 0, 0x3c | (m)), TYPE(t), \
     FL(W_RED, __VA_ARGS__, O_GD, R_DATA_D1)}
#define ATOM(op_, v, b, m, t, ...) \
    {.code = OP_ATOM, ONLY(v, CP), \
     LONG(0xd0000000u, 0xe0000000u | (uint32_t)(op_) << 2 | (b), 0, 0x3c | (m)), TYPE(t), \
     FL(__VA_ARGS__)}
#define SIZE(n) ((uint32_t)(n) << 21)
#define SIZE_M SIZE(7)

static const struct encoding_row rows[] = {
    /* ---- short and immediate */
    {.code = OP_MOV, ALL, SHORT(0x10000000u, 0x8000), TYPE(TYPE_B16),
     F(W_MOV, B_SFU17, W_B16, R_D6, O_S1)},
    {.code = OP_MOV, ALL, SHORT(0x10008000u, 0x8000), TYPE(TYPE_B32),
     F(W_MOV, B_SFU17, W_B32, R_D6, O_S1)},
#define ADD_B16 .code = OP_IADD, ALL, TYPE(TYPE_B16)
#define ADD_B32 .code = OP_IADD, ALL, TYPE(TYPE_B32)
    {ADD_B16, SHORT_P(0xe0000000u, 0x20000000u, 0x8000),
     F(C_ADD, B_SAT8, W_B16, R_D6, O_S1, O_S2, F_CARRY0)},
    {ADD_B32, SHORT_P(0xe0000000u, 0x20008000u, 0x8000),
     F(C_ADD, B_SAT8, W_B32, R_D6, O_S1, O_S2, F_CARRY0)},
    {ADD_B16, IMM_P(0xe0000000u, 0x20000000u, 0x8000),
     F(C_ADD, B_SAT8, W_B16, R_D6, O_S1, I_32, F_CARRY0)},
    {ADD_B32, IMM_P(0xe0000000u, 0x20008000u, 0x8000),
     F(C_ADD, B_SAT8, W_B32, R_D6, O_S1, I_32, F_CARRY0)},
#define MUL16 .code = OP_IMUL, ALL, TYPE(TYPE_U16), DTYPE(TYPE_B32), STYPE(0, TYPE_U16)
#define MUL24 .code = OP_IMUL, ALL, TYPE(TYPE_U24), DTYPE(TYPE_B32)
    SHORT_AND_IMM(0xf0000000u, 0x40000000u, 1u << 22, MUL16, W_MUL, R_D6, C_T16_15, O_S1,
     C_T16_8S1),
    SHORT_AND_IMM(0xf0000000u, 0x40400000u, 1u << 22, MUL24, W_MUL, R_D6, B_HIGH8, C_T24_15, O_S1),
    {.code = OP_SAD, ALL, SHORT(0x50000000u, 0x8000), TYPE(TYPE_U16), DTYPE(TYPE_B32), STYPE(0,
     0, TYPE_B32),
     F(W_SAD, R_D6, C_T16_8, O_S1, O_S2, R_SAME)},
    {.code = OP_SAD, ALL, SHORT(0x50008000u, 0x8000), TYPE(TYPE_U32), DTYPE(TYPE_B32), STYPE(0,
     0, TYPE_B32),
     F(W_SAD, R_D6, C_T32_8, O_S1, O_S2, R_SAME)},
    IMAD_S(0x0000, TYPE_U16, R_D6, W_OPEN, W_MUL, W_U16),
    IMAD_S(0x0100, TYPE_S16, R_D6, W_OPEN, W_MUL, W_S16),
    IMAD_S(0x8000, TYPE_S16, X_SAT, R_D6, W_OPEN, W_MUL, W_S16),
    IMAD_S(0x8100, TYPE_U24, R_D6, W_OPEN, W_MUL, W_U24),
    IMAD_I(0x0000, TYPE_U16, R_D6, W_OPEN, W_MUL, W_U16),
    IMAD_I(0x0100, TYPE_S16, R_D6, W_OPEN, W_MUL, W_S16),
    IMAD_I(0x8000, TYPE_S16, X_SAT, R_D6, W_OPEN, W_MUL, W_S16),
    IMAD_I(0x8100, TYPE_U24, R_D6, W_OPEN, W_MUL, W_U24),
#define INTERP .code = OP_INTERP, ONLY_E(ALL_VARIANTS, FP, DECODE_INTERP_NON_FP), TYPE(TYPE_F32)
    {INTERP, SHORT(0x80000100u, 0x100), F(W_INTERP, R_D6, X_FLAT, O_V)},
    {INTERP, SHORT(0x80000000u, 0x2000100), F(W_INTERP, R_D6, B_CENT24, O_V)},
    {INTERP, SHORT(0x82000000u, 0x2000100), F(W_INTERP, R_D6, B_CENT24, O_V, R_MUL6)},
    {.code = OP_RCP, ALL, SHORT(0x90000000u, 0), TYPE(TYPE_F32),
     F(W_RCP, W_F32, R_D6, N_NEG0_22, N_ABS0_15, R_S0)},
#define FADD .code = OP_FADD, ALL, TYPE(TYPE_F32)
#define FMUL_SAT .code = OP_FMUL, ONLY(SM12, ALL_TYPES), TYPE(TYPE_F32)
#define FMUL .code = OP_FMUL, ALL, TYPE(TYPE_F32)
#define FMAD .code = OP_FMAD, ALL, TYPE(TYPE_F32)
    SHORT_AND_IMM(0xf0000000u, 0xb0000000u, 0, FADD, W_ADD, B_SAT8, W_F32, R_D6, N_NEG0_15,
     O_S1, N_NEG1_22),
    SHORT_AND_IMM(0xf0000000u, 0xc0000000u, 0, FMUL_SAT, W_MUL, B_SAT8, W_F32, R_D6, N_NEG0_15,
     O_S1, N_NEG1_22),
    SHORT_AND_IMM(0xf0000000u, 0xc0000000u, 0, FMUL, W_MUL, W_F32, R_D6, N_NEG0_15, O_S1,
     N_NEG1_22),
    {FMAD, SHORT(0xe0000000u, 0),
     F(W_ADD, B_SAT8, W_F32, R_D6, N_NEG0_15, W_OPEN, W_MUL, O_S1, O_S2, W_CLOSE, N_NEG2_22,
     R_SAME)},
    {FMAD, IMM(0xe0000000u, 0),
     F(W_ADD, B_SAT8, W_F32, R_D6, N_NEG0_15, W_OPEN, W_MUL, O_S1, I_32, W_CLOSE, N_NEG2_22,
     R_SAME)},
    {.code = OP_MOV, ALL, IMM(0x10000000u, 0x8000), TYPE(TYPE_B16), F(W_MOV, W_B16, R_D7, I_MOV)},
    {.code = OP_MOV, ALL, IMM(0x10008000u, 0x8000), TYPE(TYPE_B32), F(W_MOV, W_B32, R_D7, I_MOV)},
    {.code = OP_LOGIC, ALL, IMM(0xd0000000u, 0), TYPE(TYPE_B32),
     F(C_LOGIC, W_B32, R_D6, N_NOT0_22, O_S1, I_32)},
    {.code = OP_TEXAUTO, ALL, SHORT(0xf0000000u, 1u << 24), TYPE(TYPE_B32),
     F(W_TEXAUTO, C_LIVE8, T_D6, T_T, T_S, T_SRC)},
    {.code = OP_TEXFETCH, ALL, SHORT(0xf1000000u, 1u << 24), TYPE(TYPE_B32),
     F(W_TEXFETCH, C_LIVE8, T_D6, T_T, T_S, T_SRC)},

    /* ---- long 0: moves, address registers, special loads and stores */
    {.code = OP_LD, ONLY_E(ALL_VARIANTS, VP_GP, DECODE_LD_A_ST_O_NON_VP_GP), LONG(0, 0, 0, 0),
     .canon = {0, 0x04200000},
     TYPE(TYPE_B32), FL(F_LANES, W_LD, X_LD_B32, O_D, O_A)},
    {.code = OP_MOV_FROM_FLAGS, ALL, LONG(0, 0x20000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_MOV, R_D7, F_CSRC)},
    {.code = OP_MOV_FROM_ADDR, ALL, LONG(0, 0x40000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_MOV, R_D7, O_AS)},
    {.code = OP_MOV_FROM_SPECIAL, ALL, LONG(0, 0x60000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_MOV, R_D7, O_SPECIAL)},
    {.code = OP_ST, ONLY_E(ALL_VARIANTS, VP_GP, DECODE_LD_A_ST_O_NON_VP_GP), LONG(0,
     0x80000000u, 0, 0),
     .canon = {0, 0x00c00000}, TYPE(TYPE_B32), FL(W_ST, X_ST_B32, O_OUT, R_DATA_L14)},
    {.code = OP_MOV_TO_FLAGS, ALL, LONG(0, 0xa0000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_MOV, F_CD_OUT, R_S0_L)},
    {.code = OP_SHL_TO_ADDR, ALL, LONG(0, 0xc0000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_SHL, O_AD, O_S1, I_SHL_A)},
#define ST_S(op_, v, t, b1, m1, ...) \
    {.code = op_, ONLY(v, CP), LONG(0, 0xe0000000u | (b1), 0, m1), TYPE(t), \
     FL(W_ST, __VA_ARGS__, O_ST_S, R_DATA_L14)}
    {.code = OP_ST_UNLOCK, ONLY(SM12, CP), LONG(0, 0xe4800000u, 0, 0x04800000), .canon = {0,
     0x00200000},
     TYPE(TYPE_B32), FL(W_ST, W_UNLOCK, X_ST_B32, O_ST_S, R_DATA_L14)},
    ST_S(OP_ST, ALL_VARIANTS, TYPE_B16, 0x00400000, 0x04600000, X_ST_B8),
    ST_S(OP_ST, ALL_VARIANTS, TYPE_B32, 0x00600000, 0x04600000, X_ST_B8),
    ST_S(OP_ST, ALL_VARIANTS, TYPE_B16, 0x00000000, 0x04600000, X_ST_B16),
    ST_S(OP_ST, ALL_VARIANTS, TYPE_B32, 0x00200000, 0x04600000, X_ST_B16),
    {.code = OP_ST, ONLY(ALL_VARIANTS, CP), LONG(0, 0xe4000000u, 0, 0x04000000), .canon = {0,
     0x00200000},
     TYPE(TYPE_B32), FL(W_ST, X_ST_B32, O_ST_S, R_DATA_L14)},

    /* ---- long 1 */
    {.code = OP_MOV, ALL, LONG(0x10000000u, 0, 0, 1u << 26), TYPE(TYPE_B16),
     FL(F_LANES, W_MOV, B_SFU_L25, W_B16, O_D, O_S1)},
    {.code = OP_MOV, ALL, LONG(0x10000000u, 1u << 26, 0, 1u << 26), TYPE(TYPE_B32),
     FL(F_LANES, W_MOV, B_SFU_L25, W_B32, O_D, O_S1)},
    {.code = OP_LD, ALL, LONG(0x10000000u, 0x20000000u, 0, 1u << 26), TYPE(TYPE_B16),
     FL(W_LD, O_D, C_MODE, O_C)},
    {.code = OP_LD, ALL, LONG(0x10000000u, 0x24000000u, 0, 1u << 26), TYPE(TYPE_B32),
     FL(W_LD, O_D, C_MODE, O_C)},
    {.code = OP_LD_LOCK, ONLY(SM12, CP), LONG(0x10000000u, 0x4080c000u, 0, 0x0480c000),
     TYPE(TYPE_B16),
     FL(W_LD, W_LOCK, F_CD_OUT, O_D, X_LD_B32, O_LD_S)},
    {.code = OP_LD_LOCK, ONLY(SM12, CP), LONG(0x10000000u, 0x4480c000u, 0, 0x0480c000),
     TYPE(TYPE_B32),
     FL(W_LD, W_LOCK, F_CD_OUT, O_D, X_LD_B32, O_LD_S)},
    {.code = OP_LD, ONLY(SM11, CP), LONG(0x10000000u, 0x40000000u, 0, 1u << 26), TYPE(TYPE_B16),
     FL(W_LD, O_D, C_MODE, O_LD_S)},
    {.code = OP_LD, ONLY(SM11, CP), LONG(0x10000000u, 0x44000000u, 0, 1u << 26), TYPE(TYPE_B32),
     FL(W_LD, O_D, C_MODE, O_LD_S)},
    {.code = OP_VOTE, ONLY(SM12, ALL_TYPES), LONG(0x10000200u, 0x60000000u, 0x600, 0),
     FL(W_VOTE, X_ANY, F_CD_OUT)},
    {.code = OP_VOTE, ONLY(SM12, ALL_TYPES), LONG(0x10000400u, 0x60000000u, 0x600, 0),
     FL(W_VOTE, X_VALL, F_CD_OUT)},

    /* ---- long 2-7: integer */
    {ADD_B16, LONG_P(0xe0000000u, 0x20000000u, 0, 0, 1u << 26),
     FL(C_ADD, W_B16, B_SAT_L27, F_CD, O_D, O_S1, O_S3_1, F_CARRY)},
    {ADD_B32, LONG_P(0xe0000000u, 0x20000000u, 1u << 26, 0, 1u << 26),
     FL(C_ADD, W_B32, B_SAT_L27, F_CD, O_D, O_S1, O_S3_1, F_CARRY)},
#define INT_SET(b, t, dt, c) \
    {.code = OP_ISET, ALL, LONG(0x30000000u, 0x60000000u | (b), 0, 1u << 26), TYPE(t), DTYPE(dt), \
     FL(W_SET, F_CD, O_D, C_COND_INT, c, O_S1, O_S2)}
    INT_SET(0, TYPE_U16, TYPE_B16, C_T16_L27),
    INT_SET(1u << 26, TYPE_U32, TYPE_B32, C_T32_L27),
#define MIN_MAX(op_, w, sec, b, t, c) \
    {.code = op_, ALL, LONG(0x30000000u, (sec) | (b), 0, 1u << 26), TYPE(t), \
     FL(w, c, F_CD, O_D, O_S1, O_S2)}
    MIN_MAX(OP_IMAX, W_MAX, 0x80000000u, 0, TYPE_U16, C_T16_L27),
    MIN_MAX(OP_IMAX, W_MAX, 0x80000000u, 1u << 26, TYPE_U32, C_T32_L27),
    MIN_MAX(OP_IMIN, W_MIN, 0xa0000000u, 0, TYPE_U16, C_T16_L27),
    MIN_MAX(OP_IMIN, W_MIN, 0xa0000000u, 1u << 26, TYPE_U32, C_T32_L27),
#define SHIFT(op_, w, sec, b, t, c, s) \
    {.code = op_, ALL, LONG(0x30000000u, (sec) | (b), 0, 1u << 26 | 1u << 20), TYPE(t), \
     FL(w, c, F_CD, O_D, O_S1, s)}
    SHIFT(OP_SHL, W_SHL, 0xc0000000u, 0, TYPE_B16, W_B16, O_S2),
    SHIFT(OP_SHL, W_SHL, 0xc0000000u, 1u << 26, TYPE_B32, W_B32, O_S2),
    SHIFT(OP_SHL, W_SHL, 0xc0100000u, 0, TYPE_B16, W_B16, I_SHIFT),
    SHIFT(OP_SHL, W_SHL, 0xc0100000u, 1u << 26, TYPE_B32, W_B32, I_SHIFT),
    SHIFT(OP_SHR, W_SHR, 0xe0000000u, 0, TYPE_U16, C_T16_L27, O_S2),
    SHIFT(OP_SHR, W_SHR, 0xe0000000u, 1u << 26, TYPE_U32, C_T32_L27, O_S2),
    SHIFT(OP_SHR, W_SHR, 0xe0100000u, 0, TYPE_U16, C_T16_L27, I_SHIFT),
    SHIFT(OP_SHR, W_SHR, 0xe0100000u, 1u << 26, TYPE_U32, C_T32_L27, I_SHIFT),
    {MUL16, LONG(0x40000000u, 0, 0, 1u << 16),
     FL(W_MUL, F_CD, O_D, C_T16S0_L15, O_S1, C_T16S1_L14, O_S2)},
    {MUL24, LONG(0x40000000u, 1u << 16, 0, 1u << 16),
     FL(W_MUL, F_CD, O_D, B_HIGH_L14, C_T24_L15, O_S1, O_S2)},
    {.code = OP_SAD, ALL, LONG(0x50000000u, 0, 0, 1u << 26), TYPE(TYPE_U16), DTYPE(TYPE_B32),
     STYPE(0, 0, TYPE_B32),
     FL(W_SAD, F_CD, O_D, C_T16_L27, O_S1, O_S2, O_S3_2)},
    {.code = OP_SAD, ALL, LONG(0x50000000u, 1u << 26, 0, 1u << 26), TYPE(TYPE_U32),
     DTYPE(TYPE_B32), STYPE(0, 0, TYPE_B32),
     FL(W_SAD, F_CD, O_D, C_T32_L27, O_S1, O_S2, O_S3_2)},
    IMAD_L(0, TYPE_U16, F_CD, O_D, W_OPEN, W_MUL, W_U16),
    IMAD_L(1, TYPE_S16, F_CD, O_D, W_OPEN, W_MUL, W_S16),
    IMAD_L(2, TYPE_S16, X_SAT, F_CD, O_D, W_OPEN, W_MUL, W_S16),
    IMAD_L(3, TYPE_U24, F_CD, O_D, W_OPEN, W_MUL, W_U24),
    IMAD_L(4, TYPE_S24, F_CD, O_D, W_OPEN, W_MUL, W_S24),
    IMAD_L(5, TYPE_S24, X_SAT, F_CD, O_D, W_OPEN, W_MUL, W_S24),
    IMAD_L(6, TYPE_U24, F_CD, O_D, W_OPEN, W_MUL, X_HIGH, W_U24),
    IMAD_L(7, TYPE_S24, F_CD, O_D, W_OPEN, W_MUL, X_HIGH, W_S24),
    {IMAD_T(TYPE_S24), LONG(0x70000000u, 0, 0, 0),
     FL(C_ADD_L26, X_SAT, F_CD, O_D, W_OPEN, W_MUL, X_HIGH, W_S24, IMAD_L_TAIL)},
    /* primary 7, secondaries 1-7 behave as u24 (tesla-isa.md §6.3) */
    {IMAD_T(TYPE_U24), LONG_PQ(0xf0000000u, 0, 0x70000000u, 0, 0, 0),
     FL(C_ADD_L26, F_CD, O_D, W_OPEN, W_MUL, W_U24, IMAD_L_TAIL)},

    /* ---- long 8: interp */
    {INTERP, LONG(0x80000000u, 1u << 18, 0, 1u << 18), FL(W_INTERP, R_D7, X_FLAT, O_V)},
    {INTERP, LONG(0x80000000u, 0, 0, 3u << 17), FL(W_INTERP, R_D7, B_CENT_L16, O_V)},
    {INTERP, LONG(0x80000000u, 1u << 17, 0, 3u << 17),
     FL(W_INTERP, R_D7, B_CENT_L16, O_V, N_NEG1_L26, R_MUL7)},

    /* ---- long 9: special functions */
    SFU(0, OP_RCP, W_RCP, O_D, N_NEG0_L26, N_ABS0_L20),
    SFU(2, OP_RSQRT, W_RSQRT, O_D, N_NEG0_L26, N_ABS0_L20),
    SFU(3, OP_LG2, W_LG2, O_D, N_NEG0_L26, N_ABS0_L20),
    SFU(4, OP_SIN, W_SIN, O_D),
    SFU(5, OP_COS, W_COS, O_D),
    SFU(6, OP_EX2, W_EX2, B_SAT_L27, O_D),

    /* ---- long a: cvt; tesla-isa.md §6.4 and §9.
     Half registers come before full ones: `cvt u8 #` is a half. */
    CVT64(1, 1, 0, 0, 0, TYPE_F64, TYPE_U32, B_SAT_L19, C_ROUND_L17, W_F64, F_CD, R_D7, C_S32,
     O_S1),
    CVT64(1, 1, 1, 0, 0, TYPE_F64, TYPE_U64, B_SAT_L19, C_ROUND_L17, W_F64, F_CD, R_D7, C_S64,
     R_S0_L),
    CVT64(1, 0, 1, 0, 0, TYPE_F32, TYPE_U64, B_SAT_L19, C_ROUND_L17, W_F32, F_CD, O_D, C_S64,
     R_S0_L),
    CVT64(2, 0, 1, 0, 0, TYPE_U32, TYPE_F64, C_ROUNDI_L17, C_D32, F_CD, O_D, W_F64, R_S0_L),
    CVT64(2, 1, 1, 0, 0, TYPE_U64, TYPE_F64, C_ROUNDI_L17, C_D64, F_CD, R_D7, W_F64, R_S0_L),
    CVT64(2, 1, 0, 0, 0, TYPE_U64, TYPE_F32, C_ROUNDI_L17, C_D64, F_CD, R_D7, W_F32, O_S1),
    CVT64(3, 0, 1, 0, 0, TYPE_F32, TYPE_F64, C_ROUND_L17, W_F32, F_CD, O_D, W_F64, R_S0_L),
    CVT64(3, 1, 0, 0, 0, TYPE_F64, TYPE_F32, W_F64, F_CD, R_D7, W_F32, O_S1),
    CVT64(3, 1, 1, INTEGRAL, INTEGRAL, TYPE_F64, TYPE_F64, C_ROUNDI_L17, P_INTEGRAL, W_F64,
     F_CD, R_D7, W_F64, R_S0_L),
    CVT64(3, 1, 1, 0, INTEGRAL, TYPE_F64, TYPE_F64, W_F64, F_CD, R_D7, W_F64, R_S0_L),
    CVT(0, 0, 0, 0, 0, TYPE_U16, TYPE_U16, C_D16_8, F_CD, O_D, C_S16_8, O_S1),
    CVT(0, 0, 1, 0, 0, TYPE_U16, TYPE_U32, C_D16_8, F_CD, O_D, C_S32_8, O_S1),
    CVT(0, 1, 0, 0, 0, TYPE_U32, TYPE_U16, C_D32_8, F_CD, O_D, C_S16_8, O_S1),
    CVT(0, 1, 1, 0, 0, TYPE_U32, TYPE_U32, C_D32_8, F_CD, O_D, C_S32_8, O_S1),
    CVT(1, 0, 0, 0, NOT64, TYPE_F16, TYPE_U16, B_SAT_L19, C_ROUND_L17, W_F16, F_CD, O_D,
     C_S16_8, O_S1),
    CVT(1, 0, 1, 0, NOT64, TYPE_F16, TYPE_U32, B_SAT_L19, C_ROUND_L17, W_F16, F_CD, O_D,
     C_S32_8, O_S1),
    CVT(1, 1, 0, 0, NOT64, TYPE_F32, TYPE_U16, B_SAT_L19, C_ROUND_L17, W_F32, F_CD, O_D,
     C_S16_8, O_S1),
    CVT(1, 1, 1, 0, NOT64, TYPE_F32, TYPE_U32, B_SAT_L19, C_ROUND_L17, W_F32, F_CD, O_D,
     C_S32_8, O_S1),
    CVT(2, 0, 0, 0, NOT64, TYPE_U16, TYPE_F16, C_ROUNDI_L17, C_D16, F_CD, O_D, W_F16, O_S1),
    CVT(2, 0, 1, 0, NOT64, TYPE_U16, TYPE_F32, C_ROUNDI_L17, C_D16, F_CD, O_D, W_F32, O_S1),
    CVT(2, 1, 0, 0, NOT64, TYPE_U32, TYPE_F16, C_ROUNDI_L17, C_D32, F_CD, O_D, W_F16, O_S1),
    CVT(2, 1, 1, 0, NOT64, TYPE_U32, TYPE_F32, C_ROUNDI_L17, C_D32, F_CD, O_D, W_F32, O_S1),
#define CVT_FF(d, s, dt, st, dw, sw) \
    CVT(3, d, s, INTEGRAL, NOT64 | INTEGRAL, dt, st, B_SAT_L19, C_ROUNDI_L17, P_INTEGRAL, dw, \
     F_CD, O_D, sw, O_S1)
    CVT_FF(0, 0, TYPE_F16, TYPE_F16, W_F16, W_F16),
    CVT_FF(0, 1, TYPE_F16, TYPE_F32, W_F16, W_F32),
    CVT_FF(1, 0, TYPE_F32, TYPE_F16, W_F32, W_F16),
    CVT_FF(1, 1, TYPE_F32, TYPE_F32, W_F32, W_F32),
    CVT(3, 0, 0, 0, NOT64 | INTEGRAL, TYPE_F16, TYPE_F16, B_SAT_L19, W_F16, F_CD, O_D, W_F16, O_S1),
    CVT(3, 0, 1, 0, NOT64 | INTEGRAL, TYPE_F16, TYPE_F32, B_SAT_L19, C_ROUND_L17, W_F16, F_CD,
     O_D, W_F32, O_S1),
    CVT(3, 1, 0, 0, NOT64 | INTEGRAL, TYPE_F32, TYPE_F16, B_SAT_L19, W_F32, F_CD, O_D, W_F16, O_S1),
    CVT(3, 1, 1, 0, NOT64 | INTEGRAL, TYPE_F32, TYPE_F32, B_SAT_L19, W_F32, F_CD, O_D, W_F32, O_S1),

    /* ---- long b, c, e: float */
    {FADD, LONG_PQ(0xf0000000u, 0xc0000000u, 0xb0000000u, 0, 0, 0),
     FL(W_ADD, B_SAT_L29, C_ROUND16, W_F32, F_CD, O_D, N_NEG0_L26, O_S1, N_NEG1_L27, O_S3_1)},
#define FLOAT2 N_NEG0_L26, N_ABS0_L20, O_S1, N_NEG1_L27, N_ABS1_L19, O_S2
#define DOUBLE2 N_NEG0_L26, N_ABS0_L20, R_S0_L, N_NEG1_L27, N_ABS1_L19, R_S1_L
    {.code = OP_FSET, ALL, LONG(0xb0000000u, 0x60000000u, 0, 0), TYPE(TYPE_F32), DTYPE(TYPE_B32),
     FL(W_SET, F_CD, O_D, C_COND, W_F32, FLOAT2)},
    {.code = OP_FMAX, ALL, LONG(0xb0000000u, 0x80000000u, 0, 0), TYPE(TYPE_F32),
     FL(W_MAX, W_F32, F_CD, O_D, FLOAT2)},
    {.code = OP_FMIN, ALL, LONG(0xb0000000u, 0xa0000000u, 0, 0), TYPE(TYPE_F32),
     FL(W_MIN, W_F32, F_CD, O_D, FLOAT2)},
    {.code = OP_PRESIN, ALL, LONG(0xb0000000u, 0xc0000000u, 0, 1u << 14), TYPE(TYPE_F32),
     FL(W_PRESIN, W_F32, O_D, N_NEG0_L26, N_ABS0_L20, O_S1)},
    {.code = OP_PREEX2, ALL, LONG(0xb0000000u, 0xc0004000u, 0, 1u << 14), TYPE(TYPE_F32),
     FL(W_PREEX2, W_F32, O_D, N_NEG0_L26, N_ABS0_L20, O_S1)},
    {FMUL_SAT, LONG(0xc0000000u, 0, 0, 0),
     FL(W_MUL, B_SAT_L20, C_ROUND_L14, W_F32, F_CD, O_D, N_NEG0_L26, O_S1, N_NEG1_L27, O_S2)},
    {FMUL, LONG(0xc0000000u, 0, 0, 0),
     FL(W_MUL, C_ROUND_L14, W_F32, F_CD, O_D, N_NEG0_L26, O_S1, N_NEG1_L27, O_S2)},
    {.code = OP_SLCT, ALL, LONG_PQ(0xf0000000u, 0xc0000000u, 0xc0000000u, 0x40000000u, 0, 0),
     TYPE(TYPE_B32),
     STYPE(0, 0, TYPE_F32), FL(W_SLCT, W_B32, F_CD, O_D, O_S1, O_S2, W_F32, N_NEG2_L29, O_S3_2)},
    {.code = OP_QUADOP, ALL, LONG(0xc0000000u, 0x80000000u, 0, 0), TYPE(TYPE_F32),
     FL(W_QUADOP, W_F32, C_Q0, C_Q1, C_Q2, C_Q3, F_CD, O_D, C_QLANE, R_S0_L, R_ADD2_L)},
    {FMAD, LONG_PQ(0xf0000000u, 0xc0000000u, 0xe0000000u, 0, 0, 0),
     FL(W_ADD, B_SAT_L29, W_F32, F_CD, O_D, N_NEG0_L26, W_OPEN, W_MUL, O_S1, O_S2, W_CLOSE,
     N_NEG2_L27, O_S3_2)},
#define DOUBLE(op_, sec, ...) \
    {.code = op_, ONLY(FP64, ALL_TYPES), LONG(0xe0000000u, sec, 0, 0), TYPE(TYPE_F64), \
     FL(__VA_ARGS__)}
    DOUBLE(OP_DFMA, 0x40000000u, W_FMA, C_ROUND_L22, W_F64, F_CD, R_D7, N_NEG0_L26, R_S0_L,
     R_S1_L, N_NEG2_L27, R_S2_L),
    DOUBLE(OP_DADD, 0x60000000u, W_ADD, C_ROUND16, W_F64, F_CD, R_D7, N_NEG0_L26, R_S0_L,
     N_NEG1_L27, R_ADD2_L),
    DOUBLE(OP_DMUL, 0x80000000u, W_MUL, C_ROUND_L17, W_F64, F_CD, R_D7, N_NEG0_L26, R_S0_L, R_S1_L),
    DOUBLE(OP_DMIN, 0xa0000000u, W_MIN, W_F64, F_CD, R_D7, DOUBLE2),
    DOUBLE(OP_DMAX, 0xc0000000u, W_MAX, W_F64, F_CD, R_D7, DOUBLE2),
    {.code = OP_DSET, ONLY(FP64, ALL_TYPES), LONG(0xe0000000u, 0xe0000000u, 0, 0),
     TYPE(TYPE_F64), DTYPE(TYPE_B32),
     FL(W_SET, F_CD, O_D, C_COND, W_F64, DOUBLE2)},

    /* ---- long d: logic, $a, l[] and g[] */
    {.code = OP_LOGIC, ALL, LONG(0xd0000000u, 0, 0, 1u << 26), TYPE(TYPE_B16),
     FL(C_LOGIC_L14, W_B16, F_CD, O_D, N_NOT0_L16, O_S1, N_NOT1_L17, O_S2)},
    {.code = OP_LOGIC, ALL, LONG(0xd0000000u, 1u << 26, 0, 1u << 26), TYPE(TYPE_B32),
     FL(C_LOGIC_L14, W_B32, F_CD, O_D, N_NOT0_L16, O_S1, N_NOT1_L17, O_S2)},
    {.code = OP_ADD_TO_ADDR, ALL, LONG(0xd0000000u, 0x20000000u, 0, 0), TYPE(TYPE_B32),
     FL(W_ADD, O_AD, O_AS, I_ADD_A)},
#define LD_ST(op_, who, sec, b, m, t, ...) {.code = op_, who, LONG(0xd0000000u, (sec) | (b), 0, \
     m), TYPE(t), FL(__VA_ARGS__)}
#define CP_ONLY ONLY(ALL_VARIANTS, CP)
    LD_ST(OP_LD, ALL, 0x40000000u, SIZE(4), SIZE_M, TYPE_B64, W_LD, X_LD_B64, R_D7, O_LD_L),
    LD_ST(OP_LD, ALL, 0x40000000u, SIZE(5), SIZE_M, TYPE_B128, W_LD, X_LD_B128, R_D7, O_LD_L),
    LD_ST(OP_LD, ALL, 0x40000000u, 0, 0, TYPE_B32, W_LD, C_LD_SIZE, R_D7, O_LD_L),
    LD_ST(OP_ST, ALL, 0x60000000u, SIZE(4), SIZE_M, TYPE_B64, W_ST, X_ST_B64, O_ST_L, R_DATA_D),
    LD_ST(OP_ST, ALL, 0x60000000u, SIZE(5), SIZE_M, TYPE_B128, W_ST, X_ST_B128, O_ST_L, R_DATA_D),
    LD_ST(OP_ST, ALL, 0x60000000u, 0, 0, TYPE_B32, W_ST, C_ST_SIZE, O_ST_L, R_DATA_D),
    LD_ST(OP_LD, CP_ONLY, 0x80000000u, SIZE(4), SIZE_M, TYPE_B64, W_LD, X_LD_B64, R_D7, O_G),
    LD_ST(OP_LD, CP_ONLY, 0x80000000u, SIZE(5), SIZE_M, TYPE_B128, W_LD, X_LD_B128, R_D7, O_G),
    LD_ST(OP_LD, CP_ONLY, 0x80000000u, 0, 0, TYPE_B32, W_LD, C_LD_SIZE, R_D7, O_G),
    LD_ST(OP_ST, CP_ONLY, 0xa0000000u, SIZE(4), SIZE_M, TYPE_B64, W_ST, X_ST_B64, O_GD, R_DATA_D),
    LD_ST(OP_ST, CP_ONLY, 0xa0000000u, SIZE(5), SIZE_M, TYPE_B128, W_ST, X_ST_B128, O_GD, R_DATA_D),
    LD_ST(OP_ST, CP_ONLY, 0xa0000000u, 0, 0, TYPE_B32, W_ST, C_ST_SIZE, O_GD, R_DATA_D),
#define ATOM_OPERANDS R_D7, O_GATOM, R_S1_L
    RED(ATOMIC_ADD, SM11, SIZE(6), SIZE(6), TYPE_B32, A_ADD, C_T32_RED),
    RED(ATOMIC_ADD, SM12, SIZE(4), SIZE_M, TYPE_B64, A_ADD, X_RED_U64),
    RED(ATOMIC_INC, SM11, SIZE(6), SIZE_M, TYPE_B32, A_INC, X_RED_U32),
    RED(ATOMIC_DEC, SM11, SIZE(6), SIZE_M, TYPE_B32, A_DEC, X_RED_U32),
    RED(ATOMIC_MAX, SM11, SIZE(6), SIZE(6), TYPE_B32, A_MAX, C_T32_RED),
    RED(ATOMIC_MIN, SM11, SIZE(6), SIZE(6), TYPE_B32, A_MIN, C_T32_RED),
    RED(ATOMIC_AND, SM11, SIZE(6), SIZE_M, TYPE_B32, A_AND, X_ST_B32),
    RED(ATOMIC_OR, SM11, SIZE(6), SIZE_M, TYPE_B32, A_OR, X_ST_B32),
    RED(ATOMIC_XOR, SM11, SIZE(6), SIZE_M, TYPE_B32, A_XOR, X_ST_B32),
    ATOM(ATOMIC_ADD, SM11, SIZE(6), SIZE(6), TYPE_B32, W_LD, A_ADD, C_T32_ATOM, ATOM_OPERANDS),
    ATOM(ATOMIC_ADD, SM12, SIZE(4), SIZE_M, TYPE_B64, W_LD, A_ADD, X_ATOM_U64, ATOM_OPERANDS),
    ATOM(ATOMIC_INC, SM11, SIZE(6), SIZE_M, TYPE_B32, W_LD, A_INC, X_ATOM_U32, ATOM_OPERANDS),
    ATOM(ATOMIC_DEC, SM11, SIZE(6), SIZE_M, TYPE_B32, W_LD, A_DEC, X_ATOM_U32, ATOM_OPERANDS),
    ATOM(ATOMIC_MAX, SM11, SIZE(6), SIZE(6), TYPE_B32, W_LD, A_MAX, C_T32_ATOM, ATOM_OPERANDS),
    ATOM(ATOMIC_MIN, SM11, SIZE(6), SIZE(6), TYPE_B32, W_LD, A_MIN, C_T32_ATOM, ATOM_OPERANDS),
    ATOM(ATOMIC_AND, SM11, SIZE(6), SIZE_M, TYPE_B32, W_LD, A_AND, X_LD_B32, ATOM_OPERANDS),
    ATOM(ATOMIC_OR, SM11, SIZE(6), SIZE_M, TYPE_B32, W_LD, A_OR, X_LD_B32, ATOM_OPERANDS),
    ATOM(ATOMIC_XOR, SM11, SIZE(6), SIZE_M, TYPE_B32, W_LD, A_XOR, X_LD_B32, ATOM_OPERANDS),
    ATOM(ATOMIC_EXCH, SM11, SIZE(6), SIZE_M, TYPE_B32, A_EXCH, X_LD_B32, ATOM_OPERANDS),
    ATOM(ATOMIC_EXCH, SM12, SIZE(4), SIZE_M, TYPE_B64, A_EXCH, X_LD_B64, ATOM_OPERANDS),
    ATOM(ATOMIC_CAS, SM11, SIZE(6), SIZE_M, TYPE_B32, A_CAS, X_LD_B32, ATOM_OPERANDS, R_S2_L),
    ATOM(ATOMIC_CAS, SM12, SIZE(4), SIZE_M, TYPE_B64, A_CAS, X_LD_B64, ATOM_OPERANDS, R_S2_L),
    /* The reference syntax has no names for these combinations. The hardware executes them
     * (tesla-isa.md §6.2), so decoding accepts them; the text is our choice. */
    LD_ST(OP_RED, ONLY(SM12, CP), 0xc0000000u, SIZE(4), SIZE_M, TYPE_B64, W_RED, C_RED_OP,
     X_RED_U64, O_GD, R_DATA_D1),
    LD_ST(OP_RED, ONLY(SM11, CP), 0xc0000000u, 0, 0, TYPE_B32, W_RED, C_RED_OP, C_RED_SIZE,
     O_GD, R_DATA_D1),
    ATOM(ATOMIC_CAS, SM11, 0, 0, TYPE_B32, W_LD, A_CAS, C_ATOM_SIZE, ATOM_OPERANDS, R_S2_L),
    LD_ST(OP_ATOM, ONLY(SM12, CP), 0xe0000000u, SIZE(4), SIZE_M, TYPE_B64, W_LD, C_RED_OP,
     X_ATOM_U64, ATOM_OPERANDS),
    LD_ST(OP_ATOM, ONLY(SM11, CP), 0xe0000000u, 0, 0, TYPE_B32, W_LD, C_RED_OP, C_ATOM_SIZE,
     ATOM_OPERANDS),

    /* ---- long f: texture, emit, nop */
#define CUBE_BIT (1u << 27)
#define X_BIT (1u << 24)
    TEX(OP_TEXAUTO, ALL, W_TEXAUTO, 0, CUBE_BIT, CUBE_BIT | X_BIT, 0, TEX_CUBE, T_SRC),
    TEX(OP_TEXAUTO, ALL, W_TEXAUTO, 0, 0, CUBE_BIT | X_BIT, 0, TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
    TEX(OP_TEXFETCH, ALL, W_TEXFETCH, 0, X_BIT, X_BIT, 0, TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
    TEX(OP_TEXBIAS, ALL, W_TEXBIAS, 0x20000000u, CUBE_BIT, CUBE_BIT, 0, TEX_CUBE, T_SRC),
    TEX(OP_TEXBIAS, ALL, W_TEXBIAS, 0x20000000u, 0, CUBE_BIT, 0, TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
    TEX(OP_TEXLOD, ALL, W_TEXLOD, 0x40000000u, CUBE_BIT, CUBE_BIT, 0, TEX_CUBE, T_SRC),
    TEX(OP_TEXLOD, ALL, W_TEXLOD, 0x40000000u, 0, CUBE_BIT, 0, TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
#define GT215_ONLY ONLY(D3D10_1, ALL_TYPES)
    TEX(OP_TEXSIZE, ALL, W_TEXSIZE, 0x60000000u, 0, 0, 0xf0000, TEX_PLAIN, T_SRC1),
    TEX(OP_TEXPREP, GT215_ONLY, W_TEXPREP, 0x60010000u, CUBE_BIT, CUBE_BIT, 0xf0000, TEX_CUBE,
     T_SRC),
    TEX(OP_TEXQUERYLOD, GT215_ONLY, W_TEXQUERYLOD, 0x60020000u, CUBE_BIT, CUBE_BIT, 0xf0000,
     TEX_CUBE, T_SRC),
    TEX(OP_TEXQUERYLOD, GT215_ONLY, W_TEXQUERYLOD, 0x60020000u, 0, CUBE_BIT, 0xf0000, TEX_PLAIN,
     T_SRC),
    TEX(OP_TEXCSAA, ALL, W_TEXCSAA, 0x80000000u, 0, X_BIT, 0, TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
    TEX(OP_TEXGATHER, GT215_ONLY, W_TEXGATHER, 0x80000000u, CUBE_BIT | X_BIT, CUBE_BIT | X_BIT,
     0, TEX_CUBE, T_SRC),
    TEX(OP_TEXGATHER, GT215_ONLY, W_TEXGATHER, 0x80000000u, X_BIT, CUBE_BIT | X_BIT, 0,
     TEX_PLAIN, T_SRC, T_X, T_Y, T_Z),
#define EMIT .code = OP_EMIT, ONLY_E(ALL_VARIANTS, GP, DECODE_EMIT_NON_GP)
    {EMIT, LONG(0xf0000200u, 0xc0000000u, 0x600, 0), FL(X_EMIT)},
    {EMIT, LONG(0xf0000400u, 0xc0000000u, 0x600, 0), FL(X_RESTART)},
    {EMIT, LONG(0xf0000600u, 0xc0000000u, 0x600, 0), FL(X_EMIT, X_RESTART)},
    {.code = OP_NOP, ALL, LONG(0xf0000000u, 0xe0000000u, 0, 4), FL(W_NOP)},
    {.code = OP_PMEVENT, ALL, LONG(0xf0000000u, 0xe0000004u, 0, 4), FL(W_PMEVENT, I_EVENT)},

    /* ---- control, short ones first */
    {.code = OP_TRAP, ALL, .form = FORM_SHORT_CONTROL, .bits = {0x90000002u},
     .mask = {0xf0000003u}, F(W_TRAP)},
    {.code = OP_BRKPT, ONLY(SM11, ALL_TYPES), .form = FORM_SHORT_CONTROL, .bits = {0xb0000002u},
     .mask = {0xf0000003u}, F(W_BRKPT)},
    {.code = OP_DISCARD, ONLY(ALL_VARIANTS, FP), CONTROL(0, 0, 0, 0), F(F_PRED, W_DISCARD)},
    {.code = OP_BRA, ALL, CONTROL(0x10000000u, 0, 0, 0), F(F_PRED, W_BRA, O_TARGET)},
    {.code = OP_CALL, ALL, CONTROL(0x20000000u, 0, 0, 0), F(W_CALL, B_LIM, O_TARGET)},
    {.code = OP_RET, ALL, CONTROL(0x30000000u, 0, 0, 0), F(F_PRED, W_RET)},
    {.code = OP_PREBREAK, ALL, CONTROL(0x40000000u, 0, 0, 0), F(W_BREAKADDR, O_TARGET)},
    {.code = OP_BREAK, ALL, CONTROL(0x50000000u, 0, 0, 0), F(F_PRED, W_BREAK)},
    {.code = OP_QUADON, ALL, CONTROL(0x60000000u, 0, 0, 0), F(W_QUADON)},
    {.code = OP_QUADPOP, ALL, CONTROL(0x70000000u, 0, 0, 0), F(W_QUADPOP)},
    {.code = OP_BAR, CP_ONLY, CONTROL(0x80000000u, 1u << 14, 0, 1u << 14),
     F(W_BAR, B_BAR_INC, B_BAR_WAIT, O_BAR_ID, X_BAR_ALL)},
    {.code = OP_BAR, CP_ONLY, CONTROL(0x80000000u, 0, 0, 1u << 14),
     F(W_BAR, B_BAR_INC, B_BAR_WAIT, O_BAR_ID, O_BAR_COUNT)},
    {.code = OP_TRAP, ALL, CONTROL(0x90000000u, 0, 0, 0), F(W_TRAP)},
    {.code = OP_JOINAT, ALL, CONTROL(0xa0000000u, 0, 0, 0), F(W_JOINAT, O_TARGET)},
    {.code = OP_BRKPT, ONLY(SM11, ALL_TYPES), CONTROL(0xb0000000u, 0, 0, 0), F(F_PRED, W_BRKPT)},
#define CONTROL2 ONLY(SM12, ALL_TYPES)
    {.code = OP_BRA_INDIRECT, CONTROL2, CONTROL(0xc0000000u, 0, 0, 0), TYPE(TYPE_B32),
     F(W_BRA, B_LIM, O_BRA_C)},
    {.code = OP_PRERET, CONTROL2, CONTROL(0xd0000000u, 0, 0, 0), F(W_PRERET, B_LIM, O_TARGET)},
};
const struct isa isa_tesla = {rows, sizeof rows / sizeof rows[0], fields, false, false};

/* clang-format on */

bool encoding_has_kind(const struct encoding_row *row, enum field_kind kind) {
    for (const uint16_t *f = row->fields; *f; f++)
        if (fields[*f].kind == kind)
            return true;
    return false;
}
