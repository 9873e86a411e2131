/* Filtering inside one mip level: footprints, weights, comparison, border. In: a sampling job. Out:
 * per component sums, and how much of the weight fell on the border. One general path for every
 * kind of view, and one for the common one: 8-bit components, two dimensions, no border. Knows no
 * LOD.
 */
#ifndef TEX_FILTER_H
#define TEX_FILTER_H

#include "tex/fetch.h"

/* What stays the same for all levels of one request. */
struct job {
    const struct tex_view *view;
    const struct tex_sampler *sampler;
    f32x32 coord[3];  /* s t r; cube: on the face, 0..1 */
    u32x32 layer;     /* byte offset of the layer or face */
    i32x32 face;      /* cube: 0..5 */
    f32x32 reference; /* of a comparison */
    uint8_t axes;     /* 1..3 that are filtered */
    uint8_t wrap[3];
    int8_t offset[3];
    uint8_t components; /* memory components wanted, bit 0 = lowest */
    uint8_t srgb;       /* those of them that hold sRGB codes */
    bool normalized, compare, integer, seamless, border, simple;
};

/* Weighted sums of one or more levels. For integers, word holds the values themselves. */
struct sums {
    u32x32 word[4];
    f32x32 border; /* weight of the border colour, 0..1 */
};

LANES_INLINE u32x32 compare_reference(f32x32 reference, f32x32 depth, int func) {
    const i32x32 less = reference < depth, equal = reference == depth, more = reference > depth;
    i32x32 r = {0};
    if (func & 1)
        r = r | less;
    if (func & 2)
        r = r | equal;
    if (func & 4)
        r = r | more;
    if (func == 7)
        r = ~(i32x32){0}; /* also when one is NaN */
    return (u32x32)r & 0x3f800000u;
}

/* The components of one tap as words; a comparison replaces them all by its result. */
static inline void tap_components(const struct job *j, const struct texels *t, u32x32 inside,
                                  u32x32 word[4]) {
    if (j->compare) {
        const u32x32 border = (u32x32)lanes_splat_f(j->sampler->border[0]);
        const u32x32 depth = decode_component(j->view, t, j->view->depth_component, false);
        const f32x32 d = (f32x32)lanes_blend(inside, depth, border);
        const u32x32 r = compare_reference(j->reference, d, j->sampler->compare_func);
        for (int c = 0; c < 4; c++)
            word[c] = r;
        return;
    }
    for (int c = 0; c < 4; c++)
        word[c] = j->components >> c & 1 ? decode_component(j->view, t, c, j->srgb >> c & 1)
                                         : (u32x32){0};
}

/* A cube tap that fell off its face by one texel moves to the face next to it. A tap off a corner
 * is first brought back in s: the corner is shared by three texels only. */
static inline void cross_edge(const struct level_map *m, i32x32 face, i32x32 *x, i32x32 *y,
                              i32x32 *out_face) {
    const int32_t n = m->width;
    const i32x32 off_y = (*y < 0) | (*y >= n);
    i32x32 i = vec_pick_int(off_y, vec_clamp_int(*x, 0, n - 1), *x);
    const i32x32 off_x = (i < 0) | (i >= n);
    const i32x32 off = off_x | off_y;
    /* On the cube scaled to 2n: centres of texels are odd, the edge is n, its neighbour n - 1. */
    const i32x32 s = vec_clamp_int(2 * i + 1 - n, -n, n), t = vec_clamp_int(2 * *y + 1 - n, -n, n);
    const i32x32 major = vec_pick_int(off, vec_int_splat(n - 1), vec_int_splat(n));
    const i32x32 axis = face >> 1, back = -(face & 1);
    const i32x32 is_x = axis == 0, is_y = axis == 1;
    const i32x32 ma = (major ^ back) - back;
    /* The inverse of cube_on_face. */
    const i32x32 px = vec_pick_int(is_x, ma, vec_pick_int(is_y, s, (s ^ back) - back));
    const i32x32 py = vec_pick_int(is_y, ma, -t);
    const i32x32 pz =
        vec_pick_int(is_x, (s ^ ~back) - ~back, vec_pick_int(is_y, (t ^ back) - back, ma));
    struct cube_coord c;
    const f32x32 fx = vec_float(px), fy = vec_float(py), fz = vec_float(pz);
    *out_face = vec_pick_int(off, cube_face(fx, fy, fz), face);
    cube_on_face(fx, fy, fz, *out_face, &c);
    const i32x32 cx = vec_floor_int((c.s + 1.0f) * (0.5f * (float)n));
    const i32x32 cy = vec_floor_int((c.t + 1.0f) * (0.5f * (float)n));
    *x = vec_clamp_int(vec_pick_int(off, cx, i), 0, n - 1);
    *y = vec_clamp_int(vec_pick_int(off, cy, *y), 0, n - 1);
}

static inline void fetch_tap(const struct job *j, const struct level_map *m, i32x32 x, i32x32 y,
                             i32x32 z, struct texels *t) {
    u32x32 layer = j->layer;
    if (j->seamless) {
        i32x32 face;
        cross_edge(m, j->face, &x, &y, &face);
        layer = layer + (u32x32)(face - j->face) * (uint32_t)j->view->layer_stride;
    }
    fetch_texels(m, x, y, z, layer, t);
}

static inline void job_axes(const struct job *j, const struct level_map *m, bool linear,
                            struct tap_axis axis[3]) {
    const int32_t size[3] = {m->width, m->height, m->depth};
    for (int i = 0; i < 3; i++) {
        if (i < j->axes) {
            wrap_axis(j->coord[i], size[i], j->normalized, j->wrap[i], j->offset[i], linear,
                      &axis[i]);
            continue;
        }
        axis[i].i[0] = (i32x32){0};
        axis[i].inside[0] = lanes_splat(0xffffffff);
    }
}

/* A seamless footprint may leave the face by a texel, so its axes do not wrap. */
static inline void seamless_axes(const struct job *j, const struct level_map *m,
                                 struct tap_axis axis[3]) {
    for (int i = 0; i < 2; i++) {
        const f32x32 x = vec_clamp(j->coord[i], 0.0f, 1.0f) * (float)m->width;
        const i32x32 fixed = vec_floor_int(x * 256.0f + 0.5f) - 128;
        axis[i].weight = (u32x32)(fixed & 255);
        axis[i].i[0] = fixed >> 8;
        axis[i].i[1] = axis[i].i[0] + 1;
        axis[i].inside[0] = axis[i].inside[1] = lanes_splat(0xffffffff);
    }
    axis[2].i[0] = (i32x32){0};
    axis[2].inside[0] = lanes_splat(0xffffffff);
}

static void sample_nearest(const struct job *j, const struct level_map *m, struct sums *out) {
    struct tap_axis axis[3];
    struct job flat = *j; /* nearest never leaves a face */
    flat.seamless = false;
    job_axes(j, m, false, axis);
    struct texels t;
    fetch_tap(&flat, m, axis[0].i[0], axis[1].i[0], axis[2].i[0], &t);
    const u32x32 inside = axis[0].inside[0] & axis[1].inside[0] & axis[2].inside[0];
    tap_components(j, &t, inside, out->word);
    out->border = (f32x32)(~inside & 0x3f800000u);
    if (j->compare)
        out->border = (f32x32){0};
    else if (j->border && !j->integer)
        for (int c = 0; c < 4; c++)
            out->word[c] = out->word[c] & inside;
}

/* All taps of a linear footprint: 2, 4 or 8. Weights are exact multiples of 2^-24. */
static void sample_linear(const struct job *j, const struct level_map *m, struct sums *out) {
    struct tap_axis axis[3];
    if (j->seamless)
        seamless_axes(j, m, axis);
    else
        job_axes(j, m, true, axis);
    f32x32 sum[4] = {{0}}, border = {0};
    for (int tap = 0; tap < 1 << j->axes; tap++) {
        const int k[3] = {tap & 1, tap >> 1 & 1, tap >> 2};
        f32x32 weight = lanes_splat_f(1.0f);
        u32x32 inside = lanes_splat(0xffffffff);
        for (int i = 0; i < j->axes; i++) {
            const u32x32 w = k[i] ? axis[i].weight : 256 - axis[i].weight;
            weight = weight * (vec_float((i32x32)w) * 0x1p-8f);
            inside = inside & axis[i].inside[k[i]];
        }
        struct texels t;
        fetch_tap(j, m, axis[0].i[k[0]], axis[1].i[k[1]], axis[2].i[k[2]], &t);
        u32x32 word[4];
        tap_components(j, &t, inside, word);
        if (j->compare)
            inside = lanes_splat(0xffffffff); /* the border has been compared */
        /* A tap without weight does not count, even if it is infinite. */
        const u32x32 counts = inside & (u32x32)(weight != 0.0f);
        for (int c = 0; c < 4; c++)
            if (j->components >> c & 1)
                sum[c] = sum[c] + weight * (f32x32)(word[c] & counts);
        border = border + (f32x32)((u32x32)weight & ~inside);
    }
    for (int c = 0; c < 4; c++)
        out->word[c] = (u32x32)vec_one_nan(sum[c]);
    out->border = border;
}

/* ---- the common case: up to 32 bits of UNORM components of at most 8 bits, flat, no border ----
 */

typedef uint16_t u16x64 __attribute__((vector_size(128)));

/* Two components in the 16-bit halves of each lane, mixed with weight w of 256: 8.8 fixed point. */
LANES_INLINE u32x32 mix_pair(u32x32 a, u32x32 b, u32x32 w) {
    const u16x64 wb = (u16x64)(w | w << 16), wa = 256 - wb;
    return (u32x32)((u16x64)a * wa + (u16x64)b * wb);
}

/* Sum over both rows as an integer up to 255 * 65536, exact in f32, scaled once. */
LANES_INLINE f32x32 mix_rows(u32x32 top, u32x32 bottom, f32x32 w_top, f32x32 w_bottom,
                             float scale) {
    return (vec_float((i32x32)top) * w_top + vec_float((i32x32)bottom) * w_bottom) * scale;
}

static void sample_linear_bytes(const struct job *j, const struct level_map *m, struct sums *out) {
    const struct tex_view *v = j->view;
    struct tap_axis s, t;
    wrap_axis(j->coord[0], m->width, j->normalized, j->wrap[0], 0, true, &s);
    wrap_axis(j->coord[1], m->height, j->normalized, j->wrap[1], 0, true, &t);
    u32x32 texel[2][2], low[2], high[2];
    u32x32 column[2];
    for (int i = 0; i < 2; i++)
        column[i] = map_column(m, (u32x32)s.i[i] << 2) + j->layer;
    for (int k = 0; k < 2; k++) {
        const u32x32 row = map_row(m, (u32x32)t.i[k]);
        for (int i = 0; i < 2; i++)
            texel[k][i] = vec_gather(v->data, column[i] + row);
        low[k] = mix_pair(texel[k][0] & 0xff00ff, texel[k][1] & 0xff00ff, s.weight);
        high[k] = mix_pair(texel[k][0] >> 8 & 0xff00ff, texel[k][1] >> 8 & 0xff00ff, s.weight);
    }
    const f32x32 w1 = vec_float((i32x32)t.weight), w0 = 256.0f - w1;
    const float scale = 1.0f / 255.0f * 0x1p-16f;
    out->word[0] = (u32x32)mix_rows(low[0] & 0xffff, low[1] & 0xffff, w0, w1, scale);
    out->word[1] = (u32x32)mix_rows(high[0] & 0xffff, high[1] & 0xffff, w0, w1, scale);
    out->word[2] = (u32x32)mix_rows(low[0] >> 16, low[1] >> 16, w0, w1, scale);
    out->word[3] = (u32x32)mix_rows(high[0] >> 16, high[1] >> 16, w0, w1, scale);
    out->border = (f32x32){0};
}

static void sample_nearest_bytes(const struct job *j, const struct level_map *m, struct sums *out) {
    struct tap_axis s, t;
    wrap_axis(j->coord[0], m->width, j->normalized, j->wrap[0], 0, false, &s);
    wrap_axis(j->coord[1], m->height, j->normalized, j->wrap[1], 0, false, &t);
    const u32x32 texel = vec_gather(j->view->data, map_column(m, (u32x32)s.i[0] << 2) +
                                                       map_row(m, (u32x32)t.i[0]) + j->layer);
    for (int c = 0; c < 4; c++)
        out->word[c] = vec_normalize((i32x32)(texel >> (8 * c) & 0xff), 255);
    out->border = (f32x32){0};
}

static void sample_level(const struct job *j, int level, bool linear, struct sums *out) {
    const struct level_map m = level_map(j->view, level);
    if (j->simple)
        (linear ? sample_linear_bytes : sample_nearest_bytes)(j, &m, out);
    else
        (linear && !j->integer ? sample_linear : sample_nearest)(j, &m, out);
}

#endif
