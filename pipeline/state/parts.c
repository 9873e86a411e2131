/* The parts of a draw, and the groups of the state that each is made of. A part is known by the numbers of its
 * groups (objects.c): draws that are alike in these have the same one, whatever they are in others, and whenever
 * they come. A part is kept while draws with it are queued and for some time after: the next frame finds it again.
 * It keeps the programs that it names, and points to nothing else that could go: to no other part. In: a draw's key. Out: its parts, made where they are not known. Must not
 * know what is in a part.
 */
#include "pipeline/state/build.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BIT(group) (1u << GROUP_##group)

/* Groups that a part's maker looks at, and no others; what it looks at in other parts is in its key too. */
static const struct {
    uint32_t groups;
    bool class;   /* and the class of the draw's primitives */
    bool passing; /* tells of memory too: known for the scene's epoch only, in whose memory it is */
    const void *(*make)(struct draw_maker *m);
} kind[PARTS] = {
    [PART_STAGES] = {BIT(PROGRAM) | BIT(TEXTURE), false, true, make_stages},
    [PART_VIEW_NUMBER] = {BIT(PROGRAM) | BIT(VIEW) | BIT(RASTER), false, false, NULL},
    [PART_VIEW] = {0, false, false,
                   make_view}, /* by its number: views that differ in scissors alone are one */
    [PART_VERTEX] = {BIT(PROGRAM) | BIT(FETCH) | BIT(RASTER), false, false, make_vertex},
    [PART_GEOMETRY] = {BIT(PROGRAM), true, false, make_geometry},
    [PART_PRIMITIVES] = {BIT(PROGRAM) | BIT(RASTER), true, false, make_primitives},
    [PART_PLAN] = {BIT(PROGRAM) | BIT(TARGET) | BIT(VIEW) | BIT(RASTER) | BIT(ZETA) | BIT(COLOR) |
                       BIT(SAMPLE),
                   true, false, make_plan},
};

enum {
    PART_ALIGN = 64,
    PART_EPOCHS = 4096, /* of the scene: a part that nobody used for so long is given back */
};

/* A part that outlives the scene's epoch. */
struct kept_part {
    _Alignas(PART_ALIGN) struct kept_part *next; /* of those that lost their place */
    uint64_t used;                               /* epoch of the last draw with it */
    size_t size;
    struct program *program[PROGRAM_FP + 1];
    _Alignas(PART_ALIGN) unsigned char bytes[];
};

/* ---- memory ---- */

static void *kept_alloc(struct draw_maker *m, size_t size) {
    size = (sizeof(struct kept_part) + size + PART_ALIGN - 1) & ~(size_t)(PART_ALIGN - 1);
    struct kept_part *k = aligned_alloc(PART_ALIGN, size);
    if (!k)
        return NULL;
    memset(k, 0, size);
    k->size = size;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP && kind[m->part].groups & BIT(PROGRAM); i++)
        if (m->c->state.program[i])
            k->program[i] = program_ref(m->c->state.program[i]);
    m->kept = k;
    return k->bytes;
}

void *part_alloc(struct draw_maker *m, size_t size) {
    const bool lasts = m->part != PARTS && !kind[m->part].passing;
    void *part = lasts ? kept_alloc(m, size) : scene_alloc(m->c->p->scene, size);
    if (part)
        return lasts ? part : memset(part, 0, size);
    m->result = context_fail(m->c, TP_ERROR_MEMORY, "out of memory for the state of a draw");
    return NULL;
}

static void free_part(struct kept_part *k) {
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        program_unref(k->program[i]);
    free(k);
}

/* The part loses its place; its memory goes when no queued draw is with it (parts_sweep). Until then it counts as
 * captured by the scene, which bounds that. */
static void forget_part(struct context_private *p, struct known_part *place) {
    struct kept_part *k = place->kept;
    if (k) {
        k->next = p->lost_parts;
        p->lost_parts = k;
        if (k->used >= scene_oldest_epoch(p->scene))
            scene_charge(p->scene, k->size);
    }
    *place = (struct known_part){0};
}

static void free_lost(struct context_private *p, uint64_t epoch) {
    for (struct kept_part **at = &p->lost_parts; *at;) {
        struct kept_part *k = *at;
        if (k->used < epoch) {
            *at = k->next;
            free_part(k);
        } else {
            at = &k->next;
        }
    }
}

void parts_sweep(struct context_private *p) {
    const uint64_t epoch = scene_epoch(p->scene);
    if (epoch - p->parts_swept > PART_EPOCHS) {
        p->parts_swept = epoch;
        for (struct known_part *k = p->part; k < p->part + PART_SETS * PART_WAYS; k++)
            if (k->kept && epoch - k->kept->used > PART_EPOCHS)
                forget_part(p, k);
    }
    if (p->lost_parts)
        free_lost(p, scene_oldest_epoch(p->scene));
}

void parts_free(struct context_private *p) {
    for (struct known_part *k = p->part; k < p->part + PART_SETS * PART_WAYS; k++)
        if (k->kept)
            free_part(k->kept);
    free_lost(p, UINT64_MAX);
}

/* ---- places ---- */

/* All that the part depends on; its length in words. */
static uint32_t part_key(const struct draw_maker *m, enum draw_part part,
                         uint64_t key[PART_WORDS]) {
    const struct context_private *p = m->c->p;
    uint32_t n = 0;
    key[n++] = part;
    if (kind[part].class)
        key[n++] = m->key->class;
    if (kind[part].passing) {
        key[n++] = scene_epoch(p->scene);
        key[n++] = p->memory_epoch; /* descriptors may lie in memory */
    }
    if (part == PART_VIEW || part == PART_VERTEX || part == PART_PRIMITIVES)
        key[n++] = m->view;
    if (part == PART_PLAN) {
        key[n++] = m->targets;
        key[n++] = (m->c->observer[PROGRAM_FP] != NULL) | (p->watch != NULL) << 1;
    }
    for (uint32_t rest = kind[part].groups; rest; rest &= rest - 1)
        key[n++] = m->key->object[__builtin_ctz(rest)];
    return n;
}

/* When it was used last; those that were of another epoch alone count as never used. */
static uint64_t last_use(const struct known_part *k, uint64_t epoch) {
    return kind[k->key[0]].passing && k->used != epoch ? 0 : k->turn;
}

static void note_use(struct context_private *p, struct known_part *place) {
    place->used = scene_epoch(p->scene);
    place->turn = ++p->part_turns;
    if (place->kept)
        place->kept->used = place->used;
}

/* The place of the part with this key, which is empty if it is not known: of its ways the one that was used the
 * longest time ago. */
static struct known_part *place_of(struct context_private *p, const uint64_t *key, uint32_t n) {
    const uint64_t epoch = scene_epoch(p->scene);
    uint64_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    struct known_part *way = p->part + (h >> 32) % PART_SETS * PART_WAYS, *oldest = way;
    for (int i = 0; i < PART_WAYS; i++) {
        if (!memcmp(way[i].key, key, n * sizeof *key))
            return &way[i];
        if (last_use(&way[i], epoch) < last_use(oldest, epoch))
            oldest = &way[i];
    }
    forget_part(p, oldest);
    memcpy(oldest->key, key, n * sizeof *key);
    return oldest;
}

static const void *make_part(struct draw_maker *m, enum draw_part part) {
    struct context_private *p = m->c->p;
    uint64_t key[PART_WORDS];
    struct known_part *place = place_of(p, key, part_key(m, part, key));
    if (!place->value) {
        m->part = part;
        m->kept = NULL;
        place->value = kind[part].make(m);
        place->kept = m->kept;
        m->part = PARTS;
    }
    note_use(p, place);
    if (!place->value)
        forget_part(p, place);
    return place->value;
}

/* The view's number, by its contents. */
static uint64_t find_view(struct draw_maker *m) {
    struct context_private *p = m->c->p;
    uint64_t key[PART_WORDS];
    struct known_part *place = place_of(p, key, part_key(m, PART_VIEW_NUMBER, key));
    if (!place->number) {
        struct view_state v;
        build_view(&m->c->state, &v);
        place->number = objects_number(p, &p->view_table, &v, sizeof v);
    }
    note_use(p, place);
    return place->number;
}

/* That of the targets that the scene has, which are the same ones for a whole epoch. */
static uint64_t find_targets(struct context_private *p) {
    const uint64_t epoch = scene_epoch(p->scene);
    if (p->targets_numbered != epoch)
        p->targets_number =
            objects_number(p, &p->targets_table, scene_targets(p->scene), sizeof p->targets);
    p->targets_numbered = epoch;
    return p->targets_number;
}

bool make_parts(struct draw_maker *m) {
    struct draw *d = m->draw;
    if (!(d->stages = make_part(m, PART_STAGES)))
        return false;
    m->view = find_view(m);
    m->targets = find_targets(m->c->p);
    return (d->view = make_part(m, PART_VIEW)) &&
           (d->vertex = m->inlined ? make_vertex(m) : make_part(m, PART_VERTEX)) &&
           (!m->c->state.program[PROGRAM_GP] || (d->geometry = make_part(m, PART_GEOMETRY))) &&
           (d->primitives = make_part(m, PART_PRIMITIVES)) && (d->plan = make_part(m, PART_PLAN)) &&
           (d->raster = d->plan->state);
}
