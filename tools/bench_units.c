/* teslapipe bench units: how much of each kind of work the parts of the pipeline do in a second,
 * one core (by processor time) and all of them (by the clock). The rows are in units_*.c.
 */
#include "tools/tool.h"
#include "tools/units.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

int cmd_bench_units(int argc, char **argv);

static const struct unit_group *const groups[] = {&unit_vertices, &unit_triangles, &unit_pixels,
                                                  &unit_draws};
enum { GROUPS = sizeof groups / sizeof *groups };

static const char *simd, *engine = "native";
static double seconds = 0.3;
static int threads;

static const struct option_spec options[] = {
    {"--threads", "N", OPTION_COUNT, &threads, "only this many (1, then one per CPU)"},
    {"--simd", "LEVEL", OPTION_TEXT, &simd, "base, avx2 or avx512 (the best)"},
    {"--engine", "NAME", OPTION_TEXT, &engine, "interp or native (native)"},
    {"--seconds", "S", OPTION_NUMBER, &seconds, "to measure each row for (0.3)"},
    {0},
};
static const struct command command = {
    "bench units",
    "[GROUP | ROW...] [options]",
    "Measures parts of the pipeline on their own (none named = all). Columns: what one thread "
    "does\n"
    "in a second of processor time, and what all threads do in a second by the clock.",
    options,
};

bool unit_program(struct unit *u, enum tp_stage stage, const char *text) {
    return tp_program_from_text(u->device, stage, text, "unit", &u->program[stage]) == TP_OK &&
           tp_bind_program(u->context, stage, u->program[stage]) == TP_OK;
}

bool unit_passes_color(struct unit *u) {
    static const char vertex[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\n"
        "exit mov b32 o[0x1c] a[0x1c]\n";
    static const char fragment[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\ninterp $r2 v[0xc] $r4\n"
        "interp $r3 v[0x10] $r4\nexit nop\n";
    return unit_program(u, TP_VERTEX, vertex) && unit_program(u, TP_FRAGMENT, fragment);
}

bool unit_buffer(struct unit *u, int which, const void *data, uint64_t size) {
    return tp_buffer_create(u->device, size, data, &u->buffer[which]) == TP_OK;
}

static bool open_unit(struct unit *u, int thread_count, int *code) {
    const struct device_options with = {.threads = thread_count,
                                        .simd = simd,
                                        .engine = engine,
                                        .memory = 1 << 30}; /* profilers refuse more */
    struct tp_texture_info t = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = UNIT_SIZE, .height = UNIT_SIZE};
    memset(u, 0, sizeof *u);
    u->device = command_device(&command, &with, code);
    if (!u->device)
        return false;
    *code = EXIT_FAILED;
    bool ok = tp_context_create(u->device, &u->context) == TP_OK &&
              tp_texture_create(u->device, &t, &u->color) == TP_OK;
    t.format = TP_FORMAT_Z24S8;
    return ok && tp_texture_create(u->device, &t, &u->zeta) == TP_OK &&
           tp_set_target(u->context, u->color, u->zeta) == TP_OK &&
           tp_clear(u->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0) == TP_OK;
}

static void close_unit(struct unit *u) {
    if (!u->device)
        return;
    for (int i = 0; i < UNIT_BUFFERS; i++)
        tp_buffer_destroy(u->buffer[i]);
    for (int i = 0; i < UNIT_PROGRAMS; i++)
        tp_program_destroy(u->program[i]);
    for (int i = 0; i < 2; i++)
        tp_program_destroy(u->other[i]);
    for (int i = 0; i < UNIT_TEXTURES; i++)
        tp_texture_destroy(u->texture[i]);
    tp_texture_destroy(u->color);
    tp_texture_destroy(u->zeta);
    tp_context_destroy(u->context);
    tp_device_destroy(u->device);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rounds until the time is over; the best of them counts, which leaves out what other processes
 * did. */
static bool measure_row(struct unit *u, const struct unit_row *row, double (*now)(void),
                        double *rate) {
    double count;
    *rate = 0;
    for (int i = 0; i < 3; i++) /* programs get compiled, memory is touched */
        if (!row->draw(u, &count) || tp_finish(u->context) != TP_OK)
            return false;
    for (const double end = seconds_now() + seconds; seconds_now() < end;) {
        const double begin = now();
        if (!row->draw(u, &count) || tp_finish(u->context) != TP_OK)
            return false;
        const double r = 1e-6 * count / (now() - begin);
        *rate = r > *rate ? r : *rate;
    }
    return true;
}

static int run_row(const struct unit_row *row, int thread_count, double *rate) {
    struct unit u;
    int code = EXIT_FAILED;
    bool ok = open_unit(&u, thread_count, &code);
    if (ok) {
        u.number = row->number;
        ok = row->open(&u, row->number) &&
             measure_row(&u, row, thread_count == 1 ? processor_seconds : seconds_now, rate);
    }
    if (!ok && u.device)
        command_failed(&command, "%s: %s", row->name, tp_message(u.device));
    close_unit(&u);
    return ok ? EXIT_FINE : code;
}

static int print_row(const struct unit_row *row) {
    const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), all = threads ? threads : cpus;
    double one = 0, many = 0;
    int code = threads > 1 ? EXIT_FINE : run_row(row, 1, &one);
    if (code == EXIT_FINE && all > 1)
        code = run_row(row, all, &many);
    if (code == EXIT_FINE)
        printf("  %-26s %10.2f %10.2f\n", row->name, one, many);
    fflush(stdout);
    return code;
}

static bool is_named(const char *name, int count, char **argv) {
    bool found = count == 0;
    for (int i = 1; i <= count; i++)
        found |= strcmp(argv[i], name) == 0;
    return found;
}

static bool is_known_unit(const char *name) {
    for (int g = 0; g < GROUPS; g++) {
        if (strcmp(groups[g]->name, name) == 0)
            return true;
        for (int i = 0; i < groups[g]->count; i++)
            if (strcmp(groups[g]->rows[i].name, name) == 0)
                return true;
    }
    return false;
}

int cmd_bench_units(int argc, char **argv) {
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    for (int i = 1; i <= count; i++)
        if (!is_known_unit(argv[i]))
            return command_usage(&command, "there is no group or row \"%s\"", argv[i]);
    code = EXIT_FINE;
    for (int g = 0; g < GROUPS && code == EXIT_FINE; g++) {
        const struct unit_group *group = groups[g];
        bool headed = false;
        for (int i = 0; i < group->count && code == EXIT_FINE; i++) {
            if (!is_named(group->name, count, argv) && !is_named(group->rows[i].name, count, argv))
                continue;
            if (!headed)
                printf("%-28s %10s %10s\n", group->unit, "1 thread", "all");
            headed = true;
            code = print_row(&group->rows[i]);
        }
    }
    return code;
}
