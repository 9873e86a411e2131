/* Functions that the handlers of Fermi and generic64 share: operands, predicates, comparison
 * results. In: a linked op and the lanes it runs in. For exec_fermi_*.c and flow_fermi.c; must not
 * know how results are computed. Facts: fermi-isa.md §2, §4 and §5.
 */
#pragma once

#include "shader/registers.h"
#include "shader/stack.h"

/* FERMI_DO and FERMI_HANDLER begin the function do_name(), whose argument is c. Outside of
 * stencils, FERMI_HANDLER also defines the exec_fn `name`, which calls do_name(). */
#define FERMI_DO(name) LANES_INLINE void do_##name(struct call *c)
#ifdef TP_STENCIL
#define FERMI_HANDLER(name) FERMI_DO(name)
#else
#define FERMI_HANDLER(name)                                                                        \
    FERMI_DO(name);                                                                                \
    static void name(struct warp *w, const struct warp_env *env, const struct linked_op *l,        \
                     lane_mask m) {                                                                \
        struct call c = {.w = w, .env = env, .l = l, .m = m};                                      \
        do_##name(&c);                                                                             \
    }                                                                                              \
    FERMI_DO(name)
#endif

LANES_INLINE const struct op *op_of(const struct call *c) {
    return c->l->op;
}

/* $rN as a source. */
LANES_INLINE u32x32 row(const struct call *c, uint32_t n) {
    return c->w->r[source_row(c->env, n)];
}

/* The floating-point mode that an operation needs. ANY: either mode. KEPT: a mode that keeps
 * denormals. FLUSHED: handlers take either mode, stencils need a mode that flushes denormals.
 * program.flushes tells the program's mode. */
enum fermi_denormals { DENORMALS_ANY, DENORMALS_KEPT, DENORMALS_FLUSHED };
enum fermi_denormals fermi_denormals(const struct op *op);

/* The lanes of m that may change memory: helper and discarded pixels may not. */
LANES_INLINE lane_mask fermi_writers(const struct call *c, lane_mask m) {
    return c->env->program->type == PROGRAM_FP ? m & ~c->w->dead : m;
}

/* The lanes in which a guard or predicate source holds. code: a number or PRED_TRUE, with PRED_NOT
 * if negated. */
LANES_INLINE lane_mask fermi_predicate(const struct warp *w, uint8_t code) {
    const lane_mask p = (code & 31) == PRED_TRUE ? LANES_ALL : w->fermi.p[code & 31];
    return code & PRED_NOT ? ~p : p;
}

LANES_INLINE void fermi_put_predicate(const struct call *c, int i, lane_mask v) {
    const uint8_t n = op_of(c)->pdst[i];
    if (n < PRED_TRUE)
        c->w->fermi.p[n] = (c->w->fermi.p[n] & ~c->m) | (v & c->m);
}

LANES_INLINE lane_mask fermi_logic(unsigned kind, lane_mask a, lane_mask b) {
    return kind == PLOGIC_AND ? a & b : kind == PLOGIC_OR ? a | b : a ^ b;
}

/* Word number `word` of c[bank] from a fixed offset on, the same in all lanes; 0 if it is out of
 * range. */
LANES_INLINE uint32_t fermi_const(const struct call *c, const struct operand *o, uint32_t word) {
    const uint32_t at = (o->value & 0xffff) + 4 * word;
    uint32_t v = 0;
    if (o->index >= 16 || !const_word(c->env, o->index, at, &v))
        c->w->stats.bad_reads += lanes_count(c->m);
    return v;
}

LANES_INLINE u32x32 fermi_source(const struct call *c, int i) {
#ifdef TP_STENCIL
    return c->io->in[i];
#endif
    const struct operand *o = &op_of(c)->src[i];
    switch (o->file) {
    case FILE_R:
        return c->w->r[c->l->src[i]];
    case FILE_IMM:
        return lanes_splat(o->value);
    case FILE_CONST:
        return lanes_splat(fermi_const(c, o, 0));
    default:
        return lanes_splat(0);
    }
}

/* The low and high word of a 64-bit source. An immediate is the high word of a double, or an
 * integer that is sign-extended. */
LANES_INLINE void fermi_source_pair(const struct call *c, int i, u32x32 *low, u32x32 *high) {
    const struct operand *o = &op_of(c)->src[i];
    *low = *high = lanes_splat(0);
    if (o->file == FILE_R) {
        *low = row(c, o->value);
        *high = row(c, o->value + 1);
    } else if (o->file == FILE_CONST) {
        *low = lanes_splat(fermi_const(c, o, 0));
        *high = lanes_splat(fermi_const(c, o, 1));
    } else if (o->file == FILE_IMM && o->type == TYPE_F64) {
        *high = lanes_splat(o->value);
    } else if (o->file == FILE_IMM) {
        *low = lanes_splat(o->value);
        *high = lanes_splat((int32_t)o->value < 0 ? ~0u : 0);
    }
}

/* The lanes in which a test of $c holds (fermi-isa.md §5). The first sixteen tests are Tesla's
 * predicates. */
lane_mask fermi_test(const struct flags *f, unsigned code);

/* Writes a comparison's result to predicates and, as all ones or 1.0, to the register, if there is
 * one. holding: all ones in the lanes where the comparison holds. A stencil writes only the row
 * `holding`; other steps do the rest. */
LANES_INLINE void fermi_put_set(const struct call *c, u32x32 holding) {
#ifdef TP_STENCIL
    c->io->out = holding;
    return;
#endif
    const struct op *op = op_of(c);
    const lane_mask holds = lanes_to_mask(holding);
    const lane_mask with = fermi_predicate(c->w, op->psrc[2]);
    const lane_mask v = fermi_logic(op->plogic[1], holds, with);
    fermi_put_predicate(c, 0, v);
    fermi_put_predicate(c, 1, fermi_logic(op->plogic[1], ~holds, with));
    if (op->dst.file != FILE_R)
        return;
    const u32x32 word = lanes_from_mask(v) & (op->dst.type == TYPE_F32 ? 0x3f800000u : ~0u);
    put(c, word);
    put_zero_sign(c, (u32x32)(word == 0), word);
}

/* The windows of s[] and l[] in the 32-bit address space: address >> FERMI_WINDOW_SHIFT
 * (docs/instruction-sets.md). */
enum { FERMI_S_WINDOW = 0xfe, FERMI_L_WINDOW = 0xff, FERMI_WINDOW_SHIFT = 24 };

/* Selectors: the handler of op, or NULL if that part does not execute it. */
SIMD_DECLARE(exec_fn *, exec_fermi_int_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_fermi_float_select, (const struct op *op));
/* The handlers of doubles take a mode that keeps or flushes denormals; where denormals matter, the
 * handlers change the mode. */
SIMD_DECLARE(exec_fn *, exec_fermi_double_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_fermi_memory_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_fermi_atomics_select, (const struct op *op));
SIMD_DECLARE(void, exec_fermi_kept,
             (struct warp * w, const struct warp_env *env, const struct linked_op *l, lane_mask m));
SIMD_DECLARE(exec_fn *, exec_fermi_special_select, (const struct op *op));
exec_fn *exec_fermi_graphics_select(const struct op *op);
SIMD_DECLARE(exec_fn *, exec_fermi_surface_select, (const struct op *op));

/* True for loads and stores of one to four words at a base register (64 bits for g[], 32
 * for s[]). */
LANES_INLINE bool fermi_accesses_words(const struct op *op) {
    const bool is_load = op->code == OP_LD;
    const struct operand *o = is_load ? &op->src[0] : &op->dst;
    const struct operand *data = is_load ? &op->dst : &op->src[0];
    const bool wide = o->flags & OPERAND_WIDE, global = o->file == FILE_GLOBAL;
    return (global || o->file == FILE_SHARED) && wide == global && o->flags & OPERAND_BASED &&
           data->file == FILE_R && (o->mem == TYPE_B96 || type_bytes(o->mem) >= 4);
}

/* The handler that executes op, a load or store of one word, and the n - 1 instructions behind it,
 * which access the following words at the same base in the same lanes. NULL: there is none. */
enum { FERMI_BURST = 4 };
SIMD_DECLARE(exec_fn *, exec_fermi_burst, (const struct op *op, uint32_t n));

/* Executes all rounds of a loop of `length` instructions in the lanes of m. The loop begins with l,
 * a lock of s[]: ld lock, instructions whose guard is the lock's predicate, st unlock, a branch
 * back while the predicate does not hold; behind it, a join. Called in native code, which has
 * counted the first round. False: nothing was done. */
typedef bool exec_fermi_lock_loop_fn(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l, lane_mask m, uint32_t length);
SIMD_DECLARE(bool, exec_fermi_lock_loop,
             (struct warp * w, const struct warp_env *env, const struct linked_op *l, lane_mask m,
              uint32_t length));

/* flow_fermi.c. For flow.c: executes one instruction; l is NULL if there is none, which is an
 * error. */
enum warp_status fermi_step(struct warp *w, const struct warp_env *env, const struct linked_op *l);
/* As fermi_step(); env's observer sees the instruction. */
enum warp_status fermi_step_observed(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l);
/* For flow.c: begins to run a warp, or resumes it if its barrier has opened. */
enum warp_status fermi_resume(struct warp *w, const struct warp_env *env);
/* For native code: executes a control instruction at w->pc, with its join. */
enum go fermi_control(struct warp *w, const struct warp_env *env, const struct linked_op *l);
/* For native code: the join of another instruction, whose guard holds in the lanes p. */
enum go fermi_join(struct warp *w, lane_mask p);
