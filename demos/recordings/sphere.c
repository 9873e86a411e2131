/* The program of the recording sphere.tpr: draws a sky, then a striped sphere without vertex
 * arrays. To record the program, from this folder:
 *
 *     cc sphere.c -o sphere -lEGL -lGL
 *     ../../build/teslapipe gl --chip gt215 --record sphere.tpr --keep-source -- ./sphere */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <stddef.h>

enum { WIDTH = 256, HEIGHT = 192, SEGMENTS = 32, RINGS = 16 };

static const char sky_vertex[] = "#version 330 core\n"
                                 "out float height;\n"
                                 "void main() {\n"
                                 "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                 "    height = corner.y;\n"
                                 "    gl_Position = vec4(corner * 4.0 - 1.0, 0.9, 1.0);\n"
                                 "}\n";
static const char sky_fragment[] =
    "#version 330 core\n"
    "in float height;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "    color = vec4(mix(vec3(0.9, 0.85, 0.7), vec3(0.2, 0.4, 0.7), height), 1.0);\n"
    "}\n";

static const char sphere_vertex[] =
    "#version 330 core\n"
    "uniform ivec2 parts; // segments, rings\n"
    "uniform float turn;\n"
    "out vec3 normal;\n"
    "out vec2 place; // of the surface\n"
    "void main() {\n"
    "    int cell = gl_VertexID / 6, corner = gl_VertexID % 6;\n"
    "    ivec2 at = ivec2(cell % parts.x, cell / parts.x);\n"
    "    if (corner == 1 || corner == 2 || corner == 4)\n"
    "        at.x++;\n"
    "    if (corner == 2 || corner == 4 || corner == 5)\n"
    "        at.y++;\n"
    "    place = vec2(at) / vec2(parts);\n"
    "    float around = place.x * 6.2831853 + turn, down = place.y * 3.1415927;\n"
    "    normal = vec3(sin(down) * cos(around), cos(down), sin(down) * sin(around));\n"
    "    vec3 eye = normal - vec3(0.0, 0.0, 2.6);\n"
    "    gl_Position = vec4(eye.x * 1.3, eye.y * 1.7333, -1.2 * eye.z - 1.1, -eye.z);\n"
    "}\n";
static const char sphere_fragment[] =
    "#version 330 core\n"
    "in vec3 normal;\n"
    "in vec2 place;\n"
    "out vec4 color;\n"
    "uniform vec3 light;\n"
    "void main() {\n"
    "    vec3 n = normalize(normal);\n"
    "    float lit = max(dot(n, light), 0.0) + 0.15;\n"
    "    float stripe = fract(place.x * 8.0 + place.y * 4.0);\n"
    "    vec3 base = stripe < 0.5 ? vec3(0.8, 0.2, 0.15) : vec3(0.95, 0.9, 0.8);\n"
    "    float shine = pow(max(reflect(-light, n).z, 0.0), 24.0);\n"
    "    color = vec4(base * lit + shine * 0.5, 1.0);\n"
    "}\n";

static GLuint link_program(const char *vertex, const char *fragment) {
    const GLuint program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        const GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(s, 1, i ? &fragment : &vertex, NULL);
        glCompileShader(s);
        glAttachShader(program, s);
    }
    glLinkProgram(program);
    return program;
}

static void create_target(void) {
    static const GLenum format[] = {GL_RGBA8, GL_DEPTH_COMPONENT24},
                        point[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT};
    GLuint name[3];
    glGenFramebuffers(1, &name[2]);
    glGenRenderbuffers(2, name);
    glBindFramebuffer(GL_FRAMEBUFFER, name[2]);
    for (int i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, name[i]);
        glRenderbufferStorage(GL_RENDERBUFFER, format[i], WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, point[i], GL_RENDERBUFFER, name[i]);
    }
    glViewport(0, 0, WIDTH, HEIGHT);
}

static void draw(void) {
    GLuint arrays;
    glGenVertexArrays(1, &arrays);
    glBindVertexArray(arrays);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glUseProgram(link_program(sky_vertex, sky_fragment));
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const GLuint sphere = link_program(sphere_vertex, sphere_fragment);
    glUseProgram(sphere);
    glUniform2i(glGetUniformLocation(sphere, "parts"), SEGMENTS, RINGS);
    glUniform1f(glGetUniformLocation(sphere, "turn"), 0.4f);
    glUniform3f(glGetUniformLocation(sphere, "light"), 0.48f, 0.64f, 0.6f);
    glDrawArrays(GL_TRIANGLES, 0, 6 * SEGMENTS * RINGS);
    glFinish();
}

int main(void) {
    static const EGLint want[] = {EGL_CONTEXT_MAJOR_VERSION,
                                  3,
                                  EGL_CONTEXT_MINOR_VERSION,
                                  3,
                                  EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                  EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                  EGL_NONE};
    EGLint major, minor;
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    eglInitialize(d, &major, &minor);
    eglBindAPI(EGL_OPENGL_API);
    EGLContext c = eglCreateContext(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, want);
    if (!c || !eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c))
        return 77;
    create_target();
    draw();
    return glGetError() != 0;
}
