/* OpenGL ES 3.1 compute shaders: uniforms, buffers, textures, images, shared memory, atomics, and
 * draws in between.
 * usage: compute GL_RENDERER. Exit status 77: the driver has no OpenGL ES 3.1 for this chip. */
#include "surfaceless.h"
#include "verdicts.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include "gl_program.h"
#include "gl_target.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 40, GROUP = 8, GROUPS = SIDE / GROUP, COUNT = SIDE * SIDE };

static GLuint compute(const char *text) {
    const GLuint p = glCreateProgram();
    attach(p, GL_COMPUTE_SHADER, text);
    link_program(p, NULL);
    return p;
}

/* A buffer of `words` zeros at binding 0. */
static GLuint result_buffer(int words) {
    static const GLuint zero[COUNT];
    GLuint b;
    glGenBuffers(1, &b);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, b);
    glBufferData(GL_SHADER_STORAGE_BUFFER, words * 4, zero, GL_DYNAMIC_READ);
    return b;
}

static bool result_is(int words, GLuint (*expected)(int)) {
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    const GLuint *data = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, words * 4, GL_MAP_READ_BIT);
    int wrong = !data;
    for (int i = 0; data && i < words; i++)
        wrong += data[i] != expected(i);
    if (data)
        glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    return !wrong && glGetError() == GL_NO_ERROR;
}

#define HEAD                                                                                       \
    "#version 310 es\n#extension GL_OES_shader_image_atomic : require\nprecision highp float;\n"   \
    "precision highp int; precision highp uimage2D;\n"
#define RESULT "layout(std430, binding = 0) buffer Result { uint result[]; };\n"
#define PLACE "ivec2 at = ivec2(gl_GlobalInvocationID.xy); int i = at.y * 40 + at.x;\n"

/* ---- uniforms ---- */

static GLuint from_uniforms(int i) {
    return (GLuint)(1000 + i) * (GLuint)(i % 4 + 1);
}

static void test_uniforms(void) {
    const GLuint p = compute(HEAD RESULT "layout(local_size_x = 8, local_size_y = 8) in;\n"
                                         "uniform uint factor[4]; uniform uint base;\n"
                                         "void main() {" PLACE
                                         "result[i] = (base + uint(i)) * factor[i & 3]; }");
    static const GLuint factors[4] = {1, 2, 3, 4};
    glUniform1uiv(glGetUniformLocation(p, "factor"), 4, factors);
    glUniform1ui(glGetUniformLocation(p, "base"), 1000);
    result_buffer(COUNT);
    glDispatchCompute(GROUPS, GROUPS, 1);
    verdict("a compute program reads its uniforms", result_is(COUNT, from_uniforms));
}

/* ---- a texture: exact texels, a fetched texel, and the mean of two ---- */

static GLuint texel(int i) {
    return (GLuint)(i * 7 % 256);
}

static void make_texture(GLenum filter) {
    static unsigned char texels[COUNT * 4];
    GLuint t;
    for (int i = 0; i < COUNT * 4; i++)
        texels[i] = (unsigned char)texel(i / 4);
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIDE, SIDE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static GLuint texels_twice(int i) {
    return texel(i) << 8 | texel(i);
}

static GLuint mean(int i) {
    return texel(i) + texel(i % SIDE == SIDE - 1 ? i : i + 1);
}

static void test_texture(void) {
    make_texture(GL_NEAREST);
    compute(HEAD RESULT
            "layout(local_size_x = 8, local_size_y = 8) in;\nuniform sampler2D s;\n"
            "void main() {" PLACE
            "float a = textureLod(s, (vec2(at) + 0.5) / 40.0, 0.0).y, b = texelFetch(s, at, 0).z;\n"
            "result[i] = uint(a * 255.0 + 0.5) << 8 | uint(b * 255.0 + 0.5); }");
    result_buffer(COUNT);
    glDispatchCompute(GROUPS, GROUPS, 1);
    verdict("a compute program samples and fetches texels", result_is(COUNT, texels_twice));
    make_texture(GL_LINEAR);
    compute(HEAD RESULT "layout(local_size_x = 8, local_size_y = 8) in;\nuniform sampler2D s;\n"
                        "void main() {" PLACE
                        "float a = textureLod(s, (vec2(at) + vec2(1.0, 0.5)) / 40.0, 0.0).x;\n"
                        "result[i] = uint(a * 510.0 + 0.5); }");
    result_buffer(COUNT);
    glDispatchCompute(GROUPS, GROUPS, 1);
    verdict("a compute program filters texels", result_is(COUNT, mean));
}

/* ---- an image, written by one launch and read with atomics by another ---- */

static GLuint squares(int i) {
    return (GLuint)(i * i + 5);
}

static void test_image(void) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, SIDE, SIDE);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    compute(HEAD "layout(local_size_x = 8, local_size_y = 8) in;\n"
                 "layout(r32ui, binding = 0) uniform uimage2D image;\n"
                 "void main() {" PLACE "imageStore(image, at, uvec4(i * i)); }");
    glDispatchCompute(GROUPS, GROUPS, 1);
    glMemoryBarrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    compute(HEAD RESULT "layout(local_size_x = 4, local_size_y = 2) in;\n"
                        "layout(r32ui, binding = 0) uniform uimage2D image;\n"
                        "void main() {" PLACE
                        "imageAtomicAdd(image, at, 5u); memoryBarrierImage();\n"
                        "result[i] = imageLoad(image, at).x; }");
    result_buffer(COUNT);
    glDispatchCompute(SIDE / 4, SIDE / 2, 1);
    verdict("a launch adds to the words of an image that another stored",
            result_is(COUNT, squares));
}

/* ---- shared memory: a sum over each group; three layers of groups add to one counter ----
 * The driver's shared variables begin at s[0]. The hardware puts the group's number there, and
 * another warp may not have read it yet, so the program does not write the first words. */

static GLuint group_sum(int i) {
    return i == 25 ? 3 * 25 * 64 : (GLuint)(64 * 63 / 2 + 64 * i);
}

static void test_shared(void) {
    compute(HEAD RESULT
            "layout(local_size_x = 64) in;\nshared uint s[80];\n"
            "void main() { uint g = gl_WorkGroupID.x, t = gl_LocalInvocationIndex, u = t + 16u;\n"
            "s[u] = t + g; barrier();\n"
            "for (uint n = 32u; n > 0u; n >>= 1) { if (t < n) s[u] += s[u + n]; barrier(); }\n"
            "if (t == 0u) result[g] = s[u]; atomicAdd(result[25], 1u); }");
    result_buffer(26);
    glDispatchCompute(25, 1, 3);
    verdict("groups share memory and add to one counter", result_is(26, group_sum));
}

/* ---- draws around a launch, whose program replaces the fragment program's code in memory ---- */

static bool draws(GLuint program, unsigned char red) {
    static unsigned char pixels[COUNT * 4];
    int wrong = 0;
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "red"), red / 255.0f);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (int i = 0; i < COUNT; i++)
        wrong += pixels[4 * i] != red || pixels[4 * i + 1] != 51;
    return !wrong && glGetError() == GL_NO_ERROR;
}

static void test_draws_between(void) {
    new_target(GL_RGBA8, 0, SIDE, SIDE);
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER,
           "#version 310 es\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, "
           "gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }");
    attach(p, GL_FRAGMENT_SHADER,
           "#version 310 es\nprecision highp float;\nuniform float red; out vec4 o;\n"
           "void main() { o = vec4(red, 0.2, 0, 1); }");
    link_program(p, NULL);
    verdict("a draw before a launch has its pixels", draws(p, 17));
    test_uniforms();
    verdict("a draw after a launch has its pixels", draws(p, 99));
    test_uniforms();
    verdict("a draw after the second launch has its pixels", draws(p, 100));
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    if (!make_context(EGL_OPENGL_ES_API, 3, 1))
        return 77;
    verdict("the renderer is the chip",
            strcmp((const char *)glGetString(GL_RENDERER), argv[1]) == 0);
    test_uniforms();
    test_texture();
    test_image();
    test_shared();
    test_draws_between();
    return summary();
}
