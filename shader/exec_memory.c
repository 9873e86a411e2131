/* Tesla's loads, stores and atomics: c[] l[] s[] g[] a[] p[] o[], direct, indirect and with
 * post-increment.
 * In: one linked instruction and the lanes it runs in. Out: registers, memory, and counts of
 * accesses out of range: these read 0 or are dropped. Compiled once per SIMD level. Must not know
 * control flow, nor who owns the memory. Facts: tesla-isa.md §2.4, §4.4, §6.2.
 */
#include "shader/gather.h"
#include "shader/local.h"
#include "shader/registers.h"

/* ---- widths ---- */

/* The memory type of an operand. An operand without a memory type is accessed with its register
 * type. */
LANES_INLINE unsigned mem_type(const struct operand *o) {
    return o->mem != TYPE_NONE ? o->mem : o->type;
}

LANES_INLINE uint32_t extend_word(uint32_t v, unsigned type) {
    switch (type) {
    case TYPE_U8:
        return (uint8_t)v;
    case TYPE_S8:
        return (uint32_t)(int8_t)v;
    case TYPE_S16:
        return (uint32_t)(int16_t)v;
    case TYPE_U16:
    case TYPE_B16:
    case TYPE_F16:
        return (uint16_t)v;
    default:
        return v;
    }
}

LANES_INLINE u32x32 extend_lanes(u32x32 v, unsigned type) {
    switch (type) {
    case TYPE_U8:
        return v & 0xff;
    case TYPE_S8:
        return (u32x32)((i32x32)(v << 24) >> 24);
    case TYPE_S16:
        return (u32x32)((i32x32)(v << 16) >> 16);
    case TYPE_U16:
    case TYPE_B16:
    case TYPE_F16:
        return v & 0xffff;
    default:
        return v;
    }
}

LANES_INLINE uint32_t read_bytes(const uint8_t *at, unsigned size) {
    if (size == 4)
        return read_word(at);
    return size == 2 ? at[0] | (uint32_t)at[1] << 8 : at[0];
}

/* ---- addresses ---- */

/* One address for all lanes, or one for each lane. */
struct address {
    bool uniform;
    uint32_t first; /* of the lowest lane */
    u32x32 lane;
};

LANES_INLINE void address_from_lanes(struct address *a, u32x32 v, lane_mask m) {
    a->first = v[__builtin_ctz(m)];
    a->uniform = !(m & lanes_to_mask((u32x32)(v != lanes_splat(a->first))));
    a->lane = v;
}

/* Finds the addresses of an operand, 16 bits: the displacement, $a plus the displacement, or with
 * post-increment $a alone (tesla-isa.md §4.4). */
LANES_INLINE void address_of(struct warp *w, const struct operand *o, uint32_t displacement,
                             lane_mask m, struct address *a) {
    if (!o->areg) {
        a->uniform = true;
        a->first = displacement & 0xffff;
        a->lane = lanes_splat(a->first);
        return;
    }
    u32x32 *areg = &w->a[o->areg & 7];
    const u32x32 sum = (*areg + displacement) & 0xffff;
    if (o->flags & OPERAND_POSTINC) {
        address_from_lanes(a, *areg & 0xffff, m);
        lanes_store(areg, sum, m);
    } else {
        address_from_lanes(a, sum, m);
    }
}

/* Lanes of m whose access of `size` bytes ends within `limit`. at: multiples of size. */
LANES_INLINE lane_mask in_range(u32x32 at, uint32_t size, uint32_t limit, lane_mask m) {
    return m & lanes_to_mask((u32x32)(at + size <= lanes_splat(limit)));
}

LANES_INLINE bool consecutive_words(const struct address *a, lane_mask m) {
    return m == LANES_ALL && !(a->first & 3) &&
           lanes_to_mask((u32x32)(a->lane == a->first + 4 * lanes_iota())) == LANES_ALL;
}

/* ---- o[] ---- */

static void st_out(struct warp *w, const struct warp_env *, const struct linked_op *l,
                   lane_mask m) {
    const struct operand *o = &l->op->dst;
    const u32x32 data = register_data(w, &l->op->src[0], l->src[0]);
    struct address a;
    address_of(w, o, o->value, m, &a);
    const u32x32 row = a.lane >> 2;
    lane_mask ok = m & lanes_to_mask((u32x32)(row < lanes_splat(w->out_count)));
    w->stats.bad_writes += lanes_count(m & ~ok);
    if (a.uniform) {
        if (ok)
            lanes_store(&w->out[a.first >> 2], data, ok);
        return;
    }
    for (; ok; ok &= ok - 1) {
        const int i = __builtin_ctz(ok);
        w->out[row[i]][i] = data[i];
    }
}

/* ---- c[], s[], p[]: one array of bytes for all lanes ---- */

LANES_INLINE u32x32 load_linear(struct warp *w, const void *data, uint32_t limit,
                                const struct address *a, unsigned type, lane_mask m) {
    const uint32_t size = type_bytes(type), align = ~(size - 1);
    const uint8_t *const bytes = data;
    if (a->uniform) {
        const uint32_t at = a->first & align;
        if (at + size <= limit)
            return lanes_splat(extend_word(read_bytes(bytes + at, size), type));
        w->stats.bad_reads += lanes_count(m);
        return lanes_splat(0);
    }
    const u32x32 at = a->lane & align;
    lane_mask ok = in_range(at, size, limit, m);
    w->stats.bad_reads += lanes_count(m & ~ok);
    if (size == 4)
        return gather_words(data, at, ok);
    u32x32 v = lanes_splat(0);
    for (; ok; ok &= ok - 1) {
        const int i = __builtin_ctz(ok);
        v[i] = extend_word(read_bytes(bytes + at[i], size), type);
    }
    return v;
}

LANES_INLINE u32x32 load_const(struct warp *w, const struct warp_env *env, const struct operand *o,
                               lane_mask m) {
    const struct const_view *c = &env->c[o->index & 15];
    struct address a;
    address_of(w, o, o->value, m, &a);
    return load_linear(w, c->data, c->size, &a, mem_type(o), m);
}

LANES_INLINE u32x32 load_shared(struct warp *w, const struct operand *o, lane_mask m) {
    const struct cta_shared *b = w->cta;
    struct address a;
    address_of(w, o, o->value, m, &a);
    return load_linear(w, b ? b->s : NULL, b ? b->s_size : 0, &a, mem_type(o), m);
}

/* Component k of the vertex that $a points at is k * $vstride behind $a (tesla-isa.md §2.4). */
LANES_INLINE u32x32 load_prim(struct warp *w, const struct operand *o, lane_mask m) {
    struct address a;
    address_of(w, o, (o->value >> 2) * 0x20, m, &a);
    a.first *= 4;
    a.lane *= 4;
    return load_linear(w, w->prim, w->prim_count * 4, &a, TYPE_B32, m);
}

/* ---- a[], l[]: a row of 32 lanes for each word ---- */

/* The word that contains each lane's byte address. Lanes beyond the rows read 0. */
LANES_INLINE u32x32 load_rows(struct warp *w, const u32x32 *rows, uint32_t limit, uint32_t size,
                              const struct address *a, lane_mask m) {
    const uint32_t align = ~(size - 1);
    if (a->uniform) {
        const uint32_t at = a->first & align;
        if (at + size <= limit)
            return rows[at >> 2];
        w->stats.bad_reads += lanes_count(m);
        return lanes_splat(0);
    }
    const u32x32 at = a->lane & align;
    const lane_mask ok = in_range(at, size, limit, m);
    w->stats.bad_reads += lanes_count(m & ~ok);
    return gather_words(rows, (at >> 2) * 128 + 4 * lanes_iota(), ok);
}

LANES_INLINE u32x32 load_attr(struct warp *w, const struct operand *o, lane_mask m) {
    struct address a;
    address_of(w, o, o->value, m, &a);
    return load_rows(w, w->attr, w->attr_count * 4, 4, &a, m);
}

void SIMD_FN(exec_load_operand)(struct warp *w, const struct warp_env *env, const struct operand *o,
                                lane_mask m, u32x32 *value) {
    uint32_t word;
    if (o->file == FILE_CONST && !o->areg && type_bytes(mem_type(o)) == 4 &&
        const_word(env, o->index & 15, o->value & 0xfffc, &word)) { /* the usual case */
        *value = lanes_splat(word);
        return;
    }
    switch (o->file) {
    case FILE_CONST:
        *value = load_const(w, env, o, m);
        break;
    case FILE_SHARED:
        *value = load_shared(w, o, m);
        break;
    case FILE_ATTR:
        *value = load_attr(w, o, m);
        break;
    case FILE_PRIM:
        *value = load_prim(w, o, m);
        break;
    default:
        *value = lanes_splat(0);
        break;
    }
}

/* ld c[] s[] a[]: one value per lane, up to 32 bits, to a standard destination. */
static void ld_operand(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                       lane_mask m) {
    const struct op *op = l->op;
    u32x32 v;
    if (op->src[0].file == FILE_ATTR)
        m &= lanes_of_mask4(op->lane_mask4);
    if (!m)
        return;
    SIMD_FN(exec_load_operand)(w, env, &op->src[0], m, &v);
    store_dest(w, &op->dst, l->dst, v, m);
}

static void ld_local(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                     lane_mask m) {
    const struct operand *o = &l->op->src[0];
    const unsigned type = mem_type(o), size = type_bytes(type);
    struct address a;
    address_of(w, o, o->value, m, &a);
    if (size < 4) {
        const u32x32 row = load_rows(w, w->local, w->local_size, size, &a, m);
        const u32x32 v = row >> ((a.lane & (4 - size)) * 8);
        store_dest(w, &l->op->dst, l->dst, extend_lanes(v, type), m);
        return;
    }
    a.first &= ~(size - 1);
    a.lane &= ~(size - 1);
    for (unsigned i = 0; i < size / 4; i++, a.first += 4, a.lane += 4) {
        const u32x32 v = load_rows(w, w->local, w->local_size, 4, &a, m);
        lanes_store(&w->r[dest_row(env, l->op->dst.value + i)], v, m);
    }
}

static void st_local_word(struct warp *w, const struct address *a, uint32_t size, u32x32 data,
                          lane_mask m) {
    const uint32_t align = ~(size - 1), keep = size == 4 ? 0 : ~0u << size * 8;
    if (a->uniform) {
        const uint32_t at = a->first & align, shift = (at & 3) * 8;
        if (at + size > w->local_size) {
            w->stats.bad_writes += lanes_count(m);
            return;
        }
        u32x32 *row = &w->local[at >> 2];
        local_written(w, at);
        const uint32_t field = ~keep << shift;
        lanes_store(row, (*row & ~field) | (data << shift & field), m);
        return;
    }
    const u32x32 at = a->lane & align;
    lane_mask ok = in_range(at, size, w->local_size, m);
    w->stats.bad_writes += lanes_count(m & ~ok);
    local_written_all(w, at, ok);
    if (size == 4) {
        scatter_rows(w->local, at >> 2, data, ok);
        return;
    }
    for (; ok; ok &= ok - 1) {
        const int i = __builtin_ctz(ok);
        uint8_t *word = (uint8_t *)&w->local[at[i] >> 2] + 4 * i;
        const uint32_t v = data[i];
        memcpy(word + (at[i] & 3), &v, size);
    }
}

static void st_local(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                     lane_mask m) {
    const struct operand *o = &l->op->dst, *data = &l->op->src[0];
    const uint32_t size = type_bytes(mem_type(o));
    struct address a;
    address_of(w, o, o->value, m, &a);
    if (size <= 4) {
        st_local_word(w, &a, size, register_data(w, data, l->src[0]), m);
        return;
    }
    a.first &= ~(size - 1);
    a.lane &= ~(size - 1);
    for (uint32_t i = 0; i < size / 4; i++, a.first += 4, a.lane += 4) {
        st_local_word(w, &a, 4, w->r[source_row(env, data->value + i)], m);
    }
}

/* ---- s[], lane by lane in ascending order: the last store wins, but the first lock ---- */

static void st_shared(struct warp *w, const struct warp_env *, const struct linked_op *l,
                      lane_mask m) {
    const struct operand *o = &l->op->dst;
    const uint32_t size = type_bytes(mem_type(o));
    const u32x32 data = register_data(w, &l->op->src[0], l->src[0]);
    struct cta_shared *b = w->cta;
    const uint32_t limit = b ? b->s_size : 0;
    struct address a;
    address_of(w, o, o->value, m, &a);
    const u32x32 at = a.lane & ~(size - 1);
    lane_mask ok = in_range(at, size, limit, m);
    w->stats.bad_writes += lanes_count(m & ~ok);
    if (size == 4 && ok == LANES_ALL && consecutive_words(&a, m)) {
        memcpy(b->s + a.first, &data, sizeof data);
        return;
    }
    for (; ok; ok &= ok - 1) {
        const int i = __builtin_ctz(ok);
        const uint32_t v = data[i];
        memcpy(b->s + at[i], &v, size);
    }
}

/* Locks the word for this lane. False if any lane, of this warp or another, holds the lock. A word
 * out of range cannot be contended: the lock succeeds and reads 0. */
static bool try_lock(struct warp *w, uint32_t at) {
    const struct cta_shared *b = w->cta;
    if (!b || at + 4 > b->s_size || !b->lock_owner)
        return true;
    if (b->lock_owner[at >> 2] >= 0)
        return false;
    b->lock_owner[at >> 2] = (int16_t)w->warp_id;
    return true;
}

/* $c becomes 2 in lanes that took the lock. In the other lanes $c becomes 1, and $r is unchanged
 * (tesla-isa.md §6.2, §14). */
static void ld_lock(struct warp *w, const struct warp_env *, const struct linked_op *l,
                    lane_mask m) {
    const struct op *op = l->op;
    const struct cta_shared *b = w->cta;
    const uint32_t limit = b ? b->s_size : 0;
    struct address a;
    address_of(w, &op->src[0], op->src[0].value, m, &a);
    a.lane &= ~3u;
    a.uniform = false;
    lane_mask taken = 0;
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        taken |= (lane_mask)try_lock(w, a.lane[i]) << i;
    }
    const u32x32 v = load_linear(w, b ? b->s : NULL, limit, &a, TYPE_B32, taken);
    store_dest(w, &op->dst, l->dst, v, taken);
    if (op->cdst == NO_FLAGS_DST)
        return;
    struct flags *c = &w->c[op->cdst & 3];
    c->s = (c->s & ~m) | taken;
    c->z = (c->z & ~m) | (m & ~taken);
    c->c &= ~m;
    c->o &= ~m;
}

static void st_unlock(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask m) {
    const struct operand *o = &l->op->dst;
    struct cta_shared *b = w->cta;
    const u32x32 areg = w->a[o->areg & 7];
    const bool postinc = o->flags & OPERAND_POSTINC;
    st_shared(w, env, l, m);
    if (!b || !b->lock_owner)
        return;
    for (; m; m &= m - 1) {
        const uint32_t base = o->areg ? areg[__builtin_ctz(m)] : 0;
        const uint32_t at = (base + (postinc ? 0 : o->value)) & 0xfffc;
        if (at + 4 <= b->s_size && b->lock_owner[at >> 2] == (int16_t)w->warp_id)
            b->lock_owner[at >> 2] = -1;
    }
}

/* ---- g[] ---- */

static const struct global_view no_global;

LANES_INLINE const struct global_view *global_of(const struct warp_env *env,
                                                 const struct operand *o) {
    return env->g ? &env->g[o->index & 15] : &no_global;
}

/* The host address of an access to a view, or NULL outside of the view. 2D views are block-linear:
 * tiles of 64 bytes by 4 << block_height rows (tesla-3d.md §3); a part of a tile at the end of a
 * row does not exist. */
static uint8_t *global_address(const struct global_view *g, uint32_t address, uint32_t size) {
    uint64_t at = address & ~(size - 1);
    if (g->tiled) {
        const uint32_t x = (address & 0xffff) & ~(size - 1), y = address >> 16;
        const uint32_t rows = 4u << (g->block_height & 7);
        if ((x / 64 + 1) * 64 * rows > g->pitch)
            return NULL;
        at = (uint64_t)y / rows * g->pitch + x / 64 * 64 * rows + y % rows * 64 + x % 64;
    }
    return at + size <= g->limit ? g->data + at : NULL;
}

static void ld_global(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask m) {
    const struct operand *o = &l->op->src[0];
    const struct global_view *g = global_of(env, o);
    const unsigned type = mem_type(o), size = type_bytes(type);
    struct address a;
    address_from_lanes(&a, w->r[source_row(env, o->value)], m);
    u32x32 v[4] = {{0}};
    if (size == 4 && !g->tiled && consecutive_words(&a, m) && a.first + 128ull <= g->limit) {
        memcpy(v, g->data + a.first, sizeof v[0]);
    } else {
        for (lane_mask rest = m; rest; rest &= rest - 1) {
            const int i = __builtin_ctz(rest);
            const uint8_t *at = global_address(g, a.lane[i], size);
            uint32_t word[4] = {0};
            if (at)
                memcpy(word, at, size);
            else
                w->stats.bad_reads++;
            for (unsigned k = 0; k < 4; k++)
                v[k][i] = word[k];
        }
        v[0] = extend_lanes(v[0], type);
    }
    for (unsigned k = 0; k < (size + 3) / 4; k++)
        lanes_store(&w->r[dest_row(env, l->op->dst.value + k)], v[k], m);
}

static void st_global(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask m) {
    const struct operand *o = &l->op->dst, *data = &l->op->src[0];
    const struct global_view *g = global_of(env, o);
    const unsigned size = type_bytes(mem_type(o)), words = (size + 3) / 4;
    const u32x32 *row[4];
    struct address a;
    for (unsigned k = 0; k < words; k++)
        row[k] = &w->r[source_row(env, data->value + k)];
    address_from_lanes(&a, w->r[source_row(env, o->value)], m);
    if (size == 4 && !g->tiled && consecutive_words(&a, m) && a.first + 128ull <= g->limit) {
        memcpy(g->data + a.first, row[0], sizeof *row[0]);
        return;
    }
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint8_t *at = global_address(g, a.lane[i], size);
        uint32_t word[4] = {0};
        for (unsigned k = 0; k < words; k++)
            word[k] = (*row[k])[i];
        if (at)
            memcpy(at, word, size);
        else
            w->stats.bad_writes++;
    }
}

/* ---- atomics on g[] ---- */

struct atomic {
    uint8_t kind;
    bool sgn;         /* s32: signed max and min */
    bool signed_wrap; /* g84..G98: s32 changes the wrapping of inc, dec (tesla-isa.md §6.2) */
    uint64_t data, swap;
};

/* g84 compares a negative limit as signed: inc and dec wrap as soon as the value leaves
 * [limit, 0]. */
static bool wraps_signed(uint32_t v, uint32_t limit) {
    return (int32_t)v > 0 || (int32_t)v < (int32_t)limit;
}

static uint32_t atomic_new32(const struct atomic *t, uint32_t old) {
    const uint32_t data = (uint32_t)t->data;
    const bool odd = t->signed_wrap && (int32_t)data < 0;
    const bool less = t->sgn ? (int32_t)old < (int32_t)data : old < data;
    switch (t->kind) {
    case ATOMIC_ADD:
        return old + data;
    case ATOMIC_EXCH:
        return data;
    case ATOMIC_CAS:
        return old == data ? (uint32_t)t->swap : old;
    case ATOMIC_INC:
        if (odd)
            return wraps_signed(old + 1, data) ? data : old + 1;
        return old >= data ? 0 : old + 1;
    case ATOMIC_DEC:
        if (odd)
            return wraps_signed(old - 1, data) ? 0 : old - 1;
        return old == 0 || old > data ? data : old - 1;
    case ATOMIC_MAX:
        return less ? data : old;
    case ATOMIC_MIN:
        return less ? old : data;
    case ATOMIC_AND:
        return old & data;
    case ATOMIC_OR:
        return old | data;
    case ATOMIC_XOR:
        return old ^ data;
    default:
        return old; /* 8, 9, 13-15 leave memory unchanged */
    }
}

static uint64_t atomic_new64(const struct atomic *t, uint64_t old) {
    switch (t->kind) {
    case ATOMIC_ADD:
        return old + t->data;
    case ATOMIC_EXCH:
        return t->data;
    case ATOMIC_CAS:
        return old == t->data ? t->swap : old;
    default:
        return old;
    }
}

/* Changes memory by an atomic operation of the host, because CTAs run on several host threads.
 * Returns the old value. */
static uint64_t atomic_apply(const struct atomic *t, uint8_t *at, uint32_t size) {
    if (size == 8) {
        uint64_t *p = (uint64_t *)at;
        uint64_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(p, &old, atomic_new64(t, old), true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED)) {
        }
        return old;
    }
    uint32_t *p = (uint32_t *)at;
    uint32_t old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, atomic_new32(t, old), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
}

static uint64_t lane_data(const struct warp *w, const struct warp_env *env, const struct operand *o,
                          uint32_t size, int lane) {
    if (o->file != FILE_R)
        return 0;
    const uint64_t low = w->r[source_row(env, o->value)][lane];
    const uint64_t high = size == 8 ? w->r[source_row(env, o->value + 1)][lane] : 0;
    return low | high << 32;
}

/* Prepares an operation on bytes, halves or 128 bits. With bytes and halves, g84..G98 work on the
 * whole word with the data replicated; other chips, and operations on 128 bits, do not change
 * memory (tesla-isa.md §6.2). */
static void narrow_atomic(struct atomic *t, unsigned type, bool g84) {
    if (!g84 || type_bytes(type) > 8)
        t->kind = ATOMIC_15;
    else if (type_bytes(type) == 1)
        t->data = (t->data & 0xff) * 0x01010101u;
    else
        t->data = (t->data & 0xffff) * 0x00010001u;
}

static void atomic_lanes(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                         const struct operand *o, bool returns, lane_mask m) {
    const struct op *op = l->op;
    const struct global_view *g = global_of(env, o);
    const unsigned type = mem_type(o), size = type_bytes(type);
    const bool g84 = env->program->variant <= ISA_G84;
    const u32x32 address = w->r[source_row(env, o->value)];
    u32x32 old[2] = {{0}};
    if (op->atomic == ATOMIC_TRAP) {
        w->error.code = MP_DECODE_ERROR;
        w->error.decode = DECODE_TRAP_INSTRUCTION;
        return;
    }
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        struct atomic t = {.kind = op->atomic, .sgn = type == TYPE_S32};
        t.signed_wrap = g84 && t.sgn;
        t.data = lane_data(w, env, &op->src[1], size, i);
        t.swap = lane_data(w, env, &op->src[2], size, i);
        if (size != 4 && size != 8)
            narrow_atomic(&t, type, g84);
        uint8_t *at = global_address(g, address[i], size < 4 ? 4 : size);
        if (!at) {
            w->stats.bad_writes++;
            continue;
        }
        const uint64_t v = atomic_apply(&t, at, size);
        old[0][i] = extend_word((uint32_t)v, type);
        old[1][i] = (uint32_t)(v >> 32);
    }
    for (unsigned k = 0; returns && k < (size == 8 ? 2 : 1); k++)
        lanes_store(&w->r[dest_row(env, op->dst.value + k)], old[k], m);
}

static void red_global(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                       lane_mask m) {
    atomic_lanes(w, env, l, &l->op->dst, false, m);
}

static void atom_global(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                        lane_mask m) {
    atomic_lanes(w, env, l, &l->op->src[0], true, m);
}

/* ---- selection ---- */

exec_fn *SIMD_FN(exec_memory_select)(const struct op *op) {
    static exec_fn *const load[] = {
        [FILE_CONST] = ld_operand, [FILE_SHARED] = ld_operand, [FILE_ATTR] = ld_operand,
        [FILE_PRIM] = ld_operand,  [FILE_LOCAL] = ld_local,    [FILE_GLOBAL] = ld_global,
        [FILE_VARYING] = NULL,
    };
    static exec_fn *const store[] = {
        [FILE_SHARED] = st_shared, [FILE_LOCAL] = st_local, [FILE_GLOBAL] = st_global,
        [FILE_OUT] = st_out,       [FILE_VARYING] = NULL,
    };
    switch (op->code) {
    case OP_LD:
        return load[op->src[0].file];
    case OP_ST:
        return store[op->dst.file];
    case OP_LD_LOCK:
        return ld_lock;
    case OP_ST_UNLOCK:
        return st_unlock;
    case OP_RED:
        return red_global;
    case OP_ATOM:
        return atom_global;
    default:
        return NULL;
    }
}
