/* The divergence stack and most control instructions as inline functions on a warp. A function
 * changes the warp's state and returns where the warp goes next. flow.c, flow_fermi.c and native/
 * (stencils, control.c) are built from these functions. Must not know how instructions are fetched.
 * Rules: exactly those of tesla-isa.md §10.
 */
#pragma once

#include "shader/exec.h"

#include <stdlib.h>

/* Stencils cannot call functions, so FLOW_INLINE functions are always inlined. */
#define FLOW_INLINE static inline __attribute__((always_inline))

/* The place where a warp goes after a control instruction. */
enum go {
    GO_NEXT,   /* the following instruction */
    GO_TARGET, /* op.target */
    GO_PC,     /* w->pc, which came from the stack or from data */
    GO_DONE,   /* the warp has ended */
    GO_WAIT,   /* to a barrier, and then to w->pc */
    GO_ERROR,  /* w->error has the cause */
};

/* w->pc must be the instruction's address. */
FLOW_INLINE enum go flow_fail(struct warp *w, enum mp_error code, enum decode_error decode) {
    w->error = (struct warp_error){(uint8_t)code, (uint8_t)decode, w->pc, w->active, w->warp_id};
    return GO_ERROR;
}

enum { FLOW_BUDGET = 1 << 28 };

/* Instructions a warp may execute before TIMEOUT; with env->overtime, WARP_SECONDS follow. */
static inline uint64_t flow_budget(const struct warp_env *env) {
    return env->budget ? env->budget : FLOW_BUDGET;
}

/* The instruction at pc, or NULL. */
static inline const struct linked_op *flow_fetch(const struct warp_env *env, uint32_t pc) {
    const struct program *p = env->program;
    const uint32_t i = program_word(p, pc);
    return i < p->linked->count && pc % 4 == 0 ? &p->linked->op[i] : NULL;
}

/* Moves the warp to where instruction l sends it. l is NULL if no instruction does: then GO_NEXT
 * changes nothing. */
static inline enum warp_status flow_go(struct warp *w, const struct linked_op *l, enum go go) {
    switch (go) {
    case GO_DONE:
        return WARP_DONE;
    case GO_ERROR:
        return WARP_ERROR;
    case GO_WAIT:
        return WARP_WAITING;
    case GO_NEXT:
        if (l)
            w->pc = l->next;
        break;
    case GO_TARGET:
        w->pc = l->op->target;
        break;
    case GO_PC:
        break;
    }
    return WARP_RUNNING;
}

/* Tells the observer of an instruction that is about to be executed in the lanes m. */
static inline void flow_tell_before(const struct warp *w, const struct warp_env *env,
                                    const struct op *op, lane_mask m) {
    env->observer->before(env->observer->self, w, env, op, m);
}

static inline void flow_tell_after(const struct warp *w, const struct warp_env *env,
                                   const struct op *op, lane_mask m) {
    if (env->observer->after)
        env->observer->after(env->observer->self, w, env, op, m);
}

static inline void flow_count(struct warp *w, uint64_t instructions) {
    const uint64_t lanes = w->active == LANES_ALL ? LANES : (uint64_t)__builtin_popcount(w->active);
    w->stats.instructions += instructions;
    w->stats.lane_instructions += instructions * lanes;
}

/* Native code counts down the rest of the budget. Adds to stats the instructions executed since the
 * last call. Must be called before the active lanes change. */
static inline void flow_bring_up_to_date(struct warp *w, lane_mask active) {
    const uint64_t instructions = (uint64_t)(w->native.counted_at - w->native.left);
    w->stats.instructions += instructions;
    w->stats.lane_instructions += instructions * (uint64_t)__builtin_popcount(active);
    w->native.counted_at = w->native.left;
}

/* A warp arrives at barrier n, which waits for `count` warps, or for all that run. True if the
 * barrier opens. */
static inline bool flow_arrive(struct cta_shared *b, unsigned n, bool all, uint32_t count) {
    b->expected[n] = (uint16_t)(all ? 0 : count);
    if (++b->arrived[n] < (all ? b->warp_count : count))
        return false;
    b->arrived[n] = 0;
    b->phase[n]++;
    return true;
}

/* ---- the stack ---- */

static inline lane_mask flow_live(const struct warp *w, lane_mask m) {
    return m & ~(w->broke | w->fermi.continued | w->returned | w->exited);
}

static inline struct stack_entry *flow_top(const struct warp *w) {
    return w->stack_top ? &w->stack[w->stack_top - 1] : NULL;
}

static __attribute__((noinline, unused)) bool flow_grow_stack(struct warp *w) {
    const uint32_t capacity = w->stack_capacity * 2;
    const bool own = w->stack == w->own_stack;
    struct stack_entry *stack = realloc(own ? NULL : w->stack, capacity * sizeof *stack);
    if (!stack)
        return false;
    if (own)
        memcpy(stack, w->own_stack, sizeof w->own_stack);
    w->stack = stack;
    w->stack_capacity = capacity;
    return true;
}

/* False with the error set when the stack is full. */
static inline bool flow_push(struct warp *w, const struct warp_env *env, enum stack_type type,
                             uint32_t pc, lane_mask mask) {
    uint32_t limit = env->stack_limit;
    if (limit == 0 || limit > WARP_STACK_MAX)
        limit = WARP_STACK_MAX;
    if (w->stack_top >= limit || (w->stack_top == w->stack_capacity && !flow_grow_stack(w))) {
        flow_fail(w, MP_STACK_OVERFLOW, DECODE_OK);
        return false;
    }
    w->stack[w->stack_top++] = (struct stack_entry){(uint8_t)type, pc, mask};
    return true;
}

/* Pushes an entry; the warp continues with the next instruction. */
static inline enum go flow_enter(struct warp *w, const struct warp_env *env, enum stack_type type,
                                 uint32_t pc, lane_mask mask) {
    return flow_push(w, env, type, pc, mask) ? GO_NEXT : GO_ERROR;
}

FLOW_INLINE bool flow_has_entry(const struct warp *w, enum stack_type type) {
    for (uint32_t i = w->stack_top; i-- > 0;)
        if (w->stack[i].type == type)
            return true;
    return false;
}

FLOW_INLINE enum go flow_finish(struct warp *w) {
    w->exited = LANES_ALL;
    w->active = 0;
    w->stack_top = 0;
    return GO_DONE;
}

/* True if only helper lanes are left. A fragment warp may end when all lanes that have not exited
 * are dead (tesla-isa.md §10.3). */
static inline bool flow_only_helpers(const struct warp *w, const struct warp_env *env) {
    return env->program->type == PROGRAM_FP && (w->exited | w->dead) == LANES_ALL;
}

/* Resumes lanes from the stack until a lane is active. GO_NEXT: lanes were active already, and
 * nothing has changed. */
FLOW_INLINE enum go flow_settle(struct warp *w) {
    enum go go = GO_NEXT;
    while (!w->active) {
        const struct stack_entry *e = flow_top(w);
        if (!e)
            return flow_finish(w);
        if (e->type == STACK_QUADON)
            return flow_fail(w, MP_QUADON_ACTIVE, DECODE_OK);
        go = GO_PC;
        if (e->type == STACK_JOINAT) {
            w->active = flow_live(w, e->mask);
            if (w->active)
                w->pc = e->pc; /* the entry stays: the join at its address pops it */
            else
                w->stack_top--;
            continue;
        }
        if (e->type == STACK_PREBREAK)
            w->broke &= ~e->mask;
        else if (e->type == STACK_CALL || e->type == STACK_CALL_LIM)
            w->returned &= ~e->mask;
        w->limited_calls -= e->type == STACK_CALL_LIM;
        w->active = flow_live(w, e->mask);
        w->pc = e->pc;
        w->stack_top--;
    }
    return go;
}

/* The join flag acts before its instruction. The instruction is executed now if the result is
 * GO_NEXT. */
FLOW_INLINE enum go flow_join(struct warp *w) {
    const struct stack_entry *e = flow_top(w);
    if (!e || (e->type != STACK_BRANCH && e->type != STACK_JOINAT))
        return flow_fail(w, e ? MP_STACK_MISMATCH : MP_STACK_UNDERFLOW, DECODE_OK);
    const bool branch = e->type == STACK_BRANCH;
    w->active = flow_live(w, e->mask);
    if (branch)
        w->pc = e->pc;
    w->stack_top--;
    if (w->active)
        return branch ? GO_PC : GO_NEXT;
    return flow_settle(w);
}

/* The exit flag acts after its instruction, even if the predicate did not hold. */
FLOW_INLINE enum go flow_exit(struct warp *w, const struct warp_env *env) {
    w->exited |= w->active;
    w->active = 0;
    return flow_only_helpers(w, env) ? flow_finish(w) : flow_settle(w);
}

/* ---- control instructions: p = lanes in which the predicate holds; w->pc = the address ---- */

static inline enum go flow_bra(struct warp *w, const struct warp_env *env,
                               const struct linked_op *l, lane_mask p) {
    if (!p)
        return GO_NEXT;
    if (p != w->active) {
        if (!flow_push(w, env, STACK_BRANCH, l->next, w->active & ~p))
            return GO_ERROR;
        w->active = p;
    }
    return GO_TARGET;
}

static inline enum go flow_joinat(struct warp *w, const struct warp_env *env,
                                  const struct linked_op *l, lane_mask p) {
    return flow_enter(w, env, STACK_JOINAT, l->op->target, p);
}

static inline enum go flow_prebreak(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p) {
    return flow_enter(w, env, STACK_PREBREAK, l->op->target, p);
}

/* The lanes of p leave. The other lanes continue at `next`. */
FLOW_INLINE enum go flow_leave(struct warp *w, uint32_t next, lane_mask p) {
    w->active &= ~p;
    if (w->active)
        return GO_NEXT;
    w->pc = next;
    return flow_settle(w);
}

FLOW_INLINE enum go flow_break_out(struct warp *w, uint32_t next, lane_mask p) {
    if (p && !flow_has_entry(w, STACK_PREBREAK))
        return flow_fail(w, MP_STACK_UNDERFLOW, DECODE_OK);
    w->broke |= p;
    return flow_leave(w, next, p);
}

static inline enum go flow_break(struct warp *w, const struct warp_env *, const struct linked_op *l,
                                 lane_mask p) {
    return flow_break_out(w, l->next, p);
}

FLOW_INLINE enum go flow_return(struct warp *w, uint32_t next, lane_mask p) {
    w->returned |= p;
    return flow_leave(w, next, p);
}

static inline enum go flow_ret(struct warp *w, const struct warp_env *, const struct linked_op *l,
                               lane_mask p) {
    return flow_return(w, l->next, p);
}

/* call and preret push the same kind of entry. resume: where the entry's lanes resume; then: where
 * the warp goes on. */
static inline enum go flow_push_call(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l, uint32_t resume, enum go then) {
    if (l->op->limited && w->limited_calls >= env->call_limit)
        return GO_NEXT; /* ignored */
    const enum stack_type type = l->op->limited ? STACK_CALL_LIM : STACK_CALL;
    if (!flow_push(w, env, type, resume, w->active))
        return GO_ERROR;
    w->limited_calls += l->op->limited;
    return then;
}

static inline enum go flow_call(struct warp *w, const struct warp_env *env,
                                const struct linked_op *l, lane_mask) {
    return flow_push_call(w, env, l, l->next, GO_TARGET);
}

FLOW_INLINE lane_mask whole_quads(lane_mask m) {
    return ((m | m >> 1 | m >> 2 | m >> 3) & 0x11111111u) * 15;
}

/* Activates all lanes of quads that have an active lane, until quadpop. */
static inline enum go flow_quadon(struct warp *w, const struct warp_env *env,
                                  const struct linked_op *, lane_mask p) {
    if (!flow_push(w, env, STACK_QUADON, 0, p))
        return GO_ERROR;
    w->active = whole_quads(p);
    return GO_NEXT;
}

static inline enum go flow_quadpop(struct warp *w, const struct warp_env *,
                                   const struct linked_op *, lane_mask) {
    const struct stack_entry *e = flow_top(w);
    if (!e || e->type != STACK_QUADON)
        return flow_fail(w, e ? MP_STACK_MISMATCH : MP_STACK_UNDERFLOW, DECODE_OK);
    w->active = e->mask;
    w->stack_top--;
    return GO_NEXT;
}

static inline enum go flow_preret(struct warp *w, const struct warp_env *env,
                                  const struct linked_op *l, lane_mask) {
    return flow_push_call(w, env, l, l->op->target, GO_NEXT);
}

static inline enum go flow_discard(struct warp *w, const struct warp_env *env,
                                   const struct linked_op *, lane_mask p) {
    w->dead |= p;
    return flow_only_helpers(w, env) ? flow_finish(w) : GO_NEXT;
}
