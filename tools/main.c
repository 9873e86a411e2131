/* The teslapipe program: a table of subcommands, each a function cmd_NAME in its own file. A row
 * without its function fails to link. Commands that need a window or a line editor are in the
 * interactive program; in the small program, handoff.c has functions in their place. */
#include "tools/help.h"

#include <string.h>

#define COMMANDS(X)                                                                                \
    X(view, "open a window with the demo scenes", "")                                              \
    X(render, "draw demo scenes into PNG files", "")                                               \
    X(bench, "measure the demo scenes, or parts of the machine (bench alu ...)",                   \
      "alu farm native serial tex units")                                                          \
    X(compare, "compare two PNG files", "")                                                        \
    X(as, "assemble program text to machine code", "")                                             \
    X(dis, "disassemble machine code", "")                                                         \
    X(glsl, "compile GLSL to program files for the library", "")                                   \
    X(exec, "run execution vectors", "")                                                           \
    X(run, "run a compute program on files", "")                                                   \
    X(trace, "execute one warp, instruction by instruction", "")                                   \
    X(gl, "run an OpenGL program on the DRM render node", "")                                      \
    X(ci, "run a test command on a list of chips", "")                                             \
    X(why, "why a pixel has its colour", "")                                                       \
    X(debug, "step through one warp of a draw or a compute program", "")                           \
    X(diff, "where two recordings begin to differ", "")                                            \
    X(replay, "run a recorded command stream", "")

#define DECLARE(name, help, topics) int cmd_##name(int argc, char **argv);
COMMANDS(DECLARE)

static const struct command_row commands[] = {
#define ROW(name, help, topics) {#name, help, topics, cmd_##name},
    COMMANDS(ROW)};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_usage(FILE *to) {
    fprintf(to, "usage: teslapipe COMMAND [arguments]\n\n"
                "A software GPU of NVIDIA's Tesla and Fermi generations. Commands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
    fprintf(to, "\nteslapipe COMMAND --help tells more. Scenes:\n");
    for (int i = 0; i < demo_scene_count; i++)
        fprintf(to, "  %-11s %s\n", demo_scenes[i]->name, demo_scenes[i]->description);
}

/* Flushes stdout. Returns EXIT_FAILED after a write error, such as a full disk. */
static int check_output(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "teslapipe: writing to stdout failed\n");
    return code == EXIT_FINE ? EXIT_FAILED : code;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return check_output(EXIT_FINE);
    }
    if (strcmp(argv[1], "help") == 0)
        return check_output(
            help_command("teslapipe", commands, COMMAND_COUNT, print_usage, argc - 1, argv + 1));
    if (strcmp(argv[1], "--version") == 0) {
        printf("teslapipe %s\n", tp_version());
        return check_output(EXIT_FINE);
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return check_output(commands[i].run(argc - 1, argv + 1));
    fprintf(stderr, "teslapipe: no command named %s (see teslapipe --help)\n", argv[1]);
    return EXIT_USAGE;
}
