/* A texture for every sampler type, with smooth periodic contents, so that differences in rounding
 * at a boundary of texels or levels stay small. In: a sampler type. Out: a texture bound to the
 * current unit. */
#ifndef TESTS_GL_CORPUS_TEXTURES_H
#define TESTS_GL_CORPUS_TEXTURES_H

#include "corpus_context.h"

#include <math.h>
#include <stdint.h>

enum { TEXTURE_SIZE = 128, VOLUME_SIZE = 16, BUFFER_TEXELS = 64 };

struct texture_kind {
    GLenum sampler, target, internal, format, type;
    int width, height, depth; /* of level 0; 0: the texture lacks this dimension */
    int array;                /* 1: the last dimension counts layers, the same at every level */
};

static const struct texture_kind texture_kinds[] = {
    {GL_SAMPLER_1D, GL_TEXTURE_1D, GL_RGBA8, GL_RGBA, GL_FLOAT, TEXTURE_SIZE, 0, 0, 0},
    {GL_SAMPLER_1D_ARRAY, GL_TEXTURE_1D_ARRAY, GL_RGBA16F, GL_RGBA, GL_FLOAT, TEXTURE_SIZE, 4, 0,
     1},
    {GL_SAMPLER_2D, GL_TEXTURE_2D, GL_RGBA8, GL_RGBA, GL_FLOAT, TEXTURE_SIZE, TEXTURE_SIZE, 0, 0},
    {GL_SAMPLER_2D_ARRAY, GL_TEXTURE_2D_ARRAY, GL_RGBA16, GL_RGBA, GL_FLOAT, TEXTURE_SIZE,
     TEXTURE_SIZE, 3, 1},
    {GL_SAMPLER_2D_RECT, GL_TEXTURE_RECTANGLE, GL_RGBA8, GL_RGBA, GL_FLOAT, 37, 21, 0, 0},
    {GL_SAMPLER_3D, GL_TEXTURE_3D, GL_RGBA8, GL_RGBA, GL_FLOAT, VOLUME_SIZE, VOLUME_SIZE,
     VOLUME_SIZE, 0},
    {GL_SAMPLER_CUBE, GL_TEXTURE_CUBE_MAP, GL_RGBA8, GL_RGBA, GL_FLOAT, 64, 64, 0, 0},
    {GL_SAMPLER_1D_SHADOW, GL_TEXTURE_1D, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_FLOAT,
     TEXTURE_SIZE, 0, 0, 0},
    {GL_SAMPLER_2D_SHADOW, GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_FLOAT,
     TEXTURE_SIZE, TEXTURE_SIZE, 0, 0},
    {GL_SAMPLER_2D_ARRAY_SHADOW, GL_TEXTURE_2D_ARRAY, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT,
     GL_FLOAT, TEXTURE_SIZE, TEXTURE_SIZE, 3, 1},
    {GL_SAMPLER_2D_RECT_SHADOW, GL_TEXTURE_RECTANGLE, GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT,
     GL_FLOAT, 37, 21, 0, 0},
    {GL_SAMPLER_CUBE_SHADOW, GL_TEXTURE_CUBE_MAP, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT,
     GL_FLOAT, 64, 64, 0, 0},
    {GL_INT_SAMPLER_2D, GL_TEXTURE_2D, GL_RGBA16I, GL_RGBA_INTEGER, GL_INT, TEXTURE_SIZE,
     TEXTURE_SIZE, 0, 0},
    {GL_UNSIGNED_INT_SAMPLER_2D, GL_TEXTURE_2D, GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
     TEXTURE_SIZE, TEXTURE_SIZE, 0, 0},
    {GL_SAMPLER_BUFFER, GL_TEXTURE_BUFFER, GL_RGBA32F, GL_RGBA, GL_FLOAT, BUFFER_TEXELS, 0, 0, 0},
};

static int level_size(int size, int level) {
    return size >> level > 1 ? size >> level : 1;
}

/* A value in [0, 1], periodic with period 1 along each axis. */
static float texture_function(int component, float x, float y, float z, int level) {
    static const int kx[4] = {1, 0, 1, 2}, ky[4] = {0, 1, 1, 0}, kz[4] = {1, 1, 0, 1};
    const float turn =
        x * kx[component] + y * ky[component] + z * kz[component] + 0.13f * component;
    return 0.5f + 0.35f * sinf(6.2831853f * turn) + 0.02f * level;
}

static void texel(const struct texture_kind *k, int level, const float p[3], void *texels,
                  size_t index) {
    const int components = k->format == GL_DEPTH_COMPONENT ? 1 : 4;
    for (int c = 0; c < components; c++) {
        const float value = texture_function(c, p[0], p[1], p[2], level);
        if (k->type == GL_FLOAT)
            ((float *)texels)[index * components + c] = value;
        else
            ((int32_t *)texels)[index * components + c] =
                (int32_t)(value * 100) - (k->type == GL_INT ? 50 : 0);
    }
}

/* The direction to the place s, t of a face (major axis and sign): OpenGL 3.3's table 3.20,
 * reversed. */
static void cube_direction(int face, float s, float t, float p[3]) {
    const float d[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                           {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    const float length = sqrtf(1 + s * s + t * t);
    for (int i = 0; i < 3; i++)
        p[i] = 0.5f * d[face][i] / length;
}

static void fill_level(const struct texture_kind *k, int face, int level, void *texels,
                       const int size[3]) {
    for (int z = 0; z < size[2]; z++) {
        for (int y = 0; y < size[1]; y++) {
            for (int x = 0; x < size[0]; x++) {
                float p[3] = {(x + 0.5f) / size[0], (y + 0.5f) / size[1], (z + 0.5f) / size[2]};
                if (k->target == GL_TEXTURE_CUBE_MAP)
                    cube_direction(face, 2 * p[0] - 1, 2 * p[1] - 1, p);
                texel(k, level, p, texels, ((size_t)z * size[1] + y) * size[0] + x);
            }
        }
    }
}

static void upload_level(const struct texture_kind *k, int face, int level, const void *texels,
                         const int size[3]) {
    if (k->depth)
        glTexImage3D(k->target, level, (GLint)k->internal, size[0], size[1], size[2], 0, k->format,
                     k->type, texels);
    else if (k->height)
        glTexImage2D(k->target == GL_TEXTURE_CUBE_MAP
                         ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face
                         : k->target,
                     level, (GLint)k->internal, size[0], size[1], 0, k->format, k->type, texels);
    else
        glTexImage1D(k->target, level, (GLint)k->internal, size[0], 0, k->format, k->type, texels);
}

static void create_images(const struct texture_kind *k, void *texels) {
    const int faces = k->target == GL_TEXTURE_CUBE_MAP ? 6 : 1;
    const int levels = k->target == GL_TEXTURE_RECTANGLE ? 1 : 8;
    for (int level = 0; level < levels && (level == 0 || k->width >> level > 0); level++) {
        const int size[3] = {
            level_size(k->width, level),
            k->height ? level_size(k->height, k->array && !k->depth ? 0 : level) : 1,
            k->depth ? level_size(k->depth, k->array ? 0 : level) : 1,
        };
        for (int face = 0; face < faces; face++) {
            fill_level(k, face, level, texels, size);
            upload_level(k, face, level, texels, size);
        }
    }
}

/* Binds the texture for this type of sampler to the active unit; makes it at the first use. Returns
 * false for an unknown type. */
static int bind_texture_for(GLenum sampler) {
    static GLuint names[sizeof texture_kinds / sizeof *texture_kinds];
    for (size_t i = 0; i < sizeof texture_kinds / sizeof *texture_kinds; i++) {
        const struct texture_kind *k = &texture_kinds[i];
        if (k->sampler != sampler)
            continue;
        if (names[i]) {
            glBindTexture(k->target, names[i]);
            return 1;
        }
        void *texels = calloc((size_t)TEXTURE_SIZE * TEXTURE_SIZE * 4, 16);
        glGenTextures(1, &names[i]);
        glBindTexture(k->target, names[i]);
        if (k->target == GL_TEXTURE_BUFFER) {
            GLuint buffer;
            const int size[3] = {BUFFER_TEXELS, 1, 1};
            fill_level(k, 0, 0, texels, size);
            glGenBuffers(1, &buffer);
            glBindBuffer(GL_TEXTURE_BUFFER, buffer);
            glBufferData(GL_TEXTURE_BUFFER, BUFFER_TEXELS * 16, texels, GL_STATIC_DRAW);
            glTexBuffer(GL_TEXTURE_BUFFER, k->internal, buffer);
        } else {
            create_images(k, texels);
        }
        free(texels);
        return 1;
    }
    return 0;
}

/* Sets the filters of a unit for one round, as far as this type of sampler allows them. */
static void set_sampler(GLuint sampler, GLenum type, GLint min_filter, GLint mag_filter,
                        GLint wrap) {
    static const float border[4] = {0.5f, 0.25f, 0.75f, 1.0f};
    const int integers = type == GL_INT_SAMPLER_2D || type == GL_UNSIGNED_INT_SAMPLER_2D;
    const int rectangle = type == GL_SAMPLER_2D_RECT || type == GL_SAMPLER_2D_RECT_SHADOW;
    const int shadow = type == GL_SAMPLER_1D_SHADOW || type == GL_SAMPLER_2D_SHADOW ||
                       type == GL_SAMPLER_2D_ARRAY_SHADOW || type == GL_SAMPLER_2D_RECT_SHADOW ||
                       type == GL_SAMPLER_CUBE_SHADOW;
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER,
                        integers    ? GL_NEAREST_MIPMAP_NEAREST
                        : rectangle ? mag_filter
                                    : min_filter);
    glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, integers ? GL_NEAREST : mag_filter);
    /* without seamless filtering a wrap mode applies on the face (tesla-3d.md §4.3); llvmpipe
     * always clamps to the edge */
    if (type == GL_SAMPLER_CUBE || type == GL_SAMPLER_CUBE_SHADOW)
        wrap = GL_CLAMP_TO_EDGE;
    if (rectangle && (wrap == GL_REPEAT || wrap == GL_MIRRORED_REPEAT))
        wrap = GL_CLAMP_TO_EDGE;
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, wrap);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, wrap);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_R, wrap);
    if (!integers)
        glSamplerParameterfv(sampler, GL_TEXTURE_BORDER_COLOR, border);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE,
                        shadow ? GL_COMPARE_REF_TO_TEXTURE : GL_NONE);
    glSamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

#endif
