/* teslapipe gl --check: tests whether OpenGL works on the software GPU. In: the environment of a
 * program under `teslapipe gl`. Out: a line for each condition, and an exit code. EGL is opened at
 * run time, because this program must start without EGL, too.
 */
#define _GNU_SOURCE
#include "tools/cmd_gl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
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

#define FUNCTIONS(X)                                                                               \
    X(GetString)                                                                                   \
    X(CreateShader)                                                                                \
    X(ShaderSource)                                                                                \
    X(CompileShader)                                                                               \
    X(CreateProgram)                                                                               \
    X(AttachShader)                                                                                \
    X(LinkProgram)                                                                                 \
    X(UseProgram)                                                                                  \
    X(GenVertexArrays)                                                                             \
    X(BindVertexArray)                                                                             \
    X(GenFramebuffers)                                                                             \
    X(BindFramebuffer)                                                                             \
    X(GenRenderbuffers)                                                                            \
    X(BindRenderbuffer)                                                                            \
    X(RenderbufferStorage)                                                                         \
    X(FramebufferRenderbuffer) X(Viewport) X(DrawArrays) X(ReadPixels) X(GetError)
static struct {
#define X(name) __typeof__(&gl##name) name;
    FUNCTIONS(X)
#undef X
} gl;

static struct {
    __typeof__(&eglGetProcAddress) GetProcAddress;
    __typeof__(&eglGetPlatformDisplay) GetPlatformDisplay;
    __typeof__(&eglInitialize) Initialize;
    __typeof__(&eglBindAPI) BindAPI;
    __typeof__(&eglCreateContext) CreateContext;
    __typeof__(&eglMakeCurrent) MakeCurrent;
} egl;

static bool open_egl(void) {
    void *library = dlopen("libEGL.so.1", RTLD_NOW);
    if (!library)
        return print_check(false, "EGL", "%s (Debian: libegl1)", dlerror());
    *(void **)&egl.GetProcAddress = dlsym(library, "eglGetProcAddress");
    *(void **)&egl.GetPlatformDisplay = dlsym(library, "eglGetPlatformDisplay");
    *(void **)&egl.Initialize = dlsym(library, "eglInitialize");
    *(void **)&egl.BindAPI = dlsym(library, "eglBindAPI");
    *(void **)&egl.CreateContext = dlsym(library, "eglCreateContext");
    *(void **)&egl.MakeCurrent = dlsym(library, "eglMakeCurrent");
    return print_check(egl.GetProcAddress && egl.GetPlatformDisplay && egl.MakeCurrent, "EGL",
                       "libEGL.so.1");
}

static bool make_context(void) {
    static const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
    EGLint major, minor;
    EGLDisplay d = egl.GetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!d || !egl.Initialize(d, &major, &minor) || !egl.BindAPI(EGL_OPENGL_API))
        return print_check(false, "display", "EGL finds no display on the surfaceless platform");
    EGLContext c = egl.CreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, want);
    if (!c || !egl.MakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        return print_check(false, "context", "EGL %d.%d gives no OpenGL 3.3 context", major, minor);
#define X(name) *(void **)&gl.name = (void *)egl.GetProcAddress("gl" #name);
    FUNCTIONS(X)
#undef X
    return print_check(true, "context", "EGL %d.%d, OpenGL %s", major, minor,
                       (const char *)gl.GetString(GL_VERSION));
}

static GLuint make_shader(GLenum type, const char *text) {
    const GLuint s = gl.CreateShader(type);
    gl.ShaderSource(s, 1, &text, NULL);
    gl.CompileShader(s);
    return s;
}

/* Draws a blue triangle over the lower left half and checks pixels inside and outside. */
static bool draw_triangle(void) {
    enum { SIZE = 64, NEAR = 8, FAR = 55 };
    static uint32_t pixels[SIZE][SIZE];
    const GLuint p = gl.CreateProgram();
    GLuint name;
    gl.GenFramebuffers(1, &name);
    gl.BindFramebuffer(GL_FRAMEBUFFER, name);
    gl.GenRenderbuffers(1, &name);
    gl.BindRenderbuffer(GL_RENDERBUFFER, name);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    gl.GenVertexArrays(1, &name);
    gl.BindVertexArray(name);
    gl.AttachShader(
        p, make_shader(GL_VERTEX_SHADER,
                       "#version 330\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
                       "gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); }"));
    gl.AttachShader(p, make_shader(GL_FRAGMENT_SHADER, "#version 330\nout vec4 o; void main() {"
                                                       "o = vec4(0, 0, 1, 1); }"));
    gl.LinkProgram(p);
    gl.UseProgram(p);
    gl.Viewport(0, 0, SIZE, SIZE);
    gl.DrawArrays(GL_TRIANGLES, 0, 3);
    gl.ReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    int covered = 0;
    for (int i = 0; i < SIZE * SIZE; i++)
        covered += pixels[i / SIZE][i % SIZE] == 0xffff0000;
    const bool right = gl.GetError() == GL_NO_ERROR && pixels[NEAR][NEAR] == 0xffff0000 &&
                       pixels[FAR][FAR] == 0 && covered > SIZE * SIZE * 4 / 10 &&
                       covered < SIZE * SIZE * 6 / 10;
    return print_check(right, "triangle", "%d of %d pixels are the triangle's", covered,
                       SIZE * SIZE);
}

int gl_check_inside(void) {
    if (!open_egl() || !make_context())
        return EXIT_FAILED;
    const char *chip = getenv("TESLAPIPE_CHIP"), *name = (const char *)gl.GetString(GL_RENDERER);
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
