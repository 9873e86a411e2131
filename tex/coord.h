/* Texture coordinates, 32 lanes at a time: wrap modes, LOD from quad derivatives, cube faces. In:
 * coordinate vectors. Out: texel indices, 8-bit weights, masks, levels. All arithmetic is exact or
 * a fixed sequence of f32 operations, so that every SIMD level gives the same bits. Knows no
 * memory.
 */
#ifndef TEX_COORD_H
#define TEX_COORD_H

#include "tex/part.h"

#include <stdbool.h>

enum {
    WRAP_REPEAT,
    WRAP_MIRROR,
    WRAP_EDGE,
    WRAP_BORDER,
    WRAP_CLAMP,
    WRAP_MIRROR_EDGE,
    WRAP_MIRROR_BORDER,
    WRAP_MIRROR_CLAMP
};

/* The one or two texels a coordinate touches along one axis. */
struct tap_axis {
    i32x32 i[2];      /* indices, inside the level */
    u32x32 inside[2]; /* all ones, or zero where the border colour counts */
    u32x32 weight;    /* of i[1], 0..255 of 256; i[0] has the rest */
};

LANES_INLINE f32x32 vec_float(i32x32 v) {
    return __builtin_convertvector(v, f32x32);
}

/* Toward zero; the value must fit. */
LANES_INLINE i32x32 vec_int(f32x32 v) {
    return __builtin_convertvector(v, i32x32);
}

LANES_INLINE i32x32 vec_int_splat(int32_t v) {
    return (i32x32)lanes_splat((uint32_t)v);
}

LANES_INLINE f32x32 vec_pick(i32x32 cond, f32x32 a, f32x32 b) {
    return (f32x32)lanes_blend((u32x32)cond, (u32x32)a, (u32x32)b);
}

LANES_INLINE i32x32 vec_pick_int(i32x32 cond, i32x32 a, i32x32 b) {
    return (i32x32)lanes_blend((u32x32)cond, (u32x32)a, (u32x32)b);
}

/* NaN gives the second argument. */
LANES_INLINE f32x32 vec_max(f32x32 a, f32x32 b) {
    return vec_pick(a > b, a, b);
}

LANES_INLINE f32x32 vec_min(f32x32 a, f32x32 b) {
    return vec_pick(a < b, a, b);
}

LANES_INLINE f32x32 vec_clamp(f32x32 v, float low, float high) {
    return vec_min(vec_max(v, lanes_splat_f(low)), lanes_splat_f(high));
}

LANES_INLINE i32x32 vec_clamp_int(i32x32 v, int32_t low, int32_t high) {
    const i32x32 l = vec_int_splat(low), h = vec_int_splat(high);
    v = vec_pick_int(v < l, l, v);
    return vec_pick_int(v > h, h, v);
}

LANES_INLINE f32x32 vec_abs(f32x32 v) {
    return (f32x32)((u32x32)v & lanes_splat(0x7fffffff));
}

/* Any NaN becomes the arithmetic units' NaN: which operand of a sum gives its NaN is the compiler's
 * choice. */
LANES_INLINE f32x32 vec_one_nan(f32x32 v) {
    return vec_pick(v == v, v, (f32x32)lanes_splat(0x7fffffff));
}

/* Largest integer not above v; |v| < 2^31. */
LANES_INLINE i32x32 vec_floor_int(f32x32 v) {
    const i32x32 t = vec_int(v);
    return t + (vec_float(t) > v); /* a true comparison is -1 */
}

/* v, or 0 where it has no fraction left, is infinite or NaN: what a periodic wrap makes of it. */
LANES_INLINE f32x32 vec_periodic(f32x32 v) {
    const i32x32 small = ((i32x32)v & 0x7fffffff) < vec_int_splat(0x4b000000); /* 2^23 */
    return (f32x32)((u32x32)v & (u32x32)small);
}

/* i modulo n, 0..n-1, for |i| < 2^17: the f32 quotient is exact enough for its floor to be right.
 */
LANES_INLINE i32x32 vec_modulo(i32x32 i, int32_t n) {
    const i32x32 q = vec_floor_int(vec_float(i) / lanes_splat_f((float)n));
    return i - q * n;
}

static inline bool wrap_has_border(int wrap, bool linear) {
    return wrap == WRAP_BORDER || wrap == WRAP_MIRROR_BORDER ||
           (linear && (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP));
}

/* Modes that bend the position itself, so that the texel offset has to be in it before. */
static inline bool wrap_bends(int wrap) {
    return wrap >= WRAP_CLAMP;
}

/* Position in texels, brought into the range that the wrap mode can tell apart. */
LANES_INLINE f32x32 wrap_position(f32x32 u, int32_t size, bool normalized, int wrap, int offset) {
    const float n = (float)size;
    if (wrap == WRAP_REPEAT || wrap == WRAP_MIRROR) {
        const float period = wrap == WRAP_REPEAT ? 1.0f : 2.0f;
        f32x32 t = vec_periodic(normalized ? u : u / n);
        t = t - vec_float(vec_floor_int(t * (1.0f / period))) * period;
        return vec_clamp(t, 0.0f, period) * n;
    }
    f32x32 x = normalized ? u * n : u;
    if (wrap_bends(wrap) && offset)
        x = x + (float)offset;
    if (wrap >= WRAP_MIRROR_EDGE)
        x = vec_abs(x);
    if (wrap == WRAP_CLAMP || wrap == WRAP_MIRROR_CLAMP)
        return vec_clamp(x, 0.0f, n);
    return vec_clamp(x, wrap >= WRAP_MIRROR_EDGE ? 0.0f : -1024.0f, n + 1024.0f);
}

/* Brings texel index i (after the offset) into the level; *inside is cleared on the border. */
LANES_INLINE i32x32 wrap_index(i32x32 i, int32_t size, int wrap, bool offset, bool linear,
                               u32x32 *inside) {
    const i32x32 n = vec_int_splat(size);
    *inside = lanes_splat(0xffffffff);
    if (wrap == WRAP_REPEAT) {
        if (offset)
            return vec_modulo(i, size);
        i = i + (n & (i < 0));
        return i - (n & (i >= n));
    }
    if (wrap == WRAP_MIRROR) {
        if (offset)
            i = vec_modulo(i, 2 * size);
        i = vec_pick_int(i < 0, -1 - i, i);
        i = vec_pick_int(i >= n, 2 * n - 1 - i, i);
    } else if (wrap >= WRAP_MIRROR_EDGE) {
        i = vec_pick_int(i < 0, -1 - i, i);
    }
    const i32x32 clamped = vec_clamp_int(i, 0, size - 1);
    if (wrap_has_border(wrap, linear))
        *inside = (u32x32)(clamped == i);
    return clamped;
}

/* One axis of a nearest or linear footprint. Linear positions have 8 fractional bits. */
LANES_INLINE void wrap_axis(f32x32 u, int32_t size, bool normalized, int wrap, int offset,
                            bool linear, struct tap_axis *a) {
    const f32x32 x = wrap_position(u, size, normalized, wrap, offset);
    if (wrap_bends(wrap))
        offset = 0;
    if (!linear) {
        const i32x32 i = vec_floor_int(x) + offset;
        a->i[0] = wrap_index(i, size, wrap, offset != 0, false, &a->inside[0]);
        return;
    }
    const i32x32 fixed = vec_floor_int(x * 256.0f + 0.5f) - 128;
    const i32x32 i = (fixed >> 8) + offset;
    a->weight = (u32x32)(fixed & 255);
    a->i[0] = wrap_index(i, size, wrap, offset != 0, true, &a->inside[0]);
    a->i[1] = wrap_index(i + 1, size, wrap, offset != 0, true, &a->inside[1]);
}

/* ---- quads: lanes 4q .. 4q+3 are upper left, upper right, lower left, lower right ---- */

#define QUAD_LANES(a)                                                                              \
    (a), (a), (a), (a), (a) + 4, (a) + 4, (a) + 4, (a) + 4, (a) + 8, (a) + 8, (a) + 8, (a) + 8,    \
        (a) + 12, (a) + 12, (a) + 12, (a) + 12, (a) + 16, (a) + 16, (a) + 16, (a) + 16, (a) + 20,  \
        (a) + 20, (a) + 20, (a) + 20, (a) + 24, (a) + 24, (a) + 24, (a) + 24, (a) + 28, (a) + 28,  \
        (a) + 28, (a) + 28

/* Lane k of each quad in all its lanes. */
#define vec_quad_lane(v, k) __builtin_shufflevector(v, v, QUAD_LANES(k))

/* log2 of a positive normal f32, within 2e-5. */
LANES_INLINE f32x32 vec_log2(f32x32 v) {
    f32x32 r;
    for (int part = 0; part < PARTS; part++)
        part_store((u32x32 *)&r, part, part_log2(part_load((const u32x32 *)&v, part)));
    return r;
}

/* Steps of the coordinates from a quad's first lane to the one beside it and to the one below, and
 * the squares of their lengths in texels. */
struct quad_steps {
    f32x32 dx[3], dy[3];
    f32x32 x2, y2;
};

LANES_INLINE void quad_steps(const f32x32 *coord, int count, struct quad_steps *s) {
    for (int i = 0; i < count; i++) {
        const f32x32 base = vec_quad_lane(coord[i], 0);
        s->dx[i] = vec_quad_lane(coord[i], 1) - base;
        s->dy[i] = vec_quad_lane(coord[i], 2) - base;
    }
}

LANES_INLINE void quad_lengths(struct quad_steps *s, const float scale[3], int count) {
    s->x2 = s->y2 = (f32x32){0};
    for (int i = 0; i < count; i++) {
        const f32x32 x = s->dx[i] * scale[i], y = s->dy[i] * scale[i];
        s->x2 = s->x2 + x * x;
        s->y2 = s->y2 + y * y;
    }
}

/* log2 of a step, given its square: clamped so that overflow and NaN have a defined level, the
 * greatest and the least. */
LANES_INLINE f32x32 lod_from_square(f32x32 square) {
    return vec_log2(vec_clamp(square, 0x1p-120f, 0x1p120f)) * 0.5f;
}

/* How many times the shorter step, or a texel if that is longer, goes into the longer one, rounded
 * up: 1..most. Squares are compared, so the root need not be taken. */
LANES_INLINE i32x32 quad_probes(const struct quad_steps *s, int most) {
    const f32x32 longer = vec_pick(s->x2 > s->y2, s->x2, s->y2);
    const f32x32 shorter = vec_max(vec_pick(s->x2 > s->y2, s->y2, s->x2), lanes_splat_f(1.0f));
    i32x32 n = vec_int_splat(1);
    for (int i = 1; i < most; i++)
        n = n - (shorter * (float)(i * i) < longer); /* a true comparison is -1 */
    return n;
}

/* ---- cube faces ---- */

struct cube_coord {
    f32x32 s, t; /* -1..1 on the face */
    i32x32 face; /* +x -x +y -y +z -z */
};

/* Coordinates on a given face of the point (x, y, z), major component scaled to 1. */
LANES_INLINE void cube_on_face(f32x32 x, f32x32 y, f32x32 z, i32x32 face, struct cube_coord *out) {
    const i32x32 axis = face >> 1, negative = -(face & 1);
    const i32x32 is_x = axis == 0, is_y = axis == 1;
    const u32x32 flip = (u32x32)negative & 0x80000000u;
    const f32x32 major = vec_abs(vec_pick(is_x, x, vec_pick(is_y, y, z)));
    /* +x: (-z, -y)  -x: (z, -y)  +y: (x, z)  -y: (x, -z)  +z: (x, -y)  -z: (-x, -y) */
    const f32x32 sx = (f32x32)((u32x32)z ^ 0x80000000u ^ flip);
    const f32x32 sz = (f32x32)((u32x32)x ^ flip);
    const f32x32 ty = (f32x32)((u32x32)z ^ flip);
    const f32x32 one = vec_max(major, lanes_splat_f(0x1p-20f));
    out->s = vec_pick(is_x, sx, vec_pick(is_y, x, sz)) / one;
    out->t = vec_pick(is_y, ty, -y) / one;
    out->face = face;
}

/* Face of the component of greatest magnitude; ties go to z, then y. */
LANES_INLINE i32x32 cube_face(f32x32 x, f32x32 y, f32x32 z) {
    const f32x32 ax = vec_abs(x), ay = vec_abs(y), az = vec_abs(z);
    const i32x32 is_z = (az >= ax) & (az >= ay);
    const i32x32 is_y = ~is_z & (ay >= ax);
    const i32x32 axis = (is_z & 2) | (is_y & 1);
    const f32x32 major = vec_pick(is_z, z, vec_pick(is_y, y, x));
    return (axis << 1) + (i32x32)((u32x32)major >> 31);
}

#endif
