/* Collects what the probe tells of one sample, finds out by which instruction a fragment was
 * discarded, and marks what was overwritten later. In: events, by whichever thread draws the tile.
 * Out: entries in the order of the draws.
 */
#include "pipeline/debug/history.h"

#include "base/arena.h"
#include "shader/stepper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history {
    tp_device *device;
    tp_context *context[HISTORY_CONTEXTS];
    int contexts;
    struct history_where where;
    struct raster_probe probe;
    pthread_mutex_t lock;
    struct history_entry *entry;
    size_t count, capacity;
    bool incomplete;
};

/* GPU address of target i of these (RASTER_TARGETS: zeta), 0 if there is none. */
static uint64_t target_address(const struct history *h, const struct raster_targets *t, uint32_t i) {
    const struct surface *s = i == RASTER_TARGETS ? &t->zeta : &t->color[i];
    if ((i < RASTER_TARGETS && i >= t->color_count) || s->format == FORMAT_NONE || !s->data)
        return 0;
    return memory_address(h->device->memory, s->data);
}

/* NULL when out of memory. Called with the lock held. */
static struct history_entry *add(struct history *h) {
    if (!array_grow((void **)&h->entry, &h->capacity, h->count + 1, sizeof *h->entry)) {
        h->incomplete = true;
        return NULL;
    }
    struct history_entry *e = &h->entry[h->count++];
    memset(e, 0, sizeof *e);
    e->discarded_by = HISTORY_NO_ADDRESS;
    return e;
}

/* Runs a copy of the fragment until its lane is gone. */
static uint32_t find_discard(const struct raster_probe_event *e) {
    struct stepper *s = stepper_create(e->start, e->fp);
    uint32_t address = HISTORY_NO_ADDRESS;
    while (s && address == HISTORY_NO_ADDRESS) {
        const uint32_t pc = stepper_warp(s)->pc;
        const enum warp_status status = stepper_step(s);
        if (stepper_warp(s)->dead >> e->lane & 1)
            address = pc;
        if (status != WARP_RUNNING)
            break;
    }
    stepper_destroy(s);
    return address;
}

/* v[] words at the pixel, as interpolation without perspective correction gives them. */
static void note_inputs(struct history_entry *out, const struct raster_probe_event *e) {
    const struct plane_set *set = e->start->planes[e->lane / 4];
    const float x = e->start->x[e->lane], y = e->start->y[e->lane];
    for (uint32_t i = 0; set && i < set->count && i < HISTORY_INPUTS; i++) {
        const struct plane *p = &set->plane[i];
        out->input[out->inputs++] = (p->base + p->dx * x) + p->dy * y;
    }
}

static void note_zeta(struct history_entry *out, const struct raster_probe_event *e) {
    out->zeta = e->state->zeta;
    out->zeta_format = e->state->targets->zeta.format;
    out->zeta_tested = e->zeta.tested;
    out->zeta_passed = e->zeta.passed;
    out->depth = e->zeta.depth;
    memcpy(out->zeta_before, e->zeta.before, sizeof out->zeta_before);
    memcpy(out->zeta_after, e->zeta.after, sizeof out->zeta_after);
    out->zeta_written = memcmp(e->zeta.before, e->zeta.after, sizeof e->zeta.before) != 0 ||
                        (e->zeta.passed && e->state->zeta.depth_test && e->state->zeta.depth_write);
}

static void note_color(struct history_entry *out, const struct raster_probe_event *e,
                       uint32_t target) {
    const struct color_state *c = &e->state->color;
    out->color_target = target < RASTER_TARGETS ? (int)target : -1;
    if (out->color_target < 0)
        return;
    out->color_format = e->state->targets->color[target].format;
    memcpy(out->source, e->color[target].source, sizeof out->source);
    memcpy(out->before, e->color[target].before, sizeof out->before);
    memcpy(out->after, e->color[target].after, sizeof out->after);
    out->blend = c->blend[target];
    out->color_mask = c->mask[target];
    memcpy(out->blend_color, c->blend_color, sizeof out->blend_color);
    out->logic_op_enable = c->logic_op_enable;
    out->logic_op = c->logic_op;
}

/* What became of it as far as this target goes. */
static enum raster_verdict verdict_here(const struct raster_probe_event *e,
                                        const struct history_entry *out) {
    if (e->verdict != RASTER_WRITTEN && e->verdict != RASTER_NO_COLOR)
        return e->verdict;
    if (out->color_target < 0)
        return out->zeta_written ? RASTER_WRITTEN : RASTER_NO_COLOR;
    return e->color[out->color_target].written ? RASTER_WRITTEN : RASTER_NO_COLOR;
}

static void note_event(struct history *h, const struct raster_probe *probe,
                       const struct raster_probe_event *e, uint32_t target, uint32_t discarded_by) {
    struct history_entry *out = add(h);
    if (!out)
        return;
    out->kind = HISTORY_PRIMITIVE;
    out->draw = probe->draw;
    out->target = target_address(h, e->state->targets, target);
    out->primitive = e->prim->number;
    out->front = e->front;
    out->ran = e->start != NULL;
    out->discarded_by = discarded_by;
    if (e->fp && e->fp->program)
        snprintf(out->program, sizeof out->program, "%s", e->fp->program->name);
    note_zeta(out, e);
    note_color(out, e, target);
    out->verdict = verdict_here(e, out);
    if (out->ran)
        note_inputs(out, e);
    if (out->verdict == RASTER_TRAPPED)
        out->trap = e->end->error;
}

static void take_event(void *self, const struct raster_probe *probe,
                       const struct raster_probe_event *e) {
    struct history *h = self;
    const uint32_t by = e->verdict == RASTER_DISCARDED ? find_discard(e) : HISTORY_NO_ADDRESS;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i <= RASTER_TARGETS; i++)
        if (target_address(h, e->state->targets, i))
            note_event(h, probe, e, i, by);
    pthread_mutex_unlock(&h->lock);
}

static bool clears(const struct raster_clear *c, uint32_t target) {
    return target == RASTER_TARGETS ? c->depth || c->stencil
                                    : c->color_mask && c->target == target;
}

static void take_clear(void *self, const struct raster_probe *probe,
                       const struct raster_clear *clear, const struct raster_targets *targets) {
    struct history *h = self;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i <= RASTER_TARGETS; i++) {
        const uint64_t address = target_address(h, targets, i);
        struct history_entry *out = address && clears(clear, i) ? add(h) : NULL;
        if (!out)
            continue;
        out->kind = HISTORY_CLEAR;
        out->draw = probe->draw;
        out->target = address;
        out->clear = *clear;
        out->color_target = i < RASTER_TARGETS ? (int)i : -1;
        out->color_format = i < RASTER_TARGETS ? targets->color[i].format : targets->zeta.format;
    }
    pthread_mutex_unlock(&h->lock);
}

struct history *history_create(tp_device *device, const struct history_where *where) {
    struct history *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->device = device;
    h->where = *where;
    h->probe = (struct raster_probe){.x = where->x,
                                     .y = where->y,
                                     .layer = where->layer,
                                     .sample = where->sample,
                                     .self = h,
                                     .event = take_event,
                                     .clear = take_clear};
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

bool history_watch(struct history *h, tp_context *c) {
    if (h->contexts == HISTORY_CONTEXTS)
        return false;
    h->context[h->contexts++] = c;
    context_probe(c, &h->probe);
    return true;
}

/* What was written before something else was. */
static void mark_overwritten(struct history *h) {
    bool later = false;
    for (size_t i = h->count; i-- > 0;) {
        struct history_entry *e = &h->entry[i];
        if (e->kind == HISTORY_CLEAR) {
            later = true;
        } else if (e->verdict == RASTER_WRITTEN) {
            e->overwritten = later;
            later = true;
        }
    }
}

void history_end(struct history *h) {
    while (h->contexts)
        context_probe(h->context[--h->contexts], NULL);
}

void history_select(struct history *h, uint64_t target, uint64_t last_draw) {
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++) {
        const struct history_entry *e = &h->entry[i];
        if (e->target == target && (!last_draw || e->draw <= last_draw))
            h->entry[kept++] = *e;
    }
    h->count = kept;
    mark_overwritten(h);
}

const struct history_entry *history_entries(const struct history *h, size_t *count) {
    *count = h->count;
    return h->entry;
}

bool history_incomplete(const struct history *h) {
    return h->incomplete;
}

void history_free(struct history *h) {
    if (!h)
        return;
    pthread_mutex_destroy(&h->lock);
    free(h->entry);
    free(h);
}

const char *history_verdict_name(enum raster_verdict v) {
    static const char *const names[] = {
        [RASTER_NOT_COVERED] = "not covered",
        [RASTER_WINDOWED] = "cut by window rectangles or stipple",
        [RASTER_SAMPLE_MASKED] = "sample mask",
        [RASTER_ZETA_FAILED] = "zeta test failed",
        [RASTER_DISCARDED] = "discarded",
        [RASTER_TRAPPED] = "program trapped",
        [RASTER_REMOVED] = "removed after the program",
        [RASTER_NO_COLOR] = "passed, but not written",
        [RASTER_WRITTEN] = "written",
    };
    return (unsigned)v < sizeof names / sizeof *names ? names[v] : "?";
}
