/* Shared by the checks of features.c: small programs, targets, a mesh of coloured triangles, and
 * records of pixels. In: sizes and formats. Out: GL objects, bound. Knows no check. */
#ifndef TESTS_GL_FEATURES_DRAW_H
#define TESTS_GL_FEATURES_DRAW_H

#include "checks.h"
#include "corpus_scene.h"

#include <stdarg.h>

enum { SIZE = 64 }; /* size of most targets in pixels */

#define HEAD "#version 330 core\n"
/* A strip of four vertices over the whole target, without arrays; uv runs from 0 to 1. */
static const char *const quad_vertex =
    HEAD "out vec2 uv; void main() { uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
         "gl_Position = vec4(uv * 2.0 - 1.0, 0.0, 1.0); }";
/* Position and colour from arrays. */
static const char *const mesh_vertex =
    HEAD "layout(location = 0) in vec4 position; layout(location = 1) in vec4 colour; out vec4 c;"
         "uniform float depth; void main() { c = colour; gl_Position = position; gl_Position.z += "
         "depth; }";
static const char *const mesh_fragment = HEAD "in vec4 c; out vec4 o; void main() { o = c; }";

static void skip_feature(const char *why) {
    write_record(records, feature, "skipped", RECORD_SKIP, 0, 0, why, strlen(why) + 1);
}

static GLuint use_stages(const char *vertex, const char *geometry, const char *fragment) {
    const struct stage_text stages[] = {
        {GL_VERTEX_SHADER, vertex}, {GL_GEOMETRY_SHADER, geometry}, {GL_FRAGMENT_SHADER, fragment}};
    char why[2000];
    const GLuint program =
        link_program(stages, 3, NULL, 0, GL_INTERLEAVED_ATTRIBS, why, sizeof why);
    if (!program)
        give_up(EXIT_FAILURE, "%s: %s", feature, why);
    glUseProgram(program);
    return program;
}

static GLuint use_program(const char *vertex, const char *fragment) {
    return use_stages(vertex, NULL, fragment);
}

static void set_float(const char *name, float value) {
    GLint program;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    glUniform1f(glGetUniformLocation((GLuint)program, name), value);
}

static GLuint renderbuffer(GLenum format, int samples, int width, int height) {
    GLuint name;
    glGenRenderbuffers(1, &name);
    glBindRenderbuffer(GL_RENDERBUFFER, name);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    return name;
}

static void attach(GLenum attachment, GLuint buffer) {
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
}

/* Draws a point outside the view. Without a draw, Fermi's driver forgets the scissor of a context
 * that clears, and uses that of the last blit (docs/opengl.md, faults of the driver). */
static void draw_nothing(void) {
    use_program(HEAD "void main() { gl_Position = vec4(2.0); }",
                HEAD "out vec4 o; void main() { o = vec4(0.0); }");
    glDrawArrays(GL_POINTS, 0, 1);
}

/* Makes, binds and clears a framebuffer with one colour buffer and, unless depth is 0, a depth
 * buffer; also makes a vertex array. */
static GLuint target(GLenum colour, GLenum depth, int samples, int size) {
    GLuint framebuffer, array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    attach(GL_COLOR_ATTACHMENT0, renderbuffer(colour, samples, size, size));
    if (depth)
        attach(depth == GL_DEPTH24_STENCIL8 ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
               renderbuffer(depth, samples, size, size));
    glViewport(0, 0, size, size);
    draw_nothing();
    glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    return framebuffer;
}

static void draw_quad(void) {
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* Makes and binds a buffer with this content. */
static GLuint filled_buffer(GLenum kind, GLsizeiptr size, const void *data) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBuffer(kind, name);
    glBufferData(kind, size, data, GL_STATIC_DRAW);
    return name;
}

/* Binds the scene's triangles (or points, lines) with colours; returns the number of vertices. */
static int bind_mesh(GLenum mode) {
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    return bind_scene(mode, VALUES_PLAIN, false);
}

/* A target with the programs and vertices of the scene's triangles; returns the number of
 * vertices. */
static int mesh_target(GLenum colour, GLenum depth, int samples, int size) {
    target(colour, depth, samples, size);
    use_program(mesh_vertex, mesh_fragment);
    return bind_mesh(GL_TRIANGLES);
}

/* Puts `count` vertices of 2 floats into attribute 0, and a colour that follows from the vertex's
 * number into attribute 1. */
static void bind_positions(const float (*position)[2], int count) {
    float data[256][6];
    for (int i = 0; i < count; i++) {
        memcpy(data[i], position[i], sizeof *position);
        for (uint32_t c = 0; c < 4; c++)
            data[i][2 + c] = hash_float((uint32_t)i, c);
    }
    filled_buffer(GL_ARRAY_BUFFER, count * (GLsizeiptr)sizeof *data, data);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof *data, NULL);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof *data, (const void *)8);
}

/* The name of a part of a feature. Valid until the next call. */
__attribute__((format(printf, 1, 2))) static const char *named(const char *format, ...) {
    static char name[48];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    return name;
}

static void record_bytes(const char *part, int width, int height) {
    static uint8_t pixels[256 * 256 * 4];
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    write_record(records, feature, part, RECORD_BYTES, 4, (uint32_t)width, pixels,
                 (size_t)width * (size_t)height * 4);
}

static void record_floats(const char *part, int width, int height) {
    static float pixels[256 * 256 * 4];
    glReadPixels(0, 0, width, height, GL_RGBA, GL_FLOAT, pixels);
    write_record(records, feature, part, RECORD_FLOATS, 4, (uint32_t)width, pixels,
                 (size_t)width * (size_t)height * 16);
}

static void record_integers(const char *part, const GLint *values, int count) {
    write_record(records, feature, part, RECORD_INTEGERS, 1, 8, values, (size_t)count * 4);
}

/* A smooth RGBA8 image of any size, the same in every run. */
static const uint8_t *image(int width, int height, uint32_t which) {
    static uint8_t texels[128 * 128 * 4];
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (uint32_t c = 0; c < 4; c++)
                texels[(y * width + x) * 4 + (int)c] = (uint8_t)lrintf(
                    127.5f + 100 * wave(100 + which * 4 + c, 3.0f * (float)x / (float)width,
                                        3.0f * (float)y / (float)height));
        }
    }
    return texels;
}

static GLuint texture_2d(GLenum format, int width, int height, GLint filter) {
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 image(width, height, 0));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER,
                    filter == GL_LINEAR ? GL_LINEAR : GL_NEAREST);
    return name;
}

static const char *const texture_fragment =
    HEAD "in vec2 uv; out vec4 o; uniform sampler2D t; uniform float lod;"
         "void main() { o = textureLod(t, uv, lod); }";

#endif
