/* From clip space to window space: outcodes against everything clip.c clips to, the perspective
 * division and the viewport transform. In: result slots. Out: raster_vertex and an outcode for each
 * vertex. Must not know primitives.
 */
#include "pipeline/front/clip.h"

#include <string.h>

static float slot_float(const uint32_t *slot, uint32_t i) {
    float f;
    memcpy(&f, &slot[i], 4);
    return f;
}

static uint32_t viewport_of(const struct draw *d, const uint32_t *slot) {
    return d->viewport_from_slot ? slot[d->semantic.viewport] & (STATE_VIEWPORTS - 1) : 0;
}

float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot) {
    const float w = slot_float(slot, 3);
    if (plane >= CLIP_USER)
        return slot_float(slot, d->clip.slot + plane - CLIP_USER);
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->scale[view], *translate = d->translate[view];
    switch (plane) {
    case CLIP_W:
        return w - CLIP_MIN_W;
    case CLIP_NEAR:
        return slot_float(slot, 2) + (d->clip.z_zero ? 0 : w);
    case CLIP_FAR:
        return w - slot_float(slot, 2);
    default: {
        const unsigned axis = (plane - CLIP_GUARD) / 2;
        const float window = slot_float(slot, axis) * scale[axis] + translate[axis] * w;
        return (plane - CLIP_GUARD) & 1 ? CLIP_GUARD_BAND * w - window
                                        : CLIP_GUARD_BAND * w + window;
    }
    }
}

static uint32_t user_code(const struct draw *d, const uint32_t *slot) {
    uint32_t code = 0;
    for (unsigned i = 0; i < STATE_CLIP_PLANES; i++) {
        const bool clip = d->clip.clip >> i & 1, cull = d->clip.cull >> i & 1;
        if (!clip && !cull)
            continue;
        if (!(slot_float(slot, d->clip.slot + i) >= 0))
            code |= (clip ? OUT_PLANE : OUT_CULL) << i;
    }
    return code;
}

static uint32_t code_if_outside(unsigned plane, float distance) {
    return (uint32_t)!(distance >= 0) << plane; /* NaN is outside */
}

/* The signs of clip_distance() for all planes at once. */
uint32_t viewport_outcode(const struct draw *d, const uint32_t *slot) {
    uint32_t code = d->clip.clip | d->clip.cull ? user_code(d, slot) : 0;
    if (!d->viewport_transform)
        return code; /* window coordinates already: setup drops what is too far out */
    const uint32_t view = viewport_of(d, slot);
    const float z = slot_float(slot, 2), w = slot_float(slot, 3), guard = CLIP_GUARD_BAND * w;
    for (unsigned axis = 0; axis < 2; axis++) {
        const float window =
            slot_float(slot, axis) * d->scale[view][axis] + d->translate[view][axis] * w;
        code |= code_if_outside(CLIP_GUARD + 2 * axis, guard + window);
        code |= code_if_outside(CLIP_GUARD + 2 * axis + 1, guard - window);
    }
    if (d->clip.depth) {
        code |= code_if_outside(CLIP_NEAR, z + (d->clip.z_zero ? 0 : w));
        code |= code_if_outside(CLIP_FAR, w - z);
    }
    return code | code_if_outside(CLIP_W, w - CLIP_MIN_W);
}

void viewport_window(const struct draw *d, struct out_vertex *v) {
    const uint32_t *slot = v->v.slot;
    v->v.point_size =
        d->point_size_from_slot ? slot_float(slot, d->semantic.point_size) : d->point_size;
    if (!d->viewport_transform) {
        v->v.x = slot_float(slot, 0);
        v->v.y = slot_float(slot, 1);
        v->v.z = slot_float(slot, 2);
        v->v.rhw = 1;
        return;
    }
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->scale[view], *translate = d->translate[view];
    const float rhw = 1 / slot_float(slot, 3);
    v->v.x = slot_float(slot, 0) * rhw * scale[0] + translate[0];
    v->v.y = slot_float(slot, 1) * rhw * scale[1] + translate[1];
    v->v.z = slot_float(slot, 2) * rhw * scale[2] + translate[2];
    v->v.rhw = rhw;
}

void front_clamp_colors(const struct draw *d, uint32_t *slot, uint32_t stride, uint32_t n) {
    const struct semantic_state *m = &d->semantic;
    for (uint32_t i = 0; i < n; i++, slot += stride)
        for (uint32_t k = 0; k < 2u * m->color_count; k++) {
            const uint32_t at = k < m->color_count ? m->color_front + k
                                                   : m->color_back + k - m->color_count;
            if (at >= d->slots)
                continue;
            const float x = slot_float(slot, at);
            const float clamped = x > 0 ? x < 1 ? x : 1 : 0;
            memcpy(&slot[at], &clamped, sizeof clamped);
        }
}

void front_project(const struct draw *d, struct out_vertex *v, const uint32_t *slot,
                   uint32_t stride, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, slot += stride) {
        v[i].v.slot = slot;
        v[i].code = viewport_outcode(d, slot);
        viewport_window(d, &v[i]);
        v[i].snapped = d->plain_triangles && raster_snap(&d->raster, &v[i].v, v[i].window);
    }
}
