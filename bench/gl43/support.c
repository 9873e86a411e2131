/* Programs from files, buffers, textures, matrices and a sphere, for the workloads of bench/gl43,
 * bench/waits and bench/pixels. */
#include "bench/gl43/gl43.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "gl43: %s: %s\n", what, why);
    exit(2);
}

/* ---- programs ---- */

static char *whole_file(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.glsl", WORKLOADS_DIR, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail(path, "cannot be opened");
    enum { MOST = 1 << 16 };
    char *text = malloc(MOST);
    if (!text)
        fail(path, "out of memory");
    text[fread(text, 1, MOST - 1, f)] = 0;
    fclose(f);
    return text;
}

/* Copies a section to `to`. Returns false if there is none. */
static int copy_section(const char *text, const char *name, char *to, size_t size) {
    char head[64];
    snprintf(head, sizeof head, "//! %s\n", name);
    const char *at = strstr(text, head);
    if (!at)
        return 0;
    at += strlen(head);
    const char *end = strstr(at, "//! ");
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    snprintf(to, size, "%.*s", (int)length, at);
    return 1;
}

/* The vertex program of files that have none: the triangle of draw_whole(). */
static const char whole_target[] = "out vec2 at; // -1 to 1 over the target\n"
                                   "void main() {\n"
                                   "    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
                                   "    gl_Position = vec4(at, 0.0, 1.0);\n"
                                   "}\n";

static void compile(GLuint program, const char *section, GLenum type, const char *common,
                    const char *own) {
    char version[32], why[2000];
    const char *text[3] = {version, common, own};
    snprintf(version, sizeof version, "#version %d%d0 core\n", program_set.major,
             program_set.minor);
    const GLuint shader = glCreateShader(type);
    glShaderSource(shader, 3, text, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    glGetShaderInfoLog(shader, sizeof why, NULL, why);
    if (!ok)
        fail(section, why);
    glAttachShader(program, shader);
}

/* Compiles a section into the program. Returns false if the file lacks the section. */
static int attach(GLuint program, const char *file, const char *section, GLenum type) {
    static char common[1 << 14], own[1 << 14];
    char *all = whole_file(file);
    common[0] = 0;
    copy_section(all, "common", common, sizeof common);
    const int found = copy_section(all, section, own, sizeof own);
    free(all);
    if (found)
        compile(program, section, type, common, own);
    return found;
}

static GLuint linked(GLuint program, const char *file) {
    char why[2000];
    GLint ok = 0;
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    glGetProgramInfoLog(program, sizeof why, NULL, why);
    if (!ok)
        fail(file, why);
    glUseProgram(program);
    return program;
}

GLuint draw_program(const char *file) {
    const GLuint program = glCreateProgram();
    if (!attach(program, file, "vertex", GL_VERTEX_SHADER))
        compile(program, "vertex", GL_VERTEX_SHADER, "", whole_target);
    attach(program, file, "control", GL_TESS_CONTROL_SHADER);
    attach(program, file, "evaluation", GL_TESS_EVALUATION_SHADER);
    attach(program, file, "fragment", GL_FRAGMENT_SHADER);
    return linked(program, file);
}

GLuint compute_program(const char *file, const char *section) {
    const GLuint program = glCreateProgram();
    if (!attach(program, file, section, GL_COMPUTE_SHADER))
        fail(file, "no such section");
    return linked(program, file);
}

GLint uniform(GLuint program, const char *name) {
    return glGetUniformLocation(program, name);
}

/* ---- buffers ---- */

GLuint buffer(GLenum target, const void *data, GLsizeiptr size) {
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return b;
}

void storage(GLuint index, GLuint b) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, index, b);
}

GLuint vertex_array(void) {
    GLuint a;
    glGenVertexArrays(1, &a);
    glBindVertexArray(a);
    return a;
}

void attribute(GLuint index, GLint floats, GLsizei stride, uintptr_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, floats, GL_FLOAT, GL_FALSE, stride, (const void *)offset);
}

/* ---- textures ---- */

static GLuint new_texture(GLint filter, GLint magnified, GLint wrap) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, magnified);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
    return t;
}

GLuint texture(GLenum format, GLsizei width, GLsizei height) {
    const GLuint t = new_texture(GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    return t;
}

void bind_texture(GLuint unit, GLuint t) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, t);
}

static uint32_t hashed(uint32_t x, uint32_t y) {
    uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

/* Noise from 0 to 1 on a lattice that repeats after `period` cells. */
static float lattice_noise(float x, float y, uint32_t period) {
    const uint32_t i = (uint32_t)x, j = (uint32_t)y;
    float fx = x - (float)i, fy = y - (float)j, corner[4];
    for (uint32_t k = 0; k < 4; k++)
        corner[k] =
            (float)(hashed((i + (k & 1)) % period, (j + (k >> 1)) % period) & 0xffff) / 65535.0f;
    fx *= fx * (3 - 2 * fx);
    fy *= fy * (3 - 2 * fy);
    const float low = corner[0] + (corner[1] - corner[0]) * fx;
    const float high = corner[2] + (corner[3] - corner[2]) * fx;
    return low + (high - low) * fy;
}

static float fractal_noise(float x, float y, uint32_t period) {
    float sum = 0, weight = 0.5f;
    for (int i = 0; i < 6; i++, weight *= 0.5f, x *= 2, y *= 2, period *= 2)
        sum += weight * lattice_noise(x, y, period);
    return sum;
}

GLuint noise_texture(void) {
    enum { SIDE = 512, CELL = 64 };
    uint8_t *data = malloc(4 * SIDE * SIDE);
    if (!data)
        fail("texture", "out of memory");
    for (int i = 0; i < SIDE * SIDE; i++) {
        const float x = (float)(i % SIDE) / CELL, y = (float)(i / SIDE) / CELL;
        const float h = fractal_noise(x, y, SIDE / CELL);
        const uint8_t texel[4] = {(uint8_t)(255 * h), (uint8_t)(70 + 140 * h),
                                  (uint8_t)(60 + 120 * h * h), (uint8_t)(80 + 90 * (1 - h))};
        memcpy(data + 4 * i, texel, 4);
    }
    const GLuint t = new_texture(GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_REPEAT);
    glTexStorage2D(GL_TEXTURE_2D, 10, GL_RGBA8, SIDE, SIDE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, data);
    glGenerateMipmap(GL_TEXTURE_2D);
    free(data);
    return t;
}

GLuint picture_texture(void) {
    uint8_t *data = malloc(4 * WIDTH * HEIGHT);
    if (!data)
        fail("texture", "out of memory");
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const float n = fractal_noise((float)x / 160, (float)y / 160, 8);
            const float dx = (float)(x % 213) - 106, dy = (float)(y % 180) - 90;
            const float ring = 0.5f + 0.5f * sinf(0.004f * (dx * dx + dy * dy));
            const int line = x % 64 == 0 || y % 64 == 0;
            uint8_t *texel = data + 4 * (y * WIDTH + x);
            texel[0] = line ? 250 : (uint8_t)(40 + 110 * n);
            texel[1] = line ? 240 : (uint8_t)(30 + 70 * n + 60 * ring);
            texel[2] = line ? 180 : (uint8_t)(60 + 60 * ring);
            texel[3] = 255;
        }
    const GLuint t = texture(GL_RGBA8, WIDTH, HEIGHT);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, data);
    free(data);
    return t;
}

float random_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 24);
}

/* ---- matrices ---- */

struct matrix product(const struct matrix *a, const struct matrix *b) {
    struct matrix r = {0};
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            r.m[i] += a->m[4 * k + i % 4] * b->m[i / 4 * 4 + k];
    return r;
}

struct matrix perspective(float degrees, float near, float far) {
    const float f = 1 / tanf(degrees * PI / 360);
    return (struct matrix){{[0] = f * HEIGHT / WIDTH,
                            [5] = f,
                            [10] = (far + near) / (near - far),
                            [11] = -1,
                            [14] = 2 * far * near / (near - far)}};
}

static void cross(float r[3], const float a[3], const float b[3]) {
    for (int i = 0; i < 3; i++)
        r[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normalize(float v[3]) {
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

struct matrix look_at(const float eye[3], const float center[3]) {
    float axis[3][3], back[3];
    for (int i = 0; i < 3; i++)
        back[i] = eye[i] - center[i];
    normalize(back);
    cross(axis[0], (const float[3]){0, 1, 0}, back);
    normalize(axis[0]);
    cross(axis[1], back, axis[0]);
    memcpy(axis[2], back, sizeof back);
    struct matrix r = {{[15] = 1}};
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) {
            r.m[4 * k + row] = axis[row][k];
            r.m[12 + row] -= axis[row][k] * eye[k];
        }
    return r;
}

void set_matrix(GLuint program, const char *name, const struct matrix *m) {
    glUseProgram(program);
    glUniformMatrix4fv(uniform(program, name), 1, GL_FALSE, m->m);
}

/* ---- shapes ---- */

static void put_quad(uint32_t *to, uint32_t first, uint32_t row) {
    const uint32_t corners[6] = {first,     first + 1,       first + row,
                                 first + 1, first + row + 1, first + row};
    memcpy(to, corners, sizeof corners);
}

struct mesh make_sphere(int rings) {
    const int around = 2 * rings, row = around + 1;
    float *vertex = malloc(sizeof *vertex * 6 * (size_t)(row * (rings + 1)));
    uint32_t *index = malloc(sizeof *index * 6 * (size_t)(around * rings));
    if (!vertex || !index)
        fail("sphere", "out of memory");
    for (int j = 0; j <= rings; j++)
        for (int i = 0; i <= around; i++) {
            const float u = 2 * PI * (float)i / (float)around, v = PI * (float)j / (float)rings;
            const float p[3] = {sinf(v) * cosf(u), cosf(v), sinf(v) * sinf(u)};
            for (int k = 0; k < 6; k++)
                vertex[6 * (j * row + i) + k] = p[k % 3];
        }
    for (int i = 0; i < around * rings; i++)
        put_quad(index + 6 * i, (uint32_t)(i / around * row + i % around), (uint32_t)row);
    struct mesh m = {.indices = 6 * around * rings};
    m.vertices =
        buffer(GL_ARRAY_BUFFER, vertex, (GLsizeiptr)sizeof *vertex * 6 * row * (rings + 1));
    m.elements = buffer(GL_COPY_WRITE_BUFFER, index, (GLsizeiptr)sizeof *index * m.indices);
    free(vertex);
    free(index);
    return m;
}

void draw_whole(void) {
    static GLuint empty;
    if (!empty)
        empty = vertex_array();
    glBindVertexArray(empty);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
