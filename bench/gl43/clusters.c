/* Clustered lights: for each of 16 x 9 x 24 cells of the view, a compute program lists the lights,
 * of 256, that reach the cell. The fragment program of a hall of balls adds up the lights of its
 * fragment's cell. */
#include "bench/gl43/gl43.h"

#include <math.h>

enum { LIGHTS = 256, CELLS = 16 * 9 * 24, MOST = 64, BALLS = 40 };
static GLuint list, show, lights, counts, indices, array;
static struct mesh ball;
static GLint place;

static GLuint make_lights(const struct matrix *view) {
    float data[LIGHTS][8];
    uint32_t seed = 21;
    for (int i = 0; i < LIGHTS; i++) {
        const float p[3] = {24 * random_number(&seed) - 12, 0.2f + 2 * random_number(&seed),
                            34 * random_number(&seed) - 28};
        for (int k = 0; k < 3; k++) {
            data[i][k] = view->m[12 + k];
            for (int j = 0; j < 3; j++)
                data[i][k] += view->m[4 * j + k] * p[j];
            data[i][4 + k] = 0.3f + 1.2f * random_number(&seed);
        }
        data[i][3] = 1.2f + 1.6f * random_number(&seed);
        data[i][7] = 0;
    }
    return buffer(GL_COPY_WRITE_BUFFER, data, sizeof data);
}

static void build(void) {
    const struct matrix p = perspective(55, 0.5f, 40);
    const struct matrix v = look_at((const float[3]){0, 4, 8}, (const float[3]){0, 0.5f, -4});
    lights = make_lights(&v);
    counts = buffer(GL_COPY_WRITE_BUFFER, NULL, 4 * CELLS);
    indices = buffer(GL_COPY_WRITE_BUFFER, NULL, 4 * CELLS * MOST);
    array = vertex_array();
    ball = make_sphere(24);
    attribute(0, 3, 24, 0);
    attribute(1, 3, 24, 12);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, ball.elements);
    list = compute_program("clusters", "compute");
    glUniform2f(uniform(list, "half_view"), 1 / p.m[0], 1 / p.m[5]);
    show = draw_program("clusters");
    set_matrix(show, "view", &v);
    set_matrix(show, "projection", &p);
    place = uniform(show, "place");
}

static void draw(void) {
    storage(0, lights);
    storage(1, counts);
    storage(2, indices);
    glUseProgram(list);
    glDispatchCompute(CELLS / 64, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(show);
    glBindVertexArray(array);
    glUniform4f(place, 0, -200, -10, 200); /* the floor: the top of a large ball */
    glDrawElements(GL_TRIANGLES, ball.indices, GL_UNSIGNED_INT, NULL);
    for (int i = 0; i < BALLS; i++) {
        const float x = (float)(i % 8) - 3.5f, z = (float)(i / 8);
        glUniform4f(place, 2.7f * x, 0.9f + 0.4f * sinf((float)i), 3 - 4.5f * z, 0.9f);
        glDrawElements(GL_TRIANGLES, ball.indices, GL_UNSIGNED_INT, NULL);
    }
}

const struct workload clusters = {"clusters", build, draw};
