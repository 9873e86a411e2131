/* Transform feedback and queries: varyings in one or several buffers, with gaps and vertex streams,
 * ranges that overflow, pauses, captured vertices drawn again, counters of all kinds, and draws and
 * clears that depend on a counter. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, gl43 ? 4 : 3, EGL_CONTEXT_MINOR_VERSION, 3,       \
                      EGL_NONE})
#include "calls.h"

enum {
    WIDTH = 16,
    HEIGHT = 16,
    OBJECTS = 2,
    BUFFERS = 4,
    ROOM = 1 << 12,
    VARYINGS = 5,
    STREAMS = 4,
    INDICES = 50
};

/* The target shows points only, because the pixels of lines and triangles depend on the driver. */
static const char vertex[] =
    "#version 330\n"
    "layout(location = 0) in float v; uniform int shift; uniform float hide;\n"
    "out vec4 a; out float b; out ivec3 c; out vec2 d[2];\n"
    "void main() { int i = gl_VertexID + shift; c = ivec3(i, gl_InstanceID, -i);\n"
    "a = vec4(v == 12345.0 ? v : float(i), i * i, 0.5, gl_InstanceID); b = float(i) / 8.0;\n"
    "d[0] = vec2(i, 1); d[1] = vec2(2, 1 - i);\n"
    "gl_Position = vec4((vec2(i * 7 % 18, i * 5 % 17) + 0.5) / 8 - 1,\n"
    "float(i % 5) / 4 - 0.5 + hide, 1);\n"
    "gl_PointSize = 1; }";
/* For each point, emits 0 to 3 vertices to stream 0 and, if there are streams, some to streams 1
 * and 3. */
static const char geometry[] =
    "layout(points) in; layout(points, max_vertices = 12) out;\n"
    "in vec4 a[]; in float b[]; in ivec3 c[];\n"
    "STREAM0 out vec4 ga; STREAM0 out float gb; STREAM0 out ivec3 gc; STREAM0 out vec2 gd[2];\n"
    "OTHERS void main() { int i = c[0].x;\n"
    "for (int k = 0; k < (i & 3); k++) { ga = a[0] + k; gb = b[0]; gc = c[0] * k;\n"
    "gd[0] = vec2(i, k); gd[1] = vec2(3, 1 - i);\n"
    "gl_Position = gl_in[0].gl_Position + vec4(k * 0.125, 0, 0, 0); gl_PointSize = 1;\n"
    "EMIT(0); } MORE }";
static const char fragment[] = "#version 330\nout vec4 o; void main() { o = vec4(0.25); }";

static GLuint objects[OBJECTS], buffers[BUFFERS], queries[12];
static bool captured[OBJECTS]; /* the object has counted vertices */

static void set_up(void) {
    glGenTransformFeedbacks(OBJECTS, objects);
    glGenBuffers(BUFFERS, buffers);
    glGenQueries(SIZE(queries), queries);
    glBindVertexArray(name_of(glGenVertexArrays));
    glBindFramebuffer(GL_FRAMEBUFFER, name_of(glGenFramebuffers));
    const GLuint r[] = {name_of(glGenRenderbuffers), name_of(glGenRenderbuffers)};
    for (int i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, r[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, i ? GL_DEPTH_COMPONENT24 : GL_RGBA8, WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                  GL_RENDERBUFFER, r[i]);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, name_of(glGenBuffers));
    glViewport(0, 0, WIDTH, HEIGHT);
    glEnable(GL_PROGRAM_POINT_SIZE);
}

static struct {
    GLuint name;
    bool geometry, streams;
    int buffers, stride; /* stride: of the first buffer */
} program;

static void replace(char *text, const char *word, const char *by) {
    char copy[4000];
    for (char *at; (at = strstr(text, word));) {
        strcpy(copy, at + strlen(word));
        sprintf(at, "%s%s", by, copy);
    }
}

/* Makes a program with random captured varyings. */
static void make_program(void) {
    static const char *const names[] = {"a", "b", "c", "d", "gl_Position"},
                             *const elements[] = {"gl_SkipComponents1", "gl_SkipComponents3",
                                                  "d[1]"};
    program.geometry = seldom(3);
    program.streams = program.geometry && gl43 && seldom(2);
    program.name = glCreateProgram();
    attach(program.name, GL_VERTEX_SHADER, vertex);
    attach(program.name, GL_FRAGMENT_SHADER, fragment);
    if (program.geometry) {
        char source[4000];
        sprintf(source, "#version %d\n%s", gl43 ? 430 : 330, geometry);
        replace(source, "STREAM0", program.streams ? "layout(stream = 0)" : "");
        replace(source, "OTHERS",
                program.streams ? "layout(stream = 1) out vec3 s1; layout(stream = 3) out int s3;"
                                : "");
        replace(source, "EMIT(0);", program.streams ? "EmitStreamVertex(0);" : "EmitVertex();");
        replace(source, "MORE",
                program.streams ? "for (int k = 0; k < i % 3; k++) { s1 = vec3(k, i, 7); "
                                  "EmitStreamVertex(1); } if (i % 5 > 1) { s3 = i; "
                                  "EmitStreamVertex(3); }"
                                : "");
        attach(program.name, GL_GEOMETRY_SHADER, source);
    }
    static const int sizes[] = {4, 1, 3, 4, 4};
    const char *list[16];
    char label[16][24];
    int n = 0;
    const bool separate = !program.streams && seldom(3);
    program.buffers = 1;
    program.stride = 0;
    for (int i = 0; i < VARYINGS && n < 12; i++) {
        if (n && seldom(3))
            continue;
        const bool next = n && !separate && gl43 && program.buffers < 2 && seldom(4),
                   skip = !separate && gl43 && seldom(4);
        if (next) {
            strcpy(label[n++], "gl_NextBuffer");
            program.buffers++;
        }
        const int skipped = skip ? below(2) : 0;
        if (skip)
            strcpy(label[n++], elements[skipped]);
        const char *name = i == 3 && seldom(2) ? elements[2] : names[i];
        if (program.buffers == 1 && (!n || !separate))
            program.stride += (skip ? 1 + 2 * skipped : 0) + (name == elements[2] ? 2 : sizes[i]);
        sprintf(label[n++], "%s%s", program.geometry && *name != 'g' ? "g" : "", name);
        if (separate && n == 4)
            break;
    }
    if (separate)
        program.buffers = n;
    if (program.streams) {
        strcpy(label[n++], "gl_NextBuffer");
        strcpy(label[n++], "s1");
        strcpy(label[n++], "gl_NextBuffer");
        strcpy(label[n++], "s3");
        program.buffers += 2;
    }
    for (int i = 0; i < n; i++) {
        list[i] = label[i];
        text("  captured: %s", label[i]);
    }
    text("program: geometry %d, streams %d, buffers %d, separate %d", program.geometry,
         program.streams, program.buffers, separate);
    glTransformFeedbackVaryings(program.name, n, list,
                                separate ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS);
    link_program(program.name, NULL);
}

static void bind_ranges(void) {
    for (GLuint i = 0; i < (GLuint)program.buffers; i++) {
        const int offset = seldom(2) ? 4 * below(30) : 0,
                  size = seldom(3) ? 4 * between(1, 200) : ROOM - offset;
        text("  buffer %u: range %d, %d bytes", i, offset, size);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i], offset, size);
    }
}

static void draw(GLenum mode) {
    const int first = below(9), n = seldom(3) ? between(1, 3) : 1;
    int count = below(14); /* only whole primitives: drivers count incomplete ones differently */
    count -= mode == GL_LINES                 ? count % 2
             : mode == GL_TRIANGLES           ? count % 3
             : mode != GL_POINTS && count < 3 ? count
                                              : 0;
    const int shift = below(20);
    glUniform1i(glGetUniformLocation(program.name, "shift"), shift);
    glUniform1f(glGetUniformLocation(program.name, "hide"), mode == GL_POINTS ? 0 : 9);
    text("  draw %x first %d count %d instances %d shift %d", mode, first, count, n, shift);
    if (seldom(2)) {
        glDrawArraysInstanced(mode, first, count, n);
        return;
    }
    const int skipped = below(INDICES - count);
    text("    indices from %d", skipped);
    glDrawElementsInstanced(mode, count, GL_UNSIGNED_BYTE, (void *)(intptr_t)skipped, n);
}

/* Draws while an object captures vertices, and sometimes while the object pauses. */
static void capture(int object) {
    static const GLenum points[] = {GL_POINTS}, lines[] = {GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP},
                        triangles[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    const int kind = program.geometry ? 0 : below(3);
    const GLenum mode = kind == 0 ? GL_POINTS : kind == 1 ? GL_LINES : GL_TRIANGLES;
    text("capture %x with object %d", mode, object);
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[object]);
    bind_ranges();
    glBeginTransformFeedback(mode);
    for (int k = between(1, 4); k > 0; k--) {
        const GLenum m = kind == 0 ? points[0] : kind == 1 ? PICK(lines) : PICK(triangles);
        draw(m);
        if (!seldom(3))
            continue;
        text("  pause");
        glPauseTransformFeedback();
        if (seldom(2))
            draw(program.geometry ? GL_POINTS : GL_TRIANGLES);
        if (seldom(3)) {
            text("  other object in between");
            glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
            draw(GL_POINTS);
            glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, objects[object]);
        }
        text("  resume");
        glResumeTransformFeedback();
    }
    glEndTransformFeedback();
    captured[object] = true;
    glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
}

static void draw_captured(int object) {
    if (!captured[object])
        return;
    const int stream = program.streams && seldom(2) ? 1 : 0, n = between(1, 3);
    /* llvmpipe divides by the stride of the vertex buffer */
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glVertexAttribPointer(0, 1, GL_FLOAT, 0, 4 * (stream ? 3 : program.stride), NULL);
    glEnableVertexAttribArray(0);
    text("draw captured vertices of object %d, stream %d, instances %d", object, stream, n);
    if (stream)
        glDrawTransformFeedbackStream(GL_POINTS, objects[object], 1);
    else if (gl43 && seldom(2))
        glDrawTransformFeedbackInstanced(GL_POINTS, objects[object], n);
    else
        glDrawTransformFeedback(GL_POINTS, objects[object]);
    glDisableVertexAttribArray(0);
}

/* The last two counters exist on a Fermi only. */
static const GLenum counters[] = {GL_PRIMITIVES_GENERATED,
                                  GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
                                  GL_SAMPLES_PASSED,
                                  GL_ANY_SAMPLES_PASSED,
                                  GL_VERTICES_SUBMITTED,
                                  GL_PRIMITIVES_SUBMITTED,
                                  GL_GEOMETRY_SHADER_INVOCATIONS,
                                  GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED,
                                  GL_TRANSFORM_FEEDBACK_OVERFLOW,
                                  GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW};

static void step(void) {
    const int what = below(8), object = below(OBJECTS);
    if (what < 4)
        capture(object);
    else if (what == 4)
        draw_captured(object);
    else if (what == 5) {
        draw(program.geometry ? GL_POINTS : GL_TRIANGLES);
    } else if (what == 6) {
        glClearColor(real(0, 1), real(0, 1), 0, 1);
        text("clear");
        glClear(GL_COLOR_BUFFER_BIT);
    } else {
        glDepthFunc(seldom(2) ? GL_LESS : GL_ALWAYS);
        (seldom(2) ? glEnable : glDisable)(GL_DEPTH_TEST);
        (seldom(4) ? glEnable : glDisable)(GL_RASTERIZER_DISCARD);
        text("depth test %d, discard %d", glIsEnabled(GL_DEPTH_TEST),
             glIsEnabled(GL_RASTERIZER_DISCARD));
    }
}

static void report_counter(int q) {
    GLuint64 n = 0;
    glGetQueryObjectui64v(queries[q], GL_QUERY_RESULT, &n);
    text("query %d: %d", q, (int)n);
    report("query", -1, &n, 2);
}

static void calls(uint32_t seed) {
    static uint32_t words[ROOM / 4], pixels[WIDTH * HEIGHT];
    static const GLenum waits[] = {GL_QUERY_WAIT, GL_QUERY_BY_REGION_WAIT, GL_QUERY_WAIT_INVERTED};
    (void)seed;
    if (!objects[0])
        set_up();
    for (int i = 0; i < BUFFERS; i++) {
        memset(words, 0xcd, sizeof words);
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glBufferData(GL_ARRAY_BUFFER, ROOM, words, GL_STREAM_READ);
    }
    memset(captured, 0, sizeof captured);
    uint8_t indices[INDICES];
    for (int i = 0; i < INDICES; i++)
        indices[i] = (uint8_t)below(30);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STREAM_DRAW);
    glDisable(GL_RASTERIZER_DISCARD);
    glDisable(GL_DEPTH_TEST);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    make_program();
    bool ended[SIZE(counters)] = {false};
    for (int k = between(1, 4); k > 0; k--) {
        const int c = below(SIZE(counters) - (gl43 ? 0 : 2)), d = below(2),
                  old = below(SIZE(counters));
        const GLuint stream = c < 2 && program.streams ? (GLuint)below(STREAMS) : 0;
        const bool conditional = ended[old] && (old < 4 || old >= 8) && seldom(2);
        if (conditional) {
            text("if query %d", old);
            glBeginConditionalRender(queries[old], PICK(waits));
            for (int i = between(1, 2); i > 0; i--)
                step();
            glEndConditionalRender();
        }
        text("count %x, stream %u", counters[c], stream);
        glDeleteQueries(1, &queries[c]); /* a used query would keep its stream */
        glGenQueries(1, &queries[c]);
        if (stream)
            glBeginQueryIndexed(counters[c], stream, queries[c]);
        else
            glBeginQuery(counters[c], queries[c]);
        const bool second = c < 2 && d != c;
        if (second)
            glBeginQuery(counters[d], queries[SIZE(counters) + d]);
        for (int i = between(1, 3); i > 0; i--)
            step();
        if (second)
            glEndQuery(counters[d]);
        if (stream)
            glEndQueryIndexed(counters[c], stream);
        else
            glEndQuery(counters[c]);
        ended[c] = true;
        if (seldom(2))
            report_counter(c);
        if (second)
            report_counter(SIZE(counters) + d);
    }
    for (int i = 0; i < SIZE(counters); i++)
        if (ended[i])
            report_counter(i);
    for (int i = 0; i < BUFFERS; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, buffers[i]);
        glGetBufferSubData(GL_ARRAY_BUFFER, 0, ROOM, words);
        char name[16];
        sprintf(name, "buffer %d", i);
        report(name, -1, words, SIZE(words));
    }
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    report("pixels", -1, pixels, SIZE(pixels));
    report_errors();
    glDeleteProgram(program.name);
}
