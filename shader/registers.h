/* Operands and results of instructions, for all instruction sets: register rows within the bounds
 * of the allocation, 16-bit halves, the standard destination ($r, half, o[] or none), $c. In: the
 * arguments of a handler. For the exec_*.c files; must not know how results are computed.
 */
#pragma once

#include "shader/alu/int.h"
#include "shader/exec.h"

/* Handlers exist in several builds, chosen when a program is linked. SHAPE_ANY takes every op.
 * SHAPE_PLAIN takes only 32-bit registers and, except in cvt, round to nearest; integer operations
 * have no saturation and, except iset, no $c. SHAPE_WORD0..2 are SHAPE_PLAIN, except that source 0,
 * 1 or 2 is the op's uniform word. */
enum shape { SHAPE_ANY, SHAPE_PLAIN, SHAPE_WORD0, SHAPE_WORD1, SHAPE_WORD2, SHAPES };

/* The arguments of a handler. */
struct call {
    struct warp *w;
    const struct warp_env *env;
    const struct linked_op *l;
    lane_mask m;
    enum shape shape; /* Fermi and generic64: SHAPE_ANY */
#ifdef TP_STENCIL
    struct stencil_io *io;
#endif
};

LANES_INLINE uint32_t lanes_count(lane_mask m) {
    return (uint32_t)__builtin_popcount(m);
}

/* The row of $rN as a source, and as a destination: beyond the allocation it reads 0 and drops
 * writes (tesla-isa.md §2.2). */
LANES_INLINE uint32_t source_row(const struct warp_env *env, uint32_t n) {
    return n < env->program->header.reg_count && n < WARP_REGS ? n : WARP_REGS;
}

LANES_INLINE uint32_t dest_row(const struct warp_env *env, uint32_t n) {
    return n < env->program->header.reg_count && n < WARP_REGS ? n : WARP_REGS + 1;
}

/* The word at byte `at` of c[space], the same in all lanes. False, and *word is 0: the word is out
 * of range. */
LANES_INLINE bool const_word(const struct warp_env *env, uint32_t space, uint32_t at,
                             uint32_t *word) {
    const struct const_view *c = &env->c[space];
    *word = 0;
    if (at + 4 > c->size)
        return false;
    memcpy(word, c->data + at, sizeof *word);
    return true;
}

/* The value of a register operand: $rN, or a half zero-extended. */
LANES_INLINE u32x32 register_data(const struct warp *w, const struct operand *o, uint32_t row) {
    const u32x32 v = w->r[row];
    if (o->file != FILE_RH)
        return v;
    return o->value & 1 ? v >> 16 : v & 0xffff;
}

/* Writes v to the standard destination of an instruction in the lanes of m. A 16-bit result goes to
 * both halves of an o[] word (tesla-isa.md §4.1). */
LANES_INLINE void store_dest(struct warp *w, const struct operand *o, uint32_t row, u32x32 v,
                             lane_mask m) {
    if (o->file == FILE_R) {
        lanes_store(&w->r[row], v, m);
    } else if (o->file == FILE_RH) {
        const u32x32 old = w->r[row];
        const u32x32 low = (old & 0xffff0000u) | (v & 0xffff);
        const u32x32 high = (old & 0xffff) | v << 16;
        lanes_store(&w->r[row], o->value & 1 ? high : low, m);
    } else if (o->file == FILE_OUT) {
        const bool half = o->type == TYPE_B16 || o->type == TYPE_U16 || o->type == TYPE_S16 ||
                          o->type == TYPE_F16;
        const uint32_t out = o->value >> 2;
        if (out >= w->out_count)
            w->stats.bad_writes += lanes_count(m & w->active);
        else
            lanes_store(&w->out[out], half ? (v & 0xffff) | v << 16 : v, m);
    }
}

/* The lanes whose place in their quad (lane & 3) is a set bit of mask4. */
LANES_INLINE lane_mask lanes_of_mask4(unsigned mask4) {
    return (mask4 & 15) * 0x11111111u;
}

/* ---- results ---- */

LANES_INLINE void put(const struct call *c, u32x32 v) {
#ifdef TP_STENCIL
    c->io->out = v;
    return;
#endif
    if (c->shape != SHAPE_ANY)
        lanes_store(&c->w->r[c->l->dst], v, c->m);
    else
        store_dest(c->w, &c->l->op->dst, c->l->dst, v, c->m);
}

/* Writes 64 bits to two registers. */
LANES_INLINE void put_pair(const struct call *c, u32x32 low, u32x32 high) {
    const uint32_t n = c->l->op->dst.value;
    if (c->l->op->dst.file != FILE_R)
        return;
    lanes_store(&c->w->r[dest_row(c->env, n)], low, c->m);
    lanes_store(&c->w->r[dest_row(c->env, n + 1)], high, c->m);
}

LANES_INLINE bool wants_flags(const struct call *c) {
    return c->l->op->cdst != NO_FLAGS_DST;
}

/* The $c that the instruction writes, in the lanes of flag_lanes(). */
LANES_INLINE struct flags *flags_written(const struct call *c) {
#ifdef TP_STENCIL
    return c->io->flags;
#else
    return &c->w->c[c->l->op->cdst & 3];
#endif
}

LANES_INLINE lane_mask flag_lanes(const struct call *c) {
#ifdef TP_STENCIL
    return c->io->flag_lanes;
#else
    return c->m;
#endif
}

LANES_INLINE lane_mask merge(lane_mask old, lane_mask now, lane_mask m) {
    return (old & ~m) | (now & m);
}

/* Writes $c, if the instruction writes $c. Each argument holds its flag in the top bit of the
 * lanes. */
LANES_INLINE void put_flags(const struct call *c, u32x32 z, u32x32 s, u32x32 carry,
                            u32x32 overflow) {
    if (!wants_flags(c))
        return;
    struct flags *f = flags_written(c);
    const lane_mask m = flag_lanes(c);
    f->z = merge(f->z, lanes_to_mask(z), m);
    f->s = merge(f->s, lanes_to_mask(s), m);
    f->c = merge(f->c, lanes_to_mask(carry), m);
    f->o = merge(f->o, lanes_to_mask(overflow), m);
}

/* Writes $c with C and O 0, if the instruction writes $c. */
LANES_INLINE void put_zero_sign(const struct call *c, u32x32 z, u32x32 s) {
    put_flags(c, z, s, lanes_splat(0), lanes_splat(0));
}

/* Writes an integer result of `bits` bits, and its flags. */
LANES_INLINE void put_int(const struct call *c, struct int_result r, unsigned bits) {
    put(c, r.value);
    if (c->shape == SHAPE_ANY && wants_flags(c)) {
        u32x32 top = r.value << (32 - bits), zero = (u32x32)(top == 0);
        put_flags(c, zero, top, r.carry, r.overflow);
    }
}

/* Writes an integer result of `bits` bits, and its flags with C and O 0. */
LANES_INLINE void put_int_only(const struct call *c, u32x32 v, unsigned bits) {
    put_int(c, (struct int_result){v, lanes_splat(0), lanes_splat(0)}, bits);
}
