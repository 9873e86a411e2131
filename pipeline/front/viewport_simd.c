/* From clip space to window space, 32 vertices at a time: outcodes for everything that clip.c clips
 * against, perspective division, viewport transform and snapping. In: rows of result slots. Out:
 * window rows. Must not know primitives.
 */
#include "pipeline/front/clip.h"
#include "pipeline/front/viewport.h"

enum { DRAWN_PIXELS = 65536, SUBPIXEL = 256 }; /* the same as in raster_snap() */

LANES_INLINE f32x32 magnitude_lanes(f32x32 v) {
    return (f32x32)((u32x32)v & 0x7fffffff);
}

LANES_INLINE u32x32 is_finite(f32x32 v) {
    return (u32x32)((u32x32)magnitude_lanes(v) < 0x7f800000);
}

/* Rounds to the nearest integer, ties to even. */
LANES_INLINE i32x32 round_to_int(f32x32 v) {
#if defined(__AVX512F__)
    union {
        f32x32 v;
        __m512 part[2];
    } from = {.v = v};
    union {
        i32x32 v;
        __m512i part[2];
    } to;
    for (int i = 0; i < 2; i++)
        to.part[i] = _mm512_cvtps_epi32(from.part[i]);
#elif defined(__AVX2__)
    union {
        f32x32 v;
        __m256 part[4];
    } from = {.v = v};
    union {
        i32x32 v;
        __m256i part[4];
    } to;
    for (int i = 0; i < 4; i++)
        to.part[i] = _mm256_cvtps_epi32(from.part[i]);
#else
    union {
        f32x32 v;
        __m128 part[8];
    } from = {.v = v};
    union {
        i32x32 v;
        __m128i part[8];
    } to;
    for (int i = 0; i < 8; i++)
        to.part[i] = _mm_cvtps_epi32(from.part[i]);
#endif
    return to.v;
}

/* `bit` in lanes outside; NaN is outside. */
LANES_INLINE u32x32 code_of(f32x32 distance, uint32_t bit) {
    const f32x32 zero = {0};
    return ~(u32x32)(distance >= zero) & bit;
}

struct views {
    f32x32 scale[3], translate[3];
};

LANES_INLINE void find_views(const struct draw *d, const u32x32 *number, struct views *v) {
    for (unsigned axis = 0; axis < 3; axis++) {
        v->scale[axis] = lanes_splat_f(d->view->scale[0][axis]);
        v->translate[axis] = lanes_splat_f(d->view->translate[0][axis]);
        for (unsigned i = 0; number && i < LANES; i++) {
            const uint32_t view = (*number)[i] & (STATE_VIEWPORTS - 1);
            v->scale[axis][i] = d->view->scale[view][axis];
            v->translate[axis][i] = d->view->translate[view][axis];
        }
    }
}

static u32x32 user_code(const struct draw *d, const u32x32 *set, const uint8_t *row) {
    u32x32 code = lanes_splat(0);
    for (unsigned i = 0; i < STATE_CLIP_PLANES; i++) {
        const bool clip = d->view->clip.clip >> i & 1, cull = d->view->clip.cull >> i & 1;
        if (clip || cull)
            code |= code_of((f32x32)set[row[d->view->clip.slot + i]],
                            (uint32_t)(clip ? OUT_PLANE : OUT_CULL) << i);
    }
    return code;
}

/* The signs of clip_distance() for all planes that depend on the position. */
LANES_INLINE u32x32 position_code(const struct draw *d, const struct views *view,
                                  const f32x32 p[4]) {
    const f32x32 w = p[3], guard = CLIP_GUARD_BAND * w;
    u32x32 code = code_of(w - CLIP_MIN_W, OUT_W);
    for (unsigned axis = 0; axis < 2; axis++) {
        const f32x32 window = p[axis] * view->scale[axis] + view->translate[axis] * w;
        code |= code_of(guard + window, OUT_GUARD << 2 * axis);
        code |= code_of(guard - window, OUT_GUARD << (2 * axis + 1));
    }
    if (d->view->clip.depth) {
        code |= code_of(d->view->clip.z_zero ? p[2] : p[2] + w, OUT_NEAR);
        code |= code_of(w - p[2], OUT_FAR);
    }
    return code;
}

/* Snaps to 24.8 coordinates; OUT_LOST where raster_snap() fails. */
LANES_INLINE u32x32 snap_lanes(const struct draw *d, const f32x32 window[3], f32x32 rhw,
                               u32x32 *out) {
    const f32x32 most = lanes_splat_f(DRAWN_PIXELS);
    const i32x32 shift = (i32x32)lanes_splat(d->view->half_pixel ? SUBPIXEL / 2 : 0);
    u32x32 drawn = is_finite(window[2]) & is_finite(rhw);
    for (unsigned axis = 0; axis < 2; axis++) {
        const u32x32 near = (u32x32)(magnitude_lanes(window[axis]) <= most);
        const f32x32 inside = (f32x32)((u32x32)window[axis] & near);
        out[axis] = (u32x32)(round_to_int(inside * SUBPIXEL) + shift);
        drawn &= near;
    }
    return ~drawn & OUT_LOST;
}

void SIMD_FN(project_set)(const struct draw *d, const struct vertex_rows *rows, uint32_t index) {
    u32x32 *set = rows->data + (size_t)index * rows->layout.stride,
           *out = set + rows->layout.window;
    const uint8_t *row = rows->layout.row;
    const f32x32 p[4] = {(f32x32)set[row[0]], (f32x32)set[row[1]], (f32x32)set[row[2]],
                         (f32x32)set[row[3]]};
    f32x32 window[3] = {p[0], p[1], p[2]}, rhw = lanes_splat_f(1);
    u32x32 code = d->view->clip.clip | d->view->clip.cull ? user_code(d, set, row) : lanes_splat(0);
    if (d->view->transform) {
        struct views view;
        find_views(d,
                   d->vertex->viewport_from_slot ? &set[row[d->vertex->semantic.viewport]] : NULL,
                   &view);
        code |= position_code(d, &view, p);
        rhw = 1 / p[3];
        for (unsigned axis = 0; axis < 3; axis++)
            window[axis] = p[axis] * rhw * view.scale[axis] + view.translate[axis];
    }
    out[WINDOW_CODE] = code | snap_lanes(d, window, rhw, &out[WINDOW_X]);
    out[WINDOW_Z] = (u32x32)window[2];
    out[WINDOW_RHW] = (u32x32)rhw;
    out[ROW_WINDOW_X] = (u32x32)window[0];
    out[ROW_WINDOW_Y] = (u32x32)window[1];
}

void SIMD_FN(clamp_rows)(u32x32 *to, const u32x32 *from) {
    const f32x32 x = (f32x32)*from, zero = {0}, one = lanes_splat_f(1);
    const u32x32 below = lanes_blend((u32x32)(x < one), (u32x32)x, (u32x32)one);
    *to = below & (u32x32)(x > zero);
}
