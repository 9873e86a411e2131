/* The common request, specialised: four 8-bit UNORM components, two dimensions, no border, no
 * comparison, the same filter whether minified or magnified. In: coordinates and levels. Out: the
 * results. The bits are those of filter.h, whose sums are exact up to one rounding. One source; the
 * usual wrap modes and both filters get their own copy by constant propagation.
 */
#ifndef TEX_KERNEL_H
#define TEX_KERNEL_H

#include "tex/fetch.h"

enum { QUADS = LANES / 4 };

struct kernel {
    const struct tex_view *view;
    const u32x32 *s, *t;
    u32x32 *target[4]; /* of the components in memory order; NULL: nobody looks */
    lane_mask lanes;
    uint8_t wrap_s, wrap_t;
    uint8_t srgb; /* components that hold sRGB codes, in kernels for such views */
    /* Levels relative to the first: what the quads want (8 fractional bits, not negative), and the
     * least and greatest of that. One level does for all where low is high and nothing is between
     * two levels; quad is not filled then. */
    bool between;
    int32_t low, high;
    int32_t quad[QUADS];
};

/* One level, as its kernels want it. */
struct kernel_level {
    const uint8_t *data;
    int32_t width, height;
    bool linear, normalized;
    uint32_t pitch;
    uint32_t tile_shift, h, tiles_x; /* as in struct level_map */
};

LANES_INLINE struct kernel_level kernel_level(const struct tex_view *v, int level) {
    const struct tex_level *l = &v->level[level];
    return (struct kernel_level){.data = v->data + l->offset,
                                 .width = (int32_t)l->width,
                                 .height = (int32_t)l->height,
                                 .linear = v->linear,
                                 .normalized = v->normalized,
                                 .pitch = l->pitch,
                                 .tile_shift = 8u + l->tile_h,
                                 .h = 2u + l->tile_h,
                                 .tiles_x = (l->width + 15) / 16};
}

/* ---- wrap modes: as in coord.h, for positions that cannot meet a border ---- */

/* What all levels have in common. */
LANES_INLINE f32xp part_unit(f32xp u, int wrap) {
    if (wrap == WRAP_REPEAT)
        return part_fraction(u);
    return wrap == WRAP_MIRROR ? part_fraction(part_periodic(u) * 0.5f) : u;
}

/* Positions in units of 1/scale texel: a power of two, so that the bits are those of scaling
 * afterwards. `reach` is how far beyond the edge, in texels, a clamped position is still told
 * apart: two taps of the same texel make a difference in floats, none in integers. */
LANES_INLINE f32xp part_position(f32xp unit, float size, bool normalized, int wrap, float scale,
                                 float reach) {
    if (wrap == WRAP_REPEAT || wrap == WRAP_MIRROR)
        return unit * (size * (wrap == WRAP_MIRROR ? 2.0f * scale : scale));
    f32xp x = unit * (normalized ? size * scale : scale);
    if (wrap == WRAP_MIRROR_EDGE)
        x = (f32xp)((i32xp)x & 0x7fffffff);
    const float low = wrap == WRAP_MIRROR_EDGE ? 0.0f : -reach * scale;
    return part_min(part_max(x, part_splat_f(low)), part_splat_f((size + reach) * scale));
}

/* An index brought into the level; those of REPEAT are -1..size, those of MIRROR -1..2 size. below,
 * above: it may be less than 0, or the size or more. */
LANES_INLINE i32xp part_wrap(i32xp i, int32_t size, int wrap, bool below, bool above) {
    if (wrap == WRAP_REPEAT) {
        if (below)
            i = i + (size & (i >> 31));
        return above ? i & (i != size) : i;
    }
    if (below)
        i = part_max_int(i, (i32xp){0});
    if (wrap == WRAP_MIRROR)
        return part_min_int(i, part_max_int(2 * size - 1 - i, (i32xp){0}));
    return above ? part_min_int(i, part_splat(size - 1)) : i;
}

struct part_axis {
    i32xp i[2];
    u32xp weight; /* of i[1], 0..255 of 256 */
};

enum { SRGB_REACH = 1024 }; /* as in coord.h */

LANES_INLINE void part_axis(f32xp unit, int32_t size, bool normalized, int wrap, bool linear,
                            bool srgb, struct part_axis *a) {
    const f32xp x = part_position(unit, (float)size, normalized, wrap, linear ? 256.0f : 1.0f,
                                  linear && srgb ? SRGB_REACH : 0);
    if (!linear) {
        a->i[0] = part_wrap(part_int(x), size, wrap, false, true);
        return;
    }
    const f32xp rounded = x + 0.5f;
    i32xp fixed = part_int(rounded);
    if (srgb)
        fixed = fixed + (part_float(fixed) > rounded); /* the floor of negative ones */
    fixed = fixed - 128;
    a->weight = (u32xp)(fixed & 255);
    a->i[0] = part_wrap(fixed >> 8, size, wrap, true, srgb);
    a->i[1] = part_wrap((fixed >> 8) + 1, size, wrap, srgb, true);
}

/* ---- texels ---- */

LANES_INLINE u32xp part_column(const struct kernel_level *m, i32xp x) {
    const u32xp u = (u32xp)x;
    if (m->linear)
        return u << 2;
    return ((u >> 4) << m->tile_shift) + ((u & 15) << 2);
}

LANES_INLINE u32xp part_row(const struct kernel_level *m, i32xp y) {
    const u32xp u = (u32xp)y;
    if (m->linear)
        return u * m->pitch;
    return (((u >> m->h) * m->tiles_x) << m->tile_shift) + ((u & ((1u << m->h) - 1)) << 6);
}

LANES_INLINE void part_gather_taps(const struct kernel_level *m, const struct part_axis *s,
                                   const struct part_axis *t, int taps, u32xp texel[2][2]) {
    for (int k = 0; k < taps; k++) {
        const u32xp row = part_row(m, t->i[k]);
        for (int i = 0; i < taps; i++)
            texel[k][i] = part_gather(m->data, part_column(m, s->i[i]) + row);
    }
}

#if PART_LANES == 16
LANES_INLINE uint32_t part_least_pairs(__m512i v) {
    const __m256i a = _mm256_min_epu16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    __m128i b = _mm_min_epu16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_min_epu16(b, _mm_shuffle_epi32(b, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_min_epu16(b, _mm_shuffle_epi32(b, 0xb1)));
}

enum { WINDOW_ROWS = 8 };

/* Where the rows of a part's texels lie, and which of 32 texels of a row each lane wants. */
struct window {
    const struct kernel_level *level;
    const uint8_t *data; /* the left one of two tiles */
    size_t next;         /* from it to the right one */
    __m512i left, right;
};

LANES_INLINE void window_row(const struct window *w, uint32_t y, __m512i *left, __m512i *right) {
    const struct kernel_level *m = w->level;
    const uint8_t *row = w->data + ((size_t)((y >> m->h) * m->tiles_x) << m->tile_shift) +
                         ((y & ((1u << m->h) - 1)) << 6);
    const __m512i a = _mm512_loadu_si512(row), b = _mm512_loadu_si512(row + w->next);
    *left = _mm512_permutex2var_epi32(a, w->left, b);
    *right = _mm512_permutex2var_epi32(a, w->right, b);
}

/* Neighbours in the picture are neighbours in the texture: mostly all taps of a part lie in a few
 * rows of two tiles side by side. A tile's row is one register, and picking from two registers
 * costs a fraction of four gathers. False if the taps lie further apart. */
LANES_INLINE bool part_window_taps(const struct kernel_level *m, const struct part_axis *s,
                                   const struct part_axis *t, u32xp texel[2][2]) {
    const u32xp near = (u32xp)(s->i[0] | t->i[0] << 16);
    const u32xp far = (u32xp)(s->i[1] | t->i[1] << 16);
    const __m512i low = _mm512_min_epu16((__m512i)near, (__m512i)far);
    const __m512i high = _mm512_max_epu16((__m512i)near, (__m512i)far);
    const uint32_t least = part_least_pairs(low), most = ~part_least_pairs(~high);
    const uint32_t column = (least & 0xffff) >> 4, last = (most & 0xffff) >> 4;
    const uint32_t y0 = least >> 16, y1 = most >> 16;
    if (m->linear || last - column > 1 || y1 - y0 >= WINDOW_ROWS)
        return false;
    const i32xp x0 = part_splat((int32_t)(column << 4));
    const struct window w = {.level = m,
                             .data = m->data + ((size_t)column << m->tile_shift),
                             .next = (size_t)(last - column) << m->tile_shift,
                             .left = (__m512i)(s->i[0] - x0),
                             .right = (__m512i)(s->i[1] - x0)};
    const i32xp row[2] = {t->i[0] - part_splat((int32_t)y0), t->i[1] - part_splat((int32_t)y0)};
    __m512i out[2][2], left, right;
    window_row(&w, y0, &left, &right);
    for (int k = 0; k < 2; k++)
        out[k][0] = left, out[k][1] = right;
    /* Four rows nearly always do: no branch for each. */
    for (uint32_t y = 1; y < 4 || y <= y1 - y0; y++) {
        window_row(&w, y0 + y < y1 ? y0 + y : y1, &left, &right);
        for (int k = 0; k < 2; k++) {
            const __mmask16 here =
                _mm512_cmpeq_epi32_mask((__m512i)row[k], _mm512_set1_epi32((int32_t)y));
            out[k][0] = _mm512_mask_mov_epi32(out[k][0], here, left);
            out[k][1] = _mm512_mask_mov_epi32(out[k][1], here, right);
        }
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            texel[k][i] = (u32xp)out[k][i];
    return true;
}
#else
LANES_INLINE bool part_window_taps(const struct kernel_level *m, const struct part_axis *s,
                                   const struct part_axis *t, u32xp texel[2][2]) {
    (void)m, (void)s, (void)t, (void)texel;
    return false;
}
#endif

/* Two components in the 16-bit halves of each lane, mixed with weight w of 256: 8.8 fixed point.
 * wb and wa hold the weight of b and what is left for a, twice in each lane. */
LANES_INLINE u32xp part_mix(u32xp a, u32xp b, u16xp wa, u16xp wb) {
    return (u32xp)((u16xp)a * wa + (u16xp)b * wb);
}

LANES_INLINE void part_filter(const u32xp texel[2][2], u32xp ws, u32xp wt, f32xp out[4]) {
    const u16xp wb = (u16xp)(ws | ws << 16), wa = 256 - wb;
    u32xp low[2], high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = part_mix(texel[k][0] & 0xff00ff, texel[k][1] & 0xff00ff, wa, wb);
        high[k] = part_mix(texel[k][0] >> 8 & 0xff00ff, texel[k][1] >> 8 & 0xff00ff, wa, wb);
    }
    /* Not as an integer made a float, or compilers multiply integers, which takes longer. */
    const f32xp w0 = 256.0f - part_float((i32xp)wt), w1 = 256.0f - w0;
    for (int c = 0; c < 4; c++) {
        const u32xp *v = c & 1 ? high : low;
        const f32xp top = part_float((i32xp)(c & 2 ? v[0] >> 16 : v[0] & 0xffff));
        const f32xp bottom = part_float((i32xp)(c & 2 ? v[1] >> 16 : v[1] & 0xffff));
        out[c] = part_fma_exact(top, w0, bottom * w1) * (1.0f / 255.0f * 0x1p-16f);
    }
}

/* ---- sRGB: codes are decoded before they are weighted, in floats as in filter.h ---- */

LANES_INLINE f32xp part_srgb(u32xp code) {
#if PART_LANES == 16
    /* A binary tree over the table's 16 registers: half the time of a gather. */
    __m512 r[8];
    for (int i = 0; i < 8; i++)
        r[i] = _mm512_permutex2var_ps(_mm512_loadu_ps(&srgb8_linear[32 * i]), (__m512i)code,
                                      _mm512_loadu_ps(&srgb8_linear[32 * i + 16]));
    for (int bit = 5, n = 4; n; bit++, n /= 2) {
        const __mmask16 upper = _mm512_test_epi32_mask((__m512i)code, _mm512_set1_epi32(1 << bit));
        for (int i = 0; i < n; i++)
            r[i] = _mm512_mask_mov_ps(r[2 * i], upper, r[2 * i + 1]);
    }
    return (f32xp)r[0];
#else
    return (f32xp)part_gather((const uint8_t *)srgb8_linear, code << 2);
#endif
}

LANES_INLINE f32xp part_component(const struct kernel *k, u32xp texel, int c) {
    const u32xp code = texel >> 8 * c & 0xff;
    if (!k->view->bits[c])
        return (f32xp){0};
    return k->srgb >> c & 1 ? part_srgb(code) : part_float((i32xp)code) * (1.0f / 255.0f);
}

LANES_INLINE void part_filter_srgb(const struct kernel *k, const u32xp texel[2][2], u32xp ws,
                                   u32xp wt, f32xp out[4]) {
    const f32xp s = part_float((i32xp)ws) * 0x1p-8f, t = part_float((i32xp)wt) * 0x1p-8f;
    const f32xp weight[2][2] = {{(1.0f - s) * (1.0f - t), s * (1.0f - t)}, {(1.0f - s) * t, s * t}};
    for (int c = 0; c < 4; c++) {
        if (!k->target[c])
            continue;
        f32xp sum = weight[0][0] * part_component(k, texel[0][0], c);
        sum = sum + weight[0][1] * part_component(k, texel[0][1], c);
        sum = sum + weight[1][0] * part_component(k, texel[1][0], c);
        out[c] = sum + weight[1][1] * part_component(k, texel[1][1], c);
    }
}

LANES_INLINE void part_sample(const struct kernel *k, const struct kernel_level *m, f32xp u,
                              f32xp v, int wrap_s, int wrap_t, bool linear, bool srgb,
                              f32xp out[4]) {
    struct part_axis s, t;
    u32xp texel[2][2];
    part_axis(u, m->width, m->normalized, wrap_s, linear, srgb, &s);
    part_axis(v, m->height, m->normalized, wrap_t, linear, srgb, &t);
    if (!linear || !part_window_taps(m, &s, &t, texel))
        part_gather_taps(m, &s, &t, linear ? 2 : 1, texel);
    for (int c = 0; c < 4 && srgb; c++)
        out[c] = linear ? (f32xp){0} : part_component(k, texel[0][0], c);
    if (linear && srgb)
        part_filter_srgb(k, (const u32xp(*)[2])texel, s.weight, t.weight, out);
    else if (linear)
        part_filter((const u32xp(*)[2])texel, s.weight, t.weight, out);
    for (int c = 0; c < 4 && !linear && !srgb; c++)
        out[c] = part_float((i32xp)(texel[0][0] >> 8 * c & 0xff)) * (1.0f / 255.0f);
}

/* ---- levels ---- */

/* Each level that a lane of the part may want, once; weights are multiples of 1/256. */
LANES_INLINE void part_levels(const struct kernel *k, int part, f32xp u, f32xp v, int wrap_s,
                              int wrap_t, bool linear, bool srgb, f32xp out[4]) {
    const i32xp fixed = part_quads(k->quad, part), level = fixed >> 8, above = fixed & 255;
    const int first = k->view->first_level, last = k->view->last_level - first;
    const int end = k->high + k->between < last ? k->high + k->between : last;
    for (int c = 0; c < 4; c++)
        out[c] = (f32xp){0};
    for (int l = k->low; l <= end; l++) {
        const i32xp weight = ((256 - above) & (level == l)) + (above & (level == l - 1));
        const f32xp w = part_float(weight) * 0x1p-8f;
        const struct kernel_level m = kernel_level(k->view, first + l);
        f32xp s[4];
        part_sample(k, &m, u, v, wrap_s, wrap_t, linear, srgb, s);
        for (int c = 0; c < 4; c++)
            out[c] = out[c] + w * s[c];
    }
}

LANES_INLINE void kernel_body(const struct kernel *k, int wrap_s, int wrap_t, bool linear,
                              bool srgb) {
    const struct kernel_level m = kernel_level(k->view, k->view->first_level + k->low);
    const bool one_level = k->low == k->high && !k->between;
    for (int part = 0; part < PARTS; part++) {
        if (!part_mask(k->lanes, part))
            continue;
        const f32xp u = part_unit(part_load(k->s, part), wrap_s);
        const f32xp v = part_unit(part_load(k->t, part), wrap_t);
        f32xp out[4];
        if (one_level)
            part_sample(k, &m, u, v, wrap_s, wrap_t, linear, srgb, out);
        else
            part_levels(k, part, u, v, wrap_s, wrap_t, linear, srgb, out);
        for (int c = 0; c < 4; c++)
            if (k->target[c])
                part_store(k->target[c], part, out[c]);
    }
}

typedef void kernel_fn(const struct kernel *);

static void kernel_linear_repeat(const struct kernel *k) {
    kernel_body(k, WRAP_REPEAT, WRAP_REPEAT, true, false);
}
static void kernel_linear_edge(const struct kernel *k) {
    kernel_body(k, WRAP_EDGE, WRAP_EDGE, true, false);
}
static void kernel_linear_any(const struct kernel *k) {
    kernel_body(k, k->wrap_s, k->wrap_t, true, false);
}
static void kernel_nearest_repeat(const struct kernel *k) {
    kernel_body(k, WRAP_REPEAT, WRAP_REPEAT, false, false);
}
static void kernel_nearest_edge(const struct kernel *k) {
    kernel_body(k, WRAP_EDGE, WRAP_EDGE, false, false);
}
static void kernel_nearest_any(const struct kernel *k) {
    kernel_body(k, k->wrap_s, k->wrap_t, false, false);
}

static void kernel_linear_srgb(const struct kernel *k) {
    kernel_body(k, k->wrap_s, k->wrap_t, true, true);
}
static void kernel_nearest_srgb(const struct kernel *k) {
    kernel_body(k, k->wrap_s, k->wrap_t, false, true);
}

/* ---- levels of a request ---- */

#define QUAD_PICK(v, k)                                                                            \
    __builtin_shufflevector(v, v, (k), (k) + 4, (k) + 8, (k) + 12, (k) + 16, (k) + 20, (k) + 24,   \
                            (k) + 28)
typedef float f32x8 __attribute__((vector_size(32)));
enum { QUAD_PARTS = PART_LANES < QUADS ? QUADS / PART_LANES : 1 };

/* One coordinate's share in the squares of the quads' steps: lod_from_steps, a quad a lane. */
LANES_INLINE void quads_add(const u32x32 *coord, float scale, f32x8 *x2, f32x8 *y2) {
    const f32x32 c = *(const f32x32 *)coord;
    const f32x8 base = QUAD_PICK(c, 0);
    const f32x8 x = (QUAD_PICK(c, 1) - base) * scale, y = (QUAD_PICK(c, 2) - base) * scale;
    *x2 = *x2 + x * x;
    *y2 = *y2 + y * y;
}

/* The level to show, 8 fractional bits, from its value before bias and clamps (at most 64). Levels
 * below 0 are 0, so they need no floor. */
LANES_INLINE i32xp part_shown(const struct tex_view *v, const struct tex_sampler *s, f32xp lod) {
    const float low = s->min_lod > -64.0f ? s->min_lod : -64.0f;
    const float high = s->max_lod < 64.0f ? s->max_lod : 64.0f;
    lod = part_min(part_max(lod + s->lod_bias, part_splat_f(low)), part_splat_f(high));
    const i32xp fixed = part_int(lod * 256.0f + 0.5f);
    const i32xp most = part_splat((v->last_level - v->first_level) << 8), zero = {0};
    const i32xp level = s->mip == 3 ? fixed : (fixed + 127) & ~255;
    return part_min_int(part_max_int(level, zero), most);
}

/* Quads with a lane in the mask. */
LANES_INLINE uint32_t used_quads(lane_mask lanes) {
    uint32_t used = 0;
    if (lanes == LANES_ALL)
        return 0xff;
    for (int q = 0; q < QUADS; q++)
        used |= (lanes >> 4 * q & 15 ? 1u : 0u) << q;
    return used;
}

/* LOD from quads; one lane of a part for each. */
static void kernel_quad_levels(const struct tex_view *v, const struct tex_sampler *s,
                               struct kernel *k) {
    const struct tex_level *l = &v->level[v->first_level];
    union {
        f32x8 v;
        f32xp part[QUAD_PARTS];
    } x2 = {.part = {{0}}}, y2 = {.part = {{0}}};
    quads_add(k->s, v->normalized ? (float)l->width : 1.0f, &x2.v, &y2.v);
    quads_add(k->t, v->normalized ? (float)l->height : 1.0f, &x2.v, &y2.v);
    const uint32_t used = used_quads(k->lanes);
    uint32_t other = 0, between = 0;
    int32_t some = 0;
    for (int i = 0; i < QUAD_PARTS; i++) {
        const i32xp wide = x2.part[i] > y2.part[i];
        const f32xp longest = (f32xp)(((i32xp)x2.part[i] & wide) | ((i32xp)y2.part[i] & ~wide));
        const f32xp square =
            part_min(part_max(longest, part_splat_f(0x1p-120f)), part_splat_f(0x1p120f));
        const i32xp shown = part_shown(v, s, part_log2(square) * 0.5f);
        memcpy(&k->quad[i * PART_LANES], &shown, sizeof k->quad / QUAD_PARTS);
        some = i ? some : k->quad[__builtin_ctz(used) & (PART_LANES - 1)] >> 8;
        other |= part_bits((shown >> 8) != some) << i * PART_LANES;
        between |= part_bits((shown & 255) != 0) << i * PART_LANES;
    }
    k->low = k->high = some;
    k->between = between & used;
    for (uint32_t left = other & used ? used : 0; left; left &= left - 1) {
        const int32_t level = k->quad[__builtin_ctz(left)] >> 8;
        k->low = left == used || level < k->low ? level : k->low;
        k->high = left == used || level > k->high ? level : k->high;
    }
}

/* LOD as the request gives it, or one for all where there are no derivatives. False if the lanes
 * disagree. */
static bool kernel_given_level(const struct tex_view *v, const struct tex_sampler *s,
                               const u32x32 *given, float otherwise, struct kernel *k) {
    int32_t shown[LANES];
    uint32_t other = 0;
    for (int part = 0; part < PARTS; part++) {
        const f32xp lod = given ? part_load(given, part) : part_splat_f(otherwise);
        const f32xp within = part_min(part_max(lod, part_splat_f(-64.0f)), part_splat_f(64.0f));
        const i32xp level = part_shown(v, s, within);
        memcpy(shown + part * PART_LANES, &level, sizeof level);
    }
    const int32_t one = shown[__builtin_ctz(k->lanes)];
    for (int part = 0; part < PARTS; part++) {
        i32xp level;
        memcpy(&level, shown + part * PART_LANES, sizeof level);
        other |= part_bits(level != one) & part_mask(k->lanes, part);
    }
    for (int q = 0; q < QUADS; q++)
        k->quad[q] = one;
    k->low = k->high = one >> 8;
    k->between = one & 255;
    return !other;
}

#endif
