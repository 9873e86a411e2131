/* Options and parts of `teslapipe gl`, shared by its files.
 */
#ifndef TOOLS_CMD_GL_H
#define TOOLS_CMD_GL_H

#include "tools/tool.h"

struct gl_options {
    const char *chip, *engine, *log, *record, *png, *output, *suppressions, *json, *timeline;
    int threads;      /* 0: all */
    uint64_t budget;  /* 0: time is the limit */
    struct size size; /* 0, 0: the program's */
    double seconds;   /* 0: no limit */
    bool fast, check_memory, not_finite, keep_source;
    bool sync, quirks, check, window, fullscreen, headless, desktop, share, kms;
};

/* "teslapipe gl: ..." on stderr, with one %s in the format; EXIT_USAGE. */
int gl_refused(const char *format, const char *what);

/* The parts of `teslapipe gl` that need EGL or a window. NULL in the small program, which starts
 * the interactive program in their place (handoff.c, gl_window.c). */
extern const struct gl_parts {
    /* Runs the program in a window and returns its exit code. -1: the program joins a window and
     * is to be run as any other. */
    int (*in_window)(const struct gl_options *o, char **program);
    /* The self-test prints a line for each part. The environment is the one of programs already. */
    int (*check)(const char *library);
    /* The part of the self-test that runs with the preload library; option GL_CHECK_INSIDE
     * starts it. */
    int (*check_inside)(void);
} *const gl_parts;
int gl_check(const char *library);
int gl_check_inside(void);
#define GL_CHECK_INSIDE "--check-inside"

#endif
