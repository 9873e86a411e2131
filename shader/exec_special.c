/* Tesla's instructions that are neither arithmetic nor memory: interpolation, vote, vertex
 * emission, textures, nop. In: one linked instruction and the lanes it runs in. Out: registers,
 * flags, calls through the texture and emit ports. Compiled once per SIMD level. Must not know the
 * users of the ports. Facts: tesla-isa.md §6.7 to §6.9; planes: shader/warp.h.
 */
#include "base/profile.h"
#include "shader/predicate.h"
#include "shader/registers.h"
#include "shader/stack.h"
#include "shader/varying.h"

/* ---- interp ---- */

/* Evaluates one word if all quads share its plane, as in nearly all warps. False if quads have
 * different planes, if there is no plane, or in centroid mode. */
LANES_INLINE bool varying_uniform(struct warp *w, uint32_t word, unsigned mode, struct varying *v) {
    const struct attribute_plane *p = w->uniform_planes ? plane_of(w->planes[0], word) : NULL;
    if (!p || mode == INTERP_CENTROID)
        return false;
    v->value = mode == INTERP_FLAT ? lanes_splat(p->flat) : eval_uniform(p, &w->x, &w->y);
    v->missing = 0;
    return true;
}

/* Multiplies by the factor, if the op has a factor, and writes the result. */
LANES_INLINE void interp_finish(struct warp *w, const struct warp_env *env,
                                const struct linked_op *l, lane_mask m, u32x32 value) {
    const struct operand *factor = &l->op->src[1];
    if (factor->file == FILE_R)
        value = f32_mul(value, f32_modify(w->r[l->src[1]], factor->flags), ROUND_RN,
                        env->mode & MODE_MUL_ZERO_WINS);
    else if (l->op->interp_mode != INTERP_FLAT)
        value = f32_canonical(value);
    store_dest(w, &l->op->dst, l->dst, value, m);
}

static void interp_common(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                          lane_mask m) {
    struct varying v;
    if (varying_uniform(w, l->op->src[0].value >> 2, l->op->interp_mode, &v))
        interp_finish(w, env, l, m, v.value);
    else
        SIMD_FN(exec_interp)(w, env, l, m);
}

static const struct attribute_plane no_plane;

_Static_assert(sizeof(struct attribute_plane) == sizeof(f32x4), "a plane is a vector");

union quad_rows {
    u32x32 v;
    f32x32 row;
    f32x16 half[2];
    u32x16 bits[2];
};

/* The planes of one word: 128 bits per quad (base, dx, dy, flat), four quads per half. */
struct quad_planes {
    union {
        f32x16 half[2];
        f32x4 quad[LANES / LANES_PER_QUAD];
    };
    lane_mask missing; /* lanes whose quad lacks the word */
};

LANES_INLINE void load_planes(const struct warp *w, uint32_t word, struct quad_planes *r) {
    r->missing = 0;
    for (int q = 0; q < LANES / LANES_PER_QUAD; q++) {
        const struct attribute_plane *p = plane_of(w->planes[w->uniform_planes ? 0 : q], word);
        if (!p)
            r->missing |= 15u << (q * LANES_PER_QUAD);
        memcpy(&r->quad[q], p ? p : &no_plane, sizeof r->quad[q]);
    }
}

#define IN_ALL_LANES_OF_QUADS(v, i)                                                                \
    __builtin_shufflevector(v, v, i, i, i, i, 4 + i, 4 + i, 4 + i, 4 + i, 8 + i, 8 + i, 8 + i,     \
                            8 + i, 12 + i, 12 + i, 12 + i, 12 + i)

/* Evaluates the planes. Does not make NaNs canonical. */
LANES_INLINE u32x32 interp_at(const struct quad_planes *p, f32x32 at_x, f32x32 at_y) {
    union quad_rows base, dx, dy;
    for (int i = 0; i < 2; i++) {
        base.half[i] = IN_ALL_LANES_OF_QUADS(p->half[i], 0);
        dx.half[i] = IN_ALL_LANES_OF_QUADS(p->half[i], 1);
        dy.half[i] = IN_ALL_LANES_OF_QUADS(p->half[i], 2);
    }
    const f32x32 along_x = f32_product(dx.row, at_x), along_y = f32_product(dy.row, at_y);
    return (u32x32)f32_sum(f32_sum(base.row, along_x), along_y);
}

LANES_INLINE u32x32 interp_raw(const struct warp *w, const struct quad_planes *p, bool centroid) {
    return interp_at(p, centroid ? w->cx : w->x, centroid ? w->cy : w->y);
}

LANES_INLINE u32x32 interp_flat(const struct quad_planes *p) {
    union quad_rows r;
    for (int i = 0; i < 2; i++) {
        const u32x16 bits = (u32x16)p->half[i];
        r.bits[i] = IN_ALL_LANES_OF_QUADS(bits, 3);
    }
    return r.v;
}

/* v[0x3fc]: whether each quad's primitive is seen from its front or its back. */
static __attribute__((noinline)) u32x32 facing(const struct warp *w) {
    u32x32 r = lanes_splat(0);
    for (int q = 0; q < LANES / LANES_PER_QUAD; q++) {
        const struct attribute_planes *set = w->planes[w->uniform_planes ? 0 : q];
        if (set)
            r = lanes_select(15u << (q * LANES_PER_QUAD), lanes_splat(set->facing), r);
    }
    return r;
}

void SIMD_FN(exec_varying)(struct warp *w, uint32_t word, uint32_t mode, struct varying *v) {
    if (varying_uniform(w, word, mode, v))
        return;
    if (mode == INTERP_FLAT && word == V_FACING / 4) {
        v->missing = 0;
        v->value = facing(w);
        return;
    }
    struct quad_planes p;
    load_planes(w, word, &p);
    v->missing = p.missing;
    v->value = mode == INTERP_FLAT ? interp_flat(&p) : interp_raw(w, &p, mode == INTERP_CENTROID);
}

/* The x (at = 0) or y (at = 16) of each lane's offset from the pixel: signed 4.12 numbers. */
LANES_INLINE f32x32 offset_at(const u32x32 *offset, unsigned at) {
    const i32x32 v = (i32x32)(*offset << (16 - at)) >> 16;
    return __builtin_convertvector(v, f32x32) * (1.0f / 4096);
}

void SIMD_FN(exec_interpolate)(struct warp *w, const struct interpolation *i, struct varying *v) {
    if (i->offset && i->mode != INTERP_FLAT) {
        struct quad_planes p;
        load_planes(w, i->word, &p);
        v->missing = p.missing;
        v->value = interp_at(&p, w->x + offset_at(i->offset, 0), w->y + offset_at(i->offset, 16));
    } else {
        SIMD_FN(exec_varying)(w, i->word, i->mode, v);
    }
    if (i->mode != INTERP_FLAT)
        v->value = f32_canonical(v->value);
}

/* ---- many words at once ---- */

static bool is_facing(const struct varying_use *use) {
    return use->mode == INTERP_FLAT && use->word == V_FACING / 4;
}

/* The pixels of a block of 8x4: the lanes have eight different x and four different y. */
struct block_pixels {
    f32x16 x;   /* of lanes 0 to 15; lanes 16 to 31 have the same */
    f32x8 y[2]; /* of lanes 0 to 7 and of lanes 16 to 23; the eight lanes behind have the same */
};

/* True if the lanes of the warp are those of a block. */
LANES_INLINE bool find_block(const struct warp *w, struct block_pixels *b) {
#if defined(FP_HOST_MODE) && !defined(FP_FLUSHES_EARLY)
    u32x16 x[2];
    u32x8 y[4];
    memcpy(x, &w->x, sizeof x);
    memcpy(y, &w->y, sizeof y);
    b->x = (f32x16)x[0];
    b->y[0] = (f32x8)y[0];
    b->y[1] = (f32x8)y[2];
    const u32x16 other = x[0] ^ x[1];
    u32x8 differ;
    memcpy(&differ, &other, sizeof differ);
    differ |= __builtin_shufflevector(other, other, 8, 9, 10, 11, 12, 13, 14, 15);
    differ |= (y[0] ^ y[1]) | (y[2] ^ y[3]);
    uint64_t bits[4];
    memcpy(bits, &differ, sizeof bits);
    return !(bits[0] | bits[1] | bits[2] | bits[3]);
#else
    (void)w, (void)b;
    return false;
#endif
}

/* eval_uniform() with the operations of equal lanes done once. */
LANES_INLINE u32x32 eval_block(const struct attribute_plane *p, const struct block_pixels *b) {
    union quad_rows r;
    const f32x16 along = p->base + p->dx * b->x;
    for (int i = 0; i < 2; i++) {
        const f32x8 y = p->dy * b->y[i];
        r.half[i] =
            along + __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    return r.v;
}

/* A word has no NaN if its plane's magnitudes are below this bound: positions are below 2^7. */
enum { TAME_PLANE = (127 + 119) << 23 };

/* Evaluates words of one plane set that all quads share. block: find_block(), or NULL. False if the
 * set lacks a word. */
LANES_INLINE bool evaluate_set(struct warp *w, const struct varying_use *use, uint32_t count,
                               const struct block_pixels *block) {
    const struct attribute_planes *set = w->planes[0];
    const struct attribute_plane *plane = set ? set->plane : NULL;
    const uint32_t planes = set ? set->count : 0;
    /* the compiler can keep copies in registers across the stores */
    const f32x32 x = w->x, y = w->y;
    i32x4 most = {0};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = use[i].word, mode = use[i].mode;
        if (word < planes) {
            i32x4 bits;
            memcpy(&bits, &plane[word], sizeof bits);
            bits &= INT32_MAX;
            most = (bits & (bits > most)) | (most & ~(bits > most));
        }
        if (word < planes && mode == INTERP_PLAIN)
            w->native.varying[i] =
                block ? eval_block(&plane[word], block) : eval_uniform(&plane[word], &x, &y);
        else if (word < planes && mode == INTERP_FLAT)
            w->native.varying[i] = lanes_splat(plane[word].flat);
        else if (word < planes)
            w->native.varying[i] = eval_uniform(&plane[word], &w->cx, &w->cy);
        else if (is_facing(&use[i]))
            w->native.varying[i] = facing(w);
        else
            return false;
    }
    const bool tame = most[0] < TAME_PLANE && most[1] < TAME_PLANE && most[2] < TAME_PLANE;
    for (uint32_t i = 0; i < count && !tame; i++)
        if (use[i].mode != INTERP_FLAT)
            w->native.varying[i] = f32_canonical(w->native.varying[i]);
    return true;
}

static bool varyings_one_set(struct warp *w, const struct varying_use *use, uint32_t count) {
    struct block_pixels block;
    return find_block(w, &block) ? evaluate_set(w, use, count, &block)
                                 : evaluate_set(w, use, count, NULL);
}

/* Lists the plane sets of the quads. Returns the number of words that every set has. */
static uint32_t planes_of_quads(const struct warp *w, const struct attribute_plane *plane[]) {
    uint32_t count = UINT32_MAX;
    for (int q = 0; q < LANES / LANES_PER_QUAD; q++) {
        const struct attribute_planes *set = w->planes[q];
        const uint32_t own = set ? set->count : 0;
        count = own < count ? own : count;
        plane[q] = set ? set->plane : NULL;
    }
    return count;
}

static bool varyings_of_quads(struct warp *w, const struct varying_use *use, uint32_t count) {
    const struct attribute_plane *plane[LANES / LANES_PER_QUAD];
    const uint32_t planes = planes_of_quads(w, plane);
    for (uint32_t i = 0; i < count; i++) {
        if (use[i].word >= planes) {
            if (!is_facing(&use[i]))
                return false;
            w->native.varying[i] = facing(w);
            continue;
        }
        struct quad_planes p;
        for (int q = 0; q < LANES / LANES_PER_QUAD; q++)
            memcpy(&p.quad[q], &plane[q][use[i].word], sizeof p.quad[q]);
        if (use[i].mode == INTERP_FLAT)
            w->native.varying[i] = interp_flat(&p);
        else
            w->native.varying[i] = f32_canonical(interp_raw(w, &p, use[i].mode == INTERP_CENTROID));
    }
    return true;
}

bool SIMD_FN(exec_varyings)(struct warp *w, const struct varying_use *use, uint32_t count) {
    return (w->uniform_planes ? varyings_one_set : varyings_of_quads)(w, use, count);
}

/* Indirect v[]: one evaluation for each different address. */
static void varying_indirect(struct warp *w, u32x32 address, unsigned mode, lane_mask m,
                             struct varying *v) {
    v->value = lanes_splat(0);
    v->missing = 0;
    while (m) {
        const uint32_t at = address[__builtin_ctz(m)];
        const lane_mask same = m & lanes_to_mask((u32x32)(address == lanes_splat(at)));
        struct varying one;
        SIMD_FN(exec_varying)(w, at >> 2, mode, &one);
        v->value = lanes_select(same, one.value, v->value);
        v->missing |= one.missing & same;
        m &= ~same;
    }
}

void SIMD_FN(exec_interp)(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                          lane_mask m) {
    const struct operand *o = &l->op->src[0];
    struct varying v;
    if (o->areg)
        varying_indirect(w, (w->a[o->areg & 7] + o->value) & 0xffff, l->op->interp_mode, m, &v);
    else
        SIMD_FN(exec_varying)(w, o->value >> 2, l->op->interp_mode, &v);
    w->stats.bad_reads += lanes_count(v.missing & m & w->active);
    interp_finish(w, env, l, m, v.value);
}

static bool is_common_interp(const struct op *op) {
    return op->interp_mode != INTERP_CENTROID && !op->src[0].areg;
}

/* ---- vote ---- */

/* The instruction's predicate is its input. The result in $c is 2 (S) if the vote is true, 1 (Z) if
 * false, the same in all lanes of m. */
static void vote(struct warp *w, const struct warp_env *, const struct linked_op *l, lane_mask m) {
    const struct op *op = l->op;
    const lane_mask holds = m & predicate_lanes(&w->c[op->pred_reg & 3], op->pred);
    const bool result = op->vote_all ? holds == m : op->vote_any && holds;
    struct flags *c = &w->c[op->cdst & 3];
    c->s = result ? c->s | m : c->s & ~m;
    c->z = result ? c->z & ~m : c->z | m;
    c->c &= ~m;
    c->o &= ~m;
}

/* ---- geometry ---- */

static void emit(struct warp *w, const struct warp_env *, const struct linked_op *l, lane_mask m) {
    if (!w->emit)
        return;
    if (l->op->emit)
        w->emit->emit(w->emit->self, w->out, m, 0);
    if (l->op->restart)
        w->emit->restart(w->emit->self, m, 0);
}

static void nop(struct warp *, const struct warp_env *, const struct linked_op *, lane_mask) {
}

/* ---- textures ---- */

static void texture_sample(const struct warp_env *env, const struct tex_fields *t, u32x32 *reg,
                           lane_mask m) {
    if (env->tex) {
        const struct tex_binding *binding = env->tex[t->slot];
        binding->kernel[t->call.op](binding, &t->call, reg, m);
        return;
    }
    for (int i = 0; i < __builtin_popcount(t->call.result_mask & 15); i++)
        lanes_store(&reg[i], lanes_splat(0), m);
}

/* Samples through copies of the registers, because some of them are beyond the allocation. */
static void texture_beyond(struct warp *w, const struct warp_env *env, const struct tex_fields *t,
                           lane_mask m) {
    u32x32 reg[4];
    for (uint32_t i = 0; i < 4; i++)
        reg[i] = w->r[source_row(env, t->base + i)];
    texture_sample(env, t, reg, m);
    for (uint32_t i = 0; i < (uint32_t)__builtin_popcount(t->call.result_mask & 15); i++)
        lanes_store(&w->r[dest_row(env, t->base + i)], reg[i], m);
}

/* The lanes of quads in which quadon woke lanes. */
static lane_mask woken(const struct warp *w) {
    const struct stack_entry *e = flow_top(w);
    const lane_mask lanes = e && e->type == STACK_QUADON ? w->active & ~e->mask : 0;
    return lanes ? whole_quads(lanes) : 0;
}

/* Samples: coordinates are read from, and results written to, the rows of the registers. */
static void texture(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask m) {
    const struct tex_fields *t = &l->op->tex;
    m = t->live || t->alone ? m & ~w->dead : m;
    if (w->few_results && t->unseen)
        m &= ~lanes_of_mask4(t->unseen) | woken(w);
    if (!m || !t->call.result_mask)
        return;
    const uint32_t results = (uint32_t)__builtin_popcount(t->call.result_mask & 15);
    const uint32_t used = t->call.source_count > results ? t->call.source_count : results;
    const enum stage was = profile_enter(w->profile, STAGE_TEXTURE);
    if (source_row(env, t->base + used - 1) < WARP_REGS)
        texture_sample(env, t, &w->r[t->base], m);
    else
        texture_beyond(w, env, t, m);
    profile_leave(w->profile, was);
}

exec_fn *SIMD_FN(exec_special_select)(const struct op *op) {
    if (op_is_tesla_texture(op))
        return texture;
    switch (op->code) {
    case OP_INTERP:
        return is_common_interp(op) ? interp_common : SIMD_FN(exec_interp);
    case OP_VOTE:
        return vote;
    case OP_EMIT:
        return emit;
    case OP_NOP:
    case OP_PMEVENT:
        return nop;
    default:
        return NULL;
    }
}
