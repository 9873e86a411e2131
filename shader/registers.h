/* Register rows of a warp for instructions that name more than one register or a half: bounds of
 * the allocation, 16-bit halves, and the standard destination ($r, half, o[] or none). In: a warp
 * and operands; out: rows. For the exec_*.c files; must not know what is computed.
 */
#ifndef SHADER_REGISTERS_H
#define SHADER_REGISTERS_H

#include "shader/exec.h"

LANES_INLINE uint32_t lanes_count(lane_mask m) {
    return (uint32_t)__builtin_popcount(m);
}

/* Row of $rN as a source and as a destination: beyond the allocation it reads 0 and drops writes
 * (tesla-isa.md §2.2). */
LANES_INLINE uint32_t source_row(const struct warp_env *env, uint32_t n) {
    return n < env->program->header.reg_count && n < WARP_REGS ? n : WARP_REGS;
}

LANES_INLINE uint32_t dest_row(const struct warp_env *env, uint32_t n) {
    return n < env->program->header.reg_count && n < WARP_REGS ? n : WARP_REGS + 1;
}

/* The word at byte `at` of c[space], which all lanes see; false beyond its end, where it is 0. */
LANES_INLINE bool const_word(const struct warp_env *env, uint32_t space, uint32_t at,
                             uint32_t *word) {
    const struct const_view *c = &env->c[space];
    *word = 0;
    if (at + 4 > c->size)
        return false;
    memcpy(word, c->data + at, sizeof *word);
    return true;
}

/* A register operand as data: $rN, or a half zero-extended. */
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

/* The lanes whose (lane & 3) bit is set in mask4. */
LANES_INLINE lane_mask lanes_of_mask4(unsigned mask4) {
    return (mask4 & 15) * 0x11111111u;
}

#endif
