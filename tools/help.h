/* Help of commands from one table each (struct command): the text of --help, a man page, and
 * completions of bash and zsh. The Makefile writes these files with `teslapipe-interactive help`.
 */
#pragma once

#include "tools/tool.h"

struct command_row {
    const char *name, *help;
    const char *topics; /* words that may follow the name, each with its own options, or "" */
    int (*run)(int argc, char **argv);
};

/* Prints the help of a command. Format NULL: the text of --help; "man", "bash" and "zsh": the
 * command's part of the file. Returns false for any other format. */
bool help_print(const struct command *command, const char *format);
/* Runs `PROGRAM help [COMMAND [TOPIC]]` and `PROGRAM help --man [COMMAND] | --bash | --zsh`.
 * `usage` prints the text of `PROGRAM --help`. Returns an exit code. */
int help_command(const char *program, const struct command_row *rows, int count,
                 void (*usage)(FILE *to), int argc, char **argv);
