/* The texture unit: one request of a warp from operands to results. In: a view, a sampler, operand
 * vectors. Out: result vectors. Built once per SIMD level; all levels give the same bits, whatever
 * MXCSR says of denormals. Knows no programs. Facts: tesla-isa.md 6.9; choices: docs/textures.md.
 */
#include "tex/unit.h"

#include "tex/filter.h"
#include "tex/kernel.h"

static const u32x32 zero_lanes;

/* Operands in the order of tesla-isa.md 6.9; what the instruction lacks reads as zero. */
struct operands {
    const u32x32 *coord[3], *layer, *reference, *lod;
    uint8_t axes;
    bool array, cube;
};

static const uint8_t dim_axes[] = {
    [TEX_1D] = 1,     [TEX_2D] = 2,       [TEX_3D] = 3,
    [TEX_CUBE] = 2,   [TEX_1D_ARRAY] = 1, [TEX_2D_ARRAY] = 2,
    [TEX_BUFFER] = 1, [TEX_2D_NOMIP] = 2, [TEX_CUBE_ARRAY] = 2,
};

static void take_operands(const struct tex_view *v, bool compare, const struct tex_args *a,
                          struct operands *o) {
    const bool is_cube = v->dim == TEX_CUBE || v->dim == TEX_CUBE_ARRAY;
    const bool has_lod = a->op == TEX_OP_BIAS || a->op == TEX_OP_LOD || a->op == TEX_OP_FETCH;
    int next = 0, count = a->source_count < 4 ? a->source_count : 4;
    o->axes = dim_axes[v->dim];
    o->cube = is_cube && a->cube;
    o->array = v->dim == TEX_1D_ARRAY || v->dim == TEX_2D_ARRAY || v->dim == TEX_CUBE_ARRAY ||
               (is_cube && !a->cube);
    for (int i = 0; i < 3; i++)
        o->coord[i] = i < o->axes + o->cube && next < count ? a->src[next++] : &zero_lanes;
    o->layer = o->array && next < count ? a->src[next++] : &zero_lanes;
    o->lod = has_lod && next < count ? a->src[--count] : &zero_lanes;
    o->reference = compare && next < count ? a->src[next] : NULL;
}

static void write_zero(const struct tex_args *a) {
    for (int i = 0; i < 4; i++)
        if (a->result_mask >> i & 1)
            *a->result[i] = (u32x32){0};
}

/* ---- results through the swizzle ---- */

static void write_results(const struct job *j, const struct sums *s, const struct tex_args *a) {
    const struct tex_view *v = j->view;
    for (int i = 0; i < 4; i++) {
        if (!(a->result_mask >> i & 1))
            continue;
        const int source = v->swizzle[i];
        const bool memory = source >= 2 && source <= 5;
        u32x32 r = memory        ? s->word[source - 2]
                   : source == 7 ? (u32x32)lanes_splat_f(1.0f)
                                 : lanes_splat(source == 6);
        if (j->border && j->integer) {
            const u32x32 on_border = (u32x32)(s->border != 0.0f);
            r = lanes_blend(on_border, lanes_splat(j->sampler->border_bits[i]), r);
        } else if (j->border && !j->compare) {
            if (!memory)
                r = (u32x32)((f32x32)r * (1.0f - s->border));
            r = (u32x32)((f32x32)r + s->border * j->sampler->border[i]);
        }
        *a->result[i] = r;
    }
}

static uint8_t wanted_components(const struct tex_view *v, uint8_t result_mask) {
    uint8_t wanted = 0;
    for (int i = 0; i < 4; i++)
        if ((result_mask >> i & 1) && v->swizzle[i] >= 2 && v->swizzle[i] <= 5)
            wanted |= (uint8_t)(1 << (v->swizzle[i] - 2));
    return wanted;
}

/* Colours are coded, alpha is not: the fourth component, or one that feeds w alone (L8A8). */
static uint8_t srgb_components(const struct tex_view *v) {
    return wanted_components(v, 7) & 7;
}

/* ---- setting up a job ---- */

/* Integers are what the swizzle shows integers: a depth view of Z24S8 has an integer beside it. */
static bool is_integer(const struct tex_view *v) {
    uint8_t type = v->component_type[0];
    for (int i = 3; i >= 0; i--)
        if (v->swizzle[i] >= 2 && v->swizzle[i] <= 5)
            type = v->component_type[v->swizzle[i] - 2];
    return type == COMPONENT_SINT || type == COMPONENT_UINT;
}

static void job_cube(struct job *j, const struct operands *o) {
    const f32x32 x = *(const f32x32 *)o->coord[0], y = *(const f32x32 *)o->coord[1],
                 z = *(const f32x32 *)o->coord[2];
    struct cube_coord c;
    cube_on_face(x, y, z, cube_face(x, y, z), &c);
    j->coord[0] = c.s * 0.5f + 0.5f;
    j->coord[1] = c.t * 0.5f + 0.5f;
    j->face = c.face;
    j->normalized = true;
}

/* Layer index to the byte offset of the layer; indices past the end take the last. */
static u32x32 layer_offset(const struct tex_view *v, const struct operands *o, i32x32 face) {
    u32x32 layer = *o->layer;
    if (o->cube) {
        const u32x32 last = lanes_splat(v->layers / 6 - 1);
        layer = lanes_blend((u32x32)(layer > last), last, layer) * 6 + (u32x32)face;
    } else {
        const u32x32 last = lanes_splat(v->layers - 1);
        layer = lanes_blend((u32x32)(layer > last), last, layer);
    }
    return layer * (uint32_t)v->layer_stride;
}

static void job_init(const struct tex_view *v, const struct tex_sampler *sampler,
                     const struct tex_args *a, const struct operands *o, struct job *j) {
    const bool linear = sampler->mag_linear || sampler->min_linear || a->op == TEX_OP_GATHER;
    j->view = v;
    j->sampler = sampler;
    j->axes = o->axes;
    j->normalized = v->normalized;
    j->integer = is_integer(v);
    j->srgb = v->srgb && !sampler->skip_srgb_decode ? srgb_components(v) : 0;
    j->compare = o->reference != NULL;
    j->face = (i32x32){0};
    j->border = false;
    bool plain = o->axes == 2 && v->dim != TEX_3D && !j->compare && !j->srgb;
    for (int i = 0; i < 3; i++) {
        j->offset[i] = o->cube ? 0 : a->offset[i];
        j->wrap[i] = o->cube ? WRAP_EDGE : sampler->wrap[i] & 7;
        j->border |= i < o->axes && wrap_has_border(j->wrap[i], linear);
        plain &= i >= o->axes || !j->offset[i];
        if (!o->cube && i < o->axes)
            j->coord[i] = *(const f32x32 *)o->coord[i];
    }
    if (o->cube)
        job_cube(j, o);
    j->seamless = o->cube && a->seamless;
    j->layer = layer_offset(v, o, j->face);
    j->components = wanted_components(v, a->result_mask);
    j->simple = plain && !j->border && !j->seamless && v->simple;
    if (j->compare) {
        const bool fixed = v->component_type[v->depth_component] == COMPONENT_UNORM;
        const f32x32 r = *(const f32x32 *)o->reference;
        j->reference = fixed ? vec_clamp(r, 0.0f, 1.0f) : r;
    }
}

/* ---- level of detail, signed 24.8 fixed point relative to the view's first level ---- */

static i32x32 lod_fixed(f32x32 lod) {
    return vec_floor_int(vec_clamp(lod, -64.0f, 64.0f) * 256.0f + 0.5f);
}

/* What a request's quads look like in texture space. */
struct footprint {
    f32x32 lod;     /* before the sampler's clamp */
    f32x32 step[3]; /* the longer side, in coordinates */
    i32x32 probes;  /* along it: 1 is isotropic */
};

static void footprint_steps(const struct job *j, const struct operands *o, struct quad_steps *s) {
    const struct tex_level *l = &j->view->level[j->view->first_level];
    const float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
    const float half[3] = {0.5f * size[0], 0.5f * size[1]}, one[3] = {1.0f, 1.0f, 1.0f};
    if (!o->cube) {
        quad_steps(j->coord, j->axes, s);
        quad_lengths(s, j->normalized ? size : one, j->axes);
        return;
    }
    /* Each lane sees its quad on its own face, so that a quad across an edge has no jump. */
    const f32x32 x = *(const f32x32 *)o->coord[0], y = *(const f32x32 *)o->coord[1],
                 z = *(const f32x32 *)o->coord[2];
    struct cube_coord on[3];
    cube_on_face(vec_quad_lane(x, 0), vec_quad_lane(y, 0), vec_quad_lane(z, 0), j->face, &on[0]);
    cube_on_face(vec_quad_lane(x, 1), vec_quad_lane(y, 1), vec_quad_lane(z, 1), j->face, &on[1]);
    cube_on_face(vec_quad_lane(x, 2), vec_quad_lane(y, 2), vec_quad_lane(z, 2), j->face, &on[2]);
    s->dx[0] = on[1].s - on[0].s;
    s->dx[1] = on[1].t - on[0].t;
    s->dy[0] = on[2].s - on[0].s;
    s->dy[1] = on[2].t - on[0].t;
    quad_lengths(s, half, 2);
}

static int max_probes(const struct job *j) {
    return j->view->max_anisotropy ? j->view->max_anisotropy : j->sampler->max_anisotropy;
}

/* Several probes where they are asked for and there is a linear footprint to stretch. */
static bool is_anisotropic(const struct job *j, const struct tex_args *a) {
    return max_probes(j) > 1 && j->sampler->min_linear && !j->integer && a->deriv &&
           a->op != TEX_OP_LOD && j->axes > 1;
}

static void footprint_implicit(const struct job *j, const struct operands *o,
                               const struct tex_args *a, struct footprint *f) {
    struct quad_steps s;
    footprint_steps(j, o, &s);
    const i32x32 x_longer = s.x2 > s.y2;
    f->lod = lod_from_square(vec_pick(x_longer, s.x2, s.y2));
    if (!is_anisotropic(j, a))
        return;
    f->probes = quad_probes(&s, max_probes(j));
    f->lod = f->lod - vec_log2(vec_float(f->probes));
    for (int i = 0; i < j->axes; i++)
        f->step[i] = vec_pick(x_longer, s.dx[i], s.dy[i]) * (o->cube ? 0.5f : 1.0f);
}

static void footprint_of(const struct job *j, const struct operands *o, const struct tex_args *a,
                         struct footprint *f) {
    f->probes = vec_int_splat(1);
    if (a->op == TEX_OP_LOD)
        f->lod = *(const f32x32 *)o->lod;
    else if (a->deriv)
        footprint_implicit(j, o, a, f);
    else
        f->lod = lanes_splat_f(a->fake_infinite ? 64.0f : -64.0f);
    if (a->op == TEX_OP_BIAS)
        f->lod = f->lod + vec_clamp(*(const f32x32 *)o->lod, -64.0f, 64.0f);
    f->lod = vec_clamp(f->lod, -64.0f, 64.0f) + j->sampler->lod_bias;
}

static i32x32 lod_clamped(const struct job *j, f32x32 raw) {
    const f32x32 low = vec_max(raw, lanes_splat_f(j->sampler->min_lod));
    return lod_fixed(vec_min(low, lanes_splat_f(j->sampler->max_lod)));
}

static void lane_range(i32x32 v, lane_mask lanes, int32_t *low, int32_t *high) {
    int32_t word[LANES];
    memcpy(word, &v, sizeof word);
    *low = *high = word[__builtin_ctz(lanes)];
    if (!(lanes_to_mask((u32x32)(v != *low)) & lanes))
        return; /* by far the most common */
    *low = INT32_MAX;
    *high = INT32_MIN;
    for (lane_mask left = lanes; left; left &= left - 1) {
        const int32_t w = word[__builtin_ctz(left)];
        *low = w < *low ? w : *low;
        *high = w > *high ? w : *high;
    }
}

static void sums_pick(u32x32 cond, const struct sums *a, struct sums *to) {
    for (int c = 0; c < 4; c++)
        to->word[c] = lanes_blend(cond, a->word[c], to->word[c]);
    to->border = vec_pick((i32x32)cond, a->border, to->border);
}

static void sums_add(f32x32 weight, const struct sums *a, struct sums *to) {
    const u32x32 counts = (u32x32)(weight != 0.0f);
    for (int c = 0; c < 4; c++)
        to->word[c] =
            (u32x32)vec_one_nan((f32x32)to->word[c] + weight * (f32x32)(a->word[c] & counts));
    to->border = to->border + weight * a->border;
}

/* One filter for all lanes: each level that some lane wants, once. */
static void sample_levels(const struct job *j, i32x32 lod, lane_mask lanes, bool linear,
                          bool trilinear, struct sums *out) {
    const struct tex_view *v = j->view;
    const int32_t count = v->last_level - v->first_level;
    const i32x32 level = trilinear ? vec_clamp_int(lod, 0, count << 8) >> 8
                                   : vec_clamp_int((lod + 127) >> 8, 0, count);
    const i32x32 part = trilinear ? vec_clamp_int(lod, 0, count << 8) & 255 : (i32x32){0};
    int32_t low, high;
    lane_range(level, lanes, &low, &high);
    if (low == high && !lanes_to_mask((u32x32)(part != 0) & lanes_from_mask(lanes))) {
        sample_level(j, v->first_level + low, linear, out);
        return;
    }
    *out = (struct sums){0};
    for (int32_t l = low; l <= high + trilinear && l <= count; l++) {
        const i32x32 here = level == l, above = level == l - 1;
        const i32x32 weight = ((256 - part) & here) + (part & above);
        if (!lanes_to_mask((u32x32)(weight != 0) & lanes_from_mask(lanes)))
            continue;
        struct sums s;
        sample_level(j, v->first_level + l, linear, &s);
        if (trilinear)
            sums_add(vec_float(weight) * 0x1p-8f, &s, out);
        else
            sums_pick((u32x32)here, &s, out);
    }
}

/* The level does not matter: there is one, and one filter. */
static bool is_levelless(const struct job *j) {
    return (j->sampler->mip <= 1 || j->view->first_level == j->view->last_level) &&
           j->sampler->mag_linear == j->sampler->min_linear;
}

static void sample_filtered(const struct job *j, i32x32 lod, lane_mask lanes, struct sums *out) {
    const struct tex_sampler *sampler = j->sampler;
    const bool one_level = sampler->mip <= 1 || j->view->first_level == j->view->last_level;
    const bool one_filter = sampler->mag_linear == sampler->min_linear;
    const i32x32 shown = one_level ? (i32x32){0} : lod;
    const bool trilinear = !one_level && sampler->mip == 3 && !j->integer;
    const lane_mask magnified = lanes_to_mask((u32x32)(lod <= 0)) & lanes;
    const lane_mask minified = lanes & ~magnified;
    if (!minified) {
        sample_level(j, j->view->first_level, sampler->mag_linear, out);
        return;
    }
    if (one_filter || !magnified) {
        sample_levels(j, shown, lanes, sampler->min_linear, trilinear, out);
        return;
    }
    sample_level(j, j->view->first_level, sampler->mag_linear, out);
    struct sums s;
    sample_levels(j, shown, minified, sampler->min_linear, trilinear, &s);
    sums_pick((u32x32)(lod > 0), &s, out);
}

/* The mean of probes along the longer side of the footprint, as EXT_texture_filter_anisotropic has
 * it: probe i of n lies i / (n + 1) of the way; or evenly spread. */
static void sample_anisotropic(const struct job *j, const struct footprint *f, i32x32 lod,
                               lane_mask lanes, struct sums *out) {
    const f32x32 n = vec_float(f->probes);
    struct job probe = *j;
    *out = (struct sums){0};
    for (int i = 1; lanes; i++) {
        const i32x32 here = f->probes >= i, moved = 2 * i != f->probes + 1;
        const f32x32 part = j->view->even_spread ? ((float)i - 0.5f) / n : (float)i / (n + 1.0f);
        const f32x32 at = part - 0.5f;
        struct sums s;
        lanes &= lanes_to_mask((u32x32)here);
        for (int k = 0; k < j->axes; k++)
            probe.coord[k] = vec_pick(moved, j->coord[k] + f->step[k] * at, j->coord[k]);
        if (!lanes)
            break;
        sample_filtered(&probe, lod, lanes, &s);
        for (int c = 0; c < 4; c++)
            s.word[c] = (u32x32)((f32x32)out->word[c] + (f32x32)s.word[c]);
        s.border = out->border + s.border;
        sums_pick((u32x32)here, &s, out);
    }
    for (int c = 0; c < 4; c++)
        out->word[c] = (u32x32)vec_one_nan((f32x32)out->word[c] / n);
    out->border = out->border / n;
}

static void op_sample(const struct tex_view *v, const struct tex_sampler *sampler,
                      const struct tex_args *a) {
    struct operands o;
    struct job j;
    struct footprint f;
    struct sums s;
    take_operands(v, sampler->compare, a, &o);
    job_init(v, sampler, a, &o, &j);
    if (is_levelless(&j) && !is_anisotropic(&j, a)) {
        sample_level(&j, v->first_level, sampler->mag_linear, &s);
    } else {
        footprint_of(&j, &o, a, &f);
        const i32x32 lod = lod_clamped(&j, f.lod);
        if (lanes_to_mask((u32x32)(f.probes > 1)) & a->lanes)
            sample_anisotropic(&j, &f, lod, a->lanes, &s);
        else
            sample_filtered(&j, lod, a->lanes, &s);
    }
    write_results(&j, &s, a);
}

/* ---- requests that a kernel of its own answers ---- */

enum { WRAP_NONE = 0xff };

/* Wrap modes that cannot meet the border, by filter; those with the same effect under one name. */
static const uint8_t kernel_wraps[2][8] = {
    {WRAP_REPEAT, WRAP_MIRROR, WRAP_EDGE, WRAP_NONE, WRAP_EDGE, WRAP_MIRROR_EDGE, WRAP_NONE,
     WRAP_MIRROR_EDGE},
    {WRAP_REPEAT, WRAP_MIRROR, WRAP_EDGE, WRAP_NONE, WRAP_NONE, WRAP_MIRROR_EDGE, WRAP_NONE,
     WRAP_NONE},
};

static kernel_fn *kernel_for(const struct tex_sampler *s, const struct kernel *k) {
    enum { REPEAT, EDGE, ANY, SRGB };
    static kernel_fn *const table[2][4] = {
        {kernel_nearest_repeat, kernel_nearest_edge, kernel_nearest_any, kernel_nearest_srgb},
        {kernel_linear_repeat, kernel_linear_edge, kernel_linear_any, kernel_linear_srgb}};
    if (k->srgb)
        return table[s->min_linear][SRGB];
    if (k->wrap_s == k->wrap_t && k->wrap_s == WRAP_REPEAT)
        return table[s->min_linear][REPEAT];
    if (k->wrap_s == k->wrap_t && k->wrap_s == WRAP_EDGE)
        return table[s->min_linear][EDGE];
    return table[s->min_linear][ANY];
}

static bool kernel_fits(const struct tex_view *v, const struct tex_sampler *s,
                        const struct tex_args *a) {
    return v->simple && (v->dim == TEX_2D || v->dim == TEX_2D_NOMIP) && a->source_count >= 2 &&
           !s->compare && s->max_anisotropy <= 1 && v->max_anisotropy <= 1 &&
           s->mag_linear == s->min_linear && !(a->offset[0] | a->offset[1]);
}

static void kernel_results(const struct tex_view *v, const struct tex_args *a,
                           const struct kernel *k) {
    for (int i = 0; i < 4; i++) {
        if (!(a->result_mask >> i & 1))
            continue;
        const int source = v->swizzle[i];
        if (v->constant >> i & 1)
            *a->result[i] = source == 7 ? (u32x32)lanes_splat_f(1.0f) : lanes_splat(source == 6);
        else if (a->result[i] != k->target[source - 2])
            *a->result[i] = *k->target[source - 2];
    }
}

/* False where each lane may have its own level. */
static bool kernel_levels(const struct tex_view *v, const struct tex_sampler *s,
                          const struct tex_args *a, struct kernel *k) {
    if (a->op == TEX_OP_BIAS)
        return false;
    if (a->op == TEX_OP_LOD)
        return kernel_given_level(
            v, s, a->source_count < 3 ? &zero_lanes : a->src[a->source_count < 4 ? 2 : 3], 0, k);
    if (!a->deriv)
        return kernel_given_level(v, s, NULL, a->fake_infinite ? 64.0f : -64.0f, k);
    kernel_quad_levels(v, s, k);
    return true;
}

/* False if the request is not of that kind. */
static bool op_kernel(const struct tex_view *v, const struct tex_sampler *s,
                      const struct tex_args *a) {
    if (!kernel_fits(v, s, a))
        return false;
    struct kernel k = {.view = v,
                       .s = a->src[0],
                       .t = a->src[1],
                       .lanes = a->lanes,
                       .wrap_s = kernel_wraps[s->min_linear][s->wrap[0] & 7],
                       .wrap_t = kernel_wraps[s->min_linear][s->wrap[1] & 7],
                       .srgb = v->srgb && !s->skip_srgb_decode ? srgb_components(v) : 0};
    if (k.wrap_s == WRAP_NONE || k.wrap_t == WRAP_NONE ||
        (!v->normalized && (k.wrap_s <= WRAP_MIRROR || k.wrap_t <= WRAP_MIRROR)))
        return false;
    if (s->mip > 1 && v->first_level != v->last_level) {
        if (!kernel_levels(v, s, a, &k))
            return false;
    }
    bool copies = v->constant & a->result_mask;
    for (int c = 0; c < 4; c++) {
        const unsigned by = v->shown_by[c] & a->result_mask;
        k.target[c] = by ? a->result[__builtin_ctz(by)] : NULL;
        copies |= (by & (by - 1)) != 0;
    }
    kernel_for(s, &k)(&k);
    if (copies)
        kernel_results(v, a, &k);
    return true;
}

/* ---- the other operations ---- */

/* Integer coordinates, no wrap, no filter; whatever lies outside is zero in all components. */
static void op_fetch(const struct tex_view *v, const struct tex_sampler *sampler,
                     const struct tex_args *a) {
    struct operands o;
    struct job j;
    take_operands(v, false, a, &o);
    job_init(v, sampler, a, &o, &j);
    j.border = false;
    i32x32 at[3] = {{0}, {0}, {0}};
    for (int i = 0; i < o.axes; i++)
        at[i] = *(const i32x32 *)o.coord[i] + j.offset[i];
    const i32x32 lod = *(const i32x32 *)o.lod;
    const u32x32 layer_ok = (u32x32)(*o.layer < lanes_splat(v->layers));
    int32_t low, high;
    struct sums out = {0};
    u32x32 done = {0};
    lane_range(vec_clamp_int(lod, 0, v->last_level - v->first_level), a->lanes, &low, &high);
    for (int32_t l = low; l <= high; l++) {
        const struct level_map m = level_map(v, v->first_level + l);
        const int32_t size[3] = {m.width, m.height, m.depth};
        u32x32 here = (u32x32)(lod == l) & layer_ok;
        i32x32 safe[3];
        for (int i = 0; i < 3; i++) {
            here = here & (u32x32)((u32x32)at[i] < lanes_splat((uint32_t)size[i]));
            safe[i] = vec_clamp_int(at[i], 0, size[i] - 1);
        }
        struct texels t;
        struct sums s = {0};
        fetch_texels(&m, safe[0], safe[1], safe[2], j.layer, &t);
        tap_components(&j, &t, here, s.word);
        sums_pick(here, &s, &out);
        done = done | here;
    }
    write_results(&j, &out, a);
    for (int i = 0; i < 4; i++)
        if (a->result_mask >> i & 1)
            *a->result[i] = *a->result[i] & done;
}

/* Width, height, depth or layers of a level, and the number of levels. */
static void op_size(const struct tex_view *v, const struct tex_args *a) {
    const u32x32 lod = a->source_count ? *a->src[0] : zero_lanes;
    const int count = v->last_level - v->first_level + 1;
    const uint32_t layers = v->dim == TEX_CUBE_ARRAY ? v->layers / 6 : v->layers; /* cubes */
    u32x32 r[4] = {{0}, {0}, {0}, lanes_splat((uint32_t)count)};
    for (int l = 0; l < count; l++) {
        const struct tex_level *level = &v->level[v->first_level + l];
        const u32x32 here = (u32x32)(lod == (uint32_t)l);
        const uint32_t size[3] = {level->width, v->dim == TEX_1D_ARRAY ? v->layers : level->height,
                                  v->dim == TEX_3D ? level->depth : layers};
        for (int i = 0; i < 3; i++)
            r[i] = lanes_blend(here, lanes_splat(size[i]), r[i]);
    }
    for (int i = 0; i < 4; i++)
        if (a->result_mask >> i & 1)
            *a->result[i] = r[i];
}

/* x: level that would be shown; y: level before clamping, signed; both 8 fractional bits. */
static void op_query_lod(const struct tex_view *v, const struct tex_sampler *sampler,
                         const struct tex_args *a) {
    struct operands o;
    struct job j;
    take_operands(v, false, a, &o);
    job_init(v, sampler, a, &o, &j);
    struct footprint f;
    footprint_of(&j, &o, a, &f);
    const int32_t count = sampler->mip <= 1 ? 0 : v->last_level - v->first_level;
    i32x32 shown = vec_clamp_int(lod_clamped(&j, f.lod), 0, count << 8);
    if (sampler->mip == 2)
        shown = (shown + 127) & ~255;
    const u32x32 r[4] = {(u32x32)shown, (u32x32)lod_fixed(f.lod)};
    for (int i = 0; i < 4; i++)
        if (a->result_mask >> i & 1)
            *a->result[i] = r[i];
}

/* Cube coordinates and layer to x, y and the layer of a two-dimensional array access. */
static void op_prepare(const struct tex_args *a) {
    const u32x32 *src[4];
    for (int i = 0; i < 4; i++)
        src[i] = i < a->source_count ? a->src[i] : &zero_lanes;
    const f32x32 x = *(const f32x32 *)src[0], y = *(const f32x32 *)src[1],
                 z = *(const f32x32 *)src[2];
    struct cube_coord c;
    cube_on_face(x, y, z, cube_face(x, y, z), &c);
    const u32x32 r[4] = {(u32x32)(c.s * 0.5f + 0.5f), (u32x32)(c.t * 0.5f + 0.5f),
                         *src[3] * 6 + (u32x32)c.face};
    for (int i = 0; i < 4; i++)
        if (a->result_mask >> i & 1)
            *a->result[i] = r[i];
}

/* The first component of the four texels of a linear footprint in the first level, in GL's order:
 * lower left, lower right, upper right, upper left of the footprint as v grows upward. */
static void op_gather(const struct tex_view *v, const struct tex_sampler *sampler,
                      const struct tex_args *a) {
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct operands o;
    struct job j;
    u32x32 *result[4] = {NULL};
    struct tex_args x_only = *a;
    x_only.result_mask = 1;
    x_only.result = result;
    take_operands(v, sampler->compare, a, &o);
    job_init(v, sampler, &x_only, &o, &j);
    const struct level_map m = level_map(v, v->first_level);
    struct tap_axis axis[3];
    if (j.seamless)
        seamless_axes(&j, &m, axis);
    else
        job_axes(&j, &m, true, axis);
    if (o.axes < 2) {
        axis[1].i[1] = axis[1].i[0];
        axis[1].inside[1] = axis[1].inside[0];
    }
    for (int i = 0; i < 4; i++) {
        if (!(a->result_mask >> i & 1))
            continue;
        const int s = order[i][0], t = order[i][1];
        const u32x32 inside = axis[0].inside[s] & axis[1].inside[t];
        struct texels texels;
        struct sums out = {.border = (f32x32)(~inside & 0x3f800000u)};
        fetch_tap(&j, &m, axis[0].i[s], axis[1].i[t], axis[2].i[0], &texels);
        tap_components(&j, &texels, inside, out.word);
        for (int c = 0; c < 4 && !j.compare && !j.integer; c++)
            out.word[c] = out.word[c] & inside;
        result[0] = a->result[i];
        write_results(&j, &out, &x_only);
    }
}

static void sample(const struct tex_view *view, const struct tex_sampler *sampler,
                   const struct tex_args *args) {
    if (!view->valid || !args->lanes) {
        write_zero(args);
        return;
    }
    switch (args->op) {
    case TEX_OP_FETCH:
        op_fetch(view, sampler, args);
        break;
    case TEX_OP_SIZE:
        op_size(view, args);
        break;
    case TEX_OP_PREP:
        op_prepare(args);
        break;
    case TEX_OP_QUERYLOD:
        op_query_lod(view, sampler, args);
        break;
    case TEX_OP_GATHER:
        op_gather(view, sampler, args);
        break;
    default: /* texcsaa is open: as texauto, tesla-isa.md 14 */
        if (!op_kernel(view, sampler, args))
            op_sample(view, sampler, args);
        break;
    }
}

void SIMD_FN(tex_any)(const struct tex_binding *binding, const struct tex_call *call, u32x32 *reg,
                      lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    u32x32 out[4];
    const u32x32 *const src[4] = {&reg[0], &reg[1], &reg[2], &reg[3]};
    u32x32 *const result[4] = {&out[0], &out[1], &out[2], &out[3]};
    const struct tex_args args = {
        .op = call->op,
        .source_count = call->source_count,
        .result_mask = call->result_mask,
        .cube = call->cube,
        .deriv = call->quads,
        .fake_infinite = !call->quads && (b->flags & TEX_FAKE_INFINITE),
        .seamless = b->flags & TEX_SEAMLESS,
        .offset = {call->offset[0], call->offset[1], call->offset[2]},
        .lanes = m,
        .src = src,
        .result = result,
    };
    sample(b->view, b->sampler, &args);
    for (int i = 0; i < 4; i++)
        if (call->result_mask >> i & 1)
            lanes_store(reg++, out[i], m);
}
