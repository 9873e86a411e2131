/* The scene that every program of the corpus draws: a grid of separate triangles (or points, or
 * primitives with adjacency). Attributes are smooth functions of the place plus a part that differs
 * from triangle to triangle. In: a round. Out: vertices in a buffer, attributes 0-3 and 8 set up.
 * Knows no program. */
#ifndef TESTS_GL_CORPUS_SCENE_H
#define TESTS_GL_CORPUS_SCENE_H

#include "corpus_context.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TARGET_WIDTH = 96, TARGET_HEIGHT = 80, CELLS_X = 6, CELLS_Y = 5 };

enum attribute_values {
    /* values that every function accepts: a1 and a3 in (0, 1), a2 in (0.2, 1.4), a8 from 1 to 7 */
    VALUES_PLAIN,
    VALUES_WILD,  /* also negative and large values; vertices behind the eye */
    VALUES_AHEAD, /* as wild, without vertices behind the eye */
    VALUES_POINTS /* as plain, with points of up to 12 pixels */
};

struct round {
    const char *name;
    enum attribute_values values;
    GLenum target; /* the colour format */
    GLenum mode;   /* type of primitives for programs without a geometry stage */
    bool packed;   /* attributes 2, 3 and 8 as 16-bit and 8-bit integers */
    bool blend, depth_clamp;
    GLint min_filter, mag_filter, wrap;
};

struct vertex {
    float a0[4], a1[4], a2[4], a3[4];
    int32_t a8[4];
    int16_t a2_packed[4], a8_packed[4];
    uint8_t a3_packed[4];
};

/* A number in [0, 1), the same on every machine. */
static float hash_float(uint32_t a, uint32_t b) {
    uint32_t h = a * 0x9e3779b1u + b * 0x85ebca77u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h ^= h >> 15;
    return (float)(h >> 8) / 16777216.0f;
}

/* A wave over the target, in [-1, 1]. */
static float wave(uint32_t which, float x, float y) {
    const float fx = 2.5f * hash_float(which, 1) - 0.7f, fy = 2.5f * hash_float(which, 2) - 0.9f;
    return sinf(fx * x + fy * y + 6.2831853f * hash_float(which, 3));
}

static void set_position(struct vertex *v, float x, float y, uint32_t corner,
                         enum attribute_values values) {
    const float w =
        values == VALUES_WILD && corner % 23 == 7 ? -0.4f : 1.0f + 0.5f * wave(90, x, y);
    v->a0[0] = x * w;
    v->a0[1] = y * w;
    v->a0[2] = (0.7f * wave(91, x, y) - 0.1f) * w;
    v->a0[3] = w;
}

static bool is_wild(enum attribute_values values) {
    return values == VALUES_WILD || values == VALUES_AHEAD;
}

static void set_integers(struct vertex *v, uint32_t primitive, enum attribute_values values) {
    for (uint32_t c = 0; c < 4; c++) {
        const float h = hash_float(primitive, 40 + c);
        v->a8[c] = 1 + (int32_t)(h * 7);
        if (is_wild(values))
            v->a8[c] = (int32_t)((h - 0.5f) * (c == 0   ? 2e9f
                                               : c == 1 ? 3e5f
                                               : c == 2 ? 1e3f
                                                        : 40.0f)) *
                           2 +
                       1;
    }
}

static struct vertex make_vertex(float x, float y, uint32_t corner, uint32_t primitive,
                                 enum attribute_values values) {
    struct vertex v = {0};
    const bool wild = is_wild(values);
    set_position(&v, x, y, corner, values);
    set_integers(&v, primitive, values);
    for (uint32_t c = 0; c < 4; c++) {
        const float jitter = 0.1f * (hash_float(primitive, 50 + c) - 0.5f);
        const float w1 = wave(10 + c, x, y), w2 = wave(20 + c, x, y), w3 = wave(30 + c, x, y);
        v.a1[c] = wild ? 0.93f * w1 + jitter : 0.5f + 0.42f * w1 + jitter;
        v.a2[c] = wild ? 2.5f * w2 + jitter : 0.8f + 0.5f * w2 + jitter;
        v.a3[c] = wild ? 0.95f * w3 : 0.5f + 0.45f * w3;
        if (values == VALUES_POINTS)
            v.a1[c] *= 3;
        v.a2_packed[c] = (int16_t)lrintf(fmaxf(-1, fminf(1, v.a2[c])) * 32767);
        v.a3_packed[c] = (uint8_t)lrintf(fmaxf(0, v.a3[c]) * 255);
        v.a8_packed[c] = (int16_t)v.a8[c];
    }
    return v;
}

/* Corners of the grid lie away from pixel centres, so that rounding by 1/256 pixel decides
 * nothing. */
static void grid_corner(int x, int y, float place[2]) {
    const uint32_t corner = (uint32_t)(y * (CELLS_X + 1) + x);
    const float jx = hash_float(corner, 60) - 0.5f, jy = hash_float(corner, 61) - 0.5f;
    place[0] = (2.0f * x / CELLS_X - 1) * 0.97f + 0.12f * jx;
    place[1] = (2.0f * y / CELLS_Y - 1) * 0.97f + 0.12f * jy;
}

/* Fills in the vertices; returns their number. Every second triangle has the opposite winding. */
static int make_scene(struct vertex *vertices, GLenum mode, enum attribute_values values) {
    static const int corners[2][6][2] = {{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, -1}, {-1, 1}},
                                         {{1, 1}, {1, 0}, {0, 1}, {0, 0}, {2, 0}, {0, 2}}};
    /* the corners of a primitive, in order; primitives with adjacency have their neighbours in
     * between */
    static const struct {
        GLenum mode;
        int count, take[6];
    } kinds[] = {{GL_TRIANGLES, 3, {0, 1, 2}},
                 {GL_POINTS, 1, {0}},
                 {GL_LINES, 2, {0, 1}},
                 {GL_LINES_ADJACENCY, 4, {0, 1, 2, 3}},
                 {GL_TRIANGLES_ADJACENCY, 6, {0, 4, 1, 3, 2, 5}}};
    int kind = 0, n = 0;
    while (kinds[kind].mode != mode)
        kind++;
    for (int primitive = 0; primitive < CELLS_X * CELLS_Y * 2; primitive++) {
        const int cell = primitive / 2;
        for (int i = 0; i < kinds[kind].count; i++) {
            const int *at = corners[primitive % 2][kinds[kind].take[i]];
            const int x = cell % CELLS_X + at[0], y = cell / CELLS_X + at[1];
            float place[2];
            grid_corner(x, y, place);
            vertices[n++] =
                make_vertex(place[0], place[1], (uint32_t)(y * 8 + x), (uint32_t)primitive, values);
        }
    }
    return n;
}

static void enable(GLenum what, bool on) {
    (on ? glEnable : glDisable)(what);
}

static void attribute(GLuint index, GLint count, GLenum type, GLboolean normalized, size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, count, type, normalized, sizeof(struct vertex),
                          (const void *)offset);
}

/* Uploads the scene into the bound array; returns its number of vertices. */
static int bind_scene(GLenum mode, enum attribute_values values, bool packed) {
    static struct vertex vertices[CELLS_X * CELLS_Y * 2 * 6];
    const int count = make_scene(vertices, mode, values);
    glBufferData(GL_ARRAY_BUFFER, count * (GLsizeiptr)sizeof *vertices, vertices, GL_STREAM_DRAW);
    attribute(0, 4, GL_FLOAT, GL_FALSE, offsetof(struct vertex, a0));
    attribute(1, 4, GL_FLOAT, GL_FALSE, offsetof(struct vertex, a1));
    if (packed) {
        attribute(2, 4, GL_SHORT, GL_TRUE, offsetof(struct vertex, a2_packed));
        attribute(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(struct vertex, a3_packed));
    } else {
        attribute(2, 4, GL_FLOAT, GL_FALSE, offsetof(struct vertex, a2));
        attribute(3, 4, GL_FLOAT, GL_FALSE, offsetof(struct vertex, a3));
    }
    glEnableVertexAttribArray(8);
    glVertexAttribIPointer(8, 4, packed ? GL_SHORT : GL_INT, sizeof(struct vertex),
                           packed ? (const void *)offsetof(struct vertex, a8_packed)
                                  : (const void *)offsetof(struct vertex, a8));
    return count;
}

#endif
