/* Features of OpenGL 4.3 on a Fermi that Tesla's generation lacks: invocations of geometry
 * programs, targets with gaps between them, kinds of interpolation, uniform blocks by an index,
 * indirect draws, viewports, layers, stores and atomics of fragment programs, vertex streams,
 * samples.
 * usage: fermi GL_RENDERER. The line "order N" tells the order of the fragments' atomics. Exit
 * status 77: the driver has no OpenGL 4.3 for this chip. */
#define GL_GLEXT_PROTOTYPES
#include "core43.h"
#include "verdicts.h"

#include <string.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE };

/* ---- programs ---- */

/* captured: a varying for transform feedback, or NULL. */
static GLuint make_program(const char *vertex, const char *geometry, const char *fragment,
                           const char *captured) {
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER, vertex);
    if (geometry)
        attach(p, GL_GEOMETRY_SHADER, geometry);
    if (fragment)
        attach(p, GL_FRAGMENT_SHADER, fragment);
    link_program(p, captured);
    return p;
}

/* ---- targets ---- */

static GLuint texture[3];

/* Makes three targets of 32-bit integers, cleared to 7. */
static void make_targets(void) {
    static const GLenum all[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    static const GLuint seven[4] = {7, 7, 7, 7};
    GLuint f;
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glGenTextures(3, texture);
    for (int i = 0; i < 3; i++) {
        glBindTexture(GL_TEXTURE_2D, texture[i]);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, SIDE, SIDE);
        glFramebufferTexture(GL_FRAMEBUFFER, all[i], texture[i], 0);
    }
    glDrawBuffers(3, all);
    for (int i = 0; i < 3; i++)
        glClearBufferuiv(GL_COLOR, i, seven);
    glViewport(0, 0, SIDE, SIDE);
}

static const GLuint *pixels(int target) {
    static GLuint data[PIXELS];
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)target);
    glReadPixels(0, 0, SIDE, SIDE, GL_RED_INTEGER, GL_UNSIGNED_INT, data);
    return data;
}

static int count_of(const GLuint *data, GLuint value) {
    int n = 0;
    for (int i = 0; i < PIXELS; i++)
        n += data[i] == value;
    return n;
}

/* ---- the tests ---- */

/* All invocations for a primitive come before those of the next primitive. */
static void test_invocations(void) {
    GLuint b, got[3 * 5 * 2] = {0};
    int wrong = 0;
    make_targets();
    make_program(HEAD "out int number; void main() { number = gl_VertexID; }",
                 HEAD "layout(points, invocations = 5) in; layout(points, max_vertices = 2) out;\n"
                      "in int number[]; flat out uint word;\n"
                      "void main() { for (int i = 0; i < 2; i++) {\n"
                      "word = uint(number[0] * 100 + gl_InvocationID * 10 + i);\n"
                      "EmitVertex(); EndPrimitive(); } }",
                 NULL, "word");
    glGenBuffers(1, &b);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof got, NULL, GL_DYNAMIC_READ);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 3);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof got, got);
    for (GLuint i = 0; i < 30; i++)
        wrong += got[i] != i / 10 * 100 + i / 2 % 5 * 10 + i % 2;
    equal("invocations for a primitive come before those of the next", (uint64_t)wrong, 0);
}

/* The driver puts a fragment program's results into consecutive registers, even if the target
 * between two others gets no result. */
static void test_gaps(void) {
    make_targets();
    make_program(WHOLE, NULL,
                 HEAD "layout(location = 0) out uint a; layout(location = 2) out uint c;\n"
                      "void main() { a = 11u; c = 33u; }",
                 NULL);
    glColorMaski(1, 0, 0, 0, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glColorMaski(1, 1, 1, 1, 1);
    static const GLuint expected[3] = {11, 7, 33};
    for (int i = 0; i < 3; i++)
        equal("targets get their results although the one between has none",
              (uint64_t)count_of(pixels(i), expected[i]), PIXELS);
}

/* A rectangle over the target, with w from 1 to 3; u is 0 at the left and 1 at the right. In the
 * middle, a varying without perspective is 1/2, one with perspective 1/4, and the provoking
 * vertex's value is 1. */
static void test_interpolation(void) {
    make_targets();
    make_program(HEAD "noperspective out float n; smooth out float s; flat out float f;\n"
                      "void main() { float u = gl_VertexID & 1; n = s = f = u;\n"
                      "gl_Position = vec4(u * 2.0 - 1.0, (gl_VertexID >> 1) * 2.0 - 1.0, 0, 1) * "
                      "(1.0 + 2.0 * u); }",
                 NULL,
                 HEAD "noperspective in float n; smooth in float s; flat in float f;\n"
                      "layout(location = 0) out uint a; layout(location = 1) out uint b;\n"
                      "layout(location = 2) out uint c; void main() { a = uint(n * 1000.0);\n"
                      "b = uint(s * 1000.0); c = uint(f * 1000.0); }",
                 NULL);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    /* this pixel's centre is half a pixel right of the target's middle */
    const int middle = SIDE / 2 * SIDE + SIDE / 2;
    const GLuint n = pixels(0)[middle], s = pixels(1)[middle], f = pixels(2)[middle];
    verdict("a varying without perspective is linear in the window", n >= 506 && n <= 509);
    verdict("a varying with perspective is divided by w", s >= 254 && s <= 258);
    equal("a flat varying has the provoking vertex's value", f, 1000);
}

/* A program with so many varyings of four words, the position, eight clip distances and the
 * primitive's number, all of which its fragment program reads. 0: the driver does not link it. */
static GLuint program_of_varyings(int count) {
    char last[8], vertex[640], fragment[640];
    const char *const captured[] = {last};
    const GLuint p = glCreateProgram();
    GLint linked;
    snprintf(last, sizeof last, "v[%d]", count - 1);
    snprintf(vertex, sizeof vertex,
             HEAD "out vec4 v[%d]; out float gl_ClipDistance[8]; void main() {\n"
                  "gl_Position = vec4(gl_VertexID & 1, gl_VertexID >> 1 & 1, 0, 1) * 2.0\n"
                  "- vec4(1, 1, 0, 1);\n"
                  "for (int i = 0; i < %d; i++) v[i] = vec4(i, i + 1, i + 2, i + 3);\n"
                  "for (int i = 0; i < 8; i++) gl_ClipDistance[i] = i == 0 ? gl_Position.x : i; }",
             count, count);
    snprintf(fragment, sizeof fragment,
             HEAD "in vec4 v[%d]; in float gl_ClipDistance[8]; layout(location = 0) out uint a;\n"
                  "void main() { bool ok = gl_ClipDistance[0] > 0.0 && gl_FragCoord.w == 1.0;\n"
                  "for (int i = 0; i < %d; i++) ok = ok && v[i] == vec4(i, i + 1, i + 2, i + 3);\n"
                  "for (int i = 1; i < 8; i++) ok = ok && gl_ClipDistance[i] == i;\n"
                  "a = ok ? 100u + uint(gl_PrimitiveID) : 1u; }",
             count, count);
    attach(p, GL_VERTEX_SHADER, vertex);
    attach(p, GL_FRAGMENT_SHADER, fragment);
    glTransformFeedbackVaryings(p, 1, captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &linked);
    return linked ? p : 0;
}

/* A fragment program reads as many varyings as the driver links: 31 beside the position, the clip
 * distances and the primitive's number; Mesa 25 links 30. The last varying is captured before the
 * left half is clipped: in the other order Mesa 25 captures nothing (docs/mesa-versions.md). */
static void test_most_varyings(void) {
    int count = 31;
    GLuint b, p;
    GLfloat got[4] = {0};
    make_targets();
    while (!(p = program_of_varyings(count)) && count > 29)
        count--;
    verdict("a program of 31 varyings (Mesa 25: 30) links", p != 0);
    glUseProgram(p);
    glGenBuffers(1, &b);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof got, NULL, GL_DYNAMIC_READ);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, 1);
    glEndTransformFeedback();
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof got, got);
    verdict("the last varying is captured",
            got[0] == count - 1 && got[1] == count && got[2] == count + 1 && got[3] == count + 2);
    for (GLenum i = 0; i < 8; i++)
        glEnable(GL_CLIP_DISTANCE0 + i);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    const GLuint *data = pixels(0);
    equal("half of the pixels are clipped, the other varyings arrive",
          (uint64_t)(count_of(data, 100) + count_of(data, 101)), PIXELS / 2);
    verdict("the fragment program gets the numbers of both primitives",
            count_of(data, 100) && count_of(data, 101));
    for (GLenum i = 0; i < 8; i++)
        glDisable(GL_CLIP_DISTANCE0 + i);
}

static void test_block_index(void) {
    make_targets();
    GLuint b[4];
    const GLuint p = make_program(
        HEAD "flat out int i; void main() { i = gl_InstanceID;\n"
             "gl_Position = vec4((gl_InstanceID * 2 + 1) / 4.0 - 1.0, 0, 0, 1); }",
        NULL,
        HEAD "flat in int i; layout(location = 0) out uint a;\n"
             "uniform Block { uint word; } block[4]; void main() { a = block[i].word; }",
        NULL);
    glGenBuffers(4, b);
    for (GLuint i = 0; i < 4; i++) {
        char name[16];
        const GLuint word[4] = {100 + i};
        snprintf(name, sizeof name, "Block[%u]", i);
        glUniformBlockBinding(p, glGetUniformBlockIndex(p, name), i);
        glBindBufferBase(GL_UNIFORM_BUFFER, i, b[i]);
        glBufferData(GL_UNIFORM_BUFFER, sizeof word, word, GL_STATIC_DRAW);
    }
    glDrawArraysInstanced(GL_POINTS, 0, 1, 4);
    const GLuint *data = pixels(0);
    for (GLuint i = 0; i < 4; i++)
        equal("each instance reads the uniform block of its index",
              (uint64_t)count_of(data, 100 + i), 1);
}

/* Three indirect draws, which the macro processor makes. The second has no instances. */
static void test_indirect(void) {
    static const GLuint draws[3][4] = {{1, 2, 0, 5}, {1, 0, 0, 0}, {1, 3, 0, 9}};
    GLuint b;
    make_targets();
    make_program(HEAD
                 "#extension GL_ARB_shader_draw_parameters : require\nflat out uint word;\n"
                 "void main() { word = uint(gl_DrawIDARB * 100 + gl_BaseInstanceARB);\n"
                 "gl_Position = vec4((gl_InstanceID * 2 + 1) / 64.0 - 1.0, (gl_DrawIDARB * 2 + "
                 "1) / 64.0 - 1.0, 0, 1); }",
                 NULL,
                 HEAD "flat in uint word; layout(location = 0) out uint a;\n"
                      "void main() { a = word; }",
                 NULL);
    glGenBuffers(1, &b);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, b);
    glBufferData(GL_DRAW_INDIRECT_BUFFER, sizeof draws, draws, GL_STATIC_DRAW);
    glMultiDrawArraysIndirect(GL_POINTS, NULL, 3, 0);
    const GLuint *data = pixels(0);
    equal("the first indirect draw has 2 instances", (uint64_t)count_of(data, 5), 2);
    equal("the third indirect draw has 3 instances", (uint64_t)count_of(data, 209), 3);
    equal("the second indirect draw draws nothing", (uint64_t)count_of(data, 7), PIXELS - 5);
}

/* A texture of 16384 texels has 15 levels; level i is filled with i + 1. */
static void test_largest_texture(void) {
    enum { WIDTH = 16384, LEVELS = 15 };
    static GLuint row[WIDTH];
    GLuint t;
    make_targets();
    make_program(WHOLE, NULL,
                 HEAD "uniform usampler2D s; layout(location = 0) out uint a;\n"
                      "void main() { a = texelFetch(s, ivec2(0), int(gl_FragCoord.x) % 15).x; }",
                 NULL);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, LEVELS, GL_R32UI, WIDTH, 1);
    for (int i = 0; i < LEVELS; i++) {
        for (int x = 0; x < WIDTH >> i; x++)
            row[x] = (GLuint)i + 1;
        glTexSubImage2D(GL_TEXTURE_2D, i, 0, 0, WIDTH >> i, 1, GL_RED_INTEGER, GL_UNSIGNED_INT,
                        row);
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const GLuint *data = pixels(0);
    for (GLuint i = 0; i < LEVELS; i++)
        equal("each level of the largest texture has its texels", data[i], i + 1);
}

static void test_viewports(void) {
    make_targets();
    for (GLuint i = 0; i < 16; i++)
        glViewportIndexedf(i, (GLfloat)(i % 4 * 16), (GLfloat)(i / 4 * 16), 16, 16);
    make_program(WHOLE,
                 HEAD "layout(triangles, invocations = 16) in;\n"
                      "layout(triangle_strip, max_vertices = 3) out; flat out uint word;\n"
                      "void main() { for (int i = 0; i < 3; i++) { word = uint(gl_InvocationID);\n"
                      "gl_ViewportIndex = gl_InvocationID; gl_Position = gl_in[i].gl_Position;\n"
                      "EmitVertex(); } }",
                 HEAD "flat in uint word; layout(location = 0) out uint a;\n"
                      "void main() { a = word + 50u; }",
                 NULL);
    for (int i = 0; i < 16; i++) /* the triangle is larger than its viewport */
        glScissorIndexed((GLuint)i, i % 4 * 16, i / 4 * 16, 16, 16);
    glEnable(GL_SCISSOR_TEST);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_SCISSOR_TEST);
    const GLuint *data = pixels(0);
    int wrong = 0;
    for (int i = 0; i < PIXELS; i++)
        wrong += data[i] != 50u + (GLuint)(i / SIDE / 16 * 4 + i % SIDE / 16);
    equal("each of sixteen viewports has its pixels", (uint64_t)wrong, 0);
}

/* A single layer of an array is the target; the fragment program stores to another layer. */
static void test_layers(void) {
    enum { LAYERS = 5 };
    static const GLuint nine[4] = {9, 9, 9, 9};
    static GLuint data[LAYERS * PIXELS];
    GLuint t, f;
    int wrong = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, GL_R32UI, SIDE, SIDE, LAYERS);
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    for (int i = 0; i < LAYERS; i++) {
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, i);
        glClearBufferuiv(GL_COLOR, 0, nine);
    }
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0, 3);
    glViewport(0, 0, SIDE, SIDE);
    glBindImageTexture(0, t, 0, GL_TRUE, 0, GL_WRITE_ONLY, GL_R32UI);
    make_program(WHOLE, NULL,
                 HEAD "layout(r32ui) writeonly uniform uimage2DArray image; out uint a;\n"
                      "void main() { ivec2 at = ivec2(gl_FragCoord.xy); uint i = uint(at.y * 64 + "
                      "at.x);\nimageStore(image, ivec3(at, 1), uvec4(i)); a = i + 5000u; }",
                 NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, data);
    for (GLuint i = 0; i < LAYERS * PIXELS; i++) {
        const GLuint layer = i / PIXELS, at = i % PIXELS;
        wrong += data[i] != (layer == 3 ? at + 5000 : layer == 1 ? at : 9);
    }
    equal("a draw and a store each write one layer", (uint64_t)wrong, 0);
}

/* The fragments of sixteen tiles increment a counter and store the number that they got. Each
 * number must occur once. The script compares their order for different numbers of threads. */
static void test_atomics(void) {
    enum { WIDE = 4 * SIDE, ALL = WIDE * WIDE };
    static const GLuint zero;
    static GLuint data[ALL];
    static bool seen[ALL];
    GLuint b, t, order = 0;
    int wrong = 0;
    make_targets();
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, WIDE, WIDE);
    for (GLenum i = 0; i < 3; i++)
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, i ? 0 : t, 0);
    glViewport(0, 0, WIDE, WIDE);
    make_program(WHOLE, NULL,
                 HEAD "layout(std430, binding = 0) buffer B { uint count; };\n"
                      "layout(location = 0) out uint a; void main() { a = atomicAdd(count, 1u); }",
                 NULL);
    glGenBuffers(1, &b);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 4, &zero, GL_DYNAMIC_COPY);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glReadPixels(0, 0, WIDE, WIDE, GL_RED_INTEGER, GL_UNSIGNED_INT, data);
    for (int i = 0; i < ALL; i++) {
        wrong += data[i] >= ALL || seen[data[i]];
        seen[data[i] % ALL] = true;
        order = order * 31 + data[i];
    }
    equal("each fragment gets another number of a counter", (uint64_t)wrong, 0);
    printf("order %u\n", order);
}

/* Integer division, which the driver computes from 32-bit products and sums and their high
 * halves. */
static void test_division(void) {
    int wrong = 0;
    make_targets();
    const GLuint p = make_program(
        WHOLE, NULL,
        HEAD
        "uniform uint by; uniform int signed_by; layout(location = 0) out uint a;\n"
        "layout(location = 1) out uint b;\nlayout(location = 2) out uint c; void main() {\n"
        "uint i = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x);\n"
        "a = i * 1000003u / by; b = i * 1000003u % by; c = uint((int(i) - 2000) / signed_by); }",
        NULL);
    glUniform1ui(glGetUniformLocation(p, "by"), 1234);
    glUniform1i(glGetUniformLocation(p, "signed_by"), -7);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    for (int k = 0; k < 3; k++) {
        const GLuint *data = pixels(k);
        for (GLuint i = 0; i < PIXELS; i++)
            wrong += data[i] != (k == 0   ? i * 1000003u / 1234
                                 : k == 1 ? i * 1000003u % 1234
                                          : (GLuint)(((int)i - 2000) / -7));
    }
    equal("quotients and rests of integers are right", (uint64_t)wrong, 0);
}

/* ---- the edge of a viewport ---- */

/* Wide points and lines cross the edge of a viewport that is smaller than the target, and are cut
 * there. */
static void test_edges(void) {
    static const char *const vertex =
        HEAD "uniform vec4 ends; void main() { gl_PointSize = 9.0;\n"
             "gl_Position = vec4(gl_VertexID == 0 ? ends.xy : ends.zw, 0.0, 1.0); }\n";
    static const struct {
        const char *what;
        GLenum mode;
        float ends[4];
        int pixels;
    } row[] = {
        {"a point whose centre is beside the viewport", GL_POINTS, {1.025f, 0.025f}, 4 * 9},
        {"a point in the viewport's corner", GL_POINTS, {-0.975f, -0.975f}, 5 * 5},
        {"a wide line along the viewport's edge", GL_LINES, {-2, 0.99f, 2, 0.99f}, 20 * 3},
    };
    glUseProgram(make_program(
        vertex, NULL, HEAD "layout(location = 0) out uint o; void main() { o = 9u; }\n", NULL));
    glEnable(GL_PROGRAM_POINT_SIZE);
    glLineWidth(5);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        make_targets();
        glViewport(8, 8, 20, 20);
        glUniform4fv(0, 1, row[i].ends);
        glDrawArrays(row[i].mode, 0, row[i].mode == GL_POINTS ? 1 : 2);
        gives(row[i].what, count_of(pixels(0), 9), row[i].pixels);
    }
    glDisable(GL_PROGRAM_POINT_SIZE);
    glLineWidth(1);
}

#include "fermi_samples.h"

int main(int argc, char **argv) {
    GLuint arrays;
    if (argc != 2)
        return 2;
    if (!make_context(EGL_OPENGL_API, 4, 3))
        return 77;
    verdict("the renderer is the chip",
            strcmp((const char *)glGetString(GL_RENDERER), argv[1]) == 0);
    glGenVertexArrays(1, &arrays);
    glBindVertexArray(arrays);
    test_invocations();
    test_gaps();
    test_interpolation();
    test_most_varyings();
    test_block_index();
    test_indirect();
    test_largest_texture();
    test_viewports();
    test_layers();
    test_division();
    test_streams();
    test_samples();
    test_sampled_line();
    test_no_target();
    test_early_tests();
    test_atomics();
    test_edges();
    equal("OpenGL reports no error", glGetError(), 0);
    return summary();
}
