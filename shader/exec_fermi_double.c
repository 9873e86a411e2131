/* Double instructions of Fermi and generic64, reciprocals of high words, and conversions of doubles
 * by rows: IEEE arithmetic that keeps denormals; the instruction names the rounding. In: a linked
 * op and the lanes it runs in; MXCSR may flush denormals, as the program says. Out: registers,
 * predicates, $c. Compiled once per SIMD level. Facts: fermi-isa.md §6.6 and §7; generic64-isa.md
 * §4.
 */
#include "shader/alu/f32.h"
#include "shader/alu/f64_rows.h"
#include "shader/fermi.h"

#include <math.h>

LANES_INLINE u64x32 source_f64(const struct call *c, int i) {
    u32x32 low, high;
    fermi_source_pair(c, i, &low, &high);
    return f64_modify(f64_join(low, high), op_of(c)->src[i].flags);
}

LANES_INLINE void put_f64(const struct call *c, u64x32 v) {
    put_pair(c, f64_low(v), f64_high(v));
    put_zero_sign(c, f64_flag_z(v), f64_flag_s(v));
}

/* The smaller source is the result in the lanes `pick`, the larger one in the others. */
LANES_INLINE void min_max_by_rules(const struct call *c, lane_mask pick, u64x32 a, u64x32 b) {
    const u64x32 min = f64_join(lanes_from_mask(pick), lanes_from_mask(pick));
    put_f64(c, f64_blend(min, f64_min_max(a, b, false), f64_min_max(a, b, true)));
}

/* ---- conversions to and from f32 ---- */

/* In a program whose MXCSR flushes, the lanes `denormal` need a mode that keeps denormals. Returns
 * whether leave_f64() has to change the mode back. */
LANES_INLINE bool enter_f64(const struct call *c, lane_mask denormal) {
    const bool changes = c->env->program->flushes && c->m & denormal;
    if (changes)
        fp_set_mode(FP_PLAIN);
    return changes;
}

LANES_INLINE void leave_f64(bool changes) {
    if (changes)
        fp_set_mode(FP_PLAIN | FP_FLUSH);
}

/* The words of the double are those of the float, shifted, with another bias of the exponent.
 * Denormals are converted one by one. */
FERMI_HANDLER(single_to_double) {
    enum { BIAS = (1023 - 127) << 20 };
    const struct op *op = op_of(c);
    u32x32 v = fermi_source(c, 0);
    v = f32_modify(op->ftz ? f32_flush(v) : v, op->src[0].flags);
    const u32x32 size = v & 0x7fffffff, nan = (u32x32)(size > F32_INF);
    u32x32 low = v << 29 | nan;
    u32x32 high = (size >> 3) + BIAS + (BIAS & (u32x32)(size >= F32_INF));
    high = (high & (u32x32)(size != 0)) | (v & F32_SIGN);
    high = lanes_blend(nan, lanes_splat(0x7fffffff), high);
    for (lane_mask m = c->m & lanes_to_mask((u32x32)(size - 1 < lanes_splat(0x007fffff))); m;
         m &= m - 1) {
        const int i = __builtin_ctz(m);
        const uint64_t d = f64_from_f32(v[i]);
        low[i] = (uint32_t)d;
        high[i] = (uint32_t)(d >> 32);
    }
    put_pair(c, low, high);
    put_zero_sign(c, (u32x32)((low | high) == 0), high);
}

/* Rounds to nearest. */
FERMI_HANDLER(double_to_single) {
    union f64_lanes d = {.v = source_f64(c, 0)};
    u32x32 v;
    if (enter_f64(c, f64_rows_below(f64_low(d.v), f64_high(d.v), 1023 - 126))) {
        ROUND_BARRIER(d);
        v = (u32x32) __builtin_convertvector(d.f, f32x32);
        ROUND_BARRIER(v);
        leave_f64(true);
    } else {
        v = (u32x32) __builtin_convertvector(d.f, f32x32);
    }
    v = op_of(c)->ftz ? f32_flush(v) : v;
    v = lanes_blend(f32_is_nan(v), lanes_splat(F32_NAN), v);
    put(c, v);
    put_zero_sign(c, (u32x32)(v == 0), v);
}

/* ---- reciprocals ---- */

/* high: the high words of doubles x whose low words are 0. Returns the high words of 1/x, or with
 * `root` those of 1/sqrt(x). */
LANES_INLINE u32x32 reciprocals(u32x32 high, bool root) {
#if defined(F64_ROWS)
    const u32x32 zero = lanes_splat(0);
    const struct f64_source x = {&zero, &high, &high, ~0u, 0};
    u32x32 low, out;
    for (int n = 0; n < VECS; n++) {
        f64xw a[2];
        f64_rows_join(&x, n, a);
        for (int i = 0; i < 2; i++)
            a[i] = 1 / (root ? (f64xw)VEC_INTRINSIC(sqrt_pd)((vec_doubles)a[i]) : a[i]);
        f64_rows_split(a[0], a[1], n, &low, &out);
    }
    return out;
#else
    union f64_lanes x = {.v = f64_join(lanes_splat(0), high)};
    for (int i = 0; i < LANES; i++)
        x.value[i] = 1 / (root ? sqrt(x.value[i]) : x.value[i]);
    return f64_high(x.v);
#endif
}

/* MXCSR is changed where x is a denormal, or so large that 1/x is a denormal. */
FERMI_HANDLER(rcp64h) {
    const u32x32 large = lanes_splat(2045u << 20), normal = lanes_splat(1u << 20);
    u32x32 v = f32_modify(fermi_source(c, 0), op_of(c)->src[0].flags);
    const u32x32 size = v & 0x7fffffff;
    const u32x32 kept = (u32x32)(size >= large) | ((u32x32)(size < normal) & (u32x32)(size != 0));
    const bool changes = enter_f64(c, lanes_to_mask(kept));
    ROUND_BARRIER(v);
    v = op_of(c)->code == OP_RSQRT64H ? reciprocals(v, true) : reciprocals(v, false);
    ROUND_BARRIER(v);
    leave_f64(changes);
    put(c, v);
}

#if defined(F64_ROWS)
/* Eight high words of 1.0. */
#define ONE_8                                                                                      \
    0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000

/* A source as rows. other: rows for a source that is no register. plain: the source is a register
 * without modifiers. */
LANES_INLINE struct f64_source rows_source(const struct call *c, int i, bool plain,
                                           u32x32 other[2]) {
    static const u32x32 one = {ONE_8, ONE_8, ONE_8, ONE_8};
    const struct operand *o = &op_of(c)->src[i];
    struct f64_source s = {.low = &other[0],
                           .high = &other[1],
                           .kept = !plain && o->flags & OPERAND_ABS ? ~F32_SIGN : ~0u,
                           .flipped = !plain && o->flags & OPERAND_NEG ? F32_SIGN : 0};
    if (plain || o->file == FILE_R) {
        s.low = &c->w->r[c->l->src[i]];
        s.high = &c->w->r[source_row(c->env, o->value + 1)];
        s.tested = s.high;
    } else {
        fermi_source_pair(c, i, &other[0], &other[1]);
        s.tested = other[0][0] == 0 && (other[1][0] & 0x7fffffff) == 0 ? &one : &other[1];
    }
    return s;
}

/* ---- arithmetic ---- */

struct f64_operands {
    struct f64_source x, y, z;
};

/* A source with its modifiers, which leave NaNs as they are. */
LANES_INLINE u64x32 joined(const struct f64_source *s) {
    const u32x32 high = (*s->high & s->kept) ^ s->flipped;
    return f64_join(*s->low, lanes_blend(f64_rows_nan(*s->low, *s->high), *s->high, high));
}

/* The operation with all its rules: those of NaNs, any rounding, $c. */
static void arith_by_rules(const struct call *c, enum f64_kind kind, const struct f64_operands *o) {
    const enum round_mode mode = (enum round_mode)op_of(c)->round;
    const u64x32 x = joined(&o->x), y = joined(&o->y);
    put_f64(c, kind == F64_ADD   ? f64_add(x, y, mode)
               : kind == F64_MUL ? f64_mul(x, y, mode)
                                 : f64_fma(x, y, joined(&o->z), mode));
}

/* The operation where a denormal or a NaN is possible. MXCSR is changed in programs that flush. */
static void arith_rare(const struct call *c, enum f64_kind kind, const struct f64_operands *o) {
    const bool flushes = c->env->program->flushes;
    struct f64_result r;
    if (flushes)
        fp_set_mode(FP_PLAIN);
    ROUND_BARRIER(r);
    if (kind == F64_ADD)
        f64_rows_arith(F64_ADD, &o->x, &o->y, &o->z, false, &r);
    else if (kind == F64_MUL)
        f64_rows_arith(F64_MUL, &o->x, &o->y, &o->z, false, &r);
    else
        f64_rows_arith(F64_FMA, &o->x, &o->y, &o->z, false, &r);
    ROUND_BARRIER(r);
    if (flushes)
        fp_set_mode(FP_PLAIN | FP_FLUSH);
    if (r.nan && c->m & lanes_to_mask(f64_rows_nan(r.low, r.high)))
        arith_by_rules(c, kind, o);
    else
        put_pair(c, r.low, r.high);
}

/* plain: the sources are registers without modifiers, rounding is to nearest, no $c. A change of
 * MXCSR takes longer than the arithmetic, so MXCSR is changed only where a result may need it. */
LANES_INLINE void arith_f64(const struct call *c, enum f64_kind kind, bool plain) {
    const bool flushes = c->env->program->flushes;
    const bool rules = !plain && (op_of(c)->round != ROUND_RN || wants_flags(c));
    u32x32 other[3][2];
    struct f64_result r;
    const struct f64_source x = rows_source(c, 0, plain, other[0]);
    const struct f64_source y = rows_source(c, 1, plain, other[1]);
    const struct f64_source z = kind == F64_FMA ? rows_source(c, 2, plain, other[2]) : y;
    f64_rows_arith(kind, &x, &y, &z, flushes, &r);
    if (rules || r.nan || c->m & r.tiny) {
        /* copies: the originals stay in registers */
        const struct f64_operands o = {x, y, z};
        const struct call again = *c;
        (rules ? arith_by_rules : arith_rare)(&again, kind, &o);
        return;
    }
    put_pair(c, r.low, r.high);
}

#define ARITH_F64(name, kind)                                                                      \
    FERMI_HANDLER(name) {                                                                          \
        arith_f64(c, kind, false);                                                                 \
    }                                                                                              \
    FERMI_HANDLER(plain_##name) {                                                                  \
        arith_f64(c, kind, true);                                                                  \
    }
ARITH_F64(dadd, F64_ADD)
ARITH_F64(dmul, F64_MUL)
ARITH_F64(dfma, F64_FMA)

/* The plain handler of op, if op has one and meets the conditions of arith_f64(); else NULL. */
static exec_fn *select_plain(const struct op *op) {
    exec_fn *const fn = op->code == OP_DADD   ? plain_dadd
                        : op->code == OP_DMUL ? plain_dmul
                        : op->code == OP_DFMA ? plain_dfma
                                              : NULL;
    bool plain = op->round == ROUND_RN && op->cdst == NO_FLAGS_DST;
    for (int i = 0; i < (op->code == OP_DFMA ? 3 : 2); i++)
        plain &= op->src[i].file == FILE_R && !op->src[i].flags;
    return plain ? fn : NULL;
}

/* Compares where a source is a denormal, in a program whose MXCSR flushes. */
static void set_kept(const struct f64_source *x, const struct f64_source *y, unsigned cond,
                     u32x32 *holds) {
    fp_set_mode(FP_PLAIN);
    ROUND_BARRIER(*holds);
    *holds = f64_rows_set(x, y, cond);
    ROUND_BARRIER(*holds);
    fp_set_mode(FP_PLAIN | FP_FLUSH);
}

FERMI_HANDLER(dset) {
    const unsigned cond = op_of(c)->cond;
    u32x32 other[2][2], holds;
    const struct f64_source x = rows_source(c, 0, false, other[0]);
    const struct f64_source y = rows_source(c, 1, false, other[1]);
    if (c->env->program->flushes && c->m & f64_rows_tiny(&x, &y) &&
        c->m & (f64_rows_below(*x.low, *x.high, 1) | f64_rows_below(*y.low, *y.high, 1)))
        set_kept(&x, &y, cond, &holds);
    else
        holds = f64_rows_set(&x, &y, cond);
    fermi_put_set(c, holds);
}

FERMI_HANDLER(dmnmx) {
    const lane_mask pick = fermi_predicate(c->w, op_of(c)->psrc[0]);
    const bool max = !(c->m & pick);
    u32x32 other[2][2], low, high;
    const struct f64_source x = rows_source(c, 0, false, other[0]);
    const struct f64_source y = rows_source(c, 1, false, other[1]);
    const bool uniform = max || (c->m & pick) == c->m;
    if (uniform && !wants_flags(c) && f64_rows_min_max(&x, &y, max, &low, &high))
        put_pair(c, low, high);
    else
        min_max_by_rules(c, pick, joined(&x), joined(&y)); /* sources are read once */
}

/* ---- conversions to and from integers ---- */

LANES_INLINE bool is_integer(unsigned type) {
    return !type_is_float(type) && type_bits(type) <= 32;
}

/* Converts integers of 8 to 32 bits: the part of the source that the operation names. */
FERMI_HANDLER(integer_to_double) {
    const struct operand *o = &op_of(c)->src[0];
    const bool sign = type_is_signed(o->type);
    const unsigned bits = type_bits(o->type), parts = bits < 32 ? 32 / bits : 1;
    const u32x32 part = fermi_source(c, 0) >> bits * (op_of(c)->part[0] & (parts - 1));
    u32x32 low, high;
    f64_rows_from_int(int_extend(part, bits, sign), sign, &low, &high);
    if (o->flags & OPERAND_ABS)
        high &= 0x7fffffff;
    if (o->flags & OPERAND_NEG)
        high ^= F32_SIGN & (u32x32)(high != 0); /* a zero is never negative */
    put_pair(c, low, high);
    put_zero_sign(c, (u32x32)((low | high) == 0), high);
}

#if defined(F64_ROWS_INTEGRAL)
FERMI_HANDLER(double_to_integral) {
    u32x32 other[2], low, high;
    const struct f64_source x = rows_source(c, 0, false, other);
    const bool changes = enter_f64(c, f64_rows_below(*x.low, *x.high, 1));
    ROUND_BARRIER(other);
    f64_rows_integral(&x, (enum round_mode)op_of(c)->round, &low, &high);
    ROUND_BARRIER(low);
    ROUND_BARRIER(high);
    leave_f64(changes);
    const u32x32 nan = f64_rows_nan(low, high); /* every NaN becomes 0x7fffffffffffffff */
    low |= nan;
    high = lanes_blend(nan, lanes_splat(0x7fffffff), high);
    put_pair(c, low, high);
    put_zero_sign(c, (u32x32)((low | high) == 0), high);
}

/* Converts to integers of 8 to 32 bits. */
FERMI_HANDLER(double_to_integer) {
    const struct op *op = op_of(c);
    const bool sign = type_is_signed(op->type);
    const uint32_t most = 0xffffffffu >> (32 - type_bits(op->type)) >> sign;
    u32x32 other[2], v;
    const struct f64_source x = rows_source(c, 0, false, other);
    const bool changes = enter_f64(c, f64_rows_below(*x.low, *x.high, 1));
    ROUND_BARRIER(other);
    f64_rows_to_int(&x, (enum round_mode)op->round, sign ? -(double)most - 1 : 0, most, &v);
    ROUND_BARRIER(v);
    leave_f64(changes);
    put(c, v);
    put_zero_sign(c, (u32x32)(v == 0), v);
}
#endif

#else
FERMI_HANDLER(dadd) {
    put_f64(c, f64_add(source_f64(c, 0), source_f64(c, 1), (enum round_mode)op_of(c)->round));
}

FERMI_HANDLER(dmul) {
    put_f64(c, f64_mul(source_f64(c, 0), source_f64(c, 1), (enum round_mode)op_of(c)->round));
}

FERMI_HANDLER(dfma) {
    put_f64(c, f64_fma(source_f64(c, 0), source_f64(c, 1), source_f64(c, 2),
                       (enum round_mode)op_of(c)->round));
}

FERMI_HANDLER(dset) {
    fermi_put_set(c, f64_set(source_f64(c, 0), source_f64(c, 1), op_of(c)->cond));
}

FERMI_HANDLER(dmnmx) {
    min_max_by_rules(c, fermi_predicate(c->w, op_of(c)->psrc[0]), source_f64(c, 0),
                     source_f64(c, 1));
}

static exec_fn *select_plain(const struct op *) {
    return NULL;
}

#endif

static exec_fn *select_cvt(const struct op *op) {
    const unsigned to = op->type, from = op->src[0].type;
    const bool clean = !op->sat && !op->integral;
    if (to == TYPE_F64 && from == TYPE_F32 && clean)
        return single_to_double;
    if (to == TYPE_F32 && from == TYPE_F64 && clean && op->round == ROUND_RN)
        return double_to_single;
#if defined(F64_ROWS)
    if (to == TYPE_F64 && is_integer(from))
        return integer_to_double;
#endif
#if defined(F64_ROWS_INTEGRAL)
    if (to == TYPE_F64 && from == TYPE_F64 && op->integral && !op->sat)
        return double_to_integral;
    if (from == TYPE_F64 && is_integer(to))
        return double_to_integer;
#endif
    return NULL;
}

exec_fn *SIMD_FN(exec_fermi_double_select)(const struct op *op) {
    static exec_fn *const handlers[OPCODES] = {
        [OP_DADD] = dadd, [OP_DMUL] = dmul,     [OP_DFMA] = dfma,      [OP_DMNMX] = dmnmx,
        [OP_DSET] = dset, [OP_RCP64H] = rcp64h, [OP_RSQRT64H] = rcp64h};
    exec_fn *const fn = op->code == OP_CVT ? select_cvt(op) : select_plain(op);
    return fn ? fn : handlers[op->code];
}
