/* The window of `teslapipe gl --window` from outside: its options, and a program run in it. This is
 * the only header of window/ that tools/ may include.
 */
#ifndef WINDOW_SESSION_H
#define WINDOW_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct window_options {
    int width, height; /* 0: the size that the program asks for */
    bool fullscreen, headless, desktop;
    bool kms;        /* the program finds a display device instead of an X server or compositor */
    const char *png; /* file for the last picture */
    double seconds;  /* 0: until the program ends */
    const char *output; /* folder of saved pictures */
    /* Writes rows of RGBA8 to a PNG file; false with a message. */
    bool (*write_picture)(const char *path, uint32_t width, uint32_t height, const uint8_t *rgba,
                          char *message, size_t message_size);
};
/* Runs the program in a window; its exit code. The environment is that of `teslapipe gl`. */
int window_run(const struct window_options *o, char **program);
/* Sets the environment of the window that was started last; false if there is none. */
bool window_share(void);
/* True if there is a display to show a window on. */
bool window_has_display(void);
/* True if PATH has a program of that name. */
bool processes_have(const char *name);

#endif
