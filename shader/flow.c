/* Runs a warp: fetch, predicate, join before and exit after the instruction. In: a started warp and
 * its environment. Out: its registers, outputs and masks, or an error by its hardware name. Must
 * not know how an instruction computes: arithmetic, memory and textures are behind linked_op.fn,
 * control is in stack.h. Tesla's rules are those of tesla-isa.md §10, without exception;
 * flow_fermi.c has those of the other sets.
 */
#include "base/clock.h"
#include "shader/fermi.h"
#include "shader/native/native.h"
#include "shader/predicate.h"

#include <stdio.h>

static bool is_tesla(const struct warp_env *env) {
    return isa_set_of(env->program->variant) == SET_TESLA;
}

/* Enters the floating-point mode of a program: rounding to nearest; denormals are 0 on Tesla, and
 * in other programs that flush them (program.flushes). */
unsigned warp_enter_fp(const struct warp_env *env) {
    const unsigned saved = fp_mode();
    fp_set_mode(env->program->flushes ? FP_PLAIN | FP_FLUSH : FP_PLAIN);
    return saved;
}

void warp_leave_fp(unsigned saved) {
    fp_set_mode(saved);
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

/* ---- control instructions that only the interpreter executes ---- */

typedef enum go control_fn(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                           lane_mask p);

/* Lanes with different targets branch one target after the other: lanes with another target come
 * back to this instruction. */
static enum go control_bra_indirect(struct warp *w, const struct warp_env *env,
                                    const struct linked_op *l, lane_mask p) {
    SIMD_CHOICE(load, exec_load_operand);
    u32x32 word;
    load[env->simd](w, env, &l->op->src[0], p, &word);
    const uint32_t target = word[__builtin_ctz(p)];
    const lane_mask agree = p & lanes_to_mask((u32x32)(word == lanes_splat(target)));
    if (agree != p) {
        if (!flow_push(w, env, STACK_BRANCH, w->pc, p & ~agree))
            return GO_ERROR;
        w->active = agree;
    }
    w->pc = target & 0xfffffc;
    return GO_PC;
}

static enum go control_trap(struct warp *w, const struct warp_env *, const struct linked_op *,
                            lane_mask) {
    return flow_fail(w, MP_DECODE_ERROR, DECODE_TRAP_INSTRUCTION);
}

static enum go control_brkpt(struct warp *, const struct warp_env *, const struct linked_op *,
                             lane_mask) {
    return GO_NEXT; /* no effect: there is no debugger mode (tesla-isa.md §6.10) */
}

/* A barrier counts warps, not lanes (tesla-isa.md §6.10). */
static enum go control_bar(struct warp *w, const struct warp_env *, const struct linked_op *l,
                           lane_mask) {
    struct cta_shared *b = w->cta;
    const struct op *op = l->op;
    const unsigned n = op->bar_id % WARP_BARRIERS;
    if (!b)
        return GO_NEXT;
    if (op->bar_inc)
        flow_arrive(b, n, op->bar_all, op->bar_count);
    if (!op->bar_wait || b->arrived[n] == 0)
        return GO_NEXT;
    w->wait_barrier = n;
    w->wait_phase = b->phase[n];
    w->pc = l->next;
    return GO_WAIT;
}

struct control {
    control_fn *fn;
    bool in_quadon; /* allowed between quadon and quadpop */
};

static const struct control controls[OPCODES] = {
    [OP_DISCARD] = {flow_discard, false},
    [OP_BRA] = {flow_bra, false},
    [OP_BRA_INDIRECT] = {control_bra_indirect, false},
    [OP_CALL] = {flow_call, false},
    [OP_RET] = {flow_ret, false},
    [OP_PREBREAK] = {flow_prebreak, false},
    [OP_BREAK] = {flow_break, false},
    [OP_QUADON] = {flow_quadon, false},
    [OP_QUADPOP] = {flow_quadpop, true},
    [OP_BAR] = {control_bar, false},
    [OP_TRAP] = {control_trap, true},
    [OP_JOINAT] = {flow_joinat, false},
    [OP_BRKPT] = {control_brkpt, false},
    [OP_PRERET] = {flow_preret, false},
};

/* ---- one instruction, and many ---- */

/* The lanes in which the instruction is executed. Vote reads its predicate as data. */
static lane_mask executing(const struct warp *w, const struct op *op,
                           const struct control *control) {
    if (op->pred == PRED_ALWAYS || op->code == OP_VOTE ||
        (control->fn && !op_has(op, TRAIT_PREDICABLE)))
        return w->active;
    return w->active & predicate_lanes(&w->c[op->pred_reg & 3], op->pred);
}

/* True if the instruction is forbidden here, between quadon and quadpop: one with join or exit, or
 * control without `in_quadon`. */
static bool violates_quadon(const struct warp *w, const struct op *op,
                            const struct control *control) {
    return w->stack_top && flow_top(w)->type == STACK_QUADON &&
           (op->join || op->exit || (control->fn && !control->in_quadon));
}

/* Calls the handler. The handler may report a run-time trap; address and lanes are added here. */
static enum go execute(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                       lane_mask m) {
    exec_fn *fn = l->fn[env->simd];
    if (!fn)
        return flow_fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE);
    fn(w, env, l, m);
    if (w->error.code != MP_NONE)
        return flow_fail(w, w->error.code, w->error.decode);
    return GO_NEXT;
}

/* Executes one instruction; l is NULL if there is none, which is an error. observed is a constant:
 * there is an instance for warps with an observer. */
LANES_INLINE enum warp_status tesla_step(struct warp *w, const struct warp_env *env,
                                         const struct linked_op *l, bool observed) {
    if (!l)
        return flow_go(w, l, flow_fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_OPCODE));
    const struct op *op = l->op;
    const struct control *control = &controls[op->code];
    enum go go = GO_NEXT;
    if (op->code == OP_ILLEGAL)
        return flow_go(w, l, flow_fail(w, MP_DECODE_ERROR, op->error));
    if (w->executed >= flow_budget(env))
        return flow_go(w, l, flow_fail(w, MP_TIMEOUT, DECODE_OK));
    w->executed++;
    if (violates_quadon(w, op, control))
        return flow_go(w, l, flow_fail(w, MP_QUADON_ACTIVE, DECODE_OK));
    if (op->join && (go = flow_join(w)) != GO_NEXT)
        return flow_go(w, l, go);
    flow_count(w, 1);
    const lane_mask p = executing(w, op, control);
    if (observed)
        flow_tell_before(w, env, op, p);
    if (control->fn)
        go = control->fn(w, env, l, p);
    else if (p)
        go = execute(w, env, l, p);
    if (observed && !control->fn && p)
        flow_tell_after(w, env, op, p);
    enum warp_status status = flow_go(w, l, go);
    if (op->exit && status == WARP_RUNNING)
        status = flow_go(w, l, flow_exit(w, env));
    return status;
}

/* Executes the straight line that starts at l, as far as the budget allows. Its instructions need
 * only their handlers, and cannot fail. Returns the instruction behind those that were executed. */
static const struct linked_op *run_line(struct warp *w, const struct warp_env *env,
                                        const struct linked_op *l) {
    const uint64_t left = flow_budget(env) - w->executed;
    const uint32_t length = l->run < left ? l->run : (uint32_t)left;
    const enum simd_level level = env->simd;
    const lane_mask active = w->active;
    for (uint32_t i = 0; i < length; i++) {
        l->fn[level](w, env, l, active);
        l += l->words;
    }
    w->executed += length;
    flow_count(w, length);
    return l;
}

static enum warp_status step(struct warp *w, const struct warp_env *env,
                             const struct linked_op *l) {
    return is_tesla(env) ? tesla_step(w, env, l, false) : fermi_step(w, env, l);
}

static enum warp_status step_observed(struct warp *w, const struct warp_env *env) {
    const struct linked_op *l = flow_fetch(env, w->pc);
    return is_tesla(env) ? tesla_step(w, env, l, true) : fermi_step_observed(w, env, l);
}

static enum warp_status advance(struct warp *w, const struct warp_env *env) {
    const struct linked_program *p = env->program->linked;
    const struct linked_op *l = flow_fetch(env, w->pc);
    if (l && l->run && w->executed < flow_budget(env)) {
        l = run_line(w, env, l);
        w->pc = program_address(env->program, (uint32_t)(l - p->op));
        if (l >= p->op + p->count)
            l = NULL;
    }
    return step(w, env, l);
}

/* Finds lanes to run. A warp that waits at a barrier resumes when the barrier has opened. */
static enum warp_status resume(struct warp *w, const struct warp_env *env) {
    if (w->error.code != MP_NONE)
        return WARP_ERROR;
    if (!is_tesla(env))
        return fermi_resume(w, env);
    if (w->wait_barrier < WARP_BARRIERS) {
        if (w->cta->phase[w->wait_barrier] == w->wait_phase)
            return WARP_WAITING;
        w->wait_barrier = WARP_BARRIERS;
    }
    return flow_go(w, NULL, flow_only_helpers(w, env) ? flow_finish(w) : flow_settle(w));
}

/* Clears all allocated registers, because an observer may look at any of them. */
static void clear_all(struct warp *w, const struct program *p) {
    const uint32_t regs = p->header.reg_count < WARP_REGS ? p->header.reg_count : WARP_REGS;
    memset(w->r, 0, regs * sizeof w->r[0]);
    memset(w->a, 0, sizeof w->a);
}

static void clear_registers(struct warp *w, const struct program_facts *f) {
    for (int k = 0; k < 2; k++)
        for (uint64_t rest = f->cleared[k]; rest; rest &= rest - 1)
            w->r[64 * k + __builtin_ctzll(rest)] = lanes_splat(0);
    if (f->addresses)
        memset(w->a, 0, sizeof w->a);
}

void warp_use_memory(struct warp *w, struct gpu_memory *m) {
    const uint64_t generation = m ? memory_generation(m) : 0;
    uint8_t *const host = m ? memory_host(m) : NULL;
    if (w->fermi.generation == generation && w->fermi.host == host)
        return;
    memset(w->fermi.hint, 0, sizeof w->fermi.hint);
    w->fermi.generation = generation;
    w->fermi.host = host;
}

void warp_start(struct warp *w, const struct warp_env *env, lane_mask launched, lane_mask helpers) {
    if (!w->stack) {
        w->stack = w->own_stack;
        w->stack_capacity = WARP_STACK;
        w->r[WARP_REGS] = lanes_splat(0); /* no instruction writes this row */
    }
    if (env->observer)
        clear_all(w, env->program);
    else
        clear_registers(w, &env->program->facts);
    memset(w->c, 0, sizeof w->c);
    w->pc = env->program->entry;
    w->active = w->launched = launched;
    w->dead = ~launched | helpers;
    w->broke = w->fermi.continued = w->returned = 0;
    memset(w->fermi.p, 0, sizeof w->fermi.p);
    w->fermi.p[PRED_TRUE] = LANES_ALL;
    warp_use_memory(w, env->memory);
    w->exited = ~launched;
    w->stack_top = w->limited_calls = 0;
    w->wait_barrier = WARP_BARRIERS;
    w->error = (struct warp_error){0};
    w->executed = 0;
}

void warp_keep(struct warp *w, const struct warp_env *env, bool in_fp) {
    w->kept = (struct warp_kept){
        .env = env, .code = env && env->native ? native_find(w, env) : NULL, .in_fp = env && in_fp};
}

/* Runs native code. Wherever native code stops, the interpreter executes one step. */
static enum warp_status run_native(struct warp *w, const struct warp_env *env,
                                   const struct native_code *code) {
    enum warp_status status = WARP_RUNNING;
    const bool ready = code && native_prepare(code, w, env);
    while (status == WARP_RUNNING) {
        if (ready)
            status = native_run(code, w, env);
        if (status == WARP_RUNNING)
            status = advance(w, env);
    }
    return status;
}

static enum warp_status run(struct warp *w, const struct warp_env *env) {
    const bool kept = w->kept.env == env, in_fp = kept && w->kept.in_fp;
    const unsigned saved = in_fp ? 0 : warp_enter_fp(env);
    enum warp_status status = resume(w, env);
    while (status == WARP_RUNNING && env->observer && env->observer->before)
        status = step_observed(w, env);
    if (status == WARP_RUNNING && env->native)
        status = run_native(w, env, kept ? w->kept.code : native_find(w, env));
    while (status == WARP_RUNNING)
        status = advance(w, env);
    if (!in_fp)
        warp_leave_fp(saved);
    return status;
}

/* Goes on with a warp that has spent its budget, one more budget at a time, until WARP_SECONDS of
 * the thread's time have passed or *env->overtime is set. */
static enum warp_status go_on(struct warp *w, const struct warp_env *env) {
    const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WARP_SECONDS * UINT64_C(1000000000);
    struct warp_env longer = *env;
    enum warp_status status = WARP_ERROR;
    while (status == WARP_ERROR && w->error.code == MP_TIMEOUT &&
           !__atomic_load_n(env->overtime, __ATOMIC_RELAXED)) {
        if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end) {
            __atomic_store_n(env->overtime, 1, __ATOMIC_RELAXED);
            break;
        }
        w->error = (struct warp_error){0};
        longer.budget = w->executed + flow_budget(env);
        status = run(w, &longer);
    }
    return status;
}

static bool may_go_on(const struct warp *w, const struct warp_env *env, enum warp_status status) {
    return status == WARP_ERROR && w->error.code == MP_TIMEOUT && env->overtime;
}

enum warp_status warp_run(struct warp *w, const struct warp_env *env) {
    if (env->observer && env->observer->start && !w->executed)
        env->observer->start(env->observer->self, w, env);
    enum warp_status status = run(w, env);
    if (may_go_on(w, env, status))
        status = go_on(w, env);
    /* the end of a CTA's turn is no end of the warp: cta.c decides whether the warp goes on */
    const bool turn_over = w->cta && w->error.code == MP_TIMEOUT;
    if (env->observer && env->observer->end && !turn_over &&
        (status == WARP_DONE || status == WARP_ERROR))
        env->observer->end(env->observer->self, w, env);
    return status;
}

/* Runs with bold code (native/native.h) a warp that has just started. False: there is no bold code,
 * or the run does not count; then the warp has been started again. */
static bool run_boldly(struct warp *w, const struct warp_env *env, lane_mask launched,
                       lane_mask helpers, enum warp_status *status) {
    const struct native_code *bold = native_bold(w->kept.code);
    if (!bold)
        return false;
    const struct warp_stats stats = w->stats;
    *status = run_native(w, env, bold);
    if (native_was_right(w->kept.code))
        return true;
    w->stats = stats;
    warp_start(w, env, launched, helpers);
    return false;
}

/* If warp_keep() has found native code, resume() and the observer's calls are left out: a warp that
 * has just started does not wait and has not failed, and there is no observer. */
enum warp_status warp_launch(struct warp *w, const struct warp_env *env, lane_mask launched,
                             lane_mask helpers) {
    warp_start(w, env, launched, helpers);
    if (w->kept.env != env || !w->kept.code || env->observer || !(launched & ~helpers))
        return warp_run(w, env);
    const bool in_fp = w->kept.in_fp;
    const unsigned saved = in_fp ? 0 : warp_enter_fp(env);
    enum warp_status status;
    if (!run_boldly(w, env, launched, helpers, &status))
        status = run_native(w, env, w->kept.code);
    if (!in_fp)
        warp_leave_fp(saved);
    return may_go_on(w, env, status) ? go_on(w, env) : status;
}

enum warp_status warp_step(struct warp *w, const struct warp_env *env) {
    const unsigned saved = warp_enter_fp(env);
    enum warp_status status = resume(w, env);
    if (status == WARP_RUNNING && env->observer && env->observer->before)
        status = step_observed(w, env);
    else if (status == WARP_RUNNING)
        status = step(w, env, flow_fetch(env, w->pc));
    warp_leave_fp(saved);
    return status;
}

void warp_free(struct warp *w) {
    if (w->stack != w->own_stack)
        free(w->stack);
    w->stack = NULL;
    w->stack_capacity = 0;
}
