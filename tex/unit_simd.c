/* The texture unit: one request of a warp from operands to results. In: a view, a sampler, operand
 * vectors. Out: result vectors. Built once per SIMD level; all levels give the same bits, whatever
 * MXCSR says of denormals. Knows no programs. Facts: tesla-isa.md 6.9; choices: docs/textures.md.
 */
#include "tex/filter.h"

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

static bool simple_storage(const struct tex_view *v) {
    bool simple = v->whole && v->storage == TEX_STORE_PLAIN && v->bytes == 4;
    for (int c = 0; c < 4; c++)
        simple &= (v->bits[c] == 8 || !v->bits[c]) && v->shift[c] == (v->bits[c] ? 8 * c : 0) &&
                  v->component_type[c] == COMPONENT_UNORM;
    return simple;
}

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
    j->seamless = o->cube && sampler->seamless;
    j->layer = layer_offset(v, o, j->face);
    j->components = wanted_components(v, a->result_mask);
    j->simple = plain && !j->border && !j->seamless && simple_storage(v);
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

static f32x32 lod_implicit(const struct job *j, const struct operands *o,
                           const struct tex_args *a) {
    if (!a->deriv)
        return lanes_splat_f(a->fake_infinite ? 64.0f : -64.0f);
    const struct tex_level *l = &j->view->level[j->view->first_level];
    const float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
    const float one[3] = {1.0f, 1.0f, 1.0f};
    if (!o->cube) {
        const f32x32 *const c[3] = {&j->coord[0], &j->coord[1], &j->coord[2]};
        return lod_from_quads(c, j->normalized ? size : one, j->axes);
    }
    /* All four lanes on the face of the first, so that a quad across an edge has no jump. */
    struct cube_coord on;
    const i32x32 face = vec_quad_lane(j->face, 0);
    cube_on_face(*(const f32x32 *)o->coord[0], *(const f32x32 *)o->coord[1],
                 *(const f32x32 *)o->coord[2], face, &on);
    const f32x32 *const c[3] = {&on.s, &on.t, NULL};
    const float half[3] = {0.5f * size[0], 0.5f * size[1], 0.0f};
    return lod_from_quads(c, half, 2);
}

/* Before the sampler's clamp. */
static f32x32 lod_raw(const struct job *j, const struct operands *o, const struct tex_args *a) {
    f32x32 lod = a->op == TEX_OP_LOD ? *(const f32x32 *)o->lod : lod_implicit(j, o, a);
    if (a->op == TEX_OP_BIAS)
        lod = lod + vec_clamp(*(const f32x32 *)o->lod, -64.0f, 64.0f);
    return vec_clamp(lod, -64.0f, 64.0f) + j->sampler->lod_bias;
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
        to->word[c] = (u32x32)((f32x32)to->word[c] + weight * (f32x32)(a->word[c] & counts));
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

static void sample_filtered(const struct job *j, const struct operands *o, const struct tex_args *a,
                            struct sums *out) {
    const struct tex_sampler *sampler = j->sampler;
    const bool one_level = sampler->mip <= 1 || j->view->first_level == j->view->last_level;
    const bool one_filter = sampler->mag_linear == sampler->min_linear;
    if (one_level && one_filter) {
        sample_level(j, j->view->first_level, sampler->mag_linear, out);
        return;
    }
    const i32x32 lod = lod_clamped(j, lod_raw(j, o, a));
    const i32x32 shown = one_level ? (i32x32){0} : lod;
    const bool trilinear = !one_level && sampler->mip == 3 && !j->integer;
    const lane_mask magnified = lanes_to_mask((u32x32)(lod <= 0)) & a->lanes;
    const lane_mask minified = a->lanes & ~magnified;
    if (!minified) {
        sample_level(j, j->view->first_level, sampler->mag_linear, out);
        return;
    }
    if (one_filter || !magnified) {
        sample_levels(j, shown, a->lanes, sampler->min_linear, trilinear, out);
        return;
    }
    sample_level(j, j->view->first_level, sampler->mag_linear, out);
    struct sums s;
    sample_levels(j, shown, minified, sampler->min_linear, trilinear, &s);
    sums_pick((u32x32)(lod > 0), &s, out);
}

static void op_sample(const struct tex_view *v, const struct tex_sampler *sampler,
                      const struct tex_args *a) {
    struct operands o;
    struct job j;
    struct sums s;
    take_operands(v, sampler->compare, a, &o);
    job_init(v, sampler, a, &o, &j);
    sample_filtered(&j, &o, a, &s);
    write_results(&j, &s, a);
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

/* x: level before clamping, signed; y: level that would be shown; both 8 fractional bits. */
static void op_query_lod(const struct tex_view *v, const struct tex_sampler *sampler,
                         const struct tex_args *a) {
    struct operands o;
    struct job j;
    take_operands(v, false, a, &o);
    job_init(v, sampler, a, &o, &j);
    const f32x32 raw = lod_raw(&j, &o, a);
    const int32_t count = sampler->mip <= 1 ? 0 : v->last_level - v->first_level;
    i32x32 shown = vec_clamp_int(lod_clamped(&j, raw), 0, count << 8);
    if (sampler->mip == 2)
        shown = (shown + 127) & ~255;
    const u32x32 r[4] = {(u32x32)lod_fixed(raw), (u32x32)shown};
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
    struct tex_args x_only = *a;
    x_only.result_mask = 1;
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
        x_only.result[0] = a->result[i];
        write_results(&j, &out, &x_only);
    }
}

void SIMD_FN(tex_sample)(const struct tex_view *view, const struct tex_sampler *sampler,
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
        op_sample(view, sampler, args);
        break;
    }
}
