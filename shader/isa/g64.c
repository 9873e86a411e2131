/* The generic 64-bit instruction set: its only encoding table, with the encoding rows and their
 * fields. Facts and choices: generic64-isa.md §1 to §5. Bits that no field of a row occupies must
 * be 0.
 */
#include "shader/isa/dotted.h"

/* clang-format off */

#define M(member_) offsetof(struct op, member_)

const char *const isa_g64_specials[16] = {
    "TIDX", "TIDY", "TIDZ", "CTAX", "CTAY", "CTAZ", "NTIDX", "NTIDY", "NTIDZ", "NCTAX", "NCTAY",
    "NCTAZ", "LANE", "WARP", "CLOCK", "MASK"};

static const struct choice signs[] = {{"", TYPE_S32}, {"U", TYPE_U32}};
static const struct choice rounds[] = {
    {"", ROUND_RN}, {"RM", ROUND_RM}, {"RP", ROUND_RP}, {"RZ", ROUND_RZ}};
static const struct choice load_sizes[] = { /* bits 10, 11 size; bit 12 sign-extend */
    {"", TYPE_B32}, {"8", TYPE_U8}, {"16", TYPE_U16}, {"64", TYPE_B64},
    {NULL, 0}, {"S8", TYPE_S8}, {"S16", TYPE_S16}, {NULL, 0}};
static const struct choice signed_if[] = {{"", 0}, {"S", 1}};
static const struct choice sizes[] = {
    {"", TYPE_B32}, {"8", TYPE_U8}, {"16", TYPE_U16}, {"64", TYPE_B64}};
static const struct choice atomics[] = {
    {"ADD", ATOMIC_ADD}, {"MIN", ATOMIC_MIN}, {"MAX", ATOMIC_MAX}, {"AND", ATOMIC_AND},
    {"OR", ATOMIC_OR}, {"XOR", ATOMIC_XOR}, {"EXCH", ATOMIC_EXCH}, {"CAS", ATOMIC_CAS},
    {"INC", ATOMIC_INC}, {"DEC", ATOMIC_DEC}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}};
static const struct choice dimensions[] = {
    {"1D", FTEX_1D}, {"2D", FTEX_2D}, {"3D", FTEX_3D}, {"CUBE", FTEX_CUBE}};

static const struct space
    global = {.name = "g", .file = FILE_GLOBAL, .base = 30, .wide = NO_BITS, .is_signed = true},
    shared = {.name = "s", .file = FILE_SHARED, .base = 30, .wide = NO_BITS, .is_signed = true},
    constant = {.name = "c", .file = FILE_CONST, .base = 30, .wide = NO_BITS, .is_signed = true},
    local = {.name = "l", .file = FILE_LOCAL, .base = 30, .wide = NO_BITS, .is_signed = true},
    attribute = {.name = "a", .file = FILE_ATTR, .base = 30, .wide = NO_BITS, .is_signed = true};

#define WORDS(X) \
    X(ABS) X(ADD) X(AND) X(ATOMG) X(ATOMS) X(BALLOT) X(BAR) X(BFE) X(BFI) X(BRA) X(BREV) X(BRK) \
    X(CALL) X(CALLR) X(CLZ) X(CONT) X(COS) X(DIV) X(EX2) X(EXIT) X(F2H) X(F2I) X(FABS) X(FADD) \
    X(FCEIL) X(FDIV) X(FENCE) X(FFLOOR) X(FFMA) X(FMAX) X(FMIN) X(FMUL) X(FNEG) X(FRACT) X(FRND) \
    X(FSEL) X(FSETEQ) X(FSETGE) X(FSETGT) X(FSETLE) X(FSETLT) X(FSETNE) X(FSETUN) X(FSUB) \
    X(FTRUNC) X(H2F) X(I2F) X(IPA) X(JMP) X(JMPR) X(KIL) X(LDA) X(LDC) X(LDG) X(LDL) X(LDS) X(LG2) \
    X(MAD) X(MAX) X(MIN) X(MOV) X(MOVHI) X(MOVI) X(MUL) X(MULH) X(NEG) X(NOP) X(NOT) X(OR) X(P2R) \
    X(PAND) X(PBK) X(PCNT) X(PMOV) X(POPC) X(POR) X(PXOR) X(R2P) X(RCP) X(REM) X(RET) X(ROTL) \
    X(RSQ) X(S2R) X(SEL) X(SETEQ) X(SETGE) X(SETGT) X(SETLE) X(SETLT) X(SETNE) X(SHL) X(SHR) \
    X(SIN) X(SQRT) X(SSY) X(STA) X(STG) X(STL) X(STS) X(SUB) X(SYNC) X(TEX) X(TXF) X(TXL) X(VALL) \
    X(VANY) X(XOR)

#define REG_(p, s) .kind = DOT_REG, .pos = p, .len = 6, .slot = s
#define MEM_(s, sp) \
    .kind = DOT_MEMORY, .pos = 14, .len = 16, .slot = s, .scale = 1, .space = &sp
#define PRESET_(m, v) .kind = PLAIN_PRESET, .member = M(m), .value = v
#define PSRC_(p, l, i) .kind = DOT_PRED, .pos = p, .len = l, .slot = i
#define FIELDS(X) \
    X(F_GUARD, .kind = DOT_GUARD) \
    X(C_U, .kind = DOT_CHOICE, .pos = 11, .len = 1, .member = M(type), .choice = signs) \
    X(C_U_SRC, .kind = DOT_CHOICE, .pos = 11, .len = 1, .member = M(src[0].type), .choice = signs) \
    X(B_SAT, .kind = DOT_FLAG, .pos = 12, .len = 1, .word = "SAT", .member = M(sat), .value = 1) \
    X(C_ROUND, .kind = DOT_CHOICE, .pos = 25, .len = 2, .member = M(round), .choice = rounds) \
    X(S_SIZE, .kind = PLAIN_SILENT, .pos = 10, .len = 3, .member = M(src[0].mem), \
      .choice = load_sizes) \
    X(C_SIGNED, .kind = DOT_CHOICE, .pos = 12, .len = 1, .choice = signed_if) \
    X(C_SIZE, .kind = DOT_CHOICE, .pos = 10, .len = 2, .member = M(src[0].mem), .choice = sizes) \
    X(C_SIZE_ST, .kind = DOT_CHOICE, .pos = 10, .len = 2, .member = M(dst.mem), .choice = sizes) \
    X(C_ATOMIC, .kind = DOT_CHOICE, .pos = 14, .len = 4, .member = M(atomic), .choice = atomics) \
    X(C_DIM, .kind = DOT_CHOICE, .pos = 10, .len = 2, .member = M(ftex.target), .choice = dimensions) \
    X(P_JOIN, PRESET_(join, 1)) X(P_NEGATE, PRESET_(add_kind, ADD_SUB)) \
    X(P_SUB, PRESET_(add_kind, ADD_SUB)) X(P_NEG1, PRESET_(src[1].flags, OPERAND_NEG)) \
    X(P_NEG0, PRESET_(src[0].flags, OPERAND_NEG)) X(P_HIGH, PRESET_(high, 1)) \
    X(P_OR, PRESET_(logic, LOGIC_OR)) X(P_XOR, PRESET_(logic, LOGIC_XOR)) \
    X(P_MOV2, PRESET_(logic, LOGIC_MOV2)) X(P_NOT, PRESET_(src[1].flags, OPERAND_NOT)) \
    X(P_MAX, PRESET_(psrc[0], PRED_NOT)) X(P_RM, PRESET_(round, ROUND_RM)) \
    X(P_RP, PRESET_(round, ROUND_RP)) X(P_RZ, PRESET_(round, ROUND_RZ)) \
    X(P_EQ, PRESET_(cond, 2)) X(P_NE, PRESET_(cond, 5)) X(P_LT, PRESET_(cond, 1)) \
    X(P_LE, PRESET_(cond, 3)) X(P_GT, PRESET_(cond, 4)) X(P_GE, PRESET_(cond, 6)) \
    X(P_NEU, PRESET_(cond, 13)) X(P_UN, PRESET_(cond, 8)) X(P_B32, PRESET_(src[0].mem, TYPE_B32)) \
    X(P_POR, PRESET_(plogic[0], PLOGIC_OR)) X(P_PXOR, PRESET_(plogic[0], PLOGIC_XOR)) \
    X(P_LOD, PRESET_(ftex.lod, FTEX_LOD_LOD)) X(P_FETCH, PRESET_(sub, FTEX_FETCH)) \
    X(P_ABS0, PRESET_(absolute, 1)) X(P_COUNT_ALL, PRESET_(bar_all, 1)) \
    X(R_D, REG_(42, 0)) X(R_D_LD, REG_(42, 0), .member = M(src[0].mem)) \
    X(R_A, REG_(36, 1)) X(R_A_FLOAT, REG_(36, 1), .neg = 21, .abs = 22) \
    X(R_DATA, REG_(36, 1), .member = M(dst.mem)) X(R_DATA1, REG_(36, 2)) \
    X(R_B, REG_(30, 2)) X(R_B_FLOAT, REG_(30, 2), .neg = 23, .abs = 24) X(R_B1, REG_(36, 2)) \
    X(R_C, REG_(14, 3)) X(R_C_FLOAT, REG_(14, 3), .neg = 25) \
    X(I_A, .kind = DOT_IMM, .pos = 30, .len = 6, .pos2 = 14, .len2 = 16, .slot = 2, \
      .value = DOT_IMM_SIGNED) \
    X(I_F, .kind = DOT_IMM, .pos = 30, .len = 6, .pos2 = 14, .len2 = 16, .slot = 2, \
      .value = DOT_IMM_FLOAT22) \
    X(I_MOV, .kind = DOT_IMM, .pos = 14, .len = 22, .slot = 1, .value = DOT_IMM_SIGNED) \
    X(I_HIGH, .kind = DOT_IMM, .pos = 14, .len = 10, .slot = 1, .value = DOT_IMM_HEX) \
    X(I_MASK, .kind = DOT_IMM, .pos = 14, .len = 16, .slot = 2, .value = DOT_IMM_HEX) \
    X(I_OFFSET, .kind = DOT_IMM, .pos = 14, .len = 22, .slot = 2, .value = DOT_IMM_SIGNED) \
    X(I_IPA, .kind = DOT_IMM, .pos = 14, .len = 16, .slot = 2) \
    X(X_BAR, .kind = DOT_NUMBER, .pos = 14, .len = 4, .member = M(bar_id)) \
    X(PD, .kind = DOT_PRED, .pos = 42, .len = 6, .value = DOT_PRED_DST) \
    X(PA, PSRC_(36, 6, 0)) X(PA_NOT, PSRC_(36, 6, 0), .invert = 29) \
    X(PB_NOT, PSRC_(30, 6, 1), .invert = 30) X(P_SEL, PSRC_(14, 7, 0), .invert = 22) \
    X(M_G, MEM_(1, global)) X(M_S, MEM_(1, shared)) X(M_C, MEM_(1, constant)) X(M_L, MEM_(1, local)) \
    X(M_A, MEM_(1, attribute)) X(M_G_ST, MEM_(0, global)) X(M_S_ST, MEM_(0, shared)) \
    X(M_L_ST, MEM_(0, local)) X(M_A_ST, MEM_(0, attribute)) \
    X(M_GA, .kind = DOT_MEMORY, .pos = 18, .len = 12, .slot = 1, .scale = 4, .space = &global) \
    X(M_SA, .kind = DOT_MEMORY, .pos = 18, .len = 12, .slot = 1, .scale = 4, .space = &shared) \
    X(T_REL, .kind = DOT_TARGET, .pos = 14, .len = 22) \
    X(T_ABS, .kind = DOT_TARGET, .pos = 14, .len = 22, .value = PLAIN_ABSOLUTE) \
    X(O_SPECIAL, .kind = DOT_SPECIAL, .pos = 14, .len = 4, .slot = 1) \
    X(O_TEX, .kind = DOT_TEXTURE, .pos = 14, .len = 6)

#define WORD_NUMBER(name) W_##name,
#define WORD_FIELD(name) [W_##name] = {.kind = PLAIN_WORD, .word = #name},
DEFINE_FIELDS;

#define BIT(n) (UINT64_C(1) << (n))
#define SPLIT(b) {(uint32_t)(b), (uint32_t)((uint64_t)(b) >> 32)}
#define ROW(name, code_, op_, b, m, t, s, ...) \
    {.code = code_, .variants = 0xff, .types = ALL_TYPES, .form = FORM_8, .type = t, .sub = s, \
     .bits = SPLIT((uint64_t)(op_) << 48 | (b)), .mask = SPLIT(UINT64_C(0xff) << 48 | 0x3ff | (m)), \
     .fields = {F_GUARD, W_##name, __VA_ARGS__}}
#define R(name, code_, op_, t, ...) ROW(name, code_, op_, 0, 0, t, 0, __VA_ARGS__)
#define IMM BIT(10)
/* Integers: one source, two sources (the second may be an immediate), three sources. */
#define INT1(name, code_, op_, ...) \
    ROW(name, code_, op_, 0, IMM, TYPE_S32, 0, C_U, B_SAT, R_D, R_A, __VA_ARGS__)
#define INT2(name, code_, op_, ...) \
    ROW(name, code_, op_, 0, IMM, TYPE_S32, 0, C_U, B_SAT, R_D, R_A, R_B, __VA_ARGS__), \
    ROW(name, code_, op_, IMM, IMM, TYPE_S32, 0, C_U, B_SAT, R_D, R_A, I_A, __VA_ARGS__)
#define INT3(name, code_, op_) \
    ROW(name, code_, op_, 0, IMM, TYPE_S32, 0, C_U, B_SAT, R_D, R_A, R_B, R_C)
#define ISET(name, op_, cond_) \
    ROW(name, OP_ISET, op_, 0, IMM, TYPE_S32, 0, C_U, B_SAT, PD, R_A, R_B, cond_), \
    ROW(name, OP_ISET, op_, IMM, IMM, TYPE_S32, 0, C_U, B_SAT, PD, R_A, I_A, cond_)
#define FLOAT1(name, code_, op_, ...) \
    ROW(name, code_, op_, 0, IMM, TYPE_F32, 0, B_SAT, C_ROUND, R_D, R_A_FLOAT, __VA_ARGS__)
/* Floats to integral numbers in one way: the bits of a rounding mode must be 0. */
#define WHOLE(name, op_, how) \
    ROW(name, OP_FROUND, op_, 0, IMM, TYPE_F32, 0, B_SAT, R_D, R_A_FLOAT, how)
#define FLOAT2(name, code_, op_, ...) \
    ROW(name, code_, op_, 0, IMM, TYPE_F32, 0, B_SAT, C_ROUND, R_D, R_A_FLOAT, R_B_FLOAT, \
        __VA_ARGS__), \
    ROW(name, code_, op_, IMM, IMM, TYPE_F32, 0, B_SAT, R_D, R_A, I_F, __VA_ARGS__)
#define FLOAT3(name, code_, op_) \
    ROW(name, code_, op_, 0, IMM, TYPE_F32, 0, B_SAT, C_ROUND, R_D, R_A_FLOAT, R_B_FLOAT, R_C_FLOAT)
#define FSET(name, op_, cond_) \
    ROW(name, OP_FSET, op_, 0, IMM, TYPE_F32, 0, PD, R_A_FLOAT, R_B_FLOAT, cond_), \
    ROW(name, OP_FSET, op_, IMM, IMM, TYPE_F32, 0, PD, R_A, I_F, cond_)
#define LOAD(name, op_, m) R(name, OP_LD, op_, TYPE_B32, C_SIGNED, C_SIZE, S_SIZE, R_D_LD, m)
#define STORE(name, op_, m) R(name, OP_ST, op_, TYPE_B32, C_SIZE_ST, m, R_DATA)
#define SFU(name, code_, op_) R(name, code_, op_, TYPE_F32, R_D, R_A)

static const struct encoding_row rows[] = {
    INT2(ADD, OP_IADD, 0x01, F_END), INT2(SUB, OP_IADD, 0x02, P_SUB),
    INT2(MUL, OP_IMUL, 0x03, F_END), INT2(MULH, OP_IMUL, 0x04, P_HIGH), INT3(MAD, OP_IMAD, 0x05),
    INT2(DIV, OP_IDIV, 0x06, F_END), INT2(REM, OP_IREM, 0x07, F_END),
    INT2(MIN, OP_IMNMX, 0x08, F_END), INT2(MAX, OP_IMNMX, 0x09, P_MAX),
    INT1(ABS, OP_IABS, 0x0a, F_END), INT1(NEG, OP_INEG, 0x0b, F_END),
    INT2(AND, OP_LOGIC, 0x0c, F_END), INT2(OR, OP_LOGIC, 0x0d, P_OR), INT2(XOR, OP_LOGIC, 0x0e, P_XOR),
    ROW(NOT, OP_LOGIC, 0x0f, 0, IMM, TYPE_S32, 0, C_U, B_SAT, R_D, R_B1, P_MOV2, P_NOT),
    INT2(SHL, OP_SHL, 0x10, F_END), INT2(SHR, OP_SHR, 0x11, F_END), INT2(ROTL, OP_ROTL, 0x12, F_END),
    INT1(CLZ, OP_CLZ, 0x13, F_END), INT1(POPC, OP_POPC, 0x14, F_END), INT1(BREV, OP_BREV, 0x15, F_END),
    INT2(BFE, OP_BFE, 0x16, F_END), INT3(BFI, OP_BFI, 0x17),
    ISET(SETEQ, 0x18, P_EQ), ISET(SETNE, 0x19, P_NE), ISET(SETLT, 0x1a, P_LT),
    ISET(SETLE, 0x1b, P_LE), ISET(SETGT, 0x1c, P_GT), ISET(SETGE, 0x1d, P_GE),

    LOAD(LDG, 0x20, M_G), LOAD(LDS, 0x21, M_S), LOAD(LDC, 0x22, M_C), LOAD(LDL, 0x23, M_L),
    STORE(STG, 0x24, M_G_ST), STORE(STS, 0x25, M_S_ST), STORE(STL, 0x27, M_L_ST),
    R(ATOMG, OP_ATOM, 0x28, TYPE_B32, C_ATOMIC, P_B32, R_D, M_GA, R_DATA1),
    R(ATOMS, OP_ATOM, 0x29, TYPE_B32, C_ATOMIC, P_B32, R_D, M_SA, R_DATA1),
    LOAD(LDA, 0x2a, M_A), STORE(STA, 0x2b, M_A_ST),
    R(FENCE, OP_FENCE, 0x2f, TYPE_NONE, F_END),

    R(BRA, OP_BRA, 0x40, TYPE_NONE, T_REL), R(JMP, OP_BRA, 0x41, TYPE_NONE, T_ABS),
    R(JMPR, OP_BRA_INDIRECT, 0x42, TYPE_B32, P_ABS0, R_A, I_OFFSET),
    R(CALL, OP_CALL, 0x43, TYPE_NONE, T_REL),
    R(CALLR, OP_CALL_INDIRECT, 0x44, TYPE_B32, P_ABS0, R_A, I_OFFSET),
    R(RET, OP_RET, 0x45, TYPE_NONE, F_END), R(EXIT, OP_EXIT, 0x46, TYPE_NONE, F_END),
    R(SSY, OP_JOINAT, 0x47, TYPE_NONE, T_REL),
    R(SYNC, OP_NOP, 0x48, TYPE_NONE, P_JOIN), R(PBK, OP_PREBREAK, 0x49, TYPE_NONE, T_REL),
    R(BRK, OP_BREAK, 0x4a, TYPE_NONE, F_END), R(PCNT, OP_PRECONT, 0x4b, TYPE_NONE, T_REL),
    R(CONT, OP_CONT, 0x4c, TYPE_NONE, F_END),
    ROW(BAR, OP_BAR, 0x4d, 0, 0, TYPE_NONE, BAR_POPC, P_COUNT_ALL, X_BAR),
    R(KIL, OP_DISCARD, 0x4e, TYPE_NONE, F_END), R(NOP, OP_NOP, 0x4f, TYPE_NONE, F_END),

    SFU(RCP, OP_RCP, 0x50), SFU(RSQ, OP_RSQRT, 0x51), SFU(SQRT, OP_SQRT, 0x52),
    SFU(SIN, OP_SIN, 0x53), SFU(COS, OP_COS, 0x54), SFU(EX2, OP_EX2, 0x55), SFU(LG2, OP_LG2, 0x56),
    ROW(TEX, OP_TEX, 0x58, 0, 0, TYPE_B32, FTEX_SAMPLE, C_DIM, R_D, R_A, R_B, O_TEX),
    ROW(TXL, OP_TEX, 0x59, 0, 0, TYPE_B32, FTEX_SAMPLE, C_DIM, P_LOD, R_D, R_A, R_B, O_TEX),
    ROW(TXF, OP_TEX, 0x5a, 0, 0, TYPE_B32, FTEX_FETCH, C_DIM, P_LOD, R_D, R_A, R_B, O_TEX),
    R(IPA, OP_INTERP, 0x5b, TYPE_F32, R_D, R_A, I_IPA),

    FLOAT2(FADD, OP_FADD, 0x90, F_END), FLOAT2(FSUB, OP_FADD, 0x91, P_SUB),
    FLOAT2(FMUL, OP_FMUL, 0x92, F_END), FLOAT3(FFMA, OP_FFMA, 0x93), FLOAT2(FDIV, OP_FDIV, 0x94, F_END),
    FLOAT2(FMIN, OP_FMNMX, 0x95, F_END), FLOAT2(FMAX, OP_FMNMX, 0x96, P_MAX),
    FLOAT1(FABS, OP_FABS, 0x97, F_END), FLOAT1(FNEG, OP_FABS, 0x98, P_NEGATE),
    WHOLE(FFLOOR, 0x99, P_RM), WHOLE(FCEIL, 0x9a, P_RP), WHOLE(FTRUNC, 0x9b, P_RZ),
    FLOAT1(FRND, OP_FROUND, 0x9c, F_END),
    FLOAT1(FRACT, OP_FRACT, 0x9d, F_END), FLOAT3(FSEL, OP_FSEL, 0x9e),
    FSET(FSETEQ, 0xa0, P_EQ), FSET(FSETNE, 0xa1, P_NEU), FSET(FSETLT, 0xa2, P_LT),
    FSET(FSETLE, 0xa3, P_LE), FSET(FSETGT, 0xa4, P_GT), FSET(FSETGE, 0xa5, P_GE),
    FSET(FSETUN, 0xa6, P_UN),
#define CONVERT(name, op_, t, st, ...) \
    {.code = OP_CVT, .variants = 0xff, .types = ALL_TYPES, .form = FORM_8, .type = t, .src_type = {st}, \
     .bits = SPLIT((uint64_t)(op_) << 48), .mask = SPLIT(UINT64_C(0xff) << 48 | 0x3ff | IMM), \
     .fields = {F_GUARD, W_##name, __VA_ARGS__}}
    CONVERT(I2F, 0xa8, TYPE_F32, TYPE_S32, C_U_SRC, B_SAT, C_ROUND, R_D, R_A_FLOAT),
    CONVERT(F2I, 0xa9, TYPE_S32, TYPE_F32, C_U, B_SAT, R_D, R_A_FLOAT, P_RZ),
    CONVERT(F2H, 0xaa, TYPE_F16, TYPE_F32, B_SAT, C_ROUND, R_D, R_A_FLOAT),
    CONVERT(H2F, 0xab, TYPE_F32, TYPE_F16, B_SAT, R_D, R_A_FLOAT),

    R(MOV, OP_MOV, 0xc0, TYPE_B32, R_D, R_A), R(MOVI, OP_MOV, 0xc1, TYPE_B32, R_D, I_MOV),
    R(MOVHI, OP_MOV_HIGH, 0xc2, TYPE_B32, R_D, I_HIGH), R(S2R, OP_S2R, 0xc3, TYPE_B32, R_D, O_SPECIAL),
    R(SEL, OP_SELP, 0xc4, TYPE_B32, R_D, R_A, R_B, P_SEL),
    R(PMOV, OP_PSET, 0xc5, TYPE_NONE, PD, PA_NOT), R(PAND, OP_PSET, 0xc6, TYPE_NONE, PD, PA_NOT, PB_NOT),
    R(POR, OP_PSET, 0xc7, TYPE_NONE, PD, PA_NOT, PB_NOT, P_POR),
    R(PXOR, OP_PSET, 0xc8, TYPE_NONE, PD, PA_NOT, PB_NOT, P_PXOR),
    R(P2R, OP_P2R, 0xc9, TYPE_B32, R_D), R(R2P, OP_R2P, 0xca, TYPE_B32, R_A, I_MASK),
    ROW(VALL, OP_VOTE, 0xcb, 0, 0, TYPE_NONE, VOTE_ALL, PD, PA_NOT),
    ROW(VANY, OP_VOTE, 0xcc, 0, 0, TYPE_NONE, VOTE_ANY, PD, PA_NOT),
    ROW(BALLOT, OP_VOTE, 0xcd, 0, 0, TYPE_B32, VOTE_ANY, R_D, PA_NOT),
};
const struct isa isa_g64 = {rows, sizeof rows / sizeof rows[0], fields, true, true};

/* clang-format on */
