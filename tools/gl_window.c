/* teslapipe gl with a window: joins or opens a window and runs the program there. In: the options;
 * the environment is set. Out: the program's exit code. Linked into the interactive program only.
 */
#include "tools/cmd_gl.h"

#include "tools/png.h"
#include "window/session.h"

/* Returns the command of the first installed desktop, for --desktop. */
static char **desktop_session(void) {
    static char *const weston[] = {"weston",       "--backend=wayland-backend.so",
                                   "--xwayland",   "--idle-time=0",
                                   "--fullscreen", NULL};
    static char *const sway[] = {"sway", NULL};
    static char *const labwc[] = {"labwc", NULL};
    static char *const *const sessions[] = {weston, labwc, sway};
    for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++)
        if (processes_have(sessions[i][0]))
            return (char **)(uintptr_t)sessions[i];
    return NULL;
}

static int run_window(const struct gl_options *o, char **program) {
    struct window_options w = {
        .fullscreen = o->fullscreen,
        .headless = o->headless,
        .desktop = o->desktop,
        .kms = o->kms,
        .png = o->png,
        .output = o->output,
        .seconds = o->seconds,
        .width = (int)o->size.width,
        .height = (int)o->size.height,
        .write_picture = write_png,
    };
    return window_run(&w, program);
}

static int gl_in_window(const struct gl_options *o, char **program) {
    if (o->share && !window_share())
        return gl_refused("--share: there is no window%s", "");
    char **const command = o->desktop ? desktop_session() : program;
    if (!command)
        return gl_refused("--desktop: no session is installed (Debian: weston, sway%s)", "");
    if (o->window || o->headless || o->desktop || o->fullscreen || o->kms)
        return run_window(o, command);
    return -1;
}

static const struct gl_parts parts = {gl_in_window, gl_check, gl_check_inside};
const struct gl_parts *const gl_parts = &parts;
