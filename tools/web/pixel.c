/* The history of a pixel, and the steps of a warp: of a fragment in that history, of a vertex or
 * primitive of the scene, or of a program without a scene (code.c). */
#include "shader/isa/isa.h"
#include "tools/history_text.h"
#include "tools/web/web.h"

#include <stdlib.h>

static struct {
    struct history *history;
    const struct history_entry *const *entry;
    size_t entries;
    int x, y;
    uint64_t first_draw; /* draws of the context before this frame */
    struct warp_steps *steps;
    unsigned lane;
} shown;

void web_show_steps(struct warp_steps *steps, unsigned lane) {
    steps_free(shown.steps);
    shown.steps = steps;
    shown.lane = lane;
}

void web_forget_pixel(void) {
    web_show_steps(NULL, 0);
    history_free(shown.history);
    shown.history = NULL;
    shown.entries = 0;
}

/* ---- the pixel ---- */

/* Watches all contexts of a playback. */
struct pixel_question {
    struct raster_probe_pixel where;
    bool failed; /* out of memory, or too many contexts */
};

static void watch_device(void *self, tp_device *device) {
    const struct pixel_question *w = self;
    const struct history_options options = {0};
    shown.history = history_create(device, &w->where, 1, &options);
}

static void watch_context(void *self, tp_context *c) {
    struct pixel_question *w = self;
    shown.first_draw = web.replays ? 0 : c->draw_number; /* a replay counts its draws from 1 */
    w->failed |= !shown.history || !history_watch(shown.history, c);
}

static void watch_memory(void *, uint64_t address, uint64_t size, uint64_t draw) {
    if (shown.history)
        history_memory(shown.history, address, size, draw);
}

static bool watch_frame(int x, int y) {
    struct pixel_question watch = {.where = {.x = x, .y = y}};
    const struct playback_hooks hooks = {
        .self = &watch, .device = watch_device, .context = watch_context, .memory = watch_memory};
    const bool drawn = web_play(&hooks);
    if (shown.history)
        history_end(shown.history);
    if (watch.failed)
        snprintf(web.message, sizeof web.message, "out of memory, or too many channels to watch");
    return drawn && !watch.failed;
}

static void write_entry(const struct history_entry *e) {
    json_open(&web.json, NULL, '{');
    history_json(json_value(&web.json, "entry"), shown.history, e);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        history_print(out, shown.history, e, true);
        fclose(out);
    }
    json_string(&web.json, "text", text);
    json_bool(&web.json, "steps", e->ran);
    json_close(&web.json);
    free(text);
}

static void write_cause(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        history_cause(out, shown.history, shown.entry, shown.entries);
        fclose(out);
    }
    json_string(&web.json, "cause", text);
    free(text);
}

WEB_API const char *web_pixel(int x, int y) {
    web_forget_pixel();
    if (!web.open || x < 0 || y < 0 || (uint32_t)x >= web.width || (uint32_t)y >= web.height)
        return web_fail("there is no pixel %d,%d", x, y);
    shown.x = x;
    shown.y = y;
    if (!watch_frame(x, y))
        return web_failed();
    const struct target_state *t = web_target(web.state);
    const struct surface surface = target_layout(t);
    shown.entry = history_select(shown.history, 0, t->address, &surface, 0, &shown.entries);
    json_begin(&web.json, '{');
    json_number(&web.json, "x", x);
    json_number(&web.json, "y", y);
    json_open(&web.json, "history", '[');
    for (size_t i = 0; i < shown.entries; i++)
        write_entry(shown.entry[i]);
    json_close(&web.json);
    write_cause();
    return json_end(&web.json);
}

/* ---- finding a warp ---- */

/* A warp of one draw. */
struct warp_search {
    struct warp_catch caught;
    uint64_t wanted; /* the draw, from 1; 0: all draws */
};

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    if (!s->wanted || draw == s->wanted)
        warp_catch_begin(&s->caught, c);
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    if (!s->wanted || draw == s->wanted)
        warp_catch_end(&s->caught, c);
}

/* Draws the frame again and searches for the warp. */
static const char *search_warp(struct warp_search *s) {
    const struct playback_hooks hooks = {.self = s, .before = before_draw, .after = after_draw};
    web_play(&hooks);
    web_show_steps(s->caught.steps, s->caught.lane);
    if (s->caught.steps)
        return web_steps();
    return web_fail("no such warp runs in this %s", web.replays ? "draw" : "frame");
}

/* Shows the steps of the warp of entry number `entry` of the history. */
WEB_API const char *web_pixel_steps(unsigned entry) {
    if (entry >= shown.entries || !shown.entry[entry]->ran)
        return web_fail("no program ran for this entry");
    const struct history_entry *const e = shown.entry[entry];
    struct warp_search search = {
        .caught = {.place = {.stage = PROGRAM_FP, .x = shown.x, .y = shown.y}, .hit = 1},
        .wanted = e->draw - shown.first_draw};
    for (unsigned i = 0; i < entry; i++)
        search.caught.hit += shown.entry[i]->draw == e->draw && shown.entry[i]->ran;
    return search_warp(&search);
}

/* Shows the steps of a warp of a stage "vp", "gp", ... number: of the vertex, primitive or patch.
 * hit: number of the warp, from 1, among those with this number. In a recording, only warps of the
 * selected draw count. */
WEB_API const char *web_vertex_steps(const char *stage, uint32_t number, uint32_t hit) {
    const int type = program_type_from_name(stage);
    struct warp_search search = {.caught = {.place = {.stage = (enum program_type)type,
                                                      .number = number,
                                                      .instance = WARP_ANY_INSTANCE},
                                            .hit = hit},
                                 .wanted = web.replays ? web.draw : 0};
    if (web.open && type >= 0)
        return search_warp(&search);
    return web_fail("no scene, or no stage %s", stage);
}

/* ---- the steps ---- */

static void write_code(void) {
    json_open(&web.json, "code", '[');
    for (uint32_t i = 0; i < steps_code_count(shown.steps); i++) {
        const struct steps_code *c = steps_code_get(shown.steps, i);
        json_open(&web.json, NULL, '{');
        json_number(&web.json, "address", c->address);
        json_string(&web.json, "text", c->text);
        json_string(&web.json, "sentence", c->sentence);
        json_close(&web.json);
    }
    json_close(&web.json);
}

/* Answers the facts that all steps share, and for each step: address, active lanes, executing
 * lanes, stack depth. */
WEB_API const char *web_steps(void) {
    const char *why;
    char name[64];
    if (!shown.steps)
        return web_fail("no warp is chosen");
    const enum warp_status end = steps_end(shown.steps, &why);
    json_begin(&web.json, '{');
    json_string(&web.json, "type", program_type_name(steps_type(shown.steps)));
    json_string(&web.json, "program", steps_program(shown.steps));
    json_number(&web.json, "launched", steps_launched(shown.steps));
    json_number(&web.json, "count", steps_count(shown.steps));
    json_number(&web.json, "lane", shown.lane);
    json_bool(&web.json, "cut", end == WARP_RUNNING);
    json_string(&web.json, "end", why);
    json_open(&web.json, "lanes", '[');
    for (unsigned i = 0; i < LANES; i++) {
        steps_lane_name(shown.steps, i, name, sizeof name);
        json_string(&web.json, NULL, name);
    }
    json_close(&web.json);
    json_open(&web.json, "rows", '[');
    for (uint32_t i = 0; i < steps_rows(shown.steps); i++)
        json_string(&web.json, NULL, steps_row_name(shown.steps, i));
    json_close(&web.json);
    write_code();
    json_open(&web.json, "steps", '[');
    for (uint32_t i = 0; i < steps_count(shown.steps); i++) {
        const struct warp_step *s = steps_get(shown.steps, i);
        json_words(&web.json, NULL, (const uint32_t[]){s->pc, s->active, s->guard, s->depth}, 4);
    }
    return json_end(&web.json);
}

static void write_stack(void) {
    enum { MOST = 64 };
    struct steps_entry entry[MOST];
    const uint32_t depth = steps_stack(shown.steps, entry, MOST);
    json_open(&web.json, "stack", '[');
    for (uint32_t i = 0; i < depth && i < MOST; i++) {
        json_open(&web.json, NULL, '{');
        json_string(&web.json, "type", steps_entry_name(entry[i].type));
        json_number(&web.json, "pc", entry[i].pc);
        json_number(&web.json, "mask", entry[i].mask);
        json_number(&web.json, "waiting", entry[i].waiting);
        json_close(&web.json);
    }
    json_close(&web.json);
}

static void write_lanes(void) {
    struct steps_lane lane[LANES];
    steps_lanes(shown.steps, lane);
    json_open(&web.json, "lanes", '[');
    for (unsigned i = 0; i < LANES; i++) {
        json_open(&web.json, NULL, '{');
        json_number(&web.json, "state", lane[i].state);
        json_string(&web.json, "does", steps_state_name(lane[i].state));
        json_number(&web.json, "pc", lane[i].pc);
        json_bool(&web.json, "invisible", lane[i].invisible);
        json_close(&web.json);
    }
    json_close(&web.json);
}

/* Writes the rows that a step changes: number, values before and after. */
static void write_changes(uint32_t step) {
    uint32_t before[LANES], after[LANES];
    const struct warp_step *s = steps_get(shown.steps, step);
    json_open(&web.json, "changes", '[');
    for (uint32_t k = 0; k < s->changes; k++) {
        json_open(&web.json, NULL, '{');
        json_number(&web.json, "row", steps_change(shown.steps, step, k, before, after));
        json_words(&web.json, "before", before, LANES);
        json_words(&web.json, "after", after, LANES);
        json_close(&web.json);
    }
    json_close(&web.json);
}

/* Answers the state after `at` steps: masks that are not 0, lanes, stack, all rows, and the changes
 * of the last step. */
WEB_API const char *web_steps_at(uint32_t at) {
    if (!shown.steps)
        return web_fail("no warp is chosen");
    steps_goto(shown.steps, at);
    at = steps_at(shown.steps);
    json_begin(&web.json, '{');
    json_number(&web.json, "at", at);
    json_number(&web.json, "pc", steps_pc(shown.steps));
    json_open(&web.json, "masks", '{');
    for (int i = 0; i < STEPS_MASKS; i++)
        if (steps_mask(shown.steps, (enum steps_mask)i))
            json_number(&web.json, steps_mask_name((enum steps_mask)i),
                        steps_mask(shown.steps, (enum steps_mask)i));
    json_close(&web.json);
    write_lanes();
    write_stack();
    if (at)
        write_changes(at - 1);
    json_open(&web.json, "rows", '[');
    for (uint32_t i = 0; i < steps_rows(shown.steps); i++)
        json_words(&web.json, NULL, steps_row(shown.steps, i), LANES);
    return json_end(&web.json);
}

/* Answers the steps of a lane: for each step the address, whether the lane executed the step, and
 * [row, before, after] of each change. */
WEB_API const char *web_lane(unsigned lane) {
    uint32_t before[LANES], after[LANES];
    if (!shown.steps || lane >= LANES)
        return web_fail("no warp is chosen");
    const uint32_t was = steps_at(shown.steps);
    json_begin(&web.json, '[');
    for (uint32_t i = 0; i < steps_count(shown.steps); i++) {
        const struct warp_step *s = steps_get(shown.steps, i);
        steps_goto(shown.steps, i);
        json_open(&web.json, NULL, '{');
        json_number(&web.json, "pc", s->pc);
        json_bool(&web.json, "runs", s->guard >> lane & 1);
        json_open(&web.json, "set", '[');
        for (uint32_t k = 0; k < s->changes; k++) {
            const uint32_t row = steps_change(shown.steps, i, k, before, after);
            if (before[lane] != after[lane])
                json_words(&web.json, NULL, (const uint32_t[]){row, before[lane], after[lane]}, 3);
        }
        json_close(&web.json);
        json_close(&web.json);
    }
    json_close(&web.json);
    steps_goto(shown.steps, was);
    return json_end(&web.json);
}
