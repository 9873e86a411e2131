/* The vector layer: vectors of 32-bit lanes in three widths, and their operations. The prefix or
 * suffix of a name tells the width, the rest is the same at each width (base/lanes.inc):
 *   lanes_*  the 32 lanes of a warp         u32x32  i32x32  f32x32
 *   *16      sixteen lanes, for primitives  u32x16  i32x16  f32x16
 *   vec_*    the lanes of one register      u32xv   i32xv   f32xv   VEC_LANES: 4, 8 or 16
 * A lane_mask holds one bit for each lane (bit i = lane i). All operations are inlined and give the
 * same bits at every SIMD level. Vectors never cross a function call by value, only by pointer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#ifdef __clang__
#define __SCE__ 1 /* clang leaves out the headers of extensions that the level lacks */
#include <immintrin.h>
#undef __SCE__
#else
#include <immintrin.h>
#endif
#elif defined(__SSE2__)
#include <emmintrin.h> /* compilers take a tenth of a second to read <immintrin.h> */
#endif

#define LANES 32
#define LANES16 16
#define LANES_ALL 0xffffffffu
#define LANES_INLINE static inline __attribute__((always_inline))

typedef uint32_t lane_mask;
#if defined(__aarch64__)
#include "base/lanes_arm64.h"
#endif
/* Alignment is spelled out: gcc's default depends on -march, and layouts must not. */
#define VECTOR_OF(type, lanes)                                                                     \
    type __attribute__((vector_size(sizeof(type) * (lanes)), aligned(sizeof(type) * (lanes))))

typedef VECTOR_OF(uint8_t, 8) u8x8;
typedef VECTOR_OF(uint8_t, 16) u8x16;
typedef VECTOR_OF(uint8_t, 32) u8x32;
typedef VECTOR_OF(uint16_t, 4) u16x4;
typedef VECTOR_OF(uint16_t, 8) u16x8;
typedef VECTOR_OF(uint16_t, 32) u16x32;
typedef VECTOR_OF(int16_t, 32) i16x32;
typedef VECTOR_OF(uint32_t, 4) u32x4;
typedef VECTOR_OF(uint32_t, 8) u32x8;
typedef VECTOR_OF(uint32_t, 16) u32x16;
typedef VECTOR_OF(uint32_t, 32) u32x32;
typedef VECTOR_OF(int32_t, 4) i32x4;
typedef VECTOR_OF(int32_t, 8) i32x8;
typedef VECTOR_OF(int32_t, 16) i32x16;
typedef VECTOR_OF(int32_t, 32) i32x32;
typedef VECTOR_OF(float, 4) f32x4;
typedef VECTOR_OF(float, 8) f32x8;
typedef VECTOR_OF(float, 16) f32x16;
typedef VECTOR_OF(float, 32) f32x32;
typedef VECTOR_OF(uint64_t, 4) u64x4;
typedef VECTOR_OF(uint64_t, 8) u64x8;
typedef VECTOR_OF(uint64_t, 32) u64x32;
typedef VECTOR_OF(int64_t, 16) i64x16;
typedef VECTOR_OF(int64_t, 32) i64x32;
typedef VECTOR_OF(double, 4) f64x4;
typedef VECTOR_OF(double, 8) f64x8;
typedef VECTOR_OF(double, 16) f64x16;
typedef VECTOR_OF(double, 32) f64x32;

/* One register of the SIMD level. VEC_INTRINSIC(name): the intrinsic of that width. */
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define VEC_LANES 16
#define VEC_INTRINSIC(name) _mm512_##name
typedef __m512i vec_bits;
typedef __m512 vec_singles;
#elif defined(__AVX2__)
#define VEC_LANES 8
#define VEC_INTRINSIC(name) _mm256_##name
typedef __m256i vec_bits;
typedef __m256 vec_singles;
#else
#define VEC_LANES 4
#if defined(__SSE2__)
#define VEC_INTRINSIC(name) _mm_##name
typedef __m128i vec_bits;
typedef __m128 vec_singles;
#endif
#endif
enum { VECS = LANES / VEC_LANES }; /* registers of a row */

typedef uint16_t u16xv __attribute__((vector_size(4 * VEC_LANES)));
typedef uint32_t u32xv __attribute__((vector_size(4 * VEC_LANES)));
typedef int32_t i32xv __attribute__((vector_size(4 * VEC_LANES)));
typedef float f32xv __attribute__((vector_size(4 * VEC_LANES)));
typedef uint64_t u64xv __attribute__((vector_size(8 * VEC_LANES)));
typedef double f64xv __attribute__((vector_size(8 * VEC_LANES)));

#if VEC_LANES == 16
union lanes_halves {
    u32x32 v;
    __m512i h[2];
};
#elif VEC_LANES == 8
union lanes_quarters {
    u32x32 v;
    __m256i q[4];
};
#endif

/* ---- one register, where a level has an instruction for the operation ---- */

/* Bit i = top bit of lane i. */
LANES_INLINE uint32_t vec_to_mask(u32xv v) {
#if VEC_LANES == 16
    return _mm512_movepi32_mask((__m512i)v);
#elif defined(__SSE2__)
    return (uint32_t)VEC_INTRINSIC(movemask_ps)((vec_singles)v);
#else
    uint32_t m = 0;
    for (int i = 0; i < VEC_LANES; i++)
        m |= (v[i] >> 31) << i;
    return m;
#endif
}

/* a > b ? a : b and a < b ? a : b, lane by lane: if a or b is a NaN, the result is b. */
LANES_INLINE f32xv vec_max_f(f32xv a, f32xv b) {
#if defined(__SSE2__)
    return (f32xv)VEC_INTRINSIC(max_ps)((vec_singles)a, (vec_singles)b);
#else
    const i32xv more = VEC_HIDDEN(a > b);
    return (f32xv)(((i32xv)a & more) | ((i32xv)b & ~more));
#endif
}

LANES_INLINE f32xv vec_min_f(f32xv a, f32xv b) {
#if defined(__SSE2__)
    return (f32xv)VEC_INTRINSIC(min_ps)((vec_singles)a, (vec_singles)b);
#else
    const i32xv less = VEC_HIDDEN(a < b);
    return (f32xv)(((i32xv)a & less) | ((i32xv)b & ~less));
#endif
}

#if VEC_LANES >= 8
/* Loads four words one by one. */
LANES_INLINE __m128i vec_load_four(const uint8_t *base, __m128i offset) {
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(offset);
    const uint64_t high = (uint64_t)_mm_extract_epi64(offset, 1);
    const __m128i a = _mm_loadu_si32(base + (uint32_t)low), b = _mm_loadu_si32(base + (low >> 32));
    const __m128i c = _mm_loadu_si32(base + (uint32_t)high),
                  d = _mm_loadu_si32(base + (high >> 32));
    return _mm_unpacklo_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
}
#endif

/* The words at base + offset; offsets are in bytes, below 2^31. Eight lanes are loaded one by one:
 * most processors of the avx2 level execute a gather in more steps (AMD's, and Intel's before Alder
 * Lake since the microcode of 2023). */
LANES_INLINE u32xv vec_gather_bytes(const uint8_t *base, u32xv offset) {
#if VEC_LANES == 16
    return (u32xv)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#elif VEC_LANES == 8
    return (u32xv)_mm256_set_m128i(
        vec_load_four(base, _mm256_extracti128_si256((__m256i)offset, 1)),
        vec_load_four(base, _mm256_castsi256_si128((__m256i)offset)));
#else
    u32xv r;
    for (int i = 0; i < VEC_LANES; i++) {
        uint32_t w;
        memcpy(&w, base + offset[i], 4);
        r[i] = w;
    }
    return r;
#endif
}

/* table[index], lane by lane; indices below 2^29. */
LANES_INLINE u32xv vec_gather(const uint32_t *table, u32xv index) {
#if VEC_LANES == 16
    return (u32xv)_mm512_i32gather_epi32((__m512i)index, table, 4);
#else
    return vec_gather_bytes((const uint8_t *)table, index << 2);
#endif
}

/* ---- operations of each width ---- */

/* Each lane's number. */
LANES_INLINE u32xv vec_iota(void) {
#if VEC_LANES == 16
    return (u32xv){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif VEC_LANES == 8
    return (u32xv){0, 1, 2, 3, 4, 5, 6, 7};
#else
    return (u32xv){0, 1, 2, 3};
#endif
}

LANES_INLINE u32x16 iota16(void) {
    return (u32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

LANES_INLINE u32x32 lanes_iota(void) {
    return (u32x32){0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
}

#define V(name) vec_##name
#define V_TYPE(element) element##xv
#define V_LANES VEC_LANES
#include "base/lanes.inc"

#define V(name) name##16
#define V_TYPE(element) element##x16
#define V_LANES LANES16
#define V_WIDE
#include "base/lanes.inc"

#define V(name) lanes_##name
#define V_TYPE(element) element##x32
#define V_LANES LANES
#define V_WIDE
#include "base/lanes.inc"

/* ---- a warp's rows ---- */

/* a in the lanes of m, b elsewhere. */
LANES_INLINE u32x32 lanes_select(lane_mask m, u32x32 a, u32x32 b) {
#if VEC_LANES == 16
    union lanes_halves x = {.v = a}, y = {.v = b}, r;
    r.h[0] = _mm512_mask_blend_epi32((__mmask16)m, y.h[0], x.h[0]);
    r.h[1] = _mm512_mask_blend_epi32((__mmask16)(m >> 16), y.h[1], x.h[1]);
    return r.v;
#else
    return lanes_blend(lanes_from_mask(m), a, b);
#endif
}

/* *dst = a in the lanes of m; the other lanes stay. */
LANES_INLINE void lanes_store(u32x32 *dst, u32x32 a, lane_mask m) {
    if (m == LANES_ALL)
        *dst = a;
    else
        *dst = lanes_select(m, a, *dst);
}

/* Register number `n` (0 to VECS - 1) of a row. */
LANES_INLINE f32xv vec_load(const u32x32 *row, int n) {
    f32xv r;
    memcpy(&r, (const char *)row + n * (int)sizeof r, sizeof r);
    return r;
}

LANES_INLINE void vec_store(u32x32 *row, int n, f32xv value) {
    memcpy((char *)row + n * (int)sizeof value, &value, sizeof value);
}

/* Stores to register number n of a row, in the lanes of the mask; the other lanes keep their
 * values. */
LANES_INLINE void vec_store_lanes(u32x32 *row, int n, u32xv value, uint32_t mask) {
    char *to = (char *)row + n * (int)sizeof value;
#if VEC_LANES == 16
    /* No masked store: a load of the row that follows would wait until the store has reached the
     * cache. */
    _mm512_storeu_si512(
        to, _mm512_mask_mov_epi32(_mm512_loadu_si512(to), (__mmask16)mask, (__m512i)value));
#else
    value = vec_blend(vec_from_mask(mask), value, (u32xv)vec_load(row, n));
    memcpy(to, &value, sizeof value);
#endif
}

/* The bits of a warp's mask for register number `n`. */
LANES_INLINE uint32_t vec_mask(lane_mask lanes, int n) {
    return (uint32_t)((uint64_t)lanes >> n * VEC_LANES) & ((1u << VEC_LANES) - 1);
}

/* ---- sixteen lanes ---- */

LANES_INLINE f64x16 widen16(i32x16 v) {
    return __builtin_convertvector(v, f64x16);
}

LANES_INLINE i32x16 narrow16(i64x16 v) {
    return __builtin_convertvector(v, i32x16);
}

/* table[index], lane by lane; indices below 16. */
LANES_INLINE u32x16 permute16(u32x16 table, u32x16 index) {
#if VEC_LANES == 16
    return (u32x16)_mm512_permutexvar_epi32((__m512i)index, (__m512i)table);
#else
    union {
        u32x16 v;
        u32xv vec[LANES16 / VEC_LANES];
        uint32_t lane[LANES16];
    } i = {.v = index}, from = {.v = table}, r;
#if VEC_LANES == 8
    for (int k = 0; k < 2; k++) {
        const __m256i low = _mm256_permutevar8x32_epi32((__m256i)from.vec[0], (__m256i)i.vec[k]);
        const __m256i high = _mm256_permutevar8x32_epi32((__m256i)from.vec[1], (__m256i)i.vec[k]);
        const __m256 upper = (__m256)(i.vec[k] << 28); /* bit 3 of the index */
        r.vec[k] = (u32xv)_mm256_blendv_ps((__m256)low, (__m256)high, upper);
    }
#else
    for (int k = 0; k < LANES16; k++)
        r.lane[k] = from.lane[i.lane[k] & (LANES16 - 1)];
#endif
    return r.v;
#endif
}

/* ---- one register ---- */

/* Unrolls loops over axes, taps and components, whose number is a constant in each instance. Then
 * the arrays that such a loop indexes stay in registers. */
#ifdef __clang__
#define VEC_UNROLL _Pragma("clang loop unroll(full)")
#define VEC_ROLL _Pragma("clang loop unroll(disable)")
#else
#define VEC_UNROLL
#define VEC_ROLL
#endif

LANES_INLINE f32xv vec_float(i32xv v) {
    return __builtin_convertvector(v, f32xv);
}

/* Truncates to an integer. NaNs and numbers that are out of range give -2^31, as on x86. */
LANES_INLINE i32xv vec_int(f32xv v) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_convertvector(v, i32xv);
#else
    const i32xv inside = (v >= -0x1p31f) & (v < 0x1p31f);
    const i32xv t = __builtin_convertvector((f32xv)((i32xv)v & inside), i32xv);
    return t | (~inside & INT32_MIN);
#endif
}

#if VEC_LANES == 4
/* Rounds to the nearest integer, ties to even. */
LANES_INLINE i32xv vec_nearest(f32xv v) {
    const i32xv whole = ((i32xv)v & 0x7fffffff) >= 0x4b000000; /* 2^23 */
    const i32xv sign = (i32xv)v & INT32_MIN;
    /* 2^23 with the sign of v: the sum has no place for a fraction */
    const f32xv big = (f32xv)(sign | 0x4b000000);
    return vec_int((f32xv)vec_blend((u32xv)whole, (u32xv)v, (u32xv)((v + big) - big)));
}
#endif

LANES_INLINE f32xv vec_clamp_f(f32xv v, float low, float high) {
    return vec_min_f(vec_max_f(v, vec_splat_f(low)), vec_splat_f(high));
}

LANES_INLINE f32xv vec_abs(f32xv v) {
    return (f32xv)((i32xv)v & 0x7fffffff);
}

/* vec_max() to vec_min_unsigned() are intrinsic functions, because compilers make slower
 * instructions of the plain expression if one operand is known. */
LANES_INLINE i32xv vec_max(i32xv a, i32xv b) {
#if VEC_LANES > 4
    return (i32xv)VEC_INTRINSIC(max_epi32)((vec_bits)a, (vec_bits)b);
#else
    return vec_blend_int(a > b, a, b);
#endif
}

LANES_INLINE i32xv vec_min(i32xv a, i32xv b) {
#if VEC_LANES > 4
    return (i32xv)VEC_INTRINSIC(min_epi32)((vec_bits)a, (vec_bits)b);
#else
    return vec_blend_int(a < b, a, b);
#endif
}

LANES_INLINE i32xv vec_clamp(i32xv v, int32_t low, int32_t high) {
    return vec_min(vec_max(v, vec_splat_int(low)), vec_splat_int(high));
}

LANES_INLINE u32xv vec_min_unsigned(u32xv a, u32xv b) {
#if VEC_LANES > 4
    return (u32xv)VEC_INTRINSIC(min_epu32)((vec_bits)a, (vec_bits)b);
#else
    return vec_blend((u32xv)(a < b), a, b);
#endif
}

/* The vec_shift functions shift all lanes by one count. The count is put into every lane: if the
 * count lies in memory, an instruction with a count for each lane is cheaper than one with a single
 * count. */
LANES_INLINE u32xv vec_shift_left(u32xv v, uint32_t count) {
#if VEC_LANES > 4
    return (u32xv)VEC_INTRINSIC(sllv_epi32)((vec_bits)v, VEC_INTRINSIC(set1_epi32)((int)count));
#else
    return v << count;
#endif
}

LANES_INLINE u32xv vec_shift_right(u32xv v, uint32_t count) {
#if VEC_LANES > 4
    return (u32xv)VEC_INTRINSIC(srlv_epi32)((vec_bits)v, VEC_INTRINSIC(set1_epi32)((int)count));
#else
    return v >> count;
#endif
}

LANES_INLINE i32xv vec_shift_right_signed(i32xv v, uint32_t count) {
#if VEC_LANES > 4
    return (i32xv)VEC_INTRINSIC(srav_epi32)((vec_bits)v, VEC_INTRINSIC(set1_epi32)((int)count));
#else
    return v >> count;
#endif
}

#if VEC_LANES > 4
/* a * b + c, rounded once. */
LANES_INLINE f32xv vec_fma(f32xv a, f32xv b, f32xv c) {
    return (f32xv)VEC_INTRINSIC(fmadd_ps)((vec_singles)a, (vec_singles)b, (vec_singles)c);
}
#endif

/* Bits of a where the mask has ones, of b elsewhere. */
LANES_INLINE u32xv vec_merge(uint32_t mask, u32xv a, u32xv b) {
#if VEC_LANES == 16 /* an intrinsic, because compilers make slower code of the plain expression */
    return (u32xv)_mm512_ternarylogic_epi32((__m512i)a, (__m512i)b, _mm512_set1_epi32((int)mask),
                                            0xe4);
#else
    return (a & mask) | (b & ~mask);
#endif
}

/* a * b where the condition holds, else 0. */
LANES_INLINE f32xv vec_product_where(i32xv cond, f32xv a, f32xv b) {
#if VEC_LANES == 16
    return (f32xv)_mm512_maskz_mul_ps(_mm512_movepi32_mask((__m512i)cond), (__m512)a, (__m512)b);
#else
    return (f32xv)((i32xv)(a * b) & cond);
#endif
}

/* Lane k of each quad in all lanes of the quad. */
#if VEC_LANES == 16
#define vec_quad_lane(v, k)                                                                        \
    __builtin_shufflevector(v, v, (k), (k), (k), (k), (k) + 4, (k) + 4, (k) + 4, (k) + 4, (k) + 8, \
                            (k) + 8, (k) + 8, (k) + 8, (k) + 12, (k) + 12, (k) + 12, (k) + 12)
#elif VEC_LANES == 8
#define vec_quad_lane(v, k)                                                                        \
    __builtin_shufflevector(v, v, (k), (k), (k), (k), (k) + 4, (k) + 4, (k) + 4, (k) + 4)
#else
#define vec_quad_lane(v, k) __builtin_shufflevector(v, v, (k), (k), (k), (k))
#endif
