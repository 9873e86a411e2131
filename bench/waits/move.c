/* Bytes are moved: a frame is read back; textures are replaced; pictures are blitted. */
#include "bench/waits/waits.h"

#include <stdlib.h>

static struct quads quads;
static GLint target;

static void note_target(void) {
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &target);
}

/* ---- readback: a frame of a few quads is read as a whole, as for a film ---- */

static uint8_t *pixels;

static void build_readback(void) {
    quads = quads_program();
    bind_texture(0, picture_texture());
    pixels = malloc(4 * WIDTH * HEIGHT);
    if (!pixels)
        fail("readback", "out of memory");
}

static void draw_readback(void) {
    glUseProgram(quads.program);
    draw_quad(&quads, -1, -1, 2, 2, 0.5f, 0.1f);
    for (uint32_t i = 0; i < 20; i++)
        draw_scattered(&quads, i);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

const struct workload readback = {"readback", build_readback, draw_readback};

/* ---- upload: four textures of 1024 x 1024 are replaced and drawn ---- */

enum { SIDE = 1024, TEXTURES = 4 };
static uint8_t *texels[TEXTURES];
static GLuint replaced[TEXTURES];

static void build_upload(void) {
    quads = quads_program();
    for (uint32_t i = 0; i < TEXTURES; i++) {
        texels[i] = make_bytes(4 * SIDE * SIDE, i);
        replaced[i] = texture(GL_RGBA8, SIDE, SIDE);
    }
}

static void draw_upload(void) {
    glUseProgram(quads.program);
    for (int i = 0; i < TEXTURES; i++) {
        bind_texture(0, replaced[i]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, texels[i]);
    }
    for (int i = 0; i < TEXTURES; i++) {
        bind_texture(0, replaced[i]);
        draw_quad(&quads, (float)(i & 1) - 1, (float)(i >> 1) - 1, 1, 1, 0.5f, 0);
    }
}

const struct workload upload = {"upload", build_upload, draw_upload};

/* ---- blits: eight of a whole picture, one of them mirrored; one of an enlarged quarter ---- */

enum { TARGETS = 3 };
static GLuint framebuffer[TARGETS];

static void build_blits(void) {
    note_target();
    quads = quads_program();
    glGenFramebuffers(TARGETS, framebuffer);
    for (int i = 0; i < TARGETS; i++) {
        const GLuint t = i ? texture(GL_RGBA8, WIDTH, HEIGHT) : picture_texture();
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer[i]);
        glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t, 0);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}

static void copy(GLuint from, GLuint to, int mirrored, int width, int height, GLenum filter) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    glBlitFramebuffer(mirrored ? width : 0, 0, mirrored ? 0 : width, height, 0, 0, WIDTH, HEIGHT,
                      GL_COLOR_BUFFER_BIT, filter);
}

static void draw_blits(void) {
    for (int i = 0; i < 3; i++) {
        copy(framebuffer[0], framebuffer[1], 0, WIDTH, HEIGHT, GL_NEAREST);
        copy(framebuffer[1], framebuffer[2], i & 1, WIDTH, HEIGHT, GL_NEAREST);
        copy(framebuffer[2], (GLuint)target, 0, i == 2 ? WIDTH / 2 : WIDTH,
             i == 2 ? HEIGHT / 2 : HEIGHT, i == 2 ? GL_LINEAR : GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}

const struct workload blits = {"blits", build_blits, draw_blits};
