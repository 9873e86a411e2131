/* Level of detail: from the steps of the coordinates inside a quad, or as given, with bias and clamps;
 * and how many probes an anisotropic footprint takes. In: operands of the whole warp. Out: levels of
 * all lanes, signed 24.8 fixed point relative to the view's first level. Knows no texels.
 */
#ifndef TEX_LOD_H
#define TEX_LOD_H

#include "tex/coord.h"

enum { QUADS = LANES / 4, QUAD_PARTS = PART_LANES < QUADS ? QUADS / PART_LANES : 1 };

/* What the lanes' quads look like in texture space. */
struct lod {
    f32x32 raw;     /* before the sampler's clamp: texquerylod shows it */
    i32x32 fixed;   /* after it */
    i32x32 probes;  /* along the longer side: 1 is isotropic; only for keys with aniso, as: */
    f32x32 step[3]; /* the longer side, in coordinates */
};

/* Steps of the coordinates from a quad's first lane to the one beside it and to the one below. */
struct steps {
    f32xp dx[3], dy[3];
    f32xp x2, y2; /* squares of their lengths in texels */
};

LANES_INLINE void steps_measure(struct steps *s, const float scale[3], int count) {
    UNROLL
    for (int i = 0; i < count; i++) {
        const f32xp x = s->dx[i] * scale[i], y = s->dy[i] * scale[i];
        s->x2 = i ? s->x2 + x * x : x * x;
        s->y2 = i ? s->y2 + y * y : y * y;
    }
}

/* log2 of a step, given its square: clamped so that overflow and NaN have a defined level, the
 * greatest and the least. */
LANES_INLINE f32xp lod_of_square(f32xp square) {
    return part_log2(part_clamp(square, 0x1p-120f, 0x1p120f)) * 0.5f;
}

/* How many times the shorter step, or a texel if that is longer, goes into the longer one, rounded
 * up: 1..most. Squares are compared, so the root need not be taken. */
LANES_INLINE i32xp lod_probes(const struct steps *s, int most) {
    const f32xp longer = part_pick_f(s->x2 > s->y2, s->x2, s->y2);
    const f32xp shorter = part_max(part_pick_f(s->x2 > s->y2, s->y2, s->x2), part_splat_f(1.0f));
    i32xp n = part_splat(1);
    for (int i = 1; i < most; i++)
        n = n - (shorter * (float)(i * i) < longer); /* a true comparison is -1 */
    return n;
}

/* With the sampler's bias; LODs beyond 64 are not told apart. */
LANES_INLINE f32xp lod_biased(const struct tex_sampler *s, f32xp lod) {
    return part_clamp(lod, -64.0f, 64.0f) + s->lod_bias;
}

LANES_INLINE i32xp lod_fixed(f32xp lod) {
    return part_floor(part_clamp(lod, -64.0f, 64.0f) * 256.0f + 0.5f);
}

LANES_INLINE i32xp lod_clamped(const struct tex_sampler *s, f32xp raw) {
    return lod_fixed(part_clamp(raw, s->min_lod, s->max_lod));
}

/* One evaluation: quads or lanes, as many as a part has lanes. */
struct lod_part {
    f32xp raw, step[3];
    i32xp probes;
};

LANES_INLINE void lod_of_steps(const struct request *q, struct key k, bool aniso,
                               const struct steps *s, struct lod_part *p) {
    const i32xp x_longer = s->x2 > s->y2;
    p->raw = lod_of_square(part_pick_f(x_longer, s->x2, s->y2));
    p->probes = part_splat(1);
    if (!aniso)
        return;
    p->probes = lod_probes(s, q->bound->max_anisotropy);
    p->raw = p->raw - part_log2(part_float(p->probes));
    UNROLL
    for (int i = 0; i < KEY(k, axes); i++) {
        p->step[i] = part_pick_f(x_longer, s->dx[i], s->dy[i]);
        if (KEY(k, cube))
            p->step[i] = p->step[i] * 0.5f;
    }
}

/* ---- one evaluation for each quad: all that is not a cube ---- */

#define QUAD_PICK(v, k)                                                                            \
    __builtin_shufflevector(v, v, (k), (k) + 4, (k) + 8, (k) + 12, (k) + 16, (k) + 20, (k) + 24,   \
                            (k) + 28)
typedef float f32x8 __attribute__((vector_size(32)));
union quad_values {
    f32x8 v;
    f32xp part[QUAD_PARTS];
};

LANES_INLINE void steps_of_quads(const struct request *q, int axes, struct steps s[QUAD_PARTS]) {
    UNROLL
    for (int i = 0; i < axes; i++) {
        const f32x32 c = *(const f32x32 *)q->coord[i];
        union quad_values x = {.part = {{0}}}, y = {.part = {{0}}};
        x.v = QUAD_PICK(c, 1) - QUAD_PICK(c, 0);
        y.v = QUAD_PICK(c, 2) - QUAD_PICK(c, 0);
        UNROLL
        for (int n = 0; n < QUAD_PARTS; n++) {
            s[n].dx[i] = x.part[n];
            s[n].dy[i] = y.part[n];
        }
    }
}

/* A value a quad to the quad's lanes. */
LANES_INLINE void lod_spread(const void *quads, u32x32 *to) {
    for (int part = 0; part < PARTS; part++)
        part_store(to, part, (f32xp)part_quads(quads, part));
}

LANES_INLINE void lod_from_quads(const struct request *q, struct key k, bool aniso,
                                 struct lod *out) {
    const struct tex_view *v = q->bound->view;
    const struct tex_level *l = &v->level[v->first_level];
    const float size[3] = {KEY(k, normalized) ? (float)l->width : 1.0f,
                           KEY(k, normalized) ? (float)l->height : 1.0f,
                           KEY(k, normalized) ? (float)l->depth : 1.0f};
    struct steps s[QUAD_PARTS];
    struct lod_part p[QUAD_PARTS];
    union {
        f32xp f[QUAD_PARTS];
        i32xp i[QUAD_PARTS];
    } all;
    const bool biased = q->call->op == TEX_OP_BIAS;
    steps_of_quads(q, KEY(k, axes), s);
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        steps_measure(&s[n], size, KEY(k, axes));
        lod_of_steps(q, k, aniso, &s[n], &p[n]);
        all.f[n] = p[n].raw;
        if (!biased && q->call->op != TEX_OP_QUERYLOD)
            all.i[n] = lod_clamped(q->bound->sampler, lod_biased(q->bound->sampler, p[n].raw));
    }
    lod_spread(&all, biased || q->call->op == TEX_OP_QUERYLOD ? (u32x32 *)&out->raw
                                                              : (u32x32 *)&out->fixed);
    if (!aniso)
        return;
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++)
        all.i[n] = p[n].probes;
    lod_spread(&all, (u32x32 *)&out->probes);
    UNROLL
    for (int i = 0; i < KEY(k, axes); i++) {
        UNROLL
        for (int n = 0; n < QUAD_PARTS; n++)
            all.f[n] = p[n].step[i];
        lod_spread(&all, (u32x32 *)&out->step[i]);
    }
}

/* ---- one evaluation for each lane ---- */

/* Each lane sees its quad on its own face, so that a quad across an edge has no jump. */
LANES_INLINE void lod_from_faces(const struct request *q, struct key k, bool aniso,
                                 struct lod *out) {
    const struct tex_view *v = q->bound->view;
    const struct tex_level *l = &v->level[v->first_level];
    const float half[3] = {0.5f * (float)l->width, 0.5f * (float)l->height};
    for (int part = 0; part < PARTS; part++) {
        const f32xp x = part_load(q->coord[0], part), y = part_load(q->coord[1], part),
                    z = part_load(q->coord[2], part);
        const i32xp face = cube_face(x, y, z);
        struct cube_coord on[3];
        struct steps s;
        struct lod_part p;
        cube_on_face(part_quad_lane(x, 0), part_quad_lane(y, 0), part_quad_lane(z, 0), face,
                     &on[0]);
        cube_on_face(part_quad_lane(x, 1), part_quad_lane(y, 1), part_quad_lane(z, 1), face,
                     &on[1]);
        cube_on_face(part_quad_lane(x, 2), part_quad_lane(y, 2), part_quad_lane(z, 2), face,
                     &on[2]);
        s.dx[0] = on[1].s - on[0].s;
        s.dx[1] = on[1].t - on[0].t;
        s.dy[0] = on[2].s - on[0].s;
        s.dy[1] = on[2].t - on[0].t;
        steps_measure(&s, half, 2);
        lod_of_steps(q, k, aniso, &s, &p);
        part_store((u32x32 *)&out->raw, part, p.raw);
        if (!aniso)
            continue;
        part_store((u32x32 *)&out->probes, part, (f32xp)p.probes);
        for (int i = 0; i < 2; i++)
            part_store((u32x32 *)&out->step[i], part, p.step[i]);
    }
}

/* What lane by lane makes of the LOD: bias of the instruction and of the sampler, clamps. */
LANES_INLINE void lod_finish(const struct request *q, const f32x32 *from, struct lod *out) {
    const struct tex_sampler *s = q->bound->sampler;
    for (int part = 0; part < PARTS; part++) {
        f32xp lod = part_load((const u32x32 *)from, part);
        if (q->call->op == TEX_OP_BIAS)
            lod = lod + part_clamp(part_load(q->lod, part), -64.0f, 64.0f);
        lod = lod_biased(s, lod);
        part_store((u32x32 *)&out->raw, part, lod);
        part_store((u32x32 *)&out->fixed, part, (f32xp)lod_clamped(s, lod));
    }
}

/* Several probes where they are asked for and there is a linear footprint to stretch. */
LANES_INLINE bool lod_is_anisotropic(const struct request *q, struct key k) {
    return KEY(k, aniso) && q->call->quads && q->call->op != TEX_OP_LOD;
}

LANES_INLINE void lod_find(const struct request *q, struct key k, struct lod *out) {
    const bool aniso = lod_is_anisotropic(q, k);
    if (q->call->op == TEX_OP_LOD) {
        lod_finish(q, (const f32x32 *)q->lod, out);
        return;
    }
    if (!q->call->quads) {
        const f32x32 fake = lanes_splat_f(q->bound->flags & TEX_FAKE_INFINITE ? 64.0f : -64.0f);
        lod_finish(q, &fake, out);
        return;
    }
    if (KEY(k, cube))
        lod_from_faces(q, k, aniso, out);
    else
        lod_from_quads(q, k, aniso, out);
    if (KEY(k, cube) || q->call->op == TEX_OP_BIAS || q->call->op == TEX_OP_QUERYLOD)
        lod_finish(q, &out->raw, out);
}

#endif
