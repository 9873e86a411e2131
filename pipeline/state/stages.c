/* Makes the parts of a draw:
 * - programs with their constants and textures;
 * - the fetch of vertices, the meaning of a program's results, and the transform from clip space to
 *   the window;
 * - the tessellation stage and the geometry stage;
 * - primitives between the programs and the rasterizer;
 * - the rasterizer's state: the source of each v[] word that the fragment program reads (a result
 *   slot, or the place inside a point), scissors, patterns, offsets, zeta and colour, with the plan
 *   made of them.
 * Also makes the environment of a dispatch. In: the state groups of programs, constants, textures,
 * fetch, view, raster, zeta, colour and samples, the scene's targets, the programs' headers. Out:
 * struct stage_state, view_state, vertex_state, tessellation_state, geometry_state,
 * primitive_state, raster_state, draw_plan. Must not know threads, vertices or texels.
 */
#include "pipeline/debug/unbound.h"
#include "pipeline/state/build.h"
#include "shader/isa/isa.h"

/* ---- programs ---- */

/* Instructions that a warp of a graphics program may execute before its time is limited. Few
 * programs need more, apart from programs that never end. */
enum { WARP_BUDGET = 1 << 22 };

static bool capture_stage(tp_context *c, enum program_type stage, struct warp_env *env,
                          struct stage_textures *textures) {
    struct program *program = c->state.program[stage];
    *env = (struct warp_env){
        .program = program,
        .simd = c->device->simd,
        .mode = c->state.mode,
        .call_limit = c->state.call_limit[stage],
        .budget = c->device->warp_budget ? c->device->warp_budget
                  : stage == PROGRAM_CP  ? 0 /* the larger limit of the shader core */
                                         : WARP_BUDGET,
        .overtime = c->device->warp_budget || !program ? NULL : &program->overtime,
        .memory = c->state.whole_memory || (program && program->rows) ? c->device->memory : NULL,
        .image = stage == PROGRAM_CP ? c->state.compute_image : NULL,
        .native = c->device->native,
        .observer = c->observer[stage],
    };
    if (!program)
        return true;
    if (!scene_keep(c->p->scene, program) || !capture_constants(c, stage, env) ||
        !capture_textures(c, stage, textures))
        return false;
    env->tex = textures->binding;
    return true;
}

static enum program_type last_stage(const struct state *s) {
    return s->program[PROGRAM_GP] ? PROGRAM_GP : s->program[PROGRAM_TEP] ? PROGRAM_TEP : PROGRAM_VP;
}

/* Checks that patches have an evaluation program, and that other primitives have no tessellation
 * programs. */
static enum tp_result check_patches(tp_context *c, uint32_t primitive) {
    const struct state *s = &c->state;
    const struct program *tcp = s->program[PROGRAM_TCP];
    const unsigned vertices = s->header[PROGRAM_TCP].patch_vertices;
    if (primitive >= PRIMITIVE_PATCHES && !s->program[PROGRAM_TEP])
        return context_fail(c, TP_ERROR_INVALID,
                            "patches, but no tessellation evaluation program is bound");
    if (primitive < PRIMITIVE_PATCHES && (tcp || s->program[PROGRAM_TEP]))
        return context_fail(c, TP_ERROR_INVALID, "tessellation programs take patches only");
    if (tcp && (!vertices || vertices > PATCH_VERTICES))
        return context_fail(c, TP_ERROR_INVALID,
                            "tessellation control program %s: patches of %u vertices (1 to %u)",
                            tcp->name, vertices, PATCH_VERTICES);
    return TP_OK;
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
    const enum program_type last = last_stage(s);
    if (s->header[last].map_size < 4) {
        return context_fail(
            c, TP_ERROR_INVALID,
            "%s program %s: the result map has %u slots, position takes slots 0 to 3",
            program_stage_name(last), s->program[last]->name, s->header[last].map_size);
    }
    return TP_OK;
}

bool stages_hold(tp_context *c, struct stage_state *s) {
    if (textures_are_checked(&c->p->captured, s))
        return true;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i)) {
        const struct program *program = s->program[i].program;
        struct stage_textures textures;
        if (program && program->tex_slot_count &&
            (!capture_textures(c, i, &textures) || !same_textures(program, &textures, &s->tex[i])))
            return false;
    }
    s->checked = scene_now(c->p->scene);
    return true;
}

void *make_stages(struct draw_maker *m) {
    tp_context *c = m->c;
    m->result = check_programs(c);
    struct stage_state *s = m->result == TP_OK ? part_alloc(m, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->infallible = true;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i)) {
        const struct program *program = c->state.program[i];
        if (!capture_stage(c, i, &s->program[i], &s->tex[i])) {
            m->result =
                context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a draw");
            return NULL;
        }
        s->now[i] = &s->program[i];
        s->name[i] = program ? program->name : "";
        s->infallible &= !program || (program->facts.infallible && !c->observer[i]);
    }
    memcpy(s->image, c->state.image, sizeof s->image);
    s->program[PROGRAM_FP].image = s->image;
    note_textures(c, s);
    s->checked = s->renewed = scene_now(c->p->scene);
    warn_unbound(c, s, m->inlined);
    return s;
}

/* ---- compute ---- */

/* Returns the view of a g[] space. A linear space whose address lies in no buffer gives access to
 * the whole of memory. */
static struct global_view global_view(tp_context *c, const struct global_state *s) {
    struct gpu_memory *m = c->device->memory;
    uint64_t extent = memory_extent(m, s->address);
    uint8_t *data = extent || s->tiled ? memory_at(m, s->address, extent)
                                       : memory_window(m, s->address, &extent);
    const uint64_t limit = s->limit < extent ? s->limit : extent;
    return (struct global_view){data, limit, s->tiled, s->pitch, s->block_height};
}

bool capture_compute(tp_context *c, struct warp_env *env, struct global_view g[16],
                     struct stage_textures *textures) {
    notice_allocations(c);
    if (!capture_stage(c, PROGRAM_CP, env, textures)) {
        context_fail(c, TP_ERROR_MEMORY, "out of memory capturing the state of a dispatch");
        return false;
    }
    for (int i = 0; i < STATE_GLOBALS; i++)
        g[i] = global_view(c, &c->state.global[i]);
    env->g = g;
    return true;
}

/* ---- vertices ---- */

void build_map(struct result_map *map, const struct program_header *h) {
    map->size = h->map_size < SLOTS ? h->map_size : SLOTS;
    for (unsigned i = 0; i < map->size; i++) {
        const uint8_t word = h->result_map[i];
        map->source[i] = word < RESULT_ROWS ? word : word == RESULT_ONE ? MAP_ONE : MAP_ZERO;
    }
}

static uint8_t output_rows(const struct program_header *h) {
    return (uint8_t)(h->result_count < RESULT_ROWS ? h->result_count : RESULT_ROWS);
}

struct semantic_state drawn_semantic(const struct state *s) {
    struct semantic_state m = s->semantic;
    uint8_t *const slots[] = {&m.point_size, &m.layer, &m.viewport, &m.primitive_id};
    for (unsigned i = 0; i < sizeof slots / sizeof *slots; i++)
        if (*slots[i] >= SLOTS)
            *slots[i] = 0xff;
    return m;
}

struct clip_state drawn_clip(const struct state *s) {
    const struct semantic_state *m = &s->semantic;
    struct clip_state clip = {.depth = !s->depth_clip_off, .z_zero = s->clip_z_zero};
    if (m->clip == 0xff)
        return clip;
    clip.slot = m->clip;
    for (unsigned i = 0; i < STATE_CLIP_PLANES && i < m->clip_count && m->clip + i < SLOTS; i++) {
        if (!(s->clip_enable >> i & 1))
            continue;
        if (s->clip_mode >> 4 * i & 1)
            clip.cull |= (uint8_t)(1u << i);
        else
            clip.clip |= (uint8_t)(1u << i);
    }
    return clip;
}

void *make_view(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    struct view_state *v = part_alloc(m, sizeof *v);
    if (!v)
        return NULL;
    v->transform = s->viewport_transform;
    v->half_pixel = s->setup.pixel_center_integer;
    for (unsigned i = 0; i < state_viewports(s); i++) {
        memcpy(v->scale[i], s->viewport[i].scale, sizeof v->scale[i]);
        memcpy(v->translate[i], s->viewport[i].translate, sizeof v->translate[i]);
    }
    v->clip = drawn_clip(s);
    return v;
}

static void build_program(struct program_stage *p, const struct state *s, enum program_type type) {
    const struct semantic_state semantic = drawn_semantic(s);
    build_map(&p->map, &s->header[type]);
    p->rows = output_rows(&s->header[type]);
    p->local_size = s->header[type].local_size;
    rows_layout(&p->layout, &p->map, p->rows, &semantic);
}

void *make_vertex(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct warp_env *vp = &m->c->p->captured.draw.stages->program[PROGRAM_VP];
    struct vertex_state *v = part_alloc(m, sizeof *v);
    if (!v)
        return NULL;
    if (!build_fetch(m->c, &v->fetch, m->inlined)) {
        m->result = TP_ERROR_INVALID;
        return NULL;
    }
    v->program = vp->program;
    v->mode = vp->mode;
    v->call_limit = vp->call_limit;
    build_program(&v->stage, s, PROGRAM_VP);
    v->provoking_last = s->provoking_last;
    v->semantic = drawn_semantic(s);
    v->viewport_from_slot = state_viewports(s) > 1;
    return v;
}

/* ---- geometry stage ---- */

enum { MAX_VERTICES = 1024 };

/* Returns the class of the primitives that the tessellator makes. */
static enum primitive_class patch_class(const struct state *s) {
    static const uint8_t classes[] = {[TESS_POINTS] = CLASS_POINT,
                                      [TESS_LINES] = CLASS_LINE,
                                      [TESS_TRIANGLE_LIST] = CLASS_TRIANGLE};
    return classes[s->tess_mode.primitives];
}

enum primitive_class drawn_class(const struct state *s, uint32_t primitive) {
    static const uint8_t classes[] = {0, CLASS_POINT, CLASS_LINE, CLASS_TRIANGLE};
    return s->program[PROGRAM_GP]    ? classes[s->header[PROGRAM_GP].gp_out_primitive & 3]
           : s->program[PROGRAM_TEP] ? patch_class(s)
                                     : assemble_class(primitive);
}

static uint8_t input_slots(const struct state *s, enum program_type producer) {
    const uint32_t n = s->header[producer].map_size;
    return (uint8_t)(n < SLOTS ? n : SLOTS);
}

void *make_tessellation(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct program_header *control = &s->header[PROGRAM_TCP];
    struct tessellation_state *t = part_alloc(m, sizeof *t);
    if (!t)
        return NULL;
    t->controlled = s->program[PROGRAM_TCP];
    t->vertices = (uint8_t)assemble_vertices(m->primitive);
    t->patch_words = control->patch_words;
    t->patch_vertices = t->controlled ? control->patch_vertices : t->vertices;
    t->input_slots[0] = input_slots(s, PROGRAM_VP);
    t->input_slots[1] = input_slots(s, t->controlled ? PROGRAM_TCP : PROGRAM_VP);
    if (t->controlled)
        build_program(&t->control, s, PROGRAM_TCP);
    build_program(&t->evaluation, s, PROGRAM_TEP);
    t->mode = s->tess_mode;
    t->levels = s->tess_levels;
    return t;
}

void *make_geometry(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct program_header *h = &s->header[PROGRAM_GP];
    struct geometry_state *g = part_alloc(m, sizeof *g);
    if (!g)
        return NULL;
    build_program(&g->stage, s, PROGRAM_GP);
    g->vertices =
        (uint8_t)(s->program[PROGRAM_TEP] ? patch_class(s) + 1 : assemble_vertices(m->primitive));
    g->input_slots = input_slots(s, s->program[PROGRAM_TEP] ? PROGRAM_TEP : PROGRAM_VP);
    g->primitive = h->gp_out_primitive;
    g->invocations = h->gp_invocations ? h->gp_invocations : 1;
    g->max_vertices = h->gp_max_vertices <= MAX_VERTICES ? h->gp_max_vertices : MAX_VERTICES;
    g->primitive_id = (h->builtin_enable | s->header[PROGRAM_VP].builtin_enable) & 0x100;
    return g;
}

/* ---- primitives ---- */

static bool bit_of(const uint32_t *bits, uint32_t i) {
    return bits[i >> 5] >> (i & 31) & 1;
}

/* The primitives of a draw that become points, by their class or by the polygon mode: none;
 * polygons that face one way; all. */
enum pointed { POINTED_NOTHING, POINTED_ONE_SIDE, POINTED_ALL };

static enum pointed pointed_for(const struct state *s, enum primitive_class class) {
    const int sides = (s->polygon_mode[0] == POLYGON_POINT) + (s->polygon_mode[1] == POLYGON_POINT);
    if (class == CLASS_POINT)
        return POINTED_ALL;
    return class == CLASS_TRIANGLE ? (enum pointed)sides : POINTED_NOTHING;
}

/* Returns the kind of a v[] word. If polygons of only one side become points, the other side needs
 * the values of the vertices. The kinds WORD_POINT_COORD_S and _T interpolate these values there; a
 * flat or constant kind cannot. So words that are flat, or would become constant, keep their kind
 * in this case. */
static uint8_t word_kind(const struct state *s, const struct program_header *h, uint32_t slot,
                         bool flat, enum pointed points) {
    static const uint8_t replaced[] = {0, WORD_POINT_COORD_S, WORD_POINT_COORD_T, WORD_CONST0,
                                       WORD_CONST1};
    const uint32_t coord = s->point_coord_map[slot / 8] >> 4 * (slot % 8) & 15;
    if (s->setup.point_sprite && coord && coord < sizeof replaced &&
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

_Static_assert((int)RASTER_WORDS == (int)VARYING_WORDS, "a plane for each word of a program");

/* Marks words of which the program never reads the interpolated value, or never the flat value. The
 * rasterizer does not compute these values. */
static void mark_unread(const struct program *p, struct raster_state *r) {
    for (uint32_t i = 0; i < r->word_count; i++) {
        const uint8_t kind = r->word[i].kind;
        if (kind == WORD_FLAT || kind == WORD_CONST0 || kind == WORD_CONST1)
            continue;
        const bool value = p && bit_of(p->facts.varying, i);
        const bool flat = p && bit_of(p->facts.varying_flat, i);
        r->word[i].flags |= (uint8_t)((value ? 0 : WORD_NO_VALUE) | (flat ? 0 : WORD_NO_FLAT));
    }
}

/* True if flat shading gives this slot the value of the provoking vertex. */
static bool is_flat_color(const struct primitive_state *p, const struct semantic_state *m,
                          uint32_t slot) {
    return p->flat_color && (slot - m->color_front < m->color_count ||
                             (m->color_back != 0xff && slot - m->color_back < m->color_count));
}

/* Makes vertices keep this slot for the rasterizer. */
static void keep_slot(struct primitive_state *p, uint32_t slot) {
    p->slots = p->slots > slot ? p->slots : (uint8_t)(slot + 1);
}

/* Lists the v[] words after those of the position. Returns their number. */
static uint32_t varying_words(const struct state *s, const struct semantic_state *m,
                              const struct primitive_state *p, struct raster_word *word) {
    const enum pointed points = pointed_for(s, p->class);
    const struct program_header *h = &s->header[PROGRAM_FP];
    const uint32_t ctrl = h->interpolant_ctrl;
    const uint32_t nonflat = ctrl >> 16 & 0xff, first = ctrl >> 8 & 0xff, count = ctrl & 0xff;
    const uint32_t room = RASTER_WORDS - (uint32_t)__builtin_popcount(ctrl >> 24 & 15);
    uint32_t n = 0;
    for (; n < count && n < room && first + n < SLOTS; n++) {
        const uint32_t slot = first + n;
        const uint8_t back = back_slot(s, slot) < SLOTS ? back_slot(s, slot) : (uint8_t)slot;
        const uint8_t kind = word_kind(s, h, slot, n >= nonflat, points);
        const uint8_t flags = is_flat_color(p, m, slot) ? WORD_FLAT_COLOR : 0;
        word[n] = (struct raster_word){kind, (uint8_t)slot, back, flags};
    }
    return n;
}

static void build_words(const struct state *s, const struct primitive_state *p,
                        struct raster_state *r) {
    const struct semantic_state semantic = drawn_semantic(s);
    for (uint8_t i = 0; i < 4; i++)
        if (s->header[PROGRAM_FP].interpolant_ctrl >> (24 + i) & 1)
            r->word[r->word_count++] = (struct raster_word){WORD_POSITION, i, i, 0};
    r->word_count += (uint8_t)varying_words(s, &semantic, p, &r->word[r->word_count]);
    mark_unread(s->program[PROGRAM_FP], r);
}

static void set_both(uint32_t *bits, const struct raster_word *w) {
    bits[w->slot >> 5] |= 1u << (w->slot & 31);
    bits[w->back_slot >> 5] |= 1u << (w->back_slot & 31);
}

/* Notes the slots that the rasterizer reads, and their interpolation. */
static void note_slots(const struct state *s, const struct semantic_state *m,
                       struct primitive_state *p) {
    struct raster_word word[RASTER_WORDS];
    const uint32_t n = varying_words(s, m, p, word);
    for (const struct raster_word *w = word; w < word + n; w++) {
        if (w->kind == WORD_FLAT)
            set_both(p->flat, w);
        if (w->kind == WORD_LINEAR)
            set_both(p->linear, w);
        p->has_flat |= w->kind == WORD_FLAT;
        p->has_linear |= w->kind == WORD_LINEAR;
        keep_slot(p, w->slot);
        keep_slot(p, w->back_slot);
    }
}

/* Sets the number of slots that vertices keep: those of the result map, those with a meaning, and
 * those of clip distances and colours. */
static void build_slots(const struct state *s, const struct semantic_state *m,
                        const struct clip_state *clip, struct primitive_state *p) {
    const struct program_header *last = &s->header[last_stage(s)];
    const uint8_t named[] = {m->point_size, m->layer, m->viewport, m->primitive_id};
    p->slots =
        last->map_size < SLOTS ? last->map_size : SLOTS; /* at least 4, see check_programs() */
    for (unsigned i = 0; i < sizeof named; i++)
        if (named[i] != 0xff)
            keep_slot(p, named[i]);
    for (unsigned i = 0; i < STATE_CLIP_PLANES; i++)
        if ((clip->clip | clip->cull) >> i & 1)
            keep_slot(p, clip->slot + i);
    if (p->flat_color)
        keep_slot(p, (uint32_t)m->color_front + m->color_count - 1);
}

static void build_lines_and_points(const struct state *s, const struct semantic_state *m,
                                   struct primitive_state *p) {
    const bool polygons = p->class == CLASS_TRIANGLE;
    p->line_stipple = s->line_stipple &&
                      (p->class == CLASS_LINE || (polygons && state_has_mode(s, POLYGON_LINE)));
    p->line_stipple_pattern = s->line_stipple_pattern;
    p->line_stipple_factor = s->line_stipple_factor;
    p->point_size_from_slot = s->point_size_from_slot && m->point_size != 0xff;
    p->point_size = s->point_size > 0 ? s->point_size : 1;
}

void *make_primitives(struct draw_maker *m) {
    const struct state *s = &m->c->state;
    const struct semantic_state semantic = drawn_semantic(s);
    m->result = check_patches(m->c, m->primitive);
    struct primitive_state *p = m->result == TP_OK ? part_alloc(m, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->class = drawn_class(s, m->primitive);
    p->layer = s->layer;
    memcpy(p->polygon_mode, s->polygon_mode, sizeof p->polygon_mode);
    p->unfilled = s->polygon_mode[0] != POLYGON_FILL || s->polygon_mode[1] != POLYGON_FILL;
    p->rasterize = s->rasterize;
    p->flat_color = s->flat_shade && semantic.color_front != 0xff && semantic.color_count &&
                    semantic.color_front + semantic.color_count <= SLOTS;
    build_slots(s, &semantic, &m->c->p->captured.draw.view->clip, p);
    note_slots(s, &semantic, p);
    build_lines_and_points(s, &semantic, p);
    const bool numbered = semantic.primitive_id != 0xff && !s->program[PROGRAM_GP];
    const bool filled = p->class == CLASS_TRIANGLE && !p->unfilled;
    p->plain = (filled || !p->flat_color) && !p->line_stipple && !numbered;
    p->plain_points =
        p->class == CLASS_POINT && state_viewports(s) == 1 && semantic.layer == 0xff && !numbered;
    return p;
}

/* ---- rasterizer ---- */

static void build_scissors(const struct state *s, struct raster_state *r) {
    const struct raster_targets *t = r->targets;
    for (unsigned i = 0; i < state_viewports(s); i++) {
        const struct viewport_state *v = &s->viewport[i];
        struct raster_rect rect = {(int32_t)t->origin_x, (int32_t)t->origin_y, (int32_t)t->width,
                                   (int32_t)t->height};
        if (s->screen_scissor_enable)
            raster_rect_limit(&rect, &s->screen_scissor);
        if (s->viewports_cut)
            raster_rect_limit(&rect, &v->rect);
        if (v->scissor_enable)
            raster_rect_limit(&rect, &v->scissor);
        r->view[i].scissor = rect;
        r->view[i].depth = v->depth;
    }
}

/* Turns off smoothing, stipples and offsets of primitives that the draw does not have. */
static void limit_setup(const struct state *s, enum primitive_class class, struct setup_state *u) {
    const bool polygons = class == CLASS_TRIANGLE;
    u->point_smooth &= class == CLASS_POINT || (polygons && state_has_mode(s, POLYGON_POINT));
    u->line_smooth &= class == CLASS_LINE || (polygons && state_has_mode(s, POLYGON_LINE));
    u->polygon_smooth &= polygons && state_has_mode(s, POLYGON_FILL);
    u->polygon_stipple &= polygons && state_has_mode(s, POLYGON_FILL);
    for (int i = 0; i < 3; i++)
        u->offset_enable[i] &= polygons;
}

/* Returns a bit per colour output that a Fermi's program does not write. Tesla's programs write all
 * outputs. */
static uint8_t unwritten_targets(const struct program *p, const struct program_header *fp) {
    uint8_t unwritten = 0;
    for (unsigned i = 0; i < RASTER_TARGETS && p && p->rows; i++)
        if (!(fp->fp_targets >> 4 * i & 15))
            unwritten |= (uint8_t)(1u << i);
    return unwritten;
}

static void build_raster(const struct state *s, enum primitive_class class,
                         struct raster_state *r) {
    const struct program_header *fp = &s->header[PROGRAM_FP];
    r->local_size = fp->local_size;
    r->multiple_results = fp->fp_control & FP_MULTIPLE_RESULTS;
    r->exports_z = fp->fp_control & FP_EXPORTS_Z;
    r->uses_kill = fp->fp_control & FP_USES_KILL;
    r->early_tests = s->early_tests || (fp->fp_control & FP_EARLY_TESTS);
    r->result_regs = fp->fp_results;
    r->unwritten = unwritten_targets(s->program[PROGRAM_FP], fp);
    r->exports_sample_mask = s->fp_sample_mask || (fp->fp_control & FP_EXPORTS_SAMPLE_MASK);
    r->setup = s->setup;
    limit_setup(s, class, &r->setup);
    r->limits = s->limits;
    r->sample = s->sample;
    if (r->targets->zeta.format != FORMAT_NONE)
        r->zeta = s->zeta_test;
    r->color = s->color_op;
    /* Only float and SNORM formats need the clamp bit: other formats clamp anyway, or are
     * integers. */
    for (unsigned i = 0; i < r->targets->color_count; i++) {
        const uint8_t type = format_info(r->targets->color[i].format)->type;
        if (type != COMPONENT_FLOAT && type != COMPONENT_SNORM)
            r->color.clamp &= (uint8_t)~(1u << i);
    }
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
    build_words(s, p, r);
    build_raster(s, p->class, r);
    build_scissors(s, r);
    plan_init(&all->plan, r, m->c->device->simd);
    return &all->plan;
}
