/* Traces of one lane: a copy of the warp runs instruction by instruction, and changed registers are
 * noted. In: a warp that is about to run. Out: struct lane_trace. Must not know draws.
 */
#include "pipeline/debug/draw_trace.h"

#include "base/arena.h"
#include "shader/stepper.h"

#include <stdlib.h>

static bool note_changes(struct lane_trace *t, struct trace_step *step, const struct warp *w,
                         const uint32_t *before, uint32_t regs) {
    for (uint32_t i = 0; i < regs; i++) {
        const uint32_t now = w->r[i][t->lane];
        if (now == before[i])
            continue;
        if (!ARRAY_ROOM(t->change, t->change_capacity, t->change_count + 1))
            return false;
        t->change[t->change_count++] = (struct trace_change){(uint8_t)i, now};
        step->changes++;
    }
    return true;
}

static bool take_step(struct lane_trace *t, struct stepper *s, uint32_t regs) {
    const struct warp *w = stepper_warp(s);
    uint32_t before[WARP_REGS];
    struct trace_step step = {
        .pc = w->pc, .active = w->active >> t->lane & 1, .change = (uint32_t)t->change_count};
    for (uint32_t i = 0; i < regs; i++)
        before[i] = w->r[i][t->lane];
    stepper_step(s);
    if (!note_changes(t, &step, w, before, regs) || !ARRAY_ROOM(t->step, t->capacity, t->count + 1))
        return false;
    t->step[t->count++] = step;
    return true;
}

bool lane_trace_run(struct lane_trace *t, const struct warp *start, const struct warp_env *env,
                    unsigned lane) {
    struct stepper *s = stepper_create(start, env);
    const uint32_t count = env->program->header.reg_count;
    const uint32_t regs = count < WARP_REGS ? count : WARP_REGS;
    *t = (struct lane_trace){.lane = lane,
                             .program = program_ref((struct program *)(uintptr_t)env->program)};
    while (s && stepper_status(s) == WARP_RUNNING && t->count < TRACE_STEPS && !t->cut)
        t->cut = !take_step(t, s, regs);
    if (s) {
        t->end = stepper_status(s);
        t->discarded = stepper_warp(s)->dead >> lane & 1;
    }
    t->cut |= s && t->end == WARP_RUNNING;
    stepper_destroy(s);
    return s != NULL;
}

void lane_trace_free(struct lane_trace *t) {
    program_unref((struct program *)(uintptr_t)t->program);
    free(t->step);
    free(t->change);
    *t = (struct lane_trace){0};
}
