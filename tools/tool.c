/* Shared by the subcommands (tools/tool.h): option parsing, messages, the device, the target, the
 * progress bar. Knows the public API and demos/; must not know a subcommand.
 */
#include "tools/tool.h"

#include "base/simd.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Options ------------------------------------------------------------------------------ */

static void print_help(const struct command *command) {
    printf("usage: teslapipe %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    printf("\noptions:\n");
    for (const struct option_spec *o = command->options; o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-18s %s\n", left, o->help);
    }
    printf("  %-18s %s\n", "--help", "this text");
}

static void report_usage(const struct command *command, const char *format, va_list args) {
    fprintf(stderr, "teslapipe %s: ", command->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int command_usage(const struct command *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report_usage(command, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int command_failed(const struct command *command, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report_usage(command, format, args);
    va_end(args);
    return EXIT_FAILED;
}

int command_simd(const struct command *command, const char *name) {
    const int level = name ? simd_from_name(name) : (int)simd_best();
    if (level >= 0 && level <= (int)simd_best())
        return level;
    command_usage(command, "--simd %s: this CPU runs base up to %s", name, simd_name(simd_best()));
    return -1;
}

static bool parse_number(const char *text, double *value) {
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && *value > -1e9 && *value < 1e9;
}

static bool parse_size(const char *text, struct size *size) {
    unsigned w, h;
    char rest;
    if (strspn(text, "0123456789x") != strlen(text) ||
        sscanf(text, "%5ux%5u%c", &w, &h, &rest) != 2)
        return false;
    *size = (struct size){w, h};
    return w >= 1 && h >= 1 && w <= MAX_SIZE && h <= MAX_SIZE;
}

/* Stores text in *o->value; false after a message that names valid values. */
static bool store_option(const struct command *command, const struct option_spec *o,
                         const char *text) {
    double number;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        return true;
    case OPTION_TEXT:
        *(const char **)o->value = text;
        return true;
    case OPTION_COUNT:
        if (parse_number(text, &number) && number >= 1 && number <= 1e6 && number == (int)number) {
            *(int *)o->value = (int)number;
            return true;
        }
        command_usage(command, "%s %s: must be a whole number from 1 to 1000000", o->name, text);
        return false;
    case OPTION_NUMBER:
        if (parse_number(text, (double *)o->value))
            return true;
        command_usage(command, "%s %s: not a number", o->name, text);
        return false;
    case OPTION_SIZE:
        if (parse_size(text, o->value))
            return true;
        command_usage(command, "%s %s: must be WIDTHxHEIGHT, each from 1 to %d", o->name, text,
                      MAX_SIZE);
        return false;
    }
    return false;
}

static const struct option_spec *find_option(const struct command *command, const char *name,
                                             size_t length) {
    for (const struct option_spec *o = command->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

int command_parse(const struct command *command, int argc, char **argv, int *exit_code) {
    int positional = 0;
    *exit_code = EXIT_USAGE;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[1 + positional++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--help") == 0) {
            print_help(command);
            *exit_code = EXIT_FINE;
            return -1;
        }
        const char *equals = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
        size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const struct option_spec *o = find_option(command, argv[i], length);
        if (!o || (equals && o->kind == OPTION_FLAG)) {
            command_usage(command, "unknown option %s (see teslapipe %s --help)", argv[i],
                          command->name);
            return -1;
        }
        const char *text = equals ? equals + 1 : NULL;
        if (o->kind != OPTION_FLAG && !text) {
            if (i + 1 == argc) {
                command_usage(command, "%s needs %s", o->name, o->argument);
                return -1;
            }
            text = argv[++i];
        }
        if (!store_option(command, o, text))
            return -1;
    }
    return positional;
}

const struct demo_scene *command_scene(const struct command *command, const char *name) {
    const struct demo_scene *scene = demo_find(name);
    if (scene)
        return scene;
    char list[512] = "";
    for (int i = 0; i < demo_scene_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", demo_scenes[i]->name);
    }
    command_usage(command, "no scene named %s; there are:%s", name, list);
    return NULL;
}

/* ---- Device and target -------------------------------------------------------------------- */

/* Results report failures; each command prints them once, with its own name. */
static void ignore_log(void *self, int level, const char *line) {
    (void)self;
    (void)level;
    (void)line;
}

tp_device *command_device(const struct command *command, const struct device_options *options,
                          int *exit_code) {
    tp_device *device = NULL;
    struct tp_device_info info = {.chip = TP_CHIP_GT215,
                                  .threads = options->threads,
                                  .simd = options->simd,
                                  .engine = options->engine,
                                  .memory = options->memory,
                                  .log = ignore_log};
    enum tp_result result = tp_device_create(&info, &device);
    if (result == TP_OK)
        return device;
    command_failed(command, "%s", tp_message(NULL));
    *exit_code = result == TP_ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    return NULL;
}

bool frame_target_create(struct frame_target *target, tp_device *device, struct size size) {
    struct tp_texture_info info = {.kind = TP_TEXTURE_2D,
                                   .format = TP_FORMAT_RGBA8,
                                   .width = size.width,
                                   .height = size.height};
    *target = (struct frame_target){.size = size};
    if (tp_texture_create(device, &info, &target->color) != TP_OK)
        return false;
    info.format = TP_FORMAT_Z24S8;
    if (tp_texture_create(device, &info, &target->zeta) == TP_OK &&
        (target->pixels = malloc((size_t)size.width * size.height * 4)))
        return true;
    frame_target_destroy(target);
    return false;
}

void frame_target_destroy(struct frame_target *target) {
    tp_texture_destroy(target->color);
    tp_texture_destroy(target->zeta);
    free(target->pixels);
    *target = (struct frame_target){0};
}

bool frame_target_draw(struct frame_target *target, struct demo *demo, double time,
                       struct demo_orbit orbit, bool wireframe) {
    struct demo_frame frame = {
        .color = target->color,
        .zeta = target->zeta,
        .width = target->size.width,
        .height = target->size.height,
        .time = time,
        .orbit = orbit,
        .wireframe = wireframe,
    };
    if (!demo_draw(demo, &frame))
        return false;
    return demo_check(demo, tp_finish(demo->context)) &&
           demo_check(demo, tp_texture_read_rgba8(demo->context, target->color, target->pixels));
}

/* ---- The other program -------------------------------------------------------------------- */

int run_interactive(int argc, char **argv) {
    char path[PATH_MAX + sizeof INTERACTIVE_PROGRAM];
    char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (arguments && length > 0) {
        path[length] = 0;
        strcpy(strrchr(path, '/') + 1, INTERACTIVE_PROGRAM);
        arguments[0] = path;
        memcpy(arguments + 1, argv, (size_t)argc * sizeof *arguments);
        execv(path, arguments);
    }
    fprintf(stderr, "teslapipe %s: %s, beside this program: %s\n", argv[0], INTERACTIVE_PROGRAM,
            strerror(errno));
    free(arguments);
    return EXIT_FAILED;
}

/* ---- Others ------------------------------------------------------------------------------- */

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_show(const char *what, int done, int total) {
    enum { WIDTH = 40 };
    if (!isatty(STDERR_FILENO))
        return;
    int filled = (int)((long)done * WIDTH / total);
    fprintf(stderr, "\r%-12s [%.*s%*s] %d/%d%s", what, filled,
            "########################################", WIDTH - filled, "", done, total,
            done == total ? "\n" : "");
    fflush(stderr);
}
