/* Fixture: vertices at places in pixels, on a target of 128 x 128, and the colours of pixels. */
#ifndef TESTS_PIPELINE_COLOURS_H
#define TESTS_PIPELINE_COLOURS_H

#include "tests/pipeline/fixture.h"

enum { SIDE = 128 };
static const uint32_t RED = 0xff0000ff, GREEN = 0xff00ff00;

/* From pixels to normalized device coordinates of a SIDE x SIDE viewport. y points down. */
static inline float ndc_x(float x) {
    return x / (SIDE / 2) - 1;
}

static inline float ndc_y(float y) {
    return 1 - y / (SIDE / 2);
}

static inline void set_vertex(float v[8], float x, float y, float z, const float rgb[3]) {
    const float all[8] = {ndc_x(x), ndc_y(y), z, 1, rgb[0], rgb[1], rgb[2], 1};
    memcpy(v, all, sizeof all);
}

#define RGB(x, y, r, g, b) {x, y, 0, 1, r, g, b, 1}

#endif
