/* teslapipe debug: finds the warp of a recorded draw that a user asks for - by pixel, vertex or
 * primitive - and opens a prompt on it. In: a recording. Out: the prompt. A run that shows every
 * fragment finds the last draw that touched the pixel when none is named.
 */
#include "tools/debugger.h"
#include "tools/recording.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int cmd_debug(int argc, char **argv);

struct options {
    int draw, hit;
    const char *pixel, *vertex, *primitive, *script;
    bool batch;
};

/* What is looked for, and how far the search has come. */
struct search {
    enum program_type stage;
    int x, y;        /* pixel */
    uint32_t number; /* vertex or primitive */
    uint64_t draw;   /* 0: count hits of all draws */
    int hit;         /* which one to open; 0: none, only count */
    /* found so far */
    int hits;           /* in the draw under way */
    uint64_t last_draw; /* with a hit */
    int last_hits;      /* in it */
    bool opened, quit;
    /* the run */
    uint64_t current;
    struct warp_observer observer;
    struct channel *channel;
    tp_device *device;
    struct debugger_input *input;
    bool failed;
};

static bool lane_matches(const struct search *s, const struct warp *w, unsigned lane) {
    if (!(w->launched & ~w->dead) >> lane & 1)
        return false;
    if (s->stage == PROGRAM_FP)
        return w->origin[0] + (int)floorf(w->x[lane]) == s->x &&
               w->origin[1] + (int)floorf(w->y[lane]) == s->y;
    return w->number && w->number[lane] == s->number;
}

static int matching_lane(const struct search *s, const struct warp *w) {
    for (lane_mask m = w->launched & ~w->dead; m; m &= m - 1)
        if (lane_matches(s, w, (unsigned)__builtin_ctz(m)))
            return __builtin_ctz(m);
    return -1;
}

static void open_prompt(struct search *s, const struct warp *w, const struct warp_env *env,
                        int lane) {
    static const char *const what[] = {"vertex", "primitive"};
    char subject[128];
    if (s->stage == PROGRAM_FP)
        snprintf(subject, sizeof subject, "draw %llu, pixel %d,%d, hit %d",
                 (unsigned long long)s->current, s->x, s->y, s->hits);
    else
        snprintf(subject, sizeof subject, "draw %llu, %s %u, hit %d",
                 (unsigned long long)s->current, what[s->stage], s->number, s->hits);
    struct debugger d = {
        .stepper = stepper_create(w, env),
        .program = env->program,
        .memory = s->device->memory,
        .state = &channel_context(s->channel)->state,
        .input = s->input,
        .subject = subject,
        .lane = (unsigned)lane,
    };
    s->opened = true;
    if (!d.stepper) {
        fprintf(stderr, "teslapipe debug: out of memory for a copy of the warp\n");
        s->failed = s->quit = true;
        return;
    }
    if (debugger_run(&d) == DEBUGGER_NEXT_HIT)
        s->hit = s->hits + 1;
    else
        s->quit = true;
    s->failed |= d.failed;
    stepper_destroy(d.stepper);
}

static void look(void *self, const struct warp *w, const struct warp_env *env) {
    struct search *s = self;
    const int lane = s->quit ? -1 : matching_lane(s, w);
    if (lane < 0)
        return;
    s->hits++;
    s->last_draw = s->current;
    s->last_hits = s->hits;
    if (s->draw && s->hits == s->hit)
        open_prompt(s, w, env, lane);
}

static void before_draw(void *self, struct channel *c, uint64_t draw) {
    struct search *s = self;
    if (s->draw && draw != s->draw)
        return;
    s->current = draw;
    s->hits = 0;
    s->channel = c;
    context_observe(channel_context(c), s->stage, &s->observer);
}

static void after_draw(void *self, struct channel *c, uint64_t draw) {
    struct search *s = self;
    if (!s->draw || draw == s->draw)
        context_observe(channel_context(c), s->stage, NULL); /* flushes: the draw runs here */
}

/* One replay up to draw `last` (0: all). */
static int replay_once(const struct command *command, const char *path, struct search *s,
                       uint64_t last) {
    const struct replay_observer observer = {
        .self = s, .before = before_draw, .after = after_draw};
    struct replay_result result;
    char why[512];
    int code;
    s->device = recording_device(command, path, (struct tp_device_info){.threads = 1}, &code);
    if (!s->device)
        return code;
    s->observer = (struct warp_observer){.self = s, .start = look};
    if (record_replay(path, s->device, last, &observer, &result, why, sizeof why) != 0)
        code = command_failed(command, "%s", why);
    else if (last && result.draws < last)
        code = command_usage(command, "%s has %llu draws, there is no draw %llu", path,
                             (unsigned long long)result.draws, (unsigned long long)last);
    replay_free(&result);
    device_destroy(s->device);
    return code;
}

static int debug(const struct command *command, const char *path, struct search *s, int hit) {
    int code;
    if (!s->draw) {
        code = replay_once(command, path, s, 0);
        if (code != EXIT_FINE)
            return code;
        if (!s->last_draw)
            return command_failed(command, "no fragment of any draw lies there");
        s->draw = s->last_draw;
        hit = hit ? hit : s->last_hits;
    }
    s->hit = hit ? hit : 1;
    code = replay_once(command, path, s, s->draw);
    if (code != EXIT_FINE)
        return code;
    if (!s->opened)
        return command_failed(command, "draw %llu has %d such warps", (unsigned long long)s->draw,
                              s->hits);
    if (!s->quit)
        printf("no more hits\n");
    return s->failed ? EXIT_FAILED : EXIT_FINE;
}

/* Which one of the three was asked for. */
static int read_subject(const struct command *command, const struct options *o, struct search *s) {
    const char *number = o->vertex ? o->vertex : o->primitive;
    char *end, rest;
    if ((o->pixel != NULL) + (o->vertex != NULL) + (o->primitive != NULL) != 1)
        return command_usage(command, "one of --pixel, --vertex and --primitive, please");
    if (o->pixel) {
        s->stage = PROGRAM_FP;
        if (sscanf(o->pixel, "%5d,%5d%c", &s->x, &s->y, &rest) != 2 || s->x < 0 || s->y < 0)
            return command_usage(command, "--pixel %s: must be X,Y", o->pixel);
        return EXIT_FINE;
    }
    s->stage = o->vertex ? PROGRAM_VP : PROGRAM_GP;
    errno = 0;
    const unsigned long long n = strtoull(number, &end, 0);
    if (end == number || *end || errno || n > UINT32_MAX || *number == '-')
        return command_usage(command, "%s: not a number", number);
    s->number = (uint32_t)n;
    if (!o->draw)
        return command_usage(command, "--draw N, please: every draw has such a number");
    return EXIT_FINE;
}

int cmd_debug(int argc, char **argv) {
    struct options o = {0};
    const struct option_spec options[] = {
        {"--pixel", "X,Y", OPTION_TEXT, &o.pixel, "the fragment program's warp with this pixel"},
        {"--vertex", "N", OPTION_TEXT, &o.vertex, "the vertex program's warp with this vertex"},
        {"--primitive", "N", OPTION_TEXT, &o.primitive, "the geometry program's warp with this one"},
        {"--draw", "N", OPTION_COUNT, &o.draw,
         "of this draw, from 1 (default: the last that touched the pixel)"},
        {"--hit", "N", OPTION_COUNT, &o.hit, "the Nth such warp of the draw"},
        {"-x", "FILE", OPTION_TEXT, &o.script, "commands to obey first, - for standard input"},
        {"--batch", NULL, OPTION_FLAG, &o.batch, "leave when the script has ended"},
        {0},
    };
    const struct command command = {
        "debug",
        "FILE --pixel X,Y [options]",
        "Steps through one warp of a recorded draw (teslapipe gl --record), forwards and backwards;\n"
        "`help` at the prompt lists the commands.",
        options,
    };
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count != 1)
        return command_usage(&command, "one recording, please");
    struct debugger_input input = {.batch = o.batch};
    struct search search = {.draw = (uint64_t)o.draw, .input = &input};
    code = read_subject(&command, &o, &search);
    if (code != EXIT_FINE)
        return code;
    if (o.script && strcmp(o.script, "-") == 0)
        input.script = stdin;
    else if (o.script && !(input.script = fopen(o.script, "r")))
        return command_failed(&command, "%s: %s", o.script, strerror(errno));
    errno = 0;
    code = debug(&command, argv[1], &search, o.hit);
    debugger_input_close(&input);
    return code;
}
