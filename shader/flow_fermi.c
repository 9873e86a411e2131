/* Runs warps of Fermi and generic64 programs: fetches an instruction, applies its guard, joins
 * lanes after it, and keeps the warp's control stack. In: a started warp and its environment; out:
 * as warp_run(). Must not know the arithmetic of instructions. Rules: fermi-isa.md §8; barriers:
 * §6.3.
 */
#include "shader/fermi.h"
#include "shader/predicate.h"

lane_mask fermi_test(const struct flags *f, unsigned code) {
    /* the predicate codes of Tesla that mean the same as codes 16 to 23 */
    static const uint8_t tesla[] = {0x1f, 0x1e, 0x1c, 0x1d, 0x12, 0x13, 0x11, 0x10};
    if (code < 16)
        return predicate_lanes(f, code);
    return code < 24 ? predicate_lanes(f, tesla[code - 16]) : 0;
}

/* ---- the stack ---- */

/* Removes entries from the stack until lanes run. The warp ends if no entry is left. */
static enum go resume_lanes(struct warp *w) {
    do {
        if (!w->stack_top)
            return flow_finish(w);
        const struct stack_entry *e = &w->stack[--w->stack_top];
        if (e->type == STACK_PREBREAK)
            w->broke &= ~e->mask;
        else if (e->type == STACK_PRECONT)
            w->fermi.continued &= ~e->mask;
        else if (e->type == STACK_CALL)
            w->returned &= ~e->mask;
        w->active = flow_live(w, e->mask);
        w->pc = e->pc;
    } while (!w->active);
    return GO_PC;
}

/* Takes lanes p out of the active lanes and adds them to *state. The other lanes go on. */
static enum go leave(struct warp *w, lane_mask *state, lane_mask p) {
    *state |= p;
    w->active &= ~p;
    return w->active ? GO_NEXT : resume_lanes(w);
}

/* Branches; the lanes that take the branch run first. The flag `allwarp` has no effect. */
static enum go branch(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask p, uint32_t target) {
    const enum go go = flow_bra(w, env, l, p);
    if (go != GO_TARGET)
        return go;
    w->pc = target;
    return GO_PC;
}

/* Computes a target from a register or a word of c[]. False if the lanes of p have different
 * targets. */
static bool indirect_target(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                            lane_mask p, uint32_t *target) {
    const struct op *op = l->op;
    const struct operand *o = &op->src[0];
    const struct call c = {.w = w, .env = env, .l = l, .m = p};
    u32x32 v;
    if (o->file == FILE_CONST && o->flags & OPERAND_BASED) {
        for (int i = 0; i < LANES; i++) {
            struct operand at = *o;
            at.value = (o->value + w->r[source_row(env, o->areg)][i]) & 0xffff;
            v[i] = p >> i & 1 ? fermi_const(&c, &at, 0) : 0;
        }
    } else {
        v = fermi_source(&c, 0);
    }
    if (o->file == FILE_CONST)
        v += op->absolute ? 0 : l->next;
    else if (env->program->variant == ISA_G64)
        v += op->src[1].value * 8;
    else
        v += op->target;
    *target = v[__builtin_ctz(p)];
    return !(p & lanes_to_mask((u32x32)(v != lanes_splat(*target))));
}

static enum go indirect(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                        lane_mask p) {
    static const uint8_t types[OPCODES] = {[OP_PRELONGJMP] = STACK_LONGJMP,
                                           [OP_JOINAT] = STACK_JOINAT,
                                           [OP_PREBREAK] = STACK_PREBREAK,
                                           [OP_PRECONT] = STACK_PRECONT,
                                           [OP_PRERET] = STACK_CALL};
    uint32_t target;
    if (!p)
        return GO_NEXT;
    if (!indirect_target(w, env, l, p, &target))
        return flow_fail(w, MP_STACK_MISMATCH, DECODE_OK);
    if (l->op->code == OP_BRA_INDIRECT)
        return branch(w, env, l, p, target);
    if (l->op->code == OP_PUSH_INDIRECT)
        return flow_enter(w, env, (enum stack_type)types[l->op->sub], target, w->active);
    if (!flow_push(w, env, STACK_CALL, l->next, w->active))
        return GO_ERROR;
    w->pc = target;
    return GO_PC;
}

/* longjmp: removes entries from the top of the stack, down to prelongjmp's entry. The lanes of that
 * entry run on at its address. */
static enum go longjmp_(struct warp *w, lane_mask p) {
    if (!p)
        return GO_NEXT;
    if (p != w->active || !flow_has_entry(w, STACK_LONGJMP))
        return flow_fail(w, p != w->active ? MP_STACK_MISMATCH : MP_STACK_UNDERFLOW, DECODE_OK);
    const struct stack_entry *e;
    do
        e = &w->stack[--w->stack_top];
    while (e->type != STACK_LONGJMP);
    w->broke &= ~e->mask;
    w->fermi.continued &= ~e->mask;
    w->returned &= ~e->mask;
    w->active = flow_live(w, e->mask);
    w->pc = e->pc;
    return w->active ? GO_PC : resume_lanes(w);
}

/* ---- barriers: bar counts warps, and reduces over the lanes that execute it ---- */

static uint32_t operand_number(const struct call *c, int i, uint32_t otherwise) {
    const struct operand *o = &op_of(c)->src[i];
    if (o->file == FILE_R)
        return c->w->r[c->l->src[i]][__builtin_ctz(c->m)];
    return o->file == FILE_NONE ? otherwise : 0;
}

/* The number of warps that hold so many threads, limited to a number that no CTA reaches. */
static uint32_t warps_of(uint32_t threads) {
    const uint32_t warps = threads / LANES + (threads % LANES != 0);
    return warps < UINT16_MAX ? warps : UINT16_MAX;
}

static void put_reduction(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                          const struct barrier_reduction *r, lane_mask m) {
    struct call c = {.w = w, .env = env, .l = l, .m = m};
    const unsigned kind = l->op->sub;
    put(&c, lanes_splat(r->count));
    fermi_put_predicate(&c, 0, (kind == BAR_AND ? r->all : r->any) ? LANES_ALL : 0);
}

static enum go barrier(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                       lane_mask p) {
    struct cta_shared *b = w->cta;
    const struct call c = {.w = w, .env = env, .l = l, .m = p};
    if (!p)
        return GO_NEXT;
    const lane_mask holds = p & fermi_predicate(w, l->op->psrc[0]);
    struct barrier_reduction one = {lanes_count(holds), holds == p, holds != 0};
    if (!b) {
        put_reduction(w, env, l, &one, p);
        return GO_NEXT;
    }
    const unsigned n = operand_number(&c, 0, l->op->bar_id) % WARP_BARRIERS;
    const uint32_t threads = l->op->bar_all ? 0 : operand_number(&c, 1, l->op->bar_count);
    const uint32_t phase = b->phase[n] & 1;
    struct barrier_reduction *sum = &b->reducing[n];
    if (b->arrived[n] == 0)
        *sum = (struct barrier_reduction){0, true, false};
    *sum = (struct barrier_reduction){sum->count + one.count, sum->all && one.all,
                                      sum->any || one.any};
    if (flow_arrive(b, n, !threads, warps_of(threads))) {
        b->reduced[n][phase] = *sum;
        if (l->op->sub != BAR_ARRIVE)
            put_reduction(w, env, l, sum, p);
        return GO_NEXT;
    }
    if (l->op->sub == BAR_ARRIVE)
        return GO_NEXT;
    w->wait_barrier = n;
    w->wait_phase = b->phase[n];
    w->fermi.wait_lanes = p;
    return GO_WAIT; /* the pc stays: fermi_resume() writes the result when the barrier opens */
}

/* ---- one instruction ---- */

/* If op is a control instruction: executes it, sets *go to the warp's next step and returns
 * true. */
static bool control(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask p, enum go *go) {
    const uint32_t target = l->op->target;
    switch (l->op->code) {
    case OP_BRA:
        return *go = branch(w, env, l, p, target), true;
    case OP_BRA_INDIRECT:
        return *go = indirect(w, env, l, p), true;
    case OP_CALL_INDIRECT:
    case OP_PUSH_INDIRECT:
        return *go = indirect(w, env, l, w->active), true;
    case OP_CALL:
        *go = flow_enter(w, env, STACK_CALL, l->next, w->active) == GO_NEXT ? GO_TARGET : GO_ERROR;
        return true;
    case OP_PRERET:
        return *go = flow_enter(w, env, STACK_CALL, target, w->active), true;
    case OP_JOINAT:
        return *go = flow_enter(w, env, STACK_JOINAT, target, w->active), true;
    case OP_PREBREAK:
        return *go = flow_enter(w, env, STACK_PREBREAK, target, w->active), true;
    case OP_PRECONT:
        return *go = flow_enter(w, env, STACK_PRECONT, target, w->active), true;
    case OP_PRELONGJMP:
        return *go = flow_enter(w, env, STACK_LONGJMP, target, w->active), true;
    case OP_LONGJMP:
        return *go = longjmp_(w, p), true;
    case OP_BREAK:
    case OP_CONT: {
        const bool brk = l->op->code == OP_BREAK;
        if (p && !flow_has_entry(w, brk ? STACK_PREBREAK : STACK_PRECONT))
            *go = flow_fail(w, MP_STACK_UNDERFLOW, DECODE_OK);
        else
            *go = leave(w, brk ? &w->broke : &w->fermi.continued, p);
        return true;
    }
    case OP_RET:
        return *go = leave(w, &w->returned, p), true;
    case OP_EXIT:
        *go = leave(w, &w->exited, p);
        if (*go != GO_DONE && flow_only_helpers(w, env))
            *go = flow_finish(w);
        return true;
    case OP_DISCARD:
        return *go = flow_discard(w, env, l, p), true;
    case OP_QUADON:
        return *go = flow_quadon(w, env, l, w->active), true;
    case OP_QUADPOP:
        return *go = flow_quadpop(w, env, l, p), true;
    case OP_BAR:
        return *go = barrier(w, env, l, p), true;
    case OP_BPT: /* a trap is an error; the other kinds need a debugger */
        *go = l->op->sub == 3 ? flow_fail(w, MP_BREAKPOINT, DECODE_OK) : GO_NEXT;
        return true;
    case OP_RTT:
        return *go = GO_NEXT, true;
    default:
        return false;
    }
}

/* The lanes in which op is executed. For instructions that ignore a guard (fermi-isa.md §5),
 * control() uses the active lanes instead. */
static lane_mask executing(const struct warp *w, const struct op *op) {
    lane_mask p = w->active & fermi_predicate(w, op->guard);
    if (op->pred != PRED_ALWAYS)
        p &= fermi_test(&w->c[0], op->pred);
    return p;
}

/* Lanes p wait at the reconvergence point. The other lanes go on. */
enum go fermi_join(struct warp *w, lane_mask p) {
    w->active &= ~p;
    return w->active ? GO_NEXT : resume_lanes(w);
}

/* The lanes that an instruction with a join flag sends to the reconvergence point. Callers ask
 * before they execute the instruction, which may write its own guard. */
static lane_mask joining(const struct warp *w, const struct op *op) {
    return op->join ? fermi_predicate(w, op->guard) : 0;
}

/* Lets lanes `joins` wait at the reconvergence point after an instruction. go: the warp's next step
 * by that instruction; returns the next step after the join. */
static enum go join_after(struct warp *w, lane_mask joins, enum go go) {
    if (!joins || (go != GO_NEXT && go != GO_TARGET && go != GO_PC))
        return go;
    const enum go then = fermi_join(w, joins);
    return then == GO_NEXT ? go : then;
}

enum go fermi_control(struct warp *w, const struct warp_env *env, const struct linked_op *l) {
    enum go go = GO_ERROR;
    const lane_mask joins = joining(w, l->op);
    control(w, env, l, executing(w, l->op), &go);
    return join_after(w, joins, go);
}

LANES_INLINE enum go execute(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                             bool observed) {
    enum go go = GO_NEXT;
    const lane_mask p = executing(w, l->op), joins = joining(w, l->op);
    if (observed)
        flow_tell_before(w, env, l->op, p);
    if (!control(w, env, l, p, &go)) {
        exec_fn *fn = l->fn[env->simd];
        if (!fn)
            return flow_fail(w, MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING);
        if (p)
            fn(w, env, l, p);
        if (observed && p)
            flow_tell_after(w, env, l->op, p);
        if (w->error.code != MP_NONE)
            return flow_fail(w, w->error.code, w->error.decode);
    }
    return join_after(w, joins, go);
}

LANES_INLINE enum warp_status step(struct warp *w, const struct warp_env *env,
                                   const struct linked_op *l, bool observed) {
    enum mp_error error = MP_NONE;
    if (!l || l->op->code == OP_ILLEGAL)
        error = MP_DECODE_ERROR;
    else if (w->executed >= flow_budget(env))
        error = MP_TIMEOUT;
    if (error != MP_NONE) {
        flow_fail(w, error,
                  error == MP_TIMEOUT ? DECODE_OK
                  : l                 ? l->op->error
                                      : DECODE_ILLEGAL_INSTR_ENCODING);
        return WARP_ERROR;
    }
    w->executed++;
    flow_count(w, 1);
    return flow_go(w, l, execute(w, env, l, observed));
}

enum warp_status fermi_step(struct warp *w, const struct warp_env *env, const struct linked_op *l) {
    return step(w, env, l, false);
}

enum warp_status fermi_step_observed(struct warp *w, const struct warp_env *env,
                                     const struct linked_op *l) {
    return step(w, env, l, true);
}

/* Resumes a waiting warp: if its barrier has opened, the reduction's result is written, and the
 * warp goes on. */
enum warp_status fermi_resume(struct warp *w, const struct warp_env *env) {
    if (w->wait_barrier < WARP_BARRIERS) {
        const struct linked_op *l = flow_fetch(env, w->pc);
        if (w->cta->phase[w->wait_barrier] == w->wait_phase)
            return WARP_WAITING;
        const lane_mask joins = l ? joining(w, l->op) : 0;
        if (l) {
            put_reduction(w, env, l, &w->cta->reduced[w->wait_barrier][w->wait_phase & 1],
                          w->fermi.wait_lanes);
            w->pc = l->next;
        }
        w->wait_barrier = WARP_BARRIERS;
        if (joins && fermi_join(w, joins) != GO_NEXT)
            return w->active ? WARP_RUNNING : WARP_DONE;
    }
    if (flow_only_helpers(w, env))
        return flow_go(w, NULL, flow_finish(w));
    return w->active ? WARP_RUNNING : flow_go(w, NULL, resume_lanes(w));
}
