/* Filtering inside one level: a footprint's taps weighted, or compared and weighted. In: taps as
 * words, axes with their weights. Out: a sum for each component, and how much of the weight fell on the
 * border. Weights are exact, so what is rounded, and when, is the same everywhere. Knows no LOD.
 */
#ifndef TEX_FILTER_H
#define TEX_FILTER_H

#include "tex/coord.h"
#include "tex/decode.h"

struct sums {
    u32xp word[4]; /* by memory component; integers: the values themselves */
    f32xp border;  /* weight of the border colour, 0..1; only for keys with a border */
};

/* The footprint of one part in one level: what the front of a kernel hands to its back. */
struct footprint {
    const struct tex_bound *bound;
    const struct tex_key *key; /* for what is not constant in the back */
    uint8_t components;        /* memory components that somebody looks at */
    uint32_t mask;             /* lanes that somebody looks at */
    f32xp reference;           /* of a comparison */
    struct plane plane;
    struct axis axis[3];
    i32xp face;   /* of a cube; in footprints that may leave it: */
    u32xp face_0; /* the layer of face 0 */
};

/* ---- four 8-bit UNORM components: integers ---- */

/* Rows are mixed first, to 8.8 fixed point, then the two rows of each component; the sum of up to
 * 255 * 65536 is exact and rounded once. */
LANES_INLINE void filter_bytes(const struct texel t[4], const struct axis *x, const struct axis *y,
                               struct sums *out) {
    const float scale = 1.0f / 255.0f * 0x1p-16f;
    const u32xp w = (u32xp)y->weight, weights = (256 - w) | w << 16;
    struct part_mix mix;
    u32xp row[2][2]; /* of bytes 0 and 2, and of bytes 1 and 3 */
    part_mix_init(&mix, (u32xp)x->weight);
    UNROLL
    for (int k = 0; k < 2; k++)
        part_mix_bytes(&mix, t[2 * k].word[0], t[2 * k + 1].word[0], &row[0][k], &row[1][k]);
    UNROLL
    for (int c = 0; c < 2; c++) {
        const u32xp first = row[c][0], second = part_turned(row[c][1]);
        out->word[c] = (u32xp)part_scale_pairs(part_bits_of(0xffff, first, second), weights, scale);
        out->word[c + 2] = (u32xp)part_scale_pairs(part_bits_of(0xffff, second, first),
                                                   part_turned(weights), scale);
    }
}

/* The same where the second row has no weight. */
LANES_INLINE void filter_bytes_row(const struct texel t[2], const struct axis *x,
                                   struct sums *out) {
    struct part_mix mix;
    u32xp row[2];
    out->border = (f32xp){0};
    part_mix_init(&mix, (u32xp)x->weight);
    part_mix_bytes(&mix, t[0].word[0], t[1].word[0], &row[0], &row[1]);
    UNROLL
    for (int c = 0; c < 4; c++) {
        const u32xp v = row[c & 1] ^ 0x80008000u;
        out->word[c] =
            (u32xp)(part_float((i32xp)(c & 2 ? v >> 16 : v & 0xffff)) * (1.0f / 255.0f * 0x1p-8f));
    }
}

/* ---- comparisons ---- */

/* Where a comparison of each tap with the reference holds. */
#define PASSES(condition)                                                                          \
    UNROLL                                                                                         \
    for (int i = 0; i < taps; i++) {                                                               \
        const f32xp d = depth[i];                                                                  \
        passes[i] = (i32xp)(condition);                                                            \
    }                                                                                              \
    break

LANES_INLINE void filter_passes(int func, f32xp r, const f32xp depth[], int taps, i32xp passes[]) {
    switch (func) {
    case 1:
        PASSES(r < d);
    case 2:
        PASSES(r == d);
    case 3:
        PASSES(r <= d);
    case 4:
        PASSES(r > d);
    case 5:
        PASSES((r < d) | (r > d)); /* not where one is NaN */
    case 6:
        PASSES(r >= d);
    case 7:
        PASSES(part_splat(-1) | (d == d)); /* also where one is NaN */
    default:
        PASSES((d == d) & 0);
    }
}
#undef PASSES

/* Weights of the taps: products of up to three multiples of 1/256, exact, and so is what they leave. */
LANES_INLINE void filter_weights(const struct axis axis[3], int taps, f32xp weight[]) {
    weight[0] = part_splat_f(1.0f);
    UNROLL
    for (int i = 0; 1 << i < taps; i++) {
        const f32xp second = part_float(axis[i].weight) * 0x1p-8f;
        UNROLL
        for (int k = 0; k < 1 << i; k++) {
            weight[k + (1 << i)] = i ? weight[k] * second : second;
            weight[k] = weight[k] - weight[k + (1 << i)];
        }
    }
}

LANES_INLINE i32xp filter_inside(const struct axis axis[3], int axes, int tap) {
    i32xp inside = axis[0].inside[tap & 1];
    if (axes > 1)
        inside = inside & axis[1].inside[tap >> 1 & 1];
    if (axes > 2)
        inside = inside & axis[2].inside[tap >> 2];
    return inside;
}

/* A depth comparison of each tap, all ones where it holds. A border tap has the border's depth. */
LANES_INLINE void filter_compare(struct key k, const struct footprint *f, const struct axis axis[3],
                                 const struct texel t[], int taps, i32xp passes[]) {
    const struct tex_sampler *s = f->bound->sampler;
    f32xp depth[8];
    decode_taps(k, &f->bound->depth, t, taps, false, (u32xp *)depth);
    UNROLL
    for (int i = 0; i < taps && KEY(k, border); i++)
        depth[i] = part_pick_f(filter_inside(axis, KEY(k, axes), i), depth[i],
                               part_splat_f(s->border[0]));
    filter_passes(s->compare_func, f->reference, depth, taps, passes);
}

LANES_INLINE void filter_shadow(struct key k, const struct footprint *f, const struct axis axis[3],
                                const struct texel t[], int taps, struct sums *out) {
    i32xp passes[8];
    f32xp weight[8], sum = {0};
    filter_compare(k, f, axis, t, taps, passes);
    filter_weights(axis, taps, weight);
    UNROLL
    for (int i = 0; i < taps; i++)
        sum = sum + (f32xp)((i32xp)weight[i] & passes[i]);
    UNROLL
    for (int c = 0; c < 4; c++)
        out->word[c] = (u32xp)sum;
    out->border = (f32xp){0}; /* it has been compared */
}

/* ---- everything else: floats, tap by tap in one order ---- */

/* May be infinite or NaN: floats, and integers beside them, taken for floats. */
LANES_INLINE bool filter_has_specials(int decode) {
    return decode == TEX_DECODE_FLOAT || decode == TEX_DECODE_HALF || decode == TEX_DECODE_UINT ||
           decode == TEX_DECODE_SINT;
}

/* None is less than zero, so that a sum may begin with its first term. */
LANES_INLINE bool filter_has_no_sign(int decode) {
    return decode == TEX_DECODE_BYTES || decode == TEX_DECODE_UNORM ||
           decode == TEX_DECODE_UNORM24 || decode == TEX_DECODE_SRGB;
}

/* One component of all taps, decoded: `v`. decode: what it was. */
LANES_INLINE u32xp filter_values(struct key k, int decode, u32xp v[], int taps, const f32xp weight[],
                                 const i32xp inside[]) {
    const bool special = filter_has_specials(decode);
    const bool no_sign = KEY_FIXED(k, decode) && filter_has_no_sign(decode);
    f32xp sum = {0};
    UNROLL
    for (int i = 0; i < taps; i++) {
        if (KEY(k, border))
            v[i] = v[i] & (u32xp)inside[i];
        /* a tap without weight does not count, even if it is infinite */
        const f32xp term = special ? part_product_where(weight[i] != 0.0f, weight[i], (f32xp)v[i])
                                   : weight[i] * (f32xp)v[i];
        sum = i || !no_sign ? sum + term : term;
    }
    return (u32xp)(special ? part_one_nan(sum) : sum);
}

LANES_INLINE u32xp filter_component(struct key k, const struct tex_component *what,
                                    const struct texel t[], int taps, const f32xp weight[],
                                    const i32xp inside[]) {
    u32xp v[8];
    decode_taps(k, what, t, taps, false, v);
    return filter_values(k, decode_kind(k, what), v, taps, weight, inside);
}

/* All components of bytes in a volume, without a question for each. Either one after the other, or, where
 * registers are few, side by side. */
LANES_INLINE void filter_bytes_volume(struct key k, const struct footprint *f,
                                      const struct texel t[], int taps, const f32xp weight[],
                                      struct sums *out) {
    const bool after = PART_LANES == 16;
    UNROLL
    for (int n = 0; n < 4 * taps; n++) {
        const int c = after ? n / taps : n % 4, i = after ? n % taps : n / 4;
        u32xp v;
        k.component = c;
        decode_taps(k, &f->bound->component[c], &t[i], 1, false, &v);
        const f32xp term = weight[i] * (f32xp)v;
        out->word[c] = (u32xp)(i ? (f32xp)out->word[c] + term : term);
    }
}

LANES_INLINE void filter_floats(struct key k, const struct footprint *f, const struct axis axis[3],
                                const struct texel t[], int taps, struct sums *out) {
    f32xp weight[8];
    i32xp inside[8];
    filter_weights(axis, taps, weight);
    out->border = (f32xp){0};
    UNROLL
    for (int i = 0; i < taps && KEY(k, border); i++) {
        inside[i] = filter_inside(axis, KEY(k, axes), i);
        out->border = out->border + (f32xp)((i32xp)weight[i] & ~inside[i]);
    }
    if (decode_is_whole(k, f->bound)) {
        struct texel linear[8];
        decode_whole(t, taps, linear);
        UNROLL
        for (int c = 0; c < 4; c++) {
            u32xp v[8];
            UNROLL
            for (int i = 0; i < taps; i++)
                v[i] = linear[i].word[c];
            out->word[c] = filter_values(k, TEX_DECODE_SRGB, v, taps, weight, inside);
        }
        return;
    }
    if (KEY_FIXED(k, decode) && KEY(k, decode) == TEX_DECODE_BYTES && KEY(k, axes) == 3 &&
        !KEY(k, border) && (PART_LANES == 16 || f->components == 15)) {
        filter_bytes_volume(k, f, t, taps, weight, out);
        return;
    }
    /* Unrolled only where components are alike: a switch on the kind is long. */
    if (KEY_FIXED(k, decode)) {
        UNROLL
        for (int c = 0; c < 4; c++) {
            k.component = c;
            if (f->components >> c & 1)
                out->word[c] =
                    filter_component(k, &f->bound->component[c], t, taps, weight, inside);
        }
        return;
    }
    ROLL
    for (int c = 0; c < 4; c++)
        if (f->components >> c & 1)
            out->word[c] = filter_component(k, &f->bound->component[c], t, taps, weight, inside);
}

/* ---- one tap ---- */

LANES_INLINE void filter_nearest(struct key k, const struct footprint *f, const struct axis axis[3],
                                 const struct texel *t, struct sums *out) {
    if (KEY(k, sum) == TEX_SUM_COMPARE) {
        i32xp passes;
        filter_compare(k, f, axis, t, 1, &passes);
        UNROLL
        for (int c = 0; c < 4; c++)
            out->word[c] = (u32xp)passes & 0x3f800000u;
        out->border = (f32xp){0};
        return;
    }
    i32xp inside = part_splat(-1);
    out->border = (f32xp){0};
    if (KEY(k, border)) {
        inside = filter_inside(axis, KEY(k, axes), 0);
        out->border = (f32xp)(~inside & 0x3f800000);
    }
    if (KEY(k, sum) == TEX_SUM_BYTES) {
        UNROLL
        for (int c = 0; c < 4; c++) /* all: sums of bytes are whole */
            out->word[c] = (u32xp)part_scale_byte(t->word[0], c);
    } else if (decode_is_whole(k, f->bound)) {
        struct texel linear;
        decode_whole(t, 1, &linear);
        UNROLL
        for (int c = 0; c < 4; c++)
            out->word[c] = linear.word[c];
    } else if (KEY_FIXED(k, decode)) {
        UNROLL
        for (int c = 0; c < 4; c++) {
            k.component = c;
            if (f->components >> c & 1)
                decode_taps(k, &f->bound->component[c], t, 1, true, &out->word[c]);
        }
    } else {
        ROLL
        for (int c = 0; c < 4; c++)
            if (f->components >> c & 1)
                decode_taps(k, &f->bound->component[c], t, 1, true, &out->word[c]);
    }
    if (KEY(k, border) && KEY(k, sum) != TEX_SUM_NONE) {
        UNROLL
        for (int c = 0; c < 4; c++)
            out->word[c] = out->word[c] & (u32xp)inside;
    }
}

LANES_INLINE void filter_linear(struct key k, const struct footprint *f, const struct axis axis[3],
                                struct texel t[], int taps, struct sums *out) {
    if (KEY(k, sum) == TEX_SUM_COMPARE) {
        filter_shadow(k, f, axis, t, taps, out);
        return;
    }
    if (KEY(k, sum) != TEX_SUM_BYTES) {
        filter_floats(k, f, axis, t, taps, out);
        return;
    }
    out->border = (f32xp){0};
    if (KEY(k, border)) {
        f32xp weight[4];
        filter_weights(axis, 4, weight);
        UNROLL
        for (int i = 0; i < 4; i++) {
            const i32xp inside = filter_inside(axis, 2, i);
            t[i].word[0] = t[i].word[0] & (u32xp)inside;
            out->border = out->border + (f32xp)((i32xp)weight[i] & ~inside);
        }
    }
    filter_bytes(t, &axis[0], &axis[1], out);
}

/* ---- the back of a kernel ---- */

LANES_INLINE void texels_nearest(struct key k, const struct footprint *f, struct sums *out) {
    const struct taps taps = {f->bound->view, f->axis, 1};
    struct texel t;
    fetch_taps(k, &taps, &f->plane, &t);
    filter_nearest(k, f, f->axis, &t, out);
}

/* The same of two parts: both texels are on their way before any is decoded. */
LANES_INLINE void texels_nearest_two(struct key k, const struct footprint f[2], struct sums out[2]) {
    struct texel t[2];
    UNROLL
    for (int i = 0; i < 2; i++)
        fetch_taps(k, &(struct taps){f[i].bound->view, f[i].axis, 1}, &f[i].plane, &t[i]);
    UNROLL
    for (int i = 0; i < 2; i++)
        filter_nearest(k, &f[i], f[i].axis, &t[i], &out[i]);
}

/* How many taps of a footprint have weight in some lane: where pictures are copied texel by texel only
 * the first has, where rows are blurred none of the second row. The rest gives the same sum without
 * them. Looked for where pictures are. */
LANES_INLINE int footprint_taps(struct key k, const struct footprint *f) {
    const int all = 1 << KEY(k, axes);
    if (!KEY_FIXED(k, fetch) || KEY(k, axes) != 2 || !KEY(k, whole) || KEY(k, border) || k.each ||
        (KEY(k, sum) != TEX_SUM_BYTES && (KEY(k, sum) != TEX_SUM_FLOATS || !KEY_FIXED(k, decode))))
        return all;
    if (part_bits(f->axis[1].weight != 0) & f->mask)
        return all;
    return part_bits(f->axis[0].weight != 0) & f->mask ? 2 : 1;
}

LANES_INLINE void texels_linear(struct key k, const struct footprint *f, struct sums *out) {
    const int all = 1 << KEY(k, axes), count = footprint_taps(k, f);
    struct texel t[8];
    if (count == all) {
        fetch_taps(k, &(struct taps){f->bound->view, f->axis, all}, &f->plane, t);
        filter_linear(k, f, f->axis, t, all, out);
    } else if (count == 2) {
        fetch_taps(k, &(struct taps){f->bound->view, f->axis, 2}, &f->plane, t);
        if (KEY(k, sum) == TEX_SUM_BYTES)
            filter_bytes_row(t, &f->axis[0], out);
        else
            filter_linear(k, f, f->axis, t, 2, out);
    } else {
        fetch_taps(k, &(struct taps){f->bound->view, f->axis, 1}, &f->plane, t);
        if (KEY(k, sum) == TEX_SUM_BYTES)
            filter_nearest(k, f, f->axis, t, out);
        else
            filter_linear(k, f, f->axis, t, 1, out);
    }
}

/* The first tap of a footprint on a cube, to where it is if it lies beyond its face's edge. Returns
 * where it does. */
LANES_INLINE i32xp footprint_cross(struct key k, struct footprint *f) {
    const struct tex_view *v = f->bound->view;
    const i32xp n = plane_size(k, &f->plane, 0);
    const u32xp offset = k.each ? f->plane.row[LEVEL_OFFSET]
                                : (uint32_t)f->plane.level->offset - (u32xp){0};
    i32xp *x = &f->axis[0].i[0], *y = &f->axis[1].i[0];
    const i32xp off = (*x < 0) | (*x >= n) | (*y < 0) | (*y >= n);
    i32xp next_x = *x, next_y = *y, face;
    cube_cross_edge(n, f->face, &next_x, &next_y, &face);
    *x = part_pick_int(off, next_x, *x);
    *y = part_pick_int(off, next_y, *y);
    face = part_pick_int(off, face, f->face);
    f->plane.base = v->data;
    f->plane.layer = (f->face_0 + (u32xp)face) * (uint32_t)v->layer_stride + offset;
    f->plane.scattered = true;
    return off;
}

/* A linear footprint on a cube, where some lanes' taps are on another face: these one by one, after
 * the others. */
LANES_INLINE void texels_across(struct key k, const struct footprint *f, struct sums *out) {
    const struct axis *axis = f->axis;
    const i32xp last = plane_size(k, &f->plane, 0) - 1;
    struct texel t[4];
    struct axis held[3];
    UNROLL
    for (int i = 0; i < 4; i++)
        held[i >> 1].i[i & 1] =
            part_min_int(part_max_int(axis[i >> 1].i[i & 1], (i32xp){0}), last);
    fetch_taps(k, &(struct taps){f->bound->view, held, 4}, &f->plane, t);
    ROLL
    for (int i = 0; i < 4; i++) {
        struct footprint one = {.bound = f->bound, .face = f->face, .face_0 = f->face_0};
        struct texel other;
        const i32xp x = axis[0].i[i & 1], y = axis[1].i[i >> 1];
        if (!(part_bits((x < 0) | (x > last) | (y < 0) | (y > last)) & f->mask))
            continue;
        one.plane = f->plane;
        one.axis[0].i[0] = x;
        one.axis[1].i[0] = y;
        const i32xp off = footprint_cross(k, &one);
        fetch_taps(k, &(struct taps){f->bound->view, one.axis, 1}, &one.plane, &other);
        UNROLL
        for (int w = 0; w < 4; w++)
            t[i].word[w] = part_pick(off, other.word[w], t[i].word[w]);
    }
    filter_linear(k, f, axis, t, 4, out);
}

#endif
