/* Prepares a draw or clear before it is captured. The scene gets the targets of the state. If the
 * draw and queued work touch the same memory and one of them writes it, the queued work is flushed,
 * or the scene begins another tile pass. In: the state, the open draw. Out: a scene in which the
 * draw can be captured. One walk over the memory is enough, because a flush adds no queued work.
 * Captures targets and views to find their memory; must not make parts of draws.
 */
#include "base/timeline.h"
#include "pipeline/state/build.h"

/* ---- groups and events ---- */

void note_event(tp_context *c, enum memory_event event) {
    c->p->captured.event[event] = scene_tick(c->p->scene);
}

/* Notes a change of a descriptor table as an event: descriptors in the new table may have been
 * written while another table was in use. */
static void notice_table(tp_context *c, struct descriptor_table *known,
                         const struct descriptor_table *now) {
    if (known->address != now->address || known->limit != now->limit)
        note_event(c, EVENT_DESCRIPTORS);
    *known = *now;
}

void notice_allocations(tp_context *c) {
    struct captured *p = &c->p->captured;
    const uint64_t generation = memory_generation(c->device->memory);
    for (int i = 0; generation != p->generation && i < MEMORY_EVENTS; i++)
        note_event(c, (enum memory_event)i);
    p->generation = generation;
}

/* Numbers the objects of touched groups, and notes allocations of memory as events. */
static void notice_changes(tp_context *c) {
    struct captured *p = &c->p->captured;
    notice_allocations(c);
    if (!c->state.touched)
        return;
    if (c->state.touched & 1u << GROUP_TARGET ||
        (c->state.touched & 1u << GROUP_VIEW && targets_are_bare(&p->resolved)))
        p->resolved_epoch = 0;
    if (c->state.touched & 1u << GROUP_CONSTANT)
        note_event(c, EVENT_CONSTANTS);
    if (c->state.touched & 1u << GROUP_TEXTURE) {
        notice_table(c, &p->table[0], &c->state.tic_table);
        notice_table(c, &p->table[1], &c->state.tsc_table);
    }
    if (c->state.touched & (1u << GROUP_FETCH | 1u << GROUP_PROGRAM))
        note_event(c, EVENT_ARRAYS);
    objects_update(c);
}

/* ---- targets ---- */

/* Resolves the targets of the state into p->resolved. False with the message set. */
static bool resolve_targets(tp_context *c) {
    struct captured *p = &c->p->captured;
    struct raster_targets now;
    if (p->resolved_epoch && p->resolved_epoch >= p->event[EVENT_MAPPED])
        return true;
    p->resolved_epoch = p->set_epoch = 0;
    if (!capture_targets(c, &now))
        return false;
    memcpy(&p->resolved, &now, sizeof now); /* the padding, too: memcmp() compares it */
    objects_update_targets(p);
    p->resolved_epoch = scene_now(c->p->scene);
    return true;
}

/* True if a report is still to be written over a target. */
static bool targets_await_report(const tp_context *c) {
    const struct state *s = &c->state;
    const struct raster_targets *t = &c->p->captured.resolved;
    bool awaits = t->zeta.format != FORMAT_NONE &&
                  context_awaits_report(c, s->zeta.address, target_bytes(&t->zeta));
    for (unsigned i = 0; i < t->color_count; i++)
        awaits |= t->color[i].format != FORMAT_NONE &&
                  context_awaits_report(c, color_address(s, i), target_bytes(&t->color[i]));
    return awaits;
}

enum tp_result prepare_targets(tp_context *c) {
    struct captured *p = &c->p->captured;
    const struct raster_targets *t = &p->resolved;
    notice_changes(c);
    if (!resolve_targets(c))
        return TP_ERROR_INVALID;
    const bool same = p->set_epoch == scene_epoch(c->p->scene);
    const bool ok = scene_set_targets(c->p->scene, same ? NULL : t);
    p->set_epoch = ok ? scene_epoch(c->p->scene) : 0;
    if (ok && p->noted_epoch != p->set_epoch && targets_await_report(c))
        context_flush(c); /* a report that is asked for after note_targets() flushes itself */
    return ok ? TP_OK
              : context_fail(c, TP_ERROR_MEMORY, "out of memory for a scene of %ux%u, %u layers",
                             t->width, t->height, t->layers);
}

void note_targets(tp_context *c) {
    struct captured *p = &c->p->captured;
    struct scene *scene = c->p->scene;
    const struct state *s = &c->state;
    const struct raster_targets *t = &p->resolved;
    if (p->noted_epoch == scene_epoch(scene))
        return;
    p->noted_epoch = scene_epoch(scene);
    note_event(c, EVENT_TARGETS);
    for (unsigned i = 0; i < t->color_count; i++)
        if (t->color[i].format != FORMAT_NONE)
            scene_writes(scene, color_address(s, i), target_bytes(&t->color[i]));
    if (t->zeta.format != FORMAT_NONE)
        scene_writes(scene, s->zeta.address, target_bytes(&t->zeta));
}

/* ---- memory that the draw reads ---- */

static void settle_indices(tp_context *c) {
    const struct open_draw *o = &c->p->draw;
    if (o->index_size && !o->index_bytes && !o->pushed)
        context_before_read(c, o->index_address, (uint64_t)o->index_count * o->index_size);
}

/* Flushes or begins another tile pass, if queued work draws into the texture. Fragment programs run
 * after all earlier tile passes; programs of the front end do not wait for these passes. */
static void settle_view(tp_context *c, enum program_type stage, const struct tex_view *v,
                        uint64_t address) {
    struct scene *scene = c->p->scene;
    const bool fragment = stage == PROGRAM_FP;
    work_touch(c, TOUCH_READ, USE_TEXTURE, address, v->size);
    if (context_awaits_report(c, address, v->size) ||
        (!fragment && scene_uses(scene, address, v->size) & SCENE_WRITES) ||
        (fragment && scene_sequence_writes(scene, address, v->size) && !scene_break(scene))) {
        timeline_because("a texture that is to be drawn");
        context_flush(c);
    }
}

/* Prepares the textures of one stage. False when out of memory. */
static bool settle_textures(tp_context *c, enum program_type stage) {
    const struct program *p = c->state.program[stage];
    if (p)
        settle_descriptors(c, stage);
    for (uint32_t rest = p ? p->facts.textures & 0xffff : 0; rest; rest &= rest - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(rest);
        struct stage_textures textures = {0};
        if (!capture_view(c, stage, slot, &textures))
            return false;
        if (textures.view[slot] && textures.view[slot]->valid)
            settle_view(c, stage, textures.view[slot], textures.address[slot]);
    }
    return true;
}

/* Prepares constants and textures of all stages, if an event may have changed them. False when out
 * of memory. */
static bool settle_stages(tp_context *c) {
    const struct captured *p = &c->p->captured;
    const struct stage_state *s = known_stages(c);
    const bool textures = !s || !textures_are_checked(p, s);
    const bool constants = !s || s->renewed < p->event[EVENT_CONSTANTS];
    if (!textures && !constants)
        return true;
    for (int i = PROGRAM_VP; i < PROGRAM_TYPES; i = next_draw_type(i)) {
        if (constants && c->state.program[i])
            settle_constants(c, i);
        if (textures && !settle_textures(c, i))
            return false;
    }
    return true;
}

enum tp_result prepare_draw(tp_context *c) {
    const enum tp_result result = prepare_targets(c);
    if (result != TP_OK)
        return result;
    for (int i = 0; work_is_dry(c) && i < MEMORY_EVENTS; i++) /* reports all reads again */
        note_event(c, (enum memory_event)i);
    if (c->state.stream.enable)
        settle_streams(c);
    settle_indices(c);
    if (!c->p->draw.data_words)
        settle_arrays(c);
    return settle_stages(c)
               ? TP_OK
               : context_fail(c, TP_ERROR_MEMORY, "out of memory preparing the state of a draw");
}
