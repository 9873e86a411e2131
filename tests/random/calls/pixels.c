/* Pixel state: blending, logic operations, depth and stencil tests, masks, samples, and clears. The
 * corners of shapes are corners of pixels, and each shape has one depth, so results are exact but
 * for the formats' rounding. Targets with samples get rectangles only, because the drivers' sample
 * positions differ, and a few pixels may differ. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE})
#include "calls.h"

#include "../../gl/blend_factors.h"

enum { WIDTH = 48, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };

static const GLenum comparisons[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                     GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS},
                    operations[] = {GL_KEEP,      GL_ZERO, GL_REPLACE,   GL_INCR,
                                    GL_INCR_WRAP, GL_DECR, GL_DECR_WRAP, GL_INVERT},
                    equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN,
                                   GL_MAX},
                    factors[] = {BLEND_FACTORS, GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR,
                                 GL_SRC1_ALPHA, GL_ONE_MINUS_SRC1_ALPHA};
enum { FACTORS_OF_ONE_SOURCE = 15 };

static const GLenum color_formats[] = {GL_RGBA8,        GL_RGB10_A2, GL_RGBA16F,
                                       GL_RG8,          GL_R8,       GL_RGBA8,
                                       GL_SRGB8_ALPHA8, GL_RGBA16,   GL_R11F_G11F_B10F,
                                       GL_RGBA32F},
                    zeta_formats[] = {GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8};

static const char vertex[] =
    "#version 330\n"
    "layout(location = 0) in vec4 a; layout(location = 1) in vec4 c; flat out vec4 colour;\n"
    "void main() { gl_Position = a; colour = c; }";
static const char fragment[] =
    "#version 330\n"
    "flat in vec4 colour; uniform vec4 second; uniform int mode;\n"
    "layout(location = 0, index = 0) out vec4 o; layout(location = 0, index = 1) out vec4 o1;\n"
    "void main() { int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);\n"
    "if (mode == 1 && ((x ^ y) & 1) == 0) discard;\n"
    "o = gl_FrontFacing ? colour : colour.wzyx; o1 = second; DEPTH }";

static GLuint programs[2];

/* A target of its own for each seed. */
static struct {
    GLenum color, zeta;
    int samples, count;
    bool logic; /* logic operations, without masks (docs/opengl.md: a fault) */
} target;

static void set_up(void) {
    const GLuint buffer = name_of(glGenBuffers);
    for (int i = 0; i < 2; i++) {
        char source[1000];
        const char *depth =
            i ? "gl_FragDepth = mode == 2 ? float(x & 3) * 0.25 : gl_FragCoord.z;" : "";
        snprintf(source, sizeof source, "%.*s%s }", (int)(strstr(fragment, "DEPTH") - fragment),
                 fragment, depth);
        programs[i] = glCreateProgram();
        attach(programs[i], GL_VERTEX_SHADER, vertex);
        attach(programs[i], GL_FRAGMENT_SHADER, source);
        link_program(programs[i], NULL);
    }
    glBindVertexArray(name_of(glGenVertexArrays));
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    for (GLuint i = 0; i < 2; i++) {
        glVertexAttribPointer(i, 4, GL_FLOAT, 0, 32, (void *)(intptr_t)(16 * i));
        glEnableVertexAttribArray(i);
    }
}

/* One of a few levels, so that comparisons meet equal values. */
static float level(void) {
    return (float)below(6) / 5;
}

static bool enable(GLenum capability, int percent) {
    const bool on = below(100) < percent;
    (on ? glEnable : glDisable)(capability);
    if (on)
        text("  enable %x", capability);
    return on;
}

static GLuint new_framebuffer(int samples, GLuint buffers[3]) {
    const GLuint f = name_of(glGenFramebuffers);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glGenRenderbuffers(3, buffers);
    for (int i = 0; i < 3; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples,
                                         i < 2 ? target.color : target.zeta, WIDTH, HEIGHT);
        if (i < target.count || i == 2)
            glFramebufferRenderbuffer(GL_FRAMEBUFFER,
                                      i < 2 ? GL_COLOR_ATTACHMENT0 + (GLenum)i
                                            : GL_DEPTH_STENCIL_ATTACHMENT,
                                      GL_RENDERBUFFER, buffers[i]);
    }
    return f;
}

static void tests(void) {
    enable(GL_DEPTH_TEST, 60);
    glDepthFunc(PICK(comparisons));
    glDepthMask(!seldom(3));
    enable(GL_STENCIL_TEST, 50);
    for (int i = 0; i < 2; i++) {
        const GLenum face = i ? GL_BACK : GL_FRONT, f = PICK(operations), z = PICK(operations),
                     p = PICK(operations);
        const int value = below(256), mask = seldom(2) ? 255 : below(256);
        glStencilFuncSeparate(face, PICK(comparisons), value, (GLuint)mask);
        glStencilOpSeparate(face, f, z, p);
        glStencilMaskSeparate(face, seldom(2) ? 255 : (GLuint)below(256));
    }
    if (enable(GL_SCISSOR_TEST, 30)) {
        const int x = below(WIDTH), y = below(HEIGHT), w = below(WIDTH), h = below(HEIGHT);
        glScissor(x, y, w, h);
    }
    enable(GL_CULL_FACE, 20);
    glCullFace(seldom(2) ? GL_BACK : GL_FRONT);
    glFrontFace(seldom(2) ? GL_CW : GL_CCW);
    enable(GL_DEPTH_CLAMP, 30);
    if (enable(GL_SAMPLE_COVERAGE, target.samples ? 20 : 0))
        glSampleCoverage((float)below(2), seldom(2));
    if (enable(GL_SAMPLE_MASK, target.samples ? 25 : 0))
        glSampleMaski(0, (GLuint)below(16));
}

static void blending(void) {
    const int n = target.count > 1 ? FACTORS_OF_ONE_SOURCE : SIZE(factors);
    const GLenum e = PICK(equations), f = PICK(equations);
    GLenum of[4];
    for (int i = 0; i < 4; i++)
        of[i] = factors[below(n)];
    enable(GL_BLEND, 50);
    glBlendEquationSeparate(e, f);
    glBlendFuncSeparate(of[0], of[1], of[2], of[3]);
    text("  blend %x %x factors %x %x %x %x", e, f, of[0], of[1], of[2], of[3]);
    const float r = level(), g = level(), b = level();
    glBlendColor(r, g, b, level());
    enable(GL_COLOR_LOGIC_OP, target.logic ? 40 : 0);
    glLogicOp(GL_CLEAR + (GLenum)below(16));
    bool mask[4] = {true, true, true, true};
    const bool masked = seldom(4) && !target.logic;
    for (int i = 0; masked && i < 4; i++)
        mask[i] = seldom(2);
    glColorMask(mask[0], mask[1], mask[2], mask[3]);
}

static void draw(void) {
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_TRIANGLES,
                                   GL_POINTS};
    const GLenum mode = target.samples ? GL_TRIANGLE_STRIP : PICK(modes);
    const int n = target.samples ? 4 : between(3, 20), range = between(0, 8), depth = below(9) - 4;
    int x = 0, y = 0, w = WIDTH, h = HEIGHT;
    if (seldom(5)) {
        x = below(WIDTH / 2);
        y = below(HEIGHT / 2);
        w = between(1, WIDTH - x);
        h = between(1, HEIGHT - y);
    }
    tests();
    blending();
    const GLuint p = programs[below(2)];
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "mode"), below(3));
    const float r = level(), g = level(), b = level();
    glUniform4f(glGetUniformLocation(p, "second"), r, g, b, level());
    glViewport(x, y, w, h);
    glDepthRange(range % 3 / 2.0, range / 3 / 2.0);
    text("draw %x: %d vertices in %d %d %d %d, depth %d / 4, range %d", mode, n, x, y, w, h, depth,
         range);
    const float z = seldom(8) ? 1.5f - 3 * (float)below(2) : (float)depth / 4,
                half = mode == GL_POINTS ? 0.5f : 0;
    float data[20][8];
    for (int i = 0; i < n; i++) {
        data[i][0] = ((float)below(w + 1) + half) * 2 / (float)w - 1;
        data[i][1] = ((float)below(h + 1) + half) * 2 / (float)h - 1;
        data[i][2] = z;
        data[i][3] = 1;
        for (int k = 4; k < 8; k++)
            data[i][k] = target.color == GL_RGBA16F || target.color == GL_RGBA32F
                             ? (float)between(-16, 16) / 8
                             : level();
    }
    for (int i = 1; target.samples && i < 4; i++) {
        memcpy(&data[i][2], &data[0][2], 6 * sizeof(float));
        data[i][0] = data[i & 1][0];
        data[i][1] = data[i & 2][1];
    }
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STREAM_DRAW);
    glDrawArraysInstanced(mode, 0, n, seldom(6) ? between(1, 3) : 1);
}

/* Reports the targets. Targets with samples are first resolved into targets without. */
static void report_targets(GLuint drawn) {
    static float colors[PIXELS * 4], depths[PIXELS];
    static uint8_t stencil[PIXELS];
    GLuint buffers[3], f = drawn;
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_FRAMEBUFFER_SRGB);
    if (target.samples) {
        f = new_framebuffer(0, buffers);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
        for (int i = 0; i < target.count; i++) {
            const GLenum one[] = {i ? GL_NONE : GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
            glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
            glDrawBuffers(i + 1, one);
            glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT,
                              GL_NEAREST);
        }
        glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT,
                          GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    for (int i = 0; i < target.count; i++) {
        glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_FLOAT, colors);
        report_most(i ? "colour 1" : "colour 0", target.color == GL_R11F_G11F_B10F ? 0.05f : 0.02f,
                    target.samples ? 3 : 0, colors, SIZE(colors));
    }
    if (!target.samples) { /* a blit of depth or stencil may take any of several samples */
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
        report("depth", 1e-6f, depths, SIZE(depths));
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
        report("stencil", -1, stencil, PIXELS / 4);
    }
    if (f != drawn) {
        glDeleteFramebuffers(1, &f);
        glDeleteRenderbuffers(3, buffers);
    }
}

static void calls(uint32_t seed) {
    static const GLenum all[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    (void)seed;
    if (!programs[0])
        set_up();
    target.color = PICK(color_formats);
    target.zeta = PICK(zeta_formats);
    target.samples = seldom(4) ? 4 : 0;
    target.count = seldom(3) ? 2 : 1;
    target.logic =
        seldom(4) && (target.color == GL_RGBA8 || target.color == GL_R8 || target.color == GL_RG8);
    text("colour %x zeta %x samples %d targets %d", target.color, target.zeta, target.samples,
         target.count);
    GLuint buffers[3];
    const GLuint f = new_framebuffer(target.samples, buffers);
    glDrawBuffers(target.count, all);
    glColorMask(1, 1, 1, 1);
    glDepthMask(1);
    glStencilMask(255);
    const float r = level(), g = level(), b = level();
    glClearColor(r, g, b, level());
    glClearDepth(below(5) / 4.0);
    glClearStencil(below(256));
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    enable(GL_FRAMEBUFFER_SRGB, target.color == GL_SRGB8_ALPHA8 ? 50 : 0);
    for (int k = between(1, 6); k > 0; k--) {
        static const GLbitfield cleared[] = {GL_DEPTH_BUFFER_BIT, GL_STENCIL_BUFFER_BIT,
                                             GL_COLOR_BUFFER_BIT};
        draw();
        if (seldom(10)) {
            text("clear");
            glClear(PICK(cleared));
        }
    }
    report_targets(f);
    report_errors();
    glDisable(GL_COLOR_LOGIC_OP);
    glColorMask(1, 1, 1, 1);
    glDrawArrays(GL_POINTS, 0, 1); /* a draw is needed for the mask to reach the GPU */
    glDeleteFramebuffers(1, &f);
    glDeleteRenderbuffers(3, buffers);
}
