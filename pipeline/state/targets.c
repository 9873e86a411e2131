/* Targets: surfaces with host pointers, limited to allocated memory. In: GROUP_TARGET, and the
 * screen scissor if there is no surface. Out: struct raster_targets, or a message. Must not queue
 * anything.
 */
#include "pipeline/context_private.h"

enum {
    MAX_SAMPLES_WIDE = 8192 * 4,
    MAX_LAYERS = 512,
    MAX_SLICES = 2048,
    MAX_TILE = 5,
    MAX_SCREEN = 8192
};

/* Returns the number of layers or slices of the surface that lie inside `extent` bytes, at most
 * s->depth. If a target is one slice of a 3D texture, its allocation may end in the middle of a
 * block-linear tile. */
static uint32_t layers_inside(const struct surface *s, uint64_t extent) {
    struct surface unit = *s;
    const uint32_t slices = s->is_3d && !s->linear ? 1u << s->tile_d : 1;
    unit.depth = slices;
    const uint64_t bytes = surface_layer_bytes(&unit), step = s->is_3d ? bytes : s->layer_stride;
    /* bytes of one slice of a tile: 64 bytes times 4 << tile_h rows */
    const uint64_t slice = UINT64_C(256) << s->tile_h;
    uint64_t inside = 0;
    if (extent >= bytes)
        inside = step ? ((extent - bytes) / step + 1) * slices : s->depth;
    const uint64_t whole = inside / slices * step;
    if (s->is_3d && bytes - slice * (slices - 1) <= extent - whole)
        inside += slices - (bytes - (extent - whole) + slice - 1) / slice;
    return inside < s->depth ? (uint32_t)inside : s->depth;
}

uint64_t target_bytes(const struct surface *s) {
    return surface_layer_bytes(s) + (s->depth - 1) * s->layer_stride;
}

/* Makes the surface of a target; false if no layer lies in memory. layers: the number that the
 * state asks for; the surface gets the layers that lie in memory. */
static bool place_surface(tp_context *c, const struct target_state *t, uint32_t layers, bool is_3d,
                          struct surface *out) {
    /* The fields are set one by one: targets are compared with their padding, which stays 0. */
    out->format = t->format;
    out->width = t->width;
    out->height = t->height;
    out->depth = t->layers && t->layers < layers ? t->layers : layers;
    out->linear = t->linear;
    out->is_3d = is_3d;
    out->pitch = t->pitch;
    out->tile_h = t->tile_h;
    out->tile_d = t->tile_d;
    out->layer_stride = t->layer_stride;
    out->data = memory_view(c->device->memory, t->address, &out->size);
    out->depth = layers_inside(out, out->size);
    return out->depth > 0;
}

static bool within_limits(const struct target_state *t, uint32_t layers, bool is_3d) {
    const uint32_t max_layers = is_3d ? MAX_SLICES : MAX_LAYERS;
    return t->width - 1 < MAX_SAMPLES_WIDE && t->height - 1 < MAX_SAMPLES_WIDE &&
           layers <= max_layers && t->tile_h <= MAX_TILE && t->tile_d <= MAX_TILE;
}

/* Calls place_surface(). If it fails, sets a message that says why. */
static bool resolve_surface(tp_context *c, const struct target_state *t, uint32_t layers,
                            bool is_3d, const char *what, unsigned index, struct surface *out) {
    if (!within_limits(t, layers, is_3d)) {
        context_fail(c, TP_ERROR_INVALID,
                     "%s target %u: %ux%u, %u layers, tile mode %u %u: too large", what, index,
                     t->width, t->height, layers, t->tile_h, t->tile_d);
        return false;
    }
    if (!place_surface(c, t, layers, is_3d, out)) {
        context_fail(c, TP_ERROR_INVALID,
                     "%s target %u: %ux%u at 0x%llx does not fit into %llu bytes", what, index,
                     t->width, t->height, (unsigned long long)t->address,
                     (unsigned long long)out->size);
        return false;
    }
    return true;
}

/* Limits the targets to the pixels that all surfaces have; the targets get the layers of the
 * surface with the most layers. */
static void fit_targets(struct raster_targets *t, const struct surface *s) {
    uint32_t sx, sy;
    surface_sample_shift(t->samples, &sx, &sy);
    const uint32_t w = s->width >> sx, h = s->height >> sy;
    t->width = t->width && t->width < w ? t->width : w;
    t->height = t->height && t->height < h ? t->height : h;
    t->layers = t->layers > s->depth ? t->layers : s->depth;
}

/* Places the window in the picture. At the call, t has the size of the window; at the return, t
 * reaches from the picture's corner to the window's end. */
static void place_window(struct raster_targets *t, const struct picture_window *w) {
    t->origin_x = w->x;
    t->origin_y = w->y;
    t->width = w->x + t->width < w->width ? w->x + t->width : w->width;
    t->height = w->y + t->height < w->height ? w->y + t->height : w->height;
}

bool targets_are_bare(const struct raster_targets *t) {
    bool bare = t->zeta.format == FORMAT_NONE;
    for (unsigned i = 0; i < t->color_count; i++)
        bare &= t->color[i].format == FORMAT_NONE;
    return bare;
}

/* Sets the size of targets without a surface, whose samples are still counted: the area of the
 * screen scissor, in one layer. */
static void take_screen(struct raster_targets *t, const struct raster_rect *screen) {
    t->layers = 1;
    t->width = screen->x1 < MAX_SCREEN ? (uint32_t)(screen->x1 > 0 ? screen->x1 : 0) : MAX_SCREEN;
    t->height = screen->y1 < MAX_SCREEN ? (uint32_t)(screen->y1 > 0 ? screen->y1 : 0) : MAX_SCREEN;
}

static bool is_bound(const struct target_state *t) {
    return t->format != FORMAT_NONE && t->address;
}

bool capture_targets(tp_context *c, struct raster_targets *t) {
    const struct state *s = &c->state;
    const uint32_t layers = s->layers ? s->layers : 1;
    memset(t, 0, sizeof *t);
    t->samples = s->samples == 2 || s->samples == 4 || s->samples == 8 ? s->samples : 1;
    t->color_count = s->color_count <= RASTER_TARGETS ? s->color_count : RASTER_TARGETS;
    for (unsigned i = 0; i < t->color_count; i++) {
        const struct target_state *color = &s->color[s->color_map[i] & (RASTER_TARGETS - 1)];
        if (!is_bound(color))
            continue;
        if (!resolve_surface(c, color, layers, s->layers_3d, "colour", i, &t->color[i]))
            return false;
        fit_targets(t, &t->color[i]);
    }
    if (s->zeta_enable && is_bound(&s->zeta)) {
        if (!resolve_surface(c, &s->zeta, layers, false, "zeta", 0, &t->zeta))
            return false;
        fit_targets(t, &t->zeta);
    }
    if (targets_are_bare(t))
        t->layers = layers;
    if (s->screen_scissor_enable && targets_are_bare(t))
        take_screen(t, &s->screen_scissor);
    else if (s->window.width)
        place_window(t, &s->window);
    return true;
}

/* True if an idle target (one that a clear does not write) is smaller than the cleared target or
 * lies outside of memory. The layers are not compared here. */
static bool limits_clear(tp_context *c, const struct target_state *idle, bool is_3d,
                         const struct target_state *cleared) {
    struct surface s;
    return is_bound(idle) &&
           (idle->width < cleared->width || idle->height < cleared->height ||
            !within_limits(idle, 1, is_3d) || !place_surface(c, idle, 1, is_3d, &s));
}

void clear_hide_idle(tp_context *c, uint32_t what, uint32_t rt) {
    struct state *s = &c->state;
    const uint8_t *map = s->color_map;
    bool hide = false;
    if (!(what & (CLEAR_DEPTH | CLEAR_STENCIL)) && s->zeta_enable && rt < s->color_count) {
        hide = limits_clear(c, &s->zeta, false, &s->color[map[rt] & (RASTER_TARGETS - 1)]);
        s->zeta_enable = !hide;
    } else if (!(what & CLEAR_COLOR_BITS) && s->zeta_enable) {
        for (unsigned i = 0; i < s->color_count && i < RASTER_TARGETS; i++)
            hide |=
                limits_clear(c, &s->color[map[i] & (RASTER_TARGETS - 1)], s->layers_3d, &s->zeta);
        if (s->zeta.layers > s->layers) {
            s->layers = s->zeta.layers;
            hide = true;
        }
        s->color_count = hide ? 0 : s->color_count;
    }
    s->touched |= (uint32_t)hide << GROUP_TARGET;
}
