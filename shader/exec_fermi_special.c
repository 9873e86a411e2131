/* Texture instructions of Fermi and generic64, and generic64's interpolation. The handlers bring
 * operands into Tesla's order and call the same ports (tex_port.h, exec_varying). In: a linked op
 * and the lanes it runs in. Out: registers. Compiled once per SIMD level. Facts: fermi-isa.md §6.7;
 * generic64-isa.md §4.
 */
#include "base/profile.h"
#include "shader/alu/f32.h"
#include "shader/fermi.h"

/* A texture instruction in Tesla's terms, with registers of its own. */
struct request {
    const struct tex_binding *binding;
    struct tex_call call;
    u32x32 reg[FTEX_OPERANDS]; /* operands */
    u32x32 offsets;            /* offset words */
    u32x32 result[4];
};

/* A query has one operand: the level or the sample. */
LANES_INLINE uint8_t sources_of(const struct op *op) {
    return op->sub == FTEX_QUERY ? 1 : op->ftex.operands;
}

/* Copies the operands into reg. reg may be the rows of the results: all operands are read before a
 * row is written. */
LANES_INLINE void read_operands(const struct call *c, u32x32 *reg) {
    const struct ftex_fields *t = &op_of(c)->ftex;
    u32x32 v[FTEX_OPERANDS];
    if (op_of(c)->sub == FTEX_QUERY) {
        reg[0] = t->indirect ? fermi_source(c, 1) : row(c, t->first);
        return;
    }
    for (unsigned i = 0; i < t->operands; i++)
        v[i] = row(c, t->operand[i]);
    for (unsigned i = 0; i < t->operands; i++)
        reg[i] = v[i];
    if (t->layer < FTEX_OPERANDS)
        reg[t->layer] &= 0xffff;
}

static unsigned results_of(const struct request *q) {
    return (unsigned)__builtin_popcount(q->call.result_mask & 15);
}

/* Makes one call for the lanes of m: operands in, results out. */
static void sample(struct request *q, const u32x32 operand[FTEX_OPERANDS], lane_mask m) {
    u32x32 reg[FTEX_OPERANDS];
    memcpy(reg, operand, sizeof reg);
    q->binding->kernel[q->call.op](q->binding, &q->call, reg, m);
    for (unsigned i = 0; i < results_of(q); i++)
        lanes_store(&q->result[i], reg[i], m);
}

/* The signed field of `bits` bits at bit `at`. */
static int8_t offset_of(uint32_t word, unsigned at, unsigned bits) {
    return (int8_t)((int32_t)(word << (32 - at - bits)) >> (32 - bits));
}

/* Offsets are an operand: lanes with equal offsets share a call. Sets the offsets of m's first
 * lane, and returns the lanes of m with equal offsets. */
static lane_mask take_offsets(struct request *q, unsigned bits, lane_mask m) {
    const uint32_t word = q->offsets[__builtin_ctz(m)];
    for (unsigned i = 0; i < 3; i++)
        q->call.offset[i] = bits * (i + 1) <= 16 ? offset_of(word, bits * i, bits) : 0;
    return m & lanes_to_mask((u32x32)(q->offsets == lanes_splat(word)));
}

/* Gathers with four offsets, 8 bits a coordinate: result i is the texel that offset i points to. */
static void gather_with_four_offsets(const struct call *c, struct request *q, lane_mask m) {
    enum { POINTED_TO = 3, OFFSET_BITS = 8 };
    const struct ftex_fields *t = &op_of(c)->ftex;
    const unsigned wanted = q->call.result_mask;
    u32x32 result[4] = {{0}};
    int count = 0;
    q->call.result_mask = 1 << POINTED_TO;
    for (unsigned i = 0; i < 4; i++) {
        if (!(wanted >> i & 1))
            continue;
        q->offsets = row(c, t->second + i / 2) >> (16 * (i & 1)) & 0xffff;
        for (lane_mask rest = m, same; rest; rest &= ~same) {
            same = take_offsets(q, OFFSET_BITS, rest);
            sample(q, q->reg, same);
        }
        result[count++] = q->result[0];
    }
    q->call.result_mask = (uint8_t)wanted;
    for (int i = 0; i < count; i++)
        lanes_store(&q->result[i], result[i], m);
}

/* A row as four quarters of eight lanes. */
union quarters {
    u32x32 v;
    u32x8 quarter[4];
};

/* The eight lanes of quarter n of v, each four times: a lane becomes a quad. */
LANES_INLINE u32x32 spread(u32x32 v, int n) {
    const u32x8 p = ((union quarters){.v = v}).quarter[n];
    const union quarters r = {.quarter = {__builtin_shufflevector(p, p, 0, 0, 0, 0, 1, 1, 1, 1),
                                          __builtin_shufflevector(p, p, 2, 2, 2, 2, 3, 3, 3, 3),
                                          __builtin_shufflevector(p, p, 4, 4, 4, 4, 5, 5, 5, 5),
                                          __builtin_shufflevector(p, p, 6, 6, 6, 6, 7, 7, 7, 7)}};
    return r.v;
}

/* The first lanes of the quads. */
LANES_INLINE u32x8 first_lanes(u32x32 v) {
    const union quarters p = {.v = v};
    const u32x4 low = __builtin_shufflevector(p.quarter[0], p.quarter[1], 0, 4, 8, 12);
    const u32x4 high = __builtin_shufflevector(p.quarter[2], p.quarter[3], 0, 4, 8, 12);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* The coordinates of quads whose lanes differ by the derivatives d[0] in x and d[1] in y. */
LANES_INLINE u32x32 quad_corners(u32x32 v, const u32x32 d[2], int n) {
    const u32x32 right = -(lanes_iota() & 1), down = -(lanes_iota() >> 1 & 1);
    const f32x32 off = (f32x32)(spread(d[0], n) & right) + (f32x32)(spread(d[1], n) & down);
    return (u32x32)((f32x32)spread(v, n) + off);
}

/* The lanes of quarter n of m, as first lanes of quads. */
static lane_mask quads_of(lane_mask m, int n) {
    lane_mask corners = 0;
    for (int k = 0; k < LANES / 4; k++)
        corners |= (m >> (8 * n + k) & 1) << 4 * k;
    return corners;
}

/* Explicit derivatives: each lane becomes a quad whose coordinates differ by the derivatives. */
static void sample_with_derivatives(const struct call *c, struct request *q, lane_mask m) {
    const struct ftex_fields *t = &op_of(c)->ftex;
    const unsigned coordinates = ftex_coordinates(t), results = results_of(q);
    struct request quads = *q;
    u32x32 d[FTEX_OPERANDS][2];
    union quarters result[4] = {{{0}}};
    quads.call.quads = true;
    for (unsigned i = 0; i < 2 * coordinates; i++)
        d[i / 2][i % 2] = row(c, t->second + i);
    for (int n = 0; n < 4; n++) {
        const lane_mask corners = quads_of(m, n);
        u32x32 operand[FTEX_OPERANDS] = {{0}};
        if (!corners)
            continue;
        for (unsigned i = 0; i < q->call.source_count; i++)
            operand[i] = i < coordinates ? quad_corners(q->reg[i], d[i], n) : spread(q->reg[i], n);
        sample(&quads, operand, corners);
        for (unsigned i = 0; i < results; i++)
            result[i].quarter[n] = first_lanes(quads.result[i]);
    }
    for (unsigned i = 0; i < results; i++)
        lanes_store(&q->result[i], result[i].v, m);
}

/* The binding that a handle names: its texture, and its sampler if the program has the pair. */
static const struct tex_binding *binding_of(const struct warp_env *env, uint32_t handle) {
    enum { SAMPLER_BITS = 7 };
    const struct program *p = env->program;
    const uint32_t tic = handle >> SAMPLER_BITS, tsc = handle & ((1 << SAMPLER_BITS) - 1);
    const struct tex_binding *found = NULL;
    for (uint32_t i = p->tex_slot_count; i-- > 0;)
        if (p->tex_slot[i].tic == tic && (!found || p->tex_slot[i].tsc == tsc))
            found = env->tex[i];
    return found;
}

/* Sets the binding of m's first lane, and returns the lanes of m with the same binding. */
static lane_mask take_binding(const struct call *c, struct request *q, lane_mask m) {
    const struct op *op = op_of(c);
    if (!op->ftex.indirect) {
        q->binding = c->env->tex[op->tex.slot];
        return m;
    }
    const u32x32 handle = row(c, op->ftex.first) >> 16;
    const uint32_t one = handle[__builtin_ctz(m)];
    q->binding = binding_of(c->env, one);
    return m & lanes_to_mask((u32x32)(handle == lanes_splat(one)));
}

/* Answers the lanes of m, which have one binding. */
static void answer_alike(const struct call *c, struct request *q, lane_mask m) {
    const struct op *op = op_of(c);
    const bool four = op->sub == FTEX_GATHER && op->ftex.offsets == 2;
    q->call.source_count = sources_of(op);
    q->offsets = op->ftex.offsets ? row(c, op->ftex.offset_word) : q->offsets;
    read_operands(c, q->reg);
    if (four)
        gather_with_four_offsets(c, q, m);
    for (lane_mask rest = four ? 0 : m, alike; rest; rest &= ~alike) {
        alike = op->ftex.offsets ? take_offsets(q, op->sub == FTEX_GATHER ? 8 : 4, rest) : rest;
        if (op->sub == FTEX_GRAD)
            sample_with_derivatives(c, q, alike);
        else
            sample(q, q->reg, alike);
    }
}

static void answer(const struct call *c, struct request *q, lane_mask m) {
    memset(q->reg, 0, sizeof q->reg);
    memset(q->result, 0, sizeof q->result);
    for (lane_mask rest = c->env->tex ? m : 0, alike; rest; rest &= ~alike) {
        alike = take_binding(c, q, rest);
        if (q->binding)
            answer_alike(c, q, alike);
    }
}

/* True if the registers from `base` on are allocated. */
static bool are_allocated(const struct call *c, unsigned base, unsigned count) {
    return base + count <= c->env->program->header.reg_count && base + count <= WARP_REGS;
}

/* True if the operands are in the registers from the first result on, in order: then the call needs
 * no copies. */
static bool are_in_place(const struct call *c, unsigned results) {
    const struct ftex_fields *t = &op_of(c)->ftex;
    const unsigned base = op_of(c)->tex.base;
    bool same = t->layer >= FTEX_OPERANDS && op_of(c)->sub != FTEX_QUERY;
    for (unsigned i = 0; i < t->operands; i++)
        same &= t->operand[i] == base + i;
    return same && are_allocated(c, base, t->operands > results ? t->operands : results);
}

/* True if the operands may be copied to the registers of the results: there are enough registers,
 * and no lane outside of m needs their contents. */
static bool may_copy_there(const struct call *c, unsigned results, lane_mask m) {
    const struct op *op = op_of(c);
    const lane_mask lost = op->tex.alone ? c->w->dead : 0;
    return (m | lost) == LANES_ALL && sources_of(op) <= results &&
           are_allocated(c, op->tex.base, results);
}

/* Answers the lanes of m with one call. */
static void answer_at_once(const struct call *c, const struct tex_binding *binding, lane_mask m) {
    const struct op *op = op_of(c);
    const unsigned base = op->tex.base;
    const unsigned results = (unsigned)__builtin_popcount(op->tex.call.result_mask & 15);
    struct tex_call call = op->tex.call;
    call.source_count = sources_of(op);
    u32x32 copy[FTEX_OPERANDS], *reg = &c->w->r[base];
    if (!are_in_place(c, results)) {
        reg = may_copy_there(c, results, m) ? reg : copy;
        read_operands(c, reg);
    }
    binding->kernel[call.op](binding, &call, reg, m);
    for (unsigned i = 0; reg == copy && i < results; i++)
        lanes_store(&c->w->r[dest_row(c->env, base + i)], copy[i], m);
}

/* Answers the lanes of m with several calls: for each binding and each set of offsets; with
 * derivatives, for eight lanes at a time. */
static void answer_in_calls(const struct call *c, lane_mask m) {
    struct request q = {.call = op_of(c)->tex.call};
    answer(c, &q, m);
    for (unsigned i = 0; i < results_of(&q); i++)
        lanes_store(&c->w->r[dest_row(c->env, op_of(c)->tex.base + i)], q.result[i], m);
}

/* True if one call answers all lanes. */
static bool is_simple(const struct warp_env *env, const struct op *op) {
    return env->tex && env->tex[op->tex.slot] && !op->ftex.indirect && !op->ftex.offsets &&
           op->sub != FTEX_GRAD;
}

/* Samples. While tex/ runs, denormals count as 0. */
FERMI_HANDLER(texture) {
    c->m = op_of(c)->tex.live || op_of(c)->tex.alone ? c->m & ~c->w->dead : c->m;
    if (!c->m || !(op_of(c)->tex.call.result_mask & 15))
        return;
    const enum stage was = profile_enter(c->w->profile, STAGE_TEXTURE);
    const bool flushes = c->env->program->flushes;
    const unsigned mode = flushes ? 0 : fp_flush_begin();
    if (is_simple(c->env, op_of(c)))
        answer_at_once(c, c->env->tex[op_of(c)->tex.slot], c->m);
    else
        answer_in_calls(c, c->m);
    if (!flushes)
        fp_set_mode(mode);
    profile_leave(c->w->profile, was);
}

/* ---- interpolation ---- */

/* Evaluates v[] words: one evaluation for each different address. */
LANES_INLINE u32x32 varying_at(const struct call *c, u32x32 at, unsigned mode) {
    SIMD_CHOICE(varying, exec_varying);
    u32x32 value = lanes_splat(0);
    for (lane_mask m = c->m; m;) {
        const uint32_t one = at[__builtin_ctz(m)];
        const lane_mask same = m & lanes_to_mask((u32x32)(at == lanes_splat(one)));
        struct varying v;
        varying[c->env->simd](c->w, one >> 2, mode, &v);
        value = lanes_select(same, v.value, value);
        c->w->stats.bad_reads += lanes_count(v.missing & same);
        m &= ~same;
    }
    return value;
}

/* Interpolation of generic64: the word times a factor. */
FERMI_HANDLER(interp) {
    const u32x32 v = varying_at(c, lanes_splat(op_of(c)->src[1].value) & 0xffff, INTERP_PLAIN);
    const u32x32 product = f32_canonical(f32_host_mul(v, fermi_source(c, 0), ROUND_RN));
    put(c, op_of(c)->sat ? f32_saturate(product, ~lanes_splat(0)) : product);
}

exec_fn *SIMD_FN(exec_fermi_special_select)(const struct op *op) {
    if (op->code == OP_INTERP)
        return interp;
    return op->code == OP_TEX && ftex_is_executed(op) ? texture : NULL;
}
