/* Blending into several formats, and filters of pictures. */
#include "bench/pixels/pixels.h"

enum { PANES = 60 };

static GLuint panes, whole, own_target, content, source, no_attributes;
static GLint given_target, pane;

/* Makes a target of the format. The end of a frame shows the target's content. */
static void make_own(GLenum format) {
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &given_target);
    glGenFramebuffers(1, &own_target);
    glBindFramebuffer(GL_FRAMEBUFFER, own_target);
    content = texture(format, WIDTH, HEIGHT);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, content, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail("target", "the driver cannot draw into the format");
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)given_target);
}

static void build_panes(void) {
    panes = draw_program("panes");
    pane = uniform(panes, "pane");
    whole = draw_program("show");
    source = picture_texture();
    no_attributes = vertex_array();
}

/* Many rectangles, one over the other, with a blend function. */
static void draw_panes(void) {
    glUseProgram(panes);
    bind_texture(0, source);
    glBindVertexArray(no_attributes);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    for (uint32_t i = 0; i < PANES; i++) {
        const float x = (float)(i * 7919 % 1000) / 500 - 1, y = (float)(i * 104729 % 997) / 498 - 1;
        glUniform4f(pane, x - 0.4f, y - 0.4f, (float)i / PANES, 0.8f);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
    glDisable(GL_BLEND);
}

static void draw_into(void) {
    glBindFramebuffer(GL_FRAMEBUFFER, own_target);
    glClear(GL_COLOR_BUFFER_BIT);
    draw_panes();
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)given_target);
    glUseProgram(whole);
    bind_texture(0, content);
    draw_whole();
}

#define INTO(name, format, encode)                                                                 \
    static void build_##name(void) {                                                               \
        build_panes();                                                                             \
        make_own(format);                                                                          \
        encode(GL_FRAMEBUFFER_SRGB);                                                               \
    }                                                                                              \
    const struct workload name = {#name, build_##name, draw_into}

INTO(glass, GL_RGBA8, glDisable);
INTO(srgb, GL_SRGB8_ALPHA8, glEnable);
INTO(r11g11b10f, GL_R11F_G11F_B10F, glDisable);
INTO(half, GL_RGBA16F, glDisable);

/* ---- filters: five passes over the target's size, four of 9 samples a fragment, one of 25 ---- */

static GLuint blur9, edges, passes[2], pictures[2];
static GLint step_of;

static void build_filters(void) {
    blur9 = draw_program("blur9");
    step_of = uniform(blur9, "step");
    edges = draw_program("edges");
    source = picture_texture();
    for (int i = 0; i < 2; i++) {
        make_own(GL_RGBA8);
        passes[i] = own_target;
        pictures[i] = content;
    }
}

static void pass(GLuint into, GLuint program, GLuint from) {
    glBindFramebuffer(GL_FRAMEBUFFER, into);
    glUseProgram(program);
    bind_texture(0, from);
    draw_whole();
}

static void blur_pass(int into, GLuint from, float x, float y) {
    glUseProgram(blur9);
    glUniform2f(step_of, x / WIDTH, y / HEIGHT);
    pass(passes[into], blur9, from);
}

static void draw_filters(void) {
    blur_pass(0, source, 1, 0);
    blur_pass(1, pictures[0], 0, 1);
    blur_pass(0, pictures[1], 2, 0);
    blur_pass(1, pictures[0], 0, 2);
    pass((GLuint)given_target, edges, pictures[1]);
}

const struct workload filters = {"filters", build_filters, draw_filters};
