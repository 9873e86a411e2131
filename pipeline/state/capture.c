/* The state becomes an immutable draw: its parts (parts.c), and its memory: constants and vertex
 * arrays. In: the state, prepared (prepare.c). Out: struct draw and struct call_env in the scene's
 * memory. Consecutive draws of the same state are the same object. Must not flush or wait; fails
 * only for memory, or because the state makes no sense.
 */
#include "pipeline/state/build.h"

#include <string.h>

static bool no_memory(struct draw_maker *m, const char *what) {
    m->result = context_fail(m->c, TP_ERROR_MEMORY, "out of memory for the %s of a draw", what);
    return false;
}

/* Captures the arrays; equal arrays keep their copy. */
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

/* The array of inline vertices. */
static const struct fetch_source *inline_source(struct draw_maker *m) {
    struct fetch_source *source = part_alloc(m, sizeof *source);
    if (source)
        *source = m->inlined->source;
    return source;
}

/* Gives the programs the constants that memory holds now. */
static bool renew_stages(struct draw_maker *m) {
    struct captured *p = &m->c->p->captured;
    struct stage_state *s = p->stages;
    if (s->renewed >= p->event[EVENT_CONSTANTS])
        return true;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++)
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

/* Forgets captures of another epoch of the scene. */
static void begin_epoch(tp_context *c) {
    struct captured *p = &c->p->captured;
    p->epoch = scene_epoch(c->p->scene);
    p->stale = (1u << PARTS) - 1;
    p->whole = NULL;
    p->source = NULL;
    parts_sweep(c->p);
}

/* A new draw of the current parts, with its own vertex state and streams if it has any. */
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
    d->ordered = d->stream || d->primitives->line_stipple;
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
