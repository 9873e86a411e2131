/* 16,384 balls: a compute program tests each ball against the planes of the view, selects one of
 * three levels of detail, and appends the ball to the instances of that level's indirect command;
 * one multi-draw draws the balls that remain. */
#include "bench/gl43/gl43.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 128, BALLS = SIDE * SIDE, LEVELS = 3, GROUP = 64 };

struct command {
    GLuint count, instances, first_index;
    GLint first_vertex;
    GLuint first_instance;
};

static GLuint cull, show, balls, visible, commands, array;
static struct command empty[LEVELS];

static GLuint make_balls(void) {
    float *data = malloc(sizeof *data * 4 * BALLS);
    uint32_t seed = 9;
    if (!data)
        fail("balls", "out of memory");
    for (int i = 0; i < BALLS; i++) {
        data[4 * i] = ((float)(i % SIDE) - SIDE / 2 + random_number(&seed)) * 0.9f;
        data[4 * i + 1] = 1.5f * random_number(&seed);
        data[4 * i + 2] = ((float)(i / SIDE) - SIDE / 2 + random_number(&seed)) * 0.9f;
        data[4 * i + 3] = 0.15f + 0.3f * random_number(&seed);
    }
    const GLuint b = buffer(GL_COPY_WRITE_BUFFER, data, (GLsizeiptr)sizeof *data * 4 * BALLS);
    free(data);
    return b;
}

static void make_meshes(void) {
    static const int rings[LEVELS] = {14, 7, 4};
    GLsizeiptr indices = 0, vertices = 0;
    GLuint all[2];
    array = vertex_array();
    all[0] = buffer(GL_ARRAY_BUFFER, NULL, 1 << 18);
    all[1] = buffer(GL_ELEMENT_ARRAY_BUFFER, NULL, 1 << 18);
    for (int i = 0; i < LEVELS; i++) {
        const struct mesh m = make_sphere(rings[i]);
        const GLsizeiptr n = (GLsizeiptr)(2 * rings[i] + 1) * (rings[i] + 1);
        empty[i] = (struct command){(GLuint)m.indices, 0, (GLuint)indices, (GLint)vertices,
                                    (GLuint)(BALLS * i)};
        glBindBuffer(GL_COPY_READ_BUFFER, m.vertices);
        glBindBuffer(GL_COPY_WRITE_BUFFER, all[0]);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 24 * vertices, 24 * n);
        glBindBuffer(GL_COPY_READ_BUFFER, m.elements);
        glBindBuffer(GL_COPY_WRITE_BUFFER, all[1]);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 4 * indices,
                            4 * m.indices);
        indices += m.indices;
        vertices += n;
    }
    glBindVertexArray(array);
    glBindBuffer(GL_ARRAY_BUFFER, all[0]);
    attribute(0, 3, 24, 0);
    attribute(1, 3, 24, 12);
}

static void build(void) {
    const struct matrix p = perspective(50, 0.2f, 90);
    const struct matrix v = look_at((const float[3]){0, 5, 30}, (const float[3]){0, 1, 0});
    const struct matrix both = product(&p, &v);
    make_meshes();
    balls = make_balls();
    visible = buffer(GL_ARRAY_BUFFER, NULL, 16 * BALLS * LEVELS);
    attribute(2, 4, 16, 0);
    glVertexAttribDivisor(2, 1);
    commands = buffer(GL_DRAW_INDIRECT_BUFFER, empty, sizeof empty);
    cull = compute_program("culling", "compute");
    set_matrix(cull, "view_projection", &both);
    set_matrix(cull, "view", &v);
    show = draw_program("culling");
    set_matrix(show, "view_projection", &both);
}

static void draw(void) {
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, commands);
    glBufferSubData(GL_DRAW_INDIRECT_BUFFER, 0, sizeof empty, empty);
    glUseProgram(cull);
    storage(0, balls);
    storage(1, visible);
    storage(2, commands);
    glDispatchCompute(BALLS / GROUP, 1, 1);
    glMemoryBarrier(GL_COMMAND_BARRIER_BIT | GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(show);
    glBindVertexArray(array);
    glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_INT, NULL, LEVELS, 0);
}

const struct workload culling = {"culling", build, draw};
