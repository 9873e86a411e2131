/* Warns when a program draws with Mesa's software renderer instead of this GPU. The warning names
 * the library that asked for the renderer, a probable cause and a remedy. In: names given to
 * threads (llvmpipe names its own) and the use of the node so far. Out: a few lines on stderr, once
 * a process.
 */
#define _GNU_SOURCE
#include "drm/ci.h"
#include "drm/node.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>

static bool driver_is_installed(void) {
    static const char *const places[] = {
        "/usr/lib/*/dri/nouveau_dri.so", "/usr/lib/dri/nouveau_dri.so",
        "/usr/lib64/dri/nouveau_dri.so", "/usr/local/lib*/dri/nouveau_dri.so"};
    const char *set = getenv("LIBGL_DRIVERS_PATH");
    bool found = set && *set;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++) {
        glob_t g;
        found = glob(places[i], 0, NULL, &g) == 0;
        globfree(&g);
    }
    return found;
}

/* The name of a variable that makes Mesa choose another driver; NULL if none is set. */
static const char *asked_for(void) {
    static const char *const variables[] = {"LIBGL_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE",
                                            "GALLIUM_DRIVER"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value && strcmp(value, "0") != 0 && strcmp(value, "false") != 0)
            return variables[i];
    }
    return NULL;
}

static void explain_fallback(void) {
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    const unsigned refused = node_refused();
    const char *variable = node_use() == NODE_UNTOUCHED ? asked_for() : NULL;
    fputs("teslapipe: WARNING: ", stderr);
    if (variable)
        fprintf(stderr,
                "The environment asks for another driver: %s=%s. Run the program without it.\n",
                variable, getenv(variable));
    else if (!driver_is_installed())
        fputs("Mesa's driver nouveau_dri.so is not installed (Debian: libgl1-mesa-dri).\n", stderr);
    else if (node_use() == NODE_OPENED && refused)
        fprintf(stderr,
                "The driver opened the GPU and gave up; the last request that was refused is ioctl "
                "0x%02x (--log info says more).\n",
                refused);
    else if (node_use() != NODE_UNTOUCHED)
        fputs("The GPU was opened, but its driver was not chosen.\n", stderr);
    else if (display || wayland)
        fprintf(stderr,
                "The program did not open the GPU: %s %s hands out none. Give the program a "
                "window of its own: teslapipe gl --window -- PROGRAM\n",
                wayland ? "the Wayland compositor" : "the X server", wayland ? wayland : display);
    else
        fputs("The program did not open the GPU. Off screen, EGL's surfaceless, device and GBM "
              "platforms find it; a program that wants a window needs teslapipe gl --window.\n",
              stderr);
}

static atomic_bool warned;

/* who: an address in the library that asked for the renderer, or NULL. */
static void warn_of_renderer(const char *renderer, const void *who) {
    Dl_info library = {0};
    if (node_use() == NODE_USED || atomic_exchange(&warned, true))
        return;
    ci_other_driver(renderer);
    dladdr(who, &library); /* fails outside all libraries: then no library is named */
    fprintf(stderr, "\nteslapipe: WARNING: %s does not draw on teslapipe: %s is loaded%s%s.\n",
            program_invocation_short_name, renderer, library.dli_fname ? ", in " : "",
            library.dli_fname ? library.dli_fname : "");
    explain_fallback();
    fputs("teslapipe: WARNING: teslapipe gl --check tests what is needed.\n\n", stderr);
}

/* Mesa's software renderer names the threads that it draws with. */
__attribute__((visibility("default"))) int pthread_setname_np(pthread_t thread, const char *name) {
    static __typeof__(pthread_setname_np) *next;
    static const char renderer[] = "llvmpipe";
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_setname_np");
    if (strncmp(name, renderer, sizeof renderer - 1) == 0)
        warn_of_renderer(renderer, __builtin_return_address(0));
    return next(thread, name);
}

/* Runs at exit. A program that wants a display and finds none fails before it opens the GPU. Such a
 * program has loaded the library of X11 or Wayland. */
static void hint_at_display(int status, void *) {
    char line[512];
    bool loaded = false;
    if (!status || node_use() != NODE_UNTOUCHED || getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))
        return;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !loaded && fgets(line, sizeof line, maps))
        loaded = strstr(line, "/libX11.so.6") || strstr(line, "/libwayland-client.so.0");
    if (maps)
        fclose(maps);
    if (loaded)
        fprintf(stderr,
                "teslapipe: %s has not opened the GPU, and there is no display (DISPLAY, "
                "WAYLAND_DISPLAY). If it wants a window: teslapipe gl --headless -- %s\n",
                program_invocation_short_name, program_invocation_short_name);
}

__attribute__((constructor)) static void watch_display(void) {
    on_exit(hint_at_display, NULL);
}

/* Runs at exit. Warns of another driver if no thread's name has shown it: a program that loaded a
 * driver and made no channel, or that opened the GPU and did nothing else with it. */
__attribute__((destructor)) static void warn_at_exit(void) {
    char line[512];
    bool loaded = false;
    FILE *maps = node_use() == NODE_USED ? NULL : fopen("/proc/self/maps", "re");
    while (maps && !loaded && fgets(line, sizeof line, maps))
        loaded = strstr(line, "_dri.so") != NULL;
    if (maps)
        fclose(maps);
    if (loaded || node_use() == NODE_OPENED)
        warn_of_renderer("another driver", NULL);
}
