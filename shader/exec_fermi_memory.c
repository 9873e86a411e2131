/* Loads, stores and locks of Fermi and generic64: unified addresses of 32 or 64 bits with
 * windows on s[] and l[], and the spaces by name. In: a linked op and the lanes it runs in. Out:
 * registers, memory, and counts of accesses out of range: these read 0 or are dropped. Misaligned
 * accesses are aligned down and counted, too. Lanes execute in ascending order. Lanes whose
 * accesses lie in one array are served together, others one by one. Compiled once per SIMD level.
 * Facts: fermi-isa.md §2, §4.4, §6.1, §6.3.
 */
#include "shader/fermi_place.h"

/* ---- loads ---- */

static const uint8_t *const_at(const struct warp_env *env, unsigned bank, uint32_t at,
                               unsigned size) {
    if (bank >= 16 || (uint64_t)at + size > env->c[bank].size)
        return NULL;
    return env->c[bank].data + at;
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

/* Stores to one array, in the order of the lanes. False if an access of m does not lie there. */
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

/* True if an access goes to g[], and not through a window to s[] or l[]. */
static bool is_common(const struct call *c, const struct operand *o, uint64_t at) {
    return o->file == FILE_GLOBAL && !window_of(c, o, at);
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
    /* lanes that may not change g[] still store to s[] and l[], also through windows */
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

/* ---- locks, held by a warp: one per word of s[]; all words of g[] share WARP_LOCKS locks ---- */

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

/* Executes one round in the lanes m: loads, the instructions between, stores. */
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

/* Lanes often agree on few rows of l[]. An access to a row for fewer lanes than this takes longer
 * than accesses of these lanes one by one. */
enum { LOCAL_LANES = 4 };

/* Finds the lanes of `rest` that access address `one`. 0: they are too few, and others are left.
 * here: all ones in lanes with that address. */
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

/* Each lane has words of its own in l[], so the order of the lanes does not matter. */
LANES_INLINE void store_local_usual(const struct call *c, unsigned words) {
    const struct op *op = op_of(c);
    const u32x32 in = lanes_from_mask(c->m);
    u32x32 at, here, v[4];
    uint32_t address[LANES];
    if (!c->m || !local_usual(c, &op->dst, 4 * words, &at)) {
        store(c, c->m);
        return;
    }
    for (unsigned k = 0; k < words; k++)
        v[k] = row(c, op->src[0].value + k);
    memcpy(address, &at, sizeof address);
    lane_mask rest = c->m;
    local_written_all(c->w, at, rest);
    while (rest) {
        const uint32_t one = address[__builtin_ctz(rest)];
        const lane_mask same = local_row(one, at, rest, &here);
        if (!same)
            break;
        for (unsigned k = 0; k < words; k++) {
            u32x32 *const to = &c->w->local[one / 4 + k];
            *to = same == LANES_ALL ? v[k] : lanes_blend(here & in, v[k], *to);
        }
        rest &= ~same;
    }
    for (unsigned k = 0; rest && k < words; k++)
        scatter_rows(c->w->local + k, at >> 2, v[k], rest);
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
    default:
        return NULL;
    }
}
