/* The 3D engine (classes 5097 .. 8697, and the methods that 9097 .. 9297 share): methods with an
 * immediate effect, among them those of vertices, indices, clears, constants and bindings. In:
 * method words. Out: pipeline calls. All other registers only keep their value; they become state
 * at the next draw (state_3d.c). Must not know OpenGL.
 */
#include "fifo/engine_3d.h"

#include <stdlib.h>

enum { NO_LIMIT = UINT32_MAX };

static struct engine_3d *as_3d(struct engine *e) {
    return (struct engine_3d *)e;
}

/* ---- current attributes ---- */

/* Sets component k of attribute i by a method for `components` components. The write of the last
 * one gives all further components the defaults 0, 0, 0, 1. For attribute 0 between BEGIN and END
 * that write also emits a vertex. */
static void set_attribute(struct engine *e, uint32_t i, uint32_t k, uint32_t components,
                          uint32_t value) {
    uint32_t *v = engine_context(e)->state.current[i];
    state_touch(&engine_context(e)->state, GROUP_FETCH);
    v[k] = value;
    if (k + 1 < components)
        return;
    for (uint32_t n = components; n < 4; n++)
        v[n] = n == 3 ? 0x3f800000 : 0;
    if (i == 0 && as_3d(e)->drawing)
        engine_check(e, M_VTX_ATTR_1F, draw_vertex(engine_context(e)));
}

static void attribute_1f(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    set_attribute(e, (address - M_VTX_ATTR_1F) / 4, 0, 1, *data);
}

static void attribute_2f(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    set_attribute(e, (address - M_VTX_ATTR_2F_X) / 8, address / 4 % 2, 2, *data);
}

static void attribute_3f(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    set_attribute(e, (address - M_VTX_ATTR_3F_X) / 16, address / 4 % 4, 3, *data);
}

static void attribute_4f(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    set_attribute(e, (address - M_VTX_ATTR_4F_X) / 16, address / 4 % 4, 4, *data);
}

/* ---- draws ---- */

enum {
    BEGIN_INSTANCE_NEXT = 1 << 28,
    BEGIN_PRIMITIVE_ID_CONT = 1 << 29,
    BEGIN_INSTANCE_CONT = 1 << 30
};

void engine_3d_begin(struct engine *e, uint32_t address, uint32_t primitive,
                     enum draw_instance instance) {
    engine_check(e, address, draw_begin(engine_context(e), primitive, instance));
    as_3d(e)->drawing = true; /* also after a failure: END closes the draw */
    as_3d(e)->left = NO_LIMIT;
    as_3d(e)->skip = 0;
}

static void vertex_begin(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t word = *data;
    engine_3d_begin(e, address, word & 0xfffffff,
                    word & BEGIN_INSTANCE_NEXT   ? DRAW_INSTANCE_NEXT
                    : word & BEGIN_INSTANCE_CONT ? DRAW_INSTANCE_SAME
                                                 : DRAW_INSTANCE_FIRST);
    if (word & BEGIN_PRIMITIVE_ID_CONT)
        draw_continue_primitive_ids(engine_context(e));
}

static void vertex_end(struct engine *e, uint32_t address, const uint32_t *, uint32_t) {
    struct engine_3d *t = as_3d(e);
    if (!t->drawing) {
        engine_complain(e, address, "END without BEGIN");
        return;
    }
    t->drawing = false;
    state_3d_update(t);
    channel_before_draw(e->channel);
    engine_check(e, address, draw_end(engine_context(e)));
    channel_count_draw(e->channel);
}

bool engine_3d_in_draw(struct engine *e, uint32_t address) {
    if (!as_3d(e)->drawing)
        engine_complain(e, address, "outside of BEGIN and END");
    return as_3d(e)->drawing;
}

static void vertex_buffer_count(struct engine *e, uint32_t address, const uint32_t *data,
                                uint32_t) {
    if (engine_3d_in_draw(e, address))
        engine_check(e, address,
                     draw_arrays(engine_context(e), reg_at(e, M_VERTEX_BUFFER_FIRST), *data));
}

/* Draws vertices from 0 on: as many of DRAW_TFB_STRIDE bytes as fit between DRAW_TFB_BASE and the
 * data word, the offset in bytes at which a stream output ended. */
static void draw_tfb_bytes(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t stride = reg_at(e, M_DRAW_TFB_STRIDE), base = reg_at(e, M_DRAW_TFB_BASE);
    if (engine_3d_in_draw(e, address) && stride)
        engine_check(e, address,
                     draw_arrays(engine_context(e), 0, *data > base ? (*data - base) / stride : 0));
}

static enum tp_result give_indices(struct engine *e, const void *data, uint32_t count,
                                   uint32_t size) {
    return channel_data_stays(e->channel)
               ? draw_indices_pushed(engine_context(e), data, count, size)
               : draw_indices(engine_context(e), data, count, size);
}

static void element_u32(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    if (engine_3d_in_draw(e, address))
        engine_check(e, address, give_indices(e, data, count, 4));
}

/* Draws indices of `size` bytes that are packed into words. The last SETUP says how many leading
 * indices are skipped and how many are drawn. */
static void packed_elements(struct engine *e, uint32_t address, const uint32_t *data,
                            uint32_t count, uint32_t size) {
    struct engine_3d *t = as_3d(e);
    const uint32_t in_words = count * (4 / size);
    const uint32_t skip = t->skip < in_words ? t->skip : in_words;
    const uint32_t rest = in_words - skip, take = rest < t->left ? rest : t->left;
    t->skip -= skip;
    if (t->left != NO_LIMIT)
        t->left -= take;
    if (take && engine_3d_in_draw(e, address))
        engine_check(e, address, give_indices(e, (const uint8_t *)data + skip * size, take, size));
}

static void element_setup(struct engine *e, uint32_t word) {
    as_3d(e)->skip = word >> 30;
    as_3d(e)->left = word & 0x3fffffff ? word & 0x3fffffff : NO_LIMIT;
}

static void element_u8_setup(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    element_setup(e, *data);
}

/* Two indices share a word here, so the number to skip is only bit 31. */
static void element_u16_setup(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    element_setup(e, *data);
    as_3d(e)->skip = *data >> 31;
}

static void element_u8(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    packed_elements(e, address, data, count, 1);
}

static void element_u16(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    packed_elements(e, address, data, count, 2);
}

static void vertex_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    if (engine_3d_in_draw(e, address))
        engine_check(e, address, draw_vertex_data(engine_context(e), data, count));
}

/* Sets the id of the next vertex, between inline vertices. */
static void vertex_id_base(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    if (as_3d(e)->drawing)
        engine_check(e, address, draw_vertex_id(engine_context(e), *data));
}

static void edge_flag(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_context(e)->state.edge_flag = *data & 1;
    if (as_3d(e)->drawing)
        engine_check(e, address, draw_edge_flag(engine_context(e), *data & 1));
}

/* ---- targets ---- */

static void rt_array_mode(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    as_3d(e)->array_mode[1] = as_3d(e)->array_mode[0];
    as_3d(e)->array_mode[0] = *data;
}

/* ---- viewport ---- */

/* The quirk QUIRK_SCISSOR. The driver draws a blit with the transform off, with the target's
 * rectangle as scissor. The context that made the blit sends a scissor before its next draw, but a
 * new context may send none. So the scissor becomes the largest one when the transform is switched
 * on again. */
static void viewport_transform_en(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    if (*data && engine_is_fermi(e) && channel_quirks(e->channel))
        e->reg[M_SCISSOR_HORIZ / 4] = e->reg[M_SCISSOR_VERT / 4] = 0xffffu << 16;
}

/* ---- clears ---- */

void engine_3d_clear(struct engine *e, uint32_t address, uint32_t word,
                     const struct raster_rect *rect, bool stencil_masked) {
    struct state *s = &engine_context(e)->state;
    for (uint32_t i = 0; i < 4; i++)
        s->clear_color[i] = reg_at(e, M_CLEAR_COLOR + 4 * i);
    s->clear_depth = reg_float(e, M_CLEAR_DEPTH);
    s->clear_stencil = (uint8_t)reg_at(e, M_CLEAR_STENCIL);
    s->clear_stencil_mask = stencil_masked ? (uint8_t)reg_at(e, M_STENCIL_FRONT_MASK) : 0xff;
    engine_check(e, address,
                 context_clear(engine_context(e), word & 0x3f, word >> 6 & 0xf, word >> 10 & 0x7ff,
                               1, rect));
}

enum { CLEAR_STENCIL_MASKED = 1, CLEAR_RECT_VIEWPORT = 0x10 };

static void clear_buffers(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t flags = reg_at(e, M_CLEAR_FLAGS);
    struct state *s = &engine_context(e)->state;
    state_3d_update_clear(as_3d(e), *data >> 10 & 0x7ff);
    struct raster_rect rect = s->screen_scissor;
    if (flags & CLEAR_RECT_VIEWPORT)
        raster_rect_limit(&rect, &s->viewport[0].rect);
    else if (s->viewport[0].scissor_enable)
        raster_rect_limit(&rect, &s->viewport[0].scissor);
    engine_3d_clear(e, address, *data, &rect, flags & CLEAR_STENCIL_MASKED);
}

/* ---- constants, textures ---- */

static void fp_address(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    channel_set_fragment_code(e->channel, reg_address(e, M_FP_ADDRESS_HIGH));
}

static void cb_def_set(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    engine_define_constants(e, reg_address(e, M_CB_DEF_ADDRESS_HIGH), *data);
}

static void cb_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    engine_write_constants(e, address, &e->reg[M_CB_ADDR / 4], data, count);
}

static void set_program_cb(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    static const int8_t stages[16] = {PROGRAM_VP, -1, PROGRAM_GP, PROGRAM_FP, -1, -1, -1, -1,
                                      -1,         -1, -1,         -1,         -1, -1, -1, -1};
    const int stage = stages[*data >> 4 & 0xf];
    if (stage < 0) {
        engine_complain(e, address, "program %u", *data >> 4 & 0xf);
        return;
    }
    engine_bind_constants(e, (enum program_type)stage, *data);
}

/* The stages of the entries of the binding methods, in order. */
static const uint8_t bind_stage[3] = {PROGRAM_VP, PROGRAM_GP, PROGRAM_FP};

static void set_binding(struct engine *e, uint32_t address, struct descriptor_binding *table,
                        uint32_t slot, bool valid, uint32_t index) {
    if (slot < STATE_TEXTURES)
        table[slot] = (struct descriptor_binding){.valid = valid, .index = index};
    else if (valid)
        engine_complain(e, address, "slot %u", slot);
}

void engine_3d_bind_tic(struct engine *e, uint32_t address, enum program_type stage,
                        uint32_t word) {
    state_touch(&engine_context(e)->state, GROUP_TEXTURE);
    set_binding(e, address, engine_context(e)->state.tic[stage], word >> 1 & 0xff, word & 1,
                word >> 9 & 0x3fffff);
}

void engine_3d_bind_tsc(struct engine *e, uint32_t address, enum program_type stage,
                        uint32_t word) {
    state_touch(&engine_context(e)->state, GROUP_TEXTURE);
    set_binding(e, address, engine_context(e)->state.tsc[stage], word >> 4 & 0xf, word & 1,
                word >> 12);
}

static void bind_tic(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tic(e, address, bind_stage[(address - M_BIND_TIC) / 8], *data);
}

static void bind_tsc(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tsc(e, address, bind_stage[(address - M_BIND_TSC) / 8], *data);
}

/* A barrier: later draws see textures as all earlier draws leave them. */
static void tex_cache_ctl(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    context_memory_changed(engine_context(e));
}

/* ---- stream output ---- */

/* The offset is set at once: queued draws with stream output have already written their buffers. */

static void strmout_offset(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_context(e)->state.stream.buffer[(address - M_STRMOUT_OFFSET) / 4].offset = *data;
}

/* Classes below 8397 have no offset method. There, a new address sets the offset in the buffer to
 * 0, and also the count of primitives for the limit. */
static void strmout_address(struct engine *e, uint32_t address, const uint32_t *, uint32_t) {
    if (e->class_id >= 0x8397)
        return;
    engine_context(e)->state.stream.buffer[(address - M_STRMOUT_ADDRESS_LOW) / 16].offset = 0;
    engine_context(e)->state.stream.primitives = 0;
}

/* ---- the class ---- */

#define query_get query_3d_get
#define counter_reset query_3d_counter_reset

static const struct method methods[] = {
#define X(number, fermi, count, stride, fermi_stride, unit, name, call, bulk)                      \
    {number, count, stride, UNIT_##unit, bulk, #name, call},
#define F(fermi, count, stride, unit, name, call, bulk)                                            \
    {FERMI_HOME + fermi, count, stride, UNIT_##unit, bulk, #name, call},
    METHODS_3D(X, F)
#undef X
#undef F
};

static const struct method_number tesla_numbers[] = {
#define X(number, fermi, count, stride, fermi_stride, unit, name, call, bulk) {number, stride},
#define F(fermi, count, stride, unit, name, call, bulk) {NO_METHOD, 0},
    METHODS_3D(X, F)
#undef X
#undef F
};

static const struct method_number fermi_numbers[] = {
#define X(number, fermi, count, stride, fermi_stride, unit, name, call, bulk) {fermi, fermi_stride},
#define F(fermi, count, stride, unit, name, call, bulk) {fermi, stride},
    METHODS_3D(X, F)
#undef X
#undef F
};

/* Registers that are not 0 at first: a driver may rely on the values that the hardware's context
 * has after a reset. */
static const struct {
    uint16_t address;
    uint32_t value;
} defaults[] = {
    {M_COND_MODE, 1},
    {M_EDGEFLAG, 1},
    {M_RASTERIZE_ENABLE, 1},
    {M_VIEWPORT_TRANSFORM_EN, 1},
    {M_POLYGON_MODE_FRONT, REG_FILL},
    {M_POLYGON_MODE_BACK, REG_FILL},
    {M_LINE_WIDTH, 0x3f800000},
    {M_POINT_SIZE, 0x3f800000},
    {M_MSAA_MASK, 0xffff},
    {M_FRONT_FACE, REG_CW},
    {M_CULL_FACE, REG_BACK},
    {M_SHADE_MODEL, REG_SMOOTH},
    {M_DEPTH_TEST_FUNC, REG_ALWAYS},
    {M_ALPHA_TEST_FUNC, REG_ALWAYS},
    {M_LOGIC_OP, REG_COPY},
    {M_COLOR_MASK, 0x1111}, /* a Fermi's driver sends none with a logic operation */
    {M_POINT_SPRITE_CTRL, 0x10},
    {M_STENCIL_FRONT_FUNC_FUNC, REG_ALWAYS},
    {M_STENCIL_BACK_FUNC_FUNC, REG_ALWAYS},
    {M_DEPTH_BOUNDS + 4, 0x3f800000},
    {M_POLYGON_STIPPLE_PATTERN, 0xffffffff},
    {M_LINE_WIDTH_ALIASED, 0x3f800000},
    {M_LINE_WIDTH_SMOOTH, 0x3f800000},
    {M_PATCH_VERTICES, 3},
};

static void start_3d(struct engine *e) {
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        e->reg[defaults[i].address / 4] = defaults[i].value;
    const bool fermi = engine_is_fermi(e);
    for (uint32_t i = 0; fermi && i < STATE_VIEWPORTS; i++) { /* the largest viewport */
        e->reg[M_VIEWPORT_HORIZ / 4 + i * 4] = 0xffffu << 16;
        e->reg[M_VIEWPORT_VERT / 4 + i * 4] = 0xffffu << 16;
    }
    tp_context *const x = engine_context(e);
    state_init(&x->state);
    x->state.whole_memory = x->state.viewports_cut = fermi;
    x->reports.self = e->channel;
    x->reports.write = query_3d_report;
}

static void stop_3d(struct engine *e) {
    code_cache_free(&as_3d(e)->code);
    free(as_3d(e)->fence);
}

#define CLASS(numbers, ...)                                                                        \
    {.name = "3D",                                                                                 \
     .size = sizeof(struct engine_3d),                                                             \
     .method = methods,                                                                            \
     .number = numbers,                                                                            \
     .method_count = sizeof methods / sizeof *methods,                                             \
     .start = start_3d,                                                                            \
     .stop = stop_3d,                                                                              \
     .finish = query_3d_finish,                                                                    \
     __VA_ARGS__}
const struct engine_class engine_3d = CLASS(tesla_numbers, .awaits = NULL);
const struct engine_class engine_3d_fermi = CLASS(fermi_numbers, .awaits = query_3d_awaits);
