/* State objects: the contents of state groups that a draw uses, each kept once and numbered. The
 * objects of touched groups are looked up by their contents, so a state that returns has the same
 * numbers as before. Parts of draws are known by these numbers (capture.c). A texture, vertex array
 * or viewport counts only if a program names it. In: groups that were touched. Out: a number for
 * each object. Must not know the use of objects in draws.
 */
#include "pipeline/state/build.h"

#include <stdlib.h>

/* The most objects of one kind. Before one more is added, all are forgotten; each gets a new number
 * when it is next used. */
enum { OBJECT_LIMIT = 1024 };

struct state_object {
    struct state_object *next;
    uint64_t hash, number;
    size_t size;
    unsigned char bytes[];
};

/* The number of sums that are computed side by side, because a single sum would wait for each
 * multiplication. */
enum { SUMS = 4 };
static const uint64_t factor = UINT64_C(0x9fb21c651e98df25);

static void add_words(uint64_t h[SUMS], const unsigned char *p) {
    uint64_t word[SUMS];
    memcpy(word, p, sizeof word);
    for (int i = 0; i < SUMS; i++) {
        h[i] = (h[i] ^ word[i]) * factor;
        h[i] ^= h[i] >> 29;
    }
}

static uint64_t hash_bytes(const unsigned char *p, size_t size) {
    enum { STEP = SUMS * sizeof(uint64_t) };
    uint64_t h[SUMS] = {size, 1, 2, 3};
    unsigned char last[STEP] = {0};
    for (; size >= STEP; p += STEP, size -= STEP)
        add_words(h, p);
    memcpy(last, p, size);
    add_words(h, last);
    for (int i = 1; i < SUMS; i++)
        h[0] = (h[0] ^ h[i]) * factor;
    return h[0] ^ h[0] >> 32;
}

static void forget_objects(struct state_table *t) {
    for (uint32_t i = 0; i < OBJECT_SLOTS; i++) {
        while (t->slot[i]) {
            struct state_object *next = t->slot[i]->next;
            free(t->slot[i]);
            t->slot[i] = next;
        }
    }
    t->count = 0;
}

/* Returns the number of the object with these contents. If memory runs out, the object gets a new
 * number each time. */
static uint64_t find_number(struct captured *p, struct state_table *t, const void *bytes,
                            size_t size) {
    const uint64_t hash = hash_bytes(bytes, size);
    struct state_object **slot = &t->slot[hash % OBJECT_SLOTS];
    for (const struct state_object *o = *slot; o; o = o->next)
        if (o->hash == hash && o->size == size && !memcmp(o->bytes, bytes, size))
            return o->number;
    if (t->count == OBJECT_LIMIT)
        forget_objects(t);
    struct state_object *o = malloc(sizeof *o + size);
    const uint64_t number = ++p->objects;
    if (o) {
        *o = (struct state_object){*slot, hash, number, size};
        memcpy(o->bytes, bytes, size);
        *slot = o;
        t->count++;
    }
    return number;
}

/* ---- the contents of an object ---- */

#define PUT(at, field) (memcpy(at, &(field), sizeof(field)), (at) += sizeof(field))

static unsigned char *put_stage(const struct state *s, enum program_type stage, unsigned char *at) {
    PUT(at, s->program[stage]);
    PUT(at, s->header[stage]);
    PUT(at, s->call_limit[stage]);
    return at;
}

static unsigned char *put_vertex(const struct state *s, unsigned char *at) {
    at = put_stage(s, PROGRAM_VP, at);
    PUT(at, s->semantic);
    PUT(at, s->viewport_from_gp);
    PUT(at, s->mode);
    return at;
}

static unsigned char *put_tessellation(const struct state *s, unsigned char *at) {
    if (s->program[PROGRAM_TCP])
        at = put_stage(s, PROGRAM_TCP, at);
    if (!s->program[PROGRAM_TEP])
        return at;
    at = put_stage(s, PROGRAM_TEP, at);
    PUT(at, s->tess_mode.domain);
    PUT(at, s->tess_mode.spacing);
    PUT(at, s->tess_mode.primitives);
    PUT(at, s->tess_mode.clockwise);
    PUT(at, s->tess_levels);
    return at;
}

static unsigned char *put_geometry(const struct state *s, unsigned char *at) {
    return put_stage(s, PROGRAM_GP, at);
}

static unsigned char *put_fragment(const struct state *s, unsigned char *at) {
    at = put_stage(s, PROGRAM_FP, at);
    PUT(at, s->layer);
    PUT(at, s->point_size_from_slot);
    PUT(at, s->point_coord_map);
    return at;
}

static unsigned char *put_view(const struct state *s, unsigned char *at) {
    const struct clip_state clip = drawn_clip(s);
    PUT(at, clip);
    PUT(at, s->viewport_transform);
    PUT(at, s->setup.pixel_center_integer);
    for (unsigned i = 0; i < state_viewports(s); i++) {
        PUT(at, s->viewport[i].scale);
        PUT(at, s->viewport[i].translate);
    }
    return at;
}

static unsigned char *put_scissor(const struct state *s, unsigned char *at) {
    PUT(at, s->viewports_cut);
    for (unsigned i = 0; i < state_viewports(s); i++) {
        const struct viewport_state *v = &s->viewport[i];
        if (s->viewports_cut)
            PUT(at, v->rect);
        PUT(at, v->depth);
        PUT(at, v->scissor_enable);
        PUT(at, v->scissor);
    }
    PUT(at, s->screen_scissor_enable);
    PUT(at, s->screen_scissor);
    PUT(at, s->limits.rect_mode);
    if (s->limits.rect_mode)
        PUT(at, s->limits.rect);
    PUT(at, s->limits.depth_clamp);
    return at;
}

#define BIT(group) (1u << GROUP_##group)

/* groups: an object is looked up again if one of these groups was touched. put: the function that
 * writes the contents; NULL: the contents are the bytes of group `whole`. OBJECT_TARGET is numbered
 * by objects_update_targets(). */
static const struct {
    uint32_t groups;
    enum state_group whole;
    unsigned char *(*put)(const struct state *s, unsigned char *at);
} kind[OBJECTS] = {
    [OBJECT_VERTEX] = {.groups = BIT(PROGRAM), .put = put_vertex},
    [OBJECT_TESSELLATION] = {.groups = BIT(PROGRAM), .put = put_tessellation},
    [OBJECT_GEOMETRY] = {.groups = BIT(PROGRAM), .put = put_geometry},
    [OBJECT_FRAGMENT] = {.groups = BIT(PROGRAM), .put = put_fragment},
    [OBJECT_FETCH] = {.groups = BIT(FETCH) | BIT(PROGRAM) | BIT(RASTER), .put = put_fetch},
    [OBJECT_TEXTURE] = {.groups = BIT(TEXTURE) | BIT(PROGRAM), .put = put_textures},
    [OBJECT_VIEW] = {.groups = BIT(VIEW) | BIT(PROGRAM) | BIT(RASTER), .put = put_view},
    [OBJECT_SCISSOR] = {.groups = BIT(VIEW) | BIT(PROGRAM), .put = put_scissor},
    [OBJECT_RASTER] = {.groups = BIT(RASTER), .whole = GROUP_RASTER},
    [OBJECT_ZETA] = {.groups = BIT(ZETA), .whole = GROUP_ZETA},
    [OBJECT_COLOR] = {.groups = BIT(COLOR), .whole = GROUP_COLOR},
    [OBJECT_SAMPLE] = {.groups = BIT(SAMPLE), .whole = GROUP_SAMPLE},
};

static void number_object(struct captured *p, enum object_kind k, const void *bytes, size_t size) {
    const uint64_t number = find_number(p, &p->state_table[k], bytes, size);
    if (number != p->object[k])
        p->stale |= parts_of(k);
    p->object[k] = number;
}

void objects_update(tp_context *c) {
    enum { ROOM = 8192 };
    _Static_assert(ROOM >= 4 * TEXTURE_WORDS, "room for each");
    struct captured *p = &c->p->captured;
    const uint32_t touched = c->state.touched;
    unsigned char bytes[ROOM];
    c->state.touched = 0;
    for (int k = 0; k < OBJECTS; k++) {
        if (!(kind[k].groups & touched))
            continue;
        const struct state_extent *e = &state_extent[kind[k].whole];
        if (kind[k].put)
            number_object(p, k, bytes, (size_t)(kind[k].put(&c->state, bytes) - bytes));
        else
            number_object(p, k, (const unsigned char *)&c->state + e->offset, e->size);
    }
}

void objects_update_targets(struct captured *p) {
    number_object(p, OBJECT_TARGET, &p->resolved, sizeof p->resolved);
}

void objects_free(struct captured *p) {
    for (int k = 0; k < OBJECTS; k++)
        forget_objects(&p->state_table[k]);
}
