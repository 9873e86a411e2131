/* State to an immutable draw: programs with their constants (captured by value) and textures
 * (decoded), the vertex fetch plan, result maps, clip and viewport state. In: tp_context.state.
 * Out: struct draw in the scene's arena. Unchanged state gives the last draw again. Must not queue
 * anything.
 */
#include "pipeline/context_private.h"

#include <stdio.h>
#include <string.h>

/* Warp instructions a graphics program may take: far more than any that ends. */
enum { WARP_BUDGET = 1 << 22 };

static const char *const stage_name[] = {"vertex", "geometry", "fragment", "compute"};

/* ---- constants ---- */

static bool capture_const(tp_context *c, int id, uint32_t need, struct const_view *view) {
    struct context_private *p = c->p;
    const struct const_buffer *b = &c->state.const_buffer[id & (STATE_CONST_BUFFERS - 1)];
    struct const_copy *copy = &p->const_copy[id & (STATE_CONST_BUFFERS - 1)];
    uint64_t extent;
    const uint8_t *data = memory_view(c->device->memory, b->address, &extent);
    uint32_t size = b->size < need ? b->size : need;
    size = extent < size ? (uint32_t)extent : size;
    *view = (struct const_view){NULL, size};
    if (!size)
        return true;
    context_before_read(c, b->address, size);
    const uint64_t epoch = scene_epoch(p->scene);
    if (copy->epoch != epoch || copy->address != b->address || copy->size < size ||
        memcmp(copy->data, data, size) != 0) {
        uint8_t *bytes = scene_alloc(p->scene, size);
        if (!bytes)
            return false;
        memcpy(bytes, data, size);
        *copy = (struct const_copy){epoch, b->address, bytes, size};
    }
    view->data = copy->data;
    return true;
}

static bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env) {
    const struct program_facts *f = &c->p->facts[stage];
    for (int slot = 0; slot < STATE_CONST_SLOTS; slot++) {
        const int id = c->state.const_binding[stage][slot];
        env->c[slot] = (struct const_view){NULL, 0};
        if (id >= 0 && f->const_extent[slot] &&
            !capture_const(c, id, f->const_extent[slot], &env->c[slot]))
            return false;
    }
    return true;
}

/* ---- textures ---- */

static bool descriptor_words(tp_context *c, const struct descriptor_binding *b,
                             const struct descriptor_table *table, uint32_t word[8]) {
    if (!b->valid)
        return false;
    if (b->raw) {
        memcpy(word, b->word, 32);
        return true;
    }
    const uint64_t at = table->address + (uint64_t)b->index * 32;
    const void *entry = b->index <= table->limit ? memory_at(c->device->memory, at, 32) : NULL;
    if (entry)
        memcpy(word, entry, 32);
    return entry;
}

/* The captured, decoded form of these words; *fresh when it is yet to be decoded. */
static void *decoded(tp_context *c, struct descriptor_copy *copy, const uint32_t word[8],
                     size_t size, bool *fresh) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    *fresh = copy->epoch != epoch || memcmp(copy->word, word, 32) != 0;
    if (*fresh) {
        copy->decoded = scene_alloc(c->p->scene, size);
        copy->epoch = copy->decoded ? epoch : 0;
        memcpy(copy->word, word, 32);
    }
    return (void *)copy->decoded;
}

static bool capture_view(tp_context *c, enum program_type stage, unsigned slot,
                         struct tex_unit *unit) {
    uint32_t word[8];
    bool fresh;
    if (!descriptor_words(c, &c->state.tic[stage][slot], &c->state.tic_table, word))
        return true;
    if (c->device->variant == ISA_G80 && !c->state.tic[stage][slot].raw)
        word[7] = (word[7] & ~0xffu) | word[5] >> 28 << 4; /* class 5097 has no view levels: all show */
    struct tex_view *view = decoded(c, &c->p->view_copy[stage][slot], word, sizeof *view, &fresh);
    if (!view)
        return false;
    unit->view[slot] = view;
    unit->address[slot] = word[1] | (uint64_t)(word[2] & 0xff) << 32;
    if (fresh) {
        char why[200];
        if (tex_view_decode(word, c->device->memory, view, why, sizeof why) != 0)
            log_message(&c->device->log, LOG_WARNING, "%s texture %u: %s", stage_name[stage], slot,
                        why);
    }
    return true;
}

static bool capture_samplers(tp_context *c, enum program_type stage,
                             const struct tex_sampler *sampler[STATE_TEXTURES]) {
    const struct program_facts *f = &c->p->facts[stage];
    const uint32_t samplers = c->state.linked_tsc ? f->textures : f->samplers;
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++) {
        uint32_t word[8];
        bool fresh;
        if (!(samplers >> slot & 1) ||
            !descriptor_words(c, &c->state.tsc[stage][slot], &c->state.tsc_table, word))
            continue;
        struct tex_sampler *s =
            decoded(c, &c->p->sampler_copy[stage][slot], word, sizeof *s, &fresh);
        if (!s)
            return false;
        if (fresh)
            tex_sampler_decode(word, s);
        sampler[slot] = s;
    }
    return true;
}

/* The binding of a view and a sampler (NULL: none): the one of the last draw if it is the same. */
static const struct tex_binding *bound(tp_context *c, enum program_type stage, uint32_t slot,
                                       const struct tex_view *view,
                                       const struct tex_sampler *sampler) {
    const uint64_t epoch = scene_epoch(c->p->scene);
    const uint32_t flags = (c->state.seamless_cube ? TEX_SEAMLESS : 0) |
                           (c->state.mode & MODE_NONFP_DERIV ? TEX_FAKE_INFINITE : 0);
    struct binding_copy unkept = {0};
    struct binding_copy *copy =
        slot < STATE_TEXTURES ? &c->p->binding_copy[stage][slot] : &unkept;
    if (copy->bound && copy->epoch == epoch && tex_bound_is(copy->bound, view, sampler, flags))
        return &copy->bound->binding;
    struct tex_bound *made = scene_alloc(c->p->scene, sizeof *made);
    if (made)
        tex_bind(made, view, sampler, flags, c->device->simd);
    *copy = (struct binding_copy){made ? epoch : 0, made};
    return made ? &made->binding : NULL;
}

static bool capture_textures(tp_context *c, enum program_type stage, struct tex_unit *unit) {
    const struct program *p = c->state.program[stage];
    const struct tex_sampler *sampler[STATE_TEXTURES] = {NULL};
    *unit = (struct tex_unit){0};
    if (!p->tex_slot_count)
        return true;
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++)
        if ((c->p->facts[stage].textures >> slot & 1) && !capture_view(c, stage, slot, unit))
            return false;
    const struct tex_binding **binding =
        scene_alloc(c->p->scene, p->tex_slot_count * sizeof *binding);
    if (!binding || !capture_samplers(c, stage, sampler))
        return false;
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        const unsigned tic = p->tex_slot[i].tic;
        const unsigned tsc = c->state.linked_tsc ? tic : p->tex_slot[i].tsc;
        binding[i] = bound(c, stage, i, tic < STATE_TEXTURES ? unit->view[tic] : NULL,
                           tsc < STATE_TEXTURES ? sampler[tsc] : NULL);
        if (!binding[i])
            return false;
    }
    unit->binding = binding;
    return true;
}

/* ---- programs ---- */

static bool capture_stage(tp_context *c, enum program_type stage, struct warp_env *env,
                          struct tex_unit *unit) {
    struct program *program = c->state.program[stage];
    program_facts_update(&c->p->facts[stage], program);
    *env = (struct warp_env){
        .program = program,
        .simd = c->device->simd,
        .mode = c->state.mode,
        .call_limit = c->state.call_limit[stage],
        .budget = c->device->warp_budget ? c->device->warp_budget
                  : stage == PROGRAM_CP  ? 0 /* the shader core's own, larger limit */
                                         : WARP_BUDGET,
        .jit = c->device->jit,
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

static void build_map(struct result_map *map, const struct program_header *h, bool geometry) {
    const uint8_t zero = geometry ? RESULT_CONST0_GP : RESULT_CONST0_VP;
    map->size = h->map_size < SLOTS ? h->map_size : SLOTS;
    for (unsigned i = 0; i < map->size; i++) {
        const uint8_t word = h->result_map[i];
        map->source[i] = word < zero ? word : word == zero + 1 ? MAP_ONE : MAP_ZERO;
    }
}

static uint8_t output_rows(const struct program_header *h) {
    return (uint8_t)(h->result_count < 128 ? h->result_count : 128);
}

/* ---- vertex fetch ---- */

static void plan_array(tp_context *c, unsigned i, struct fetch_source *source) {
    const struct vertex_array *a = &c->state.array[i];
    *source = (struct fetch_source){.stride = a->stride,
                                    .divisor = a->per_instance ? a->divisor ? a->divisor : 1 : 0};
    if (!a->enable || a->limit < a->start)
        return;
    uint64_t extent;
    const uint8_t *data = memory_view(c->device->memory, a->start, &extent);
    const uint64_t size = a->limit - a->start + 1;
    source->limit = size < extent ? size : extent;
    if (!source->limit)
        return;
    source->data = data;
    context_before_read(c, a->start, source->limit);
    scene_reads(c->p->scene, a->start, source->limit);
}

static bool plan_attribute(tp_context *c, unsigned i, struct fetch_attribute *out) {
    const struct vertex_attribute *a = &c->state.attribute[i];
    memcpy(out->constant, c->state.current[i], sizeof out->constant);
    if (a->constant || !a->format)
        return true;
    out->format = fetch_format_find(a->format);
    out->type = a->type;
    out->bgra = a->bgra;
    out->source = a->array & (STATE_ARRAYS - 1);
    out->offset = a->offset;
    if (!out->format || !fetch_type_known(a->type)) {
        context_fail(c, TP_ERROR_INVALID, "vertex attribute %u has unknown format 0x%x type 0x%x",
                     i, a->format, a->type);
        return false;
    }
    return true;
}

static uint8_t attribute_mask(const struct program_header *h, unsigned i) {
    return h->attr_enable[i / 8] >> 4 * (i % 8) & 15;
}

static bool build_fetch(tp_context *c, struct fetch_plan *plan, const struct fetch_plan *inlined) {
    const struct program_header *h = &c->state.header[PROGRAM_VP];
    uint32_t sources = 0;
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const uint8_t mask = attribute_mask(h, i);
        if (!mask)
            continue;
        struct fetch_attribute *a = &plan->attribute[plan->attribute_count++];
        if (inlined)
            *a = inlined->attribute[i];
        else if (!plan_attribute(c, i, a))
            return false;
        a->mask = mask;
        a->row = plan->rows;
        plan->rows += (uint8_t)__builtin_popcount(mask);
        sources |= a->format ? 1u << a->source : 0;
    }
    for (unsigned i = 0; i < STATE_ARRAYS; i++) {
        if (inlined)
            plan->source[i] = inlined->source[i];
        else if (sources >> i & 1)
            plan_array(c, i, &plan->source[i]);
    }
    plan->vertex_id_row = h->builtin_enable & 1 ? plan->rows++ : -1;
    plan->instance_id_row = h->builtin_enable & 0x10 ? plan->rows++ : -1;
    plan->id_adds_start = h->builtin_enable & 0x1000;
    plan->id_base = c->state.vertex_id_base;
    plan->vertex_id = inlined ? inlined->vertex_id : NULL;
    return true;
}

/* ---- what the fragment program reads: FP_INTERPOLANT_CTRL ---- */

static bool bit_of(const uint32_t *bits, uint32_t i) {
    return bits[i >> 5] >> (i & 31) & 1;
}

/* What of a draw becomes points, as it is or by its polygon mode. */
enum pointed { POINTED_NOTHING, POINTED_ONE_SIDE, POINTED_ALL };

static enum pointed pointed(const struct state *s, enum primitive_class class) {
    const int sides = (s->polygon_mode[0] == POLYGON_POINT) + (s->polygon_mode[1] == POLYGON_POINT);
    if (class == CLASS_POINT)
        return POINTED_ALL;
    return class == CLASS_TRIANGLE ? (enum pointed)sides : POINTED_NOTHING;
}

/* Where only one side of polygons is points, the other needs what the vertices say: the coordinate
 * kinds leave it that, constants and flat words do not. */
static uint8_t word_kind(const struct state *s, const struct program_header *h, uint32_t slot,
                         bool flat, enum pointed points) {
    static const uint8_t replaced[] = {0, WORD_POINT_COORD_S, WORD_POINT_COORD_T, WORD_CONST0,
                                       WORD_CONST1};
    const uint32_t coord = slot < 64 ? s->point_coord_map[slot / 8] >> 4 * (slot % 8) & 15 : 0;
    if (s->point_sprite && coord && coord < sizeof replaced &&
        (points == POINTED_ALL || (points == POINTED_ONE_SIDE && coord <= 2 && !flat)))
        return replaced[coord];
    if (flat)
        return WORD_FLAT;
    return bit_of(h->noperspective, slot) ? WORD_LINEAR : WORD_PERSPECTIVE;
}

static uint8_t back_slot(const struct state *s, uint32_t slot) {
    const struct semantic_state *m = &s->semantic;
    if (!s->two_sided_color || m->color_front == 0xff || m->color_back == 0xff ||
        slot < m->color_front || slot >= (uint32_t)m->color_front + m->color_count)
        return (uint8_t)slot;
    return (uint8_t)(slot - m->color_front + m->color_back);
}

static void build_words(const struct state *s, struct draw *d, enum pointed points) {
    const struct program_header *h = &s->header[PROGRAM_FP];
    const uint32_t ctrl = h->interpolant_ctrl;
    const uint32_t nonflat = ctrl >> 16 & 0xff, first = ctrl >> 8 & 0xff, count = ctrl & 0xff;
    struct raster_state *r = &d->raster;
    for (uint8_t i = 0; i < 4; i++)
        if (ctrl >> (24 + i) & 1)
            r->word[r->word_count++] = (struct raster_word){WORD_POSITION, i, i};
    for (uint32_t i = 0; i < count && r->word_count < RASTER_WORDS && first + i < SLOTS; i++) {
        const uint32_t slot = first + i;
        const uint8_t back = back_slot(s, slot) < SLOTS ? back_slot(s, slot) : (uint8_t)slot;
        const uint8_t kind = word_kind(s, h, slot, i >= nonflat, points);
        r->word[r->word_count++] = (struct raster_word){kind, (uint8_t)slot, back};
        if (kind == WORD_FLAT)
            d->flat[slot >> 5] |= 1u << (slot & 31), d->flat[back >> 5] |= 1u << (back & 31);
        if (kind == WORD_LINEAR)
            d->linear[slot >> 5] |= 1u << (slot & 31), d->linear[back >> 5] |= 1u << (back & 31);
        d->has_flat |= kind == WORD_FLAT;
        d->has_linear |= kind == WORD_LINEAR;
        d->slots = d->slots > slot ? d->slots : (uint8_t)(slot + 1);
        d->slots = d->slots > back ? d->slots : (uint8_t)(back + 1);
    }
}

/* ---- raster state ---- */

static void limit_rect(struct raster_rect *r, const struct raster_rect *by) {
    r->x0 = r->x0 > by->x0 ? r->x0 : by->x0;
    r->y0 = r->y0 > by->y0 ? r->y0 : by->y0;
    r->x1 = r->x1 < by->x1 ? r->x1 : by->x1;
    r->y1 = r->y1 < by->y1 ? r->y1 : by->y1;
}

static void build_views(const struct state *s, struct draw *d) {
    const struct raster_targets *t = d->raster.targets;
    for (int i = 0; i < STATE_VIEWPORTS; i++) {
        const struct viewport_state *v = &s->viewport[i];
        struct raster_rect rect = {0, 0, (int32_t)t->width, (int32_t)t->height};
        if (s->screen_scissor_enable)
            limit_rect(&rect, &s->screen_scissor);
        if (v->scissor_enable)
            limit_rect(&rect, &v->scissor);
        d->raster.view[i].scissor = rect;
        d->raster.view[i].depth_near = v->depth_near;
        d->raster.view[i].depth_far = v->depth_far;
        memcpy(d->scale[i], v->scale, sizeof d->scale[i]);
        memcpy(d->translate[i], v->translate, sizeof d->translate[i]);
    }
}

static bool has_mode(const struct state *s, enum polygon_mode mode) {
    return s->polygon_mode[0] == mode || s->polygon_mode[1] == mode;
}

/* Stipples and smoothing, where there is something they apply to. */
static void build_patterns(const struct state *s, struct draw *d) {
    struct raster_state *r = &d->raster;
    const bool polygons = d->class == CLASS_TRIANGLE, smooth = !s->multisample || s->samples == 1;
    const bool points = d->class == CLASS_POINT || (polygons && has_mode(s, POLYGON_POINT));
    const bool lines = d->class == CLASS_LINE || (polygons && has_mode(s, POLYGON_LINE));
    const bool filled = polygons && has_mode(s, POLYGON_FILL);
    r->point_smooth = smooth && points && s->point_smooth && !s->point_sprite;
    r->line_smooth = smooth && lines && s->line_smooth;
    r->polygon_smooth = smooth && filled && s->polygon_smooth;
    r->polygon_stipple = filled && s->polygon_stipple;
    if (r->polygon_stipple)
        memcpy(r->stipple, s->polygon_stipple_pattern, sizeof r->stipple);
    d->line_stipple = lines && s->line_stipple;
    d->line_stipple_pattern = s->line_stipple_pattern;
    d->line_stipple_factor = s->line_stipple_factor;
}

static void build_raster(const struct state *s, struct draw *d) {
    struct raster_state *r = &d->raster;
    const struct program_header *fp = &s->header[PROGRAM_FP];
    const bool polygons = d->class == CLASS_TRIANGLE;
    r->local_size = fp->local_size;
    r->multiple_results = fp->fp_control & FP_MULTIPLE_RESULTS;
    r->exports_z = fp->fp_control & FP_EXPORTS_Z;
    r->uses_kill = fp->fp_control & FP_USES_KILL;
    r->result_regs = fp->fp_results;
    r->exports_sample_mask = s->fp_sample_mask;
    r->cull_front = s->cull & CULL_FRONT;
    r->cull_back = s->cull & CULL_BACK;
    r->front_ccw = s->front_ccw;
    r->multisample = s->multisample && s->samples > 1;
    r->sample_shading = s->sample_shading;
    r->clip_half_pixel = s->pixel_center_integer;
    r->sample_mask = s->sample_mask;
    r->line_width = s->line_width > 0 ? s->line_width : 1;
    r->point_size = s->point_size > 0 ? s->point_size : 1;
    build_patterns(s, d);
    r->point_sprite = s->point_sprite;
    r->point_origin_lower_left = s->point_origin_lower_left;
    for (int i = 0; i < 3; i++)
        r->offset[i].enable = polygons && s->offset_enable[i];
    r->offset_factor = s->offset_factor;
    r->offset_units = s->offset_units;
    r->offset_clamp = s->offset_clamp;
    r->depth_clamp = s->depth_clamp;
    r->rect_mode = s->window_rect_mode;
    memcpy(r->rect, s->window_rect, sizeof r->rect);
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

/* ---- geometry: everything between the programs and setup ---- */

static void build_clip(const struct state *s, struct draw *d) {
    const struct semantic_state *m = &s->semantic;
    d->clip.depth = !s->depth_clip_off;
    d->clip.z_zero = s->clip_z_zero;
    if (m->clip == 0xff)
        return;
    d->clip.slot = m->clip;
    for (unsigned i = 0; i < STATE_CLIP_PLANES && i < m->clip_count && m->clip + i < SLOTS; i++) {
        if (!(s->clip_enable >> i & 1))
            continue;
        if (s->clip_mode >> 4 * i & 1)
            d->clip.cull |= (uint8_t)(1u << i);
        else
            d->clip.clip |= (uint8_t)(1u << i);
        d->slots = d->slots > m->clip + i ? d->slots : (uint8_t)(m->clip + i + 1);
    }
}

/* Meanings that name a slot no vertex has are dropped; the others make vertices long enough. */
static void build_semantic(const struct state *s, struct draw *d) {
    d->semantic = s->semantic;
    d->layer = s->layer;
    uint8_t *const slots[] = {&d->semantic.point_size, &d->semantic.layer, &d->semantic.viewport,
                              &d->semantic.primitive_id};
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++) {
        if (*slots[i] >= SLOTS)
            *slots[i] = 0xff;
        else if (d->slots <= *slots[i])
            d->slots = (uint8_t)(*slots[i] + 1);
    }
    d->viewport_from_slot = s->viewport_from_gp && d->semantic.viewport != 0xff;
    d->point_size_from_slot = s->point_size_from_slot && d->semantic.point_size != 0xff;
    struct semantic_state *m = &d->semantic;
    d->flat_color = s->flat_shade && m->color_front != 0xff && m->color_count &&
                    m->color_front + m->color_count <= SLOTS;
    if (d->flat_color && d->slots < m->color_front + m->color_count)
        d->slots = (uint8_t)(m->color_front + m->color_count);
}

static void build_geometry_stage(const struct state *s, struct draw *d, uint32_t primitive) {
    static const uint8_t classes[] = {0, CLASS_POINT, CLASS_LINE, CLASS_TRIANGLE};
    const struct program_header *h = &s->header[PROGRAM_GP];
    d->class = assemble_class(primitive);
    d->gp_vertices = (uint8_t)assemble_vertices(primitive);
    if (!d->gp.program)
        return;
    build_map(&d->gp_map, h, true);
    d->gp_rows = output_rows(h);
    d->gp_primitive = h->gp_out_primitive;
    d->gp_max_vertices = h->gp_max_vertices <= 1024 ? h->gp_max_vertices : 1024;
    d->gp_primitive_id = (h->builtin_enable | s->header[PROGRAM_VP].builtin_enable) & 0x100;
    d->class = classes[h->gp_out_primitive & 3];
    d->local_size[PROGRAM_GP] = h->local_size;
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

static bool check_programs(tp_context *c) {
    const struct state *s = &c->state;
    if (!s->program[PROGRAM_VP]) {
        context_fail(c, TP_ERROR_INVALID, "no vertex program is bound");
        return false;
    }
    const struct program_header *gp = &s->header[PROGRAM_GP];
    if (s->program[PROGRAM_GP] && (gp->gp_out_primitive < 1 || gp->gp_out_primitive > 3)) {
        context_fail(c, TP_ERROR_INVALID,
                     "geometry program %s: output primitive %u is none of 1 points, 2 line strip, "
                     "3 triangle strip",
                     s->program[PROGRAM_GP]->name, gp->gp_out_primitive);
        return false;
    }
    const bool geometry = s->program[PROGRAM_GP];
    const enum program_type last = geometry ? PROGRAM_GP : PROGRAM_VP;
    if (s->header[last].map_size < 4) {
        context_fail(c, TP_ERROR_INVALID,
                     "%s program %s: the result map has %u slots, position takes slots 0 to 3",
                     stage_name[last], s->program[last]->name, s->header[last].map_size);
        return false;
    }
    return true;
}

static bool build_stages(tp_context *c, struct draw *d) {
    struct warp_env *const env[] = {&d->vp, &d->gp, &d->raster.fp};
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        if (!capture_stage(c, i, env[i], &d->tex[i])) {
            context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a draw");
            return false;
        }
        d->program_name[i] = c->state.program[i] ? c->state.program[i]->name : "";
    }
    return true;
}

static bool build(tp_context *c, struct draw *d, uint32_t primitive,
                  const struct fetch_plan *inlined) {
    const struct state *s = &c->state;
    if (!check_programs(c) || !build_stages(c, d))
        return false;
    d->env.program[PROGRAM_VP] = &d->vp;
    d->env.program[PROGRAM_GP] = &d->gp;
    d->env.program[PROGRAM_FP] = &d->raster.fp;
    d->raster.targets = scene_targets(c->p->scene);
    build_map(&d->vp_map, &s->header[PROGRAM_VP], false);
    d->vp_rows = output_rows(&s->header[PROGRAM_VP]);
    d->local_size[PROGRAM_VP] = s->header[PROGRAM_VP].local_size;
    build_geometry_stage(s, d, primitive);
    d->slots = d->gp.program ? d->gp_map.size : d->vp_map.size;
    d->slots = d->slots < 4 ? 4 : d->slots;
    build_words(s, d, pointed(s, d->class));
    build_clip(s, d);
    build_semantic(s, d);
    build_raster(s, d);
    build_views(s, d);
    d->provoking_last = s->provoking_last;
    d->viewport_transform = s->viewport_transform;
    memcpy(d->polygon_mode, s->polygon_mode, sizeof d->polygon_mode);
    d->unfilled = s->polygon_mode[0] != POLYGON_FILL || s->polygon_mode[1] != POLYGON_FILL;
    d->rasterize = s->rasterize;
    d->point_size = d->raster.point_size;
    d->plain_triangles = d->class == CLASS_TRIANGLE && !d->unfilled && !d->flat_color &&
                         !d->viewport_from_slot && d->semantic.layer == 0xff &&
                         (d->semantic.primitive_id == 0xff || d->gp.program);
    build_streams(c, d);
    d->ordered = d->stream.enable || d->line_stipple;
    plan_init(&d->plan, &d->raster, c->device->simd);
    return build_fetch(c, &d->fetch, inlined);
}

/* Textures that queued work draws into must be finished before they are sampled: before the next
 * tile pass is enough for fragment programs, the front pass cannot wait. False if it had to be seen
 * to: what was captured is gone. Notes what is read otherwise. */
static bool note_textures(tp_context *c, const struct draw *d) {
    struct scene *scene = c->p->scene;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        for (int k = 0; k < STATE_TEXTURES; k++) {
            const struct tex_view *v = d->tex[i].view[k];
            const uint64_t address = d->tex[i].address[k];
            if (!v || !v->valid)
                continue;
            if (i == PROGRAM_FP && scene_run_writes(scene, address, v->size)) {
                if (!scene_break(scene))
                    context_flush(c);
                return false;
            }
            if (i != PROGRAM_FP && scene_is_written(scene, address, v->size)) {
                context_flush(c);
                return false;
            }
            scene_reads(scene, address, v->size);
        }
    }
    return true;
}

static struct draw *build_new(tp_context *c, uint32_t primitive, const struct fetch_plan *inlined,
                              enum tp_result *result) {
    struct scene *scene = c->p->scene;
    for (;;) {
        const uint64_t epoch = scene_epoch(scene);
        struct draw *d = scene_alloc(scene, sizeof *d);
        *result = TP_ERROR_MEMORY;
        if (!d) {
            context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a draw");
            return NULL;
        }
        memset(d, 0, sizeof *d);
        *result = TP_ERROR_INVALID;
        if (!build(c, d, primitive, inlined))
            return NULL;
        if (epoch == scene_epoch(scene) && note_textures(c, d)) {
            *result = TP_OK;
            return d;
        }
        /* what was captured is gone: once more */
    }
}

/* ---- the last draw again, with what memory holds now ---- */

static bool same_arrays(tp_context *c, const struct draw *d) {
    for (unsigned i = 0; i < d->fetch.attribute_count; i++) {
        const struct fetch_attribute *a = &d->fetch.attribute[i];
        const struct fetch_source *old = &d->fetch.source[a->source];
        struct fetch_source now;
        if (!a->format)
            continue;
        plan_array(c, a->source, &now);
        if (now.data != old->data || now.limit != old->limit)
            return false;
    }
    return true;
}

static bool same_textures(const struct program *p, const struct tex_unit *a,
                          const struct tex_unit *b) {
    return !p || !p->tex_slot_count ||
           !memcmp(a->binding, b->binding, p->tex_slot_count * sizeof *a->binding);
}

static bool same_constants(const struct warp_env *a, const struct warp_env *b) {
    for (int i = 0; i < STATE_CONST_SLOTS; i++)
        if (a->c[i].data != b->c[i].data || a->c[i].size != b->c[i].size)
            return false;
    return true;
}

/* The environment of a stage with its constants as they are now: *last if that is the same. */
static bool renew_stage(tp_context *c, const struct draw *d, enum program_type stage,
                        const struct warp_env **last) {
    struct warp_env env;
    struct tex_unit unit;
    if (!capture_stage(c, stage, &env, &unit) || !same_textures(env.program, &unit, &d->tex[stage]))
        return false;
    if (same_constants(&env, *last))
        return true;
    struct warp_env *copy = scene_alloc(c->p->scene, sizeof *copy);
    if (!copy)
        return false;
    *copy = env;
    *last = copy;
    return true;
}

/* For a draw that differs from the last only in what memory holds; NULL: too much has changed. */
static struct call_env *renew(tp_context *c, const struct draw *d) {
    struct context_private *p = c->p;
    struct call_env env = *p->last_env;
    if (d->stream.enable || !same_arrays(c, d))
        return NULL;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        if (!renew_stage(c, d, i, &env.program[i]))
            return NULL;
    if (p->last_epoch != scene_epoch(p->scene) || !note_textures(c, d))
        return NULL;
    if (!memcmp(env.program, p->last_env->program, sizeof env.program))
        return p->last_env;
    struct call_env *copy = scene_alloc(p->scene, sizeof *copy);
    if (copy) {
        memcpy(copy->program, env.program, sizeof copy->program);
        copy->trapped = 0;
    }
    return copy;
}

struct draw *snapshot_draw(tp_context *c, uint32_t primitive, const struct fetch_plan *inlined,
                           struct call_env **env, enum tp_result *result) {
    struct context_private *p = c->p;
    const uint32_t key = assemble_class(primitive) << 8 | assemble_vertices(primitive);
    *result = TP_OK;
    if (p->last_draw && !inlined && p->last_key == key && p->last_epoch == scene_epoch(p->scene) &&
        !memcmp(&p->last_state, &c->state, sizeof c->state)) {
        *env = p->last_memory_epoch == p->memory_epoch ? p->last_env : renew(c, p->last_draw);
        if (*env) {
            p->last_env = *env;
            p->last_memory_epoch = p->memory_epoch;
            return p->last_draw;
        }
    }
    struct draw *d = build_new(c, primitive, inlined, result);
    p->last_draw = inlined ? NULL : d;
    if (d) {
        *env = p->last_env = &d->env;
        p->last_key = key;
        p->last_epoch = scene_epoch(p->scene);
        p->last_memory_epoch = p->memory_epoch;
        memcpy(&p->last_state, &c->state, sizeof c->state);
    }
    return d;
}

void snapshot_forget(tp_context *c) {
    c->p->last_draw = NULL;
}

/* ---- targets ---- */

enum { MAX_SAMPLES_WIDE = 8192 * 4, MAX_LAYERS = 512, MAX_SLICES = 2048, MAX_TILE = 5 };

/* Layers or slices of the surface that lie inside `extent` bytes, at most s->depth. A target that
 * is one slice of a 3D texture may end with its allocation, in the midst of a tile. */
static uint32_t layers_inside(const struct surface *s, uint64_t extent) {
    struct surface unit = *s;
    const uint32_t slices = s->is_3d && !s->linear ? 1u << s->tile_d : 1;
    unit.depth = slices;
    const uint64_t bytes = surface_layer_bytes(&unit), step = s->is_3d ? bytes : s->layer_stride;
    const uint64_t slice = UINT64_C(256) << s->tile_h; /* of one tile: 64 bytes, 4 << tile_h rows */
    uint64_t inside = 0;
    if (extent >= bytes)
        inside = step ? ((extent - bytes) / step + 1) * slices : s->depth;
    const uint64_t whole = inside / slices * step;
    if (s->is_3d && bytes - slice * (slices - 1) <= extent - whole)
        inside += slices - (bytes - (extent - whole) + slice - 1) / slice;
    return inside < s->depth ? (uint32_t)inside : s->depth;
}

/* *layers: how many the state wants; lowered to how many are there. */
static bool resolve_surface(tp_context *c, const struct target_state *t, uint32_t *layers,
                            bool is_3d, const char *what, unsigned index, struct surface *out) {
    const uint32_t max_layers = is_3d ? MAX_SLICES : MAX_LAYERS;
    if (t->width - 1 >= MAX_SAMPLES_WIDE || t->height - 1 >= MAX_SAMPLES_WIDE ||
        *layers > max_layers || t->tile_h > MAX_TILE || t->tile_d > MAX_TILE) {
        context_fail(c, TP_ERROR_INVALID,
                     "%s target %u: %ux%u, %u layers, tile mode %u %u: too large", what, index,
                     t->width, t->height, *layers, t->tile_h, t->tile_d);
        return false;
    }
    out->format = t->format; /* field by field: targets are compared with their padding */
    out->width = t->width;
    out->height = t->height;
    out->depth = *layers;
    out->linear = t->linear;
    out->is_3d = is_3d;
    out->pitch = t->pitch;
    out->tile_h = t->tile_h;
    out->tile_d = t->tile_d;
    out->layer_stride = t->layer_stride;
    uint64_t extent;
    out->data = memory_view(c->device->memory, t->address, &extent);
    *layers = layers_inside(out, extent);
    if (!*layers) {
        context_fail(
            c, TP_ERROR_INVALID, "%s target %u: %ux%u at 0x%llx does not fit into %llu bytes", what,
            index, t->width, t->height, (unsigned long long)t->address, (unsigned long long)extent);
        return false;
    }
    out->size = extent;
    return true;
}

static void limit_size(struct raster_targets *t, const struct surface *s) {
    uint32_t sx, sy;
    surface_sample_shift(t->samples, &sx, &sy);
    const uint32_t w = s->width >> sx, h = s->height >> sy;
    t->width = t->width && t->width < w ? t->width : w;
    t->height = t->height && t->height < h ? t->height : h;
}

bool snapshot_targets(tp_context *c, struct raster_targets *t) {
    const struct state *s = &c->state;
    memset(t, 0, sizeof *t);
    t->samples = s->samples == 2 || s->samples == 4 || s->samples == 8 ? s->samples : 1;
    t->layers = s->layers ? s->layers : 1;
    t->color_count = s->color_count <= RASTER_TARGETS ? s->color_count : RASTER_TARGETS;
    for (unsigned i = 0; i < t->color_count; i++) {
        const struct target_state *color = &s->color[s->color_map[i] & (RASTER_TARGETS - 1)];
        if (color->format == FORMAT_NONE || !color->address)
            continue;
        if (!resolve_surface(c, color, &t->layers, s->layers_3d, "colour", i, &t->color[i]))
            return false;
        limit_size(t, &t->color[i]);
    }
    if (s->zeta_enable && s->zeta.format != FORMAT_NONE && s->zeta.address) {
        if (!resolve_surface(c, &s->zeta, &t->layers, false, "zeta", 0, &t->zeta))
            return false;
        limit_size(t, &t->zeta);
    }
    return true;
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
