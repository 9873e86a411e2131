/* teslapipe render: draws scenes without a display, into a file for each frame or into a stream. */
#include "tools/cmd_render.h"

#include "tools/check_report.h"
#include "tools/scene_work.h"

struct options {
    const char *folder, *format, *stream, *movie;
    struct frame_range frames;
    bool resume, split;
    struct scene_options scene;
    struct device_options device;
    struct check_options check;
};

/* Writes the options that change the pictures. Threads, SIMD level and engine do not change
 * them. */
static void identify(const struct options *o, const struct demo_scene *scene, char *text,
                     size_t size) {
    const struct scene_options *s = &o->scene;
    snprintf(text, size, "%s %ux%u time %.17g fps %.17g %s%s%s%s%s", scene->name, s->size.width,
             s->size.height, s->start_time, s->rate, o->format ? o->format : "png",
             s->wireframe ? " wireframe" : "", s->demo.model ? " model " : "",
             s->demo.model ? s->demo.model : "", o->device.fast ? " fast" : "");
}

static int render_scene(const struct command *command, const struct options *o, tp_device *device,
                        const struct demo_scene *scene, const struct job_runner *runner) {
    char why[1024], identity[2048];
    struct scene_work work;
    identify(o, scene, identity, sizeof identity);
    const bool open = device && scene_work_open(&work, device, scene, &o->scene, why, sizeof why);
    if (!device)
        snprintf(why, sizeof why, "no device");
    const struct job job = {
        .command = command,
        .work = open ? &work.work : NULL,
        .folder = o->folder ? o->folder : ".",
        .name = scene->name,
        .frames = o->frames,
        .format = o->stream ? PICTURE_Y4M : picture_format(o->format),
        .rate = o->scene.rate,
        .resume = o->resume,
        .stream = o->stream,
        .identity = identity,
        .movie = o->movie,
        .split = o->split,
    };
    const int code = runner->run(runner->self, &job, open ? NULL : why);
    if (code == EXIT_FINE && !o->frames.numbered && !o->stream && runner->prints) {
        char path[PATH_MAX];
        job_frame_path(&job, 0, path, sizeof path);
        printf("%s\n", path);
    }
    if (device)
        scene_work_close(&work);
    return code;
}

/* Returns the device of the scene `before` if `scene` has the same chip, else a new device in its
 * place. */
static tp_device *fitting_device(const struct command *command, const struct options *o,
                                 tp_device *device, const struct demo_scene *before,
                                 const struct demo_scene *scene, int *code) {
    if (device && before->chip == scene->chip)
        return device;
    tp_device_destroy(device);
    return command_scene_device(command, &o->device, scene, code);
}

/* If a scene fails, the others are still drawn. If no device can be made for a scene, the command
 * ends, except under MPI. */
static int render_all(const struct command *command, const struct options *o, int count,
                      char **names, const struct job_runner *runner) {
    const struct demo_scene *before = NULL;
    tp_device *device = NULL;
    int code = EXIT_FINE, why = EXIT_FAILED;
    for (int i = 0; i < count * demo_scene_count && !job_stopped(); i++) {
        const struct demo_scene *scene = demo_scenes[i % demo_scene_count];
        const char *name = names[i / demo_scene_count];
        if (strcmp(name, "all") != 0 && strcmp(name, scene->name) != 0)
            continue;
        device = fitting_device(command, o, device, before, scene, &why);
        /* under MPI each rank takes part in the job, if only to report its failure */
        if (!device && !runner->splits)
            return why;
        const int one = render_scene(command, o, device, scene, runner);
        code = code == EXIT_FINE || one == EXIT_FAILED ? one : code;
        before = scene;
    }
    tp_device_destroy(device);
    return code;
}

/* Checks all programs in the first frame of each scene; writes no picture. */
static int check_scenes(const struct command *command, const struct options *o, int count,
                        char **names) {
    int code = EXIT_FINE;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < demo_scene_count; k++) {
            const struct playback playback = {.command = command,
                                              .scene = demo_scenes[k],
                                              .size = o->scene.size,
                                              .time = o->scene.start_time,
                                              .wireframe = o->scene.wireframe};
            if (strcmp(names[i], "all") != 0 && strcmp(names[i], demo_scenes[k]->name) != 0)
                continue;
            const int one = check_playback(&playback, 0, &o->check, demo_scenes[k]->name);
            code = one == EXIT_FINE || code == EXIT_FAILED ? code : one;
        }
    return code;
}

static int check_options(const struct command *command, const struct options *o, int count,
                         char **names) {
    if (count == 0)
        return command_usage(command, "which scene? (all = every one; see --help)");
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], "all") != 0 && !command_scene(command, names[i]))
            return EXIT_USAGE;
    if (!command_model_used(command, o->scene.demo.model, count, names) ||
        check_options_hold(command, &o->check) != EXIT_FINE)
        return EXIT_USAGE;
    const char *const draws = o->folder             ? "-o"
                              : o->frames.step      ? "--frames"
                              : o->format           ? "--format"
                              : o->stream           ? "--stdout"
                              : o->movie            ? "--movie"
                              : o->resume           ? "--resume"
                              : o->scene.demo.model ? "--model"
                              : o->device.fast      ? "--fast"
                              : o->split            ? "--split"
                                                    : NULL;
    const bool many = count != 1 || strcmp(names[0], "all") == 0;
    if (o->check.check && draws)
        return command_usage(command, "%s goes without --check", draws);
    if (o->check.json && many)
        return command_usage(command, "--json is for one scene");
    return check_job_options(command, &(struct job_options){.stream = o->stream,
                                                            .movie = o->movie,
                                                            .format = o->format,
                                                            .resume = o->resume,
                                                            .numbered = o->frames.numbered,
                                                            .many = many});
}

int render_with(const struct job_runner *runner, int argc, char **argv) {
    struct options o = {.scene = {.size = {1280, 720}, .start_time = 2.5, .rate = 30},
                        .device = {.threads = runner->threads}};
    const struct option_spec options[] = {
        {"-o", "DIR", OPTION_TEXT, &o.folder, "folder for the files, made if missing (.)"},
        {"--size", "WxH", OPTION_POSTER, &o.scene.size, "pixels, up to 32768x32768 (1280x720)"},
        {"--frames", "A-B[/STEP]", OPTION_FRAMES, &o.frames,
         "pictures per scene: numbers A to B, or N: 0 to N-1 (1)"},
        JOB_OPTIONS(o),
        {"--time", "T", OPTION_TIME, &o.scene.start_time, "seconds at picture 0 (2.5)"},
        {"--fps", "F", OPTION_PERIOD, &o.scene.rate,
         "pictures per second of the scene's time (30)"},
        {"--model", "FILE", OPTION_TEXT, &o.scene.demo.model, "file for the scene model"},
        {"--wireframe", NULL, OPTION_FLAG, &o.scene.wireframe, "polygons as lines"},
        THREADS_OPTION(&o.device.threads),
        SIMD_OPTION(&o.device.simd),
        ENGINE_OPTION(&o.device.engine),
        FAST_OPTION(&o.device.fast),
        CHECK_OPTIONS(o.check),
        {runner->splits ? "--split" : NULL, NULL, OPTION_FLAG, &o.split,
         "tiles of each picture on all ranks"},
        {0},
    };
    const struct command command = {
        "render",
        "SCENE... -o DIR [options]",
        "Draws scenes (all = every one) into DIR/SCENE.png, or DIR/SCENE-0000.png ... with "
        "--frames.\nExit codes: 0 complete, 3 incomplete (--resume goes on), 1 error, 2 usage.",
        options,
        "teslapipe render teapot -o .\n"
        "teslapipe render all --size 1280x720 -o gallery\n"
        "teslapipe render lights --frames 0-99 --movie lights.mp4 -o frames",
    };
    COMMAND_PARSE(code, count);
    if ((code = check_options(&command, &o, count, argv + 1)) != EXIT_FINE)
        return code;
    if (o.check.check)
        return check_scenes(&command, &o, count, argv + 1);
    if (!o.frames.step)
        o.frames = (struct frame_range){0, 0, 1, false};
    if (runner->start)
        runner->start(runner->self);
    o.scene.floats = !o.stream && picture_format(o.format) == PICTURE_EXR;
    o.scene.band_rows = o.split ? SPLIT_ROWS : 0;
    return render_all(&command, &o, count, argv + 1, runner);
}

COMMAND(render) {
    return render_with(&job_alone, argc, argv);
}
