/* Features of OpenGL before 3.1 on one driver, and a comparison of two drivers' results: stipples,
 * smooth points, lines and polygons.
 * compat run OUT RENDERER [NAME]           runs every check (or one), writes its pixels to OUT
 * compat compare REFERENCE TRIED [-v]      prints a verdict for each check */
#define COMPATIBILITY
#include "checks.h"

enum { SIZE = 64 };

/* Makes an empty target. Coordinates are pixels from its lower left corner. */
static void target(void) {
    GLuint name, framebuffer;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    glViewport(0, 0, SIZE, SIZE);
    glMatrixMode(GL_PROJECTION);
    glOrtho(0, SIZE, 0, SIZE, -1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void record(const char *part) {
    static uint8_t pixels[SIZE * SIZE * 4];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    write_record(records, feature, part, RECORD_BYTES, 4, SIZE, pixels, sizeof pixels);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void corners(GLenum mode, const float (*at)[2], int count) {
    glBegin(mode);
    for (int i = 0; i < count; i++) {
        glColor3f(1.0f, 0.25f * (float)(i % 4), 0.5f);
        glVertex2fv(at[i]);
    }
    glEnd();
}

static const float zigzag[][2] = {{2.5f, 3.5f},   {60.5f, 7.5f},  {50.5f, 20.5f}, {9.5f, 17.5f},
                                  {20.5f, 48.5f}, {23.5f, 60.5f}, {44.5f, 31.5f}, {61.5f, 57.5f}};
static const float shape[][2] = {{5, 9}, {33, 2}, {61, 21}, {52, 59}, {11, 50}};
static const float boxes[][2] = {{3, 4},   {30, 6},  {31, 29}, {4, 33},
                                 {38, 30}, {60, 35}, {57, 61}, {35, 52}};

/* ---- stipples ---- */

static void polygon_stipple(void) {
    GLubyte pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (GLubyte)(i * 37 + (i >> 2) * 11);
    target();
    glEnable(GL_POLYGON_STIPPLE);
    glPolygonStipple(pattern);
    corners(GL_POLYGON, shape, 5);
    record("polygon");
    corners(GL_LINE_LOOP, shape, 5);
    glPointSize(5);
    corners(GL_POINTS, zigzag, 8);
    record("lines and points have none");
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    corners(GL_POLYGON, shape, 5);
    record("outlines have none");
}

static void line_stipple(void) {
    static const struct {
        GLenum mode;
        const char *name;
    } modes[] = {{GL_LINES, "lines"}, {GL_LINE_STRIP, "strip"}, {GL_LINE_LOOP, "loop"}};
    target();
    glEnable(GL_LINE_STIPPLE);
    for (int factor = 1; factor <= 3; factor++) {
        for (int i = 0; i < 3; i++) {
            char part[40];
            snprintf(part, sizeof part, "%s, factor %d", modes[i].name, factor);
            glLineStipple(factor, (GLushort)(0x3e57 + factor));
            corners(modes[i].mode, zigzag, 8);
            record(part);
        }
    }
}

static void outline_stipple(void) {
    target();
    glEnable(GL_LINE_STIPPLE);
    glLineStipple(2, 0x7271);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    corners(GL_POLYGON, shape, 5);
    record("polygon");
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    corners(GL_QUADS, boxes, 8);
    record("quads");
}

/* ---- smooth primitives ---- */

static void smooth(GLenum what) {
    target();
    glEnable(what);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void smooth_lines(void) {
    static const float widths[] = {1, 2.5f, 7};
    smooth(GL_LINE_SMOOTH);
    for (int i = 0; i < 3; i++) {
        char part[40];
        snprintf(part, sizeof part, "width %g", widths[i]);
        glLineWidth(widths[i]);
        corners(GL_LINES, zigzag, 8);
        record(part);
    }
    glEnable(GL_LINE_STIPPLE);
    glLineStipple(3, 0x5555);
    glLineWidth(4);
    corners(GL_LINES, zigzag, 8);
    record("stippled");
}

static void smooth_points(void) {
    static const float sizes[] = {1, 3.5f, 12};
    smooth(GL_POINT_SMOOTH);
    for (int i = 0; i < 3; i++) {
        char part[40];
        snprintf(part, sizeof part, "size %g", sizes[i]);
        glPointSize(sizes[i]);
        corners(GL_POINTS, zigzag, 8);
        record(part);
    }
}

/* Smooth triangles that share edges add up to full coverage inside. */
static void smooth_polygons(void) {
    smooth(GL_POLYGON_SMOOTH);
    corners(GL_QUADS, boxes, 8);
    record("quads");
    glBlendFunc(GL_SRC_ALPHA_SATURATE, GL_ONE);
    corners(GL_POLYGON, shape, 5);
    record("polygon");
}

/* The alpha test is applied after coverage. */
static void smooth_alpha_test(void) {
    target();
    glEnable(GL_LINE_SMOOTH);
    glEnable(GL_ALPHA_TEST);
    glAlphaFunc(GL_GREATER, 0.9f);
    glLineWidth(5);
    corners(GL_LINES, zigzag, 8);
    record("inside only");
}

static const struct check checks[] = {
    {"polygon_stipple", polygon_stipple},     {"line_stipple", line_stipple},
    {"outline_stipple", outline_stipple},     {"smooth_lines", smooth_lines},
    {"smooth_points", smooth_points},         {"smooth_polygons", smooth_polygons},
    {"smooth_alpha_test", smooth_alpha_test},
};

/* The reasons for all differences between the two drivers beyond rounding. The first matching row
 * counts. */
static const struct tolerance tolerances[] = {
    {"line_stipple", NULL, 2.5 / 255, 0, 0.003, "llvmpipe counts parts of pixels"},
    {"outline_stipple", "quads", 2.5 / 255, 0, 0.04, "llvmpipe begins with another side"},
    {"smooth_lines", NULL, 0.2, 0, 0.005, "coverage is the implementation's choice"},
    {"smooth_points", "size 12", 0.55, 0, 0.01, "llvmpipe's points are narrower octagons"},
    {"smooth_points", NULL, 0.55, 0, 0.02, "llvmpipe's small points are squares"},
    {"smooth_polygons", NULL, 0.8, 0, 0.005, "llvmpipe does not smooth polygons"},
    {"smooth_alpha_test", NULL, 2.5 / 255, 0, 0.08, "coverage is the implementation's choice"},
    {NULL, NULL, 2.5 / 255, 1e-3, 0.01, "8 bits rounded in other places; pixels on edges"},
};

int main(int argc, char **argv) {
    return checks_main(argc, argv, checks, sizeof checks / sizeof *checks, tolerances);
}
