/* State of the C API between shading and the targets, and the patterns of primitives: logic
 * operations, alpha test, samples, stipples and smoothing, window rectangles. Also clears of parts
 * of targets. In: public structs, checked here. Out: fields of the hardware state, clears. Must not
 * know when work runs.
 */
#include "api/api.h"

#include "pipeline/state/from_gl.h"

static bool func_ok(uint32_t func) {
    return !func || (func >= TP_NEVER && func <= TP_ALWAYS);
}

TP_API enum tp_result tp_set_output(tp_context *c, const struct tp_output_state *s) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, s, "state");
    if ((s->op && (s->op < TP_LOGIC_CLEAR || s->op > TP_LOGIC_SET)) || !func_ok(s->alpha_func))
        return context_fail(c, TP_ERROR_INVALID, "output: unknown operation 0x%x or function 0x%x",
                            s->op, s->alpha_func);
    if (s->clamp > 0xff)
        return context_fail(c, TP_ERROR_INVALID, "output: clamp 0x%x: there are outputs 0 to 7",
                            s->clamp);
    state_touch(&c->state, GROUP_COLOR);
    struct color_state *o = &c->state.color_op;
    o->logic_op_enable = s->logic_op;
    o->logic_op = logic_op_from_gl(s->op ? s->op : TP_LOGIC_COPY);
    o->alpha_test = s->alpha_test;
    o->alpha_func = compare_func_from_gl(s->alpha_func ? s->alpha_func : TP_ALWAYS);
    o->alpha_ref = s->alpha_ref;
    o->clamp = (uint8_t)s->clamp;
    return TP_OK;
}

TP_API enum tp_result tp_set_samples(tp_context *c, const struct tp_sample_state *s) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, s, "state");
    state_touch(&c->state, GROUP_COLOR);
    state_touch(&c->state, GROUP_SAMPLE);
    c->state.color_op.alpha_to_coverage = s->alpha_to_coverage;
    c->state.color_op.alpha_to_one = s->alpha_to_one;
    c->state.sample.shading = s->per_sample;
    c->state.fp_sample_mask = s->program_mask;
    c->state.sample.mask = ~s->masked_out;
    return TP_OK;
}

TP_API enum tp_result tp_set_patterns(tp_context *c, const struct tp_pattern_state *p) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, p, "state");
    if (p->line_factor > 256)
        return context_fail(c, TP_ERROR_INVALID, "patterns: line factor %u: 1 to 256",
                            p->line_factor);
    struct state *s = &c->state;
    state_touch(s, GROUP_RASTER);
    s->setup.point_smooth = p->smooth_points;
    s->setup.line_smooth = p->smooth_lines;
    s->setup.polygon_smooth = p->smooth_polygons;
    s->line_stipple = p->line_stipple;
    s->line_stipple_pattern = p->line_pattern;
    s->line_stipple_factor = p->line_factor ? p->line_factor : 1;
    s->setup.polygon_stipple = p->polygon_stipple;
    memcpy(s->setup.stipple_pattern, p->polygon_pattern, sizeof s->setup.stipple_pattern);
    return TP_OK;
}

enum { FAR = 1 << 20 }; /* a coordinate beyond every target */

static int32_t to_int32(uint64_t v) {
    return (int32_t)(v < FAR ? v : FAR);
}

static struct raster_rect to_raster_rect(const struct tp_rect *r) {
    return (struct raster_rect){to_int32(r->x), to_int32(r->y), to_int32((uint64_t)r->x + r->width),
                                to_int32((uint64_t)r->y + r->height)};
}

TP_API enum tp_result tp_set_window_rectangles(tp_context *c, enum tp_windows mode, unsigned count,
                                               const struct tp_rect *rects) {
    API_CONTEXT_ONLY(c);
    if ((unsigned)mode > TP_WINDOWS_OUTSIDE || count > RASTER_RECTS)
        return context_fail(c, TP_ERROR_INVALID, "window rectangles: mode %d, %u of at most %d",
                            (int)mode, count, RASTER_RECTS);
    if (count)
        API_GIVEN(c->device, rects);
    state_touch(&c->state, GROUP_VIEW);
    c->state.limits.rect_mode = (uint8_t)mode;
    for (unsigned i = 0; i < RASTER_RECTS; i++)
        c->state.limits.rect[i] =
            i < count ? to_raster_rect(&rects[i]) : (struct raster_rect){0, 0, 0, 0};
    return TP_OK;
}

TP_API enum tp_result tp_set_edge_flag(tp_context *c, bool flag) {
    API_CONTEXT_ONLY(c);
    c->state.edge_flag = flag;
    return TP_OK;
}

static enum tp_result check_clear(tp_context *c, const struct tp_clear_info *i) {
    const struct state *s = &c->state;
    const bool zeta = (i->what & (TP_CLEAR_DEPTH | TP_CLEAR_STENCIL)) != 0;
    if (!i->what || i->what & ~(unsigned)(TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL))
        return context_fail(c, TP_ERROR_INVALID,
                            "clear: 0x%x: name colour, depth or stencil, and no other bits",
                            i->what);
    if (zeta && s->zeta.format == FORMAT_NONE)
        return context_fail(c, TP_ERROR_INVALID,
                            "clear of depth or stencil, but no zeta target is set");
    if (i->what & TP_CLEAR_COLOR &&
        (i->target >= s->color_count || s->color[i->target].format == FORMAT_NONE))
        return context_fail(c, TP_ERROR_INVALID, "clear: there is no colour target %u", i->target);
    if (i->first_layer >= s->layers || i->layers > s->layers - i->first_layer)
        return context_fail(c, TP_ERROR_INVALID, "clear: layers %u + %u of %u", i->first_layer,
                            i->layers, s->layers);
    return TP_OK;
}

TP_API enum tp_result tp_clear_part(tp_context *c, const struct tp_clear_info *info) {
    API_CONTEXT(c);
    API_GIVEN(c->device, info);
    API_TRY(check_clear(c, info));
    struct state *s = &c->state;
    const struct raster_rect whole = {0, 0, INT32_MAX, INT32_MAX};
    const struct raster_rect rect = info->rect ? to_raster_rect(info->rect) : whole;
    const uint32_t layers = info->layers ? info->layers : s->layers - info->first_layer;
    const uint32_t mask = info->color_mask ? info->color_mask & 15 : 15;
    memcpy(s->clear_color, info->color.u, sizeof s->clear_color);
    s->clear_depth = info->depth;
    s->clear_stencil = info->stencil;
    s->clear_stencil_mask = info->stencil_mask ? info->stencil_mask : 0xff;
    enum tp_result result = TP_OK;
    if (info->what & TP_CLEAR_COLOR)
        result = context_clear(c, mask * CLEAR_RED, info->target, info->first_layer, layers, &rect);
    const uint32_t zeta = (info->what & TP_CLEAR_DEPTH ? CLEAR_DEPTH : 0) |
                          (info->what & TP_CLEAR_STENCIL ? CLEAR_STENCIL : 0);
    if (result == TP_OK && zeta)
        result = context_clear(c, zeta, 0, info->first_layer, layers, &rect);
    s->clear_stencil_mask = 0xff;
    return result;
}
