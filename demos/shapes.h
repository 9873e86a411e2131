/* Meshes for the demo scenes, and copies of a mesh at many places (instances). A vertex is a
 * position and a normal, six floats; an instance is the first three rows of an affine matrix and a
 * colour, 16 floats. demos/programs/common.macros reads both.
 */
#pragma once

#include "demos/demo.h"

struct demo_mesh {
    tp_buffer *vertices, *indices; /* TP_TRIANGLES with TP_INDEX_U32 */
    uint32_t count;                /* number of indices */
};

/* Makes a grid of columns x rows quads between rows of vertices, (columns + 1) * (rows + 1) in
 * all. */
bool demo_make_grid(struct demo *demo, struct demo_mesh *mesh, const void *vertices,
                    size_t vertex_size, int columns, int rows);
/* Draws a mesh whose vertices are float attributes, as demo_vertices() has them. */
bool demo_draw_floats(struct demo *demo, const struct demo_mesh *mesh, const unsigned *components,
                      unsigned count);
/* Returns a point of a surface; u and v go from 0 to 1. Seen from outside, v grows upward and u to
 * the left. */
typedef struct vec3 demo_point(const void *self, double u, double v);
/* Makes a grid of columns x rows quads with the normals of the surface. */
bool demo_make_surface(struct demo *demo, struct demo_mesh *mesh, int columns, int rows,
                       demo_point *point, const void *self);
/* Makes a surface of revolution around the y axis. The profile goes from the bottom to the top; its
 * curve passes through sharp corners and rounds the others. */
struct demo_corner {
    float radius, y;
    bool sharp;
};
bool demo_make_lathe(struct demo *demo, struct demo_mesh *mesh, const struct demo_corner *profile,
                     int corners, int columns);
/* Makes the box from (-1, -1, -1) to (1, 1, 1). */
bool demo_make_box(struct demo *demo, struct demo_mesh *mesh);
/* Makes a ball of radius 1. */
bool demo_make_ball(struct demo *demo, struct demo_mesh *mesh, int columns);
/* Makes a torus knot: the curve winds 2 times around the y axis and 3 times around its ring of
 * radius 1. */
bool demo_make_knot(struct demo *demo, struct demo_mesh *mesh, int columns, int rows);

struct demo_instance {
    float row[3][4];
    struct vec4 color; /* w: free for the scene */
};
struct demo_instance demo_place(struct mat4 place, struct vec4 color);
/* Draws `count` instances of a buffer from number `first` on. Attributes 0 and 1 are the vertex, 2
 * to 4 the rows, 5 the colour. */
bool demo_draw_mesh(struct demo *demo, const struct demo_mesh *mesh, tp_buffer *instances,
                    uint32_t first, uint32_t count);

/* All objects of a scene: meshes, each with its instances. */
enum { DEMO_MESHES = 24, DEMO_INSTANCES = 1024 };
struct demo_things {
    struct demo_copies {
        struct demo_mesh mesh;
        uint32_t first, count; /* instances */
    } mesh[DEMO_MESHES];
    uint32_t meshes, count;
    struct demo_instance instance[DEMO_INSTANCES];
    tp_buffer *buffer; /* the instances, after demo_write_things() */
};
/* Adds a mesh without instances. The caller makes the mesh. */
struct demo_mesh *demo_add_mesh(struct demo_things *things);
/* Adds an instance of the last mesh. */
void demo_add(struct demo_things *things, struct mat4 place, struct vec4 color);
/* Makes the buffer and writes all instances to it. */
bool demo_write_things(struct demo *demo, struct demo_things *things);
bool demo_draw_meshes(struct demo *demo, const struct demo_things *things, uint32_t first,
                      uint32_t count);
