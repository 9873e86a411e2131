/* Fermi in the notation of asfermi, for printing and parsing. An encoding row has an instruction
 * name, then the modifiers and operands in their order. fermi.c decodes the assembled words and so
 * defines their meaning. Facts: fermi-isa.md §6, §10 and §13.
 */
#include "shader/isa/dotted.h"

/* clang-format off */

#define M(member_) offsetof(struct op, member_)

static const struct choice types[] = { /* types of memory accesses: bits [5:7] */
    {"U8", TYPE_U8}, {"S8", TYPE_S8}, {"U16", TYPE_U16}, {"S16", TYPE_S16}, {"", TYPE_B32},
    {"64", TYPE_B64}, {"128", TYPE_B128}, {NULL, 0}};
static const struct choice load_cache[] = {{"", 0}, {"CG", 1}, {"CS", 2}, {"CV", 3}};
/* the names CS (load_cache) and LU have the same value, so each has its own list */
static const struct choice local_cache[] = {{"", 0}, {"CG", 1}, {"LU", 2}, {"CV", 3}};
static const struct choice store_cache[] = {{"", 0}, {"CG", 1}, {"CS", 2}, {"WT", 3}};
static const struct choice rounds[] = {{"", 0}, {"RM", 1}, {"RP", 2}, {"RZ", 3}};
static const struct choice int_rounds[] = {{"", 0}, {"FLOOR", 1}, {"CEIL", 2}, {"TRUNC", 3}};
static const struct choice conds[] = {
    {NULL, 0}, {"LT", 1}, {"EQ", 2}, {"LE", 3}, {"GT", 4}, {"NE", 5}, {"GE", 6}, {"NUM", 7},
    {"NAN", 8}, {"LTU", 9}, {"EQU", 10}, {"LEU", 11}, {"GTU", 12}, {"NEU", 13}, {"GEU", 14},
    {NULL, 0}};
static const struct choice int_conds[] = {
    {NULL, 0}, {"LT", 1}, {"EQ", 2}, {"LE", 3}, {"GT", 4}, {"NE", 5}, {"GE", 6}, {NULL, 0},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice unsigned_if[] = {{"U32", 0}, {"", 1}};
/* an entry's index is its value; AND has two lists, because its name may be left out */
static const struct choice set_logics[] = {{"", 0}, {"OR", 1}, {"XOR", 2}, {NULL, 0}};
static const struct choice set_logics_and[] = {{"AND", 0}, {"OR", 1}, {"XOR", 2}, {NULL, 0}};
static const struct choice lop[] = {{"AND", 0}, {"OR", 1}, {"XOR", 2}, {"PASS_B", 3}};
/* bit [5]: B is signed; bit [7]: A is signed */
static const struct choice factors[] = {{"U32", 0}, {NULL, 0}, {NULL, 0}, {"", 3}};
static const struct choice mufu[] = {
    {"COS", 0}, {"SIN", 1}, {"EX2", 2}, {"LG2", 3}, {"RCP", 4}, {"RSQ", 5}, {"RCP64H", 6},
    {"RSQ64H", 7}};
static const struct choice atomics[] = {
    {"ADD", 0}, {"MIN", 1}, {"MAX", 2}, {"INC", 3}, {"DEC", 4}, {"AND", 5}, {"OR", 6}, {"XOR", 7},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice atomics_signed[] = {
    {"ADD", 0}, {"MIN", 1}, {"MAX", 2}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice votes[] = {{"ALL", 0}, {"ANY", 1}, {"EQ", 2}, {NULL, 0}};
static const struct choice membars[] = {{"CTA", 0}, {"GL", 1}, {"SYS", 2}, {NULL, 0}};
static const struct choice cctls[] = {
    {"QRY1", 0}, {"PF1", 1}, {"PF1_5", 2}, {"PR2", 3}, {"WB", 4}, {"IV", 5}, {"IVALL", 6},
    {"RS", 7}};
static const struct choice caches[] = {{"", 0}, {"U", 1}, {"C", 2}, {"I", 3}};
static const struct choice nop_units[] = {
    {"", 0}, {"FMA64", 1}, {"FMA32", 2}, {"XLU", 3}, {"ALU", 4}, {"AGU", 5}, {"SU", 6}, {"FU", 7},
    {"FMUL", 8}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice b2r_units[] = {{"", 0}, {"XLU", 1}, {"ALU", 2}, {NULL, 0}};
/* conversions; bits 0 and 1: size; bit 2: signed, or rounded to integral */
static const struct choice f2f_dst[] = {
    {NULL, 0}, {"F16", TYPE_F16}, {"", TYPE_F32}, {"F64", TYPE_F64}, {NULL, 0}, {NULL, 0},
    {"ROUND", TYPE_F32}, {NULL, 0}};
static const struct choice f2f_dst_long[] = { /* rows that name F32, or round (F32.ROUND) */
    {NULL, 0}, {"F16", TYPE_F16}, {"F32", TYPE_F32}, {"F64", TYPE_F64}, {NULL, 0}, {NULL, 0},
    {"ROUND", TYPE_F32}, {NULL, 0}};
static const struct choice pass[] = {{NULL, 0}, {NULL, 0}, {"PASS", TYPE_F32}, {NULL, 0}};
static const struct choice floats[] = {
    {NULL, 0}, {"F16", TYPE_F16}, {"", TYPE_F32}, {"F64", TYPE_F64}};
static const struct choice float_src_long[] = {
    {NULL, 0}, {NULL, 0}, {"F32", TYPE_F32}, {NULL, 0}};
static const struct choice f2i_dst[] = {
    {NULL, 0}, {"U16", TYPE_U16}, {"U32", TYPE_U32}, {"U64", TYPE_U64},
    {NULL, 0}, {"S16", TYPE_S16}, {"", TYPE_S32}, {"S64", TYPE_S64}};
static const struct choice s32_only[] = {
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {"S32", TYPE_S32}, {NULL, 0}};
static const struct choice i2f_src[] = {
    {"U8", TYPE_U8}, {"U16", TYPE_U16}, {"U32", TYPE_U32}, {"U64", TYPE_U64},
    {"S8", TYPE_S8}, {"S16", TYPE_S16}, {"", TYPE_S32}, {"S64", TYPE_S64}};
static const struct choice i2i_dst[] = {
    {"U8", TYPE_U8}, {"U16", TYPE_U16}, {"", TYPE_U32}, {"U64", TYPE_U64},
    {"S8", TYPE_S8}, {"S16", TYPE_S16}, {"S32", TYPE_S32}, {"S64", TYPE_S64}};
static const struct choice i2i_all[] = {
    {"U8", TYPE_U8}, {"U16", TYPE_U16}, {"U32", TYPE_U32}, {"U64", TYPE_U64},
    {"S8", TYPE_S8}, {"S16", TYPE_S16}, {"S32", TYPE_S32}, {"S64", TYPE_S64}};
/* VADD: a type gives a part's size and sign; the part's number follows the register */
static const struct choice ud[] = {{"UD", 0}, {"", 1}};
static const struct choice v8[] = {{"U8", 0}, {"S8", 1}};
static const struct choice v16[] = {{"U16", 0}, {"S16", 1}};
static const struct choice v32[] = {{"U32", 0}, {"S32", 1}};
static const struct choice second_ops[] = {
    {"MRG_16H", 0}, {"MRG_16L", 1}, {"MRG_8B0", 2}, {"MRG_8B2", 3}, {"ACC", 4}, {"MIN", 5},
    {"MAX", 6}, {"", 7}};
static const struct choice bytes[] = {{"", 0}, {"B1", 1}, {"B2", 2}, {"B3", 3}};
static const struct choice halves[] = {{"", 0}, {"H1", 1}};

const char *const isa_asfermi_tests[32] = {
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU",
    "T", "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT", "CSM_TA", "CSM_TR", "CSM_MX",
    "FCSM_TA", "FCSM_TR", "FCSM_MX", "RLE", "RGT"};
const char *const isa_asfermi_specials[256] = {
    [0] = "LaneId", [2] = "VirtCfg", [3] = "VirtId", [4] = "PM0", [5] = "PM1", [6] = "PM2",
    [7] = "PM3", [8] = "PM4", [9] = "PM5", [10] = "PM6", [11] = "PM7", [16] = "PRIM_TYPE",
    [17] = "INVOCATION_ID", [18] = "Y_DIRECTION", [24] = "MACHINE_ID_0", [25] = "MACHINE_ID_1",
    [26] = "MACHINE_ID_2", [27] = "MACHINE_ID_3", [28] = "AFFINITY", [32] = "Tid", [33] = "Tid_X",
    [34] = "Tid_Y", [35] = "Tid_Z", [36] = "CTAParam", [37] = "CTAid_X", [38] = "CTAid_Y",
    [39] = "CTAid_Z", [40] = "NTid", [41] = "NTid_X", [42] = "NTid_Y", [43] = "NTid_Z",
    [44] = "GridParam", [45] = "NCTAid_X", [46] = "NCTAid_Y", [47] = "NCTAid_Z", [48] = "SWinLo",
    [49] = "SWINSZ", [50] = "SMemSz", [51] = "SMemBanks", [52] = "LWinLo", [53] = "LWINSZ",
    [54] = "LMemLoSz", [55] = "LMemHiOff", [56] = "EqMask", [57] = "LtMask", [58] = "LeMask",
    [59] = "GtMask", [60] = "GeMask", [80] = "ClockLo", [81] = "ClockHi"};

static const struct space
    global = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = 58, .is_signed = true},
    narrow = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = NO_BITS, .is_signed = true},
    constant = {.name = "c", .file = FILE_CONST, .base = 20, .wide = NO_BITS, .bank = 42,
                .bank_len = 5};

#define CHOICE_(p, l, m, c) .kind = DOT_CHOICE, .pos = p, .len = l, .member = m, .choice = c
#define CHOICE2_(p, l, p2, l2, m, c) \
    .kind = DOT_CHOICE, .pos = p, .len = l, .pos2 = p2, .len2 = l2, .member = m, .choice = c
#define FLAG_(p, w) .kind = DOT_FLAG, .pos = p, .len = 1, .word = w
#define REG_(p, s) .kind = DOT_REG, .pos = p, .len = 6, .slot = s
#define SRC_(s, imm) .kind = DOT_SOURCE, .slot = s, .value = imm
#define PRED_(p) .kind = DOT_PRED, .pos = p, .len = 3
#define MEM_(p, l, sp) .kind = DOT_MEMORY, .pos = p, .len = l, .space = &sp, .absent = 1

#define WORDS(X) \
    X(ATOM) X(B2R) X(BAR) X(BFE) X(BFI) X(BRA) X(BRK) X(CAL) X(CCTL) X(CCTLL) X(CONT) X(DADD) \
    X(DFMA) X(DMUL) X(DSETP) X(EXIT) X(F2F) X(F2I) X(FADD) X(FADD32I) X(FCMP) X(FFMA) X(FMUL) \
    X(FMUL32I) X(FSETP) X(I2F) X(I2I) X(IADD) X(IADD32I) X(ICMP) X(IMAD) X(IMUL) X(IMUL32I) \
    X(ISCADD) X(ISETP) X(JCAL) X(JMP) X(LD) X(LDC) X(LDL) X(LDLK) X(LDS) X(LDSLK) X(LDU) X(LEPC) \
    X(LONGJMP) X(LOP) X(LOP32I) X(MEMBAR) X(MOV) X(MOV32I) X(MUFU) X(NOP) X(PBK) X(PCNT) \
    X(PLONGJMP) X(PRET) X(PSETP) X(RED) X(RET) X(S2R) X(SCHI) X(SEL) X(SHL) X(SHR) X(SSY) X(ST) \
    X(STL) X(STS) X(STSUL) X(STUL) X(VADD) X(VOTE)

/* A modifier that is required and has no bits. */
#define LITERAL_(text) .kind = DOT_CHOICE, .choice = (const struct choice[]){{text, 0}}
#define FIELDS(X) \
    X(L_RED, LITERAL_("RED")) X(L_POPC, LITERAL_("POPC")) X(L_AND, LITERAL_("AND")) \
    X(L_OR, LITERAL_("OR")) X(L_ARV, LITERAL_("ARV")) X(L_ADD, LITERAL_("ADD")) \
    X(L_EXCH, LITERAL_("EXCH")) X(L_CAS, LITERAL_("CAS")) X(L_U64, LITERAL_("U64")) \
    X(L_S32, LITERAL_("S32")) X(L_F32, LITERAL_("F32")) \
    X(C_VA8, CHOICE_(6, 1, 0, v8)) X(C_VA16, CHOICE_(6, 1, 0, v16)) X(C_VA32, CHOICE_(6, 1, 0, v32)) \
    X(C_VA, CHOICE_(6, 1, 0, unsigned_if)) X(C_VB8, CHOICE_(5, 1, 0, v8)) \
    X(C_VB16, CHOICE_(5, 1, 0, v16)) X(C_VB32, CHOICE_(5, 1, 0, v32)) \
    X(C_VB, CHOICE_(5, 1, 0, unsigned_if)) \
    X(F_GUARD, .kind = DOT_GUARD, .pos = 10, .len = 4) X(F_NO_GUARD, .kind = DOT_GUARD, .pos = 10) \
    X(B_E, FLAG_(58, "E")) X(B_S, FLAG_(4, "S")) X(B_CC, FLAG_(48, "CC")) X(B_CC58, FLAG_(58, "CC")) \
    X(B_FTZ5, FLAG_(5, "FTZ")) X(B_FTZ6, FLAG_(6, "FTZ")) X(B_FTZ55, FLAG_(55, "FTZ")) \
    X(B_SAT5, FLAG_(5, "SAT")) X(B_SAT9, FLAG_(9, "SAT")) X(B_SAT49, FLAG_(49, "SAT")) \
    X(B_SAT56, FLAG_(56, "SAT")) X(B_X, FLAG_(6, "X")) X(B_HI, FLAG_(6, "HI")) X(B_W, FLAG_(9, "W")) \
    X(B_BREV, FLAG_(8, "BREV")) X(B_U, FLAG_(15, "U")) X(B_LMT, FLAG_(16, "LMT")) \
    X(B_TRIG, FLAG_(50, "TRIG")) \
    X(C_NOINC, CHOICE_(16, 1, 0, noinc)) X(C_TYPE, CHOICE_(5, 3, M(src[0].mem), types)) \
    X(C_LCOP, CHOICE_(8, 2, 0, load_cache)) X(C_LLCOP, CHOICE_(8, 2, 0, local_cache)) \
    X(C_LLCOP_CS, CHOICE_(8, 2, 0, load_cache)) X(C_SCOP, CHOICE_(8, 2, 0, store_cache)) \
    X(C_RND55, CHOICE_(55, 2, 0, rounds)) X(C_RND49, CHOICE_(49, 2, 0, rounds)) \
    X(C_IRND, CHOICE_(49, 2, 0, int_rounds)) X(C_COND, CHOICE_(55, 4, 0, conds)) \
    X(C_ICOND, CHOICE_(55, 4, 0, int_conds)) X(C_U32, CHOICE_(5, 1, 0, unsigned_if)) \
    X(C_LOGIC, CHOICE_(53, 2, 0, set_logics)) X(C_LOGIC_AND, CHOICE_(53, 2, 0, set_logics_and)) \
    X(C_LOGIC1, CHOICE_(30, 2, 0, set_logics)) X(C_LOGIC1_AND, CHOICE_(30, 2, 0, set_logics_and)) \
    X(C_LOP, CHOICE_(6, 2, 0, lop)) X(C_FACTORS, CHOICE2_(5, 1, 7, 1, 0, factors)) \
    X(C_FA, CHOICE_(7, 1, 0, v32)) X(C_FB, CHOICE_(5, 1, 0, v32)) \
    X(C_MUFU, CHOICE_(26, 3, 0, mufu)) X(C_ATOMIC, CHOICE_(5, 4, 0, atomics)) \
    X(C_ATOMIC_S, CHOICE_(5, 4, 0, atomics_signed)) \
    X(C_VOTE, CHOICE_(5, 2, 0, votes)) X(C_MEMBAR, CHOICE_(5, 2, 0, membars)) \
    X(C_CCTL, CHOICE_(5, 3, 0, cctls)) X(C_CACHE, CHOICE_(26, 2, 0, caches)) \
    X(C_UNIT, CHOICE_(51, 4, 0, nop_units)) X(C_B2R, CHOICE_(8, 2, 0, b2r_units)) \
    X(C_F2F, CHOICE2_(20, 2, 7, 1, M(type), f2f_dst)) \
    X(C_F2F_LONG, CHOICE2_(20, 2, 7, 1, M(type), f2f_dst_long)) X(C_PASS, CHOICE_(20, 2, M(type), pass)) \
    X(C_FSRC, CHOICE_(23, 2, M(src[0].type), floats)) \
    X(C_FSRC_LONG, CHOICE_(23, 2, M(src[0].type), float_src_long)) \
    X(C_I2F, CHOICE_(20, 2, M(type), floats)) X(C_F32, CHOICE_(20, 2, M(type), float_src_long)) \
    X(C_F2I, CHOICE2_(20, 2, 7, 1, M(type), f2i_dst)) X(C_S32, CHOICE2_(20, 2, 7, 1, M(type), s32_only)) \
    X(C_I2F_SRC, CHOICE2_(23, 2, 9, 1, M(src[0].type), i2f_src)) \
    X(C_S32_SRC, CHOICE2_(23, 2, 9, 1, M(src[0].type), s32_only)) \
    X(C_I2I, CHOICE2_(20, 2, 7, 1, M(type), i2i_dst)) X(C_I2I_ALL, CHOICE2_(20, 2, 7, 1, M(type), i2i_all)) \
    X(C_I2I_SRC, CHOICE2_(23, 2, 9, 1, M(src[0].type), i2i_dst)) \
    X(C_I2I_SRC_ALL, CHOICE2_(23, 2, 9, 1, M(src[0].type), i2i_all)) \
    X(C_UD, CHOICE_(42, 1, 0, ud)) X(C_VOP, CHOICE_(55, 3, 0, second_ops)) \
    X(C_BYTE1, CHOICE_(44, 2, 0, bytes), .word = "B0") \
    X(C_HALF1, CHOICE_(44, 1, 0, halves), .word = "H0") \
    X(C_BYTE2, CHOICE_(32, 2, 0, bytes), .word = "B0") \
    X(C_HALF2, CHOICE_(32, 1, 0, halves), .word = "H0") \
    X(R_D, REG_(14, 0)) X(R_D_LD, REG_(14, 0), .member = M(src[0].mem)) \
    X(R_D_TYPE, REG_(14, 0), .member = M(type)) X(R_D43, REG_(43, 0)) \
    X(R_A, REG_(20, 1)) X(R_A_NEG9, REG_(20, 1), .neg = 10) \
    X(R_A_FLOAT, REG_(20, 1), .neg = 10, .abs = 8) X(R_A_NEG56, REG_(20, 1), .neg = 57) \
    X(R_A_NOT, REG_(20, 1), .invert = 10) X(R_A_NEG8, REG_(20, 1), .neg = 9) \
    X(R_B_NEG7, REG_(26, 2), .neg = 8) X(R_B, REG_(26, 2)) \
    X(R_C, REG_(49, 3)) X(R_DATA, REG_(14, 2)) \
    X(O_BI, SRC_(2, IMM_INT)) X(O_BI_NEG8, SRC_(2, IMM_INT), .neg = 9) \
    X(O_BI_NEG55, SRC_(2, IMM_INT), .neg = 56) X(O_BI_NOT, SRC_(2, IMM_INT), .invert = 9) \
    X(O_BF, SRC_(2, IMM_FLOAT)) X(O_BF_FLOAT, SRC_(2, IMM_FLOAT), .neg = 9, .abs = 7) \
    X(O_BF_NEG57, SRC_(2, IMM_FLOAT), .neg = 58) X(O_BF_NEG9, SRC_(2, IMM_FLOAT), .neg = 10) \
    X(O_MOV, SRC_(1, IMM_INT), .absent = 15) \
    X(O_CVT, SRC_(1, IMM_FLOAT), .neg = 9, .abs = 7, .member = M(src[0].type)) \
    X(O_CVT_I, SRC_(1, IMM_INT), .neg = 9, .abs = 7, .member = M(src[0].type)) \
    X(O_C, .kind = DOT_THIRD, .slot = 3) X(O_C_NEG8, .kind = DOT_THIRD, .slot = 3, .neg = 9) \
    X(I_32, .kind = DOT_IMM, .pos = 26, .len = 32, .value = DOT_IMM_WHOLE | DOT_IMM_HEX) \
    X(I_V, .kind = DOT_IMM, .pos = 26, .len = 16, .value = DOT_IMM_HEX, .neg = 8) \
    X(X_SHIFT, .kind = DOT_NUMBER, .pos = 5, .len = 5, .value = DOT_HEX) \
    X(X_EVENT, .kind = DOT_NUMBER, .pos = 26, .len = 16, .value = DOT_HEX, .optional = true) \
    X(X_BAR, .kind = DOT_NUMBER, .pos = 20, .len = 4, .value = DOT_HEX) \
    X(X_S0, SCHI_(4)) X(X_S1, SCHI_(12)) X(X_S2, SCHI_(20)) X(X_S3, SCHI_(28)) X(X_S4, SCHI_(36)) \
    X(X_S5, SCHI_(44)) X(X_S6, SCHI_(52)) \
    X(E_BAR, .kind = DOT_EITHER, .pos = 20, .len = 4, .pos2 = 47) \
    X(E_COUNT, .kind = DOT_EITHER, .pos = 26, .len = 12, .pos2 = 46) \
    X(E_COUNT_OPT, .kind = DOT_EITHER, .pos = 26, .len = 12, .pos2 = 46, .optional = true) \
    X(P_17, PRED_(17)) X(P_14, PRED_(14)) X(P_54, PRED_(54)) X(P_53, PRED_(53)) X(P_50, PRED_(50)) \
    X(P_8, .kind = DOT_PRED, .pos = 8, .len = 2, .pos2 = 58, .len2 = 1) \
    X(P_S49, PRED_(49), .invert = 53, .optional = true, .absent = 7) \
    X(P_S49_0, PRED_(49), .invert = 53, .optional = true, .absent = 0) \
    X(P_S49_ALL, PRED_(49), .invert = 53) X(P_S26, PRED_(26), .invert = 30) \
    X(P_S20, PRED_(20), .invert = 24, .optional = true, .absent = 7) \
    X(P_S20_0, PRED_(20), .invert = 24, .optional = true, .absent = 0) \
    X(M_G, MEM_(26, 32, global)) X(M_NARROW, MEM_(26, 32, narrow)) X(M_24, MEM_(26, 24, narrow)) \
    X(M_ATOM, MEM_(26, 17, global), .pos2 = 55, .len2 = 3) \
    X(M_CCTL, MEM_(28, 30, global), .scale = 4) \
    X(M_C, .kind = DOT_MEMORY, .pos = 26, .len = 16, .space = &constant) \
    X(T_REL, .kind = DOT_TARGET, .pos = 26, .len = 24) \
    X(T_ABS, .kind = DOT_TARGET, .pos = 26, .len = 24, .value = PLAIN_ABSOLUTE) \
    X(O_SPECIAL, .kind = DOT_SPECIAL, .pos = 26, .len = 8) \
    X(O_TEST, .kind = DOT_TEST, .pos = 5, .len = 5)
#define SCHI_(p) .kind = DOT_NUMBER, .pos = p, .len = 8, .value = DOT_HEX | DOT_BINARY

static const struct choice noinc[] = {{"NOINC", 0}, {"", 1}};

#define WORD_NUMBER(name) W_##name##_,
#define WORD_FIELD(name) [W_##name##_] = {.kind = PLAIN_WORD, .word = #name},
DEFINE_FIELDS;

#define SPLIT(b) {(uint32_t)(b), (uint32_t)((uint64_t)(b) >> 32)}
#define AT(n, v) ((uint64_t)(v) << (n))
#define BIT(n) (UINT64_C(1) << (n))
/* One encoding row. cls, op_, opm: instruction class, operation byte, the byte's mask. b, m:
 * further bits and their mask. c: bits that are written, and ignored when words are read. attrs:
 * further members of the row. */
#define R(name, cls, op_, opm, b, m, c, attrs, ...) \
    {.variants = 0xff, .types = ALL_TYPES, .form = FORM_8, .bits = SPLIT(AT(56, op_) | (cls) | (b)), \
     .mask = SPLIT(AT(56, opm) | 0xf | (m)), .canon = SPLIT(c), ATTRS attrs, \
     .fields = {F_GUARD, W_##name##_, __VA_ARGS__}}
#define ATTRS(...) __VA_ARGS__
#define C ,
#define I32 (.type = TYPE_B32)
#define F64 (.type = TYPE_F64)
#define I64 (.type = TYPE_B64)
/* Control: the test is always 15; some rows have a fixed guard. */
#define ALWAYS_TEST AT(5, 15)
#define CT(name, op_, ...) R(name, 7, op_, 0xf8, ALWAYS_TEST, AT(5, 31), 0, I32, __VA_ARGS__)
#define CN(name, op_, guard, test, c, ...) \
    {.variants = 0xff, .types = ALL_TYPES, .form = FORM_8, .type = TYPE_B32, \
     .bits = SPLIT(AT(56, op_) | 7), .mask = SPLIT(AT(56, 0xf8) | 0xf), \
     .canon = SPLIT(AT(10, guard) | AT(5, test) | (c)), .fields = {W_##name##_, __VA_ARGS__}}

static const struct encoding_row rows[] = {
    R(MOV, 4, 0x28, 0xfc, AT(5, 15), AT(5, 15), 0, I32, B_S, R_D, O_MOV),
    R(MOV32I, 2, 0x18, 0xf8, AT(5, 15), AT(5, 15), 0, I32, R_D, I_32),
    R(LD, 5, 0x80, 0xf8, 0, 0, 0, I32, B_E, C_LCOP, C_TYPE, R_D_LD, M_G),
    R(LDU, 5, 0x88, 0xf8, 0, 0, 0, I32, B_E, C_TYPE, R_D_LD, M_G),
    R(LDL, 5, 0xc0, 0xfd, 0, 0, 0, I32, C_LLCOP, C_TYPE, R_D_LD, M_24),
    R(LDL, 5, 0xc0, 0xfd, 0, 0, 0, I32, C_LLCOP_CS, C_TYPE, R_D_LD, M_24),
    R(LDS, 5, 0xc1, 0xfd, 0, 0, 0, I32, C_TYPE, R_D_LD, M_24),
    R(LDC, 6, 0x14, 0xfc, 0, 0, 0, I32, C_TYPE, R_D_LD, M_C),
    R(ST, 5, 0x90, 0xf8, 0, 0, 0, I32, B_E, C_SCOP, C_TYPE, M_G, R_D_LD),
    R(STL, 5, 0xc8, 0xfd, 0, 0, 0, I32, C_SCOP, C_TYPE, M_24, R_D_LD),
    R(STS, 5, 0xc9, 0xfd, 0, 0, 0, I32, C_TYPE, M_24, R_D_LD),
    R(LDLK, 5, 0xa0, 0xf8, 0, 0, 0, I32, C_TYPE, P_8, R_D_LD, M_NARROW),
    R(LDSLK, 5, 0xc4, 0xfc, 0, 0, 0, I32, C_TYPE, P_50, R_D_LD, M_24),
    R(STUL, 5, 0xe8, 0xfc, 0, 0, 0, I32, C_TYPE, M_NARROW, R_D_LD),
    R(STSUL, 5, 0xcc, 0xfc, 0, 0, 0, I32, C_TYPE, M_24, R_D_LD),

    CT(BRA, 0x40, B_U, B_LMT, T_REL),
    CT(JMP, 0x00, B_U, B_LMT, T_ABS),
    CN(CAL, 0x50, 0, 0, 0, C_NOINC, T_REL), CN(JCAL, 0x10, 0, 0, 0, C_NOINC, T_ABS),
    CN(PRET, 0x78, 0, 0, 0, C_NOINC, T_REL),
    CN(SSY, 0x60, 0, 0, 0, T_REL), CN(PBK, 0x68, 7, 0, 0, T_REL), CN(PCNT, 0x70, 7, 0, 0, T_REL),
    CN(PLONGJMP, 0x58, 7, 0, 0, T_REL),
    CT(BRK, 0xa8, F_END), CT(CONT, 0xb0, F_END), CT(RET, 0x90, F_END), CT(EXIT, 0x80, F_END),
    CT(LONGJMP, 0x88, F_END),
    {.variants = 0xff, .types = ALL_TYPES, .form = FORM_8, .bits = {7, 0x20000000u},
     .mask = {15, 0xf0000000u},
     .fields = {W_SCHI_, X_S0, X_S1, X_S2, X_S3, X_S4, X_S5, X_S6}},
    R(NOP, 4, 0x40, 0xfc, 0, 0, 0, I32, B_TRIG, C_UNIT, B_S, O_TEST, X_EVENT),

    R(BAR, 4, 0x50, 0xfc, AT(53, 7), AT(5, 7) | AT(53, 7), 0, I32, L_RED, L_POPC, R_D, E_BAR, E_COUNT_OPT, P_S49),
    R(BAR, 4, 0x50, 0xfc, AT(5, 1), AT(5, 7), 0, I32, L_RED, L_AND, R_D, P_53, E_BAR, E_COUNT_OPT, P_S49),
    R(BAR, 4, 0x50, 0xfc, AT(5, 2), AT(5, 7), 0, I32, L_RED, L_OR, R_D, P_53, E_BAR, E_COUNT_OPT, P_S49),
    R(BAR, 4, 0x50, 0xfc, AT(5, 4) | AT(14, 63) | AT(49, 7) | AT(53, 7),
      AT(5, 7) | AT(14, 63) | AT(49, 127), 0, I32, L_ARV, E_BAR, E_COUNT),
    R(B2R, 4, 0x38, 0xfc, 0, 0, BIT(47), I32, C_B2R, B_S, R_D, X_BAR),
    R(MEMBAR, 5, 0xe0, 0xfc, 0, 0, 0, I32, C_MEMBAR),
#define NO_C AT(49, 63)
#define ATOM_(b, m, c, attrs, ...) R(ATOM, 5, 0x50, 0xf8, b, m, c, attrs, B_E, __VA_ARGS__)
    ATOM_(0, AT(8, 3), NO_C, I32, C_ATOMIC, R_D43, M_ATOM, R_DATA),
    ATOM_(BIT(9), AT(5, 31), NO_C, I64, L_ADD, L_U64, R_D43, M_ATOM, R_DATA),
    ATOM_(AT(5, 8), AT(5, 31), NO_C, I32, L_EXCH, R_D43, M_ATOM, R_DATA),
    ATOM_(AT(5, 24), AT(5, 31), NO_C, I64, L_EXCH, L_U64, R_D43, M_ATOM, R_DATA),
    ATOM_(AT(5, 9), AT(5, 31), 0, I32, L_CAS, R_D43, M_ATOM, R_DATA, R_C),
    ATOM_(AT(5, 25), AT(5, 31), 0, I64, L_CAS, L_U64, R_D43, M_ATOM, R_DATA, R_C),
    R(ATOM, 5, 0x58, 0xf8, BIT(9), AT(8, 3), NO_C, I32, B_E, C_ATOMIC_S, L_S32, R_D43, M_ATOM, R_DATA),
    R(ATOM, 5, 0x68, 0xf8, BIT(9), AT(5, 31), NO_C, I32, B_E, L_ADD, L_F32, R_D43, M_ATOM, R_DATA),
    R(RED, 5, 0x10, 0xf8, 0, BIT(9), 0, I32, B_E, C_ATOMIC, M_G, R_DATA),
    R(RED, 5, 0x18, 0xf8, BIT(9), BIT(9), 0, I32, B_E, C_ATOMIC_S, L_S32, M_G, R_DATA),
    R(RED, 5, 0x28, 0xf8, BIT(9), AT(5, 31), 0, I32, B_E, L_ADD, L_F32, M_G, R_DATA),
    R(VOTE, 4, 0x48, 0xfc, 0, 0, 0, I32, C_VOTE, R_D, P_54, P_S20_0),

    R(IADD, 3, 0x48, 0xf8, 0, 0, 0, I32, B_SAT5, B_X, R_D, B_CC, R_A_NEG9, O_BI_NEG8),
    R(IADD32I, 2, 0x08, 0xf8, 0, AT(8, 3), 0, I32, B_SAT5, B_X, R_D, B_CC58, R_A, I_32),
#define MUL_ROWS(name, cls, op_, b, m, attrs, cc, ...) \
    R(name, cls, op_, 0xf8, b, m, 0, attrs, C_FACTORS, __VA_ARGS__), \
    R(name, cls, op_, 0xf8, b, m, 0, attrs, C_FA, C_FB, __VA_ARGS__), \
    R(name, cls, op_, 0xf8, BIT(5) | BIT(7) | (b), BIT(5) | BIT(7) | (m), 0, attrs, L_S32, __VA_ARGS__)
    MUL_ROWS(IMUL, 3, 0x50, 0, 0, I32, 0, B_HI, R_D, B_CC, R_A, O_BI),
    MUL_ROWS(IMUL32I, 2, 0x10, 0, 0, I32, 0, B_HI, R_D, B_CC58, R_A, I_32),
    MUL_ROWS(IMAD, 3, 0x20, 0, BIT(55), I32, 0, B_HI, B_SAT56, R_D, B_CC, R_A_NEG9, O_BI, O_C_NEG8),
    R(ISCADD, 3, 0x40, 0xf8, 0, 0, 0, I32, R_D, B_CC, R_A_NEG56, O_BI_NEG55, X_SHIFT),
    R(ISETP, 3, 0x18, 0xf8, 0, BIT(6), 0, I32, C_ICOND, C_U32, C_LOGIC, P_17, P_14, R_A, O_BI, P_S49),
    R(ISETP, 3, 0x18, 0xf8, 0, BIT(6), 0, I32, C_ICOND, C_U32, C_LOGIC_AND, P_17, P_14, R_A, O_BI,
      P_S49),
    R(ICMP, 3, 0x30, 0xf8, 0, 0, 0, I32, C_ICOND, C_U32, R_D, R_A, O_BI, O_C),
    /* VADD: the bits that choose a part of a register hold the part's size, too, so each size has
     * rows of its own */
#define VADD_(b, m, ta, tb, ...) \
    R(VADD, 4, 0xc0, 0xf8, b, BIT(47) | (m), 0, I32, C_UD, ta, tb, B_SAT9, C_VOP, B_S, R_D, B_CC, \
      __VA_ARGS__, R_C)
#define VADD_B(ba, ma, ta, ...) \
    VADD_(BIT(47) | AT(32, 6) | (ba), AT(32, 7) | (ma), ta, C_VB, __VA_ARGS__, R_B_NEG7), \
    VADD_(ba, ma, ta, C_VB, __VA_ARGS__, I_V), \
    VADD_(BIT(47) | AT(32, 6) | (ba), AT(32, 7) | (ma), ta, C_VB32, __VA_ARGS__, R_B_NEG7), \
    VADD_(BIT(47) | AT(32, 4) | (ba), AT(33, 3) | (ma), ta, C_VB16, __VA_ARGS__, R_B_NEG7, C_HALF2), \
    VADD_(BIT(47) | (ba), BIT(34) | (ma), ta, C_VB8, __VA_ARGS__, R_B_NEG7, C_BYTE2), \
    VADD_(ba, ma, ta, C_VB32, __VA_ARGS__, I_V), VADD_(ba, ma, ta, C_VB16, __VA_ARGS__, I_V), \
    VADD_(ba, ma, ta, C_VB8, __VA_ARGS__, I_V)
    VADD_(BIT(47) | AT(32, 6) | AT(44, 6), AT(32, 7) | AT(44, 7), C_VA, C_VB, R_A_NEG8, R_B_NEG7),
    VADD_(AT(44, 6), AT(44, 7), C_VA, C_VB, R_A_NEG8, I_V),
    VADD_B(AT(44, 6), AT(44, 7), C_VA32, R_A_NEG8),
    VADD_B(AT(44, 4), AT(45, 3), C_VA16, R_A_NEG8, C_HALF1),
    VADD_B(0, BIT(46), C_VA8, R_A_NEG8, C_BYTE1),
    R(LOP, 3, 0x68, 0xf8, 0, BIT(5), 0, I32, C_LOP, R_D, R_A_NOT, O_BI_NOT),
    R(LOP32I, 2, 0x38, 0xf8, 0, BIT(5) | BIT(8), 0, I32, C_LOP, R_D, R_A_NOT, I_32),
    R(SHL, 3, 0x60, 0xf8, 0, BIT(6) | BIT(8), 0, I32, C_U32, B_W, B_S, R_D, B_CC, R_A, O_BI),
    R(SHR, 3, 0x58, 0xf8, 0, BIT(7) | BIT(8), 0, I32, C_U32, B_W, B_S, R_D, B_CC, R_A, O_BI),
    R(BFE, 3, 0x70, 0xf8, 0, 0, 0, I32, C_U32, B_BREV, R_D, B_CC, R_A, O_BI),
    R(BFI, 3, 0x28, 0xf8, 0, 0, 0, I32, R_D, B_CC, R_A, O_BI, O_C),
    R(SEL, 4, 0x20, 0xfc, 0, 0, 0, I32, R_D, R_A, O_BI, P_S49_0),
    R(PSETP, 4, 0x0c, 0xfc, 0, 0, 0, I32, C_LOGIC1, C_LOGIC, P_17, P_14, P_S49_ALL, P_S26, P_S20),
    R(PSETP, 4, 0x0c, 0xfc, 0, 0, 0, I32, C_LOGIC1_AND, C_LOGIC, P_17, P_14, P_S49_ALL, P_S26,
      P_S20),
    R(PSETP, 4, 0x0c, 0xfc, 0, 0, 0, I32, C_LOGIC1_AND, C_LOGIC_AND, P_17, P_14, P_S49_ALL, P_S26,
      P_S20),
    R(S2R, 4, 0x2c, 0xfc, 0, 0, 0, I32, R_D, O_SPECIAL),
    R(LEPC, 4, 0x44, 0xfc, 0, 0, 0, I32, R_D),
    R(CCTL, 5, 0x98, 0xf8, 0, AT(8, 3), 0, I32, B_E, C_CACHE, C_CCTL, R_D, M_CCTL),
    R(CCTLL, 5, 0xd0, 0xfc, 0, AT(8, 3), 0, I32, C_CCTL, R_D, M_24),

    R(FADD, 0, 0x50, 0xf8, 0, 0, 0, I32, B_FTZ5, C_RND55, B_SAT49, R_D, R_A_FLOAT, O_BF_FLOAT),
    R(FADD32I, 2, 0x28, 0xf8, 0, 0, 0, I32, B_FTZ5, R_D, R_A_FLOAT, I_32),
    R(FMUL, 0, 0x58, 0xf8, 0, BIT(7) | AT(49, 7), 0, I32, B_FTZ6, C_RND55, B_SAT5, R_D, R_A,
      O_BF_NEG57),
    R(FMUL32I, 2, 0x30, 0xf8, 0, BIT(7), 0, I32, B_FTZ6, B_SAT5, R_D, R_A, I_32),
    R(FFMA, 0, 0x30, 0xf8, 0, BIT(7), 0, I32, B_FTZ6, C_RND55, B_SAT5, R_D, R_A, O_BF_NEG9, O_C_NEG8),
    R(FSETP, 0, 0x20, 0xf8, 0, 0, 0, I32, C_COND, C_LOGIC, P_17, P_14, R_A_FLOAT, O_BF_FLOAT, P_S49),
    R(FSETP, 0, 0x20, 0xf8, 0, 0, 0, I32, C_COND, C_LOGIC_AND, P_17, P_14, R_A_FLOAT, O_BF_FLOAT,
      P_S49),
    R(FCMP, 0, 0x38, 0xf8, 0, 0, 0, I32, C_COND, B_FTZ5, R_D, R_A, O_BF, O_C),
    R(MUFU, 0, 0xc8, 0xf8, 0, 0, 0, I32, C_MUFU, B_FTZ5, R_D, R_A_FLOAT),
    R(DADD, 1, 0x4c, 0xfc, 0, 0, 0, F64, C_RND55, R_D, R_A_FLOAT, O_BF_FLOAT),
    R(DMUL, 1, 0x50, 0xf8, 0, 0, 0, F64, C_RND55, R_D, R_A, O_BF_NEG9),
    R(DFMA, 1, 0x20, 0xf8, 0, BIT(8), 0, F64, C_RND55, R_D, R_A, O_BF_NEG9, O_C),
    R(DSETP, 1, 0x18, 0xf8, 0, 0, 0, F64, C_COND, C_LOGIC, P_17, P_14, R_A_FLOAT, O_BF_FLOAT, P_S49),
    R(DSETP, 1, 0x18, 0xf8, 0, 0, 0, F64, C_COND, C_LOGIC_AND, P_17, P_14, R_A_FLOAT, O_BF_FLOAT,
      P_S49),
#define F2F_(m, ...) R(F2F, 4, 0x10, 0xfc, 0, m, 0, I32, B_FTZ55, __VA_ARGS__)
#define F2F_TAIL C_RND49, B_SAT5, R_D_TYPE, O_CVT
    F2F_(0, C_F2F, C_FSRC, F2F_TAIL), F2F_(0, C_F2F_LONG, C_FSRC, F2F_TAIL),
    F2F_(0, C_F2F_LONG, C_FSRC_LONG, F2F_TAIL), F2F_(0, C_PASS, C_FSRC, F2F_TAIL),
    F2F_(0, C_PASS, C_FSRC_LONG, F2F_TAIL),
#define F2I_TAIL C_IRND, R_D_TYPE, O_CVT
#define F2I_(...) R(F2I, 4, 0x14, 0xfc, 0, 0, 0, I32, B_FTZ55, __VA_ARGS__, F2I_TAIL)
    F2I_(C_F2I, C_FSRC), F2I_(C_S32, C_FSRC), F2I_(C_F2I, C_FSRC_LONG), F2I_(C_S32, C_FSRC_LONG),
#define I2F_TAIL C_RND49, R_D_TYPE, O_CVT_I
#define I2F_(...) R(I2F, 4, 0x18, 0xfc, 0, 0, 0, I32, __VA_ARGS__, I2F_TAIL)
    I2F_(C_I2F, C_I2F_SRC), I2F_(C_F32, C_I2F_SRC), I2F_(C_I2F, C_S32_SRC), I2F_(C_F32, C_S32_SRC),
#define I2I_TAIL B_SAT5, R_D_TYPE, O_CVT_I
#define I2I_(...) R(I2I, 4, 0x1c, 0xfc, 0, 0, 0, I32, __VA_ARGS__, I2I_TAIL)
    I2I_(C_I2I, C_I2I_SRC), I2I_(C_I2I_ALL, C_I2I_SRC), I2I_(C_I2I_ALL, C_I2I_SRC_ALL),
};
const struct isa isa_asfermi = {rows, sizeof rows / sizeof rows[0], fields, true, true};

/* clang-format on */
