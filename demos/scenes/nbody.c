/* nbody: rubble that falls together and becomes a planet. Shows compute programs that share the
 * bodies in s[] between barriers, drawing from the buffer that they have written, and balls whose
 * fragment program computes the depth.
 */
#include "demos/demo.h"

#include <string.h>

enum {
    BODIES = 1024,
    BLOCK = 128,
    CLUMPS = 7,
    STARS = 700,
    STEPS_A_SECOND = 40,
    EPISODE = 13 * STEPS_A_SECOND /* steps until the scene begins again with other clumps */
};
static const double FADE = 0.6; /* seconds in which bodies appear and vanish */

struct body { /* an element of the compute programs' buffers, and a vertex */
    float place[3], radius;
    float velocity[3], heat;
};
struct light { /* the result of nbody_light.cp for a body */
    float way[3], amount;
    float sun, unused[3];
};

struct constants { /* c0[] of all stages of the balls */
    struct mat4 view;
    float scale[2], depth[2]; /* 0x40: of the projection */
    struct vec4 sun, up;      /* 0x50, 0x60: directions in the camera's coordinates */
    struct vec4 sunlight, above, below;
    struct vec4 size; /* 0xa0; w: factor on the radius of the balls, 0 to 1 */
};

struct nbody {
    struct demo_pass balls;
    struct demo_cover sky;
    struct demo_stars stars;
    tp_program *move, *light;
    tp_buffer *bodies[2], *lights;
    struct body *first; /* the bodies at the start of an episode */
    int now;            /* number of the buffer with the bodies of `step` */
    int64_t step;       /* -1: none */
};

/* ---- The beginning ------------------------------------------------------------------------ */

/* A point of a ball of radius 1. */
static struct vec3 in_ball(uint32_t seed) {
    const float y = 2 * demo_random(seed) - 1, flat = sqrtf(1 - y * y);
    const double angle = 2 * DEMO_PI * (double)demo_random(seed + 1);
    const float u = demo_random(seed + 2), v = demo_random(seed + 3), out = u > v ? u : v;
    return v3_scale(v3(flat * (float)demo_sin(angle), y, flat * (float)demo_cos(angle)), out);
}

/* Moves the centre of mass to the origin and stops it. */
static void settle(struct body *bodies) {
    float sum[7] = {0};
    for (int i = 0; i < BODIES; i++) {
        const float mass = bodies[i].radius * bodies[i].radius * bodies[i].radius;
        for (int j = 0; j < 3; j++) {
            sum[j] += mass * bodies[i].place[j];
            sum[3 + j] += mass * bodies[i].velocity[j];
        }
        sum[6] += mass;
    }
    for (int i = 0; i < BODIES; i++)
        for (int j = 0; j < 3; j++) {
            bodies[i].place[j] -= sum[j] / sum[6];
            bodies[i].velocity[j] -= sum[3 + j] / sum[6];
        }
}

/* Clumps of bodies that turn slowly round each other. */
static void scatter(struct body *bodies, uint32_t episode) {
    const uint32_t seed = 100000 * (episode % 1000) + 7;
    for (uint32_t i = 0; i < BODIES; i++) {
        const uint32_t clump = i % CLUMPS, own = seed + 31 * clump, n = seed + 1000 + 11 * i;
        const double angle =
            2 * DEMO_PI * (double)((float)clump + 0.5f * demo_random(own)) / CLUMPS;
        const float out = clump == 0 ? 0.2f : 1.6f + 0.9f * demo_random(own + 1);
        const struct vec3 middle = {out * (float)demo_sin(angle),
                                    1.1f * (demo_random(own + 2) - 0.5f),
                                    out * (float)demo_cos(angle)};
        const struct vec3 at = v3_add(middle, v3_scale(in_ball(n), 0.95f)), way = in_ball(n + 4);
        const float turn = 0.34f;
        const float small = demo_random(n + 8);
        bodies[i] =
            (struct body){{at.x, at.y, at.z},
                          0.065f + 0.08f * small * small * small + (i % 16 == 0 ? 0.05f : 0),
                          {turn * at.z + 0.1f * way.x, 0.1f * way.y, 0.1f * way.z - turn * at.x},
                          0};
    }
    settle(bodies);
}

static bool init(struct demo *demo) {
    struct nbody *s = demo->state;
    s->step = -1;
    for (int i = 0; i < 2; i++)
        if (!(s->bodies[i] = demo_buffer(demo, NULL, BODIES * sizeof(struct body))))
            return false;
    return (s->first = demo_memory(demo, BODIES * sizeof(struct body))) &&
           (s->lights = demo_buffer(demo, NULL, BODIES * sizeof(struct light))) &&
           (s->move = demo_program(demo, "nbody.cp")) &&
           (s->light = demo_program(demo, "nbody_light.cp")) &&
           demo_load_pass(demo, &s->balls, "nbody.vp", "nbody.gp", "nbody.fp") &&
           demo_load_cover(demo, &s->sky, "sky.vp", "sky.fp") &&
           demo_load_stars(demo, &s->stars, STARS);
}

/* ---- Computing ---------------------------------------------------------------------------- */

static bool run(struct demo *demo, const void *parameters, unsigned count, tp_buffer *from,
                tp_buffer *to) {
    uint32_t words[16];
    memcpy(words, parameters, count * sizeof *words);
    TRY(demo, tp_bind_global(demo->context, 0, from, 0, tp_buffer_size(from)));
    TRY(demo, tp_bind_global(demo->context, 1, to, 0, tp_buffer_size(to)));
    TRY(demo, tp_dispatch(demo->context, (const uint32_t[]){BODIES / BLOCK, 1},
                          (const uint32_t[]){BLOCK, 1, 1}, words, count));
    return true;
}

/* Moves the bodies to a step. For a later step of the present episode, only the steps between are
 * computed; else all steps from the beginning of the episode. */
static bool move_to(struct demo *demo, int64_t step) {
    static const struct {
        uint32_t bodies;
        float seconds, gravity, stiffness, friction, kept;
    } parameters = {BODIES, 1 / 50.0f, 4.5f, 800, 9, 0.965f};
    struct nbody *s = demo->state;
    const int64_t begin = step - step % EPISODE;
    if (s->step < begin || s->step > step) {
        scatter(s->first, (uint32_t)(begin / EPISODE));
        s->now = 0;
        s->step = begin;
        TRY(demo,
            tp_buffer_write(demo->context, s->bodies[0], 0, s->first, BODIES * sizeof *s->first));
    }
    TRY(demo, tp_bind_program(demo->context, TP_COMPUTE, s->move));
    for (; s->step < step; s->step++, s->now = !s->now)
        if (!run(demo, &parameters, 6, s->bodies[s->now], s->bodies[!s->now]))
            return false;
    return true;
}

static bool light(struct demo *demo, struct vec3 sun) {
    struct nbody *s = demo->state;
    const struct {
        uint32_t bodies;
        float sun[3];
    } parameters = {BODIES, {sun.x, sun.y, sun.z}};
    TRY(demo, tp_bind_program(demo->context, TP_COMPUTE, s->light));
    return run(demo, &parameters, 4, s->bodies[s->now], s->lights);
}

/* ---- The picture -------------------------------------------------------------------------- */

static bool draw_balls(struct demo *demo, const struct demo_frame *f, const struct constants *c) {
    struct nbody *s = demo->state;
    if (!demo_opaque(demo) || !demo_raster(demo, f, (struct tp_raster_state){0}) ||
        !demo_use_pass(demo, &s->balls, c, sizeof *c) ||
        !demo_bind_pair(demo, s->bodies[s->now], s->lights))
        return false;
    TRY(demo, tp_draw_arrays(demo->context, TP_POINTS, 0, BODIES));
    return true;
}

/* Transforms a direction into the camera's coordinates. */
static struct vec4 seen(const struct mat4 *view, struct vec3 d) {
    const float *m = view->m;
    return (struct vec4){m[0] * d.x + m[4] * d.y + m[8] * d.z, m[1] * d.x + m[5] * d.y + m[9] * d.z,
                         m[2] * d.x + m[6] * d.y + m[10] * d.z, 0};
}

/* Returns the size of bodies: they grow when an episode begins, and vanish when the episode
 * ends. */
static float size_at(double time) {
    const double length = (double)EPISODE / STEPS_A_SECOND;
    const double since = time - length * floor(time / length), left = length - since;
    return demo_smoothstep(0, 1, (float)((since < left ? since + 0.25 : left) / FADE));
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct nbody *s = demo->state;
    const double time = f->time > 0 ? f->time : 0;
    const struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0, 0), 6.6f, 0.6 + 0.06 * f->time, 0.34, 0.66, 0.1f, 60);
    const struct vec3 sun = v3_normalize(v3(-0.45f, 0.6f, 0.75f));
    const float *p = camera.projection.m;
    struct constants c = {
        .view = camera.view,
        .scale = {p[0], p[5]},
        .depth = {p[10], p[14]},
        .sun = seen(&camera.view, sun),
        .up = seen(&camera.view, v3(0, 1, 0)),
        .sunlight = {1.9f, 1.65f, 1.35f, 0},
        .above = {0.10f, 0.13f, 0.20f, 0},
        .below = {0.05f, 0.035f, 0.03f, 0},
        .size = {0, 0, 0, size_at(time)},
    };
    struct demo_rays rays =
        demo_rays(&camera, (struct vec4){0, 0, 0, 0}, (struct vec4){0.0035f, 0.003f, 0.008f, 0},
                  (struct vec4){0.0007f, 0.001f, 0.004f, 0});
    return move_to(demo, (int64_t)floor(time * STEPS_A_SECOND + 1e-6)) && light(demo, sun) &&
           demo_draw_sky(demo, f, &s->sky, &rays) && demo_draw_stars(demo, &s->stars, &camera) &&
           draw_balls(demo, f, &c);
}

DEMO_SCENE(nbody, TP_CHIP_GT215, "rubble that falls together, by compute programs");
