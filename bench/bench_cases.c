/* teslapipe bench units: millions of vertices, triangles, fragments ... that each part of the
 * pipeline works on per second: one thread by CPU time, all threads by elapsed time. The cases are
 * in cases_*.c. */
#include "tools/tool.h"
#include "base/clock.h"
#include "bench/cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_bench_units(int argc, char **argv);

static const struct bench_table *const tables[] = {
    &bench_vertices, &bench_triangles, &bench_pixels, &bench_draws,
    &bench_patches,  &bench_accesses,  &bench_fermi};
enum { TABLES = sizeof tables / sizeof *tables };

static const char *simd, *engine;
static double seconds = 0.3;
static int threads;

static const struct option_spec options[] = {
    {"--threads", "N", OPTION_THREADS, &threads, "number of threads (1, then one per CPU)"},
    SIMD_OPTION(&simd),
    ENGINE_OPTION(&engine),
    SECONDS_OPTION(&seconds, "to measure each case for (0.3)"),
    {0},
};
static const struct command command = {
    "bench units",
    "[TABLE | CASE...] [options]",
    "Measures parts of the pipeline on their own (none named = all). Columns: what one thread "
    "does\n"
    "in a second of processor time, and what all threads do in a second by the clock.",
    options,
    NULL,
};

bool bench_program(struct bench *b, enum tp_stage stage, const char *text) {
    return tp_program_from_text(b->device, stage, text, "bench", &b->program[stage]) == TP_OK &&
           tp_bind_program(b->context, stage, b->program[stage]) == TP_OK;
}

bool bench_passes_color(struct bench *b) {
    static const char vertex[] =
        ".attr 0 xyzw\n.attr 1 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\nmov b32 o[0x18] a[0x18]\n"
        "exit mov b32 o[0x1c] a[0x1c]\n";
    static const char fragment[] =
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
        "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\ninterp $r2 v[0xc] $r4\n"
        "interp $r3 v[0x10] $r4\nexit nop\n";
    return bench_program(b, TP_VERTEX, vertex) && bench_program(b, TP_FRAGMENT, fragment);
}

bool bench_buffer(struct bench *b, int which, const void *data, uint64_t size) {
    void *const zero = data ? NULL : calloc(1, size);
    const bool ok = (data || zero) && tp_buffer_create(b->device, size, data ? data : zero,
                                                       &b->buffer[which]) == TP_OK;
    free(zero);
    return ok;
}

bool bench_floats(struct bench *b, const void *data, uint64_t size, unsigned attributes) {
    bool ok = bench_buffer(b, 0, data, size) &&
              tp_bind_vertices(b->context, 0, b->buffer[0], 0, 16 * attributes, 0) == TP_OK;
    for (unsigned i = 0; i < attributes; i++)
        ok = ok && tp_set_attribute(b->context, i, 0, 16 * i, 4, TP_FLOAT32) == TP_OK;
    return ok;
}

static bool open_bench(struct bench *b, enum tp_chip chip, int thread_count, int *code) {
    const struct device_options with = {.threads = thread_count,
                                        .chip = chip,
                                        .simd = simd,
                                        .engine = engine,
                                        .memory = 1 << 30}; /* profilers refuse a larger size */
    struct tp_texture_info t = {.kind = TP_TEXTURE_2D,
                                .format = TP_FORMAT_RGBA8,
                                .width = BENCH_SIZE,
                                .height = BENCH_SIZE};
    memset(b, 0, sizeof *b);
    b->device = command_device(&command, &with, code);
    if (!b->device)
        return false;
    *code = EXIT_FAILED;
    bool ok = tp_context_create(b->device, &b->context) == TP_OK &&
              tp_texture_create(b->device, &t, &b->color) == TP_OK;
    t.format = TP_FORMAT_Z24S8;
    return ok && tp_texture_create(b->device, &t, &b->zeta) == TP_OK &&
           tp_set_target(b->context, b->color, b->zeta) == TP_OK &&
           tp_clear(b->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0) == TP_OK;
}

static void close_bench(struct bench *b) {
    if (!b->device)
        return;
    for (int i = 0; i < BENCH_BUFFERS; i++)
        tp_buffer_destroy(b->buffer[i]);
    for (int i = 0; i < BENCH_PROGRAMS; i++)
        tp_program_destroy(b->program[i]);
    for (int i = 0; i < 2; i++)
        tp_program_destroy(b->other[i]);
    for (int i = 0; i < BENCH_TEXTURES; i++)
        tp_texture_destroy(b->texture[i]);
    tp_texture_destroy(b->color);
    tp_texture_destroy(b->zeta);
    tp_context_destroy(b->context);
    tp_device_destroy(b->device);
}

static double processor_seconds(void) {
    return 1e-9 * (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Draws rounds until the time is over. The best round counts, because other processes disturb that
 * round least. */
static bool measure_case(struct bench *b, const struct bench_case *c, double (*now)(void),
                         double *rate) {
    double count;
    *rate = 0;
    for (int i = 0; i < 3; i++) /* these rounds compile programs and touch memory */
        if (!c->draw(b, &count) || tp_finish(b->context) != TP_OK)
            return false;
    for (const double end = seconds_now() + seconds; seconds_now() < end;) {
        const double begin = now();
        if (!c->draw(b, &count) || tp_finish(b->context) != TP_OK)
            return false;
        const double r = 1e-6 * count / (now() - begin);
        *rate = r > *rate ? r : *rate;
    }
    return true;
}

static int run_case(const struct bench_case *c, enum tp_chip chip, int thread_count, double *rate) {
    struct bench b;
    int code = EXIT_FAILED;
    bool ok = open_bench(&b, chip, thread_count, &code);
    if (ok) {
        b.self = c;
        ok = c->open(&b) &&
             measure_case(&b, c, thread_count == 1 ? processor_seconds : seconds_now, rate);
    }
    if (!ok && b.device)
        command_failed(&command, "%s: %s", c->name, tp_message(b.device));
    close_bench(&b);
    return ok ? EXIT_FINE : code;
}

static int print_case(const struct bench_case *c, enum tp_chip chip) {
    const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), all = threads ? threads : cpus;
    double one = 0, many = 0;
    int code = threads > 1 ? EXIT_FINE : run_case(c, chip, 1, &one);
    if (code == EXIT_FINE && all > 1)
        code = run_case(c, chip, all, &many);
    if (code == EXIT_FINE)
        printf("  %-26s %10.2f %10.2f\n", c->name, one, many);
    fflush(stdout);
    return code;
}

static bool is_named(const char *name, int count, char **argv) {
    bool found = count == 0;
    for (int i = 1; i <= count; i++)
        found |= strcmp(argv[i], name) == 0;
    return found;
}

static bool is_known(const char *name) {
    for (int g = 0; g < TABLES; g++) {
        if (strcmp(tables[g]->name, name) == 0)
            return true;
        for (int i = 0; i < tables[g]->count; i++)
            if (strcmp(tables[g]->cases[i].name, name) == 0)
                return true;
    }
    return false;
}

int cmd_bench_units(int argc, char **argv) {
    COMMAND_PARSE(code, count);
    for (int i = 1; i <= count; i++)
        if (!is_known(argv[i]))
            return command_usage(&command, "there is no table or case \"%s\"", argv[i]);
    code = EXIT_FINE;
    for (int g = 0; g < TABLES && code == EXIT_FINE; g++) {
        const struct bench_table *table = tables[g];
        bool headed = false;
        for (int i = 0; i < table->count && code == EXIT_FINE; i++) {
            if (!is_named(table->name, count, argv) && !is_named(table->cases[i].name, count, argv))
                continue;
            if (!headed)
                printf("%-28s %10s %10s\n", table->rate, "1 thread", "all");
            headed = true;
            code = print_case(&table->cases[i], table->chip);
        }
    }
    return code;
}
