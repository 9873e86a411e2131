/* Vertex arrays: attributes of all types, sizes, strides, offsets and divisors, in buffers that end
 * with their last vertex, in the program's own memory, or constant; drawn with all kinds of draw
 * calls. Transform feedback captures what the vertex program gets. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, gl43 ? 4 : 3, EGL_CONTEXT_MINOR_VERSION, 3,       \
                      EGL_CONTEXT_OPENGL_PROFILE_MASK,                                             \
                      EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT, EGL_NONE})
#include "calls.h"

enum { ATTRIBUTES = 6, VERTICES = 30, INDICES = 60, ROOM = 1 << 16, CAPTURED = 1 << 18 };
enum class { FLOAT, INT, UINT, DOUBLE };

static const struct type {
    GLenum name;
    int bytes, packed; /* packed: number of components in one word; 0: not packed */
} types[] = {{GL_BYTE, 1, 0},
             {GL_UNSIGNED_BYTE, 1, 0},
             {GL_SHORT, 2, 0},
             {GL_UNSIGNED_SHORT, 2, 0},
             {GL_INT, 4, 0},
             {GL_UNSIGNED_INT, 4, 0},
             {GL_FLOAT, 4, 0},
             {GL_HALF_FLOAT, 2, 0},
             {GL_DOUBLE, 8, 0},
             {GL_FIXED, 4, 0},
             {GL_INT_2_10_10_10_REV, 4, 4},
             {GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4},
             {GL_UNSIGNED_INT_10F_11F_11F_REV, 4, 3}};
enum { INTEGER_TYPES = 6 };

static const GLenum index_types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};

static enum class classes[ATTRIBUTES];
/* True if such an array is among the attributes. The driver converts arrays that the hardware does
 * not read. */
static bool converted, own_memory, fixed_points;
static bool converted_before; /* the draw before had such an array */
static GLuint buffers[ATTRIBUTES], elements, commands, captured, queries[2];
static uint8_t memory[ATTRIBUTES][ROOM], indices[INDICES * 4];

/* A double takes two locations, so each attribute has two. */
static GLuint location(int i) {
    return (GLuint)i * 2;
}

static GLuint make_program(void) {
    static const char *const names[] = {"vec4", "ivec4", "uvec4", "dvec2"};
    char source[2000];
    const char *captures[ATTRIBUTES + 1];
    static char outputs[ATTRIBUTES][4];
    int n = sprintf(source, "#version %d\n", gl43 ? 430 : 330);
    for (int i = 0; i < ATTRIBUTES; i++) {
        const char *const type = names[classes[i]];
        n += sprintf(source + n, "layout(location = %u) in %s a%d; flat out %s o%d;\n", location(i),
                     type, i, type, i);
        sprintf(outputs[i], "o%d", i);
        captures[i] = outputs[i];
    }
    captures[ATTRIBUTES] = "id";
    n += sprintf(source + n, "flat out ivec2 id;\nvoid main() { gl_Position = vec4(0);\n"
                             "id = ivec2(gl_VertexID, gl_InstanceID);\n");
    for (int i = 0; i < ATTRIBUTES; i++)
        n += sprintf(source + n, "o%d = a%d;", i, i);
    strcpy(source + n, "}");
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER, source);
    glTransformFeedbackVaryings(p, ATTRIBUTES + 1, captures, GL_INTERLEAVED_ATTRIBS);
    link_program(p, NULL);
    return p;
}

static void constant(int i) {
    const GLuint at = location(i);
    glDisableVertexAttribArray(at);
    const int x = below(200) - 100, way = below(4);
    text("attribute %d: constant %d, call %d", i, x, way);
    if (classes[i] == INT)
        glVertexAttribI4i(at, x, 5, -x, 1 << 30);
    else if (classes[i] == UINT)
        glVertexAttribI4ui(at, (GLuint)x, 5, 1u << 31, 3);
    else if (classes[i] == DOUBLE)
        glVertexAttribL2d(at, x / 3.0, -x);
    else if (way == 0)
        glVertexAttrib4f(at, (float)x / 8, 1, -2, (float)x);
    else if (way == 1)
        glVertexAttrib4Nub(at, (GLubyte)x, 1, 255, 128);
    else if (way == 2)
        glVertexAttribP4ui(at, GL_UNSIGNED_INT_2_10_10_10_REV, seldom(2), (GLuint)x * 0x12345);
    else
        glVertexAttrib2s(at, (GLshort)x, 7);
}

/* Fills an array with random values, except values that llvmpipe reads wrong: it takes unsigned
 * values above INT_MAX for negative ones, and normalizes the least signed value of a few bits to
 * less than -1. */
static void fill(uint8_t *p, int bytes, const struct type *t, enum class c) {
    for (int i = 0; i < bytes; i += 4) {
        uint32_t word = random_word();
        const float f = real(-9, 9);
        if (t->name == GL_FLOAT && !seldom(8))
            memcpy(&word, &f, 4);
        if (t->name == GL_UNSIGNED_INT && c == FLOAT)
            word &= INT32_MAX;
        if (t->name == GL_BYTE && c == FLOAT)
            word |= 0x01010101;
        if (t->name == GL_INT_2_10_10_10_REV)
            word |= 1 | 1 << 10 | 1 << 20 | 1 << 30;
        memcpy(p + i, &word, 4);
    }
    const double d = 1.0 / 3;
    for (int i = 0; t->name == GL_DOUBLE && i + 8 <= bytes; i += 8) {
        const double v = d * real(-9, 9);
        memcpy(p + i, &v, 8);
    }
}

/* Sets an array up. The buffer ends with the array's last vertex. */
static void array(int i, int instances, int first_instance, bool client) {
    const GLuint at = location(i);
    const enum class c = classes[i];
    const struct type *t = c == DOUBLE  ? &types[8]
                           : c == FLOAT ? &PICK(types)
                                        : &types[below(INTEGER_TYPES)];
    int size = t->packed ? t->packed : between(1, c == DOUBLE ? 2 : 4);
    GLint format = size;
    bool normalized = seldom(2);
    if (c == FLOAT && seldom(3) && (t->name == GL_UNSIGNED_BYTE || t->packed == 4)) {
        format = GL_BGRA;
        normalized = true;
        size = 4;
    }
    const int bytes = t->packed ? 4 : t->bytes * size;
    const bool separate = !client && seldom(4);
    int divisor = seldom(4) ? between(1, 3) : 0, stride = bytes + between(0, 12);
    if (!seldom(4)) /* whole words */
        stride = (stride + 3) / 4 * 4;
    if (seldom(3))
        stride = 0;
    int offset = seldom(2) ? 4 * below(40) : 0;
    if (seldom(8))
        offset += below(4);
    if (t->packed || t->name == GL_UNSIGNED_INT) { /* fill() writes whole words */
        offset &= ~3;
        stride = (stride + 3) / 4 * 4;
    }
    const int step = stride || separate ? stride : bytes,
              last = divisor ? first_instance + (instances - 1) / divisor : VERTICES - 1;
    const int ends = offset + step * last + bytes;
    text("attribute %d: class %d type %x size %x normalized %d stride %d offset %d divisor %d%s", i,
         c, t->name, (unsigned)format, normalized, stride, offset, divisor,
         client     ? ", own memory"
         : separate ? ", separate"
                    : "");
    fill(memory[i], ends, t, c);
    glBindBuffer(GL_ARRAY_BUFFER, client ? 0 : buffers[i]);
    if (!client)
        glBufferData(GL_ARRAY_BUFFER, ends, memory[i], GL_STATIC_DRAW);
    const void *p = client ? memory[i] + offset : (const void *)(intptr_t)offset;
    if (separate) {
        const int inside = seldom(2) ? below(offset + 1) : 0; /* part of the offset */
        glBindVertexBuffer(at, buffers[i], offset - inside, stride);
        glVertexAttribBinding(at, at);
        glVertexBindingDivisor(at, (GLuint)divisor);
        if (c == DOUBLE)
            glVertexAttribLFormat(at, format, t->name, (GLuint)inside);
        else if (c == FLOAT)
            glVertexAttribFormat(at, format, t->name, normalized, (GLuint)inside);
        else
            glVertexAttribIFormat(at, format, t->name, (GLuint)inside);
    } else {
        if (c == DOUBLE)
            glVertexAttribLPointer(at, format, t->name, stride, p);
        else if (c == FLOAT)
            glVertexAttribPointer(at, format, t->name, normalized, stride, p);
        else
            glVertexAttribIPointer(at, format, t->name, stride, p);
        glVertexAttribDivisor(at, (GLuint)divisor);
    }
    glEnableVertexAttribArray(at);
    converted |= t->name == GL_DOUBLE || t->name == GL_FIXED || ((offset | stride) & 3) || client;
    own_memory |= client;
    fixed_points |= t->name == GL_FIXED;
}

static void put_index(int type, int i, uint32_t value) {
    memcpy(indices + (i << type), &value, (size_t)1 << type);
}

static bool is_multi(int call) {
    return call == 2 || call == 9 || call == 10 || call == 11 || call == 13;
}

/* Makes one draw, whose vertices are below VERTICES. */
static void draw(GLenum mode, int n, int first_instance) {
    const int type = below(3), count = between(1, INDICES / 2), base = below(8);
    int call = below(gl43 && !own_memory ? 14 : 11);
    if (gl43 && converted && is_multi(call)) /* docs/opengl.md has a fault of Fermi's driver */
        call = 3;
    const bool restart = seldom(3), fixed = restart && gl43 && seldom(3),
               client = !own_memory ? false : seldom(2);
    const uint32_t all = 0xffffffffu >> (32 - (8 << type)),
                   special = fixed || seldom(3) ? all : (uint32_t)below(12);
    for (int i = 0; i < INDICES; i++)
        put_index(type, i, restart && seldom(6) ? special : (uint32_t)below(VERTICES - base));
    (restart && !fixed ? glEnable : glDisable)(GL_PRIMITIVE_RESTART);
    if (gl43)
        (fixed ? glEnable : glDisable)(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    glPrimitiveRestartIndex(special);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, client && call < 11 ? 0 : elements);
    const int skipped = below(INDICES - count + 1), first = below(VERTICES - count + 1);
    text("draw %x: call %d type %d count %d first %d skipped %d base %d instances %d from %d%s",
         mode, call, type, count, first, skipped, base, n, first_instance,
         client ? ", own indices" : "");
    if (restart)
        text("  restart %u%s", special, fixed ? ", fixed" : "");
    if (!client)
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STREAM_DRAW);
    const uint8_t *const start = client ? indices : NULL;
    const void *p = start + (skipped << type);
    const GLenum t = index_types[type];
    const GLint firsts[] = {first, 0, VERTICES - count / 2}, bases[] = {base, 0, base / 2};
    const GLsizei counts[] = {count, 0, count / 2};
    const void *const pointers[] = {p, start, start + (below(9) << type)};
    const GLuint arrays[][4] = {{(GLuint)count, (GLuint)n, (GLuint)first, (GLuint)first_instance},
                                {3, 1, 2, 0}};
    const GLuint indexes[][5] = {
        {(GLuint)count, (GLuint)n, (GLuint)skipped, (GLuint)base, (GLuint)first_instance},
        {5, 1, 1, 1, 0}};
    if (gl43)
        glBindBuffer(GL_DRAW_INDIRECT_BUFFER, call >= 11 ? commands : 0);
    if (call >= 11)
        glBufferData(GL_DRAW_INDIRECT_BUFFER, call == 11 ? sizeof arrays : sizeof indexes,
                     call == 11 ? (const void *)arrays : indexes, GL_STREAM_DRAW);
    switch (call) {
    case 0:
        glDrawArrays(mode, first, count);
        break;
    case 1:
        glDrawArraysInstancedBaseInstance(mode, first, count, n, (GLuint)first_instance);
        break;
    case 2:
        glMultiDrawArrays(mode, firsts, counts, 3);
        break;
    case 3:
        glDrawElements(mode, count, t, p);
        break;
    case 4:
        glDrawElementsBaseVertex(mode, count, t, p, base);
        break;
    case 5:
        glDrawRangeElements(mode, 0, VERTICES - 1, count, t, p);
        break;
    case 6:
        glDrawElementsInstanced(mode, count, t, p, n);
        break;
    case 7:
        glDrawElementsInstancedBaseVertex(mode, count, t, p, n, base);
        break;
    case 8:
        glDrawElementsInstancedBaseVertexBaseInstance(mode, count, t, p, n, base,
                                                      (GLuint)first_instance);
        break;
    case 9:
        glMultiDrawElements(mode, counts, t, pointers, 3);
        break;
    case 10:
        glMultiDrawElementsBaseVertex(mode, counts, t, pointers, 3, bases);
        break;
    case 11:
        glMultiDrawArraysIndirect(mode, NULL, between(1, 2), 0);
        break;
    case 12:
        glDrawElementsIndirect(mode, t, NULL);
        break;
    case 13:
        glMultiDrawElementsIndirect(mode, t, NULL, between(1, 2), 20);
        break;
    }
}

/* Reports the captured vertices, an attribute at a time. */
static void report_captured(int n) {
    enum { VERTEX = 4 * ATTRIBUTES + 2 };
    static uint32_t words[CAPTURED / 4], column[CAPTURED / 4];
    glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, n * VERTEX * 4, words);
    for (int i = 0; i < ATTRIBUTES + 1; i++) {
        const int w = i < ATTRIBUTES ? 4 : 2;
        if (i == ATTRIBUTES && (converted || converted_before)) /* wrong ids: docs/opengl.md */
            break;
        for (int k = 0; k < n; k++)
            memcpy(column + k * w, words + k * VERTEX + i * 4, (size_t)w * 4);
        char name[24];
        sprintf(name, i < ATTRIBUTES ? "attribute %d" : "ids", i);
        const float near = fixed_points ? 2e-5f : 2e-6f; /* llvmpipe divides by 65535 */
        report(name, i < ATTRIBUTES && classes[i] == FLOAT ? near : -1, column, n * w);
    }
}

static void calls(uint32_t seed) {
    static const struct {
        GLenum mode, captured;
        int vertices;
    } modes[] = {{GL_POINTS, GL_POINTS, 1},         {GL_LINES, GL_LINES, 2},
                 {GL_LINE_STRIP, GL_LINES, 2},      {GL_LINE_LOOP, GL_LINES, 2},
                 {GL_TRIANGLES, GL_TRIANGLES, 3},   {GL_TRIANGLE_STRIP, GL_TRIANGLES, 3},
                 {GL_TRIANGLE_FAN, GL_TRIANGLES, 3}};
    (void)seed;
    if (!elements) {
        glGenBuffers(ATTRIBUTES, buffers);
        elements = name_of(glGenBuffers);
        commands = name_of(glGenBuffers);
        captured = name_of(glGenBuffers);
        glGenQueries(2, queries);
        glBindFramebuffer(GL_FRAMEBUFFER, name_of(glGenFramebuffers));
        glBindRenderbuffer(GL_RENDERBUFFER, name_of(glGenRenderbuffers));
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 8, 8);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 1);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, captured);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, CAPTURED, NULL, GL_STREAM_READ);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
        glEnable(GL_RASTERIZER_DISCARD);
    }
    for (int i = 0; i < ATTRIBUTES; i++)
        classes[i] = seldom(4) ? INT + below(gl43 ? 3 : 2) : FLOAT;
    const GLuint p = make_program();
    for (int k = between(1, 4); k > 0; k--) {
        const int m = seldom(2) ? 0 : below(SIZE(modes)), n = between(1, 4),
                  first_instance = seldom(2) ? below(3) : 0;
        const bool client = seldom(5);
        converted_before = converted;
        converted = own_memory = fixed_points = false;
        for (int i = 0; i < ATTRIBUTES; i++)
            seldom(8) && i ? constant(i) : array(i, n, first_instance, client && seldom(2));
        glBeginQuery(GL_PRIMITIVES_GENERATED, queries[0]);
        glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, queries[1]);
        glBeginTransformFeedback(modes[m].captured);
        draw(modes[m].mode, n, first_instance);
        glEndTransformFeedback();
        glEndQuery(GL_PRIMITIVES_GENERATED);
        glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
        GLuint counts[2];
        for (int i = 0; i < 2; i++)
            glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &counts[i]);
        report("primitives", -1, counts, 2);
        text("  %u primitives", counts[1]);
        report_captured((int)counts[1] * modes[m].vertices);
        report_errors();
        glDisable(GL_PRIMITIVE_RESTART); /* Tesla's driver needs such a draw to notice */
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, elements);
        glDrawElements(GL_POINTS, 1, GL_UNSIGNED_BYTE, NULL);
    }
    glDeleteProgram(p);
}
