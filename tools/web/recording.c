/* Recordings in a page: their draws, the picture after a draw, and the draw's programs, with GLSL
 * if the recording has it. The page writes the recording's bytes. They stay in a file of the
 * module's file system. */
#include "shader/isa/isa.h"
#include "tools/state_text.h"
#include "tools/web/web.h"

#include <stdlib.h>

static const char FILE_NAME[] = "/recording.tpr";
/* bytes of GPU memory for recordings that do not fit the memory of a scene */
enum { LARGE_MEMORY = 896 << 20 };

static struct {
    uint8_t *bytes;
    size_t size;
    uint64_t memory;    /* memory of the device */
    struct state state; /* state after the selected draw */
    uint64_t source;    /* number of the selected draw's GLSL */
    /* the hook of the running replay */
    void (*after)(void *self, tp_context *c, uint64_t draw);
} file = {.memory = WEB_MEMORY};

/* ---- a replay ---- */

/* Keeps the state after each draw. */
static void after_draw(void *self, tp_context *c, uint64_t draw) {
    file.state = c->state;
    file.source = web.sources.current;
    web.state = &file.state;
    if (file.after)
        file.after(self, c, draw);
}

void web_close_replay(void) {
    replay_free(&web.result);
    if (web.device)
        device_destroy(web.device);
    web.device = NULL;
    web.state = NULL;
    sources_free(&web.sources);
}

bool web_replay(const struct playback_hooks *hooks) {
    const struct tp_device_info info = {.threads = web.threads,
                                        .engine = "interp",
                                        .memory = file.memory,
                                        .warp_budget = WEB_BUDGET};
    struct playback_hooks own = *hooks;
    own.after = after_draw;
    own.sources = &web.sources;
    file.after = hooks->after;
    web_close_replay();
    web.device = recording_device_for(FILE_NAME, info, NULL, web.message, sizeof web.message);
    if (!web.device)
        return false;
    web.device->log.level = LOG_ERROR;
    if (hooks->device)
        hooks->device(hooks->self, web.device);
    if (recording_play(FILE_NAME, web.device, web.draw, &own, &web.result, web.message,
                       sizeof web.message) != 0)
        return false;
    if (web.result.lacked_memory)
        snprintf(web.message, sizeof web.message,
                 "the recording needs more memory than a page has");
    return !web.result.lacked_memory;
}

void web_close_recording(void) {
    if (!web.replays)
        return;
    web_close_replay();
    web.replays = false;
    web.draws = web.draw = 0;
    remove(FILE_NAME);
}

/* ---- opening ---- */

/* Returns room for the bytes of a file, which the page writes before web_open_recording(). NULL:
 * out of memory. */
WEB_API uint8_t *web_receive(size_t size) {
    free(file.bytes);
    file.bytes = malloc(size);
    file.size = file.bytes ? size : 0;
    return file.bytes;
}

static bool write_file(void) {
    FILE *out = fopen(FILE_NAME, "we");
    const bool written = out && fwrite(file.bytes, 1, file.size, out) == file.size;
    const bool closed = out && fclose(out) == 0;
    web_receive(0);
    if (!written || !closed)
        snprintf(web.message, sizeof web.message, "out of memory");
    return written && closed;
}

const struct target_state *web_target(const struct state *s) {
    const struct target_state *t = &s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    if (s->color_count && t->address && t->format != FORMAT_NONE)
        return t;
    return s->zeta_enable && s->zeta.address && s->zeta.format != FORMAT_NONE ? &s->zeta : NULL;
}

/* Writes a line for each draw: its target. */
static void list_draw(void *, tp_context *c, uint64_t) {
    const struct target_state *t = web_target(&c->state);
    char text[96] = "no target";
    if (t)
        snprintf(text, sizeof text, "%s %ux%u %s%s", t == &c->state.zeta ? "zeta" : "colour",
                 t->width, t->height, format_name(t->format),
                 c->state.samples > 1 ? ", several samples" : "");
    json_string(&web.json, NULL, text);
}

static bool list_draws(const char *name) {
    const struct playback_hooks hooks = {.after = list_draw};
    json_begin(&web.json, '{');
    json_string(&web.json, "name", name);
    json_open(&web.json, "draws", '[');
    const bool played = web_replay(&hooks);
    json_close(&web.json);
    if (!played) {
        json_end(&web.json);
        return false;
    }
    web.draws = web.draw = web.result.draws;
    json_string(&web.json, "chip",
                isa_variant_name(isa_variant_from_chipset(record_chipset(FILE_NAME))));
    json_bool(&web.json, "cut", web.result.cut_at != 0);
    json_bool(&web.json, "sources", web.sources.count != 0);
    json_close(&web.json);
    return true;
}

/* Opens the bytes that the page has written. Answers the list of draws. */
WEB_API const char *web_open_recording(const char *name) {
    web_close();
    file.memory = WEB_MEMORY;
    if (!write_file())
        return web_failed();
    web.replays = web.open = true;
    bool listed = list_draws(name);
    if (!listed && web.device) { /* the recording's addresses may need a larger memory */
        file.memory = LARGE_MEMORY;
        listed = list_draws(name);
    }
    if (listed && web.draws)
        return json_end(&web.json);
    if (listed)
        snprintf(web.message, sizeof web.message, "%s draws nothing", name);
    json_end(&web.json);
    web_close();
    return web_failed();
}

/* ---- a draw ---- */

static void write_program(const struct program *p, enum program_type stage) {
    const char *source = sources_find(&web.sources, file.source, stage);
    char line[256];
    json_open(&web.json, NULL, '{');
    json_string(&web.json, "type", program_type_name(stage));
    json_string(&web.json, "stage", program_stage_name(stage));
    json_string(&web.json, "name", p->name);
    if (source)
        json_string(&web.json, "source", source);
    json_open(&web.json, "code", '[');
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words ? p->ops[i].words : 1) {
        program_print(p, &p->ops[i], line, sizeof line);
        json_open(&web.json, NULL, '{');
        json_number(&web.json, "address", program_address(p, i));
        json_string(&web.json, "text", line);
        json_close(&web.json);
    }
    json_close(&web.json);
    json_close(&web.json);
}

static void write_state_line(void *, const char *group, const char *name, const char *value) {
    json_open(&web.json, NULL, '[');
    json_string(&web.json, NULL, group);
    json_string(&web.json, NULL, name);
    json_string(&web.json, NULL, value);
    json_close(&web.json);
}

static const char *describe_draw(void) {
    json_begin(&web.json, '{');
    json_number(&web.json, "draw", (double)web.result.draws);
    json_number(&web.json, "width", web.width);
    json_number(&web.json, "height", web.height);
    json_open(&web.json, "programs", '[');
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        if (web.state->program[stage])
            write_program(web.state->program[stage], (enum program_type)stage);
    json_close(&web.json);
    json_open(&web.json, "state", '[');
    state_text(web.state, write_state_line, NULL);
    state_textures_text(web.state, web.device->memory, write_state_line, NULL);
    return json_end(&web.json);
}

/* Returns false with web.message set. */
static bool replay_to(uint32_t draw) {
    static const struct playback_hooks none;
    if (!web.replays || !draw || draw > web.draws) {
        snprintf(web.message, sizeof web.message, "there is no draw %u", draw);
        return false;
    }
    web.draw = draw;
    if (!web_replay(&none))
        return false;
    if (!web.state)
        snprintf(web.message, sizeof web.message, "draw %u is not in the recording", draw);
    return web.state;
}

/* Replays to a draw, from 1; web_pixels() then has the draw's target. Answers the size, the
 * programs with their instructions and GLSL, and the state as lines. */
WEB_API const char *web_show_draw(uint32_t draw) {
    web_forget_pixel();
    if (!replay_to(draw))
        return web_failed();
    const struct target_state *t = web_target(web.state);
    uint8_t *rows = t ? target_picture(web.device, t) : NULL;
    for (size_t i = 3; rows && i < (size_t)t->width * t->height * 4; i += 4)
        rows[i] = 255;
    web_show_picture(rows, rows ? t->width : 0, rows ? t->height : 0);
    return describe_draw();
}

/* Answers like web_show_draw(), for another draw. The picture, its pixel and the selected draw do
 * not change. */
WEB_API const char *web_describe_draw(uint32_t draw) {
    const uint64_t shown = web.draw;
    const bool played = replay_to(draw);
    web.draw = shown;
    return played ? describe_draw() : web_failed();
}
