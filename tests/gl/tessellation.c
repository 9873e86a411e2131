/* Tessellation on a Fermi, seen through transform feedback and in pictures. The triangles of a
 * patch cover its domain once, in the order of the patches, for any number of patches. Outputs of
 * control programs arrive at their own patch. Also: numbers of patches in later stages, geometry
 * programs, isolines, points, default levels, dropped patches, statistics.
 * usage: tessellation GL_RENDERER. The line "order N" is a sum over pictures and feedback. Exit
 * status 77: the driver has no OpenGL 4.3 for this chip. */
#define GL_GLEXT_PROTOTYPES
#include "core43.h"
#include "verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE, WORDS = 1 << 21 };

static uint64_t order = 1469598103934665603u;

static void note(const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        order = (order ^ ((const unsigned char *)data)[i]) * 1099511628211u;
}

/* ---- programs ---- */

struct stages {
    const char *vertex, *control, *evaluation, *geometry, *fragment;
};

static void use_stages(const struct stages *s, const char *captured) {
    const GLuint p = glCreateProgram();
    const char *const text[] = {s->vertex, s->control, s->evaluation, s->geometry, s->fragment};
    static const GLenum type[] = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER,
                                  GL_TESS_EVALUATION_SHADER, GL_GEOMETRY_SHADER,
                                  GL_FRAGMENT_SHADER};
    for (int i = 0; i < 5; i++)
        if (text[i])
            attach(p, type[i], text[i]);
    link_program(p, captured);
}

/* A vertex program that passes on the vertex's number. */
#define NUMBERS HEAD "out int number; void main() { number = gl_VertexID; }"
/* A control program with levels that depend on the patch's number. */
#define CONTROL(vertices, levels)                                                                  \
    HEAD "layout(vertices = " #vertices ") out; in int number[]; out int corner[];\n"              \
         "patch out int own;\n"                                                                    \
         "void main() { corner[gl_InvocationID] = number[gl_InvocationID];\n"                      \
         "int n = gl_PrimitiveID; own = 3 * n; " levels " }"
#define LEVELS(inner, outer)                                                                       \
    "gl_TessLevelInner = float[2](" inner "," inner ");"                                           \
    "gl_TessLevelOuter = float[4](" outer "," outer "," outer "," outer ");"
/* An evaluation program that outputs the place in the domain, the patch's number, and whether its
 * words arrived. */
#define EVALUATE(domain)                                                                           \
    HEAD "layout(" domain ") in; in int corner[]; patch in int own; out vec4 word;\n"              \
         "void main() { bool right = own == 3 * gl_PrimitiveID;\n"                                 \
         "for (int i = 0; i < gl_PatchVerticesIn; i++)\n"                                          \
         "right = right && corner[i] == gl_PrimitiveID * gl_PatchVerticesIn + i;\n"                \
         "word = vec4(gl_TessCoord.xy, gl_PrimitiveID, right); }"

/* ---- feedback ---- */

static float got[WORDS][4];

/* Draws `count` vertices as patches of `vertices`; returns the number of primitives in got[]. */
static uint32_t capture(GLenum made, GLint vertices, GLsizei count, GLsizei instances) {
    GLuint buffer, query, written = 0;
    glPatchParameteri(GL_PATCH_VERTICES, vertices);
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof got, NULL, GL_DYNAMIC_READ);
    glGenQueries(1, &query);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
    glBeginTransformFeedback(made);
    glDrawArraysInstanced(GL_PATCHES, 0, count, instances);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
    const uint32_t corners = made == GL_TRIANGLES ? 3 : made == GL_LINES ? 2 : 1;
    const size_t size = (size_t)written * corners * sizeof *got;
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)size, got);
    glDeleteBuffers(1, &buffer);
    glDeleteQueries(1, &query);
    note(got, size);
    return written;
}

static double area(const float (*c)[4]) {
    const double ax = c[1][0] - c[0][0], ay = c[1][1] - c[0][1];
    const double bx = c[2][0] - c[0][0], by = c[2][1] - c[0][1];
    return (ax * by - ay * bx) / 2;
}

/* Checks that patches come in order, and that the triangles of each cover its domain once with one
 * winding. */
static void covered(const char *what, uint32_t triangles, int patches, double whole) {
    int at = 0, wrong = 0;
    double sum = 0;
    for (uint32_t i = 0; i < triangles; i++) {
        const float(*c)[4] = (const float(*)[4])got[3 * i];
        const int patch = (int)c[0][2];
        if (patch != at) {
            wrong += patch != at + 1 || fabs(sum - whole) > 1e-4;
            at = patch;
            sum = 0;
        }
        const double own = area(c);
        wrong += own * whole < 0;
        wrong += c[0][3] != 1 || c[1][3] != 1 || c[2][3] != 1;
        sum += own;
    }
    wrong += fabs(sum - whole) > 1e-4 || at != patches - 1;
    equal(what, (uint64_t)wrong, 0);
}

/* ---- the tests ---- */

#define FRACTIONS LEVELS("1.0 + float(n % 13) * 0.7", "1.0 + float(n % 7) * 0.9")

static void test_coverage(void) {
    static const char *const spacing[] = {"equal_spacing", "fractional_odd_spacing",
                                          "fractional_even_spacing"};
    for (int i = 0; i < 3; i++) {
        for (int quads = 0; quads < 2; quads++) {
            char text[1000], domain[60];
            const int corners = 3 + quads, patches = quads ? 300 : 500;
            snprintf(domain, sizeof domain, "%s, %s", quads ? "quads, cw" : "triangles",
                     spacing[i]);
            snprintf(text, sizeof text, EVALUATE("%s"), domain);
            const struct stages s = {NUMBERS, quads ? CONTROL(4, FRACTIONS) : CONTROL(3, FRACTIONS),
                                     text, NULL, NULL};
            use_stages(&s, "word");
            covered(domain, capture(GL_TRIANGLES, corners, corners * patches, 1), patches,
                    quads ? -1 : 0.5);
        }
    }
}

/* The highest levels, and patches of 32 vertices. */
static void test_limits(void) {
    const struct stages t = {NUMBERS, CONTROL(32, LEVELS("64.0", "64.0")), EVALUATE("quads"), NULL,
                             NULL};
    use_stages(&t, "word");
    const uint32_t n = capture(GL_TRIANGLES, 32, 32 * 5, 1);
    equal("a quad at level 64 has 2 triangles for each square", n, 5 * 64 * 64 * 2);
    covered("triangles at level 64 cover each quad once, in order", n, 5, 1);
    const struct stages one = {NUMBERS, CONTROL(1, LEVELS("1.0", "1.0")), EVALUATE("triangles"),
                               NULL, NULL};
    use_stages(&one, "word");
    const uint32_t m = capture(GL_TRIANGLES, 1, 3000, 1);
    equal("a triangle at level 1 is one triangle", m, 3000);
    covered("patches of one vertex are covered once, in order", m, 3000, 0.5);
}

/* The lines of isolines run along u at v = i/n. */
static void test_isolines(void) {
    const struct stages s = {NUMBERS,
                             CONTROL(2, "gl_TessLevelOuter = float[4](float(n + 1), 5.0, 9.0, 9.0);"
                                        "gl_TessLevelInner = float[2](7.0, 7.0);"),
                             EVALUATE("isolines"), NULL, NULL};
    use_stages(&s, "word");
    const uint32_t n = capture(GL_LINES, 2, 2 * 4, 1);
    int wrong = 0;
    equal("isolines have their number of segments", n, 5 * (1 + 2 + 3 + 4));
    for (uint32_t i = 0, line = 0, patch = 0; i < n; i++) {
        const float(*c)[4] = (const float(*)[4])got[2 * i];
        const uint32_t segment = i % 5;
        wrong += fabsf(c[0][0] - (float)segment / 5) > 1e-4f ||
                 fabsf(c[1][0] - (float)(segment + 1) / 5) > 1e-4f;
        wrong += c[0][1] != c[1][1] || fabsf(c[0][1] - (float)line / (float)(patch + 1)) > 1e-4f;
        wrong += c[0][2] != (float)patch || c[0][3] != 1;
        if (segment == 4 && ++line == patch + 1)
            line = 0, patch++;
    }
    equal("segments run along u, line by line", (uint64_t)wrong, 0);
}

/* With point_mode, each point of the domain is output once. */
static void test_points(void) {
    const struct stages s = {NUMBERS, CONTROL(3, LEVELS("4.0", "4.0")),
                             EVALUATE("quads, point_mode"), NULL, NULL};
    use_stages(&s, "word");
    const uint32_t n = capture(GL_POINTS, 3, 3 * 7, 1);
    int wrong = 0;
    equal("a quad at level 4 has 25 points", n, 7 * 25);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++)
            wrong += !memcmp(got[i], got[k], sizeof *got);
    equal("no point comes twice", (uint64_t)wrong, 0);
}

/* Without a control program, the patch has the vertex program's outputs and the context's levels.
 * Each instance begins with patch 0. */
static void test_defaults(void) {
    static const float outer[4] = {3, 3, 3, 3}, inner[2] = {2, 2};
    const struct stages s = {
        NUMBERS, NULL,
        HEAD "layout(quads) in; in int number[]; out vec4 word;\n"
             "void main() { bool right = gl_TessLevelOuter[3] == 3.0 && gl_TessLevelInner[1] == 2.0"
             "&& gl_PatchVerticesIn == 5;\n"
             "for (int i = 0; i < 5; i++) right = right && number[i] == gl_PrimitiveID * 5 + i;\n"
             "word = vec4(gl_TessCoord.xy, gl_PrimitiveID, right); }",
        NULL, NULL};
    use_stages(&s, "word");
    glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, outer);
    glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, inner);
    const uint32_t n = capture(GL_TRIANGLES, 5, 5 * 20, 1);
    covered("the default levels cover each quad once, in order", n, 20, 1);
    equal("three instances have three times the triangles", capture(GL_TRIANGLES, 5, 5 * 20, 3),
          3 * n);
    equal("an instance ends with the last patch", n ? (uint64_t)got[3 * n - 1][2] : 0, 19);
    equal("the next instance begins with the first patch", (uint64_t)got[3 * n][2], 0);
}

/* A patch with a zero, negative or NaN outer level is not drawn. Infinity counts as the highest
 * level. */
static void test_dropped(void) {
    const struct stages s = {
        NUMBERS,
        CONTROL(3,
                "float odd = n == 1 ? 0.0 : n == 3 ? -1.0 : n == 4 ? uintBitsToFloat(0x7fc00000u)"
                ": n == 5 ? uintBitsToFloat(0x7f800000u) : 1.0;" LEVELS("1.0", "odd")),
        EVALUATE("triangles"), NULL, NULL};
    use_stages(&s, "word");
    const uint32_t n = capture(GL_TRIANGLES, 3, 3 * 7, 1);
    int seen[7] = {0};
    for (uint32_t i = 0; i < n; i++)
        seen[(int)got[3 * i][2]]++;
    equal("patches of level 1 are drawn", (uint64_t)(seen[0] == 1 && seen[2] == 1 && seen[6] == 1),
          1);
    equal("patches with a zero, negative or NaN level are not drawn",
          (uint64_t)(seen[1] + seen[3] + seen[4]), 0);
    equal("a patch with an infinite level has edges of level 64", (uint64_t)(seen[5] >= 3 * 64), 1);
}

/* Threads of a patch read each other's outputs after a barrier, with many patches in a warp. */
static void test_barrier(void) {
    const struct stages s = {
        NUMBERS,
        HEAD
        "layout(vertices = 3) out; in int number[]; out int corner[]; patch out int own;\n"
        "void main() { int i = gl_InvocationID; corner[gl_InvocationID] = number[i]; barrier();\n"
        "if (i == 1) own = corner[0] - number[0] + corner[2] - number[2] + 3 * gl_PrimitiveID;\n" LEVELS(
            "1.0", "float(1 + corner[1] % 2)") " }",
        EVALUATE("triangles"), NULL, NULL};
    use_stages(&s, "word");
    covered("outputs of other vertices arrive after a barrier",
            capture(GL_TRIANGLES, 3, 3 * 100, 1), 100, 0.5);
}

static void begin_picture(void) {
    static const GLuint zero[4] = {0};
    GLuint f, t;
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, SIDE, SIDE);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glClearBufferuiv(GL_COLOR, 0, zero);
    glViewport(0, 0, SIDE, SIDE);
}

static GLuint pixel[PIXELS];

static void read_picture(void) {
    glReadPixels(0, 0, SIDE, SIDE, GL_RED_INTEGER, GL_UNSIGNED_INT, pixel);
    note(pixel, sizeof pixel);
}

/* One patch for each row of pixels. The fragment program sees the patch's number, with and
 * without a geometry program in between. */
#define ROW_OF_PATCH                                                                               \
    HEAD "layout(quads) in; void main() {\n"                                                       \
         "float y = (float(gl_PrimitiveID) + gl_TessCoord.y) / 32.0 - 1.0;\n"                      \
         "gl_Position = vec4(gl_TessCoord.x * 2.0 - 1.0, y, 0, 1); }"

static void test_numbers(void) {
    struct stages s = {HEAD "void main() {}", NULL, ROW_OF_PATCH, NULL,
                       HEAD "out uint color; void main() { color = 1u + uint(gl_PrimitiveID); }"};
    for (int geometry = 0; geometry < 2; geometry++) {
        int wrong = 0;
        s.geometry = geometry ? HEAD "layout(triangles) in;\n"
                                     "layout(triangle_strip, max_vertices = 3) out;\n"
                                     "void main() { for (int i = 0; i < 3; i++) {\n"
                                     "gl_Position = gl_in[i].gl_Position;\n"
                                     "gl_PrimitiveID = gl_PrimitiveIDIn; EmitVertex(); } }"
                              : NULL;
        begin_picture();
        use_stages(&s, NULL);
        glPatchParameteri(GL_PATCH_VERTICES, 4);
        glDrawArrays(GL_PATCHES, 0, 4 * SIDE);
        read_picture();
        for (GLuint i = 0; i < PIXELS; i++)
            wrong += pixel[i] != 1 + i / SIDE;
        equal(geometry ? "the fragment program gets the patch's number behind a geometry program"
                       : "the fragment program gets the patch's number",
              (uint64_t)wrong, 0);
    }
}

/* Small draws with different constants of the evaluation program. */
static void test_constants(void) {
    int wrong = 0;
    const struct stages s = {
        HEAD "void main() {}", NULL,
        HEAD "layout(quads) in; uniform int row; void main() {\n"
             "float y = (float(row) + gl_TessCoord.y) / 32.0 - 1.0;\n"
             "gl_Position = vec4(gl_TessCoord.x * 2.0 - 1.0, y, 0, 1); }",
        NULL, HEAD "out uint color; void main() { color = uint(gl_FragCoord.y) + 1u; }"};
    begin_picture();
    use_stages(&s, NULL);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    for (int row = 0; row < SIDE; row += 2) {
        glUniform1i(0, row);
        glDrawArrays(GL_PATCHES, 0, 4);
    }
    read_picture();
    for (GLuint i = 0; i < PIXELS; i++)
        wrong += pixel[i] != (i / SIDE % 2 ? 0 : i / SIDE + 1);
    equal("each draw has its own constants", (uint64_t)wrong, 0);
}

/* A flat value comes from the triangle's first or last vertex, in the order of feedback. */
static void test_provoking(void) {
    const struct stages s = {
        HEAD "void main() {}", NULL,
        HEAD "layout(quads) in; flat out uint value; out vec4 word; void main() {\n"
             "value = 1u + uint(gl_TessCoord.x + 0.5) + 2u * uint(gl_TessCoord.y + 0.5);\n"
             "word = vec4(gl_TessCoord.xy, 0, float(value));\n"
             "gl_Position = vec4(gl_TessCoord.xy * 2.0 - 1.0, 0, 1); }",
        NULL, HEAD "flat in uint value; out uint color; void main() { color = value; }"};
    static const GLenum convention[] = {GL_FIRST_VERTEX_CONVENTION, GL_LAST_VERTEX_CONVENTION};
    static const float one[4] = {1, 1, 1, 1};
    begin_picture();
    use_stages(&s, "word");
    glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, one);
    glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, one);
    for (int last = 0; last < 2; last++) {
        glProvokingVertex(convention[last]);
        const uint32_t n = capture(GL_TRIANGLES, 4, 4, 1);
        glDrawArrays(GL_PATCHES, 0, 4);
        read_picture();
        equal("a quad at level 1 has two triangles", n, 2);
        for (uint32_t i = 0; i < n; i++) {
            const float(*c)[4] = (const float(*)[4])got[3 * i];
            const int x = (int)((c[0][0] + c[1][0] + c[2][0]) / 3 * SIDE);
            const int y = (int)((c[0][1] + c[1][1] + c[2][1]) / 3 * SIDE);
            equal(last ? "the last vertex provokes" : "the first vertex provokes",
                  pixel[y * SIDE + x], (uint64_t)c[last ? 2 : 0][3]);
        }
    }
}

/* Patches with indices; the vertex program runs once for a vertex that patches share. */
static void test_indices(void) {
    static GLuint index[4 * SIDE];
    GLuint buffer;
    int wrong = 0;
    const struct stages s = {
        HEAD "out int number; void main() { number = gl_VertexID; }", NULL,
        HEAD "layout(quads) in; in int number[]; flat out uint value; void main() {\n"
             "float y = (float(gl_PrimitiveID) + gl_TessCoord.y) / 32.0 - 1.0;\n"
             "value = uint(number[0] + 1000 * number[3]);\n"
             "gl_Position = vec4(gl_TessCoord.x * 2.0 - 1.0, y, 0, 1); }",
        NULL, HEAD "flat in uint value; out uint color; void main() { color = value; }"};
    for (GLuint i = 0; i < SIDE; i++)
        for (GLuint k = 0; k < 4; k++)
            index[4 * i + k] = SIDE - 1 - i + k;
    begin_picture();
    use_stages(&s, NULL);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof index, index, GL_STATIC_DRAW);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawElements(GL_PATCHES, 4 * SIDE, GL_UNSIGNED_INT, NULL);
    read_picture();
    for (GLuint i = 0; i < PIXELS; i++) {
        const GLuint first = SIDE - 1 - i / SIDE;
        wrong += pixel[i] != first + 1000 * (first + 3);
    }
    equal("patches by indices have the vertices of their indices", (uint64_t)wrong, 0);
}

/* A point of a quad at level 1 is evaluated once, however many triangles share it. */
static void test_statistics(void) {
    static const GLenum kind[] = {GL_TESS_CONTROL_SHADER_PATCHES_ARB,
                                  GL_TESS_EVALUATION_SHADER_INVOCATIONS_ARB,
                                  GL_PRIMITIVES_GENERATED, GL_VERTEX_SHADER_INVOCATIONS_ARB};
    static const GLuint want[] = {10, 40, 20, 40};
    static const char *const what[] = {"a query counts patches", "a query counts evaluations",
                                       "a query counts primitives", "a query counts vertices"};
    const struct stages s = {NUMBERS, CONTROL(4, LEVELS("1.0", "1.0")), EVALUATE("quads"), NULL,
                             NULL};
    GLuint query[4], value;
    begin_picture();
    use_stages(&s, NULL);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glGenQueries(4, query);
    for (int i = 0; i < 4; i++)
        glBeginQuery(kind[i], query[i]);
    glDrawArrays(GL_PATCHES, 0, 40);
    for (int i = 0; i < 4; i++) {
        glEndQuery(kind[i]);
        glGetQueryObjectuiv(query[i], GL_QUERY_RESULT, &value);
        equal(what[i], value, want[i]);
    }
}

int main(int argc, char **argv) {
    GLuint array;
    if (argc != 2 || !make_context(EGL_OPENGL_API, 4, 3))
        return 77;
    verdict("the renderer is the chip", strstr((const char *)glGetString(GL_RENDERER), argv[1]));
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    begin_picture(); /* without a target neither drawing nor feedback happens */
    test_coverage();
    test_limits();
    test_isolines();
    test_points();
    test_defaults();
    test_dropped();
    test_barrier();
    test_numbers();
    test_constants();
    test_provoking();
    test_indices();
    test_statistics();
    equal("OpenGL reports no error", glGetError(), GL_NO_ERROR);
    printf("order %llx\n", (unsigned long long)order);
    return summary();
}
