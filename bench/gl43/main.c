/* The main program of bench/gl43, bench/waits and bench/pixels.
 *
 * gl43 [-t SECONDS] [-o FILE.ppm] WORKLOAD|info: draws frames of a workload without a window and
 * prints "NAME frames=N ms=WALL cpu=CPU first=FIRST hash=BITS". Times are in milliseconds. WALL and
 * CPU are the medians of the times of one frame; CPU is the time of all threads of the process.
 * FIRST is the time of the set-up and the first frame, with all compiling; the N frames do not
 * include this time. BITS is a hash of the last picture. -o writes that picture. Exit status 3
 * after an OpenGL error.
 */
#include "bench/gl43/gl43.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES_LEAST = 3, FRAMES_MOST = 400 };

static double milliseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void make_context(void) {
    const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION,
                           program_set.major,
                           EGL_CONTEXT_MINOR_VERSION,
                           program_set.minor,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                           EGL_NONE};
    const EGLDisplay d =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        fail("EGL", "no display");
    const EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, want);
    if (!c || !eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        fail("EGL", "no context of the version that the workloads need");
}

static void make_target(void) {
    static const GLenum format[2] = {GL_RGBA8, GL_DEPTH24_STENCIL8};
    static const GLenum point[2] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_STENCIL_ATTACHMENT};
    GLuint target, part[2];
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glGenRenderbuffers(2, part);
    for (int i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, part[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, format[i], WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, point[i], GL_RENDERBUFFER, part[i]);
    }
    glViewport(0, 0, WIDTH, HEIGHT);
}

static void draw_frame(const struct workload *w) {
    uint8_t pixel[4];
    glClearColor(0.05f, 0.06f, 0.08f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    w->draw();
    glDisable(GL_DEPTH_TEST);
    glFinish();
    glReadPixels(WIDTH / 2, HEIGHT / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static uint64_t hash_of(const uint8_t *data, size_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 0x100000001b3u;
    return h;
}

static void write_picture(const char *file, const uint8_t *rgba) {
    FILE *f = fopen(file, "wb");
    if (!f)
        fail(file, "cannot be written");
    fprintf(f, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT - 1; y >= 0; y--)
        for (int x = 0; x < WIDTH; x++)
            fwrite(rgba + 4 * (y * WIDTH + x), 3, 1, f);
    if (fclose(f))
        fail(file, "cannot be written");
}

static int measure(const struct workload *w, double seconds, const char *picture) {
    static double wall[FRAMES_MOST], cpu[FRAMES_MOST];
    static uint8_t rgba[4 * WIDTH * HEIGHT];
    const double start = milliseconds(CLOCK_MONOTONIC);
    w->build();
    draw_frame(w);
    const double first = milliseconds(CLOCK_MONOTONIC) - start;
    draw_frame(w);
    const double end = milliseconds(CLOCK_MONOTONIC) + 1e3 * seconds;
    int n = 0;
    while (n < FRAMES_MOST && (n < FRAMES_LEAST || milliseconds(CLOCK_MONOTONIC) < end)) {
        wall[n] = -milliseconds(CLOCK_MONOTONIC);
        cpu[n] = -milliseconds(CLOCK_PROCESS_CPUTIME_ID);
        draw_frame(w);
        wall[n] += milliseconds(CLOCK_MONOTONIC);
        cpu[n++] += milliseconds(CLOCK_PROCESS_CPUTIME_ID);
    }
    qsort(wall, (size_t)n, sizeof *wall, by_size);
    qsort(cpu, (size_t)n, sizeof *cpu, by_size);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    printf("%s frames=%d ms=%.3f cpu=%.3f first=%.1f hash=%016llx\n", w->name, n, wall[n / 2],
           cpu[n / 2], first, (unsigned long long)hash_of(rgba, sizeof rgba));
    if (picture)
        write_picture(picture, rgba);
    const GLenum error = glGetError();
    if (error)
        fprintf(stderr, "gl43: %s: OpenGL error 0x%x\n", w->name, error);
    return error ? 3 : 0;
}

int main(int argc, char **argv) {
    const char *name = NULL, *picture = NULL;
    double seconds = 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-t") && i + 1 < argc)
            seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            picture = argv[++i];
        else
            name = argv[i];
    }
    if (!name)
        fail("usage", "gl43 [-t SECONDS] [-o FILE.ppm] WORKLOAD|info");
    make_context();
    if (!strcmp(name, "info"))
        return printf("%s, %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION)) < 0;
    make_target();
    for (const struct workload *const *w = program_set.workload; *w; w++)
        if (!strcmp((*w)->name, name))
            return measure(*w, seconds, picture);
    fail(name, "no such workload");
}
