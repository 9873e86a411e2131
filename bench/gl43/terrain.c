/* A tessellated landscape of 32 x 32 patches. The levels of a patch depend on the distance of its
 * edges; the vertex and the evaluation program read heights from a texture; the fragment program
 * makes normals of heights.
 */
#include "bench/gl43/gl43.h"

enum { PATCHES = 32 };
#define SIZE 24.0f
static GLuint program, noise, array;

/* Corners of the patches, and four indices a patch. */
static void make_corners(void) {
    enum { ROW = PATCHES + 1 };
    static float corner[ROW * ROW][2];
    static uint32_t index[4 * PATCHES * PATCHES];
    for (int i = 0; i < ROW * ROW; i++) {
        corner[i][0] = SIZE * ((float)(i % ROW) / PATCHES - 0.5f);
        corner[i][1] = SIZE * ((float)(i / ROW) / PATCHES - 0.5f);
    }
    for (int i = 0; i < 4 * PATCHES * PATCHES; i++)
        index[i] = (uint32_t)((i / 4 / PATCHES + (i >> 1 & 1)) * ROW + i / 4 % PATCHES + (i & 1));
    array = vertex_array();
    buffer(GL_ARRAY_BUFFER, corner, sizeof corner);
    attribute(0, 2, sizeof *corner, 0);
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
}

static void build(void) {
    static const float eye[3] = {0, 3.4f, 11}, center[3] = {0, 0.6f, 0};
    const struct matrix p = perspective(55, 0.2f, 60), v = look_at(eye, center);
    const struct matrix both = product(&p, &v);
    noise = noise_texture();
    program = draw_program("terrain");
    set_matrix(program, "view_projection", &both);
    glUniform3fv(uniform(program, "eye"), 1, eye);
    make_corners();
}

static void draw(void) {
    glEnable(GL_DEPTH_TEST);
    glUseProgram(program);
    bind_texture(0, noise);
    glBindVertexArray(array);
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawElements(GL_PATCHES, 4 * PATCHES * PATCHES, GL_UNSIGNED_INT, NULL);
}

const struct workload terrain = {"terrain", build, draw};
