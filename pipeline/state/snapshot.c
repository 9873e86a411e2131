/* State to an immutable draw: its parts (parts.c), and what it finds in memory. In: tp_context.state. Out: struct
 * draw and struct call_env in the scene's memory. Must not queue anything.
 */
#include "pipeline/state/build.h"

/* Where arrays lie, and constants as they are now: a part may have been captured with others. */
static const struct call_env *build_env(struct draw_maker *m) {
    const struct stage_state *s = m->draw->stages;
    struct call_env *env = part_alloc(m, sizeof *env);
    struct fetch_source *source = env ? part_alloc(m, FETCH_ATTRIBUTES * sizeof *source) : NULL;
    if (!source)
        return NULL;
    if (m->inlined)
        source[0] = m->inlined->source;
    else
        build_sources(m->c, &m->draw->vertex->fetch, source);
    env->source = source;
    for (int i = PROGRAM_VP; i <= PROGRAM_FP; i++) {
        env->program[i] = &s->program[i];
        if (s->program[i].program && !renew_constants(m->c, i, &env->program[i])) {
            m->result =
                context_fail(m->c, TP_ERROR_MEMORY, "out of memory for the constants of a draw");
            return NULL;
        }
    }
    return env;
}

static bool build_parts(struct draw_maker *m, const struct call_env **env) {
    struct draw *d = m->draw;
    if (!make_parts(m) || (m->c->state.stream.enable && !(d->stream = make_streams(m))))
        return false;
    d->simd = m->c->device->simd;
    d->infallible = d->stages->infallible;
    d->ordered = d->stream || d->primitives->line_stipple;
    *env = build_env(m);
    return *env;
}

const struct draw *build_draw(tp_context *c, const struct draw_key *key, uint32_t primitive,
                              const struct fetch_inline *inlined, const struct call_env **env,
                              enum tp_result *result) {
    parts_sweep(c->p);
    for (;;) {
        const uint64_t epoch = scene_epoch(c->p->scene);
        struct draw_maker m = {
            .c = c, .key = key, .primitive = primitive, .inlined = inlined, .part = PARTS};
        m.draw = part_alloc(&m, sizeof *m.draw);
        if (!m.draw || !build_parts(&m, env)) {
            *result = m.result;
            return NULL;
        }
        if (epoch == scene_epoch(c->p->scene) && note_textures(c, m.draw))
            return m.draw;
        /* what was captured is gone: once more */
    }
}
