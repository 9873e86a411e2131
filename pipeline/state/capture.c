/* Turns the state into an immutable draw: its parts, and the memory that it reads (inputs.c). Each
 * part of a draw is made of certain state objects and known by their numbers. Draws with the same
 * objects share the part, even if their other objects differ. The stages are known in one epoch
 * only. Other parts are kept while draws with them are queued and for some time after, so that the
 * next frame finds them again. They hold references to the programs that they name, and point to no
 * other part. In: the state, prepared (prepare.c). Out: struct draw and struct call_env in the
 * scene's memory. Consecutive draws of the same state get the same struct draw, unless they have
 * inline vertices or stream out. Must not flush or wait; fails only if memory runs out or the state
 * makes no sense.
 */
#include "pipeline/state/build.h"

#include <stdlib.h>

/* ---- parts ---- */

#define BIT(object) (1u << OBJECT_##object)
#define PROGRAMS (BIT(VERTEX) | BIT(TESSELLATION) | BIT(GEOMETRY) | BIT(FRAGMENT))

/* objects: the objects that a part's maker may read. Of other parts, the maker reads only fields
 * that depend on these objects. */
static const struct {
    uint32_t objects;
    bool class;   /* the key also has the class of the draw's primitives */
    bool passing; /* the part lies in the scene's memory and is known in one epoch only */
    void *(*make)(struct draw_maker *m);
} kind[PARTS] = {
    [PART_STAGES] = {PROGRAMS | BIT(TEXTURE), false, true, make_stages},
    [PART_VIEW] = {BIT(VIEW), false, false, make_view},
    [PART_VERTEX] = {BIT(VERTEX) | BIT(FETCH) | BIT(VIEW), false, false, make_vertex},
    [PART_TESSELLATION] = {BIT(VERTEX) | BIT(TESSELLATION), true, false, make_tessellation},
    [PART_GEOMETRY] = {BIT(VERTEX) | BIT(TESSELLATION) | BIT(GEOMETRY), true, false, make_geometry},
    [PART_PRIMITIVES] = {PROGRAMS | BIT(VIEW) | BIT(RASTER), true, false, make_primitives},
    [PART_PLAN] = {PROGRAMS | BIT(TARGET) | BIT(SCISSOR) | BIT(RASTER) | BIT(ZETA) | BIT(COLOR) |
                       BIT(SAMPLE),
                   true, false, make_plan},
};

enum {
    PART_ALIGN = 64,
    PART_EPOCHS = 4096, /* epochs after which an unused part loses its place */
};

/* A part that outlives the scene's epoch. */
struct kept_part {
    _Alignas(PART_ALIGN) struct kept_part *next; /* the next part that has lost its place */
    uint64_t used;                               /* epoch of the last draw with this part */
    uint64_t epochs;                             /* captured.epochs when that draw was captured */
    size_t size;
    struct program *program[PROGRAM_TYPES];
    _Alignas(PART_ALIGN) unsigned char bytes[];
};

/* ---- memory ---- */

static void *kept_alloc(struct draw_maker *m, size_t size) {
    size = (sizeof(struct kept_part) + size + PART_ALIGN - 1) & ~(size_t)(PART_ALIGN - 1);
    struct kept_part *k = aligned_alloc(PART_ALIGN, size);
    if (!k)
        return NULL;
    static const uint32_t object[] = {
        [PROGRAM_VP] = BIT(VERTEX),        [PROGRAM_GP] = BIT(GEOMETRY),
        [PROGRAM_FP] = BIT(FRAGMENT),      [PROGRAM_TCP] = BIT(TESSELLATION),
        [PROGRAM_TEP] = BIT(TESSELLATION), [PROGRAM_CP] = 0};
    memset(k, 0, size);
    k->size = size;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i))
        if (kind[m->part].objects & object[i] && m->c->state.program[i])
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
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i))
        program_unref(k->program[i]);
    free(k);
}

/* Clears a place. parts_sweep() frees the memory of its part when no queued draw uses the part. If
 * draws of the present tile pass use the part, the scene counts this memory as captured memory,
 * whose size it limits. */
static void forget_part(struct context_private *p, struct known_part *place) {
    struct kept_part *k = place->kept;
    if (k) {
        k->next = p->captured.lost_parts;
        p->captured.lost_parts = k;
        if (k->used >= scene_sequence_epoch(p->scene))
            scene_charge(p->scene, k->size);
    }
    *place = (struct known_part){0};
}

static void free_lost(struct context_private *p, uint64_t epoch) {
    for (struct kept_part **at = &p->captured.lost_parts; *at;) {
        struct kept_part *k = *at;
        if (k->used < epoch) {
            *at = k->next;
            free_part(k);
        } else {
            at = &k->next;
        }
    }
}

/* To be called when an epoch of the scene begins. Clears the places of parts that no draw has used
 * for PART_EPOCHS epochs. Then frees the parts without a place that no queued draw uses. */
static void parts_sweep(struct context_private *p) {
    struct captured *const all = &p->captured;
    if (++all->epochs - all->parts_swept > PART_EPOCHS) {
        all->parts_swept = all->epochs;
        for (struct known_part *k = all->part; k < all->part + PART_SETS * PART_WAYS; k++)
            if (k->kept && all->epochs - k->kept->epochs > PART_EPOCHS)
                forget_part(p, k);
    }
    if (all->lost_parts)
        free_lost(p, scene_oldest_epoch(p->scene));
}

void parts_free(struct context_private *p) {
    struct known_part *const part = p->captured.part;
    for (struct known_part *k = part; k < part + PART_SETS * PART_WAYS; k++)
        if (k->kept)
            free_part(k->kept);
    free_lost(p, UINT64_MAX);
}

/* ---- places ---- */

/* Writes the key of the part to key[]. Returns its length in words. */
static uint32_t part_key(const tp_context *c, enum draw_part part, uint64_t key[PART_WORDS]) {
    const struct captured *p = &c->p->captured;
    uint32_t n = 0;
    key[n++] = part;
    if (kind[part].class)
        key[n++] = p->class;
    if (kind[part].passing)
        key[n++] = scene_epoch(c->p->scene);
    if (part == PART_PLAN)
        key[n++] = (c->observer[PROGRAM_FP] != NULL) | (c->p->watch != NULL) << 1;
    for (uint32_t rest = kind[part].objects; rest; rest &= rest - 1)
        key[n++] = p->object[__builtin_ctz(rest)];
    return n;
}

/* Returns the number of the part's last use; 0 if the part was known in a past epoch only. */
static uint64_t last_use(const struct known_part *k, uint64_t epoch) {
    return kind[k->key[0]].passing && k->used != epoch ? 0 : k->last;
}

static void note_use(struct context_private *p, struct known_part *place) {
    place->used = p->captured.epoch;
    place->last = ++p->captured.part_uses;
    if (place->kept) {
        place->kept->used = place->used;
        place->kept->epochs = p->captured.epochs;
    }
}

static uint64_t hash_key(const uint64_t *key, uint32_t n) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h;
}

static struct known_part *ways_of(struct captured *p, uint64_t hash) {
    return p->part + (hash >> 32) % PART_SETS * PART_WAYS;
}

/* Returns the place with this key; NULL if the part is not known. */
static struct known_part *find_place(struct known_part *way, uint64_t hash, const uint64_t *key,
                                     uint32_t n) {
    for (int i = 0; i < PART_WAYS; i++)
        if (way[i].hash == hash && !memcmp(way[i].key, key, n * sizeof *key))
            return &way[i];
    return NULL;
}

/* Returns the place of the part with this key. If the part is not known, the least recently used
 * way is cleared and becomes its place. */
static struct known_part *place_of(struct context_private *p, const uint64_t *key, uint32_t n) {
    const uint64_t epoch = p->captured.epoch, hash = hash_key(key, n);
    struct known_part *way = ways_of(&p->captured, hash), *oldest = way;
    struct known_part *found = find_place(way, hash, key, n);
    if (found)
        return found;
    for (int i = 1; i < PART_WAYS; i++)
        if (last_use(&way[i], epoch) < last_use(oldest, epoch))
            oldest = &way[i];
    forget_part(p, oldest);
    oldest->hash = hash;
    memcpy(oldest->key, key, n * sizeof *key);
    return oldest;
}

static void *find_part(struct draw_maker *m, enum draw_part part) {
    struct context_private *p = m->c->p;
    uint64_t key[PART_WORDS];
    struct known_part *place = place_of(p, key, part_key(m->c, part, key));
    if (part == PART_STAGES && place->value && !stages_hold(m->c, place->value))
        place->value = NULL;
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

/* ---- the parts of the draw that is being captured ---- */

uint32_t parts_of(enum object_kind object) {
    uint32_t parts = 0;
    for (int i = 0; i < PARTS; i++)
        parts |= (kind[i].objects >> object & 1) << i;
    return parts;
}

static uint32_t parts_with_class(void) {
    uint32_t parts = 0;
    for (int i = 0; i < PARTS; i++)
        parts |= (uint32_t)kind[i].class << i;
    return parts;
}

const struct stage_state *known_stages(tp_context *c) {
    struct captured *p = &c->p->captured;
    uint64_t key[PART_WORDS];
    if (p->epoch == scene_epoch(c->p->scene) && !(p->stale & 1u << PART_STAGES))
        return p->stages;
    const uint32_t n = part_key(c, PART_STAGES, key);
    const uint64_t hash = hash_key(key, n);
    const struct known_part *place = find_place(ways_of(p, hash), hash, key, n);
    return place ? place->value : NULL;
}

/* Adds to captured.stale those parts that may differ from the parts of the last draw. */
static void find_stale(struct draw_maker *m, uint64_t class) {
    struct captured *p = &m->c->p->captured;
    if (p->class != class)
        p->stale |= parts_with_class();
    p->class = class;
    if (!(p->stale & 1u << PART_STAGES) && !textures_are_checked(p, p->stages))
        p->stale |= 1u << PART_STAGES;
}

/* Returns the part, known or newly made. before: the part of the last draw. NULL with the reason in
 * m->result. */
__attribute__((noinline)) static void *renew_part(struct draw_maker *m, enum draw_part part,
                                                  const void *before) {
    struct captured *p = &m->c->p->captured;
    void *now = find_part(m, part);
    if (now)
        p->stale &= ~(1u << part);
    if (now != before)
        p->whole = NULL;
    return now;
}

/* Returns the part for this draw. before: the part of the last draw, which is returned if it is not
 * stale. NULL with the reason in m->result. */
static inline void *update_part(struct draw_maker *m, enum draw_part part, const void *before) {
    return m->c->p->captured.stale >> part & 1 ? renew_part(m, part, before)
                                               : (void *)(uintptr_t)before;
}

/* Returns the part of an optional stage; NULL if the draw does not have the stage. */
static void *update_optional(struct draw_maker *m, enum draw_part part, bool has,
                             const void *before) {
    if (has)
        return update_part(m, part, before);
    m->c->p->captured.stale &= ~(1u << part);
    return NULL;
}

/* Brings all parts of captured.draw up to date, except streams and, with inline vertices, the
 * vertex state. False with the reason in m->result. */
static bool update_parts(struct draw_maker *m) {
    struct captured *p = &m->c->p->captured;
    struct draw *d = &p->draw;
    const bool geometry = m->c->state.program[PROGRAM_GP];
    const bool tessellation = m->c->state.program[PROGRAM_TEP];
    find_stale(m, (uint64_t)(assemble_class(m->primitive) << 8 | assemble_vertices(m->primitive)) |
                      (uint64_t)(m->primitive >= PRIMITIVE_PATCHES) << 16);
    if (!p->stale)
        return true;
    if (!(d->stages = p->stages = update_part(m, PART_STAGES, p->stages)) ||
        !(d->view = update_part(m, PART_VIEW, d->view)) ||
        (!m->inlined && !(d->vertex = update_part(m, PART_VERTEX, d->vertex))) ||
        !(d->primitives = update_part(m, PART_PRIMITIVES, d->primitives)) ||
        !(d->plan = update_part(m, PART_PLAN, d->plan)))
        return false;
    d->raster = d->plan->state;
    d->tessellation = update_optional(m, PART_TESSELLATION, tessellation, d->tessellation);
    d->geometry = update_optional(m, PART_GEOMETRY, geometry, d->geometry);
    return (d->tessellation || !tessellation) && (d->geometry || !geometry);
}

/* ---- draws ---- */

static bool no_memory(struct draw_maker *m, const char *what) {
    m->result = context_fail(m->c, TP_ERROR_MEMORY, "out of memory for the %s of a draw", what);
    return false;
}

/* Captures the vertex arrays, if they have changed. False when out of memory. */
static bool renew_arrays(struct draw_maker *m) {
    struct captured *p = &m->c->p->captured;
    if (p->source && p->source_epoch >= p->event[EVENT_ARRAYS])
        return true;
    note_arrays(m->c);
    p->source_epoch = scene_now(m->c->p->scene);
    const size_t size = arrays_size(p);
    if (p->source && p->source_size == size && !memcmp(p->array, p->source, size))
        return true;
    struct fetch_source *copy = scene_alloc(m->c->p->scene, size);
    p->source = copy;
    p->source_size = size;
    if (!copy)
        return no_memory(m, "vertex arrays");
    memcpy(copy, p->array, size);
    return true;
}

/* Returns the one array that holds all inline vertices; NULL when out of memory. */
static const struct fetch_source *inline_source(struct draw_maker *m) {
    struct fetch_source *source = part_alloc(m, sizeof *source);
    if (source)
        *source = m->inlined->source;
    return source;
}

/* Captures the constants again, if they may have changed. False when out of memory. */
static bool renew_stages(struct draw_maker *m) {
    struct captured *p = &m->c->p->captured;
    struct stage_state *s = p->stages;
    if (s->renewed >= p->event[EVENT_CONSTANTS])
        return true;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i))
        if (s->program[i].program && !renew_constants(m->c, i, &s->now[i]))
            return no_memory(m, "constants");
    s->renewed = scene_now(m->c->p->scene);
    return true;
}

static bool renew_env(struct draw_maker *m, struct call_env *env) {
    const struct captured *p = &m->c->p->captured;
    if (!renew_stages(m) || (!m->inlined && !renew_arrays(m)))
        return false;
    memcpy(env->program, p->stages->now, sizeof env->program);
    env->source = m->inlined ? inline_source(m) : p->source;
    return env->source;
}

/* Forgets captures of the scene's previous epoch. */
static void begin_epoch(tp_context *c) {
    struct captured *p = &c->p->captured;
    p->epoch = scene_epoch(c->p->scene);
    p->stale = (1u << PARTS) - 1;
    p->whole = NULL;
    p->source = NULL;
    parts_sweep(c->p);
}

/* Returns a new draw of the current parts; a draw with inline vertices or streams gets its own part
 * for them. NULL with the reason in m->result. */
static struct draw *own_draw(struct draw_maker *m) {
    struct draw *d = scene_alloc(m->c->p->scene, sizeof *d);
    if (!d) {
        no_memory(m, "state");
        return NULL;
    }
    *d = m->c->p->captured.draw;
    if ((m->inlined && !(d->vertex = make_vertex(m))) ||
        (m->c->state.stream.enable && !(d->stream = make_streams(m))))
        return NULL;
    d->infallible = d->stages->infallible;
    d->ordered = d->stream || d->primitives->line_stipple ||
                 m->c->state.header[PROGRAM_VP].writes_memory ||
                 m->c->state.header[PROGRAM_TCP].writes_memory ||
                 m->c->state.header[PROGRAM_TEP].writes_memory ||
                 m->c->state.header[PROGRAM_GP].writes_memory;
    d->simd = m->c->device->simd;
    return d;
}

const struct draw *capture_draw(tp_context *c, uint32_t primitive,
                                const struct fetch_inline *inlined, struct call_env *env,
                                enum tp_result *result) {
    struct captured *p = &c->p->captured;
    struct draw_maker m = {.c = c, .primitive = primitive, .inlined = inlined, .part = PARTS};
    const bool own = inlined || c->state.stream.enable;
    if (p->epoch != scene_epoch(c->p->scene))
        begin_epoch(c);
    if (!update_parts(&m) || !renew_env(&m, env)) {
        *result = m.result;
        return NULL;
    }
    if (!own && p->whole)
        return p->whole;
    const struct draw *d = own_draw(&m);
    if (!own)
        p->whole = d;
    *result = m.result;
    return d;
}
