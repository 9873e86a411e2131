/* lights: a spiral galaxy of additive sprites. Shows points expanded to camera-facing quads by a
 * geometry program (emit, restart), orbits computed by presin, sin and cos in the vertex program,
 * and additive blending without zeta.
 */
#include "demos/demo.h"

enum { STARS = 9000, ARMS = 3 };

struct star {
    float radius, angle, height, size;
    float r, g, b, speed; /* radians a second */
};

struct constants { /* c0[] of every stage */
    struct mat4 view_projection;
    float extent[2]; /* 0x40: half size of a sprite of size 1, as the projection scales x and y */
    float time;      /* 0x48 */
};

struct lights {
    struct demo_pass pass;
    tp_buffer *stars;
};

/* A random number from -1 to 1, roughly normally distributed. */
static float spread(uint32_t seed) {
    float sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        sum += demo_random(seed * 4 + i + 90001);
    return sum * 0.5f - 1;
}

static void scatter(struct star *stars) {
    const struct vec3 core = {1.0f, 0.72f, 0.38f}, arm = {0.35f, 0.55f, 1.0f};
    const struct vec3 nebula = {1.0f, 0.22f, 0.42f};
    for (uint32_t i = 0; i < STARS; i++) {
        struct star *s = &stars[i];
        bool bulge = i % 5 == 0;
        float u = demo_random(11 * i);
        s->radius = bulge ? 0.9f * u * u : 0.35f + 3.4f * u;
        float wide = bulge ? 3.2f : 1.05f / (0.4f + s->radius);
        s->angle = (float)(i % ARMS) * (float)(2 * DEMO_PI / ARMS) + 1.35f * s->radius +
                   wide * spread(3 * i);
        s->height = spread(3 * i + 1) * (bulge ? 0.34f * (1 - u) : 0.07f + 0.03f * s->radius);
        s->radius += 0.25f * spread(3 * i + 2);
        bool cloud = i % 16 == 3;
        float bright = demo_random(11 * i + 2);
        bright = bright * bright * bright;
        s->size = cloud ? 0.16f + 0.2f * demo_random(11 * i + 3) : 0.022f + 0.05f * bright;
        float strength = cloud ? 0.06f : 0.2f + 0.8f * bright;
        float t = demo_smoothstep(0.2f, 2.2f, s->radius);
        struct vec3 color = v3_add(v3_scale(core, 1 - t), v3_scale(arm, t));
        if (demo_random(11 * i + 4) > (cloud ? 0.6f : 0.93f) && !bulge)
            color = nebula;
        s->r = strength * color.x;
        s->g = strength * color.y;
        s->b = strength * color.z;
        s->speed =
            bulge ? -0.3f : -0.11f; /* all arms turn at one speed, so that they do not wind up */
    }
}

static bool init(struct demo *demo) {
    struct lights *l = demo->state;
    struct star *stars = demo_memory(demo, STARS * sizeof *stars);
    if (!stars)
        return false;
    scatter(stars);
    return (l->stars = demo_buffer(demo, stars, STARS * sizeof *stars)) &&
           demo_load_pass(demo, &l->pass, "lights.vp", "lights.gp", "lights.fp");
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct lights *l = demo->state;
    struct demo_camera camera =
        demo_orbit_camera(f, v3(0, -0.1f, 0), 6.2f, 0.05 * f->time, 0.62, 0.8, 0.05f, 40);
    struct constants c = {
        .view_projection = camera.view_projection,
        .extent = {camera.projection.m[0], camera.projection.m[5]},
        .time = (float)f->time,
    };
    TRY(demo, tp_set_depth(demo->context, &(struct tp_depth_state){0}));
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS, &demo_blend_add));
    return demo_clear(demo, v3(0.0002f, 0.0003f, 0.001f)) &&
           demo_raster(demo, f, (struct tp_raster_state){0}) &&
           demo_use_pass(demo, &l->pass, &c, sizeof c) &&
           demo_draw_vertices(demo, l->stars, (const unsigned[]){4, 4}, 2, TP_POINTS, STARS);
}

DEMO_SCENE(lights, TP_CHIP_GT215, "additive sprites from points expanded by a geometry program");
