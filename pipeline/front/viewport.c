/* From clip space to window space: rows of vertices (viewport_simd.c does the work), and the
 * vertices that clipping makes, one at a time. In: result slots. Out: window rows, or a
 * raster_vertex. Must not know primitives.
 */
#include "pipeline/front/viewport.h"

#include "pipeline/front/clip.h"

#include <string.h>

static float slot_float(const uint32_t *slot, uint32_t i) {
    float f;
    memcpy(&f, &slot[i], 4);
    return f;
}

static uint32_t viewport_of(const struct draw *d, const uint32_t *slot) {
    return d->vertex->viewport_from_slot
               ? slot[d->vertex->semantic.viewport] & (STATE_VIEWPORTS - 1)
               : 0;
}

float clip_distance(const struct draw *d, unsigned plane, const uint32_t *slot) {
    const float w = slot_float(slot, 3);
    if (plane >= CLIP_USER)
        return slot_float(slot, d->view->clip.slot + plane - CLIP_USER);
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->view->scale[view], *translate = d->view->translate[view];
    switch (plane) {
    case CLIP_W:
        return w - CLIP_MIN_W;
    case CLIP_NEAR:
        return slot_float(slot, 2) + (d->view->clip.z_zero ? 0 : w);
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

void viewport_window(const struct draw *d, struct out_vertex *v) {
    const uint32_t *slot = v->v.slot;
    if (!d->view->transform) {
        v->v.x = slot_float(slot, 0);
        v->v.y = slot_float(slot, 1);
        v->v.z = slot_float(slot, 2);
        v->v.rhw = 1;
        return;
    }
    const uint32_t view = viewport_of(d, slot);
    const float *scale = d->view->scale[view], *translate = d->view->translate[view];
    const float rhw = 1 / slot_float(slot, 3);
    v->v.x = slot_float(slot, 0) * rhw * scale[0] + translate[0];
    v->v.y = slot_float(slot, 1) * rhw * scale[1] + translate[1];
    v->v.z = slot_float(slot, 2) * rhw * scale[2] + translate[2];
    v->v.rhw = rhw;
}

static void (*const project_set[])(const struct draw *, const struct vertex_rows *,
                                   uint32_t) = SIMD_TABLE(project_set);
static void (*const clamp_rows[])(u32x32 *, const u32x32 *) = SIMD_TABLE(clamp_rows);

/* From here on colour slots are their clamped copies. */
static void clamp_colors(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                         uint32_t sets) {
    const struct semantic_state *m = &d->vertex->semantic;
    uint8_t to = rows->layout.colors;
    for (uint32_t k = 0; k < 2u * m->color_count; k++) {
        const uint32_t slot =
            k < m->color_count ? m->color_front + k : m->color_back + k - m->color_count;
        if (slot >= SLOTS || rows->layout.row[slot] >= rows->layout.colors)
            continue;
        for (uint32_t i = 0; i < sets; i++) {
            u32x32 *set = rows->data + (size_t)i * rows->layout.stride;
            clamp_rows[simd](&set[to], &set[rows->layout.row[slot]]);
        }
        rows->layout.row[slot] = to++;
    }
}

void front_project(const struct draw *d, enum simd_level simd, struct vertex_rows *rows,
                   uint32_t n) {
    const uint32_t sets = (n + LANES - 1) / LANES;
    if (d->vertex->semantic.color_clamp)
        clamp_colors(d, simd, rows, sets);
    for (uint32_t i = 0; i < sets; i++)
        project_set[simd](d, rows, i);
}
