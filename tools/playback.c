/* Draws a recording or a scene for debuggers. In: the recording or scene, and hooks. Out: a device
 * with its memory, until playback_end.
 */
#include "tools/playback.h"

struct player {
    const struct playback_hooks *hooks;
    uint64_t draw;                /* the current draw */
    const struct draw_hooks *own; /* the hooks that the context had before */
};

const char *playback_name(const struct playback *p) {
    return p->file ? p->file : p->scene->name;
}

bool playback_take_options(struct playback *p) {
    if (p->file && (p->size.width || !isnan(p->time))) {
        command_usage(p->command, "%s goes with --scene", p->size.width ? "--size" : "--time");
        return false;
    }
    if (!p->size.width)
        p->size = (struct size){640, 360};
    if (isnan(p->time))
        p->time = 2.5;
    return true;
}

static int run_recording(const struct playback *b, uint64_t last,
                         const struct playback_hooks *hooks, struct played *out) {
    char why[512];
    int code;
    out->device = recording_device(b->command, b->file,
                                   (struct tp_device_info){.threads = b->threads}, &code);
    if (!out->device)
        return code;
    if (hooks->device)
        hooks->device(hooks->self, out->device);
    out->opened = true;
    if (recording_play(b->file, out->device, last, hooks, &out->result, why, sizeof why) != 0)
        code = command_failed(b->command, "%s", why);
    if (recording_check(b->command, b->file, &out->result) != EXIT_FINE)
        code = EXIT_FAILED;
    out->draws = out->result.draws;
    return code;
}

/* ---- scenes ---- */

static void before_drawn(void *self, tp_context *c) {
    struct player *p = self;
    if (p->own)
        p->own->before(p->own->self, c);
    p->draw++;
    if (p->hooks->before)
        p->hooks->before(p->hooks->self, c, p->draw);
}

static void after_drawn(void *self, tp_context *c) {
    struct player *p = self;
    if (p->own)
        p->own->after(p->own->self, c);
    if (p->hooks->after)
        p->hooks->after(p->hooks->self, c, p->draw);
}

static void before_cleared(void *self, tp_context *c) {
    const struct player *p = self;
    if (p->own && p->own->clear)
        p->own->clear(p->own->self, c);
}

static void launched(void *self, tp_context *c) {
    const struct player *p = self;
    if (p->own && p->own->launch)
        p->own->launch(p->own->self, c);
    if (p->hooks->launch)
        p->hooks->launch(p->hooks->self, c);
}

static int run_scene(const struct playback *b, const struct playback_hooks *to,
                     struct played *out) {
    struct player p = {.hooks = to};
    const struct device_options options = {.threads = b->threads};
    const struct draw_hooks hooks = {&p, before_drawn, after_drawn, before_cleared, launched};
    int code;
    out->is_scene = true;
    out->device = command_scene_device(b->command, &options, b->scene, &code);
    if (!out->device)
        return code;
    if (to->device)
        to->device(to->self, out->device);
    const char *why;
    if (!frame_target_create(&out->target, out->device, b->size, &why))
        return command_failed(b->command, "%s", why);
    out->opened = true;
    const struct demo_options opening = {.opened = to->opened, .self = to->self};
    if (!demo_open(&out->demo, out->device, b->scene, &opening))
        return command_failed(b->command, "%s", out->demo.message);
    tp_context *const c = out->demo.context;
    if (to->context)
        to->context(to->self, c);
    p.own = c->hooks;
    const uint64_t before = c->draw_number;
    c->hooks = &hooks;
    const bool ok = frame_target_draw(&out->target, &out->demo, b->time, b->orbit, b->wireframe);
    c->hooks = p.own;
    out->draws = c->draw_number - before;
    return ok ? EXIT_FINE : command_failed(b->command, "%s", out->demo.message);
}

int playback_run(const struct playback *b, uint64_t last, const struct playback_hooks *hooks,
                 struct played *out) {
    static const struct playback_hooks none;
    memset(out, 0, sizeof *out);
    hooks = hooks ? hooks : &none;
    const int code = b->file ? run_recording(b, last, hooks, out) : run_scene(b, hooks, out);
    if (code == EXIT_FINE && hooks->done)
        hooks->done(hooks->self);
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
