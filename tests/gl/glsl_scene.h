/* A scene for a GLSL program, drawn by OpenGL (glsl_driver.c) and by the library (glsl_library.c):
 * values of inputs, uniforms and texels that follow from their names, and the file of pixels that
 * is compared. */
#ifndef TESTS_GL_GLSL_SCENE_H
#define TESTS_GL_GLSL_SCENE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCENE_SIZE = 64,
    SCENE_FIRST = 3, /* the first drawn vertex */
    SCENE_COUNT = 48,
    SCENE_VERTICES = SCENE_FIRST + SCENE_COUNT,
    SCENE_INSTANCES = 2,
    SCENE_TARGETS = 4,
    SCENE_TEXTURE = 16, /* texels on a side */
    SCENE_POINT = 7     /* pixels on a side */
};

/* The head of the file, before the pixels (RGBA32F, target by target). */
struct scene_head {
    uint32_t mode, targets, clip, per_sample;
};

static inline uint32_t scene_hash(const char *name, uint32_t i) {
    uint32_t h = 2166136261u ^ i * 0x9e3779b9u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    return h ^ h >> 13;
}

/* A value from 0 to 1. */
static inline float scene_float(const char *name, uint32_t i) {
    return (float)(scene_hash(name, i) >> 8) / (1 << 24);
}

/* Word i of a uniform. */
static inline uint32_t scene_uniform(const char *name, char base, uint32_t i) {
    const float f = scene_float(name, i) * 1.5f - 0.25f;
    uint32_t word;
    if (base == 'b')
        return scene_hash(name, i) >> 7 & 1;
    if (base != 'f')
        return scene_hash(name, i) % 6;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Component k of an input at vertex i. Places of "position" lie in the window or near it. */
static inline uint32_t scene_input(const char *name, int is_integer, uint32_t i, uint32_t k) {
    float f = scene_float(name, 4 * i + k);
    uint32_t word;
    if (is_integer)
        return scene_hash(name, 4 * i + k) % 9;
    if (strcmp(name, "position") == 0)
        f = k == 3 ? 0.75f + 0.5f * f : 1.8f * f - 0.9f;
    memcpy(&word, &f, sizeof word);
    return word;
}

static inline void scene_texels(const char *name, int depth, uint32_t count, void *texels) {
    for (uint32_t i = 0; i < count; i++)
        if (depth)
            ((float *)texels)[i] = scene_float(name, i);
        else
            ((uint32_t *)texels)[i] = scene_hash(name, i);
}

#endif
