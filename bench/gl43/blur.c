/* A Gaussian blur by compute programs: rows, then columns, of an RGBA8 image, each through shared
 * memory; three rounds. The result and the source are shown side by side. */
#include "bench/gl43/gl43.h"

enum { GROUP = 128, ROUNDS = 3 };
static GLuint rows, columns, show, source, image[2];

static void build(void) {
    source = picture_texture();
    for (int i = 0; i < 2; i++)
        image[i] = texture(GL_RGBA8, WIDTH, HEIGHT);
    rows = compute_program("blur", "rows");
    columns = compute_program("blur", "columns");
    show = draw_program("blur");
}

static void pass(GLuint program, GLuint from, GLuint to, GLuint x, GLuint y) {
    glUseProgram(program);
    bind_texture(0, from);
    glBindImageTexture(0, to, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glDispatchCompute(x, y, 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
}

static void draw(void) {
    for (int i = 0; i < ROUNDS; i++) {
        pass(rows, i ? image[1] : source, image[0], (WIDTH + GROUP - 1) / GROUP, HEIGHT);
        pass(columns, image[0], image[1], WIDTH / 16, (HEIGHT + 15) / 16);
    }
    glUseProgram(show);
    bind_texture(0, source);
    bind_texture(1, image[1]);
    draw_whole();
}

const struct workload blur = {"blur", build, draw};
