/* teslapipe render: draws scenes into PNG files, one per frame, without a display.
 */
#include "tools/png.h"
#include "tools/tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder = ".";
static struct size size = {1280, 720};
static int frames = 1;
static double start_time = 2.5, rate = 30;
static struct device_options device_options;
static struct demo_options demo_options;
static bool wireframe;

static const struct option_spec options[] = {
    {"-o", "DIR", OPTION_TEXT, &folder, "folder for the files, made if missing (.)"},
    {"--size", "WxH", OPTION_SIZE, &size, "pixels (1280x720)"},
    {"--frames", "N", OPTION_COUNT, &frames, "pictures per scene (1)"},
    {"--time", "T", OPTION_TIME, &start_time, "seconds at the first picture (2.5)"},
    {"--fps", "F", OPTION_PERIOD, &rate, "pictures per second of the scene's time (30)"},
    {"--model", "FILE", OPTION_TEXT, &demo_options.model, "for the model scene"},
    {"--wireframe", NULL, OPTION_FLAG, &wireframe, "polygons as lines"},
    THREADS_OPTION(&device_options.threads),
    SIMD_OPTION(&device_options.simd),
    ENGINE_OPTION(&device_options.engine),
    {0},
};
static const struct command command = {
    "render",
    "SCENE... -o DIR [options]",
    "Draws scenes (all = every one) into DIR/SCENE.png, or DIR/SCENE-0000.png ... with --frames.",
    options,
};

static bool render_frame(struct demo *demo, struct frame_target *target, int number) {
    char path[4096], message[4400];
    if (!frame_target_draw(target, demo, start_time + number / rate, (struct demo_orbit){0},
                           wireframe)) {
        command_failed(&command, "%s", demo->message);
        return false;
    }
    if (frames > 1)
        snprintf(path, sizeof path, "%s/%s-%04d.png", folder, demo->scene->name, number);
    else
        snprintf(path, sizeof path, "%s/%s.png", folder, demo->scene->name);
    if (!write_png(path, size.width, size.height, target->pixels, message, sizeof message)) {
        command_failed(&command, "%s", message);
        return false;
    }
    if (frames == 1)
        printf("%s\n", path);
    return true;
}

static bool render_scene(tp_device *device, struct frame_target *target,
                         const struct demo_scene *scene) {
    struct demo demo;
    bool ok = demo_open(&demo, device, scene, &demo_options);
    if (!ok)
        command_failed(&command, "%s", demo.message);
    for (int i = 0; ok && i < frames; i++) {
        ok = render_frame(&demo, target, i);
        if (frames > 1)
            progress_show(scene->name, i + 1, frames);
    }
    demo_close(&demo);
    return ok;
}

static bool render_all(tp_device *device, struct frame_target *target, int count, char **names) {
    bool ok = true;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < demo_scene_count; k++)
            if (strcmp(names[i], "all") == 0 || strcmp(names[i], demo_scenes[k]->name) == 0)
                ok &= render_scene(device, target, demo_scenes[k]);
    return ok;
}

int cmd_render(int argc, char **argv);
int cmd_render(int argc, char **argv) {
    int code, count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count == 0)
        return command_usage(&command, "which scene? (all = every one; see --help)");
    for (int i = 1; i <= count; i++)
        if (strcmp(argv[i], "all") != 0 && !command_scene(&command, argv[i]))
            return EXIT_USAGE;
    if (!command_model_used(&command, demo_options.model, count, argv + 1))
        return EXIT_USAGE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return command_failed(&command, "%s: %s", folder, strerror(errno));
    tp_device *device = command_device(&command, &device_options, &code);
    if (!device)
        return code;
    struct frame_target target;
    const char *why;
    bool ok = frame_target_create(&target, device, size, &why);
    if (!ok)
        command_failed(&command, "no memory for a %ux%u target: %s", size.width, size.height, why);
    else
        ok = render_all(device, &target, count, argv + 1);
    frame_target_destroy(&target);
    tp_device_destroy(device);
    return ok ? EXIT_FINE : EXIT_FAILED;
}
