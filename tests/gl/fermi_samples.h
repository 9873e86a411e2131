/* Part of tests/gl/fermi.c: vertex streams with their queries, samples of a pixel, draws without a
 * target, early and late tests of programs that store. */

/* ---- vertex streams ---- */

/* A program emits each point once to stream 0, three times to stream 1, and, if its number is even,
 * once to stream 3. Each stream has its own buffer; that of stream 1 has room for 17 of 96 points.
 * Only stream 0 is drawn. */
static void test_streams(void) {
    enum { POINTS = 32, ROOM = 17 };
    static const GLenum counts[] = {GL_PRIMITIVES_GENERATED,
                                    GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
                                    GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW};
    static const char *const captured[] = {"a", "gl_NextBuffer", "b", "gl_NextBuffer", "c"};
    static const GLuint streams[] = {0, 1, 3}, all[] = {POINTS, 3 * POINTS, POINTS / 2},
                        room[] = {POINTS, ROOM, POINTS};
    static const char *const names[] = {"a stream counts all primitives",
                                        "a stream counts the primitives written",
                                        "a stream tells its overflow"};
    GLuint buffer[3], query[3][3], any, got[POINTS];
    make_targets();
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER,
           HEAD "flat out int id; void main() { id = gl_VertexID; gl_Position = vec4(0); }");
    attach(p, GL_GEOMETRY_SHADER,
           HEAD "layout(points) in; layout(points, max_vertices = 5) out; flat in int id[];\n"
                "layout(stream = 0) flat out uint a; layout(stream = 1) out uint b;\n"
                "layout(stream = 3) out uint c; void main() {\n"
                "for (int i = 0; i < 3; i++) { b = uint(id[0] * 3 + i + 1000);\n"
                "EmitStreamVertex(1); EndStreamPrimitive(1); }\n"
                "gl_Position = vec4(float(id[0]) / 32.0 - 31.0 / 64.0, 1.0 / 64.0, 0, 1);\n"
                "a = uint(id[0]); EmitStreamVertex(0);\n"
                "if (id[0] % 2 == 0) { c = uint(id[0] + 5); EmitStreamVertex(3); } }");
    attach(p, GL_FRAGMENT_SHADER,
           HEAD "flat in uint a; layout(location = 0) out uint o; void main() { o = a + 100u; }");
    glTransformFeedbackVaryings(p, 5, captured, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(p);
    glUseProgram(p);
    glGenBuffers(3, buffer);
    glGenQueries(9, &query[0][0]);
    glGenQueries(1, &any);
    for (GLuint i = 0; i < 3; i++) {
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffer[i]);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4 * room[i], NULL, GL_STREAM_READ);
        for (int k = 0; k < 3; k++)
            glBeginQueryIndexed(counts[k], streams[i], query[k][i]);
    }
    glBeginQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW, any);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, POINTS);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_OVERFLOW);
    for (GLuint i = 0; i < 3; i++) {
        const GLuint written = room[i] < all[i] ? room[i] : all[i];
        const GLuint want[] = {all[i], written, written < all[i]};
        int wrong = 0;
        for (int k = 0; k < 3; k++) {
            GLuint n;
            glEndQueryIndexed(counts[k], streams[i]);
            glGetQueryObjectuiv(query[k][i], GL_QUERY_RESULT, &n);
            equal(names[k], n, want[k]);
        }
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer[i]);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 4 * written, got);
        for (GLuint k = 0; k < written; k++)
            wrong += got[k] != (i == 0 ? k : i == 1 ? k + 1000 : 2 * k + 5);
        equal("a stream captures its words", (uint64_t)wrong, 0);
    }
    GLuint overflowed;
    glGetQueryObjectuiv(any, GL_QUERY_RESULT, &overflowed);
    equal("the overflow of any stream is told", overflowed, 1);
    const GLuint *data = pixels(0);
    int wrong = 0;
    for (GLuint i = 0; i < PIXELS; i++) {
        const GLuint x = i % SIDE, y = i / SIDE;
        wrong += data[i] != (y == SIDE / 2 && x >= 16 && x < 48 ? x - 16 + 100 : 7);
    }
    equal("only stream 0 is drawn", (uint64_t)wrong, 0);
}

/* ---- samples ---- */

/* Makes and binds a target with four samples. */
static GLuint make_sampled_target(void) {
    GLuint t, f;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t);
    glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_R32UI, SIDE, SIDE, GL_TRUE);
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){0, 0, 0, 0});
    return t;
}

/* Each sample stores its number in 4 bits, its coverage in 4, its place in 8, and, in 8 bits each,
 * the places to which interpolateAtSample() and interpolateAtOffset() interpolate the input. */
static void test_samples(void) {
    static const GLuint place[4] = {6 | 2 << 4, 14 | 6 << 4, 2 | 10 << 4, 10 | 14 << 4};
    int wrong = 0;
    const GLuint sampled = make_sampled_target();
    glViewport(0, 0, SIDE, SIDE);
    make_program(HEAD "out vec2 at; void main() {\n"
                      "vec2 v = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                      "at = v * 128.0; gl_Position = vec4(v * 4.0 - 1.0, 0, 1); }",
                 NULL,
                 HEAD
                 "in vec2 at; layout(location = 0) out uint o; void main() {\n"
                 "uvec2 p = uvec2(gl_SamplePosition * 16.0);\n"
                 "uvec2 q = uvec2(fract(interpolateAtSample(at, gl_SampleID)) * 16.0);\n"
                 "uvec2 r = uvec2(fract(interpolateAtOffset(at, vec2(0.25, -0.25))) * 16.0);\n"
                 "o = uint(gl_SampleID) | uint(gl_SampleMaskIn[0]) << 4 | p.x << 8 | p.y << 12 |\n"
                 "q.x << 16 | q.y << 20 | r.x << 24 | r.y << 28; }",
                 NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    make_targets();
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, sampled);
    const GLuint p = make_program(
        WHOLE, NULL,
        HEAD "#extension GL_ARB_shader_texture_image_samples : require\n"
             "uniform usampler2DMS t; uniform int s; layout(location = 0) out uint a;\n"
             "layout(location = 1) out uint b; void main() {\n"
             "a = texelFetch(t, ivec2(gl_FragCoord), s).x;\n"
             "b = uint(textureSamples(t) * 10000 + textureSize(t).x * 100 + textureSize(t).y); }",
        NULL);
    for (GLuint s = 0; s < 4; s++) {
        glUniform1i(glGetUniformLocation(p, "s"), (GLint)s);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        const GLuint *data = pixels(0);
        const GLuint at = place[s];
        const GLuint want = s | 1u << s << 4 | at << 8 | at << 16 | 12u << 24 | 4u << 28;
        for (GLuint i = 0; i < PIXELS; i++)
            wrong += data[i] != want;
        if (wrong)
            printf("    sample %u: %x, expected %x\n", s, data[0], want);
        equal("each sample has its number, coverage and places", (uint64_t)wrong, 0);
        equal("a program reads the number of samples and the size", pixels(1)[5], 46464);
    }
}

/* A multisampled line of width 4 covers all samples of four rows. */
static void test_sampled_line(void) {
    GLuint query, samples;
    make_sampled_target();
    glViewport(0, 0, SIDE, SIDE);
    make_program(HEAD
                 "void main() { gl_Position = vec4(float(gl_VertexID) * 4.0 - 2.0, 0, 0, 1); }",
                 NULL, HEAD "layout(location = 0) out uint o; void main() { o = 1u; }", NULL);
    glLineWidth(4);
    glGenQueries(1, &query);
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glDrawArrays(GL_LINES, 0, 2);
    glEndQuery(GL_SAMPLES_PASSED);
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
    equal("a multisampled line has its width", samples, 4 * 4 * SIDE);
    glLineWidth(1);
}

/* ---- stores ---- */

static GLuint counter(void) {
    GLuint n;
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 4, &n);
    return n;
}

#define COUNTS(before)                                                                             \
    HEAD before "layout(std430, binding = 0) buffer B { uint count; };\n"                          \
                "void main() { atomicAdd(count, 1u); }"

/* A draw without a target runs its program for every pixel of the framebuffer's size. */
static void test_no_target(void) {
    static const GLuint zero;
    GLuint f, b;
    glGenBuffers(1, &b);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 4, &zero, GL_DYNAMIC_COPY);
    glGenFramebuffers(1, &f);
    glBindFramebuffer(GL_FRAMEBUFFER, f);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH, 50);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, 30);
    glViewport(0, 0, SIDE, SIDE);
    make_program(WHOLE, NULL, COUNTS(""), NULL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    equal("a draw without a target has the framebuffer's pixels", counter(), 50 * 30);
}

/* A program that stores also runs for fragments that fail the depth test, unless it asks for early
 * tests. */
static void test_early_tests(void) {
    static const GLuint zero;
    GLuint depth;
    make_targets();
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glClearBufferfv(GL_DEPTH, 0, &(const GLfloat){0.25f}); /* in front of the drawn triangle */
    glEnable(GL_DEPTH_TEST);
    for (int early = 0; early < 2; early++) {
        make_program(WHOLE, NULL, early ? COUNTS("layout(early_fragment_tests) in;\n") : COUNTS(""),
                     NULL);
        glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, 4, &zero);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        equal(early ? "a program with early tests stores for fragments that pass"
                    : "a program without early tests stores for all fragments",
              counter(), early ? 0 : PIXELS);
    }
    glDisable(GL_DEPTH_TEST);
}
