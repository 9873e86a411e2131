/* Two draws into a target of 16x16 pixels, or a target of five layers, with one deviation. For
 * tests/gl/diff.sh. usage: diff [DEVIATION]. Prints nothing. */
#define GL_GLEXT_PROTOTYPES
#include "surfaceless.h"

#include <GL/glcorearb.h>
#include "gl_program.h"

#include <string.h>

#define VERSION "#version 330 core\n"
#define CORNERS                                                                                    \
    "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1); }"
enum { SIDE = 16, LAYERS = 5 };

static const char *deviation = "";

static bool deviates(const char *name) {
    return strcmp(deviation, name) == 0;
}

static GLuint new_texture(GLenum target, GLenum format, int height, int layers) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    if (layers)
        glTexImage3D(target, 0, (GLint)format, SIDE, height, layers, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     NULL);
    else
        glTexImage2D(target, 0, (GLint)format, SIDE, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    return t;
}

/* The deviation ends in 0 or 1, which selects the colour of the last layer. */
static void draw_layers(GLenum target) {
    const GLuint p = glCreateProgram();
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                         new_texture(target, GL_RGBA8, SIDE, LAYERS), 0);
    glClear(GL_COLOR_BUFFER_BIT);
    attach(p, GL_VERTEX_SHADER, VERSION "void main() { gl_Position = vec4(0, 0, 0, 1); }");
    attach(p, GL_GEOMETRY_SHADER,
           VERSION "layout(points) in; layout(triangle_strip, max_vertices = 15) out;\n"
                   "uniform float last; flat out float shade;\n"
                   "void main() { for (int i = 0; i < 15; i++) { gl_Layer = i / 3;\n"
                   "shade = gl_Layer == 4 ? last : 0.2; int c = i - gl_Layer * 3;\n"
                   "gl_Position = vec4(c == 1 ? 3 : -1, c == 2 ? 3 : -1, 0, 1); EmitVertex();\n"
                   "if (c == 2) EndPrimitive(); } }");
    attach(p, GL_FRAGMENT_SHADER,
           VERSION "flat in float shade; out vec4 color; void main() { color = vec4(shade); }");
    link_program(p, NULL);
    glUniform1f(glGetUniformLocation(p, "last"), strchr(deviation, '1') ? 0.8f : 0.4f);
    glDrawArrays(GL_POINTS, 0, 1);
}

static void draw_twice(void) {
    const unsigned char texel[4] = {64, deviates("texture") ? 200 : 128, 192, 255};
    const GLuint p = glCreateProgram();
    GLuint first = p;
    const int height = deviates("size") ? SIDE + 4 : SIDE;
    glFramebufferTexture(
        GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
        new_texture(GL_TEXTURE_2D, deviates("format") ? GL_RGB10_A2 : GL_RGBA8, height, 0), 0);
    if (deviates("zeta")) {
        GLuint zeta;
        glGenRenderbuffers(1, &zeta);
        glBindRenderbuffer(GL_RENDERBUFFER, zeta);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIDE, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, zeta);
    }
    glClear(GL_COLOR_BUFFER_BIT);
    new_texture(GL_TEXTURE_2D, GL_RGBA8, SIDE, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
    attach(p, GL_VERTEX_SHADER, VERSION CORNERS);
    attach(p, GL_FRAGMENT_SHADER,
           VERSION "uniform sampler2D t; uniform float u; uniform int n; out vec4 color;\n"
                   "void main() { if (u > 0.5) discard; color = texture(t, vec2(0.5));\n"
                   "for (int i = 0; i < n; i++) color = fract(color * 0.5 + 0.3); }");
    /* the same picture by a longer program, so that p lies at another address */
    if (deviates("moved")) {
        const GLuint q = glCreateProgram();
        attach(q, GL_VERTEX_SHADER, VERSION CORNERS);
        attach(q, GL_FRAGMENT_SHADER,
               VERSION
               "uniform sampler2D t; uniform vec4 z; out vec4 color;\n"
               "void main() { color = texture(t, vec2(0.5)) + z * sin(z + cos(z + 0.5)); }");
        link_program(q, NULL);
        first = q;
    }
    link_program(p, NULL);
    glUseProgram(first);
    glClearColor(1, 0, 0, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, SIDE, SIDE / 2);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (deviates("between")) {
        glScissor(3, 12, 2, 2);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    glScissor(SIDE / 2, 0, SIDE / 2, SIDE);
    glUseProgram(p);
    glUniform1f(glGetUniformLocation(p, "u"), deviates("discard") ? 1 : 0);
    glUniform1i(glGetUniformLocation(p, "n"), deviates("moved") ? 3 : 2);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    if (deviates("more"))
        glDrawArrays(GL_TRIANGLES, 0, 3);
    if (deviates("end")) {
        glScissor(5, 15, 2, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

int main(int argc, char **argv) {
    GLuint name;
    if (!make_context(EGL_OPENGL_API, 3, 3))
        return 77;
    deviation = argc > 1 ? argv[1] : "";
    glGenVertexArrays(1, &name);
    glBindVertexArray(name);
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glViewport(0, 0, SIDE, SIDE);
    glClearColor(0.2f, 0.4f, 0.6f, 1);
    if (strncmp(deviation, "array", 5) == 0)
        draw_layers(GL_TEXTURE_2D_ARRAY);
    else if (strncmp(deviation, "volume", 6) == 0)
        draw_layers(GL_TEXTURE_3D);
    else
        draw_twice();
    glFinish();
    return glGetError() != 0;
}
