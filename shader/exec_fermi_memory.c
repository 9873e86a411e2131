/* Loads, stores, locks and atomics of Fermi and generic64: unified addresses of 32 or 64 bits with
 * windows on s[] and l[], and the spaces by name. In: a linked op and the lanes it runs in. Out:
 * registers, memory, and counts of accesses out of range: these read 0 or are dropped. Misaligned
 * accesses are aligned down and counted, too. Lanes execute in ascending order. fermi-isa.md §2,
 * §4.4, §6.1, §6.3.
 */
#include "shader/fermi.h"
#include "shader/local.h"

/* The alignment of an access in bytes: 96 bits are three words. */
static unsigned size_of(const struct operand *o) {
    return o->mem == TYPE_B96 ? 4 : type_bytes(o->mem);
}

static unsigned words_of(const struct operand *o) {
    const unsigned size = size_of(o);
    return o->mem == TYPE_B96 ? 3 : size > 4 ? size / 4 : 1;
}

/* Space n begins at (n + 1) << 40. Its first 128 MiB are also at (n + 1) << 27, for 32-bit
 * addresses. */
enum { SPACES = 16, LOW_SHIFT = 27, HIGH_SHIFT = 40 };

static uint8_t *global_at(const struct warp_env *env, uint64_t at, unsigned size) {
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    const uint64_t n = at >> shift, offset = at & ((1ull << shift) - 1);
    if (!env->g || n == 0 || n > SPACES)
        return NULL;
    const struct global_view *g = &env->g[n - 1];
    return offset + size <= g->limit ? g->data + offset : NULL;
}

static uint8_t *shared_at(const struct warp *w, uint32_t at, unsigned size) {
    const struct cta_shared *b = w->cta;
    return b && (uint64_t)at + size <= b->s_size ? b->s + at : NULL;
}

/* l[] is stored as rows of words, one lane next to the other: an access is made word by word. */
static uint8_t *local_at(struct warp *w, int lane, uint32_t at, unsigned size) {
    if (!w->local || size > 4 || (uint64_t)at + size > w->local_size)
        return NULL;
    local_written(w, at); /* or read */
    return (uint8_t *)((uint32_t *)&w->local[at / 4] + lane) + at % 4;
}

static const uint8_t *const_at(const struct warp_env *env, unsigned bank, uint32_t at,
                               unsigned size) {
    if (bank >= 16 || (uint64_t)at + size > env->c[bank].size)
        return NULL;
    return env->c[bank].data + at;
}

/* Base register plus offset, in one lane. */
static uint64_t address_in(const struct call *c, const struct operand *o, int lane) {
    const bool wide = o->flags & OPERAND_WIDE;
    uint64_t at = wide ? (uint64_t)(int64_t)(int32_t)o->value : o->value;
    if (o->flags & OPERAND_BASED) {
        at += c->w->r[source_row(c->env, o->areg)][lane];
        if (wide)
            at += (uint64_t)c->w->r[source_row(c->env, o->areg + 1u)][lane] << 32;
    }
    if (o->file == FILE_CONST)
        return isa_set_of(c->env->program->variant) == SET_FERMI && fermi_const_runs_on(op_of(c))
                   ? (uint32_t)at
                   : at & 0xffff;
    return wide ? at : (uint32_t)at;
}

/* The window that an address of g[] lies in, or 0. In the GPU's memory only 32-bit addresses have
 * windows. */
static unsigned window_of(const struct call *c, const struct operand *o, uint64_t at) {
    const uint64_t n = at >> FERMI_WINDOW_SHIFT;
    const bool is = n == FERMI_S_WINDOW || n == FERMI_L_WINDOW;
    return is && !(c->env->memory && o->flags & OPERAND_WIDE) ? (unsigned)n : 0;
}

/* True if an access goes to the memory that all warps share. */
static bool is_common(const struct call *c, const struct operand *o, uint64_t at) {
    return o->file == FILE_GLOBAL && !window_of(c, o, at);
}

/* The host address of an access of `size` bytes, for l[] of at most one word of it. NULL if out of
 * range. */
static uint8_t *place(const struct call *c, const struct operand *o, int lane, uint64_t at,
                      unsigned size) {
    const uint32_t offset = (uint32_t)at & ((1u << FERMI_WINDOW_SHIFT) - 1);
    switch (o->file) {
    case FILE_SHARED:
        return shared_at(c->w, (uint32_t)at, size);
    case FILE_LOCAL:
        return local_at(c->w, lane, (uint32_t)at, size);
    case FILE_GLOBAL:
        switch (window_of(c, o, at)) {
        case FERMI_S_WINDOW:
            return shared_at(c->w, offset, size);
        case FERMI_L_WINDOW:
            return local_at(c->w, lane, offset, size);
        default:
            return c->env->memory ? memory_near(c->env->memory, &c->w->fermi.hint, at, size)
                                  : global_at(c->env, at, size);
        }
    default:
        return NULL;
    }
}

/* Aligns an address down. Counts the access if it was not aligned. */
static uint64_t aligned(uint64_t at, unsigned size, uint64_t *bad) {
    if (at & (size - 1))
        ++*bad;
    return at & ~(uint64_t)(size - 1);
}

/* Loads one word of an access, or less. */
static uint32_t load_part(const struct call *c, const struct operand *o, int lane, uint64_t at,
                          unsigned size) {
    const uint8_t *p = o->file == FILE_CONST
                           ? const_at(c->env, o->index + (uint32_t)(at >> 16), at & 0xffff, size)
                           : place(c, o, lane, at, size);
    uint32_t v = 0;
    if (p)
        memcpy(&v, p, size);
    else
        c->w->stats.bad_reads++;
    return v;
}

static uint32_t extended(uint32_t v, unsigned type) {
    return type == TYPE_S8 ? (uint32_t)(int8_t)v : type == TYPE_S16 ? (uint32_t)(int16_t)v : v;
}

/* Loads memory operand o into registers from d on. */
static void load(const struct call *c, const struct operand *o, const struct operand *d,
                 lane_mask m) {
    const unsigned size = size_of(o), words = words_of(o);
    u32x32 v[4];
    memset(v, 0, sizeof v);
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint64_t at = aligned(address_in(c, o, i), size, &c->w->stats.bad_reads);
        for (unsigned k = 0; k < words; k++)
            v[k][i] = extended(load_part(c, o, i, at + 4 * k, size < 4 ? size : 4), o->mem);
    }
    for (unsigned k = 0; d->file == FILE_R && k < words; k++)
        lanes_store(&c->w->r[dest_row(c->env, d->value + k)], v[k], m);
}

static void store(const struct call *c, lane_mask m) {
    const struct operand *o = &op_of(c)->dst, *d = &op_of(c)->src[0];
    const unsigned size = size_of(o), words = words_of(o);
    const lane_mask writers = fermi_writers(c, m);
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        const uint64_t at = aligned(address_in(c, o, i), size, &c->w->stats.bad_writes);
        if (!(writers >> i & 1) && is_common(c, o, at))
            continue;
        for (unsigned k = 0; k < words; k++) {
            uint8_t *p = place(c, o, i, at + 4 * k, size < 4 ? size : 4);
            const uint32_t v = d->file == FILE_R ? c->w->r[source_row(c->env, d->value + k)][i] : 0;
            if (p)
                memcpy(p, &v, size < 4 ? size : 4);
            else
                c->w->stats.bad_writes++;
        }
    }
}

static void ld(struct warp *w, const struct warp_env *env, const struct linked_op *l, lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    load(&c, &l->op->src[0], &l->op->dst, m);
}

/* Both addresses are read before a register is written. */
static void ld_pair(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const struct operand *o = &l->op->src[2], *d = &l->op->dst;
    const bool clash = o->flags & OPERAND_BASED && d->file == FILE_R && o->areg + 1u >= d->value &&
                       o->areg <= d->value + 3;
    if (clash)
        load(&c, o, &l->op->src[1], m);
    load(&c, &l->op->src[0], d, m);
    if (!clash)
        load(&c, o, &l->op->src[1], m);
}

static void st(struct warp *w, const struct warp_env *env, const struct linked_op *l, lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    store(&c, m);
}

/* ---- locks, held by a warp: one per word of s[]; words of g[] share WARP_LOCKS of them ---- */

static int16_t *shared_lock(const struct call *c, uint64_t at) {
    const struct cta_shared *b = c->w->cta;
    return b && b->lock_owner && at / 4 < b->s_size / 4 ? &b->lock_owner[at / 4] : NULL;
}

static uint32_t *global_lock(const struct call *c, uint64_t at) {
    return c->env->locks ? &c->env->locks[at / 4 * 2654435761u >> 20 & (WARP_LOCKS - 1)] : NULL;
}

/* The number of a warp in the whole grid, plus 1. */
static uint32_t owner(const struct call *c) {
    const struct cta_shared *b = c->w->cta;
    uint32_t n = c->w->warp_id + 1;
    if (b && b->grid[0])
        n += 32 * (b->at[0] + b->grid[0] * (b->at[1] + b->grid[1] * b->at[2]));
    return n;
}

/* Takes the lock of the word that o names in a lane. False if another lane or warp holds it. A word
 * that has no lock counts as taken. */
static bool take_lock(const struct call *c, const struct operand *o, int lane) {
    const uint64_t at = address_in(c, o, lane);
    if (o->file == FILE_SHARED) {
        int16_t *lock = shared_lock(c, at);
        if (lock && *lock >= 0)
            return false;
        if (lock)
            *lock = (int16_t)c->w->warp_id;
        return true;
    }
    uint32_t *lock = global_lock(c, at), none = 0;
    return !lock || __atomic_compare_exchange_n(lock, &none, owner(c), false, __ATOMIC_ACQUIRE,
                                                __ATOMIC_RELAXED);
}

static void give_lock(const struct call *c, const struct operand *o, int lane) {
    const uint64_t at = address_in(c, o, lane);
    if (o->file == FILE_SHARED) {
        int16_t *lock = shared_lock(c, at);
        if (lock && *lock == (int16_t)c->w->warp_id)
            *lock = -1;
        return;
    }
    uint32_t *lock = global_lock(c, at), own = owner(c);
    if (lock)
        __atomic_compare_exchange_n(lock, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void ld_lock(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    lane_mask taken = 0;
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        if (take_lock(&c, &l->op->src[0], i))
            taken |= (lane_mask)1 << i;
    }
    if (taken)
        load(&c, &l->op->src[0], &l->op->dst, taken);
    fermi_put_predicate(&c, 0, taken);
}

static void st_unlock(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    store(&c, m);
    for (; m; m &= m - 1)
        give_lock(&c, &l->op->dst, __builtin_ctz(m));
}

/* ---- atomics ---- */

static uint32_t float_sum(uint32_t a, uint32_t b) {
    float x, y;
    uint32_t v;
    a = a & 0x7f800000 ? a : a & 0x80000000u; /* denormals are 0 */
    b = b & 0x7f800000 ? b : b & 0x80000000u;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&v, &x, 4);
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

/* Other CTAs run at the same time. */
static uint64_t exchange(const struct op *op, unsigned type, uint8_t *at, uint64_t v,
                         uint64_t other, bool wide) {
    if (wide) {
        uint64_t *p = (uint64_t *)(void *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(p, &old, combined(op, type, old, v, other), false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
        return old;
    }
    uint32_t *p = (uint32_t *)(void *)at, old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        p, &old, (uint32_t)combined(op, type, old, (uint32_t)v, (uint32_t)other), false,
        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

static uint64_t register_pair(const struct call *c, const struct operand *o, int lane, bool wide) {
    if (o->file != FILE_R)
        return 0;
    const uint64_t low = c->w->r[source_row(c->env, o->value)][lane];
    return wide ? low | (uint64_t)c->w->r[source_row(c->env, o->value + 1)][lane] << 32 : low;
}

static void atom(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                 lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const struct op *op = l->op;
    const bool returns = op->code == OP_ATOM;
    const struct operand *o = returns ? &op->src[0] : &op->dst;
    /* generic64's CAS compares with D and stores the operand */
    const bool g64_cas = env->program->variant == ISA_G64 && op->atomic == ATOMIC_CAS;
    const struct operand *data = g64_cas ? &op->dst : &op->src[1];
    const struct operand *other = g64_cas ? &op->src[1] : &op->src[2];
    const bool wide = size_of(o) == 8;
    u32x32 low = lanes_splat(0), high = lanes_splat(0);
    for (lane_mask rest = fermi_writers(&c, m); rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint64_t at = aligned(address_in(&c, o, i), wide ? 8 : 4, &w->stats.bad_writes);
        uint8_t *p = place(&c, o, i, at, wide ? 8 : 4);
        if (!p) {
            w->stats.bad_writes++;
            continue;
        }
        const uint64_t old = exchange(op, o->mem, p, register_pair(&c, data, i, wide),
                                      register_pair(&c, other, i, wide), wide);
        low[i] = (uint32_t)old;
        high[i] = (uint32_t)(old >> 32);
    }
    if (!returns)
        return;
    if (wide)
        put_pair(&c, low, high);
    else
        put(&c, low);
}

exec_fn *exec_fermi_memory_select(const struct op *op) {
    switch (op->code) {
    case OP_LD:
        return ld;
    case OP_ST:
        return st;
    case OP_LD_PAIR:
        return ld_pair;
    case OP_LD_LOCK:
        return ld_lock;
    case OP_ST_UNLOCK:
        return st_unlock;
    case OP_ATOM:
    case OP_RED:
        return atom;
    default:
        return NULL;
    }
}
