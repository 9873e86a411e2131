/* Float and conversion instructions of Fermi and generic64: IEEE arithmetic. Denormals are
 * kept unless the instruction says FTZ; the instruction names the rounding. In: a linked op and the
 * lanes it runs in. MXCSR is plain; for operations that allow it (fermi.h), MXCSR may flush
 * denormals. Out: registers, predicates, $c. Compiled once per SIMD level. STENCIL_FLUSH: stencils
 * of FTZ operations; MXCSR does their flushing. Facts: fermi-isa.md §6.6 and §7; generic64-isa.md
 * §4.
 */
#include "shader/alu/cvt.h"
#include "shader/alu/f64.h"
#include "shader/alu/fast.h"
#include "shader/alu/quad.h"
#include "shader/fermi.h"
#include "shader/kept.h"

#include <math.h>

LANES_INLINE u32x32 flush_if(u32x32 v, bool flush) {
    return flush ? f32_flush(v) : v;
}

#if defined(STENCIL_FLUSH)
enum { HOST_FLUSHES = true };
#else
enum { HOST_FLUSHES = false };
#endif

LANES_INLINE bool flushes(const struct op *op) {
    return op->ftz || op->fmz;
}

/* A float source with its modifiers; FTZ and FMZ take denormals as 0. */
LANES_INLINE u32x32 source_bits(const struct call *c, int i) {
    return f32_modify(flush_if(fermi_source(c, i), flushes(op_of(c))), op_of(c)->src[i].flags);
}

/* A float source for the host's arithmetic: denormals stay if the host itself takes them as 0. */
LANES_INLINE u32x32 source_f32(const struct call *c, int i) {
    const struct op *op = op_of(c);
    return f32_modify(flush_if(fermi_source(c, i), !HOST_FLUSHES && flushes(op)), op->src[i].flags);
}

/* True if a result may be the smallest normal number only because it was rounded as a denormal
 * (f32_without_tiny). */
LANES_INLINE bool may_be_tiny(const struct op *op, u32x32 v) {
    return !HOST_FLUSHES && flushes(op) && lanes_to_mask((u32x32)((v & 0x7fffffff) == F32_HIDDEN));
}

LANES_INLINE void put_f32(const struct call *c, u32x32 v) {
    const struct op *op = op_of(c);
    v = flush_if(f32_result(v), !HOST_FLUSHES && flushes(op));
    if (op->sat)
        v = f32_saturate(v, ~lanes_splat(0));
    put(c, v);
    const u32x32 nan = f32_is_nan(v), zero = (u32x32)((v & 0x7fffffff) == 0);
    put_zero_sign(c, zero | nan, (int_sign_fill(v) & ~zero) | nan);
}

FERMI_HANDLER(fadd) {
    const u32x32 a = source_f32(c, 0), b = source_f32(c, 1);
    const enum round_mode mode = (enum round_mode)op_of(c)->round;
    put_f32(c, op_of(c)->add_kind == ADD_SUB ? f32_host_sub(a, b, mode) : f32_host_add(a, b, mode));
}

/* FMZ: if a factor is 0, the product is 0. */
LANES_INLINE u32x32 zero_wins(const struct op *op, u32x32 a, u32x32 b, u32x32 v) {
    return op->fmz ? v & ~(f32_is_zero(a) | f32_is_zero(b)) : v;
}

/* A product, times scale. The product is exact in a double; scaling keeps it exact. */
LANES_INLINE u32x32 scaled_product(u32x32 a, u32x32 b, double scale, enum round_mode mode) {
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = a}, y = {.v = b};
#if defined(FP_HOST_MODE)
    const unsigned csr = round_begin(mode);
    ROUND_BARRIER(x);
    for (int i = 0; i < LANES; i++)
        x.f[i] = (float)((double)x.f[i] * y.f[i] * scale);
    ROUND_BARRIER(x);
    round_end(csr);
#else
    union f32_vectors r;
    for (int i = 0; i < 4; i++) {
        f64x8 p;
        for (int k = 0; k < 8; k++)
            p[k] = (double)x.f[8 * i + k] * y.f[8 * i + k] * scale;
        r.bits[i] = f32_narrow(p, mode);
    }
    x.v = r.v;
#endif
    return x.v;
}

FERMI_HANDLER(fmul) {
    static const double scales[] = {1, .5, .25, .125, 8, 4, 2, 1};
    const struct op *op = op_of(c);
    const u32x32 a = source_f32(c, 0), b = source_f32(c, 1);
    const enum round_mode mode = (enum round_mode)op->round;
    u32x32 v =
        op->scale ? scaled_product(a, b, scales[op->scale & 7], mode) : f32_host_mul(a, b, mode);
    if (!op->scale && may_be_tiny(op, v))
        v = f32_without_tiny(v, f32_host_mul(f32_times_power(a, 64), b, mode));
    put_f32(c, zero_wins(op, a, b, v));
}

FERMI_HANDLER(ffma) {
    const struct op *op = op_of(c);
    const u32x32 a = source_f32(c, 0), b = source_f32(c, 1), d = source_f32(c, 2);
    const enum round_mode mode = (enum round_mode)op->round;
    u32x32 v = f32_host_fma(a, b, d, mode);
    if (may_be_tiny(op, v))
        v = f32_without_tiny(v, f32_host_fma(f32_times_power(a, 32), f32_times_power(b, 32),
                                             f32_times_power(d, 64), mode));
    if (op->fmz)
        v = lanes_blend(f32_is_zero(a) | f32_is_zero(b), f32_host_add(d, lanes_splat(0), mode), v);
    put_f32(c, v);
}

/* The bits of floats as integers of the same order: -0 below +0. */
LANES_INLINE i32x32 ordered(u32x32 v) {
    return (i32x32)(v ^ (int_sign_fill(v) & 0x7fffffff));
}

/* Minimum or maximum. If one source is a NaN, the other source is the result. */
FERMI_HANDLER(fmnmx) {
    const u32x32 a = source_bits(c, 0), b = source_bits(c, 1);
    const u32x32 less = (u32x32)(ordered(a) < ordered(b));
    const u32x32 min = lanes_from_mask(fermi_predicate(c->w, op_of(c)->psrc[0]));
    u32x32 v = lanes_blend(~(less ^ min), a, b);
    v = lanes_blend(f32_is_nan(a), b, v);
    put_f32(c, lanes_blend(f32_is_nan(b), a, v));
}

FERMI_HANDLER(fset) {
    fermi_put_set(c, f32_set(source_f32(c, 0), source_f32(c, 1), op_of(c)->cond));
}

/* clang makes an equality with the constant 0 a comparison of bits, even where the host flushes. So
 * denormals have to be 0 by then. */
FERMI_HANDLER(fslct) {
    const bool equal = op_of(c)->cond == COND_EQUAL;
    const u32x32 v = equal ? source_bits(c, 2) : source_f32(c, 2);
    const u32x32 holds = f32_set(v, lanes_splat(0), op_of(c)->cond);
    put(c, lanes_blend(holds, fermi_source(c, 0), fermi_source(c, 1)));
}

/* The special function unit is the same as Tesla's (fermi-isa.md §14): it takes denormals as 0. */
#define SFU(name)                                                                                  \
    FERMI_HANDLER(name) {                                                                          \
        const u32x32 v = source_f32(c, 0);                                                         \
        put_f32(c, op_of(c)->fast ? fast_##name(v) : kept_##name(c->w, v));                        \
    }
SFU(rcp)
SFU(rsqrt)
SFU(lg2)

/* True if the function reduces its argument itself, as in generic64. Fermi's arguments are prepared
 * by presin and preex2. */
LANES_INLINE bool plain_argument(const struct call *c) {
    return c->env->program->variant == ISA_G64;
}

LANES_INLINE u32x32 raw_source(const struct call *c) {
    return f32_modify(fermi_source(c, 0), op_of(c)->src[0].flags);
}

FERMI_HANDLER(ex2) {
    const u32x32 v = raw_source(c);
    put_f32(c, op_of(c)->fast      ? fast_ex2(v)
               : plain_argument(c) ? sfu_ex2(sfu_preex2(f32_flush(v)))
                                   : sfu_ex2(v));
}

FERMI_HANDLER(sine) {
    const u32x32 v = raw_source(c);
    const bool cosine = op_of(c)->code == OP_COS;
    put_f32(c, op_of(c)->fast      ? fast_sin(v, cosine)
               : plain_argument(c) ? sfu_sin(sfu_presin(f32_flush(v)), cosine)
                                   : sfu_sin(v, cosine));
}

FERMI_HANDLER(presin) {
    const u32x32 v = raw_source(c), known = f32_flush(v);
    const struct op *op = op_of(c);
    put(c, op->fast                ? f32_result(v)
           : op->code == OP_PRESIN ? sfu_presin(known)
                                   : sfu_preex2(known));
}

FERMI_HANDLER(square_root) {
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = source_f32(c, 0)};
    for (int i = 0; i < LANES; i++)
        x.f[i] = __builtin_sqrtf(x.f[i]);
    put_f32(c, x.v);
}

LANES_INLINE u32x32 quad_value(const struct call *c, u32x32 a, u32x32 b) {
    const struct op *op = op_of(c);
    return quad_op(quad_pick(a, (enum quad_source)op->quad_lane), b, op->quad_ops);
}

FERMI_HANDLER(quadop) {
    put_f32(c, quad_value(c, source_f32(c, 0), source_f32(c, 1)));
}

#if defined(STENCIL_FLUSH)
/* fmnmx with FTZ and a known kind, in a program whose MXCSR flushes. */
LANES_INLINE void do_fmnmx_flushed(struct call *c) {
    put_f32(c, f32_min_max(source_f32(c, 0), source_f32(c, 1), op_of(c)->psrc[0] & PRED_NOT));
}

/* True if a number of a or b is below 2^-102, but not zero. The difference of two numbers that are
 * not tiny is no denormal. AVX2 has code of its own: compilers would pack the comparisons into
 * bytes before they test them. */
LANES_INLINE bool any_tiny(u32x32 a, u32x32 b) {
    enum { LIMIT = (25 << 24) - 2 };
    const u32x32 x = (a << 1) - 1, y = (b << 1) - 1;
#if defined(__AVX2__) && !defined(__AVX512F__)
    const union lanes_quarters p = {.v = x}, q = {.v = y};
    const __m256i limit = _mm256_set1_epi32(LIMIT);
    __m256i any = _mm256_setzero_si256();
    for (int i = 0; i < 4; i++) {
        const __m256i least = _mm256_min_epu32(p.q[i], q.q[i]);
        any = _mm256_or_si256(any, _mm256_cmpeq_epi32(_mm256_min_epu32(least, limit), least));
    }
    return _mm256_movemask_ps((__m256)any);
#else
    return lanes_any((u32x32)(x <= lanes_splat(LIMIT)) | (u32x32)(y <= lanes_splat(LIMIT)));
#endif
}

/* quadop without FTZ, in a program whose MXCSR flushes. Where denormals are possible, the mode is
 * changed; the barriers keep the arithmetic between the changes. MXCSR is not read:
 * its value is known, and reading takes longer than both changes. */
LANES_INLINE void do_quadop_kept(struct call *c) {
    const u32x32 a = source_f32(c, 0), b = source_f32(c, 1);
    if (__builtin_expect(any_tiny(a, b), 0)) {
        u32x32 x = a, y = b;
        fp_set_mode(FP_PLAIN);
        ROUND_BARRIER(x);
        ROUND_BARRIER(y);
        x = quad_value(c, x, y);
        ROUND_BARRIER(x);
        fp_set_mode(FP_PLAIN | FP_FLUSH);
        put_f32(c, x);
        return;
    }
    put_f32(c, quad_value(c, a, b));
}
#endif

/* ---- generic64's own ---- */

#if defined(FP_HOST_MODE)
LANES_INLINE u32x32 quotient(u32x32 a, u32x32 b, enum round_mode mode) {
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = a}, y = {.v = b};
    const unsigned csr = round_begin(mode);
    ROUND_BARRIER(x);
    for (int i = 0; i < LANES; i++)
        x.f[i] /= y.f[i];
    ROUND_BARRIER(x);
    round_end(csr);
    return x.v;
}
#else
/* The host rounds to nearest. For another mode the exact product of quotient and divisor is
 * compared with the dividend: this tells whether the quotient has to move by one last place. */
LANES_INLINE u32x32 quotient(u32x32 a, u32x32 b, enum round_mode mode) {
    union f32_vectors x = {.v = a}, y = {.v = b};
    for (int i = 0; i < 4; i++) {
        const f32x8 q = x.vec[i] / y.vec[i];
        const f64x8 product = __builtin_convertvector((f32x8)((u32x8)q & INT32_MAX), f64x8) *
                              __builtin_convertvector((f32x8)(y.bits[i] & INT32_MAX), f64x8);
        const f64x8 size = __builtin_convertvector((f32x8)(x.bits[i] & INT32_MAX), f64x8);
        const u32x8 negative = (u32x8)((i32x8)(x.bits[i] ^ y.bits[i]) >> 31);
        x.bits[i] = (u32x8)q;
        if (mode != ROUND_RN)
            x.bits[i] =
                f32_step(x.bits[i], __builtin_convertvector((u64x8)(product > size), u32x8),
                         __builtin_convertvector((u64x8)(product < size), u32x8), negative, mode);
    }
    return x.v;
}
#endif

FERMI_HANDLER(fdiv) {
    put_f32(c, quotient(source_f32(c, 0), source_f32(c, 1), (enum round_mode)op_of(c)->round));
}

LANES_INLINE float integral(float v, unsigned mode) {
    switch (mode) {
    case ROUND_RM:
        return floorf(v);
    case ROUND_RP:
        return ceilf(v);
    case ROUND_RZ:
        return truncf(v);
    default:
        return rintf(v);
    }
}

FERMI_HANDLER(fround) {
    union {
        u32x32 v;
        float f[LANES];
    } x = {.v = source_f32(c, 0)};
    for (int i = 0; i < LANES; i++)
        x.f[i] = op_of(c)->code == OP_FRACT ? x.f[i] - floorf(x.f[i])
                                            : integral(x.f[i], op_of(c)->round);
    put_f32(c, x.v);
}

FERMI_HANDLER(fsel) {
    const u32x32 holds = f32_set(source_f32(c, 2), lanes_splat(0), COND_GREATER | COND_EQUAL);
    put_f32(c, lanes_blend(holds, source_f32(c, 0), source_f32(c, 1)));
}

FERMI_HANDLER(magnitude) {
    const u32x32 v = source_f32(c, 0);
    put_f32(c, op_of(c)->add_kind == ADD_SUB ? v ^ F32_SIGN : v & 0x7fffffff);
}

/* ---- conversions, lane by lane: a value is exact as a double, or as 64 bits with a sign ---- */

struct number {
    bool is_float;
    bool negative; /* of integers */
    uint64_t magnitude;
    double value;
};

LANES_INLINE double half_value(uint32_t h) {
    const int e = (int)(h >> 10 & 31), f = (int)(h & 0x3ff);
    double v = e == 31 ? f ? (double)NAN : (double)INFINITY
               : e     ? ldexp(1024 + f, e - 25)
                       : ldexp(f, -24);
    return h & 0x8000 ? -v : v;
}

LANES_INLINE double float_value(uint64_t bits, unsigned type, bool flush) {
    if (type == TYPE_F64) {
        double d;
        memcpy(&d, &bits, 8);
        return d;
    }
    if (type == TYPE_F16)
        return half_value((uint32_t)bits);
    uint32_t word = (uint32_t)bits;
    float f;
    if (flush && !(word & F32_INF))
        word &= F32_SIGN;
    memcpy(&f, &word, 4);
    return f;
}

/* Reads the part of the source that the instruction names, extended to 64 bits, with its
 * modifiers. */
LANES_INLINE struct number read_number(const struct op *op, uint64_t bits) {
    const struct operand *o = &op->src[0];
    const unsigned size = type_bits(o->type);
    struct number n = {.is_float = type_is_float(o->type)};
    if (size == 8)
        bits >>= 8 * (op->part[0] & 3);
    else if (size == 16)
        bits >>= 16 * (op->part[0] & 1);
    if (size < 64)
        bits &= (1ull << size) - 1;
    if (n.is_float) {
        n.value = float_value(bits, o->type, op->ftz);
        if (o->flags & OPERAND_ABS)
            n.value = fabs(n.value);
        if (o->flags & OPERAND_NEG)
            n.value = -n.value;
        return n;
    }
    n.negative = type_is_signed(o->type) && bits >> (size - 1) & 1;
    n.magnitude = n.negative ? (size < 64 ? (1ull << size) - bits : -bits) : bits;
    if (o->flags & OPERAND_ABS)
        n.negative = false;
    if (o->flags & OPERAND_NEG)
        n.negative = !n.negative;
    return n;
}

LANES_INLINE double rounded(double v, unsigned mode) {
    return mode == ROUND_RM   ? floor(v)
           : mode == ROUND_RP ? ceil(v)
           : mode == ROUND_RZ ? trunc(v)
                              : rint(v);
}

/* Converts to an integer of the operation's type. Floats are clamped; integers lose their upper
 * bits unless SAT. */
LANES_INLINE uint64_t to_integer(const struct op *op, struct number n) {
    const unsigned size = type_bits(op->type);
    const bool sign = type_is_signed(op->type);
    const uint64_t ones = size < 64 ? (1ull << size) - 1 : ~0ull;
    const uint64_t most = sign ? ones >> 1 : ones, least = sign ? most + 1 : 0;
    bool clamp = op->sat;
    if (n.is_float) {
        if (isnan(n.value))
            return 0;
        const double v = rounded(n.value, op->round);
        n.negative = v < 0;
        n.magnitude = fabs(v) >= 0x1p64 ? ~0ull : (uint64_t)fabs(v);
        clamp = true;
    }
    if (clamp && n.magnitude > (n.negative ? least : most))
        n.magnitude = n.negative ? least : most;
    return (n.negative ? -n.magnitude : n.magnitude) & ones;
}

/* The bits of v as a half: v is counted in units of the half's last place, and rounded. */
LANES_INLINE uint32_t half_bits(double v, unsigned mode) {
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    int e;
    if (isnan(v))
        return 0x7fff;
    if (isinf(v))
        return sign | 0x7c00;
    if (v == 0)
        return sign;
    frexp(v, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    const double units = fabs(rounded(ldexp(v, 10 - e), mode));
    if (units == 0)
        return sign;
    /* a carry increases the exponent */
    uint32_t bits = (uint32_t)units + (uint32_t)(e + 14) * 1024;
    if (bits >= 0x7c00) {
        const bool up =
            mode == ROUND_RN || (mode == ROUND_RP && !sign) || (mode == ROUND_RM && sign);
        bits = up ? 0x7c00 : 0x7bff;
    }
    return sign | bits;
}

#if defined(FP_HOST_MODE)
/* Rounds in the mode of MXCSR; the caller has set the operation's mode there. The values are
 * volatile, so that the compiler does not move the conversion. */
LANES_INLINE float to_single(struct number n) {
    volatile float r;
    if (n.is_float)
        return r = (float)n.value;
    volatile uint64_t m = n.magnitude;
    /* As signed: the compiler may convert an unsigned 0 by a difference, which is -0 when rounding
     * down. */
    if (m >> 63 == 0)
        return r = (float)(n.negative ? -(int64_t)m : (int64_t)m);
    return r = n.negative ? -(float)m : (float)m;
}

LANES_INLINE double to_double(struct number n) {
    volatile double r;
    if (n.is_float)
        return n.value;
    volatile uint64_t m = n.magnitude;
    /* As signed, as in to_single(). */
    if (m >> 63 == 0)
        return r = (double)(n.negative ? -(int64_t)m : (int64_t)m);
    return r = n.negative ? -(double)m : (double)m;
}
#else
LANES_INLINE enum round_mode host_mode(void) {
    return (enum round_mode)(fp_mode() >> FP_ROUND_SHIFT & 3);
}

LANES_INLINE float to_single(struct number n) {
    uint64_t bits;
    uint32_t word;
    float f;
    memcpy(&bits, &n.value, 8);
    word = n.is_float ? f64_to_f32(bits, host_mode())
                      : (uint32_t)f64_from_magnitude(n.magnitude, n.negative, 24, 127, host_mode());
    if (!n.is_float && n.negative && n.magnitude)
        word |= F32_SIGN;
    memcpy(&f, &word, 4);
    return f;
}

LANES_INLINE double to_double(struct number n) {
    uint64_t bits = f64_from_magnitude(n.magnitude, n.negative, 53, 1023, host_mode());
    double d;
    if (n.negative && n.magnitude)
        bits |= F64_SIGN;
    memcpy(&d, &bits, 8);
    return n.is_float ? n.value : d;
}
#endif

LANES_INLINE uint64_t to_float(const struct op *op, struct number n) {
    uint64_t bits = 0;
    if (n.is_float && op->integral)
        n.value = rounded(n.value, op->round);
    if (op->sat && n.is_float)
        n.value = isnan(n.value) || n.value < 0 ? 0 : n.value > 1 ? 1 : n.value;
    if (op->type == TYPE_F16)
        return half_bits(to_double(n), op->round);
    if (op->type == TYPE_F64) {
        const double d = to_double(n);
        memcpy(&bits, &d, 8);
        return isnan(d) ? 0x7fffffffffffffffull : bits;
    }
    float f = to_single(n);
    if (op->sat && !n.is_float)
        f = f < 0 ? 0 : f > 1 ? 1 : f;
    uint32_t word;
    memcpy(&word, &f, 4);
    if (isnan(f))
        return F32_NAN;
    return op->ftz && !(word & F32_INF) ? word & F32_SIGN : word;
}

/* ---- conversions of whole rows: the same results as lane by lane ---- */

#if defined(CVT_INTEGRAL)
enum { CVT_ROWS_ROUND = true };
#else
enum { CVT_ROWS_ROUND = false };
#endif

/* A float, made integral and clamped to [0, 1] if the operation says so. NaNs become canonical; a
 * clamp makes them 0. */
LANES_INLINE u32x32 rows_float(const struct op *op, u32x32 v) {
    const u32x32 nan = f32_is_nan(v);
    if (op->integral)
        v = cvt_f32_integral(v, (enum round_mode)op->round);
    v = lanes_blend(nan, lanes_splat(F32_NAN), v);
    if (!op->sat)
        return v;
    const u32x32 negative = int_sign_fill(v) & (u32x32)((v & 0x7fffffff) != 0);
    const u32x32 above = (u32x32)((i32x32)v > 0x3f800000);
    return lanes_blend(above, lanes_splat(0x3f800000), v) & ~(nan | negative);
}

/* The source word, shifted so that the part that the operation names is in the low bits. */
LANES_INLINE u32x32 rows_part(const struct call *c) {
    const unsigned from = type_bits(op_of(c)->src[0].type), part = op_of(c)->part[0];
    const unsigned shift = from == 8 ? 8 * (part & 3u) : from == 16 ? 16 * (part & 1u) : 0;
    return fermi_source(c, 0) >> shift;
}

/* The part of an integer that the operation names, with its modifiers, cut to the result's size. */
LANES_INLINE u32x32 rows_int_to_int(const struct call *c) {
    const struct op *op = op_of(c);
    const struct operand *o = &op->src[0];
    const unsigned to = type_bits(op->type);
    u32x32 v = int_extend(rows_part(c), type_bits(o->type), type_is_signed(o->type));
    if (o->flags & OPERAND_ABS && type_is_signed(o->type))
        v = (v ^ int_sign_fill(v)) - int_sign_fill(v);
    if (o->flags & OPERAND_NEG)
        v = -v;
    return int_extend(v, to, type_is_signed(op->type));
}

/* A float source of 32 or 16 bits, as f32. */
LANES_INLINE u32x32 rows_float_source(const struct call *c) {
    const struct operand *o = &op_of(c)->src[0];
    if (o->type == TYPE_F32)
        return source_bits(c, 0);
    return f32_modify(cvt_half_to_f32(rows_part(c)), o->flags);
}

#if defined(CVT_HOST)
/* Integers of 8 to 32 bits to f32. An integer 0 never becomes -0. */
LANES_INLINE u32x32 rows_int_to_f32(const struct call *c, enum round_mode mode) {
    const struct op *op = op_of(c);
    const struct operand *o = &op->src[0];
    const bool sign = type_is_signed(o->type);
    const u32x32 v = int_extend(rows_part(c), type_bits(o->type), sign);
    const u32x32 plain = cvt_host_to_f32(v, sign, mode), r = f32_modify(plain, o->flags);
    return o->flags || op->sat ? rows_float(op, r & ~((u32x32)(v == 0) & F32_SIGN)) : plain;
}

/* Floats to integers of 8 to 32 bits, clamped. */
LANES_INLINE u32x32 rows_float_to_int(const struct call *c, enum round_mode mode) {
    const struct op *op = op_of(c);
    const bool sign = type_is_signed(op->type);
    const uint32_t most = 0xffffffffu >> (32 - type_bits(op->type)) >> sign;
    const u32x32 v = cvt_host_to_integer(rows_float_source(c), sign, mode);
    if (!sign)
        return int_min_u(v, lanes_splat(most));
    return int_max_s(int_min_s(v, lanes_splat(most)), lanes_splat(~most));
}
#endif

/* Converts whole rows. False: no fast code for the conversion. */
LANES_INLINE bool cvt_rows(const struct call *c, u32x32 *out) {
    const struct op *op = op_of(c);
    const unsigned to = op->type, from = op->src[0].type;
    const enum round_mode mode = (enum round_mode)op->round;
    const bool from_float = from == TYPE_F32 || from == TYPE_F16;
    const bool from_int = !type_is_float(from) && type_bits(from) <= 32;
    const bool to_int = !type_is_float(to) && type_bits(to) <= 32;
    if (from_float && (CVT_ROWS_ROUND || !op->integral) &&
        (to == TYPE_F32 || (to == TYPE_F16 && (mode == ROUND_RN || mode == ROUND_RZ)))) {
        *out = rows_float(op, rows_float_source(c));
        if (to == TYPE_F16)
            *out = cvt_f32_to_half(*out, mode);
        return true;
    }
    if (from_int && to_int && !op->sat) {
        *out = rows_int_to_int(c);
        return true;
    }
#if defined(CVT_HOST)
    if (from_float && to_int) {
        *out = rows_float_to_int(c, mode);
        return true;
    }
    /* Integers of 8 or 16 bits are exact in any mode. To nearest, a number and its negative are
     * rounded to the same magnitude. */
    const bool exact = type_bits(from) < 32;
    if (from_int && to == TYPE_F32 &&
        (exact || (cvt_host_can(mode) && (!op->src[0].flags || mode == ROUND_RN)))) {
        *out = rows_int_to_f32(c, exact ? ROUND_RN : mode);
        return true;
    }
#endif
    return false;
}

FERMI_HANDLER(cvt) {
    const struct op *op = op_of(c);
    const bool to_fp = type_is_float(op->type);
    u32x32 low, high = lanes_splat(0), out_high = lanes_splat(0), out = lanes_splat(0);
    if (cvt_rows(c, &out)) {
        put(c, out);
        put_zero_sign(c, (u32x32)(out == 0), out);
        return;
    }
    if (type_bits(op->src[0].type) == 64)
        fermi_source_pair(c, 0, &low, &high);
    else
        low = fermi_source(c, 0);
    const unsigned csr = to_fp && !op->integral ? round_begin((enum round_mode)op->round) : 0;
    for (lane_mask m = c->m; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        const struct number n = read_number(op, low[i] | (uint64_t)high[i] << 32);
        uint64_t v = to_fp ? to_float(op, n) : to_integer(op, n);
        if (!to_fp && type_is_signed(op->type) && type_bits(op->type) < 32)
            v = type_bits(op->type) == 8 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
        out[i] = (uint32_t)v;
        out_high[i] = (uint32_t)(v >> 32);
    }
    if (to_fp && !op->integral)
        round_end(csr);
    if (type_bits(op->type) == 64)
        put_pair(c, out, out_high);
    else
        put(c, out);
    put_zero_sign(c, (u32x32)((out | out_high) == 0), type_bits(op->type) == 64 ? out_high : out);
}

#ifndef TP_STENCIL
exec_fn *SIMD_FN(exec_fermi_float_select)(const struct op *op) {
    static exec_fn *const handlers[OPCODES] = {
        [OP_FADD] = fadd,     [OP_FMUL] = fmul,        [OP_FFMA] = ffma,     [OP_FMNMX] = fmnmx,
        [OP_FSET] = fset,     [OP_RCP] = rcp,          [OP_RSQRT] = rsqrt,   [OP_LG2] = lg2,
        [OP_EX2] = ex2,       [OP_SIN] = sine,         [OP_COS] = sine,      [OP_PRESIN] = presin,
        [OP_PREEX2] = presin, [OP_SQRT] = square_root, [OP_QUADOP] = quadop, [OP_FDIV] = fdiv,
        [OP_FROUND] = fround, [OP_FRACT] = fround,     [OP_FSEL] = fsel,     [OP_FABS] = magnitude,
        [OP_CVT] = cvt,
    };
    if (op->code == OP_SLCT)
        return op->src[2].type == TYPE_F32 ? fslct : NULL;
    return handlers[op->code];
}

/* The handler of operations that need a plain MXCSR, in programs whose MXCSR flushes. */
void SIMD_FN(exec_fermi_kept)(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                              lane_mask m) {
    fp_set_mode(FP_PLAIN);
    SIMD_FN(exec_fermi_float_select)(l->op)(w, env, l, m);
    fp_set_mode(FP_PLAIN | FP_FLUSH);
}
#endif
