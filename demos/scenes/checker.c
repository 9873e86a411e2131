/* checker: an endless chequered plane under a low sun, and a mirror ball that reflects it, traced in
 * the fragment program. Shows quadop: the derivatives of the plane coordinates, taken across each quad
 * of 2x2 pixels, give the width of the box filter that keeps the squares free of aliases up to the
 * horizon; the ball is a divergent branch (joinat, join).
 */
#include "demos/demo.h"

struct constants { /* c0[]; directions are in world space */
    struct vec4 eye;
    struct vec4 right, up; /* 0x10, 0x20: of the view, scaled to its edges */
    struct vec4 forward;   /* 0x30 */
    struct vec4 sun;       /* 0x40 */
    struct vec4 ball;      /* 0x50: centre; w: radius squared */
    struct vec4 light, dark; /* 0x60, 0x70: squares */
    struct vec4 horizon, zenith; /* 0x80, 0x90: sky */
};

struct checker {
    struct demo_pass pass;
    tp_buffer *vertices;
};

static bool init(struct demo *demo)
{
    static const float covering[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
    struct checker *s = demo->state;
    s->vertices = demo_buffer(demo, covering, sizeof covering);
    return s->vertices && demo_load_pass(demo, &s->pass, "checker.vp", NULL, "checker.fp");
}

static struct vec4 v4(struct vec3 v, float w)
{
    return (struct vec4){v.x, v.y, v.z, w};
}

static bool frame(struct demo *demo, const struct demo_frame *f)
{
    struct checker *s = demo->state;
    struct vec3 at = v3(0, 1.1f, (float)(-1.2 * f->time));
    struct demo_camera camera = demo_orbit_camera(f, at, 5.2f, 0.25 * demo_sin(0.3 * f->time), 0.17,
                                                  0.85, 0.1f, 10);
    const float *v = camera.view.m;
    float tan_half = 1 / camera.projection.m[5];
    float aspect = (float)f->width / (float)f->height;
    struct vec3 eye = camera.eye;
    eye.y = eye.y < 0.05f ? 0.05f : eye.y; /* never below the plane */
    float hop = (float)demo_sin(1.8 * f->time);
    struct constants c = {
        .eye = v4(eye, 1),
        .right = v4(v3_scale(v3(v[0], v[4], v[8]), tan_half * aspect), 0),
        .up = v4(v3_scale(v3(v[1], v[5], v[9]), tan_half), 0),
        .forward = v4(v3(-v[2], -v[6], -v[10]), 0),
        .sun = v4(v3_normalize(v3(-0.6f, 0.62f, 0.3f)), 0),
        .ball = v4(v3_add(at, v3(0, hop * hop * 0.7f, 0)), 1.0f),
        .light = {0.85f, 0.80f, 0.70f, 0},
        .dark = {0.10f, 0.025f, 0.03f, 0},
        .horizon = {0.85f, 0.55f, 0.32f, 0},
        .zenith = {0.05f, 0.13f, 0.35f, 0},
    };
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    if (!demo_raster(demo, f, (struct tp_raster_state){0}) || !demo_use_pass(demo, &s->pass) ||
        !demo_constants(demo, &s->pass, &c, sizeof c) ||
        !demo_vertices(demo, s->vertices, (const unsigned[]){2}, 1))
        return false;
    if (f->wireframe && !demo_clear(demo, v3(0, 0, 0)))
        return false;
    TRY(demo, tp_draw_arrays(demo->context, TP_TRIANGLES, 0, 3));
    return true;
}

extern const struct demo_scene demo_checker;
const struct demo_scene demo_checker = {
    "checker", "an endless plane, antialiased with quadop derivatives", sizeof(struct checker),
    init, frame,
};
