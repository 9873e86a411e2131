/* What compiled programs are made of, as LLVM bitcode, one build per SIMD level (TP_BITCODE): the
 * interpreter's handlers from the very same source, and the steps of control flow (stack.h). The
 * compiler (lower.c) strings calls of these together and lets LLVM inline them. Never an object
 * file. In: a warp, its environment, a linked op that is a constant by then.
 */
#include "shader/exec_alu.c"
#include "shader/exec_memory.c"
#include "shader/exec_special.c"
#include "shader/alu/sfu_rom.c"
#include "shader/jit/steps.h"
#include "shader/stack.h"

/* Names a handler that no table here does, so that clang keeps it. */
exec_fn *jit_keep(void) {
    return st_out;
}

/* Evaluates a v[] word once for all the interps that name it. */
void jit_varying(struct warp *w, uint32_t word, uint32_t mode, struct varying *v) {
    if (varying_uniform(w, word, mode, v))
        return;
    struct varying general;
    SIMD_FN(exec_varying)(w, word, mode, &general);
    *v = general;
}

void jit_interp(struct warp *w, const struct warp_env *env, const struct linked_op *l, lane_mask m,
                const struct varying *v) {
    if (v->missing)
        w->stats.bad_reads += lanes_count(v->missing & m & w->active);
    interp_finish(w, env, l, m, v->value);
}

/* What the compiler took for granted; it checks the mode before it gets here. */
void jit_assume(const struct warp_env *env, uint32_t mode, uint32_t type, uint32_t variant,
                uint32_t reg_count) {
    __builtin_assume(env->mode == mode);
    __builtin_assume((uint32_t)env->program->type == type);
    __builtin_assume((uint32_t)env->program->variant == variant);
    __builtin_assume(env->program->header.reg_count == reg_count);
}

/* May compiled code take this warp? Between quadon and quadpop and in another mode it may not. */
bool jit_accepts(const struct warp *w, const struct warp_env *env, uint32_t mode) {
    return env->mode == mode && !(w->stack_top && flow_top(w)->type == STACK_QUADON);
}

/* All lanes that were started are active. */
bool jit_is_full(const struct warp *w) {
    return w->active == w->launched;
}

uint32_t jit_pc(const struct warp *w) {
    return w->pc;
}

lane_mask jit_active(const struct warp *w) {
    return w->active;
}

lane_mask jit_predicate(const struct warp *w, uint32_t reg, uint32_t code) {
    return predicate_lanes(&w->c[reg], code);
}

/* Are there `instructions` left to execute? */
bool jit_budget(const struct warp *w, const struct warp_env *env, uint32_t instructions) {
    return w->executed + instructions <= flow_budget(env);
}

void jit_executed(struct warp *w, uint32_t instructions) {
    w->executed += instructions;
}

void jit_count(struct warp *w, uint32_t instructions) {
    w->stats.instructions += instructions;
    w->stats.lane_instructions += (uint64_t)instructions * lanes_count(w->active);
}

uint32_t jit_stop(struct warp *w, uint32_t pc) {
    w->pc = pc;
    return WARP_RUNNING;
}

uint32_t jit_join(struct warp *w, uint32_t pc) {
    w->pc = pc;
    return flow_join(w);
}

uint32_t jit_exit(struct warp *w, const struct warp_env *env, uint32_t next) {
    w->pc = next;
    return flow_exit(w, env);
}

#define X(code, name)                                                                              \
    uint32_t jit_##name(struct warp *w, const struct warp_env *env, const struct linked_op *l,     \
                        uint32_t pc, lane_mask p) {                                                \
        w->pc = pc;                                                                                \
        return flow_##name(w, env, l, p);                                                          \
    }
JIT_CONTROL_LIST(X)
#undef X
