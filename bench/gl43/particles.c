/* 65,536 particles: a compute program moves them four steps around attractors, from the same start
 * in every frame. Then the buffer that the program wrote is drawn as blended points. */
#include "bench/gl43/gl43.h"

#include <math.h>
#include <stdlib.h>

enum { PARTICLES = 65536, GROUP = 128, ATTRACTORS = 8 };
static GLuint move, show, start, moved, array;

static GLuint make_particles(void) {
    float *data = malloc(sizeof *data * 8 * PARTICLES);
    uint32_t seed = 4;
    if (!data)
        fail("particles", "out of memory");
    for (int i = 0; i < PARTICLES; i++) {
        const float angle = 2 * PI * random_number(&seed), r = sqrtf(random_number(&seed)) * 2.5f;
        const float one[8] = {r * cosf(angle),         0.4f * random_number(&seed) - 0.2f,
                              r * sinf(angle),         random_number(&seed),
                              -0.8f * sinf(angle) * r, 0,
                              0.8f * cosf(angle) * r,  0};
        for (int k = 0; k < 8; k++)
            data[8 * i + k] = one[k];
    }
    const GLuint b = buffer(GL_COPY_WRITE_BUFFER, data, (GLsizeiptr)sizeof *data * 8 * PARTICLES);
    free(data);
    return b;
}

static void set_attractors(void) {
    float at[4 * ATTRACTORS];
    for (int i = 0; i < ATTRACTORS; i++) {
        const float angle = 2 * PI * (float)i / ATTRACTORS;
        at[4 * i] = 1.7f * cosf(angle);
        at[4 * i + 1] = 0.3f * sinf(3 * angle);
        at[4 * i + 2] = 1.7f * sinf(angle);
        at[4 * i + 3] = 0.5f + 0.1f * (float)i;
    }
    glUniform4fv(uniform(move, "attractor"), ATTRACTORS, at);
}

static void build(void) {
    const struct matrix p = perspective(50, 0.1f, 30);
    const struct matrix v = look_at((const float[3]){0, 2.2f, 4.6f}, (const float[3]){0, 0, 0});
    const struct matrix both = product(&p, &v);
    start = make_particles();
    moved = buffer(GL_ARRAY_BUFFER, NULL, 32 * PARTICLES);
    array = vertex_array();
    attribute(0, 4, 32, 0);
    attribute(1, 4, 32, 16);
    move = compute_program("particles", "compute");
    set_attractors();
    show = draw_program("particles");
    set_matrix(show, "view_projection", &both);
}

static void draw(void) {
    glUseProgram(move);
    storage(0, start);
    storage(1, moved);
    glDispatchCompute(PARTICLES / GROUP, 1, 1);
    glMemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    glUseProgram(show);
    glBindVertexArray(array);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE);
    glDrawArrays(GL_POINTS, 0, PARTICLES);
    glDisable(GL_BLEND);
}

const struct workload particles = {"particles", build, draw};
