/* Links the programs of a Fermi. They share one map, a[0..3ff]: a stage reads a word where the
 * stage before it wrote the word. In: the rows of the bound programs (shader/sph.h). Out: the same
 * fields that Tesla's registers set: result slots with the o[] row of each, slots with a meaning,
 * and the slots that the fragment program reads. Slots 0 to 3 are the position, then come the
 * fragment program's planes, then slots that only have a meaning. Must not know methods. Facts:
 * fermi-3d.md §5.
 */
#include "pipeline/state/linkage.h"

#include "shader/sph.h"

enum { FIRST_PLANE_SLOT = 4, COLOR_WORDS = 8, NO_SLOT = 0xff };
/* A program writes the number of a primitive to this word; the next stage reads the number from
 * A_PRIMITIVE_ID. */
enum { A_PRIMITIVE_ID_OUT = 0x040 / 4 };

/* Returns the o[] row of the producer that holds a[] word `word`. If the producer does not write
 * the word: RESULT_ONE for fourth components from the position on, else RESULT_ZERO. */
static uint8_t source_of(const struct program *producer, uint32_t word) {
    const struct attribute_rows *rows = producer ? producer->rows : NULL;
    if (rows && rows->out[word] != ROW_NONE)
        return rows->out[word];
    return word % 4 == 3 && word >= A_POSITION ? RESULT_ONE : RESULT_ZERO;
}

/* Adds a slot to the map. Returns the slot; NO_SLOT if the map is full. */
static uint8_t add_slot(struct program_header *h, uint8_t source) {
    if (h->map_size == RESULT_MAP_SLOTS)
        return NO_SLOT;
    h->result_map[h->map_size] = source;
    return h->map_size++;
}

/* Makes the map of a stage whose next stage takes vertices: slot i is row i of the next stage. */
static void link_vertices(struct program_header *h, const struct program *producer,
                          const struct program *consumer) {
    const struct attribute_rows *in = consumer->rows;
    h->map_size = in->in_count < RESULT_MAP_SLOTS ? in->in_count : RESULT_MAP_SLOTS;
    for (uint32_t word = 0; word < A_WORDS; word++)
        if (in->in[word] < h->map_size)
            h->result_map[in->in[word]] = source_of(producer, word);
}

/* ---- the last stage before the rasterizer, and the fragment program ---- */

static bool writes(const struct program *p, uint32_t word) {
    return p->rows && p->rows->out[word] != ROW_NONE;
}

/* Notes the meaning of a plane's slot: the number of the primitive, or a colour. */
static void note_plane(struct state *s, const struct program *last, uint32_t word, uint8_t slot) {
    if (word == A_PRIMITIVE_ID && !writes(last, A_PRIMITIVE_ID_OUT))
        s->semantic.primitive_id = slot;
    if (word - A_COLOR < COLOR_WORDS && s->semantic.color_front == NO_SLOT)
        s->semantic.color_front = slot;
    if (word - A_COLOR < COLOR_WORDS && slot == s->semantic.color_front + s->semantic.color_count)
        s->semantic.color_count++;
}

/* The value that a word has inside of a point: 0 its own, 1 s, 2 t, 3 the constant 0, 4 the
 * constant 1. */
static uint32_t point_kind(uint32_t word, uint32_t replaced) {
    if (word == A_POINT_COORD || word == A_POINT_COORD + 1)
        return 1 + word - A_POINT_COORD;
    const uint32_t n = word - A_TEXTURE_COORD;
    return n < 32 && replaced >> n / 4 & 1 ? 1 + n % 4 : 0;
}

static void link_planes(struct state *s, const struct program *last, uint32_t replaced) {
    const struct program *fp = s->program[PROGRAM_FP];
    struct program_header *h = &s->header[last->type], *f = &s->header[PROGRAM_FP];
    uint32_t position = 0, nonflat = 0, count = 0;
    for (uint32_t i = 0; fp->rows && i < fp->rows->in_count; i++) {
        const struct sph_plane *p = &fp->rows->plane[i];
        if ((uint32_t)p->word - A_POSITION < 4) {
            position |= 1u << (p->word - A_POSITION);
            continue;
        }
        const bool id = p->word == A_PRIMITIVE_ID && writes(last, A_PRIMITIVE_ID_OUT);
        const uint8_t slot = add_slot(h, source_of(last, id ? A_PRIMITIVE_ID_OUT : p->word));
        if (slot == NO_SLOT)
            break;
        count++;
        nonflat += p->mode != SPH_FLAT;
        if (p->mode == SPH_LINEAR)
            f->noperspective[slot / 32] |= 1u << slot % 32;
        s->point_coord_map[slot / 8] |= point_kind(p->word, replaced) << 4 * (slot % 8);
        note_plane(s, last, p->word, slot);
    }
    f->interpolant_ctrl = position << 24 | nonflat << 16 | FIRST_PLANE_SLOT << 8 | count;
}

/* Adds slots for the colours of back faces, in the order of the front faces' colours. */
static void link_back_colors(struct state *s, const struct program *last) {
    const struct attribute_rows *in = s->program[PROGRAM_FP]->rows;
    struct semantic_state *m = &s->semantic;
    struct program_header *h = &s->header[last->type];
    const uint8_t first = h->map_size;
    for (uint32_t i = 0; i < m->color_count; i++) {
        const uint32_t plane =
            m->color_front - FIRST_PLANE_SLOT + i +
            (uint32_t)__builtin_popcount(s->header[PROGRAM_FP].interpolant_ctrl >> 24);
        const uint32_t word = in->plane[plane].word - A_COLOR + A_BACK_COLOR;
        add_slot(h, source_of(last, writes(last, word) ? word : in->plane[plane].word));
    }
    if (h->map_size == first + m->color_count && m->color_count)
        m->color_back = first;
}

static uint8_t link_meaning(struct state *s, const struct program *last, uint32_t word) {
    return writes(last, word) ? add_slot(&s->header[last->type], source_of(last, word)) : NO_SLOT;
}

static void link_clip_distances(struct state *s, const struct program *last) {
    struct program_header *h = &s->header[last->type];
    bool any = false;
    for (uint32_t i = 0; i < STATE_CLIP_PLANES; i++)
        any |= writes(last, A_CLIP_DISTANCE + i);
    if (!any || h->map_size + STATE_CLIP_PLANES > RESULT_MAP_SLOTS)
        return;
    s->semantic.clip = h->map_size;
    s->semantic.clip_count = STATE_CLIP_PLANES;
    for (uint32_t i = 0; i < STATE_CLIP_PLANES; i++)
        add_slot(h, source_of(last, A_CLIP_DISTANCE + i));
}

static void link_last(struct state *s, const struct program *last, uint32_t replaced) {
    struct program_header *h = &s->header[last->type];
    h->map_size = 0;
    for (uint32_t i = 0; i < 4; i++)
        add_slot(h, source_of(last, A_POSITION + i));
    if (s->program[PROGRAM_FP]) {
        link_planes(s, last, replaced);
        link_back_colors(s, last);
    }
    s->semantic.point_size = link_meaning(s, last, A_POINT_SIZE);
    s->semantic.layer = link_meaning(s, last, A_LAYER);
    s->semantic.viewport = link_meaning(s, last, A_VIEWPORT);
    link_clip_distances(s, last);
}

/* ---- all ---- */

static const enum program_type order[] = {PROGRAM_VP, PROGRAM_TCP, PROGRAM_TEP, PROGRAM_GP};

static const struct program *last_stage(const struct state *s) {
    const struct program *last = NULL;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        last = s->program[order[i]] ? s->program[order[i]] : last;
    return last;
}

void state_link(struct state *s, uint32_t replaced) {
    const struct program *producer = NULL;
    state_touch(s, GROUP_PROGRAM);
    memset(s->point_coord_map, 0, sizeof s->point_coord_map);
    s->semantic = (struct semantic_state){.point_size = NO_SLOT,
                                          .layer = NO_SLOT,
                                          .viewport = NO_SLOT,
                                          .primitive_id = NO_SLOT,
                                          .clip = NO_SLOT,
                                          .color_front = NO_SLOT,
                                          .color_back = NO_SLOT};
    for (int i = 0; i < PROGRAM_TYPES; i++)
        if (i != PROGRAM_CP && s->program[i])
            s->header[i] = s->program[i]->header;
        else if (i != PROGRAM_CP)
            memset(&s->header[i], 0, sizeof s->header[i]);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        const struct program *p = s->program[order[i]];
        if (p && p->rows && producer)
            link_vertices(&s->header[producer->type], producer, p);
        producer = p ? p : producer;
    }
    if (producer)
        link_last(s, producer, replaced);
}

/* Returns the slot with this source. Slots of colours are left out, because colours may be
 * clamped. */
static uint8_t find_slot(const struct state *s, const struct program_header *h, uint8_t source) {
    const struct semantic_state *m = &s->semantic;
    for (uint32_t i = 0; i < h->map_size; i++)
        if (h->result_map[i] == source && i - m->color_front >= m->color_count &&
            i - m->color_back >= m->color_count)
            return (uint8_t)i;
    return NO_SLOT;
}

uint8_t state_link_word(struct state *s, uint32_t word) {
    const struct program *last = last_stage(s);
    if (!last || word >= A_WORDS)
        return NO_SLOT;
    struct program_header *h = &s->header[last->type];
    const uint8_t source = source_of(last, word), known = find_slot(s, h, source);
    state_touch(s, GROUP_PROGRAM);
    return known != NO_SLOT ? known : add_slot(h, source);
}
