/* Translates registers of the 3D class, of both generations, to the pipeline's state. Units without
 * a newly written register are left out. Called at each draw and clear. In: the register shadow.
 * Out: tp_context.state. Draws nothing. Registers that have another form on Fermi are translated by
 * state_fermi.c. Facts: tesla-3d.md §4.
 */
#include "fifo/engine_3d.h"
#include "pipeline/state/from_gl.h"

#define REG(name) reg_at(e, M_##name)
#define REG_I(name, i, stride) reg_at(e, M_##name + (i) * (stride))
#define FLOAT(name) reg_float(e, M_##name)

static struct raster_rect rect_min_max(uint32_t horizontal, uint32_t vertical) {
    return (struct raster_rect){(int32_t)(horizontal & 0xffff), (int32_t)(vertical & 0xffff),
                                (int32_t)(horizontal >> 16), (int32_t)(vertical >> 16)};
}

static struct raster_rect rect_origin_size(uint32_t horizontal, uint32_t vertical) {
    struct raster_rect r = rect_min_max(horizontal, vertical);
    r.x1 += r.x0;
    r.y1 += r.y0;
    return r;
}

/* ---- vertex fetch ---- */

static void update_fetch(struct engine *e, struct state *s) {
    state_touch(s, GROUP_FETCH);
    for (uint32_t i = 0; i < STATE_ARRAYS; i++) {
        const uint32_t fetch = REG_I(VERTEX_ARRAY_FETCH, i, 16);
        s->array[i] = (struct vertex_array){
            .enable = fetch >> 29 & 1,
            .per_instance = REG_I(VERTEX_ARRAY_PER_INSTANCE, i, 4) != 0,
            .stride = fetch & 0xfff,
            .start = reg_address(e, M_VERTEX_ARRAY_START_HIGH + i * 16),
            .limit = reg_address(e, M_VERTEX_ARRAY_LIMIT_HIGH + i * 8),
            .divisor = REG_I(VERTEX_ARRAY_DIVISOR, i, 16),
        };
        const uint32_t a = REG_I(VERTEX_ARRAY_ATTRIB, i, 4);
        s->attribute[i] = (struct vertex_attribute){
            .array = a & 0xf,
            .constant = a >> 4 & 1,
            .given = true,
            .offset = (uint16_t)(a >> 5 & 0x3fff),
            .format = a >> 19 & 0x3f,
            .type = a >> 25 & 0x3f,
            .bgra = a >> 31,
        };
    }
    s->id_before_base = e->class_id >= 0x8297; /* since the class with VERTEX_ID_BASE */
    if (engine_is_fermi(e))
        fermi_read_fetch(e, s);
    s->element_base = (int32_t)REG(VB_ELEMENT_BASE);
    s->instance_base = REG(VB_INSTANCE_BASE);
    s->vertex_id_base = REG(VERTEX_ID_BASE);
    s->restart_enable = REG(PRIM_RESTART_ENABLE) != 0;
    s->restart_index = REG(PRIM_RESTART_INDEX);
    s->restart_with_arrays = REG(PRIM_RESTART_WITH_DRAW_ARRAYS) != 0;
}

/* ---- programs and the links between them ---- */

static void update_programs(struct engine_3d *t, struct state *s) {
    static const struct {
        uint16_t address, start, regs;
    } stages[] = {
        [PROGRAM_VP] = {M_VP_ADDRESS_HIGH, M_VP_START_ID, M_VP_REG_ALLOC_TEMP},
        [PROGRAM_GP] = {M_GP_ADDRESS_HIGH, M_GP_START_ID, M_GP_REG_ALLOC_TEMP},
        [PROGRAM_FP] = {M_FP_ADDRESS_HIGH, M_FP_START_ID, M_FP_REG_ALLOC_TEMP},
    };
    struct engine *e = &t->base;
    t->fragment_code = channel_fragment_code(e->channel);
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        const uint32_t regs = reg_at(e, stages[i].regs);
        const uint64_t segment =
            i == PROGRAM_FP ? t->fragment_code : reg_address(e, stages[i].address);
        s->program[i] = NULL;
        if (i == PROGRAM_GP && !REG(GP_ENABLE))
            continue;
        s->program[i] = code_find(&t->code, e->channel, (enum program_type)i, segment,
                                  reg_at(e, stages[i].start), regs);
    }
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        s->call_limit[i] = engine_call_limit(REG(CALL_LIMIT_LOG) >> 4 * i);
    s->mode = MODE_SAT_NAN | (REG(ISA_FLAGS) & MODE_NONFP_DERIV);
    s->mode |= REG(ISA_FLAGS) & 1 << 16 ? MODE_MUL_ZERO_WINS : 0;
}

enum { TESLA_SLOTS = 72, MAP_CONST0_VP = 0x40, MAP_CONST0_GP = 0x80 };

/* Reads a map of result words. Words from const0 on stand for constants: 0, 1.0, then 0. */
static void read_map(const struct engine *e, uint32_t size, uint32_t address, uint32_t const0,
                     struct program_header *h) {
    h->map_size = (uint8_t)(size < TESLA_SLOTS ? size : TESLA_SLOTS);
    for (uint32_t i = 0; i < h->map_size; i++) {
        const uint32_t word = reg_at(e, address + i) >> 8 * (i & 3) & 0xff;
        h->result_map[i] = word < const0        ? (uint8_t)word
                           : word == const0 + 1 ? RESULT_ONE
                                                : RESULT_ZERO;
    }
}

/* The slot; 0xff for no slot. A driver that means no slot passes slot 0, the position's. */
static uint8_t slot_or_none(uint32_t slot, bool enabled) {
    return enabled && slot ? (uint8_t)slot : 0xff;
}

static void update_semantic(struct engine *e, struct state *s) {
    const uint32_t color = REG(SEMANTIC_COLOR), clip = REG(SEMANTIC_CLIP), layer = REG(LAYER);
    const uint32_t point_size = REG(SEMANTIC_PTSZ);
    const bool geometry = REG(GP_ENABLE) != 0;
    s->semantic = (struct semantic_state){
        .point_size = slot_or_none(point_size >> 4 & 0xff, point_size & 1),
        .layer = slot_or_none(REG(SEMANTIC_LAYER) & 0xff, layer >> 16 & 1),
        .viewport = slot_or_none(REG(SEMANTIC_VIEWPORT) & 0xff, REG(GP_VIEWPORT_ID_ENABLE) != 0),
        .primitive_id = slot_or_none(REG(SEMANTIC_PRIM_ID) & 0xff, !geometry),
        .clip = clip & 0xff,
        .clip_count = clip >> 8 & 0xf,
        .color_front = color & 0xff,
        .color_back = color >> 8 & 0xff,
        .color_count = color >> 16 & 0xff,
        .color_clamp = color >> 24 & 1,
    };
    s->layer = (uint16_t)layer;
    s->point_size_from_slot = point_size & 1;
    s->viewport_from_gp = REG(GP_VIEWPORT_ID_ENABLE) != 0;
}

static void update_linkage(struct engine *e, struct state *s) {
    struct program_header *vp = &s->header[PROGRAM_VP], *gp = &s->header[PROGRAM_GP];
    struct program_header *fp = &s->header[PROGRAM_FP];
    state_touch(s, GROUP_PROGRAM);
    *vp = (struct program_header){
        .attr_enable = {REG(VP_ATTR_EN), REG_I(VP_ATTR_EN, 1, 4)},
        .builtin_enable = REG(VP_GP_BUILTIN_ATTR_EN),
        .result_count = (uint16_t)REG(VP_REG_ALLOC_RESULT),
        .reg_count = (uint16_t)REG(VP_REG_ALLOC_TEMP),
    };
    read_map(e, REG(VP_RESULT_MAP_SIZE), M_VP_RESULT_MAP, MAP_CONST0_VP, vp);
    *gp = (struct program_header){
        .builtin_enable = REG(VP_GP_BUILTIN_ATTR_EN),
        .result_count = (uint16_t)REG(GP_REG_ALLOC_RESULT),
        .reg_count = (uint16_t)REG(GP_REG_ALLOC_TEMP),
        .gp_out_primitive = (uint8_t)REG(GP_OUTPUT_PRIMITIVE_TYPE),
        .gp_max_vertices = (uint16_t)REG(GP_VERTEX_OUTPUT_COUNT),
    };
    read_map(e, REG(GP_RESULT_MAP_SIZE), M_GP_RESULT_MAP, MAP_CONST0_GP, gp);
    *fp = (struct program_header){
        .interpolant_ctrl = REG(FP_INTERPOLANT_CTRL),
        .fp_control = REG(FP_CONTROL),
        .fp_results = (uint8_t)REG(FP_RESULT_COUNT),
        .reg_count = (uint16_t)REG(FP_REG_ALLOC_TEMP),
    };
    for (uint32_t i = 0; i < 4; i++)
        fp->noperspective[i] = REG_I(NOPERSPECTIVE_BITMAP, i, 4);
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        s->header[i].local_size = s->program[i] ? s->program[i]->header.local_size : 0;
    for (uint32_t i = 0; i < 8; i++)
        s->point_coord_map[i] = REG_I(POINT_COORD_REPLACE_MAP, i, 4);
    update_semantic(e, s);
}

/* ---- targets ---- */

void state_3d_read_color(struct engine *e, uint32_t i, struct target_state *t) {
    const uint32_t format = REG_I(RT_FORMAT, i, 32), mode = REG_I(RT_TILE_MODE, i, 32);
    const uint32_t horizontal = REG_I(RT_HORIZ, i, 8);
    *t = (struct target_state){
        .address = format ? reg_address(e, M_RT_ADDRESS_HIGH + i * 32) : 0,
        .format = format_from_color_code(format & 0xff),
        .linear = horizontal >> 31,
        .width = horizontal & 0xfffffff,
        .height = REG_I(RT_VERT, i, 8),
        .tile_h = engine_tile_height(e, mode),
        .tile_d = mode >> 8 & 0xf,
        .layer_stride = (uint64_t)REG_I(RT_LAYER_STRIDE, i, 32) << 2,
    };
    if (t->address && t->format == FORMAT_NONE)
        engine_complain(e, M_RT_FORMAT + i * 32, "format %x", format);
    if (t->linear) {
        t->pitch = t->width;
        t->width /= t->format ? format_info(t->format)->bytes : 1;
    }
}

void state_3d_read_zeta(struct engine *e, struct target_state *t) {
    const uint32_t mode = REG(ZETA_TILE_MODE);
    *t = (struct target_state){
        .address = reg_address(e, M_ZETA_ADDRESS_HIGH),
        .format = format_from_zeta_code(REG(ZETA_FORMAT)),
        .width = REG(ZETA_HORIZ) & 0xfffffff,
        .height = REG(ZETA_VERT),
        .tile_h = engine_tile_height(e, mode),
        .tile_d = mode >> 8 & 0xf,
        .layer_stride = (uint64_t)REG(ZETA_LAYER_STRIDE) << 2,
    };
    if (REG(ZETA_ENABLE) && t->format == FORMAT_NONE)
        engine_complain(e, M_ZETA_FORMAT, "format %x", REG(ZETA_FORMAT));
}

/* array: the value of RT_ARRAY_MODE that is to be used. */
static void update_targets(struct engine *e, struct state *s, uint32_t array) {
    static const uint8_t samples[16] = {1, 2, 4, 8, 8, 2, 1, 1, 4, 4, 8, 8, 1, 1, 1, 1};
    const uint32_t control = REG(RT_CONTROL), count = control & 0xf;
    bool any = false;
    state_touch(s, GROUP_TARGET);
    s->color_count = (uint8_t)(count < RASTER_TARGETS ? count : RASTER_TARGETS);
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        s->color_map[i] = control >> (4 + 3 * i) & 7;
    }
    s->zeta_enable = REG(ZETA_ENABLE) != 0;
    s->samples = samples[REG(MULTISAMPLE_MODE) & 0xf];
    if (engine_is_fermi(e)) {
        fermi_read_targets(e, s);
        return;
    }
    for (uint32_t i = 0; i < RASTER_TARGETS; i++)
        state_3d_read_color(e, i, &s->color[i]);
    for (uint32_t i = 0; i < s->color_count; i++)
        any |= s->color[s->color_map[i]].address != 0;
    state_3d_read_zeta(e, &s->zeta);
    const uint32_t layers = (any ? array : REG(ZETA_ARRAY_MODE)) & 0xffff;
    s->layers = layers ? layers : 1;
    s->layers_3d = array >> 16 & 1;
}

/* ---- viewport ---- */

static void update_viewports(struct engine_3d *t, struct state *s) {
    struct engine *e = &t->base;
    t->viewports = state_viewports(s);
    state_touch(s, GROUP_VIEW);
    for (uint32_t i = 0; i < t->viewports; i++) {
        struct viewport_state *v = &s->viewport[i];
        for (uint32_t k = 0; k < 3; k++) {
            v->scale[k] = reg_float(e, M_VIEWPORT_SCALE_X + i * 32 + k * 4);
            v->translate[k] = reg_float(e, M_VIEWPORT_TRANSLATE_X + i * 32 + k * 4);
        }
        v->depth.near = reg_float(e, M_DEPTH_RANGE_NEAR + i * 16);
        v->depth.far = reg_float(e, M_DEPTH_RANGE_FAR + i * 16);
        v->rect = rect_origin_size(REG_I(VIEWPORT_HORIZ, i, 16), REG_I(VIEWPORT_VERT, i, 16));
        v->scissor_enable = REG_I(SCISSOR_ENABLE, i, 16) != 0;
        v->scissor = rect_min_max(REG_I(SCISSOR_HORIZ, i, 16), REG_I(SCISSOR_VERT, i, 16));
    }
    s->viewport_transform = REG(VIEWPORT_TRANSFORM_EN) != 0;
    s->screen_scissor_enable = true;
    s->screen_scissor = rect_origin_size(REG(SCREEN_SCISSOR_HORIZ), REG(SCREEN_SCISSOR_VERT));
    s->limits.rect_mode = REG(CLIP_RECTS_EN) ? (uint8_t)((REG(CLIP_RECTS_MODE) & 1) + 1) : 0;
    for (uint32_t i = 0; i < RASTER_RECTS; i++)
        s->limits.rect[i] = rect_min_max(REG_I(CLIP_RECT_HORIZ, i, 8), REG_I(CLIP_RECT_VERT, i, 8));
    const uint32_t volume = REG(VIEW_VOLUME_CLIP_CTRL);
    s->limits.depth_clamp = s->depth_clip_off = (volume & 0x18) != 0; /* DEPTH_CLAMP_NEAR, _FAR */
    s->clip_z_zero = REG(DEPTH_CLIP_NEGATIVE_Z) != 0;
    s->clip_enable = (uint8_t)REG(CLIP_DISTANCE_ENABLE);
    s->clip_mode = REG(CLIP_DISTANCE_MODE);
    if (REG(WINDOW_OFFSET_X) || REG(WINDOW_OFFSET_Y))
        engine_complain(e, M_WINDOW_OFFSET_X, "window offset %d, %d", (int)REG(WINDOW_OFFSET_X),
                        (int)REG(WINDOW_OFFSET_Y));
    if (REG(SCREEN_Y_CONTROL))
        engine_complain(e, M_SCREEN_Y_CONTROL, "y control %x", REG(SCREEN_Y_CONTROL));
}

/* ---- raster ---- */

static uint8_t cull_bits(const struct engine *e) {
    if (!REG(CULL_FACE_ENABLE))
        return 0;
    const uint32_t face = REG(CULL_FACE);
    return face == REG_FRONT_AND_BACK ? CULL_FRONT | CULL_BACK
           : face == REG_FRONT        ? CULL_FRONT
                                      : CULL_BACK;
}

static void update_raster(struct engine *e, struct state *s) {
    state_touch(s, GROUP_RASTER);
    s->rasterize = REG(RASTERIZE_ENABLE) != 0;
    s->polygon_mode[0] = polygon_mode_from_gl(REG(POLYGON_MODE_FRONT));
    s->polygon_mode[1] = polygon_mode_from_gl(REG(POLYGON_MODE_BACK));
    s->setup.front_ccw = REG(FRONT_FACE) == REG_CCW;
    s->setup.cull = cull_bits(e);
    s->flat_shade = REG(SHADE_MODEL) == REG_FLAT;
    s->provoking_last = REG(PROVOKING_VERTEX_LAST) != 0;
    s->two_sided_color = REG(VERTEX_TWO_SIDE_ENABLE) != 0;
    s->setup.line_width = FLOAT(LINE_WIDTH);
    s->point_size = FLOAT(POINT_SIZE);
    s->setup.point_sprite = REG(POINT_SPRITE_ENABLE) != 0;
    s->setup.point_origin_lower_left = !(REG(POINT_SPRITE_CTRL) & 0x10);
    s->setup.offset_enable[0] = REG(POLYGON_OFFSET_POINT_ENABLE) != 0;
    s->setup.offset_enable[1] = REG(POLYGON_OFFSET_LINE_ENABLE) != 0;
    s->setup.offset_enable[2] = REG(POLYGON_OFFSET_FILL_ENABLE) != 0;
    s->setup.offset_factor = FLOAT(POLYGON_OFFSET_FACTOR);
    s->setup.offset_units = FLOAT(POLYGON_OFFSET_UNITS);
    s->setup.offset_clamp = FLOAT(POLYGON_OFFSET_CLAMP);
    s->setup.pixel_center_integer = REG(PIXEL_CENTER_INTEGER) != 0;
    s->setup.line_smooth = REG(LINE_SMOOTH_ENABLE) != 0;
    s->setup.point_smooth = REG(POINT_SMOOTH_ENABLE) != 0;
    s->setup.polygon_smooth = REG(POLYGON_SMOOTH_ENABLE) != 0;
    s->line_stipple = REG(LINE_STIPPLE_ENABLE) != 0;
    s->line_stipple_factor = (uint16_t)((REG(LINE_STIPPLE) & 0xff) + 1);
    s->line_stipple_pattern = (uint16_t)(REG(LINE_STIPPLE) >> 8);
    s->setup.polygon_stipple = REG(POLYGON_STIPPLE_ENABLE) != 0;
    for (uint32_t i = 0; i < 32; i++)
        s->setup.stipple_pattern[i] = REG_I(POLYGON_STIPPLE_PATTERN, i, 4);
    if (engine_is_fermi(e))
        fermi_read_raster(e, s);
}

/* ---- zeta ---- */

static void update_zeta(struct engine *e, struct state *s) {
    const bool two_sided = REG(STENCIL_TWO_SIDE_ENABLE) != 0;
    state_touch(s, GROUP_ZETA);
    s->zeta_test = (struct zeta_state){
        .depth_test = REG(DEPTH_TEST_ENABLE) != 0,
        .depth_write = REG(DEPTH_WRITE_ENABLE) != 0,
        .bounds_test = REG(DEPTH_BOUNDS_EN) != 0,
        .stencil_test = REG(STENCIL_ENABLE) != 0,
        .two_sided = two_sided,
        .depth_func = compare_func_from_gl(REG(DEPTH_TEST_FUNC)),
        .bounds = {reg_float(e, M_DEPTH_BOUNDS), reg_float(e, M_DEPTH_BOUNDS + 4)},
        .face[0] =
            {
                .func = compare_func_from_gl(REG(STENCIL_FRONT_FUNC_FUNC)),
                .fail = stencil_op_from_gl(REG(STENCIL_FRONT_OP_FAIL)),
                .zfail = stencil_op_from_gl(REG(STENCIL_FRONT_OP_ZFAIL)),
                .zpass = stencil_op_from_gl(REG(STENCIL_FRONT_OP_ZPASS)),
                .ref = (uint8_t)REG(STENCIL_FRONT_FUNC_REF),
                .func_mask = (uint8_t)REG(STENCIL_FRONT_FUNC_MASK),
                .write_mask = (uint8_t)REG(STENCIL_FRONT_MASK),
            },
        .face[1] =
            {
                .func = compare_func_from_gl(REG(STENCIL_BACK_FUNC_FUNC)),
                .fail = stencil_op_from_gl(REG(STENCIL_BACK_OP_FAIL)),
                .zfail = stencil_op_from_gl(REG(STENCIL_BACK_OP_ZFAIL)),
                .zpass = stencil_op_from_gl(REG(STENCIL_BACK_OP_ZPASS)),
                .ref = (uint8_t)REG(STENCIL_BACK_FUNC_REF),
                .func_mask = (uint8_t)REG(STENCIL_BACK_FUNC_MASK),
                .write_mask = (uint8_t)REG(STENCIL_BACK_MASK),
            },
    };
}

/* ---- blend ---- */

/* The pipeline's form of a blend factor. The hardware's factors are OpenGL's with bit 14 set,
 * except those of the second source. */
static uint8_t blend_factor(uint32_t factor) {
    if (factor >= 0xc900 && factor <= 0xc903)
        return (uint8_t)(BLEND_SRC1_COLOR + factor - 0xc900);
    return blend_factor_from_gl(factor & ~0x4000u);
}

static struct blend_target blend_at(const struct engine *e, const uint16_t method[6],
                                    uint32_t offset, bool enable) {
    const struct blend_target b = {
        .enable = enable,
        .equation_rgb = blend_equation_from_gl(reg_at(e, method[0] + offset)),
        .src_rgb = blend_factor(reg_at(e, method[1] + offset)),
        .dst_rgb = blend_factor(reg_at(e, method[2] + offset)),
        .equation_a = blend_equation_from_gl(reg_at(e, method[3] + offset)),
        .src_a = blend_factor(reg_at(e, method[4] + offset)),
        .dst_a = blend_factor(reg_at(e, method[5] + offset)),
    };
    return b;
}

static uint8_t color_mask(uint32_t value) {
    return (uint8_t)((value & 0xf ? 1 : 0) | (value & 0xf0 ? 2 : 0) | (value & 0xf00 ? 4 : 0) |
                     (value & 0xf000 ? 8 : 0));
}

static void update_blend(struct engine *e, struct state *s) {
    static const uint16_t common[6] = {M_BLEND_EQUATION_RGB,   M_BLEND_FUNC_SRC_RGB,
                                       M_BLEND_FUNC_DST_RGB,   M_BLEND_EQUATION_ALPHA,
                                       M_BLEND_FUNC_SRC_ALPHA, M_BLEND_FUNC_DST_ALPHA};
    static const uint16_t own[6] = {M_IBLEND_EQUATION_RGB,   M_IBLEND_FUNC_SRC_RGB,
                                    M_IBLEND_FUNC_DST_RGB,   M_IBLEND_EQUATION_ALPHA,
                                    M_IBLEND_FUNC_SRC_ALPHA, M_IBLEND_FUNC_DST_ALPHA};
    const bool independent = REG(BLEND_INDEPENDENT) != 0;
    struct color_state *c = &s->color_op;
    uint32_t clamp = 0;
    state_touch(s, GROUP_COLOR);
    for (uint32_t i = 0; i < RASTER_TARGETS; i++) {
        const bool enable = REG_I(BLEND_ENABLE, REG(BLEND_ENABLE_COMMON) ? 0 : i, 4) != 0;
        c->blend[i] = blend_at(e, independent ? own : common, independent ? i * 32 : 0, enable);
        clamp |= (REG(FRAG_COLOR_CLAMP_EN) >> 4 * i & 1) << i;
        c->mask[i] = color_mask(REG_I(COLOR_MASK, REG(COLOR_MASK_COMMON) ? 0 : i, 4));
    }
    for (uint32_t i = 0; i < 4; i++)
        c->blend_color[i] = reg_float(e, M_BLEND_COLOR + i * 4);
    c->clamp = (uint8_t)clamp;
    c->logic_op_enable = REG(LOGIC_OP_ENABLE) != 0;
    c->logic_op = logic_op_from_gl(REG(LOGIC_OP));
    c->alpha_test = REG(ALPHA_TEST_ENABLE) != 0;
    c->alpha_func = compare_func_from_gl(REG(ALPHA_TEST_FUNC));
    c->alpha_ref = FLOAT(ALPHA_TEST_REF);
}

/* ---- samples, conditions, modes ---- */

static void update_samples(struct engine *e, struct state *s) {
    const uint32_t control = REG(MULTISAMPLE_CTRL), fp = REG(FP_MULTISAMPLE);
    state_touch(s, GROUP_SAMPLE);
    state_touch(s, GROUP_COLOR); /* for alpha to coverage and alpha to one */
    s->sample.multisample = REG(MULTISAMPLE_ENABLE) != 0;
    s->color_op.alpha_to_coverage = control & 1;
    s->color_op.alpha_to_one = control >> 4 & 1;
    s->sample.mask = REG(MSAA_MASK) & 0xffff;
    s->fp_sample_mask = fp & 1;
    s->sample.shading = (fp & 2) || (REG(SAMPLE_SHADING) & 0x10);
    s->sample.count = REG(SAMPLECNT_ENABLE) != 0;
    s->condition_mode = (uint8_t)REG(COND_MODE);
    s->condition_address = reg_address(e, M_COND_ADDRESS_HIGH);
    if (engine_is_fermi(e)) /* the width of lines depends on MULTISAMPLE_ENABLE */
        e->dirty |= UINT64_C(1) << UNIT_RASTER;
}

static void update_stream(struct engine *e, struct state *s) {
    const uint32_t control = REG(STRMOUT_BUFFERS_CTRL);
    struct stream_state *t = &s->stream;
    state_touch(s, GROUP_STREAM);
    if (engine_is_fermi(e)) {
        fermi_read_streams(e, s);
        return;
    }
    uint8_t map[STREAM_WORDS];
    uint32_t words[STATE_STREAMS];
    t->enable = REG(STRMOUT_ENABLE) != 0;
    t->limit_by_primitives = !(control & 2);
    t->primitive_limit = REG(STRMOUT_PRIMITIVE_LIMIT);
    for (uint32_t i = 0; i < sizeof map; i++)
        map[i] = (uint8_t)(reg_at(e, M_STRMOUT_MAP + i) >> 8 * (i & 3));
    for (uint32_t i = 0; i < STATE_STREAMS; i++)
        words[i] = REG_I(STRMOUT_NUM_ATTRIBS, i, 16);
    state_map_streams(t, map, control & 1, control >> 8 & 0xfff, control >> 4 & 0xf, words);
    for (uint32_t i = 0; i < STATE_STREAMS; i++) {
        t->buffer[i].address = reg_address(e, M_STRMOUT_ADDRESS_HIGH + i * 16);
        t->buffer[i].limit =
            t->limit_by_primitives ? UINT32_MAX : REG_I(STRMOUT_OFFSET_LIMIT, i, 16);
    }
}

static void update_texture_tables(struct engine *e, struct state *s) {
    state_touch(s, GROUP_TEXTURE);
    s->tic_table = (struct descriptor_table){reg_address(e, M_TIC_ADDRESS_HIGH), REG(TIC_LIMIT)};
    s->tsc_table = (struct descriptor_table){reg_address(e, M_TSC_ADDRESS_HIGH), REG(TSC_LIMIT)};
    s->linked_tsc = REG(LINKED_TSC) != 0;
    s->all_levels = engine_lacks_levels(e);
    s->tall_blocks = engine_is_fermi(e);
    s->seamless_cube =
        e->class_id >= 0x8397 && (REG(TEX_MISC) & 4); /* older classes have no seamless cubes */
}

static bool take_dirty(struct engine *e, enum unit_3d unit) {
    const uint64_t bit = UINT64_C(1) << unit;
    const bool dirty = e->dirty & bit;
    e->dirty &= ~bit;
    return dirty;
}

static void update_common(struct engine_3d *t, uint32_t array_mode) {
    struct engine *e = &t->base;
    struct state *s = &engine_context(e)->state;
    if (take_dirty(e, UNIT_TARGET))
        update_targets(e, s, array_mode);
    if (take_dirty(e, UNIT_VIEWPORT))
        update_viewports(t, s);
    if (take_dirty(e, UNIT_SAMPLE))
        update_samples(e, s);
}

/* Before a clear the driver raises the number of layers to the maximum, and afterwards lowers the
 * number again. A change of the number would count as a change of targets and end the scene. So a
 * clear uses the previous number if that number is large enough. */
void state_3d_update_clear(struct engine_3d *t, uint32_t layer) {
    const bool enough =
        layer < (t->array_mode[1] & 0xffff) && (t->array_mode[0] ^ t->array_mode[1]) < 0x10000;
    update_common(t, t->array_mode[enough]);
    if (enough) /* a draw may follow before the number is set again */
        t->base.dirty |= UINT64_C(1) << UNIT_TARGET;
}

void state_3d_update_targets(struct engine_3d *t) {
    update_common(t, t->array_mode[0]);
}

static void update_tesla_programs(struct engine_3d *t, struct state *s) {
    struct engine *e = &t->base;
    const bool programs =
        take_dirty(e, UNIT_PROGRAM) || t->fragment_code != channel_fragment_code(e->channel);
    if (programs)
        update_programs(t, s);
    if (take_dirty(e, UNIT_LINKAGE) || programs)
        update_linkage(e, s);
}

static void update_fermi_programs(struct engine_3d *t, struct state *s) {
    /* streams name words of the last stage's program */
    const uint64_t streams = UINT64_C(1) << UNIT_STREAM;
    const bool programs = take_dirty(&t->base, UNIT_PROGRAM),
               linkage = take_dirty(&t->base, UNIT_LINKAGE);
    if (programs || linkage || (t->base.dirty & streams)) {
        fermi_read_programs(t, s);
        t->base.dirty |= streams;
    }
}

void state_3d_update(struct engine_3d *t) {
    struct engine *e = &t->base;
    struct state *s = &engine_context(e)->state;
    const uint64_t units = (UINT64_C(1) << UNITS_3D) - (UINT64_C(2) << UNIT_NONE);
    if (!(e->dirty & units) && t->fragment_code == channel_fragment_code(e->channel))
        return; /* no translated register was written */
    update_common(t, t->array_mode[0]);
    if (engine_is_fermi(e))
        update_fermi_programs(t, s);
    else
        update_tesla_programs(t, s);
    if (state_viewports(s) > t->viewports)
        update_viewports(t, s);
    if (take_dirty(e, UNIT_FETCH))
        update_fetch(e, s);
    if (take_dirty(e, UNIT_RASTER))
        update_raster(e, s);
    if (take_dirty(e, UNIT_ZETA))
        update_zeta(e, s);
    if (take_dirty(e, UNIT_BLEND))
        update_blend(e, s);
    if (take_dirty(e, UNIT_STREAM))
        update_stream(e, s);
    if (take_dirty(e, UNIT_TEXTURE))
        update_texture_tables(e, s);
    if (take_dirty(e, UNIT_IMAGE) && engine_is_fermi(e))
        fermi_read_images(e, s);
}
