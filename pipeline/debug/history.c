/* The history of pixels (history.h): collects the events of a pixel watch, finds the instruction
 * that discarded a fragment, sorts events by draw, and marks values that were overwritten later.
 * In: events, from any thread. Out: entries. Must not know files.
 */
#define _GNU_SOURCE /* qsort_r */
#include "pipeline/debug/history.h"

#include <stdio.h>
#include <stdlib.h>

/* A target that has an event, or was named by history_watch_target(). From then on, copies into the
 * target are events. */
struct seen_target {
    uint64_t address;
    struct surface surface;
    int color_target;
    uint32_t shift_x, shift_y;
    uint32_t *now; /* [pixels][4] texels at the end of the history */
};

struct history {
    tp_device *device;
    tp_context *context[HISTORY_CONTEXTS];
    int contexts;
    struct history_options options;
    uint32_t *number; /* [pixels] the caller's number of probe.pixel[i] */
    struct pixel_watch watch;
    pthread_mutex_t lock;
    struct history_entry *entry;
    size_t count, capacity;
    struct traced_primitive *primitive;
    size_t primitives, primitive_capacity;
    struct seen_target *seen;
    size_t seen_count, seen_capacity;
    const struct history_entry **selected;
    size_t selected_capacity;
    struct store_watch *stores;
    struct store_place {
        uint32_t target, pixel; /* number of the target in seen[], from 1; index in probe.pixel[] */
    } *place;
    size_t places, place_capacity;
    struct history_range *range; /* owned by the caller */
    uint32_t ranges;
    struct stored until;
    bool incomplete, ordered;
};

enum { RANGE_NUMBERS = 1 << 30 /* numbers of ranges begin here; lower numbers are places */ };

/* ---- targets ---- */

static const struct surface *target_surface(const struct raster_targets *t, uint32_t i) {
    const struct surface *s = i == RASTER_TARGETS ? &t->zeta : &t->color[i];
    const bool there = i == RASTER_TARGETS || i < t->color_count;
    return there && s->format != FORMAT_NONE && s->data ? s : NULL;
}

/* Returns the GPU address of target i (RASTER_TARGETS: zeta); 0 if there is no such target. */
static uint64_t target_address(const struct history *h, const struct raster_targets *t,
                               uint32_t i) {
    const struct surface *s = target_surface(t, i);
    return s ? memory_address(h->device->memory, s->data) : 0;
}

static bool same_surface(const struct surface *a, const struct surface *b) {
    return a->format == b->format && a->linear == b->linear && a->height == b->height &&
           (a->linear ? a->pitch == b->pitch : a->width == b->width && a->tile_h == b->tile_h);
}

/* Returns the number of the target, from 1; 0 if the target was not seen yet. */
static uint32_t find_target(const struct history *h, uint64_t address, const struct surface *s) {
    for (size_t k = 0; k < h->seen_count; k++)
        if (h->seen[k].address == address && same_surface(&h->seen[k].surface, s))
            return (uint32_t)k + 1;
    return 0;
}

/* Computes the offset of a pixel's texel in the target. False if the target has no such pixel. */
static bool texel_offset(const struct seen_target *t, const struct raster_probe_pixel *p,
                         uint64_t *offset) {
    const uint32_t bytes = format_info(t->surface.format)->bytes;
    const uint32_t sample_x = (p->sample & 1) | (p->sample >> 1 & 2);
    const uint32_t x = ((uint32_t)p->x << t->shift_x) + sample_x;
    const uint32_t y = ((uint32_t)p->y << t->shift_y) + (p->sample >> 1 & 1);
    if (x >= t->surface.width || y >= t->surface.height || p->sample >> t->shift_x >> t->shift_y)
        return false;
    *offset = surface_offset(&t->surface, x * bytes, y, p->layer);
    return *offset + bytes <= t->surface.size;
}

/* Watches the memory of the target's watched pixels for stores. */
static void watch_stores(struct history *h, uint32_t target) {
    const struct seen_target *t = &h->seen[target - 1];
    const uint32_t bytes = format_info(t->surface.format)->bytes;
    for (uint32_t i = 0; h->options.stores && i < h->watch.probe.pixels; i++) {
        uint64_t offset;
        if (!texel_offset(t, &h->watch.probe.pixel[i], &offset))
            continue;
        if (!ARRAY_ROOM(h->place, h->place_capacity, h->places + 1)) {
            h->incomplete = true;
            return;
        }
        h->place[h->places] = (struct store_place){target, i};
        store_watch_range(h->stores, t->address + offset, bytes, (uint32_t)h->places++);
    }
}

/* Returns the number of a target, from 1; adds the target if it is new. 0 when out of memory. */
static uint32_t add_target(struct history *h, uint64_t address, const struct surface *surface,
                           int color_target, uint32_t samples) {
    const uint32_t known = find_target(h, address, surface);
    if (known)
        return known;
    if (!ARRAY_ROOM(h->seen, h->seen_capacity, h->seen_count + 1)) {
        h->incomplete = true;
        return 0;
    }
    struct seen_target *s = &h->seen[h->seen_count++];
    *s =
        (struct seen_target){.address = address, .surface = *surface, .color_target = color_target};
    surface_sample_shift(samples, &s->shift_x, &s->shift_y);
    watch_stores(h, (uint32_t)h->seen_count);
    return (uint32_t)h->seen_count;
}

static uint32_t note_target(struct history *h, const struct raster_targets *t, uint32_t i,
                            uint64_t address) {
    return add_target(h, address, target_surface(t, i), i < RASTER_TARGETS ? (int)i : -1,
                      t->samples);
}

/* Reads the texel. False if there is none or its memory was freed. */
static bool read_texel(const struct history *h, const struct seen_target *t,
                       const struct raster_probe_pixel *p, uint32_t texel[4]) {
    uint64_t offset;
    memset(texel, 0, 4 * sizeof *texel);
    if (!texel_offset(t, p, &offset))
        return false;
    const uint8_t *at =
        memory_at(h->device->memory, t->address + offset, format_info(t->surface.format)->bytes);
    if (at)
        format_decode(t->surface.format, at, texel);
    return at != NULL;
}

/* ---- entries ---- */

/* Returns a new entry; NULL when out of memory. The lock is held. */
static struct history_entry *add_entry(struct history *h, uint32_t pixel) {
    if (!ARRAY_ROOM(h->entry, h->capacity, h->count + 1)) {
        h->incomplete = true;
        return NULL;
    }
    struct history_entry *e = &h->entry[h->count];
    memset(e, 0, sizeof *e);
    e->order = h->count++;
    e->pixel = h->number[pixel];
    e->discarded_by = HISTORY_NO_ADDRESS;
    return e;
}

/* Adds an entry for target i; NULL if there is no such target, or when out of memory. */
static struct history_entry *add_for(struct history *h, uint32_t pixel,
                                     const struct raster_targets *t, uint32_t i) {
    const uint64_t address = target_address(h, t, i);
    struct history_entry *e = address ? add_entry(h, pixel) : NULL;
    if (!e)
        return NULL;
    e->target = note_target(h, t, i, address);
    e->color_target = i < RASTER_TARGETS ? (int)i : -1;
    e->format = target_surface(t, i)->format;
    return e;
}

/* Returns the address of the instruction that discarded the fragment: runs a copy of its warp until
 * the lane is dead. */
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

static bool reads_word(const struct raster_probe_event *e, uint32_t i) {
    const struct program_facts *f = &e->fp->program->facts;
    return i < VARYING_WORDS && (f->varying[i / 32] | f->varying_flat[i / 32]) >> i % 32 & 1;
}

static void note_inputs(struct history *h, struct history_entry *out,
                        const struct raster_probe_event *e) {
    const struct attribute_planes *set = e->start->planes[e->lane / 4];
    const float x = e->start->x[e->lane], y = e->start->y[e->lane];
    const uint32_t count = !set ? 0 : set->count < HISTORY_INPUTS ? set->count : HISTORY_INPUTS;
    out->input = count ? calloc(count, sizeof *out->input) : NULL;
    h->incomplete |= count && !out->input;
    for (uint32_t i = 0; out->input && i < count; i++) {
        const struct attribute_plane *p = &set->plane[i];
        out->input[out->inputs++] =
            (struct history_input){.kind = e->state->word[i].kind,
                                   .slot = e->state->word[i].slot,
                                   .read = reads_word(e, i),
                                   .value = (p->base + p->dx * x) + p->dy * y,
                                   .flat = p->flat};
    }
}

static void note_zeta(struct history_entry *out, const struct raster_probe_event *e) {
    out->zeta = e->state->zeta;
    out->zeta_format = e->state->targets->zeta.format;
    out->zeta_tested = e->zeta.tested;
    out->zeta_passed = e->zeta.passed;
    out->zeta_late = e->zeta.late;
    out->depth = e->zeta.depth;
    memcpy(out->zeta_before, e->zeta.before, sizeof out->zeta_before);
    memcpy(out->zeta_after, e->zeta.after, sizeof out->zeta_after);
    out->zeta_written = memcmp(e->zeta.before, e->zeta.after, sizeof e->zeta.before) != 0 ||
                        (e->zeta.passed && e->state->zeta.depth_test && e->state->zeta.depth_write);
}

static void note_color(struct history_entry *out, const struct raster_probe_event *e) {
    const struct color_state *c = &e->state->color;
    const int target = out->color_target;
    if (target < 0) {
        memcpy(out->before, e->zeta.before, sizeof e->zeta.before);
        memcpy(out->after, e->zeta.after, sizeof e->zeta.after);
        return;
    }
    memcpy(out->source, e->color[target].source, sizeof out->source);
    memcpy(out->before, e->color[target].before, sizeof out->before);
    memcpy(out->after, e->color[target].after, sizeof out->after);
    out->blend = c->blend[target];
    out->color_mask = c->mask[target];
    memcpy(out->blend_color, c->blend_color, sizeof out->blend_color);
    out->logic_op_enable = c->logic_op_enable;
    out->logic_op = c->logic_op;
    out->alpha_test = c->alpha_test;
    out->alpha_func = c->alpha_func;
    out->alpha_ref = c->alpha_ref;
}

/* Returns the verdict of the event for the entry's target. */
static enum raster_verdict verdict_here(const struct raster_probe_event *e,
                                        const struct history_entry *out) {
    if (e->verdict != RASTER_WRITTEN)
        return e->verdict;
    if (out->color_target < 0)
        return out->zeta_written ? RASTER_WRITTEN : RASTER_NO_COLOR;
    return e->color[out->color_target].written ? RASTER_WRITTEN : RASTER_NO_COLOR;
}

static void note_program(struct history_entry *out, const char *name) {
    if (name)
        snprintf(out->program, sizeof out->program, "%s", name);
}

/* ---- events of the watch ---- */

static void note_trace(struct history *h, struct history_entry *out,
                       const struct raster_probe_event *e) {
    out->trace = calloc(1, sizeof *out->trace);
    if (!out->trace || !lane_trace_run(out->trace, e->start, e->fp, e->lane))
        h->incomplete = true;
}

/* Collects the reads of a fragment that was written: runs a copy of its warp. */
static void note_reads(struct history *h, struct history_entry *out,
                       const struct raster_probe_event *e) {
    out->reads = calloc(1, sizeof *out->reads);
    if (out->reads)
        out->reads->memory = h->device->memory;
    if (!out->reads ||
        !thread_reads_run(out->reads, store_watch_pages(h->stores), e->start, e->fp, e->lane))
        h->incomplete = true;
}

static void note_event(struct history *h, const struct raster_probe *probe, uint32_t pixel,
                       const struct raster_probe_event *e, uint32_t target, uint32_t discarded_by) {
    struct history_entry *out = add_for(h, pixel, e->state->targets, target);
    if (!out)
        return;
    out->kind = HISTORY_PRIMITIVE;
    out->draw = probe->draw;
    out->primitive = raster_prim_number(e->state, e->prim);
    out->front = e->front;
    out->ran = e->start != NULL;
    out->discarded_by = discarded_by;
    if (e->fp && e->fp->program) {
        note_program(out, e->fp->program->name);
        out->base = e->fp->program->base;
    }
    note_zeta(out, e);
    note_color(out, e);
    out->verdict = verdict_here(e, out);
    if (out->ran)
        note_inputs(h, out, e);
    if (out->ran && h->options.trace)
        note_trace(h, out, e);
    if (out->ran && out->verdict == RASTER_WRITTEN && h->options.reads_of == out->draw)
        note_reads(h, out, e);
    if (out->verdict == RASTER_TRAPPED)
        out->trap = e->end->error;
}

static void take_event(void *self, const struct raster_probe *probe, uint32_t pixel,
                       const struct raster_probe_event *e) {
    struct history *h = self;
    if (e->verdict == RASTER_NOT_COVERED && !h->options.all)
        return;
    const uint32_t by = e->verdict == RASTER_DISCARDED ? find_discard(e) : HISTORY_NO_ADDRESS;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i <= RASTER_TARGETS; i++)
        note_event(h, probe, pixel, e, i, by);
    pthread_mutex_unlock(&h->lock);
}

/* Corrects the colours in the entries of a primitive whose program writes memory. Its fragments may
 * depend on each other, so the colours that single fragments gave may be wrong. */
static void take_drawn(void *self, const struct raster_probe *probe, uint32_t pixel,
                       const struct raster_probe_event *e) {
    struct history *h = self;
    const uint32_t number = raster_prim_number(e->state, e->prim);
    pthread_mutex_lock(&h->lock);
    for (size_t i = h->count; i-- > 0;) {
        struct history_entry *const was = &h->entry[i];
        if (was->pixel != h->number[pixel])
            continue; /* an entry of another pixel */
        if (was->kind != HISTORY_PRIMITIVE || was->draw != probe->draw || was->primitive != number)
            break;
        const uint32_t *const after =
            was->color_target < 0 ? NULL : e->color[was->color_target].after;
        if (was->verdict != RASTER_WRITTEN || !after ||
            !memcmp(was->after, after, sizeof was->after))
            continue;
        memcpy(was->after, after, sizeof was->after);
        was->depends = true;
    }
    pthread_mutex_unlock(&h->lock);
}

static bool clears_target(const struct raster_clear *c, uint32_t target) {
    return target == RASTER_TARGETS ? c->depth || c->stencil : c->color_mask && c->target == target;
}

static void take_clear(void *self, const struct raster_probe *probe, uint32_t pixel,
                       const struct raster_clear *clear, const struct raster_targets *targets) {
    struct history *h = self;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i <= RASTER_TARGETS; i++) {
        struct history_entry *out = clears_target(clear, i) ? add_for(h, pixel, targets, i) : NULL;
        if (!out)
            continue;
        out->kind = HISTORY_CLEAR;
        out->draw = probe->draw;
        out->clear = *clear;
        memcpy(out->after, clear->color, sizeof out->after);
    }
    pthread_mutex_unlock(&h->lock);
}

static uint32_t take_primitive(void *self, const struct traced_primitive *p) {
    struct history *h = self;
    uint32_t name = 0;
    pthread_mutex_lock(&h->lock);
    if (ARRAY_ROOM(h->primitive, h->primitive_capacity, h->primitives + 1)) {
        name = (uint32_t)h->primitives++;
        h->primitive[name] = *p;
    } else {
        h->incomplete = true;
    }
    pthread_mutex_unlock(&h->lock);
    return name;
}

static void take_lost(void *self, uint32_t pixel, uint32_t primitive, enum raster_verdict verdict,
                      bool front, const struct raster_state *state, const char *program) {
    struct history *h = self;
    if (verdict == RASTER_DEGENERATE && !h->options.all)
        return;
    pthread_mutex_lock(&h->lock);
    for (uint32_t i = 0; i <= RASTER_TARGETS && primitive < h->primitives; i++) {
        struct history_entry *out = add_for(h, pixel, state->targets, i);
        if (!out)
            continue;
        out->kind = HISTORY_PRIMITIVE;
        out->draw = h->primitive[primitive].draw;
        out->primitive = primitive;
        out->verdict = verdict;
        out->front = front;
        note_program(out, program);
    }
    pthread_mutex_unlock(&h->lock);
}

static void note_copy(struct history *h, uint32_t target, uint32_t pixel, uint64_t draw) {
    const struct seen_target *s = &h->seen[target - 1];
    struct history_entry *out = add_entry(h, pixel);
    if (!out)
        return;
    out->kind = HISTORY_COPY;
    out->draw = draw;
    out->target = target;
    out->color_target = s->color_target;
    out->format = s->surface.format;
    read_texel(h, s, &h->watch.probe.pixel[pixel], out->before);
}

/* Adds an entry for a program's store to a watched texel. */
static void add_store(struct history *h, const struct store_place *p, const struct stored *s) {
    const struct seen_target *t = &h->seen[p->target - 1];
    struct history_entry *out = add_entry(h, p->pixel);
    if (!out)
        return;
    out->kind = HISTORY_STORE;
    out->draw = s->draw;
    out->target = p->target;
    out->color_target = t->color_target;
    out->format = t->surface.format;
    snprintf(out->program, sizeof out->program, "%s", s->program);
    format_decode(t->surface.format, s->before, out->before);
    format_decode(t->surface.format, s->after, out->after);
    out->store = malloc(sizeof *out->store);
    if (out->store)
        *out->store = *s;
    h->incomplete |= !out->store;
}

static void take_store(void *self, uint32_t number, const struct stored *s) {
    struct history *h = self;
    pthread_mutex_lock(&h->lock);
    if (number < RANGE_NUMBERS) {
        add_store(h, &h->place[number], s);
    } else if (stored_before(s, &h->until)) {
        struct history_range *r = &h->range[number - RANGE_NUMBERS];
        r->last = *s;
        r->stored = true;
        r->copied = false;
    }
    pthread_mutex_unlock(&h->lock);
}

static void copy_into_ranges(struct history *h, uint64_t address, uint64_t size, uint64_t draw) {
    const struct stored copy = {.draw = draw, .launch = store_watch_launches(h->stores)};
    for (uint32_t i = 0; i < h->ranges; i++) {
        struct history_range *r = &h->range[i];
        if (address < r->address + r->size && r->address < address + size)
            r->copied |= stored_before(&copy, &h->until);
    }
}

/* Notes that a copy, the 2D engine or the CPU is about to write memory. No queued draw uses this
 * memory. */
static void take_copy(void *self, uint64_t address, uint64_t size, uint64_t draw) {
    struct history *h = self;
    pthread_mutex_lock(&h->lock);
    copy_into_ranges(h, address, size, draw);
    for (size_t k = 0; k < h->seen_count; k++) {
        const struct seen_target s = h->seen[k];
        const uint32_t bytes = format_info(s.surface.format)->bytes;
        if (s.color_target < 0 || address >= s.address + s.surface.size ||
            address + size <= s.address)
            continue;
        for (uint32_t i = 0; i < h->watch.probe.pixels; i++) {
            uint64_t at;
            if (texel_offset(&s, &h->watch.probe.pixel[i], &at) &&
                address < s.address + at + bytes && address + size > s.address + at)
                note_copy(h, (uint32_t)k + 1, i, draw);
        }
    }
    pthread_mutex_unlock(&h->lock);
}

void history_memory(struct history *h, uint64_t address, uint64_t size, uint64_t draw) {
    for (int i = 0; i < h->contexts; i++)
        context_before_read(h->context[i], address, size);
    take_copy(h, address, size, draw);
}

/* ---- creation and end ---- */

/* Sorts the pixels by y and keeps the caller's numbers of them. */
static bool take_pixels(struct history *h, const struct raster_probe_pixel *pixel,
                        uint32_t pixels) {
    struct raster_probe_pixel *sorted = calloc(pixels ? pixels : 1, sizeof *sorted);
    uint32_t *start = NULL, rows = 0;
    h->number = calloc(pixels ? pixels : 1, sizeof *h->number);
    h->watch.probe.pixel = sorted;
    h->watch.probe.pixels = pixels;
    for (uint32_t i = 0; i < pixels; i++)
        rows = pixel[i].y >= 0 && (uint32_t)pixel[i].y >= rows ? (uint32_t)pixel[i].y + 1 : rows;
    start = calloc(rows + 2, sizeof *start);
    for (uint32_t i = 0; start && i < pixels; i++)
        start[pixel[i].y + 1]++;
    for (uint32_t y = 0; start && y < rows; y++)
        start[y + 1] += start[y];
    for (uint32_t i = 0; sorted && start && h->number && i < pixels; i++) {
        const uint32_t to = start[pixel[i].y]++;
        sorted[to] = pixel[i];
        h->number[to] = i;
    }
    const bool ok = sorted && start && h->number;
    free(start);
    return ok;
}

struct history *history_create(tp_device *device, const struct raster_probe_pixel *pixel,
                               uint32_t pixels, const struct history_options *options) {
    struct history *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->device = device;
    h->options = options ? *options : (struct history_options){0};
    h->watch = (struct pixel_watch){
        .probe = {.self = h, .event = take_event, .drawn = take_drawn, .clear = take_clear},
        .self = h,
        .primitive = take_primitive,
        .lost = take_lost,
        .copy = take_copy};
    pthread_mutex_init(&h->lock, NULL);
    h->stores = store_watch_create(device, h, take_store);
    if (h->stores && take_pixels(h, pixel, pixels))
        return h;
    history_free(h);
    return NULL;
}

bool history_watch(struct history *h, tp_context *c) {
    if (h->contexts == HISTORY_CONTEXTS)
        return false;
    h->context[h->contexts++] = c;
    context_watch(c, &h->watch);
    store_watch_begin(h->stores, c, h->options.stores);
    return true;
}

void history_watch_target(struct history *h, uint64_t address, const struct surface *surface,
                          int color_target, uint32_t samples) {
    pthread_mutex_lock(&h->lock);
    add_target(h, address, surface, color_target, samples);
    pthread_mutex_unlock(&h->lock);
}

void history_watch_ranges(struct history *h, struct history_range *range, uint32_t count,
                          const struct stored *until) {
    h->range = range;
    h->ranges = count;
    h->until = *until;
    for (uint32_t i = 0; i < count; i++) {
        range[i].stored = range[i].copied = false;
        store_watch_range(h->stores, range[i].address, range[i].size, RANGE_NUMBERS + i);
    }
}

void history_follow(struct history *h, const struct stored *s, struct thread_reads *reads) {
    store_watch_follow(h->stores, s, reads);
}

uint64_t history_writers(const struct history *h) {
    return store_watch_writers(h->stores);
}

void history_end(struct history *h) {
    if (!h->contexts)
        return;
    while (h->contexts) {
        tp_context *const c = h->context[--h->contexts];
        context_watch(c, NULL);
        store_watch_leave(h->stores, c);
    }
    for (size_t k = 0; k < h->seen_count; k++) {
        struct seen_target *s = &h->seen[k];
        if (!memory_at(h->device->memory, s->address, 1))
            continue; /* the memory was freed */
        s->now = calloc(h->watch.probe.pixels, 4 * sizeof *s->now);
        h->incomplete |= !s->now;
        for (uint32_t i = 0; s->now && i < h->watch.probe.pixels; i++)
            read_texel(h, s, &h->watch.probe.pixel[i], s->now + 4ull * h->number[i]);
    }
}

void history_free(struct history *h) {
    if (!h)
        return;
    pthread_mutex_destroy(&h->lock);
    for (size_t i = 0; i < h->count; i++) {
        free(h->entry[i].input);
        if (h->entry[i].trace)
            lane_trace_free(h->entry[i].trace);
        free(h->entry[i].trace);
        free(h->entry[i].store);
        if (h->entry[i].reads)
            thread_reads_free(h->entry[i].reads);
        free(h->entry[i].reads);
    }
    for (size_t i = 0; i < h->seen_count; i++)
        free(h->seen[i].now);
    free(h->entry);
    free(h->primitive);
    free(h->seen);
    free(h->selected);
    free(h->place);
    store_watch_free(h->stores);
    free(h->number);
    free((void *)(uintptr_t)h->watch.probe.pixel);
    free(h);
}

/* ---- entries in order ---- */

const struct traced_primitive *history_primitive(const struct history *h,
                                                 const struct history_entry *e) {
    return e->kind == HISTORY_PRIMITIVE && e->primitive < h->primitives
               ? &h->primitive[e->primitive]
               : NULL;
}

/* Computes the weights of a primitive's vertices at a point of the window, not divided by their
 * sum. For a line, these are the weights at the line's nearest point. */
static void weigh_vertices(const struct traced_primitive *p, double x, double y, double weight[3]) {
    const struct traced_vertex *v = p->vertex;
    weight[0] = 1;
    if (p->vertices == 2) {
        const double dx = (double)(v[1].window[0] - v[0].window[0]),
                     dy = (double)(v[1].window[1] - v[0].window[1]);
        const double along = (x - (double)v[0].window[0]) * dx + (y - (double)v[0].window[1]) * dy;
        const double length = dx * dx + dy * dy;
        weight[1] = along < 0 || length == 0 ? 0 : along > length ? 1 : along / length;
        weight[0] = 1 - weight[1];
    }
    for (int k = 0; k < 3 && p->vertices == 3; k++) {
        const float *a = v[(k + 1) % 3].window, *b = v[(k + 2) % 3].window;
        weight[k] =
            ((double)a[0] - x) * ((double)b[1] - y) - ((double)b[0] - x) * ((double)a[1] - y);
    }
}

bool history_domain(const struct history *h, const struct history_entry *e, float domain[2]) {
    const struct traced_primitive *p = history_primitive(h, e);
    double weight[3] = {0}, u = 0, v = 0, sum = 0;
    uint32_t i = 0;
    if (!p || !p->patched || p->maker != PROGRAM_TEP)
        return false;
    while (h->number[i] != e->pixel)
        i++;
    weigh_vertices(p, h->watch.probe.pixel[i].x + 0.5, h->watch.probe.pixel[i].y + 0.5, weight);
    for (uint32_t k = 0; k < p->vertices; k++) {
        const double share = weight[k] * (double)p->vertex[k].window[3]; /* [3]: 1/w */
        if (!(p->vertex[k].window[3] > 0))
            return false;
        u += share * (double)p->vertex[k].domain[0];
        v += share * (double)p->vertex[k].domain[1];
        sum += share;
    }
    domain[0] = (float)(u / sum);
    domain[1] = (float)(v / sum);
    return sum != 0;
}

/* Entries are sorted by pixel, target, draw, and within the draw by primitive; clears, copies and
 * stores come after the primitives of their draw. */
static int compare_entries(const void *a, const void *b, void *self) {
    const struct history_entry *x = a, *y = b;
    const struct traced_primitive *p = history_primitive(self, x), *q = history_primitive(self, y);
    const uint64_t keys[][2] = {{x->pixel, y->pixel},
                                {x->target, y->target},
                                {x->draw, y->draw},
                                {!p, !q},
                                {p && q ? p->number : 0, p && q ? q->number : 0},
                                {p && q ? x->primitive : 0, p && q ? y->primitive : 0},
                                {x->order, y->order}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Returns the texel of the entry's pixel and target at the end of the history; NULL if it is
 * unknown. */
static const uint32_t *texel_now(const struct history *h, const struct history_entry *e) {
    const uint32_t *now = e->target ? h->seen[e->target - 1].now : NULL;
    return now ? now + 4ull * e->pixel : NULL;
}

static bool changes_nothing(const struct history_entry *e) {
    return e->kind == HISTORY_COPY && memcmp(e->before, e->after, sizeof e->before) == 0;
}

/* Marks values that were overwritten later. The value after a copy is the value that the next event
 * found, or the value at the end. So the entries are walked backwards. */
static void mark_overwritten(struct history *h) {
    const uint32_t *found = NULL; /* the value that the next event found; NULL: unknown */
    bool later = false;
    for (size_t i = h->count; i-- > 0;) {
        struct history_entry *e = &h->entry[i];
        const struct history_entry *next = i + 1 < h->count ? e + 1 : NULL;
        if (!next || next->pixel != e->pixel || next->target != e->target) {
            found = texel_now(h, e);
            later = false;
        }
        if (e->kind == HISTORY_COPY)
            memcpy(e->after, found ? found : e->before, sizeof e->after);
        const bool writes =
            e->kind == HISTORY_PRIMITIVE ? e->verdict == RASTER_WRITTEN : !changes_nothing(e);
        e->overwritten = writes && later;
        later |= writes;
        if (e->kind == HISTORY_CLEAR)
            found = NULL;
        else if (e->kind != HISTORY_PRIMITIVE || e->verdict >= RASTER_NOT_COVERED)
            found = e->before;
    }
}

/* Numbers the pieces of each primitive. Entries of one primitive are neighbours. */
static void number_pieces(struct history *h) {
    for (size_t i = 0, end; i < h->count; i = end) {
        const struct history_entry *e = &h->entry[i];
        for (end = i + 1; end < h->count; end++) {
            const struct history_entry *next = &h->entry[end];
            if (e->kind != HISTORY_PRIMITIVE || next->kind != HISTORY_PRIMITIVE ||
                next->pixel != e->pixel || next->target != e->target || next->draw != e->draw ||
                next->primitive != e->primitive)
                break;
        }
        for (size_t k = i; k < end; k++) {
            h->entry[k].piece = (uint32_t)(k - i + 1);
            h->entry[k].pieces = (uint32_t)(end - i);
        }
    }
}

/* Returns the first entry that is not before this pixel and target. */
static size_t find_first(const struct history *h, uint32_t pixel, uint32_t target) {
    size_t low = 0, high = h->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct history_entry *e = &h->entry[middle];
        if (e->pixel < pixel || (e->pixel == pixel && e->target < target))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct surface target_layout(const struct target_state *t) {
    return (struct surface){.format = t->format,
                            .width = t->width,
                            .height = t->height,
                            .depth = 1,
                            .linear = t->linear,
                            .is_3d = true,
                            .pitch = t->pitch,
                            .tile_h = t->tile_h,
                            .tile_d = t->tile_d};
}

const struct history_entry *const *history_select(struct history *h, uint32_t pixel,
                                                  uint64_t address, const struct surface *surface,
                                                  uint64_t last_draw, size_t *count) {
    const uint32_t target = find_target(h, address, surface);
    *count = 0;
    if (!h->ordered) {
        if (h->count)
            qsort_r(h->entry, h->count, sizeof *h->entry, compare_entries, h);
        mark_overwritten(h);
        number_pieces(h);
        h->ordered = true;
    }
    for (size_t i = find_first(h, pixel, target); i < h->count; i++) {
        const struct history_entry *e = &h->entry[i];
        if (e->pixel != pixel || e->target != target || (last_draw && e->draw > last_draw))
            break;
        if (changes_nothing(e))
            continue;
        if (!ARRAY_ROOM(h->selected, h->selected_capacity, *count + 1)) {
            h->incomplete = true;
            break;
        }
        h->selected[(*count)++] = e;
    }
    return h->selected;
}

bool history_incomplete(const struct history *h) {
    return h->incomplete || store_watch_incomplete(h->stores);
}

const char *history_verdict_name(enum raster_verdict v) {
#define NAME(e, name) [e] = name,
    static const char *const names[] = {RASTER_VERDICT_LIST(NAME)};
    return (unsigned)v < sizeof names / sizeof *names ? names[v] : "?";
}
