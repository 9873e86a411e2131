/* The part of a draw for its primitives between the programs and the rasterizer, with the source of
 * each v[] word that the fragment program reads: a result slot, or the place inside a point. In:
 * the programs' headers, GROUP_RASTER, the view. Out: struct primitive_state. Must not know values.
 */
#include "pipeline/state/build.h"

#include <string.h>

static bool bit_of(const uint32_t *bits, uint32_t i) {
    return bits[i >> 5] >> (i & 31) & 1;
}

/* Which primitives of a draw become points, by their class or by the polygon mode. */
enum pointed { POINTED_NOTHING, POINTED_ONE_SIDE, POINTED_ALL };

static enum pointed pointed_for(const struct state *s, enum primitive_class class) {
    const int sides = (s->polygon_mode[0] == POLYGON_POINT) + (s->polygon_mode[1] == POLYGON_POINT);
    if (class == CLASS_POINT)
        return POINTED_ALL;
    return class == CLASS_TRIANGLE ? (enum pointed)sides : POINTED_NOTHING;
}

/* If only one side of polygons becomes points, the other side needs the values of the vertices. The
 * coordinate kinds keep these values; constants and flat words would replace them. */
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

/* Marks values and flat words that the program never reads; the rasterizer does not compute
 * them. */
static void mark_unread(const struct program *p, struct primitive_state *r) {
    for (uint32_t i = 0; i < r->word_count; i++) {
        const uint8_t kind = r->word[i].kind;
        if (kind == WORD_FLAT || kind == WORD_CONST0 || kind == WORD_CONST1)
            continue;
        const bool value = p && bit_of(p->facts.varying, i);
        const bool flat = p && bit_of(p->facts.varying_flat, i);
        r->word[i].unread = (uint8_t)((value ? 0 : WORD_NO_VALUE) | (flat ? 0 : WORD_NO_FLAT));
    }
}

/* Vertices that go to the rasterizer keep this slot. */
static void keep_slot(struct primitive_state *p, uint32_t slot) {
    p->slots = p->slots > slot ? p->slots : (uint8_t)(slot + 1);
}

static void build_words(const struct state *s, struct primitive_state *p) {
    const enum pointed points = pointed_for(s, p->class);
    const struct program_header *h = &s->header[PROGRAM_FP];
    const uint32_t ctrl = h->interpolant_ctrl;
    const uint32_t nonflat = ctrl >> 16 & 0xff, first = ctrl >> 8 & 0xff, count = ctrl & 0xff;
    for (uint8_t i = 0; i < 4; i++)
        if (ctrl >> (24 + i) & 1)
            p->word[p->word_count++] = (struct raster_word){WORD_POSITION, i, i, 0};
    for (uint32_t i = 0; i < count && p->word_count < RASTER_WORDS && first + i < SLOTS; i++) {
        const uint32_t slot = first + i;
        const uint8_t back = back_slot(s, slot) < SLOTS ? back_slot(s, slot) : (uint8_t)slot;
        const uint8_t kind = word_kind(s, h, slot, i >= nonflat, points);
        p->word[p->word_count++] = (struct raster_word){kind, (uint8_t)slot, back, 0};
        if (kind == WORD_FLAT)
            p->flat[slot >> 5] |= 1u << (slot & 31), p->flat[back >> 5] |= 1u << (back & 31);
        if (kind == WORD_LINEAR)
            p->linear[slot >> 5] |= 1u << (slot & 31), p->linear[back >> 5] |= 1u << (back & 31);
        p->has_flat |= kind == WORD_FLAT;
        p->has_linear |= kind == WORD_LINEAR;
        keep_slot(p, slot);
        keep_slot(p, back);
    }
    mark_unread(s->program[PROGRAM_FP], p);
}

/* Counts the slots of the result map and the slots that have a meaning. */
static void build_slots(const struct state *s, const struct semantic_state *m,
                        const struct clip_state *clip, struct primitive_state *p) {
    const struct program_header *last =
        &s->header[s->program[PROGRAM_GP] ? PROGRAM_GP : PROGRAM_VP];
    const uint8_t named[] = {m->point_size, m->layer, m->viewport, m->primitive_id};
    p->slots = last->map_size < SLOTS ? last->map_size
                                      : SLOTS; /* 4 at least, or there is no draw (stages.c) */
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
    struct primitive_state *p = part_alloc(m, sizeof *p);
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
    build_words(s, p);
    build_lines_and_points(s, &semantic, p);
    const bool numbered = semantic.primitive_id != 0xff && !s->program[PROGRAM_GP];
    p->plain = !p->flat_color && !p->line_stipple && !numbered;
    p->plain_points =
        p->class == CLASS_POINT && state_viewports(s) == 1 && semantic.layer == 0xff && !numbered;
    return p;
}
