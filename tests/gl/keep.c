/* Two programs draw in turn, and one of them is linked again in between. For tests/gl/keep.sh: keep
 * WAY, where WAY says how OpenGL's functions are found: linked, egl, dlsym. The quarters of the
 * target, from the left: the first program, the second, the first after it was linked with another
 * source, the second again. */
#define _GNU_SOURCE
#define GL_GLEXT_PROTOTYPES
#include "surfaceless.h"

#include <GL/glcorearb.h>
#include "gl_target.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static PFNGLLINKPROGRAMPROC link_program;
static PFNGLUSEPROGRAMPROC use_program;

static void find_functions(const char *way) {
    if (strcmp(way, "egl") == 0) {
        link_program = (PFNGLLINKPROGRAMPROC)eglGetProcAddress("glLinkProgram");
        use_program = (PFNGLUSEPROGRAMPROC)eglGetProcAddress("glUseProgram");
    } else if (strcmp(way, "dlsym") == 0) {
        void *library = dlopen("libGL.so.1", RTLD_NOW);
        *(void **)&link_program = dlsym(library, "glLinkProgram");
        *(void **)&use_program = dlsym(library, "glUseProgram");
    } else {
        link_program = glLinkProgram;
        use_program = glUseProgram;
    }
}

static void link_with(GLuint program, const char *name) {
    char fragment[256];
    static const char *vertex =
        "#version 330 core\nvoid main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) "
        "* 4.0 - 1.0, 0, 1); }";
    const char *texts[2] = {vertex, fragment};
    snprintf(
        fragment, sizeof fragment,
        "#version 330 core\nout vec4 color;\nuniform vec4 %s;\nvoid main() { color = %s + %s; }\n",
        name, name,
        name[0] == 'f'   ? "0.5"
        : name[0] == 's' ? "0.75"
                         : "0.25");
    for (int i = 0; i < 2; i++) {
        const GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(s, 1, &texts[i], NULL);
        glCompileShader(s);
        glAttachShader(program, s);
        glDeleteShader(s);
    }
    link_program(program);
    GLuint attached[2];
    GLsizei count;
    glGetAttachedShaders(program, 2, &count, attached);
    for (GLsizei i = 0; i < count; i++) /* the texts are gone now */
        glDetachShader(program, attached[i]);
}

static void draw_quarter(int i) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(16 * i, 0, 16, 64);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

int main(int argc, char **argv) {
    GLuint name;
    if (argc < 2 || !make_context(EGL_OPENGL_API, 3, 3))
        return 77;
    find_functions(argv[1]);
    new_target(GL_RGBA8, 0, 64, 64);
    glGenVertexArrays(1, &name);
    glBindVertexArray(name);
    const GLuint first = glCreateProgram(), second = glCreateProgram();
    link_with(first, "first_source");
    link_with(second, "second_source");
    use_program(first);
    draw_quarter(0);
    use_program(second);
    draw_quarter(1);
    use_program(first);
    link_with(first, "third_source");
    draw_quarter(2);
    use_program(second);
    draw_quarter(3);
    glFinish();
    return glGetError() != 0;
}
