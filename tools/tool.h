/* Shared by the subcommands of the teslapipe program: a table-driven option parser, a device made
 * from the common options, a target with its pixels, a progress bar. Messages go to stderr as one
 * line; exit codes are 0 fine, 1 failed, 2 usage.
 */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include "demos/demo.h"
#include "teslapipe.h"

#include <stdio.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

enum { MAX_SIZE = 8192 }; /* pixels, the hardware's limit for targets */

/* ---- Options ---- */

struct size {
    uint32_t width, height;
};

struct option_spec {
    const char *name;     /* "--size", or "-o" */
    const char *argument; /* in the help; NULL for flags */
    enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT, OPTION_NUMBER, OPTION_SIZE } kind;
    void *value; /* bool, const char *, int (1 or more), double, struct size */
    const char *help;
};

struct command {
    const char *name;
    const char *arguments;             /* "SCENE... [options]" */
    const char *summary;               /* one or more lines */
    const struct option_spec *options; /* ends with a NULL name */
};

/* Replaces this process by the interactive program with the command argv[0]. That program lies
 * beside this one and is the same with all commands that need a window, a font or a line editor;
 * their libraries take much memory and time to load. Returns EXIT_FAILED after a message if
 * there is no such program. */
int run_interactive(int argc, char **argv);
#define INTERACTIVE_PROGRAM "teslapipe-interactive"

/* Moves the positional arguments to the front of argv[1..] and returns their number. After
 * --help or wrong usage (with a message on stderr) sets *exit_code and returns -1. */
int command_parse(const struct command *command, int argc, char **argv, int *exit_code);
/* "teslapipe NAME: ..." on stderr; returns EXIT_USAGE or EXIT_FAILED. */
int command_usage(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int command_failed(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The SIMD level of this name, or the best for NULL; -1 after a message if this CPU lacks it. */
int command_simd(const struct command *command, const char *name);
/* Finds a scene; NULL after a message that lists the scenes. */
const struct demo_scene *command_scene(const struct command *command, const char *name);

/* ---- Device and target ---- */

struct device_options {
    int threads;        /* 0 = all */
    const char *simd;   /* NULL = best */
    const char *engine; /* NULL = best */
    uint64_t memory;    /* bytes of GPU address space; 0 = default */
};
/* Makes a device. NULL after a message with *exit_code set (EXIT_USAGE for an unknown SIMD level
 * or engine). */
tp_device *command_device(const struct command *command, const struct device_options *options,
                          int *exit_code);

/* A colour target, a zeta target, and memory for the picture on the CPU. */
struct frame_target {
    tp_texture *color, *zeta;
    struct size size;
    uint8_t *pixels; /* RGBA8 rows */
};
bool frame_target_create(struct frame_target *target, tp_device *device, struct size size);
void frame_target_destroy(struct frame_target *target);
/* Draws one frame and reads it back; false with demo->message set. */
bool frame_target_draw(struct frame_target *target, struct demo *demo, double time,
                       struct demo_orbit orbit, bool wireframe);

/* ---- Others ---- */

double seconds_now(void); /* monotonic */
/* Shows a bar on stderr if that is a terminal. Call it with done == total at the end. */
void progress_show(const char *what, int done, int total);

#endif
