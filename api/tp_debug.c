/* The debugger of the C API (teslapipe_debug.h): histories of pixels, warps that the caller steps
 * before they run, the time line, native code. In: pixels and places to stop at, checked here. Out:
 * entries, registers, counts. Built on pipeline/debug/, shader/stepper.h, base/timeline.h and
 * shader/native/.
 */
#include "api/api.h"
#include "base/bits.h"

#include "base/timeline.h"
#include "pipeline/debug/history.h"
#include "shader/isa/isa.h"
#include "shader/native/native.h"

#include <stdlib.h>

/* ---- histories ---- */

struct tp_debug_history {
    tp_device *device;
    struct history *history;
    uint32_t pixels;
    bool ended;
};

static enum tp_result check_pixels(tp_context *c, const struct tp_debug_pixel *pixel,
                                   uint32_t pixels) {
    if (!pixels)
        return context_fail(c, TP_ERROR_INVALID, "a history of no pixel");
    for (uint32_t i = 0; i < pixels; i++)
        if (pixel[i].x >= 8192 || pixel[i].y >= 8192 || pixel[i].sample >= 8 ||
            pixel[i].layer >= 2048)
            return context_fail(c, TP_ERROR_INVALID,
                                "pixel %u is %u,%u, layer %u, sample %u: no target has that", i,
                                pixel[i].x, pixel[i].y, pixel[i].layer, pixel[i].sample);
    return TP_OK;
}

TP_API enum tp_result tp_debug_history_begin(tp_context *c, const struct tp_debug_pixel *pixel,
                                             uint32_t pixels, tp_debug_history **out) {
    API_CONTEXT(c);
    API_GIVEN(c->device, pixel);
    API_GIVEN_AS(c->device, out, "history");
    *out = NULL;
    API_TRY(check_pixels(c, pixel, pixels));
    if (api_bound(c)->watched)
        return context_fail(c, TP_ERROR_INVALID, "this context already has a history under way");
    struct raster_probe_pixel *where = calloc(pixels, sizeof *where);
    tp_debug_history *h = calloc(1, sizeof *h);
    for (uint32_t i = 0; where && i < pixels; i++)
        where[i] = (struct raster_probe_pixel){(int32_t)pixel[i].x, (int32_t)pixel[i].y,
                                               pixel[i].layer, pixel[i].sample};
    if (where && h)
        h->history = history_create(c->device, where, pixels, NULL);
    free(where);
    if (!h || !h->history) {
        free(h);
        return context_fail(c, TP_ERROR_MEMORY, "out of memory for a history");
    }
    h->device = c->device;
    h->pixels = pixels;
    device_ref(c->device);
    api_bound(c)->watched = h;
    history_watch(h->history, c);
    *out = h;
    return TP_OK;
}

TP_API enum tp_result tp_debug_history_end(tp_context *c) {
    API_CONTEXT(c);
    tp_debug_history *h = api_bound(c)->watched;
    if (!h)
        return context_fail(c, TP_ERROR_INVALID, "this context has no history under way");
    api_bound(c)->watched = NULL;
    history_end(h->history);
    h->ended = true;
    if (history_incomplete(h->history))
        return context_fail(c, TP_ERROR_MEMORY, "out of memory: the history has gaps");
    return TP_OK;
}

/* The entries of a pixel, and their *count. NULL with a message if the history has no such pixel,
 * or has not ended. */
static const struct history_entry *const *known_entries(tp_debug_history *h, uint32_t pixel,
                                                        tp_texture *target, size_t *count) {
    struct target_state t;
    *count = 0;
    if (!h->ended || pixel >= h->pixels) {
        device_fail(h->device, TP_ERROR_INVALID,
                    h->ended ? "the history has fewer pixels" : "the history has not been ended");
        return NULL;
    }
    api_target_state(&(struct tp_target){.texture = target}, &t);
    const struct surface surface = {.format = t.format,
                                    .width = t.width,
                                    .height = t.height,
                                    .linear = t.linear,
                                    .pitch = t.pitch,
                                    .tile_h = t.tile_h};
    return history_select(h->history, pixel, t.address, &surface, 0, count);
}

TP_API enum tp_result tp_debug_history_count(tp_debug_history *h, uint32_t pixel,
                                             tp_texture *target, size_t *count) {
    FP_PLAIN_BLOCK;
    API_GIVEN_AS(NULL, h, "history");
    API_GIVEN(h->device, target);
    API_GIVEN(h->device, count);
    *count = 0;
    if (!h->ended || pixel >= h->pixels)
        return device_fail(h->device, TP_ERROR_INVALID, "pixel %u: the history has %u%s", pixel,
                           h->pixels, h->ended ? "" : ", and has not been ended");
    known_entries(h, pixel, target, count);
    return TP_OK;
}

static float depth_of(uint32_t word, enum pixel_format format) {
    const struct format_info *f = format_info(format);
    if (format == FORMAT_NONE || f->type == COMPONENT_FLOAT)
        return format == FORMAT_NONE ? 0 : bits_float(word);
    return (float)(word / (double)((UINT64_C(1) << f->bits[0]) - 1));
}

static void describe_primitive(const tp_debug_history *h, const struct history_entry *e,
                               struct tp_debug_entry *out) {
    const struct traced_primitive *p = history_primitive(h->history, e);
    out->verdict = (enum tp_verdict)e->verdict;
    out->front = e->front;
    out->program = e->program;
    out->discarded_by = e->discarded_by;
    out->zeta_tested = e->zeta_tested;
    out->zeta_passed = e->zeta_passed;
    out->zeta_late = e->zeta_late;
    if (e->zeta_tested) {
        out->depth = depth_of(e->depth, e->zeta_format);
        out->stored_depth = depth_of(e->zeta_before[0], e->zeta_format);
        out->stencil_before = (uint8_t)e->zeta_before[1];
        out->stencil_after = (uint8_t)e->zeta_after[1];
    }
    if (!p)
        return;
    out->primitive = p->primitive;
    out->instance = p->instance;
    out->vertex_count = p->vertices;
    for (unsigned i = 0; i < p->vertices; i++) {
        out->vertex[i].number = p->vertex[i].number;
        memcpy(out->vertex[i].clip, p->vertex[i].clip, sizeof out->vertex[i].clip);
        memcpy(out->vertex[i].window, p->vertex[i].window, sizeof out->vertex[i].window);
    }
}

TP_API enum tp_result tp_debug_history_get(tp_debug_history *h, uint32_t pixel, tp_texture *target,
                                           size_t index, struct tp_debug_entry *out) {
    FP_PLAIN_BLOCK;
    size_t count;
    API_GIVEN_AS(NULL, h, "history");
    API_GIVEN(h->device, target);
    API_GIVEN_AS(h->device, out, "entry");
    const struct history_entry *const *e = known_entries(h, pixel, target, &count);
    if (index >= count)
        return device_fail(h->device, TP_ERROR_INVALID, "entry %zu of pixel %u: there are %zu",
                           index, pixel, count);
    static const enum tp_debug_kind kinds[] = {TP_DEBUG_PRIMITIVE, TP_DEBUG_CLEAR, TP_DEBUG_COPY};
    *out = (struct tp_debug_entry){.kind = kinds[e[index]->kind],
                                   .draw = e[index]->draw,
                                   .overwritten = e[index]->overwritten,
                                   .program = "",
                                   .discarded_by = HISTORY_NO_ADDRESS};
    memcpy(out->source, e[index]->source, sizeof out->source);
    memcpy(out->before, e[index]->before, sizeof out->before);
    memcpy(out->after, e[index]->after, sizeof out->after);
    if (e[index]->kind == HISTORY_PRIMITIVE)
        describe_primitive(h, e[index], out);
    return TP_OK;
}

TP_API const char *tp_debug_verdict_name(enum tp_verdict verdict) {
    return history_verdict_name((enum raster_verdict)verdict);
}

TP_API void tp_debug_history_destroy(tp_debug_history *h) {
    FP_PLAIN_BLOCK;
    if (!h)
        return;
    tp_device *device = h->device;
    if (!h->ended) {
        device_fail(device, TP_ERROR_INVALID, "a history is destroyed before its end");
        return;
    }
    history_free(h->history);
    free(h);
    device_destroy(device);
}

void api_debug_forget(tp_context *c) {
    tp_debug_history *h = api_bound(c)->watched;
    if (h) {
        history_end(h->history);
        h->ended = true;
    }
    api_bound(c)->watched = NULL;
}

/* ---- stepping ---- */

struct tp_debug_warp {
    struct stepper *stepper;
    const struct program *program;
};

struct api_break {
    const tp_context *context;
    struct warp_place where;
    tp_debug_fn *call;
    void *self;
    struct warp_observer observer;
};

_Thread_local const tp_context *api_shown;

enum tp_result api_refuse_shown(const tp_context *c, const char *function) {
    return device_fail(
        c->device, TP_ERROR_INVALID,
        "%s: called by the function of tp_debug_break, while the context runs a warp", function);
}

static void call_back(const struct api_break *b, struct stepper *s, const struct program *p,
                      uint32_t lane) {
    struct tp_debug_warp warp = {s, p};
    const tp_context *const outer = api_shown;
    api_shown = b->context;
    if (s)
        b->call(b->self, &warp, lane);
    api_shown = outer;
    stepper_destroy(s);
}

static void warp_starts(void *self, const struct warp *w, const struct warp_env *env) {
    const struct api_break *b = self;
    const int lane = warp_place_lane(&b->where, w);
    if (lane >= 0)
        call_back(b, stepper_create(w, env), env->program, (uint32_t)lane);
}

static void cta_starts(void *self, const struct warp *warps, uint32_t count,
                       const struct warp_env *env) {
    const struct api_break *b = self;
    uint32_t warp;
    const int lane = warp_place_in_block(&b->where, warps, &warp);
    if (lane >= 0)
        call_back(b, stepper_create_block(warps, count, warp, env), env->program, (uint32_t)lane);
}

TP_API enum tp_result tp_debug_break(tp_context *c, const struct tp_debug_place *place,
                                     tp_debug_fn *call, void *self) {
    API_CONTEXT(c);
    struct api_context *a = api_bound(c);
    if (place && (!call || (unsigned)place->stage > TP_COMPUTE))
        return context_fail(c, TP_ERROR_INVALID, "%s",
                            call ? "unknown stage" : "no function to call");
    struct api_break *b = place ? calloc(1, sizeof *b) : NULL;
    if (place && !b)
        return context_fail(c, TP_ERROR_MEMORY, "out of memory");
    if (a->stop)
        context_observe(c, a->stop->where.stage, NULL);
    free(a->stop);
    a->stop = b;
    if (!b)
        return TP_OK;
    b->context = c;
    b->where = (struct warp_place){.stage = (enum program_type)place->stage,
                                   .x = (int)place->x,
                                   .y = (int)place->y,
                                   .number = place->number,
                                   .instance = WARP_ANY_INSTANCE};
    memcpy(b->where.block, place->block, sizeof b->where.block);
    memcpy(b->where.thread, place->thread, sizeof b->where.thread);
    b->call = call;
    b->self = self;
    b->observer = (struct warp_observer){.self = b};
    if (place->stage == TP_COMPUTE)
        b->observer.cta = cta_starts;
    else
        b->observer.start = warp_starts;
    context_observe(c, (enum program_type)place->stage, &b->observer);
    return TP_OK;
}

TP_API bool tp_debug_step(tp_debug_warp *w) {
    FP_PLAIN_BLOCK;
    return stepper_step(w->stepper) == WARP_RUNNING;
}

TP_API void tp_debug_goto(tp_debug_warp *w, uint64_t count) {
    FP_PLAIN_BLOCK;
    stepper_goto(w->stepper, count);
}

TP_API uint64_t tp_debug_count(const tp_debug_warp *w) {
    return stepper_count(w->stepper);
}

TP_API uint32_t tp_debug_address(const tp_debug_warp *w) {
    return stepper_warp(w->stepper)->pc;
}

TP_API uint32_t tp_debug_active(const tp_debug_warp *w) {
    return stepper_warp(w->stepper)->active;
}

TP_API size_t tp_debug_instruction(const tp_debug_warp *w, char *text, size_t size) {
    FP_PLAIN_BLOCK;
    const struct program *p = w->program;
    const uint32_t i = program_word(p, stepper_warp(w->stepper)->pc);
    if (size)
        text[0] = '\0';
    if (i >= p->word_count)
        return 0;
    return (size_t)isa_print((struct isa_target){p->variant, p->type, SYNTAX_ENVYAS}, &p->ops[i],
                             text, size);
}

TP_API bool tp_debug_read(const tp_debug_warp *w, unsigned reg, unsigned lane, uint32_t *value) {
    const bool there = reg < w->program->header.reg_count && reg < WARP_REGS && lane < LANES;
    *value = there ? stepper_warp(w->stepper)->r[reg][lane] : 0;
    return there;
}

TP_API bool tp_debug_write(tp_debug_warp *w, unsigned reg, unsigned lane, uint32_t value) {
    const struct stepper_edit edit = {STEPPER_R, reg, lane < LANES ? 1u << lane : 0, value};
    return lane < LANES && stepper_set(w->stepper, &edit);
}

/* ---- time ---- */

TP_API void tp_debug_timeline_begin(const char *thread) {
    timeline_start(thread ? thread : "program");
}

TP_API enum tp_result tp_debug_timeline_end(const char *path) {
    FP_PLAIN_BLOCK;
    char why[512];
    API_GIVEN(NULL, path);
    if (!timeline_on)
        return device_fail(NULL, TP_ERROR_INVALID, "there is no record of times to end");
    return timeline_write(path, why, sizeof why) ? TP_OK
                                                 : device_fail(NULL, TP_ERROR_IO, "%s", why);
}

static struct native_statistics native_statistics_of(const tp_device *device) {
    struct native_statistics s = {0};
    if (device && device->native)
        native_get_statistics(device->native, &s);
    return s;
}

TP_API void tp_debug_get_native(const tp_device *device, struct tp_debug_native *native) {
    FP_PLAIN_BLOCK;
    const struct native_statistics s = native_statistics_of(device);
    *native = (struct tp_debug_native){
        .programs = s.programs,
        .instructions = s.instructions,
        .nanoseconds = s.nanoseconds,
        .worst_instructions = s.worst_instructions,
        .worst_nanoseconds = s.worst_nanoseconds,
        .calls = s.called,
    };
}

TP_API const char *tp_debug_get_calls(const tp_device *device, uint32_t operation,
                                      uint32_t *calls) {
    *calls = operation < OPCODES ? native_statistics_of(device).calls[operation] : 0;
    return operation < OPCODES ? opcode_name((enum opcode)operation) : NULL;
}
