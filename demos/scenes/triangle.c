/* triangle: one Gouraud triangle, turning. Shows the shortest way through the whole pipeline:
 * packed a[] inputs, c0[] constants, perspective-correct interpolation and a gamma of two by
 * rsqrt.
 */
#include "demos/demo.h"

struct triangle {
    struct demo_pass pass;
    tp_buffer *vertices;
};

static bool init(struct demo *demo) {
    static const float vertices[3][6] = {
        /* x y z, r g b */
        {0.00f, 1.00f, 0, 1.0f, 0.05f, 0.03f},
        {-0.87f, -0.50f, 0, 0.03f, 0.85f, 0.10f},
        {0.87f, -0.50f, 0, 0.05f, 0.15f, 1.0f},
    };
    struct triangle *t = demo->state;
    t->vertices = demo_buffer(demo, vertices, sizeof vertices);
    return t->vertices && demo_load_pass(demo, &t->pass, "triangle.vp", NULL, "triangle.fp");
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct triangle *t = demo->state;
    struct demo_camera camera = demo_orbit_camera(f, v3(0, 0.12f, 0), 2.9f, 0, 0, 0.8, 0.1f, 50);
    double angle = 0.9 * demo_sin(0.9 * f->time);
    struct mat4 transform = mat4_mul(camera.view_projection, mat4_rotate_y(angle));
    return demo_clear(demo, v3(0.006f, 0.008f, 0.014f)) && demo_opaque(demo) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) &&
           demo_use_pass(demo, &t->pass, &transform, sizeof transform) &&
           demo_draw_vertices(demo, t->vertices, (const unsigned[]){3, 3}, 2, TP_TRIANGLES, 3);
}

DEMO_SCENE(triangle, TP_CHIP_GT215, "one Gouraud triangle");
