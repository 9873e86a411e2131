/* teslapipe gl: runs an OpenGL program on the DRM render node. In: a command line. Out: the
 * program, with the preload library and Mesa's environment set, in place of this process. The
 * preload library warns if the program draws with another driver. Must not know graphics.
 */
#define _GNU_SOURCE
#include "tools/cmd_gl.h"

#include "drm/chip.h"
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: teslapipe gl [options] [--] PROGRAM [arguments]\n\n"
    "Runs PROGRAM with Mesa's nouveau driver on this software GPU (docs/opengl.md).\n\n"
    "  --chip NAME      g80 g84 g92 g98 g200 mcp77 gt215 ..., or a number as 0xa3 (default gt215)\n"
    "  --threads N      worker threads (default: one per CPU)\n"
    "  --engine NAME    interp or native (default: native)\n"
    "  --log LEVEL[:FILE]  error, warning (default), info, debug or profile\n"
    "  --record FILE    write the command stream, for teslapipe replay\n"
    "  --sync           every submission waits for its results\n"
    "  --check          tests whether programs can run here; no PROGRAM\n\n"
    "  --window         shows PROGRAM, X11 or Wayland, in a window of its own\n"
    "  --size WxH       the window's size (default: the program's)\n"
    "  --fullscreen     the whole screen\n"
    "  --headless       no window is shown, all else is the same\n"
    "  --desktop        a session with a panel and terminals; no PROGRAM\n"
    "  --kms            PROGRAM finds a display device (/dev/dri/card0) and input devices, shown in\n"
    "                   the window, instead of an X server: kmscube, SDL2's kmsdrm, weston, Xorg\n"
    "  --share          PROGRAM joins the window that was started last\n"
    "  --seconds N      ends after this time\n"
    "  --png FILE       the last picture\n"
    "  -o FOLDER        where saved pictures go (default: the current one)\n"
    "In the window: Ctrl+Alt+S saves a picture, Ctrl+Alt+R starts and stops recording pictures,\n"
    "Ctrl+Alt+F full screen, Ctrl+Alt+G gives the mouse back. SIGUSR1 saves a picture, too.\n";

/* Parses the options before PROGRAM. Returns the index of PROGRAM, or -1 with *code set. */
static int parse_options(int argc, char **argv, struct gl_options *o, int *code) {
    const struct {
        const char *name;
        const char **text;
        bool *flag;
    } known[] = {
        {"--chip", &o->chip, NULL},
        {"--threads", &o->threads, NULL},
        {"--engine", &o->engine, NULL},
        {"--log", &o->log, NULL},
        {"--record", &o->record, NULL},
        {"--sync", NULL, &o->sync},
        {"--check", NULL, &o->check},
        {"--window", NULL, &o->window},
        {"--fullscreen", NULL, &o->fullscreen},
        {"--headless", NULL, &o->headless},
        {"--desktop", NULL, &o->desktop},
        {"--kms", NULL, &o->kms},
        {"--share", NULL, &o->share},
        {"--size", &o->size, NULL},
        {"--seconds", &o->seconds, NULL},
        {"--png", &o->png, NULL},
        {"-o", &o->output, NULL},
    };
    const int count = sizeof known / sizeof *known;
    int i = 1;
    *code = EXIT_USAGE;
    while (i < argc && argv[i][0] == '-') {
        int k = 0;
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            *code = EXIT_FINE;
            return -1;
        }
        while (k < count && strcmp(known[k].name, argv[i]) != 0)
            k++;
        if (k == count || (known[k].text && i + 1 >= argc)) {
            fprintf(stderr,
                    k == count ? "teslapipe gl: %s is no option (see --help)\n"
                               : "teslapipe gl: %s needs an argument\n",
                    argv[i]);
            return -1;
        }
        if (known[k].text)
            *known[k].text = argv[++i];
        else
            *known[k].flag = true;
        i++;
    }
    if (i >= argc && !o->check && !o->desktop)
        fprintf(stderr, "teslapipe gl: which program? (see --help)\n");
    return i < argc || o->check || o->desktop ? i : -1;
}

/* Finds the preload library beside this program or where it is installed. */
static bool find_library(char *path, size_t size) {
    static const char *const places[] = {"", "../lib/"};
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return false;
    own[length] = 0;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if ((size_t)snprintf(path, size, "%s/%slibteslapipe-drm.so", own, places[i]) < size &&
            access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* If there is a library for 32-bit programs, too, lets the loader choose: it replaces $LIB by
 * the folder for the kind of program. */
static void choose_by_kind(char *path, size_t size) {
    static const char *const roots[] = {"", "../"};
    char own[PATH_MAX], other[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return;
    own[length] = 0;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(other, sizeof other, "%s/%slib/i386-linux-gnu/libteslapipe-drm.so", own, roots[i]);
        if (access(other, R_OK) == 0 &&
            (size_t)snprintf(other, sizeof other, "%s/%s$LIB/libteslapipe-drm.so", own, roots[i]) <
                size) {
            strcpy(path, other);
            return;
        }
    }
}

int gl_refused(const char *format, const char *what) {
    fprintf(stderr, "teslapipe gl: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static bool is_writable(const char *path) {
    FILE *f = fopen(path, "ae");
    return f && fclose(f) == 0;
}

/* Checks options that the preload library would ignore if they were wrong; 0 or an exit code. */
static int check_driver(const struct gl_options *o) {
    static const char *const levels[] = {"error", "warning", "info", "debug", "profile"};
    const size_t length = o->log ? strcspn(o->log, ":") : 0;
    bool known = !o->log;
    for (size_t i = 0; i < sizeof levels / sizeof *levels && !known; i++)
        known = strlen(levels[i]) == length && strncasecmp(o->log, levels[i], length) == 0;
    if (o->chip && !chip_find(o->chip)) {
        fprintf(stderr, "teslapipe gl: no chip named %s; there are:", o->chip);
        for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
            fprintf(stderr, " %s", chips[i].name);
        fputc('\n', stderr);
        return EXIT_USAGE;
    }
    if (o->threads && (!*o->threads || o->threads[strspn(o->threads, "0123456789")]))
        return gl_refused("--threads takes a number, not %s", o->threads);
    if (!known)
        return gl_refused("--log %s: the levels are error, warning, info, debug and profile",
                          o->log);
    if (o->log && o->log[length] && !is_writable(o->log + length + 1))
        return gl_refused("--log: cannot write %s", o->log + length + 1);
    if (o->record && !is_writable(o->record))
        return gl_refused("--record: cannot write %s", o->record);
    return 0;
}

static void set_if(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
}

static void put_before(const char *variable, const char *value) {
    const char *others = getenv(variable);
    char text[4 * PATH_MAX];
    snprintf(text, sizeof text, "%s%s%s", value, others && *others ? ":" : "",
             others ? others : "");
    setenv(variable, text, 1);
}

/* A space ends a path in LD_PRELOAD, but not in LD_LIBRARY_PATH. */
static void set_preload(char *library) {
    char *name = strrchr(library, '/');
    if (strchr(library, ' ')) {
        *name++ = 0;
        put_before("LD_LIBRARY_PATH", library);
        library = name;
    }
    put_before("LD_PRELOAD", library);
}

static void set_environment(const struct gl_options *o, const char *library) {
    char loaded[PATH_MAX];
    snprintf(loaded, sizeof loaded, "%s", library);
    choose_by_kind(loaded, sizeof loaded);
    set_preload(loaded);
    set_if("TESLAPIPE_CHIP", o->chip);
    set_if("TESLAPIPE_THREADS", o->threads);
    set_if("TESLAPIPE_ENGINE", o->engine);
    set_if("TESLAPIPE_LOG", o->log);
    set_if("TESLAPIPE_RECORD", o->record);
    set_if("TESLAPIPE_SYNC", o->sync ? "1" : NULL);
    /* GL_SELECT and feedback run in Mesa's draw module. Its LLVM path compiles code for each change
     * of state, and crashes with lighting (docs/opengl.md). */
    setenv("DRAW_USE_LLVM", "0", 0);
    unsetenv("LIBGL_ALWAYS_SOFTWARE");
    unsetenv("GALLIUM_DRIVER");
    unsetenv("MESA_LOADER_DRIVER_OVERRIDE");
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("EGL_PLATFORM"))
        setenv("EGL_PLATFORM", "surfaceless", 1);
}

static bool gl_wants_window(const struct gl_options *o) {
    return o->window || o->headless || o->desktop || o->fullscreen || o->kms || o->share;
}

int cmd_gl(int argc, char **argv);
int cmd_gl(int argc, char **argv) {
    struct gl_options o = {0};
    char library[PATH_MAX];
    int code;
    if (argc == 2 && strcmp(argv[1], GL_CHECK_INSIDE) == 0)
        return gl_parts ? gl_parts->check_inside() : run_interactive(argc, argv);
    const int program = parse_options(argc, argv, &o, &code);
    if (program < 0 || (code = check_driver(&o)))
        return code;
    if ((gl_wants_window(&o) || o.check) && !gl_parts)
        return run_interactive(argc, argv);
    if (!find_library(library, sizeof library)) {
        fprintf(stderr,
                "teslapipe gl: libteslapipe-drm.so is neither beside this program nor in ../lib\n");
        return EXIT_FAILED;
    }
    if (strchr(library, ':'))
        return gl_refused("%s: no program can be told to load a library whose path has a colon",
                          library);
    set_environment(&o, library);
    if (o.check)
        return gl_parts->check(library);
    if (gl_wants_window(&o) && (code = gl_parts->in_window(&o, argv + program)) >= 0)
        return code;
    execvp(argv[program], argv + program);
    fprintf(stderr, "teslapipe gl: %s: %s\n", argv[program], strerror(errno));
    return EXIT_FAILED;
}
