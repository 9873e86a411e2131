/* explode: a planet whose crust bursts and closes again over a glowing core. Shows the geometry
 * stage: the program reads the three corners of each triangle from p[], computes the face's normal,
 * moves the triangle along the normal after the triangle's own delay, shrinks the triangle, and
 * emits it flat shaded. Back faces glow ($facing). */
#include "demos/demo.h"

enum { LEVEL = 3, TRIANGLES = 20 << (2 * LEVEL) };

struct constants { /* c0[] of every pass */
    struct mat4 view_projection;
    struct vec4 eye;       /* 0x40; w: scale of the sphere */
    struct vec4 light;     /* 0x50: direction; w: progress of the explosion, 0 closed .. 1 */
    struct vec4 land, sea; /* 0x60, 0x70: colours; w: unused */
    struct vec4 glow;      /* 0x80: colour of the core; w: its pulse */
};

struct explode {
    struct demo_pass crust, core;
    tp_buffer *vertices;
};

/* Splits a triangle of the unit sphere into four, `level` times. */
static struct vec3 *subdivide(struct vec3 *out, struct vec3 a, struct vec3 b, struct vec3 c,
                              int level) {
    if (level == 0) {
        *out++ = a;
        *out++ = b;
        *out++ = c;
        return out;
    }
    struct vec3 ab = v3_normalize(v3_add(a, b)), bc = v3_normalize(v3_add(b, c));
    struct vec3 ca = v3_normalize(v3_add(c, a));
    out = subdivide(out, a, ab, ca, level - 1);
    out = subdivide(out, ab, b, bc, level - 1);
    out = subdivide(out, ca, bc, c, level - 1);
    return subdivide(out, ab, bc, ca, level - 1);
}

static void icosphere(struct vec3 *out) {
    const float g = 1.61803399f; /* golden ratio: corners are the cyclic permutations of 0 1 g */
    const struct vec3 corner[12] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                    {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                    {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    static const uint8_t face[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
    };
    for (int i = 0; i < 20; i++)
        out = subdivide(out, v3_normalize(corner[face[i][0]]), v3_normalize(corner[face[i][1]]),
                        v3_normalize(corner[face[i][2]]), LEVEL);
}

static bool init(struct demo *demo) {
    struct explode *e = demo->state;
    struct vec3 *vertices = demo_memory(demo, 3 * TRIANGLES * sizeof *vertices);
    if (!vertices)
        return false;
    icosphere(vertices);
    return (e->vertices = demo_buffer(demo, vertices, 3 * TRIANGLES * sizeof *vertices)) &&
           demo_load_pass(demo, &e->crust, "explode.vp", "explode.gp", "explode.fp") &&
           demo_load_pass(demo, &e->core, "core.vp", NULL, "core.fp");
}

static bool draw(struct demo *demo, const struct demo_pass *pass, const struct constants *c) {
    struct explode *e = demo->state;
    return demo_use_pass(demo, pass, c, sizeof *c) &&
           demo_draw_vertices(demo, e->vertices, (const unsigned[]){3}, 1, TP_TRIANGLES,
                              3 * TRIANGLES);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct explode *e = demo->state;
    struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0, 0), 4.6f, 0.3 * f->time, 0.25, 0.75, 0.1f, 30);
    struct vec3 light = v3_normalize(v3(0.6f, 0.7f, 0.5f));
    float swing = (float)(0.5 - 0.5 * demo_cos(2 * DEMO_PI * f->time / 9));
    struct constants c = {
        .view_projection = camera.view_projection,
        .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 1},
        .light = {light.x, light.y, light.z, demo_smoothstep(0.1f, 1, swing)},
        .land = {0.24f, 0.30f, 0.07f, 0},
        .sea = {0.015f, 0.10f, 0.32f, 0},
        .glow = {1.6f, 0.55f, 0.10f, 0.85f + 0.15f * (float)demo_sin(5 * f->time)},
    };
    if (!demo_clear(demo, v3(0.004f, 0.004f, 0.012f)) || !demo_opaque(demo) ||
        !demo_raster(demo, f, (struct tp_raster_state){0}) || !draw(demo, &e->crust, &c))
        return false;
    c.eye.w = 0.62f;
    return demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) &&
           draw(demo, &e->core, &c);
}

DEMO_SCENE(explode, TP_CHIP_GT215, "a geometry program that displaces triangles");
