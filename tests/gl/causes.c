/* Pixels that are made by stores of programs. tests/tools/causes.tpr is a recording of this program
 * (chip gf108).
 * 1. Launch 1 stores image A: (column / 16, row / 16, 1/4, 1). Launch 2 stores image B: A with red
 *    and green exchanged.
 * 2. Draw 1 paints the left half of a 32x32 target with filtered samples of B. Each fragment adds 1
 *    to a counter and stores its colour to an image of the target's size.
 * 3. Draw 2 has no fragments; its vertices store (1/4, 1/2, 3/4) to a buffer. Draw 3 paints the
 *    right half with number row / 8 % 3 of the buffer.
 * 4. Launch 3 stores (1, 0, 1, 1) to the target's pixels 20,4 to 27,11.
 * usage: causes. Prints the four pixels that tests/tools/why.sh asks for. */
#define GL_GLEXT_PROTOTYPES
#include "core43.h"

enum { SIDE = 32, IMAGE = 16 };

static GLuint image(int side, GLenum format, GLenum filter) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, side, side);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    return t;
}

static void launch(const char *text, int groups) {
    const GLuint p = glCreateProgram();
    attach(p, GL_COMPUTE_SHADER, text);
    link_program(p, NULL);
    glDispatchCompute((GLuint)groups, (GLuint)groups, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

static void paint(const char *vertex, const char *fragment, int x, int width) {
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER, vertex);
    if (fragment)
        attach(p, GL_FRAGMENT_SHADER, fragment);
    link_program(p, NULL);
    glScissor(x, 0, width, SIDE);
    glDrawArrays(fragment ? GL_TRIANGLES : GL_POINTS, 0, 3);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
}

static void show(int x, int y) {
    GLubyte c[4];
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, c);
    printf("%d,%d: %d %d %d %d\n", x, y, c[0], c[1], c[2], c[3]);
}

int main(void) {
    GLuint array, frame, buffer;
    if (!make_context(EGL_OPENGL_API, 4, 3))
        return 77;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    const GLuint target = image(SIDE, GL_RGBA8, GL_NEAREST),
                 copy = image(SIDE, GL_RGBA8, GL_NEAREST);
    const GLuint a = image(IMAGE, GL_RGBA8, GL_NEAREST), b = image(IMAGE, GL_RGBA8, GL_LINEAR);
    const GLuint counter = image(1, GL_R32UI, GL_NEAREST);
    const GLuint zero = 0;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, target, 0);
    glViewport(0, 0, SIDE, SIDE);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, 256, NULL, GL_DYNAMIC_DRAW);
    glBindImageTexture(0, a, 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA8);
    glBindImageTexture(1, b, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    launch(
        HEAD
        "layout(local_size_x = 8, local_size_y = 8) in; layout(rgba8) writeonly uniform image2D a;\n"
        "void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy); imageStore(a, at, vec4(vec2(at) / 16.0, 0.25, 1)); }",
        IMAGE / 8);
    launch(
        HEAD
        "layout(local_size_x = 8, local_size_y = 8) in; layout(rgba8, binding = 0) readonly uniform image2D a;\n"
        "layout(rgba8, binding = 1) writeonly uniform image2D b;\n"
        "void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy); imageStore(b, at, imageLoad(a, at).yxzw); }",
        IMAGE / 8);
    glBindTexture(GL_TEXTURE_2D, b);
    glBindImageTexture(0, copy, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glBindImageTexture(1, counter, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    paint(
        WHOLE,
        HEAD
        "uniform sampler2D t; layout(rgba8, binding = 0) writeonly uniform image2D copy;\n"
        "layout(r32ui, binding = 1) uniform uimage2D counter; out vec4 color;\n"
        "void main() { color = texture(t, gl_FragCoord.xy / 32.0); imageStore(copy, ivec2(gl_FragCoord.xy), color);\n"
        "imageAtomicAdd(counter, ivec2(0), 1u); }",
        0, SIDE / 2);
    glEnable(GL_RASTERIZER_DISCARD);
    paint(
        HEAD
        "layout(std430, binding = 0) buffer B { vec4 v[3]; };\n"
        "void main() { v[gl_VertexID] = vec4(0.25 * float(gl_VertexID + 1)); gl_Position = vec4(0); }",
        NULL, 0, SIDE);
    glDisable(GL_RASTERIZER_DISCARD);
    paint(WHOLE,
          HEAD "layout(std430, binding = 0) buffer B { vec4 v[3]; }; out vec4 color;\n"
               "void main() { color = v[int(gl_FragCoord.y) / 8 % 3]; }",
          SIDE / 2, SIDE / 2);
    glBindImageTexture(0, target, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    launch(
        HEAD
        "layout(local_size_x = 8, local_size_y = 8) in; layout(rgba8) writeonly uniform image2D a;\n"
        "void main() { imageStore(a, ivec2(gl_LocalInvocationID.xy) + ivec2(20, 4), vec4(1, 0, 1, 1)); }",
        1);
    show(5, 9);
    show(18, 12);
    show(18, 20);
    show(22, 6);
    return glGetError() == GL_NO_ERROR ? 0 : 1;
}
