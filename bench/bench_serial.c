/* `teslapipe bench serial`: the serial share of scenes and recordings. This is the share of one
 * thread's time that further threads cannot take over: decoding commands, preparing draws, merging
 * the bins of the threads. In: scenes and recordings. Only the second half of a recording's draws
 * counts, so that start-up is left out. Out: a table, with the speed-up by Amdahl's law. */
#include "bench/serial.h"

#include "tools/recording.h"

int cmd_bench_serial(int argc, char **argv);

static void add_stage(struct serial *s, const char *name, double ms) {
    const struct {
        const char *name;
        double *part;
    } parts[] = {{"decode", &s->decode},
                 {"prepare", &s->prepare},
                 {"merge", &s->merge},
                 {"idle", NULL}}; /* the caller's own time does not count */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(parts[i].name, name) != 0)
            continue;
        if (!parts[i].part)
            return;
        *parts[i].part += ms;
    }
    s->all += ms;
}

void serial_add(struct serial *s, const struct tp_profile *p) {
    for (uint32_t i = 0; i < p->stage_count; i++)
        add_stage(s, p->stage[i].name, 1e-6 * (double)p->stage[i].nanoseconds);
}

double serial_share(const struct serial *s) {
    return s->all > 0 ? (s->decode + s->prepare + s->merge) / s->all : 0;
}

/* Returns the speed-up by Amdahl's law. */
static double serial_speedup(const struct serial *s, int threads) {
    const double share = serial_share(s);
    return 1 / (share + (1 - share) / threads);
}

bool serial_of_scene(const struct command *command, const struct demo_scene *scene,
                     const struct size *size, int frames, struct serial *s) {
    const struct device_options with = {.threads = 1};
    struct frame_target target = {0};
    struct demo demo;
    struct tp_profile profile;
    const char *why = NULL;
    int code;
    *s = (struct serial){0};
    tp_device *device = command_scene_device(command, &with, scene, &code);
    if (!device)
        return false;
    bool ok = demo_open(&demo, device, scene, NULL);
    if (ok && !(ok = frame_target_create(&target, device, *size, &why)))
        demo_fail(&demo, "no memory for a %ux%u target: %s", size->width, size->height, why);
    ok = ok && frame_target_draw(&target, &demo, 0, (struct demo_orbit){0}, false) &&
         demo_check(&demo, tp_get_profile(demo.context, &profile));
    for (int i = 0; ok && i < frames; i++)
        ok = frame_target_draw(&target, &demo, (i + 1) / 30.0, (struct demo_orbit){0}, false);
    if (ok && (ok = demo_check(&demo, tp_get_profile(demo.context, &profile))))
        serial_add(s, &profile);
    if (!ok)
        command_failed(command, "%s", demo.message);
    s->frames = (uint64_t)frames;
    demo_close(&demo);
    frame_target_destroy(&target);
    tp_device_destroy(device);
    return ok;
}

/* ---- recordings ---- */

/* Takes the profiles of all channels. The first call starts the measurement. */
static void take_profiles(const struct replay_result *result, struct serial *s) {
    for (uint32_t i = 0; i < result->channel_count; i++) {
        struct tp_profile profile;
        context_take_profile(channel_context(result->all[i]), &profile);
        if (s)
            serial_add(s, &profile);
    }
}

/* Plays the recording. s: receives the profile of the submissions that come after `half` draws;
 * NULL: only the draws are counted. Returns -1 with the reason after a failure. */
static int play(struct replay *replay, uint64_t half, struct serial *s, char *why, size_t size) {
    struct replay_frame frame;
    bool begun = false;
    int result;
    while ((result = replay_next(replay, &frame, why, size)) == 0) {
        if (!s || begun || replay_result(replay)->draws < half)
            continue;
        take_profiles(replay_result(replay), NULL);
        begun = true;
    }
    if (result > 0 && begun)
        take_profiles(replay_result(replay), s);
    return result > 0 ? 0 : -1;
}

static bool serial_of_recording(const struct command *command, const char *path, struct serial *s) {
    char why[1024] = "";
    uint64_t draws = 0;
    int result = 0;
    *s = (struct serial){.frames = 1};
    for (int pass = 0; pass < 2 && result == 0; pass++) {
        const struct tp_device_info info = {.threads = 1};
        tp_device *device = recording_device_for(path, info, NULL, why, sizeof why);
        struct replay *replay =
            device ? replay_open(path, device, true, NULL, why, sizeof why) : NULL;
        result = replay ? play(replay, draws / 2, pass ? s : NULL, why, sizeof why) : -1;
        draws = replay ? replay_result(replay)->draws : 0;
        replay_close(replay);
        if (device)
            tp_device_destroy(device);
    }
    if (result != 0)
        command_failed(command, "%s: %s", path, why);
    return result == 0;
}

/* ---- the command ---- */

static struct size size = {1280, 720};
static int frames = 20, turns = 3;

static bool measure(const struct command *command, const char *name, struct serial *best) {
    for (int i = 0; i < turns; i++) {
        struct serial s;
        const struct demo_scene *scene = demo_find(name);
        if (!(scene ? serial_of_scene(command, scene, &size, frames, &s)
                    : serial_of_recording(command, name, &s)))
            return false;
        /* the best run counts, because other work on the machine only slows a run */
        if (i == 0 || s.all < best->all)
            *best = s;
    }
    return true;
}

static void print_row(const char *path, const struct serial *s) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const double percent = s->all > 0 ? 100 / s->all : 0;
    printf("%-24.*s %9.2f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f\n",
           dot ? (int)(dot - name) : (int)strlen(name), name, s->all / (double)s->frames,
           100 * serial_share(s), percent * s->decode, percent * s->prepare, percent * s->merge,
           serial_speedup(s, 16), serial_speedup(s, 64));
    fflush(stdout);
}

int cmd_bench_serial(int argc, char **argv) {
    static const struct option_spec options[] = {
        {"--size", "WxH", OPTION_SIZE, &size, "pixels of scenes (1280x720)"},
        {"--frames", "N", OPTION_COUNT, &frames, "frames of a scene, after one to warm up (20)"},
        {"--turns", "N", OPTION_COUNT, &turns, "runs of each; the fastest counts (3)"},
        {0},
    };
    static const struct command command = {
        "bench serial",
        "[SCENE | RECORDING...] [options]",
        "The share of the time that stays with one thread: decoding, preparing, merging; and the\n"
        "speed-up that it allows on 16 and 64 threads. Milliseconds are of a frame, and of the second\n"
        "half of a recording. None = all scenes.",
        options,
        "teslapipe bench serial lights\n"
        "teslapipe bench serial game.tpr",
    };
    int code;
    struct serial s;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    printf("%-24s %9s %8s %8s %8s %8s %8s %8s\n", "", "ms", "serial %", "decode", "prepare",
           "merge", "16 thr.", "64 thr.");
    for (int i = 0; i < (count ? count : demo_scene_count); i++) {
        const char *name = count ? argv[i + 1] : demo_scenes[i]->name;
        if (!measure(&command, name, &s))
            return EXIT_FAILED;
        print_row(name, &s);
    }
    return EXIT_FINE;
}
