/* Integer arithmetic over 32 lanes: pure functions, operands in, value and flag bits out. 16-bit
 * operations take and give values in the low half; "bits" is the operand width, 16 or 32. Knows no
 * register, no mask, no encoding. Facts: tesla-isa.md §5 and §6.3.
 */
#pragma once

#include "base/lanes.h"
#include "shader/op.h"

/* value: result at its width, upper bits zero. carry, overflow: the flag in the top bit. */
struct int_result {
    u32x32 value, carry, overflow;
};

/* All ones in lanes whose top bit is set. */
LANES_INLINE u32x32 int_sign_fill(u32x32 v) {
    return (u32x32)((i32x32)v >> 31);
}

/* The low `bits` bits of v, extended to 32. */
LANES_INLINE u32x32 int_extend(u32x32 v, unsigned bits, bool is_signed) {
    const unsigned n = 32 - bits;
    return is_signed ? (u32x32)((i32x32)(v << n) >> n) : v << n >> n;
}

LANES_INLINE u32x32 int_min_u(u32x32 a, u32x32 b) {
    return lanes_blend((u32x32)(a < b), a, b);
}

LANES_INLINE u32x32 int_max_u(u32x32 a, u32x32 b) {
    return lanes_blend((u32x32)(a > b), a, b);
}

LANES_INLINE u32x32 int_min_s(u32x32 a, u32x32 b) {
    return lanes_blend((u32x32)((i32x32)a < (i32x32)b), a, b);
}

LANES_INLINE u32x32 int_max_s(u32x32 a, u32x32 b) {
    return lanes_blend((u32x32)((i32x32)a > (i32x32)b), a, b);
}

/* The result of a sum that leaves the range. INT_WRAP: the sum modulo 2^bits. INT_SAT_SIGNED: the
 * nearest signed number. INT_SAT_LARGEST, INT_SAT_ZERO: the largest unsigned number, 0. */
enum int_sat { INT_WRAP, INT_SAT_SIGNED, INT_SAT_LARGEST, INT_SAT_ZERO };

/* The carry that enters a sum of this kind: a difference adds 1 to the inverted operand. */
LANES_INLINE u32x32 int_carry(enum add_kind kind) {
    return lanes_splat(kind == ADD_ADD ? 0 : 1);
}

/* x + y + k; ADD_SUB inverts y first, ADD_SUBR inverts x. k: 0 or 1 per lane. */
LANES_INLINE struct int_result int_add(u32x32 x, u32x32 y, enum add_kind kind, u32x32 k,
                                       unsigned bits, enum int_sat sat) {
    const unsigned n = 32 - bits;
    struct int_result r;
    x = (kind == ADD_SUBR ? ~x : x) << n;
    y = (kind == ADD_SUB ? ~y : y) << n;
    u32x32 sum = x + y + (k << n);
    r.carry = (x & y) | ((x | y) & ~sum);
    r.overflow = (x ^ sum) & (y ^ sum);
    if (sat == INT_SAT_SIGNED)
        sum = lanes_blend(int_sign_fill(r.overflow), int_sign_fill(x) ^ 0x7fffffffu, sum);
    else if (sat == INT_SAT_LARGEST)
        sum |= int_sign_fill(r.carry);
    else if (sat == INT_SAT_ZERO)
        sum &= int_sign_fill(r.carry);
    r.value = sum >> n;
    return r;
}

/* Product modulo 2^32 of two operands that were extended from 16 or 24 bits to 32. */
LANES_INLINE u32x32 int_mul(u32x32 a, u32x32 b) {
    return a * b;
}

/* The upper 32 bits of the product of two unsigned words. */
LANES_INLINE u32x32 int_mul_upper(u32x32 a, u32x32 b) {
#if defined(__AVX512F__)
    union lanes_halves x = {.v = a}, y = {.v = b};
    for (int i = 0; i < 2; i++) {
        const __m512i even = _mm512_mul_epu32(x.h[i], y.h[i]);
        const __m512i odd =
            _mm512_mul_epu32(_mm512_srli_epi64(x.h[i], 32), _mm512_srli_epi64(y.h[i], 32));
        x.h[i] = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    }
    return x.v;
#elif defined(__AVX2__)
    union lanes_quarters x = {.v = a}, y = {.v = b};
    for (int i = 0; i < 4; i++) {
        const __m256i even = _mm256_mul_epu32(x.q[i], y.q[i]);
        const __m256i odd =
            _mm256_mul_epu32(_mm256_srli_epi64(x.q[i], 32), _mm256_srli_epi64(y.q[i], 32));
        x.q[i] = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    }
    return x.v;
#else
    const u64x32 product = __builtin_convertvector(a, u64x32) * __builtin_convertvector(b, u64x32);
    return __builtin_convertvector(product >> 32, u32x32);
#endif
}

/* Low half of a by high half of b plus high half of a by low half of b, 32 bits. *carry, if not
 * NULL: 1 where the sum has 33 bits. */
LANES_INLINE u32x32 int_mul_cross(u32x32 a, u32x32 b, u32x32 *carry) {
    const u32x32 one = (a & 0xffff) * (b >> 16), sum = one + (a >> 16) * (b & 0xffff);
    if (carry)
        *carry = (u32x32)(sum < one) & 1;
    return sum;
}

/* Bits 16..47 of the product of two operands extended from 24 bits. With a = ah * 2^12 + al the
 * partial products fit 32 bits with sign. al * b has 36 bits, so b is split, too. */
LANES_INLINE u32x32 int_mul_high(u32x32 a, u32x32 b) {
    u32x32 al = a & 0xfff, bl = b & 0xfff;
    u32x32 ah = (u32x32)((i32x32)a >> 12), bh = (u32x32)((i32x32)b >> 12);
    /* product = ah*bh * 2^24 + (ah*bl + al*bh) * 2^12 + al*bl; middle fits 26 bits with sign */
    u32x32 middle = ah * bl + al * bh;
    u32x32 low = al * bl + ((middle & 0xf) << 12);
    return ((ah * bh) << 8) + (u32x32)((i32x32)middle >> 4) + (low >> 16);
}

/* abs(a - b); a, b extended to 32 bits. */
LANES_INLINE u32x32 int_distance(u32x32 a, u32x32 b, bool is_signed) {
    const u32x32 greater = is_signed ? (u32x32)((i32x32)a > (i32x32)b) : (u32x32)(a > b);
    const u32x32 d = a - b;
    return lanes_blend(greater, d, -d);
}

/* a, b extended to 32 bits. */
LANES_INLINE u32x32 int_min(u32x32 a, u32x32 b, bool is_signed) {
    return is_signed ? int_min_s(a, b) : int_min_u(a, b);
}

LANES_INLINE u32x32 int_max(u32x32 a, u32x32 b, bool is_signed) {
    return is_signed ? int_max_s(a, b) : int_max_u(a, b);
}

/* All ones where the comparison of a with b (extended to 32 bits) is among cond (COND_*). */
LANES_INLINE u32x32 int_set(u32x32 a, u32x32 b, unsigned cond, bool is_signed) {
    u32x32 equal = (u32x32)(a == b);
    u32x32 less = is_signed ? (u32x32)((i32x32)a < (i32x32)b) : (u32x32)(a < b);
    u32x32 r = lanes_splat(0);
    if (cond & COND_LESS)
        r |= less;
    if (cond & COND_EQUAL)
        r |= equal;
    if (cond & COND_GREATER)
        r |= ~(less | equal);
    return r;
}

/* int_set() for the upper words of longer numbers. carry_below, zero_below: all ones where the
 * difference of the lower words set C, Z. */
LANES_INLINE u32x32 int_set_above(u32x32 a, u32x32 b, u32x32 carry_below, u32x32 zero_below,
                                  unsigned cond, bool is_signed) {
    const struct int_result d = int_add(a, b, ADD_SUB, carry_below & 1, 32, INT_WRAP);
    const u32x32 equal = (u32x32)(d.value == 0) & zero_below, none = lanes_splat(0);
    const u32x32 less = int_sign_fill(is_signed ? d.value ^ d.overflow : ~d.carry);
    return (cond & COND_LESS ? less : none) | (cond & COND_EQUAL ? equal : none) |
           (cond & COND_GREATER ? ~(less | equal) : none);
}

/* Bit n of v in the top bit of the result; n < 32. */
LANES_INLINE u32x32 int_bit_to_top(u32x32 v, u32x32 n) {
    return v >> n << 31;
}

/* v << n; 0 from n = 32 on, as in vector instructions. */
LANES_INLINE u32x32 int_shift_left(u32x32 v, u32x32 n) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves x = {.v = v}, by = {.v = n};
    for (int i = 0; i < 2; i++)
        x.h[i] = _mm512_sllv_epi32(x.h[i], by.h[i]);
    return x.v;
#elif defined(__AVX2__)
    union lanes_quarters x = {.v = v}, by = {.v = n};
    for (int i = 0; i < 4; i++)
        x.q[i] = _mm256_sllv_epi32(x.q[i], by.q[i]);
    return x.v;
#else
    return v << (n & 31) & (u32x32)(n < 32);
#endif
}

/* v >> n; 0, or all sign bits, from n = 32 on. */
LANES_INLINE u32x32 int_shift_right(u32x32 v, u32x32 n, bool is_signed) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    union lanes_halves x = {.v = v}, by = {.v = n};
    for (int i = 0; i < 2; i++)
        x.h[i] =
            is_signed ? _mm512_srav_epi32(x.h[i], by.h[i]) : _mm512_srlv_epi32(x.h[i], by.h[i]);
    return x.v;
#elif defined(__AVX2__)
    union lanes_quarters x = {.v = v}, by = {.v = n};
    for (int i = 0; i < 4; i++)
        x.q[i] =
            is_signed ? _mm256_srav_epi32(x.q[i], by.q[i]) : _mm256_srlv_epi32(x.q[i], by.q[i]);
    return x.v;
#else
    const u32x32 by = int_min_u(n, lanes_splat(31));
    return is_signed ? (u32x32)((i32x32)v >> (i32x32)by) : (v >> by) & (u32x32)(n < 32);
#endif
}

/* v: low `bits` bits, zero-extended. count: unsigned, any size. */
LANES_INLINE struct int_result int_shl(u32x32 v, u32x32 count, unsigned bits) {
    const u32x32 width = lanes_splat(bits);
    u32x32 inside = (u32x32)(count < width);
    u32x32 partial = inside & (u32x32)(count != 0);
    struct int_result r;
    r.value = int_extend(int_shift_left(v, count), bits, false);
    r.carry = int_bit_to_top(v, (width - count) & 31) & partial;
    r.overflow = (v ^ r.value) << (32 - bits) & (u32x32)(count == 1);
    return r;
}

LANES_INLINE struct int_result int_shr(u32x32 v, u32x32 count, unsigned bits, bool is_signed) {
    const u32x32 width = lanes_splat(bits);
    u32x32 inside = (u32x32)(count < width);
    u32x32 partial = inside & (u32x32)(count != 0);
    const u32x32 wide = int_extend(v, bits, is_signed);
    struct int_result r;
    r.value = int_extend(int_shift_right(wide, count, is_signed), bits, false);
    r.carry = int_bit_to_top(v, (count - 1) & 31) & partial;
    r.overflow = (v ^ r.value) << (32 - bits) & (u32x32)(count == 1);
    return r;
}

LANES_INLINE u32x32 int_logic(u32x32 a, u32x32 b, enum logic_kind kind) {
    switch (kind) {
    case LOGIC_AND:
        return a & b;
    case LOGIC_OR:
        return a | b;
    case LOGIC_XOR:
        return a ^ b;
    default:
        return b;
    }
}
