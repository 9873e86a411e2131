/* Layered targets, viewports, and the forms that primitives take: geometry programs choose layers
 * and viewports of shapes; each target has its own masks and blending; scissors, depth ranges, clip
 * and cull distances, the provoking vertex, primitive ids. The corners of shapes are corners of
 * pixels. Strips of triangles with adjacency are left out: llvmpipe orders the vertices of odd
 * triangles differently than OpenGL's table. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, gl43 ? 4 : 3, EGL_CONTEXT_MINOR_VERSION, 3,       \
                      EGL_NONE})
#include "calls.h"

enum { SIDE = 32, TARGETS = 3, VIEWPORTS = 4, VERTICES = 24, MOST_LAYERS = 6 };

static const char vertex[] =
    "layout(location = 0) in vec4 a; layout(location = 1) in ivec4 b; uniform vec4 planes[2];\n"
    "out DATA { flat ivec4 v; } o; CULLS out float gl_ClipDistance[2];\n"
    "void main() { gl_Position = a; gl_PointSize = 1.0; o.v = ivec4(b.xy, gl_VertexID, b.w);\n"
    "for (int i = 0; i < 2; i++) gl_ClipDistance[i] = dot(a, planes[i]); CULL }";
/* Emits a shape for each input primitive: the primitive's triangle, or a rectangle. */
static const char geometry[] =
    "layout(INPUT) in; layout(triangle_strip, max_vertices = 4) out;\n"
    "in DATA { flat ivec4 v; } i[]; out DATA { flat ivec4 v; } o;\n"
    "out float gl_ClipDistance[2]; uniform ivec2 counts; uniform int shape;\n"
    "uniform vec4 planes[2];\n"
    "void corner(vec4 p, int k, int n) { gl_Position = p; o.v = i[n].v + ivec4(0, 0, 0, k * 32);\n"
    "for (int c = 0; c < 2; c++) gl_ClipDistance[c] = dot(p, planes[c]);\n"
    "gl_Layer = (gl_PrimitiveIDIn + ID) % counts.x;\n"
    "gl_ViewportIndex = (i[0].v.x + ID) % counts.y;\n"
    "gl_PrimitiveID = gl_PrimitiveIDIn * 2 + 1; EmitVertex(); }\n"
    "void main() { int n = i.length() - 1;\n"
    "if (shape == 0 && n > 1) { int s = n / 2; corner(gl_in[0].gl_Position, 0, 0);\n"
    "corner(gl_in[s].gl_Position, 1, s); corner(gl_in[2 * s].gl_Position, 2, n); return; }\n"
    "vec4 p = gl_in[n].gl_Position; vec2 e = vec2(i[n].v.xy) * 0.25;\n"
    "for (int k = 0; k < 4; k++) corner(vec4(p.xy + e * vec2(k & 1, k >> 1), p.zw), k, n); }";
static const char fragment[] =
    "in DATA { flat ivec4 v; } i; uniform vec4 colour; WHERE\n"
    "layout(location = 0) out vec4 o0; layout(location = 1) out vec4 o1;\n"
    "layout(location = 2) out uvec4 o2;\n"
    "void main() { o0 = vec4(i.v.w & 255, i.v.z * 8, layer * 32, viewport * 64) / 255.0;\n"
    "o1 = colour; o2 = uvec4(gl_PrimitiveID, i.v.zw, gl_FrontFacing ? 1 : 0); }";

static const GLenum kinds[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                               GL_TEXTURE_CUBE_MAP_ARRAY, GL_TEXTURE_2D};

static struct {
    GLenum kind, formats[TARGETS + 1];
    GLuint textures[TARGETS + 1]; /* the last one: depth */
    int layers, level;
    bool depth;
} target;

static GLuint buffer, framebuffer;

static void replace(char *text, const char *word, const char *by) {
    static char copy[4000];
    for (char *at; (at = strstr(text, word));) {
        strcpy(copy, at + strlen(word));
        sprintf(at, "%s%s", by, copy);
    }
}

static void attach_text(GLuint p, GLenum stage, const char *source, const char *words[][2]) {
    static char all[4000];
    sprintf(all,
            "#version %d\n#extension GL_ARB_viewport_array: enable\n"
            "#extension GL_ARB_fragment_layer_viewport: enable\n"
            "#extension GL_ARB_cull_distance: enable\n%s",
            gl43 ? 430 : 330, source);
    for (; *words; words++)
        if ((*words)[0])
            replace(all, (*words)[0], (*words)[1]);
        else
            break;
    attach(p, stage, all);
}

static const char *const inputs[] = {"points", "lines", "triangles", "lines_adjacency",
                                     "triangles_adjacency"};

/* input: the geometry program's kind of primitives, an index of inputs[]; -1: no geometry
 * program. */
static GLuint make_program(int input, bool invocations, bool culls) {
    const GLuint p = glCreateProgram();
    attach_text(p, GL_VERTEX_SHADER, vertex,
                (const char *[][2]){{"CULLS", culls ? "out float gl_CullDistance[1];" : ""},
                                    {"CULL ", culls ? "gl_CullDistance[0] = float(b.z);" : ""},
                                    {NULL}});
    char in[60];
    if (input >= 0) {
        sprintf(in, "%s%s", inputs[input], invocations ? ", invocations = 3" : "");
        attach_text(p, GL_GEOMETRY_SHADER, geometry,
                    (const char *[][2]){{"INPUT", in},
                                        {" ID)", invocations ? " gl_InvocationID)" : " 0)"},
                                        {NULL}});
    }
    attach_text(p, GL_FRAGMENT_SHADER, fragment,
                (const char *[][2]){{"WHERE", input >= 0 ? "int layer = gl_Layer, viewport = "
                                                           "gl_ViewportIndex;"
                                                         : "int layer = 0, viewport = 0;"},
                                    {NULL}});
    link_program(p, NULL);
    return p;
}

static int layers_of(GLenum kind) {
    return kind == GL_TEXTURE_2D               ? 1
           : kind == GL_TEXTURE_CUBE_MAP       ? 6
           : kind == GL_TEXTURE_CUBE_MAP_ARRAY ? 12
                                               : between(1, MOST_LAYERS);
}

static void storage(int i) {
    const GLenum k = target.kind;
    const int side = SIDE << target.level, levels = target.level + 1,
              deep = k == GL_TEXTURE_3D ? target.layers << target.level : target.layers;
    glBindTexture(k, target.textures[i]);
    if (k == GL_TEXTURE_2D || k == GL_TEXTURE_CUBE_MAP)
        glTexStorage2D(k, levels, target.formats[i], side, side);
    else
        glTexStorage3D(k, levels, target.formats[i], side, side, deep);
    text("target %d: %x format %x layers %d level %d", i, k, target.formats[i], target.layers,
         target.level);
}

static void make_target(void) {
    static const GLenum colours[] = {GL_RGBA8, GL_RGBA16F, GL_RGB10_A2, GL_RGBA32F, GL_RG8},
                        depths[] = {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT32F,
                                    GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT16};
    target.kind = PICK(kinds);
    target.level = seldom(3);
    target.depth = target.kind != GL_TEXTURE_3D && seldom(2);
    target.layers = layers_of(target.kind);
    glGenTextures(TARGETS + 1, target.textures);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, 0, 0);
    for (int i = 0; i < TARGETS + target.depth; i++) {
        target.formats[i] = i == 2 ? GL_RGBA16UI : i == 3 ? PICK(depths) : PICK(colours);
        storage(i);
        glFramebufferTexture(GL_FRAMEBUFFER,
                             i < TARGETS ? GL_COLOR_ATTACHMENT0 + (GLenum)i
                             : target.formats[i] == GL_DEPTH24_STENCIL8
                                 ? GL_DEPTH_STENCIL_ATTACHMENT
                                 : GL_DEPTH_ATTACHMENT,
                             target.textures[i], target.level);
    }
    const GLenum all[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2};
    glDrawBuffers(TARGETS, all);
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    report("status", -1, &status, 1);
}

static void clear(void) {
    const float depth = (float)below(5) / 4;
    const float c[4] = {real(0, 1), real(0, 1), real(0, 1), real(0, 1)};
    const GLuint u[4] = {(GLuint)below(99), 1, 2, 3};
    text("clear");
    glClearBufferfv(GL_COLOR, 0, c);
    glClearBufferfv(GL_COLOR, 1, c);
    glClearBufferuiv(GL_COLOR, 2, u);
    if (target.depth)
        glClearBufferfv(GL_DEPTH, 0, &depth);
}

static bool enable(GLenum capability, int n) {
    const bool on = seldom(n);
    (on ? glEnable : glDisable)(capability);
    if (on)
        text("  enable %x", capability);
    return on;
}

static void set_state(void) {
    static const GLenum factors[] = {GL_ZERO,      GL_ONE,       GL_SRC_COLOR,
                                     GL_DST_COLOR, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA},
                        equations[] = {GL_FUNC_ADD, GL_FUNC_REVERSE_SUBTRACT, GL_MAX},
                        compare[] = {GL_LESS, GL_GEQUAL, GL_ALWAYS};
    for (GLuint i = 0; i < VIEWPORTS; i++) {
        const int w = 8 << below(3), h = 8 << below(3), x = between(-8, 24), y = between(-8, 24);
        const int near = below(3), far = below(3), sx = below(SIDE), sy = below(SIDE),
                  sw = below(SIDE), sh = below(SIDE);
        const bool scissor = seldom(3);
        glViewportIndexedf(i, (float)x, (float)y, (float)w, (float)h);
        glDepthRangeIndexed(i, near / 2.0, far / 2.0);
        glScissorIndexed(i, sx, sy, sw, sh);
        (scissor ? glEnablei : glDisablei)(GL_SCISSOR_TEST, i);
        text("  viewport %u: %d %d %d %d depth %d %d scissor %d: %d %d %d %d", i, x, y, w, h, near,
             far, scissor, sx, sy, sw, sh);
    }
    for (GLuint i = 0; i < 2; i++) {
        const bool blend = seldom(3), masked = seldom(4);
        const GLenum e = PICK(equations), s = PICK(factors), d = PICK(factors);
        (blend ? glEnablei : glDisablei)(GL_BLEND, i);
        glBlendEquationi(i, e);
        glBlendFunci(i, s, d);
        bool m[4];
        for (int k = 0; k < 4; k++)
            m[k] = !masked || seldom(2);
        glColorMaski(i, m[0], m[1], m[2], m[3]);
        text("  target %u: blend %d %x %x %x mask %d%d%d%d", i, blend, e, s, d, m[0], m[1], m[2],
             m[3]);
    }
    enable(GL_DEPTH_TEST, 2);
    glDepthFunc(PICK(compare));
    enable(GL_DEPTH_CLAMP, 3);
    enable(GL_CULL_FACE, 6);
    glProvokingVertex(seldom(2) ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
    enable(GL_CLIP_DISTANCE0, 6);
    enable(GL_CLIP_DISTANCE1, 6);
}

static void draw(void) {
    static const struct {
        GLenum mode;
        int input;
    } modes[] = {{GL_TRIANGLES, 2},
                 {GL_TRIANGLE_STRIP, 2},
                 {GL_TRIANGLE_FAN, 2},
                 {GL_POINTS, 0},
                 {GL_LINES, 1},
                 {GL_LINE_STRIP, 1},
                 {GL_LINE_LOOP, 1},
                 {GL_LINES_ADJACENCY, 3},
                 {GL_LINE_STRIP_ADJACENCY, 3},
                 {GL_TRIANGLES_ADJACENCY, 4}};
    const bool plain = target.layers == 1 && seldom(2);
    const int m = below(plain ? 3 : SIZE(modes)), count = between(1, VERTICES),
              n = seldom(4) ? 2 : 1, counts[2] = {between(1, target.layers), between(1, VIEWPORTS)};
    const bool invocations = gl43 && seldom(3), culls = plain && seldom(3);
    const GLuint p = make_program(plain ? -1 : modes[m].input, invocations, culls);
    set_state();
    text("draw %x: %d vertices, %d instances, layers %d, viewports %d%s%s%s", modes[m].mode, count,
         n, counts[0], counts[1], plain ? ", plain" : "", invocations ? ", invocations" : "",
         culls ? ", cull distances" : "");
    struct {
        float at[4];
        int b[4];
    } data[VERTICES];
    const float z = (float)between(-5, 5) / 4;
    for (int i = 0; i < VERTICES; i++) {
        for (int k = 0; k < 2; k++)
            data[i].at[k] = (float)between(-4, 4) / 4;
        data[i].at[2] = z;
        data[i].at[3] = 1;
        for (int k = 0; k < 4; k++)
            data[i].b[k] = k < 2 ? between(0, 6) : k == 2 ? between(-1, 3) : below(200);
    }
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STREAM_DRAW);
    /* llvmpipe also clips by distances that are written but not enabled */
    float planes[2][4] = {{0, 0, 0, 1}, {0, 0, 0, 1}};
    for (int k = 0; k < 2; k++)
        if (glIsEnabled(GL_CLIP_DISTANCE0 + (GLenum)k)) {
            planes[k][k] = k ? -1 : 1;
            planes[k][3] = (float)between(-3, 3) / 4;
        }
    glUniform4fv(glGetUniformLocation(p, "planes"), 2, planes[0]);
    glUniform2i(glGetUniformLocation(p, "counts"), counts[0], counts[1]);
    glUniform1i(glGetUniformLocation(p, "shape"), below(2));
    glUniform4f(glGetUniformLocation(p, "colour"), real(0, 1), real(0, 1), 0.5f, 0.25f);
    if (n == 1)
        glDrawArrays(modes[m].mode, 0, count);
    else
        glDrawArraysInstanced(modes[m].mode, 0, count, n);
    glDeleteProgram(p);
}

static void report_target(int i) {
    static float pixels[SIDE * SIDE * 4 * 12];
    const bool depth = i == TARGETS;
    const GLenum format = depth    ? GL_DEPTH_COMPONENT
                          : i == 2 ? GL_RGBA_INTEGER
                                   : GL_RGBA,
                 type = i == 2 ? GL_UNSIGNED_INT : GL_FLOAT;
    const int layer = SIDE * SIDE * (depth ? 1 : 4);
    const bool cube = target.kind == GL_TEXTURE_CUBE_MAP;
    glBindTexture(target.kind, target.textures[i]);
    for (int face = 0; face < (cube ? 6 : 1); face++)
        glGetTexImage(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : target.kind,
                      target.level, format, type, pixels + face * layer);
    char name[40];
    for (int k = 0; k < target.layers; k++) {
        sprintf(name, "target %d layer %d", i, k);
        report_most(name, i == 2 ? -1 : depth ? 1e-6f : 0.02f, 2, pixels + k * layer, layer);
    }
}

static void calls(uint32_t seed) {
    (void)seed;
    if (!buffer) {
        buffer = name_of(glGenBuffers);
        framebuffer = name_of(glGenFramebuffers);
        glBindVertexArray(name_of(glGenVertexArrays));
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glVertexAttribPointer(0, 4, GL_FLOAT, 0, 32, NULL);
        glVertexAttribIPointer(1, 4, GL_INT, 32, (void *)16);
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
    }
    make_target();
    for (GLuint i = 0; i < VIEWPORTS; i++)
        glDisablei(GL_SCISSOR_TEST, i);
    glColorMask(1, 1, 1, 1);
    clear();
    for (int k = between(1, 4); k > 0; k--) {
        draw();
        if (seldom(6)) /* the clear has the scissor of viewport 0 */
            clear();
    }
    for (int i = 0; i < TARGETS + target.depth; i++)
        report_target(i);
    report_errors();
    glDeleteTextures(TARGETS + 1, target.textures);
}
