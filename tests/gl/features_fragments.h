/* Features of OpenGL from fragments to targets: tests, blending, viewports, formats of targets.
 * Each function is a check of features.c. */
#ifndef TESTS_GL_FEATURES_FRAGMENTS_H
#define TESTS_GL_FEATURES_FRAGMENTS_H

#include "blend_factors.h"
#include "features_draw.h"

/* ---- fragments ---- */

static void derivatives(void) {
    target(GL_RGBA32F, 0, 0, SIZE);
    use_program(quad_vertex, HEAD "in vec2 uv; out vec4 o; void main() {"
                                  "o = vec4(dFdx(uv.x * 3.0), dFdy(uv.y * -2.0), fwidth(uv.x - "
                                  "uv.y), dFdx(gl_FragCoord.y)); }");
    draw_quad();
    record_floats("linear", SIZE, SIZE);
    use_program(quad_vertex,
                HEAD "in vec2 uv; out vec4 o; void main() { vec2 p = floor(gl_FragCoord.xy); float "
                     "x = mod(p.x, 2.0), y = mod(p.y, 2.0);"
                     "o = vec4(dFdx(x), dFdy(y), fwidth(x) + fwidth(y), 1.0); }");
    draw_quad();
    record_floats("within a quad", SIZE, SIZE);
}

static void clip_distances(void) {
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(HEAD "layout(location = 0) in vec4 position; layout(location = 1) in vec4 colour; "
                     "out vec4 c; out float gl_ClipDistance[4];"
                     "void main() { c = colour; gl_Position = position;"
                     "gl_ClipDistance[0] = position.x + 0.55 * position.w; gl_ClipDistance[1] = "
                     "0.71 * position.w - position.y;"
                     "gl_ClipDistance[2] = position.x * 0.7 + position.y + 0.93 * position.w; "
                     "gl_ClipDistance[3] = position.z; }",
                mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
    for (GLenum i = 0; i < 4; i++) {
        glEnable(GL_CLIP_DISTANCE0 + i);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, count);
        record_bytes(named("%u planes", i + 1), SIZE, SIZE);
    }
}

static void fragment_depth(void) {
    target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    use_program(quad_vertex, HEAD
                "in vec2 uv; uniform float x; out vec4 o; void main() {"
                "o = vec4(uv, x, 1.0); gl_FragDepth = fract(uv.x * 2.0 + uv.y * x + 0.011); }");
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 4; i++) {
        static const GLenum functions[] = {GL_ALWAYS, GL_GREATER, GL_LESS, GL_GEQUAL};
        set_float("x", (float)i / 3);
        glDepthFunc(functions[i]);
        glDepthMask(i != 2);
        draw_quad();
        record_bytes(named("pass %d", i), SIZE, SIZE);
    }
}

static void depth_formats(void) {
    static const GLenum formats[] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24,
                                     GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT32F};
    for (int i = 0; i < 4; i++) {
        static float depth[SIZE * SIZE];
        const int count = mesh_target(GL_RGBA8, formats[i], 0, SIZE);
        glEnable(GL_DEPTH_TEST);
        glDepthRange(0.1, 0.8);
        glDrawArrays(GL_TRIANGLES, 0, count);
        glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
        write_record(records, feature, named("depth %x", formats[i]), RECORD_FLOATS, 1, SIZE, depth,
                     sizeof depth);
    }
}

static void draw_buffers(void) {
    static const GLenum formats[4] = {GL_RGBA8, GL_RGBA16F, GL_RG8, GL_R32F};
    static const GLenum all[4] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                  GL_COLOR_ATTACHMENT3};
    target(GL_RGBA8, 0, 0, SIZE);
    for (GLenum i = 0; i < 4; i++)
        attach(all[i], renderbuffer(formats[i], 0, SIZE, SIZE));
    glDrawBuffers(4, all);
    glClear(GL_COLOR_BUFFER_BIT);
    use_program(quad_vertex,
                HEAD "in vec2 uv; layout(location = 0) out vec4 o0; layout(location = 1) out vec4 "
                     "o1; layout(location = 2) out vec4 o2;"
                     "layout(location = 3) out vec4 o3; void main() { o0 = uv.xyxy; o1 = vec4(uv * "
                     "4.0, 0.5, 0.5); o2 = uv.yxyx; o3 = vec4(uv.x * 9.0); }");
    glColorMaski(0, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
    glColorMaski(2, GL_FALSE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnablei(GL_BLEND, 0); /* below chip 0xa3 the driver uses target 0's functions for all */
    glEnablei(GL_BLEND, 1);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    draw_quad();
    for (GLenum i = 0; i < 4; i++) {
        glReadBuffer(all[i]);
        record_floats(named("target %u", i), SIZE, SIZE);
    }
}

static void blending(void) {
    static const GLenum factors[] = {BLEND_FACTORS};
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
                                       GL_MIN, GL_MAX};
    static const GLenum formats[] = {GL_RGBA8, GL_RGBA16F};
    for (int f = 0; f < 2; f++) {
        target(formats[f], 0, 0, 15 * 5);
        use_program(quad_vertex, HEAD
                    "in vec2 uv; out vec4 o; void main() { o = vec4(uv, 0.3, uv.x * 0.5 + 0.3); }");
        draw_quad();
        glEnable(GL_BLEND);
        glBlendColor(0.3f, 0.6f, 0.2f, 0.7f);
        for (int e = 0; e < 5; e++) {
            glDisable(GL_BLEND);
            glViewport(0, 0, 75, 75);
            draw_quad();
            glEnable(GL_BLEND);
            for (int i = 0; i < 15; i++) { /* each factor in each place, with all equations */
                glViewport(i * 5, 0, 5, 75);
                glBlendEquationSeparate(equations[e], equations[(e + i) % 5]);
                glBlendFuncSeparate(factors[i], factors[(i * 4 + e) % 15],
                                    factors[(i + 3 * e) % 15], factors[14 - i]);
                draw_quad();
            }
            record_floats(named("format %x equation %x", formats[f], equations[e]), 75, 75);
        }
    }
}

static void logic_ops(void) {
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(
        quad_vertex,
        HEAD "in vec2 uv; out vec4 o; void main() { o = floor(vec4(uv, uv.yx) * 255.0) / 255.0; }");
    draw_quad();
    glEnable(GL_COLOR_LOGIC_OP);
    for (GLenum op = 0; op < 16; op++) {
        glViewport((GLint)(op & 3) * 16, (GLint)(op >> 2) * 16, 16, 16);
        glLogicOp(GL_CLEAR + op);
        draw_quad();
    }
    record_bytes("all sixteen", SIZE, SIZE);
}

static void stencil(void) {
    static const GLenum ops[] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                 GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
    static uint8_t values[SIZE * SIZE];
    const int count = mesh_target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 8; i++) {
        glClearStencil(i * 37);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        glStencilFuncSeparate(GL_FRONT, GL_NEVER + (GLenum)i, 100, 0x7f);
        glStencilFuncSeparate(GL_BACK, GL_NEVER + (GLenum)(7 - i), 33, 0xff);
        glStencilOpSeparate(GL_FRONT, ops[(i + 3) % 8], ops[(i + 1) % 8], ops[i]);
        glStencilOpSeparate(GL_BACK, ops[(i + 5) % 8], ops[i], ops[(i + 4) % 8]);
        glStencilMask(i == 5 ? 0x3c : 0xff);
        glDrawArrays(GL_TRIANGLES, 0, count);
        glDrawArrays(GL_TRIANGLES, 0, count);
        glStencilMask(0xff);
        record_bytes(named("colour %d", i), SIZE, SIZE);
        glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, values);
        write_record(records, feature, named("stencil %d", i), RECORD_BYTES, 1, SIZE, values,
                     sizeof values);
    }
}

static void scissor_and_masks(void) {
    const int count = mesh_target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(7, 11, 40, 33);
    glDrawArrays(GL_TRIANGLES, 0, count);
    glScissor(50, 3, 9, 21);
    glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
    glClearColor(1, 1, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glScissor(1, 50, 60, 13);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glViewport(-20, 40, 70, 30);
    glDrawArrays(GL_TRIANGLES, 0, count);
    record_bytes("all", SIZE, SIZE);
    glScissor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    record_bytes("nothing cleared", SIZE, SIZE);
}

/* ---- targets ---- */

static void multisample(void) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most); /* 4 under llvmpipe */
    for (int samples = 2; samples <= 8; samples *= 2) {
        const GLuint many =
            target(GL_RGBA8, GL_DEPTH24_STENCIL8, samples < most ? samples : most, SIZE);
        use_program(mesh_vertex, mesh_fragment);
        const int count = bind_mesh(GL_TRIANGLES);
        glEnable(GL_DEPTH_TEST);
        glDrawArrays(GL_TRIANGLES, 0, count);
        target(GL_RGBA8, 0, 0, SIZE);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, many);
        glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        GLint drawn = 0;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)drawn);
        record_bytes(named("resolved from %d", samples), SIZE, SIZE);
    }
}

static void srgb_targets(void) {
    target(GL_SRGB8_ALPHA8, 0, 0, SIZE);
    use_program(
        quad_vertex, HEAD
        "in vec2 uv; out vec4 o; void main() { o = vec4(uv, uv.x * uv.y, 0.5 + 0.5 * uv.y); }");
    draw_quad();
    record_bytes("off", SIZE, SIZE);
    glEnable(GL_FRAMEBUFFER_SRGB);
    glClear(GL_COLOR_BUFFER_BIT);
    record_bytes("clear", SIZE, SIZE);
    draw_quad();
    record_bytes("on", SIZE, SIZE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    use_program(quad_vertex, HEAD "in vec2 uv; out vec4 o; void main() { o = uv.yxyx; }");
    draw_quad();
    record_bytes("blended", SIZE, SIZE);
}

static void target_formats(void) {
    static const GLenum formats[] = {
        GL_R8,       GL_RG8,     GL_RGB8,    GL_RGBA8, GL_R16,   GL_RG16,    GL_RGBA16,
        GL_R16F,     GL_RG16F,   GL_RGBA16F, GL_R32F,  GL_RG32F, GL_RGBA32F, GL_R11F_G11F_B10F,
        GL_RGB10_A2, GL_RGB5_A1, GL_RGBA4};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        target(formats[i], 0, 0, 32);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue;
        use_program(quad_vertex,
                    HEAD "in vec2 uv; out vec4 o; void main() { o = vec4(uv, uv.x * uv.y, 0.8); }");
        glViewport(0, 0, 29, 31);
        draw_quad();
        record_floats(named("format %x", formats[i]), 32, 32);
    }
}

static void integer_targets(void) {
    static const struct {
        GLenum format;
        bool is_signed;
    } formats[] = {{GL_RGBA8UI, false},  {GL_RGBA8I, true}, {GL_RG16I, true},
                   {GL_RGBA16UI, false}, {GL_R32I, true},   {GL_RGBA32UI, false}};
    static GLint values[32 * 32 * 4];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        target(formats[i].format, 0, 0, 32);
        if (formats[i].is_signed)
            glClearBufferiv(GL_COLOR, 0, (GLint[]){-5, 6, -7, 8});
        else
            glClearBufferuiv(GL_COLOR, 0, (GLuint[]){5, 6, 7, 8});
        use_program(
            quad_vertex,
            formats[i].is_signed ? HEAD
                "in vec2 uv; out ivec4 o; void main() { o = ivec4(vec4(uv, -uv) * 200.0 - 90.37); }"
                                 : HEAD "in vec2 uv; out uvec4 o; void main() { o = uvec4(vec4(uv, "
                                        "uv.yx) * 200.0 + 0.37); }");
        glViewport(3, 5, 20, 20);
        draw_quad();
        glReadPixels(0, 0, 32, 32, GL_RGBA_INTEGER, formats[i].is_signed ? GL_INT : GL_UNSIGNED_INT,
                     values);
        write_record(records, feature, named("format %x", formats[i].format), RECORD_INTEGERS, 4,
                     32, values, sizeof values);
    }
}

/* A geometry program chooses layers, of each kind of layered texture; then each layer is read
 * alone. */
static void layered(void) {
    static const struct {
        GLenum target;
        int layers;
        const char *name;
    } kinds[] = {{GL_TEXTURE_2D_ARRAY, 5, "2D array"},
                 {GL_TEXTURE_3D, 8, "3D"},
                 {GL_TEXTURE_CUBE_MAP, 6, "cube"},
                 {GL_TEXTURE_1D_ARRAY, 6, "1D array"}};
    static const char *const vertex = HEAD "void main() { gl_Position = vec4(0.0); }";
    static const char *const geometry =
        HEAD "layout(points) in; layout(triangle_strip, max_vertices = 32) out; out vec4 c;"
             "uniform float layers; void main() { for (int l = 0; l < int(layers); l++) { for (int "
             "i = 0; i < 4; i++) { gl_Layer = l;"
             "c = vec4(float(l) / 8.0, float(i & 1), float(i >> 1), 1.0);"
             "gl_Position = vec4((vec2(i & 1, i >> 1) * 2.0 - 1.0) * (0.3 + 0.08 * float(l)), 0.0, "
             "1.0); EmitVertex(); } EndPrimitive(); } }";
    for (int k = 0; k < 4; k++) {
        GLuint texture;
        const GLenum t = kinds[k].target;
        target(GL_RGBA8, 0, 0, 32);
        glGenTextures(1, &texture);
        glBindTexture(t, texture);
        for (GLenum f = 0; t == GL_TEXTURE_CUBE_MAP && f < 6; f++)
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, GL_RGBA8, 32, 32, 0, GL_RGBA,
                         GL_UNSIGNED_BYTE, NULL);
        if (t == GL_TEXTURE_1D_ARRAY)
            glTexImage2D(t, 0, GL_RGBA8, 32, kinds[k].layers, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        else if (t != GL_TEXTURE_CUBE_MAP)
            glTexImage3D(t, 0, GL_RGBA8, 32, 32, kinds[k].layers, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         NULL);
        glTexParameteri(t, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
        glClear(GL_COLOR_BUFFER_BIT);
        use_stages(vertex, geometry, mesh_fragment);
        set_float("layers", (float)kinds[k].layers);
        glEnable(GL_SCISSOR_TEST);
        glScissor(2, 0, 28, 30);
        glDrawArrays(GL_POINTS, 0, 1);
        glDisable(GL_SCISSOR_TEST);
        for (int l = 0; l < kinds[k].layers; l++) {
            if (t == GL_TEXTURE_CUBE_MAP)
                glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)l, texture, 0);
            else
                glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, l);
            record_bytes(named("%s %d", kinds[k].name, l), 32, t == GL_TEXTURE_1D_ARRAY ? 1 : 32);
        }
    }
}

#endif
