/* What the files of `teslapipe gl` share.
 */
#ifndef TOOLS_GL_H
#define TOOLS_GL_H

#include <stdbool.h>

struct gl_options {
    const char *chip, *threads, *engine, *log, *record;
    const char *size, *seconds, *png, *output;
    bool sync, check, window, fullscreen, headless, desktop, share, kms;
};

/* "teslapipe gl: ..." on stderr, with one %s in the format; EXIT_USAGE. */
int gl_refused(const char *format, const char *what);

/* Only in the interactive program: NULL in the other. */
#pragma weak gl_in_window
#pragma weak gl_check
#pragma weak gl_check_inside
/* Runs the program in a window: its exit code. -1: it is to be run as any other, since it joins a
 * window. */
int gl_in_window(const struct gl_options *o, char **program);
/* The self-test: a line for each part; the environment is that of programs already. */
int gl_check(const char *library);
/* The part of it that runs with the preload library; this option starts it. */
int gl_check_inside(void);
#define GL_CHECK_INSIDE "--check-inside"

#endif
