/* teslapipe why: why a pixel has its colour. In: a recording or a demo scene, and a pixel. Out: all
 * primitives, clears, copies and stores at the pixel, in order and with their results, and one line
 * with the cause of the colour.
 */
#include "tools/cmd_why.h"

#include "tools/history_text.h"
#include "tools/why_run.h"

#include <stdlib.h>

struct options {
    const char *scene, *target, *image, *texture, *sample, *layer;
    int draw, check, seed;
    bool json, all, inputs, source;
    struct size size;
    double time;
};

struct question {
    struct why_run run;
    struct sources sources;
    struct drawn { /* draw n has element n - 1; only with --source */
        struct program *fragment;
        uint64_t source; /* number of the draw's GLSL */
    } *drawn;
    size_t drawn_count, drawn_capacity;
    bool wants_source;
};

/* ---- the answer ---- */

/* Prints the last fragment program that ran at the pixel: its GLSL beside its machine code. Prints
 * nothing if a store made the colour. */
static void print_source(const struct question *q, const struct history_entry *const *e,
                         size_t count) {
    size_t i = count;
    const struct history_entry *const decided = history_decided(e, count);
    if (decided && decided->store) /* a program of any stage stored the value */
        return;
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

static int check_question(const struct command *command, const struct question *q) {
    const struct why_run *r = &q->run;
    const struct asked_texel *a = &r->asked;
    const bool target = a->kind == ASKED_TARGET || a->kind == ASKED_ZETA;
    if (!r->played.draws && (target || !r->launches))
        return command_failed(command, "%s draws nothing", playback_name(&r->playback));
    if (r->draw > r->played.draws)
        return command_usage(command, "%s has %llu draws, there is no draw %llu",
                             playback_name(&r->playback), (unsigned long long)r->played.draws,
                             (unsigned long long)r->draw);
    if (!a->address)
        return command_usage(command, "the last draw has no such %s",
                             target ? "target" : asked_name(a));
    if ((uint32_t)r->where.x >= a->width || (uint32_t)r->where.y >= a->height)
        return command_usage(command, "%d,%d: the %s has %ux%u pixels", r->where.x, r->where.y,
                             asked_name(a), a->width, a->height);
    if (r->where.sample >= a->samples)
        return command_usage(command, "sample %u: the %s has %u", r->where.sample, asked_name(a),
                             a->samples);
    if (r->where.layer && r->where.layer >= a->surface.depth)
        return command_usage(command, "layer %u: the %s has %u", r->where.layer, asked_name(a),
                             a->surface.depth);
    return EXIT_FINE;
}

/* Prints how to debug the thread that stored the value. */
static void print_debug(const struct why_run *r, const struct history_entry *decided) {
    if (!decided || !decided->store)
        return;
    printf("step through it: teslapipe debug %s%s ", r->playback.file ? "" : "--scene ",
           playback_name(&r->playback));
    stored_debug_print(stdout, decided->store);
    putchar('\n');
}

static void print_chain(const struct why_run *r) {
    for (size_t i = 0; i < r->causes; i++) {
        const struct why_cause *c = &r->cause[i];
        printf("%*sfrom: %s 0x%llx, read at 0x%06x (%s):\n", 2 * (int)c->level, "",
               c->read.texel ? "texel" : "g[]", (unsigned long long)c->read.address, c->read.at,
               c->read.text);
        printf("%*s", 2 * (int)c->level + 6, "");
        stored_print(stdout, &c->by);
        printf("\n%*s%s: there was ", 2 * (int)c->level + 6, "", c->by.text);
        stored_bytes_print(stdout, c->by.before, c->by.size);
        fputs(", then ", stdout);
        stored_bytes_print(stdout, c->by.after, c->by.size);
        putchar('\n');
    }
}

static void chain_json(const struct why_run *r) {
    fputs(",\"chain\":[", stdout);
    for (size_t i = 0; i < r->causes; i++) {
        const struct why_cause *c = &r->cause[i];
        printf("%s{\"level\":%u,\"address\":%llu,\"read_at\":%u,\"draw\":%llu,", i ? ",\n" : "\n",
               c->level, (unsigned long long)c->read.address, c->read.at,
               (unsigned long long)c->by.draw);
        stored_json(stdout, &c->by);
        putchar('}');
    }
    putchar(']');
}

static void print_json(const struct why_run *r, const struct history_entry *const *e,
                       size_t count) {
    printf("{\"x\":%d,\"y\":%d,\"sample\":%u,\"format\":\"%s\",\"history\":[", r->where.x,
           r->where.y, r->where.sample, format_name(r->asked.surface.format));
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        history_json(stdout, r->history, e[i]);
    }
    printf("\n],\"cause\":\"");
    history_cause(stdout, r->history, e, count);
    putchar('"');
    chain_json(r);
    puts("}");
}

static void print_text(const struct question *q, const struct history_entry *const *e, size_t count,
                       bool inputs) {
    const struct why_run *r = &q->run;
    const struct asked_texel *a = &r->asked;
    printf("%s: pixel %d,%d of a %ux%u %s %s, %llu draws", playback_name(&r->playback), r->where.x,
           r->where.y, a->width, a->height, format_name(a->surface.format), asked_name(a),
           (unsigned long long)r->played.draws);
    if (r->launches)
        printf(", %llu launches", (unsigned long long)r->launches);
    putchar('\n');
    for (size_t i = 0; i < count; i++)
        history_print(stdout, r->history, e[i], inputs);
    printf("cause: ");
    history_cause(stdout, r->history, e, count);
    putchar('\n');
    print_debug(r, history_decided(e, count));
    print_chain(r);
    if (q->wants_source)
        print_source(q, e, count);
}

static int answer_question(const struct command *command, struct question *q,
                           const struct options *o) {
    struct why_run *r = &q->run;
    size_t count;
    int code = check_question(command, q);
    if (code != EXIT_FINE)
        return code;
    const struct history_entry *const *e =
        history_select(r->history, 0, r->asked.address, &r->asked.surface, r->draw, &count);
    const struct history_entry *decided = history_decided(e, count);
    if (decided && (decided->kind == HISTORY_PRIMITIVE || decided->kind == HISTORY_STORE))
        code = why_chain(r, decided);
    if (o->json)
        print_json(r, e, count);
    else
        print_text(q, e, count, o->inputs);
    if (history_incomplete(r->history) || r->cut)
        return command_failed(command, "out of memory: entries are missing");
    return code;
}

/* ---- the run ---- */

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct question *q = self;
    if (!q->wants_source || !ARRAY_ROOM(q->drawn, q->drawn_capacity, draw))
        return;
    while (q->drawn_count < draw)
        q->drawn[q->drawn_count++] = (struct drawn){0};
    struct program *p = c->state.program[PROGRAM_FP];
    program_unref(q->drawn[draw - 1].fragment); /* releases the program of an earlier run */
    q->drawn[draw - 1] = (struct drawn){p ? program_ref(p) : NULL, q->sources.current};
}

static int ask_question(const struct command *command, struct question *q,
                        const struct options *o) {
    q->run.hooks = (struct playback_hooks){.self = q, .after = after_draw, .sources = &q->sources};
    int code = why_run(&q->run);
    if (code == EXIT_FINE)
        code = q->run.failed
                   ? command_failed(command, "out of memory, or too many channels to watch")
                   : answer_question(command, q, o);
    for (size_t i = 0; i < q->drawn_count; i++)
        program_unref(q->drawn[i].fragment);
    free(q->drawn);
    sources_free(&q->sources);
    why_run_end(&q->run);
    return code;
}

/* ---- the command ---- */

static bool read_number(const char *text, int32_t *value) {
    char *end;
    const long n = strtol(text, &end, 10);
    *value = (int32_t)n;
    return end != text && *end == '\0' && n >= 0 && n < 65536;
}

/* Reads the option for a target, an image or a texture; at most one may be given. */
static int read_kind(const struct command *command, const struct options *o,
                     struct asked_texel *a) {
    const char *const slot = o->image ? o->image : o->texture;
    int32_t n = 0;
    if ((o->target != NULL) + (o->image != NULL) + (o->texture != NULL) > 1)
        return command_usage(command, "at most one of --target, --image and --texture is allowed");
    const bool zeta = o->target && strcmp(o->target, "zeta") == 0;
    if (o->target && !zeta && (!read_number(o->target, &n) || n >= RASTER_TARGETS))
        return command_usage(command, "--target %s: must be 0 to 7, or zeta", o->target);
    if (slot && !read_number(slot, &n))
        return command_usage(command, "%s %s: not a number", o->image ? "--image" : "--texture",
                             slot);
    a->slot = (unsigned)n;
    a->kind = zeta         ? ASKED_ZETA
              : o->image   ? ASKED_IMAGE
              : o->texture ? ASKED_TEXTURE
                           : ASKED_TARGET;
    return EXIT_FINE;
}

static int read_question(const struct command *command, const struct options *o, int count,
                         char **argument, struct question *q) {
    struct why_run *r = &q->run;
    int32_t n = 0;
    const int first = o->scene ? 0 : 1;
    if (count != first + 2)
        return command_usage(
            command, o->scene ? "takes X and Y (see --help)"
                              : "takes a recording (or --scene NAME), X and Y (see --help)");
    r->options.all = o->all;
    q->wants_source = o->source;
    r->draw = (uint64_t)o->draw;
    if (!read_number(argument[first], &r->where.x) ||
        !read_number(argument[first + 1], &r->where.y))
        return command_usage(command, "%s %s: not a pixel's position", argument[first],
                             argument[first + 1]);
    if (o->sample && (!read_number(o->sample, &n) || n > 7))
        return command_usage(command, "--sample %s: must be 0 to 7", o->sample);
    r->where.sample = (uint32_t)n;
    n = 0;
    if (o->layer && !read_number(o->layer, &n))
        return command_usage(command, "--layer %s: not a number", o->layer);
    r->where.layer = (uint32_t)n;
    return read_kind(command, o, &r->asked);
}

/* Refuses options that would have no effect. */
static int check_together(const struct command *command, const struct options *o, int count) {
    const char *const asks = o->json      ? "--json"
                             : o->all     ? "--all"
                             : o->inputs  ? "--inputs"
                             : o->source  ? "--source"
                             : o->draw    ? "--draw"
                             : o->target  ? "--target"
                             : o->image   ? "--image"
                             : o->texture ? "--texture"
                             : o->sample  ? "--sample"
                             : o->layer   ? "--layer"
                                          : NULL;
    if (o->check && asks)
        return command_usage(command, "%s goes without --check", asks);
    if (o->check && count != !o->scene)
        return command_usage(command, "--check takes a recording or --scene NAME, and no pixel");
    if (o->seed && !o->check)
        return command_usage(command, "--seed goes with --check");
    if (o->source && o->json)
        return command_usage(command, "--source goes without --json");
    return EXIT_FINE;
}

COMMAND(why) {
    struct options o = {.time = NAN};
    const struct option_spec options[] = {
        {"--scene", "SCENE", OPTION_TEXT, &o.scene, "a demo scene instead of a recording"},
        SCENE_SIZE_OPTION(&o.size),
        SCENE_TIME_OPTION(&o.time),
        {"--target", "N", OPTION_TEXT, &o.target, "colour output of the last draw (0), or zeta"},
        {"--image", "N", OPTION_TEXT, &o.image,
         "a pixel of an image of the last draw or launch instead"},
        {"--texture", "N", OPTION_TEXT, &o.texture,
         "of a texture of the last draw's fragment program, or of the last launch"},
        {"--sample", "S", OPTION_TEXT, &o.sample, "of a multisampled target (0)"},
        {"--layer", "L", OPTION_TEXT, &o.layer, "of a layered target (0)"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "the pixel after draw N (default: the last)"},
        {"--all", NULL, OPTION_FLAG, &o.all,
         "also primitives that come near the pixel and do not cover it"},
        {"--inputs", NULL, OPTION_FLAG, &o.inputs, "also vertices and interpolated inputs"},
        {"--source", NULL, OPTION_FLAG, &o.source,
         "also the fragment program that made the colour: its GLSL beside its machine code"},
        {"--json", NULL, OPTION_FLAG, &o.json, "output as JSON"},
        {"--check", "N", OPTION_COUNT, &o.check, "a self-test with N random pixels"},
        {"--seed", "N", OPTION_COUNT, &o.seed, "of the self-test (1)"},
        {0},
    };
    const struct command command = {
        "why",
        "FILE X Y [options] | --scene SCENE X Y [options]",
        "Why a pixel has its colour: everything that was drawn there, in order, with its result.\n"
        "FILE is a recording (teslapipe gl --record). X and Y count from the upper left of the picture\n"
        "that `teslapipe replay FILE -o DIR` writes.",
        options,
        "teslapipe why frames.tpr 120 64\n"
        "teslapipe why --scene lights 320 180",
    };
    struct question q = {0};
    COMMAND_PARSE(code, count);
    const struct demo_scene *scene = o.scene ? command_scene(&command, o.scene) : NULL;
    if (o.scene && !scene)
        return EXIT_USAGE;
    if (!scene && !count)
        return command_usage(&command, "takes a recording (or --scene NAME), X and Y (see --help)");
    if ((code = check_together(&command, &o, count)) != EXIT_FINE)
        return code;
    q.run.playback = (struct playback){.command = &command,
                                       .file = scene ? NULL : argv[1],
                                       .scene = scene,
                                       .size = o.size,
                                       .time = o.time};
    if (!playback_take_options(&q.run.playback))
        return EXIT_USAGE;
    if (o.check)
        return why_check(&q.run.playback, (uint32_t)o.check, o.seed ? (unsigned)o.seed : 1);
    code = read_question(&command, &o, count, argv + 1, &q);
    return code == EXIT_FINE ? ask_question(&command, &q, &o) : code;
}
