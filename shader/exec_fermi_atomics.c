/* Atomics of Fermi and generic64 on g[] and s[]. In: a linked op and the lanes it runs in. Out: the
 * old words in registers, and changed memory. Accesses out of range are dropped and counted. Lanes
 * that share a word execute in ascending order. Other warps may change the words of g[] at the same
 * time, but not those of s[]. Compiled once per SIMD level. Facts: fermi-isa.md §6.1, §6.3.
 */
#include "shader/fermi_place.h"
#include "base/bits.h"

static uint32_t float_sum(uint32_t a, uint32_t b) {
    a = a & 0x7f800000 ? a : a & 0x80000000u; /* denormals count as 0 */
    b = b & 0x7f800000 ? b : b & 0x80000000u;
    const float x = bits_float(a) + bits_float(b);
    const uint32_t v = float_bits(x);
    if (x != x)
        return 0x7fffffff;
    return v & 0x7f800000 ? v : v & 0x80000000u;
}

/* The new contents of memory after the operation. v: the operand; of CAS, the value to compare
 * with. other: the new value of CAS. */
static uint64_t combined(const struct op *op, unsigned type, uint64_t old, uint64_t v,
                         uint64_t other) {
    const bool sign = type == TYPE_S32;
    const uint32_t o = (uint32_t)old, x = (uint32_t)v;
    switch (op->atomic) {
    case ATOMIC_ADD:
        return type == TYPE_F32 ? float_sum(o, x) : old + v;
    case ATOMIC_MIN:
        return (sign ? (int32_t)o < (int32_t)x : o < x) ? o : x;
    case ATOMIC_MAX:
        return (sign ? (int32_t)o > (int32_t)x : o > x) ? o : x;
    case ATOMIC_INC:
        return o >= x ? 0 : o + 1;
    case ATOMIC_DEC:
        return o == 0 || o > x ? x : o - 1;
    case ATOMIC_AND:
        return old & v;
    case ATOMIC_OR:
        return old | v;
    case ATOMIC_XOR:
        return old ^ v;
    case ATOMIC_EXCH:
        return v;
    case ATOMIC_CAS:
        return old == v ? other : old;
    default:
        return old;
    }
}

/* Does the operation of one lane on one word of memory. alone: no other thread of the host accesses
 * the memory (s[]); other memory may be accessed by other CTAs at the same time. Returns the old
 * contents. */
static uint32_t exchange_word(const struct op *op, unsigned type, void *at, uint32_t v,
                              uint32_t other, bool alone) {
    uint32_t *const p = at, old = __atomic_load_n(p, __ATOMIC_RELAXED), now;
    if (alone) {
        *p = (uint32_t)combined(op, type, old, v, other);
        return old;
    }
    if (op->atomic == ATOMIC_ADD && type != TYPE_F32)
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
    if (op->atomic == ATOMIC_EXCH)
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
    do
        now = (uint32_t)combined(op, type, old, v, other);
    while (now != old &&
           !__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static uint64_t exchange_wide(const struct op *op, unsigned type, void *at, uint64_t v,
                              uint64_t other) {
    uint64_t *p = at, old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, combined(op, type, old, v, other), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

/* The operands of an atomic. */
struct atomic {
    const struct operand *at; /* the operand in memory */
    struct lane_addresses address;
    u32x32 data[2], other[2]; /* words; only operations of 64 bits use the second one */
    u32x32 old[2];            /* results */
};

static void atomic_sources(const struct call *c, const struct operand *o, u32x32 to[2]) {
    for (uint32_t k = 0; k < 2; k++)
        to[k] = o->file == FILE_R ? row(c, o->value + k) : lanes_splat(0);
}

/* The operands and results of an atomic of one word a lane, as arrays: clang would read a vector's
 * elements through copies. */
struct word_atomic {
    const struct op *op;
    unsigned type;
    bool alone; /* as in exchange_word() */
    uint8_t *data_at;
    uint32_t at[LANES], data[LANES], other[LANES], old[LANES];
};

/* Executes the lanes m, which share a word, in ascending order and in one exchange with the memory:
 * to other warps, all lanes change the word at once. */
static void exchange_together(struct word_atomic *a, lane_mask m) {
    uint32_t *const p = (uint32_t *)(a->data_at + a->at[__builtin_ctz(m)]);
    uint32_t before = __atomic_load_n(p, __ATOMIC_RELAXED), now;
    do {
        now = before;
        for (lane_mask rest = m; rest; rest &= rest - 1) {
            const int i = __builtin_ctz(rest);
            a->old[i] = now;
            now = (uint32_t)combined(a->op, a->type, now, a->data[i], a->other[i]);
        }
    } while (now != before && !__atomic_compare_exchange_n(p, &before, now, false, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED));
}

/* exchange_together() for additions of integers: one addition of the lanes' sum is enough. */
static void add_together(struct word_atomic *a, lane_mask m) {
    uint32_t *const p = (uint32_t *)(a->data_at + a->at[__builtin_ctz(m)]);
    uint32_t sum = 0;
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        a->old[i] = sum;
        sum += a->data[i];
    }
    uint32_t old = __atomic_fetch_add(p, sum, __ATOMIC_RELAXED);
    __asm__("" : "+r"(old)); /* clang 14 for WebAssembly would read the word again, after the sum */
    for (lane_mask rest = m; rest; rest &= rest - 1)
        a->old[__builtin_ctz(rest)] += old;
}

/* An exchange with g[] is the longest step of an atomic, so lanes that share a word share the
 * exchange. Stops after two lanes that share their word with no other lane. Returns the lanes that
 * are left. */
static lane_mask exchange_groups(struct word_atomic *a, u32x32 offset, lane_mask m) {
    const bool adds = a->op->atomic == ATOMIC_ADD && a->type != TYPE_F32;
    lane_mask single = 0;
    for (lane_mask rest = m; rest && !(single & (single - 1));) {
        const lane_mask same =
            rest & lanes_to_mask((u32x32)(offset == lanes_splat(a->at[__builtin_ctz(rest)])));
        rest &= ~same;
        if (!(same & (same - 1))) {
            single |= same;
            continue;
        }
        (adds ? add_together : exchange_together)(a, same);
        m &= ~same;
    }
    return m;
}

/* The lanes whose operand leaves every word unchanged. */
static lane_mask changes_nothing(const struct op *op, unsigned type, u32x32 data) {
    const bool zero = (op->atomic == ATOMIC_ADD && type != TYPE_F32) || op->atomic == ATOMIC_OR ||
                      op->atomic == ATOMIC_XOR;
    if (zero)
        return lanes_to_mask((u32x32)(data == 0));
    return op->atomic == ATOMIC_AND ? lanes_to_mask((u32x32)(data == ~0u)) : 0;
}

/* Does an atomic of one word a lane, for lanes whose words lie in one array. Returns the lanes that
 * are done. */
static lane_mask atomic_span(const struct call *c, struct atomic *a, lane_mask m) {
    const struct op *op = op_of(c);
    const unsigned type = a->at->mem;
    struct span s;
    u32x32 offset;
    if (!find_span(c, a->at, &a->address, m, &s))
        return 0;
    const lane_mask ok = span_lanes(&s, &a->address, 4, m, &offset);
    const lane_mask idle = op->code == OP_RED ? changes_nothing(op, type, a->data[0]) : 0;
    struct word_atomic x = {
        .op = op, .type = type, .alone = a->at->file == FILE_SHARED, .data_at = s.data};
    memcpy(x.at, &offset, sizeof x.at);
    memcpy(x.data, &a->data[0], sizeof x.data);
    memcpy(x.other, &a->other[0], sizeof x.other);
    memcpy(x.old, &a->old[0], sizeof x.old);
    lane_mask rest = ok & ~idle;
    if (!x.alone)
        rest = exchange_groups(&x, offset, rest);
    for (; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        x.old[i] = exchange_word(op, type, s.data + x.at[i], x.data[i], x.other[i], x.alone);
    }
    memcpy(&a->old[0], x.old, sizeof x.old);
    return ok;
}

static void atomic_lane(const struct call *c, struct atomic *a, int i) {
    const struct op *op = op_of(c);
    const struct operand *o = a->at;
    const bool wide = size_of(o) == 8;
    uint8_t *const p = place(c, o, i, span_address(&a->address, i), wide ? 8 : 4);
    if (!p) {
        c->w->stats.bad_writes++;
        return;
    }
    if (!wide) {
        a->old[0][i] = exchange_word(op, o->mem, p, a->data[0][i], a->other[0][i], false);
        return;
    }
    const uint64_t v = a->data[0][i] | (uint64_t)a->data[1][i] << 32;
    const uint64_t other = a->other[0][i] | (uint64_t)a->other[1][i] << 32;
    const uint64_t old = exchange_wide(op, o->mem, p, v, other);
    a->old[0][i] = (uint32_t)old;
    a->old[1][i] = (uint32_t)(old >> 32);
}

FERMI_HANDLER(atom) {
    const struct op *op = op_of(c);
    const bool returns = op->code == OP_ATOM;
    /* generic64: CAS compares with D, and the operand is the new value */
    const bool g64_cas = c->env->program->variant == ISA_G64 && op->atomic == ATOMIC_CAS;
    struct atomic a = {.at = returns ? &op->src[0] : &op->dst};
    const bool wide = size_of(a.at) == 8;
    lane_mask rest = fermi_writers(c, c->m);
    span_addresses(c, a.at, &a.address);
    c->w->stats.bad_writes += span_align(&a.address, wide ? 8 : 4, rest);
    atomic_sources(c, g64_cas ? &op->dst : &op->src[1], a.data);
    atomic_sources(c, g64_cas ? &op->src[1] : &op->src[2], a.other);
    if (rest && !wide)
        rest &= ~atomic_span(c, &a, rest);
    for (; rest; rest &= rest - 1)
        atomic_lane(c, &a, __builtin_ctz(rest));
    if (returns && wide)
        put_pair(c, a.old[0], a.old[1]);
    else if (returns)
        put(c, a.old[0]);
}

exec_fn *SIMD_FN(exec_fermi_atomics_select)(const struct op *op) {
    return op->code == OP_ATOM || op->code == OP_RED ? atom : NULL;
}
