/* teslapipe why: why a pixel has its colour. In: a recording or a demo scene, and a pixel. Out: all
 * primitives, clears and copies at the pixel, in order and with their results, and one line with
 * the cause of the colour.
 */
#include "tools/cmd_why.h"

#include "tools/history_text.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

int cmd_why(int argc, char **argv);

struct options {
    const char *scene, *target, *sample, *layer;
    int draw, check, seed;
    bool json, all, inputs, source;
    struct size size;
    double time;
};

/* The question, and the history that answers it. */
struct question {
    struct playback playback;
    struct raster_probe_pixel where;
    uint64_t draw; /* the last draw to look at, 0: all */
    bool zeta, all;
    unsigned target; /* colour output */
    /* results */
    struct history *history;
    bool failed;        /* not all contexts are watched */
    struct state state; /* of the last draw */
    uint64_t draws;
    struct sources sources;
    struct drawn { /* by draws, from 1; with --source only */
        struct program *fragment;
        uint64_t source; /* the number of its GLSL */
    } *drawn;
    size_t drawn_count, drawn_capacity;
    bool wants_source;
};

/* ---- the answer ---- */

static const struct target_state *asked_target(const struct question *q) {
    const struct state *s = &q->state;
    if (q->zeta)
        return s->zeta_enable ? &s->zeta : NULL;
    return q->target < s->color_count ? &s->color[s->color_map[q->target] & (RASTER_TARGETS - 1)]
                                      : NULL;
}

/* The GLSL of the draw that made the colour, beside its machine code. */
static void print_source(const struct question *q, const struct history_entry *const *e,
                         size_t count) {
    size_t i = count;
    while (i && !(e[i - 1]->kind == HISTORY_PRIMITIVE && e[i - 1]->ran))
        i--;
    const uint64_t draw = i ? e[i - 1]->draw : 0;
    const struct drawn *d = draw && draw <= q->drawn_count ? &q->drawn[draw - 1] : NULL;
    const char *text = d ? sources_find(&q->sources, d->source, PROGRAM_FP) : NULL;
    if (!d || !d->fragment)
        return;
    printf("fragment program of draw %llu:\n", (unsigned long long)draw);
    sources_print_beside(
        stdout,
        text ? text : "no GLSL is known:\n`teslapipe gl --record FILE --keep-source` keeps it",
        d->fragment);
}

static int answer_question(const struct command *command, const tp_device *device,
                           struct question *q, const struct options *o) {
    const struct target_state *t = asked_target(q);
    const uint32_t samples = q->state.samples ? q->state.samples : 1;
    uint32_t shift_x, shift_y;
    surface_sample_shift(samples, &shift_x, &shift_y);
    if (!q->draws)
        return command_failed(command, "%s draws nothing", playback_name(&q->playback));
    if (q->draw > q->draws)
        return command_usage(command, "%s has %llu draws, there is no draw %llu",
                             playback_name(&q->playback), (unsigned long long)q->draws,
                             (unsigned long long)q->draw);
    if (!t || t->format == FORMAT_NONE)
        return command_usage(command, "the last draw has no such target");
    if ((uint32_t)q->where.x >= t->width >> shift_x || (uint32_t)q->where.y >= t->height >> shift_y)
        return command_usage(command, "%d,%d: the target has %ux%u pixels", q->where.x, q->where.y,
                             t->width >> shift_x, t->height >> shift_y);
    if (q->where.sample >= samples)
        return command_usage(command, "sample %u: the target has %u", q->where.sample, samples);
    size_t count;
    struct surface surface;
    target_surface(device, t, &surface); /* only its layout: its memory may have been freed */
    const struct history_entry *const *e =
        history_select(q->history, 0, t->address, &surface, q->draw, &count);
    if (o->json) {
        printf("{\"x\":%d,\"y\":%d,\"sample\":%u,\"format\":\"%s\",\"history\":[", q->where.x,
               q->where.y, q->where.sample, format_name(t->format));
        for (size_t i = 0; i < count; i++) {
            fputs(i ? ",\n" : "\n", stdout);
            history_json(stdout, q->history, e[i]);
        }
        printf("\n],\"cause\":\"");
        history_cause(stdout, q->history, e, count);
        printf("\"}\n");
    } else {
        printf("%s: pixel %d,%d of a %ux%u %s target, %llu draws\n", playback_name(&q->playback),
               q->where.x, q->where.y, t->width >> shift_x, t->height >> shift_y,
               format_name(t->format), (unsigned long long)q->draws);
        for (size_t i = 0; i < count; i++)
            history_print(stdout, q->history, e[i], o->inputs);
        printf("cause: ");
        history_cause(stdout, q->history, e, count);
        putchar('\n');
        if (o->source)
            print_source(q, e, count);
    }
    if (history_incomplete(q->history))
        return command_failed(command, "out of memory: entries are missing");
    return EXIT_FINE;
}

/* ---- the run ---- */

static void new_device(void *self, tp_device *device) {
    struct question *q = self;
    const struct history_options options = {.all = q->all};
    q->history = history_create(device, &q->where, 1, &options);
}

static void new_context(void *self, tp_context *c) {
    struct question *q = self;
    q->failed |= !q->history || !history_watch(q->history, c);
}

static void write_memory(void *self, uint64_t address, uint64_t size, uint64_t draw) {
    struct question *q = self;
    if (q->history)
        history_memory(q->history, address, size, draw);
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct question *q = self;
    if (!q->draw || draw <= q->draw)
        q->state = c->state;
    if (!q->wants_source ||
        !array_grow((void **)&q->drawn, &q->drawn_capacity, draw, sizeof *q->drawn))
        return;
    while (q->drawn_count < draw)
        q->drawn[q->drawn_count++] = (struct drawn){0};
    struct program *p = c->state.program[PROGRAM_FP];
    q->drawn[draw - 1] = (struct drawn){p ? program_ref(p) : NULL, q->sources.current};
}

static int ask_question(const struct command *command, struct question *q,
                        const struct options *o) {
    const struct playback_hooks hooks = {.self = q,
                                         .device = new_device,
                                         .context = new_context,
                                         .after = after_draw,
                                         .memory = write_memory,
                                         .sources = &q->sources};
    struct played played;
    int code = playback_run(&q->playback, q->draw, &hooks, &played);
    q->draws = played.draws;
    if (q->history)
        history_end(q->history);
    if (code == EXIT_FINE)
        code = q->failed ? command_failed(command, "out of memory, or too many channels to watch")
                         : answer_question(command, played.device, q, o);
    history_free(q->history);
    for (size_t i = 0; i < q->drawn_count; i++)
        program_unref(q->drawn[i].fragment);
    free(q->drawn);
    sources_free(&q->sources);
    playback_end(&played);
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
        return command_usage(
            command, o->scene ? "X and Y, please (see --help)"
                              : "a recording (or --scene NAME), X and Y, please (see --help)");
    q->all = o->all;
    q->wants_source = o->source && !o->json;
    q->draw = (uint64_t)o->draw;
    if (!read_number(argument[first], &q->where.x) ||
        !read_number(argument[first + 1], &q->where.y))
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
    struct options o = {.size = {640, 360}, .time = 2.5, .seed = 1};
    const struct option_spec options[] = {
        {"--scene", "SCENE", OPTION_TEXT, &o.scene, "a demo scene instead of a recording"},
        SCENE_SIZE_OPTION(&o.size),
        SCENE_TIME_OPTION(&o.time),
        {"--target", "N", OPTION_TEXT, &o.target, "colour output of the last draw (0), or zeta"},
        {"--sample", "S", OPTION_TEXT, &o.sample, "of a multisampled target (0)"},
        {"--layer", "L", OPTION_TEXT, &o.layer, "of a layered target (0)"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "as it is after draw N (default: the last)"},
        {"--all", NULL, OPTION_FLAG, &o.all, "also primitives that come near and do not cover it"},
        {"--inputs", NULL, OPTION_FLAG, &o.inputs, "also vertices and interpolated inputs"},
        {"--source", NULL, OPTION_FLAG, &o.source,
         "also the fragment program that made the colour: its GLSL beside its machine code"},
        {"--json", NULL, OPTION_FLAG, &o.json, "for programs"},
        {"--check", "N", OPTION_COUNT, &o.check, "a self-test instead: N random pixels"},
        {"--seed", "N", OPTION_COUNT, &o.seed, "of the self-test (1)"},
        {0},
    };
    const struct command command = {
        "why",
        "FILE X Y [options] | --scene SCENE X Y [options]",
        "Why a pixel has its colour: everything drawn there, in order, with what became of it. FILE is\n"
        "a recording (teslapipe gl --record); X and Y count from the upper left of the picture that\n"
        "`teslapipe replay FILE -o DIR` writes.",
        options,
        "teslapipe why frames.tpr 120 64\n"
        "teslapipe why --scene lights 320 180",
    };
    struct question q = {0};
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    const struct demo_scene *scene = o.scene ? command_scene(&command, o.scene) : NULL;
    if (o.scene && !scene)
        return EXIT_USAGE;
    if (!scene && !count)
        return command_usage(&command,
                             "a recording (or --scene NAME), X and Y, please (see --help)");
    q.playback = (struct playback){.command = &command,
                                   .file = scene ? NULL : argv[1],
                                   .scene = scene,
                                   .size = o.size,
                                   .time = o.time};
    if (o.check)
        return why_check(&q.playback, (uint32_t)o.check, (unsigned)o.seed);
    code = read_question(&command, &o, count, argv + 1, &q);
    return code == EXIT_FINE ? ask_question(&command, &q, &o) : code;
}
