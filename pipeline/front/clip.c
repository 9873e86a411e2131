/* Clipping, between the last program and set-up: clips one primitive at a time in homogeneous space
 * (near, far, guard band, w > 0, user planes), and applies facing, polygon mode and flat values.
 * In: one, two or three vertices. Out: points, lines and triangles that wait for set-up. The slots
 * of a new vertex are interpolated linearly in clip space, or on the screen if they are read
 * without perspective; slots read flat keep the provoking vertex' words. Must not know where
 * vertices come from.
 */
#include "pipeline/front/clip.h"
#include "base/bits.h"

/* A plane adds at most one vertex to a convex polygon, so a clipped triangle has at most
 * CLIP_PLANES + 3 vertices. Rounding may move vertices, so that the polygon is not quite convex and
 * crosses a plane more than twice. Vertices for which the array has no room are dropped. */
enum { POLYGON_VERTICES = CLIP_PLANES + 4 };
struct polygon {
    const struct out_vertex *v[POLYGON_VERTICES];
    uint32_t count;
};

static bool slot_bit(const uint32_t bits[3], uint32_t slot) {
    return bits[slot >> 5] >> (slot & 31) & 1;
}

static struct out_vertex *new_vertex(struct front *f) {
    if (f->clip_used == CLIP_VERTICES)
        return NULL;
    struct out_vertex *v = &f->clip_vertex[f->clip_used];
    v->v.slot = &f->clip_slot[f->clip_used++ * SLOTS];
    return v;
}

static uint32_t *writable_slots(struct front *f, const struct out_vertex *v) {
    return &f->clip_slot[(v - f->clip_vertex) * SLOTS];
}

static uint32_t lerp_bits(uint32_t a, uint32_t b, float t) {
    const float x = bits_float(a), y = bits_float(b);
    return float_bits(x + t * (y - x));
}

/* Returns the point where an edge meets the plane. The point is always computed from the inside to
 * the outside, so that triangles that share the edge get the same point. */
static const struct out_vertex *intersect_plane(struct front *f, const struct draw *d,
                                                unsigned plane, const struct out_vertex *in,
                                                const struct out_vertex *out) {
    struct out_vertex *v = new_vertex(f);
    if (!v)
        return in;
    const uint32_t *a = in->v.slot, *b = out->v.slot;
    const float da = clip_distance(d, plane, a), db = clip_distance(d, plane, b);
    const float t = da / (da - db);
    uint32_t *slot = writable_slots(f, v);
    for (uint32_t i = 0; i < d->primitives->slots; i++)
        slot[i] = lerp_bits(a[i], b[i], t);
    /* Slots in `linear` are interpolated linearly on the screen: s is the place of the point on the
     * edge in window space, as t is in clip space. */
    if (d->primitives->has_linear) {
        const float wa = bits_float(a[3]), wb = bits_float(b[3]);
        const float s = t * wb / ((1 - t) * wa + t * wb);
        for (uint32_t i = 4; i < d->primitives->slots; i++)
            if (slot_bit(d->primitives->linear, i))
                slot[i] = lerp_bits(a[i], b[i], s);
    }
    v->code = 0;
    viewport_window(d, v);
    return v;
}

static void clip_to_plane(struct front *f, const struct draw *d, unsigned plane,
                          const struct polygon *in, struct polygon *out) {
    out->count = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct out_vertex *a = in->v[i], *b = in->v[(i + 1) % in->count];
        const bool a_in = clip_distance(d, plane, a->v.slot) >= 0;
        const bool b_in = clip_distance(d, plane, b->v.slot) >= 0;
        if (a_in && out->count < POLYGON_VERTICES)
            out->v[out->count++] = a;
        if (a_in != b_in && out->count < POLYGON_VERTICES - 1)
            out->v[out->count++] = intersect_plane(f, d, plane, a_in ? a : b, a_in ? b : a);
    }
}

/* Clips to the planes whose bits are set in code. p[0] is the polygon, p[1] is scratch. Returns
 * p[0] or p[1]: the one that holds the result. */
static struct polygon *clip_polygon(struct front *f, const struct draw *d, uint32_t code,
                                    struct polygon p[2]) {
    unsigned at = 0;
    for (unsigned plane = 0; plane < CLIP_PLANES && p[at].count; plane++) {
        if (!(code >> plane & 1))
            continue;
        clip_to_plane(f, d, plane, &p[at], &p[at ^ 1]);
        at ^= 1;
    }
    return &p[at];
}

/* ---- set-up ---- */

static struct face_info face_info(const struct draw *d, const struct out_vertex *provoking) {
    const uint32_t *slot = provoking->v.slot;
    struct face_info info = {.front = true, .layer = d->primitives->layer};
    if (d->vertex->semantic.layer != 0xff) {
        const uint32_t layer = slot[d->vertex->semantic.layer];
        info.layer = layer < d->raster->targets->layers ? (uint16_t)layer : 0;
    }
    if (d->vertex->viewport_from_slot)
        info.viewport = slot[d->vertex->semantic.viewport] & (STATE_VIEWPORTS - 1);
    return info;
}

/* A copy of v whose flat slots are those of `from`. */
static const struct out_vertex *with_flat(struct front *f, const struct draw *d,
                                          const struct out_vertex *v,
                                          const struct out_vertex *from) {
    struct out_vertex *copy = v == from ? NULL : new_vertex(f);
    if (!copy)
        return v;
    uint32_t *slot = writable_slots(f, copy);
    memcpy(slot, v->v.slot, d->primitives->slots * sizeof *slot);
    for (uint32_t i = 0; i < d->primitives->slots; i++)
        if (slot_bit(d->primitives->flat, i))
            slot[i] = from->v.slot[i];
    const uint32_t *const own = slot;
    *copy = *v;
    copy->v.slot = own;
    return copy;
}

/* ---- points, lines, triangles ---- */

/* True if a point at v reaches the view. The caller has tested the clip planes. */
static bool is_drawn(const struct front *f, const struct draw *d, const struct out_vertex *v,
                     uint32_t viewport) {
    const uint32_t *slot = v->v.slot;
    const float size = d->primitives->point_size_from_slot
                           ? bits_float(slot[d->vertex->semantic.point_size])
                           : d->primitives->point_size;
    return !d->view->transform || f->relaxed ||
           point_reaches_view(d, viewport, size, bits_float(slot[0]), bits_float(slot[1]),
                              bits_float(slot[3]));
}

static void draw_point(struct front *f, const struct draw *d, const struct out_vertex *v,
                       const struct out_vertex *provoking, struct face_info info) {
    if (v->code & OUT_CLIP || !is_drawn(f, d, v, info.viewport))
        return;
    front_wait_loose_point(f, d, with_flat(f, d, v, provoking), &info);
}

static void draw_line(struct front *f, const struct draw *d, const struct out_vertex *a,
                      const struct out_vertex *b, const struct out_vertex *provoking,
                      struct face_info info) {
    const uint32_t code = (a->code | b->code) & OUT_CLIP;
    const struct out_vertex *v[2] = {a, b};
    if (a->code & b->code)
        return;
    for (unsigned plane = 0; plane < CLIP_PLANES; plane++) {
        if (!(code >> plane & 1))
            continue;
        const bool in0 = clip_distance(d, plane, v[0]->v.slot) >= 0;
        const bool in1 = clip_distance(d, plane, v[1]->v.slot) >= 0;
        if (!in0 && !in1)
            return;
        if (!in0)
            v[0] = intersect_plane(f, d, plane, v[1], v[0]);
        if (!in1)
            v[1] = intersect_plane(f, d, plane, v[0], v[1]);
    }
    info.provoking = v[1] == provoking;
    if (d->primitives->has_flat && v[info.provoking] != provoking)
        v[info.provoking] = with_flat(f, d, v[info.provoking], provoking);
    front_wait_loose_line(f, d, v, &info);
}

/* True if a triangle that may be partly behind the eye faces front: the sign of its area in
 * homogeneous coordinates decides (Olano and Greer, Triangle Scan Conversion using 2D Homogeneous
 * Coordinates). */
static bool clipped_facing(const struct draw *d, const struct primitive *p, uint32_t viewport) {
    double m[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m[i][k] = bits_float(p->v[i]->v.slot[k == 2 ? 3 : k]);
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    const double area = det * d->view->scale[viewport][0] * d->view->scale[viewport][1];
    return (area < 0) == d->raster->setup.front_ccw;
}

static void draw_unfilled(struct front *f, const struct draw *d, const struct primitive *p,
                          struct face_info info, uint16_t mode) {
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = (p->start + k) % 3;
        if (!(p->edges >> i & 1))
            continue;
        if (mode == POLYGON_LINE)
            draw_line(f, d, p->v[i], p->v[(i + 1) % 3], p->v[p->provoking], info);
        else
            draw_point(f, d, p->v[i], p->v[p->provoking], info);
    }
}

static void draw_triangle(struct front *f, const struct draw *d, const struct primitive *p,
                          struct face_info info) {
    const uint32_t code = (p->v[0]->code | p->v[1]->code | p->v[2]->code) & OUT_CLIP;
    if (d->primitives->unfilled) {
        const struct raster_vertex *const v[3] = {&p->v[0]->v, &p->v[1]->v, &p->v[2]->v};
        int64_t area = 0;
        info.front =
            code ? clipped_facing(d, p, info.viewport) : raster_facing(d->raster, v, &area);
        if (d->raster->setup.cull & (info.front ? CULL_FRONT : CULL_BACK))
            return;
        const uint16_t mode = d->primitives->polygon_mode[!info.front];
        if (mode != POLYGON_FILL) {
            draw_unfilled(f, d, p, info, mode);
            return;
        }
    }
    struct polygon polygon[2] = {{{p->v[0], p->v[1], p->v[2]}, 3}, {.count = 0}};
    if (!code) {
        info.provoking = p->provoking;
        front_wait_loose_fan(f, d, polygon[0].v, polygon[0].count, &info);
        return;
    }
    struct polygon *rest = clip_polygon(f, d, code, polygon);
    if (rest->count < 3)
        return;
    if (d->primitives->has_flat)
        rest->v[0] = with_flat(f, d, rest->v[0], p->v[p->provoking]);
    front_wait_loose_fan(f, d, rest->v, rest->count, &info);
}

/* ---- values that belong to the primitive ---- */

static const struct out_vertex *with_word(struct front *f, const struct draw *d,
                                          const struct out_vertex *v, uint32_t at, uint32_t word) {
    struct out_vertex *copy = new_vertex(f);
    if (!copy)
        return v;
    uint32_t *slot = writable_slots(f, copy);
    memcpy(slot, v->v.slot, d->primitives->slots * sizeof *slot);
    slot[at] = word;
    const uint32_t *const own = slot;
    *copy = *v;
    copy->v.slot = own;
    return copy;
}

/* Flat shading: all vertices take the colours of the provoking vertex. */
static void flatten_colors(struct front *f, const struct draw *d, struct primitive *p) {
    const struct semantic_state *s = &d->vertex->semantic;
    const uint32_t *from = p->v[p->provoking]->v.slot;
    for (unsigned i = 0; i < p->count; i++) {
        if (i == p->provoking)
            continue;
        for (uint32_t k = 0; k < s->color_count; k++) {
            const uint32_t front = s->color_front + k, back = s->color_back + k;
            p->v[i] = k ? p->v[i] : with_word(f, d, p->v[i], front, from[front]);
            uint32_t *slot = writable_slots(f, p->v[i]);
            slot[front] = from[front];
            if (s->color_back != 0xff && back < d->primitives->slots)
                slot[back] = from[back];
        }
    }
}

void front_primitive(struct front *f, const struct draw *d, const struct primitive *in) {
    uint32_t all = UINT32_MAX;
    f->clip_used = 0;
    f->stipple_begins |= in->begins && d->primitives->line_stipple;
    for (unsigned i = 0; i < in->count; i++)
        all &= in->v[i]->code;
    if (all)
        return; /* outside one plane, or culled by a distance */
    struct primitive p = *in;
    if (d->vertex->semantic.primitive_id != 0xff && !d->geometry)
        p.v[p.provoking] =
            with_word(f, d, p.v[p.provoking], d->vertex->semantic.primitive_id, p.id);
    if (d->primitives->flat_color)
        flatten_colors(f, d, &p);
    const struct face_info info = face_info(d, p.v[p.provoking]);
    f->origin = p.origin;
    if (p.count == 1)
        draw_point(f, d, p.v[0], p.v[0], info);
    else if (p.count == 2)
        draw_line(f, d, p.v[0], p.v[1], p.v[p.provoking], info);
    else
        draw_triangle(f, d, &p, info);
}
