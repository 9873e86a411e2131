/* Meshes for the demo scenes (demos/shapes.h): grids of quads over a surface, surfaces of
 * revolution, boxes. Makes buffers and draws them; knows no program and no scene.
 */
#include "demos/shapes.h"

#include <assert.h>

enum { MAX_PROFILE = 512 };

struct vertex {
    struct vec3 position, normal;
};

bool demo_make_grid(struct demo *demo, struct demo_mesh *mesh, const void *vertices,
                    size_t vertex_size, int columns, int rows) {
    const size_t count = (size_t)columns * (size_t)rows * 6;
    uint32_t *indices = demo_memory(demo, count * sizeof *indices), *out = indices;
    if (!indices)
        return false;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const uint32_t a = (uint32_t)(i * (columns + 1) + j), b = a + (uint32_t)columns + 1;
            const uint32_t quad[6] = {a, b, a + 1, a + 1, b, b + 1};
            for (int k = 0; k < 6; k++)
                *out++ = quad[k];
        }
    const size_t size = (size_t)(columns + 1) * (size_t)(rows + 1) * vertex_size;
    mesh->count = (uint32_t)count;
    return (mesh->vertices = demo_buffer(demo, vertices, size)) &&
           (mesh->indices = demo_buffer(demo, indices, count * sizeof *indices));
}

bool demo_draw_floats(struct demo *demo, const struct demo_mesh *mesh, const unsigned *components,
                      unsigned count) {
    if (!demo_vertices(demo, mesh->vertices, components, count))
        return false;
    TRY(demo, tp_draw(demo->context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                            .count = mesh->count,
                                                            .index_buffer = mesh->indices,
                                                            .index_type = TP_INDEX_U32}));
    return true;
}

static struct vertex *grid_vertices(struct demo *demo, int columns, int rows) {
    return demo_memory(demo, (size_t)(columns + 1) * (size_t)(rows + 1) * sizeof(struct vertex));
}

/* Returns the surface's normal, computed from points nearby. */
static struct vec3 surface_normal(demo_point *point, const void *self, double u, double v) {
    const double step = 1e-3;
    const struct vec3 du = v3_sub(point(self, u + step, v), point(self, u - step, v));
    const struct vec3 dv = v3_sub(point(self, u, v + step), point(self, u, v - step));
    return v3_normalize(v3_cross(dv, du));
}

bool demo_make_surface(struct demo *demo, struct demo_mesh *mesh, int columns, int rows,
                       demo_point *point, const void *self) {
    struct vertex *vertices = grid_vertices(demo, columns, rows), *out = vertices;
    if (!vertices)
        return false;
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            const double u = (double)j / columns, v = (double)i / rows;
            *out++ = (struct vertex){point(self, u, v), surface_normal(point, self, u, v)};
        }
    return demo_make_grid(demo, mesh, vertices, sizeof *vertices, columns, rows);
}

/* ---- Surfaces of revolution ---- */

/* Cuts the corners that are not sharp: each becomes two corners, at a quarter of its edges. */
static int cut_corners(const struct demo_corner *in, int count, struct demo_corner *out) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (i == 0 || i == count - 1 || in[i].sharp) {
            out[n++] = in[i];
            continue;
        }
        for (int side = -1; side <= 1; side += 2)
            out[n++] = (struct demo_corner){demo_mix(in[i].radius, in[i + side].radius, 0.25f),
                                            demo_mix(in[i].y, in[i + side].y, 0.25f), false};
    }
    return n;
}

/* Returns the outward unit normal of the edge from a to b: x for the radius, y for the height. */
static struct vec3 edge_normal(const struct demo_corner *a, const struct demo_corner *b) {
    return v3_normalize(v3(b->y - a->y, a->radius - b->radius, 0));
}

/* Turns a point of the profile and its normal around the axis. */
static void turn(const struct demo_corner *corner, struct vec3 normal, int columns,
                 struct vertex *row) {
    for (int j = 0; j <= columns; j++) {
        const double angle = 2 * DEMO_PI * j / columns;
        const float c = (float)demo_cos(angle), s = (float)demo_sin(angle);
        row[j] = (struct vertex){v3(corner->radius * c, corner->y, corner->radius * s),
                                 v3(normal.x * c, normal.y, normal.x * s)};
    }
}

bool demo_make_lathe(struct demo *demo, struct demo_mesh *mesh, const struct demo_corner *profile,
                     int corners, int columns) {
    struct demo_corner curve[2][MAX_PROFILE];
    if (corners < 2 || corners > MAX_PROFILE / 4)
        return demo_fail(demo, "%s: a profile of %d corners", demo->scene->name, corners);
    int count = cut_corners(profile, corners, curve[0]);
    count = cut_corners(curve[0], count, curve[1]);
    const struct demo_corner *c = curve[1];
    struct vertex *vertices = grid_vertices(demo, columns, 2 * count), *row = vertices;
    if (!vertices)
        return false;
    int rows = 0; /* a sharp corner has two rows, one for each of its edges */
    for (int i = 0; i + 1 < count; i++)
        for (int end = i && !c[i].sharp; end < 2; end++, rows++, row += columns + 1) {
            const int at = i + end, other = end ? i + 1 : i - 1;
            struct vec3 normal = edge_normal(&c[i], &c[i + 1]);
            if (other >= 0 && other + 1 < count && !c[at].sharp)
                normal = v3_normalize(v3_add(normal, edge_normal(&c[other], &c[other + 1])));
            turn(&c[at], normal, columns, row);
        }
    return demo_make_grid(demo, mesh, vertices, sizeof *vertices, columns, rows - 1);
}

/* ---- Ready-made ---- */

bool demo_make_box(struct demo *demo, struct demo_mesh *mesh) {
    struct vertex vertices[24];
    uint32_t indices[36], *out = indices;
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2;
        const float side = face % 2 ? 1 : -1;
        for (int corner = 0; corner < 4; corner++) {
            const float across = corner & 1 ? side : -side, up = corner & 2 ? 1 : -1;
            float p[3], n[3] = {0};
            p[axis] = n[axis] = side;
            p[(axis + 1) % 3] = across;
            p[(axis + 2) % 3] = up;
            vertices[4 * face + corner] =
                (struct vertex){v3(p[0], p[1], p[2]), v3(n[0], n[1], n[2])};
        }
        const uint32_t a = 4 * (uint32_t)face, quad[6] = {a, a + 1, a + 2, a + 2, a + 1, a + 3};
        for (int k = 0; k < 6; k++)
            *out++ = quad[k];
    }
    mesh->count = 36;
    return (mesh->vertices = demo_buffer(demo, vertices, sizeof vertices)) &&
           (mesh->indices = demo_buffer(demo, indices, sizeof indices));
}

bool demo_make_ball(struct demo *demo, struct demo_mesh *mesh, int columns) {
    struct vertex *vertices = grid_vertices(demo, columns, columns / 2), *row = vertices;
    if (!vertices)
        return false;
    for (int i = 0; i <= columns / 2; i++, row += columns + 1) {
        const double angle = DEMO_PI * ((double)i / (columns / 2) - 0.5);
        const struct demo_corner at = {(float)demo_cos(angle), (float)demo_sin(angle), false};
        turn(&at, v3(at.radius, at.y, 0), columns, row);
    }
    return demo_make_grid(demo, mesh, vertices, sizeof *vertices, columns, columns / 2);
}

static struct vec3 knot_center(double angle) {
    const double radius = 1 + 0.42 * demo_cos(3 * angle);
    return v3((float)(radius * demo_cos(2 * angle)), (float)(0.6 * demo_sin(3 * angle)),
              (float)(radius * demo_sin(2 * angle)));
}

static struct vec3 knot_point(const void *, double u, double v) {
    const double angle = 2 * DEMO_PI * u, around = 2 * DEMO_PI * v;
    const struct vec3 at = knot_center(angle), ahead = knot_center(angle + 0.01);
    const struct vec3 along = v3_normalize(v3_sub(ahead, at));
    const struct vec3 side = v3_normalize(v3_cross(along, v3_add(at, ahead)));
    const struct vec3 up = v3_cross(side, along);
    return v3_add(at, v3_add(v3_scale(up, 0.24f * (float)demo_cos(around)),
                             v3_scale(side, 0.24f * (float)demo_sin(around))));
}

bool demo_make_knot(struct demo *demo, struct demo_mesh *mesh, int columns, int rows) {
    return demo_make_surface(demo, mesh, columns, rows, knot_point, NULL);
}

/* ---- Instances ---- */

struct demo_instance demo_place(struct mat4 place, struct vec4 color) {
    struct demo_instance instance = {.color = color};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            instance.row[row][column] = place.m[4 * column + row];
    return instance;
}

bool demo_draw_mesh(struct demo *demo, const struct demo_mesh *mesh, tp_buffer *instances,
                    uint32_t first, uint32_t count) {
    static const unsigned vertex_words = 6;
    TRY(demo, tp_bind_vertices(demo->context, 0, mesh->vertices, 0, 4 * vertex_words, 0));
    TRY(demo, tp_bind_vertices(demo->context, 1, instances, first * sizeof(struct demo_instance),
                               sizeof(struct demo_instance), 1));
    for (unsigned i = 0; i < 2; i++)
        TRY(demo, tp_set_attribute(demo->context, i, 0, 12 * i, 3, TP_FLOAT32));
    for (unsigned i = 0; i < 4; i++)
        TRY(demo, tp_set_attribute(demo->context, 2 + i, 1, 16 * i, 4, TP_FLOAT32));
    TRY(demo, tp_draw(demo->context, &(struct tp_draw_info){.primitive = TP_TRIANGLES,
                                                            .count = mesh->count,
                                                            .instances = count,
                                                            .index_buffer = mesh->indices,
                                                            .index_type = TP_INDEX_U32}));
    return true;
}

struct demo_mesh *demo_add_mesh(struct demo_things *things) {
    assert(things->meshes < DEMO_MESHES);
    struct demo_copies *c = &things->mesh[things->meshes++];
    c->first = things->count;
    return &c->mesh;
}

void demo_add(struct demo_things *things, struct mat4 place, struct vec4 color) {
    assert(things->meshes && things->count < DEMO_INSTANCES);
    things->instance[things->count++] = demo_place(place, color);
    things->mesh[things->meshes - 1].count++;
}

bool demo_write_things(struct demo *demo, struct demo_things *things) {
    const size_t size = things->count * sizeof *things->instance;
    if (!things->buffer)
        return (things->buffer = demo_buffer(demo, things->instance, size));
    TRY(demo, tp_buffer_write(demo->context, things->buffer, 0, things->instance, size));
    return true;
}

bool demo_draw_meshes(struct demo *demo, const struct demo_things *things, uint32_t first,
                      uint32_t count) {
    for (const struct demo_copies *c = things->mesh + first; count--; c++)
        if (!demo_draw_mesh(demo, &c->mesh, things->buffer, c->first, c->count))
            return false;
    return true;
}
