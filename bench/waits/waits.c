/* Code that the workloads share: bytes, and quads.
 */
#include "bench/waits/waits.h"

#include <stdlib.h>

uint8_t *make_bytes(size_t size, uint32_t seed) {
    uint8_t *bytes = malloc(size);
    if (!bytes)
        fail("bytes", "out of memory");
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((i >> 6) + (i >> 14) + seed * 37);
    return bytes;
}

struct quads quads_program(void) {
    struct quads q = {.program = draw_program("quads")};
    q.box = uniform(q.program, "box");
    q.number = uniform(q.program, "number");
    return q;
}

void draw_quad(const struct quads *q, float x, float y, float width, float height, float depth,
               float number) {
    static GLuint empty;
    if (!empty)
        empty = vertex_array();
    glBindVertexArray(empty);
    glUniform4f(q->box, x, y, width, height);
    glUniform2f(q->number, number, depth);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void draw_scattered(const struct quads *q, uint32_t i) {
    const float x = (float)(i * 7919 % 1000) / 500 - 1, y = (float)(i * 104729 % 997) / 498 - 1;
    draw_quad(q, x, y, 0.15f, 0.2f, (float)(i * 31 % 101) / 101, (float)(i % 255 + 1) / 255);
}
