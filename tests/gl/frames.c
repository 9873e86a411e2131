/* Kinds of frames that depend more or less on the frames before them. frames.sh records them and
 * replays single frames.
 * usage: frames KIND */
#include "surfaceless.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#include "gl_program.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 96, FRAMES = 7 };

#define HEAD "#version 330 core\n"
/* Draws a triangle around the point `at`. `moved` is the point of the next frame, for transform
 * feedback. */
static const char vertex_text[] =
    HEAD "layout(location = 0) in vec2 at; uniform vec2 move; uniform float z; out vec2 moved;\n"
         "out vec2 place;\n"
         "void main() {\n"
         "    const vec2 corner[3] = vec2[](vec2(-.4, -.5), vec2(.5, -.3), vec2(.1, .5));\n"
         "    moved = at + vec2(.05, .03);\n"
         "    vec2 p = at + move + corner[gl_VertexID % 3];\n"
         "    place = p * .5 + .5; gl_Position = vec4(p, z, 1.);\n"
         "}\n";
static const char fragment_text[] =
    HEAD "uniform vec4 color; uniform sampler2D image; uniform float share; in vec2 place;\n"
         "out vec4 result;\n"
         "void main() { result = mix(color, texture(image, place), share); }\n";

static GLuint make_program(void) {
    const GLuint p = glCreateProgram();
    attach(p, GL_VERTEX_SHADER, vertex_text);
    attach(p, GL_FRAGMENT_SHADER, fragment_text);
    link_program(p, "moved");
    return p;
}

struct picture {
    GLuint frame, color;
};

static struct picture make_picture(void) {
    struct picture p;
    GLuint zeta;
    glGenTextures(1, &p.color);
    glBindTexture(GL_TEXTURE_2D, p.color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glGenRenderbuffers(1, &zeta);
    glBindRenderbuffer(GL_RENDERBUFFER, zeta);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIDE, SIDE);
    glGenFramebuffers(1, &p.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, p.frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p.color, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, zeta);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    return p;
}

static GLuint program;
static struct picture screen, other[2];
static GLuint points[2]; /* buffers of the triangle's place */
static GLuint query;

static void triangle(int i, float share) {
    glUniform2f(glGetUniformLocation(program, "move"), .1f * (float)i - .4f, .3f - .1f * (float)i);
    glUniform4f(glGetUniformLocation(program, "color"), .1f * (float)i, 1.f - .1f * (float)i, .5f,
                1);
    glUniform1f(glGetUniformLocation(program, "z"), .1f * (float)(i % 3) - .1f);
    glUniform1f(glGetUniformLocation(program, "share"), share);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void onto(const struct picture *p, bool clears) {
    glBindFramebuffer(GL_FRAMEBUFFER, p->frame);
    if (!clears)
        return;
    glClearColor(.1f, .2f, .3f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

/* Everything is cleared except the stencil, which nothing reads. */
static void frame_clears(int i) {
    onto(&screen, true);
    triangle(i, 0);
    triangle(i + 1, 0);
}

static void frame_trail(int i) {
    onto(&screen, false);
    triangle(i, 0);
}

/* The colour is cleared, the depth is not. */
static void frame_depth(int i) {
    onto(&screen, false);
    glClear(GL_COLOR_BUFFER_BIT);
    triangle(i, 0);
}

/* Only a part of the picture is cleared. */
static void frame_scissor(int i) {
    onto(&screen, false);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, SIDE - 1, SIDE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    triangle(i, 0);
}

static void frame_mask(int i) {
    onto(&screen, false);
    glColorMask(1, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glColorMask(1, 1, 1, 1);
    triangle(i, 0);
}

/* The first frame draws the texture that later frames sample. */
static void frame_texture(int i) {
    if (i == 0) {
        onto(&other[0], true);
        triangle(4, 0);
    }
    onto(&screen, true);
    glBindTexture(GL_TEXTURE_2D, other[0].color);
    triangle(i, .7f);
}

/* Each frame samples the previous one. */
static void frame_feedback(int i) {
    onto(&other[i & 1], true);
    glBindTexture(GL_TEXTURE_2D, other[~i & 1].color);
    triangle(i, .9f);
    onto(&screen, true);
    glBindTexture(GL_TEXTURE_2D, other[i & 1].color);
    triangle(4, 1);
}

/* Each frame draws another picture and copies it over the whole screen. */
static void frame_blit(int i) {
    onto(&other[0], true);
    triangle(i, 0);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, screen.frame);
    glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    onto(&screen, false);
    glDisable(GL_DEPTH_TEST);
    triangle(2, 0);
    glEnable(GL_DEPTH_TEST);
}

/* The whole triangle is drawn only if samples of the previous frame passed. They pass after even
 * frames. */
static void frame_condition(int i) {
    onto(&screen, true);
    if (i) {
        glBeginConditionalRender(query, GL_QUERY_WAIT);
        triangle(i, 0);
        glEndConditionalRender();
    }
    glBeginQuery(GL_SAMPLES_PASSED, query);
    glUniform2f(glGetUniformLocation(program, "move"), 0, 0);
    triangle(i & 1 ? 40 : 1, 0);
    glEndQuery(GL_SAMPLES_PASSED);
}

/* Transform feedback moves the triangle from frame to frame. */
static void frame_stream(int i) {
    onto(&screen, true);
    glBindBuffer(GL_ARRAY_BUFFER, points[i & 1]);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, points[~i & 1]);
    glBeginTransformFeedback(GL_TRIANGLES);
    triangle(3, 0);
    glEndTransformFeedback();
}

static const struct {
    const char *name;
    void (*draw)(int i);
} kinds[] = {
    {"clears", frame_clears},       {"trail", frame_trail}, {"depth", frame_depth},
    {"scissor", frame_scissor},     {"mask", frame_mask},   {"texture", frame_texture},
    {"feedback", frame_feedback},   {"blit", frame_blit},   {"stream", frame_stream},
    {"condition", frame_condition},
};

static void prepare(void) {
    static const GLfloat zero[6];
    GLuint array;
    program = make_program();
    other[0] = make_picture();
    other[1] = make_picture();
    screen = make_picture();
    glViewport(0, 0, SIDE, SIDE);
    glGenQueries(1, &query);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(2, points);
    for (int i = 0; i < 2; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, points[i]);
        glBufferData(GL_ARRAY_BUFFER, sizeof zero, zero, GL_DYNAMIC_COPY);
    }
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(0);
    glBindTexture(GL_TEXTURE_2D, 0); /* a bound texture would count as read */
    glEnable(GL_DEPTH_TEST);
    glFinish();
}

int main(int argc, char **argv) {
    if (argc != 2 || !make_context(EGL_OPENGL_API, 3, 3))
        return 2;
    prepare();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, argv[1]) != 0)
            continue;
        for (int i = 0; i < FRAMES; i++) {
            kinds[k].draw(i);
            glFinish();
        }
        return program && glGetError() == GL_NO_ERROR ? 0 : 1;
    }
    return 2;
}
