/* `teslapipe bench native`: the time to make native code of programs, and the instructions that
 * call the interpreter's handlers. In: program files, as text or as raw words. Out: a line for each
 * program, then the calls by operation. */
#include "shader/native/native.h"
#include "tools/isa_options.h"

#include <stdlib.h>

int cmd_bench_native(int argc, char **argv);

struct native_sums {
    struct native_statistics all;
    double worst; /* microseconds an instruction */
    const char *worst_name;
};

static bool is_raw(const char *path) {
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".bin") == 0;
}

/* Compiles p in a service of its own, whose statistics then count only this program. */
static bool compile_program(struct program *p, enum simd_level simd, struct warp *w,
                            struct native_statistics *s) {
    struct native *native = native_create(simd);
    const struct warp_env env = {.program = p, .simd = simd, .native = native};
    if (!native)
        return false;
    native_find(w, &env);
    native_get_statistics(native, s);
    native_destroy(native);
    return s->programs;
}

static void add_sums(struct native_sums *sums, const struct native_statistics *s,
                     const char *name) {
    const double each =
        s->instructions ? (double)s->nanoseconds * 1e-3 / (double)s->instructions : 0;
    sums->all.programs++;
    sums->all.nanoseconds += s->nanoseconds;
    sums->all.instructions += s->instructions;
    sums->all.called += s->called;
    sums->all.bytes += s->bytes;
    for (int i = 0; i < OPCODES; i++)
        sums->all.calls[i] += s->calls[i];
    if (each > sums->worst) {
        sums->worst = each;
        sums->worst_name = name;
    }
}

static void print_line(const char *name, const struct native_statistics *s) {
    const double n = s->instructions ? (double)s->instructions : 1;
    printf("%-32s %6lu %6lu %8.2f %8.0f\n", name, (unsigned long)s->instructions,
           (unsigned long)s->called, (double)s->nanoseconds * 1e-3 / n, (double)s->bytes / n);
}

static int run_files(const struct command *command, struct isa_options *isa, enum simd_level simd,
                     char **paths, int count) {
    struct warp *w = aligned_alloc(_Alignof(struct warp), sizeof *w);
    struct native_sums sums = {.worst_name = "none"};
    int exit_code = EXIT_FINE;
    if (!w)
        return command_failed(command, "out of memory");
    memset(w, 0, sizeof *w);
    printf("%-32s %6s %6s %8s %8s\n", "program", "ops", "calls", "us/op", "bytes/op");
    for (int i = 0; i < count && exit_code == EXIT_FINE; i++) {
        const char *slash = strrchr(paths[i], '/'), *name = slash ? slash + 1 : paths[i];
        struct native_statistics s;
        struct program *p = NULL;
        if (!resolve_isa_target(command, isa, paths[i]) ||
            !(p = load_program(command, isa->target, paths[i], is_raw(paths[i]))))
            exit_code = EXIT_FAILED;
        else if (!compile_program(p, simd, w, &s))
            exit_code = command_failed(command, "%s: out of memory", paths[i]);
        if (exit_code == EXIT_FINE) {
            add_sums(&sums, &s, name);
            print_line(name, &s);
        }
        program_unref(p);
    }
    print_line("all", &sums.all);
    printf("worst %.2f us/op: %s\n", sums.worst, sums.worst_name);
    for (int i = 0; i < OPCODES; i++)
        if (sums.all.calls[i])
            printf("calls %s %u\n", opcode_name((enum opcode)i), sums.all.calls[i]);
    free(w);
    return exit_code;
}

int cmd_bench_native(int argc, char **argv) {
    struct isa_options isa = {0};
    const char *simd = NULL;
    const struct option_spec options[] = {
        ISA_TARGET_SPECS(isa),
        SIMD_OPTION(&simd),
        {0},
    };
    const struct command command = {
        "bench native",
        "PROGRAM... [options]",
        "Makes native code of programs (.vp .gp .fp .cp, or raw words in .bin) and prints the\n"
        "time, and which instructions call the interpreter's handlers.",
        options,
        "teslapipe bench native wave.vp",
    };
    COMMAND_PARSE(exit_code, count);
    if (!count)
        return command_usage(&command, "give programs");
    if (!native_usable())
        return command_usage(&command, "this build has no native code");
    const int level = command_simd(&command, simd);
    if (level < 0)
        return EXIT_USAGE;
    return run_files(&command, &isa, (enum simd_level)level, argv + 1, count);
}
