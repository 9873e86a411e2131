/* Loads, stores, locks and atomics of Fermi and generic64: unified addresses of 32 or 64 bits with
 * windows on s[] and l[], and the spaces by name. In: a linked op and the lanes it runs in. Out:
 * registers, memory, and counts of accesses out of range: these read 0 or are dropped. Misaligned
 * accesses are aligned down and counted, too. Lanes execute in ascending order. Lanes whose
 * accesses lie in one array are served together, others one by one. Compiled once per SIMD level.
 * Facts: fermi-isa.md §2, §4.4, §6.1, §6.3.
 */
#include "shader/fermi_span.h"
#include "base/bits.h"
#include "shader/local.h"

/* The alignment of an access in bytes: 96 bits are three words. */
static unsigned size_of(const struct operand *o) {
    return o->mem == TYPE_B96 ? 4 : type_bytes(o->mem);
}

static unsigned words_of(const struct operand *o) {
    const unsigned size = size_of(o);
    return o->mem == TYPE_B96 ? 3 : size > 4 ? size / 4 : 1;
}

static unsigned bytes_of(const struct operand *o) {
    const unsigned size = size_of(o), words = words_of(o);
    return words > 1 ? 4 * words : size;
}

/* Without GPU memory, space n of warp_env.g begins at (n + 1) << 40. Its first 128 MiB are also at
 * (n + 1) << 27, for 32-bit addresses. */
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
    local_written(w, at); /* for loads and stores: both count as a store */
    return (uint8_t *)((uint32_t *)&w->local[at / 4] + lane) + at % 4;
}

static const uint8_t *const_at(const struct warp_env *env, unsigned bank, uint32_t at,
                               unsigned size) {
    if (bank >= 16 || (uint64_t)at + size > env->c[bank].size)
        return NULL;
    return env->c[bank].data + at;
}

/* The window that an address of g[] lies in, or 0. In GPU memory only 32-bit addresses have
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

/* The host address of an access of `size` bytes. An access to l[] has at most one word. NULL if out
 * of range. */
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
            return c->env->memory ? memory_near(c->env->memory, hint_of(c), at, size)
                                  : global_at(c->env, at, size);
        }
    default:
        return NULL;
    }
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

/* ---- arrays that lanes share ---- */

static bool global_span(const struct call *c, const struct operand *o, uint64_t at,
                        struct span *s) {
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    const uint64_t n = at >> shift, windows = (uint64_t)FERMI_S_WINDOW << FERMI_WINDOW_SHIFT;
    if (window_of(c, o, at))
        return false;
    if (!c->env->memory) {
        if (!c->env->g || n == 0 || n > SPACES)
            return false;
        const struct global_view *g = &c->env->g[n - 1];
        const uint64_t most = 1ull << shift;
        *s = (struct span){n << shift, g->limit < most ? g->limit : most, g->data};
        return true;
    }
    if (!span_of_memory(c, at, s))
        return false;
    if (!(o->flags & OPERAND_WIDE) && s->start + s->size > windows)
        s->size = windows > s->start ? windows - s->start : 0;
    return true;
}

/* Finds the array that the first lane of m accesses. False: no array contains the address, or the
 * access is to l[], which is no array, or goes through a window. */
static bool find_span(const struct call *c, const struct operand *o, const struct lane_addresses *a,
                      lane_mask m, struct span *s) {
    const uint64_t at = span_address(a, __builtin_ctz(m));
    const struct cta_shared *b = c->w->cta;
    switch (o->file) {
    case FILE_SHARED:
        *s = (struct span){0, b ? b->s_size : 0, b ? b->s : NULL};
        return b;
    case FILE_CONST: {
        const uint64_t bank = o->index + (at >> 16);
        if (bank >= 16)
            return false;
        const struct const_view *v = &c->env->c[bank];
        *s = (struct span){at & ~0xffffull, v->size, (uint8_t *)v->data};
        return true;
    }
    case FILE_GLOBAL:
        return global_span(c, o, at, s);
    default:
        return false;
    }
}

/* Loads words of one array. Returns the lanes that are done. An access of less than a word loads
 * the word around it. */
static lane_mask load_span(const struct call *c, const struct operand *o,
                           const struct lane_addresses *a, lane_mask m, u32x32 *v) {
    const unsigned words = words_of(o), size = size_of(o);
    struct lane_addresses at = *a;
    struct span s;
    u32x32 offset;
    if (!find_span(c, o, a, m, &s))
        return 0;
    if (size < 4)
        at.low &= ~3u;
    const lane_mask ok = span_lanes(&s, &at, 4 * words, m, &offset);
    if (!ok)
        return 0;
    span_load(&s, offset, words, ok, v);
    if (size < 4)
        *v = span_part(*v, a->low, o->mem);
    return ok;
}

/* The lanes of m whose access lies inside of l[]. */
static lane_mask local_lanes(const struct call *c, const struct lane_addresses *a, uint32_t bytes,
                             lane_mask m) {
    const uint32_t size = c->w->local ? c->w->local_size : 0;
    if (size < bytes)
        return 0;
    return m & lanes_to_mask((u32x32)(a->low <= lanes_splat(size - bytes)));
}

static lane_mask load_local(const struct call *c, const struct operand *o,
                            const struct lane_addresses *a, lane_mask m, u32x32 *v) {
    const unsigned words = words_of(o), size = size_of(o);
    const lane_mask ok = local_lanes(c, a, bytes_of(o), m);
    if (!ok)
        return 0;
    const bool uniform = span_is_uniform(a->low, ok);
    const u32x32 *const row = &c->w->local[a->low[__builtin_ctz(ok)] / 4];
    for (unsigned k = 0; k < words; k++)
        v[k] = uniform ? row[k]
                       : gather_words(c->w->local + k, (a->low >> 2) * 128 + 4 * lanes_iota(), ok);
    if (size < 4)
        *v = span_part(*v, a->low, o->mem);
    return ok;
}

/* Loads memory operand o, whose addresses are a, into the registers from d on. */
static void load_from(const struct call *c, const struct operand *o, struct lane_addresses a,
                      const struct operand *d, lane_mask m) {
    const unsigned size = size_of(o), words = words_of(o);
    u32x32 v[4];
    if (!m)
        return;
    c->w->stats.bad_reads += span_align(&a, size, m);
    lane_mask rest = m & ~(o->file == FILE_LOCAL ? load_local : load_span)(c, o, &a, m, v);
    if (rest == m)
        memset(v, 0, sizeof v);
    for (; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint64_t at = span_address(&a, i);
        for (unsigned k = 0; k < words; k++)
            v[k][i] = extended(load_part(c, o, i, at + 4 * k, size < 4 ? size : 4), o->mem);
    }
    for (unsigned k = 0; d->file == FILE_R && k < words; k++)
        lanes_store(&c->w->r[dest_row(c->env, d->value + k)], v[k], m);
}

static void load(const struct call *c, const struct operand *o, const struct operand *d,
                 lane_mask m) {
    struct lane_addresses a;
    span_addresses(c, o, &a);
    load_from(c, o, a, d, m);
}

/* ---- stores ---- */

/* Stores to one array, in the order of the lanes. False if not all lanes of m lie there. */
static bool store_span(const struct call *c, const struct operand *o,
                       const struct lane_addresses *a, lane_mask m, const u32x32 *v) {
    const unsigned bytes = bytes_of(o);
    struct span s;
    u32x32 offset;
    if (!find_span(c, o, a, m, &s) || span_lanes(&s, a, bytes, m, &offset) != m)
        return false;
    span_store(&s, &offset, bytes, m, v);
    return true;
}

/* Stores words to l[] if all lanes have one address, else returns false. */
static bool store_local(const struct call *c, const struct operand *o,
                        const struct lane_addresses *a, lane_mask m, const u32x32 *v) {
    const unsigned bytes = bytes_of(o);
    if (bytes < 4 || local_lanes(c, a, bytes, m) != m || !span_is_uniform(a->low, m))
        return false;
    const uint32_t at = a->low[__builtin_ctz(m)];
    for (unsigned k = 0; 4 * k < bytes; k++) {
        local_written(c->w, at + 4 * k);
        lanes_store(&c->w->local[at / 4 + k], v[k], m);
    }
    return true;
}

/* Stores one lane's words. */
static void store_lane(const struct call *c, const struct operand *o, uint64_t at, int lane,
                       const u32x32 *v) {
    const unsigned size = size_of(o), words = words_of(o);
    for (unsigned k = 0; k < words; k++) {
        uint8_t *p = place(c, o, lane, at + 4 * k, size < 4 ? size : 4);
        const uint32_t word = v[k][lane];
        if (p)
            memcpy(p, &word, size < 4 ? size : 4);
        else
            c->w->stats.bad_writes++;
    }
}

static void store(const struct call *c, lane_mask m) {
    const struct operand *o = &op_of(c)->dst, *d = &op_of(c)->src[0];
    const lane_mask writers = fermi_writers(c, m);
    struct lane_addresses a;
    u32x32 v[4];
    if (!m)
        return;
    span_addresses(c, o, &a);
    c->w->stats.bad_writes += span_align(&a, size_of(o), m);
    for (unsigned k = 0; k < words_of(o); k++)
        v[k] = d->file == FILE_R ? row(c, d->value + k) : lanes_splat(0);
    /* windows, s[] and l[], are not common memory */
    const bool all = writers == m || o->file != FILE_GLOBAL;
    if (all && (o->file == FILE_LOCAL ? store_local : store_span)(c, o, &a, m, v))
        return;
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        const uint64_t at = span_address(&a, i);
        if (writers >> i & 1 || !is_common(c, o, at))
            store_lane(c, o, at, i, v);
    }
}

FERMI_HANDLER(ld) {
    load(c, &op_of(c)->src[0], &op_of(c)->dst, c->m);
}

/* Two loads. Both addresses are read before a register is written. */
FERMI_HANDLER(ld_pair) {
    const struct op *op = op_of(c);
    struct lane_addresses first, second;
    span_addresses(c, &op->src[0], &first);
    span_addresses(c, &op->src[2], &second);
    load_from(c, &op->src[0], first, &op->dst, c->m);
    load_from(c, &op->src[2], second, &op->src[1], c->m);
}

FERMI_HANDLER(st) {
    store(c, c->m);
}

/* ---- locks, held by a warp: one per word of s[]; words of g[] share WARP_LOCKS of them ---- */

static int16_t *shared_lock(const struct call *c, uint64_t at) {
    const struct cta_shared *b = c->w->cta;
    return b && b->lock_owner && at / 4 < b->s_size / 4 ? &b->lock_owner[at / 4] : NULL;
}

static uint32_t *global_lock(const struct call *c, uint64_t at) {
    return c->env->locks ? &c->env->locks[at / 4 * 2654435761u >> 20 & (WARP_LOCKS - 1)] : NULL;
}

/* A number for this warp among all warps of the grid, from 1. */
static uint32_t owner(const struct call *c) {
    const struct cta_shared *b = c->w->cta;
    uint32_t n = c->w->warp_id + 1;
    if (b && b->grid[0])
        n += 32 * (b->at[0] + b->grid[0] * (b->at[1] + b->grid[1] * b->at[2]));
    return n;
}

/* Takes the lock of the word at an address. False if another lane or warp holds it. For a word that
 * has no lock (out of range) the attempt always succeeds. */
static bool take_lock(const struct call *c, const struct operand *o, uint64_t at) {
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

static void give_lock(const struct call *c, const struct operand *o, uint64_t at) {
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

/* Writes the addresses into an array, because clang reads single elements of a vector through
 * copies of the vector. */
static void list_addresses(const struct call *c, const struct operand *o, uint64_t at[LANES]) {
    uint32_t low[LANES], high[LANES];
    struct lane_addresses a;
    span_addresses(c, o, &a);
    memcpy(low, &a.low, sizeof low);
    memcpy(high, &a.high, sizeof high);
    for (int i = 0; i < LANES; i++)
        at[i] = low[i] | (uint64_t)high[i] << 32;
}

FERMI_HANDLER(ld_lock) {
    uint64_t at[LANES];
    lane_mask taken = 0;
    list_addresses(c, &op_of(c)->src[0], at);
    for (lane_mask rest = c->m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        if (take_lock(c, &op_of(c)->src[0], at[i]))
            taken |= (lane_mask)1 << i;
    }
    if (taken)
        load(c, &op_of(c)->src[0], &op_of(c)->dst, taken);
    fermi_put_predicate(c, 0, taken);
}

FERMI_HANDLER(st_unlock) {
    uint64_t at[LANES];
    store(c, c->m);
    list_addresses(c, &op_of(c)->dst, at);
    for (; c->m; c->m &= c->m - 1)
        give_lock(c, &op_of(c)->dst, at[__builtin_ctz(c->m)]);
}

LANES_INLINE const struct linked_op *next_of(const struct linked_op *l) {
    return l + l->op->words;
}

/* ---- loops that wait for locks of s[], all rounds at once ---- */

/* The word of s[] of each lane, and the round in which the lane gets its lock: a lock goes to the
 * lowest lane that asks for it. */
struct rounds {
    uint32_t word[LANES], round[LANES];
    uint32_t last, waits; /* the last round; the sum of the rounds that the lanes wait */
};

/* Finds the round of each lane. For this the locks count down: a free lock is -1, after one lane
 * -2, and so on. False if a lock is held; then the locks are as before. */
static bool find_rounds(int16_t *lock, struct rounds *t, lane_mask m) {
    int32_t before[LANES];
    memset(before, -1, sizeof before);
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest), v = lock[t->word[i]];
        before[i] = v;
        lock[t->word[i]] = (int16_t)(v - 1);
    }
    bool held = false;
    t->last = t->waits = 0;
    for (int i = 0; i < LANES; i++) {
        const uint32_t n = (uint32_t)(-1 - before[i]);
        held |= before[i] >= 0;
        t->round[i] = n;
        t->waits += n;
        t->last = n > t->last ? n : t->last;
    }
    for (int i = LANES - 1; held && i >= 0; i--)
        if (m >> i & 1)
            lock[t->word[i]] = (int16_t)before[i];
    return !held;
}

/* Finds the rounds of all lanes. False if an address is out of range or not aligned, or a lock is
 * held. */
static bool find_lock_rounds(const struct call *c, const struct operand *o, struct rounds *t) {
    const struct cta_shared *b = c->w->cta;
    struct lane_addresses a;
    span_addresses(c, o, &a);
    const u32x32 at = a.low, word = at >> 2;
    const uint32_t limit = b && b->s_size >= 4 ? b->s_size - 4 : 0;
    if (!limit || !b->lock_owner ||
        c->m & lanes_to_mask((u32x32)(at > lanes_splat(limit)) | (u32x32)((at & 3) != 0)))
        return false;
    memcpy(t->word, &word, sizeof t->word);
    return find_rounds(b->lock_owner, t, c->m);
}

/* One round of the lanes m: loads, the instructions between, stores. */
static void do_round(const struct call *c, const struct rounds *t, lane_mask m) {
    const struct linked_op *l = c->l;
    uint32_t *const s = (uint32_t *)c->w->cta->s;
    uint32_t *const loaded = (uint32_t *)&c->w->r[dest_row(c->env, l->op->dst.value)];
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        loaded[i] = s[t->word[i]];
    }
    for (l = next_of(l); l->op->code != OP_ST_UNLOCK; l = next_of(l))
        l->fn[c->env->simd](c->w, c->env, l, m);
    const uint32_t *const stored =
        (const uint32_t *)&c->w->r[source_row(c->env, l->op->src[0].value)];
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        s[t->word[i]] = stored[i];
    }
}

static void do_rounds(const struct call *c, const struct rounds *t) {
    lane_mask in[LANES] = {0};
    for (lane_mask rest = c->m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        in[t->round[i]] |= (lane_mask)1 << i;
        c->w->cta->lock_owner[t->word[i]] = -1;
    }
    for (uint32_t k = 0; k <= t->last; k++)
        do_round(c, t, in[k]);
}

/* The effect of a loop with one instruction between load and store, if this instruction combines
 * the word with another source. */
struct update {
    enum { UPDATE_NONE, UPDATE_ADD, UPDATE_AND, UPDATE_OR, UPDATE_XOR } kind;
    u32x32 with;
    uint32_t *loaded, *stored; /* rows */
};

static int update_kind(const struct op *op) {
    static const int logic[] = {[LOGIC_AND] = UPDATE_AND,
                                [LOGIC_OR] = UPDATE_OR,
                                [LOGIC_XOR] = UPDATE_XOR,
                                [LOGIC_MOV2] = UPDATE_NONE};
    if (op->cdst != NO_FLAGS_DST || op->dst.file != FILE_R ||
        (op->src[0].flags | op->src[1].flags) & OPERAND_NOT)
        return UPDATE_NONE;
    if (op->code == OP_IADD)
        return op->add_kind == ADD_ADD && !op->carry_in && !op->sat ? UPDATE_ADD : UPDATE_NONE;
    return op->code == OP_LOGIC ? logic[op->logic] : UPDATE_NONE;
}

static bool is_row(const struct operand *o, uint32_t n) {
    return o->file == FILE_R && o->value == n;
}

static struct update find_update(const struct call *c) {
    const struct linked_op *l = next_of(c->l), *st = next_of(l);
    const struct op *op = l->op;
    const uint32_t word = c->l->op->dst.value;
    struct update u = {.kind = UPDATE_NONE};
    if (st->op->code != OP_ST_UNLOCK || op->code == OP_ST_UNLOCK)
        return u;
    const bool first = is_row(&op->src[0], word), second = is_row(&op->src[1], word);
    if (first == second || l->skipped || !is_row(&st->op->src[0], op->dst.value))
        return u;
    const struct call inner = {.w = c->w, .env = c->env, .l = l, .m = c->m};
    u.kind = update_kind(op);
    if (u.kind == UPDATE_NONE)
        return u;
    u.with = fermi_source(&inner, first ? 1 : 0);
    u.loaded = (uint32_t *)&c->w->r[dest_row(c->env, word)];
    u.stored = (uint32_t *)&c->w->r[l->dst];
    return u;
}

/* Does the updates of all rounds in lane order, and frees the locks. */
LANES_INLINE void update_words(const struct call *c, const struct rounds *t, const struct update *u,
                               int kind) {
    uint32_t *const s = (uint32_t *)c->w->cta->s;
    int16_t *const lock = c->w->cta->lock_owner;
    uint32_t with[LANES];
    memcpy(with, &u->with, sizeof with);
    for (lane_mask rest = c->m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        uint32_t *const word = &s[t->word[i]], v = *word;
        u->loaded[i] = v;
        v = kind == UPDATE_ADD   ? v + with[i]
            : kind == UPDATE_AND ? v & with[i]
            : kind == UPDATE_OR  ? v | with[i]
                                 : v ^ with[i];
        u->stored[i] = v;
        *word = v;
        lock[t->word[i]] = -1;
    }
}

static void do_update(const struct call *c, const struct rounds *t, const struct update *u) {
    switch (u->kind) {
    case UPDATE_ADD:
        update_words(c, t, u, UPDATE_ADD);
        break;
    case UPDATE_AND:
        update_words(c, t, u, UPDATE_AND);
        break;
    case UPDATE_OR:
        update_words(c, t, u, UPDATE_OR);
        break;
    case UPDATE_XOR:
        update_words(c, t, u, UPDATE_XOR);
        break;
    case UPDATE_NONE:
        do_rounds(c, t);
    }
}

/* Executes a whole loop (fermi.h). Instructions are counted as if the rounds ran one by one: lanes
 * wait in the loop, and the lanes of each round leave it by a join. The caller counts the first
 * round and the last join. */
bool SIMD_FN(exec_fermi_lock_loop)(struct warp *w, const struct warp_env *env,
                                   const struct linked_op *l, lane_mask m, uint32_t length) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const uint32_t limit = env->stack_limit ? env->stack_limit : WARP_STACK_MAX;
    struct rounds t;
    if (!m || w->stack_top + LANES > limit || w->native.left < LANES * (length + 1) ||
        !find_lock_rounds(&c, &l->op->src[0], &t))
        return false;
    w->fermi.p[l->op->pdst[0]] |= m;
    const struct update u = find_update(&c);
    do_update(&c, &t, &u);
    const uint32_t more = t.last * (length + 1);
    w->native.left -= more;
    w->native.counted_at -= more;
    w->stats.instructions += more;
    w->stats.lane_instructions += (uint64_t)length * t.waits;
    return true;
}

/* ---- atomics ---- */

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

/* Does the operation of one lane on one word of memory. alone: only this thread accesses the memory
 * (s[]); other memory may be accessed by other CTAs at the same time. Returns the old contents. */
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
    const struct operand *at; /* in memory */
    struct lane_addresses address;
    u32x32 data[2], other[2]; /* words; the second one is used by 64-bit operations only */
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

/* Lanes of one word in ascending order, in one exchange with the memory: to other warps, all lanes
 * change the word at once. */
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

/* The same for sums of integers: one addition of the lanes' sum is enough. */
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

/* Exchanges with common memory take longer than all else: lanes that share a word share the
 * exchange. Stops after two lanes that share their word with no other. Returns the lanes that are
 * left. */
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

/* Does an atomic of one word a lane, for lanes whose words lie in one array. Returns the lanes
 * done. */
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

/* ---- handlers for usual accesses: whole words of s[] or g[], all lanes at once ---- */

/* Finds the array that all of the warp's accesses lie in. False: no such array, or an access is not
 * aligned. */
LANES_INLINE bool usual_span(const struct call *c, const struct operand *o, enum operand_file file,
                             uint32_t size, uint32_t align, struct span *s, u32x32 *offset) {
    struct lane_addresses a;
    if (file == FILE_SHARED) {
        const struct cta_shared *b = c->w->cta;
        const uint32_t limit = b ? b->s_size : 0;
        *offset = c->w->r[source_row(c->env, o->areg)] + o->value;
        *s = (struct span){.data = b ? b->s : NULL};
        return limit >= size &&
               !(c->m & lanes_to_mask((u32x32)(*offset > lanes_splat(limit - size)) |
                                      (u32x32)((*offset & (align - 1)) != 0)));
    }
    span_addresses(c, o, &a);
    return !(c->m & lanes_to_mask((u32x32)((a.low & (align - 1)) != 0))) &&
           span_of_memory(c, span_address(&a, __builtin_ctz(c->m)), s) &&
           span_lanes(s, &a, size, c->m, offset) == c->m;
}

LANES_INLINE void load_usual(const struct call *c, enum operand_file file, unsigned words) {
    const struct op *op = op_of(c);
    const uint32_t d = op->dst.value;
    struct span s;
    u32x32 offset, v[4];
    if (!c->m)
        return;
    if ((file == FILE_GLOBAL && !c->env->memory) ||
        !usual_span(c, &op->src[0], file, 4 * words, 4 * words, &s, &offset)) {
        load(c, &op->src[0], &op->dst, c->m);
        return;
    }
    span_load(&s, offset, words, c->m, v);
    for (unsigned k = 0; k < words; k++)
        lanes_store(&c->w->r[dest_row(c->env, d + k)], v[k], c->m);
}

LANES_INLINE void store_usual(const struct call *c, enum operand_file file, unsigned words) {
    const struct op *op = op_of(c);
    const uint32_t d = op->src[0].value;
    struct span s;
    u32x32 offset, v[4];
    if (!c->m)
        return;
    if ((file == FILE_GLOBAL && (!c->env->memory || c->env->program->type == PROGRAM_FP)) ||
        !usual_span(c, &op->dst, file, 4 * words, 4 * words, &s, &offset)) {
        store(c, c->m);
        return;
    }
    for (unsigned k = 0; k < words; k++)
        v[k] = c->w->r[source_row(c->env, d + k)];
    span_store(&s, &offset, 4 * words, c->m, v);
}

/* ---- handlers for whole words of l[] ---- */

/* Lanes often agree on few rows of l[]. A row for fewer lanes takes longer than these lanes one by
 * one. */
enum { LOCAL_LANES = 4 };

/* Finds the lanes of `rest` that access the same row as its first lane. 0: they are too few. here:
 * all ones in lanes of that row. */
LANES_INLINE lane_mask local_row(uint32_t one, u32x32 at, lane_mask rest, u32x32 *here) {
    *here = (u32x32)(at == lanes_splat(one));
    const lane_mask same = rest & lanes_to_mask(*here);
    return same == rest || lanes_count(same) >= LOCAL_LANES ? same : 0;
}

/* The addresses in l[]. False: an access of the warp is outside or not aligned. */
LANES_INLINE bool local_usual(const struct call *c, const struct operand *o, uint32_t size,
                              u32x32 *at) {
    const uint32_t limit = c->w->local ? c->w->local_size : 0;
    *at = lanes_splat(o->value);
    if (!(o->flags & OPERAND_BASED))
        return limit >= size && o->value <= limit - size && !(o->value & (size - 1));
    *at += c->w->r[source_row(c->env, o->areg)];
    return limit >= size && !(c->m & lanes_to_mask((u32x32)(*at > lanes_splat(limit - size)) |
                                                   (u32x32)((*at & (size - 1)) != 0)));
}

LANES_INLINE void load_local_usual(const struct call *c, unsigned words) {
    const struct op *op = op_of(c);
    u32x32 at, here, v[4];
    uint32_t address[LANES];
    if (!c->m || !local_usual(c, &op->src[0], 4 * words, &at)) {
        load(c, &op->src[0], &op->dst, c->m);
        return;
    }
    memcpy(address, &at, sizeof address);
    lane_mask rest = c->m;
    for (unsigned k = 0; k < words; k++)
        v[k] = lanes_splat(0);
    while (rest) {
        const uint32_t one = address[__builtin_ctz(rest)];
        const lane_mask same = local_row(one, at, rest, &here);
        if (!same)
            break;
        for (unsigned k = 0; k < words; k++)
            v[k] = lanes_blend(here, c->w->local[one / 4 + k], v[k]);
        rest &= ~same;
    }
    for (unsigned k = 0; rest && k < words; k++) {
        const u32x32 offset = (at >> 2) * (uint32_t)sizeof(u32x32) + 4 * lanes_iota();
        v[k] = lanes_select(rest, gather_words(c->w->local + k, offset, rest), v[k]);
    }
    for (unsigned k = 0; k < words; k++)
        lanes_store(&c->w->r[dest_row(c->env, op->dst.value + k)], v[k], c->m);
}

/* Lanes never store to the same place. */
LANES_INLINE void store_local_usual(const struct call *c, unsigned words) {
    const struct op *op = op_of(c);
    const u32x32 in = lanes_from_mask(c->m);
    u32x32 at, here, v[4];
    uint32_t address[LANES], word[4][LANES];
    if (!c->m || !local_usual(c, &op->dst, 4 * words, &at)) {
        store(c, c->m);
        return;
    }
    for (unsigned k = 0; k < words; k++)
        v[k] = row(c, op->src[0].value + k);
    memcpy(address, &at, sizeof address);
    lane_mask rest = c->m;
    while (rest) {
        const uint32_t one = address[__builtin_ctz(rest)];
        const lane_mask same = local_row(one, at, rest, &here);
        if (!same)
            break;
        local_written(c->w, one);
        for (unsigned k = 0; k < words; k++) {
            u32x32 *const to = &c->w->local[one / 4 + k];
            *to = same == LANES_ALL ? v[k] : lanes_blend(here & in, v[k], *to);
        }
        rest &= ~same;
    }
    memcpy(word, v, words * sizeof *v);
    for (; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        local_written(c->w, address[i]);
        for (unsigned k = 0; k < words; k++)
            ((uint32_t *)&c->w->local[address[i] / 4 + k])[i] = word[k][i];
    }
}

/* ---- bursts: instructions with one word each ---- */

static void one_by_one(const struct call *c, unsigned n) {
    const struct linked_op *l = c->l;
    for (unsigned k = 0; k < n; k++, l = next_of(l)) {
        const struct call one = {.w = c->w, .env = c->env, .l = l, .m = c->m};
        if (l->op->code == OP_LD)
            load(&one, &l->op->src[0], &l->op->dst, c->m);
        else
            store(&one, c->m);
    }
}

LANES_INLINE void load_burst(const struct call *c, enum operand_file file, unsigned n) {
    const struct linked_op *l = c->l;
    struct span s;
    u32x32 offset, v[4];
    if (!c->m)
        return;
    if ((file == FILE_GLOBAL && !c->env->memory) ||
        !usual_span(c, &l->op->src[0], file, 4 * n, 4, &s, &offset)) {
        one_by_one(c, n);
        return;
    }
    span_load(&s, offset, n, c->m, v);
    for (unsigned k = 0; k < n; k++, l = next_of(l))
        lanes_store(&c->w->r[dest_row(c->env, l->op->dst.value)], v[k], c->m);
}

/* Stores each word in all lanes before the next word, like single instructions: lanes may store to
 * the same place. */
LANES_INLINE void store_burst(const struct call *c, enum operand_file file, unsigned n) {
    const struct linked_op *l = c->l;
    struct span s;
    u32x32 offset;
    if (!c->m)
        return;
    if ((file == FILE_GLOBAL && (!c->env->memory || c->env->program->type == PROGRAM_FP)) ||
        !usual_span(c, &l->op->dst, file, 4 * n, 4, &s, &offset)) {
        one_by_one(c, n);
        return;
    }
    for (unsigned k = 0; k < n; k++, l = next_of(l), s.data += 4) {
        const u32x32 v = c->w->r[source_row(c->env, l->op->src[0].value)];
        span_store(&s, &offset, 4, c->m, &v);
    }
}

#define USUAL(name, function, file, words)                                                         \
    FERMI_HANDLER(name) {                                                                          \
        function(c, file, words);                                                                  \
    }
USUAL(load_shared_1, load_usual, FILE_SHARED, 1)
USUAL(load_shared_2, load_usual, FILE_SHARED, 2)
USUAL(load_shared_4, load_usual, FILE_SHARED, 4)
USUAL(load_global_1, load_usual, FILE_GLOBAL, 1)
USUAL(load_global_2, load_usual, FILE_GLOBAL, 2)
USUAL(load_global_4, load_usual, FILE_GLOBAL, 4)
USUAL(store_shared_1, store_usual, FILE_SHARED, 1)
USUAL(store_shared_4, store_usual, FILE_SHARED, 4)
USUAL(store_global_1, store_usual, FILE_GLOBAL, 1)
USUAL(store_global_4, store_usual, FILE_GLOBAL, 4)
USUAL(load_shared_burst_2, load_burst, FILE_SHARED, 2)
USUAL(load_shared_burst_3, load_burst, FILE_SHARED, 3)
USUAL(load_shared_burst_4, load_burst, FILE_SHARED, 4)
USUAL(load_global_burst_2, load_burst, FILE_GLOBAL, 2)
USUAL(load_global_burst_3, load_burst, FILE_GLOBAL, 3)
USUAL(load_global_burst_4, load_burst, FILE_GLOBAL, 4)
USUAL(store_shared_burst_2, store_burst, FILE_SHARED, 2)
USUAL(store_shared_burst_3, store_burst, FILE_SHARED, 3)
USUAL(store_shared_burst_4, store_burst, FILE_SHARED, 4)
USUAL(store_global_burst_2, store_burst, FILE_GLOBAL, 2)
USUAL(store_global_burst_3, store_burst, FILE_GLOBAL, 3)
USUAL(store_global_burst_4, store_burst, FILE_GLOBAL, 4)
#undef USUAL

#define USUAL_LOCAL(words)                                                                         \
    FERMI_HANDLER(load_local_##words) {                                                            \
        load_local_usual(c, words);                                                                \
    }                                                                                              \
    FERMI_HANDLER(store_local_##words) {                                                           \
        store_local_usual(c, words);                                                               \
    }
USUAL_LOCAL(1)
USUAL_LOCAL(2)
USUAL_LOCAL(4)
#undef USUAL_LOCAL

exec_fn *SIMD_FN(exec_fermi_burst)(const struct op *op, uint32_t n) {
    static exec_fn *const loads[2][FERMI_BURST + 1] = {
        {[2] = load_shared_burst_2, [3] = load_shared_burst_3, [4] = load_shared_burst_4},
        {[2] = load_global_burst_2, [3] = load_global_burst_3, [4] = load_global_burst_4}};
    static exec_fn *const stores[2][FERMI_BURST + 1] = {
        {[2] = store_shared_burst_2, [3] = store_shared_burst_3, [4] = store_shared_burst_4},
        {[2] = store_global_burst_2, [3] = store_global_burst_3, [4] = store_global_burst_4}};
    const bool is_load = op->code == OP_LD;
    const struct operand *o = is_load ? &op->src[0] : &op->dst;
    if (n > FERMI_BURST || !fermi_accesses_words(op) || words_of(o) != 1)
        return NULL;
    return (is_load ? loads : stores)[o->file == FILE_GLOBAL][n];
}

/* The handler for a usual access to words; NULL: op is no such access. */
static exec_fn *usual(const struct op *op) {
    static exec_fn *const loads[2][5] = {
        {[1] = load_shared_1, [2] = load_shared_2, [4] = load_shared_4},
        {[1] = load_global_1, [2] = load_global_2, [4] = load_global_4}};
    static exec_fn *const stores[2][5] = {{[1] = store_shared_1, [4] = store_shared_4},
                                          {[1] = store_global_1, [4] = store_global_4}};
    static exec_fn *const locals[2][5] = {
        {[1] = store_local_1, [2] = store_local_2, [4] = store_local_4},
        {[1] = load_local_1, [2] = load_local_2, [4] = load_local_4}};
    const bool is_load = op->code == OP_LD;
    const struct operand *o = is_load ? &op->src[0] : &op->dst;
    const struct operand *data = is_load ? &op->dst : &op->src[0];
    if (o->file == FILE_LOCAL)
        return size_of(o) >= 4 && data->file == FILE_R ? locals[is_load][words_of(o)] : NULL;
    return fermi_accesses_words(op)
               ? (is_load ? loads : stores)[o->file == FILE_GLOBAL][words_of(o)]
               : NULL;
}

exec_fn *SIMD_FN(exec_fermi_memory_select)(const struct op *op) {
    exec_fn *const fn = op->code == OP_LD || op->code == OP_ST ? usual(op) : NULL;
    if (fn)
        return fn;
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
