/* The state of a new context, and the changes to the state when a program is bound. In: program
 * headers. Out: fields of the state. Must not read memory.
 */
#include "pipeline/state/linkage.h"
#include "raster/functions.h"

#define EXTENT(first, after)                                                                       \
    {offsetof(struct state, first), offsetof(struct state, after) - offsetof(struct state, first)}
const struct state_extent state_extent[STATE_GROUPS] = {
    [GROUP_FETCH] = EXTENT(array, program),
    [GROUP_PROGRAM] = EXTENT(program, const_buffer),
    [GROUP_CONSTANT] = EXTENT(const_buffer, tic),
    [GROUP_TEXTURE] = EXTENT(tic, color_count),
    [GROUP_TARGET] = EXTENT(color_count, viewport_transform),
    [GROUP_VIEW] = EXTENT(viewport_transform, rasterize),
    [GROUP_RASTER] = EXTENT(rasterize, zeta_test),
    [GROUP_ZETA] = EXTENT(zeta_test, color_op),
    [GROUP_COLOR] = EXTENT(color_op, sample),
    [GROUP_SAMPLE] = EXTENT(sample, stream),
    [GROUP_STREAM] = EXTENT(stream, clear_color),
};

static void init_raster(struct state *s) {
    s->rasterize = true;
    s->polygon_mode[0] = s->polygon_mode[1] = POLYGON_FILL;
    s->setup.front_ccw = true;
    s->provoking_last = true;
    s->setup.line_width = s->point_size = 1;
    s->line_stipple_factor = 1;
    s->edge_flag = true;
    s->clear_stencil_mask = 0xff;
    s->viewport_transform = true;
    for (int i = 0; i < STATE_VIEWPORTS; i++) {
        struct viewport_state *v = &s->viewport[i];
        for (int k = 0; k < 3; k++)
            v->scale[k] = 1;
        v->depth.far = 1;
    }
    s->sample.mask = UINT32_MAX;
    s->samples = 1;
    s->layers = 1;
}

static void init_output(struct state *s) {
    s->zeta_enable = true;
    s->zeta_test.depth_func = FUNC_LESS;
    for (int i = 0; i < 2; i++)
        s->zeta_test.face[i] = (struct stencil_face){
            FUNC_ALWAYS, STENCIL_KEEP, STENCIL_KEEP, STENCIL_KEEP, 0, 0xff, 0xff};
    s->zeta_test.bounds[1] = 1;
    for (int i = 0; i < RASTER_TARGETS; i++) {
        s->color_map[i] = (uint8_t)i;
        s->color_op.mask[i] = 0xf;
        s->color_op.blend[i] = (struct blend_target){
            false, EQUATION_ADD, BLEND_ONE, BLEND_ZERO, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
    }
    s->color_op.alpha_func = FUNC_ALWAYS;
    s->color_op.logic_op = LOGIC_OP_COPY;
    s->condition_mode = 1;
    for (int i = 0; i < PROGRAM_TYPES; i++)
        s->call_limit[i] = UINT32_MAX;
}

static const struct semantic_state no_semantic = {0xff, 0xff, 0xff, 0xff, 0xff,
                                                  0,    0xff, 0xff, 0,    false};

void state_init(struct state *s) {
    memset(s, 0, sizeof *s);
    s->touched = (1u << STATE_GROUPS) - 1;
    init_raster(s);
    init_output(s);
    s->semantic = no_semantic;
    memset(s->const_binding, 0xff, sizeof s->const_binding);
    for (int i = 0; i < STATE_ATTRIBUTES; i++) {
        s->attribute[i].constant = true;
        s->current[i][3] = 0x3f800000;
    }
}

static void take_semantic(struct state *s, const struct program_header *h) {
    const uint8_t front = h->slot_color[0][0], second = h->slot_color[0][1];
    s->semantic = (struct semantic_state){
        .point_size = h->slot_point_size,
        .layer = h->slot_layer,
        .viewport = h->slot_viewport,
        .primitive_id = h->slot_primitive_id,
        .clip = h->clip_count ? h->slot_clip : 0xff,
        .clip_count = h->clip_count,
        .color_front = front,
        .color_back = h->slot_color[1][0],
        .color_count = front == 0xff                      ? 0
                       : second != 0xff && second > front ? second - front + 4
                                                          : 4,
    };
    s->point_size_from_slot = h->slot_point_size != 0xff;
    s->viewport_from_gp = h->slot_viewport != 0xff;
    s->two_sided_color = front != 0xff && h->slot_color[1][0] != 0xff;
}

/* True if a bound graphics program is a Fermi's: its header names words of the map a[]. */
static bool is_fermi(const struct state *s) {
    bool rows = false;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i))
        rows |= s->program[i] && s->program[i]->rows;
    return rows;
}

static void link_fermi(struct state *s) {
    state_link(s, 0);
    s->point_size_from_slot = s->semantic.point_size != 0xff;
    s->viewport_from_gp = s->semantic.viewport != 0xff;
    s->two_sided_color = false;
}

void state_bind_program(struct state *s, enum program_type stage, struct program *program) {
    state_touch(s, GROUP_PROGRAM);
    state_touch(s, GROUP_RASTER); /* the linkage sets two_sided_color */
    s->program[stage] = program;
    if (program)
        s->header[stage] = program->header;
    else
        memset(&s->header[stage], 0, sizeof s->header[stage]);
    if (stage == PROGRAM_CP)
        return; /* compute programs are no stage of a draw */
    if (stage == PROGRAM_FP)
        memcpy(s->point_coord_map, s->header[stage].point_coord, sizeof s->point_coord_map);
    if (is_fermi(s))
        link_fermi(s);
    else if (s->program[PROGRAM_GP])
        take_semantic(s, &s->header[PROGRAM_GP]);
    else if (s->program[PROGRAM_VP])
        take_semantic(s, &s->header[PROGRAM_VP]);
    else
        s->semantic = no_semantic;
}

/* ---- transform feedback ---- */

enum { MAP_USED = 0x80 };

static void clear_words(struct stream_buffer *b, uint32_t stride, uint32_t words) {
    b->stride = stride;
    b->words = (uint8_t)(words < STREAM_WORDS ? words : STREAM_WORDS);
    memset(b->slot, STREAM_SKIP, sizeof b->slot);
}

/* Notes that a word of the map takes a slot. The word numbers of a separate buffer begin at a
 * multiple of 4, after those of the buffer before it. If several slots name one word, the first
 * slot counts: a driver leaves the map of an earlier program after the slots of this one. */
static void map_word(struct stream_state *s, uint32_t word, uint8_t slot) {
    for (unsigned i = 0; i < s->buffer_count && i < STATE_STREAMS; i++) {
        const uint32_t numbers = (s->buffer[i].stride / 4 + 3) & ~3u;
        if (word < s->buffer[i].words) {
            if (s->buffer[i].slot[word] == STREAM_SKIP)
                s->buffer[i].slot[word] = slot;
            return;
        }
        if (word < numbers)
            return;
        word -= numbers;
    }
}

void state_map_streams(struct stream_state *s, const uint8_t map[STREAM_WORDS], bool interleaved,
                       uint32_t stride, uint32_t count, const uint32_t words[STATE_STREAMS]) {
    s->buffer_count = (uint8_t)(interleaved ? 1 : count < STATE_STREAMS ? count : STATE_STREAMS);
    for (unsigned i = 0; i < STATE_STREAMS; i++)
        clear_words(&s->buffer[i], interleaved ? stride : 4 * words[i],
                    interleaved ? stride / 4 : words[i]);
    for (unsigned slot = 0; slot < STREAM_WORDS; slot++)
        if (map[slot] & MAP_USED)
            map_word(s, map[slot] & ~MAP_USED, (uint8_t)slot);
}
