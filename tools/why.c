/* teslapipe why: why a pixel has its colour. In: a recording, or a demo scene, and a pixel. Out: all
 * that was drawn there in order, each with what became of it, and one line that names the cause.
 */
#include "tools/recording.h"

#include "pipeline/debug/history.h"
#include "tools/state_text.h"

#include <stdlib.h>
#include <string.h>

int cmd_why(int argc, char **argv);

struct options {
    const char *scene, *target, *sample, *layer;
    int draw;
    bool json, all;
    struct size size;
    double time;
};

/* What is asked, and what came of it. */
struct question {
    struct history_where where;
    uint64_t draw;      /* up to this one, 0: all */
    bool zeta;
    unsigned target;    /* colour output */
    const char *name;   /* of the recording or scene */
    /* found */
    struct history *history;
    bool watched; /* all channels */
    struct state state; /* of the last draw looked at */
    uint64_t draws;
};

/* ---- words ---- */

static void print_component(uint32_t word, enum pixel_format format) {
    const uint8_t type = format_info(format)->type;
    float f;
    memcpy(&f, &word, 4);
    if (type == COMPONENT_SINT)
        printf("%d", (int32_t)word);
    else if (type == COMPONENT_UINT)
        printf("%u", word);
    else
        printf("%.7g", (double)f);
}

static void print_color(const uint32_t word[4], enum pixel_format format) {
    for (int i = 0; i < 4; i++) {
        fputs(i ? ", " : "(", stdout);
        print_component(word[i], format);
    }
    putchar(')');
}

/* A stored depth word between 0 and 1. */
static double depth_value(uint32_t word, enum pixel_format format) {
    const struct format_info *f = format_info(format);
    float v;
    memcpy(&v, &word, 4);
    return f->type == COMPONENT_FLOAT ? (double)v
                                      : word / (double)((UINT64_C(1) << f->bits[0]) - 1);
}

static void print_zeta(const struct history_entry *e) {
    const struct zeta_state *z = &e->zeta;
    const struct stencil_face *f = &z->face[z->two_sided && !e->front];
    if (!e->zeta_tested)
        return;
    printf("      zeta %s:", e->zeta_passed ? "passed" : "failed");
    if (z->bounds_test)
        printf(" stored depth %.9g in %.9g to %.9g;", depth_value(e->zeta_before[0], e->zeta_format),
               (double)z->bounds[0], (double)z->bounds[1]);
    if (z->stencil_test)
        printf(" stencil 0x%02x & 0x%02x %s 0x%02x & 0x%02x, then 0x%02x;", f->ref, f->func_mask,
               gl_name(f->func), e->zeta_before[1], f->func_mask, e->zeta_after[1]);
    if (z->depth_test)
        printf(" depth %.9g %s %.9g%s", depth_value(e->depth, e->zeta_format),
               gl_name(z->depth_func), depth_value(e->zeta_before[0], e->zeta_format),
               z->depth_write && e->zeta_passed ? ", written" : "");
    putchar('\n');
}

static void print_blend(const struct history_entry *e) {
    const struct blend_target *b = &e->blend;
    if (e->logic_op_enable)
        printf("      logic op %s\n", gl_name(e->logic_op));
    else if (b->enable)
        printf("      blended: rgb = %s(%s * source, %s * stored); alpha = %s(%s, %s)\n",
               gl_name(b->equation_rgb), gl_name(b->src_rgb), gl_name(b->dst_rgb),
               gl_name(b->equation_a), gl_name(b->src_a), gl_name(b->dst_a));
    if (e->color_mask != 15)
        printf("      written components: %s%s%s%s\n", e->color_mask & 1 ? "R" : "",
               e->color_mask & 2 ? "G" : "", e->color_mask & 4 ? "B" : "",
               e->color_mask & 8 ? "A" : "");
}

static void print_written(const struct history_entry *e) {
    if (e->color_target < 0)
        return;
    printf("      program gave ");
    print_color(e->source, e->color_format);
    printf("; there was ");
    print_color(e->before, e->color_format);
    printf(", now ");
    print_color(e->after, e->color_format);
    putchar('\n');
    print_blend(e);
}

static void print_clear(const struct history_entry *e) {
    if (e->draw)
        printf("clear after draw %llu:", (unsigned long long)e->draw);
    else
        printf("clear before the first draw:");
    if (e->color_target >= 0) {
        putchar(' ');
        print_color(e->clear.color, e->color_format);
    } else {
        if (e->clear.depth)
            printf(" depth %.9g", (double)e->clear.depth_value);
        if (e->clear.stencil)
            printf(" stencil 0x%02x", e->clear.stencil_value);
    }
    putchar('\n');
}

/* Without its folder. */
static const char *program_of(const struct history_entry *e) {
    const char *slash = strrchr(e->program, '/');
    return slash ? slash + 1 : e->program[0] ? e->program : "no fragment program";
}

static void print_entry(const struct history_entry *e) {
    if (e->kind == HISTORY_CLEAR) {
        print_clear(e);
        return;
    }
    printf("draw %llu, primitive %u (%s, %s): %s", (unsigned long long)e->draw, e->primitive,
           e->front ? "front" : "back", program_of(e), history_verdict_name(e->verdict));
    if (e->discarded_by != HISTORY_NO_ADDRESS)
        printf(" at 0x%06x", e->discarded_by);
    if (e->verdict == RASTER_TRAPPED)
        printf(": %s at 0x%06x", mp_error_name(e->trap.code), e->trap.address);
    puts(e->overwritten ? ", overwritten later" : "");
    print_zeta(e);
    if (e->verdict == RASTER_WRITTEN)
        print_written(e);
}

/* ---- the cause ---- */

static const struct history_entry *last_of(const struct history_entry *e, size_t n, bool written) {
    for (size_t i = n; i-- > 0;)
        if (!written || e[i].kind == HISTORY_CLEAR || e[i].verdict == RASTER_WRITTEN)
            return &e[i];
    return NULL;
}

/* Primitives after the entry that decided the colour, by verdict. */
static void print_others(const struct history_entry *from, const struct history_entry *end) {
    unsigned count[RASTER_WRITTEN + 1] = {0};
    for (; from < end; from++)
        if (from->kind == HISTORY_PRIMITIVE && from->verdict != RASTER_NOT_COVERED)
            count[from->verdict]++;
    for (int i = 0; i < RASTER_WRITTEN; i++)
        if (count[i])
            printf("; %u later %s: %s", count[i], count[i] == 1 ? "one" : "ones",
                   history_verdict_name((enum raster_verdict)i));
}

static void print_cause(const struct history_entry *e, size_t n) {
    const struct history_entry *last = last_of(e, n, true);
    printf("cause: ");
    if (!last)
        printf(last_of(e, n, false) ? "nothing that was drawn here was written"
                                    : "no draw covers this pixel, and nothing cleared it");
    else if (last->kind == HISTORY_CLEAR && last->draw)
        printf("the target was cleared after draw %llu and nothing was written since",
               (unsigned long long)last->draw);
    else if (last->kind == HISTORY_CLEAR)
        printf("the target was cleared and nothing was written since");
    else
        printf("draw %llu, primitive %u, program %s%s", (unsigned long long)last->draw,
               last->primitive, program_of(last),
               last->blend.enable ? ", blended over what was there" : "");
    print_others(last ? last + 1 : e, e + n);
    putchar('\n');
}

/* ---- JSON ---- */

static void json_words(const char *name, const uint32_t word[4], enum pixel_format format) {
    printf(",\"%s\":[", name);
    for (int i = 0; i < 4; i++) {
        fputs(i ? "," : "", stdout);
        print_component(word[i], format);
    }
    putchar(']');
}

static void json_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= 0x20)
            putchar(*text);
    }
    putchar('"');
}

static void json_entry(const struct history_entry *e) {
    printf("{\"kind\":\"%s\",\"draw\":%llu", e->kind == HISTORY_CLEAR ? "clear" : "primitive",
           (unsigned long long)e->draw);
    if (e->kind == HISTORY_CLEAR) {
        if (e->color_target >= 0)
            json_words("color", e->clear.color, e->color_format);
        printf("}");
        return;
    }
    printf(",\"primitive\":%u,\"front\":%s,\"verdict\":\"%s\",\"overwritten\":%s,\"program\":",
           e->primitive, e->front ? "true" : "false", history_verdict_name(e->verdict),
           e->overwritten ? "true" : "false");
    json_string(e->program);
    if (e->discarded_by != HISTORY_NO_ADDRESS)
        printf(",\"discarded_by\":%u", e->discarded_by);
    if (e->zeta_tested)
        printf(",\"zeta\":{\"passed\":%s,\"depth\":%.9g,\"stored\":%.9g,\"stencil\":[%u,%u]}",
               e->zeta_passed ? "true" : "false", depth_value(e->depth, e->zeta_format),
               depth_value(e->zeta_before[0], e->zeta_format), e->zeta_before[1], e->zeta_after[1]);
    if (e->verdict == RASTER_WRITTEN && e->color_target >= 0) {
        json_words("source", e->source, e->color_format);
        json_words("before", e->before, e->color_format);
        json_words("after", e->after, e->color_format);
    }
    printf("}");
}

/* ---- the answer ---- */

static const struct target_state *asked_target(const struct question *q) {
    const struct state *s = &q->state;
    if (q->zeta)
        return s->zeta_enable ? &s->zeta : NULL;
    return q->target < s->color_count ? &s->color[s->color_map[q->target] & (RASTER_TARGETS - 1)]
                                      : NULL;
}

static int answer(const struct command *command, struct question *q, const struct options *o) {
    const struct target_state *t = asked_target(q);
    const uint32_t samples = q->state.samples ? q->state.samples : 1;
    uint32_t shift_x, shift_y;
    surface_sample_shift(samples, &shift_x, &shift_y);
    if (!q->draws)
        return command_failed(command, "%s draws nothing", q->name);
    if (q->draw > q->draws)
        return command_usage(command, "%s has %llu draws, there is no draw %llu", q->name,
                             (unsigned long long)q->draws, (unsigned long long)q->draw);
    if (!t || t->format == FORMAT_NONE)
        return command_usage(command, "the last draw has no such target");
    if ((uint32_t)q->where.x >= t->width >> shift_x || (uint32_t)q->where.y >= t->height >> shift_y)
        return command_usage(command, "%d,%d: the target has %ux%u pixels", q->where.x, q->where.y,
                             t->width >> shift_x, t->height >> shift_y);
    if (q->where.sample >= samples)
        return command_usage(command, "sample %u: the target has %u", q->where.sample, samples);
    size_t count;
    history_select(q->history, t->address, q->draw);
    const struct history_entry *e = history_entries(q->history, &count);
    if (o->json) {
        printf("{\"x\":%d,\"y\":%d,\"sample\":%u,\"format\":\"%s\",\"history\":[", q->where.x,
               q->where.y, q->where.sample, format_name(t->format));
        for (size_t i = 0; i < count; i++) {
            fputs(i ? ",\n" : "\n", stdout);
            json_entry(&e[i]);
        }
        printf("\n]}\n");
        return EXIT_FINE;
    }
    printf("%s: pixel %d,%d of a %ux%u %s target, %llu draws\n", q->name, q->where.x, q->where.y,
           t->width >> shift_x, t->height >> shift_y, format_name(t->format),
           (unsigned long long)q->draws);
    for (size_t i = 0; i < count; i++)
        if (o->all || e[i].kind == HISTORY_CLEAR || e[i].verdict != RASTER_NOT_COVERED)
            print_entry(&e[i]);
    print_cause(e, count);
    if (history_incomplete(q->history))
        return command_failed(command, "out of memory: entries are missing");
    return EXIT_FINE;
}

/* ---- recordings ---- */

static void before_draw(void *self, struct channel *c, uint64_t draw) {
    (void)self;
    channel_context(c)->draw_number = draw - 1; /* numbered over all channels */
}

static void new_channel(void *self, struct channel *c) {
    struct question *q = self;
    q->watched &= history_watch(q->history, channel_context(c));
}

static void after_draw(void *self, struct channel *c, uint64_t draw) {
    struct question *q = self;
    if (!q->draw || draw <= q->draw)
        q->state = channel_context(c)->state;
}

static int ask_recording(const struct command *command, struct question *q,
                         const struct options *o) {
    const struct replay_observer observer = {
        .self = q, .before = before_draw, .after = after_draw, .channel = new_channel};
    struct replay_result result;
    char why[512];
    int code;
    tp_device *device = recording_device(command, q->name, (struct tp_device_info){0}, &code);
    if (!device)
        return code;
    q->history = history_create(device, &q->where);
    q->watched = q->history != NULL;
    if (!q->history) {
        device_destroy(device);
        return command_failed(command, "out of memory");
    }
    const int played =
        record_replay(q->name, device, q->draw, &observer, &result, why, sizeof why);
    q->draws = result.draws;
    history_end(q->history);
    if (played != 0)
        code = command_failed(command, "%s", why);
    else if (!q->watched)
        code = command_failed(command, "%s has more channels than can be watched", q->name);
    else
        code = answer(command, q, o);
    replay_free(&result);
    history_free(q->history);
    device_destroy(device);
    return code;
}

/* ---- scenes ---- */

static int ask_scene(const struct command *command, struct question *q, const struct options *o,
                     const struct demo_scene *scene) {
    static const struct device_options device_options;
    struct frame_target target = {0};
    struct demo demo;
    int code;
    tp_device *device = command_device(command, &device_options, &code);
    if (!device)
        return code;
    bool ok = frame_target_create(&target, device, o->size) &&
              demo_open(&demo, device, scene, NULL);
    if (!ok) {
        frame_target_destroy(&target);
        tp_device_destroy(device);
        return command_failed(command, "%s cannot be set up", scene->name);
    }
    q->history = history_create(device, &q->where);
    ok = q->history && history_watch(q->history, demo.context) &&
         frame_target_draw(&target, &demo, o->time, (struct demo_orbit){0}, false);
    if (ok) {
        history_end(q->history);
        q->state = demo.context->state;
        q->draws = demo.context->draw_number;
        code = answer(command, q, o);
    } else {
        code = command_failed(command, "%s", demo.message);
    }
    demo_close(&demo);
    history_free(q->history);
    frame_target_destroy(&target);
    tp_device_destroy(device);
    return code;
}

/* ---- the command ---- */

static bool read_number(const char *text, int32_t *value) {
    char *end;
    const long n = strtol(text, &end, 10);
    *value = (int32_t)n;
    return end != text && *end == '\0' && n >= 0 && n < 65536;
}

static int read_question(const struct command *command, const struct options *o, int count,
                         char **argument, struct question *q) {
    int32_t n = 0;
    const int first = o->scene ? 0 : 1;
    if (count != first + 2)
        return command_usage(command, o->scene ? "X and Y, please" : "a recording, X and Y, please");
    q->name = o->scene ? o->scene : argument[0];
    q->draw = (uint64_t)o->draw;
    if (!read_number(argument[first], &q->where.x) || !read_number(argument[first + 1], &q->where.y))
        return command_usage(command, "%s %s: not a pixel's position", argument[first],
                             argument[first + 1]);
    if (o->sample && (!read_number(o->sample, &n) || n > 7))
        return command_usage(command, "--sample %s: must be 0 to 7", o->sample);
    q->where.sample = (uint32_t)n;
    n = 0;
    if (o->layer && !read_number(o->layer, &n))
        return command_usage(command, "--layer %s: not a number", o->layer);
    q->where.layer = (uint32_t)n;
    n = 0;
    q->zeta = o->target && strcmp(o->target, "zeta") == 0;
    if (o->target && !q->zeta && (!read_number(o->target, &n) || n >= RASTER_TARGETS))
        return command_usage(command, "--target %s: must be 0 to 7, or zeta", o->target);
    q->target = (unsigned)n;
    return EXIT_FINE;
}

int cmd_why(int argc, char **argv) {
    struct options o = {.size = {640, 360}, .time = 2.5};
    const struct option_spec options[] = {
        {"--scene", "NAME", OPTION_TEXT, &o.scene, "a demo scene instead of a recording"},
        {"--size", "WxH", OPTION_SIZE, &o.size, "of the scene's picture (640x360)"},
        {"--time", "T", OPTION_NUMBER, &o.time, "of the scene, in seconds (2.5)"},
        {"--target", "N", OPTION_TEXT, &o.target, "colour output of the last draw (0), or zeta"},
        {"--sample", "S", OPTION_TEXT, &o.sample, "of a multisampled target (0)"},
        {"--layer", "L", OPTION_TEXT, &o.layer, "of a layered target (0)"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "as it is after draw N (default: the last)"},
        {"--all", NULL, OPTION_FLAG, &o.all, "also primitives that come near and do not cover it"},
        {"--json", NULL, OPTION_FLAG, &o.json, "for programs"},
        {0},
    };
    const struct command command = {
        "why",
        "FILE X Y [options] | --scene NAME X Y [options]",
        "Why a pixel has its colour: everything drawn there, in order, with what became of it. FILE is\n"
        "a recording (teslapipe gl --record); X and Y count from the upper left of the picture that\n"
        "`teslapipe replay FILE -o DIR` writes.",
        options,
    };
    struct question q = {0};
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    code = read_question(&command, &o, count, argv + 1, &q);
    if (code != EXIT_FINE)
        return code;
    if (!o.scene)
        return ask_recording(&command, &q, &o);
    const struct demo_scene *scene = command_scene(&command, o.scene);
    return scene ? ask_scene(&command, &q, &o, scene) : EXIT_USAGE;
}
