/* Shared by the subcommands of the teslapipe program: a table-driven option parser, a device made
 * from the common options, a target with its pixels. Messages go to stderr as one line. Exit codes:
 * 0 fine, 1 failed, 2 wrong usage, 3 incomplete but resumable; 4 findings (check_report.h). */
#pragma once

#include "demos/demo.h"

#include <limits.h>
#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INCOMPLETE = 3 };

enum { MAX_SIZE = 8192 }; /* pixels, the hardware's limit for targets */
enum { MAX_POSTER = 32768 };

/* ---- Options ---- */

struct size {
    uint32_t width, height;
};

/* Numbers of frames: first, first + step ... up to last. */
struct frame_range {
    uint64_t first, last, step; /* step 0: the option was not given */
    bool numbered;              /* names of files contain the number */
};
uint64_t frame_count(const struct frame_range *r);
uint64_t frame_number(const struct frame_range *r, uint64_t index);

/* The kinds of options of all commands: kind, how the value is stored, smallest and greatest value,
 * choices. */
#define OPTION_KINDS(X)                                                                            \
    X(FLAG, FLAG, 0, 0, NULL)            /* bool */                                                \
    X(TEXT, TEXT, 0, 0, NULL)            /* const char * */                                        \
    X(SIZE, SIZE, 1, MAX_SIZE, NULL)     /* struct size; also POSTER */                            \
    X(POSTER, SIZE, 1, MAX_POSTER, NULL) /* larger than a target */                                \
    X(FRAMES, FRAMES, 0, 0, NULL)        /* struct frame_range */                                  \
    X(EACH, EACH, 0, 0, NULL)     /* struct option_call; the option may be given several times */  \
    X(COUNT, INT, 1, 1e6, NULL)   /* int; so are the next four */                                  \
    X(THREADS, INT, 1, 256, NULL) /* worker threads */                                             \
    X(LANES, INT, 1, 32, NULL)    /* a number of lanes */                                          \
    X(LANE, INT, 0, 31, NULL)                                                                      \
    X(QUAD, INT, 0, 7, NULL)                                                                       \
    X(NUMBER, DOUBLE, -1e9, 1e9, NULL)  /* double; so are the next four */                         \
    X(TIME, DOUBLE, -1e6, 1e6, NULL)    /* a scene's time in seconds */                            \
    X(PERIOD, DOUBLE, 0.001, 1e6, NULL) /* seconds, or pictures a second */                        \
    X(PERCENT, DOUBLE, 0, 100, NULL)                                                               \
    X(BYTE, DOUBLE, 0, 255, NULL)                                                                  \
    X(WORD, WHOLE, 0, UINT32_MAX, NULL) /* uint32_t */                                             \
    X(LONG, WHOLE, 1, 1e15, NULL)       /* uint64_t, 1 or more */                                  \
    /* const char *, one of the choices; also the following options */                             \
    X(SIMD, TEXT, 0, 0, "base avx2 avx512")                                                        \
    X(ENGINE, TEXT, 0, 0, "interp native")                                                         \
    X(LOG, TEXT, 0, 0, "error warning info debug")                                                 \
    X(CHIP, TEXT, 0, 0, "g80 g84 g200 mcp77 gt215 gf100 sm_20 sm_21 gk104 sm_30 g64")              \
    X(STAGE, TEXT, 0, 0, "vp tcp tep gp fp cp")                                                    \
    X(SYNTAX, TEXT, 0, 0, "envyas asfermi")                                                        \
    X(PICTURE, TEXT, 0, 0, PICTURE_FORMATS)                                                        \
    X(STREAM, TEXT, 0, 0, "y4m")
#define OPTION_KIND(kind, ...) OPTION_##kind,
enum option_kind { OPTION_KINDS(OPTION_KIND) };

struct option_spec {
    const char *name;     /* "--size", or "-o" */
    const char *argument; /* shown in the help; NULL for flags */
    enum option_kind kind;
    void *value;
    const char *help;
};

/* The function of an option with a syntax of its own. */
struct option_call {
    /* Takes one argument. Returns NULL, or a description of valid arguments. */
    const char *(*take)(void *self, const char *text);
    void *self;
    bool (*more)(
        const char *text); /* if given: true for later arguments that also belong to the option */
};

/* Options that several commands have. */
#define THREADS_OPTION(v) {"--threads", "N", OPTION_THREADS, v, "worker threads (one per CPU)"}
#define SIMD_OPTION(v) {"--simd", "LEVEL", OPTION_SIMD, v, "base, avx2 or avx512 (the best)"}
#define ENGINE_OPTION(v) {"--engine", "NAME", OPTION_ENGINE, v, "interp or native (the best)"}
#define FAST_OPTION(v)                                                                             \
    {"--fast", NULL, OPTION_FLAG, v, "fast arithmetic, not bit-exact (docs/fast.md)"}
#define SCENE_TIME_OPTION(v) {"--time", "T", OPTION_TIME, v, "of the scene, in seconds (2.5)"}
#define SCENE_SIZE_OPTION(v) {"--size", "WxH", OPTION_SIZE, v, "of the scene's picture (640x360)"}
#define SECONDS_OPTION(v, help) {"--seconds", "N", OPTION_PERIOD, v, help}

/* Begins the function of a command (main.c). */
#define COMMAND(name)                                                                              \
    int cmd_##name(int argc, char **argv);                                                         \
    int cmd_##name(int argc, char **argv)

struct command {
    const char *name;
    const char *arguments;             /* such as "SCENE... [options]" */
    const char *summary;               /* one or more lines */
    const struct option_spec *options; /* ends with a NULL name */
    const char *examples;              /* command lines, or NULL */
};
/* Returns the words that an option of this kind accepts, separated by blanks; NULL: no list. */
const char *option_choices(enum option_kind kind);

/* Replaces this process by the interactive program with the command argv[0]. That program lies
 * beside this one and has all commands that need a window, a font or a line editor; their libraries
 * take much memory and time to load. Returns EXIT_FAILED after a message if there is no such
 * program. */
int run_interactive(int argc, char **argv);
/* Writes the path of this program, or of its folder. Returns false, with "", if it is unknown. */
bool own_path(char path[PATH_MAX]);
bool own_folder(char folder[PATH_MAX]);
#define INTERACTIVE_PROGRAM "teslapipe-interactive"

/* Moves the positional arguments to the front of argv[1..] and returns their number. All arguments
 * behind "--" are positional. After --help or wrong usage (with a message on stderr) sets
 * *exit_code and returns -1. */
int command_parse(const struct command *command, int argc, char **argv, int *exit_code);
/* Calls command_parse() for `command` and declares `code` and `count`. If the count is -1, returns
 * the exit code from the calling function. */
#define COMMAND_PARSE(code, count)                                                                 \
    int code;                                                                                      \
    const int count = command_parse(&command, argc, argv, &code);                                  \
    if (count < 0)                                                                                 \
    return code
/* Parses the options of a command that runs a program with its own arguments. Returns the index of
 * the first argument that is no option, or stands behind "--"; -1 as command_parse() does. */
int command_parse_program(const struct command *command, int argc, char **argv, int *exit_code);
/* The name of the program in messages and in the help: teslapipe, or teslapipe-mpi. */
extern const char *command_program;
/* Prints "teslapipe NAME: ..." on stderr. Returns EXIT_USAGE or EXIT_FAILED. */
int command_usage(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int command_failed(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the SIMD level of this name, or the best for NULL; -1 after a message if this CPU lacks
 * it. */
int command_simd(const struct command *command, const char *name);
/* Returns false after a message if a model is given and none of the scenes loads one. */
bool command_model_used(const struct command *command, const char *model, int count, char **names);
/* Returns a scene; NULL after a message that lists the scenes. */
const struct demo_scene *command_scene(const struct command *command, const char *name);

/* Parses a word: an integer, or a float if it has a decimal point. */
bool word_from_text(const char *text, uint32_t *word);

/* ---- Whole files; "-" is standard input or output. Failures print a message. ---- */

/* Reads a file of at most 1 GiB into malloc'd memory that has at least one byte more. Returns NULL
 * on failure. */
uint8_t *read_whole_file(const struct command *command, const char *path, size_t *size);
/* Reads a text of at most 64 MiB. The text contains no 0, and a 0 follows its end. */
char *read_whole_text(const struct command *command, const char *path, size_t *size);
/* Returns a stream that reads the text of a file; NULL on failure. The caller closes the stream and
 * frees the text. */
FILE *open_whole_text(const struct command *command, const char *path, char **text);
/* Writes a file by calling `write` with a stream. path NULL: standard output. After a failure, an
 * older file is as it was. Returns an exit code. */
typedef void write_text_fn(void *self, FILE *out);
int write_text_file(const struct command *command, const char *path, write_text_fn *write,
                    void *self);
/* Does so with `size` bytes. */
int write_whole_file(const struct command *command, const char *path, const void *data,
                     size_t size);

/* ---- Device and target ---- */

struct device_options {
    int threads;        /* 0: all */
    const char *simd;   /* NULL: best */
    const char *engine; /* NULL: best */
    uint64_t memory;    /* bytes of GPU address space; 0: default */
    enum tp_chip chip;  /* 0: TP_CHIP_GT215 */
    bool fast;          /* TP_ARITHMETIC_FAST */
};
/* The log of a command's device (struct tp_device_info): writes warnings to standard error. */
void command_log(void *self, int level, const char *line);
/* Makes a device. Returns NULL after a message with *exit_code set (EXIT_USAGE for an unknown SIMD
 * level or engine). */
tp_device *command_device(const struct command *command, const struct device_options *options,
                          int *exit_code);
tp_device *command_scene_device(const struct command *command, const struct device_options *options,
                                const struct demo_scene *scene, int *exit_code);

/* A colour target, a zeta target, and memory for the picture on the CPU. */
struct frame_target {
    tp_texture *color, *zeta;
    struct size size;
    uint8_t *pixels; /* RGBA8 rows */
};
/* Returns false with the reason in *why. */
bool frame_target_create(struct frame_target *target, tp_device *device, struct size size,
                         const char **why);
void frame_target_destroy(struct frame_target *target);
/* Draws a frame and reads the picture back. Returns false with demo->message set. */
bool frame_target_draw(struct frame_target *target, struct demo *demo, double time,
                       struct demo_orbit orbit, bool wireframe);

/* ---- Others ---- */

double seconds_now(void); /* reads the monotonic clock */
