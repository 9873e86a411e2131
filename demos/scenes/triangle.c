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
    if (!demo_clear(demo, v3(0.006f, 0.008f, 0.014f)) || !demo_opaque(demo) ||
        !demo_raster(demo, f, (struct tp_raster_state){0}) || !demo_use_pass(demo, &t->pass) ||
        !demo_constants(demo, &t->pass, &transform, sizeof transform) ||
        !demo_vertices(demo, t->vertices, (const unsigned[]){3, 3}, 2))
        return false;
    TRY(demo, tp_draw_arrays(demo->context, TP_TRIANGLES, 0, 3));
    return true;
}

extern const struct demo_scene demo_triangle;
const struct demo_scene demo_triangle = {
    "triangle", "one Gouraud triangle", sizeof(struct triangle), init, frame, TP_CHIP_GT215,
};
