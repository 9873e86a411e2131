/* The parts of a draw, and the groups of the state that each is made of. A part is known by the numbers of its
 * groups (objects.c): draws that are alike in these have the same one, whatever they are in others. In: a
 * draw's key. Out: its parts, made where they are not known. Must not know what is in a part.
 */
#include "pipeline/state/build.h"

#include <stddef.h>
#include <string.h>

#define BIT(group) (1u << GROUP_##group)

/* Groups that a part's maker looks at, and no others; what it looks at in other parts is in its key too. */
static const struct {
    uint32_t groups;
    bool class; /* and the class of the draw's primitives */
    size_t field;
    const void *(*make)(struct draw_maker *m);
} kind[PARTS] = {
    [PART_STAGES] = {BIT(PROGRAM) | BIT(TEXTURE), false, offsetof(struct draw, stages), make_stages},
    [PART_VIEW] = {BIT(PROGRAM) | BIT(VIEW) | BIT(RASTER), false, offsetof(struct draw, view), make_view},
    [PART_VERTEX] = {BIT(PROGRAM) | BIT(FETCH) | BIT(RASTER), false, offsetof(struct draw, vertex),
                     make_vertex},
    [PART_GEOMETRY] = {BIT(PROGRAM), true, offsetof(struct draw, geometry), make_geometry},
    [PART_PRIMITIVES] = {BIT(PROGRAM) | BIT(RASTER), true, offsetof(struct draw, primitives),
                         make_primitives},
    [PART_PLAN] = {BIT(PROGRAM) | BIT(TARGET) | BIT(VIEW) | BIT(RASTER) | BIT(ZETA) | BIT(COLOR) |
                       BIT(SAMPLE),
                   true, offsetof(struct draw, plan), make_plan},
};

void *part_alloc(struct draw_maker *m, size_t size) {
    void *part = scene_alloc(m->c->p->scene, size);
    if (part)
        return memset(part, 0, size);
    m->result = context_fail(m->c, TP_ERROR_MEMORY, "out of memory for the state of a draw");
    return NULL;
}

/* All that the part depends on; its length in words. */
static uint32_t part_key(const struct draw_maker *m, enum draw_part part, uint64_t key[PART_WORDS]) {
    uint32_t n = 0;
    key[n++] = part;
    if (kind[part].class)
        key[n++] = m->key->class;
    if (part == PART_STAGES)
        key[n++] = m->c->p->memory_epoch; /* descriptors may lie in memory */
    if (part == PART_VERTEX || part == PART_PRIMITIVES)
        key[n++] = (uintptr_t)m->draw->view;
    if (part == PART_VERTEX)
        key[n++] = (uintptr_t)m->draw->stages->program[PROGRAM_VP].tex;
    for (uint32_t rest = kind[part].groups; rest; rest &= rest - 1)
        key[n++] = m->key->object[__builtin_ctz(rest)];
    return n;
}

/* The place of the part with this key, which is empty if it is not known. */
static struct known_part *place_of(struct context_private *p, const uint64_t *key, uint32_t n) {
    const uint64_t epoch = scene_epoch(p->scene);
    uint64_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    struct known_part *way = p->part[(h >> 32) % PART_SETS], *unused = NULL;
    for (int i = 0; i < PART_WAYS; i++) {
        if (way[i].epoch != epoch)
            unused = &way[i];
        else if (!memcmp(way[i].key, key, n * sizeof *key))
            return &way[i];
    }
    if (!unused)
        unused = &way[p->forgotten_parts++ % PART_WAYS];
    *unused = (struct known_part){.epoch = epoch};
    memcpy(unused->key, key, n * sizeof *key);
    return unused;
}

static bool make_part(struct draw_maker *m, enum draw_part part) {
    const void **field = (const void **)((char *)m->draw + kind[part].field);
    uint64_t key[PART_WORDS];
    if (part == PART_VERTEX && m->inlined) { /* of these vertices alone */
        *field = make_vertex(m);
        return *field;
    }
    struct known_part *place = place_of(m->c->p, key, part_key(m, part, key));
    if (!place->value)
        place->value = kind[part].make(m);
    *field = place->value;
    return *field;
}

bool make_parts(struct draw_maker *m) {
    for (enum draw_part part = 0; part < PARTS; part++)
        if ((part != PART_GEOMETRY || m->c->state.program[PROGRAM_GP]) && !make_part(m, part))
            return false;
    m->draw->raster = m->draw->plan->state;
    return true;
}
