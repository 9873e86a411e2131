/* Handlers of Tesla's arithmetic instructions: fetch operands, call the pure functions of
 * shader/alu/, write registers and $c. In: a linked op and the lanes it runs in. Compiled once per
 * SIMD level. Knows no control flow; most memory operands come from exec_memory.c. Facts:
 * tesla-isa.md §5 to §9.
 */
#include "shader/kept.h"
#include "shader/alu/cvt.h"
#include "shader/alu/f64.h"
#include "shader/alu/fast.h"
#include "shader/alu/quad.h"
#include "shader/registers.h"

enum { VSTRIDE = 0x20 };

/* Width of an integer operation, 16 or 32. */
LANES_INLINE unsigned width_of(const struct call *c) {
    return c->shape == SHAPE_ANY && type_bits(c->l->op->type) == 16 ? 16 : 32;
}

/* ---- operands ---- */

/* The number of lanes that the statistics count for an access out of range. */
LANES_INLINE uint32_t counted_lanes(const struct call *c) {
    return lanes_count(c->m & c->w->active);
}

/* The word at a fixed offset, a multiple of 4, of c[space]. */
LANES_INLINE u32x32 fixed_const(const struct call *c, unsigned space, uint32_t offset) {
    uint32_t word;
    if (!const_word(c->env, space, offset, &word))
        c->w->stats.bad_reads += counted_lanes(c);
    return lanes_splat(word);
}

/* The row at a fixed offset of a[]. */
LANES_INLINE u32x32 fixed_attribute(const struct call *c, uint32_t offset) {
    const uint32_t row = (offset & 0xffff) >> 2;
    if (row < c->w->attr_count)
        return c->w->attr[row];
    c->w->stats.bad_reads += counted_lanes(c);
    return lanes_splat(0);
}

/* The op's source that is the same word in all lanes (linked_op.space). */
LANES_INLINE u32x32 uniform_word(const struct call *c) {
    const struct linked_op *l = c->l;
    return l->space < SPACE_IMMEDIATE ? fixed_const(c, l->space, l->word) : lanes_splat(l->word);
}

LANES_INLINE u32x32 source(const struct call *c, int i) {
#ifdef TP_STENCIL
    return c->io->in[i];
#endif
    const struct operand *o = &c->l->op->src[i];
    if (c->shape == SHAPE_WORD0 + (unsigned)i)
        return uniform_word(c);
    if (c->shape != SHAPE_ANY)
        return c->w->r[c->l->src[i]];
    if (o->file <= FILE_RH)
        return register_data(c->w, o, c->l->src[i]);
    if (o->file == FILE_IMM)
        return lanes_splat(o->value);
    if (o->file == FILE_ATTR && !o->areg)
        return fixed_attribute(c, o->value);
    if (o->file == FILE_CONST && !o->areg && o->mem == TYPE_B32)
        return fixed_const(c, o->index & 15, o->value & 0xfffc);
    u32x32 v;
    SIMD_FN(exec_load_operand)(c->w, c->env, o, c->m, &v);
    return v;
}

/* An integer source, extended from its own type. */
LANES_INLINE u32x32 source_int(const struct call *c, int i) {
    const unsigned type = c->l->op->src[i].type;
    const unsigned bits = type_bits(type);
    u32x32 v = source(c, i);
    return bits < 32 && bits ? int_extend(v, bits, type_is_signed(type)) : v;
}

LANES_INLINE u32x32 source_f32(const struct call *c, int i) {
    return (source(c, i) & c->l->keep[i]) ^ c->l->flip[i];
}

LANES_INLINE u64x32 source_64(const struct call *c, int i) {
    const uint32_t n = c->l->op->src[i].value;
    return f64_join(c->w->r[source_row(c->env, n)], c->w->r[source_row(c->env, n + 1)]);
}

LANES_INLINE u64x32 source_f64(const struct call *c, int i) {
    return f64_modify(source_64(c, i), c->l->op->src[i].flags);
}

/* ---- results ---- */

/* Writes the result of a 32-bit comparison, all ones or zero, and its flags. */
LANES_INLINE void put_set(const struct call *c, u32x32 v) {
    put(c, v);
    if (wants_flags(c)) {
        struct flags *f = flags_written(c);
        const lane_mask holds = lanes_to_mask(v), m = flag_lanes(c);
        f->z = merge(f->z, ~holds, m);
        f->s = merge(f->s, holds, m);
        f->c &= ~m;
        f->o &= ~m;
    }
}

LANES_INLINE void put_f32(const struct call *c, u32x32 v) {
    put(c, v);
    put_zero_sign(c, f32_flag_z(v), f32_flag_s(v));
}

LANES_INLINE void put_64(const struct call *c, u64x32 v) {
    put_pair(c, f64_low(v), f64_high(v));
}

LANES_INLINE void put_f64(const struct call *c, u64x32 v) {
    put_64(c, v);
    put_zero_sign(c, f64_flag_z(v), f64_flag_s(v));
}

/* ---- moves ---- */

LANES_INLINE void do_mov(struct call c) {
    if (c.shape == SHAPE_ANY)
        c.m &= lanes_of_mask4(c.l->op->lane_mask4);
    if (c.m)
        put(&c, source(&c, 0));
}

LANES_INLINE void do_mov_from_flags(struct call c) {
    const struct flags *f = &c.w->c[c.l->op->src[0].value & 3];
    put(&c, (lanes_from_mask(f->z) & 1) | (lanes_from_mask(f->s) & 2) |
                (lanes_from_mask(f->c) & 4) | (lanes_from_mask(f->o) & 8));
}

LANES_INLINE void do_mov_to_flags(struct call c) {
    u32x32 v = source(&c, 0);
    u32x32 z = v << 31, s = v << 30, carry = v << 29, overflow = v << 28;
    put_flags(&c, z, s, carry, overflow);
}

LANES_INLINE void do_mov_from_addr(struct call c) {
    put(&c, c.w->a[c.l->op->src[0].value & 7] & 0xffff);
}

/* Special registers, tesla-isa.md §2.3. Registers that are not listed read 0. */
LANES_INLINE void do_mov_from_special(struct call c) {
    enum { PHYSID, CLOCK, UNUSED, VSTRIDE_REG, SAMPLEID = 8 };
    switch (c.l->op->src[0].value) {
    case PHYSID:
        put(&c, lanes_iota() | ((c.w->warp_id & 0xff) << 8 | c.w->phys_id));
        break;
    case CLOCK:
        put(&c, lanes_splat((uint32_t)c.w->executed));
        break;
    case VSTRIDE_REG:
        put(&c, lanes_splat(VSTRIDE));
        break;
    case SAMPLEID:
        put(&c, lanes_splat(c.env->program->variant == ISA_GT215 ? c.w->sample_id : 0));
        break;
    default:
        put(&c, lanes_splat(0));
        break;
    }
}

LANES_INLINE void put_address(const struct call *c, u32x32 v) {
    const uint32_t n = c->l->op->dst.value & 7;
    if (n)
        lanes_store(&c->w->a[n], v & 0xffff, c->m);
}

LANES_INLINE void do_shl_to_addr(struct call c) {
    put_address(&c, source(&c, 0) << (c.l->op->src[1].value & 31));
}

LANES_INLINE void do_add_to_addr(struct call c) {
    const struct op *op = c.l->op;
    put_address(&c, c.w->a[op->src[0].value & 7] + op->src[1].value);
}

/* ---- integer ---- */

LANES_INLINE u32x32 carry_in(const struct call *c) {
    return lanes_from_mask(c->w->c[c->l->op->pred_reg & 3].c) & 1;
}

/* The sum of iadd and imad, by the op's add_kind. int_add() gets the kind as a constant, so each
 * case is compiled for its kind. */
LANES_INLINE struct int_result add_family(const struct call *c, u32x32 x, u32x32 y, unsigned bits) {
    const struct op *op = c->l->op;
    const enum int_sat sat = c->shape == SHAPE_ANY && op->sat ? INT_SAT_SIGNED : INT_WRAP;
    switch ((enum add_kind)op->add_kind) {
    case ADD_ADD:
        return int_add(x, y, ADD_ADD, int_carry(ADD_ADD), bits, sat);
    case ADD_SUB:
        return int_add(x, y, ADD_SUB, int_carry(ADD_SUB), bits, sat);
    case ADD_SUBR:
        return int_add(x, y, ADD_SUBR, int_carry(ADD_SUBR), bits, sat);
    default:
        return int_add(x, y, ADD_ADDC, carry_in(c), bits, sat);
    }
}

LANES_INLINE void do_iadd(struct call c) {
    const unsigned bits = width_of(&c);
    put_int(&c, add_family(&c, source(&c, 0), source(&c, 1), bits), bits);
}

LANES_INLINE u32x32 product(const struct call *c) {
    u32x32 a = source_int(c, 0), b = source_int(c, 1);
    return c->l->op->high ? int_mul_high(a, b) : int_mul(a, b);
}

LANES_INLINE void do_imul(struct call c) {
    put_int_only(&c, product(&c), 32);
}

LANES_INLINE void do_imad(struct call c) {
    put_int(&c, add_family(&c, product(&c), source(&c, 2), 32), 32);
}

LANES_INLINE void do_sad(struct call c) {
    const bool sign = type_is_signed(c.l->op->src[0].type);
    const u32x32 d = int_distance(source_int(&c, 0), source_int(&c, 1), sign);
    put_int(&c, int_add(d, source(&c, 2), ADD_ADD, int_carry(ADD_ADD), 32, INT_WRAP), 32);
}

LANES_INLINE void do_imin(struct call c) {
    put_int_only(&c, int_min(source_int(&c, 0), source_int(&c, 1), type_is_signed(c.l->op->type)),
                 width_of(&c));
}

LANES_INLINE void do_imax(struct call c) {
    put_int_only(&c, int_max(source_int(&c, 0), source_int(&c, 1), type_is_signed(c.l->op->type)),
                 width_of(&c));
}

LANES_INLINE void do_iset(struct call c) {
    u32x32 v =
        int_set(source_int(&c, 0), source_int(&c, 1), c.l->op->cond, type_is_signed(c.l->op->type));
    if (width_of(&c) == 32)
        put_set(&c, v);
    else
        put_int_only(&c, v, 16);
}

/* The count is unsigned and as wide as its register; an immediate count is 0..127. */
LANES_INLINE void do_shl(struct call c) {
    const unsigned bits = width_of(&c);
    u32x32 v = int_extend(source(&c, 0), bits, false), n = int_extend(source(&c, 1), bits, false);
    put_int(&c, int_shl(v, n, bits), bits);
}

LANES_INLINE void do_shr(struct call c) {
    const unsigned bits = width_of(&c);
    u32x32 v = int_extend(source(&c, 0), bits, false), n = int_extend(source(&c, 1), bits, false);
    put_int(&c, int_shr(v, n, bits, type_is_signed(c.l->op->type)), bits);
}

LANES_INLINE u32x32 source_logic(const struct call *c, int i) {
    u32x32 v = source(c, i);
    return c->shape == SHAPE_ANY && c->l->op->src[i].flags & OPERAND_NOT ? ~v : v;
}

LANES_INLINE void do_logic(struct call c) {
    put_int_only(&c, int_logic(source_logic(&c, 0), source_logic(&c, 1), c.l->op->logic),
                 width_of(&c));
}

/* ---- single precision ---- */

/* MODE_SAT_NAN exists on G200 and GT21x only; the two differ (tesla-isa.md §2.7). */
LANES_INLINE enum sat_nan sat_nan_of(const struct call *c) {
    if (!(c->env->mode & MODE_SAT_NAN))
        return SAT_NAN_KEEP;
    switch (c->env->program->variant) {
    case ISA_G200:
        return SAT_NAN_SOURCES;
    case ISA_GT215:
        return SAT_NAN_ZERO;
    default:
        return SAT_NAN_KEEP;
    }
}

/* Saturates v. source_nan: lanes with a NaN source, which count on G200 only. */
LANES_INLINE u32x32 saturate(const struct call *c, u32x32 v, u32x32 source_nan) {
    enum sat_nan mode = sat_nan_of(c);
    u32x32 all = ~lanes_splat(0);
    return f32_saturate(v, mode == SAT_NAN_KEEP ? ~all : mode == SAT_NAN_ZERO ? all : source_nan);
}

LANES_INLINE bool saturates(const struct call *c) {
    return c->l->op->sat;
}

LANES_INLINE enum round_mode rounding(const struct call *c) {
    return c->shape != SHAPE_ANY ? ROUND_RN : c->l->op->round;
}

/* True if the operation computes in the fast arithmetic (alu/fast.h). */
LANES_INLINE bool is_fast(const struct call *c) {
    return c->l->op->fast;
}

LANES_INLINE bool zero_wins(const struct call *c) {
    return c->env->mode & MODE_MUL_ZERO_WINS;
}

LANES_INLINE void do_fadd(struct call c) {
    u32x32 a = source_f32(&c, 0), b = source_f32(&c, 1);
    u32x32 r = f32_add(a, b, rounding(&c));
    if (saturates(&c))
        r = saturate(&c, r, f32_is_nan(a) | f32_is_nan(b));
    put_f32(&c, r);
}

/* fmul saturates from sm12 (G200) on (tesla-isa.md §1). */
LANES_INLINE void do_fmul(struct call c) {
    u32x32 a = source_f32(&c, 0), b = source_f32(&c, 1);
    u32x32 r = f32_mul(a, b, rounding(&c), zero_wins(&c));
    if (saturates(&c) && c.env->program->variant >= ISA_G200)
        r = saturate(&c, r, f32_is_nan(a) | f32_is_nan(b));
    put_f32(&c, r);
}

/* A stencil tries the short form first, then the form for extreme operands; the interpreter
 * computes all forms at once. */
LANES_INLINE u32x32 mad(const struct call *c, u32x32 x, u32x32 y, u32x32 z) {
    if (is_fast(c))
        return fast_mad(x, y, z, zero_wins(c));
#ifdef TP_STENCIL
    return f32_mad(x, y, z, zero_wins(c), c->m, c->io->late ? F32_MAD_EXTREMES : F32_MAD_SHORT,
                   &c->io->slow);
#else
    return f32_mad(x, y, z, zero_wins(c), c->m, F32_MAD_WHOLE, NULL);
#endif
}

LANES_INLINE void do_fmad(struct call c) {
    u32x32 a = source_f32(&c, 0), b = source_f32(&c, 1), d = source_f32(&c, 2);
    u32x32 r = mad(&c, a, b, d);
    if (saturates(&c)) {
        u32x32 factor_nan = f32_is_nan(a) | f32_is_nan(b);
        r = saturate(&c, r, factor_nan | f32_is_nan(d));
        if (zero_wins(&c) && sat_nan_of(&c) != SAT_NAN_KEEP)
            r &= ~factor_nan;
    }
    put_f32(&c, r);
}

LANES_INLINE void do_fmin(struct call c) {
    put_f32(&c, f32_min_max(source_f32(&c, 0), source_f32(&c, 1), false));
}

LANES_INLINE void do_fmax(struct call c) {
    put_f32(&c, f32_min_max(source_f32(&c, 0), source_f32(&c, 1), true));
}

LANES_INLINE void do_fset(struct call c) {
    put_set(&c, f32_set(source_f32(&c, 0), source_f32(&c, 1), c.l->op->cond));
}

/* The flags are those of the selected bits: Z for a zero of either sign, else S is the sign bit
 * (tesla-isa.md §6.5). */
LANES_INLINE void do_slct(struct call c) {
    u32x32 v = f32_select(source(&c, 0), source(&c, 1), source_f32(&c, 2));
    const u32x32 zero = (u32x32)(v << 1 == 0);
    put(&c, v);
    put_zero_sign(&c, zero, v & ~zero);
}

LANES_INLINE void do_presin(struct call c) {
    const u32x32 v = source_f32(&c, 0);
    put(&c, is_fast(&c) ? f32_result(v) : sfu_presin(v)); /* fast: sin reduces its argument */
}

LANES_INLINE void do_preex2(struct call c) {
    const u32x32 v = source_f32(&c, 0);
    put(&c, is_fast(&c) ? f32_result(v) : sfu_preex2(v));
}

LANES_INLINE void do_rcp(struct call c) {
    const u32x32 v = source_f32(&c, 0);
    put(&c, is_fast(&c) ? fast_rcp(v) : kept_rcp(c.w, v));
}

LANES_INLINE void do_rsqrt(struct call c) {
    const u32x32 v = source_f32(&c, 0);
    put(&c, is_fast(&c) ? fast_rsqrt(v) : kept_rsqrt(c.w, v));
}

/* A stencil first tries operands that are not special; special ones are left to its late
 * attempt. */
LANES_INLINE u32x32 quick_lg2(const struct call *c, u32x32 v) {
#ifdef TP_STENCIL
    if (!c->io->late) {
        c->io->slow = fast_lg2_is_rare(v);
        return fast_lg2_body(v);
    }
#else
    (void)c;
#endif
    return fast_lg2(v);
}

LANES_INLINE void do_lg2(struct call c) {
    const u32x32 v = source_f32(&c, 0);
    put(&c, is_fast(&c) ? quick_lg2(&c, v) : kept_lg2(c.w, v));
}

LANES_INLINE void do_sin(struct call c) {
    const u32x32 v = source(&c, 0);
    put(&c, is_fast(&c) ? fast_sin(v, false) : sfu_sin(v, false));
}

LANES_INLINE void do_cos(struct call c) {
    const u32x32 v = source(&c, 0);
    put(&c, is_fast(&c) ? fast_sin(v, true) : sfu_sin(v, true));
}

LANES_INLINE void do_ex2(struct call c) {
    const u32x32 v = source(&c, 0);
    u32x32 r = is_fast(&c) ? fast_ex2(v) : sfu_ex2(v);
    if (saturates(&c))
        r = saturate(&c, r, ~lanes_splat(0));
    put(&c, r);
}

/* Outside fragment programs a derivative is a constant (tesla-isa.md §2.7). */
LANES_INLINE void do_quadop(struct call c) {
    const struct op *op = c.l->op;
    if (op->quad_lane >= QUAD_DX && c.env->program->type != PROGRAM_FP) {
        put_f32(&c, lanes_splat(c.env->mode & MODE_NONFP_DERIV ? F32_INF : 0));
        return;
    }
    u32x32 a = quad_pick(source_f32(&c, 0), op->quad_lane);
    put_f32(&c, quad_op(a, source_f32(&c, 1), op->quad_ops));
}

/* ---- double precision ---- */

LANES_INLINE void do_dfma(struct call c) {
    put_f64(&c, f64_fma(source_f64(&c, 0), source_f64(&c, 1), source_f64(&c, 2), c.l->op->round));
}

LANES_INLINE void do_dadd(struct call c) {
    put_f64(&c, f64_add(source_f64(&c, 0), source_f64(&c, 1), c.l->op->round));
}

LANES_INLINE void do_dmul(struct call c) {
    put_f64(&c, f64_mul(source_f64(&c, 0), source_f64(&c, 1), c.l->op->round));
}

LANES_INLINE void do_dmin(struct call c) {
    put_f64(&c, f64_min_max(source_f64(&c, 0), source_f64(&c, 1), false));
}

LANES_INLINE void do_dmax(struct call c) {
    put_f64(&c, f64_min_max(source_f64(&c, 0), source_f64(&c, 1), true));
}

LANES_INLINE void do_dset(struct call c) {
    put_int_only(&c, f64_set(source_f64(&c, 0), source_f64(&c, 1), c.l->op->cond), 32);
}

/* ---- conversions ---- */

/* Width of the register written, 16 or 32: an 8-bit type does not determine it. */
LANES_INLINE unsigned dest_width(const struct op *op) {
    const struct operand *d = &op->dst;
    return d->file == FILE_RH || (d->file != FILE_R && type_bits(d->type) == 16) ? 16 : 32;
}

LANES_INLINE struct cvt_integer cvt_source_int(const struct call *c) {
    const struct operand *o = &c->l->op->src[0];
    return cvt_read_integer(source(c, 0), type_bits(o->type), type_is_signed(o->type), o->flags);
}

LANES_INLINE u32x32 cvt_source_float(const struct call *c) {
    const struct operand *o = &c->l->op->src[0];
    if (c->shape == SHAPE_PLAIN)
        return source_f32(c, 0);
    u32x32 v = source(c, 0);
    return f32_modify(o->type == TYPE_F16 ? cvt_f16_to_f32(v & 0xffff) : v, o->flags);
}

LANES_INLINE void put_cvt_int(const struct call *c, struct cvt_integer n) {
    const unsigned type = c->l->op->type, width = dest_width(c->l->op);
    u32x32 v = cvt_write_integer(n, type_bits(type), type_is_signed(type));
    put_int_only(c, int_extend(v, width, false), width);
}

/* Writes v, an f32, as f32 or f16. Flags are those of the bits written. */
LANES_INLINE void put_cvt_float(const struct call *c, u32x32 v, bool integral) {
    if (c->shape == SHAPE_PLAIN || c->l->op->type == TYPE_F32) {
        put_f32(c, v);
        return;
    }
    u32x32 h = cvt_f32_to_f16(v, c->l->op->round, integral);
    put(c, h);
    const u32x32 nan = (u32x32)((h & 0x7fff) > F16_INF), zero = (u32x32)((h & 0x7fff) == 0);
    put_zero_sign(c, zero | nan, (h << 16 & ~zero) | nan);
}

LANES_INLINE void do_cvt_int_int(struct call c) {
    put_cvt_int(&c, cvt_source_int(&c));
}

LANES_INLINE void do_cvt_int_float(struct call c) {
    const enum round_mode mode = c.l->op->round;
#ifdef CVT_HOST
    const struct operand *const o = &c.l->op->src[0];
    /* To nearest, a number and its negative are rounded to the same magnitude. */
    if (c.l->op->type == TYPE_F32 && (!o->flags || mode == ROUND_RN) && cvt_host_can(mode)) {
        u32x32 r = cvt_host_to_f32(source_int(&c, 0), type_is_signed(o->type), mode);
        r = f32_modify(r, o->flags);
        if (saturates(&c))
            r = saturate(&c, r, ~lanes_splat(0));
        put_cvt_float(&c, r, false);
        return;
    }
#endif
    struct cvt_integer n = cvt_source_int(&c);
    if (c.l->op->type == TYPE_F16)
        n.magnitude = cvt_f16_magnitude(n, round_rule_for(mode, n.negative));
    u32x32 v = cvt_integer_to_f32(n, mode);
    if (saturates(&c))
        v = saturate(&c, v, ~lanes_splat(0));
    put_cvt_float(&c, v, false);
}

LANES_INLINE void do_cvt_float_int(struct call c) {
#ifdef CVT_HOST
    if (type_bits(c.l->op->type) == 32) {
        const unsigned width = dest_width(c.l->op);
        u32x32 r = cvt_host_to_integer(cvt_source_float(&c), type_is_signed(c.l->op->type),
                                       c.l->op->round);
        put_int_only(&c, int_extend(r, width, false), width);
        return;
    }
#endif
    put_cvt_int(&c, cvt_f32_to_integer(cvt_source_float(&c), c.l->op->round));
}

LANES_INLINE void do_cvt_float_float(struct call c) {
    const struct op *op = c.l->op;
#if defined(STENCIL_RAW_NAN) && defined(__AVX512F__)
    /* the host's instruction flushes denormals and makes NaNs quiet */
    if (op->integral && op->type == TYPE_F32 && !saturates(&c)) {
        put_cvt_float(&c, cvt_f32_integral(cvt_source_float(&c), op->round), true);
        return;
    }
#endif
    u32x32 v = f32_flush_by_host(cvt_source_float(&c));
    v = op->type == TYPE_F32 ? f32_result(v) : f32_canonical(v);
    if (saturates(&c))
        v = saturate(&c, v, ~lanes_splat(0));
    if (op->integral)
        v = cvt_f32_integral(v, op->round);
    put_cvt_float(&c, v, op->integral);
}

/* The 64-bit forms (tesla-isa.md §9), lane by lane. */
LANES_INLINE union f64_lanes cvt_wide_source(const struct call *c) {
    const struct operand *o = &c->l->op->src[0];
    union f64_lanes s;
    if (type_bits(o->type) == 64) {
        s.v = o->type == TYPE_F64 ? source_f64(c, 0) : source_64(c, 0);
        return s;
    }
    u32x32 v = source(c, 0);
    s.v = __builtin_convertvector(v, u64x32);
    if (o->type == TYPE_S32)
        s.v |= __builtin_convertvector(int_sign_fill(v), u64x32) << 32;
    if (o->type == TYPE_F32) {
        for (int i = 0; i < LANES; i++)
            s.bits[i] = f64_from_f32((uint32_t)s.bits[i]);
        s.v = f64_modify(s.v, o->flags);
    }
    return s;
}

static void cvt_wide_to_int(const struct call *c) {
    const struct op *op = c->l->op;
    const unsigned bits = type_bits(op->type);
    union f64_lanes s = cvt_wide_source(c), out;
    u32x32 over = lanes_splat(0), none = lanes_splat(0);
    for (int i = 0; i < LANES; i++) {
        struct f64_integer n = f64_to_integer(s.bits[i], bits, type_is_signed(op->type), op->round);
        out.bits[i] = n.value;
        over[i] = n.overflow ? ~0u : 0;
    }
    if (bits == 64)
        put_64(c, out.v);
    else
        put(c, f64_low(out.v));
    put_flags(c, f64_low((u64x32)(out.v == 0)), bits == 64 ? f64_high(out.v) : f64_low(out.v), none,
              over);
}

static void cvt_wide_to_float(const struct call *c) {
    const struct op *op = c->l->op;
    const struct operand *o = &op->src[0];
    const bool to_f64 = op->type == TYPE_F64;
    union f64_lanes s = cvt_wide_source(c), out;
    for (int i = 0; i < LANES; i++)
        out.bits[i] = !type_is_float(o->type) ? f64_from_integer(s.bits[i], type_is_signed(o->type),
                                                                 o->flags, to_f64, op->round)
                      : !to_f64               ? f64_to_f32(s.bits[i], op->round)
                      : op->integral && o->type == TYPE_F64 ? f64_integral(s.bits[i], op->round)
                                                            : s.bits[i];
    if (to_f64) {
        put_f64(c, f64_blend(f64_is_nan(out.v), out.v | F64_QUIET, out.v));
    } else {
        u32x32 v = f64_low(out.v);
        put(c, v);
        /* denormals here are results: not flushed */
        const u32x32 zero = (u32x32)(v << 1 == 0), nan = f32_is_nan(v);
        put_zero_sign(c, zero | nan, (v & ~zero) | nan);
    }
}

LANES_INLINE void do_cvt_wide(struct call c) {
    if (type_is_float(c.l->op->type))
        cvt_wide_to_float(&c);
    else
        cvt_wide_to_int(&c);
}

#ifndef TP_STENCIL

/* ---- selection ---- */

/* X(opcode or name, function) */
#define ALU_LIST_THREE(X) X(IMAD, imad) X(FMAD, fmad) X(SLCT, slct)
#define ALU_LIST_TWO(X)                                                                            \
    X(IADD, iadd)                                                                                  \
    X(IMUL, imul)                                                                                  \
    X(IMAX, imax)                                                                                  \
    X(IMIN, imin)                                                                                  \
    X(ISET, iset)                                                                                  \
    X(SHL, shl)                                                                                    \
    X(SHR, shr)                                                                                    \
    X(LOGIC, logic) X(FADD, fadd) X(FMUL, fmul) X(FMAX, fmax) X(FMIN, fmin) X(FSET, fset)
#define ALU_LIST_ONE(X)                                                                            \
    X(RCP, rcp) X(RSQRT, rsqrt) X(PRESIN, presin) X(PREEX2, preex2) X(LG2, lg2) X(EX2, ex2)
#define ALU_LIST_PLAIN(X)                                                                          \
    ALU_LIST_THREE(X) ALU_LIST_TWO(X) ALU_LIST_ONE(X) X(MOV, mov) X(SIN, sin) X(COS, cos)
#define ALU_LIST_ANY(X)                                                                            \
    ALU_LIST_PLAIN(X)                                                                              \
    X(MOV_FROM_FLAGS, mov_from_flags)                                                              \
    X(MOV_TO_FLAGS, mov_to_flags)                                                                  \
    X(MOV_FROM_ADDR, mov_from_addr)                                                                \
    X(MOV_FROM_SPECIAL, mov_from_special)                                                          \
    X(SHL_TO_ADDR, shl_to_addr)                                                                    \
    X(ADD_TO_ADDR, add_to_addr)                                                                    \
    X(SAD, sad)                                                                                    \
    X(QUADOP, quadop)                                                                              \
    X(DFMA, dfma) X(DADD, dadd) X(DMUL, dmul) X(DMIN, dmin) X(DMAX, dmax) X(DSET, dset)
#define CVT_LIST(X)                                                                                \
    X(INT_INT, cvt_int_int)                                                                        \
    X(INT_FLOAT, cvt_int_float)                                                                    \
    X(FLOAT_INT, cvt_float_int) X(FLOAT_FLOAT, cvt_float_float) X(WIDE, cvt_wide)

#define HANDLER(name, suffix, shape)                                                               \
    static void name##_##suffix(struct warp *w, const struct warp_env *env,                        \
                                const struct linked_op *l, lane_mask m) {                          \
        do_##name((struct call){w, env, l, m, shape});                                             \
    }
#define X(code, name) HANDLER(name, any, SHAPE_ANY)
ALU_LIST_ANY(X)
CVT_LIST(X)
#undef X
#define X(code, name) HANDLER(name, plain, SHAPE_PLAIN)
ALU_LIST_PLAIN(X)
HANDLER(cvt_float_float, plain, SHAPE_PLAIN)
#undef X
HANDLER(mov, word0, SHAPE_WORD0)
#define X(code, name) HANDLER(name, word1, SHAPE_WORD1)
ALU_LIST_TWO(X)
ALU_LIST_THREE(X)
#undef X
#define X(code, name) HANDLER(name, word2, SHAPE_WORD2)
ALU_LIST_THREE(X)
#undef X

static exec_fn *const handlers[SHAPES][OPCODES] = {
#define X(code, name) [OP_##code] = name##_any,
    [SHAPE_ANY] = {ALU_LIST_ANY(X)},
#undef X
#define X(code, name) [OP_##code] = name##_plain,
    [SHAPE_PLAIN] = {ALU_LIST_PLAIN(X)},
#undef X
    [SHAPE_WORD0] = {[OP_MOV] = mov_word0, [OP_LD] = mov_word0},
#define X(code, name) [OP_##code] = name##_word1,
    [SHAPE_WORD1] = {ALU_LIST_TWO(X) ALU_LIST_THREE(X)},
#undef X
#define X(code, name) [OP_##code] = name##_word2,
    [SHAPE_WORD2] = {ALU_LIST_THREE(X)},
#undef X
};

static bool is_f32_register(const struct operand *o) {
    return o->file == FILE_R && o->type == TYPE_F32;
}

static exec_fn *select_cvt(const struct op *op) {
    const unsigned from = op->src[0].type, to = op->type;
    if (type_bits(from) == 64 || type_bits(to) == 64)
        return cvt_wide_any;
    if (to == TYPE_F32 && op->dst.file == FILE_R && is_f32_register(&op->src[0]))
        return cvt_float_float_plain;
    if (type_is_float(from))
        return type_is_float(to) ? cvt_float_float_any : cvt_float_int_any;
    return type_is_float(to) ? cvt_int_float_any : cvt_int_int_any;
}

/* True if only the SHAPE_ANY build of the handler can write the result. */
static bool has_rare_result(const struct op *op) {
    const bool is_integer = op->type != TYPE_F32;
    return op->round != ROUND_RN || (is_integer && op->sat) ||
           (is_integer && op->cdst != NO_FLAGS_DST && op->code != OP_ISET);
}

/* 16-bit immediates and words read as 16 bits are left to SHAPE_ANY. Values of 24 bits are extended
 * when they are used. */
static bool is_uniform(const struct operand *o) {
    if (type_bits(o->type) < 24)
        return false;
    return o->file == FILE_IMM || (o->file == FILE_CONST && operand_is_fixed_word(o));
}

static bool is_plain_dest(const struct op *op) {
    return op->dst.file == FILE_R || (op->dst.file == FILE_NULL && type_bits(op->type) == 32);
}

static enum shape shape_of(const struct op *op) {
    enum shape shape = SHAPE_PLAIN;
    if (!is_plain_dest(op) || has_rare_result(op) ||
        ((op->code == OP_MOV || op->code == OP_LD) && op->lane_mask4 != 15))
        return SHAPE_ANY;
    for (int i = 0; i < 3; i++) {
        const struct operand *o = &op->src[i];
        if (o->flags & ~(OPERAND_NEG | OPERAND_ABS))
            return SHAPE_ANY;
        if (o->file == FILE_R || o->file == FILE_NONE)
            continue;
        if (shape != SHAPE_PLAIN || !is_uniform(o))
            return SHAPE_ANY;
        shape = SHAPE_WORD0 + (unsigned)i;
    }
    return shape;
}

exec_fn *SIMD_FN(exec_alu_select)(const struct op *op) {
    if (op->code >= OPCODES)
        return NULL;
    if (op->code == OP_LD && op->src[0].file == FILE_ATTR && !op->src[0].areg &&
        op->src[0].mem == TYPE_B32)
        return mov_any;
    if (op->code == OP_CVT)
        return select_cvt(op);
    exec_fn *fn = handlers[shape_of(op)][op->code];
    return fn ? fn : handlers[SHAPE_ANY][op->code];
}

#endif
