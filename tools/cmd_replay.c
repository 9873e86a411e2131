/* teslapipe replay: runs a recorded command stream (teslapipe gl --record) without the driver, to
 * its end or to a draw. In: a recording. Out: a line about the recording, and the colour and depth
 * targets as PNG files; or, as a job (tools/job.h), the frames that the window system got; or a
 * hash of memory, a page, or the memory checker's report. */
#include "tools/cmd_replay.h"

#include "teslapipe_debug.h"
#include "tools/check_report.h"
#include "tools/html_report.h"
#include "tools/png.h"
#include "tools/recording_work.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct options {
    const char *out, *html;
    int draw, threads;
    const char *simd, *engine, *log, *calls;
    bool fast, hash, native, every_flush, resume, split;
    struct frame_range frames;
    const char *format, *stream, *movie;
    struct check_options check;
    const char *timeline;
};

static const char *const log_names[] = {"error", "warning", "info", "debug"};

static enum log_level log_level_of(const char *name) {
    for (int i = 0; name && i < 4; i++)
        if (strcmp(log_names[i], name) == 0)
            return (enum log_level)i;
    return LOG_WARNING;
}

static void write_log(void *, int level, const char *line) {
    fprintf(stderr, "teslapipe: %s: %s\n", log_names[level & 3], line);
}

static int write_target(const struct command *command, tp_device *device,
                        const struct target_state *t, const char *directory, const char *name,
                        int *written) {
    char path[PATH_MAX], message[256];
    uint8_t *rows = target_picture(device, t);
    if (!rows)
        return EXIT_FINE;
    snprintf(path, sizeof path, "%s/%s.png", directory, name);
    const bool ok = write_png(path, t->width, t->height, rows, message, sizeof message);
    free(rows);
    if (!ok)
        return command_failed(command, "%s", message);
    ++*written;
    printf("%s: %ux%u %s\n", path, t->width, t->height, format_name(t->format));
    return EXIT_FINE;
}

static int write_targets(const struct command *command, tp_device *device, struct channel *channel,
                         const char *directory) {
    const struct state *s = &channel_context(channel)->state;
    int code = EXIT_FINE, written = 0;
    for (uint32_t i = 0; i < s->color_count && code == EXIT_FINE; i++) {
        char name[16];
        snprintf(name, sizeof name, "color%u", i);
        code = write_target(command, device, &s->color[s->color_map[i]], directory, name, &written);
    }
    if (s->zeta_enable && code == EXIT_FINE)
        code = write_target(command, device, &s->zeta, directory, "zeta", &written);
    if (code == EXIT_FINE && !written)
        code = command_failed(
            command, "no target is bound at the end, so there is no picture; "
                     "--frames A-B writes frames, --draw N the targets of draw N, --html DIR shows "
                     "all");
    return code;
}

static void print_native(const tp_device *device) {
    struct tp_debug_native s;
    tp_debug_get_native(device, &s);
    const double all = s.instructions ? (double)s.instructions : 1;
    const double worst = s.worst_instructions ? (double)s.worst_instructions : 1;
    printf("native code: %llu programs, %llu instructions, %.2f us each, at worst %.2f (of %llu)\n",
           (unsigned long long)s.programs, (unsigned long long)s.instructions,
           (double)s.nanoseconds * 1e-3 / all, (double)s.worst_nanoseconds * 1e-3 / worst,
           (unsigned long long)s.worst_instructions);
}

static struct tp_device_info device_info(const struct options *o) {
    return (struct tp_device_info){
        .threads = o->threads,
        .simd = o->simd,
        .engine = o->engine,
        .log = write_log,
        .arithmetic = o->fast ? TP_ARITHMETIC_FAST : TP_ARITHMETIC_EXACT,
    };
}

static int replay_recording(const struct command *command, const char *path,
                            const struct options *o) {
    const struct tp_device_info info = device_info(o);
    tp_device *device;
    int code;
    struct replay_result result;
    char why[512];
    if (o->out && mkdir(o->out, 0777) != 0 && errno != EEXIST)
        return command_failed(command, "%s: %s", o->out, strerror(errno));
    if (o->timeline)
        tp_debug_timeline_begin("replay");
    if (!(device = recording_device(command, path, info, &code)))
        return code;
    device->log.level = log_level_of(o->log);
    const double start = seconds_now();
    if (record_replay(path, device, (uint64_t)o->draw, NULL, &result, why, sizeof why) != 0)
        code = command_failed(command, "%s", why);
    else if ((uint64_t)o->draw > result.draws)
        code = command_usage(command, "%s has %llu draws, there is no draw %d", path,
                             (unsigned long long)result.draws, o->draw);
    else
        printf("%s: chipset %02x, %llu draws in %.3f s\n", path, record_chipset(path),
               (unsigned long long)result.draws, seconds_now() - start);
    if (recording_check(command, path, &result) != EXIT_FINE ||
        (o->timeline && tp_debug_timeline_end(o->timeline) != TP_OK &&
         command_failed(command, "%s", tp_message(NULL))))
        code = EXIT_FAILED;
    if (code == EXIT_FINE && o->native)
        print_native(device);
    if (o->out && !result.channel && code == EXIT_FINE) {
        code = command_failed(command, "%s has no submission, so there is no picture", path);
    } else if (o->out && result.channel &&
               code != EXIT_USAGE) { /* a damaged recording has pictures, too */
        const int written = write_targets(command, device, result.channel, o->out);
        code = code == EXIT_FINE ? written : code;
    }
    replay_free(&result);
    tp_device_destroy(device);
    return code;
}

/* Writes the file's name without folder and extension. */
static void name_of(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot > name)
        *dot = 0;
}

/* Appends to the file a line "name: P programs, N instructions, K calls[ OPERATION COUNT...]".
 * Calls are the instructions that native code leaves to the interpreter's handlers. */
static int note_calls(const struct command *command, const char *file, const tp_device *device,
                      const char *name) {
    struct tp_debug_native s;
    FILE *out = fopen(file, "a");
    if (!out)
        return command_failed(command, "%s: %s", file, strerror(errno));
    tp_debug_get_native(device, &s);
    fprintf(out, "%s: %llu programs, %llu instructions, %llu calls", name,
            (unsigned long long)s.programs, (unsigned long long)s.instructions,
            (unsigned long long)s.calls);
    uint32_t calls;
    const char *operation;
    for (uint32_t i = 0; (operation = tp_debug_get_calls(device, i, &calls)); i++)
        if (calls)
            fprintf(out, " %s %u", operation, calls);
    fputc('\n', out);
    return fclose(out) == 0 ? EXIT_FINE : command_failed(command, "%s: %s", file, strerror(errno));
}

/* Prints a line "hash name" for one recording; the name has no folder and no extension. */
static int hash_recording(const struct command *command, const char *path,
                          const struct options *o) {
    struct tp_device_info info = device_info(o);
    info.memory = UINT64_C(4) << 30;
    uint64_t value = 0;
    const struct replay_observer observer = {.hash = &value};
    struct replay_result result;
    char why[512], name[256];
    int code;
    tp_device *device = recording_device(command, path, info, &code);
    if (!device)
        return code;
    device->log.level = LOG_ERROR;
    if (record_replay(path, device, 0, &observer, &result, why, sizeof why) != 0)
        code = command_failed(command, "%s", why);
    if (recording_check(command, path, &result) != EXIT_FINE)
        code = EXIT_FAILED;
    name_of(path, name, sizeof name);
    if (code == EXIT_FINE && o->calls)
        code = note_calls(command, o->calls, device, name);
    replay_free(&result);
    tp_device_destroy(device);
    if (code == EXIT_FINE)
        printf("%016llx %s\n", (unsigned long long)value, name);
    return code;
}

/* ---- the memory checker ---- */

/* Returns the last exit code that is not 0. A recording that fails ends the check. */
static int check_recordings(const struct command *command, char **path, int count,
                            const struct options *o) {
    int code = EXIT_FINE;
    if (o->check.json && count > 1)
        return command_usage(command, "--json is for one recording");
    for (int i = 0; i < count && code != EXIT_FAILED; i++) {
        const struct playback playback = {.command = command, .file = path[i]};
        const int one =
            check_playback(&playback, (uint64_t)o->draw, &o->check, count > 1 ? path[i] : NULL);
        code = one == EXIT_FINE ? code : one;
    }
    return code;
}

/* ---- frames ---- */

/* Completes the range of frames from the number of frames in the recording (0: not known). */
static int check_frames(const struct command *command, struct options *o, const char *path,
                        uint64_t have) {
    if (!o->out && !o->stream)
        return command_usage(command, "--frames goes with -o DIR or --stdout");
    if (!o->frames.step)
        o->frames = (struct frame_range){0, have ? have - 1 : 0, 1, true};
    o->frames.numbered = true;
    if (!have || o->frames.last < have)
        return EXIT_FINE;
    return command_usage(command, "--frames: %s has frames 0 to %llu", path,
                         (unsigned long long)have - 1);
}

static int replay_frames(const struct command *command, struct options *o, const char *path,
                         const struct job_runner *runner) {
    char name[256], identity[512], why[1024];
    struct recording_work work;
    int code = check_job_options(command, &(struct job_options){.stream = o->stream,
                                                                .movie = o->movie,
                                                                .format = o->format,
                                                                .resume = o->resume,
                                                                .numbered = true});
    if (code != EXIT_FINE)
        return code;
    const uint64_t have = record_count_frames(path, o->every_flush, why, sizeof why);
    if ((code = check_frames(command, o, path, have)) != EXIT_FINE)
        return code;
    if (runner->start)
        runner->start(runner->self);
    name_of(path, name, sizeof name);
    snprintf(identity, sizeof identity, "%s %s%s", name, o->every_flush ? "flushes " : "",
             o->format ? o->format : "png");
    const struct recording_options options = {
        .command = command,
        .path = path,
        .frames = o->frames,
        .all = !runner->splits || o->split,
        .info = device_info(o),
        .every_flush = o->every_flush,
        .floats = !o->stream && picture_format(o->format) == PICTURE_EXR,
        .band_rows = o->split ? SPLIT_ROWS : 0,
    };
    recording_work_open(&work, &options);
    const struct job job = {
        .command = command,
        .work = have ? &work.work : NULL, /* a rank that lacks the file leaves the work to others */
        .folder = o->out,
        .name = name,
        .frames = o->frames,
        .format = o->stream ? PICTURE_Y4M : picture_format(o->format),
        .rate = 30,
        .resume = o->resume,
        .stream = o->stream,
        .identity = identity,
        .movie = o->movie,
        .split = o->split,
    };
    code = runner->run(runner->self, &job, have ? NULL : why);
    recording_work_close(&work);
    return code;
}

static bool takes_frames(const struct options *o) {
    return o->frames.step || o->every_flush || o->stream || o->movie;
}

/* Returns EXIT_USAGE after a message if an option would have no effect. */
static int check_outputs(const struct command *command, const struct options *o) {
    const char *const modes[] = {o->check.check ? "--check" : NULL, o->hash ? "--hash" : NULL,
                                 takes_frames(o) ? "--frames" : NULL, o->html ? "--html" : NULL};
    const char *mode = NULL;
    for (int i = 0; i < 4; i++) {
        if (mode && modes[i])
            return command_usage(command, "%s goes without %s", modes[i], mode);
        mode = mode ? mode : modes[i];
    }
    if (o->calls && !o->hash)
        return command_usage(command, "--calls goes with --hash");
    const char *const alone = o->timeline                              ? "--timeline"
                              : o->native                              ? "--native"
                              : o->log                                 ? "--log"
                              : o->out && !takes_frames(o)             ? "-o"
                              : o->draw && !o->check.check && !o->html ? "--draw"
                              : o->fast && (o->check.check || o->html) ? "--fast"
                                                                       : NULL;
    if (mode && alone)
        return command_usage(command, "%s goes without %s", alone, mode);
    if ((o->resume || o->format) && !takes_frames(o))
        return command_usage(command, "%s goes with --frames", o->resume ? "--resume" : "--format");
    return EXIT_FINE;
}

COMMAND(replay) {
    return replay_with(&job_alone, argc, argv);
}

int replay_with(const struct job_runner *runner, int argc, char **argv) {
    struct options o = {.threads = runner->threads};
    const struct option_spec options[] = {
        {"-o", "DIR", OPTION_TEXT, &o.out, "write the last targets there: color0.png ... zeta.png"},
        {"--html", "DIR", OPTION_TEXT, &o.html,
         "write a report there: draws, state, programs, textures"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "stop after draw number N"},
        {"--frames", "A-B[/STEP]", OPTION_FRAMES, &o.frames,
         "pictures of frames A to B as the window system got them, into DIR/NAME-0000.png ..."},
        {"--every-flush", NULL, OPTION_FLAG, &o.every_flush, "each submission is a frame"},
        JOB_OPTIONS(o),
        THREADS_OPTION(&o.threads),
        SIMD_OPTION(&o.simd),
        ENGINE_OPTION(&o.engine),
        FAST_OPTION(&o.fast),
        {"--hash", NULL, OPTION_FLAG, &o.hash,
         "a line for each recording: a hash of all memory, and its name"},
        {"--calls", "FILE", OPTION_TEXT, &o.calls,
         "with --hash: operations that native code left to handlers, a line per recording"},
        {"--native", NULL, OPTION_FLAG, &o.native,
         "print the time to make native code of the programs"},
        {"--log", "LEVEL", OPTION_LOG, &o.log,
         "error, warning (default), info or debug (every method and program)"},
        CHECK_OPTIONS(o.check),
        {"--timeline", "FILE", OPTION_TEXT, &o.timeline,
         "what each thread did, for trace viewers (ui.perfetto.dev)"},
        {runner->splits ? "--split" : NULL, NULL, OPTION_FLAG, &o.split,
         "tiles of each picture on all ranks"},
        {0},
    };
    const struct command command = {
        "replay",
        "FILE [options]",
        "Replays a command stream recorded by `teslapipe gl --record FILE`.\n"
        "Exit codes of --frames: 0 complete, 3 incomplete (--resume goes on), 1 error, 2 usage.",
        options,
        "teslapipe replay frames.tpr -o pictures\n"
        "teslapipe replay --hash *.tpr\n"
        "teslapipe replay frames.tpr --html report",
    };
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0 || (code = check_options_hold(&command, &o.check)) != EXIT_FINE ||
        (code = check_outputs(&command, &o)) != EXIT_FINE)
        return code;
    if (o.check.check && count)
        return check_recordings(&command, argv + 1, count, &o);
    for (int i = 1; o.hash && i <= count && code != EXIT_FAILED; i++)
        code = hash_recording(&command, argv[i], &o);
    if (o.hash && count)
        return code;
    if (count != 1)
        return command_usage(&command, "takes one recording (see --help)");
    if (takes_frames(&o))
        return replay_frames(&command, &o, argv[1], runner);
    if (runner->splits)
        return command_usage(&command, "which frames? (--frames A-B)");
    if (o.html) {
        const struct playback playback = {.command = &command, .file = argv[1]};
        return report_write(&playback, (uint64_t)o.draw, o.html);
    }
    return replay_recording(&command, argv[1], &o);
}
