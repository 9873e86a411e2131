/* Wrap modes: a coordinate to the one or two texels that it touches along one axis, and their
 * weights. In: coordinates, the size of a level, the key. Out: indices inside the level. All
 * arithmetic is exact or a fixed sequence of f32 operations. Must not know memory.
 */
#pragma once

#include "tex/key.h"
#include "tex/texel_math.h"

struct axis {
    i32xv i[2];      /* texels; nearest: the first only */
    i32xv inside[2]; /* false: the border colour applies; only for keys with a border */
    i32xv weight;    /* of i[1], 0..255 of 256; i[0] has the rest */
};

static inline bool wrap_has_border(int wrap, bool linear) {
    return wrap == WRAP_BORDER || wrap == WRAP_MIRROR_BORDER ||
           (linear && (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP));
}

/* True for modes that mirror the position itself, or clamp it to the level, so that the texel
 * offset must be added first. */
LANES_INLINE bool wrap_bends(int wrap) {
    return wrap >= WRAP_CLAMP;
}

/* Returns the position in units of 1 / scale texel (scale is a power of two), reduced to the range
 * where the mode distinguishes positions. size: in texels; extent: in those units. reach: how far
 * beyond the edge, in texels, clamped positions stay distinct. They must stay distinct if two taps
 * of one texel give another sum than one tap: true for floats, not for integers. */
LANES_INLINE f32xv wrap_position(f32xv u, f32xv size, f32xv extent, bool normalized, int wrap,
                                 int offset, float scale, float reach) {
    if (wrap == WRAP_REPEAT || wrap == WRAP_MIRROR) {
        const f32xv t = normalized ? u : u / size;
        if (wrap == WRAP_REPEAT)
            return vec_fraction(t) * extent;
        return vec_fraction(vec_periodic(t) * 0.5f) * (extent * 2.0f);
    }
    f32xv x = u * (normalized ? extent : vec_splat_f(scale));
    if (wrap_bends(wrap) && offset)
        x = x + (float)offset * scale;
    if (wrap >= WRAP_MIRROR_EDGE)
        x = vec_abs(x);
    if (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP)
        reach = 0;
    const float low = wrap >= WRAP_MIRROR_EDGE ? 0.0f : -reach * scale;
    return vec_min_f(vec_max_f(x, vec_splat_f(low)), extent + reach * scale);
}

/* i modulo n, 0..n-1, for |i| < 2^17. The f32 quotient is exact enough for a correct floor. */
LANES_INLINE i32xv wrap_modulo(i32xv i, i32xv n) {
    return i - vec_floor(vec_float(i) / vec_float(n)) * n;
}

/* Moves index i into the level. below: i may be less than 0; above: i may be the size or more. */
LANES_INLINE i32xv wrap_index(i32xv i, i32xv n, int wrap, bool offset, bool below, bool above) {
    if (wrap == WRAP_REPEAT) {
        if (offset)
            return wrap_modulo(i, n);
        if (below) /* -1 counts as greater than any texel */
            i = (i32xv)vec_min_unsigned((u32xv)i, (u32xv)(i + n));
        return above ? (i32xv)vec_min_unsigned((u32xv)i, (u32xv)(i - n)) : i;
    }
    if (wrap == WRAP_MIRROR) {
        if (offset)
            i = wrap_modulo(i, 2 * n);
        i = i ^ (i >> 31);
        return vec_max(vec_min(i, 2 * n - 1 - i), (i32xv){0});
    }
    if (wrap >= WRAP_MIRROR_EDGE)
        i = i ^ (i >> 31);
    else if (below)
        i = vec_max(i, (i32xv){0});
    return above ? vec_min(i, n - 1) : i;
}

/* Returns all ones where index i, before it is moved into the level, needs no border colour. */
LANES_INLINE i32xv wrap_inside(i32xv i, i32xv size, int wrap, bool linear) {
    if (!wrap_has_border(wrap, linear))
        return vec_splat_int(-1);
    if (wrap >= WRAP_MIRROR_EDGE)
        i = i ^ (i >> 31);
    return (i32xv)((u32xv)i < (u32xv)size);
}

/* Finds texels and weight along one axis of a nearest or linear footprint. real_size: the size as a
 * float; extent: the size in the units of positions. Positions of linear footprints have 8
 * fractional bits. */
LANES_INLINE void wrap_axis(struct key k, f32xv u, i32xv size, f32xv real_size, f32xv extent, int n,
                            int offset, bool linear, struct axis *a) {
    const int wrap = KEY(k, wrap[n]);
    const bool far = KEY(k, sum) != TEX_SUM_BYTES || KEY_BORDER(k) || offset;
    const f32xv x = wrap_position(u, real_size, extent, KEY(k, normalized), wrap, offset,
                                  linear ? 256.0f : 1.0f, linear && !far ? 0 : 1024);
    if (wrap_bends(wrap))
        offset = 0;
    if (!linear) {
        const i32xv i = vec_floor(x) + offset;
        if (KEY_BORDER(k))
            a->inside[0] = wrap_inside(i, size, wrap, false);
        a->i[0] = wrap_index(i, size, wrap, offset, wrap != WRAP_REPEAT, true);
        return;
    }
    const i32xv fixed = vec_floor(x + 0.5f) - 128;
    const i32xv i = (fixed >> 8) + offset;
    a->weight = fixed & 255;
    if (KEY_BORDER(k)) {
        a->inside[0] = wrap_inside(i, size, wrap, true);
        a->inside[1] = wrap_inside(i + 1, size, wrap, true);
    }
    a->i[0] = wrap_index(i, size, wrap, offset, true, far && wrap != WRAP_REPEAT);
    a->i[1] = wrap_index(i + 1, size, wrap, offset, far && wrap != WRAP_REPEAT, true);
}
