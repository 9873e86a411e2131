/* A program in a window: starts Xwayland and the program, and shows their windows until the program
 * ends or the user closes the window. In: options and a command line. Out: the program's exit code;
 * saved pictures.
 */
#define _GNU_SOURCE
#include "window/window.h"

#include "drm/chip.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DEFAULT_WIDTH = 1280,
    DEFAULT_HEIGHT = 720,
    CLOSE_MS = 3000, /* ms that a program has to close itself */
    IDLE_MS = 100,
    POLL_MS = 1, /* ms between looks at an unfinished buffer */
    LOOK_MS = 4  /* ms between looks at a display of the user that cannot wake the loop */
};

static struct {
    const struct window_options *options;
    char **program;
    bool quit, ended;
    int code;
    uint32_t close_due; /* ms, time at which the window closes by force; 0: not asked to close */
    char display[32], wayland[96], kms[96];
    int saved, recording, pictures;
    bool records;
    uint64_t recorded; /* compositor.frames at the last saved picture */
    uint64_t started, first_frame, titled, title_frames, title_draws;
} run;

/* ---- pictures ---- */

static bool save_to(const char *path) {
    const struct image *f = &compositor.frame;
    const size_t count = (size_t)f->width * (size_t)f->height;
    char message[256] = "nothing was drawn yet";
    uint8_t *rgba = count ? malloc(count * 4) : NULL;
    for (size_t i = 0; rgba && i < count; i++) {
        const uint32_t p = f->pixels[i];
        const uint8_t texel[4] = {(uint8_t)(p >> 16), (uint8_t)(p >> 8), (uint8_t)p, 255};
        memcpy(rgba + 4 * i, texel, 4);
    }
    const bool saved =
        rgba && run.options->write_picture(path, (uint32_t)f->width, (uint32_t)f->height, rgba,
                                           message, sizeof message);
    free(rgba);
    if (!saved)
        fprintf(stderr, "teslapipe gl: %s: %s\n", path, message);
    return saved;
}

void window_save(void) {
    char path[PATH_MAX];
    do
        snprintf(path, sizeof path, "%s/teslapipe-%03d.png",
                 run.options->output ? run.options->output : ".", run.saved++);
    while (access(path, F_OK) == 0);
    if (save_to(path)) {
        printf("%s\n", path);
        fflush(stdout);
    }
}

static void record_picture(void) {
    char path[PATH_MAX];
    run.recorded = compositor.frames;
    snprintf(path, sizeof path, "%s/teslapipe-recording-%d/%05d.png",
             run.options->output ? run.options->output : ".", run.recording, run.pictures++);
    run.records = save_to(path);
}

void window_record(void) {
    char path[PATH_MAX];
    run.records = !run.records;
    if (!run.records) {
        printf("%d pictures recorded\n", run.pictures);
        fflush(stdout);
        return;
    }
    do
        snprintf(path, sizeof path, "%s/teslapipe-recording-%d",
                 run.options->output ? run.options->output : ".", ++run.recording);
    while (mkdir(path, 0777) != 0 && errno == EEXIST);
    run.pictures = 0;
    run.recorded = UINT64_MAX;
}

/* ---- messages of Xwayland ---- */

/* Xwayland's messages. Their text is kept, and shown only if Xwayland fails. Lines from teslapipe's
 * library inside Xwayland are shown at once. */
static struct {
    int fd;
    struct wl_event_source *source;
    char line[512], kept[4096];
    size_t length, have;
} said;

static void x_line(void) {
    if (strncmp(said.line, "teslapipe", 9) == 0 || getenv("TESLAPIPE_LOG"))
        fwrite(said.line, 1, said.length, stderr);
    else if (said.have + said.length < sizeof said.kept) {
        memcpy(said.kept + said.have, said.line, said.length);
        said.have += said.length;
    }
    said.length = 0;
}

/* Reads the text that Xwayland has printed. False at the end of the output. */
static bool x_listen(void) {
    char text[512];
    ssize_t n;
    while ((n = read(said.fd, text, sizeof text)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            said.line[said.length++] = text[i];
            if (text[i] == '\n' || said.length == sizeof said.line)
                x_line();
        }
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static int x_says(int, uint32_t, void *) {
    if (!x_listen()) {
        wl_event_source_remove(said.source);
        said.source = NULL;
    }
    return 0;
}

static void x_failed(const char *how) {
    if (said.source)
        x_listen();
    fprintf(stderr, "teslapipe gl: Xwayland %s\n", how);
    fwrite(said.kept, 1, said.have, stderr);
    said.have = 0;
}

/* ---- the end ---- */

void window_close(void) {
    if (!compositor.primary || run.close_due) {
        run.quit = true;
        return;
    }
    run.close_due = now_ms() + CLOSE_MS;
    compositor.primary->calls->close(compositor.primary);
}

static bool windows_left(void) {
    struct view *v;
    wl_list_for_each(v, &compositor.views, link) if (v->managed) return true;
    return false;
}

static int child_ended(int, void *) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (run.quit) {
            continue; /* the process has ended because the window closes */
        } else if (pid == processes.program) {
            run.ended = true;
            run.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            if (WIFSIGNALED(status))
                fprintf(stderr, "teslapipe gl: %s: %s\n", run.program[0],
                        strsignal(WTERMSIG(status)));
        } else if (pid == processes.xwayland) {
            x_failed("has ended; X programs lose their windows");
            processes.xwayland = 0;
        }
    }
    return 0;
}

static int told_to_end(int number, void *) {
    run.code = 128 + number;
    run.quit = true;
    return 0;
}

static int told_to_save(int, void *) {
    window_save();
    return 0;
}

/* ---- starting ---- */

/* Sets WAYLAND_DISPLAY for programs. relative: the socket's name is relative to XDG_RUNTIME_DIR, as
 * sandboxes (bubblewrap) expect, if the window's folder lies there; else the name is absolute. */
static void name_socket(char *text, size_t size, bool relative) {
    const char *const runtime = getenv("XDG_RUNTIME_DIR");
    const size_t length = runtime ? strlen(runtime) : 0;
    const char *folder = processes.folder;
    if (relative && !runtime) { /* processes_start sets XDG_RUNTIME_DIR to the folder */
        snprintf(text, size, "WAYLAND_DISPLAY=wayland");
        return;
    }
    if (relative && length && strncmp(folder, runtime, length) == 0 && folder[length] == '/')
        folder += length + strspn(folder + length, "/");
    snprintf(text, size, "WAYLAND_DISPLAY=%s/wayland", folder);
}

static void start_program(void) {
    const char *const desktop[] = {run.wayland, run.display[0] ? run.display : "DISPLAY",
                                   "EGL_PLATFORM", NULL};
    /* LIBSEAT_BACKEND=noop: there is no seat daemon, and programs open devices directly. */
    char launcher[40] = "WESTON_LAUNCHER_SOCK";
    const int for_weston = run.options->kms ? launcher_create(launcher, sizeof launcher) : -1;
    const char *const device[] = {run.kms,           "LIBSEAT_BACKEND=noop", launcher, "DISPLAY",
                                  "WAYLAND_DISPLAY", "EGL_PLATFORM",         NULL};
    const char *const *const variables = run.options->kms ? device : desktop;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/environment", processes.folder);
    FILE *f = fopen(path, "we");
    if (f) { /* for --share, which may have another XDG_RUNTIME_DIR */
        char wayland[sizeof run.wayland];
        name_socket(wayland, sizeof wayland, false);
        fprintf(f, "%s\n%s\n%s\n", wayland, run.display, run.kms);
        fclose(f);
    }
    processes.program = processes_start(run.program, variables, -1);
    if (for_weston >= 0)
        close(for_weston);
    run.ended = processes.program < 0;
}

static int wm_socket = -1;

/* Called when Xwayland is ready (it writes the number of its display and a newline) or has failed.
 * Starts the program. */
static int x_is_ready(int fd, uint32_t mask, void *data) {
    static char text[16];
    static size_t have;
    struct wl_event_source **source = data;
    const ssize_t n = mask & WL_EVENT_READABLE ? read(fd, text + have, sizeof text - 1 - have) : 0;
    have += n > 0 ? (size_t)n : 0;
    if (n > 0 && !strchr(text, '\n') && have < sizeof text - 1)
        return 0;
    wl_event_source_remove(*source);
    close(fd);
    if (n > 0 && xwm_create(wm_socket))
        snprintf(run.display, sizeof run.display, "DISPLAY=:%d", atoi(text));
    else
        x_failed("did not start: X programs will find no display");
    said.have = 0;
    start_program();
    return 0;
}

/* Keeps a descriptor open through exec. */
static bool keep_fd(int fd) {
    return fcntl(fd, F_SETFD, 0) == 0;
}

static bool start_xwayland(void) {
    static struct wl_event_source *source;
    int wayland[2], wm[2], ready[2], errors[2];
    char socket_number[48], wm_number[16], ready_number[16];
    if (!processes_have("Xwayland") ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wayland) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wm) || pipe2(ready, O_CLOEXEC) ||
        pipe2(errors, O_CLOEXEC))
        return false;
    snprintf(socket_number, sizeof socket_number, "WAYLAND_SOCKET=%d", wayland[1]);
    snprintf(wm_number, sizeof wm_number, "%d", wm[1]);
    snprintf(ready_number, sizeof ready_number, "%d", ready[1]);
    char *argv[] = {"Xwayland", "-rootless", "-noreset",   "-nolisten",  "tcp",
                    "-wm",      wm_number,   "-displayfd", ready_number, NULL};
    const char *const variables[] = {socket_number, "TESLAPIPE_RECORD", "TESLAPIPE_CI", "DISPLAY",
                                     NULL};
    keep_fd(wayland[1]);
    keep_fd(wm[1]);
    keep_fd(ready[1]);
    processes.xwayland = processes_start(argv, variables, errors[1]);
    close(errors[1]);
    said.fd = errors[0];
    fcntl(said.fd, F_SETFL, O_NONBLOCK);
    said.source = wl_event_loop_add_fd(compositor.loop, said.fd, WL_EVENT_READABLE, x_says, NULL);
    close(wayland[1]);
    close(wm[1]);
    close(ready[1]);
    wm_socket = wm[0];
    xwm_set_client(wl_client_create(compositor.display, wayland[0]));
    source =
        wl_event_loop_add_fd(compositor.loop, ready[0], WL_EVENT_READABLE, x_is_ready, &source);
    return processes.xwayland > 0;
}

static bool listen_for_programs(void) {
    const int fd = processes_listen("wayland", SOCK_STREAM);
    name_socket(run.wayland, sizeof run.wayland, true);
    return fd >= 0 && wl_display_add_socket_fd(compositor.display, fd) == 0;
}

bool window_share(void) {
    char folder[256], path[300], line[128];
    if (!processes_find(folder, sizeof folder))
        return false;
    snprintf(path, sizeof path, "%s/environment", folder);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, '=');
        if (!value)
            continue;
        *value = 0;
        setenv(line, value + 1, 1);
    }
    setenv("TESLAPIPE_WINDOW", folder, 1);
    unsetenv("EGL_PLATFORM");
    if (f)
        fclose(f);
    return f != NULL;
}

/* ---- the loop ---- */

static const char *chip_name(void) {
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (chips[i].chipset == compositor.chipset)
            return chips[i].name;
    return "another driver";
}

static void renew_title(uint64_t now) {
    char title[256];
    const double seconds = (double)(now - run.titled) * 1e-9;
    const uint64_t frames = compositor.frames - run.title_frames;
    const uint64_t draws = compositor.draws - run.title_draws;
    if (seconds < 1)
        return;
    const bool counted = run.title_draws && frames && draws < UINT64_C(1) << 32;
    snprintf(title, sizeof title, "%s - teslapipe %s, %.1f frames/s, %.0f draws a frame%s",
             compositor.primary && compositor.primary->title[0] ? compositor.primary->title
                                                                : run.program[0],
             chip_name(), (double)frames / seconds, counted ? (double)draws / (double)frames : 0,
             run.records ? ", recording" : "");
    host_title(title);
    run.titled = now;
    run.title_frames = compositor.frames;
    run.title_draws = compositor.draws;
}

/* Shows a new picture if there is one. False if a committed buffer is not complete yet. */
static bool show_frame(void) {
    const uint64_t now = now_ns();
    if (!pace_may_show(now))
        return true;
    const bool complete = compositor_take();
    if (compositor.frames && !run.first_frame)
        run.first_frame = now;
    if (compositor.dirty) {
        compositor_compose();
        host_show(&compositor.frame);
        pace_shown(now);
        if (run.records && compositor.frames != run.recorded)
            record_picture();
        seat_repick();
    }
    renew_title(now);
    return complete;
}

/* Shows a picture and handles events once. Waits at most most_ms for events. */
static void serve_once(int most_ms) {
    const bool complete = show_frame();
    host_events(); /* after show_frame(), which may queue input that does not wake the loop */
    int wait = complete ? pace_wait(now_ns(), most_ms) : POLL_MS;
    if (!host_is_watched() && wait > LOOK_MS)
        wait = LOOK_MS;
    wl_display_flush_clients(compositor.display);
    wl_event_loop_dispatch(compositor.loop, wait < most_ms ? wait : most_ms);
}

static void serve_until_end(void) {
    while (!run.quit) {
        serve_once(IDLE_MS);
        const double seconds = (double)(now_ns() - run.started) * 1e-9;
        run.quit |= run.options->seconds > 0 && seconds >= run.options->seconds;
        run.quit |= run.ended && !windows_left();
        run.quit |= run.close_due && (int32_t)(now_ms() - run.close_due) >= 0;
    }
}

/* With --seconds: prints the number and the rate of frames since the first picture. */
static void print_summary(void) {
    const double seconds = (double)(now_ns() - run.first_frame) * 1e-9;
    if (!compositor.frames)
        printf("nothing was drawn\n");
    else
        printf("%s: %llu frames in %.1f s, %.1f frames/s\n", chip_name(),
               (unsigned long long)compositor.frames, seconds, (double)compositor.frames / seconds);
    fflush(stdout);
}

static int tell_failure(const char *what) {
    fprintf(stderr, "teslapipe gl: --%s: %s\n", run.options->kms ? "kms" : "window", what);
    return EXIT_FAILURE;
}

bool window_has_display(void) {
    const bool shown = host_open(false, false);
    if (shown)
        host_close();
    return shown;
}

int window_run(const struct window_options *o, char **program) {
    const bool fixed = o->width > 0;
    run.options = o;
    run.program = program;
    run.started = run.titled = now_ns();
    if (!host_open(o->headless, o->fullscreen))
        return tell_failure(
            "no display for the window (DISPLAY, WAYLAND_DISPLAY); --headless needs none");
    if (!processes_create())
        return tell_failure("no folder for its sockets in XDG_RUNTIME_DIR or /tmp");
    signal(SIGPIPE, SIG_IGN);
    if (!compositor_create(fixed ? o->width : DEFAULT_WIDTH, fixed ? o->height : DEFAULT_HEIGHT,
                           fixed) ||
        !listen_for_programs() || (o->kms && !scanout_create(run.kms, sizeof run.kms))) {
        processes_end(NULL);
        return tell_failure("the compositor does not start (memory, keyboard layout or sockets)");
    }
    wl_event_loop_add_signal(compositor.loop, SIGCHLD, child_ended, NULL);
    wl_event_loop_add_signal(compositor.loop, SIGTERM, told_to_end, NULL);
    wl_event_loop_add_signal(compositor.loop, SIGINT, told_to_end, NULL);
    wl_event_loop_add_signal(compositor.loop, SIGHUP, told_to_end, NULL);
    wl_event_loop_add_signal(compositor.loop, SIGUSR1, told_to_save, NULL);
    if (o->kms) {
        start_program();
    } else if (!start_xwayland()) {
        fprintf(stderr, "teslapipe gl: %s: Wayland programs only\n",
                processes_have("Xwayland") ? "Xwayland cannot be started (processes, descriptors)"
                                           : "Xwayland is not installed (Debian: xwayland)");
        start_program();
    }
    serve_until_end();
    if (o->seconds > 0)
        print_summary();
    if (o->png && !save_to(o->png))
        run.code = EXIT_FAILURE;
    host_close();
    run.quit = true;
    processes_end(serve_once);
    return run.code;
}
