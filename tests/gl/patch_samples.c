/* Two patches that meet in the middle of pixels, drawn into a target of 4 samples.
 * tests/tools/patch_samples.tpr is a recording of this program (chip gf108). The left patch has
 * levels of 2 and ends at 16.5 of 32 pixels; the right one has levels of 4. usage: patch_samples */
#define GL_GLEXT_PROTOTYPES
#include "core43.h"

enum { SIDE = 32 };

int main(void) {
    GLuint array, frame, target;
    if (!make_context(EGL_OPENGL_API, 4, 3))
        return 77;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenRenderbuffers(1, &target);
    glBindRenderbuffer(GL_RENDERBUFFER, target);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, SIDE, SIDE);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target);
    glViewport(0, 0, SIDE, SIDE);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint p = glCreateProgram();
    attach(
        p, GL_VERTEX_SHADER,
        HEAD
        "const float x[6] = {-1, 0.03125, 0.03125, 1, -1, 1};\n"
        "void main() { int k = gl_VertexID & 3, right = gl_VertexID >> 2;\n"
        "gl_Position = vec4(x[right * 2 + (k == 1 || k == 2 ? 1 : 0)], k < 2 ? -1 : 1, 0, 1); }");
    attach(
        p, GL_TESS_CONTROL_SHADER,
        HEAD
        "layout(vertices = 4) out;\n"
        "void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
        "float level = gl_PrimitiveID == 0 ? 2.0 : 4.0;\n"
        "gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = level;\n"
        "gl_TessLevelInner[0] = gl_TessLevelInner[1] = level; }");
    attach(
        p, GL_TESS_EVALUATION_SHADER,
        HEAD
        "layout(quads) in;\n"
        "void main() { gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),\n"
        "mix(gl_in[3].gl_Position, gl_in[2].gl_Position, gl_TessCoord.x), gl_TessCoord.y); }");
    attach(p, GL_FRAGMENT_SHADER,
           HEAD "out vec4 color; void main() { color = vec4(0, 0.5, 0, 1); }");
    link_program(p, NULL);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawArrays(GL_PATCHES, 0, 8);
    glFinish();
    return glGetError() == GL_NO_ERROR ? 0 : 1;
}
