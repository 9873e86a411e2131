/* Shared by the subcommands (tools/tool.h): option parsing, messages, the device, the target, the
 * interactive program. Knows the public API, demos/ and base/simd.h; must not know a subcommand.
 */
#include "tools/tool.h"

#include "base/simd.h"
#include "tools/help.h"
#include "tools/picture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Options ------------------------------------------------------------------------------ */

const char *command_program = "teslapipe";

static void report_usage(const struct command *command, const char *format, va_list args) {
    fprintf(stderr, "%s %s: ", command_program, command->name);
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

/* Parses a number without sign; strtoull() takes -1 for a large number. */
static bool parse_whole(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

bool word_from_text(const char *text, uint32_t *word) {
    char *end;
    if (strchr(text, '.')) {
        const float f = strtof(text, &end);
        memcpy(word, &f, 4);
    } else {
        const long long n = strtoll(text, &end, 0);
        if (n < INT32_MIN || n > UINT32_MAX)
            return false;
        *word = (uint32_t)n;
    }
    return end != text && *end == '\0';
}

static bool parse_size(const char *text, uint32_t most, struct size *size) {
    unsigned w, h;
    char rest;
    if (strspn(text, "0123456789x") != strlen(text) ||
        sscanf(text, "%5ux%5u%c", &w, &h, &rest) != 2)
        return false;
    *size = (struct size){w, h};
    return w >= 1 && h >= 1 && w <= most && h <= most;
}

uint64_t frame_count(const struct frame_range *r) {
    return (r->last - r->first) / (r->step ? r->step : 1) + 1;
}

uint64_t frame_number(const struct frame_range *r, uint64_t index) {
    return r->first + index * r->step;
}

/* Parses "20" (frames 0 to 19), "5-9" (frames 5 to 9) or "5-9/2" (frames 5, 7 and 9). Returns NULL,
 * or the end of a message. */
static const char *parse_frames(const char *text, struct frame_range *r) {
    static const char right[] = "must be a number of frames, FIRST-LAST or FIRST-LAST/STEP";
    uint64_t number[3] = {0, 0, 1};
    int n = 0;
    for (char *end; n < 3; text = end + 1) {
        number[n++] = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9')
            return right;
        if (number[n - 1] > 999999999)
            return "must have numbers up to 999999999";
        if (!*end)
            break;
        if (*end != (n == 1 ? '-' : '/') || n == 3)
            return right;
    }
    const uint64_t first = number[0], last = number[1], step = number[2];
    if (n == 1) {
        *r = (struct frame_range){0, first - 1, 1, first > 1};
        return first ? NULL : "is an empty range";
    }
    if (!step)
        return right;
    if (first > last)
        return "is an empty range: the first frame is behind the last";
    *r = (struct frame_range){first, last, step, true};
    return NULL;
}

static const struct option_range {
    enum {
        STORE_FLAG,
        STORE_TEXT,
        STORE_SIZE,
        STORE_FRAMES,
        STORE_EACH,
        STORE_INT,
        STORE_DOUBLE,
        STORE_WHOLE
    } as;
    double least, most;
    const char *choices;
} option_ranges[] = {
#define RANGE(kind, as, ...) [OPTION_##kind] = {STORE_##as, __VA_ARGS__},
    OPTION_KINDS(RANGE)};

const char *option_choices(enum option_kind kind) {
    return option_ranges[kind].choices;
}

static bool is_choice(const char *choices, const char *text) {
    const size_t length = strlen(text);
    for (const char *c = choices; *c; c += strspn(c, " ")) {
        const size_t next = strcspn(c, " ");
        if (next == length && strncmp(c, text, length) == 0)
            return true;
        c += next;
    }
    return false;
}

/* Stores the value of text in *value. Returns NULL, or a description of valid values if text is not
 * valid. right[] may hold the description. */
static const char *store_option(enum option_kind kind, void *value, const char *text, char *right,
                                size_t size) {
    const struct option_range *r = &option_ranges[kind];
    uint64_t whole;
    double number;
    switch (r->as) {
    case STORE_FLAG:
        *(bool *)value = true;
        return NULL;
    case STORE_TEXT:
        *(const char **)value = text;
        snprintf(right, size, "must be one of: %s", r->choices);
        return !r->choices || is_choice(r->choices, text) ? NULL : right;
    case STORE_SIZE:
        snprintf(right, size, "must be WIDTHxHEIGHT, each from 1 to %.0f", r->most);
        return parse_size(text, (uint32_t)r->most, value) ? NULL : right;
    case STORE_FRAMES:
        return parse_frames(text, value);
    case STORE_EACH:
        return ((const struct option_call *)value)
            ->take(((const struct option_call *)value)->self, text);
    case STORE_INT:
        snprintf(right, size, "must be a whole number from %.0f to %.0f", r->least, r->most);
        if (!parse_number(text, &number) || number < r->least || number > r->most ||
            number != (int)number)
            return right;
        *(int *)value = (int)number;
        return NULL;
    case STORE_DOUBLE:
        if (!parse_number(text, &number))
            return "not a number";
        snprintf(right, size, "must be a number from %.10g to %.10g", r->least, r->most);
        if (number < r->least || number > r->most)
            return right;
        *(double *)value = number;
        return NULL;
    case STORE_WHOLE:
        if (!parse_whole(text, &whole))
            return "not a number, as 12 or 0x1f";
        snprintf(right, size, "must be from %.0f to %.0f", r->least, r->most);
        if ((double)whole < r->least || (double)whole > r->most)
            return right;
        if (kind == OPTION_WORD)
            *(uint32_t *)value = (uint32_t)whole;
        else
            *(uint64_t *)value = whole;
        return NULL;
    }
    return "no option";
}

/* Stores the value of an option. Returns false after a message that names valid values. */
static bool give_option(const struct command *command, const struct option_spec *o,
                        const char *text) {
    char buffer[256];
    const char *right = store_option(o->kind, o->value, text, buffer, sizeof buffer);
    if (right)
        command_usage(command, "%s %s: %s", o->name, text, right);
    return !right;
}

static const struct option_spec *find_option(const struct command *command, const char *name,
                                             size_t length) {
    for (const struct option_spec *o = command->options; o->name; o++)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

/* Takes the option at argv[*i] with its arguments; *i becomes the index of the last argument.
 * Returns false with *exit_code set, after a message or after the help. */
static bool take_option(const struct command *command, int argc, char **argv, int *i,
                        int *exit_code) {
    const char *const option = argv[*i];
    const bool wants_help = strncmp(option, "--help", 6) == 0 || strcmp(option, "-h") == 0;
    const char *const format = wants_help && option[2] && option[6] == '=' ? option + 7 : NULL;
    if (wants_help && (!option[2] || !option[6] || format) && help_print(command, format)) {
        *exit_code = EXIT_FINE;
        return false;
    }
    const char *equals = strncmp(option, "--", 2) == 0 ? strchr(option, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - option) : strlen(option);
    const struct option_spec *o = find_option(command, option, length);
    if (!o || (equals && o->kind == OPTION_FLAG)) {
        command_usage(command, "unknown option %s (see %s %s --help)", option, command_program,
                      command->name);
        return false;
    }
    const char *text = equals ? equals + 1 : NULL;
    if (o->kind != OPTION_FLAG && !text) {
        if (*i + 1 == argc) {
            command_usage(command, "%s needs %s", o->name, o->argument);
            return false;
        }
        text = argv[++*i];
    }
    if (!give_option(command, o, text))
        return false;
    const struct option_call *call = o->kind == OPTION_EACH ? o->value : NULL;
    while (call && call->more && *i + 1 < argc && call->more(argv[*i + 1]))
        if (!give_option(command, o, argv[++*i]))
            return false;
    return true;
}

int command_parse(const struct command *command, int argc, char **argv, int *exit_code) {
    int positional = 0;
    *exit_code = EXIT_USAGE;
    bool options = true;
    for (int i = 1; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (!options || argv[i][0] != '-' || argv[i][1] == '\0')
            argv[1 + positional++] = argv[i];
        else if (!take_option(command, argc, argv, &i, exit_code))
            return -1;
    }
    return positional;
}

int command_parse_program(const struct command *command, int argc, char **argv, int *exit_code) {
    int i = 1;
    *exit_code = EXIT_USAGE;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
        if (!take_option(command, argc, argv, &i, exit_code))
            return -1;
    }
    return i;
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

bool command_model_used(const struct command *command, const char *model, int count, char **names) {
    for (int i = 0; model && i < count; i++)
        if (strcmp(names[i], "model") == 0 || strcmp(names[i], "all") == 0)
            return true;
    if (model)
        command_usage(command, "--model %s: only the scene model loads one", model);
    return !model;
}

/* ---- Device and target -------------------------------------------------------------------- */

/* Prints warnings only. Commands print errors themselves, from the result of the failed call. */
void command_log(void *, int level, const char *line) {
    if (level == 1)
        fprintf(stderr, "teslapipe: warning: %s\n", line);
}

tp_device *command_device(const struct command *command, const struct device_options *options,
                          int *exit_code) {
    tp_device *device = NULL;
    struct tp_device_info info = {.chip = options->chip ? options->chip : TP_CHIP_GT215,
                                  .threads = options->threads,
                                  .simd = options->simd,
                                  .engine = options->engine,
                                  .memory = options->memory,
                                  .arithmetic =
                                      options->fast ? TP_ARITHMETIC_FAST : TP_ARITHMETIC_EXACT,
                                  .log = command_log};
    enum tp_result result = tp_device_create(&info, &device);
    if (result == TP_OK)
        return device;
    command_failed(command, "%s", tp_message(NULL));
    *exit_code = result == TP_ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    return NULL;
}

tp_device *command_scene_device(const struct command *command, const struct device_options *options,
                                const struct demo_scene *scene, int *exit_code) {
    struct device_options with = *options;
    with.chip = scene->chip;
    return command_device(command, &with, exit_code);
}

bool frame_target_create(struct frame_target *target, tp_device *device, struct size size,
                         const char **why) {
    struct tp_texture_info info = {.kind = TP_TEXTURE_2D,
                                   .format = TP_FORMAT_RGBA8,
                                   .width = size.width,
                                   .height = size.height};
    *target = (struct frame_target){.size = size};
    bool ok = tp_texture_create(device, &info, &target->color) == TP_OK;
    info.format = TP_FORMAT_Z24S8;
    ok = ok && tp_texture_create(device, &info, &target->zeta) == TP_OK;
    *why = ok ? "out of memory" : tp_message(device);
    if (ok && (target->pixels = malloc((size_t)size.width * size.height * 4)))
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

/* ---- Starting another program ------------------------------------------------------------- */

bool own_path(char path[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
}

bool own_folder(char folder[PATH_MAX]) {
    const bool known = own_path(folder);
    if (known)
        *strrchr(folder, '/') = 0;
    return known;
}

int run_interactive(int argc, char **argv) {
    char path[PATH_MAX + sizeof INTERACTIVE_PROGRAM];
    char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
    if (arguments && own_path(path)) {
        strcpy(strrchr(path, '/') + 1, INTERACTIVE_PROGRAM);
        arguments[0] = path;
        memcpy(arguments + 1, argv, (size_t)argc * sizeof *arguments);
        execv(path, arguments);
    }
    fprintf(stderr, "teslapipe %s: %s, beside this program: %s%s\n", argv[0], INTERACTIVE_PROGRAM,
            strerror(errno), errno == ENOENT ? "; Debian's package teslapipe-gl has it" : "");
    free(arguments);
    return EXIT_FAILED;
}

/* ---- Others ------------------------------------------------------------------------------- */

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
