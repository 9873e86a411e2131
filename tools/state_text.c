/* The state of a draw as text: programs, vertices, targets, raster, zeta, colour, and textures. A
 * line has a group, a name and a value. Features that are off and most default values are left out.
 * In: struct state. Out: a call of the caller's function for each line. */
#include "tools/state_text.h"
#include "base/format_text.h"

#include "raster/functions.h"
#include "tex/tex.h"
#include "shader/isa/isa.h"

struct writer {
    state_line_fn *line;
    void *self;
    const char *group;
};

__attribute__((format(printf, 3, 4))) static void put_field(const struct writer *w,
                                                            const char *name, const char *format,
                                                            ...) {
    char text[256];
    FORMAT_TEXT(text, format);
    w->line(w->self, w->group, name, text);
}

#define NAME_OF(e, name) [e] = name,
#define NAME(names, value) ((value) < sizeof(names) / sizeof *(names) ? (names)[value] : "?")

const char *func_name(unsigned func) {
    static const char *const names[] = {COMPARE_FUNC_LIST(NAME_OF)};
    return NAME(names, func);
}

const char *factor_name(unsigned factor) {
    static const char *const names[] = {BLEND_FACTOR_LIST(NAME_OF)};
    return NAME(names, factor);
}

const char *equation_name(unsigned equation) {
    static const char *const names[] = {BLEND_EQUATION_LIST(NAME_OF)};
    return NAME(names, equation);
}

const char *logic_op_name(unsigned op) {
    static const char *const names[] = {LOGIC_OP_LIST(NAME_OF)};
    return NAME(names, op);
}

static const char *stencil_op_name(unsigned op) {
    static const char *const names[] = {STENCIL_OP_LIST(NAME_OF)};
    return NAME(names, op);
}

static const char *polygon_name(unsigned mode) {
    static const char *const names[] = {
        [POLYGON_POINT] = "points", [POLYGON_LINE] = "lines", [POLYGON_FILL] = "fill"};
    return NAME(names, mode);
}

static void put_vertices(struct writer *w, const struct state *s) {
    char name[32];
    w->group = "vertices";
    for (unsigned i = 0; i < STATE_ATTRIBUTES; i++) {
        const struct vertex_attribute *a = &s->attribute[i];
        const struct vertex_array *v = &s->array[a->array % STATE_ARRAYS];
        if (a->constant || !a->format || !v->enable)
            continue;
        snprintf(name, sizeof name, "attribute %u", i);
        put_field(w, name, "format 0x%02x, type 0x%02x%s, array %u at 0x%010llx + %u, stride %u%s",
                  a->format, a->type, a->bgra ? ", BGRA" : "", a->array,
                  (unsigned long long)v->start, a->offset, v->stride,
                  v->per_instance ? ", per instance" : "");
    }
    if (s->restart_enable)
        put_field(w, "restart index", "0x%x", s->restart_index);
}

static void put_programs(struct writer *w, const struct state *s) {
    w->group = "programs";
    for (int i = 0; i < PROGRAM_TYPES; i = next_draw_type(i)) {
        const struct program *p = s->program[i];
        if (p)
            put_field(w, program_stage_name(i), "%s, %u words at 0x%06x, %u registers", p->name,
                      p->word_count, p->base, s->header[i].reg_count);
    }
}

static void put_target(struct writer *w, const char *name, const struct target_state *t) {
    if (t->address && t->format != FORMAT_NONE)
        put_field(w, name, "%ux%u %s at 0x%010llx%s", t->width, t->height, format_name(t->format),
                  (unsigned long long)t->address, t->linear ? ", linear" : "");
}

static void put_targets(struct writer *w, const struct state *s) {
    char name[32];
    w->group = "targets";
    for (unsigned i = 0; i < s->color_count && i < RASTER_TARGETS; i++) {
        snprintf(name, sizeof name, "colour %u", i);
        put_target(w, name, &s->color[s->color_map[i] & (RASTER_TARGETS - 1)]);
    }
    if (s->zeta_enable)
        put_target(w, "zeta", &s->zeta);
    if (s->samples > 1)
        put_field(w, "samples", "%u", s->samples);
    if (s->layers > 1)
        put_field(w, "layers", "%u", s->layers);
}

static void put_raster(struct writer *w, const struct state *s) {
    const struct viewport_state *v = &s->viewport[0];
    w->group = "raster";
    put_field(w, "viewport 0", "scale %g %g %g, translate %g %g %g", (double)v->scale[0],
              (double)v->scale[1], (double)v->scale[2], (double)v->translate[0],
              (double)v->translate[1], (double)v->translate[2]);
    if (v->scissor_enable)
        put_field(w, "scissor 0", "%d,%d to %d,%d", v->scissor.x0, v->scissor.y0, v->scissor.x1,
                  v->scissor.y1);
    if (!s->rasterize)
        put_field(w, "rasterize", "off");
    if (s->setup.cull)
        put_field(w, "cull", "%s%s, front is %s", s->setup.cull & CULL_FRONT ? "front " : "",
                  s->setup.cull & CULL_BACK ? "back" : "",
                  s->setup.front_ccw ? "counter-clockwise" : "clockwise");
    for (int i = 0; i < 2; i++)
        if (s->polygon_mode[i] != POLYGON_FILL)
            put_field(w, i ? "back as" : "front as", "%s", polygon_name(s->polygon_mode[i]));
    if (s->setup.offset_enable[0] || s->setup.offset_enable[1] || s->setup.offset_enable[2])
        put_field(w, "polygon offset", "factor %g, units %g, clamp %g",
                  (double)s->setup.offset_factor, (double)s->setup.offset_units,
                  (double)s->setup.offset_clamp);
    if (s->clip_enable)
        put_field(w, "clip distances", "0x%02x", s->clip_enable);
    if (s->sample.multisample && s->samples > 1)
        put_field(w, "sample mask", "0x%x", s->sample.mask);
}

static void put_face(struct writer *w, const char *name, const struct stencil_face *f) {
    put_field(w, name, "%s 0x%02x & 0x%02x; fail %s, depth fail %s, pass %s; writes 0x%02x",
              func_name(f->func), f->ref, f->func_mask, stencil_op_name(f->fail),
              stencil_op_name(f->zfail), stencil_op_name(f->zpass), f->write_mask);
}

static void put_zeta(struct writer *w, const struct state *s) {
    const struct zeta_state *z = &s->zeta_test;
    w->group = "zeta";
    if (z->depth_test)
        put_field(w, "depth test", "%s%s", func_name(z->depth_func),
                  z->depth_write ? ", written" : "");
    if (z->bounds_test)
        put_field(w, "depth bounds", "%g to %g", (double)z->bounds[0], (double)z->bounds[1]);
    if (z->stencil_test)
        put_face(w, z->two_sided ? "stencil front" : "stencil", &z->face[0]);
    if (z->stencil_test && z->two_sided)
        put_face(w, "stencil back", &z->face[1]);
}

static void put_color(struct writer *w, const struct state *s) {
    const struct color_state *c = &s->color_op;
    char name[32];
    w->group = "colour";
    for (unsigned i = 0; i < s->color_count && i < RASTER_TARGETS; i++) {
        const struct blend_target *b = &c->blend[i];
        snprintf(name, sizeof name, "blend %u", i);
        if (b->enable)
            put_field(w, name, "%s: %s * src, %s * dst; alpha %s: %s, %s",
                      equation_name(b->equation_rgb), factor_name(b->src_rgb),
                      factor_name(b->dst_rgb), equation_name(b->equation_a), factor_name(b->src_a),
                      factor_name(b->dst_a));
        snprintf(name, sizeof name, "mask %u", i);
        if (c->mask[i] != 15)
            put_field(w, name, "%s%s%s%s", c->mask[i] & 1 ? "R" : "", c->mask[i] & 2 ? "G" : "",
                      c->mask[i] & 4 ? "B" : "", c->mask[i] & 8 ? "A" : "");
    }
    if (c->logic_op_enable)
        put_field(w, "logic op", "%s", logic_op_name(c->logic_op));
    if (c->alpha_test)
        put_field(w, "alpha test", "%s %g", func_name(c->alpha_func), (double)c->alpha_ref);
    if (c->alpha_to_coverage)
        put_field(w, "alpha to coverage", "on");
}

void state_text(const struct state *s, state_line_fn *line, void *self) {
    struct writer w = {line, self, ""};
    put_programs(&w, s);
    put_vertices(&w, s);
    put_targets(&w, s);
    put_raster(&w, s);
    put_zeta(&w, s);
    put_color(&w, s);
}

void state_targets_text(const struct state *s, state_line_fn *line, void *self) {
    struct writer w = {line, self, ""};
    put_targets(&w, s);
}

bool state_descriptor(const struct descriptor_binding *b, const struct descriptor_table *t,
                      struct gpu_memory *memory, uint32_t word[8]) {
    const void *p = NULL;
    if (b->valid && b->raw)
        p = b->word;
    else if (b->valid && b->index <= t->limit)
        p = memory_at(memory, t->address + 32ull * b->index, 32);
    if (p)
        memcpy(word, p, 32);
    return p;
}

void state_textures_text(const struct state *s, struct gpu_memory *memory, state_line_fn *line,
                         void *self) {
    static const char *const dims[] = {"1D",        "2D",       "3D",     "cube",
                                       "1D array",  "2D array", "buffer", "2D without levels",
                                       "cube array"};
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        for (unsigned i = 0; i < STATE_TEXTURES; i++) {
            char group[40];
            const struct writer w = {line, self, group};
            struct tex_view view;
            uint32_t word[8];
            char name[16], why[256];
            if (!state_descriptor(&s->tic[stage][i], &s->tic_table, memory, word))
                continue;
            snprintf(name, sizeof name, "$t%u", i);
            snprintf(group, sizeof group, "%s textures", program_stage_name(stage));
            if (tex_view_decode(word, memory, &view, why, sizeof why) != 0)
                put_field(&w, name, "broken descriptor: %s", why);
            else
                put_field(&w, name, "%s %ux%ux%u, %u layers, levels %u to %u, %s", dims[view.dim],
                          view.width, view.height, view.depth, view.layers, view.first_level,
                          view.last_level, format_name(view.format));
        }
}
