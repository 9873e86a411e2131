/* What the fragment program reads: each v[] word from a result slot, by FP_INTERPOLANT_CTRL, or
 * from the point it lies in. In: GROUP_PROGRAM and GROUP_RASTER. Out: raster_state.word and the
 * slots that vertices must keep. Must not know values.
 */
#include "pipeline/state/build.h"

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

/* Nobody computes what the program does not look at. */
static void mark_unread(const struct program *p, struct raster_state *r) {
    for (uint32_t i = 0; i < r->word_count; i++) {
        const uint8_t kind = r->word[i].kind;
        if (kind == WORD_FLAT || kind == WORD_CONST0 || kind == WORD_CONST1)
            continue;
        const bool value = p && bit_of(p->facts.varying, i);
        const bool flat = p && bit_of(p->facts.varying_flat, i);
        r->word[i].unread = (uint8_t)((value ? 0 : WORD_NO_VALUE) | (flat ? 0 : WORD_NO_FLAT));
    }
}

void build_words(const struct state *s, struct draw *d) {
    const enum pointed points = pointed(s, d->class);
    const struct program_header *h = &s->header[PROGRAM_FP];
    const uint32_t ctrl = h->interpolant_ctrl;
    const uint32_t nonflat = ctrl >> 16 & 0xff, first = ctrl >> 8 & 0xff, count = ctrl & 0xff;
    struct raster_state *r = &d->raster;
    for (uint8_t i = 0; i < 4; i++)
        if (ctrl >> (24 + i) & 1)
            r->word[r->word_count++] = (struct raster_word){WORD_POSITION, i, i, 0};
    for (uint32_t i = 0; i < count && r->word_count < RASTER_WORDS && first + i < SLOTS; i++) {
        const uint32_t slot = first + i;
        const uint8_t back = back_slot(s, slot) < SLOTS ? back_slot(s, slot) : (uint8_t)slot;
        const uint8_t kind = word_kind(s, h, slot, i >= nonflat, points);
        r->word[r->word_count++] = (struct raster_word){kind, (uint8_t)slot, back, 0};
        if (kind == WORD_FLAT)
            d->flat[slot >> 5] |= 1u << (slot & 31), d->flat[back >> 5] |= 1u << (back & 31);
        if (kind == WORD_LINEAR)
            d->linear[slot >> 5] |= 1u << (slot & 31), d->linear[back >> 5] |= 1u << (back & 31);
        d->has_flat |= kind == WORD_FLAT;
        d->has_linear |= kind == WORD_LINEAR;
        d->slots = d->slots > slot ? d->slots : (uint8_t)(slot + 1);
        d->slots = d->slots > back ? d->slots : (uint8_t)(back + 1);
    }
    mark_unread(s->program[PROGRAM_FP], r);
}
