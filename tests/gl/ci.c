/* A test program for `teslapipe ci` (tests/gl/ci.sh): it makes an OpenGL ES context without a
 * display, draws a triangle, and ends as the argument says.
 * usage: ci pass|fail|skip|crash|child */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static GLuint shader(GLenum type, const char *text) {
    const GLuint s = glCreateShader(type);
    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    return s;
}

static int draw(void) {
    static const EGLint config_attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                               EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
    static const EGLint context_attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLConfig config;
    EGLint count;
    const EGLDisplay d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (!eglInitialize(d, NULL, NULL) || !eglChooseConfig(d, config_attributes, &config, 1, &count))
        return 2;
    const EGLContext context = eglCreateContext(d, config, NULL, context_attributes);
    const EGLSurface surface = eglCreatePbufferSurface(d, config, size);
    if (!eglMakeCurrent(d, surface, surface, context))
        return 2;
    const GLuint program = glCreateProgram();
    glAttachShader(program,
                   shader(GL_VERTEX_SHADER, "attribute vec4 p; void main() { gl_Position = p; }"));
    glAttachShader(program,
                   shader(GL_FRAGMENT_SHADER,
                          "precision mediump float; uniform float n; void main() { float v = 0.0;"
                          "for (float i = 0.0; i < n; i += 1.0) v += sin(i + v);"
                          "gl_FragColor = vec4(v, 1, 0, 1); }"));
    glBindAttribLocation(program, 0, "p");
    glLinkProgram(program);
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "n"), 2000);
    static const float corners[] = {-1, -1, 3, -1, -1, 3};
    glVertexAttribPointer(0, 2, GL_FLOAT, 0, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    unsigned char pixel[4];
    glReadPixels(8, 8, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    printf("%s, green is %d\n", glGetString(GL_RENDERER), pixel[1]);
    return 0;
}

int main(int argc, char **argv) {
    const char *const how = argc > 1 ? argv[1] : "pass";
    if (strcmp(how, "child") == 0) { /* the child draws, fails, and ends without exit handlers */
        const pid_t child = fork();
        if (child == 0) {
            draw();
            _exit(5);
        }
        waitpid(child, NULL, 0);
        return 0;
    }
    const int code = draw();
    fflush(NULL);
    if (strcmp(how, "crash") == 0)
        raise(SIGSEGV);
    return code ? code : strcmp(how, "fail") == 0 ? 3 : strcmp(how, "skip") == 0 ? 77 : 0;
}
