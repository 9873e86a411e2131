/* Options and parts of `teslapipe gl` that its files share. */
#pragma once

#include "tools/tool.h"

struct gl_options {
    const char *chip, *engine, *log, *record, *png, *output, *suppressions, *json, *timeline;
    int threads;      /* 0: all */
    uint64_t budget;  /* instructions of a warp; 0: as in struct tp_device_info */
    struct size size; /* 0, 0: the size that the program asks for */
    double seconds;   /* 0: no limit */
    bool fast, check_memory, not_finite, keep_source;
    bool sync, quirks, check, window, fullscreen, headless, desktop, share, kms;
};

/* Prints "teslapipe gl: ..." on stderr. `what` takes the place of the format's one %s. Returns
 * EXIT_USAGE. */
int gl_refused(const char *format, const char *what);

/* Returns false, after a message, if `teslapipe gl` knows no such chip. chip may be NULL. */
bool gl_has_chip(const char *command, const char *chip);

/* The parts of `teslapipe gl` that need EGL or a window (gl_window.c). NULL in build/teslapipe,
 * which starts build/teslapipe-interactive for them (handoff.c). */
extern const struct gl_parts {
    /* Runs the program in a window and returns the program's exit code. Returns -1 if the program
     * shares an open window and should be started without one. */
    int (*in_window)(const struct gl_options *o, char **program);
    /* Runs the self-test, which prints a line for each part. The environment must be that of a
     * program under `teslapipe gl`. */
    int (*check)(const char *library);
    /* Runs the part of the self-test that needs the preload library. The option GL_CHECK_INSIDE
     * starts it. */
    int (*check_inside)(void);
} *const gl_parts;
int gl_check(const char *library);
int gl_check_inside(void);
#define GL_CHECK_INSIDE "--check-inside"
