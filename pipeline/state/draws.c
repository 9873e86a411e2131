/* Draws that are known: a state whose groups are all those of an earlier draw of this epoch gives
 * that draw again; what memory holds - constants, descriptors, where arrays lie - is looked at again only if it may
 * have changed. In: the state's objects. Out: a draw and the environments of its programs. Must not
 * know how a draw is built.
 */
#include "pipeline/state/build.h"

#include <string.h>

/* Groups a draw is known by. Constants are in its environments; transform feedback moves on with
 * every draw, which is then new. */
enum {
    ALL_GROUPS = (1 << STATE_GROUPS) - 1,
    KEY_GROUPS = ALL_GROUPS & ~(1 << GROUP_CONSTANT | 1 << GROUP_STREAM),
};

/* ---- what memory holds ---- */

/* *source with the arrays as they are now: itself if they are the same. False when out of memory. */
static bool renew_arrays(tp_context *c, const struct draw *d, const struct fetch_source **source) {
    struct fetch_source now[FETCH_ATTRIBUTES];
    build_sources(c, &d->vertex->fetch, now);
    if (!memcmp(now, *source, sizeof now))
        return true;
    struct fetch_source *copy = scene_alloc(c->p->scene, sizeof now);
    if (!copy)
        return false;
    memcpy(copy, now, sizeof now);
    *source = copy;
    return true;
}

/* The textures that descriptors tell of. */
static bool same_descriptors(tp_context *c, const struct draw *d) {
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        const struct program *program = c->state.program[i];
        struct tex_unit unit;
        if (program && program->tex_slot_count &&
            (!capture_textures(c, i, &unit) || !same_textures(program, &unit, &d->stages->tex[i])))
            return false;
    }
    return note_textures(c, d);
}

/* The environments of a known draw as of now; false: it must be built anew. */
static bool renew_env(tp_context *c, struct known_draw *k) {
    struct context_private *p = c->p;
    struct call_env env = *k->env;
    if ((k->generation != p->generation || k->array_epoch != p->array_epoch) &&
        !renew_arrays(c, k->draw, &env.source))
        return false;
    if (k->memory_epoch != p->memory_epoch && !same_descriptors(c, k->draw))
        return false;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
        if (env.program[i]->program && !renew_constants(c, i, &env.program[i]))
            return false;
    if (k->epoch != scene_epoch(p->scene))
        return false;
    k->generation = p->generation;
    k->memory_epoch = p->memory_epoch;
    k->constant_epoch = p->constant_epoch;
    k->array_epoch = p->array_epoch;
    if (!memcmp(&env, k->env, sizeof env))
        return true;
    struct call_env *copy = scene_alloc(p->scene, sizeof *copy);
    if (copy) {
        *copy = env;
        k->env = copy;
    }
    return copy;
}

/* ---- the table ---- */

static bool is_known(const struct known_draw *k, const struct draw_key *key, uint64_t epoch) {
    return k->epoch == epoch && !memcmp(&k->key, key, sizeof *key);
}

/* The draw's place, or one that it may take. */
static struct known_draw *place_of(struct context_private *p, const struct draw_key *key,
                                   uint64_t epoch) {
    uint64_t h = key->class;
    for (int i = 0; i < STATE_GROUPS; i++)
        h = (h ^ key->object[i]) * UINT64_C(0x9e3779b97f4a7c15);
    struct known_draw *way = p->known[(h >> 32) % (KNOWN_DRAWS / KNOWN_WAYS)];
    struct known_draw *unused = NULL;
    for (int i = 0; i < KNOWN_WAYS; i++) {
        if (is_known(&way[i], key, epoch))
            return &way[i];
        if (way[i].epoch != epoch)
            unused = &way[i];
    }
    return unused ? unused : &way[p->forgotten++ % KNOWN_WAYS];
}

/* The place of the state as it is, which is the last one's if nothing of it is another; *known: with
 * its draw. */
static struct known_draw *find_place(struct context_private *p, uint32_t primitive, bool *known) {
    const uint64_t epoch = scene_epoch(p->scene);
    struct draw_key key = {
        .class = (uint64_t)(assemble_class(primitive) << 8 | assemble_vertices(primitive))};
    struct known_draw *k = p->last_known;
    *known = k && !p->moved && k->epoch == epoch && k->key.class == key.class;
    if (*known)
        return k;
    for (int i = 0; i < STATE_GROUPS; i++)
        key.object[i] = KEY_GROUPS >> i & 1 ? p->object[i] : 0;
    k = p->last_known = place_of(p, &key, epoch);
    p->moved = false;
    *known = is_known(k, &key, epoch);
    if (!*known) {
        k->key = key;
        k->epoch = 0;
    }
    return k;
}

static void notice_changes(tp_context *c) {
    struct context_private *p = c->p;
    const uint64_t generation = memory_generation(c->device->memory);
    if (generation != p->generation)
        p->memory_epoch++;
    p->generation = generation;
    if (c->state.touched & 1u << GROUP_CONSTANT)
        p->constant_epoch++;
    if (c->state.touched & (1u << GROUP_FETCH | 1u << GROUP_PROGRAM))
        p->array_epoch++;
    c->state.touched &= ~(1u << GROUP_CONSTANT | 1u << GROUP_STREAM);
    objects_update(c, KEY_GROUPS);
}

static const struct draw *capture_draw(tp_context *c, uint32_t primitive,
                                       const struct fetch_inline *inlined,
                                       const struct call_env **env, enum tp_result *result) {
    struct context_private *p = c->p;
    bool known;
    struct known_draw *k = find_place(p, primitive, &known);
    const bool lasting = !inlined && !c->state.stream.enable;
    const bool current = known && lasting && k->memory_epoch == p->memory_epoch &&
                         k->constant_epoch == p->constant_epoch && k->array_epoch == p->array_epoch;
    if (current || (known && lasting && renew_env(c, k))) {
        *env = k->env;
        return k->draw;
    }
    const struct draw_key key = k->key;
    if (lasting)
        k->epoch = 0;
    const struct draw *d = build_draw(c, &key, primitive, inlined, env, result);
    if (d && lasting)
        *k = (struct known_draw){key,
                                 scene_epoch(p->scene),
                                 p->generation,
                                 p->memory_epoch,
                                 p->constant_epoch,
                                 p->array_epoch,
                                 d,
                                 *env};
    return d;
}

const struct draw *snapshot_draw(tp_context *c, uint32_t primitive,
                                 const struct fetch_inline *inlined, const struct call_env **env,
                                 enum tp_result *result) {
    *result = TP_OK;
    notice_changes(c);
    scene_hold(c->p->scene, true);
    const struct draw *d = capture_draw(c, primitive, inlined, env, result);
    scene_hold(c->p->scene, false);
    return d;
}
