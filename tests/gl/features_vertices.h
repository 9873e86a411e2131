/* Features of OpenGL before the fragments: points, lines, polygon modes, queries, vertices and
 * instances. Each function is a check of features.c. */
#ifndef TESTS_GL_FEATURES_VERTICES_H
#define TESTS_GL_FEATURES_VERTICES_H

#include "features_draw.h"

/* ---- points, lines, polygon modes ---- */

/* Draws four points of each size. `fragment` computes the fragments' colour. */
static void draw_points(const char *fragment) {
    static const float sizes[] = {1, 2, 3, 4.5f, 7, 16, 31};
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(mesh_vertex, fragment);
    static const float at[][2] = {
        {-0.7f, -0.63f}, {0.13f, -0.57f}, {-0.33f, 0.39f}, {0.61f, 0.41f}};
    bind_positions(at, 4);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glPointSize(sizes[i]);
        glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, i & 1 ? GL_LOWER_LEFT : GL_UPPER_LEFT);
        glDrawArrays(GL_POINTS, 0, 4);
        record_bytes(named("size %g", sizes[i]), SIZE, SIZE);
    }
}

static void points(void) {
    draw_points(HEAD "in vec4 c; out vec4 o; void main() { o = vec4(1.0, 1.0, c.x, 1.0); }");
}

static void point_coordinates(void) {
    if (driver_fault("gl_PointCoord")) {
        skip_feature(driver_fault("gl_PointCoord"));
        return;
    }
    draw_points(HEAD "in vec4 c; out vec4 o; void main() { o = vec4(gl_PointCoord, c.x, 1.0); }");
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
    const int count = mesh_target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    glEnable(GL_DEPTH_TEST);
    glPointSize(3);
    for (int mode = 0; mode < 3; mode++) {
        for (int cull = 0; cull < 3; cull++) {
            glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
            glPolygonMode(GL_FRONT_AND_BACK, modes[mode]);
            enable(GL_CULL_FACE, cull != 0);
            glCullFace(cull == 2 ? GL_FRONT : GL_BACK);
            glFrontFace(mode == 1 ? GL_CW : GL_CCW);
            glDrawArrays(GL_TRIANGLES, 0, count);
            record_bytes(named("%s cull %d", names[mode], cull), SIZE, SIZE);
        }
    }
}

static void polygon_offset(void) {
    const int count = mesh_target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
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
    static const GLenum targets[] = {GL_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED};
    GLuint query[2];
    GLint results[6];
    int count = 0;
    target(GL_RGBA8, GL_DEPTH_COMPONENT24, 0, SIZE);
    use_program(quad_vertex, HEAD
                "in vec2 uv; out vec4 o; void main() { if (uv.x < 0.25) discard; o = vec4(1.0); }");
    glGenQueries(2, query);
    glEnable(GL_DEPTH_TEST);
    for (int round = 0; round < 3; round++) {
        glDepthFunc(round == 1 ? GL_NEVER : GL_LEQUAL);
        /* the two kinds of sample queries exclude each other */
        for (int kind = 0; kind < 2; kind++) {
            glBeginQuery(targets[kind], query[kind]);
            for (int i = 0; i <= round; i++)
                draw_quad();
            glEndQuery(targets[kind]);
        }
        for (int i = 0; i < 2; i++)
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
    GLuint buffer, query[2];
    target(GL_RGBA8, 0, 0, SIZE);
    glUseProgram(link_program(stages, 2, names, 2, GL_INTERLEAVED_ATTRIBS, why, sizeof why));
    bind_mesh(GL_TRIANGLES);
    glGenBuffers(1, &buffer);
    glGenQueries(2, query);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        memset(data, 0, sizeof data);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof data, data, GL_STREAM_READ);
        glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 64, i & 1 ? 640 : 4096);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query[0]);
        glBeginQuery(GL_PRIMITIVES_GENERATED, query[1]);
        glBeginTransformFeedback(modes[i][1]);
        glDrawArrays(modes[i][0], 3, 7);
        glDrawArrays(modes[i][0], 20, 5);
        glEndTransformFeedback();
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        glEndQuery(GL_PRIMITIVES_GENERATED);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof data, data);
        write_record(records, feature, named("mode %x", modes[i][0]), RECORD_FLOATS, 1, 8, data,
                     sizeof data);
        record_integers(named("written %x", modes[i][0]),
                        (GLint[]){query_result(query[0]), query_result(query[1])}, 2);
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
        glClear(GL_COLOR_BUFFER_BIT);
        glProvokingVertex(i & 1 ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
        glDrawArrays(modes[i / 2], 1, 15);
        record_bytes(named("mode %x %s", modes[i / 2], i & 1 ? "first" : "last"), SIZE, SIZE);
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
    target(GL_RGBA8, 0, 0, SIZE);
    use_program(vertex, mesh_fragment);
    bind_positions(corner, 3);
    for (int i = 0; i < 8; i++) {
        moves[i][0] = -0.77f + 0.5f * (float)(i & 3);
        moves[i][1] = -0.41f + 0.77f * (float)(i >> 2);
    }
    filled_buffer(GL_ARRAY_BUFFER, sizeof moves, moves);
    glEnableVertexAttribArray(2);
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    for (GLuint divisor = 1; divisor < 4; divisor++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glVertexAttribDivisor(2, divisor);
        glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 8);
        record_bytes(named("divisor %u", divisor), SIZE, SIZE);
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
        const int size = 1 << i / 3;
        for (int k = 0; k < 15; k++) {
            const uint32_t index = bytes[k] == 0xff ? UINT32_MAX : bytes[k];
            memcpy(data + k * size, &index, (size_t)size);
        }
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof data, data, GL_STREAM_DRAW);
        glPrimitiveRestartIndex(size == 4 ? UINT32_MAX : (1u << 8 * size) - 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawElementsBaseVertex(modes[i % 3], 15, types[i / 3], NULL, i / 3 * 5);
        record_bytes(named("%d bytes, mode %x", size, modes[i % 3]), SIZE, SIZE);
    }
}

/* Attribute formats, shown in a picture: bars of colour c, one pixel wide. */
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
    target(GL_RGBA32F, 0, 0, 16);
    use_program(vertex, mesh_fragment);
    for (uint32_t i = 0; i < 64;
         i++) /* avoids exponents of infinities and denormals in every format */
        data[i] =
            ((uint32_t)(hash_float(i, 3) * 65536) << 16 | (uint32_t)(hash_float(i, 4) * 65536)) &
            0xbfffbfff;
    for (uint32_t i = 0; i < 64; i++)
        data[i] |= 0x30003000;
    filled_buffer(GL_ARRAY_BUFFER, sizeof data, data);
    glEnableVertexAttribArray(0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        glClear(GL_COLOR_BUFFER_BIT);
        glVertexAttribPointer(0, formats[i].size, formats[i].type, formats[i].normalized, 16, NULL);
        glDrawArrays(GL_POINTS, 0, 16);
        record_floats(named("type %x size %x%s", formats[i].type, formats[i].size,
                            formats[i].normalized ? " normalized" : ""),
                      16, 16);
    }
}

static void uniform_blocks(void) {
    static const char *const fragment =
        HEAD "in vec2 uv; out vec4 o; layout(std140) uniform A { vec4 a[4]; float s; }; "
             "layout(std140) uniform B { mat3 m; ivec2 i; };"
             "void main() { o = a[int(uv.x * 4.0)] * s + vec4(m * vec3(uv, 1.0), float(i.y)); }";
    float values[256];
    GLint align = 256;
    target(GL_RGBA32F, 0, 0, SIZE);
    const GLuint program = use_program(quad_vertex, fragment);
    for (uint32_t i = 0; i < 256; i++)
        values[i] = hash_float(i, 9);
    memcpy(&values[64 + 13], &(int){5}, 4);
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
    const GLuint buffer = filled_buffer(GL_UNIFORM_BUFFER, sizeof values, values);
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

#endif
