/* Instructions that are neither arithmetic nor memory: interpolation, vote, vertex emission,
 * texture requests, nop. In: one linked instruction and the lanes it runs in; out: registers,
 * flags, calls through the texture and emit ports. Compiled once per SIMD level. Must not know what
 * lies behind the ports. Facts: tesla-isa.md 6.7-6.9; planes: shader/warp.h.
 */
#include "shader/alu/f32.h"
#include "shader/predicate.h"
#include "shader/registers.h"

/* ---- interp ---- */

enum { V_FACING = 0x3fc, LANES_PER_QUAD = 4 };

/* The plane of v[] word `word` for one quad, or NULL where v[] has none: it reads 0. */
LANES_INLINE const struct plane *plane_of(const struct plane_set *set, uint32_t word) {
    return set && word < set->count ? &set->plane[word] : NULL;
}

LANES_INLINE f64x8 wide_splat(float v) {
    return (double)v - (f64x8){0};
}

LANES_INLINE f64x8 wide_load(const double *v) {
    f64x8 r;
    memcpy(&r, v, sizeof r);
    return r;
}

/* base + dx * (x - x0) + dy * (y - y0) in double precision, rounded to single once. */
LANES_INLINE u32x32 eval_uniform(const struct plane *p, const double *from_x,
                                 const double *from_y) {
    const f64x8 base = wide_splat(p->base), dx = wide_splat(p->dx), dy = wide_splat(p->dy);
    union f32_parts r;
    for (int i = 0; i < 4; i++)
        r.part[i] = __builtin_convertvector(
            base + dx * wide_load(from_x + 8 * i) + dy * wide_load(from_y + 8 * i), f32x8);
    return r.v;
}

/* One word where all quads share one plane of it, which nearly all do; false elsewhere. */
LANES_INLINE bool varying_uniform(struct warp *w, uint32_t word, unsigned mode, struct varying *v) {
    const struct plane *p = w->uniform_planes ? plane_of(w->planes[0], word) : NULL;
    if (!p || mode == INTERP_CENTROID)
        return false;
    if (mode == INTERP_PLAIN && !w->placed)
        SIMD_FN(exec_place)(w);
    v->value = mode == INTERP_FLAT ? lanes_splat(p->flat) : eval_uniform(p, w->from_x, w->from_y);
    v->missing = 0;
    return true;
}

/* Applies the factor, if any, and writes. */
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

#ifndef TP_BITCODE /* compiled programs call these */

static const struct plane no_plane;
static const struct plane_set no_planes;

LANES_INLINE f64x8 wide_pair(float a, float b) {
    const double l = a, h = b;
    return (f64x8){l, l, l, l, h, h, h, h};
}

/* x - x0 and y - y0 in double precision, exact or rounded once. Lanes 8 * i .. 8 * i + 7 are quads
 * 2 * i and 2 * i + 1. */
LANES_INLINE void place_lanes(const struct warp *w, u32x32 at_x, u32x32 at_y, double *from_x,
                              double *from_y) {
    const union f32_parts x = {.v = at_x}, y = {.v = at_y};
    for (int i = 0; i < 4; i++) {
        const struct plane_set *s0 = w->planes[w->uniform_planes ? 0 : 2 * i];
        const struct plane_set *s1 = w->planes[w->uniform_planes ? 0 : 2 * i + 1];
        s0 = s0 ? s0 : &no_planes;
        s1 = s1 ? s1 : &no_planes;
        const f64x8 rx = __builtin_convertvector(x.part[i], f64x8) - wide_pair(s0->x0, s1->x0);
        const f64x8 ry = __builtin_convertvector(y.part[i], f64x8) - wide_pair(s0->y0, s1->y0);
        memcpy(from_x + 8 * i, &rx, sizeof rx);
        memcpy(from_y + 8 * i, &ry, sizeof ry);
    }
}

/* The pixel centres' place among the planes: worked out once a run. */
void SIMD_FN(exec_place)(struct warp *w) {
    place_lanes(w, (u32x32)w->x, (u32x32)w->y, w->from_x, w->from_y);
    w->placed = true;
}

LANES_INLINE u32x32 eval_quads(const struct warp *w, uint32_t word, const double *from_x,
                               const double *from_y) {
    union f32_parts r;
    for (int i = 0; i < 4; i++) {
        const struct plane *p0 = plane_of(w->planes[2 * i], word);
        const struct plane *p1 = plane_of(w->planes[2 * i + 1], word);
        p0 = p0 ? p0 : &no_plane;
        p1 = p1 ? p1 : &no_plane;
        r.part[i] = __builtin_convertvector(
            wide_pair(p0->base, p1->base) + wide_pair(p0->dx, p1->dx) * wide_load(from_x + 8 * i) +
                wide_pair(p0->dy, p1->dy) * wide_load(from_y + 8 * i),
            f32x8);
    }
    return r.v;
}

/* NaNs as the host has them. */
LANES_INLINE u32x32 interp_raw(struct warp *w, uint32_t word, bool centroid) {
    double centroid_x[LANES] __attribute__((aligned(64)));
    double centroid_y[LANES] __attribute__((aligned(64)));
    const double *from_x = w->from_x, *from_y = w->from_y;
    if (centroid) {
        place_lanes(w, (u32x32)w->cx, (u32x32)w->cy, centroid_x, centroid_y);
        from_x = centroid_x;
        from_y = centroid_y;
    } else if (!w->placed) {
        SIMD_FN(exec_place)(w);
    }
    if (!w->uniform_planes)
        return eval_quads(w, word, from_x, from_y);
    const struct plane *p = plane_of(w->planes[0], word);
    return p ? eval_uniform(p, from_x, from_y) : lanes_splat(0);
}

LANES_INLINE u32x32 interp_flat(const struct warp *w, uint32_t word) {
    union {
        u32x32 v;
        uint32_t lane[LANES];
    } r;
    if (w->uniform_planes && plane_of(w->planes[0], word))
        return lanes_splat(plane_of(w->planes[0], word)->flat);
    for (int q = 0; q < LANES / LANES_PER_QUAD; q++) {
        const struct plane_set *set = w->planes[w->uniform_planes ? 0 : q];
        const struct plane *p = plane_of(set, word);
        const uint32_t facing = set && word == V_FACING / 4 ? set->facing : 0;
        const uint32_t value = p ? p->flat : facing;
        for (int i = 0; i < LANES_PER_QUAD; i++)
            r.lane[q * LANES_PER_QUAD + i] = value;
    }
    return r.v;
}

/* Lanes whose quad has no such word. */
static lane_mask missing_lanes(const struct warp *w, uint32_t word) {
    lane_mask m = LANES_ALL;
    for (int q = 0; q < LANES / LANES_PER_QUAD; q++)
        if (plane_of(w->planes[w->uniform_planes ? 0 : q], word))
            m &= ~(15u << (q * LANES_PER_QUAD));
    return m;
}

void SIMD_FN(exec_varying)(struct warp *w, uint32_t word, uint32_t mode, struct varying *v) {
    if (varying_uniform(w, word, mode, v))
        return;
    const bool facing = mode == INTERP_FLAT && word == V_FACING / 4;
    v->missing = facing ? 0 : missing_lanes(w, word);
    v->value = mode == INTERP_FLAT ? interp_flat(w, word)
                                   : interp_raw(w, word, mode == INTERP_CENTROID);
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

#endif

static bool is_common_interp(const struct op *op) {
    return op->interp_mode != INTERP_CENTROID && !op->src[0].areg;
}

/* ---- vote ---- */

/* The predicate is the input; true is 2 (S), false 1 (Z), the same for all lanes of m. */
static void vote(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                 lane_mask m) {
    (void)env;
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

static void emit(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                 lane_mask m) {
    (void)env;
    if (!w->emit)
        return;
    if (l->op->emit)
        w->emit->emit(w->emit->self, w->out, m);
    if (l->op->restart)
        w->emit->restart(w->emit->self, m);
}

static void nop(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                lane_mask m) {
    (void)w, (void)env, (void)l, (void)m;
}

/* ---- textures ---- */

static void texture_sample(const struct warp_env *env, const struct tex_call *t, u32x32 *reg,
                           lane_mask m) {
    if (env->tex) {
        const struct tex_binding *binding = env->tex[t->slot];
        binding->kernel[t->op](binding, t, reg, m);
        return;
    }
    for (int i = 0; i < __builtin_popcount(t->result_mask & 15); i++)
        lanes_store(&reg[i], lanes_splat(0), m);
}

/* Some of the registers lie beyond the allocation. */
static void texture_beyond(struct warp *w, const struct warp_env *env, const struct tex_call *t,
                           lane_mask m) {
    u32x32 reg[4];
    for (uint32_t i = 0; i < 4; i++)
        reg[i] = w->r[source_row(env, t->base + i)];
    texture_sample(env, t, reg, m);
    for (uint32_t i = 0; i < (uint32_t)__builtin_popcount(t->result_mask & 15); i++)
        lanes_store(&w->r[dest_row(env, t->base + i)], reg[i], m);
}

/* Coordinates in and results out, in the registers' own rows. */
static void texture(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask m) {
    const struct tex_call *t = &l->op->tex;
    m = t->live ? m & ~w->dead : m;
    if (!m || !t->result_mask)
        return;
    const uint32_t results = (uint32_t)__builtin_popcount(t->result_mask & 15);
    const uint32_t used = t->source_count > results ? t->source_count : results;
    if (source_row(env, t->base + used - 1) < WARP_REGS)
        texture_sample(env, t, &w->r[t->base], m);
    else
        texture_beyond(w, env, t, m);
}

exec_fn *SIMD_FN(exec_special_select)(const struct op *op) {
    if (op->code >= OP_TEXAUTO && op->code <= OP_TEXGATHER)
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

const char *SIMD_FN(exec_special_name)(exec_fn *fn) {
    static const struct {
        exec_fn *fn;
        const char *name;
    } names[] = {
#define X(name) {name, #name},
        {SIMD_FN(exec_interp), "interp"},
        X(interp_common) X(vote) X(emit) X(nop) X(texture)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].fn == fn)
            return names[i].name;
    return NULL;
}
