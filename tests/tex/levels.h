/* Textures of several levels, and a model of the level that a LOD selects. */
#ifndef TESTS_TEX_LEVELS_H
#define TESTS_TEX_LEVELS_H

#include "tests/tex/calls.h"

enum { LEVELS = 6 };

/* Every texel of level l of layer k has the value 256 l + 8192 k, so that a sample shows the level
 * in 1/256. */
static inline void make_levels(struct texture *t, enum tex_dim dim, uint32_t width, uint32_t height,
                               uint32_t depth, uint32_t layers) {
    struct tex_image i = image(FORMAT_R32_FLOAT, dim, width, height);
    i.depth = depth, i.layers = layers, i.levels = LEVELS;
    make(t, i);
    FILL(t, 256.0f * (float)l + (dim == TEX_3D ? 0 : 8192.0f * (float)z));
}

/* The level, in 1/256, that a LOD should select in a view of levels first to last. */
static inline float level_model(double lod, const struct tex_sampler *s, int first, int last) {
    lod = lod < s->min_lod ? s->min_lod : lod > s->max_lod ? s->max_lod : lod;
    lod = lod < 0 ? 0 : lod > last - first ? last - first : lod;
    if (s->mip == 1)
        lod = 0;
    if (s->mip == 2)
        lod = floor(lod + 0.5); /* docs/textures.md: a LOD half-way selects the coarser level */
    return 256.0f * (float)(lod + first);
}

#endif
