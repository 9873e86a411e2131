/* teslapipe gl --check: tests whether OpenGL works on the software GPU. In: the environment of a
 * program under `teslapipe gl`. Out: a line for each condition, and an exit code.
 */
#define _GNU_SOURCE
#include "tools/cmd_gl.h"
#include "tools/gl_context.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drm/chip.h"
#include "window/session.h"

static int wrong;

__attribute__((format(printf, 3, 4))) static bool print_check(bool fine, const char *what,
                                                              const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("%-8s %-10s ", fine ? "ok" : "MISSING", what);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
    va_end(args);
    wrong += !fine;
    return fine;
}

/* ---- inside: with the preload library ---- */

static bool make_context(void) {
    int version[2];
    const enum gl_made made = gl_make_context(version);
    if (made == GL_NO_LIBRARY)
        return print_check(false, "EGL", "%s (Debian: libegl1)", dlerror());
    print_check(true, "EGL", "libEGL.so.1");
    if (made == GL_NO_DISPLAY)
        return print_check(false, "display", "EGL finds no display on the surfaceless platform");
    if (made == GL_NO_CONTEXT)
        return print_check(false, "context", "EGL %d.%d gives no OpenGL 3.3 context", version[0],
                           version[1]);
    return print_check(true, "context", "EGL %d.%d, OpenGL %s", version[0], version[1],
                       (const char *)GL(GetString)(GL_VERSION));
}

static GLuint make_shader(GLenum type, const char *text) {
    const GLuint s = GL(CreateShader)(type);
    GL(ShaderSource)(s, 1, &text, NULL);
    GL(CompileShader)(s);
    return s;
}

/* Draws a blue triangle over the lower left half and checks pixels inside and outside. */
static bool draw_triangle(void) {
    enum { SIZE = 64, NEAR = 8, FAR = 55 };
    static uint32_t pixels[SIZE][SIZE];
    const GLuint p = GL(CreateProgram)();
    GLuint name;
    GL(GenFramebuffers)(1, &name);
    GL(BindFramebuffer)(GL_FRAMEBUFFER, name);
    GL(GenRenderbuffers)(1, &name);
    GL(BindRenderbuffer)(GL_RENDERBUFFER, name);
    GL(RenderbufferStorage)(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    GL(FramebufferRenderbuffer)(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    GL(GenVertexArrays)(1, &name);
    GL(BindVertexArray)(name);
    GL(AttachShader)(
        p, make_shader(GL_VERTEX_SHADER,
                       "#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                       "gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); }"));
    GL(AttachShader)(p, make_shader(GL_FRAGMENT_SHADER, "#version 330\nout vec4 o; void main() {"
                                                        "o = vec4(0, 0, 1, 1); }"));
    GL(LinkProgram)(p);
    GL(UseProgram)(p);
    GL(Viewport)(0, 0, SIZE, SIZE);
    GL(DrawArrays)(GL_TRIANGLES, 0, 3);
    GL(ReadPixels)(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    int covered = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        covered += pixels[i / SIZE][i % SIZE] == 0xffff0000;
    const bool right = GL(GetError)() == GL_NO_ERROR && pixels[NEAR][NEAR] == 0xffff0000 &&
                       pixels[FAR][FAR] == 0 && covered > SIZE * SIZE * 4 / 10 &&
                       covered < SIZE * SIZE * 6 / 10;
    return print_check(right, "triangle", "%d of %d pixels are the triangle's", covered,
                       SIZE * SIZE);
}

int gl_check_inside(void) {
    if (!make_context())
        return EXIT_FAILED;
    const char *chip = getenv("TESLAPIPE_CHIP"), *name = (const char *)GL(GetString)(GL_RENDERER);
    const struct chip *expected = chip ? chip_find(chip) : &chips[0];
    char renderer[16];
    snprintf(renderer, sizeof renderer, "NV%X", expected ? expected->chipset : 0);
    if (print_check(name && strcmp(name, renderer) == 0, "chip", "%s draws (%s is %s)", name,
                    expected ? expected->name : "?", renderer))
        draw_triangle();
    return wrong ? EXIT_FAILED : EXIT_FINE;
}

/* ---- outside ---- */

/* Runs this program again under the environment of `teslapipe gl`. */
static bool run_inside(void) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "teslapipe", "gl", GL_CHECK_INSIDE, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == EXIT_FINE;
}

/* A missing window system is no failure: --headless needs no window system. */
static void check_window(void) {
    const bool x = processes_have("Xwayland"), shown = window_has_display();
    printf("%-8s %-10s %s; %s\n", shown && x ? "ok" : "partly", "window",
           shown ? "a display to show it on" : "no display: gl --headless only",
           x ? "Xwayland for X11 programs"
             : "no Xwayland: Wayland programs only (Debian: xwayland)");
    fflush(stdout);
}

int gl_check(const char *library) {
    print_check(true, "library", "%s", library);
    wrong += !run_inside();
    check_window();
    printf("%s\n", wrong ? "OpenGL programs do not run on teslapipe here."
                         : "OpenGL programs run on teslapipe here.");
    return wrong ? EXIT_FAILED : EXIT_FINE;
}
