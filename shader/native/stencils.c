/* The stencils: functions that clang compiles at build time, once per SIMD level, and whose machine
 * code native/emit.c copies and fills in at run time. An operation's stencil is the interpreter's
 * own handler with a constant op; source() of exec_alu.c and put() of registers.h use the operands
 * that the stencil gives. With AVX-512 rows are passed in registers, otherwise in memory. The
 * object file is never linked: native/extract.c takes the code out of it. STENCIL_BYTES makes the
 * special functions once more, for CPUs that also have VBMI and VNNI. STENCIL_STRIPS, at AVX2,
 * makes stencils for strips of rows. Strips are passed in registers.
 */
#if defined(__AVX512F__) || defined(STENCIL_STRIPS)
#define STENCIL_RAW_NAN
#endif
#include "shader/exec_alu.c"
#include "shader/alu/sfu_rom.c"
#include "shader/native/machine_code.h"
#include "shader/native/stencil_code.h"
#include "shader/gather.h"
#include "shader/predicate.h"
#include "shader/stack.h"

/* ---- operations ---- */

/* a - b, for fadd of a and -b. */
LANES_INLINE __attribute__((unused)) void do_fsub(struct call c) {
    const u32x32 a = source_f32(&c, 0), b = source_f32(&c, 1);
    u32x32 r = f32_result(f32_host_sub(a, b, rounding(&c)));
    if (saturates(&c))
        r = saturate(&c, r, f32_is_nan(a) | f32_is_nan(b));
    put_f32(&c, r);
}

/* The environment that stencils are compiled for. shape_find() gives no stencil to a program whose
 * environment makes a difference to an operation. */
static const struct program usual_program = {.type = PROGRAM_FP, .variant = ISA_G200};
static const struct warp_env usual_env = {.program = &usual_program};

#define OPERATION(name, handler, lanes, result, ...)                                               \
    OPERATION_IN(usual_env, name, handler, lanes, result, __VA_ARGS__)
#define OPERATION_IN(env_, name, handler, lanes, result, ...)                                      \
    HANDLER_STENCIL(name, lanes, (__VA_ARGS__), {                                                  \
        io.flags = (struct flags *)((char *)w + (intptr_t)HOLE_FLAGS);                             \
        const struct call call = {w, &env_, &linked, m, SHAPE_ANY, &io};                           \
        do_##handler(call);                                                                        \
        if (__builtin_expect(io.slow, 0)) {                                                        \
            io.late = true;                                                                        \
            io.slow = false;                                                                       \
            do_##handler(call);                                                                    \
            if (__builtin_expect(io.slow, 0)) {                                                    \
                NO_RESULT;                                                                         \
                GO(SLOW);                                                                          \
            }                                                                                      \
            result(io.out, BACK);                                                                  \
        }                                                                                          \
        result(io.out, NEXT);                                                                      \
    })
/* Stencils of two operations each: PAIR_LIST of shapes.h. */
#define PAIRS(X)                                                                                   \
    X(presin_sin, kept_presin_sin(w, SOURCE(0, a)))                                                \
    X(presin_cos, kept_presin_cos(w, SOURCE(0, a)))                                                \
    X(preex2_ex2, kept_preex2_ex2(w, SOURCE(0, a)))                                                \
    X(rsqrt_rcp, kept_rsqrt_rcp(w, SOURCE(0, a)))

#if defined(STENCIL_BYTES)
#define X(name, handler, ...)                                                                      \
    OPERATION(name##_bytes, handler, LANES_ALL, RESULT_AND, .cdst = NO_FLAGS_DST, __VA_ARGS__)
SHAPE_TABLE_LIST(X)
#undef X
#define X(name, value)                                                                             \
    STENCIL(name##_bytes) {                                                                        \
        RESULT(value);                                                                             \
    }
PAIRS(X)
#undef X
#else

#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT_AND, .cdst = NO_FLAGS_DST, __VA_ARGS__)             \
    IN_MEMORY(OPERATION(name##_m, handler, m, RESULT_MASKED_AND, .cdst = NO_FLAGS_DST, __VA_ARGS__))
SHAPE_LIST(X)
SHAPE_FAST_LIST(X)
#if defined(__AVX2__)
SHAPE_FAST_TABLE_LIST(X)
#if !defined(STENCIL_STRIPS)
SHAPE_TABLE_LIST(X)
#endif
#endif
#undef X

static const struct warp_env zero_env = {.program = &usual_program, .mode = MODE_MUL_ZERO_WINS};
#define X(name, handler, ...)                                                                      \
    OPERATION_IN(zero_env, name, handler, LANES_ALL, RESULT_AND, .cdst = NO_FLAGS_DST,             \
                 __VA_ARGS__)                                                                      \
    IN_MEMORY(OPERATION_IN(zero_env, name##_m, handler, m, RESULT_MASKED_AND,                      \
                           .cdst = NO_FLAGS_DST, __VA_ARGS__))
SHAPE_ZERO_LIST(X)
SHAPE_FAST_ZERO_LIST(X)
#undef X
#if !defined(STENCIL_STRIPS)
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT_AND, __VA_ARGS__)                                   \
    OPERATION(name##_m, handler, m, RESULT_MASKED_AND, __VA_ARGS__)
SHAPE_FLAGS_LIST(X)
#undef X
#define NO_ROW_AND(value, way)                                                                     \
    do {                                                                                           \
        NO_RESULT;                                                                                 \
        GO(way);                                                                                   \
    } while (0)
#define X(name, handler, ...)                                                                      \
    OPERATION(name##_only, handler, LANES_ALL, NO_ROW_AND, __VA_ARGS__)                            \
    OPERATION(name##_only_m, handler, m, NO_ROW_AND, __VA_ARGS__)
SHAPE_SET_FLAGS_LIST(X)
#undef X
#endif

#define X(name, value)                                                                             \
    STENCIL(name) {                                                                                \
        RESULT(value);                                                                             \
    }                                                                                              \
    IN_MEMORY(STENCIL(name##_m) { RESULT_MASKED(value); })
#if defined(__AVX2__) && !defined(STENCIL_STRIPS)
PAIRS(X)
#endif
#if defined(__AVX2__) && !defined(__AVX512F__)
#define BOLD f32_mad_or_flags(SOURCE(0, a), SOURCE(1, b), SOURCE(2, c), false)
#define BOLD_TERM f32_mad_or_flags(SOURCE(0, a), SOURCE(1, b), SOURCE(2, c), true)
#define SHORT_STENCILS(X)                                                                          \
    X(fmad_bold, f32_result(BOLD))                                                                 \
    X(fmad_bold_sat, f32_saturate(BOLD, lanes_splat(0)))                                           \
    X(fmad_bold_term, f32_result(BOLD_TERM))                                                       \
    X(fmad_bold_term_sat, f32_saturate(BOLD_TERM, lanes_splat(0)))                                 \
    X(fmax_number, f32_min_max_by_number(SOURCE(0, a), SOURCE(1, b), true))                        \
    X(fmin_number, f32_min_max_by_number(SOURCE(0, a), SOURCE(1, b), false))
SHORT_STENCILS(X)
#endif
#undef X

/* ---- rows and words ---- */

#if defined(STENCIL_STRIPS)
static inline strip_row strip_select(strip_row lanes, strip_row a, strip_row b) {
    return (strip_row)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)lanes);
}

/* All ones in the lanes whose bits are set in the lowest eight of `bits`. */
static inline strip_row strip_of_bits(uint32_t bits) {
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), lanes), lanes);
}
#endif

STENCIL(copy) {
    RESULT(SOURCE(0, a));
}

STENCIL(canon) {
    RESULT(f32_canonical(SOURCE(0, a)));
}

STENCIL(imm) {
    RESULT_UNIFORM(*(const uint32_t *)(uintptr_t)CONSTANT);
}

/* Limits have been checked before native code is entered. */
STENCIL(const_word) {
    const struct const_view *view = (const void *)((const char *)env + (intptr_t)HOLE_VIEW);
    uint32_t word;
    memcpy(&word, view->data + (intptr_t)HOLE_AT, sizeof word);
    RESULT_UNIFORM(word);
}

#if defined(__AVX2__) && !defined(STENCIL_STRIPS)
/* Reads words of an array of `size` bytes at each lane's byte address, in lanes m. False if an
 * address is out of range: then the handler executes the instruction. Equal addresses are tested
 * for, because a gather costs as much as 20 operations. */
LANES_INLINE bool words_at(const void *data, uint32_t size, u32x32 at, lane_mask m, u32x32 *words) {
    const uint32_t first = at[0];
    const lane_mask other = ~lanes_to_mask((u32x32)(at == lanes_splat(first)));
    if (!(m & other) && first + 4 <= size) {
        uint32_t word;
        memcpy(&word, (const char *)data + first, sizeof word);
        *words = lanes_splat(word);
        return true;
    }
    const lane_mask ok = lanes_to_mask((u32x32)(at + 4 <= lanes_splat(size)));
    if (__builtin_expect(m & ~ok, 0))
        return false;
    *words = gather_words(data, at, ok);
    return true;
}

enum { LAST_HANDLE = 0xffffff };

/* c[$a + n]. */
STENCIL(const_at) {
    const struct const_view *view = (const void *)((const char *)env + (intptr_t)HOLE_VIEW);
    const u32x32 at = (SOURCE(0, a) + (uint32_t)(uintptr_t)HOLE_AT) & 0xfffc;
    u32x32 words;
    if (!words_at(view->data, view->size, at, m, &words)) {
        NO_RESULT;
        GO(SLOW);
    }
    RESULT(words);
}

/* s[$a + n]. */
STENCIL(shared_at) {
    const u32x32 at = (SOURCE(0, a) + (uint32_t)(uintptr_t)HOLE_AT) & 0xfffc;
    u32x32 words;
    if (!words_at(w->cta->s, w->cta->s_size, at, m, &words)) {
        NO_RESULT;
        GO(SLOW);
    }
    RESULT(words);
}

/* p[$a + n]. */
STENCIL(prim_at) {
    const u32x32 at = ((SOURCE(0, a) + (uint32_t)(uintptr_t)HOLE_AT) & 0xffff) * 4;
    u32x32 words;
    if (!words_at(w->prim, w->prim_count * 4, at, m, &words)) {
        NO_RESULT;
        GO(SLOW);
    }
    RESULT(words);
}

/* A word of the vertex whose handle is a, HOLE_AT words behind the handle. */
STENCIL(vertex_at) {
    const u32x32 handle = SOURCE(0, a), beyond = (u32x32)(handle > LAST_HANDLE);
    u32x32 words;
    if (!words_at(w->prim, w->prim_count * 4,
                  lanes_blend(beyond, lanes_splat(INT32_MAX - 3),
                              (handle + (uint32_t)(uintptr_t)HOLE_AT) * 4),
                  m, &words)) {
        NO_RESULT;
        GO(SLOW);
    }
    RESULT(words);
}
#endif

STENCIL(shared_word) {
    uint32_t word;
    memcpy(&word, w->cta->s + (intptr_t)HOLE_AT, sizeof word);
    RESULT_UNIFORM(word);
}

#if defined(STENCIL_STRIPS)
STENCIL(attr) {
    r0 = *STRIP_OF((const char *)w->attr + (intptr_t)HOLE_AT);
    GO(NEXT);
}
#else
STENCIL(attr) {
    RESULT(*(const u32x32 *)((const char *)w->attr + (intptr_t)HOLE_AT));
}
#endif

STENCIL(neg) {
    RESULT(f32_modify(SOURCE(0, a), OPERAND_NEG));
}

STENCIL(abs) {
    RESULT(f32_modify(SOURCE(0, a), OPERAND_ABS));
}

STENCIL(neg_abs) {
    RESULT(f32_modify(SOURCE(0, a), OPERAND_ABS | OPERAND_NEG));
}

STENCIL(half_low) {
    RESULT(SOURCE(0, a) & 0xffff);
}

STENCIL(half_high) {
    RESULT(SOURCE(0, a) >> 16);
}

/* b with its low half replaced by a's. */
STENCIL(put_low) {
    RESULT((SOURCE(1, b) & 0xffff0000u) | (SOURCE(0, a) & 0xffff));
}

STENCIL(put_high) {
    RESULT((SOURCE(1, b) & 0xffff) | SOURCE(0, a) << 16);
}

/* Copies the low 16 bits to both halves. */
STENCIL(twice) {
    RESULT((SOURCE(0, a) & 0xffff) | SOURCE(0, a) << 16);
}

/* The low 32 bits of a product. */
STENCIL(product) {
    RESULT(SOURCE(0, a) * SOURCE(1, b));
}

/* The upper 32 bits of a product. */
STENCIL(product_upper) {
    RESULT(int_mul_upper(SOURCE(0, a), SOURCE(1, b)));
}

/* The low 32 bits of a sum of two products: low half by high half, and high half by low half. */
STENCIL(product_cross) {
    RESULT(int_mul_cross(SOURCE(0, a), SOURCE(1, b), NULL));
}

/* The upper 32 bits of a product, less the carry of the sum of product_cross, which has the weight
 * 1 << 16 there. */
STENCIL(product_uncarried) {
    const u32x32 x = SOURCE(0, a), y = SOURCE(1, b);
    u32x32 carry;
    (void)int_mul_cross(x, y, &carry);
    RESULT(int_mul_upper(x, y) - (carry << 16));
}

/* The upper 17 of the 33 bits of the sum in product_cross. */
STENCIL(product_carried) {
    u32x32 carry;
    const u32x32 sum = int_mul_cross(SOURCE(0, a), SOURCE(1, b), &carry);
    RESULT((sum >> 16) + (carry << 16));
}

#if defined(STENCIL_STRIPS)
STENCIL(out) {
    *STRIP_OF((char *)w->out + (intptr_t)HOLE_AT) = a0;
    GO(NEXT);
}

/* Writes o[] in the lanes in which b is all ones. */
STENCIL(out_m) {
    strip_row *const to = STRIP_OF((char *)w->out + (intptr_t)HOLE_AT);
    *to = strip_select(b0, a0, *to);
    GO(NEXT);
}

STENCIL(load) {
    r0 = *AT_STRIP(const strip_row, HOLE_S0);
    GO(NEXT);
}

STENCIL(store) {
    *AT_STRIP(strip_row, HOLE_D) = a0;
    GO(NEXT);
}

STENCIL(store_canon) {
    const union row row = {.v = f32_canonical(SOURCE(0, a))};
    *AT_STRIP(strip_row, HOLE_D) = row.h[0];
    GO(NEXT);
}

/* merge: b in the lanes in which a is all ones, else c; the result is in the registers of c.
 * merge_not: b in the other lanes. */
STENCIL(merge) {
    c0 = strip_select(a0, b0, c0);
    GO(NEXT);
}

STENCIL(merge_not) {
    c0 = strip_select(a0, c0, b0);
    GO(NEXT);
}

STENCIL(invert) {
    RESULT(~SOURCE(0, a));
}

/* All ones in the lanes of this strip whose bits are set in the mask at HOLE_FLAGS: a predicate, or
 * the flag s of a comparison's $c. */
#define STRIP_LANES                                                                                \
    strip_of_bits(AT_WARP(const uint8_t, HOLE_FLAGS)[(uintptr_t)(strip - (char *)w) / STRIP_BYTES])

STENCIL(truth) {
    r0 = STRIP_LANES;
    GO(NEXT);
}

/* 1 in the lanes of STRIP_LANES. */
STENCIL(carry) {
    r0 = _mm256_srli_epi32(STRIP_LANES, 31);
    GO(NEXT);
}

/* A comparison that is made in strips collects its bits in a register t. put: shifts t down and
 * writes the bits of row a, which are those of a strip, to its top eight bits. change: replaces the
 * top eight bits. get: makes the row from the top eight bits again. After the last strip, pred_end
 * writes t to the predicate at HOLE_FLAGS; flags_end writes t to the flag s of a $c, which is at
 * HOLE_FLAGS, and the inverse of t to the flag z. _m: writes in the active lanes only. */
#define FLAGS_OF_SIGN ((struct flags *)(AT_WARP(char, HOLE_FLAGS) - offsetof(struct flags, s)))
#define TRUTH_STENCILS(n)                                                                          \
    STENCIL(truth_put_##n) {                                                                       \
        t##n = t##n >> 8 | (uint32_t)_mm256_movemask_ps((__m256)a0) << 24;                         \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(truth_change_##n) {                                                                    \
        t##n = (t##n & 0xffffff) | (uint32_t)_mm256_movemask_ps((__m256)a0) << 24;                 \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(truth_get_##n) {                                                                       \
        r0 = strip_of_bits(t##n >> 24);                                                            \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(pred_end_##n) {                                                                        \
        *AT_WARP(lane_mask, HOLE_FLAGS) = t##n;                                                    \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(pred_end_m_##n) {                                                                      \
        lane_mask *const p = AT_WARP(lane_mask, HOLE_FLAGS);                                       \
        *p = (*p & ~active) | (t##n & active);                                                     \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(flags_end_##n) {                                                                       \
        *FLAGS_OF_SIGN = (struct flags){.z = ~t##n, .s = t##n};                                    \
        GO(NEXT);                                                                                  \
    }                                                                                              \
    STENCIL(flags_end_m_##n) {                                                                     \
        struct flags *const f = FLAGS_OF_SIGN;                                                     \
        f->z = (f->z & ~active) | (~t##n & active);                                                \
        f->s = (f->s & ~active) | (t##n & active);                                                 \
        f->c &= ~active;                                                                           \
        f->o &= ~active;                                                                           \
        GO(NEXT);                                                                                  \
    }
TRUTH_STENCILS(0)
TRUTH_STENCILS(1)
TRUTH_STENCILS(2)
TRUTH_STENCILS(3)

/* a in the lanes in which c is all ones, else b. */
STENCIL(selp) {
    r0 = strip_select(c0, a0, b0);
    GO(NEXT);
}

/* nan_pair: all ones where a or b is a NaN. nan_more: c, and all ones where a or b is a NaN, in c's
 * register. */
STENCIL(nan_pair) {
    r0 = (strip_row)_mm256_cmp_ps((__m256)a0, (__m256)b0, _CMP_UNORD_Q);
    GO(NEXT);
}

STENCIL(nan_more) {
    c0 = _mm256_or_si256(c0, (strip_row)_mm256_cmp_ps((__m256)a0, (__m256)b0, _CMP_UNORD_Q));
    GO(NEXT);
}

STENCIL(nan_none) {
    if (!_mm256_movemask_ps((__m256)a0))
        GO(TARGET);
    GO(NEXT);
}

/* c with canonical NaNs, in c's register. */
STENCIL(nan_settle) {
    const union row row = {.v = f32_canonical(SOURCE(2, c))};
    c0 = row.h[0];
    GO(NEXT);
}

STENCIL(strip_first) {
    strip = (char *)w;
    GO(NEXT);
}

/* The end of a loop over the strips of a row. Behind the last strip, `strip` is a multiple of the
 * size of a row: the loop starts at the warp, whose address is such a multiple. */
STENCIL(strip_next) {
    strip += STRIP_BYTES;
    if ((uintptr_t)strip % sizeof(u32x32))
        GO(TARGET);
    GO(NEXT);
}

/* save and bring_back move one register. native/routines.c uses them for all registers, around a
 * handler. */
STENCIL(save) {
    *AT_WARP(strip_row, HOLE_D) = a0;
    GO(NEXT);
}

STENCIL(bring_back) {
    r0 = *AT_WARP(const strip_row, HOLE_S0);
    GO(NEXT);
}
#else
STENCIL(out) {
    *(u32x32 *)((char *)w->out + (intptr_t)HOLE_AT) = SOURCE(0, a);
    GO(NEXT);
}

STENCIL(out_m) {
    u32x32 *const to = (u32x32 *)((char *)w->out + (intptr_t)HOLE_AT);
    *to = lanes_select(m, SOURCE(0, a), *to);
    GO(NEXT);
}
#endif

#if !defined(STENCIL_STRIPS)
STENCIL(mask_row) {
    RESULT(lanes_from_mask(m));
}

/* 1 in the lanes whose bits are set in the mask at HOLE_FLAGS. */
STENCIL(carry) {
    RESULT(lanes_from_mask(*AT_WARP(const lane_mask, HOLE_FLAGS)) & 1);
}
#endif

#if defined(__AVX512F__)
STENCIL(load) {
    RESULT(*AT_WARP(const u32x32, HOLE_S0));
}

STENCIL(store) {
    *AT_WARP(u32x32, HOLE_D) = SOURCE(0, a);
    GO(NEXT);
}

STENCIL(store_canon) {
    *AT_WARP(u32x32, HOLE_D) = f32_canonical(SOURCE(0, a));
    GO(NEXT);
}

/* b in the lanes in which a is all ones, else c; the result is in the registers of c. */
STENCIL(merge) {
    enum { SELECT = 0xb8 }; /* truth table over the bits of c, a and b */
    c0 = _mm512_ternarylogic_epi32(c0, a0, b0, SELECT);
    c1 = _mm512_ternarylogic_epi32(c1, a1, b1, SELECT);
    NO_RESULT;
    GO(NEXT);
}

STENCIL(active_row) {
    RESULT(lanes_from_mask(active));
}

/* All ones in the lanes of m that are in HOLE_WORD. */
STENCIL(some_row) {
    RESULT(lanes_from_mask(m & (lane_mask)(uintptr_t)HOLE_WORD));
}
#elif !defined(STENCIL_STRIPS)
STENCIL(copy_m) {
    RESULT_MASKED(SOURCE(0, a));
}

STENCIL(copy_some) {
    u32x32 *const to = AT_WARP(u32x32, HOLE_D);
    *to = lanes_select(m & (lane_mask)(uintptr_t)HOLE_WORD, SOURCE(0, a), *to);
    GO(NEXT);
}

STENCIL(put_low_m) {
    RESULT_MASKED((SOURCE(1, b) & 0xffff0000u) | (SOURCE(0, a) & 0xffff));
}

STENCIL(product_m) {
    RESULT_MASKED(SOURCE(0, a) * SOURCE(1, b));
}

STENCIL(put_high_m) {
    RESULT_MASKED((SOURCE(1, b) & 0xffff) | SOURCE(0, a) << 16);
}
#endif

/* ---- lanes ---- */

#if !defined(STENCIL_STRIPS)
#define X(code)                                                                                    \
    STENCIL(pred_##code) {                                                                         \
        const struct flags *f = (const void *)((const char *)w + (intptr_t)HOLE_FLAGS);            \
        m = active & predicate_lanes(f, 0x##code);                                                 \
        GO(NEXT);                                                                                  \
    }
PREDICATE_LIST(X)
#undef X

STENCIL(pred_never) {
    m = 0;
    GO(NEXT);
}

STENCIL(reset) {
    m = active;
    GO(NEXT);
}

/* ---- counting: HOLE_AT instructions; exit SLOW where the budget does not allow them */

STENCIL(count) {
    w->native.left -= (intptr_t)HOLE_AT;
    if (__builtin_expect(w->native.left < 0, 0))
        GO(SLOW);
    GO(NEXT);
}

/* Gives back instructions that were counted and will not be executed. */
STENCIL(uncount) {
    w->native.left += (intptr_t)HOLE_AT;
    GO(NEXT);
}

STENCIL(check_count) {
    if (__builtin_expect(w->native.left < (intptr_t)HOLE_AT, 0))
        GO(SLOW);
    GO(NEXT);
}

/* ---- forks: HOLE_D is where the active lanes from before the fork are kept */

/* Continues if the budget allows HOLE_AT instructions and the stack HOLE_WORD entries; else exit
 * SLOW. */
STENCIL(ready) {
    const uint32_t limit =
        env->stack_limit - 1 < WARP_STACK_MAX ? env->stack_limit : WARP_STACK_MAX;
    if (__builtin_expect(w->native.left < (intptr_t)HOLE_AT, 0) ||
        __builtin_expect(w->stack_top + (uint32_t)(uintptr_t)HOLE_WORD > limit, 0))
        GO(SLOW);
    GO(NEXT);
}

/* Tesla counts a join for the lanes that reach it first, though they do not execute it. HOLE_AT: 1
 * for Tesla, else 0. */
#define COUNT_JOIN(n)                                                                              \
    do {                                                                                           \
        const int64_t joins = (n) ? (intptr_t)HOLE_AT : 0;                                         \
        w->native.left -= joins;                                                                   \
        w->native.counted_at -= joins;                                                             \
    } while (0)

/* The lanes of m take the branch: they become the active lanes. TARGET: no lane takes it. */
STENCIL(fork) {
    *AT_WARP(lane_mask, HOLE_D) = active;
    if (!m) {
        m = active;
        GO(TARGET);
    }
    active = w->active = m;
    GO(NEXT);
}

/* As fork, but the taken way is empty: the lanes outside of m become the active lanes. TARGET: m
 * has all active lanes. */
STENCIL(fork_none) {
    const lane_mask rest = active & ~m;
    *AT_WARP(lane_mask, HOLE_D) = active;
    if (!rest)
        GO(TARGET);
    COUNT_JOIN(m != 0);
    m = active = w->active = rest;
    GO(NEXT);
}

STENCIL(fork_rest) {
    const lane_mask rest = *AT_WARP(lane_mask, HOLE_D) & ~active;
    if (!rest)
        GO(TARGET);
    COUNT_JOIN(1);
    m = active = w->active = rest;
    GO(NEXT);
}

STENCIL(fork_end) {
    m = active = w->active = *AT_WARP(lane_mask, HOLE_D);
    GO(NEXT);
}

STENCIL(way) {
    const int64_t count = (intptr_t)HOLE_AT;
    w->native.left -= count;
    w->native.counted_at -= count;
    w->stats.instructions += (uint64_t)count;
    w->stats.lane_instructions += (uint64_t)count * (uint64_t)__builtin_popcount(active);
    GO(NEXT);
}

#endif

/* ---- calls ---- */

/* Clears the upper halves of vector registers, because C code runs at a fraction of its speed while
 * they are in use. LEAVE_VECTORS stands before NO_ROWS. Behind NO_ROWS the compiler would save rows
 * before the instruction and restore them after it, and the upper halves would be in use again. */
#if defined(__AVX512F__) || defined(__AVX2__)
#define LEAVE_VECTORS _mm256_zeroupper()
#else
#define LEAVE_VECTORS (void)0
#endif

#if !defined(STENCIL_STRIPS)
STENCIL(stop) {
    w->pc = (uint32_t)(uintptr_t)HOLE_PC;
    m = WARP_RUNNING;
    LEAVE_VECTORS;
    NO_ROWS;
    GO(LEAVE);
}

#endif

STENCIL(call) {
    HOLE_64(exec_fn *, HOLE_FN)(w, env, HOLE_64(const struct linked_op *, HOLE_LINKED), m);
    NO_ROWS;
    GO(NEXT);
}

#if !defined(STENCIL_STRIPS)
STENCIL(call_if) {
    if (m)
        HOLE_64(exec_fn *, HOLE_FN)(w, env, HOLE_64(const struct linked_op *, HOLE_LINKED), m);
    NO_ROWS;
    GO(NEXT);
}

/* A function of native/control.c. Returns the code that the control instruction leads to. */
typedef stencil_fn *control_fn(struct warp *w, const struct warp_env *env,
                               const struct linked_op *l, lane_mask m, const void *code);

STENCIL(go) {
    LEAVE_VECTORS;
    w->pc = (uint32_t)(uintptr_t)HOLE_PC;
    flow_bring_up_to_date(w, active);
    stencil_fn *to =
        HOLE_64(control_fn *, HOLE_FN)(w, env, HOLE_64(const struct linked_op *, HOLE_LINKED), m,
                                       HOLE_64(const void *, HOLE_CODE));
    m = active = w->active;
    NO_ROWS;
    GO(to);
}

/* ---- control in line: the common cases; exit SLOW does the whole instruction, by a call */

STENCIL(bra) {
    if (m == active)
        GO(TARGET);
    if (__builtin_expect(m != 0, 0))
        GO(SLOW);
    m = active; /* a block begins with all active lanes */
    GO(NEXT);
}

/* break, cont and ret in the case that no lane leaves. */
STENCIL(leave) {
    if (__builtin_expect(m != 0, 0))
        GO(SLOW);
    m = active;
    GO(NEXT);
}

/* ---- control that divides a warp: w->pc is the address of the instruction */

STENCIL(set_pc) {
    w->pc = (uint32_t)(uintptr_t)HOLE_PC;
    GO(NEXT);
}

/* A branch of 8 bytes that some of the active lanes take. Native code calls this stencil as a
 * routine. The interpreter executes the branch if the stack has to grow. */
STENCIL(split) {
    const uint32_t limit = env->stack_limit;
    if (__builtin_expect(w->stack_top >= w->stack_capacity || (limit && w->stack_top >= limit), 0))
        GO(LEAVE);
    flow_bring_up_to_date(w, active);
    w->stack[w->stack_top++] = (struct stack_entry){STACK_BRANCH, w->pc + 8, active & ~m};
    active = w->active = m;
    GO(NEXT);
}

STENCIL(running) {
    m = WARP_RUNNING;
    LEAVE_VECTORS;
    NO_ROWS;
    GO(LEAVE);
}

/* Goes to the code at an address; joined: behind its join. If there is no code, leaves native
 * code. */
#define ARRIVE(at, joined)                                                                         \
    do {                                                                                           \
        stencil_fn *to = (stencil_fn *)native_arrive(                                              \
            HOLE_64(const struct native_code *, HOLE_CODE), w, (at), (joined));                    \
        m = active = w->active;                                                                    \
        NO_ROWS;                                                                                   \
        GO(to);                                                                                    \
    } while (0)
#define ARRIVE_OR_LEAVE(go, next, joined)                                                          \
    do {                                                                                           \
        if ((go) == GO_NEXT)                                                                       \
            ARRIVE(next, joined);                                                                  \
        if ((go) == GO_PC)                                                                         \
            ARRIVE(w->pc, false);                                                                  \
        m = (go) == GO_DONE ? WARP_DONE : WARP_ERROR;                                              \
        LEAVE_VECTORS;                                                                             \
        NO_ROWS;                                                                                   \
        GO(LEAVE);                                                                                 \
    } while (0)

/* The join flag acts before its instruction. So the lanes that the join makes active may go on at
 * another address. */
STENCIL(join) {
    const uint32_t here = w->pc;
    flow_bring_up_to_date(w, active);
    const enum go go = flow_join(w);
    w->native.left--;
    if (go != GO_NEXT)
        w->native.counted_at = w->native.left;
    ARRIVE_OR_LEAVE(go, here, true);
}

STENCIL(break_out) {
    const uint32_t next = w->pc + 8;
    flow_bring_up_to_date(w, active);
    const enum go go = flow_break_out(w, next, m);
    ARRIVE_OR_LEAVE(go, next, false);
}

STENCIL(return_) {
    const uint32_t next = w->pc + 8;
    flow_bring_up_to_date(w, active);
    const enum go go = flow_return(w, next, m);
    ARRIVE_OR_LEAVE(go, next, false);
}

/* The exit flag of the instruction before w->pc. */
STENCIL(exit_) {
    flow_bring_up_to_date(w, active);
    const enum go go = flow_exit(w, env);
    ARRIVE_OR_LEAVE(go, w->pc, false);
}

/* joinat, prebreak, precont and call: pushes the active lanes. HOLE_AT: the type of the stack
 * entry. HOLE_PC: where the entry resumes. */
STENCIL(push) {
    const uint32_t limit = env->stack_limit;
    if (__builtin_expect(w->stack_top >= w->stack_capacity || (limit && w->stack_top >= limit), 0))
        GO(SLOW);
    w->stack[w->stack_top++] =
        (struct stack_entry){(uint8_t)(uintptr_t)HOLE_AT, (uint32_t)(uintptr_t)HOLE_PC, active};
    GO(NEXT);
}

/* The unconditional exit of Fermi and generic64 in the case that no lane waits on the stack. */
STENCIL(finish) {
    if (w->stack_top)
        GO(SLOW);
    w->pc = (uint32_t)(uintptr_t)HOLE_PC;
    flow_bring_up_to_date(w, active);
    flow_finish(w);
    m = WARP_DONE;
    LEAVE_VECTORS;
    NO_ROWS;
    GO(LEAVE);
}

STENCIL(discard) {
    w->dead |= m;
    if (flow_only_helpers(w, env))
        GO(SLOW);
    m = active;
    GO(NEXT);
}
#endif
#endif
