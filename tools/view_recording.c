/* A recording after one of its draws: plays the recording to the draw and lists the items of its
 * state (colour targets, zeta, textures, programs). In: a draw and the number of an item. Out: a
 * picture or a text. */
#include "tools/view_recording.h"

#include "shader/isa/isa.h"
#include "tools/program_counts.h"
#include "tools/texture_picture.h"

#include <stdlib.h>

struct showing {
    struct view_recording *r;
    uint64_t draw;
    unsigned item, seen; /* number of the wanted item; items counted so far */
    tp_context *context;
    struct state state;
    enum heat_kind kind;
    struct heat heat;
    tp_device *device; /* NULL: nothing was drawn */
};

static void forget_recording(struct view_recording *r) {
    free(r->rows);
    free(r->text);
    r->rows = NULL;
    r->text = NULL;
    r->name[0] = r->legend[0] = '\0';
    r->is_target = false;
}

/* An overlay covers colour target 0 of the last draw. It counts the draws since the last change of
 * this target's size or number of samples. */
static void before_draw(void *self, tp_context *c, uint64_t) {
    struct showing *s = self;
    const struct target_state *t = &c->state.color[c->state.color_map[0] & (RASTER_TARGETS - 1)];
    const uint32_t samples = c->state.samples ? c->state.samples : 1;
    if (s->kind == HEAT_NONE)
        return;
    if (!s->heat.value || s->heat.width != t->width || s->heat.height != t->height ||
        s->heat.samples != samples) {
        if (s->context && s->heat.value)
            heat_detach(&s->heat, s->context);
        heat_free(&s->heat);
        if (!heat_begin(&s->heat, s->kind, t->width, t->height, samples))
            return;
        s->context = NULL;
    }
    if (s->context != c) {
        if (s->context)
            heat_detach(&s->heat, s->context);
        heat_attach(&s->heat, c);
        s->context = c;
    }
}

static void after_draw(void *self, tp_context *c, uint64_t) {
    struct showing *s = self;
    s->state = c->state;
    s->device = c->device;
}

/* ---- items ---- */

/* Counts an item. Returns true if the item is the wanted one. */
static bool is_wanted(struct showing *s) {
    return s->seen++ == s->item;
}

static void show_target(struct showing *s, const struct target_state *t, const char *name,
                        bool first) {
    struct view_recording *r = s->r;
    if (!t->address || t->format == FORMAT_NONE || !is_wanted(s))
        return;
    r->rows = target_picture(s->device, t);
    r->width = t->width;
    r->height = t->height;
    r->is_target = first && s->state.samples <= 1;
    snprintf(r->name, sizeof r->name, "%s: %ux%u %s", name, t->width, t->height,
             format_name(t->format));
    if (r->rows && first && s->heat.value && s->heat.width == t->width &&
        s->heat.height == t->height) {
        heat_paint(&s->heat, r->rows);
        heat_legend(&s->heat, r->legend, sizeof r->legend);
    }
}

static void show_targets(struct showing *s) {
    char name[32];
    for (unsigned i = 0; i < s->state.color_count && i < RASTER_TARGETS; i++) {
        snprintf(name, sizeof name, "colour %u", i);
        show_target(s, &s->state.color[s->state.color_map[i] & (RASTER_TARGETS - 1)], name, i == 0);
    }
    if (s->state.zeta_enable)
        show_target(s, &s->state.zeta, "zeta", false);
}

static void show_textures(struct showing *s) {
    struct view_recording *r = s->r;
    char what[64];
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        for (unsigned i = 0; i < STATE_TEXTURES && s->state.program[stage]; i++) {
            uint32_t width, height;
            uint8_t *rows = texture_picture(&s->state, s->device->memory, (enum program_type)stage,
                                            i, &width, &height, what);
            if (!rows || !is_wanted(s)) {
                free(rows);
                continue;
            }
            r->rows = rows;
            r->width = width;
            r->height = height;
            snprintf(r->name, sizeof r->name, "%s $t%u: %s", program_stage_name(stage), i, what);
        }
}

static void show_programs(struct showing *s) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        const struct program *p = s->state.program[stage];
        if (!p || !is_wanted(s))
            continue;
        s->r->text = program_listing(p, false);
        snprintf(s->r->name, sizeof s->r->name, "%s program %s", program_stage_name(stage),
                 p->name);
    }
}

/* ---- the whole ---- */

bool view_recording_show(struct view_recording *r, uint64_t draw, unsigned item,
                         enum heat_kind heat) {
    const uint64_t last = draw < 1 ? 1 : draw > r->draws ? r->draws : draw;
    struct showing s = {.r = r, .draw = last, .item = item, .kind = heat};
    const struct playback_hooks hooks = {.self = &s, .before = before_draw, .after = after_draw};
    struct played played;
    const int code = playback_run(&r->playback, last, &hooks, &played);
    if (s.context && s.heat.value)
        heat_detach(&s.heat, s.context);
    forget_recording(r);
    r->draw = last;
    r->item = item;
    if (code == EXIT_FINE && s.device) {
        show_targets(&s);
        show_textures(&s);
        show_programs(&s);
    }
    r->items = s.seen;
    heat_free(&s.heat);
    playback_end(&played);
    if (code == EXIT_FINE && item && item >= r->items) /* this draw has fewer items */
        return view_recording_show(r, draw, 0, heat);
    return code == EXIT_FINE;
}

bool view_recording_open(struct view_recording *r, const struct command *command,
                         const char *file) {
    struct played played;
    *r = (struct view_recording){.playback = {.command = command, .file = file}};
    const int code = playback_run(&r->playback, 0, NULL, &played);
    r->draws = played.draws;
    playback_end(&played);
    if (code != EXIT_FINE)
        return false;
    if (!r->draws) {
        command_failed(command, "%s draws nothing", file);
        return false;
    }
    return view_recording_show(r, r->draws, 0, HEAT_NONE);
}

void view_recording_close(struct view_recording *r) {
    forget_recording(r);
}
