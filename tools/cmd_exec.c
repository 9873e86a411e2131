/* `teslapipe exec`: runs a file of execution vectors and prints the lines that fail. In: command
 * line; out: failing lines and two counts. Exit code 0 all passed, 1 failures or a broken file, 2
 * usage.
 */
#include "shader/vectors.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>

static void print_fail(void *self, unsigned line, const char *text, const char *got) {
    printf("%s:%u: %s\n  got %s\n", (const char *)self, line, text, got);
}

static int run_path(const struct command *command, const char *path, enum simd_level simd,
                    bool native) {
    char *text;
    FILE *in = open_whole_text(command, path, &text);
    if (!in)
        return EXIT_FAILED;
    struct vectors_report report = {.self = (void *)path, .fail = print_fail};
    const int r =
        native ? vectors_run_native(in, simd, &report) : vectors_run(in, simd, NULL, &report);
    const int error = errno;
    fclose(in);
    free(text);
    if (r && error == ENOSYS)
        return command_usage(command, "no engine native: this build has none");
    if (r)
        return command_failed(command, "%s: %s", path, strerror(error));
    if (!report.passed && !report.failed)
        return command_failed(command, "%s: no vectors", path);
    printf("%u passed, %u failed\n", report.passed, report.failed);
    return report.failed ? EXIT_FAILED : EXIT_FINE;
}

COMMAND(exec) {
    const char *path = NULL, *engine_name = NULL, *simd_text = NULL;
    const struct option_spec options[] = {
        {"--vectors", "FILE", OPTION_TEXT, &path, "the vectors, in the form above"},
        {"--engine", "NAME", OPTION_ENGINE, &engine_name, "interp or native (interp)"},
        SIMD_OPTION(&simd_text),
        {0},
    };
    const struct command command = {
        "exec",
        "--vectors FILE [options]",
        "Runs single-instruction execution vectors, one a line\n"
        "  TAG VARIANT OP0 OP1 MODE CC IN1 IN2 IN3 -> OUT FLAGS\n"
        "and prints each line that fails, with the actual result.",
        options,
        "teslapipe exec --vectors vectors.txt --engine native",
    };
    COMMAND_PARSE(exit_code, arguments);
    if (!path || arguments)
        return command_usage(&command, "give one file with --vectors FILE");
    const bool native = engine_name && strcmp(engine_name, "native") == 0;
    const int simd = command_simd(&command, simd_text);
    if (simd < 0)
        return EXIT_USAGE;
    return run_path(&command, path, (enum simd_level)simd, native);
}
