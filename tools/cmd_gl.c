/* teslapipe gl: runs an OpenGL program on the DRM render node. In: a command line. Out: the
 * program, with the preload library and Mesa's environment set, in place of this process or in a
 * window. The preload library warns if the program draws with another driver. Must not know
 * graphics.
 */
#define _GNU_SOURCE
#include "tools/cmd_gl.h"

#include "drm/chip.h"
#include "fifo/quirks.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 }; /* a shell's exit codes */

/* Parses the options before PROGRAM. Returns the index of PROGRAM, or -1 with *code set. */
static int parse_options(int argc, char **argv, struct gl_options *o, int *code) {
    const struct option_spec options[] = {
        {"--chip", "CHIP", OPTION_TEXT, &o->chip,
         "g80 g84 g92 g98 g200 mcp77 gt215 ..., or a number as 0xa3 (gt215)"},
        THREADS_OPTION(&o->threads),
        ENGINE_OPTION(&o->engine),
        FAST_OPTION(&o->fast),
        {"--budget", "N", OPTION_LONG, &o->budget,
         "instructions that a warp may execute (no limit but 5 seconds)"},
        {"--log", "LEVEL[:FILE]", OPTION_TEXT, &o->log,
         "error, warning (default), info, debug or profile"},
        {"--record", "FILE", OPTION_TEXT, &o->record,
         "write the command stream, for replay; %p in FILE: a file for each process"},
        {"--keep-source", NULL, OPTION_FLAG, &o->keep_source,
         "with --record: the GLSL of PROGRAM, too, for `debug`, `why --source`, `replay --html`"},
        {"--timeline", "FILE", OPTION_TEXT, &o->timeline,
         "when PROGRAM ends: what each thread did, for trace viewers (ui.perfetto.dev)"},
        {"--check-memory", NULL, OPTION_FLAG, &o->check_memory,
         "reports memory errors and races of GPU programs; exit code 4 if there are any"},
        {"--not-finite", NULL, OPTION_FLAG, &o->not_finite,
         "with --check-memory: also report where NaN and infinity first appear"},
        {"--suppressions", "FILE", OPTION_TEXT, &o->suppressions,
         "with --check-memory: lines KIND [PROGRAM [ADDRESS]] name findings to ignore"},
        {"--json", "FILE", OPTION_TEXT, &o->json, "with --check-memory: write the report as JSON"},
        {"--sync", NULL, OPTION_FLAG, &o->sync, "every submission waits for its results"},
        {"--quirks", NULL, OPTION_FLAG, &o->quirks,
         "work around faults of the driver; --quirks list names the faults"},
        {"--check", NULL, OPTION_FLAG, &o->check,
         "tests whether programs can run here; no PROGRAM"},
        {"--window", NULL, OPTION_FLAG, &o->window,
         "shows PROGRAM, X11 or Wayland, in a window of its own"},
        {"--size", "WxH", OPTION_SIZE, &o->size, "the window's size (the program's)"},
        {"--fullscreen", NULL, OPTION_FLAG, &o->fullscreen, "the window fills the screen"},
        {"--headless", NULL, OPTION_FLAG, &o->headless, "run without showing the window"},
        {"--desktop", NULL, OPTION_FLAG, &o->desktop,
         "a session with a panel and terminals; no PROGRAM"},
        {"--kms", NULL, OPTION_FLAG, &o->kms,
         "PROGRAM finds a display device (/dev/dri/card0) and input devices, shown in\n"
         "the window, and no X server: kmscube, SDL2's kmsdrm, weston, Xorg"},
        {"--share", NULL, OPTION_FLAG, &o->share, "PROGRAM joins the window that was started last"},
        SECONDS_OPTION(&o->seconds, "with a window: ends after this time"),
        {"--png", "FILE", OPTION_TEXT, &o->png, "with a window: the last picture"},
        {"-o", "FOLDER", OPTION_TEXT, &o->output,
         "with a window: where saved pictures go (the current folder)"},
        {0},
    };
    const struct command command = {
        "gl",
        "[options] [--] PROGRAM [arguments]",
        "Runs PROGRAM with Mesa's nouveau driver on this software GPU (docs/opengl.md).\n\n"
        "In the window: Ctrl+Alt+S saves a picture, Ctrl+Alt+R starts and stops recording pictures,\n"
        "Ctrl+Alt+F full screen, Ctrl+Alt+G gives the mouse back. SIGUSR1 saves a picture, too.",
        options,
        "teslapipe gl -- es2_info\n"
        "teslapipe gl --window -- glxgears\n"
        "teslapipe gl --chip g80 --record frames.tpr -- PROGRAM",
    };
    const int i = command_parse_program(&command, argc, argv, code);
    if (i < 0 || i < argc || o->check || o->desktop)
        return i;
    command_usage(&command, "which program? (see --help)");
    return -1;
}

#if defined __x86_64__
#define MULTIARCH "x86_64-linux-gnu"
#elif defined __aarch64__
#define MULTIARCH "aarch64-linux-gnu"
#else
#define MULTIARCH "."
#endif

/* Finds the preload library beside this program or in the places where packages install it. */
static bool find_library(char *path, size_t size) {
    static const char *const places[] = {"", "../lib/teslapipe/",
                                         "../lib/" MULTIARCH "/teslapipe/"};
    char own[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places && own_folder(own); i++)
        if ((size_t)snprintf(path, size, "%s/%slibteslapipe-drm.so", own, places[i]) < size &&
            access(path, R_OK) == 0)
            return true;
    return false;
}

/* If there is a library for 32-bit programs, too, replaces the folder by $LIB, which the loader
 * expands for each kind of program. */
static void choose_by_kind(char *path, size_t size) {
    static const char *const places[][2] = {{"", ""}, {"../", "teslapipe/"}};
    char own[PATH_MAX], other[PATH_MAX + 64];
    for (size_t i = 0; i < sizeof places / sizeof *places && own_folder(own); i++) {
        snprintf(other, sizeof other, "%s/%slib/i386-linux-gnu/%slibteslapipe-drm.so", own,
                 places[i][0], places[i][1]);
        if (access(other, R_OK) == 0 &&
            (size_t)snprintf(other, sizeof other, "%s/%s$LIB/%slibteslapipe-drm.so", own,
                             places[i][0], places[i][1]) < size) {
            strcpy(path, other);
            return;
        }
    }
}

bool gl_has_chip(const char *command, const char *chip) {
    if (!chip || chip_find(chip))
        return true;
    fprintf(stderr, "teslapipe %s: no chip named %s; there are:", command, chip);
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        fprintf(stderr, " %s", chips[i].name);
    fputc('\n', stderr);
    return false;
}

int gl_refused(const char *format, const char *what) {
    fprintf(stderr, "teslapipe gl: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return EXIT_USAGE;
}

static int refuse_file(const char *option, const char *path) {
    fprintf(stderr, "teslapipe gl: %s: cannot write %s: %s\n", option, path, strerror(errno));
    return EXIT_USAGE;
}

/* A name with %p stands for one file for each process, so only the folder can be tested. */
static bool is_writable(const char *path) {
    const char *const slash = strrchr(path, '/');
    char folder[PATH_MAX];
    if (strstr(path, "%p")) {
        snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                 slash ? path : ".");
        return access(folder, W_OK) == 0;
    }
    FILE *f = fopen(path, "ae");
    return f && fclose(f) == 0;
}

/* Checks options that the preload library would silently ignore. Returns 0 or an exit code. */
static int check_driver(const struct gl_options *o) {
    static const char *const levels[] = {"error", "warning", "info", "debug", "profile"};
    const size_t length = o->log ? strcspn(o->log, ":") : 0;
    bool known = !o->log;
    for (size_t i = 0; i < sizeof levels / sizeof *levels && !known; i++)
        known = strlen(levels[i]) == length && strncasecmp(o->log, levels[i], length) == 0;
    if (!gl_has_chip("gl", o->chip))
        return EXIT_USAGE;
    if (!known)
        return gl_refused("--log %s: the levels are error, warning, info, debug and profile",
                          o->log);
    if (o->log && o->log[length] && !is_writable(o->log + length + 1))
        return refuse_file("--log", o->log + length + 1);
    if (o->record && !is_writable(o->record))
        return refuse_file("--record", o->record);
    if (o->keep_source && !o->record)
        return gl_refused("%s goes with --record", "--keep-source");
    if (o->timeline && !is_writable(o->timeline))
        return refuse_file("--timeline", o->timeline);
    if (o->suppressions && access(o->suppressions, R_OK) != 0)
        return gl_refused("--suppressions: cannot read %s", o->suppressions);
    if ((o->json || o->suppressions || o->not_finite) && !o->check_memory)
        return gl_refused("%s goes with --check-memory", o->json           ? "--json"
                                                         : o->suppressions ? "--suppressions"
                                                                           : "--not-finite");
    if (o->json && (!is_writable(o->json) || truncate(o->json, 0) != 0))
        return refuse_file("--json", o->json);
    return 0;
}

static int list_quirks(void) {
    for (size_t i = 0; i < QUIRKS; i++)
        printf("%-10s %s\n", quirks[i].name, quirks[i].text);
    return EXIT_FINE;
}

static bool gl_wants_window(const struct gl_options *o) {
    return o->window || o->headless || o->desktop || o->fullscreen || o->kms || o->share;
}

/* Finds options that contradict each other. program NULL: none is given. Returns 0 or an exit
 * code. */
static int check_together(const struct gl_options *o, const char *program) {
    const bool window = gl_wants_window(o) && !o->share;
    const char *const alone = o->seconds      ? "--seconds"
                              : o->png        ? "--png"
                              : o->output     ? "-o"
                              : o->size.width ? "--size"
                                              : NULL;
    const char *const runs = o->record            ? "--record"
                             : o->timeline        ? "--timeline"
                             : o->check_memory    ? "--check-memory"
                             : gl_wants_window(o) ? "a window"
                                                  : program;
    if (o->check && runs)
        return gl_refused("--check runs no PROGRAM, so %s contradicts it", runs);
    if (alone && !window)
        return gl_refused("%s is for programs in a window: add --window, --headless or --kms",
                          alone);
    if (o->headless && (o->window || o->fullscreen))
        return gl_refused("--headless shows no window, so %s contradicts it",
                          o->window ? "--window" : "--fullscreen");
    if (o->share && (o->desktop || o->kms || o->headless || o->fullscreen))
        return gl_refused("--share joins a window that is there, so %s contradicts it",
                          o->desktop    ? "--desktop"
                          : o->kms      ? "--kms"
                          : o->headless ? "--headless"
                                        : "--fullscreen");
    return 0;
}

/* Finds the path of a program as a shell does. Returns false with errno set if there is none. */
static bool find_program(const char *name, char *path, size_t size) {
    const char *folders = strchr(name, '/') ? NULL : getenv("PATH");
    int error = ENOENT;
    if (!folders) {
        snprintf(path, size, "%s", name);
        return access(path, F_OK) == 0;
    }
    for (const char *f = folders;; f += strcspn(f, ":") + 1) {
        const int length = (int)strcspn(f, ":");
        snprintf(path, size, "%.*s%s%s", length, f, length ? "/" : "", name);
        if (access(path, X_OK) == 0)
            return true;
        if (errno != ENOENT && errno != ENOTDIR)
            error = errno;
        if (!f[length])
            break;
    }
    errno = error;
    return false;
}

/* Writes the path of the interpreter that a script's first line names. Returns true if this
 * interpreter cannot be started. */
static bool lacks_interpreter(const char *path, char *interpreter, size_t size) {
    char line[256] = "";
    FILE *f = fopen(path, "re");
    const bool script = f && fgets(line, sizeof line, f) && strncmp(line, "#!", 2) == 0;
    if (f)
        fclose(f);
    const char *name = line + 2 + strspn(line + 2, " \t");
    snprintf(interpreter, size, "%.*s", (int)strcspn(name, " \t\r\n"), name);
    return script && access(interpreter, X_OK) != 0;
}

/* Prints why a program cannot be started. Returns 0 or an exit code like a shell's. */
static int check_program(const char *name) {
    char path[PATH_MAX], interpreter[256];
    struct stat st;
    if (!find_program(name, path, sizeof path)) {
        const int code = errno == EACCES ? EXIT_NOT_EXECUTABLE : EXIT_NOT_FOUND;
        fprintf(stderr, "teslapipe gl: %s: %s%s\n", name, strerror(errno),
                errno == ENOENT && !strchr(name, '/') ? "; no folder of PATH has it" : "");
        return code;
    }
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        fprintf(stderr, "teslapipe gl: %s: is a folder\n", name);
        return EXIT_NOT_EXECUTABLE;
    }
    if (access(path, X_OK) != 0) {
        fprintf(stderr, "teslapipe gl: %s: %s\n", name, strerror(errno));
        return EXIT_NOT_EXECUTABLE;
    }
    if (lacks_interpreter(path, interpreter, sizeof interpreter)) {
        fprintf(stderr, "teslapipe gl: %s: its interpreter %s is missing\n", name, interpreter);
        return EXIT_NOT_EXECUTABLE;
    }
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

/* A blank separates paths in LD_PRELOAD, but not in LD_LIBRARY_PATH, so a folder with a blank goes
 * into LD_LIBRARY_PATH. */
static void set_preload(char *library) {
    char *name = strrchr(library, '/');
    if (strchr(library, ' ')) {
        *name++ = 0;
        put_before("LD_LIBRARY_PATH", library);
        library = name;
    }
    put_before("LD_PRELOAD", library);
}

/* A program with the address sanitizer demands that the sanitizer is the first library; the
 * preloaded library takes that place, so the check is disabled. */
static void allow_sanitizer(void) {
    static const char order[] = "verify_asan_link_order";
    const char *const options = getenv("ASAN_OPTIONS");
    char text[PATH_MAX];
    if (options && strstr(options, order))
        return;
    snprintf(text, sizeof text, "%s%s%s=0", options ? options : "", options && *options ? ":" : "",
             order);
    setenv("ASAN_OPTIONS", text, 1);
}

/* Returns the number of threads for an MPI rank: the ranks on a machine share its cores. Returns 0
 * if this process is no rank or the machine's only one, or if the user gave a number. mpirun and
 * srun set the number of ranks. */
static int threads_of_rank(const struct gl_options *o) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "PMI_LOCAL_SIZE"};
    const char *ranks = NULL;
    for (size_t i = 0; !ranks && i < sizeof names / sizeof *names; i++)
        ranks = getenv(names[i]);
    const int count = ranks && !o->threads && !getenv("TESLAPIPE_THREADS") ? atoi(ranks) : 0;
    if (count < 2)
        return 0;
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN), share = cores / count;
    const int threads = share > 1 ? share : 1;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!rank || strcmp(rank, "0") == 0)
        fprintf(stderr, "teslapipe gl: %d ranks on this machine, each of %d %s\n", count, threads,
                threads == 1 ? "thread" : "threads");
    return threads;
}

/* Preloads libteslapipe-source.so from the folder of the preload library. The library does not
 * exist for 32-bit programs. */
static void preload_source(const char *library) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/libteslapipe-source.so",
             (int)(strrchr(library, '/') - library), library);
    set_preload(path);
}

static void set_environment(const struct gl_options *o, const char *library) {
    char loaded[PATH_MAX];
    if (o->keep_source)
        preload_source(library);
    snprintf(loaded, sizeof loaded, "%s", library);
    choose_by_kind(loaded, sizeof loaded);
    set_preload(loaded);
    set_if("TESLAPIPE_CHIP", o->chip);
    char threads[16], budget[24];
    const int of_rank = threads_of_rank(o), count = of_rank ? of_rank : o->threads;
    snprintf(threads, sizeof threads, "%d", count);
    snprintf(budget, sizeof budget, "%llu", (unsigned long long)o->budget);
    set_if("TESLAPIPE_THREADS", count ? threads : NULL);
    set_if("TESLAPIPE_BUDGET", o->budget ? budget : NULL);
    set_if("TESLAPIPE_ENGINE", o->engine);
    set_if("TESLAPIPE_ARITHMETIC", o->fast ? "fast" : NULL);
    set_if("TESLAPIPE_LOG", o->log);
    set_if("TESLAPIPE_RECORD", o->record);
    set_if("TESLAPIPE_CHECK_MEMORY", o->check_memory ? "1" : NULL);
    set_if("TESLAPIPE_TIMELINE", o->timeline);
    set_if("TESLAPIPE_CHECK_JSON", o->json);
    set_if("TESLAPIPE_SUPPRESSIONS", o->suppressions);
    set_if("TESLAPIPE_NOT_FINITE", o->not_finite ? "1" : NULL);
    set_if("TESLAPIPE_SYNC", o->sync ? "1" : NULL);
    set_if("TESLAPIPE_QUIRKS", o->quirks ? "1" : NULL);
    /* GL_SELECT and feedback run in Mesa's draw module. Its LLVM path compiles code for each change
     * of state and crashes with lighting (docs/opengl.md). */
    setenv("DRAW_USE_LLVM", "0", 0);
    allow_sanitizer();
    unsetenv("LIBGL_ALWAYS_SOFTWARE");
    unsetenv("GALLIUM_DRIVER");
    unsetenv("MESA_LOADER_DRIVER_OVERRIDE");
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("EGL_PLATFORM"))
        setenv("EGL_PLATFORM", "surfaceless", 1);
}

COMMAND(gl) {
    struct gl_options o = {0};
    char library[PATH_MAX];
    int code;
    if (argc == 2 && strcmp(argv[1], GL_CHECK_INSIDE) == 0)
        return gl_parts ? gl_parts->check_inside() : run_interactive(argc, argv);
    const int program = parse_options(argc, argv, &o, &code);
    if (o.quirks && program == argc - 1 && strcmp(argv[program], "list") == 0)
        return list_quirks();
    if (program < 0 || (code = check_together(&o, program < argc ? argv[program] : NULL)) ||
        (program < argc && (code = check_program(argv[program]))) || (code = check_driver(&o)))
        return code;
    if ((gl_wants_window(&o) || o.check) && !gl_parts)
        return run_interactive(argc, argv);
    if (!find_library(library, sizeof library)) {
        fprintf(stderr, "teslapipe gl: libteslapipe-drm.so is neither beside this program nor in "
                        "../lib/teslapipe; Debian's package teslapipe-gl has it\n");
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
    return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
