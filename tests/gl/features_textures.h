/* Features of OpenGL with textures: copies, blits, uploads, formats, levels, buffer textures. Each
 * function is a check of features.c. */
#ifndef TESTS_GL_FEATURES_TEXTURES_H
#define TESTS_GL_FEATURES_TEXTURES_H

#include "features_draw.h"

/* ---- copies ---- */

static GLuint picture_target(GLenum format, int size) {
    const GLuint framebuffer = target(format, 0, 0, size);
    use_program(quad_vertex, HEAD "in vec2 uv; out vec4 o; void main() { o = vec4(uv, 0.5 + 0.4 * "
                                  "sin(uv.x * 20.0), 0.5 + 0.4 * cos(uv.y * 9.0)); }");
    draw_quad();
    return framebuffer;
}

static void blits(void) {
    static const struct {
        GLint from[4], to[4];
        GLenum filter;
        const char *name;
    } kinds[] = {{{0, 0, 64, 64}, {0, 0, 64, 64}, GL_NEAREST, "copy"},
                 {{5, 9, 31, 47}, {20, 3, 46, 41}, GL_NEAREST, "part"},
                 {{0, 0, 64, 64}, {64, 0, 0, 64}, GL_NEAREST, "mirrored in x"},
                 {{0, 0, 64, 64}, {0, 64, 64, 0}, GL_NEAREST, "mirrored in y"},
                 {{0, 0, 32, 32}, {0, 0, 64, 64}, GL_NEAREST, "twice as large"},
                 {{0, 0, 32, 32}, {0, 0, 64, 64}, GL_LINEAR, "twice as large, linear"},
                 {{0, 0, 64, 64}, {3, 5, 24, 40}, GL_LINEAR, "smaller, linear"},
                 {{10, 10, 40, 50}, {60, 62, 5, 7}, GL_LINEAR, "turned around, linear"},
                 {{-10, -10, 80, 80}, {0, 0, 64, 64}, GL_NEAREST, "beyond the source"},
                 /* 63: no pixel's centre falls exactly between two texels */
                 {{0, 0, 63, 63}, {-20, -7, 90, 70}, GL_NEAREST, "beyond the target"}};
    static const GLenum formats[][2] = {{GL_RGBA8, GL_RGBA8},
                                        {GL_RGBA8, GL_RGBA16F},
                                        {GL_RGBA32F, GL_RGBA8},
                                        {GL_RGBA8, GL_RGB565},
                                        {GL_RG8, GL_RGBA8}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        const GLuint source = picture_target(formats[f][0], SIZE);
        const GLuint drawn = target(formats[f][1], 0, 0, SIZE);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const GLint *a = kinds[i].from, *b = kinds[i].to;
            const char *const fault = b[0] < 0 ? driver_fault("negative blit") : NULL;
            if (fault && f == 0)
                skip_feature(fault);
            if (fault)
                continue;
            glBindFramebuffer(GL_FRAMEBUFFER, drawn);
            glClear(GL_COLOR_BUFFER_BIT);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
            glBlitFramebuffer(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], GL_COLOR_BUFFER_BIT,
                              kinds[i].filter);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
            record_floats(named("%zu %s", f, kinds[i].name), SIZE, SIZE);
        }
    }
}

static void depth_blits(void) {
    static float depth[SIZE * SIZE];
    static uint8_t codes[SIZE * SIZE];
    const GLuint source = target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_STENCIL_TEST);
    glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
    glDrawArrays(GL_TRIANGLES, 0, count);
    const GLuint drawn = target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    for (GLbitfield what = 1; what < 4; what++) {
        glBindFramebuffer(GL_FRAMEBUFFER, drawn);
        glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
        glBlitFramebuffer(3, 5, 50, 60, 9, 1, 56, 56,
                          (what & 1 ? GL_DEPTH_BUFFER_BIT : 0) |
                              (what & 2 ? GL_STENCIL_BUFFER_BIT : 0),
                          GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
        glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
        glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, codes);
        write_record(records, feature, named("depth %u", what), RECORD_FLOATS, 1, SIZE, depth,
                     sizeof depth);
        write_record(records, feature, named("stencil %u", what), RECORD_BYTES, 1, SIZE, codes,
                     sizeof codes);
    }
}

static void show_texture(float lod, const char *part) {
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(quad_vertex, texture_fragment);
    set_float("lod", lod);
    draw_quad();
    record_bytes(part, SIZE, SIZE);
}

static void copy_to_texture(void) {
    picture_target(GL_RGBA8, SIZE);
    texture_2d(GL_RGBA8, 50, 40, GL_NEAREST);
    glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 7, 3, 11, 13, 30, 20);
    show_texture(0, "part");
    picture_target(GL_RGBA8, SIZE);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, 5, 6, 33, 45, 0);
    show_texture(0, "whole, without alpha");
    glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 8, 20, 10, GL_RGBA, GL_UNSIGNED_BYTE, image(20, 10, 1));
    show_texture(0, "after an upload");
}

static void mipmaps(void) {
    static const GLenum formats[] = {GL_RGBA8, GL_RGBA16F, GL_SRGB8_ALPHA8, GL_RG8};
    if (strcmp((const char *)glGetString(GL_RENDERER), "NV50") == 0) {
        skip_feature("class 5097 has no view levels in a TIC: the driver makes every level from "
                     "level 0 there");
        return;
    }
    for (int f = 0; f < 4; f++) {
        target(GL_RGBA8, 0, 0, SIZE);
        texture_2d(formats[f], 100, 52, GL_NEAREST_MIPMAP_NEAREST);
        glGenerateMipmap(GL_TEXTURE_2D);
        for (int level = 1; level < 7; level += 2)
            show_texture((float)level, named("format %x level %d", formats[f], level));
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
        show_texture(5, named("format %x levels 1 to 3", formats[f]));
    }
}

static void read_formats(void) {
    static const struct {
        GLenum format, type;
        int bytes;
    } formats[] = {{GL_RGBA, GL_UNSIGNED_BYTE, 4}, {GL_BGRA, GL_UNSIGNED_BYTE, 4},
                   {GL_RGB, GL_UNSIGNED_BYTE, 3},  {GL_RED, GL_UNSIGNED_BYTE, 1},
                   {GL_RG, GL_UNSIGNED_BYTE, 2},   {GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4}};
    static uint8_t pixels[80 * 80 * 4];
    picture_target(GL_RGBA8, SIZE);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        memset(pixels, 0, sizeof pixels);
        glPixelStorei(GL_PACK_ALIGNMENT, i & 1 ? 1 : 4);
        glPixelStorei(GL_PACK_ROW_LENGTH, i & 2 ? 70 : 0);
        glPixelStorei(GL_PACK_SKIP_ROWS, i & 1 ? 3 : 0);
        glReadPixels(3, 5, 57, 51, formats[i].format, formats[i].type, pixels);
        write_record(records, feature,
                     named("format %x type %x", formats[i].format, formats[i].type), RECORD_BYTES,
                     1, 64, pixels, sizeof pixels);
    }
}

/* ---- textures ---- */

static void compressed(void) {
    static const struct {
        GLenum format;
        int bytes;
        const char *name;
    } formats[] = {{0x83f0, 8, "DXT1"},
                   {0x83f1, 8, "DXT1 with alpha"},
                   {0x83f2, 16, "DXT3"},
                   {0x83f3, 16, "DXT5"},
                   {0x8c4d, 8, "sRGB DXT1"},
                   {GL_COMPRESSED_RED_RGTC1, 8, "RGTC1"},
                   {GL_COMPRESSED_SIGNED_RED_RGTC1, 8, "signed RGTC1"},
                   {GL_COMPRESSED_RG_RGTC2, 16, "RGTC2"},
                   {GL_COMPRESSED_SIGNED_RG_RGTC2, 16, "signed RGTC2"}};
    uint8_t blocks[9 * 7 * 16];
    for (uint32_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (uint8_t)(hash_float(i, 77) * 256);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        GLuint texture;
        target(GL_RGBA32F, 0, 0, SIZE);
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[f].format, 34, 26, 0,
                               9 * 7 * formats[f].bytes, blocks);
        use_program(quad_vertex, texture_fragment);
        glViewport(0, 0, 34, 26);
        draw_quad();
        record_floats(formats[f].name, SIZE, SIZE);
    }
}

static void texture_formats(void) {
    static const GLenum formats[] = {
        GL_R8,          GL_RG8,      GL_RGB8,  GL_RGBA8,        GL_R8_SNORM,
        GL_RGBA8_SNORM, GL_R16,      GL_RG16,  GL_RGBA16,       GL_RGBA16_SNORM,
        GL_R16F,        GL_RGBA16F,  GL_R32F,  GL_RGBA32F,      GL_R11F_G11F_B10F,
        GL_RGB9_E5,     GL_RGB10_A2, GL_SRGB8, GL_SRGB8_ALPHA8, GL_RGB5_A1,
        GL_RGBA4,       GL_RGB565};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        target(GL_RGBA32F, 0, 0, SIZE);
        texture_2d(formats[f], 37, 23, GL_NEAREST);
        use_program(quad_vertex, texture_fragment);
        glViewport(0, 0, 37, 23);
        draw_quad();
        record_floats(named("format %x", formats[f]), SIZE, SIZE);
    }
}

static void wraps_and_filters(void) {
    static const GLint wraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE,
                                  GL_CLAMP_TO_BORDER};
    static const char *const fragment = HEAD "in vec2 uv; out vec4 o; uniform sampler2D t; void "
                                             "main() { o = texture(t, uv * 4.1 - 1.37); }";
    for (int i = 0; i < 8; i++) {
        target(GL_RGBA8, 0, 0, SIZE);
        texture_2d(GL_RGBA8, 21, 13, i & 1 ? GL_LINEAR : GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[i / 2]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[(i / 2 + 1) % 4]);
        glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, (float[]){0.9f, 0.1f, 0.5f, 0.3f});
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, i > 3 ? GL_BLUE : GL_RED);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A,
                        i > 5    ? GL_ONE
                        : i == 5 ? GL_ZERO
                                 : GL_ALPHA);
        use_program(quad_vertex, fragment);
        draw_quad();
        record_bytes(named("%s %d", i & 1 ? "linear" : "nearest", i / 2), SIZE, SIZE);
    }
}

static void sample_coverage(void) {
    for (int i = 0; i < 3; i++) {
        const GLuint many = target(GL_RGBA8, 0, 4, SIZE);
        use_program(quad_vertex,
                    HEAD "in vec2 uv; out vec4 o; void main() { o = vec4(uv, 1.0, uv.x); }");
        enable(GL_SAMPLE_ALPHA_TO_COVERAGE, i == 0);
        enable(GL_SAMPLE_COVERAGE, i == 1);
        glSampleCoverage(0.5f, GL_FALSE);
        enable(GL_SAMPLE_MASK, i == 2);
        glSampleMaski(0, 0x7);
        draw_quad();
        glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
        const GLuint one = target(GL_RGBA8, 0, 0, SIZE);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, many);
        glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, one);
        record_bytes(named("%s", i == 0   ? "alpha to coverage"
                                 : i == 1 ? "coverage"
                                          : "mask"),
                     SIZE, SIZE);
    }
}

static void multisample_fetch(void) {
    GLuint texture;
    target(GL_RGBA8, 0, 0, SIZE);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, SIZE, SIZE, GL_TRUE);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, texture,
                           0);
    glClear(GL_COLOR_BUFFER_BIT);
    use_program(mesh_vertex, mesh_fragment);
    glDrawArrays(GL_TRIANGLES, 0, bind_mesh(GL_TRIANGLES));
    target(GL_RGBA32F, 0, 0, SIZE);
    use_program(
        quad_vertex,
        HEAD "out vec4 o; uniform sampler2DMS t; void main() { o = vec4(0.0);"
             "for (int i = 0; i < 4; i++) o += texelFetch(t, ivec2(gl_FragCoord.xy), i) * 0.25; }");
    draw_quad();
    record_floats("average", SIZE, SIZE);
}

/* Counts the samples whose coverage by triangle v (in pixels) contradicts the sample positions that
 * the driver reports. Samples within `near` of an edge are not counted. */
static int misplaced_samples(const uint8_t *covered, int sample, const float v[3][2]) {
    const float near = 1.0f / 128;
    float at[2];
    int wrong = 0;
    glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)sample, at);
    for (int i = 0; i < SIZE * SIZE; i++) {
        const float x = (float)(i % SIZE) + at[0], y = (float)(i / SIZE) + at[1];
        float least = INFINITY;
        for (int k = 0; k < 3; k++) {
            const float *a = v[k], *b = v[(k + 1) % 3], dx = b[0] - a[0], dy = b[1] - a[1];
            least = fminf(least, (dx * (y - a[1]) - dy * (x - a[0])) / hypotf(dx, dy));
        }
        wrong += fabsf(least) > near && (least > 0) != (covered[4 * i] > 127);
    }
    return wrong;
}

/* The coverage of samples agrees with the sample positions that the driver reports. */
static void sample_positions(void) {
    static const float v[3][2] = {{3.3f, 5.9f}, {61.2f, 11.4f}, {19.7f, 60.1f}};
    static uint8_t covered[SIZE * SIZE * 4];
    float ndc[3][2];
    GLint most;
    glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &most);
    for (int i = 0; i < 6; i++)
        ndc[i / 2][i % 2] = v[i / 2][i % 2] * 2 / SIZE - 1;
    for (int samples = 2; samples <= most; samples *= 2) {
        GLuint texture;
        const GLuint many = target(GL_RGBA8, 0, 0, SIZE);
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
        glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, GL_RGBA8, SIZE, SIZE, GL_TRUE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                               texture, 0);
        glClearColor(0, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
        use_program(mesh_vertex, HEAD "out vec4 o; void main() { o = vec4(1.0); }");
        bind_positions(ndc, 3);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glGetIntegerv(GL_SAMPLES, &samples);
        const GLuint one = target(GL_RGBA8, 0, 0, SIZE);
        use_program(quad_vertex, HEAD "out vec4 o; uniform sampler2DMS t; uniform float which;"
                                      "void main() { o = texelFetch(t, ivec2(gl_FragCoord.xy), "
                                      "int(which)); }");
        for (int i = 0; i < samples; i++) {
            set_float("which", (float)i);
            draw_quad();
            glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, covered);
            /* the query reports the positions of the bound framebuffer */
            glBindFramebuffer(GL_FRAMEBUFFER, many);
            const GLint wrong = misplaced_samples(covered, i, v);
            glBindFramebuffer(GL_FRAMEBUFFER, one);
            char text[80];
            snprintf(text, sizeof text, "sample %d of %d: %d", i, samples, wrong);
            if (wrong)
                write_record(records, feature, "misplaced", RECORD_ERROR, 0, 0, text, strlen(text));
        }
    }
    record_integers("checked", &(GLint){1}, 1);
}

#endif
