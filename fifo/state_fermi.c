/* Translates registers of Fermi's 3D class to the pipeline's state: those that Tesla's class lacks
 * or has in another form. state_3d.c translates the other registers. In: the register shadow. Out:
 * tp_context.state. Draws nothing. Facts: fermi-3d.md §4.
 */
#include "fifo/engine_3d.h"

#include "pipeline/state/linkage.h"

#define REG(name) reg_at(e, M_##name)
#define REG_I(name, i, stride) reg_at(e, M_##name + (i) * (stride))

/* ---- vertex fetch ---- */

enum { TESLA_TYPE_STEP = 9 }; /* a Fermi's attribute type times 9 is Tesla's */

enum { ATTRIBUTE_WORDS = 0x80 / 4 }; /* a[] word of attribute 0 */

void fermi_read_fetch(struct engine *e, struct state *s) {
    for (uint32_t i = 0; i < STATE_ARRAYS; i++) {
        const uint32_t fetch = REG_I(VERTEX_ARRAY_FETCH, i, 16);
        s->array[i].enable = fetch >> 12 & 1;
        const uint32_t a = REG_I(VERTEX_ARRAY_ATTRIB, i, 4);
        s->attribute[i] = (struct vertex_attribute){
            .array = a & 0x1f,
            .constant = a >> 6 & 1,
            .given = true,
            .offset = (uint16_t)(a >> 7 & 0x3fff),
            .format = a >> 21 & 0x3f,
            .type = (uint8_t)((a >> 27 & 7) * TESLA_TYPE_STEP),
            .bgra = a >> 31,
        };
    }
    const uint32_t id = REG(VERTEX_ID_REPLACE), word = (id >> 4 & 0xff) - ATTRIBUTE_WORDS;
    s->vertex_id_word = id & 1 && word < 4 * STATE_ATTRIBUTES ? (uint8_t)(word + 1) : 0;
    s->id_before_base = true;
}

/* ---- targets ---- */

enum { MODE_LINEAR = 1 << 12, MODE_3D = 1 << 16 };

/* Byte offset of a slice in a 3D target, for a target that begins at this slice. */
static uint64_t slice_offset(const struct target_state *t, uint32_t slice) {
    const struct surface s = {
        .format = t->format,
        .width = t->width,
        .height = t->height,
        .is_3d = true,
        .tile_h = t->tile_h,
        .tile_d = t->tile_d,
    };
    return surface_offset(&s, 0, 0, slice);
}

static void read_color(struct engine *e, uint32_t i, struct state *s) {
    const uint32_t mode = REG_I(RT_TILE_MODE, i, 32), base = REG_I(RT_BASE_LAYER, i, 64);
    struct target_state *t = &s->color[i];
    state_3d_read_color(e, i, t);
    if (mode & MODE_LINEAR) {
        t->linear = true;
        t->pitch = t->width;
        t->width /= t->format ? format_info(t->format)->bytes : 1;
    }
    if (!t->address || !base || t->linear)
        return;
    if (!(mode & MODE_3D))
        t->address += base * t->layer_stride;
    else if (t->format)
        t->address += slice_offset(t, base);
}

static uint32_t layers_from(uint32_t base, uint32_t end) {
    return end > base ? end - base : 1;
}

/* Sets the number of layers of each target. A draw has the layers of the colour target with the
 * most of them, or of zeta if there is no colour target. The first colour target that exists says
 * whether the targets are 3D surfaces. */
static void read_layers(struct engine *e, struct state *s) {
    bool any = false;
    s->layers = 0;
    s->layers_3d = false;
    for (uint32_t i = 0; i < s->color_count; i++) {
        const uint32_t rt = s->color_map[i];
        struct target_state *t = &s->color[rt];
        if (!t->address)
            continue;
        t->layers = layers_from(REG_I(RT_BASE_LAYER, rt, 64), REG_I(RT_LAYERS, rt, 64) & 0xffff);
        s->layers = t->layers > s->layers ? t->layers : s->layers;
        if (!any)
            s->layers_3d = (REG_I(RT_TILE_MODE, rt, 32) & MODE_3D) != 0;
        any = true;
    }
    s->zeta.layers = layers_from(REG(ZETA_BASE_LAYER), REG(ZETA_ARRAY_MODE) & 0xffff);
    if (!any)
        s->layers = s->zeta.layers;
}

void fermi_read_targets(struct engine *e, struct state *s) {
    for (uint32_t i = 0; i < RASTER_TARGETS; i++)
        read_color(e, i, s);
    state_3d_read_zeta(e, &s->zeta);
    if (s->zeta.address)
        s->zeta.address += (uint64_t)REG(ZETA_BASE_LAYER) * s->zeta.layer_stride;
    read_layers(e, s);
}

/* ---- raster ---- */

enum { POINT_UPPER_LEFT = 4 };

void fermi_read_raster(struct engine *e, struct state *s) {
    state_touch(s, GROUP_RASTER);
    const bool smooth = s->setup.line_smooth || s->sample.multisample; /* fermi-3d.md §4 */
    s->setup.line_width = reg_float(e, smooth ? M_LINE_WIDTH_SMOOTH : M_LINE_WIDTH_ALIASED);
    s->setup.point_origin_lower_left = !(REG(POINT_COORD_REPLACE) & POINT_UPPER_LEFT);
}

/* ---- programs ---- */

/* The slots of SP_SELECT. Slot 0 is missing: it is for a vertex program in two parts, which the
 * driver never uses. */
static const struct {
    uint8_t slot, type;
} program_slots[] = {
    {1, PROGRAM_VP}, {2, PROGRAM_TCP}, {3, PROGRAM_TEP}, {4, PROGRAM_GP}, {5, PROGRAM_FP}};

/* Reads the tessellation mode. For isolines, the bit of the winding says whether the points are
 * connected. */
static void read_tessellation(const struct engine *e, struct state *s) {
    enum { CLOCKWISE = 1 << 8, CONNECTED = 1 << 9 };
    const uint32_t mode = REG(TESS_MODE);
    struct tess_mode *m = &s->tess_mode;
    memset(m, 0, sizeof *m);
    m->domain = mode & 3;
    m->spacing = mode >> 4 & 3;
    if (m->domain == TESS_ISOLINES)
        m->primitives = mode & CLOCKWISE ? TESS_LINES : TESS_POINTS;
    else
        m->primitives = mode & CONNECTED ? TESS_TRIANGLE_LIST : TESS_POINTS;
    m->clockwise = mode & CLOCKWISE;
    s->patch_vertices = (uint8_t)(REG(PATCH_VERTICES) < 256 ? REG(PATCH_VERTICES) : 255);
    for (uint32_t i = 0; i < 4; i++)
        s->tess_levels.outer[i] = reg_float(e, M_TESS_LEVEL_OUTER + 4 * i);
    for (uint32_t i = 0; i < 2; i++)
        s->tess_levels.inner[i] = reg_float(e, M_TESS_LEVEL_INNER + 4 * i);
}

enum { SLOT_STRIDE = 64, IDS_FROM_FIRST = 0x1000, REPLACED_SHIFT = 3 };

void fermi_read_programs(struct engine_3d *t, struct state *s) {
    struct engine *e = &t->base;
    const uint64_t segment = reg_address(e, M_CODE_ADDRESS_HIGH);
    for (unsigned i = 0; i < sizeof program_slots / sizeof *program_slots; i++) {
        const uint32_t slot = program_slots[i].slot;
        const enum program_type type = program_slots[i].type;
        s->program[type] = NULL;
        s->call_limit[type] = UINT32_MAX;
        if (REG_I(SP_SELECT, slot, SLOT_STRIDE) & 1)
            s->program[type] = code_find(&t->code, e->channel, type, segment,
                                         REG_I(SP_START_ID, slot, SLOT_STRIDE),
                                         REG_I(SP_GPR_ALLOC, slot, SLOT_STRIDE));
    }
    s->mode = 0;
    state_link(s, REG(POINT_COORD_REPLACE) >> REPLACED_SHIFT);
    s->header[PROGRAM_VP].builtin_enable |= REG(VERTEX_ID_GEN_MODE) & IDS_FROM_FIRST;
    if (REG(FORCE_EARLY_FRAGMENT_TESTS) & 1)
        s->header[PROGRAM_FP].fp_control |= FP_EARLY_TESTS;
    s->layer = (uint16_t)REG(LAYER);
    if (!(REG(LAYER) >> 16 & 1))
        s->semantic.layer = 0xff;
    s->point_size_from_slot = REG(VP_POINT_SIZE) & 1;
    s->viewport_from_gp = s->semantic.viewport != 0xff;
    read_tessellation(e, s);
    s->semantic.color_clamp = REG(VERT_COLOR_CLAMP_EN) & 1;
    fermi_read_raster(e, s); /* POINT_COORD_REPLACE belongs to the programs and to raster */
}

/* ---- images ---- */

enum { IMAGE_STRIDE = 32, IMAGE_LINEAR = 1 << 20 };

struct image_view fermi_image(const struct engine *e, uint32_t home) {
    const uint32_t height = reg_at(e, home + 0xc), format = reg_at(e, home + 0x10);
    return (struct image_view){
        .address = reg_address(e, home),
        .format = format_from_color_code(format >> 4 & 0xff),
        .width = reg_at(e, home + 8),
        .height = height & 0xffff,
        .linear = height & IMAGE_LINEAR,
        .tile_h = engine_tile_height(e, reg_at(e, home + 0x14)),
    };
}

void fermi_read_images(struct engine *e, struct state *s) {
    state_touch(s, GROUP_TEXTURE);
    for (uint32_t i = 0; i < STATE_IMAGES; i++)
        s->image[i] = fermi_image(e, M_IMAGE_ADDRESS_HIGH + i * IMAGE_STRIDE);
}

/* ---- transform feedback ---- */

/* The slot of an a[] word. known[] remembers slots, so that each word is linked once. */
static uint8_t slot_of_word(struct state *s, uint8_t known[256], uint8_t word) {
    if (word != STREAM_SKIP && known[word] == STREAM_SKIP)
        known[word] = state_link_word(s, word);
    return word == STREAM_SKIP ? STREAM_SKIP : known[word];
}

static void read_words(struct engine *e, struct state *s, uint32_t i, uint8_t known[256]) {
    enum { LOCS_STRIDE = 128 };
    struct stream_buffer *b = &s->stream.buffer[i];
    const uint32_t count = REG_I(TFB_VARYING_COUNT, i, 16);
    b->stride = REG_I(TFB_BUFFER_STRIDE, i, 16);
    b->stream = REG_I(TFB_STREAM, i, 16) & 3;
    b->words = (uint8_t)(count < STREAM_WORDS ? count : STREAM_WORDS);
    for (uint32_t k = 0; k < b->words; k++) {
        const uint32_t at = M_TFB_VARYING_LOCS + i * LOCS_STRIDE + (k & ~3u);
        b->slot[k] = slot_of_word(s, known, (uint8_t)(reg_at(e, at) >> 8 * (k & 3)));
    }
}

/* Buffers that are off keep their number and offset, but no stream writes to them. */
void fermi_read_streams(struct engine *e, struct state *s) {
    struct stream_state *t = &s->stream;
    uint8_t known[256];
    memset(known, STREAM_SKIP, sizeof known);
    t->enable = REG(TFB_ENABLE) & 1;
    t->limit_by_primitives = false;
    t->buffer_count = STATE_STREAMS;
    for (uint32_t i = 0; i < STATE_STREAMS; i++) {
        const bool on = REG_I(TFB_BUFFER_ENABLE, i, 32) & 1;
        struct stream_buffer *b = &t->buffer[i];
        b->address = on ? reg_address(e, M_TFB_ADDRESS_HIGH + i * 32) : 0;
        b->limit = on ? REG_I(TFB_BUFFER_SIZE, i, 32) : 0;
        b->stream = STREAM_SKIP;
        b->words = 0;
        b->stride = 0;
        if (on && t->enable)
            read_words(e, s, i, known);
    }
}
