/* teslapipe bench: milliseconds per frame of the demo scenes, with one thread and with all threads.
 * Every measurement runs in a process of its own, so that it has its own peak memory and its own
 * time from start to first frame. The first argument may name another benchmark of this folder
 * (`bench alu`). */
#include "bench/model_events.h"
#include "bench/serial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BENCHMARKS(X) X(alu) X(farm) X(native) X(serial) X(tex) X(units)
#define DECLARE(name) int cmd_bench_##name(int argc, char **argv);
BENCHMARKS(DECLARE)
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} benchmarks[] = {
#define ROW(name) {#name, cmd_bench_##name},
    BENCHMARKS(ROW)};

static struct size size = {1280, 720};
static int frames = 40, threads, model_threads;
static const char *simd, *engine;
static struct demo_options demo_options;
static bool profile;
static const char *timeline;

static const struct option_spec options[] = {
    {"--size", "WxH", OPTION_SIZE, &size, "pixels (1280x720)"},
    {"--frames", "N", OPTION_COUNT, &frames, "frames to measure, after one to warm up (40)"},
    {"--threads", "N", OPTION_THREADS, &threads, "number of threads (1, then one per CPU)"},
    SIMD_OPTION(&simd),
    ENGINE_OPTION(&engine),
    {"--profile", NULL, OPTION_FLAG, &profile,
     "time of a frame by stage; share of the time on one thread only"},
    {"--threads-model", "N", OPTION_COUNT, &model_threads,
     "time and idle time on N threads, by simulation over the times of one thread"},
    {"--timeline", "FILE", OPTION_TEXT, &timeline,
     "of one scene, on all threads: what each did, for trace viewers (ui.perfetto.dev)"},
    {"--model", "FILE", OPTION_TEXT, &demo_options.model, "file for the scene model"},
    {0},
};
static const struct command command = {
    "bench",
    "[SCENE...] [options]  |  alu | farm | native | serial | tex | units [options]",
    "Measures scenes (none = all). Columns: thread count, milliseconds per frame (mean and best),\n"
    "frames per second, triangles and shaded pixels per second in millions, milliseconds from\n"
    "process start to the first finished frame, peak memory of the process in MiB, the engine, and\n"
    "the processor time of making native code.",
    options,
    "teslapipe bench teapot\n"
    "teslapipe bench alu -m g200",
};

struct result {
    double first, mean, best;    /* seconds */
    double triangles, fragments; /* per frame */
    double compile;              /* seconds of making native code, warm-up included */
    char engine[16];
    struct tp_profile profile; /* names point to static text, also in the parent */
    /* time of all frames on one thread and on model_threads, by the model */
    struct model_time one, many;
};

static bool model_frames(struct demo *demo, struct result *r) {
    struct model_events *events = model_events_new(model_threads);
    const bool whole = events && timeline_visit(model_events_take, events);
    if (events && model_events_end(events, &r->one, &r->many) && whole)
        return true;
    demo_fail(demo, "%s", whole ? "out of memory" : "too many events: fewer --frames");
    return false;
}

/* Draws and measures. Reads the picture back after each frame, as a viewer does. */
static bool measure_demo(struct demo *demo, struct frame_target *target, double start,
                         struct result *r) {
    struct tp_statistics statistics;
    if (!frame_target_draw(target, demo, 0, (struct demo_orbit){0}, false))
        return false;
    r->first = seconds_now() - start;
    tp_reset_statistics(demo->context);
    if (profile && !demo_check(demo, tp_get_profile(demo->context, &r->profile)))
        return false;
    if (model_threads)
        timeline_start_processor_time("scene");
    double begin = seconds_now(), last = begin;
    r->best = 1e9;
    for (int i = 0; i < frames; i++) {
        if (!frame_target_draw(target, demo, (i + 1) / 30.0, (struct demo_orbit){0}, false))
            return false;
        timeline_end(TIMELINE_FRAME, timeline_begin(), (uint64_t)i, 0, NULL);
        double now = seconds_now();
        r->best = now - last < r->best ? now - last : r->best;
        last = now;
    }
    r->mean = (last - begin) / frames;
    if (model_threads && !model_frames(demo, r))
        return false;
    if ((profile && !demo_check(demo, tp_get_profile(demo->context, &r->profile))) ||
        !demo_check(demo, tp_get_statistics(demo->context, &statistics)))
        return false;
    r->triangles = (double)statistics.primitives / frames;
    r->fragments = (double)statistics.fragments / frames;
    r->compile = 1e-9 * (double)statistics.compile_nanoseconds;
    return true;
}

/* Runs in the child: measures and writes a struct result to the pipe. */
static int measure_scene(const struct demo_scene *scene, int thread_count, int to) {
    double start = seconds_now();
    struct result result;
    struct frame_target target = {0};
    struct demo demo;
    int code;
    struct device_options with = {.threads = thread_count, .simd = simd, .engine = engine};
    if (timeline)
        timeline_start("scene");
    tp_device *device = command_scene_device(&command, &with, scene, &code);
    if (!device)
        return code;
    bool ok = demo_open(&demo, device, scene, &demo_options);
    const char *why;
    if (ok && !(ok = frame_target_create(&target, device, size, &why)))
        demo_fail(&demo, "no memory for a %ux%u target: %s", size.width, size.height, why);
    ok = ok && measure_demo(&demo, &target, start, &result);
    if (!ok)
        command_failed(&command, "%s", demo.message);
    char reason[512];
    if (timeline && !timeline_write(timeline, reason, sizeof reason))
        command_failed(&command, "%s", reason);
    snprintf(result.engine, sizeof result.engine, "%s", tp_device_engine(device));
    demo_close(&demo);
    frame_target_destroy(&target);
    tp_device_destroy(device);
    return ok && write(to, &result, sizeof result) == sizeof result ? EXIT_FINE : EXIT_FAILED;
}

static void print_row(const struct demo_scene *scene, int thread_count, const struct result *r,
                      long peak_kib) {
    printf("%-11s %7d %8.2f %8.2f %7.1f %8.2f %8.1f %9.1f %7.1f %-8s %6.1f\n", scene->name,
           thread_count, 1e3 * r->mean, 1e3 * r->best, 1 / r->mean, 1e-6 * r->triangles / r->mean,
           1e-6 * r->fragments / r->mean, 1e3 * r->first, (double)peak_kib / 1024, r->engine,
           1e3 * r->compile);
}

/* Prints for each stage: milliseconds a frame over all threads, share, number of runs. */
static void print_profile(const struct tp_profile *p) {
    const double all = (double)p->nanoseconds * p->threads;
    for (uint32_t i = 0; i < p->stage_count; i++)
        if (p->stage[i].nanoseconds)
            printf("    %-10s %9.3f ms %6.1f %% %12.1f\n", p->stage[i].name,
                   1e-6 * (double)p->stage[i].nanoseconds / frames,
                   100 * (double)p->stage[i].nanoseconds / all, (double)p->stage[i].count / frames);
    struct serial s = {0};
    serial_add(&s, p);
    const double percent = s.all > 0 ? 100 / s.all : 0;
    printf("    one thread alone: %.1f %% (decode %.1f, prepare %.1f, merge %.1f)\n",
           100 * serial_share(&s), percent * s.decode, percent * s.prepare, percent * s.merge);
}

/* Prints the time of a frame on many threads, and the shares of the threads' time in which they
 * wait for draws, tasks of the front end, merges and tiles. */
static void print_model(const struct model_time *one, const struct model_time *many) {
    static const char *const causes[MODEL_CAUSES] = {"draws", "front end", "merge", "tiles"};
    const double all = many->span > 0 ? many->span * model_threads : 1;
    printf("    %d threads: %.3f ms, %.2f times one's speed, idle %.1f %% (", model_threads,
           1e-6 * many->span / frames, many->span > 0 ? one->span / many->span : 1,
           100 * model_idle_share(many, model_threads));
    for (int i = 0; i < MODEL_CAUSES; i++)
        printf("%s%s %.1f", i ? ", " : "", causes[i], 100 * many->idle[i] / all);
    printf("); longest task %.3f ms, tile %.3f\n", 1e-6 * many->longest_task,
           1e-6 * many->longest_tile);
}

/* Runs a measurement in a child. Returns its exit code. */
static int run_scene(const struct demo_scene *scene, int thread_count) {
    int ends[2], status;
    struct rusage usage;
    struct result result;
    fflush(stdout);
    if (pipe(ends) != 0)
        return command_failed(&command, "no pipe for the measurement");
    pid_t child = fork();
    if (child < 0)
        return command_failed(&command, "cannot start a process");
    if (child == 0)
        _exit(measure_scene(scene, thread_count, ends[1]));
    close(ends[1]);
    bool got = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return command_failed(&command, "%s: the measurement crashed", scene->name);
    if (WEXITSTATUS(status) == EXIT_FINE && got)
        print_row(scene, thread_count, &result, usage.ru_maxrss);
    if (WEXITSTATUS(status) == EXIT_FINE && got && profile)
        print_profile(&result.profile);
    if (WEXITSTATUS(status) == EXIT_FINE && got && model_threads)
        print_model(&result.one, &result.many);
    return WEXITSTATUS(status);
}

static int run_both(const struct demo_scene *scene) {
    if (threads || model_threads)
        return run_scene(scene, model_threads ? 1 : threads);
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (timeline)
        return run_scene(scene, cpus);
    int code = run_scene(scene, 1);
    return code == EXIT_FINE && cpus > 1 ? run_scene(scene, cpus) : code;
}

COMMAND(bench) {
    for (size_t i = 0; argc > 1 && i < sizeof benchmarks / sizeof *benchmarks; i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argc - 1, argv + 1);
    COMMAND_PARSE(code, count);
    for (int i = 1; i <= count; i++)
        if (!command_scene(&command, argv[i]))
            return EXIT_USAGE;
    if (timeline && count != 1)
        return command_usage(&command, "--timeline is for one scene");
    if (model_threads && (timeline || threads > 1))
        return command_usage(&command, "--threads-model measures one thread, without --timeline");
    if (model_threads > MODEL_THREADS)
        return command_usage(&command, "--threads-model: at most %d threads", MODEL_THREADS);
    printf("%ux%u, %d frames\n%-11s %7s %8s %8s %7s %8s %8s %9s %7s %-8s %6s\n", size.width,
           size.height, frames, "scene", "threads", "ms/frame", "best", "fps", "Mtri/s", "Mpix/s",
           "first ms", "MiB", "engine", "native ms");
    code = EXIT_FINE;
    for (int k = 0; k < demo_scene_count; k++) {
        bool wanted = count == 0;
        for (int i = 1; i <= count; i++)
            wanted |= strcmp(argv[i], demo_scenes[k]->name) == 0;
        int result = wanted ? run_both(demo_scenes[k]) : EXIT_FINE;
        code = result > code ? result : code;
    }
    return code;
}
