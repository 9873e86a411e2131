/* Seven workloads in which a program waits for results, or moves bytes between itself and the
 * GPU. */
#pragma once

#include "bench/gl43/gl43.h"

extern const struct workload readback, upload, blits, video, picking, tiles, queries;

/* Returns bytes in a pattern that changes after every 64 bytes and with the seed. The caller frees
 * them. */
uint8_t *make_bytes(size_t size, uint32_t seed);

/* ---- quads.glsl: textured rectangles ---- */

struct quads {
    GLuint program;
    GLint box, number;
};
struct quads quads_program(void);
/* Draws the rectangle with this lower left corner and size, from -1 to 1 in the target, and this
 * depth. number, from 0 to 1, becomes alpha and darkens the colour: picking reads the number. */
void draw_quad(const struct quads *q, float x, float y, float width, float height, float depth,
               float number);
/* Draws quad i of a fixed set that is scattered over the target. */
void draw_scattered(const struct quads *q, uint32_t i);
