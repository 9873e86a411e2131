/* Small OpenGL 3.3 scenes, off screen (EGL surfaceless): `scenes NAME FILE` draws one and writes
 * its pixels as raw RGBA8 rows of 128x128; `scenes --list` prints their names; `scenes --renderer`
 * prints GL_RENDERER. tests/gl/scenes.sh runs it under two drivers and compares the files. */
#include "surfaceless.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include "gl_program.h"
#include "gl_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 128 };

static GLuint framebuffer;

static GLuint program(const char *vs, const char *gs, const char *fs) {
    GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER, vs);
    if (gs)
        attach(p, GL_GEOMETRY_SHADER, gs);
    if (fs)
        attach(p, GL_FRAGMENT_SHADER, fs);
    link_program(p, NULL);
    return p;
}

static GLint uniform(GLuint p, const char *name) {
    return glGetUniformLocation(p, name);
}

static GLuint buffer(GLenum target, const void *data, size_t size) {
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, (GLsizeiptr)size, data, GL_STATIC_DRAW);
    return b;
}

static void attribute(GLuint index, GLint size, GLsizei stride, size_t offset) {
    glVertexAttribPointer(index, size, GL_FLOAT, GL_FALSE, stride, (const void *)offset);
    glEnableVertexAttribArray(index);
}

#define V330 "#version 330\n"
#define FULL                                                                                       \
    V330 "out vec2 t; void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;"       \
         "t = p; gl_Position = vec4(p * 2.0 - 1.0, 0.25, 1); }"

static void full(const char *fs) {
    program(FULL, NULL, fs);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* A 16x16 texture with mip levels, each with its own tint. */
static GLuint checker(void) {
    static unsigned char texel[16 * 16][4];
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    for (int level = 0, n = 16; n; level++, n /= 2) {
        for (int i = 0; i < n * n; i++) {
            const int on = (i % n ^ i / n) & 1;
            texel[i][0] = (unsigned char)(on ? 255 : 32);
            texel[i][1] = (unsigned char)(level * 50);
            texel[i][2] = (unsigned char)(255 - 40 * level);
            texel[i][3] = 255;
        }
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, n, n, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
    }
    return t;
}

static const float tri[] = {-0.9f, -0.8f, 0, 1, 0,    0,     0.9f, -0.6f, 0.5f,
                            0,     1,     0, 0, 0.9f, -0.5f, 0,    0,     1};
#define TRI_VS                                                                                     \
    V330 "layout(location=0) in vec3 p; layout(location=1) in vec3 c; out vec3 v;"                 \
         "void main() { v = c; gl_Position = vec4(p, 1.0 + 0.3 * p.x); }"
#define COLOR_FS V330 "in vec3 v; out vec4 o; void main() { o = vec4(v, 1); }"

static void triangle_data(void) {
    buffer(GL_ARRAY_BUFFER, tri, sizeof tri);
    attribute(0, 3, 24, 0);
    attribute(1, 3, 24, 12);
}

static void scene_triangle(void) {
    program(TRI_VS, NULL, COLOR_FS);
    triangle_data();
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void scene_indexed_restart(void) {
    static const unsigned short index[] = {0, 1, 2, 65535, 2, 1, 3, 4};
    static const float v[] = {-1, -1, 0, 1,    0,    0, -0.2f, -1, 0, 0,    1,    0, -1, 0.2f, 0,
                              0,  0,  1, 0.9f, 0.1f, 0, 1,     1,  0, 0.8f, 0.9f, 0, 0,  1,    1};
    program(TRI_VS, NULL, COLOR_FS);
    buffer(GL_ARRAY_BUFFER, v, sizeof v);
    attribute(0, 3, 24, 0);
    attribute(1, 3, 24, 12);
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(65535);
    glDrawElements(GL_TRIANGLE_STRIP, 8, GL_UNSIGNED_SHORT, NULL);
}

static void scene_instances(void) {
    GLuint p = program(
        V330
        "uniform float k; out vec3 v; void main() { vec2 q = vec2(gl_VertexID & 1, gl_VertexID >> 1);"
        "float i = float(gl_InstanceID); v = vec3(i / 8.0, q);"
        "gl_Position = vec4(q * 0.2 + vec2(-0.9 + 0.22 * i, k * i - 0.7), 0, 1); }",
        NULL, COLOR_FS);
    glUniform1f(uniform(p, "k"), 0.17f);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 8);
}

static void scene_texture(void) {
    checker();
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    full(
        V330
        "in vec2 t; out vec4 o; uniform sampler2D s; void main() { o = texture(s, t * t * 6.0); }");
}

static void scene_lod_and_fetch(void) {
    checker();
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    full(
        V330
        "in vec2 t; out vec4 o; uniform sampler2D s; void main() {"
        "o = t.x < 0.5 ? textureLod(s, t * 2.0, floor(t.y * 5.0)) :"
        "texelFetch(s, ivec2(t * 16.0), 0) * 0.5 + textureGrad(s, t, vec2(t.y * 0.3, 0), vec2(0)) * 0.5; }");
}

static void scene_cube_map(void) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_CUBE_MAP, t);
    for (unsigned f = 0; f < 6; f++) {
        unsigned char texel[8 * 8][4];
        for (int i = 0; i < 64; i++) {
            texel[i][0] = (unsigned char)(f & 1 ? 255 : i * 4);
            texel[i][1] = (unsigned char)(f & 2 ? 255 : i % 8 * 32);
            texel[i][2] = (unsigned char)(f & 4 ? 255 : i / 8 * 32);
            texel[i][3] = 255;
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8, 8, 8, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texel);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    full(
        V330
        "in vec2 t; out vec4 o; uniform samplerCube s; void main() {"
        "float a = t.x * 6.28, b = t.y * 3.14; o = texture(s, vec3(sin(b) * cos(a), cos(b), sin(b) * sin(a))); }");
}

static void scene_depth_stencil(void) {
    GLuint p = program(
        V330
        "layout(location=0) in vec3 p; uniform vec4 m; void main() { gl_Position = vec4(p.xy * m.w, p.z + m.z, 1); }",
        NULL, V330 "uniform vec4 c; out vec4 o; void main() { o = c; }");
    triangle_data();
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_INCR, GL_REPLACE);
    glStencilFunc(GL_ALWAYS, 3, 0xff);
    glUniform4f(uniform(p, "m"), 0, 0, 0, 1);
    glUniform4f(uniform(p, "c"), 1, 0.5f, 0, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glUniform4f(uniform(p, "m"), 0, 0, 0.1f, -0.8f);
    glUniform4f(uniform(p, "c"), 0, 0.5f, 1, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glStencilFunc(GL_EQUAL, 3, 0x3);
    glDisable(GL_DEPTH_TEST);
    glUniform4f(uniform(p, "m"), 0, 0, 0, 0.5f);
    glUniform4f(uniform(p, "c"), 1, 1, 1, 1);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void scene_blend(void) {
    static const GLenum src[] = {GL_SRC_ALPHA, GL_ONE, GL_CONSTANT_COLOR, GL_DST_COLOR};
    static const GLenum dst[] = {GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_SRC_COLOR, GL_ZERO};
    full(V330 "in vec2 t; out vec4 o; void main() { o = vec4(t, 0.5, t.x); }");
    glEnable(GL_BLEND);
    glEnable(GL_SCISSOR_TEST);
    glBlendColor(0.3f, 0.6f, 0.9f, 0.5f);
    for (int i = 0; i < 4; i++) {
        glScissor(8 + 30 * i, 20, 26, 90);
        glBlendFunc(src[i], dst[i]);
        glBlendEquation(i == 1 ? GL_FUNC_REVERSE_SUBTRACT : GL_FUNC_ADD);
        full(V330 "in vec2 t; out vec4 o; void main() { o = vec4(0.9, t.y, 0.2, 0.6); }");
    }
}

static void scene_geometry(void) {
    program(
        TRI_VS,
        V330
        "layout(triangles) in; layout(triangle_strip, max_vertices=9) out; in vec3 v[]; out vec3 w;"
        "void main() { for (int k = 0; k < 3; k++) { for (int i = 0; i < 3; i++) {"
        "w = v[(i + k) % 3]; gl_Position = gl_in[i].gl_Position * vec4(0.4, 0.4, 1, 1) +"
        "vec4(float(k) * 0.6 - 0.6, float(k) * 0.5 - 0.5, 0, 0); EmitVertex(); } EndPrimitive(); } }",
        V330 "in vec3 w; out vec4 o; void main() { o = vec4(w, 1); }");
    triangle_data();
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void scene_feedback(void) {
    GLuint p = glCreateProgram(), b = buffer(GL_TRANSFORM_FEEDBACK_BUFFER, NULL, 1024);
    attach(p, GL_VERTEX_SHADER,
           V330
           "out vec3 v; void main() { float i = float(gl_VertexID);"
           "v = vec3(cos(i * 2.09) * 0.8, sin(i * 2.09) * 0.8, i / 3.0); gl_Position = vec4(0); }");
    link_program(p, "v");
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b);
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(GL_TRIANGLES);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    glEndTransformFeedback();
    glDisable(GL_RASTERIZER_DISCARD);
    program(
        V330
        "layout(location=0) in vec3 p; out vec3 v; void main() { v = vec3(p.z, p.xy); gl_Position = vec4(p.xy, 0, 1); }",
        NULL, COLOR_FS);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    attribute(0, 3, 12, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void scene_queries(void) {
    GLuint q, samples = 0;
    glGenQueries(1, &q);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 50, 40);
    full(V330 "in vec2 t; out vec4 o; void main() { o = vec4(t, 0, 1); }");
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &samples);
    glScissor(0, 64, (GLint)(samples / 20), 10);
    glClearColor(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBeginConditionalRender(q, GL_QUERY_WAIT);
    glScissor(0, 100, 20, 10);
    glClear(GL_COLOR_BUFFER_BIT);
    glEndConditionalRender();
}

static void scene_uniform_block(void) {
    float block[64][4];
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 4; k++)
            block[i][k] = (float)((i * (k + 3)) % 64) / 64;
    GLuint p = program(FULL, NULL,
                       V330 "in vec2 t; out vec4 o; layout(std140) uniform b { vec4 c[64]; };"
                            "void main() { ivec2 i = ivec2(t * 8.0); o = c[i.x + 8 * i.y]; }");
    GLuint b = buffer(GL_UNIFORM_BUFFER, block, sizeof block);
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "b"), 0);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void blit_to_picture(GLuint from, GLint x1, GLint y1, GLenum filter) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, x1, y1, GL_COLOR_BUFFER_BIT, filter);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

static void scene_multisample(void) {
    const GLuint f = new_target(GL_RGBA8, 4, SIZE, SIZE);
    glClearColor(0.1f, 0.1f, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene_triangle();
    blit_to_picture(f, SIZE, SIZE, GL_NEAREST);
}

static void scene_float_target(void) {
    const GLuint f = new_target(GL_RGBA16F, 0, SIZE, SIZE);
    full(V330 "in vec2 t; out vec4 o; void main() { o = vec4(t * 1.5 - 0.25, t.x * t.y, 1); }");
    blit_to_picture(f, SIZE, SIZE, GL_NEAREST);
}

static void scene_scaled_blit(void) {
    const GLuint f = new_target(GL_RGBA8, 0, SIZE, SIZE);
    glClearColor(0, 0.3f, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene_triangle();
    blit_to_picture(f, SIZE / 2, SIZE, GL_LINEAR);
}

static void scene_render_to_texture(void) {
    GLuint f, t;
    glGenFramebuffers(1, &f);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glClearColor(0.2f, 0, 0.2f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    scene_triangle();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
    full(
        V330
        "in vec2 t; out vec4 o; uniform sampler2D s; void main() { o = textureLod(s, t, t.x < 0.5 ? 0.0 : 3.0); }");
}

static void scene_points_lines(void) {
    program(
        V330
        "out vec3 v; void main() { float i = float(gl_VertexID); v = vec3(1, i / 8.0, 0.3);"
        "gl_PointSize = 3.0 + 2.0 * i; gl_Position = vec4(-0.85 + 0.24 * i, 0.5 * sin(i), 0, 1); }",
        NULL, COLOR_FS);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glDrawArrays(GL_POINTS, 0, 8);
    glDrawArrays(GL_LINE_STRIP, 0, 8);
}

static void scene_integers(void) {
    full(
        V330
        "in vec2 t; out vec4 o; void main() { uvec2 u = uvec2(t * 1000.0); uint h = u.x * 747796405u + u.y * 2891336453u;"
        "h = (h >> ((h >> 28) + 4u) ^ h) * 277803737u; ivec2 d = ivec2(u) / 37; int m = int(u.x) % 11;"
        "o = vec4(float(h >> 24) / 255.0, float(d.x ^ d.y) / 32.0, float(m) / 11.0, 1); }");
}

static void scene_flow(void) {
    full(
        V330
        "in vec2 t; out vec4 o; void main() { vec2 z = vec2(0), c = t * vec2(3, 2) - vec2(2.2, 1); int i;"
        "for (i = 0; i < 60; i++) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; if (dot(z, z) > 4.0) break; }"
        "if (i == 60 && t.x > 0.7) discard; o = vec4(float(i) / 60.0, float(i & 7) / 7.0, dFdx(t.x) * 64.0, 1); }");
}

static const struct {
    const char *name;
    void (*draw)(void);
} scenes[] = {
#define S(n) {#n, scene_##n}
    S(triangle),          S(indexed_restart), S(instances),   S(texture),      S(lod_and_fetch),
    S(cube_map),          S(depth_stencil),   S(blend),       S(geometry),     S(feedback),
    S(queries),           S(uniform_block),   S(multisample), S(float_target), S(scaled_blit),
    S(render_to_texture), S(points_lines),    S(integers),    S(flow),
};

static void open_context(void) {
    if (!make_context(EGL_OPENGL_API, 3, 3)) {
        fprintf(stderr, "scenes: no OpenGL 3.3 context\n");
        exit(1);
    }
}

static void open_picture(void) {
    GLuint r[2], vertex_array;
    glGenVertexArrays(1, &vertex_array);
    glBindVertexArray(vertex_array);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glGenRenderbuffers(2, r);
    glBindRenderbuffer(GL_RENDERBUFFER, r[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, r[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, r[1]);
    glViewport(0, 0, SIZE, SIZE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static int write_picture(const char *path) {
    static unsigned char pixels[SIZE * SIZE][4];
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    const GLenum error = glGetError();
    if (error)
        fprintf(stderr, "scenes: GL error %04x\n", error);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(pixels, sizeof pixels, 1, f) != 1 || fclose(f))
        return 1;
    return error != 0;
}

int main(int argc, char **argv) {
    const size_t count = sizeof scenes / sizeof *scenes;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++)
            puts(scenes[i].name);
        return 0;
    }
    open_context();
    if (argc == 2 && strcmp(argv[1], "--renderer") == 0)
        return puts((const char *)glGetString(GL_RENDERER)) < 0;
    for (size_t i = 0; argc == 3 && i < count; i++)
        if (strcmp(scenes[i].name, argv[1]) == 0) {
            open_picture();
            scenes[i].draw();
            return write_picture(argv[2]);
        }
    fprintf(stderr, "usage: scenes NAME FILE | --list | --renderer\n");
    return 2;
}
