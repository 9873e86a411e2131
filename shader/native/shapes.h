/* The list of stencils: data. stencils.c and stencils_fermi.c make the stencils of the list,
 * table.c finds them. A shape is an operation with all members that its code depends on, except the
 * places of its operands: each op below stands for all ops with the same shape_key(). Modifiers of
 * float sources, halves of registers, constants and masks are steps of their own (STEP_LIST).
 */
#pragma once

#include "shader/op.h"

/* X(name, handler, members of struct op): each shape once. Lists named FLAGS: operations that write
 * $c. */
#define I32 .type = TYPE_B32
#define I16 .type = TYPE_B16
#define F32 .type = TYPE_F32
#define FACTORS(a, b) .src = {{.type = TYPE_##a}, {.type = TYPE_##b}, {.type = TYPE_B32}}
#define SETS(X, name, handler, ...)                                                                \
    X(name##_l, handler, .cond = 1, __VA_ARGS__)                                                   \
    X(name##_e, handler, .cond = 2, __VA_ARGS__)                                                   \
    X(name##_le, handler, .cond = 3, __VA_ARGS__)                                                  \
    X(name##_g, handler, .cond = 4, __VA_ARGS__)                                                   \
    X(name##_lg, handler, .cond = 5, __VA_ARGS__)                                                  \
    X(name##_ge, handler, .cond = 6, __VA_ARGS__)
#define SETS_UNORDERED(X, name, handler, ...)                                                      \
    X(name##_lu, handler, .cond = 9, __VA_ARGS__)                                                  \
    X(name##_eu, handler, .cond = 10, __VA_ARGS__)                                                 \
    X(name##_leu, handler, .cond = 11, __VA_ARGS__)                                                \
    X(name##_gu, handler, .cond = 12, __VA_ARGS__)                                                 \
    X(name##_lgu, handler, .cond = 13, __VA_ARGS__)                                                \
    X(name##_geu, handler, .cond = 14, __VA_ARGS__)
#define CONVERT(to, from)                                                                          \
    .type = TYPE_##to, .dst = {.type = TYPE_B32, .file = FILE_R},                                  \
    .src = {{.type = TYPE_##from, .file = FILE_R}}
#define CONVERT_FLAGS(to, from, flag)                                                              \
    .type = TYPE_##to, .dst = {.type = TYPE_B32, .file = FILE_R},                                  \
    .src = {{.type = TYPE_##from, .file = FILE_R, .flags = flag}}
#define CONVERT_HALF(to, from)                                                                     \
    .type = TYPE_##to, .dst = {.type = TYPE_B16, .file = FILE_RH},                                 \
    .src = {{.type = TYPE_##from, .file = FILE_R}}
#define ROUNDS_AWAY(X, name, handler, ...)                                                         \
    X(name##_rm, handler, .round = ROUND_RM, __VA_ARGS__)                                          \
    X(name##_rp, handler, .round = ROUND_RP, __VA_ARGS__)
#define ROUNDS(X, name, handler, ...)                                                              \
    ROUNDS_AWAY(X, name, handler, __VA_ARGS__)                                                     \
    X(name##_rn, handler, .round = ROUND_RN, __VA_ARGS__)                                          \
    X(name##_rz, handler, .round = ROUND_RZ, __VA_ARGS__)
#define PRODUCTS(X, name, handler, ...)                                                            \
    X(name##_u16, handler, .type = TYPE_U16, FACTORS(U16, U16), __VA_ARGS__)                       \
    X(name##_s16, handler, .type = TYPE_S16, FACTORS(S16, S16), __VA_ARGS__)                       \
    X(name##_u24, handler, .type = TYPE_U24, FACTORS(U24, U24), __VA_ARGS__)                       \
    X(name##_s24, handler, .type = TYPE_S24, FACTORS(S24, S24), __VA_ARGS__)                       \
    X(name##_u24h, handler, .type = TYPE_U24, FACTORS(U24, U24), .high = true, __VA_ARGS__)        \
    X(name##_s24h, handler, .type = TYPE_S24, FACTORS(S24, S24), .high = true, __VA_ARGS__)
#define LOGICS(X, name, ...)                                                                       \
    X(name##_and, logic, .code = OP_LOGIC, .logic = LOGIC_AND, __VA_ARGS__)                        \
    X(name##_or, logic, .code = OP_LOGIC, .logic = LOGIC_OR, __VA_ARGS__)                          \
    X(name##_xor, logic, .code = OP_LOGIC, .logic = LOGIC_XOR, __VA_ARGS__)                        \
    X(name##_mov2, logic, .code = OP_LOGIC, .logic = LOGIC_MOV2, __VA_ARGS__)
#define ADDS(X, name, ...)                                                                         \
    X(name##_add, iadd, .code = OP_IADD, .add_kind = ADD_ADD, __VA_ARGS__)                         \
    X(name##_sub, iadd, .code = OP_IADD, .add_kind = ADD_SUB, __VA_ARGS__)                         \
    X(name##_subr, iadd, .code = OP_IADD, .add_kind = ADD_SUBR, __VA_ARGS__)
#define QUAD(X, name, handler, lane, o0, o1, o2, o3, ...)                                          \
    X(name, handler, .code = OP_QUADOP, F32, .quad_lane = lane,                                     \
      .quad_ops = {QUAD_##o0, QUAD_##o1, QUAD_##o2, QUAD_##o3} __VA_OPT__(, ) __VA_ARGS__)

#define SHAPE_LIST(X)                                                                              \
    X(fadd, fadd, .code = OP_FADD, F32)                                                            \
    X(fadd_sat, fadd, .code = OP_FADD, F32, .sat = true)                                           \
    X(fsub, fsub, .code = OP_FADD, F32, .add_kind = ADD_SUB)                                       \
    X(fsub_sat, fsub, .code = OP_FADD, F32, .add_kind = ADD_SUB, .sat = true)                      \
    X(fadd_rz, fadd, .code = OP_FADD, F32, .round = ROUND_RZ)                                      \
    X(fmul, fmul, .code = OP_FMUL, F32)                                                            \
    X(fmul_sat, fmul, .code = OP_FMUL, F32, .sat = true)                                           \
    X(fmul_rz, fmul, .code = OP_FMUL, F32, .round = ROUND_RZ)                                      \
    X(fmad, fmad, .code = OP_FMAD, F32)                                                            \
    X(fmad_sat, fmad, .code = OP_FMAD, F32, .sat = true)                                           \
    X(fmin, fmin, .code = OP_FMIN, F32)                                                            \
    X(fmax, fmax, .code = OP_FMAX, F32)                                                            \
    SETS(X, fset, fset, .code = OP_FSET, F32)                                                      \
    SETS_UNORDERED(X, fset, fset, .code = OP_FSET, F32)                                            \
    X(slct, slct, .code = OP_SLCT, I32)                                                            \
    X(presin, presin, .code = OP_PRESIN, F32)                                                      \
    X(preex2, preex2, .code = OP_PREEX2, F32)                                                      \
    QUAD(X, dfdx, quadop, QUAD_DX, SUB, SUBR, SUB, SUBR)                                                   \
    QUAD(X, dfdy, quadop, QUAD_DY, SUB, SUB, SUBR, SUBR)                                                   \
    QUAD(X, quad_l0, quadop, QUAD_L0, SUBR, SUBR, SUBR, SUBR)                                              \
    QUAD(X, quad_l1, quadop, QUAD_L1, SUBR, SUBR, SUBR, SUBR)                                              \
    QUAD(X, quad_l2, quadop, QUAD_L2, SUBR, SUBR, SUBR, SUBR)                                              \
    QUAD(X, quad_l3, quadop, QUAD_L3, SUBR, SUBR, SUBR, SUBR)                                              \
    QUAD(X, quad_a0, quadop, QUAD_L0, ADD, ADD, ADD, ADD)                                                  \
    QUAD(X, quad_a1, quadop, QUAD_L1, ADD, ADD, ADD, ADD)                                                  \
    QUAD(X, quad_a2, quadop, QUAD_L2, ADD, ADD, ADD, ADD)                                                  \
    QUAD(X, quad_a3, quadop, QUAD_L3, ADD, ADD, ADD, ADD)                                                  \
    QUAD(X, quad_right0, quadop, QUAD_L0, MOV2, ADD, MOV2, ADD)                                            \
    QUAD(X, quad_right2, quadop, QUAD_L2, MOV2, ADD, MOV2, ADD)                                            \
    QUAD(X, quad_left1, quadop, QUAD_L1, SUBR, MOV2, SUBR, MOV2)                                           \
    QUAD(X, quad_left3, quadop, QUAD_L3, SUBR, MOV2, SUBR, MOV2)                                           \
    QUAD(X, quad_low0, quadop, QUAD_L0, MOV2, MOV2, ADD, ADD)                                              \
    QUAD(X, quad_low1, quadop, QUAD_L1, MOV2, MOV2, ADD, ADD)                                              \
    QUAD(X, quad_high2, quadop, QUAD_L2, SUBR, SUBR, MOV2, MOV2)                                           \
    QUAD(X, quad_high3, quadop, QUAD_L3, SUBR, SUBR, MOV2, MOV2)                                           \
    ADDS(X, i32, I32)                                                                              \
    ADDS(X, i16, I16)                                                                              \
    PRODUCTS(X, imul, imul, .code = OP_IMUL)                                                       \
    PRODUCTS(X, imad, imad, .code = OP_IMAD)                                                       \
    PRODUCTS(X, imsub, imad, .code = OP_IMAD, .add_kind = ADD_SUB)                                 \
    PRODUCTS(X, imsubr, imad, .code = OP_IMAD, .add_kind = ADD_SUBR)                               \
    X(sad_u32, sad, .code = OP_SAD, .type = TYPE_U32, FACTORS(U32, U32))                           \
    X(sad_s32, sad, .code = OP_SAD, .type = TYPE_S32, FACTORS(S32, S32))                           \
    X(imax_u32, imax, .code = OP_IMAX, .type = TYPE_U32, FACTORS(U32, U32))                        \
    X(imax_s32, imax, .code = OP_IMAX, .type = TYPE_S32, FACTORS(S32, S32))                        \
    X(imin_u32, imin, .code = OP_IMIN, .type = TYPE_U32, FACTORS(U32, U32))                        \
    X(imin_s32, imin, .code = OP_IMIN, .type = TYPE_S32, FACTORS(S32, S32))                        \
    SETS(X, iset_u32, iset, .code = OP_ISET, .type = TYPE_U32, FACTORS(U32, U32))                  \
    SETS(X, iset_s32, iset, .code = OP_ISET, .type = TYPE_S32, FACTORS(S32, S32))                  \
    X(shl, shl, .code = OP_SHL, I32)                                                               \
    X(shl_16, shl, .code = OP_SHL, I16)                                                            \
    X(shr_u32, shr, .code = OP_SHR, .type = TYPE_U32)                                              \
    X(shr_s32, shr, .code = OP_SHR, .type = TYPE_S32)                                              \
    X(shr_u16, shr, .code = OP_SHR, .type = TYPE_U16)                                              \
    LOGICS(X, b32, I32)                                                                            \
    LOGICS(X, b16, I16)                                                                            \
    LOGICS(X, b32_n1, I32, .src = {{0}, {.flags = OPERAND_NOT}})                                   \
    LOGICS(X, b32_n0, I32, .src = {{.flags = OPERAND_NOT}})                                        \
    ROUNDS(X, cvt_f32_f32, cvt_float_float, .code = OP_CVT, CONVERT(F32, F32))                     \
    X(cvt_f32_f32_sat, cvt_float_float, .code = OP_CVT, CONVERT(F32, F32), .sat = true)            \
    ROUNDS(X, cvt_f32_f32_int, cvt_float_float, .code = OP_CVT, CONVERT(F32, F32),                 \
           .integral = true)                                                                       \
    ROUNDS(X, cvt_s32_f32, cvt_float_int, .code = OP_CVT, CONVERT(S32, F32))                       \
    ROUNDS(X, cvt_u32_f32, cvt_float_int, .code = OP_CVT, CONVERT(U32, F32))                       \
    X(cvt_u16_f32, cvt_float_int, .code = OP_CVT, CONVERT_HALF(U16, F32), .round = ROUND_RZ)       \
    X(cvt_f32_s32, cvt_int_float, .code = OP_CVT, CONVERT(F32, S32))                               \
    X(cvt_f32_u32, cvt_int_float, .code = OP_CVT, CONVERT(F32, U32))                               \
    X(cvt_f32_u16, cvt_int_float, .code = OP_CVT, CONVERT(F32, U16))                               \
    X(cvt_f32_s16, cvt_int_float, .code = OP_CVT, CONVERT(F32, S16))                               \
    X(cvt_f32_u8, cvt_int_float, .code = OP_CVT, CONVERT(F32, U8))                                 \
    X(cvt_f32_s32_neg, cvt_int_float, .code = OP_CVT, CONVERT_FLAGS(F32, S32, OPERAND_NEG))        \
    X(cvt_f32_s32_abs, cvt_int_float, .code = OP_CVT, CONVERT_FLAGS(F32, S32, OPERAND_ABS))        \
    X(cvt_s32_s32, cvt_int_int, .code = OP_CVT, CONVERT(S32, S32))                                 \
    X(cvt_s32_s32_neg, cvt_int_int, .code = OP_CVT, CONVERT_FLAGS(S32, S32, OPERAND_NEG))          \
    X(cvt_s32_s32_abs, cvt_int_int, .code = OP_CVT, CONVERT_FLAGS(S32, S32, OPERAND_ABS))          \
    X(cvt_s32_s32_neg_abs, cvt_int_int, .code = OP_CVT,                                            \
      CONVERT_FLAGS(S32, S32, OPERAND_NEG | OPERAND_ABS))                                          \
    X(cvt_u32_u16, cvt_int_int, .code = OP_CVT, CONVERT(U32, U16))                                 \
    X(cvt_u32_u8, cvt_int_int, .code = OP_CVT, CONVERT(U32, U8))                                   \
    X(cvt_s32_s16, cvt_int_int, .code = OP_CVT, CONVERT(S32, S16))                                 \
    X(cvt_u16_u32, cvt_int_int, .code = OP_CVT, CONVERT_HALF(U16, U32))

/* For programs with MODE_MUL_ZERO_WINS: a product is 0 if a factor is 0, even if the other factor
 * is infinite or a NaN. */
#define SHAPE_ZERO_LIST(X)                                                                         \
    X(zmul, fmul, .code = OP_FMUL, F32)                                                            \
    X(zmul_sat, fmul, .code = OP_FMUL, F32, .sat = true)                                           \
    X(zmul_rz, fmul, .code = OP_FMUL, F32, .round = ROUND_RZ)                                      \
    X(zmad, fmad, .code = OP_FMAD, F32)                                                            \
    X(zmad_sat, fmad, .code = OP_FMAD, F32, .sat = true)

/* Functions with tables: the stencils pay from AVX2 on, with gathers or permutations. */
#define SHAPE_TABLE_LIST(X)                                                                        \
    X(rcp, rcp, .code = OP_RCP, F32)                                                               \
    X(rsqrt, rsqrt, .code = OP_RSQRT, F32)                                                         \
    X(lg2, lg2, .code = OP_LG2, F32)                                                               \
    X(sin, sin, .code = OP_SIN, F32)                                                               \
    X(cos, cos, .code = OP_COS, F32)                                                               \
    X(ex2, ex2, .code = OP_EX2, F32)                                                               \
    X(ex2_sat, ex2, .code = OP_EX2, F32, .sat = true)

/* The fast arithmetic (alu/fast.h): operations at all SIMD levels; SHAPE_FAST_TABLE_LIST has
 * those that need AVX2. */
#define SHAPE_FAST_LIST(X)                                                                         \
    X(fmad_fast, fmad, .code = OP_FMAD, F32, .fast = true)                                         \
    X(fmad_fast_sat, fmad, .code = OP_FMAD, F32, .sat = true, .fast = true)                        \
    X(presin_fast, presin, .code = OP_PRESIN, F32, .fast = true)                                   \
    X(preex2_fast, preex2, .code = OP_PREEX2, F32, .fast = true)
#define SHAPE_FAST_ZERO_LIST(X)                                                                    \
    X(zmad_fast, fmad, .code = OP_FMAD, F32, .fast = true)                                         \
    X(zmad_fast_sat, fmad, .code = OP_FMAD, F32, .sat = true, .fast = true)
#define SHAPE_FAST_TABLE_LIST(X)                                                                   \
    X(rcp_fast, rcp, .code = OP_RCP, F32, .fast = true)                                            \
    X(rsqrt_fast, rsqrt, .code = OP_RSQRT, F32, .fast = true)                                      \
    X(lg2_fast, lg2, .code = OP_LG2, F32, .fast = true)                                            \
    X(sin_fast, sin, .code = OP_SIN, F32, .fast = true)                                            \
    X(cos_fast, cos, .code = OP_COS, F32, .fast = true)                                            \
    X(ex2_fast, ex2, .code = OP_EX2, F32, .fast = true)                                            \
    X(ex2_fast_sat, ex2, .code = OP_EX2, F32, .sat = true, .fast = true)

/* Two operations of the lists above as one, the first preparing the second's argument: X(name,
 * first, second). */
#define PAIR_LIST(X)                                                                               \
    X(presin_sin, presin, sin)                                                                     \
    X(presin_cos, presin, cos) X(preex2_ex2, preex2, ex2) X(rsqrt_rcp, rsqrt, rcp)

/* Short forms of operations (AVX2). fmad: without tests, for code at whose end the host's flags are
 * read (MODE_BOLD); term: the addend is not zero. fmax, fmin: one operand is a known number
 * (lower.c). */
#define SHORT_LIST(X)                                                                              \
    X(fmad_bold)                                                                                   \
    X(fmad_bold_sat) X(fmad_bold_term) X(fmad_bold_term_sat) X(fmax_number) X(fmin_number)

/* Long stencils with one source and no holes: they exist once in a program and are called. Where
 * rows are in memory, only a program with many of them calls them. */
#define ROUTINE_LIST(X)                                                                            \
    X(rcp)                                                                                         \
    X(rsqrt)                                                                                       \
    X(lg2)                                                                                         \
    X(sin)                                                                                         \
    X(cos)                                                                                         \
    X(ex2) X(ex2_sat) X(presin) X(preex2) X(presin_sin) X(presin_cos) X(preex2_ex2) X(rsqrt_rcp)

/* Stencils that exist a second time, for CPUs with more of AVX-512 (SFU_BYTES). */
#define BYTES_LIST(X)                                                                              \
    X(rcp)                                                                                         \
    X(rsqrt)                                                                                       \
    X(lg2) X(sin) X(cos) X(ex2) X(ex2_sat) X(presin_sin) X(presin_cos) X(preex2_ex2) X(rsqrt_rcp)

/* Control instructions that divide a warp or reunite it: they exist once in a program, whether rows
 * are in memory or not. */
#define CONTROL_ROUTINE_LIST(X) X(join) X(split) X(break_out) X(return_) X(exit_)

/* Operations with $c; handlers test .cdst only against NO_FLAGS_DST. */
#define FLAGS .cdst = 0
#define SHAPE_SET_FLAGS_LIST(X)                                                                    \
    SETS(X, fset_c, fset, .code = OP_FSET, F32, FLAGS)                                             \
    SETS_UNORDERED(X, fset_c, fset, .code = OP_FSET, F32, FLAGS)                                   \
    SETS(X, iset_u32_c, iset, .code = OP_ISET, .type = TYPE_U32, FACTORS(U32, U32), FLAGS)         \
    SETS(X, iset_s32_c, iset, .code = OP_ISET, .type = TYPE_S32, FACTORS(S32, S32), FLAGS)
#define SHAPE_FLAGS_LIST(X)                                                                        \
    SHAPE_SET_FLAGS_LIST(X)                                                                        \
    X(fadd_c, fadd, .code = OP_FADD, F32, FLAGS)                                                   \
    X(fmul_c, fmul, .code = OP_FMUL, F32, FLAGS)                                                   \
    X(fmad_c, fmad, .code = OP_FMAD, F32, FLAGS)                                                   \
    X(fmin_c, fmin, .code = OP_FMIN, F32, FLAGS)                                                   \
    X(fmax_c, fmax, .code = OP_FMAX, F32, FLAGS)                                                   \
    ADDS(X, i32_c, I32, FLAGS)                                                                     \
    ADDS(X, i16_c, I16, FLAGS)                                                                     \
    LOGICS(X, b32_c, I32, FLAGS)                                                                   \
    LOGICS(X, b16_c, I16, FLAGS)                                                                   \
    X(shl_c, shl, .code = OP_SHL, I32, FLAGS)                                                      \
    X(shr_u32_c, shr, .code = OP_SHR, .type = TYPE_U32, FLAGS)                                     \
    X(shr_s32_c, shr, .code = OP_SHR, .type = TYPE_S32, FLAGS)                                     \
    X(cvt_s32_s32_c, cvt_int_int, .code = OP_CVT, CONVERT(S32, S32), FLAGS)                        \
    X(cvt_u32_u32_c, cvt_int_int, .code = OP_CVT, CONVERT(U32, U32), FLAGS)                        \
    X(cvt_s32_s32_abs_c, cvt_int_int, .code = OP_CVT, CONVERT_FLAGS(S32, S32, OPERAND_ABS), FLAGS) \
    X(cvt_f32_f32_c, cvt_float_float, .code = OP_CVT, CONVERT(F32, F32), FLAGS)                    \
    X(imad_u16_c, imad, .code = OP_IMAD, .type = TYPE_U16, FACTORS(U16, U16), FLAGS)               \
    X(imad_s16_c, imad, .code = OP_IMAD, .type = TYPE_S16, FACTORS(S16, S16), FLAGS)               \
    QUAD(X, quad_l0_c, quadop, QUAD_L0, SUBR, SUBR, SUBR, SUBR, FLAGS)                                     \
    QUAD(X, quad_l1_c, quadop, QUAD_L1, SUBR, SUBR, SUBR, SUBR, FLAGS)                                     \
    QUAD(X, quad_l2_c, quadop, QUAD_L2, SUBR, SUBR, SUBR, SUBR, FLAGS)                                     \
    QUAD(X, quad_l3_c, quadop, QUAD_L3, SUBR, SUBR, SUBR, SUBR, FLAGS)                                     \
    X(mov_to_flags, mov_to_flags, .code = OP_MOV_TO_FLAGS, I32, FLAGS)

/* Operations of Fermi and generic64 that differ from Tesla's. Comparisons give rows of all ones and
 * zeros. */
#define HALVES(a, b) .src = {{.type = TYPE_##a}, {.type = TYPE_##b}}
#define SELECTS(X, name, ...) SETS(X, name, slct, .code = OP_SLCT, I32, __VA_ARGS__)
#define THIRD(t) .src = {[2] = {.type = TYPE_##t}}
#define SHAPE_FERMI_LIST(X)                                                                        \
    X(gadd, fadd, .code = OP_FADD, F32)                                                            \
    X(gadd_sat, fadd, .code = OP_FADD, F32, .sat = true)                                           \
    X(gsub, fadd, .code = OP_FADD, F32, .add_kind = ADD_SUB)                                       \
    X(gsub_sat, fadd, .code = OP_FADD, F32, .add_kind = ADD_SUB, .sat = true)                      \
    X(gmul, fmul, .code = OP_FMUL, F32)                                                            \
    X(gmul_sat, fmul, .code = OP_FMUL, F32, .sat = true)                                           \
    X(gmin, fmnmx, .code = OP_FMNMX, F32, .psrc = {PRED_TRUE})                                     \
    X(gmax, fmnmx, .code = OP_FMNMX, F32, .psrc = {PRED_TRUE | PRED_NOT})                          \
    SETS(X, gset, fset, .code = OP_FSET, F32)                                                      \
    SETS_UNORDERED(X, gset, fset, .code = OP_FSET, F32)                                            \
    X(gset_u, fset, .code = OP_FSET, F32, .cond = 8)                                               \
    SELECTS(X, gslct_u32, THIRD(U32))                                                              \
    SELECTS(X, gslct_s32, THIRD(S32))                                                              \
    SETS(X, gslct_f32, fslct, .code = OP_SLCT, I32, THIRD(F32))                                    \
    X(gpresin, presin, .code = OP_PRESIN, F32)                                                     \
    X(gpreex2, presin, .code = OP_PREEX2, F32)                                                     \
    X(gimul, imul, .code = OP_IMUL, HALVES(U32, U32))                                              \
    X(gimul_u32h, imul, .code = OP_IMUL, HALVES(U32, U32), .high = true)                           \
    X(gimul_s32h, imul, .code = OP_IMUL, HALVES(S32, S32), .high = true)                           \
    X(gimad, imad, .code = OP_IMAD, HALVES(U32, U32))                                              \
    X(gimad_sub, imad, .code = OP_IMAD, HALVES(U32, U32), .add_kind = ADD_SUB)                     \
    X(gimad_subr, imad, .code = OP_IMAD, HALVES(U32, U32), .add_kind = ADD_SUBR)                   \
    X(gimad_u32h, imad, .code = OP_IMAD, HALVES(U32, U32), .high = true)                           \
    X(gimad_s32h, imad, .code = OP_IMAD, HALVES(S32, S32), .high = true)                           \
    X(giadd_x, iadd, .code = OP_IADD, I32, .carry_in = true)                                       \
    X(gisub_x, iadd, .code = OP_IADD, I32, .add_kind = ADD_SUB, .carry_in = true)                  \
    X(gbfe_u32, bfe, .code = OP_BFE, .type = TYPE_U32)                                             \
    X(gbfe_s32, bfe, .code = OP_BFE, .type = TYPE_S32)                                             \
    X(gbfi, bfi, .code = OP_BFI, I32)                                                              \
    X(gbfind_u32, bfind, .code = OP_BFIND, .type = TYPE_U32)                                       \
    X(gbfind_s32, bfind, .code = OP_BFIND, .type = TYPE_S32)                                       \
    X(gpopc, popc, .code = OP_POPC, I32)                                                           \
    X(gpopc2, popc, .code = OP_POPC, I32, .src = {[1] = {.file = FILE_R}})                         \
    X(gfma, ffma, .code = OP_FFMA, F32)                                                            \
    X(gfma_sat, ffma, .code = OP_FFMA, F32, .sat = true)

/* Conversions that the host can do from AVX2 on. */
#define SHAPE_FERMI_CVT_LIST(X)                                                                    \
    X(gcvt_f32_f32, cvt, .code = OP_CVT, CONVERT(F32, F32))                                        \
    X(gcvt_f32_f32_sat, cvt, .code = OP_CVT, CONVERT(F32, F32), .sat = true)                       \
    ROUNDS(X, gcvt_f32_int, cvt, .code = OP_CVT, CONVERT(F32, F32), .integral = true)              \
    ROUNDS(X, gcvt_s32_f32, cvt, .code = OP_CVT, CONVERT(S32, F32), .integral = true)              \
    ROUNDS(X, gcvt_u32_f32, cvt, .code = OP_CVT, CONVERT(U32, F32), .integral = true)              \
    X(gcvt_f32_s32, cvt, .code = OP_CVT, CONVERT(F32, S32))                                        \
    X(gcvt_f32_u32, cvt, .code = OP_CVT, CONVERT(F32, U32))                                        \
    X(gcvt_s32_s32_abs, cvt, .code = OP_CVT, CONVERT_FLAGS(S32, S32, OPERAND_ABS))                 \
    X(gcvt_u32_u32_neg, cvt, .code = OP_CVT, CONVERT_FLAGS(U32, U32, OPERAND_NEG))                 \
    X(gcvt_s32_s32_neg, cvt, .code = OP_CVT, CONVERT_FLAGS(S32, S32, OPERAND_NEG))                 \
    X(gcvt_s32_s32_neg_abs, cvt, .code = OP_CVT,                                                   \
      CONVERT_FLAGS(S32, S32, OPERAND_NEG | OPERAND_ABS))

/* Operations with FTZ, for programs in which MXCSR flushes; and derivatives without FTZ in such
 * programs. */
#define SHAPE_FTZ_LIST(X)                                                                          \
    X(gadd_ftz, fadd, .code = OP_FADD, F32, .ftz = true)                                           \
    X(gadd_ftz_sat, fadd, .code = OP_FADD, F32, .ftz = true, .sat = true)                          \
    X(gsub_ftz, fadd, .code = OP_FADD, F32, .ftz = true, .add_kind = ADD_SUB)                      \
    X(gsub_ftz_sat, fadd, .code = OP_FADD, F32, .ftz = true, .add_kind = ADD_SUB, .sat = true)     \
    X(gmul_ftz, fmul, .code = OP_FMUL, F32, .ftz = true)                                           \
    X(gmul_ftz_sat, fmul, .code = OP_FMUL, F32, .ftz = true, .sat = true)                          \
    X(gmul_fmz, fmul, .code = OP_FMUL, F32, .fmz = true)                                           \
    X(gmin_ftz, fmnmx_flushed, .code = OP_FMNMX, F32, .ftz = true, .psrc = {PRED_TRUE})            \
    X(gmax_ftz, fmnmx_flushed, .code = OP_FMNMX, F32, .ftz = true,                                 \
      .psrc = {PRED_TRUE | PRED_NOT})                                                              \
    SETS(X, gset_ftz, fset, .code = OP_FSET, F32, .ftz = true)                                     \
    SETS_UNORDERED(X, gset_ftz, fset, .code = OP_FSET, F32, .ftz = true)                           \
    SETS(X, gslct_f32_ftz, fslct, .code = OP_SLCT, I32, .ftz = true, THIRD(F32))                   \
    QUAD(X, gdfdx, quadop_kept, QUAD_DX, SUB, SUBR, SUB, SUBR)                                     \
    QUAD(X, gdfdy, quadop_kept, QUAD_DY, SUB, SUB, SUBR, SUBR)                                     \
    X(gfma_ftz, ffma, .code = OP_FFMA, F32, .ftz = true)                                           \
    X(gfma_ftz_sat, ffma, .code = OP_FFMA, F32, .ftz = true, .sat = true)
#define SHAPE_FTZ_CVT_LIST(X)                                                                      \
    X(gcvt_f32_f32_ftz, cvt, .code = OP_CVT, CONVERT(F32, F32), .ftz = true)                       \
    X(gcvt_f32_f32_ftz_sat, cvt, .code = OP_CVT, CONVERT(F32, F32), .ftz = true, .sat = true)      \
    ROUNDS(X, gcvt_f32_int_ftz, cvt, .code = OP_CVT, CONVERT(F32, F32), .integral = true,          \
           .ftz = true)                                                                            \
    ROUNDS_AWAY(X, gcvt_s32_f32_ftz, cvt, .code = OP_CVT, CONVERT(S32, F32), .integral = true,     \
                .ftz = true)                                                                       \
    ROUNDS_AWAY(X, gcvt_u32_f32_ftz, cvt, .code = OP_CVT, CONVERT(U32, F32), .integral = true,     \
                .ftz = true)

#define SHAPE_FERMI_FLAGS_LIST(X)                                                                  \
    X(giadd_x_c, iadd, .code = OP_IADD, I32, .carry_in = true, FLAGS)                              \
    X(gisub_x_c, iadd, .code = OP_IADD, I32, .add_kind = ADD_SUB, .carry_in = true, FLAGS)

/* The predicate codes that are defined, except those of never and always. */
#define PREDICATE_LIST(X)                                                                          \
    X(01)                                                                                          \
    X(02)                                                                                          \
    X(03)                                                                                          \
    X(04)                                                                                          \
    X(05)                                                                                          \
    X(06)                                                                                          \
    X(07) X(08) X(09) X(0a) X(0b) X(0c) X(0d) X(0e) X(10) X(11) X(12) X(13) X(1c) X(1d) X(1e) X(1f)

/* Steps between operations; stencils.c and stencils_fermi.c describe them. */
#define STEP_LIST(X)                                                                               \
    X(copy)                                                                                        \
    X(canon)                                                                                       \
    X(const_word)                                                                                  \
    X(const_at)                                                                                    \
    X(prim_at)                                                                                     \
    X(vertex_at)                                                                                   \
    X(shared_at)                                                                                   \
    X(shared_word)                                                                                 \
    X(shared_load)                                                                                 \
    X(shared_load_2)                                                                               \
    X(shared_load_3)                                                                               \
    X(shared_load_4)                                                                               \
    X(const_load)                                                                                  \
    X(const_load_2)                                                                                \
    X(const_load_3)                                                                                \
    X(const_load_4)                                                                                \
    X(shared_store)                                                                                \
    X(shared_store_2)                                                                              \
    X(shared_store_4)                                                                              \
    X(global_store)                                                                                \
    X(global_store_2)                                                                              \
    X(global_store_4)                                                                              \
    X(global_load)                                                                                 \
    X(global_load_2)                                                                               \
    X(global_load_3)                                                                               \
    X(global_load_4)                                                                               \
    X(imm)                                                                                         \
    X(attr)                                                                                        \
    X(neg) X(abs) X(neg_abs) X(half_low) X(half_high) X(put_low) X(put_high) X(twice) X(product)   \
        X(product_upper) X(product_cross) X(product_carried) X(product_uncarried)                                       \
        X(out) X(out_m) X(pred_never) X(reset) X(count) X(uncount) X(check_count) X(stop) X(call)  \
            X(call_if) X(set_pc) X(running) CONTROL_ROUTINE_LIST(X) X(ready) X(fork) X(fork_none)  \
                X(fork_rest) X(fork_end) X(way) X(go) X(bra) X(leave) X(push) X(discard) X(finish) X(guard)  \
                    X(guard_not) X(selp) X(pset) X(pset_m) X(pset_and) X(pset_or) X(pset_xor)      \
                        X(pset_and_m) X(pset_or_m) X(pset_xor_m) X(mask_row) X(lock_loop) X(carry)
/* Steps for rows in registers only. */
#define STEP_REGISTER_LIST(X) X(load) X(store) X(store_canon) X(merge) X(active_row) X(some_row)
/* Steps for strips only. TRUTH_STEPS: of the comparison whose bits are in register n of
 * STRIP_TRUTHS. */
#define TRUTH_STEPS(X, n)                                                                          \
    X(truth_put_##n) X(truth_change_##n) X(truth_get_##n) X(flags_end_##n) X(flags_end_m_##n)      \
        X(pred_end_##n) X(pred_end_m_##n)
#define STEP_STRIP_LIST(X)                                                                         \
    X(strip_first) X(strip_next) X(save) X(bring_back) X(nan_pair) X(nan_more) X(nan_none) \
        X(nan_settle) X(merge_not) X(invert) X(truth) TRUTH_STEPS(X, 0) TRUTH_STEPS(X, 1) TRUTH_STEPS(X, 2) TRUTH_STEPS(X, 3)
/* Steps for rows in memory only: their results are written in some lanes. */
#define STEP_MEMORY_LIST(X) X(copy_m) X(copy_some) X(put_low_m) X(put_high_m) X(product_m) X(selp_m)

enum stencil_id {
    ST_NONE,
#define X(name, ...) ST_##name, ST_##name##_m,
    SHAPE_LIST(X) SHAPE_ZERO_LIST(X) SHAPE_TABLE_LIST(X) SHAPE_FAST_LIST(X) SHAPE_FAST_ZERO_LIST(X)
        SHAPE_FAST_TABLE_LIST(X) SHAPE_FLAGS_LIST(X) SHAPE_FERMI_LIST(X) SHAPE_FERMI_CVT_LIST(X) SHAPE_FTZ_LIST(X) SHAPE_FTZ_CVT_LIST(X)
            SHAPE_FERMI_FLAGS_LIST(X) PAIR_LIST(X)
#undef X
#define X(name, ...) ST_##name##_only, ST_##name##_only_m, /* writes $c and no row */
            SHAPE_SET_FLAGS_LIST(X)
#undef X
#define X(name) ST_##name##_bytes,
                BYTES_LIST(X)
#undef X
#define X(name) ST_##name, ST_##name##_m,
                SHORT_LIST(X)
#undef X
#define X(code) ST_pred_##code,
                    PREDICATE_LIST(X)
#undef X
#define X(name) ST_##name,
                        STEP_LIST(X) STEP_REGISTER_LIST(X) STEP_STRIP_LIST(X) STEP_MEMORY_LIST(X)
#undef X
                            STENCILS
};
