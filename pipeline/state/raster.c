/* The part of a draw for the rasterizer: scissors, patterns, offsets, zeta and colour, and the plan
 * made of them. In: the groups of these names, the primitives' part. Out: struct raster_state,
 * struct draw_plan. Must not know programs beyond the results that their headers tell.
 */
#include "pipeline/state/build.h"

#include <string.h>

static void build_scissors(const struct state *s, struct raster_state *r) {
    const struct raster_targets *t = r->targets;
    r->depth_clamp = s->depth_clamp;
    r->rect_mode = s->window_rect_mode;
    if (r->rect_mode)
        memcpy(r->rect, s->window_rect, sizeof r->rect);
    for (unsigned i = 0; i < state_viewports(s); i++) {
        const struct viewport_state *v = &s->viewport[i];
        struct raster_rect rect = {0, 0, (int32_t)t->width, (int32_t)t->height};
        if (s->screen_scissor_enable)
            raster_rect_limit(&rect, &s->screen_scissor);
        if (v->scissor_enable)
            raster_rect_limit(&rect, &v->scissor);
        r->view[i].scissor = rect;
        r->view[i].depth_near = v->depth_near;
        r->view[i].depth_far = v->depth_far;
    }
}

/* Stipples and smoothing, for the primitives that a draw has. */
static void build_patterns(const struct state *s, enum primitive_class class,
                           struct raster_state *r) {
    const bool polygons = class == CLASS_TRIANGLE,
               smooth = !s->multisample || r->targets->samples == 1;
    const bool points = class == CLASS_POINT || (polygons && state_has_mode(s, POLYGON_POINT));
    const bool lines = class == CLASS_LINE || (polygons && state_has_mode(s, POLYGON_LINE));
    const bool filled = polygons && state_has_mode(s, POLYGON_FILL);
    r->point_smooth = smooth && points && s->point_smooth && !s->point_sprite;
    r->line_smooth = smooth && lines && s->line_smooth;
    r->polygon_smooth = smooth && filled && s->polygon_smooth;
    r->polygon_stipple = filled && s->polygon_stipple;
    if (r->polygon_stipple)
        memcpy(r->stipple, s->polygon_stipple_pattern, sizeof r->stipple);
}

static void build_raster(const struct state *s, enum primitive_class class,
                         struct raster_state *r) {
    const struct program_header *fp = &s->header[PROGRAM_FP];
    const bool polygons = class == CLASS_TRIANGLE;
    r->local_size = fp->local_size;
    r->multiple_results = fp->fp_control & FP_MULTIPLE_RESULTS;
    r->exports_z = fp->fp_control & FP_EXPORTS_Z;
    r->uses_kill = fp->fp_control & FP_USES_KILL;
    r->result_regs = fp->fp_results;
    r->exports_sample_mask = s->fp_sample_mask;
    r->cull_front = s->cull & CULL_FRONT;
    r->cull_back = s->cull & CULL_BACK;
    r->front_ccw = s->front_ccw;
    r->multisample = s->multisample && r->targets->samples > 1;
    r->sample_shading = s->sample_shading;
    r->clip_half_pixel = s->pixel_center_integer;
    r->sample_mask = s->sample_mask;
    r->line_width = s->line_width > 0 ? s->line_width : 1;
    build_patterns(s, class, r);
    r->point_sprite = s->point_sprite;
    r->point_origin_lower_left = s->point_origin_lower_left;
    for (int i = 0; i < 3; i++)
        r->offset[i].enable = polygons && s->offset_enable[i];
    r->offset_factor = s->offset_factor;
    r->offset_units = s->offset_units;
    r->offset_clamp = s->offset_clamp;
    if (r->targets->zeta.format != FORMAT_NONE)
        r->zeta = s->zeta_test;
    r->color = s->color_op;
    for (unsigned i = 0; i < r->targets->color_count; i++) { /* the others clamp or are integers */
        const uint8_t type = format_info(r->targets->color[i].format)->type;
        if (type != COMPONENT_FLOAT && type != COMPONENT_SNORM)
            r->color.clamp &= (uint8_t)~(1u << i);
    }
    r->count_samples = s->count_samples;
}

void *make_plan(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct primitive_state *p = m->c->p->captured.draw.primitives;
    struct {
        struct draw_plan plan;
        struct raster_state raster;
        struct raster_targets targets;
    } *all = part_alloc(m, sizeof *all);
    if (!all)
        return NULL;
    struct raster_state *r = &all->raster;
    r->targets = &all->targets;
    memcpy(&all->targets, scene_targets(m->c->p->scene), sizeof all->targets);
    r->program = s->program[PROGRAM_FP];
    r->observed = m->c->observer[PROGRAM_FP];
    r->numbered = m->c->p->watch;
    r->word_count = p->word_count;
    memcpy(r->word, p->word, sizeof r->word);
    build_raster(s, p->class, r);
    build_scissors(s, r);
    plan_init(&all->plan, r, m->c->device->simd);
    return &all->plan;
}
