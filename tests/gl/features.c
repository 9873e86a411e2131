/* What OpenGL 3.3 has beside shaders, feature by feature on one driver, and two drivers' results
 * compared. features run OUT RENDERER [NAME]       every check (or one), its pixels and counters
 * into OUT features compare REFERENCE TRIED [-v]  a verdict per check Each check has a context of
 * its own and leaves records (corpus_records.h).
 */
#include "features_draw.h"

/* ---- points, lines, polygon modes ---- */

static void points(void) {
    static const float sizes[] = {1, 2, 3, 4.5f, 7, 16, 31};
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(mesh_vertex,
                HEAD "in vec4 c; out vec4 o; void main() { o = vec4(gl_PointCoord, c.x, 1.0); }");
    static const float at[][2] = {
        {-0.7f, -0.63f}, {0.13f, -0.57f}, {-0.33f, 0.39f}, {0.61f, 0.41f}};
    bind_positions(at, 4);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char part[32];
        snprintf(part, sizeof part, "size %g", sizes[i]);
        glClear(GL_COLOR_BUFFER_BIT);
        glPointSize(sizes[i]);
        glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, i & 1 ? GL_LOWER_LEFT : GL_UPPER_LEFT);
        glDrawArrays(GL_POINTS, 0, 4);
        record_bytes(part, SIZE, SIZE);
    }
}

static void star(float position[24][2]) {
    for (int i = 0; i < 24; i++) {
        const float turn = 6.2831853f * (float)(i / 2) / 12 + 0.05f, r = i & 1 ? 0.93f : 0.11f;
        position[i][0] = r * cosf(turn) + 0.003f;
        position[i][1] = r * sinf(turn) - 0.004f;
    }
}

static void lines(void) {
    static const struct {
        GLenum mode;
        float width;
        const char *name;
    } kinds[] = {{GL_LINES, 1, "lines"},
                 {GL_LINES, 3, "lines 3 wide"},
                 {GL_LINES, 6, "lines 6 wide"},
                 {GL_LINE_STRIP, 1, "strip"},
                 {GL_LINE_LOOP, 2, "loop"}};
    float position[24][2];
    star(position);
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    bind_positions((const float(*)[2])position, 24);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glLineWidth(kinds[i].width);
        glDrawArrays(kinds[i].mode, 0, 24);
        record_bytes(kinds[i].name, SIZE, SIZE);
    }
}

static void polygon_modes(void) {
    static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
    static const char *const names[] = {"fill", "line", "point"};
    target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
    glEnable(GL_DEPTH_TEST);
    glPointSize(3);
    for (int mode = 0; mode < 3; mode++) {
        for (int cull = 0; cull < 3; cull++) {
            char part[32];
            snprintf(part, sizeof part, "%s cull %d", names[mode], cull);
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            glPolygonMode(GL_FRONT_AND_BACK, modes[mode]);
            enable(GL_CULL_FACE, cull != 0);
            glCullFace(cull == 2 ? GL_FRONT : GL_BACK);
            glFrontFace(mode == 1 ? GL_CW : GL_CCW);
            glDrawArrays(GL_TRIANGLES, 0, count);
            record_bytes(part, SIZE, SIZE);
        }
    }
}

static void polygon_offset(void) {
    target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
    glEnable(GL_DEPTH_TEST);
    glDrawArrays(GL_TRIANGLES, 0, count);
    glDepthFunc(GL_LESS);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1, -3);
    use_program(mesh_vertex, HEAD "in vec4 c; out vec4 o; void main() { o = c.zyxw; }");
    glDrawArrays(GL_TRIANGLES, 0, count / 2);
    record_bytes("nearer", SIZE, SIZE);
    glPolygonOffset(1, 3);
    use_program(mesh_vertex, HEAD "in vec4 c; out vec4 o; void main() { o = vec4(1.0); }");
    glDrawArrays(GL_TRIANGLES, 0, count);
    record_bytes("farther", SIZE, SIZE);
}

/* ---- queries ---- */

static GLint query_result(GLuint query) {
    GLint result = -1;
    glGetQueryObjectiv(query, GL_QUERY_RESULT, &result);
    return result;
}

static void queries(void) {
    static const GLenum targets[] = {GL_SAMPLES_PASSED, GL_PRIMITIVES_GENERATED,
                                     GL_ANY_SAMPLES_PASSED};
    GLuint query[4];
    GLint results[12];
    int count = 0;
    target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    use_program(quad_vertex, HEAD
                "in vec2 uv; out vec4 o; void main() { if (uv.x < 0.25) discard; o = vec4(1.0); }");
    glGenQueries(4, query);
    glEnable(GL_DEPTH_TEST);
    for (int round = 0; round < 3; round++) {
        glDepthFunc(round == 1 ? GL_NEVER : GL_LEQUAL);
        for (int kind = 0; kind < 2; kind++) { /* the two that count samples exclude each other */
            for (int i = kind; i < 2 + kind; i++)
                glBeginQuery(targets[i], query[kind * 2 + i - kind]);
            for (int i = 0; i <= round; i++)
                draw_quad();
            for (int i = kind; i < 2 + kind; i++)
                glEndQuery(targets[i]);
        }
        for (int i = 0; i < 4; i++)
            results[count++] = query_result(query[i]);
    }
    record_integers("results", results, count);
}

static void timestamps(void) {
    GLuint query[3];
    GLuint64 start = 0, end = 0, elapsed = 0;
    GLint64 now = 0;
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(quad_vertex, HEAD "out vec4 o; void main() { o = vec4(1.0); }");
    glGenQueries(3, query);
    glQueryCounter(query[0], GL_TIMESTAMP);
    glBeginQuery(GL_TIME_ELAPSED, query[1]);
    draw_quad();
    glEndQuery(GL_TIME_ELAPSED);
    glQueryCounter(query[2], GL_TIMESTAMP);
    glGetQueryObjectui64v(query[0], GL_QUERY_RESULT, &start);
    glGetQueryObjectui64v(query[1], GL_QUERY_RESULT, &elapsed);
    glGetQueryObjectui64v(query[2], GL_QUERY_RESULT, &end);
    glGetInteger64v(GL_TIMESTAMP, &now);
    record_integers("plausible",
                    (GLint[]){start > 0, end >= start, elapsed <= end - start, now >= (GLint64)end},
                    4);
}

static void conditional_render(void) {
    GLuint query[2];
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(quad_vertex, HEAD
                "in vec2 uv; uniform float x; out vec4 o; void main() { o = vec4(uv, x, 1.0); }");
    glGenQueries(2, query);
    for (int i = 0; i < 2; i++) {
        glScissor(0, 0, i ? 10 : 0, 10);
        glEnable(GL_SCISSOR_TEST);
        glBeginQuery(GL_SAMPLES_PASSED, query[i]);
        draw_quad();
        glEndQuery(GL_SAMPLES_PASSED);
    }
    for (int i = 0; i < 2; i++) {
        glScissor(32 * i, 20, 30, 30);
        set_float("x", (float)i);
        glBeginConditionalRender(query[i], i ? GL_QUERY_WAIT : GL_QUERY_BY_REGION_WAIT);
        draw_quad();
        glEndConditionalRender();
    }
    record_bytes("drawn", SIZE, SIZE);
}

/* ---- vertices ---- */

static void feedback(void) {
    static const char *const names[] = {"c", "gl_Position"};
    const struct stage_text stages[] = {{GL_VERTEX_SHADER, mesh_vertex},
                                        {GL_FRAGMENT_SHADER, mesh_fragment}};
    static const GLenum modes[][2] = {
        {GL_TRIANGLES, GL_TRIANGLES},    {GL_TRIANGLE_STRIP, GL_TRIANGLES},
        {GL_TRIANGLE_FAN, GL_TRIANGLES}, {GL_LINE_LOOP, GL_LINES},
        {GL_LINE_STRIP, GL_LINES},       {GL_POINTS, GL_POINTS}};
    static float data[2048];
    char why[500];
    GLuint buffer, query;
    target(GL_RGBA8, 0, 0, SIZE);
    glUseProgram(link_program(stages, 2, names, 2, GL_INTERLEAVED_ATTRIBS, why, sizeof why));
    bind_mesh(GL_TRIANGLES);
    glGenBuffers(1, &buffer);
    glGenQueries(1, &query);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char part[32];
        memset(data, 0, sizeof data);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof data, data, GL_STREAM_READ);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 64, i & 1 ? 640 : 4096);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
        glBeginTransformFeedback(modes[i][1]);
        glDrawArrays(modes[i][0], 3, 7);
        glDrawArrays(modes[i][0], 20, 5);
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof data, data);
        snprintf(part, sizeof part, "mode %x", modes[i][0]);
        write_record(records, feature, part, RECORD_FLOATS, 1, 8, data, sizeof data);
        snprintf(part, sizeof part, "written %x", modes[i][0]);
        record_integers(part, (GLint[]){query_result(query)}, 1);
    }
}

static void provoking_vertex(void) {
    static const char *const vertex = HEAD "layout(location = 0) in vec4 position; layout(location "
                                           "= 1) in vec4 colour; flat out vec4 c;"
                                           "void main() { c = colour; gl_Position = position; }";
    static const char *const fragment = HEAD "flat in vec4 c; out vec4 o; void main() { o = c; }";
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_STRIP,
                                   GL_LINE_LOOP};
    float position[24][2];
    star(position);
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(vertex, fragment);
    bind_positions((const float(*)[2])position, 24);
    glLineWidth(3);
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        char part[32];
        snprintf(part, sizeof part, "mode %x %s", modes[i / 2], i & 1 ? "first" : "last");
        glClear(GL_COLOR_BUFFER_BIT);
        glProvokingVertex(i & 1 ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
        glDrawArrays(modes[i / 2], 1, 15);
        record_bytes(part, SIZE, SIZE);
    }
}

static void instancing(void) {
    static const char *const vertex =
        HEAD "layout(location = 0) in vec4 position; layout(location = 1) in vec4 colour; "
             "layout(location = 2) in vec4 move;"
             "out vec4 c; void main() { c = vec4(colour.xy, float(gl_InstanceID) / 8.0, 1.0);"
             "gl_Position = vec4(position.xy * 0.2 + move.xy, 0.0, 1.0); }";
    static const float corner[][2] = {{-1, -1}, {1, -1}, {-0.8f, 1}};
    float moves[8][2];
    GLuint buffer;
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(vertex, mesh_fragment);
    bind_positions(corner, 3);
    for (int i = 0; i < 8; i++) {
        moves[i][0] = -0.77f + 0.5f * (float)(i & 3);
        moves[i][1] = -0.41f + 0.77f * (float)(i >> 2);
    }
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof moves, moves, GL_STATIC_DRAW);
    glEnableVertexAttribArray(2);
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    for (GLuint divisor = 1; divisor < 4; divisor++) {
        char part[32];
        snprintf(part, sizeof part, "divisor %u", divisor);
        glClear(GL_COLOR_BUFFER_BIT);
        glVertexAttribDivisor(2, divisor);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 8);
        record_bytes(part, SIZE, SIZE);
    }
}

static void indices(void) {
    static const uint8_t bytes[] = {0, 1, 2, 0xff, 3, 4, 5, 6, 0xff, 0xff, 7, 8, 9, 10, 11};
    static const GLenum types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
    static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_LOOP};
    float position[24][2];
    GLuint buffer;
    star(position);
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    bind_positions((const float(*)[2])position, 24);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glEnable(GL_PRIMITIVE_RESTART);
    for (int i = 0; i < 9; i++) {
        uint8_t data[64] = {0};
        char part[32];
        const int size = 1 << i / 3;
        for (int k = 0; k < 15; k++) {
            const uint32_t index = bytes[k] == 0xff ? UINT32_MAX : bytes[k];
            memcpy(data + k * size, &index, (size_t)size);
        }
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof data, data, GL_STREAM_DRAW);
        glPrimitiveRestartIndex(size == 4 ? UINT32_MAX : (1u << 8 * size) - 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawElementsBaseVertex(modes[i % 3], 15, types[i / 3], NULL, i / 3 * 5);
        snprintf(part, sizeof part, "%d bytes, mode %x", size, modes[i % 3]);
        record_bytes(part, SIZE, SIZE);
    }
}

/* Attribute formats, through the vertex stage to a capture-free picture: one pixel wide bars of c.
 */
static void vertex_formats(void) {
    static const struct {
        GLenum type;
        GLint size;
        GLboolean normalized;
    } formats[] = {{GL_BYTE, 4, 1},
                   {GL_BYTE, 3, 0},
                   {GL_UNSIGNED_BYTE, 4, 1},
                   {GL_UNSIGNED_BYTE, GL_BGRA, 1},
                   {GL_UNSIGNED_BYTE, 2, 0},
                   {GL_SHORT, 2, 1},
                   {GL_SHORT, 3, 0},
                   {GL_UNSIGNED_SHORT, 4, 1},
                   {GL_UNSIGNED_SHORT, 1, 0},
                   {GL_INT, 2, 0},
                   {GL_UNSIGNED_INT, 4, 1},
                   {GL_HALF_FLOAT, 4, 0},
                   {GL_HALF_FLOAT, 3, 0},
                   {GL_FLOAT, 1, 0},
                   {GL_FLOAT, 3, 0},
                   {GL_INT_2_10_10_10_REV, 4, 1},
                   {GL_INT_2_10_10_10_REV, 4, 0},
                   {GL_UNSIGNED_INT_2_10_10_10_REV, 4, 1},
                   {GL_UNSIGNED_INT_2_10_10_10_REV, GL_BGRA, 1}};
    static const char *const vertex =
        HEAD "layout(location = 0) in vec4 a; out vec4 c;"
             "void main() { c = a; gl_Position = vec4(float(gl_VertexID) / 8.0 - 0.9375, 0.0, 0.0, "
             "1.0); }";
    uint32_t data[16 * 4];
    GLuint buffer;
    target(GL_RGBA32F, 0, 0, 16);
    use_program(vertex, mesh_fragment);
    for (uint32_t i = 0; i < 64;
         i++) /* exponents that are neither of infinities nor of denormals in any format */
        data[i] =
            ((uint32_t)(hash_float(i, 3) * 65536) << 16 | (uint32_t)(hash_float(i, 4) * 65536)) &
            0xbfffbfff;
    for (uint32_t i = 0; i < 64; i++)
        data[i] |= 0x30003000;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char part[48];
        glClear(GL_COLOR_BUFFER_BIT);
        glVertexAttribPointer(0, formats[i].size, formats[i].type, formats[i].normalized, 16, NULL);
        glDrawArrays(GL_POINTS, 0, 16);
        snprintf(part, sizeof part, "type %x size %x%s", formats[i].type, formats[i].size,
                 formats[i].normalized ? " normalized" : "");
        record_floats(part, 16, 16);
    }
}

static void uniform_blocks(void) {
    static const char *const fragment =
        HEAD "in vec2 uv; out vec4 o; layout(std140) uniform A { vec4 a[4]; float s; }; "
             "layout(std140) uniform B { mat3 m; ivec2 i; };"
             "void main() { o = a[int(uv.x * 4.0)] * s + vec4(m * vec3(uv, 1.0), float(i.y)); }";
    float values[256];
    GLuint buffer;
    GLint align = 256;
    target(GL_RGBA32F, 0, 0, SIZE);
    const GLuint program = use_program(quad_vertex, fragment);
    for (uint32_t i = 0; i < 256; i++)
        values[i] = hash_float(i, 9);
    memcpy(&values[64 + 13], &(int){5}, 4);
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_UNIFORM_BUFFER, buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "A"), 3);
    glUniformBlockBinding(program, glGetUniformBlockIndex(program, "B"), 5);
    glBindBufferRange(GL_UNIFORM_BUFFER, 3, buffer, 512, 256);
    glBindBufferRange(GL_UNIFORM_BUFFER, 5, buffer, 256, 256);
    draw_quad();
    record_floats("two ranges", SIZE, SIZE);
    glBufferSubData(GL_UNIFORM_BUFFER, 512, 16, (float[]){9, 8, 7, 6});
    draw_quad();
    record_floats("after an update", SIZE, SIZE);
    record_integers("aligned", (GLint[]){256 % align}, 1);
}

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
        char part[32];
        snprintf(part, sizeof part, "%u planes", i + 1);
        glEnable(GL_CLIP_DISTANCE0 + i);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, count);
        record_bytes(part, SIZE, SIZE);
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
        char part[32];
        snprintf(part, sizeof part, "pass %d", i);
        set_float("x", (float)i / 3);
        glDepthFunc(functions[i]);
        glDepthMask(i != 2);
        draw_quad();
        record_bytes(part, SIZE, SIZE);
    }
}

static void depth_formats(void) {
    static const GLenum formats[] = {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24,
                                     GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT32F};
    for (int i = 0; i < 4; i++) {
        static float depth[SIZE * SIZE];
        char part[32];
        target(GL_RGBA8, formats[i], 0, SIZE);
        use_program(mesh_vertex, mesh_fragment);
        const int count = bind_mesh(GL_TRIANGLES);
        glEnable(GL_DEPTH_TEST);
        glDepthRange(0.1, 0.8);
        glDrawArrays(GL_TRIANGLES, 0, count);
        glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, depth);
        snprintf(part, sizeof part, "depth %x", formats[i]);
        write_record(records, feature, part, RECORD_FLOATS, 1, SIZE, depth, sizeof depth);
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
    glEnablei(GL_BLEND, 0); /* below chip 0xa3 the driver takes the functions of target 0 for all */
    glEnablei(GL_BLEND, 1);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    draw_quad();
    for (GLenum i = 0; i < 4; i++) {
        char part[32];
        snprintf(part, sizeof part, "target %u", i);
        glReadBuffer(all[i]);
        record_floats(part, SIZE, SIZE);
    }
}

static void blending(void) {
    static const GLenum factors[] = {GL_ZERO,
                                     GL_ONE,
                                     GL_SRC_COLOR,
                                     GL_ONE_MINUS_SRC_COLOR,
                                     GL_DST_COLOR,
                                     GL_ONE_MINUS_DST_COLOR,
                                     GL_SRC_ALPHA,
                                     GL_ONE_MINUS_SRC_ALPHA,
                                     GL_DST_ALPHA,
                                     GL_ONE_MINUS_DST_ALPHA,
                                     GL_CONSTANT_COLOR,
                                     GL_ONE_MINUS_CONSTANT_COLOR,
                                     GL_CONSTANT_ALPHA,
                                     GL_ONE_MINUS_CONSTANT_ALPHA,
                                     GL_SRC_ALPHA_SATURATE};
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
            char part[48];
            glDisable(GL_BLEND);
            glViewport(0, 0, 75, 75);
            draw_quad();
            glEnable(GL_BLEND);
            for (int i = 0; i < 15; i++) { /* every factor in every place, across the equations */
                glViewport(i * 5, 0, 5, 75);
                glBlendEquationSeparate(equations[e], equations[(e + i) % 5]);
                glBlendFuncSeparate(factors[i], factors[(i * 4 + e) % 15],
                                    factors[(i + 3 * e) % 15], factors[14 - i]);
                draw_quad();
            }
            snprintf(part, sizeof part, "format %x equation %x", formats[f], equations[e]);
            record_floats(part, 75, 75);
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
    target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_DEPTH_TEST);
    for (int i = 0; i < 8; i++) {
        char part[32];
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
        snprintf(part, sizeof part, "colour %d", i);
        record_bytes(part, SIZE, SIZE);
        glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, values);
        snprintf(part, sizeof part, "stencil %d", i);
        write_record(records, feature, part, RECORD_BYTES, 1, SIZE, values, sizeof values);
    }
}

static void scissor_and_masks(void) {
    target(GL_RGBA8, GL_DEPTH24_STENCIL8, 0, SIZE);
    use_program(mesh_vertex, mesh_fragment);
    const int count = bind_mesh(GL_TRIANGLES);
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
        char part[32];
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
        snprintf(part, sizeof part, "resolved from %d", samples);
        record_bytes(part, SIZE, SIZE);
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
        char part[32];
        target(formats[i], 0, 0, 32);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue;
        use_program(quad_vertex,
                    HEAD "in vec2 uv; out vec4 o; void main() { o = vec4(uv, uv.x * uv.y, 0.8); }");
        glViewport(0, 0, 29, 31);
        draw_quad();
        snprintf(part, sizeof part, "format %x", formats[i]);
        record_floats(part, 32, 32);
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
        char part[32];
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
        snprintf(part, sizeof part, "format %x", formats[i].format);
        write_record(records, feature, part, RECORD_INTEGERS, 4, 32, values, sizeof values);
    }
}

/* Layers chosen by a geometry program, of each kind of layered texture; then each layer read alone.
 */
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
            char part[32];
            if (t == GL_TEXTURE_CUBE_MAP)
                glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                       GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)l, texture, 0);
            else
                glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, l);
            snprintf(part, sizeof part, "%s %d", kinds[k].name, l);
            record_bytes(part, 32, t == GL_TEXTURE_1D_ARRAY ? 1 : 32);
        }
    }
}

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
            char part[48];
            const GLint *a = kinds[i].from, *b = kinds[i].to;
            glBindFramebuffer(GL_FRAMEBUFFER, drawn);
            glClear(GL_COLOR_BUFFER_BIT);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
            glBlitFramebuffer(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], GL_COLOR_BUFFER_BIT,
                              kinds[i].filter);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
            snprintf(part, sizeof part, "%zu %s", f, kinds[i].name);
            record_floats(part, SIZE, SIZE);
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
        char part[32];
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
        snprintf(part, sizeof part, "depth %u", what);
        write_record(records, feature, part, RECORD_FLOATS, 1, SIZE, depth, sizeof depth);
        snprintf(part, sizeof part, "stencil %u", what);
        write_record(records, feature, part, RECORD_BYTES, 1, SIZE, codes, sizeof codes);
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
        for (int level = 1; level < 7; level += 2) {
            char part[32];
            snprintf(part, sizeof part, "format %x level %d", formats[f], level);
            show_texture((float)level, part);
        }
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
        char part[32];
        snprintf(part, sizeof part, "format %x levels 1 to 3", formats[f]);
        show_texture(5, part);
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
        char part[48];
        memset(pixels, 0, sizeof pixels);
        glPixelStorei(GL_PACK_ALIGNMENT, i & 1 ? 1 : 4);
        glPixelStorei(GL_PACK_ROW_LENGTH, i & 2 ? 70 : 0);
        glPixelStorei(GL_PACK_SKIP_ROWS, i & 1 ? 3 : 0);
        glReadPixels(3, 5, 57, 51, formats[i].format, formats[i].type, pixels);
        snprintf(part, sizeof part, "format %x type %x", formats[i].format, formats[i].type);
        write_record(records, feature, part, RECORD_BYTES, 1, 64, pixels, sizeof pixels);
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
        char part[32];
        target(GL_RGBA32F, 0, 0, SIZE);
        texture_2d(formats[f], 37, 23, GL_NEAREST);
        use_program(quad_vertex, texture_fragment);
        glViewport(0, 0, 37, 23);
        draw_quad();
        snprintf(part, sizeof part, "format %x", formats[f]);
        record_floats(part, SIZE, SIZE);
    }
}

static void wraps_and_filters(void) {
    static const GLint wraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE,
                                  GL_CLAMP_TO_BORDER};
    static const char *const fragment = HEAD "in vec2 uv; out vec4 o; uniform sampler2D t; void "
                                             "main() { o = texture(t, uv * 4.1 - 1.37); }";
    for (int i = 0; i < 8; i++) {
        char part[32];
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
        snprintf(part, sizeof part, "%s %d", i & 1 ? "linear" : "nearest", i / 2);
        record_bytes(part, SIZE, SIZE);
    }
}

static void sample_coverage(void) {
    for (int i = 0; i < 3; i++) {
        char part[32];
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
        snprintf(part, sizeof part, "%s",
                 i == 0   ? "alpha to coverage"
                 : i == 1 ? "coverage"
                          : "mask");
        record_bytes(part, SIZE, SIZE);
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

/* Samples of the triangle v (in pixels) that are covered although the driver's word on where samples
 * are says otherwise, or the other way round. Those within `near` of an edge do not count. */
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

/* Where samples are covered is where they are said to be. */
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
            glBindFramebuffer(GL_FRAMEBUFFER, many); /* positions are those of the bound one */
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

/* ---- the checks ---- */

static const struct {
    const char *name;
    void (*run)(void);
} features[] = {
    {"points", points},
    {"lines", lines},
    {"polygon_modes", polygon_modes},
    {"polygon_offset", polygon_offset},
    {"queries", queries},
    {"timestamps", timestamps},
    {"conditional_render", conditional_render},
    {"feedback", feedback},
    {"provoking_vertex", provoking_vertex},
    {"instancing", instancing},
    {"indices", indices},
    {"vertex_formats", vertex_formats},
    {"uniform_blocks", uniform_blocks},
    {"derivatives", derivatives},
    {"clip_distances", clip_distances},
    {"fragment_depth", fragment_depth},
    {"depth_formats", depth_formats},
    {"draw_buffers", draw_buffers},
    {"blending", blending},
    {"logic_ops", logic_ops},
    {"stencil", stencil},
    {"scissor_and_masks", scissor_and_masks},
    {"multisample", multisample},
    {"srgb_targets", srgb_targets},
    {"target_formats", target_formats},
    {"integer_targets", integer_targets},
    {"layered", layered},
    {"blits", blits},
    {"depth_blits", depth_blits},
    {"copy_to_texture", copy_to_texture},
    {"mipmaps", mipmaps},
    {"read_formats", read_formats},
    {"compressed", compressed},
    {"texture_formats", texture_formats},
    {"wraps_and_filters", wraps_and_filters},
    {"sample_coverage", sample_coverage},
    {"multisample_fetch", multisample_fetch},
    {"sample_positions", sample_positions},
};

static int run(const char *out, const char *renderer, const char *only) {
    if (!(records = fopen(out, "wb")))
        give_up(EXIT_FAILURE, "cannot write %s", out);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        feature = features[i].name;
        if (only && strcmp(only, feature) != 0)
            continue;
        create_context(renderer);
        features[i].run();
        const GLenum error = glGetError();
        if (error != GL_NO_ERROR) {
            char why[40];
            snprintf(why, sizeof why, "GL error 0x%x", error);
            write_record(records, feature, "error", RECORD_ERROR, 0, 0, why, strlen(why));
        }
    }
    return fclose(records) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Wherever llvmpipe and teslapipe differ by more than rounding, the reason; the first row that fits
 * counts. */
static const struct tolerance tolerances[] = {
    {"lines", "lines 6", 15.0 / 255, 0, 0.01,
     "llvmpipe repeats values over the width, and tests the diamond of the line itself where the"
     " width is even (OpenGL 3.3, 3.5.2: that of the line moved by (width - 1) / 2)"},
    {"lines", "loop", 5.5 / 255, 0, 0.003, "as for 6"},
    {"lines", NULL, 7.5 / 255, 0, 0,
     "the same pixels; llvmpipe takes values by columns, not at the foot of the pixel centre"},
    {"provoking_vertex", "mode 2", 2.5 / 255, 0, 0.001,
     "two pixels at a joint of a loop 3 wide"},
    {"polygon_modes", "point", 2.5 / 255, 0, 0.02,
     "where an edge leaves the clip volume llvmpipe draws one more point"},
    {"multisample", "resolved from 4", 2.5 / 255, 0, 0.01, "the same four positions"},
    {"multisample", NULL, 0.3, 0, 0.02, "llvmpipe has four samples, always: edges differ"},
    {"sample_coverage", "alpha", 0.27, 0, 0.01,
     "which samples an alpha covers is the implementation's choice"},
    {"target_formats", "format 8c3a", 1.0 / 64, 0, 0.01,
     "llvmpipe truncates to 11 and 10 bit floats"},
    {"target_formats", "format 8057", 1.1 / 31, 0, 0.01, "llvmpipe truncates to 5 bits"},
    {"target_formats", "format 8056", 1.1 / 15, 0, 0.01, "the driver has 8 bits for 4"},
    {"texture_formats", "format 8056", 1.1 / 15, 0, 0.01, "the driver has 8 bits for 4"},
    {"blits", "3", 1.1 / 31, 0, 0.02, "llvmpipe truncates to 5 bits"},
    {"blits", NULL, 2.5 / 255, 1e-3, 0.02, "nearest texels at ties"},
    {"mipmaps", NULL, 5.5 / 255, 0, 0.01, "halving odd sizes is the implementation's choice"},
    {NULL, NULL, 2.5 / 255, 1e-3, 0.01, "8 bits rounded in other places; pixels on edges"},
};

int main(int argc, char **argv) {
    if (argc >= 4 && strcmp(argv[1], "run") == 0)
        return run(argv[2], argv[3], argv[4]);
    if (argc >= 4 && strcmp(argv[1], "compare") == 0)
        return compare_runs(argv[2], argv[3], tolerances, argc > 4 && strcmp(argv[4], "-v") == 0);
    fprintf(stderr,
            "usage: features run OUT RENDERER [NAME] | features compare REFERENCE TRIED [-v]\n");
    return 2;
}
