/* The fields of Fermi's encoding table: where they lie, what they are called, which member of struct
 * op they fill. Included by fermi.c alone; apart from it so that the rows can be read on their own.
 * Facts: fermi-isa.md sections 3 to 6 and 12. Names end in their first bit.
 */
#ifndef SHADER_ISA_FERMI_FIELDS_H
#define SHADER_ISA_FERMI_FIELDS_H

#include "shader/isa/plain.h"

#include <stddef.h>

/* clang-format off */

#define M(member_) offsetof(struct op, member_)

static const struct choice add_names[] = {
    {"add", ADD_ADD}, {"sub", ADD_SUB}, {"subr", ADD_SUBR}, {"addpo", ADD_PO}};
static const struct choice logic_names[] = {
    {"and", LOGIC_AND}, {"or", LOGIC_OR}, {"xor", LOGIC_XOR}, {"mov2", LOGIC_MOV2}};
static const struct choice u32_s32[] = {{"u32", TYPE_U32}, {"s32", TYPE_S32}};
static const struct choice u16_s16[] = {{"u16", TYPE_U16}, {"s16", TYPE_S16}};
static const struct choice u8_s8[] = {{"u8", TYPE_U8}, {"s8", TYPE_S8}};
static const struct choice b32_f32[] = {{"b32", TYPE_B32}, {"f32", TYPE_F32}};
static const struct choice round_names[] = {
    {"rn", ROUND_RN}, {"rm", ROUND_RM}, {"rp", ROUND_RP}, {"rz", ROUND_RZ}};
static const struct choice round_int_names[] = {
    {"rni", ROUND_RN}, {"rmi", ROUND_RM}, {"rpi", ROUND_RP}, {"rzi", ROUND_RZ}};
static const struct choice round_if_integral[] = { /* bit 2: integral at all */
    {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"rni", ROUND_RN}, {"rmi", ROUND_RM}, {"rpi", ROUND_RP}, {"rzi", ROUND_RZ}};
static const struct choice cond_names[] = {
    {"false", 0}, {"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 5}, {"ge", 6}, {"num", 7},
    {"nan", 8}, {"ltu", 9}, {"equ", 10}, {"leu", 11}, {"gtu", 12}, {"neu", 13}, {"geu", 14},
    {"true", 15}};
static const struct choice cond_int_names[] = {
    {"false", 0}, {"lt", 1}, {"eq", 2}, {"le", 3}, {"gt", 4}, {"ne", 5}, {"ge", 6}, {"true", 15}};
static const struct choice test_names[] = { /* as isa_fermi_tests, but 15 has a name */
    {"never", 0}, {"l", 1}, {"e", 2}, {"le", 3}, {"g", 4}, {"lg", 5}, {"ge", 6}, {"lge", 7},
    {"u", 8}, {"lu", 9}, {"eu", 10}, {"leu", 11}, {"gu", 12}, {"lgu", 13}, {"geu", 14},
    {"true", 15}, {"no", 16}, {"nc", 17}, {"ns", 18}, {"na", 19}, {"a", 20}, {"s", 21}, {"c", 22},
    {"o", 23}, {"csm_ta", 24}, {"csm_tr", 25}, {"csm_mx", 26}, {"fcsm_ta", 27}, {"fcsm_tr", 28},
    {"fcsm_mx", 29}, {"rle", 30}, {"rgt", 31}};
static const struct choice clamp_wrap[] = {{"clamp", 0}, {"wrap", 1}};
static const struct choice quad_op_names[] = {
    {"add", QUAD_ADD}, {"subr", QUAD_SUBR}, {"sub", QUAD_SUB}, {"mov2", QUAD_MOV2}};
static const struct choice quad_lane_names[] = {
    {"l0", QUAD_L0}, {"l1", QUAD_L1}, {"l2", QUAD_L2}, {"l3", QUAD_L3}, {"dx", QUAD_DX},
    {"dy", QUAD_DY}, {NULL, 0}, {NULL, 0}};
static const struct choice dfp_dall[] = {{"dfp", 0}, {"dall", 1}};
static const struct choice all_live[] = {{"all", 0}, {"live", 1}};
static const struct choice scale_names[] = {
    {"", 0}, {"div2", 1}, {"div4", 2}, {"div8", 3}, {"mul8", 4}, {"mul4", 5}, {"mul2", 6},
    {NULL, 0}};
static const struct choice access_types[] = {
    {"u8", TYPE_U8}, {"s8", TYPE_S8}, {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"b32", TYPE_B32},
    {"b64", TYPE_B64}, {"b128", TYPE_B128}, {NULL, 0}};
static const struct choice load_cache[] = {{"ca", 0}, {"cg", 1}, {"cs", 2}, {"cv", 3}};
static const struct choice store_cache[] = {{"wb", 0}, {"cg", 1}, {"cs", 2}, {"wt", 3}};
static const struct choice atomic_names[] = {
    {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"inc", ATOMIC_INC},
    {"dec", ATOMIC_DEC}, {"and", ATOMIC_AND}, {"or", ATOMIC_OR}, {"xor", ATOMIC_XOR},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice atomic_signed_names[] = {
    {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {NULL, 0},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
static const struct choice cctl_names[] = {
    {"query1", 0}, {"pf1", 1}, {"pf15", 2}, {"pf2", 3}, {"wb", 4}, {"iv", 5}, {"ivall", 6},
    {"rs", 7}};
static const struct choice cctl_caches[] = {{"", 0}, {"u", 1}, {"c", 2}, {"i", 3}};
static const struct choice prmt_names[] = {
    {"", 0}, {"f4e", 1}, {"b4e", 2}, {"rc8", 3}, {"ecl", 4}, {"ecr", 5}, {"rc16", 6}, {NULL, 0}};
/* conversions: bits 0, 1 size, bit 2 sign */
static const struct choice int_types[] = {
    {"u8", TYPE_U8}, {"u16", TYPE_U16}, {"u32", TYPE_U32}, {"u64", TYPE_U64},
    {"s8", TYPE_S8}, {"s16", TYPE_S16}, {"s32", TYPE_S32}, {"s64", TYPE_S64}};
static const struct choice int_types_16[] = {
    {NULL, 0}, {"u16", TYPE_U16}, {"u32", TYPE_U32}, {"u64", TYPE_U64},
    {NULL, 0}, {"s16", TYPE_S16}, {"s32", TYPE_S32}, {"s64", TYPE_S64}};
static const struct choice float_types[] = {
    {NULL, 0}, {"f16", TYPE_F16}, {"f32", TYPE_F32}, {"f64", TYPE_F64}};
static const struct choice u64_s64[] = {{"u64", TYPE_U64}, {"s64", TYPE_S64}};
/* gk104 mad: which part of a factor */
enum { PART_32, PART_24, PART_16L, PART_16H, PART_IS_SIGNED = 4 };
static const struct choice mad_u1[] = {
    {"u32", PART_32}, {"u24", PART_24}, {"u16l", PART_16L}, {"u16h", PART_16H}};
static const struct choice mad_s1[] = {
    {"s32", PART_32 | 4}, {"s24", PART_24 | 4}, {"s16l", PART_16L | 4}, {"s16h", PART_16H | 4}};
static const struct choice mad_u2[] = {{"u24", PART_24}, {"u16l", PART_16L}};
static const struct choice mad_s2[] = {{"s24", PART_24 | 4}, {"s16l", PART_16L | 4}};
static const struct choice mad_x2[] = {
    {"u24", PART_24}, {"s24", PART_24 | 4}, {"u16l", PART_16L}, {"s16l", PART_16L | 4}};
static const struct choice mad_u3[] = {
    {"u32", PART_32}, {"u24", PART_24}, {"u16l", PART_16L}, {NULL, 0}};
static const struct choice mad_s3[] = {
    {"s32", PART_32 | 4}, {"s24", PART_24 | 4}, {"s16l", PART_16L | 4}, {NULL, 0}};
/* video */
static const struct choice video_sums[] = {
    {"h1", 0}, {"h0", 1}, {"b0", 2}, {"b2", 3}, {"add", 4}, {"min", 5}, {"max", 6}, {"", 7}};
static const struct choice video_parts[] = {
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"h0", 4}, {"h1", 5}, {"", 6}, {NULL, 0}};
static const struct choice simd_sums[] = {
    {"", 0}, {"simd_min", 1}, {"simd_max", 2}, {NULL, 0}, {"add", 4}, {"min", 5}, {"max", 6},
    {NULL, 0}};
static const struct choice bytes_written[] = {
    {"none", 0}, {"x", 1}, {"y", 2}, {"xy", 3}, {"z", 4}, {"xz", 5}, {"yz", 6}, {"xyz", 7},
    {"w", 8}, {"xw", 9}, {"yw", 10}, {"xyw", 11}, {"zw", 12}, {"xzw", 13}, {"yzw", 14}, {"", 15}};
static const struct choice halves_written[] = {{"none", 0}, {"x", 1}, {"y", 2}, {"", 3}};
static const struct choice bytes_first[] = {
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"", 4}, {"b1234", 5}, {"b2345", 6}, {"b3456", 7},
    {"b1023", 8}, {"b2103", 9}, {"b3120", 10}, {"b0213", 11}, {"b0321", 12}, {"b0132", 13},
    {NULL, 0}, {NULL, 0}};
static const struct choice bytes_second[] = {
    {"b4", 0}, {"b5", 1}, {"b6", 2}, {"b7", 3}, {"", 4}, {"b3456", 5}, {"b2345", 6}, {"b1234", 7},
    {"b7654", 8}, {"b5476", 9}, {"b6745", 10}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}};
static const struct choice halves_alone[] = {{"h0", 0}, {"h10", 1}, {"", 4}, {"h1", 5}};
static const struct choice halves_first[] = { /* value: low half from h(n & 3), high from n >> 2 */
    {"h0", 0}, {"h10", 1}, {"h20", 2}, {"h30", 3}, {"", 4}, {"h1", 5}, {"h21", 6}, {"h31", 7},
    {"h02", 8}, {"h12", 9}, {"h2", 10}, {"h32", 11}, {"h03", 12}, {"h13", 13}, {"h23", 14},
    {"h3", 15}};
static const struct choice halves_second[] = {
    {"h0", 0}, {"h10", 1}, {"h20", 2}, {"h30", 3}, {"h01", 4}, {"h1", 5}, {"h21", 6}, {"h31", 7},
    {"h02", 8}, {"h12", 9}, {"h2", 10}, {"h32", 11}, {"h03", 12}, {"h13", 13}, {"", 14},
    {"h3", 15}};
static const struct choice mad_shifts[] = {{"", 0}, {"shr7", 1}, {"shr15", 2}, {NULL, 0}};
#define FOUR(n, v) {n, v}, {n, v}, {n, v}, {n, v}
static const struct choice short_mad_first[] = { /* bits 7 to 11 of a 4-byte vmad name both parts */
    FOUR("b0", 0), FOUR("b1", 1), FOUR("b2", 2), FOUR("b3", 3), FOUR("", 6),
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"h0", 4}, {"h0", 4}, {"h1", 5}, {"h1", 5},
    {"", 6}, {"", 6}, {"h0", 4}, {"h1", 5}};
static const struct choice short_mad_second[] = {
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3},
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3},
    {"b0", 0}, {"b1", 1}, {"b2", 2}, {"b3", 3}, FOUR("", 6),
    {"h0", 4}, {"h1", 5}, {"h0", 4}, {"h1", 5}, {"h0", 4}, {"h1", 5}, {"", 6}, {"", 6}};
/* Pairs of a load and a uniform load: the types of the first and of the second. */
static const struct choice pair_first[] = {
    {"u8", TYPE_U8}, {"u8", TYPE_U8}, {"u8", TYPE_U8}, {"u8", TYPE_U8}, {"u8", TYPE_U8},
    {"s8", TYPE_S8}, {"s8", TYPE_S8}, {"s8", TYPE_S8}, {"s8", TYPE_S8}, {"s8", TYPE_S8},
    {"u16", TYPE_U16}, {"u16", TYPE_U16}, {"u16", TYPE_U16}, {"u16", TYPE_U16}, {"u16", TYPE_U16},
    {"s16", TYPE_S16}, {"s16", TYPE_S16}, {"s16", TYPE_S16}, {"s16", TYPE_S16}, {"s16", TYPE_S16},
    {"b32", TYPE_B32}, {"b32", TYPE_B32}, {"b32", TYPE_B32}, {"b32", TYPE_B32}, {"b32", TYPE_B32},
    {"b32", TYPE_B32}, {"b32", TYPE_B32}, {"b64", TYPE_B64}, {"b64", TYPE_B64}, {"b64", TYPE_B64},
    {"b128", TYPE_B128}, {"b128", TYPE_B128}};
#define SMALL {"u8", TYPE_U8}, {"s8", TYPE_S8}, {"u16", TYPE_U16}, {"s16", TYPE_S16}, \
    {"b32", TYPE_B32}
static const struct choice pair_second[] = {
    SMALL, SMALL, SMALL, SMALL, SMALL, {"b64", TYPE_B64}, {"b128", TYPE_B128}, {"b32", TYPE_B32},
    {"b64", TYPE_B64}, {"b128", TYPE_B128}, {"b32", TYPE_B32}, {"b64", TYPE_B64}};
/* attributes, interpolation, pixels */
static const struct choice attribute_types[] = {
    {"b32", TYPE_B32}, {"b64", TYPE_B64}, {"b96", TYPE_B96}, {"b128", TYPE_B128}};
static const struct choice interp_names[] = {{"pass", 0}, {"mul", 1}, {"flat", 2}, {"sc", 3}};
static const struct choice interp_short_names[] = {{"mul", 1}, {"sc", 3}};
static const struct choice interp_places[] = {{"", 0}, {"cent", 1}, {"off", 2}, {NULL, 0}};
static const struct choice pixel_names[] = {
    {"samplecnt", 0}, {"covmask", 1}, {"covered", 2}, {"offset", 3}, {"cent_offset", 4},
    {"sampleid", 5}, {NULL, 0}, {NULL, 0}};
/* textures */
static const struct choice tex_ends[] = {{"", 0}, {"t", 1}, {"p", 2}, {NULL, 0}};
static const struct choice tex_lods[] = {
    {"lauto", FTEX_LOD_AUTO}, {"lzero", FTEX_LOD_ZERO}, {"lbias", FTEX_LOD_BIAS},
    {"llod", FTEX_LOD_LOD}, {NULL, 0}, {NULL, 0}, {"lbiasa", FTEX_LOD_BIASA},
    {"lloda", FTEX_LOD_LODA}};
static const struct choice fetch_lods[] = {{"lzero", 0}, {"llod", 1}};
static const struct choice tex_targets[] = {
    {"t1d", FTEX_1D}, {"a1d", FTEX_1D_ARRAY}, {"t2d", FTEX_2D}, {"a2d", FTEX_2D_ARRAY}, {"t3d", FTEX_3D},
    {NULL, 0}, {"tcube", FTEX_CUBE}, {"acube", FTEX_CUBE_ARRAY}};
static const struct choice tex_components[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
static const struct choice gather_offsets[] = {{"", 0}, {"off", 1}, {"off8", 2}, {NULL, 0}};
#define NONE8 {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}
static const struct choice query_names[64] = {
    {"tdims", 0}, {"ttype", 1}, {"tsamplepos", 2}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, 0}, {"sfilter", 8}, {"slod", 9}, {"swrap", 10}, {"sbcolor", 11}};
/* surfaces */
static const struct choice outside_names[] = {{"zero", 0}, {"clamp", 1}, {"trap", 2}, {NULL, 0}};
static const struct choice outside_loads[] = {{"zero", 0}, {"trap", 1}, {NULL, 0}, {"sdcl", 3}};
static const struct choice outside_stores[] = {{"ign", 0}, {"trap", 1}, {NULL, 0}, {"sdcl", 3}};
static const struct choice surface_formats[] = {{"u32", 0}, {"s32", 1}, {"u8", 2}, {"s8", 3}};
static const struct choice surface_dims[] = {{"1d", 0}, {"2d", 1}, {"3d", 2}, {"e2d", 3}};
static const struct choice surface_queries[] = {
    {"rank", 0}, {"dims", 1}, {"unk2", 2}, {"unk3", 3}, {"rgba", 4}, {"blksz", 5}, {"unk6", 6},
    {"unk7", 7}};
static const struct choice clamp_dims[] = {{"1d", 0}, {"2d", 1}};
static const struct choice field_dims[] = {{"2d", 0}, {"3d", 1}};
static const struct choice clamp_modes[] = {
    {"sd", 0}, {"sd", 1}, {"sd", 2}, {"sd", 3}, {"sd", 4}, {"pl", 5}, {"pl", 6}, {"pl", 7},
    {"pl", 8}, {"pl", 9}, {"bl", 10}, {"bl", 11}, {"bl", 12}, {"bl", 13}, {"bl", 14}, {NULL, 0}};
static const struct choice clamp_ranges[] = {
    {"r1", 0}, {"r2", 1}, {"r4", 2}, {"r8", 3}, {"r16", 4}, {"r1", 5}, {"r2", 6}, {"r4", 7},
    {"r8", 8}, {"r16", 9}, {"r1", 10}, {"r2", 11}, {"r4", 12}, {"r8", 13}, {"r16", 14}, {NULL, 0}};
/* 4-byte forms */
static const struct choice short_int_types[] = {
    {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"u32", TYPE_U32}, {"s32", TYPE_S32}};
static const struct choice short_src_types[] = { /* bit 0 sign, bit 1 size */
    {"u16", TYPE_U16}, {"s16", TYPE_S16}, {"u32", TYPE_U32}, {"s32", TYPE_S32}};
static const struct choice shuffle_names[] = {{"idx", 0}, {"up", 1}, {"down", 2}, {"bfly", 3}};

static const struct space
    g_space = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = 58, .is_signed = true},
    g_lock = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = NO_BITS, .is_signed = true},
    g_wide = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = ALWAYS},
    g_short = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = 6, .is_signed = true},
    s_space = {.name = "s", .file = FILE_SHARED, .base = 20, .wide = NO_BITS, .is_signed = true},
    l_space = {.name = "l", .file = FILE_LOCAL, .base = 20, .wide = NO_BITS, .is_signed = true},
    pair_g1 = {.name = "g", .file = FILE_GLOBAL, .base = 20, .wide = 59, .is_signed = true,
               .by_type = true},
    pair_s1 = {.name = "s", .file = FILE_SHARED, .base = 20, .wide = NO_BITS, .is_signed = true,
               .by_type = true},
    pair_g2 = {.name = "g", .file = FILE_GLOBAL, .base = 26, .wide = 58, .is_signed = true,
               .by_type = true},
    c_space = {.name = "c", .file = FILE_CONST, .base = 20, .wide = NO_BITS, .bank = 42,
               .bank_len = 5, .is_signed = true},
    c_fixed = {.name = "c", .file = FILE_CONST, .base = NO_BITS, .wide = NO_BITS, .bank = 42,
               .bank_len = 5, .is_signed = true},
    c_short = {.name = "c", .file = FILE_CONST, .base = 20, .wide = NO_BITS, .bank = 5,
               .bank_len = 3, .is_signed = true},
    c_surface = {.name = "c", .file = FILE_CONST, .base = NO_BITS, .wide = NO_BITS, .bank = 40,
                 .bank_len = 4},
    a_space = {.name = "a", .file = FILE_ATTR, .base = 20, .wide = NO_BITS},
    a_short = {.name = "a", .file = FILE_ATTR, .base = NO_BITS, .wide = NO_BITS},
    p_space = {.name = "p", .file = FILE_PRIM, .base = 20, .wide = NO_BITS, .is_signed = true},
    pix_space = {.name = "pix", .file = FILE_VARYING, .base = 20, .wide = NO_BITS,
                 .is_signed = true},
    img_reg = {.name = "img", .file = FILE_SHARED, .base = 26, .wide = NO_BITS},
    img_slot = {.name = "img", .file = FILE_SHARED, .base = NO_BITS, .wide = NO_BITS};

#define LITERALS(X) \
    X(W_OPEN, "(") X(W_CLOSE, ")") X(W_ABS, "abs") X(W_ADD, "add") X(W_AL2P, "al2p") \
    X(W_ALL, "all") X(W_AND, "and") X(W_ANY, "any") X(W_ARRIVE, "arrive") X(W_B32, "b32") \
    X(W_B64, "b64") X(W_BAR, "bar") X(W_BFIND, "bfind") X(W_BPT, "bpt") X(W_BRA, "bra") \
    X(W_BRK, "brk") X(W_C, "$c") X(W_CAL, "cal") X(W_CALL, "call") X(W_CAS, "cas") \
    X(W_CCTL, "cctl") X(W_CONT, "cont") X(W_COS, "cos") X(W_CTA, "cta") X(W_CVT, "cvt") \
    X(W_DISCARD, "discard") X(W_DRAIN, "drain") X(W_EX2, "ex2") X(W_EXCH, "exch") \
    X(W_EXIT, "exit") X(W_EXT, "ext") X(W_F16, "f16") X(W_F32, "f32") X(W_F64, "f64") \
    X(W_FLAGS, "$flags") X(W_FMA, "fma") X(W_GL, "gl") X(W_HIGH, "high") X(W_INS, "ins") \
    X(W_INTERP, "interp") X(W_JOINAT, "joinat") X(W_LD, "ld") X(W_LDU, "ldu") X(W_LEPC, "lepc") \
    X(W_LG2, "lg2") X(W_LOCK, "lock") X(W_LONGJMP, "longjmp") X(W_LOW, "low") X(W_MAD, "mad") \
    X(W_MASK, "mask") X(W_MAX, "max") X(W_MED, "med") X(W_MEMBAR, "membar") X(W_MIN, "min") \
    X(W_MINMAX, "minmax") X(W_MOV, "mov") X(W_MOV2, "mov2") X(W_MUL, "mul") X(W_NOP, "nop") \
    X(W_OR, "or") X(W_OUT, "out") X(W_PAUSE, "pause") X(W_PCREL, "pcrel") \
    X(W_PIXINFO, "pixinfo") X(W_PMEVENT, "pmevent") X(W_POPC, "popc") X(W_PREBRK, "prebrk") \
    X(W_PRECONT, "precont") X(W_PREEX2, "preex2") X(W_PRELONGJMP, "prelongjmp") \
    X(W_PRERET, "preret") X(W_PRESIN, "presin") X(W_PRMT, "prmt") X(W_QUADON, "quadon") \
    X(W_QUADOP, "quadop") X(W_QUADPOP, "quadpop") X(W_RCP, "rcp") X(W_RCP64H, "rcp64h") \
    X(W_READ, "read") X(W_RED, "red") X(W_RET, "ret") X(W_RSQRT, "rsqrt") \
    X(W_RSQRT64H, "rsqrt64h") X(W_RTT, "rtt") X(W_S32, "s32") X(W_SAD, "sad") \
    X(W_SCHED, "sched") X(W_SD, "sd") X(W_SELP, "selp") X(W_SET, "set") X(W_SHFL, "shfl") \
    X(W_SHL, "shl") X(W_SHR, "shr") X(W_SIN, "sin") X(W_SLCT, "slct") X(W_ST, "st") \
    X(W_SUBFM, "subfm") X(W_SUBR, "subr") X(W_SUCLAMP, "suclamp") X(W_SUEAU, "sueau") \
    X(W_SULDB, "suldb") X(W_SULDGB, "suldgb") X(W_SULEAB, "suleab") X(W_SUQ, "suq") \
    X(W_SUREDP, "suredp") X(W_SUSTB, "sustb") X(W_SUSTGB, "sustgb") X(W_SUSTGP, "sustgp") \
    X(W_SUSTP, "sustp") X(W_SYNC, "sync") X(W_SYS, "sys") X(W_TEX, "tex") X(W_TEXBAR, "texbar") \
    X(W_TEXCSAA, "texcsaa") X(W_TEXFETCH, "texfetch") X(W_TEXGATHER, "texgather") \
    X(W_TEXGRAD, "texgrad") X(W_TEXQUERY, "texquery") X(W_TEXQUERYLOD, "texquerylod") \
    X(W_TRAP, "trap") X(W_U32, "u32") X(W_U64, "u64") X(W_UNI, "uni") X(W_UNLOCK, "unlock") \
    X(W_VADD, "vadd") X(W_VSUB, "vsub") X(W_VSUBR, "vsubr") X(W_VADDPO, "vaddpo") \
    X(W_VMIN, "vmin") X(W_VMAX, "vmax") X(W_VABSDIFF, "vabsdiff") X(W_VSET, "vset") \
    X(W_VSHR, "vshr") X(W_VOTE, "vote") X(W_VSHL, "vshl") X(W_VMAD, "vmad") X(W_VADD2, "vadd2") \
    X(W_VSUB2, "vsub2") X(W_VSUBR2, "vsubr2") X(W_VAVG2, "vavg2") X(W_VMIN2, "vmin2") \
    X(W_VMAX2, "vmax2") X(W_VABSDIFF2, "vabsdiff2") X(W_VSET2, "vset2") X(W_VSHR2, "vshr2") \
    X(W_VSHL2, "vshl2") X(W_VSEL2, "vsel2") X(W_VADD4, "vadd4") X(W_VSUB4, "vsub4") \
    X(W_VSUBR4, "vsubr4") X(W_VAVG4, "vavg4") X(W_VMIN4, "vmin4") X(W_VMAX4, "vmax4") \
    X(W_VABSDIFF4, "vabsdiff4") X(W_VSET4, "vset4") X(W_VSHR4, "vshr4") X(W_VSHL4, "vshl4") \
    X(W_VSEL4, "vsel4") X(W_XOR, "xor") X(W_ABSOLUTE, "abs")

#define FLAG_(p, w, m, v) .kind = PLAIN_FLAG, .pos = p, .len = 1, .word = w, .member = m, .value = v
#define NEG_(p, n) FLAG_(p, "neg", M(src[n].flags), OPERAND_NEG)
#define ABS_(p, n) FLAG_(p, "abs", M(src[n].flags), OPERAND_ABS)
#define NOT_(p, n) FLAG_(p, "not", M(src[n].flags), OPERAND_NOT)
#define CHOICE_(p, l, m, c) .kind = PLAIN_CHOICE, .pos = p, .len = l, .member = m, .choice = c
#define CHOICE2_(p, l, p2, l2, m, c) \
    .kind = PLAIN_CHOICE, .pos = p, .len = l, .pos2 = p2, .len2 = l2, .member = m, .choice = c
#define SHARED_(p, l, m, c) .kind = PLAIN_SHARED, .pos = p, .len = l, .member = m, .choice = c
#define REG_(p, s) .kind = PLAIN_REG, .pos = p, .len = 6, .slot = s
#define REG_AS(p, s, m) .kind = PLAIN_REG, .pos = p, .len = 6, .slot = s, .member = m
#define SRC_(s, forms, imm) .kind = PLAIN_SOURCE, .slot = s, .scale = forms, .value = imm
#define ANY_SOURCE (SOURCE_REG | SOURCE_CONST | SOURCE_IMM)
#define IMM_(p, l, s, sh, v) \
    .kind = PLAIN_IMM, .pos = p, .len = l, .slot = s, .scale = sh, .value = v
#define NUMBER_(p, l, m) .kind = PLAIN_NUMBER, .pos = p, .len = l, .member = m
#define SPACE_(p, l, s, sc, sp) \
    .kind = PLAIN_MEMORY, .pos = p, .len = l, .slot = s, .scale = sc, .space = &sp
#define SPACE2_(p, l, p2, l2, s, sc, sp) \
    .kind = PLAIN_MEMORY, .pos = p, .len = l, .pos2 = p2, .len2 = l2, .slot = s, .scale = sc, \
    .space = &sp
#define PSRC_(p, n, i) \
    .kind = PLAIN_PSRC, .pos = p, .len = 3, .pos2 = n, .len2 = 1, .slot = i
#define PDST_(p, i) .kind = PLAIN_PDST, .pos = p, .len = 3, .slot = i

/* FIELDS: the rest, X(name, initialisers). */
#define FIELDS(X) \
    X(F_JOIN, .kind = PLAIN_JOIN, .pos = 4, .len = 1) \
    X(F_GUARD, .kind = PLAIN_GUARD, .pos = 10, .len = 4) \
    X(F_CC, .kind = PLAIN_CC, .pos = 5, .len = 5) \
    X(F_LANES, .kind = PLAIN_LANES, .pos = 5, .len = 4) \
    X(F_CD48, .kind = PLAIN_FLAGS_OUT, .pos = 48, .len = 1) \
    X(F_CD58, .kind = PLAIN_FLAGS_OUT, .pos = 58, .len = 1) \
    X(F_CD23, .kind = PLAIN_FLAGS_OUT, .pos = 23, .len = 1) \
    X(F_CARRY5, .kind = PLAIN_CARRY, .pos = 5, .len = 1) \
    X(F_CARRY6, .kind = PLAIN_CARRY, .pos = 6, .len = 1) \
    X(F_CARRY7, .kind = PLAIN_CARRY, .pos = 7, .len = 1) \
    X(F_CARRY55, .kind = PLAIN_CARRY, .pos = 55, .len = 1) \
    /* members set by the row */ \
    X(P_MAX, .kind = PLAIN_PRESET, .member = M(psrc[0]), .value = PRED_NOT) \
    X(P_SINGLE_C, .kind = PLAIN_PRESET, .member = M(carry_in), .value = 1) \
    X(P_ABSOLUTE, .kind = PLAIN_PRESET, .member = M(absolute), .value = 1) \
    X(P_REVERSE, .kind = PLAIN_PRESET, .member = M(reverse), .value = 1) \
    X(P_ADD_SUBR, .kind = PLAIN_PRESET, .member = M(add_kind), .value = ADD_SUBR) \
    X(P_ADD, .kind = PLAIN_PRESET, .member = M(atomic), .value = ATOMIC_ADD) \
    X(P_EXCH, .kind = PLAIN_PRESET, .member = M(atomic), .value = ATOMIC_EXCH) \
    X(P_CAS, .kind = PLAIN_PRESET, .member = M(atomic), .value = ATOMIC_CAS) \
    X(P_OR, .kind = PLAIN_PRESET, .member = M(logic), .value = LOGIC_OR) \
    X(P_XOR, .kind = PLAIN_PRESET, .member = M(logic), .value = LOGIC_XOR) \
    X(P_MOV2, .kind = PLAIN_PRESET, .member = M(logic), .value = LOGIC_MOV2) \
    X(P_LD_B32, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_B32) \
    X(P_LD_B64, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_B64) \
    X(P_LD_B128, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_B128) \
    X(P_LD_U32, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_U32) \
    X(P_LD_S32, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_S32) \
    X(P_LD_U64, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_U64) \
    X(P_LD_F32, .kind = PLAIN_PRESET, .member = M(src[0].mem), .value = TYPE_F32) \
    X(P_ST_B32, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_B32) \
    X(P_ST_B64, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_B64) \
    X(P_ST_B128, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_B128) \
    X(P_ST_U32, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_U32) \
    X(P_ST_S32, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_S32) \
    X(P_ST_U64, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_U64) \
    X(P_ST_F32, .kind = PLAIN_PRESET, .member = M(dst.mem), .value = TYPE_F32) \
    X(P_COUNT_ALL, .kind = PLAIN_PRESET, .member = M(bar_all), .value = 1) \
    /* flags */ \
    X(B_SAT5, FLAG_(5, "sat", M(sat), 1)) X(B_SAT9, FLAG_(9, "sat", M(sat), 1)) \
    X(B_SAT24, FLAG_(24, "sat", M(sat), 1)) X(B_SAT49, FLAG_(49, "sat", M(sat), 1)) \
    X(B_SAT56, FLAG_(56, "sat", M(sat), 1)) \
    X(B_FTZ5, FLAG_(5, "ftz", M(ftz), 1)) X(B_FTZ6, FLAG_(6, "ftz", M(ftz), 1)) \
    X(B_FTZ55, FLAG_(55, "ftz", M(ftz), 1)) X(B_FTZ59, FLAG_(59, "ftz", M(ftz), 1)) \
    X(B_FMZ7, FLAG_(7, "fmz", M(fmz), 1)) \
    X(B_HIGH5, FLAG_(5, "high", M(high), 1)) X(B_HIGH6, FLAG_(6, "high", M(high), 1)) \
    X(B_REV8, FLAG_(8, "rev", M(reverse), 1)) \
    X(B_SHIFTAMT, FLAG_(6, "shiftamt", M(shift_amount), 1)) \
    X(B_LIM16, FLAG_(16, "lim", M(limited), 1)) X(B_LIM29, FLAG_(29, "lim", M(limited), 1)) \
    X(B_LIM5, FLAG_(5, "lim", M(limited), 1)) \
    X(B_ALLWARP15, FLAG_(15, "allwarp", M(all_lanes), 1)) \
    X(B_ALLWARP28, FLAG_(28, "allwarp", M(all_lanes), 1)) \
    X(B_TERMINATE, FLAG_(14, "terminate", M(exit), 0)) \
    X(B_PATCH, FLAG_(8, "patch", 0, 0)) X(B_OUT, FLAG_(9, "out", 0, 0)) \
    X(B_UNK57, FLAG_(57, "unk39", 0, 0)) \
    X(B_EMIT, FLAG_(5, "emit", M(emit), 1)) X(B_RESTART, FLAG_(6, "restart", M(restart), 1)) \
    X(B_SHADOW, FLAG_(56, "shadow", M(ftex.shadow), 1)) X(B_CL, FLAG_(56, "cl", 0, 0)) \
    X(B_OFF, FLAG_(54, "off", M(ftex.offsets), 1)) X(B_MS, FLAG_(55, "ms", M(ftex.multisample), 1)) \
    X(B_IND, FLAG_(50, "ind", M(ftex.indirect), 1)) \
    X(N_NEG0_9, NEG_(9, 0)) X(N_NEG0_57, NEG_(57, 0)) X(N_NEG0_8, NEG_(8, 0)) \
    X(N_NEG0_22, NEG_(22, 0)) X(N_NEG0_7, NEG_(7, 0)) X(N_NEG0_4, NEG_(4, 0)) \
    X(N_NEG1_8, NEG_(8, 1)) X(N_NEG2_8, NEG_(8, 2)) \
    X(N_ABS0_7, ABS_(7, 0)) X(N_ABS0_6, ABS_(6, 0)) X(N_ABS0_25, ABS_(25, 0)) \
    X(N_ABS0_30, ABS_(30, 0)) X(N_ABS1_6, ABS_(6, 1)) \
    X(N_NOT0_9, NOT_(9, 0)) X(N_NOT1_8, NOT_(8, 1)) X(N_NOT0_8, NOT_(8, 0)) \
    /* choices */ \
    X(C_ADD8, CHOICE_(8, 2, M(add_kind), add_names)) \
    X(C_ADD55, CHOICE_(55, 2, M(add_kind), add_names)) \
    X(C_VMAD_ADD, CHOICE_(7, 2, M(add_kind), add_names)) \
    X(C_LOGIC, CHOICE_(6, 2, M(logic), logic_names)) \
    X(C_TYPE5, CHOICE_(5, 1, M(type), u32_s32)) X(C_S0_7, CHOICE_(7, 1, M(src[0].type), u32_s32)) \
    X(C_S1_5, CHOICE_(5, 1, M(src[1].type), u32_s32)) \
    X(C_S0_6, CHOICE_(6, 1, M(src[0].type), u32_s32)) \
    X(C_S2_5, CHOICE_(5, 1, M(src[2].type), u32_s32)) \
    X(C_D42, CHOICE_(42, 1, M(dst.type), u32_s32)) X(C_SIGN9, CHOICE_(9, 1, 0, u32_s32)) \
    X(C_D57_8, CHOICE_(57, 1, M(dst.type), u8_s8)) X(C_S0_6_8, CHOICE_(6, 1, M(src[0].type), u8_s8)) \
    X(C_S1_5_8, CHOICE_(5, 1, M(src[1].type), u8_s8)) \
    X(C_D57_16, CHOICE_(57, 1, M(dst.type), u16_s16)) \
    X(C_S0_6_16, CHOICE_(6, 1, M(src[0].type), u16_s16)) \
    X(C_S1_5_16, CHOICE_(5, 1, M(src[1].type), u16_s16)) \
    X(C_RES5, CHOICE_(5, 1, M(dst.type), b32_f32)) X(C_RES7, CHOICE_(7, 1, M(dst.type), b32_f32)) \
    X(C_ROUND55, CHOICE_(55, 2, M(round), round_names)) \
    X(C_ROUND49, CHOICE_(49, 2, M(round), round_names)) \
    X(C_ROUNDI49, CHOICE_(49, 2, M(round), round_int_names)) \
    X(C_ROUND_IF, CHOICE2_(49, 2, 7, 1, M(round), round_if_integral)) \
    X(S_INTEGRAL, .kind = PLAIN_SILENT, .pos = 7, .len = 1, .member = M(integral)) \
    X(C_COND, CHOICE_(55, 4, M(cond), cond_names)) X(C_VCOND, CHOICE_(7, 3, M(cond), cond_int_names)) \
    X(C_TEST20, CHOICE_(20, 5, M(cond), test_names)) \
    X(C_WRAP9, CHOICE_(9, 1, M(wrap), clamp_wrap)) X(C_WRAP7, CHOICE_(7, 1, M(wrap), clamp_wrap)) \
    X(C_QLANE, CHOICE_(6, 3, M(quad_lane), quad_lane_names)) \
    X(C_DQUAD, CHOICE_(9, 1, M(all_lanes), dfp_dall)) \
    X(C_Q0, CHOICE_(38, 2, M(quad_ops[0]), quad_op_names)) \
    X(C_Q1, CHOICE_(36, 2, M(quad_ops[1]), quad_op_names)) \
    X(C_Q2, CHOICE_(34, 2, M(quad_ops[2]), quad_op_names)) \
    X(C_Q3, CHOICE_(32, 2, M(quad_ops[3]), quad_op_names)) \
    X(C_SCALE, CHOICE_(49, 3, M(scale), scale_names)) \
    X(C_LD, CHOICE_(5, 3, M(src[0].mem), access_types)) \
    X(C_ST, CHOICE_(5, 3, M(dst.mem), access_types)) \
    X(S_LD, .kind = PLAIN_SILENT, .pos = 5, .len = 3, .member = M(src[0].mem), \
      .choice = access_types) \
    X(S_ST, .kind = PLAIN_SILENT, .pos = 5, .len = 3, .member = M(dst.mem), \
      .choice = access_types) \
    X(C_LCOP, CHOICE_(8, 2, 0, load_cache)) X(C_SCOP, CHOICE_(8, 2, 0, store_cache)) \
    X(C_ATOMIC, CHOICE_(5, 4, M(atomic), atomic_names)) \
    X(C_ATOMIC_S, CHOICE_(5, 4, M(atomic), atomic_signed_names)) \
    X(C_CCTL, CHOICE_(5, 3, M(sub), cctl_names)) X(C_CACHE, CHOICE_(26, 2, 0, cctl_caches)) \
    X(C_PRMT, CHOICE_(5, 3, M(sub), prmt_names)) \
    X(C_CVT_D, CHOICE2_(20, 2, 7, 1, M(type), int_types)) \
    X(C_CVT_D16, CHOICE2_(20, 2, 7, 1, M(type), int_types_16)) \
    X(C_CVT_F, CHOICE_(20, 2, M(type), float_types)) \
    X(C_CVT_S8, CHOICE_(9, 1, M(src[0].type), u8_s8)) \
    X(C_CVT_S16, CHOICE_(9, 1, M(src[0].type), u16_s16)) \
    X(C_CVT_S32, CHOICE_(9, 1, M(src[0].type), u32_s32)) \
    X(C_CVT_S64, CHOICE_(9, 1, M(src[0].type), u64_s64)) \
    X(C_MAD_U1, CHOICE_(8, 2, M(part[0]), mad_u1)) X(C_MAD_S1, CHOICE_(8, 2, M(part[0]), mad_s1)) \
    X(C_MAD_U2, CHOICE_(6, 1, M(part[1]), mad_u2)) X(C_MAD_S2, CHOICE_(6, 1, M(part[1]), mad_s2)) \
    X(C_MAD_X2, CHOICE_(5, 2, M(part[1]), mad_x2)) \
    X(C_MAD_U3, CHOICE_(55, 2, M(parts_sum), mad_u3)) \
    X(C_MAD_S3, CHOICE_(55, 2, M(parts_sum), mad_s3)) \
    X(C_VSUM, CHOICE_(55, 3, M(parts_sum), video_sums)) \
    X(C_V1, CHOICE_(44, 3, M(part[0]), video_parts)) X(C_V2, CHOICE_(32, 3, M(part[1]), video_parts)) \
    X(S_WHOLE2, .kind = PLAIN_PRESET, .member = M(part[1]), .value = 6) \
    X(C_SIMD, CHOICE_(44, 3, M(parts_sum), simd_sums)) \
    X(C_BYTES, CHOICE2_(55, 2, 34, 2, M(lanes_written), bytes_written)) \
    X(C_HALVES, CHOICE_(55, 2, M(lanes_written), halves_written)) \
    X(C_B1, CHOICE_(40, 4, M(part[0]), bytes_first)) X(C_B2, CHOICE_(36, 4, M(part[1]), bytes_second)) \
    X(C_H1, CHOICE_(40, 4, M(part[0]), halves_first)) \
    X(C_H2, CHOICE_(36, 4, M(part[1]), halves_second)) \
    X(C_H1_IMM, CHOICE_(42, 2, M(part[0]), halves_alone)) \
    X(C_MAD_SHIFT, CHOICE_(55, 2, M(count), mad_shifts)) \
    X(C_PAIR1, SHARED_(53, 5, M(src[0].mem), pair_first)) \
    X(C_PAIR2, SHARED_(53, 5, M(src[2].mem), pair_second)) \
    X(C_ATTR, CHOICE_(5, 2, M(src[0].mem), attribute_types)) \
    X(C_ATTR_ST, CHOICE_(5, 2, M(dst.mem), attribute_types)) \
    X(C_INTERP, CHOICE_(6, 2, M(interp_mode), interp_names)) \
    X(C_PLACE, CHOICE_(8, 2, 0, interp_places)) X(C_PIXEL, CHOICE_(5, 3, M(sub), pixel_names)) \
    X(C_END, CHOICE_(7, 2, 0, tex_ends)) X(C_LOD, CHOICE_(57, 3, M(ftex.lod), tex_lods)) \
    X(C_LODF, CHOICE_(57, 1, M(ftex.lod), fetch_lods)) X(C_LIVE, CHOICE_(9, 1, M(tex.live), all_live)) \
    X(C_DTEX, CHOICE_(45, 1, M(tex.deriv), dfp_dall)) \
    X(C_TARGET, CHOICE_(51, 3, M(ftex.target), tex_targets)) \
    X(C_RGBA, CHOICE_(5, 2, M(ftex.component), tex_components)) \
    X(C_GOFF, CHOICE_(54, 2, M(ftex.offsets), gather_offsets)) \
    X(C_QUERY, CHOICE_(54, 6, M(ftex.component), query_names)) \
    X(C_OUTSIDE, CHOICE_(47, 2, 0, outside_names)) X(C_OUT_LD, CHOICE_(47, 2, 0, outside_loads)) \
    X(C_OUT_ST, CHOICE_(47, 2, 0, outside_stores)) X(C_SUFMT, CHOICE_(45, 2, 0, surface_formats)) \
    X(C_SUDIM, CHOICE_(44, 2, 0, surface_dims)) X(C_SUQ, CHOICE_(5, 3, 0, surface_queries)) \
    X(C_SUC_DIM, CHOICE_(48, 1, 0, clamp_dims)) X(C_SUF_DIM, CHOICE_(48, 1, 0, field_dims)) \
    X(C_SUC_MODE, SHARED_(5, 4, 0, clamp_modes)) X(C_SUC_RANGE, SHARED_(5, 4, 0, clamp_ranges)) \
    X(C_SHFL, CHOICE_(55, 2, M(sub), shuffle_names)) \
    /* registers */ \
    X(R_D, REG_(14, 0)) X(R_D_LD, REG_AS(14, 0, M(src[0].mem))) X(R_D43, REG_(43, 0)) \
    X(R_D43_1, REG_(43, 0), .value = PLAIN_SINGLE) X(R_D_PAIR, REG_AS(32, 0, M(src[0].mem))) \
    X(R_DATA, REG_AS(14, 1, M(dst.mem))) X(R_DATA0, REG_AS(14, 1, M(dst.mem))) \
    X(R_DATA1, REG_AS(14, 2, M(dst.mem))) X(R_ATOM1, REG_AS(14, 2, M(src[0].mem))) \
    X(R_ATOM1_1, REG_AS(14, 2, M(src[0].mem)), .value = PLAIN_SINGLE) \
    X(R_ATOM2, REG_AS(49, 3, M(src[0].mem))) X(R_PAIR2, REG_AS(14, 2, M(src[2].mem))) \
    X(R_A, REG_(20, 1)) X(R_A2, REG_(20, 2)) X(R_B, REG_(26, 2)) X(R_B0, REG_(26, 1)) \
    X(R_C, REG_(49, 3)) X(R_C1, REG_(49, 2)) X(R_SAME, REG_(14, 3)) X(R_C8, REG_(8, 3)) \
    X(R_D14_3, REG_(14, 3)) X(R_DD, REG_(14, 0)) \
    X(O_BI, SRC_(2, ANY_SOURCE, IMM_INT)) X(O_BF, SRC_(2, ANY_SOURCE, IMM_FLOAT)) \
    X(O_BD, SRC_(2, ANY_SOURCE, IMM_DOUBLE)) \
    X(O_BI3, SRC_(2, ANY_SOURCE | SOURCE_THIRD, IMM_INT)) \
    X(O_BF3, SRC_(2, ANY_SOURCE | SOURCE_THIRD, IMM_FLOAT)) \
    X(O_BD3, SRC_(2, ANY_SOURCE | SOURCE_THIRD, IMM_DOUBLE)) \
    X(O_B0I, SRC_(1, ANY_SOURCE, IMM_INT)) X(O_B0F, SRC_(1, ANY_SOURCE, IMM_FLOAT)) \
    X(O_B0D, SRC_(1, ANY_SOURCE, IMM_DOUBLE)) \
    X(O_C, .kind = PLAIN_THIRD, .slot = 3) \
    X(I_32, IMM_(26, 32, 2, 0, 0)) X(I_MOV, IMM_(26, 32, 1, 0, 0)) X(I_EVENT, IMM_(26, 16, 1, 0, 0)) \
    X(I_V, IMM_(26, 16, 2, 0, 0)) X(I_V4, IMM_(26, 8, 2, 0, 0)) \
    X(I_SHFL, IMM_(26, 5, 2, 0, 0)) X(I_SHFL_C, IMM_(42, 13, 3, 0, 0)) \
    X(I_BPT, IMM_(26, 20, 1, 0, 0)) X(I_BPT_S, IMM_(7, 20, 1, 0, 0)) X(I_TEXBAR, IMM_(26, 6, 1, 0, 0)) \
    X(I_SUC, IMM_(49, 6, 3, 0, PLAIN_SIGNED)) X(I_AL2P, IMM_(32, 11, 2, 0, PLAIN_SIGNED)) \
    X(X_SHIFT5, NUMBER_(5, 5, M(count))) X(X_BAR, NUMBER_(20, 4, M(bar_id))) \
    X(X_TCNT, NUMBER_(26, 12, M(bar_count))) X(X_BYTE, NUMBER_(55, 2, M(part[0]))) \
    X(X_HALF, NUMBER_(56, 1, M(part[0]))) \
    X(X_SCHED0, NUMBER_(4, 8, 0)) X(X_SCHED1, NUMBER_(12, 8, 0)) X(X_SCHED2, NUMBER_(20, 8, 0)) \
    X(X_SCHED3, NUMBER_(28, 8, 0)) X(X_SCHED4, NUMBER_(36, 8, 0)) X(X_SCHED5, NUMBER_(44, 8, 0)) \
    X(X_SCHED6, NUMBER_(52, 8, 0)) \
    X(O_SPECIAL, .kind = PLAIN_SPECIAL, .pos = 26, .len = 8, .slot = 1) \
    X(O_SPECIAL_S, .kind = PLAIN_SPECIAL, .pos = 20, .len = 8, .slot = 1) \
    /* predicates */ \
    X(P_D17, PDST_(17, 0)) X(P_D14, PDST_(14, 1)) X(P_D54, PDST_(54, 0)) X(P_D53, PDST_(53, 0)) \
    X(P_D50, PDST_(50, 0)) X(P_D55, PDST_(55, 0)) \
    X(P_D8, .kind = PLAIN_PDST, .pos = 8, .len = 2, .pos2 = 58, .len2 = 1, .slot = 0) \
    X(P_S8, .kind = PLAIN_PDST, .pos = 8, .len = 2, .pos2 = 58, .len2 = 1, .slot = 0) \
    X(P_S49, PSRC_(49, 52, 0)) X(P_S20, PSRC_(20, 23, 0)) \
    X(P_SUP, PSRC_(49, 52, 0), .value = PLAIN_PARENTHESES) \
    X(P_LOGIC, .kind = PLAIN_PLOGIC, .slot = 2) \
    X(P_PAIR, .kind = PLAIN_PPAIR, .pos = 26, .pos2 = 30, .scale = 29) \
    X(P_PAIR_S, .kind = PLAIN_PPAIR, .pos = 14, .pos2 = 25, .scale = 24) \
    /* memory */ \
    X(O_G, SPACE_(26, 32, 1, 1, g_space)) X(O_G_ST, SPACE_(26, 32, 0, 1, g_space)) \
    X(O_GLOCK, SPACE_(26, 32, 1, 1, g_lock)) X(O_GLOCK_ST, SPACE_(26, 32, 0, 1, g_lock)) \
    X(O_GATOM, SPACE2_(26, 17, 55, 3, 1, 1, g_space)) X(O_GC, SPACE_(28, 30, 1, 4, g_space)) \
    X(O_LC, SPACE_(26, 24, 1, 1, l_space)) \
    X(O_S, SPACE_(26, 24, 1, 1, s_space)) X(O_S_ST, SPACE_(26, 24, 0, 1, s_space)) \
    X(O_L, SPACE_(26, 24, 1, 1, l_space)) X(O_L_ST, SPACE_(26, 24, 0, 1, l_space)) \
    X(O_PAIR_S, SPACE_(43, 10, 1, 1, pair_s1)) X(O_PAIR_G, SPACE_(43, 10, 1, 1, pair_g1)) \
    X(O_PAIR_G2, SPACE2_(5, 5, 38, 5, 3, 1, pair_g2)) \
    X(O_CX, SPACE_(26, 16, 1, 1, c_space)) X(O_CFIX, SPACE_(26, 16, 1, 1, c_fixed)) \
    X(O_A, SPACE_(32, 10, 1, 1, a_space)) X(O_A_ST, SPACE_(32, 10, 0, 1, a_space)) \
    X(O_P, SPACE_(26, 16, 1, 1, p_space)) X(O_PIX, SPACE_(26, 8, 1, 1, pix_space)) \
    X(O_GSU, SPACE_(0, 0, 1, 1, g_wide)) X(O_CSU, SPACE_(26, 14, 2, 4, c_surface)) \
    X(O_IMG_R, SPACE_(0, 0, 1, 1, img_reg)) X(O_IMG, SPACE_(26, 3, 1, 1, img_slot)) \
    X(O_SURF, .kind = PLAIN_UNIT, .pos = 26, .len = 3, .word = "$g") \
    X(O_A_S1, SPACE2_(8, 2, 20, 6, 1, 4, a_short)) X(O_A_S1_ST, SPACE2_(8, 2, 20, 6, 0, 4, a_short)) \
    X(O_A_S2, SPACE2_(8, 2, 26, 6, 1, 4, a_short)) \
    X(O_L_S4, SPACE2_(8, 2, 26, 6, 1, 4, l_space)) X(O_L_S8, SPACE2_(8, 2, 26, 6, 1, 8, l_space)) \
    X(O_S_S4, SPACE2_(8, 2, 26, 6, 1, 4, s_space)) X(O_S_S8, SPACE2_(8, 2, 26, 6, 1, 8, s_space)) \
    X(O_G_S4, SPACE2_(8, 2, 26, 6, 1, 4, g_short)) X(O_G_S8, SPACE2_(8, 2, 26, 6, 1, 8, g_short)) \
    X(O_L_T4, SPACE2_(8, 2, 26, 6, 0, 4, l_space)) X(O_L_T8, SPACE2_(8, 2, 26, 6, 0, 8, l_space)) \
    X(O_S_T4, SPACE2_(8, 2, 26, 6, 0, 4, s_space)) X(O_S_T8, SPACE2_(8, 2, 26, 6, 0, 8, s_space)) \
    X(O_G_T4, SPACE2_(8, 2, 26, 6, 0, 4, g_short)) X(O_G_T8, SPACE2_(8, 2, 26, 6, 0, 8, g_short)) \
    X(O_C_S, SPACE2_(8, 2, 26, 6, 1, 4, c_short)) \
    /* targets */ \
    X(O_TARGET, .kind = PLAIN_TARGET, .pos = 26, .len = 24) \
    X(O_TARGET_OFFSET, .kind = PLAIN_TARGET, .pos = 26, .len = 24, .value = PLAIN_SIGNED) \
    X(O_TARGET_ABS, .kind = PLAIN_TARGET, .pos = 26, .len = 32, .value = PLAIN_ABSOLUTE) \
    X(O_TARGET_S, .kind = PLAIN_TARGET, .pos = 14, .len = 14, .scale = 2) \
    X(O_CALL_S, .kind = PLAIN_TARGET, .pos = 6, .len = 22, .scale = 2) \
    /* textures */ \
    X(T_T, .kind = PLAIN_UNIT, .pos = 32, .len = 8, .word = "$t", .member = M(tex.tic)) \
    X(T_S, .kind = PLAIN_UNIT, .pos = 40, .len = 5, .word = "$s", .member = M(tex.tsc)) \
    X(T_D, .kind = PLAIN_MASKED, .pos = 14, .pos2 = 46) \
    X(T_SUST, .kind = PLAIN_MASKED, .pos = 14, .pos2 = 54) \
    X(T_SUST_P, .kind = PLAIN_MASKED, .pos = 14, .pos2 = 49) \
    X(T_1, .kind = PLAIN_TEX1, .pos = 20) X(T_2, .kind = PLAIN_TEX2, .pos = 26) \
    X(V_ATTR, .kind = PLAIN_VECTOR, .pos = 14, .pos2 = 5, .len2 = 2, .value = 1, .slot = 0) \
    X(V_ATTR_ST, .kind = PLAIN_VECTOR, .pos = 26, .pos2 = 5, .len2 = 2, .value = 1, .slot = 1) \
    X(V_SURF, .kind = PLAIN_VECTOR, .pos = 20, .pos2 = 44, .len2 = 2, .value = 1, .slot = 2, \
      .scale = 3) \
    X(V_ATTR_S, .kind = PLAIN_VECTOR, .pos = 14, .pos2 = 6, .len2 = 2, .value = 1, .slot = 0) \
    X(V_ATTR_S_ST, .kind = PLAIN_VECTOR, .pos = 26, .pos2 = 6, .len2 = 2, .value = 1, .slot = 1) \
    /* 4-byte forms */ \
    X(C_ATTR_S, CHOICE_(6, 2, M(src[0].mem), attribute_types)) \
    X(C_ATTR_S_ST, CHOICE_(6, 2, M(dst.mem), attribute_types)) \
    X(C_INTERP_S, CHOICE_(7, 1, M(interp_mode), interp_short_names)) \
    X(C_SD20, CHOICE_(20, 2, M(type), short_int_types)) \
    X(C_SS, CHOICE2_(9, 1, 24, 1, M(src[0].type), short_src_types)) \
    X(C_ROUND20, CHOICE_(20, 2, M(round), round_names)) \
    X(C_ROUNDI20, CHOICE_(20, 2, M(round), round_int_names)) \
    X(C_S0_24, CHOICE_(24, 1, M(src[0].type), u32_s32)) X(C_TYPE24, CHOICE_(24, 1, M(type), u32_s32)) \
    X(C_COND14, CHOICE_(14, 3, M(cond), cond_int_names)) \
    X(C_COND7, CHOICE2_(7, 1, 14, 3, M(cond), cond_names)) \
    X(C_BOTH6, SHARED_(6, 1, M(src[0].type), u32_s32)) X(C_BOTH6_1, SHARED_(6, 1, M(src[1].type), u32_s32)) \
    X(C_BOTH5, SHARED_(5, 1, M(src[0].type), u32_s32)) X(C_BOTH5_1, SHARED_(5, 1, M(src[1].type), u32_s32)) \
    X(C_D13_16, CHOICE_(13, 1, M(dst.type), u16_s16)) X(C_S12_16, CHOICE_(12, 1, M(src[0].type), u16_s16)) \
    X(C_S11_16, CHOICE_(11, 1, M(src[1].type), u16_s16)) \
    X(C_BOTH12_16, SHARED_(12, 1, M(src[0].type), u16_s16)) \
    X(C_BOTH12_16_1, SHARED_(12, 1, M(src[1].type), u16_s16)) \
    X(C_D13_8, CHOICE_(13, 1, M(dst.type), u8_s8)) X(C_S12_8, CHOICE_(12, 1, M(src[0].type), u8_s8)) \
    X(C_S11_8, CHOICE_(11, 1, M(src[1].type), u8_s8)) \
    X(C_BOTH12_8, SHARED_(12, 1, M(src[0].type), u8_s8)) \
    X(C_BOTH12_8_1, SHARED_(12, 1, M(src[1].type), u8_s8)) \
    X(C_D13, CHOICE_(13, 1, M(src[0].type), u32_s32)) X(C_D12, CHOICE_(12, 1, M(src[1].type), u32_s32)) \
    X(C_MADS1, SHARED_(7, 5, M(part[0]), short_mad_first)) \
    X(C_MADS2, SHARED_(7, 5, M(part[1]), short_mad_second)) \
    X(P_WHOLE, .kind = PLAIN_PRESET, .member = M(parts_sum), .value = 7) \
    X(P_ALL_LANES, .kind = PLAIN_PRESET, .member = M(lanes_written), .value = 15) \
    X(P_ORDER1_2, .kind = PLAIN_PRESET, .member = M(part[0]), .value = 4) \
    X(P_ORDER2_2, .kind = PLAIN_PRESET, .member = M(part[1]), .value = 14) \
    X(P_ORDER2_4, .kind = PLAIN_PRESET, .member = M(part[1]), .value = 4) \
    X(I_12, IMM_(20, 12, 1, 0, PLAIN_SIGNED)) X(I_12F, IMM_(20, 12, 1, 20, 0)) \
    X(I_8, .kind = PLAIN_IMM, .pos = 26, .len = 6, .pos2 = 8, .len2 = 2, .slot = 2, \
      .value = PLAIN_SIGNED) \
    X(I_SHIFT, IMM_(26, 5, 2, 0, 0)) \
    X(O_S1, .kind = PLAIN_SHORT_SRC, .pos = 20, .pos2 = 8, .slot = 1) \
    X(O_S2, .kind = PLAIN_SHORT_SRC, .pos = 26, .pos2 = 8, .slot = 2) \
    X(O_S2A, .kind = PLAIN_SHORT_SRC, .pos = 26, .pos2 = 6, .slot = 2) \
    X(O_S3A, .kind = PLAIN_SHORT_SRC, .pos = 8, .pos2 = 6, .slot = 3, .value = 1) \
    X(R_BAR, REG_(20, 1)) X(R_TCNT, REG_(26, 2))

/* clang-format on */

#endif
