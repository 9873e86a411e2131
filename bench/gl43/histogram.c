/* A histogram of a picture's brightness: atomics count in shared memory, then in a storage buffer;
 * one group adds up the counts; the right two thirds of the picture are shown equalised by the
 * sums, with the histogram over the picture. */
#include "bench/gl43/gl43.h"

enum { BINS = 256 };
static GLuint count, sum, show, picture, bins, sums;

static void build(void) {
    picture = picture_texture();
    bins = buffer(GL_COPY_WRITE_BUFFER, NULL, 4 * BINS);
    sums = buffer(GL_COPY_WRITE_BUFFER, NULL, 4 * BINS);
    count = compute_program("histogram", "count");
    sum = compute_program("histogram", "sum");
    show = draw_program("histogram");
}

static void draw(void) {
    glBindBuffer(GL_COPY_WRITE_BUFFER, bins);
    glClearBufferData(GL_COPY_WRITE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, NULL);
    storage(0, bins);
    storage(1, sums);
    bind_texture(0, picture);
    glUseProgram(count);
    glDispatchCompute(WIDTH / 32, (HEIGHT + 31) / 32, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glUseProgram(sum);
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glUseProgram(show);
    draw_whole();
}

const struct workload histogram = {"histogram", build, draw};
