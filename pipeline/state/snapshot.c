/* State to an immutable draw: programs with their constants (captured by value) and textures
 * (decoded), then step by step what else a draw is made of (build.h). In: tp_context.state. Out:
 * struct draw in the scene's memory; the environment of a dispatch. Must not queue anything.
 */
#include "pipeline/state/build.h"

#include <string.h>

/* Warp instructions a graphics program may take: far more than any that ends. */
enum { WARP_BUDGET = 1 << 22 };

static bool capture_stage(tp_context *c, enum program_type stage, struct warp_env *env,
                          struct tex_unit *unit) {
    struct program *program = c->state.program[stage];
    *env = (struct warp_env){
        .program = program,
        .simd = c->device->simd,
        .mode = c->state.mode,
        .call_limit = c->state.call_limit[stage],
        .budget = c->device->warp_budget ? c->device->warp_budget
                  : stage == PROGRAM_CP  ? 0 /* the shader core's own, larger limit */
                                         : WARP_BUDGET,
        .native = c->device->native,
        .observer = c->observer[stage],
    };
    if (!program)
        return true;
    if (!scene_keep(c->p->scene, program) || !capture_constants(c, stage, env) ||
        !capture_textures(c, stage, unit))
        return false;
    env->tex = unit->binding;
    return true;
}

static void build_streams(tp_context *c, struct draw *d) {
    const struct stream_state *s = &c->state.stream;
    d->stream = *s;
    if (!s->enable)
        return;
    for (unsigned i = 0; i < STATE_STREAMS; i++) {
        const struct stream_buffer *b = &s->buffer[i];
        const uint64_t extent = memory_extent(c->device->memory, b->address);
        if (d->stream.buffer[i].limit > extent)
            d->stream.buffer[i].limit = (uint32_t)extent;
        d->stream_data[i] = memory_at(c->device->memory, b->address, d->stream.buffer[i].limit);
        if (!d->stream_data[i])
            d->stream.buffer[i].limit = 0;
        else
            context_before_write(c, b->address, d->stream.buffer[i].limit);
    }
    if (d->stream.buffer_count > STATE_STREAMS)
        d->stream.buffer_count = STATE_STREAMS;
}

static enum tp_result check_programs(tp_context *c) {
    const struct state *s = &c->state;
    if (!s->program[PROGRAM_VP])
        return context_fail(c, TP_ERROR_INVALID, "no vertex program is bound");
    const struct program_header *gp = &s->header[PROGRAM_GP];
    if (s->program[PROGRAM_GP] && (gp->gp_out_primitive < 1 || gp->gp_out_primitive > 3)) {
        return context_fail(
            c, TP_ERROR_INVALID,
            "geometry program %s: output primitive %u is none of 1 points, 2 line strip, "
            "3 triangle strip",
            s->program[PROGRAM_GP]->name, gp->gp_out_primitive);
    }
    const bool geometry = s->program[PROGRAM_GP];
    const enum program_type last = geometry ? PROGRAM_GP : PROGRAM_VP;
    if (s->header[last].map_size < 4) {
        return context_fail(
            c, TP_ERROR_INVALID,
            "%s program %s: the result map has %u slots, position takes slots 0 to 3",
            stage_name[last], s->program[last]->name, s->header[last].map_size);
    }
    return TP_OK;
}

static enum tp_result build_stages(tp_context *c, struct draw *d) {
    struct warp_env *const env[] = {&d->vp, &d->gp, &d->raster.fp};
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        if (!capture_stage(c, i, env[i], &d->tex[i]))
            return context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a draw");
        d->program_name[i] = c->state.program[i] ? c->state.program[i]->name : "";
        d->env.program[i] = env[i];
    }
    return TP_OK;
}

/* A draw that fails must not take others with it. */
static bool cannot_fail(const struct call_env *env) {
    bool sure = true;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        const struct program *p = env->program[i]->program;
        sure &= !p || (p->facts.infallible && !env->program[i]->observer);
    }
    return sure;
}

static void build_rest(const struct state *s, struct draw *d) {
    d->vertex.provoking_last = s->provoking_last;
    memcpy(d->polygon_mode, s->polygon_mode, sizeof d->polygon_mode);
    d->unfilled = s->polygon_mode[0] != POLYGON_FILL || s->polygon_mode[1] != POLYGON_FILL;
    d->vertex.half_pixel = s->pixel_center_integer;
    d->rasterize = s->rasterize;
    d->point_size = d->raster.point_size;
    const bool numbered = d->vertex.semantic.primitive_id != 0xff && !d->gp.program;
    d->plain = !d->flat_color && !d->line_stipple && !numbered;
    d->plain_points = d->class == CLASS_POINT && !d->vertex.viewport_from_slot &&
                      d->vertex.semantic.layer == 0xff && !numbered;
    d->infallible = cannot_fail(&d->env);
    d->ordered = d->stream.enable || d->line_stipple;
}

static enum tp_result build(tp_context *c, struct draw *d, uint32_t primitive,
                            const struct fetch_inline *inlined) {
    const struct state *s = &c->state;
    enum tp_result result = check_programs(c);
    if (result == TP_OK)
        result = build_stages(c, d);
    if (result != TP_OK)
        return result;
    d->raster.targets = scene_targets(c->p->scene);
    build_maps(s, d);
    build_geometry_stage(s, d, primitive);
    build_words(s, d);
    build_clip(s, d);
    build_semantic(s, d);
    build_raster(s, d);
    build_views(s, d);
    build_streams(c, d);
    build_rest(s, d);
    plan_init(&d->plan, &d->raster, c->device->simd);
    if (!build_fetch(c, &d->vertex.fetch, inlined))
        return TP_ERROR_INVALID;
    if (inlined)
        d->source[0] = inlined->source;
    else
        build_sources(c, &d->vertex.fetch, d->source);
    d->env.source = d->source;
    d->vertex.program = d->vp.program;
    d->vertex.tex = d->vp.tex;
    d->vertex.mode = d->vp.mode;
    d->vertex.call_limit = d->vp.call_limit;
    d->vertex_number = inlined ? 0 : objects_vertex_number(c->p, &d->vertex);
    return TP_OK;
}

struct draw *build_draw(tp_context *c, uint32_t primitive, const struct fetch_inline *inlined,
                        enum tp_result *result) {
    struct scene *scene = c->p->scene;
    for (;;) {
        const uint64_t epoch = scene_epoch(scene);
        struct draw *d = scene_alloc(scene, sizeof *d);
        if (!d) {
            *result = context_fail(c, TP_ERROR_MEMORY, "out of memory for the state of a draw");
            return NULL;
        }
        memset(d, 0, sizeof *d);
        *result = build(c, d, primitive, inlined);
        if (*result != TP_OK)
            return NULL;
        if (epoch == scene_epoch(scene) && note_textures(c, d))
            return d;
        /* what was captured is gone: once more */
    }
}

struct draw *build_view(tp_context *c, const struct draw *like) {
    struct draw *d = scene_alloc(c->p->scene, sizeof *d);
    if (!d)
        return NULL;
    memcpy(d, like, sizeof *d);
    memset(&d->vertex.clip, 0, sizeof d->vertex.clip);
    build_clip(&c->state, d);
    build_views(&c->state, d);
    plan_init(&d->plan, &d->raster, c->device->simd);
    if (memcmp(&d->vertex, &like->vertex, sizeof d->vertex))
        d->vertex_number = objects_vertex_number(c->p, &d->vertex);
    return d;
}

/* ---- compute ---- */

/* A linear g[] that starts outside every buffer is one that lays the whole of memory open. */
static struct global_view global_view(tp_context *c, const struct global_state *s) {
    struct gpu_memory *m = c->device->memory;
    uint64_t extent = memory_extent(m, s->address);
    uint8_t *data = extent || s->tiled ? memory_at(m, s->address, extent)
                                       : memory_window(m, s->address, &extent);
    const uint64_t limit = s->limit < extent ? s->limit : extent;
    return (struct global_view){data, limit, s->tiled, s->pitch, s->block_height};
}

bool snapshot_compute(tp_context *c, struct warp_env *env, struct global_view g[16],
                      struct tex_unit *unit) {
    if (!capture_stage(c, PROGRAM_CP, env, unit)) {
        context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a dispatch");
        return false;
    }
    for (int i = 0; i < STATE_GLOBALS; i++)
        g[i] = global_view(c, &c->state.global[i]);
    env->g = g;
    return true;
}
