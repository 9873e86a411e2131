/* Level of detail: from the steps of the coordinates inside a quad, or as given, with bias and clamps;
 * and how many probes an anisotropic footprint takes. In: operands of the whole warp. Out: levels of
 * all lanes, signed 24.8 fixed point relative to the view's first level. Knows no texels.
 */
#ifndef TEX_LOD_H
#define TEX_LOD_H

#include "tex/coord.h"

enum { QUADS = LANES / 4, QUAD_PARTS = PART_LANES < QUADS ? QUADS / PART_LANES : 1 };

/* Is a warp asked once whether its lanes agree on a level? Worth it for eight parts, not for four. */
enum { LOD_AGREES = PARTS > 4 };
/* Do LODs wait for the footprints? */
enum { LOD_LATER = PARTS == 2 };

/* What the lanes' quads look like in texture space. */
struct lod {
    f32x32 raw;     /* before the sampler's clamp: texquerylod shows it */
    i32x32 fixed;   /* after it */
    i32x32 probes;  /* along the longer side: 1 is isotropic; only for keys with aniso, as: */
    f32x32 step[3]; /* the longer side, in coordinates */
    bool near;      /* no live lane is minified: nothing else is here */
    bool begun;     /* nothing is here yet but what lod_settle makes the rest of: */
    f32xp longer[QUAD_PARTS]; /* squares of the quads' longer steps, in texels; and of these */
    struct part_log2 log2[QUAD_PARTS];
    bool alike;     /* only if LOD_AGREES: all live lanes are known to show this level by the same */
    int32_t level;  /* filter, or it and the next */
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

/* Squares of steps: clamped so that overflow and NaN have a defined level, the greatest and the least. */
LANES_INLINE f32xp lod_square(f32xp square) {
    return part_clamp(square, 0x1p-120f, 0x1p120f);
}

/* log2 of a step, given its square. */
LANES_INLINE f32xp lod_of_square(f32xp square) {
    return part_log2(lod_square(square)) * 0.5f;
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

/* Clamped, and rounded to 1/256. */
LANES_INLINE i32xp lod_fixed(f32xp lod, float low, float high) {
    return part_floor(part_clamp(lod, low, high) * 256.0f + 0.5f);
}

/* To the sampler's clamps. */
LANES_INLINE i32xp lod_clamped(const struct tex_bound *b, f32xp raw) {
    return lod_fixed(raw, b->lod_low, b->lod_high);
}

/* The level that is shown, or the lower one of two, for LODs that have been clamped to the levels there
 * are. */
LANES_INLINE i32xp lod_level(struct key k, i32xp fixed) {
    return KEY(k, mip) == 3 ? fixed >> 8 : KEY(k, mip) == 2 ? (fixed + 127) >> 8 : (i32xp){0};
}

/* One evaluation: quads or lanes, as many as a part has lanes. */
struct lod_part {
    f32xp raw, step[3];
    i32xp probes;
};

LANES_INLINE void lod_of_steps(const struct request *q, struct key k, bool aniso,
                               const struct steps *s, struct lod_part *p) {
    const i32xp x_longer = s->x2 > s->y2;
    p->raw = lod_of_square(part_max(s->x2, s->y2));
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

/* ---- one evaluation for each quad ---- */

#define QUAD_PICK(v, k)                                                                            \
    __builtin_shufflevector(v, v, (k), (k) + 4, (k) + 8, (k) + 12, (k) + 16, (k) + 20, (k) + 24,   \
                            (k) + 28)
typedef float f32x8 __attribute__((vector_size(32)));
union quad_values {
    f32x8 v;
    f32xp part[QUAD_PARTS];
};

LANES_INLINE void steps_of_quads(const f32x32 *const coord[3], int axes,
                                 struct steps s[QUAD_PARTS]) {
    UNROLL
    for (int i = 0; i < axes; i++) {
        const f32x32 c = *coord[i];
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

/* Squares of the quads' longer steps. */
LANES_INLINE void longer_of_quads(const f32x32 *const coord[3], const float size[3], int axes,
                                  f32xp longer[QUAD_PARTS]) {
#if PART_LANES == 16 /* steps to both neighbours at once */
    const __m512i to = _mm512_setr_epi32(1, 5, 9, 13, 17, 21, 25, 29, 2, 6, 10, 14, 18, 22, 26, 30);
    const __m512i from = _mm512_and_si512(to, _mm512_set1_epi32(~3));
    f32xp square = {0};
    UNROLL
    for (int i = 0; i < axes; i++) {
        const __m512 low = (__m512)part_load((const u32x32 *)coord[i], 0);
        const __m512 high = (__m512)part_load((const u32x32 *)coord[i], 1);
        const f32xp step = ((f32xp)_mm512_permutex2var_ps(low, to, high) -
                            (f32xp)_mm512_permutex2var_ps(low, from, high)) *
                           size[i];
        square = i ? square + step * step : step * step;
    }
    longer[0] = (f32xp)_mm512_zextps256_ps512(_mm256_max_ps(
        _mm512_castps512_ps256((__m512)square), _mm512_extractf32x8_ps((__m512)square, 1)));
#else
    struct steps s[QUAD_PARTS];
    steps_of_quads(coord, axes, s);
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        steps_measure(&s[n], size, axes);
        longer[n] = part_max(s[n].x2, s[n].y2);
    }
#endif
}

/* Quads, one bit each, that have a longer step than the square tells, or one that is NaN where the other
 * does not hide it. */
LANES_INLINE uint32_t steps_beyond(const f32xp longer[QUAD_PARTS], float square) {
    uint32_t beyond = 0;
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++)
        beyond |= part_bits(~(longer[n] <= square)) << n * PART_LANES;
    return beyond;
}

/* Quads, one bit each, that have a live lane. */
LANES_INLINE uint32_t live_quads(lane_mask m) {
    m |= m >> 1;
    m |= m >> 2;
    m &= 0x11111111u;
    m |= m >> 3;
    m &= 0x03030303u;
    m |= m >> 6;
    m &= 0x000f000fu;
    return (m | m >> 12) & 0xff;
}

/* A value a quad to the quad's lanes. */
LANES_INLINE void lod_spread(const void *quads, u32x32 *to) {
    for (int part = 0; part < PARTS; part++)
        part_store(to, part, (f32xp)part_quads(quads, part));
}

/* Do all live quads show the same level by the same filter? Asked here once, not for each part. */
LANES_INLINE void lod_agree(const struct request *q, struct key k, const i32xp fixed[QUAD_PARTS],
                            struct lod *out) {
    const uint32_t live = live_quads(q->lanes);
    const bool filters = KEY(k, mag_linear) != KEY(k, min_linear);
    int32_t level[QUAD_PARTS * PART_LANES];
    i32xp v[QUAD_PARTS];
    uint32_t other = 0;
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        v[n] = lod_level(k, fixed[n]);
        if (filters)
            other |= part_bits(fixed[n] <= 0) << n * PART_LANES;
    }
    memcpy(level, v, sizeof level);
    out->level = level[__builtin_ctz(live | 1u << (QUADS - 1))];
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++)
        other |= part_bits(v[n] != out->level) << n * PART_LANES;
    out->alike = !(other & live);
}

/* 4^level, the square of a step with this LOD. */
LANES_INLINE float lod_square_of(int level) {
    const uint32_t bits = (uint32_t)(2 * level + 127) << 23;
    float square;
    memcpy(&square, &bits, sizeof square);
    return square;
}

/* The lower one of the two levels around the LODs, a guess: known long before the LODs are. False if it is
 * not that of all quads. */
LANES_INLINE bool lod_guess(const struct tex_bound *b, const struct lod *lod, int *level) {
    const float square = lod->longer[0][0] * b->square_scale;
    uint32_t bits, apart = 0;
    memcpy(&bits, &square, sizeof bits);
    const int half = (int)((bits + (1u << 23)) >> 24) - 64; /* of the exponent */
    *level = half < b->level_low ? b->level_low : half > b->level_high ? b->level_high : half;
    const float low = *level == b->level_low ? 0.0f : lod_square_of(*level);
    const float high = lod_square_of(*level + 1);
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        const f32xp scaled = lod->longer[n] * b->square_scale;
        apart |= part_bits((i32xp)(scaled < low) | (i32xp)(scaled >= high)) << n * PART_LANES;
    }
    return !(apart & ((1u << QUADS) - 1));
}

/* LODs from the longer steps, in pieces between which something else may be done: 0, 1, 2. */
enum { LOD_PIECES = 3 };
LANES_INLINE void lod_settle(const struct request *q, struct key k, int piece, struct lod *out) {
    i32xp fixed[QUAD_PARTS];
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        if (piece == 0)
            part_log2_begin(&out->log2[n], lod_square(out->longer[n]));
        else if (piece == 1)
            part_log2_go_on(&out->log2[n]);
        else /* LODs are between -64 and 64 */
            fixed[n] = lod_clamped(q->bound, part_log2_end(&out->log2[n]) * 0.5f +
                                                 q->bound->sampler->lod_bias);
    }
    if (piece < LOD_PIECES - 1)
        return;
    if (LOD_AGREES)
        lod_agree(q, k, fixed, out);
    lod_spread(fixed, (u32x32 *)&out->fixed);
}

/* Probes along the longer steps, and LODs from what lies between two of them. */
LANES_INLINE void lod_settle_probes(const struct request *q, struct key k, bool raw,
                                    const struct steps s[QUAD_PARTS], struct lod *out) {
    struct lod_part p[QUAD_PARTS];
    union {
        f32xp f[QUAD_PARTS];
        i32xp i[QUAD_PARTS];
    } all;
    UNROLL
    for (int n = 0; n < QUAD_PARTS; n++) {
        lod_of_steps(q, k, true, &s[n], &p[n]);
        all.f[n] = p[n].raw;
        if (!raw)
            all.i[n] = lod_clamped(q->bound, p[n].raw + q->bound->sampler->lod_bias);
    }
    if (LOD_AGREES && !raw)
        lod_agree(q, k, all.i, out);
    lod_spread(&all, raw ? (u32x32 *)&out->raw : (u32x32 *)&out->fixed);
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

/* coord, size: what is stepped through, and how many texels one is; for cubes those of a face. later: may
 * what takes long be left to lod_settle? */
LANES_INLINE void lod_from_quads(const struct request *q, struct key k, bool aniso, bool later,
                                 const f32x32 *const coord[3], const float size[3],
                                 struct lod *out) {
    const bool raw = q->call->op == TEX_OP_BIAS || q->call->op == TEX_OP_QUERYLOD;
    if (aniso) {
        struct steps s[QUAD_PARTS];
        steps_of_quads(coord, KEY(k, axes), s);
        UNROLL
        for (int n = 0; n < QUAD_PARTS; n++)
            steps_measure(&s[n], size, KEY(k, axes));
        lod_settle_probes(q, k, raw, s, out);
        return;
    }
    longer_of_quads(coord, size, KEY(k, axes), out->longer);
    if (raw) {
        f32xp lod[QUAD_PARTS];
        UNROLL
        for (int n = 0; n < QUAD_PARTS; n++)
            lod[n] = lod_of_square(out->longer[n]);
        lod_spread(lod, (u32x32 *)&out->raw);
        return;
    }
    out->near = !(steps_beyond(out->longer, q->bound->near) & live_quads(q->lanes));
    out->begun = later && !out->near;
    UNROLL
    for (int piece = 0; piece < LOD_PIECES && !out->near && !later; piece++)
        lod_settle(q, k, piece, out);
}

/* Quads that lie on one face each have the lanes' own positions. False if some does not. */
LANES_INLINE bool faces_of_quads(const struct request *q, const struct position at[PARTS],
                                 f32x32 on_face[2]) {
    union {
        f32xp part[PARTS];
        f32x32 v;
    } on[2];
    for (int part = 0; part < PARTS; part++) {
        on[0].part[part] = on[1].part[part] = (f32xp){0};
        if (!part_mask(q->lanes, part))
            continue;
        if (part_bits(part_quad_lane(at[part].face, 0) != at[part].face))
            return false;
        on[0].part[part] = at[part].on_face[0];
        on[1].part[part] = at[part].on_face[1];
    }
    on_face[0] = on[0].v;
    on_face[1] = on[1].v;
    return true;
}

/* ---- one evaluation for each lane ---- */

/* Each lane sees its quad on its own face, so that a quad across an edge has no jump. */
static __attribute__((noinline)) void steps_of_faces(const struct request *q,
                                                     const struct position *p, int part,
                                                     struct steps *s) {
    struct cube_coord on[3];
    const f32xp x = part_load(q->coord[0], part), y = part_load(q->coord[1], part),
                z = part_load(q->coord[2], part);
    cube_on_face(part_quad_lane(x, 0), part_quad_lane(y, 0), part_quad_lane(z, 0), p->face,
                 &on[0]);
    cube_on_face(part_quad_lane(x, 1), part_quad_lane(y, 1), part_quad_lane(z, 1), p->face,
                 &on[1]);
    cube_on_face(part_quad_lane(x, 2), part_quad_lane(y, 2), part_quad_lane(z, 2), p->face,
                 &on[2]);
    s->dx[0] = on[1].s - on[0].s;
    s->dx[1] = on[1].t - on[0].t;
    s->dy[0] = on[2].s - on[0].s;
    s->dy[1] = on[2].t - on[0].t;
}

LANES_INLINE void lod_from_faces(const struct request *q, struct key k, bool aniso,
                                 const struct position at[PARTS], struct lod *out) {
    const struct tex_view *v = q->bound->view;
    const struct tex_level *l = &v->level[v->first_level];
    const float half[3] = {0.5f * l->extent[0], 0.5f * l->extent[1]};
    for (int part = 0; part < PARTS; part++) {
        struct steps s;
        struct lod_part p;
        if (!part_mask(q->lanes, part))
            continue;
        steps_of_faces(q, &at[part], part, &s);
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
        if (!part_mask(q->lanes, part))
            continue;
        f32xp lod = part_load((const u32x32 *)from, part);
        if (q->call->op == TEX_OP_BIAS)
            lod = lod + part_clamp(part_load(q->lod, part), -64.0f, 64.0f);
        lod = lod_biased(s, lod);
        part_store((u32x32 *)&out->raw, part, lod);
        part_store((u32x32 *)&out->fixed, part, (f32xp)lod_clamped(q->bound, lod));
    }
}

/* Several probes where they are asked for and there is a linear footprint to stretch. */
LANES_INLINE bool lod_is_anisotropic(const struct request *q, struct key k) {
    return KEY(k, aniso) && q->call->quads && q->call->op != TEX_OP_LOD;
}

/* at: of cubes. later: see lod_from_quads. */
LANES_INLINE void lod_find(const struct request *q, struct key k, const struct position at[PARTS],
                           bool later, struct lod *out) {
    const bool aniso = lod_is_anisotropic(q, k);
    out->near = out->begun = out->alike = false;
    if (q->call->op == TEX_OP_LOD) {
        lod_finish(q, (const f32x32 *)q->lod, out);
        return;
    }
    if (!q->call->quads) {
        const f32x32 fake = lanes_splat_f(q->bound->flags & TEX_FAKE_INFINITE ? 64.0f : -64.0f);
        lod_finish(q, &fake, out);
        return;
    }
    const struct tex_view *v = q->bound->view;
    const float *extent = v->level[v->first_level].extent;
    const bool raw = q->call->op == TEX_OP_BIAS || q->call->op == TEX_OP_QUERYLOD;
    if (!KEY(k, cube)) {
        const f32x32 *coord[3] = {(const f32x32 *)q->coord[0], (const f32x32 *)q->coord[1],
                                  (const f32x32 *)q->coord[2]};
        const float one[3] = {1, 1, 1};
        lod_from_quads(q, k, aniso, later, coord, KEY(k, normalized) ? extent : one, out);
        if (raw)
            lod_finish(q, &out->raw, out);
        return;
    }
    f32x32 on_face[2];
    if (faces_of_quads(q, at, on_face)) {
        const float half[3] = {0.5f * extent[0], 0.5f * extent[1]};
        lod_from_quads(q, k, aniso, later, (const f32x32 *const[3]){&on_face[0], &on_face[1]}, half,
                       out);
        if (!raw)
            return;
    } else {
        lod_from_faces(q, k, aniso, at, out);
    }
    lod_finish(q, &out->raw, out);
}

#endif
