/* Runs a warp: fetch, predicate, join before and exit after the instruction, the divergence stack
 * and every control instruction. In: a started warp and its environment; out: its registers,
 * outputs and masks, or an error by its hardware name. Must not know what an instruction computes:
 * arithmetic, memory and textures sit behind linked_op.fn. Rules: tesla-isa.md section 10, letter
 * by letter.
 */
#include "shader/exec.h"
#include "shader/predicate.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { MXCSR_FLUSH = 0x9fc0 }; /* FTZ, DAZ, round to nearest, all exceptions masked */
static const uint64_t default_budget = 1u << 28;

static unsigned fp_enter(void) {
#if defined(__SSE2__)
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(MXCSR_FLUSH);
    return saved;
#else
    return 0;
#endif
}

static void fp_leave(unsigned saved) {
#if defined(__SSE2__)
    _mm_setcsr(saved);
#else
    (void)saved;
#endif
}

const char *mp_error_name(enum mp_error e) {
    static const char *const names[] = {
#define X(e) [MP_##e] = #e,
        MP_ERROR_LIST(X)
#undef X
    };
    return (unsigned)e < sizeof names / sizeof *names ? names[e] : "?";
}

int warp_error_print(const struct warp_error *e, char *buf, size_t size) {
    const bool decode = e->code == MP_DECODE_ERROR;
    return snprintf(buf, size, "%s%s%s at 0x%06x, warp %u, lanes %08x", mp_error_name(e->code),
                    decode ? " " : "", decode ? decode_error_name(e->decode) : "", e->address,
                    e->warp, e->lanes);
}

static enum warp_status fail(struct warp *w, enum mp_error code, enum decode_error decode) {
    w->error = (struct warp_error){(uint8_t)code, (uint8_t)decode, w->pc, w->active, w->warp_id};
    return WARP_ERROR;
}

/* ---- the stack ---- */

static lane_mask live(const struct warp *w, lane_mask m) {
    return m & ~(w->broke | w->returned | w->exited);
}

static struct stack_entry *top(const struct warp *w) {
    return w->stack_top ? &w->stack[w->stack_top - 1] : NULL;
}

static bool grow_stack(struct warp *w) {
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

static enum warp_status push(struct warp *w, const struct warp_env *env, enum stack_type type,
                             uint32_t pc, lane_mask mask) {
    uint32_t limit = env->stack_limit;
    if (limit == 0 || limit > WARP_STACK_MAX)
        limit = WARP_STACK_MAX;
    if (w->stack_top >= limit || (w->stack_top == w->stack_capacity && !grow_stack(w)))
        return fail(w, MP_STACK_OVERFLOW, DECODE_OK);
    w->stack[w->stack_top++] = (struct stack_entry){(uint8_t)type, pc, mask};
    return WARP_RUNNING;
}

static enum warp_status finish(struct warp *w) {
    w->exited = LANES_ALL;
    w->active = 0;
    w->stack_top = 0;
    return WARP_DONE;
}

/* Helper lanes alone have nobody to help: a fragment warp may end when all lanes that have not
 * exited are dead (tesla-isa.md 10.3). */
static bool only_helpers(const struct warp *w, const struct warp_env *env) {
    return env->program->type == PROGRAM_FP && (w->exited | w->dead) == LANES_ALL;
}

/* Resumes lanes from the stack while none is active. */
static enum warp_status settle(struct warp *w) {
    while (!w->active) {
        const struct stack_entry *e = top(w);
        if (!e)
            return finish(w);
        switch (e->type) {
        case STACK_JOINAT:
            w->active = live(w, e->mask);
            if (w->active)
                w->pc = e->pc; /* the entry stays: the join found at pc pops it */
            else
                w->stack_top--;
            continue;
        case STACK_QUADON:
            return fail(w, MP_QUADON_ACTIVE, DECODE_OK);
        case STACK_PREBREAK:
            w->broke &= ~e->mask;
            break;
        case STACK_CALL_LIM:
            w->limited_calls--;
            w->returned &= ~e->mask;
            break;
        case STACK_CALL:
            w->returned &= ~e->mask;
            break;
        }
        w->active = live(w, e->mask);
        w->pc = e->pc;
        w->stack_top--;
    }
    return WARP_RUNNING;
}

/* The join flag acts before its instruction. True if the instruction is to be executed now. */
static bool join(struct warp *w, enum warp_status *status) {
    const struct stack_entry *e = top(w);
    if (!e || (e->type != STACK_BRANCH && e->type != STACK_JOINAT)) {
        *status = fail(w, e ? MP_STACK_MISMATCH : MP_STACK_UNDERFLOW, DECODE_OK);
        return false;
    }
    const bool branch = e->type == STACK_BRANCH;
    w->active = live(w, e->mask);
    if (branch)
        w->pc = e->pc;
    w->stack_top--;
    if (!branch && w->active)
        return true;
    *status = settle(w);
    return false;
}

/* ---- control instructions: p = lanes in which the predicate holds ---- */

typedef enum warp_status control_fn(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p);

static enum warp_status go(struct warp *w, uint32_t pc) {
    w->pc = pc;
    return WARP_RUNNING;
}

static enum warp_status control_bra(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p) {
    if (!p)
        return go(w, l->next);
    if (p != w->active) {
        if (push(w, env, STACK_BRANCH, l->next, w->active & ~p) != WARP_RUNNING)
            return WARP_ERROR;
        w->active = p;
    }
    return go(w, l->op->target);
}

/* Lanes that disagree about the target take it one group after the other: those left over come back
 * to this very instruction. */
static enum warp_status control_bra_indirect(struct warp *w, const struct warp_env *env,
                                             const struct linked_op *l, lane_mask p) {
    static void (*const load[])(struct warp *, const struct warp_env *, const struct operand *,
                                lane_mask, u32x32 *) = SIMD_TABLE(exec_load_operand);
    u32x32 word;
    load[env->simd](w, env, &l->op->src[0], p, &word);
    const uint32_t target = word[__builtin_ctz(p)];
    const lane_mask agree = p & lanes_to_mask((u32x32)(word == lanes_splat(target)));
    if (agree != p) {
        if (push(w, env, STACK_BRANCH, w->pc, p & ~agree) != WARP_RUNNING)
            return WARP_ERROR;
        w->active = agree;
    }
    return go(w, target & 0xfffffc);
}

static enum warp_status control_joinat(struct warp *w, const struct warp_env *env,
                                       const struct linked_op *l, lane_mask p) {
    if (push(w, env, STACK_JOINAT, l->op->target, p) != WARP_RUNNING)
        return WARP_ERROR;
    return go(w, l->next);
}

static enum warp_status control_prebreak(struct warp *w, const struct warp_env *env,
                                         const struct linked_op *l, lane_mask p) {
    if (push(w, env, STACK_PREBREAK, l->op->target, p) != WARP_RUNNING)
        return WARP_ERROR;
    return go(w, l->next);
}

static bool has_prebreak(const struct warp *w) {
    for (uint32_t i = w->stack_top; i-- > 0;)
        if (w->stack[i].type == STACK_PREBREAK)
            return true;
    return false;
}

static enum warp_status control_break(struct warp *w, const struct warp_env *env,
                                      const struct linked_op *l, lane_mask p) {
    (void)env;
    if (p && !has_prebreak(w))
        return fail(w, MP_STACK_UNDERFLOW, DECODE_OK);
    w->broke |= p;
    w->active &= ~p;
    w->pc = l->next;
    return settle(w);
}

static enum warp_status control_ret(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p) {
    (void)env;
    w->returned |= p;
    w->active &= ~p;
    w->pc = l->next;
    return settle(w);
}

/* call and preret push the same entry; they differ in where it resumes and where to go on. */
static enum warp_status push_call(struct warp *w, const struct warp_env *env,
                                  const struct linked_op *l, uint32_t resume, uint32_t then) {
    if (l->op->limited && w->limited_calls >= env->call_limit)
        return go(w, l->next); /* ignored */
    const enum stack_type type = l->op->limited ? STACK_CALL_LIM : STACK_CALL;
    if (push(w, env, type, resume, w->active) != WARP_RUNNING)
        return WARP_ERROR;
    w->limited_calls += l->op->limited;
    return go(w, then);
}

static enum warp_status control_call(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l, lane_mask p) {
    (void)p;
    return push_call(w, env, l, l->next, l->op->target);
}

static enum warp_status control_preret(struct warp *w, const struct warp_env *env,
                                       const struct linked_op *l, lane_mask p) {
    (void)p;
    return push_call(w, env, l, l->op->target, l->next);
}

static enum warp_status control_quadon(struct warp *w, const struct warp_env *env,
                                       const struct linked_op *l, lane_mask p) {
    if (push(w, env, STACK_QUADON, 0, p) != WARP_RUNNING)
        return WARP_ERROR;
    const lane_mask first = (p | p >> 1 | p >> 2 | p >> 3) & 0x11111111u;
    w->active = first * 15;
    return go(w, l->next);
}

static enum warp_status control_quadpop(struct warp *w, const struct warp_env *env,
                                        const struct linked_op *l, lane_mask p) {
    (void)env, (void)p;
    const struct stack_entry *e = top(w);
    if (!e || e->type != STACK_QUADON)
        return fail(w, e ? MP_STACK_MISMATCH : MP_STACK_UNDERFLOW, DECODE_OK);
    w->active = e->mask;
    w->stack_top--;
    return go(w, l->next);
}

static enum warp_status control_discard(struct warp *w, const struct warp_env *env,
                                        const struct linked_op *l, lane_mask p) {
    w->dead |= p;
    w->pc = l->next;
    return only_helpers(w, env) ? finish(w) : WARP_RUNNING;
}

static enum warp_status control_trap(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l, lane_mask p) {
    (void)env, (void)l, (void)p;
    return fail(w, MP_DECODE_ERROR, DECODE_TRAP_INSTRUCTION);
}

static enum warp_status control_brkpt(struct warp *w, const struct warp_env *env,
                                      const struct linked_op *l, lane_mask p) {
    (void)env, (void)p;
    return go(w, l->next); /* no debugger mode: no effect (tesla-isa.md 6.10) */
}

/* A barrier counts warps, not lanes (tesla-isa.md 6.10). */
static enum warp_status control_bar(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p) {
    (void)env, (void)p;
    struct block_shared *b = w->block;
    const struct op *op = l->op;
    const unsigned n = op->bar_id % WARP_BARRIERS;
    w->pc = l->next;
    if (!b)
        return WARP_RUNNING;
    if (op->bar_inc) {
        b->expected[n] = op->bar_all ? 0 : op->bar_count;
        const uint32_t expected = op->bar_all ? b->warp_count : op->bar_count;
        if (++b->arrived[n] >= expected) {
            b->arrived[n] = 0;
            b->phase[n]++;
        }
    }
    if (!op->bar_wait || b->arrived[n] == 0)
        return WARP_RUNNING;
    w->wait_barrier = n;
    w->wait_phase = b->phase[n];
    return WARP_WAITING;
}

struct control {
    control_fn *fn;
    bool predicable;
    bool in_quadon; /* allowed between quadon and quadpop */
};

static const struct control controls[OPCODES] = {
    [OP_DISCARD] = {control_discard, true, false},
    [OP_BRA] = {control_bra, true, false},
    [OP_BRA_INDIRECT] = {control_bra_indirect, false, false},
    [OP_CALL] = {control_call, false, false},
    [OP_RET] = {control_ret, true, false},
    [OP_PREBREAK] = {control_prebreak, false, false},
    [OP_BREAK] = {control_break, true, false},
    [OP_QUADON] = {control_quadon, false, false},
    [OP_QUADPOP] = {control_quadpop, false, true},
    [OP_BAR] = {control_bar, false, false},
    [OP_TRAP] = {control_trap, false, true},
    [OP_JOINAT] = {control_joinat, false, false},
    [OP_BRKPT] = {control_brkpt, true, false},
    [OP_PRERET] = {control_preret, false, false},
};

/* ---- one instruction, and many ---- */

static uint64_t budget_of(const struct warp_env *env) {
    return env->budget ? env->budget : default_budget;
}

static const struct linked_op *fetch(const struct warp_env *env, uint32_t pc) {
    const struct program *p = env->program;
    const uint32_t i = (pc - p->base) >> 2;
    return i < p->linked->count ? &p->linked->op[i] : NULL;
}

/* Lanes the instruction is executed in. Vote reads its predicate as data. */
static lane_mask executing(const struct warp *w, const struct op *op,
                           const struct control *control) {
    if (op->pred == PRED_ALWAYS || op->code == OP_VOTE || (control->fn && !control->predicable))
        return w->active;
    return w->active & predicate_lanes(&w->c[op->pred_reg & 3], op->pred);
}

static enum warp_status exit_lanes(struct warp *w, const struct warp_env *env) {
    w->exited |= w->active; /* whatever the predicate was */
    w->active = 0;
    return only_helpers(w, env) ? finish(w) : settle(w);
}

static void count(struct warp *w, uint64_t instructions) {
    const uint64_t lanes =
        w->active == LANES_ALL ? LANES : (uint64_t)__builtin_popcount(w->active);
    w->stats.instructions += instructions;
    w->stats.lane_instructions += instructions * lanes;
}

/* Between quadon and quadpop nothing may change the course of the warp. */
static bool violates_quadon(const struct warp *w, const struct op *op,
                            const struct control *control) {
    return w->stack_top && top(w)->type == STACK_QUADON &&
           (op->join || op->exit || (control->fn && !control->in_quadon));
}

/* fn may report a run-time trap; address and lanes are known here. */
static enum warp_status execute(struct warp *w, const struct warp_env *env,
                                const struct linked_op *l, lane_mask m) {
    exec_fn *fn = l->fn[env->simd];
    if (!fn)
        return fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE);
    fn(w, env, l, m);
    if (w->error.code != MP_NONE)
        return fail(w, w->error.code, w->error.decode);
    return WARP_RUNNING;
}

static enum warp_status step(struct warp *w, const struct warp_env *env,
                             const struct linked_op *l) {
    const struct op *op = l->op;
    if (op->code == OP_ILLEGAL)
        return fail(w, MP_DECODE_ERROR, op->error);
    if (w->executed >= budget_of(env))
        return fail(w, MP_TIMEOUT, DECODE_OK);
    w->executed++;
    const struct control *control = &controls[op->code];
    if (violates_quadon(w, op, control))
        return fail(w, MP_QUADON_ACTIVE, DECODE_OK);
    enum warp_status status = WARP_RUNNING;
    if (op->join && !join(w, &status))
        return status;
    count(w, 1);
    const lane_mask p = executing(w, op, control);
    if (control->fn) {
        status = control->fn(w, env, l, p);
    } else {
        if (p)
            status = execute(w, env, l, p);
        if (status == WARP_RUNNING)
            w->pc = l->next;
    }
    if (op->exit && status == WARP_RUNNING)
        status = exit_lanes(w, env);
    return status;
}

/* The straight line that starts at l, or what the budget leaves of it: nothing but the functions is
 * needed, and none of them can fail. Returns where it ends. */
static const struct linked_op *run_line(struct warp *w, const struct warp_env *env,
                                        const struct linked_op *l) {
    const uint64_t left = budget_of(env) - w->executed;
    const uint32_t length = l->run < left ? l->run : (uint32_t)left;
    const enum simd_level level = env->simd;
    const lane_mask active = w->active;
    for (uint32_t i = 0; i < length; i++) {
        l->fn[level](w, env, l, active);
        l += l->words;
    }
    w->executed += length;
    count(w, length);
    return l;
}

static enum warp_status advance(struct warp *w, const struct warp_env *env) {
    const struct linked_program *p = env->program->linked;
    const struct linked_op *l = fetch(env, w->pc);
    if (l && l->run && w->executed < budget_of(env)) {
        l = run_line(w, env, l);
        w->pc = env->program->base + 4 * (uint32_t)(l - p->op);
        if (l >= p->op + p->count)
            l = NULL;
    }
    return l ? step(w, env, l) : fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE);
}

/* Is there anything to run? A waiting warp resumes when its barrier was reset. */
static enum warp_status resume(struct warp *w, const struct warp_env *env) {
    if (w->error.code != MP_NONE)
        return WARP_ERROR;
    if (w->wait_barrier < WARP_BARRIERS) {
        if (w->block->phase[w->wait_barrier] == w->wait_phase)
            return WARP_WAITING;
        w->wait_barrier = WARP_BARRIERS;
    }
    return only_helpers(w, env) ? finish(w) : settle(w);
}

void warp_start(struct warp *w, const struct warp_env *env, lane_mask launched, lane_mask helpers) {
    if (!w->stack) {
        w->stack = w->own_stack;
        w->stack_capacity = WARP_STACK;
    }
    uint32_t regs = env->program->header.reg_count;
    if (regs > WARP_REGS)
        regs = WARP_REGS;
    memset(w->r, 0, regs * sizeof w->r[0]);
    w->r[WARP_REGS] = lanes_splat(0);
    memset(w->a, 0, sizeof w->a);
    memset(w->c, 0, sizeof w->c);
    w->pc = env->program->entry;
    w->active = launched;
    w->dead = ~launched | helpers;
    w->broke = w->returned = 0;
    w->exited = ~launched;
    w->stack_top = w->limited_calls = 0;
    w->wait_barrier = WARP_BARRIERS;
    w->placed = false;
    w->error = (struct warp_error){0};
    w->executed = 0;
}

enum warp_status warp_run(struct warp *w, const struct warp_env *env) {
    const unsigned saved = fp_enter();
    enum warp_status status = resume(w, env);
    while (status == WARP_RUNNING)
        status = advance(w, env);
    fp_leave(saved);
    return status;
}

enum warp_status warp_step(struct warp *w, const struct warp_env *env) {
    const unsigned saved = fp_enter();
    enum warp_status status = resume(w, env);
    if (status == WARP_RUNNING) {
        const struct linked_op *l = fetch(env, w->pc);
        status = l ? step(w, env, l) : fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE);
    }
    fp_leave(saved);
    return status;
}

void warp_free(struct warp *w) {
    if (w->stack != w->own_stack)
        free(w->stack);
    w->stack = NULL;
    w->stack_capacity = 0;
}
