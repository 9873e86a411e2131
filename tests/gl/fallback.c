/* The warning if a program draws with another renderer (drm/fallback.c). The program names a thread
 * as llvmpipe does, in child processes that have opened the GPU, or have not.
 * usage: fallback GL_RENDERER */
#define _GNU_SOURCE
#include "node_client.h"

#include <sys/wait.h>

enum { NOTHING, OPEN, ASK, USE }; /* what the process did with the node before */

static const struct {
    const char *what, *thread;
    int before;
    const char *variable, *value;
    const char *said; /* expected message; NULL: none */
} rows[] = {
    {"nothing known", "llvmpipe-0", NOTHING, "X", "",
     "The program did not open the GPU. Off screen"},
    {"another thread", "llvmpip", NOTHING, "X", "", NULL},
    {"another thread", "worker-llvmpipe", NOTHING, "X", "", NULL},
    {"a variable", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "1",
     "asks for another driver: LIBGL_ALWAYS_SOFTWARE=1. Run"},
    {"another", "llvmpipe", NOTHING, "GALLIUM_DRIVER", "softpipe",
     "asks for another driver: GALLIUM_DRIVER=softpipe. Run"},
    {"the third", "llvmpipe", NOTHING, "MESA_LOADER_DRIVER_OVERRIDE", "zink",
     "another driver: MESA_LOADER_DRIVER_OVERRIDE=zink. Run"},
    {"one that says no", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "0",
     "The program did not open the GPU. Off screen"},
    {"or false", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "false",
     "The program did not open the GPU. Off screen"},
    {"or nothing", "llvmpipe", NOTHING, "GALLIUM_DRIVER", "",
     "The program did not open the GPU. Off screen"},
    {"an X server", "llvmpipe", NOTHING, "DISPLAY", ":77", "the X server :77 hands out none"},
    {"a compositor", "llvmpipe", NOTHING, "WAYLAND_DISPLAY", "wl-7",
     "the Wayland compositor wl-7 hands out none"},
    {"opened", "llvmpipe", OPEN, "X", "", "The GPU was opened, but its driver was not chosen."},
    {"whatever is asked for", "llvmpipe", OPEN, "GALLIUM_DRIVER", "softpipe",
     "The GPU was opened, but its driver was not chosen."},
    {"refused", "llvmpipe", ASK, "X", "", "the last request that was refused is ioctl 0x9e"},
    {"used", "llvmpipe", USE, "X", "", NULL},
};

static void say(size_t row) {
    static const char *const variables[] = {"LIBGL_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE",
                                            "GALLIUM_DRIVER", "DISPLAY", "WAYLAND_DISPLAY"};
    int32_t channel;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    setenv(rows[row].variable, rows[row].value, 1);
    if (rows[row].before)
        node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (rows[row].before == ASK)
        ask(DRM_IOWR(DRM_COMMAND_BASE + 0x5e, uint64_t), &(uint64_t){0});
    if (rows[row].before == USE)
        new_channel(&channel);
    for (int i = 0; i < 2; i++) /* the message comes once */
        pthread_setname_np(pthread_self(), rows[row].thread);
}

int main(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096] = "", name[16] = "";
        int out[2], status = -1, lines = 0;
        verdict("a pipe", pipe(out) == 0);
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(out[1], 2);
            say(i);
            pthread_getname_np(pthread_self(), name, sizeof name);
            _exit(strcmp(name, rows[i].thread) != 0); /* no further message at exit */
        }
        close(out[1]);
        for (ssize_t n, at = 0; (n = read(out[0], text + at, sizeof text - 1 - (size_t)at)) > 0;)
            at += n;
        close(out[0]);
        verdict("the thread has its name", waitpid(pid, &status, 0) == pid && status == 0);
        for (const char *at = text; *at; at++)
            lines += *at == '\n' && at[1] == 't';
        const bool right =
            rows[i].said
                ? strstr(text, rows[i].said) &&
                      strstr(text,
                             "fallback does not draw on teslapipe: llvmpipe is loaded, in ") &&
                      strstr(text, "gl --check tests what is needed.\n\n") && lines == 3
                : !*text;
        verdict(rows[i].what, right);
        if (!right)
            printf("    %s", text);
    }
    return summary();
}
