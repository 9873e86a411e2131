/* Footprints of draws and clears (footprint.h), found from prepared state. In: the state and its
 * resolved targets. Out: calls of the observer's touch().
 */
#include "pipeline/footprint.h"

#include "pipeline/context_private.h"

enum work_extent work_begin(tp_context *c, enum work_kind kind) {
    const struct work_observer *o = c->work;
    return o ? o->begin(o->self, kind) : WORK_WHOLE;
}

void work_end(tp_context *c) {
    work_begin(c, WORK_OTHER);
}

bool work_is_dry(const tp_context *c) {
    return c->work && c->work->dry;
}

static bool is_told(const tp_context *c) {
    return c->work && c->work->touch;
}

static void tell(tp_context *c, const struct touch *t) {
    if (is_told(c))
        c->work->touch(c->work->self, t);
}

void work_touch(tp_context *c, enum touch_kind kind, enum touch_use use, uint64_t address,
                uint64_t size) {
    tell(c, &(struct touch){kind, use, PLANES, address, size, 0});
}

/* The address of a counter is the address of its context plus the counter's number. A context is
 * larger than its number of counters, so no two contexts share such an address. */
void work_counts(tp_context *c, enum touch_kind kind, uint32_t first, uint32_t count) {
    _Static_assert(sizeof *c >= COUNTERS, "each counter has an address");
    tell(c, &(struct touch){kind, USE_COUNTER, PLANES, FOOTPRINT_COUNTERS + (uintptr_t)c + first,
                            count, 0});
}

void work_touches_all(tp_context *c, bool writes) {
    work_touch(c, TOUCH_READ, USE_PROGRAM, 0, FOOTPRINT_COUNTERS);
    if (!writes)
        return;
    work_touch(c, TOUCH_WRITE, USE_PROGRAM, 0, FOOTPRINT_COUNTERS);
    work_touch(c, TOUCH_DRAW, USE_PROGRAM, 0, 0);
}

/* ---- targets ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A hash of the surface's layout, never 0. Formats with equal bytes per texel place texels
 * alike. */
uint64_t footprint_shape(const struct surface *s, uint8_t samples) {
    uint64_t hash = mix(samples, format_info(s->format)->bytes);
    hash = mix(hash, (uint64_t)s->width << 32 | s->height);
    const bool slices = s->is_3d && (s->depth > 1 || s->tile_d);
    hash =
        mix(hash, s->linear ? UINT64_C(1) << 40 | s->pitch : (uint64_t)s->tile_h << 8 | s->tile_d);
    return mix(hash, slices) | 1;
}

void work_surface(tp_context *c, enum touch_kind kind, const struct surface *s, uint64_t address,
                  uint64_t size) {
    if (is_told(c))
        tell(c, &(struct touch){kind, USE_MEMORY, PLANES, address, size, footprint_shape(s, 1)});
}

static void touch_surface(tp_context *c, enum touch_kind kind, uint32_t planes,
                          const struct surface *s, uint64_t address) {
    const struct raster_targets *t = &c->p->captured.resolved;
    tell(c, &(struct touch){kind, USE_TARGET, planes, address, target_bytes(s),
                            footprint_shape(s, t->samples)});
}

/* Returns the PLANE_* bits for an access to depth, stencil or both. In a format that has one of the
 * two components, that component counts as both planes. */
static uint32_t zeta_planes(const struct surface *zeta, bool depth, bool stencil) {
    const struct format_info *f = format_info(zeta->format);
    if (!f->bits[0] || !f->bits[1])
        return (f->bits[0] ? depth : stencil) ? PLANES : 0;
    return (depth ? PLANE_DEPTH : 0) | (stencil ? PLANE_STENCIL : 0);
}

void work_draws(tp_context *c) {
    const struct state *s = &c->state;
    const struct raster_targets *t = &c->p->captured.resolved;
    const struct zeta_state *z = &s->zeta_test;
    for (unsigned i = 0; i < t->color_count; i++)
        if (t->color[i].format != FORMAT_NONE)
            touch_surface(c, TOUCH_WRITE, PLANES, &t->color[i], color_address(s, i));
    const uint32_t planes =
        t->zeta.format == FORMAT_NONE
            ? 0
            : zeta_planes(&t->zeta, z->depth_test || z->bounds_test, z->stencil_test);
    if (planes) {
        touch_surface(c, TOUCH_READ, planes, &t->zeta, s->zeta.address);
        touch_surface(c, TOUCH_WRITE, planes, &t->zeta, s->zeta.address);
    }
    if (s->sample.count)
        work_counts(c, TOUCH_WRITE, COUNTER_SAMPLES_PASSED, 1);
    work_counts(c, TOUCH_WRITE, COUNTER_SAMPLES_PASSED + 1, COUNTERS - 1);
    if (s->stream.enable)
        work_touch(c, TOUCH_DRAW, USE_PROGRAM, 0, 0);
}

/* True if the clear reaches all of the surface. The surface may be larger than the area of the
 * clear, because the smallest target limits that area. */
static bool is_whole(const tp_context *c, const struct surface *s, const struct raster_clear *clear,
                     uint32_t first_layer, uint32_t layer_count) {
    const struct raster_targets *t = &c->p->captured.resolved;
    uint32_t sx, sy;
    surface_sample_shift(t->samples, &sx, &sy);
    enum { ALWAYS = 1 };
    return c->state.condition_mode == ALWAYS && first_layer == 0 && layer_count >= s->depth &&
           clear->rect.x0 <= 0 && clear->rect.y0 <= 0 &&
           clear->rect.x1 >= (int32_t)(s->width >> sx) &&
           clear->rect.y1 >= (int32_t)(s->height >> sy);
}

void work_clears(tp_context *c, const struct raster_clear *clear, uint32_t first_layer,
                 uint32_t layer_count) {
    if (!is_told(c))
        return;
    const struct raster_targets *t = &c->p->captured.resolved;
    const struct surface *color = &t->color[clear->target & (RASTER_TARGETS - 1)];
    if (clear->color_mask) {
        const bool whole =
            clear->color_mask == 0xf && is_whole(c, color, clear, first_layer, layer_count);
        touch_surface(c, whole ? TOUCH_REPLACE : TOUCH_WRITE, PLANES, color,
                      color_address(&c->state, clear->target));
    }
    if (!clear->depth && !clear->stencil)
        return;
    const bool whole = is_whole(c, &t->zeta, clear, first_layer, layer_count);
    const uint32_t some = zeta_planes(&t->zeta, clear->depth, clear->stencil);
    const uint32_t all =
        zeta_planes(&t->zeta, clear->depth, clear->stencil && clear->stencil_mask == 0xff);
    if (whole && all)
        touch_surface(c, TOUCH_REPLACE, all, &t->zeta, c->state.zeta.address);
    if (!whole || some != all)
        touch_surface(c, TOUCH_WRITE, some, &t->zeta, c->state.zeta.address);
}
