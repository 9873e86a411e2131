/* A program waits for small results: the object under the pointer, the visibility of objects. */
#include "bench/waits/waits.h"

enum { OBJECTS = 300, ASKED = 64 };
static struct quads quads;
static GLuint plain;

static void build_objects(void) {
    quads = quads_program();
    plain = noise_texture();
}

static void draw_objects(void) {
    glEnable(GL_DEPTH_TEST);
    glUseProgram(quads.program);
    bind_texture(0, plain);
    for (uint32_t i = 0; i < OBJECTS; i++)
        draw_scattered(&quads, i);
}

/* ---- picking: objects are drawn, one pixel is read, and they are drawn for the eye ---- */

static GLuint numbers;
static GLint target;

static void build_picking(void) {
    GLuint depth;
    build_objects();
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &target);
    glGenFramebuffers(1, &numbers);
    glBindFramebuffer(GL_FRAMEBUFFER, numbers);
    glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture(GL_RGBA8, WIDTH, HEIGHT), 0);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}

static void draw_picking(void) {
    uint8_t under[4] = {0};
    glBindFramebuffer(GL_FRAMEBUFFER, numbers);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_objects();
    glReadPixels(WIDTH / 3, HEIGHT / 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, under);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
    draw_objects();
    glDisable(GL_DEPTH_TEST);
    draw_quad(&quads, 0.9f, 0.9f, 0.1f, 0.1f, 0, (float)under[3] / 255);
}

const struct workload picking = {"picking", build_picking, draw_picking};

/* ---- queries: the visibility of 64 objects; each frame waits for its fence and answers ---- */

static GLuint query[2][ASKED];
static GLsync fence;
static int frame;

static void build_queries(void) {
    build_objects();
    glGenQueries(2 * ASKED, query[0]);
}

/* Polls the fence, then each query. Returns the number of objects that are visible. */
static uint32_t poll_answers(const GLuint *asked) {
    uint32_t visible = 0;
    while (glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0) == GL_TIMEOUT_EXPIRED)
        ;
    glDeleteSync(fence);
    for (int i = 0; i < ASKED; i++) {
        GLuint is = 0;
        while (!is)
            glGetQueryObjectuiv(asked[i], GL_QUERY_RESULT_AVAILABLE, &is);
        glGetQueryObjectuiv(asked[i], GL_QUERY_RESULT, &is);
        visible += is != 0;
    }
    return visible;
}

static void draw_queries(void) {
    draw_objects();
    glDepthMask(GL_FALSE);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (uint32_t i = 0; i < ASKED; i++) {
        glBeginQuery(GL_SAMPLES_PASSED, query[frame & 1][i]);
        draw_scattered(&quads, OBJECTS + i);
        glEndQuery(GL_SAMPLES_PASSED);
    }
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    const uint32_t visible = poll_answers(query[frame & 1]);
    frame++;
    glDisable(GL_DEPTH_TEST);
    draw_quad(&quads, 0.9f, 0.9f, 0.1f, 0.1f, 0, (float)visible / ASKED);
}

const struct workload queries = {"queries", build_queries, draw_queries};
