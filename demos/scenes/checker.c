/* checker: an endless chequered plane under a low sun, and a mirror ball that reflects it, traced
 * in the fragment program. Shows quadop: the derivatives of the plane coordinates, taken across
 * each quad of 2x2 pixels, give the width of the box filter that keeps the squares free of aliases
 * up to the horizon; the ball is a divergent branch (joinat, join).
 */
#include "demos/demo.h"

struct checker {
    struct demo_cover rays; /* the "sky" program also draws the plane and the ball */
};

static bool init(struct demo *demo) {
    struct checker *s = demo->state;
    return demo_load_cover(demo, &s->rays, "sky.vp", "checker.fp");
}

static struct vec4 v4(struct vec3 v, float w) {
    return (struct vec4){v.x, v.y, v.z, w};
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct checker *s = demo->state;
    double way = 1.2 * f->time;
    struct vec3 at = v3(0, 1.1f, (float)(2 * floor(way / 2) - way)); /* the pattern has period 2 */
    struct demo_camera camera =
        demo_orbit_camera(f, at, 5.2f, 0.25 * demo_sin(0.3 * f->time), 0.17, 0.85, 0.1f, 10);
    camera.eye.y = camera.eye.y < 0.05f ? 0.05f : camera.eye.y; /* never below the plane */
    float hop = (float)demo_sin(1.8 * f->time);
    struct demo_rays c =
        demo_rays(&camera, v4(v3_normalize(v3(-0.6f, 0.62f, 0.3f)), 0),
                  (struct vec4){0.85f, 0.55f, 0.32f, 0}, (struct vec4){0.05f, 0.13f, 0.35f, 0});
    c.own[0] = v4(v3_add(at, v3(0, hop * hop * 0.7f, 0)), 1.0f); /* ball: centre, radius squared */
    c.own[1] = (struct vec4){0.85f, 0.80f, 0.70f, 0};            /* bright squares */
    c.own[2] = (struct vec4){0.10f, 0.025f, 0.03f, 0};           /* dark squares */
    return demo_draw_sky(demo, f, &s->rays, &c);
}

DEMO_SCENE(checker, TP_CHIP_GT215, "an endless plane, antialiased with quadop derivatives");
