/* The context: creation and end, flushes, errors. In: requests of the API and the command
 * processor. Out: a scene that is flushed when its results are needed. Must not know methods or
 * pixels.
 */
#include "pipeline/state/build.h"

#include "base/timeline.h"
#include "shader/isa/isa.h"

#include <stdlib.h>

enum tp_result context_create(tp_device *device, tp_context **context) {
    *context = NULL;
    struct tp_context *c = calloc(1, sizeof *c);
    struct context_private *p = calloc(1, sizeof *p);
    if (c && p) {
        c->device = device;
        c->p = p;
        state_init(&c->state);
        p->scene = scene_create(device);
        if (p->scene) {
            *context = c;
            return TP_OK;
        }
    }
    free(p);
    free(c);
    return device_fail(device, TP_ERROR_MEMORY, "out of memory for a context");
}

void context_destroy(tp_context *c) {
    if (!c)
        return;
    context_flush(c);
    scene_destroy(c->p->scene);
    parts_free(c->p);
    objects_free(&c->p->captured);
    free(c->p->draw.range);
    free(c->p->draw.index);
    free(c->p->draw.data);
    free(c->p->draw.mark);
    free(c->p->counters.report);
    free(c->p);
    free(c);
}

void context_flush(tp_context *c) {
    scene_flush(c->p->scene);
    context_write_reports(c);
    if (c->owner.work_done)
        c->owner.work_done(c->owner.self);
}

static enum tp_result report_trap(tp_context *c, const struct trap *t) {
    const struct warp_error *e = &t->error;
    const bool decode = e->code == MP_DECODE_ERROR;
    context_fail(c, TP_ERROR_TRAP, "%s program %s: %s%s%s at 0x%x, warp %u, lanes 0x%08x",
                 program_stage_name(t->stage), t->program, mp_error_name(e->code),
                 decode ? " " : "", decode ? decode_error_name(e->decode) : "", e->address, e->warp,
                 e->lanes);
    log_message(&c->device->log, LOG_ERROR, "%s", device_message(c->device));
    return TP_ERROR_TRAP;
}

enum tp_result context_finish(tp_context *c) {
    struct trap trap;
    timeline_because("finish");
    context_flush(c);
    if (scene_take_oom(c->p->scene))
        return context_fail(c, TP_ERROR_MEMORY,
                            "out of memory while drawing: primitives are missing");
    if (scene_take_trap(c->p->scene, &trap))
        return report_trap(c, &trap);
    if (c->p->counters.compute_trap.set) {
        c->p->counters.compute_trap.set = false;
        return report_trap(c, &c->p->counters.compute_trap);
    }
    return TP_OK;
}

void context_observe(tp_context *c, enum program_type stage, const struct warp_observer *observer) {
    context_flush(c); /* captured draws refer to the old observer */
    c->observer[stage] = observer;
}

void context_watch(tp_context *c, const struct pixel_watch *watch) {
    context_flush(c);
    c->p->watch = watch;
    scene_watch(c->p->scene, watch);
}

void context_before_read(tp_context *c, uint64_t address, uint64_t size) {
    work_touch(c, TOUCH_READ, USE_MEMORY, address, size);
    timeline_because("a read of memory to be written");
    if (scene_uses(c->p->scene, address, size) & SCENE_WRITES ||
        context_awaits_report(c, address, size))
        context_flush(c);
    timeline_because(NULL);
}

void context_before_write(tp_context *c, uint64_t address, uint64_t size) {
    struct scene *s = c->p->scene;
    work_touch(c, TOUCH_WRITE, USE_MEMORY, address, size);
    timeline_because("a write of memory in use");
    const uint32_t uses = scene_uses(s, address, size);
    if (uses & (SCENE_READS | SCENE_WRITES) || context_awaits_report(c, address, size))
        context_flush(c);
    else if (uses)
        scene_finish_front(s);
    timeline_because(NULL);
    if (c->p->watch && c->p->watch->copy)
        c->p->watch->copy(c->p->watch->self, address, size, c->draw_number);
    constants_written(c, address, size);
    descriptors_written(c, address, size);
}

void context_memory_changed(tp_context *c) {
    note_event(c, EVENT_DESCRIPTORS);
    note_event(c, EVENT_CONSTANTS);
}

bool context_idle(const tp_context *c) {
    return scene_empty(c->p->scene) && !c->p->counters.report_count;
}
