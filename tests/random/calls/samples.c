/* Targets with four samples, which have the same places in both drivers: programs that run for each
 * sample, masks, coverage from alpha, blits and copies from samples to samples, resolving blits. A
 * program reads each sample. Left out, as OpenGL leaves them open: alpha between 0 and 1 as
 * coverage, values that are interpolated at half of the samples, the sample that a blit of integers
 * takes. Left out for faults of the driver (docs/opengl.md): blits to samples that the 3D engine
 * does, copies of GL_R11F_G11F_B10F. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, gl43 ? 4 : 3, EGL_CONTEXT_MINOR_VERSION, 3,       \
                      EGL_NONE})
#include "calls.h"

enum { WIDTH = 16, HEIGHT = 12, SAMPLES = 4, WORDS = WIDTH * SAMPLES * HEIGHT * 4, VERTICES = 12 };

static const struct format {
    GLenum name;
    char type; /* of the program's vectors */
    float step;
} formats[] = {{GL_RGBA8, ' ', 1 / 255.f},
               {GL_RGBA16F, ' ', 2e-3f},
               {GL_RGBA32F, ' ', 2e-3f},
               {GL_RGB10_A2, ' ', 1 / 255.f},
               {GL_R8, ' ', 1 / 255.f},
               {GL_RG16, ' ', 2e-3f},
               {GL_SRGB8_ALPHA8, ' ', 3 / 255.f},
               {GL_R11F_G11F_B10F, ' ', 1 / 32.f},
               {GL_RGBA8_SNORM, ' ', 1 / 127.f},
               {GL_RGBA8UI, 'u', 0},
               {GL_R32I, 'i', 0},
               {GL_RGBA16UI, 'u', 0}};
static const GLenum depths[] = {GL_DEPTH24_STENCIL8, GL_DEPTH32F_STENCIL8};

/* A set of textures: two colours, depth and stencil. */
static struct {
    GLuint textures[3], framebuffer;
    int layers, layer;
} sets[2];
static const struct format *format[3];
static const struct format second = {GL_RGBA8, ' ', 1 / 255.f};
static struct format zeta = {0, ' ', 1e-5f};
static const GLenum targets[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
static GLuint reader;

static GLenum target_of(int set) {
    return sets[set].layers ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
}

static void make_set(int set) {
    sets[set].layers = seldom(3) ? between(1, 3) : 0;
    sets[set].layer = sets[set].layers ? below(sets[set].layers) : 0;
    glGenTextures(3, sets[set].textures);
    glGenFramebuffers(1, &sets[set].framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, sets[set].framebuffer);
    text("set %d: layer %d of %d", set, sets[set].layer, sets[set].layers);
    for (int i = 0; i < 3; i++) {
        const GLenum t = target_of(set),
                     at = i < 2 ? GL_COLOR_ATTACHMENT0 + (GLenum)i : GL_DEPTH_STENCIL_ATTACHMENT;
        glBindTexture(t, sets[set].textures[i]);
        if (sets[set].layers) {
            glTexImage3DMultisample(t, SAMPLES, format[i]->name, WIDTH, HEIGHT, sets[set].layers,
                                    true);
            glFramebufferTextureLayer(GL_FRAMEBUFFER, at, sets[set].textures[i], 0,
                                      sets[set].layer);
        } else {
            glTexImage2DMultisample(t, SAMPLES, format[i]->name, WIDTH, HEIGHT, true);
            glFramebufferTexture(GL_FRAMEBUFFER, at, sets[set].textures[i], 0);
        }
    }
    glDrawBuffers(2, targets);
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    report("status", -1, &status, 1);
}

static bool enable(GLenum capability, int n) {
    const bool on = n && seldom(n);
    (on ? glEnable : glDisable)(capability);
    if (on)
        text("  enable %x", capability);
    return on;
}

static void clear(int set) {
    const float c[4] = {real(0, 1), real(0, 1), real(0, 1), (float)below(2)};
    const GLuint u[4] = {(GLuint)below(99), 1, 2, 3};
    const float depth = (float)between(1, 4) / 4;
    const int stencil = below(256);
    glBindFramebuffer(GL_FRAMEBUFFER, sets[set].framebuffer);
    text("clear %d", set);
    if (format[0]->type == ' ')
        glClearBufferfv(GL_COLOR, 0, c);
    else if (format[0]->type == 'u')
        glClearBufferuiv(GL_COLOR, 0, u);
    else
        glClearBufferiv(GL_COLOR, 0, (const GLint *)u);
    glClearBufferfv(GL_COLOR, 1, c);
    glClearBufferfi(GL_DEPTH_STENCIL, 0, depth, stencil);
}

static const char head[] = "#extension GL_ARB_sample_shading: enable\n"
                           "#extension GL_ARB_gpu_shader5: enable\n";

/* flat: values do not depend on the place. opaque: alpha is 0 or 1. */
static GLuint make_program(bool *flat, bool *opaque) {
    static const struct {
        const char *value;
        bool flat, only43;
    } sources[] = {{"v", false, false},
                   {"f", true, false},
                   {"f", true, false},
                   {"vec4(gl_SampleID, 1, gl_SampleID & 1, gl_SampleID / 4.0)", true, false},
                   {"vec4(gl_SamplePosition, 1, 0)", true, false},
                   {"v + vec4(gl_SampleID, 0, 0, 0)", false, false},
                   {"vec4(gl_NumSamples) / 8.0", true, true},
                   {"vec4(gl_SampleMaskIn[0] & 15) / 15.0", true, true},
                   {"interpolateAtSample(v, int(f.w) & 3)", true, true},
                   {"interpolateAtOffset(v, vec2(0.25, -0.375))", true, true},
                   {"s", true, true}};
    static const char *const statements[] = {"if (gl_SampleID == 1) discard;",
                                             "if (int(gl_FragCoord.x) % 3 == 0) discard;",
                                             "gl_SampleMask[0] = 5 ^ int(gl_FragCoord.y);",
                                             "gl_SampleMask[0] = 7 << gl_SampleID;",
                                             "gl_FragDepth = f.w + 0.25;",
                                             "gl_FragDepth = float(gl_SampleID) / 4.0;"};
    int i;
    do
        i = below(SIZE(sources));
    while (sources[i].only43 && !gl43);
    *flat = sources[i].flat;
    *opaque = sources[i].value[0] == 'f';
    const char *const some = seldom(2) ? PICK(statements) : "";
    const bool by = i == SIZE(sources) - 1;
    const int version = gl43 ? 430 : 330;
    char s[2000];
    const GLuint p = glCreateProgram();
    snprintf(s, sizeof s,
             "#version %d\n%slayout(location = 0) in vec4 a; layout(location = 1) in vec4 b;\n"
             "out vec4 v; flat out vec4 f; %s\n"
             "void main() { gl_Position = a; v = b; f = b; %s }",
             version, head, by ? "sample out vec4 s;" : "", by ? "s = b;" : "");
    attach(p, GL_VERTEX_SHADER, s);
    const bool mixes = format[0]->type == ' ';
    snprintf(s, sizeof s,
             "#version %d\n%sin vec4 v; flat in vec4 f; %s\n"
             "layout(location = 0) out %svec4 o0; layout(location = 1) out vec4 o1;\n"
             "void main() { vec4 c = %s; %s o0 = %s; o1 = vec4(c.wzy, 1); }",
             version, head, by ? "sample in vec4 s;" : "",
             mixes ? "" : (char[]){format[0]->type, 0}, sources[i].value, some,
             mixes                    ? "c"
             : format[0]->type == 'u' ? "uvec4(abs(f) * 99.0)"
                                      : "ivec4(f * 99.0)");
    attach(p, GL_FRAGMENT_SHADER, s);
    link_program(p, NULL);
    text("  program %s %s", sources[i].value, some);
    return p;
}

static void set_state(bool flat, bool opaque) {
    static const GLenum compare[] = {GL_LESS, GL_GEQUAL, GL_ALWAYS, GL_NOTEQUAL},
                        operations[] = {GL_KEEP, GL_INCR, GL_INVERT, GL_REPLACE},
                        factors[] = {GL_ONE, GL_ZERO, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA};
    enable(GL_SAMPLE_MASK, 4);
    const GLuint mask = (GLuint)below(16);
    glSampleMaski(0, mask);
    enable(GL_SAMPLE_ALPHA_TO_COVERAGE, format[0]->type == ' ' && opaque ? 2 : 0);
    enable(GL_SAMPLE_ALPHA_TO_ONE, format[0]->type == ' ' ? 4 : 0);
    if (enable(GL_SAMPLE_COVERAGE, 6))
        glSampleCoverage((float)below(2), seldom(2));
    if (enable(GL_SAMPLE_SHADING, 3)) {
        const float share = flat && seldom(2) ? 0.5f : (float)below(2);
        glMinSampleShading(share);
        text("  share %g", (double)share);
    }
    enable(GL_DEPTH_TEST, 2);
    glDepthFunc(PICK(compare));
    if (enable(GL_STENCIL_TEST, 3)) {
        const GLenum f = PICK(compare), o = PICK(operations), d = PICK(operations);
        glStencilFunc(f, below(256), 255);
        glStencilOp(o, d, PICK(operations));
    }
    if (enable(GL_BLEND, 3)) {
        const GLenum from = PICK(factors);
        glBlendFunc(from, PICK(factors));
    }
    text("  mask %x", mask);
}

static void draw(int set) {
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    const GLenum mode = PICK(modes);
    const int n = between(3, VERTICES);
    bool flat, opaque;
    text("draw %x into %d: %d vertices", mode, set, n);
    glBindFramebuffer(GL_FRAMEBUFFER, sets[set].framebuffer);
    const GLuint p = make_program(&flat, &opaque), q = name_of(glGenQueries);
    set_state(flat, opaque);
    float data[VERTICES][8];
    for (int i = 0; i < n; i++) {
        data[i][0] = (float)(below(128 * WIDTH) * 2 + 1) / (128 * WIDTH) - 1;
        data[i][1] = (float)(below(128 * HEIGHT) * 2 + 1) / (128 * HEIGHT) - 1;
        data[i][2] = 0.25f;
        data[i][3] = 1;
        for (int k = 4; k < 7; k++)
            data[i][k] = (float)below(256) / 255;
        data[i][7] = (float)below(2);
        text("  %g %g", (double)(data[i][0] + 1) * WIDTH / 2,
             (double)(data[i][1] + 1) * HEIGHT / 2);
    }
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STREAM_DRAW);
    glBeginQuery(GL_SAMPLES_PASSED, q);
    glDrawArrays(mode, 0, n);
    glEndQuery(GL_SAMPLES_PASSED);
    GLuint passed;
    glGetQueryObjectuiv(q, GL_QUERY_RESULT, &passed);
    report("passed", -1, &passed, 1);
    glDeleteQueries(1, &q);
    glDeleteProgram(p);
}

static void copy(int from, int to) {
    if (seldom(2)) {
        const int i = format[0]->name == GL_R11F_G11F_B10F ? 1 : below(3), w = between(1, WIDTH),
                  h = between(1, HEIGHT), x = below(WIDTH - w + 1), y = below(HEIGHT - h + 1),
                  x1 = below(WIDTH - w + 1), y1 = below(HEIGHT - h + 1);
        text("copy image %d of %d to %d: %d %d at %d %d to %d %d", i, from, to, w, h, x, y, x1, y1);
        glCopyImageSubData(sets[from].textures[i], target_of(from), 0, x, y, sets[from].layer,
                           sets[to].textures[i], target_of(to), 0, x1, y1, sets[to].layer, w, h, 1);
        return;
    }
    const bool all = zeta.name == GL_DEPTH24_STENCIL8 && seldom(2);
    text("blit from %d to %d%s", from, to, all ? ", depth and stencil, too" : "");
    glBindFramebuffer(GL_READ_FRAMEBUFFER, sets[from].framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, sets[to].framebuffer);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
    glDrawBuffers(1, targets);
    glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT,
                      GL_COLOR_BUFFER_BIT | (all ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : 0),
                      GL_NEAREST);
    glDrawBuffers(2, targets);
}

static void plain_state(void) {
    static const GLenum all[] = {
        GL_SAMPLE_MASK,    GL_SAMPLE_ALPHA_TO_COVERAGE, GL_SCISSOR_TEST, GL_SAMPLE_ALPHA_TO_ONE,
        GL_SAMPLE_SHADING, GL_SAMPLE_COVERAGE,          GL_DEPTH_TEST,   GL_STENCIL_TEST,
        GL_BLEND};
    for (int i = 0; i < SIZE(all); i++)
        glDisable(all[i]);
}

/* Reads all samples of a texture of a set with a program. */
static void report_samples(int set, int i, bool stencil) {
    static const char corners[] =
        "#version 330\nvoid main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1,\n"
        "gl_VertexID == 2 ? 3 : -1, 0, 1); }";
    char s[1000];
    const char type[2] = {stencil ? 'u' : format[i]->type == ' ' ? 0 : format[i]->type};
    snprintf(
        s, sizeof s,
        "#version 330\nuniform %ssampler2DMS%s t; uniform int layer; out %svec4 o;\n"
        "void main() { ivec2 p = ivec2(gl_FragCoord.xy); ivec3 q = ivec3(p.x / 4, p.y, layer);\n"
        "o = texelFetch(t, %s, p.x & 3); }",
        type, sets[set].layers ? "Array" : "", type, sets[set].layers ? "q" : "q.xy");
    const GLuint p = glCreateProgram(), t = name_of(glGenTextures);
    attach(p, GL_VERTEX_SHADER, corners);
    attach(p, GL_FRAGMENT_SHADER, s);
    link_program(p, NULL);
    glUniform1i(glGetUniformLocation(p, "layer"), sets[set].layer);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1,
                   !type[0]         ? GL_RGBA32F
                   : type[0] == 'u' ? GL_RGBA32UI
                                    : GL_RGBA32I,
                   WIDTH * SAMPLES, HEIGHT);
    glBindTexture(target_of(set), sets[set].textures[i]);
    glTexParameteri(target_of(set), GL_DEPTH_STENCIL_TEXTURE_MODE,
                    stencil ? GL_STENCIL_INDEX : GL_DEPTH_COMPONENT);
    glGetError(); /* not a depth texture */
    glBindFramebuffer(GL_FRAMEBUFFER, reader);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glViewport(0, 0, WIDTH * SAMPLES, HEIGHT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    static uint32_t words[WORDS];
    glReadPixels(0, 0, WIDTH * SAMPLES, HEIGHT, type[0] ? GL_RGBA_INTEGER : GL_RGBA,
                 !type[0]         ? GL_FLOAT
                 : type[0] == 'u' ? GL_UNSIGNED_INT
                                  : GL_INT,
                 words);
    char label[24];
    snprintf(label, sizeof label, "samples %d %d%s", set, i, stencil ? " stencil" : "");
    if (i == 2 && !stencil)
        for (int k = 0; k < WORDS; k++)
            if (k & 3)
                words[k] = 0;
    report(label, type[0] ? -1 : 2.1f * format[i]->step, words, WORDS);
    glViewport(0, 0, WIDTH, HEIGHT);
    glDeleteProgram(p);
    glDeleteTextures(1, &t);
}

static void report_resolved(int set, int i) {
    static float pixels[WIDTH * HEIGHT * 4];
    const GLuint t = name_of(glGenTextures);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, format[i]->name, WIDTH, HEIGHT);
    glBindFramebuffer(GL_FRAMEBUFFER, reader);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glClearBufferfv(GL_COLOR, 0, (const float[4]){0.25, 0.5, 0.75, 1});
    glBindFramebuffer(GL_READ_FRAMEBUFFER, sets[set].framebuffer);
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
    glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, reader);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_FLOAT, pixels);
    report("resolved", 2.1f * format[i]->step, pixels, SIZE(pixels));
    glDeleteTextures(1, &t);
}

static void report_set(int set) {
    plain_state();
    for (int i = 0; i < 3; i++)
        report_samples(set, i, false);
    report_samples(set, 2, true);
    for (int i = 0; i < 2; i++)
        if (format[i]->type == ' ')
            report_resolved(set, i);
}

static void calls(uint32_t seed) {
    (void)seed;
    if (!reader) {
        glBindVertexArray(name_of(glGenVertexArrays));
        glBindBuffer(GL_ARRAY_BUFFER, name_of(glGenBuffers));
        for (GLuint i = 0; i < 2; i++) {
            glEnableVertexAttribArray(i);
            glVertexAttribPointer(i, 4, GL_FLOAT, false, 32, (const void *)(intptr_t)(16 * i));
        }
        reader = name_of(glGenFramebuffers);
    }
    format[0] = &PICK(formats);
    format[1] = &second;
    zeta.name = PICK(depths);
    format[2] = &zeta;
    text("format %x depth %x", format[0]->name, zeta.name);
    glViewport(0, 0, WIDTH, HEIGHT);
    for (int i = 0; i < 2; i++) {
        make_set(i);
        plain_state();
        clear(i);
    }
    for (int k = between(1, 6); k > 0; k--) {
        const int set = below(2);
        if (seldom(3))
            copy(set, !set);
        else
            draw(set);
        report_errors();
        if (texts) {
            plain_state();
            report_set(0);
            report_set(1);
        }
    }
    for (int i = 0; i < 2; i++) {
        report_set(i);
        glDeleteTextures(3, sets[i].textures);
        glDeleteFramebuffers(1, &sets[i].framebuffer);
    }
    report_errors();
}
