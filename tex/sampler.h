/* The sampler: a texture instruction from coordinates to results, a part of the warp at a time. In: a
 * request, a key. Out: result registers. This is the only way texels are filtered; kernels are
 * instances of it with some of the key constant. A level's footprint is the back's: the functions that
 * the binding names (tex/backs_simd.c), or the kernel's own.
 */
#ifndef TEX_SAMPLER_H
#define TEX_SAMPLER_H

#include "tex/filter.h"
#include "tex/lod.h"
#include "tex/pack.h"

/* What one part of a warp works on. */
struct work {
    const struct request *request;
    struct footprint *footprint; /* all that a back sees */
    struct position at;
    struct plane plane; /* of the first level */
    int part;
    uint32_t mask;
    bool twice; /* the upper half of the part has the lanes of the lower, for the next level */
    const struct tex_back *back;
    bool across; /* the footprint leaves its face */
};

LANES_INLINE int work_offset(struct key k, const struct work *w, int axis) {
    return KEY(k, offsets) ? w->request->call->offset[axis] : 0;
}

/* ---- one level ---- */

/* Indices of taps on a cube's face, which may be off it by one texel. Lanes of the mask. */
LANES_INLINE bool seamless_axes(struct key k, struct work *w) {
    struct axis *axis = w->footprint->axis;
    const i32xp size = plane_size(k, &w->footprint->plane, 0);
    const f32xp extent = plane_extent(k, &w->footprint->plane, 0);
    i32xp off = {0}; /* negative where a tap is off */
    UNROLL
    for (int i = 0; i < 2; i++) {
        const f32xp x = part_clamp(w->at.coord[i], 0.0f, 1.0f) * extent;
        const i32xp fixed = part_floor(x * 256.0f + 0.5f) - 128;
        axis[i].weight = fixed & 255;
        axis[i].i[0] = fixed >> 8;
        axis[i].i[1] = axis[i].i[0] + 1;
        axis[i].inside[0] = axis[i].inside[1] = part_splat(-1);
        off = off | axis[i].i[0] | (axis[i].i[1] >= size);
    }
    if (part_bits(off) & w->footprint->mask)
        return true;
    UNROLL
    for (int i = 0; i < 2; i++) { /* lanes that nobody looks at must not read outside either */
        axis[i].i[0] = part_max_int(axis[i].i[0], (i32xp){0});
        axis[i].i[1] = part_min_int(axis[i].i[1], size - 1);
    }
    return false;
}

/* Indices and weights of a footprint. True if some lane's leaves a cube's face. */
LANES_INLINE bool footprint_axes(struct key k, struct work *w, bool linear) {
    const struct plane *p = &w->footprint->plane;
    struct axis *axis = w->footprint->axis;
    if (linear && KEY(k, seamless))
        return seamless_axes(k, w);
    UNROLL
    for (int i = 0; i < KEY(k, axes); i++)
        wrap_axis(k, w->at.coord[i], plane_size(k, p, i), plane_extent(k, p, i),
                  linear ? plane_fixed_extent(k, p, i) : plane_extent(k, p, i), i,
                  work_offset(k, w, i), linear, &axis[i]);
    if (KEY(k, axes) < 2)
        axis[1].i[0] = axis[1].i[1] = (i32xp){0};
    return false;
}

/* The footprint in a level; then its texels. */
LANES_INLINE void level_enter(struct key k, struct work *w, int level, bool linear) {
    plane_enter(k, w->request->bound->view, level, &w->plane, &w->footprint->plane);
    w->across = footprint_axes(k, w, linear);
}

LANES_INLINE void level_texels(struct key k, const struct work *w, bool linear, struct sums *out) {
    if (!linear)
        w->back->nearest(w->footprint, out);
    else if (KEY(k, seamless) && w->across)
        w->back->across(w->footprint, out);
    else
        w->back->linear(w->footprint, out);
}

LANES_INLINE void sample_level(struct key k, struct work *w, int level, bool linear,
                               struct sums *out) {
    level_enter(k, w, level, linear);
    level_texels(k, w, linear, out);
}

/* ---- levels ---- */

LANES_INLINE void sums_pick(i32xp cond, const struct sums *a, struct sums *to) {
    UNROLL
    for (int c = 0; c < 4; c++)
        to->word[c] = part_pick(cond, a->word[c], to->word[c]);
    to->border = part_pick_f(cond, a->border, to->border);
}

LANES_INLINE void sums_add(struct key k, f32xp weight, const struct sums *a, struct sums *to) {
    const i32xp counts = weight != 0.0f;
    UNROLL
    for (int c = 0; c < 4; c++) {
        const f32xp sum = (f32xp)to->word[c] + weight * (f32xp)a->word[c];
        if (KEY(k, sum) == TEX_SUM_BYTES) /* no weight adds nothing to finite numbers */
            to->word[c] = (u32xp)sum;
        else
            to->word[c] = part_pick(counts, (u32xp)part_one_nan(sum), to->word[c]);
    }
    to->border = to->border + weight * a->border;
}

/* Are sums finite? Weights of what passes a comparison are, whatever is compared. */
LANES_INLINE bool sums_are_finite(struct key k) {
    return KEY(k, sum) == TEX_SUM_BYTES || KEY(k, sum) == TEX_SUM_COMPARE ||
           (!filter_has_specials(KEY(k, decode)) && KEY(k, decode) != TEX_DECODE_MIXED);
}

/* Two levels, both linear, the second one with this weight and the rest for the first, as sums_add makes
 * it of them; into the second. */
LANES_INLINE void sums_mix(struct key k, f32xp weight, const struct sums *first, struct sums *to) {
    const struct sums second = *to;
    const f32xp rest = 1.0f - weight;
    to->border = rest * first->border + weight * second.border;
    if (sums_are_finite(k)) {
        /* What is not negative has no negative zero. */
        const bool no_sign =
            KEY(k, sum) == TEX_SUM_BYTES ||
            (KEY(k, sum) == TEX_SUM_FLOATS && KEY_FIXED(k, decode) && filter_has_no_sign(KEY(k, decode)));
        UNROLL
        for (int c = 0; c < 4; c++) {
            const f32xp own = rest * (f32xp)first->word[c];
            to->word[c] = (u32xp)((no_sign ? own : 0.0f + own) + weight * (f32xp)second.word[c]);
        }
        return;
    }
    const i32xp counts = weight != 0.0f;
    UNROLL
    for (int c = 0; c < 4; c++) {
        const f32xp own = 0.0f + rest * (f32xp)first->word[c];
        const f32xp both = own + weight * (f32xp)second.word[c];
        to->word[c] = (u32xp)part_one_nan(part_pick_f(counts, both, own));
    }
}

/* One level alone, as if levels had been added: a NaN is the units' own, no zero is negative. What
 * linear filters give is so already. */
LANES_INLINE void sums_as_added(struct sums *s) {
    UNROLL
    for (int c = 0; c < 4; c++)
        s->word[c] = (u32xp)part_one_nan((f32xp)s->word[c] + 0.0f);
}

/* The levels that lanes want: level and the weight of the next one, of 256. */
struct levels {
    i32xp level, above; /* level: where lanes are not alike */
    int low, high;  /* of the lanes that are minified */
    uint32_t far;   /* lanes that are minified, where the filter depends on it; else all */
    bool alike;     /* all lanes show the same level, by the same filter, and: */
    bool between;   /* some lane something of the next one */
};

LANES_INLINE void levels_range(struct levels *v, uint32_t mask) {
    int32_t level[PART_LANES];
    memcpy(level, &v->level, sizeof level);
    v->low = v->high = level[__builtin_ctz(mask)];
    if (!(part_bits(v->level != v->low) & mask))
        return; /* by far the most common */
    for (uint32_t left = mask; left; left &= left - 1) {
        const int32_t l = level[__builtin_ctz(left)];
        v->low = l < v->low ? l : v->low;
        v->high = l > v->high ? l : v->high;
    }
}

LANES_INLINE void levels_find(struct key k, const struct work *w, const struct lod *of,
                              struct levels *v) {
    const struct tex_view *view = w->request->bound->view;
    const int32_t most = view->last_level - view->first_level;
    const i32xp lod = (i32xp)part_load((const u32x32 *)&of->fixed, w->part);
    v->far = w->mask;
    v->above = KEY(k, mip) == 3 ? lod & 255 : (i32xp){0};
    if (LOD_AGREES && of->alike) {
        v->low = v->high = of->level;
        v->alike = true;
        v->between = KEY(k, mip) == 3 && (part_bits(v->above != 0) & w->mask);
        return;
    }
    if (KEY(k, mag_linear) != KEY(k, min_linear))
        v->far &= part_bits(lod > 0);
    v->level = lod_level(k, lod);
    v->low = v->high = 0;
    if (v->far)
        levels_range(v, v->far);
    v->alike = v->low == v->high && (v->far == w->mask || !v->far);
    v->between = KEY(k, mip) == 3 && (part_bits(v->above != 0) & v->far);
    if (v->between && v->high < most)
        v->high++;
}

/* The same level, but where a processor foresees which it is, nothing waits for the LOD. */
LANES_INLINE int level_foreseen(int level) {
    for (int guess = 0;; guess++) {
        int other = guess ^ level;
        __asm__("" : "+r"(guess), "+r"(other)); /* or compilers know that they are the same */
        if (!other)
            return guess;
    }
}

/* The level of all lanes, or the two around their LODs, weighted. */
LANES_INLINE void sample_alike(struct key k, struct work *w, int level, bool linear, i32xp above,
                               bool between, struct sums *out) {
    const int from = w->request->bound->view->first_level + level_foreseen(level);
    struct sums first;
    ROLL
    for (int i = 0;; i++) {
        sample_level(k, w, from + i, linear, out);
        if (i || !between)
            break;
        first = *out;
    }
    if (between)
        sums_mix(k, part_float(above) * 0x1p-8f, &first, out);
    else if (KEY(k, mip) == 3 && !linear)
        sums_as_added(out);
}

/* Each level that a lane wants, once, and before them the first level for lanes that are magnified,
 * where these have another filter. Weights are multiples of 1/256. */
LANES_INLINE void sample_levels(struct key k, struct work *w, const struct levels *v, struct sums *out) {
    const int first = w->request->bound->view->first_level;
    const bool near = v->far != w->mask;
    int level = near ? 0 : v->low;
    bool linear = near ? KEY(k, mag_linear) : KEY(k, min_linear), magnified = near;
    if (v->alike) {
        sample_alike(k, w, level, linear, v->above, v->between, out);
        return;
    }
    const i32xp is_far = part_from_mask(v->far);
    *out = (struct sums){0};
    for (;;) {
        struct sums s;
        sample_level(k, w, first + level, linear, &s);
        if (magnified) {
            sums_pick(~is_far, &s, out);
        } else if (KEY(k, mip) == 3) {
            const i32xp here = v->level == level, above = v->level == level - 1;
            const i32xp weight = ((256 - v->above) & here) + (v->above & above);
            sums_add(k, part_float(weight & is_far) * 0x1p-8f, &s, out);
        } else {
            sums_pick((v->level == level) & is_far, &s, out);
        }
        if (magnified ? !v->far : level == v->high)
            return;
        level = magnified ? v->low : level + 1;
        linear = KEY(k, min_linear);
        magnified = false;
    }
}

/* ---- lanes in levels of their own ---- */

/* May lanes be sampled in levels of their own, two each if these are mixed, whichever these are? Worth
 * it where fields of levels are looked up by one permutation. */
LANES_INLINE bool levels_apart(struct key k) {
#if PART_LANES == 16
    return KEY_FIXED(k, fetch) && KEY_FIXED(k, axes) && KEY(k, axes) == 2 && KEY_FIXED(k, aniso) &&
           !KEY(k, aniso) && KEY_FIXED(k, min_linear) && KEY(k, min_linear) &&
           KEY_FIXED(k, mag_linear) && KEY(k, mag_linear);
#else
    (void)k;
    return false;
#endif
}

#if PART_LANES == 16
/* The plane of each lane's level, which is relative to the view's first. */
LANES_INLINE void plane_enter_each(const struct tex_view *v, i32xp level, const struct plane *of,
                                   struct plane *plane) {
    const __m512i index = (__m512i)(level + v->first_level);
    UNROLL
    for (int i = 0; i < TEX_LEVEL_ROWS; i++)
        plane->row[i] =
            (u32xp)_mm512_permutexvar_epi32(index, _mm512_loadu_si512(v->level_row[i]));
    plane->level = &v->level[v->first_level];
    plane->base = of->base;
    plane->layer = plane->row[LEVEL_OFFSET];
    if (of->scattered)
        plane->layer = plane->layer + of->layer;
    plane->scattered = true;
}

/* Each lane's level, or the two around its LOD, weighted: one after the other, or both at once. */
LANES_INLINE void sample_each(struct key k, struct work *w, i32xp within, bool between,
                              struct sums *out) {
    const struct tex_view *view = w->request->bound->view;
    const i32xp above = within & 255;
    const i32xp next = (within >> 8) - (above != 0); /* a true comparison is -1 */
    i32xp level = within >> 8;
    struct sums first;
    k.each = true;
    if (w->twice)
        level = part_pick_int(part_from_mask(0xff00), next, level);
    ROLL
    for (int i = 0;; i++) {
        plane_enter_each(view, level, &w->plane, &w->footprint->plane);
        if (footprint_axes(k, w, true))
            w->back->across_each(w->footprint, out);
        else
            w->back->linear_each(w->footprint, out);
        if (i || !between)
            break;
        level = next;
        first = *out;
        if (w->twice)
            break;
    }
    if (!between)
        return;
    UNROLL
    for (int c = 0; c < 4 && w->twice; c++)
        out->word[c] =
            (u32xp)_mm512_shuffle_i64x2((__m512i)out->word[c], (__m512i)out->word[c], 0xee);
    if (KEY(k, border) && w->twice)
        out->border = _mm512_shuffle_f32x4(out->border, out->border, 0xee);
    sums_mix(k, part_float(above) * 0x1p-8f, &first, out);
}

LANES_INLINE void sample_apart(struct key k, struct work *w, const struct lod *lod,
                               struct sums *out) {
    i32xp within = {0};
    int32_t one = 0;
    bool between = false, alike = true;
    if (KEY(k, lod) && !lod->near) {
        int32_t level[PART_LANES];
        const i32xp fixed = (i32xp)part_load((const u32x32 *)&lod->fixed, w->part);
        within = KEY(k, mip) == 3   ? fixed
                 : KEY(k, mip) == 2 ? (fixed + 127) & ~255
                                    : (i32xp){0};
        between = KEY(k, mip) == 3 && (part_bits((within & 255) != 0) & w->mask);
        memcpy(level, &within, sizeof level);
        one = level[__builtin_ctz(w->mask)] >> 8;
        alike = !(part_bits((within >> 8) != one) & w->mask) && !w->twice;
    }
    if (alike)
        sample_alike(k, w, one, true, within & 255, between, out);
    else
        sample_each(k, w, within, between, out);
}
#else
LANES_INLINE void sample_apart(struct key k, struct work *w, const struct lod *lod,
                               struct sums *out) {
    (void)k, (void)w, (void)lod, (void)out;
}
#endif

/* ---- probes ---- */

/* The mean of probes along the longer side of the footprint, as EXT_texture_filter_anisotropic has it:
 * probe i of n lies i / (n + 1) of the way; or evenly spread. Where n is 1 nothing is averaged. */
LANES_INLINE void sample_probes(struct key k, struct work *w, const struct lod *lod,
                                const struct levels *levels, struct sums *out) {
    if (!KEY(k, aniso) || !lod_is_anisotropic(w->request, k)) {
        sample_levels(k, w, levels, out);
        return;
    }
    const i32xp probes = (i32xp)part_load((const u32x32 *)&lod->probes, w->part);
    const bool single = !(part_bits(probes > 1) & w->mask);
    const f32xp n = part_float(probes);
    const bool even = w->request->bound->view->even_spread;
    const struct position centre = w->at;
    struct sums total = {{{0}}, {0}};
    for (int i = 1;; i++) {
        const i32xp here = probes >= i, moved = 2 * i != probes + 1;
        const f32xp part = even ? ((float)i - 0.5f) / n : (float)i / (n + 1.0f);
        UNROLL
        for (int a = 0; a < KEY(k, axes) && !single; a++) {
            const f32xp step = part_load((const u32x32 *)&lod->step[a], w->part);
            w->at.coord[a] = part_pick_f(moved, centre.coord[a] + step * (part - 0.5f),
                                         centre.coord[a]);
        }
        struct sums s;
        sample_levels(k, w, levels, &s);
        if (i == 1)
            *out = s;
        if (single)
            return;
        UNROLL
        for (int c = 0; c < 4; c++)
            s.word[c] = (u32xp)((f32xp)total.word[c] + (f32xp)s.word[c]);
        s.border = total.border + s.border;
        sums_pick(here, &s, &total);
        if (!(part_bits(probes > i) & w->mask))
            break;
    }
    UNROLL
    for (int c = 0; c < 4; c++)
        total.word[c] = (u32xp)part_one_nan((f32xp)total.word[c] / n);
    total.border = total.border / n;
    sums_pick(probes > 1, &total, out);
}

/* ---- results ---- */

/* Result i of the swizzle. The border colour replaces results, not components: constants included. */
LANES_INLINE u32xp swizzled(struct key k, const struct tex_bound *b, const struct sums *s, int i) {
    const bool constant = b->constant >> i & 1;
    u32xp r = constant ? b->constants[i] - (u32xp){0} : s->word[(b->swizzle[i] - 2) & 3];
    if (!KEY(k, border) || KEY(k, sum) == TEX_SUM_COMPARE)
        return r;
    if (KEY(k, sum) == TEX_SUM_NONE)
        return part_pick(s->border != 0.0f, b->sampler->border_bits[i] - (u32xp){0}, r);
    if (constant)
        r = (u32xp)((f32xp)r * (1.0f - s->border));
    return (u32xp)((f32xp)r + s->border * b->sampler->border[i]);
}

/* Results through the swizzle, closed up: a function of its own, as it is needed rarely. */
static __attribute__((noinline)) void write_swizzled(const struct tex_key *key,
                                                     const struct tex_bound *b, int result_mask,
                                                     const struct sums *s, int part, uint32_t mask,
                                                     u32x32 *row) {
    const struct key k = {&key_any, key, false, 0};
    for (int i = 0; i < 4; i++)
        if (result_mask >> i & 1)
            part_store_lanes(row++, part, swizzled(k, b, s, i), mask);
}

LANES_INLINE u32x32 *result_row(u32x32 *first, int place) {
    return (u32x32 *)((char *)first + place);
}

/* One component, as luminance has it: depth, for example. */
LANES_INLINE void write_single(const struct work *w, int mask, const struct sums *s) {
    const struct tex_bound *b = w->request->bound;
    const int c = __builtin_ctz((unsigned)b->components[mask]);
    u32xp v = s->word[0];
    UNROLL
    for (int i = 1; i < 4; i++)
        if (c == i)
            v = s->word[i];
    for (int left = mask & ~b->constant; left; left &= left - 1)
        part_store_lanes(request_row(w->request, __builtin_ctz((unsigned)left)), w->part, v, w->mask);
}

/* Results, closed up. */
LANES_INLINE void write_part(struct key k, const struct work *w, const struct sums *s) {
    const struct tex_bound *b = w->request->bound;
    const int mask = w->request->call->result_mask & 15;
    const int16_t *to = b->place[mask];
    u32x32 *row = w->request->reg;
    if (KEY(k, border) || !((b->direct | b->single) >> mask & 1)) {
        const struct sums kept = *s; /* in memory here only */
        write_swizzled(k.rest, b, mask, &kept, w->part, w->mask, row);
        return;
    }
    if (!(b->direct >> mask & 1)) {
        write_single(w, mask, s);
    } else if (w->mask == (1u << PART_LANES) - 1) {
        const bool four = b->four >> mask & 1;
        UNROLL
        for (int c = 0; c < 4; c++) /* from registers, whatever the swizzle */
            if (four || to[c] >= 0)
                part_store(result_row(row, to[c]), w->part, (f32xp)s->word[c]);
        if (four)
            return;
    } else {
        UNROLL
        for (int c = 0; c < 4; c++)
            if (to[c] >= 0)
                part_store_lanes(result_row(row, to[c]), w->part, s->word[c], w->mask);
    }
    for (int left = b->constant & mask; left; left &= left - 1) {
        const int i = __builtin_ctz((unsigned)left);
        part_store_lanes(request_row(w->request, i), w->part, b->constants[i] - (u32xp){0}, w->mask);
    }
}

/* ---- the whole ---- */

LANES_INLINE void work_begin(struct work *w, const struct request *q, struct key k,
                             const struct position at[PARTS], int part, uint32_t mask,
                             bool twice) {
    struct footprint *f = w->footprint;
    w->request = q;
    w->twice = twice;
    w->part = part;
    w->mask = mask;
    f->mask = twice ? mask | mask << PART_LANES / 2 : mask;
    if (KEY(k, cube))
        w->at = at[part];
    else
        position_load(q, k, part, &w->at);
    plane_find(q, k, part, &w->at, mask, &w->plane);
    f->bound = q->bound;
    f->key = k.rest;
    f->components = q->components;
    if (KEY(k, seamless)) {
        f->face = w->at.face;
        f->face_0 = plane_layers(q, k, part, w->at.face) - (u32xp)w->at.face;
    }
    if (KEY(k, sum) == TEX_SUM_COMPARE) {
        const struct tex_view *v = q->bound->view;
        const bool fixed = v->component_type[v->depth_component] == COMPONENT_UNORM;
        const f32xp r = part_load(q->reference, part);
        f->reference = fixed ? part_clamp(r, 0.0f, 1.0f) : r;
    }
}

LANES_INLINE void sample_part(struct key k, struct work *w, const struct lod *lod,
                              struct sums *out) {
    struct levels levels = {.far = w->mask, .alike = true};
    if (levels_apart(k)) {
        sample_apart(k, w, lod, out);
        return;
    }
    if (KEY(k, lod) && lod->near)
        levels.far = KEY(k, mag_linear) == KEY(k, min_linear) ? w->mask : 0;
    else if (KEY(k, lod))
        levels_find(k, w, lod, &levels);
    sample_probes(k, w, lod, &levels, out);
}

/* ---- parts side by side ---- */

/* Is nothing filtered? */
LANES_INLINE bool is_nearest(struct key k) {
    return !KEY(k, min_linear) && !KEY(k, mag_linear);
}

/* May two parts be sampled together: both footprints, then all their texels? While a processor waits for
 * the texels of one part it works on the next one, but does not see far. Where there is no LOD to find:
 * for what does not filter, and for kernels in one piece that do; eight lanes over two axes are too short
 * for these. */
LANES_INLINE bool parts_together(struct key k) {
    if (is_nearest(k))
        return !KEY(k, lod);
    return (PARTS == 2 || (PARTS == 4 && KEY(k, axes) == 3)) && KEY_FIXED(k, fetch) &&
           KEY_FIXED(k, min_linear) && KEY(k, min_linear) &&
           (KEY(k, axes) == 3 || KEY_FIXED(k, lod)) && !KEY(k, lod);
}

LANES_INLINE void part_enter(struct key k, struct work *w, const struct request *q,
                             const struct position at[PARTS], int part) {
    work_begin(w, q, k, at, part, part_mask(q->lanes, part), false);
    level_enter(k, w, q->bound->view->first_level, !is_nearest(k));
}

LANES_INLINE void part_finish(struct key k, const struct work *w) {
    struct sums s;
    level_texels(k, w, true, &s);
    write_part(k, w, &s);
}

/* Both parts' texels before any is filtered: sums of floats are so long that nothing else would be seen
 * beyond them. False if some footprint has fewer taps than its filter. */
LANES_INLINE bool texels_together(struct key k, const struct work w[2]) {
    const int all = 1 << KEY(k, axes);
    struct texel t[2][8];
    struct sums s;
    UNROLL
    for (int i = 0; i < 2; i++)
        if (footprint_taps(k, w[i].footprint) != all)
            return false;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const struct footprint *f = w[i].footprint;
        fetch_taps(k, &(struct taps){f->bound->view, f->axis, all}, &f->plane, t[i]);
    }
    UNROLL
    for (int i = 0; i < 2; i++) {
        const struct footprint *f = w[i].footprint;
        filter_linear(k, f, f->axis, t[i], all, &s);
        write_part(k, &w[i], &s);
    }
    return true;
}

LANES_INLINE void sample_together(struct key k, const struct tex_back *back,
                                  const struct request *q, const struct position at[PARTS],
                                  int part) {
    struct footprint f[2];
    struct work w[2];
    UNROLL
    for (int i = 0; i < 2; i++) {
        w[i].footprint = &f[i];
        w[i].back = back;
        part_enter(k, &w[i], q, at, part + i);
    }
    if (is_nearest(k)) {
        struct sums s[2];
        back->nearest_two(f, s);
        UNROLL
        for (int i = 0; i < 2; i++)
            write_part(k, &w[i], &s[i]);
        return;
    }
    if (KEY(k, sum) == TEX_SUM_FLOATS && !KEY(k, seamless) &&
        KEY(k, axes) < 3 && /* registers are too few for volumes' */
        texels_together(k, w))
        return;
    UNROLL
    for (int i = 0; i < 2; i++)
        part_finish(k, &w[i]);
}

/* May two parts be sampled in two levels together, if they show the same ones? */
LANES_INLINE bool levels_together(struct key k) {
    return KEY(k, lod) && KEY(k, mip) == 3 && KEY(k, min_linear) && KEY(k, mag_linear) && !KEY(k, aniso);
}

/* The LODs of two parts. */
LANES_INLINE void lods_load(const struct lod *lod, int part, i32xp fixed[2]) {
    UNROLL
    for (int i = 0; i < 2; i++)
        fixed[i] = (i32xp)part_load((const u32x32 *)&lod->fixed, part + i);
}

/* Are all lanes of two parts between this level and the next, and some not at the lower one? */
LANES_INLINE bool levels_are(int32_t level, const i32xp fixed[2]) {
    const i32xp apart = ((fixed[0] >> 8) ^ level) | ((fixed[1] >> 8) ^ level);
    const i32xp above = (fixed[0] | fixed[1]) & 255;
    return !part_bits(apart != 0) && part_bits(above != 0);
}

/* Two parts from this one on, all lanes of which are live, in the two levels around their LODs: all
 * footprints, then all texels. False if not all lanes are between the same two, or not known to be. Where
 * LODs come later (LOD_LATER) the levels are a guess, and the LODs are settled between texels. */
LANES_INLINE bool sample_square(struct key k, const struct tex_back *back, const struct request *q,
                                const struct position at[PARTS], struct lod *lod, int part) {
    struct footprint f[2][2];
    struct work w[2][2];
    i32xp fixed[2];
    int level;
    if (LOD_LATER) {
        if (!lod_guess(q->bound, lod, &level))
            return false;
    } else {
        lods_load(lod, part, fixed);
        level = fixed[0][0] >> 8;
        if (!levels_are(level, fixed))
            return false;
    }
    const int from = q->bound->view->first_level + level_foreseen(level);
    UNROLL
    for (int i = 0; i < 2; i++) {
        UNROLL
        for (int l = 0; l < 2; l++) {
            w[i][l].footprint = &f[i][l];
            w[i][l].back = back;
            work_begin(&w[i][l], q, k, at, part + i, part_mask(q->lanes, part + i), false);
            level_enter(k, &w[i][l], from + l, true);
        }
    }
    if (LOD_LATER)
        lod_settle(q, k, 0, lod);
    UNROLL
    for (int i = 0; i < 2; i++) {
        struct sums s[2];
        UNROLL
        for (int l = 0; l < 2; l++) {
            level_texels(k, &w[i][l], true, &s[l]);
            if (LOD_LATER && i == 0)
                lod_settle(q, k, 1 + l, lod);
        }
        if (LOD_LATER && i == 0) {
            lods_load(lod, part, fixed);
            if (!levels_are(level, fixed))
                return false;
        }
        sums_mix(k, part_float(fixed[i] & 255) * 0x1p-8f, &s[0], &s[1]);
        write_part(k, &w[i][0], &s[1]);
    }
    return true;
}

/* Pairs of parts that can be sampled together. Returns the lanes that are left. */
LANES_INLINE lane_mask sample_pairs(struct key k, const struct tex_back *back,
                                    const struct request *q, const struct position at[PARTS],
                                    struct lod *lod) {
    const bool square = !LOD_LATER && levels_together(k) && !lod->near;
    lane_mask left = q->lanes;
    if (!square && !parts_together(k))
        return left;
    ROLL
    for (int part = 0; part < PARTS; part += 2) {
        const lane_mask pair = (lane_mask)((UINT64_C(1) << 2 * PART_LANES) - 1) << part * PART_LANES;
        if (parts_together(k) && part_mask(left, part) && part_mask(left, part + 1))
            sample_together(k, back, q, at, part);
        else if (!square || (left & pair) != pair || !sample_square(k, back, q, at, lod, part))
            continue;
        left &= ~pair;
    }
    return left;
}

/* What a request with packed lanes reads and writes. */
struct packed_rows {
    u32x32 operand[5], result[4];
};

/* Packs all that is still needed: operands, and what the LOD stage has found in whole quads. */
LANES_INLINE void request_pack(struct request *q, struct key k, const struct packing *p,
                               struct packed_rows *rows, struct position at[PARTS],
                               struct lod *lod) {
    const u32x32 **operand[5] = {&q->coord[0], &q->coord[1], &q->coord[2], &q->layer,
                                 &q->reference};
    const u32x32 *from[10];
    u32x32 *to[10];
    int n = 0;
    UNROLL
    for (int i = 0; i < 5; i++) {
        const bool here = i < 3    ? i < KEY(k, axes) + KEY(k, cube)
                          : i == 3 ? KEY(k, array)
                                   : KEY(k, sum) == TEX_SUM_COMPARE;
        if (!here || *operand[i] == &no_operand)
            continue;
        from[n] = *operand[i];
        *operand[i] = to[n++] = &rows->operand[i];
    }
    if (KEY(k, lod) && !lod->near)
        from[n] = to[n] = (u32x32 *)&lod->fixed, n++;
    if (KEY(k, lod) && lod_is_anisotropic(q, k)) {
        from[n] = to[n] = (u32x32 *)&lod->probes, n++;
        for (int i = 0; i < KEY(k, axes); i++)
            from[n] = to[n] = (u32x32 *)&lod->step[i], n++;
    }
    pack_rows(p, from, to, n);
    q->reg = rows->result;
    q->lanes = packing_lanes(p);
    if (KEY(k, cube))
        positions_load(q, k, at);
}

LANES_INLINE void sample_warp(struct key k, const struct tex_back *back,
                              const struct tex_binding *binding, const struct tex_call *call,
                              u32x32 *reg, lane_mask lanes) {
    struct request q;
    struct position at[PARTS];
    struct lod lod;
    struct packing packing;
    struct packed_rows rows;
    request_init(&q, k, binding, call, reg, lanes, KEY(k, sum) == TEX_SUM_COMPARE);
    if (KEY(k, cube))
        positions_load(&q, k, at);
    lod.near = false;
    if (LOD_LATER && levels_together(k) && !~lanes && q.bound->level_low <= q.bound->level_high) {
        struct lod ahead; /* not in memory, as long as nothing else looks at it */
        lod_find(&q, k, at, true, &ahead);
        if (ahead.begun && sample_square(k, back, &q, at, &ahead, 0))
            return;
        lod.near = ahead.near;
        lod.begun = lod.alike = false;
    }
    if (KEY(k, lod) && !lod.near)
        lod_find(&q, k, at, false, &lod);
    packing_plan(&packing, lanes,
                 levels_apart(k) && KEY(k, lod) && KEY(k, mip) == 3 && !lod.near);
    if (packing.used)
        request_pack(&q, k, &packing, &rows, at, &lod);
    q.lanes = sample_pairs(k, back, &q, at, &lod);
    for (int part = 0; part < PARTS; part++) {
        const uint32_t mask = part_mask(q.lanes, part);
        struct footprint f;
        struct work w;
        struct sums s;
        if (!mask)
            continue;
        w.footprint = &f;
        w.back = back;
        work_begin(&w, &q, k, at, part, mask, packing.twice);
        sample_part(k, &w, &lod, &s);
        write_part(k, &w, &s);
    }
    if (packing.used)
        unpack_rows(&packing, rows.result, reg,
                    __builtin_popcount(call->result_mask & 15));
}

#endif
