/* Draws a recording or a scene for debuggers. In: the recording or scene, and hooks. Out: a device
 * with its memory, until playback_end.
 */
#include "tools/playback.h"

#include <string.h>

struct playback_player {
    const struct playback *playback;
    const struct playback_hooks *hooks;
    struct played *played;
    uint64_t draw; /* the current draw of a scene */
    uint64_t done; /* draws of a recording that are done */
    struct draw_hooks hooked;
    const struct draw_hooks *own; /* the hooks that the context of a scene had before */
};

const char *playback_name(const struct playback *p) {
    return p->file ? p->file : p->scene->name;
}

static void tell_context(const struct playback_player *p, tp_context *c) {
    if (p->hooks->context)
        p->hooks->context(p->hooks->self, c);
}

static void tell_before(struct playback_player *p, tp_context *c, uint64_t draw) {
    p->played->context = c;
    if (p->hooks->before)
        p->hooks->before(p->hooks->self, c, draw);
}

static void tell_after(struct playback_player *p, tp_context *c, uint64_t draw) {
    if (p->hooks->after)
        p->hooks->after(p->hooks->self, c, draw);
}

/* ---- recordings ---- */

static void ignore_draw(void *self, tp_context *c) {
    (void)self, (void)c;
}

static void launched(void *self, tp_context *c) {
    const struct playback_player *p = self;
    if (p->own && p->own->launch)
        p->own->launch(p->own->self, c);
    if (p->hooks->launch)
        p->hooks->launch(p->hooks->self, c);
}

static void new_channel(void *self, struct channel *c) {
    struct playback_player *p = self;
    p->hooked = (struct draw_hooks){
        .self = p, .before = ignore_draw, .after = ignore_draw, .launch = launched};
    if (p->hooks->launch)
        channel_context(c)->hooks = &p->hooked;
    tell_context(p, channel_context(c));
}

/* Draws are numbered over all channels. A clear has the number of the last draw before it. */
static void number_draws(struct playback_player *p, uint64_t done) {
    p->done = done;
    for (uint32_t i = 0; i < p->played->result.channel_count; i++)
        channel_context(p->played->result.all[i])->draw_number = done;
}

static void before_recorded(void *self, struct channel *c, uint64_t draw) {
    number_draws(self, draw - 1);
    tell_before(self, channel_context(c), draw);
}

static void after_recorded(void *self, struct channel *c, uint64_t draw) {
    number_draws(self, draw);
    tell_after(self, channel_context(c), draw);
}

static void memory_written(void *self, uint64_t address, uint64_t size) {
    const struct playback_player *p = self;
    p->hooks->memory(p->hooks->self, address, size, p->done);
}

static void add_source(void *self, uint64_t program, enum program_type stage, const char *text,
                       size_t length) {
    const struct playback_player *p = self;
    sources_add(p->hooks->sources, program, stage, text, length);
}

static void use_source(void *self, uint64_t program) {
    const struct playback_player *p = self;
    sources_use(p->hooks->sources, program);
}

static int run_recording(struct playback_player *p, uint64_t last) {
    const struct playback *b = p->playback;
    struct played *out = p->played;
    const struct replay_observer observer = {.self = p,
                                             .before = before_recorded,
                                             .after = after_recorded,
                                             .channel = new_channel,
                                             .memory = p->hooks->memory ? memory_written : NULL,
                                             .source = p->hooks->sources ? add_source : NULL,
                                             .use = p->hooks->sources ? use_source : NULL};
    char why[512];
    int code;
    out->device = recording_device(b->command, b->file,
                                   (struct tp_device_info){.threads = b->threads}, &code);
    if (!out->device)
        return code;
    if (p->hooks->device)
        p->hooks->device(p->hooks->self, out->device);
    out->opened = true;
    if (record_replay(b->file, out->device, last, &observer, &out->result, why, sizeof why) != 0)
        code = command_failed(b->command, "%s", why);
    if (recording_check(b->command, b->file, &out->result) != EXIT_FINE)
        code = EXIT_FAILED;
    out->draws = out->result.draws;
    return code;
}

/* ---- scenes ---- */

static void before_drawn(void *self, tp_context *c) {
    struct playback_player *p = self;
    if (p->own)
        p->own->before(p->own->self, c);
    tell_before(p, c, ++p->draw);
}

static void after_drawn(void *self, tp_context *c) {
    struct playback_player *p = self;
    if (p->own)
        p->own->after(p->own->self, c);
    tell_after(p, c, p->draw);
}

static void before_cleared(void *self, tp_context *c) {
    const struct playback_player *p = self;
    if (p->own && p->own->clear)
        p->own->clear(p->own->self, c);
}

static int run_scene(struct playback_player *p) {
    const struct playback *b = p->playback;
    struct played *out = p->played;
    const struct device_options options = {.threads = b->threads};
    const struct draw_hooks hooks = {p, before_drawn, after_drawn, before_cleared, launched};
    int code;
    out->is_scene = true;
    out->device = command_scene_device(b->command, &options, b->scene, &code);
    if (!out->device)
        return code;
    if (p->hooks->device)
        p->hooks->device(p->hooks->self, out->device);
    const char *why;
    if (!frame_target_create(&out->target, out->device, b->size, &why))
        return command_failed(b->command, "%s", why);
    out->opened = true;
    const struct demo_options opening = {.opened = p->hooks->opened, .self = p->hooks->self};
    if (!demo_open(&out->demo, out->device, b->scene, &opening))
        return command_failed(b->command, "%s", out->demo.message);
    out->context = out->demo.context;
    tell_context(p, out->context);
    p->own = out->context->hooks; /* the context's own hooks */
    const uint64_t before = out->context->draw_number;
    out->context->hooks = &hooks;
    const bool ok = frame_target_draw(&out->target, &out->demo, b->time, b->orbit, b->wireframe);
    out->context->hooks = p->own;
    out->draws = out->context->draw_number - before;
    return ok ? EXIT_FINE : command_failed(b->command, "%s", out->demo.message);
}

int playback_run(const struct playback *b, uint64_t last, const struct playback_hooks *hooks,
                 struct played *out) {
    static const struct playback_hooks none;
    memset(out, 0, sizeof *out);
    struct playback_player p = {.playback = b, .hooks = hooks ? hooks : &none, .played = out};
    const int code = b->file ? run_recording(&p, last) : run_scene(&p);
    if (code == EXIT_FINE && p.hooks->done)
        p.hooks->done(p.hooks->self);
    return code;
}

void playback_end(struct played *p) {
    if (p->is_scene) {
        if (p->opened)
            demo_close(&p->demo);
        frame_target_destroy(&p->target);
        tp_device_destroy(p->device);
    } else if (p->device) {
        if (p->opened)
            replay_free(&p->result);
        device_destroy(p->device);
    }
    memset(p, 0, sizeof *p);
}
