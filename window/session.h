/* The window of `teslapipe gl --window` as the tools see it: its options, and a program that runs
 * in it. This is the only header of window/ that tools/ may include.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window_options {
    int width, height; /* 0: the size of the program's window */
    bool fullscreen, headless, desktop;
    bool kms;        /* the program gets a display device instead of an X server and a compositor */
    const char *png; /* file for the last picture; NULL: none */
    double seconds;  /* run time after which the window closes; 0: until the program ends */
    const char *output; /* folder for saved pictures; NULL: the working directory */
    /* Writes rows of RGBA8 to a PNG file. False with a message. */
    bool (*write_picture)(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
                          char *message, size_t message_size);
};
/* Runs the program in a window. Returns its exit code. The environment must be that of `teslapipe
 * gl`. */
int window_run(const struct window_options *o, char **program);
/* Sets the environment so that programs use the window that was started last. False if there is no
 * window. */
bool window_share(void);
/* True if there is a display to show a window on. */
bool window_has_display(void);
/* True if a folder of PATH has a program of this name. */
bool processes_have(const char *name);
