/* The warning if a program draws with another renderer (drm/fallback.c), and the hint if a program
 * fails that may want a display. Child processes, which have opened the GPU or have not, name a
 * thread as llvmpipe does.
 * usage: fallback GL_RENDERER */
#define _GNU_SOURCE
#include "node_client.h"

#include <dlfcn.h>
#include <sys/wait.h>

enum { NOTHING, OPEN, ASK, USE }; /* what the process did with the node before */

static const struct {
    const char *what, *thread;
    int before;
    const char *variable, *value;
    const char *said; /* expected message; NULL: none */
} rows[] = {
    {"llvmpipe without the GPU", "llvmpipe-0", NOTHING, "X", "",
     "The program did not open the GPU. Off screen"},
    {"a thread with another name", "llvmpip", NOTHING, "X", "", NULL},
    {"a thread whose name ends like llvmpipe", "worker-llvmpipe", NOTHING, "X", "", NULL},
    {"LIBGL_ALWAYS_SOFTWARE=1", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "1",
     "asks for another driver: LIBGL_ALWAYS_SOFTWARE=1. Run"},
    {"GALLIUM_DRIVER=softpipe", "llvmpipe", NOTHING, "GALLIUM_DRIVER", "softpipe",
     "asks for another driver: GALLIUM_DRIVER=softpipe. Run"},
    {"MESA_LOADER_DRIVER_OVERRIDE=zink", "llvmpipe", NOTHING, "MESA_LOADER_DRIVER_OVERRIDE", "zink",
     "another driver: MESA_LOADER_DRIVER_OVERRIDE=zink. Run"},
    {"LIBGL_ALWAYS_SOFTWARE=0", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "0",
     "The program did not open the GPU. Off screen"},
    {"LIBGL_ALWAYS_SOFTWARE=false", "llvmpipe", NOTHING, "LIBGL_ALWAYS_SOFTWARE", "false",
     "The program did not open the GPU. Off screen"},
    {"an empty GALLIUM_DRIVER", "llvmpipe", NOTHING, "GALLIUM_DRIVER", "",
     "The program did not open the GPU. Off screen"},
    {"llvmpipe with an X server", "llvmpipe", NOTHING, "DISPLAY", ":77",
     "the X server :77 hands out none"},
    {"llvmpipe with a compositor", "llvmpipe", NOTHING, "WAYLAND_DISPLAY", "wl-7",
     "the Wayland compositor wl-7 hands out none"},
    {"llvmpipe after the GPU was opened", "llvmpipe", OPEN, "X", "",
     "The GPU was opened, but its driver was not chosen."},
    {"llvmpipe with GALLIUM_DRIVER after the GPU was opened", "llvmpipe", OPEN, "GALLIUM_DRIVER",
     "softpipe", "The GPU was opened, but its driver was not chosen."},
    {"llvmpipe after the GPU refused a request", "llvmpipe", ASK, "X", "",
     "the last request that was refused is ioctl 0x9e"},
    {"llvmpipe after the GPU was used", "llvmpipe", USE, "X", "", NULL},
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
    char name[16] = "";
    for (int i = 0; i < 2; i++) /* the message comes once */
        pthread_setname_np(pthread_self(), rows[row].thread);
    pthread_getname_np(pthread_self(), name, sizeof name);
    _exit(strcmp(name, rows[row].thread) != 0); /* no further message at exit */
}

/* A program that fails without a display. The hint comes if the program has loaded a window
 * system's library, has not opened the GPU, and found no display. */
static const struct {
    const char *what, *library;
    int status;
    bool opens;
    const char *variable;
    bool hint;
} failures[] = {
    {"a failure with X11's library", "libX11.so.6", 1, false, "X", true},
    {"a failure with Wayland's library", "libwayland-client.so.0", 1, false, "X", true},
    {"a success with X11's library", "libX11.so.6", 0, false, "X", false},
    {"a failure after the GPU was opened", "libX11.so.6", 1, true, "X", false},
    {"a failure with an X server", "libX11.so.6", 1, false, "DISPLAY", false},
    {"a failure with a compositor", "libwayland-client.so.0", 1, false, "WAYLAND_DISPLAY", false},
};

static void fail_without_display(size_t row) {
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    setenv(failures[row].variable, "7", 1);
    if (!dlopen(failures[row].library, RTLD_NOW))
        _exit(77);
    if (failures[row].opens)
        open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    exit(failures[row].status);
}

/* Runs child(row) in a process. Returns what it writes to stderr, and its exit code. */
static const char *output_of(void (*child)(size_t row), size_t row, int *code) {
    static char text[4096];
    int out[2], status = -1;
    memset(text, 0, sizeof text);
    verdict("make a pipe", pipe(out) == 0);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 2);
        close(out[0]);
        close(out[1]);
        child(row);
    }
    close(out[1]);
    for (ssize_t n, at = 0; (n = read(out[0], text + at, sizeof text - 1 - (size_t)at)) > 0;)
        at += n;
    close(out[0]);
    *code = waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
}

int main(void) {
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        int code;
        const char *text = output_of(fail_without_display, i, &code);
        if (code == 77) /* there is no such library */
            continue;
        equal("a program keeps its exit code", (uint64_t)code, (uint64_t)failures[i].status);
        verdict(failures[i].what,
                (strstr(text, "and there is no display (DISPLAY, WAYLAND_DISPLAY)") != NULL) ==
                    failures[i].hint);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code, lines = 0;
        const char *text = output_of(say, i, &code);
        verdict("the warning keeps the thread's name", code == 0);
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
