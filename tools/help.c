/* Help of commands (tools/help.h). In: the tables of the commands. Out: text, man pages and
 * completion scripts on standard output. Must not know any command. */
#include "tools/help.h"

#include "drm/chip.h"

#include <string.h>

enum { LEFT = 20, INDENT = LEFT + 3 }; /* columns of an option's name and of its text */

/* ---- Text ---- */

/* Prints a text of several lines, all but the first indented. */
static void print_indented(const char *text) {
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        printf("%.*s\n%*s", (int)(end - text), text, INDENT, "");
    printf("%s\n", text);
}

static void print_option(const struct option_spec *o) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    printf("  %-*s ", LEFT, left);
    print_indented(o->help);
}

static const struct option_spec help_option = {"--help", NULL, OPTION_FLAG, NULL, "this text"};

static void print_text(const struct command *command) {
    printf("usage: %s %s %s\n\n%s\n", command_program, command->name, command->arguments,
           command->summary);
    printf("\noptions:\n");
    for (const struct option_spec *o = command->options; o->name; o++)
        print_option(o);
    print_option(&help_option);
    if (command->examples)
        printf("\nexamples:\n");
    for (const char *line = command->examples; line && *line;) {
        const int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

/* Prints the help of a command and of its topics in one format. */
static int print_row(const struct command_row *row, const char *format) {
    char flag[32], command[32], topic[32];
    snprintf(flag, sizeof flag, "--help=%s", format);
    snprintf(command, sizeof command, "%s", row->name);
    char *plain[] = {command, flag, NULL};
    int code = row->run(2, plain);
    for (const char *t = row->topics; *t && code == EXIT_FINE; t += strspn(t, " ")) {
        const int length = (int)strcspn(t, " ");
        snprintf(topic, sizeof topic, "%.*s", length, t);
        char *words[] = {command, topic, flag, NULL};
        code = row->run(3, words);
        t += length;
    }
    return code;
}

/* ---- Man page ---- */

static void man_escaped(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (i == 0 && (text[0] == '.' || text[0] == '\''))
            printf("\\&");
        if (text[i] == '\\' || text[i] == '-')
            putchar('\\');
        if (text[i] == '\\')
            putchar('e');
        else
            putchar(text[i]);
    }
}

/* Writes lines for the man page. Lines that begin with blanks keep their shape; an empty line
 * begins a paragraph. */
static void man_lines(const char *text) {
    bool shaped = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool shape = *text == ' ';
        if (shape != shaped)
            printf("%s\n", shape ? ".nf" : ".fi");
        shaped = shape;
        if (length)
            man_escaped(text, length);
        else
            printf(".PP");
        putchar('\n');
        text += length + (text[length] == '\n');
    }
    if (shaped)
        printf(".fi\n");
}

static bool resumes, checks; /* the page has a command with --resume, with --suppressions */

static void man_option(const struct option_spec *o) {
    resumes |= strcmp(o->name, "--resume") == 0;
    checks |= strcmp(o->name, "--suppressions") == 0;
    printf(".TP\n.B ");
    man_escaped(o->name, strlen(o->name));
    if (o->argument) {
        printf(" \\fI");
        man_escaped(o->argument, strlen(o->argument));
        printf("\\fR");
    }
    putchar('\n');
    man_lines(o->help);
}

static void man_command(const struct command *command) {
    printf(".SH SYNOPSIS\n.B teslapipe %s\n", command->name);
    man_lines(command->arguments);
    printf(".SH DESCRIPTION\n");
    man_lines(command->summary);
    printf(".SH OPTIONS\n");
    for (const struct option_spec *o = command->options; o->name; o++)
        man_option(o);
    man_option(&help_option);
    if (command->examples) {
        printf(".SH EXAMPLES\n.nf\n");
        man_lines(command->examples);
        printf(".fi\n");
    }
}

static void man_title(const char *name, const char *version) {
    printf(".TH ");
    for (const char *c = name; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" 1 \"\" \"teslapipe %s\" \"User Commands\"\n", version);
}

/* Writes a page for PROGRAM-COMMAND; each topic has sections of its own. */
static int man_page(const char *program, const struct command_row *row) {
    char name[64];
    snprintf(name, sizeof name, "%s-%s", program, row->name);
    man_title(name, tp_version());
    printf(".SH NAME\n%s \\- %s\n", name, row->help);
    const int code = print_row(row, "man");
    printf(".SH EXIT STATUS\n0: fine; 1: failed; 2: wrong usage%s%s.\n"
           ".SH SEE ALSO\n.BR teslapipe (1)\n",
           resumes ? "; 3: incomplete, \\-\\-resume continues the job" : "",
           checks ? "; 4: the memory checker has findings" : "");
    return code;
}

/* Writes the list of commands, for the page of the program itself. */
static int man_list(const char *program, const struct command_row *rows, int count) {
    for (int i = 0; i < count; i++)
        printf(".TP\n.BR %s\\-%s (1)\n%s\n", program, rows[i].name, rows[i].help);
    return EXIT_FINE;
}

/* ---- Completion: the values of an option ---- */

enum value_kind { VALUE_NONE, VALUE_ANY, VALUE_WORDS, VALUE_FILES, VALUE_FOLDERS };

/* Returns the kind of an option's values; writes them if they are words. */
static enum value_kind option_values(const struct option_spec *o, char *words, size_t size) {
    words[0] = 0;
    if (!o->argument)
        return VALUE_NONE;
    const char *const choices = option_choices(o->kind);
    size_t used = choices ? (size_t)snprintf(words, size, "%s", choices) : 0;
    if (!choices && strcmp(o->argument, "SCENE") == 0)
        for (int i = 0; i < demo_scene_count; i++)
            used += (size_t)snprintf(words + used, size - used, "%s%s", used ? " " : "",
                                     demo_scenes[i]->name);
    if (!choices && strcmp(o->argument, "CHIP") == 0)
        for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
            used +=
                (size_t)snprintf(words + used, size - used, "%s%s", used ? " " : "", chips[i].name);
    if (used)
        return VALUE_WORDS;
    if (strcmp(o->argument, "DIR") == 0 || strcmp(o->argument, "FOLDER") == 0)
        return VALUE_FOLDERS;
    return strstr(o->argument, "FILE") || strncmp(o->argument, "OUT", 3) == 0 ? VALUE_FILES
                                                                              : VALUE_ANY;
}

enum { WORDS = 1024 };

/* Returns the kind of the positional arguments: a program with its arguments, scenes, nothing, or
 * files. */
static const char *positional_kind(const struct command *command) {
    return strstr(command->arguments, "] PROGRAM")        ? "program"
           : strstr(command->arguments, "SCENE")          ? "scenes"
           : strcmp(command->arguments, "[options]") == 0 ? "nothing"
                                                          : "files";
}

/* ---- bash ---- */

static void bash_command(const struct command *command) {
    char words[WORDS];
    printf("    '%s')\n        options='", command->name);
    for (const struct option_spec *o = command->options; o->name; o++)
        printf("%s ", o->name);
    printf("--help' positional=%s\n        case $2 in\n", positional_kind(command));
    for (const struct option_spec *o = command->options; o->name; o++) {
        static const char *const kinds[] = {NULL, "any", "words", "files", "folders"};
        const enum value_kind kind = option_values(o, words, sizeof words);
        if (kind == VALUE_WORDS)
            printf("        %s) values='%s' ;;\n", o->name, words);
        else if (kind != VALUE_NONE)
            printf("        %s) values=%s ;;\n", o->name, kinds[kind]);
    }
    printf("        esac ;;\n");
}

static void bash_begin(const char *program, const struct command_row *rows, int count) {
    printf("# Written by `%s help --bash`.\n"
           "# Sets options, values (of option $2), positional and topics of the command $1.\n"
           "_teslapipe_table() {\n    options='' values='' positional=files topics=''\n"
           "    commands='",
           program);
    for (int i = 0; i < count; i++)
        printf("%s ", rows[i].name);
    printf("help --help --version'\n    scenes='all");
    for (int i = 0; i < demo_scene_count; i++)
        printf(" %s", demo_scenes[i]->name);
    printf("'\n    case $1 in\n");
    for (int i = 0; i < count; i++)
        if (*rows[i].topics)
            printf("    '%s') topics='%s' ;;\n", rows[i].name, rows[i].topics);
    printf("    esac\n    case $1 in\n");
}

/* ---- zsh ---- */

/* Writes a text in single quotes within the description of an option. */
static void zsh_escaped(const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\'");
        else if (strchr("[]:\\", *text))
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
}

static void zsh_command(const struct command *command) {
    char words[WORDS];
    printf("    '%s')\n        _arguments", command->name);
    for (const struct option_spec *o = command->options; o->name; o++) {
        const enum value_kind kind = option_values(o, words, sizeof words);
        printf(" \\\n            '%s%s[", o->kind == OPTION_EACH ? "*" : "", o->name);
        zsh_escaped(o->help);
        putchar(']');
        if (kind != VALUE_NONE) {
            putchar(':');
            zsh_escaped(o->argument);
            putchar(':');
        }
        if (kind == VALUE_WORDS)
            printf("(%s)", words);
        else if (kind == VALUE_FILES || kind == VALUE_FOLDERS)
            printf("_files%s", kind == VALUE_FOLDERS ? " -/" : "");
        putchar('\'');
    }
    const char *const kind = positional_kind(command);
    printf(" \\\n            '--help[this text]'");
    if (strcmp(kind, "program") == 0)
        printf(" \\\n            '(-)1:program: _command_names -e' '*::arguments:_normal'");
    else if (strcmp(kind, "scenes") == 0)
        printf(" \\\n            '*:scene or file:_teslapipe_scenes'");
    else if (strcmp(kind, "files") == 0)
        printf(" \\\n            '*:file:_files'");
    printf(" ;;\n");
}

static void zsh_begin(const char *program, const struct command_row *rows, int count) {
    printf("# Written by `%s help --zsh`.\n_teslapipe_scenes() {\n    local -a scenes\n"
           "    scenes=(\n        'all:every scene'\n",
           program);
    for (int i = 0; i < demo_scene_count; i++) {
        printf("        '%s:", demo_scenes[i]->name);
        zsh_escaped(demo_scenes[i]->description);
        printf("'\n");
    }
    printf("    )\n    _describe scene scenes\n    _files\n}\n\n"
           "_teslapipe_commands() {\n    local -a commands\n    commands=(\n");
    for (int i = 0; i < count; i++) {
        printf("        '%s:", rows[i].name);
        zsh_escaped(rows[i].help);
        printf("'\n");
    }
    printf("        'help:help of a command'\n    )\n    _describe command commands\n}\n\n"
           "# The topics of the command $1.\n_teslapipe_topics() {\n    case $1 in\n");
    for (int i = 0; i < count; i++)
        if (*rows[i].topics)
            printf("    '%s') print %s ;;\n", rows[i].name, rows[i].topics);
    printf("    esac\n}\n\n# Completes the arguments of the command $1.\n"
           "_teslapipe_arguments() {\n    case $1 in\n");
}

/* ---- all ---- */

bool help_print(const struct command *command, const char *format) {
    if (!format)
        print_text(command);
    else if (strcmp(format, "man") == 0)
        man_command(command);
    else if (strcmp(format, "bash") == 0)
        bash_command(command);
    else if (strcmp(format, "zsh") == 0)
        zsh_command(command);
    else
        return false;
    return true;
}

/* Prints the parts of all commands and topics in one format. */
static int print_parts(const struct command_row *rows, int count, const char *format) {
    int code = EXIT_FINE;
    for (int i = 0; i < count && code == EXIT_FINE; i++)
        code = print_row(&rows[i], format);
    return code;
}

static const struct command_row *find_row(const char *program, const struct command_row *rows,
                                          int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    fprintf(stderr, "%s: no command named %s (see %s --help)\n", program, name, program);
    return NULL;
}

/* Does for `help COMMAND [TOPIC]` what `COMMAND [TOPIC] --help` does. */
static int help_of(const char *program, const struct command_row *rows, int count, int argc,
                   char **argv) {
    char flag[] = "--help", *words[] = {argv[1], argc > 2 ? argv[2] : flag, flag, NULL};
    const struct command_row *const row = find_row(program, rows, count, argv[1]);
    if (!row)
        return EXIT_USAGE;
    if (argc > 3) {
        fprintf(stderr, "%s help: takes one command (see %s --help)\n", program, program);
        return EXIT_USAGE;
    }
    return row->run(argc > 2 ? 3 : 2, words);
}

int help_command(const char *program, const struct command_row *rows, int count,
                 void (*usage)(FILE *to), int argc, char **argv) {
    int code = EXIT_FINE;
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
    } else if (strcmp(argv[1], "--man") == 0 && argc > 2) {
        const struct command_row *const row = find_row(program, rows, count, argv[2]);
        return row ? man_page(program, row) : EXIT_USAGE;
    } else if (strcmp(argv[1], "--man") == 0) {
        return man_list(program, rows, count);
    } else if (strcmp(argv[1], "--bash") == 0) {
        bash_begin(program, rows, count);
        code = print_parts(rows, count, "bash");
        printf("    esac\n}\n");
    } else if (strcmp(argv[1], "--zsh") == 0) {
        zsh_begin(program, rows, count);
        code = print_parts(rows, count, "zsh");
        printf("    esac\n}\n");
    } else {
        return help_of(program, rows, count, argc, argv);
    }
    return code;
}
