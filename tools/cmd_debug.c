/* teslapipe debug: finds a warp (by pixel, vertex, primitive, patch or point of a draw, or by
 * thread of a compute program) and opens a prompt on the warp. In: a recording, a scene, or a
 * compute program with the arguments of `teslapipe run`. Out: the prompt. If no draw is named, a
 * first run over all fragments finds the last draw that touched the pixel.
 */
#include "pipeline/debug/warp_find.h"
#include "tools/debugger.h"
#include "tools/playback.h"
#include "tools/cmd_run.h"

#include <errno.h>
#include <stdlib.h>

struct options {
    int draw, hit;
    const char *pixel, *vertex, *primitive, *patch, *point, *thread, *at, *script, *scene;
    struct size size;
    double time;
    bool batch;
};

/* The warp that is searched for, and the progress of the search. */
struct warp_search {
    struct playback playback;
    struct warp_place place;
    uint64_t draw; /* 0: count hits of all draws */
    int hit;       /* number of the hit to open; 0: only count */
    /* results so far */
    int hits;           /* hits in the current draw; for threads: in all dispatches */
    uint64_t last_draw; /* the last draw with a hit */
    int last_hits;      /* hits in last_draw */
    bool opened, quit;
    /* progress of the run */
    uint64_t current, played_draws;
    struct warp_observer observer;
    tp_context *context;
    struct debugger_input *input;
    struct sources sources;
    bool failed;
};

/* Opens a prompt on the stepper, and destroys the stepper when the user leaves the prompt. */
static void open_prompt(struct warp_search *s, struct stepper *stepper,
                        const struct program *program, unsigned lane, const char *subject) {
    struct debugger d = {
        .stepper = stepper,
        .program = program,
        .memory = s->context->device->memory,
        .state = &s->context->state,
        .input = s->input,
        .glsl = sources_find(&s->sources, s->sources.current, program->type),
        .subject = subject,
        .lane = lane,
        .draw = s->current,
        .draws = s->played_draws,
    };
    s->opened = true;
    if (!stepper) {
        fprintf(stderr, "teslapipe debug: out of memory for a copy of the warp\n");
        s->failed = s->quit = true;
        return;
    }
    if (debugger_run(&d) == DEBUGGER_NEXT_HIT)
        s->hit = s->hits + 1;
    else
        s->quit = true;
    s->failed |= d.failed;
    stepper_destroy(stepper);
}

static void open_drawn(struct warp_search *s, const struct warp *w, const struct warp_env *env,
                       unsigned lane) {
    static const char *const what[PROGRAM_TYPES] = {[PROGRAM_VP] = "vertex",
                                                    [PROGRAM_GP] = "primitive",
                                                    [PROGRAM_TCP] = "output vertex",
                                                    [PROGRAM_TEP] = "point"};
    const bool patch = s->place.stage == PROGRAM_TCP || s->place.stage == PROGRAM_TEP;
    char of[40] = "";
    if (patch)
        snprintf(of, sizeof of, " of patch %u", s->place.number);
    char subject[128];
    if (s->place.stage == PROGRAM_FP)
        snprintf(subject, sizeof subject, "draw %llu, pixel %d,%d, hit %d",
                 (unsigned long long)s->current, s->place.x, s->place.y, s->hits);
    else
        snprintf(subject, sizeof subject, "draw %llu, %s %u%s, hit %d",
                 (unsigned long long)s->current, what[s->place.stage],
                 patch ? s->place.instance : s->place.number, of, s->hits);
    open_prompt(s, stepper_create(w, env), env->program, lane, subject);
}

static void look_at_warp(void *self, const struct warp *w, const struct warp_env *env) {
    struct warp_search *s = self;
    const int lane = s->quit ? -1 : warp_place_lane(&s->place, w);
    if (lane < 0)
        return;
    s->hits++;
    s->last_draw = s->current;
    s->last_hits = s->hits;
    if (s->draw && s->hits == s->hit)
        open_drawn(s, w, env, (unsigned)lane);
}

/* Called when a compute block is about to run. */
static void look_at_cta(void *self, const struct warp *warps, uint32_t count,
                        const struct warp_env *env) {
    struct warp_search *s = self;
    const uint32_t *t = s->place.thread, *b = s->place.block;
    char subject[128];
    uint32_t warp;
    const int lane = s->quit ? -1 : warp_place_in_block(&s->place, warps, &warp);
    if (lane < 0)
        return;
    s->hits++;
    if (s->hits != s->hit)
        return;
    snprintf(subject, sizeof subject, "block %u,%u,%u, thread %u,%u,%u, warp %u of %u, hit %d",
             b[0], b[1], b[2], t[0], t[1], t[2], warp, count, s->hits);
    open_prompt(s, stepper_create_block(warps, count, warp, env), env->program, (unsigned)lane,
                subject);
}

/* ---- draws ---- */

/* A search for a thread observes from the start, because dispatches have no draw number. */
static void watch_dispatches(void *self, tp_context *c) {
    struct warp_search *s = self;
    s->context = c;
    if (s->place.stage == PROGRAM_CP)
        context_observe(c, PROGRAM_CP, &s->observer);
}

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    s->played_draws = draw;
    if (s->place.stage == PROGRAM_CP || (s->draw && draw != s->draw))
        return;
    s->current = draw;
    s->hits = 0;
    s->context = c;
    context_observe(c, s->place.stage, &s->observer);
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    if (s->place.stage != PROGRAM_CP && (!s->draw || draw == s->draw))
        /* flushes the queue, so that the draw runs here */
        context_observe(c, s->place.stage, NULL);
}

/* Draws once, up to draw `last` (0: all). */
static int run_once(const struct command *command, struct warp_search *s, uint64_t last) {
    const struct playback_hooks hooks = {.self = s,
                                         .context = watch_dispatches,
                                         .before = before_draw,
                                         .after = after_draw,
                                         .sources = &s->sources};
    struct played played;
    sources_free(&s->sources);
    int code = playback_run(&s->playback, last, &hooks, &played);
    if (code == EXIT_FINE && last && played.draws < last)
        code = command_usage(command, "%s has %llu draws, there is no draw %llu",
                             playback_name(&s->playback), (unsigned long long)played.draws,
                             (unsigned long long)last);
    playback_end(&played);
    return code;
}

static int end_of_search(struct warp_search *s) {
    sources_free(&s->sources);
    if (!s->quit)
        printf("no more hits\n");
    return s->failed ? EXIT_FAILED : EXIT_FINE;
}

static int debug_warp(const struct command *command, struct warp_search *s, int hit) {
    int code;
    s->playback.threads = 1;
    s->observer = (struct warp_observer){.self = s, .start = look_at_warp};
    if (s->place.stage == PROGRAM_CP)
        s->observer = (struct warp_observer){.self = s, .cta = look_at_cta};
    if (!s->draw && s->place.stage != PROGRAM_CP) {
        code = run_once(command, s, 0);
        if (code != EXIT_FINE)
            return code;
        if (!s->last_draw)
            return command_failed(command, "no fragment of any draw lies there");
        s->draw = s->last_draw;
        hit = hit ? hit : s->last_hits;
    }
    s->hit = hit ? hit : 1;
    code = run_once(command, s, s->draw);
    if (code != EXIT_FINE)
        return code;
    if (!s->opened && s->place.stage == PROGRAM_CP)
        return command_failed(command, "%d grids have such a block and thread", s->hits);
    if (!s->opened)
        return command_failed(command, "draw %llu has %d such warps", (unsigned long long)s->draw,
                              s->hits);
    return end_of_search(s);
}

/* ---- compute programs in files ---- */

static void watch_run(void *self, tp_device *, tp_context *context) {
    struct warp_search *s = self;
    s->context = context;
    context_observe(context, PROGRAM_CP, &s->observer);
}

static int debug_program(const struct command *command, struct warp_search *s, int argc,
                         char **argv, int hit) {
    const struct run_hooks hooks = {s, watch_run};
    s->observer = (struct warp_observer){.self = s, .cta = look_at_cta};
    s->hit = hit ? hit : 1;
    const int code = run_watched(argc, argv, &hooks);
    if (!s->opened && code == 0)
        return command_failed(command, "the grid has no such block and thread");
    return s->opened ? end_of_search(s) : code;
}

/* ---- the command ---- */

/* "X[,Y[,Z]]"; missing values are 0. */
static bool read_place(const char *text, uint32_t place[3]) {
    memset(place, 0, 3 * sizeof *place);
    for (int i = 0; i < 3 && *text >= '0' && *text <= '9'; i++) {
        char *end;
        const unsigned long long value = strtoull(text, &end, 10);
        if (value > UINT32_MAX || (*end && *end != ','))
            return false;
        place[i] = (uint32_t)value;
        if (!*end)
            return true;
        text = end + 1;
    }
    return false;
}

static int read_thread(const struct command *command, const struct options *o,
                       struct warp_search *s) {
    s->place.stage = PROGRAM_CP;
    if (!read_place(o->thread, s->place.thread))
        return command_usage(command, "--thread %s: must be X, X,Y or X,Y,Z", o->thread);
    if (o->at && !read_place(o->at, s->place.block))
        return command_usage(command, "--at %s: must be X, X,Y or X,Y,Z", o->at);
    return EXIT_FINE;
}

/* Reads "PATCH[,N]": output vertex or point N (default 0) of a patch. */
static int read_patch(const struct command *command, const struct options *o,
                      struct warp_search *s) {
    const char *text = o->patch ? o->patch : o->point;
    uint32_t place[3];
    if (!read_place(text, place) || place[2])
        return command_usage(command, "%s: must be PATCH or PATCH,N", text);
    s->place.stage = o->patch ? PROGRAM_TCP : PROGRAM_TEP;
    s->place.number = place[0];
    s->place.instance = place[1];
    if (!o->draw)
        return command_usage(command, "--draw N is needed: each draw has its own numbers");
    return EXIT_FINE;
}

/* Reads the option that selects the warp; exactly one of six must be given. */
static int read_subject(const struct command *command, const struct options *o,
                        struct warp_search *s) {
    const char *number = o->vertex ? o->vertex : o->primitive;
    char *end, rest;
    const char *const named[] = {o->pixel, o->vertex, o->primitive, o->patch, o->point, o->thread};
    int count = 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        count += named[i] != NULL;
    if (count != 1)
        return command_usage(
            command, "exactly one of --pixel, --vertex, --primitive, --patch, --point and --thread "
                     "is needed (see teslapipe debug --help)");
    if (o->patch || o->point)
        return read_patch(command, o, s);
    if (o->thread)
        return read_thread(command, o, s);
    if (o->pixel) {
        s->place.stage = PROGRAM_FP;
        if (sscanf(o->pixel, "%5d,%5d%c", &s->place.x, &s->place.y, &rest) != 2 || s->place.x < 0 ||
            s->place.y < 0)
            return command_usage(command, "--pixel %s: must be X,Y", o->pixel);
        return EXIT_FINE;
    }
    s->place.stage = o->vertex ? PROGRAM_VP : PROGRAM_GP;
    s->place.instance = WARP_ANY_INSTANCE;
    errno = 0;
    const unsigned long long n = strtoull(number, &end, 0);
    if (end == number || *end || errno || n > UINT32_MAX || *number == '-')
        return command_usage(command, "%s %s: not a number", o->vertex ? "--vertex" : "--primitive",
                             number);
    s->place.number = (uint32_t)n;
    if (!o->draw)
        return command_usage(command, "--draw N is needed: each draw has its own numbers");
    return EXIT_FINE;
}

static int open_script(const struct command *command, const struct options *o,
                       struct debugger_input *input) {
    input->batch = o->batch;
    if (o->script && strcmp(o->script, "-") == 0)
        input->script = stdin;
    else if (o->script && !(input->script = open_whole_text(command, o->script, &input->text)))
        return EXIT_FAILED;
    errno = 0;
    return EXIT_FINE;
}

/* If a compute program is among the arguments, moves those of `teslapipe run` to run[], leaves the
 * others in argv[], and returns true. */
static bool split_arguments(int *argc, char **argv, int *run_count, char **run) {
    static const char *const own[] = {"--thread", "--at", "--hit", "-x", "--batch", "--help"};
    bool program = false;
    for (int i = 1; i < *argc; i++) {
        const size_t length = strlen(argv[i]);
        program |= argv[i][0] != '-' && length > 3 && strcmp(argv[i] + length - 3, ".cp") == 0;
    }
    int kept = 1;
    *run_count = 1;
    run[0] = argv[0];
    for (int i = 1; program && i < *argc; i++) {
        size_t which = 0;
        while (which < sizeof own / sizeof *own && strcmp(argv[i], own[which]) != 0)
            which++;
        if (which == sizeof own / sizeof *own) {
            run[(*run_count)++] = argv[i];
            continue;
        }
        argv[kept++] = argv[i];
        if (which < 4 && i + 1 < *argc)
            argv[kept++] = argv[++i];
    }
    if (program)
        *argc = kept;
    return program;
}

static int debug_drawn(const struct command *command, const struct options *o,
                       struct warp_search *s, int count, char **argv) {
    const struct demo_scene *scene = o->scene ? command_scene(command, o->scene) : NULL;
    if (o->scene && !scene)
        return EXIT_USAGE;
    if (count != (scene ? 0 : 1))
        return command_usage(command, scene ? "takes a scene or a recording, not both"
                                            : "takes one recording");
    s->playback = (struct playback){.command = command,
                                    .file = scene ? NULL : argv[1],
                                    .scene = scene,
                                    .size = o->size,
                                    .time = o->time};
    if (!playback_take_options(&s->playback))
        return EXIT_USAGE;
    return debug_warp(command, s, o->hit);
}

COMMAND(debug) {
    struct options o = {.time = NAN};
    const struct option_spec options[] = {
        {"--pixel", "X,Y", OPTION_TEXT, &o.pixel, "the fragment program's warp with this pixel"},
        {"--vertex", "N", OPTION_TEXT, &o.vertex, "the vertex program's warp with this vertex"},
        {"--primitive", "N", OPTION_TEXT, &o.primitive,
         "the geometry program's warp with this primitive"},
        {"--patch", "N[,V]", OPTION_TEXT, &o.patch,
         "the control program's warp with vertex V of this patch"},
        {"--point", "N[,P]", OPTION_TEXT, &o.point,
         "the evaluation program's warp with point P of this patch"},
        {"--thread", "X[,Y[,Z]]", OPTION_TEXT, &o.thread,
         "the compute program's warp with this thread"},
        {"--at", "X[,Y[,Z]]", OPTION_TEXT, &o.at, "of this block of the grid (0,0,0)"},
        {"--draw", "N", OPTION_COUNT, &o.draw,
         "of this draw, from 1 (default: the last that touched the pixel)"},
        {"--hit", "N", OPTION_COUNT, &o.hit, "the Nth such warp of the draw, or of all grids"},
        {"--scene", "SCENE", OPTION_TEXT, &o.scene, "a demo scene instead of a recording"},
        SCENE_SIZE_OPTION(&o.size),
        SCENE_TIME_OPTION(&o.time),
        {"-x", "FILE", OPTION_TEXT, &o.script, "commands to run first; -: standard input"},
        {"--batch", NULL, OPTION_FLAG, &o.batch, "leave when the script has ended"},
        {0},
    };
    const struct command command = {
        "debug",
        "FILE --pixel X,Y [options] | PROGRAM.cp --thread X[,Y[,Z]] RUN-OPTIONS",
        "Steps through one warp, forwards and backwards, of a recorded draw (teslapipe gl --record), of a\n"
        "demo scene, or of a compute program with the options of `teslapipe run`; `help` at the prompt\n"
        "lists the commands.",
        options,
        "teslapipe debug frames.tpr --pixel 120,64\n"
        "teslapipe debug sum.cp --thread 5 --grid 64 --block 256 --buffer 0=in.bin",
    };
    int code, run_count;
    char **run = calloc((size_t)argc + 1, sizeof *run);
    if (!run)
        return command_failed(&command, "out of memory");
    const bool program = split_arguments(&argc, argv, &run_count, run);
    const int count = command_parse(&command, argc, argv, &code);
    struct debugger_input input = {0};
    struct warp_search search = {.draw = (uint64_t)o.draw, .input = &input};
    if (count >= 0)
        code = read_subject(&command, &o, &search);
    if (count >= 0 && code == EXIT_FINE)
        code = open_script(&command, &o, &input);
    if (count >= 0 && code == EXIT_FINE)
        code = program ? debug_program(&command, &search, run_count, run, o.hit)
                       : debug_drawn(&command, &o, &search, count, argv);
    debugger_input_close(&input);
    free(run);
    return code;
}
